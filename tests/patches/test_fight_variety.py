"""Fights: what was done lately is wanted less; a path is followed in time."""

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.patches.along import Path
from randori.patches.fights import OneFightsMany, TwoFight, Variety
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


def test_a_pair_far_apart_comes_near_instead_of_striking_at_the_air(
    small_graph: ActionGraph, small_patches: PatchLibrary
) -> None:
    far = [(0.0, 0.0, 0.0), (0.0, 4.5, 0.0)]  # metres, radians: the second one's back is turned
    fight = TwoFight(Prepared(small_graph, small_patches), seed=3, places=far)
    stage = fight.stage
    for now in range(12 * 60):
        fight.advance(now)
    apart = [float(np.hypot(*(spots[0] - spots[1]))) for spots in map(stage.spots, range(12 * 60))]
    starts = [
        step.start
        for actor in stage.actors
        for step in actor.steps
        if stage.library.tags[step.action].kind == "attack" and step.start < 12 * 60
    ]
    assert starts
    assert max(apart[start] for start in starts) < 3.2
    assert apart[-1] < 2.6


def test_a_hero_needs_an_opponent(small_graph: ActionGraph, small_patches: PatchLibrary) -> None:
    with pytest.raises(RandoriError, match="at least one opponent"):
        OneFightsMany(Prepared(small_graph, small_patches), seed=1, opponents=0)


def test_a_path_is_where_it_should_be_in_time() -> None:
    path = Path([(0.0, 0.0), (1.0, 0.0), (1.0, 2.0)], pace=2.0)
    assert np.allclose(path.at(np.array([0.0, 1.0, 3.0, 9.0])), [(0, 0), (0.5, 0), (1, 1), (1, 2)])
