"""Success of a table: the standing targets that are hit, the time it takes, and the least possible time."""

import math
from dataclasses import dataclass, replace

import numpy as np

from randori.errors import RandoriError
from randori.kernels import pursuit
from randori.kernels.pursuit import Bounds, Limits, Target
from randori.policy.arena import AHEAD, make_room, usual_weights
from randori.policy.behaviours import punch
from randori.policy.table import PolicyTable

_RARE_SHARE = 0.02  # of the hitting points on either side: out of an avatar's range
_LONGEST_PURSUIT = 20.0  # seconds after which a target counts as missed
_CELL = 0.06  # metres: places of the target in one cell are one to the search, which may cost a tick or two
_COARSE_CELL = 0.15  # metres, of the cells in which the search knows how long it takes at least
_EXTENT = 3.0  # metres away: an avatar does not go farther from a target within 2 m to hit it
_NODES = 4_000_000  # that may wait in the search


@dataclass(frozen=True, eq=False)
class Trials:
    """Avatars in random states, and a target for each as it is seen."""

    state: np.ndarray  # (N,) int64
    target: np.ndarray  # (N, 3) metres


def draw_trials(
    table: PolicyTable, count: int, seed: int, near: bool = False, rare: float = _RARE_SHARE
) -> Trials:
    """Targets all around within the approach's radius, or `near` ones where punches land.

    Their heights are those at which punches land; a share of these on either side is too `rare` to count.
    """
    random = np.random.default_rng(seed)
    grid = punch(table.model, replace(table.settings, outliers=rare, height_outliers=rare)).grid
    if near:
        distance, angle = (random.uniform(axis[0], axis[1], count) for axis in (grid.distances, grid.angles))
    else:
        distance = table.settings.radius * np.sqrt(random.random(count))
        angle = random.uniform(-math.pi, math.pi, count)
    height = random.uniform(grid.heights[0], grid.heights[1], count)
    target = np.column_stack([distance * np.sin(angle), height, distance * np.cos(angle)])
    return Trials(random.integers(len(table.values), size=count), target)


def pursue(table: PolicyTable, trials: Trials, ahead: int = AHEAD) -> np.ndarray:
    """(N,) seconds until each is hit; infinite for those that are missed."""
    most = round(_LONGEST_PURSUIT * table.model.library.fps)
    usual = usual_weights(table)
    weights = np.array([usual.get(name, 0.0) if name != "evade" else 0.0 for name in table.names])
    room = make_room(table, ahead)
    punching = _punching(table)
    ticks = np.array(
        [
            pursuit.pursue(state, Target(punching, *target), ahead, most, weights, table.hot, room)
            for state, target in zip(trials.state.tolist(), trials.target.tolist())
        ]
    )
    return np.where(ticks < 0, np.inf, ticks / table.model.library.fps)


class Search:
    """The soonest that any sequence of actions hits a standing target, independent of the tables."""

    def __init__(self, table: PolicyTable) -> None:
        self._hot, self._punching = table.hot, _punching(table)
        self._fps = table.model.library.fps
        side = 2 * math.ceil(_EXTENT / _COARSE_CELL)
        least = np.full((len(table.values), side, side), pursuit.NEVER, dtype=np.int64)
        self._bounds = Bounds(_COARSE_CELL, least)
        pursuit.least_hits(self._bounds, self._punching, self._hot)
        changed = np.ones(len(table.values), dtype=bool)
        while pursuit.lower(self._bounds, self._hot, changed):
            pass

    def soonest(self, trials: Trials, known: np.ndarray | None = None) -> np.ndarray:
        """(N,) seconds in which each can be hit at best.

        That is no more than what is `known` (N,) to be possible, nor than what counts as missed: nothing
        that takes longer is looked at.
        """
        bounds = np.full(len(trials.state), _LONGEST_PURSUIT)
        if known is not None:
            bounds = np.minimum(known, bounds)
        bounds = np.rint(bounds * self._fps).astype(int)
        ticks = [
            pursuit.soonest_hit(
                state, Target(self._punching, *target), Limits(bound, _CELL, _NODES), self._bounds, self._hot
            )
            for state, target, bound in zip(trials.state.tolist(), trials.target.tolist(), bounds.tolist())
        ]
        if min(ticks) < 0:
            raise RandoriError(f"the search for the soonest hit needs more than {_NODES:,} places")
        return np.array(ticks) / self._fps


def _punching(table: PolicyTable) -> int:
    if "punch" not in table.names:
        raise RandoriError(f"the table has no punch, only {', '.join(table.names)}")
    return table.names.index("punch")
