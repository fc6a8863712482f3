"""Joints turn no more hastily than people do: what is above that is taken away, and no more than that."""

from dataclasses import replace

import numpy as np

from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import ActionLibrary
from randori.graph.smoothness import angular_acceleration, calm

_OWN = 1.05  # times what the motion does by itself: that much is its own
_AROUND = 4  # frames about a join that may be changed for its sake


def haste_limits(walk: Walk, library: ActionLibrary) -> np.ndarray:
    """(F, J) radians/s²: what people usually stay below, or what the motion itself does above that.

    About joins only what was recorded is the motion itself.
    """
    usual = library.usual_acceleration
    recorded = library.accelerations[walk.frame]
    shown = angular_acceleration(walk.clip.rotations, walk.clip.fps)
    own = np.where(_joining(walk)[:, None], recorded, np.maximum(recorded, shown))
    return np.where(own > usual, _OWN * own, usual)


def calm_joins(walk: Walk, library: ActionLibrary) -> Walk:
    """A walk whose joins are as smooth as what was recorded."""
    free = widened(_joining(walk), _AROUND)
    return replace(walk, clip=calm(walk.clip, haste_limits(walk, library), free))


def widened(flags: np.ndarray, reach: int) -> np.ndarray:
    """(F,) bool: up to so many frames from where flags are."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(flags, reach), 2 * reach + 1)
    result: np.ndarray = np.any(around, axis=-1)
    return result


def _joining(walk: Walk) -> np.ndarray:
    """(F,) bool: from where a walk bends towards a join until that has died away."""
    joining = np.zeros(len(walk.clip), dtype=bool)
    for join in walk.joins.tolist():
        first = join
        while first > 0 and walk.blended[first - 1] == walk.frame[join]:
            first -= 1
        joining[max(first - 1, 0) : join + round(JOIN_SECONDS * walk.clip.fps)] = True
    return joining
