"""Learning how to approach, and when to prepare: SARSA over the level of preparation (PREPARE section 6)."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.kernels import prepare as kernels
from randori.prepare.controller import LEVEL_STEP, Controller, History
from randori.prepare.gaits import Gaits

CHANGED = 0.02  # share of the states: when fewer change their choice in a sweep, the policy counts as optimal
_STEPS = 40  # at most, in an episode
_FARTHEST_GOAL = 3.6  # metres that a goal is away at most
_SHARED_GOAL_SHARE = 0.5  # share of the episodes in which goal and source are one, where that is possible


@dataclass(frozen=True)
class Lessons:
    """Settings of the learning; the paper's numbers."""

    facing: float = 0.1  # weight of -|θ_g|, radians
    approach: float = 0.5  # weight of the way gained towards the goal, metres
    steadiness: float = 0.8  # weight of -(Δα)²
    rate: float = 0.7  # of learning, at first
    discount: float = 0.3
    exploring: float = 0.1  # ε
    slowing: float = 0.1  # by which the rate is divided, per sweep: rate / (1 + slowing × sweep)
    reach: float = 0.3  # metres at which goal and source are met
    sweeps: int = 400  # at most
    steepest: int = 1  # levels that one action may rise or fall by
    guided: bool = True  # the controller's rules pass over choices that dawdle, or come too late

    def for_sweep(self, sweep: int) -> kernels.Lessons:
        """The same for the kernel, as they are in one of the sweeps."""
        return kernels.Lessons(
            facing=self.facing,
            approach=self.approach,
            steadiness=self.steadiness,
            rate=self.rate / (1.0 + self.slowing * sweep),
            discount=self.discount,
            exploring=self.exploring,
            reach=self.reach,
            farthest=_FARTHEST_GOAL,
            shared=_SHARED_GOAL_SHARE,
            steps=_STEPS,
            steepest=self.steepest,
        )


# The paper's learning alone: no falling rate, any change of the level, and always the best choice.
# At a constant rate the choices never settle: it stops after as many sweeps as the usual lessons need.
FAITHFUL = Lessons(slowing=0.0, sweeps=100, steepest=kernels.CHOICES, guided=False)


def train(gaits: Gaits, lessons: Lessons | None = None, seed: int = 1) -> Generator[float, None, Controller]:
    """Learn a controller; yields the share of the largest possible work that is done.

    An episode starts in every state in turn: a sweep. After each sweep the choices are compared with the
    previous ones; the same seed gives the same table.
    """
    lessons = lessons or Lessons()
    states = gaits.postures * kernels.CELLS
    width = int(np.diff(gaits.move_indptr).max()) * kernels.CHOICES
    moves, table = _moves(gaits), _blank_table(gaits, np.zeros((states, width)), lessons.steepest)
    results, before = np.empty(states, dtype=kernels.RESULT), np.full(states, -1, dtype=np.int64)
    sights = np.empty(1, dtype=kernels.SIGHT)
    random = np.random.default_rng(seed)
    generator = random.integers(1, 2**63, 1).astype(np.uint64)
    returns, reached, changed = [], [], []
    for sweep in range(lessons.sweeps):
        order = random.permutation(states)
        kernels.sweep(order, moves, lessons.for_sweep(sweep), table, generator, sights, results)
        returns.append(float(results["total"].mean()))
        reached.append(float(results["met"].mean()))
        changed.append(float(np.mean(table.greedy != before)))
        before[:] = table.greedy
        if changed[-1] < CHANGED:
            break
        yield (sweep + 1) / lessons.sweeps
    history = History(np.array(returns), np.array(reached), np.array(changed))
    return Controller(
        gaits, table.values.astype(np.float32), lessons.reach, history, lessons.steepest, lessons.guided
    )


LEARNED, NEVER, ALWAYS = "learned", "never", "always"  # when to prepare


class Trial(NamedTuple):
    """A walker on its way, from far away to a goal that is the source as well."""

    total: float  # sum of the paper's rewards
    discounted: float  # the same, discounted
    reached: bool
    distance: np.ndarray  # (T,) metres to the source before each action
    level: np.ndarray  # (T,) level of preparation of each action, 0 to 1


def try_out(
    controller: Controller,
    lessons: Lessons | None = None,
    trials: int = 500,
    seed: int = 2,
    when: str = LEARNED,
    away: tuple[float, float] = (2.4, _FARTHEST_GOAL),
) -> list[Trial]:
    """Follow a controller from places at random, unprepared at first.

    With `never` or `always`, it makes the best moves at that level.
    """
    gaits, lessons = controller.gaits, lessons or Lessons()
    random = np.random.default_rng(seed)
    found = []
    for _ in range(trials):
        posture = int(random.integers(gaits.postures))
        distance, angle = random.uniform(*away), random.uniform(-np.pi, np.pi)
        sights = np.empty(1, dtype=kernels.SIGHT)
        sights["goal_x"] = sights["source_x"] = distance * np.sin(angle)
        sights["goal_z"] = sights["source_z"] = distance * np.cos(angle)
        found.append(_try_once(controller, lessons, posture, sights, when))
    return found


def _try_once(controller: Controller, lessons: Lessons, posture: int, sights: np.ndarray, when: str) -> Trial:
    """One way; sights (1,) kernels.SIGHT are where goal and source are, and change."""
    gaits, moves, rules, sight = controller.gaits, _moves(controller.gaits), lessons.for_sweep(0), sights[0]
    wanted = {LEARNED: None, NEVER: 0, ALWAYS: kernels.CHOICES - 1}[when]
    level, met = wanted or 0, False
    rewards: list[float] = []
    distances, levels = [], []
    while not met and len(rewards) < 2 * _STEPS:
        distance = float(np.hypot(sight["goal_x"], sight["goal_z"]))
        angle = float(np.arctan2(sight["goal_x"], sight["goal_z"]) - gaits.posture_heading[posture])
        move, chosen = _choice(controller, posture, level, (distance, angle), wanted)
        reward, after, met = kernels.perform(moves, rules, move, chosen, level, sight)
        rewards.append(reward)
        distances.append(distance)
        levels.append(chosen * LEVEL_STEP)
        # a walker that never or always prepares is forced like any other, and continues as before
        posture, level = int(gaits.move_end[move]), after if wanted is None else wanted
    worth = np.array(rewards)
    discounted = float(np.sum(worth * lessons.discount ** np.arange(len(worth))))
    return Trial(float(worth.sum()), discounted, bool(met), np.array(distances), np.array(levels))


def _choice(
    controller: Controller, posture: int, level: int, goal: tuple[float, float], wanted: int | None
) -> tuple[int, int]:
    """The controller's choice, or its best move at the wanted level."""
    if wanted is None:
        return controller.choose(posture, level, goal, goal)
    return next(one for one in controller.rank(posture, level, goal, goal) if one[1] == wanted)


def _moves(gaits: Gaits) -> kernels.Moves:
    """The moves for the kernel."""
    travel = np.ascontiguousarray(gaits.travel).view(kernels.TRAVEL)[..., 0]
    return kernels.Moves(gaits.move_indptr, gaits.move_end, travel, gaits.posture_heading)


def _blank_table(gaits: Gaits, values: np.ndarray, steepest: int) -> kernels.Table:
    """A table of values (S, W) in which no choice was tried."""
    greedy, fresh = (np.empty(len(values), dtype=np.int64) for _ in range(2))
    kernels.prepare_states(values, gaits.move_indptr, steepest, greedy, fresh)
    return kernels.Table(values, greedy, np.zeros(values.shape, dtype=np.uint8), fresh)
