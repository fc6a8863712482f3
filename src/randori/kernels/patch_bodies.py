"""Two bodies of capsules to each other: how deep they are in each other, with what force they meet."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel, pasted
from randori.kernels.contact import nearest_points


@kernel
def seen_by(xa, za, ya, xb, zb, yb):
    """How one recording's places look in the other's: cosine and sine of the turn, and the move x, z."""
    turn = ya - yb
    cb, sb = math.cos(yb), math.sin(yb)
    mx, mz = xa - xb, za - zb
    return math.cos(turn), math.sin(turn), cb * mx - sb * mz, cb * mz + sb * mx


@kernel
def deepest(body, halves_a, radii_a, halves_b, radii_b, pelvis, reach, f, g, c, s, tx, tz, allowed):
    """How much deeper than allowed (16, 16) two bodies are in each other, and which capsules.

    The first is turned and moved by c, s, tx, tz (`seen_by`) to where the second's recording sees it.
    """
    most, one, other = 0.0, -1, -1
    px, pz, wide = pelvis[g, 0], pelvis[g, 1], reach[g]
    for i in range(16):
        if radii_a[i] < 0.0:
            continue
        x, z = np.float64(body[f, i, 0, 0]), np.float64(body[f, i, 0, 2])
        ax, ay, az = c * x + s * z + tx, np.float64(body[f, i, 0, 1]), c * z - s * x + tz
        x, z = np.float64(body[f, i, 1, 0]), np.float64(body[f, i, 1, 2])
        bx, by, bz = c * x + s * z + tx, np.float64(body[f, i, 1, 1]), c * z - s * x + tz
        ix, iy, iz = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
        # nothing of the second is farther from its pelvis than its reach
        far = wide + radii_a[i] + halves_a[i]
        if (ix - px) * (ix - px) + (iz - pz) * (iz - pz) >= far * far:
            continue
        for j in range(16):
            if radii_b[j] < 0.0:
                continue
            both = radii_a[i] + radii_b[j] - allowed[i, j]
            if both <= 0.0:
                continue
            far = both + halves_a[i] + halves_b[j]
            ux = ix - 0.5 * (np.float64(body[g, j, 0, 0]) + body[g, j, 1, 0])
            uy = iy - 0.5 * (np.float64(body[g, j, 0, 1]) + body[g, j, 1, 1])
            uz = iz - 0.5 * (np.float64(body[g, j, 0, 2]) + body[g, j, 1, 2])
            if ux * ux + uy * uy + uz * uz >= far * far:
                continue
            _, _, wx, wy, wz = nearest_points(
                ax, ay, az, bx, by, bz,
                np.float64(body[g, j, 0, 0]), np.float64(body[g, j, 0, 1]), np.float64(body[g, j, 0, 2]),
                np.float64(body[g, j, 1, 0]), np.float64(body[g, j, 1, 1]), np.float64(body[g, j, 1, 2]),
            )  # fmt: skip
            apart = wx * wx + wy * wy + wz * wz
            if apart < both * both:
                over = both - math.sqrt(apart)
                if over > most:
                    most, one, other = over, i, j
    return most, one, other


@kernel
def strike_gap(body, radii_a, radii_b, f, capsule, g, c, s, tx, tz, parts):
    """Metres between a capsule of one and the nearest of some of the other's, and which; negative: inside."""
    x, z = np.float64(body[f, capsule, 0, 0]), np.float64(body[f, capsule, 0, 2])
    ax, ay, az = c * x + s * z + tx, np.float64(body[f, capsule, 0, 1]), c * z - s * x + tz
    x, z = np.float64(body[f, capsule, 1, 0]), np.float64(body[f, capsule, 1, 2])
    bx, by, bz = c * x + s * z + tx, np.float64(body[f, capsule, 1, 1]), c * z - s * x + tz
    least, met = 1e9, -1
    for j in parts:
        if radii_b[j] < 0.0:
            continue
        _, _, wx, wy, wz = nearest_points(
            ax, ay, az, bx, by, bz,
            np.float64(body[g, j, 0, 0]), np.float64(body[g, j, 0, 1]), np.float64(body[g, j, 0, 2]),
            np.float64(body[g, j, 1, 0]), np.float64(body[g, j, 1, 1]), np.float64(body[g, j, 1, 2]),
        )  # fmt: skip
        gap = math.sqrt(wx * wx + wy * wy + wz * wz) - radii_a[capsule] - radii_b[j]
        if gap < least:
            least, met = gap, j
    return least, met


@kernel
def velocity_of(body, f, capsule, yaw, seconds):
    """Metres per second over the floor and upwards of a capsule's end, in the world."""
    x = (np.float64(body[f, capsule, 1, 0]) - body[f - 1, capsule, 1, 0]) / seconds
    y = (np.float64(body[f, capsule, 1, 1]) - body[f - 1, capsule, 1, 1]) / seconds
    z = (np.float64(body[f, capsule, 1, 2]) - body[f - 1, capsule, 1, 2]) / seconds
    c, s = math.cos(yaw), math.sin(yaw)
    return c * x + s * z, y, c * z - s * x


@array_kernel
def push_of(body, masses, f, i, place_a, g, j, place_b, seconds):
    """Newton seconds with which capsule i of one comes upon capsule j of the other."""
    ca, sa, cb, sb = math.cos(place_a[2]), math.sin(place_a[2]), math.cos(place_b[2]), math.sin(place_b[2])
    ends = np.empty((8, 3))
    row = 0
    for frame in (f, f - 1):
        for end in range(2):
            x, z = np.float64(body[frame, i, end, 0]), np.float64(body[frame, i, end, 2])
            ends[row, 0], ends[row, 1] = ca * x + sa * z + place_a[0], body[frame, i, end, 1]
            ends[row, 2] = ca * z - sa * x + place_a[1]
            row += 1
    for frame in (g, g - 1):
        for end in range(2):
            x, z = np.float64(body[frame, j, end, 0]), np.float64(body[frame, j, end, 2])
            ends[row, 0], ends[row, 1] = cb * x + sb * z + place_b[0], body[frame, j, end, 1]
            ends[row, 2] = cb * z - sb * x + place_b[1]
            row += 1
    s, t, wx, wy, wz = nearest_points(
        ends[0, 0], ends[0, 1], ends[0, 2], ends[1, 0], ends[1, 1], ends[1, 2],
        ends[4, 0], ends[4, 1], ends[4, 2], ends[5, 0], ends[5, 1], ends[5, 2],
    )  # fmt: skip
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    if length < 1e-9:
        return 0.0
    closing = 0.0
    for axis in range(3):
        way = (wx, wy, wz)[axis] / length
        now_a = ends[0, axis] + s * (ends[1, axis] - ends[0, axis])
        then_a = ends[2, axis] + s * (ends[3, axis] - ends[2, axis])
        now_b = ends[4, axis] + t * (ends[5, axis] - ends[4, axis])
        then_b = ends[6, axis] + t * (ends[7, axis] - ends[6, axis])
        speed = (now_a - then_a - now_b + then_b) / seconds
        closing -= way * speed
    return masses[i] * masses[j] / (masses[i] + masses[j]) * closing


@pasted
def limb_of(capsule):
    """0 to 3 for what belongs to the left and right arm, the left and right leg; -1 for the rest."""
    if capsule < 3 or capsule > 14:
        return -1
    side = 0 if capsule < 9 else 1
    return side + (2 if (capsule - 3) % 6 >= 3 else 0)
