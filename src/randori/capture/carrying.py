"""Things that a person carries, detected by the posture of the hands, and how they get there."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.football import trunk_bend
from randori.capture.signals import RATE, Signals, derivative, runs, smoothed
from randori.capture.steps import Step, outings
from randori.motion.parts import SIDES

# share of the arm: both hands are before the body, and hardly go back and forth
_BEFORE, _STEADY = 0.22, 0.09
# share of the arm, beside the shoulder: a hanging load keeps the hand clear of the body, and farther out than
# the other
_ASIDE, _CLEAR = 0.1, 0.22
_BELOW_SHOULDER = -0.8  # share of the arm: a hand with a hanging load
_STRAIGHT, _FOLDED = 0.93, 0.945  # share of the arm, from shoulder to wrist: it hangs, or is held up
_SHORTEST_WALK = 0.7  # seconds of walking that are needed to tell
_BENT_HEIGHT = 0.95  # share of the pelvis's usual height: a person handles something low
_REACHING_SECONDS = 0.15  # seconds: the hands set off before the knees bend
_BUSY_HANDS = 0.25  # m/s against the chest
# share of the arm: hands on one thing keep their distance, over a walk or for a moment
_RIGID, _FIRM = 0.02, 0.035
# The same for hands that do not swing against each other, and what the swing of free arms is: a correlation
_RIGID_IN_STEP, _ALTERNATE = 0.03, -0.35
# share of the arm: the hands' distance, and their distance from the shoulders
_WIDEST, _BENT_ARMS = 0.95, 0.92
# samples before and after by which the load is judged, and how long it has to be seen
_LOOK, _MOMENT = round(0.9 * RATE), round(0.35 * RATE)
# of the leg, above the floor: a wrist that is down, deep down, beside the knee, hanging; two not alike
_DOWN, _DEEP, _BESIDE, _HANGING, _ALONE = 0.65, 0.55, 0.78, 0.85, 0.25
# share of the leg: a hand that reaches for something is so far below the pelvis
_BELOW, _BELOW_BESIDE = 0.3, 0.2
_LEANING_DEGREES = 12.0  # degrees of the trunk: a person who reaches down beside the knee leans
_SHORTEST_REACH, _LONGEST_REACH = 0.15, 4.0  # seconds
_STOPPED, _ON_THE_RUN, _RUNS = 0.9, 1.2, 2.0  # m/s of the pelvis
_LYING_HEIGHT = 0.15  # share of the pelvis's usual height: a person who squats has 0.24
_MOVES = 0.1  # share of the leg, per second: hands that still go down or come up
_UP, _FLIGHT, _ABOUT_A_LEAP = 1.05, 0.12, 0.7  # of the pelvis's usual height; seconds of it; seconds about it
_HELD_OUT, _DRAWN_IN = 1.0, 1.2  # seconds
_HANDING_SECONDS = 0.5, 4.0  # seconds, shortest and longest


def held(signals: Signals, steps: list[Step]) -> list[str]:
    """The hand that carries something during each step: left, right, both or none ("")."""
    hands = [""] * len(steps)
    for outing in outings(steps):
        span = slice(steps[outing][0].begin, steps[outing][-1].end)
        if span.stop - span.start > _SHORTEST_WALK * RATE:
            hands[outing] = [_held(signals, span)] * (outing.stop - outing.start)
    return hands


def _held(signals: Signals, span: slice) -> str:
    """The hands that something is in during a stretch of samples."""
    places = signals.places
    across = (places["left_upper_arm"] - places["right_upper_arm"])[span] * (1.0, 0.0, 1.0)
    across /= np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-9)
    ahead = np.stack([-across[:, 2], 0.0 * across[:, 0], across[:, 0]], axis=1)
    arms = [(places[f"{side}_hand"] - places[f"{side}_upper_arm"])[span] / signals.arm for side in SIDES]
    forward = [np.einsum("ij,ij->i", arm, ahead) for arm in arms]
    reach = [float(np.linalg.norm(arm, axis=-1).mean()) for arm in arms]
    if max(reach) < _FOLDED and all(way.mean() > _BEFORE and way.std() < _STEADY for way in forward):
        return "both"
    apart = np.linalg.norm((places["left_hand"] - places["right_hand"])[span], axis=-1) / signals.arm
    rigid = _RIGID if _alternate(*forward) else _RIGID_IN_STEP
    if max(reach) < _BENT_ARMS and apart.std() < rigid and apart.mean() < _WIDEST:
        return "both"
    left, right = (
        float(np.einsum("ij,ij->i", arm, sign * across).mean()) for arm, sign in zip(arms, (1.0, -1.0))
    )
    side = 0 if left > right else 1
    steady = forward[side].std() < forward[1 - side].std()
    pace = np.linalg.norm(signals.velocities["pelvis"][span][:, [0, 2]], axis=-1).mean()
    clear = abs(left - right) > _ASIDE and max(left, right) > _CLEAR and pace < _RUNS
    hangs = reach[side] > _STRAIGHT and arms[side][:, 1].mean() < _BELOW_SHOULDER
    return SIDES[side] if clear and hangs and steady else ""


def _alternate(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether one hand (N,) goes forward while the other one goes back, as free arms do."""
    both = left.std() * right.std()
    together = float(np.mean((left - left.mean()) * (right - right.mean())))
    return bool(together < _ALTERNATE * both)


def handling(signals: Signals, steps: list[Step], hands: list[str]) -> list[Event]:
    """Pick-ups, put-downs, handovers and receipts of a person who stands.

    A thing that was picked up is in the hands until it is put down: `hands` are completed with that.
    """
    found = _reaches_down(signals, steps, hands)
    for (before, first), (after, second) in pairwise(zip(steps, hands)):
        if (first == "") == (second == ""):
            continue
        start, stop = before.swing.land, after.begin
        if not any(start <= event.done and event.seen <= stop for event in found):
            found += _passes(signals, start, stop, first, second)
    return found


@dataclass(frozen=True)
class _Reach:
    """Hands that go down to something and come up again."""

    begin: int  # sample in which they set off
    low: int  # the first and the last sample in which they are down there
    high: int
    end: int  # sample in which they are up again
    hand: str  # left, right, both
    deep: bool  # far enough for the hands to tell what it was for


def _reaches_down(signals: Signals, steps: list[Step], hands: list[str]) -> list[Event]:
    """A person bends down and comes up again, and the hands show that they hold something before or after."""
    found = []
    has, bent = "", -1
    for reach in _reaches(signals, steps):
        # since the last time a person bent down, or now by how the next steps are made
        walked = [
            hand
            for step, hand in zip(steps, hands)
            if bent < step.swing.lift and step.swing.land <= reach.low
        ]
        has = (walked[-1] if walked else has) or (
            _gripped(signals, reach.begin - _LOOK, reach.begin) if reach.deep else ""
        )
        later = next((k for k, step in enumerate(steps) if step.swing.lift >= reach.high), len(steps))
        after = hands[later] if later < len(steps) else ""
        if reach.deep:
            after = after or _gripped(signals, reach.end - _MOMENT, reach.end + _LOOK)
        bent = reach.high
        if not has and not after and reach.hand != "both" and _hangs(signals, reach, steps[later:]):
            after = reach.hand
        if bool(has) == bool(after):
            has = after
            continue  # it only bent, or took hold of it again
        tags = Tags("luggage", "put down" if has else "pick up", has or after)
        settle = (reach.end - reach.begin) / RATE + 0.1
        found.append(Event(reach.begin, reach.end, Timing(0.0, 0.0, settle), tags, 0.6))
        if not has:
            _carry_on(steps, hands, later, after)
        has = "" if has else after
    return found


def _reaches(signals: Signals, steps: list[Step]) -> list[_Reach]:
    """Stretches in which a person who hardly advances lowers the hips, or reaches down with a hand."""
    place = signals.places["pelvis"]
    height = smoothed(place[:, 1] - signals.floor, 0.05) / signals.standing_height
    lower = np.maximum(signals.places["left_hand"][:, 1], signals.places["right_hand"][:, 1]) - signals.floor
    slope = derivative(height)
    leaps = _leaps(signals, height)
    found = []
    for low, high in runs(height < _BENT_HEIGHT):
        way = np.linalg.norm(place[high - 1, [0, 2]] - place[low, [0, 2]])
        swings = [s for s in steps if low <= s.swing.lift < high]
        reaches = lower[low:high].min() < 0.75 * signals.leg
        if high - low < 0.5 * RATE or way > 0.4 or not reaches or len(swings) > 1:
            continue
        if height[low:high].min() < _LYING_HEIGHT:
            continue
        begin, end = low, high - 1
        while begin > 0 and slope[begin] < -0.03:
            begin -= 1
        while end < len(slope) - 1 and slope[end] > 0.03:
            end += 1
        begin = max(begin - round(_REACHING_SECONDS * RATE), 0)
        deep = bool(lower[low:high].min() < _DEEP * signals.leg)
        found.append(_Reach(begin, low, high, end, "both", deep))
    found += [
        dip for dip in _dips(signals) if not any(r.begin <= dip.high and dip.low <= r.end for r in found)
    ]
    found = [reach for reach in found if not any(a <= reach.end and reach.begin <= b for a, b in leaps)]
    return sorted(found, key=lambda reach: reach.low)


def _dips(signals: Signals) -> list[_Reach]:
    """Stretches in which a hand goes down to the floor, or one hand alone to something beside the knee."""
    heights = {
        side: smoothed(signals.places[f"{side}_hand"][:, 1] - signals.floor, 0.05) / signals.leg
        for side in SIDES
    }
    lowest = np.minimum(heights["left"], heights["right"])
    leans = trunk_bend(signals) > _LEANING_DEGREES
    alone = np.abs(heights["left"] - heights["right"]) > _ALONE
    upright = signals.places["pelvis"][:, 1] - signals.floor > _BENT_HEIGHT * signals.standing_height
    found = []
    for low, high in runs((lowest < _DOWN) | ((lowest < _BESIDE) & leans & alone & upright)):
        if not _SHORTEST_REACH * RATE < high - low < _LONGEST_REACH * RATE:
            continue
        middle = low + int(np.argmin(lowest[low:high]))
        below = (signals.places["pelvis"][middle, 1] - signals.floor) / signals.leg - lowest[middle]
        deep = lowest[middle] < _DEEP or alone[middle]
        if alone[middle] and below < (_BELOW_BESIDE if upright[middle] else _BELOW):
            continue  # a person crouches, and the hands are where they always are
        if not deep or low == 0 or high == len(lowest):
            continue
        hand = "left" if heights["left"][middle] < heights["right"][middle] else "right"
        falls = derivative(lowest)
        begin, end = low, high - 1
        while begin > 0 and falls[begin] < -_MOVES and lowest[begin] < _HANGING:
            begin -= 1
        while end < len(falls) - 1 and falls[end] > _MOVES and lowest[end] < _HANGING:
            end += 1
        pace = float(np.linalg.norm(signals.velocities["pelvis"][middle, [0, 2]]))
        if pace > _STOPPED:
            continue  # arms that swing far down
        found.append(_Reach(begin, low, high, end, hand if alone[middle] else "both", True))
    return found


def _leaps(signals: Signals, height: np.ndarray) -> list[tuple[int, int]]:
    """The stretches around flights that go up: a person who crouches there takes off or lands."""
    about = round(_ABOUT_A_LEAP * RATE)
    return [
        (first - about, last + about)
        for first, last in runs(signals.airborne)
        if last - first > _FLIGHT * RATE and height[first:last].max() > _UP
    ]


def _gripped(signals: Signals, start: int, stop: int) -> str:
    """Whether both hands keep their distance with bent arms, as if one thing were between them."""
    span = slice(max(start, 0), min(stop, len(signals)))
    if span.stop - span.start < _MOMENT:
        return ""
    places = signals.places
    apart = np.linalg.norm((places["left_hand"] - places["right_hand"])[span], axis=-1) / signals.arm
    arms = [
        np.linalg.norm((places[f"{side}_hand"] - places[f"{side}_upper_arm"])[span], axis=-1)
        for side in SIDES
    ]
    moments = sliding_window_view(np.stack([apart, np.mean(arms, axis=0) / signals.arm]), _MOMENT, axis=1)
    pace = np.linalg.norm(signals.velocities["pelvis"][span][:, [0, 2]], axis=-1)
    if pace.mean() > _ON_THE_RUN:
        return ""  # arms swing: one moment says nothing
    firm = (moments[0].std(axis=-1) < _FIRM) & (moments[0].mean(axis=-1) < _WIDEST)
    return "both" if np.any(firm & (moments[1].mean(axis=-1) < _BENT_ARMS)) else ""


def _hangs(signals: Signals, reach: _Reach, steps: list[Step]) -> bool:
    """Whether one hand that was down there hangs straight afterwards, as if it had something to carry."""
    arm = signals.places[f"{reach.hand}_hand"] - signals.places[f"{reach.hand}_upper_arm"]
    length = np.linalg.norm(arm, axis=-1)[reach.low : reach.end + _LOOK] / signals.arm
    return bool(steps) and bool(np.median(length) > _STRAIGHT - 0.02)


def _carry_on(steps: list[Step], hands: list[str], first: int, hand: str) -> None:
    """Fill in, in place, the hands of a thing that was picked up, from a step on until the person stands."""
    for number in range(first, len(steps)):
        if hands[number]:
            return
        hands[number] = hand
        if steps[number].stands:
            return


def _passes(signals: Signals, start: int, stop: int, before: str, after: str) -> list[Event]:
    """Hands that are busy while a person stands upright: something comes into them, or leaves them."""
    chest = signals.velocities["chest"]
    sides = SIDES if "both" in (before, after) else (before or after,)
    speed = np.max(
        [np.linalg.norm(signals.velocities[f"{side}_hand"] - chest, axis=-1) for side in sides], axis=0
    )
    busy = np.flatnonzero(smoothed(speed, 0.06)[start:stop] > _BUSY_HANDS)
    if len(busy) == 0 or not _HANDING_SECONDS[0] < (busy[-1] - busy[0]) / RATE < _HANDING_SECONDS[1]:
        return []
    begin, end = start + int(busy[0]), start + int(busy[-1])
    if "both" in (before, after):
        # a large thing is held out or drawn in too slowly for the hands to show it
        begin = begin if after else max(begin - round(_HELD_OUT * RATE), start)
        end = min(end + round(_DRAWN_IN * RATE), stop) if after else end
    tags = Tags("luggage", "receive" if after else "hand over", before or after)
    return [Event(begin, end, Timing(0.0, 0.0, (end - begin) / RATE), tags, 0.5)]
