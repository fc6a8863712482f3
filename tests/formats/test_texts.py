"""Text that cannot be used is a `FileError`, whatever is wrong with it."""

import os
from pathlib import Path

import pytest

from randori.capture.sidecar import read_sidecar
from randori.errors import FileError
from randori.formats.texts import parse_json, parse_toml, read_text
from randori.patches.pattern import parse_patterns
from randori.scene.scene import Scene
from randori.timeline.session import read_script

DEEP, LONG = "[" * 5000 + "]" * 5000, "9" * 5000


@pytest.mark.parametrize("value", [DEEP, LONG, "1979-99-99", "0x" + "f" * 9999 + "g", "\x1b", "nan nan"])
def test_toml_that_python_stumbles_over(tmp_path: Path, value: str):
    text = f"title = {value}"
    with pytest.raises(FileError, match="is not TOML"):
        parse_toml(text, "scene.toml")
    for read in (Scene.parse, lambda text: parse_patterns(text, "patterns")):
        with pytest.raises(FileError):
            read(text)
    sidecar = tmp_path / "walk.bvh.actions.toml"
    sidecar.write_text(text)
    with pytest.raises(FileError):
        read_sidecar(sidecar)


@pytest.mark.parametrize("value", [DEEP, LONG, "NaN", "-Infinity", "1979-99-99", "\x1b"])
def test_json_that_python_stumbles_over(tmp_path: Path, value: str):
    with pytest.raises(FileError, match="is not JSON"):
        parse_json(f'{{"seed": {value}}}', "inputs.json")
    script = tmp_path / "inputs.json"
    script.write_text(f'{{"seed": {value}}}')
    with pytest.raises(FileError):
        read_script(script)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("read", [read_text, Scene.load, read_script, read_sidecar])
def test_no_text_is_waited_for(tmp_path: Path, read):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(FileError, match="not an ordinary file"):
        read(tmp_path / "pipe.toml")


def test_a_text_has_a_size_and_an_encoding(tmp_path: Path):
    path = tmp_path / "scene.toml"
    path.write_bytes(b"x" * 11)
    with pytest.raises(FileError, match="larger than"):
        read_text(path, 10)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="UTF-8"):
        read_text(path)
