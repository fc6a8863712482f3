"""Round cones as the camera and as the key light see them: what rays and shadow maps need of each one.

Positions are counted from the camera, in metres. Where one sphere of a cone lies inside the other,
only the larger one is left.
"""

import math

from randori.kernels.compile import kernel

NEAREST = 0.05  # metres: what is nearer to the camera is not drawn


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


@kernel
def see(starts, stops, radii, colours, position, axes, pixel, width, height, lanes, cones, bodies):
    """Fill what tracing needs (`raycast.Cones`) and what shading needs (`bodies`, see `shading.shade`).

    `pixel` is the width of a pixel at one metre; boxes are whole lanes of columns wide.
    """
    start, axis, squared, tilted, shift, reach, reference, box = cones
    for n in range(len(starts)):
        ax, ay, az, dx, dy, dz, first, second = hull(
            starts[n, 0] - position[0], starts[n, 1] - position[1], starts[n, 2] - position[2],
            stops[n, 0] - position[0], stops[n, 1] - position[1], stops[n, 2] - position[2],
            radii[0, n], radii[1, n],
        )  # fmt: skip
        taper = first - second
        g = math.sqrt(max(dx * dx + dy * dy + dz * dz - taper * taper, 0.0))
        over = 1.0 / g if g > 0.0 else 0.0
        bodies[n, 0], bodies[n, 1], bodies[n, 2] = ax, ay, az
        bodies[n, 3], bodies[n, 4], bodies[n, 5] = dx, dy, dz
        bodies[n, 6], bodies[n, 7] = first * taper, over * over
        for k in range(3):
            bodies[n, 8 + k] = colours[n, k] * colours[n, k]  # a screen's values to light
            start[n, k] = ax * axes[k, 0] + ay * axes[k, 1] + az * axes[k, 2]
            axis[n, k] = dx * axes[k, 0] + dy * axes[k, 1] + dz * axes[k, 2]
            tilted[n, k] = axis[n, k] * over
        squared[n, 0], squared[n, 1] = first * first, second * second
        shift[n], reach[n] = first * taper * over, g
        reference[n] = start[n, 2] + 0.5 * axis[n, 2]

        # The box: between the outermost rays that touch a sphere, seen from above and from the side.
        left, bottom, right, top, near = math.inf, math.inf, -math.inf, -math.inf, math.inf
        for end in range(2):
            x, y = start[n, 0] + end * axis[n, 0], start[n, 1] + end * axis[n, 1]
            z, r = start[n, 2] + end * axis[n, 2], second if end else first
            near = min(near, z - r)
            under = max(z * z - r * r, 1e-9) * pixel
            touch_x = r * math.sqrt(max(x * x + z * z - r * r, 0.0))
            touch_y = r * math.sqrt(max(y * y + z * z - r * r, 0.0))
            left, right = min(left, (x * z - touch_x) / under), max(right, (x * z + touch_x) / under)
            bottom, top = min(bottom, (y * z - touch_y) / under), max(top, (y * z + touch_y) / under)
        if near < NEAREST:
            box[n, 0] = box[n, 1] = box[n, 2] = box[n, 3] = 0
        else:
            box[n, 0] = min(max(0.5 * height - top - 1.0, 0.0), height)
            box[n, 1] = min(max(0.5 * height - bottom + 2.0, 0.0), height)
            box[n, 2] = int(min(max(0.5 * width + left - 1.0, 0.0), width)) // lanes * lanes
            box[n, 3] = -(-int(min(max(0.5 * width + right + 2.0, 0.0), width)) // lanes) * lanes


@kernel
def outline(starts, stops, radii, position, axes, finest, softness, close, casters, sitters, limits):
    """Fill the outlines that the key light sees (`shadows.Casters`) and what is close to the floor.

    `axes` are two directions across the light and the one to it. `limits` (2, 2, N, 2) are the lowest and
    the highest place on the plane that a cone's shadow, and its darkness on the floor, can reach.
    Gives back how many `sitters` there are.
    """
    start, axis, direction, length, slope, radius, _ = casters
    s_start, s_axis, s_over, s_radius, s_reach, _ = sitters
    count = 0
    for n in range(len(starts)):
        ax, ay, az, dx, dy, dz, first, second = hull(
            starts[n, 0] - position[0], starts[n, 1] - position[1], starts[n, 2] - position[2],
            stops[n, 0] - position[0], stops[n, 1] - position[1], stops[n, 2] - position[2],
            radii[0, n], radii[1, n],
        )  # fmt: skip
        first_radius, second_radius = (
            first,
            second,
        )  # an outline can be one circle where the cone is not a sphere
        top = max(ay + first, ay + dy + second) + position[1]
        bottom = min(ay - first, ay + dy - second) + position[1]

        # Step 1. The outline: the hull of two circles, or one of them.
        u = ax * axes[0, 0] + ay * axes[0, 1] + az * axes[0, 2]
        v = ax * axes[1, 0] + ay * axes[1, 1] + az * axes[1, 2]
        w = ax * axes[2, 0] + ay * axes[2, 1] + az * axes[2, 2]
        du = dx * axes[0, 0] + dy * axes[0, 1] + dz * axes[0, 2]
        dv = dx * axes[1, 0] + dy * axes[1, 1] + dz * axes[1, 2]
        dw = dx * axes[2, 0] + dy * axes[2, 1] + dz * axes[2, 2]
        long = math.hypot(du, dv)
        if long <= abs(first - second) * (1.0 + 1e-6) + 1e-6:
            # seen along its axis a cone is one circle, as near as its nearer end
            if second > first:
                u, v = u + du, v + dv
            w, du, dv, dw, long = max(w, w + dw), 0.0, 0.0, 0.0, 0.0
            first = second = max(first, second)
        over = 1.0 / long if long > 0.0 else 0.0
        sine = min(max((first - second) * over, -0.999), 0.999)
        start[n, 0], start[n, 1], start[n, 2] = u, v, w
        axis[n, 0], axis[n, 1], axis[n, 2] = du, dv, dw
        direction[n, 0], direction[n, 1] = (du * over, dv * over) if long > 0.0 else (1.0, 0.0)
        length[n, 0], length[n, 1] = long, over
        slope[n] = sine / math.sqrt(1.0 - sine * sine)
        radius[n, 0], radius[n, 1] = first, second
        edge = 0.5 * (finest + softness * max(top, 0.0) / axes[2, 1])
        limits[0, 0, n, 0] = min(u - first, u + du - second) - edge
        limits[0, 0, n, 1] = min(v - first, v + dv - second) - edge
        limits[0, 1, n, 0] = max(u + first, u + du + second) + edge
        limits[0, 1, n, 1] = max(v + first, v + dv + second) + edge

        # Step 2. The floor around what is close to it.
        if bottom < close and top > 0.0:
            reach = 3.0 * max(first, second) + 0.1
            square = dx * dx + dy * dy + dz * dz
            s_start[count, 0], s_start[count, 1], s_start[count, 2] = ax, ay, az
            s_axis[count, 0], s_axis[count, 1], s_axis[count, 2] = dx, dy, dz
            s_over[count] = 1.0 / square if square > 0.0 else 0.0
            s_radius[count, 0], s_radius[count, 1] = first_radius, second_radius
            s_reach[count] = reach
            for k in range(2):
                one = ax * axes[k, 0] - position[1] * axes[k, 1] + az * axes[k, 2]
                other = (ax + dx) * axes[k, 0] - position[1] * axes[k, 1] + (az + dz) * axes[k, 2]
                limits[1, 0, count, k] = min(one, other) - reach
                limits[1, 1, count, k] = max(one, other) + reach
            count += 1
    return count


@kernel
def find_boxes(limits, corner, texel, lanes, box):
    """The rows and columns (N, 4) of a map that hold the limits (2, N, 2); columns in whole lanes."""
    for n in range(len(box)):
        box[n, 0] = math.floor((limits[0, n, 1] - corner[1]) / texel)
        box[n, 1] = math.ceil((limits[1, n, 1] - corner[1]) / texel) + 1
        box[n, 2] = math.floor((limits[0, n, 0] - corner[0]) / texel) // lanes * lanes
        box[n, 3] = -(-(math.ceil((limits[1, n, 0] - corner[0]) / texel) + 1) // lanes) * lanes
