"""Patterns as tables for the kernel, and the kernel's work in chunks of a few pairs of first actions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.csr import to_csr
from randori.kernels import patch_tables as records
from randori.kernels import patches as kernels
from randori.kernels.contact import GUARD
from randori.parallel import Arrays
from randori.patches.pattern import STEP_DELAY, STEP_DISTANCE, Annotation, PatchScene, Pattern
from randori.patches.sampling import actions_of, bearings, samples
from randori.patches.stock import MATCHED, Stock, best_answers, build_stock

_CHUNK = 2  # pairs of actions that are expanded at a time
_BLOCK_DEPTH = 0.06  # metres that an arm gives way where it stops a strike
# The results of a chunk besides the tally: the fields of patch_tables.Found.
FOUND = {"steps": records.STEP, "blows": records.BLOW, "ratings": records.RATING, "samples": records.SAMPLE}
_LIMBS = ((3, 4, 5), (9, 10, 11), (6, 7, 8), (12, 13, 14))  # capsules of the arms, then of the legs


class Context(NamedTuple):
    """The data that every chunk needs."""

    stock: Stock
    tables: tuple[records.Pattern, ...]  # one per pattern
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


def _tables(scene: PatchScene, pattern: Pattern, graph: ActionGraph, stock: Stock) -> records.Pattern:
    words = [scene.annotation[move.word] for move in pattern.list]
    starts, options = _options(words, graph, stock)
    answering = list(dict.fromkeys(move.word for move, word in zip(pattern.list, words) if word.response))
    opening = scene.firsts(pattern)
    distance, one, other, delay = scene.ranges(pattern)
    return records.Pattern(
        _moves(pattern, words, answering),
        np.array(opening, dtype=np.int64),
        np.array([words[k].enter or 0.0 for k in opening]),
        starts,
        options,
        _answers([scene.annotation[name] for name in answering], graph, len(stock.pelvis)),
        stock.motions.capsules[[int(words[k].thing != "") for k in opening]],
        _allowed(pattern),
        np.zeros((16, 16)),
        _limits(pattern, stock.fps),
        samples(*distance, STEP_DISTANCE),
        bearings(*one),
        bearings(*other),
        np.rint(samples(*delay, STEP_DELAY) * stock.fps).astype(np.int64),
    )


def _moves(pattern: Pattern, words: Sequence[Annotation], answering: Sequence[str]) -> np.ndarray:
    """(n,) MOVE."""
    threats = {"": records.NO_THREAT, "strike": records.STRIKES, "body": records.WITH_BODY}
    moves = np.zeros(len(words), records.MOVE)
    moves["role"] = [move.role for move in pattern.list]
    moves["response"] = [word.response for word in words]
    moves["threat"] = [threats[word.threat] for word in words]
    moves["defends"] = [word.defends for word in words]
    moves["answers"] = [
        answering.index(move.word) if word.response else 0 for move, word in zip(pattern.list, words)
    ]
    return moves


def _options(words: Sequence[Annotation], graph: ActionGraph, stock: Stock) -> tuple[np.ndarray, np.ndarray]:
    """(n, P + 1) and (K,) int64: the actions that each move can go on with from each posture."""
    starts, options, count = [], [], 0
    for word in words:
        chosen = actions_of(word, graph, word.then)
        chosen = chosen[chosen < stock.people]
        indptr, indices = to_csr(stock.start_posture[chosen], chosen, stock.postures)
        starts.append(indptr + count)
        options.append(indices)
        count += len(indices)
    return np.stack(starts), np.concatenate(options)


def _answers(words: Sequence[Annotation], graph: ActionGraph, frames: int) -> np.ndarray:
    """(W, frames, DIRECTIONS) ANSWER of words that answer; a row without any if there are none."""
    answers = []
    for word in words:
        share = MATCHED if word.enter is None else word.enter
        answers.append(best_answers(graph, actions_of(word, graph), share, frames))
    return np.stack(answers or [np.full((frames, records.DIRECTIONS), -1, records.ANSWER)])


def _limits(pattern: Pattern, fps: float) -> records.Limits:
    weights = pattern.weights
    return records.Limits(
        pattern.nearest,
        pattern.impulse,
        round(pattern.contact_seconds * fps),
        pattern.pass_by,
        pattern.distance,
        pattern.threshold,
        weights.contact,
        weights.relation,
        weights.timing,
    )


def _allowed(pattern: Pattern) -> np.ndarray:
    """(AFTER_STRIKE + 8, 16, 16) metres that capsules of the two may be in each other."""
    allowed = np.full((records.AFTER_STRIKE + 8, 16, 16), pattern.overlap)
    striking, guarding = [k for limb in _LIMBS for k in limb], list(GUARD)
    allowed[records.BLOCKED_BY_SECOND][np.ix_(striking, guarding)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[records.BLOCKED_BY_FIRST][np.ix_(guarding, striking)] = max(_BLOCK_DEPTH, pattern.overlap)
    allowed[records.TOUCHING] = max(pattern.contact_depth, pattern.overlap)
    for number, limb in enumerate(_LIMBS):
        allowed[records.AFTER_STRIKE + number][list(limb)] = pattern.contact_depth
        allowed[records.AFTER_STRIKE + 4 + number][:, list(limb)] = pattern.contact_depth
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
    found = records.make_found(most, moves)
    count = kernels.expand(
        stock.motions, tables, np.array(pairs, dtype=np.int64), each, records.make_path(moves), found
    )
    return {name: getattr(found, name)[:count] for name in FOUND} | {"tally": found.tally}
