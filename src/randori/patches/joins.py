"""The two tables of concatenation: patches that follow each other, and patches that run side by side."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.graph.csr import to_csr
from randori.kernels import patch_joins as kernels
from randori.kernels.patch_joins import ALONE, BESIDE, TOGETHER, Candidates, JoinRules
from randori.kernels.patch_ways import Ways
from randori.parallel import Arrays, mapping
from randori.patches.library import JoinArrays, PatchLibrary, no_joins
from randori.patches.stock import Stock, build_stock
from randori.patches.ways import ways_of

OVERLAP = 0.02  # metres that bodies may be in each other
FAR, TURNED = 0.1, np.deg2rad(10.0)  # that the second may be off where both go on together
LATE = 6  # ticks that one of them waits, going on as recorded
LEAST = 12  # ticks for which the shared character does the same
_CHUNK = 64  # patches


class JoinContext(NamedTuple):
    """The data that every chunk needs."""

    stock: Stock
    ways: Ways
    most: int


def join_chunk(context: JoinContext, chunk: tuple[int, int]) -> Arrays:
    """All joins from some patches on."""
    stock, ways, (first, last) = context.stock, context.ways, chunk
    room = 2 * (last - first) * context.most
    rules = JoinRules(np.full((16, 16), OVERLAP), FAR, TURNED, LATE, LEAST, context.most)
    begins = np.flatnonzero((ways.parts["thing"] == 0) & ways.parts["at_start"])
    postures = stock.start_posture[ways.parts["first_action"][begins]]
    starters = Candidates(*to_csr(postures, begins, stock.postures))
    all_parts = np.arange(len(ways.parts))
    users = Candidates(*to_csr(ways.parts["first_action"], all_parts, len(stock.first)))
    alone, together, beside = np.zeros(room, ALONE), np.zeros(room, TOGETHER), np.zeros(room, BESIDE)
    motions = stock.motions
    return {
        "alone": alone[: kernels.alone(motions, ways, rules, starters, first, last, alone)],
        "together": together[: kernels.together(motions, ways, rules, first, last, together)],
        "beside": beside[: kernels.beside(motions, ways, rules, users, first, last, beside)],
    }


def joining(
    patches: PatchLibrary,
    graph: ActionGraph,
    workers: int | None = None,
    processes: bool = False,
    cluster: str | None = None,
) -> Generator[float, None, PatchLibrary]:
    """The patches with their tables of concatenation; yields the share that is done."""
    context = join_context(patches, build_stock(graph))
    count = len(patches)
    chunks = [(first, min(first + _CHUNK, count)) for first in range(0, count, _CHUNK)]
    results = yield from mapping(join_chunk, context, chunks, workers, processes, cluster)
    return replace(patches, joins=_gather(results))


def join_context(patches: PatchLibrary, stock: Stock) -> JoinContext:
    """The data that chunks of joins need."""
    return JoinContext(stock, ways_of(patches.arrays, stock), patches.scene.successors)


def _gather(results: Sequence[Arrays]) -> JoinArrays:
    return JoinArrays._make(
        np.concatenate([table, *(one[name] for one in results)])
        for name, table in no_joins()._asdict().items()
    )
