"""Actions with a blade in the hands: cuts, thrusts, parries, guards."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Blow, Event, Timing
from randori.capture.fighting import footwork
from randori.capture.moves import Swing, peaks_of
from randori.capture.signals import RATE, Signals

_CUT = 9.5  # m/s of the point against the pelvis; wound up it has 5 to 12, but backwards
_SHARE_OF_FASTEST, _SLOWEST_CUT = (
    0.55,
    3.5,
)  # of the fastest point; m/s, where a blade's point is only guessed
_THRUST = 1.3  # m/s of the hands, forward
_MOVE = 1.8  # m/s of the point: a blade at rest sways with less
_HELD_SECONDS = 4.0  # seconds: a person who waits in a guard continues from there, or comes back before that
# seconds before and after the peak of an attack in which the blade winds up or comes back
_BEFORE_A_CUT, _BEFORE_A_THRUST, _AFTER, _FAST_AFTER = 0.62, 0.4, 0.5, 0.38
_LUNGES = 0.2  # metres that the foot goes forward with a thrust
_FAST_POINT = 6.2  # m/s of the point
_TIMINGS: dict[str, Timing] = {
    "downwards": Timing(0.60, 0.51, 0.77, flows_within=0.98),
    "slanting": Timing(0.65, 0.56, 0.82, flows_within=1.04),
    "horizontal": Timing(0.735, 0.62, 0.87, flows_within=1.1),
    "upwards": Timing(0.81, 0.64, 0.78, flows_within=1.2),
    "thrust": Timing(0.46, 0.40, 0.70, flows_within=0.85),
    "parry": Timing(0.24, 0.24, 0.70),
    "guard": Timing(0.31, 0.31, _HELD_SECONDS),
    "low guard": Timing(0.29, 0.29, _HELD_SECONDS),
    "feint": Timing(0.20, 0.20, 0.5),
    "probe": Timing(0.20, 0.20, 0.6),
}


@dataclass(frozen=True)
class _Blade:
    """The blade in the body's frame, sample by sample; metres, forward, left, up."""

    velocity: np.ndarray  # (N, 3) of the point against the pelvis
    speed: np.ndarray  # (N,)
    axis: np.ndarray  # (N, 3) from hilt to point, of length 1
    hilt: np.ndarray  # (N, 3) from where it usually is before the chest
    push: np.ndarray  # (N,) m/s of the hilt, forward


def fencing_events(signals: Signals, swings: list[Swing]) -> list[Event]:
    """Everything that happens in a recording with a weapon."""
    blade = _follow(signals)
    # a blade may be wound up faster than it cuts: that does not count
    striking = np.zeros(len(signals))
    fast = _cut_speed(signals, blade)
    for peak in peaks_of(blade.speed, fast, 0.0):
        striking[peak] = blade.speed[peak] if _cuts(blade, peak) else 0.0
    cuts = peaks_of(striking, fast, 0.3)
    events = [_cut(signals, blade, peak) for peak in cuts]
    for peak in peaks_of(blade.push, _THRUST, 0.25):
        # points at a person, the arms out
        points = blade.axis[peak + 3 : peak + 8, 0].min(initial=1.0) > 0.75
        if points and not _near(peak, cuts, 0.65, 0.5):
            events.append(_thrust(signals, peak))
    lunges = {number: back for number, event in enumerate(events) if (back := _recovery(event, swings))}
    events = [_with_recovery(event, lunges.get(number)) for number, event in enumerate(events)]
    swings = [swing for swing in swings if swing not in lunges.values()]
    attacks = [event.seen for event in events]
    found: list[Event] = []
    # the clearest first: motions of the blade just before and after belong to it
    moves = sorted(peaks_of(blade.speed, _MOVE, 0.12), key=lambda p: -blade.speed[p])
    for peak in moves:
        # a blade that comes back is slow: a fast move so soon after a blow is a parry
        late = _FAST_AFTER if blade.speed[peak] > _FAST_POINT else _AFTER
        if _near(peak, cuts, _BEFORE_A_CUT, late) or _near(peak, attacks, _BEFORE_A_THRUST, late):
            continue
        if _near(peak, [event.seen for event in found], 0.45, 0.45):
            continue
        if (event := _parry(signals, blade, peak)) is not None:
            found.append(_with_its_step(event, swings))
    for dip, aside in pairwise(sorted(moves)):
        near = [*attacks, *(event.seen for event in found)]
        if _probes(blade, dip, aside) and not _near(dip, near, 0.5, 0.4):
            tags = Tags("transition", "feint")
            found.append(Event(dip, aside, _TIMINGS["probe"], tags, 0.6))
    events += found
    events += footwork(signals, events, swings)
    return events


def _cut_speed(signals: Signals, blade: _Blade) -> float:
    """m/s of the point in a cut. Real swordplay without a joint is slow: it is judged by its own fastest."""
    if not signals.guessed:
        return _CUT
    return float(np.clip(_SHARE_OF_FASTEST * np.percentile(blade.speed, 99), _SLOWEST_CUT, _CUT))


def _recovery(event: Event, swings: list[Swing]) -> Swing | None:
    """The foot that a lunge has put forward, on its way back."""
    if event.tags.technique != "thrust":
        return None
    for forth in swings:
        if forth.travel[0] < _LUNGES or abs(forth.land - event.seen) > 0.2 * RATE:
            continue
        for back in swings:
            later = 0 < back.lift - event.seen < 0.75 * RATE and back.side == forth.side
            if later and back.travel[0] < -0.6 * forth.travel[0]:
                return back
    return None


def _with_recovery(event: Event, back: Swing | None) -> Event:
    """A lunge is over when its foot is back, not before."""
    if back is None:
        return event
    settle = (back.lift - event.seen) / RATE + max((back.land - back.lift) / RATE + 0.03, 0.56)
    return replace(event, timing=replace(event.timing, settle=settle))


def _with_its_step(event: Event, swings: list[Swing]) -> Event:
    """A parry with a step begins with the step: the heel rises just after the hips."""
    early, late = event.seen - round(0.4 * RATE), event.seen + round(0.05 * RATE)
    feet = [swing.leaves for swing in swings if early <= swing.leaves <= late]
    if event.tags.technique != "parry" or not feet:
        return event
    lead = (event.seen - feet[0]) / RATE + 0.045
    return replace(event, timing=replace(event.timing, lead=lead, flow=lead))


def _probes(blade: _Blade, dip: int, aside: int) -> bool:
    """The point goes under a person's blade and round it, the hands stay where they are."""
    if not 0.12 < (aside - dip) / RATE < 0.3 or max(blade.speed[dip], blade.speed[aside]) > 5.0:
        return False
    down, across = blade.velocity[dip, 2], blade.velocity[aside, 1]
    level = abs(across) > 0.83 * blade.speed[aside] and blade.axis[aside, 0] > 0.87
    return bool(level and down < -0.15 * blade.speed[dip] and np.abs(blade.push[dip : aside + 1]).max() < 1.0)


def _near(peak: int, others: list[int], before: float, after: float) -> bool:
    """Whether a sample lies between some seconds before another and some after it."""
    return any(-before < (peak - other) / RATE < after for other in others)


def _follow(signals: Signals) -> _Blade:
    point, hilt = signals.places["weapon"], signals.places["hilt"]
    pelvis = signals.velocities["pelvis"]
    velocity = signals.seen(signals.velocities["weapon"] - pelvis)
    axis = point - hilt
    axis = signals.seen(axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9))
    place = signals.seen(hilt - signals.places["chest"])
    push = signals.seen(signals.velocities["hilt"] - pelvis)[:, 0]
    return _Blade(velocity, np.linalg.norm(velocity, axis=-1), axis, place - np.median(place, axis=0), push)


def _blow(signals: Signals, near: int) -> Blow:
    """The fastest moment of the point about a sample, and where it is farthest from the neck after it."""
    speed = signals.speed("weapon")
    reach = round(0.15 * RATE)
    first = max(near - reach, 0)
    peak = first + int(np.argmax(speed[first : near + reach]))
    after = slice(peak, peak + reach)
    away = np.linalg.norm(signals.places["weapon"][after] - signals.places["chest"][after], axis=-1)
    return Blow("weapon", peak, peak + int(np.argmax(away)))


def _cuts(blade: _Blade, peak: int) -> bool:
    """Whether a fast blade goes at a person: forward, and neither straight up nor straight down."""
    forward, _, upward = blade.velocity[peak] / blade.speed[peak]
    to_the_floor = upward < -0.8 and blade.axis[min(peak + 6, len(blade.axis) - 1), 2] < -0.4
    return bool(forward > (-0.2 if upward > 0.5 else -0.05) and upward < 0.85 and not to_the_floor)


def _cut(signals: Signals, blade: _Blade, peak: int) -> Event:
    course = blade.velocity[peak] / blade.speed[peak]
    before = max(peak - round(0.25 * RATE), 0)
    wound_up = before + int(np.argmin(blade.speed[before : peak + 1]))
    comes_from = signals.seen(signals.places["weapon"][wound_up] - signals.places["chest"][wound_up], peak)[1]
    side = "left" if comes_from > 0.0 else "right"
    if course[2] > 0.45:
        tags, kind = Tags("attack", "cut", side, "lower torso", "upwards"), "upwards"
    elif course[2] > -0.3:
        tags, kind = Tags("attack", "cut", side, "lower torso", "horizontal"), "horizontal"
    elif abs(comes_from) < 0.3:
        tags, kind = Tags("attack", "cut", "", "head", "downwards"), "downwards"
    else:
        tags, kind = Tags("attack", "cut", side, "upper torso", side), "slanting"
    timing = _TIMINGS[kind]
    # the wind-up that is seen corrects the usual one by half
    shift = (peak - _wound_from(blade.speed, wound_up)) / RATE - timing.lead
    if abs(shift) < 0.2:
        timing = replace(timing, lead=timing.lead + 0.5 * shift)
    return Event(peak, peak + round(0.1 * RATE), timing, tags, 0.9, _blow(signals, peak))


def _wound_from(speed: np.ndarray, wound_up: int) -> int:
    """The sample in which the blade leaves its guard to be wound up."""
    early = max(wound_up - round(0.5 * RATE), 0)
    fastest = early + int(np.argmax(speed[early : wound_up + 1]))
    before = max(fastest - round(0.3 * RATE), 0)
    slowest = before + int(np.argmin(speed[before : fastest + 1]))
    leaves = np.flatnonzero(speed[before : fastest + 1] < max(0.25 * speed[fastest], 0.4))
    return (slowest + before + int(leaves[-1])) // 2 if len(leaves) else slowest


def _thrust(signals: Signals, peak: int) -> Event:
    blow = _blow(signals, peak)
    height = signals.places["weapon"][blow.extension, 1] - signals.places["chest"][blow.extension, 1]
    aim = "head" if height > 0.12 else "upper torso" if height > -0.1 else "lower torso"
    tags = Tags("attack", "thrust", "", aim, "front")
    return Event(peak, peak + round(0.1 * RATE), _TIMINGS["thrust"], tags, 0.8, blow)


def _parry(signals: Signals, blade: _Blade, peak: int) -> Event | None:
    """The role of a blade that is still there a tenth of a second after its peak."""
    after = min(peak + 6, len(signals) - 1)
    _, left, up = blade.axis[after]
    _, aside, raised = blade.hilt[after]
    back = blade.velocity[peak, 0] < -0.2 * blade.speed[peak]
    rises = blade.velocity[peak, 2] > 0.6 * blade.speed[peak]
    side = "left" if aside > 0.0 else "right"
    kind = "parry"
    if raised > 0.5 and abs(left) > 0.7:
        tags = Tags("defence", "parry", "", "head", "downwards")
    elif up < -0.45:
        tags = Tags("defence", "parry", side, "lower torso", "front")
    elif up > 0.7 and abs(aside) > 0.085 and raised < 0.21 and back:
        tags = Tags("defence", "parry", side, "upper torso", side)
    elif up > 0.5 and abs(aside) > 0.1 and raised < 0.25 and rises and blade.speed[peak] > _FAST_POINT:
        # out of a cut: from below, and past the side
        tags = Tags("defence", "parry", side, "upper torso", side)
    elif raised > 0.5 and up > 0.7:
        tags, kind = Tags("transition", "guard", "", "head"), "guard"
    elif raised > 0.17 and up > 0.7 and abs(aside) > 0.1:
        tags, kind = Tags("transition", "guard", "", "upper torso"), "guard"
    elif raised > 0.17 and up > 0.8 and back:
        tags, kind = Tags("transition", "feint"), "feint"
    elif -0.24 < up < 0.135 and blade.velocity[peak, 2] < -0.85 * blade.speed[peak]:
        tags, kind = Tags("transition", "guard", "", "lower torso"), "low guard"
    else:
        return None
    return Event(peak, peak + round(0.15 * RATE), _TIMINGS[kind], tags, 0.7)
