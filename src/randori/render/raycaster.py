"""Pictures of round cones on a floor, by exact rays, on all cores."""

import math
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from randori.kernels import project, raycast, shading, shadows
from randori.render import lighting
from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.look import STUDIO, Look, linear

# Eight places in a pixel, no two in one row or column, so that near-level edges get eight steps too.
_PLACES = np.array([[-7, -5, -3, -1, 1, 3, 5, 7], [1, -5, 5, -3, 7, -1, -7, 3]], dtype=np.float32)
_OFFSETS = _PLACES / np.float32(16.0)


class Raycaster:
    """Draws pictures of one size, one at a time. The bytes do not depend on the number of threads."""

    def __init__(self, width: int, height: int, threads: int | None = None, look: Look = STUDIO):
        self.width, self.height, self.look = width, height, look
        self._threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads)
        padded = -(-width // raycast.LANES) * raycast.LANES
        self._buffers = raycast.Buffers(
            depth=np.empty((height, padded), dtype=np.float32),
            owner=np.empty((height, padded), dtype=np.int32),
            shaded=np.empty((height, 3 * width), dtype=np.uint8),
        )
        self._maps = np.empty(0, dtype=np.float32)

    def image(self, figures: Figures, camera: Camera, smooth: bool = True) -> np.ndarray:
        """(H, W, 3) uint8, sRGB. `smooth` gives soft edges."""
        view, buffers = self._view(camera), self._buffers
        cones, surfaces = self._cones(figures, camera)
        horizon, floor_depth = _floor(camera, view.upward)
        sampling = raycast.Sampling(_OFFSETS, horizon)
        image = np.empty_like(buffers.shaded)

        def see(first: int, step: int) -> None:
            raycast.trace(first, step, view, cones, floor_depth, buffers)

        seeing = self._start(see)
        casters, sitters, plane, shape = lighting.shadow_map(figures, camera, self.look, self.pixel(camera))
        maps = self._map_space(shape)

        def cast(first: int, step: int) -> None:
            shadows.cast(first, step, casters, sitters, plane, maps)

        casting = self._start(cast)
        stage = shading.Stage(view, surfaces, plane, _place(camera, self.look), maps)
        target = buffers.shaded if smooth else image

        def shade(first: int, step: int) -> None:
            shading.shade(first, step, stage, buffers, target)

        def soften(first: int, step: int) -> None:
            room = raycast.EdgeRoom.of(buffers.owner.shape[1])
            raycast.smooth_edges(first, step, view, cones, sampling, buffers, room, image)

        _finish(seeing + casting)
        _finish(self._start(shade))
        if smooth:
            _finish(self._start(soften))
        return image.reshape(self.height, self.width, 3)

    def depth(self, figures: Figures, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
        """Depth (H, W) along the view in metres and the cone seen (H, W), -1 for floor and sky."""
        view = self._view(camera)
        cones, _ = self._cones(figures, camera)
        _, floor_depth = _floor(camera, view.upward)
        raycast.trace(0, 1, view, cones, floor_depth, self._buffers)
        return self._buffers.depth[:, : self.width].copy(), self._buffers.owner[:, : self.width].copy()

    def _start(self, work: Callable[[int, int], None]) -> list[Future[None]]:
        """Give the rows to the threads, to each a comb of them: so all get their part of what is busy."""
        return [self._pool.submit(work, first, self._threads) for first in range(self._threads)]

    def _map_space(self, shape: tuple[int, int]) -> shadows.Maps:
        """Room for both maps (R, C) and for the summits of blocks, taken again for the next picture."""
        side = shadows.SIDE
        shapes = [shape, shape, (shape[0] // side, shape[1] // side)]
        sizes = [rows * columns for rows, columns in shapes]
        if len(self._maps) < sum(sizes):
            self._maps = np.empty(sum(sizes), dtype=np.float32)
        pieces = np.split(self._maps[: sum(sizes)], np.cumsum(sizes)[:-1])
        return shadows.Maps(*(piece.reshape(its_shape) for piece, its_shape in zip(pieces, shapes)))

    def pixel(self, camera: Camera) -> float:
        """Width of a pixel at a distance of one metre."""
        return 2.0 * math.tan(0.5 * camera.field_of_view) / self.height

    def _view(self, camera: Camera) -> raycast.View:
        across = np.arange(self._buffers.owner.shape[1]) + 0.5 - 0.5 * self.width
        upward = 0.5 * self.height - 0.5 - np.arange(self.height)
        pixel = self.pixel(camera)
        return raycast.View(
            (across * pixel).astype(np.float32),
            (upward * pixel).astype(np.float32),
            camera.axes,
            camera.position,
        )

    def _cones(self, figures: Figures, camera: Camera) -> tuple[raycast.Cones, np.ndarray]:
        """The figures as rays meet them, and (N,) shading.SURFACE as they are shaded."""
        count = len(figures)
        cones = raycast.Cones(np.empty(count, dtype=raycast.CONE), np.empty(count, dtype=raycast.BOX))
        surfaces = np.empty(count, dtype=shading.SURFACE)
        pixel = self.pixel(camera)
        seen_by = project.Camera(camera.position, camera.axes, pixel, self.width, self.height)
        project.see(lighting.figures_of(figures), seen_by, cones, surfaces)
        return cones, surfaces


def _finish(tasks: list[Future[None]]) -> None:
    for task in tasks:
        task.result()


def _floor(camera: Camera, upward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(a, b): the floor's depth along the ray (x, y, 1) is 1 / (a + b y); and that depth for each row."""
    _, up, forward = camera.axes
    horizon = (-np.array([forward[1], up[1]]) / camera.position[1]).astype(np.float32)
    slope = horizon[0] + horizon[1] * upward
    with np.errstate(divide="ignore"):
        return horizon, np.where(slope > 0.0, np.float32(1.0) / slope, np.float32(np.inf))


def _place(camera: Camera, look: Look) -> shading.Place:
    """The colours of a look, and how far light and sight reach around the camera's target."""
    distance = float(np.linalg.norm(camera.position - camera.target))
    fill = lighting.toward(camera, look.fill_azimuth, look.fill_elevation)
    return shading.Place(
        key=np.array(look.key, dtype=np.float32),
        fill=np.array(look.fill, dtype=np.float32),
        sky=np.array(look.sky, dtype=np.float32),
        bounce=np.array(look.bounce, dtype=np.float32),
        rim=np.array(look.rim, dtype=np.float32),
        far=np.array(linear(look.horizon), dtype=np.float32),
        fill_direction=np.array(fill, dtype=np.float32),
        shine=look.shine,
        floor=linear(look.floor),
        floor_shadow=np.array(look.floor_shadow),
        horizon=linear(look.horizon),
        zenith=linear(look.zenith),
        checker=look.checker,
        centre=np.array([camera.target[0], camera.target[2]]),
        pool=0.9 * distance + 1.0,
        dimming=look.dimming,
        haze=4.0 * distance + 6.0,
    )
