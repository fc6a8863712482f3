"""Whatever happens to a file's bytes, it is read or refused with a `FileError`, and soon.

The short form of fuzz.py, which can run at length.
"""

import os
import time
from pathlib import Path

import fuzz
import fuzz_characters
import fuzz_words
import numpy as np
import pytest
from scene_samples import fbx_binary, fbx_text

from randori.bench.formats import made_up_clip
from randori.formats import load
from randori.readers import usd as usd_reader

_SEED = 0
_INPUTS = {
    "fbx": 100,
    "usd": 100,
    "usdc": 100,
    "character": 60,
    "character fbx": 20,
    "character usda": 20,
    "character usdc": 20,
    "take": 100,
    "library": 100,
    "table": 100,
    "message": 200,
}
_INPUTS |= {kind: 50 for kind in fuzz.KINDS if kind.startswith("noise")}
fuzz.KINDS |= fuzz_words.KINDS | fuzz_characters.KINDS
_PACKAGES = {"fbx": "ufbx", "character fbx": "ufbx", "usd": "pxr", "usdc": "pxr"}
_PACKAGES |= {"character usda": "pxr", "character usdc": "pxr"}
_FOUND = [
    ("usdc", 99, 31),  # 812 MB in the USD library
    ("usdc", 99, 70),
    ("character", 2311, 2331),  # a hand that does not hang on its arm
    ("character", 2311, 3839),  # a document without scenes that names one
]


def _need_package(kind: str) -> None:
    if package := _PACKAGES.get(kind):
        pytest.importorskip(package, reason=f"{kind} is read with the package {package}")


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_damaged_files_are_read_or_refused(kind: str):
    _need_package(kind)
    outcome = fuzz.attack(kind, _SEED, 0, _INPUTS.get(kind, 300))
    assert not outcome.failures, outcome.in_words(_SEED)


@pytest.mark.parametrize(("kind", "seed", "number"), _FOUND)
def test_inputs_that_failed_once_do_so_no_more(kind: str, seed: int, number: int):
    _need_package(kind)
    outcome = fuzz.attack(kind, seed, number, 1)
    assert not outcome.failures, outcome.in_words(seed)


@pytest.mark.parametrize("kind", ["bvh", "glb", "c3d", "fbx", *fuzz_words.KINDS, *fuzz_characters.KINDS])
def test_some_damage_is_read(kind: str):
    """Damage that is always refused at once would test nothing."""
    _need_package(kind)
    outcome = fuzz.attack(kind, _SEED, 0, 40)
    assert 0 < outcome.read < 40


def test_binary_fbx_says_what_text_says(tmp_path: Path):
    pytest.importorskip("ufbx", reason="FBX is read with the package ufbx")
    walk = made_up_clip(3)
    (tmp_path / "text.fbx").write_text(fbx_text(walk))
    (tmp_path / "binary.fbx").write_bytes(fbx_binary(fbx_text(walk)))
    text, binary = load(tmp_path / "text.fbx"), load(tmp_path / "binary.fbx")
    np.testing.assert_allclose(binary.positions, text.positions, rtol=0, atol=1e-6)


def test_what_takes_long_or_much_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    held: list[bytes] = []

    def forget() -> float:
        held.clear()
        return 0.0

    def work(folder: Path, kind: str, content: bytes) -> bool:
        begun = time.process_time()
        while content == b"long" and time.process_time() - begun < 0.05:
            pass
        if content == b"large":
            held.append(content)
        return True

    inputs = [b"", b"long", b"", b"large", b""]
    monkeypatch.setattr(fuzz, "damaged_input", lambda kind, seed, number: inputs[number])
    monkeypatch.setattr(fuzz, "read_or_refuse", work)
    monkeypatch.setattr(fuzz, "MOST_TIME", 0.02)
    monkeypatch.setattr(fuzz, "MOST_MEMORY", 0.0)
    monkeypatch.setattr(fuzz, "_held_megabytes", forget)
    monkeypatch.setattr(fuzz, "_megabytes", lambda: 1e6 if held else 0.0)
    outcome = fuzz.attack("bvh", 0, 0, len(inputs))
    assert [number for number, _ in outcome.failures] == [1, 3]


def test_readers_in_other_processes_are_measured_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def work(path: str, answer: str, limits: dict[str, object]) -> None:
        begun = time.process_time()
        content = Path(path).read_bytes()
        while content == b"long" and time.process_time() - begun < 0.6:
            pass
        if content == b"large":
            bytearray(64 * 1024**2)
        if content == b"ends":
            while time.process_time() - begun < 0.6:
                pass
            os._exit(7)

    inputs = [b"-", b"long", b"-", b"large", b"ends", b"-"]
    monkeypatch.setattr(fuzz, "damaged_input", lambda kind, seed, number: inputs[number])
    monkeypatch.setattr(usd_reader, "main", work)
    monkeypatch.setattr(fuzz, "MOST_TIME", 0.5)
    monkeypatch.setattr(fuzz, "MOST_MEMORY", 40.0)
    with monkeypatch.context() as usual:
        usual.setattr(fuzz.child, "find_spec", lambda name: name)
        outcome = fuzz.attack("usd", 0, 0, len(inputs))
    assert [number for number, _ in outcome.failures] == [1, 3, 4]


def test_kinds_are_read_in_turns(monkeypatch: pytest.MonkeyPatch):
    read = []
    monkeypatch.setattr(fuzz, "TURN", 2)
    monkeypatch.setattr(fuzz, "watched_attack", lambda *given: read.append(given) or fuzz.Outcome(given[0]))
    list(fuzz.in_turns(["bvh", "amc"], 1, 4, 3, 1.0))
    assert read == [("bvh", 1, 4, 2), ("amc", 1, 4, 2), ("bvh", 1, 6, 1), ("amc", 1, 6, 1)]
    assert not list(fuzz.in_turns(["bvh"], 1, 0, 3, -1.0))


def test_a_process_that_ends_or_hangs_is_a_failure_of_its_input(monkeypatch: pytest.MonkeyPatch):
    def end_or_hang(folder: Path, kind: str, content: bytes) -> bool:
        if content == b"end":
            os._exit(7)
        while content == b"hang":
            time.sleep(0.01)
        return False

    inputs = [b"", b"end", b"", b"hang", b""]
    monkeypatch.setattr(fuzz, "damaged_input", lambda kind, seed, number: inputs[number])
    monkeypatch.setattr(fuzz, "read_or_refuse", end_or_hang)
    monkeypatch.setattr(fuzz, "LONGEST", 0.3)
    outcome = fuzz.watched_attack("bvh", 0, 0, len(inputs))
    assert outcome.inputs == len(inputs)
    assert [number for number, _ in outcome.failures] == [1, 3]
    assert "code 7" in outcome.failures[0][1]
    assert "within 0.3 s" in outcome.failures[1][1]
