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


# The same on quadruples (w, x, y, z) and triples (x, y, z), where scalars would be too many parameters.


@kernel
def compose(a, b):
    """The rotation b followed by the rotation a."""
    return multiply(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])


@kernel
def inverse(q):
    return q[0], -q[1], -q[2], -q[3]


@kernel
def turn(q, v):
    """The vector v turned by the unit quaternion q."""
    return rotate(q[0], q[1], q[2], q[3], v[0], v[1], v[2])


@kernel
def quadruple(q):
    """A rotation (4,) as a quadruple."""
    return q[0], q[1], q[2], q[3]


@kernel
def rotation_at(table, row):
    """A row of a table (N, 4) as a quadruple."""
    return table[row, 0], table[row, 1], table[row, 2], table[row, 3]


@kernel
def set_rotation(table, row, q):
    """Write a quadruple into a row of a table (N, 4)."""
    table[row, 0], table[row, 1], table[row, 2], table[row, 3] = q[0], q[1], q[2], q[3]


@kernel
def about_vertical(yaw):
    """The rotation by a yaw in radians."""
    half = 0.5 * yaw
    return math.cos(half), 0.0, math.sin(half), 0.0


@kernel
def from_vector(v):
    """The rotation about a vector by its length in radians."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * v[0], scale * v[1], scale * v[2]


@kernel
def from_vector_by_series(v):
    """As `from_vector`, but with a series for small angles, which differs in the last digits."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * v[0], scale * v[1], scale * v[2]


@kernel
def turn_between(a, b):
    """The smallest rotation from direction a to direction b; none where they are opposite.

    As `limbs.turn_between_units`, which makes both unit first and differs in the last digits.
    """
    length = math.sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]))
    w = length + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w <= 1e-9 * length or size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return w / size, x / size, y / size, z / size


@kernel
def slerp(a, b, t):
    """From rotation a (t = 0) to b (t = 1), the shorter way; at the ends exactly a or b."""
    if t <= 0.0:
        return a
    if t >= 1.0:
        return b
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = 1.0 if cosine >= 0.0 else -1.0
    angle = math.acos(min(abs(cosine), 1.0))
    if angle < 1e-6:
        first, second = 1.0 - t, t
    else:
        first, second = math.sin((1.0 - t) * angle) / math.sin(angle), math.sin(t * angle) / math.sin(angle)
    second *= sign
    w, x = first * a[0] + second * b[0], first * a[1] + second * b[1]
    y, z = first * a[2] + second * b[2], first * a[3] + second * b[3]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length
