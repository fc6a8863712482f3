"""Turning a body on its own steps."""

import numpy as np
import pytest
from walker import walk

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import mirror
from randori.motion.feet import foot_slide
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton
from randori.motion.turning import MOST_PIVOT, Turned, turn_on_steps

FIRST, LAST = 30, 150  # frames: two seconds, four steps


@pytest.fixture(scope="module")
def walking(skeleton: Skeleton) -> tuple[Clip, np.ndarray]:
    return walk(skeleton, 60.0, 3.0)


def _turn(walking: tuple[Clip, np.ndarray], degrees: float) -> Turned:
    turned = turn_on_steps(*walking, np.radians(degrees), FIRST, LAST)
    assert turned is not None
    return turned


@pytest.mark.parametrize("degrees", [90.0, -135.0, 180.0])
def test_it_comes_round_by_the_angle_and_is_else_as_before(walking: tuple[Clip, np.ndarray], degrees: float):
    clip, turned = walking[0], _turn(walking, degrees).clip
    np.testing.assert_allclose(turned.positions[: FIRST + 1], clip.positions[: FIRST + 1], atol=1e-9)
    heading = rot.wrap_angle(turned.heading("pelvis") - clip.heading("pelvis"))
    assert abs(rot.wrap_angle(heading[LAST] - np.radians(degrees))) < 1e-6
    moved = Placement.of(clip, LAST).inverse().then(Placement.of(turned, LAST))
    np.testing.assert_allclose(moved.move_points(clip.positions[LAST:]), turned.positions[LAST:], atol=1e-6)


def test_it_never_turns_back(walking: tuple[Clip, np.ndarray]):
    turn = _turn(walking, -90.0).turn
    assert (np.diff(turn) <= 1e-12).all()
    both_down = walking[1].all(axis=1)[1:]
    pace = np.abs(np.diff(turn))
    assert pace[both_down].mean() < pace[~both_down].mean()


@pytest.mark.parametrize("degrees", [45.0, 135.0, -180.0])
def test_planted_feet_stay_where_they_are(walking: tuple[Clip, np.ndarray], degrees: float):
    clip, contacts = walking
    turned = _turn(walking, degrees)
    assert (foot_slide(turned.clip, contacts) - foot_slide(clip, contacts)).max() < 0.003
    assert turned.pivots.max() < MOST_PIVOT
    assert turned.missed[contacts].max() < 0.005
    np.testing.assert_allclose(turned.clip.root_position[:, 1], clip.root_position[:, 1], atol=0.05 + 1e-9)


def test_a_mirror_shows_the_turn_to_the_other_side(walking: tuple[Clip, np.ndarray]):
    clip, contacts = walking
    there = mirror(_turn(walking, 90.0).clip)
    here = _turn((mirror(clip), contacts[:, ::-1]), -90.0).clip
    np.testing.assert_allclose(here.positions, there.positions, atol=1e-6)


def test_nobody_turns_without_a_step(walking: tuple[Clip, np.ndarray]):
    clip, contacts = walking
    assert turn_on_steps(clip, np.ones_like(contacts), 0.5, FIRST, LAST) is None
    one_foot = contacts | np.array([True, False])
    assert turn_on_steps(clip, one_foot, 1.1 * MOST_PIVOT, FIRST, LAST) is None
    assert turn_on_steps(clip, contacts, 0.5, FIRST, LAST, np.zeros(len(clip), dtype=bool)) is None
