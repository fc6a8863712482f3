"""How somebody gets about: every step of a walk or a run is an action, from double support to double support."""

from dataclasses import dataclass
from math import degrees, hypot

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.moves import Swing
from randori.capture.signals import RATE, Signals, in_frame, smoothed
from randori.motion.parts import SIDES

_RESTING = 0.45  # seconds on both feet after which somebody stands rather than walks
_SHORTEST_STAND = 0.17  # seconds
_AT_REST = 0.2  # m/s of the pelvis: the weight only goes from foot to foot
# Seconds from when the weight shifts to when the first foot is seen to lift
_SET_OFF, _SET_OFF_RUNNING = 0.42, 0.28
_RUN, _SPRINT = 2.8, 4.0  # m/s; slower is a jog
_BEND, _BEND_RUNNING = 20.0, 11.0  # degrees in one step above which it turns
_SLOWER = 0.8  # of its speed before: a step that brakes


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
    flight: bool  # both feet are off the floor before it lands or before it lifts
    from_rest: bool
    to_rest: bool
    stands: bool  # after it


def steps_of(signals: Signals, swings: list[Swing]) -> list[Step]:
    """The steps that swings are, with where they begin."""
    # the hips, not the head: a runner looks into a bend before he takes it
    yaw, hips = smoothed(signals.turns["pelvis"], 0.1), smoothed(signals.turns["pelvis"], 0.2)
    velocity = in_frame(smoothed(signals.velocities["pelvis"], 0.08), hips)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    last = len(signals) - 1
    order = sorted(swings, key=lambda swing: swing.land)
    begins, rests, stands = [], [], []
    for number, swing in enumerate(order):
        landed = order[number - 1].land if number else 0
        gap = swing.lift - landed
        slow = speed[max(min(landed, swing.lift), 0) : max(swing.lift, landed) + 1].min() < _AT_REST
        resting = gap > _RESTING * RATE or number == 0
        if resting:
            fast = speed[min(swing.land, last)] > 1.9
            begins.append(max(swing.lift - round((_SET_OFF_RUNNING if fast else _SET_OFF) * RATE), landed))
        elif gap > 0:
            begins.append(landed + 1 if slow and gap > 0.25 * RATE else (landed + swing.lift) // 2)
        else:
            begins.append(landed)
        begins[-1] = min(begins[-1], last)
        rests.append(resting or (bool(slow) and gap > 0.15 * RATE))
        stands.append(resting)
    steps = []
    for number, swing in enumerate(order):
        end = begins[number + 1] if number + 1 < len(order) else min(swing.land + 5, last)
        to_rest = number + 1 == len(order) or rests[number + 1]
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
                bool(np.any(~signals.contacts[span].any(axis=1))),
                rests[number],
                to_rest,
                stood,
            )
        )
    return steps


def name_steps(steps: list[Step]) -> list[Tags]:
    """What the steps of a walk are called."""
    names = [_name(step, _bend(steps, number)) for number, step in enumerate(steps)]
    for number, step in enumerate(steps):
        if step.from_rest:
            for k in range(number, min(number + 2, len(steps))):
                if names[k].technique not in _GOING or (k > number and steps[k].from_rest):
                    break
                names[k] = _called(names[k], "start")
        if step.to_rest:
            k = number
            while k >= 0 and number - k < 3 and names[k].technique in _GOING:
                if k < number and steps[k].after > _SLOWER * steps[k].before:
                    break
                names[k] = _called(names[k], "stop")
                k -= 1
    return names


_GOING = frozenset({"walk", "jog", "run", "sprint", "walk back", "run back", "start"})


def _called(tags: Tags, technique: str) -> Tags:
    return Tags(tags.kind, technique, tags.side, tags.position, tags.direction)


def _bend(steps: list[Step], number: int) -> float:
    """Degrees to the left of the bend that a step is part of: a runner brakes before and swings out after."""
    own = steps[number].turn
    if abs(own) > _BEND or not steps[number].flight:
        return own
    around = [steps[k].turn for k in (number - 1, number + 1) if 0 <= k < len(steps)]
    widest = max(around, key=abs, default=0.0)
    step = steps[number]
    drifts = abs(step.left) > 0.3 or step.after < 0.85 * step.before
    return widest if abs(widest) > _BEND and drifts else own


def _name(step: Step, bend: float) -> Tags:
    side = SIDES[step.swing.side]
    speed = hypot(step.forward, step.left)
    running = step.flight and max(speed, step.after) > 1.3
    if abs(bend) > (_BEND_RUNNING if running else _BEND):
        way = "left" if bend > 0.0 else "right"
        return Tags("locomotion", f"turn {way}", side, "", way)
    aside = abs(step.left)
    if aside > 0.45 if running else aside > max(1.2 * abs(step.forward), 0.1):
        return Tags("locomotion", "side step", side, "", "left" if step.left > 0.0 else "right")
    if step.forward < -0.15:
        return Tags("locomotion", "run back" if running and speed > 1.6 else "walk back", side, "", "back")
    technique = "walk"
    if running and max(speed, step.after) > 1.6:
        technique = "jog" if step.after < _RUN else "run" if step.after < _SPRINT else "sprint"
    return Tags("locomotion", technique, side, "", "front")


def walking_events(signals: Signals, swings: list[Swing]) -> list[Event]:
    """Every swing as a step."""
    steps = steps_of(signals, swings)
    return [
        Event(
            step.swing.lift,
            step.begin,
            Timing(
                (step.swing.lift - step.begin) / RATE,
                (step.swing.lift - step.begin) / RATE,
                max((step.swing.land - step.swing.lift) / RATE, 0.0),
                _SHORTEST_STAND if step.stands else 9.0,
            ),
            tags,
            0.9,
        )
        for step, tags in zip(steps, name_steps(steps))
    ]
