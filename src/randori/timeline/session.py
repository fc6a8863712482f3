"""A scene that runs live: inputs in, frames out, tick by tick. Recorded inputs replay to the same bytes."""

import json
import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from randori.errors import FileError, RandoriError
from randori.formats.files import quote, write_whole
from randori.formats.texts import parse_json, read_text, shown
from randori.timeline.timeline import Event, Timeline

KIND, SCHEMA = "randori inputs", 1
_LARGEST_SCRIPT = 64 * 1024**2  # bytes of a script
_LONGEST_SCRIPT = 10_000_000  # ticks
_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Input:
    """Something that a person did, in the tick before which it takes effect."""

    tick: int
    what: str  # a word that the session knows: "target", "weight", …
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Frame:
    """The picture of a tick."""

    tick: int
    root_position: np.ndarray  # (N, 3) metres
    rotations: np.ndarray  # (N, J, 4) in the parents' frames
    props: np.ndarray  # (P, 3) metres, or (P, 4) with their yaw: targets and the like
    events: tuple[Event, ...] = ()  # of this tick

    def bytes(self) -> bytes:
        """All of it, for comparing."""
        arrays = (self.root_position, self.rotations, self.props)
        return b"".join(array.tobytes() for array in arrays) + repr((self.tick, self.events)).encode()


class Session(Protocol):
    """The interface of every live scene. The same scene, seed and inputs give the same bytes."""

    @property
    def fps(self) -> float: ...

    @property
    def tick(self) -> int:
        """The tick that was shown last."""

    @property
    def inputs(self) -> Sequence[Input]:
        """Everything that was sent so far."""

    def send(self, what: str, /, **values: Any) -> Input:
        """Send an input; it takes effect in the next tick. An unusable one raises a RandoriError."""

    def step(self) -> Frame:
        """The next tick."""

    def timeline(self) -> Timeline:
        """The timeline so far."""


@dataclass(frozen=True)
class Script:
    """Recorded inputs: the inputs, their scene, and its length."""

    scene: str
    seed: int
    ticks: int
    inputs: tuple[Input, ...] = ()

    @classmethod
    def of(cls, session: Session, scene: str, seed: int) -> "Script":
        """The inputs of a session so far."""
        return cls(scene, seed, session.tick, tuple(session.inputs))


def replaying(session: Session, script: Script) -> Generator[Frame, None, None]:
    """The frames of a session to which a script's inputs are sent when they were recorded."""
    waiting = sorted(script.inputs, key=lambda one: one.tick)
    sent = 0
    while session.tick < script.ticks:
        while sent < len(waiting) and waiting[sent].tick <= session.tick:
            send(session, waiting[sent])
            sent += 1
        yield session.step()


def send(session: Session, one: Input) -> None:
    """Send a recorded input to a session; an unusable one raises a RandoriError, for any values."""
    try:
        session.send(one.what, **one.values)
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        words = f"{quote(one.what)} in tick {one.tick}: {quote(str(error))}"
        raise RandoriError(f"the script has an input that cannot be used: {words}") from None


def write_script(path: str | os.PathLike[str], script: Script) -> None:
    """Write a script as JSON that a person can read and edit."""
    rows = ",\n".join(
        "    " + json.dumps({"tick": one.tick, "what": one.what, **one.values}) for one in script.inputs
    )
    head = {"kind": KIND, "schema": SCHEMA, "scene": script.scene, "seed": script.seed, "ticks": script.ticks}
    text = json.dumps(head)[:-1] + ', "inputs": [\n' + rows + "\n]}\n"
    with write_whole(path) as file:
        file.write(text.encode())


def read_script(path: str | os.PathLike[str]) -> Script:
    """The script that `write_script` or a person wrote."""
    words = parse_json(read_text(path, _LARGEST_SCRIPT), path)
    if not isinstance(words, dict) or words.get("kind") != KIND or words.get("schema") != SCHEMA:
        raise FileError(path, f"is not a script of inputs: expected kind {KIND!r} and schema {SCHEMA}")
    for key, kind in (("scene", str), ("seed", int), ("ticks", int), ("inputs", list)):
        if not isinstance(words.get(key), kind) or isinstance(words.get(key), bool):
            raise FileError(path, f"{key}: expected a {kind.__name__}")
    if not 0 <= words["ticks"] <= _LONGEST_SCRIPT:
        raise FileError(path, f"ticks: expected 0 to {_LONGEST_SCRIPT}, found {shown(words['ticks'])}")
    if not 0 <= words["seed"] <= _LARGEST_SEED:
        raise FileError(path, f"seed: expected 0 to {_LARGEST_SEED}, found {shown(words['seed'])}")
    inputs = tuple(_to_input(path, number, row) for number, row in enumerate(words["inputs"]))
    return Script(words["scene"], words["seed"], words["ticks"], inputs)


def _to_input(path: str | os.PathLike[str], number: int, row: object) -> Input:
    """One row of a script."""
    if not isinstance(row, dict):
        raise FileError(path, f"inputs[{number}]: expected a table with tick and what")
    values = dict(row)
    tick, what = values.pop("tick", None), values.pop("what", None)
    if not isinstance(tick, int) or isinstance(tick, bool) or not 0 <= tick <= _LONGEST_SCRIPT:
        raise FileError(path, f"inputs[{number}].tick: expected a tick, 0 or later, found {shown(tick)}")
    if not isinstance(what, str):
        raise FileError(path, f"inputs[{number}].what: expected a word, found {shown(what)}")
    return Input(tick, what, values)
