"""A body that falls: rigid bones held together at the joints, muscles that pull towards a pose, a floor.

Position-based dynamics of rigid bodies in small steps (Müller et al. 2020). A bone's inertia is the
same about all its axes: right across a limb, too much along it, which only makes it spin less.
"""

import math

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.rotation import multiply, rotate

# What kind of hinge a joint is: none, an elbow of the left or the right arm, a knee.
FREE, LEFT_ELBOW, RIGHT_ELBOW, KNEE = 0, 1, 2, 3

_GRAVITY = 9.81  # m/s²
_HINGE_LEAST, _HINGE_MOST = 0.06, 2.55  # radians that an elbow or a knee is folded
_HINGE_GRIP = 0.5  # of a fault in a hinge that one step takes away
_LIMIT_GRIP = 0.15  # of a joint turned too far that one step takes back
_BODY_GRIP = 0.4  # of an overlap with the own body that one step takes away
_BOUNCE_SPEED = 0.6  # m/s: what lands slower does not rebound


@kernel
def _turn(turned, body, x, y, z):
    """Turn a body by a small rotation vector in the world."""
    w, a, b, c = multiply(
        0.0, 0.5 * x, 0.5 * y, 0.5 * z, turned[body, 0], turned[body, 1], turned[body, 2], turned[body, 3]
    )
    w, a, b, c = turned[body, 0] + w, turned[body, 1] + a, turned[body, 2] + b, turned[body, 3] + c
    length = math.sqrt(w * w + a * a + b * b + c * c)
    turned[body, 0], turned[body, 1], turned[body, 2], turned[body, 3] = (
        w / length,
        a / length,
        b / length,
        c / length,
    )


@kernel
def _push(place, turned, masses, inertias, body, rx, ry, rz, px, py, pz):
    """Move a body by an impulse-like push (kg·m) at an arm r from its centre of mass."""
    place[body, 0] += px / masses[body]
    place[body, 1] += py / masses[body]
    place[body, 2] += pz / masses[body]
    i = inertias[body]
    _turn(turned, body, (ry * pz - rz * py) / i, (rz * px - rx * pz) / i, (rx * py - ry * px) / i)


@kernel
def _give(masses, inertias, body, rx, ry, rz, nx, ny, nz):
    """How easily a point at an arm r of a body moves along a direction n, per kg."""
    x, y, z = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    return 1.0 / masses[body] + (x * x + y * y + z * z) / inertias[body]


@kernel
def _arm(turned, body, points, row):
    """The vector of a row of points (in the body's frame) in the world."""
    return rotate(
        turned[body, 0],
        turned[body, 1],
        turned[body, 2],
        turned[body, 3],
        points[row, 0],
        points[row, 1],
        points[row, 2],
    )


@kernel
def _relative(turned, parent, body):
    """The rotation of a body in its parent's frame."""
    return multiply(
        turned[parent, 0],
        -turned[parent, 1],
        -turned[parent, 2],
        -turned[parent, 3],
        turned[body, 0],
        turned[body, 1],
        turned[body, 2],
        turned[body, 3],
    )


@kernel
def _error(w, x, y, z, tw, tx, ty, tz):
    """The rotation vector that turns the rotation (w, x, y, z) to the rotation t, the shorter way."""
    ew, ex, ey, ez = multiply(tw, tx, ty, tz, w, -x, -y, -z)
    if ew < 0.0:
        ew, ex, ey, ez = -ew, -ex, -ey, -ez
    sine = math.sqrt(ex * ex + ey * ey + ez * ez)
    if sine < 1e-9:
        return 0.0, 0.0, 0.0, 0.0
    angle = 2.0 * math.atan2(sine, ew)
    return ex / sine * angle, ey / sine * angle, ez / sine * angle, angle


@kernel
def _twist_pair(turned, inertias, parent, body, x, y, z, share):
    """Turn a body against its parent by a share of a rotation vector in the parent's frame."""
    x, y, z = rotate(turned[parent, 0], turned[parent, 1], turned[parent, 2], turned[parent, 3], x, y, z)
    own, other = 1.0 / inertias[body], 1.0 / inertias[parent]
    a, b = share * own / (own + other), share * other / (own + other)
    _turn(turned, body, a * x, a * y, a * z)
    _turn(turned, parent, -b * x, -b * y, -b * z)


@kernel
def _hold_hinge(turned, inertias, parent, body, hinge):
    """Keep an elbow or a knee in its plane and between straight and folded."""
    w, x, y, z = _relative(turned, parent, body)
    if hinge == KNEE:
        dx, dy, dz = rotate(w, x, y, z, 0.0, -1.0, 0.0)
        fold = math.atan2(-dz, -dy)
    else:
        side = 1.0 if hinge == LEFT_ELBOW else -1.0
        dx, dy, dz = rotate(w, x, y, z, side, 0.0, 0.0)
        fold = math.atan2(dz, side * dx)
    if fold < -0.5 * math.pi:
        fold = _HINGE_MOST  # folded so far that it looks like the other way round
    fold = min(max(fold, _HINGE_LEAST), _HINGE_MOST)
    if hinge == KNEE:
        tx, ty, tz = 0.0, -math.cos(fold), -math.sin(fold)
    else:
        tx, ty, tz = side * math.cos(fold), 0.0, math.sin(fold)
    cx, cy, cz = dy * tz - dz * ty, dz * tx - dx * tz, dx * ty - dy * tx
    _twist_pair(turned, inertias, parent, body, cx, cy, cz, _HINGE_GRIP)


@array_kernel
def simulate(
    place,  # (B, 3) metres, centres of mass; the four of the state are changed in place
    turned,  # (B, 4)
    velocity,  # (B, 3) m/s
    spin,  # (B, 3) rad/s
    parents,  # (B,) int64, -1 for the root
    anchors,  # (B, 3) metres, the joint from the parent's centre of mass, in the parent's frame
    centres,  # (B, 3) metres, the joint from the own centre of mass, in the own frame
    masses,  # (B,) kg
    inertias,  # (B,) kg m²
    hinges,  # (B,) int64
    middles,  # (B, 4) the middle of what a joint can do, and
    limits,  # (B,) radians that it can be turned away from there
    targets,  # (F, B, 4) what the muscles want of each joint, in its parent's frame
    strengths,  # (F, B) N m/rad
    dampings,  # (B,) N m s/rad
    contact_bodies,  # (N,) int64
    contact_points,  # (N, 3) metres from the centre of mass, in the body's frame
    contact_radii,  # (N,) metres of flesh around the point
    pairs,  # (P, 2) int64, contacts that must not overlap each other
    frictions,  # (F,) on the floor
    rebound,  # share of the landing speed
    step,  # seconds between the frames of the result
    substeps,
    places,  # (F, B, 3) out: metres, of the joints
    rotations,  # (F, B, 4) out: in the world
):
    """Let the body move; frame 0 of the result is the state as it is given."""
    bodies, frames = masses.shape[0], targets.shape[0]
    contacts = contact_bodies.shape[0]
    old_place, old_turned = place.copy(), turned.copy()
    pressed = contact_radii.copy()
    landing = contact_radii.copy()
    h = step / substeps
    for f in range(frames):
        for b in range(bodies):
            cx, cy, cz = _arm(turned, b, centres, b)
            places[f, b, 0] = place[b, 0] + cx
            places[f, b, 1] = place[b, 1] + cy
            places[f, b, 2] = place[b, 2] + cz
            for k in range(4):
                rotations[f, b, k] = turned[b, k]
        for _ in range(substeps):
            # Step 1. Everything flies on
            for b in range(bodies):
                velocity[b, 1] -= _GRAVITY * h
                for k in range(3):
                    old_place[b, k] = place[b, k]
                    place[b, k] += h * velocity[b, k]
                for k in range(4):
                    old_turned[b, k] = turned[b, k]
                _turn(turned, b, h * spin[b, 0], h * spin[b, 1], h * spin[b, 2])

            # Step 2. Muscles pull, joints hold
            for b in range(bodies):
                p = parents[b]
                if p < 0:
                    continue
                w, x, y, z = _relative(turned, p, b)
                ex, ey, ez, angle = _error(
                    w, x, y, z, targets[f, b, 0], targets[f, b, 1], targets[f, b, 2], targets[f, b, 3]
                )
                ease = 1.0 / inertias[b] + 1.0 / inertias[p]
                pull = ease / (ease + 1.0 / (max(strengths[f, b], 1e-6) * h * h))
                _twist_pair(turned, inertias, p, b, ex, ey, ez, pull)
                if hinges[b] != FREE:
                    _hold_hinge(turned, inertias, p, b, hinges[b])
                else:
                    w, x, y, z = _relative(turned, p, b)
                    ex, ey, ez, angle = _error(
                        w, x, y, z, middles[b, 0], middles[b, 1], middles[b, 2], middles[b, 3]
                    )
                    if angle > limits[b]:
                        _twist_pair(
                            turned, inertias, p, b, ex, ey, ez, _LIMIT_GRIP * (angle - limits[b]) / angle
                        )
            for b in range(bodies):
                p = parents[b]
                if p < 0:
                    continue
                ax, ay, az = _arm(turned, p, anchors, b)
                cx, cy, cz = _arm(turned, b, centres, b)
                dx = place[p, 0] + ax - place[b, 0] - cx
                dy = place[p, 1] + ay - place[b, 1] - cy
                dz = place[p, 2] + az - place[b, 2] - cz
                gap = math.sqrt(dx * dx + dy * dy + dz * dz)
                if gap > 1e-9:
                    nx, ny, nz = dx / gap, dy / gap, dz / gap
                    push = gap / (
                        _give(masses, inertias, p, ax, ay, az, nx, ny, nz)
                        + _give(masses, inertias, b, cx, cy, cz, nx, ny, nz)
                    )
                    px, py, pz = push * nx, push * ny, push * nz
                    _push(place, turned, masses, inertias, b, cx, cy, cz, px, py, pz)
                    _push(place, turned, masses, inertias, p, ax, ay, az, -px, -py, -pz)

            # Step 3. The own body is in the way
            for n in range(pairs.shape[0]):
                i, j = pairs[n, 0], pairs[n, 1]
                a, b = contact_bodies[i], contact_bodies[j]
                ax, ay, az = _arm(turned, a, contact_points, i)
                cx, cy, cz = _arm(turned, b, contact_points, j)
                dx = place[a, 0] + ax - place[b, 0] - cx
                dy = place[a, 1] + ay - place[b, 1] - cy
                dz = place[a, 2] + az - place[b, 2] - cz
                apart = math.sqrt(dx * dx + dy * dy + dz * dz)
                deep = contact_radii[i] + contact_radii[j] - apart
                if deep > 0.0 and apart > 1e-6:
                    nx, ny, nz = dx / apart, dy / apart, dz / apart
                    push = (
                        _BODY_GRIP
                        * deep
                        / (
                            _give(masses, inertias, a, ax, ay, az, nx, ny, nz)
                            + _give(masses, inertias, b, cx, cy, cz, nx, ny, nz)
                        )
                    )
                    px, py, pz = push * nx, push * ny, push * nz
                    _push(place, turned, masses, inertias, a, ax, ay, az, px, py, pz)
                    _push(place, turned, masses, inertias, b, cx, cy, cz, -px, -py, -pz)

            # Step 4. The floor holds, and rubs
            for n in range(contacts):
                b = contact_bodies[n]
                rx, ry, rz = _arm(turned, b, contact_points, n)
                deep = contact_radii[n] - place[b, 1] - ry
                pressed[n] = 0.0
                if deep <= 0.0:
                    continue
                landing[n] = velocity[b, 1] + spin[b, 2] * rx - spin[b, 0] * rz
                push = deep / _give(masses, inertias, b, rx, ry, rz, 0.0, 1.0, 0.0)
                pressed[n] = push
                _push(place, turned, masses, inertias, b, rx, ry, rz, 0.0, push, 0.0)
                ox, _, oz = _arm(old_turned, b, contact_points, n)
                rx, ry, rz = _arm(turned, b, contact_points, n)
                dx = place[b, 0] + rx - old_place[b, 0] - ox
                dz = place[b, 2] + rz - old_place[b, 2] - oz
                slid = math.sqrt(dx * dx + dz * dz)
                if slid > 1e-9:
                    nx, nz = dx / slid, dz / slid
                    rub = slid / _give(masses, inertias, b, rx, ry, rz, nx, 0.0, nz)
                    rub = min(rub, frictions[f] * push)
                    _push(place, turned, masses, inertias, b, rx, ry, rz, -rub * nx, 0.0, -rub * nz)

            # Step 5. Speeds are what has become of the places; muscles and flesh take some of them
            for b in range(bodies):
                for k in range(3):
                    velocity[b, k] = (place[b, k] - old_place[b, k]) / h
                w, x, y, z = multiply(
                    turned[b, 0],
                    turned[b, 1],
                    turned[b, 2],
                    turned[b, 3],
                    old_turned[b, 0],
                    -old_turned[b, 1],
                    -old_turned[b, 2],
                    -old_turned[b, 3],
                )
                sign = 2.0 / h if w > 0.0 else -2.0 / h
                spin[b, 0], spin[b, 1], spin[b, 2] = sign * x, sign * y, sign * z
            for b in range(bodies):
                p = parents[b]
                if p < 0:
                    continue
                ease = 1.0 / inertias[b] + 1.0 / inertias[p]
                share = min(dampings[b] * h * ease, 0.5) / ease
                for k in range(3):
                    change = share * (spin[p, k] - spin[b, k])
                    spin[b, k] += change / inertias[b]
                    spin[p, k] -= change / inertias[p]
            for n in range(contacts):
                if pressed[n] == 0.0:
                    continue
                b = contact_bodies[n]
                rx, ry, rz = _arm(turned, b, contact_points, n)
                rising = velocity[b, 1] + spin[b, 2] * rx - spin[b, 0] * rz
                wanted = -rebound * landing[n] if landing[n] < -_BOUNCE_SPEED else 0.0
                change = (wanted - rising) / _give(masses, inertias, b, rx, ry, rz, 0.0, 1.0, 0.0)
                velocity[b, 1] += change / masses[b]
                spin[b, 0] -= rz * change / inertias[b]
                spin[b, 2] += rx * change / inertias[b]
