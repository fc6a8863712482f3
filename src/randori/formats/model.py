"""Reading the skinned mesh of a character from glTF 2.0 and VRM, and keeping the file as it is.

The document and its binary are kept whole, so that everything that Randori does not understand (materials,
hair, expressions, props) goes out again as it came in. Only animations are left out.
"""

import base64
import binascii
import copy
import io
import json
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from randori.errors import FileError
from randori.formats.files import file_size, read_start
from randori.formats.gltf import LARGEST_BUFFER, Reader
from randori.formats.nodes import NodeScene

MOST_VERTICES = 1_000_000  # of a character: film characters have 200,000
MOST_TRIANGLES = 2_000_000
INFLUENCES = 4  # joints that a vertex follows; of more, the heaviest are taken for measuring and drawing
_WIDEST_PICTURE = 16_384  # pixels of a texture that is decoded, to be shown small
_SHOWN_PICTURE = 1024  # pixels of a texture in pictures
_WEIGHTS_OFF = 0.02  # that the weights of a vertex may miss 1 by before a note says so
_WIDTHS_OF_SETS = ("0", "1")  # JOINTS_0 and JOINTS_1: eight influences
_TRIANGLES, _STRIP, _FAN = 4, 5, 6  # modes of primitives
_COMPRESSED_EXTENSIONS = {
    "KHR_draco_mesh_compression": "Draco",
    "EXT_meshopt_compression": "meshopt",
    "KHR_meshopt_compression": "meshopt",
}
_REFERRED_LISTS = ("nodes", "meshes", "skins", "materials", "textures", "images", "samplers", "scenes")


@dataclass(frozen=True, eq=False)
class Material:
    """The look of a surface in Randori's pictures; a written file has the whole material."""

    name: str
    colour: tuple[float, float, float, float]  # linear light and opacity, 0 to 1
    picture: bytes | None  # PNG or JPEG of the base colour, as it is in the file


@dataclass(frozen=True, eq=False)
class Skin:
    """Joints that vertices follow."""

    joints: np.ndarray  # (S,) int64, nodes of the scene
    inverse_bind: np.ndarray  # (S, 4, 4) from the mesh's space into each joint's frame


@dataclass(frozen=True, eq=False)
class Piece:
    """A primitive of a mesh on a node."""

    name: str  # of the node
    node: int  # of the scene
    vertices: np.ndarray  # (V, 3) in the mesh's own space
    triangles: np.ndarray  # (T, 3) int64
    normals: np.ndarray | None  # (V, 3)
    texture_places: np.ndarray | None  # (V, 2)
    material: int  # -1 for none
    skin: int  # -1 for a mesh that follows its node alone
    influences: np.ndarray  # (V, 4) int64, joints of the skin
    weights: np.ndarray  # (V, 4) they sum to 1


@dataclass(frozen=True, eq=False)
class Model:
    """A character as its file has it."""

    file: str  # the name alone, without its folder
    scene: NodeScene  # nodes with parents first; without motions
    order: tuple[int, ...]  # (N,) the number that each node of the scene has in the document
    skins: tuple[Skin, ...]
    pieces: tuple[Piece, ...]
    materials: tuple[Material, ...]
    document: Mapping[str, Any]  # glTF, without animations, of one buffer
    binary: bytes
    notes: tuple[str, ...] = ()

    @property
    def vertices(self) -> int:
        return sum(len(piece.vertices) for piece in self.pieces)

    def to_bytes(self) -> bytes:
        """The document as GLB, without animations."""
        return to_glb(self.document, self.binary)


def read_model(path: str | os.PathLike[str]) -> Model:
    """The character of a `.glb`, `.gltf` or `.vrm` file."""
    return _ModelReader(Path(path)).read_model()


def model_from_bytes(content: bytes, name: str) -> Model:
    """The character of a GLB in memory; `name` is that of its file."""
    return _StoredReader(content, name).read_model()


def to_glb(document: Mapping[str, Any], binary: bytes) -> bytes:
    """A document and its one buffer as the bytes of a `.glb` file."""
    whole = {**document, "buffers": [{"byteLength": len(binary)}]} if binary else dict(document)
    text = json.dumps(whole, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = binary + b"\0" * (-len(binary) % 4)
    total = 12 + 8 + len(text) + (8 + len(body) if body else 0)
    parts = [struct.pack("<4sII", b"glTF", 2, total), struct.pack("<I4s", len(text), b"JSON"), text]
    if body:
        parts += [struct.pack("<I4s", len(body), b"BIN\0"), body]
    return b"".join(parts)


def decoded(material: Material) -> np.ndarray | None:
    """(H, W, 3) uint8 of a material's picture, small enough to draw with; None where none can be read."""
    if material.picture is None:
        return None
    try:
        with Image.open(io.BytesIO(material.picture)) as picture:
            if max(picture.size) > _WIDEST_PICTURE:
                return None
            picture.draft("RGB", (_SHOWN_PICTURE, _SHOWN_PICTURE))
            shown = picture.convert("RGB")
            shown.thumbnail((_SHOWN_PICTURE, _SHOWN_PICTURE))
            return np.asarray(shown)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # KTX2 and what else PIL does not read


class _ModelReader(Reader):
    """A glTF file whose meshes are read as well."""

    def read_model(self) -> Model:
        self._refuse_compression()
        rows = self._rows("nodes", 20_000)
        order, _ = self._tree(rows)
        scene = self.read(with_motions=False)
        place = {node: number for number, node in enumerate(order)}
        notes: list[str] = []
        skins = tuple(self._skin(number, row, place) for number, row in enumerate(self._rows("skins", 1000)))
        pieces = self._pieces(rows, order, skins, notes)
        self._check_references()
        document, binary = self._without_animations()
        if "KHR_texture_basisu" in self._used():
            notes.append("its textures are KTX2: they are kept, but pictures here show plain colours")
        return Model(
            self.path.name,
            scene,
            tuple(order),
            skins,
            pieces,
            tuple(self._materials()),
            document,
            binary,
            tuple(notes),
        )

    def _used(self) -> list[Any]:
        used = self.document.get("extensionsUsed", [])
        return used if isinstance(used, list) else []

    def _refuse_compression(self) -> None:
        for name, words in _COMPRESSED_EXTENSIONS.items():
            if name in self._used():
                raise FileError(
                    self.path,
                    f"its meshes are compressed with {words}, which is not read; export it without "
                    "compression (`gltf-transform copy`, or Blender without the compression option)",
                )

    # ---- meshes

    def _skin(self, number: int, row: dict[str, Any], place: Mapping[int, int]) -> Skin:
        where = f"skins[{number}]"
        joints = row.get("joints", [])
        if not isinstance(joints, list) or not joints:
            self.fail(f"{where}.joints", "expected a list of joints")
        nodes = [place[self._index({"joint": joint}, "joint", len(place), where)] for joint in joints]
        matrices = np.tile(np.eye(4), (len(nodes), 1, 1))
        if "inverseBindMatrices" in row:
            index = self._index(row, "inverseBindMatrices", 1_000_000, where)
            values = self._accessor(index, (16,), where)
            if len(values) < len(nodes):
                self.fail(where, f"expected {len(nodes)} inverse bind matrices, found {len(values)}")
            matrices = values[: len(nodes)].reshape(-1, 4, 4).transpose(0, 2, 1)
        return Skin(np.array(nodes, dtype=np.int64), matrices)

    def _pieces(
        self, rows: list[dict[str, Any]], order: Sequence[int], skins: Sequence[Skin], notes: list[str]
    ) -> tuple[Piece, ...]:
        meshes = self._rows("meshes", 20_000)
        pieces, vertices, triangles, off = [], 0, 0, 0
        for number, node in enumerate(order):
            row, where = rows[node], f"nodes[{node}]"
            if "mesh" not in row:
                continue
            mesh = meshes[self._index(row, "mesh", len(meshes), where)]
            primitives = mesh.get("primitives", [])
            if not isinstance(primitives, list) or not all(isinstance(one, dict) for one in primitives):
                self.fail(f"mesh of {where}", "expected a list of primitives")
            skin = self._index(row, "skin", len(skins), where) if "skin" in row else -1
            for primitive in primitives:
                piece, strange = self._piece(number, row, node, primitive, skin, skins)
                if piece is None:
                    continue
                off += strange
                vertices, triangles = vertices + len(piece.vertices), triangles + len(piece.triangles)
                if vertices > MOST_VERTICES or triangles > MOST_TRIANGLES:
                    raise FileError(
                        self.path,
                        f"has more than {MOST_VERTICES:,} vertices or {MOST_TRIANGLES:,} triangles; "
                        "reduce it first (Blender: Decimate)",
                    )
                pieces.append(piece)
        if off:
            notes.append(f"the weights of {off} vertices do not sum to 1; they are scaled to it")
        return tuple(pieces)

    def _piece(
        self,
        number: int,
        row: dict[str, Any],
        node: int,
        primitive: dict[str, Any],
        skin: int,
        skins: Sequence[Skin],
    ) -> tuple[Piece | None, int]:
        """A primitive, and of how many vertices the weights had to be scaled; None for lines and points."""
        where = f"mesh of nodes[{node}]"
        mode, attributes = primitive.get("mode", _TRIANGLES), primitive.get("attributes")
        if not isinstance(attributes, dict):
            self.fail(where, "expected attributes")
        if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in attributes:
            return None, 0
        vertices = self._attribute(attributes, "POSITION", (3,), where)
        if "indices" in primitive:
            index = self._index(primitive, "indices", 1_000_000, where)
            corners = self._accessor(index, (1,), where)[:, 0].astype(np.int64)
            if corners.max(initial=0) >= len(vertices):
                self.fail(where, "its triangles name vertices that there are not")
        else:
            corners = np.arange(len(vertices))
        triangles = _to_triangles(corners, mode)
        textured = "TEXCOORD_0" in attributes
        places = self._attribute(attributes, "TEXCOORD_0", (2,), where) if textured else None
        if places is not None and len(places) != len(vertices):
            self.fail(where, "expected a texture place for every vertex")
        normals = self._attribute(attributes, "NORMAL", (3,), where) if "NORMAL" in attributes else None
        if normals is not None and len(normals) != len(vertices):
            self.fail(where, "expected a normal for every vertex")
        influences, weights, strange = self._weights(attributes, skin, skins, len(vertices), where)
        material = primitive.get("material", -1)
        if material != -1:
            material = self._index(primitive, "material", len(self._rows("materials", 100_000)), where)
        name = self._name(row, f"node{node}")
        followed = skin, influences, weights
        return Piece(name, number, vertices, triangles, normals, places, material, *followed), strange

    def _attribute(
        self, attributes: dict[str, Any], key: str, widths: Sequence[int], where: str
    ) -> np.ndarray:
        return self._accessor(self._index(attributes, key, 1_000_000, where), widths, where)

    def _weights(
        self, attributes: dict[str, Any], skin: int, skins: Sequence[Skin], count: int, where: str
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """(V, 4) joints of the skin and weights that sum to 1, and of how many vertices they did not."""
        if skin < 0:
            return np.zeros((count, INFLUENCES), dtype=np.int64), np.zeros((count, INFLUENCES)), 0
        joints, weights = [], []
        for letter in _WIDTHS_OF_SETS:
            if f"JOINTS_{letter}" in attributes and f"WEIGHTS_{letter}" in attributes:
                joints.append(self._attribute(attributes, f"JOINTS_{letter}", (4,), where))
                weights.append(self._attribute(attributes, f"WEIGHTS_{letter}", (4,), where))
        if not joints:
            self.fail(where, "it has a skin, but its vertices follow no joint (JOINTS_0 and WEIGHTS_0)")
        all_joints, all_weights = np.hstack(joints).astype(np.int64), np.hstack(weights)
        if len(all_joints) != count or len(all_weights) != count:
            self.fail(where, "expected joints and weights for every vertex")
        if all_weights.min() < 0.0:
            self.fail(where, f"expected weights of at least 0, found {all_weights.min():g}")
        used = all_weights > 0.0
        if (all_joints[used] >= len(skins[skin].joints)).any():
            self.fail(where, "its vertices follow joints that the skin does not have")
        all_joints = np.where(used, all_joints, 0)
        return normalised(all_joints, all_weights)

    def _materials(self) -> list[Material]:
        return [self._material(row) for row in self._rows("materials", 100_000)]

    def _material(self, row: dict[str, Any]) -> Material:
        shading = row.get("pbrMetallicRoughness", {})
        shading = shading if isinstance(shading, dict) else {}
        try:
            red, green, blue, alpha = (float(value) for value in shading.get("baseColorFactor", (1, 1, 1, 1)))
        except (TypeError, ValueError):
            red = green = blue = alpha = 1.0
        picture = self._picture(shading.get("baseColorTexture"))
        return Material(self._name(row, "material"), (red, green, blue, alpha), picture)

    def _picture(self, texture: Any) -> bytes | None:
        """The bytes of a texture, where they are in the file or beside it; nothing else is opened."""
        try:
            source = self.document["textures"][texture["index"]]["source"]
            image = self.document["images"][source]
            if "bufferView" in image:
                view = self.document["bufferViews"][image["bufferView"]]
                start = view.get("byteOffset", 0)
                return self._buffer(view["buffer"])[start : start + view["byteLength"]]
            return self._file_beside(image.get("uri"))
        except (KeyError, IndexError, TypeError):
            return None

    def _file_beside(self, uri: Any) -> bytes | None:
        """A file that a `.gltf` names in its own folder."""
        if not isinstance(uri, str):
            return None
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError):
                return None
        if "/" in uri or "\\" in uri or ":" in uri or uri in ("", ".", "..") or "%" in uri:
            return None
        beside = self.path.with_name(uri)
        if not beside.is_file() or file_size(beside) > LARGEST_BUFFER:
            return None
        return read_start(beside, LARGEST_BUFFER)

    # ---- the document as it goes out again

    def _check_references(self) -> None:
        """Every number with which the document refers to something: it is written again as it is."""
        count = {kind: len(self._rows(kind, 1_000_000)) for kind in _REFERRED_LISTS}

        def check(holder: Any, key: str, kind: str, where: str) -> None:
            if not isinstance(holder, dict):
                self.fail(where, "expected an object")
            if key in holder:
                self._index(holder, key, count[kind], where)

        def check_textures(value: Any) -> None:
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(key, str) and key.endswith("Texture"):
                    check(inner, "index", "textures", f"materials: {key}")
                if isinstance(inner, (dict, list)):
                    check_textures(inner)

        for number, node in enumerate(self._rows("nodes", 20_000)):
            check(node, "mesh", "meshes", f"nodes[{number}]")
            check(node, "skin", "skins", f"nodes[{number}]")
        for mesh in self._rows("meshes", 20_000):
            for primitive in mesh.get("primitives", []):
                check(primitive, "material", "materials", "meshes: primitives")
        for number, skin in enumerate(self._rows("skins", 1000)):
            check(skin, "skeleton", "nodes", f"skins[{number}]")
        check_textures(self._rows("materials", 1_000_000))
        for number, texture in enumerate(self._rows("textures", 1_000_000)):
            check(texture, "sampler", "samplers", f"textures[{number}]")
            extensions = texture.get("extensions", {})
            if not isinstance(extensions, dict):
                self.fail(f"textures[{number}].extensions", "expected an object")
            for holder in (texture, *extensions.values()):
                check(holder, "source", "images", f"textures[{number}]")
        for number, scene in enumerate(self._rows("scenes", 1_000_000)):
            tops = scene.get("nodes", [])
            if not isinstance(tops, list):
                self.fail(f"scenes[{number}].nodes", "expected a list")
            for top in tops:
                check({"node": top}, "node", "nodes", f"scenes[{number}].nodes")
        if count["scenes"]:
            check(self.document, "scene", "scenes", "the document")
        for key in ("extensionsUsed", "extensionsRequired"):
            names = self.document.get(key, [])
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                self.fail(key, "expected a list of names")
        if not isinstance(self.document.get("extensions", {}), dict):
            self.fail("extensions", "expected an object")

    def _without_animations(self) -> tuple[dict[str, Any], bytes]:
        """The document without animations, and only the bytes that it still needs, in one buffer."""
        document = copy.deepcopy({key: value for key, value in self.document.items() if key != "animations"})
        for image in document.get("images", []):
            if isinstance(image, dict) and "uri" in image and (found := self._file_beside(image["uri"])):
                jpeg = found.startswith(b"\xff\xd8")
                image.pop("uri")
                image["mimeType"] = image.get("mimeType", "image/jpeg" if jpeg else "image/png")
                image["bufferView"] = ("bytes", found)  # placed below
        try:
            keep = _Keep(self, document)
        except (AttributeError, KeyError, TypeError):
            raise FileError(self.path, "its meshes, skins or images are not as glTF has them") from None
        return keep.document, keep.binary()


class _StoredReader(_ModelReader):
    """The same for a GLB that is in memory."""

    def __init__(self, content: bytes, name: str):
        self._content = content
        super().__init__(Path(name))

    def _open(self) -> tuple[dict[str, Any], bytes]:
        if len(self._content) < 20 or not self._content.startswith(b"glTF"):
            raise FileError(self.path, "expected a GLB")
        length = struct.unpack_from("<I", self._content, 12)[0]
        return self._parse(self._content[20 : 20 + length]), self._content[28 + length :]


class _Keep:
    """Copies what a document without animations refers to into one buffer, with new numbers."""

    def __init__(self, reader: _ModelReader, document: dict[str, Any]):
        self.reader, self.document = reader, document
        self._chunks: list[bytes] = []
        self._size = 0
        self._views: dict[int, int] = {}
        self._new_views: list[dict[str, Any]] = []
        self._accessors: dict[int, int] = {}
        self._new_accessors: list[dict[str, Any]] = []
        for mesh in document.get("meshes", []):
            for primitive in mesh.get("primitives", []):
                self._replace(primitive, "indices")
                for holder in (primitive.get("attributes", {}), *primitive.get("targets", [])):
                    for key in list(holder):
                        self._replace(holder, key)
        for skin in document.get("skins", []):
            self._replace(skin, "inverseBindMatrices")
        for image in document.get("images", []):
            view = image.get("bufferView")
            if isinstance(view, tuple):
                image["bufferView"] = self._add_view({"byteLength": len(view[1])}, view[1])
            elif view is not None:
                image["bufferView"] = self._view(view)
        for key, rows in (("accessors", self._new_accessors), ("bufferViews", self._new_views)):
            document.pop(key, None)
            if rows:
                document[key] = rows
        document.pop("buffers", None)

    def binary(self) -> bytes:
        return b"".join(self._chunks)

    def _replace(self, holder: dict[str, Any], key: str) -> None:
        if isinstance(holder.get(key), int):
            holder[key] = self._accessor(holder[key])

    def _accessor(self, number: int) -> int:
        if number not in self._accessors:
            rows = self.reader._rows("accessors", 1_000_000)
            if not 0 <= number < len(rows):
                self.reader.fail("accessors", f"there is no accessor {number}")
            row = copy.deepcopy(rows[number])
            sparse = row.get("sparse", {})
            for holder in (row, sparse.get("indices", {}), sparse.get("values", {})):
                if "bufferView" in holder:
                    holder["bufferView"] = self._view(holder["bufferView"])
            self._accessors[number] = len(self._new_accessors)
            self._new_accessors.append(row)
        return self._accessors[number]

    def _view(self, number: int) -> int:
        if number not in self._views:
            views = self.reader._rows("bufferViews", 1_000_000)
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(views):
                self.reader.fail("bufferViews", f"there is no buffer view {number}")
            view = views[number]
            where = f"bufferViews[{number}]"
            start = self.reader._whole(view, "byteOffset", where)
            length = self.reader._whole(view, "byteLength", where)
            content = self.reader._buffer(self.reader._index(view, "buffer", 1000, where))
            self._views[number] = self._add_view(copy.deepcopy(view), content[start : start + length])
        return self._views[number]

    def _add_view(self, view: dict[str, Any], content: bytes) -> int:
        view |= {"buffer": 0, "byteOffset": self._size, "byteLength": len(content)}
        padded = content + b"\0" * (-len(content) % 4)
        self._chunks.append(padded)
        self._size += len(padded)
        self._new_views.append(view)
        return len(self._new_views) - 1


def normalised(joints: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """(V, 4) the heaviest joints and weights that sum to 1, and of how many vertices (V, K) they did not.

    A vertex that follows nothing follows the first joint.
    """
    strange = int((np.abs(weights.sum(axis=1) - 1.0) > _WEIGHTS_OFF).sum())
    if weights.shape[1] > INFLUENCES:
        heaviest = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
        joints, weights = (np.take_along_axis(rows, heaviest, axis=1) for rows in (joints, weights))
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 0.0)
    weights[:, 0] = np.where(total[:, 0] > 0.0, weights[:, 0], 1.0)
    return joints, weights, strange


def _to_triangles(corners: np.ndarray, mode: int) -> np.ndarray:
    """(T, 3) from the corners of triangles, of a strip or of a fan."""
    if mode == _TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == _FAN:
        return np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)
    rows = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    rows[1::2] = rows[1::2, ::-1]
    return rows
