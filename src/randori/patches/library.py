"""Patches of a scene in arrays, how they can be joined, and the file for both."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES
from randori.errors import FileError
from randori.formats.arrays import (
    expect,
    holds_array,
    read_arrays,
    read_words,
    with_words,
    write_arrays,
)
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.patches.patch import Condition, Part, Patch
from randori.patches.pattern import PatchScene, parse_patterns
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed

KIND, SCHEMA = "randori patches", 1
EVENT_KINDS = ("hit", "push", "block", "miss", "response", "hand over")
_MOST_WORDS = 4 * 1024**2


class PatchArrays(NamedTuple):
    """All patches. Role r of patch p has the steps step_start[2 p + r] to step_start[2 p + r + 1]."""

    pattern: np.ndarray  # (N,) int64
    score: np.ndarray  # (N,)
    initial: np.ndarray  # (N, 4) metres, radians, radians, seconds: patch.Condition
    final: np.ndarray  # (N, 4)
    step_start: np.ndarray  # (2 N + 1,) int64
    step: np.ndarray  # (S, 6) int64: action, first frame, start tick, stop tick, forced, move of the pattern
    place: np.ndarray  # (S, 3) x, z, yaw: where the recording goes
    event_start: np.ndarray  # (N + 1,) int64
    event: np.ndarray  # (E, 6) int64: tick, EVENT_KINDS, who, whom, what (CAPSULES, or -1), part (too)
    mark: np.ndarray  # (E, 4) strength, and the point x, y, z in metres


def concatenate(records: Sequence[PatchArrays]) -> PatchArrays:
    """Several records of patches as one."""

    def rows(name: str) -> np.ndarray:
        arrays = [getattr(record, name) for record in records]
        if name not in ("step_start", "event_start"):
            return np.concatenate(arrays)
        ends = np.cumsum([0] + [array[-1] for array in arrays])
        return np.concatenate([[0], *(array[1:] + end for array, end in zip(arrays, ends))])

    return PatchArrays._make(rows(name) for name in PatchArrays._fields)


class JoinArrays(NamedTuple):
    """Which patches go together; rows are sorted by their first two columns.

    together: from patch, to patch, 1 if the two change roles (0 if not), tick of the first in which the next
    begins. It is placed so that who was the first goes on exactly; the second may be a little off.
    alone: from patch, role in it, to patch, role in it: one goes on with somebody else.
    beside: patch, role in it, other patch, role in it, tick of the first in which the other begins: the
    shared character does the same from then on.
    """

    together: np.ndarray  # (T, 4) int64
    alone: np.ndarray  # (L, 4) int64
    beside: np.ndarray  # (B, 5) int64


def no_joins() -> JoinArrays:
    """Nothing goes together."""
    return JoinArrays(*(np.zeros((0, width), dtype=np.int64) for width in (4, 4, 5)))


@dataclass(frozen=True, eq=False)
class PatchLibrary:
    """The patches of a scene, for one library of motions."""

    scene: PatchScene
    text: str  # the scene's file, as it was when this was built
    motions: str  # fingerprint of the library that actions and frames are of
    arrays: PatchArrays
    joins: JoinArrays = field(default_factory=no_joins)
    report: dict[str, Any] = field(default_factory=dict)  # how it was built: candidates, what was rejected

    def __len__(self) -> int:
        return len(self.arrays.pattern)

    def patch(self, number: int) -> Patch:
        """One of them."""
        arrays = self.arrays
        parts = (self._part(2 * number), self._part(2 * number + 1))
        rows = range(int(arrays.event_start[number]), int(arrays.event_start[number + 1]))
        return Patch(
            int(arrays.pattern[number]),
            parts,
            _condition(arrays.initial[number]),
            _condition(arrays.final[number]),
            tuple(self._event(row) for row in rows),
            float(arrays.score[number]),
        )

    def _part(self, row: int) -> Part:
        arrays = self.arrays
        rows = range(int(arrays.step_start[row]), int(arrays.step_start[row + 1]))
        steps = []
        for k in rows:
            action, first, start, stop, forced, _ = (int(value) for value in arrays.step[k])
            x, z, yaw = (float(value) for value in arrays.place[k])
            cause = FORCED if forced else CHOSEN
            steps.append(Placed(action, first, start, stop, Placement(x, z, yaw), cause))
        return Part(tuple(steps), tuple(int(arrays.step[k, 5]) for k in rows))

    def _event(self, row: int) -> Event:
        tick, kind, who, whom, what, part = (int(value) for value in self.arrays.event[row])
        strength, x, y, z = (float(value) for value in self.arrays.mark[row])
        striking, struck = (CAPSULES[number] if number >= 0 else "" for number in (what, part))
        return Event(tick, EVENT_KINDS[kind], who, whom, striking, struck, strength, (x, y, z))

    def together_after(self, number: int) -> np.ndarray:
        """(K, 4) how both may go on with each other after a patch."""
        return _rows(self.joins.together, number)

    def alone_after(self, number: int, role: int) -> np.ndarray:
        """(K, 4) how one of the two may go on with somebody else."""
        rows = _rows(self.joins.alone, number)
        return rows[rows[:, 1] == role]

    def beside(self, number: int, role: int) -> np.ndarray:
        """(K, 5) patches that may run at the same time with the same character."""
        rows = _rows(self.joins.beside, number)
        return rows[rows[:, 1] == role]


def _rows(table: np.ndarray, number: int) -> np.ndarray:
    first, last = np.searchsorted(table[:, 0], [number, number + 1])
    return table[first:last]


def _condition(row: np.ndarray) -> Condition:
    distance, one, other, delay = (float(value) for value in row)
    return Condition(distance, (one, other), delay)


def fingerprint(library: ActionLibrary) -> str:
    """What tells one library of motions from another."""
    found = hashlib.sha256()
    for array in (
        library.frames.root_position,
        library.frames.rotations,
        library.actions.start,
        library.actions.stop,
    ):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


# -- the file ----------------------------------------------------------------------------------------

_WIDTHS = {"initial": 4, "final": 4, "step": 6, "place": 3, "event": 6, "mark": 4}
_JOIN_WIDTHS = {"together": 4, "alone": 4, "beside": 5}
_FLOATS = ("score", "initial", "final", "place", "mark")
_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    **{name: np.dtype("<f8" if name in _FLOATS else "<i8") for name in PatchArrays._fields},
    **{name: np.dtype("<i8") for name in JoinArrays._fields},
}
_LARGEST_VALUE = 1e6


def write_patches(path: str | os.PathLike[str], patches: PatchLibrary) -> None:
    """Write patches so that `read_patches` gives exactly the same."""
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "scene": patches.scene.name,
        "text": patches.text,
        "motions": patches.motions,
        "report": patches.report,
    }
    arrays = {**patches.arrays._asdict(), **patches.joins._asdict()}
    write_arrays(path, with_words(words, arrays, _TYPES))


def read_patches(path: str | os.PathLike[str], library: ActionLibrary | None = None) -> PatchLibrary:
    """The patches that `write_patches` wrote. With a library of motions, those of another are refused."""
    patches = read_arrays(path, "a library of patches", _TYPES, _to_patches)
    if library is not None:
        if patches.motions != fingerprint(library):
            raise FileError(path, "was built on other motions than these; build it again")
        _check_against(path, patches, library)
    return patches


def is_patches(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a library of patches."""
    return os.fspath(path).lower().endswith(".npz") and holds_array(path, "step_start")


def _check_against(path: str | os.PathLike[str], patches: PatchLibrary, library: ActionLibrary) -> None:
    """Steps must show frames that there are."""
    step = patches.arrays.step
    people = step[:, 0] < len(library)
    last = step[:, 1] + step[:, 3] - step[:, 2]
    if (last[people] >= len(library.frames.clip)).any():
        raise FileError(path, "shows frames that the library of motions does not have; build it again")


def _to_patches(arrays: dict[str, np.ndarray]) -> PatchLibrary:
    kinds = {"scene": str, "text": str, "motions": str, "report": dict}
    words = read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, kinds)
    count = len(arrays["pattern"])
    for name, width in (_WIDTHS | _JOIN_WIDTHS).items():
        expect(arrays[name].ndim == 2 and arrays[name].shape[1] == width, f"{name} with {width} columns")
    for name in _FLOATS:
        expect(bool((np.abs(arrays[name]) <= _LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    for name in ("score", "initial", "final"):
        expect(len(arrays[name]) == count, f"{name} of {count} patches")
    for name, rows, length in (("step_start", "step", 2 * count), ("event_start", "event", count)):
        starts = arrays[name]
        expect(starts.shape == (length + 1,), f"{name} of {length + 1} numbers")
        expect(starts[0] == 0 and starts[-1] == len(arrays[rows]), f"{name} from 0 to the last {rows}")
        expect(bool((np.diff(starts) >= 0).all()), f"{name} ascending")
    expect(bool((np.diff(arrays["step_start"]) > 0).all()), "a step for everybody")
    expect(len(arrays["place"]) == len(arrays["step"]), "a place for every step")
    expect(len(arrays["mark"]) == len(arrays["event"]), "a mark for every event")
    step, event = arrays["step"], arrays["event"]
    expect(bool((step >= 0).all() and (step[:, 3] > step[:, 2]).all()), "steps that stop after they start")
    expect(bool(((event[:, 1] >= 0) & (event[:, 1] < len(EVENT_KINDS))).all()), "events that are known")
    scene = parse_patterns(words["text"], words["scene"])
    patterns = arrays["pattern"]
    expect(bool(((patterns >= 0) & (patterns < len(scene.pattern))).all()), "patterns of its scene")
    for name in _JOIN_WIDTHS:
        patch_columns = arrays[name][:, [0, 1]] if name == "together" else arrays[name][:, [0, 2]]
        expect(bool(((patch_columns >= 0) & (patch_columns < count)).all()), f"{name} of its patches")
        expect(bool((np.diff(arrays[name][:, 0]) >= 0).all()), f"{name} in order")
    return PatchLibrary(
        scene,
        words["text"],
        words["motions"],
        PatchArrays._make(arrays[name] for name in PatchArrays._fields),
        JoinArrays._make(arrays[name] for name in JoinArrays._fields),
        words["report"],
    )
