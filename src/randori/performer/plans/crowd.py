"""A person in a crowd: walks, is startled, gets out of the way, is pushed, stumbles, falls, gets up again."""

from collections.abc import Iterator
from math import cos, hypot, pi, radians, sin

from randori.performer.actor import OTHER, Actor
from randori.performer.falling import Push
from randori.performer.falls import AWAKE, fall_and_rise
from randori.performer.outing import arrive, set_out
from randori.performer.plans.reactions import FROM
from randori.performer.script import routines, techniques
from randori.performer.truth import Action
from randori.performer.walker import Walker

ROOM = 2.2  # metres from the middle beyond which the next walk leads back
STANDING = (
    "startle_front",
    "startle_lead",
    "avoid_back",
    "avoid_lead",
    "pushed_front",
    "pushed_back",
    "pushed_lead",
)
FALLS = ("front", "front", "front", "back", "left", "right")
FALL_SPEED = 1.5, 2.4  # metres per second that a push gives the chest


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    rng = actor.rng
    actor.stand(0.8)
    deck: list[tuple[str, str]] = []
    while actor.time < seconds - 1.0:
        if not deck:
            whole = _deck()
            deck = [whole[int(k)] for k in rng.permutation(len(whole))]
        what, where = deck.pop()
        if hypot(actor.place.x, actor.place.z) > ROOM or rng.random() < 0.45 or what in ("trip", "collide"):
            _walk_on(actor, what)
        if what == "stand":
            _react(actor, where)
        elif what == "pushed over":
            _pushed_over(actor, where)
        if rng.random() < 0.6:
            actor.stand(float(rng.gamma(2.0, 0.4)))
        yield min(actor.time / seconds, 1.0)


def _deck() -> list[tuple[str, str]]:
    """Everything that can happen once, the standing reactions three times."""
    deck = [("stand", name) for name in STANDING for _ in range(3)]
    deck += [("stand", "stumble")] * 2
    deck += [("pushed over", direction) for direction in FALLS]
    return [*deck, ("trip", ""), ("trip", ""), ("collide", ""), ("collide", "")]


def _react(actor: Actor, name: str) -> None:
    """A startle, an avoidance or a push on the spot, to either side."""
    actor.lead = str(actor.rng.choice(("left", "right")))
    action = actor.perform(techniques("crowd")[name])
    if name.startswith("startle") and actor.rng.random() < 0.4:
        # the fright first, then out of the way
        actor.time = min(actor.time, (action.impact or actor.time) + float(actor.rng.uniform(0.3, 0.5)))
        actor.perform(techniques("crowd")["avoid_back" if name == "startle_front" else "avoid_lead"])


def _pushed_over(actor: Actor, direction: str) -> None:
    """Pushed so that the steps do not catch it."""
    rng = actor.rng
    actor.lead = direction if direction in OTHER else str(rng.choice(("left", "right")))
    if rng.random() < 0.7:
        name = "lead" if direction in OTHER else direction
        action = actor.perform(techniques("crowd")[f"pushed_{name}"])
        actor.time = (action.impact or 0.0) + float(rng.uniform(0.25, 0.5))
    speed = float(rng.uniform(*FALL_SPEED))
    tumble(actor, direction, speed, "fall")


def tumble(
    actor: Actor,
    direction: str,
    speed: float,
    technique: str,
    part: str = "chest",
    walker: Walker | None = None,
    lie: float | None = None,
    kind: str = "fall",
) -> None:
    """Fall because of a push from a direction, with a speed in m/s; lie a while, get up."""
    rng = actor.rng
    heading = actor.place.heading if walker is None else walker.heading
    angle = heading + FROM[direction] + pi + float(rng.normal(0.0, 0.15))
    push = Push((speed * sin(angle), float(rng.uniform(-0.1, 0.4)), speed * cos(angle)), part)
    if direction in OTHER:
        actor.lead = direction
    name = {"front": "fall_backwards", "back": "fall_forwards"}.get(direction, "fall_sideways")
    intent = routines("falls")[name]
    strength = "hard" if speed > 2.0 else "medium"
    action = Action(
        0,
        0,
        kind,
        technique,
        name,
        position="upper torso" if part == "chest" else "lower torso",
        direction=direction,
        impact=actor.time,
        strength=strength,
    )
    lie = float(rng.uniform(0.4, 2.0)) if lie is None else lie
    fall_and_rise(actor, action, intent, push, lie, AWAKE, float(rng.uniform(0.82, 1.05)), walker)


def _walk_on(actor: Actor, what: str) -> None:
    """Walk somewhere, back towards the middle when far from it; some do not arrive on their feet."""
    rng = actor.rng
    actor.stand(0.3)
    walker = set_out(actor)
    home = walker.bearing(0.0, 0.0)
    if hypot(*walker.place) > 1.0 and abs(home) > radians(60.0):
        walker.turn_in_place(home)
    speed = float(rng.uniform(1.0, 1.6))
    walker.start("walk", speed)
    walker.go("walk", speed, int(rng.integers(1, 4)), turn=float(rng.normal(0.0, 0.3)))
    if what in ("trip", "collide"):
        action = Action(0, 0, "locomotion", "walk", "walk", direction="front")
        walker.begin(action)
        caught = walker.step("walk", speed, action=action).stop
        for _ in range(2):
            walker.step("walk", speed, action=action)
        actor.time = caught + 0.1
        # over the legs of another person, or onto one that has just gone down in front
        part, push = ("pelvis", 0.5) if what == "trip" else ("chest", 1.1)
        tumble(
            actor, "back", push, "stumble and fall" if what == "trip" else "fall on somebody", part, walker
        )
        return
    walker.stop("walk", (0.6 * speed,))
    walker.stand(0.2)
    arrive(actor, walker)
    actor.settled = actor.time
