"""A timeline: per character the placed actions, and over all of them the events and the decisions.

Every controller ends in one; what follows (poses, quality, pictures, export) is the same for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from randori.body.obstacles import Obstacle
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.timeline.crowds import Crowd

CHOSEN, FORCED, PINNED = "chosen", "forced", "pinned"  # why an action is performed


@dataclass(frozen=True)
class Placed:
    """A stretch of the library in its place. The tick `stop` is the moment in which the next one starts."""

    action: int  # of the character's library, or -1 for a stretch that is no action of its own
    first: int  # frame of the library that is shown in tick `start`
    start: int  # tick
    stop: int  # tick: earlier than the action's own end if it was interrupted
    placement: Placement  # moves the recording to where it happens
    cause: str = CHOSEN

    @property
    def last(self) -> int:
        """Frame of the library that is reached in tick `stop`."""
        return self.first + self.stop - self.start


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    tick: int
    kind: str  # hit, block, caught, response, checkpoint, request, …
    who: int  # character that did it
    whom: int = -1  # character that it was done to
    what: str = ""  # "left_hand", for a hit: what struck
    part: str = ""  # "head", for a hit or a block: the struck part
    strength: float = 0.0  # damage, for a hit
    point: tuple[float, float, float] | None = None  # metres, where


@dataclass(frozen=True)
class Option:
    """A choice that there was."""

    action: int
    rule: str  # "" for a plausible one, else the name of the first rule that it breaks
    terms: dict[str, float]  # its score by itself, by the name of the term


@dataclass(frozen=True)
class Decision:
    """A selection, and what is needed to ask why."""

    tick: int
    who: int
    action: int  # that was chosen
    depth: int  # plies
    competitive: float  # S_comp that it expected
    cooperative: float  # S_coop
    unseen: tuple[int, ...]  # characters whose attack it did not know of yet
    line: tuple[tuple[int, int, int], ...]  # (character, action, tick) that it expected
    options: tuple[Option, ...]
    goes_on: bool = False  # with the action that it saw an attack in, instead of breaking it off


@dataclass(frozen=True)
class Fighting:
    """The part of a character in a fight."""

    opponents: tuple[int, ...]  # numbers of characters, ascending
    distance: float  # metres that it likes to keep from them
    joins: int = 0  # tick from which on it takes part
    has_to_fall: bool = False  # the scene asks for its fall
    looks: bool = True  # its head turns to its opponents at all times


@dataclass(frozen=True)
class Track:
    """One character's part."""

    name: str
    library: ActionLibrary
    placed: tuple[Placed, ...]  # one after the other without a gap, from tick 0 on
    outfit: int = 0  # of body.palette
    fighting: Fighting | None = None  # of a character that fights
    build: int = 0  # of body.builds: the body that does what the library's does


@dataclass(frozen=True)
class Timeline:
    """All characters' parts, and what happened between them."""

    fps: float  # ticks per second
    ticks: int  # how long: the last tick that is shown
    tracks: tuple[Track, ...]
    events: tuple[Event, ...] = ()
    decisions: tuple[Decision, ...] = ()
    words: dict[str, object] = field(default_factory=dict)  # scene, seed, version: where it comes from
    obstacles: tuple[Obstacle, ...] = ()  # cars and walls, where they are in every tick
    crowd: Crowd = field(default_factory=Crowd)  # how alive it is, if it is a composed crowd

    @property
    def seconds(self) -> float:
        return self.ticks / self.fps

    def placed_at(self, character: int, tick: int) -> Placed:
        """The action of a character in a tick."""
        placed = self.tracks[character].placed
        starts = np.array([one.start for one in placed])
        return placed[max(int(np.searchsorted(starts, tick, side="right")) - 1, 0)]


def shown(placed: Sequence[Placed], ticks: int) -> list[Placed]:
    """The part that is seen until tick `ticks`, without actions that were interrupted as they began."""
    return [
        Placed(one.action, one.first, one.start, min(one.stop, ticks), one.placement, one.cause)
        for one in placed
        if one.start < min(one.stop, ticks)
    ]
