"""The state-action model: what an avatar can do in each state of a frame-level graph, and where it leads.

An avatar's own frame is on the floor below its pelvis and turned as its head looks: punches are spread less
about the way that the head looks than about hips or chest.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from randori.graph.frame_graph import FrameGraph, build_frame_graph
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.places import compose, inverse
from randori.kernels.policy import MOMENT
from randori.motion import rotations as rot

# Largest difference of frames at which one is left for the other (metres, see graph/similarity.py).
THRESHOLD = 0.16
_CAUSED = ("reaction", "fall", "rise")  # kinds of actions that a blow causes, and what follows on them
_ON_FLOOR = ("lie", "roll over")  # techniques
SHORTEST = 0.2  # seconds that must pass after a transition before there is the next choice


class Moves(NamedTuple):
    """The actions of all states."""

    indptr: np.ndarray  # (S + 1,) int64: the actions of state s are indptr[s] ≤ a < indptr[s + 1]
    goal: np.ndarray  # (A,) int64, the state that an action ends in
    first: np.ndarray  # (A,) int64, the library's frame that is the same moment as the state it leaves
    ticks: np.ndarray  # (A,) int64, how long it takes
    fit: np.ndarray  # (A, 3) moves its recording to where it fits the state's recording
    move: np.ndarray  # (A, 3) x, z, yaw of the avatar's frame at its end, as it sees it at the start


class Marks(NamedTuple):
    """Points in frames of the library that a behaviour looks at, in the order of the frames."""

    frame: np.ndarray  # (K,) int64
    point: np.ndarray  # (K, 3) metres, as recorded
    weight: np.ndarray  # (K,) 0 to 1


NO_MARKS = Marks(np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros(0))


class Moments(NamedTuple):
    """The marks that lie in each action, as its state sees them (CSR over actions)."""

    indptr: np.ndarray  # (A + 1,) int64
    tick: np.ndarray  # (M,) int64, after the action's start
    point: np.ndarray  # (M, 3) metres in the avatar's frame
    worth: np.ndarray  # (M,) weight · γ^tick

    def records(self) -> np.ndarray:
        """(M,) MOMENT for kernels."""
        rows = np.empty(len(self.tick), MOMENT)
        rows["tick"], rows["worth"] = self.tick, self.worth
        rows["x"], rows["y"], rows["z"] = self.point.T
        return rows


class Hits(NamedTuple):
    """The effective frames of strikes, in the order of the frames."""

    frame: np.ndarray  # (K,) int64
    effector: np.ndarray  # (K,) int64, an index into EFFECTORS
    strike: np.ndarray  # (K,) int64, of the library
    point: np.ndarray  # (K, 3) metres, the tip of what strikes, as recorded
    velocity: np.ndarray  # (K, 3) metres per second


@dataclass(frozen=True, eq=False)
class Model:
    """A frame-level graph as an avatar uses it."""

    graph: FrameGraph
    moves: Moves

    @classmethod
    def of(cls, library: ActionLibrary, threshold: float = THRESHOLD, shortest: float = SHORTEST) -> "Model":
        """Build the graph of a library and its moves."""
        graph = build_frame_graph(library, threshold, involuntary(library))
        return cls(graph, _moves(graph, round(shortest * library.fps)))

    @property
    def library(self) -> ActionLibrary:
        return self.graph.library

    @cached_property
    def places(self) -> np.ndarray:
        """(F, 3) the avatar's frame in every frame of the library: x, z, yaw."""
        return avatar_places(self.library)

    @cached_property
    def hits(self) -> Hits:
        """All effective frames of all strikes."""
        return _hits(self.library)

    def as_seen(self, frame: np.ndarray, point: np.ndarray) -> np.ndarray:
        """(K, 3) recorded points (K, 3) of frames (K,), as the avatar sees them in these frames."""
        x, z, yaw = self.places[frame].T
        offset = point - np.column_stack([x, np.zeros(len(x)), z])
        return rot.rotate(rot.from_yaw(-yaw), offset)

    def seen_at_start(self, frames: np.ndarray) -> np.ndarray:
        """(A, N, 2) metres: the pelvis in frames (A, N) of each action, as the avatar sees it before."""
        count = frames.shape[1]
        places = compose(self.places[frames.ravel()], np.repeat(self._seen, count, axis=0))
        return places[:, :2].reshape(len(frames), count, 2)

    @cached_property
    def _seen(self) -> np.ndarray:
        """(A, 3) recorded → where it fits the state's recording → as the avatar sees it there."""
        moves = self.moves
        state = np.repeat(np.arange(len(moves.indptr) - 1), np.diff(moves.indptr))
        return compose(moves.fit, inverse(self.places[self.graph.state_frame[state]]))

    def striking_joint(self, effector: int) -> int:
        """The joint whose tip strikes, or the root for what this body does not have."""
        return _striking_joint(self.library, EFFECTORS[effector])

    def moments(self, marks: Marks, discount: float) -> Moments:
        """The places and times of the marks in each action; the discount is -ln γ per tick."""
        moves = self.moves
        start = np.searchsorted(marks.frame, moves.first + 1)
        stop = np.searchsorted(marks.frame, moves.first + moves.ticks, side="right")
        counts = stop - start
        indptr = np.concatenate([[0], np.cumsum(counts)])
        action = np.repeat(np.arange(len(counts)), counts)
        mark = np.arange(indptr[-1]) - indptr[action] + start[action]
        seen = self._seen[action]
        point = rot.rotate(rot.from_yaw(seen[:, 2]), marks.point[mark])
        point += np.column_stack([seen[:, 0], np.zeros(len(seen)), seen[:, 1]])
        tick = marks.frame[mark] - moves.first[action]
        return Moments(indptr, tick, point, marks.weight[mark] * np.exp(-discount * tick))


def involuntary(library: ActionLibrary) -> list[int]:
    """The actions that no avatar chooses: blows cause them, or they begin or end on the floor."""
    return [
        action
        for action, tags in enumerate(library.tags)
        if tags.kind in _CAUSED or tags.technique in _ON_FLOOR
    ]


def avatar_places(library: ActionLibrary) -> np.ndarray:
    """(F, 3) where the root is, x and z in metres, and the yaw that the head looks along."""
    head = library.skeleton.joint("head")
    turned = rot.multiply(library.global_rotations[:, head], rot.inverse(library.skeleton.reference[head]))
    ahead = rot.rotate(turned, rot.Z_AXIS)
    return np.column_stack([library.frames.root_position[:, [0, 2]], np.arctan2(ahead[:, 0], ahead[:, 2])])


def _moves(graph: FrameGraph, shortest: int) -> Moves:
    """The graph's actions; after a transition they go on for so many frames before the next choice."""
    library = graph.library
    clip_of_state = library.frames.clip[graph.state_frame]
    # Step 1. The state an action ends in: the next one, but not too soon, and in any case the clip's last.
    wanted = np.where(graph.distance > 0.0, graph.first + shortest - 1, graph.first)
    last_state = np.searchsorted(clip_of_state, library.frames.clip[graph.first], side="right") - 1
    goal = np.maximum(np.minimum(np.searchsorted(graph.state_frame, wanted), last_state), graph.target)

    # Step 2. Where it leads: recorded end → fitted to the state's recording → as the state's avatar sees it.
    places = avatar_places(library)
    state = np.repeat(np.arange(len(graph.state_frame)), np.diff(graph.indptr))
    end = compose(places[graph.state_frame[goal]], graph.fit)
    move = compose(end, inverse(places[graph.state_frame[state]]))
    first = graph.first - 1
    return Moves(graph.indptr, goal, first, graph.state_frame[goal] - first, graph.fit, move)


def _hits(library: ActionLibrary) -> Hits:
    """Every frame in which a strike may land, with the tip of what strikes and its velocity.

    A strike lands once it is at its fastest, not before: a fist that has its way still before it would
    go through what it hits.
    """
    strikes, skeleton = library.strikes, library.skeleton
    counts = np.maximum(strikes.stop - strikes.peak, 1)
    strike = np.repeat(np.arange(len(counts)), counts)
    frame = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + strikes.peak[strike]
    effector = strikes.effector[strike]
    joints = np.array([_striking_joint(library, name) for name in EFFECTORS], dtype=np.int64)[effector]
    starts = np.array([clip.start for clip in library.clips])[library.frames.clip[frame]]
    stops = np.array([clip.stop for clip in library.clips])[library.frames.clip[frame]]

    def tips(frames: np.ndarray) -> np.ndarray:
        turned = library.global_rotations[frames, joints]
        return library.positions[frames, joints] + rot.rotate(turned, skeleton.tips[joints])

    before, after = np.maximum(frame - 1, starts), np.minimum(frame + 1, stops - 1)
    span = np.maximum(after - before, 1)[:, None] / library.fps
    order = np.argsort(frame, kind="stable")
    rows = (frame, effector, strike, tips(frame), (tips(after) - tips(before)) / span)
    return Hits._make(row[order] for row in rows)


def _striking_joint(library: ActionLibrary, effector: str) -> int:
    """The joint whose tip strikes, or the root for what this body does not have."""
    parts = library.skeleton.parts
    if effector.endswith("foot"):
        return parts.get(effector.replace("foot", "toes"), parts.get(effector, 0))
    return parts.get(effector, 0)
