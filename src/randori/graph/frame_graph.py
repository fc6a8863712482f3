"""The frame-level motion graph (POLICY): frames are nodes, and one may go on as a similar one does.

A transition i → j is allowed where frame i and frame j - 1 are similar and the same thing is about to
happen: a foot leaves the floor, or comes down, or both go on standing. Frames with one way out are then
collapsed: what remains are states, in which there is a choice, and actions from one state to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import KEPT
from randori.graph.csr import to_csr
from randori.graph.library import ActionLibrary
from randori.graph.similarity import Poses, fit, neighbours, poses_of
from randori.kernels import graphs

# The dial: how different frames may be that count as one; see graph/similarity.py.
FINEST, COARSEST = 0.12, 0.45  # metres, where the search for a threshold begins and gives up
_COARSER_FACTOR = 1.12  # from one try to the next
MOST_TRANSITIONS = 40  # out of one frame: the most similar ones
_SHORTEST_JUMP = 0.25  # seconds: within one clip a transition that skips or repeats less is none
_AROUND_STRIKE = 0.05  # seconds before and after a strike in which nothing else begins
EVENTS = ("left lifts", "left lands", "right lifts", "right lands", "both stand")


@dataclass(frozen=True, eq=False)
class FrameGraph:
    """States and actions. An action goes on from a state, over a transition or not, to the next state."""

    library: ActionLibrary
    threshold: float  # metres
    state_frame: np.ndarray  # (S,) int64, the library's frame of each state
    indptr: np.ndarray  # (S + 1,) int64: the actions of state s are indptr[s] ≤ a < indptr[s + 1]
    first: np.ndarray  # (A,) int64, the library's frame j that an action goes on with
    target: np.ndarray  # (A,) int64, the state that it ends in; it plays first … state_frame[target]
    fit: np.ndarray  # (A, 3) x, z, yaw: moves the recording of frame j to where it fits the state's frame
    distance: np.ndarray  # (A,) metres between the state's frame and j - 1; 0 where it just goes on
    dropped: dict[str, int]  # frames that no action plays, by reason

    @property
    def durations(self) -> np.ndarray:
        """(A,) seconds."""
        return (self.state_frame[self.target] - self.first + 1) / self.library.fps

    @property
    def kept_frames(self) -> int:
        """The number of frames of the library that at least one action plays."""
        return len(self.library.frames.clip) - sum(self.dropped.values())

    def report(self) -> dict[str, object]:
        """Size, connectivity, and what was dropped and why."""
        total, kept = len(self.library.frames.clip), self.kept_frames
        return {
            "threshold (m)": round(self.threshold, 3),
            "states": len(self.state_frame),
            "actions": len(self.target),
            "actions over a transition": int((self.distance > 0.0).sum()),
            "choices in a state": round(len(self.target) / max(len(self.state_frame), 1), 1),
            "seconds kept": round(kept / self.library.fps, 1),
            "share kept": round(kept / max(total, 1), 4),
            "frames dropped": self.dropped,
        }


def build_frame_graph(
    library: ActionLibrary, threshold: float | None = None, without: Sequence[int] = ()
) -> FrameGraph:
    """Find transitions, keep the strongly connected part, collapse it.

    Without a threshold it is the finest of some with which 90 % of the frames survive. No path leads through
    the actions `without`.
    """
    if threshold is not None:
        if not 0.0 < threshold <= 10.0:
            raise RandoriError(f"the threshold is a distance between poses in metres, not {threshold:g}")
        return _build(library, threshold, without)
    tried = FINEST
    while True:
        graph = _build(library, tried, without)
        if graph.kept_frames >= KEPT * len(library.frames.clip) or tried * _COARSER_FACTOR > COARSEST:
            return graph
        tried *= _COARSER_FACTOR


def _build(library: ActionLibrary, threshold: float, without: Sequence[int]) -> FrameGraph:
    # Step 1. Frames in which something is about to happen, and pairs of similar ones.
    poses, event = _event_poses(library)
    here, there, distance = _transitions(library, poses, event, threshold)
    barred = _frames_of(library, without)
    free = ~barred[poses.frames[here]] & ~barred[poses.frames[there] + 1]
    here, there, distance = here[free], there[free], distance[free]
    source, goal = poses.frames[here], poses.frames[there] + 1

    # Step 2. The frames between events and goals have one way in and one way out: a chain of them is one
    # edge from node to node. Node k is left for node k + 1 unless its clip ends there.
    last = np.array([clip.stop - 1 for clip in library.clips], dtype=np.int64)
    nodes = np.unique(np.concatenate([source, goal, last]))
    barred_before = np.cumsum(barred)[nodes]
    goes_on = ~np.isin(nodes, last)
    goes_on[:-1] &= np.diff(barred_before) == 0
    left, entered = np.searchsorted(nodes, source), np.searchsorted(nodes, goal)
    edge_from = np.concatenate([np.flatnonzero(goes_on), left])
    edge_to = np.concatenate([np.flatnonzero(goes_on) + 1, entered])
    kept = _strong_part(nodes, edge_from, edge_to)

    # Step 3. States: nodes in which there is a choice, or that a transition alone leads out of.
    goes_on &= kept
    goes_on[:-1] &= kept[1:]
    inside = kept[left] & kept[entered]
    here, there, distance, left, goal = (rows[inside] for rows in (here, there, distance, left, goal))
    is_state = np.zeros(len(nodes), dtype=bool)
    is_state[left] = True
    state_nodes = np.flatnonzero(is_state)
    state_frame = nodes[state_nodes]

    # Step 4. Actions: on to the next frame, or over a transition, until the next state is met.
    on = np.flatnonzero(is_state & goes_on)
    first = np.concatenate([nodes[on] + 1, goal])
    state = np.searchsorted(state_nodes, np.concatenate([on, left]))
    placement = np.concatenate([np.zeros((len(on), 3)), fit(poses, here, there)])
    apart = np.concatenate([np.zeros(len(on)), distance])
    order = np.lexsort((apart, state))
    target = np.searchsorted(state_frame, first)
    counts = np.bincount(state, minlength=len(state_frame))
    return FrameGraph(
        library,
        threshold,
        state_frame,
        np.concatenate([[0], np.cumsum(counts)]),
        first[order],
        target[order],
        placement[order],
        apart[order],
        _dropped(library, first, state_frame[target]),
    )


def _frames_of(library: ActionLibrary, actions: Sequence[int]) -> np.ndarray:
    """(F,) bool: the frames of some actions."""
    frames = np.zeros(len(library.frames.clip), dtype=bool)
    for action in actions:
        frames[library.actions.start[action] : library.actions.stop[action]] = True
    return frames


def _strong_part(nodes: np.ndarray, edge_from: np.ndarray, edge_to: np.ndarray) -> np.ndarray:
    """(N,) bool: the nodes that can all reach each other; of several parts the one with the most frames."""
    component = np.empty(len(nodes), dtype=np.int64)
    parts = graphs.strong_components(*to_csr(edge_from, edge_to, len(nodes)), component)
    leading_up = np.diff(nodes, prepend=-1)  # frames to a node from the one before it
    kept: np.ndarray = component == int(np.argmax(np.bincount(component, leading_up, minlength=parts)))
    return kept


def _event_poses(library: ActionLibrary) -> tuple[Poses, np.ndarray]:
    """The frames after which a contact changes, or in which an action starts or ends on both feet.

    And which event (N,) it is, an index into EVENTS. A fighter keeps both feet down through a punch: by
    changes of contact alone nothing could follow on it. While a strike is on its way nothing else begins.
    """
    contacts = library.frames.contacts
    striking = _striking(library)
    same_clip = np.diff(library.frames.clip) == 0
    ends = np.unique(np.concatenate([library.actions.start, library.actions.stop]))
    found = []
    for foot in (0, 1):
        change = np.diff(contacts[:, foot].astype(np.int8))
        found += [np.flatnonzero((change == sign) & same_clip) for sign in (-1, 1)]
    changes = np.unique(np.concatenate(found))
    found.append(np.setdiff1d(ends[contacts[ends].all(axis=1)], changes))
    found = [frames[~striking[frames]] for frames in found]
    frames = np.concatenate(found)
    event = np.repeat(np.arange(len(EVENTS)), [len(part) for part in found])
    order = np.argsort(frames, kind="stable")
    return poses_of(library, frames[order]), event[order]


def _striking(library: ActionLibrary) -> np.ndarray:
    """(F,) bool: a fist, a foot or a blade is on its way, or has just been stopped."""
    marks = np.zeros(len(library.frames.clip) + 1, dtype=np.int64)
    around = round(_AROUND_STRIKE * library.fps)
    np.add.at(marks, np.maximum(library.strikes.start - around, 0), 1)
    after = np.maximum(library.strikes.stop, library.strikes.extension + 1) + around
    np.add.at(marks, np.minimum(after, len(marks) - 1), -1)
    return np.cumsum(marks)[:-1] > 0


def _transitions(
    library: ActionLibrary, poses: Poses, event: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of similar poses (from, to) with the same event, and how many metres they are apart."""
    sources, goals, distances = [], [], []
    for kind in range(len(EVENTS)):
        chosen = np.flatnonzero(event == kind)
        near = neighbours(poses.chosen(chosen), threshold)
        one = np.repeat(np.arange(len(chosen)), np.diff(near.indptr))
        nearest = np.lexsort((near.distances, one))
        rank = np.arange(len(one)) - near.indptr[one]
        keep = nearest[rank < MOST_TRANSITIONS]
        sources.append(chosen[one[keep]])
        goals.append(chosen[near.indices[keep]])
        distances.append(near.distances[keep])
    source, goal, distance = (np.concatenate(found) for found in (sources, goals, distances))
    clip = library.frames.clip[poses.frames]
    last = np.array([whole.stop - 1 for whole in library.clips])[clip]
    soon = np.abs(poses.frames[source] - poses.frames[goal]) < _SHORTEST_JUMP * library.fps
    good = ~(soon & (clip[source] == clip[goal])) & (poses.frames[goal] < last[goal])
    return source[good], goal[good], distance[good]


def _dropped(library: ActionLibrary, first: np.ndarray, last: np.ndarray) -> dict[str, int]:
    """Frames that no action (A,) plays, by reason."""
    marks = np.zeros(len(library.frames.clip) + 1, dtype=np.int64)
    np.add.at(marks, first, 1)
    np.add.at(marks, last + 1, -1)
    played = np.cumsum(marks)[:-1] > 0
    reasons = {
        "in clips that nothing leads into and out of": 0,
        "before the first way into a clip": 0,
        "after the last way out of a clip": 0,
        "between a way out and the next way in": 0,
    }
    for clip in library.clips:
        used = np.flatnonzero(played[clip.start : clip.stop])
        length = clip.stop - clip.start
        if len(used) == 0:
            reasons["in clips that nothing leads into and out of"] += length
            continue
        reasons["before the first way into a clip"] += int(used[0])
        reasons["after the last way out of a clip"] += length - 1 - int(used[-1])
        reasons["between a way out and the next way in"] += int(used[-1] - used[0]) + 1 - len(used)
    return {reason: count for reason, count in reasons.items() if count}
