"""Working out the patches of a scene: expanding, choosing, going on, putting them together."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.kernels import patch_tables as columns
from randori.kernels.patch_scores import answer_to, relation_at
from randori.parallel import Arrays, mapping
from randori.patches.chain import chaining
from randori.patches.expansion import Context, Tables, build_context, expand_chunk
from randori.patches.handing import handing_patches
from randori.patches.library import EVENT_KINDS, PatchArrays, PatchLibrary, concatenate, fingerprint
from randori.patches.pattern import PatchScene, Pattern
from randori.work import part

REASONS = {
    columns.ORDER: "another order",
    columns.CLOSE: "invalid distance",
    columns.COLLISION: "collision",
    columns.STRUCK: "struck unintended",
    columns.NO_CONTACT: "no contact",
    columns.LATE: "contact too late",
    columns.DEAD_END: "nothing follows",
    columns.POOR: "low score",
}


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
            tally, different = all_found["tally"], len(all_found["score"])
            patches = _put_together(context, number, all_found, rows)
        found.append(patches)
        report.append(_report(pattern, tally, different, len(patches.pattern)))
    arrays = concatenate(found)
    if scene.chain:
        arrays = yield from part(
            _go_on(scene, context, arrays, report, (workers, processes, cluster, folder)), 0.92, 0.08
        )
    return PatchLibrary(scene, text, fingerprint(graph.library), arrays, report={"patterns": report})


def _go_on(
    scene: PatchScene,
    context: Context,
    arrays: PatchArrays,
    report: list[dict[str, Any]],
    where: tuple[int | None, bool, str | None, Path | None],
) -> Generator[float, None, PatchArrays]:
    """The patches, and `scene.chain` times those that begin where the last ones end."""
    newest = arrays
    for turn in range(scene.chain):
        found = yield from part(
            chaining(scene, context, newest, *where), turn / scene.chain, 1.0 / scene.chain
        )
        added = []
        for number, pattern in enumerate(scene.pattern):
            rows = choose(found[number], scene.firsts(pattern), pattern.keep)
            added.append(_put_together(context, number, found[number], rows))
            row = _report(pattern, found[number]["tally"], len(found[number]["score"]), len(rows))
            report.append(row | {"pattern": f"{pattern.title}, going on {turn + 1}"})
        newest = concatenate(added)
        arrays = concatenate([arrays, newest])
    return arrays


def _gather(results: Sequence[Arrays]) -> Arrays:
    gathered = {
        name: np.concatenate([one[name] for one in results])
        for name in ("step", "place", "blow", "score", "sample")
    }
    gathered["tally"] = np.sum([one["tally"] for one in results], axis=0)
    return gathered


def choose(found: Arrays, opening: tuple[int, int], most: int) -> np.ndarray:
    """The rows of the best patches, of every pair of first actions alike; in their old order."""
    if len(found["score"]) <= most:
        return np.arange(len(found["score"]))
    actions = found["step"][:, :, columns.ACTION]
    _, group = np.unique(actions[:, list(opening)], axis=0, return_inverse=True)
    score = found["score"][:, 0]
    order = np.lexsort((np.arange(len(score)), -score, group.reshape(-1)))
    sizes = np.bincount(group.reshape(-1))
    rank = np.empty(len(score), dtype=np.int64)
    rank[order] = np.arange(len(score)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    best = np.lexsort((np.arange(len(score)), -score, rank))[:most]
    return np.sort(best)


def _report(pattern: Pattern, tally: np.ndarray, found: int, kept: int) -> dict[str, Any]:
    """How a pattern was worked out, in numbers."""
    return {
        "pattern": pattern.title,
        "candidates": int(tally[columns.TRIED]),
        "rejected": {word: int(tally[k]) for k, word in REASONS.items() if tally[k]},
        "good": int(tally[columns.KEPT]),
        "different": found,
        "patches": kept,
    }


def _put_together(context: Context, number: int, found: Arrays, chosen: np.ndarray) -> PatchArrays:
    """The chosen patches of a pattern in one record of arrays."""
    stock, tables = context.stock, context.tables[number]
    roles = tables.moves[:, columns.ROLE]
    order = np.argsort(roles, kind="stable")  # the first one's moves, then the second's
    events, marks, event_start, final = [], [], [0], []
    for row in chosen:
        step, place = found["step"][row], found["place"][row]
        for event, mark in _events(tables, step, found["blow"][row]):
            events.append(event)
            marks.append(mark)
        event_start.append(len(events))
        stops = [int(step[roles == role, columns.STOP].max()) for role in (0, 1)]
        relation = relation_at(stock.pelvis, stock.facing, tables.moves, step, place, max(stops))
        final.append((*relation, (stops[1] - stops[0]) / stock.fps))
    count = len(chosen)
    ours = int((roles == 0).sum())
    parts = np.column_stack([np.full(count, ours), np.full(count, len(roles) - ours)]).reshape(-1)
    move = np.broadcast_to(order, (count, len(order)))[..., None]
    return PatchArrays(
        np.full(count, number, dtype=np.int64),
        found["score"][chosen, 0],
        found["sample"][chosen] / np.array([1.0, 1.0, 1.0, stock.fps]),
        np.array(final, dtype=float).reshape(-1, 4),
        np.concatenate([[0], np.cumsum(parts)]).astype(np.int64),
        np.concatenate([found["step"][chosen][:, order], move], axis=2).reshape(-1, 6),
        found["place"][chosen][:, order].reshape(-1, 3),
        np.array(event_start, dtype=np.int64),
        np.array(events, dtype=np.int64).reshape(-1, 6),
        np.array(marks, dtype=float).reshape(-1, 4),
    )


def _events(
    tables: Tables, step: np.ndarray, blow: np.ndarray
) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """What happens in a patch: touches and the answers to them, and threats that pass."""
    moves = tables.moves
    found: list[tuple[tuple[int, ...], tuple[float, ...]]] = []
    for move, (role, response, threat, *_) in enumerate(moves.tolist()):
        strength, *point = (float(value) for value in blow[move, columns.BLOW_STRENGTH : columns.BLOW_Z + 1])
        tick = int(blow[move, columns.BLOW_TICK])
        if response:
            acting = max(k for k in range(move) if moves[k, columns.ROLE] != role)
            kind = "hit" if moves[acting, columns.THREAT] == columns.STRIKE else "push"
            what, struck = int(blow[move, columns.BLOW_WHAT]), int(blow[move, columns.BLOW_PART])
            found.append(((tick, EVENT_KINDS.index(kind), 1 - role, role, what, struck), (strength, *point)))
            found.append(((tick, EVENT_KINDS.index("response"), role, 1 - role, -1, -1), (strength, *point)))
        elif threat and answer_to(moves, step, move) < 0:
            found.append(
                ((tick, EVENT_KINDS.index("miss"), role, 1 - role, -1, -1), (strength, 0.0, 0.0, 0.0))
            )
    return sorted(found, key=lambda one: one[0][0])
