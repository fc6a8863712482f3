"""Bringing motion onto a character of one's own: at its own stride and reach, hands out of its own body."""

import numpy as np

from randori.body import capsules
from randori.body.capsules import CAPSULES
from randori.motion.clip import Clip
from randori.motion.details import RELAXED
from randori.motion.inverse_kinematics import ARM_REACH, find_limb, solve_limb
from randori.motion.own_body import depths_in_trunk, hand_clearance
from randori.motion.parts import SIDES
from randori.motion.retargeting import retarget
from randori.motion.skeleton import Skeleton


def bring_onto(
    clip: Clip,
    skeleton: Skeleton,
    standing_level: float | None = None,
    *,
    shift: np.ndarray | None = None,
    curl: float = RELAXED,
) -> Clip:
    """A clip on the skeleton of a character; see `motion.retargeting.retarget`."""
    moved = retarget(clip, skeleton, standing_level, shift=shift, curl=curl)
    return clear_of_trunk(clip, moved)


def clear_of_trunk(source: Clip, moved: Clip) -> Clip:
    """The moved clip with its hands no deeper in its head and trunk than those of the source were in theirs."""
    theirs, own = capsules.fit(source.skeleton), capsules.fit(moved.skeleton)
    size = float(own.radii[:3].mean() / theirs.radii[:3].mean())
    placed = theirs.place(source.positions, source.global_rotations)
    allowed = size * depths_in_trunk(placed, theirs.radii, CAPSULES)
    ends = own.place(moved.positions, moved.global_rotations)
    moves = hand_clearance(ends, own.radii, allowed, CAPSULES, moved.fps)
    rotations = moved.rotations
    for hand, side in enumerate(SIDES):
        rows = np.flatnonzero(np.abs(moves[:, hand]).max(axis=1) > 1e-6)
        if len(rows) == 0:
            continue
        limb = find_limb(moved.skeleton, f"{side}_arm")
        rotations = rotations.copy()
        rotations[rows] = solve_limb(
            moved.skeleton,
            moved.positions[rows],
            moved.global_rotations[rows],
            rotations[rows],
            limb,
            moved.positions[rows, limb.end] + moves[rows, hand],
            straightest=ARM_REACH,
        )
    if rotations is moved.rotations:
        return moved
    return moved.with_frames(moved.root_position, rotations)
