"""Kernels are compiled once, by whichever process comes first; a wheel's fit where they should."""

import inspect
import os
import shutil
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from numba import types
from numba.np.numpy_support import from_dtype

from randori.kernels import ahead, cache, duel_records
from randori.kernels.recorded import describe, read_record, type_of, write_record


class Pair(NamedTuple):
    one: int
    other: object


# Compiles a kernel that calls another, and says how many were compiled here.
COMPILE = """
import sys
from pathlib import Path
from randori.kernels import cache
if len(sys.argv) > 1:
    cache.SHIPPED = Path(sys.argv[1])
from numba import types
from randori.kernels import contact
from randori.kernels.recorded import recording
with recording() as rows:
    contact.gap_squared.compile((types.float64,) * contact.gap_squared.py_func.__code__.co_argcount)
print(len(rows))
"""


def start(folder: Path, *words: object, **surroundings: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMPILE, *map(str, words)],
        env={**os.environ, "RANDORI_CACHE": str(folder), **surroundings},
        stdout=subprocess.PIPE,
        text=True,
    )


def compiled_by(process: "subprocess.Popen[str]") -> int:
    said, _ = process.communicate()
    assert process.returncode == 0
    return int(said)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A cache that two processes have filled at once, and how many kernels each has compiled."""
    folder = tmp_path_factory.mktemp("compiled")
    together = [start(folder), start(folder)]
    return folder, [compiled_by(process) for process in together]


def test_two_processes_compile_a_kernel_once(compiled: tuple[Path, list[int]]):
    folder, counts = compiled
    assert sum(counts) == max(counts) > 0
    assert compiled_by(start(folder)) == 0


def test_a_damaged_file_is_compiled_again(compiled: tuple[Path, list[int]], tmp_path: Path):
    count = sum(compiled[1])
    shutil.copytree(compiled[0], tmp_path, dirs_exist_ok=True)
    for path in tmp_path.rglob("*.nbc"):
        path.write_bytes(path.read_bytes()[:100])
    assert compiled_by(start(tmp_path)) == count
    assert compiled_by(start(tmp_path)) == 0


def test_a_wheel_brings_kernels_for_processors_that_have_what_they_use(
    compiled: tuple[Path, list[int]], tmp_path: Path
):
    if not cache.fits_baseline():
        pytest.skip("this processor has less than wheels are compiled for")
    name, features = cache.baseline()
    made, own = tmp_path / "made", tmp_path / "own"
    count = compiled_by(start(made, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features))
    assert compiled_by(start(own, made / "kernels")) == 0
    assert not list(own.rglob("*.nbc"))
    # compiled for another processor, they are no use
    assert sum(compiled[1]) == count
    assert compiled_by(start(own, compiled[0] / "kernels")) == count


def test_a_folder_that_cannot_be_written_is_no_problem(tmp_path: Path):
    (tmp_path / "file").touch()
    assert compiled_by(start(tmp_path / "file")) > 0


def test_the_record_fits_the_kernels():
    record = read_record()
    assert {"demo", "run"} <= set(record)
    for kernel, arguments, _ in {one for rows in record.values() for one in rows}:
        module, _, name = kernel.rpartition(".")
        function = getattr(import_module(module), name).py_func
        assert len(inspect.signature(function).parameters) == len(arguments), (
            f"{kernel}: python packaging/record.py"
        )
        kinds = [type_of(words) for words in arguments]
        assert tuple(map(describe, kinds)) == arguments


def test_types_in_words_are_the_same_types():
    kinds = [
        types.float64,
        types.boolean,
        types.none,
        types.Array(types.int64, 2, "C"),
        types.Array(types.boolean, 1, "A", readonly=True),
        types.UniTuple(types.float64, 3),
        types.Tuple((types.int64, types.Array(types.uint8, 1, "C"))),
        types.NamedTuple((types.int64, types.Array(types.float32, 1, "F")), Pair),
        from_dtype(duel_records.ACTION),
        types.Array(from_dtype(duel_records.FIGHTER), 2, "C"),
    ]
    for kind in kinds:
        assert type_of(describe(kind)) == kind


def test_processes_share_a_list_and_end_with_who_started_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    needed = read_record()["run"]
    assert not ahead.is_ready("run", needed)
    started = ahead.compile_ahead("run", processes=2)
    assert len(started) == 2
    deadline = time.monotonic() + 120.0
    while not list(tmp_path.rglob("*.nbc")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(tmp_path.rglob("*.nbc"))
    for process in started:  # as if this process had ended
        assert process.stdin is not None
        process.stdin.close()
    for process in started:
        assert process.wait(timeout=60.0) == 1
    assert not ahead.is_ready("run", needed)


def test_a_small_list_is_compiled_in_order_and_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    small = [one for one in read_record()["demo"] if one.module.endswith((".contact", ".rotation"))]
    path = tmp_path / "recorded.json"
    write_record({"small": small}, path)
    script = (
        "import sys; from pathlib import Path; from randori.kernels import ahead, recorded;"
        "recorded._FILE = Path(sys.argv[1]); ahead.compile_all('small')"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    assert len(list(tmp_path.rglob("*.nbc"))) == len(small) > 2
    assert ahead.is_ready("small", small)
    assert ahead.compile_ahead("unheard of") == []
