"""A part of a scene: the characters that one controller moves, behind the same face for all controllers.

`scene/session.py` lets all parts of a scene go on together. To add a controller, write another part, and
have `parts_of` in scene/session.py make it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from randori.duel.fight import Fight
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary
from randori.graph.places import compose
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.render.camera import Focus
from randori.render.stage import Prop
from randori.scene.parallel_fights import ParallelFights as Fights
from randori.scene.reactions import Blow
from randori.scene.take import Take
from randori.timeline.timeline import Decision, Event, Timeline

Pose = tuple[np.ndarray, np.ndarray]  # (3,) root in metres, (J, 4) rotations


@dataclass(frozen=True)
class Command:
    """An input for one part (docs/scenes.md has the vocabulary), checked as far as all parts agree."""

    what: str
    who: tuple[int, ...] = ()  # characters of the part; none: its leaders
    thing: int = -1  # number of a thing of the part, instead of a character
    place: tuple[float, float] = (0.0, 0.0)  # x, z metres, of `go`
    height: float | None = None  # metres, of `go`, where a place of three numbers was given
    facing: float = 0.0  # radians, of `face`
    action: str = ""  # of `do`
    key: str = ""  # of `set`
    value: Any = None


@dataclass(frozen=True)
class Control:
    """A command that a live page offers, in words."""

    what: str
    title: str
    help: str
    how: str  # drag, ground, key, button, number or bitmap: the kind of control
    values: Mapping[str, Any] = field(default_factory=dict)  # sent together with it
    value: str = ""  # the name of the value that the person fills in
    key: str = ""  # on the keyboard
    which: int = 0  # number of the dragged thing
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    logarithmic: bool = False
    start: float | None = None  # the value that it has as the session starts


class Shown(NamedTuple):
    """The frames that the characters of a part show in a tick."""

    library: ActionLibrary
    frames: np.ndarray  # (N,) int64, of the library
    places: np.ndarray  # (N, 3) metres and radians, that their recordings go to


class Box(NamedTuple):
    """A box that stands upright."""

    middle: tuple[float, float, float]  # metres
    size: tuple[float, float, float]
    turn: float = 0.0  # radians


@dataclass(frozen=True, eq=False)
class Thing:
    """A thing beside the characters, relative to its place; a live page draws its boxes instead of its
    cones."""

    name: str
    prop: Prop
    boxes: tuple[Box, ...] = ()


class Part(ABC):
    """Characters that one controller moves. Their numbers, and ticks, begin with 0."""

    names: list[str]
    outfits: list[int]  # of body.palette
    key = ""  # of a group in its file: "group[2]"
    things: tuple[str, ...] = ()  # names of the things that can be moved by hand
    fps: float
    elevation: float | None = None  # radians above the floor that pictures are best taken from
    leads = -1  # the character that a camera follows at first; -1: all characters
    behind = 0  # ticks by which its timeline is shorter than the time it was advanced by

    @property
    @abstractmethod
    def skeletons(self) -> list[Skeleton]:
        """Of all characters."""

    def begin(self) -> None:
        """All characters are in place, and know where the others are: plan the first tick."""
        return

    @abstractmethod
    def advance(self, tick: int) -> None:
        """Decide everything that is seen until a tick."""

    @abstractmethod
    def poses(self, tick: int) -> list[Pose]:
        """All characters in a tick, which is never before the previous one asked for."""

    @abstractmethod
    def timeline(self, ticks: int) -> Timeline:
        """The timelines of all characters until a tick."""

    @abstractmethod
    def obey(self, command: Command) -> None:
        """Obey a player's command from now on. An impossible one raises a RandoriError and changes
        nothing."""

    def actions(self, who: int) -> Sequence[str]:
        """The words that `do` knows for a character."""
        return ()

    @property
    def settings(self) -> Sequence[str]:
        """The keys that `set` knows for the characters."""
        return ()

    @abstractmethod
    def events(self, tick: int) -> list[Event]:
        """The events of a tick."""

    @abstractmethod
    def spots(self, ticks: np.ndarray) -> np.ndarray:
        """(N, K, 2) metres, the planned places of all characters in ticks (K,), as far as they are known."""

    @abstractmethod
    def shown(self, tick: int) -> list[Shown]:
        """The frames that all characters show in the tick that the part was advanced to, in the order of
        `names`."""

    @abstractmethod
    def struck(self, who: int, blow: Blow) -> bool:
        """A character of another part strikes one of these, now: it reacts, if its motions allow it."""

    def go_for(self, who: int, other: "Part", whom: int) -> None:
        """Let a character go for one of another part."""
        raise LookupError(who)

    def receive(self, other: "Part", who: int, number: int) -> None:
        """A character of another part, with a number in the whole scene, takes part in this one."""
        raise LookupError(who)

    def takes_in(self, other: "Part", who: int) -> bool:
        """Whether a character of another part takes part here: it need not be kept clear of."""
        return False

    def answer(self, who: int, action: int) -> None:
        """A character that takes part in a duel reacts to a blow there with an action of its motions."""
        raise LookupError(who)

    def notice(self, place: tuple[float, float]) -> None:
        """An event between characters of other parts, at x and z: onlookers may flinch."""
        return

    def share(self) -> None:
        """There are other parts in the scene: go on with them tick by tick."""
        return

    def forget(self, before: int) -> None:
        """Drop explanations of decisions before a tick: a live session may last for hours."""
        return

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        """Keep clear of characters of other parts, which will be at (M, K, 2) metres in ticks (K,)."""
        return

    @property
    def end(self) -> int | None:
        """The tick in which the story is complete, if it is known."""
        return None

    @property
    def present(self) -> list[bool]:
        """For each character, whether it has come."""
        return [True] * len(self.names)

    def decisions(self) -> Sequence[Decision]:
        """The decisions so far."""
        return ()

    def decided(self, number: int) -> str:
        """The action of a decision, in words."""
        raise LookupError(number)

    def fight_of(self, who: int) -> tuple[Fight, int] | None:
        """The fight in which a character searches, and its number there; None if it does not search."""
        return None

    def copied(self) -> "Part | None":
        """The same part in the same tick, to go on differently; None if it cannot be copied."""
        return None

    def controls(self) -> list[Control]:
        """The controls that a live page offers."""
        return []

    def moving(self, tick: int) -> np.ndarray:
        """(P, 4) metres and radians: x, y, z and yaw of the moving things, in a tick."""
        return np.zeros((0, 4))

    def drawn(self) -> list[Thing]:
        """The moving things, in the order of `moving`, then the fixed ones."""
        return []

    def walks(self) -> list[Walk] | None:
        """The clips of all characters in the last timeline; None if they have to be baked."""
        return None

    @property
    def replaced(self) -> Sequence[tuple[int, Fights]]:
        """Ticks of decisions that a pin replaced, and all fighters just before them."""
        return ()

    def end_by(self, tick: int) -> None:
        """Nothing has to be decided from a tick on."""
        return

    def hold(self, clips: list[Clip]) -> list[Clip]:
        """The refined clips, with hands on carried things."""
        return clips

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        """The things that pictures show beside the characters of the clips."""
        return []

    def focus(self, take: Take, clips: Sequence[Clip]) -> Focus | None:
        """The subject of a take's pictures; None: all characters."""
        return None

    def refuse(self, command: Command, known: str) -> RandoriError:
        """The error for a command that no character here can obey."""
        who = self.names[command.who[0]] if command.who else self.names[0]
        return RandoriError(f"{command.what}: {who} cannot do that; {known}")


def to_number(what: str, value: Any, least: float, most: float) -> float:
    """A number that a person gives, within its range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise RandoriError(f"{what} is a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


def found_row(groups: Sequence[Shown], who: int) -> tuple[Shown, int]:
    """The group that one of a part's characters is shown in, and its row there."""
    for group in groups:
        if who < len(group.frames):
            return group, who
        who -= len(group.frames)
    raise LookupError(who)


def found_spot(groups: Sequence[Shown], who: int) -> np.ndarray:
    """(3,) x, z in metres and yaw in radians of the pelvis of one of a part's characters."""
    group, row = found_row(groups, who)
    return compose(group.library.placements[group.frames[row : row + 1]], group.places[row : row + 1])[0]
