"""Turning the joints of a limb, or of the neck, so that its end comes where it is wanted."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from randori.kernels.limbs import LEG_REACH, SOFT_ZONE, TRUSTED_BEND
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.skeleton import Skeleton

ARM_REACH = 0.989  # of the arm's length: an elbow at 163°, as straight as people punch

NECK = ("neck", "head")  # parts that turn a head
_BEHIND_ANGLES = np.radians([110.0, 165.0])  # from the trunk's front: here the head gives up following
NECK_LIMITS = (np.radians(75.0), np.radians(50.0))  # sideways, up and down, of the head against the trunk


class Limb(NamedTuple):
    """Three joints of a skeleton. Joints between them move rigidly with the bone they lie on."""

    upper: int  # hip or shoulder
    middle: int  # knee or elbow
    end: int  # ankle or wrist


_LIMB_PARTS = {
    f"{side}_{limb}": tuple(f"{side}_{part}" for part in parts)
    for side in ("left", "right")
    for limb, parts in {"leg": ("thigh", "shin", "foot"), "arm": ("upper_arm", "forearm", "hand")}.items()
}


def find_limb(skeleton: Skeleton, name: str) -> Limb:
    """The joints of "left_leg", "right_leg", "left_arm" or "right_arm"."""
    return Limb(*(skeleton.joint(part) for part in _LIMB_PARTS[name]))


def reach(
    clip: Clip,
    limb: str | Limb,
    target: ArrayLike,
    pole: ArrayLike | None = None,
    weight: ArrayLike = 1.0,
    straightest: float | None = None,
) -> Clip:
    """The clip with the end of a limb at its target; see `solve_limb`.

    An arm that is named stays a little more bent than a leg, unless told otherwise.
    """
    joints = find_limb(clip.skeleton, limb) if isinstance(limb, str) else limb
    if straightest is None:
        straightest = ARM_REACH if str(limb).endswith("_arm") else LEG_REACH
    rotations = solve_limb(
        clip.skeleton,
        clip.positions,
        clip.global_rotations,
        clip.rotations,
        joints,
        target,
        pole,
        weight,
        straightest,
    )
    return clip.with_frames(clip.root_position, rotations)


def solve_limb(
    skeleton: Skeleton,
    positions: np.ndarray,  # (F, J, 3) metres, of the joints in the world
    global_rotations: np.ndarray,  # (F, J, 4)
    rotations: np.ndarray,  # (F, J, 4) the same pose, relative to the parents
    limb: Limb,
    target: ArrayLike,  # (F, 3) or (3,) metres, where the end of the limb should be
    pole: ArrayLike | None = None,  # (F, 3) or (3,) direction from the limb's line to its knee or elbow
    weight: ArrayLike = 1.0,  # (F,) 0 leaves the pose alone, 1 goes all the way
    straightest: float = LEG_REACH,  # of the limb's length
) -> np.ndarray:
    """New relative rotations (F, J, 4) that bring the end of a limb to its target.

    The end keeps its turn in the world. Without a pole the limb stays in its present bending plane. The
    target is met exactly until the limb is nearly at its straightest; from there on it stretches less and
    less, so that no knee snaps straight.
    """
    upper, middle, end = limb
    weight = np.broadcast_to(np.asarray(weight, dtype=float), len(positions))
    target = np.broadcast_to(np.asarray(target, dtype=float), (len(positions), 3))
    hip, knee, ankle = positions[:, upper], positions[:, middle], positions[:, end]
    thigh, shin = knee - hip, ankle - knee

    # Step 1. Bend the knee about its hinge until the end is as far from the hip as the target is.
    hinge = _hinge(skeleton, limb, thigh, shin, global_rotations[:, skeleton.parents[middle]])
    distance = _soft_distance(np.linalg.norm(target - hip, axis=-1), thigh, shin, straightest)
    bend = rot.from_axis_angle(hinge, weight * _bend_change(thigh, shin, hinge, distance))
    leg = thigh + rot.rotate(bend, shin)

    # Step 2. Swing the whole limb at the hip, without twisting it, until it points at the target.
    aim = rot.normalize(ankle + weight[:, None] * (target - ankle) - hip)
    swing = rot.between(leg, aim)

    # Step 3. Twist it about the line to the target until the knee points along the pole.
    if pole is not None:
        knee_side = _across(rot.rotate(swing, thigh), aim, rot.cross(aim, rot.rotate(swing, hinge)))
        wanted = _across(np.broadcast_to(np.asarray(pole, dtype=float), aim.shape), aim, knee_side)
        angle = np.arctan2(
            np.sum(rot.cross(knee_side, wanted) * aim, axis=-1), np.sum(knee_side * wanted, axis=-1)
        )
        swing = rot.multiply(rot.from_axis_angle(aim, weight * angle), swing)

    solved = rotations.copy()
    at_hip, at_knee = global_rotations[:, upper], global_rotations[:, middle]
    above_hip, above_knee = skeleton.parents[upper], skeleton.parents[middle]
    turned_hip = rot.multiply(swing, at_hip)
    if above_hip >= 0:
        turned_hip = rot.multiply(rot.inverse(global_rotations[:, above_hip]), turned_hip)
    solved[:, upper] = turned_hip
    solved[:, middle] = rot.multiply(
        rot.inverse(global_rotations[:, above_knee]), rot.multiply(bend, at_knee)
    )
    above_end = rot.multiply(rot.multiply(swing, bend), global_rotations[:, skeleton.parents[end]])
    solved[:, end] = rot.multiply(rot.inverse(above_end), global_rotations[:, end])
    return solved


def hinge_axes(clip: Clip, limb: str) -> np.ndarray:
    """(F, 3) the axis in the world that an elbow or a knee bends about."""
    upper, middle, end = joints = find_limb(clip.skeleton, limb)
    at = clip.positions
    frame = clip.global_rotations[:, clip.skeleton.parents[middle]]
    return _hinge(clip.skeleton, joints, at[:, middle] - at[:, upper], at[:, end] - at[:, middle], frame)


def _hinge(
    skeleton: Skeleton, limb: Limb, thigh: np.ndarray, shin: np.ndarray, frame: np.ndarray
) -> np.ndarray:
    """(F, 3) the axis that the knee bends about in each frame.

    Across a bent limb it is the normal of its plane. A nearly straight limb has no plane: there it is the
    hinge that all frames together show in the upper bone, so the axis neither jumps nor flips.
    """
    across = rot.cross(rot.normalize(thigh), rot.normalize(shin))
    shown = rot.rotate(rot.inverse(frame), across).mean(axis=0)
    usual = rot.rotate(frame, rot.normalize(shown + 0.05 * _reference_hinge(skeleton, limb)))
    # an overstretched joint counts as straight: it is to bend the usual way
    backwards = np.minimum(np.sum(across * usual, axis=-1, keepdims=True), 0.0)
    return rot.normalize(across - backwards * usual + TRUSTED_BEND * usual)


def _reference_hinge(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(3,) the hinge in the upper bone's frame, as bodies are made: knees bend back, elbows forward."""
    positions, turned = skeleton.reference_pose
    bone = rot.normalize(positions[limb.middle] - positions[limb.upper])
    bends_to = -rot.Z_AXIS if abs(bone[1]) > abs(bone[0]) else rot.Z_AXIS
    return rot.rotate(rot.inverse(turned[skeleton.parents[limb.middle]]), rot.cross(bone, bends_to))


def _soft_distance(
    distance: np.ndarray, thigh: np.ndarray, shin: np.ndarray, straightest: float
) -> np.ndarray:
    """(F,) the distance from hip to end that the limb takes up, in metres, for one that is asked of it."""
    first, second = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shin, axis=-1)
    length = first + second
    softened = _soft_limit(distance, (straightest - SOFT_ZONE) * length, straightest * length)
    return np.maximum(softened, 1.001 * np.abs(first - second))


def _bend_change(thigh: np.ndarray, shin: np.ndarray, hinge: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """(F,) radians to turn the shin about the hinge, until the end is at a distance from the hip."""

    def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.sum(a * b, axis=-1)

    # thigh · turned shin = along + flat · cos(angle - straight): the hinge need not stand square on the limb
    along = dot(thigh, hinge) * dot(shin, hinge)
    cosine, sine = dot(thigh, shin) - along, dot(thigh, rot.cross(hinge, shin))
    straight, flat = np.arctan2(sine, cosine), np.hypot(cosine, sine)
    wanted = 0.5 * (distance**2 - dot(thigh, thigh) - dot(shin, shin)) - along
    return straight + np.arccos(np.clip(wanted / np.where(flat > 0.0, flat, 1.0), -1.0, 1.0))


def _across(direction: np.ndarray, line: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """(F, 3) the unit part of a direction that is square to a line; `otherwise` where there is none."""
    square = direction - np.sum(direction * line, axis=-1, keepdims=True) * line
    least = 1e-6 * np.linalg.norm(direction, axis=-1, keepdims=True)
    there = np.linalg.norm(square, axis=-1, keepdims=True) > least
    return rot.normalize(np.where(there, square, otherwise))


def look_at(
    clip: Clip,
    target: ArrayLike,
    parts: Sequence[str] = NECK,
    weight: ArrayLike = 1.0,
    limits: tuple[float, float] = NECK_LIMITS,
) -> Clip:
    """The clip with its head turned towards a point (F, 3) or (3,) in metres; see `look_along`."""
    head = clip.positions[:, clip.skeleton.joint(parts[-1])]
    return look_along(clip, np.asarray(target, dtype=float) - head, parts, weight, limits)


def look_along(
    clip: Clip,
    direction: ArrayLike,  # (F, 3) or (3,)
    parts: Sequence[str] = NECK,
    weight: ArrayLike = 1.0,  # (F,)
    limits: tuple[float, float] = NECK_LIMITS,  # radians sideways, and up or down
) -> Clip:
    """The clip with its last part looking along a direction, as far as the limits against the trunk allow.

    The parts share the turn evenly. A target that passes behind the back is let go, so the head does not
    whip from one shoulder to the other.
    """
    trunk, gaze = turned_below(clip, parts), rot.rotate(clip.turned(parts[-1]), rot.Z_AXIS)

    # Step 1. Draw the wanted direction into the cone that the neck allows, as the trunk sees it.
    wanted = rot.normalize(rot.rotate(rot.inverse(trunk), np.broadcast_to(direction, gaze.shape)))
    sideways = np.hypot(wanted[:, 0], wanted[:, 1])
    angle = np.arctan2(sideways, wanted[:, 2])
    outward = wanted[:, :2] / np.where(sideways > 0.0, sideways, 1.0)[:, None]
    limit = 1.0 / np.maximum(np.linalg.norm(outward / np.asarray(limits), axis=-1), 1e-9)
    drawn = _soft_limit(angle, 0.8 * limit, limit)
    allowed = np.concatenate([np.sin(drawn)[:, None] * outward, np.cos(drawn)[:, None]], axis=-1)

    # Step 2. The turn of the head, in the world.
    behind = smooth_step((angle - _BEHIND_ANGLES[0]) / (_BEHIND_ANGLES[1] - _BEHIND_ANGLES[0]))
    strength = np.asarray(weight, dtype=float) * (1.0 - behind)
    turn = strength[:, None] * rot.to_rotation_vector(rot.between(gaze, rot.rotate(trunk, allowed)))

    # Step 3. Each part takes its share.
    return turn_parts(clip, turn, parts)


def turned_below(clip: Clip, parts: Sequence[str] = NECK) -> np.ndarray:
    """(F, 4) how the joint that carries the first of some parts is turned away from the T-pose: the chest."""
    skeleton = clip.skeleton
    joint = skeleton.parents[_chain(skeleton, parts)[0]]
    return rot.multiply(clip.global_rotations[:, joint], rot.inverse(skeleton.reference[joint]))


def turn_parts(clip: Clip, turn: np.ndarray, parts: Sequence[str] = NECK) -> Clip:
    """The clip with its last part turned by rotation vectors (F, 3) in the world; all parts share it."""
    skeleton = clip.skeleton
    chain = _chain(skeleton, parts)
    rotations, below = clip.rotations.copy(), np.zeros_like(turn)
    for number, joint in enumerate(chain, start=1):
        share = turn * number / len(chain)
        carried = rot.multiply(
            rot.from_rotation_vector(below), clip.global_rotations[:, skeleton.parents[joint]]
        )
        placed = rot.multiply(rot.from_rotation_vector(share), clip.global_rotations[:, joint])
        rotations[:, joint] = rot.multiply(rot.inverse(carried), placed)
        below = share
    return clip.with_frames(clip.root_position, rotations)


def _chain(skeleton: Skeleton, parts: Sequence[str]) -> list[int]:
    return [skeleton.joint(part) for part in parts if part in skeleton.parts]


def _soft_limit(value: np.ndarray, start: ArrayLike, limit: ArrayLike) -> np.ndarray:
    """The value up to `start`; from there on it nears `limit` without ever passing it, and without a kink."""
    start = np.asarray(start, dtype=float)
    zone = np.asarray(limit, dtype=float) - start
    beyond = np.maximum(value - start, 0.0)
    return np.where(beyond > 0.0, start + zone * -np.expm1(-beyond / zone), value)
