"""The picture of a graph."""

import numpy as np

from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.plot import plot_action_graph


def test_a_graph_is_drawn_in_the_size_that_was_asked_for(boxing_graph: ActionGraph):
    picture = plot_action_graph(boxing_graph, (640, 440), "Boxing")
    assert picture.size == (640, 440)
    pixels = np.asarray(picture).reshape(-1, 3).astype(int)
    # paper, white circles, red attacks
    assert (np.abs(pixels - (18, 21, 30)).sum(axis=1) < 12).mean() > 0.4
    assert (pixels.min(axis=1) > 220).sum() > 50
    assert ((pixels[:, 0] > 150) & (pixels[:, 1] < 110)).sum() > 50


def test_one_posture_is_enough(boxing_graph: ActionGraph):
    graph = build_action_graph(boxing_graph.library, 5.0)
    assert len(graph.posture_frame) == 1
    assert plot_action_graph(graph, (320, 220)).size == (320, 220)


def test_a_graph_that_kept_nothing_is_drawn_too(boxing_graph: ActionGraph):
    graph = build_action_graph(boxing_graph.library, 1e-6)
    assert len(graph.actions) == 0
    assert graph.report()["share kept"] == 0.0
    assert plot_action_graph(graph, (320, 220)).size == (320, 220)


def test_the_same_graph_gives_the_same_picture(boxing_graph: ActionGraph):
    one, other = (plot_action_graph(boxing_graph, (320, 220)) for _ in range(2))
    assert one.tobytes() == other.tobytes()
