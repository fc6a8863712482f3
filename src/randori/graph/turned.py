"""Performed libraries with copies that turn: made once, then read from the cache."""

from collections.abc import Generator

from randori.errors import FileError
from randori.graph.library import ActionLibrary
from randori.graph.library_file import read_again
from randori.graph.performed import Performance, keep, performed
from randori.graph.turning import with_turns
from randori.sources import source_hash


def performed_with_turns(wanted: Performance) -> Generator[float, None, ActionLibrary]:
    """The library of a performance, with turned copies; yields the share that is done."""
    wish = wanted.path.stem.rpartition("-")[0]
    path = wanted.path.with_name(f"{wish}-turned-{source_hash(__name__)}.npz")
    if path.is_file():
        try:
            return read_again(path)
        except FileError:
            pass  # damaged, or of another version: it is made again
    library = with_turns((yield from performed(wanted)))
    keep(path, library)
    return library
