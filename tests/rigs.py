"""Rigs that call other poses zero: the same body, seen through other axes."""

from dataclasses import replace

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.motion.t_pose import axis_rotations, find_reference


def rerig(clip: Clip, turn: np.ndarray) -> Clip:
    """The same motion on a rig whose joints' own axes are turned (J, 4) against the body; T unknown."""
    skeleton = clip.skeleton
    inner = skeleton.parents >= 0
    offsets = skeleton.offsets.copy()
    offsets[inner] = rot.rotate(rot.inverse(turn[skeleton.parents[inner]]), offsets[inner])
    tips = rot.rotate(rot.inverse(turn), skeleton.tips)
    bare = Skeleton(skeleton.names, skeleton.parents, offsets, tips, skeleton.parts)
    rotations = bare.to_local(rot.multiply(clip.global_rotations, turn))
    return replace(clip, skeleton=bare, rotations=rotations)


def folded_axes(skeleton: Skeleton, seed: int) -> np.ndarray:
    """(J, 4) axes that lie along the body anyhow; an arm has one sort of axes, twins mirror each other."""
    random = np.random.default_rng(seed)
    turn = axis_rotations()[random.integers(0, 24, len(skeleton))]
    for part in ("forearm", "hand"):
        turn[skeleton.joint(f"left_{part}")] = turn[skeleton.joint("left_upper_arm")]
    flips = np.array([[-1, 1, 1], [1, -1, 1], [1, 1, -1], [-1, -1, -1]])
    arm_flip = flips[random.integers(4)]
    for part, left in skeleton.parts.items():
        if part.startswith("left_"):
            right = skeleton.joint(part.replace("left", "right"))
            flip = arm_flip if part.endswith(("arm", "hand")) else flips[random.integers(4)]
            mirror = np.diag([-1.0, 1.0, 1.0]) @ rot.to_matrix(turn[left]) @ np.diag(flip)
            turn[right] = rot.from_matrix(mirror)
    return turn


def folded(clip: Clip, seed: int) -> Clip:
    """The clip on a rig whose zero pose is a heap, with its T found again."""
    rig = rerig(clip, folded_axes(clip.skeleton, seed))
    return replace(rig, skeleton=replace(rig.skeleton, reference=find_reference(rig.skeleton, rig.rotations)))
