"""The actor: stands somewhere with one foot in front, and performs techniques one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, hypot, isnan, sin

import numpy as np

from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.performer.channels import CHANNELS, INDEX, Channel
from randori.performer.falling import Simulated
from randori.performer.liveliness import Manner
from randori.performer.proportions import Body
from randori.performer.script import Move, Stance, Step, Technique, blade_poses, channel_of
from randori.performer.tracks import Tracks
from randori.performer.truth import Action, Plant, Thing

# draws into channels (F, C) at so many frames per second, in place
Layer = Callable[[np.ndarray, float], None]

OTHER = {"left": "right", "right": "left"}
TEMPO_SPREAD, AMPLITUDE_SPREAD, TRAVEL_SPREAD = 0.08, 0.08, 0.12  # log-normal
ONSET_JITTER = 0.008  # seconds, per channel
POINT_SCATTER = 0.035  # metres
AFTER_IMPACT = 0.05  # seconds from one blow of a combination to when the next fist leaves
FLOWING_WIND_UP = 0.3  # of the wind-up of the trunk that is left inside a combination
FLOWING_LEAN = 0.55  # of the lean of the trunk that a blow adds to that of the one before
LEANING = ("pelvis_forward", "pelvis_pitch", "chest_pitch", "chest_roll")
WOUND_UP = 0.03  # seconds: a move of the trunk that is over by then is wind-up
BUSY_BOUNCE = 0.35  # while something else is going on
BLADE_LAG = 0.025  # seconds that the blade comes after the hands
BLADE_SCATTER = 0.06  # radians, where a cut or a parry ends
NOT_WORTH_A_STEP = 0.055  # metres: a foot that is nearly where it should be stays where it is
SHORTEST_STAND = 0.3  # seconds: a rest that is shorter belongs to what came before it
FOOT_SCATTER, FOOT_TURN_SCATTER = 0.012, 0.05  # metres, radians


@dataclass
class Place:
    """The place of the actor's root in the world."""

    x: float = 0.0  # metres
    z: float = 0.0
    heading: float = 0.0  # radians

    def moved(self, forward: float, left: float, turn: float) -> "Place":
        """The place that lies so far forward and to the left of this one."""
        c, s = cos(self.heading), sin(self.heading)
        return Place(self.x + forward * s + left * c, self.z + forward * c - left * s, self.heading + turn)


class Actor:
    """Plans a performance: every call adds to the tracks and to the ground truth.

    `time` is the earliest moment at which the next technique may begin to move the body.
    """

    def __init__(
        self, body: Body, stance: Stance, rng: np.random.Generator, manner: Manner, lead: str = "left"
    ):
        self.body, self.stance, self.rng, self.manner, self.lead = body, stance, rng, manner, lead
        self.tracks = Tracks()
        self.place = Place()
        self.time = 0.0
        self._settled = 0.0
        self._quiet = 0.0
        self.actions: list[Action] = []  # start and stop in seconds until the take is finished
        self.layers: list[Layer] = []  # motion that is added to the channels besides the tracks: a walk
        self.simulated: list[Simulated] = []  # stretches in which the body falls, in order
        self.things: list[Callable[[Clip], Thing]] = []  # things in the hands, placed once the body is solved
        self._starts: list[float] = []
        for channel, value in self.stance_values().items():
            self.tracks.base[INDEX[channel]] = value

    # -- times ----------------------------------------------------------------------------------

    @property
    def settled(self) -> float:
        """The end of the last technique, if nothing cuts it (seconds): for plans."""
        return self._settled

    @settled.setter
    def settled(self, time: float) -> None:
        self._settled = self._quiet = time

    def settle(self, time: float, first: int) -> None:
        """A technique whose movements are those from the `first` on is over at a time (seconds).

        The script's statement of that is for plans. The truth goes by the movements: a person in whom
        nothing moves visibly any more stands.
        """
        self.settled = time
        self._quiet = self.tracks.quiet(first)

    # -- names and signs ------------------------------------------------------------------------

    @property
    def rear(self) -> str:
        """The side that is behind."""
        return OTHER[self.lead]

    @property
    def to_lead(self) -> float:
        """+1 when the lead side is the left one."""
        return 1.0 if self.lead == "left" else -1.0

    def named(self, name: str) -> str:
        """A script's `lead_…` or `rear_…` as left or right."""
        return name.replace("lead", self.lead, 1).replace("rear", self.rear, 1)

    def amount(self, channel: Channel, value: float) -> float:
        """A script's amount for this body and this stance."""
        return value * (self.to_lead if channel.mirrored else 1.0) * self._scale(channel)

    def _scale(self, channel: Channel) -> float:
        scales = {"leg": self.body.leg_scale, "arm": self.body.arm_scale, "size": self.body.size}
        return scales.get(channel.scale, 1.0)

    # -- standing -------------------------------------------------------------------------------

    def stance_values(self) -> dict[str, float]:
        """Every channel in SI when the actor stands in its stance at its place."""
        values = {c.name: c.base * self._scale(c) for c in CHANNELS if c.scale != "" or c.base}
        values |= {"root_x": self.place.x, "root_z": self.place.z, "heading": self.place.heading}
        values["pelvis_height"] = self.body.standing_height
        for name, value in self.stance.channels.items():
            values[self.named(name)] = self.amount(channel_of(name), value)
        for name, share in (("chest_pitch", 1.0), ("head_pitch", 0.5), ("pelvis_pitch", 0.25)):
            values[name] = values.get(name, 0.0) + share * self.manner.slump
        for side in SIDES:
            values[f"{side}_hand_up"] -= self.manner.guard_drop * self.body.arm_scale
            x, z, yaw = self.foot_place(side)
            values |= {f"{side}_foot_x": x, f"{side}_foot_z": z, f"{side}_foot_yaw": yaw}
        return values

    def foot_place(
        self, side: str, beside: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[float, float, float]:
        """World x, z and yaw of a foot in the stance at the actor's place."""
        own = self.stance.lead_foot if side == self.lead else self.stance.rear_foot
        leg, sign = self.body.leg_scale, self.to_lead
        forward, out, turn = (a + b for a, b in zip(own, beside))
        spot = self.place.moved(leg * forward, leg * sign * out, sign * turn)
        return spot.x, spot.z, spot.heading

    # -- doing something ------------------------------------------------------------------------

    def perform(
        self,
        technique: Technique,
        wait: float = 0.0,
        travel: tuple[float, float, float] | None = None,
        tempo: float = 1.0,
        amplitude: float = 1.0,
        flowing: bool = False,
    ) -> Action:
        """Perform a technique as soon as the one before can be cut, or after a wait.

        travel (metres of the reference body and radians, to the lead side) replaces the script's.
        Flowing, as in a combination, it winds up while the one before is still out.
        """
        rng, manner = self.rng, self.manner
        tempo *= manner.tempo * float(np.exp(rng.normal(0.0, TEMPO_SPREAD)))
        amplitude *= manner.amplitude * float(np.exp(rng.normal(0.0, AMPLITUDE_SPREAD * manner.sloppiness)))
        start = self.time + wait
        zero = start - technique.start * tempo
        before = self.actions[-1] if self.actions else None
        if flowing and before is not None and before.impact is not None:
            # the same hand has to come back first, the other one leaves when the blow has landed
            other = before.effector != self.named(technique.effector)
            zero = wait + (before.impact + AFTER_IMPACT * tempo if other else self.time)
            start = zero + max(technique.start, -AFTER_IMPACT) * tempo
        self._stand_until(start)

        action = Action(
            0,
            0,
            technique.kind,
            self.named(technique.technique),
            technique.name,
            side=self.named(technique.side),
            position=technique.position,
            direction=self.named(technique.direction),
            effector=self.named(technique.effector),
            impact=None if isnan(technique.impact) else zero + technique.impact * tempo,
            strength=technique.strength,
        )
        self._begin(action, start)
        first = len(self.tracks)
        if self.tracks.final("bounce") > BUSY_BOUNCE:
            self.tracks.move_to("bounce", BUSY_BOUNCE, start, start + 0.3)
        self._reach_points(technique, start, zero, tempo)

        # a channel's rows shift together, so what goes out still comes back
        shifts: dict[str, float] = {}
        for move in _unwound(technique.moves) if flowing else technique.moves:
            channel = channel_of(move.channel)
            if move.channel not in shifts:
                shifts[move.channel] = float(rng.normal(0.0, ONSET_JITTER * manner.sloppiness))
            size = 1.0 if channel.unit == "1" else amplitude
            begin, end = (max(zero + t * tempo + shifts[move.channel], 0.0) for t in (move.start, move.stop))
            self.tracks.add(
                self.named(move.channel), size * self.amount(channel, move.amount), begin, end, move.skew
            )

        self._swing_blade(technique, zero, tempo)
        going = travel if travel is not None else technique.travel
        self._travel(technique, going, zero, tempo, vary=travel is None)
        if technique.switches:
            self._switch(zero, tempo, technique)
        for step in technique.steps:
            action.plants.append(self._step(step, zero, tempo))

        self.time = zero + technique.cut * tempo
        self.settle(zero + technique.settled * tempo, first)
        return action

    def _swing_blade(self, technique: Technique, zero: float, tempo: float) -> None:
        """The hands carry the grip from pose to pose; the blade comes after them and overtakes."""
        rest = self.stance_values() if technique.blade else {}
        for move in technique.blade:
            wanted = blade_poses().get(move.pose)
            first, last = zero + move.start * tempo, zero + move.stop * tempo
            for name in (c.name for c in CHANNELS if c.name.startswith(("hilt_", "blade_"))):
                channel = CHANNELS[INDEX[name]]
                target = (
                    rest.get(name, 0.0) if wanted is None else self.amount(channel, wanted.get(name, 0.0))
                )
                if channel.unit == "rad":
                    target += float(self.rng.normal(0.0, BLADE_SCATTER * self.manner.sloppiness))
                late = BLADE_LAG * tempo if name.startswith("blade_") else 0.0
                self.tracks.move_to(name, target, max(first + late, 0.0), last + late, move.skew)

    def stand(self, seconds: float, bounce: float | None = None) -> None:
        """Do nothing for a while: the body settles, bounces, and shifts a little in its guard."""
        end = max(self.time, self.settled - 0.2) + seconds
        if seconds > 0.4:
            level = self.manner.bounce if bounce is None else bounce
            self.tracks.move_to("bounce", level, self.time, self.time + 0.5)
            self._resettle(end - seconds, end)
        self.time = end

    def note(self, action: Action, start: float) -> None:
        """Write down an action that a plan has put together itself; before it the actor stood."""
        self._stand_until(start)
        self._begin(action, start)

    def _begin(self, action: Action, start: float) -> None:
        self.actions.append(action)
        self._starts.append(start)

    def _stand_until(self, start: float) -> None:
        """Stand from the end of the last technique to the start of the next one."""
        after = self._quiet if self.actions else 0.0
        stands = start - after > (SHORTEST_STAND if self.actions else 1e-6)
        if stands and not (self.actions and self.actions[-1].technique == "stand"):
            self._begin(Action(0, 0, "transition", "stand", ""), after)

    def _reach_points(self, technique: Technique, start: float, zero: float, tempo: float) -> None:
        """Settle the places that the hands will strike before they leave."""
        for hand, place in technique.points.items():
            point = self.named(hand).replace("hand", "point")
            for axis, value in zip(("forward", "out", "up"), place):
                name = f"{point}_{axis}"
                scatter = float(self.rng.normal(0.0, POINT_SCATTER * self.manner.sloppiness))
                target = (value + scatter) * self._scale(CHANNELS[INDEX[name]])
                self.tracks.move_to(name, target, min(start, zero - 0.05), zero + 0.08 * tempo)

    def _travel(
        self,
        technique: Technique,
        going: tuple[float, float, float],
        zero: float,
        tempo: float,
        vary: bool,
    ) -> None:
        """Move the root; the steps bring the feet along."""
        if not any(going):
            return
        size = float(np.exp(self.rng.normal(0.0, TRAVEL_SPREAD))) if vary else 1.0
        leg, sign = self.body.leg_scale * size, self.to_lead
        self.place = self.place.moved(leg * going[0], leg * sign * going[1], sign * going[2])
        first, last, skew = technique.travel_time
        window = max(zero + first * tempo, 0.0), zero + last * tempo, skew
        self.tracks.move_to("root_x", self.place.x, *window)
        self.tracks.move_to("root_z", self.place.z, *window)
        self.tracks.move_to("heading", self.place.heading, *window)

    def _step(self, step: Step, zero: float, tempo: float) -> Plant:
        """A foot peels off, travels, and lands at its place; the pelvis goes over the other one first."""
        side, scale = self.named(step.foot), self.body.leg_scale
        first, last = zero + step.start * tempo, zero + step.stop * tempo
        length = last - first
        scatter = self.rng.normal(0.0, 1.0, 3) * (FOOT_SCATTER, FOOT_SCATTER, FOOT_TURN_SCATTER)
        forward, out, turn = np.add(step.place, scatter * self.manner.sloppiness)
        x, z, yaw = self.foot_place(side, (float(forward), float(out), float(turn)))
        stood = self.tracks.final(f"{side}_foot_x"), self.tracks.final(f"{side}_foot_z")
        if step.lift == 0.0:
            x, z = stood  # a pivot on the ball
        distance = hypot(x - stood[0], z - stood[1])
        turned = abs(yaw - self.tracks.final(f"{side}_foot_yaw"))
        if distance < NOT_WORTH_A_STEP * scale and turned < 0.15:
            return Plant(side, first, last, (*stood, self.tracks.final(f"{side}_foot_yaw")))
        add = self.tracks.add
        # the ball is off the floor before it travels, and at its place before it is down: no sliding.
        # Two overlapping halves make a swing of even speed; one alone would dart.
        begin, end = first + 0.10 * length, last - 0.14 * length
        for name, value in (("foot_x", x), ("foot_z", z), ("foot_yaw", yaw)):
            half = 0.5 * (value - self.tracks.final(f"{side}_{name}"))
            add(f"{side}_{name}", half, begin, end - 0.28 * (end - begin))
            add(f"{side}_{name}", half, begin + 0.28 * (end - begin), end)
        # a longer step is lifted a little higher
        lift = scale * step.lift * (0.8 + 0.5 * distance)
        add(f"{side}_foot_lift", lift, first - 0.03, first + 0.36 * length, 0.42)
        # however slow the step, the foot is put down, not lowered
        add(f"{side}_foot_lift", -lift, max(first + 0.55 * length, last - 0.18), last, 0.54)
        add(f"{side}_heel", step.heel, first - 0.08, first + 0.4 * length, 0.45)
        add(f"{side}_heel", -step.heel, first + 0.4 * length, last + 0.03, 0.5)
        over = (1.0 if side == "right" else -1.0) * scale * step.shift
        add("pelvis_side", over, first - 0.14, first + 0.3 * length)
        add("pelvis_side", -over, first + 0.4 * length, last + 0.12)
        return Plant(side, first, last, (x, z, yaw))

    def _switch(self, zero: float, tempo: float, technique: Technique) -> None:
        """The other foot comes in front: everything else changes sides with it."""
        before = self.stance_values()
        self.lead = self.rear
        feet = {f"{side}_{part}" for side in SIDES for part in ("foot_x", "foot_z", "foot_yaw")}
        first, last, skew = technique.travel_time
        after = self.stance_values()
        for name in dict.fromkeys([*after, *before]):
            # channels that a stance does not name are at 0
            value = after.get(name, 0.0) - before.get(name, 0.0)
            if name not in feet and abs(value) > 1e-9:
                late = float(self.rng.uniform(0.0, 0.06))
                window = zero + first * tempo + late, zero + last * tempo + 0.1 + late
                self.tracks.add(name, value, *window, skew)

    def _resettle(self, start: float, stop: float) -> None:
        """Guard hands and weight never come to rest in quite the same place twice."""
        rest = self.stance_values()
        spread = {"hand_forward": 0.018, "hand_up": 0.02, "hand_out": 0.015}
        middle = {"pelvis_forward": 0.02, "pelvis_side": 0.012, "pelvis_height": 0.012, "chest_yaw": 0.05}
        middle |= {"pelvis_yaw": 0.05, "chest_pitch": 0.035, "head_yaw": 0.06, "head_pitch": 0.04}
        wanted = {f"{side}_{name}": rms for side in SIDES for name, rms in spread.items()} | middle
        for name, rms in wanted.items():
            shift = float(np.clip(self.rng.normal(0.0, rms), -2 * rms, 2 * rms)) * self.manner.sloppiness
            at = float(self.rng.uniform(start, max(start + 0.01, stop - 0.4)))
            here = rest.get(name, 0.0) + shift
            self.tracks.move_to(name, here, at, at + float(self.rng.uniform(0.4, 0.9)))

    # -- the end --------------------------------------------------------------------------------

    def finish(self, fps: float, frames: int) -> list[Action]:
        """The actions in frames: each ends where the next begins, the last with the take."""
        self._stand_until(frames / fps)
        starts = [min(round(start * fps), frames) for start in self._starts]
        order = np.argsort(starts, kind="stable")
        ends = [starts[i] for i in order[1:]] + [frames]
        finished: list[Action] = []
        for number, end in zip(order, ends):
            action = self.actions[number]
            action.start, action.stop = starts[number], end
            if action.stop <= action.start:
                continue
            if finished and action.technique == finished[-1].technique == "stand":
                finished[-1].stop = action.stop  # planned in two parts, and still one
            else:
                finished.append(action)
        return finished


def _unwound(moves: tuple[Move, ...]) -> list[Move]:
    """The moves with less of the trunk: in a combination the blow before has wound and leant it already.

    The same share is taken from the wind-up and from its return, so the channel still comes back.
    """
    result = [
        replace(move, amount=FLOWING_LEAN * move.amount) if move.channel in LEANING else move
        for move in moves
    ]
    for number, move in enumerate(result.copy()):
        if move.channel.startswith(("pelvis_", "chest_")) and move.stop <= WOUND_UP:
            less = (1.0 - FLOWING_WIND_UP) * move.amount
            last = max(i for i, other in enumerate(moves) if other.channel == move.channel)
            result[number] = replace(result[number], amount=result[number].amount - less)
            result[last] = replace(result[last], amount=result[last].amount + less)
    return result
