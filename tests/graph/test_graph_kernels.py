"""Strongly connected parts, against scipy; rows in two arrays."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from randori.graph.csr import take_rows, to_csr
from randori.graph.places import compose, inverse
from randori.kernels import graphs
from randori.motion.placement import Placement


@pytest.mark.parametrize("seed", range(20))
def test_strong_components_are_those_that_scipy_finds(seed: int):
    random = np.random.default_rng(seed)
    nodes, edges = int(random.integers(1, 60)), int(random.integers(0, 120))
    row, column = random.integers(0, nodes, (2, edges))
    component = np.empty(nodes, dtype=np.int64)
    count = graphs.strong_components(*to_csr(row, column, nodes), component)
    matrix = csr_matrix((np.ones(edges), (row, column)), shape=(nodes, nodes))
    expected_count, expected = connected_components(matrix, connection="strong")
    assert count == expected_count
    assert len(set(zip(component, expected))) == count


def test_a_long_chain_does_not_overflow():
    nodes = 200_000
    component = np.empty(nodes, dtype=np.int64)
    chain = np.arange(nodes)
    assert graphs.strong_components(*to_csr(chain, (chain + 1) % nodes, nodes), component) == 1


def test_rows_come_back():
    indptr, indices = to_csr(np.array([2, 0, 2, 3]), np.array([7, 8, 9, 5]), 5)
    assert indptr.tolist() == [0, 1, 1, 3, 4, 4]
    assert take_rows(indptr, indices, np.array([2, 4, 0, 2])).tolist() == [7, 9, 8, 7, 9]


def test_many_placements_are_as_single_ones():
    random = np.random.default_rng(4)
    a, b = random.normal(size=(2, 10, 3))
    for one, other, both, back in zip(a, b, compose(a, b), inverse(a)):
        expected, undone = Placement(*one).then(Placement(*other)), Placement(*one).inverse()
        assert np.allclose(both, (expected.x, expected.z, expected.yaw))
        assert np.allclose(back, (undone.x, undone.z, undone.yaw))
