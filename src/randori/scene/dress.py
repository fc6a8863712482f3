"""A finished take on other bodies: the same decisions, and what touched still touches.

Everybody keeps their way over the floor. Where arms or legs are too short or too long for a blow, the whole
body comes nearer or stays farther away, and steps accordingly; the limb does the rest, measured on the skin.
What cannot be reached is said.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.characters.bringing import bring_onto
from randori.characters.character import Character, Costume
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.graph.smoothness import angular_acceleration
from randori.motion.clip import Clip
from randori.motion.details import FIST, RELAXED
from randori.motion.easing import smooth_step
from randori.motion.feet import foot_contacts, foot_points, planted_phases, planted_point
from randori.motion.inverse_kinematics import find_limb
from randori.motion.retargeting import standing_ball_level
from randori.motion.skeleton import Skeleton
from randori.physics.floor import stay_above
from randori.physics.refine import refine_together
from randori.physics.skins import LIMBS, is_touch
from randori.scene.on_skins import SkinFigures, Skins, fit_to_skins, measure_on_skins, with_figures
from randori.scene.take import Role, Take
from randori.timeline.quality import Quality
from randori.timeline.timeline import Event
from randori.work import finish

Body = Costume | Skeleton  # a character of a file, or one of our own bodies
Hold = Callable[[list[Clip]], list[Clip]]  # clips with their hands on luggage
KEPT = 0.02  # metres between two skins that touch
_ROUNDS = 4  # of finding where everybody must be
_NEAREST = 0.45  # metres: from here on a body is not moved for the sake of a blow
_STRETCH = 0.97  # of an arm or a leg that a blow uses
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


def dress(take: Take, costumes: Mapping[str, Body]) -> tuple[Take, Fitting]:
    """A take on other bodies; see `dressing`."""
    return finish(dressing(take, costumes))


def dressing(
    take: Take, bodies: Mapping[str, Body], hold: Hold | None = None
) -> Generator[float, None, tuple[Take, Fitting]]:
    """The take with some of its characters, by their names, in other bodies; yields the share done.

    `hold` puts hands on luggage, after everything else.
    """
    names = [role.name for role in take.roles]
    for name in bodies:
        if name not in names:
            raise RandoriError(f"there is no {name!r} in the take; there are {', '.join(names)}")
    given = [bodies.get(role.name) for role in take.roles]
    worn = [_armed(body, role) for body, role in zip(given, take.roles)]
    skeletons = [_skeleton(body) for body in worn]
    skins_of = [
        _character(body) if body is not None else _character(role.costume)
        for body, role in zip(worn, take.roles)
    ]
    touches = [event for event in take.events if is_touch(event, take.ticks + 1)]
    yield 0.05

    # Step 1. Every character on its own body, where it was.
    nowhere = np.zeros((take.ticks + 1, 3))
    clips = [
        _on_body(role, skeleton, nowhere, touches, k)
        for k, (role, skeleton) in enumerate(zip(take.roles, skeletons))
    ]
    yield 0.2

    # Step 2. Nearer or farther, so that blows can land.
    shifts = _find_shifts(clips, skeletons, touches)
    clips = [
        clip if skeleton is None else _on_body(role, skeleton, shift, touches, k)
        for k, (role, skeleton, shift, clip) in enumerate(zip(take.roles, skeletons, shifts, clips))
    ]
    yield 0.35

    # Step 3. Bodies give way to each other, as in any take, and nothing is below the floor.
    walks = _walks(take, clips)
    if any(skeleton is not None for skeleton in skeletons):
        walks = _give_way(walks, skeletons)
    yield 0.7

    # Step 4. Skins are taken apart, and what strikes is on the skin that it strikes.
    skins = Skins.of(clips, skins_of, [skeleton is not None for skeleton in skeletons])
    walks = fit_to_skins(walks, skins, touches)
    clips = [walk.clip for walk in walks]
    if hold is not None:
        clips = hold(clips)
    yield 0.85
    walks = [replace(walk, clip=clip) for walk, clip in zip(walks, clips)]
    fitting, figures = measure_fitting(take, walks, skins, touches)
    roles = tuple(
        replace(role, clip=clip, costume=_costume(body)) if body is not None else replace(role, clip=clip)
        for role, clip, body in zip(take.roles, clips, worn)
    )
    words = {**take.provenance, "dressed": fitting.as_dict()}
    dressed = replace(take, roles=roles, provenance=words, measured=_measured(take, fitting, figures))
    return dressed, fitting


def _armed(body: Body | None, role: Role) -> Body | None:
    """The body with a sword in its hand, if the role has one."""
    if isinstance(body, Costume) and "weapon" in role.clip.skeleton.parts:
        return body.armed()
    return body


def _skeleton(body: Body | None) -> Skeleton | None:
    return body.character.skeleton if isinstance(body, Costume) else body


def _character(body: Body | None) -> Character | None:
    return body.character if isinstance(body, Costume) else None


def _costume(body: Body | None) -> Costume | None:
    return body if isinstance(body, Costume) else None


def _plain(capsule: str) -> str:
    return capsule.replace("_", " ")


def _on_body(
    role: Role, skeleton: Skeleton | None, shift: np.ndarray, touches: Sequence[Event], number: int
) -> Clip:
    """The clip of a role on another skeleton; characters that fight with their hands make fists."""
    if skeleton is None:
        return role.clip
    boxes = any(event.who == number and event.what.endswith("hand") for event in touches)
    armed = "weapon" in role.clip.skeleton.parts
    level = standing_ball_level(role.clip.skeleton)
    curl = FIST if boxes or armed else RELAXED
    moved = bring_onto(role.clip, skeleton, level, shift=shift, curl=curl)
    return replace(moved, name=role.clip.name)


def _find_shifts(
    clips: Sequence[Clip], bodies: Sequence[Skeleton | None], touches: Sequence[Event]
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
            else:  # the striker keeps its body: the struck character comes to it
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
    if part not in LIMBS:
        return np.zeros(3)
    limb = find_limb(striker.skeleton, f"{side}_{LIMBS[part]}")
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


def _walks(take: Take, clips: Sequence[Clip]) -> list[Walk]:
    """Clips as walks that show no recording; feet stand when they stood in the take."""
    frames = np.arange(take.ticks + 1)
    none = np.full(len(frames), -1)
    return [
        Walk(clip, frames, none, np.zeros(0, dtype=np.int64), foot_contacts(role.clip))
        for role, clip in zip(take.roles, clips)
    ]


def _give_way(walks: list[Walk], bodies: Sequence[Skeleton | None]) -> list[Walk]:
    """Bodies that are in each other are taken apart; nothing is below the floor."""
    clips = [walk.clip for walk in walks]
    limits = [np.maximum(_HASTE, 1.05 * angular_acceleration(clip.rotations, clip.fps)) for clip in clips]
    if len(walks) > 1:
        walks = [one.walk for one in refine_together(walks, [], limits)]
    return [stay_above(walk)[0] if body is not None else walk for walk, body in zip(walks, bodies)]


def measure_fitting(
    take: Take, walks: Sequence[Walk], skins: Skins, touches: Sequence[Event]
) -> tuple[Fitting, SkinFigures]:
    """How well walks sit on their bodies, against the take that they come from."""
    clips = [walk.clip for walk in walks]
    figures = measure_on_skins(clips, skins, touches)
    contacts = []
    for event, gap in zip(touches, figures.gaps):
        names = (take.roles[event.who].name, take.roles[event.whom].name)
        contacts.append(Contact(event.tick / take.fps, *names, event.what, event.part, gap))
    slides = [_slides(role.clip, walk) for role, walk in zip(take.roles, walks) if role.clip is not walk.clip]
    slid = np.concatenate(slides) if slides else np.zeros(0)
    return Fitting(tuple(contacts), figures.penetration, figures.lowest, slid), figures


def _slides(source: Clip, walk: Walk) -> np.ndarray:
    """(P,) metres that the planted feet of a walk slide more than those of its source.

    Bodies that give way to others may take a step where the source stands: the walk knows when its feet
    stand.
    """
    before, after = foot_points(source), foot_points(walk.clip)
    leg = source.skeleton.length_between(
        source.skeleton.joint("left_foot"), source.skeleton.joint("left_thigh")
    )
    found = []
    for phase in planted_phases(foot_contacts(source) & walk.contacts):
        point, start, stop = planted_point(before, phase, leg)
        travel = []
        for points in (before, after):
            way = points[start:stop, phase.foot, point][:, [0, 2]]
            travel.append(float(np.linalg.norm(way - np.median(way, axis=0), axis=1).max()))
        found.append(max(travel[1] - travel[0], 0.0))
    return np.array(found)


def _measured(take: Take, fitting: Fitting, figures: SkinFigures) -> Quality:
    """The quality of the take, with what was measured on the skins."""
    slides = fitting.slides
    return replace(
        with_figures(take.measured, figures),
        unnoticed=float((slides < _NOTICED).mean()) if len(slides) else 1.0,
        excess_usual=float(np.median(slides)) if len(slides) else 0.0,
        excess_worst=float(slides.max(initial=0.0)),
    )
