"""A library in one file: an `.npz` of plain arrays that comes back bit for bit."""

import os
from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any

import numpy as np

from randori.capture.actions import Problem, Tags
from randori.formats.arrays import (
    expect,
    holds_array,
    is_json,
    read_arrays,
    read_words,
    with_words,
    write_arrays,
)
from randori.formats.store import CLIP_TYPES
from randori.graph.library import (
    EFFECTORS,
    ActionArrays,
    ActionLibrary,
    FrameArrays,
    LibraryClip,
    StrikeArrays,
    displacements,
)
from randori.motion.clip import Source
from randori.motion.parts import PARTS, missing_parts
from randori.motion.skeleton import Skeleton

KIND, SCHEMA = "randori library", 1

_TYPES: dict[str, np.dtype[Any]] = CLIP_TYPES | {
    "contacts": np.dtype("?"),
    "source_frame": np.dtype("<i8"),
    "action_start": np.dtype("<i8"),
    "action_stop": np.dtype("<i8"),
    "confidence": np.dtype("<f8"),
    "edited": np.dtype("?"),
    "strike_start": np.dtype("<i8"),
    "strike_effector": np.dtype("<i8"),
    "strike_frames": np.dtype("<i8"),
    "strike_speed": np.dtype("<f8"),
}
_MOST_WORDS = 64 * 1024**2  # bytes: 10,000 actions need 2 MB
_MOST_JOINTS = 1000
_LARGEST_VALUE = 1e6  # metres, or anything else
_KEPT_LIBRARIES = 2  # libraries that stay in memory; a large one takes 100 MB
_UNIT_LENGTH = 1e-6  # a quaternion may be this far from 1


def write(path: str | os.PathLike[str], library: ActionLibrary) -> None:
    """Write a library so that `read` gives exactly the same one."""
    skeleton, frames, actions, strikes = library.skeleton, library.frames, library.actions, library.strikes
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "fps": library.fps,
        "joints": skeleton.names,
        "parts": {part: int(joint) for part, joint in skeleton.parts.items()},
        "clips": [asdict(clip) for clip in library.clips],
        "tags": [asdict(tags) for tags in library.tags],
    }
    arrays = {
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "tips": skeleton.tips,
        "reference": skeleton.reference,
        "root_position": frames.root_position,
        "rotations": frames.rotations,
        "contacts": frames.contacts,
        "source_frame": frames.source_frame,
        "action_start": actions.start,
        "action_stop": actions.stop,
        "confidence": actions.confidence,
        "edited": actions.edited,
        "strike_start": actions.strike_start,
        "strike_effector": strikes.effector,
        "strike_frames": np.column_stack([strikes.start, strikes.stop, strikes.peak, strikes.extension]),
        "strike_speed": strikes.speed,
    }
    write_arrays(path, with_words(words, arrays, _TYPES), _to_library)


def read(path: str | os.PathLike[str]) -> ActionLibrary:
    """The library that `write` wrote."""
    return read_arrays(path, "a library", _TYPES, _to_library)


def read_again(path: str | os.PathLike[str]) -> ActionLibrary:
    """As `read`; as long as the file does not change, it returns the same object.

    Results for a library, such as its graph, are then there already.
    """
    try:
        about = os.stat(path)
    except OSError:
        return read(path)  # it says what is wrong
    return _read_version(os.fspath(path), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=_KEPT_LIBRARIES)
def _read_version(path: str, changed: int, size: int) -> ActionLibrary:
    return read(path)


def is_library(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a library rather than like a recording."""
    return os.fspath(path).lower().endswith(".npz") and holds_array(path, "action_start")


def _to_library(arrays: dict[str, np.ndarray]) -> ActionLibrary:
    """A library from arrays of the right types, after everything about them has been checked."""
    words = _read_words(arrays["words"])
    names, tags = tuple(words["joints"]), words["tags"]
    joints, frames, actions = len(names), len(arrays["root_position"]), len(tags)
    strikes = len(arrays["strike_speed"])
    expect(0 < joints <= _MOST_JOINTS and len(set(names)) == joints, "joints with names of their own")
    shapes = {
        "parents": (joints,),
        "offsets": (joints, 3),
        "tips": (joints, 3),
        "reference": (joints, 4),
        "root_position": (frames, 3),
        "rotations": (frames, joints, 4),
        "contacts": (frames, 2),
        "source_frame": (frames,),
        "action_start": (actions,),
        "action_stop": (actions,),
        "confidence": (actions,),
        "edited": (actions,),
        "strike_start": (actions + 1,),
        "strike_effector": (strikes,),
        "strike_frames": (strikes, 4),
        "strike_speed": (strikes,),
    }
    for name, shape in shapes.items():
        expect(arrays[name].shape == shape, f"{name} of shape {shape}, not {arrays[name].shape}")
        if arrays[name].dtype.kind == "f":
            expect(bool((np.abs(arrays[name]) <= _LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    for name in ("reference", "rotations"):
        lengths = np.linalg.norm(arrays[name], axis=-1)
        expect(bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all()), f"{name} to be unit quaternions")
    skeleton = _to_skeleton(names, words["parts"], arrays)
    clips = tuple(to_library_clip(row) for row in words["clips"])
    edges = [0, *(clip.stop for clip in clips)]
    expect(edges[-1] == frames and frames > 0, "clips that cover all frames")
    for clip, before in zip(clips, edges):
        expect(clip.start == before and clip.stop > clip.start, "clips one after the other")

    start, stop = arrays["action_start"], arrays["action_stop"]
    expect(bool(((start >= 0) & (start < stop) & (stop < frames)).all()), "actions within the frames")
    frame_clip = np.repeat(np.arange(len(clips)), np.diff(edges))
    expect(bool((frame_clip[start] == frame_clip[stop]).all()), "actions within one clip each")
    expect(
        bool(((arrays["source_frame"] >= 0) & (arrays["source_frame"] < 2**31)).all()), "frames of recordings"
    )
    strike_start, strike_frames = arrays["strike_start"], arrays["strike_frames"]
    expect(strike_start[0] == 0 and strike_start[-1] == strikes, "strike_start from 0 to the strikes")
    expect(bool((np.diff(strike_start) >= 0).all()), "strikes in the order of the actions")
    expect(bool(((strike_frames >= 0) & (strike_frames <= frames)).all()), "strikes within the frames")
    effector = arrays["strike_effector"]
    expect(bool(((effector >= 0) & (effector < len(EFFECTORS))).all()), "effectors that are known")

    hot = FrameArrays(
        arrays["root_position"],
        arrays["rotations"],
        arrays["contacts"],
        frame_clip,
        arrays["source_frame"],
    )
    return ActionLibrary(
        skeleton,
        words["fps"],
        hot,
        ActionArrays(
            frame_clip[start],
            start,
            stop,
            displacements(skeleton, hot, start, stop),
            arrays["confidence"],
            arrays["edited"],
            strike_start,
        ),
        StrikeArrays._make([effector, *np.ascontiguousarray(strike_frames.T), arrays["strike_speed"]]),
        tuple(to_record(row, Tags, f"the tags of action {number}") for number, row in enumerate(tags)),
        clips,
    )


def _to_skeleton(names: tuple[str, ...], parts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Skeleton:
    count, parents = len(names), arrays["parents"]
    expect(parents[0] == -1, "the root first")
    expect(bool(((parents[1:] >= 0) & (parents[1:] < np.arange(1, count))).all()), "parents before children")
    for part, joint in parts.items():
        expect(part in PARTS, f"a body part, found {part[:40]!r}")
        expect(is_json(joint, int) and 0 <= joint < count, f"{part} to be a joint from 0 to {count - 1}")
    expect(not missing_parts(parts), "a whole body")
    return Skeleton(names, parents, arrays["offsets"], arrays["tips"], parts, arrays["reference"])


def to_library_clip(row: Any) -> LibraryClip:
    """A clip's words, with every type checked."""
    expect(is_json(row, dict) and is_json(row.get("source"), dict), "a clip with its source")
    expect(is_json(row["source"].get("notes"), list), "notes of a source")
    expect(is_json(row.get("problems"), list), "the problems of a clip")
    source = to_record(row["source"] | {"notes": tuple(row["source"]["notes"])}, Source, "a source")
    expect(all(is_json(note, str) for note in source.notes), "notes that are text")
    problems = []
    for problem in row["problems"]:
        expect(is_json(problem, dict), "a problem")
        frames = problem.get("frames")
        pair = is_json(frames, list) and len(frames) == 2 and all(is_json(frame, int) for frame in frames)
        expect(frames is None or pair, "the frames of a problem")
        expect(
            is_json(problem.get("what"), str) and is_json(problem.get("message"), str), "a problem in words"
        )
        problems.append(Problem(problem["what"], problem["message"], tuple(frames) if pair else None))
    rest = {key: value for key, value in row.items() if key not in ("source", "problems")}
    kinds = {"name": str, "start": int, "stop": int, "fps": float}
    flags = ("mirrored", "turned")
    expect(set(rest) == {*kinds, *flags}, "the fields of a clip")
    for key, kind in kinds.items():
        expect(is_json(rest[key], kind), f"{key} of a clip to be a {kind.__name__}")
    for flag in flags:
        expect(isinstance(rest[flag], bool), f"{flag} to be true or false")
    return LibraryClip(**rest, source=source, problems=tuple(problems))


def to_record(row: Any, record: Any, what: str) -> Any:
    """A dataclass of plain fields from JSON, each of the type of its default (text where it has none)."""
    expect(
        is_json(row, dict) and set(row) == {field.name for field in fields(record)}, f"the fields of {what}"
    )
    for field in fields(record):
        kind = type(field.default) if isinstance(field.default, str | int | float | tuple) else str
        expect(is_json(row[field.name], kind), f"{field.name} of {what} to be a {kind.__name__}")
    return record(**row)


def _read_words(array: np.ndarray) -> dict[str, Any]:
    """The words of a library, with every type checked."""
    kinds = {"fps": float, "joints": list, "parts": dict, "clips": list, "tags": list}
    words = read_words(array, _MOST_WORDS, KIND, SCHEMA, kinds)
    expect(0.0 < words["fps"] <= 10_000.0, "fps between 0 and 10000")
    expect(all(is_json(name, str) and name for name in words["joints"]), "names for the joints")
    return words
