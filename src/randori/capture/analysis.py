"""From a recording to what is in it."""

from dataclasses import dataclass

import numpy as np

from randori.capture.actions import Analysis, Segment, Strike
from randori.capture.events import Blow, Event
from randori.capture.falling import falling_events, jolts_of, reactions
from randori.capture.fencing import fencing_events
from randori.capture.fighting import fighting_events
from randori.capture.moves import foot_swings
from randori.capture.segmentation import cut
from randori.capture.signals import RATE, Signals, observe, on_guard
from randori.capture.walking import walking_events
from randori.motion.clip import Clip


@dataclass(frozen=True)
class Settings:
    """What an animator can turn."""


def analyse(clip: Clip, settings: Settings | None = None) -> Analysis:
    """Find the actions of a recording."""
    signals = observe(clip)
    events = find_events(signals)
    segments = []
    for s in cut(events, len(signals)):
        start, stop = signals.frame(s.start), signals.frame(s.stop)
        if s.stop >= len(signals):
            stop = len(clip)
        strikes = tuple(_strike(signals, e.blow) for e in s.events if e.blow is not None)
        if stop > start:
            segments.append(Segment(start, stop, s.tags, s.confidence, strikes))
    return Analysis(tuple(segments))


def find_events(signals: Signals) -> list[Event]:
    """Everything that happens, in the order in which it is seen."""
    swings = foot_swings(signals)
    guard = on_guard(signals)
    jolts = jolts_of(signals)
    falls = falling_events(signals, jolts)
    down = _covered(falls, len(signals))
    fight = fencing_events if signals.armed else fighting_events
    standing = [swing for swing in swings if not down[swing.lift]]
    fights = [event for event in fight(signals, standing) if guard[event.seen] and not down[event.seen]]
    strikes = [event.seen for event in fights if event.blow is not None]
    hits = [hit for hit in reactions(signals, jolts, strikes, standing, guard) if not down[hit.seen]]
    hit = _covered(hits, len(signals))
    walks = walking_events(signals, [s for s in standing if not guard[s.lift] and not hit[s.lift]])
    events = [event for event in [*fights, *walks] if not hit[event.seen]]
    return sorted([*events, *falls, *hits], key=lambda event: event.seen)


def _covered(events: list[Event], samples: int) -> np.ndarray:
    """(N,) bool: the samples that belong to these events, up to where the body rests."""
    covered = np.zeros(samples, dtype=bool)
    for number, event in enumerate(events):
        stop = min(event.seen + round(event.timing.settle * RATE), samples)
        if number + 1 < len(events):
            stop = min(stop, events[number + 1].seen)
        covered[event.seen : stop] = True
    return covered


def _strike(signals: Signals, blow: Blow) -> Strike:
    f = signals.frame
    return Strike(blow.effector, f(blow.peak) - 1, f(blow.extension) + 1, f(blow.peak), f(blow.extension), 1.0)
