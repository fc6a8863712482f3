"""Names of output files are safe on every system, and what killed processes leave behind is removed."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from randori.formats import files
from randori.formats.files import safe_name, write_whole
from randori.locks import lock
from randori.performer import perform
from randori.scene.export import save


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("A/B", "A_B"),
        ("..", "__"),
        ("a\\b:c*?", "a_b_c__"),
        ("con", "_con"),
        ("NUL", "_NUL"),
        ("", "_"),
        (" x. ", "x_"),
        ("Ö 日", "Ö 日"),
        ("\x1b[31m\n", "__31m_"),
        ("x" * 500, "x" * 80),
    ],
)
def test_names_from_scenes_and_files(name: str, safe: str):
    assert safe_name(name) == safe


def test_characters_of_any_name_are_written(tmp_path: Path):
    clip = perform("boxing", 1.0, seed=1)[0].clip
    cast = [replace(clip, name=name) for name in ("A/B", "..", "con", "A/B")]
    written = save(cast, tmp_path / "fight.bvh")
    assert sorted(written) == sorted(tmp_path.iterdir())
    assert len(written) == 4


def _left(folder: Path, name: str, age: float) -> Path:
    path = folder / name
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_what_a_killed_process_left_is_removed(tmp_path: Path):
    stale = _left(tmp_path, ".0123456789abcdef.part", 3600)
    young = _left(tmp_path, ".1123456789abcdef.part", 0)
    written = _left(tmp_path, ".2123456789abcdef.part", 3600)
    other = _left(tmp_path, ".notes.part", 3600)
    files._remove_stale.cache_clear()
    with open(written, "r+b") as file:
        assert lock(file)  # another process would have it
        with write_whole(tmp_path / "take.bvh") as target:
            target.write(b"x")
    assert not stale.exists()
    assert young.exists()
    assert written.exists()
    assert other.exists()
