"""Techniques as a choreographer writes them down, read from the TOML files in `scripts/`.

Scripts speak of the *lead* and the *rear* side, in degrees, centimetres and seconds, for the body of
average proportions. Time 0 is when the fist or the foot leaves. Who performs it, and with which foot
in front, is not written: see `actor.py`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from math import radians
from typing import Any

from randori.errors import FileError
from randori.performer.channels import CHANNELS, INDEX, Channel

VERSION = 1  # of all scripts together; goes into the ground truth

WORDS = ("lead", "rear")
# where the body is in the world follows from travel and steps; scripts do not write it
_PLACES = ("root_x", "root_z", "heading", "foot_x", "foot_z", "hold_x", "hold_y", "hold_z")
_TO_SI = {"m": 0.01, "rad": radians(1.0), "1": 1.0}


@dataclass(frozen=True)
class Move:
    """One channel changes by an amount between two times."""

    channel: str  # `chest_yaw`, `lead_hand_reach`; see channels.py
    amount: float  # metres of the reference body, radians or shares; counts to the lead side
    start: float  # seconds
    stop: float
    skew: float  # where in its time half of it is done


@dataclass(frozen=True)
class BladeMove:
    """The blade goes to a pose of `scripts/blade.toml`, or back to where the stance holds it."""

    pose: str
    start: float  # seconds, when the hands leave; the blade comes after them
    stop: float
    skew: float


@dataclass(frozen=True)
class Step:
    """One foot goes to its place in the stance that the technique ends in."""

    foot: str  # "lead" or "rear"
    start: float  # seconds
    stop: float
    lift: float  # metres, ball of the foot; 0: it only pivots where it stands
    heel: float  # radians that the heel peels off before the ball
    place: tuple[float, float, float]  # beside its place: metres forward, to the lead side, radians
    shift: float  # metres that the pelvis goes over the other foot


@dataclass(frozen=True)
class Technique:
    """One thing that the actor can do."""

    name: str
    notes: str
    kind: str  # attack, defence, transition
    technique: str  # its name in the ground truth
    side: str  # lead, rear, both or ""
    effector: str  # lead_hand, rear_foot, head, …
    position: str  # head, upper torso, lower torso or ""
    direction: str  # front, back, horizontal, upwards, lead, rear (left or right once it is performed) or ""
    impact: float  # seconds; nan if nothing is struck
    cut: float  # the earliest time at which another technique may begin
    settled: float  # when the body is quiet again
    travel: tuple[float, float, float]  # metres forward, to the lead side, radians to the lead side
    travel_time: tuple[float, float, float]  # start, stop, skew
    points: Mapping[str, tuple[float, float, float]]  # where a hand reaches: forward, out, up
    steps: tuple[Step, ...]
    moves: tuple[Move, ...]
    switches: bool  # the other foot is in front afterwards
    blade: tuple[BladeMove, ...] = ()  # for a body with a weapon
    strength: str = ""  # of the hit that a reaction answers: light, medium or hard

    @property
    def start(self) -> float:
        """Seconds (0 or before) at which the first part of the body moves."""
        firsts = [move.start for move in self.moves] + [step.start for step in self.steps]
        firsts += [move.start for move in self.blade]
        return min([0.0, *firsts])


@dataclass(frozen=True)
class Key:
    """A pose that parts of the body go to; what is not named stays as it is."""

    start: float  # seconds
    stop: float
    skew: float
    channels: Mapping[str, float]  # where they go, in SI
    # where feet and hands stand on the floor, from where the routine began, or None: as in the stance at
    # its end. Feet: metres forward, to the lead side, radians; hands: metres forward, to the lead side, up
    feet: Mapping[str, tuple[float, float, float] | None]
    hands: Mapping[str, tuple[float, float, float]]
    stance: bool  # everything else goes to the stance


@dataclass(frozen=True)
class Routine:
    """Something that goes from pose to pose: lying down, falling as far as it is meant, getting up."""

    name: str
    notes: str
    kind: str
    technique: str
    side: str
    position: str
    direction: str
    # the stance at its end: metres forward of the lead foot, metres of the middle to the lead side, radians
    ends: tuple[float, float, float]
    cut: float  # the earliest time at which something else may begin
    settled: float
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Stance:
    """The pose of a body that does nothing."""

    name: str
    lead_foot: tuple[float, float, float]  # metres forward, to the lead side, radians to the lead side
    rear_foot: tuple[float, float, float]
    channels: Mapping[str, float]  # every other channel that is not at its base, in SI


def channel_of(name: str) -> Channel:
    """The channel of a script's name; for `lead_…` and `rear_…` the one of the left side."""
    for word in WORDS:
        if name.startswith(f"{word}_"):
            return CHANNELS[INDEX["left_" + name.removeprefix(f"{word}_")]]
    return CHANNELS[INDEX[name]]


class _Reader:
    """One script file, with errors that say where in it something is wrong."""

    def __init__(self, path: str, text: str):
        self.path = path
        try:
            self.tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise FileError(path, str(problem)) from None

    def fail(self, table: str, problem: str) -> FileError:
        return FileError(self.path, f"[{table}] {problem}")

    def number(self, table: str, what: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fail(table, f"{what} should be a number, and is {value!r}")
        return float(value)

    def numbers(self, table: str, what: str, value: Any, count: int) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != count:
            raise self.fail(table, f"{what} should be {count} numbers, and is {value!r}")
        return tuple(self.number(table, what, item) for item in value)

    def channel(self, table: str, name: Any) -> Channel:
        bare = str(name)
        for word in WORDS:
            bare = bare.removeprefix(f"{word}_")
        if bare in _PLACES:
            raise self.fail(table, f"{name}: places in the world come from travel, steps and points")
        try:
            return channel_of(str(name))
        except KeyError:
            known = ", ".join(c.name.removeprefix("left_") for c in CHANNELS if "right" not in c.name)
            raise self.fail(table, f"there is no channel {name!r}; the channels are {known}") from None

    def place(self, table: str, what: str, value: Any) -> tuple[float, float, float]:
        forward, side, turn = self.numbers(table, what, value, 3)
        return forward * 0.01, side * 0.01, radians(turn)

    def moves(self, table: str, rows: Any) -> tuple[Move, ...]:
        found: list[Move] = []
        totals: dict[str, float] = {}
        for row in rows:
            if not isinstance(row, list) or len(row) not in (4, 5):
                raise self.fail(table, f"a move is [channel, amount, from, to, skew], and not {row!r}")
            name, amount = row[0], row[1]
            factor = _TO_SI[self.channel(table, name).unit]
            if amount == "back":
                change = -totals.get(name, 0.0)
            else:
                change = self.number(table, f"the amount of {name}", amount) * factor
            start, stop = (self.number(table, f"a time of {name}", time) for time in row[2:4])
            skew = self.number(table, f"the skew of {name}", row[4]) if len(row) == 5 else 0.5
            if not start < stop:
                raise self.fail(table, f"{name}: a move from {start} to {stop} s takes no time")
            if not 0.1 <= skew <= 0.9:
                raise self.fail(table, f"{name}: a skew lies between 0.1 and 0.9, and is {skew}")
            totals[name] = totals.get(name, 0.0) + change
            found.append(Move(name, change, start, stop, skew))
        left = [name for name, total in totals.items() if abs(total) > 1e-9]
        if left:
            raise self.fail(
                table, f'{", ".join(left)}: does not come back; end with [channel, "back", from, to]'
            )
        return tuple(found)

    def step(self, table: str, row: Mapping[str, Any]) -> Step:
        unknown = set(row) - {"foot", "from", "to", "lift", "heel", "place", "shift"}
        if unknown or row.get("foot") not in WORDS:
            raise self.fail(
                table, f"a step has foot (lead or rear), from, to, lift, heel, place, shift: {row!r}"
            )
        return Step(
            foot=str(row["foot"]),
            start=self.number(table, "from", row.get("from")),
            stop=self.number(table, "to", row.get("to")),
            lift=0.01 * self.number(table, "lift", row.get("lift", 4)),
            heel=radians(self.number(table, "heel", row.get("heel", 20))),
            place=self.place(table, "place", row.get("place", [0, 0, 0])),
            shift=0.01 * self.number(table, "shift", row.get("shift", 2)),
        )

    def blade(self, table: str, rows: Any) -> tuple[BladeMove, ...]:
        found = []
        for row in rows:
            if (
                not isinstance(row, list)
                or len(row) not in (3, 4)
                or row[0] not in {"stance", *blade_poses()}
            ):
                raise self.fail(table, f"a move of the blade is [pose, from, to, skew], and not {row!r}")
            found.append(BladeMove(row[0], *self.numbers(table, row[0], [*row[1:], 0.5][:3], 3)))
        return tuple(found)

    def pose(self, name: str) -> Mapping[str, float]:
        return {
            channel: self.number(name, channel, value) * _TO_SI[self.channel(name, channel).unit]
            for channel, value in self.tables[name].items()
            if channel != "notes"
        }

    def technique(self, name: str) -> Technique:
        table = dict(self.tables[name])
        steps = tuple(self.step(name, row) for row in table.pop("steps", []))
        moves = self.moves(name, table.pop("moves", []))
        spread = [time for step in steps for time in (step.start, step.stop)] or [0.0, 0.5]
        window = table.pop("travel_time", [min(spread) - 0.03, max(spread) + 0.05, 0.5])
        points = {
            hand: tuple(0.01 * value for value in self.numbers(name, f"points.{hand}", place, 3))
            for hand, place in table.pop("points", {}).items()
        }
        settled = self.number(name, "settled", table.pop("settled", max([m.stop for m in moves] + spread)))
        result = Technique(
            name=name,
            notes=str(table.pop("notes", "")),
            kind=str(table.pop("kind", "transition")),
            technique=str(table.pop("technique", name)),
            side=str(table.pop("side", "")),
            effector=str(table.pop("effector", "")),
            position=str(table.pop("position", "")),
            direction=str(table.pop("direction", "")),
            impact=self.number(name, "impact", table.pop("impact", float("nan"))),
            cut=self.number(name, "cut", table.pop("cut", settled)),
            settled=settled,
            travel=self.place(name, "travel", table.pop("travel", [0, 0, 0])),
            travel_time=self.numbers(name, "travel_time", window, 3),  # type: ignore[arg-type]
            points=points,  # type: ignore[arg-type]
            steps=steps,
            moves=moves,
            switches=bool(table.pop("switches", False)),
            blade=self.blade(name, table.pop("blade", [])),
            strength=str(table.pop("strength", "")),
        )
        if table:
            raise self.fail(name, f"{', '.join(table)}: not known; a technique has {', '.join(_FIELDS)}")
        return result

    def key(self, routine: str, row: Mapping[str, Any]) -> Key:
        row = dict(row)
        row.pop("note", None)
        times = row.pop("time", None)
        start, stop, skew = self.numbers(routine, "time", [*(times or []), 0.5][:3], 3)
        stance = bool(row.pop("stance", False))
        feet: dict[str, tuple[float, float, float] | None] = {}
        hands: dict[str, tuple[float, float, float]] = {}
        for word in WORDS:
            if (foot := row.pop(f"{word}_foot", None)) is not None:
                feet[word] = None if foot == "stance" else self.place(routine, f"{word}_foot", foot)
            if (hand := row.pop(f"{word}_hand", None)) is not None:
                forward, side, up = self.numbers(routine, f"{word}_hand", hand, 3)
                hands[word] = 0.01 * forward, 0.01 * side, 0.01 * up
        channels = {
            channel: self.number(routine, channel, value) * _TO_SI[self.channel(routine, channel).unit]
            for channel, value in row.items()
        }
        return Key(start, stop, skew, channels, feet, hands, stance)

    def routine(self, name: str) -> Routine:
        table = dict(self.tables[name])
        keys = tuple(self.key(name, row) for row in table.pop("keys", []))
        settled = self.number(name, "settled", table.pop("settled", max([k.stop for k in keys] + [0.1])))
        result = Routine(
            name=name,
            notes=str(table.pop("notes", "")),
            kind=str(table.pop("kind", "transition")),
            technique=str(table.pop("technique", name)),
            side=str(table.pop("side", "")),
            position=str(table.pop("position", "")),
            direction=str(table.pop("direction", "")),
            ends=self.place(name, "ends", table.pop("ends", [0, 0, 0])),
            cut=self.number(name, "cut", table.pop("cut", settled)),
            settled=settled,
            keys=keys,
        )
        if table:
            raise self.fail(name, f"{', '.join(table)}: not known in a routine")
        return result

    def stance(self, name: str) -> Stance:
        table = dict(self.tables[name])
        feet = [self.place(name, foot, table.pop(foot, None)) for foot in ("lead_foot", "rear_foot")]
        channels = {}
        for channel, value in table.items():
            channels[channel] = self.number(name, channel, value) * _TO_SI[self.channel(name, channel).unit]
        return Stance(name, feet[0], feet[1], channels)


_FIELDS = tuple(field.name for field in fields(Technique) if field.name != "name")


def read_techniques(text: str, path: str = "script") -> dict[str, Technique]:
    """All techniques of a script file."""
    reader = _Reader(path, text)
    return {name: reader.technique(name) for name in reader.tables}


def read_stances(text: str, path: str = "script") -> dict[str, Stance]:
    """All stances of a script file."""
    reader = _Reader(path, text)
    return {name: reader.stance(name) for name in reader.tables}


@cache
def techniques(script: str) -> Mapping[str, Technique]:
    """The techniques of one of the scripts that ship, by file name without ending."""
    return read_techniques(_shipped(script), f"{script}.toml")


@cache
def routines(script: str) -> Mapping[str, Routine]:
    """The routines of one of the scripts that ship, by file name without ending."""
    reader = _Reader(f"{script}.toml", _shipped(script))
    return {name: reader.routine(name) for name in reader.tables}


@cache
def stances(script: str = "stances") -> Mapping[str, Stance]:
    """The stances that ship."""
    return read_stances(_shipped(script), f"{script}.toml")


@cache
def blade_poses() -> Mapping[str, Mapping[str, float]]:
    """Named poses of a blade: the channels of each pose in SI, those of the lead side positive."""
    reader = _Reader("blade.toml", _shipped("blade"))
    return {name: reader.pose(name) for name in reader.tables}


def _shipped(script: str) -> str:
    return (files("randori.performer") / "scripts" / f"{script}.toml").read_text(encoding="utf-8")
