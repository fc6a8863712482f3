"""Moments at which an action can be broken off, and at which a struck fighter regains control.

In a frame that is similar to a posture of the graph, everything that starts in that posture can follow.
"""

from typing import NamedTuple

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.places import compose
from randori.graph.similarity import Poses, distances_between, fit

# Metres between a frame and the posture that an action is broken off into: as for the ways out of a posture
# with few choices (graph/action_graph.py), where joins turned out smooth.
SIMILAR = 0.2
# Of the mean number of choices of a posture: with fewer there is hardly a defence or a step among them.
ENOUGH_CHOICES = 0.25
# Seconds from the start of an action in which it is not broken off. A step that was just begun is still
# being blended in. A light hit costs people about a simple reaction time; after a stagger they first find
# their feet.
COMMITTED = {
    "transition": 0.1,
    "locomotion": 0.1,
    "defence": 0.2,
    "attack": 0.0,
    "recoil": 0.2,
    "stagger": 0.5,
}
# Seconds after which a fighter that only stands may select again: recorded stands last up to 3 s, and boxers
# that wait for each other let one to two pass.
LONGEST_STAND = 1.0
_UNBREAKABLE_TECHNIQUES = ("lie", "roll over")  # techniques of fighters that are down


class Breaks(NamedTuple):
    """Frames at which actions can be broken off: a row for each of F frames."""

    posture: np.ndarray  # (F,) int64: the posture to go on from, or -1
    place: np.ndarray  # (F, 3) where the recording has that posture's frame


class Ends(NamedTuple):
    """The ends of A actions."""

    ticks: np.ndarray  # (A,) int64, how long it takes
    posture: np.ndarray  # (A,) int64
    exit: np.ndarray  # (A, 3) where the recording has the posture's frame


def find_breaks(graph: ActionGraph, poses: Poses, choices: np.ndarray) -> Breaks:
    """For every frame in which an action can be broken off the most similar posture with enough choices.

    `choices` (P,) says how many there are in each posture.
    """
    library = graph.library
    posture = np.full(len(poses.frames), -1, dtype=np.int64)
    place = np.zeros((len(poses.frames), 3))
    free = np.flatnonzero(_uncommitted(library))
    rich = np.flatnonzero(choices >= ENOUGH_CHOICES * choices[graph.end_posture[graph.actions]].mean())
    if len(free) == 0 or len(rich) == 0:
        return Breaks(posture, place)
    apart = distances_between(poses, free, graph.posture_frame[rich])
    nearest = np.argmin(apart, axis=1)
    similar = apart[np.arange(len(free)), nearest] <= SIMILAR
    free, nearest = free[similar], rich[nearest[similar]]
    founders = graph.posture_frame[nearest]
    posture[free] = nearest
    place[free] = compose(library.placements[founders], fit(poses, free, founders))
    return Breaks(posture, place)


def _uncommitted(library: ActionLibrary) -> np.ndarray:
    """(F,) bool: the frames in which a fighter could do something else: it neither strikes nor is it down."""
    free = np.zeros(len(library.frames.clip), dtype=bool)
    for action, tags in enumerate(library.tags):
        word = tags.technique if tags.kind == "reaction" else tags.kind
        if word not in COMMITTED or tags.technique in _UNBREAKABLE_TECHNIQUES:
            continue
        first = library.actions.start[action] + round(COMMITTED[word] * library.fps)
        strikes = slice(library.actions.strike_start[action], library.actions.strike_start[action + 1])
        first = max(first, int(library.strikes.stop[strikes].max(initial=0)))
        free[first : library.actions.stop[action]] = True
    for start, stop in zip(library.strikes.start, library.strikes.stop):
        free[start:stop] = False
    return free


def regain_control(graph: ActionGraph, breaks: Breaks) -> Ends:
    """Every action ends as in the graph, but reactions and long stands where they can be broken off.

    A reaction ends as soon as it can be broken off, a stand after `LONGEST_STAND` seconds.
    """
    library = graph.library
    ticks = library.actions.stop - library.actions.start
    posture, exits = graph.end_posture.copy(), graph.exit.copy()
    for action, tags in enumerate(library.tags):
        if posture[action] < 0 or (tags.kind != "reaction" and tags.technique != "stand"):
            continue
        start = library.actions.start[action]
        first = start if tags.kind == "reaction" else start + round(LONGEST_STAND * library.fps)
        found = np.flatnonzero(breaks.posture[first : library.actions.stop[action]] >= 0)
        if len(found):
            frame = first + found[0]
            ticks[action], posture[action], exits[action] = (
                frame - start,
                breaks.posture[frame],
                breaks.place[frame],
            )
    return Ends(ticks, posture, exits)
