"""Rigs with a root bone on the floor: the skeleton starts at the pelvis, the file keeps all of its joints."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.characters.character import Character, load_character
from randori.formats.glb import Motion, write
from randori.formats.gltf import Reader
from randori.motion.clip import Clip


@pytest.fixture
def character(tmp_path: Path) -> Character:
    document, binary = box_person()
    binary = _put_on_root(document, binary)
    return load_character(write_character(tmp_path / "rooted.glb", document, binary))


def _put_on_root(document: dict[str, Any], binary: bytes) -> bytes:
    """Add a root bone on the floor that the hips hang on, and a bone beside them; returns the buffer."""
    nodes, skin = document["nodes"], document["skins"][0]
    root = len(nodes)
    nodes.append({"name": "root", "children": [0, root + 1]})
    nodes.append({"name": "ik_foot_root"})
    document["scenes"][0]["nodes"] = [root, root - 1]
    skin["joints"] += [root, root + 1]
    # the inverse bind matrices are the last of the buffer: two more follow them
    more = np.tile(np.eye(4, dtype=np.float32).reshape(-1), 2).tobytes()
    document["accessors"][4]["count"] += 2
    document["bufferViews"][4]["byteLength"] += len(more)
    return binary + more


def _moving(character: Character) -> Clip:
    skeleton = character.skeleton
    places, turned = skeleton.reference_pose
    root = places[0] + np.linspace(0.0, 1.0, 20)[:, None] * np.array([1.0, 0.1, 2.0])
    rotations = np.tile(skeleton.to_local(turned), (20, 1, 1))
    return Clip("moving", skeleton, 30.0, root, rotations)


def test_the_skeleton_starts_at_the_pelvis(character: Character) -> None:
    skeleton = character.skeleton
    assert skeleton.joint("pelvis") == 0
    assert not {"root", "ik_foot_root"} & set(skeleton.names)
    assert skeleton.reference_pose[0][0, 1] == pytest.approx(0.94, abs=0.03)


def test_all_joints_of_the_file_go_with_it(character: Character, tmp_path: Path) -> None:
    clip = _moving(character)
    whole = character.to_file(clip)
    assert {"root", "ik_foot_root"} <= set(whole.skeleton.names)
    for joint, name in enumerate(character.skeleton.names):
        other = whole.skeleton.names.index(name)
        assert np.allclose(whole.positions[:, other], clip.positions[:, joint], atol=1e-6)
    root = whole.positions[:, whole.skeleton.names.index("root")]
    assert np.allclose(root - clip.positions[:, 0], (root - clip.positions[:, 0])[0], atol=1e-6)
    write(tmp_path / "out.glb", [character.to_export("Red")], [Motion("moving", [whole])], root_motion=True)
    document = Reader(tmp_path / "out.glb").document
    moved = {
        document["nodes"][channel["target"]["node"]]["name"]
        for channel in document["animations"][0]["channels"]
        if channel["target"]["path"] == "translation"
    }
    assert "root" in moved
