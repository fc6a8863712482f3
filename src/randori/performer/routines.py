"""Routines: from pose to pose, with hands and feet that find their places on the floor."""

from dataclasses import replace

import numpy as np

from randori.motion import rotations as rot
from randori.performer.actor import Actor, Place
from randori.performer.channels import CHANNELS
from randori.performer.script import Key, Routine, channel_of
from randori.performer.truth import Action, Plant

TEMPO_SPREAD = 0.07  # log-normal
RHYTHM_PARTS, RHYTHM_SPREAD = 5, 0.16  # of getting up: pieces with a pace of their own, log-normal
TIME_JITTER = 0.03  # seconds, per channel: no two joints of a tired body start together
ANGLE_SCATTER, LENGTH_SCATTER = 0.04, 0.010  # radians, metres
STEP_LIFT, HAND_LIFT = 0.05, 0.04  # metres, for a foot or a hand that changes its place
HOVER = 0.8  # of a step's time after which the foot is over its place
LOCK = 0.02  # seconds in which a limb that is in the air gets a new place on the floor
_FEET = ("foot_x", "foot_z", "foot_yaw")


def perform_routine(actor: Actor, routine: Routine, tempo: float = 1.0, wait: float = 0.0) -> Action:
    """Go through a routine from where the actor is; it ends in the actor's stance."""
    tempo *= actor.manner.tempo * float(np.exp(actor.rng.normal(0.0, TEMPO_SPREAD)))
    if routine.kind == "rise":
        routine = _in_own_rhythm(actor, routine)
    zero = actor.time + wait
    action = Action(
        0,
        0,
        routine.kind,
        routine.technique,
        routine.name,
        side=actor.named(routine.side),
        position=routine.position,
        direction=actor.named(routine.direction),
    )
    actor.note(action, zero)
    first = len(actor.tracks)
    apply_keys(actor, routine, zero, tempo, action.plants)
    actor.time = zero + routine.cut * tempo
    actor.settle(zero + routine.settled * tempo, first)
    return action


def _in_own_rhythm(actor: Actor, routine: Routine) -> Routine:
    """The routine with some parts of it hurried and some dragged."""
    rng = actor.rng
    knots = np.linspace(min(key.start for key in routine.keys), routine.settled, RHYTHM_PARTS + 1)
    paces = np.exp(rng.normal(0.0, RHYTHM_SPREAD, RHYTHM_PARTS))
    paces *= RHYTHM_PARTS / paces.sum()  # all in all as long as written
    lengths = paces * np.diff(knots)
    heard = knots[0] + np.concatenate([[0.0], np.cumsum(lengths)])

    def when(time: float) -> float:
        return float(np.interp(time, knots, heard)) + max(time - float(knots[-1]), 0.0)

    keys = tuple(replace(key, start=when(key.start), stop=when(key.stop)) for key in routine.keys)
    return replace(routine, keys=keys, cut=when(routine.cut), settled=when(routine.settled))


def apply_keys(actor: Actor, routine: Routine, zero: float, tempo: float, plants: list[Plant]) -> None:
    """Put the keys of a routine on the tracks; time 0 of its script is at `zero` seconds."""
    began = actor.place
    if any(key.stance for key in routine.keys):
        forward, side, turn = routine.ends
        leg, sign = actor.body.leg_scale, actor.to_lead
        forward -= actor.stance.lead_foot[0]
        actor.place = began.moved(leg * forward, leg * sign * side, sign * turn)
    for key in routine.keys:
        first, last = zero + key.start * tempo, zero + key.stop * tempo
        for word, foot in key.feet.items():
            _place_foot(actor, actor.named(word), began, foot, key, first, last, plants)
        for word, hand in key.hands.items():
            _place_hand(actor, actor.named(word), began, hand, key, first, last)
        for name, value in key.channels.items():
            channel = channel_of(name)
            scatter = {"rad": ANGLE_SCATTER, "m": LENGTH_SCATTER}.get(channel.unit, 0.0)
            value = (
                actor.amount(channel, value) + float(actor.rng.normal(0.0, scatter)) * actor.manner.sloppiness
            )
            _go(actor, actor.named(name), value, first, last, key.skew)
        if key.stance:
            _to_stance(actor, first, last, key.skew)


def _go(actor: Actor, name: str, value: float, first: float, last: float, skew: float) -> None:
    late = float(actor.rng.normal(0.0, TIME_JITTER)) * actor.manner.sloppiness
    late = float(np.clip(late, -2.0 * TIME_JITTER, 2.0 * TIME_JITTER))
    actor.tracks.move_to(name, value, max(first + late, 0.0), last + late, skew)


def _place_foot(
    actor: Actor,
    side: str,
    began: Place,
    place: tuple[float, float, float] | None,
    key: Key,
    first: float,
    last: float,
    plants: list[Plant],
) -> None:
    """A foot in the air comes down at its place; one that stands takes a step there."""
    tracks, leg = actor.tracks, actor.body.leg_scale
    if place is None:
        x, z, yaw = actor.foot_place(side)
    else:
        spot = began.moved(leg * place[0], leg * actor.to_lead * place[1], actor.to_lead * place[2])
        x, z, yaw = spot.x, spot.z, spot.heading
    yaw = nearest_turn(yaw, tracks.final("heading"))
    # over its place before it comes down: a foot that still travels when it lands is seen to slide
    over = first + HOVER * (last - first)
    lift = leg * STEP_LIFT
    if tracks.final(f"{side}_kick") > 0.5:
        for name, value in zip(_FEET, (x, z, yaw)):
            tracks.move_to(f"{side}_{name}", value, first - LOCK, first)
        tracks.move_to(f"{side}_foot_lift", lift, first - LOCK, first)
        tracks.move_to(f"{side}_kick", 0.0, first, over, key.skew)
    else:
        for name, value in zip(_FEET, (x, z, yaw)):
            tracks.move_to(f"{side}_{name}", value, first + LOCK, over)
        tracks.add(f"{side}_foot_lift", lift, first - LOCK, 0.5 * (first + over), 0.45)
    tracks.move_to(f"{side}_foot_lift", 0.0, 0.5 * (first + over), last)
    plants.append(Plant(side, first, last, (x, z, yaw)))


def _place_hand(
    actor: Actor,
    side: str,
    began: Place,
    place: tuple[float, float, float],
    key: Key,
    first: float,
    last: float,
) -> None:
    """A free hand reaches for its place; one that leans somewhere is lifted over to it."""
    tracks, size = actor.tracks, actor.body.size
    spot = began.moved(size * place[0], size * actor.to_lead * place[1], 0.0)
    free = tracks.final(f"{side}_hand_hold") < 0.5
    window = (first - LOCK, first) if free else (first, last)
    for name, value in (("hold_x", spot.x), ("hold_y", size * place[2]), ("hold_z", spot.z)):
        tracks.move_to(f"{side}_{name}", value, *window)
    if free:
        tracks.move_to(f"{side}_hand_hold", 1.0, first, last, key.skew)
    else:
        middle = 0.5 * (first + last)
        tracks.add(f"{side}_hold_y", size * HAND_LIFT, first, middle)
        tracks.add(f"{side}_hold_y", -size * HAND_LIFT, middle, last)


def _to_stance(actor: Actor, first: float, last: float, skew: float) -> None:
    """Everything that is not a foot on the floor goes to where the stance has it."""
    values = {channel.name: channel.base for channel in CHANNELS} | actor.stance_values()
    for name, value in values.items():
        bare = name.split("_", 1)[1] if name.startswith(("left_", "right_")) else name
        if bare in _FEET or bare.startswith(("hold_", "point_")) or name == "bounce":
            continue
        if name == "heading":
            value = nearest_turn(value, actor.tracks.final(name))
            actor.place.heading = value
        if abs(value - actor.tracks.final(name)) > 1e-9:
            # the angles of a leg that already stands do not show
            _go(actor, name, value, first, last, skew)


def nearest_turn(angle: float, to: float) -> float:
    """The same angle, as many whole turns away as brings it nearest to another."""
    return to + float(rot.wrap_angle(angle - to))
