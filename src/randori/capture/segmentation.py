"""The boundaries between actions.

Every frame belongs to one segment. An action begins where the body sets off for it, but not before the
previous one has had its effect; the time between the end of one and the start of the next is standing.
"""

from dataclasses import dataclass

from randori.capture.actions import Tags
from randori.capture.events import Event
from randori.capture.signals import RATE

_SHORTEST_SEGMENT = 0.12  # seconds, of any segment
_LANDING_SECONDS = 0.11  # seconds from a fist's peak to when the other one leaves for the next blow
_AFTER_BLOCK = 0.13  # seconds that hands which block are out before they can strike

STAND = Tags("transition", "stand")


@dataclass(frozen=True)
class Stretch:
    """Samples in which one thing is done."""

    start: int
    stop: int
    tags: Tags
    confidence: float
    events: tuple[Event, ...]


def cut(events: list[Event], samples: int, shortest_stand: float = 0.0) -> list[Stretch]:
    """Cut a recording of some samples along its events (in the order of their clearest moments)."""
    starts: list[tuple[int, Event | None]] = []
    settled, pause = 0, 0.1
    before: Event | None = None
    for event in events:
        begin = _begin(event, before)
        if starts:
            begin = max(begin, starts[-1][0] + round(_SHORTEST_SEGMENT * RATE))
        if begin - settled > pause * RATE:
            starts.append((settled, None))
        elif not starts:
            begin = 0
        starts.append((begin, event))
        settled = max(event.seen + round(event.timing.settle * RATE), begin)
        before, pause = event, max(event.timing.pause, shortest_stand)
    if samples - settled > pause * RATE or not starts:
        starts.append((settled, None))
    stretches = []
    for number, (start, cause) in enumerate(starts):
        stop = min(starts[number + 1][0] if number + 1 < len(starts) else samples, samples)
        if stop <= start:
            continue
        if cause is None:
            stretches.append(Stretch(start, stop, STAND, 0.9, ()))
        else:
            stretches.append(Stretch(start, stop, cause.tags, cause.confidence, (cause,)))
    return stretches


def _begin(event: Event, before: Event | None) -> int:
    """The sample in which the body sets off for an event."""
    if before is None:
        return max(event.seen - round(event.timing.lead * RATE), 0)
    earliest = min(before.done, event.seen)
    if not _flows(event, before):
        return max(event.seen - round(event.timing.lead * RATE), earliest)
    winds_up = event.timing.flow < event.timing.lead  # a jab has nothing to wind up
    if winds_up and _other_hand(event, before) and before.blow is not None:
        return min(before.blow.peak + round(_LANDING_SECONDS * RATE), event.seen)
    return max(event.seen - round(event.timing.flow * RATE), earliest)


def _flows(event: Event, before: Event) -> bool:
    """Whether a blow comes out of the previous action, without a wind-up of its own."""
    if before.tags.kind not in ("attack", "defence") or event.tags.kind != "attack":
        return False
    core = before.blow.peak if before.blow is not None else before.seen
    within = event.timing.flows_within
    if before.tags.technique in ("block", "parry") and event.blow and event.blow.effector.endswith("hand"):
        within += _AFTER_BLOCK
    return (event.seen - core) / RATE < within


def _other_hand(event: Event, before: Event) -> bool:
    """Whether the fists alternate: left after right, or right after left."""
    hands = [blow.effector for blow in (event.blow, before.blow) if blow and blow.effector.endswith("hand")]
    return len(set(hands)) == 2
