"""Falling down, lying there and getting up again, as one stretch of a performance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.performer import solver
from randori.performer.actor import OTHER, Actor, Place
from randori.performer.checks import hand_depth
from randori.performer.falling import Push, Simulated, fall
from randori.performer.footfalls import Walk
from randori.performer.outing import arrive, drawn_from
from randori.performer.proportions import Body
from randori.performer.routines import apply_keys, nearest_turn, perform_routine
from randori.performer.script import Routine, routines
from randori.performer.truth import Action
from randori.performer.walker import Walker

RATE = 120.0  # frames per second of the simulated stretch
LONGEST = 2.6  # seconds until the slowest fall has come to rest
RELAX = (0.5, 0.95)  # seconds after the hit: the muscles go from catching the fall to lying
STILL = 0.14  # metres per second: the body lies
FADE = 1.1  # seconds in which a body that gets up leaves the pose it fell into
ROLLS_OVER = 0.35  # share of the bodies that lie on their backs
ROLL_WAY = 0.16  # metres that a person travels who rolls from the back to the side
HALT = 0.3  # seconds in which the walk behind a fall comes to its end, unseen
FLAT = 0.24  # metres that hips and chest are above the floor at most, in a body of average size that lies
ATTEMPTS = 6  # at a fall that ends lying: few end folded up on the knees, or on an arm
CLEAN = 0.01  # metres that a hand may be inside the body that falls on it; it will give way
ARM_UNDER = 0.04  # metres to its own side of the trunk's middle that a hand below it is at least
ON_SIDE = 0.72  # of straight up or down that the belly looks at most when the body lies on its side
# how awake the muscles are: seconds since the hit, share of full strength
AWAKE = ((0.0, 0.9), (0.12, 0.5), (0.35, 0.28), (0.9, 0.22), (1.6, 0.2), (2.4, 0.12))
STUNNED = ((0.0, 0.7), (0.10, 0.22), (0.4, 0.12), (1.0, 0.1), (2.0, 0.08))


@dataclass(frozen=True)
class Lying:
    """The pose in which a body came to rest."""

    way: str  # back, front or side
    lower: str  # the side that is down, for one that lies on its side
    place: Place  # of the pelvis; the heading as lying.toml means it
    turns: dict[str, float]  # pelvis_yaw and chest_yaw in radians: how far it is rolled over
    rolls_over: bool = False  # lies on its back, and will turn over to the side before it gets up


def fall_down(
    actor: Actor,
    intent: Routine,
    push: Push,
    efforts: Sequence[tuple[float, float]] = AWAKE,
    walker: Walker | None = None,
) -> tuple[Clip, Lying]:
    """Fall from where the actor is now. Gives the simulated stretch and how the body lies at its end.

    A walker that is on the way falls out of its walk; that walk is over then.
    Afterwards the actor's lead is the side that getting up begins with.
    """
    start, settled = actor.time, actor.settled
    walk = None if walker is None else walker.walk
    if walker is not None:
        last = walker.walk.beats[-1]
        actor.time = last.stop
        walker.hold(HALT, "stand", last.action or Action(0, 0, "locomotion", "stop", "stand"))
        actor.time = start
    # Step 1. Plan the fall and simulate it
    apply_keys(actor, intent, start, 1.0, [])
    meant = actor.tracks.copy()
    guess = {"front": "back", "back": "front"}.get(intent.direction, "side")
    fallen = _simulate(actor, guess, start, push, efforts, walk)
    lying = _how_it_lies(fallen, actor.tracks.final("heading"))

    # Step 2. Once more, now that the body knows on which side it will want to lie; harder until it does
    actor.tracks = meant
    actor.lead = OTHER[lying.lower] if lying.way == "side" else str(actor.rng.choice(SIDES))
    meant = actor.tracks.copy()
    least = np.inf
    for attempt in range(ATTEMPTS):
        actor.tracks = meant.copy()
        tried = _simulate(actor, lying.way, start, push.harder(attempt), efforts, walk)
        fault = _fault(tried, actor.body)
        if fault < least:
            fallen, tracks, least = tried, actor.tracks, fault
        if least < CLEAN:
            break
    actor.tracks = tracks
    lying = _how_it_lies(fallen, actor.tracks.final("heading"))
    if lying.way == "back" and actor.rng.random() < ROLLS_OVER:
        lying = _how_it_lies(fallen, actor.tracks.final("heading"), rolls_over=True)
    if lying.way == "side":
        actor.lead = OTHER[lying.lower]

    # Step 3. The plan goes on from there; until then it is not seen
    if walker is not None:
        arrive(actor, walker)
        settled = max(settled, walker.walk.beats[-1].stop + HALT)
    # motion from before the fall must be over, or it would move the body that lies
    fallen = _held(fallen, settled - start)
    rest = start + fallen.duration
    shown = rest - 0.3
    tracks = actor.tracks
    apply_keys(actor, routines("lying")[f"lie_{lying.way}"], shown, 0.3, [])
    place = lying.place
    values = {"root_x": place.x, "root_z": place.z, "heading": place.heading, **lying.turns}
    for name, value in values.items():
        tracks.move_to(name, value, shown, rest - 0.05)
    actor.place = place
    return fallen, lying


def _simulate(
    actor: Actor,
    way: str,
    start: float,
    push: Push,
    efforts: Sequence[tuple[float, float]],
    walk: Walk | None,
) -> Clip:
    """The fall from a time on, with muscles that relax into lying the given way."""
    place = actor.place
    tempo = (RELAX[1] - RELAX[0]) / 0.5
    apply_keys(actor, routines("lying")[f"lie_{way}"], start + RELAX[0], tempo, [])
    actor.place = place
    before = min(start, 0.05)
    values = actor.tracks.evaluate(round((before + LONGEST) * RATE), RATE, start - before)
    values += actor.tracks.carried
    if walk is not None:
        drawn_from(walk, values, RATE, start - before)
    meant = solver.solve(actor.body, values, RATE)
    return _until_still(fall(actor.body, meant, round(before * RATE), push, efforts))


def fall_and_rise(
    actor: Actor,
    action: Action,
    intent: Routine,
    push: Push,
    lie: float,
    efforts: Sequence[tuple[float, float]] = AWAKE,
    tempo: float = 1.0,
    walker: Walker | None = None,
) -> Lying:
    """Fall, lie for some seconds, get up the way the body lies. `action` is what the fall is called."""
    start = actor.time
    actor.note(action, start)
    fallen, lying = fall_down(actor, intent, push, efforts, walker)
    rest = actor.settled = start + fallen.duration
    actor.note(Action(0, 0, "transition", "lie", f"lie_{lying.way}", direction=_lies_on(lying)), rest)
    actor.time = actor.settled = rest + lie
    if lying.rolls_over:
        _roll_over(actor, tempo)
    perform_routine(actor, routines("rises")[f"up_from_{lying.way}"], tempo)
    actor.simulated.append(Simulated(start, fallen, rest + lie, FADE * tempo, actor.settled))
    return lying


def _roll_over(actor: Actor, tempo: float) -> None:
    """From the back to the rear side; the body comes to lie beside where it lay."""
    start = actor.time
    perform_routine(actor, routines("rises")["roll_over"], tempo)
    actor.place = actor.place.moved(0.0, actor.to_lead * ROLL_WAY * actor.body.size, 0.0)
    for name, value in (("root_x", actor.place.x), ("root_z", actor.place.z)):
        actor.tracks.move_to(name, value, start, actor.settled)


def _lies_on(lying: Lying) -> str:
    if lying.rolls_over:
        return "back"
    return lying.lower if lying.way == "side" else lying.way


def _until_still(clip: Clip) -> Clip:
    """A fall up to where nothing moves any more."""
    speed = np.linalg.norm(np.gradient(clip.positions, axis=0), axis=-1).max(axis=-1) * clip.fps
    moving = np.flatnonzero(speed > STILL)
    last = min(int(moving[-1]) + 3 if len(moving) else len(clip), len(clip))
    return clip.with_frames(clip.root_position[:last], clip.rotations[:last])


def _held(clip: Clip, seconds: float) -> Clip:
    """A clip that stays in its last pose until it is so long."""
    more = max(int(np.ceil(seconds * clip.fps)) + 1 - len(clip), 0)
    last = np.minimum(np.arange(len(clip) + more), len(clip) - 1)
    return clip.with_frames(clip.root_position[last], clip.rotations[last])


def _fault(clip: Clip, body: Body) -> float:
    """Metres that a hand is inside the trunk or the head at worst, and more if the fall does not end well."""
    parts = [clip.skeleton.joint(part) for part in ("pelvis", "chest", "neck")]
    flat = clip.positions[-1, parts, 1].max() < FLAT * body.size
    fault = float(hand_depth(clip).max(initial=0.0))
    return fault + (0.0 if flat else 2.0) + (0.0 if _arms_free(clip) else 1.0)


def _arms_free(clip: Clip) -> bool:
    """Whether a fall ends with no arm under the trunk: its hand could not get out without going through."""
    joint, place = clip.skeleton.joint, clip.positions[-1]
    low, high = place[joint("pelvis")], place[joint("neck")]
    axis = high - low
    left = rot.rotate(clip.global_rotations[-1, joint("chest")], rot.X_AXIS)
    for side, sign in zip(SIDES, (1.0, -1.0)):
        hand = place[joint(f"{side}_hand")] - low
        along = float(hand @ axis / (axis @ axis))
        away = hand - along * axis
        if -0.1 < along < 1.4 and away[1] < 0.0 and sign * float(away @ left) < ARM_UNDER:
            return False
    return True


def _how_it_lies(clip: Clip, heading: float, rolls_over: bool = False) -> Lying:
    """Read the last frame of a fall. One that will roll over counts as lying on its side from the start."""
    joint = clip.skeleton.joint
    pelvis, chest = (clip.global_rotations[-1, joint(part)] for part in ("pelvis", "chest"))
    facing, left = rot.rotate(pelvis, rot.Z_AXIS), rot.rotate(pelvis, rot.X_AXIS)
    along = clip.positions[-1, joint("neck")] - clip.positions[-1, joint("pelvis")]
    way = "side" if abs(facing[1]) < ON_SIDE else "back" if facing[1] > 0.0 else "front"
    way = "side" if rolls_over else way
    sign = -1.0 if way == "back" else 1.0
    towards = nearest_turn(float(np.arctan2(sign * along[0], sign * along[2])), heading)
    flat = rot.multiply(rot.from_yaw(towards), rot.from_axis_angle(rot.X_AXIS, sign * 0.5 * np.pi))
    rolled, twisted = (float(rot.yaw(rot.multiply(rot.inverse(flat), q))) for q in (pelvis, chest))
    x, _, z = clip.positions[-1, joint("pelvis")]
    if rolls_over:  # on over the side that is lower already
        lower = "right" if rolled > 0.0 else "left"
    else:
        lower = "left" if left[1] < 0.0 else "right"
    return Lying(
        way,
        lower,
        Place(float(x), float(z), towards),
        {
            "pelvis_yaw": rolled,
            "chest_yaw": rolled + float(np.clip(rot.wrap_angle(twisted - rolled), -0.6, 0.6)),
        },
        rolls_over,
    )
