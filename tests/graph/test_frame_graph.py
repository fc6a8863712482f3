"""The frame graph: transitions at matching events, no dead ends, states and actions."""

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.graph.frame_graph import FrameGraph, build_frame_graph
from randori.graph.library import ActionLibrary
from randori.graph.similarity import distance_matrix, poses_of


@pytest.fixture(scope="module")
def graph(boxing: ActionLibrary) -> FrameGraph:
    return build_frame_graph(boxing)


def test_every_state_reaches_every_other(graph: FrameGraph):
    def reached(indptr: np.ndarray, indices: np.ndarray) -> int:
        seen, waiting = {0}, [0]
        while waiting:
            state = waiting.pop()
            for other in indices[indptr[state] : indptr[state + 1]].tolist():
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return len(seen)

    states = len(graph.state_frame)
    state_of = np.repeat(np.arange(states), np.diff(graph.indptr))
    order = np.argsort(graph.target, kind="stable")
    backwards = np.concatenate([[0], np.cumsum(np.bincount(graph.target, minlength=states))])
    assert reached(graph.indptr, graph.target) == states
    assert reached(backwards, state_of[order]) == states


def test_transitions_join_similar_frames_in_which_the_same_is_about_to_happen(
    boxing: ActionLibrary, graph: FrameGraph
):
    state_of = np.repeat(np.arange(len(graph.state_frame)), np.diff(graph.indptr))
    jumps = np.flatnonzero(graph.distance > 0.0)[::211]
    contacts = boxing.frames.contacts
    for action in jumps:
        here, there = int(graph.state_frame[state_of[action]]), int(graph.first[action]) - 1
        apart = distance_matrix(poses_of(boxing, np.array([here, there])))[0, 1]
        assert apart == pytest.approx(graph.distance[action], abs=1e-6)
        assert apart <= graph.threshold
        last = len(contacts) - 1
        change = [contacts[min(k + 1, last)].astype(int) - contacts[k].astype(int) for k in (here, there)]
        if (contacts[here].all() and contacts[there].all()) and not (change[0].any() or change[1].any()):
            continue
        assert ((change[0] == change[1]) & (change[0] != 0)).any()


def test_actions_play_on_to_the_next_state(boxing: ActionLibrary, graph: FrameGraph):
    last = graph.state_frame[graph.target]
    assert (graph.first <= last).all()
    assert (boxing.frames.clip[graph.first] == boxing.frames.clip[last]).all()
    # no state lies in between
    index = np.searchsorted(graph.state_frame, graph.first)
    assert np.array_equal(index, graph.target)


def test_it_keeps_most_and_says_what_it_dropped(graph: FrameGraph):
    report = graph.report()
    assert report["share kept"] > 0.9
    assert report["states"] > 50
    assert report["actions"] > 5 * report["states"]


def test_a_threshold_has_to_be_a_distance(boxing: ActionLibrary):
    with pytest.raises(RandoriError, match="metres"):
        build_frame_graph(boxing, 0.0)


def test_no_path_leads_through_actions_that_are_left_out(graph: FrameGraph) -> None:
    library = graph.library
    barred = [action for action, tags in enumerate(library.tags) if tags.technique == "hook"]
    assert barred
    without = build_frame_graph(library, graph.threshold, barred)

    def plays(one: FrameGraph) -> np.ndarray:
        played = np.zeros(len(library.frames.clip), dtype=bool)
        for first, target in zip(one.first, one.target):
            played[first : one.state_frame[target] + 1] = True
        return played

    frames = np.concatenate(
        [np.arange(library.actions.start[action], library.actions.stop[action]) for action in barred]
    )
    assert plays(graph)[frames].any()
    assert not plays(without)[frames].any()
    assert plays(without).sum() > 0.5 * plays(graph).sum()
