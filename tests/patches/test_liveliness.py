"""Composition that cannot get stuck: a legal next step, nothing returns too soon, commands are obeyed."""

from dataclasses import replace

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.patches.compose import OTHER_STANCE, Composer, Wish
from randori.patches.fights import OneFightsMany, TwoFight
from randori.patches.library import PatchLibrary
from randori.patches.liveliness import liveliness, seconds_to_obey
from randori.patches.novelty import ACTION_WINDOW, Novelty, kinds_of
from randori.patches.prepared import Prepared
from randori.patches.relay import Relay
from randori.patches.stage import Played, State


@pytest.fixture(scope="module")
def prepared(small_graph: ActionGraph, small_patches: PatchLibrary) -> Prepared:
    return Prepared(small_graph, small_patches)


def test_every_posture_that_a_patch_ends_in_has_a_next_step(prepared: Prepared) -> None:
    composer = Composer(prepared, seed=1)
    for posture in np.unique(composer.end_posture[composer.usable]).tolist():
        state = State(posture, (0.0, 0.0, 0.0), 7)
        steps = composer.locomotion.go_on(state)
        assert steps[0].start == 7
        assert steps[-1].stop > 7


def test_somebody_rests_also_where_nobody_can_wait(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    locomotion = scene.composer.locomotion
    posture = next(one for one in np.flatnonzero(~locomotion.can_wait).tolist() if locomotion.leads_on(one))
    actor = scene.stage.actors[0]
    actor.state = actor.state._replace(posture=posture)
    before = actor.state.tick
    scene.composer.rest(0)
    assert actor.state.tick > before


def test_a_dead_end_is_said_in_a_sentence(prepared: Prepared) -> None:
    locomotion = Composer(prepared, seed=1).locomotion
    posture = int(np.flatnonzero(~locomotion.on_feet)[0])
    locomotion._routes[posture] = ()
    assert not locomotion.leads_on(posture)
    with pytest.raises(RandoriError, match="no way"):
        locomotion.go_on(State(posture, (0.0, 0.0, 0.0), 0))


def test_luggage_goes_on_after_it_was_put_down(
    luggage_graph: ActionGraph, luggage_patches: PatchLibrary
) -> None:
    relay = Relay(Prepared(luggage_graph, luggage_patches), seed=1, pieces=("box",), people=2, carried=0.6)
    for now in range(60 * 60):
        relay.advance(now)
    assert relay.rows[0].rounds >= 1 or relay.rows[0].over
    assert all(actor.state.tick > 60 * 60 for actor in relay.stage.actors)


def test_a_pair_of_actions_returns_only_after_the_window(prepared: Prepared) -> None:
    novelty, kinds = Novelty(prepared), kinds_of(prepared)
    novelty.play(0, 3, tick=100)
    later = 100 + round(ACTION_WINDOW * prepared.graph.library.fps)
    alike = np.repeat(kinds.actions == kinds.actions[3], 2)
    assert (novelty.fresh(0, later - 1) == ~alike).all()
    assert novelty.fresh(0, later).all()
    assert novelty.fresh(1, 101).all()  # somebody else did not play it


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_do_not_play_the_same_pair_of_actions_again_and_again(prepared: Prepared, seed: int) -> None:
    scene = TwoFight(prepared, seed)
    for now in range(40 * 60):
        scene.advance(now)
    measured = liveliness(scene.stage, 40 * 60)
    assert measured.played > 5
    assert measured.locks == 0


def test_locks_are_found(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    scene.stage.played[:] = [Played(0, tick, (0, 1)) for tick in (0, 300, 600)]
    assert liveliness(scene.stage, 700).locks == 1
    scene.stage.played[1:] = [Played(0, tick, (0, 1)) for tick in (700, 1300)]
    assert liveliness(scene.stage, 1400).locks == 0


@pytest.mark.parametrize("word", ["punch", "move"])
def test_a_hero_obeys_soon_and_nobody_jumps(prepared: Prepared, word: str) -> None:
    scene = OneFightsMany(prepared, seed=3, opponents=3)
    for now in range(200):
        scene.advance(now)
    before = [list(actor.steps) for actor in scene.stage.actors]
    wish = Wish(word, (3.0, 3.0))
    scene.obey(wish, 199)
    for now in range(200, 400):
        scene.advance(now)
    for steps, actor in zip(before, scene.stage.actors):
        shown = [step for step in steps if step.stop <= 199]
        assert actor.steps[: len(shown)] == shown  # what was seen stays
        assert all(one.stop == other.start for one, other in zip(actor.steps, actor.steps[1:]))
    does = scene.composer.words.get(word, np.zeros(0, dtype=bool))
    assert seconds_to_obey(scene.stage, wish, 199, 400, does) < 2.0
    spots = np.array([scene.stage.spots(tick) for tick in range(400)])
    assert float(np.linalg.norm(np.diff(spots, axis=0), axis=-1).max()) < 0.2


def test_what_was_only_tried_is_undone(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    stage, actor = scene.stage, scene.stage.actors[0]
    before, count = actor.state, len(actor.steps)
    steps = scene.composer.locomotion.go_on(before)
    stage.perform(0, steps)
    stage.take_back(0, len(steps), before)
    assert actor.state == before
    assert len(actor.steps) == count
    assert int(stage.crowd().actors["until"][0]) == before.tick


def test_an_action_is_left_only_where_one_can_go_on(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    stage, composer = scene.stage, scene.composer
    graph, left = stage.graph, 0
    for action in graph.actions[composer.attacks[graph.actions]][:20].tolist():
        state = State(int(graph.start_posture[action]), (1.0, 2.0, 0.5), 50)
        step = composer.locomotion.placed(action, state)
        way_out = stage.way_out(step, 55)
        if way_out is not None:
            left += 1
            assert 55 <= way_out.tick < step.stop
            assert composer.locomotion.on_feet[way_out.posture]
            # whoever goes on from there does not jump
            shown = stage.stretch([step]).shown[way_out.tick - step.start]
            assert np.hypot(way_out.place[0] - shown["x"], way_out.place[1] - shown["z"]) < 0.3
    assert left > 0


def test_a_pair_walks_and_feints_to_its_next_patch(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=5)
    composer, everything = scene.composer, np.ones(2 * len(prepared.patches), dtype=bool)
    begun = [actor.state.tick for actor in scene.stage.actors]
    chosen = composer.walk_and_engage(0, [1], everything)
    assert chosen is not None
    assert chosen.partner == 1
    for actor in scene.stage.actors:
        assert all(one.stop == other.start for one, other in zip(actor.steps, actor.steps[1:]))
    part = 2 * chosen.number + chosen.role
    assert chosen.tick + int(scene.stage.begin[part]) > begun[0]  # a step or a feint came first


def test_a_pair_is_idle_only_while_both_are(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=2)
    for now in range(20 * 60):
        scene.advance(now)
    pair, alone = (liveliness(scene.stage, 20 * 60, leads) for leads in ((0, 1), (0,)))
    assert pair.idle <= alone.idle
    assert pair.longest_peace <= alone.longest_peace


def test_a_pair_avoids_stances_that_lead_nowhere(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    composer = scene.composer
    far = (composer.farness[composer.end_posture] >= OTHER_STANCE).reshape(-1, 2).any(axis=1).repeat(2)
    assert not far.all()
    assert not (scene._allowed(0, 0) & far).any()


def test_a_step_shows_that_a_command_is_obeyed(prepared: Prepared) -> None:
    composer = TwoFight(prepared, seed=1).composer
    stage, state = composer.stage, composer.stage.actors[0].state
    aside = stage.facing(state) + 0.5 * np.pi
    steps = composer.step_anyway(0, state.place[:2], aside, Wish("turn", facing=aside))
    assert composer._shows(state, steps[-1], state.place[:2], aside)
    stands = composer.locomotion.stand(state)
    assert not composer._shows(state, stands, state.place[:2], aside)


def test_every_seed_leans_to_other_patches(prepared: Prepared) -> None:
    leanings = [Composer(prepared, seed).leaning for seed in (1, 2)]
    assert (leanings[0] != leanings[1]).all()


def test_a_switch_of_stance_is_a_step(prepared: Prepared) -> None:
    """Otherwise nobody comes back from the other stance to where most patches begin."""
    graph = prepared.graph
    step = int(Composer(prepared, seed=1).locomotion.actions[0])
    tags = list(graph.library.tags)
    tags[step] = replace(tags[step], technique="switch stance")
    switching = replace(graph, library=replace(graph.library, tags=tuple(tags)))
    locomotion = Composer(Prepared(switching, prepared.patches), seed=1).locomotion
    assert step in locomotion.actions


def test_a_part_that_cannot_be_left_commits_for_long(prepared: Prepared) -> None:
    """A part that holds a fall, which is shown to its end, commits for at least as long as the fall."""
    composer = Composer(prepared, seed=1)
    stage, arrays = composer.stage, prepared.patches.arrays
    seconds = composer.commitment()
    assert (seconds > 0.0).all()
    for part in range(len(seconds)):
        steps = arrays.step[arrays.step_start[part] : arrays.step_start[part + 1]]
        for action in steps["action"].tolist():
            assert seconds[part] >= stage.longest_stay(action)
            if stage.library.tags[action].kind == "fall":
                assert (
                    stage.longest_stay(action) * stage.fps
                    == stage.stock.stop[action] - stage.stock.first[action]
                )


def test_a_combination_is_left_for_a_command(prepared: Prepared) -> None:
    """Where an action ends in the midst of a combination, the next blow is left, not played to its end."""
    scene = TwoFight(prepared, seed=1)
    composer, stage = scene.composer, scene.stage
    graph, feet = prepared.graph, scene.composer.locomotion.on_feet
    pairs = [
        (one, two)
        for one in graph.actions[~feet[graph.end_posture[graph.actions]]].tolist()
        for two in graph.choices(int(graph.end_posture[one])).tolist()
        if composer.attacks[one] and composer.attacks[two]
    ]
    left = 0
    for one, two in pairs:
        actor = stage.actors[0]
        before, state = len(actor.steps), actor.state
        start = state._replace(posture=int(graph.start_posture[one]))
        stage.perform(0, composer.locomotion.line([one, two], start))
        first, last = actor.steps[-2:]
        if stage.way_out(last, last.start + 1) is not None:
            tick, way_out = composer._cut(0, first.stop - 1, Wish("avoid"))
            assert way_out is None or feet[way_out.posture]
            left += way_out is not None and first.start < tick < last.stop
        stage.take_back(0, len(actor.steps) - before, state)
    assert left > 0 or not pairs


def test_an_attack_at_nobody_does_not_count(prepared: Prepared) -> None:
    near, far = (
        TwoFight(prepared, seed=1, places=[(0.0, 0.0, 0.0), (0.0, away, np.pi)]) for away in (1.4, 4.0)
    )
    for scene in (near, far):
        assert scene.composer.act_alone(0, scene.composer.attacks, careful=False)
    until = near.stage.actors[0].state.tick
    assert liveliness(near.stage, until).idle < liveliness(far.stage, until).idle == 1.0
    assert near.composer.peace(0) < far.composer.peace(0)
