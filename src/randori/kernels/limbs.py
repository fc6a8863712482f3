"""Inverse kinematics of a limb of two bones: how its middle joint bends, and how it swings.

A bone is the vector (x, y, z) in metres from one joint to the next. The lower bone turns about the hinge of
the middle joint, a unit vector that need not stand square on the limb:

    upper · lower turned by an angle = along + cosine · cos(angle) + sine · sin(angle)

`motion/inverse_kinematics.py` solves the limbs of whole clips with the same formulas on arrays.
"""

import math

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.rotation import rotate
from randori.kernels.vectors import cross, dot, length_of, minus, plus, times, unit

LEG_REACH = 0.9985  # of the leg's length: a knee at 174°, as straight as people walk
SOFT_ZONE = 0.004  # of the length, before the limit: here the limb begins to lag behind its target
LEG_SURE_REACH = LEG_REACH - SOFT_ZONE  # of the leg's length: up to here a target is met exactly
TRUSTED_BEND = 0.1  # sine of the bend below which the limb's usual hinge counts more than the present one


@kernel
def _hinge_terms(upper, lower, hinge):
    """along, cosine and sine of the formula above, in square metres."""
    along = dot(upper, hinge) * dot(lower, hinge)
    return along, dot(upper, lower) - along, dot(upper, cross(hinge, lower))


@kernel
def _bend_cosine(along, flat, upper_square, lower_square, distance):
    """The cosine of the angle from the straightest limb at which its ends are at a distance (metres).

    flat is the length of (cosine, sine) above; upper_square and lower_square are of the bones' lengths.
    """
    wanted = 0.5 * (distance * distance - upper_square - lower_square) - along
    return min(max(wanted / flat, -1.0), 1.0)


@kernel
def bend_to_distance(upper, lower, hinge, distance):
    """Radians to turn the lower bone about the hinge until the limb's end is at a distance from its start."""
    first, second = length_of(upper), length_of(lower)
    along, cosine, sine = _hinge_terms(upper, lower, hinge)
    flat = max(np.hypot(cosine, sine), 1e-12)
    straightest = math.atan2(sine, cosine)
    return straightest + math.acos(_bend_cosine(along, flat, first * first, second * second, distance))


@kernel
def bend_between_distances(upper, lower, hinge, before, after):
    """Radians to turn the lower bone about the hinge when the distance of the ends changes, in metres.

    It bends the way it is bent already: the side that `before` belongs to is not asked for.
    """
    along, cosine, sine = _hinge_terms(upper, lower, hinge)
    flat = math.sqrt(cosine * cosine + sine * sine)
    if flat < 1e-9:
        return 0.0
    upper_square, lower_square = dot(upper, upper), dot(lower, lower)
    first = _bend_cosine(along, flat, upper_square, lower_square, before)
    second = _bend_cosine(along, flat, upper_square, lower_square, after)
    return math.acos(second) - math.acos(first)


@kernel
def hinge_of(upper, lower, usual):
    """The axis that a limb bends about: the normal of its plane, or the usual one if it is nearly straight.

    A limb that is overstretched counts as straight: it is to bend the usual way.
    """
    size = length_of(upper) * length_of(lower)
    x, y, z = cross(upper, lower)
    across = x / size, y / size, z / size
    backwards = min(dot(across, usual), 0.0)
    return unit(plus(minus(across, times(backwards, usual)), times(TRUSTED_BEND, usual)))


@kernel
def leg_distance(upper, lower, distance):
    """The distance from hip to ankle that a leg takes up, in metres, for one that is asked of it.

    Near its straightest it stretches less and less; a pose that is straighter stays as straight as it is.
    """
    first, second = length_of(upper), length_of(lower)
    length = first + second
    zone, start = (LEG_REACH - LEG_SURE_REACH) * length, LEG_SURE_REACH * length
    if distance > start:
        own = math.sqrt((upper[0] + lower[0]) ** 2 + (upper[1] + lower[1]) ** 2 + (upper[2] + lower[2]) ** 2)
        if own <= start or distance > own:
            distance = max(soft_limit(distance, start, zone), min(own, length))
    return max(distance, 1.001 * abs(first - second))


@kernel
def soft_limit(value, start, zone):
    """A value beyond a start, drawn in so that it never reaches start + zone."""
    return start - zone * np.expm1(-(value - start) / zone)


@kernel
def turn_between_units(a, b):
    """The smallest rotation (w, x, y, z) that turns direction a to direction b; both are made unit first."""
    a, b = unit(a), unit(b)
    w = 1.0 + dot(a, b)
    if w < 1e-9:  # opposite: a limb never turns half round within a frame
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = cross(a, b)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length


@kernel
def solve_leg(upper, lower, usual_hinge, aim):
    """Rotations (w, x, y, z) of the lower bone and of the leg that bring the ankle to aim, without a twist.

    First the knee bends until the ankle is as far from the hip as aim is, then the leg swings at the hip;
    aim is the vector in metres from the hip to where the ankle should be.
    """
    hinge = hinge_of(upper, lower, usual_hinge)
    angle = bend_to_distance(upper, lower, hinge, leg_distance(upper, lower, length_of(aim)))
    sine = math.sin(0.5 * angle)
    bend = math.cos(0.5 * angle), sine * hinge[0], sine * hinge[1], sine * hinge[2]
    bent = rotate(bend[0], bend[1], bend[2], bend[3], lower[0], lower[1], lower[2])
    return bend, turn_between_units(plus(upper, bent), aim)
