"""Value iteration: what every state is worth for every target of a grid, until nothing changes any more.

V(s, e) := max over a of R(s, e, a) + γ^t V(s', e'). Between two of these steps the best actions found so
far are followed for some steps without looking for better ones, which is far cheaper and leads to the
same values (modified policy iteration). The residual is always that of the full step.
"""

import math
import os
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from randori.kernels import policy as kernels
from randori.kernels.places import as_places
from randori.policy.behaviours import Behaviour, Settings
from randori.policy.grid import no_grid
from randori.policy.model import Model

TOLERANCE = 1e-7  # of the largest change of a value: nothing changes any more
_EVALUATION_STEPS = 24  # steps in which the policy is followed between two in which it is improved
_MOST_ROUNDS = 400


class Progress(float):
    """A share that is done, with a few words about it."""

    words: str = ""

    @classmethod
    def of(cls, share: float, words: str) -> "Progress":
        made = cls(share)
        made.words = words
        return made

    def among(self, number: int, count: int) -> "Progress":
        """The share of several pieces of work of which this is one."""
        return Progress.of((number + self) / count, self.words)


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of training one behaviour."""

    values: np.ndarray  # (S, E)
    policy: np.ndarray  # (S, E) int64, the best action
    residual: float  # largest change in the last full step
    rounds: int  # full steps


def discount_per_tick(settings: Settings, fps: float) -> float:
    """-ln γ for one tick: a second is discounted as a second of the paper is, at any rate."""
    return -math.log(settings.discount) * settings.rate / fps


def solving(
    model: Model,
    behaviour: Behaviour,
    settings: Settings,
    threads: int | None = None,
    tolerance: float = TOLERANCE,
    then: np.ndarray | None = None,
) -> Generator[Progress, None, Solution]:
    """Values and policy of a behaviour; yields the share that is done.

    `then` are the values of the behaviour that it leads to, which are found first if they are not given.
    """
    if behaviour.then is not None and then is None:
        first = yield from solving(model, behaviour.then, settings, threads, tolerance)
        then = first.values
    problem = problem_of(model, behaviour, settings)
    shape = (len(problem.indptr) - 1, len(problem.targets))
    values, better, policy = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    corner, share = np.empty((*shape, 4), dtype=np.int64), np.empty((*shape, 4))
    with Crew(threads) as crew:
        rewards = rewards_of(model, behaviour, problem, then, crew)
        begin, residual, rounds = 0.0, math.inf, 0
        while residual > tolerance and rounds < _MOST_ROUNDS:
            rounds += 1
            changes = crew.share_out(shape[0], kernels.improve, (problem, rewards, values, better, policy))
            residual = max(changes)
            values, better = better, values
            begin = begin or residual
            yield Progress.of(_done(residual, begin, tolerance), f"{behaviour.name}: residual {residual:.1e}")
            if residual <= tolerance:
                break
            crew.share_out(shape[0], kernels.follow, (problem, policy, corner, share))
            for _ in range(_EVALUATION_STEPS):
                given = (rewards, policy, corner, share, values.reshape(-1), better)
                crew.share_out(shape[0], kernels.evaluate, given)
                values, better = better, values
    return Solution(values, policy, residual, rounds)


def _done(residual: float, first: float, tolerance: float) -> float:
    """The share of the way from the first residual to the tolerance, in powers of ten."""
    if first <= tolerance:
        return 1.0
    return min(max(math.log(first / max(residual, tolerance)) / math.log(first / tolerance), 0.0), 1.0)


class Crew:
    """Threads that share out a range. Outputs are their own, results come in the order of the parts."""

    def __init__(self, threads: int | None) -> None:
        self._workers = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._workers)

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def share_out(self, count: int, work: Callable[..., Any], rest: tuple[Any, ...]) -> list[Any]:
        """The results of `work(low, high, *rest)` for parts of the range up to `count`."""
        edges = [count * part // self._workers for part in range(self._workers + 1)]
        return list(self._pool.map(lambda part: work(*part, *rest), pairwise(edges)))


def problem_of(model: Model, behaviour: Behaviour, settings: Settings) -> kernels.Problem:
    """The problem to learn, for kernels."""
    moves, then = model.moves, behaviour.then
    actions = np.empty(len(moves.goal), kernels.ACTION)
    actions["goal"], actions["ticks"], actions["move"] = moves.goal, moves.ticks, as_places(moves.move)
    grids = np.stack([behaviour.grid.record(), then.grid.record() if then is not None else no_grid()])
    discount = discount_per_tick(settings, model.library.fps)
    return kernels.Problem(moves.indptr, actions, behaviour.grid.points, grids, discount)


def rewards_of(
    model: Model, behaviour: Behaviour, problem: kernels.Problem, then: np.ndarray | None, crew: Crew
) -> np.ndarray:
    """(A, E) R(s, e, a): the best moment of an action, or what the behaviour that it leads to is worth."""
    rewards = np.empty((len(problem.actions), len(problem.targets)))
    if behaviour.then is not None:
        crew.share_out(len(rewards), kernels.fill_arrivals, (problem, then, rewards))
        return rewards
    moments = model.moments(behaviour.marks, problem.discount)
    given = (moments.indptr, moments.records(), behaviour.record()[None], problem.targets, rewards)
    crew.share_out(len(rewards), kernels.fill_rewards, given)
    return rewards
