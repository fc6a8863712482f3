"""Colour of every pixel: the light on round cones, the floor, and the shadows on both.

Positions are in metres along the world's axes, counted from the camera. Light is linear: the last
step takes its square root, which is close to what a screen wants. Rows are worked on in float32, in
loops without branches, eight pixels at a time.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.shadows import SIDE, clip

ZERO = np.float32(0.0)
QUARTER = np.float32(0.25)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
# Unsigned, because the compiler need not ask whether an index counts from the end.
ONE_MORE, BLOCK_SIDE = np.uint32(1), np.uint32(SIDE)

OVER_DEPTH = np.float32(1.0 / 0.03)  # per metre: full shadow is reached 3 cm below the middle of a body
BOUNCE_GAP = np.float32(0.12)  # metres above the floor where half of its light gets to a body

# Pixels of bodies are shaded in blocks, each value in a slot of its own: see `draw_bodies`.
BLOCK = 64
X, T, OX, OY, OZ, AX, AY, AZ, PULL, INVERSE, RED, GREEN, BLUE = (slot * BLOCK for slot in range(13))
KEY, FILL, UP, DOWN, EDGE, SHINE, FADE, U, V, W = (slot * BLOCK for slot in range(13, 23))
SLOTS = 23


class View(NamedTuple):
    """Where the camera is and where its pixels look."""

    across: np.ndarray  # (W,) x of each column's ray
    upward: np.ndarray  # (H,) y of each row's ray
    axes: np.ndarray  # (3, 3) right, up, forward in the world
    position: np.ndarray  # (3,) metres


class Place(NamedTuple):
    """Where the figures are shown. Colours are linear (3,), lengths metres."""

    # (7, 3) float32: strength of key, fill, sky, bounce from the floor and rim; the horizon's colour; the
    # direction to the fill light
    lights: np.ndarray
    shine: float
    floor: np.ndarray
    floor_shadow: np.ndarray  # what is left of the floor's light in full shadow
    horizon: np.ndarray
    zenith: np.ndarray
    checker: float  # how far the squares differ from the mean, relative
    centre: np.ndarray  # (2,) x, z of the middle of the lit floor, in the world
    pool: float  # radius of the lit floor
    dimming: float  # how much less light there is far outside the pool
    haze: float  # distance at which half of everything has faded


@array_kernel
def shade(first, step, view, bodies, plane, place, floor_map, body_map, summits, depth, owner, image):
    """Fill every step-th row of the picture (H, 3 W) from the depth buffer and the owner buffer.

    `bodies` (N, 11) are the cones: start and axis (metres from the camera), first radius × difference
    of the radii, 1 / (length² - (difference of the radii)²) or 0 for a sphere, and the linear colour.
    """
    _, upward, axes, position = view
    width = image.shape[1] // 3
    up, forward = axes[1], axes[2]
    picture = np.empty((3, width), dtype=np.float32)
    block = np.empty(SLOTS * BLOCK, dtype=np.float32)
    ray = np.empty(3, dtype=np.float64)
    for row in range(first, len(upward), step):
        # The ray of column x is `ray` + x right. Right is level, so a row meets the floor at one depth.
        for k in range(3):
            ray[k] = upward[row] * up[k] + forward[k]
        if ray[1] < -1e-4:
            distance = -position[1] / ray[1]
            draw_floor(distance, ray, view, place, picture)
            darken_floor(distance, ray, view, plane, place, floor_map, owner[row], picture)
        else:
            draw_sky(ray, place, picture)
        draw_bodies(
            ray, view, bodies, plane, place, body_map, summits, depth[row], owner[row], block, picture
        )
        write_bytes(row, picture, image[row])


@kernel
def fading(distance, haze):
    """The share of the horizon's colour in what is this far away."""
    square = distance * distance / (haze * haze)
    return square / (1.0 + square)


@kernel
def draw_sky(ray, place, picture):
    """One colour for the whole row: it only changes with height."""
    slope = ray[1] / math.sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2])
    rise = min(max(slope, 0.0) / 0.6, 1.0)
    rise = rise * (2.0 - rise)
    for c in range(3):
        picture[c, :] = np.float32(place.horizon[c] + (place.zenith[c] - place.horizon[c]) * rise)


@kernel
def square_wave(p, width, over_width):
    """The mean over `width` of a wave that is +1 and -1 for one metre each."""
    low = (p - HALF * width) * HALF
    high = (p + HALF * width) * HALF
    low = abs(low - np.floor(low) - HALF)
    high = abs(high - np.floor(high) - HALF)
    return TWO * (low - high) * over_width


@kernel
def draw_floor(distance, ray, view, place, picture):
    """Squares of one metre in a pool of light, fading into the horizon."""
    across, _, axes, position = view
    right, forward = axes[0], axes[2]
    pixel = across[1] - across[0]
    faded = fading(distance, place.haze)
    clear = 1.0 - faded
    x0, z0 = np.float32(position[0] + distance * ray[0]), np.float32(position[2] + distance * ray[2])
    dx, dz = np.float32(distance * right[0]), np.float32(distance * right[2])
    # a pixel's footprint along each of the floor's axes: it is as wide as it is far, and longer than that
    wide = distance * pixel
    long = distance * wide / position[1]
    fx = np.float32(max(abs(wide * right[0]), abs(long * forward[0]), 1e-5))
    fz = np.float32(max(abs(wide * right[2]), abs(long * forward[2]), 1e-5))
    over_fx, over_fz = ONE / fx, ONE / fz
    cx, cz = np.float32(place.centre[0]), np.float32(place.centre[1])
    over_pool = np.float32(1.0 / (place.pool * place.pool))
    dim0, dim1 = np.float32(1.0 - place.dimming), np.float32(place.dimming)
    contrast = np.float32(place.checker)
    red, green, blue = picture[0], picture[1], picture[2]
    r0, r1 = np.float32(place.horizon[0] * faded), np.float32(place.floor[0] * clear)
    g0, g1 = np.float32(place.horizon[1] * faded), np.float32(place.floor[1] * clear)
    b0, b1 = np.float32(place.horizon[2] * faded), np.float32(place.floor[2] * clear)
    for i in range(len(red)):
        px, pz = x0 + across[i] * dx, z0 + across[i] * dz
        ox, oz = px - cx, pz - cz
        lit = ONE / (ONE + (ox * ox + oz * oz) * over_pool)
        squares = square_wave(px, fx, over_fx) * square_wave(pz, fz, over_fz)
        tone = (ONE + contrast * lit * squares) * (dim0 + dim1 * lit)
        red[i] = r0 + r1 * tone
        green[i] = g0 + g1 * tone
        blue[i] = b0 + b1 * tone


@kernel
def darken_floor(distance, ray, view, plane, place, floor_map, owners, picture):
    """Shadows on the floor."""
    across, _, axes, _ = view
    along, upon, corner, texel = plane.axes[0], plane.axes[1], plane.corner, plane.texel
    right = axes[0]
    rows, columns = floor_map.shape
    # Step 1. Where the row lies on the map, in texels, linear in x; and the columns that are on it.
    u0, v0, du, dv = -corner[0], -corner[1], 0.0, 0.0
    for k in range(3):
        u0 += distance * ray[k] * along[k]
        v0 += distance * ray[k] * upon[k]
        du += distance * right[k] * along[k]
        dv += distance * right[k] * upon[k]
    u0, v0, du, dv = u0 / texel, v0 / texel, du / texel, dv / texel
    low, high = float(across[0]), float(across[-1])
    for start, step, size in ((u0, du, columns - 2.01), (v0, dv, rows - 2.01)):
        if abs(step) < 1e-9:
            if start < 0.01 or start > size:
                return
        else:
            one, other = (0.01 - start) / step, (size - start) / step
            low, high = max(low, min(one, other)), min(high, max(one, other))
    pixel = float(across[1] - across[0])
    first = max(math.ceil((low - across[0]) / pixel), 0)
    last = min(math.floor((high - across[0]) / pixel) + 1, picture.shape[1])
    # Step 2. What the map says there, between four texels.
    faded = fading(distance, place.haze)
    red, green, blue = picture[0], picture[1], picture[2]
    horizon, kept = place.horizon, place.floor_shadow
    r0, r1 = np.float32(horizon[0] * faded), np.float32(1.0 - kept[0])
    g0, g1 = np.float32(horizon[1] * faded), np.float32(1.0 - kept[1])
    b0, b1 = np.float32(horizon[2] * faded), np.float32(1.0 - kept[2])
    u1, v1, du1, dv1 = np.float32(u0), np.float32(v0), np.float32(du), np.float32(dv)
    for i in range(first, last):
        u, v = u1 + across[i] * du1, v1 + across[i] * dv1
        m, n = np.uint32(v), np.uint32(u)
        a, b = floor_map[m, n], floor_map[m, n + ONE_MORE]
        c, d = floor_map[m + ONE_MORE, n], floor_map[m + ONE_MORE, n + ONE_MORE]
        if a + b + c + d == ZERO or owners[i] >= 0:
            continue
        fu, fv = u - np.float32(n), v - np.float32(m)
        a += (b - a) * fu
        c += (d - c) * fu
        dark = a + (c - a) * fv
        # up to full shadow what is left is the sky's light and its colour; from there that goes too
        more = dark - ONE if dark > ONE else ZERO
        dark, left = dark - more, ONE - (more if more < ONE else ONE)
        red[i] = r0 + (red[i] - r0) * (ONE - r1 * dark) * left
        green[i] = g0 + (green[i] - g0) * (ONE - g1 * dark) * left
        blue[i] = b0 + (blue[i] - b0) * (ONE - b1 * dark) * left


@array_kernel
def draw_bodies(ray, view, bodies, plane, place, body_map, summits, depths, owners, block, picture):
    """The pixels of a row that see a cone, in blocks: what a loop reads lies dense in one array.

    One array with fixed distances, because the compiler widens a loop only if it can prove that
    what is written is not what is read next.
    """
    across, _, axes, position = view
    lookup, lights = plane.lookup, place.lights
    height, shine = np.float32(position[1]), np.float32(place.shine)
    over_haze = np.float32(1.0 / (place.haze * place.haze))
    columns = np.empty(BLOCK, dtype=np.int64)
    bx, by, bz = np.float32(ray[0]), np.float32(ray[1]), np.float32(ray[2])
    rx, rz = np.float32(axes[0, 0]), np.float32(axes[0, 2])
    red, green, blue = picture[0], picture[1], picture[2]
    width = len(red)
    i = 0
    while i < width:
        count = 0
        while i < width and count < BLOCK:
            owned = owners[i]
            if owned < 0:
                i += 1
                continue
            # neighbours mostly see the same cone: what it is like is looked up once for all of them
            n = np.uint32(owned)
            cx, cy, cz = bodies[n, 0], bodies[n, 1], bodies[n, 2]
            ax, ay, az = bodies[n, 3], bodies[n, 4], bodies[n, 5]
            pull, inverse = bodies[n, 6], bodies[n, 7]
            r, g, b = bodies[n, 8], bodies[n, 9], bodies[n, 10]
            while i < width and count < BLOCK and owners[i] == owned:
                x, t = across[i], depths[i]
                columns[count] = i
                block[X + count], block[T + count] = x, t
                block[OX + count] = t * (bx + x * rx) - cx
                block[OY + count] = t * by - cy
                block[OZ + count] = t * (bz + x * rz) - cz
                block[AX + count], block[AY + count], block[AZ + count] = ax, ay, az
                block[PULL + count], block[INVERSE + count] = pull, inverse
                block[RED + count], block[GREEN + count], block[BLUE + count] = r, g, b
                count += 1
                i += 1
        if count == 0:
            return
        find_light(count, bx, by, bz, rx, rz, height, over_haze, lookup, lights, block)
        find_shadow(count, body_map, summits, block)
        find_colour(count, lights, shine, block)
        for k in range(count):
            red[columns[k]] = block[RED + k]
            green[columns[k]] = block[GREEN + k]
            blue[columns[k]] = block[BLUE + k]


@kernel
def find_light(count, bx, by, bz, rx, rz, height, over_haze, lookup, lights, block):
    """How the surface lies to the lights and to the eye, and where it is on the shadow map.

    A body close to the floor gets less light from below.
    """
    ux, uy, uz, u0 = lookup[0, 0], lookup[0, 1], lookup[0, 2], lookup[0, 3]
    vx, vy, vz, v0 = lookup[1, 0], lookup[1, 1], lookup[1, 2], lookup[1, 3]
    lx, ly, lz = lookup[2, 0], lookup[2, 1], lookup[2, 2]
    sx, sy, sz = lights[6, 0], lights[6, 1], lights[6, 2]
    for k in range(count):
        x, t = block[X + k], block[T + k]
        ax, ay, az = block[AX + k], block[AY + k], block[AZ + k]
        # the normal points away from the nearest of the spheres that a cone is a row of
        nx, ny, nz = block[OX + k], block[OY + k], block[OZ + k]
        part = clip((nx * ax + ny * ay + nz * az - block[PULL + k]) * block[INVERSE + k])
        nx, ny, nz = nx - part * ax, ny - part * ay, nz - part * az
        scale = ONE / math.sqrt(nx * nx + ny * ny + nz * nz)
        nx, ny, nz = nx * scale, ny * scale, nz * scale
        ex, ey, ez = bx + x * rx, by, bz + x * rz
        px, py, pz = t * ex, t * ey, t * ez
        scale = ONE / math.sqrt(ex * ex + ey * ey + ez * ez)
        ex, ey, ez = -ex * scale, -ey * scale, -ez * scale
        toward = nx * ex + ny * ey + nz * ez
        hx, hy, hz = ex + lx, ey + ly, ez + lz
        half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
        half = half if half > ZERO else ZERO
        half *= half
        half *= half
        half *= half
        half *= half
        facing = nx * lx + ny * ly + nz * lz
        edge = ONE - (toward if toward > ZERO else ZERO)
        block[KEY + k] = facing if facing > ZERO else ZERO
        side = nx * sx + ny * sy + nz * sz
        block[FILL + k] = side if side > ZERO else ZERO
        block[UP + k] = HALF + HALF * ny
        above = py + height
        above = above if above > ZERO else ZERO
        block[DOWN + k] = (HALF - HALF * ny) * (above / (above + BOUNCE_GAP))
        square = t * t * over_haze
        block[FADE + k] = square / (ONE + square)
        block[EDGE + k] = edge * edge * edge * (HALF + HALF * ny)
        block[SHINE + k] = half * half
        block[U + k] = px * ux + py * uy + pz * uz + u0
        block[V + k] = px * vx + py * vy + pz * vz + v0
        block[W + k] = px * lx + py * ly + pz * lz


@kernel
def find_shadow(count, body_map, summits, block):
    """Take from the key light what other bodies keep away, between four texels.

    The map has the middle of a body, so that its own lit side is clear of it; from there it takes
    a few centimetres to full shadow.
    """
    most_u, most_v = np.float32(body_map.shape[1] - 1), np.float32(body_map.shape[0] - 1)
    for k in range(count):
        u, v, level = block[U + k] - HALF, block[V + k] - HALF, block[W + k]
        if block[KEY + k] > ZERO and u >= ZERO and v >= ZERO and u < most_u and v < most_v:
            i, j = np.uint32(u), np.uint32(v)
            # most points have nothing above them: four blocks hold all that could be
            top, bottom = j // BLOCK_SIDE, (j + ONE_MORE) // BLOCK_SIDE
            left, right = i // BLOCK_SIDE, (i + ONE_MORE) // BLOCK_SIDE
            upper = max(summits[top, left], summits[top, right])
            lower = max(summits[bottom, left], summits[bottom, right])
            if max(upper, lower) > level:
                fu, fv = u - np.float32(i), v - np.float32(j)
                a = clip((body_map[j, i] - level) * OVER_DEPTH)
                b = clip((body_map[j, i + ONE_MORE] - level) * OVER_DEPTH)
                c = clip((body_map[j + ONE_MORE, i] - level) * OVER_DEPTH)
                d = clip((body_map[j + ONE_MORE, i + ONE_MORE] - level) * OVER_DEPTH)
                a += (b - a) * fu
                c += (d - c) * fu
                block[KEY + k] *= ONE - (a + (c - a) * fv)


@kernel
def find_colour(count, lights, shine, block):
    """All light together, faded by distance."""
    for c in range(3):
        key, fill, sky = lights[0, c], lights[1, c], lights[2, c]
        bounce, rim, far = lights[3, c], lights[4, c], lights[5, c]
        at = RED + c * BLOCK
        for k in range(count):
            own, lit = block[at + k], block[KEY + k]
            ambient = sky * block[UP + k] + bounce * block[DOWN + k]
            light = own * (ambient + fill * block[FILL + k] + key * lit) + shine * block[SHINE + k] * lit
            light += rim * block[EDGE + k] * (QUARTER + own)
            block[at + k] = light + (far - light) * block[FADE + k]


@kernel
def write_bytes(row, picture, line):
    """Roots of the light as bytes (3 W), with a little fixed noise instead of bands.

    It is interleaved gradient noise: the nine pixels of any square have nine different values.
    """
    start, step = np.float32(0.00583715 * (row % 4096)), np.float32(0.06711056)
    grain, white = np.float32(52.9829189), np.float32(254.0)
    width = picture.shape[1]
    red, green, blue = picture[0], picture[1], picture[2]
    for i in range(width):
        noise = start + step * np.float32(np.int32(i))
        noise = grain * (noise - np.floor(noise))
        noise = noise - np.floor(noise)
        r, g, b = red[i], green[i], blue[i]
        r, g, b = r if r < ONE else ONE, g if g < ONE else ONE, b if b < ONE else ONE
        line[3 * i] = np.uint8(np.int32(math.sqrt(r) * white + noise))
        line[3 * i + 1] = np.uint8(np.int32(math.sqrt(g) * white + noise))
        line[3 * i + 2] = np.uint8(np.int32(math.sqrt(b) * white + noise))
