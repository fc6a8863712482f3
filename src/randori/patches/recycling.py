"""Standard poses: relations of two characters in which many patches begin or end. After a patch, a pair
goes to the nearest of them and begins the next one there (docs/patches.md)."""

from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.patches.library import PatchLibrary
from randori.patches.stage import Stage, State

DISTANCE, ANGLE = 3.0, np.pi  # metres and radians that count as much as each other
_ALIKE_DIFFERENCE = 0.01  # conditions that differ by less belong to one group


class StandardPose(NamedTuple):
    """The average of some conditions."""

    distance: float  # metres
    bearings: tuple[float, float]  # radians, the directions in which they see each other
    patches: int  # number of patches that begin in it


def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The difference between conditions (..., 3): distance and both bearings."""
    away = (one[..., 0] - other[..., 0]) / DISTANCE
    turns = rot.wrap_angle(one[..., 1:3] - other[..., 1:3]) / ANGLE
    return away**2 + (turns**2).sum(axis=-1)


def standard_poses(patches: PatchLibrary) -> list[StandardPose]:
    """Groups of the conditions that patches begin and end with, the largest first."""
    begins, ends = patches.arrays.initial[:, :3], patches.arrays.final[:, :3]
    conditions = np.concatenate([begins, ends])
    begin = np.concatenate([np.ones(len(begins)), np.zeros(len(ends))])
    near = apart(conditions[:, None], conditions[None]) < _ALIKE_DIFFERENCE
    left = np.ones(len(conditions), dtype=bool)
    counts = near @ begin  # of the remaining ones
    poses = []
    while begin.any():
        centre = int(np.argmax(np.where(left, counts, -1.0)))
        group = near[centre] & left
        middle = conditions[centre].copy()
        off = conditions[group] - middle
        off[:, 1:] = rot.wrap_angle(off[:, 1:])
        middle += off.mean(axis=0)
        first, second = (float(angle) for angle in rot.wrap_angle(middle[1:]))
        poses.append(StandardPose(float(middle[0]), (first, second), int(begin[group].sum())))
        counts -= near[:, group] @ begin[group]
        left[group], begin[group] = False, 0.0
    return poses


def condition(stage: Stage, one: State, other: State) -> np.ndarray:
    """(3,) how two stand to each other."""
    x, z = other.place[0] - one.place[0], other.place[1] - one.place[1]
    way = np.arctan2(x, z)
    bearings = rot.wrap_angle(np.array([way - stage.facing(one), way + np.pi - stage.facing(other)]))
    return np.array([np.hypot(x, z), *bearings])


def nearest(poses: list[StandardPose], here: np.ndarray) -> StandardPose:
    """The standard pose that is least different from how two stand."""
    known = np.array([[pose.distance, *pose.bearings] for pose in poses])
    return poses[int(np.argmin(apart(known, here)))]
