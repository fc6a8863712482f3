"""A body that walks with contacts known to the frame."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import find_limb, reach
from randori.motion.skeleton import Skeleton

CYCLE = 1.0  # seconds for two steps
STANCE = 0.6  # of the cycle
STRIDE = 1.0  # metres per cycle
ANKLE = 0.08  # metres above the floor, of a standing ankle


def walk(skeleton: Skeleton, fps: float, seconds: float = 4.0, floor: float = 0.0) -> tuple[Clip, np.ndarray]:
    """A walk along +Z and its true contacts (F, 2)."""
    times = np.arange(round(seconds * fps) + 1) / fps
    frames = len(times)
    root = np.stack([np.zeros(frames), np.full(frames, 0.87 + floor), STRIDE / CYCLE * times], axis=-1)
    clip = Clip("walk", skeleton, fps, root, np.tile(rot.IDENTITY, (frames, len(skeleton), 1)))
    contacts = np.zeros((frames, 2), dtype=bool)
    for foot, (side, phase) in enumerate((("left", 0.0), ("right", 0.5))):
        cycles = times / CYCLE + phase
        whole, part = np.floor(cycles), cycles % 1.0
        contacts[:, foot] = part < STANCE
        swing = np.clip((part - STANCE) / (1.0 - STANCE), 0.0, 1.0)
        ahead = whole - phase + swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2) + 0.5 * STANCE
        height = ANKLE + floor + 0.12 * 16.0 * (swing * (1.0 - swing)) ** 2
        hip = clip.positions[:, find_limb(skeleton, f"{side}_leg").upper]
        target = np.stack([hip[:, 0], height, STRIDE * ahead], axis=-1)
        clip = reach(clip, f"{side}_leg", target)
    return clip, contacts


def without_toes(skeleton: Skeleton) -> Skeleton:
    """The same body with feet that end in a tip."""
    kept = [joint for joint, name in enumerate(skeleton.names) if "Toe" not in name]
    tips = skeleton.tips.copy()
    for side in ("left", "right"):
        tips[skeleton.parts[f"{side}_foot"]] = skeleton.offsets[skeleton.parts[f"{side}_toes"]]
    place = {joint: number for number, joint in enumerate(kept)}
    return Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        np.array([place.get(int(skeleton.parents[joint]), -1) for joint in kept]),
        skeleton.offsets[kept],
        tips[kept],
        {part: place[joint] for part, joint in skeleton.parts.items() if joint in place},
    )
