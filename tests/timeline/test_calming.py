"""What turns too hastily is calmed, and changed no more than that takes."""

import numpy as np
import pytest

from randori.graph.joining import Walk
from randori.graph.smoothness import angular_acceleration, calm
from randori.graph.walk_quality import join_peaks
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.haste import HARDEST, joint_accelerations
from randori.performer import perform
from randori.timeline.calming import calm_moves, widened
from randori.timeline.timeline import Timeline

JOLT, JOINT = 60, 5
LIMIT = 500.0  # radians per second²


@pytest.fixture(scope="module")
def still() -> Clip:
    clip = perform("boxing", 3.0, seed=4)[0].clip
    return clip.with_frames(
        np.repeat(clip.root_position[:1], 120, axis=0), np.repeat(clip.rotations[:1], 120, axis=0)
    )


def jolted(clip: Clip, angle: float) -> Clip:
    rotations = clip.rotations.copy()
    turn = rot.from_rotation_vector(np.array([0.0, angle, 0.0]))
    rotations[JOLT, JOINT] = rot.multiply(turn, rotations[JOLT, JOINT])
    return clip.with_frames(clip.root_position, rotations)


def turned(one: Clip, other: Clip) -> np.ndarray:
    """(F, J) radians between two clips."""
    return np.linalg.norm(
        rot.to_rotation_vector(rot.multiply(one.rotations, rot.inverse(other.rotations))), axis=-1
    )


def test_a_jolt_is_calmed_and_nothing_else_changed(still: Clip):
    clip = jolted(still, 0.3)
    limit = np.full(clip.rotations.shape[:2], LIMIT)
    assert angular_acceleration(clip.rotations, clip.fps).max() > 3.0 * LIMIT
    after = calm(clip, limit, np.ones(len(clip), dtype=bool))
    assert angular_acceleration(after.rotations, clip.fps).max() <= 1.0001 * LIMIT
    change = turned(clip, after)
    assert change[JOLT, JOINT] < 0.3  # not all of it is taken away
    assert change[: JOLT - 12].max() < 1e-12
    assert change[JOLT + 13 :].max() < 1e-12
    assert np.delete(change, JOINT, axis=1).max() < 1e-12


def test_what_is_too_hasty_for_long_is_calmed_as_well(still: Clip):
    """Ten frames of speeding up and ten of slowing down move each other, again and again."""
    hasty = np.zeros(len(still))
    hasty[50:60], hasty[60:70] = 1.1 * LIMIT, -1.1 * LIMIT
    angle = np.cumsum(np.cumsum(hasty)) / still.fps**2
    rotations = still.rotations.copy()
    turn = rot.from_rotation_vector(np.outer(angle, [0.0, 1.0, 0.0]))
    rotations[:, JOINT] = rot.multiply(turn, rotations[:, JOINT])
    clip = still.with_frames(still.root_position, rotations)
    assert angular_acceleration(clip.rotations, clip.fps).max() > 1.09 * LIMIT
    after = calm(clip, np.full(clip.rotations.shape[:2], LIMIT), np.ones(len(clip), dtype=bool))
    assert angular_acceleration(after.rotations, clip.fps).max() <= 1.0001 * LIMIT


def test_only_frames_that_are_free_are_changed(still: Clip):
    clip = jolted(still, 0.2)
    limit = np.full(clip.rotations.shape[:2], LIMIT)
    free = np.zeros(len(clip), dtype=bool)
    free[JOLT : JOLT + 9] = True
    after = calm(clip, limit, free)
    assert turned(clip, after)[~free].max() < 1e-12
    assert angular_acceleration(after.rotations, clip.fps).max() <= 1.0001 * LIMIT


def test_what_keeps_its_limits_stays_as_it_was(still: Clip):
    limit = np.full(still.rotations.shape[:2], LIMIT)
    after = calm(still, limit, np.ones(len(still), dtype=bool))
    assert after.rotations.tobytes() == still.rotations.tobytes()


def test_every_join_is_as_smooth_as_what_was_recorded(sparring: Timeline, baked: list[Walk]):
    for track, walk in zip(sparring.tracks, baked):
        assert len(walk.joins) > 5
        assert join_peaks(walk, track.library).max() <= track.library.usual_acceleration


def test_flags_are_widened_whatever_their_number():
    assert widened(np.array([False, False, False, True, False]), 1).tolist() == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert widened(np.array([True, False, False]), 9).tolist() == [True] * 3
    assert widened(np.zeros(4, dtype=bool), 9).tolist() == [False] * 4


def test_a_joint_that_jumps_is_slowed_and_only_where_it_is_free(still: Clip):
    clip = jolted(still, 0.5)
    unlimited = np.full(clip.rotations.shape[:2], np.inf)
    everywhere = np.ones(len(clip), dtype=bool)
    assert joint_accelerations(clip.positions, clip.fps).max() > HARDEST
    after = calm_moves(clip, unlimited, everywhere)
    assert joint_accelerations(after.positions, clip.fps).max() < HARDEST
    assert turned(clip, after)[: JOLT - 15].max() < 1e-12
    assert calm_moves(clip, unlimited, ~everywhere) is clip
