"""Colour of every pixel: the light on round cones, the floor, and the shadows on both.

Positions here are in metres along the world's axes, counted from the camera. Light is linear: the
last step takes its square root, which is close to how a screen wants it.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.shadows import body_shadow, floor_light

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
WHITE = np.float32(255.0)


class View(NamedTuple):
    """Where the camera is and where its pixels look."""

    across: np.ndarray  # (W,) x of each column's ray
    upward: np.ndarray  # (H,) y of each row's ray
    axes: np.ndarray  # (3, 3) right, up, forward in the world
    position: np.ndarray  # (3,) metres


class Bodies(NamedTuple):
    """Round cones in the world, for their normals and colours."""

    start: np.ndarray  # (N, 3) metres from the camera
    axis: np.ndarray  # (N, 3) metres
    pull: np.ndarray  # (N,) metres², first radius × difference of the radii
    inverse: np.ndarray  # (N,) 1 / (length² - (difference of the radii)²), 0 for a sphere
    colour: np.ndarray  # (N, 3) linear


class Place(NamedTuple):
    """Where the figures are shown. Colours are linear (3,), lengths metres."""

    key: np.ndarray
    sky: np.ndarray
    bounce: np.ndarray
    rim: np.ndarray
    floor: np.ndarray
    floor_shadow: np.ndarray  # what is left of the floor's light in full shadow
    horizon: np.ndarray
    zenith: np.ndarray
    checker: float  # how far the squares differ from the mean, relative
    centre: np.ndarray  # (2,) x, z of the middle of the lit floor
    pool: float  # radius of the lit floor
    haze: float  # distance at which half of the floor has faded


@kernel
def square_wave(p, width):
    """The mean over `width` of a wave that is +1 and -1 for one metre each."""
    low = (p - HALF * width) * HALF
    high = (p + HALF * width) * HALF
    low = abs(low - np.floor(low) - HALF)
    high = abs(high - np.floor(high) - HALF)
    return TWO * (low - high) / width


@kernel
def shade(first_row, last_row, view, bodies, plane, place, floor_map, body_map, depth, owner, image):
    """Fill the rows of the picture (H, W, 3) from the depth buffer and the owner buffer."""
    across, upward, axes, position = view
    start, axis, pull, inverse, colour = bodies
    light_axes, corner, texel, _, _, _ = plane
    key, sky, bounce, rim, floor, floor_shadow, horizon, zenith, checker, centre, pool, haze = place
    width = image.shape[1]
    map_rows, map_columns = body_map.shape
    pixel = across[1] - across[0]
    right, up, forward = axes[0], axes[1], axes[2]
    lx, ly, lz = light_axes[2, 0], light_axes[2, 1], light_axes[2, 2]
    picture = np.empty((3, width), dtype=np.float32)
    over_pool = np.float32(1.0 / (pool * pool))

    for row in range(first_row, last_row):
        y = upward[row]
        # The ray of column x is base + x right; right is level, so a row meets the floor at one depth.
        bx = y * up[0] + forward[0]
        by = y * up[1] + forward[1]
        bz = y * up[2] + forward[2]
        slope = by / math.sqrt(bx * bx + by * by + bz * bz)

        # Step 1. Sky above the horizon, floor below.
        if by >= -1e-4:
            rise = min(max(slope, 0.0) / 0.6, 1.0)
            rise = rise * (2.0 - rise)
            for c in range(3):
                picture[c, :] = np.float32(horizon[c] + (zenith[c] - horizon[c]) * rise)
        else:
            distance = -position[1] / by
            faded = (distance / haze) ** 2
            faded = faded / (1.0 + faded)
            clear = 1.0 - faded
            x0 = np.float32(position[0] + distance * bx)
            z0 = np.float32(position[2] + distance * bz)
            dx, dz = np.float32(distance * right[0]), np.float32(distance * right[2])
            # a pixel's footprint on the floor, along each of the floor's axes
            stretch = distance * distance / position[1] * pixel
            step = distance * pixel
            fx = np.float32(max(abs(step * right[0]), abs(stretch * forward[0]), 1e-6))
            fz = np.float32(max(abs(step * right[2]), abs(stretch * forward[2]), 1e-6))
            cx, cz = np.float32(centre[0]), np.float32(centre[1])
            depth_of_squares = np.float32(checker * clear)
            red, green, blue = picture[0], picture[1], picture[2]
            r0, r1 = np.float32(horizon[0] * faded), np.float32(floor[0] * clear)
            g0, g1 = np.float32(horizon[1] * faded), np.float32(floor[1] * clear)
            b0, b1 = np.float32(horizon[2] * faded), np.float32(floor[2] * clear)
            dim0, dim1 = np.float32(0.8), np.float32(0.2)
            for i in range(width):
                px, pz = x0 + across[i] * dx, z0 + across[i] * dz
                ox, oz = px - cx, pz - cz
                lit = ONE / (ONE + (ox * ox + oz * oz) * over_pool)
                tone = (ONE + depth_of_squares * lit * square_wave(px, fx) * square_wave(pz, fz)) * (
                    dim0 + dim1 * lit
                )
                red[i] = r0 + r1 * tone
                green[i] = g0 + g1 * tone
                blue[i] = b0 + b1 * tone

            # Step 2. Shadows on the floor, and the darkness under what is close to it.
            pu = distance * (bx * light_axes[0, 0] + by * light_axes[0, 1] + bz * light_axes[0, 2])
            pv = distance * (bx * light_axes[1, 0] + by * light_axes[1, 1] + bz * light_axes[1, 2])
            du = distance * (right[0] * light_axes[0, 0] + right[2] * light_axes[0, 2])
            dv = distance * (right[0] * light_axes[1, 0] + right[2] * light_axes[1, 2])
            pu, pv, du, dv = (pu - corner[0]) / texel, (pv - corner[1]) / texel, du / texel, dv / texel
            back_red, back_green, back_blue = horizon[0] * faded, horizon[1] * faded, horizon[2] * faded
            for i in range(width):
                u, v = pu + across[i] * du, pv + across[i] * dv
                if owner[row, i] >= 0 or not (0.0 <= u < map_columns - 1 and 0.0 <= v < map_rows - 1):
                    continue
                hidden, near = floor_light(floor_map, u, v)
                if hidden > 0.0 or near > 0.0:
                    open_sky, lit = 1.0 / (1.0 + near), 1.0 - hidden
                    red[i] = back_red + (red[i] - back_red) * (lit + floor_shadow[0] * (open_sky - lit))
                    green[i] = back_green + (green[i] - back_green) * (
                        lit + floor_shadow[1] * (open_sky - lit)
                    )
                    blue[i] = back_blue + (blue[i] - back_blue) * (lit + floor_shadow[2] * (open_sky - lit))

        # Step 3. Figures.
        for i in range(width):
            n = owner[row, i]
            if n < 0:
                continue
            t = depth[row, i]
            x = across[i]
            rx, ry, rz = bx + x * right[0], by, bz + x * right[2]
            px, py, pz = t * rx, t * ry, t * rz
            # the normal points away from the nearest of the spheres that the cone is a row of
            ox, oy, oz = px - start[n, 0], py - start[n, 1], pz - start[n, 2]
            ax, ay, az = axis[n, 0], axis[n, 1], axis[n, 2]
            part = (ox * ax + oy * ay + oz * az - pull[n]) * inverse[n]
            part = min(max(part, 0.0), 1.0)
            nx, ny, nz = ox - part * ax, oy - part * ay, oz - part * az
            scale = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx * scale, ny * scale, nz * scale
            ray = 1.0 / math.sqrt(rx * rx + ry * ry + rz * rz)
            vx, vy, vz = -rx * ray, -ry * ray, -rz * ray

            facing = nx * lx + ny * ly + nz * lz
            lit = max(facing, 0.0)
            shine = 0.0
            if facing > 0.0:
                u = px * light_axes[0, 0] + py * light_axes[0, 1] + pz * light_axes[0, 2]
                v = px * light_axes[1, 0] + py * light_axes[1, 1] + pz * light_axes[1, 2]
                w = px * lx + py * ly + pz * lz
                u, v = (u - corner[0]) / texel, (v - corner[1]) / texel
                hidden = 0.0
                if 1.0 <= u < map_columns - 2 and 1.0 <= v < map_rows - 2:
                    hidden = body_shadow(body_map, u, v, w)
                lit *= 1.0 - hidden
                hx, hy, hz = vx + lx, vy + ly, vz + lz
                half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
                half = max(half, 0.0) ** 2
                half *= half
                half *= half
                half *= half
                shine = 0.10 * half * half * (1.0 - hidden)
            upness = 0.5 + 0.5 * ny
            # a body close to the floor gets less light from below
            clearance = max(py + position[1], 0.0)
            clearance = clearance / (clearance + 0.12)
            edge = 1.0 - max(nx * vx + ny * vy + nz * vz, 0.0)
            edge = edge * edge * edge * (0.35 + 0.65 * upness)
            faded = (t / haze) ** 2
            faded = faded / (1.0 + faded)
            for c in range(3):
                ambient = sky[c] * upness + bounce[c] * (1.0 - upness) * clearance
                light = (
                    colour[n, c] * (ambient + key[c] * lit) + shine + rim[c] * edge * (0.25 + colour[n, c])
                )
                picture[c, i] = np.float32(light + (horizon[c] - light) * faded)

        # Step 4. To bytes, with a little noise instead of bands.
        start_of_noise = np.float32(0.00583715 * (row % 4096))
        for c in range(3):
            line = picture[c]
            for i in range(width):
                noise = start_of_noise + np.float32(0.06711056) * np.float32(np.int32(i))
                noise = np.float32(52.9829189) * (noise - np.floor(noise))
                noise = noise - np.floor(noise)
                value = line[i]
                value = value if value < ONE else ONE
                line[i] = math.sqrt(value) * np.float32(254.0) + noise
        for i in range(width):
            image[row, i, 0] = np.uint8(np.int32(picture[0, i]))
            image[row, i, 1] = np.uint8(np.int32(picture[1, i]))
            image[row, i, 2] = np.uint8(np.int32(picture[2, i]))
