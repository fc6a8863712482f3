"""A sword in the right hand of a character: a node of its file, with a mesh of its own.

The node is a joint of the skeleton (rig.py), so that code that draws, measures or writes the character has
the sword as well.
"""

import copy
from typing import Any

import numpy as np

from randori.characters.rig import SWORD, SWORD_TIP, Rig
from randori.formats.model import Model, to_glb
from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton

_LENGTH = 0.86  # of a body of 1.75 m, metres from the hand to the point: the performer's sword
_REFERENCE_HEIGHT = 1.75  # metres
# the parts of a sword along +Z: start, stop (x, y, z), half width, half thickness at both ends, all in metres
# of a body of 1.75 m. The guard lies along the sword's own upright axis.
_GRIP = ((0.0, 0.0, -0.215), (0.0, 0.0, 0.055), (0.017, 0.017), (0.015, 0.015))
_GUARD = ((0.0, -0.06, 0.055), (0.0, 0.06, 0.055), (0.012, 0.012), (0.012, 0.012))
_BLADE = ((0.0, 0.0, 0.055), (0.0, 0.0, _LENGTH), (0.008, 0.028), (0.003, 0.008))
_LEATHER, _STEEL = (0.1, 0.06, 0.04, 1.0), (0.45, 0.5, 0.55, 1.0)  # linear light and opacity
_FLOAT, _UNSIGNED_SHORT, _VERTEX_DATA, _INDEX_DATA = 5126, 5123, 34962, 34963  # of glTF


def with_sword(model: Model, rig: Rig, skeleton: Skeleton, unit: float) -> bytes:
    """The GLB of a character with a sword. The skeleton is in metres, a unit of the file is `unit` metres."""
    assert skeleton.flesh is not None
    size = skeleton.height / _REFERENCE_HEIGHT
    hand = skeleton.joint("right_hand")
    order = np.array(model.order)
    # the middle of the fist, in the hand's own frame; the blade points ahead in the T, where palms look down
    row = int(np.flatnonzero(skeleton.flesh.capsule_joints == hand)[0])
    fist = skeleton.flesh.capsule_ends[row].mean(axis=0)
    turn = rot.inverse(skeleton.reference[hand])
    scale = float(np.linalg.norm(rig.matrices[rig.nodes[hand], :3, 0])) * unit  # metres per unit of the hand
    document = copy.deepcopy(dict(model.document))
    nodes = document["nodes"]
    first = len(nodes)
    w, x, y, z = turn.tolist()
    nodes.append(
        {
            "name": SWORD,
            "translation": (fist / scale).tolist(),
            "rotation": [x, y, z, w],
            "scale": [size / scale] * 3,
            "mesh": len(document["meshes"]),
            "children": [first + 1],
        }
    )
    nodes.append({"name": SWORD_TIP, "translation": [0.0, 0.0, _LENGTH]})
    holder = nodes[int(order[rig.nodes[hand]])]
    holder["children"] = [*holder.get("children", []), first]
    binary = model.binary + b"\0" * (-len(model.binary) % 4)
    primitives = []
    for parts, colour, name in (((_GRIP,), _LEATHER, "grip"), ((_GUARD, _BLADE), _STEEL, "steel")):
        vertices, normals, triangles = _boxes(parts)
        materials = document.setdefault("materials", [])
        materials.append(
            {
                "name": f"{SWORD} {name}",
                "pbrMetallicRoughness": {
                    "baseColorFactor": list(colour),
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.5,
                },
            }
        )
        rows = []
        for values, target in ((vertices, _VERTEX_DATA), (normals, _VERTEX_DATA), (triangles, _INDEX_DATA)):
            rows.append(_accessor(document, len(binary), values, target))
            data = values.tobytes()
            binary += data + b"\0" * (-len(data) % 4)
        primitives.append(
            {
                "attributes": {"POSITION": rows[0], "NORMAL": rows[1]},
                "indices": rows[2],
                "material": len(materials) - 1,
            }
        )
    document["meshes"].append({"name": SWORD, "primitives": primitives})
    return to_glb(document, binary)


def _accessor(document: dict[str, Any], start: int, values: np.ndarray, target: int) -> int:
    """The number of a new accessor of an array whose bytes start there."""
    views, accessors = document.setdefault("bufferViews", []), document.setdefault("accessors", [])
    views.append({"buffer": 0, "byteOffset": start, "byteLength": values.nbytes, "target": target})
    row: dict[str, Any] = {
        "bufferView": len(views) - 1,
        "componentType": _FLOAT if values.dtype == np.float32 else _UNSIGNED_SHORT,
        "count": len(values),
        "type": "VEC3" if values.ndim == 2 else "SCALAR",
    }
    if values.ndim == 2:
        row |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
    accessors.append(row)
    return len(accessors) - 1


def _boxes(parts: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices and normals (V, 3) float32 and corners (3 T,) uint16 of tapered boxes."""
    vertices, normals = [], []
    for start, stop, first, last in parts:
        along = np.array(stop) - np.array(start)
        along = along / np.linalg.norm(along)
        wide = np.array([1.0, 0.0, 0.0])  # across the edge
        high = np.cross(along, wide)
        ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        ends = [
            np.array(place) + ring[:, :1] * half[0] * wide + ring[:, 1:] * half[1] * high
            for place, half in ((start, first), (stop, last))
        ]
        faces = [(ends[0][::-1]), ends[1]]
        for k in range(4):
            other = (k + 1) % 4
            faces.append(np.array([ends[0][k], ends[0][other], ends[1][other], ends[1][k]]))
        for face in faces:
            across = np.cross(face[1] - face[0], face[2] - face[0])
            vertices.append(face)
            normals.append(np.tile(across / np.linalg.norm(across), (4, 1)))
    count = len(vertices)
    corners = (np.array([0, 1, 2, 0, 2, 3]) + 4 * np.arange(count)[:, None]).reshape(-1)
    return (
        np.concatenate(vertices).astype(np.float32),
        np.concatenate(normals).astype(np.float32),
        corners.astype(np.uint16),
    )
