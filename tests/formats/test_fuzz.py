"""Whatever happens to a file's bytes, it is read or refused with a `FileError`, and soon."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import SMALL_AMC, SMALL_ASF, SMALL_BVH
from scene_samples import GltfBuilder, c3d_bytes, fbx_text, glb_bytes, plug_in_gait, trc_text

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import load, store
from randori.motion.clip import Clip
from randori.performer import perform

_SETTINGS = settings(
    max_examples=300,
    deadline=20_000,  # milliseconds by the clock, on a busy machine
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


def glb_of_a_walk() -> bytes:
    clip = made_up_clip(3)
    builder = GltfBuilder(clip)
    builder.animate("walk", clip)
    return builder.glb()


_GLB = glb_of_a_walk()


@_SETTINGS
@given(content=damaged(_GLB))
def test_glb(tmp_path: Path, content: bytes):
    read_or_refuse(tmp_path / "walk.glb", content)


_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


@_SETTINGS
@given(data=st.data())
def test_glb_whose_text_is_json(tmp_path: Path, data: st.DataObject):
    """Any value of the document replaced by another one, or missing."""
    length = int.from_bytes(_GLB[12:16], "little")
    document = json.loads(_GLB[20 : 20 + length])
    for _ in range(data.draw(st.integers(1, 3))):
        node = document
        while node:
            key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
            if isinstance(node[key], (dict, list)) and node[key] and data.draw(st.integers(0, 9)):
                node = node[key]
                continue
            if data.draw(st.booleans()):
                del node[key]
            else:
                node[key] = data.draw(_VALUES)
            break
    read_or_refuse(tmp_path / "walk.glb", glb_bytes(document, _GLB[20 + length + 8 :]))


@pytest.fixture(scope="module")
def markers() -> tuple[list[str], np.ndarray]:
    labels, places = plug_in_gait(perform("boxing", seconds=1.0, seed=2)[0].clip)
    return labels, 1000.0 * places[:5]


@_SETTINGS
@given(data=st.data())
def test_c3d(tmp_path: Path, markers: tuple[list[str], np.ndarray], data: st.DataObject):
    read_or_refuse(tmp_path / "walk.c3d", data.draw(damaged(c3d_bytes(*markers, 60.0))))


@_SETTINGS
@given(data=st.data())
def test_trc(tmp_path: Path, markers: tuple[list[str], np.ndarray], data: st.DataObject):
    read_or_refuse(tmp_path / "walk.trc", data.draw(damaged(trc_text(*markers, 60.0).encode())))


@settings(_SETTINGS, max_examples=15, deadline=None)
@given(content=damaged(fbx_text(made_up_clip(3)).encode()))
def test_fbx(tmp_path: Path, content: bytes):
    pytest.importorskip("ufbx", reason="FBX is read with the package ufbx")
    read_or_refuse(tmp_path / "walk.fbx", content)


_ENDINGS = [".bvh", ".amc", ".npz", ".glb", ".gltf", ".c3d", ".trc"]


@_SETTINGS
@given(content=st.binary(min_size=1, max_size=300), ending=st.sampled_from(_ENDINGS))
def test_noise(tmp_path: Path, content: bytes, ending: str):
    (tmp_path / "walk.asf").write_text(SMALL_ASF)
    read_or_refuse(tmp_path / f"walk{ending}", content)
