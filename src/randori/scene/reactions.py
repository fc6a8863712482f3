"""Reactions of a struck body, from its own motions: recoil, stagger or fall, by the force of the blow."""

from typing import NamedTuple

import numpy as np

from randori.duel.fighter import RULES_OF_BOXING
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.places import compose, inverse
from randori.graph.similarity import distances_from, poses_of
from randori.motion import rotations as rot

RECOIL, STAGGER, FALL = range(3)  # how strong a blow is
# (kind, beginnings of techniques) that answer a blow; the first that the motions have
_ANSWERS = {
    RECOIL: (("reaction", ("recoil",)),),
    STAGGER: (("reaction", ("stagger", "pushed")), ("reaction", ("recoil",))),
    FALL: (("fall", ("",)), ("reaction", ("stagger", "pushed"))),
}
_CALM_KINDS = ("transition", "locomotion", "rise")
_REACTION_ANGLE = np.deg2rad(60.0)  # between the direction of a blow and the motion of a reaction
_AT_FIRST = 0.25  # seconds of a reaction in which it goes where the blow drives
_FIERCE_FACTOR = 10  # times longer that an action counts on the way up that is not done calmly


class Blow(NamedTuple):
    """A hit on a character of another controller."""

    along: tuple[float, float]  # x, z, the way that it drives
    damage: float  # as in a duel: metres per second, weighted by the part that is struck
    hurt: float  # damage that was taken lately, this blow included

    @property
    def strength(self) -> int:
        """By the rules of a duel."""
        rules = RULES_OF_BOXING
        if self.damage >= rules.felling or (self.damage >= rules.heavy and self.hurt >= rules.stamina):
            return FALL
        return STAGGER if self.damage >= rules.heavy else RECOIL


class Reactions:
    """The reactions that the motions of a graph have. A character without any only gives way, as refined."""

    def __init__(self, library: ActionLibrary, graph: ActionGraph | None = None):
        """With a graph of the library, the actions after a reaction are known."""
        self.graph, self.library = graph, library
        tags = library.tags
        ends = graph.end_posture if graph is not None else np.zeros(len(library), dtype=np.int64)
        self._answers: list[np.ndarray] = []
        for strength in (RECOIL, STAGGER, FALL):
            found: list[int] = []
            for kind, techniques in _ANSWERS[strength]:
                found = found or [
                    action
                    for action in range(len(self.library))
                    if tags[action].kind == kind
                    and tags[action].technique.startswith(techniques)
                    and ends[action] >= 0
                ]
            self._answers.append(np.array(found, dtype=np.int64))
        self.driven = self._driven()
        self._ways_up: dict[int, tuple[int, ...]] = {}

    def _driven(self) -> np.ndarray:
        """(A, 2) metres to the left and forward, as the pelvis sees it, that actions move a body at first."""
        library = self.library
        start, stop = library.actions.start, library.actions.stop
        later = np.minimum(start + round(_AT_FIRST * library.fps), stop - 1)
        falls = np.array([tags.kind == "fall" for tags in library.tags], dtype=bool)
        later[falls] = stop[falls] - 1  # a fall may begin with a stagger: where it ends counts
        joints = [library.skeleton.joint("pelvis"), library.skeleton.joint("head")]
        places = library.positions[:, joints].mean(axis=1)[:, [0, 2]]
        x, z = (places[later] - places[start]).T
        yaw = library.placements[start, 2]
        return np.column_stack([x * np.cos(yaw) - z * np.sin(yaw), x * np.sin(yaw) + z * np.cos(yaw)])

    def answer(self, frame: int, yaw: float, blow: Blow) -> int:
        """The reaction to a blow in a frame whose recording is turned by a yaw; -1 for none."""
        some = self._answers[blow.strength]
        if len(some) == 0:
            return -1
        heading = float(self.library.placements[frame, 2]) + yaw
        x, z = blow.along
        wanted = np.arctan2(x, z) - heading
        moved = self.driven[some]
        off = np.abs(rot.wrap_angle(np.arctan2(moved[:, 0], moved[:, 1]) - wanted))
        some = some[off <= max(_REACTION_ANGLE, float(off.min()))]
        frames = np.concatenate([[frame], self.library.actions.start[some]])
        return int(some[np.argmin(distances_from(poses_of(self.library, frames), 0)[1:])])

    def way_up(self, action: int) -> tuple[int, ...]:
        """The actions after a reaction until the character stands again: none, or lying and getting up."""
        if self.graph is None:
            return ()
        posture = int(self.graph.end_posture[action])
        if posture not in self._ways_up:
            self._ways_up[posture] = self._shortest(self.graph, posture)
        return self._ways_up[posture]

    def _shortest(self, graph: ActionGraph, posture: int) -> tuple[int, ...]:
        """The calmest actions from a posture to one that a calm step or stand begins in, and ends."""
        library = self.library
        ticks = library.actions.stop - library.actions.start
        stands = {
            int(graph.start_posture[action])
            for action in graph.actions.tolist()
            if library.tags[action].kind in _CALM_KINDS[:2]
            and library.tags[action].technique not in ("lie", "roll over")
        }
        best: dict[int, tuple[int, tuple[int, ...]]] = {posture: (0, ())}
        waiting, done = [posture], set()
        while waiting:
            here = min(waiting, key=lambda one: (best[one][0], one))
            waiting.remove(here)
            if here in stands:
                return best[here][1]
            done.add(here)
            for action in graph.choices(here).tolist():
                calm = library.tags[action].kind in _CALM_KINDS
                taken = best[here][0] + int(ticks[action]) * (1 if calm else _FIERCE_FACTOR)
                there = int(graph.end_posture[action])
                if there not in done and (there not in best or taken < best[there][0]):
                    best[there] = taken, (*best[here][1], action)
                    waiting += [] if there in waiting else [there]
        return ()


def goes_on_at(library: ActionLibrary, before: int, place: np.ndarray, first: int) -> np.ndarray:
    """(3,) where a recording goes so that the pelvis in frame `first` is where it is in frame `before`."""
    here = compose(library.placements[[before]], place[None])
    return compose(inverse(library.placements[[first]]), here)[0]
