"""A call in another process: the same answer, none where it fails, and no process that is left behind."""

import os
import time
from pathlib import Path

import pytest

from randori import beside
from randori.beside import Call, spare_cores
from randori.folders import cache_folder
from randori.graph.performed import Performance, performed
from randori.work import finish


def test_the_answer_is_that_of_the_function() -> None:
    with Call(os.path.join, "a", "b") as call:
        assert call.answer() == os.path.join("a", "b")


def test_a_call_that_fails_has_no_answer() -> None:
    with Call(os.path.join, 3) as call:
        assert call.answer() is None


def test_a_call_ends_with_its_block() -> None:
    begin = time.monotonic()
    with Call(time.sleep, 600.0):
        pass
    assert time.monotonic() - begin < 60.0


@pytest.mark.parametrize(("processes", "cores", "spare"), [("", 4, 3), ("2", 4, 2), ("0", 4, 0), ("5", 1, 0)])
def test_cores_are_counted(processes: str, cores: int, spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANDORI_PROCESSES", processes)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert spare_cores() == spare
    monkeypatch.setattr(beside, "is_compiling", lambda: True)
    assert spare_cores() == 0


def test_sets_performed_side_by_side_make_the_same_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = Performance(("locomotion", "running"), seconds=15.0)
    monkeypatch.setattr("randori.graph.performed._WORTH_A_PROCESS", 10.0)
    kept, kernels = [], (cache_folder() / "kernels").absolute()
    kernels.mkdir(parents=True, exist_ok=True)
    for processes in ("0", "1"):
        (tmp_path / processes).mkdir()
        (tmp_path / processes / "kernels").symlink_to(kernels)  # or the other process compiled them
        monkeypatch.setenv("RANDORI_PROCESSES", processes)
        monkeypatch.setenv("RANDORI_CACHE", str(tmp_path / processes))
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        finish(performed(wanted))
        kept.append(wanted.path.read_bytes())
    assert kept[0] == kept[1]
