"""Two bodies of capsules to each other: how deep they are in each other, with what force they meet."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.contact import VITAL, nearest_points
from randori.kernels.plane import move_point, move_point_back, turn_direction


class View(NamedTuple):
    """The transform of points of one recording into another's: turned, then shifted over the floor."""

    cosine: float
    sine: float
    x: float  # metres
    z: float


@kernel
def seen_from(place, other):
    """The transform from a recording at `place` into a recording at the place `other`."""
    turn = place.yaw - other.yaw
    x, z = move_point_back(math.cos(other.yaw), math.sin(other.yaw), other.x, other.z, place.x, place.z)
    return View(math.cos(turn), math.sin(turn), x, z)


@kernel
def place_point(place, x, z):
    """The place on the floor of a point of a recording."""
    return move_point(math.cos(place.yaw), math.sin(place.yaw), place.x, place.z, x, z)


@kernel
def recorded_end(body, frame, capsule, end):
    """One end of a capsule as recorded: x, y, z in metres."""
    return (
        np.float64(body[frame, capsule, end, 0]),
        np.float64(body[frame, capsule, end, 1]),
        np.float64(body[frame, capsule, end, 2]),
    )


@kernel
def seen_end(body, frame, capsule, end, view):
    """One end of a capsule as the other recording sees it."""
    x, y, z = recorded_end(body, frame, capsule, end)
    x, z = move_point(view.cosine, view.sine, view.x, view.z, x, z)
    return x, y, z


@kernel
def deepest(motions, f, capsules, g, others, view, allowed):
    """The most by which two bodies are deeper in each other than allowed (16, 16), and the capsules.

    The first shows frame f and has `capsules` (16,), the second shows g and has `others` (16,). The first is
    seen by the second's recording through `view`.
    """
    body = motions.body
    most, first, second = 0.0, -1, -1
    frame = motions.frames[g]
    middle_x, middle_z, wide = frame.pelvis.x, frame.pelvis.z, frame.reach
    for i in range(16):
        half, radius = capsules[i].half, capsules[i].radius
        if radius < 0.0:
            continue
        ax, ay, az = seen_end(body, f, i, 0, view)
        bx, by, bz = seen_end(body, f, i, 1, view)
        ix, iy, iz = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
        # nothing of the second is farther from its pelvis than its reach
        far = wide + radius + half
        if (ix - middle_x) * (ix - middle_x) + (iz - middle_z) * (iz - middle_z) >= far * far:
            continue
        for j in range(16):
            if others[j].radius < 0.0:
                continue
            both = radius + others[j].radius - allowed[i, j]
            if both <= 0.0:
                continue
            far = both + half + others[j].half
            cx, cy, cz = recorded_end(body, g, j, 0)
            dx, dy, dz = recorded_end(body, g, j, 1)
            ux, uy, uz = ix - 0.5 * (cx + dx), iy - 0.5 * (cy + dy), iz - 0.5 * (cz + dz)
            if ux * ux + uy * uy + uz * uz >= far * far:
                continue
            _, _, wx, wy, wz = nearest_points(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
            apart = wx * wx + wy * wy + wz * wz
            if apart < both * both:
                over = both - math.sqrt(apart)
                if over > most:
                    most, first, second = over, i, j
    return most, first, second


@kernel
def strike_gap(motions, f, capsule, capsules, g, others, view):
    """Metres between a capsule of one body and what can be hurt of the other, and which; negative: inside.

    The first shows frame f and has `capsules` (16,), the second shows g and has `others` (16,).
    """
    body = motions.body
    ax, ay, az = seen_end(body, f, capsule, 0, view)
    bx, by, bz = seen_end(body, f, capsule, 1, view)
    least, met = 1e9, -1
    for j in VITAL:
        if others[j].radius < 0.0:
            continue
        cx, cy, cz = recorded_end(body, g, j, 0)
        dx, dy, dz = recorded_end(body, g, j, 1)
        _, _, wx, wy, wz = nearest_points(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
        gap = math.sqrt(wx * wx + wy * wy + wz * wz) - capsules[capsule].radius - others[j].radius
        if gap < least:
            least, met = gap, j
    return least, met


@kernel
def velocity_of(motions, frame, capsule, yaw):
    """Metres per second over the floor and upwards of a capsule's end, in the world."""
    x, y, z = recorded_end(motions.body, frame, capsule, 1)
    old_x, old_y, old_z = recorded_end(motions.body, frame - 1, capsule, 1)
    x, y, z = (x - old_x) / motions.tick, (y - old_y) / motions.tick, (z - old_z) / motions.tick
    x, z = turn_direction(math.cos(yaw), math.sin(yaw), x, z)
    return x, y, z


@kernel
def _point_on(body, frame, capsule, place, share):
    """The point at a share of a capsule's length."""
    ax, ay, az = placed_end(body, frame, capsule, 0, place)
    bx, by, bz = placed_end(body, frame, capsule, 1, place)
    return ax + share * (bx - ax), ay + share * (by - ay), az + share * (bz - az)


@kernel
def placed_end(body, frame, capsule, end, place):
    """One end of a capsule where its recording goes."""
    x, y, z = recorded_end(body, frame, capsule, end)
    x, z = place_point(place, x, z)
    return x, y, z


@kernel
def push_of(motions, f, i, place, g, j, other):
    """Newton seconds with which capsule i of a body, in frame f, comes upon capsule j of another, in g."""
    body, masses = motions.body, motions.masses
    ax, ay, az = placed_end(body, f, i, 0, place)
    bx, by, bz = placed_end(body, f, i, 1, place)
    cx, cy, cz = placed_end(body, g, j, 0, other)
    dx, dy, dz = placed_end(body, g, j, 1, other)
    s, t, wx, wy, wz = nearest_points(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    if length < 1e-9:
        return 0.0
    now_x, now_y, now_z = _point_on(body, f, i, place, s)
    then_x, then_y, then_z = _point_on(body, f - 1, i, place, s)
    now_u, now_v, now_w = _point_on(body, g, j, other, t)
    then_u, then_v, then_w = _point_on(body, g - 1, j, other, t)
    closing = 0.0
    closing -= wx / length * ((now_x - then_x - now_u + then_u) / motions.tick)
    closing -= wy / length * ((now_y - then_y - now_v + then_v) / motions.tick)
    closing -= wz / length * ((now_z - then_z - now_w + then_w) / motions.tick)
    return masses[i] * masses[j] / (masses[i] + masses[j]) * closing


@pasted
def limb_of(capsule):
    """0 to 3 for what belongs to the left and right arm, the left and right leg; -1 for the rest."""
    if capsule < 3 or capsule > 14:
        return -1
    side = 0 if capsule < 9 else 1
    return side + (2 if (capsule - 3) % 6 >= 3 else 0)
