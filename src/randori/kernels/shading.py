"""Colour of every pixel: the light on round cones, the floor, and the shadows on both.

Positions are in metres along the world's axes, counted from the camera. Light is linear: the last
step takes its square root, which is close to what a screen wants. Rows are worked on in float32, in
loops without branches, eight pixels at a time.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.raycast import View
from randori.kernels.shadows import SIDE, Maps, Plane, clip

ZERO = np.float32(0.0)
QUARTER = np.float32(0.25)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
# Unsigned, because the compiler need not ask whether an index counts from the end.
ONE_MORE, BLOCK_SIDE = np.uint32(1), np.uint32(SIDE)

OVER_DEPTH = np.float32(1.0 / 0.03)  # per metre: full shadow is reached 3 cm below the middle of a body
BOUNCE_GAP = np.float32(0.12)  # metres above the floor where half of its light gets to a body

SIZE = 64  # pixels of a block

# Pixels of bodies are shaded in blocks: all values of one kind lie side by side.
BLOCK = np.dtype(
    [
        ("x", np.float32, (SIZE,)),  # of the ray
        ("depth", np.float32, (SIZE,)),  # metres
        ("off_x", np.float32, (SIZE,)),  # metres from the start of the cone
        ("off_y", np.float32, (SIZE,)),
        ("off_z", np.float32, (SIZE,)),
        ("axis_x", np.float32, (SIZE,)),  # of the cone: see SURFACE
        ("axis_y", np.float32, (SIZE,)),
        ("axis_z", np.float32, (SIZE,)),
        ("pull", np.float32, (SIZE,)),
        ("inverse", np.float32, (SIZE,)),
        ("red", np.float32, (SIZE,)),  # of the surface, and then of its light
        ("green", np.float32, (SIZE,)),
        ("blue", np.float32, (SIZE,)),
        ("key", np.float32, (SIZE,)),  # how the surface lies to the key light, 0 to 1,
        ("fill", np.float32, (SIZE,)),  # to the fill light,
        ("up", np.float32, (SIZE,)),  # to the sky
        ("down", np.float32, (SIZE,)),  # and to the floor
        ("edge", np.float32, (SIZE,)),  # how much of the rim light it gets,
        ("shine", np.float32, (SIZE,)),  # and of the highlight
        ("fade", np.float32, (SIZE,)),  # share of the horizon's colour
        ("u", np.float32, (SIZE,)),  # texels, on the shadow map
        ("v", np.float32, (SIZE,)),
        ("w", np.float32, (SIZE,)),  # metres, nearness to the key light
        ("column", np.int64, (SIZE,)),  # of the pixel
    ],
    align=True,
)

# A round cone as it is shaded, metres from the camera along the world's axes.
SURFACE = np.dtype(
    [
        ("x", np.float32),  # start
        ("y", np.float32),
        ("z", np.float32),
        ("axis_x", np.float32),
        ("axis_y", np.float32),
        ("axis_z", np.float32),
        ("pull", np.float32),  # metres², first radius × difference of the radii
        ("inverse", np.float32),  # 1 / (length² - (difference of the radii)²), or 0 for a sphere
        ("red", np.float32),  # linear
        ("green", np.float32),
        ("blue", np.float32),
    ],
    align=True,
)


class Place(NamedTuple):
    """The surroundings of the figures. Colours are linear (3,), lengths metres."""

    key: np.ndarray  # (3,) float32, strength of the key light,
    fill: np.ndarray  # (3,) float32, of the fill light,
    sky: np.ndarray  # (3,) float32, of the sky,
    bounce: np.ndarray  # (3,) float32, of what comes from the floor,
    rim: np.ndarray  # (3,) float32, and of the rim light
    far: np.ndarray  # (3,) float32, what bodies fade to
    fill_direction: np.ndarray  # (3,) float32, to the fill light
    shine: float
    floor: np.ndarray
    floor_shadow: np.ndarray  # share of the floor's light that is left in full shadow
    horizon: np.ndarray
    zenith: np.ndarray
    checker: float  # how far the squares differ from the mean, relative
    centre: np.ndarray  # (2,) x, z of the middle of the lit floor, in the world
    pool: float  # radius of the lit floor
    dimming: float  # how much less light there is far outside the pool
    haze: float  # distance at which half of everything has faded


class Stage(NamedTuple):
    """All that decides the colour of a pixel."""

    eye: View
    surfaces: np.ndarray  # (N,) SURFACE
    plane: Plane
    place: Place
    maps: Maps


class Row(NamedTuple):
    """A row of pixels by value, float32: the ray of column x is (base + x right)."""

    base_x: float
    base_y: float
    base_z: float
    right_x: float
    right_z: float
    height: float  # metres, of the camera
    over_haze: float  # 1 / metres²


@array_kernel
def shade(first, step, stage, buffers, image):
    """Fill every step-th row of the picture (H, 3 W) from the depth buffer and the owner buffer."""
    view, place = stage.eye, stage.place
    width = image.shape[1] // 3
    up, forward = view.axes[1], view.axes[2]
    picture = np.empty((3, width), dtype=np.float32)
    blocks = np.empty(1, dtype=BLOCK)
    ray = np.empty(3, dtype=np.float64)
    for row in range(first, len(view.upward), step):
        # The ray of column x is `ray` + x right. Right is level, so a row meets the floor at one depth.
        for k in range(3):
            ray[k] = view.upward[row] * up[k] + forward[k]
        if ray[1] < -1e-4:
            distance = -view.position[1] / ray[1]
            draw_floor(distance, ray, view, place, picture)
            darken_floor(distance, ray, stage, buffers.owner[row], picture)
        else:
            draw_sky(ray, place, picture)
        draw_bodies(ray, stage, buffers.depth[row], buffers.owner[row], blocks[0], picture)
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
def darken_floor(distance, ray, stage, owners, picture):
    """Shadows on the floor."""
    across, _, axes, _ = stage.eye
    plane, place, floor_map = stage.plane, stage.place, stage.maps.dark
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
    # Step 2. Read the map there, between four texels.
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


@kernel
def draw_bodies(ray, stage, depths, owners, block, picture):
    """The pixels of a row that see a cone, in blocks: what a loop reads lies dense in one record.

    One record with fixed distances, because the compiler widens a loop only if it can prove that
    what is written is not what is read next.
    """
    view, place, maps = stage.eye, stage.place, stage.maps
    row = Row(
        np.float32(ray[0]), np.float32(ray[1]), np.float32(ray[2]),
        np.float32(view.axes[0, 0]), np.float32(view.axes[0, 2]),
        np.float32(view.position[1]), np.float32(1.0 / (place.haze * place.haze)),
    )  # fmt: skip
    red, green, blue = picture[0], picture[1], picture[2]
    i = 0
    while i < len(red):
        count, i = fill_block(i, row, view.across, stage.surfaces, depths, owners, block, len(red))
        if count == 0:
            return
        find_light(count, row, stage.plane.lookup, place, block)
        find_shadow(count, maps, block)
        find_colour(count, place, block)
        for k in range(count):
            red[block.column[k]] = block.red[k]
            green[block.column[k]] = block.green[k]
            blue[block.column[k]] = block.blue[k]


@kernel
def fill_block(i, row, across, surfaces, depths, owners, block, width):
    """The next pixels from column i on that see a cone: how many, and the column after them."""
    count = 0
    while i < width and count < SIZE:
        owned = owners[i]
        if owned < 0:
            i += 1
            continue
        # neighbours mostly see the same cone: what it is like is looked up once for all of them
        surface = surfaces[np.uint32(owned)]
        cx, cy, cz = surface.x, surface.y, surface.z
        ax, ay, az = surface.axis_x, surface.axis_y, surface.axis_z
        pull, inverse = surface.pull, surface.inverse
        r, g, b = surface.red, surface.green, surface.blue
        while i < width and count < SIZE and owners[i] == owned:
            x, t = across[i], depths[i]
            block.column[count] = i
            block.x[count], block.depth[count] = x, t
            block.off_x[count] = t * (row.base_x + x * row.right_x) - cx
            block.off_y[count] = t * row.base_y - cy
            block.off_z[count] = t * (row.base_z + x * row.right_z) - cz
            block.axis_x[count], block.axis_y[count], block.axis_z[count] = ax, ay, az
            block.pull[count], block.inverse[count] = pull, inverse
            block.red[count], block.green[count], block.blue[count] = r, g, b
            count += 1
            i += 1
    return count, i


@kernel
def find_light(count, row, lookup, place, block):
    """Find the angles of the surface to the lights and to the eye, and its place on the shadow map.

    A body close to the floor gets less light from below.
    """
    ux, uy, uz, u0 = lookup[0, 0], lookup[0, 1], lookup[0, 2], lookup[0, 3]
    vx, vy, vz, v0 = lookup[1, 0], lookup[1, 1], lookup[1, 2], lookup[1, 3]
    lx, ly, lz = lookup[2, 0], lookup[2, 1], lookup[2, 2]
    sx, sy, sz = place.fill_direction[0], place.fill_direction[1], place.fill_direction[2]
    for k in range(count):
        x, t = block.x[k], block.depth[k]
        ax, ay, az = block.axis_x[k], block.axis_y[k], block.axis_z[k]
        # the normal points away from the nearest of the spheres that a cone is a row of
        nx, ny, nz = block.off_x[k], block.off_y[k], block.off_z[k]
        part = clip((nx * ax + ny * ay + nz * az - block.pull[k]) * block.inverse[k])
        nx, ny, nz = nx - part * ax, ny - part * ay, nz - part * az
        scale = ONE / math.sqrt(nx * nx + ny * ny + nz * nz)
        nx, ny, nz = nx * scale, ny * scale, nz * scale
        ex, ey, ez = row.base_x + x * row.right_x, row.base_y, row.base_z + x * row.right_z
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
        block.key[k] = facing if facing > ZERO else ZERO
        side = nx * sx + ny * sy + nz * sz
        block.fill[k] = side if side > ZERO else ZERO
        block.up[k] = HALF + HALF * ny
        above = py + row.height
        above = above if above > ZERO else ZERO
        block.down[k] = (HALF - HALF * ny) * (above / (above + BOUNCE_GAP))
        square = t * t * row.over_haze
        block.fade[k] = square / (ONE + square)
        block.edge[k] = edge * edge * edge * (HALF + HALF * ny)
        block.shine[k] = half * half
        block.u[k] = px * ux + py * uy + pz * uz + u0
        block.v[k] = px * vx + py * vy + pz * vz + v0
        block.w[k] = px * lx + py * ly + pz * lz


@kernel
def find_shadow(count, maps, block):
    """Take from the key light what other bodies keep away, between four texels.

    The map has the middle of a body, so that its own lit side is clear of it; from there it takes
    a few centimetres to full shadow.
    """
    body_map, summits = maps.nearness, maps.summits
    most_u, most_v = np.float32(body_map.shape[1] - 1), np.float32(body_map.shape[0] - 1)
    for k in range(count):
        u, v, level = block.u[k] - HALF, block.v[k] - HALF, block.w[k]
        if block.key[k] > ZERO and u >= ZERO and v >= ZERO and u < most_u and v < most_v:
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
                block.key[k] *= ONE - (a + (c - a) * fv)


@kernel
def find_colour(count, place, block):
    """All light together, faded by distance."""
    light_channel(count, 0, place, block, block.red)
    light_channel(count, 1, place, block, block.green)
    light_channel(count, 2, place, block, block.blue)


@kernel
def light_channel(count, c, place, block, colour):
    """The light of channel c, instead of the colour (SIZE,) of the surface."""
    key, fill, sky = place.key[c], place.fill[c], place.sky[c]
    bounce, rim, far = place.bounce[c], place.rim[c], place.far[c]
    shine = np.float32(place.shine)
    for k in range(count):
        own, lit = colour[k], block.key[k]
        ambient = sky * block.up[k] + bounce * block.down[k]
        light = own * (ambient + fill * block.fill[k] + key * lit) + shine * block.shine[k] * lit
        light += rim * block.edge[k] * (QUARTER + own)
        colour[k] = light + (far - light) * block.fade[k]


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
