"""What was learned: in every state the move to make and the level of preparation to make it at."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, hypot, pi, sin

import numpy as np

from randori.kernels import prepare as kernels
from randori.kernels.angles import wrap_angle
from randori.prepare.gaits import Gaits

LEVEL_STEP = 1.0 / (kernels.LEVELS - 1)
NOTHING_NEAR = kernels.SOURCE_DISTANCES * kernels.DISTANCE_STEP  # metres, of a source that is not there
_ROUND = 0.4  # metres that a turn of a radian towards the goal is worth
_TURNED_AWAY = 5.0 * pi / 12.0  # radians: who is farther round turns to a source before he prepares for it
_BRISK = 0.8  # of what the best choice brings him on by: what brings less is dawdling


@dataclass(frozen=True, eq=False)
class History:
    """How learning went, sweep by sweep."""

    returns: np.ndarray  # (N,) mean discounted return of an episode
    reached: np.ndarray  # (N,) share of the episodes that met their goal
    changed: np.ndarray  # (N,) share of the states whose best choice changed


@dataclass(frozen=True, eq=False)
class Controller:
    """A table over states, and how to read it."""

    gaits: Gaits
    values: np.ndarray  # (S, W) float32, what a choice is worth; choice = slot of the move × CHOICES + level
    reach: float  # metres at which goal and source count as met
    history: History
    steepest: int = 1  # levels that one action may rise or fall by
    guided: bool = True  # by the rules of `choose`; else the best choice is taken, as in the paper

    def rank(
        self,
        posture: int,
        level: int,
        goal: tuple[float, float],  # metres away, radians from where it heads
        source: tuple[float, float] = (NOTHING_NEAR, 0.0),
    ) -> list[tuple[int, int]]:
        """(move, level) of every choice there is, the best first."""
        state = kernels.cell(posture, level, *goal, *source)
        first, last = self.gaits.move_indptr[posture], self.gaits.move_indptr[posture + 1]
        worth = self.values[state, : (last - first) * kernels.CHOICES].astype(float)
        steep = np.abs(np.arange(len(worth)) % kernels.CHOICES - level) > self.steepest
        # from level 1 nothing is in reach but the highest that can be chosen
        if steep.all():
            steep = np.arange(len(worth)) % kernels.CHOICES < kernels.CHOICES - 1
        worth[steep] = -np.inf
        order = np.argsort(-worth, kind="stable")[: int((~steep).sum())]
        return [(int(first + choice // kernels.CHOICES), int(choice % kernels.CHOICES)) for choice in order]

    def choose(
        self,
        posture: int,
        level: int,
        goal: tuple[float, float],
        source: tuple[float, float] = (NOTHING_NEAR, 0.0),
        allowed: Callable[[int, int], bool] | None = None,
    ) -> tuple[int, int]:
        """The best (move, level) that leads on, and leaves room to be ready on arrival.

        What is not allowed is chosen only if nothing else is there.

        Near a source learning sees little difference between arriving and dawdling, as arriving has its
        price: of the choices that bring somebody nearer to his goal, or round to it, about as far as any
        does, the one that was learned as best is taken. It also sees too little of the price of arriving
        unprepared: what would make the level jump at the source is passed over.
        """
        ranked = self.rank(posture, level, goal, source)
        if allowed is not None:
            ranked = [one for one in ranked if allowed(*one)] or ranked
        if not self.guided:
            return ranked[0]
        able = [one for one in ranked if self._in_time(posture, one, *source)]
        nearer = 1.0  # of the way towards the goal that counts
        if source[0] >= NOTHING_NEAR or abs(wrap_angle(source[1])) > _TURNED_AWAY:
            # nobody prepares for what is far away; who is turned away turns first: prepared, nobody turns far
            nearer = 1.0 if able else 0.0
            lowest = min(one[1] for one in able or ranked)
            able = [one for one in able or ranked if one[1] == lowest]
        elif not able:
            highest = max(one[1] for one in ranked)
            able = [one for one in ranked if one[1] == highest]
        # who is prepared goes less far: that is not dawdling
        worth = [self._progress(posture, one, *goal, nearer) / (1.0 - one[1] * LEVEL_STEP) for one in able]
        brisk = max(worth) - (1.0 - _BRISK) * abs(max(worth))
        return next(one for one, gained in zip(able, worth) if gained >= brisk)

    def _in_time(self, posture: int, choice: tuple[int, int], distance: float, angle: float) -> bool:
        """Whether the level can still rise step by step to the highest before the source is reached."""
        x, z, _ = self._after(posture, choice, distance, angle)
        left = hypot(x, z) - self.reach
        rising = range(choice[1] + 1, kernels.CHOICES - 1)
        needed = self._stride * sum(1.0 - level * LEVEL_STEP for level in rising)
        return choice[1] >= kernels.CHOICES - 1 or left > needed

    @cached_property
    def _stride(self) -> float:
        """Metres that a long move goes, unprepared."""
        going = self.gaits.travel[: self.gaits.move_indptr[-1], 0, :2]
        return float(np.percentile(np.linalg.norm(going, axis=1), 90))

    def _progress(
        self, posture: int, choice: tuple[int, int], distance: float, angle: float, nearer: float
    ) -> float:
        """Metres that a choice brings somebody on: nearer, and round to his goal."""
        x, z, turned = self._after(posture, choice, distance, angle)
        round_it = abs(wrap_angle(angle)) - abs(wrap_angle(atan2(x, z) - turned))
        return nearer * (distance - hypot(x, z)) + _ROUND * round_it

    def _after(
        self, posture: int, choice: tuple[int, int], distance: float, angle: float
    ) -> tuple[float, float, float]:
        """Where a place is after a choice: metres aside and ahead, and where somebody heads then, radians."""
        gaits, (move, level) = self.gaits, choice
        dx, dz, turn = gaits.travel[move, level].tolist()
        across = angle + float(gaits.posture_heading[posture])
        heading = turn + float(gaits.posture_heading[gaits.move_end[move]])
        return distance * sin(across) - dx, distance * cos(across) - dz, heading

    def report(self) -> dict[str, object]:
        """On what it stands, and how learning went."""
        history = self.history
        return {
            "postures": self.gaits.postures,
            "moves": int(self.gaits.move_indptr[-1]),
            "states": len(self.values),
            "size (MB)": round(self.values.nbytes / 1e6, 2),
            "sweeps": len(history.returns),
            "return at first and last": [round(float(history.returns[k]), 3) for k in (0, -1)],
            "goals reached in the last sweep": round(float(history.reached[-1]), 4),
            "states that changed in it": round(float(history.changed[-1]), 4),
        }
