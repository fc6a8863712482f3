"""Rotations that turn no more hastily than they may: changed as little as that takes.

An acceleration is a difference of three frames. Where it is above its limit, the three are moved by the least
that brings it down (a projection); swept again and again, that ends where every frame keeps its limit.
"""

import math

from randori.kernels.compile import kernel
from randori.kernels.rotation import (
    compose,
    from_vector_by_series,
    inverse,
    rotation_at,
    set_rotation,
    vector_of,
)
from randori.kernels.vectors import length_of, minus, times

_INSIDE_SHARE = 0.998  # of a limit that is aimed at, so that a sweep ends


@kernel
def _step(rotations, f, j):
    """The rotation vector that leads from a frame to the next one."""
    w, x, y, z = compose(rotation_at(rotations[f + 1], j), inverse(rotation_at(rotations[f], j)))
    return vector_of(w, x, y, z)


@kernel
def _turn(rotations, f, j, by):
    """Turn a joint in a frame by a rotation vector."""
    w, x, y, z = compose(from_vector_by_series(by), rotation_at(rotations[f], j))
    size = math.sqrt(w * w + x * x + y * y + z * z)
    set_rotation(rotations[f], j, (w / size, x / size, y / size, z / size))


@kernel
def _sweep(rotations, j, first, last, limit, free):
    """Calm a joint in the frames that miss its limit; returns how many, the first and the last of them."""
    found, low, high = 0, last, first
    for f in range(first, last + 1):
        yielding = free[f - 1] + 4.0 * free[f] + free[f + 1]
        if yielding <= 0.0:
            continue
        change = minus(_step(rotations, f, j), _step(rotations, f - 1, j))
        much = length_of(change)
        if much <= limit[f, j]:
            continue
        found, low, high = found + 1, min(low, f), max(high, f)
        share = (1.0 - _INSIDE_SHARE * limit[f, j] / much) / yielding
        for k, part in ((-1, -1.0), (0, 2.0), (1, -1.0)):
            if free[f + k]:
                _turn(rotations, f + k, j, times(part * share, change))
    return found, low, high


@kernel
def calm(
    rotations,  # (F, J, 4) in the parents' frames, changed
    limit,  # (F, J) radians, that a step may differ from the one before it
    free,  # (F,) bool: frames that may be changed
    sweeps,
):
    """Change rotations as little as keeps the limits; returns how many frames still miss one."""
    left = 0
    for j in range(rotations.shape[1]):
        first, last = 1, rotations.shape[0] - 2
        for _ in range(sweeps):
            found, low, high = _sweep(rotations, j, first, last, limit, free)
            if found == 0:
                break
            # a moved frame may have moved its neighbours above their limits
            first, last = max(low - 2, 1), min(high + 2, rotations.shape[0] - 2)
        left += found
    return left
