"""A library in one file: an `.npz` of plain arrays that comes back bit for bit.

As with clips (formats/store.py) nothing in it can be executed and nothing is compressed; everything is
checked before it is believed.
"""

import json
import math
import os
import struct
import zipfile
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from randori.capture.actions import Problem, Tags
from randori.errors import FileError
from randori.formats.files import open_file, write_whole
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

_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    "parents": np.dtype("<i8"),
    "offsets": np.dtype("<f8"),
    "tips": np.dtype("<f8"),
    "reference": np.dtype("<f8"),
    "root_position": np.dtype("<f8"),
    "rotations": np.dtype("<f8"),
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
_UNIT_LENGTH = 1e-6  # a quaternion may be this far from 1


class _Foreign(Exception):
    """What is wrong with the contents of a file."""


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
    arrays: dict[str, Any] = {
        "words": np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype="u1"),
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
    arrays = {name: np.ascontiguousarray(array, dtype=_TYPES[name]) for name, array in arrays.items()}
    with write_whole(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read(path: str | os.PathLike[str]) -> ActionLibrary:
    """The library that `write` wrote."""
    with open_file(path) as file:
        try:
            return _to_library(_read_arrays(file))
        except _Foreign as problem:
            raise FileError(path, f"is not a library of Randori: {problem}") from None
        # what the libraries below say about bytes that are not what they should be
        except (
            zipfile.BadZipFile,
            struct.error,
            ValueError,
            SyntaxError,
            EOFError,
            OSError,
            RuntimeError,
        ) as error:
            raise FileError(path, f"is damaged, or not a library of Randori: {error}") from error


def _read_arrays(file: Any) -> dict[str, np.ndarray]:
    """The arrays of a file, with the right names and types. Sizes are checked before memory is taken."""
    size = os.fstat(file.fileno()).st_size
    with zipfile.ZipFile(file) as archive:
        members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        if set(members) != set(_TYPES) or len(members) != len(archive.infolist()):
            raise _Foreign(f"expected the arrays {', '.join(_TYPES)}, found {', '.join(members)[:200]!r}")
        arrays = {}
        for name, member in members.items():
            if member.compress_type != zipfile.ZIP_STORED or member.file_size > size:
                raise _Foreign(f"expected {name} not to be compressed")
            with archive.open(member) as stream:
                arrays[name] = _read_array(stream, name, member.file_size)
        return arrays


def _read_array(stream: Any, name: str, size: int) -> np.ndarray:
    """One array of so many bytes with its header."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise _Foreign(f"expected {name} in version 1 of numpy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype != _TYPES[name] or fortran:
        raise _Foreign(f"expected {name} to hold {_TYPES[name]}, found {dtype}")
    if math.prod(shape) * dtype.itemsize != size - stream.tell():
        raise _Foreign(f"{name} has another number of bytes than its shape {shape} needs")
    # a bytearray, because kernels want arrays that can be written
    return np.frombuffer(bytearray(stream.read()), dtype=dtype).reshape(shape)


def _to_library(arrays: dict[str, np.ndarray]) -> ActionLibrary:
    """A library from arrays of the right types, after everything about them has been checked."""
    words = _read_words(arrays["words"])
    names, tags = tuple(words["joints"]), words["tags"]
    joints, frames, actions = len(names), len(arrays["root_position"]), len(tags)
    strikes = len(arrays["strike_speed"])
    _expect(0 < joints <= _MOST_JOINTS and len(set(names)) == joints, "joints with names of their own")
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
        _expect(arrays[name].shape == shape, f"{name} of shape {shape}, not {arrays[name].shape}")
        if arrays[name].dtype.kind == "f":
            _expect(bool((np.abs(arrays[name]) <= _LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    for name in ("reference", "rotations"):
        lengths = np.linalg.norm(arrays[name], axis=-1)
        _expect(bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all()), f"{name} to be unit quaternions")
    skeleton = _to_skeleton(names, words["parts"], arrays)
    clips = tuple(_to_clip(row) for row in words["clips"])
    edges = [0, *(clip.stop for clip in clips)]
    _expect(edges[-1] == frames and frames > 0, "clips that cover all frames")
    for clip, before in zip(clips, edges):
        _expect(clip.start == before and clip.stop > clip.start, "clips one after the other")

    start, stop = arrays["action_start"], arrays["action_stop"]
    _expect(bool(((start >= 0) & (start < stop) & (stop < frames)).all()), "actions within the frames")
    frame_clip = np.repeat(np.arange(len(clips)), np.diff(edges))
    _expect(bool((frame_clip[start] == frame_clip[stop]).all()), "actions within one clip each")
    strike_start, strike_frames = arrays["strike_start"], arrays["strike_frames"]
    _expect(strike_start[0] == 0 and strike_start[-1] == strikes, "strike_start from 0 to the strikes")
    _expect(bool((np.diff(strike_start) >= 0).all()), "strikes in the order of the actions")
    _expect(bool(((strike_frames >= 0) & (strike_frames <= frames)).all()), "strikes within the frames")
    effector = arrays["strike_effector"]
    _expect(bool(((effector >= 0) & (effector < len(EFFECTORS))).all()), "effectors that are known")

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
        tuple(_to_record(row, Tags, f"the tags of action {number}") for number, row in enumerate(tags)),
        clips,
    )


def _to_skeleton(names: tuple[str, ...], parts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Skeleton:
    count, parents = len(names), arrays["parents"]
    _expect(parents[0] == -1, "the root first")
    _expect(bool(((parents[1:] >= 0) & (parents[1:] < np.arange(1, count))).all()), "parents before children")
    for part, joint in parts.items():
        _expect(part in PARTS, f"a body part, found {part[:40]!r}")
        _expect(_is(joint, int) and 0 <= joint < count, f"{part} to be a joint from 0 to {count - 1}")
    _expect(not missing_parts(parts), "a whole body")
    return Skeleton(names, parents, arrays["offsets"], arrays["tips"], parts, arrays["reference"])


def _to_clip(row: Any) -> LibraryClip:
    """A clip's words, with every type checked."""
    _expect(_is(row, dict) and _is(row.get("source"), dict), "a clip with its source")
    _expect(_is(row["source"].get("notes"), list), "notes of a source")
    _expect(_is(row.get("problems"), list), "the problems of a clip")
    source = _to_record(row["source"] | {"notes": tuple(row["source"]["notes"])}, Source, "a source")
    _expect(all(_is(note, str) for note in source.notes), "notes that are text")
    problems = []
    for problem in row["problems"]:
        _expect(_is(problem, dict), "a problem")
        frames = problem.get("frames")
        pair = _is(frames, list) and len(frames) == 2 and all(_is(frame, int) for frame in frames)
        _expect(frames is None or pair, "the frames of a problem")
        _expect(_is(problem.get("what"), str) and _is(problem.get("message"), str), "a problem in words")
        problems.append(Problem(problem["what"], problem["message"], tuple(frames) if pair else None))
    rest = {key: value for key, value in row.items() if key not in ("source", "problems")}
    kinds = {"name": str, "start": int, "stop": int, "fps": float}
    _expect(set(rest) == {*kinds, "mirrored"}, "the fields of a clip")
    for key, kind in kinds.items():
        _expect(_is(rest[key], kind), f"{key} of a clip to be a {kind.__name__}")
    _expect(isinstance(rest["mirrored"], bool), "mirrored to be true or false")
    return LibraryClip(**rest, source=source, problems=tuple(problems))


def _to_record(row: Any, record: Any, what: str) -> Any:
    """A dataclass of plain fields from JSON, each of the type of its default (text where it has none)."""
    _expect(_is(row, dict) and set(row) == {field.name for field in fields(record)}, f"the fields of {what}")
    for field in fields(record):
        kind = type(field.default) if isinstance(field.default, str | int | float | tuple) else str
        _expect(_is(row[field.name], kind), f"{field.name} of {what} to be a {kind.__name__}")
    return record(**row)


def _read_words(array: np.ndarray) -> dict[str, Any]:
    """The words of a library, with every type checked."""
    _expect(array.ndim == 1 and array.size <= _MOST_WORDS, f"at most {_MOST_WORDS} bytes of words")
    words = json.loads(array.tobytes().decode())
    _expect(_is(words, dict) and words.get("kind") == KIND, f"the kind {KIND!r}")
    schema = words.get("schema")
    _expect(
        schema == SCHEMA, f"schema {SCHEMA}, found {str(schema)[:40]}; another version of Randori wrote it"
    )
    kinds = {"fps": float, "joints": list, "parts": dict, "clips": list, "tags": list}
    for key, kind in kinds.items():
        _expect(_is(words.get(key), kind), f"{key} to be a {kind.__name__}")
    _expect(0.0 < words["fps"] <= 10_000.0, "fps between 0 and 10000")
    _expect(all(_is(name, str) and name for name in words["joints"]), "names for the joints")
    return words


def _is(value: object, kind: type) -> bool:
    """JSON's types: a whole number will do for a float, and a bool for neither."""
    return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)


def _expect(condition: bool, expected: str) -> None:
    if not condition:
        raise _Foreign(f"expected {expected}")
