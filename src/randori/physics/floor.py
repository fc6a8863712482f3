"""Nothing goes through the floor: feet, hands and blades are lifted, and lying bodies are laid on top of
it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from randori.body import mannequin
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_cover
from randori.motion.inverse_kinematics import find_limb
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.physics.limbs import bring

_INVISIBLE_DEPTH = 0.006  # metres below the floor that are not visible: shoes and mats give
_MOST_LIFTED = 0.4  # metres that anything is lifted by
_EASE_SECONDS = 0.08  # seconds in which it is
_LIMBS = tuple(f"{side}_{limb}" for side in SIDES for limb in ("leg", "arm"))
_OWN_ENDS = {name: name for name in _LIMBS}


def stay_above(walk: Walk) -> tuple[Walk, np.ndarray]:
    """A walk of which nothing is below the floor, and (F,) bool where something was lifted."""
    clip = walk.clip
    changed = np.zeros(len(clip), dtype=bool)
    # parts that carry others come first
    for lift in (_lift_body, _lift_limbs, _lift_blade, _lift_pommel):
        clip, where = lift(clip)
        changed |= where
    return (replace(walk, clip=clip), changed) if changed.any() else (walk, changed)


@lru_cache(maxsize=64)
def _carriers(skeleton: Skeleton) -> dict[str, np.ndarray]:
    """For each limb the cones that its end carries, the blade's, and those of the rest of the body."""
    joints = mannequin.outline(skeleton).joints
    groups = {name: _below(skeleton, find_limb(skeleton, name).end) for name in _LIMBS}
    blade = _below(skeleton, skeleton.joint("weapon")) if "weapon" in skeleton.parts else set()
    owners = {name: np.isin(joints, list(group - blade)) for name, group in groups.items()}
    owners["blade"] = np.isin(joints, list(blade))
    owners["body"] = ~np.any(list(owners.values()), axis=0)
    return owners


def _below(skeleton: Skeleton, joint: int) -> set[int]:
    """A joint and all that hangs on it."""
    found = {joint}
    for child, parent in enumerate(skeleton.parents):
        if int(parent) in found:
            found.add(child)
    return found


@lru_cache(maxsize=8)  # one clip is asked for every group
def _heights(clip: Clip) -> np.ndarray:
    """(F, C) metres over the floor of the lowest point of each cone."""
    body = mannequin.outline(clip.skeleton)
    return body.heights(clip.positions, clip.global_rotations, np.arange(len(body.joints)))


def _sunk(clip: Clip, group: str) -> np.ndarray:
    """(F,) metres to lift a group of cones by, without haste."""
    cones = _carriers(clip.skeleton)[group]
    if not cones.any():
        return np.zeros(len(clip))
    below = np.clip(-_heights(clip)[:, cones].min(axis=1) - _INVISIBLE_DEPTH, 0.0, _MOST_LIFTED)
    if not below.any():
        return below
    reach = max(round(_EASE_SECONDS * clip.fps), 1)
    return smooth_cover(below, reach)


def _lift_body(clip: Clip) -> tuple[Clip, np.ndarray]:
    """Lay bodies that lie in the floor on top of it."""
    lift = _sunk(clip, "body")
    where = lift > 0.0
    if not where.any():
        return clip, where
    return clip.with_frames(clip.root_position + lift[:, None] * rot.Y_AXIS, clip.rotations), where


def _lift_limbs(clip: Clip, limbs: Mapping[str, str] = _OWN_ENDS) -> tuple[Clip, np.ndarray]:
    """Feet and hands are lifted by their knees and elbows: limbs, by what must not be below the floor."""
    changed = np.zeros(len(clip), dtype=bool)
    for name, group in limbs.items():
        lift = _sunk(clip, group)
        if not lift.any():
            continue
        limb = find_limb(clip.skeleton, name)
        wanted = clip.positions[:, limb.end] + lift[:, None] * rot.Y_AXIS
        clip = bring(clip, limb, wanted, (lift > 0.0).astype(float))
        changed |= lift > 0.0
    return clip, changed


def _lift_pommel(clip: Clip) -> tuple[Clip, np.ndarray]:
    """Lift a blade with its arm, as far as turning the blade does not lift it."""
    return _lift_limbs(clip, {"right_arm": "blade"})


def _lift_blade(clip: Clip) -> tuple[Clip, np.ndarray]:
    """A blade is turned up at the wrist."""
    lift = _sunk(clip, "blade")
    rows = np.flatnonzero(lift > 0.0)
    if len(rows) == 0:
        return clip, lift > 0.0
    skeleton = clip.skeleton
    weapon, hand = skeleton.joint("weapon"), skeleton.joint("right_hand")
    held = clip.positions[rows, hand]
    along = clip.positions[rows, weapon] - held
    along = along + rot.rotate(clip.global_rotations[rows, weapon], skeleton.tips[weapon])
    length = np.linalg.norm(along, axis=-1)
    height = np.clip(along[:, 1] + lift[rows], -length, length)
    flat = along * np.array([1.0, 0.0, 1.0])
    flat = rot.normalize(np.where(np.linalg.norm(flat, axis=-1, keepdims=True) > 1e-6, flat, rot.Z_AXIS))
    wanted = np.sqrt(length**2 - height**2)[:, None] * flat + height[:, None] * rot.Y_AXIS
    turned = rot.multiply(rot.between(along, wanted), clip.global_rotations[rows, hand])
    above = clip.global_rotations[rows, skeleton.parents[hand]]
    rotations = clip.rotations.copy()
    rotations[rows, hand] = rot.multiply(rot.inverse(above), turned)
    return clip.with_frames(clip.root_position, rot.unroll(rotations)), lift > 0.0
