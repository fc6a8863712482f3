"""Shadows of the key light: a map on a plane across the light, one for the floor, one for bodies.

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


# A round cone as the key light sees it: places on the plane (u, v), and nearness to the light (w), metres.
CASTER = np.dtype(
    [
        ("u", np.float32),  # first circle
        ("v", np.float32),
        ("w", np.float32),
        ("axis_w", np.float32),  # nearness of the second circle, from the first
        ("direction_u", np.float32),  # unit, along the axis on the plane
        ("direction_v", np.float32),
        ("length", np.float32),  # of the axis on the plane,
        ("over_length", np.float32),  # and one over it
        ("slope", np.float32),  # tangent of the angle between outline and axis
        ("first_radius", np.float32),
        ("second_radius", np.float32),
    ],
    align=True,
)

# A round cone close enough to the floor to keep the sky from it, metres from the map's origin.
SITTER = np.dtype(
    [
        ("x", np.float32),  # first sphere
        ("y", np.float32),
        ("z", np.float32),
        ("axis_x", np.float32),  # to the second
        ("axis_y", np.float32),
        ("axis_z", np.float32),
        ("over_square", np.float32),  # one over the axis's length squared; 0 for a sphere
        ("first_radius", np.float32),
        ("second_radius", np.float32),
        ("reach", np.float32),  # how far its darkness goes
    ],
    align=True,
)


class Casters(NamedTuple):
    """The cones that cast shadows."""

    shapes: np.ndarray  # (N,) CASTER
    boxes: np.ndarray  # (N,) raycast.BOX, texels


class Sitters(NamedTuple):
    """The cones that darken the floor below them."""

    shapes: np.ndarray  # (M,) SITTER
    boxes: np.ndarray  # (M,) raycast.BOX, texels


class Maps(NamedTuple):
    """A shadow map of the key light."""

    dark: np.ndarray  # (R, C) how dark the floor is: 1 in full shadow, more where the sky is hidden too
    nearness: np.ndarray  # (R, C) how near to the light is the middle of what comes first there
    summits: np.ndarray  # (R / 4, C / 4) the nearest in each block


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
def cast(first, step, casters, sitters, plane, maps):
    """Fill every step-th row of blocks of the maps."""
    dark, nearness = maps.dark, maps.nearness
    places = np.empty(dark.shape[1], dtype=np.float32)
    for i in range(len(places)):
        places[i] = i * plane.texel
    for row in range(len(dark)):
        if (row // SIDE - first) % step == 0:
            dark[row] = ZERO
            nearness[row] = NOTHING
    throw_shadows(first, step, casters, plane, places, maps)
    for row in range(first, len(maps.summits), step):
        finish_blocks(row, maps)
    hide_sky(first, step, sitters, plane, places, dark)


@kernel
def throw_shadows(first, step, casters, plane, places, maps):
    """Add the squares of the map that each cone covers, and keep the nearest cone to the light."""
    corner, texel, floor = plane.corner, plane.texel, plane.floor
    soft, fine = np.float32(plane.softness), np.float32(plane.finest)
    for n in range(len(casters.shapes)):
        caster, box = casters.shapes[n], casters.boxes[n]
        left, right = box.left, box.right
        r0, dr = caster.first_radius, caster.second_radius - caster.first_radius
        w0, dw = caster.w, caster.axis_w
        dx, dy = caster.direction_u, caster.direction_v
        long, over, lean = caster.length, caster.over_length, caster.slope
        offset, middle_v = np.float32(corner[0] - caster.u), caster.v
        for row in range(box.top, box.bottom):
            if (row // SIDE - first) % step != 0:
                continue
            v = corner[1] + row * texel
            y = np.float32(v - middle_v)
            level = np.float32(floor[0] + floor[1] * v)
            xs = places[left:right]
            key = maps.dark[row, left:right]
            near = maps.nearness[row, left:right]
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
def finish_blocks(row, maps):
    """Roots of the sums, and the highest of each block, in a row of blocks."""
    for a in range(SIDE):
        line = maps.dark[SIDE * row + a]
        for i in range(len(line)):
            line[i] = clip(math.sqrt(line[i]))
    summit, nearness = maps.summits[row], maps.nearness
    for i in range(len(summit)):
        highest = NOTHING
        for a in range(SIDE):
            for b in range(SIDE):
                value = nearness[SIDE * row + a, SIDE * i + b]
                highest = value if value > highest else highest
        summit[i] = highest


@kernel
def hide_sky(first, step, sitters, plane, places, dark):
    """Add the darkness under bodies that stand or lie on the floor."""
    axes, corner, texel, floor = plane.axes, plane.corner, plane.texel, plane.floor
    weight = np.float32(plane.sky)
    gx, gz = np.float32(axes[0, 0]), np.float32(axes[0, 2])
    for n in range(len(sitters.shapes)):
        sitter, box = sitters.shapes[n], sitters.boxes[n]
        left, right = box.left, box.right
        r0, dr = sitter.first_radius, sitter.second_radius - sitter.first_radius
        ax, ay, az = sitter.axis_x, sitter.axis_y, sitter.axis_z
        over, over_reach = sitter.over_square, ONE / (sitter.reach * sitter.reach)
        for row in range(box.top, box.bottom):
            if (row // SIDE - first) % step != 0:
                continue
            v = corner[1] + row * texel
            w = floor[0] + floor[1] * v
            x0 = np.float32(corner[0] * axes[0, 0] + v * axes[1, 0] + w * axes[2, 0] - sitter.x)
            y0 = np.float32(v * axes[1, 1] + w * axes[2, 1] - sitter.y)
            z0 = np.float32(corner[0] * axes[0, 2] + v * axes[1, 2] + w * axes[2, 2] - sitter.z)
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
