"""Fights: what was done lately is wanted less; a path is followed in time."""

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.patches.along import Path
from randori.patches.fights import TwoFight, Variety
from randori.patches.library import PatchLibrary
from randori.patches.prepared import Prepared


def test_techniques_that_were_used_are_wanted_less(
    small_graph: ActionGraph, small_patches: PatchLibrary
) -> None:
    fight = TwoFight(Prepared(small_graph, small_patches), seed=1)
    variety = Variety(fight.composer)
    assert len(set(variety.taste())) == 1
    variety.use(0)
    after = variety.taste()
    attacks = [_attacks(small_graph, small_patches, number) for number in range(len(small_patches))]
    pattern = small_patches.arrays.pattern
    fresh = [
        number
        for number in range(len(small_patches))
        if not attacks[number] & attacks[0] and pattern[number] != pattern[0]
    ]
    assert after[0] == after[1] == after.min()
    assert all(after[2 * number] == after.max() for number in fresh)


def _attacks(graph: ActionGraph, patches: PatchLibrary, number: int) -> set[str]:
    steps = [step for part in patches.patch(number).parts for step in part.steps]
    tags = [graph.library.tags[step.action] for step in steps]
    return {one.technique for one in tags if one.kind == "attack"}


def test_a_path_is_where_it_should_be_in_time() -> None:
    path = Path([(0.0, 0.0), (1.0, 0.0), (1.0, 2.0)], pace=2.0)
    assert np.allclose(path.at(np.array([0.0, 1.0, 3.0, 9.0])), [(0, 0), (0.5, 0), (1, 1), (1, 2)])
