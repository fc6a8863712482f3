"""More patches that begin exactly where others end, so that a pair can go straight on.

Sampled beginnings hardly ever meet the ends of other patches. So the patterns are expanded once more, this
time from the ends: from the distance, bearings and delay in which a patch leaves the pair, for all actions
that can follow in their postures.
"""

from collections.abc import Generator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori.graph.places import compose, inverse
from randori.kernels import patch_tables as records
from randori.parallel import Arrays, mapping
from randori.patches.expansion import FOUND, Context, expand_pairs
from randori.patches.library import PatchArrays
from randori.patches.pattern import PatchScene
from randori.patches.stock import Stock, relation

EACH = 3  # patches at most that follow on the end of another with a pattern and roles
_CHUNK = 16  # patches


class ChainContext(NamedTuple):
    """The data that every chunk needs."""

    context: Context
    arrays: PatchArrays
    ranges: tuple[np.ndarray, ...]  # (4, 2) of each pattern: metres, radians, radians, ticks
    openings: tuple[tuple[np.ndarray, np.ndarray], ...]  # the actions that each pattern can begin with


def chain_context(scene: PatchScene, context: Context, arrays: PatchArrays) -> ChainContext:
    """The data needed to continue after patches."""
    ranges = []
    for pattern in scene.pattern:
        distance, one, other, delay = (np.array(limits) for limits in scene.ranges(pattern))
        ranges.append(np.stack([distance, np.deg2rad(one), np.deg2rad(other), delay * context.stock.fps]))
    return ChainContext(context, arrays, tuple(ranges), context.openings)


def chain_chunk(chain: ChainContext, chunk: tuple[int, int]) -> Arrays:
    """All patches that continue given patches, as rows like those of `expand_pairs`, by pattern."""
    stock, arrays = chain.context.stock, chain.arrays
    found: dict[int, list[Arrays]] = {number: [] for number in range(len(chain.openings))}
    tallies = np.zeros((len(chain.openings), records.REASONS), dtype=np.int64)
    for patch in range(*chunk):
        lasts = [int(arrays.step_start[2 * patch + role + 1]) - 1 for role in (0, 1)]
        for number, change in product(range(len(chain.openings)), (0, 1)):
            ends = lasts[::-1] if change else lasts  # of the next first and second character
            rows = []
            for pair in _pairs(stock, arrays, ends, chain.openings[number]):
                sample = _sample(stock, arrays, ends, pair)
                low, high = chain.ranges[number].T
                tallies[number, records.TRIED] += 1
                if (sample < low - 1e-9).any() or (sample > high + 1e-9).any():
                    tallies[number, records.CLOSE] += 1
                    continue
                one = expand_pairs(chain.context, number, (pair,), sample, each=1)
                tallies[number] += one["tally"]
                tallies[number, records.TRIED] -= 1  # the same one
                rows.append(one)
            if rows:
                found[number].append(_best(rows, EACH))
    result: Arrays = {"tally": tallies}
    for number, some in found.items():
        moves = len(chain.context.tables[number].moves)
        for name, kind in FOUND.items():
            empty = np.zeros((0, moves) if name in ("steps", "blows") else 0, kind)
            result[f"{number} {name}"] = np.concatenate([empty, *(one[name] for one in some)])
    return result


def _pairs(
    stock: Stock, arrays: PatchArrays, ends: Sequence[int], openings: tuple[np.ndarray, np.ndarray]
) -> list[tuple[int, int]]:
    """The pairs of first actions that can follow on the last steps of the two."""
    fits = []
    for end, actions in zip(ends, openings):
        posture = stock.end_posture[arrays.step["action"][end]]
        fits.append([int(a) for a in actions if posture >= 0 and stock.start_posture[a] == posture])
    return [(one, other) for one in fits[0] for other in fits[1]]


def _sample(stock: Stock, arrays: PatchArrays, ends: Sequence[int], pair: tuple[int, int]) -> np.ndarray:
    """(4,) metres, radians, radians, ticks: how the two stand to each other if they go on with these."""
    frames, places = [], []
    for end, action in zip(ends, pair):
        posture = compose(stock.leaving[[arrays.step["action"][end]]], arrays.place[[end]])
        places.append(compose(inverse(stock.entry[[action]]), posture)[0])
        frames.append(int(stock.first[action]))
    delay = arrays.step["stop"][ends[1]] - arrays.step["stop"][ends[0]]
    return np.array([*relation(stock, np.array(frames), np.array(places)), delay])


def _best(rows: Sequence[Arrays], most: int) -> Arrays:
    together = {name: np.concatenate([one[name] for one in rows]) for name in FOUND}
    order = np.argsort(-together["ratings"]["score"], kind="stable")[:most]
    return {name: array[order] for name, array in together.items()}


def chaining(
    scene: PatchScene,
    context: Context,
    arrays: PatchArrays,
    workers: int | None = None,
    processes: bool = False,
    cluster: str | None = None,
    folder: Path | None = None,
) -> Generator[float, None, list[Arrays]]:
    """For each pattern, the patches that begin where others end; yields the share that is done."""
    chain = chain_context(scene, context, arrays)
    count = len(arrays.pattern)
    chunks = [(first, min(first + _CHUNK, count)) for first in range(0, count, _CHUNK)]
    results = yield from mapping(chain_chunk, chain, chunks, workers, processes, cluster, folder)
    gathered = []
    for number in range(len(scene.pattern)):
        rows = {
            name: np.concatenate([one[f"{number} {name}"] for one in results]).astype(kind)
            for name, kind in FOUND.items()
        }
        rows["tally"] = np.sum([one["tally"][number] for one in results], axis=0)
        gathered.append(rows)
    return gathered
