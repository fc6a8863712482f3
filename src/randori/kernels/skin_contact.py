"""Depth of points on one skin in another: by the nearest point of the other and its normal."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel

# Cosine between the way to the nearest point and its normal: of a point inside they agree. Beyond the rim of
# an open mesh, or past a corner, the nearest normal says nothing.
_STRAIGHT_COSINE = 0.8


class Skins(NamedTuple):
    """Two skins of N points each, in F frames."""

    points: np.ndarray  # (2, F, N, 3) metres
    normals: np.ndarray  # (2, F, N, 3) unit vectors, outward
    thick: np.ndarray  # (2, N) metres of flesh below each point
    groups: np.ndarray  # (2, N) the group of each point, such as its capsule
    used: np.ndarray  # (2, F, N) bool: points that count


class Deepest(NamedTuple):
    """How deep the G groups of two skins are in the other skin."""

    depth: np.ndarray  # (F, 2, G) metres
    points: np.ndarray  # (F, 2, G, 2) the deepest point of a group, and the other skin's point nearest to it


@kernel
def depths(points, others, normals, thick, farthest, found, nearest):
    """Fill found (N,) with metres that points (N, 3) are in a skin of points (M, 3) with outward normals.

    No point is deeper in the skin than its flesh is thick there, (M,) metres: that would be beyond it.

    Negative outside: the distance to the nearest of the others, whose number goes to nearest (N,). Points
    farther away than `farthest` from all of them get -farthest and -1.
    """
    for n in range(len(points)):
        best, which = farthest * farthest, -1
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        for m in range(len(others)):
            dx, dy, dz = others[m, 0] - x, others[m, 1] - y, others[m, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if square < best:
                best, which = square, m
        nearest[n] = which
        if which < 0:
            found[n] = -farthest
            continue
        dx, dy, dz = others[which, 0] - x, others[which, 1] - y, others[which, 2] - z
        out = dx * normals[which, 0] + dy * normals[which, 1] + dz * normals[which, 2]
        distance = math.sqrt(best)
        inside = out > _STRAIGHT_COSINE * distance and distance < thick[which]
        found[n] = out if inside else -distance


@kernel
def deepest(skins, farthest, found, room):
    """Find how deep two skins are in each other; only points nearer than `farthest` metres are looked at.

    `room` (N,) int64 is scratch space.
    """
    for f in range(skins.points.shape[1]):
        for one in range(2):
            found.depth[f, one] = 0.0
            low, high = _box(skins.points[one, f])
            near = _within(skins.points[1 - one, f], skins.used[1 - one, f], low, high, farthest, room)
            if near > 0:
                _look_into(skins, f, one, farthest, room[:near], found)


@kernel
def _look_into(skins, f, one, farthest, near, found):
    """Find the points of a skin that are deepest in the other, of whose points some are near (K,)."""
    other = 1 - one
    low, high = _box(skins.points[other, f])
    for n in range(skins.points.shape[2]):
        if not skins.used[one, f, n]:
            continue
        x, y, z = skins.points[one, f, n, 0], skins.points[one, f, n, 1], skins.points[one, f, n, 2]
        if x < low[0] or y < low[1] or z < low[2] or x > high[0] or y > high[1] or z > high[2]:
            continue
        best, nearest = farthest * farthest, -1
        for k in range(len(near)):
            m = near[k]
            dx = skins.points[other, f, m, 0] - x
            dy = skins.points[other, f, m, 1] - y
            dz = skins.points[other, f, m, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if square < best:
                best, nearest = square, m
        if nearest < 0:
            continue
        out = (
            (skins.points[other, f, nearest, 0] - x) * skins.normals[other, f, nearest, 0]
            + (skins.points[other, f, nearest, 1] - y) * skins.normals[other, f, nearest, 1]
            + (skins.points[other, f, nearest, 2] - z) * skins.normals[other, f, nearest, 2]
        )
        distance, group = math.sqrt(best), skins.groups[one, n]
        inside = out > _STRAIGHT_COSINE * distance and distance < skins.thick[other, nearest]
        if inside and out > found.depth[f, one, group]:
            found.depth[f, one, group] = out
            found.points[f, one, group, 0], found.points[f, one, group, 1] = n, nearest


@kernel
def _box(points):
    """The lowest and the highest coordinates of points (N, 3)."""
    low_x, low_y, low_z = points[0, 0], points[0, 1], points[0, 2]
    high_x, high_y, high_z = low_x, low_y, low_z
    for n in range(1, len(points)):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        low_x, low_y, low_z = min(low_x, x), min(low_y, y), min(low_z, z)
        high_x, high_y, high_z = max(high_x, x), max(high_y, y), max(high_z, z)
    return (low_x, low_y, low_z), (high_x, high_y, high_z)


@kernel
def _within(points, used, low, high, margin, room):
    """Count the used points (N, 3) in a box or within a margin of it; their numbers go to room."""
    count = 0
    for n in range(len(points)):
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        inside_x = low[0] - margin <= x <= high[0] + margin
        inside_y = low[1] - margin <= y <= high[1] + margin
        inside_z = low[2] - margin <= z <= high[2] + margin
        if used[n] and inside_x and inside_y and inside_z:
            room[count] = n
            count += 1
    return count
