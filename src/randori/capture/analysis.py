"""From a recording to what is in it."""

from dataclasses import dataclass

from randori.capture.actions import Analysis, Segment, Strike
from randori.capture.events import Blow
from randori.capture.fighting import fighting_events
from randori.capture.moves import foot_swings
from randori.capture.segmentation import cut
from randori.capture.signals import Signals, observe, on_guard
from randori.capture.walking import walking_events
from randori.motion.clip import Clip


@dataclass(frozen=True)
class Settings:
    """What an animator can turn."""


def analyse(clip: Clip, settings: Settings | None = None) -> Analysis:
    """Find the actions of a recording."""
    signals = observe(clip)
    swings = foot_swings(signals)
    guard = on_guard(signals)
    events = [event for event in fighting_events(signals, swings) if guard[min(event.seen, len(guard) - 1)]]
    events += walking_events(signals, [swing for swing in swings if not guard[swing.lift]])
    events.sort(key=lambda event: event.seen)
    segments = []
    for s in cut(events, len(signals)):
        start, stop = signals.frame(s.start), signals.frame(s.stop)
        if s.stop >= len(signals):
            stop = len(clip)
        strikes = tuple(_strike(signals, e.blow) for e in s.events if e.blow is not None)
        if stop > start:
            segments.append(Segment(start, stop, s.tags, s.confidence, strikes))
    return Analysis(tuple(segments))


def _strike(signals: Signals, blow: Blow) -> Strike:
    f = signals.frame
    return Strike(blow.effector, f(blow.peak) - 1, f(blow.extension) + 1, f(blow.peak), f(blow.extension), 1.0)
