"""A body that goes somewhere: plans steps one by one, in any direction, in any gait."""

from math import cos, hypot, radians, sin

import numpy as np

from randori.motion import rotations as rot
from randori.performer.actor import OTHER, Actor
from randori.performer.footfalls import Beat, Walk
from randori.performer.gait import Gait, gait_at, gaits
from randori.performer.script import Technique
from randori.performer.truth import Action

STEP_SPREAD, SPELL_SPREAD = 0.018, 0.045  # log-normal, of step times: from step to step, and of a whole walk
SPEED_SPREAD = 0.03
WIDTH_SCATTER, LENGTH_SCATTER, TOE_SCATTER = 0.008, 0.015, radians(2.0)  # metres, metres, radians
HIP_SCATTER = 0.006  # metres up and down
LIFT_SPREAD, SWAY_SPREAD, SWING_SPREAD = (
    0.08,
    0.13,
    0.06,
)  # log-normal: of a foot's lift, a trunk's yaw, a way
WIDER_IN_TURNS = 0.05  # metres to the side that a foot is put farther out for every radian of a step's turn
UNEVEN = 0.03  # how much longer the steps of one foot are than the other's, at most
LOPSIDED = 0.08  # how much more the left arm swings than usual, and the right one less
WEIGHT_SHIFT = 0.24  # seconds in which the weight goes over one foot before the other leaves
RESTS = {"run": "ready", "run back": "ready"}  # stance into which a gait slows down at starts and stops
SHORTEST_STAND = 0.11  # seconds
LONGEST_FLIGHT = 0.60  # seconds that a foot is off the floor before the other one strikes
SIDE_REACH = 0.9  # of a pair of side steps after which the hips are where the feet will stand


class Walker:
    """Plans the steps of an actor, whose time goes on with every one."""

    def __init__(self, actor: Actor):
        self.actor, self.rng, self.body = actor, actor.rng, actor.body
        place = actor.place
        self.walk = Walk(self.body, actor.tracks.base, origin=(place.x, place.z, place.heading))
        actor.layers.append(self.walk.draw)
        self.heading = place.heading  # radians, at the end of all planned steps
        self.velocity = (0.0, 0.0)  # metres per second in the world, there
        self.place = (place.x, place.z)  # metres, about
        self.foot = "left"  # that steps next
        self._spell = 1.0
        self._struck: dict[str, float] = {}  # seconds at which each foot came down last
        self._uneven = float(self.rng.uniform(-UNEVEN, UNEVEN))
        self.walk.lopsided = float(self.rng.normal(0.0, LOPSIDED))
        self._swinging = float(np.exp(self.rng.normal(0.0, 0.1)))  # how much this person swings the arms

    @property
    def time(self) -> float:
        """Seconds at which the last planned step strikes."""
        return self.actor.time

    @property
    def speed(self) -> float:
        """Metres per second at the end of what is planned."""
        return hypot(*self.velocity)

    def bearing(self, x: float, z: float) -> float:
        """Radians to the left from the heading to a point."""
        away = np.arctan2(x - self.place[0], z - self.place[1]) - self.heading
        return float(rot.wrap_angle(away))

    def new_spell(self) -> None:
        """From here on this person is in another mood: a little quicker or slower."""
        self._spell = float(np.exp(self.rng.normal(0.0, SPELL_SPREAD)))

    # -- one beat ---------------------------------------------------------------------------------

    def stand(self, seconds: float, technique: str = "stand") -> None:
        """Stand on both feet for a while."""
        action = Action(0, 0, "transition", technique, "stand")
        self._note(action, self.time)
        if seconds > 0.8:
            self._ease(self.time, self.time + seconds)
        self._add(
            Beat(self.time, self.time + seconds, gaits()["stand"], (0.0, 0.0), self.heading, action=action)
        )

    def _ease(self, start: float, stop: float) -> None:
        """A standing character puts its weight on one leg and looks around."""
        side = float(np.clip(self.rng.normal(0.0, 1.0), -2.0, 2.0))
        look = float(np.clip(self.rng.normal(0.0, 0.25), -0.6, 0.6))
        late = float(self.rng.uniform(0.0, 0.25))
        leans = {"pelvis_side": 0.016 * self.body.leg_scale, "pelvis_roll": -0.022, "chest_roll": 0.012}
        for channel, amount in leans.items():
            self.actor.tracks.add(channel, side * amount, start + 0.05, start + 0.70)
            self.actor.tracks.add(channel, -side * amount, stop - 0.40, stop + 0.15)
        for channel, share in (("head_yaw", 1.0), ("chest_yaw", 0.25)):
            self.actor.tracks.add(channel, share * look, start + 0.15 + late, start + 0.55 + late)
            self.actor.tracks.add(channel, -share * look, stop - 0.35, stop + 0.15)

    def hold(self, seconds: float, gait: str, action: Action) -> None:
        """Stay on both feet where they are, for a part of an action."""
        stays = gaits()[gait]
        self._add(Beat(self.time, self.time + seconds, stays, (0.0, 0.0), self.heading, action=action))

    def glide(
        self, until: float, speed: float, action: Action, foot: str = "", over: float | None = None
    ) -> None:
        """Move on without walking, for something that is drawn above the walk (a crawl).

        A foot is put down unseen, where it stands at the time `over`.
        """
        s, c = sin(self.heading), cos(self.heading)
        leg = self.body.leg_scale
        beat = Beat(self.time, until, gaits()["stand"], (leg * speed * s, leg * speed * c), self.heading)
        beat.foot, beat.over, beat.action = foot, over, action
        beat.swing = 0.9 * (until - self.time)
        self._add(beat)

    def begin(self, action: Action) -> None:
        """From the last strike on all steps belong to an action, if they are given it."""
        self._note(action, self.time)

    def above(self, technique: Technique) -> Action:
        """Begin a technique at the last strike; the steps below it are still to be planned."""
        time = self.time
        action = self.actor.perform(technique)
        self.actor.time = self.actor.settled = time
        return action

    def step(
        self,
        family: str,
        forward: float,
        left: float = 0.0,
        turn: float = 0.0,
        *,
        technique: str = "",
        direction: str = "",
        foot: str = "",
        tempo: float = 1.0,
        over: float | None = None,
        place: tuple[float, float] = (0.0, 0.0),
        arms: float = 1.0,
        gait: Gait | None = None,
        lifts: float | None = None,
        action: Action | None = None,
        rest: str = "stand",
    ) -> Beat:
        """One step.

        At its end the body goes forward and to the left with these speeds (m/s of the average body, in
        its new heading) and has turned to the left. Steps of one `action` share it in the ground truth.
        The slower the step, the more of the gait `rest` is in it. The foot leaves as the gait has it, or
        when it `lifts` (seconds).
        """
        leg = self.body.leg_scale
        scatter = self.rng.normal(0.0, 1.0, 9)
        forward, left = (v * float(np.exp(SPEED_SPREAD * scatter[0])) for v in (forward, left))
        heading = self.heading + turn
        s, c = sin(heading), cos(heading)
        velocity = (leg * (forward * s + left * c), leg * (forward * c - left * s))
        from_rest = self.speed < 0.05
        if gait is None:
            before = self.speed / leg
            gait = self._gait(family, 0.5 * (before + hypot(forward, left)), rest)
        lean = 1.0 + (self._uneven if self.foot == "left" else -self._uneven)
        pace = tempo * self._spell * lean * float(np.exp(STEP_SPREAD * scatter[1])) * leg**0.5
        gait = gait.changed(
            width=WIDTH_SCATTER * float(scatter[2]) + WIDER_IN_TURNS * min(abs(turn), 1.0),
            ahead=LENGTH_SCATTER * float(scatter[3]),
            toe_out=TOE_SCATTER * float(scatter[4]),
            pelvis_height=HIP_SCATTER * float(scatter[5]),
        )
        lifts_by, sways_by, eager = (
            float(np.exp(spread * value))
            for spread, value in zip((LIFT_SPREAD, SWAY_SPREAD, SWING_SPREAD), scatter[6:])
        )
        gait = gait.scaled(
            swing_lift=lifts_by, swing_heel=lifts_by, pelvis_yaw=sways_by, chest_yaw=sways_by
        ).hastened(eager)
        shift = WEIGHT_SHIFT * tempo if from_rest and self.walk.beats else 0.0
        length = gait.step * pace + shift
        stepping = foot or self.foot
        start, stop = self.time, self.time + length
        # a foot cannot leave before it has stood
        earliest = start if from_rest else start - LONGEST_FLIGHT
        longest = stop - max(earliest, self._struck.get(stepping, -1.0) + SHORTEST_STAND)
        swing = min(gait.swing * pace if lifts is None else stop - lifts, longest)
        if from_rest:
            swing = min(swing, length - 0.8 * shift)
        if action is None:
            action = Action(0, 0, "locomotion", technique or family, gait.name, stepping, direction=direction)
            leaves = stop - swing
            # in the middle of the double support, or at the strike if there is none
            self._note(action, 0.5 * (start + leaves) if leaves > start and not from_rest else start)
        beat = Beat(start, stop, gait, velocity, heading, stepping, swing, over, place, arms * self._swinging)
        beat.action = action
        self.foot = OTHER[stepping]
        self._struck[stepping] = stop
        self._add(beat)
        return beat

    def _gait(self, family: str, pace: float, rest: str) -> Gait:
        """A family's gait at a pace; what is slower than its slowest is mixed with rest."""
        slowest = min(abs(gait.speed) for gait in gaits().values() if gait.family == family)
        if pace >= slowest:
            return gait_at(family, round(pace, 2))
        moving = gait_at(family, slowest)
        return gaits()[rest].mixed(moving, max(pace / slowest, 0.35 if rest == "stand" else 0.0))

    def _add(self, beat: Beat) -> None:
        length = beat.stop - beat.start
        middle = [0.5 * (a + b) for a, b in zip(self.velocity, beat.velocity)]
        self.place = (self.place[0] + middle[0] * length, self.place[1] + middle[1] * length)
        self.velocity, self.heading = beat.velocity, beat.heading
        self.walk.beats.append(beat)
        self.actor.time = self.actor.settled = beat.stop
        self.actor.place.x, self.actor.place.z = self.place
        self.actor.place.heading = self.heading

    def _note(self, action: Action, start: float) -> None:
        self.actor.note(action, start)
        self.actor.settled = max(self.actor.settled, start)

    # -- several ----------------------------------------------------------------------------------

    def go(self, family: str, speed: float, steps: int, turn: float = 0.0, technique: str = "") -> None:
        """Go on for some steps, along a bend of `turn` radians to the left altogether."""
        way = "back" if speed < 0.0 else "front"
        for _ in range(steps):
            name = technique or (_turning(turn / steps, family))
            self.step(family, speed, turn=turn / steps, technique=name, direction=way)

    def start(self, family: str, speed: float) -> None:
        """From standing to a speed in two steps."""
        way = "back" if speed < 0.0 else "front"
        rest = RESTS.get(family, "stand")
        for share in (0.62, 0.95):
            self.step(family, share * speed, technique="start", direction=way, rest=rest)

    def stop(self, family: str, speeds: tuple[float, ...]) -> None:
        """Slow down over some steps, then bring the feet beside each other."""
        way = "back" if speeds and speeds[0] < 0.0 else "front"
        rest = RESTS.get(family, "stand")
        for speed in speeds:
            self.step(family, speed, technique="stop", direction=way, rest=rest)
        tempo = 0.85 if rest == "ready" else 1.1
        self.step(family, 0.0, technique="stop", direction=way, tempo=tempo, arms=0.4)

    def side_step(self, left: float, tempo: float = 1.0, close: bool = True) -> None:
        """The foot on the side of travel opens by `left` metres (minus: to the right), the other closes."""
        side = "left" if left > 0.0 else "right"
        gait = gaits()["side_step"]
        length = tempo * self._spell * gait.step
        speed = left / length
        pair_ends = self.time + (2.0 * length + WEIGHT_SHIFT * tempo) * self.body.leg_scale**0.5
        for number, foot in enumerate((side, OTHER[side])):
            if number == 1 and not close:
                break
            self.step(
                "side",
                0.0,
                speed if number == 0 else 0.0,
                technique="side step",
                direction=side,
                foot=foot,
                tempo=tempo,
                over=pair_ends - (1.0 - SIDE_REACH) * length,
                gait=gait,
                arms=1.0,
            )

    def turn_in_place(self, angle: float, tempo: float = 1.0) -> None:
        """Turn on the spot: the foot on the side of the turn opens, the other follows."""
        side = "left" if angle > 0.0 else "right"
        pairs = max(1, round(abs(angle) / radians(100.0)))
        # lifted clearly: a foot that turns where it stands would seem to slide
        gait = gaits()["stand"].mixed(gaits()["side_step"], 0.5).scaled(swing_lift=1.6)
        for _ in range(pairs):
            ends = self.time + (2.0 * gait.step * tempo * self._spell + WEIGHT_SHIFT * tempo) * 1.1
            for foot, share in ((side, 0.55), (OTHER[side], 0.45)):
                self.step(
                    "side",
                    0.0,
                    turn=share * angle / pairs,
                    technique=f"turn {side}",
                    direction=side,
                    foot=foot,
                    tempo=tempo * (1.0 if foot == side else 0.85),
                    over=ends,
                    gait=gait,
                )


def _turning(turn: float, otherwise: str) -> str:
    """The name of a step that turns the body by so many radians."""
    if abs(turn) < radians(12.0):
        return otherwise
    return "turn left" if turn > 0.0 else "turn right"
