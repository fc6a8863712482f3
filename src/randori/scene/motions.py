"""Where a scene's motion comes from: the performer (kept on disk once made), recordings, or a library."""

import hashlib
import os
from collections.abc import Generator, Sequence
from functools import lru_cache
from glob import escape, glob
from pathlib import Path

from randori import __version__
from randori.capture.actions import Analysis
from randori.capture.analysis import analyse
from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary, building_library
from randori.graph.library_file import read, write
from randori.graph.recordings import capturing
from randori.motion.clip import Clip
from randori.performer import performing
from randori.scene.scene import Motions

_SOURCES = ("motion", "performer", "capture", "graph")  # the rooms that decide what a performed library holds


def preparing(motions: Motions, folder: Path) -> Generator[float, None, ActionGraph]:
    """The graph of a scene's motions; yields the share that is done. Paths are seen from `folder`."""
    if motions.library is not None:
        yield 0.0
        library = read(folder / motions.library)
    elif motions.files:
        library = yield from capturing(_find_files(motions.files, folder), mirrored=motions.mirrored)
    else:
        library = yield from performed(motions)
    yield 1.0
    return graph_with_choices(library, motions.choices)


def performed(motions: Motions) -> Generator[float, None, ActionLibrary]:
    """The library of some sets of the performer: made once, then read."""
    path = _kept_at(motions)
    if path.is_file():
        try:
            return read(path)
        except FileError:
            pass  # damaged, or of another version: it is made anew
    library = yield from _perform(motions)
    _keep(path, library)
    return library


def _perform(motions: Motions) -> Generator[float, None, ActionLibrary]:
    recordings: list[tuple[Clip, Analysis]] = []
    for number, name in enumerate(motions.perform):
        work = performing(name, motions.seconds, motions.seed, motions.body)
        while True:
            try:
                yield (number + 0.9 * next(work)) / (len(motions.perform) + 0.2)
            except StopIteration as finished:
                recordings += [(take.clip, analyse(take.clip)) for take in finished.value]
                break
    work_left = building_library(recordings, mirrored=motions.mirrored)
    while True:
        try:
            next(work_left)
            yield len(motions.perform) / (len(motions.perform) + 0.2)
        except StopIteration as finished:
            return finished.value


def _kept_at(motions: Motions) -> Path:
    """The file of a performed library: named after what was asked for, and after what made it."""
    length = "whole" if motions.seconds is None else f"{motions.seconds:g}s"
    mirrored = "-mirrored" if motions.mirrored else ""
    asked = f"{'+'.join(motions.perform)}-{motions.body}-{motions.seed}-{length}{mirrored}"
    return cache_folder() / "libraries" / f"{asked}-{_source_hash()}.npz"


@lru_cache(maxsize=1)
def _source_hash() -> str:
    """Of everything that decides what the performer does and what is found in it."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).parents[1]
    for room in _SOURCES:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _keep(path: Path, library: ActionLibrary) -> None:
    """Keep a library for the next run, and drop what older versions made for the same wish."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, library)
    except (OSError, FileError):
        return  # no room for a cache: the next run makes it again
    wish = path.name.rpartition("-")[0]
    for other in path.parent.glob(f"{escape(wish)}-????????????????.npz"):
        if other != path:
            other.unlink(missing_ok=True)


def _find_files(patterns: Sequence[str], folder: Path) -> list[str]:
    """The recordings that patterns name, in a fixed order."""
    found = []
    for pattern in patterns:
        paths = sorted(glob(os.path.join(folder, pattern)))
        if not paths:
            raise RandoriError(f"files: there are no recordings at {pattern!r}, seen from {folder}")
        found += [path for path in paths if path not in found]
    return found
