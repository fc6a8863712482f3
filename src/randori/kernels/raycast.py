"""Which round cone each pixel sees: a depth buffer of exact ray hits, and smooth edges afterwards.

Camera space: x right, y up, z forward, metres. The ray through a pixel is (x, y, 1), so that the
distance along it is the depth z. Everything in the inner loops is float32: eight pixels at a time.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel

NOWHERE = np.float32(np.inf)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
LANES = 8  # pixels are worked on this many at a time: rows of the buffers are multiples of it
CANDIDATES = 6  # most cones that a pixel on an edge is shared by
# Colour steps between neighbours that the eye cannot see as a staircase, of 255.
FAINT = 20
# The eight neighbours of a pixel, sides before corners.
ROWS_AROUND = np.array([-1, 1, 0, 0, -1, -1, 1, 1])
COLUMNS_AROUND = np.array([0, 0, -1, 1, -1, 1, -1, 1])


class Cones(NamedTuple):
    """Round cones in camera space, with the products that every ray needs."""

    start: np.ndarray  # (N, 3) metres, centre of the first sphere
    axis: np.ndarray  # (N, 3) metres, from there to the centre of the second
    squared: np.ndarray  # (N, 2) metres², the radii squared
    # The side of the cone touches both spheres. With g = √(length² - (difference of the radii)²):
    tilted: np.ndarray  # (N, 3) the axis over g; zero for a sphere
    shift: np.ndarray  # (N,) metres, first radius × difference of the radii / g
    reach: np.ndarray  # (N,) metres, g: where along `tilted` the side ends
    reference: np.ndarray  # (N,) metres, a depth near the cone: distances from it stay precise
    box: np.ndarray  # (N, 4) pixels, first and last + 1 row, first and last + 1 column


@kernel
def hit(x, y, reference, ax, ay, az, bx, by, bz, aa, bb, ux, uy, uz, shift, reach):
    """The depth where the ray (x, y, 1) meets a round cone, infinite if it does not.

    A round cone is the hull of two spheres, so the first hit is the first of three: either sphere, or
    the side between the circles where it touches them.
    """
    ex, ey, ez = x * reference - ax, y * reference - ay, reference - az
    fx, fy, fz = ex - bx, ey - by, ez - bz
    q = x * x + (y * y + ONE)
    over_q = ONE / q
    m1 = ux * ex + (uy * ey + uz * ez - shift)
    m2 = ux * x + (uy * y + uz)
    m3 = x * ex + (y * ey + ez)
    m4 = x * fx + (y * fy + fz)
    c3 = ex * ex + (ey * ey + ez * ez - aa)
    c4 = fx * fx + (fy * fy + fz * fz - bb)
    k2 = q - m2 * m2
    k1 = m3 - m2 * m1
    k0 = c3 - m1 * m1
    h0 = k1 * k1 - k0 * k2
    h1 = m3 * m3 - q * c3
    h2 = m4 * m4 - q * c4
    side = (-k1 - math.sqrt(h0)) / k2
    along = m1 + side * m2
    first = (-m3 - math.sqrt(h1)) * over_q
    second = (-m4 - math.sqrt(h2)) * over_q
    # a root of a negative number is NaN, and NaN fails every comparison
    nearest = side if (h0 >= ZERO) & (along > ZERO) & (along < reach) else NOWHERE
    nearest = first if first < nearest else nearest
    nearest = second if second < nearest else nearest
    return reference + nearest


@array_kernel
def trace(first, step, across, upward, cones, floor_depth, depth, owner):
    """Fill every step-th row of the depths and of the owners: the cone that is seen, -1 for floor and sky."""
    start, axis, squared, tilted, shift, reach, reference, box = cones
    for row in range(first, len(upward), step):
        depth[row, :] = floor_depth[row]
        owner[row, :] = -1
    for n in range(len(start)):
        top, bottom, left, right = box[n, 0], box[n, 1], box[n, 2], box[n, 3]
        ax, ay, az = start[n, 0], start[n, 1], start[n, 2]
        bx, by, bz = axis[n, 0], axis[n, 1], axis[n, 2]
        ux, uy, uz = tilted[n, 0], tilted[n, 1], tilted[n, 2]
        aa, bb, sh, re, ref = squared[n, 0], squared[n, 1], shift[n], reach[n], reference[n]
        name = np.int32(n)
        for row in range(top + (first - top) % step, bottom, step):
            y = upward[row]
            xs = across[left:right]
            depths = depth[row, left:right]
            owners = owner[row, left:right]
            for i in range(len(xs)):
                t = hit(xs[i], y, ref, ax, ay, az, bx, by, bz, aa, bb, ux, uy, uz, sh, re)
                nearer = (t < depths[i]) & (t > ZERO)
                owners[i] = name if nearer else owners[i]
                depths[i] = t if nearer else depths[i]


@kernel
def find_edges(above, here, below, differs, edges):
    """Fill in the columns where a pixel of a row sees something else than one of its four neighbours.

    Most of a row is no edge: it is looked through in blocks. Rows are whole blocks long.
    """
    inner, left, right = here[1:-1], here[:-2], here[2:]
    upper, lower = above[1:-1], below[1:-1]
    for i in range(len(inner)):
        n = inner[i]
        differs[i + 1] = (left[i] ^ n) | (right[i] ^ n) | (upper[i] ^ n) | (lower[i] ^ n)
    found = 0
    for block in range(0, len(differs), LANES):
        some = differs[block]
        for i in range(1, LANES):
            some |= differs[block + i]
        if some != 0:
            for column in range(block, min(block + LANES, len(edges) - 1)):
                if differs[column] != 0:
                    edges[found] = column
                    found += 1
    return found


@array_kernel
def smooth_edges(first, step, across, upward, cones, horizon, offsets, owner, shaded, image):
    """Copy every step-th row of a shaded picture (H, 3 W); where cones meet, mix by the area each one covers.

    A pixel on an edge is looked at again through `offsets` (2, S) of a pixel, but only at the
    cones that its neighbours see, and a sample takes the colour of the neighbour that sees the same.
    `horizon` is (a, b): the floor's depth along the ray (x, y, 1) is 1 / (a + b y) where positive.
    """
    start, axis, squared, tilted, shift, reach, reference, _ = cones
    height, width = len(image), image.shape[1] // 3
    pixel = across[1] - across[0]
    samples = offsets.shape[1]  # not a constant: the compiler would unroll the loop instead of widening it
    xs, ys = np.empty(samples, dtype=np.float32), np.empty(samples, dtype=np.float32)
    nearest, winner = np.empty(samples, dtype=np.float32), np.empty(samples, dtype=np.int32)
    names, colours = np.empty(CANDIDATES, dtype=np.int32), np.empty((CANDIDATES, 3), dtype=np.int32)
    seen = np.empty(CANDIDATES, dtype=np.int64)  # by how many samples
    differs, edges = np.zeros(owner.shape[1], dtype=np.int32), np.empty(width, dtype=np.int64)
    for row in range(first, height, step):
        source, line = shaded[row], image[row]
        for i in range(3 * width):
            line[i] = source[i]
        found = find_edges(
            owner[max(row - 1, 0)], owner[row], owner[min(row + 1, height - 1)], differs, edges
        )
        for edge in range(found):
            column = edges[edge]
            # Step 1. Who is near, with the colour of the nearest pixel that sees it.
            names[0] = owner[row, column]
            for k in range(3):
                colours[0, k] = shaded[row, 3 * column + k]
            count, contrast = 1, 0
            for k in range(8):
                r, c = row + ROWS_AROUND[k], column + COLUMNS_AROUND[k]
                if r < 0 or r >= height:
                    continue
                n = owner[r, c]
                known = n == names[0]
                for other in range(1, count):
                    known |= names[other] == n
                if known or count == CANDIDATES:
                    continue
                names[count] = n
                for channel in range(3):
                    colours[count, channel] = shaded[r, 3 * c + channel]
                    contrast = max(contrast, abs(colours[count, channel] - colours[0, channel]))
                count += 1
            if contrast <= FAINT:
                continue
            # Step 2. What each ray sees.
            behind = np.int32(0)  # floor or sky, if a neighbour sees it
            for k in range(count):
                behind = np.int32(k) if names[k] < 0 else behind
            for s in range(samples):
                xs[s] = across[column] + offsets[0, s] * pixel
                ys[s] = upward[row] + offsets[1, s] * pixel
                slope = horizon[0] + horizon[1] * ys[s]
                nearest[s] = ONE / slope if slope > ZERO else NOWHERE
                winner[s] = behind
            for k in range(count):
                n = names[k]
                if n < 0:
                    continue
                ax, ay, az = start[n, 0], start[n, 1], start[n, 2]
                bx, by, bz = axis[n, 0], axis[n, 1], axis[n, 2]
                ux, uy, uz = tilted[n, 0], tilted[n, 1], tilted[n, 2]
                aa, bb, sh, re, ref = squared[n, 0], squared[n, 1], shift[n], reach[n], reference[n]
                place = np.int32(k)
                for s in range(samples):
                    t = hit(xs[s], ys[s], ref, ax, ay, az, bx, by, bz, aa, bb, ux, uy, uz, sh, re)
                    nearer = (t < nearest[s]) & (t > ZERO)
                    winner[s] = place if nearer else winner[s]
                    nearest[s] = t if nearer else nearest[s]
            # Step 3. The mean of their light (squared values), not of their bytes.
            for k in range(count):
                total = 0
                for s in range(samples):
                    total += winner[s] == k
                seen[k] = total
            if seen[0] == samples:
                continue
            for c in range(3):
                light = 0
                for k in range(count):
                    light += seen[k] * colours[k, c] * colours[k, c]
                image[row, 3 * column + c] = np.uint8(math.sqrt(light / samples) + 0.5)
