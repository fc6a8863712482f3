"""Reactions of a person: recoils, staggers, falls, lying, getting up."""

from math import atan2, degrees

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.moves import Swing, peaks_of
from randori.capture.signals import RATE, Signals, runs, smoothed

_LOW_PELVIS = 0.55  # share of the leg: a pelvis below that is neither standing nor crouching
_DOWN, _HEAD_DOWN = 0.3, 0.55  # share of the leg: pelvis and head of a person who lies
_STILL, _AT_REST = 0.1, 0.12  # m/s, of every part of the body: while getting up, and after a fall
_STRAIGHTENING_SECONDS = 0.62  # seconds, usually, from when a person who gets up is nearly upright
_ON_BACK, _ON_SIDE = 0.8, 0.1  # how far the belly looks up
_ROLL = 0.6  # seconds from the first to the second; sitting up first takes one or two
# A blow moves head, chest or hips at once: the speed gained in 1/12 s, over 0.35 m/s and over the speed
# before.
# Real starts and bounces have up to 1.7, a light hit 1.2: the weak ones count where clear ones are.
_JOLT, _CLEAR_JOLT, _PLAIN_JOLT = 1.15, 1.75, 2.3
_JOLT_TIME, _CALM = 5, 0.35  # samples, m/s
_HEAD_ALONE = 1.95  # times as fast as the hips
_CAUGHT_FACTOR = 1.31  # times as long as to the last step: by then the stagger has come to rest
_SINKING, _SINKING_TIME = 0.2, 0.5  # share of the leg, seconds: a stagger sinks by half as much
_DEEPEST_HIPS = 0.4  # share of the leg: lower hips are those of a person who falls
_STRIKES_NEAR = 2.0  # seconds: a person who strikes is not being struck
_TRUNK = ("head", "chest", "pelvis")


def falling_events(signals: Signals, jolts: np.ndarray) -> list[Event]:
    """Falls, lying on the floor, and getting up."""
    height = (signals.places["pelvis"][:, 1] - signals.floor) / signals.leg
    head = (signals.places["head"][:, 1] - signals.floor) / signals.leg
    speed = smoothed(np.max([signals.speed(part) for part in signals.places], axis=0), 0.03)
    belly = _belly(signals)
    upright = 0.93 * signals.standing_height / signals.leg
    events: list[Event] = []
    ended = 0
    for start, stop in runs(height < _LOW_PELVIS):
        span = slice(start, stop)
        down = (height[span] < _DOWN) & (head[span] < _HEAD_DOWN)
        if not down.any() or start < ended:
            continue
        down_at = start + int(np.argmax(down))
        if start > 0:
            fell = _fall_start(jolts, height, ended, start)
            events.append(_fall(signals, fell, down_at))
        lies, moving = _lying_still(speed, down, start, down_at)
        if lies < moving:
            way = _lying(signals, lies)
            events.append(
                Event(lies, lies, Timing(0.0, 0.0, 9e3), Tags("transition", "lie", "", "", way), 0.9)
            )
        up = np.flatnonzero(height[moving:] > upright)
        ended = moving + int(up[0]) if len(up) else len(signals)
        if moving < len(signals) - 1:
            over = _rolls_over(belly, moving, stop)
            if over is not None:
                tags = Tags("transition", "roll over", "", "", _lying(signals, over))
                events.append(Event(moving, moving, Timing(0.0, 0.0, 9e3), tags, 0.8))
                moving = over
            settle = (ended - moving) / RATE + _STRAIGHTENING_SECONDS
            way = _lying(signals, moving)
            events.append(
                Event(moving, ended, Timing(0.0, 0.0, settle), Tags("rise", "get up", "", "", way), 0.9)
            )
    return events


def _fall_start(jolts: np.ndarray, height: np.ndarray, earliest: int, low: int) -> int:
    """The last blow before a person goes down, or else where the hips begin to sink."""
    first = max(low - round(1.3 * RATE), earliest)
    near = peaks_of(jolts[first : low - round(0.1 * RATE)], 0.9, 0.15)
    if near:
        return first + near[-1]
    sinking = np.flatnonzero(np.diff(height[first : low + 1]) > -0.2 / RATE)
    return first + int(sinking[-1]) if len(sinking) else first


def _fall(signals: Signals, start: int, down: int) -> Event:
    tags = Tags("fall", "fall", "", "upper torso", _hit_from(signals, start, "chest"))
    return Event(start, down, Timing(0.0, 0.0, 9e3), tags, 0.9)


def _lying_still(speed: np.ndarray, down: np.ndarray, start: int, down_at: int) -> tuple[int, int]:
    """The first and last sample in which a person lies, until the get-up begins.

    A fallen person may still roll on or drop an arm: the last stillness counts.
    """
    stop = start + len(down)
    still = (speed[start:stop] < _AT_REST) & down
    rests = [(start + a, start + b) for a, b in runs(still) if b - a > 0.2 * RATE]
    if not rests:
        moving = _moves_again(speed, down_at, stop)
        return down_at, moving
    lies, last = rests[-1]
    return lies, _moves_again(speed, last - 1, stop)


def _moves_again(speed: np.ndarray, lies: int, stop: int) -> int:
    """The sample in which a lying person begins to get up."""
    busy = runs(speed[lies:stop] > _STILL)
    lasting = [first for first, last in busy if last - first > 0.3 * RATE]
    return lies + lasting[0] if lasting else stop


def _belly(signals: Signals) -> np.ndarray:
    """(N,) how far the front of the hips looks up: 1 on the back, 0 on a side, -1 on the front."""
    across = signals.places["left_thigh"] - signals.places["right_thigh"]
    front = np.cross(across, signals.places["chest"] - signals.places["pelvis"])
    return np.asarray(front[:, 1] / np.maximum(np.linalg.norm(front, axis=-1), 1e-9))


def _rolls_over(belly: np.ndarray, moving: int, stop: int) -> int | None:
    """The sample at which a person swings from the back onto a side, if so; sitting up takes longer."""
    aside = np.flatnonzero(belly[moving:stop] < _ON_SIDE)
    if belly[moving] < _ON_BACK or len(aside) == 0:
        return None
    over = moving + int(aside[0])
    on_back = moving + int(np.flatnonzero(belly[moving:over] > _ON_BACK)[-1])
    return over if over - on_back < _ROLL * RATE else None


def _lying(signals: Signals, sample: int) -> str:
    """On the back, or on the front: where the toes are, beside the ankles, tells it on every rig."""
    up = sum(
        signals.places[f"{side}_toes"][sample, 1] - signals.places[f"{side}_foot"][sample, 1]
        for side in ("left", "right")
    )
    return "back" if up > 0.0 else "front"


def jolts_of(signals: Signals) -> np.ndarray:
    """(N,) how suddenly head, chest or hips are set going over the floor."""
    total = np.zeros(len(signals))
    if len(signals) <= _JOLT_TIME:
        return total
    for part in _TRUNK:
        velocity = smoothed(signals.velocities[part][:, [0, 2]], 0.015)
        gained = np.linalg.norm(velocity[_JOLT_TIME:] - velocity[:-_JOLT_TIME], axis=-1)
        had = np.linalg.norm(velocity[:-_JOLT_TIME], axis=-1)
        total[:-_JOLT_TIME] = np.maximum(total[:-_JOLT_TIME], gained / (_CALM + had))
    return total


def reactions(
    signals: Signals, jolts: np.ndarray, strikes: list[int], swings: list[Swing], guard: np.ndarray
) -> list[Event]:
    """Recoils and staggers of a person who is hit, frights and pushes of a person who is not fighting."""
    events: list[Event] = []
    speed = np.linalg.norm(smoothed(signals.velocities["pelvis"], 0.1)[:, [0, 2]], axis=-1)
    starts = [start for start in peaks_of(jolts, _JOLT, 0.25) if speed[max(start - 6, 0)] <= 0.5]
    starts = [start for start in starts if all(abs(start - k) > _STRIKES_NEAR * RATE for k in strikes)]
    starts = [start for start in starts if not _goes_down(signals, start)]
    plain = sum(jolts[start] > _PLAIN_JOLT for start in starts)
    starts = [start for start in starts if jolts[start] > (_JOLT if plain > 1 else _CLEAR_JOLT)]
    if len(strikes) >= len(starts):
        return []
    for start, following in zip(starts, [*starts[1:], len(signals)]):
        late = min(start + 0.9 * RATE, following - 2)
        moved = [swing for swing in swings if start - 2 <= swing.lift < late]
        steps = [swing for swing in moved if np.hypot(*swing.travel) > 0.1]
        rests = speed[start + round(1.1 * RATE) : start + round(2.3 * RATE)]
        if not guard[start] and (len(rests) == 0 or rests.min() > 0.25):
            continue  # not thrown off balance: off he goes
        way = _hit_from(signals, start, "head")
        place = _struck(signals, start)
        if guard[start] and steps:
            landed = (max(swing.land for swing in moved) - start) / RATE
            technique, settle = "stagger", _CAUGHT_FACTOR * landed + 0.04
        elif guard[start]:
            technique, settle = "recoil", 0.77 if place == "head" else 0.86
        elif len(steps) >= 3:
            technique, settle = "pushed", 1.47
        else:
            technique, settle = ("avoid", 1.18) if steps else ("startle", 1.3)
        tags = Tags("reaction", technique, "", place, way)
        events.append(Event(start, start + round(0.25 * RATE), Timing(0.0, 0.0, settle), tags, 0.7))
    return events


def _goes_down(signals: Signals, start: int) -> bool:
    """A person ducks: the hips sink far and at once, but do not fall. A blow drives them over the floor."""
    height = (signals.places["pelvis"][start:, 1] - signals.floor) / signals.leg
    soon, later = height[: round(_SINKING_TIME * RATE)], height[: round(2.0 * _SINKING_TIME * RATE)]
    return bool(height[0] - soon[-1] > _SINKING and later.min() > _DEEPEST_HIPS)


def _struck(signals: Signals, start: int) -> str:
    """The part that was hit: a blow at the head moves the head, one at the body takes the hips along."""
    soon = slice(start, start + round(0.25 * RATE))
    fastest = {part: np.linalg.norm(signals.velocities[part][soon], axis=-1).max() for part in _TRUNK}
    return "head" if fastest["head"] > _HEAD_ALONE * fastest["pelvis"] else "upper torso"


def _hit_from(signals: Signals, start: int, part: str) -> str:
    """The direction of a blow, opposite to the motion of the struck part."""
    end = min(start + round(0.25 * RATE), len(signals) - 1)
    place = signals.places[part]
    forward, left, _ = signals.seen(place[end] - place[start], max(start - 3, 0))
    angle = degrees(atan2(left, forward))
    if abs(angle) < 45.0:
        return "back"
    if abs(angle) > 135.0:
        return "front"
    return "right" if angle > 0.0 else "left"
