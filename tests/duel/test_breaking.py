"""Where performed actions can be broken off, when reactions end, and to which side they turn."""

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.duel.breaking import (
    COMMITTED,
    ENOUGH_CHOICES,
    LONGEST_STAND,
    SIMILAR,
    Breaks,
    Ends,
    find_breaks,
    regain_control,
)
from randori.duel.game import BEARINGS, Stock
from randori.duel.stock import build_stock
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library import ActionLibrary, build_library
from randori.graph.similarity import distances_between, poses_of
from randori.graph.turning import with_turns
from randori.motion.rotations import wrap_angle
from randori.performer import perform
from shared import made_once


@pytest.fixture(scope="module")
def graph() -> ActionGraph:
    """Of a boxer who is also hit, with turned copies."""

    def make() -> ActionLibrary:
        takes = perform("boxing", 60.0, seed=3) + perform("reactions", 60.0, seed=3)
        return with_turns(build_library([(take.clip, analyse(take.clip)) for take in takes]))

    return build_action_graph(made_once("duel-breaking", make), 0.2)


@pytest.fixture(scope="module")
def stock(graph: ActionGraph) -> Stock:
    return build_stock([graph])


@pytest.fixture(scope="module")
def breaks(graph: ActionGraph, stock: Stock) -> Breaks:
    poses = poses_of(graph.library, np.arange(len(graph.library.frames.clip)))
    return find_breaks(graph, poses, np.diff(stock.choice_start))


@pytest.fixture(scope="module")
def ends(graph: ActionGraph, breaks: Breaks) -> Ends:
    return regain_control(graph, breaks)


def actions_of(library: ActionLibrary, kind: str, technique: str = "") -> list[int]:
    return [
        action
        for action, tags in enumerate(library.tags)
        if tags.kind == kind and tags.technique.startswith(technique)
    ]


def frames_of(library: ActionLibrary, action: int) -> slice:
    return slice(int(library.actions.start[action]), int(library.actions.stop[action]))


# ---- Where actions can be broken off


def test_strikes_cannot_be_broken_off(graph: ActionGraph, breaks: Breaks) -> None:
    strikes = graph.library.strikes
    assert len(strikes.start) > 20
    for start, stop in zip(strikes.start, strikes.stop):
        assert (breaks.posture[start:stop] == -1).all()


def test_an_attack_can_be_broken_off_after_its_last_strike_alone(graph: ActionGraph, breaks: Breaks) -> None:
    library, after = graph.library, 0
    for action in actions_of(library, "attack"):
        strikes = slice(library.actions.strike_start[action], library.actions.strike_start[action + 1])
        frames = frames_of(library, action)
        last = int(library.strikes.stop[strikes].max(initial=frames.start))
        assert (breaks.posture[frames.start : last] == -1).all()
        after += int((breaks.posture[last : frames.stop] >= 0).sum())
    assert after > 0


def test_a_guard_can_be_broken_off(graph: ActionGraph, breaks: Breaks) -> None:
    """Most of what a boxer does between two techniques is a guard."""
    library = graph.library
    committed = round(COMMITTED["transition"] * library.fps)
    shares = []
    for action in actions_of(library, "transition"):
        frames = frames_of(library, action)
        assert (breaks.posture[frames.start : frames.start + committed] == -1).all()
        shares.append((breaks.posture[frames.start + committed : frames.stop] >= 0).mean())
    assert np.mean(shares) > 0.5


@pytest.mark.parametrize("kind", ["fall", "rise"])
def test_a_fighter_that_is_down_breaks_nothing_off(graph: ActionGraph, breaks: Breaks, kind: str) -> None:
    actions = actions_of(graph.library, kind)
    assert actions
    for action in actions:
        assert (breaks.posture[frames_of(graph.library, action)] == -1).all()


def test_it_goes_on_from_the_most_similar_posture_with_enough_choices(
    graph: ActionGraph, stock: Stock, breaks: Breaks
) -> None:
    choices = np.diff(stock.choice_start)
    rich = np.flatnonzero(choices >= ENOUGH_CHOICES * choices[graph.end_posture[graph.actions]].mean())
    poor = np.setdiff1d(np.arange(len(choices)), rich)
    assert len(poor)
    found = np.flatnonzero(breaks.posture >= 0)
    assert not np.isin(breaks.posture[found], poor).any()
    poses = poses_of(graph.library, np.arange(len(graph.library.frames.clip)))
    some = found[:: max(1, len(found) // 200)]
    apart = distances_between(poses, some, graph.posture_frame[rich])
    np.testing.assert_array_equal(breaks.posture[some], rich[apart.argmin(axis=1)])
    assert apart.min(axis=1).max() <= SIMILAR


def test_the_body_does_not_jump_where_it_is_broken_off(graph: ActionGraph, breaks: Breaks) -> None:
    """The posture's frame, put at the break place, lies where the body is."""
    library = graph.library
    found = np.flatnonzero(breaks.posture >= 0)[::50]
    founders = graph.posture_frame[breaks.posture[found]]
    apart = np.linalg.norm(breaks.place[found, :2] - library.placements[found, :2], axis=-1)
    assert apart.max() < 0.3
    turned = np.abs(wrap_angle(breaks.place[found, 2] - library.placements[found, 2]))
    assert np.degrees(turned.max()) < 60.0
    far = np.linalg.norm(library.placements[founders, :2] - library.placements[found, :2], axis=-1)
    assert far.max() > 0.5  # as recorded they are elsewhere


# ---- When reactions end


def test_reactions_get_shorter_and_end_with_choices(
    graph: ActionGraph, stock: Stock, breaks: Breaks, ends: Ends
) -> None:
    library = graph.library
    recorded = library.actions.stop - library.actions.start
    reactions = np.array([a for a in actions_of(library, "reaction") if graph.end_posture[a] >= 0])
    assert len(reactions) > 5
    assert (ends.ticks[reactions] <= recorded[reactions]).all()
    shortened = reactions[ends.ticks[reactions] < recorded[reactions]]
    assert len(shortened) > 0.5 * len(reactions)
    choices = np.diff(stock.choice_start)
    enough = ENOUGH_CHOICES * choices[graph.end_posture[graph.actions]].mean()
    assert choices[ends.posture[shortened]].min() >= enough
    for action in shortened:
        technique = library.tags[action].technique
        assert ends.ticks[action] >= round(COMMITTED[technique] * library.fps)
        last = library.actions.start[action] + ends.ticks[action]
        assert breaks.posture[last] == ends.posture[action]
        assert (breaks.posture[library.actions.start[action] : last] == -1).all()  # it is the first


def test_long_stands_end_after_a_second(graph: ActionGraph, breaks: Breaks, ends: Ends) -> None:
    library = graph.library
    recorded, least = library.actions.stop - library.actions.start, round(LONGEST_STAND * library.fps)
    stands = np.array([a for a, tags in enumerate(library.tags) if tags.technique == "stand"])
    shortened = stands[ends.ticks[stands] < recorded[stands]]
    assert len(shortened) > 0
    assert (ends.ticks[shortened] >= least).all()
    for action in shortened:
        start, last = library.actions.start[action], library.actions.start[action] + ends.ticks[action]
        assert breaks.posture[last] == ends.posture[action]
        assert (breaks.posture[start + least : last] == -1).all()  # it is the first


def test_nothing_else_ends_sooner(graph: ActionGraph, ends: Ends) -> None:
    tagged = enumerate(graph.library.tags)
    others = np.array([a for a, tags in tagged if tags.kind != "reaction" and tags.technique != "stand"])
    recorded = graph.library.actions.stop - graph.library.actions.start
    np.testing.assert_array_equal(ends.ticks[others], recorded[others])
    np.testing.assert_array_equal(ends.posture[others], graph.end_posture[others])
    np.testing.assert_array_equal(ends.exit[others], graph.exit[others])


def test_the_stock_of_a_game_has_these_ends(stock: Stock, breaks: Breaks, ends: Ends) -> None:
    np.testing.assert_array_equal(stock.ticks, ends.ticks)
    np.testing.assert_array_equal(stock.end_posture, ends.posture)
    np.testing.assert_array_equal(stock.break_posture, breaks.posture)


def test_two_libraries_keep_their_own_postures_and_actions(graph: ActionGraph, stock: Stock) -> None:
    both = build_stock([graph, graph])
    frames, actions, postures = len(stock.place), len(stock.first), len(stock.choice_start) - 1
    second = both.break_posture[frames:]
    np.testing.assert_array_equal(second >= 0, stock.break_posture >= 0)
    assert (second[second >= 0] == stock.break_posture[stock.break_posture >= 0] + postures).all()
    np.testing.assert_array_equal(both.turned[actions:], stock.turned + actions)


# ---- To which side reactions turn


def turns_of(graph: ActionGraph, stock: Stock, actions: np.ndarray) -> np.ndarray:
    """Radians that the stance turns to the left from the first to the last frame."""
    first, last = graph.library.actions.start[actions], graph.library.actions.stop[actions] - 1
    return wrap_angle(stock.place[last, 2] - stock.place[first, 2])


def test_a_reaction_to_an_attacker_behind_turns_more_than_one_to_an_attacker_in_front(
    graph: ActionGraph, stock: Stock
) -> None:
    reactions = np.flatnonzero((stock.turned != np.arange(len(stock.turned))[:, None]).any(axis=1))
    assert len(reactions) > 5
    front, left, behind, right = (turns_of(graph, stock, stock.turned[reactions, k]) for k in (0, 2, 4, 6))
    assert np.abs(behind).mean() > np.abs(front).mean() + np.radians(45.0)
    assert left.mean() > front.mean() + np.radians(20.0)
    assert right.mean() < front.mean() - np.radians(20.0)


def test_only_reactions_have_other_forms_and_those_are_reactions(graph: ActionGraph, stock: Stock) -> None:
    kinds = np.array([tags.kind for tags in graph.library.tags])
    others = np.flatnonzero(kinds != "reaction")
    np.testing.assert_array_equal(stock.turned[others], np.repeat(others[:, None], BEARINGS, axis=1))
    assert (kinds[stock.turned[kinds == "reaction"]] == "reaction").all()
