"""The last stage of a take: bodies that are in each other give way, what is struck recoils (spec 4.1, 4.3).

Neither the plan nor its timing changes. Frames in which nothing touches stay as they were baked.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, Capsules
from randori.body.capsules import fit as fit_capsules
from randori.graph.joining import Walk
from randori.graph.smoothness import angular_acceleration
from randori.kernels import overlap, parting, physics
from randori.kernels.nearness import near_pairs
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts
from randori.motion.inverse_kinematics import ARM_REACH, LEG_REACH, find_limb, hinge_axes
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.physics.contact import LETTING_GO, REACHING, by_turning, grip, keep_contacts, keep_grip
from randori.physics.floor import stay_above
from randori.physics.limbs import bring
from randori.physics.room import make_room
from randori.physics.weights import capsule_weights, particle_of, shares_of_blow
from randori.timeline.calming import calm, haste_limits, widened
from randori.timeline.impulse import speed_of_blow
from randori.timeline.timeline import Event, Timeline

_ROUNDS = 16  # of pushing apart, in a frame
_HOLD_EASE = 0.15  # seconds in which a foot is taken to its place, or let go of
_AIMING = 0.12  # seconds before a hit in which what strikes is not pushed off its way
_WAITING = (0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)  # seconds that a limb may wait where it struck
_MOMENTS = 8  # that a tick is divided into to find where something meets a surface
_DEEP, _SOON = 0.08, 0.12  # metres inside, within so many seconds: it would go right through
_WORTH = 0.1  # metres, summed over frames, that it must be less deep in somebody for that
_WHOLE_BODY = ("head", "upper_torso", "lower_torso", "left_thigh", "right_thigh")
_SMOOTHING = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0  # over neighbouring frames: flesh is no hard edge
_TOUCHING = 0.002  # metres inside: it touches
_FARTHEST_REACH = 0.12  # metres that it is stretched by
_CALMING = 28  # times at most that what is hasty is smoothed, and what is in each other taken apart
_PARTING = 24  # rounds of that, in a frame
_SLACK = 0.01  # metres that bodies may be in each other: flesh gives
_GENTLE = 0.04  # seconds over which that is spread
_SHARP = 5  # frames about a blow in which it is not
_CALMER = 0.6  # times as sharp, where it is hasty
_FAR = 0.03  # metres from a surface, from which on the body comes along
_LEANING, _WITH_BOTH = 0.4, 0.9  # with such a share; the second where two hands hold what strikes
_NEARLY = 0.005  # metres from a surface: it touches
_LIFTING = 4  # times at most that what is below the floor is lifted, and calmed
_SETTLING = 7  # times at most that bodies are taken apart, and then brought to where they must be
_TOO_DEEP = 0.022  # metres that they are in each other, from which on once more
_VAIN = 2  # times in a row without getting better: that is as good as it gets
_AROUND = 0.6  # seconds to either side that are looked at then
_TOUCHING_TIMES = 3  # that what strikes is brought to what it strikes, and calmed
_STANDING = 3  # times at most that feet are put back to where they stood, and calmed
_STAYS = 0.004  # metres that they may be off
_CALM_REACH = 2  # frames to either side of it
# Metres that the particle that moves most is off its motion: below the first nothing is changed, from the
# second on everything
_LEAST, _WHOLE = 0.0005, 0.004

# with the capsules whose far ends are their middles and ends
_LIMB_NAMES = {
    "left_arm": ("upper_arm", "forearm"),
    "right_arm": ("upper_arm", "forearm"),
    "left_leg": ("thigh", "shin"),
    "right_leg": ("thigh", "shin"),
}


class Refined(NamedTuple):
    """A walk after the last stage."""

    walk: Walk
    simulated: np.ndarray  # (F,) bool, frames that are not as they were baked


def refining(
    timeline: Timeline, walks: Sequence[Walk], recoiled: bool = False
) -> Generator[float, None, list[Refined]]:
    """Push bodies apart and let what is struck recoil, unless it does so already; yields the share done."""
    refined = [Refined(walk, np.zeros(len(walk.clip), dtype=bool)) for walk in walks]
    groups = _groups(walks)
    limits = [haste_limits(walk, track.library) for walk, track in zip(walks, timeline.tracks)]
    for number, group in enumerate(groups):
        yield number / len(groups)
        inside = {who: place for place, who in enumerate(group)}
        events = [
            replace(event, who=inside[event.who], whom=inside[event.whom])
            for event in timeline.events
            if event.kind in ("hit", "block") and event.who in inside and event.whom in inside
        ]
        together = refine_together(
            [walks[who] for who in group], events, [limits[who] for who in group], recoiled
        )
        for who, one in zip(group, together):
            refined[who] = one
    alone = set(range(len(walks))).difference(*groups)
    return [
        _on_the_floor(one, limit, walk.clip) if who in alone else one
        for who, (one, limit, walk) in enumerate(zip(refined, limits, walks))
    ]


def _on_the_floor(one: Refined, limit: np.ndarray, recorded: Clip) -> Refined:
    """Nothing below the floor, and no joint more hasty than (F, J) radians/s² for that."""
    for _ in range(_LIFTING):
        walk, lifted = stay_above(one.walk)
        if not lifted.any():
            break
        changed = one.simulated | lifted
        one = Refined(_calmed(_held(walk, recorded), limit, changed), changed)
    return one


def _groups(walks: Sequence[Walk]) -> list[list[int]]:
    """Characters that come near each other, or near one who does; those who never do are in none."""
    frames = min(len(walk.clip) for walk in walks)
    places = np.stack([walk.clip.root_position[:frames, [0, 2]] for walk in walks])
    label = list(range(len(walks)))
    for one, other in near_pairs(places, physics.NEAR).tolist():
        if label[one] != label[other]:
            joined, left = label[one], label[other]
            label = [joined if name == left else name for name in label]
    found = [[who for who, name in enumerate(label) if name == first] for first in sorted(set(label))]
    return [group for group in found if len(group) > 1]


def refine_together(
    walks: Sequence[Walk], events: Sequence[Event], limits: Sequence[np.ndarray], recoiled: bool = False
) -> list[Refined]:
    """The same for characters who touch each other, and whose joints may turn by (F, J) radians/s²."""
    # Step 1. Who would go through somebody goes around
    roomy = make_room(walks, events)
    walks = [walk for walk, _ in roomy]
    clips = [walk.clip for walk in walks]
    fps = clips[0].fps
    frames = min(map(len, clips))
    bodies = _bodies(walks, frames)

    # Step 2. What happens to the particles
    offsets = np.zeros((frames, len(walks), physics.PARTICLES, 3))
    blows = [event for event in events if 0 < event.tick < frames]
    speeds = np.array([_blow(event, bodies.ends, fps) for event in blows]).reshape(-1, physics.PARTICLES, 3)
    if recoiled:
        speeds *= 0.0
    physics.simulate(
        bodies,
        np.array([event.tick for event in blows], dtype=np.int64),
        np.array([event.whom for event in blows], dtype=np.int64),
        speeds,
        np.array([event.who for event in blows], dtype=np.int64),
        np.array([particle_of(event.what) for event in blows], dtype=np.int64),
        np.array([particle_of(event.part) for event in blows], dtype=np.int64),
        np.array([_waiting(event, bodies, fps) for event in blows], dtype=np.int64),
        round(_AIMING * fps),
        1.0 / fps,
        _ROUNDS,
        offsets,
    )

    # Step 3. Nothing where nothing happens
    offsets = _smooth(offsets)
    most = np.linalg.norm(offsets, axis=-1).max(axis=-1)  # (F, B)
    offsets *= _smooth_step((most - _LEAST) / (_WHOLE - _LEAST))[:, :, None, None]

    # Step 4. What is still in each other is taken apart, as often as keeping contacts and limits undoes that
    recorded, changed = [walk.clip for walk in walks], [moved for _, moved in roomy]
    parted = _take_apart(bodies, walks, blows, limits, offsets)
    best, least, vain = parted, np.inf, 0
    for _ in range(_SETTLING):
        changed = [before | one.simulated for before, one in zip(changed, parted)]
        settled = _settle(recorded, [one.walk for one in parted], blows, limits, changed)
        walks, changed = [one.walk for one in settled], [one.simulated for one in settled]
        deepest, where = _still_inside(walks, frames)
        better, vain = deepest < least, 0 if deepest < least else vain + 1
        if better:
            best, least = settled, deepest
        if deepest < _TOO_DEEP or vain == _VAIN:
            break
        parted = _take_apart_again(walks, blows, limits, where)
    return best


def _still_inside(walks: Sequence[Walk], frames: int) -> tuple[float, np.ndarray]:
    """Metres that bodies are in each other, and (F,) bool about where that is too much."""
    bodies = _bodies(walks, frames)
    missing = np.zeros((frames, len(walks), physics.PARTICLES, 3))
    deepest = parting.part(bodies, _pairs(bodies), np.zeros_like(missing), _TOO_DEEP, 1, missing)
    inside: np.ndarray = np.any(missing, axis=(1, 2, 3))
    return deepest, widened(inside, round(_AROUND * walks[0].clip.fps))


def _take_apart_again(
    walks: Sequence[Walk], blows: Sequence[Event], limits: Sequence[np.ndarray], where: np.ndarray
) -> list[Refined]:
    """Stretches of frames in which something is still in each other, each by itself."""
    result = [Refined(walk, np.zeros(len(walk.clip), dtype=bool)) for walk in walks]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    for first, stop in edges.reshape(-1, 2).tolist():
        part = [_stretch(walk, first, stop) for walk in walks]
        inside = [replace(blow, tick=blow.tick - first) for blow in blows if first < blow.tick < stop]
        nothing = np.zeros((stop - first, len(walks), physics.PARTICLES, 3))
        cut = [limit[first:stop] for limit in limits]
        parted = _take_apart(_bodies(part, stop - first), part, inside, cut, nothing)
        for who, ((walk, changed), one) in enumerate(zip(result, parted)):
            root, rotations = walk.clip.root_position.copy(), walk.clip.rotations.copy()
            root[first:stop] = one.walk.clip.root_position
            rotations[first:stop] = one.walk.clip.rotations
            changed[first:stop] = one.simulated
            clip = walk.clip.with_frames(root, rot.unroll(rotations))
            result[who] = Refined(replace(walk, clip=clip), changed)
    return result


def _stretch(walk: Walk, first: int, stop: int) -> Walk:
    """Some frames of a walk."""
    rows = slice(first, stop)
    clip = walk.clip.with_frames(walk.clip.root_position[rows], walk.clip.rotations[rows])
    joins = walk.joins[(walk.joins >= first) & (walk.joins < stop)] - first
    return Walk(clip, walk.frame[rows], walk.blended[rows], joins, walk.contacts[rows])


def _take_apart(
    bodies: physics.Bodies,
    walks: Sequence[Walk],
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
    offsets: np.ndarray,
) -> list[Refined]:
    """What is in each other is taken apart, what strikes touches, nothing stops more hastily than people do.

    What is asked for is smoothed before it is done; where that leaves something to be asked for, more is.
    """
    frames, fps = len(offsets), walks[0].clip.fps
    limits = [limit[:frames] for limit in limits]
    pairs = _pairs(bodies)
    sharp, unaware = _sharpness(blows, frames, len(walks)), _unaware(blows, frames, len(walks))
    asked, missing = offsets.copy(), np.zeros_like(offsets)
    kernel = _bell(_GENTLE * fps)
    for _ in range(_CALMING):
        deepest = parting.part(bodies, pairs, offsets, _SLACK, _PARTING, missing)
        reaching = [_reach(bodies, event, offsets, missing) for event in blows]
        asked += missing
        offsets = sharp * _smooth(asked) + (1.0 - sharp) * _filtered(asked, kernel)
        hasty = _hasty(bodies, _fit(bodies, walks, offsets), limits)
        if not hasty.any() and deepest <= 1.5 * _SLACK and max(reaching, default=0.0) < _NEARLY:
            break
        sharp = np.where((hasty & ~unaware[..., None])[..., None], _CALMER * sharp, sharp)
    return _fit(bodies, walks, offsets)


def _settle(
    recorded: Sequence[Clip],
    walks: Sequence[Walk],
    blows: Sequence[Event],
    limits: Sequence[np.ndarray],
    changed: Sequence[np.ndarray],
) -> list[Refined]:
    """Both hands stay on a weapon, what strikes is where it strikes, nothing is below the floor, and no joint
    turns more hastily than (F, J) radians/s²."""
    kept = list(walks)
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
    clip, hold = calm(walk.clip, limit, free), _planted(walk)
    limbs = [find_limb(clip.skeleton, f"{side}_leg") for side in SIDES]
    ankles = walk.clip.positions[:, [limb.end for limb in limbs]]
    for _ in range(_STANDING):
        moved = np.linalg.norm(clip.positions[:, [limb.end for limb in limbs]] - ankles, axis=-1)
        if (hold * moved).max() < _STAYS:
            break
        for foot, limb in enumerate(limbs):
            clip = bring(clip, limb, ankles[:, foot], hold[:, foot] * free)
        clip = calm(clip, limit, free)
    return replace(walk, clip=clip)


def _pairs(bodies: physics.Bodies) -> np.ndarray:
    """(P, 2) int64, bodies that come near each other."""
    places = bodies.points[:, :, physics.PELVIS][..., [0, 2]].swapaxes(0, 1)
    return near_pairs(np.ascontiguousarray(places), physics.NEAR)


def _sharpness(blows: Sequence[Event], frames: int, bodies: int) -> np.ndarray:
    """(F, B, 12, 1) 1 where a blow lands: what happens there is not spread over time as elsewhere."""
    sharp = np.zeros((frames, bodies, physics.PARTICLES, 1))
    for event in blows:
        away = np.abs(np.arange(frames) - event.tick)
        near = 1.0 - _smooth_step((away - _SHARP) / _SHARP)
        for who in (event.who, event.whom):
            sharp[:, who] = np.maximum(sharp[:, who], near[:, None, None])
    sharp[_unaware(blows, frames, bodies)] = 1.0
    return sharp


def _unaware(blows: Sequence[Event], frames: int, bodies: int) -> np.ndarray:
    """(F, B) bool: somebody is about to be struck. Nobody knows of a blow before it lands."""
    unaware = np.zeros((frames, bodies), dtype=bool)
    for event in blows:
        unaware[max(event.tick - 3 * _SHARP, 0) : event.tick, event.whom] = True
    return unaware


def _fit(bodies: physics.Bodies, walks: Sequence[Walk], offsets: np.ndarray) -> list[Refined]:
    """Back to the skeletons."""
    places, turned = np.zeros_like(bodies.joints), np.zeros((*bodies.joints.shape[:2], 4))
    physics.fit(bodies, offsets, places, turned)
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


def _hasty(bodies: physics.Bodies, refined: Sequence[Refined], limits: Sequence[np.ndarray]) -> np.ndarray:
    """(F, B, 12) bool: particles about where they make a joint turn more hastily than (F, J) radians/s²."""
    frames = len(bodies.joints)
    found = np.zeros((frames, len(refined), physics.PARTICLES), dtype=bool)
    for b, (one, limit) in enumerate(zip(refined, limits)):
        clip = one.walk.clip
        over = angular_acceleration(clip.rotations, clip.fps)[:frames] > limit
        found[:, b] = (over & one.simulated[:frames, None]) @ _movers(bodies, b)
    wide = found.copy()
    for shift in range(1, _CALM_REACH + 1):
        wide[shift:] |= found[:-shift]
        wide[:-shift] |= found[shift:]
    return wide


def _movers(bodies: physics.Bodies, b: int) -> np.ndarray:
    """(J, 12) bool: the particles that turn each joint of a body."""
    joints = slice(bodies.first[b], bodies.first[b + 1])
    movers = np.zeros((joints.stop - joints.start, physics.PARTICLES), dtype=bool)
    of_limb = [[particle_of(f"{name[:-4]}_{part}") for part in parts] for name, parts in _LIMB_NAMES.items()]
    for joint, (kind, limb) in enumerate(zip(bodies.kind[joints], bodies.limb[joints])):
        if kind == physics.TRUNK:
            movers[joint, [physics.PELVIS, physics.CHEST]] = True
        elif kind == physics.NECK:
            movers[joint, [physics.CHEST, physics.SKULL]] = True
        elif kind != physics.CARRIED:
            movers[joint, of_limb[limb]] = True
            if kind == physics.END and limb == 1:
                movers[joint, physics.TIP] = True
    return movers


def _bodies(walks: Sequence[Walk], frames: int) -> physics.Bodies:
    """What the kernel knows of bodies and their motion, one after the other."""
    clips = [walk.clip for walk in walks]
    skeletons = [clip.skeleton for clip in clips]
    first = np.concatenate([[0], np.cumsum([len(skeleton) for skeleton in skeletons])]).astype(np.int64)
    built = [_build(skeleton) for skeleton in skeletons]
    fitted = [fit_capsules(skeleton) for skeleton in skeletons]
    ends = np.stack(
        [body.place(clip.positions, clip.global_rotations)[:frames] for body, clip in zip(fitted, clips)],
        axis=1,
    )
    limbs = np.array([[find_limb(skeleton, name) for name in _LIMB_NAMES] for skeleton in skeletons])
    return physics.Bodies(
        first=first,
        parents=np.concatenate(
            [np.where(one.parents >= 0, one.parents + start, -1) for one, start in zip(skeletons, first)]
        ).astype(np.int64),
        kind=np.concatenate([one.kind for one in built]),
        limb=np.concatenate([one.limb for one in built]),
        share=np.concatenate([one.share for one in built]),
        trunk=np.array([_shifted(one.trunk, start) for one, start in zip(built, first)], dtype=np.int64),
        neck=np.array([_shifted(one.neck, start) for one, start in zip(built, first)], dtype=np.int64),
        limbs=(limbs + first[:-1, None, None]).astype(np.int64),
        straightest=np.array(
            [
                [
                    skeleton.length_between(int(end), int(upper))
                    * (ARM_REACH if "arm" in name else LEG_REACH)
                    for name, (upper, _, end) in zip(_LIMB_NAMES, rows)
                ]
                for skeleton, rows in zip(skeletons, limbs)
            ]
        ),
        capsules=np.array([body.joints + start for body, start in zip(fitted, first)], dtype=np.int64),
        radii=np.array([body.radii for body in fitted]),
        weights=capsule_weights(),
        joints=np.concatenate([clip.positions[:frames] for clip in clips], axis=1),
        ends=ends,
        points=np.stack(
            [_points(clip, body, ends[:, b]) for b, (clip, body) in enumerate(zip(clips, fitted))], axis=1
        ),
        hinges=np.stack(
            [np.stack([hinge_axes(clip, name)[:frames] for name in _LIMB_NAMES], axis=1) for clip in clips],
            axis=1,
        ),
        planted=np.stack([_planted(walk)[:frames] for walk in walks], axis=1),
        grip=np.stack([grip(clip)[:frames] for clip in clips], axis=1),
    )


class _Built(NamedTuple):
    """What each joint of a skeleton does; see kernels/physics.py."""

    kind: np.ndarray
    limb: np.ndarray
    share: np.ndarray
    trunk: int
    neck: int


def _build(skeleton: Skeleton) -> _Built:
    kind, limb = (np.zeros(len(skeleton), dtype=np.int64) for _ in range(2))
    share = np.zeros(len(skeleton))
    top = next(skeleton.parts[part] for part in ("chest", "spine", "pelvis") if part in skeleton.parts)
    trunk = _chain(skeleton, top, 0)
    neck = _chain(skeleton, skeleton.joint("head"), top)
    for chain, bends in ((trunk, physics.TRUNK), (neck, physics.NECK)):
        for number, joint in enumerate(chain, start=1):
            kind[joint], share[joint] = bends, number / len(chain)
    for number, name in enumerate(_LIMB_NAMES):
        for joint, what in zip(find_limb(skeleton, name), (physics.UPPER, physics.MIDDLE, physics.END)):
            kind[joint], limb[joint] = what, number
    return _Built(kind, limb, share, trunk[0] if trunk else -1, neck[0] if neck else -1)


def _chain(skeleton: Skeleton, lower: int, upper: int) -> list[int]:
    """The joints below `upper` down to `lower`, or none if that does not hang on it."""
    chain, joint = [], lower
    while joint not in (upper, -1):
        chain.append(joint)
        joint = int(skeleton.parents[joint])
    return chain[::-1] if joint == upper else []


def _shifted(joint: int, start: int) -> int:
    return joint + int(start) if joint >= 0 else -1


def _points(clip: Clip, body: Capsules, ends: np.ndarray) -> np.ndarray:
    """(F, 12, 3) metres: the particles of a body."""
    points = np.empty((len(ends), physics.PARTICLES, 3))
    positions = clip.positions[: len(ends)]
    points[:, physics.PELVIS] = positions[:, clip.skeleton.joint("pelvis")]
    points[:, physics.CHEST] = ends[:, CAPSULES.index("upper_torso"), 1]
    points[:, physics.SKULL] = ends[:, CAPSULES.index("head")].mean(axis=1)
    for particle, part in (
        (physics.LEFT_ELBOW, "left_forearm"),
        (physics.LEFT_WRIST, "left_hand"),
        (physics.LEFT_KNEE, "left_shin"),
        (physics.LEFT_ANKLE, "left_foot"),
        (physics.RIGHT_ELBOW, "right_forearm"),
        (physics.RIGHT_WRIST, "right_hand"),
        (physics.RIGHT_KNEE, "right_shin"),
        (physics.RIGHT_ANKLE, "right_foot"),
    ):
        points[:, particle] = positions[:, clip.skeleton.joint(part)]
    points[:, physics.TIP] = ends[:, CAPSULES.index("weapon"), 1]
    return points


def _planted(walk: Walk) -> np.ndarray:
    """(F, 2) 1 where a foot stands, as the recording says or as it is seen; eased in and out."""
    stands = walk.contacts | foot_contacts(walk.clip)
    reach = max(round(_HOLD_EASE * walk.clip.fps), 1)
    hold = np.empty(stands.shape)
    frames = np.arange(len(stands))
    for foot in range(2):
        standing = np.flatnonzero(stands[:, foot])
        if len(standing) == 0:
            hold[:, foot] = 0.0
            continue
        after = np.searchsorted(standing, frames)
        ahead = standing[np.minimum(after, len(standing) - 1)] - frames
        behind = frames - standing[np.maximum(after - 1, 0)]
        ahead, behind = (np.where(gap < 0, reach, gap) for gap in (ahead, behind))
        hold[:, foot] = 1.0 - _smooth_step(np.minimum(ahead, behind) / reach)
    return hold


def _blow(event: Event, ends: np.ndarray, fps: float) -> np.ndarray:
    """(12, 3) m/s that a hit gives to the particles of who is struck: the way it pushes, by its momentum."""
    striking, struck = CAPSULES.index(event.what), CAPSULES.index(event.part)
    points = ends[event.tick - 1 : event.tick + 1, event.who, striking, 1]
    against = ends[event.tick - 1 : event.tick + 1, event.whom, struck].mean(axis=1)
    coming = (points[1] - points[0] - against[1] + against[0]) * fps
    return shares_of_blow(event.part)[:, None] * speed_of_blow(event.what, event.part, coming)


def _waiting(event: Event, bodies: physics.Bodies, fps: float) -> int:
    """Frames that what strikes waits where it struck, because its motion goes right through.

    As few as bring it back without going through after all.
    """
    striking = CAPSULES.index(event.what)
    core = [CAPSULES.index(name) for name in _WHOLE_BODY]
    when = slice(event.tick, event.tick + round(_WAITING[-1] * fps) + 1)
    ends = bodies.ends[when, event.who, striking : striking + 1]
    if event.what == "weapon":  # which waits turned as it was, too
        place = ends[:, 0]
    else:
        place = bodies.points[when, event.who, particle_of(event.what)][:, None]
    against = np.ascontiguousarray(bodies.ends[when, event.whom][:, core])
    surface = _meeting_place(event, bodies)
    best, least = 0, np.inf
    for seconds in _WAITING:
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
        if frames == 0 and depth[: round(_SOON * fps)].max() > _DEEP:
            continue  # it has to wait
        if deepest < least - _WORTH:
            best, least = frames, deepest
    return best


def _meeting_place(event: Event, bodies: physics.Bodies) -> np.ndarray:
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


def _reach(bodies: physics.Bodies, event: Event, offsets: np.ndarray, missing: np.ndarray) -> float:
    """Add what stretches a striking limb to the surface that it strikes, eased about the tick of the hit.

    Returns how many metres are between them.
    """
    striking, struck = CAPSULES.index(event.what), CAPSULES.index(event.part)
    frames = event.tick + np.arange(1 - len(REACHING), 1 + len(LETTING_GO))
    shown = (frames >= 0) & (frames < len(offsets))
    ease = np.concatenate([REACHING, LETTING_GO])[shown, None]
    gap, share, *way = physics.gap(bodies, event.tick, event.who, striking, event.whom, struck, offsets)
    if gap <= 0.0:
        return 0.0
    reaching = min(gap + _TOUCHING, _FARTHEST_REACH) * ease * np.array(way)
    if event.what == "weapon":
        turning = by_turning(physics.blade(bodies, event.tick, event.who), share, reaching)
        missing[frames[shown], event.who, physics.TIP] += turning
        reaching = reaching - share * turning
    missing[frames[shown], event.who, particle_of(event.what)] += reaching
    held = bodies.grip[frames[shown], event.who, :1] * float(event.what == "weapon")
    if gap > _FAR:  # the body leans in
        leaning = physics.PELVIS if event.what.endswith(("foot", "shin")) else physics.CHEST
        along = _LEANING + (_WITH_BOTH - _LEANING) * held
        missing[frames[shown], event.who, leaning] += along * reaching
    missing[frames[shown], event.who, physics.LEFT_WRIST] += held * reaching
    return float(gap)


def _smooth(values: np.ndarray) -> np.ndarray:
    """The values, each frame mixed with its neighbours."""
    return _filtered(values, _SMOOTHING)


def _filtered(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """The values, each frame mixed with those around it."""
    half = len(kernel) // 2
    padded = np.concatenate([values[:1]] * half + [values] + [values[-1:]] * half)
    result = np.zeros_like(values)
    for k, weight in enumerate(kernel):
        result += weight * padded[k : k + len(values)]
    return result


def _bell(width: float) -> np.ndarray:
    """(N,) weights of a bell so many frames wide."""
    reach = int(np.ceil(3.0 * width))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    return weights / weights.sum()


def _smooth_step(x: np.ndarray) -> np.ndarray:
    """0 up to x = 0, 1 from x = 1 on, at rest at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
