"""The push of a blow on the struck body: its direction is that of the blow's momentum."""

import numpy as np

from randori.motion.clip import Clip

GIVING_WAY = 0.25  # seconds after a hit in which the struck body is followed
_SLOWEST_BLOW = 0.5  # m/s over the floor: a slower blow (an uppercut) has no direction there
# kg that are behind what strikes, and that it meets
_STRIKING_MASS = {"hand": 3.0, "forearm": 3.0, "foot": 5.0, "shin": 6.0, "head": 5.0, "weapon": 2.0}
_STRUCK_MASS = {"head": 5.0, "upper_torso": 22.0, "lower_torso": 28.0}
_LIGHTEST_PART = 4.0  # kg, of any other part
_REBOUND = 1.3  # push of a blow, relative to one that sticks to its target
FASTEST = 4.0  # m/s that a blow gives at most: a head is 12 cm off after it
# Shares of a struck part's speed that it and the parts connected to it get
SHARES = {
    "head": {"head": 1.0, "chest": 0.45, "pelvis": 0.15},
    "upper_torso": {"chest": 1.0, "pelvis": 0.5, "head": 0.5},
    "lower_torso": {"pelvis": 0.9, "chest": 0.6, "head": 0.2},
}


def gain_of_blow(what: str, part: str) -> float:
    """The speed that a part gets, over that of what strikes it, as long as it is well below `FASTEST`."""
    light = _STRIKING_MASS[what.rpartition("_")[2]]
    heavy = _STRUCK_MASS.get(part, _LIGHTEST_PART)
    return _REBOUND * light / (light + heavy)


def speed_of_blow(what: str, part: str, coming: np.ndarray) -> np.ndarray:
    """(3,) m/s that a part gets from something that comes at it with (3,) m/s."""
    speed = gain_of_blow(what, part) * coming
    size = max(float(np.linalg.norm(speed)), 1e-9)
    return speed * FASTEST * np.tanh(size / FASTEST) / size


def way_of_blow(ends: np.ndarray, fps: float) -> np.ndarray:
    """(2,) where what strikes moves over the floor, of length 1; zeros if it hardly does.

    `ends` (2, 2, 3) are those of its capsule, in the frame before the hit and in that of the hit.
    """
    before, after = ends.mean(axis=1)[:, [0, 2]]
    speed = float(np.linalg.norm(after - before)) * fps
    return np.zeros(2) if speed < _SLOWEST_BLOW else (after - before) * fps / speed


def moved_along(clip: Clip, tick: int, later: int, way: np.ndarray) -> float:
    """Metres that the middle of pelvis and head moves over the floor along a way (2,), between two frames."""
    joints = [clip.skeleton.joint("pelvis"), clip.skeleton.joint("head")]
    moved = (clip.positions[later, joints] - clip.positions[tick, joints]).mean(axis=0)
    return float(moved[[0, 2]] @ way)
