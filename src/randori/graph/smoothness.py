"""Angular acceleration of joints: it shows joins that are not smooth."""

import numpy as np

from randori.kernels import calming
from randori.motion import rotations as rot
from randori.motion.clip import Clip

_SWEEPS = 1500  # at most
_SURE_SHARE = 0.998  # share of a limit: measured and calmed values differ by that little


def angular_acceleration(rotations: np.ndarray, fps: float) -> np.ndarray:
    """(F, J) radians per second², of joints (F, J, 4) in their parents' frames; 0 at both ends."""
    result = np.zeros(rotations.shape[:2])
    if len(rotations) > 2:
        steps = rot.to_rotation_vector(rot.multiply(rotations[1:], rot.inverse(rotations[:-1])))
        result[1:-1] = np.linalg.norm(np.diff(steps, axis=0), axis=-1) * fps**2
    return result


def calm(clip: Clip, limit: np.ndarray, free: np.ndarray) -> Clip:
    """A clip whose joints, in frames (F,) that are free, turn no more hastily than (F, J) radians/s²."""
    rotations = clip.rotations.copy()
    calming.calm(rotations, _SURE_SHARE * limit / clip.fps**2, free, _SWEEPS)
    return clip.with_frames(clip.root_position, rot.unroll(rotations))
