"""How somebody gets about: every step of a walk or a run is an action.

A step begins at the centre of the double support before it, where there is none when the other foot lands.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import degrees, hypot

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Blow, Event, Timing
from randori.capture.moves import Swing
from randori.capture.signals import RATE, Signals, derivative, in_frame, runs, smoothed
from randori.motion.parts import SIDES

_RESTING = 0.45  # seconds on both feet after which somebody stands rather than walks
_SHORTEST_STAND = 0.17  # seconds
_GOES = 0.5  # m/s of the pelvis: faster at its ends, a recording begins or ends in the middle of a walk
_AT_REST = 0.2  # m/s of the pelvis: the weight only goes from foot to foot
_LEG = 0.85  # metres, hip to ankle: all speeds are those of a body with legs of that length
# Seconds from when the weight shifts to when the first foot is seen to lift
_SET_OFF, _SET_OFF_RUNNING, _SET_OFF_TURNING = 0.46, 0.24, 0.38
_SETS_OFF_RUNNING = 1.3  # m/s after the first step
_RUN, _SPRINT = 2.8, 4.0  # m/s; slower is a jog
_BEND, _BEND_RUNNING = 16.0, 11.0  # degrees in one step above which it turns
_BALL_KICK = 6.0  # m/s of the foot against the pelvis: a sprinter's has 5
_FLIGHT = 0.055  # seconds with both feet off the floor; a brisk walker seems to have 0.03
_LEAP = 0.3  # seconds with both feet off the floor; runners have 0.1 to 0.22
_STOOPED, _DUCKED, _LYING = 0.905, 0.75, 0.3  # of the pelvis's usual height
_GOES_ON = 0.5  # metres that somebody who stoops to get under something gets on meanwhile
_BENT = 0.95  # of the pelvis's usual height: somebody handles something low
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
    # Hips and chest swing against each other in a walk, so their middle is what turns. Not the head: a
    # runner looks into a bend before he takes it.
    middle = 0.5 * (signals.turns["pelvis"] + signals.turns["chest"])
    yaw = smoothed(middle, 0.1)
    velocity = in_frame(smoothed(signals.velocities["pelvis"], 0.08), smoothed(middle, 0.2))
    velocity *= _LEG / signals.leg
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
            rests.append(bool(speed[max(swing.lift - round(0.3 * RATE), 0)] < _GOES))
        else:
            rests.append(resting or (bool(slow) and gap > 0.15 * RATE))
        stands.append(resting)
    steps = []
    for number, swing in enumerate(order):
        end = begins[number + 1] if number + 1 < len(order) else min(swing.land + 5, last)
        ends = speed[last] < _GOES and swing.land < last
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
                int(signals.airborne[span].sum()) > _FLIGHT * RATE,
                rests[number],
                bool(to_rest),
                stood,
            )
        )
    return steps


def _set_off(speed: float) -> float:
    """Seconds from when the weight shifts to when the first foot lifts, by the speed (m/s) as it lands."""
    if speed < _AT_REST:
        return _SET_OFF_TURNING
    return _SET_OFF_RUNNING if speed > _SETS_OFF_RUNNING else _SET_OFF


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


def walking_events(signals: Signals, swings: list[Swing], punches: Sequence[Event] = ()) -> list[Event]:
    """Every swing as a step, and what is done out of a walk with the steps that belong to it."""
    steps = steps_of(signals, swings)
    hold = np.array([_carries(signals, step) for step in steps], dtype=float)
    names = [
        _called(tags, "carry") if tags.technique in _GOING - {"start"} and _mostly(hold, number) else tags
        for number, tags in enumerate(name_steps(steps))
    ]
    events = [_step_event(step, tags) for step, tags in zip(steps, names)]
    taken = np.zeros(len(steps), dtype=bool)
    found = []
    for first, last, event in _doings(signals, steps, punches):
        if last >= first and not taken[first : last + 1].any():
            taken[first : last + 1] = True
            begin, end = steps[first].begin, steps[last].end
            settle = (end - begin) / RATE
            found.append(replace(event, seen=begin, done=begin, timing=Timing(0.0, 0.0, settle, 0.3)))
    kept = [event for event, used in zip(events, taken) if not used] + found
    handled = _handling(signals, steps, hold)
    return [event for event in kept if not any(h.seen <= event.seen < h.done for h in handled)] + handled


def _handling(signals: Signals, steps: list[Step], hold: np.ndarray) -> list[Event]:
    """Somebody who stands bends down and comes up again: something is picked up or put down."""
    place = signals.places["pelvis"]
    height = smoothed(place[:, 1] - signals.floor, 0.05) / signals.standing_height
    hands = np.maximum(signals.places["left_hand"][:, 1], signals.places["right_hand"][:, 1]) - signals.floor
    slope = derivative(height)
    found = []
    for low, high in runs(height < _BENT):
        way = np.linalg.norm(place[high - 1, [0, 2]] - place[low, [0, 2]])
        lowest = hands[low:high].min()
        swings = [s for s in steps if low <= s.swing.lift < high]
        if high - low < 0.5 * RATE or way > 0.4 or lowest > 0.75 * signals.leg or len(swings) > 1:
            continue
        begin, end = low, high - 1
        while begin > 0 and slope[begin] < -0.03:
            begin -= 1
        while end < len(slope) - 1 and slope[end] > 0.03:
            end += 1
        before = [h for s, h in zip(steps, hold) if s.swing.land <= low][-3:]
        after = [h for s, h in zip(steps, hold) if s.swing.lift >= high][:3]
        up = np.mean(after or [0.0]) > np.mean(before or [0.0])
        tags = Tags("luggage", "pick up" if up else "put down", "both")
        found.append(Event(begin, end, Timing(0.0, 0.0, (end - begin) / RATE + 0.1), tags, 0.6))
    return found


def _mostly(hold: np.ndarray, number: int) -> bool:
    """Whether most of the steps around one are made with something in the hands."""
    return bool(hold[max(number - 2, 0) : number + 3].mean() > 0.55)


def _carries(signals: Signals, step: Step) -> bool:
    """Both hands are held before the body, and do not swing."""
    span = slice(step.swing.lift, max(step.swing.land, step.swing.lift + 2))
    pelvis = signals.places["pelvis"][span]
    swing = 0.0
    for side in SIDES:
        ahead = signals.seen(signals.places[f"{side}_hand"][span] - pelvis, span)[:, 0]
        if ahead.mean() < 0.12 * signals.leg / 0.85:
            return False
        swing += float(np.abs(np.diff(ahead)).mean() * RATE)
    return swing < 0.6


def _step_event(step: Step, tags: Tags) -> Event:
    lead, settle = (step.swing.lift - step.begin) / RATE, (step.swing.land - step.swing.lift) / RATE
    timing = Timing(lead, lead, settle, _SHORTEST_STAND if step.stands else 9.0)
    return Event(step.swing.lift, step.begin, timing, tags, 0.9)


def _doings(
    signals: Signals, steps: list[Step], punches: Sequence[Event]
) -> Iterator[tuple[int, int, Event]]:
    """What is done out of a walk: the first and the last step of it, and the event (without its times)."""
    if not steps:
        return
    none = Timing(0.0, 0.0, 0.0)
    begins = [step.begin for step in steps]
    for punch in punches:
        # a long step before it, and the step that closes up
        at = bisect_right(begins, punch.seen) - 1
        if steps[at].swing.lift > punch.seen:
            at -= 1
        tags = Tags("attack", "punch", punch.tags.side, punch.tags.position, "front")
        if 0 <= at < len(steps):
            yield at, min(at + 1, len(steps) - 1), replace(punch, tags=tags)
    for number, step in enumerate(steps):
        swing = step.swing
        if swing.speed > _BALL_KICK and swing.forward > 0.8 and swing.raised > 0.25 and step.before < 2.6:
            side = SIDES[swing.side]
            tags = Tags("attack", "kick ball", side, "lower torso", "front")
            blow = Blow(f"{side}_foot", swing.peak, swing.extension)
            first = number - 1 if number and not step.from_rest else number
            last = min(number + 1, len(steps) - 1)
            yield first, last, Event(0, 0, none, tags, 0.8, blow)
    height = smoothed(signals.places["pelvis"][:, 1] - signals.floor, 0.05) / signals.standing_height
    flights = runs(signals.airborne)
    for first, last in flights:
        if last - first > _LEAP * RATE and last < len(signals):
            at = bisect_right(begins, first) - 1
            if at < 0:
                continue
            side = SIDES[steps[max(at - 2, 0)].swing.side]
            if height[(first + last) // 2] < 1.0:
                continue  # not up: down
            if at > 2 and steps[at - 3].forward > 2.3:
                tags = Tags("locomotion", "jump", side, "", "upwards")
            else:
                tags = Tags("target", "jump over", side, "lower torso", "front")
            yield max(at - 2, 0), min(at + 2, len(steps) - 1), Event(0, 0, none, tags, 0.8)
    hands = np.minimum(signals.places["left_hand"][:, 1], signals.places["right_hand"][:, 1]) - signals.floor
    for low, high in runs(height < _STOOPED):
        if not _LYING < height[low:high].min() < _DUCKED:
            continue
        way = signals.places["pelvis"][[low, high - 1]][:, [0, 2]]
        if np.linalg.norm(way[1] - way[0]) < _GOES_ON:
            continue
        crawls = hands[low:high].min() < 0.15 * signals.leg
        # somebody who crawls has stopped with a last step, and goes on with a first one
        first = bisect_right(begins, low) - 1 if crawls else bisect_left(begins, low - round(0.15 * RATE))
        last = bisect_left([step.swing.lift for step in steps], high) - (0 if crawls else 1)
        last = min(last, len(steps) - 1)
        if last > first >= 0:
            tags = Tags("target", "crawl under" if crawls else "duck under", "both", "head", "front")
            yield first, last, Event(0, 0, none, tags, 0.8)
