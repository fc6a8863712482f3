"""What is done to somebody: being hit, staggering, falling, lying there, getting up."""

from math import atan2, degrees

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.moves import Swing, peaks_of
from randori.capture.signals import RATE, Signals, runs, smoothed

_LOW = 0.55  # of the leg: a pelvis below that is neither standing nor crouching
_DOWN, _HEAD_DOWN = 0.3, 0.55  # of the leg: pelvis and head of somebody who lies
_STILL, _AT_REST = 0.13, 0.07  # m/s, of every part of the body: who gets up moves, who fell has stopped
# A blow sets head, chest or hips going at once: what they gain in 1/12 s, over 0.35 m/s and what they had.
# Real starts and bounces have up to 1.7, a light hit 1.2: the weak ones count where clear ones are.
_JOLT, _CLEAR_JOLT, _PLAIN_JOLT = 1.15, 1.75, 2.3
_JOLT_TIME, _CALM = 5, 0.35  # samples, m/s
_STRIKES_NEAR = 2.0  # seconds: who strikes is not being struck
_TRUNK = ("head", "chest", "pelvis")
_PARTS = (
    "head",
    "chest",
    "pelvis",
    "left_hand",
    "right_hand",
    "left_foot",
    "right_foot",
    "left_shin",
    "right_shin",
)


def falling_events(signals: Signals, jolts: np.ndarray) -> list[Event]:
    """Falls, lying on the floor, and getting up."""
    height = (signals.places["pelvis"][:, 1] - signals.floor) / signals.leg
    head = (signals.places["head"][:, 1] - signals.floor) / signals.leg
    speed = smoothed(
        np.max([np.linalg.norm(signals.velocities[part], axis=-1) for part in _PARTS], axis=0), 0.03
    )
    upright = 0.93 * signals.standing_height / signals.leg
    events: list[Event] = []
    ended = 0
    for start, stop in runs(height < _LOW):
        span = slice(start, stop)
        down = (height[span] < _DOWN) & (head[span] < _HEAD_DOWN)
        if not down.any() or start < ended:
            continue
        down_at = start + int(np.argmax(down))
        if start > 0:
            fell = _fall_start(jolts, height, ended, start)
            events.append(_fall(signals, fell, down_at))
        rests = [first for first, last in runs(speed[down_at:stop] < _AT_REST) if last - first > 0.2 * RATE]
        lies = down_at + rests[0] if rests else down_at
        moving = _moves_again(speed, lies, stop)
        if lies < moving:
            way = _lying(signals, lies)
            events.append(
                Event(lies, lies, Timing(0.0, 0.0, 9e3), Tags("transition", "lie", "", "", way), 0.9)
            )
        up = np.flatnonzero(height[moving:] > upright)
        ended = moving + int(up[0]) if len(up) else len(signals)
        if moving < len(signals) - 1 and stop < len(signals):
            settle = (ended - moving) / RATE + 0.97
            way = _lying(signals, moving)
            events.append(
                Event(moving, ended, Timing(0.0, 0.0, settle), Tags("rise", "get up", "", "", way), 0.9)
            )
    return events


def _fall_start(jolts: np.ndarray, height: np.ndarray, earliest: int, low: int) -> int:
    """The last blow before somebody goes down, or else where the hips begin to sink."""
    first = max(low - round(1.3 * RATE), earliest)
    near = peaks_of(jolts[first : low - round(0.1 * RATE)], 0.9, 0.15)
    if near:
        return first + near[-1]
    sinking = np.flatnonzero(np.diff(height[first : low + 1]) > -0.2 / RATE)
    return first + int(sinking[-1]) if len(sinking) else first


def _fall(signals: Signals, start: int, down: int) -> Event:
    tags = Tags("fall", "fall", "", "upper torso", _hit_from(signals, start, "chest"))
    return Event(start, down, Timing(0.0, 0.0, 9e3), tags, 0.9)


def _moves_again(speed: np.ndarray, lies: int, stop: int) -> int:
    """Where somebody who lies begins to get up."""
    busy = runs(speed[lies:stop] > _STILL)
    lasting = [first for first, last in busy if last - first > 0.3 * RATE]
    return lies + lasting[0] if lasting else stop


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
    """Recoils and staggers of somebody who is hit, frights and pushes of somebody who is not fighting."""
    events: list[Event] = []
    speed = np.linalg.norm(smoothed(signals.velocities["pelvis"], 0.1)[:, [0, 2]], axis=-1)
    starts = [start for start in peaks_of(jolts, _JOLT, 0.25) if speed[max(start - 6, 0)] <= 0.5]
    starts = [start for start in starts if all(abs(start - k) > _STRIKES_NEAR * RATE for k in strikes)]
    plain = sum(jolts[start] > _PLAIN_JOLT for start in starts)
    starts = [start for start in starts if jolts[start] > (_JOLT if plain > 1 else _CLEAR_JOLT)]
    if len(strikes) >= len(starts):
        return []
    for start in starts:
        steps = [s for s in swings if -2 <= s.lift - start < 0.9 * RATE and np.hypot(*s.travel) > 0.1]
        rests = speed[start + round(1.1 * RATE) : start + round(2.3 * RATE)]
        if not guard[start] and (len(rests) == 0 or rests.min() > 0.25):
            continue  # not thrown off balance: off he goes
        way = _hit_from(signals, start, "head")
        if guard[start]:
            technique, settle = ("stagger", 1.72) if steps else ("recoil", 1.12)
        elif len(steps) >= 3:
            technique, settle = "pushed", 1.85
        else:
            technique, settle = ("avoid", 1.5) if steps else ("startle", 1.47)
        tags = Tags("reaction", technique, "", "upper torso", way)
        events.append(Event(start, start + round(0.25 * RATE), Timing(0.0, 0.0, settle), tags, 0.7))
    return events


def _hit_from(signals: Signals, start: int, part: str) -> str:
    """Where a blow came from that sends a part of the body the other way."""
    end = min(start + round(0.25 * RATE), len(signals) - 1)
    place = signals.places[part]
    forward, left, _ = signals.seen(place[end] - place[start], max(start - 3, 0))
    angle = degrees(atan2(left, forward))
    if abs(angle) < 45.0:
        return "back"
    if abs(angle) > 135.0:
        return "front"
    return "right" if angle > 0.0 else "left"
