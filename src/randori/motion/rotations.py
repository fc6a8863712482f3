"""Unit quaternions (w, x, y, z) in arrays of any shape (..., 4)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from randori.kernels import rotations as kernels

Array = np.ndarray
Shape = tuple[int, ...]

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
X_AXIS = np.array([1.0, 0.0, 0.0])
Y_AXIS = np.array([0.0, 1.0, 0.0])
Z_AXIS = np.array([0.0, 0.0, 1.0])


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The rotation b followed by the rotation a."""
    return _fill(kernels.multiply_rows, a, b, 4)


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
    return _fill(kernels.rotate_rows, q, v, 3)


def normalize(q: ArrayLike) -> Array:
    """Scaled to unit length; works for quaternions and vectors. A zero stays zero."""
    q = np.asarray(q, dtype=float)
    result = np.empty(q.shape)
    kernels.normalize_rows(_rows(q), result.reshape(-1, q.shape[-1]))
    return result


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
    """The rate of the rotation vector v (..., 3) while its rotation turns on, per second.

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
    return _fill(kernels.rows_between, a, b, 4)


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
    """The angle by which q turns about the vertical, in radians: the twist about +Y."""
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


def turn_joints(turns: Array, joints: Array, places: Array, turned: Array) -> None:
    """Turn the first of some joints by turns (F, 4), and carry the others around it.

    Changes places (F, J, 3) and rotations (F, J, 4) in the world, in place.
    """
    kernels.turn_joints(_rows(turns), joints, places, turned)


def _fill(kernel: Callable[..., None], a: ArrayLike, b: ArrayLike, width: int) -> Array:
    """The result of a kernel on two operands, in rows of a width; their other axes are broadcast."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    first, second = a.shape[:-1], b.shape[:-1]
    shape = first if first == second else np.broadcast_shapes(first, second)
    result = np.empty((*shape, width))
    steps = None if first == second else _steps(first, second, shape)
    if steps is None:
        if first != second:
            a, b = (np.broadcast_to(one, (*shape, one.shape[-1])) for one in (a, b))
        steps = kernels.Steps(1, result.size // width, 0, 1, 0, 1)
    if result.size:
        kernel(_rows(a), _rows(b), steps, result.reshape(-1, width))
    return result


def _steps(first: Shape, second: Shape, shape: Shape) -> kernels.Steps | None:
    """Two loops through operands that are broadcast to a shape; None where two are not enough."""
    loops: list[tuple[int, bool, bool]] = []  # turns, and which operands go on with them
    first, second = ((1,) * (len(shape) - len(one)) + one for one in (first, second))
    for turns, *sizes in zip(shape, first, second):
        go_on = sizes[0] == turns, sizes[1] == turns
        if loops and loops[-1][1:] == go_on:
            loops[-1] = loops[-1][0] * turns, *go_on
        elif turns != 1:
            loops.append((turns, *go_on))
    if len(loops) > 2:
        return None
    (outer, *outside), (inner, *inside) = [(1, False, False)] * (2 - len(loops)) + loops
    by = [(inner if within else 1) if around else 0 for around, within in zip(outside, inside)]
    return kernels.Steps(outer, inner, by[0], int(inside[0]), by[1], int(inside[1]))


def _rows(values: Array) -> Array:
    """Values as rows in one block that can be written to: kernels are compiled for nothing else."""
    if not (values.flags.c_contiguous and values.flags.writeable):
        values = values.copy()
    return values.reshape(-1, values.shape[-1])
