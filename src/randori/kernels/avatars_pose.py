"""The bodies of avatars: poses, joins between stretches, and how a body gives way to a blow.

Joins die away as in motion/transition.py; a blow displaces the struck body as an inverse kinematics does.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.easing import decay_factors
from randori.kernels.plane import move_point
from randori.kernels.rotation import multiply, rotate, vector_of

_PEAK = 16.0 / 81.0  # metres that an offset of zero reaches which starts at 1 m/s and dies away in 1 s
_OVERSHOOT = 1.5  # times the offset at the join
_ROOT_ALLOWANCE, _TURN_ALLOWANCE = 0.05, 0.2  # metres, radians, see motion/transition.py
_INVISIBLE_DISTANCE = 1e-3  # metres of a displacement that is invisible
# Metres. A blow closer to a joint than that hardly turns it: else a push of 20 cm on the belly, 4 cm from the
# joint below it, would fold the trunk. No joint turns by more than the push over twice this lever.
_LEVER = 0.25
LONGEST_CHAIN = 3  # joints
PART = np.dtype(
    [
        ("joint", np.int64),
        ("radius", np.float64),  # metres
        ("chain", np.int64, (LONGEST_CHAIN,)),  # joints that turn when the part is pushed
        ("chain_length", np.int64),
    ],
    align=True,
)
JOIN = np.dtype(
    [
        ("x", np.float64),  # metres of the root, or the rotation vector of a joint: the offset at the join
        ("y", np.float64),
        ("z", np.float64),
        ("velocity_x", np.float64),  # of the offset, per second
        ("velocity_y", np.float64),
        ("velocity_z", np.float64),
        ("carried", np.float64),  # seconds in which the velocity dies away
    ],
    align=True,
)


class Skeleton(NamedTuple):
    """The bones of a body with J joints, and its H parts that can be hit."""

    parents: np.ndarray  # (J,) int64
    offsets: np.ndarray  # (J, 3) metres
    parts: np.ndarray  # (H,) PART
    part_ends: np.ndarray  # (H, 2, 3) metres, of the part's capsule in its joint's frame


class Recorded(NamedTuple):
    """The recordings: F frames."""

    root: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4)


class Pose(NamedTuple):
    """Bodies as they are shown: N avatars."""

    root: np.ndarray  # (N, 3) metres
    rotations: np.ndarray  # (N, J, 4)
    position: np.ndarray  # (N, J, 3) metres, of the joints in the world
    turned: np.ndarray  # (N, J, 4) of the joints in the world


class Spring(NamedTuple):
    """Parameters of the motion with which a struck thing gives way and comes back."""

    fastest: float  # metres per second that a blow gives it at most
    stiffness: float  # 1/s²
    damping: float  # 1/s
    most: float  # metres that it is stretched at most


# -- joins -----------------------------------------------------------------------------------------------


@kernel
def _exp(x, y, z):
    """The unit quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), factor * x, factor * y, factor * z


@kernel
def _carried(join, duration, allowance):
    """Seconds in which the velocity of an offset dies away, so that it does not swing out too far."""
    length = math.sqrt(join.x * join.x + join.y * join.y + join.z * join.z)
    x, y, z = join.velocity_x, join.velocity_y, join.velocity_z
    speed = math.sqrt(x * x + y * y + z * z)
    room = max(_OVERSHOOT * length, allowance) - length
    return min(duration, room / (_PEAK * max(speed, 1e-12)))


@kernel
def _source(recorded, frame, joint, yaw):
    """A joint's rotation as recorded, the root's turned to its place."""
    row = recorded.rotations[frame, joint]
    w, x, y, z = row[0], row[1], row[2], row[3]
    if joint == 0:
        return multiply(math.cos(0.5 * yaw), 0.0, math.sin(0.5 * yaw), 0.0, w, x, y, z)
    return w, x, y, z


@kernel
def _root_at(recorded, frame, place):
    """The world position of the root of a frame that is played at a place."""
    root = recorded.root[frame]
    x, z = move_point(math.cos(place.yaw), math.sin(place.yaw), place.x, place.z, root[0], root[2])
    return x, root[1], z


@kernel
def _offset_from(rotations, number, joint, source):
    """The rotation vector from a rotation to the one that is shown."""
    w, x, y, z = source
    shown = rotations[number, joint]
    a, b, c, d = multiply(shown[0], shown[1], shown[2], shown[3], w, -x, -y, -z)
    return vector_of(a, b, c, d)


@kernel
def _set_velocity(join, before, fps):
    """The velocity of an offset that was another one (x, y, z) a frame before."""
    join.velocity_x = (join.x - before[0]) * fps
    join.velocity_y = (join.y - before[1]) * fps
    join.velocity_z = (join.z - before[2]) * fps


@kernel
def start_join(number, place, frames, recorded, world, duration, fps):
    """Remember by how much the pose shown, and the one before it, are off what is played from now on.

    `frames` are the first that is played, and the one before it.
    """
    frame, before = frames
    joins = world.joins[number]
    x, y, z = _root_at(recorded, frame, place)
    root, last_root = world.shown.root[number], world.last_root[number]
    joins[0].x, joins[0].y, joins[0].z = root[0] - x, root[1] - y, root[2] - z
    x, y, z = _root_at(recorded, before, place)
    _set_velocity(joins[0], (last_root[0] - x, last_root[1] - y, last_root[2] - z), fps)
    for j in range(recorded.rotations.shape[1]):
        join = joins[j + 1]
        source = _source(recorded, frame, j, place.yaw)
        join.x, join.y, join.z = _offset_from(world.rotations, number, j, source)
        source = _source(recorded, before, j, place.yaw)
        _set_velocity(join, _offset_from(world.last_rotations, number, j, source), fps)
    for row in range(len(joins)):
        joins[row].carried = _carried(joins[row], duration, _ROOT_ALLOWANCE if row == 0 else _TURN_ALLOWANCE)


@pasted
def pose(number, place, frame, time, duration, recorded, world):
    """The pose of a frame in its place, with what is left of the last join."""
    joins, root = world.joins[number], world.shown.root[number]
    root[0], root[1], root[2] = _root_at(recorded, frame, place)
    joining = time < duration
    if joining:
        join = joins[0]
        offset, moving = decay_factors(time, duration, join.carried)
        root[0] += offset * join.x + moving * join.velocity_x
        root[1] += offset * join.y + moving * join.velocity_y
        root[2] += offset * join.z + moving * join.velocity_z
    for j in range(recorded.rotations.shape[1]):
        w, x, y, z = _source(recorded, frame, j, place.yaw)
        if joining:
            join = joins[j + 1]
            offset, moving = decay_factors(time, duration, join.carried)
            tw, tx, ty, tz = _exp(
                offset * join.x + moving * join.velocity_x,
                offset * join.y + moving * join.velocity_y,
                offset * join.z + moving * join.velocity_z,
            )
            w, x, y, z = multiply(tw, tx, ty, tz, w, x, y, z)
        shown = world.rotations[number, j]
        shown[0], shown[1], shown[2], shown[3] = w, x, y, z


# -- blows -----------------------------------------------------------------------------------------------


@kernel
def stand(number, skeleton, pose):
    """Place all joints in the world: one body of several, as kernels/kinematics.py does it for clips."""
    for j in range(skeleton.parents.shape[0]):
        own, place, turned = pose.rotations[number, j], pose.position[number, j], pose.turned[number, j]
        w, x, y, z = own[0], own[1], own[2], own[3]
        p = skeleton.parents[j]
        if p < 0:
            for k in range(3):
                place[k] = pose.root[number, k]
        else:
            offset, parent, whole = skeleton.offsets[j], pose.position[number, p], pose.turned[number, p]
            pw, px, py, pz = whole[0], whole[1], whole[2], whole[3]
            dx, dy, dz = rotate(pw, px, py, pz, offset[0], offset[1], offset[2])
            place[0], place[1], place[2] = parent[0] + dx, parent[1] + dy, parent[2] + dz
            w, x, y, z = multiply(pw, px, py, pz, w, x, y, z)
        turned[0], turned[1], turned[2], turned[3] = w, x, y, z


@kernel
def _away(position, point):
    """The way from a joint (3,) to a point."""
    return point[0] - position[0], point[1] - position[1], point[2] - position[2]


@kernel
def bend(number, part, point, push, skeleton, pose):
    """Turn the joints of a part's chain so that a point (x, y, z) on it moves by a push (x, y, z).

    One damped step of the transposed Jacobian: every joint turns as much as it helps.
    """
    dx, dy, dz = push
    total = _LEVER * _LEVER
    for k in range(part.chain_length):
        x, y, z = _away(pose.position[number, part.chain[k]], point)
        total += x * x + y * y + z * z
    for k in range(part.chain_length):
        j = part.chain[k]
        x, y, z = _away(pose.position[number, j], point)
        parent, own = pose.turned[number, skeleton.parents[j]], pose.rotations[number, j]
        x, y, z = (y * dz - z * dy) / total, (z * dx - x * dz) / total, (x * dy - y * dx) / total
        x, y, z = rotate(parent[0], -parent[1], -parent[2], -parent[3], x, y, z)
        tw, tx, ty, tz = _exp(x, y, z)
        own[0], own[1], own[2], own[3] = multiply(tw, tx, ty, tz, own[0], own[1], own[2], own[3])


@kernel
def point_of(number, joint, pose, x, y, z):
    """A point in a joint's frame, in the world."""
    place, turned = pose.position[number, joint], pose.turned[number, joint]
    a, b, c = rotate(turned[0], turned[1], turned[2], turned[3], x, y, z)
    return place[0] + a, place[1] + b, place[2] + c


@kernel
def give_way(number, push, skeleton, pose):
    """Displace the parts of a body that were struck by their push (N, H, 3)."""
    for part in range(push.shape[1]):
        dx, dy, dz = push[number, part, 0], push[number, part, 1], push[number, part, 2]
        row, end = skeleton.parts[part], skeleton.part_ends[part]
        if dx * dx + dy * dy + dz * dz < _INVISIBLE_DISTANCE * _INVISIBLE_DISTANCE or row.chain_length == 0:
            continue
        x, y, z = 0.5 * (end[0, 0] + end[1, 0]), 0.5 * (end[0, 1] + end[1, 1]), 0.5 * (end[0, 2] + end[1, 2])
        point = point_of(number, row.joint, pose, x, y, z)
        bend(number, row, point, (dx, dy, dz), skeleton, pose)
        stand(number, skeleton, pose)


@kernel
def swing(place, velocity, spring, step):
    """A spring (3,) that draws back to zero, after a step in seconds."""
    length = 0.0
    for k in range(3):
        velocity[k] -= step * (spring.stiffness * place[k] + spring.damping * velocity[k])
        place[k] += step * velocity[k]
        length += place[k] * place[k]
    length = math.sqrt(length)
    if length > spring.most:
        for k in range(3):
            place[k] *= spring.most / length
            velocity[k] = 0.0
