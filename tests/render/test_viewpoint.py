"""The side from which a film shows its moments: nothing in front of them, and large enough."""

import numpy as np
import pytest
from people import jog

from randori.motion import rotations as rot
from randori.render.camera import Direction, Focus, frame_focus
from randori.render.stage import Prop, Stage
from randori.render.viewpoint import Moment, choose_front, height_share, visibility

ASPECT = 16 / 9
MOMENT = Moment(0.5, (0,))


def wall(x: float, z: float) -> Prop:
    """A wall of courses across the way from the middle to a place, so near that it hides all behind it."""
    along = np.array([z, 0.0, -x]) / np.hypot(x, z)
    ends = [np.array([[x, y, z] for y in np.arange(0.1, 2.4, 0.15)]) + sign * 3.0 * along for sign in (-1, 1)]
    return Prop(*ends, np.full(len(ends[0]), 0.1), (0.5, 0.5, 0.5))


def focus() -> Focus:
    return Focus(np.zeros((60, 2)), np.full(60, 1.2), np.full(60, 1.2), 30.0)


def seen_from(stage: Stage, azimuth: float) -> float:
    (camera,) = frame_focus(focus(), np.array([MOMENT.time]), Direction(azimuth), ASPECT)
    return visibility(stage, camera, ASPECT, MOMENT)


def test_a_wall_hides_what_is_behind_it():
    clip = jog()
    assert seen_from(Stage.of([clip]), 0.0) == 1.0
    assert seen_from(Stage.of([clip], props=[wall(0.0, 1.5)]), 0.0) == 0.0
    assert seen_from(Stage.of([clip], props=[wall(0.0, 1.5)]), np.pi) == 1.0


def test_another_body_hides_some_of_it():
    assert seen_from(Stage.of([jog(), jog(at=(0.0, 0.8))]), 0.0) < 0.6
    assert seen_from(Stage.of([jog(), jog(at=(0.0, 0.8))]), 0.5 * np.pi) > 0.9


def test_what_is_outside_the_picture_is_not_seen():
    (camera,) = frame_focus(focus(), np.array([0.5]), Direction(0.0), ASPECT)
    far = Stage.of([jog(at=(6.0, 0.0))])
    assert visibility(far, camera, ASPECT, MOMENT) == 0.0


@pytest.mark.parametrize("side", [0.3, 2.0, -1.2])
def test_the_side_is_one_from_which_nothing_hides_the_moment(side: float):
    hidden = wall(1.5 * np.sin(side), 1.5 * np.cos(side))
    clip = jog(yaw=side - np.radians(35.0))  # its best side, if there were no wall
    free, behind = Stage.of([clip]), Stage.of([clip], props=[hidden])
    usual = choose_front(free, focus(), [MOMENT], 0.25, ASPECT)
    assert abs(rot.wrap_angle(usual - side)) < np.radians(20.0)
    chosen = choose_front(behind, focus(), [MOMENT], 0.25, ASPECT)
    assert seen_from(behind, usual) < 0.3
    assert seen_from(behind, chosen) == 1.0


def test_a_face_is_seen_where_nothing_hides_the_body():
    clip = jog(yaw=1.0)
    chosen = choose_front(Stage.of([clip]), focus(), [MOMENT], 0.25, ASPECT)
    assert abs(rot.wrap_angle(chosen - 1.0)) < np.radians(100.0)


def test_the_height_of_a_character_is_a_share_of_the_picture():
    (character,) = Stage.of([jog()]).characters
    shares = [
        height_share(character, Direction(0.4, 0.02).at(np.array([0.0, 0.9, 0.0]), away), 0.0)
        for away in (5.0, 10.0)
    ]
    assert shares[0] == pytest.approx(2.0 * shares[1], rel=0.1)
    assert shares[0] == pytest.approx(1.75 / (2.0 * 5.0 * np.tan(np.radians(13.0))), rel=0.12)


def test_a_focus_keeps_a_person_large_though_others_are_cut_off():
    wide = Focus(np.zeros((1, 2)), np.array([8.0]), np.array([1.0]), 30.0)
    held = Focus(np.zeros((1, 2)), np.array([8.0]), np.array([1.0]), 30.0, least=0.5)
    (character,) = Stage.of([jog()]).characters
    shares = [
        height_share(character, frame_focus(one, np.zeros(1), Direction(0.0), ASPECT)[0], 0.0)
        for one in (wide, held)
    ]
    assert shares[0] < 0.3
    assert shares[1] > 0.4


def test_what_is_not_deep_is_seen_from_nearer():
    round_about = Focus(np.zeros((1, 2)), np.array([1.5]), np.array([1.5]), 30.0)
    in_a_row = Focus(np.zeros((1, 2)), np.array([1.5]), np.array([0.4]), 30.0)
    far, near = (
        float(np.linalg.norm(camera.position - camera.target))
        for (camera,) in (
            frame_focus(one, np.zeros(1), Direction(0.7), ASPECT) for one in (round_about, in_a_row)
        )
    )
    assert near < far - 0.5
