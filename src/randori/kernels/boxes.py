"""Rounded boxes: cars, walls, and limbs that do not give way; how far points and capsules are from them."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.rotation import inverse, rotation_at, turn
from randori.kernels.vectors import minus, plus, row_of, times

_SEARCH = 24  # golden sections of a capsule's axis: its deepest point is found to 1e-5 of its length
_GOLDEN_RATIO = 0.5 * (math.sqrt(5.0) - 1.0)


class Boxes(NamedTuple):
    """Boxes with round edges in every frame: all points within a radius of a core."""

    middles: np.ndarray  # (F, K, 3) metres
    turned: np.ndarray  # (F, K, 4)
    halves: np.ndarray  # (K, 3) metres from the middle of a core to its sides
    radii: np.ndarray  # (K,) metres


@kernel
def surface(middle, turned, half, radius, point):
    """Metres from the surface of a box to a point, negative inside, and the direction straight out of it."""
    x, y, z = turn(inverse(turned), minus(point, middle))
    dx, dy, dz = abs(x) - half[0], abs(y) - half[1], abs(z) - half[2]
    sx, sy, sz = math.copysign(1.0, x), math.copysign(1.0, y), math.copysign(1.0, z)
    ox, oy, oz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    away = math.sqrt(ox * ox + oy * oy + oz * oz)
    if away > 1e-9:
        out = sx * ox / away, sy * oy / away, sz * oz / away
    else:  # inside the core the nearest side counts
        away = max(dx, dy, dz)
        if away == dx:
            out = sx, 0.0, 0.0
        elif away == dz:
            out = 0.0, 0.0, sz
        else:
            out = 0.0, sy, 0.0
    return away - radius, turn(turned, out)


@kernel
def capsule_depth(boxes, frame, box, start, stop, radius):
    """Metres by which a capsule is inside a box, the share along it, and the direction straight out.

    The distance from a box is convex, so its least value along a line is found by a golden-section search.
    """
    middle, turned = row_of(boxes.middles[frame], box), rotation_at(boxes.turned[frame], box)
    half, edge = row_of(boxes.halves, box), boxes.radii[box]
    way = minus(stop, start)
    low, high = 0.0, 1.0
    one, other = high - _GOLDEN_RATIO * (high - low), low + _GOLDEN_RATIO * (high - low)
    at_one, _ = surface(middle, turned, half, edge, plus(start, times(one, way)))
    at_other, _ = surface(middle, turned, half, edge, plus(start, times(other, way)))
    for _ in range(_SEARCH):
        if at_one < at_other:
            high, other, at_other = other, one, at_one
            one = high - _GOLDEN_RATIO * (high - low)
            at_one, _ = surface(middle, turned, half, edge, plus(start, times(one, way)))
        else:
            low, one, at_one = one, other, at_other
            other = low + _GOLDEN_RATIO * (high - low)
            at_other, _ = surface(middle, turned, half, edge, plus(start, times(other, way)))
    share = 0.5 * (low + high)
    distance, out = surface(middle, turned, half, edge, plus(start, times(share, way)))
    return radius - distance, share, out


@kernel
def is_near(boxes, frame, box, start, stop, radius):
    """Whether a capsule may touch a box: it is within the ball about it."""
    half, middle = row_of(boxes.halves, box), row_of(boxes.middles[frame], box)
    reach = math.sqrt(half[0] ** 2 + half[1] ** 2 + half[2] ** 2) + boxes.radii[box] + radius
    total = 0.0
    for k in range(3):
        low, high = min(start[k], stop[k]), max(start[k], stop[k])
        off = max(low - middle[k], middle[k] - high, 0.0)
        total += off * off
    return total < reach * reach


@kernel
def depths(ends, radii, boxes, out):
    """Metres (F, M) that capsules (F, M, 2, 3) with radii (M,) are in any of the boxes; 0: in none."""
    for f in range(ends.shape[0]):
        for m in range(ends.shape[1]):
            out[f, m] = 0.0
            if radii[m] < 0.0:
                continue
            start, stop = row_of(ends[f, m], 0), row_of(ends[f, m], 1)
            for k in range(len(boxes.radii)):
                if is_near(boxes, f, k, start, stop, radii[m]):
                    deep, _, _ = capsule_depth(boxes, f, k, start, stop, radii[m])
                    out[f, m] = max(out[f, m], deep)
