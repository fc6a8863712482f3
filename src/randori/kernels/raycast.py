"""The round cone that each pixel sees: a depth buffer of exact ray hits, and smooth edges afterwards.

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
MOST_RAYS = 8  # through such a pixel
# Colour steps between neighbours that the eye cannot see as a staircase, of 255.
FAINT = 20
# The eight neighbours of a pixel, sides before corners.
ROWS_AROUND = np.array([-1, 1, 0, 0, -1, -1, 1, 1])
COLUMNS_AROUND = np.array([0, 0, -1, 1, -1, 1, -1, 1])


# A round cone in camera space, with the products that every ray needs.
CONE = np.dtype(
    [
        ("start_x", np.float32),  # metres, centre of the first sphere
        ("start_y", np.float32),
        ("start_z", np.float32),
        ("axis_x", np.float32),  # metres, from there to the centre of the second
        ("axis_y", np.float32),
        ("axis_z", np.float32),
        ("first_square", np.float32),  # metres², the radii squared
        ("second_square", np.float32),
        # The side of the cone touches both spheres. With g = √(length² - (difference of the radii)²):
        ("tilted_x", np.float32),  # the axis over g; zero for a sphere
        ("tilted_y", np.float32),
        ("tilted_z", np.float32),
        ("shift", np.float32),  # metres, first radius × difference of the radii / g
        ("reach", np.float32),  # metres, g: where along `tilted` the side ends
        ("reference", np.float32),  # metres, a depth near the cone: distances from it stay precise
    ],
    align=True,
)

# Pixels of a picture, or texels of a map: up to, and without, the bottom row and the right column.
BOX = np.dtype([("top", np.int64), ("bottom", np.int64), ("left", np.int64), ("right", np.int64)], align=True)


class Cones(NamedTuple):
    """Round cones in camera space."""

    shapes: np.ndarray  # (N,) CONE
    boxes: np.ndarray  # (N,) BOX, pixels


class View(NamedTuple):
    """The place of the camera and the directions of its pixels."""

    across: np.ndarray  # (W,) x of each column's ray
    upward: np.ndarray  # (H,) y of each row's ray
    axes: np.ndarray  # (3, 3) right, up, forward in the world
    position: np.ndarray  # (3,) metres


class Buffers(NamedTuple):
    """The depth and the owner of each pixel; rows are whole lanes wide."""

    depth: np.ndarray  # (H, W) float32 metres
    owner: np.ndarray  # (H, W) int32, the cone that is seen, -1 for floor and sky
    shaded: np.ndarray  # (H, 3 W) uint8, the picture with hard edges


class Cone(NamedTuple):
    """A CONE by value: in a loop over pixels it stays in registers."""

    start_x: float
    start_y: float
    start_z: float
    axis_x: float
    axis_y: float
    axis_z: float
    first_square: float
    second_square: float
    tilted_x: float
    tilted_y: float
    tilted_z: float
    shift: float
    reach: float
    reference: float


@kernel
def cone_of(row):
    """A CONE by value."""
    return Cone(
        row.start_x, row.start_y, row.start_z, row.axis_x, row.axis_y, row.axis_z,
        row.first_square, row.second_square, row.tilted_x, row.tilted_y, row.tilted_z,
        row.shift, row.reach, row.reference,
    )  # fmt: skip


@kernel
def hit(x, y, cone):
    """The depth where the ray (x, y, 1) meets a round cone, infinite if it does not.

    A round cone is the hull of two spheres, so the first hit is the first of three: either sphere, or
    the side between the circles where it touches them.
    """
    reference, ux, uy, uz = cone.reference, cone.tilted_x, cone.tilted_y, cone.tilted_z
    ex, ey, ez = x * reference - cone.start_x, y * reference - cone.start_y, reference - cone.start_z
    fx, fy, fz = ex - cone.axis_x, ey - cone.axis_y, ez - cone.axis_z
    q = x * x + (y * y + ONE)
    over_q = ONE / q
    m1 = ux * ex + (uy * ey + uz * ez - cone.shift)
    m2 = ux * x + (uy * y + uz)
    m3 = x * ex + (y * ey + ez)
    m4 = x * fx + (y * fy + fz)
    c3 = ex * ex + (ey * ey + ez * ez - cone.first_square)
    c4 = fx * fx + (fy * fy + fz * fz - cone.second_square)
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
    nearest = side if (h0 >= ZERO) & (along > ZERO) & (along < cone.reach) else NOWHERE
    nearest = first if first < nearest else nearest
    nearest = second if second < nearest else nearest
    return reference + nearest


@array_kernel
def trace(first, step, view, cones, floor_depth, buffers):
    """Fill every step-th row of the depths and of the owners: the cone that is seen, -1 for floor and sky."""
    depth, owner = buffers.depth, buffers.owner
    for row in range(first, len(view.upward), step):
        depth[row, :] = floor_depth[row]
        owner[row, :] = -1
    for n in range(len(cones.shapes)):
        cone, box = cone_of(cones.shapes[n]), cones.boxes[n]
        top, left, right, name = box.top, box.left, box.right, np.int32(n)
        for row in range(top + (first - top) % step, box.bottom, step):
            y = view.upward[row]
            xs = view.across[left:right]
            depths = depth[row, left:right]
            owners = owner[row, left:right]
            for i in range(len(xs)):
                t = hit(xs[i], y, cone)
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


# Rays of one pixel on an edge, and the cones that share it. One record with fixed distances: the compiler
# widens a loop only if it can prove that what is written is not what is read next.
SAMPLES = np.dtype(
    [
        ("x", np.float32, (MOST_RAYS,)),
        ("y", np.float32, (MOST_RAYS,)),
        ("nearest", np.float32, (MOST_RAYS,)),  # metres
        ("winner", np.int32, (MOST_RAYS,)),  # which of the names a ray sees
        ("names", np.int32, (CANDIDATES,)),  # cones or -1
        ("colours", np.int32, (CANDIDATES, 3)),  # of 255
        ("seen", np.int64, (CANDIDATES,)),  # by how many rays
    ],
    align=True,
)


class Sampling(NamedTuple):
    """Settings for the second look at pixels on edges."""

    offsets: np.ndarray  # (2, ≤ MOST_RAYS) float32, of a pixel: where its rays go through
    horizon: (
        np.ndarray
    )  # (2,) a, b: the floor's depth along the ray (x, y, 1) is 1 / (a + b y) where positive


class EdgeRoom(NamedTuple):
    """Scratch space for the edges of a row."""

    samples: np.ndarray  # (1,) SAMPLES
    differs: np.ndarray  # (W,) int32, not 0 where a pixel sees something else than a neighbour
    edges: np.ndarray  # (W,) int64, the columns of these pixels

    @classmethod
    def of(cls, width: int) -> "EdgeRoom":
        """Room for rows so many pixels wide, whole lanes."""
        differs, edges = np.zeros(width, dtype=np.int32), np.empty(width, dtype=np.int64)
        return cls(np.empty(1, dtype=SAMPLES), differs, edges)


@kernel
def smooth_edges(first, step, view, cones, sampling, buffers, room, image):
    """Copy every step-th row of a shaded picture (H, 3 W); where cones meet, mix by the area each one covers.

    A pixel on an edge is looked at again through some rays, but only at the cones that its neighbours see,
    and a ray takes the colour of the neighbour that sees the same.
    """
    owner, shaded, samples = buffers.owner, buffers.shaded, room.samples[0]
    height, width = len(image), image.shape[1] // 3
    rays = sampling.offsets.shape[1]  # no constant: the compiler would unroll loops instead of widening them
    edges = room.edges[:width]
    for row in range(first, height, step):
        source, line = shaded[row], image[row]
        for i in range(3 * width):
            line[i] = source[i]
        above, below = owner[max(row - 1, 0)], owner[min(row + 1, height - 1)]
        for edge in range(find_edges(above, owner[row], below, room.differs, edges)):
            column = edges[edge]
            # Step 1. The cones nearby, each with the colour of the nearest pixel that sees it.
            count, contrast = _find_candidates(row, column, owner, shaded, samples)
            if contrast > FAINT:
                # Step 2. Trace each ray.
                _start_rays(rays, count, view.across, view.upward, row, column, sampling, samples)
                _trace_rays(rays, count, cones.shapes, samples)
                # Step 3. The mean of their light.
                _mix(rays, count, samples, line[3 * column : 3 * column + 3])


@kernel
def _find_candidates(row, column, owner, shaded, samples):
    """The cones that a pixel and its neighbours see: how many, and by how much their colours differ."""
    names, colours = samples.names, samples.colours
    names[0] = owner[row, column]
    for k in range(3):
        colours[0, k] = shaded[row, 3 * column + k]
    count, contrast = 1, 0
    for k in range(8):
        r, c = row + ROWS_AROUND[k], column + COLUMNS_AROUND[k]
        if r < 0 or r >= len(shaded):
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
    return count, contrast


@kernel
def _start_rays(rays, count, across, upward, row, column, sampling, samples):
    """The rays through a pixel; each sees the floor or the sky at first, if a neighbour does."""
    offsets, horizon = sampling.offsets, sampling.horizon
    behind = np.int32(0)
    for k in range(count):
        behind = np.int32(k) if samples.names[k] < 0 else behind
    pixel = across[1] - across[0]
    for s in range(rays):
        samples.x[s] = across[column] + offsets[0, s] * pixel
        samples.y[s] = upward[row] + offsets[1, s] * pixel
        slope = horizon[0] + horizon[1] * samples.y[s]
        samples.nearest[s] = ONE / slope if slope > ZERO else NOWHERE
        samples.winner[s] = behind


@kernel
def _trace_rays(rays, count, shapes, samples):
    """Find the cone that each ray of a pixel sees."""
    xs, ys, nearest, winner = samples.x, samples.y, samples.nearest, samples.winner
    for k in range(count):
        n = samples.names[k]
        if n < 0:
            continue
        cone, place = cone_of(shapes[n]), np.int32(k)
        for s in range(rays):
            t = hit(xs[s], ys[s], cone)
            nearer = (t < nearest[s]) & (t > ZERO)
            winner[s] = place if nearer else winner[s]
            nearest[s] = t if nearer else nearest[s]


@kernel
def _mix(rays, count, samples, pixel):
    """The mean light (squared values, not bytes) of what the rays see, into a pixel (3,) uint8."""
    for k in range(count):
        total = 0
        for s in range(rays):
            total += samples.winner[s] == k
        samples.seen[k] = total
    if samples.seen[0] == rays:
        return
    for c in range(3):
        light = 0
        for k in range(count):
            light += samples.seen[k] * samples.colours[k, c] * samples.colours[k, c]
        pixel[c] = np.uint8(math.sqrt(light / rays) + 0.5)
