"""A body as a puppet of twelve particles: where its joints are when the particles are off their motion.

A particle is kept as its offset from where the motion has it, so a body that nothing touches is its motion.
Rotations are fitted to the offsets: bones keep their lengths, elbows and knees their hinges.
The tip of a weapon is off where its hand carries it: a blade is moved by the wrist, and turned about it.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.contact import WEAPON, nearest_points
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
_MOST_BEND = 0.55  # radians, of the trunk and of the neck
_CLOSE = 0.45  # of a limb's length: as near to its root as its end may come without a care
_MOST_TWIST = 0.9  # radians of an elbow or a knee about the line of its limb
_TRUNK_GAIN = (
    1.4  # the chain bends bit by bit: its end gets less far than a hinge at the bottom would bring it
)


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


@array_kernel
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


@array_kernel
def fit(bodies, offsets, places, turned):
    """The joints (F, J, 3) and how they are turned away from their motion (F, J, 4), for all offsets."""
    turns = np.empty((LIMBS, 2, 4))
    for f in range(offsets.shape[0]):
        for b in range(offsets.shape[1]):
            pose(bodies, f, b, offsets[f, b], places[f], turned[f], turns)
