"""Vectors in space as triples (x, y, z), for use inside other kernels."""

import math

from randori.kernels.compile import kernel


@kernel
def triple(a):
    """A vector (3,) as a triple."""
    return a[0], a[1], a[2]


@kernel
def row_of(table, row):
    """A row of a table (N, 3) as a triple."""
    return table[row, 0], table[row, 1], table[row, 2]


@kernel
def set_row(table, row, a):
    """Write a triple into a row of a table (N, 3)."""
    table[row, 0], table[row, 1], table[row, 2] = a[0], a[1], a[2]


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def times(factor, a):
    return factor * a[0], factor * a[1], factor * a[2]


@kernel
def negative(a):
    return -a[0], -a[1], -a[2]


@kernel
def length_of(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def unit(a):
    """The direction of a vector; a vector without a length stays as it is."""
    length = length_of(a)
    if length > 0.0:
        return a[0] / length, a[1] / length, a[2] / length
    return a[0], a[1], a[2]
