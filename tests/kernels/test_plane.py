import math

import numpy as np
import pytest

from randori.kernels.plane import (
    add_yaws,
    compose_placements,
    move_point,
    move_point_back,
    shift_between,
    turn_direction,
    turn_direction_back,
)
from randori.motion.placement import Placement

YAWS = (-3.0, -0.4, 0.0, 1.1, 2.9)


def test_a_quarter_turn_turns_ahead_to_the_left():
    """+Z is ahead and +X is to the left of somebody who looks along it."""
    assert np.allclose(turn_direction(0.0, 1.0, 0.0, 1.0), (1.0, 0.0))
    assert np.allclose(turn_direction(0.0, 1.0, 1.0, 0.0), (0.0, -1.0))


@pytest.mark.parametrize("yaw", YAWS)
def test_points_move_as_a_placement_moves_them(yaw):
    cosine, sine = math.cos(yaw), math.sin(yaw)
    moved = Placement(2.0, -5.0, yaw).move_points([0.3, 9.0, 1.7])
    assert np.allclose(move_point(cosine, sine, 2.0, -5.0, 0.3, 1.7), moved[[0, 2]])
    assert np.allclose(move_point_back(cosine, sine, 2.0, -5.0, moved[0], moved[2]), (0.3, 1.7))


@pytest.mark.parametrize("yaw", YAWS)
def test_turning_back_undoes_a_turn(yaw):
    cosine, sine = math.cos(yaw), math.sin(yaw)
    assert np.allclose(turn_direction_back(cosine, sine, *turn_direction(cosine, sine, 0.3, 1.7)), (0.3, 1.7))


@pytest.mark.parametrize("yaw", YAWS)
def test_the_shift_between_two_points_moves_one_to_the_other(yaw):
    cosine, sine = math.cos(yaw), math.sin(yaw)
    shift = shift_between(cosine, sine, 0.3, 1.7, 4.0, -2.0)
    assert np.allclose(move_point(cosine, sine, *shift, 0.3, 1.7), (4.0, -2.0))


@pytest.mark.parametrize("yaw", YAWS)
def test_composed_placements_move_as_one_after_the_other(yaw):
    outer = (math.cos(yaw), math.sin(yaw), 2.0, -5.0)
    inner = (math.cos(0.7), math.sin(0.7), -1.0, 0.5)
    whole = compose_placements(*outer, *inner)
    step = move_point(*inner, 0.3, 1.7)
    assert np.allclose(move_point(*whole, 0.3, 1.7), move_point(*outer, *step))
    assert np.allclose(whole[:2], (math.cos(yaw + 0.7), math.sin(yaw + 0.7)))
    assert add_yaws(*outer[:2], *inner[:2]) == whole[:2]


def test_every_place_that_moves_a_point_gets_the_same_bits():
    """Takes are compared byte by byte: the order of the sums is part of what these functions promise."""
    rng = np.random.default_rng(1)
    for yaw, x, z, shift_x, shift_z in rng.normal(size=(200, 5)):
        c, s = math.cos(yaw), math.sin(yaw)
        assert move_point(c, s, shift_x, shift_z, x, z) == (c * x + s * z + shift_x, c * z - s * x + shift_z)
        assert turn_direction_back(c, s, x, z) == (c * x - s * z, s * x + c * z)
