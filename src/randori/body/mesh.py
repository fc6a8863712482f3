"""The mannequin as one smooth skinned mesh, in the T-pose.

The round cones are melted into one another (a smooth union of their distance fields), the surface is
drawn by surface nets, and every vertex follows the joints whose flesh is nearest.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from randori.body.mannequin import MATERIALS, Mannequin, fit
from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton

_CELL = 0.012  # metres between samples: fine enough for a nose, coarse enough for a game
_MELT = 0.022  # metres over which neighbouring cones flow together
_FOLLOWING_DISTANCE = (
    0.011  # metres: how quickly a vertex stops following a joint whose flesh is farther away
)
_INFLUENCES = 4  # joints per vertex, as every engine allows


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """Triangles over vertices that follow joints."""

    skeleton: Skeleton
    vertices: np.ndarray  # (V, 3) metres, in the reference pose
    normals: np.ndarray  # (V, 3)
    joints: np.ndarray  # (V, 4) the joints that each vertex follows
    weights: np.ndarray  # (V, 4) how much; they sum to 1
    triangles: np.ndarray  # (T, 3) counter-clockwise seen from outside
    materials: np.ndarray  # (T,) index into mannequin.MATERIALS


@dataclass(frozen=True)
class _Bones:
    """A skeleton that equals all others that are alike: each recording and each take brings its own."""

    contents: str
    skeleton: Skeleton = field(compare=False)


def skin(skeleton: Skeleton) -> SkinnedMesh:
    """The mesh of a skeleton's mannequin."""
    return _skin(_Bones(skeleton.contents, skeleton))


@lru_cache(maxsize=64)
def _skin(bones: _Bones) -> SkinnedMesh:
    skeleton = bones.skeleton
    mannequin = fit(skeleton)
    positions, rotations = skeleton.reference_pose
    starts, stops = (ends[0] for ends in mannequin.place(positions[None], rotations[None]))
    field = _Field(mannequin, starts, stops)
    vertices, triangles = _surface_nets(*field.sample())
    vertices, normals = field.settle(vertices)
    distances = field.distances(vertices)
    joints, weights = _follow(mannequin, distances)
    mesh = SkinnedMesh(
        skeleton, vertices, normals, joints, weights, triangles, np.zeros(len(triangles), dtype=int)
    )
    by_material = np.stack(
        [distances[:, mannequin.materials == m].min(axis=1, initial=np.inf) for m in range(len(MATERIALS))],
        axis=1,
    )
    return _cut_seams(mesh, by_material)


def _cut_seams(mesh: SkinnedMesh, distances: np.ndarray) -> SkinnedMesh:
    """The mesh with materials, its triangles cut where another material becomes the nearest (V, M)."""
    nearest = np.argmin(distances, axis=1)
    corners = nearest[mesh.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    # a triangle with three materials is smaller than anyone can see: it goes to the middle one
    mixed = (low != high) & ((corners == low[:, None]) | (corners == high[:, None])).all(axis=1)
    triangles = list(mesh.triangles[~mixed])
    materials = list(np.sort(corners[~mixed], axis=1)[:, 1])

    # 1. New vertices where a seam crosses an edge; neighbours share them.
    cuts: dict[tuple[int, int], int] = {}
    ends: list[tuple[int, int]] = []
    shares: list[float] = []

    def cut(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in cuts:
            cuts[key] = len(mesh.vertices) + len(ends)
            first, second = (distances[v, nearest[key[0]]] - distances[v, nearest[key[1]]] for v in key)
            ends.append(key)
            shares.append(float(np.clip(first / (first - second), 0.02, 0.98)))
        return cuts[key]

    # 2. Each mixed triangle becomes a tip of one material and a quad of the other.
    for corner in mesh.triangles[mixed]:
        kinds = nearest[corner]
        lone = next(k for k in range(3) if (kinds == kinds[k]).sum() == 1)
        a, b, c = (int(corner[(lone + k) % 3]) for k in range(3))
        ab, ac = cut(a, b), cut(a, c)
        triangles += [(a, ab, ac), (ab, b, c), (ab, c, ac)]
        materials += [nearest[a], nearest[b], nearest[b]]

    pairs, share = np.array(ends), np.array(shares)[:, None]
    near = pairs[np.arange(len(pairs)), (share[:, 0] > 0.5).astype(int)]  # whose joints a new vertex follows

    def between(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, (1.0 - share) * values[pairs[:, 0]] + share * values[pairs[:, 1]]])

    return SkinnedMesh(
        mesh.skeleton,
        between(mesh.vertices),
        rot.normalize(between(mesh.normals)),
        np.concatenate([mesh.joints, mesh.joints[near]]),
        np.concatenate([mesh.weights, mesh.weights[near]]),
        np.array(triangles),
        np.array(materials),
    )


class _Field:
    """The signed distance to the melted cones."""

    def __init__(self, mannequin: Mannequin, starts: np.ndarray, stops: np.ndarray):
        self.starts, self.stops = starts, stops
        self.start_radii, self.stop_radii = mannequin.start_radii, mannequin.stop_radii

    def cone(self, index: int, points: np.ndarray) -> np.ndarray:
        """(...) metres from points (..., 3) to one round cone, negative inside."""
        a, r1, r2 = self.starts[index], self.start_radii[index], self.stop_radii[index]
        axis = self.stops[index] - a
        length2 = float(axis @ axis)
        rest = points - a
        difference = r1 - r2
        slope2 = length2 - difference * difference
        if slope2 <= 1e-12:  # one sphere holds the other
            larger = a if r1 >= r2 else self.stops[index]
            return np.linalg.norm(points - larger, axis=-1) - max(r1, r2)
        along = rest @ axis
        beyond = along - length2
        x, y, z = np.moveaxis((rest * length2 - along[..., None] * axis) ** 2, -1, 0)
        across = x + y + z
        along2, beyond2 = along * along * length2, beyond * beyond * length2
        turn = np.sign(difference) * difference * difference * across
        side = (np.sqrt(across * slope2 / length2) + along * difference) / length2 - r1
        at_stop = np.sqrt(across + beyond2) / length2 - r2
        at_start = np.sqrt(across + along2) / length2 - r1
        result = np.where(np.sign(beyond) * slope2 * beyond2 > turn, at_stop, side)
        return np.where(np.sign(along) * slope2 * along2 < turn, at_start, result)

    def distances(self, points: np.ndarray) -> np.ndarray:
        """(V, N) metres from each point to each cone."""
        return np.stack([self.cone(i, points) for i in range(len(self.starts))], axis=1)

    def melted(self, points: np.ndarray) -> np.ndarray:
        """(V,) metres to the body's surface."""
        total = np.full(len(points), np.inf)
        for i in range(len(self.starts)):
            total = _melt(total, self.cone(i, points))
        return total

    def sample(self) -> tuple[np.ndarray, np.ndarray]:
        """The field on a grid around the body, and the grid's origin."""
        reach = np.maximum(self.start_radii, self.stop_radii)[:, None] + 2.0 * _MELT
        low = np.minimum(self.starts, self.stops) - reach
        high = np.maximum(self.starts, self.stops) + reach
        origin = low.min(axis=0)
        shape = np.ceil((high.max(axis=0) - origin) / _CELL).astype(int) + 1
        grid = np.full(shape, 4.0 * _MELT)
        for i in range(len(self.starts)):  # a cone only matters near itself
            first = np.floor((low[i] - origin) / _CELL).astype(int)
            last = np.minimum(np.ceil((high[i] - origin) / _CELL).astype(int) + 1, shape)
            axes = [origin[k] + _CELL * np.arange(first[k], last[k]) for k in range(3)]
            points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
            box = tuple(slice(first[k], last[k]) for k in range(3))
            grid[box] = _melt(grid[box], self.cone(i, points))
        return grid, origin

    def settle(self, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vertices moved onto the surface, and the normals there."""
        step = 0.25 * _CELL
        for _ in range(2):
            slope = np.stack(
                [self.melted(vertices + step * e) - self.melted(vertices - step * e) for e in np.eye(3)],
                axis=-1,
            )
            normals = rot.normalize(slope)
            vertices = vertices - np.clip(self.melted(vertices), -_CELL, _CELL)[:, None] * normals
        return vertices, normals


def _melt(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smaller of two distances, rounded off where they are alike."""
    with np.errstate(invalid="ignore"):
        near = np.maximum(_MELT - np.abs(a - b), 0.0) / _MELT
    return np.minimum(a, b) - near * near * _MELT * 0.25


def _surface_nets(grid: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of the zero level: one vertex per cell that the surface crosses."""
    inside = grid < 0.0
    shape = np.array(grid.shape) - 1
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]

    def corner(values: np.ndarray, c: tuple[int, int, int]) -> np.ndarray:
        return values[c[0] : c[0] + shape[0], c[1] : c[1] + shape[1], c[2] : c[2] + shape[2]]

    count = sum(corner(inside, c).astype(np.int8) for c in corners)
    cells = np.argwhere((count > 0) & (count < 8))
    number = np.full(tuple(shape), -1, dtype=np.int64)
    number[tuple(cells.T)] = np.arange(len(cells))

    # 1. A vertex is the average of where the surface crosses its cell's edges.
    total, crossings = np.zeros((len(cells), 3)), np.zeros((len(cells), 1))
    for first in corners:
        for axis in range(3):
            if first[axis] == 0:
                second = tuple(v + (k == axis) for k, v in enumerate(first))
                a = grid[tuple((cells + first).T)]
                b = grid[tuple((cells + second).T)]
                crossed = (a < 0.0) != (b < 0.0)
                share = np.where(crossed, a / np.where(crossed, a - b, 1.0), 0.0)
                point = np.array(first, dtype=float) + share[:, None] * np.eye(3)[axis]
                total += np.where(crossed[:, None], point, 0.0)
                crossings += crossed[:, None]
    vertices = origin + _CELL * (cells + total / crossings)

    # 2. Every grid edge that the surface crosses joins the four cells around it.
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        low = np.take(inside, range(shape[axis]), axis=axis)
        high = np.take(inside, range(1, shape[axis] + 1), axis=axis)
        edges = np.argwhere(low != high)
        edges = edges[
            (edges[:, u] > 0) & (edges[:, v] > 0) & (edges[:, u] < shape[u]) & (edges[:, v] < shape[v])
        ]
        outward = low[tuple(edges.T)]
        ring = []
        for du, dv in ((1, 1), (0, 1), (0, 0), (1, 0)):
            cell = edges.copy()
            cell[:, u] -= du
            cell[:, v] -= dv
            ring.append(number[tuple(cell.T)])
        quads = np.stack(ring, axis=1)
        quads[~outward] = quads[~outward][:, ::-1]
        triangles += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    return vertices, _without_slivers(np.concatenate(triangles))


def _without_slivers(triangles: np.ndarray) -> np.ndarray:
    a, b, c = triangles.T
    return triangles[(a != b) & (b != c) & (c != a)]


def _follow(mannequin: Mannequin, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V, 4) joints and weights: the nearer a joint's flesh, the more a vertex follows it."""
    carrying = np.unique(mannequin.joints)
    to_joint = np.stack([distances[:, mannequin.joints == j].min(axis=1) for j in carrying], axis=1)
    order = np.argsort(to_joint, axis=1, kind="stable")[:, :_INFLUENCES]
    near = np.take_along_axis(to_joint, order, axis=1)
    weights = np.exp(-(near - near[:, :1]) / _FOLLOWING_DISTANCE)
    weights[weights < 0.01] = 0.0
    return np.where(weights > 0.0, carrying[order], 0), weights / weights.sum(axis=1, keepdims=True)
