"""Many placements on the floor at once: rows of x, z in metres and yaw in radians, as motion/placement.py."""

import numpy as np

from randori.motion import rotations as rot


def compose(first: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(N, 3) the placements `first`, and `after` on top of them."""
    cosine, sine = np.cos(after[:, 2]), np.sin(after[:, 2])
    x = cosine * first[:, 0] + sine * first[:, 1] + after[:, 0]
    z = cosine * first[:, 1] - sine * first[:, 0] + after[:, 1]
    return np.column_stack([x, z, rot.wrap_angle(first[:, 2] + after[:, 2])])


def inverse(places: np.ndarray) -> np.ndarray:
    """(N, 3) the placements that undo them."""
    cosine, sine = np.cos(places[:, 2]), np.sin(places[:, 2])
    x = -(cosine * places[:, 0] - sine * places[:, 1])
    z = -(cosine * places[:, 1] + sine * places[:, 0])
    return np.column_stack([x, z, rot.wrap_angle(-places[:, 2])])
