import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from randori.kernels import kinematics

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_become_the_quaternions_of_scipy(order: str):
    angles = np.random.default_rng(0).uniform(-4.0, 4.0, size=(50, 1, 3))
    axes = np.array([["XYZ".index(axis) for axis in order]])
    rotations = np.empty((50, 1, 4))
    kinematics.from_euler(angles, axes, rotations)
    # capital letters are turns about the moving axes: the first is applied last, seen from outside
    expected = Rotation.from_euler(order, angles[:, 0])
    ours = Rotation.from_quat(rotations[:, 0], scalar_first=True)
    assert (expected.inv() * ours).magnitude().max() < 1e-7


def test_missing_axes_do_not_turn():
    angles = np.array([[[0.4, 9.0, 9.0], [9.0, 9.0, 9.0]]])
    axes = np.array([[1, -1, -1], [-1, -1, -1]])
    rotations = np.empty((1, 2, 4))
    kinematics.from_euler(angles, axes, rotations)
    assert np.allclose(rotations[0, 0], [np.cos(0.2), 0.0, np.sin(0.2), 0.0])
    assert np.array_equal(rotations[0, 1], [1.0, 0.0, 0.0, 0.0])


def test_a_chain_of_quarter_turns_walks_around_a_square():
    parents = np.array([-1, 0, 1, 2, 3])
    offsets = np.zeros((5, 3))
    offsets[1:] = [1.0, 0.0, 0.0]
    half = np.sqrt(0.5)
    rotations = np.tile([half, 0.0, 0.0, half], (1, 5, 1))  # each joint a quarter turn about +Z
    positions, turned = np.empty((1, 5, 3)), np.empty((1, 5, 4))
    kinematics.forward(np.array([[5.0, 0.0, 0.0]]), rotations, parents, offsets, positions, turned)
    corners = [[5, 0, 0], [5, 1, 0], [4, 1, 0], [4, 0, 0], [5, 0, 0]]
    assert np.allclose(positions[0], corners)
    assert np.allclose(np.abs(turned[0, 3]), [1.0, 0.0, 0.0, 0.0])
