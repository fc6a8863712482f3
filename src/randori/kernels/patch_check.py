"""Depth of overlap of two bodies over a span of ticks: for the independent check of patches."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.contact import gap_squared
from randori.kernels.plane import move_point

_CORNERS = np.dtype([("low", np.float64, (3,)), ("high", np.float64, (3,))], align=True)  # metres, of a box


class Played(NamedTuple):
    """The frames that a character shows, tick by tick; outside them, it shows the first or the last."""

    start: int  # tick
    frames: np.ndarray  # (T,) int64
    places: np.ndarray  # (T,) PLACE of their recordings
    radii: np.ndarray  # (16,) metres; negative for capsules that there are not


@kernel
def _move(body, radii, place, ends, boxes):
    """Put the capsules of a body (16, 2, 3) where a recording goes, with a box around each (16,)."""
    cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
    for m in range(16):
        for end in range(2):
            x, z = move_point(cosine, sine, place.x, place.z, body[m, end, 0], body[m, end, 2])
            ends[m, end, 0], ends[m, end, 1], ends[m, end, 2] = x, body[m, end, 1], z
        for axis in range(3):
            boxes[m].low[axis] = min(ends[m, 0, axis], ends[m, 1, axis]) - radii[m]
            boxes[m].high[axis] = max(ends[m, 0, axis], ends[m, 1, axis]) + radii[m]


@kernel
def _apart(box, other):
    """Whether two boxes do not touch."""
    apart = False
    for axis in range(3):
        apart |= box.low[axis] > other.high[axis] or other.low[axis] > box.high[axis]
    return apart


@kernel
def _deepest_now(a, a_radii, a_boxes, b, b_radii, b_boxes, most):
    """Metres that a body (16, 2, 3) is in another one at most, or `most` if that is more."""
    for i in range(16):
        if a_radii[i] < 0.0:
            continue
        for j in range(16):
            if b_radii[j] < 0.0 or _apart(a_boxes[i], b_boxes[j]):
                continue
            squared = gap_squared(
                a[i, 0, 0], a[i, 0, 1], a[i, 0, 2], a[i, 1, 0], a[i, 1, 1], a[i, 1, 2],
                b[j, 0, 0], b[j, 0, 1], b[j, 0, 2], b[j, 1, 0], b[j, 1, 1], b[j, 1, 2],
            )  # fmt: skip
            most = max(most, a_radii[i] + b_radii[j] - math.sqrt(squared))
    return most


@array_kernel
def deepest_between(body, character, other, first, last):
    """Metres that a character is in another at most in the ticks from `first` to `last`; negative: apart,
    or -inf. Both are Played from recordings `body` (F, 16, 2, 3).
    """
    a, b = np.empty((16, 2, 3)), np.empty((16, 2, 3))
    a_boxes, b_boxes = np.empty(16, _CORNERS), np.empty(16, _CORNERS)
    most, shown_m, shown_n = -math.inf, -1, -1
    for tick in range(first, last + 1):
        m = min(max(tick - character.start, 0), len(character.frames) - 1)
        n = min(max(tick - other.start, 0), len(other.frames) - 1)
        if m == shown_m and n == shown_n:
            continue
        if m != shown_m:
            _move(body[character.frames[m]], character.radii, character.places[m], a, a_boxes)
        if n != shown_n:
            _move(body[other.frames[n]], other.radii, other.places[n], b, b_boxes)
        shown_m, shown_n = m, n
        most = _deepest_now(a, character.radii, a_boxes, b, other.radii, b_boxes, most)
    return most
