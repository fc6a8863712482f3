"""Knees that stand on the floor: how high the hips are over them, and how thigh and shin lie."""

import numpy as np

from randori.motion import rotations as rot
from randori.performer import limbs

KNEE_HEIGHT = 0.055  # metres from the floor to the middle of a knee that stands on it


def height_over_knee(hip: np.ndarray, knee: np.ndarray, thigh: float) -> np.ndarray:
    """(F,) metres by which a hip is to be raised so that its thigh just reaches the knee (F, 3)."""
    planar = np.sum((hip - knee)[:, [0, 2]] ** 2, axis=-1)
    return knee[:, 1] + np.sqrt(np.maximum(thigh**2 - planar, (0.3 * thigh) ** 2)) - hip[:, 1]


def shared_height(raises: list[np.ndarray], weights: list[np.ndarray]) -> np.ndarray:
    """(F,) what both hips together are raised by: the knees that carry decide."""
    total = np.maximum(weights[0] + weights[1], 1.0)
    return (weights[0] * raises[0] + weights[1] * raises[1]) / total


def kneeling_leg(
    hip: np.ndarray, knee: np.ndarray, ankle: np.ndarray, thigh: float, shin: float
) -> tuple[np.ndarray, np.ndarray]:
    """The rotations (F, 4) of a thigh that goes to its knee, and of a shin that goes on to the ankle."""
    upper = rot.normalize(knee - hip)
    bent = hip + thigh * upper
    lower = rot.normalize(ankle - bent)
    end = bent + shin * lower
    hinge = rot.normalize(np.cross(end - hip, bent - hip))
    return limbs.leg_rotation(upper, hinge), limbs.leg_rotation(lower, hinge)
