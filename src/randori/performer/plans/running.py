"""Running around: bursts, jogs, sharp turns, stops, backwards, and steps aside as if to get past a person."""

from collections.abc import Iterator
from math import hypot, pi, radians

import numpy as np

from randori.performer.actor import OTHER, Actor
from randori.performer.bag import Bag
from randori.performer.walker import Walker

FIELD = 6.5  # metres from the middle within which a runner turns back by himself
SPELLS = ("run", "run", "run", "back")
SPEEDS = (2.5, 3.3, 3.8, 3.8, 4.9)  # metres per second
# events between stretches of running: a turn by so many degrees, or something else
EVENTS = (45, 45, 90, 90, 90, 135, 180, "aside", "aside", "aside", "speed", "speed", "stop")
# a turn while running: for each of its steps the share of the angle, and the speed as a share of before
TURN_STEPS = {
    45: ((0.48, 0.78), (0.14, 0.64), (0.38, 0.85)),
    90: ((0.2, 0.72), (0.32, 0.36), (0.28, 0.4), (0.2, 0.75)),
    135: ((0.1, 0.58), (0.26, 0.2), (0.36, 0.045), (0.17, 0.27), (0.11, 0.6)),
    180: ((0.1, 0.6), (0.18, 0.18), (0.34, 0.022), (0.22, 0.12), (0.16, 0.5)),
}
BRAKE_SPREAD = 0.15  # log-normal: how hard one brakes for a turn


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    walker = Walker(actor)
    rng = actor.rng
    spells, speeds, events = Bag(rng, SPELLS), Bag(rng, SPEEDS), Bag[int | str](rng, EVENTS)
    walker.stand(float(rng.uniform(0.6, 0.9)))
    while actor.time < seconds:
        walker.new_spell()
        if spells.draw() == "back":
            _run_back(walker)
        else:
            _run(walker, seconds, speeds, events)
        if walker.speed < 0.05:
            walker.stand(float(rng.gamma(2.0, 0.2)) + 0.2)
        yield min(actor.time / seconds, 1.0)


def run_turn(walker: Walker, angle: float, speed: float) -> None:
    """Turn sharply while running: brake, plant outside, push off the new way."""
    size = min(TURN_STEPS, key=lambda known: abs(known - abs(angle) * 180.0 / pi))
    name = "turn left" if angle > 0.0 else "turn right"
    # most of the turn is made as the inner foot opens, pushed by the outer one
    shares = [share for share, _ in TURN_STEPS[size]]
    opens = walker.foot if shares.index(max(shares)) % 2 == 0 else OTHER[walker.foot]
    if opens != name.split()[1]:
        walker.step("run", 0.9 * speed, technique=_name(speed), direction="front")
    # a runner that brakes harder turns more in one step, and steps quicker; the lowest speed differs less
    harder = float(np.exp(walker.rng.normal(0.0, BRAKE_SPREAD)))
    whole = sum(share**harder for share in shares)
    for share, pace in TURN_STEPS[size]:
        walker.step(
            "run",
            pace ** (harder**0.5) * speed,
            turn=share**harder / whole * angle,
            technique=name,
            direction=name.split()[1],
            tempo=harder**-0.5,
            rest="ready",
        )


def evade(walker: Walker, side: float, speed: float) -> None:
    """A step aside at a run: plant the outer foot, two steps across, and on as before."""
    name = "left" if side > 0.0 else "right"
    if walker.foot == name:
        walker.step("run", 0.9 * speed, technique="run", direction="front")
    for forward, left in ((0.6, 0.0), (0.58, 1.6), (0.7, 0.7)):
        walker.step("run", forward * speed, side * left, technique="side step", direction=name, rest="ready")


def _run(walker: Walker, seconds: float, speeds: Bag[float], events: Bag[int | str]) -> None:
    """Start, run with turns and bursts, and stop, or run on."""
    rng = walker.rng
    home = walker.bearing(0.0, 0.0)
    if walker.speed < 0.05 and hypot(*walker.place) > FIELD - 2.5 and abs(home) > radians(80.0):
        walker.turn_in_place(home, 0.7)
    speed = speeds.draw()
    if walker.speed < 0.05:
        walker.start("run", speed)
    for _ in range(int(rng.integers(4, 9))):
        if walker.time > seconds:
            return
        walker.go("run", speed, int(rng.integers(1, 4)), technique=_name(speed))
        home = walker.bearing(*rng.uniform(-0.5 * FIELD, 0.5 * FIELD, 2))
        if hypot(*walker.place) > FIELD - 0.6 * speed and abs(home) > radians(70.0):
            run_turn(walker, home, speed)
            continue
        event = events.draw()
        if isinstance(event, int):
            run_turn(walker, radians(event) * float(rng.choice((-1.0, 1.0))), speed)
        elif event == "aside":
            evade(walker, float(rng.choice((-1.0, 1.0))), speed)
        elif event == "speed":
            speed = speeds.draw()
        else:
            break
    if rng.random() < 0.75:
        brake = (0.62, 0.3) if speed > 3.0 else (0.45,)
        walker.stop("run", tuple(share * speed for share in brake))


def _run_back(walker: Walker) -> None:
    """Backwards, then to a stop, or round and on forwards."""
    rng = walker.rng
    if walker.speed > 0.05:
        walker.stop("run", (0.5 * walker.speed,))
    home = walker.bearing(0.0, 0.0)
    if hypot(*walker.place) > 2.0 and abs(home) < radians(100.0):
        walker.turn_in_place(home - pi if home > 0.0 else home + pi, 0.7)
    speed = -float(rng.uniform(2.4, 3.1))
    walker.start("run back", speed)
    walker.go("run back", speed, int(rng.integers(2, 5)), technique="run back")
    if rng.random() < 0.45:
        side = float(rng.choice((-1.0, 1.0)))
        name = "turn left" if side > 0.0 else "turn right"
        for share, pace in ((0.3, -1.6), (0.4, 0.6), (0.3, 2.4)):
            walker.step(
                "run", pace, turn=side * pi * share, technique=name, direction=name.split()[1], rest="ready"
            )
    else:
        walker.stop("run back", (0.5 * speed,))


def _name(speed: float) -> str:
    """The name of running at a speed."""
    if speed < 2.9:
        return "jog"
    return "run" if speed < 4.3 else "sprint"
