"""Being hit, over and over: small recoils, staggers, falls, lying there, getting up, and guard again."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, pi, sin

from randori.performer.actor import OTHER, Actor
from randori.performer.falling import Push
from randori.performer.falls import AWAKE, STUNNED, fall_and_rise
from randori.performer.script import Technique, routines, techniques
from randori.performer.truth import Action

VOLUME = 1.2  # metres from the middle; farther out the next hit is one that drives back inwards
LOOK_AHEAD = 8  # hits of the deck among which such a one is looked for
LIE_SHORT, LIE_LONG = 0.5, 2.5  # seconds on the floor
# where a hit comes from, counted from the way the actor looks to his left
FROM = {"front": 0.0, "left": 0.5 * pi, "back": pi, "right": -0.5 * pi}
DIRECTIONS, PLACES = tuple(FROM), ("head", "upper torso")


@dataclass(frozen=True)
class Blow:
    """One hit: how hard, from where, on what."""

    # light, medium or hard; low is a light one in a crouch; knockdown, knockout and sweep (the feet are taken
    # away) are falls
    strength: str
    direction: str
    position: str


UP_AGAIN = 0.93  # of a crouch, after which something else may begin
# hardest last; metres per second that the struck part gets
SPEEDS = {"knockdown": 1.9, "hard": 2.7, "knockout": 1.7, "sweep": 5.0}


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    actor.stand(0.9)
    deck: list[Blow] = []
    while actor.time < seconds - 1.0:
        if len(deck) < LOOK_AHEAD:
            deck += _shuffled(actor)
        receive(actor, deck.pop(_next(actor, deck)))
        if actor.rng.random() < 0.7:
            actor.stand(float(actor.rng.gamma(2.0, 0.35)) * actor.manner.pause)
        yield min(actor.time / seconds, 1.0)


def _shuffled(actor: Actor) -> list[Blow]:
    """Every kind of hit, the small ones more often, in no order."""
    often = {"light": 3, "medium": 2, "knockdown": 1, "hard": 1}
    deck = [
        Blow(strength, direction, position)
        for strength, count in often.items()
        for direction in DIRECTIONS
        for position in PLACES
        for _ in range(count)
    ]
    deck += [Blow("low", direction, PLACES[number % 2]) for number, direction in enumerate(DIRECTIONS)]
    deck += [Blow("knockout", direction, "head") for direction in ("front", "left", "right")]
    deck += 2 * [Blow("sweep", "back", "lower torso")]
    return [deck[int(k)] for k in actor.rng.permutation(len(deck))]


def _next(actor: Actor, deck: list[Blow]) -> int:
    """Usually the top of the deck; away from the middle, the hit that drives the actor back there."""
    x, z = actor.place.x, actor.place.z
    if hypot(x, z) < VOLUME:
        return 0
    gains = []
    for blow in deck[:LOOK_AHEAD]:
        angle = actor.place.heading + FROM[blow.direction] + pi
        travel = {"light": 0.0, "low": 0.0, "medium": 0.55}.get(blow.strength, 1.1)
        gains.append(-travel * (x * sin(angle) + z * cos(angle)))
    return gains.index(max(gains))


def receive(actor: Actor, blow: Blow, wait: float = 0.0) -> None:
    """Be hit; every reaction ends in the guard."""
    if blow.strength == "low":
        _receive_low(actor, blow, wait)
        return
    if blow.strength in ("light", "medium"):
        actor.perform(_reaction(actor, blow), wait)
        return
    if blow.strength == "knockdown":
        # the feet try to catch it, and do not
        action = actor.perform(_reaction(actor, blow), wait)
        assert action.impact is not None
        actor.time = action.impact + float(actor.rng.uniform(0.30, 0.55))
    knock_down(actor, blow)


def _receive_low(actor: Actor, blow: Blow, wait: float) -> None:
    """Be hit in a crouch: the body stays down there, and comes up when it is over."""
    start = actor.time + wait
    actor.perform(techniques("recoils")["crouch"], wait)
    upright = actor.settled
    actor.time += float(actor.rng.uniform(0.0, 0.15))
    actor.perform(_reaction(actor, blow))
    actor.time = max(actor.time, start + UP_AGAIN * (upright - start))


def _reaction(actor: Actor, blow: Blow) -> Technique:
    """The recoil or stagger of the scripts that answers a hit."""
    script = "recoils" if blow.strength in ("light", "low") else "staggers"
    direction = {actor.lead: "lead", actor.rear: "rear"}.get(blow.direction, blow.direction)
    place = "head" if blow.position == "head" else "body"
    return techniques(script)[f"{script.removesuffix('s')}_{place}_{direction}"]


def knock_down(
    actor: Actor, blow: Blow, kind: str = "fall", technique: str = "fall", lie: float | None = None
) -> None:
    """Fall, lie, get up."""
    rng = actor.rng
    speed = SPEEDS[blow.strength] * float(rng.uniform(0.88, 1.14))
    angle = actor.place.heading + FROM[blow.direction] + pi + float(rng.normal(0.0, 0.16))
    up = float(rng.uniform(-0.2, 0.5)) + (0.8 if blow.strength == "sweep" else 0.0)
    part = {"head": "head", "lower torso": "feet"}.get(blow.position, "chest")
    speed *= 1.35 if part == "head" else 1.0
    velocity = (speed * sin(angle), up, speed * cos(angle))
    push = Push(velocity, part, float(rng.normal(0.0, 0.7)), 0.35 if blow.strength == "sweep" else 0.0)
    stunned = blow.strength == "knockout"
    if blow.direction in OTHER:
        actor.lead = blow.direction  # the script falls to the rear side
    name = {"front": "fall_backwards", "back": "fall_forwards"}.get(blow.direction, "fall_sideways")
    name = {"knockout": "collapse", "sweep": "swept_backwards"}.get(blow.strength, name)
    intent = routines("falls")[name]
    action = Action(
        0,
        0,
        kind,
        technique,
        intent.name,
        position=blow.position,
        direction=blow.direction,
        impact=actor.time,
        strength="medium" if blow.strength == "knockdown" else "hard",
    )
    if lie is None:
        lie = float(rng.uniform(LIE_SHORT, LIE_LONG)) * (1.8 if stunned else 1.0)
    tempo = float(rng.uniform(0.85, 1.1)) * (1.15 if stunned else 1.0)
    fall_and_rise(actor, action, intent, push, lie, STUNNED if stunned else AWAKE, tempo)
