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
    is_json,
    read_arrays,
    read_words,
    with_words,
    write_arrays,
)
from randori.graph.library import ActionLibrary
from randori.kernels.patch_joins import ALONE, BESIDE, TOGETHER
from randori.motion.placement import Placement
from randori.patches.patch import Condition, Part, Patch
from randori.patches.pattern import PatchScene, parse_patterns
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed

KIND, SCHEMA = "randori patches", 1
EVENT_KINDS = ("hit", "push", "block", "miss", "response", "hand over")
_MOST_WORDS = 4 * 1024**2
PATCH_STEP = np.dtype(
    [
        ("action", np.int64),
        ("first", np.int64),  # frame
        ("start", np.int64),  # tick
        ("stop", np.int64),  # tick
        ("forced", np.int64),  # 1 if it answers a touch
        ("move", np.int64),  # of the pattern
    ]
)
EVENT = np.dtype(
    [
        ("tick", np.int64),
        ("kind", np.int64),  # of EVENT_KINDS
        ("who", np.int64),  # role
        ("whom", np.int64),  # role
        ("capsule", np.int64),  # of CAPSULES that strikes or pushes, or -1
        ("part", np.int64),  # of CAPSULES that it meets, or -1
    ]
)
MARK = np.dtype(
    [
        ("strength", np.float64),  # m/s of a strike, newton seconds of a push, metres of a miss
        ("x", np.float64),  # metres, the point
        ("y", np.float64),
        ("z", np.float64),
    ]
)


class PatchArrays(NamedTuple):
    """All patches. Role r of patch p has the steps step_start[2 p + r] to step_start[2 p + r + 1]."""

    pattern: np.ndarray  # (N,) int64
    score: np.ndarray  # (N,)
    initial: np.ndarray  # (N, 4) metres, radians, radians, seconds: patch.Condition
    final: np.ndarray  # (N, 4)
    step_start: np.ndarray  # (2 N + 1,) int64
    step: np.ndarray  # (S,) PATCH_STEP
    place: np.ndarray  # (S, 3) x, z, yaw: where the recording goes
    event_start: np.ndarray  # (N + 1,) int64
    event: np.ndarray  # (E,) EVENT
    mark: np.ndarray  # (E,) MARK


def concatenate(records: Sequence[PatchArrays]) -> PatchArrays:
    """Several records of patches as one."""

    def rows(name: str) -> np.ndarray:
        arrays = [getattr(record, name) for record in records]
        if name not in ("step_start", "event_start"):
            return np.concatenate(arrays)
        ends = np.cumsum([0] + [array[-1] for array in arrays])
        return np.concatenate([[0], *(array[1:] + end for array, end in zip(arrays, ends))])

    return PatchArrays._make(rows(name) for name in PatchArrays._fields)


def selected(arrays: PatchArrays, kept: np.ndarray) -> PatchArrays:
    """Some of the patches; kept (N,) bool."""
    steps, events = np.diff(arrays.step_start), np.diff(arrays.event_start)
    parts = np.repeat(kept, 2)
    of_steps, of_events = np.repeat(parts, steps), np.repeat(kept, events)
    return PatchArrays(
        arrays.pattern[kept],
        arrays.score[kept],
        arrays.initial[kept],
        arrays.final[kept],
        np.concatenate([[0], np.cumsum(steps[parts])]).astype(np.int64),
        arrays.step[of_steps],
        arrays.place[of_steps],
        np.concatenate([[0], np.cumsum(events[kept])]).astype(np.int64),
        arrays.event[of_events],
        arrays.mark[of_events],
    )


class JoinArrays(NamedTuple):
    """Pairs of patches that fit; rows are sorted by their first two fields.

    together: both continue with each other in the next patch. It is placed so that the first character
    continues exactly; the second may be a little off. alone: one character continues with another partner.
    beside: two patches run at the same time; the shared character does the same from when the other begins.
    """

    together: np.ndarray  # (T,) TOGETHER
    alone: np.ndarray  # (L,) ALONE
    beside: np.ndarray  # (B,) BESIDE


def no_joins() -> JoinArrays:
    """Nothing goes together."""
    return JoinArrays(np.zeros(0, TOGETHER), np.zeros(0, ALONE), np.zeros(0, BESIDE))


@dataclass(frozen=True, eq=False)
class PatchLibrary:
    """The patches of a scene, for one library of motions."""

    scene: PatchScene
    text: str  # the scene's file, as it was when this was built
    motions: str  # fingerprint of the library that actions and frames are of
    arrays: PatchArrays
    joins: JoinArrays = field(default_factory=no_joins)
    report: dict[str, Any] = field(default_factory=dict)  # how it was built: candidates, rejections

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
            action, first, start, stop, forced, _ = arrays.step[k].tolist()
            x, z, yaw = (float(value) for value in arrays.place[k])
            cause = FORCED if forced else CHOSEN
            steps.append(Placed(action, first, start, stop, Placement(x, z, yaw), cause))
        return Part(tuple(steps), tuple(int(arrays.step["move"][k]) for k in rows))

    def _event(self, row: int) -> Event:
        tick, kind, who, whom, what, part = self.arrays.event[row].tolist()
        strength, x, y, z = self.arrays.mark[row].tolist()
        striking, struck = (CAPSULES[number] if number >= 0 else "" for number in (what, part))
        return Event(tick, EVENT_KINDS[kind], who, whom, striking, struck, strength, (x, y, z))

    def together_after(self, number: int) -> np.ndarray:
        """(K,) TOGETHER: how both may go on with each other after a patch."""
        return _rows(self.joins.together, number)

    def alone_after(self, number: int, role: int) -> np.ndarray:
        """(K,) ALONE: how one of the two may continue with another partner."""
        rows = _rows(self.joins.alone, number)
        return rows[rows["role"] == role]

    def beside(self, number: int, role: int) -> np.ndarray:
        """(K,) BESIDE: patches that may run at the same time with the same character."""
        rows = _rows(self.joins.beside, number)
        return rows[rows["role"] == role]


def _rows(table: np.ndarray, number: int) -> np.ndarray:
    first, last = np.searchsorted(table["patch"], [number, number + 1])
    return table[first:last]


def _condition(row: np.ndarray) -> Condition:
    distance, one, other, delay = (float(value) for value in row)
    return Condition(distance, (one, other), delay)


def fingerprint(library: ActionLibrary) -> str:
    """A fingerprint that tells one library of motions from another."""
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

# In the file a record is a row of numbers, one for each field.
_RECORDS: dict[str, np.dtype[Any]] = {"step": PATCH_STEP, "event": EVENT, "mark": MARK}
_JOIN_RECORDS: dict[str, np.dtype[Any]] = {"together": TOGETHER, "alone": ALONE, "beside": BESIDE}
_WIDTHS = {
    "initial": 4,
    "final": 4,
    "place": 3,
    **{name: len(record.names or ()) for name, record in (_RECORDS | _JOIN_RECORDS).items()},
}
_FLOAT_FIELDS = ("score", "initial", "final", "place", "mark")
_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    **{name: np.dtype("<f8" if name in _FLOAT_FIELDS else "<i8") for name in PatchArrays._fields},
    **{name: np.dtype("<i8") for name in JoinArrays._fields},
}
_LARGEST_VALUE = 1e6
_LARGEST_WHOLE = 2**31  # frames, ticks or actions: sums of them stay far below the range of 64 bits


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
    for name in _RECORDS | _JOIN_RECORDS:
        arrays[name] = np.ascontiguousarray(arrays[name]).view(_TYPES[name]).reshape(-1, _WIDTHS[name])
    write_arrays(path, with_words(words, arrays, _TYPES), _to_patches)


def read_patches(path: str | os.PathLike[str], library: ActionLibrary | None = None) -> PatchLibrary:
    """The patches that `write_patches` wrote. With a library of motions, patches of another one are
    refused."""
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
    people = step["action"] < len(library)
    if not people.all() and not any(word.thing for word in patches.scene.annotation.values()):
        raise FileError(path, "has actions that the library of motions does not have; build it again")
    last = step["first"] + step["stop"] - step["start"]
    if (last[people] >= len(library.frames.clip)).any():
        raise FileError(path, "shows frames that the library of motions does not have; build it again")


def _among(numbers: np.ndarray, first: int, stop: int) -> bool:
    """Whether all are from `first` on and below `stop`."""
    return bool(((numbers >= first) & (numbers < stop)).all())


def _to_patches(arrays: dict[str, np.ndarray]) -> PatchLibrary:
    kinds = {"scene": str, "text": str, "motions": str, "report": dict}
    words = read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, kinds)
    count = len(arrays["pattern"])
    for name, width in _WIDTHS.items():
        expect(arrays[name].ndim == 2 and arrays[name].shape[1] == width, f"{name} with {width} columns")
    for name in _FLOAT_FIELDS:
        expect(bool((np.abs(arrays[name]) <= _LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    for name, record in (_RECORDS | _JOIN_RECORDS).items():
        arrays[name] = np.ascontiguousarray(arrays[name]).view(record)[:, 0]
    for name in ("score", "initial", "final"):
        expect(len(arrays[name]) == count, f"{name} of {count} patches")
    for name, rows, length in (("step_start", "step", 2 * count), ("event_start", "event", count)):
        starts = arrays[name]
        expect(starts.shape == (length + 1,), f"{name} of {length + 1} numbers")
        expect(starts[0] == 0 and starts[-1] == len(arrays[rows]), f"{name} from 0 to the last {rows}")
        expect(bool((np.diff(starts) >= 0).all()), f"{name} ascending")
    expect(bool((np.diff(arrays["step_start"]) > 0).all()), "a step for each character")
    expect(len(arrays["place"]) == len(arrays["step"]), "a place for every step")
    expect(len(arrays["mark"]) == len(arrays["event"]), "a mark for every event")
    scene = parse_patterns(words["text"], words["scene"])
    expect(_among(arrays["pattern"], 0, len(scene.pattern)), "patterns of its scene")
    reports = words["report"].get("patterns", [])
    expect(is_json(reports, list) and all(is_json(row, dict) for row in reports), "a report on its patterns")
    expect(all(is_json(row.get("pattern"), str) for row in reports), "patterns with names in its report")
    step, event = arrays["step"], arrays["event"]
    expect(
        all(_among(step[name], 0, _LARGEST_WHOLE) for name in PATCH_STEP.names or ()), "steps from tick 0 on"
    )
    expect(bool((step["stop"] > step["start"]).all()), "steps that stop after they start")
    moves = np.array([len(pattern.moves) for pattern in scene.pattern])[arrays["pattern"]]
    expect(
        bool((step["move"] < np.repeat(np.repeat(moves, 2), np.diff(arrays["step_start"]))).all()),
        "steps of a pattern's moves",
    )
    expect(_among(event["kind"], 0, len(EVENT_KINDS)), "events that are known")
    expect(_among(event["tick"], 0, _LARGEST_WHOLE), "events from tick 0 on")
    expect(_among(event["who"], 0, 2) and _among(event["whom"], 0, 2), "events between the two")
    expect(
        _among(event["capsule"], -1, len(CAPSULES)) and _among(event["part"], -1, len(CAPSULES)),
        "parts of bodies that are known",
    )
    for name in _JOIN_RECORDS:
        table, other = arrays[name], "other" if name == "beside" else "next"
        expect(_among(table["patch"], 0, count) and _among(table[other], 0, count), f"{name} of its patches")
        expect(bool((np.diff(table["patch"]) >= 0).all()), f"{name} in order")
        for key in table.dtype.names or ():
            if key in ("role", "next_role", "other_role", "change"):
                expect(_among(table[key], 0, 2), f"{key} of {name} to be 0 or 1")
            elif key == "tick":
                expect(_among(table[key], -_LARGEST_WHOLE, _LARGEST_WHOLE), f"{name} in ticks")
    return PatchLibrary(
        scene,
        words["text"],
        words["motions"],
        PatchArrays._make(arrays[name] for name in PatchArrays._fields),
        JoinArrays._make(arrays[name] for name in JoinArrays._fields),
        words["report"],
    )
