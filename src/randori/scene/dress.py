"""A finished take on other bodies: the same decisions, and what touched still touches.

Everybody keeps their way over the floor. Where arms or legs are too short or too long for a blow, the whole
body comes nearer or stays farther away, and steps accordingly; the limb does the rest, measured on the skin.
What cannot be reached is said.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.characters.bringing import bring_onto
from randori.characters.character import Character, Costume
from randori.characters.skins import Samples, mannequin_surface, spread
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.graph.smoothness import angular_acceleration
from randori.kernels import skin_contact
from randori.motion.clip import Clip
from randori.motion.details import FIST, RELAXED
from randori.motion.easing import smooth_step
from randori.motion.feet import foot_contacts, foot_points, planted_phases, planted_point
from randori.motion.inverse_kinematics import ARM_REACH, Limb, find_limb
from randori.motion.parts import SIDES
from randori.motion.retargeting import standing_ball_level
from randori.physics.floor import stay_above
from randori.physics.limbs import bring
from randori.physics.refine import refine_together
from randori.scene.take import Role, Take
from randori.timeline.quality import Quality
from randori.timeline.timeline import Event
from randori.work import finish

KEPT = 0.02  # metres between two skins that touch
TOUCHING = ("hit", "block")  # kinds of events in which bodies touch
_ROUNDS = 4  # of finding where everybody must be
_NEAREST = 0.45  # metres: from here on a body is not moved for the sake of a blow
_FARTHEST = 0.6  # metres between two skins that are looked at
_STRETCH = 0.97  # of an arm or a leg that a blow uses
_EASE = 6, 4  # frames before and after a blow in which a limb is brought to it
_TRIES, _BY_LIMB = 14, 5  # of bringing a body to the skin that it strikes; first by the limb alone
_LEAN = 0.08  # metres that a body leans towards it in one of them
_LEAN_EASE = 24  # frames before and after in which it leans
_CLOSE = 0.002  # metres
_FINE = 2500  # points on a skin where blows are measured
_LIMBS = {"hand": "arm", "forearm": "arm", "foot": "leg", "shin": "leg"}
_BUSY = 15, 20  # frames about a blow in which the limb that strikes is not measured for being in a body
_NOTICED = 0.021  # metres of sliding that people notice, see docs/quality.md
_HASTE = 260.0  # radians/s² that joints may turn by, or what the motion itself does


@dataclass(frozen=True)
class Contact:
    """A touch of the take, and what became of it."""

    seconds: float
    who: str
    whom: str
    what: str
    part: str
    gap: float  # metres between the skins; negative inside

    @property
    def kept(self) -> bool:
        return abs(self.gap) <= KEPT

    def in_words(self) -> str:
        off = f"{100 * abs(self.gap):.0f} cm {'short' if self.gap > 0 else 'too deep'}"
        touch = f"{self.who}'s {_plain(self.what)} on {self.whom}'s {_plain(self.part)}"
        return f"{self.seconds:.2f} s: {touch}, {off}"


@dataclass(frozen=True)
class Fitting:
    """How well a take sits on other bodies, measured on their skins."""

    contacts: tuple[Contact, ...]
    penetration: float  # metres that bodies are in each other at worst
    lowest: float  # metres over the floor of the lowest point
    slides: np.ndarray  # (P,) metres that planted feet slide more than in the take

    @property
    def lost(self) -> list[Contact]:
        return [contact for contact in self.contacts if not contact.kept]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        gaps = np.abs([contact.gap for contact in self.contacts])
        return {
            "contacts": len(self.contacts),
            "contacts kept": len(self.contacts) - len(self.lost),
            "contacts lost": [contact.in_words() for contact in self.lost],
            "contact error": round(float(np.median(gaps)), 4) if len(gaps) else 0.0,
            "penetration": round(self.penetration, 4),
            "lowest point": round(self.lowest, 4),
            "feet within 21 mm": round(float((self.slides < _NOTICED).mean()), 4)
            if len(self.slides)
            else 1.0,
            "feet at worst": round(float(self.slides.max(initial=0.0)), 4),
        }

    def in_words(self) -> list[str]:
        """A line per figure."""
        kept = len(self.contacts) - len(self.lost)
        still = float((self.slides < _NOTICED).mean()) if len(self.slides) else 1.0
        lines = [
            f"contacts: {kept} of {len(self.contacts)} kept within {1000 * KEPT:.0f} mm",
            f"bodies: {100 * self.penetration:.1f} cm inside each other at worst",
            f"floor: the lowest point is {100 * self.lowest:.1f} cm high",
            f"feet: {100 * still:.1f} % slide at most 21 mm more than in the take, "
            f"{1000 * float(self.slides.max(initial=0.0)):.0f} mm at worst",
        ]
        return lines + [f"lost: {contact.in_words()}" for contact in self.lost]


def dress(take: Take, costumes: Mapping[str, Costume]) -> tuple[Take, Fitting]:
    """A take on other bodies; see `dressing`."""
    return finish(dressing(take, costumes))


def dressing(take: Take, costumes: Mapping[str, Costume]) -> Generator[float, None, tuple[Take, Fitting]]:
    """The take with some of its characters, by their names, in other bodies; yields the share done."""
    names = [role.name for role in take.roles]
    for name in costumes:
        if name not in names:
            raise RandoriError(f"there is no {name!r} in the take; there are {', '.join(names)}")
    worn = [costumes.get(role.name) for role in take.roles]
    bodies = [None if one is None else one.character for one in worn]
    touches = [event for event in take.events if _is_touch(event, take)]
    yield 0.05

    # Step 1. Everybody on their own body, where they were.
    nowhere = np.zeros((take.ticks + 1, 3))
    clips = [
        _on_body(role, body, nowhere, touches, k) for k, (role, body) in enumerate(zip(take.roles, bodies))
    ]
    yield 0.2

    # Step 2. Nearer or farther, so that blows can land.
    shifts = _find_shifts(clips, bodies, touches)
    clips = [
        clip if body is None else _on_body(role, body, shift, touches, k)
        for k, (role, body, shift, clip) in enumerate(zip(take.roles, bodies, shifts, clips))
    ]
    yield 0.35

    # Step 3. Bodies give way to each other, as in any take, and nothing is below the floor.
    if any(body is not None for body in bodies):
        clips = _give_way(take, clips, bodies)
    yield 0.7

    # Step 4. What strikes is on the skin that it strikes.
    skins = [_samples(clip, body) for clip, body in zip(clips, bodies)]
    clips = _touch(clips, skins, bodies, touches)
    # a body that leaned may have leaned into another one
    clips = _touch(_give_way(take, clips, bodies), skins, bodies, touches)
    yield 0.85
    fitting = measure_fitting(take, clips, skins, touches)
    roles = tuple(
        replace(role, clip=clip, costume=costume) if costume is not None else replace(role, clip=clip)
        for role, clip, costume in zip(take.roles, clips, worn)
    )
    words = {**take.words, "dressed": fitting.as_dict()}
    dressed = replace(take, roles=roles, words=words, measured=_measured(take, fitting))
    return dressed, fitting


def _is_touch(event: Event, take: Take) -> bool:
    return (
        event.kind in TOUCHING
        and event.whom >= 0
        and event.what in CAPSULES
        and event.part in CAPSULES
        and 0 < event.tick <= take.ticks
    )


def _plain(capsule: str) -> str:
    return capsule.replace("_", " ")


def _on_body(
    role: Role, body: Character | None, shift: np.ndarray, touches: Sequence[Event], number: int
) -> Clip:
    """The clip of a role on its body; who fights with the hands makes fists."""
    if body is None:
        return role.clip
    boxes = any(event.who == number and event.what.endswith("hand") for event in touches)
    armed = "weapon" in role.clip.skeleton.parts
    level = standing_ball_level(role.clip.skeleton)
    curl = FIST if boxes or armed else RELAXED
    moved = bring_onto(role.clip, body.skeleton, level, shift=shift, curl=curl)
    return replace(moved, name=role.clip.name)


def _find_shifts(
    clips: Sequence[Clip], bodies: Sequence[Character | None], touches: Sequence[Event]
) -> list[np.ndarray]:
    """(F, 3) metres, for each character, that bring it to where its limbs reach what they strike."""
    frames = len(clips[0])
    wanted: list[dict[int, np.ndarray]] = [{} for _ in clips]
    shifts = [np.zeros((frames, 3)) for _ in clips]
    for _ in range(_ROUNDS):
        for event in touches:
            one, other = event.who, event.whom
            if bodies[one] is None and bodies[other] is None:
                continue
            apart = shifts[one][event.tick] - shifts[other][event.tick]
            move = _missing(clips[one], clips[other], event, apart)
            if bodies[one] is not None:
                wanted[one][event.tick] = shifts[one][event.tick] + move
            else:  # a mannequin strikes: who is struck comes to it
                wanted[other][event.tick] = shifts[other][event.tick] - move
        shifts = [_between(rows, frames) for rows in wanted]
    return shifts


def _missing(striker: Clip, struck: Clip, event: Event, apart: np.ndarray) -> np.ndarray:
    """(3,) metres over the floor that a striker must move by, so that its limb reaches the surface."""
    when = slice(event.tick, event.tick + 1)
    ends, radii = [], []
    for clip, name in ((striker, event.what), (struck, event.part)):
        body = fit(clip.skeleton)
        ends.append(body.place(clip.positions[when], clip.global_rotations[when])[0, CAPSULES.index(name)])
        radii.append(max(float(body.radii[CAPSULES.index(name)]), 0.0))
    tip, middle = ends[0].mean(axis=0) + apart, ends[1].mean(axis=0)
    if event.what == "weapon":
        return np.zeros(3)
    side, _, part = event.what.partition("_")
    if part not in _LIMBS:
        return np.zeros(3)
    limb = find_limb(striker.skeleton, f"{side}_{_LIMBS[part]}")
    start = striker.positions[event.tick, limb.upper] + apart
    reach = _STRETCH * striker.skeleton.length_between(limb.end, limb.upper)
    reach += float(np.linalg.norm(ends[0].mean(axis=0) - striker.positions[event.tick, limb.end]))
    axis = ends[1][1] - ends[1][0]
    share = np.clip((tip - ends[1][0]) @ axis / max(axis @ axis, 1e-12), 0.0, 1.0)
    middle = ends[1][0] + share * axis
    to_it = middle - start
    distance = float(np.linalg.norm(to_it))
    level = to_it * np.array([1.0, 0.0, 1.0])
    flat = float(np.linalg.norm(level))
    if flat < 1e-6:
        return np.zeros(3)
    # the farthest place over the floor from which the limb still reaches, and the nearest that leaves it room
    height = float(to_it[1])
    touching = sum(radii)
    farthest = np.sqrt(max((reach + radii[1]) ** 2 - height**2, 0.0))
    own = float(np.linalg.norm(tip - start))
    nearest = min(np.sqrt(max((0.75 * own + touching) ** 2 - height**2, 0.0)), farthest)
    excess = flat - farthest if flat > farthest else min(flat - nearest, 0.0) if distance < own else 0.0
    return float(np.clip(excess, -_NEAREST, _NEAREST)) * level / flat


def _between(rows: Mapping[int, np.ndarray], frames: int) -> np.ndarray:
    """(F, 3) a way through places at some ticks, without a jerk."""
    way = np.zeros((frames, 3))
    if not rows:
        return way
    ticks = sorted(rows)
    way[: ticks[0]], way[ticks[-1] :] = rows[ticks[0]], rows[ticks[-1]]
    for first, last in pairwise(ticks):
        share = smooth_step((np.arange(first, last) - first) / (last - first))[:, None]
        way[first:last] = (1.0 - share) * rows[first] + share * rows[last]
    return way


def _give_way(take: Take, clips: Sequence[Clip], bodies: Sequence[Character | None]) -> list[Clip]:
    """Bodies that are in each other are taken apart; nothing is below the floor."""
    frames = np.arange(take.ticks + 1)
    none = np.full(len(frames), -1)
    walks = [
        Walk(clip, frames, none, np.zeros(0, dtype=np.int64), foot_contacts(role.clip))
        for role, clip in zip(take.roles, clips)
    ]
    limits = [np.maximum(_HASTE, 1.05 * angular_acceleration(clip.rotations, clip.fps)) for clip in clips]
    if len(walks) > 1:
        walks = [one.walk for one in refine_together(walks, [], limits)]
    walks = [stay_above(walk)[0] if body is not None else walk for walk, body in zip(walks, bodies)]
    return [walk.clip for walk in walks]


def _samples(clip: Clip, body: Character | None, count: int = _FINE) -> Samples:
    surface = mannequin_surface(clip.skeleton) if body is None else body.surface
    return spread(clip.skeleton, surface, count)


def skin_gap(clips: Sequence[Clip], skins: Sequence[Samples], event: Event) -> tuple[float, np.ndarray]:
    """Metres from the skin that strikes to the one that is struck (negative inside), and the way (3,)."""
    when = np.array([event.tick])
    striking = skins[event.who].only(skins[event.who].of_capsule(event.what))
    struck = skins[event.whom].only(skins[event.whom].of_capsule(event.part))
    if len(striking.triangles) == 0 or len(struck.triangles) == 0:
        return _FARTHEST, np.zeros(3)
    points, _ = striking.place(clips[event.who], when)
    others, normals = struck.place(clips[event.whom], when)
    found, nearest = np.empty(points.shape[1]), np.empty(points.shape[1], dtype=np.int64)
    skin_contact.depths(points[0], others[0], normals[0], struck.thick, 3.0, found, nearest)
    most = int(found.argmax())
    if nearest[most] < 0:
        return _FARTHEST, np.zeros(3)
    way = others[0, nearest[most]] - points[0, most]
    length = float(np.linalg.norm(way))
    if found[most] > 0.0:  # inside: back along the normal
        return -float(found[most]), -normals[0, nearest[most]]
    return length, way / max(length, 1e-9)


def _touch(
    clips: Sequence[Clip],
    skins: Sequence[Samples],
    bodies: Sequence[Character | None],
    touches: Sequence[Event],
) -> list[Clip]:
    """Clips in which limbs are brought to the skins that they strike; bodies lean where limbs are short."""
    clips = list(clips)
    for event in touches:
        if bodies[event.who] is None and bodies[event.whom] is None:
            continue
        side, _, part = event.what.partition("_")
        if part not in _LIMBS:
            continue
        limb = find_limb(clips[event.who].skeleton, f"{side}_{_LIMBS[part]}")
        for number in range(_TRIES):
            gap, way = skin_gap(clips, skins, event)
            if -_CLOSE <= gap <= _CLOSE or gap >= _FARTHEST:
                break
            clip = clips[event.who]
            if number >= _BY_LIMB and gap > 0.0:  # the limb is at its end
                clips[event.who] = _leaning(clip, event.tick, min(gap, _LEAN) * way, limb)
                continue
            ease = _eased(event.tick, len(clip))
            target = clip.positions[:, limb.end] + ease[:, None] * (gap * way)
            straightest = ARM_REACH if _LIMBS[part] == "arm" else 0.9985
            clips[event.who] = bring(clip, limb, target, (ease > 0.0).astype(float), straightest)
    return clips


def _leaning(clip: Clip, tick: int, move: np.ndarray, striking: Limb) -> Clip:
    """A clip whose body leans by (3,) metres in a tick, eased about it, on feet that stay where they are."""
    ease = _eased(tick, len(clip), (_LEAN_EASE, _LEAN_EASE))
    leant = clip.with_frames(clip.root_position + ease[:, None] * move, clip.rotations)
    for side in SIDES:
        leg = find_limb(clip.skeleton, f"{side}_leg")
        if leg != striking:
            leant = bring(leant, leg, clip.positions[:, leg.end], (ease > 0.0).astype(float))
    return leant


def _eased(tick: int, frames: int, span: tuple[int, int] = _EASE) -> np.ndarray:
    """(F,) 1 in the tick of a blow, less and less before and after."""
    before, after = span
    offsets = np.arange(frames) - tick
    rising, falling = smooth_step(1.0 + offsets / (before + 1.0)), smooth_step(1.0 - offsets / (after + 1.0))
    return np.where(offsets <= 0, rising, falling) * (offsets > -before - 1) * (offsets < after + 1)


def measure_fitting(
    take: Take, clips: Sequence[Clip], skins: Sequence[Samples], touches: Sequence[Event]
) -> Fitting:
    """How well clips sit on their bodies, against the take that they come from."""
    contacts = []
    for event in touches:
        gap, _ = skin_gap(clips, skins, event)
        names = (take.roles[event.who].name, take.roles[event.whom].name)
        contacts.append(Contact(event.tick / take.fps, *names, event.what, event.part, gap))
    slides = [_slides(role.clip, clip) for role, clip in zip(take.roles, clips) if role.clip is not clip]
    coarse = [spread(clip.skeleton, one.surface) for clip, one in zip(clips, skins)]
    frames = np.arange(take.ticks + 1)
    lowest = 0.0
    placed = []
    for clip, samples in zip(clips, coarse):
        points, normals = samples.place(clip, frames)
        lowest = min(lowest, float(points[..., 1].min()))
        placed.append((points, normals))
    return Fitting(
        tuple(contacts),
        _deepest(placed, coarse, touches),
        lowest,
        np.concatenate(slides) if slides else np.zeros(0),
    )


def _deepest(
    placed: Sequence[tuple[np.ndarray, np.ndarray]], skins: Sequence[Samples], touches: Sequence[Event]
) -> float:
    """Metres that bodies are in each other, without the limbs that strike."""
    worst = 0.0
    for one in range(len(placed)):
        for other in range(one + 1, len(placed)):
            middles = [placed[k][0].mean(axis=1)[:, [0, 2]] for k in (one, other)]
            near = np.flatnonzero(np.linalg.norm(middles[0] - middles[1], axis=-1) < 1.6)
            if len(near) == 0:
                continue
            used = np.ones((2, len(near), placed[one][0].shape[1]), dtype=bool)
            for event in touches:
                for place, who in ((0, one), (1, other)):
                    if event.who == who and event.whom in (one, other):
                        busy = (near > event.tick - _BUSY[0]) & (near < event.tick + _BUSY[1])
                        side = event.what.partition("_")[0]
                        limb = [f"{side}_{part}" for part in _LIMBS]
                        points = np.any([skins[who].of_capsule(name) for name in limb], axis=0)
                        used[place][np.ix_(busy, points)] = False
            bodies = np.stack([placed[k][0][near] for k in (one, other)])
            normals = np.stack([placed[k][1][near] for k in (one, other)])
            found = np.zeros(len(near))
            thick = np.stack([skins[k].thick for k in (one, other)])
            skin_contact.deepest(bodies, normals, thick, used, 0.25, found)
            worst = max(worst, float(found.max()))
    return worst


def _slides(source: Clip, clip: Clip) -> np.ndarray:
    """(P,) metres that the planted feet of a clip slide more than those of its source."""
    contacts = foot_contacts(source)
    before, after = foot_points(source), foot_points(clip)
    leg = source.skeleton.length_between(
        source.skeleton.joint("left_foot"), source.skeleton.joint("left_thigh")
    )
    found = []
    for phase in planted_phases(contacts):
        point, start, stop = planted_point(before, phase, leg)
        travel = []
        for points in (before, after):
            way = points[start:stop, phase.foot, point][:, [0, 2]]
            travel.append(float(np.linalg.norm(way - np.median(way, axis=0), axis=1).max()))
        found.append(max(travel[1] - travel[0], 0.0))
    return np.array(found)


def _measured(take: Take, fitting: Fitting) -> Quality:
    """The quality of the take, with what was measured on the skins."""
    gaps = np.abs([contact.gap for contact in fitting.contacts])
    slides = fitting.slides
    return replace(
        take.measured,
        penetration_deepest=fitting.penetration,
        lowest_point=fitting.lowest,
        strike_error_usual=float(np.median(gaps)) if len(gaps) else 0.0,
        strike_error_worst=float(gaps.max(initial=0.0)),
        unnoticed=float((slides < _NOTICED).mean()) if len(slides) else 1.0,
        excess_usual=float(np.median(slides)) if len(slides) else 0.0,
        excess_worst=float(slides.max(initial=0.0)),
    )
