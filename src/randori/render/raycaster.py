"""Pictures of round cones on a floor, by exact rays, on all cores."""

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from randori.kernels import raycast, shading
from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.look import STUDIO, Look, linear

_BAND = 48  # rows that one task draws: the same for any number of threads
_NEAREST = 0.05  # metres: what is nearer to the camera is not drawn
_CELL = 0.08  # metres, of the plane on which shadows are looked up
_MOST_CELLS = 512  # along one side of that plane
_FLOOR_REACH = 0.35  # metres: what hangs higher does not darken the floor below it

# Eight places in a pixel, no two in one row or column, so that near-level edges get eight steps too.
_OFFSETS = np.array(
    [[-7, -5, -3, -1, 1, 3, 5, 7], [1, -5, 5, -3, 7, -1, -7, 3]], dtype=np.float32
) / np.float32(16)


class Raycaster:
    """Draws pictures of one size. The bytes do not depend on the number of threads."""

    def __init__(self, width: int, height: int, threads: int | None = None, look: Look = STUDIO):
        self.width, self.height, self.look = width, height, look
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads)
        self._depth = np.empty((height, width), dtype=np.float32)
        self._owner = np.empty((height, width), dtype=np.int32)
        self._shaded = np.empty((height, width, 3), dtype=np.uint8)

    def image(self, figures: Figures, camera: Camera, smooth: bool = True) -> np.ndarray:
        """(H, W, 3) uint8, sRGB. `smooth` gives soft edges."""
        view = self._view(camera)
        cones = self._cones(figures, camera, view)
        horizon = self._horizon(camera)
        bodies, casters, cells, look = _lighting(figures, camera, view, self.look)
        floor_depth = _floor_depth(horizon, view.upward)
        image = np.empty_like(self._shaded)

        def draw(first: int, last: int) -> None:
            raycast.trace(first, last, view.across, view.upward, cones, floor_depth, self._depth, self._owner)
            target = self._shaded if smooth else image
            shading.shade(first, last, view, bodies, casters, cells, look, self._depth, self._owner, target)

        def soften(first: int, last: int) -> None:
            raycast.smooth_edges(
                first,
                last,
                view.across,
                view.upward,
                cones,
                horizon,
                _OFFSETS,
                self._owner,
                self._shaded,
                image,
            )

        self._in_bands(draw)
        if smooth:
            self._in_bands(soften)
        return image

    def depth(self, figures: Figures, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
        """Depth (H, W) along the view in metres and the cone seen (H, W), -1 for floor and sky."""
        view = self._view(camera)
        cones = self._cones(figures, camera, view)
        floor_depth = _floor_depth(self._horizon(camera), view.upward)
        raycast.trace(0, self.height, view.across, view.upward, cones, floor_depth, self._depth, self._owner)
        return self._depth.copy(), self._owner.copy()

    def _in_bands(self, work) -> None:  # type: ignore[no-untyped-def]
        starts = range(0, self.height, _BAND)
        list(self._pool.map(lambda first: work(first, min(first + _BAND, self.height)), starts))

    def _view(self, camera: Camera) -> shading.View:
        pixel = 2.0 * math.tan(0.5 * camera.field_of_view) / self.height
        across = (np.arange(self.width) + 0.5 - 0.5 * self.width) * pixel
        upward = (0.5 * self.height - 0.5 - np.arange(self.height)) * pixel
        return shading.View(
            across.astype(np.float32),
            upward.astype(np.float32),
            camera.axes,
            np.asarray(camera.position, dtype=float),
        )

    def _horizon(self, camera: Camera) -> np.ndarray:
        """(a, b): the floor is at depth 1 / (a + b y) along the ray (x, y, 1), where that is positive."""
        _, up, forward = camera.axes
        return (-np.array([forward[1], up[1]]) / camera.position[1]).astype(np.float32)

    def _cones(self, figures: Figures, camera: Camera, view: shading.View) -> raycast.Cones:
        start = (figures.start - camera.position) @ camera.axes.T
        stop = (figures.stop - camera.position) @ camera.axes.T
        first, second = figures.start_radius, figures.stop_radius
        axis, first, second, start = _hulls(start, stop, first, second)
        taper = first - second
        reach = np.sqrt(np.maximum(np.sum(axis * axis, axis=-1) - taper * taper, 0.0))
        over = np.divide(1.0, reach, out=np.zeros_like(reach), where=reach > 0.0)
        single = np.float32
        return raycast.Cones(
            start.astype(single),
            axis.astype(single),
            np.stack([first * first, second * second], axis=-1).astype(single),
            (axis * over[:, None]).astype(single),
            (first * taper * over).astype(single),
            reach.astype(single),
            (start[:, 2] + 0.5 * axis[:, 2]).astype(single),
            self._boxes(start, axis, first, second, view),
        )

    def _boxes(
        self, start: np.ndarray, axis: np.ndarray, first: np.ndarray, second: np.ndarray, view: shading.View
    ) -> np.ndarray:
        """(N, 4) the rows and columns that each cone can be seen in."""
        pixel = float(view.across[1] - view.across[0])
        limits = []
        for centre, radius in ((start, first), (start + axis, second)):
            for coordinate in (1, 0):
                limits.append(_slopes(centre[:, coordinate], centre[:, 2], radius))
        low_y, high_y = np.minimum(limits[0][0], limits[2][0]), np.maximum(limits[0][1], limits[2][1])
        low_x, high_x = np.minimum(limits[1][0], limits[3][0]), np.maximum(limits[1][1], limits[3][1])
        box = np.stack(
            [
                np.floor(0.5 * self.height - high_y / pixel) - 1,
                np.ceil(0.5 * self.height - low_y / pixel) + 1,
                np.floor(0.5 * self.width + low_x / pixel) - 1,
                np.ceil(0.5 * self.width + high_x / pixel) + 1,
            ],
            axis=-1,
        )
        box = np.clip(box, 0, [self.height, self.height, self.width, self.width]).astype(np.int64)
        hidden = np.minimum(start[:, 2] - first, start[:, 2] + axis[:, 2] - second) < _NEAREST
        box[hidden] = 0
        return box


def _slopes(offset: np.ndarray, depth: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest slope of a ray in a plane that touches a circle."""
    inside = np.sqrt(np.maximum(offset * offset + depth * depth - radius * radius, 0.0))
    under = np.maximum(depth * depth - radius * radius, 1e-9)
    return (offset * depth - radius * inside) / under, (offset * depth + radius * inside) / under


def _hulls(
    start: np.ndarray, stop: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Axes, radii and starts, where a sphere inside the other one is left out."""
    axis = stop - start
    swallowed = np.sum(axis * axis, axis=-1) <= np.square(first - second) * (1.0 + 1e-6) + 1e-12
    use_second = swallowed & (second > first)
    start = np.where(use_second[:, None], stop, start)
    largest = np.maximum(first, second)
    return (
        np.where(swallowed[:, None], 0.0, axis),
        np.where(swallowed, largest, first),
        np.where(swallowed, largest, second),
        start,
    )


def _floor_depth(horizon: np.ndarray, upward: np.ndarray) -> np.ndarray:
    slope = horizon[0] + horizon[1] * upward
    return np.where(
        slope > 0.0, np.float32(1.0) / np.where(slope > 0.0, slope, np.float32(1.0)), np.inf
    ).astype(np.float32)


def _key_axes(camera: Camera, look: Look) -> np.ndarray:
    """(3, 3) two directions across the key light, and the direction to it."""
    _, _, forward = camera.axes
    azimuth = math.atan2(-forward[0], -forward[2]) + look.key_azimuth
    level = math.cos(look.key_elevation)
    to_light = np.array([level * math.sin(azimuth), math.sin(look.key_elevation), level * math.cos(azimuth)])
    across = np.cross([0.0, 1.0, 0.0], to_light)
    across /= np.linalg.norm(across)
    return np.stack([across, np.cross(to_light, across), to_light])


def _lighting(
    figures: Figures, camera: Camera, view: shading.View, look: Look
) -> tuple[shading.Bodies, shading.Casters, shading.Cells, shading.Look]:
    """All that shading needs to know, with positions counted from the camera."""
    position = np.asarray(camera.position, dtype=float)
    axis, first, second, start = _hulls(
        figures.start - position, figures.stop - position, figures.start_radius, figures.stop_radius
    )
    taper = first - second
    square = np.sum(axis * axis, axis=-1) - taper * taper
    inverse = np.divide(1.0, square, out=np.zeros_like(square), where=square > 0.0)
    height = np.minimum(start[:, 1] - first, start[:, 1] + axis[:, 1] - second) + position[1]
    near_floor = (height < _FLOOR_REACH) & (height > -0.5)
    radius = np.stack([first, second], axis=-1)
    bodies = shading.Bodies(start, axis, first * taper, inverse, radius, linear(figures.colour), near_floor)

    light_axes = _key_axes(camera, look)
    seen, along = start @ light_axes.T, axis @ light_axes.T
    seen_along, seen_first, seen_second, seen_start = _hulls(
        np.c_[seen[:, :2]], np.c_[seen[:, :2] + along[:, :2]], first, second
    )
    # seen along its axis a cone is one circle, at the height of its nearer end
    length = np.linalg.norm(seen_along, axis=-1)
    level = np.where(length > 0.0, seen[:, 2], np.maximum(seen[:, 2], seen[:, 2] + along[:, 2]))
    over = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)
    sine = np.clip((seen_first - seen_second) * over, -0.999, 0.999)
    casters = shading.Casters(
        np.c_[seen_start, level],
        np.c_[seen_along, np.where(length > 0.0, along[:, 2], 0.0)],
        np.where(length[:, None] > 0.0, seen_along * over[:, None], [1.0, 0.0]),
        length,
        sine / np.sqrt(1.0 - sine * sine),
        np.stack([seen_first, seen_second], axis=-1),
    )
    cells = _cells(casters, bodies, view, light_axes, look)

    pool, centre = _pool(figures, camera)
    distance = float(np.linalg.norm(position - np.array([centre[0], 0.0, centre[1]])))
    return (
        bodies,
        casters,
        cells,
        shading.Look(
            light_axes,
            np.array(look.key),
            np.array(look.sky),
            np.array(look.bounce),
            np.array(look.rim),
            linear(look.floor),
            np.array(look.floor_shadow),
            linear(look.horizon),
            linear(look.zenith),
            look.checker,
            look.softness,
            centre,
            pool,
            4.0 * distance + 6.0,
        ),
    )


def _pool(figures: Figures, camera: Camera) -> tuple[float, np.ndarray]:
    """Radius and centre (x, z) of the lit floor."""
    target = np.asarray(camera.target, dtype=float)
    distance = float(np.linalg.norm(np.asarray(camera.position) - target))
    return 0.9 * distance + 1.0, target[[0, 2]]


def _cells(
    casters: shading.Casters, bodies: shading.Bodies, view: shading.View, light_axes: np.ndarray, look: Look
) -> shading.Cells:
    """The lists of cones that are near each cell of the plane across the key light."""
    if len(casters.length) == 0:
        return shading.Cells(
            np.zeros(2),
            1.0,
            np.ones(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
        )
    ends = np.stack([casters.start[:, :2], casters.start[:, :2] + casters.axis[:, :2]])
    height = np.maximum(bodies.start[:, 1], bodies.start[:, 1] + bodies.axis[:, 1]) + view.position[1]
    farthest = float(np.linalg.norm(bodies.start, axis=-1).max()) + 5.0
    pixel = float(view.across[1] - view.across[0])
    edge = 0.5 * (0.008 + 1.5 * farthest * pixel + look.softness * np.maximum(height, 0.0) / light_axes[2, 1])
    reach = casters.radius.T[:, :, None] + edge[:, None]
    low, high = (ends - reach).min(axis=0), (ends + reach).max(axis=0)
    # what darkens the floor reaches around itself, not only along the light
    floor_ends = np.stack([bodies.start, bodies.start + bodies.axis])
    floor_ends[..., 1] = -view.position[1]
    on_plane = floor_ends @ light_axes[:2].T
    around = (bodies.radius.max(axis=-1) + _FLOOR_REACH)[:, None]
    near = bodies.near_floor[:, None]
    low = np.where(near, np.minimum(low, (on_plane - around).min(axis=0)), low)
    high = np.where(near, np.maximum(high, (on_plane + around).max(axis=0)), high)
    corner = low.min(axis=0)
    size = max(_CELL, float((high.max(axis=0) - corner).max()) / _MOST_CELLS)
    first = np.floor((low - corner) / size).astype(np.int64)
    last = np.floor((high - corner) / size).astype(np.int64) + 1
    shape = last.max(axis=0)
    indptr = np.zeros(int(shape.prod()) + 1, dtype=np.int64)
    ranges = np.stack([first[:, 0], last[:, 0], first[:, 1], last[:, 1]], axis=-1)
    indices = shading.fill_cells(ranges, shape, indptr)
    return shading.Cells(corner, size, shape, indptr, indices)
