"""Feints: an attack at an opponent that stands its ground, and the rule that one is never long in coming."""

import numpy as np
import pytest

from randori.graph.action_graph import ActionGraph
from randori.patches.feints import Feints
from randori.patches.fights import LONGEST_PEACE, OneFightsMany, TwoFight
from randori.patches.library import PatchLibrary
from randori.patches.liveliness import liveliness
from randori.patches.prepared import Prepared
from randori.patches.striking import has_target


@pytest.fixture(scope="module")
def prepared(small_graph: ActionGraph, small_patches: PatchLibrary) -> Prepared:
    return Prepared(small_graph, small_patches)


def test_a_feint_has_a_target_in_reach_that_it_does_not_touch(prepared: Prepared) -> None:
    face_to_face = [(0.0, 0.0, 0.0), (0.0, 1.6, np.pi)]
    scene = TwoFight(prepared, seed=1, places=face_to_face)
    stage = scene.stage
    assert Feints(scene.composer).put(0, [1], within=1.5)
    attack = stage.actors[0].steps[-1]
    assert stage.library.tags[attack.action].kind == "attack"
    assert has_target(stage, 0, np.arange(attack.start, attack.stop)).any()
    assert stage.clear(stage.stretch([attack]), [0])
    # the target has waited, and then done something about it
    answer = stage.actors[1].steps[-1]
    assert stage.library.tags[answer.action].technique != "stand"
    assert attack.start - stage.fps <= answer.start < attack.stop


def test_no_feint_at_a_character_out_of_reach(prepared: Prepared) -> None:
    far = [(0.0, 0.0, 0.0), (0.0, 6.0, np.pi)]
    scene = TwoFight(prepared, seed=1, places=far)
    before = [list(actor.steps) for actor in scene.stage.actors]
    assert not Feints(scene.composer).put(0, [1], within=1.5)
    assert [actor.steps for actor in scene.stage.actors] == before


def test_a_patch_whose_attack_comes_too_late_is_out(prepared: Prepared) -> None:
    scene = OneFightsMany(prepared, seed=1, opponents=3)
    composer, state = scene.composer, scene.stage.actors[0].state
    parts = composer.parts[composer.start_posture == state.posture]
    soonest = int(composer.until_attack[parts].min())
    composer.due = state.tick + soonest
    in_time = composer._latest(parts, state, scene.wish) >= 0
    assert in_time.any()
    assert (composer.until_attack[parts[in_time]] == soonest).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hero_never_goes_long_without_an_attack(prepared: Prepared, seed: int) -> None:
    scene = OneFightsMany(prepared, seed, opponents=5)
    for now in range(20 * 60):
        scene.advance(now)
    assert liveliness(scene.stage, 20 * 60).longest_peace <= LONGEST_PEACE + 1.0
