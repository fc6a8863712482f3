"""People who fall onto each other: what of a picture they cover, and who has room to stand, fall and lie."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.patch_bodies import deepest, seen_by
from randori.kernels.patch_compose import FASTEST, way_over_floor


@kernel
def cover(points, first, stop, x, z, yaw, left, top, size, raster):
    """Count a body into a raster (rows, columns) of squares: the squares that its points are over."""
    c, s = math.cos(yaw), math.sin(yaw)
    for p in range(first, stop):
        column = math.floor((c * points[p, 0] + s * points[p, 1] + x - left) / size)
        row = math.floor((top - (c * points[p, 1] - s * points[p, 0] + z)) / size)
        if 0 <= row < raster.shape[0] and 0 <= column < raster.shape[1]:
            raster[row, column] = True


@kernel
def gains(
    points, first, stop, ring, ring_first, ring_stop, places, left, top, size, wanted, covered, few, out
):  # fmt: skip
    """What bodies (K,), placed so (K, 3), would cover of a picture: rows of `out` (K, 3).

    Points of theirs where nobody lies yet; points outside of the picture; and the share of the points around
    the body that are covered, or outside: how tightly it lies. That is 0 for those with fewer than `few` new.
    """
    high, wide = wanted.shape
    for k in range(len(places)):
        c, s = math.cos(places[k, 2]), math.sin(places[k, 2])
        x, z = places[k, 0] - left, top - places[k, 1]
        new, outside, tight = 0, 0, 0
        for p in range(first[k], stop[k]):
            column = math.floor((c * points[p, 0] + s * points[p, 1] + x) / size)
            row = math.floor((z - c * points[p, 1] + s * points[p, 0]) / size)
            if not (0 <= row < high and 0 <= column < wide) or not wanted[row, column]:
                outside += 1
            elif not covered[row, column]:
                new += 1
        out[k, 0], out[k, 1], out[k, 2] = new, outside, 0.0
        if new < few:
            continue
        for p in range(ring_first[k], ring_stop[k]):
            column = math.floor((c * ring[p, 0] + s * ring[p, 1] + x) / size)
            row = math.floor((z - c * ring[p, 1] + s * ring[p, 0]) / size)
            if (
                not (0 <= row < high and 0 <= column < wide)
                or not wanted[row, column]
                or covered[row, column]
            ):
                tight += 1
        out[k, 2] = tight / max(ring_stop[k] - ring_first[k], 1)


@array_kernel
def touches(
    body, halves, radii, pelvis, reach, allowed, resting, frames, places, start, every, shown_frame,
    shown_place, shown_x, shown_z, until, boxes, parent, parted, falling,
):  # fmt: skip
    """Whether somebody touches one of the others, from tick 0 on.

    Somebody shows frames (L,), placed so (L, 3), from tick `start` on; before and after, the first and the
    last of them. The others are rows of `shown_*` from tick 0 to `until` (N,); `boxes` (N, 4) are around all
    that they do: x from, to, z from, to. The `parent` counts before tick `parted`, and again `falling` ticks
    later, when it may be as deep in somebody as `resting` (16, 16) has it. Each `every`-th tick is looked at.
    """
    length = len(frames)
    xs, zs = np.empty(length), np.empty(length)
    low_x, high_x, low_z, high_z = way_over_floor(pelvis, reach, frames, places, 0.0, xs, zs)
    # mostly it is where they lie that there is no room: that is looked at first
    for whole in range(2):
        for other in range(len(until)):
            if (
                boxes[other, 0] >= high_x or boxes[other, 1] <= low_x
                or boxes[other, 2] >= high_z or boxes[other, 3] <= low_z
            ):  # fmt: skip
                continue
            end = max(start + length - 1, until[other])  # from here on neither moves
            t = 0 if whole else max(end, 0)
            while t <= end:
                if other == parent and parted <= t < parted + falling:
                    t = parted + falling
                    continue
                depths = resting if other == parent and t >= parted else allowed
                mine, row = min(max(t - start, 0), length - 1), min(t, until[other])
                f, g = frames[mine], shown_frame[other, row]
                x, z = xs[mine] - shown_x[other, row], zs[mine] - shown_z[other, row]
                apart, far = math.sqrt(x * x + z * z), reach[f] + reach[g]
                if apart < far:
                    c, s, tx, tz = seen_by(
                        places[mine, 0], places[mine, 1], places[mine, 2],
                        shown_place[other, row, 0], shown_place[other, row, 1], shown_place[other, row, 2],
                    )  # fmt: skip
                    depth, _, _ = deepest(
                        body, halves, radii, halves, radii, pelvis, reach, f, g, c, s, tx, tz, depths
                    )
                    if depth > 0.0:
                        return True
                    ahead = every
                else:
                    ahead = every * (1 + int((apart - far) / (FASTEST * every)))
                # the end is looked at, too
                t = end if t < end < t + ahead else t + ahead
    return False


@array_kernel
def first_free(
    body, halves, radii, pelvis, reach, allowed, resting, way_start, way_frame, way_place, begin, parts,
    places, ticks, parted, falling, order, every, shown_frame, shown_place, shown_x, shown_z, until, boxes,
    parent, dead,
):  # fmt: skip
    """The first of some candidates, in an order, who touches nobody; -1 if all do.

    Candidate k does what the part `parts[k]` of a patch has, that is put to `places[k]` in tick `ticks[k]`.
    Those who would touch somebody are marked in `dead`: others only come to it.
    """
    longest = 0
    for k in order:
        longest = max(longest, way_start[parts[k] + 1] - way_start[parts[k]])
    frames, puts = np.empty(longest, dtype=np.int64), np.empty((longest, 3))
    for k in order:
        first, stop = way_start[parts[k]], way_start[parts[k] + 1]
        c, s = math.cos(places[k, 2]), math.sin(places[k, 2])
        for row in range(first, stop):
            x, z = way_place[row, 0], way_place[row, 1]
            frames[row - first] = way_frame[row]
            puts[row - first, 0] = c * x + s * z + places[k, 0]
            puts[row - first, 1] = c * z - s * x + places[k, 1]
            puts[row - first, 2] = way_place[row, 2] + places[k, 2]
        if not touches(
            body, halves, radii, pelvis, reach, allowed, resting, frames[: stop - first],
            puts[: stop - first], ticks[k] + begin[parts[k]], every, shown_frame, shown_place, shown_x,
            shown_z, until, boxes, parent, parted[k], falling,
        ):  # fmt: skip
            return k
        dead[k] = True
    return -1
