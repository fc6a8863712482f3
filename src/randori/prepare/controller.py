"""The learned controller: for every state, the next move and its level of preparation."""

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
_TURN_WORTH = 0.4  # metres that a turn of a radian towards the goal is worth
# radians: a walker that is farther round turns to a source before it prepares for it
_TURN_FIRST_ANGLE = 5.0 * pi / 12.0
_BRISK_SHARE = 0.8  # share of the best choice's progress: a choice with less dawdles


@dataclass(frozen=True, eq=False)
class History:
    """The progress of learning, sweep by sweep."""

    returns: np.ndarray  # (N,) mean discounted return of an episode
    reached: np.ndarray  # (N,) share of the episodes that met their goal
    changed: np.ndarray  # (N,) share of the states whose best choice changed


@dataclass(frozen=True, eq=False)
class Controller:
    """A table over states, and how to read it."""

    gaits: Gaits
    values: np.ndarray  # (S, W) float32, the value of a choice; choice = slot of the move × CHOICES + level
    reach: float  # metres at which goal and source count as met
    history: History
    steepest: int = 1  # levels that one action may rise or fall by
    guided: bool = True  # by the rules of `choose`; otherwise the best choice is taken, as in the paper

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
        # from level 1, only the highest level that can be chosen is in reach
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

        A choice that is not allowed is taken only if there is no other.

        Near a source, learning sees little difference between arriving and dawdling, because arriving has its
        price. So only choices count that bring the walker nearer to its goal, or round to it, about as far as
        any does; the best of them is taken. Learning also sees too little of the price of arriving
        unprepared: a choice that would make the level jump at the source is left out.
        """
        ranked = self.rank(posture, level, goal, source)
        if allowed is not None:
            ranked = [one for one in ranked if allowed(*one)] or ranked
        if not self.guided:
            return ranked[0]
        able = [one for one in ranked if self._in_time(posture, one, *source)]
        nearer = 1.0  # share of the way towards the goal that counts
        if source[0] >= NOTHING_NEAR or abs(wrap_angle(source[1])) > _TURN_FIRST_ANGLE:
            # no walker prepares for a distant source; one that is turned away turns first, because prepared
            # turns are small
            nearer = 1.0 if able else 0.0
            lowest = min(one[1] for one in able or ranked)
            able = [one for one in able or ranked if one[1] == lowest]
        elif not able:
            highest = max(one[1] for one in ranked)
            able = [one for one in ranked if one[1] == highest]
        # a prepared walker goes less far: that is not dawdling
        worth = [self._progress(posture, one, *goal, nearer) / (1.0 - one[1] * LEVEL_STEP) for one in able]
        brisk = max(worth) - (1.0 - _BRISK_SHARE) * abs(max(worth))
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
        """Metres by which a choice brings a walker on: nearer, and round to its goal."""
        x, z, turned = self._after(posture, choice, distance, angle)
        round_it = abs(wrap_angle(angle)) - abs(wrap_angle(atan2(x, z) - turned))
        return nearer * (distance - hypot(x, z)) + _TURN_WORTH * round_it

    def _after(
        self, posture: int, choice: tuple[int, int], distance: float, angle: float
    ) -> tuple[float, float, float]:
        """A place after a choice: metres aside and ahead, and the new heading in radians."""
        gaits, (move, level) = self.gaits, choice
        dx, dz, turn = gaits.travel[move, level].tolist()
        across = angle + float(gaits.posture_heading[posture])
        heading = turn + float(gaits.posture_heading[gaits.move_end[move]])
        return distance * sin(across) - dx, distance * cos(across) - dz, heading

    def report(self) -> dict[str, object]:
        """The gaits it is for, and how learning went."""
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
