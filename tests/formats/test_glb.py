"""GLB files hold what was put in, and the Khronos validator has nothing to say about them."""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.formats import glb, load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform
from randori.performer.proportions import BODIES
from randori.scene.export import save

NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
VALIDATOR = Path(__file__).parents[2] / "node_modules" / "gltf-validator"


def waving(body: str, frames: int = 40, fps: float = 50.0) -> Clip:
    """A clip in which every joint turns and the root travels."""
    skeleton = BODIES[body].skeleton
    random = np.random.default_rng(len(body))
    times = np.arange(frames)[:, None, None] / fps
    axes = random.normal(size=(len(skeleton), 3)) * 0.4
    rotations = rot.from_rotation_vector(
        axes * np.sin(3.0 * times + random.uniform(0, 6, (len(skeleton), 1)))
    )
    root = np.stack([0.3 * times[:, 0, 0], np.full(frames, 0.95), 0.1 * times[:, 0, 0] ** 2], axis=-1)
    return Clip(f"waving {body}", skeleton, fps, root, rotations)


def parse(path: Path) -> tuple[dict, bytes]:
    data = path.read_bytes()
    magic, version, total = struct.unpack("<4sII", data[:12])
    assert (magic, version, total) == (b"glTF", 2, len(data))
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def read_accessor(document: dict, binary: bytes, number: int) -> np.ndarray:
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
    kind = {5126: "<f4", 5121: "<u1", 5123: "<u2", 5125: "<u4"}[accessor["componentType"]]
    return np.frombuffer(binary, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)


@pytest.mark.skipif(not (NODE and VALIDATOR.exists()), reason="`make test` installs the glTF validator")
@pytest.mark.parametrize("bodies", [("average",), ("tall", "stocky"), ("average", "average", "short")])
def test_the_validator_finds_nothing(tmp_path: Path, bodies: tuple[str, ...]) -> None:
    path = tmp_path / "cast.glb"
    save([waving(body) for body in bodies], path)
    script = Path(__file__).with_name("validate.mjs")
    result = subprocess.run([str(NODE), script, path], capture_output=True, text=True, check=True)
    issues = json.loads(result.stdout)
    assert issues["numErrors"] == issues["numWarnings"] == 0, issues["messages"]


def test_frames_come_back(tmp_path: Path) -> None:
    clip = waving("average")
    save(clip, tmp_path / "one.glb")
    document, binary = parse(tmp_path / "one.glb")
    (animation,) = document["animations"]
    assert animation["name"] == "one"
    assert animation["extras"]["fps"] == 50.0
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        np.testing.assert_allclose(
            read_accessor(document, binary, sampler["input"])[:, 0], clip.times, atol=1e-6
        )
        values = read_accessor(document, binary, sampler["output"])
        name = document["nodes"][channel["target"]["node"]]["name"]
        if channel["target"]["path"] == "translation":
            assert name == "Hips"
            np.testing.assert_allclose(values, clip.root_position, atol=1e-6)
        else:
            wanted = clip.rotations[:, clip.skeleton.names.index(name)]
            assert rot.angle_between(values[:, [3, 0, 1, 2]].astype(float), wanted).max() < 1e-3
    assert len(animation["channels"]) == len(clip.skeleton) + 1


def test_every_material_is_there_once_and_inverse_bind_undoes_the_rest_pose(tmp_path: Path) -> None:
    clip = waving("tall")
    save(clip, tmp_path / "one.glb")
    document, binary = parse(tmp_path / "one.glb")
    names = [material["name"].rsplit(" ", 1)[-1] for material in document["materials"]]
    assert sorted(names) == sorted(["skin", "shirt", "trousers", "shoes", "hair", "gloves"])
    matrices = read_accessor(document, binary, document["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4)
    positions, _ = clip.skeleton.reference_pose
    for matrix, position in zip(matrices.transpose(0, 2, 1), positions):
        np.testing.assert_allclose(matrix @ [*position, 1.0], [0, 0, 0, 1], atol=1e-5)


def test_a_missing_clip_is_a_clear_error(tmp_path: Path) -> None:
    surface = glb.Surface(*([np.ones((3, 3))] * 2), *([np.ones((3, 4))] * 2), {}, {})
    character = glb.Character("a", waving("tall").skeleton, surface)
    with pytest.raises(RandoriError, match="0 clips for 1 characters"):
        glb.write(tmp_path / "x.glb", [character], {"x": []})
    assert list(tmp_path.iterdir()) == []


def test_the_floor_of_an_own_file_is_believed(tmp_path: Path) -> None:
    (take,) = perform("boxing", seconds=2.0, seed=2)
    lifted = take.clip.with_frames(take.clip.root_position + 0.05 * rot.Y_AXIS, take.clip.rotations)
    own, foreign = tmp_path / "own.glb", tmp_path / "foreign.glb"
    save([lifted], own)
    foreign.write_bytes(own.read_bytes().replace(b'"Randori"', b'"Foreign"'))
    np.testing.assert_allclose(load(own).root_position, lifted.root_position, atol=1e-3)
    moved = lifted.root_position - load(foreign).root_position
    np.testing.assert_allclose(moved[:, 1], 0.05, atol=0.03)
    assert moved[:, 1].min() > 0.02
