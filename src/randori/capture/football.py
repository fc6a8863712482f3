"""Actions of a runner with a ball, or of a tackler."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.signals import RATE, Signals
from randori.capture.steps import Step, outings
from randori.motion.parts import SIDES

_BALL_STEPS = 2  # running steps that are needed to tell a ball
RUNNING = 1.8  # m/s
_STILL_ARM = (
    0.55  # share of the other arm's swing: an arm that holds something swings 0.2 to 0.5, a free one 0.7 up
)
_ARM_SWINGS = 0.1  # share of the arm's length, standard deviation: the least swing of a free arm
_ACROSS, _BEFORE_ACROSS = 1.1, 0.45  # m/s aside: the step past a person, and the one before
_SPUN, _SPINS, _WHOLE_SPIN = 45.0, 25.0, 250.0  # degrees: a step in the middle, at the ends, all together
_PASSES = 12.0  # degrees by which the way bends; a runner who brakes twists, and the way stays straight
_BENT, _DEEP = 33.0, 0.87  # degrees of the trunk, of the usual height of the hips: in a tackle
_STILL_BENT = 20.0  # degrees
BROUGHT_UP = 0.6  # share of the speed before that is left when a person is in the way
_SPRINTS_OFF = 1.12  # share of the speed before a step: a person who starts to run leans as far
_HIT_ON_THE_RUN, _HIT_ON_THE_WAY = 1.9, 0.6  # m/s before a fall


def with_ball(signals: Signals, steps: list[Step]) -> np.ndarray:
    """(S,) bool: the steps of runs in which one arm is kept still while the other swings."""
    ball = np.zeros(len(steps), dtype=bool)
    for outing in outings(steps):
        swings = [
            _arm_swings(signals, step)
            for step in steps[outing]
            if step.flight and step.forward > RUNNING and abs(step.turn) < _SPINS
        ]
        if len(swings) < _BALL_STEPS:
            continue
        less, more = sorted(np.mean(swings, axis=0))
        ball[outing] = more > _ARM_SWINGS and less < _STILL_ARM * more
    return ball


def _arm_swings(signals: Signals, step: Step) -> list[float]:
    """Standard deviation of each hand's swing before the chest in a step, in lengths of the arm."""
    span = slice(step.begin, max(step.end, step.begin + 2))
    chest = signals.places["chest"][span]
    return [
        float(signals.seen(signals.places[f"{side}_hand"][span] - chest, span)[:, 0].std()) / signals.arm
        for side in SIDES
    ]


def way_bends(steps: list[Step], number: int) -> bool:
    """Whether the way over the floor bends about a step, as that of a person who gets past another does."""
    about = steps[max(number - 1, 0) : number + 2]
    return max((abs(step.course) for step in about if step.flight), default=0.0) > _PASSES


def evasions(steps: list[Step], ball: np.ndarray) -> Iterator[tuple[int, int, Event]]:
    """Spins and side steps of a person with the ball: the first step, the last, the event."""
    for first, last in _spins(steps):
        way = "left" if steps[first].turn > 0.0 else "right"
        yield first, last, _event(Tags("locomotion", "spin", "", "", way))
    for number, (before, step) in enumerate(pairwise(steps), 1):
        way = np.sign(step.left)
        if not ball[number] or abs(step.left) < _ACROSS or way * before.left < _BEFORE_ACROSS or number < 2:
            continue
        if abs(step.turn) < _SPINS and abs(before.turn) < _SPINS and way_bends(steps, number):
            side = "left" if way > 0.0 else "right"
            yield number - 2, number, _event(Tags("locomotion", "side step", "", "", side))


def _spins(steps: list[Step]) -> Iterator[tuple[int, int]]:
    number = 0
    while number < len(steps):
        first = last = number
        way = np.sign(steps[number].turn)
        while last < len(steps) and way * steps[last].turn > _SPUN and steps[last].flight:
            last += 1
        number = max(last, number + 1)
        if last - first < 2:
            continue
        if first > 0 and way * steps[first - 1].turn > _SPINS:
            first -= 1
        if last < len(steps) and way * steps[last].turn > _SPINS:
            last += 1
        if way * sum(step.turn for step in steps[first:last]) > _WHOLE_SPIN:
            yield first, last - 1


def tackles(signals: Signals, steps: list[Step], ball: np.ndarray) -> Iterator[tuple[int, int, Event]]:
    """Low tackles: a runner whose trunk goes down, until the runner has stopped or has fallen."""
    bend = trunk_bend(signals)
    height = (signals.places["pelvis"][:, 1] - signals.floor) / signals.standing_height
    spans = [slice(step.begin, max(step.end, step.begin + 1)) for step in steps]
    bent = [float(bend[span].max()) for span in spans]
    deep = [float(height[span].min()) for span in spans]
    number = 1
    while number < len(steps):
        step = steps[number]
        runs = step.flight and steps[number - 1].flight and step.forward > RUNNING
        sprints_off = step.after > _SPRINTS_OFF * step.before
        if ball[number] or not runs or sprints_off or bent[number] < _BENT or deep[number] > _DEEP:
            number += 1
            continue
        last = number
        while last + 1 < len(steps) and not steps[last + 1].to_rest and not steps[last].stands:
            if bent[last + 1] < _STILL_BENT and bent[last] < _STILL_BENT:
                break
            last += 1
        falls = steps[last].stands and last + 1 < len(steps)
        brought_up = steps[last].after < BROUGHT_UP * step.before or falls
        side = SIDES[steps[number - 1].swing.side]
        if brought_up:
            yield number - 1, last, _event(Tags("attack", "tackle", side, "lower torso", "front"))
        number = last + 1


def trunk_bend(signals: Signals) -> np.ndarray:
    """(N,) degrees by which the line from hips to head leans from the vertical."""
    trunk = signals.places["head"] - signals.places["pelvis"]
    upright = trunk[:, 1] / np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)
    return np.asarray(np.degrees(np.arccos(np.clip(upright, -1.0, 1.0))))


def named_falls(signals: Signals, falls: list[Event]) -> list[Event]:
    """Falls with their cause: a runner is tackled or tackles, a walker stumbles."""
    bend = trunk_bend(signals)
    named = []
    for fall in falls:
        if fall.tags.kind == "fall":
            fall = replace(fall, tags=replace(fall.tags, technique=_cause(signals, bend, fall.seen)))
        named.append(fall)
    return named


def _cause(signals: Signals, bend: np.ndarray, start: int) -> str:
    before = slice(max(start - round(0.5 * RATE), 0), max(start - round(0.1 * RATE), 1))
    forward = _pace(signals, before)
    if forward > _HIT_ON_THE_RUN:
        return "tackle to the ground" if bend[before].max() > _BENT else "be tackled"
    # a person who staggers before a fall has stood until then
    earlier = slice(max(start - round(1.0 * RATE), 0), max(start - round(0.6 * RATE), 1))
    return "stumble and fall" if min(forward, _pace(signals, earlier)) > _HIT_ON_THE_WAY else "fall"


def _pace(signals: Signals, span: slice) -> float:
    """m/s by which the hips get on over the floor."""
    return float(np.linalg.norm(signals.velocities["pelvis"][span][:, [0, 2]].mean(axis=0)))


def _event(tags: Tags) -> Event:
    """An event whose times are those of its steps."""
    return Event(0, 0, Timing(0.0, 0.0, 0.0), tags, 0.8)
