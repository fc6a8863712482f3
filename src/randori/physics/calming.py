"""Joints turn no more hastily than people do: the last of the haste is smoothed away."""

import numpy as np

from randori.graph.smoothness import angular_acceleration
from randori.motion import rotations as rot
from randori.motion.clip import Clip

OWN = 1.05  # times what the motion does by itself: that much is its own
_TIMES = 12  # at most that hasty joints are smoothed


def haste_limits(clip: Clip, usual: float) -> np.ndarray:
    """(F, J) radians/s²: what people usually stay below, or what the motion itself does above that."""
    found = angular_acceleration(clip.rotations, clip.fps)
    return np.where(found > usual, OWN * found, usual)


def calm(clip: Clip, limit: np.ndarray, free: np.ndarray) -> Clip:
    """A clip with joints smoothed that are free (F, J) and turn more hastily than (F, J) radians/s²."""
    rotations = clip.rotations.copy()
    free = free.copy()
    free[[0, -1]] = False
    for _ in range(_TIMES):
        hasty = angular_acceleration(rotations, clip.fps) > limit
        hasty[:-1] |= hasty[1:]
        hasty[1:] |= hasty[:-1]
        hasty &= free
        if not hasty.any():
            break
        smooth = rot.normalize(rotations[:-2] + 2.0 * rotations[1:-1] + rotations[2:])
        rotations[1:-1] = np.where(hasty[1:-1, :, None], smooth, rotations[1:-1])
    return clip.with_frames(clip.root_position, rotations)
