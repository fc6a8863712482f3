"""Reads the nodes, skinned meshes and materials of an FBX file with ufbx, in a process of its own.

Parts of the package's interface crash the interpreter; only what is used here is known not to.
"""

import gc
import json
import os
import sys
from typing import Any

import numpy as np

from randori.readers.fbx_tree import elements, open_tree
from randori.readers.limits import obey, refuse

_INFLUENCES = 4


def main(path: str, answer: str, limits: dict[str, Any]) -> None:
    obey(limits)
    gc.disable()  # the package's objects crash the interpreter when they are collected

    # Step 1. The tree, parents first.
    tree = open_tree(path, limits)
    scene, rows, row_of = tree.scene, tree.nodes, tree.row_of
    arrays: dict[str, np.ndarray] = {
        "parents": np.array(tree.parents),
        "places": tree.places,
        "turns": tree.turns,
        "scales": tree.scales,
    }

    # Step 2. The materials.
    materials, material_of = [], {}
    for number_, material in enumerate(elements(scene.materials)):
        colour = material.pbr.base_color.value_vec4
        materials.append({"name": material.name, "colour": [colour.x, colour.y, colour.z]})
        material_of[material.typed_id] = number_
        texture = material.pbr.base_color.texture or material.fbx.diffuse_color.texture
        content = bytes(texture.content) if texture is not None and texture.content is not None else b""
        if content:
            arrays[f"picture_{number_}"] = np.frombuffer(content, dtype=np.uint8)

    # Step 3. The meshes.
    meshes: list[dict[str, Any]] = []
    total = 0
    for row, node in enumerate(rows):
        mesh = node.mesh
        if mesh is None or len(mesh.faces) == 0:
            continue
        total += len(mesh.vertex_indices)
        if total > 3 * limits["triangles"] or mesh.num_vertices > limits["vertices"]:
            refuse(f"has more than {limits['vertices']:,} vertices; reduce it first (Blender: Decimate)")
        found, own = _mesh(node, mesh, row, row_of)
        key = len(meshes)
        own_materials = [material_of.get(one.typed_id, -1) for one in elements(node.materials)]
        used = own["material"]
        known = np.array([*own_materials, -1])
        own["material"] = known[np.clip(used, -1, len(known) - 1)]
        arrays |= {f"{name}_{key}": values for name, values in own.items()}
        meshes.append(found)
    words = {"names": [node.name or f"node{k}" for k, node in enumerate(rows)], "meshes": meshes}
    words["materials"] = materials
    text = json.dumps(words).encode()
    np.savez(answer, words=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
    sys.stdout.flush()
    os._exit(0)  # the package may crash while its objects are taken down


def _mesh(node: Any, mesh: Any, row: int, row_of: dict[int, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A mesh whose corners that differ in nothing are one vertex."""
    points = np.array([(v.x, v.y, v.z) for v in mesh.vertices])
    corner = np.array(list(mesh.vertex_indices), dtype=np.int64)
    to_node = node.geometry_to_node
    axes = np.array([[c.x, c.y, c.z] for c in (to_node.c0, to_node.c1, to_node.c2, to_node.c3)]).T
    clusters: list[int] = []
    weights_of: tuple[np.ndarray, np.ndarray] | None = None
    deformers = elements(mesh.skin_deformers)
    inverse: list[list[list[float]]] = []
    if deformers:
        skin = deformers[0]
        joints, weights = (np.zeros((len(points), _INFLUENCES)) for _ in range(2))
        filled = np.zeros(len(points), dtype=np.int64)
        for cluster in elements(skin.clusters):
            bone = cluster.bone_node
            if bone is None or bone.typed_id not in row_of:
                continue
            slot = len(clusters)
            clusters.append(row_of[bone.typed_id])
            matrix = cluster.geometry_to_bone
            columns = (matrix.c0, matrix.c1, matrix.c2, matrix.c3)
            inverse.append([[*(getattr(c, k) for c in columns)] for k in "xyz"] + [[0.0, 0.0, 0.0, 1.0]])
            vertices = np.array(list(cluster.vertices), dtype=np.int64)
            values = np.array(list(cluster.weights))
            for vertex, value in zip(vertices.tolist(), values.tolist()):
                if filled[vertex] < _INFLUENCES:
                    place = filled[vertex]
                    filled[vertex] += 1
                else:
                    place = int(weights[vertex].argmin())
                    if weights[vertex, place] >= value:
                        continue
                joints[vertex, place], weights[vertex, place] = slot, value
        weights_of = joints, weights
    if weights_of is None or not clusters:
        points = points @ axes[:, :3].T + axes[:, 3]
    normals = _per_corner(mesh.vertex_normal, len(corner), 3)
    uv = _per_corner(mesh.vertex_uv, len(corner), 2)
    keys = np.hstack([corner[:, None].astype(float), np.round(normals, 5), np.round(uv, 6)])
    _, first, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    same = same.reshape(-1)
    triangles, materials = [], []
    face_material = list(mesh.face_material)
    for number, face in enumerate(mesh.faces):
        start, count = face.index_begin, face.num_indices
        for k in range(1, count - 1):
            triangles.append((same[start], same[start + k], same[start + k + 1]))
            materials.append(face_material[number] if number < len(face_material) else 0)
    own: dict[str, Any] = {
        "vertices": points[corner[first]],
        "normals": normals[first],
        "uv": uv[first],
        "corners": np.array(triangles, dtype=np.int64).reshape(-1, 3),
        "material": np.array(materials, dtype=np.int64),
    }
    if weights_of is not None and clusters:
        own |= {"joints": weights_of[0][corner[first]], "weights": weights_of[1][corner[first]]}
        own["bind"] = np.array(inverse)
    return {"name": mesh.name or node.name, "node": row, "clusters": clusters}, own


def _per_corner(attribute: Any, corners: int, width: int) -> np.ndarray:
    """(C, width) of every corner, zeros where the mesh has none."""
    if not attribute.exists:
        return np.zeros((corners, width))
    values = np.array([[getattr(value, k) for k in "xyz"[:width]] for value in attribute.values])
    return values[np.array(list(attribute.indices), dtype=np.int64)]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
