"""The hierarchical graph: walking goes on for ever, and leads into what is done out of it."""

import numpy as np
import pytest

from randori.graph.library import ActionLibrary
from randori.graph.locomotion_graph import CORE, TARGET, LocomotionGraph, build_locomotion_graph


@pytest.fixture(scope="module")
def graph(walking: ActionLibrary) -> LocomotionGraph:
    return build_locomotion_graph(walking)


def test_walking_is_a_core_node(graph: LocomotionGraph):
    assert "walk" in graph.cores
    assert "stop" not in graph.cores


def test_a_core_goes_on_for_ever(graph: LocomotionGraph):
    for action in np.flatnonzero(graph.role == CORE):
        assert (graph.core[graph.following(action)] == graph.core[action]).any()


def test_targets_are_reached_from_locomotion(walking: ActionLibrary, graph: LocomotionGraph):
    targets = np.flatnonzero(graph.role == TARGET)
    assert len(targets) > 0
    walk = graph.cores.index("walk")
    led_into = np.unique(np.concatenate([graph.targets(a) for a in np.flatnonzero(graph.core == walk)]))
    assert len(led_into) >= 0.5 * len(targets)
    for target in targets:
        assert len(graph.following(int(target))) > 0, walking.describe(int(target))


def test_what_follows_starts_where_the_last_one_ends(graph: LocomotionGraph):
    for action in range(0, len(graph.role), 7):
        for follower in (*graph.following(action), *graph.targets(action)):
            assert graph.graph.start_posture[follower] == graph.graph.end_posture[action]
