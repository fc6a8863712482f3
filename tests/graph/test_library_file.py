"""Library files come back bit for bit; foreign and damaged ones are refused with words."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from known_actions import known_actions

from randori.errors import FileError
from randori.formats import store
from randori.graph import library_file
from randori.graph.library import ActionLibrary, build_library
from randori.performer import perform


@pytest.fixture(scope="module")
def small() -> ActionLibrary:
    take = perform("boxing", 6.0, seed=2)[0]
    return build_library([(take.clip, known_actions(take))], mirrored=True)


@pytest.fixture
def written(small: ActionLibrary, tmp_path: Path) -> Path:
    path = tmp_path / "boxing.npz"
    library_file.write(path, small)
    return path


def test_a_library_comes_back_as_it_was(small: ActionLibrary, written: Path):
    again = library_file.read(written)
    assert (again.tags, again.clips, again.fps) == (small.tags, small.clips, small.fps)
    assert again.skeleton.names == small.skeleton.names
    assert dict(again.skeleton.parts) == dict(small.skeleton.parts)
    for one, other in (
        (again.frames, small.frames),
        (again.actions, small.actions),
        (again.strikes, small.strikes),
    ):
        for name, a, b in zip(one._fields, one, other):
            assert np.array_equal(a, b), name
            assert a.dtype == b.dtype, name


def test_the_same_library_gives_the_same_bytes(small: ActionLibrary, written: Path, tmp_path: Path):
    other = tmp_path / "other.npz"
    library_file.write(other, library_file.read(written))
    assert other.read_bytes() == written.read_bytes()


def _change(path: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(path, **arrays)


def _reword(path: Path, change: Callable[[dict], None]) -> None:
    def rewrite(arrays: dict[str, np.ndarray]) -> None:
        words = json.loads(arrays["words"].tobytes())
        change(words)
        arrays["words"] = np.frombuffer(json.dumps(words).encode(), dtype="u1")

    _change(path, rewrite)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays: arrays.pop("contacts"), "expected the arrays"),
        (lambda arrays: arrays.update(rotations=arrays["rotations"][:-1]), "rotations of shape"),
        (lambda arrays: arrays.update(root_position=arrays["root_position"] * np.nan), "NaN"),
        (lambda arrays: arrays.update(rotations=arrays["rotations"] * 2.0), "unit quaternions"),
        (lambda arrays: arrays.update(action_stop=arrays["action_stop"] + 10**6), "within the frames"),
        (lambda arrays: arrays.update(strike_effector=arrays["strike_effector"] - 99), "effectors"),
        (lambda arrays: arrays.update(contacts=arrays["contacts"].astype(float)), "contacts to hold"),
        (lambda arrays: arrays.update(parents=arrays["parents"] * 0), "root first"),
    ],
)
def test_wrong_numbers_are_refused(written: Path, change: Callable, message: str):
    _change(written, change)
    with pytest.raises(FileError, match=message) as caught:
        library_file.read(written)
    assert str(written) in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda words: words.update(schema=99), "another version"),
        (lambda words: words.update(kind="a novel"), "the kind"),
        (lambda words: words["tags"].pop(), "of shape"),
        (lambda words: words["tags"][0].update(kind=3), "kind of the tags of action 0"),
        (lambda words: words["clips"][0].update(stop=5), "clips"),
        (lambda words: words["clips"][0]["source"].update(licence=None), "licence"),
        (lambda words: words["parts"].pop("head"), "whole body"),
        (lambda words: words.update(fps=-1.0), "fps"),
    ],
)
def test_wrong_words_are_refused(written: Path, change: Callable, message: str):
    _reword(written, change)
    with pytest.raises(FileError, match=message):
        library_file.read(written)


def test_foreign_and_damaged_files_are_refused(small: ActionLibrary, written: Path, tmp_path: Path):
    clip = tmp_path / "clip.npz"
    store.write(clip, small.action_clip(0))
    text = tmp_path / "text.npz"
    text.write_text("HIERARCHY")
    cut = tmp_path / "cut.npz"
    cut.write_bytes(written.read_bytes()[:-4000])
    flipped = tmp_path / "flipped.npz"
    data = bytearray(written.read_bytes())
    data[len(data) // 2] ^= 0xFF
    flipped.write_bytes(data)
    packed = tmp_path / "packed.npz"
    buffer = io.BytesIO()
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    packed.write_bytes(buffer.getvalue())
    for path in (clip, text, cut, flipped, packed, tmp_path / "missing.npz"):
        with pytest.raises(FileError) as caught:
            library_file.read(path)
        assert str(path) in str(caught.value)
