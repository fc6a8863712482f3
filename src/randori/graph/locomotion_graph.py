"""The hierarchical motion graph (PREPARE): cyclic locomotion at its core, target motions around it.

A core node is a way of moving that can go on without end: walking, running, standing, stepping aside. Links
lead from one to another (starting, stopping). Target motions (a punch, a kick, a crawl, a jump) start
where locomotion can bring a character, and lead back to it.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.csr import take_rows, to_csr
from randori.graph.library import ActionLibrary
from randori.kernels import graphs

# Coarser than a fight needs: a jump that is recorded once should follow on any step that is about right.
THRESHOLD = 0.15  # metres, see graph/similarity.py
LOCOMOTION = ("locomotion", "transition")  # kinds of actions that move a character about
DROPPED, CORE, LINK, TARGET = range(4)  # role of an action
_NEVER_ROUND = ("start", "stop")  # techniques that lead from one way of moving to another, however they look


@dataclass(frozen=True, eq=False)
class LocomotionGraph:
    """Core nodes, and for each action what can follow on it."""

    graph: ActionGraph
    cores: tuple[str, ...]  # the names of the core nodes
    role: np.ndarray  # (A,) int64: DROPPED, CORE, LINK or TARGET
    core: np.ndarray  # (A,) int64, the core node of an action, or -1
    next_indptr: np.ndarray  # (A + 1,) int64: the locomotion that can follow on action a,
    next_indices: np.ndarray  # (N,) int64, is next_indices[next_indptr[a] : next_indptr[a + 1]]
    target_indptr: np.ndarray  # (A + 1,) int64: and the target motions that can
    target_indices: np.ndarray  # (T,) int64

    def following(self, action: int) -> np.ndarray:
        """The locomotion that can follow on an action."""
        return self.next_indices[self.next_indptr[action] : self.next_indptr[action + 1]]

    def targets(self, action: int) -> np.ndarray:
        """The target motions that can follow on an action."""
        return self.target_indices[self.target_indptr[action] : self.target_indptr[action + 1]]

    def report(self) -> dict[str, object]:
        """Size, connectivity, and what was dropped and why."""
        library = self.graph.library
        reachable = np.unique(self.target_indices)
        leading_in: dict[str, list[str]] = {}
        for core, name in enumerate(self.cores):
            rows = take_rows(self.target_indptr, self.target_indices, np.flatnonzero(self.core == core))
            for technique in sorted({library.tags[target].technique for target in rows}):
                leading_in.setdefault(technique, []).append(name)
        targets = int((self.role == TARGET).sum())
        return {
            "core nodes": {name: int((self.core == core).sum()) for core, name in enumerate(self.cores)},
            "links": int((self.role == LINK).sum()),
            "target motions": targets,
            "target motions that only other targets lead into": targets - len(reachable),
            "core nodes that lead straight into a target": leading_in,
            "seconds kept": round(float(library.durations[self.role != DROPPED].sum()), 1),
            "dropped": dict(Counter(reason for _, reason in self.graph.dropped)),
        }


def build_locomotion_graph(library: ActionLibrary, threshold: float = THRESHOLD) -> LocomotionGraph:
    """Find the ways of moving that can go on without end, and the actions out of them.

    The graph has no dead ends, so there is a way into every target and back; some only follow on others.
    """
    graph = build_action_graph(library, threshold)
    kept = graph.start_posture >= 0
    moves = np.array([tags.kind in LOCOMOTION for tags in library.tags], dtype=bool)
    role = np.where(kept, np.where(moves, LINK, TARGET), DROPPED)
    core = np.full(len(library), -1, dtype=np.int64)

    # Step 1. Core nodes: actions of one technique that lead round in a circle.
    names: list[str] = []
    techniques = {library.tags[action].technique for action in np.flatnonzero(kept & moves)}
    for technique in sorted(techniques.difference(_NEVER_ROUND)):
        same = np.array([tags.technique == technique for tags in library.tags]) & kept & moves
        round_about = _in_circles(graph, np.flatnonzero(same))
        if len(round_about):
            core[round_about] = len(names)
            role[round_about] = CORE
            names.append(technique)

    # Step 2. Find the actions that can follow each action.
    alive = np.flatnonzero(role != DROPPED)
    moving = np.flatnonzero((role == CORE) | (role == LINK))
    next_indptr, next_indices = _following(graph, alive, moving)
    target_indptr, target_indices = _following(graph, moving, np.flatnonzero(role == TARGET))
    return LocomotionGraph(
        graph,
        tuple(names),
        role,
        core,
        next_indptr,
        next_indices,
        target_indptr,
        target_indices,
    )


def _in_circles(graph: ActionGraph, actions: np.ndarray) -> np.ndarray:
    """The actions that lead, over each other alone, back to their start."""
    start, end = graph.start_posture[actions], graph.end_posture[actions]
    indptr, indices = to_csr(start, end, len(graph.posture_frame))
    component = np.empty(len(graph.posture_frame), dtype=np.int64)
    graphs.strong_components(indptr, indices, component)
    return actions[component[start] == component[end]]


def _following(graph: ActionGraph, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """CSR over all actions: which of the `second` start in the posture that one of the `first` ends in."""
    starting, order = to_csr(graph.start_posture[second], second, len(graph.posture_frame))
    posture = graph.end_posture[first]
    counts = np.zeros(len(graph.library), dtype=np.int64)
    counts[first] = np.diff(starting)[posture]
    return np.concatenate([[0], np.cumsum(counts)]), take_rows(starting, order, posture)
