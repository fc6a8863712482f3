"""A body as a puppet of twelve particles: where its joints are when the particles are off their motion.

A particle is kept as its offset from where the motion has it, so a body that nothing touches is its motion.
Rotations are fitted to the offsets: bones keep their lengths, elbows and knees their hinges.
The tip of a weapon is off where its hand carries it: a blade is moved by the wrist, and turned about it.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.contact import WEAPON, nearest_points
from randori.kernels.easing import smooth_step
from randori.kernels.limbs import bend_between_distances
from randori.kernels.rotation import (
    compose,
    from_vector_by_series,
    rotation_at,
    set_rotation,
    turn,
    turn_between,
)
from randori.kernels.vectors import cross, dot, length_of, minus, plus, row_of, set_row, times

(
    PELVIS,
    CHEST,
    SKULL,
    LEFT_ELBOW,
    LEFT_WRIST,
    LEFT_KNEE,
    LEFT_ANKLE,
    RIGHT_ELBOW,
    RIGHT_WRIST,
    RIGHT_KNEE,
    RIGHT_ANKLE,
    TIP,
) = range(12)
PARTICLES = 12
# Roles of a joint: move on with its parent, bend with the trunk or the neck, be part of a limb
CARRIED, TRUNK, NECK, UPPER, MIDDLE, END = range(6)
LIMBS = 4  # left arm, right arm, left leg, right leg

_UPPER_OF = (CHEST, CHEST, PELVIS, PELVIS)
_MIDDLE_OF = (LEFT_ELBOW, RIGHT_ELBOW, LEFT_KNEE, RIGHT_KNEE)
END_OF = (LEFT_WRIST, RIGHT_WRIST, LEFT_ANKLE, RIGHT_ANKLE)
_MOST_BEND = 0.55  # radians, of the trunk and of the neck
_SHORTEST_LIMB = 0.45  # of a limb's length: nearer to its root its end is held back
_MOST_TWIST = 0.9  # radians of an elbow or a knee about the line of its limb
# the trunk bends bit by bit: its end gets less far than a hinge at the bottom would bring it
_TRUNK_GAIN = 1.4


LIMB = np.dtype(
    [
        ("upper", np.int64),  # joint
        ("middle", np.int64),  # joint
        ("end", np.int64),  # joint
        ("straightest", np.float64),  # metres that it reaches
    ],
    align=True,
)


class Bodies(NamedTuple):
    """Constant data: the build of bodies and their own motion."""

    first: np.ndarray  # (B + 1,) int64, the joints of each body
    parents: np.ndarray  # (J,) int64 among all joints, -1 for roots
    kind: np.ndarray  # (J,) int64
    limb: np.ndarray  # (J,) int64, of those that belong to one
    share: np.ndarray  # (J,) of the bend of the trunk or the neck
    trunk: np.ndarray  # (B,) int64, the lowest joint that bends the trunk, or -1
    neck: np.ndarray  # (B,) int64, the lowest joint that bends the neck, or -1
    limbs: np.ndarray  # (B, 4) LIMB
    capsules: np.ndarray  # (B, 16) int64 joints
    radii: np.ndarray  # (B, 16) metres
    weights: np.ndarray  # (16, 2, 12) how far particles move the ends of capsules
    joints: np.ndarray  # (F, J, 3) metres
    ends: np.ndarray  # (F, B, 16, 2, 3) metres, of the capsules
    points: np.ndarray  # (F, B, 12, 3) metres, the particles
    hinges: np.ndarray  # (F, B, 4, 3) axes of elbows and knees
    planted: np.ndarray  # (F, B, 2) 1 where a foot must stay, 0 where it is free
    grip: np.ndarray  # (F, B, 2) 1 where the left hand, and the right hand, is on a weapon


class Pose(NamedTuple):
    """The joints of all bodies in a frame, off their motion."""

    place: np.ndarray  # (J, 3) metres
    turned: np.ndarray  # (J, 4) how they are turned away from their motion
    upper_turns: (
        np.ndarray
    )  # (4, 4) the same for the upper bones of the limbs of the body that was posed last,
    middle_turns: np.ndarray  # (4, 4) and for the bones below them

    @classmethod
    def of(cls, bodies: Bodies) -> "Pose":
        """Room for the poses of some bodies."""
        joints = len(bodies.parents)
        return cls(np.empty((joints, 3)), np.empty((joints, 4)), np.empty((LIMBS, 4)), np.empty((LIMBS, 4)))


class Gap(NamedTuple):
    """Two capsules that may touch, and room to find out."""

    first_body: int
    first: int  # capsule
    second_body: int
    second: int  # capsule
    ends: np.ndarray  # (2, 16, 2, 3) metres, of the capsules of both bodies
    pose: Pose


@kernel
def pose(bodies, frame, b, offsets, shown):
    """Fill the joints of body b in a pose, for particles that are off by (12, 3) metres."""
    at = bodies.joints[frame]
    trunk = _trunk_bend(bodies, frame, b, offsets)
    chest = from_vector_by_series(trunk)
    neck = 0.0, 0.0, 0.0
    for j in range(bodies.first[b], bodies.first[b + 1]):
        parent = bodies.parents[j]
        if parent < 0:
            set_row(shown.place, j, plus(row_of(at, j), row_of(offsets, PELVIS)))
            set_rotation(shown.turned, j, (1.0, 0.0, 0.0, 0.0))
            continue
        above = rotation_at(shown.turned, parent)
        bone = turn(above, minus(row_of(at, j), row_of(at, parent)))
        set_row(shown.place, j, plus(row_of(shown.place, parent), bone))
        kind, limb = bodies.kind[j], bodies.limb[j]
        turned = above
        if kind == TRUNK:
            turned = from_vector_by_series(times(bodies.share[j], trunk))
        elif kind == NECK:
            if j == bodies.neck[b]:
                neck = _neck_bend(bodies, frame, b, offsets, shown, chest)
            turned = compose(from_vector_by_series(times(bodies.share[j], neck)), chest)
        elif kind == UPPER:
            free = 1.0
            if limb >= 2:
                free -= bodies.planted[frame, b, limb - 2]
            _solve_limb(bodies, frame, b, limb, offsets, times(free, row_of(offsets, END_OF[limb])), shown)
            turned = rotation_at(shown.upper_turns, limb)
        elif kind == MIDDLE:
            turned = rotation_at(shown.middle_turns, limb)
        elif kind == END:
            turned = _turn_end(bodies, frame, b, limb, offsets, above)
        set_rotation(shown.turned, j, turned)


@kernel
def _trunk_bend(bodies, frame, b, offsets):
    """The rotation vector by which the trunk bends, so that the chest goes where its particle is."""
    base = bodies.trunk[b]
    if base < 0:
        return 0.0, 0.0, 0.0
    along = minus(row_of(bodies.points[frame, b], CHEST), row_of(bodies.joints[frame], base))
    off = minus(row_of(offsets, CHEST), row_of(offsets, PELVIS))
    scale = _TRUNK_GAIN / max(dot(along, along), 1e-4)
    return _soften(times(scale, cross(along, off)), _MOST_BEND)


@kernel
def _neck_bend(bodies, frame, b, offsets, shown, chest):
    """The rotation vector by which the neck bends, so that the skull goes where its particle is."""
    lowest, skull = bodies.neck[b], row_of(bodies.points[frame, b], SKULL)
    along = turn(chest, minus(skull, row_of(bodies.joints[frame], lowest)))
    wanted = plus(skull, row_of(offsets, SKULL))
    off = minus(minus(wanted, row_of(shown.place, lowest)), along)
    scale = 1.0 / max(dot(along, along), 1e-4)
    return _soften(times(scale, cross(along, off)), _MOST_BEND)


@kernel
def _soften(v, most):
    """A vector, shortened so that it stays below a length."""
    length = length_of(v)
    return times(most * math.tanh(length / most) / length if length > 1e-9 else 1.0, v)


@kernel
def _turn_end(bodies, frame, b, limb, offsets, above):
    """Find the rotation of a foot or a hand below a shin or a forearm that is turned so.

    A foot that stands stays flat on the floor, and a hand lets no weapon swing; else they go along.
    """
    hold = bodies.planted[frame, b, limb - 2] if limb >= 2 else bodies.grip[frame, b, limb]
    w, x, y, z = above
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    w, x, y, z = (1.0 - hold) * w + hold, (1.0 - hold) * x, (1.0 - hold) * y, (1.0 - hold) * z
    size = math.sqrt(w * w + x * x + y * y + z * z)
    turned = w / size, x / size, y / size, z / size
    if limb == 1 and bodies.radii[b, WEAPON] >= 0.0:
        motion = blade(bodies, frame, b)
        turned = compose(turn_between(motion, plus(motion, row_of(offsets, TIP))), turned)
    return turned


@kernel
def _solve_limb(bodies, frame, b, limb, offsets, end_offset, shown):
    """Turn both bones of a limb so that its end is moved by so many metres."""
    joints, at = bodies.limbs[b, limb], bodies.joints[frame]
    upper = minus(row_of(at, joints.middle), row_of(at, joints.upper))
    lower = minus(row_of(at, joints.end), row_of(at, joints.middle))
    aim = minus(plus(row_of(at, joints.end), end_offset), row_of(shown.place, joints.upper))
    aim = _held_off(upper, lower, aim)
    hinge = row_of(bodies.hinges[frame, b], limb)
    distance = _limb_distance(upper, lower, length_of(aim), joints.straightest)
    angle = bend_between_distances(upper, lower, hinge, length_of(plus(upper, lower)), distance)
    bend = from_vector_by_series(times(angle, hinge))
    swing = turn_between(plus(upper, turn(bend, lower)), aim)
    swing = _twist_limb(limb, offsets, end_offset, aim, turn(swing, upper), swing)
    set_rotation(shown.upper_turns, limb, swing)
    set_rotation(shown.middle_turns, limb, compose(swing, bend))


@kernel
def _held_off(upper, lower, aim):
    """The place of a limb's end, from its root: a limb that is pushed at its root does not swing around it,
    it stays where the motion has it."""
    straight = plus(upper, lower)
    before = length_of(straight)
    close = min(before, _SHORTEST_LIMB * (length_of(upper) + length_of(lower)))
    distance = length_of(aim)
    if distance >= close:
        return aim
    back = smooth_step((close - distance) / close) * close / before
    return plus(aim, times(back, straight))


@kernel
def _limb_distance(upper, lower, distance, straightest):
    """The distance in metres that a limb takes up between its ends, for one that is asked of it.

    Near its straightest it stretches less and less.
    """
    first, second = length_of(upper), length_of(lower)
    before = length_of(plus(upper, lower))
    most = max(before, straightest)
    least = min(before, max(1.02 * abs(first - second), 0.3 * (first + second)))
    start = max(before, most - 0.01 * (first + second))
    if distance > start:
        beyond = most - start
        distance = start + (beyond * math.tanh((distance - start) / beyond) if beyond > 1e-9 else 0.0)
    return max(distance, least)


@kernel
def _twist_limb(limb, offsets, end_offset, aim, upper, swing):
    """A limb's swing, twisted so that its elbow or knee gives way sideways: about the line to its end."""
    size = max(length_of(aim), 1e-9)
    line = aim[0] / size, aim[1] / size, aim[2] / size
    side = minus(upper, times(dot(upper, line), line))
    out = length_of(side)
    if out <= 1e-6:
        return swing
    side = side[0] / out, side[1] / out, side[2] / out
    both = plus(row_of(offsets, _UPPER_OF[limb]), end_offset)
    off = minus(row_of(offsets, _MIDDLE_OF[limb]), times(0.5, both))
    aside = dot(off, cross(line, side))
    outward = max(out, 0.08) + max(dot(off, side), 0.0)
    twist = _MOST_TWIST * math.tanh(math.atan2(aside, outward) / _MOST_TWIST) * out / (out + 0.03)
    return compose(from_vector_by_series(times(twist, line)), swing)


@kernel
def blade(bodies, frame, b):
    """From the hand that holds a weapon to its tip, as the motion has it."""
    points = bodies.points[frame, b]
    return minus(row_of(points, TIP), row_of(points, RIGHT_WRIST))


@kernel
def place_ends(bodies, frame, b, shown, ends):
    """The ends of a posed body's capsules (16, 2, 3)."""
    for c in range(ends.shape[0]):
        j = bodies.capsules[b, c]
        for k in range(2):
            off = minus(row_of(bodies.ends[frame, b, c], k), row_of(bodies.joints[frame], j))
            moved = turn(rotation_at(shown.turned, j), off)
            set_row(ends[c], k, plus(row_of(shown.place, j), moved))


@kernel
def nearest(a, b):
    """The nearest points of two segments (2, 3): shares along both, the way from the second to the first."""
    s, t, x, y, z = nearest_points(
        a[0, 0], a[0, 1], a[0, 2], a[1, 0], a[1, 1], a[1, 2],
        b[0, 0], b[0, 1], b[0, 2], b[1, 0], b[1, 1], b[1, 2],
    )  # fmt: skip
    return s, t, (x, y, z)


@kernel
def gap(bodies, frame, offsets, between):
    """The distance between two capsules in a frame, for offsets (F, B, 12, 3).

    Returns metres (negative: inside), where along the first that is, from 0 to 1, and the direction (x, y, z)
    from the first to the second.
    """
    first, second = between.first_body, between.second_body
    pose(bodies, frame, first, offsets[frame, first], between.pose)
    place_ends(bodies, frame, first, between.pose, between.ends[0])
    pose(bodies, frame, second, offsets[frame, second], between.pose)
    place_ends(bodies, frame, second, between.pose, between.ends[1])
    s, _, (x, y, z) = nearest(between.ends[0, between.first], between.ends[1, between.second])
    apart = max(math.sqrt(x * x + y * y + z * z), 1e-9)
    flesh = bodies.radii[first, between.first], bodies.radii[second, between.second]
    return apart - flesh[0] - flesh[1], s, -x / apart, -y / apart, -z / apart


@kernel
def fit(bodies, offsets, shown, places, turned):
    """The joints (F, J, 3) and how they are turned away from their motion (F, J, 4), for all offsets."""
    for f in range(offsets.shape[0]):
        for b in range(offsets.shape[1]):
            pose(bodies, f, b, offsets[f, b], shown)
            for j in range(bodies.first[b], bodies.first[b + 1]):
                set_row(places[f], j, row_of(shown.place, j))
                set_rotation(turned[f], j, rotation_at(shown.turned, j))
