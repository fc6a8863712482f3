"""Blows: how they push, where what strikes waits, and how far it is stretched to land."""

from collections.abc import Sequence

import numpy as np

from randori.body.capsules import CAPSULES
from randori.kernels import overlap, physics, puppet
from randori.motion.easing import smoother_step
from randori.physics.contact import LETTING_GO, REACHING, by_turning
from randori.physics.weights import particle_of, shares_of_blow
from randori.timeline.impulse import speed_of_blow
from randori.timeline.timeline import Event

_WAITING_SECONDS = (0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)  # seconds that a limb may wait where it struck
_BLADE_WAITING = (*_WAITING_SECONDS, 0.6, 0.75)  # a cut is drawn back later
_MOMENTS = 8  # that a tick is divided into to find where something meets a surface
_THROUGH_DEPTH, _THROUGH_SECONDS = (
    0.08,
    0.12,
)  # metres inside, within so many seconds: it would go right through
_WORTH = 0.1  # metres, summed over frames, that it must be less deep in a body for that
_WHOLE_BODY = ("head", "upper_torso", "lower_torso", "left_thigh", "right_thigh")
_TOUCHING_DEPTH = 0.002  # metres inside: it touches
_FARTHEST_REACH = 0.12  # metres that it is stretched by
_SHARP_FRAMES = 5  # frames about a blow in which nothing is spread over time
_FOLLOW_DISTANCE = 0.03  # metres from a surface, from which on the body comes along
_LEANING, _WITH_BOTH = 0.4, 0.9  # with such a share; the second where two hands hold what strikes


def blow_speeds(event: Event, ends: np.ndarray, fps: float) -> np.ndarray:
    """(12, 3) m/s that a hit gives to the particles of the struck body, by its momentum."""
    striking, struck = CAPSULES.index(event.what), CAPSULES.index(event.part)
    points = ends[event.tick - 1 : event.tick + 1, event.who, striking, 1]
    against = ends[event.tick - 1 : event.tick + 1, event.whom, struck].mean(axis=1)
    coming = (points[1] - points[0] - against[1] + against[0]) * fps
    return shares_of_blow(event.part)[:, None] * speed_of_blow(event.what, event.part, coming)


def waiting_frames(event: Event, bodies: puppet.Bodies, fps: float) -> int:
    """Frames that what strikes waits where it struck, because its motion goes right through.

    As few as bring it back without going through after all.
    """
    choices = _BLADE_WAITING if event.what == "weapon" else _WAITING_SECONDS
    striking = CAPSULES.index(event.what)
    core = [CAPSULES.index(name) for name in _WHOLE_BODY]
    when = slice(event.tick, event.tick + round(choices[-1] * fps) + 1)
    ends = bodies.ends[when, event.who, striking : striking + 1]
    if event.what == "weapon":  # which waits turned as it was, too
        place = ends[:, 0]
    else:
        place = bodies.points[when, event.who, particle_of(event.what)][:, None]
    against = np.ascontiguousarray(bodies.ends[when, event.whom][:, core])
    surface = _meeting_place(event, bodies)
    best, least = 0, np.inf
    for seconds in choices:
        frames = round(seconds * fps)
        shares = np.arange(len(ends)) / max(frames, 1)
        hold = np.array([physics.held_back(share) if frames else 0.0 for share in shares])
        moved = ends + (hold[:, None, None] * (surface - place))[:, None]
        depth = np.empty((len(ends), 1, len(core)))
        overlap.depths(
            moved,
            bodies.radii[event.who, striking : striking + 1],
            against,
            bodies.radii[event.whom, core],
            depth,
        )
        deepest = float(np.maximum(depth, 0.0).sum())
        if frames == 0 and depth[: round(_THROUGH_SECONDS * fps)].max() > _THROUGH_DEPTH:
            continue  # it has to wait
        if deepest < least - _WORTH:
            best, least = frames, deepest
    return best


def _meeting_place(event: Event, bodies: puppet.Bodies) -> np.ndarray:
    """(1, 3) metres: the particle of what strikes, when that meets what it strikes on its way to the tick.

    Of a weapon (2, 3), both ends."""
    share = (np.arange(_MOMENTS + 1) / _MOMENTS)[:, None, None]
    moved, radii = [], []
    for who, part in ((event.who, event.what), (event.whom, event.part)):
        before, after = bodies.ends[event.tick - 1 : event.tick + 1, who, CAPSULES.index(part)]
        moved.append(((1.0 - share) * before + share * after)[:, None])
        radii.append(bodies.radii[who, CAPSULES.index(part)][None])
    depth = np.empty((_MOMENTS + 1, 1, 1))
    overlap.depths(moved[0], radii[0], moved[1], radii[1], depth)
    touching = np.flatnonzero(depth[:, 0, 0] >= 0.0)
    met = touching[0] / _MOMENTS if len(touching) else 1.0
    if event.what == "weapon":
        before, after = bodies.ends[event.tick - 1 : event.tick + 1, event.who, CAPSULES.index("weapon")]
    else:
        before, after = bodies.points[event.tick - 1 : event.tick + 1, event.who, [particle_of(event.what)]]
    return (1.0 - met) * before + met * after


def stretch_to(bodies: puppet.Bodies, event: Event, offsets: np.ndarray, missing: np.ndarray) -> float:
    """Add what stretches a striking limb to the surface that it strikes, eased about the tick of the hit.

    Returns how many metres are between them.
    """
    striking, struck = CAPSULES.index(event.what), CAPSULES.index(event.part)
    frames = event.tick + np.arange(1 - len(REACHING), 1 + len(LETTING_GO))
    shown = (frames >= 0) & (frames < len(offsets))
    ease = np.concatenate([REACHING, LETTING_GO])[shown, None]
    ends = np.empty((2, len(CAPSULES), 2, 3))
    between = puppet.Gap(event.who, striking, event.whom, struck, ends, puppet.Pose.of(bodies))
    gap, share, *way = puppet.gap(bodies, event.tick, offsets, between)
    if gap <= 0.0:
        return 0.0
    reaching = min(gap + _TOUCHING_DEPTH, _FARTHEST_REACH) * ease * np.array(way)
    if event.what == "weapon":
        turning = by_turning(puppet.blade(bodies, event.tick, event.who), share, reaching)
        missing[frames[shown], event.who, puppet.TIP] += turning
        reaching = reaching - share * turning
    missing[frames[shown], event.who, particle_of(event.what)] += reaching
    held = bodies.grip[frames[shown], event.who, :1] * float(event.what == "weapon")
    if gap > _FOLLOW_DISTANCE:  # the body leans in
        leaning = puppet.PELVIS if event.what.endswith(("foot", "shin")) else puppet.CHEST
        along = _LEANING + (_WITH_BOTH - _LEANING) * held
        missing[frames[shown], event.who, leaning] += along * reaching
    missing[frames[shown], event.who, puppet.LEFT_WRIST] += held * reaching
    return float(gap)


def sharpness(blows: Sequence[Event], frames: int, bodies: int) -> np.ndarray:
    """(F, B, 12, 1) 1 where a blow lands: what happens there is not spread over time as elsewhere."""
    sharp = np.zeros((frames, bodies, puppet.PARTICLES, 1))
    for event in blows:
        away = np.abs(np.arange(frames) - event.tick)
        near = 1.0 - smoother_step((away - _SHARP_FRAMES) / _SHARP_FRAMES)
        for who in (event.who, event.whom):
            sharp[:, who] = np.maximum(sharp[:, who], near[:, None, None])
    sharp[before_blows(blows, frames, bodies)] = 1.0
    return sharp


def before_blows(blows: Sequence[Event], frames: int, bodies: int) -> np.ndarray:
    """(F, B) bool: a body is about to be struck. It does not know of the blow before it lands."""
    unaware = np.zeros((frames, bodies), dtype=bool)
    for event in blows:
        unaware[max(event.tick - 3 * _SHARP_FRAMES, 0) : event.tick, event.whom] = True
    return unaware
