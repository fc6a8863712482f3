"""Kernels that a command needs, and the types of their arguments: recorded in a run with an empty cache.

`python packaging/record.py` makes `recorded.json`. Where it is out of date nothing goes wrong: a kernel that
is missing in it is compiled when it is first called.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core.event import Event, Listener, install_listener
from numba.np.numpy_support import as_dtype, from_dtype

from randori.kernels.cache import KernelCache

_FILE = Path(__file__).with_name("recorded.json")


class Recorded(NamedTuple):
    """A kernel and the types of its arguments."""

    kernel: str  # "randori.kernels.duel_search.search"
    arguments: tuple[Any, ...]  # as `describe` writes them
    inner: bool  # whether it is the version that other kernels call

    @property
    def module(self) -> str:
        return self.kernel.rpartition(".")[0]


class _Unwritable(Exception):
    """A type for which there is no word."""


def read_record() -> dict[str, list[Recorded]]:
    """By command: the kernels that it needs, in the order in which they are ready, used ones first."""
    if not _FILE.is_file():
        return {}
    stored = json.loads(_FILE.read_text(encoding="utf-8"))
    kinds = frozen(stored["types"])
    kernels = [
        Recorded(name, tuple(kinds[number] for number in arguments), inner)
        for name, arguments, inner in stored["kernels"]
    ]
    return {
        command: [kernels[number] for number in numbers] for command, numbers in stored["commands"].items()
    }


def write_record(record: dict[str, list[Recorded]], path: Path = _FILE) -> None:
    kernels = list(dict.fromkeys(one for rows in record.values() for one in rows))
    kinds = list(dict.fromkeys(kind for one in kernels for kind in one.arguments))
    rows = [(one.kernel, [kinds.index(kind) for kind in one.arguments], one.inner) for one in kernels]
    commands = {command: [kernels.index(one) for one in needed] for command, needed in record.items()}
    parts = [f'"types": {_lines(kinds)}', f'"kernels": {_lines(rows)}', f'"commands": {json.dumps(commands)}']
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def _lines(rows: Sequence[Any]) -> str:
    """A JSON list with one line for each of its elements."""
    return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]"


def frozen(words: Any) -> Any:
    """Lists that JSON has made, as tuples again."""
    return tuple(map(frozen, words)) if isinstance(words, list) else words


# ---- types in words


def describe(kind: Any) -> Any:
    """A type in words: "float64", "int64[2C]", "float64[1C] read-only", or a tuple of such.

    A tuple begins with its sort: "named tuple" and its class, "tuple", "rows" of a record, or a "record".
    """
    if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Number | types.Boolean):
        return f"{kind.dtype}[{kind.ndim}{kind.layout}]{'' if kind.mutable else ' read-only'}"
    if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Record):
        return ("rows", describe(kind.dtype), kind.ndim, kind.layout, kind.mutable)
    if isinstance(kind, types.Record):
        return ("record", _describe_dtype(as_dtype(kind)))
    fields: Any = kind
    if isinstance(kind, types.BaseTuple):
        record = getattr(kind, "instance_class", None)  # of named tuples
        if record is None:
            return ("tuple", *map(describe, fields))
        return ("named tuple", f"{record.__module__}:{record.__qualname__}", *map(describe, fields))
    if isinstance(kind, types.Number | types.Boolean | types.NoneType):
        return str(kind)
    raise _Unwritable(str(kind))


def type_of(words: Any) -> Any:
    """The type that some words mean."""
    if isinstance(words, tuple):
        sort, *rest = words
        if sort == "record":
            return from_dtype(_dtype_of(rest[0]))
        if sort == "rows":
            record, dimensions, layout, mutable = rest
            return types.Array(type_of(record), dimensions, layout, readonly=not mutable)
        if sort == "tuple":
            return types.BaseTuple.from_types(tuple(map(type_of, rest)))
        module, _, qualified = rest[0].partition(":")
        return types.BaseTuple.from_types(
            tuple(map(type_of, rest[1:])), getattr(import_module(module), qualified)
        )
    name, _, shape = words.removesuffix(" read-only").partition("[")
    scalar = types.boolean if name == "bool" else getattr(types, name)
    if not shape:
        return scalar
    return types.Array(scalar, int(shape[:-2]), shape[-2], readonly=words.endswith(" read-only"))


def _describe_dtype(dtype: np.dtype[Any]) -> Any:
    """A dtype in words: its name, an array of such, or the fields of a record, aligned or not."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return ("array", _describe_dtype(base), tuple(shape))
    if dtype.names is None:
        return dtype.str
    fields = tuple((name, _describe_dtype(dtype[name])) for name in dtype.names)
    return ("fields", dtype.isalignedstruct, fields)


def _dtype_of(words: Any) -> np.dtype[Any]:
    """The dtype that some words mean."""
    if isinstance(words, str):
        return np.dtype(words)
    if words[0] == "array":
        return np.dtype((_dtype_of(words[1]), words[2]))
    return np.dtype([(name, _dtype_of(kind)) for name, kind in words[2]], align=words[1])


# ---- recording


class _Recorder(Listener):
    """Notes kernels as they are finished."""

    def __init__(self) -> None:
        self.rows: list[Recorded] = []

    def on_start(self, event: Event) -> None:
        pass

    def on_end(self, event: Event) -> None:
        dispatcher = event.data["dispatcher"]
        if isinstance(getattr(dispatcher, "_cache", None), KernelCache):
            function = dispatcher.py_func
            try:
                arguments = tuple(map(describe, event.data["args"]))
            except _Unwritable as kind:
                print(f"{function.__name__}: no word for {kind}", file=sys.stderr)
                return
            inner = bool(dispatcher.targetoptions.get("no_cpython_wrapper"))
            self.rows.append(Recorded(f"{function.__module__}.{function.__qualname__}", arguments, inner))


@contextmanager
def recording() -> Iterator[list[Recorded]]:
    """Note the kernels that are compiled meanwhile."""
    recorder = _Recorder()
    with install_listener("numba:compile", recorder):
        yield recorder.rows
