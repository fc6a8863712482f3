"""Clips in Randori's own file: an `.npz` of plain arrays that comes back bit for bit.

Nothing in it can be executed (no pickle), and nothing in it is compressed, so that no small file
unfolds into a large one.
"""

import json
import math
import os
import struct
import zipfile
from dataclasses import asdict, fields
from typing import Any, BinaryIO

import numpy as np

from randori.errors import FileError
from randori.formats.files import open_file, write_whole
from randori.formats.rates import FASTEST
from randori.formats.recording import LARGEST_VALUE, MOST_JOINTS
from randori.motion.clip import Clip, Source
from randori.motion.parts import PARTS
from randori.motion.skeleton import Skeleton

KIND, SCHEMA = "randori clip", 1

# The words of a clip (JSON) stand in an array of bytes beside the numbers.
_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    "parents": np.dtype("<i8"),
    "offsets": np.dtype("<f8"),
    "tips": np.dtype("<f8"),
    "reference": np.dtype("<f8"),
    "root_position": np.dtype("<f8"),
    "rotations": np.dtype("<f8"),
}
_MOST_WORDS = 1024**2  # bytes: 1,000 joints need 0.1 MB
_DIRECTORY_END = struct.Struct("<4s4H2LH")  # the end of a zip file that has no comment
_LARGEST_DIRECTORY = 4096  # bytes: seven arrays need 500
_UNIT_LENGTH = 1e-6  # a quaternion may be this far from 1


class _Foreign(Exception):
    """What is wrong with the contents of a file."""


def write(path: str | os.PathLike[str], clip: Clip) -> None:
    """Write a clip so that `read` gives exactly the same one."""
    skeleton = clip.skeleton
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "name": clip.name,
        "fps": clip.fps,
        "joints": skeleton.names,
        "parts": {part: int(joint) for part, joint in skeleton.parts.items()},
        "source": asdict(clip.source),
    }
    arrays: dict[str, Any] = {
        "words": np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype="u1"),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "tips": skeleton.tips,
        "reference": skeleton.reference,
        "root_position": clip.root_position,
        "rotations": clip.rotations,
    }
    arrays = {name: np.ascontiguousarray(array, dtype=_TYPES[name]) for name, array in arrays.items()}
    try:
        _to_clip(arrays)
    except _Foreign as problem:
        raise FileError(path, f"not written: {problem}") from None
    with write_whole(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read(path: str | os.PathLike[str]) -> Clip:
    """The clip that `write` wrote."""
    with open_file(path) as file:
        try:
            return _to_clip(_read_arrays(file))
        except _Foreign as problem:
            raise FileError(path, f"is not a clip of Randori: {problem}") from None
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
            raise FileError(path, f"is damaged, or not a clip of Randori: {error}") from error


def _read_arrays(file: BinaryIO) -> dict[str, np.ndarray]:
    """The arrays of a file, with the right names and types. Sizes are checked before memory is taken."""
    size = file.seek(0, os.SEEK_END)
    # the directory first: opening a zip file with a million members takes a gigabyte
    if size < _DIRECTORY_END.size:
        raise _Foreign("expected a zip file")
    file.seek(size - _DIRECTORY_END.size)
    mark, *_, directory_size, _, _ = _DIRECTORY_END.unpack(file.read(_DIRECTORY_END.size))
    if mark != b"PK\x05\x06":
        raise _Foreign("expected a zip file that is not cut short")
    if directory_size > _LARGEST_DIRECTORY:
        raise _Foreign(f"expected the arrays {', '.join(_TYPES)}, found a long list")
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


def _to_clip(arrays: dict[str, np.ndarray]) -> Clip:
    """A clip from arrays of the right types, after everything about them has been checked."""
    words = _read_words(arrays["words"])
    names = words["joints"]
    count, frames = len(names), arrays["root_position"].shape[:1]
    _expect(0 < count <= MOST_JOINTS, f"1 to {MOST_JOINTS} joints")
    _expect(len(set(names)) == count, "every joint to have a name of its own")
    _expect(frames != (0,), "at least one frame")
    shapes = {
        "parents": (count,),
        "offsets": (count, 3),
        "tips": (count, 3),
        "reference": (count, 4),
        "root_position": (*frames, 3),
        "rotations": (*frames, count, 4),
    }
    for name, shape in shapes.items():
        _expect(arrays[name].shape == shape, f"{name} of shape {shape}, not {arrays[name].shape}")
        _expect(bool((np.abs(arrays[name]) <= LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    parents = arrays["parents"]
    _expect(parents[0] == -1, "the root first")
    _expect(bool(((parents[1:] >= 0) & (parents[1:] < np.arange(1, count))).all()), "parents before children")
    for name in ("reference", "rotations"):
        lengths = np.linalg.norm(arrays[name], axis=-1)
        _expect(bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all()), f"{name} to be unit quaternions")
    for part, joint in words["parts"].items():
        _expect(part in PARTS, f"a body part, found {part[:40]!r}")
        _expect(_is(joint, int) and 0 <= joint < count, f"{part} to be a joint from 0 to {count - 1}")
    skeleton = Skeleton(
        tuple(names), parents, arrays["offsets"], arrays["tips"], words["parts"], arrays["reference"]
    )
    source = Source(**words["source"])
    return Clip(words["name"], skeleton, words["fps"], arrays["root_position"], arrays["rotations"], source)


def _read_words(array: np.ndarray) -> dict[str, Any]:
    """The words of a clip, with every type checked."""
    _expect(array.ndim == 1 and array.size <= _MOST_WORDS, f"at most {_MOST_WORDS} bytes of words")
    words = json.loads(array.tobytes().decode())
    _expect(_is(words, dict) and words.get("kind") == KIND, f"the kind {KIND!r}")
    schema = words.get("schema")
    _expect(
        schema == SCHEMA, f"schema {SCHEMA}, found {str(schema)[:40]}; another version of Randori wrote it"
    )
    kinds = {"name": str, "fps": float, "joints": list, "parts": dict, "source": dict}
    for key, kind in kinds.items():
        _expect(_is(words.get(key), kind), f"{key} to be a {kind.__name__}")
    _expect(0.0 < words["fps"] <= FASTEST, f"fps between 0 and {FASTEST:g}")
    _expect(all(_is(name, str) and name for name in words["joints"]), "names for the joints")
    source = words["source"]
    defaults = asdict(Source())
    _expect(set(source) == {field.name for field in fields(Source)}, "the fields of a source")
    for key, value in defaults.items():
        kind = list if isinstance(value, tuple) else type(value)
        _expect(_is(source[key], kind), f"{key} of the source to be a {kind.__name__}")
    _expect(all(_is(note, str) for note in source["notes"]), "notes that are text")
    words["source"] = source | {"notes": tuple(source["notes"])}
    return words


def _is(value: object, kind: type) -> bool:
    """JSON's types: a whole number will do for a float, and a bool for neither."""
    return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)


def _expect(condition: bool, expected: str) -> None:
    if not condition:
        raise _Foreign(f"expected {expected}")
