"""Conditions that takes must meet before any of them is written: limits of quality, and licences.

Figures that can be seen in the poses are measured again, on exactly the poses that will be written, and over
all takes that go into one scene together (`remeasure.py`). Some figures need the recordings: how much of a
slide is theirs, how hasty they are at a join. They were measured with the take and are read from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.errors import RandoriError
from randori.graph.library import EFFECTORS
from randori.motion.clip import Clip
from randori.scene.provenance import refuse_non_commercial
from randori.scene.remeasure import remeasure
from randori.scene.take import Role, Take
from randori.timeline.limits import read_limits, require
from randori.timeline.quality import DRAWN_BACK, Quality, limb, lowest_point, penetration, strike_error

_STRIKING_CAPSULES = [CAPSULES.index(name) for effector in EFFECTORS for name in limb(effector)]


@dataclass(frozen=True)
class Gate:
    """Limits, and whether everything that is seen has to be free to be sold."""

    limits: Mapping[str, float | None] = field(default_factory=dict)
    commercial: bool = False
    allowed: tuple[str, ...] = ()  # licences that a person has read and vouches for

    @classmethod
    def of(cls, words: Sequence[str] | None, commercial: bool, allowed: Sequence[str] | None) -> "Gate":
        """The limits that a user asks for; mistakes in them are reported before any work is done."""
        if allowed and not commercial:
            raise RandoriError("--allow-licence: only --commercial asks about licences; give both")
        return cls(read_limits(words or ()), commercial, tuple(allowed or ()))

    def check(self, takes: Sequence[Take], recordings: Sequence[Clip] = ()) -> None:
        """Raise an error if takes, shown together, do not meet the limits."""
        if self.limits and recordings:
            raise RandoriError("--require asks about takes: a recording has no quality to measure yet")
        if self.limits:
            for quality in measured_together(takes):
                require(quality, self.limits)
        if self.commercial:
            refuse_non_commercial(credits_of(takes, recordings), self.allowed)


def credits_of(takes: Sequence[Take], recordings: Sequence[Clip] = ()) -> list[dict[str, str]]:
    """Every recording that is seen in some takes, and recordings given directly."""
    rows = [row for take in takes for row in take.credits()]
    for clip in recordings:
        source = clip.source
        rows.append(
            {
                "recording": clip.name,
                "file": source.file,
                "licence": source.licence,
                "credit": source.credit,
            }
        )
    return rows


def measured_together(takes: Sequence[Take]) -> list[Quality]:
    """The quality of each take; figures of poses are measured again, with all characters of all takes."""
    bodies = [_Body.of(take, role) for take in takes for role in take.roles]
    fps = takes[0].fps
    frames = min(body.frames_at(fps) for body in bodies)
    placed = [body.placed[body.frames(fps, frames)] for body in bodies]
    striking = [body.striking[body.frames(fps, frames)] for body in bodies]
    deep, _ = penetration(placed, [body.radii for body in bodies], striking)
    deepest, first = float(deep.max(initial=0.0)), 0
    found = []
    for take in takes:
        own = bodies[first : first + len(take.roles)]
        first += len(take.roles)
        claimed = remeasure(take, take.quality(), [body.placed for body in own])
        found.append(
            replace(
                claimed,
                penetration_deepest=max(claimed.penetration_deepest, deepest),
                lowest_point=min(claimed.lowest_point, *(lowest_point(clip) for clip in take.clips)),
                strike_error_worst=max(claimed.strike_error_worst, _strike_error(take, own)),
            )
        )
    return found


@dataclass(frozen=True, eq=False)
class _Body:
    """One character as capsules."""

    fps: float
    placed: np.ndarray  # (F, 16, 2, 3) metres
    radii: np.ndarray  # (16,)
    striking: np.ndarray  # (F, 16) bool

    @classmethod
    def of(cls, take: Take, role: Role) -> "_Body":
        body, clip = fit(role.clip.skeleton), role.clip
        placed = body.place(clip.positions, clip.global_rotations)
        return cls(take.fps, placed, body.radii, _striking(take, role))

    def frames_at(self, fps: float) -> int:
        """The number of its frames at another rate."""
        return int((len(self.placed) - 1) * fps / self.fps) + 1

    def frames(self, fps: float, count: int) -> np.ndarray:
        """(count,) its frames at the moments of another rate."""
        return np.minimum(np.rint(np.arange(count) * self.fps / fps).astype(np.int64), len(self.placed) - 1)


def _striking(take: Take, role: Role) -> np.ndarray:
    """(F, 16) bool: limbs that may strike, in an attack. A take does not say when in it they do."""
    busy = np.zeros((len(role.clip), len(CAPSULES)), dtype=bool)
    back = round(DRAWN_BACK * take.fps)
    for one in role.placed:
        if one.action >= 0 and role.tags[one.action].kind == "attack":
            busy[one.start : one.stop + back, _STRIKING_CAPSULES] = True
    return busy


def _strike_error(take: Take, bodies: Sequence[_Body]) -> float:
    """Metres between the striking part and the surface it hits, for the worst hit."""
    placed, radii = [body.placed for body in bodies], [body.radii for body in bodies]
    errors = [
        strike_error(event, placed, radii)
        for event in take.events
        if event.kind == "hit"
        and 0 < event.tick <= take.ticks
        and min(event.who, event.whom) >= 0
        and event.what in CAPSULES
        and event.part in CAPSULES
    ]
    return max(errors, default=0.0)
