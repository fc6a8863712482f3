"""Degrees in the channels of motion files become quaternions."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from randori.kernels import channels

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


@pytest.mark.parametrize("order", ORDERS)
def test_channels_become_the_quaternions_of_scipy(order: str):
    degrees = np.random.default_rng(0).uniform(-400.0, 400.0, size=(50, 3))
    axes = np.array([["XYZ".index(axis) for axis in order]])
    rotations = np.empty((50, 1, 4))
    channels.turn(degrees, np.array([[0, 1, 2]]), axes, rotations)
    # capital letters are turns about the moving axes: the first is applied last, seen from outside
    expected = Rotation.from_euler(order, degrees, degrees=True)
    ours = Rotation.from_quat(rotations[:, 0], scalar_first=True)
    assert (expected.inv() * ours).magnitude().max() < 1e-7


def test_missing_axes_do_not_turn():
    axes = np.array([[1, -1, -1], [-1, -1, -1]])
    rotations = np.empty((1, 2, 4))
    channels.turn(np.array([[60.0, 9.0]]), np.array([[0, 1, 1], [1, 1, 1]]), axes, rotations)
    assert np.allclose(rotations[0, 0], [np.sqrt(0.75), 0.0, 0.5, 0.0])
    assert np.array_equal(rotations[0, 1], [1.0, 0.0, 0.0, 0.0])


def test_quarter_turns_are_exact():
    rotations = np.empty((1, 1, 4))
    channels.turn(np.array([[360.0]]), np.array([[0, 0, 0]]), np.array([[0, -1, -1]]), rotations)
    assert np.array_equal(rotations[0, 0], [-1.0, 0.0, 0.0, 0.0])
