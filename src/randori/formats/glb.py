"""Writing GLB (binary glTF 2.0): characters with skinned meshes, and named animations of all of them.

glTF is right-handed, Y up, in metres, characters face +Z: as Randori is, so nothing is turned.
"""

import copy
import json
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.formats.files import write_whole
from randori.formats.recording import GENERATOR
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton

_FLOAT, _UNSIGNED_BYTE, _UNSIGNED_SHORT, _UNSIGNED_INT = 5126, 5121, 5123, 5125
_VERTEX_DATA, _INDEX_DATA = 34962, 34963
_TYPES = {
    np.dtype("f4"): _FLOAT,
    np.dtype("u1"): _UNSIGNED_BYTE,
    np.dtype("u2"): _UNSIGNED_SHORT,
    np.dtype("u4"): _UNSIGNED_INT,
}
_SHAPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


@dataclass(frozen=True, eq=False)
class Surface:
    """A skin over a skeleton in its reference pose: triangles by material, vertices that follow joints."""

    vertices: np.ndarray  # (V, 3) metres
    normals: np.ndarray  # (V, 3)
    joints: np.ndarray  # (V, 4)
    weights: np.ndarray  # (V, 4)
    triangles: Mapping[str, np.ndarray]  # material's name → (T, 3)
    colours: Mapping[str, Sequence[float]]  # material's name → sRGB, 0 to 1


@dataclass(frozen=True, eq=False)
class Character:
    """A person in the file."""

    name: str
    skeleton: Skeleton
    surface: Surface


@dataclass(frozen=True, eq=False)
class OwnCharacter:
    """A person whose mesh, materials and nodes come from a file of their own."""

    name: str
    skeleton: Skeleton  # its joints turn as nodes of the document do
    document: Mapping[str, Any]  # glTF of one buffer, without animations
    binary: bytes
    nodes: np.ndarray  # (J,) int64, the number that each joint has in the document
    above: np.ndarray  # (4, 4) of what carries the root joint
    size: float  # metres per unit of the document
    hidden: Collection[int] = ()  # nodes whose meshes are not shown


class Motion(NamedTuple):
    """Motion of some of the characters, under one name."""

    name: str
    clips: Sequence[Clip | None]  # one per character; None for those that it is not about
    extras: Mapping[str, object] = {}


def write(
    path: str | Path,
    characters: Sequence[Character | OwnCharacter],
    animations: Mapping[str, Sequence[Clip]] | Sequence[Motion],
    words: Mapping[str, object] | None = None,
    root_motion: bool = False,
) -> None:
    """Write characters and their animations; each animation has one clip per character, in their order.

    Words (quality, sources) are kept in the asset's extras. With `root_motion` a bone on the ground carries
    the way over the floor: the root bone where the pelvis hangs on one, else the node about the skeleton.
    """
    document = _Document()
    if words is not None:
        document.json["asset"]["extras"] = {"randori": words}
    placed = [
        document.add_own(character, alone=len(characters) == 1, holder=root_motion)
        if isinstance(character, OwnCharacter)
        else document.add_character(character)
        for character in characters
    ]
    motions = (
        [Motion(name, clips) for name, clips in animations.items()]
        if isinstance(animations, Mapping)
        else animations
    )
    for motion in motions:
        if len(motion.clips) != len(characters):
            count = len(motion.clips)
            raise RandoriError(
                f"animation {motion.name!r} has {count} clips for {len(characters)} characters"
            )
        document.add_animation(motion, placed, root_motion)
    with write_whole(path) as file:
        file.write(document.to_bytes())


class _Placed(NamedTuple):
    """The position of a character's joints in a document."""

    nodes: np.ndarray  # (J,)
    holder: int  # the node about the skeleton, or -1
    above: np.ndarray  # (4, 4) of what carries the root joint, below the holder
    size: float  # metres per unit


class _Document:
    """A glTF document under construction: JSON on one side, one buffer of bytes on the other."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": GENERATOR},
            "scene": 0,
            "scenes": [{"nodes": []}],
        }

    def _append(self, kind: str, item: dict[str, Any]) -> int:
        rows = self.json.setdefault(kind, [])
        rows.append(item)
        return len(rows) - 1

    def accessor(self, values: np.ndarray, target: int | None = None, bounds: bool = False) -> int:
        """Store an array (N,) or (N, K) and return the number of its accessor."""
        values = np.ascontiguousarray(values)
        data = values.tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        padding = -len(data) % 4
        self.chunks.append(data + b"\0" * padding)
        self.size += len(data) + padding
        width = 1 if values.ndim == 1 else values.shape[1]
        item: dict[str, Any] = {
            "bufferView": self._append("bufferViews", view),
            "componentType": _TYPES[values.dtype],
            "count": len(values),
            "type": _SHAPES[width],
        }
        if bounds:
            rows = values.reshape(len(values), width)
            item["min"], item["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        return self._append("accessors", item)

    def add_character(self, character: Character) -> _Placed:
        """Nodes for the joints, a skin, a mesh."""
        skeleton = character.skeleton
        positions, turned = skeleton.reference_pose
        local = skeleton.to_local(turned)
        first = len(self.json.get("nodes", []))
        for joint, name in enumerate(skeleton.names):
            place = positions[0] if joint == 0 else skeleton.offsets[joint]
            node: dict[str, Any] = {
                "name": name,
                "translation": place.tolist(),
                "rotation": _xyzw(local[joint]).tolist(),
            }
            if skeleton.children[joint]:
                node["children"] = [first + child for child in skeleton.children[joint]]
            self._append("nodes", node)
        skin = self._append(
            "skins",
            {
                "name": character.name,
                "inverseBindMatrices": self.accessor(_inverse_bind(positions, turned)),
                "skeleton": first,
                "joints": list(range(first, first + len(skeleton))),
            },
        )
        # A node of its own around each skeleton: importers would make one armature of them all. The mesh
        # stays outside, since nothing above a skinned mesh may move it.
        holder = self._append("nodes", {"name": character.name, "children": [first]})
        body = self._append(
            "nodes", {"name": f"{character.name} body", "mesh": self._add_mesh(character), "skin": skin}
        )
        self.json["scenes"][0]["nodes"] += [holder, body]
        return _Placed(first + np.arange(len(skeleton)), holder, np.eye(4), 1.0)

    def add_own(self, character: OwnCharacter, alone: bool, holder: bool) -> _Placed:
        """All of a character's own document; what refers to something else gets its new number.

        One that is `alone` in the file keeps its nodes at the top, unless a `holder` is asked for.
        """
        theirs = copy.deepcopy(dict(character.document))
        kinds = ("nodes", "meshes", "skins", "materials", "textures", "images", "samplers", "accessors")
        first = {kind: len(self.json.get(kind, [])) for kind in (*kinds, "bufferViews")}
        _renumber(theirs, first)
        for node in character.hidden:
            theirs["nodes"][node].pop("mesh", None)
            theirs["nodes"][node].pop("skin", None)
        for view in theirs.get("bufferViews", []):
            view["byteOffset"] = view.get("byteOffset", 0) + self.size
            view["buffer"] = 0
            self._append("bufferViews", view)
        self.chunks.append(character.binary)
        self.size += len(character.binary)
        padding = -self.size % 4
        self.chunks.append(b"\0" * padding)
        self.size += padding
        for kind in kinds:
            for row in theirs.get(kind, []):
                self._append(kind, row)
        for key in ("extensionsUsed", "extensionsRequired"):
            if theirs.get(key):
                self.json[key] = list(dict.fromkeys([*self.json.get(key, []), *theirs[key]]))
        if alone and "extensions" in theirs:  # a VRM's own words name nodes by numbers, which are the same
            self.json["extensions"] = theirs["extensions"]
        if not alone:
            self._forget_unknown(theirs)
        scenes = theirs.get("scenes")  # without any, `scene` names nothing
        tops = scenes[theirs.get("scene", 0)].get("nodes", []) if scenes else []
        number = -1
        if holder or not alone or character.size != 1.0:
            # a skinned mesh follows its joints, wherever it hangs: nothing above it may move it
            nodes = self.json["nodes"]
            outside = [top for top in tops if "skin" in nodes[top] and "children" not in nodes[top]]
            inside = [top for top in tops if top not in outside]
            size = [character.size] * 3
            number = self._append("nodes", {"name": character.name, "children": inside, "scale": size})
            tops = [number, *outside]
        self.json["scenes"][0]["nodes"] += tops
        return _Placed(character.nodes + first["nodes"], number, character.above, character.size)

    def _forget_unknown(self, theirs: dict[str, Any]) -> None:
        """Extensions of a whole document cannot be merged with those of another."""
        lost = set(theirs.get("extensions", {}))
        for key in ("extensionsUsed", "extensionsRequired"):
            kept = [name for name in self.json.get(key, []) if name not in lost]
            self.json.pop(key, None)
            if kept:
                self.json[key] = kept
        for kind in ("nodes", "materials", "meshes"):
            for row in theirs.get(kind, []):
                for name in lost & set(row.get("extensions", {})):
                    del row["extensions"][name]

    def _add_mesh(self, character: Character) -> int:
        surface = character.surface
        joint_type = np.uint8 if len(character.skeleton) <= 256 else np.uint16
        weights = surface.weights.astype(np.float32)
        attributes = {
            "POSITION": self.accessor(surface.vertices.astype(np.float32), _VERTEX_DATA, bounds=True),
            "NORMAL": self.accessor(surface.normals.astype(np.float32), _VERTEX_DATA),
            "JOINTS_0": self.accessor(surface.joints.astype(joint_type), _VERTEX_DATA),
            "WEIGHTS_0": self.accessor(weights / weights.sum(axis=1, keepdims=True), _VERTEX_DATA),
        }
        index_type = np.uint16 if len(surface.vertices) < 65535 else np.uint32
        primitives = []
        for material, triangles in surface.triangles.items():
            colour = [*linear_colour(surface.colours[material]), 1.0]
            shading = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.75}
            primitives.append(
                {
                    "attributes": attributes,
                    "indices": self.accessor(triangles.astype(index_type).reshape(-1), _INDEX_DATA),
                    "material": self._append(
                        "materials", {"name": f"{character.name} {material}", "pbrMetallicRoughness": shading}
                    ),
                }
            )
        return self._append("meshes", {"name": character.name, "primitives": primitives})

    def add_animation(self, motion: Motion, placed: Sequence[_Placed], root_motion: bool) -> None:
        """Rotations of all joints and the way of the root, for every character that it is about."""
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        clocks: dict[tuple[int, float], int] = {}
        shown = [(clip, where) for clip, where in zip(motion.clips, placed) if clip is not None]
        for clip, where in shown:
            key = (len(clip), clip.fps)
            if key not in clocks:
                clocks[key] = self.accessor(clip.times.astype(np.float32), bounds=True)
            for node, path, values in _tracks(clip, where, root_motion):
                sampler = {"input": clocks[key], "output": self.accessor(values.astype(np.float32))}
                channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
                samplers.append(sampler)
        # glTF keeps times, not rates: tools that count frames find the rate here
        extras = {"fps": shown[0][0].fps, **motion.extras}
        self._append(
            "animations",
            {"name": motion.name, "samplers": samplers, "channels": channels, "extras": extras},
        )

    def to_bytes(self) -> bytes:
        self.json["buffers"] = [{"byteLength": self.size}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        body = b"".join(self.chunks)
        total = 12 + 8 + len(text) + 8 + len(body)
        header = struct.pack("<4sII", b"glTF", 2, total)
        return (
            header
            + struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(body), b"BIN\0")
            + body
        )


def _tracks(clip: Clip, where: _Placed, root_motion: bool) -> Iterator[tuple[int, str, np.ndarray]]:
    """(node, path, values) of a clip: how its joints turn, and where its root goes."""
    # Step 1. The root joint, as what carries it sees it.
    carrier = rot.normalize(rot.from_matrix(where.above[:3, :3] / np.linalg.norm(where.above[:3, 0])))
    back = np.linalg.inv(where.above)
    places, turned = clip.root_position, clip.rotations[:, 0]
    joint, fixed = 0, None
    if root_motion:
        skeleton, pelvis = clip.skeleton, clip.skeleton.joint("pelvis")
        ground, yaw = ground_path(clip)
        if pelvis > 0 and skeleton.parents[pelvis] == 0:
            # the root bone lies on the ground; the pelvis is placed on it
            rest = skeleton.reference[0]
            turned = rot.multiply(yaw, rest)
            onto = rot.rotate(rot.inverse(turned), clip.positions[:, pelvis] - ground)
            scale = where.size * float(np.linalg.norm(where.above[:3, 0]))
            fixed = pelvis, onto / scale, rot.multiply(rot.inverse(turned), clip.global_rotations[:, pelvis])
            places = ground
        else:
            yield where.holder, "translation", ground
            yield where.holder, "rotation", _xyzw(rot.unroll(yaw))
            places = rot.rotate(rot.inverse(yaw), places - ground)
            turned = rot.multiply(rot.inverse(yaw), turned)
    in_file = (places / where.size) @ back[:3, :3].T + back[:3, 3]
    yield int(where.nodes[joint]), "translation", in_file

    # Step 2. Turns.
    for j in range(len(clip.skeleton)):
        own = clip.rotations[:, j]
        if j == 0:
            own = rot.multiply(rot.inverse(carrier), turned)
        elif fixed is not None and j == fixed[0]:
            yield int(where.nodes[j]), "translation", fixed[1]
            own = fixed[2]
        yield int(where.nodes[j]), "rotation", _xyzw(rot.unroll(own))


def ground_path(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) metres on the ground below the pelvis, and (F, 4) the turn about the vertical that it has."""
    pelvis = clip.skeleton.joint("pelvis")
    ground = clip.positions[:, pelvis] * np.array([1.0, 0.0, 1.0])
    return ground, rot.from_yaw(np.unwrap(rot.yaw(clip.turned("pelvis"))))


def _renumber(document: dict[str, Any], first: Mapping[str, int]) -> None:
    """Add to every number in a document with which something is referred to."""

    def move(holder: Any, key: str, kind: str) -> None:
        if isinstance(holder, dict) and isinstance(holder.get(key), int):
            holder[key] += first[kind]

    def move_textures(value: Any) -> None:
        """A texture is referred to by an `index` in every key that ends in …Texture."""
        if isinstance(value, dict):
            for key, inner in value.items():
                if key.endswith("Texture") and isinstance(inner, dict):
                    move(inner, "index", "textures")
                move_textures(inner)
        elif isinstance(value, list):
            for inner in value:
                move_textures(inner)

    for node in document.get("nodes", []):
        move(node, "mesh", "meshes")
        move(node, "skin", "skins")
        node.pop("camera", None)
        if "children" in node:
            node["children"] = [child + first["nodes"] for child in node["children"]]
    for mesh in document.get("meshes", []):
        for primitive in mesh["primitives"]:
            move(primitive, "indices", "accessors")
            move(primitive, "material", "materials")
            for holder in (primitive["attributes"], *primitive.get("targets", [])):
                for key in holder:
                    move(holder, key, "accessors")
    for skin in document.get("skins", []):
        move(skin, "inverseBindMatrices", "accessors")
        move(skin, "skeleton", "nodes")
        skin["joints"] = [joint + first["nodes"] for joint in skin["joints"]]
    move_textures(document.get("materials", []))
    for texture in document.get("textures", []):
        move(texture, "sampler", "samplers")
        move(texture, "source", "images")
        for extension in texture.get("extensions", {}).values():
            move(extension, "source", "images")
    for image in document.get("images", []):
        move(image, "bufferView", "bufferViews")
    for accessor in document.get("accessors", []):
        sparse = accessor.get("sparse", {})
        for holder in (accessor, sparse.get("indices", {}), sparse.get("values", {})):
            move(holder, "bufferView", "bufferViews")
    for scene in document.get("scenes", []):
        scene["nodes"] = [node + first["nodes"] for node in scene.get("nodes", [])]


def _xyzw(q: np.ndarray) -> np.ndarray:
    return rot.normalize(q)[..., [1, 2, 3, 0]]


def linear_colour(colour: Sequence[float]) -> list[float]:
    """sRGB to linear light, which is what glTF's factors are in."""
    c = np.asarray(colour, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).round(6).tolist()


def _inverse_bind(positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(J, 16) float32, column by column: from the reference pose into each joint's frame."""
    inverse = np.zeros((len(positions), 4, 4))
    inverse[:, :3, :3] = rot.to_matrix(rot.inverse(rotations))
    inverse[:, :3, 3] = -np.einsum("jab,jb->ja", inverse[:, :3, :3], positions)
    inverse[:, 3, 3] = 1.0
    return inverse.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32)
