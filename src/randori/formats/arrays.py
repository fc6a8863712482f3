"""Plain arrays with a few words in one `.npz` file, read with mistrust.

Nothing in such a file can be executed (no pickle), and nothing in it is compressed, so that no small
file unfolds into a large one. Sizes are checked before memory is taken. The words (JSON) stand in an
array of bytes beside the numbers.
"""

import json
import math
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeVar

import numpy as np

from randori.errors import FileError, RandoriError
from randori.formats.files import open_file, quote, write_whole

Types = Mapping[str, np.dtype[Any]]  # the name of each array → what it holds
Result = TypeVar("Result")

_DIRECTORY_END = struct.Struct("<4s4H2LH")  # the end of a zip file that has no comment
_LARGEST_DIRECTORY = 4096  # bytes: twenty arrays need 1,500


class Foreign(Exception):
    """The contents of a file are not as expected."""


def expect(condition: bool, expected: str) -> None:
    """Say what was expected, unless it is so."""
    if not condition:
        raise Foreign(f"expected {expected}")


def is_json(value: object, kind: type) -> bool:
    """JSON's types: a whole number will do for a float, and a bool only for itself."""
    kinds = (int, float) if kind is float else kind
    return isinstance(value, kinds) and isinstance(value, bool) == (kind is bool)


def with_words(words: Mapping[str, Any], arrays: Mapping[str, Any], types: Types) -> dict[str, np.ndarray]:
    """Everything that goes into a file, as the types ask for it."""
    text = np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), dtype="u1")
    named = {"words": text, **arrays}
    return {name: np.ascontiguousarray(array, dtype=types[name]) for name, array in named.items()}


def write_arrays(
    path: str | os.PathLike[str],
    arrays: Mapping[str, np.ndarray],
    build: Callable[[dict[str, np.ndarray]], object],
) -> None:
    """Write arrays, whole or not at all, and only what `build`, the reader's own check, accepts."""
    try:
        build(dict(arrays))
    except (Foreign, FileError) as problem:
        raise FileError(path, f"not written: {problem}") from None
    with write_whole(path) as file:
        save_arrays(file, arrays)


def save_arrays(file: BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    """The bytes of `numpy.savez` without pickle: before numpy 2.2 it has no way to forbid that."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_arrays(
    path: str | os.PathLike[str], what: str, types: Types, build: Callable[[dict[str, np.ndarray]], Result]
) -> Result:
    """The result of `build` on a file's arrays; any fault in the arrays raises a `FileError`."""
    with open_file(path) as file:
        try:
            return build(_arrays(file, types))
        except Foreign as problem:
            raise FileError(path, f"is not {what} of Randori: {problem}") from None
        except RandoriError as problem:  # a text inside it that is wrong
            raise FileError(path, f"is not {what} of Randori: {problem}") from None
        # all errors of the libraries below about unexpected bytes
        except Exception as error:
            raise FileError(path, f"is damaged, or not {what} of Randori: {quote(str(error))}") from error


def read_words(
    array: np.ndarray, most: int, kind: str, schema: int, types: Mapping[str, type]
) -> dict[str, Any]:
    """The words of a file: at most so many bytes, of this kind and schema, with these keys and types."""
    expect(array.ndim == 1 and array.size <= most, f"at most {most} bytes of words")
    words = json.loads(array.tobytes().decode(), parse_constant=_refuse_constant)
    expect(is_json(words, dict) and words.get("kind") == kind, f"the kind {kind!r}")
    found = words.get("schema")
    expect(found == schema, f"schema {schema}, found {str(found)[:40]}; another version of Randori wrote it")
    for key, json_type in types.items():
        expect(is_json(words.get(key), json_type), f"{key} to be a {json_type.__name__}")
    return words


def _refuse_constant(word: str) -> None:
    """NaN and infinity are not JSON, although Python reads them."""
    raise Foreign(f"expected finite numbers, found {word}")


def holds_array(path: str | os.PathLike[str], name: str) -> bool:
    """Whether a file is one of arrays and has one of this name."""
    with open_file(path) as file:
        try:
            _check_directory(file)
            with zipfile.ZipFile(file) as archive:
                return f"{name}.npy" in archive.namelist()
        except Exception:  # on any error it is no such file
            return False


def _check_directory(file: BinaryIO) -> int:
    """A zip file's size, if its directory is short: one with a million members takes a gigabyte to open."""
    size = file.seek(0, os.SEEK_END)
    expect(size >= _DIRECTORY_END.size, "a zip file")
    file.seek(size - _DIRECTORY_END.size)
    mark, *_, directory_size, _, _ = _DIRECTORY_END.unpack(file.read(_DIRECTORY_END.size))
    expect(mark == b"PK\x05\x06", "a zip file that is not cut short")
    expect(directory_size <= _LARGEST_DIRECTORY, "a few arrays, found a long list")
    return size


def _arrays(file: BinaryIO, types: Types) -> dict[str, np.ndarray]:
    """The arrays of a file, with the right names and types."""
    size = _check_directory(file)
    with zipfile.ZipFile(file) as archive:
        members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        complete = set(members) == set(types) and len(members) == len(archive.infolist())
        expect(complete, f"the arrays {', '.join(types)}, found {', '.join(members)[:200]!r}")
        arrays = {}
        for name, member in members.items():
            stored = member.compress_type == zipfile.ZIP_STORED and member.file_size <= size
            expect(stored, f"{name} not to be compressed")
            with archive.open(member) as stream:
                arrays[name] = _array(stream, name, member.file_size, types[name])
        return arrays


def _array(stream: Any, name: str, size: int, wanted: np.dtype[Any]) -> np.ndarray:
    """One array of so many bytes with its header."""
    expect(np.lib.format.read_magic(stream) == (1, 0), f"{name} in version 1 of numpy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    expect(dtype == wanted and not fortran, f"{name} to hold {wanted}, found {dtype}")
    if math.prod(shape) * dtype.itemsize != size - stream.tell():
        raise Foreign(f"{name} has another number of bytes than its shape {shape} needs")
    # a bytearray, because kernels want arrays that can be written
    return np.frombuffer(bytearray(stream.read()), dtype=dtype).reshape(shape)
