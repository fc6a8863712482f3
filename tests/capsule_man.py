"""A man of skinned capsules, as glTF, in the hierarchies that other tools write."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from randori.motion import rotations as rot

HEIGHT = 1.75  # metres
_RING = 8  # vertices around a capsule
_A_POSE = np.radians(50.0)  # that arms hang down by
# metres, the left side; a man who looks along +Z
_MIDDLE = {
    "pelvis": (0.0, 0.98, 0.0),
    "spine": (0.0, 1.08, 0.0),
    "spine1": (0.0, 1.2, 0.0),
    "chest": (0.0, 1.32, 0.0),
    "neck": (0.0, 1.48, 0.0),
    "neck1": (0.0, 1.52, 0.01),
    "head": (0.0, 1.56, 0.02),
    "head_end": (0.0, 1.7, 0.02),
}
_LEFT = {
    "shoulder": (0.03, 1.43, 0.0),
    "upper_arm": (0.18, 1.43, 0.0),
    "forearm": (0.46, 1.43, 0.0),
    "hand": (0.72, 1.43, 0.0),
    "thigh": (0.09, 0.94, 0.0),
    "shin": (0.1, 0.52, 0.01),
    "foot": (0.1, 0.09, -0.02),
    "toes": (0.1, 0.035, 0.12),
    "toes_end": (0.1, 0.035, 0.19),
}
_FINGERS = {"thumb": 0.04, "index": 0.03, "middle": 0.01, "ring": -0.01, "pinky": -0.03}
_RADII = {
    "pelvis": 0.14,
    "spine": 0.13,
    "spine1": 0.13,
    "chest": 0.14,
    "neck": 0.06,
    "neck1": 0.06,
    "head": 0.09,
    "shoulder": 0.06,
    "upper_arm": 0.05,
    "forearm": 0.04,
    "hand": 0.035,
    "thigh": 0.08,
    "shin": 0.055,
    "foot": 0.04,
    "toes": 0.03,
}


def places(a_pose: bool = False) -> dict[str, np.ndarray]:
    """Part of the body → (3,) metres; `left_forearm` is the elbow, `left_index2` a joint of a finger."""
    found = {part: np.array(place) for part, place in _MIDDLE.items()}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        own = {part: np.array(place) for part, place in _LEFT.items()}
        for finger, across in _FINGERS.items():
            for joint in range(1, 5):
                own[f"{finger}{joint}"] = np.array([0.75 + 0.025 * joint, 1.43, across])
        if a_pose:
            hang, shoulder = rot.from_axis_angle(rot.Z_AXIS, -_A_POSE), own["upper_arm"]
            for part in ("forearm", "hand", *(name for name in own if name[:-1] in _FINGERS)):
                own[part] = shoulder + rot.rotate(hang, own[part] - shoulder)
        for part, place in own.items():
            found[f"{side}_{part}"] = place * np.array([sign, 1.0, 1.0])
    return found


@dataclass
class Rig:
    """Joints as a tool names and hangs them."""

    parts: dict[str, str]  # part of the body → joint
    rows: list[tuple[str, str | None, np.ndarray]] = field(default_factory=list)  # name, parent, metres
    above: list[tuple[str, np.ndarray, float]] = field(default_factory=list)  # nodes: name, turn, scale
    unskinned: set[str] = field(default_factory=set)  # joints that no skin names
    extensions: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, parent: str | None, place: np.ndarray) -> None:
        self.rows.append((name, parent, place))


def _side(parts: dict[str, str], name: str, tables: dict[str, str]) -> None:
    for side in ("left", "right"):
        words = {"Side": side.capitalize(), "side": side, "S": side[0].upper(), "s": side[0]}
        for part, pattern in tables.items():
            parts[f"{side}_{part}"] = (name + pattern).format(**words)


_TREE = {
    "spine": "pelvis",
    "spine1": "spine",
    "chest": "spine1",
    "neck": "chest",
    "neck1": "neck",
    "head": "neck1",
    "head_end": "head",
    "shoulder": "chest",
    "upper_arm": "shoulder",
    "forearm": "upper_arm",
    "hand": "forearm",
    "thigh": "pelvis",
    "shin": "thigh",
    "foot": "shin",
    "toes": "foot",
    "toes_end": "toes",
}
_TREE |= {
    f"{finger}{k}": "hand" if k == 1 else f"{finger}{k - 1}" for finger in _FINGERS for k in range(1, 5)
}


def _hung(parts: dict[str, str], at: dict[str, np.ndarray], root: str | None = None) -> Rig:
    """The joints of those parts that have a name, each on the next one above it that has one."""
    rig = Rig(parts)
    order = ["pelvis", *(part for part in _TREE)]
    for word in order:
        for part in (word, f"left_{word}", f"right_{word}"):
            if part not in parts:
                continue
            side, above = part.partition("_")[0] if part != word else "", word
            parent = root
            while above in _TREE:
                above = _TREE[above]
                owner = next((name for name in (f"{side}_{above}", above) if name in parts), None)
                if owner:
                    parent = parts[owner]
                    break
            rig.add(parts[part], parent, at[part])
    return rig


def _fingers(tables: dict[str, str], pattern: str, count: int = 4, first: int = 1) -> None:
    for finger in _FINGERS:
        for k in range(1, count + 1):
            words = {"finger": finger, "Finger": finger.capitalize(), "k": str(k + first - 1)}
            text = pattern
            for key, value in words.items():
                text = text.replace(f"<{key}>", value)
            tables[f"{finger}{k}"] = text


def mixamo() -> Rig:
    """65 joints in centimetres, under an armature that Blender has turned and scaled."""
    parts = {"pelvis": "Hips", "spine": "Spine", "spine1": "Spine1", "chest": "Spine2"}
    parts |= {"neck": "Neck", "head": "Head", "head_end": "HeadTop_End"}
    parts = {part: f"mixamorig:{name}" for part, name in parts.items()}
    sided = {"shoulder": "Shoulder", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand"}
    sided |= {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toes": "ToeBase", "toes_end": "Toe_End"}
    _fingers(sided, "Hand<Finger><k>")
    _side(parts, "mixamorig:{Side}", sided)
    rig = _hung(parts, places())
    rig.above = [("Armature", rot.from_axis_angle(rot.X_AXIS, 0.5 * np.pi), 0.01)]
    return rig


def ready_player_me() -> Rig:
    """Plain names in an A-pose, no root, eyes, several meshes."""
    parts = {"pelvis": "Hips", "spine": "Spine", "spine1": "Spine1", "chest": "Spine2"}
    parts |= {"neck": "Neck", "head": "Head", "head_end": "HeadTop_End"}
    sided = {"shoulder": "Shoulder", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand"}
    sided |= {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toes": "ToeBase", "toes_end": "Toe_End"}
    _fingers(sided, "Hand<Finger><k>")
    _side(parts, "{Side}", sided)
    at = places(a_pose=True)
    rig = _hung(parts, at)
    for sign, name in ((1.0, "LeftEye"), (-1.0, "RightEye")):
        rig.add(name, "Head", at["head"] + np.array([0.03 * sign, 0.06, 0.08]))
    rig.above = [("Armature", rot.IDENTITY, 1.0)]
    return rig


def vroid(version: int = 1) -> Rig:
    """J_Bip names below a root, hair and skirt bones, and the words of VRM; VRM 0 looks along -Z."""
    middle = {"pelvis": "Hips", "spine": "Spine", "spine1": "Chest", "chest": "UpperChest"}
    parts = {part: f"J_Bip_C_{name}" for part, name in (middle | {"neck": "Neck", "head": "Head"}).items()}
    sided = {"shoulder": "Shoulder", "upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand"}
    sided |= {"thigh": "UpperLeg", "shin": "LowerLeg", "foot": "Foot", "toes": "ToeBase"}
    _fingers(sided, "<Finger><k>", 3)
    _side(parts, "J_Bip_{S}_", sided)
    at = places()
    rig = _hung(parts, at, "Root")
    rig.rows.insert(0, ("Root", None, np.zeros(3)))
    for number in range(12):
        turn = rot.from_yaw(np.pi * number / 6)
        above = "J_Bip_C_Head"
        for k in range(4):
            name = f"J_Sec_Hair{k + 1}_{number:02}"
            step = rot.rotate(turn, np.array([0.0, 0.1 - 0.08 * k, 0.1 + 0.01 * k]))
            rig.add(name, above, at["head"] + step)
            above = name
    for side, sign in (("L", 1.0), ("R", -1.0)):
        rig.add(f"J_Adj_{side}_FaceEye", "J_Bip_C_Head", at["head"] + np.array([0.03 * sign, 0.06, 0.08]))
        rig.add(f"J_Sec_{side}_Bust1", "J_Bip_C_UpperChest", at["chest"] + np.array([0.06 * sign, 0.0, 0.1]))
        for k in range(2):
            rig.add(
                f"J_Sec_{side}_CoatSkirtFront{k}_01",
                f"J_Bip_{side}_UpperLeg" if k == 0 else f"J_Sec_{side}_CoatSkirtFront0_01",
                at["left_thigh"] * np.array([sign, 1.0, 1.0]) - np.array([0.0, 0.15 + 0.15 * k, -0.1]),
            )
    if version == 0:
        rig.rows = [(name, above, place * np.array([-1.0, 1.0, -1.0])) for name, above, place in rig.rows]
    words = {"pelvis": "hips", "spine": "spine", "spine1": "chest", "chest": "upperChest"}
    words |= {"neck": "neck", "head": "head"}
    limbs = {"shoulder": "Shoulder", "upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand"}
    limbs |= {"thigh": "UpperLeg", "shin": "LowerLeg", "foot": "Foot", "toes": "Toes"}
    words |= {f"{side}_{part}": f"{side}{word}" for side in ("left", "right") for part, word in limbs.items()}
    bones = {word: parts[part] for part, word in words.items()}
    rig.extensions = {"VRM" if version == 0 else "VRMC_vrm": bones}
    return rig


def character_creator() -> Rig:
    """CC_Base names, a hip that carries a pelvis and a waist, twist and share bones, in centimetres."""
    middle = {"pelvis": "Hip", "spine": "Waist", "spine1": "Spine01", "chest": "Spine02"}
    middle |= {"neck": "NeckTwist01", "neck1": "NeckTwist02", "head": "Head"}
    parts = {part: f"CC_Base_{name}" for part, name in middle.items()}
    sided = {"shoulder": "Clavicle", "upper_arm": "Upperarm", "forearm": "Forearm", "hand": "Hand"}
    sided |= {"thigh": "Thigh", "shin": "Calf", "foot": "Foot", "toes": "ToeBase"}
    _fingers(sided, "<Finger><k>", 3)
    _side(parts, "CC_Base_{S}_", sided)
    at = places(a_pose=True)
    rig = _hung(parts, at, "RL_BoneRoot")
    rig.rows.insert(0, ("RL_BoneRoot", None, np.zeros(3)))
    carried = {f"CC_Base_{side}_Thigh" for side in "LR"}
    rig.rows.insert(2, ("CC_Base_Pelvis", "CC_Base_Hip", at["pelvis"]))
    rig.rows = [
        (name, "CC_Base_Pelvis" if name in carried else above, place) for name, above, place in rig.rows
    ]
    for name in ("FacialBone", "JawRoot", "UpperJaw"):
        rig.add(f"CC_Base_{name}", "CC_Base_Head", at["head"] + np.array([0.0, 0.02, 0.05]))
    _twists(
        rig, at, "CC_Base_{S}_{Part}Twist0{k}", "CC_Base_{S}_{Part}", ("Upperarm", "Forearm", "Thigh", "Calf")
    )
    for side in ("left", "right"):
        name = f"CC_Base_{side[0].upper()}"
        rig.add(f"{name}_ToeBaseShareBone", f"{name}_Foot", at[f"{side}_toes"])
        rig.add(f"{name}_RibsTwist", "CC_Base_Spine02", at["chest"] + np.array([0.0, 0.05, 0.05]))
        rig.add(f"{name}_Breast", f"{name}_RibsTwist", at["chest"] + np.array([0.0, 0.05, 0.1]))
    rig.above = [("Armature", rot.from_axis_angle(rot.X_AXIS, -0.5 * np.pi), 0.01)]
    return rig


def _twists(
    rig: Rig, at: dict[str, np.ndarray], pattern: str, above: str, words: tuple[str, ...], count: int = 2
) -> None:
    bones = (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
    for side in ("left", "right"):
        for word, (upper, lower) in zip(words, bones):
            start, end = at[f"{side}_{upper}"], at[f"{side}_{lower}"]
            for k in range(1, count + 1):
                names = {"S": side[0].upper(), "s": side[0], "Part": word, "k": k}
                place = start + (k - 0.5) / count * (end - start)
                rig.add(pattern.format(**names), above.format(**names), place)


def unreal() -> Rig:
    """A root on the floor, twist bones, and bones for inverse kinematics beside the pelvis."""
    parts = {"pelvis": "pelvis", "spine": "spine_01", "spine1": "spine_02", "chest": "spine_03"}
    parts |= {"neck": "neck_01", "neck1": "neck_02", "head": "head"}
    sided = {"shoulder": "clavicle_{s}", "upper_arm": "upperarm_{s}", "forearm": "lowerarm_{s}"}
    sided |= {"hand": "hand_{s}", "thigh": "thigh_{s}", "shin": "calf_{s}", "foot": "foot_{s}"}
    sided |= {"toes": "ball_{s}"}
    _fingers(sided, "<finger>_0<k>_{s}", 3)
    _side(parts, "", sided)
    at = places(a_pose=True)
    rig = _hung(parts, at, "root")
    rig.rows.insert(0, ("root", None, np.zeros(3)))
    _twists(rig, at, "{Part}_twist_0{k}_{s}", "{Part}_{s}", ("upperarm", "lowerarm", "thigh", "calf"))
    helpers = [("ik_foot_root", "root", np.zeros(3)), ("ik_hand_root", "root", np.zeros(3))]
    helpers += [(f"ik_foot_{side[0]}", "ik_foot_root", at[f"{side}_foot"]) for side in ("left", "right")]
    helpers += [("ik_hand_gun", "ik_hand_root", at["right_hand"])]
    helpers += [(f"ik_hand_{side[0]}", "ik_hand_gun", at[f"{side}_hand"]) for side in ("left", "right")]
    helpers += [("interaction", "root", np.zeros(3)), ("center_of_mass", "root", np.zeros(3))]
    for row in helpers:
        rig.add(*row)
        rig.unskinned.add(row[0])
    rig.above = [("Armature", rot.from_axis_angle(rot.X_AXIS, -0.5 * np.pi), 0.01)]
    return rig


def rigify() -> Rig:
    """Only the bones that deform: a spine that is numbered, limbs in two halves."""
    numbers = ("", ".001", ".002", ".003", ".004", ".005", ".006")
    words = ("pelvis", "spine", "spine1", "chest", "neck", "neck1", "head")
    parts = {part: f"DEF-spine{number}" for part, number in zip(words, numbers)}
    sided = {"shoulder": "shoulder.{S}", "upper_arm": "upper_arm.{S}", "forearm": "forearm.{S}"}
    sided |= {"hand": "hand.{S}", "thigh": "thigh.{S}", "shin": "shin.{S}", "foot": "foot.{S}"}
    sided |= {"toes": "toe.{S}"}
    for finger in _FINGERS:
        for k in range(1, 4):
            name = "thumb" if finger == "thumb" else f"f_{finger}"
            sided[f"{finger}{k}"] = f"{name}.0{k}.{{S}}"
    _side(parts, "DEF-", sided)
    at = places(a_pose=True)
    rig = _hung(parts, at)
    halves = ("upper_arm", "forearm", "thigh", "shin")
    lower = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
    for side in ("left", "right"):
        end = f".{side[0].upper()}"
        for part in halves:
            half = f"DEF-{part}{end}.001"
            place = 0.5 * (at[f"{side}_{part}"] + at[f"{side}_{lower[part]}"])
            rig.rows = [
                (name, half if above == f"DEF-{part}{end}" else above, own) for name, above, own in rig.rows
            ]
            rig.add(half, f"DEF-{part}{end}", place)
        rig.add(f"DEF-pelvis{end}", "DEF-spine", at["pelvis"])
        rig.add(f"DEF-breast{end}", "DEF-spine.003", at["chest"] + np.array([0.0, 0.0, 0.1]))
    rig.above = [("rig", rot.IDENTITY, 1.0)]
    return rig


def kaykit() -> Rig:
    """A root, hips, one spine and one chest, a wrist before the hand, slots, and control bones."""
    parts = {"pelvis": "hips", "spine": "spine", "chest": "chest", "head": "head"}
    sided = {"upper_arm": "upperarm.{s}", "forearm": "lowerarm.{s}", "hand": "wrist.{s}"}
    sided |= {"thigh": "upperleg.{s}", "shin": "lowerleg.{s}", "foot": "foot.{s}", "toes": "toes.{s}"}
    _side(parts, "", sided)
    at = places()
    rig = _hung(parts, at, "root")
    rig.rows.insert(0, ("root", None, np.zeros(3)))
    for side in ("left", "right"):
        s = side[0]
        rig.add(f"hand.{s}", f"wrist.{s}", at[f"{side}_index1"])
        rig.add(f"handslot.{s}", f"hand.{s}", at[f"{side}_index2"])
        for name, part in (
            ("kneeIK", "shin"),
            ("elbowIK", "forearm"),
            ("handIK", "hand"),
            ("heelIK", "foot"),
        ):
            rig.add(f"{name}.{s}", "root", at[f"{side}_{part}"] + np.array([0.0, 0.0, 0.2]))
            rig.unskinned.add(f"{name}.{s}")
    rig.above = [("Rig", rot.IDENTITY, 1.0)]
    return rig


def quaternius() -> Rig:
    """Few bones, fists without fingers, a foot on each leg, everything below a bone called Bone."""
    parts = {"pelvis": "Hips", "spine": "Abdomen", "chest": "Torso", "neck": "Neck", "head": "Head"}
    sided = {"shoulder": "Shoulder.{S}", "upper_arm": "UpperArm.{S}", "forearm": "LowerArm.{S}"}
    sided |= {"hand": "Palm.{S}", "thigh": "UpperLeg.{S}", "shin": "LowerLeg.{S}", "foot": "Foot.{S}"}
    _side(parts, "", sided)
    rig = _hung(parts, places(), "Bone")
    rig.rows.insert(0, ("Bone", None, np.zeros(3)))
    for side, letter in (("left", "L"), ("right", "R")):
        rig.add(f"PoleTarget.{letter}", "Bone", places()[f"{side}_shin"] + np.array([0.0, 0.0, 0.4]))
        rig.unskinned.add(f"PoleTarget.{letter}")
    rig.above = [("CharacterArmature", rot.from_axis_angle(rot.X_AXIS, -0.5 * np.pi), 100.0)]
    return rig


def ordered(rig: Rig) -> list[tuple[str, str | None, np.ndarray]]:
    """The rows of a rig with parents before children."""
    known, rows, left = set(), [], list(rig.rows)
    while left:
        ready = [row for row in left if row[1] is None or row[1] in known]
        assert ready, f"nothing carries {left[0]}"
        rows += ready
        known |= {row[0] for row in ready}
        left = [row for row in left if row[0] not in known]
    return rows


def capsule_man(
    rig: Rig, *, unit: float = 1.0, meshes: int = 1, prop: bool = False, morphs: bool = False
) -> tuple[dict[str, Any], bytes, np.ndarray]:
    """A glTF document, its buffer, and (V, 3) metres: where its skin is in the world.

    `unit` is how many metres one unit of the world is. With several `meshes` each has a skin of its own, on
    the same joints. A `prop` is a mesh without a skin on the right hand; `morphs` are a smile in every mesh.
    """
    rows = ordered(rig)
    names = [name for name, _, _ in rows]
    at = np.array([place for *_, place in rows])
    above = np.eye(4)
    nodes: list[dict[str, Any]] = []
    for number, (name, turn, scale) in enumerate(rig.above):
        above = above @ _matrix(turn, np.zeros(3), scale)
        nodes.append({"name": name, "rotation": _xyzw(turn), "scale": [scale] * 3, "children": [number + 1]})
    first = len(nodes)
    # joints are turned along their bones in real rigs: each is turned somehow here
    turns = rot.from_rotation_vector(np.random.default_rng(5).normal(size=(len(rows), 3)))
    into_above = np.linalg.inv(above)
    worlds = [into_above @ _matrix(turn, place / unit, 1.0) for turn, place in zip(turns, at)]
    scale = np.linalg.norm(into_above[:3, 0])
    for world in worlds:  # joints have no scale of their own
        world[:3, :3] /= scale
    tops = []
    for k, (name, parent, _) in enumerate(rows):
        local = worlds[k] if parent is None else np.linalg.inv(worlds[names.index(parent)]) @ worlds[k]
        node: dict[str, Any] = {
            "name": name,
            "translation": local[:3, 3].tolist(),
            "rotation": _xyzw(rot.from_matrix(local[:3, :3])),
        }
        if children := [first + n for n, row in enumerate(rows) if row[1] == name]:
            node["children"] = children
        if parent is None:
            tops.append(first + k)
        nodes.append(node)
    skinned = [k for k, name in enumerate(names) if name not in rig.unskinned]
    vertices, triangles, weights = _skin(rig, rows, skinned)
    if rig.above:
        nodes[first - 1]["children"] = list(tops)

    buffer = _Buffer()
    inverse = np.array([np.linalg.inv(worlds[k]) for k in skinned])
    in_mesh = (np.c_[vertices / unit, np.ones(len(vertices))] @ into_above.T)[:, :3]
    document: dict[str, Any] = {"asset": {"version": "2.0"}, "scene": 0, "meshes": [], "skins": []}
    for number, chosen in enumerate(np.array_split(np.arange(len(triangles)), meshes)):
        used, corners = np.unique(triangles[chosen], return_inverse=True)
        attributes = {
            "POSITION": buffer.add(in_mesh[used].astype(np.float32), "VEC3", bounds=True),
            "JOINTS_0": buffer.add(weights[0][used].astype(np.uint16), "VEC4"),
            "WEIGHTS_0": buffer.add(weights[1][used].astype(np.float32), "VEC4"),
        }
        flat = corners.reshape(-1).astype(np.uint32)
        mesh: dict[str, Any] = {
            "attributes": attributes,
            "indices": buffer.add(flat, "SCALAR"),
            "material": 0,
        }
        row: dict[str, Any] = {"name": f"mesh{number}", "primitives": [mesh]}
        if morphs:
            smile = buffer.add(np.full((len(used), 3), 0.001, np.float32), "VEC3", bounds=True)
            mesh["targets"] = [{"POSITION": smile}]
            row |= {"weights": [0.0], "extras": {"targetNames": ["smile"]}}
        document["meshes"].append(row)
        matrices = inverse.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32)
        document["skins"].append(
            {"joints": [first + k for k in skinned], "inverseBindMatrices": buffer.add(matrices, "MAT4")}
        )
        nodes.append({"name": f"Mesh{number}", "mesh": number, "skin": number})
        tops = [*tops, len(nodes) - 1]
    if prop:
        corners = 0.3 * scale / unit * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
        attributes = {"POSITION": buffer.add(corners.astype(np.float32), "VEC3", bounds=True)}
        document["meshes"].append({"primitives": [{"attributes": attributes, "material": 0}]})
        nodes.append({"name": "Shield", "mesh": meshes})
        hand = nodes[first + names.index(rig.parts["right_hand"])]
        hand["children"] = [*hand.get("children", []), len(nodes) - 1]
    shown = [0, *[k for k in tops if not rig.above or k >= first + len(rows)]] if rig.above else tops
    document |= {"scenes": [{"nodes": sorted(set(shown))}], "nodes": nodes}
    document["materials"] = [
        {"name": "clay", "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.3, 0.2, 1]}}
    ]
    for key, bones in rig.extensions.items():
        number = {word: first + names.index(name) for word, name in bones.items()}
        if key == "VRM":
            listed: Any = [{"bone": word, "node": node} for word, node in number.items()]
            document["extensions"] = {"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": listed}}}
        else:
            listed = {word: {"node": node} for word, node in number.items()}
            meta = {"name": "Man", "authors": ["Nobody"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
            document["extensions"] = {
                key: {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": listed}}
            }
        document["extensionsUsed"] = [key]
    document |= {"accessors": buffer.accessors, "bufferViews": buffer.views}
    document["buffers"] = [{"byteLength": len(buffer.content)}]
    return document, buffer.content, vertices


class _Buffer:
    """Arrays one after the other, as glTF wants them."""

    def __init__(self) -> None:
        self.content, self.views, self.accessors = b"", [], []

    def add(self, array: np.ndarray, kind: str, bounds: bool = False) -> int:
        component = {"float32": 5126, "uint16": 5123, "uint32": 5125}[array.dtype.name]
        content = np.ascontiguousarray(array).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.content), "byteLength": len(content)}
        row = {"bufferView": len(self.views), "componentType": component, "count": len(array), "type": kind}
        if bounds:
            row |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.views.append(view)
        self.accessors.append(row)
        self.content += content + b"\0" * (-len(content) % 4)
        return len(self.accessors) - 1


def _skin(
    rig: Rig, rows: list[tuple[str, str | None, np.ndarray]], skinned: list[int]
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Vertices in metres, triangles, and the joints (of the skin) and weights that they follow.

    A capsule lies along every bone of the body; its first ring follows the joint above by a half.
    """
    at = {name: place for name, _, place in rows}
    parent = {name: above for name, above, _ in rows}
    index = {rows[k][0]: number for number, k in enumerate(skinned)}
    vertices, triangles, joints, weights = [], [], [], []
    lower = {above: word for word, above in _TREE.items() if word not in ("thigh", "shoulder", "neck1")}
    lower |= {"pelvis": "spine", "chest": "neck", "neck": "head", "hand": "middle4"}
    facing = np.sign(at[rig.parts["left_upper_arm"]][0])
    for part, radius in _RADII.items():
        for name in (part, f"left_{part}", f"right_{part}"):
            joint = rig.parts.get(name)
            if joint is None or (name == part) != (part in _MIDDLE):
                continue
            side = name.removesuffix(part)
            mirrored = side == "right_"
            start, end = at[joint], None
            word = part
            while end is None and word in lower:
                word = lower[word]
                below = rig.parts.get(f"{side}{word}") or rig.parts.get(word)
                end = at.get(below)
            if end is None or part in ("hand", "toes", "foot", "head"):
                whole = {**_MIDDLE, **_LEFT}
                ends = {"head": "head_end", "toes": "toes_end", "foot": "toes"}
                if part == "foot" and f"{side}toes" not in rig.parts:
                    ends["foot"] = "toes_end"
                if part == "hand":
                    way = start - at[rig.parts[f"{side}forearm"]]
                    end = start + 0.15 * way / np.linalg.norm(way)
                else:
                    step = np.array(whole[ends[part]]) - np.array(whole[part])
                    end = start + step * np.array([-facing if mirrored else facing, 1.0, facing])
            first = sum(map(len, vertices))
            rings = _rings(start, end, radius)
            vertices.append(rings.reshape(-1, 3))
            count = len(rings)
            for ring in range(count - 1):
                for k in range(_RING):
                    a, b = first + ring * _RING + k, first + ring * _RING + (k + 1) % _RING
                    triangles += [(a, a + _RING, b), (b, a + _RING, b + _RING)]
            owner = index[joint]
            above = index.get(parent[joint] or "", owner)
            own_joints = np.zeros((count * _RING, 4), dtype=np.int64)
            own_joints[:, 0] = owner
            own_weights = np.zeros((count * _RING, 4))
            own_weights[:, 0] = 1.0
            if part not in ("pelvis", "thigh", "head"):
                near = np.arange(2 * _RING)
                own_joints[near, 1], own_weights[near, 0], own_weights[near, 1] = above, 0.5, 0.5
            joints.append(own_joints)
            weights.append(own_weights)
    return np.concatenate(vertices), np.array(triangles), (np.concatenate(joints), np.concatenate(weights))


def _rings(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """(R, _RING, 3) circles around a bone, closed at both ends by small ones."""
    axis = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
    aside = np.cross(axis, rot.X_AXIS if abs(axis[0]) < 0.8 else rot.Y_AXIS)
    aside /= np.linalg.norm(aside)
    angles = 2.0 * np.pi * np.arange(_RING) / _RING
    circle = np.cos(angles)[:, None] * aside + np.sin(angles)[:, None] * np.cross(axis, aside)
    shares = ((0.0, 0.05), (0.02, 1.0), (0.35, 1.0), (0.7, 1.0), (0.98, 1.0), (1.0, 0.05))
    return np.array([start + share * (end - start) + size * radius * circle for share, size in shares])


def _matrix(turn: np.ndarray, place: np.ndarray, scale: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = scale * rot.to_matrix(turn)
    matrix[:3, 3] = place
    return matrix


def _xyzw(turn: np.ndarray) -> list[float]:
    w, x, y, z = (turn / np.linalg.norm(turn)).tolist()
    return [x, y, z, w]
