"""Whatever happens to a file's bytes, it is read or refused with a `FileError`, and soon."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import SMALL_AMC, SMALL_ASF, SMALL_BVH

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import load, store
from randori.motion.clip import Clip

_SETTINGS = settings(
    max_examples=300,
    deadline=2000,  # milliseconds
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)

_WORDS = """
0 -1 1e9 1e400 nan inf 0x10 1_0 . - { } {{ }} HIERARCHY ROOT JOINT OFFSET CHANNELS MOTION Frames: Frame Time:
End Site Xrotation Zposition 999999999999 -5 root head begin end :bonedata :hierarchy name dof axis XYZ # ö
"""


@st.composite
def damaged(draw: st.DrawFn, text: bytes) -> bytes:
    """The text with some bytes cut out, put in, doubled or replaced by words that mean something."""
    content = bytearray(text)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 0, 1, 1, 2, 5, 20, 100])))
        match draw(st.sampled_from(["cut", "bytes", "word", "double", "end"])):
            case "cut":
                content[start:stop] = b""
            case "bytes":
                content[start:stop] = draw(st.binary(max_size=6))
            case "word":
                word = draw(st.sampled_from([*_WORDS.split(), "\n", "\r", "\x00"]))
                content[start:stop] = f" {word} ".encode()
            case "double":
                content[stop:stop] = content[start:stop] * draw(st.sampled_from([1, 2, 50]))
            case "end":
                del content[max(start, 1) :]
    return bytes(content)


def read_or_refuse(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        clip = load(path)
    except FileError:
        return
    check(clip)


def check(clip: Clip) -> None:
    """What is accepted is a clip that can be worked with."""
    assert len(clip) > 0
    assert clip.fps > 0.0
    assert np.isfinite(clip.positions).all()
    assert np.allclose(np.linalg.norm(clip.rotations, axis=-1), 1.0)
    assert (clip.skeleton.parents[1:] < np.arange(1, len(clip.skeleton))).all()


@_SETTINGS
@given(content=damaged(SMALL_BVH.encode()))
def test_bvh(tmp_path: Path, content: bytes):
    read_or_refuse(tmp_path / "walk.bvh", content)


@_SETTINGS
@given(content=damaged(SMALL_AMC.encode()))
def test_amc(tmp_path: Path, content: bytes):
    (tmp_path / "walk.asf").write_text(SMALL_ASF)
    read_or_refuse(tmp_path / "walk.amc", content)


@_SETTINGS
@given(content=damaged(SMALL_ASF.encode()))
def test_asf(tmp_path: Path, content: bytes):
    (tmp_path / "walk.asf").write_bytes(content)
    read_or_refuse(tmp_path / "walk.amc", SMALL_AMC.encode())


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("stored") / "walk.npz"
    store.write(path, made_up_clip(3))
    return path.read_bytes()


@_SETTINGS
@given(data=st.data())
def test_npz(tmp_path: Path, stored: bytes, data: st.DataObject):
    read_or_refuse(tmp_path / "walk.npz", data.draw(damaged(stored)))


@_SETTINGS
@given(data=st.data())
def test_npz_with_sums_that_are_right(tmp_path: Path, stored: bytes, data: st.DataObject):
    """Damage inside an array, in a zip file that is in order."""
    with np.load(io.BytesIO(stored)) as arrays:
        content = dict(arrays)
    name = data.draw(st.sampled_from(sorted(content)))
    array = content[name]
    raw = data.draw(damaged(array.tobytes()))
    changed = np.frombuffer(raw[: len(raw) // array.itemsize * array.itemsize], dtype=array.dtype)
    content[name] = changed[: array.size].reshape(array.shape) if changed.size >= array.size else changed
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **content)  # type: ignore[arg-type]
    read_or_refuse(tmp_path / "walk.npz", packed.getvalue())


@_SETTINGS
@given(content=st.binary(min_size=1, max_size=300), ending=st.sampled_from([".bvh", ".amc", ".npz"]))
def test_noise(tmp_path: Path, content: bytes, ending: str):
    (tmp_path / "walk.asf").write_text(SMALL_ASF)
    read_or_refuse(tmp_path / f"walk{ending}", content)
