"""Any file of the cache may be damaged or vanish: it is made again. The cache has a limit."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from randori import caches
from randori.cli import main
from randori.graph import performed
from randori.graph.performed import Performance
from randori.parallel import _keep, _read
from randori.work import finish

_KERNEL = """
from randori.kernels import plane
from randori.kernels.compile import telling
told = []
with telling(told.append):
    print(plane.move_point(0.8, 0.6, 1.0, 2.0, 3.0, 4.0))
print(len(told))
"""


def _call_kernel(cache: Path) -> list[str]:
    """What a kernel answers in a new process, and how often compiling was told."""
    done = subprocess.run(
        [sys.executable, "-c", _KERNEL],
        env=os.environ | {"RANDORI_CACHE": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_damaged_kernels_are_compiled_again(tmp_path: Path):
    """Cut short, emptied, or with a wrong bit in machine code: never a traceback, never another answer."""
    answer, compiled = _call_kernel(tmp_path)
    assert compiled == "2"
    assert _call_kernel(tmp_path) == [answer, "0"]
    files = [path for path in (tmp_path / "kernels").rglob("*") if path.suffix in (".nbi", ".nbc")]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}

    def damage(data: bytes, how: str) -> bytes:
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]
        return {"cut": data[:-7], "emptied": b"", "flipped": flipped}[how]

    for how in ("cut", "emptied", "flipped"):
        for path in files:
            path.write_bytes(damage(path.read_bytes(), how))
        assert _call_kernel(tmp_path) == [answer, "2"], how
        assert _call_kernel(tmp_path) == [answer, "0"], how


@pytest.mark.parametrize("left", [0, 100, -100])
def test_a_damaged_library_is_recorded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    wanted = Performance(("boxing",), 5.0)
    first = finish(performed.performed(wanted))
    data = wanted.path.read_bytes()
    wanted.path.write_bytes(data[:left])
    again = finish(performed.performed(wanted))
    assert again.tags == first.tags
    assert wanted.path.read_bytes() == data


def test_a_damaged_chunk_is_worked_out_again(tmp_path: Path):
    import numpy as np

    path = tmp_path / "chunk.npz"
    _keep(path, {"a": np.arange(5)})
    found = _read(path)
    assert found is not None
    assert found["a"].tolist() == [0, 1, 2, 3, 4]
    data = path.read_bytes()
    for damaged in (b"", data[:50], data[:100] + b"\xff" * 20 + data[120:], b"PK\x03\x04" + b"x" * 200):
        path.write_bytes(damaged)
        assert _read(path) is None


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with a few old files and a new one."""
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    for age, name in (
        (9000, "kernels/a/x.nbc"),
        (8000, "takes/old.npz"),
        (7000, "takes/older.npz"),
        (0, "takes/new"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(1000))
        os.utime(path, (time.time() - age,) * 2)
    return tmp_path


def _said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr("sys.argv", ["randori", "cache", *words])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    assert not end.value.code, printed.err
    return printed.out


def test_the_command_shows_and_clears(cache: Path, capsys, monkeypatch: pytest.MonkeyPatch):
    report = json.loads(_said(capsys, monkeypatch, "--json"))
    assert report["kinds"]["takes"] == {"files": 3, "bytes": 3000}
    assert report["limit"] == caches.LIMIT
    assert "takes" in _said(capsys, monkeypatch)
    assert json.loads(_said(capsys, monkeypatch, "--clear", "takes", "--json"))["freed"] == 3000
    assert not (cache / "takes").exists()
    assert (cache / "kernels").exists()
    _said(capsys, monkeypatch, "--clear", "all")
    assert not (cache / "kernels").exists()


def test_what_was_not_used_for_longest_goes_first(cache: Path):
    assert caches.trim(10_000) == 0
    assert caches.trim(2500) == 2000
    assert sorted(path.name for path in cache.rglob("*") if path.is_file()) == ["new", "older.npz"]
    caches.trim(0)
    assert (cache / "takes" / "new").exists()  # somebody may be using it


def test_the_limit_is_kept_now_and_then(cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANDORI_CACHE_LIMIT", "0")
    caches.trim_now_and_then()
    assert not (cache / "takes" / "old.npz").exists()
    (cache / "takes" / "old.npz").write_bytes(b"x")
    os.utime(cache / "takes" / "old.npz", (0, 0))
    caches.trim_now_and_then()
    assert (cache / "takes" / "old.npz").exists()  # looked at already, today
    monkeypatch.setenv("RANDORI_CACHE_LIMIT", "much")
    with pytest.raises(Exception, match="a number of gigabytes"):
        caches.limit()
