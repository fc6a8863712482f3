"""Shadow boxing: bursts of punches, defences and kicks, with footwork and pauses between them."""

from collections.abc import Iterator, Mapping
from math import hypot
from typing import Generic, TypeVar

from randori.performer.actor import Actor
from randori.performer.script import Technique, techniques

Choice = TypeVar("Choice")

VOLUME = 1.4  # metres from the middle of the floor at which a fighter turns back

# Frequencies of the combinations, relative to each other
COMBINATIONS = {
    ("jab",): 4,
    ("jab_standing", "jab"): 3,
    ("jab", "cross"): 5,
    ("jab_standing", "cross"): 3,
    ("cross",): 3,
    ("hook",): 2,
    ("rear_hook",): 2,
    ("uppercut",): 2,
    ("rear_uppercut",): 2,
    ("backfist",): 1,
    ("body_jab",): 2,
    ("body_cross",): 2,
    ("body_hook",): 2,
    ("rear_body_hook",): 2,
    ("jab", "cross", "hook"): 4,
    ("cross", "hook"): 2,
    ("cross", "hook", "cross"): 2,
    ("jab_standing", "jab_standing", "cross"): 2,
    ("jab", "body_cross"): 2,
    ("body_jab", "cross"): 2,
    ("jab_standing", "rear_uppercut"): 2,
    ("rear_uppercut", "hook"): 2,
    ("body_hook", "hook"): 2,
    ("hook", "rear_body_hook"): 1,
    ("uppercut", "cross"): 1,
    ("jab", "cross", "hook", "cross"): 1,
    ("jab_standing", "cross", "body_hook", "rear_hook"): 1,
}
DEFENCES = {
    "duck": 3,
    "duck_step": 2,
    "slip": 3,
    "slip_rear": 3,
    "sway": 3,
    "block_high": 2,
    "block_middle": 2,
    "block_lead": 2,
    "block_low": 2,
    "cover": 2,
    "parry": 3,
    "parry_lead": 2,
    "jump_back": 2,
}
COUNTERS = {"cross": 4, "hook": 3, "jab_standing": 3, "rear_uppercut": 2, "body_hook": 1}
KICKS = {
    "front_kick": 2,
    "rear_front_kick": 2,
    "push_kick": 2,
    "side_kick": 2,
    "round_kick": 2,
    "body_round_kick": 3,
    "low_kick": 3,
    "lead_round_kick": 2,
}
STEPS = {
    "step_forward": 3,
    "step_back": 3,
    "quick_forward": 2,
    "quick_back": 2,
    "step_lead": 2,
    "step_rear": 2,
    "turn_lead": 1.5,
    "turn_rear": 1.5,
}
# odds of the next part: a burst, a defence, a kick, footwork, another stance
NEXT = {"burst": 0.45, "defence": 0.18, "kick": 0.13, "footwork": 0.21, "switch": 0.03}
FEATHER = 0.05  # seconds that a gap inside a combination varies


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    book = {
        **techniques("punches"),
        **techniques("defences"),
        **techniques("kicks"),
        **techniques("footwork"),
    }
    combinations, defences, kicks = Deck(COMBINATIONS), Deck(DEFENCES), Deck(KICKS)
    actor.stand(0.8)
    while actor.time < seconds - 1.6:
        what = choose(actor, NEXT)
        if what == "burst":
            for number, name in enumerate(combinations.draw(actor)):
                wait = abs(float(actor.rng.normal(0.0, FEATHER)))
                actor.perform(book[name], wait, flowing=number > 0)
        elif what == "defence":
            actor.perform(book[defences.draw(actor)])
            if actor.rng.random() < 0.4:
                actor.perform(book[choose(actor, COUNTERS)], wait=0.1, flowing=True)
        elif what == "kick":
            actor.perform(book[kicks.draw(actor)])
        elif what == "footwork":
            for _ in range(int(actor.rng.integers(1, 4))):
                step(actor, book)
        else:
            actor.perform(book["switch_stance"])
        for _ in range(3):
            if hypot(actor.place.x, actor.place.z) > VOLUME:
                step(actor, book)
        if actor.rng.random() < 0.5:
            actor.stand(float(actor.rng.gamma(2.0, 0.25)) * actor.manner.pause)
        yield min(actor.time / seconds, 1.0)


def step(actor: Actor, book: Mapping[str, Technique]) -> None:
    """Footwork, the likelier the nearer to the middle of the floor it ends."""
    weights = {}
    here = hypot(actor.place.x, actor.place.z)
    for name, often in STEPS.items():
        forward, side, turn = book[name].travel
        there = actor.place.moved(forward, actor.to_lead * side, actor.to_lead * turn)
        away = hypot(there.x, there.z)
        weights[name] = often * (1.0 if away <= here else 0.5 if away < VOLUME else 0.02)
        if here > VOLUME:
            # out of the volume nothing counts but the way back
            weights[name] *= max(here - away, 0.0) + 0.01
    name = choose(actor, weights)
    forward, side, turn = book[name].travel
    # small steps and long ones, eighths of a turn and quarters
    size = float(actor.rng.uniform(0.4, 1.05))
    widest = float(actor.rng.choice((0.7, 1.0, 2.0), p=(0.4, 0.4, 0.2)))
    tempo = 1.25 if abs(turn * widest) > 1.2 else 1.0
    actor.perform(book[name], travel=(forward * size, side * size, turn * widest), tempo=tempo)


def choose(actor: Actor, weights: Mapping[Choice, float]) -> Choice:
    """One of the names, as likely as its weight."""
    names = list(weights)
    share = [weights[name] for name in names]
    return names[int(actor.rng.choice(len(names), p=[s / sum(share) for s in share]))]


class Deck(Generic[Choice]):
    """Weighted choices of which the used ones come back less often, so that a take has them all."""

    def __init__(self, weights: Mapping[Choice, float]):
        self.weights = weights
        self.used = dict.fromkeys(weights, 0)

    def draw(self, actor: Actor) -> Choice:
        """The next one."""
        drawn = choose(
            actor, {name: often / (1 + self.used[name]) ** 2 for name, often in self.weights.items()}
        )
        self.used[drawn] += 1
        return drawn
