"""Round cones as the camera and as the key light see them, with the figures for rays and shadow maps.

Positions are counted from the camera, in metres. Where one sphere of a cone lies inside the other,
only the larger one is left.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.raycast import LANES

NEAREST = 0.05  # metres: things nearer to the camera are not drawn


@kernel
def hull(ax, ay, az, bx, by, bz, first, second):
    """Start (3), axis (3) and both radii of a cone between two spheres."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    taper = first - second
    if dx * dx + dy * dy + dz * dz <= taper * taper * (1.0 + 1e-6) + 1e-12:
        if second > first:
            ax, ay, az = bx, by, bz
        dx, dy, dz = 0.0, 0.0, 0.0
        first = second = max(first, second)
    return ax, ay, az, dx, dy, dz, first, second


class Figures(NamedTuple):
    """Round cones in the world."""

    starts: np.ndarray  # (N, 3) metres, centres of the first spheres
    stops: np.ndarray  # (N, 3) metres, of the second
    radii: np.ndarray  # (2, N) metres
    colours: np.ndarray  # (N, 3) as a screen shows them, 0 to 1


class Camera(NamedTuple):
    """The camera: its place, its directions and the size of its pixels."""

    position: np.ndarray  # (3,) metres
    axes: np.ndarray  # (3, 3) right, up, forward
    pixel: float  # metres, width of a pixel at a distance of one metre
    width: int  # pixels
    height: int  # pixels


class Light(NamedTuple):
    """The view of the key light."""

    position: np.ndarray  # (3,) metres, of the camera
    axes: np.ndarray  # (3, 3) two directions across the light, and the one to it
    finest: float  # metres, width of the sharpest edge
    softness: float  # width of an edge, metres per metre above what it falls on
    close: float  # metres: what hangs higher above the floor does not darken it


@kernel
def _hull_at(figures, n, position):
    """The hull of a cone, counted from a position."""
    starts, stops, radii = figures.starts, figures.stops, figures.radii
    return hull(
        starts[n, 0] - position[0], starts[n, 1] - position[1], starts[n, 2] - position[2],
        stops[n, 0] - position[0], stops[n, 1] - position[1], stops[n, 2] - position[2],
        radii[0, n], radii[1, n],
    )  # fmt: skip


@kernel
def _along(axes, k, x, y, z):
    """A vector along one of three axes."""
    return x * axes[k, 0] + y * axes[k, 1] + z * axes[k, 2]


@kernel
def see(figures, camera, cones, surfaces):
    """Fill what tracing needs (`raycast.Cones`) and what shading needs (N,) `shading.SURFACE`."""
    axes = camera.axes
    for n in range(len(surfaces)):
        ax, ay, az, dx, dy, dz, first, second = _hull_at(figures, n, camera.position)
        taper = first - second
        g = math.sqrt(max(dx * dx + dy * dy + dz * dz - taper * taper, 0.0))
        over = 1.0 / g if g > 0.0 else 0.0
        surface, cone, colours = surfaces[n], cones.shapes[n], figures.colours
        surface.x, surface.y, surface.z = ax, ay, az
        surface.axis_x, surface.axis_y, surface.axis_z = dx, dy, dz
        surface.pull, surface.inverse = first * taper, over * over
        surface.red = colours[n, 0] * colours[n, 0]  # a screen's values to light
        surface.green = colours[n, 1] * colours[n, 1]
        surface.blue = colours[n, 2] * colours[n, 2]
        cone.start_x, cone.axis_x = _along(axes, 0, ax, ay, az), _along(axes, 0, dx, dy, dz)
        cone.start_y, cone.axis_y = _along(axes, 1, ax, ay, az), _along(axes, 1, dx, dy, dz)
        cone.start_z, cone.axis_z = _along(axes, 2, ax, ay, az), _along(axes, 2, dx, dy, dz)
        cone.tilted_x, cone.tilted_y = cone.axis_x * over, cone.axis_y * over
        cone.tilted_z = cone.axis_z * over
        cone.first_square, cone.second_square = first * first, second * second
        cone.shift, cone.reach = first * taper * over, g
        cone.reference = cone.start_z + 0.5 * cone.axis_z
        _find_box(cone, first, second, camera, cones.boxes[n])


@kernel
def _find_box(cone, first, second, camera, box):
    """The box of pixels between the outermost rays that touch a sphere, seen from above and from the side.

    Its columns are whole lanes; a cone that is too near to the camera has none.
    """
    width, height = camera.width, camera.height
    left, bottom, right, top, near = math.inf, math.inf, -math.inf, -math.inf, math.inf
    for end in range(2):
        x, y = cone.start_x + end * cone.axis_x, cone.start_y + end * cone.axis_y
        z, r = cone.start_z + end * cone.axis_z, second if end else first
        near = min(near, z - r)
        under = max(z * z - r * r, 1e-9) * camera.pixel
        touch_x = r * math.sqrt(max(x * x + z * z - r * r, 0.0))
        touch_y = r * math.sqrt(max(y * y + z * z - r * r, 0.0))
        left, right = min(left, (x * z - touch_x) / under), max(right, (x * z + touch_x) / under)
        bottom, top = min(bottom, (y * z - touch_y) / under), max(top, (y * z + touch_y) / under)
    if near < NEAREST:
        box.top, box.bottom, box.left, box.right = 0, 0, 0, 0
        return
    box.top = int(min(max(0.5 * height - top - 1.0, 0.0), height))
    box.bottom = int(min(max(0.5 * height - bottom + 2.0, 0.0), height))
    box.left = int(min(max(0.5 * width + left - 1.0, 0.0), width)) // LANES * LANES
    box.right = -(-int(min(max(0.5 * width + right + 2.0, 0.0), width)) // LANES) * LANES


@kernel
def outline(figures, light, casters, sitters, limits):
    """Fill the outlines that the key light sees (N,) `shadows.CASTER`, and what is close to the floor.

    `limits` (2, 2, N, 2) are the lowest and the highest place on the plane that a cone's shadow, and its
    darkness on the floor, can reach. Returns how many `sitters` (N,) `shadows.SITTER` there are.
    """
    height, count = light.position[1], 0
    for n in range(len(casters)):
        ax, ay, az, dx, dy, dz, first, second = _hull_at(figures, n, light.position)
        top = max(ay + first, ay + dy + second) + height
        bottom = min(ay - first, ay + dy - second) + height
        widest = _outline_cone(figures, n, light, top, casters[n], limits[0])
        if bottom < light.close and top > 0.0:
            sitter, reach = sitters[count], 3.0 * widest + 0.1
            square = dx * dx + dy * dy + dz * dz
            sitter.x, sitter.y, sitter.z = ax, ay, az
            sitter.axis_x, sitter.axis_y, sitter.axis_z = dx, dy, dz
            sitter.over_square = 1.0 / square if square > 0.0 else 0.0
            sitter.first_radius, sitter.second_radius, sitter.reach = first, second, reach
            for k in range(2):
                start = _along(light.axes, k, ax, -height, az)
                stop = _along(light.axes, k, ax + dx, -height, az + dz)
                limits[1, 0, count, k] = min(start, stop) - reach
                limits[1, 1, count, k] = max(start, stop) + reach
            count += 1
    return count


@kernel
def _outline_cone(figures, n, light, top, caster, limits):
    """The outline of a cone: the hull of two circles, or one of them; returns the larger radius."""
    ax, ay, az, dx, dy, dz, first, second = _hull_at(figures, n, light.position)
    axes = light.axes
    u, v, w = _along(axes, 0, ax, ay, az), _along(axes, 1, ax, ay, az), _along(axes, 2, ax, ay, az)
    du, dv, dw = _along(axes, 0, dx, dy, dz), _along(axes, 1, dx, dy, dz), _along(axes, 2, dx, dy, dz)
    long = math.hypot(du, dv)
    if long <= abs(first - second) * (1.0 + 1e-6) + 1e-6:
        # seen along its axis a cone is one circle, as near as its nearer end
        if second > first:
            u, v = u + du, v + dv
        w, du, dv, dw, long = max(w, w + dw), 0.0, 0.0, 0.0, 0.0
        first = second = max(first, second)
    over = 1.0 / long if long > 0.0 else 0.0
    sine = min(max((first - second) * over, -0.999), 0.999)
    caster.u, caster.v, caster.w, caster.axis_w = u, v, w, dw
    caster.direction_u, caster.direction_v = (du * over, dv * over) if long > 0.0 else (1.0, 0.0)
    caster.length, caster.over_length = long, over
    caster.slope = sine / math.sqrt(1.0 - sine * sine)
    caster.first_radius, caster.second_radius = first, second
    edge = 0.5 * (light.finest + light.softness * max(top, 0.0) / axes[2, 1])
    limits[0, n, 0] = min(u - first, u + du - second) - edge
    limits[0, n, 1] = min(v - first, v + dv - second) - edge
    limits[1, n, 0] = max(u + first, u + du + second) + edge
    limits[1, n, 1] = max(v + first, v + dv + second) + edge
    return max(first, second)


@kernel
def find_boxes(limits, corner, texel, boxes):
    """The boxes (N,) of a map that hold the limits (2, N, 2); columns in whole lanes."""
    for n in range(len(boxes)):
        box = boxes[n]
        box.top = math.floor((limits[0, n, 1] - corner[1]) / texel)
        box.bottom = math.ceil((limits[1, n, 1] - corner[1]) / texel) + 1
        box.left = math.floor((limits[0, n, 0] - corner[0]) / texel) // LANES * LANES
        box.right = -(-(math.ceil((limits[1, n, 0] - corner[0]) / texel) + 1) // LANES) * LANES
