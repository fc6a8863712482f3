"""Characters of one's own made by code: a box person with a skin, as glTF in memory and in files."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from randori.formats.model import to_glb
from randori.motion import rotations as rot

# name, parent, offset in metres; an A-pose rig in the manner of Mixamo
_ARM = [("{s}Arm", "{s}Shoulder", (0.12, 0.0, 0.0)), ("{s}ForeArm", "{s}Arm", (0.2, -0.2, 0.0))]
_ARM += [("{s}Hand", "{s}ForeArm", (0.18, -0.18, 0.0)), ("{s}HandIndex1", "{s}Hand", (0.06, -0.06, 0.0))]
_LEG = [("{s}UpLeg", "Hips", (0.1, -0.02, 0.0)), ("{s}Leg", "{s}UpLeg", (0.0, -0.42, 0.0))]
_LEG += [("{s}Foot", "{s}Leg", (0.0, -0.42, 0.0)), ("{s}ToeBase", "{s}Foot", (0.0, -0.06, 0.14))]


def _rows(tall: float) -> list[tuple[str, str | None, np.ndarray]]:
    rows: list[tuple[str, str | None, tuple[float, float, float]]] = [
        ("Hips", None, (0.0, 0.94, 0.0)),
        ("Spine", "Hips", (0.0, 0.12, 0.0)),
        ("Spine1", "Spine", (0.0, 0.16, 0.0)),
        ("Neck", "Spine1", (0.0, 0.24, 0.0)),
        ("Head", "Neck", (0.0, 0.09, 0.0)),
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        rows.append((f"{side}Shoulder", "Spine1", (sign * 0.06, 0.18, 0.0)))
        for name, parent, (x, y, z) in (*_ARM, *_LEG):
            rows.append((name.format(s=side), parent.format(s=side), (sign * x, y, z)))
    return [(name, parent, tall * np.array(offset)) for name, parent, offset in rows]


def box_person(
    tall: float = 1.0,
    *,
    unit: float = 1.0,
    rename: dict[str, str] | None = None,
    belly: float = 0.11,
    head: float = 0.1,
) -> tuple[dict[str, Any], bytes]:
    """A glTF document and its buffer: a body of boxes, one on every bone, each following its joint alone.

    `unit` is how many metres one unit is; `rename` gives joints other names.
    """
    rows = _rows(tall)
    names = [name for name, _, _ in rows]
    places = np.zeros((len(rows), 3))
    for k, (_, parent, offset) in enumerate(rows):
        places[k] = offset + (places[names.index(parent)] if parent else 0.0)
    # every joint is turned somehow, as rigs are
    turns = rot.from_rotation_vector(np.random.default_rng(3).normal(size=(len(rows), 3)))
    children = {name: [n for n, p, _ in rows if p == name] for name in names}
    vertices, triangles, joints = [], [], []
    for k, name in enumerate(names):
        below = [places[names.index(child)] for child in children[name]]
        end = np.mean(below, axis=0) if below else places[k] + tall * _tip(name, head)
        half = tall * _thickness(name, belly, head)
        low, high = np.minimum(places[k], end) - half, np.maximum(places[k], end) + half
        if "Foot" in name or "Toe" in name:
            low[1] = 0.0
        corners = np.array([[(low, high)[b >> a & 1][a] for a in range(3)] for b in range(8)])
        first = 8 * k
        for a, b, c, d in (
            (0, 4, 6, 2),
            (1, 3, 7, 5),
            (0, 1, 5, 4),
            (2, 6, 7, 3),
            (0, 2, 3, 1),
            (4, 5, 7, 6),
        ):
            triangles += [(first + a, first + b, first + c), (first + a, first + c, first + d)]
        vertices.append(corners)
        joints += [k] * 8
    inverse = np.tile(np.eye(4), (len(rows), 1, 1))
    inverse[:, :3, :3] = rot.to_matrix(rot.inverse(turns))
    inverse[:, :3, 3] = -np.einsum("jab,jb->ja", inverse[:, :3, :3], places) / unit
    nodes: list[dict[str, Any]] = []
    for k, (name, parent, offset) in enumerate(rows):
        turn, place = turns[k], offset
        if parent:
            above = turns[names.index(parent)]
            turn, place = rot.multiply(rot.inverse(above), turn), rot.rotate(rot.inverse(above), offset)
        w, x, y, z = turn.tolist()
        node: dict[str, Any] = {
            "name": (rename or {}).get(name, name),
            "translation": (np.asarray(place) / unit).tolist(),
            "rotation": [x, y, z, w],
        }
        if children[name]:
            node["children"] = [names.index(child) for child in children[name]]
        nodes.append(node)
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    arrays = [
        np.concatenate(vertices).astype(np.float32) / np.float32(unit),
        np.stack([joints, *[np.zeros_like(joints)] * 3], axis=1).astype(np.uint8),
        np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(joints), 1)),
        np.array(triangles, dtype=np.uint16).reshape(-1),
        inverse.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32),
    ]
    kinds = [(5126, "VEC3"), (5121, "VEC4"), (5126, "VEC4"), (5123, "SCALAR"), (5126, "MAT4")]
    views, accessors, binary = [], [], b""
    for number, (array, (component, kind)) in enumerate(zip(arrays, kinds)):
        content = array.tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(content)})
        row = {"bufferView": number, "componentType": component, "count": len(array), "type": kind}
        if number == 0:
            row |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        accessors.append(row)
        binary += content + b"\0" * (-len(content) % 4)
    attributes = {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": [{"name": "body", "primitives": [{"attributes": attributes, "indices": 3, "material": 0}]}],
        "materials": [{"name": "clay", "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.3, 0.2, 1.0]}}],
        "skins": [{"joints": list(range(len(rows))), "inverseBindMatrices": 4}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    }
    return document, binary


def write_character(path: Path, document: dict[str, Any], binary: bytes) -> Path:
    path.write_bytes(to_glb(document, binary))
    return path


def copied(document: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(document))


def _tip(name: str, head: float) -> np.ndarray:
    if name == "Head":
        return np.array([0.0, 1.4 * head, 0.0])
    if name.endswith("ToeBase"):
        return np.array([0.0, 0.0, 0.07])
    return np.array([0.03 if name.startswith("Left") else -0.03, -0.03, 0.0])


def _thickness(name: str, belly: float, head: float) -> np.ndarray:
    if name in ("Hips", "Spine", "Spine1"):
        return np.array([0.16, 0.02, belly])
    if name == "Head":
        return np.array([head, 0.3 * head, head])
    return np.full(3, 0.05 if "Leg" in name else 0.035)
