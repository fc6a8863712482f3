"""Refinement, the last stage of a take: bodies give way, struck bodies recoil (docs/quality.md).

Neither the plan nor its timing changes. Frames in which nothing touches stay as they were baked.
"""

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import cpu_count
from typing import NamedTuple

import numpy as np

from randori.body.capsules import fit as fit_capsules
from randori.body.obstacles import Obstacle, boxes_of, cut_boxes
from randori.graph.joining import Walk, cut
from randori.graph.smoothness import angular_acceleration, calm
from randori.kernels import boxes, parting, physics, puppet
from randori.kernels.boxes import Boxes
from randori.kernels.nearness import near_pairs
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smoother_step
from randori.motion.inverse_kinematics import find_limb
from randori.motion.parts import SIDES
from randori.physics.blows import before_blows, blow_speeds, sharpness, stretch_to, waiting_frames
from randori.physics.contact import keep_contacts, keep_grip
from randori.physics.easing import bell, filtered, smooth
from randori.physics.floor import stay_above
from randori.physics.giving_way import find_leads
from randori.physics.limbs import bring
from randori.physics.particles import bodies_of, movers, near_bodies, planted
from randori.physics.places import Place, find_places
from randori.physics.room import make_room
from randori.physics.thrown import throw
from randori.physics.weights import particle_of
from randori.timeline.behaviour import AGAINST, velocity
from randori.timeline.calming import calm_moves, haste_limits, striking
from randori.timeline.limits import LIMITS
from randori.timeline.timeline import Event, Timeline

_PUSHING_ROUNDS = 16  # of pushing apart, in a frame
_AIMING_SECONDS = 0.12  # seconds before a hit in which what strikes is not pushed off its way
# times at most that what is hasty is smoothed, and what is in each other taken apart
_MOST_CALMING_ROUNDS = 28
_PARTING_ROUNDS = 24  # rounds of that, in a frame
_ALLOWED_DEPTH = 0.01  # metres that bodies may be in each other: flesh gives
_SPREAD_SECONDS = 0.04  # seconds over which that is spread
_CALMING_FACTOR = 0.6  # times as sharp, where it is hasty
_TOUCHING_DISTANCE = 0.005  # metres from a surface: it touches
_MOST_LIFTING_ROUNDS = 4  # times at most that what is below the floor is lifted, and calmed
# times at most that bodies are taken apart again, and then brought to where they must be
_MOST_SETTLING_ROUNDS = 12
_TOO_DEEP = 0.022  # metres that they are in each other, from which on once more
_MOST_STALLED_ROUNDS = 2  # rounds in a row without improvement, after which it stops
_FADE_FRAMES = 20  # on either side of an impulse or a contact, over which its effect dies away
_MENDED_SECONDS = 0.6  # seconds to either side that are looked at then
_TOUCHING_TIMES = 3  # that what strikes is brought to what it strikes, and calmed
_MOST_FOOT_ROUNDS = 3  # times at most that feet are put back to where they stood, and calmed
_FOOT_TOLERANCE = 0.004  # metres that they may be off
_CALM_REACH = 2  # frames to either side of it
_AROUND_BLOWS = 9, 15  # frames before and after a touch that are as hasty as blows are
# Metres that the particle that moves most is off its motion: below the first nothing is changed, from the
# second on everything
_LEAST, _WHOLE = 0.0005, 0.004


class Refined(NamedTuple):
    """A walk after the last stage."""

    walk: Walk
    simulated: np.ndarray  # (F,) bool, frames that are not as they were baked


def refining(timeline: Timeline, walks: Sequence[Walk]) -> Generator[float, None, list[Refined]]:
    """Push bodies apart and let struck bodies recoil; yields the share done.

    A character that a car runs over is thrown before that.
    """
    refined = [Refined(*one) for one in throw(timeline, walks)]
    walks = [one.walk for one in refined]
    flying = [one.simulated for one in refined]
    groups = _groups(walks, timeline.obstacles)
    limits = [haste_limits(walk, track.library) for walk, track in zip(walks, timeline.tracks)]
    for limit, thrown in zip(limits, flying):
        limit[thrown] = np.inf  # a car is hastier than people are

    def refine_group(group: list[int]) -> list[Refined]:
        inside = {who: place for place, who in enumerate(group)}
        events = [
            replace(event, who=inside[event.who], whom=inside[event.whom])
            for event in timeline.events
            if event.kind in ("hit", "block") and event.who in inside and event.whom in inside
        ]
        return refine_together(
            [walks[who] for who in group],
            events,
            [limits[who] for who in group],
            timeline.obstacles,
        )

    pool = ThreadPoolExecutor(cpu_count() or 1)
    try:
        for number, (group, together) in enumerate(zip(groups, pool.map(refine_group, groups)), 1):
            for who, one in zip(group, together):
                refined[who] = Refined(one.walk, one.simulated | flying[who])
            yield number / len(groups)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    alone = set(range(len(walks))).difference(*groups)
    result = []
    for who, (one, limit, walk) in enumerate(zip(refined, limits, walks)):
        settled = _on_the_floor(one, limit, walk.clip) if who in alone else one
        free = settled.simulated & ~flying[who] & ~striking(settled.walk, timeline.tracks[who].library)
        for event in timeline.events:
            if event.part and who in (event.who, event.whom):
                free[max(event.tick - _AROUND_BLOWS[0], 0) : event.tick + _AROUND_BLOWS[1] + 1] = False
        calmer = calm_moves(settled.walk.clip, limit, free)
        result.append(settled._replace(walk=replace(settled.walk, clip=calmer)))
    return result


def _on_the_floor(one: Refined, limit: np.ndarray, recorded: Clip) -> Refined:
    """Nothing below the floor, and no joint more hasty than (F, J) radians/s² for that."""
    for _ in range(_MOST_LIFTING_ROUNDS):
        walk, lifted = stay_above(one.walk)
        if not lifted.any():
            break
        changed = one.simulated | lifted
        one = Refined(_calmed(_held(walk, recorded), limit, changed), changed)
    return one


def _groups(walks: Sequence[Walk], obstacles: Sequence[Obstacle]) -> list[list[int]]:
    """Characters that come near each other, or near one that does; one that never does is in none, unless it
    comes near an obstacle."""
    frames = min(len(walk.clip) for walk in walks)
    places = np.stack([walk.clip.root_position[:frames, [0, 2]] for walk in walks])
    label = list(range(len(walks)))
    for one, other in near_pairs(np.ascontiguousarray(places), physics.NEAR).tolist():
        if label[one] != label[other]:
            joined, left = label[one], label[other]
            label = [joined if name == left else name for name in label]
    found = [[who for who, name in enumerate(label) if name == first] for first in sorted(set(label))]
    solid = boxes_of(obstacles, frames)
    beside = {who for who in range(len(walks)) if _comes_near(walks[who].clip, solid)}
    return [group for group in found if len(group) > 1 or beside.intersection(group)]


def _comes_near(clip: Clip, solid: Boxes) -> bool:
    """Whether a body comes so near a box that it may touch it."""
    roots = clip.root_position[: len(solid.middles)]
    depth = np.empty((len(roots), 1))
    boxes.depths(np.stack([roots, roots], axis=1)[:, None], np.array([0.5 * physics.NEAR]), solid, depth)
    return bool((depth > 0.0).any())


def refine_together(
    walks: Sequence[Walk],
    events: Sequence[Event],
    limits: Sequence[np.ndarray],
    obstacles: Sequence[Obstacle] = (),
) -> list[Refined]:
    """The same for characters who touch each other, and whose joints may turn by (F, J) radians/s².

    If pushing bodies apart has moved a struck body against the blow, they are refined once more, and the
    blow leads that body farther.
    """
    bodies = [fit_capsules(walk.clip.skeleton) for walk in walks]
    refined = _refine_once(walks, events, limits, obstacles, np.zeros((len(events), 2)))
    leads = find_leads([one.walk for one in refined], bodies, events, AGAINST)
    if not leads.any():
        return refined
    again = _refine_once(walks, events, limits, obstacles, leads)
    left = find_leads([one.walk for one in again], bodies, events, AGAINST)
    return again if np.abs(left).sum() < np.abs(leads).sum() else refined


def _refine_once(
    walks: Sequence[Walk],
    events: Sequence[Event],
    limits: Sequence[np.ndarray],
    obstacles: Sequence[Obstacle],
    further: np.ndarray,
) -> list[Refined]:
    """One pass of refinement; each blow leads a struck body (N, 2) metres farther than its motion asks."""
    # Step 1. A body that would go through another, or into an obstacle, goes around it
    frames = min(len(walk.clip) for walk in walks)
    solid = boxes_of(obstacles, frames)
    roomy = make_room(walks, events, solid, further)
    walks = [walk for walk, _ in roomy]
    clips = [walk.clip for walk in walks]
    fps = clips[0].fps
    bodies = bodies_of(walks, frames)

    # Step 2. Simulate the particles
    offsets = np.zeros((frames, len(walks), puppet.PARTICLES, 3))
    blows = [event for event in events if 0 < event.tick < frames]
    timing = physics.Timing(1.0 / fps, round(_AIMING_SECONDS * fps), _PUSHING_ROUNDS)
    moment, course = physics.Moment.of(bodies), physics.Course.of(bodies)
    physics.simulate(bodies, _blow_rows(blows, bodies, fps), timing, moment, course, offsets)

    # Step 3. Nothing where nothing happens
    offsets = smooth(offsets)
    most = np.linalg.norm(offsets, axis=-1).max(axis=-1)  # (F, B)
    offsets *= smoother_step((most - _LEAST) / (_WHOLE - _LEAST))[:, :, None, None]

    # Step 4. Bodies that still overlap are taken apart, and brought to their places
    places = _busy_places(bodies, solid, blows, offsets)
    parted = _take_apart_where(walks, solid, blows, limits, places, offsets)
    changed = [moved | one.simulated for (_, moved), one in zip(roomy, parted)]
    settled = [Refined(one.walk, moved) for one, moved in zip(parted, changed)]
    for _ in range(2):  # the correction for the floor may have moved a strike away from its target
        settled = _settle(clips, settled, blows, limits)

    # Step 5. Where that has brought it into each other again, once more, each place by itself
    for place in _places_inside([one.walk for one in settled], solid, blows):
        rows, part = place.rows, [settled[who] for who in place.people]
        mended = _mend(
            [cut(walks[who], rows).clip for who in place.people],
            [Refined(cut(one.walk, rows), one.simulated[rows]) for one in part],
            cut_boxes(solid, rows),
            place.blows(blows),
            [limits[who][rows] for who in place.people],
        )
        for who, whole, one in zip(place.people, part, mended):
            settled[who] = _put_back(whole, one, rows)
    return settled


def _blow_rows(blows: Sequence[Event], bodies: puppet.Bodies, fps: float) -> np.ndarray:
    """(N,) physics.BLOW."""
    rows = np.zeros(len(blows), dtype=physics.BLOW)
    for row, event in zip(rows, blows):
        row["frame"] = event.tick
        row["striking_body"], row["striking_particle"] = event.who, particle_of(event.what)
        row["struck_body"], row["struck_particle"] = event.whom, particle_of(event.part)
        row["waiting"] = waiting_frames(event, bodies, fps)
        row["speed"] = blow_speeds(event, bodies.ends, fps)
    return rows


def _mend(
    recorded: Sequence[Clip],
    settled: Sequence[Refined],
    solid: Boxes,
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
) -> list[Refined]:
    """Take apart and settle again, as often as that makes what is in each other less deep.

    A limb that is caught between two others may pull whole bodies about: such a round does not count.
    """
    frames = len(recorded[0])
    nothing = np.zeros((frames, len(settled), puppet.PARTICLES, 3))
    best, stalled = list(settled), 0
    least, _ = _still_inside([one.walk for one in settled], solid)
    wildest = max(_wildness(settled), 1.0)
    for _ in range(_MOST_SETTLING_ROUNDS):
        walks = [one.walk for one in settled]
        parted = _take_apart(bodies_of(walks, frames), walks, solid, blows, limits, nothing)
        changed = [before.simulated | one.simulated for before, one in zip(settled, parted)]
        asked = [Refined(one.walk, moved) for one, moved in zip(parted, changed)]
        settled = _settle(recorded, asked, blows, limits)
        deepest, _ = _still_inside([one.walk for one in settled], solid)
        better = deepest < least and _wildness(settled) <= wildest
        stalled = 0 if better else stalled + 1
        if better:
            best, least = settled, deepest
        if least < _TOO_DEEP or stalled == _MOST_STALLED_ROUNDS:
            break
    return best


def _wildness(bodies: Sequence[Refined]) -> float:
    """The speed of heads and of rising pelvises; 1 is the most that people show."""
    wildest = 0.0
    for one in bodies:
        clip = one.walk.clip
        head = clip.positions[:, clip.skeleton.joint("head")]
        head_speed = np.linalg.norm(velocity(head, clip.fps), axis=-1).max()
        rise = velocity(clip.root_position[:, 1], clip.fps).max()
        wildest = max(wildest, head_speed / LIMITS["heads"].bound, rise / LIMITS["rise"].bound)
    return wildest


def _still_inside(walks: Sequence[Walk], solid: Boxes) -> tuple[float, np.ndarray]:
    """Metres that bodies are in each other or in obstacles, and (F, B) bool: bodies for which that is too
    much."""
    frames = len(solid.middles)
    bodies = bodies_of(walks, frames)
    missing = np.zeros((frames, len(walks), puppet.PARTICLES, 3))
    nothing = np.zeros_like(missing)
    deepest = parting.part(bodies, near_bodies(bodies), solid, nothing, _TOO_DEEP, 1, missing)
    inside: np.ndarray = np.any(missing, axis=(2, 3))
    return deepest, inside


def _places_inside(walks: Sequence[Walk], solid: Boxes, blows: Sequence[Event]) -> list[Place]:
    """Places where bodies are still too deep in each other or in obstacles."""
    _, inside = _still_inside(walks, solid)
    bodies = bodies_of(walks, len(solid.middles))
    return find_places(bodies, near_bodies(bodies), inside, blows, round(_MENDED_SECONDS * walks[0].clip.fps))


def _busy_places(
    bodies: puppet.Bodies, solid: Boxes, blows: Sequence[Event], offsets: np.ndarray
) -> list[Place]:
    """Places where bodies are in each other or in obstacles, are off their motion, or a blow lands."""
    missing, pairs = np.zeros_like(offsets), near_bodies(bodies)
    parting.part(bodies, pairs, solid, np.zeros_like(offsets), _ALLOWED_DEPTH, 1, missing)
    busy = ((offsets != 0.0) | (missing != 0.0)).any(axis=(2, 3))
    for blow in blows:
        busy[blow.tick, [blow.who, blow.whom]] = True
    return find_places(bodies, pairs, busy, blows, _FADE_FRAMES)


def _take_apart_where(
    walks: Sequence[Walk],
    solid: Boxes,
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
    places: Sequence[Place],
    offsets: np.ndarray,
) -> list[Refined]:
    """Take overlapping bodies apart, in each place by itself."""
    result = [Refined(walk, np.zeros(len(walk.clip), dtype=bool)) for walk in walks]
    for place in places:
        rows = place.rows
        part = [cut(walks[who], rows) for who in place.people]
        hastes = [limits[who][rows] for who in place.people]
        bodies = bodies_of(part, rows.stop - rows.start)
        asked = np.ascontiguousarray(offsets[rows][:, place.people])
        parted = _take_apart(bodies, part, cut_boxes(solid, rows), place.blows(blows), hastes, asked)
        for who, one in zip(place.people, parted):
            result[who] = _put_back(result[who], one, rows)
    return result


def _put_back(whole: Refined, part: Refined, rows: slice) -> Refined:
    """A walk with some of its frames as they are in a part of it."""
    clip, changed = whole.walk.clip, whole.simulated.copy()
    root, rotations = clip.root_position.copy(), clip.rotations.copy()
    root[rows], rotations[rows] = part.walk.clip.root_position, part.walk.clip.rotations
    changed[rows] |= part.simulated
    return Refined(replace(whole.walk, clip=clip.with_frames(root, rot.unroll(rotations))), changed)


def _take_apart(
    bodies: puppet.Bodies,
    walks: Sequence[Walk],
    solid: Boxes,
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
    offsets: np.ndarray,
) -> list[Refined]:
    """Take overlapping bodies apart and bring strikes to their targets, without stops hastier than a
    person's.

    Corrections are smoothed before they are applied; the remaining error is corrected again.
    """
    frames, fps = len(offsets), walks[0].clip.fps
    limits = [limit[:frames] for limit in limits]
    pairs = near_bodies(bodies)
    sharp, unaware = sharpness(blows, frames, len(walks)), before_blows(blows, frames, len(walks))
    asked, missing = offsets.copy(), np.zeros_like(offsets)
    kernel, moved_by = bell(_SPREAD_SECONDS * fps), [movers(bodies, b) for b in range(len(walks))]
    for _ in range(_MOST_CALMING_ROUNDS):
        deepest = parting.part(bodies, pairs, solid, offsets, _ALLOWED_DEPTH, _PARTING_ROUNDS, missing)
        reaching = [stretch_to(bodies, event, offsets, missing) for event in blows]
        asked += missing
        offsets = sharp * smooth(asked) + (1.0 - sharp) * filtered(asked, kernel)
        hasty = _hasty(moved_by, fit_offsets(bodies, walks, offsets), limits)
        if (
            not hasty.any()
            and deepest <= 1.5 * _ALLOWED_DEPTH
            and max(reaching, default=0.0) < _TOUCHING_DISTANCE
        ):
            break
        sharp = np.where((hasty & ~unaware[..., None])[..., None], _CALMING_FACTOR * sharp, sharp)
    return fit_offsets(bodies, walks, offsets)


def _settle(
    recorded: Sequence[Clip],
    refined: Sequence[Refined],
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
) -> list[Refined]:
    """Both hands stay on a weapon, what strikes is where it strikes, nothing is below the floor, and no joint
    turns more hastily than (F, J) radians/s²."""
    kept, changed = [one.walk for one in refined], [one.simulated for one in refined]
    for _ in range(_TOUCHING_TIMES):
        held = [_held(walk, clip) for walk, clip in zip(keep_contacts(kept, blows), recorded)]
        kept = [_calmed(*one) for one in zip(held, limits, changed)]
    return [
        _on_the_floor(Refined(walk, where), limit, clip)
        for walk, where, limit, clip in zip(kept, changed, limits, recorded)
    ]


def _held(walk: Walk, recorded: Clip) -> Walk:
    """A walk in which both hands are on a weapon, as in the recording."""
    return replace(walk, clip=keep_grip(recorded, walk.clip))


def _calmed(walk: Walk, limit: np.ndarray, free: np.ndarray) -> Walk:
    """A walk whose joints turn no more hastily than (F, J) radians/s², and whose feet stand still."""
    clip, hold = calm(walk.clip, limit, free), planted(walk)
    limbs = [find_limb(clip.skeleton, f"{side}_leg") for side in SIDES]
    ankles = walk.clip.positions[:, [limb.end for limb in limbs]]
    for _ in range(_MOST_FOOT_ROUNDS):
        moved = np.linalg.norm(clip.positions[:, [limb.end for limb in limbs]] - ankles, axis=-1)
        if (hold * moved).max() < _FOOT_TOLERANCE:
            break
        for foot, limb in enumerate(limbs):
            clip = bring(clip, limb, ankles[:, foot], hold[:, foot] * free)
        clip = calm(clip, limit, free)
    return replace(walk, clip=clip)


def fit_offsets(bodies: puppet.Bodies, walks: Sequence[Walk], offsets: np.ndarray) -> list[Refined]:
    """Walks whose particles are (F, B, 12, 3) metres off their motion."""
    places, turned = np.zeros_like(bodies.joints), np.zeros((*bodies.joints.shape[:2], 4))
    puppet.fit(bodies, offsets, puppet.Pose.of(bodies), places, turned)
    changed = (offsets != 0.0).any(axis=(2, 3))
    return [
        _fitted(walk, changed[:, b], places[:, first:stop], turned[:, first:stop])
        for b, (walk, first, stop) in enumerate(zip(walks, bodies.first[:-1], bodies.first[1:]))
    ]


def _fitted(walk: Walk, changed: np.ndarray, places: np.ndarray, turned: np.ndarray) -> Refined:
    """A walk whose joints are at (F, J, 3) and turned by (F, J, 4) against its motion, where changed."""
    clip = walk.clip
    rows = np.flatnonzero(changed)
    root, rotations = clip.root_position.copy(), clip.rotations.copy()
    root[rows] = places[rows, 0]
    rotations[rows] = clip.skeleton.to_local(rot.multiply(turned[rows], clip.global_rotations[rows]))
    simulated = np.zeros(len(clip), dtype=bool)
    simulated[rows] = True
    return Refined(replace(walk, clip=clip.with_frames(root, rot.unroll(rotations))), simulated)


def _hasty(
    moved_by: Sequence[np.ndarray], refined: Sequence[Refined], limits: Sequence[np.ndarray]
) -> np.ndarray:
    """(F, B, 12) bool: particles about where they make a joint turn more hastily than (F, J) radians/s².

    Each joint is `moved_by` (J, 12) particles.
    """
    frames = len(limits[0])
    found = np.zeros((frames, len(refined), puppet.PARTICLES), dtype=bool)
    for b, (one, limit) in enumerate(zip(refined, limits)):
        clip = one.walk.clip
        over = angular_acceleration(clip.rotations, clip.fps)[:frames] > limit
        found[:, b] = (over & one.simulated[:frames, None]) @ moved_by[b]
    wide = found.copy()
    for shift in range(1, _CALM_REACH + 1):
        wide[shift:] |= found[:-shift]
        wide[:-shift] |= found[shift:]
    return wide
