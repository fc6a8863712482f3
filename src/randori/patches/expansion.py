"""Patterns as tables for the kernel, and the kernel's work in chunks of a few pairs of first actions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.csr import to_csr
from randori.kernels import patch_tables as columns
from randori.kernels import patches as kernels
from randori.kernels.contact import GUARD
from randori.parallel import Arrays
from randori.patches.pattern import STEP_DELAY, STEP_DISTANCE, PatchScene, Pattern
from randori.patches.sampling import actions_of, bearings, samples
from randori.patches.stock import MASSES, MATCHED, Stock, best_answers, build_stock

_CHUNK = 2  # pairs of actions that are expanded at a time
_BLOCK_DEPTH = 0.06  # metres that an arm gives way where it stops a strike
_LIMBS = ((3, 4, 5), (9, 10, 11), (6, 7, 8), (12, 13, 14))  # capsules of the arms, then of the legs


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
    limits: np.ndarray  # (10,)


class Context(NamedTuple):
    """What every chunk needs."""

    stock: Stock
    tables: tuple[Tables, ...]  # of each pattern
    each: tuple[int, ...]
    openings: tuple[tuple[np.ndarray, np.ndarray], ...]  # the actions that each pattern can begin with


class Chunk(NamedTuple):
    """Some pairs of first actions of one pattern."""

    pattern: int
    pairs: tuple[tuple[int, int], ...]


def build_context(scene: PatchScene, graph: ActionGraph) -> tuple[Context, list[Chunk]]:
    """Everything that chunks need, and the chunks."""
    stock = build_stock(graph)
    tables = tuple(_tables(scene, pattern, graph, stock) for pattern in scene.pattern)
    chunks, openings = [], []
    for number, pattern in enumerate(scene.pattern):
        words = [scene.annotation[pattern.list[k].word] for k in scene.firsts(pattern)]
        one, other = (actions_of(word, graph, word.most) for word in words)
        openings.append((one, other))
        if scene.hands_over(pattern):
            continue
        pairs = [(int(a), int(b)) for a in one for b in other]
        if not pairs:
            raise RandoriError(f"{scene.name}: the motions have nothing to begin {pattern.title!r} with")
        chunks += [
            Chunk(number, tuple(pairs[start : start + _CHUNK])) for start in range(0, len(pairs), _CHUNK)
        ]
    each = tuple(pattern.each for pattern in scene.pattern)
    return Context(stock, tables, each, tuple(openings)), chunks


def _tables(scene: PatchScene, pattern: Pattern, graph: ActionGraph, stock: Stock) -> Tables:
    moves = pattern.list
    words = [scene.annotation[move.word] for move in moves]
    threats = {"": 0, "strike": columns.STRIKE, "body": columns.BODY}
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
        chosen = actions_of(word, graph, word.then)
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
        answers = [(np.full((frames, columns.DIRECTIONS), -1, dtype=np.int64),) * 2]
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
            ]
        ),
    )


def _allowed(pattern: Pattern) -> np.ndarray:
    """(12, 16, 16) metres that capsules of the two may be in each other; see kernels/patches.py."""
    allowed = np.full((columns.AFTER_STRIKE + 8, 16, 16), pattern.overlap)
    striking, guarding = [k for limb in _LIMBS for k in limb], list(GUARD)
    allowed[columns.BLOCKED_BY_SECOND][np.ix_(striking, guarding)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[columns.BLOCKED_BY_FIRST][np.ix_(guarding, striking)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[columns.TOUCHING] = max(pattern.contact_depth, pattern.overlap)
    for number, limb in enumerate(_LIMBS):
        allowed[columns.AFTER_STRIKE + number][list(limb)] = pattern.contact_depth
        allowed[columns.AFTER_STRIKE + 4 + number][:, list(limb)] = pattern.contact_depth
    return allowed


def expand_chunk(context: Context, chunk: Chunk) -> Arrays:
    """The patches that begin with some pairs of actions, from all samples."""
    return expand_pairs(context, chunk.pattern, chunk.pairs, None, context.each[chunk.pattern])


def expand_pairs(
    context: Context,
    number: int,
    pairs: Sequence[tuple[int, int]],
    sample: np.ndarray | None,  # (4,) metres, radians, radians, ticks: instead of the pattern's own
    each: int,
) -> Arrays:
    """The patches of a pattern that begin with some pairs of actions."""
    stock, tables = context.stock, context.tables[number]
    if sample is not None:
        tables = tables._replace(
            distances=sample[:1],
            first_bearings=sample[1:2],
            second_bearings=sample[2:3],
            delays=sample[3:].astype(np.int64),
        )
    moves = len(tables.moves)
    most = len(pairs) * len(tables.first_bearings) * len(tables.second_bearings) * each
    step, place = np.zeros((most, moves, 5), dtype=np.int64), np.zeros((most, moves, 3))
    blow, score, began = np.zeros((most, moves, 9)), np.zeros((most, 4)), np.zeros((most, 4))
    tally = np.zeros(columns.REASONS, dtype=np.int64)
    count = kernels.expand(
        stock.body, tables.halves, tables.radii, MASSES, stock.pelvis, stock.facing, stock.height,
        stock.reach, stock.entry, stock.leaving, stock.first, stock.stop, stock.end_posture,
        stock.strike_start, stock.strike_frames, stock.strike_capsule, stock.strike_extension,
        tables.moves, tables.option_start, tables.options, tables.answer_action, tables.answer_first,
        tables.opening, tables.enter, tables.distances, tables.first_bearings, tables.second_bearings,
        tables.delays, tables.allowed, np.zeros((16, 16)), tables.limits,
        np.array(pairs, dtype=np.int64), each, step, place, blow, score, began, tally,
    )  # fmt: skip
    return {
        "step": step[:count],
        "place": place[:count],
        "blow": blow[:count],
        "score": score[:count],
        "sample": began[:count],
        "tally": tally,
    }
