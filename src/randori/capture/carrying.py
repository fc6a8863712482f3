"""What somebody has in the hands, seen by how they are held; and how it gets there."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.signals import RATE, Signals, derivative, runs, smoothed
from randori.capture.steps import Step, outings
from randori.motion.parts import SIDES

_BEFORE, _STEADY = 0.22, 0.09  # of the arm: both hands are before the body, and hardly go back and forth
_ASIDE = 0.1  # of the arm: what hangs from one hand keeps it farther from the body than the other
_STRAIGHT, _FOLDED = 0.93, 0.945  # of the arm, from shoulder to wrist: it hangs, or is held up
_SHORTEST = 0.8  # seconds of walking by which it can be told
_BENT = 0.95  # of the pelvis's usual height: somebody handles something low
_REACHES = 0.15  # seconds: the hands set off before the knees bend
_POSE = 0.25  # seconds
_BUSY_HANDS = 0.25  # m/s against the chest
_HELD_OUT, _DRAWN_IN = 1.0, 1.2  # seconds
_HANDING = 0.5, 4.0  # seconds, shortest and longest


def held(signals: Signals, steps: list[Step]) -> list[str]:
    """What hand something is carried in while each step is made: left, right, both or none ("")."""
    hands = [""] * len(steps)
    for outing in outings(steps):
        span = slice(steps[outing][0].begin, steps[outing][-1].end)
        if span.stop - span.start > _SHORTEST * RATE:
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
    left, right = (
        float(np.einsum("ij,ij->i", arm, sign * across).mean()) for arm, sign in zip(arms, (1.0, -1.0))
    )
    side = 0 if left > right else 1
    steady = forward[side].std() < forward[1 - side].std()
    return SIDES[side] if abs(left - right) > _ASIDE and reach[side] > _STRAIGHT and steady else ""


def handling(signals: Signals, steps: list[Step], hands: Sequence[str]) -> list[Event]:
    """Something is picked up, put down, received or handed over by somebody who stands."""
    found = _bends(signals, steps, hands)
    for (before, first), (after, second) in pairwise(zip(steps, hands)):
        if (first == "") == (second == ""):
            continue
        start, stop = before.swing.land, after.begin
        if not any(start <= event.done and event.seen <= stop for event in found):
            found += _passes(signals, start, stop, first, second)
    return found


def _bends(signals: Signals, steps: list[Step], hands: Sequence[str]) -> list[Event]:
    """Somebody who stands bends down and comes up again."""
    place = signals.places["pelvis"]
    height = smoothed(place[:, 1] - signals.floor, 0.05) / signals.standing_height
    lower = np.maximum(signals.places["left_hand"][:, 1], signals.places["right_hand"][:, 1]) - signals.floor
    slope = derivative(height)
    found = []
    has, bent = "", -1
    for low, high in runs(height < _BENT):
        way = np.linalg.norm(place[high - 1, [0, 2]] - place[low, [0, 2]])
        swings = [s for s in steps if low <= s.swing.lift < high]
        reaches = lower[low:high].min() < 0.75 * signals.leg
        if high - low < 0.5 * RATE or way > 0.4 or not reaches or len(swings) > 1:
            continue
        begin, end = low, high - 1
        while begin > 0 and slope[begin] < -0.03:
            begin -= 1
        while end < len(slope) - 1 and slope[end] > 0.03:
            end += 1
        begin = max(begin - round(_REACHES * RATE), 0)
        # since the last time somebody bent down, or now by how the next steps are made
        walked = [
            hand for step, hand in zip(steps, hands) if bent < step.swing.lift and step.swing.land <= low
        ]
        has = walked[-1] if walked else has
        after = next((hand for step, hand in zip(steps, hands) if step.swing.lift >= high), "")
        tags = Tags("luggage", "pick up" if after and not has else "put down", has or after or "both")
        found.append(Event(begin, end, Timing(0.0, 0.0, (end - begin) / RATE + 0.1), tags, 0.6))
        has, bent = "" if has else after, high
    return found


def _poised(signals: Signals, start: int, stop: int) -> str:
    """Whether somebody who stands has both hands before the body, as if they held something."""
    span = slice(max(start, 0), min(stop, len(signals)))
    return "both" if span.stop > span.start and _held(signals, span) == "both" else ""


def _passes(signals: Signals, start: int, stop: int, before: str, after: str) -> list[Event]:
    """Hands that are busy while somebody stands upright: something comes into them, or leaves them."""
    chest = signals.velocities["chest"]
    sides = SIDES if "both" in (before, after) else (before or after,)
    speed = np.max(
        [np.linalg.norm(signals.velocities[f"{side}_hand"] - chest, axis=-1) for side in sides], axis=0
    )
    busy = np.flatnonzero(smoothed(speed, 0.06)[start:stop] > _BUSY_HANDS)
    if len(busy) == 0 or not _HANDING[0] < (busy[-1] - busy[0]) / RATE < _HANDING[1]:
        return []
    begin, end = start + int(busy[0]), start + int(busy[-1])
    if "both" in (before, after):
        # what is large is held out, or drawn in, too slowly for the hands to show it
        begin = begin if after else max(begin - round(_HELD_OUT * RATE), start)
        end = min(end + round(_DRAWN_IN * RATE), stop) if after else end
    tags = Tags("luggage", "receive" if after else "hand over", before or after)
    return [Event(begin, end, Timing(0.0, 0.0, (end - begin) / RATE), tags, 0.5)]
