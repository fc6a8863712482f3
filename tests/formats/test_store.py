"""Clips come back bit for bit, and nothing foreign or damaged comes in."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import load, store
from randori.motion.clip import Clip, Source

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def clip() -> Clip:
    source = Source("walk.bvh", 0.0254 / 0.45, "Z", 1, "CC BY 4.0", "someone – ö", ("a note", "another"))
    return replace(made_up_clip(50, fps=30000 / 1001), name="walk – ö", source=source)


@pytest.fixture
def path(tmp_path: Path, clip: Clip) -> Path:
    store.write(tmp_path / "walk.npz", clip)
    return tmp_path / "walk.npz"


def test_a_clip_comes_back_bit_for_bit(path: Path, clip: Clip):
    again = load(path)
    for name in ("root_position", "rotations"):
        assert getattr(again, name).tobytes() == getattr(clip, name).tobytes()
    for name in ("parents", "offsets", "tips", "reference"):
        assert getattr(again.skeleton, name).tobytes() == getattr(clip.skeleton, name).tobytes()
    assert (again.name, again.fps, again.source) == (clip.name, clip.fps, clip.source)
    assert again.skeleton.names == clip.skeleton.names
    assert again.skeleton.parts == clip.skeleton.parts


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path, path: Path, clip: Clip):
    store.write(tmp_path / "again.npz", load(path))
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_arrays_that_came_back_can_be_written(path: Path):
    assert load(path).rotations.flags.writeable


def test_body_parts_can_be_named_anew(path: Path, clip: Clip):
    again = load(path, parts={"left_hand": "LeftFingerBase"})
    assert again.skeleton.names[again.skeleton.joint("left_hand")] == "LeftFingerBase"
    assert again.skeleton.joint("right_hand") == clip.skeleton.joint("right_hand")


def with_nan(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flat[5] = np.nan
    return array


def words(arrays: Arrays, **changes: object) -> np.ndarray:
    return np.frombuffer(json.dumps(json.loads(arrays["words"].tobytes()) | changes).encode(), dtype="u1")


BAD: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "an array too few": (lambda a: {k: v for k, v in a.items() if k != "tips"}, "expected the arrays"),
    "an array too many": (lambda a: a | {"more": np.zeros(3)}, "expected the arrays"),
    "single precision": (
        lambda a: a | {"rotations": a["rotations"].astype("f4")},
        "expected rotations to hold float64",
    ),
    "numbers for parents": (
        lambda a: a | {"parents": a["parents"].astype("f8")},
        "expected parents to hold int64",
    ),
    "another order in memory": (
        lambda a: a | {"offsets": np.asfortranarray(a["offsets"])},
        "expected offsets",
    ),
    "nan": (lambda a: a | {"rotations": with_nan(a["rotations"])}, "rotations without NaN"),
    "infinity": (lambda a: a | {"root_position": a["root_position"] + np.inf}, "root_position without NaN"),
    "no frames": (
        lambda a: a | {"root_position": np.zeros((0, 3)), "rotations": np.zeros((0, 31, 4))},
        "one frame",
    ),
    "a frame too few": (lambda a: a | {"rotations": a["rotations"][1:]}, "rotations of shape (50, 31, 4)"),
    "a joint too few": (lambda a: a | {"offsets": a["offsets"][1:]}, "offsets of shape (31, 3)"),
    "another shape": (lambda a: a | {"root_position": np.zeros(50)}, "root_position of shape (50, 3)"),
    "no shape": (lambda a: a | {"root_position": np.array(0.0)}, "root_position of shape"),
    "children before parents": (
        lambda a: a | {"parents": a["parents"][::-1].copy()},
        "expected the root first",
    ),
    "its own parent": (lambda a: a | {"parents": np.array([-1, *range(1, 31)])}, "parents before children"),
    "two roots": (
        lambda a: a | {"parents": np.where(np.arange(31) == 7, -1, a["parents"])},
        "parents before",
    ),
    "turns that stretch": (
        lambda a: a | {"rotations": a["rotations"] * 1.1},
        "rotations to be unit quaternions",
    ),
    "a reference of zeros": (
        lambda a: a | {"reference": a["reference"] * 0},
        "reference to be unit quaternions",
    ),
    "another kind": (
        lambda a: a | {"words": words(a, kind="randori take")},
        "expected the kind 'randori clip'",
    ),
    "from the future": (lambda a: a | {"words": words(a, schema=2)}, "expected schema 1, found 2"),
    "words that are no words": (lambda a: a | {"words": np.arange(200, dtype="u1")}, "damaged"),
    "a list of words": (lambda a: a | {"words": np.frombuffer(b"[1, 2]", dtype="u1")}, "expected the kind"),
    "nested words": (lambda a: a | {"words": np.full(200_000, ord("["), dtype="u1")}, "damaged"),
    "too many words": (lambda a: a | {"words": np.full(2_000_000, ord(" "), dtype="u1")}, "at most"),
    "no joints": (lambda a: a | {"words": words(a, joints=[])}, "1 to 1000 joints"),
    "joints that are numbers": (
        lambda a: a | {"words": words(a, joints=list(range(31)))},
        "names for the joints",
    ),
    "a name twice": (lambda a: a | {"words": words(a, joints=["a"] * 31)}, "a name of its own"),
    "a rate of nan": (lambda a: a | {"words": words(a, fps=float("nan"))}, "expected finite numbers"),
    "a rate of zero": (lambda a: a | {"words": words(a, fps=0.0)}, "expected fps between"),
    "a rate of words": (lambda a: a | {"words": words(a, fps="30")}, "fps to be a float"),
    "an unknown part": (
        lambda a: a | {"words": words(a, parts={"wing": 3})},
        "expected a body part, found 'wing'",
    ),
    "a part that is not there": (lambda a: a | {"words": words(a, parts={"head": 31})}, "head to be a joint"),
    "a part that is true": (lambda a: a | {"words": words(a, parts={"head": True})}, "head to be a joint"),
    "no source": (lambda a: a | {"words": words(a, source={})}, "expected the fields of a source"),
    "a source of another kind": (
        lambda a: (
            a | {"words": words(a, source={**json.loads(a["words"].tobytes())["source"], "notes": "x"})}
        ),
        "notes of the source to be a list",
    ),
}


@pytest.mark.parametrize(("change", "expected"), BAD.values(), ids=BAD.keys())
def test_what_is_wrong_is_said(path: Path, change: Callable[[Arrays], Arrays], expected: str):
    with np.load(path) as arrays:
        changed = change(dict(arrays))
    np.savez(path, **changed)  # type: ignore[arg-type]
    with pytest.raises(FileError) as caught:
        load(path)
    assert expected in str(caught.value)
    assert str(path) in str(caught.value)


NO_ZIP_FILES = {
    "a letter": b"x",
    "words": b"not a zip file at all, but longer than its directory would be",
    "a start": b"PK\x03\x04" * 100,
    "an end": b"PK\x05\x06" + bytes(18),
    "zeros": bytes(1000),
    "an array": b"\x93NUMPY" * 50,
}


@pytest.mark.parametrize("content", NO_ZIP_FILES.values(), ids=NO_ZIP_FILES.keys())
def test_what_is_no_zip_file(path: Path, content: bytes):
    path.write_bytes(content)
    with pytest.raises(FileError, match="not a clip of Randori"):
        load(path)


def test_a_pickle_is_never_opened(path: Path, tmp_path: Path):
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    np.savez(path, words=np.array([Trap()], dtype=object))
    with pytest.raises(FileError):
        load(path)
    with (
        np.load(path.with_name("walk.npz"), allow_pickle=False) as arrays,
        pytest.raises(ValueError, match="pickle"),
    ):
        arrays["words"]
    with open(path, "wb") as file:
        pickle.dump(Trap(), file)
    with pytest.raises(FileError):
        load(path)
    assert not (tmp_path / "sprung").exists()


def test_a_file_cut_anywhere_is_refused(path: Path):
    whole = path.read_bytes()
    for size in [*range(1, 2000, 97), *range(2000, len(whole), len(whole) // 40), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(FileError):
            load(path)


def test_a_flipped_bit_is_seen(path: Path, clip: Clip):
    whole = bytearray(path.read_bytes())
    for byte in range(30, len(whole), len(whole) // 60):
        damaged = bytearray(whole)
        damaged[byte] ^= 0x10
        path.write_bytes(damaged)
        try:
            again = load(path)
        except FileError:
            continue
        assert again.rotations.tobytes() == clip.rotations.tobytes()  # in bytes that say nothing


def test_a_zip_bomb_does_not_unfold(path: Path):
    with np.load(path) as arrays:
        names = list(arrays)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(f"{name}.npy", bytes(50_000_000))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(FileError, match="not to be compressed"):
        load(path)


def test_a_header_that_promises_a_lot_takes_no_memory(path: Path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 3)}
    )
    with np.load(path) as arrays:
        members = {name: io.BytesIO() for name in arrays}
        for name, stream in members.items():
            np.save(stream, arrays[name])
    members["root_position"] = header
    with zipfile.ZipFile(path, "w") as archive:
        for name, stream in members.items():
            archive.writestr(f"{name}.npy", stream.getvalue())
    with pytest.raises(FileError, match="another number of bytes"):
        load(path)


def test_a_directory_of_a_million_files_is_not_read(path: Path):
    with zipfile.ZipFile(path, "w") as archive:
        for n in range(2000):
            archive.writestr(f"{n}.npy", b"")
    with pytest.raises(FileError, match="found a long list"):
        load(path)


def test_a_clip_that_could_not_be_read_is_not_written(tmp_path: Path, clip: Clip):
    broken = replace(clip, rotations=with_nan(clip.rotations))
    with pytest.raises(FileError, match="not written: expected rotations without NaN"):
        store.write(tmp_path / "broken.npz", broken)
    assert list(tmp_path.iterdir()) == []
