"""A character as USD has it: its meshes in one pose, over a skeleton whose joints are not scaled.

glTF binds every skin by matrices of its own; USD has one matrix for each joint of a skeleton.
"""

from collections.abc import Sequence

import numpy as np

from randori.characters.rig import Rig
from randori.characters.surface import Surface, shown_pieces
from randori.formats.model import Material, Model
from randori.formats.usd import Body, Look, Mesh
from randori.motion import rotations as rot


def usd_body(name: str, model: Model, rig: Rig, size: float, surface: Surface, hidden: Sequence[str]) -> Body:
    """The meshes of a character on all joints of its file, in the pose in which its skin was bound."""
    skeleton, skinned = rig.whole.skeleton.scaled(size), surface.skinned
    joints = rig.whole.kept[skinned.slot_joints]
    bind = _bind_matrices(model, rig, size)
    turned = bind[joints, :3, :3] @ skinned.slot_matrices[..., :3]
    moved = np.einsum("sij,sj->si", bind[joints, :3, :3], skinned.slot_matrices[..., 3]) + bind[joints, :3, 3]
    linear = np.einsum("vk,vkij->vij", skinned.weights, turned[skinned.slots])
    vertices = np.einsum("vij,vj->vi", linear, skinned.vertices)
    vertices += np.einsum("vk,vki->vi", skinned.weights, moved[skinned.slots])
    meshes, first, first_triangle = [], 0, 0
    for piece in shown_pieces(model, rig, hidden):
        rows = slice(first, first + len(piece.vertices))
        triangles = surface.triangles[first_triangle : first_triangle + len(piece.triangles)] - first
        first, first_triangle = rows.stop, first_triangle + len(piece.triangles)
        meshes.append(
            Mesh(
                piece.name,
                vertices[rows],
                _normals(piece.normals, linear[rows], vertices[rows], triangles),
                joints[skinned.slots[rows]],
                skinned.weights[rows],
                triangles,
                np.full(len(triangles), piece.material),
                piece.texture_places,
                rigid=piece.skin < 0,
            )
        )
    return Body(name, skeleton, bind, meshes, [_look(material) for material in model.materials])


def _bind_matrices(model: Model, rig: Rig, size: float) -> np.ndarray:
    """(J, 4, 4) from each joint of the whole file to where it was when the skin was bound, in metres.

    A joint that moves no skin is where the joint above it has it in the T.
    """
    skeleton = rig.whole.skeleton.scaled(size)
    number = {int(node): joint for joint, node in enumerate(rig.whole.nodes)}
    known: dict[int, np.ndarray] = {}
    sizes = [
        sum(len(piece.vertices) for piece in model.pieces if piece.skin == k) for k in range(len(model.skins))
    ]
    for skin in sorted(range(len(model.skins)), key=lambda k: -sizes[k]):
        own = {}
        for node, inverse in zip(model.skins[skin].joints.tolist(), model.skins[skin].inverse_bind):
            if node in number and abs(np.linalg.det(inverse[:3, :3])) > 1e-18:
                own[number[node]] = _rigid(rig.matrices[node], inverse, size)
        shared = [joint for joint in own if joint in known]
        # each skin has a space of its own: they are brought together at a joint that both know
        onto = known[shared[0]] @ np.linalg.inv(own[shared[0]]) if shared else np.eye(4)
        known = {joint: onto @ matrix for joint, matrix in own.items()} | known
    local = skeleton.to_local(skeleton.reference)
    bind = np.tile(np.eye(4), (len(skeleton), 1, 1))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint in known:
            bind[joint] = known[joint]
            continue
        bind[joint, :3, :3], bind[joint, :3, 3] = rot.to_matrix(local[joint]), skeleton.offsets[joint]
        if parent >= 0:
            bind[joint] = bind[parent] @ bind[joint]
    return bind


def _rigid(matrix: np.ndarray, inverse: np.ndarray, size: float) -> np.ndarray:
    """(4, 4) from a joint that is not scaled to where it was bound, in metres."""
    scale = float(np.linalg.norm(matrix[:3, 0]))  # of the joint, even on all axes
    bound = np.linalg.inv(inverse)
    whole = float(np.cbrt(abs(np.linalg.det(bound[:3, :3]))))
    bound[:3, :3] /= whole
    bound[:3, 3] *= size * scale / whole
    return bound


def _normals(
    given: np.ndarray | None, linear: np.ndarray, vertices: np.ndarray, triangles: np.ndarray
) -> np.ndarray:
    """(V, 3) unit normals: those of the file, or the mean over the triangles about each vertex."""
    if given is not None:
        normals = np.einsum("vij,vj->vi", linear, given)
    else:
        corners = vertices[triangles]
        across = rot.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = np.zeros_like(vertices)
        for corner in range(3):
            np.add.at(normals, triangles[:, corner], across)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-12, normals / np.maximum(length, 1e-12), rot.Y_AXIS)


def _look(material: Material) -> Look:
    """What USD shows of a material: its base colour, or the picture of it."""
    return Look(material.name, material.colour, material.picture)
