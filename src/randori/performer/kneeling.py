"""Knees that stand on the floor: how high the hips are over them, and where they look."""

import numpy as np

from randori.motion import rotations as rot
from randori.performer import limbs

NOT_CARRYING = 0.4  # metres: so much deeper a knee counts that does not carry at all
KNEE_HEIGHT = 0.055  # metres from the floor to the middle of a knee that stands on it


def height_over_knee(hip: np.ndarray, knee: np.ndarray, thigh: float) -> np.ndarray:
    """(F,) metres by which a hip is to be raised so that its thigh just reaches the knee (F, 3)."""
    planar = np.sum((hip - knee)[:, [0, 2]] ** 2, axis=-1)
    return knee[:, 1] + np.sqrt(np.maximum(thigh**2 - planar, (0.3 * thigh) ** 2)) - hip[:, 1]


def shared_height(raises: list[np.ndarray], weights: list[np.ndarray]) -> np.ndarray:
    """(F,) what both hips together are raised by: the knee that carries and would sink in decides."""
    first, second = (
        each - NOT_CARRYING * (1.0 - weight) for each, weight in zip(raises, weights, strict=True)
    )
    return np.maximum(weights[0], weights[1]) * limbs.smooth_max(first, second, 0.01)


def towards_knee(pole: np.ndarray, share: np.ndarray, knee: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(F, 3) where the knee looks: to its pole, and by a share (F,) to its lock.

    The lock is given from the hip; the direction (F, 3) is the unit one from hip to ankle.
    """
    across = rot.normalize(knee - direction * np.sum(knee * direction, axis=-1, keepdims=True))
    return rot.normalize(pole) + np.clip(share, 0.0, 1.0)[:, None] * (across - rot.normalize(pole))
