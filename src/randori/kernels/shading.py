"""Colour of every pixel: the light on round cones, the floor, and the shadows on both.

Positions here are in metres along the world's axes, counted from the camera. Light is linear: the
last step takes its square root, which is close to how a screen wants it.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel

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


class Casters(NamedTuple):
    """Round cones as the key light sees them: on a plane across the light, and how near to it."""

    start: np.ndarray  # (N, 3) metres, first sphere: two places on the plane, nearness to the light
    axis: np.ndarray  # (N, 3) metres, to the second sphere
    direction: np.ndarray  # (N, 2) unit, along the axis on the plane
    length: np.ndarray  # (N,) metres, of the axis on the plane
    slope: np.ndarray  # (N,) tangent of the angle between the outline and the axis
    radius: np.ndarray  # (N, 2) metres


class Bodies(NamedTuple):
    """Round cones in the world, for their normals and colours."""

    start: np.ndarray  # (N, 3) metres from the camera
    axis: np.ndarray  # (N, 3) metres
    pull: np.ndarray  # (N,) metres², first radius × difference of the radii
    inverse: np.ndarray  # (N,) 1 / (length² - (difference of the radii)²), 0 for a sphere
    radius: np.ndarray  # (N, 2) metres
    colour: np.ndarray  # (N, 3) linear
    near_floor: np.ndarray  # (N,) bool, low enough to darken the floor below it


class Cells(NamedTuple):
    """Which cones can throw a shadow into each cell of the plane across the key light."""

    corner: np.ndarray  # (2,) metres
    size: float  # metres
    shape: np.ndarray  # (2,) cells
    indptr: np.ndarray  # (cells + 1,)
    indices: np.ndarray  # (sum,) cones


class Look(NamedTuple):
    """Colours are linear (3,), lengths metres."""

    light_axes: np.ndarray  # (3, 3) the two directions of the plane across the key light, and the one to it
    key: np.ndarray
    sky: np.ndarray
    bounce: np.ndarray
    rim: np.ndarray
    floor: np.ndarray
    floor_shadow: np.ndarray  # what is left of the floor's light in full shadow
    horizon: np.ndarray
    zenith: np.ndarray
    checker: float  # how far the squares differ from the mean, relative
    softness: float  # width of a shadow's edge per metre to what throws it
    centre: np.ndarray  # (2,) x, z of the middle of the lit floor
    pool: float  # radius of the lit floor
    haze: float  # distance at which half of the floor has faded


@kernel
def fill_cells(ranges, shape, indptr):
    """The cones of each cell as indices, from the cells' ranges (N, 4); `indptr` is filled on the way."""
    for n in range(len(ranges)):
        for i in range(ranges[n, 0], ranges[n, 1]):
            for j in range(ranges[n, 2], ranges[n, 3]):
                indptr[i * shape[1] + j + 1] += 1
    for cell in range(len(indptr) - 1):
        indptr[cell + 1] += indptr[cell]
    indices = np.empty(indptr[-1], dtype=np.int32)
    place = indptr[:-1].copy()
    for n in range(len(ranges)):
        for i in range(ranges[n, 0], ranges[n, 1]):
            for j in range(ranges[n, 2], ranges[n, 3]):
                cell = i * shape[1] + j
                indices[place[cell]] = n
                place[cell] += 1
    return indices


@kernel
def shadow(u, v, w, n, start, axis, direction, length, slope, radius, softness, finest):
    """How much of the key light cone n takes from the point (u, v) at nearness w, 0 to 1."""
    x, y = u - start[n, 0], v - start[n, 1]
    along = x * direction[n, 0] + y * direction[n, 1]
    aside = abs(x * direction[n, 1] - y * direction[n, 0])
    # the outline is a row of circles: the one whose edge is nearest
    s = min(max(along - aside * slope[n], 0.0), length[n])
    part = s / length[n] if length[n] > 0.0 else 0.0
    size = radius[n, 0] + (radius[n, 1] - radius[n, 0]) * part
    before = start[n, 2] + axis[n, 2] * part - w
    if before <= 0.0:
        return 0.0
    gap = math.sqrt((along - s) ** 2 + aside * aside) - size
    edge = finest + softness * before
    cover = min(max(0.5 - gap / edge, 0.0), 1.0)
    cover = cover * cover * (3.0 - 2.0 * cover)
    # what is beside the point rather than before it (its own neighbours in the body) hides little
    return cover * min(before / size, 1.0)


@kernel
def square_wave(p, width):
    """The mean over `width` of a wave that is +1 and -1 for one metre each."""
    low = (p - HALF * width) * HALF
    high = (p + HALF * width) * HALF
    low = abs(low - np.floor(low) - HALF)
    high = abs(high - np.floor(high) - HALF)
    return TWO * (low - high) / width


@kernel
def shade(first_row, last_row, view, bodies, casters, cells, look, depth, owner, image):
    """Fill the rows of the picture (H, W, 3) from the depth buffer and the owner buffer."""
    across, upward, axes, position = view
    start, axis, pull, inverse, radius, colour, near_floor = bodies
    c_start, c_axis, c_direction, c_length, c_slope, c_radius = casters
    corner, cell_size, cell_shape, indptr, indices = cells
    light_axes, key, sky, bounce, rim = look.light_axes, look.key, look.sky, look.bounce, look.rim
    floor, floor_shadow, horizon, zenith = look.floor, look.floor_shadow, look.horizon, look.zenith
    checker, softness, centre, pool, haze = look.checker, look.softness, look.centre, look.pool, look.haze
    width = len(across)
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
            finest = 0.008 + 1.5 * distance * pixel
            pu = distance * (bx * light_axes[0, 0] + by * light_axes[0, 1] + bz * light_axes[0, 2])
            pv = distance * (bx * light_axes[1, 0] + by * light_axes[1, 1] + bz * light_axes[1, 2])
            pw = distance * (bx * lx + by * ly + bz * lz)
            du = distance * (right[0] * light_axes[0, 0] + right[2] * light_axes[0, 2])
            dv = distance * (right[0] * light_axes[1, 0] + right[2] * light_axes[1, 2])
            dw = distance * (right[0] * lx + right[2] * lz)
            for i in range(width):
                if owner[row, i] >= 0:
                    continue
                x = across[i]
                u, v = pu + x * du, pv + x * dv
                cu, cv = (u - corner[0]) / cell_size, (v - corner[1]) / cell_size
                if not (0.0 <= cu < cell_shape[0] and 0.0 <= cv < cell_shape[1]):
                    continue
                cell = int(cu) * cell_shape[1] + int(cv)
                if indptr[cell] == indptr[cell + 1]:
                    continue
                w = pw + x * dw
                hidden, near = 0.0, 0.0
                px, py, pz = distance * (bx + x * right[0]), -position[1], distance * (bz + x * right[2])
                for k in range(indptr[cell], indptr[cell + 1]):
                    n = indices[k]
                    hidden = max(
                        hidden,
                        shadow(
                            u,
                            v,
                            w,
                            n,
                            c_start,
                            c_axis,
                            c_direction,
                            c_length,
                            c_slope,
                            c_radius,
                            softness,
                            finest,
                        ),
                    )
                    if near_floor[n]:
                        sx, sy, sz = px - start[n, 0], py - start[n, 1], pz - start[n, 2]
                        ax, ay, az = axis[n, 0], axis[n, 1], axis[n, 2]
                        length2 = ax * ax + ay * ay + az * az
                        part = 0.0
                        if length2 > 0.0:
                            part = min(max((sx * ax + sy * ay + sz * az) / length2, 0.0), 1.0)
                        sx, sy, sz = part * ax - sx, part * ay - sy, part * az - sz
                        size = radius[n, 0] + (radius[n, 1] - radius[n, 0]) * part
                        away = sx * sx + sy * sy + sz * sz
                        # the share of the sky that a sphere hides from a level floor
                        near += max(sy, 0.0) * size * size / (away * math.sqrt(away) + 1e-9)
                if hidden > 0.0 or near > 0.0:
                    open_sky = 1.0 / (1.0 + near)
                    for c in range(3):
                        left = (floor_shadow[c] * open_sky + (1.0 - floor_shadow[c])) * (1.0 - hidden) + (
                            floor_shadow[c] * open_sky * hidden
                        )
                        back = horizon[c] * faded
                        picture[c, i] = back + (picture[c, i] - back) * left

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
                cu, cv = (u - corner[0]) / cell_size, (v - corner[1]) / cell_size
                hidden = 0.0
                if 0.0 <= cu < cell_shape[0] and 0.0 <= cv < cell_shape[1]:
                    cell = int(cu) * cell_shape[1] + int(cv)
                    finest = 0.008 + 1.5 * t * pixel
                    for k in range(indptr[cell], indptr[cell + 1]):
                        m = indices[k]
                        if m != n:
                            hidden = max(
                                hidden,
                                shadow(
                                    u, v, w, m,
                                    c_start, c_axis, c_direction, c_length, c_slope, c_radius, softness,
                                    finest,
                                ),
                            )  # fmt: skip
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
