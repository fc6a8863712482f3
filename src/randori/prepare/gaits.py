"""The locomotion that a controller chooses from: for each posture a few steps that lead different ways.

Recordings hold a hundred steps that are almost the same. Learning needs one of each kind.
"""

from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.graph.csr import to_csr
from randori.graph.library import ActionLibrary
from randori.graph.locomotion_graph import CORE, LINK, LocomotionGraph
from randori.kernels import graphs
from randori.kernels.prepare import LEVELS
from randori.motion import rotations as rot

MOVES = 8  # at most, of one posture
_ALIKE_DIFFERENCES = np.array(
    [0.25, 0.25, 0.3]
)  # metres aside, metres ahead, radians: steps that differ so much differ
_HEADING_WINDOW = 0.4  # seconds: the swing of a pelvis does not change the heading
STAYING = ("stand", "stop", "walk back")  # techniques that lead nobody to a goal
_STANDING_SPEED = 0.1  # metres per second: a move that goes faster does not stand
_LONGEST_STAND = 1.6  # seconds: a walker that stands and looks about for longer would miss events


@dataclass(frozen=True, eq=False)
class Gaits:
    """Moves, posture by posture: those of posture p are move_indptr[p] ≤ m < move_indptr[p + 1].

    Behind them are the moves that only serve to stop and to stand; no walker chooses them on its way.
    """

    graph: LocomotionGraph
    move: np.ndarray  # (M,) int64, action of the library
    move_indptr: np.ndarray  # (P + 1,) int64
    move_end: np.ndarray  # (M,) int64, the posture it ends in
    travel: np.ndarray  # (M, LEVELS, 3) x, z metres, yaw radians of the pelvis at each level of preparation
    posture: np.ndarray  # (P,) int64, of the graph
    posture_heading: np.ndarray  # (P,) radians, the heading relative to the pelvis
    idle: np.ndarray  # (P,) int64: the move that leads to standing soonest, or goes on with it; -1 for none

    @property
    def library(self) -> ActionLibrary:
        return self.graph.graph.library

    @property
    def postures(self) -> int:
        return len(self.posture)

    def number(self, posture: int) -> int:
        """The number here of a posture of the graph; -1 if it is not here."""
        found = np.flatnonzero(self.posture == posture)
        return int(found[0]) if len(found) else -1


def find_gaits(graph: LocomotionGraph, moves: int = MOVES) -> Gaits:
    """Choose the moves of a locomotion graph."""
    library, joined = graph.graph.library, graph.graph
    moving = np.flatnonzero(
        ((graph.role == CORE) | (graph.role == LINK)) & (library.durations < _LONGEST_STAND)
    )
    technique = np.array([library.tags[action].technique for action in moving])
    going = moving[~np.isin(technique, STAYING)] if len(moving) else moving
    if len(going) == 0:
        raise RandoriError("there is no locomotion to choose from: the library holds no step that goes on")

    # Step 1. A few unlike moves for each posture.
    chosen: list[int] = []
    for posture in np.unique(joined.start_posture[going]):
        chosen += _unlike(graph, going[joined.start_posture[going] == posture], moves)
    kept = np.array(chosen, dtype=np.int64)

    # Step 2. Keep the largest part in which every posture leads to every other.
    start, end = joined.start_posture[kept], joined.end_posture[kept]
    indptr, indices = to_csr(start, end, len(joined.posture_frame))
    component = np.empty(len(joined.posture_frame), dtype=np.int64)
    graphs.strong_components(indptr, indices, component)
    inner = component[start] == component[end]
    if not inner.any():
        raise RandoriError("no walk of the library goes on: record two steps or more in a row")
    largest = np.bincount(component[start][inner]).argmax()
    kept = kept[inner & (component[start] == largest)]
    kept = kept[np.argsort(joined.start_posture[kept], kind="stable")]
    posture = np.unique(joined.start_posture[kept])

    # Step 3. Stopping and standing between the same postures, behind the rest.
    staying = np.setdiff1d(moving, going)
    staying = staying[
        np.isin(joined.start_posture[staying], posture) & np.isin(joined.end_posture[staying], posture)
    ]
    number = np.full(len(joined.posture_frame), -1, dtype=np.int64)
    number[posture] = np.arange(len(posture))
    every = np.concatenate([kept, staying])
    travel = np.stack([_travel(graph, int(action)) for action in every])
    stands = _stands(library, every, travel)
    start, end = number[joined.start_posture[every]], number[joined.end_posture[every]]
    return Gaits(
        graph,
        every,
        np.searchsorted(start[: len(kept)], np.arange(len(posture) + 1)),
        end,
        travel,
        posture,
        _posture_headings(graph, posture),
        _towards_standing(stands, library.durations[every], start, end, len(posture)),
    )


def _unlike(graph: LocomotionGraph, actions: np.ndarray, count: int) -> list[int]:
    """Some of the actions: the most usual one of each technique, then those that differ most from the
    chosen."""
    library = graph.graph.library
    place = graph.graph.displacement[actions] / _ALIKE_DIFFERENCES
    usual: dict[str, list[int]] = {}
    for row, action in enumerate(actions):
        usual.setdefault(library.tags[action].technique, []).append(row)
    chosen = []
    for rows in sorted(usual.values(), key=len, reverse=True)[:count]:
        apart = np.linalg.norm(place[rows][:, None] - place[rows][None], axis=-1)
        chosen.append(rows[int(apart.sum(axis=1).argmin())])
    while len(chosen) < min(count, len(actions)):
        nearest = np.linalg.norm(place[:, None] - place[chosen][None], axis=-1).min(axis=1)
        if nearest.max() < 1.0:
            break
        chosen.append(int(nearest.argmax()))
    return [int(action) for action in actions[chosen]]


def _posture_headings(graph: LocomotionGraph, postures: np.ndarray) -> np.ndarray:
    """(P,) radians: the heading in a posture, relative to the pelvis.

    The pelvis swings with every step; the heading is its mean over a while, and for a posture the
    mean over all frames that pass it.
    """
    library, joined = graph.graph.library, graph.graph
    yaw, away = library.placements[:, 2], np.empty(len(library.placements))
    width = _HEADING_WINDOW * library.fps
    window = np.exp(-0.5 * (np.arange(-int(3 * width), int(3 * width) + 1) / width) ** 2)
    window /= window.sum()
    for clip in library.clips:
        angle = np.unwrap(yaw[clip.start : clip.stop])
        padded = np.pad(angle, len(window) // 2, mode="edge")
        away[clip.start : clip.stop] = np.convolve(padded, window, mode="valid") - angle
    starts = [library.actions.start[joined.start_posture == posture] for posture in postures]
    return np.array([float(np.angle(np.mean(np.exp(1j * away[frames])))) for frames in starts])


def _travel(graph: LocomotionGraph, action: int) -> np.ndarray:
    """(LEVELS, 3) how far an action goes at each level of preparation: every frame's move, made shorter.

    It goes from the posture it starts in to the one it ends in, which are not quite its own frames.
    """
    library, joined = graph.graph.library, graph.graph
    places = library.placements[library.actions.start[action] : library.actions.stop[action] + 1].copy()
    whole = joined.displacement[action]
    # the recorded way, stretched a little so that it ends where the next posture stands
    steps = np.diff(places, axis=0)
    steps[:, 2] = rot.wrap_angle(steps[:, 2])
    # z + ix, turned by a yaw, is multiplied by exp(i yaw)
    local = (steps[:, 1] + 1j * steps[:, 0]) * np.exp(-1j * places[:-1, 2])
    result = np.empty((LEVELS, 3))
    for level in range(LEVELS):
        share = 1.0 - level / (LEVELS - 1)
        yaw = share * np.concatenate([[0.0], np.cumsum(steps[:-1, 2])])
        end = share * np.sum(local * np.exp(1j * yaw))
        result[level] = end.imag, end.real, share * steps[:, 2].sum()
    # the contribution of the postures is shared out in the same way
    missing = whole - result[0]
    missing[2] = rot.wrap_angle(missing[2])
    return result + (1.0 - np.arange(LEVELS) / (LEVELS - 1))[:, None] * missing


def _stands(library: ActionLibrary, move: np.ndarray, travel: np.ndarray) -> np.ndarray:
    """(M,) bool: moves of standing.

    The end of a step is tagged as standing, too, but repeated it would glide: it counts only where no move
    stands better.
    """
    stands = np.array([library.tags[action].technique == "stand" for action in move])
    still = np.hypot(*travel[:, 0, :2].T) < _STANDING_SPEED * library.durations[move]
    return stands & still if (stands & still).any() else stands


def _towards_standing(
    stands: np.ndarray, seconds: np.ndarray, start: np.ndarray, end: np.ndarray, postures: int
) -> np.ndarray:
    """(P,) int64: the move of each posture that leads to a posture of standing in the shortest time."""
    left = np.full(postures, np.inf)
    left[start[stands]] = 0.0
    best = np.full(postures, -1, dtype=np.int64)
    best[start[stands]] = np.flatnonzero(stands)
    for _ in range(postures):
        for number in range(len(seconds)):
            after = left[end[number]] + seconds[number]
            if not stands[number] and after < left[start[number]] - 1e-9:
                left[start[number]], best[start[number]] = after, number
    return best
