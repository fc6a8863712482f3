"""Working out the patches of a scene: sampling, expanding, choosing, putting them together.

The work is cut into chunks of a few pairs of first actions; see parallel.py for where they run.
"""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.csr import to_csr
from randori.kernels import patches as kernels
from randori.kernels.contact import GUARD
from randori.parallel import Arrays, mapping
from randori.patches.handing import handing_patches
from randori.patches.library import EVENT_KINDS, PatchArrays, PatchLibrary, concatenate, fingerprint
from randori.patches.pattern import STEP_DELAY, STEP_DISTANCE, PatchScene, Pattern
from randori.patches.sampling import actions_of, bearings, samples
from randori.patches.stock import MASSES, MATCHED, Stock, best_answers, build_stock
from randori.work import part

_CHUNK = 2  # pairs of actions that are expanded at a time
_BLOCK_DEPTH = 0.06  # metres that an arm gives way where it stops a strike
_LIMBS = ((3, 4, 5), (9, 10, 11), (6, 7, 8), (12, 13, 14))  # capsules of the arms, then of the legs
REASONS = {
    kernels.ORDER: "another order",
    kernels.CLOSE: "too close",
    kernels.COLLISION: "collision",
    kernels.STRUCK: "struck unintended",
    kernels.NO_CONTACT: "no contact",
    kernels.LATE: "contact too late",
    kernels.DEAD_END: "nothing follows",
    kernels.POOR: "low score",
}


class Tables(NamedTuple):
    """A pattern, as the kernel wants it."""

    halves: np.ndarray  # (2, 16) of the two roles
    radii: np.ndarray  # (2, 16)
    moves: np.ndarray  # (n, 6) int64
    option_start: np.ndarray  # (n, P + 1) int64
    options: np.ndarray  # (K,) int64
    answer_action: np.ndarray  # (W, F, 8) int64
    answer_first: np.ndarray  # (W, F, 8) int64
    opening: np.ndarray  # (2,) int64
    enter: np.ndarray  # (2,)
    distances: np.ndarray  # (R,) metres
    first_bearings: np.ndarray  # (B,) radians
    second_bearings: np.ndarray  # (C,)
    delays: np.ndarray  # (D,) int64, ticks
    allowed: np.ndarray  # (12, 16, 16) metres
    limits: np.ndarray  # (11,)


class Context(NamedTuple):
    """What every chunk needs."""

    stock: Stock
    tables: tuple[Tables, ...]  # of each pattern
    each: tuple[int, ...]


class Chunk(NamedTuple):
    """Some pairs of first actions of one pattern."""

    pattern: int
    pairs: tuple[tuple[int, int], ...]


def build_context(scene: PatchScene, graph: ActionGraph) -> tuple[Context, list[Chunk]]:
    """Everything that chunks need, and the chunks."""
    stock = build_stock(graph)
    tables = tuple(_tables(scene, pattern, graph, stock) for pattern in scene.pattern)
    chunks = []
    for number, pattern in enumerate(scene.pattern):
        if scene.hands_over(pattern):
            continue
        one, other = (
            actions_of(scene.annotation[pattern.list[k].word], graph) for k in scene.firsts(pattern)
        )
        pairs = [(int(a), int(b)) for a in one for b in other]
        if not pairs:
            raise RandoriError(f"{scene.name}: the motions have nothing to begin {pattern.title!r} with")
        chunks += [
            Chunk(number, tuple(pairs[start : start + _CHUNK])) for start in range(0, len(pairs), _CHUNK)
        ]
    return Context(stock, tables, tuple(pattern.each for pattern in scene.pattern)), chunks


def _tables(scene: PatchScene, pattern: Pattern, graph: ActionGraph, stock: Stock) -> Tables:
    moves = pattern.list
    words = [scene.annotation[move.word] for move in moves]
    threats = {"": 0, "strike": kernels.STRIKE, "body": kernels.BODY}
    answering = list(dict.fromkeys(move.word for move, word in zip(moves, words) if word.response))
    rows = np.array(
        [
            (
                move.role,
                word.response,
                threats[word.threat],
                answering.index(move.word) if word.response else 0,
                word.defends,
                number,
            )
            for number, (move, word) in enumerate(zip(moves, words))
        ],
        dtype=np.int64,
    )
    starts, options, count = [], [], 0
    for word in words:
        chosen = actions_of(word, graph)
        chosen = chosen[chosen < stock.people]
        indptr, indices = to_csr(stock.start_posture[chosen], chosen, stock.postures)
        starts.append(indptr + count)
        options.append(indices)
        count += len(indices)
    frames = len(stock.pelvis)
    answers = []
    for name in answering:
        word = scene.annotation[name]
        share = MATCHED if word.enter is None else word.enter
        answers.append(best_answers(graph, actions_of(word, graph), share, frames))
    if not answers:
        answers = [(np.full((frames, kernels.DIRECTIONS), -1, dtype=np.int64),) * 2]
    opening = scene.firsts(pattern)
    things = [int(words[k].thing != "") for k in opening]
    distance, one, other, delay = scene.ranges(pattern)
    return Tables(
        stock.halves[things],
        stock.radii[things],
        rows,
        np.stack(starts),
        np.concatenate(options),
        np.stack([action for action, _ in answers]),
        np.stack([first for _, first in answers]),
        np.array(opening, dtype=np.int64),
        np.array([words[k].enter or 0.0 for k in opening]),
        samples(*distance, STEP_DISTANCE),
        bearings(*one),
        bearings(*other),
        np.rint(samples(*delay, STEP_DELAY) * stock.fps).astype(np.int64),
        _allowed(pattern),
        np.array(
            [
                pattern.nearest,
                pattern.impulse,
                round(pattern.contact_seconds * stock.fps),
                pattern.pass_by,
                pattern.distance,
                1.0 / stock.fps,
                pattern.threshold,
                pattern.weights.contact,
                pattern.weights.relation,
                pattern.weights.timing,
                pattern.contact_depth,
            ]
        ),
    )


def _allowed(pattern: Pattern) -> np.ndarray:
    """(12, 16, 16) metres that capsules of the two may be in each other; see kernels/patches.py."""
    allowed = np.full((kernels.AFTER_STRIKE + 8, 16, 16), pattern.overlap)
    striking, guarding = [k for limb in _LIMBS for k in limb], list(GUARD)
    allowed[kernels.BLOCKED_BY_SECOND][np.ix_(striking, guarding)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[kernels.BLOCKED_BY_FIRST][np.ix_(guarding, striking)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[kernels.TOUCHING] = max(pattern.contact_depth, pattern.overlap)
    for number, limb in enumerate(_LIMBS):
        allowed[kernels.AFTER_STRIKE + number][list(limb)] = pattern.contact_depth
        allowed[kernels.AFTER_STRIKE + 4 + number][:, list(limb)] = pattern.contact_depth
    return allowed


def expand_chunk(context: Context, chunk: Chunk) -> Arrays:
    """The patches that begin with some pairs of actions."""
    stock, tables, each = context.stock, context.tables[chunk.pattern], context.each[chunk.pattern]
    moves = len(tables.moves)
    most = len(chunk.pairs) * len(tables.first_bearings) * len(tables.second_bearings) * each
    step, place = np.zeros((most, moves, 5), dtype=np.int64), np.zeros((most, moves, 3))
    blow, score, sample = np.zeros((most, moves, 9)), np.zeros((most, 4)), np.zeros((most, 4))
    tally = np.zeros(kernels.REASONS, dtype=np.int64)
    count = kernels.expand(
        stock.body, tables.halves, tables.radii, MASSES, stock.pelvis, stock.facing, stock.height,
        stock.reach, stock.entry, stock.leaving, stock.first, stock.stop, stock.end_posture,
        stock.strike_start, stock.strike_frames, stock.strike_capsule, stock.strike_extension,
        tables.moves, tables.option_start, tables.options, tables.answer_action, tables.answer_first,
        tables.opening, tables.enter, tables.distances, tables.first_bearings, tables.second_bearings,
        tables.delays, tables.allowed, np.zeros((16, 16)), tables.limits,
        np.array(chunk.pairs, dtype=np.int64), each, step, place, blow, score, sample, tally,
    )  # fmt: skip
    return {
        "step": step[:count],
        "place": place[:count],
        "blow": blow[:count],
        "score": score[:count],
        "sample": sample[:count],
        "tally": tally,
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
    return PatchLibrary(
        scene, text, fingerprint(graph.library), concatenate(found), report={"patterns": report}
    )


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
    actions = found["step"][:, :, kernels.ACTION]
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
        "candidates": int(tally[kernels.TRIED]),
        "rejected": {word: int(tally[k]) for k, word in REASONS.items() if tally[k]},
        "good": int(tally[kernels.KEPT]),
        "different": found,
        "patches": kept,
    }


def _put_together(context: Context, number: int, found: Arrays, chosen: np.ndarray) -> PatchArrays:
    """The chosen patches of a pattern in one record of arrays."""
    stock, tables = context.stock, context.tables[number]
    roles = tables.moves[:, kernels.ROLE]
    order = np.argsort(roles, kind="stable")  # the first one's moves, then the second's
    events, marks, event_start, final = [], [], [0], []
    for row in chosen:
        step, place = found["step"][row], found["place"][row]
        for event, mark in _events(tables, step, found["blow"][row]):
            events.append(event)
            marks.append(mark)
        event_start.append(len(events))
        stops = [int(step[roles == role, kernels.STOP].max()) for role in (0, 1)]
        relation = kernels.relation_at(stock.pelvis, stock.facing, tables.moves, step, place, max(stops))
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
        strength, *point = (float(value) for value in blow[move, kernels.BLOW_STRENGTH : kernels.BLOW_Z + 1])
        tick = int(blow[move, kernels.BLOW_TICK])
        if response:
            acting = max(k for k in range(move) if moves[k, kernels.ROLE] != role)
            kind = "hit" if moves[acting, kernels.THREAT] == kernels.STRIKE else "push"
            what, struck = int(blow[move, kernels.BLOW_WHAT]), int(blow[move, kernels.BLOW_PART])
            found.append(((tick, EVENT_KINDS.index(kind), 1 - role, role, what, struck), (strength, *point)))
            found.append(((tick, EVENT_KINDS.index("response"), role, 1 - role, -1, -1), (strength, *point)))
        elif threat and kernels.answer_to(moves, step, move) < 0:
            found.append(
                ((tick, EVENT_KINDS.index("miss"), role, 1 - role, -1, -1), (strength, 0.0, 0.0, 0.0))
            )
    return sorted(found, key=lambda one: one[0][0])
