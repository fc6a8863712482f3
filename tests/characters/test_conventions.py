"""Characters in the hierarchies of Mixamo, VRoid, Ready Player Me, Character Creator, Unreal and others."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import capsule_man as tools
from character_samples import write_character
from randori.characters.bringing import bring_onto
from randori.characters.character import Character, load_character
from randori.errors import RandoriError
from randori.formats import load_all
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.performer import perform
from randori.scene.export import save

FOLDER = Path(__file__).parents[2]
VALIDATOR = FOLDER / "node_modules" / "gltf-validator"
NODE = shutil.which("node")
# the rig, and how many metres a unit of its file is
TOOLS: dict[str, tuple[Callable[[], tools.Rig], float]] = {
    "mixamo": (tools.mixamo, 1.0),
    "mixamo in centimetres": (tools.mixamo, 0.01),
    "ready player me": (tools.ready_player_me, 1.0),
    "vroid 0": (partial(tools.vroid, 0), 1.0),
    "vroid 1": (partial(tools.vroid, 1), 1.0),
    "character creator": (tools.character_creator, 1.0),
    "unreal": (tools.unreal, 0.01),
    "rigify": (tools.rigify, 1.0),
    "kaykit": (tools.kaykit, 1.0),
    "quaternius": (tools.quaternius, 1.0),
}
_NEEDED = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


@pytest.fixture(scope="module", params=TOOLS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple:
    """The rig, where its skin is in the world, and the character: three meshes, a prop and a smile."""
    make, unit = TOOLS[request.param]
    rig = make()
    document, binary, skin = tools.capsule_man(rig, unit=unit, meshes=3, prop=True, morphs=True)
    path = tmp_path_factory.mktemp("tools") / "man.glb"
    return rig, skin, load_character(write_character(path, document, binary))


@pytest.fixture(scope="module")
def boxing() -> Clip:
    return perform("boxing", 2.0, seed=3)[0].clip


def test_the_parts_are_the_joints_of_the_tool(made: tuple) -> None:
    rig, _, character = made
    skeleton = character.skeleton
    found = {part: skeleton.names[joint] for part, joint in skeleton.parts.items()}
    assert found.get("neck") == rig.parts.get("neck")
    for part in ("pelvis", "chest", "head", *(f"{side}_{part}" for side in SIDES for part in _NEEDED)):
        assert found[part] == rig.parts[part]
    for side in SIDES:  # what a rig has beyond that is found, too
        for part in ("toes", "shoulder"):
            assert found.get(f"{side}_{part}") == rig.parts.get(f"{side}_{part}")
    assert character.facts()["props"] == ["Shield"]


def test_height_and_facing_are_those_of_the_man(made: tuple) -> None:
    _, skin, character = made
    assert character.height == pytest.approx(np.ptp(skin[:, 1]), abs=0.01)
    places, _ = character.skeleton.reference_pose
    assert places[character.skeleton.joint("left_upper_arm"), 0] > 0.1
    foot = character.skeleton.joint("left_foot")
    ahead = character.surface.place(*(rows[None] for rows in character.skeleton.reference_pose))[0]
    own = ahead[np.isin(character.surface.heaviest, [foot, character.skeleton.parts.get("left_toes", foot)])]
    assert own[:, 2].max() > places[foot, 2] + 0.1


def test_its_skin_is_where_the_file_has_it(made: tuple) -> None:
    """The meshes of a file may lie in any space: what counts is where its joints carry them."""
    _, skin, character = made
    rig = character.rig
    shown = character.surface.place((rig.joint_places * character.size)[None], rig.joint_turns[None])[0]
    shown = shown[character.surface.flesh]
    nearest = [float(np.linalg.norm(shown - point, axis=1).min()) for point in skin[::7]]
    assert max(nearest) < 1e-3


def test_flesh_is_as_thick_as_the_capsules(made: tuple) -> None:
    _, _, character = made
    flesh, skeleton = character.skeleton.flesh, character.skeleton
    thigh, forearm = skeleton.joint("left_thigh"), skeleton.joint("left_forearm")
    for joint, radius in ((thigh, 0.08), (forearm, 0.04)):
        own = flesh.cone_radii[flesh.cone_joints == joint]
        assert np.mean(own) == pytest.approx(radius, rel=0.3)


def test_it_boxes_on_the_floor(made: tuple, boxing: Clip) -> None:
    character: Character = made[2]
    moved = bring_onto(boxing, character.skeleton)
    rows = slice(None, None, 10)
    placed = character.surface.place(moved.positions[rows], moved.global_rotations[rows])
    lowest = placed[:, character.surface.flesh, 1].min(axis=1)
    assert lowest.min() > -0.005
    assert lowest.max() < 0.015
    skeleton = moved.skeleton
    for side in SIDES:  # its limbs point where those of the mannequin point
        for upper, lower in (("upper_arm", "forearm"), ("thigh", "shin")):
            ways = [
                clip.positions[:, clip.skeleton.joint(f"{side}_{lower}")]
                - clip.positions[:, clip.skeleton.joint(f"{side}_{upper}")]
                for clip in (boxing, moved)
            ]
            ways = [way / np.linalg.norm(way, axis=1, keepdims=True) for way in ways]
            assert np.sum(ways[0] * ways[1], axis=1).min() > 0.8, f"{side} {upper} of {skeleton.names[0]}"


def test_its_joints_are_in_the_written_file(made: tuple, boxing: Clip, tmp_path: Path) -> None:
    clip, path = _written(made[2], boxing, tmp_path)
    (read,) = load_all(path)
    names = [name for name in clip.skeleton.names if name in read.skeleton.names]
    assert len(names) > 12
    own, theirs = ([one.skeleton.names.index(name) for name in names] for one in (clip, read))
    assert np.abs(read.positions[: len(clip), theirs] - clip.positions[: len(read), own]).max() < 1e-3


@pytest.mark.skipif(not (NODE and VALIDATOR.exists()), reason="`make test` installs the glTF validator")
@pytest.mark.parametrize("made", ["mixamo", "vroid 0", "unreal"], indirect=True)
def test_the_validator_finds_no_error(made: tuple, boxing: Clip, tmp_path: Path) -> None:
    path = _written(made[2], boxing, tmp_path)[1]
    script = FOLDER / "tests" / "formats" / "validate.mjs"
    result = subprocess.run([str(NODE), script, path], capture_output=True, text=True, check=True)
    issues = json.loads(result.stdout)
    assert issues["numErrors"] == 0, issues["messages"]


def _written(character: Character, boxing: Clip, folder: Path) -> tuple[Clip, Path]:
    """Boxing, and the file in which the character boxes so."""
    moved = bring_onto(boxing, character.skeleton)
    clip = replace(moved, name="Man")
    save(clip, folder / "out.glb", bodies=[character])
    return clip, folder / "out.glb"


def test_feet_that_hang_on_the_root_are_refused_by_name(tmp_path: Path) -> None:
    """Rigs with controls for the feet: no leg carries such a foot."""
    rig = tools.quaternius()
    rig.rows = [(name, "Bone" if name == "Foot.L" else above, place) for name, above, place in rig.rows]
    document, binary, _ = tools.capsule_man(rig)
    with pytest.raises(RandoriError, match=r"'Foot\.L' does not hang below 'LowerLeg\.L'"):
        load_character(write_character(tmp_path / "man.glb", document, binary))


def test_joints_that_only_numbers_tell_apart_have_toes_too(tmp_path: Path) -> None:
    """leg_1 to leg_4: the last one carries the front of the foot."""
    rig = tools.kaykit()
    words = {"thigh": 1, "shin": 2, "foot": 3, "toes": 4}
    rename = {
        rig.parts[f"{side}_{part}"]: f"leg_joint_{side[0].upper()}_{number}"
        for side in SIDES
        for part, number in words.items()
    }
    rig.rows = [(rename.get(name, name), rename.get(above, above), place) for name, above, place in rig.rows]
    rig.parts = {part: rename.get(name, name) for part, name in rig.parts.items()}
    document, binary, _ = tools.capsule_man(rig)
    skeleton = load_character(write_character(tmp_path / "man.glb", document, binary)).skeleton
    assert skeleton.names[skeleton.parts["left_toes"]] == "leg_joint_L_4"
