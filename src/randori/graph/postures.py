"""Groups of similar postures: the places where actions start, end, and go over into each other."""

from dataclasses import dataclass

import numpy as np

from randori.graph.library import ActionLibrary
from randori.graph.similarity import Poses, distances_from, neighbours, poses_of
from randori.kernels import graphs


@dataclass(frozen=True, eq=False)
class Postures:
    """The first and last frames of all actions, grouped."""

    poses: Poses  # of N different frames
    group: np.ndarray  # (N,) int64
    founders: np.ndarray  # (P,) int64, the pose in the middle of each group
    start: np.ndarray  # (A,) int64, the pose that each action starts in
    stop: np.ndarray  # (A,) int64, the pose that it ends in


def start_and_stop_poses(library: ActionLibrary) -> tuple[Poses, np.ndarray, np.ndarray]:
    """The poses in which actions start or end, and for each action (A,) which ones they are."""
    ends = np.concatenate([library.actions.start, library.actions.stop])
    frames, place = np.unique(ends, return_inverse=True)
    place = place.reshape(-1)
    return poses_of(library, frames), place[: len(library)], place[len(library) :]


def group_postures(library: ActionLibrary, threshold: float) -> Postures:
    """Group the postures so that none is farther than `threshold` metres from the middle of its group."""
    poses, start, stop = start_and_stop_poses(library)
    copied = np.array([clip.turned for clip in library.clips])[library.frames.clip[poses.frames]]
    if copied.all():  # nothing else is there to belong to
        copied[:] = False
    group, founders = np.empty(len(copied), dtype=np.int64), np.flatnonzero(~copied)
    group[~copied], chosen = group_poses(poses.chosen(~copied), threshold)
    # a copy starts and ends as its source does: it is in the same group, and changes none
    for pose in np.flatnonzero(copied):
        group[pose] = group[founders[np.argmin(distances_from(poses, int(pose))[founders])]]
    return Postures(poses, group, founders[chosen], start, stop)


def group_poses(poses: Poses, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """The group (N,) of each pose, and the pose in the middle of each group.

    Poses with many near ones found the groups.
    """
    near = neighbours(poses, threshold)
    group = np.empty(len(poses.frames), dtype=np.int64)
    crowded = np.argsort(-np.diff(near.indptr), kind="stable")
    founders = graphs.greedy_groups(near.indptr, near.indices, near.distances, crowded, group)
    return group, founders
