"""The steps of a person who goes somewhere.

A step begins at the centre of the double support before it; without one, when the other foot lands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import degrees

import numpy as np

from randori.capture.moves import Swing
from randori.capture.signals import RATE, Signals, in_frame, smoothed

_RESTING_SECONDS = 0.45  # seconds on both feet after which a person stands rather than walks
_GOING_SPEED = (
    0.5  # m/s of the pelvis: faster at its ends, a recording begins or ends in the middle of a walk
)
_AT_REST = 0.2  # m/s of the pelvis: the weight only goes from foot to foot
# Seconds from when the weight shifts to when the first foot is seen to lift
_SET_OFF, _SET_OFF_RUNNING, _SET_OFF_TURNING = 0.46, 0.24, 0.38
_SETS_OFF_RUNNING = 1.3  # m/s after the first step
_FLIGHT = 0.055  # seconds with both feet off the floor; a brisk walker seems to have 0.03


@dataclass(frozen=True)
class Step:
    """A swing and the support on both sides of it, in samples."""

    swing: Swing
    begin: int
    end: int
    forward: float  # m/s, on average
    left: float
    before: float  # m/s of the pelvis as the foot lifts
    after: float  # m/s as it lands
    turn: float  # degrees to the left
    course: (
        float  # degrees to the left by which the way over the floor bends, from the step before to the next
    )
    flight: bool  # both feet are off the floor before it lands or before it lifts
    from_rest: bool
    to_rest: bool
    stands: bool  # after it


def steps_of(signals: Signals, swings: list[Swing]) -> list[Step]:
    """The steps that swings are, with where they begin."""
    # Hips and chest swing against each other in a walk, so their middle is what turns. Not the head: a
    # runner looks into a bend before he takes it.
    middle = 0.5 * (signals.turns["pelvis"] + signals.turns["chest"])
    yaw = smoothed(middle, 0.1)
    velocity = in_frame(smoothed(signals.velocities["pelvis"], 0.08), smoothed(middle, 0.2))
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    last = len(signals) - 1
    order = sorted(swings, key=lambda swing: swing.land)
    begins, rests, stands = [], [], []
    for number, swing in enumerate(order):
        landed = order[number - 1].land if number else 0
        gap = swing.lift - landed
        slow = speed[max(min(landed, swing.lift), 0) : max(swing.lift, landed) + 1].min() < _AT_REST
        resting = gap > _RESTING_SECONDS * RATE or number == 0
        if resting:
            begins.append(
                max(swing.lift - round(_set_off(float(speed[min(swing.land, last)])) * RATE), landed)
            )
        elif gap > 0:
            begins.append(landed + 1 if slow and gap > 0.25 * RATE else (landed + swing.lift) // 2)
        else:
            begins.append(landed)
        begins[-1] = min(begins[-1], last)
        if number == 0:
            # a recording can begin in the middle of a run
            rests.append(bool(speed[max(swing.lift - round(0.3 * RATE), 0)] < _GOING_SPEED))
        else:
            rests.append(resting or (bool(slow) and gap > 0.15 * RATE))
        stands.append(resting)
    courses = _courses(signals, order)
    steps = []
    for number, swing in enumerate(order):
        end = begins[number + 1] if number + 1 < len(order) else min(swing.land + 5, last)
        ends = speed[last] < _GOING_SPEED and swing.land < last
        to_rest = ends if number + 1 == len(order) else rests[number + 1]
        stood = number + 1 == len(order) or stands[number + 1]
        if stood:
            end = min(swing.land, last)
        span = slice(swing.lift, max(swing.land, swing.lift + 1))
        forward, left, _ = velocity[span].mean(axis=0)
        steps.append(
            Step(
                swing,
                begins[number],
                end,
                float(forward),
                float(left),
                float(speed[max(swing.lift - 3, 0)]),
                float(speed[min(swing.land, last)]),
                degrees(float(yaw[min(end, last)] - yaw[max(begins[number], 0)])),
                courses[number],
                int(signals.airborne[span].sum()) > _FLIGHT * RATE,
                rests[number],
                bool(to_rest),
                stood,
            )
        )
    return steps


def _courses(signals: Signals, order: list[Swing]) -> list[float]:
    """Degrees to the left between the ways of the pelvis in the step before each one and in the next."""
    place, last = signals.places["pelvis"], len(signals) - 1
    ways = np.array([place[min(swing.land, last)] - place[swing.lift] for swing in order]).reshape(-1, 3)
    courses = np.arctan2(ways[:, 0], ways[:, 2])
    number = np.arange(len(order))
    bent = courses[np.minimum(number + 1, len(order) - 1)] - courses[np.maximum(number - 1, 0)]
    return [degrees(float(angle)) for angle in (bent + np.pi) % (2.0 * np.pi) - np.pi]


def _set_off(speed: float) -> float:
    """Seconds from when the weight shifts to when the first foot lifts, by the speed (m/s) as it lands."""
    if speed < _AT_REST:
        return _SET_OFF_TURNING
    return _SET_OFF_RUNNING if speed > _SETS_OFF_RUNNING else _SET_OFF


def outings(steps: list[Step]) -> Iterator[slice]:
    """Steps that follow on each other, from standing to standing."""
    first = 0
    for number, step in enumerate(steps):
        if step.stands or number + 1 == len(steps):
            yield slice(first, number + 1)
            first = number + 1
