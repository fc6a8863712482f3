"""The distance between poses: what it ignores, what it sees, and that pruning changes nothing."""

import numpy as np
import pytest
from known_actions import known_actions

from randori.graph.library import ActionLibrary, build_library
from randori.graph.postures import group_poses
from randori.graph.similarity import FARTHEST, distance_matrix, fit, neighbours, poses_of
from randori.motion.placement import Placement
from randori.performer import Recording


@pytest.fixture(scope="module")
def frames(boxing: ActionLibrary) -> np.ndarray:
    return np.arange(30, len(boxing.frames.clip), 37)


def test_place_and_yaw_do_not_count(boxing: ActionLibrary, boxing_take: Recording, frames: np.ndarray):
    elsewhere = Placement(3.0, -7.0, 2.2).move(boxing_take.clip)
    other = build_library([(elsewhere, known_actions(boxing_take))])
    here, there = poses_of(boxing, frames), poses_of(other, frames)
    assert np.allclose(distance_matrix(here), distance_matrix(there), atol=1e-6)


def test_it_is_a_distance(boxing: ActionLibrary, frames: np.ndarray):
    apart = distance_matrix(poses_of(boxing, frames))
    assert np.allclose(apart, apart.T)
    assert np.abs(np.diag(apart)).max() < 1e-6
    # the landmarks rely on it: no way round is shorter
    assert (apart[:, None] <= apart[:, :, None] + apart[None] + 1e-9).all()


def test_the_best_fit_is_the_best(boxing: ActionLibrary, frames: np.ndarray):
    poses = poses_of(boxing, frames)
    apart = distance_matrix(poses)

    def remaining(a: int, b: int, placement: np.ndarray) -> float:
        turn = np.exp(1j * placement[2])
        first, second = (poses.plane[k, :, 0] + 1j * poses.plane[k, :, 1] for k in (a, b))
        middles = [complex(*poses.middle[k]) for k in (a, b)]
        off = middles[0] - (turn * middles[1] + complex(placement[1], placement[0]))
        flat = np.abs(first - turn * second) ** 2
        return float(np.sqrt(flat.sum() + abs(off) ** 2 + ((poses.height[a] - poses.height[b]) ** 2).sum()))

    for a, b in ((0, 5), (10, 3), (40, 80)):
        best = fit(poses, np.array([a]), np.array([b]))[0]
        assert remaining(a, b, best) == pytest.approx(apart[a, b], abs=1e-9)
        for nudge in ((0.02, 0, 0), (0, 0.02, 0), (0, 0, 0.05)):
            assert remaining(a, b, best + nudge) > apart[a, b]


def test_pruning_loses_no_pair(boxing: ActionLibrary, frames: np.ndarray):
    poses = poses_of(boxing, frames)
    apart = distance_matrix(poses)
    near = neighbours(poses, 0.3)
    found = {
        (a, int(b)) for a in range(len(frames)) for b in near.indices[near.indptr[a] : near.indptr[a + 1]]
    }
    expected = {(int(a), int(b)) for a, b in np.argwhere(apart <= 0.3) if a != b}
    assert found <= expected
    for a, b in expected - found:
        # only a point that is far off may speak against a pair
        placed = fit(poses, np.array([a]), np.array([b]))[0]
        turn = np.exp(1j * placed[2])
        flat = (poses.plane[a] - _turned(poses.plane[b], turn)) ** 2
        square = flat.sum(axis=-1) + (poses.height[a] - poses.height[b]) ** 2
        half = len(square) // 2
        assert np.sqrt(((square[:half] + square[half:]) / poses.weights).max()) > FARTHEST * 0.3


def _turned(plane: np.ndarray, turn: complex) -> np.ndarray:
    values = turn * (plane[:, 0] + 1j * plane[:, 1])
    return np.column_stack([values.real, values.imag])


def test_groups_stay_within_the_threshold(boxing: ActionLibrary, frames: np.ndarray):
    poses = poses_of(boxing, frames)
    apart = distance_matrix(poses)
    coarse, fine = (group_poses(poses, threshold) for threshold in (0.2, 0.1))
    for (group, founders), threshold in ((coarse, 0.2), (fine, 0.1)):
        assert apart[np.arange(len(group)), founders[group]].max() <= threshold
    assert len(coarse[1]) < len(fine[1])
