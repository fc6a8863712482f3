"""Rotations that turn no more hastily than they may: changed as little as that takes.

An acceleration is a difference of three frames. Where it is above its limit, the three are moved by the least
that brings it down (a projection); swept again and again, that ends where every frame keeps its limit.
"""

import math

from randori.kernels.compile import kernel
from randori.kernels.rotation import multiply, vector_of

_INSIDE = 0.998  # of a limit that is aimed at, so that a sweep ends


@kernel
def _step(rotations, f, j):
    """The rotation vector that leads from a frame to the next one."""
    a, b = rotations[f, j], rotations[f + 1, j]
    w, x, y, z = multiply(b[0], b[1], b[2], b[3], a[0], -a[1], -a[2], -a[3])
    return vector_of(w, x, y, z)


@kernel
def _turn(rotations, f, j, x, y, z):
    """Turn a joint in a frame by a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    q = rotations[f, j]
    w, x, y, z = multiply(math.cos(0.5 * angle), scale * x, scale * y, scale * z, q[0], q[1], q[2], q[3])
    size = math.sqrt(w * w + x * x + y * y + z * z)
    q[0], q[1], q[2], q[3] = w / size, x / size, y / size, z / size


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
            found, low, high = 0, last, first
            for f in range(first, last + 1):
                yielding = free[f - 1] + 4.0 * free[f] + free[f + 1]
                if yielding <= 0.0:
                    continue
                ax, ay, az = _step(rotations, f - 1, j)
                bx, by, bz = _step(rotations, f, j)
                x, y, z = bx - ax, by - ay, bz - az
                much = math.sqrt(x * x + y * y + z * z)
                if much <= limit[f, j]:
                    continue
                found, low, high = found + 1, min(low, f), max(high, f)
                share = (1.0 - _INSIDE * limit[f, j] / much) / yielding
                for k, part in ((-1, -1.0), (0, 2.0), (1, -1.0)):
                    if free[f + k]:
                        s = part * share
                        _turn(rotations, f + k, j, s * x, s * y, s * z)
            if found == 0:
                break
            # what was moved may have moved its neighbours above their limits
            first, last = max(low - 2, 1), min(high + 2, rotations.shape[0] - 2)
        left += found
    return left
