"""A scene's motions and patches, ready to compose with: worked out once, then read from the cache."""

import hashlib
from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from randori.errors import FileError
from randori.folders import cache_folder
from randori.formats.texts import read_text
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.motions import gathering
from randori.patches.build import building
from randori.patches.captured_luggage import with_luggage
from randori.patches.joins import joining
from randori.patches.library import PatchLibrary, fingerprint, read_patches, write_patches
from randori.patches.pattern import PatchScene, parse_patterns, read_patterns, scene_text
from randori.patches.stock import Stock, build_stock
from randori.patches.ways import Ways, ways_of
from randori.sources import source_hash
from randori.work import finish, part

_WORKING_FOLDER = Path()


@dataclass(frozen=True, eq=False)
class Prepared:
    """The motions and patches that a scene is composed of."""

    graph: ActionGraph
    patches: PatchLibrary

    @cached_property
    def stock(self) -> Stock:
        """The motions, as kernels want them."""
        return build_stock(self.graph)

    @cached_property
    def ways(self) -> Ways:
        """The patches, tick by tick."""
        return ways_of(self.patches.arrays, self.stock)


def preparing_graph(scene: PatchScene, folder: Path = _WORKING_FOLDER) -> Generator[float, None, ActionGraph]:
    """The graph of a scene's motions, seen from a folder; yields the share that is done."""
    library = yield from gathering(scene.motions, folder)
    yield 1.0
    return build_action_graph(with_luggage(library), scene.motions.threshold)


def preparing(name: str, workers: int | None = None) -> Generator[float, None, Prepared]:
    """A shipped scene's motions and patches; yields the share that is done."""
    return (yield from preparing_patches(read_patterns(name), scene_text(name), _WORKING_FOLDER, workers))


def build_patches(scene: str | PathLike[str], workers: int | None = None) -> PatchLibrary:
    """The patches of a shipped scene of patterns or of a pattern file; built once, then read from the cache.

    >>> patches = build_patches("two-fight")
    >>> len(patches)
    """
    text = patterns_text(scene)
    patterns = parse_patterns(text, Path(scene).stem)
    return finish(preparing_patches(patterns, text, Path(scene).parent, workers)).patches


def patterns_text(scene: str | PathLike[str]) -> str:
    """The text of a pattern file (.toml), or of a shipped scene of patterns."""
    file = Path(scene)
    return read_text(file) if file.suffix == ".toml" and file.is_file() else scene_text(str(scene))


def preparing_patches(
    scene: PatchScene,
    text: str,
    folder: Path,
    workers: int | None = None,
    graph: ActionGraph | None = None,
) -> Generator[float, None, Prepared]:
    """The motions and patches of some patterns, with paths relative to a folder; yields the share.

    A graph of the motions that is given is used as it is.
    """
    if graph is None:
        graph = yield from part(preparing_graph(scene, folder), 0.0, 0.3)
    name = scene.name
    path = kept_at(name, text, graph)
    if path.is_file():
        try:
            return Prepared(graph, read_patches(path, graph.library))
        except FileError:
            pass  # damaged, or of another version: it is made again
    patches = yield from part(working_out(scene, text, graph, Where(workers)), 0.3, 0.7)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_patches(path, patches)
        _drop_others(path, name)
    except (OSError, FileError):
        pass  # no room for a cache: the next run works it out again
    return Prepared(graph, patches)


class Where(NamedTuple):
    """The machines and processes that do the work; see parallel.py."""

    workers: int | None = None
    processes: bool = False
    cluster: str | None = None
    folder: Path | None = None  # keeps finished parts


def working_out(
    scene: PatchScene, text: str, graph: ActionGraph, where: Where | None = None
) -> Generator[float, None, PatchLibrary]:
    """A scene's patches with their tables of joins."""
    where = where or Where()
    built = yield from part(building(scene, text, graph, *where), 0.0, 0.8)
    return (yield from part(joining(built, graph, where.workers, where.processes, where.cluster), 0.8, 0.2))


def kept_at(name: str, text: str, graph: ActionGraph) -> Path:
    """The file of a scene's patches in the cache: its name depends on everything that decides the content."""
    key = hashlib.sha256(f"{source_hash(__name__)} {text} {fingerprint(graph.library)}".encode())
    return cache_folder() / "patches" / f"{name}-{key.hexdigest()[:16]}.npz"


def _drop_others(path: Path, name: str) -> None:
    for other in path.parent.glob(f"{name}-????????????????.npz"):
        if other != path:
            other.unlink(missing_ok=True)
