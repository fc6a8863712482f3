"""A body as sixteen capsules: what hits, blocks and gets in the way. Coarser than the mannequin, quick."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from randori.body.mannequin import scale_of
from randori.graph.library import EFFECTORS
from randori.kernels.contact import CORE, DAMAGE, GUARD, VITAL, WEAPON
from randori.motion import rotations as rot
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

__all__ = ["CAPSULES", "CORE", "DAMAGE", "GUARD", "STRIKING", "VITAL", "Capsules", "fit"]

_LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
# in the order of kernels/contact.py
CAPSULES = (
    "head",
    "upper_torso",
    "lower_torso",
    *(f"{side}_{limb}" for side in SIDES for limb in _LIMBS),
    "weapon",
)
STRIKING = tuple(CAPSULES.index(name) for name in EFFECTORS)  # the capsule of each effector

# Metres, of a body 1.75 m tall; the mannequin's flesh at its usual width.
_RADII = {
    "head": 0.095,
    "upper_torso": 0.135,
    "lower_torso": 0.125,
    "upper_arm": 0.05,
    "forearm": 0.045,
    "hand": 0.055,
    "thigh": 0.075,
    "shin": 0.05,
    "foot": 0.042,
    "weapon": 0.015,
}
_ABSENT_RADIUS = -1.0  # radius of a weapon that the character does not hold


@dataclass(frozen=True, eq=False)
class Capsules:
    """Capsules on joints, in the order of CAPSULES."""

    joints: np.ndarray  # (16,) int64, the joint that carries each
    ends: np.ndarray  # (16, 2, 3) metres, in the joint's frame; the second is the one that strikes
    radii: np.ndarray  # (16,) metres, negative for a part that the body does not have

    def place(self, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """(F, 16, 2, 3) metres: both ends in the world, for joints at (F, J, 3) turned by (F, J, 4)."""
        turned, places = rotations[:, self.joints], positions[:, self.joints]
        placed = np.empty((*places.shape[:2], 2, 3))
        for end in range(2):  # one after the other: rotations need not be copied for each
            np.add(places, rot.rotate(turned, self.ends[:, end]), out=placed[:, :, end])
        return placed


@lru_cache(maxsize=256)
def fit(skeleton: Skeleton) -> Capsules:
    """The capsules of a skeleton, from its T, or those that were fitted to the skin of its character."""
    if (flesh := skeleton.flesh) is not None:
        return Capsules(flesh.capsule_joints, flesh.capsule_ends, flesh.capsule_radii)
    positions, turned = skeleton.reference_pose
    scale = scale_of(skeleton)

    def at(part: str) -> np.ndarray:
        return positions[skeleton.joint(part)]

    def nearest(*parts: str) -> str:
        return next(part for part in parts if part in skeleton.parts)

    rows: list[tuple[str, str, np.ndarray, np.ndarray]] = []
    hips = 0.5 * (at("left_thigh") + at("right_thigh"))
    shoulders = 0.5 * (at("left_upper_arm") + at("right_upper_arm"))
    back = shoulders - hips
    crown = at("head") + scale * np.array([0.0, 0.11, 0.01])
    rows.append(("head", "head", at("head") + scale * np.array([0.0, 0.02, 0.02]), crown))
    chest = nearest("chest", "spine", "pelvis")
    rows.append(("upper_torso", chest, hips + 0.5 * back, hips + 0.88 * back))
    rows.append(("lower_torso", "pelvis", hips + 0.02 * back, hips + 0.42 * back))
    for side in SIDES:
        tips = {}
        for limb, after in (
            ("upper_arm", "forearm"),
            ("forearm", "hand"),
            ("thigh", "shin"),
            ("shin", "foot"),
        ):
            tips[limb] = at(f"{side}_{after}")
        outward = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        tips["hand"] = at(f"{side}_hand") + 0.085 * scale * outward
        foot = skeleton.joint(f"{side}_foot")
        tips["foot"] = positions[foot] + scale * np.array([0.0, -0.05, 0.15])
        rows += [(limb, f"{side}_{limb}", at(f"{side}_{limb}"), tips[limb]) for limb in _LIMBS]
    if "weapon" in skeleton.parts:
        joint = skeleton.joint("weapon")
        rows.append(
            ("weapon", "weapon", at("weapon"), at("weapon") + rot.rotate(turned[joint], skeleton.tips[joint]))
        )
    else:
        rows.append(("weapon", "right_hand", at("right_hand"), at("right_hand")))
    joints = np.array([skeleton.joint(part) for _, part, _, _ in rows], dtype=np.int64)
    ends = np.array([[start, stop] for _, _, start, stop in rows]) - positions[joints, None]
    fleshy = scale * skeleton.girth
    wide = {"weapon": 1.0, "head": scale, "hand": scale, "foot": scale}
    radii = np.array([_RADII[name] * wide.get(name, fleshy) for name, *_ in rows])
    if "weapon" not in skeleton.parts:
        radii[WEAPON] = _ABSENT_RADIUS
    return Capsules(joints, rot.rotate(rot.inverse(turned[joints, None]), ends), radii)
