"""The end of an action: not by the clock, but where the body is as quiet as when this person stands."""

from dataclasses import replace

import numpy as np

from randori.capture.events import Event
from randori.capture.segmentation import STAND, Stretch, cut
from randori.capture.signals import RATE, Signals, smoothed

_PARTS = ("head", "chest", "pelvis", "left_hand", "right_hand")
_SMOOTHING = 0.06  # seconds, standard deviation: less than a movement, more than noise
_LEAST_STANDING = 1.5  # seconds by which a person's quiet can be judged
_RESTLESS_SPEED = 0.6  # m/s: where a person bounces that much, no end can be seen
_STANDING_PERCENTILE = 80.0  # percentile: for so much of the time, a standing person is quieter than a move
_QUIET_SECONDS = 0.15  # seconds that it lasts
_EARLIEST, _LATEST = 0.6, 1.7  # share of the usual duration
_EASING_SECONDS = (
    0.06  # seconds: a person who gets up comes to rest slowly, and is seen as quiet a little before
)
_LONGEST_RISE = 1.5  # seconds from when a person who gets up is upright


def settled(signals: Signals, events: list[Event]) -> list[Event]:
    """Events (in the order in which they are seen) with the time that each really takes to come to rest."""
    stretches = cut(events, len(signals))
    stir = np.max([smoothed(signals.speed(part), _SMOOTHING) for part in _PARTS], axis=0)
    level = _calm(stir, stretches)
    if level is None:
        return events
    quiet = (
        np.convolve(stir < level, np.ones(round(_QUIET_SECONDS * RATE)), mode="full")
        >= round(_QUIET_SECONDS * RATE) - 0.5
    )
    quiet = quiet[round(_QUIET_SECONDS * RATE) - 1 :]  # from here on
    trust = 1.0 - level / _RESTLESS_SPEED
    return [_own(event, quiet, trust) for event in events]


def _calm(stir: np.ndarray, stretches: list[Stretch]) -> float | None:
    """m/s: at a higher speed, this person does not stand. None if it cannot be told."""
    stands = [stir[s.start : s.stop] for s in stretches if s.tags == STAND]
    standing = np.concatenate(stands) if stands else np.zeros(0)
    if len(standing) < _LEAST_STANDING * RATE:
        return None
    level = float(np.percentile(standing, _STANDING_PERCENTILE))
    return level if level < _RESTLESS_SPEED else None


def _comes_to_rest(event: Event) -> bool:
    """Whether the body moves on after the action."""
    if event.tags.technique.startswith("turn") or event.tags.technique == "switch stance":
        return event.tags.kind == "transition"
    return event.tags.kind in ("attack", "defence", "reaction") and event.tags.technique != "stagger"


def _own(event: Event, quiet: np.ndarray, trust: float) -> Event:
    usual = event.timing.settle
    if event.tags.kind == "rise":
        first, last, trust = event.done, event.done + round(_LONGEST_RISE * RATE), 1.0
    elif _comes_to_rest(event):
        first, last = (round(event.seen + share * usual * RATE) for share in (_EARLIEST, _LATEST))
    else:
        return event  # a step or a stagger has arrived soon after the foot stands; a guard is held
    rests = np.flatnonzero(quiet[first:last])
    if len(rests) == 0:
        return event
    own = (first + int(rests[0]) - event.seen) / RATE + (
        _EASING_SECONDS if event.tags.kind == "rise" else 0.0
    )
    return replace(event, timing=replace(event.timing, settle=usual + trust * (own - usual)))
