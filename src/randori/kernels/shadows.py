"""What the key light does not reach: a map on a plane across the light, one for the floor, one for bodies.

A round cone seen by a far light is the hull of two circles, whose distance is exact and cheap. So an
edge can be as soft as its height above the floor makes it, and no shadow needs more than one look.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
TINY = np.float32(1e-9)
NOTHING = np.float32(-1e9)
SIDE = 4  # texels along the side of a block


class Casters(NamedTuple):
    """Round cones as the key light sees them: places on the plane, and nearness to the light, metres."""

    start: np.ndarray  # (N, 3) first circle
    axis: np.ndarray  # (N, 3) to the second
    direction: np.ndarray  # (N, 2) unit, along the axis on the plane
    length: np.ndarray  # (N, 2) of the axis on the plane, and one over it
    slope: np.ndarray  # (N,) tangent of the angle between outline and axis
    radius: np.ndarray  # (N, 2)
    box: np.ndarray  # (N, 4) first and last + 1 row, first and last + 1 column, of the map


class Sitters(NamedTuple):
    """Round cones close enough to the floor to keep the sky from it, metres from the map's origin."""

    start: np.ndarray  # (M, 3)
    axis: np.ndarray  # (M, 3)
    over: np.ndarray  # (M,) one over the axis's length squared; 0 for a sphere
    radius: np.ndarray  # (M, 2)
    reach: np.ndarray  # (M,) how far its darkness goes
    box: np.ndarray  # (M, 4) as above


class Plane(NamedTuple):
    """The map's place in the world."""

    axes: np.ndarray  # (3, 3) along its columns, along its rows, towards the light
    lookup: np.ndarray  # (3, 4) float32: from a position and 1 to texels, texels, and nearness to the light
    corner: np.ndarray  # (2,) metres, of the first texel's middle
    texel: float  # metres
    floor: np.ndarray  # (2,) the floor's nearness to the light is floor[0] + floor[1] × place along the rows
    softness: float  # width of an edge, metres per metre above what it falls on
    finest: float  # metres, width of the sharpest edge
    sky: float  # darkness where no sky is left, compared to where no key light is


@kernel
def clip(value):
    """Between 0 and 1."""
    value = value if value > ZERO else ZERO
    return value if value < ONE else ONE


@array_kernel
def cast(first, step, casters, sitters, plane, dark, nearness, summits):
    """Fill every step-th row of blocks of the maps, both (R, C).

    `dark` is how dark the floor is: 1 in full shadow, more where the sky is hidden too.
    `nearness` is how near to the light is the middle of what comes first there, and `summits`
    (R / 4, C / 4) the nearest in each block.
    """
    places = np.empty(dark.shape[1], dtype=np.float32)
    for i in range(len(places)):
        places[i] = i * plane.texel
    for row in range(len(dark)):
        if (row // SIDE - first) % step == 0:
            dark[row] = ZERO
            nearness[row] = NOTHING
    throw_shadows(first, step, casters, plane, places, dark, nearness)
    for row in range(first, len(summits), step):
        finish_blocks(row, dark, nearness, summits)
    hide_sky(first, step, sitters, plane, places, dark)


@kernel
def throw_shadows(first, step, casters, plane, places, dark, nearness):
    """Add the squares of what each cone covers of the key light, and keep what is nearest to it."""
    start, axis, direction, length, slope, radius, box = casters
    corner, texel, floor = plane.corner, plane.texel, plane.floor
    soft, fine = np.float32(plane.softness), np.float32(plane.finest)
    for n in range(len(start)):
        top, bottom, left, right = box[n, 0], box[n, 1], box[n, 2], box[n, 3]
        r0, dr = radius[n, 0], radius[n, 1] - radius[n, 0]
        w0, dw = start[n, 2], axis[n, 2]
        dx, dy = direction[n, 0], direction[n, 1]
        long, over, lean = length[n, 0], length[n, 1], slope[n]
        offset = np.float32(corner[0] - start[n, 0])
        for row in range(top, bottom):
            if (row // SIDE - first) % step != 0:
                continue
            v = corner[1] + row * texel
            y = np.float32(v - start[n, 1])
            level = np.float32(floor[0] + floor[1] * v)
            xs = places[left:right]
            key = dark[row, left:right]
            near = nearness[row, left:right]
            for i in range(len(xs)):
                x = xs[i] + offset
                along = x * dx + y * dy
                aside = abs(x * dy - y * dx)
                # the outline is a row of circles: the one whose edge is nearest
                s = along - aside * lean
                s = s if s > ZERO else ZERO
                s = s if s < long else long
                part = s * over
                middle = w0 + dw * part
                beyond = along - s
                gap = math.sqrt(beyond * beyond + aside * aside) - (r0 + dr * part)
                drop = middle - level
                drop = drop if drop > ZERO else ZERO
                cover = clip(HALF - gap / (fine + soft * drop))
                cover = cover * cover * (THREE - TWO * cover)
                # squares add up to a soft union: the largest alone would show every limb's own edge
                key[i] += cover * cover
                nearer = (gap < ZERO) & (middle > near[i])
                near[i] = middle if nearer else near[i]


@kernel
def finish_blocks(row, dark, nearness, summits):
    """Roots of the sums, and the highest of each block, in a row of blocks."""
    for a in range(SIDE):
        line = dark[SIDE * row + a]
        for i in range(len(line)):
            line[i] = clip(math.sqrt(line[i]))
    summit = summits[row]
    for i in range(len(summit)):
        highest = NOTHING
        for a in range(SIDE):
            for b in range(SIDE):
                value = nearness[SIDE * row + a, SIDE * i + b]
                highest = value if value > highest else highest
        summit[i] = highest


@kernel
def hide_sky(first, step, sitters, plane, places, dark):
    """Add the darkness under what stands or lies on the floor."""
    start, axis, over_square, radius, reach, box = sitters
    axes, corner, texel, floor = plane.axes, plane.corner, plane.texel, plane.floor
    weight = np.float32(plane.sky)
    gx, gz = np.float32(axes[0, 0]), np.float32(axes[0, 2])
    for n in range(len(start)):
        top, bottom, left, right = box[n, 0], box[n, 1], box[n, 2], box[n, 3]
        r0, dr = radius[n, 0], radius[n, 1] - radius[n, 0]
        ax, ay, az = axis[n, 0], axis[n, 1], axis[n, 2]
        over, over_reach = over_square[n], ONE / (reach[n] * reach[n])
        for row in range(top, bottom):
            if (row // SIDE - first) % step != 0:
                continue
            v = corner[1] + row * texel
            w = floor[0] + floor[1] * v
            x0 = np.float32(corner[0] * axes[0, 0] + v * axes[1, 0] + w * axes[2, 0] - start[n, 0])
            y0 = np.float32(v * axes[1, 1] + w * axes[2, 1] - start[n, 1])
            z0 = np.float32(corner[0] * axes[0, 2] + v * axes[1, 2] + w * axes[2, 2] - start[n, 2])
            xs = places[left:right]
            line = dark[row, left:right]
            for i in range(len(xs)):
                x, z = x0 + xs[i] * gx, z0 + xs[i] * gz
                part = clip((x * ax + y0 * ay + z * az) * over)
                x, y, z = part * ax - x, part * ay - y0, part * az - z
                y = y if y > ZERO else ZERO
                size = r0 + dr * part
                away = x * x + y * y + z * z + TINY
                # the share of the sky that a sphere hides from a level floor, fading out at its reach
                hidden = clip(ONE - away * over_reach) * y * size * size / (away * math.sqrt(away))
                line[i] += weight * hidden / (ONE + hidden)
