"""Shadow boxing: bursts of punches, defences and kicks, with footwork and pauses between them."""

from collections.abc import Iterator, Mapping
from math import hypot
from typing import TypeVar

from randori.performer.actor import Actor
from randori.performer.script import techniques

Choice = TypeVar("Choice")

VOLUME = 1.5  # metres from the middle that a fighter drifts before coming back

COMBINATIONS = {
    ("jab",): 5,
    ("jab", "jab"): 3,
    ("jab", "cross"): 6,
    ("cross",): 3,
    ("hook",): 2,
    ("jab", "cross", "hook"): 4,
    ("cross", "hook"): 3,
    ("cross", "hook", "cross"): 2,
    ("jab", "jab", "cross"): 3,
    ("jab", "cross", "hook", "cross"): 1,
}
DEFENCES = {"duck": 1}
# where each footwork takes the root in the heading frame: forward, to the lead side (metres)
STEPS = {"step_forward": (0.34, 0.0), "step_back": (-0.34, 0.0)}


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    book = {**techniques("punches"), **techniques("defences"), **techniques("footwork")}
    actor.stand(0.8)
    while actor.time < seconds - 1.5:
        what = actor.rng.choice(4, p=(0.46, 0.16, 0.26, 0.12))
        if what == 0:
            for name in _choose(actor, COMBINATIONS):
                actor.perform(book[name])
        elif what == 1:
            actor.perform(book[_choose(actor, DEFENCES)])
        elif what == 2:
            for _ in range(int(actor.rng.integers(1, 4))):
                actor.perform(book[_way_home(actor)])
        else:
            actor.stand(float(actor.rng.uniform(0.8, 1.8)) * actor.manner.pause)
        if actor.rng.random() < 0.55:
            actor.stand(float(actor.rng.gamma(2.0, 0.22)) * actor.manner.pause)
        yield min(actor.time / seconds, 1.0)


def _choose(actor: Actor, weights: Mapping[Choice, float]) -> Choice:
    names = list(weights)
    share = [weights[name] for name in names]
    return names[int(actor.rng.choice(len(names), p=[s / sum(share) for s in share]))]


def _way_home(actor: Actor) -> str:
    """A step, the likelier the nearer to the middle of the floor it ends."""
    weights = {}
    for name, (forward, side) in STEPS.items():
        there = actor.place.moved(forward, actor.to_lead * side, 0.0)
        gain = hypot(actor.place.x, actor.place.z) - hypot(there.x, there.z)
        weights[name] = 0.15 if hypot(there.x, there.z) > VOLUME else max(1.0 + 4.0 * gain, 0.1)
    return _choose(actor, weights)
