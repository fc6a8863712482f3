"""Rotations (w, x, y, z) of whole arrays, a row at a time.

The order of additions is that of NumPy, which decides about the last digits: `rotation.rotate` has another.
"""

import math
from typing import NamedTuple

from randori.kernels.compile import kernel
from randori.kernels.rotation import compose, rotation_at, set_rotation
from randori.kernels.vectors import cross, dot, minus, plus, row_of, set_row, unit

_X_AXIS, _Y_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
_OPPOSITE_MARGIN = 1e-9  # of 1 + cosine: directions that are opposite to each other


class Steps(NamedTuple):
    """Two operands of different shapes, in two nested loops: which of their rows belong together."""

    outer: int  # how often each loop runs
    inner: int
    first_outer: int  # rows to go on by in the first operand, with each turn of a loop
    first_inner: int
    second_outer: int  # and in the second
    second_inner: int


@kernel
def multiply_rows(a, b, steps, result):
    """Fill (N, 4): the rotations b (…, 4) followed by the rotations a (…, 4)."""
    for i in range(steps.outer):
        for j in range(steps.inner):
            m = i * steps.first_outer + j * steps.first_inner
            n = i * steps.second_outer + j * steps.second_inner
            set_rotation(result, i * steps.inner + j, compose(rotation_at(a, m), rotation_at(b, n)))


@kernel
def rotate_rows(q, v, steps, result):
    """Fill (N, 3): vectors v (…, 3) turned by q (…, 4)."""
    for i in range(steps.outer):
        for j in range(steps.inner):
            by = rotation_at(q, i * steps.first_outer + j * steps.first_inner)
            row = row_of(v, i * steps.second_outer + j * steps.second_inner)
            set_row(result, i * steps.inner + j, _turned(by, row))


@kernel
def turn_joints(turns, joints, places, turned):
    """Turn bodies (F, J, 3) and (F, J, 4), in place, about the first of some joints; others come along."""
    for f in range(len(turns)):
        by, origin = rotation_at(turns, f), row_of(places[f], joints[0])
        for k in range(len(joints)):
            set_rotation(turned[f], joints[k], compose(by, rotation_at(turned[f], joints[k])))
            if k > 0:
                arm = minus(row_of(places[f], joints[k]), origin)
                set_row(places[f], joints[k], plus(origin, _turned(by, arm)))


@kernel
def _turned(by, row):
    """A vector turned by a rotation."""
    w, x, y, z = by
    vx, vy, vz = row
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (
        (vx + w * tx) + (y * tz - z * ty),
        (vy + w * ty) + (z * tx - x * tz),
        (vz + w * tz) + (x * ty - y * tx),
    )


@kernel
def normalize_rows(rows, result):
    """Fill (N, C): rows (N, C) scaled to unit length; those of zeros stay zeros."""
    for n in range(len(result)):
        total = 0.0
        for k in range(rows.shape[1]):
            total += rows[n, k] * rows[n, k]
        length = math.sqrt(total)
        length = length if length > 0.0 else 1.0
        for k in range(rows.shape[1]):
            result[n, k] = rows[n, k] / length


@kernel
def rows_between(a, b, steps, result):
    """Fill (N, 4): the smallest rotations from directions a (…, 3) to directions b (…, 3)."""
    for i in range(steps.outer):
        for j in range(steps.inner):
            first = unit(row_of(a, i * steps.first_outer + j * steps.first_inner))
            second = unit(row_of(b, i * steps.second_outer + j * steps.second_inner))
            w = 1.0 + dot(first, second)
            x, y, z = cross(first, second)
            if w < _OPPOSITE_MARGIN:  # half a turn about any axis across the first
                w, (x, y, z) = 0.0, cross(first, _X_AXIS if abs(first[0]) < 0.9 else _Y_AXIS)
            set_rotation(result, i * steps.inner + j, (w, x, y, z))
    normalize_rows(result, result)
