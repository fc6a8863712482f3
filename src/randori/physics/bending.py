"""Bending a body: the trunk leans or twists, the head turns, the pelvis sinks; feet stay where they are."""

from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import find_limb
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.physics.limbs import bring


class Bend(NamedTuple):
    """Changes of a pose; all are (..., 3) in the world."""

    move: np.ndarray  # metres of the pelvis
    lean: np.ndarray  # rotation vector, radians, of the trunk above the pelvis
    turn: np.ndarray  # rotation vector, radians, of the head against the trunk

    def scaled(self, share: np.ndarray) -> "Bend":
        """A bend at shares (F,) of it."""
        return Bend(*(share[:, None] * one for one in self))


def bent(
    skeleton: Skeleton, turned: np.ndarray, rotations: np.ndarray, lean: np.ndarray, turn: np.ndarray
) -> np.ndarray:
    """Local rotations (F, J, 4) of poses whose joints are turned (F, J, 4), leaning and with turned heads.

    The joints between the pelvis and the chest share the lean; what hangs on them goes along.
    """
    bent_rotations = rotations.copy()
    trunk = list(dict.fromkeys(skeleton.parts[part] for part in ("spine", "chest") if part in skeleton.parts))
    necks = list(dict.fromkeys(skeleton.parts[part] for part in ("neck", "head") if part in skeleton.parts))
    for joints, vector in ((trunk, lean), (necks, turn)):
        for joint in joints:
            step = rot.from_rotation_vector(vector / len(joints))
            above = turned[:, skeleton.parents[joint]]
            swing = rot.multiply(rot.inverse(above), rot.multiply(step, above))
            bent_rotations[:, joint] = rot.multiply(swing, bent_rotations[:, joint])
    return bent_rotations


def bend(clip: Clip, how: Bend, free_leg: str | None = None) -> Clip:
    """A clip bent by (F, 3) each, on feet that stay where they are; a leg that kicks goes with its body."""
    root = clip.root_position + how.move
    rotations = bent(clip.skeleton, clip.global_rotations, clip.rotations, how.lean, how.turn)
    changed = clip.with_frames(root, rotations)
    moved = (np.abs(how.move).max(axis=1) > 0.0).astype(float)
    for side in SIDES:
        if f"{side}_leg" != free_leg:
            leg = find_limb(clip.skeleton, f"{side}_leg")
            changed = bring(changed, leg, clip.positions[:, leg.end], moved)
    return changed
