"""Working out the patches of a scene: expanding, choosing, going on, putting them together."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from randori.graph.action_graph import ActionGraph
from randori.kernels import patch_tables as records
from randori.kernels.patch_scores import answer_to, relation_at
from randori.kernels.places import as_rows
from randori.parallel import Arrays, mapping
from randori.patches.chain import chaining
from randori.patches.expansion import FOUND, Context, build_context, expand_chunk
from randori.patches.handing import handing_patches
from randori.patches.library import (
    EVENT,
    EVENT_KINDS,
    MARK,
    PATCH_STEP,
    PatchArrays,
    PatchLibrary,
    concatenate,
    fingerprint,
    selected,
)
from randori.patches.pattern import PatchScene, Pattern
from randori.patches.reachable import reachable
from randori.work import part

REASONS = {
    records.ORDER: "another order",
    records.CLOSE: "invalid distance",
    records.COLLISION: "collision",
    records.STRUCK: "struck unintended",
    records.NO_CONTACT: "no contact",
    records.LATE: "contact too late",
    records.DEAD_END: "nothing follows",
    records.POOR: "low score",
}
_NEVER_STRUCK = 1e6  # metres from a strike: an attack that is cut short before it strikes is not a miss


def building(
    scene: PatchScene,
    text: str,
    graph: ActionGraph,
    workers: int | None = None,
    processes: bool = False,
    cluster: str | None = None,
    folder: Path | None = None,
) -> Generator[float, None, PatchLibrary]:
    """The patches of a scene; yields the share that is done. `folder` keeps it if this is stopped."""
    yield 0.0
    context, chunks = build_context(scene, graph)
    results = yield from part(
        mapping(expand_chunk, context, chunks, workers, processes, cluster, folder), 0.02, 0.9
    )
    found, report = [], []
    for number, pattern in enumerate(scene.pattern):
        if scene.hands_over(pattern):
            patches, tally, different = yield from part(
                handing_patches(scene, number, graph, context.stock), 0.02, 0.9
            )
        else:
            all_found = _gather([one for one, chunk in zip(results, chunks) if chunk.pattern == number])
            rows = choose(all_found, scene.firsts(pattern), pattern.keep)
            tally, different = all_found["tally"], len(all_found["ratings"])
            patches = _put_together(context, number, all_found, rows)
        found.append(patches)
        report.append(_report(pattern, tally, different, len(patches.pattern)))
    arrays = concatenate(found)
    if scene.chain:
        arrays = yield from part(
            _go_on(scene, context, arrays, report, (workers, processes, cluster, folder)), 0.92, 0.08
        )
    arrays = _drop_unreachable(arrays, graph, context, report)
    return PatchLibrary(scene, text, fingerprint(graph.library), arrays, report={"patterns": report})


def _drop_unreachable(
    arrays: PatchArrays, graph: ActionGraph, context: Context, report: list[dict[str, Any]]
) -> PatchArrays:
    """The patches that some other patch leads to; the report lists the dropped ones in order."""
    kept = reachable(arrays, graph, context.stock)
    row_of = np.repeat(np.arange(len(report)), [row["patches"] for row in report])
    for row, dropped in zip(report, np.bincount(row_of[~kept], minlength=len(report)).tolist()):
        if dropped:
            row["nothing leads to"] = dropped
            row["patches"] -= dropped
    return selected(arrays, kept)


def _go_on(
    scene: PatchScene,
    context: Context,
    arrays: PatchArrays,
    report: list[dict[str, Any]],
    where: tuple[int | None, bool, str | None, Path | None],
) -> Generator[float, None, PatchArrays]:
    """The patches, and `scene.chain` rounds of patches that begin where the previous ones end."""
    newest = arrays
    for turn in range(scene.chain):
        found = yield from part(
            chaining(scene, context, newest, *where), turn / scene.chain, 1.0 / scene.chain
        )
        added = []
        for number, pattern in enumerate(scene.pattern):
            rows = choose(found[number], scene.firsts(pattern), pattern.keep)
            added.append(_put_together(context, number, found[number], rows))
            row = _report(pattern, found[number]["tally"], len(found[number]["ratings"]), len(rows))
            report.append(row | {"pattern": f"{pattern.title}, going on {turn + 1}"})
        newest = concatenate(added)
        arrays = concatenate([arrays, newest])
    return arrays


def _gather(results: Sequence[Arrays]) -> Arrays:
    gathered = {
        name: np.concatenate([one[name] for one in results]).astype(kind) for name, kind in FOUND.items()
    }
    gathered["tally"] = np.sum([one["tally"] for one in results], axis=0)
    return gathered


def choose(found: Arrays, opening: tuple[int, int], most: int) -> np.ndarray:
    """The rows of the best patches, of every pair of first actions alike; in their old order."""
    score = found["ratings"]["score"]
    if len(score) <= most:
        return np.arange(len(score))
    actions = found["steps"]["action"]
    _, group = np.unique(actions[:, list(opening)], axis=0, return_inverse=True)
    order = np.lexsort((np.arange(len(score)), -score, group.reshape(-1)))
    sizes = np.bincount(group.reshape(-1))
    rank = np.empty(len(score), dtype=np.int64)
    rank[order] = np.arange(len(score)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    best = np.lexsort((np.arange(len(score)), -score, rank))[:most]
    return np.sort(best)


def _report(pattern: Pattern, tally: np.ndarray, found: int, kept: int) -> dict[str, Any]:
    """The building of a pattern's patches, in numbers."""
    return {
        "pattern": pattern.title,
        "candidates": int(tally[records.TRIED]),
        "rejected": {word: int(tally[k]) for k, word in REASONS.items() if tally[k]},
        "good": int(tally[records.KEPT]),
        "different": found,
        "patches": kept,
    }


def _put_together(context: Context, number: int, found: Arrays, chosen: np.ndarray) -> PatchArrays:
    """The chosen patches of a pattern in one record of arrays."""
    stock, tables = context.stock, context.tables[number]
    roles = tables.moves["role"]
    order = np.argsort(roles, kind="stable")  # the first character's moves, then the second's
    happened: list[tuple[tuple[int, ...], tuple[float, ...]]] = []
    event_start, final = [0], []
    for row in chosen:
        steps = found["steps"][row]
        happened += _events(tables.moves, steps, found["blows"][row])
        event_start.append(len(happened))
        stops = [int(steps["stop"][roles == role].max()) for role in (0, 1)]
        relation = relation_at(stock.motions, tables.moves, steps, max(stops))
        final.append((*relation, (stops[1] - stops[0]) / stock.fps))
    count = len(chosen)
    ours = int((roles == 0).sum())
    parts = np.column_stack([np.full(count, ours), np.full(count, len(roles) - ours)]).reshape(-1)
    kept = found["steps"][chosen][:, order]
    step = np.zeros(kept.shape, PATCH_STEP)
    for name in ("action", "first", "start", "stop", "forced"):
        step[name] = kept[name]
    step["move"] = order
    return PatchArrays(
        np.full(count, number, dtype=np.int64),
        found["ratings"]["score"][chosen],
        structured_to_unstructured(found["samples"][chosen]) / np.array([1.0, 1.0, 1.0, stock.fps]),
        np.array(final, dtype=float).reshape(-1, 4),
        np.concatenate([[0], np.cumsum(parts)]).astype(np.int64),
        step.reshape(-1),
        as_rows(kept["place"]).reshape(-1, 3),
        np.array(event_start, dtype=np.int64),
        np.array([event for event, _ in happened], dtype=EVENT),
        np.array([mark for _, mark in happened], dtype=MARK),
    )


def _events(
    moves: np.ndarray, steps: np.ndarray, blows: np.ndarray
) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """The events of a patch, as EVENT and MARK: touches with their reactions, and threats that pass."""
    found: list[tuple[tuple[int, ...], tuple[float, ...]]] = []
    for number, (move, blow) in enumerate(zip(moves, blows)):
        role, tick = int(move["role"]), int(blow["tick"])
        mark = tuple(float(blow[name]) for name in MARK.names or ())
        if move["response"]:
            acting = max(k for k in range(number) if moves["role"][k] != role)
            kind = "hit" if moves["threat"][acting] == records.STRIKES else "push"
            touch = int(blow["capsule"]), int(blow["part"])
            found.append(((tick, EVENT_KINDS.index(kind), 1 - role, role, *touch), mark))
            found.append(((tick, EVENT_KINDS.index("response"), role, 1 - role, -1, -1), mark))
        elif (
            move["threat"] != records.NO_THREAT
            and answer_to(moves, steps, number) < 0
            and mark[0] < _NEVER_STRUCK
        ):
            missed = (mark[0], 0.0, 0.0, 0.0)
            found.append(((tick, EVENT_KINDS.index("miss"), role, 1 - role, -1, -1), missed))
    return sorted(found, key=lambda one: one[0][0])
