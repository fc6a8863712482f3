"""Names of joints as Mixamo, VRoid, Ready Player Me, Character Creator and Unreal write them."""

from pathlib import Path

import pytest

from character_samples import box_person, write_character
from randori.characters.character import load_character

# the joints of the box person, with {side} in those of arms and legs
_PLAIN = ("Hips", "Spine", "Spine1", "Neck", "Head")
_SIDED = ("Shoulder", "Arm", "ForeArm", "Hand", "HandIndex1", "UpLeg", "Leg", "Foot", "ToeBase")
_PARTS = ("shoulder", "upper_arm", "forearm", "hand", "", "thigh", "shin", "foot", "toes")
CONVENTIONS = {
    "mixamo": (
        tuple(f"mixamorig:{name}" for name in _PLAIN),
        tuple(f"mixamorig:{{Side}}{name}" for name in _SIDED),
    ),
    "ready player me": (_PLAIN, tuple(f"{{Side}}{name}" for name in _SIDED)),
    "vroid": (
        tuple(f"J_Bip_C_{name}" for name in ("Hips", "Spine", "Chest", "Neck", "Head")),
        tuple(
            f"J_Bip_{{S}}_{name}"
            for name in (
                *("Shoulder", "UpperArm", "LowerArm", "Hand", "Index1"),
                *("UpperLeg", "LowerLeg", "Foot", "ToeBase"),
            )
        ),
    ),
    "character creator": (
        tuple(f"CC_Base_{name}" for name in ("Hip", "Waist", "Spine01", "NeckTwist01", "Head")),
        tuple(
            f"CC_Base_{{S}}_{name}"
            for name in (
                *("Clavicle", "Upperarm", "Forearm", "Hand", "Index1"),
                *("Thigh", "Calf", "Foot", "ToeBase"),
            )
        ),
    ),
    "unreal": (
        ("pelvis", "spine_01", "spine_02", "neck_01", "head"),
        tuple(
            f"{name}_{{s}}"
            for name in (
                *("clavicle", "upperarm", "lowerarm", "hand", "index_01"),
                *("thigh", "calf", "foot", "ball"),
            )
        ),
    ),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_person_is_found_by_the_names_of_a_tool(tmp_path: Path, convention: str) -> None:
    middle, sided = CONVENTIONS[convention]
    rename = dict(zip(_PLAIN, middle))
    for side in ("Left", "Right"):
        for plain, name in zip(_SIDED, sided):
            rename[f"{side}{plain}"] = name.format(Side=side, S=side[0], s=side[0].lower())
    character = load_character(write_character(tmp_path / "one.glb", *box_person(rename=rename)))
    skeleton = character.skeleton
    found = {part: skeleton.names[joint] for part, joint in skeleton.parts.items()}
    assert found["pelvis"] == middle[0]
    assert found["chest"] == middle[2]
    assert found["head"] == middle[4]
    for side in ("Left", "Right"):
        for part, plain in zip(_PARTS, _SIDED):
            if part:
                assert found[f"{side.lower()}_{part}"] == rename[f"{side}{plain}"]
    assert character.height == pytest.approx(1.72, abs=0.05)
