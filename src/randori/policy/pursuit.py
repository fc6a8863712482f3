"""How well a table does: standing targets, how many are hit and how soon, and how soon they could be."""

import math
from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.kernels import pursuit
from randori.policy.arena import AHEAD, WEIGHTS, Room, make_room
from randori.policy.table import PolicyTable

_LONGEST = 20.0  # seconds after which a target counts as missed
_CELL = 0.06  # metres: two places of the target that are nearer are one to the search
_NODES = 4_000_000  # that may wait in the search
_FAST = 0.99  # of the actions are slower than what the search expects of a way to the target


@dataclass(frozen=True, eq=False)
class Trials:
    """Avatars in random states, and a target for each as it is seen."""

    state: np.ndarray  # (N,) int64
    target: np.ndarray  # (N, 3) metres


def draw_trials(table: PolicyTable, count: int, seed: int, near: bool = False) -> Trials:
    """Targets all around within the approach's radius, or `near` ones in the volume of the punch.

    Their heights are those of the volume.
    """
    random = np.random.default_rng(seed)
    grid = table.behaviours[_punching(table)].grid
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
    most = round(_LONGEST * table.model.library.fps)
    weights = np.array([WEIGHTS.get(name, 0.0) if name != "evade" else 0.0 for name in table.names])
    room: Room = make_room(table)
    punching = _punching(table)
    ticks = np.array(
        [
            pursuit.pursue(state, *target, ahead, most, punching, weights, table.hot, room)
            for state, target in zip(trials.state.tolist(), trials.target.tolist())
        ]
    )
    return np.where(ticks < 0, np.inf, ticks / table.model.library.fps)


def soonest(table: PolicyTable, trials: Trials, known: np.ndarray) -> np.ndarray:
    """(N,) seconds in which each can be hit at best: a search of the graph, no later than is `known`."""
    hot, punching = table.hot, _punching(table)
    points = hot.point[hot.moment_start[punching, 0] : hot.moment_start[punching, -1]]
    farthest = float(np.hypot(points[:, 0], points[:, 2]).max()) + float(hot.scale[punching])
    fastest = float(np.quantile(np.hypot(hot.move[:, 0], hot.move[:, 1]) / hot.ticks, _FAST))
    fps = table.model.library.fps
    ticks = [
        pursuit.soonest_hit(state, *target, math.ceil(bound), _CELL, farthest, fastest, punching, hot, _NODES)
        for state, target, bound in zip(
            trials.state.tolist(), trials.target.tolist(), (np.minimum(known, _LONGEST) * fps).tolist()
        )
    ]
    return np.array(ticks) / fps


def _punching(table: PolicyTable) -> int:
    if "punch" not in table.names:
        raise RandoriError(f"the table has no punch, only {', '.join(table.names)}")
    return table.names.index("punch")
