"""Distance between two poses, for any places and headings of their bodies.

The poses are moved and turned over the floor until they fit best; what remains is the distance: the
root mean square over points of the body, places in metres and velocities in metres per 0.15 s.
"""

from typing import NamedTuple

import numpy as np

from randori.graph.library import ActionLibrary
from randori.kernels import graphs
from randori.motion import rotations as rot

VELOCITY = 0.15  # seconds: what a metre per second counts, in metres
# Poses that are near by the mean are still different if one fist is elsewhere, or in full flight.
FARTHEST = 2.2  # times the threshold that one point may be off
_REACH = 1.0 / 30.0  # seconds to either side over which a velocity is measured
_CHUNK = 65_536  # pairs of poses that are fitted at a time, to keep memory small
_LANDMARKS = 6  # poses that all others are measured from, to rule out most pairs at once
# Weights of the points. A foot that is off has to slide or to step, so feet count most; hands are where
# people look, but are quickly brought anywhere.
_JOINTS = {
    "pelvis": 1.5,
    "chest": 1.0,
    "head": 1.0,
    "upper_arm": 0.5,
    "forearm": 0.7,
    "hand": 0.8,
    "thigh": 0.5,
    "shin": 1.0,
    "foot": 2.5,
    "toes": 2.0,
}
# Places of joints do not show how a forearm or a foot is twisted: points in front of them, as the T sees
# it, do.
_FRONTS = {"pelvis": 0.5, "head": 0.3, "forearm": 0.4, "hand": 0.4, "foot": 0.4, "toes": 0.4, "weapon": 0.8}
_LEVER = 0.15  # metres in front


class Poses(NamedTuple):
    """Some frames of a library, as they are compared."""

    frames: np.ndarray  # (N,) int64
    plane: (
        np.ndarray
    )  # (N, D, 2) z and x over the floor: places about their middle, then velocities, weighted
    height: np.ndarray  # (N, D) the same along the vertical
    size: np.ndarray  # (N,) sum of the squares of plane
    middle: np.ndarray  # (N, 2) metres, z and x of the weighted middle of the places
    weights: np.ndarray  # (D / 2,) of the points

    def chosen(self, which: np.ndarray) -> "Poses":
        """Some of the poses."""
        return Poses(
            self.frames[which],
            self.plane[which],
            self.height[which],
            self.size[which],
            self.middle[which],
            self.weights,
        )


class Neighbours(NamedTuple):
    """For every pose those nearer than a threshold (CSR), itself not among them."""

    indptr: np.ndarray  # (N + 1,)
    indices: np.ndarray  # (E,)
    distances: np.ndarray  # (E,) metres


def poses_of(library: ActionLibrary, frames: np.ndarray) -> Poses:
    """The compared quantities of some frames (N,)."""
    joints, levers, weights = _points(library)
    starts = np.array([clip.start for clip in library.clips])[library.frames.clip[frames]]
    stops = np.array([clip.stop for clip in library.clips])[library.frames.clip[frames]]
    reach = max(1, round(_REACH * library.fps))
    before, after = np.maximum(frames - reach, starts), np.minimum(frames + reach, stops - 1)

    needed, which = np.unique(np.concatenate([frames, before, after]), return_inverse=True)
    here, earlier, later = which.reshape(3, len(frames))
    points = needed[:, None], joints
    seen = library.positions[points] + rot.rotate(library.global_rotations[points], levers)
    places = seen[here]
    span = np.maximum(after - before, 1) / library.fps
    velocities = (seen[later] - seen[earlier]) / span[:, None, None]
    middle = np.einsum("p,npk->nk", weights, places)[:, [2, 0]]
    root = np.sqrt(weights)[:, None]
    flat = np.concatenate(
        [root * (places[..., [2, 0]] - middle[:, None]), VELOCITY * root * velocities[..., [2, 0]]], axis=1
    )
    height = np.concatenate([root[:, 0] * places[..., 1], VELOCITY * root[:, 0] * velocities[..., 1]], axis=1)
    return Poses(frames, np.ascontiguousarray(flat), height, (flat**2).sum(axis=(1, 2)), middle, weights)


def _points(library: ActionLibrary) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The joints (P,) that are compared, offsets (P, 3) in their frames, and weights (P,) that sum to 1."""
    skeleton = library.skeleton
    joints, levers, weights = [], [], []
    for part, joint in skeleton.parts.items():
        word = part.removeprefix("left_").removeprefix("right_")
        in_front = _LEVER * rot.rotate(rot.inverse(skeleton.reference[joint]), rot.Z_AXIS)
        for table, lever in ((_JOINTS, np.zeros(3)), (_FRONTS, in_front)):
            if word in table:
                joints.append(joint)
                levers.append(lever)
                weights.append(table[word])
    return np.array(joints), np.array(levers), np.array(weights) / sum(weights)


def points_seen(library: ActionLibrary) -> list[int]:
    """The joints of the points that are compared, in their order."""
    return _points(library)[0].tolist()


def velocities_seen(library: ActionLibrary, shares: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The addition to `seen_in_world` for a pose whose points (P,) are faster by shares of (3,) m/s."""
    weights = VELOCITY * np.sqrt(_points(library)[2]) * shares
    still = np.zeros(len(weights))
    x, y, z = (np.concatenate([still, weights * part]) for part in velocity)
    return np.concatenate([z, x, y, np.zeros(2)])


def distances_from(poses: Poses, one: int) -> np.ndarray:
    """(N,) metres of all of the poses from one of them."""
    result = np.empty(len(poses.frames))
    graphs.distances_to(poses.plane, poses.height, poses.size, one, result)
    return result


def distance_matrix(poses: Poses) -> np.ndarray:
    """(N, N) metres between all of the poses."""
    result = np.empty((len(poses.frames), len(poses.frames)))
    for one, row in enumerate(result):
        graphs.distances_to(poses.plane, poses.height, poses.size, one, row)
    return result


def distances_between(poses: Poses, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(A, B) metres between poses a (A,) and poses b (B,)."""
    first, second = (_complex(poses.plane[chosen]) for chosen in (a, b))
    heights = poses.height[a], poses.height[b]
    squared = poses.size[a][:, None] + poses.size[b] - 2.0 * np.abs(first @ second.conj().T)
    squared += (heights[0] ** 2).sum(axis=1)[:, None] + (heights[1] ** 2).sum(axis=1)
    squared -= 2.0 * heights[0] @ heights[1].T
    apart: np.ndarray = np.sqrt(np.maximum(squared, 0.0))
    return apart


def fit(poses: Poses, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(N, 3) x, z in metres and yaw in radians: the placements that bring the recordings of poses b (N,)
    to where they fit poses a (N,) best."""
    result = np.empty((len(a), 3))
    for chunk in np.array_split(np.arange(len(a)), len(a) // _CHUNK + 1):
        first, second = (_complex(poses.plane[pose[chunk]]) for pose in (a, b))
        yaw = np.angle((first * second.conj()).sum(axis=-1))
        here, there = (_complex(poses.middle[pose[chunk]]) for pose in (a, b))
        move = here - np.exp(1j * yaw) * there
        result[chunk] = np.column_stack([move.imag, move.real, yaw])
    return result


def _complex(pairs: np.ndarray) -> np.ndarray:
    """Pairs (..., 2) over the floor as complex numbers, which a yaw turns by multiplying."""
    return pairs[..., 0] + 1j * pairs[..., 1]


def neighbours(poses: Poses, threshold: float) -> Neighbours:
    """All pairs of poses that are nearer to each other than a threshold in metres.

    No single point, with its velocity, may be off by more than FARTHEST times as much.
    """
    count = len(poses.frames)
    if count == 0:
        return Neighbours(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    landmarks = _landmarks(poses)
    order = np.argsort(landmarks[:, 0], kind="stable")
    first, second, distances = graphs.near_pairs(
        poses.plane[order],
        poses.height[order],
        poses.size[order],
        poses.weights,
        landmarks[order],
        threshold,
        FARTHEST * threshold,
    )
    first, second = order[first], order[second]
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    sorting = np.lexsort((other, one))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=count))])
    return Neighbours(indptr, other[sorting], np.concatenate([distances, distances])[sorting])


def _landmarks(poses: Poses) -> np.ndarray:
    """(N, K) metres from K poses that are far from each other."""
    measured = np.empty((len(poses.frames), _LANDMARKS))
    landmark = 0
    for k in range(_LANDMARKS):
        graphs.distances_to(poses.plane, poses.height, poses.size, landmark, measured[:, k])
        landmark = int(np.argmax(measured[:, : k + 1].min(axis=1)))
    return measured
