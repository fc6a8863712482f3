"""How hastily joints turn: what shows a join that is not smooth."""

import numpy as np

from randori.motion import rotations as rot


def angular_acceleration(rotations: np.ndarray, fps: float) -> np.ndarray:
    """(F, J) radians per second², of joints (F, J, 4) in their parents' frames; 0 at both ends."""
    result = np.zeros(rotations.shape[:2])
    if len(rotations) > 2:
        steps = rot.to_rotation_vector(rot.multiply(rotations[1:], rot.inverse(rotations[:-1])))
        result[1:-1] = np.linalg.norm(np.diff(steps, axis=0), axis=-1) * fps**2
    return result
