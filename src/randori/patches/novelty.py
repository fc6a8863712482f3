"""Novelty as a rule: which patches a character may play again, and which it should rather avoid.

Patches with the same telling actions count as one pair of actions. A pair of actions does not return within a
window; a pair of techniques returns only where nothing else fits.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from randori.graph.library import ActionLibrary
from randori.patches.library import PatchArrays
from randori.patches.prepared import Prepared

ACTION_WINDOW = 20.0  # seconds in which the same character does not play a pair of actions again
SHORT_WINDOW = 10.0  # the same where nothing else was found for a while: still not three times in 20 s
TECHNIQUE_WINDOW = 8.0  # seconds in which it does not play a pair of techniques again, if it can help it
RATHER = 0.15  # preference for a pair of techniques that is fresh: it counts more than usage
_TELLING_KINDS = (
    "attack",
    "defence",
    "fall",
    "reaction",
    "luggage",
)  # kinds of actions that tell patches apart
_NEVER_TICK = -(10**9)  # tick


class Kinds(NamedTuple):
    """The pair of actions and the pair of techniques of each patch."""

    actions: np.ndarray  # (N,) int64
    techniques: np.ndarray  # (N,) int64


@lru_cache(maxsize=8)
def kinds_of(prepared: Prepared) -> Kinds:
    """The pairs of a library of patches."""
    arrays, library = prepared.patches.arrays, prepared.graph.library
    return Kinds(*(_numbered(arrays, library, techniques) for techniques in (False, True)))


def _numbered(arrays: PatchArrays, library: ActionLibrary, techniques: bool) -> np.ndarray:
    """(N,) int64: a number for each patch; patches with the same telling actions or techniques share it."""
    known: dict[tuple[object, ...], int] = {}
    numbers = []
    for patch in range(len(arrays.pattern)):
        key = tuple(_telling(arrays, library, 2 * patch + role, techniques) for role in (0, 1))
        numbers.append(known.setdefault(key, len(known)))
    return np.array(numbers, dtype=np.int64)


def _telling(arrays: PatchArrays, library: ActionLibrary, part: int, techniques: bool) -> tuple[object, ...]:
    """The actions that distinguish a part: standing and stepping do not, unless the part has nothing else."""
    tags = library.tags
    actions = arrays.step["action"][arrays.step_start[part] : arrays.step_start[part + 1]].tolist()
    people = [action for action in actions if action < len(tags)]
    telling = [action for action in people if tags[action].kind in _TELLING_KINDS] or people[-1:]
    return tuple((tags[one].technique, tags[one].side) for one in telling) if techniques else tuple(telling)


class Novelty:
    """The recent patches of characters and of pairs of them."""

    def __init__(self, prepared: Prepared):
        self._kinds, self._fps = kinds_of(prepared), prepared.graph.library.fps
        self._played: dict[int, Kinds] = {}  # by owner of a memory: the last tick of every pair

    def _memory(self, owner: int) -> Kinds:
        if owner not in self._played:
            self._played[owner] = Kinds(*(np.full(int(one.max()) + 1, _NEVER_TICK) for one in self._kinds))
        return self._played[owner]

    def play(self, owner: int, number: int, tick: int) -> None:
        """A patch is played."""
        for kinds, last in zip(self._kinds, self._memory(owner)):
            last[kinds[number]] = tick

    def fresh(self, owner: int, tick: int, window: float = ACTION_WINDOW) -> np.ndarray:
        """(2 N,) bool: parts of patches whose pair of actions was not played within a window of seconds."""
        fresh = tick - self._memory(owner).actions >= window * self._fps
        return np.repeat(fresh[self._kinds.actions], 2)

    def taste(self, owner: int, tick: int) -> np.ndarray:
        """(2 N,) preference for parts of patches whose pair of techniques is fresh."""
        fresh = tick - self._memory(owner).techniques >= TECHNIQUE_WINDOW * self._fps
        return np.repeat(RATHER * fresh[self._kinds.techniques], 2)
