"""Walking over a graph at random, and making one clip of the pieces that were passed."""

from collections.abc import Sequence

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.frame_graph import FrameGraph
from randori.graph.joining import JOIN_SECONDS, Piece, Walk, bake, seen_in_world
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement

SHIFT = 5.0 / 60.0  # seconds by which a cut or an entry may move to where two pieces fit best
_BETWEEN_JOINS = JOIN_SECONDS  # seconds that a random walk over frames goes on before it jumps again
_RECENT_ACTIONS = 8  # actions that a random walk would rather not do again


def random_actions(graph: ActionGraph, seconds: float, seed: int = 1) -> list[int]:
    """Actions in a row that follow on each other and last at least so long."""
    if len(graph.indices) == 0:
        raise RandoriError("there is nothing to walk over: the graph kept no action")
    random = np.random.default_rng(seed)
    action = int(random.choice(graph.indices))
    chosen, passed = [action], float(graph.library.durations[action])
    while passed < seconds:
        choices = graph.choices(int(graph.end_posture[action]))
        fresh = choices[~np.isin(choices, chosen[-_RECENT_ACTIONS:])]
        action = int(random.choice(fresh if len(fresh) else choices))
        chosen.append(action)
        passed += float(graph.library.durations[action])
    return chosen


def place_actions(graph: ActionGraph, actions: Sequence[int]) -> list[Piece]:
    """The actions one after the other: each starts in the frame of the posture that the last one ended in.

    Where one is left, and the next one entered, moves by a few frames to where they fit best.
    """
    library = graph.library
    pieces = []
    here = Placement()
    for action in actions:
        placement = Placement(*graph.entry[action]).inverse().then(here)
        here = Placement(*graph.displacement[action]).then(here)
        pieces.append(Piece(int(library.actions.start[action]), int(library.actions.stop[action]), placement))
    return _shift_cuts(library, pieces)


def random_walk(graph: ActionGraph, seconds: float, seed: int = 1) -> Walk:
    """A clip of so many seconds that goes over the graph at random."""
    return bake(graph.library, place_actions(graph, random_actions(graph, seconds, seed)), f"walk {seed}")


def random_frame_walk(graph: FrameGraph, seconds: float, seed: int = 1) -> Walk:
    """A clip of so many seconds that goes over a frame-level graph at random."""
    if len(graph.target) == 0:
        raise RandoriError("there is nothing to walk over: the graph kept no frame")
    random = np.random.default_rng(seed)
    state, here = int(random.integers(len(graph.state_frame))), Placement()
    passed, joined = 0.0, -_BETWEEN_JOINS
    pieces = []
    while passed < seconds:
        choices = np.arange(graph.indptr[state], graph.indptr[state + 1])
        if passed - joined < _BETWEEN_JOINS and graph.distance[choices[0]] == 0.0:
            choices = choices[:1]  # it just goes on
        action = int(random.choice(choices))
        if graph.distance[action] > 0.0:
            joined = passed
        here = Placement(*graph.fit[action]).then(here)
        state = int(graph.target[action])
        # the frame before j is the same moment as the state that is left
        pieces.append(Piece(int(graph.first[action]) - 1, int(graph.state_frame[state]), here))
        passed += float(graph.durations[action])
    return bake(graph.library, _shift_cuts(graph.library, pieces), f"frame walk {seed}")


def _shift_cuts(library: ActionLibrary, pieces: list[Piece]) -> list[Piece]:
    """The pieces with the frames where they meet moved to where places and velocities differ least."""
    reach = round(SHIFT * library.fps)
    shifted = list(pieces)
    for k in range(len(pieces) - 1):
        a, b = shifted[k], shifted[k + 1]
        if a.last == b.first:
            continue
        clip_a, clip_b = (library.clips[int(library.frames.clip[piece.first])] for piece in (a, b))
        shortest = 2 * reach
        cuts = np.arange(
            max(a.last - reach, min(a.first + shortest, a.last)), min(a.last + reach + 1, clip_a.stop)
        )
        entries = np.arange(
            max(b.first - reach, clip_b.start), min(b.first + reach, max(b.last - shortest, b.first)) + 1
        )
        if len(cuts) == 0 or len(entries) == 0:
            continue
        leaving, entering = (
            seen_in_world(library, cuts, a.placement),
            seen_in_world(library, entries, b.placement),
        )
        apart = ((leaving[:, None] - entering[None]) ** 2).sum(axis=-1)
        cut, entry = np.unravel_index(int(np.argmin(apart)), apart.shape)
        shifted[k] = a._replace(last=int(cuts[cut]))
        shifted[k + 1] = b._replace(first=int(entries[entry]))
    return shifted
