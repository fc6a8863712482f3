"""Angles in radians on scalars, for use inside other kernels.

Two formulas wrap an angle. They agree to within rounding but not to the last bit, and what was recorded
or decided with one of them has to stay what it is. New code takes `wrap_angle`.
"""

import math

from randori.kernels.compile import kernel

FULL_TURN = 2.0 * math.pi  # radians


@kernel
def wrap_angle(angle):
    """The same angle, -π ≤ angle < π; as motion/rotations.py does it for arrays."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def without_full_turns(angle):
    """The same angle, -π ≤ angle < π: exactly what it was where no full turn has to be taken off."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel
def sector_of(angle, count):
    """The number of the equal sector that an angle lies in; the middle of sector 0 is straight ahead."""
    width = 2.0 * math.pi / count
    return math.floor((angle + 0.5 * width) / width) % count
