"""Writing GLB (binary glTF 2.0): characters with skinned meshes, and named animations of all of them.

glTF is right-handed, Y up, in metres, characters face +Z: as Randori is, so nothing is turned.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import RandoriError
from randori.formats.files import write_whole
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
    """Somebody in the file."""

    name: str
    skeleton: Skeleton
    surface: Surface


def write(
    path: str | Path,
    characters: Sequence[Character],
    animations: Mapping[str, Sequence[Clip]],
    words: Mapping[str, object] | None = None,
) -> None:
    """Write characters and their animations; each animation has one clip per character, in their order.

    Words (quality, sources) are kept in the asset's extras.
    """
    document = _Document()
    if words is not None:
        document.json["asset"]["extras"] = {"randori": words}
    roots = [document.add_character(character) for character in characters]
    for name, clips in animations.items():
        if len(clips) != len(characters):
            raise RandoriError(f"animation {name!r} has {len(clips)} clips for {len(characters)} characters")
        document.add_animation(name, clips, roots)
    with write_whole(path) as file:
        file.write(document.to_bytes())


class _Document:
    """A glTF document under construction: JSON on one side, one buffer of bytes on the other."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Randori"},
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

    def add_character(self, character: Character) -> int:
        """Nodes for the joints, a skin, a mesh; returns the root joint's node."""
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
        return first

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

    def add_animation(self, name: str, clips: Sequence[Clip], roots: Sequence[int]) -> None:
        """Rotations of all joints and the way of the root, for every character."""
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        clocks: dict[tuple[int, float], int] = {}
        for clip, root in zip(clips, roots):
            key = (len(clip), clip.fps)
            if key not in clocks:
                clocks[key] = self.accessor(clip.times.astype(np.float32), bounds=True)
            tracks = [(0, "translation", clip.root_position)]
            tracks += [
                (j, "rotation", _xyzw(rot.unroll(clip.rotations[:, j]))) for j in range(len(clip.skeleton))
            ]
            for joint, path, values in tracks:
                sampler = {"input": clocks[key], "output": self.accessor(values.astype(np.float32))}
                channels.append({"sampler": len(samplers), "target": {"node": root + joint, "path": path}})
                samplers.append(sampler)
        # glTF keeps times, not rates: tools that count frames find the rate here
        extras = {"fps": clips[0].fps}
        self._append(
            "animations", {"name": name, "samplers": samplers, "channels": channels, "extras": extras}
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
