"""The bench of the duel runs, on little, and counts what it says."""

import pytest

from randori.bench import duel
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.scene.motions import performed
from randori.scene.scene import Motions
from randori.work import finish


@pytest.fixture(scope="module")
def graph(tmp_path_factory) -> ActionGraph:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANDORI_CACHE", str(tmp_path_factory.mktemp("cache")))
        return graph_with_choices(finish(performed(Motions(perform=("boxing",), seconds=30.0))), 8.0)


def found(rows: list[duel.Row], words: str) -> str:
    (row,) = (row for row in rows if words in row["what"])
    return row["found"]


def test_every_depth_has_its_figures(graph):
    rows = finish(duel.depth_rows(graph, depths=(1, 2), scale=0.4))
    assert int(found(rows, "actions in the set")) == len(graph.actions)
    for plies in ("1 ply", "2 plies"):
        assert float(found(rows, f"{plies}: × real time, by")) > 0.0
        nodes, speed = found(rows, f"{plies}: nodes").replace(",", "").split(" ")
        assert float(speed) > float(nodes) > 0.0


def test_the_plain_search_tries_at_least_as_many_nodes(graph):
    rows = finish(duel.saving_rows(graph, compared=((1, 4.0),), patience=0.0, cut=1))
    plain, uncut, fast = (
        int(part.replace(",", "")) for part in found(rows, "nodes of the plain search").split(", ")
    )
    assert plain >= uncut > 0
    assert plain >= fast > 0
    assert float(found(rows, "times faster").replace(",", "")) > 1.0


def test_an_unknown_part_is_named():
    with pytest.raises(RandoriError, match=r"there is no part 'depth'; did you mean 'depths'"):
        next(duel.running("depth"))
