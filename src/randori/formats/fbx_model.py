"""The character of an FBX file, turned into a glTF document in memory.

From there on it is a character like any other: what is drawn, dressed and written is that document.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.child import read_answer
from randori.formats.model import (
    INFLUENCES,
    MOST_TRIANGLES,
    MOST_VERTICES,
    Model,
    model_from_bytes,
    normalised,
    to_glb,
)
from randori.formats.recording import LARGEST_VALUE

_FLOAT, _SHORT, _INT = 5126, 5123, 5125
_WIDTH = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_TYPES = {np.dtype("f4"): _FLOAT, np.dtype("u2"): _SHORT, np.dtype("u4"): _INT}
_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def read_model(path: str | os.PathLike[str]) -> Model:
    """The character of an `.fbx` file."""
    limits = {"vertices": MOST_VERTICES, "triangles": MOST_TRIANGLES}
    words, arrays = read_answer(path, "fbx_mesh", "ufbx", limits)
    try:
        document, binary = _Builder(words, arrays).build()
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FileError(path, f"has a mesh that cannot be read: {str(error)[:200]}") from None
    name = Path(path).name
    return model_from_bytes(to_glb(document, binary), name)


def count_skins(path: str | os.PathLike[str]) -> int:
    """The number of skinned meshes in a file."""
    words, _ = read_answer(path, "fbx_mesh", "ufbx", {"vertices": MOST_VERTICES, "triangles": MOST_TRIANGLES})
    return sum(bool(mesh.get("clusters")) for mesh in words.get("meshes", []))


class _Builder:
    """A glTF document of what readers/fbx_mesh.py found; every array is checked."""

    def __init__(self, words: dict[str, Any], arrays: dict[str, np.ndarray]):
        self.words, self.arrays = words, arrays
        self.chunks: list[bytes] = []
        self.size = 0
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Randori"},
            "scene": 0,
            "accessors": [],
            "bufferViews": [],
        }

    def build(self) -> tuple[dict[str, Any], bytes]:
        names, parents = self.words["names"], self._array("parents", 1).astype(np.int64)
        places, turns, scales = (self._array(key, 2) for key in ("places", "turns", "scales"))
        count = len(names)
        if not (len(parents) == len(places) == len(turns) == len(scales) == count):
            raise ValueError("nodes without places")
        nodes: list[dict[str, Any]] = []
        for number, name in enumerate(names):
            w, x, y, z = turns[number].tolist()
            nodes.append(
                {
                    "name": str(name)[:200],
                    "translation": places[number].tolist(),
                    "rotation": [x, y, z, w],
                    "scale": scales[number].tolist(),
                }
            )
        roots = []
        for number, parent in enumerate(parents.tolist()):
            if parent < 0:
                roots.append(number)
            else:
                nodes[parent].setdefault("children", []).append(number)
        self.document |= {"nodes": nodes, "scenes": [{"nodes": roots}]}
        self._materials()
        for number, mesh in enumerate(self.words["meshes"]):
            self._mesh(number, mesh, nodes)
        for key in ("accessors", "bufferViews"):
            if not self.document[key]:
                del self.document[key]
        return self.document, b"".join(self.chunks)

    def _array(self, key: str, dimensions: int) -> np.ndarray:
        values = self.arrays[key]
        if values.ndim != dimensions or not (np.abs(values) <= LARGEST_VALUE).all():
            raise ValueError(f"{key} is damaged")
        return values

    def _materials(self) -> None:
        rows = []
        for number, material in enumerate(self.words["materials"]):
            red, green, blue = (min(max(float(value), 0.0), 1.0) for value in material["colour"])
            shading: dict[str, Any] = {
                "baseColorFactor": [red, green, blue, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.8,
            }
            picture = self.arrays.get(f"picture_{number}")
            content = b"" if picture is None else picture.tobytes()
            kind = next((kind for start, kind in _PICTURES.items() if content.startswith(start)), None)
            if kind is not None:
                image = {"bufferView": self._view(content), "mimeType": kind}
                self.document.setdefault("images", []).append(image)
                source = len(self.document["images"]) - 1
                self.document.setdefault("textures", []).append({"source": source})
                shading["baseColorTexture"] = {"index": len(self.document["textures"]) - 1}
                shading["baseColorFactor"] = [1.0, 1.0, 1.0, 1.0]
            rows.append({"name": str(material["name"])[:200], "pbrMetallicRoughness": shading})
        if rows:
            self.document["materials"] = rows

    def _mesh(self, number: int, mesh: dict[str, Any], nodes: list[dict[str, Any]]) -> None:
        """A mesh with a primitive for each material, and its skin."""
        vertices = self._array(f"vertices_{number}", 2).astype(np.float32)
        normals = self._array(f"normals_{number}", 2).astype(np.float32)
        places = self._array(f"uv_{number}", 2).astype(np.float32)
        corners = self._array(f"corners_{number}", 2).astype(np.int64)
        materials = self._array(f"material_{number}", 1).astype(np.int64)
        if len(corners) == 0:
            return
        if corners.min() < 0 or corners.max() >= len(vertices):
            raise ValueError("triangles name vertices that there are not")
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(length > 1e-6, normals / np.maximum(length, 1e-6), [[0.0, 1.0, 0.0]])
        attributes = {
            "POSITION": self._accessor(vertices, bounds=True),
            "NORMAL": self._accessor(normals.astype(np.float32)),
            "TEXCOORD_0": self._accessor(places * [1.0, -1.0] + [0.0, 1.0]),
        }
        node = nodes[mesh["node"]]
        clusters = mesh["clusters"]
        if clusters:
            joints, weights, _ = normalised(
                self._array(f"joints_{number}", 2).astype(np.int64), self._array(f"weights_{number}", 2)
            )
            if joints.shape != (len(vertices), INFLUENCES) or joints.max() >= len(clusters):
                raise ValueError("weights of joints that there are not")
            attributes["JOINTS_0"] = self._accessor(np.where(weights > 0.0, joints, 0).astype(np.uint16))
            attributes["WEIGHTS_0"] = self._accessor(weights.astype(np.float32))
            inverse = self._array(f"bind_{number}", 3).transpose(0, 2, 1).reshape(-1, 16).astype(np.float32)
            skin = {"joints": clusters, "inverseBindMatrices": self._accessor(inverse)}
            self.document.setdefault("skins", []).append(skin)
            node["skin"] = len(self.document["skins"]) - 1
        primitives = []
        for material in np.unique(materials).tolist():
            indices = corners[materials == material].reshape(-1).astype(np.uint32)
            row = {"attributes": attributes, "indices": self._accessor(indices)}
            if 0 <= material < len(self.document.get("materials", [])):
                row["material"] = material
            primitives.append(row)
        self.document.setdefault("meshes", []).append(
            {"name": str(mesh["name"])[:200], "primitives": primitives}
        )
        node["mesh"] = len(self.document["meshes"]) - 1

    def _view(self, content: bytes) -> int:
        padded = content + b"\0" * (-len(content) % 4)
        self.document["bufferViews"].append(
            {"buffer": 0, "byteOffset": self.size, "byteLength": len(content)}
        )
        self.chunks.append(padded)
        self.size += len(padded)
        return len(self.document["bufferViews"]) - 1

    def _accessor(self, values: np.ndarray, bounds: bool = False) -> int:
        if values.dtype == np.float64:
            values = values.astype(np.float32)
        width = 1 if values.ndim == 1 else values.shape[1]
        row: dict[str, Any] = {
            "bufferView": self._view(np.ascontiguousarray(values).tobytes()),
            "componentType": _TYPES[values.dtype],
            "count": len(values),
            "type": _WIDTH[width],
        }
        if bounds:
            row |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.document["accessors"].append(row)
        return len(self.document["accessors"]) - 1
