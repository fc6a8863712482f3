"""Actions of a person in a guard: punches, kicks, defences, footwork."""

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import pairwise
from math import hypot

import numpy as np

from randori.capture.actions import Tags
from randori.capture.classification import (
    Named,
    name_hand_move,
    name_head_move,
    name_kick,
    name_step,
)
from randori.capture.events import Blow, Event, Timing
from randori.capture.moves import HandMove, HeadMove, Swing, hand_moves, peaks_of
from randori.capture.signals import RATE, Signals, derivative, runs, smoothed
from randori.motion import rotations as rot
from randori.motion.parts import SIDES

# Hips lead a fist by 0.1 to 0.2 s and wind up before that; the body settles long after the fist is back.
# Counted from the peak of the fist, from where the first heel rises, or from where the head is farthest.
_TIMINGS: dict[str, Timing] = {
    "jab": Timing(0.16, 0.16, 0.47, rise=0.0688),
    "stepping jab": Timing(0.31, 0.16, 0.62, rise=0.0632, flows_within=0.5),
    "low jab": Timing(0.468, 0.19, 0.73, rise=0.115),
    "straight": Timing(0.415, 0.187, 0.93, rise=0.0888, flows_within=0.55),
    "low straight": Timing(0.55, 0.21, 0.95, rise=0.114, flows_within=0.6),
    "hook": Timing(0.50, 0.22, 0.87, rise=0.115, flows_within=0.6),
    "low hook": Timing(0.37, 0.28, 0.845, rise=0.106),
    "lead hook": Timing(0.464, 0.187, 0.78, rise=0.1134, flows_within=0.61),
    "low lead hook": Timing(0.446, 0.223, 0.775, rise=0.1088),
    "uppercut": Timing(0.436, 0.15, 0.91, rise=0.0726, flows_within=0.5),
    "lead uppercut": Timing(0.50, 0.167, 0.98, rise=0.0879),
    "backfist": Timing(0.42, 0.42, 0.66),
    "block": Timing(0.35, 0.28, 1.00),
    "middle block": Timing(0.33, 0.33, 0.85),
    "low block": Timing(0.30, 0.28, 0.88),
    "near block": Timing(0.21, 0.19, 0.61),
    "cover": Timing(0.22, 0.22, 0.77),
    "parry": Timing(0.21, 0.16, 0.53),
    "front kick": Timing(0.17, 0.17, 1.12),
    "lead front kick": Timing(0.28, 0.28, 1.12),
    "skipping kick": Timing(0.27, 0.25, 1.31),
    "turning kick": Timing(0.31, 0.31, 1.40),
    "high turning kick": Timing(0.345, 0.345, 1.40),
    "duck": Timing(0.51, 0.51, 0.50),
    "slip": Timing(0.53, 0.53, 0.50),
    "sway": Timing(0.42, 0.45, 0.44),
    "jump back": Timing(0.20, 0.20, 0.83),
    "switch stance": Timing(0.14, 0.14, 0.67),
    "step": Timing(0.08, 0.08, 0.56),
    "turn": Timing(0.10, 0.10, 0.615),
}
_FAR_HEAD = (0.17, 0.14, 0.16)  # metres down, aside, back: a head that far away is not where it rests
_IN_FRONT = 0.18  # metres: a foot that is clearly in front of the other
_BACK_AND_FORTH = 0.11  # metres
_RETREAT_DISTANCE = 0.1  # metres: a foot that goes back as far after a blow is no part of it
_IN_PLACE = 0.17  # metres
_AT_ONCE, _JUMPED = 0.06, 0.3  # seconds, metres
_NEARER_SECONDS = 0.1  # seconds
_ANOTHER_MATTER = round(10.0 * RATE)  # samples
_FOLLOWING_SECONDS = 0.3  # seconds after the peak of a punch in which the rear foot comes after it
_SNAP_SECONDS = 0.75  # seconds in the air
# Seconds from when the foot stands to rest
_AFTER_STEP, _AFTER_PASS, _AFTER_FRONT_KICK, _AFTER_KICK, _AFTER_HIGH_KICK = 0.025, 0.07, 0.19, 0.23, 0.33
# Seconds from a head that is out of the way to the peak of the counter, and between two punches of one attack
_COUNTER, _COMBINED = 0.33, 0.9
# Seconds from when the body sets off to when the head gets out of the way fastest
_SETS_OFF = {"duck": 0.27, "slip": 0.28, "slip to the lead": 0.355, "sway": 0.21}
# metres of the head as a counter leaves: duck, slip, slip that is seen from the side, sway
_SUNK, _LOWERED, _BENT, _BACK = -0.165, -0.075, -0.045, -0.145
_ASIDE_DISTANCE = 0.11  # metres
# seconds before its peak at which a straight counter leaves; metres that the head is down or back by then
_LEAVES, _STILL_LOWERED, _STILL_BACK = 0.22, -0.05, -0.13
# Seconds from when a head is fastest to the peak of the blow: less is its wind-up, more is another matter
_SHORTLY, _LONG_AGO = 0.34, 0.6
# Seconds from its peak to when a straight arm is drawn back fastest, at an ordinary tempo
_DRAWN_BACK = {"jab": 0.168, "straight": 0.235}
_OWN_TEMPO_SHARE = 0.43  # share of the logarithm: how much a single punch says about its own tempo
_A_THIRD = 0.3  # share of the peak's speed


def stance(signals: Signals, sample: int) -> int:
    """The foot in front: 0 left or 1 right."""
    return 0 if _left_ahead(signals, sample) > 0.0 else 1


def _stood(signals: Signals, first: int, last: int) -> int:
    """The first of some samples in which both feet stand; a foot that still flies tells no stance."""
    both = np.flatnonzero(signals.contacts[first : last + 1].all(axis=1))
    return first + int(both[0]) if len(both) else first


def _left_ahead(signals: Signals, sample: int) -> float:
    """Metres by which the left foot is before the right one."""
    ahead = signals.places["left_foot"][sample] - signals.places["right_foot"][sample]
    return float(signals.seen(ahead, sample)[0])


def fighting_events(signals: Signals, swings: list[Swing]) -> list[Event]:
    """Everything that happens in a recording, seen as a fight."""
    kicks = [(swing, named) for swing in swings if (named := name_kick(swing)) is not None]
    kicked = {swing for swing, _ in kicks}
    jumps = _jumps_back([swing for swing in swings if swing not in kicked])
    jumping = {swing for pair in jumps for swing in pair}
    swings = [swing for swing in swings if swing not in jumping]
    events = [_kick(signals, swing, named, swings, 1.0) for swing, named in kicks]
    airborne = [(first.lift, min(first.land, second.land)) for first, second in jumps]
    hands = _hand_events(signals, events, airborne, swings)
    pace = _tempo(signals, hands)
    hands = [_with_own_settling(signals, _with_own_tempo(signals, event, pace), pace) for event in hands]
    events = [*hands, *(_kick(signals, swing, named, swings, pace) for swing, named in kicks)]
    events += [_jump_back(first, second, pace) for first, second in jumps]
    events += _covers(signals, events, pace)
    away = _head_away(signals)
    events += _countered(signals, away, events, pace)
    heads = _head_moves(signals, away)
    events += _head_events(signals, away, heads, events, pace, deep=True)
    events += footwork(signals, events, [swing for swing in swings if swing not in kicked], pace)
    events += _head_events(signals, away, heads, events, pace, deep=False)
    return [replace(event, timing=event.timing.scaled(pace)) for event in events]


def _samples(seconds: float) -> int:
    return round(seconds * RATE)


def _kick(signals: Signals, swing: Swing, named: Named, swings: list[Swing], pace: float) -> Event:
    # a lead leg kicks after a skip: the other foot replaces it
    skips = [s for s in swings if s.side != swing.side and 0 <= swing.lift - s.lift < _samples(0.3)]
    if named.tags.technique == "front kick":
        snaps = (
            swing.land - swing.lift
        ) / RATE < _SNAP_SECONDS * pace  # from the lead leg; a push takes its time
        timing = _TIMINGS["lead front kick" if snaps else "front kick"]
    elif skips:
        timing = _TIMINGS["skipping kick"]
    else:
        timing = _TIMINGS["high turning kick" if swing.raised > 1.12 else "turning kick"]
    blow = Blow(f"{SIDES[swing.side]}_foot", swing.peak, swing.extension)
    # a quick kick is put down before the body is back
    length = (swing.land - swing.lift) / RATE / pace
    if named.tags.technique == "front kick":
        after = _AFTER_FRONT_KICK
    else:
        after = _AFTER_HIGH_KICK if timing is _TIMINGS["high turning kick"] else _AFTER_KICK
    timing = replace(timing, settle=length + after + max(0.0, 0.9 - length) * 0.5)
    return Event(swing.lift, swing.land - _samples(0.12), timing, named.tags, named.confidence, blow)


def _hand_events(
    signals: Signals, kicks: list[Event], airborne: list[tuple[int, int]], swings: list[Swing]
) -> list[Event]:
    """Punches, blocks and parries; moves of a hand during a kick or a jump are balance."""
    named: list[tuple[HandMove, Named, int]] = []
    kicked = sorted(kick.seen for kick in kicks)
    for move in hand_moves(signals):
        if _within(kicked, move.peak - _samples(0.7) - 1, move.peak + _samples(0.25) + 1):
            continue
        if any(lift - _samples(0.15) <= move.peak <= land for lift, land in airborne):
            continue
        lead = stance(signals, _stood(signals, max(move.onset - _samples(0.2), 0), move.peak))
        if (called := name_hand_move(move, lead)) is not None:
            named.append((move, called, lead))
    # the strongest first: a punch silences the other hand's guard, and the next move of its own hand
    named.sort(key=lambda row: -row[0].speed * (1.0 if row[1].tags.kind == "attack" else 0.5))
    kept: list[tuple[HandMove, Named, int]] = []
    near: dict[int, list[HandMove]] = {}  # second → the moves kept then: those farther off silence nothing
    for row in named:
        second = int(row[0].peak / RATE)
        strong = [move for k in (second - 1, second, second + 1) for move in near.get(k, ())]
        if not any(_silences(move, row[0], row[1]) for move in strong):
            kept.append(row)
            near.setdefault(second, []).append(row[0])
    lifts = [sorted(swing.lift for swing in swings if swing.side == side) for side in range(2)]
    return [_hand_event(signals, move, called, lifts, lead) for move, called, lead in kept]


def _silences(strong: HandMove, move: HandMove, called: Named) -> bool:
    """Whether a move is only a part of a stronger one."""
    apart = (move.peak - strong.peak) / RATE
    if move.side == strong.side:
        # a hand that is lowered for an uppercut blocks nothing
        return (-0.3 if called.tags.kind == "attack" else -0.4) < apart < 0.28
    if called.tags.kind == "attack":
        return abs(apart) < 0.1
    return -0.3 < apart < 0.35


def _hand_event(signals: Signals, move: HandMove, named: Named, lifts: list[list[int]], lead: int) -> Event:
    """A named move with its times; `lifts` are the samples, in order, in which each foot lifts."""
    tags = named.tags
    blow = None
    kind = tags.technique
    leads, low = move.side == lead, tags.position != "head"
    if tags.kind == "attack":
        blow = Blow(f"{SIDES[move.side]}_hand", move.peak, move.extension)
        if kind == "hook":
            # to the body the knees go along
            sunk = _sinks(signals, move.peak) > (0.03 if leads else 0.05)
            kind = ("low " if sunk else "") + ("lead hook" if leads else "hook")
        elif kind in ("jab", "straight") and low:
            kind = f"low {kind}"
        elif kind == "uppercut" and leads:
            kind = "lead uppercut"
        elif kind == "jab" and _within(lifts[move.side], move.peak - _samples(0.3), move.peak):
            kind = "stepping jab"
    elif kind == "block" and tags.position == "upper torso":
        kind = "near block" if leads else "middle block"
    elif kind == "block" and low:
        kind = "low block"
    return Event(move.peak, move.peak + _samples(0.06), _TIMINGS[kind], tags, named.confidence, blow)


def _within(samples: list[int], first: int, last: int) -> bool:
    """Whether any of some samples, in order, lies between two others."""
    after = bisect_right(samples, first)
    return after < len(samples) and samples[after] < last


def _with_own_tempo(signals: Signals, event: Event, pace: float) -> Event:
    """Correct the pace of a punch by the speed at which its fist rises; half of that speed is chance."""
    timing = event.timing
    if event.blow is None or timing.rise == 0.0:
        return event
    rise = _rise(signals, event)
    if rise is None:
        return event
    own = float(np.clip(rise / timing.rise / pace, 0.7, 1.4)) ** _OWN_TEMPO_SHARE
    settle = timing.settle if event.tags.technique in _DRAWN_BACK else own * timing.settle
    return replace(
        event, timing=replace(timing, lead=own * timing.lead, flow=own * timing.flow, settle=settle)
    )


def _rise(signals: Signals, event: Event) -> float | None:
    """Seconds in which a fist gets from a third of its speed to its peak."""
    assert event.blow is not None
    span = slice(max(event.seen - _samples(0.4), 0), event.seen + 1)
    before = np.linalg.norm(
        signals.velocities[event.blow.effector][span] - signals.velocities["pelvis"][span], axis=-1
    )
    slow = np.flatnonzero(before < _A_THIRD * before[-1])
    if len(slow) == 0:
        return None
    last = int(slow[-1])
    part = (_A_THIRD * before[-1] - before[last]) / (before[last + 1] - before[last])
    return float((len(before) - 1 - last - part) / RATE)


def _with_own_settling(signals: Signals, event: Event, pace: float) -> Event:
    """Correct the pace of a punch by the speed at which its straight arm is drawn back."""
    usual = _DRAWN_BACK.get(event.tags.technique)
    if usual is None or event.blow is None:
        return event
    first, last = event.blow.extension, min(event.blow.extension + _samples(0.6), len(signals))
    velocity = signals.velocities[event.blow.effector][first:last] - signals.velocities["pelvis"][first:last]
    if len(velocity) < 3:
        return event
    back = first + int(np.argmax(np.linalg.norm(smoothed(velocity, 0.03), axis=-1)))
    own = float(np.clip((back - event.seen) / RATE / usual, 0.7, 1.8))
    settle = event.timing.settle * (0.45 + 0.55 * own / pace)
    return replace(event, timing=replace(event.timing, settle=settle))


def _covers(signals: Signals, events: list[Event], pace: float) -> list[Event]:
    """Both forearms close before the face."""
    left, right, head = (signals.places[part] for part in ("left_hand", "right_hand", "head"))
    apart = np.linalg.norm(left - right, axis=-1) / signals.arm
    away = np.maximum(*(np.linalg.norm(hand - head, axis=-1) for hand in (left, right))) / signals.arm
    tags = Tags("defence", "block", "both", "head", "front")
    found = []
    for start, stop in runs((apart < 0.42) & (away < 0.79)):
        striking = (event.blow.peak for event in events if event.blow is not None)
        if stop - start >= _samples(0.08) and not any(
            start - _samples(0.35 * pace) < peak < start + _samples(0.13) for peak in striking
        ):
            found.append(Event(start, start + _samples(0.04), _TIMINGS["cover"], tags, 0.7))
    return found


def _sinks(signals: Signals, sample: int) -> float:
    """Metres by which the pelvis is lower than usual."""
    height = float(signals.places["pelvis"][sample, 1]) - signals.floor
    return signals.standing_height - height


def footwork(signals: Signals, events: list[Event], swings: list[Swing], pace: float = 1.0) -> list[Event]:
    """Pairs of swings that are no part of a strike."""
    punches = [event.seen for event in events if event.blow and event.blow.effector.endswith("hand")]
    punches.sort()
    swings = [_turned_back(signals, swing, punches) for swing in swings]
    begins, ends = np.array([_strike_span(event, pace) for event in events]).reshape(-1, 2).T
    lifts = np.array([swing.lift for swing in swings], dtype=int)[:, None]
    belongs = np.any((begins <= lifts) & (lifts <= ends), axis=1).tolist()
    free = [swing for swing, part in zip(swings, belongs) if not part]
    found = []
    number = 0
    while number < len(free):
        pair = number + 1 < len(free) and _pairs(free[number : number + 3], pace)
        found.append(_step(signals, free[number], free[number + 1] if pair else None, pace))
        number += 2 if pair else 1
    return [event for event in found if event is not None]


class _InTime:
    """Events in the order in which they are seen."""

    def __init__(self, events: list[Event]):
        self.events = sorted(events, key=lambda event: event.seen)
        self.seen = [event.seen for event in self.events]

    def about(self, sample: int) -> list[Event]:
        """The events near a sample: those farther away in time cannot be related."""
        first = bisect_right(self.seen, sample - _ANOTHER_MATTER)
        return self.events[first : bisect_left(self.seen, sample + _ANOTHER_MATTER)]


def _jumps_back(swings: list[Swing]) -> list[tuple[Swing, Swing]]:
    """Both feet leave the floor at once, far backwards, and land at once."""
    return [
        (first, second)
        for first, second in pairwise(swings)
        if first.side != second.side
        and max(abs(second.lift - first.lift), abs(second.land - first.land)) <= _samples(_AT_ONCE)
        and max(first.travel[0], second.travel[0]) < -_JUMPED
    ]


def _jump_back(first: Swing, second: Swing, pace: float) -> Event:
    tags = Tags("defence", "jump back", "", "lower torso", "back")
    timing = _TIMINGS["jump back"]
    peel = (first.lift - first.leaves) / RATE / pace
    timing = replace(timing, lead=timing.lead + peel)
    return Event(first.lift, max(first.land, second.land) - _samples(0.1), timing, tags, 0.8)


def _pairs(swings: list[Swing], pace: float) -> bool:
    """Whether the second of two or three swings ends what the first began, and is not nearer to the third."""
    first, second = swings[:2]
    gap = second.lift - first.land
    if second.side == first.side or gap >= _samples(0.28 * pace):
        return False
    if len(swings) == 2 or swings[2].side == second.side:
        return True
    return swings[2].lift - second.land > gap - _samples(_NEARER_SECONDS)


def _turned_back(signals: Signals, swing: Swing, punches: list[int]) -> Swing:
    """A foot that sets out to follow a punch and goes back instead: it retreats from where it turns.

    `punches` are the samples, in order, in which fists are fastest.
    """
    if not _within(punches, swing.lift - _samples(_FOLLOWING_SECONDS), swing.lift):
        return swing
    foot = signals.places[f"{SIDES[swing.side]}_foot"][swing.lift : swing.land + 1]
    ahead = signals.seen(foot, swing.lift)[:, 0]
    if ahead.max() - ahead[-1] < _RETREAT_DISTANCE:
        return swing
    turns = swing.lift + int(np.argmax(ahead))
    return replace(swing, leaves=turns, lift=turns)


def _strike_span(event: Event, pace: float) -> tuple[int, int]:
    """Samples in which a foot that lifts is part of a strike: the step of a jab, the skip before a kick."""
    begin = event.seen - _samples(pace * event.timing.lead + 0.02)
    if event.blow is not None and event.blow.effector.endswith("foot"):
        return begin, event.done
    return begin, event.seen + _samples((0.5 if event.tags.technique == "duck" else 0.28) * pace)


def _step(signals: Signals, first: Swing, second: Swing | None, pace: float) -> Event | None:
    last = first.land if second is None else max(first.land, second.land)
    last = min(last, len(signals) - 1)
    begin = max(first.lift - _samples(0.1), 0)
    at = [begin, last]
    feet = 0.5 * (signals.places["left_foot"][at] + signals.places["right_foot"][at])
    forward, left, _ = signals.seen(feet[1] - feet[0], begin)
    in_place = second is not None and hypot(forward, left) < _IN_PLACE
    turn = _turn(signals, begin, last, in_place)
    timing = _TIMINGS["step"]
    before, after = _left_ahead(signals, begin), _left_ahead(signals, last)
    switched = before * after < 0.0 and min(abs(before), abs(after)) > _IN_FRONT
    if second is not None and abs(forward) < 0.25 and switched:
        tags = Tags("transition", "switch stance")
        timing = _TIMINGS["switch stance"]
    else:
        if hypot(forward, left) < 0.08 and abs(turn) < 0.3:
            return None
        tags = name_step(float(forward), float(left), turn)
        if tags.technique.startswith("turn"):
            timing = _TIMINGS["turn"]
    length = (last - first.lift) / RATE / pace
    # a foot that passes the other one has farther to come to rest
    farther = _AFTER_PASS if before * after < 0.0 and tags.technique != "switch stance" else 0.0
    peel = (first.lift - first.leaves) / RATE / pace
    # the feet are quicker than the body that goes with them
    settle = max(length + _AFTER_STEP, timing.settle) + farther
    timing = replace(timing, lead=timing.lead + peel, settle=settle)
    return Event(first.lift, last - _samples(0.1), timing, tags, 0.8)


def _turn(signals: Signals, begin: int, end: int, in_place: bool) -> float:
    """Radians to the left that both the head and the line between the feet have turned.

    A head turns for other reasons too, and the line between the feet does when one foot passes the other;
    only if both feet have swung and are where they were, the line tells it alone.
    """
    line = signals.places["left_foot"][[begin, end]] - signals.places["right_foot"][[begin, end]]
    yaw = np.arctan2(line[:, 0], line[:, 2])
    feet = float(rot.wrap_angle(yaw[1] - yaw[0]))
    if in_place:
        return feet
    early, late = max(begin - _samples(0.3), 0), min(end + _samples(0.3), len(signals) - 1)
    head = float(signals.facing[late] - signals.facing[early])
    return min(feet, head, key=abs) if feet * head > 0.0 else 0.0


def _head_away(signals: Signals) -> np.ndarray:
    """(N, 3) metres forward, left and up from where the head usually is above the feet."""
    feet = 0.5 * (signals.places["left_foot"] + signals.places["right_foot"])
    place = smoothed(signals.seen(signals.places["head"] - feet), 0.03)
    return np.asarray(place - np.median(place, axis=0))


def _countered(signals: Signals, away: np.ndarray, events: list[Event], pace: float) -> list[Event]:
    """Evasions of the head before a counter.

    A wind-up leaves the head where it is; when a counter leaves, it is still down, aside or back.
    """
    known = _InTime(events)
    blows = [event for event in events if event.blow is not None]
    found = []
    for punch in blows:
        if punch.blow is None or not punch.blow.effector.endswith("hand"):
            continue
        core = punch.seen - _samples(_COUNTER * pace)
        busy = punch.seen - _samples(_COMBINED * pace)
        before = (blow for blow in known.about(punch.seen) if blow.blow is not None)
        if core < 0 or any(busy < blow.done and blow.seen < punch.seen for blow in before):
            continue
        evaded = _evaded(away, core, punch.seen - _samples(_LEAVES * pace), punch.tags.technique)
        if evaded is None:
            continue
        technique, side = evaded
        stays = technique == "slip" and punch.seen - _sets_off(away, core, pace) > _samples(_LONG_AGO * pace)
        explained = any(
            _explains(event, core, pace, True) for event in known.about(core) if event.seen < core
        )
        if not stays and not explained:
            tags = Tags("defence", technique, "", "head", side)
            timing = _head_timing(signals, away, core, tags, pace)
            found.append(Event(core, core, timing, tags, 0.7))
    return found


def _evaded(away: np.ndarray, core: int, late: int, counter: str) -> tuple[str, str] | None:
    """The kind and direction of a head's evasion before a counter.

    Later, as the counter leaves, a swing has begun to take the head along, but a straight punch has not.
    """
    forward, left, up = (float(value) for value in away[core])
    backward, _, down = (float(value) for value in away[late])
    straight = counter in ("jab", "straight")
    if up < _SUNK:
        return "duck", "front"
    if up < (_BENT if abs(left) > _ASIDE_DISTANCE else _LOWERED) or (straight and down < _STILL_LOWERED):
        return "slip", "left" if left > 0.0 else "right"
    if forward < _BACK or (straight and backward < _STILL_BACK):
        return "sway", "back"
    return None


def _head_moves(signals: Signals, away: np.ndarray) -> list[HeadMove]:
    """Stretches in which the head is far from its usual place above the feet."""
    speed = signals.speed("head")
    # a duck is a drop, a slip goes aside, a sway back: each has its own height
    ways = (-away[:, 2], np.abs(away[:, 1]), -away[:, 0])
    cores = {
        core for way, far in zip(ways, _FAR_HEAD) for core in peaks_of(way, far, 0.3) if _returns(way, core)
    }
    moves = []
    for core in sorted(cores):
        before = max(core - _samples(0.4), 0)
        fastest = float(speed[before : core + 1].max())
        forward, left, up = (float(value) for value in away[core])
        moves.append(HeadMove(core, (forward, left, up), fastest))
    return sorted(moves, key=lambda move: float(-np.linalg.norm(move.away)))


def _returns(way: np.ndarray, core: int) -> bool:
    """Whether a head goes out and comes back; one that only stands elsewhere has not moved."""
    before, after = way[max(core - _samples(0.6), 0) : core + 1], way[core : core + _samples(0.7)]
    return bool(way[core] - max(before.min(), after.min()) > _BACK_AND_FORTH)


def _head_events(
    signals: Signals, away: np.ndarray, heads: list[HeadMove], events: list[Event], pace: float, deep: bool
) -> list[Event]:
    """Ducks, slips and sways, where nothing else explains that the head moves.

    A duck can be made with a step, so the deep ones are looked for before the steps are.
    """
    known = _InTime(events)
    found: list[Event] = []
    for move in heads:
        named = name_head_move(move)
        if (
            named is None
            or move.speed < 0.6
            or (deep and (named.tags.technique != "duck" or move.away[2] > -0.24))
        ):
            continue
        forward, left, up = move.away
        wide = max(abs(left) / 0.22, -up / 0.24, -forward / 0.26) > 1.0
        near = known.about(move.core)
        if any(_explains(event, move.core, pace, wide) for event in [*near, *found]):
            continue
        if not deep and any(_winds_up(event, away, move.core, wide, pace) for event in near):
            continue
        timing = _head_timing(signals, away, move.core, named.tags, pace)
        found.append(Event(move.core, move.core, timing, named.tags, named.confidence))
    return found


def _winds_up(event: Event, away: np.ndarray, core: int, wide: bool, pace: float) -> bool:
    """Whether a head moves because a blow comes next: not far, or too shortly before it."""
    if event.blow is None or not 0 < event.seen - core < _samples(0.5 * pace):
        return False
    return not wide or event.seen - _sets_off(away, core, pace) < _samples(_SHORTLY * pace)


def _sets_off(away: np.ndarray, core: int, pace: float) -> int:
    """The sample in which a head gets out of the way fastest."""
    early = max(core - _samples(0.5 * pace), 0)
    speed = np.linalg.norm(smoothed(derivative(away[early : core + 1]), 0.04), axis=-1)
    return early + int(np.argmax(speed))


def _head_timing(signals: Signals, away: np.ndarray, core: int, tags: Tags, pace: float) -> Timing:
    """A head is on its way for a while when it is fastest; how long it then stays out is its own affair."""
    fastest = _sets_off(away, core, pace)
    kind = tags.technique
    if kind == "slip" and tags.direction == SIDES[stance(signals, core)]:
        kind = "slip to the lead"
    lead = _SETS_OFF[kind] + (core - fastest) / RATE / pace
    return replace(_TIMINGS[tags.technique], lead=lead, flow=lead)


def _explains(event: Event, core: int, pace: float, wide: bool) -> bool:
    """Whether the head is away at a sample because of something else."""
    if event.blow is None:
        if event.tags.technique == "parry":
            return False
        ahead, behind = (0.1, event.timing.settle - 0.2) if event.tags.kind == "transition" else (0.3, 0.4)
    elif event.blow.effector.endswith("hand"):
        # a head that was far out may be on its way back already when the counter is thrown
        ahead, behind = 0.12 if wide else 0.2, 0.6 if event.tags.technique == "hook" else 0.42
    else:
        ahead, behind = 0.25, (event.done - event.seen) / RATE / pace + 0.15
    return event.seen - _samples(ahead * pace) <= core <= event.seen + _samples(behind * pace)


def _tempo(signals: Signals, events: list[Event]) -> float:
    """The slowness of this person: 1 for an ordinary fighter, 1.3 for a tired one."""
    ratios = []
    for event in events:
        low = event.tags.technique in _DRAWN_BACK and event.tags.position != "head"  # the knees set its tempo
        if event.blow is None or event.timing.rise == 0.0 or low:
            continue
        if (rise := _rise(signals, event)) is not None:
            ratios.append(rise / event.timing.rise)
    # few punches say little
    trust = len(ratios) / (len(ratios) + 4.0)
    return float(np.clip(1.0 + 1.2 * trust * (np.median(ratios) - 1.0), 0.8, 1.5)) if ratios else 1.0
