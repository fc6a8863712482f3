"""The action graph: no dead ends, a dial, and the frames in which actions join."""

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph, build_action_graph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement


def _reached(graph: ActionGraph, posture: int) -> set[int]:
    seen, waiting = {posture}, [posture]
    while waiting:
        for action in graph.choices(waiting.pop()):
            end = int(graph.end_posture[action])
            if end not in seen:
                seen.add(end)
                waiting.append(end)
    return seen


def test_every_posture_reaches_every_other(boxing_graph: ActionGraph):
    everything = set(range(len(boxing_graph.posture_frame)))
    for posture in everything:
        assert _reached(boxing_graph, posture) == everything


def test_choices_start_where_they_should(boxing_graph: ActionGraph):
    for posture in range(len(boxing_graph.posture_frame)):
        choices = boxing_graph.choices(posture)
        assert len(choices) > 0
        assert (boxing_graph.start_posture[choices] == posture).all()


def test_most_seconds_survive_and_the_report_says_so(boxing: ActionLibrary, boxing_graph: ActionGraph):
    assert boxing_graph.kept_seconds >= 0.9 * boxing.seconds
    report = boxing_graph.report()
    assert report["actions"] == len(boxing_graph.actions)
    assert len(boxing_graph.actions) + len(boxing_graph.dropped) == len(boxing)


def test_the_threshold_is_a_dial(boxing: ActionLibrary):
    fine, coarse = (build_action_graph(boxing, threshold) for threshold in (0.06, 0.2))
    assert len(coarse.posture_frame) < len(fine.posture_frame)
    mean = [graph.report()["choices on arrival"]["mean"] for graph in (fine, coarse)]
    assert mean[0] < mean[1]
    for wrong in (0.0, -1.0, 100.0):
        with pytest.raises(RandoriError, match="metres"):
            build_action_graph(boxing, wrong)


def test_what_is_dropped_has_a_reason(boxing: ActionLibrary):
    graph = build_action_graph(boxing, 0.001)
    assert {action for action, _ in graph.dropped} == set(range(len(boxing))) - set(graph.actions.tolist())
    assert all(reason for _, reason in graph.dropped)


def test_displacement_leads_from_posture_to_posture(boxing_graph: ActionGraph):
    for action in boxing_graph.actions[:20]:
        start, end = Placement(*boxing_graph.entry[action]), Placement(*boxing_graph.exit[action])
        moved = Placement(*boxing_graph.displacement[action]).then(start)
        assert np.allclose((moved.x, moved.z), (end.x, end.z))
        assert np.isclose(np.cos(moved.yaw - end.yaw), 1.0)


def test_actions_recorded_in_a_row_join_in_one_frame_of_the_floor(
    boxing: ActionLibrary, boxing_graph: ActionGraph
):
    for action in range(len(boxing) - 1):
        if boxing_graph.start_posture[action] >= 0 and boxing_graph.start_posture[action + 1] >= 0:
            assert boxing_graph.end_posture[action] == boxing_graph.start_posture[action + 1]
            assert np.allclose(boxing_graph.exit[action], boxing_graph.entry[action + 1])


def test_nobody_is_caught_in_a_recorded_combination(boxing: ActionLibrary):
    """Where few actions start, those of a posture nearby can follow, and fit there as at home."""
    opened = graph_with_choices(boxing, 16.0)
    plain = build_action_graph(boxing, opened.threshold)
    assert np.array_equal(opened.start_posture, plain.start_posture)
    few = np.flatnonzero(np.diff(plain.indptr) < 4)
    more = few[np.diff(opened.indptr)[few] > np.diff(plain.indptr)[few]]
    assert len(more) > 0.3 * len(few)
    for posture in more:
        own, choices = plain.choices(posture), opened.choices(posture)
        assert np.array_equal(choices[: len(own)], own)
        home = np.unique(opened.start_posture[choices[len(own) :]])
        assert len(home) == 1
        assert opened.posture_frame[posture] == opened.posture_frame[home[0]] == plain.posture_frame[home[0]]
    rich = np.setdiff1d(np.arange(len(plain.posture_frame)), more)
    for posture in rich:
        assert np.array_equal(opened.choices(posture), plain.choices(posture))


def test_a_combination_still_runs_on_as_recorded(boxing: ActionLibrary):
    opened = graph_with_choices(boxing, 16.0)
    kept = opened.actions
    together = kept[:-1][
        (boxing.actions.stop[kept[:-1]] == boxing.actions.start[kept[1:]]) & (np.diff(kept) == 1)
    ]
    assert len(together) > 20
    np.testing.assert_allclose(opened.exit[together], opened.entry[together + 1], atol=1e-9)
