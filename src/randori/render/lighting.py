"""What the key light and the sky see of the figures: all that shading needs to know beforehand."""

import math

import numpy as np

from randori.kernels import shadows
from randori.kernels.raycast import LANES
from randori.render.camera import Camera
from randori.render.hulls import Hulls, one_over, single, turned
from randori.render.look import Look

_TEXEL = 0.004  # metres, finest grain of the shadow map
_GRAIN = 1.6  # pixels, grain of the shadow map where the figures are
_MOST_TEXELS = 1_000_000
_SHARPEST = 0.008  # metres, width of a shadow's edge where it starts
_CLOSE = 0.2  # metres: what hangs higher above the floor does not darken it
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
    hulls: Hulls, axes: np.ndarray, position: np.ndarray, pixel: float, softness: float
) -> tuple[shadows.Casters, shadows.Sitters, shadows.Plane, tuple[int, int]]:
    """What throws shadows, where the map lies, and its size (rows, columns).

    `position` is the camera's; `pixel` is its width at a distance of one metre.
    """
    height = position[1]
    one_end = hulls.start[:, 1] + height
    other_end = one_end + hulls.axis[:, 1]
    top = np.maximum(np.maximum(one_end + hulls.first, other_end + hulls.second), 0.0)
    bottom = np.minimum(one_end - hulls.first, other_end - hulls.second)
    distance = float(np.median(np.linalg.norm(hulls.start, axis=-1))) if len(hulls.start) else 1.0
    finest = _SHARPEST + 1.5 * pixel * distance
    floor = np.array([-height / axes[2, 1], -axes[1, 1] / axes[2, 1]])

    # Step 1. Outlines on the plane.
    seen = hulls.turned(axes)
    flat = Hulls.between(seen.start[:, :2], seen.axis[:, :2], hulls.first, hulls.second)
    length = np.linalg.norm(flat.axis, axis=-1)
    over = one_over(length)
    # seen along its axis a cone is one circle, as near as its nearer end
    nearness = np.where(length > 0.0, seen.start[:, 2], seen.start[:, 2] + np.maximum(seen.axis[:, 2], 0.0))
    sine = np.clip((flat.first - flat.second) * over, -0.999, 0.999)
    edge = 0.5 * (finest + softness * top / axes[2, 1])
    reach_first, reach_second = (flat.first + edge)[:, None], (flat.second + edge)[:, None]
    flat_stop = flat.start + flat.axis
    low = np.minimum(flat.start - reach_first, flat_stop - reach_second)
    high = np.maximum(flat.start + reach_first, flat_stop + reach_second)

    # Step 2. Discs of the floor around what is close to it.
    close = (bottom < _CLOSE) & (top > 0.0)
    sitting = Hulls(hulls.start[close], hulls.axis[close], hulls.first[close], hulls.second[close])
    reach = 3.0 * np.maximum(sitting.first, sitting.second) + 0.1
    ends = np.stack([sitting.start, sitting.start + sitting.axis])
    ends[..., 1] = -height
    on_plane = turned(ends, axes[:2])
    around = reach[:, None]
    disc_low, disc_high = on_plane.min(axis=0) - around, on_plane.max(axis=0) + around

    # Step 3. The map that holds them all, with a margin that no lookup leaves.
    corners = np.concatenate([low, high, disc_low, disc_high]) if len(low) else np.zeros((1, 2))
    corner, extent = corners.min(axis=0), np.ptp(corners, axis=0)
    texel = max(_TEXEL, _GRAIN * pixel * distance, math.sqrt(float(extent.prod()) / _MOST_TEXELS))
    # Texels of few sizes that lie still in the world: else every edge would crawl from picture to picture.
    texel = 2.0 ** (math.ceil(4.0 * math.log2(texel)) / 4.0)
    anchor = turned(position, axes[:2])
    corner = np.floor((corner + anchor) / texel - 3.0) * texel - anchor
    columns, rows = (math.ceil(size / texel) + 8 for size in extent)
    side = shadows.SIDE
    rows, columns = -(-rows // side) * side, -(-columns // LANES) * LANES

    def boxes(lows: np.ndarray, highs: np.ndarray) -> np.ndarray:
        first = np.floor((lows - corner) / texel).astype(np.int64)
        last = np.ceil((highs - corner) / texel).astype(np.int64) + 1
        left, right = first[:, 0] // LANES * LANES, -(-last[:, 0] // LANES) * LANES
        return np.stack([first[:, 1], last[:, 1], left, right], axis=-1)

    casters = shadows.Casters(
        single(np.column_stack([flat.start, nearness])),
        single(np.column_stack([flat.axis, np.where(length > 0.0, seen.axis[:, 2], 0.0)])),
        single(np.where(length[:, None] > 0.0, flat.axis * over[:, None], [1.0, 0.0])),
        single(np.column_stack([length, over])),
        single(sine / np.sqrt(1.0 - sine * sine)),
        single(np.column_stack([flat.first, flat.second])),
        boxes(low, high),
    )
    sitters = shadows.Sitters(
        single(sitting.start),
        single(sitting.axis),
        single(one_over(np.einsum("nd,nd->n", sitting.axis, sitting.axis))),
        single(np.column_stack([sitting.first, sitting.second])),
        single(reach),
        boxes(disc_low, disc_high),
    )
    lookup = np.column_stack([axes, [-corner[0], -corner[1], 0.0]]) / np.array([[texel], [texel], [1.0]])
    plane = shadows.Plane(axes, single(lookup), corner, texel, floor, softness, finest, _SKY)
    return casters, sitters, plane, (rows, columns)
