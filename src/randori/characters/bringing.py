"""Bringing motion onto a user's own character: at its own stride and reach, hands out of its own body."""

import numpy as np

from randori.body import capsules, mannequin
from randori.body.capsules import CAPSULES
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.details import RELAXED
from randori.motion.easing import smooth_cover
from randori.motion.inverse_kinematics import ARM_REACH, find_limb, solve_limb
from randori.motion.own_body import depths_in_trunk, hand_clearance
from randori.motion.parts import SIDES
from randori.motion.retargeting import Brought, retarget, retarget_along
from randori.motion.skeleton import Skeleton

_EASE = 0.12  # seconds over which a body is lifted
_MOST_LIFT = 0.6  # metres
_SHORTEST_BODY = 0.1  # metres from the pelvis to the head, seen from above: of a body that sits
_STEEPEST_TILT = 0.75  # sine of the angle that a body is tilted by


def bring_onto(
    clip: Clip, skeleton: Skeleton, standing_level: float | None = None, *, curl: float = RELAXED
) -> Clip:
    """A clip on the skeleton of a character; see `motion.retargeting.retarget`."""
    return above_floor(clear_of_trunk(clip, retarget(clip, skeleton, standing_level, curl=curl)))


def bring_along(
    clip: Clip,
    skeleton: Skeleton,
    shift: np.ndarray,
    standing_level: float | None = None,
    *,
    curl: float = RELAXED,
) -> Brought:
    """The same on the way of the clip, moved by (F, 3) metres; see `motion.retargeting.retarget_along`."""
    brought = retarget_along(clip, skeleton, shift, standing_level, curl=curl)
    return brought._replace(clip=above_floor(clear_of_trunk(clip, brought.clip)))


def clear_of_trunk(source: Clip, moved: Clip) -> Clip:
    """The moved clip with its hands no deeper in its head and trunk than the source's were in theirs."""
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


def above_floor(clip: Clip) -> Clip:
    """The clip with its trunk and its head on the floor where they would be below it.

    A large head of a character that lies is laid on the floor by tilting the body about the pelvis; feet
    stay where they were.
    """
    body, skeleton = mannequin.outline(clip.skeleton), clip.skeleton
    groups = ("pelvis", "spine"), ("head", "neck", "chest")
    cones = [np.flatnonzero([part in group for part in body.parts]) for group in groups]
    places, turned = clip.positions, clip.global_rotations
    low, high = (_needed(body.heights(places, turned, own), clip.fps) for own in cones)
    rows = np.flatnonzero((low > 0.0) | (high > 0.0))
    if len(rows) == 0:
        return clip
    pelvis, crown = (clip.positions[rows, skeleton.joint(part)] for part in ("pelvis", "head"))
    along = (crown - pelvis) * np.array([1.0, 0.0, 1.0])
    length = np.maximum(np.linalg.norm(along, axis=-1), _SHORTEST_BODY)
    angle = np.arcsin(np.clip((high[rows] - low[rows]) / length, 0.0, _STEEPEST_TILT))
    tilt = rot.from_axis_angle(rot.cross(rot.normalize(along), rot.Y_AXIS), angle)
    root, rotations = clip.root_position.copy(), clip.rotations.copy()
    root[rows] = pelvis + rot.rotate(tilt, root[rows] - pelvis) + low[rows, None] * rot.Y_AXIS
    rotations[rows, 0] = rot.multiply(tilt, rotations[rows, 0])
    lifted = clip.with_frames(root, rot.unroll(rotations))
    rotations = lifted.rotations.copy()
    for side in SIDES:
        limb = find_limb(skeleton, f"{side}_leg")
        rotations[rows] = solve_limb(
            skeleton,
            lifted.positions[rows],
            lifted.global_rotations[rows],
            rotations[rows],
            limb,
            clip.positions[rows, limb.end],
        )
    return clip.with_frames(root, rot.unroll(rotations))


def _needed(heights: np.ndarray, fps: float) -> np.ndarray:
    """(F,) metres to lift some cones, whose lowest points are (F, N) metres high: smooth, never less."""
    below = np.clip(-heights.min(axis=1, initial=np.inf), 0.0, _MOST_LIFT)
    if not below.any():
        return below
    return smooth_cover(below, max(round(_EASE * fps), 1))
