"""From a recording to its actions."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from randori.capture.actions import Analysis, Segment
from randori.capture.crawling import crawls
from randori.capture.events import Event
from randori.capture.falling import falling_events, jolts_of, reactions
from randori.capture.fencing import fencing_events
from randori.capture.fighting import fighting_events
from randori.capture.football import named_falls
from randori.capture.holding import SWORD, equipped, swings_sword
from randori.capture.moves import foot_swings
from randori.capture.problems import find_problems
from randori.capture.segmentation import cut
from randori.capture.settling import settled
from randori.capture.sidecar import Row, with_edits
from randori.capture.signals import RATE, Signals, observe, on_guard
from randori.capture.strikes import effective_strike, strongest_blow
from randori.capture.walking import walking_events
from randori.motion.clip import Clip

_FALLS_SOON = 0.25  # seconds
_LANDS = 0.5  # seconds, before and after a kick, in which a body sinks for it
_FAST_ENOUGH = 90.0  # frames a second
_JUMP_KICK = 1.3  # share of the leg: no foot gets that high in a jump over something


@dataclass(frozen=True)
class Settings:
    """The settings of the analysis."""

    shortest_stand: float = 0.0  # seconds: a shorter rest belongs to the action before it


def analyse(
    clip: Clip, settings: Settings | None = None, edits: Sequence[Row] = (), holds: str = ""
) -> Analysis:
    """Find the actions of a recording; rows of a sidecar that a person has edited win.

    The analysis detects what the hands hold, unless `holds` names it: a word of `holding.HOLDS`.
    """
    chosen = settings or Settings()
    signals = _observed(clip)
    if not signals.armed and (holds == SWORD or (not holds and swings_sword(signals))):
        holds, signals = SWORD, replace(_observed(equipped(clip, SWORD)), guessed=True)
    elif holds != SWORD:
        holds = ""
    events = find_events(signals)
    segments = []
    for stretch in cut(events, len(signals), chosen.shortest_stand):
        start, stop = signals.frame(stretch.start), signals.frame(stretch.stop)
        if stretch.stop >= len(signals):
            stop = len(clip)
        if stop > start:
            segments.append(Segment(start, stop, stretch.tags, stretch.confidence))
    segments = with_edits(segments, edits, clip.fps, len(clip))
    found = tuple(_with_strikes(signals, segments, events))
    return Analysis(found, tuple(find_problems(clip, signals)), holds)


def _observed(clip: Clip) -> Signals:
    """A clip's signals; cameras that are faster than any movement are heard at half their rate or less."""
    step = int(clip.fps // _FAST_ENOUGH)
    if step > 1:
        _ = clip.positions  # worked out for all frames, which the search for problems needs anyway
    thin = clip.thinned(step)
    return replace(observe(thin), fps=clip.fps, frames=len(clip))


def find_events(signals: Signals) -> list[Event]:
    """Everything that happens, in the order in which it is seen."""
    swings = foot_swings(signals)
    guard = on_guard(signals)
    jolts = jolts_of(signals)
    falls = named_falls(signals, falling_events(signals, jolts))
    down = _covered(falls, len(signals))
    fight = fencing_events if signals.armed else fighting_events
    standing = [swing for swing in swings if not down[swing.lift]]
    fights = [event for event in fight(signals, standing) if not down[event.seen]]
    punches = [event for event in fights if not guard[event.seen] and _thrown_upright(signals, event)]
    kicks = [event for event in fights if not guard[event.seen] and _kicked_upright(signals, event)]
    fights = [event for event in fights if guard[event.seen]] + kicks
    strikes = [event.seen for event in fights if event.blow is not None]
    # hands are low for a while after getting up; a fighter is one all the same
    fighter = guard | (bool(np.mean(guard[~down]) > 0.5) if not down.all() else False)
    low = until_upright(falls, len(signals))
    afoot = [swing for swing in swings if not low[swing.lift]]
    hits = [hit for hit in reactions(signals, jolts, strikes, afoot, fighter) if not low[hit.seen]]
    busy = _covered(hits, len(signals)) | _covered(kicks, len(signals))
    falling = _shortly_before(falls, len(signals))
    walks = walking_events(signals, [s for s in standing if not guard[s.lift] and not busy[s.lift]], punches)
    walks = [e for e in walks if e.tags.kind not in ("locomotion", "luggage") or not falling[e.seen]]
    hit = _covered(hits, len(signals))
    fighting = guard | _about_kicks(fights, len(signals))
    walks = [event for event in walks if event.tags.kind != "luggage" or not fighting[event.seen]]
    events = [event for event in [*fights, *walks] if not hit[event.seen]]
    return settled(signals, _with_crawls(signals, [*events, *falls, *hits]))


def _with_crawls(signals: Signals, events: list[Event]) -> list[Event]:
    """Events in order; what seems to happen while a person crawls is part of that.

    A person who comes from a walk, crawls under something and walks on is recognised as a whole already.
    """
    under = [event for event in events if event.tags.technique == "crawl under"]
    for crawl in crawls(signals):
        if any(
            event.seen < crawl.done and event.done + event.timing.settle * RATE > crawl.seen
            for event in under
        ):
            continue
        events = [event for event in events if not crawl.seen <= event.seen < crawl.done]
        events.append(crawl)
    return sorted(events, key=lambda event: event.seen)


def _thrown_upright(signals: Signals, event: Event) -> bool:
    """A straight punch without a guard: arms swing in a walk, but not as far and as fast."""
    blow = event.blow
    if blow is None or event.tags.technique not in ("jab", "straight"):
        return False
    velocity = signals.velocities[blow.effector][blow.peak] - signals.velocities["pelvis"][blow.peak]
    return bool(np.linalg.norm(velocity) > 4.0)


def _kicked_upright(signals: Signals, event: Event) -> bool:
    """A kick without a guard: the foot is up high, and the other one stands or jumps."""
    blow = event.blow
    if blow is None or not blow.effector.endswith("foot"):
        return False
    side = blow.effector.split("_")[0]
    height = (signals.places[f"{side}_foot"][blow.extension, 1] - signals.floor) / signals.leg
    stands = bool(signals.contacts[blow.extension, 1 if side == "left" else 0])
    return bool(height > 0.7 and (stands or height > _JUMP_KICK))


def _covered(events: list[Event], samples: int) -> np.ndarray:
    """(N,) bool: the samples that belong to these events, up to where the body rests."""
    covered = np.zeros(samples, dtype=bool)
    for number, event in enumerate(events):
        stop = min(event.seen + round(event.timing.settle * RATE), samples)
        if number + 1 < len(events):
            stop = min(stop, events[number + 1].seen)
        covered[event.seen : stop] = True
    return covered


def until_upright(falls: list[Event], samples: int) -> np.ndarray:
    """(N,) bool: a person who gets up can be hit again once on the feet, before coming to rest."""
    low = _covered(falls, samples)
    for event, following in zip_longest(falls, falls[1:]):
        if event.tags.kind == "rise":
            settled_at = event.seen + round(event.timing.settle * RATE)
            # a character that falls again at once is not on its feet in between
            low[event.done : min(settled_at, following.seen if following else samples)] = False
    return low


def _about_kicks(fights: list[Event], samples: int) -> np.ndarray:
    """(N,) bool: a body that sinks there lands from a kick or throws one, and picks up nothing."""
    about = np.zeros(samples, dtype=bool)
    margin = round(_LANDS * RATE)
    for event in fights:
        if event.blow is not None and event.blow.effector.endswith("foot"):
            about[max(event.seen - margin, 0) : event.done + margin] = True
    return about


def _shortly_before(falls: list[Event], samples: int) -> np.ndarray:
    """(N,) bool: a foot's move there is part of the fall."""
    part = np.zeros(samples, dtype=bool)
    for event in falls:
        if event.tags.kind == "fall":
            part[max(event.seen - round(_FALLS_SOON * RATE), 0) : event.seen + 1] = True
    return part


def _with_strikes(signals: Signals, segments: list[Segment], events: list[Event]) -> list[Segment]:
    """Every strike in the segment that has its peak; a segment that a person calls an attack always has
    one."""
    strikes = [effective_strike(signals, event.blow) for event in events if event.blow is not None]
    strikes.sort(key=lambda strike: strike.peak)
    peaks = [strike.peak for strike in strikes]
    finished = []
    for segment in segments:
        own = strikes[bisect_left(peaks, segment.start) : bisect_left(peaks, segment.stop)]
        if segment.edited and segment.tags.kind != "attack":
            own = []
        elif segment.edited and not own:
            start, stop = (round(frame * RATE / signals.fps) for frame in (segment.start, segment.stop))
            blow = strongest_blow(signals, start, min(stop, len(signals)), segment.tags.side)
            own = [] if blow is None else [effective_strike(signals, blow)]
        finished.append(replace(segment, strikes=tuple(own)))
    return finished
