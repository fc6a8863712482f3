import numpy as np
import pytest

from randori.errors import BodyPartError
from randori.motion.parts import (
    MIDDLE_PARTS,
    NEEDED,
    SIDE_PARTS,
    SIDES,
    find_parts,
    mirror_joints,
    missing_parts,
    split_name,
)
from randori.motion.skeleton import Skeleton

# Each convention: the trunk from the pelvis up to the head, each joint on the one before; what the joints
# of one side are called, arm then leg; and which of the trunk's joints are pelvis, spine, chest, neck, head.
# Extra joints (above the pelvis, between, beyond) are part of the game.
CONVENTIONS = {
    "CMU": {
        "trunk": "Hips, LowerBack, Spine, Spine1, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}FingerBase, {Side}HandIndex1",
        "leg": "{S}HipJoint, {Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "ACCAD": {
        "trunk": "Hips, ToSpine, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Mixamo": {
        "prefix": "mixamorig:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Mixamo in glTF": {
        "prefix": "mixamorig",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Biped": {
        "trunk": "Bip01, Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arm": "Bip01 {S} Clavicle, Bip01 {S} UpperArm, Bip01 {S} Forearm, Bip01 {S} Hand, Bip01 {S} Finger0",
        "leg": "Bip01 {S} Thigh, Bip01 {S} Calf, Bip01 {S} Foot, Bip01 {S} Toe0",
        "middle": "Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arms on": "Bip01 Neck",
    },
    "Valve": {
        "prefix": "ValveBiped.Bip01_",
        "trunk": "Pelvis, Spine, Neck1, Head",
        "arm": "{S}_Clavicle, {S}_UpperArm, {S}_Forearm, {S}_Hand",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe0",
        "middle": "Pelvis, Spine, Spine, Neck1, Head",
    },
    "LAFAN1": {
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}Toe",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Bandai-Namco": {
        "trunk": "joint_Root, Hips, Spine, Chest, Neck, Head",
        "arm": "Shoulder_{S}, UpperArm_{S}, LowerArm_{S}, Hand_{S}",
        "leg": "UpperLeg_{S}, LowerLeg_{S}, Foot_{S}, Toes_{S}",
        "middle": "Hips, Spine, Chest, Neck, Head",
    },
    "Vicon ASF": {
        "trunk": "root, lowerback, upperback, thorax, lowerneck, upperneck, head",
        "arm": "{s}clavicle, {s}humerus, {s}radius, {s}wrist, {s}hand, {s}fingers, {s}thumb",
        "leg": "{s}hipjoint, {s}femur, {s}tibia, {s}foot, {s}toes",
        "middle": "root, upperback, thorax, lowerneck, head",
    },
    "Unreal": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, neck_01, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, thumb_01_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_02, spine_03, neck_01, head",
    },
    "Blender": {
        "trunk": "hips, spine, chest, neck, head",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}, f_index.01.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "hips, spine, chest, neck, head",
    },
    "Rigify": {
        "prefix": "DEF-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
    },
    "first BVH files": {
        "trunk": "Hips, Chest, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest, Chest, Neck, Head",
    },
    "SMPL": {
        "trunk": "Pelvis, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{S}_Collar, {S}_Shoulder, {S}_Elbow, {S}_Wrist, {S}_Hand",
        "leg": "{S}_Hip, {S}_Knee, {S}_Ankle, {S}_Foot",
        "middle": "Pelvis, Spine2, Spine3, Neck, Head",
    },
    "Daz": {
        "trunk": "hip, abdomen, chest, neck, head",
        "arm": "{s}Collar, {s}Shldr, {s}ForeArm, {s}Hand",
        "leg": "{s}Thigh, {s}Shin, {s}Foot, {s}Toe",
        "middle": "hip, abdomen, chest, neck, head",
    },
}
# where the joints of a limb stand in its list, other than from the start
FIRST_OF_LEG = {"CMU": 1, "Vicon ASF": 1}


def listed(convention: str, row: str, side: str = "") -> list[str]:
    """The names in a row of the table, for one side of the body."""
    rows = CONVENTIONS[convention]
    bare = rows[row].format(Side=side.capitalize(), S=side[:1].upper(), s=side[:1])
    return [rows.get("prefix", "") + name for name in bare.split(", ")]


def build(convention: str) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Joint names, parents, and the part → name that is expected."""
    trunk = listed(convention, "trunk")
    names, parents = list(trunk), list(range(-1, len(trunk) - 1))
    expected = dict(zip(MIDDLE_PARTS, listed(convention, "middle")))
    arms_on = trunk.index(CONVENTIONS[convention].get("arms on", expected["chest"]))
    for side in SIDES:
        for limb, above in (("arm", arms_on), ("leg", trunk.index(expected["pelvis"]))):
            for number, name in enumerate(listed(convention, limb, side)):
                parents.append(above if number == 0 else len(names) - 1)
                names.append(name)
        arm, leg = (
            listed(convention, "arm", side),
            listed(convention, "leg", side)[FIRST_OF_LEG.get(convention, 0) :],
        )
        expected |= {f"{side}_{part}": name for part, name in zip(SIDE_PARTS, arm[:4] + leg[:4])}
    return names, np.array(parents), expected


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_parts_of_every_convention_are_found(convention: str):
    names, parents, expected = build(convention)
    found = {part: names[joint] for part, joint in find_parts(names, parents).items()}
    assert found == expected
    assert not missing_parts(find_parts(names, parents))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_joint_of_a_side_has_its_twin(convention: str):
    names, parents, _ = build(convention)
    twins = mirror_joints(names, find_parts(names, parents))
    trunk = len(listed(convention, "trunk"))
    half = (len(names) - trunk) // 2
    left, right = np.arange(trunk, trunk + half), np.arange(trunk + half, len(names))
    assert twins.tolist() == [*range(trunk), *right, *left]


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [
        ("LowerBack", "", "lowerback"),
        ("lowerback", "", "lowerback"),
        ("root", "", "root"),
        ("Ribs", "", "ribs"),
        ("LThumb", "left", "thumb"),
        ("rhand", "right", "hand"),
        ("Character1_RightForeArm", "right", "forearm"),
        ("upperarm_twist_01_l", "left", "upperarmtwist1"),
        ("Bip001 R Calf", "right", "calf"),
        ("spine_03", "", "spine3"),
    ],
)
def test_names_are_taken_apart(name: str, side: str, word: str):
    assert split_name(name) == (side, word)


def test_an_override_wins_and_must_name_a_joint():
    names, parents, _ = build("LAFAN1")
    assert names[find_parts(names, parents, {"head": "Neck"})["head"]] == "Neck"
    with pytest.raises(BodyPartError, match="there is no joint 'Nose'; the joints are Hips"):
        find_parts(names, parents, {"head": "Nose"})
    with pytest.raises(BodyPartError, match="no body part 'tail'; the parts are pelvis"):
        find_parts(names, parents, {"tail": "Hips"})


def test_a_part_that_is_not_there_is_named_with_the_candidates():
    names = ("Hips", "Box")
    parents = np.array([-1, 0])
    parts = find_parts(names, parents)
    assert set(missing_parts(parts)) == set(NEEDED) - {"pelvis"}
    skeleton = Skeleton(names, parents, np.zeros((2, 3)), np.zeros((2, 3)), parts)
    with pytest.raises(BodyPartError, match=r"left thigh.*The joints are: Hips, Box"):
        skeleton.joint("left_thigh")


def test_a_sword_in_a_hand_is_found():
    names, parents, _ = build("Unreal")
    names.append("weapon_r")
    assert names[find_parts(names, np.append(parents, names.index("hand_r")))["weapon"]] == "weapon_r"
