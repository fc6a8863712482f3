"""Your own characters as USD: their skins follow as in GLB, and come back as they were."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from character_samples import box_person, write_character
from randori.characters.character import Character, find_character, load_character
from randori.errors import FileError
from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.scene.export import save

pxr = pytest.importorskip("pxr", reason="USD is an extra: pip install 'randori[usd]'")


def person(folder: Path, unit: float = 1.0) -> Character:
    """A box person with a picture on its skin and a helmet on its head."""
    document, binary = box_person(unit=unit)
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), (200, 40, 20)).save(picture, "PNG")
    places = np.random.default_rng(1).random((document["accessors"][0]["count"], 2)).astype(np.float32)
    for content in (places.tobytes(), picture.getvalue()):
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(content)})
        binary += content + b"\0" * (-len(content) % 4)
    views = len(document["bufferViews"])
    document["accessors"].append(
        {"bufferView": views - 2, "componentType": 5126, "count": len(places), "type": "VEC2"}
    )
    document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = len(document["accessors"]) - 1
    document["images"] = [{"bufferView": views - 1, "mimeType": "image/png"}]
    document["textures"] = [{"source": 0}]
    document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    head = next(node for node in document["nodes"] if node["name"] == "Head")
    head["children"] = [len(document["nodes"])]
    document["nodes"].append({"name": "Helmet", "mesh": 1, "translation": [0.1 / unit, 0.0, 0.0]})
    document["meshes"].append(
        {"name": "helmet", "primitives": [{"attributes": {"POSITION": 0}, "indices": 3}]}
    )
    return load_character(write_character(folder / "person.glb", document, binary), height=1.6)


def waving(character: Character) -> Clip:
    skeleton = character.skeleton
    times = np.arange(8)[:, None, None] / 30.0
    turns = rot.from_rotation_vector(
        np.random.default_rng(2).normal(size=(len(skeleton), 3)) * np.sin(4.0 * times)
    )
    rotations = rot.multiply(skeleton.to_local(skeleton.reference)[None], turns)
    root = np.stack([0.5 * times[:, 0, 0], np.full(8, 0.9), 0.2 * times[:, 0, 0]], axis=-1)
    return Clip("waving", skeleton, 30.0, root, rotations)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_the_skin_is_where_it_is_in_glb(tmp_path: Path, unit: float) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    character = person(tmp_path, unit)
    clip = waving(character)
    path, picture = save([clip], tmp_path / "one.usd", bodies=[character])
    assert picture.read_bytes().startswith(b"\x89PNG")
    stage = Usd.Stage.Open(str(path))
    assert UsdSkel.BakeSkinning(UsdSkel.Root(stage.GetPrimAtPath("/World/waving")))
    found = []
    for name in (piece.name for piece in character.model.pieces):
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/waving/{name}"))
        matrix = np.array(mesh.ComputeLocalToWorldTransform(5))
        found.append(np.array(mesh.GetPointsAttr().Get(5)) @ matrix[:3, :3] + matrix[3, :3])
    wanted = character.surface.place(clip.positions[5:6], clip.global_rotations[5:6])[0]
    np.testing.assert_allclose(np.concatenate(found), wanted, atol=1e-4)


def test_a_character_comes_back_from_usd(tmp_path: Path) -> None:
    character = person(tmp_path)
    path, _ = save([waving(character)], tmp_path / "one.usd", bodies=[character])
    back = load_character(path)
    assert back.height == pytest.approx(1.6, abs=1e-3)
    assert back.skeleton.names == character.skeleton.names
    assert back.skeleton.parts == character.skeleton.parts
    np.testing.assert_allclose(back.skeleton.offsets, character.skeleton.offsets, atol=1e-5)
    assert back.facts()["props"] == ["Helmet"]
    assert back.pictures[0] is not None
    assert back.pictures[0][0, 0].tolist() == [200, 40, 20]
    before, after = (
        one.surface.place(*(rows[None] for rows in one.skeleton.reference_pose))[0]
        for one in (character, back)
    )
    np.testing.assert_allclose(np.sort(after, axis=0), np.sort(before, axis=0), atol=1e-3)


def test_unreal_has_centimetres_and_z_up(tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom

    character = person(tmp_path)
    clip = waving(character)
    path, _ = save([clip], tmp_path / "one.usd", bodies=[character], axes="unreal")
    stage = Usd.Stage.Open(str(path))
    assert (UsdGeom.GetStageUpAxis(stage), UsdGeom.GetStageMetersPerUnit(stage)) == ("Z", 0.01)
    assert load_character(path).height == pytest.approx(1.6, abs=1e-3)
    moved = load(path, up="Z")
    spans = [
        one.positions[:, one.skeleton.joint("head")] - one.positions[:, one.skeleton.joint("pelvis")]
        for one in (clip, moved)
    ]
    np.testing.assert_allclose(spans[1], spans[0], atol=1e-3)
    with pytest.raises(FileError, match="only USD has axes"):
        save([clip], tmp_path / "one.glb", bodies=[character], axes="unreal")


def test_motion_without_a_skin_is_no_character(tmp_path: Path) -> None:
    from pxr import Usd, UsdSkel

    character = person(tmp_path)
    path, _ = save([waving(character)], tmp_path / "one.usda", bodies=[character])
    stage = Usd.Stage.Open(str(path))
    for name in ("Body", "Helmet"):
        stage.RemovePrim(f"/World/waving/{name}")
    UsdSkel.Skeleton(stage.GetPrimAtPath("/World/waving/Skeleton")).GetBindTransformsAttr().Clear()
    stage.Save()
    assert find_character(path) is None
    assert len(load(path)) == 8


def test_the_validators_find_nothing(tmp_path: Path) -> None:
    from pxr import Usd, UsdValidation

    character = person(tmp_path)
    path, _ = save([waving(character)], tmp_path / "one.usd", bodies=[character])
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    issues = UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(str(path)))
    assert [issue.GetMessage() for issue in issues] == []


def test_no_picture_outside_the_folder_is_read(tmp_path: Path) -> None:
    character = person(tmp_path)
    (tmp_path / "inside").mkdir()
    path, picture = save([waving(character)], tmp_path / "inside" / "one.usda", bodies=[character])
    picture.rename(tmp_path / "secret.png")
    place = f"./{picture.parent.name}/{picture.name}"
    text = path.read_text()
    assert place in text
    path.write_text(text.replace(place, "../secret.png"))
    assert load_character(path).pictures == [None]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('def Mesh "Body"', 'def Points "Body"', "no skin"),
        ("uniform matrix4d[] bindTransforms", "uniform matrix4d[] bindings", "bind transform"),
        ("metersPerUnit = 1", "metersPerUnit = 1e30", "unit"),
        ("upAxis", "\0", "can be read"),
    ],
)
def test_bad_files_are_refused_with_a_reason(tmp_path: Path, old: str, new: str, said: str) -> None:
    character = person(tmp_path)
    path, _ = save([waving(character)], tmp_path / "one.usda", bodies=[character])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(FileError, match=said):
        load_character(path)
