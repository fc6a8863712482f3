"""What somebody does in a guard: punches, kicks, defences, footwork."""

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
from randori.capture.signals import RATE, Signals, smoothed
from randori.motion.parts import SIDES

# Hips lead a fist by 0.1 to 0.2 s and wind up before that; the body settles long after the fist is back.
# Counted from the peak of the fist, from the lift of the first foot, or from where the head is farthest.
_TIMES: dict[str, Timing] = {
    "jab": Timing(0.17, 0.17, 0.72),
    "stepping jab": Timing(0.33, 0.17, 0.79),
    "low jab": Timing(0.43, 0.20, 0.92),
    "straight": Timing(0.45, 0.18, 1.00),
    "hook": Timing(0.50, 0.19, 1.03),
    "low hook": Timing(0.44, 0.32, 1.02),
    "uppercut": Timing(0.49, 0.17, 1.12),
    "backfist": Timing(0.32, 0.17, 0.79),
    "high block": Timing(0.38, 0.30, 0.90),
    "block": Timing(0.34, 0.25, 0.95),
    "near block": Timing(0.22, 0.20, 0.74),
    "parry": Timing(0.19, 0.17, 0.66),
    "front kick": Timing(0.20, 0.20, 1.20),
    "skipping kick": Timing(0.26, 0.26, 1.40),
    "turning kick": Timing(0.32, 0.32, 1.50),
    "duck": Timing(0.50, 0.50, 0.63),
    "slip": Timing(0.53, 0.53, 0.62),
    "sway": Timing(0.44, 0.44, 0.68),
    "jump back": Timing(0.25, 0.25, 0.93),
    "switch stance": Timing(0.21, 0.21, 0.87),
    "step": Timing(0.15, 0.15, 0.92),
}
# Seconds in which a fist rises from half its speed to its peak at an ordinary tempo
_RISE = {"jab": 0.063, "straight": 0.088, "hook": 0.098, "uppercut": 0.066, "backfist": 0.067}


def stance(signals: Signals, sample: int) -> int:
    """Which foot is in front, 0 left or 1 right."""
    ahead = signals.places["left_foot"][sample] - signals.places["right_foot"][sample]
    return 0 if signals.seen(ahead, sample)[0] > 0.0 else 1


def fighting_events(signals: Signals, swings: list[Swing]) -> list[Event]:
    """Everything that happens in a recording, seen as a fight."""
    kicks = [(swing, named) for swing in swings if (named := name_kick(swing)) is not None]
    events = [_kick(swing, named, swings) for swing, named in kicks]
    events += _hand_events(signals, events, swings)
    events += _steps(signals, events, swings, [swing for swing, _ in kicks])
    events += _head_events(signals, events)
    return sorted(events, key=lambda event: event.seen)


def _samples(seconds: float) -> int:
    return round(seconds * RATE)


def _kick(swing: Swing, named: Named, swings: list[Swing]) -> Event:
    # a lead leg kicks after a skip: the other foot replaces it
    skips = [s for s in swings if s.side != swing.side and 0 <= swing.lift - s.lift < _samples(0.3)]
    if named.tags.technique == "front kick":
        timing = _TIMES["front kick"]
    else:
        timing = _TIMES["skipping kick" if skips else "turning kick"]
    blow = Blow(f"{SIDES[swing.side]}_foot", swing.peak, swing.extension)
    return Event(swing.lift, swing.land, timing, named.tags, named.confidence, blow)


def _hand_events(signals: Signals, kicks: list[Event], swings: list[Swing]) -> list[Event]:
    """Punches, blocks and parries; what a hand does while the body kicks is balance."""
    named: list[tuple[HandMove, Named]] = []
    for move in hand_moves(signals):
        if any(kick.seen - _samples(0.25) <= move.peak <= kick.seen + _samples(0.7) for kick in kicks):
            continue
        called = name_hand_move(move, stance(signals, max(move.onset - _samples(0.2), 0)))
        if called is not None:
            named.append((move, called))
    # the strongest first: a punch silences the other hand's guard, and what its own hand does next
    named.sort(key=lambda pair: -pair[0].speed * (1.0 if pair[1].tags.kind == "attack" else 0.5))
    kept: list[tuple[HandMove, Named]] = []
    for move, called in named:
        if not any(_silences(*other, move, called) for other in kept):
            kept.append((move, called))
    return [_hand_event(move, called, swings) for move, called in kept]


def _silences(strong: HandMove, said: Named, move: HandMove, called: Named) -> bool:
    """Whether a move is only a part of a stronger one."""
    apart = (move.peak - strong.peak) / RATE
    if move.side == strong.side:
        return -0.3 < apart < 0.28
    if called.tags.kind == "attack":
        return abs(apart) < 0.1
    return -0.3 < apart < 0.35


def _hand_event(move: HandMove, named: Named, swings: list[Swing]) -> Event:
    tags = named.tags
    blow = None
    kind = tags.technique
    if tags.kind == "attack":
        blow = Blow(f"{SIDES[move.side]}_hand", move.peak, move.extension)
        if kind == "jab" and tags.position == "lower torso":
            kind = "low jab"
        elif kind == "jab" and any(
            s.side == move.side and move.peak - _samples(0.3) < s.lift < move.peak for s in swings
        ):
            kind = "stepping jab"
        elif kind == "hook" and tags.position != "head":
            kind = "low hook"
    elif kind == "block":
        kind = {"head": "high block", "lower torso": "block"}.get(tags.position, "near block")
    return Event(move.peak, move.peak + _samples(0.06), _TIMES[kind], tags, named.confidence, blow)


def _steps(signals: Signals, events: list[Event], swings: list[Swing], kicks: list[Swing]) -> list[Event]:
    """Pairs of swings that are no part of a strike."""
    free = [swing for swing in swings if swing not in kicks and not _belongs(swing, events)]
    found = []
    while free:
        first = free.pop(0)
        second = None
        if free and free[0].side != first.side and free[0].lift - first.land < _samples(0.25):
            second = free.pop(0)
        found.append(_step(signals, first, second))
    return [event for event in found if event is not None]


def _belongs(swing: Swing, events: list[Event]) -> bool:
    """Whether a foot moves as a part of a strike: the short step of a jab, the skip before a kick."""
    for event in events:
        if event.blow is None:
            after = 0.3
        else:
            after = 0.3 if event.blow.effector.endswith("hand") else 0.5
        if event.seen - _samples(event.timing.lead + 0.02) <= swing.lift <= event.seen + _samples(after):
            return True
    return False


def _step(signals: Signals, first: Swing, second: Swing | None) -> Event | None:
    last = first.land if second is None else max(first.land, second.land)
    last = min(last, len(signals) - 1)
    begin = max(first.lift - _samples(0.1), 0)
    end = min(last + _samples(0.1), len(signals) - 1)
    feet = 0.5 * (signals.places["left_foot"] + signals.places["right_foot"])
    forward, left, _ = signals.seen(feet[last] - feet[begin], begin)
    turn = float(signals.turns["pelvis"][end] - signals.turns["pelvis"][begin])
    together = second is not None and second.lift - first.lift < _samples(0.1)
    timing = _TIMES["step"]
    if second is not None and stance(signals, begin) != stance(signals, last):
        tags = Tags("transition", "switch stance")
        timing = _TIMES["switch stance"]
    elif together and forward < -0.3:
        tags = Tags("defence", "jump back", "", "lower torso", "back")
        timing = _TIMES["jump back"]
    else:
        if hypot(forward, left) < 0.08 and abs(turn) < 0.3:
            return None
        tags = name_step(float(forward), float(left), turn)
    return Event(first.lift, last - _samples(0.1), timing, tags, 0.8)


def _head_events(signals: Signals, events: list[Event]) -> list[Event]:
    """Ducks, slips and sways, where nothing else explains that the head moves."""
    head = signals.places["head"]
    feet = 0.5 * (signals.places["left_foot"] + signals.places["right_foot"])
    place = smoothed(signals.seen(head - feet), 0.03)
    usual = np.median(place, axis=0)
    away = place - usual
    distance = np.sqrt((away[:, 0] / 0.17) ** 2 + (away[:, 1] / 0.17) ** 2 + (away[:, 2] / 0.13) ** 2)
    speed = np.linalg.norm(signals.velocities["head"], axis=-1)
    found = []
    for core in peaks_of(distance, 1.0, 0.35):
        if any(
            event.seen - _samples(event.timing.lead) <= core <= event.seen + _samples(0.45)
            for event in events
            if event.tags.kind != "defence" or event.tags.technique != "parry"
        ):
            continue
        before = max(core - _samples(0.4), 0)
        move = HeadMove(
            before,
            core,
            core,
            (float(away[core, 0]), float(away[core, 1]), float(away[core, 2])),
            float(speed[before : core + 1].max()),
        )
        named = name_head_move(move)
        if named is None or move.speed < 0.6:
            continue
        timing = _TIMES[named.tags.technique]
        found.append(Event(core, core + _samples(0.15), timing, named.tags, named.confidence))
    return found


def tempo(signals: Signals, events: list[Event]) -> float:
    """How slowly this person moves: 1 for an ordinary fighter, 1.3 for a tired one."""
    ratios = []
    for event in events:
        usual = _RISE.get(event.tags.technique)
        if usual is None or event.blow is None:
            continue
        speed = np.linalg.norm(
            signals.velocities[event.blow.effector] - signals.velocities["pelvis"], axis=-1
        )
        before = speed[max(event.seen - _samples(0.4), 0) : event.seen + 1]
        slow = np.flatnonzero(before < 0.5 * before[-1])
        if len(slow):
            ratios.append((len(before) - 1 - int(slow[-1])) / RATE / usual)
    # few punches say little
    trust = len(ratios) / (len(ratios) + 4.0)
    return float(np.clip(1.0 + trust * (np.median(ratios) - 1.0), 0.8, 1.5)) if ratios else 1.0
