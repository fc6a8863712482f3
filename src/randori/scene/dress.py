"""A finished take on other bodies: the same decisions, and what touched still touches.

All characters keep their way over the floor. Where arms or legs are too short or too long for a blow, the
whole body comes nearer or stays farther away, and steps accordingly; the limb does the rest, measured on the
skin. What cannot be reached is said.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from randori.characters.bringing import bring_along
from randori.characters.character import Character, Costume
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.graph.smoothness import angular_acceleration
from randori.motion.clip import Clip
from randori.motion.details import FIST, RELAXED
from randori.motion.feet import foot_contacts, foot_points, leg_length, planted_phases, planted_point
from randori.motion.retargeting import Brought, standing_ball_level
from randori.motion.skeleton import Skeleton
from randori.physics.bending import bend
from randori.physics.floor import stay_above
from randori.physics.refine import refine_together
from randori.physics.skins import is_touch, skin_gap, touch_skins
from randori.scene.on_skins import SkinFigures, Skins, fit_to_skins, measure_on_skins, with_figures
from randori.scene.reaching import STRUCK, bends_of, find_landings, shifts_of, spaced
from randori.scene.take import Role, Take
from randori.timeline.quality import Quality
from randori.timeline.timeline import Event
from randori.work import finish

Body = Costume | Skeleton  # a character of a file, or one of our own bodies
Hold = Callable[[list[Clip]], list[Clip]]  # clips with their hands on luggage
KEPT = 0.02  # metres between two skins that touch
_NOTICED_SLIDE = 0.021  # metres of sliding that people notice, see docs/quality.md
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
    meant: str  # the part that the take struck; another one if that was out of reach

    @property
    def touches(self) -> bool:
        return abs(self.gap) <= KEPT

    @property
    def moved(self) -> bool:
        """Whether it touches another part, because the one of the take is out of reach."""
        return self.touches and self.part != self.meant

    @property
    def kept(self) -> bool:
        return self.touches and self.part == self.meant

    def in_words(self) -> str:
        touch = f"{self.seconds:.2f} s: {self.who}'s {_plain(self.what)} on {self.whom}'s {_plain(self.part)}"
        if self.moved:
            return f"{touch} instead of the {_plain(self.meant)}, which is out of reach"
        return f"{touch}, {100 * abs(self.gap):.0f} cm {'short' if self.gap > 0 else 'too deep'}"


@dataclass(frozen=True)
class Fitting:
    """The fit of a take on other bodies, measured on their skins."""

    contacts: tuple[Contact, ...]
    penetration: float  # metres that bodies are in each other at worst
    lowest: float  # metres over the floor of the lowest point
    slides: np.ndarray  # (P,) metres that planted feet slide more than in the take

    @property
    def kept(self) -> list[Contact]:
        return [contact for contact in self.contacts if contact.kept]

    @property
    def moved(self) -> list[Contact]:
        return [contact for contact in self.contacts if contact.moved]

    @property
    def lost(self) -> list[Contact]:
        return [contact for contact in self.contacts if not contact.touches]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        gaps = np.abs([contact.gap for contact in self.contacts])
        return {
            "contacts": len(self.contacts),
            "contacts kept": len(self.kept),
            "contacts moved": [contact.in_words() for contact in self.moved],
            "contacts lost": [contact.in_words() for contact in self.lost],
            "contact error": round(float(np.median(gaps)), 4) if len(gaps) else 0.0,
            "penetration": round(self.penetration, 4),
            "lowest point": round(self.lowest, 4),
            "feet within 21 mm": round(float((self.slides < _NOTICED_SLIDE).mean()), 4)
            if len(self.slides)
            else 1.0,
            "feet at worst": round(float(self.slides.max(initial=0.0)), 4),
        }

    def in_words(self) -> list[str]:
        """A line per figure."""
        still = float((self.slides < _NOTICED_SLIDE).mean()) if len(self.slides) else 1.0
        lines = [
            f"contacts: {len(self.kept)} of {len(self.contacts)} kept within {1000 * KEPT:.0f} mm",
            f"bodies: {100 * self.penetration:.1f} cm inside each other at worst",
            f"floor: the lowest point is {100 * self.lowest:.1f} cm high",
            f"feet: {100 * still:.1f} % slide at most 21 mm more than in the take, "
            f"{1000 * float(self.slides.max(initial=0.0)):.0f} mm at worst",
        ]
        lines += [f"moved: {contact.in_words()}" for contact in self.moved]
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
    brought = [
        _on_body(role, skeleton, nowhere, touches, k)
        for k, (role, skeleton) in enumerate(zip(take.roles, skeletons))
    ]
    yield 0.2

    # Step 2. Nearer or farther, leaning and turning, so that blows can land.
    changed = [skeleton is not None for skeleton in skeletons]
    meant = touches
    landings = find_landings([one.clip for one in brought], changed, touches)
    touches = [landing.event for landing in landings]
    shifts = shifts_of(landings, len(brought), take.ticks + 1)
    bends = bends_of(landings, len(brought), take.ticks + 1)
    leaning = [one.clip if how is None else bend(one.clip, how) for one, how in zip(brought, bends)]
    shifts = spaced(leaning, changed, shifts)
    brought = [
        one if skeleton is None else _on_body(role, skeleton, shift, touches, k)
        for k, (role, skeleton, shift, one) in enumerate(zip(take.roles, skeletons, shifts, brought))
    ]
    brought = [
        one if how is None else one._replace(clip=bend(one.clip, how)) for one, how in zip(brought, bends)
    ]
    yield 0.35

    # Step 3. Bodies give way to each other, as in any take, and nothing is below the floor. Then they lean
    # again, on feet that stay, as far as they have been pushed away.
    walks = _walks(take, brought)
    if any(skeleton is not None for skeleton in skeletons):
        walks = _give_way(walks, skeletons)
    landings = find_landings([walk.clip for walk in walks], changed, touches, planted=True)
    touches = [landing.event for landing in landings]
    bends = bends_of(landings, len(walks), take.ticks + 1)
    walks = [
        walk if how is None else replace(walk, clip=bend(walk.clip, how)) for walk, how in zip(walks, bends)
    ]
    yield 0.7

    # Step 4. Skins are taken apart, and what strikes is on the skin that it strikes.
    skins = Skins.of(
        [walk.clip for walk in walks], skins_of, [skeleton is not None for skeleton in skeletons]
    )
    walks, touches = _elsewhere(fit_to_skins(walks, skins, touches), skins, touches)
    clips = [walk.clip for walk in walks]
    if hold is not None:
        clips = hold(clips)
    yield 0.85
    walks = [replace(walk, clip=clip) for walk, clip in zip(walks, clips)]
    fitting, figures = measure_fitting(take, walks, skins, touches, meant)
    roles = tuple(
        replace(role, clip=clip, costume=_costume(body)) if body is not None else replace(role, clip=clip)
        for role, clip, body in zip(take.roles, clips, worn)
    )
    words = {**take.provenance, "dressed": fitting.as_dict()}
    moved = {id(before): after for before, after in zip(meant, touches)}
    dressed = replace(
        take,
        roles=roles,
        events=tuple(moved.get(id(event), event) for event in take.events),
        provenance=words,
        measured=_measured(take, fitting, figures),
    )
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
) -> Brought:
    """The clip of a role on another skeleton; characters that fight with their hands make fists."""
    if skeleton is None:
        return Brought(role.clip, foot_contacts(role.clip))
    boxes = any(event.who == number and event.what.endswith("hand") for event in touches)
    armed = "weapon" in role.clip.skeleton.parts
    level = standing_ball_level(role.clip.skeleton)
    curl = FIST if boxes or armed else RELAXED
    moved = bring_along(role.clip, skeleton, shift, level, curl=curl)
    return moved._replace(clip=replace(moved.clip, name=role.clip.name))


def _walks(take: Take, brought: Sequence[Brought]) -> list[Walk]:
    """Clips as walks that show no recording."""
    frames = np.arange(take.ticks + 1)
    none = np.full(len(frames), -1)
    return [Walk(one.clip, frames, none, np.zeros(0, dtype=np.int64), one.contacts) for one in brought]


def _give_way(walks: list[Walk], bodies: Sequence[Skeleton | None]) -> list[Walk]:
    """Bodies that are in each other are taken apart; nothing is below the floor."""
    clips = [walk.clip for walk in walks]
    limits = [np.maximum(_HASTE, 1.05 * angular_acceleration(clip.rotations, clip.fps)) for clip in clips]
    if len(walks) > 1:
        walks = [one.walk for one in refine_together(walks, [], limits)]
    return [stay_above(walk)[0] if body is not None else walk for walk, body in zip(walks, bodies)]


def _elsewhere(walks: list[Walk], skins: Skins, touches: list[Event]) -> tuple[list[Walk], list[Event]]:
    """Hits that are short of their part go to the part that is nearest, if it can be reached."""
    walks, found = list(walks), []
    for event in touches:
        clips = [walk.clip for walk in walks]
        missed = event.kind == "hit" and abs(skin_gap(clips, skins.fine, event)[0]) > KEPT
        if missed and (skins.own[event.who] or skins.own[event.whom]):
            others = [replace(event, part=part) for part in STRUCK]
            other = min(others, key=lambda one: abs(skin_gap(clips, skins.fine, one)[0]))
            mended = touch_skins(clips, skins.fine, skins.own, [other])
            if abs(skin_gap(mended, skins.fine, other)[0]) <= KEPT:
                event, walks = other, [replace(walk, clip=clip) for walk, clip in zip(walks, mended)]
        found.append(event)
    return walks, found


def measure_fitting(
    take: Take, walks: Sequence[Walk], skins: Skins, touches: Sequence[Event], meant: Sequence[Event]
) -> tuple[Fitting, SkinFigures]:
    """The fit of walks on their bodies, against the take that they come from and what it `meant`."""
    clips = [walk.clip for walk in walks]
    figures = measure_on_skins(clips, skins, touches)
    contacts = []
    for event, before, gap in zip(touches, meant, figures.gaps):
        names = (take.roles[event.who].name, take.roles[event.whom].name)
        contacts.append(Contact(event.tick / take.fps, *names, event.what, event.part, gap, before.part))
    slides = [_slides(role.clip, walk) for role, walk in zip(take.roles, walks) if role.clip is not walk.clip]
    slid = np.concatenate(slides) if slides else np.zeros(0)
    return Fitting(tuple(contacts), figures.penetration, figures.lowest, slid), figures


def _slides(source: Clip, walk: Walk) -> np.ndarray:
    """(P,) metres that the planted feet of a walk slide more than those of its source did meanwhile.

    Short legs make steps of their own, and so do bodies that give way: the walk knows when its feet stand.
    Where the source does not stand, a foot must not slide at all.
    """
    stood = foot_contacts(source)
    before, after = foot_points(source), foot_points(walk.clip)
    found = []
    for phase in planted_phases(walk.contacts):
        point, start, stop = planted_point(after, phase, leg_length(walk.clip))
        slid = _travel(after[start:stop, phase.foot, point])
        if stood[start:stop, phase.foot].all():
            slid -= _travel(before[start:stop, phase.foot, point])
        found.append(max(slid, 0.0))
    return np.array(found)


def _travel(way: np.ndarray) -> float:
    """Metres over the floor that a point (F, 3) gets away from where it usually is."""
    flat = way[:, [0, 2]]
    return float(np.linalg.norm(flat - np.median(flat, axis=0), axis=1).max())


def _measured(take: Take, fitting: Fitting, figures: SkinFigures) -> Quality:
    """The quality of the take, with what was measured on the skins."""
    slides = fitting.slides
    return replace(
        with_figures(take.measured, figures),
        unnoticed=float((slides < _NOTICED_SLIDE).mean()) if len(slides) else 1.0,
        excess_usual=float(np.median(slides)) if len(slides) else 0.0,
        excess_worst=float(slides.max(initial=0.0)),
    )
