"""Compiling takes a minute the first time: somebody is told, and not again."""

import numba

from randori.kernels.compile import telling


def test_compiling_is_told_once_even_where_one_kernel_needs_another():
    inner = numba.njit(lambda x: x + 1)
    outer = numba.njit(lambda x: 2 * inner(x))
    told: list[bool] = []
    with telling(told.append):
        assert outer(1) == 4
        assert outer(2) == 6
    assert told == [True, False]
    outer(1.5)
    assert told == [True, False]  # nobody listens any more
