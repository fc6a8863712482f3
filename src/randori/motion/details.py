"""Joints that a body part carries besides its own: twist bones share a turn, fingers bend."""

import re

import numpy as np

from randori.motion import rotations as rot
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

RELAXED = np.radians(18.0)  # that each joint of a finger is bent by in a hand at rest
FIST = np.radians(68.0)
_THUMB = 0.35  # of that bends a thumb
_HALFWAY_SHARE = 0.5  # of the turn of a hand about its forearm shows half way along it
_FINGER = re.compile(r"(?i)index|middle|ring|pinky|pinkie|little|thumb|finger")
_PALM = re.compile(r"(?i)metacarpal|inhand")
_TWIST = re.compile(r"(?i)twist|roll")
_CARRIES_TWIST = (("forearm", "hand"), ("shin", "foot"))  # a part whose bone twists, and what twists it


def with_details(turned: np.ndarray, skeleton: Skeleton, curl: float) -> np.ndarray:
    """(F, J, 4) turns away from the T in which twist bones and fingers follow their limb.

    `curl` is the angle in radians that each joint of a finger is bent by.
    """
    turned = turned.copy()
    parts, known = skeleton.parts, set(skeleton.parts.values())
    for side, outward in zip(SIDES, (1.0, -1.0)):
        for carrier, end in _CARRIES_TWIST:
            upper, lower = parts[f"{side}_{carrier}"], parts[f"{side}_{end}"]
            axis = outward * rot.X_AXIS if carrier == "forearm" else -rot.Y_AXIS
            between = rot.multiply(rot.inverse(turned[:, upper]), turned[:, lower])
            twist = _about(between, axis)
            share = rot.slerp(
                np.broadcast_to(rot.IDENTITY, twist.shape), twist, np.full(len(twist), _HALFWAY_SHARE)
            )
            for joint in _carried(skeleton, upper, known):
                if _TWIST.search(skeleton.names[joint]):
                    turned[:, joint] = rot.multiply(turned[:, upper], share)
        bend = rot.cross(outward * rot.X_AXIS, -rot.Y_AXIS)
        for joint in _carried(skeleton, parts[f"{side}_hand"], known):
            name = skeleton.names[joint]
            angle = curl if _FINGER.search(name) and not _in_palm(skeleton, joint) else 0.0
            angle *= _THUMB if "thumb" in name.lower() else 1.0
            above = turned[:, skeleton.parents[joint]]
            turned[:, joint] = rot.multiply(above, rot.from_axis_angle(bend, angle))
    return turned


def _in_palm(skeleton: Skeleton, joint: int) -> bool:
    """Whether a joint of a finger lies inside the palm: rigs number the joints that bend from 1."""
    name = skeleton.names[joint]
    below = [skeleton.names[child] for child in skeleton.children[joint]]
    return bool(_PALM.search(name)) or (not name[-1:].isdigit() and any(one.endswith("1") for one in below))


def _carried(skeleton: Skeleton, top: int, known: set[int]) -> list[int]:
    """The joints that hang on a joint, down to the next body part."""
    found: list[int] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint not in known and (parent == top or parent in found):
            found.append(joint)
    return found


def _about(turn: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """(F, 4) the part of a turn that goes about an axis (3,)."""
    along = turn[:, 1:] @ axis
    twist = np.concatenate([turn[:, :1], along[:, None] * axis], axis=1)
    length = np.linalg.norm(twist, axis=1, keepdims=True)
    return np.where(length > 1e-6, twist / np.maximum(length, 1e-6), rot.IDENTITY)
