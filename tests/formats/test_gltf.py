"""Animations in glTF and VRM files come in as recordings, and nothing but the file itself is read."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from scene_samples import GltfBuilder, glb_bytes

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import load, load_all
from randori.formats.gltf import find_rate
from randori.motion import rotations as rot
from randori.motion.clip import Clip


@pytest.fixture(scope="module")
def walk() -> Clip:
    return made_up_clip(40, fps=60.0)


@pytest.fixture
def builder(walk: Clip) -> GltfBuilder:
    built = GltfBuilder(walk)
    built.animate("walk", walk)
    return built


def same_places(clip: Clip, expected: Clip, within: float = 1e-5) -> None:
    order = [clip.skeleton.names.index(name) for name in expected.skeleton.names]
    np.testing.assert_allclose(clip.positions[:, order], expected.positions, rtol=0, atol=within)


def test_an_animation_is_a_recording(walk: Clip, builder: GltfBuilder, tmp_path: Path):
    path = tmp_path / "walk.glb"
    path.write_bytes(builder.glb())
    clip = load(path)
    assert (clip.name, clip.fps, len(clip)) == ("walk", 60.0, len(walk))
    assert (clip.source.metres_per_unit, clip.source.up_axis) == (1.0, "Y")
    same_places(clip, walk)
    np.testing.assert_allclose(
        rot.angle_between(clip.turned("left_forearm"), walk.turned("left_forearm")), 0.0, atol=0.2
    )


def test_several_animations_are_several_recordings(walk: Clip, builder: GltfBuilder, tmp_path: Path):
    path = tmp_path / "two.glb"
    later = walk.with_frames(walk.root_position[20:], walk.rotations[20:])
    builder.animate("Armature|run", later)
    path.write_bytes(builder.glb())
    with pytest.raises(FileError, match=r"holds 2 clips; name one with --clip NAME: walk, Armature\|run"):
        load(path)
    assert [clip.name for clip in load_all(path)] == ["walk", "Armature|run"]
    same_places(load(path, clip="Armature|run"), later)
    with pytest.raises(FileError, match="there is no clip 'swim'; its clips are walk"):
        load(path, clip="swim")


def test_a_prop_that_is_animated_alone_is_no_recording(walk: Clip, builder: GltfBuilder, tmp_path: Path):
    document = builder.document
    document["nodes"].append({"name": "Lamp"})
    swing = json.loads(json.dumps(document["animations"][0]))
    swing["name"], swing["channels"] = "lamp", swing["channels"][:1]
    swing["channels"][0]["target"]["node"] = len(document["nodes"]) - 1
    document["animations"].append(swing)
    (tmp_path / "lamp.glb").write_bytes(builder.glb())
    assert len(load_all(tmp_path / "lamp.glb")) == 1


@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
def test_a_scaled_node_above_the_skeleton_scales_it(
    walk: Clip, builder: GltfBuilder, tmp_path: Path, scale: float
):
    nodes = builder.document["nodes"]
    nodes.append({"name": "Armature", "children": [0], "scale": [scale] * 3, "translation": [0.0, 0.0, 0.0]})
    for node in nodes[:-1]:
        node["translation"] = [value / scale for value in node["translation"]]
    builder.document["animations"].clear()
    builder.animate("walk", walk.with_frames(walk.root_position / scale, walk.rotations))
    (tmp_path / "scaled.glb").write_bytes(builder.glb())
    same_places(load(tmp_path / "scaled.glb"), walk)


def test_text_with_its_buffer_inside_or_beside(walk: Clip, builder: GltfBuilder, tmp_path: Path):
    path = tmp_path / "walk.gltf"
    inside = base64.b64encode(builder.binary).decode()
    uri = f"data:application/octet-stream;base64,{inside}"
    path.write_text(json.dumps(builder.document | {"buffers": [{"byteLength": 1, "uri": uri}]}))
    same_places(load(path), walk)
    (tmp_path / "walk.bin").write_bytes(builder.binary)
    path.write_text(json.dumps(builder.document | {"buffers": [{"byteLength": 1, "uri": "walk.bin"}]}))
    same_places(load(path), walk)


@pytest.mark.parametrize(
    "uri", ["../walk.bin", "/etc/passwd", "https://example.org/a.bin", "a\\b.bin", "%2e", ""]
)
def test_nothing_outside_the_folder_is_read(builder: GltfBuilder, tmp_path: Path, uri: str):
    path = tmp_path / "walk.gltf"
    path.write_text(json.dumps(builder.document | {"buffers": [{"byteLength": 1, "uri": uri}]}))
    with pytest.raises(FileError, match="expected a file in the same folder"):
        load(path)


def test_a_vrm_animation_names_its_bones(walk: Clip, tmp_path: Path):
    """Nodes are called by numbers; the humanoid of the file says which is which."""
    builder = GltfBuilder(walk, [f"node {number}" for number in range(len(walk.skeleton))])
    builder.animate("walk", walk)
    builder.document.pop("skins")
    bones = {
        "hips": "pelvis", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head",
        "leftUpperArm": "left_upper_arm", "leftLowerArm": "left_forearm", "leftHand": "left_hand",
        "rightUpperArm": "right_upper_arm", "rightLowerArm": "right_forearm", "rightHand": "right_hand",
        "leftUpperLeg": "left_thigh", "leftLowerLeg": "left_shin", "leftFoot": "left_foot",
        "rightUpperLeg": "right_thigh", "rightLowerLeg": "right_shin", "rightFoot": "right_foot",
    }  # fmt: skip
    humanoid = {bone: {"node": walk.skeleton.joint(part)} for bone, part in bones.items()}
    builder.document["extensions"] = {"VRMC_vrm_animation": {"humanoid": {"humanBones": humanoid}}}
    (tmp_path / "walk.vrma").write_bytes(builder.glb())
    clip = load(tmp_path / "walk.vrma")
    for part in bones.values():
        assert clip.skeleton.names[clip.skeleton.joint(part)] == f"node {walk.skeleton.joint(part)}"


def test_steps_splines_and_whole_numbers(walk: Clip, tmp_path: Path):
    builder = GltfBuilder(walk)
    times = builder.accessor(np.array([0.0, 0.5, 1.0], dtype="<f4"), "SCALAR")
    flat = np.array([[0, 0.9, 0], [1, 0.9, 0], [1, 0.9, 2]], dtype="<f4")
    spline = np.zeros((9, 3), dtype="<f4")
    spline[1::3] = flat
    half = np.array([[0, 0, 0, 32767], [0, 23170, 0, 23170], [0, 32767, 0, 0]], dtype="<i2")
    samplers = [
        {"input": times, "output": builder.accessor(spline, "VEC3"), "interpolation": "CUBICSPLINE"},
        {"input": times, "output": builder.accessor(half, "VEC4", normalized=True)},
        {"input": times, "output": builder.accessor(half, "VEC4", normalized=True), "interpolation": "STEP"},
    ]
    head, hand = walk.skeleton.joint("head"), walk.skeleton.joint("left_hand")
    targets = [(0, "translation"), (head, "rotation"), (hand, "rotation")]
    channels = [
        {"sampler": number, "target": {"node": node, "path": path}}
        for number, (node, path) in enumerate(targets)
    ]
    builder.document["animations"] = [{"samplers": samplers, "channels": channels}]
    (tmp_path / "kinds.glb").write_bytes(builder.glb())
    clip = load(tmp_path / "kinds.glb", up="Y", drop_tpose=False)
    assert clip.fps == 24.0
    head, hand = clip.skeleton.joint("head"), clip.skeleton.joint("left_hand")
    quarter = round(0.25 * 24)
    # a cubic with flat ends is half way in the middle
    np.testing.assert_allclose(clip.root_position[quarter, 0], 0.5, atol=0.02)
    turned = np.degrees(rot.angle_between(clip.rotations[:, head], rot.IDENTITY))
    np.testing.assert_allclose(turned[quarter], 45.0, atol=0.1)
    stepped = np.degrees(rot.angle_between(clip.rotations[:, hand], rot.IDENTITY))
    np.testing.assert_allclose(stepped[[quarter, quarter * 3]], [0.0, 90.0], atol=0.1)


@pytest.mark.parametrize(
    ("times", "rate"),
    [
        (np.arange(30) / 30.0, 30.0),
        (np.arange(30) / 119.88, 120000 / 1001),
        (np.array([0.0, 0.5, 0.625, 2.0]), 24.0),
        (np.array([0.0, 1 / 30, 10 / 30]), 30.0),
        (np.array([0.0, 0.1234, 0.777]), 60.0),
        (np.array([0.0]), 30.0),
    ],
)
def test_the_rate_of_keys(times: np.ndarray, rate: float):
    assert find_rate([times]) == pytest.approx(rate)


def broken(builder: GltfBuilder, how: str) -> bytes:
    document = builder.document
    match how:
        case "no animation":
            document["animations"] = []
        case "a node above itself":
            document["nodes"][5]["children"] = [0]
        case "a far accessor":
            document["animations"][0]["samplers"][0]["output"] = 9999
        case "a long accessor":
            document["accessors"][1]["count"] = 10**8
        case "a sparse accessor":
            document["accessors"][1]["sparse"] = {}
        case "a node of text":
            document["nodes"][3] = "arm"
        case "an infinite place":
            document["nodes"][3]["translation"] = [1e300, 0, 0]
        case "a rotation of zeros":
            document["nodes"][3]["rotation"] = [0, 0, 0, 0]
        case "times that go back":
            document["animations"][0]["samplers"][0]["input"] = builder.accessor(
                np.linspace(1, 0, 40).astype("<f4"), "SCALAR"
            )
        case "a year":
            document["animations"][0]["samplers"][0]["input"] = builder.accessor(
                np.linspace(0, 3e7, 40).astype("<f4"), "SCALAR"
            )
        case "no skeleton":
            document["skins"], document["animations"][0]["channels"] = (
                [],
                document["animations"][0]["channels"][:1],
            )
    return builder.glb()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("no animation", "there is no animation in it"),
        ("a node above itself", "expected one parent for each node|some nodes are above themselves"),
        ("a far accessor", r"output: expected a number from 0 to \d+, found '9999'"),
        ("a long accessor", r"accessors\[1\]: its 100000000 values do not fit"),
        ("a sparse accessor", "sparse accessors are not read"),
        ("a node of text", "nodes: expected a list of objects"),
        ("an infinite place", r"nodes\[3\].translation: expected 3 numbers"),
        ("a rotation of zeros", r"nodes\[3\]: expected rotations as unit quaternions"),
        ("times that go back", "expected times that grow"),
        ("a year", "more than can be read"),
        ("no skeleton", "there is no skeleton of at least"),
    ],
)
def test_what_is_wrong_is_said(builder: GltfBuilder, tmp_path: Path, how: str, message: str):
    path = tmp_path / "bad.glb"
    path.write_bytes(broken(builder, how))
    with pytest.raises(FileError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"glTF", "ends within"),
        (b"glTF" + bytes(16), "expected version 2 of glTF, found 0"),
        (b"{}", "expected a glTF document with an asset"),
        (b"[1, 2", "expected JSON"),
        (b"\xff\xfe\x00", "expected JSON"),
        (glb_bytes({"asset": {"version": "1.0"}}), "expected 2.0"),
        (glb_bytes({"asset": {"version": "2.0"}}), "there are no nodes"),
        (b"[" * 200_000, "expected JSON"),
    ],
)
def test_files_that_are_no_gltf(tmp_path: Path, content: bytes, message: str):
    path = tmp_path / "bad.glb"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        load(path)
