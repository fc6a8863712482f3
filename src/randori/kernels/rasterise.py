"""Triangles with textures drawn over a picture, by a depth buffer.

Camera space: x right, y up, z forward, metres, as in kernels/raycast.py.
"""

from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.vectors import row_of, unit

_NEAR_PLANE = 0.05  # metres: what is nearer to the camera is not drawn


class Texture(NamedTuple):
    """The colours of materials: pictures one after the other, and a plain colour for each."""

    pixels: np.ndarray  # (P, 3) float32, light
    start: np.ndarray  # (M,) int64, the first pixel of each picture
    width: np.ndarray  # (M,) int64, 0 for a material without a picture
    height: np.ndarray  # (M,) int64
    colour: np.ndarray  # (M, 3) light, to be multiplied with the picture


class Lights(NamedTuple):
    """Directions in the world and strengths, as in render/look.py."""

    key_direction: np.ndarray  # (3,) towards the light
    key: np.ndarray  # (3,)
    sky: np.ndarray  # (3,) from above
    bounce: np.ndarray  # (3,) from below


class Screen(NamedTuple):
    """The picture to draw on."""

    pixel: float  # width of a pixel at a distance of one metre
    depth: np.ndarray  # (H, W) float32 metres
    image: np.ndarray  # (H, W, 3) uint8, sRGB
    drawn: np.ndarray  # (H, W) bool, where a triangle is seen


@kernel
def draw(points, normals, triangles, places, materials, texture, lights, screen):
    """Draw triangles (T, 3) of materials (T,).

    Their points (V, 3) are in camera space, normals (V, 3) in the world; places (V, 2) are in the texture.
    """
    height, width = screen.depth.shape
    over = 1.0 / screen.pixel
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        za, zb, zc = points[a, 2], points[b, 2], points[c, 2]
        if za < _NEAR_PLANE or zb < _NEAR_PLANE or zc < _NEAR_PLANE:
            continue
        xa, ya = 0.5 * width + over * points[a, 0] / za, 0.5 * height - over * points[a, 1] / za
        xb, yb = 0.5 * width + over * points[b, 0] / zb, 0.5 * height - over * points[b, 1] / zb
        xc, yc = 0.5 * width + over * points[c, 0] / zc, 0.5 * height - over * points[c, 1] / zc
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area == 0.0:
            continue
        left, right = max(int(min(xa, xb, xc)), 0), min(int(max(xa, xb, xc)) + 1, width)
        top, bottom = max(int(min(ya, yb, yc)), 0), min(int(max(ya, yb, yc)) + 1, height)
        m = materials[t]
        for row in range(top, bottom):
            y = row + 0.5
            for column in range(left, right):
                x = column + 0.5
                u = ((xb - x) * (yc - y) - (xc - x) * (yb - y)) / area
                v = ((xc - x) * (ya - y) - (xa - x) * (yc - y)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                u, v, w = u / za, v / zb, w / zc
                depth = 1.0 / (u + v + w)
                if depth >= screen.depth[row, column]:
                    continue
                u, v, w = u * depth, v * depth, w * depth
                screen.depth[row, column] = depth
                screen.drawn[row, column] = True
                nx, ny, nz = unit(
                    (
                        u * normals[a, 0] + v * normals[b, 0] + w * normals[c, 0],
                        u * normals[a, 1] + v * normals[b, 1] + w * normals[c, 1],
                        u * normals[a, 2] + v * normals[b, 2] + w * normals[c, 2],
                    )
                )
                lx, ly, lz = row_of(lights.key_direction, 0)
                toward = max(nx * lx + ny * ly + nz * lz, 0.0)
                upward = 0.5 + 0.5 * ny
                spot = -1
                if m >= 0 and texture.width[m] > 0:
                    p = u * places[a, 0] + v * places[b, 0] + w * places[c, 0]
                    q = u * places[a, 1] + v * places[b, 1] + w * places[c, 1]
                    p, q = p - np.floor(p), q - np.floor(q)
                    i = min(int(p * texture.width[m]), texture.width[m] - 1)
                    j = min(int(q * texture.height[m]), texture.height[m] - 1)
                    spot = texture.start[m] + j * texture.width[m] + i
                for k in range(3):
                    light = (
                        lights.key[k] * toward + lights.sky[k] * upward + lights.bounce[k] * (1.0 - upward)
                    )
                    base = 0.5 if m < 0 else texture.colour[m, k]
                    if spot >= 0:
                        base *= texture.pixels[spot, k]
                    seen = min(max(base * light, 0.0), 1.0)
                    screen.image[row, column, k] = np.uint8(255.0 * np.sqrt(seen))
