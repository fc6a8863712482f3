"""Random walks: they go on, join without a jump, keep planted feet, and know where each frame came from."""

from itertools import pairwise

import numpy as np
import pytest

from randori.graph.action_graph import ActionGraph
from randori.graph.frame_graph import build_frame_graph
from randori.graph.library import ActionLibrary
from randori.graph.walk import (
    JOIN_SECONDS,
    Piece,
    Walk,
    bake,
    random_actions,
    random_frame_walk,
    random_walk,
)
from randori.graph.walk_quality import measure_walk
from randori.motion.placement import Placement


@pytest.fixture(scope="module")
def walk(boxing_graph: ActionGraph) -> Walk:
    return random_walk(boxing_graph, 30.0, seed=1)


def test_actions_follow_on_each_other(boxing_graph: ActionGraph):
    actions = random_actions(boxing_graph, 60.0, seed=5)
    for one, other in pairwise(actions):
        assert boxing_graph.end_posture[one] == boxing_graph.start_posture[other]
    assert boxing_graph.library.durations[actions].sum() >= 60.0


def test_the_same_seed_gives_the_same_walk(boxing_graph: ActionGraph, walk: Walk):
    again = random_walk(boxing_graph, 30.0, seed=1)
    assert np.array_equal(again.clip.rotations, walk.clip.rotations)
    assert not np.array_equal(random_walk(boxing_graph, 30.0, seed=2).frame[:500], walk.frame[:500])


def test_every_frame_has_a_source(boxing: ActionLibrary, walk: Walk):
    assert len(walk.frame) == len(walk.clip) == len(walk.blended)
    steps = np.diff(walk.frame)
    assert set(np.flatnonzero(steps != 1) + 1) <= set(walk.joins.tolist())
    after = round(JOIN_SECONDS * boxing.fps)
    assert (walk.blended[walk.joins] >= 0).all()
    far = np.ones(len(walk.frame), dtype=bool)
    for join in walk.joins:
        far[join : join + after] = False
    assert (walk.blended[far] == -1).all()
    # away from joins the pose is the recorded one, but for the legs that hold the feet
    hand = boxing.skeleton.joint("left_forearm")
    assert np.allclose(
        walk.clip.rotations[far][:, hand] ** 2, boxing.frames.rotations[walk.frame[far], hand] ** 2
    )


def test_joins_are_as_smooth_as_the_source_and_feet_stay(boxing: ActionLibrary, walk: Walk):
    quality = measure_walk(walk, boxing)
    assert quality.joins > 5
    assert quality.slide_share >= 0.95
    assert quality.acceleration_share == 1.0


def test_a_walk_over_frames_is_smooth_too(boxing: ActionLibrary):
    walk = random_frame_walk(build_frame_graph(boxing), 20.0, seed=1)
    quality = measure_walk(walk, boxing)
    assert quality.joins > 10
    assert quality.slide_share >= 0.95
    assert quality.acceleration_share >= 0.98
    assert "phases below 21 mm" in quality.report()


def test_what_was_recorded_in_a_row_stays_as_it_was(boxing: ActionLibrary):
    pieces = [Piece(0, 100, Placement()), Piece(100, 250, Placement())]
    walk = bake(boxing, pieces, "as it was")
    assert len(walk.joins) == 0
    assert len(walk.clip) == 251
    assert np.abs(walk.clip.positions[:, 0] - boxing.positions[:251, 0]).max() < 0.02


def test_a_jump_dies_away(boxing: ActionLibrary):
    pieces = [Piece(0, 100, Placement()), Piece(1500, 1600, Placement())]
    walk = bake(boxing, pieces, "a jump")
    assert walk.joins.tolist() == [100]
    speed = np.linalg.norm(np.diff(walk.clip.root_position, axis=0), axis=-1)
    apart = np.linalg.norm(boxing.frames.root_position[1500] - boxing.frames.root_position[100])
    assert speed.max() < 0.2 * apart + 0.05
    end = round(JOIN_SECONDS * boxing.fps) + 101
    head = boxing.skeleton.joint("head")
    assert np.allclose(
        walk.clip.rotations[end:, head] ** 2, boxing.frames.rotations[walk.frame[end:], head] ** 2
    )
