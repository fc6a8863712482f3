"""The bodies of avatars: poses, joins between stretches, and how a body gives way to a blow.

Joins die away as in motion/transition.py; a blow displaces the struck body as an inverse kinematics does.
"""

import math

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.rotation import multiply, rotate, vector_of

_PEAK = 16.0 / 81.0  # metres that an offset of zero reaches which starts at 1 m/s and dies away in 1 s
_OVERSHOOT = 1.5  # times the offset at the join
_ROOT_ALLOWANCE, _TURN_ALLOWANCE = 0.05, 0.2  # metres, radians, see motion/transition.py
_SMALL = 1e-3  # metres of a displacement that nobody sees


@kernel
def _exp(x, y, z):
    """The unit quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), factor * x, factor * y, factor * z


@kernel
def _carried(ox, oy, oz, vx, vy, vz, duration, allowance):
    """Seconds in which the velocity of an offset dies away, so that it does not swing out too far."""
    length = math.sqrt(ox * ox + oy * oy + oz * oz)
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    room = max(_OVERSHOOT * length, allowance) - length
    return min(duration, room / (_PEAK * max(speed, 1e-12)))


@kernel
def _fading(time, duration, carried):
    """What is left of an offset and of its velocity (in seconds) some time after a join."""
    s, v = min(time / duration, 1.0), min(time / max(carried, 1e-12), 1.0)
    return (
        (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s),
        carried * (1.0 - v) ** 3 * v * (1.0 + 3.0 * v),
    )


@kernel
def _source(root, rotations, frame, joint, yaw_w, yaw_y):
    """A joint's rotation as recorded, the root's turned to its place."""
    w, x, y, z = (
        rotations[frame, joint, 0],
        rotations[frame, joint, 1],
        rotations[frame, joint, 2],
        rotations[frame, joint, 3],
    )
    if joint == 0:
        return multiply(yaw_w, 0.0, yaw_y, 0.0, w, x, y, z)
    return w, x, y, z


@kernel
def _offset_from(shown, who, joint, w, x, y, z):
    """The rotation vector from a rotation to the one that is shown."""
    a, b, c, d = multiply(
        shown[who, joint, 0], shown[who, joint, 1], shown[who, joint, 2], shown[who, joint, 3], w, -x, -y, -z
    )
    return vector_of(a, b, c, d)


@kernel
def start_join(
    who, frame, before, fps, duration, root, rotations, place, shown_root, shown, last_root, last, join
):
    """Remember by how much the pose shown, and the one before it, are off what is played from now on."""
    cosine, sine = math.cos(place[who, 2]), math.sin(place[who, 2])
    yaw_w, yaw_y = math.cos(0.5 * place[who, 2]), math.sin(0.5 * place[who, 2])
    for moment in range(2):
        f = frame if moment == 0 else before
        x = cosine * root[f, 0] + sine * root[f, 2] + place[who, 0]
        z = cosine * root[f, 2] - sine * root[f, 0] + place[who, 1]
        if moment == 0:
            join[who, 0, 0], join[who, 0, 1] = shown_root[who, 0] - x, shown_root[who, 1] - root[f, 1]
            join[who, 0, 2] = shown_root[who, 2] - z
        else:
            join[who, 0, 3] = (join[who, 0, 0] - (last_root[who, 0] - x)) * fps
            join[who, 0, 4] = (join[who, 0, 1] - (last_root[who, 1] - root[f, 1])) * fps
            join[who, 0, 5] = (join[who, 0, 2] - (last_root[who, 2] - z)) * fps
        for j in range(rotations.shape[1]):
            w, a, b, c = _source(root, rotations, f, j, yaw_w, yaw_y)
            if moment == 0:
                x, y, z = _offset_from(shown, who, j, w, a, b, c)
                join[who, j + 1, 0], join[who, j + 1, 1], join[who, j + 1, 2] = x, y, z
            else:
                x, y, z = _offset_from(last, who, j, w, a, b, c)
                join[who, j + 1, 3] = (join[who, j + 1, 0] - x) * fps
                join[who, j + 1, 4] = (join[who, j + 1, 1] - y) * fps
                join[who, j + 1, 5] = (join[who, j + 1, 2] - z) * fps
    for row in range(rotations.shape[1] + 1):
        join[who, row, 6] = _carried(
            join[who, row, 0],
            join[who, row, 1],
            join[who, row, 2],
            join[who, row, 3],
            join[who, row, 4],
            join[who, row, 5],
            duration,
            _ROOT_ALLOWANCE if row == 0 else _TURN_ALLOWANCE,
        )


@kernel
def pose(who, frame, time, duration, root, rotations, place, join, shown_root, shown):
    """The pose of a frame in its place, with what is left of the last join."""
    cosine, sine = math.cos(place[who, 2]), math.sin(place[who, 2])
    yaw_w, yaw_y = math.cos(0.5 * place[who, 2]), math.sin(0.5 * place[who, 2])
    shown_root[who, 0] = cosine * root[frame, 0] + sine * root[frame, 2] + place[who, 0]
    shown_root[who, 1] = root[frame, 1]
    shown_root[who, 2] = cosine * root[frame, 2] - sine * root[frame, 0] + place[who, 1]
    joining = time < duration
    if joining:
        offset, swing = _fading(time, duration, join[who, 0, 6])
        for k in range(3):
            shown_root[who, k] += offset * join[who, 0, k] + swing * join[who, 0, 3 + k]
    for j in range(rotations.shape[1]):
        w, x, y, z = _source(root, rotations, frame, j, yaw_w, yaw_y)
        if joining:
            offset, swing = _fading(time, duration, join[who, j + 1, 6])
            tw, tx, ty, tz = _exp(
                offset * join[who, j + 1, 0] + swing * join[who, j + 1, 3],
                offset * join[who, j + 1, 1] + swing * join[who, j + 1, 4],
                offset * join[who, j + 1, 2] + swing * join[who, j + 1, 5],
            )
            w, x, y, z = multiply(tw, tx, ty, tz, w, x, y, z)
        shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3] = w, x, y, z


@kernel
def stand(who, shown_root, shown, parents, offsets, position, turned):
    """Where all joints are in the world: one body of several, as kernels/kinematics.py does it for clips."""
    for j in range(parents.shape[0]):
        w, x, y, z = shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3]
        p = parents[j]
        if p < 0:
            for k in range(3):
                position[who, j, k] = shown_root[who, k]
        else:
            pw, px, py, pz = turned[who, p, 0], turned[who, p, 1], turned[who, p, 2], turned[who, p, 3]
            dx, dy, dz = rotate(pw, px, py, pz, offsets[j, 0], offsets[j, 1], offsets[j, 2])
            position[who, j, 0] = position[who, p, 0] + dx
            position[who, j, 1] = position[who, p, 1] + dy
            position[who, j, 2] = position[who, p, 2] + dz
            w, x, y, z = multiply(pw, px, py, pz, w, x, y, z)
        turned[who, j, 0], turned[who, j, 1], turned[who, j, 2], turned[who, j, 3] = w, x, y, z


@kernel
def bend(who, chain, length, x, y, z, dx, dy, dz, parents, position, turned, shown):
    """Turn the joints of a chain so that a point x, y, z on its end moves by a displacement.

    One step of the transposed Jacobian: every joint turns as much as it helps.
    """
    total = 0.0
    for k in range(length):
        j = chain[k]
        rx, ry, rz = x - position[who, j, 0], y - position[who, j, 1], z - position[who, j, 2]
        total += rx * rx + ry * ry + rz * rz
    for k in range(length):
        j = chain[k]
        p = parents[j]
        rx, ry, rz = x - position[who, j, 0], y - position[who, j, 1], z - position[who, j, 2]
        ax, ay, az = (
            (ry * dz - rz * dy) / total,
            (rz * dx - rx * dz) / total,
            (rx * dy - ry * dx) / total,
        )
        ax, ay, az = rotate(
            turned[who, p, 0], -turned[who, p, 1], -turned[who, p, 2], -turned[who, p, 3], ax, ay, az
        )
        tw, tx, ty, tz = _exp(ax, ay, az)
        w, a, b, c = multiply(
            tw, tx, ty, tz, shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3]
        )
        shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3] = w, a, b, c


@kernel
def point_of(who, joint, position, turned, x, y, z):
    """A point in a joint's frame, in the world."""
    a, b, c = rotate(
        turned[who, joint, 0], turned[who, joint, 1], turned[who, joint, 2], turned[who, joint, 3], x, y, z
    )
    return position[who, joint, 0] + a, position[who, joint, 1] + b, position[who, joint, 2] + c


@kernel
def give_way(
    who, push, chains, lengths, part_joint, part_end, shown_root, shown, parents, offsets, position, turned
):
    """Displace the parts of a body that were struck; returns whether any was."""
    given = False
    for part in range(push.shape[1]):
        dx, dy, dz = push[who, part, 0], push[who, part, 1], push[who, part, 2]
        if dx * dx + dy * dy + dz * dz < _SMALL * _SMALL or lengths[part] == 0:
            continue
        x, y, z = point_of(
            who,
            part_joint[part],
            position,
            turned,
            0.5 * (part_end[part, 0, 0] + part_end[part, 1, 0]),
            0.5 * (part_end[part, 0, 1] + part_end[part, 1, 1]),
            0.5 * (part_end[part, 0, 2] + part_end[part, 1, 2]),
        )
        bend(who, chains[part], lengths[part], x, y, z, dx, dy, dz, parents, position, turned, shown)
        stand(who, shown_root, shown, parents, offsets, position, turned)
        given = True
    return given


@kernel
def spring(place, velocity, stiffness, damping, most, step):
    """A spring (3,) that draws back to zero, stretched no farther than `most`."""
    length = 0.0
    for k in range(3):
        velocity[k] -= step * (stiffness * place[k] + damping * velocity[k])
        place[k] += step * velocity[k]
        length += place[k] * place[k]
    length = math.sqrt(length)
    if length > most:
        for k in range(3):
            place[k] *= most / length
            velocity[k] = 0.0


@array_kernel
def displacements(first, part, velocity, stiffness, damping, most, step, push):
    """How far blows displace parts of a body (F, H, 3): blow k sets off in frame first[k]."""
    moving = push[0] * 0.0
    k = 0
    for frame in range(push.shape[0]):
        if frame > 0:
            push[frame] = push[frame - 1]
        while k < first.shape[0] and first[k] <= frame:
            moving[part[k]] += velocity[k]
            k += 1
        for h in range(push.shape[1]):
            spring(push[frame, h], moving[h], stiffness, damping, most, step)


@kernel
def displace(
    push, chains, lengths, part_joint, part_end, parents, offsets, root, rotations, position, turned
):
    """Displace the struck parts of a body in every frame of a clip; rotations (F, J, 4) are changed."""
    for frame in range(root.shape[0]):
        stand(frame, root, rotations, parents, offsets, position, turned)
        give_way(
            frame,
            push,
            chains,
            lengths,
            part_joint,
            part_end,
            root,
            rotations,
            parents,
            offsets,
            position,
            turned,
        )
