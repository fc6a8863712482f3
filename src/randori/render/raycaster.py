"""Pictures of round cones on a floor, by exact rays, on all cores."""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from randori.kernels import raycast, shading, shadows
from randori.render import lighting
from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.hulls import Hulls, one_over
from randori.render.look import STUDIO, Look, linear

_BAND = 48  # rows that one task works on: the same for any number of threads
_NEAREST = 0.05  # metres: what is nearer to the camera is not drawn
_LANES = 8  # pixels are worked on this many at a time

# Eight places in a pixel, no two in one row or column, so that near-level edges get eight steps too.
_PLACES = np.array([[-7, -5, -3, -1, 1, 3, 5, 7], [1, -5, 5, -3, 7, -1, -7, 3]], dtype=np.float32)
_OFFSETS = _PLACES / np.float32(16.0)


class Raycaster:
    """Draws pictures of one size. The bytes do not depend on the number of threads."""

    def __init__(self, width: int, height: int, threads: int | None = None, look: Look = STUDIO):
        self.width, self.height, self.look = width, height, look
        self._pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
        padded = -(-width // _LANES) * _LANES
        self._depth = np.empty((height, padded), dtype=np.float32)
        self._owner = np.empty((height, padded), dtype=np.int32)
        self._shaded = np.empty((height, width, 3), dtype=np.uint8)
        self._maps = np.empty(0, dtype=np.float32)

    def image(self, figures: Figures, camera: Camera, smooth: bool = True) -> np.ndarray:
        """(H, W, 3) uint8, sRGB. `smooth` gives soft edges."""
        hulls = Hulls.seen_from(camera.position, figures)
        view = self._view(camera)
        cones = self._cones(hulls, camera, view)
        horizon, floor_depth = _floor(camera, view.upward)
        bodies = _bodies(hulls, figures)
        place = _place(camera, self.look)
        casters, sitters, plane, shape = lighting.shadow_map(
            hulls,
            lighting.key_axes(camera, self.look),
            camera.position[1],
            self._pixel(camera),
            self.look.softness,
        )
        floor_map, body_map = self._map_space(shape)
        depth, owner, shaded = self._depth, self._owner, self._shaded
        image = np.empty_like(shaded)

        def shadow(first: int, last: int) -> None:
            shadows.cast(first, last, casters, sitters, plane, floor_map, body_map)

        def draw(first: int, last: int) -> None:
            raycast.trace(first, last, view.across, view.upward, cones, floor_depth, depth, owner)
            target = shaded if smooth else image
            shading.shade(first, last, view, bodies, plane, place, floor_map, body_map, depth, owner, target)

        def soften(first: int, last: int) -> None:
            raycast.smooth_edges(
                first, last, view.across, view.upward, cones, horizon, _OFFSETS, owner, shaded, image
            )

        self._in_bands(shadow, shape[0])
        self._in_bands(draw, self.height)
        if smooth:
            self._in_bands(soften, self.height)
        return image

    def depth(self, figures: Figures, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
        """Depth (H, W) along the view in metres and the cone seen (H, W), -1 for floor and sky."""
        view = self._view(camera)
        cones = self._cones(Hulls.seen_from(camera.position, figures), camera, view)
        _, floor_depth = _floor(camera, view.upward)
        raycast.trace(0, self.height, view.across, view.upward, cones, floor_depth, self._depth, self._owner)
        return self._depth[:, : self.width].copy(), self._owner[:, : self.width].copy()

    def _in_bands(self, work: Callable[[int, int], None], rows: int) -> None:
        starts = range(0, rows, _BAND)
        list(self._pool.map(lambda first: work(first, min(first + _BAND, rows)), starts))

    def _map_space(self, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Room for both maps (R, C), taken again for the next picture."""
        texels = shape[0] * shape[1]
        if len(self._maps) < 2 * texels:
            self._maps = np.empty(2 * texels, dtype=np.float32)
        return self._maps[:texels].reshape(shape), self._maps[texels : 2 * texels].reshape(shape)

    def _pixel(self, camera: Camera) -> float:
        """Width of a pixel at a distance of one metre."""
        return 2.0 * math.tan(0.5 * camera.field_of_view) / self.height

    def _view(self, camera: Camera) -> shading.View:
        across = np.arange(self._owner.shape[1]) + 0.5 - 0.5 * self.width
        upward = 0.5 * self.height - 0.5 - np.arange(self.height)
        pixel = self._pixel(camera)
        return shading.View(
            (across * pixel).astype(np.float32),
            (upward * pixel).astype(np.float32),
            camera.axes,
            camera.position,
        )

    def _cones(self, hulls: Hulls, camera: Camera, view: shading.View) -> raycast.Cones:
        seen = hulls.turned(camera.axes)
        reach = seen.reach
        over = one_over(reach)
        single = np.float32
        return raycast.Cones(
            seen.start.astype(single),
            seen.axis.astype(single),
            np.square([seen.first, seen.second]).T.astype(single),
            (seen.axis * over[:, None]).astype(single),
            (seen.first * (seen.first - seen.second) * over).astype(single),
            reach.astype(single),
            (seen.start[:, 2] + 0.5 * seen.axis[:, 2]).astype(single),
            self._boxes(seen, self._pixel(camera)),
        )

    def _boxes(self, seen: Hulls, pixel: float) -> np.ndarray:
        """(N, 4) the rows and columns in which each cone can be seen."""
        centres = np.stack([seen.start, seen.start + seen.axis])  # (2, N, 3)
        radii = np.stack([seen.first, seen.second])[..., None]
        depth = centres[..., 2:]
        # the slopes of the rays that touch a sphere, seen from the side and from above
        offset = centres[..., :2]
        touch = radii * np.sqrt(np.maximum(offset * offset + depth * depth - radii * radii, 0.0))
        under = 1.0 / (np.maximum(depth * depth - radii * radii, 1e-9) * pixel)
        low, high = (
            ((offset * depth - touch) * under).min(axis=0),
            ((offset * depth + touch) * under).max(axis=0),
        )
        box = np.empty((len(low), 4), dtype=np.int64)
        half_width, half_height = 0.5 * self.width, 0.5 * self.height
        box[:, 0] = np.clip(half_height - high[:, 1] - 1.0, 0, self.height)
        box[:, 1] = np.clip(half_height - low[:, 1] + 2.0, 0, self.height)
        box[:, 2] = np.clip(half_width + low[:, 0] - 1.0, 0, self.width) // _LANES * _LANES
        box[:, 3] = -(-np.clip(half_width + high[:, 0] + 2.0, 0, self.width) // _LANES) * _LANES
        box[(depth - radii).min(axis=0)[:, 0] < _NEAREST] = 0
        return box


def _floor(camera: Camera, upward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(a, b): the floor's depth along the ray (x, y, 1) is 1 / (a + b y); and that depth for each row."""
    _, up, forward = camera.axes
    horizon = (-np.array([forward[1], up[1]]) / camera.position[1]).astype(np.float32)
    slope = horizon[0] + horizon[1] * upward
    with np.errstate(divide="ignore"):
        return horizon, np.where(slope > 0.0, np.float32(1.0) / slope, np.float32(np.inf))


def _bodies(hulls: Hulls, figures: Figures) -> shading.Bodies:
    reach = hulls.reach
    pull = hulls.first * (hulls.first - hulls.second)
    fields = (hulls.start, hulls.axis, pull, one_over(reach * reach), linear(figures.colour))
    return shading.Bodies(*(values.astype(np.float32) for values in fields))


def _place(camera: Camera, look: Look) -> shading.Place:
    """The colours of a look, and how far light and sight reach around the camera's target."""
    distance = float(np.linalg.norm(camera.position - camera.target))
    return shading.Place(
        np.array(look.key),
        np.array(look.sky),
        np.array(look.bounce),
        np.array(look.rim),
        look.shine,
        linear(look.floor),
        np.array(look.floor_shadow),
        linear(look.horizon),
        linear(look.zenith),
        look.checker,
        np.array([camera.target[0], camera.target[2]]),
        0.9 * distance + 1.0,
        look.dimming,
        4.0 * distance + 6.0,
    )
