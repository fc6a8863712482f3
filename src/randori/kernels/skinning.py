"""Vertices that follow joints: where the skin of a character is in a pose."""

from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.rotation import rotate


class Skinned(NamedTuple):
    """Vertices, and what each follows. A slot is a joint, and where a mesh is in that joint's frame."""

    vertices: np.ndarray  # (V, 3) in the spaces of their meshes
    slots: np.ndarray  # (V, 4) int64
    weights: np.ndarray  # (V, 4) they sum to 1
    slot_joints: np.ndarray  # (B,) int64
    slot_matrices: np.ndarray  # (B, 3, 4) from a mesh's space to metres in the joint's frame


@kernel
def deform(skinned, positions, rotations, matrices, placed):
    """Fill placed (F, V, 3) metres: the vertices in poses, joints at (F, J, 3) turned by (F, J, 4).

    matrices (B, 3, 4) is room to work in: from the mesh's space into the world.
    """
    for f in range(len(placed)):
        for b in range(len(skinned.slot_joints)):
            j = skinned.slot_joints[b]
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            own = skinned.slot_matrices[b]
            for k in range(4):
                turned = rotate(w, x, y, z, own[0, k], own[1, k], own[2, k])
                for axis in range(3):
                    matrices[b, axis, k] = turned[axis]
                    if k == 3:
                        matrices[b, axis, k] += positions[f, j, axis]
        for v in range(len(skinned.vertices)):
            p, q, r = skinned.vertices[v, 0], skinned.vertices[v, 1], skinned.vertices[v, 2]
            for axis in range(3):
                total = 0.0
                for k in range(skinned.weights.shape[1]):
                    weight = skinned.weights[v, k]
                    if weight > 0.0:
                        m = matrices[skinned.slots[v, k], axis]
                        total += weight * (m[0] * p + m[1] * q + m[2] * r + m[3])
                placed[f, v, axis] = total
