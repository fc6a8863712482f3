"""The figures as the key light and the sky see them: all that shading needs to know beforehand."""

import math

import numpy as np

from randori.kernels import project, shadows
from randori.kernels.raycast import BOX, LANES
from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.look import Look

_TEXEL = 0.004  # metres, finest grain of the shadow map
_GRAIN = 1.6  # pixels, grain of the shadow map where the figures are
_MOST_TEXELS = 1_000_000
_SHARPEST_EDGE = 0.008  # metres, width of a shadow's edge where it starts
_CLOSE_HEIGHT = 0.2  # metres: what hangs higher above the floor does not darken it
_SKY = 1.0  # darkness of the floor where no sky is left, compared to where no key light is


def toward(camera: Camera, azimuth: float, elevation: float) -> np.ndarray:
    """(3,) the direction to a light that stands at an azimuth from the camera's side."""
    forward = camera.axes[2]
    azimuth = math.atan2(-forward[0], -forward[2]) + azimuth
    level = math.cos(elevation)
    return np.array([level * math.sin(azimuth), math.sin(elevation), level * math.cos(azimuth)])


def key_axes(camera: Camera, look: Look) -> np.ndarray:
    """(3, 3) a level direction across the key light, the other one, and the direction to it."""
    x, y, z = toward(camera, look.key_azimuth, look.key_elevation)
    level = math.hypot(x, z)
    ax, az = z / level, -x / level
    return np.array([[ax, 0.0, az], [y * az, z * ax - x * az, -y * ax], [x, y, z]])


def shadow_map(
    figures: Figures, camera: Camera, look: Look, pixel: float
) -> tuple[shadows.Casters, shadows.Sitters, shadows.Plane, tuple[int, int]]:
    """The objects that throw shadows, the place of the map, and its size (rows, columns).

    Positions are counted from the camera; `pixel` is its width at a distance of one metre.
    """
    position, axes = camera.position, key_axes(camera, look)
    distance = float(np.linalg.norm(position - camera.target))
    finest = _SHARPEST_EDGE + 1.5 * pixel * distance

    # Step 1. Outlines on the plane across the light, and what is close to the floor.
    count = len(figures)
    casters, sitters = np.empty(count, dtype=shadows.CASTER), np.empty(count, dtype=shadows.SITTER)
    limits = np.empty((2, 2, count, 2))
    light = project.Light(position, axes, finest, look.softness, _CLOSE_HEIGHT)
    close = project.outline(figures_of(figures), light, casters, sitters, limits)

    # Step 2. The map that holds them all, with a margin that no lookup leaves.
    reached = np.concatenate([*limits[0], *limits[1, :, :close]]) if count else np.zeros((1, 2))
    corner, extent = reached.min(axis=0), np.ptp(reached, axis=0)
    texel = max(_TEXEL, _GRAIN * pixel * distance, math.sqrt(float(extent.prod()) / _MOST_TEXELS))
    # Texels of few sizes that lie still in the world: else every edge would crawl from picture to picture.
    texel = 2.0 ** (math.ceil(4.0 * math.log2(texel)) / 4.0)
    anchor = axes[:2] @ position
    corner = np.floor((corner + anchor) / texel - 3.0) * texel - anchor
    columns, rows = (math.ceil(size / texel) + 8 for size in extent)
    rows, columns = -(-rows // shadows.SIDE) * shadows.SIDE, -(-columns // LANES) * LANES
    caster_boxes, sitter_boxes = np.empty(count, dtype=BOX), np.empty(close, dtype=BOX)
    project.find_boxes(limits[0], corner, texel, caster_boxes)
    project.find_boxes(limits[1], corner, texel, sitter_boxes)

    floor = np.array([-position[1] / axes[2, 1], -axes[1, 1] / axes[2, 1]])
    lookup = np.column_stack([axes, [-corner[0], -corner[1], 0.0]]) / np.array([[texel], [texel], [1.0]])
    plane = shadows.Plane(axes, lookup.astype(np.float32), corner, texel, floor, look.softness, finest, _SKY)
    throwing, hiding = shadows.Casters(casters, caster_boxes), shadows.Sitters(sitters[:close], sitter_boxes)
    return throwing, hiding, plane, (rows, columns)


def figures_of(figures: Figures) -> project.Figures:
    """The round cones for the kernels."""
    return project.Figures(figures.start, figures.stop, figures.radii, figures.colour)
