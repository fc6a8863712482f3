"""Compiling takes half a minute the first time: listeners are told, and not again."""

import gc
import threading
import time
from pathlib import Path

import numba
import pytest

from randori.kernels import plane, rotation
from randori.kernels.compile import kernel, telling
from randori.locks import take


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


def test_a_kernel_is_called_by_python_and_by_other_kernels():
    """The version that other kernels call has no wrapper, so it must never be the one that Python gets."""
    cosine, sine = 0.8, 0.6
    moved = plane.move_point(cosine, sine, 1.0, 2.0, 3.0, 4.0)
    composed = plane.compose_placements(cosine, sine, 1.0, 2.0, 1.0, 0.0, 3.0, 4.0)  # calls move_point
    assert composed[2:] == moved
    assert plane.move_point(cosine, sine, 1.0, 2.0, 3.0, 4.0) == moved


def test_waiting_for_a_process_that_compiles_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    rotate = kernel(rotation.rotate.py_func)
    lock = take(rotate._cache.lock)
    release = threading.Timer(0.5, lock.close)
    told: list[bool] = []
    release.start()
    began = time.monotonic()
    with telling(told.append):
        rotate.compile((numba.float64,) * 7)
    assert time.monotonic() - began > 0.4
    assert told == [True, False]


def test_only_what_runs_becomes_machine_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A version for other kernels has the code that its callers link, and next to no machine code."""
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    compose = kernel(rotation.compose.py_func)
    pair = numba.types.UniTuple(numba.float64, 4)
    for version in (compose, compose.inner):
        version.compile((pair, pair))
    whole, linked = (next(iter(version.overloads.values())).library for version in (compose, compose.inner))
    name = rotation.compose.py_func.__name__
    assert any(name in function.name for function in linked._final_module.functions)
    assert len(linked._compiled_object) < 0.5 * len(whole._compiled_object)


def test_compiling_leaves_the_garbage_collector_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    usual = gc.get_threshold()
    kernel(rotation.rotate.py_func).compile((numba.float64,) * 7)
    assert gc.get_threshold() == usual
