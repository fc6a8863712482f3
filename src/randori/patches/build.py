"""Working out the patches of a scene: sampling, expanding, choosing, putting them together.

The work is cut into chunks of a few pairs of first actions; see parallel.py for where they run.
"""

import time
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
from randori.patches.library import EVENT_KINDS, PatchArrays, PatchLibrary, fingerprint
from randori.patches.mouse import TURNS
from randori.patches.pattern import (
    STEP_ANGLE,
    STEP_DELAY,
    STEP_DISTANCE,
    Annotation,
    PatchScene,
    Pattern,
)
from randori.patches.stock import MASSES, Stock, best_answers, build_stock
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


def actions_of(annotation: Annotation, graph: ActionGraph) -> np.ndarray:
    """The actions that a word stands for: all, or as many as wanted, spread over all names there are."""
    library = graph.library
    if annotation.thing:
        return len(library) + np.arange(len(TURNS))
    fitting = [
        action
        for action, tags in enumerate(library.tags)
        if graph.start_posture[action] >= 0
        and library.durations[action] <= annotation.longest
        and any(wanted.fits(tags) for wanted in annotation.actions)
    ]
    fitting.sort(key=lambda action: (library.tags[action].name, library.tags[action].direction, action))
    if len(fitting) > annotation.most:
        fitting = [fitting[k * len(fitting) // annotation.most] for k in range(annotation.most)]
    return np.array(fitting, dtype=np.int64)


def samples(low: float, high: float, step: float) -> np.ndarray:
    """Evenly spaced numbers of a range, its middle among them or as far from both neighbours."""
    count = int((high - low) / step + 1e-9)
    return 0.5 * (low + high) + step * (np.arange(count + 1) - 0.5 * count)


def _bearings(low: float, high: float) -> np.ndarray:
    angles = samples(low, high, STEP_ANGLE)
    if high - low >= 360.0 - 1e-9:
        angles = angles[:-1]  # the last one is the first one
    return np.deg2rad(angles)


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
    answers = [best_answers(graph, actions_of(scene.annotation[word], graph), frames) for word in answering]
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
        np.array([words[k].enter for k in opening]),
        samples(*distance, STEP_DISTANCE),
        _bearings(*one),
        _bearings(*other),
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
    begun = time.perf_counter()
    yield 0.0
    context, chunks = build_context(scene, graph)
    results = yield from part(
        mapping(expand_chunk, context, chunks, workers, processes, cluster, folder), 0.02, 0.9
    )
    seconds = time.perf_counter() - begun
    chosen, report = [], []
    for number, pattern in enumerate(scene.pattern):
        found = _gather([one for one, chunk in zip(results, chunks) if chunk.pattern == number])
        rows = choose(found, scene.firsts(pattern), pattern.keep)
        chosen.append({name: array[rows] for name, array in found.items() if name != "tally"})
        report.append(_report(pattern, found["tally"], len(found["score"]), len(rows)))
    arrays = _put_together(scene, context, chosen)
    total = {"seconds": round(seconds, 2), "patterns": report}
    return PatchLibrary(scene, text, fingerprint(graph.library), arrays, report=total)


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


def _put_together(scene: PatchScene, context: Context, chosen: Sequence[Arrays]) -> PatchArrays:
    """All patches of all patterns in one record of arrays."""
    stock = context.stock
    patterns, scores, initial, final = [], [], [], []
    steps, places, step_start = [], [], [0]
    events, marks, event_start = [], [], [0]
    for number, (tables, found) in enumerate(zip(context.tables, chosen)):
        roles = tables.moves[:, kernels.ROLE]
        for row in range(len(found["score"])):
            step, place, blow = found["step"][row], found["place"][row], found["blow"][row]
            for role in (0, 1):
                for move in np.flatnonzero(roles == role):
                    steps.append((*step[move], move))
                    places.append(place[move])
                step_start.append(len(steps))
            for event, mark in _events(tables, step, blow):
                events.append(event)
                marks.append(mark)
            event_start.append(len(events))
            patterns.append(number)
            scores.append(found["score"][row, 0])
            initial.append((*found["sample"][row, :3], found["sample"][row, 3] / stock.fps))
            stops = [int(step[roles == role, kernels.STOP].max()) for role in (0, 1)]
            relation = kernels.relation_at(stock.pelvis, stock.facing, tables.moves, step, place, max(stops))
            final.append((*relation, (stops[1] - stops[0]) / stock.fps))
    return PatchArrays(
        np.array(patterns, dtype=np.int64),
        np.array(scores, dtype=float),
        np.array(initial, dtype=float).reshape(-1, 4),
        np.array(final, dtype=float).reshape(-1, 4),
        np.array(step_start, dtype=np.int64),
        np.array(steps, dtype=np.int64).reshape(-1, 6),
        np.array(places, dtype=float).reshape(-1, 3),
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
