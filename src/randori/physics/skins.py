"""Bodies with skins of their own: what touches and what is in each other, measured and mended on the skins.

Capsules are coarse, and a trunk is wider than it is deep: bodies that refinement has taken apart by capsules
may still be in each other where it is seen.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.body.capsules import CAPSULES
from randori.characters.skins import Samples
from randori.graph.joining import Walk
from randori.kernels import physics, puppet, skin_contact
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.inverse_kinematics import ARM_REACH, Limb, find_limb
from randori.motion.parts import SIDES
from randori.physics.bending import Bend, bend
from randori.physics.contact import grip
from randori.physics.easing import bell, filtered
from randori.physics.limbs import bring
from randori.physics.particles import bodies_of, planted
from randori.physics.refine import fit_offsets
from randori.physics.weights import capsule_weights
from randori.timeline.timeline import Event

TOUCHING = ("hit", "block")  # kinds of events in which bodies touch
FARTHEST = 1.0  # metres between two skins that are looked at
LIMBS = {"hand": "arm", "forearm": "arm", "foot": "leg", "shin": "leg"}
_STRIKING_FRAMES = (
    6,
    6,
)  # frames about a blow in which the limb that strikes is not measured for being in a body
_DEEPEST_POINT = 0.25  # metres from a skin at which a point is still looked at
_ALLOWED_DEPTH = 0.012  # metres that skins may be in each other: flesh gives
_ROUNDS = 10  # of taking skins apart
_BY_PARTS = 5  # of these rounds: in the others whole bodies go apart
_SPREADING_SECONDS = 0.05  # seconds over which that is spread
_OVERSHOOT = 1.3  # times what is missing: smoothing takes some of it
_CHUNK = 240  # frames measured at once
_EASE = 9, 7  # frames before and after a blow in which a limb is brought to it
_TRIES, _BY_LIMB = 14, 5  # of bringing a body to the skin that it strikes; first by the limb alone
_LEAN = 0.08  # metres that a body leans towards it in one of them
MOST_LEAN = 0.15  # metres that it leans for a blow
_LEAN_EASE = 24  # frames before and after in which it leans
_CLOSE_DISTANCE = 0.002  # metres
_LEG_STRAIGHTEST = 0.9985  # of its length, that a kicking leg reaches


def is_touch(event: Event, frames: int) -> bool:
    """Whether an event is a touch of two bodies in some frames."""
    return (
        event.kind in TOUCHING
        and event.whom >= 0
        and event.what in CAPSULES
        and event.part in CAPSULES
        and 0 < event.tick < frames
    )


def skin_gap(clips: Sequence[Clip], skins: Sequence[Samples], event: Event) -> tuple[float, np.ndarray]:
    """Metres from the skin that strikes to the one that is struck (negative inside), and the way (3,)."""
    when = np.array([event.tick])
    striking = skins[event.who].only(skins[event.who].of_capsule(event.what))
    struck = skins[event.whom].only(skins[event.whom].of_capsule(event.part))
    if len(striking.triangles) == 0 or len(struck.triangles) == 0:
        return FARTHEST, np.zeros(3)
    points, _ = striking.place(clips[event.who], when)
    others, normals = struck.place(clips[event.whom], when)
    found, nearest = np.empty(points.shape[1]), np.empty(points.shape[1], dtype=np.int64)
    skin_contact.depths(points[0], others[0], normals[0], struck.thick, 3.0, found, nearest)
    most = int(found.argmax())
    if nearest[most] < 0:
        return FARTHEST, np.zeros(3)
    way = others[0, nearest[most]] - points[0, most]
    length = float(np.linalg.norm(way))
    if found[most] > 0.0:  # inside: back along the normal
        return -float(found[most]), -normals[0, nearest[most]]
    return length, way / max(length, 1e-9)


def lowest_on_skins(clips: Sequence[Clip], skins: Sequence[Samples]) -> float:
    """Metres over the floor of the lowest point of some skins; at most 0."""
    lowest = 0.0
    for clip, one in zip(clips, skins):
        for rows in _chunks(np.arange(len(clip))):
            points, _ = one.place(clip, rows)
            lowest = min(lowest, float(points[..., 1].min()))
    return lowest


class _Overlap:
    """Depths of overlap between the parts of two skins in some frames."""

    def __init__(self, frames: np.ndarray):
        self.frames = frames  # (F,)
        self.depth = np.zeros(
            (len(frames), 2, len(CAPSULES))
        )  # metres, by the capsule that a point belongs to
        self.way = np.zeros((len(frames), 2, len(CAPSULES), 3))  # unit vector out of the other skin
        self.into = np.zeros((len(frames), 2, len(CAPSULES)), dtype=np.int64)  # the other's capsule


def find_overlap(
    clips: Sequence[Clip],
    skins: Sequence[Samples],
    pair: tuple[int, int],
    touches: Sequence[Event],
    frames: np.ndarray,
) -> _Overlap:
    """The overlap of a pair in some frames (F,), without the limbs that strike each other."""
    result = _Overlap(frames)
    groups = np.stack([skins[who].capsules for who in pair])
    thick = np.stack([skins[who].thick for who in pair])
    room = np.empty(groups.shape[1], dtype=np.int64)
    done = 0
    for rows in _chunks(frames):
        here = slice(done, done + len(rows))
        done += len(rows)
        placed = [skins[who].place(clips[who], rows) for who in pair]
        points, normals = (np.stack([one[k] for one in placed]) for k in range(2))
        used = _not_striking(skins, pair, touches, rows)
        both = skin_contact.Skins(points, normals, thick, groups, used)
        shape = len(rows), 2, len(CAPSULES)
        found = skin_contact.Deepest(np.zeros(shape), np.zeros((*shape, 2), dtype=np.int64))
        skin_contact.deepest(both, _DEEPEST_POINT, found, room)
        result.depth[here] = found.depth
        for one in range(2):
            other, near = 1 - one, found.points[:, one, :, 1]
            result.way[here, one] = np.take_along_axis(normals[other], near[..., None], axis=1)
            result.into[here, one] = groups[other][near]
    return result


def _chunks(frames: np.ndarray) -> list[np.ndarray]:
    return [frames[first : first + _CHUNK] for first in range(0, len(frames), _CHUNK)]


def _not_striking(
    skins: Sequence[Samples], pair: tuple[int, int], touches: Sequence[Event], frames: np.ndarray
) -> np.ndarray:
    """(2, F, N) bool: points that are not on a limb that strikes the other about now."""
    used = np.ones((2, len(frames), len(skins[pair[0]].thick)), dtype=bool)
    for event in touches:
        if event.who not in pair or event.whom not in pair:
            continue
        busy = (frames > event.tick - _STRIKING_FRAMES[0]) & (frames < event.tick + _STRIKING_FRAMES[1])
        if not busy.any():
            continue
        side, own = event.what.partition("_")[0], skins[event.who]
        names = (
            ["weapon", *(f"{one}_{part}" for one in SIDES for part in ("hand", "forearm"))]
            if event.what == "weapon"
            else [f"{side}_{part}" for part in LIMBS]
        )
        points = np.isin(own.capsules, [CAPSULES.index(name) for name in names])
        used[pair.index(event.who)][np.ix_(busy, points)] = False
    return used


def near_frames(clips: Sequence[Clip]) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Pairs that come near each other, and in which frames (F,)."""
    found = []
    places = [clip.root_position[:, [0, 2]] for clip in clips]
    for one in range(len(clips)):
        for other in range(one + 1, len(clips)):
            heights = clips[one].skeleton.height + clips[other].skeleton.height
            near = np.flatnonzero(np.linalg.norm(places[one] - places[other], axis=-1) < 0.5 * heights)
            if len(near):
                found.append(((one, other), near))
    return found


def part_skins(walks: Sequence[Walk], skins: Sequence[Samples], touches: Sequence[Event]) -> list[Walk]:
    """Walks whose skins are no deeper in each other than flesh gives, as far as that is possible."""
    frames = min(len(walk.clip) for walk in walks)
    bodies = bodies_of(walks, frames)
    asked = np.zeros((frames, len(walks), puppet.PARTICLES, 3))
    looked_at = near_frames([walk.clip for walk in walks])
    kernel = bell(_SPREADING_SECONDS * walks[0].clip.fps)
    parted, best, least = list(walks), list(walks), np.inf
    for number in range(_ROUNDS + 1):
        clips = [walk.clip for walk in parted]
        missing, again, left = np.zeros_like(asked), [], 0.0
        for pair, rows in looked_at:
            overlap = find_overlap(clips, skins, pair, touches, rows)
            depth = overlap.depth.max(axis=(1, 2))
            deep, left = depth > _ALLOWED_DEPTH, left + float(np.maximum(depth - _ALLOWED_DEPTH, 0.0).sum())
            if deep.any():
                if number < _BY_PARTS:
                    _ask(bodies, pair, overlap, missing)
                else:
                    _ask_whole(bodies, pair, overlap, missing)
                about = np.convolve(_spread(deep, rows, frames), np.ones(len(kernel)), mode="same") > 0.0
                again.append((pair, np.intersect1d(rows, np.flatnonzero(about))))
        if left < least:  # what is freed in one place may be caught in another
            best, least = parted, left
        if not again or number == _ROUNDS:
            break
        looked_at, asked = again, asked + _OVERSHOOT * missing
        parted = _off_their_motion(bodies, walks, filtered(asked, kernel))
    return best


def _spread(chosen: np.ndarray, rows: np.ndarray, frames: int) -> np.ndarray:
    whole = np.zeros(frames)
    whole[rows[chosen]] = 1.0
    return whole


def _ask(bodies: puppet.Bodies, pair: tuple[int, int], overlap: _Overlap, missing: np.ndarray) -> None:
    """Add to missing (F, B, 12, 3) what takes two skins apart: each gives way as easily as it moves."""
    weights, ease = capsule_weights().mean(axis=1), np.array(physics.EASE)
    wanted = np.zeros((len(overlap.frames), 2, puppet.PARTICLES, 3))
    for one in range(2):
        rows, capsules = np.nonzero(overlap.depth[:, one] > _ALLOWED_DEPTH)
        for row, capsule in zip(rows.tolist(), capsules.tolist()):
            frame, into = int(overlap.frames[row]), int(overlap.into[row, one, capsule])
            move = (overlap.depth[row, one, capsule] - 0.7 * _ALLOWED_DEPTH) * overlap.way[row, one, capsule]
            eases = []
            for who in (pair[one], pair[1 - one]):
                own = ease.copy()
                for foot in range(2):
                    own[puppet.END_OF[2 + foot]] *= (1.0 - bodies.planted[frame, who, foot]) ** 2
                eases.append(own)
            gives = [eases[0] * weights[capsule], eases[1] * weights[into]]
            total = float(gives[0] @ weights[capsule] + gives[1] @ weights[into])
            for side, share, sign in ((one, gives[0], 1.0), (1 - one, gives[1], -1.0)):
                push = sign / max(total, 1e-9) * share[:, None] * move
                now = wanted[row, side]
                larger = np.linalg.norm(push, axis=-1) > np.linalg.norm(now, axis=-1)
                wanted[row, side] = np.where(larger[:, None], push, now)
    for side in range(2):
        missing[overlap.frames, pair[side]] += wanted[:, side]


def _ask_whole(bodies: puppet.Bodies, pair: tuple[int, int], overlap: _Overlap, missing: np.ndarray) -> None:
    """The same for what is caught between parts, such as an arm under a chin: both bodies go apart."""
    depth = np.maximum(overlap.depth.max(axis=(1, 2)) - 0.7 * _ALLOWED_DEPTH, 0.0)
    frames = overlap.frames[depth > 0.3 * _ALLOWED_DEPTH]
    depth = depth[depth > 0.3 * _ALLOWED_DEPTH]
    pelvis = bodies.points[frames][:, list(pair), physics.PELVIS] * np.array([1.0, 0.0, 1.0])
    way = rot.normalize(pelvis[:, 1] - pelvis[:, 0])
    for who, sign in zip(pair, (-0.5, 0.5)):
        share = np.ones((len(frames), puppet.PARTICLES))
        for foot in range(2):
            share[:, puppet.END_OF[2 + foot]] = (1.0 - bodies.planted[frames, who, foot]) ** 2
        missing[frames, who] += sign * share[..., None] * (depth[:, None] * way)[:, None]


def _off_their_motion(bodies: puppet.Bodies, walks: Sequence[Walk], offsets: np.ndarray) -> list[Walk]:
    """Walks whose particles are off their motion; feet that stand stay where they stood."""
    moved = []
    for walk, one in zip(walks, fit_offsets(bodies, walks, offsets)):
        clip = one.walk.clip
        hold = planted(walk) * one.simulated[:, None]
        for foot, side in enumerate(SIDES):
            leg = find_limb(clip.skeleton, f"{side}_leg")
            clip = bring(clip, leg, walk.clip.positions[:, leg.end], hold[:, foot])
        moved.append(replace(walk, clip=clip))
    return moved


def touch_skins(
    clips: Sequence[Clip],
    skins: Sequence[Samples],
    own: Sequence[bool],
    touches: Sequence[Event],
    most_lean: float = MOST_LEAN,
) -> list[Clip]:
    """Clips in which limbs are brought to the skins that they strike.

    Where a limb is at its end, an arm that is struck comes to meet it, and the body that strikes leans by at
    most so many metres. Only touches in which a body has a skin of its `own` are mended.
    """
    clips = list(clips)
    for event in touches:
        limbs = _moving_limbs(clips[event.who], event.what)
        if not limbs or not (own[event.who] or own[event.whom]):
            continue
        leant = 0.0
        for number in range(_TRIES):
            gap, way = skin_gap(clips, skins, event)
            if -_CLOSE_DISTANCE <= gap <= _CLOSE_DISTANCE or gap >= FARTHEST:
                break
            clip = clips[event.who]
            short = number >= _BY_LIMB and gap > 0.0  # the limb is at its end
            meeting = (
                _meeting_limbs(clips[event.whom], event)
                if short and number % 2 and most_lean >= MOST_LEAN
                else []
            )
            if meeting:
                clips[event.whom] = _brought(clips[event.whom], event.tick, -gap * way, meeting)
            elif short and leant < most_lean:
                lean = min(gap, _LEAN, most_lean - leant)
                clips[event.who] = _leaning(clip, event.tick, lean * way, [limb for limb, _, _ in limbs])
                leant += lean
            else:
                clips[event.who] = _brought(clip, event.tick, gap * way, limbs)
    return clips


def _brought(
    clip: Clip, tick: int, move: np.ndarray, limbs: Sequence[tuple[Limb, np.ndarray, float]]
) -> Clip:
    """A clip with the ends of limbs moved by (3,) metres in a tick, eased about it."""
    ease = _eased(tick, len(clip))
    for limb, held, straightest in limbs:
        target = clip.positions[:, limb.end] + ease[:, None] * move
        clip = bring(clip, limb, target, held * (ease > 0.0), straightest)
    return clip


def _meeting_limbs(clip: Clip, event: Event) -> list[tuple[Limb, np.ndarray, float]]:
    """The arms that a blow strikes, which can come to meet it."""
    arm = event.part == "weapon" or LIMBS.get(event.part.partition("_")[2]) == "arm"
    return _moving_limbs(clip, event.part) if arm else []


def _moving_limbs(clip: Clip, what: str) -> list[tuple[Limb, np.ndarray, float]]:
    """The limbs that move a part, (F,) how much each does, and how straight it may be.

    Both arms move a sword, where both hands hold it.
    """
    whole = np.ones(len(clip))
    if what == "weapon":
        held = grip(clip)
        return [
            (find_limb(clip.skeleton, f"{side}_arm"), held[:, SIDES.index(side)], ARM_REACH)
            for side in ("right", "left")
        ]
    side, _, part = what.partition("_")
    if part not in LIMBS:
        return []
    return [
        (
            find_limb(clip.skeleton, f"{side}_{LIMBS[part]}"),
            whole,
            ARM_REACH if LIMBS[part] == "arm" else _LEG_STRAIGHTEST,
        )
    ]


def _leaning(clip: Clip, tick: int, move: np.ndarray, striking: Sequence[Limb]) -> Clip:
    """A clip whose shoulders move by (3,) metres in a tick, eased about it, on feet that stay where they are.

    The pelvis takes half of that, and the trunk leans for the other half. Legs do not become longer.
    """
    skeleton, ease = clip.skeleton, _eased(tick, len(clip), (_LEAN_EASE, _LEAN_EASE))[:, None]
    shoulders = 0.5 * sum(clip.positions[tick, skeleton.joint(f"{side}_upper_arm")] for side in SIDES)
    trunk = shoulders - clip.positions[tick, skeleton.joint("pelvis")]
    lean = 0.5 * np.cross(trunk, move) / (trunk @ trunk)
    pelvis = 0.5 * move
    pelvis[1] = min(pelvis[1], 0.0)
    kicks = [f"{side}_leg" for side in SIDES if find_limb(skeleton, f"{side}_leg") in striking]
    still = np.zeros((len(clip), 3))
    return bend(clip, Bend(ease * pelvis, ease * lean, still), kicks[0] if kicks else None)


def _eased(tick: int, frames: int, span: tuple[int, int] = _EASE) -> np.ndarray:
    """(F,) 1 in the tick of a blow, less and less before and after."""
    before, after = span
    offsets = np.arange(frames) - tick
    rising, falling = smooth_step(1.0 + offsets / (before + 1.0)), smooth_step(1.0 - offsets / (after + 1.0))
    return np.where(offsets <= 0, rising, falling) * (offsets > -before - 1) * (offsets < after + 1)
