"""Learning how to approach, and when to prepare: SARSA over the level of preparation (PREPARE section 6)."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.kernels import prepare as kernels
from randori.prepare.controller import Controller, History
from randori.prepare.gaits import Gaits

CHANGED = 0.02  # of the states: when fewer change their choice in a sweep, the policy counts as optimal
MOST_SWEEPS = 400
_STEPS = 40  # of an episode at most
_FARTHEST = 3.6  # metres that a goal is away at most
_SHARED = 0.5  # of the episodes in which goal and source can be one, so many have them so


@dataclass(frozen=True)
class Lessons:
    """How to learn; the paper's numbers."""

    facing: float = 0.1  # weight of -|θ_g|, radians
    approach: float = 0.5  # weight of the way gained towards the goal, metres
    steadiness: float = 0.8  # weight of -(Δα)²
    rate: float = 0.7  # of learning, at first
    discount: float = 0.3
    exploring: float = 0.1  # ε
    slowing: float = 0.1  # by which the rate is divided, per sweep: rate / (1 + slowing × sweep)
    reach: float = 0.3  # metres at which goal and source are met

    @property
    def weights(self) -> np.ndarray:
        return np.array([self.facing, self.approach, self.steadiness])


def train(gaits: Gaits, lessons: Lessons | None = None, seed: int = 1) -> Generator[float, None, Controller]:
    """Learn a controller; yields the share that is done, of what may be needed.

    An episode starts in every state in turn: a sweep. After each the choices are compared with those
    before; the same seed gives the same table.
    """
    lessons = lessons or Lessons()
    states = gaits.postures * kernels.CELLS
    width = int(np.diff(gaits.move_indptr).max()) * kernels.CHOICES
    table = _Table.blank(gaits, np.zeros((states, width)))
    results, before = np.empty((states, 5)), np.full(states, -1, dtype=np.int64)
    random = np.random.default_rng(seed)
    generator = random.integers(1, 2**63, 1).astype(np.uint64)
    returns, reached, changed = [], [], []
    for sweep in range(MOST_SWEEPS):
        rate = lessons.rate / (1.0 + lessons.slowing * sweep)
        order = random.permutation(states)
        _sweep(gaits, lessons, order, table, rate, lessons.exploring, generator, results)
        returns.append(float(results[:, 0].mean()))
        reached.append(float(results[:, 2].mean()))
        changed.append(float(np.mean(table.greedy != before)))
        before[:] = table.greedy
        if changed[-1] < CHANGED:
            break
        yield (sweep + 1) / MOST_SWEEPS
    history = History(np.array(returns), np.array(reached), np.array(changed))
    return Controller(gaits, table.values.astype(np.float32), lessons.reach, history)


def try_out(
    controller: Controller, lessons: Lessons | None = None, episodes: int = 2000, seed: int = 2,
) -> np.ndarray:  # fmt: skip
    """(E, 5) of episodes that follow a controller from states at random.

    The columns: discounted return, plain sum of rewards, whether the goal was met, steps, and the level
    as the source was reached (-1 for never).
    """
    gaits, lessons = controller.gaits, lessons or Lessons()
    random = np.random.default_rng(seed)
    order = random.integers(0, gaits.postures * kernels.CELLS, episodes)
    results = np.empty((episodes, 5))
    generator = random.integers(1, 2**63, 1).astype(np.uint64)
    table = _Table.blank(gaits, controller.values.astype(np.float64))
    _sweep(gaits, lessons, order, table, 0.0, 0.0, generator, results)
    return results


class _Table(NamedTuple):
    """What is being learned."""

    values: np.ndarray  # (S, W)
    greedy: np.ndarray  # (S,) int64, the best choice of each state
    tried: np.ndarray  # (S, W) uint8
    fresh: np.ndarray  # (S,) int64, choices that were never tried

    @classmethod
    def blank(cls, gaits: Gaits, values: np.ndarray) -> "_Table":
        greedy, fresh = (np.empty(len(values), dtype=np.int64) for _ in range(2))
        kernels.prepare_states(values, gaits.move_indptr, greedy, fresh)
        return cls(values, greedy, np.zeros(values.shape, dtype=np.uint8), fresh)


def _sweep(
    gaits: Gaits,
    lessons: Lessons,
    order: np.ndarray,
    table: _Table,
    rate: float,
    exploring: float,
    generator: np.ndarray,
    results: np.ndarray,
) -> None:
    kernels.sweep(
        order, *table, gaits.move_indptr, gaits.move_end, gaits.travel, gaits.posture_heading,
        lessons.weights, rate, lessons.discount, exploring, lessons.reach, _FARTHEST, _SHARED, _STEPS,
        generator, results,
    )  # fmt: skip
