import numpy as np

from randori.kernels import kinematics


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
