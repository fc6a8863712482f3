"""Locomotion of a person: every step of a walk or a run is an action."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import hypot

import numpy as np

from randori.capture.actions import Tags
from randori.capture.carrying import handling, held
from randori.capture.events import Blow, Event, Timing
from randori.capture.football import BROUGHT_UP, RUNNING, evasions, tackles, trunk_bend, way_bends, with_ball
from randori.capture.moves import Swing
from randori.capture.signals import RATE, Signals, runs, smoothed
from randori.capture.steps import Step, steps_of
from randori.motion.parts import SIDES

_SHORTEST_STAND = 0.17  # seconds
_RUN, _SPRINT = 2.8, 4.0  # m/s; slower is a jog
_BEND, _BEND_RUNNING = 16.0, 11.0  # degrees in one step above which it turns
_BALL_KICK = 6.0  # m/s of the foot against the pelvis: a sprinter's has 5
# m/s forward, and of the pace: balls are kicked with 6 to 10 and 3.5 to 8, sprinters have 8 and 1.7 to 2.9
_SWUNG_KICK, _SWUNG_RATIO = 5.3, 3.1
_DRAWN_BACK, _FAR_FRONT = 0.3, 0.6  # share of the leg, behind and before the pelvis
_TAKES_OFF = 0.6  # m/s upwards of the pelvis; 0.3 s in the air take 1.5
_LEAP = 0.3  # seconds with both feet off the floor; runners have 0.1 to 0.22
_STOOPED, _DUCKED, _LYING = 0.905, 0.75, 0.3  # share of the pelvis's usual height
_STOOPING_DEGREES = 30.0  # degrees of the trunk
_GOES_ON = 0.5  # metres that a person who stoops to get under something advances meanwhile
_LEAPS_ASIDE, _HARDLY_FORWARD = 1.2, 0.3  # m/s to the side, and of that forward
_HEAD_STOOPED, _HEAD_DUCKED = 0.88, 0.78  # share of the head's usual height
_GETS_ON = 0.35  # m/s forward: not on the spot
# share of a step's turn: the step beside it undoes it; the way bends with it, or hardly
_SWINGS_BACK, _BENDS_ALONG, _BENDS_LEAST = 0.45, 0.5, 0.15
_ON_THE_WAY, _FAST = 0.4, 2.0  # m/s forward: the way over the floor tells something, tells it alone
_SLANT_SHARE = 0.16  # share of the speed forward: a person who runs as little aside runs straight on
# share of the speed forward: a person who carries something and goes as little aside goes forward
_FORWARD_SHARE = 0.5
_PLANTS = 0.85  # share of its speed before: a foot that is planted to get aside
_BRAKES = (
    1.5  # of the speed forward: a runner who brakes may twist by so much, a side step goes farther aside
)
_BRAKING_SHARE = 0.8  # share of its speed before: a step that brakes


def name_steps(steps: list[Step], hands: Sequence[str] = ()) -> list[Tags]:
    """The names of a walk's steps; `hands` are those that carry a load."""
    names = []
    for number, step in enumerate(steps):
        running = step.before > RUNNING and abs(step.left) < _BRAKES * step.forward
        brakes = running and not way_bends(steps, number)
        names.append(_name(replace(step, left=0.0) if brakes else step, _bend(steps, number)))
    for number, hand in enumerate(hands):
        if hand and steps[number].forward > _GETS_ON:
            # along a bend, with something in the hands: it is carried
            straight = abs(steps[number].left) < _FORWARD_SHARE * steps[number].forward
            names[number] = _name(replace(steps[number], left=0.0) if straight else steps[number], 0.0)
    for number, step in enumerate(steps[:-1]):
        # a runner who gets past a person plants a foot for it
        aside = names[number + 1].technique == "side step" and steps[number + 1].flight
        if aside and names[number].technique in _RUNNING_GAITS and step.after < _PLANTS * step.before:
            names[number] = replace(names[number + 1], side=names[number].side)
    for number, step in enumerate(steps):
        if step.from_rest:
            for k in range(number, min(number + 2, len(steps))):
                if names[k].technique not in _GOING_GAITS or (k > number and steps[k].from_rest):
                    break
                names[k] = replace(names[k], technique="start")
        if step.to_rest:
            k = number
            while k >= 0 and number - k < 3 and names[k].technique in _GOING_GAITS:
                if k < number and steps[k].after > _BRAKING_SHARE * steps[k].before:
                    break
                names[k] = replace(names[k], technique="stop")
                k -= 1
    return names


_CARRYING_GAITS = frozenset({"walk", "jog", "run", "sprint", "walk back"})
_RUNNING_GAITS = frozenset({"jog", "run", "sprint", "side step"})
_GOING_GAITS = frozenset({"walk", "jog", "run", "sprint", "walk back", "run back", "start"})


def _bend(steps: list[Step], number: int) -> float:
    """Degrees to the left of the bend that a step is part of: a runner brakes before and swings out after."""
    own = 0.0 if _swings(steps, number) else steps[number].turn
    if abs(own) > _BEND or not steps[number].flight:
        return own
    around = [
        steps[k].turn for k in (number - 1, number + 1) if 0 <= k < len(steps) and not _swings(steps, k)
    ]
    widest = max(around, key=abs, default=0.0)
    step = steps[number]
    drifts = abs(step.left) > 0.3 or step.after < 0.85 * step.before
    return widest if abs(widest) > _BEND and drifts else own


def _swings(steps: list[Step], number: int) -> bool:
    """Whether a trunk only swings with the legs: the next step undoes its turn, and the way is straight."""
    step = steps[number]
    if step.forward < _ON_THE_WAY:
        return False
    way = np.sign(step.turn)
    if (
        step.forward > _FAST
        and 0 < number < len(steps) - 1
        and way * step.course < _BENDS_LEAST * abs(step.turn)
    ):
        return True
    undone = max((-way * steps[k].turn for k in (number - 1, number + 1) if 0 <= k < len(steps)), default=0.0)
    return bool(undone > _SWINGS_BACK * abs(step.turn) and way * step.course < _BENDS_ALONG * abs(step.turn))


def _name(step: Step, bend: float) -> Tags:
    side = SIDES[step.swing.side]
    speed = hypot(step.forward, step.left)
    running = step.flight and max(speed, step.after) > 1.3
    if abs(bend) > (_BEND_RUNNING if running else _BEND):
        way = "left" if bend > 0.0 else "right"
        return Tags("locomotion", f"turn {way}", side, "", way)
    aside = abs(step.left)
    if (
        aside > max(0.45, _SLANT_SHARE * step.forward)
        if running
        else aside > max(1.2 * abs(step.forward), 0.1)
    ):
        return Tags("locomotion", "side step", side, "", "left" if step.left > 0.0 else "right")
    if step.forward < -0.15:
        return Tags("locomotion", "run back" if running and speed > 1.6 else "walk back", side, "", "back")
    technique = "walk"
    if running and max(speed, step.after) > 1.6:
        technique = "jog" if step.after < _RUN else "run" if step.after < _SPRINT else "sprint"
    return Tags("locomotion", technique, side, "", "front")


def walking_events(signals: Signals, swings: list[Swing], punches: Sequence[Event] = ()) -> list[Event]:
    """Every swing as a step, and actions out of a walk together with their steps."""
    steps = steps_of(signals, swings)
    hands, ball = held(signals, steps), with_ball(signals, steps)
    handled = handling(signals, steps, hands)
    names = name_steps(steps, hands)
    for number, tags in enumerate(names):
        if hands[number] and tags.technique in _CARRYING_GAITS:
            names[number] = replace(tags, technique="carry")
        elif ball[number] and tags.technique in _RUNNING_GAITS:
            names[number] = replace(tags, technique="run with the ball")
    events = [_step_event(step, tags) for step, tags in zip(steps, names)]
    taken = np.zeros(len(steps), dtype=bool)
    found = []
    for first, last, event in _doings(signals, steps, punches, ball):
        if last >= first and not taken[first : last + 1].any():
            taken[first : last + 1] = True
            begin, end = steps[first].begin, steps[last].end
            settle = (end - begin) / RATE
            found.append(replace(event, seen=begin, done=begin, timing=Timing(0.0, 0.0, settle, 0.3)))
    kept = [event for event, used in zip(events, taken) if not used] + found
    return [event for event in kept if not any(h.seen <= event.seen < h.done for h in handled)] + handled


def _step_event(step: Step, tags: Tags) -> Event:
    lead, settle = (step.swing.lift - step.begin) / RATE, (step.swing.land - step.swing.lift) / RATE
    timing = Timing(lead, lead, settle, _SHORTEST_STAND if step.stands else 9.0)
    return Event(step.swing.lift, step.begin, timing, tags, 0.9)


def _doings(
    signals: Signals, steps: list[Step], punches: Sequence[Event], ball: np.ndarray
) -> Iterator[tuple[int, int, Event]]:
    """Actions out of a walk: the first and the last step, and the event (without its times)."""
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
        kicks = swing.speed > _BALL_KICK and swing.forward > 0.8 and swing.raised > 0.25
        through = not kicks and _swings_through(swing, hypot(step.forward, step.left))
        if (kicks or through) and step.before < 2.8 and not ball[number]:
            side = SIDES[swing.side]
            tags = Tags("attack", "kick ball", side, "lower torso", "front")
            peak, extension = (swing.peak, swing.extension) if kicks else (swing.through, swing.through)
            blow = Blow(f"{side}_foot", peak, extension)
            first = number - 1 if number and not step.from_rest else number
            first = max(min(first, bisect_right(begins, peak) - 1), 0)  # a long swing may begin before
            last = min(number + 1, len(steps) - 1)
            yield first, last, Event(0, 0, none, tags, 0.8, blow)
    height = smoothed(signals.places["pelvis"][:, 1] - signals.floor, 0.05) / signals.standing_height
    flights = runs(signals.airborne)
    for first, last in flights:
        if last - first > _LEAP * RATE and last < len(signals):
            at = bisect_right(begins, first) - 1
            if at < 0:
                continue
            rises = signals.velocities["pelvis"][max(first - 6, 0) : first + 7, 1].max()
            if height[(first + last) // 2] < 1.0 or rises < _TAKES_OFF:
                continue  # not up: down, or feet that only seem to be off
            runs_up = bool(ball[at]) or (at > 2 and steps[at - 3].forward > 2.3)
            begin = max(at - (1 if runs_up else 2), 0)
            side = SIDES[steps[begin].swing.side]
            if runs_up:
                tags = Tags("locomotion", "jump", side, "", "upwards")
            else:
                tags = Tags("target", "jump over", side, "lower torso", "front")
            yield begin, min(at + 2, len(steps) - 1), Event(0, 0, none, tags, 0.8)
    hands = np.minimum(signals.places["left_hand"][:, 1], signals.places["right_hand"][:, 1]) - signals.floor
    bend = trunk_bend(signals)
    head = smoothed(signals.places["head"][:, 1] - signals.floor, 0.05)
    head = head / float(np.median(head))
    stoops = [
        (low, high) for low, high in runs(height < _STOOPED) if _LYING < height[low:high].min() < _DUCKED
    ]
    # a runner may keep the hips up and take the head down
    speed = np.linalg.norm(signals.velocities["pelvis"][:, [0, 2]], axis=-1)
    for low, high in runs(head < _HEAD_STOOPED):
        fast = speed[low:high].min() > RUNNING and head[low:high].min() < _HEAD_DUCKED
        if fast and not any(low < b and a < high for a, b in stoops):
            stoops.append((low, high))
    for low, high in stoops:
        way = signals.places["pelvis"][[low, high - 1]][:, [0, 2]]
        if np.linalg.norm(way[1] - way[0]) < _GOES_ON:
            continue
        crawls = hands[low:high].min() < 0.15 * signals.leg and np.median(speed[low:high]) < RUNNING
        # a person who crawls has stopped with a last step, and goes on with a first one
        first = bisect_right(begins, low) - 1 if crawls else bisect_left(begins, low - round(0.15 * RATE))
        first = 0 if low == 0 else first
        last = bisect_left([step.swing.lift for step in steps], high) - (0 if crawls else 1)
        last = min(last, len(steps) - 1)
        if last > first >= 0 and _gets_under(steps[first : last + 1], float(bend[low:high].max())):
            tags = Tags("target", "crawl under" if crawls else "duck under", "both", "head", "front")
            yield first, last, Event(0, 0, none, tags, 0.8)
    yield from evasions(steps, ball)
    yield from tackles(signals, steps, ball)


def _swings_through(swing: Swing, pace: float) -> bool:
    """Whether a leg swings from behind far to the front, much faster than at this pace (m/s) in a run."""
    fast = swing.forward_speed > max(_SWUNG_KICK, _SWUNG_RATIO * pace)
    return fast and swing.back > _DRAWN_BACK and swing.front > _FAR_FRONT


def _gets_under(steps: list[Step], bend: float) -> bool:
    """Whether a person who goes low advances: a runner bends (degrees) for it, and keeps the speed."""
    forward, left = (
        float(np.mean([abs(getattr(step, way)) for step in steps])) for way in ("forward", "left")
    )
    if left > _LEAPS_ASIDE and forward < _HARDLY_FORWARD * left:
        return False  # crouched, quickly to the side
    if steps[0].before < RUNNING and not all(step.flight for step in steps):
        return True
    return bend > _STOOPING_DEGREES and steps[-1].after > BROUGHT_UP * steps[0].before
