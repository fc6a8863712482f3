"""Bodies that give way: twelve particles each, moved by pushes and blows and drawn back to their motion.

A particle is kept as its offset from where the motion has it, so a body that nothing touches is its motion,
without a lag. Rotations are fitted to the offsets: bones keep their lengths, elbows and knees their hinges.
The tip of a weapon is off where its hand carries it: a blade is moved by the wrist, and turned about it.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.contact import (
    HEAD,
    LEFT_THIGH,
    LOWER_TORSO,
    RIGHT_THIGH,
    UPPER_TORSO,
    WEAPON,
    nearest_points,
)
from randori.kernels.rotation import multiply, rotate

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
# What a joint does: move on with its parent, bend with the trunk or the neck, be part of a limb
CARRIED, TRUNK, NECK, UPPER, MIDDLE, END = range(6)
LIMBS = 4  # left arm, right arm, left leg, right leg

_UPPER_OF = (CHEST, CHEST, PELVIS, PELVIS)
_MIDDLE_OF = (LEFT_ELBOW, RIGHT_ELBOW, LEFT_KNEE, RIGHT_KNEE)
END_OF = (LEFT_WRIST, RIGHT_WRIST, LEFT_ANKLE, RIGHT_ANKLE)
# what each particle is drawn to keep its place against; an ankle only against the floor
_HELD_BY = (-1, PELVIS, CHEST, CHEST, LEFT_ELBOW, PELVIS, -1, CHEST, RIGHT_ELBOW, PELVIS, -1, -1)
# 1/s, how hastily: critically damped, a blow has died away after some four of these times
_DRAWN = (6.0, 8.0, 12.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0)
# how easily a particle moves, 1/kg and no unit that matters: arms give way to trunks
EASE = (0.03, 0.06, 0.15, 0.6, 1.0, 0.4, 0.7, 0.6, 1.0, 0.4, 0.7, 3.0)
# metres that a particle may be away from where what holds it carries it
_FARTHEST = (0.16, 0.16, 0.08, 0.16, 0.25, 0.12, 0.35, 0.16, 0.25, 0.12, 0.35, 0.45)
# of what is beyond that, what carries on to what holds it: who is pushed hard at the head leans back
_CARRIED = (0.0, 0.4, 0.5, 0.3, 0.2, 0.2, 0.0, 0.3, 0.2, 0.2, 0.0, 0.0)
_MOST_BEND = 0.55  # radians, of the trunk and of the neck
_CLOSE = 0.45  # of a limb's length: as near to its root as its end may come without a care
_MOST_TWIST = 0.9  # radians of an elbow or a knee about the line of its limb
_TRUNK_GAIN = (
    1.4  # the chain bends bit by bit: its end gets less far than a hinge at the bottom would bring it
)
_SLACK = 0.004  # metres that flesh gives
_HASTE = 0.12  # metres at most that one frame pushes a particle by: what is deep comes out bit by bit
_REBOUND = 0.35  # of the speed of being pushed that is kept: flesh does not bounce
_HELD_FOR = 0.35  # of the time that a limb waits: wholly
_LEVEL = 0.3  # of a push between trunks that must be level for it to be made level: nobody is lifted
# metres over the floor that particles are not pushed below: an ankle has a foot under it
_FLOOR = (0.1, 0.1, 0.1, 0.05, 0.06, 0.07, 0.14, 0.05, 0.06, 0.07, 0.14, 0.02)
NEAR = 2.6  # metres between pelvises within which bodies can touch


class Bodies(NamedTuple):
    """What does not change: how bodies are built and how they move by themselves."""

    first: np.ndarray  # (B + 1,) int64, the joints of each body
    parents: np.ndarray  # (J,) int64 among all joints, -1 for roots
    kind: np.ndarray  # (J,) int64
    limb: np.ndarray  # (J,) int64, of those that belong to one
    share: np.ndarray  # (J,) of the bend of the trunk or the neck
    trunk: np.ndarray  # (B,) int64, the lowest joint that bends the trunk, or -1
    neck: np.ndarray  # (B,) int64, the lowest joint that bends the neck, or -1
    limbs: np.ndarray  # (B, 4, 3) int64 joints
    straightest: np.ndarray  # (B, 4) metres that limbs reach
    capsules: np.ndarray  # (B, 16) int64 joints
    radii: np.ndarray  # (B, 16) metres
    weights: np.ndarray  # (16, 2, 12) how far particles move the ends of capsules
    joints: np.ndarray  # (F, J, 3) metres
    ends: np.ndarray  # (F, B, 16, 2, 3) metres, of the capsules
    points: np.ndarray  # (F, B, 12, 3) metres, the particles
    hinges: np.ndarray  # (F, B, 4, 3) axes of elbows and knees
    planted: np.ndarray  # (F, B, 2) 1 where a foot must stay, 0 where it is free
    grip: np.ndarray  # (F, B, 2) 1 where the left hand, and the right one, is on a weapon


@kernel
def _turn_of(x, y, z):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * x, scale * y, scale * z


@kernel
def _between(ax, ay, az, bx, by, bz):
    """The shortest turn from direction a to direction b."""
    length = math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
    w = length + ax * bx + ay * by + az * bz
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w <= 1e-9 * length or size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return w / size, x / size, y / size, z / size


@kernel
def _soft(x, y, z, most):
    """A vector, shortened so that it stays below a length."""
    length = math.sqrt(x * x + y * y + z * z)
    scale = most * math.tanh(length / most) / length if length > 1e-9 else 1.0
    return scale * x, scale * y, scale * z


@kernel
def _bend(ax, ay, az, bx, by, bz, hx, hy, hz, before, after):
    """Radians about the hinge h that change the distance between the ends of a limb a, b."""
    ah, bh = ax * hx + ay * hy + az * hz, bx * hx + by * hy + bz * hz
    aa, bb = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
    cx, cy, cz = hy * bz - hz * by, hz * bx - hx * bz, hx * by - hy * bx
    cosine, sine = ax * bx + ay * by + az * bz - ah * bh, ax * cx + ay * cy + az * cz
    flat = math.sqrt(cosine * cosine + sine * sine)
    if flat < 1e-9:
        return 0.0
    first = min(max((0.5 * (before * before - aa - bb) - ah * bh) / flat, -1.0), 1.0)
    second = min(max((0.5 * (after * after - aa - bb) - ah * bh) / flat, -1.0), 1.0)
    return math.acos(second) - math.acos(first)


@kernel
def _solve_limb(bodies, frame, b, limb, offsets, end_x, end_y, end_z, place, turns):
    """Turn a limb so that its end is moved by (end_x, end_y, end_z); turns (4, 2, 4) of its two bones."""
    upper, middle, end = bodies.limbs[b, limb, 0], bodies.limbs[b, limb, 1], bodies.limbs[b, limb, 2]
    at = bodies.joints[frame]
    ax, ay, az = at[middle, 0] - at[upper, 0], at[middle, 1] - at[upper, 1], at[middle, 2] - at[upper, 2]
    bx, by, bz = at[end, 0] - at[middle, 0], at[end, 1] - at[middle, 1], at[end, 2] - at[middle, 2]
    tx = at[end, 0] + end_x - place[upper, 0]
    ty = at[end, 1] + end_y - place[upper, 1]
    tz = at[end, 2] + end_z - place[upper, 2]
    before = math.sqrt((ax + bx) ** 2 + (ay + by) ** 2 + (az + bz) ** 2)
    first, second = math.sqrt(ax * ax + ay * ay + az * az), math.sqrt(bx * bx + by * by + bz * bz)
    # a hand that is pushed at its shoulder does not swing around it: it stays where the motion has it
    close = min(before, _CLOSE * (first + second))
    distance = math.sqrt(tx * tx + ty * ty + tz * tz)
    if distance < close:
        back = (close - distance) / close
        back = back * back * (3.0 - 2.0 * back) * close / before
        tx, ty, tz = tx + back * (ax + bx), ty + back * (ay + by), tz + back * (az + bz)
        distance = math.sqrt(tx * tx + ty * ty + tz * tz)
    most = max(before, bodies.straightest[b, limb])
    least = min(before, max(1.02 * abs(first - second), 0.3 * (first + second)))
    # near its straightest a limb stretches less and less
    zone = 0.01 * (first + second)
    start = max(before, most - zone)
    if distance > start:
        beyond = most - start
        distance = start + (beyond * math.tanh((distance - start) / beyond) if beyond > 1e-9 else 0.0)
    distance = max(distance, least)
    hx, hy, hz = (
        bodies.hinges[frame, b, limb, 0],
        bodies.hinges[frame, b, limb, 1],
        bodies.hinges[frame, b, limb, 2],
    )
    angle = _bend(ax, ay, az, bx, by, bz, hx, hy, hz, before, distance)
    w, x, y, z = _turn_of(angle * hx, angle * hy, angle * hz)
    nx, ny, nz = rotate(w, x, y, z, bx, by, bz)
    sw, sx, sy, sz = _between(ax + nx, ay + ny, az + nz, tx, ty, tz)
    # the elbow gives way sideways: about the line from the shoulder to the wrist
    size = max(math.sqrt(tx * tx + ty * ty + tz * tz), 1e-9)
    lx, ly, lz = tx / size, ty / size, tz / size
    kx, ky, kz = rotate(sw, sx, sy, sz, ax, ay, az)
    along = kx * lx + ky * ly + kz * lz
    kx, ky, kz = kx - along * lx, ky - along * ly, kz - along * lz
    out = math.sqrt(kx * kx + ky * ky + kz * kz)
    if out > 1e-6:
        kx, ky, kz = kx / out, ky / out, kz / out
        m, u = _MIDDLE_OF[limb], _UPPER_OF[limb]
        rx = offsets[m, 0] - 0.5 * (offsets[u, 0] + end_x)
        ry = offsets[m, 1] - 0.5 * (offsets[u, 1] + end_y)
        rz = offsets[m, 2] - 0.5 * (offsets[u, 2] + end_z)
        cx, cy, cz = ly * kz - lz * ky, lz * kx - lx * kz, lx * ky - ly * kx
        aside = rx * cx + ry * cy + rz * cz
        outward = max(out, 0.08) + max(rx * kx + ry * ky + rz * kz, 0.0)
        twist = _MOST_TWIST * math.tanh(math.atan2(aside, outward) / _MOST_TWIST) * out / (out + 0.03)
        qw, qx, qy, qz = _turn_of(twist * lx, twist * ly, twist * lz)
        sw, sx, sy, sz = multiply(qw, qx, qy, qz, sw, sx, sy, sz)
    turns[limb, 0, 0], turns[limb, 0, 1], turns[limb, 0, 2], turns[limb, 0, 3] = sw, sx, sy, sz
    w, x, y, z = multiply(sw, sx, sy, sz, w, x, y, z)
    turns[limb, 1, 0], turns[limb, 1, 1], turns[limb, 1, 2], turns[limb, 1, 3] = w, x, y, z


@kernel
def pose(bodies, frame, b, offsets, place, turned, turns):
    """Where the joints of a body are (J, 3) and how they are turned away from their motion (J, 4), for
    particles that are off by (12, 3)."""
    at, points = bodies.joints[frame], bodies.points[frame, b]
    tx = ty = tz = nx = ny = nz = 0.0
    base = bodies.trunk[b]
    if base >= 0:
        vx, vy, vz = (
            points[CHEST, 0] - at[base, 0],
            points[CHEST, 1] - at[base, 1],
            points[CHEST, 2] - at[base, 2],
        )
        ux = offsets[CHEST, 0] - offsets[PELVIS, 0]
        uy = offsets[CHEST, 1] - offsets[PELVIS, 1]
        uz = offsets[CHEST, 2] - offsets[PELVIS, 2]
        scale = _TRUNK_GAIN / max(vx * vx + vy * vy + vz * vz, 1e-4)
        tx, ty, tz = _soft(
            scale * (vy * uz - vz * uy), scale * (vz * ux - vx * uz), scale * (vx * uy - vy * ux), _MOST_BEND
        )
    cw, cx, cy, cz = _turn_of(tx, ty, tz)
    for j in range(bodies.first[b], bodies.first[b + 1]):
        p = bodies.parents[j]
        if p < 0:
            for k in range(3):
                place[j, k] = at[j, k] + offsets[PELVIS, k]
            turned[j, 0], turned[j, 1], turned[j, 2], turned[j, 3] = 1.0, 0.0, 0.0, 0.0
            continue
        dx, dy, dz = rotate(
            turned[p, 0], turned[p, 1], turned[p, 2], turned[p, 3],
            at[j, 0] - at[p, 0], at[j, 1] - at[p, 1], at[j, 2] - at[p, 2],
        )  # fmt: skip
        place[j, 0], place[j, 1], place[j, 2] = place[p, 0] + dx, place[p, 1] + dy, place[p, 2] + dz
        for k in range(4):
            turned[j, k] = turned[p, k]
        kind, limb = bodies.kind[j], bodies.limb[j]
        if kind == TRUNK:
            share = bodies.share[j]
            w, x, y, z = _turn_of(share * tx, share * ty, share * tz)
            turned[j, 0], turned[j, 1], turned[j, 2], turned[j, 3] = w, x, y, z
        elif kind == NECK:
            if j == bodies.neck[b]:
                rx, ry, rz = rotate(
                    cw,
                    cx,
                    cy,
                    cz,
                    points[SKULL, 0] - at[j, 0],
                    points[SKULL, 1] - at[j, 1],
                    points[SKULL, 2] - at[j, 2],
                )
                ux = points[SKULL, 0] + offsets[SKULL, 0] - place[j, 0] - rx
                uy = points[SKULL, 1] + offsets[SKULL, 1] - place[j, 1] - ry
                uz = points[SKULL, 2] + offsets[SKULL, 2] - place[j, 2] - rz
                scale = 1.0 / max(rx * rx + ry * ry + rz * rz, 1e-4)
                nx, ny, nz = _soft(
                    scale * (ry * uz - rz * uy),
                    scale * (rz * ux - rx * uz),
                    scale * (rx * uy - ry * ux),
                    _MOST_BEND,
                )
            share = bodies.share[j]
            w, x, y, z = _turn_of(share * nx, share * ny, share * nz)
            w, x, y, z = multiply(w, x, y, z, cw, cx, cy, cz)
            turned[j, 0], turned[j, 1], turned[j, 2], turned[j, 3] = w, x, y, z
        elif kind == UPPER:
            e = END_OF[limb]
            free = 1.0
            if limb >= 2:
                free -= bodies.planted[frame, b, limb - 2]
            _solve_limb(
                bodies, frame, b, limb, offsets,
                free * offsets[e, 0], free * offsets[e, 1], free * offsets[e, 2],
                place, turns,
            )  # fmt: skip
            for k in range(4):
                turned[j, k] = turns[limb, 0, k]
        elif kind == MIDDLE:
            for k in range(4):
                turned[j, k] = turns[limb, 1, k]
        elif kind == END:
            # a foot that stands stays flat on the floor, and a hand lets no weapon swing; else they go with
            # their shin or forearm
            hold = bodies.planted[frame, b, limb - 2] if limb >= 2 else bodies.grip[frame, b, limb]
            w, x, y, z = turned[p, 0], turned[p, 1], turned[p, 2], turned[p, 3]
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            w, x, y, z = (1.0 - hold) * w + hold, (1.0 - hold) * x, (1.0 - hold) * y, (1.0 - hold) * z
            size = math.sqrt(w * w + x * x + y * y + z * z)
            w, x, y, z = w / size, x / size, y / size, z / size
            if limb == 1 and bodies.radii[b, WEAPON] >= 0.0:
                dx, dy, dz = blade(bodies, frame, b)
                qw, qx, qy, qz = _between(
                    dx, dy, dz, dx + offsets[TIP, 0], dy + offsets[TIP, 1], dz + offsets[TIP, 2]
                )
                w, x, y, z = multiply(qw, qx, qy, qz, w, x, y, z)
            turned[j, 0], turned[j, 1], turned[j, 2], turned[j, 3] = w, x, y, z


@kernel
def blade(bodies, frame, b):
    """From the hand that holds a weapon to its tip, as the motion has it."""
    points = bodies.points[frame, b]
    return (
        points[TIP, 0] - points[RIGHT_WRIST, 0],
        points[TIP, 1] - points[RIGHT_WRIST, 1],
        points[TIP, 2] - points[RIGHT_WRIST, 2],
    )


@kernel
def place_ends(bodies, frame, b, place, turned, ends):
    """The ends of a body's capsules (16, 2, 3)."""
    for c in range(ends.shape[0]):
        j = bodies.capsules[b, c]
        for k in range(2):
            x, y, z = rotate(
                turned[j, 0], turned[j, 1], turned[j, 2], turned[j, 3],
                bodies.ends[frame, b, c, k, 0] - bodies.joints[frame, j, 0],
                bodies.ends[frame, b, c, k, 1] - bodies.joints[frame, j, 1],
                bodies.ends[frame, b, c, k, 2] - bodies.joints[frame, j, 2],
            )  # fmt: skip
            ends[c, k, 0], ends[c, k, 1], ends[c, k, 2] = place[j, 0] + x, place[j, 1] + y, place[j, 2] + z


@kernel
def nearest(a, b):
    """Where two segments (2, 3) are nearest, as `nearest_points` says."""
    return nearest_points(
        a[0, 0], a[0, 1], a[0, 2], a[1, 0], a[1, 1], a[1, 2],
        b[0, 0], b[0, 1], b[0, 2], b[1, 0], b[1, 1], b[1, 2],
    )  # fmt: skip


@kernel
def is_core(capsule):
    return capsule in (HEAD, UPPER_TORSO, LOWER_TORSO, LEFT_THIGH, RIGHT_THIGH)


@kernel
def move(weights, ease, c, share, x, y, z, offsets, ends):
    """Push the particles that carry a point of a capsule, and with them the ends of all capsules."""
    for p in range(PARTICLES):
        g = ease[p] * ((1.0 - share) * weights[c, 0, p] + share * weights[c, 1, p])
        if g == 0.0:
            continue
        offsets[p, 0] += g * x
        offsets[p, 1] += g * y
        offsets[p, 2] += g * z
        for other in range(ends.shape[0]):
            for k in range(2):
                v = g * weights[other, k, p]
                if v != 0.0:
                    ends[other, k, 0] += v * x
                    ends[other, k, 1] += v * y
                    ends[other, k, 2] += v * z


@kernel
def give(weights, ease, c, share):
    """How easily a point of a capsule moves."""
    total = 0.0
    for p in range(PARTICLES):
        g = (1.0 - share) * weights[c, 0, p] + share * weights[c, 1, p]
        total += ease[p] * g * g
    return total


@kernel
def push(bodies, one, i, s, other, j, t, x, y, z, ease, offsets, ends):
    """Move a point of capsule i of one body, and of j of another, until they are (x, y, z) farther apart."""
    if is_core(i) and is_core(j):
        level, all_of_it = math.sqrt(x * x + z * z), math.sqrt(x * x + y * y + z * z)
        if level > _LEVEL * all_of_it:
            x, y, z = all_of_it / level * x, 0.0, all_of_it / level * z
    yielding = give(bodies.weights, ease[one], i, s) + give(bodies.weights, ease[other], j, t)
    if yielding > 1e-9:
        x, y, z = x / yielding, y / yielding, z / yielding
        move(bodies.weights, ease[one], i, s, x, y, z, offsets[one], ends[one])
        move(bodies.weights, ease[other], j, t, -x, -y, -z, offsets[other], ends[other])


@kernel
def _push_apart(bodies, one, other, ease, offsets, ends):
    """Push the capsules of two bodies apart; returns how deep the deepest were."""
    deepest = 0.0
    for i in range(ends.shape[1]):
        for j in range(ends.shape[1]):
            if bodies.radii[one, i] < 0.0 or bodies.radii[other, j] < 0.0:
                continue
            s, t, x, y, z = nearest(ends[one, i], ends[other, j])
            apart = math.sqrt(x * x + y * y + z * z)
            deep = bodies.radii[one, i] + bodies.radii[other, j] - apart - _SLACK
            if deep <= 0.0 or apart < 1e-6:
                continue
            deepest = max(deepest, deep)
            x, y, z = x / apart, y / apart, z / apart
            push(bodies, one, i, s, other, j, t, deep * x, deep * y, deep * z, ease, offsets, ends)
    return deepest


@kernel
def restrain(bodies, frame, b, offsets):
    """Constraints: parts stay together, planted feet in reach of the hips, nothing below the floor."""
    if bodies.radii[b, WEAPON] >= 0.0:  # a blade turns, it grows no longer
        x, y, z = blade(bodies, frame, b)
        length = math.sqrt(x * x + y * y + z * z)
        u, v, w = x + offsets[TIP, 0], y + offsets[TIP, 1], z + offsets[TIP, 2]
        scale = length / max(math.sqrt(u * u + v * v + w * w), 1e-6)
        offsets[TIP, 0], offsets[TIP, 1], offsets[TIP, 2] = scale * u - x, scale * v - y, scale * w - z
    for p in range(PARTICLES - 1, -1, -1):  # from the ends of limbs to the pelvis
        holder = _HELD_BY[p]
        x, y, z = offsets[p, 0], offsets[p, 1], offsets[p, 2]
        if holder >= 0:
            x, y, z = x - offsets[holder, 0], y - offsets[holder, 1], z - offsets[holder, 2]
        away = math.sqrt(x * x + y * y + z * z)
        if away > _FARTHEST[p]:
            beyond = 1.0 - _FARTHEST[p] / away
            x, y, z = beyond * x, beyond * y, beyond * z
            carried = _CARRIED[p]
            offsets[p, 0] -= (1.0 - carried) * x
            offsets[p, 1] -= (1.0 - carried) * y
            offsets[p, 2] -= (1.0 - carried) * z
            if holder >= 0:
                offsets[holder, 0] += carried * x
                offsets[holder, 1] += carried * y
                offsets[holder, 2] += carried * z
        height = bodies.points[frame, b, p, 1]
        offsets[p, 1] = max(offsets[p, 1], min(_FLOOR[p] - height, 0.0))
    # hands on one weapon move together
    both = 0.5 * min(bodies.grip[frame, b, 0], bodies.grip[frame, b, 1])
    for k in range(3):
        apart = both * (offsets[RIGHT_WRIST, k] - offsets[LEFT_WRIST, k])
        offsets[LEFT_WRIST, k] += apart
        offsets[RIGHT_WRIST, k] -= apart
    for foot in range(2):
        hold = bodies.planted[frame, b, foot]
        if hold <= 0.0:
            continue
        hip, ankle = bodies.limbs[b, 2 + foot, 0], bodies.limbs[b, 2 + foot, 2]
        at = bodies.joints[frame]
        vx, vy, vz = at[ankle, 0] - at[hip, 0], at[ankle, 1] - at[hip, 1], at[ankle, 2] - at[hip, 2]
        most = max(bodies.straightest[b, 2 + foot] * 0.993, math.sqrt(vx * vx + vy * vy + vz * vz))
        vx, vy, vz = vx - offsets[PELVIS, 0], vy - offsets[PELVIS, 1], vz - offsets[PELVIS, 2]
        length = math.sqrt(vx * vx + vy * vy + vz * vz)
        if length > most:
            pull = hold * (length - most) / length
            offsets[PELVIS, 0] += pull * vx
            offsets[PELVIS, 1] += pull * vy
            offsets[PELVIS, 2] += pull * vz


@kernel
def held_back(share):
    """How much of a limb that waits is kept where it struck, after such a share of its time."""
    left = min(max((1.0 - share) / (1.0 - _HELD_FOR), 0.0), 1.0)
    return left * left * (3.0 - 2.0 * left)


@kernel
def _wait(bodies, frame, hit, waiting, body, particle, offsets, now):
    """Keep a particle where it was in the frame of a hit, and the blade that it holds turned as it was, less
    and less."""
    hold = held_back((frame - hit) / waiting)
    for k in range(3):
        place = bodies.points[hit, body, particle, k] + offsets[hit, body, particle, k]
        wanted = place - bodies.points[frame, body, particle, k]
        now[body, particle, k] += hold * (wanted - now[body, particle, k])
    if particle == RIGHT_WRIST and bodies.radii[body, WEAPON] >= 0.0:
        x, y, z = blade(bodies, hit, body)
        at_hit = offsets[hit, body, TIP]
        x, y, z = x + at_hit[0], y + at_hit[1], z + at_hit[2]
        u, v, w = blade(bodies, frame, body)
        tip = now[body, TIP]
        tip[0] += hold * (x - u - tip[0])
        tip[1] += hold * (y - v - tip[1])
        tip[2] += hold * (z - w - tip[2])


@kernel
def simulate(
    bodies,
    blow_frame,  # (N,) int64, in order
    blow_body,  # (N,) int64, who is struck
    blow_speed,  # (N, 12, 3) m/s that particles are given
    aim_body,  # (N,) int64, who strikes
    aim_particle,  # (N,) int64, with what
    aim_at,  # (N,) int64, the particle of the struck body
    waiting,  # (N,) int64 frames that what strikes waits where it struck, because it would go right through
    aiming,  # frames before a blow in which the striking limb is not to be pushed off its way
    step,  # seconds
    rounds,
    offsets,  # (F, B, 12, 3) metres, out
):
    """How far particles are off their motion, in every frame."""
    frames, count = offsets.shape[0], offsets.shape[1]
    joints = bodies.parents.shape[0]
    place, turned, turns = np.empty((joints, 3)), np.empty((joints, 4)), np.empty((LIMBS, 2, 4))
    ends = np.empty((count, bodies.capsules.shape[1], 2, 3))
    now, before, speed = (
        np.zeros((count, PARTICLES, 3)),
        np.zeros((count, PARTICLES, 3)),
        np.zeros((count, PARTICLES, 3)),
    )
    pull, ease = np.zeros((PARTICLES, 3)), np.zeros((count, PARTICLES))
    moved = np.zeros((count, PARTICLES, 3))
    for f in range(frames):
        # Step 1. Everything moves on, drawn back to its motion
        for b in range(count):
            for p in range(PARTICLES):
                holder, w = _HELD_BY[p], _DRAWN[p]
                for k in range(3):
                    away, quick = now[b, p, k], speed[b, p, k]
                    if holder >= 0:
                        away, quick = away - now[b, holder, k], quick - speed[b, holder, k]
                    pull[p, k] = -w * w * away - 2.0 * w * quick
                ease[b, p] = EASE[p]
            for foot in range(2):
                free = 1.0 - bodies.planted[f, b, foot]
                ankle = END_OF[2 + foot]
                ease[b, ankle] *= free * free
            for p in range(PARTICLES):
                for k in range(3):
                    before[b, p, k] = now[b, p, k]
                    speed[b, p, k] += step * pull[p, k]
                    now[b, p, k] += step * speed[b, p, k]

        # Step 2. What is about to strike goes where its target has gone
        for n in range(blow_frame.shape[0]):
            left = blow_frame[n] - f
            if -waiting[n] < left < 0:
                _wait(bodies, f, blow_frame[n], waiting[n], aim_body[n], aim_particle[n], offsets, now)
            if left < 0 or left > aiming:
                continue
            near = 1.0 - left / (aiming + 1.0)
            near = near * near * (3.0 - 2.0 * near)
            p, q = aim_particle[n], aim_at[n]
            for k in range(3):
                now[aim_body[n], p, k] += near * (now[blow_body[n], q, k] - now[aim_body[n], p, k])
            ease[aim_body[n], p] *= 1.0 - near
            if p == RIGHT_WRIST:
                ease[aim_body[n], TIP] *= 1.0 - near
            if left == 0:
                ease[aim_body[n], p] = EASE[p]
                ease[aim_body[n], TIP] = EASE[TIP]

        # Step 3. Bodies are pushed apart
        moved[:] = now
        for _ in range(rounds):
            deepest = 0.0
            for b in range(count):
                restrain(bodies, f, b, now[b])
                pose(bodies, f, b, now[b], place, turned, turns)
                place_ends(bodies, f, b, place, turned, ends[b])
            for one in range(count):
                for other in range(one + 1, count):
                    x = bodies.points[f, one, PELVIS, 0] - bodies.points[f, other, PELVIS, 0]
                    z = bodies.points[f, one, PELVIS, 2] - bodies.points[f, other, PELVIS, 2]
                    if x * x + z * z < NEAR * NEAR:
                        deepest = max(deepest, _push_apart(bodies, one, other, ease, now, ends))
            if deepest == 0.0:
                break
        for b in range(count):
            for p in range(PARTICLES):
                x, y, z = (
                    now[b, p, 0] - moved[b, p, 0],
                    now[b, p, 1] - moved[b, p, 1],
                    now[b, p, 2] - moved[b, p, 2],
                )
                far = math.sqrt(x * x + y * y + z * z)
                if far > _HASTE:
                    for k in range(3):
                        now[b, p, k] = moved[b, p, k] + _HASTE / far * (now[b, p, k] - moved[b, p, k])
            restrain(bodies, f, b, now[b])

        # Step 4. Speeds are what has become of the places; blows come on top
        for b in range(count):
            for p in range(PARTICLES):
                for k in range(3):
                    pushed = now[b, p, k] - moved[b, p, k]
                    speed[b, p, k] = (moved[b, p, k] - before[b, p, k] + _REBOUND * pushed) / step
                    offsets[f, b, p, k] = now[b, p, k]
        for n in range(blow_frame.shape[0]):
            if blow_frame[n] == f:
                for p in range(PARTICLES):
                    for k in range(3):
                        speed[blow_body[n], p, k] += blow_speed[n, p, k]


@kernel
def gap(bodies, frame, one, i, other, j, offsets):
    """Between capsule i of one body and j of another in a frame: metres apart (negative: inside), where along
    i that is, from 0 to 1, and the direction (x, y, z) from one to the other."""
    joints = bodies.parents.shape[0]
    place, turned, turns = np.empty((joints, 3)), np.empty((joints, 4)), np.empty((LIMBS, 2, 4))
    ends = np.empty((2, bodies.capsules.shape[1], 2, 3))
    for k, b in enumerate((one, other)):
        pose(bodies, frame, b, offsets[frame, b], place, turned, turns)
        place_ends(bodies, frame, b, place, turned, ends[k])
    s, _, x, y, z = nearest(ends[0, i], ends[1, j])
    apart = max(math.sqrt(x * x + y * y + z * z), 1e-9)
    return apart - bodies.radii[one, i] - bodies.radii[other, j], s, -x / apart, -y / apart, -z / apart


@kernel
def fit(bodies, offsets, places, turned):
    """The joints (F, J, 3) and how they are turned away from their motion (F, J, 4), for all offsets."""
    turns = np.empty((LIMBS, 2, 4))
    for f in range(offsets.shape[0]):
        for b in range(offsets.shape[1]):
            pose(bodies, f, b, offsets[f, b], places[f], turned[f], turns)
