"""Limbs brought to where they must be; frames in which that changes nothing stay as they are, to the byte."""

import numpy as np

from randori.kernels.limbs import LEG_REACH
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import Limb, solve_limb


def bring(
    clip: Clip, limb: Limb, target: np.ndarray, weight: np.ndarray, straightest: float = LEG_REACH
) -> Clip:
    """A clip with the end of a limb at (F, 3) metres, where its weight (F,) is above 0."""
    rows = np.flatnonzero(weight > 0.0)
    if len(rows) == 0:
        return clip
    rotations = clip.rotations.copy()
    rotations[rows] = solve_limb(
        clip.skeleton,
        clip.positions[rows],
        clip.global_rotations[rows],
        clip.rotations[rows],
        limb,
        target[rows],
        weight=weight[rows],
        straightest=straightest,
    )
    return clip.with_frames(clip.root_position, rotations)
