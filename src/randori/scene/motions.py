"""The graphs that fighters choose their actions in."""

from collections.abc import Generator
from functools import lru_cache
from pathlib import Path

from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.graph.motions import Motions, gathering
from randori.graph.turned import performed_with_turns
from randori.graph.turning import with_turns


def preparing(motions: Motions, folder: Path) -> Generator[float, None, ActionGraph]:
    """The graph of a scene's motions; yields the share that is done. Paths are seen from `folder`."""
    if motions.perform and motions.turned:
        library = yield from performed_with_turns(motions.performance)
        yield 1.0
        return _joined(library, False, motions.choices)
    library = yield from gathering(motions, folder)
    yield 1.0
    return _joined(library, motions.turned, motions.choices)


@lru_cache(maxsize=2)  # a scene that runs again need not join its motions again
def _joined(library: ActionLibrary, turned: bool, choices: float) -> ActionGraph:
    return graph_with_choices(with_turns(library) if turned else library, choices)
