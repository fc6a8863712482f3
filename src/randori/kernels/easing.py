"""Smooth steps, offsets that die away and springs, on scalars, for use inside other kernels."""

import math

from randori.kernels.compile import kernel


@kernel
def smooth_step(x):
    """0 up to x = 0, 1 from x = 1 on, at rest at both ends: a cubic."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel
def smoother_step(x):
    """0 up to x = 0, 1 from x = 1 on, at rest and without acceleration at both ends: a minimum-jerk step."""
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


@kernel
def decay_factors(time, duration, carried):
    """The remainder of an offset (a share) and of its velocity (seconds) some time after a join.

    All times are in seconds. The velocity dies away within the time that it is carried on. As
    motion/transition.py does it for arrays; `decay_offset` differs from it in the order of products.
    """
    s, v = min(time / duration, 1.0), min(time / max(carried, 1e-12), 1.0)
    return (
        (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s),
        carried * (1.0 - v) ** 3 * v * (1.0 + 3.0 * v),
    )


@kernel
def decay_offset(offset, velocity, carried, time, duration):
    """The remainder of an offset and of its velocity (per second) some seconds after a join."""
    s = min(max(time / duration, 0.0), 1.0)
    v = min(max(time / max(carried, 1e-12), 0.0), 1.0)
    return offset * (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s) + velocity * carried * (
        1.0 - v
    ) ** 3 * v * (1.0 + 3.0 * v)


@kernel
def fade_offset(offset, velocity, share, duration):
    """The remainder of an offset after a share of the seconds in which it and its velocity die away."""
    left = 1.0 - share
    still = offset * (1.0 + 3.0 * share + 6.0 * share * share)
    moving = velocity * duration * share * (1.0 + 3.0 * share)
    return left * left * left * (still + moving)


@kernel
def spring_towards(value, speed, goal, stiffness, step):
    """Value and speed of a critically damped spring after a step of time.

    The stiffness is per second: about so many times per second the distance to the goal shrinks to 1/e.
    """
    away = value - goal
    temporary = (speed + stiffness * away) * step
    decay = math.exp(-stiffness * step)
    return goal + (away + temporary) * decay, (speed - stiffness * temporary) * decay
