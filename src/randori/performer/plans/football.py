"""American football: runs with the ball, steps aside, spins, jumps, tackles, and is tackled."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import cos, hypot, pi, radians, sin

import numpy as np

from randori.performer.actor import OTHER, Actor
from randori.performer.channels import CHANNELS, INDEX
from randori.performer.gait import gaits
from randori.performer.outing import arrive, set_out
from randori.performer.plans.crowd import tumble
from randori.performer.plans.running import run_turn
from randori.performer.script import techniques
from randori.performer.tracks import ease
from randori.performer.truth import Action
from randori.performer.walker import Walker

FIELD = 6.0  # metres from the middle within which a runner turns back by himself
# a spin: of its whole turn, the speed as a share of before, and the tempo of each step
SPIN = ((0.14, 0.85, 0.85), (0.26, 0.68, 0.75), (0.27, 0.48, 0.72), (0.20, 0.45, 0.75), (0.13, 0.65, 0.85))
FASTEST_SPIN = 3.6  # metres per second before it; a faster runner brakes first
# the wrist that holds the ball, from its shoulder in the chest's frame (metres), and how the arm is turned
BALL = {"hand_forward": 0.16, "hand_up": -0.30, "hand_out": -0.02, "elbow_swivel": 0.5, "pronation": -0.7}
HELD = 0.9  # of the arm's way there; the rest still swings
FOLD = 0.45  # seconds in which it folds around the ball
TACKLED_FROM = ("front", "left", "right", "back")
HIT_SPEED = 1.6, 2.4  # metres per second that a tackler gives the hips
FROM_BEHIND = 0.3  # of that: such a tackler runs along, and a head comes down at 8 m/s at most


@dataclass
class BallArm:
    """The arm that holds the ball against the ribs, while the run swings the other one."""

    scale: float  # of the arm, see proportions.py
    held: list[tuple[str, float, float]] = field(default_factory=list)  # side, from, until (seconds)

    def draw(self, values: np.ndarray, fps: float) -> None:
        """Fold the arm in channels (F, C), in place."""
        times = np.arange(len(values)) / fps
        for side, start, stop in self.held:
            folded = ease((times - start) / FOLD) * (1.0 - ease((times - stop) / FOLD))
            inside = folded > 0.0
            for name, target in BALL.items():
                channel = CHANNELS[INDEX[f"{side}_{name}"]]
                target *= self.scale if channel.unit == "m" else 1.0
                column = values[inside, INDEX[f"{side}_{name}"]]
                values[inside, INDEX[f"{side}_{name}"]] += HELD * folded[inside] * (target - column)


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take with runs, each of one or two moves and an end; yields how much is planned."""
    rng = actor.rng
    ball = BallArm(actor.body.arm_scale)
    actor.stand(0.7)
    moves: list[str] = []
    ends: list[str] = []
    while actor.time < seconds - 1.0:
        if len(moves) < 2:
            whole = ["side step"] * 4 + ["spin"] * 3 + ["jump"] * 2 + ["turn"] * 2
            moves += [whole[int(k)] for k in rng.permutation(len(whole))]
        if not ends:
            whole = [*TACKLED_FROM, "tackle", "dive", "tackle", "stop", "stop"]
            ends = [whole[int(k)] for k in rng.permutation(len(whole))]
        _run(actor, ball, moves, ends.pop())
        actor.stand(float(rng.gamma(2.0, 0.3)) + 0.2)
        yield min(actor.time / seconds, 1.0)


def _run(actor: Actor, ball: BallArm, moves: list[str], end: str) -> None:
    """Set out, run, evade, and be brought down, bring a runner down, or stop."""
    rng = actor.rng
    actor.stand(0.25)
    actor.lead = str(rng.choice(("left", "right")))
    with_ball = end not in ("tackle", "dive")
    walker = set_out(actor)
    home = walker.bearing(0.0, 0.0)
    if hypot(*walker.place) > 1.5 and abs(home) > radians(50.0):
        walker.turn_in_place(home, 0.75)
    taken, begun = walker.time, len(actor.actions)
    speed = float(rng.uniform(3.0, 4.4))
    name = "run with the ball" if with_ball else "run"
    walker.start("run", speed)
    walker.go("run", speed, int(rng.integers(1, 3)), technique=name)
    for _ in range(int(rng.integers(1, 3)) if with_ball else 1):
        _turn_back(walker, speed)
        if with_ball:
            MOVES[moves.pop()](walker, speed)
        walker.go("run", speed, int(rng.integers(1, 3)), technique=name)
    _turn_back(walker, speed)
    if with_ball:
        # a turn does not know what the arms do
        for action in actor.actions[begun:]:
            if action.technique in ("run", "sprint"):
                action.technique = name
    carrier, let_go = actor.lead, walker.time
    if end in ("tackle", "dive"):
        _tackle(walker, speed, dives=end == "dive")
    elif end == "stop":
        walker.stop("run", (0.62 * speed, 0.3 * speed))
    else:
        _be_tackled(walker, speed, end, name)
    if with_ball:
        # the ball is drawn over what the run does with the arm
        ball.held.append((carrier, taken, let_go))
        if ball.draw in actor.layers:
            actor.layers.remove(ball.draw)
        actor.layers.append(ball.draw)
    if end in ("tackle", "stop"):
        walker.stand(0.3)
        arrive(actor, walker)
        actor.settled = actor.time


def _turn_back(walker: Walker, speed: float) -> None:
    """Before the field ends, turn towards its middle."""
    home = walker.bearing(0.0, 0.0)
    if hypot(*walker.place) > FIELD - 1.0 * speed and abs(home) > radians(60.0):
        run_turn(walker, home, speed)


# -- with the ball ----------------------------------------------------------------------------------


def side_step(walker: Walker, speed: float) -> None:
    """Plant the outer foot, cut across it, and on."""
    side = float(walker.rng.choice((-1.0, 1.0)))
    name = "left" if side > 0.0 else "right"
    if walker.foot == name:
        walker.step("run", 0.9 * speed, technique="run with the ball", direction="front")
    action = _above(walker, "side_step", name)
    for forward, left in ((0.62, 0.0), (0.6, 1.9), (0.75, 0.9)):
        walker.step("run", forward * speed, side * left, action=action)


def spin(walker: Walker, speed: float) -> None:
    """Once round while the way goes on straight."""
    if walker.rng.random() < 0.5:
        walker.step("run", 0.9 * speed, technique="run with the ball", direction="front")
    # away from the foot that steps next: the other way round the legs would cross
    side = 1.0 if walker.foot == "right" else -1.0
    action = _above(walker, "spin", "left" if side > 0.0 else "right")
    start = walker.heading
    for turn, share, tempo in SPIN:
        away = walker.heading + side * 2.0 * pi * turn - start
        pace = share * min(speed, FASTEST_SPIN)
        walker.step(
            "run",
            pace * cos(away),
            -pace * sin(away),
            side * 2.0 * pi * turn,
            gait=gaits()["jog"],
            tempo=tempo,
            action=action,
        )


def jump(walker: Walker, speed: float) -> None:
    """Over a body that lies in the way."""
    action = Action(0, 0, "locomotion", "jump", "leap", walker.foot, direction="upwards")
    walker.begin(action)
    walker.step("run", min(speed, 3.2), action=action)
    beat = walker.step("leap", 2.9, gait=gaits()["leap"], action=action)
    action.impact = beat.stop - 0.25
    walker.step("touch down", 2.0, gait=gaits()["touch_down"], action=action)
    walker.step("run", 2.6, action=action)


def turn(walker: Walker, speed: float) -> None:
    """A sharp change of direction."""
    angle = float(walker.rng.choice((45.0, 90.0))) * float(walker.rng.choice((-1.0, 1.0)))
    run_turn(walker, radians(angle), speed)


MOVES = {"side step": side_step, "spin": spin, "jump": jump, "turn": turn}


def _above(walker: Walker, technique: str, direction: str) -> Action:
    """Begin a move of the script; its steps are still to be planned."""
    action = walker.above(techniques("football")[technique])
    action.direction = direction
    return action


# -- contact ----------------------------------------------------------------------------------------


def _tackle(walker: Walker, speed: float, dives: bool) -> None:
    """Low and through: some drive on and stop, some go down with the runner."""
    action = walker.above(techniques("football")["tackle"])
    assert action.impact is not None
    while walker.time < action.impact - 0.1:
        walker.step("run", 0.85 * speed, action=action)
    for share in (0.5, 0.38):
        walker.step("run", share * speed, tempo=0.85, action=action)
    if not dives:
        for share in (0.3, 0.2):
            walker.step("run", share * speed, tempo=0.9, action=action)
        walker.step("run", 0.0, technique="stop", direction="front", tempo=1.1, arms=0.4)
        return
    walker.actor.time = action.impact + float(walker.rng.uniform(0.05, 0.2))
    tumble(walker.actor, "back", 0.9, "tackle to the ground", "pelvis", walker)


def _be_tackled(walker: Walker, speed: float, direction: str, name: str) -> None:
    """Hit on the run and brought down."""
    rng = walker.rng
    action = Action(0, 0, "locomotion", name, "run", direction="front")
    walker.begin(action)
    hit = walker.step("run", speed, action=action).stop
    for _ in range(2):
        walker.step("run", 0.8 * speed, action=action)
    actor = walker.actor
    actor.time = hit + float(rng.uniform(0.02, 0.2))
    # from the front the hit must stop the run first
    hard = float(rng.uniform(*HIT_SPEED)) * (FROM_BEHIND if direction == "back" else 1.0)
    hard += speed if direction == "front" else 0.0
    part = "chest" if direction == "front" else str(rng.choice(("chest", "pelvis")))
    if direction not in OTHER:
        actor.lead = str(rng.choice(("left", "right")))
    tumble(actor, direction, hard, "be tackled", part, walker)
