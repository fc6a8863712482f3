"""Patterns of patches: lists of moves of two characters, with the ranges in which they can begin.

There is one file per scene, `patches/scenes/<scene>.toml`. It has the motions, the meaning of each word
(annotation), and the patterns. Distances are metres, angles degrees, times seconds.
"""

import math
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from randori.capture.actions import Tags
from randori.errors import FileError, RandoriError
from randori.formats.texts import parse_toml
from randori.graph.motions import Motions
from randori.tables import suggest

_FOLDER = files("randori") / "patches" / "scenes"
STEP_DISTANCE, STEP_ANGLE, STEP_DELAY = 0.2, 20.0, 0.1  # metres, degrees, seconds between samples
_MOST_MOVES = 8

Number = Annotated[float, Field(allow_inf_nan=False)]


def _ascending(pair: tuple[float, float]) -> tuple[float, float]:
    if pair[0] > pair[1]:
        raise ValueError(f"expected the smaller number first, found {pair[0]:g}, {pair[1]:g}")
    return pair


Range = Annotated[tuple[Number, Number], AfterValidator(_ascending)]


class _Table(BaseModel):
    """A table of the file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Wanted(_Table):
    """The actions that a word stands for: those whose tags match all that is given here."""

    kind: tuple[str, ...] = ()
    technique: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    position: tuple[str, ...] = ()
    direction: tuple[str, ...] = ()

    def fits(self, tags: Tags) -> bool:
        return all(
            not wanted or getattr(tags, name) in wanted
            for name, wanted in (
                ("kind", self.kind),
                ("technique", self.technique),
                ("side", self.side),
                ("position", self.position),
                ("direction", self.direction),
            )
        )


class Annotation(_Table):
    """A word for a cluster of actions, and the range in which one of them may begin a patch."""

    actions: tuple[Wanted, ...] = ()
    thing: Literal["", "mouse"] = ""  # a mouse instead of a person: it runs on its own
    distance: Range = (0.4, 4.0)  # to the partner at the beginning
    bearing: Range = (-180.0, 180.0)  # bearing of the partner at the beginning
    # seconds by which it begins later than the partner, if it is not the first move
    delay: Range = (-2.0, 2.0)
    longest: float = Field(3.0, gt=0.0, le=20.0)  # longer actions are not used
    # share of an action that is over when a patch begins with it; for a reaction, the largest share
    enter: float | None = Field(None, ge=0.0, lt=1.0)
    response: bool = False  # not chosen, but forced by being struck or pushed
    # how it can touch the partner: with a fist or foot in its window, or with the whole body
    threat: Literal["", "strike", "body"] = ""
    defends: bool = False  # arms may stop a strike
    hands_over: bool = False  # luggage leaves these hands, or comes into them
    most: int = Field(1000, ge=1)  # actions that are tried to begin with, of every name alike
    then: int = Field(1000, ge=1)  # and where they follow another one

    @model_validator(mode="after")
    def _something(self) -> Self:
        if bool(self.actions) == bool(self.thing):
            raise ValueError("either actions or a thing is needed")
        return self


class Move(_Table):
    """A move of a pattern: the role and the word."""

    role: int
    word: str


class Weights(_Table):
    """The weights in the score of a patch."""

    contact: float = Field(1.0, ge=0.0)  # touches where it should, and not deeper; or passes closely
    relation: float = Field(1.0, ge=0.0)  # at the right distance, face to face
    timing: float = Field(1.0, ge=0.0)  # moves that belong together happen at the same time


class Pattern(_Table):
    """A PatternList: moves in the order in which they start."""

    moves: tuple[str, ...] = Field(min_length=2, max_length=_MOST_MOVES)  # "1 attack", "2 defence"
    name: str = ""
    keep: int = Field(400, ge=1, le=100_000)  # patches at most, the best of every kind
    each: int = Field(1, ge=1, le=64)  # patches at most that begin with the same two actions and bearings
    threshold: float = Field(0.5, ge=0.0, le=1.0)  # score from which on a patch is kept
    weights: Weights = Weights()
    distance: float = Field(1.0, gt=0.0)  # metres, the best distance of the two at their moment
    nearest: float = Field(0.3, ge=0.0)  # metres between the pelvises, as long as both stand
    pass_by: float = Field(0.25, gt=0.0)  # metres within which something that misses is exciting
    overlap: float = Field(0.02, ge=0.0, le=0.5)  # metres that bodies may be in each other unintended
    contact_depth: float = Field(0.1, ge=0.0, le=0.5)  # metres, where they are meant to touch
    contact_seconds: float = Field(0.4, ge=0.0, le=10.0)  # after the touch in which that holds
    impulse: float = Field(8.0, ge=0.0)  # newton seconds from which on a touch forces a response

    @property
    def list(self) -> tuple[Move, ...]:
        return tuple(_to_move(text) for text in self.moves)

    @property
    def title(self) -> str:
        return self.name or ", ".join(self.moves)

    @model_validator(mode="after")
    def _both_begin(self) -> Self:
        if {move.role for move in self.list} != {0, 1}:
            raise ValueError("moves: both characters need at least one")
        return self


def _to_move(text: str) -> Move:
    who, _, word = text.partition(" ")
    if who not in ("1", "2") or not word:
        raise ValueError(f'moves: expected "1 attack" or "2 defence", found {text!r}')
    return Move(role=int(who) - 1, word=word)


class PatchScene(_Table):
    """The patterns of a scene and everything they stand on."""

    title: str
    motions: Motions
    annotation: dict[str, Annotation]
    pattern: tuple[Pattern, ...] = Field(min_length=1)
    successors: int = Field(24, ge=1)  # successors at most that are looked up for each end of a patch
    chain: int = Field(0, ge=0, le=4)  # rounds in which patches are added that begin where others end
    name: str = ""

    @model_validator(mode="after")
    def _words(self) -> Self:
        for number, pattern in enumerate(self.pattern):
            begun: set[int] = set()
            for move in pattern.list:
                if move.word not in self.annotation:
                    known = suggest(move.word, list(self.annotation))
                    place = f"pattern[{number + 1}].moves"
                    raise ValueError(f"{place}: there is no annotation {move.word!r}; {known}")
                if move.role not in begun and self.annotation[move.word].response:
                    raise ValueError(f"pattern {number + 1}: {move.word!r} answers and cannot come first")
                begun.add(move.role)
        return self

    def firsts(self, pattern: Pattern) -> tuple[int, int]:
        """The first moves of the two characters."""
        roles = [move.role for move in pattern.list]
        return roles.index(0), roles.index(1)

    def hands_over(self, pattern: Pattern) -> bool:
        """Whether luggage goes from the first to the second."""
        return any(self.annotation[move.word].hands_over for move in pattern.list)

    @property
    def striking_range(self) -> tuple[float, float]:
        """Metres and radians from straight ahead within which a strike may begin; 0 without strikes."""
        strikes = [word for word in self.annotation.values() if word.threat == "strike"]
        reach = max((word.distance[1] for word in strikes), default=0.0)
        ahead = max((abs(angle) for word in strikes for angle in word.bearing), default=0.0)
        return reach, math.radians(ahead)

    def ranges(self, pattern: Pattern) -> tuple[Range, Range, Range, Range]:
        """Distance, both bearings and delay that a pattern may begin with: as both first moves allow."""
        one, other = (self.annotation[pattern.list[k].word] for k in self.firsts(pattern))
        first_moves = self.firsts(pattern)
        earliest, latest = (0.0, 10.0) if first_moves[0] < first_moves[1] else (-10.0, 0.0)
        # a delay is the second's; for the first, its sign is the other way round
        own = other.delay if first_moves[0] < first_moves[1] else (-one.delay[1], -one.delay[0])
        return (
            _common(one.distance, other.distance),
            one.bearing,
            other.bearing,
            _common(own, (earliest, latest)),
        )


def _common(a: Range, b: Range) -> Range:
    low, high = max(a[0], b[0]), min(a[1], b[1])
    if low > high:
        raise RandoriError(f"the ranges {a} and {b} of a pattern's first moves have nothing in common")
    return low, high


def scene_names() -> list[str]:
    """The scenes that have patterns."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml")
    )


@lru_cache(maxsize=32)
def read_patterns(name: str) -> PatchScene:
    """The patterns of a scene."""
    return parse_patterns(scene_text(name), name)


def scene_text(name: str) -> str:
    """The file of a scene's patterns, as it stands."""
    if name not in scene_names():
        raise RandoriError(f"there is no scene of patches {name!r}; there are {', '.join(scene_names())}")
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def parse_patterns(text: str, name: str) -> PatchScene:
    """The patterns in a text; `name` appears in errors."""
    table = parse_toml(text, name)
    try:
        return PatchScene.model_validate({**table, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        raise FileError(name, f"{key}: {problem}" if key else problem) from error
