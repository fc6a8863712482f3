"""The action-level motion graph: nodes are groups of similar postures, edges are actions."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.graph.csr import to_csr
from randori.graph.library import ActionLibrary
from randori.graph.places import compose, inverse
from randori.graph.postures import Postures, group_postures
from randori.graph.similarity import Poses, fit, neighbours
from randori.kernels import graphs

# The dial: how different postures may be that count as one. More means more choices and coarser joins.
FINEST, COARSEST = 0.05, 0.45  # metres, where the search for a threshold begins and gives up
_FINER_FACTOR = 1.12  # from one try to the next
KEPT = 0.9  # of the seconds must survive, unless a threshold is given
CHOICES = 12.0  # there should be on arrival on average, as long as postures stay as alike as this:
_CHOICES_COARSEST = 0.16  # metres
# In the middle of a recorded combination no other action starts, so that none could leave it. There, what
# starts in the nearest posture with many choices can follow as well: an arm that is out comes back then.
_WAY_OUT = 0.3  # metres to that posture at most: an outstretched arm; joins stay as smooth as the recordings
_FEW_CHOICES = 0.25  # of the choices asked for: postures with fewer get a way out


@dataclass(frozen=True, eq=False)
class ActionGraph:
    """A graph without dead ends: from every posture every other one can be reached.

    A posture has a frame on the floor, that of the recording in the middle of its group; or of the group
    whose choices it shares.
    """

    library: ActionLibrary
    threshold: float  # metres, see graph/similarity.py
    posture_frame: np.ndarray  # (P,) int64, frame of the library in the middle of each group
    start_posture: np.ndarray  # (A,) int64, -1 for actions that were dropped
    end_posture: np.ndarray  # (A,) int64, -1 for actions that were dropped
    indptr: np.ndarray  # (P + 1,) int64
    indices: (
        np.ndarray
    )  # (K,) int64: the actions that can follow in posture p are indices[indptr[p] : indptr[p + 1]]
    entry: np.ndarray  # (A, 3) x, z, yaw: where the recording has the start posture's frame as it starts
    exit: np.ndarray  # (A, 3) and the end posture's frame as it ends
    displacement: (
        np.ndarray
    )  # (A, 3) from the start posture's frame to the end posture's, as the first sees it
    dropped: tuple[tuple[int, str], ...]  # action, and why

    @property
    def actions(self) -> np.ndarray:
        """The actions that were kept."""
        return np.flatnonzero(self.start_posture >= 0)

    @property
    def kept_seconds(self) -> float:
        """Of the actions that were kept."""
        return float(self.library.durations[self.actions].sum())

    def choices(self, posture: int) -> np.ndarray:
        """The actions that can follow in a posture."""
        return self.indices[self.indptr[posture] : self.indptr[posture + 1]]

    def report(self) -> dict[str, object]:
        """Size, connectivity, and what was dropped and why."""
        choices = np.diff(self.indptr)[self.end_posture[self.actions]]
        return {
            "threshold (m)": round(self.threshold, 3),
            "postures": len(self.posture_frame),
            "actions": len(self.actions),
            "actions in the library": len(self.library),
            "seconds kept": round(self.kept_seconds, 1),
            "seconds in the library": round(self.library.seconds, 1),
            "share kept": round(self.kept_seconds / max(self.library.seconds, 1e-9), 4),
            "choices on arrival": {
                "mean": round(float(choices.sum()) / max(len(choices), 1), 1),
                "least": int(choices.min()) if len(choices) else 0,
                "most": int(choices.max(initial=0)),
            },
            "joins": int(choices.sum()),
            "dropped": dict(Counter(reason for _, reason in self.dropped)),
        }


def build_action_graph(library: ActionLibrary, threshold: float | None = None) -> ActionGraph:
    """Group postures and keep the strongly connected part.

    Without a threshold it is the finest with which 90 % of the seconds survive and there is a choice.
    """
    if len(library) == 0:
        raise RandoriError("a graph needs at least one action; the library has none")
    if threshold is not None:
        if not 0.0 < threshold <= 10.0:
            raise RandoriError(f"the threshold is a distance between postures in metres, not {threshold:g}")
        return _build(library, group_postures(library, threshold), threshold)
    tried = FINEST
    while True:
        postures = group_postures(library, tried)
        kept = _strong_part(library, postures)
        enough = library.durations[kept].sum() >= KEPT * library.seconds
        choice = tried * _FINER_FACTOR > _CHOICES_COARSEST or _mean_choices(postures, kept) >= CHOICES
        if (enough and choice) or tried * _FINER_FACTOR > COARSEST:
            return _build(library, postures, tried)
        tried *= _FINER_FACTOR


def graph_with_choices(library: ActionLibrary, choices: float) -> ActionGraph:
    """The graph with about so many choices on arrival on average: the finest threshold that gives them.

    Where the library has not enough actions for that, it is the one with the most. Ways out come on top, and
    so do copies that turn: with them everything else joins as it does without them.
    """
    if len(library) == 0:
        raise RandoriError("a graph needs at least one action; the library has none")
    recorded = _recorded(library)
    seconds = library.durations[recorded].sum()
    tried, best, most = FINEST, FINEST, -1.0
    while tried <= COARSEST:
        postures = group_postures(library, tried)
        kept = _strong_part(library, postures) & recorded
        if library.durations[kept].sum() >= KEPT * seconds or tried * _FINER_FACTOR > COARSEST:
            found = min(_mean_choices(postures, kept), choices)
            if found > most:
                best, most = tried, found
            if found >= choices:
                break
        tried *= _FINER_FACTOR
    return _build(library, group_postures(library, best), best, _FEW_CHOICES * choices)


def _recorded(library: ActionLibrary) -> np.ndarray:
    """(A,) bool: actions that are no turned copies of others."""
    return ~np.array([library.clips[clip].turned for clip in library.actions.clip])


def _mean_choices(postures: Postures, kept: np.ndarray) -> float:
    """The mean number of kept actions (A,) that can follow one of them."""
    start, stop = postures.group[postures.start][kept], postures.group[postures.stop][kept]
    return float(np.bincount(start, minlength=len(postures.founders))[stop].mean()) if kept.any() else 0.0


def _strong_part(library: ActionLibrary, postures: Postures) -> np.ndarray:
    """(A,) bool: the actions between postures that can all reach each other.

    Of several such parts it is the one with the most seconds.
    """
    start, stop = postures.group[postures.start], postures.group[postures.stop]
    nodes = len(postures.founders)
    component = np.empty(nodes, dtype=np.int64)
    parts = graphs.strong_components(*to_csr(start, stop, nodes), component)
    inside = component[start] == component[stop]
    seconds = np.bincount(component[start][inside], library.durations[inside], minlength=parts)
    return inside & (component[start] == int(np.argmax(seconds)))


def _build(library: ActionLibrary, postures: Postures, threshold: float, few: float = 0.0) -> ActionGraph:
    """The strongly connected part, with ways out of postures that fewer than `few` choices lead out of."""
    kept = _strong_part(library, postures)
    start, stop = postures.group[postures.start], postures.group[postures.stop]
    used = np.unique(start[kept])
    number = np.full(len(postures.founders), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    start_posture, end_posture = np.where(kept, number[start], -1), np.where(kept, number[stop], -1)
    actions = np.flatnonzero(kept)
    indptr, indices = to_csr(start_posture[actions], actions, len(used))
    founders = postures.founders[used]
    leads_on = kept & (start_posture != end_posture) & _chosen(library) & _recorded(library)
    ways = np.bincount(start_posture[leads_on], minlength=len(used))
    way_out = _ways_out(postures.poses.chosen(founders), ways, few)
    founders = founders[way_out]
    indptr, indices = _with_ways_out(indptr, indices, way_out)

    frames = postures.poses.frames[founders]
    entry, leaving, displacement = (np.zeros((len(library), 3)) for _ in range(3))
    for places, pose, posture in (
        (entry, postures.start, start_posture),
        (leaving, postures.stop, end_posture),
    ):
        moved = fit(postures.poses, pose[kept], founders[posture[kept]])
        places[kept] = compose(library.placements[frames[posture[kept]]], moved)
    displacement[kept] = compose(leaving[kept], inverse(entry[kept]))
    return ActionGraph(
        library,
        threshold,
        frames,
        start_posture,
        end_posture,
        indptr,
        indices,
        entry,
        leaving,
        displacement,
        tuple(_reasons(kept, start, stop)),
    )


def _chosen(library: ActionLibrary) -> np.ndarray:
    """(A,) bool: what people do because they want to. They do not choose to stagger, to fall or to lie."""
    unwilling = [tags.kind in ("reaction", "fall") or tags.technique == "lie" for tags in library.tags]
    return ~np.array(unwilling)


def _ways_out(poses: Poses, choices: np.ndarray, few: float) -> np.ndarray:
    """(P,) for each posture the one whose choices it has besides its own; itself, if there is none.

    Of the choices (P,) only those count that lead out of a posture: otherwise a fighter that was struck with
    a sword in hand could stand there without end.
    """
    way_out = np.arange(len(choices))
    if few <= 0.0:
        return way_out
    near = neighbours(poses, _WAY_OUT)
    for posture in np.flatnonzero(choices < few):
        around = slice(near.indptr[posture], near.indptr[posture + 1])
        rich = choices[near.indices[around]] >= few
        if rich.any():
            way_out[posture] = near.indices[around][rich][np.argmin(near.distances[around][rich])]
    return way_out


def _with_ways_out(
    indptr: np.ndarray, indices: np.ndarray, way_out: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each posture's own choices, and those of its way out."""
    lists = []
    for posture, other in enumerate(way_out.tolist()):
        lists.append(indices[indptr[posture] : indptr[posture + 1]])
        if other != posture:
            lists[-1] = np.concatenate([lists[-1], indices[indptr[other] : indptr[other + 1]]])
    return np.cumsum([0, *map(len, lists)]), np.concatenate([indices[:0], *lists])


def _reasons(kept: np.ndarray, start: np.ndarray, stop: np.ndarray) -> list[tuple[int, str]]:
    """The reason why each dropped action was not kept."""
    begun, ended = set(start.tolist()), set(stop.tolist())
    reasons = []
    for action in np.flatnonzero(~kept).tolist():
        if stop[action] not in begun:
            reason = "nothing starts in the posture it ends in"
        elif start[action] not in ended:
            reason = "nothing ends in the posture it starts in"
        else:
            reason = "no way there and back from the rest"
        reasons.append((action, reason))
    return reasons
