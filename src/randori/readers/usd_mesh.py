"""Reads the nodes, skinned meshes and materials of a USD file with usd-core, in a process of its own.

Its answer is that of readers/fbx_mesh.py.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from randori.readers.limits import obey, refuse
from randori.readers.usd import opened, taken_apart

_INFLUENCES = 4
_LARGEST_PICTURE = 64 * 1024**2  # bytes of a texture
_UPRIGHT_ROTATIONS = {
    "Z": (0.5**0.5, -(0.5**0.5), 0.0, 0.0),
    "Y": (1.0, 0.0, 0.0, 0.0),
}  # w x y z, from each up axis


def main(path: str, answer: str, limits: dict[str, Any]) -> None:
    obey(limits)
    from pxr import Tf, Usd, UsdGeom, UsdSkel

    try:
        stage = opened(path)
        if len(joints := _all_joints(stage)) > limits["nodes"]:
            refuse(f"has {len(joints)} joints; at most {limits['nodes']} are read")
        nodes = _Nodes(stage)
        cache = UsdSkel.Cache()
        queries: dict[str, Any] = {}
        skeletons: dict[str, Any] = {}
        for prim in stage.Traverse():
            if not prim.IsA(UsdSkel.Root):
                continue
            root = UsdSkel.Root(prim)
            cache.Populate(root, Usd.PrimDefaultPredicate)
            for binding in cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate):
                for query in binding.GetSkinningTargets():
                    queries[str(query.GetPrim().GetPath())] = query
                    skeletons[str(query.GetPrim().GetPath())] = binding.GetSkeleton()

        arrays: dict[str, np.ndarray] = {}
        meshes: list[dict[str, Any]] = []
        materials = _Materials(path, arrays)
        total = 0
        for prim in stage.Traverse():
            if not prim.IsA(UsdGeom.Mesh):
                continue
            mesh = UsdGeom.Mesh(prim)
            points, counts = (
                attribute.Get() or () for attribute in (mesh.GetPointsAttr(), mesh.GetFaceVertexCountsAttr())
            )
            total += len(points)
            corners = int(np.sum(np.asarray(counts, dtype=np.int64))) if len(counts) else 0
            if total > limits["vertices"] or corners > 3 * limits["triangles"]:
                refuse(f"has more than {limits['vertices']:,} vertices; reduce it first (Blender: Decimate)")
            if len(points) == 0 or len(counts) == 0:
                continue
            where = str(prim.GetPath())
            found, own = _mesh(mesh, nodes, queries.get(where), skeletons.get(where), materials)
            arrays |= {f"{name}_{len(meshes)}": values for name, values in own.items()}
            meshes.append(found)
    except (Tf.ErrorException, RuntimeError, ValueError, IndexError) as error:
        refuse(f"is not a USD file that can be read: {str(error)[:200]}")
    arrays |= nodes.arrays()
    words = {"names": nodes.names, "meshes": meshes, "materials": materials.rows}
    text = json.dumps(words).encode()
    np.savez(answer, words=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]


def _all_joints(stage: Any) -> list[str]:
    from pxr import UsdSkel

    return [
        str(joint)
        for prim in stage.Traverse()
        if prim.IsA(UsdSkel.Skeleton)
        for joint in UsdSkel.Skeleton(prim).GetJointsAttr().Get() or ()
    ]


class _Nodes:
    """The nodes of a stage, parents first: one that turns it upright, the skeletons, their joints, meshes."""

    def __init__(self, stage: Any):
        from pxr import UsdGeom, UsdSkel

        up = "Z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "Y"
        metres = float(UsdGeom.GetStageMetersPerUnit(stage))
        if not (np.isfinite(metres) and 1e-6 <= metres <= 1e6):
            refuse(f"expected a unit of 1e-6 to 1e6 metres, found {metres:g}")
        self.names, self.parents = ["stage"], [-1]
        self.rest = [(np.zeros(3), np.array(_UPRIGHT_ROTATIONS[up]), np.full(3, metres))]
        self.of_joint: dict[str, dict[str, int]] = {}  # by skeleton, by joint
        for prim in stage.Traverse():
            if prim.IsA(UsdSkel.Skeleton):
                self._add_skeleton(UsdSkel.Skeleton(prim))

    def add(self, name: str, parent: int, matrix: np.ndarray) -> int:
        """A node that lies at a matrix of row vectors, seen from its parent."""
        self.names.append(name)
        self.parents.append(parent)
        place, turn, scale = taken_apart(matrix)
        self.rest.append((place, turn, scale))
        return len(self.names) - 1

    def _add_skeleton(self, skeleton: Any) -> None:
        joints = [str(joint) for joint in skeleton.GetJointsAttr().Get() or ()]
        holder = self.add(skeleton.GetPrim().GetName(), 0, world_matrix(skeleton))
        rest = np.array(skeleton.GetRestTransformsAttr().Get() or (), dtype=float)
        bind = bind_matrices(skeleton) if len(rest) != len(joints) else {}
        rows: dict[str, int] = {}
        for joint in sorted(joints, key=lambda joint: (joint.count("/"), joints.index(joint))):
            above = joint.rpartition("/")[0]
            while above and above not in rows:
                above = above.rpartition("/")[0]
            number = joints.index(joint)
            if len(rest) == len(joints):
                local = rest[number]
            else:  # where the skin was bound, seen from the joint above
                local = bind[joint] @ np.linalg.inv(bind[above]) if above else bind[joint]
            rows[joint] = self.add(joint.rpartition("/")[2], rows.get(above, holder), local)
        self.of_joint[str(skeleton.GetPrim().GetPath())] = rows

    def arrays(self) -> dict[str, np.ndarray]:
        places, turns, scales = (np.array(rows) for rows in zip(*self.rest))
        return {"parents": np.array(self.parents), "places": places, "turns": turns, "scales": scales}


def world_matrix(schema: Any) -> np.ndarray:
    """(4, 4) of row vectors, from a prim into the stage."""
    from pxr import Usd, UsdGeom

    time = Usd.TimeCode.Default()
    return np.array(UsdGeom.Xformable(schema.GetPrim()).ComputeLocalToWorldTransform(time))


def bind_matrices(skeleton: Any) -> dict[str, np.ndarray]:
    """(4, 4) of row vectors by joint, from the joint into the skeleton when the skin was bound."""
    joints = [str(joint) for joint in skeleton.GetJointsAttr().Get() or ()]
    matrices = np.array(skeleton.GetBindTransformsAttr().Get() or (), dtype=float)
    if len(matrices) != len(joints):
        refuse(f"expected a bind transform for each of its {len(joints)} joints, found {len(matrices)}")
    return dict(zip(joints, matrices))


def _mesh(
    mesh: Any, nodes: _Nodes, query: Any, skeleton: Any, materials: "_Materials"
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A mesh whose corners that differ in nothing are one vertex, and how its vertices follow joints."""
    prim = mesh.GetPrim()
    points = np.array(mesh.GetPointsAttr().Get(), dtype=float)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get(), dtype=np.int64)
    corner = np.array(mesh.GetFaceVertexIndicesAttr().Get() or (), dtype=np.int64)
    if counts.min() < 0 or counts.sum() != len(corner) or corner.min(initial=0) < 0:
        refuse(f"the faces of its mesh {prim.GetName()!r} are damaged")
    if corner.max(initial=0) >= len(points):
        refuse(f"the faces of its mesh {prim.GetName()!r} name points that there are not")

    # Step 1. Corners that differ in nothing become one vertex.
    normals, places = _normals(mesh, corner, counts), _texture_places(prim, corner, counts)
    keys = np.hstack([corner[:, None].astype(float), np.round(normals, 5), np.round(places, 6)])
    _, first, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    same = same.reshape(-1)

    # Step 2. Triangles: each face is a fan.
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    of_face = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))
    step = np.arange(len(of_face)) - np.searchsorted(of_face, of_face) + 1
    at = starts[of_face]
    fan = np.stack([at, at + step, at + step + 1], axis=1)
    if mesh.GetOrientationAttr().Get() == "leftHanded":
        fan = fan[:, ::-1]
    own: dict[str, np.ndarray] = {
        "vertices": points[corner[first]],
        "normals": normals[first],
        "uv": places[first],
        "corners": same[fan].reshape(-1, 3),
        "material": materials.of_faces(prim, len(counts))[of_face],
    }

    # Step 3. The joints that it follows. One that hangs on a single joint as a whole is a prop of that joint.
    clusters: list[int] = []
    parent, placed = 0, world_matrix(mesh)
    if query is not None and query.HasJointInfluences():
        rows = nodes.of_joint[str(skeleton.GetPrim().GetPath())]
        joints = [str(joint) for joint in query.GetJointOrder() or skeleton.GetJointsAttr().Get()]
        bind = bind_matrices(skeleton)
        onto = np.array(query.GetGeomBindTransform())
        unknown = [joint for joint in joints if joint not in rows]
        if unknown:
            refuse(f"its mesh {prim.GetName()!r} follows {unknown[0]!r}, which is no joint of its skeleton")
        inverse = [onto @ np.linalg.inv(bind[joint]) for joint in joints]
        influences = query.ComputeVaryingJointInfluences(len(points))
        if not influences:
            refuse(f"the weights of its mesh {prim.GetName()!r} are damaged")
        indices, weights = (np.array(values, dtype=float).reshape(len(points), -1) for values in influences)
        if indices.min(initial=0) < 0 or indices.max(initial=0) >= len(joints):
            refuse(f"its mesh {prim.GetName()!r} follows joints that there are not")
        if query.IsRigidlyDeformed() and indices.shape[1] == 1:
            only = int(indices[0, 0])
            parent, placed = rows[joints[only]], inverse[only]
        else:
            clusters = [rows[joint] for joint in joints]
            own["bind"] = np.array([matrix.T for matrix in inverse])  # of columns in the answer
            own["joints"], own["weights"] = _heaviest(indices[corner[first]], weights[corner[first]])
    node = nodes.add(prim.GetName(), parent, placed)
    return {"name": prim.GetName(), "node": node, "clusters": clusters}, own


def _heaviest(joints: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V, 4) joints and weights: the heaviest of (V, K), with nothing where there are fewer."""
    short = max(_INFLUENCES - weights.shape[1], 0)
    joints, weights = (np.pad(rows, ((0, 0), (0, short))) for rows in (joints, weights))
    order = np.argsort(-weights, axis=1, kind="stable")[:, :_INFLUENCES]
    return np.take_along_axis(joints, order, axis=1), np.take_along_axis(weights, order, axis=1)


def _normals(mesh: Any, corner: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(C, 3) of every corner, zeros where the mesh has none."""
    from pxr import UsdGeom

    primvar = UsdGeom.PrimvarsAPI(mesh.GetPrim()).GetPrimvar("normals")
    if primvar and primvar.HasValue():
        values, interpolation = primvar.ComputeFlattened(), primvar.GetInterpolation()
    else:
        values, interpolation = mesh.GetNormalsAttr().Get(), mesh.GetNormalsInterpolation()
    return _per_corner(values, interpolation, corner, counts, 3)


def _texture_places(prim: Any, corner: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(C, 2) of every corner: `st`, or else the first pair of numbers that is called a texture place."""
    from pxr import UsdGeom

    primvars = UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithValues()
    pairs = [one for one in primvars if str(one.GetTypeName()) in ("texCoord2f[]", "float2[]", "half2[]")]
    pairs.sort(key=lambda one: one.GetPrimvarName() not in ("st", "UVMap", "st0"))
    if not pairs:
        return np.zeros((len(corner), 2))
    return _per_corner(pairs[0].ComputeFlattened(), pairs[0].GetInterpolation(), corner, counts, 2)


def _per_corner(
    values: Any, interpolation: str, corner: np.ndarray, counts: np.ndarray, width: int
) -> np.ndarray:
    """(C, width) of every corner, from values for each corner, point or face; zeros if there are too few."""
    nothing = np.zeros((len(corner), width))
    if values is None or len(values) == 0:
        return nothing
    rows = np.array(values, dtype=float).reshape(-1, width)
    if interpolation == "faceVarying":
        which = np.arange(len(corner))
    elif interpolation in ("vertex", "varying"):
        which = corner
    elif interpolation == "uniform":
        which = np.repeat(np.arange(len(counts)), counts)
    else:
        which = np.zeros(len(corner), dtype=np.int64)
    return rows[which] if which.max(initial=0) < len(rows) else nothing


class _Materials:
    """The materials that meshes use, each once: a colour, or the picture of a texture."""

    def __init__(self, path: str, arrays: dict[str, np.ndarray]):
        self.rows: list[dict[str, Any]] = []
        self._folder = Path(path).resolve().parent
        self._arrays = arrays
        self._number: dict[str, int] = {}

    def of_faces(self, prim: Any, faces: int) -> np.ndarray:
        """(F,) the material of each face; -1 for none."""
        from pxr import UsdShade

        binding = UsdShade.MaterialBindingAPI(prim)
        found = np.full(faces, self._known(binding.ComputeBoundMaterial()[0]), dtype=np.int64)
        for subset in binding.GetMaterialBindSubsets():
            number = self._known(UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0])
            rows = np.array(subset.GetIndicesAttr().Get() or (), dtype=np.int64)
            found[rows[(rows >= 0) & (rows < faces)]] = number
        return found

    def _known(self, material: Any) -> int:
        if not material:
            return -1
        where = str(material.GetPath())
        if where not in self._number:
            self._number[where] = len(self.rows)
            colour, picture = self._look(material)
            if picture:
                self._arrays[f"picture_{len(self.rows)}"] = np.frombuffer(picture, dtype=np.uint8)
            self.rows.append({"name": material.GetPrim().GetName(), "colour": colour})
        return self._number[where]

    def _look(self, material: Any) -> tuple[list[float], bytes]:
        """The colour of a preview surface in linear light, and the bytes of its picture."""
        from pxr import UsdShade

        colour = [0.6, 0.6, 0.6]
        shader = material.ComputeSurfaceSource()[0]
        entry = shader.GetInput("diffuseColor") if shader else None
        if not entry:
            return colour, b""
        for attribute in UsdShade.Utils.GetValueProducingAttributes(entry):
            value, owner = attribute.Get(), UsdShade.Shader(attribute.GetPrim())
            file = owner.GetInput("file") if owner else None
            if file and file.Get() is not None:
                return colour, self._picture(file.Get())
            if value is not None and np.size(value) == 3:
                colour = [float(one) for one in value]
        return colour, b""

    def _picture(self, asset: Any) -> bytes:
        """The bytes of a picture in or below the folder of the file; nothing else is opened."""
        place = self._folder / str(asset.path)
        if not place.resolve().is_relative_to(self._folder) or not place.is_file():
            return b""
        return place.read_bytes() if place.stat().st_size <= _LARGEST_PICTURE else b""


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
