"""Writing USD: a skeleton, an animation and a skinned mesh per character (UsdSkel).

USD leaves units, up axis and rate to the file: here metres, Y up, one time code per frame. The package is the
extra `usd`; nothing else needs it.
"""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.files import write_whole
from randori.formats.glb import Character, linear_colour
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton

ENDINGS = (".usd", ".usda", ".usdc")  # binary unless the ending says text
_ROUGHNESS = 0.75


def write(
    path: str | Path,
    characters: Sequence[Character],
    clips: Sequence[Clip],
    words: Mapping[str, object] | None = None,
) -> None:
    """Write characters and what they do; words (quality, sources) go as JSON into the layer's own data."""
    path = Path(path)
    if not _is_there():
        raise FileError(path, "USD needs the package usd-core: pip install 'randori[usd]'")
    from pxr import Tf, Usd, UsdGeom

    if len(characters) != len(clips):
        raise FileError(path, f"there are {len(clips)} clips for {len(characters)} characters")
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clips[0].fps)
    stage.SetFramesPerSecond(clips[0].fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(max(len(clip) for clip in clips) - 1)
    world = UsdGeom.Xform.Define(stage, "/World")
    stage.SetDefaultPrim(world.GetPrim())
    for name, character, clip in zip(_unique([one.name for one in characters]), characters, clips):
        _add_character(stage, f"/World/{name}", character, clip)
    if words is not None:
        stage.GetRootLayer().customLayerData = {"randori": json.dumps(words)}
    # it writes files by name and in place: whole, or not at all, only by way of another one
    with tempfile.TemporaryDirectory() as folder:
        kind = "usda" if path.suffix.lower() == ".usda" else "usdc"
        partial = Path(folder) / f"take{path.suffix.lower()}"
        try:
            stage.GetRootLayer().Export(
                str(partial), args={"format": kind} if partial.suffix == ".usd" else {}
            )
        except Tf.ErrorException as error:
            raise FileError(path, f"cannot be written as USD: {error}") from error
        with write_whole(path) as file:
            file.write(partial.read_bytes())


def _is_there() -> bool:
    """Whether the package is installed."""
    from importlib.util import find_spec

    return find_spec("pxr") is not None


def _unique(names: Sequence[str]) -> list[str]:
    """Names that USD allows, each once."""
    result: list[str] = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "character"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        number, one = 2, plain
        while one in result:
            one, number = f"{plain}_{number}", number + 1
        result.append(one)
    return result


def joint_paths(skeleton: Skeleton) -> list[str]:
    """The joints as UsdSkel names them: each with the way to it from the root."""
    own = _unique(skeleton.names)
    paths: list[str] = []
    for joint, parent in enumerate(skeleton.parents):
        paths.append(own[joint] if parent < 0 else f"{paths[parent]}/{own[joint]}")
    return paths


def _add_character(stage: Any, path: str, character: Character, clip: Clip) -> None:
    """A SkelRoot that holds the skeleton, the animation and the mesh."""
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    skeleton = character.skeleton
    positions, turned = skeleton.reference_pose
    root = UsdSkel.Root.Define(stage, path)
    root.GetPrim().SetDisplayName(character.name)

    bones = UsdSkel.Skeleton.Define(stage, f"{path}/Skeleton")
    paths = Vt.TokenArray(joint_paths(skeleton))
    bones.CreateJointsAttr(paths)
    bones.CreateBindTransformsAttr(_matrices(positions, turned))
    offsets = np.where(np.arange(len(skeleton))[:, None] == 0, positions, skeleton.offsets)
    bones.CreateRestTransformsAttr(_matrices(offsets, skeleton.to_local(turned)))

    animation = UsdSkel.Animation.Define(stage, f"{path}/Animation")
    animation.CreateJointsAttr(paths)
    translations, turns = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    animation.CreateScalesAttr(Vt.Vec3hArray(len(skeleton), Gf.Vec3h(1.0)))
    places = np.repeat(offsets[None], len(clip), axis=0).astype(np.float32)
    places[:, 0] = clip.root_position
    # quaternions of USD arrays are (x, y, z, w) in memory
    quaternions = rot.unroll(rot.normalize(clip.rotations))[..., [1, 2, 3, 0]].astype(np.float32)
    for frame in range(len(clip)):
        translations.Set(Vt.Vec3fArray.FromNumpy(places[frame]), frame)
        turns.Set(Vt.QuatfArray.FromNumpy(np.ascontiguousarray(quaternions[frame])), frame)

    binding = UsdSkel.BindingAPI.Apply(bones.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    mesh = _add_mesh(stage, path, character)
    skin = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    skin.CreateSkeletonRel().SetTargets([bones.GetPath()])
    skin.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    surface = character.surface
    width = surface.joints.shape[1]
    weights = surface.weights / surface.weights.sum(axis=1, keepdims=True)
    skin.CreateJointIndicesPrimvar(False, width).Set(
        Vt.IntArray.FromNumpy(surface.joints.astype(np.int32).reshape(-1))
    )
    skin.CreateJointWeightsPrimvar(False, width).Set(
        Vt.FloatArray.FromNumpy(weights.astype(np.float32).reshape(-1))
    )
    # where the body ever gets to, with room for its flesh: viewers cull by it
    low, high = clip.positions.min(axis=(0, 1)) - 0.3, clip.positions.max(axis=(0, 1)) + 0.3
    extent = Vt.Vec3fArray([Gf.Vec3f(*map(float, low)), Gf.Vec3f(*map(float, high))])
    UsdGeom.Boundable(root.GetPrim()).CreateExtentAttr(extent)


def _add_mesh(stage: Any, path: str, character: Character) -> Any:
    """The surface in the reference pose, with a material per colour."""
    from pxr import Sdf, UsdGeom, UsdShade, Vt

    surface = character.surface
    mesh = UsdGeom.Mesh.Define(stage, f"{path}/Body")
    triangles = np.concatenate(list(surface.triangles.values()))
    points = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(surface.vertices, dtype=np.float32))
    mesh.CreatePointsAttr(points)
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(surface.normals, dtype=np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(triangles), 3))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(triangles.astype(np.int32).reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(points))
    first = 0
    for name, rows in surface.triangles.items():
        material = UsdShade.Material.Define(stage, f"{path}/Materials/{_unique([name])[0]}")
        shader = UsdShade.Shader.Define(stage, material.GetPath().AppendChild("Surface"))
        shader.CreateIdAttr("UsdPreviewSurface")
        colour = tuple(linear_colour(surface.colours[name]))
        shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(colour)
        shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(_ROUGHNESS)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        faces = Vt.IntArray.FromNumpy(np.arange(first, first + len(rows), dtype=np.int32))
        subset = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).CreateMaterialBindSubset(
            _unique([name])[0], faces
        )
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
        first += len(rows)
    return mesh


def _matrices(places: np.ndarray, turned: np.ndarray) -> Any:
    """USD matrices: row vectors, so the translation stands in the last row."""
    from pxr import Vt

    matrices = np.zeros((len(places), 4, 4))
    matrices[:, :3, :3] = rot.to_matrix(turned).transpose(0, 2, 1)
    matrices[:, 3, :3] = places
    matrices[:, 3, 3] = 1.0
    return Vt.Matrix4dArray.FromNumpy(matrices)
