"""FBX comes in through a library in a process of its own: whatever that does, Randori goes on."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scene_samples import fbx_text

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import child, load
from randori.motion.clip import Clip

pytest.importorskip("ufbx", reason="FBX is read with the package ufbx")


@pytest.fixture(scope="module")
def walk() -> Clip:
    return made_up_clip(12, fps=30.0)


@pytest.fixture
def path(walk: Clip, tmp_path: Path) -> Path:
    file = tmp_path / "walk.fbx"
    file.write_text(fbx_text(walk))
    return file


def test_a_take_is_a_recording(walk: Clip, path: Path):
    clip = load(path)
    assert (clip.name, clip.fps, len(clip)) == ("walk", 30.0, len(walk))
    order = [clip.skeleton.names.index(name) for name in walk.skeleton.names]
    np.testing.assert_allclose(clip.positions[:, order], walk.positions, rtol=0, atol=1e-4)
    assert load(path, clip="Take 001").name == "Take 001"


def test_what_is_no_fbx_is_refused(tmp_path: Path):
    file = tmp_path / "bad.fbx"
    file.write_text("not a scene at all")
    with pytest.raises(FileError, match=r"bad\.fbx: is not an FBX file that can be read"):
        load(file)
    file.write_text(fbx_text(made_up_clip(2)).split("Connections")[0])
    with pytest.raises(FileError, match="bad"):
        load(file)
    with pytest.raises(FileError, match="does not exist"):
        load(tmp_path / "none.fbx")


def program(folder: Path, text: str) -> str:
    """Something that runs in the place of Python."""
    file = folder / "program"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kill -SEGV $$", "the FBX library failed on it"),
        ("exit 1", "the FBX library failed on it"),
        ("exit 0", "the FBX library failed on it"),
        ("echo too many nodes; exit 3", "too many nodes"),
        ("sleep 60", "was not read within 1 s"),
        ('echo nonsense > "$5"', "cannot be read"),
    ],
)
def test_a_library_that_fails_takes_nothing_down(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
):
    monkeypatch.setattr(child, "LONGEST", 1)
    monkeypatch.setattr(sys, "executable", program(tmp_path, text))
    with pytest.raises(FileError, match=message):
        load(path)


def test_the_process_has_limits(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child, "MOST_MEMORY", 64 * 1024**2)
    with pytest.raises(FileError, match="the FBX library failed on it"):
        load(path)


def test_without_the_package_its_name_is_said(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child, "find_spec", lambda name: None)
    with pytest.raises(FileError, match="pip install ufbx"):
        load(path)
