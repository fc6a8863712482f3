"""Sums of submovements against their closed form."""

import numpy as np
import pytest

from randori.performer.channels import INDEX
from randori.performer.tracks import Tracks, ease


def channel(tracks: Tracks, name: str, frames: int = 121, fps: float = 60.0) -> np.ndarray:
    return tracks.evaluate(frames, fps)[:, INDEX[name]]


@pytest.mark.parametrize("skew", [0.35, 0.5, 0.66])
def test_a_movement_is_its_closed_form(skew: float) -> None:
    tracks = Tracks()
    tracks.add("chest_yaw", 0.7, 0.233, 1.117, skew)
    time = np.arange(121) / 60.0
    expected = 0.7 * ease((time - 0.233) / (1.117 - 0.233), skew)
    np.testing.assert_allclose(channel(tracks, "chest_yaw"), expected, atol=1e-12)


def test_half_is_done_at_the_skew_and_ends_are_at_rest() -> None:
    assert ease(np.array([0.62]), 0.62)[0] == pytest.approx(0.5)
    phase = np.linspace(0.0, 1.0, 2001)
    speed = np.gradient(ease(phase, 0.62), phase)
    assert abs(speed[0]) < 1e-2
    assert abs(speed[-1]) < 1e-2
    # a minimum-jerk movement peaks at 15/8 of its mean speed
    assert np.gradient(ease(phase), phase).max() == pytest.approx(1.875, rel=1e-4)


def test_overlapping_movements_add_up() -> None:
    both, one, other = Tracks(), Tracks(), Tracks()
    for tracks in (both, one):
        tracks.add("pelvis_height", -0.1, 0.1, 0.9, 0.6)
    for tracks in (both, other):
        tracks.add("pelvis_height", 0.1, 0.4, 1.5, 0.4)
    alone = channel(one, "pelvis_height") + channel(other, "pelvis_height")
    np.testing.assert_allclose(channel(both, "pelvis_height"), alone, atol=1e-12)


def test_what_is_not_moved_stays_exactly_where_it_is() -> None:
    tracks = Tracks()
    tracks.set_base(left_foot_x=0.31)
    tracks.add("left_foot_x", 0.4, 0.5, 0.8)
    tracks.add("left_foot_x", -0.4, 1.2, 1.6)
    x = channel(tracks, "left_foot_x", 200)
    assert np.ptp(x[:31]) == 0.0
    assert np.ptp(x[48:73]) == 0.0
    assert np.ptp(x[96:]) == 0.0
    assert x[50] == pytest.approx(0.71)


def test_movements_may_begin_before_the_take_and_end_after_it() -> None:
    tracks = Tracks()
    tracks.add("heading", 1.0, -0.5, 0.5)
    tracks.add("heading", 1.0, 1.9, 2.5)
    turn = channel(tracks, "heading")
    assert turn[0] == pytest.approx(0.5)
    assert turn[60] == pytest.approx(1.0)
    assert 1.0 < turn[-1] < 2.0


def test_move_to_ends_at_the_value_whatever_was_planned_before() -> None:
    tracks = Tracks()
    tracks.add("root_x", 0.2, 0.0, 1.0)
    tracks.move_to("root_x", -0.5, 0.5, 1.5)
    assert tracks.final("root_x") == pytest.approx(-0.5)
    assert channel(tracks, "root_x")[-1] == pytest.approx(-0.5)
