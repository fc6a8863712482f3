"""Where a scene's motion comes from: the performer (kept on disk once made), recordings, or a library."""

import os
from collections.abc import Generator, Sequence
from functools import lru_cache
from glob import escape, glob
from pathlib import Path

from randori.errors import RandoriError
from randori.graph import performed as performance
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.graph.library_file import read_again
from randori.graph.recordings import capturing
from randori.graph.turning import with_turns
from randori.scene.scene import Motions


def preparing(motions: Motions, folder: Path) -> Generator[float, None, ActionGraph]:
    """The graph of a scene's motions; yields the share that is done. Paths are seen from `folder`."""
    if motions.library is not None:
        yield 0.0
        library = read_again(folder / motions.library)
    elif motions.files:
        library = yield from capturing(find_files(motions.files, folder), mirrored=motions.mirrored)
    else:
        library = yield from performed(motions)
    yield 1.0
    return _joined(library, motions.turned, motions.choices)


@lru_cache(maxsize=2)  # whoever runs a scene again need not join its motions again
def _joined(library: ActionLibrary, turned: bool, choices: float) -> ActionGraph:
    return graph_with_choices(with_turns(library) if turned else library, choices)


def performed(motions: Motions) -> Generator[float, None, ActionLibrary]:
    """The library of some sets of the performer: made once, then read."""
    asked = (motions.perform, motions.seconds, motions.seed, motions.body, motions.mirrored)
    return (yield from performance.performed(performance.Performance(*asked)))


def find_files(patterns: Sequence[str], folder: Path) -> list[str]:
    """The recordings that patterns name, in a fixed order."""
    found = []
    for pattern in patterns:
        paths = sorted(glob(os.path.join(escape(str(folder)), pattern)))
        if not paths:
            raise RandoriError(f"files: there are no recordings at {pattern!r}, seen from {folder}")
        found += [path for path in paths if path not in found]
    return found
