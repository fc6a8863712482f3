"""Quaternions on quadruples, against the arrays of motion/rotations.py."""

import numpy as np
import pytest

from randori.kernels.rotation import (
    about_vertical,
    compose,
    from_vector,
    from_vector_by_series,
    inverse,
    slerp,
    turn,
    turn_between,
    vector_of,
)
from randori.motion import rotations as rot


@pytest.fixture(scope="module")
def pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(4)
    both = rot.normalize(random.normal(size=(50, 2, 4)))
    return [(a, b) for a, b in both]


def test_products_inverses_and_turned_vectors(pairs):
    for a, b in pairs:
        first, second = tuple(a), tuple(b)
        assert np.allclose(compose(first, second), rot.multiply(a, b))
        assert np.allclose(compose(first, inverse(first)), rot.IDENTITY)
        assert np.allclose(turn(first, (0.3, -1.0, 2.0)), rot.rotate(a, [0.3, -1.0, 2.0]))


def test_a_slerp_ends_exactly_and_goes_the_shorter_way(pairs):
    for a, b in pairs:
        first, second = tuple(a), tuple(b)
        assert slerp(first, second, 0.0) == first
        assert slerp(first, second, 1.0) == second
        middle = np.array(slerp(first, second, 0.3))
        assert rot.angle_between(a, middle) == pytest.approx(0.3 * rot.angle_between(a, b), abs=1e-6)


@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-5, 9.9e-5, 1.1e-4, 0.7, 3.0])
@pytest.mark.parametrize("make", [from_vector, from_vector_by_series])
def test_rotation_vectors_there_and_back(make, angle):
    vector = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    rotation = make(tuple(vector))
    assert np.linalg.norm(rotation) == pytest.approx(1.0)
    assert np.allclose(vector_of(*rotation), vector, atol=1e-12)


def test_a_yaw_turns_ahead_to_the_left():
    assert np.allclose(turn(about_vertical(0.5 * np.pi), (0.0, 0.0, 1.0)), (1.0, 0.0, 0.0))


def test_the_turn_between_two_directions_takes_one_to_the_other():
    a, b = (0.3, -1.0, 2.0), (4.0, 0.5, -0.2)
    turned = np.array(turn(turn_between(a, b), a))
    assert np.allclose(turned / np.linalg.norm(turned), np.array(b) / np.linalg.norm(b))
    assert turn_between(a, (-0.3, 1.0, -2.0)) == (1.0, 0.0, 0.0, 0.0)
