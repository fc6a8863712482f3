"""Which patches go on after which, and which run side by side: the two tables of concatenation."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.graph.csr import to_csr
from randori.kernels import patch_joins as kernels
from randori.parallel import Arrays, mapping
from randori.patches.library import JoinArrays, PatchLibrary
from randori.patches.stock import Stock, build_stock
from randori.patches.ways import Ways, ways_of

OVERLAP = 0.02  # metres that bodies may be in each other
FAR, TURNED = 0.1, np.deg2rad(10.0)  # that the second may be off where both go on together
LATE = 6  # ticks that one of them waits, going on as recorded
LEAST = 12  # ticks for which the shared character does the same
_CHUNK = 64  # patches


class JoinContext(NamedTuple):
    """What every chunk needs."""

    stock: Stock
    ways: Ways
    first_action: np.ndarray  # (2 N,) int64
    last_action: np.ndarray  # (2 N,) int64
    at_start: np.ndarray  # (2 N,) int64, 1 if it begins as its first action does
    most: int


def join_chunk(context: JoinContext, chunk: tuple[int, int]) -> Arrays:
    """All joins from some patches on."""
    stock, ways = context.stock, context.ways
    first, last = chunk
    room = 2 * (last - first) * context.most
    allowed = np.full((16, 16), OVERLAP)
    people = np.flatnonzero((ways.thing == 0) & (context.at_start == 1))
    bodies = (stock.body, stock.halves, stock.radii, stock.pelvis, stock.reach, allowed, *ways)
    indptr, starters = to_csr(stock.start_posture[context.first_action[people]], people, stock.postures)
    alone = np.zeros((room, 4), dtype=np.int64)
    count = kernels.alone(
        *bodies, stock.entry, stock.leaving, stock.end_posture, stock.load, context.first_action,
        context.last_action, indptr, starters, first, last, context.most, alone,
    )  # fmt: skip
    alone = alone[:count]
    together = np.zeros((room, 4), dtype=np.int64)
    count = kernels.together(
        ways.way_start, ways.way_place, ways.way_x, ways.way_z, ways.begin, ways.thing, stock.entry,
        stock.leaving, stock.end_posture, stock.start_posture, stock.load, context.first_action,
        context.last_action, context.at_start, FAR, TURNED, LATE, first, last, context.most, together,
    )  # fmt: skip
    together = together[:count]
    everybody = np.arange(len(ways.begin))
    indptr, users = to_csr(context.first_action, everybody, len(stock.first))
    beside = np.zeros((room, 5), dtype=np.int64)
    count = kernels.beside(*bodies, indptr, users, LEAST, first, last, context.most, beside)
    return {"alone": alone, "together": together, "beside": beside[:count]}


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
    """What chunks of joins need."""
    arrays = patches.arrays
    firsts, lasts = arrays.step_start[:-1], arrays.step_start[1:] - 1
    first_action, last_action = arrays.step[firsts, 0], arrays.step[lasts, 0]
    at_start = arrays.step[firsts, 1] == stock.first[first_action]
    return JoinContext(
        stock,
        ways_of(arrays, stock),
        first_action,
        last_action,
        at_start.astype(np.int64),
        patches.scene.successors,
    )


def _gather(results: Sequence[Arrays]) -> JoinArrays:
    def rows(name: str, width: int) -> np.ndarray:
        found = [one[name] for one in results] or [np.zeros((0, width), dtype=np.int64)]
        return np.concatenate(found)

    return JoinArrays(rows("together", 4), rows("alone", 4), rows("beside", 5))
