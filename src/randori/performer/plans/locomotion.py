"""Walking about a room: at several speeds, in bends, backwards, sideways, turning, starting and stopping."""

from collections.abc import Iterator
from math import hypot, pi, radians

from randori.performer.actor import Actor
from randori.performer.bag import Bag
from randori.performer.walker import Walker

ROOM = 3.4  # metres from the middle within which the performer turns back by himself
SPEEDS = (0.9, 1.3, 1.45, 1.6, 1.6, 1.95)  # metres per second
SPELLS = (
    "walk",
    "walk",
    "walk",
    "back",
    "back",
    "sideways",
    "sideways",
    "turn",
)
TURNS = (45, 90, 135, 180)  # degrees


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    walker = Walker(actor)
    rng = actor.rng
    walker.stand(float(rng.uniform(0.9, 1.4)))
    spells, speeds = Bag(rng, SPELLS), Bag(rng, SPEEDS)
    while actor.time < seconds:
        walker.new_spell()
        what = spells.draw()
        if what == "walk" or hypot(*walker.place) > ROOM:
            _walk(walker, seconds, speeds)
        elif what == "back":
            _walk_back(walker)
        elif what == "sideways":
            side = float(rng.choice((-1.0, 1.0)))
            for _ in range(int(rng.integers(2, 5))):
                walker.side_step(side * float(rng.uniform(0.32, 0.5)), float(rng.uniform(0.92, 1.1)))
        else:
            angle = float(rng.choice(TURNS)) * float(rng.choice((-1.0, 1.0)))
            walker.turn_in_place(radians(angle), float(rng.uniform(0.9, 1.1)))
        walker.stand(float(rng.gamma(2.0, 0.45)) + 0.25)
        yield min(actor.time / seconds, 1.0)


def _walk(walker: Walker, seconds: float, speeds: Bag[float]) -> None:
    """Start, walk in bends at changing speeds, stop."""
    rng = walker.rng
    if abs(walker.bearing(0.0, 0.0)) > radians(110.0) and hypot(*walker.place) > ROOM:
        walker.turn_in_place(walker.bearing(0.0, 0.0))
    speed = speeds.draw()
    walker.start("walk", speed)
    for _ in range(int(rng.integers(1, 6))):
        if walker.time > seconds:
            break
        if rng.random() < 0.35:
            speed = speeds.draw()
        walker.go("walk", speed, int(rng.integers(2, 6)))
        home = walker.bearing(*rng.uniform(-0.5 * ROOM, 0.5 * ROOM, 2))
        if hypot(*walker.place) > ROOM and abs(home) > radians(60.0):
            turn = home
        elif rng.random() < 0.75:
            turn = radians(float(rng.choice(TURNS, p=(0.4, 0.3, 0.18, 0.12)))) * float(
                rng.choice((-1.0, 1.0))
            )
        else:
            continue
        walk_turn(walker, turn, speed)
    walker.stop("walk", (0.6 * speed,) if speed > 1.2 else ())


def walk_turn(walker: Walker, turn: float, speed: float) -> None:
    """Turn while walking: one step for an eighth of a circle, four for half of it, slower in the middle."""
    steps = max(1, round(abs(turn) / radians(50.0)))
    slow = speed * (1.0 - 0.62 * min(abs(turn) / pi, 1.0))
    name = "turn left" if turn > 0.0 else "turn right"
    if walker.foot == name.split()[1]:
        walker.step("walk", speed, technique="walk", direction="front")
    # the outer foot is planted, the inner one opens
    walker.step("walk", 0.5 * (speed + slow), technique="walk", direction="front")
    for number in range(steps):
        last = number == steps - 1 and steps > 1
        pace = 0.5 * (speed + slow) if last else slow
        walker.step("walk", pace, turn=turn / steps, technique=name, direction=name.split()[1])
    walker.step("walk", speed, technique="walk", direction="front")


def _walk_back(walker: Walker) -> None:
    rng = walker.rng
    speed = -float(rng.choice((0.9, 1.2, 1.35)))
    home = walker.bearing(0.0, 0.0)
    if hypot(*walker.place) > 1.5 and abs(home) < radians(90.0):
        walker.turn_in_place(pi - abs(home) if home < 0.0 else abs(home) - pi)
    walker.start("walk back", speed)
    walker.go("walk back", speed, int(rng.integers(2, 6)), technique="walk back")
    if rng.random() < 0.35:
        # on round, half a turn, and forwards the same way
        side = float(rng.choice((-1.0, 1.0)))
        for share, pace in ((0.34, -0.5), (0.4, 0.2), (0.26, 0.9)):
            name = "turn left" if side > 0.0 else "turn right"
            walker.step("walk", pace, turn=side * pi * share, technique=name, direction=name.split()[1])
        walker.go("walk", 1.4, int(rng.integers(2, 5)))
        walker.stop("walk", (0.8,))
    else:
        walker.stop("walk back", ())
