"""Quaternion arithmetic on scalars, for use inside other kernels. Order (w, x, y, z)."""

import math

from randori.kernels.compile import kernel


@kernel
def multiply(aw, ax, ay, az, bw, bx, by, bz):
    """The rotation b followed by the rotation a."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel
def rotate(w, x, y, z, vx, vy, vz):
    """The vector v turned by the unit quaternion."""
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@kernel
def vector_of(w, x, y, z):
    """The rotation vector of a unit quaternion, the short way round."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, w) / sine
    return factor * x, factor * y, factor * z
