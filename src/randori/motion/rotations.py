"""Unit quaternions (w, x, y, z) in arrays of any shape (..., 4)."""

import numpy as np
from numpy.typing import ArrayLike

Array = np.ndarray

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
X_AXIS = np.array([1.0, 0.0, 0.0])
Y_AXIS = np.array([0.0, 1.0, 0.0])
Z_AXIS = np.array([0.0, 0.0, 1.0])


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The rotation b followed by the rotation a."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    result[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    result[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    result[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return result


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """The cross product of vectors (..., 3); NumPy's own takes several times as long."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    result[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    result[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return result


def inverse(q: ArrayLike) -> Array:
    """The rotation that undoes q."""
    return np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors v (..., 3) turned by q (..., 4)."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    axis = q[..., 1:]
    t = 2.0 * cross(axis, v)
    return v + q[..., :1] * t + cross(axis, t)


def normalize(q: ArrayLike) -> Array:
    """Scaled to unit length; works for quaternions and vectors. A zero stays zero."""
    q = np.asarray(q, dtype=float)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    return q / np.where(length > 0.0, length, 1.0)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """The rotation by an angle (...) in radians about a unit axis (..., 3)."""
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    cosine, vector = np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)
    cosine = np.broadcast_to(cosine, (*vector.shape[:-1], 1))
    return np.concatenate([cosine, vector], axis=-1)


def from_rotation_vector(v: ArrayLike) -> Array:
    """The rotation about v by |v| radians."""
    v = np.asarray(v, dtype=float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # sin(a/2)/a is 1/2 in the limit; sinc keeps it exact there
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * v], axis=-1)


def to_rotation_vector(q: ArrayLike) -> Array:
    """The axis times the angle, the shorter way round."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)


def rotation_vector_rate(v: ArrayLike, angular_velocity: ArrayLike) -> Array:
    """How fast the rotation vector v (..., 3) changes while its rotation turns on, per second.

    The angular velocity (..., 3) is in radians per second as the outside sees it. With -v it is the rate
    of v for an angular velocity that the turning body itself sees.
    """
    v, angular_velocity = np.asarray(v, dtype=float), np.asarray(angular_velocity, dtype=float)
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    tiny = half < 1e-4  # the fraction is 0/0 there and 1/12 in the limit
    safe = np.where(tiny, 1.0, half)
    factor = np.where(tiny, 1.0 / 12.0, (1.0 - safe / np.tan(safe)) / (4.0 * safe * safe))
    across = cross(v, angular_velocity)
    return angular_velocity - 0.5 * across + factor * cross(v, across)


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle of the rotation that takes a to b, in radians, 0 to π."""
    difference = multiply(inverse(a), b)
    sine = np.linalg.norm(difference[..., 1:], axis=-1)
    return 2.0 * np.arctan2(sine, np.abs(difference[..., 0]))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """From a (t = 0) to b (t = 1) the shorter way at constant angular speed."""
    difference = to_rotation_vector(multiply(inverse(a), b))
    return multiply(a, from_rotation_vector(difference * np.asarray(t, dtype=float)[..., None]))


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The smallest rotation that turns the direction a to the direction b."""
    a, b = normalize(a), normalize(b)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    q = np.concatenate([w, cross(a, b)], axis=-1)
    # opposite directions: half a turn about any axis across a
    across = cross(a, np.where(np.abs(a[..., :1]) < 0.9, X_AXIS, Y_AXIS))
    half_turn = np.concatenate([np.zeros_like(w), across], axis=-1)
    return normalize(np.where(w < 1e-9, half_turn, q))


def from_matrix(m: ArrayLike) -> Array:
    """Quaternions from rotation matrices (..., 3, 3), by the largest of the four components."""
    m = np.asarray(m, dtype=float)
    trace = np.trace(m, axis1=-2, axis2=-1)
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    candidates = np.stack(
        [
            np.stack(
                [
                    1 + trace,
                    m[..., 2, 1] - m[..., 1, 2],
                    m[..., 0, 2] - m[..., 2, 0],
                    m[..., 1, 0] - m[..., 0, 1],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    m[..., 2, 1] - m[..., 1, 2],
                    1 + d0 - d1 - d2,
                    m[..., 0, 1] + m[..., 1, 0],
                    m[..., 0, 2] + m[..., 2, 0],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    m[..., 0, 2] - m[..., 2, 0],
                    m[..., 0, 1] + m[..., 1, 0],
                    1 - d0 + d1 - d2,
                    m[..., 1, 2] + m[..., 2, 1],
                ],
                axis=-1,
            ),
            np.stack(
                [
                    m[..., 1, 0] - m[..., 0, 1],
                    m[..., 0, 2] + m[..., 2, 0],
                    m[..., 1, 2] + m[..., 2, 1],
                    1 - d0 - d1 + d2,
                ],
                axis=-1,
            ),
        ],
        axis=-2,
    )
    best = np.argmax(np.stack([trace, d0, d1, d2], axis=-1), axis=-1)
    return normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) from unit quaternions."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def from_axes(x: ArrayLike, y: ArrayLike) -> Array:
    """The rotation that turns the world's x axis to x and its y axis as near to y as x allows."""
    x = normalize(x)
    z = normalize(cross(x, np.asarray(y, dtype=float)))
    return from_matrix(np.stack([x, cross(z, x), z], axis=-1))


def yaw(q: ArrayLike) -> Array:
    """How far q turns about the vertical, in radians: the twist about +Y."""
    q = np.asarray(q, dtype=float)
    return wrap_angle(2.0 * np.arctan2(q[..., 2], q[..., 0]))


def from_yaw(angle: ArrayLike) -> Array:
    """The rotation about +Y; it turns +Z towards +X."""
    half = 0.5 * np.asarray(angle, dtype=float)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)


def wrap_angle(angle: ArrayLike) -> Array:
    """The same angle between -π and π."""
    return (np.asarray(angle, dtype=float) + np.pi) % (2.0 * np.pi) - np.pi


def unroll(q: ArrayLike) -> Array:
    """Quaternions over frames (F, ..., 4) with signs chosen so that neighbours are near."""
    q = np.array(q, dtype=float)
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0.0
    signs = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    q[1:] *= signs[..., None]
    return q


def mean(q: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """The average rotation of q (N, 4): the largest eigenvector of the sum of outer products."""
    q = np.asarray(q, dtype=float)
    w = np.ones(len(q)) if weights is None else np.asarray(weights, dtype=float)
    _, vectors = np.linalg.eigh(np.einsum("n,ni,nj->ij", w, q, q))
    average = vectors[:, -1]
    return average if average[0] >= 0.0 else -average


def to_euler(q: ArrayLike, order: str) -> Array:
    """Angles (..., 3) in radians about the axes of `order` ("ZXY": turn about Y first, Z last)."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    middle = np.arcsin(np.clip(sign * m[..., i, k], -1.0, 1.0))
    locked = np.abs(m[..., i, k]) > 1.0 - 1e-10
    first = np.arctan2(-sign * m[..., j, k], m[..., k, k])
    last = np.arctan2(-sign * m[..., i, j], m[..., i, i])
    # looking along the first axis the other two are one turn: give it all to the first
    first = np.where(locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), first)
    return np.stack([first, middle, np.where(locked, 0.0, last)], axis=-1)
