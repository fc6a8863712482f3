"""How deep two bodies get into each other over a span of ticks: for the independent check of patches."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.contact import gap_squared


@kernel
def _move(body, radii, place, ends, boxes):
    """Put the capsules of a body (16, 2, 3) where a recording goes, with a box around each (16, 6)."""
    c, s = math.cos(place[2]), math.sin(place[2])
    for m in range(16):
        for end in range(2):
            x, z = body[m, end, 0], body[m, end, 2]
            ends[m, end, 0] = c * x + s * z + place[0]
            ends[m, end, 1] = body[m, end, 1]
            ends[m, end, 2] = c * z - s * x + place[1]
        for axis in range(3):
            boxes[m, axis] = min(ends[m, 0, axis], ends[m, 1, axis]) - radii[m]
            boxes[m, 3 + axis] = max(ends[m, 0, axis], ends[m, 1, axis]) + radii[m]


@array_kernel
def deepest_between(
    body, a_frames, a_places, a_start, a_radii, b_frames, b_places, b_start, b_radii, first, last
):  # fmt: skip
    """Metres that one is in the other at most in the ticks from `first` to `last`; negative: apart, or -inf.

    Each shows frames (T,) of recordings `body` (F, 16, 2, 3) that are placed so (T, 3), from a tick on;
    before and after it the first and the last of them.
    """
    a, b = np.empty((16, 2, 3)), np.empty((16, 2, 3))
    a_boxes, b_boxes = np.empty((16, 6)), np.empty((16, 6))
    most, shown_m, shown_n = -math.inf, -1, -1
    for tick in range(first, last + 1):
        m = min(max(tick - a_start, 0), len(a_frames) - 1)
        n = min(max(tick - b_start, 0), len(b_frames) - 1)
        if m == shown_m and n == shown_n:
            continue
        if m != shown_m:
            _move(body[a_frames[m]], a_radii, a_places[m], a, a_boxes)
        if n != shown_n:
            _move(body[b_frames[n]], b_radii, b_places[n], b, b_boxes)
        shown_m, shown_n = m, n
        for i in range(16):
            if a_radii[i] < 0.0:
                continue
            for j in range(16):
                if b_radii[j] < 0.0:
                    continue
                if (
                    a_boxes[i, 0] > b_boxes[j, 3] or b_boxes[j, 0] > a_boxes[i, 3]
                    or a_boxes[i, 2] > b_boxes[j, 5] or b_boxes[j, 2] > a_boxes[i, 5]
                    or a_boxes[i, 1] > b_boxes[j, 4] or b_boxes[j, 1] > a_boxes[i, 4]
                ):  # fmt: skip
                    continue
                squared = gap_squared(
                    a[i, 0, 0], a[i, 0, 1], a[i, 0, 2], a[i, 1, 0], a[i, 1, 1], a[i, 1, 2],
                    b[j, 0, 0], b[j, 0, 1], b[j, 0, 2], b[j, 1, 0], b[j, 1, 1], b[j, 1, 2],
                )  # fmt: skip
                most = max(most, a_radii[i] + b_radii[j] - math.sqrt(squared))
    return most
