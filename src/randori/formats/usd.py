"""Writing USD: a skeleton, an animation and a skinned mesh per character (UsdSkel).

USD leaves units, up axis and rate to the file: here metres, Y up, one time code per frame. The pictures of
your own characters are put beside the file. The package is the extra `usd`; nothing else needs it.
"""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.files import safe_name, write_whole
from randori.formats.glb import Character, linear_colour
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton

ENDINGS = (".usd", ".usda", ".usdc")  # binary unless the ending says text
# the axis that points up and the metres of a unit, as engines have them
AXES = {"unreal": ("Z", 0.01), "unity": ("Y", 1.0)}
_ROUGHNESS = 0.75
_PICTURES = (b"\x89PNG", b"\xff\xd8")  # how files begin that USD shows as textures


@dataclass(frozen=True, eq=False)
class Look:
    """A material: its colour, or a picture of it."""

    name: str
    colour: Sequence[float]  # linear light, 0 to 1, and opacity
    picture: bytes | None = None  # PNG or JPEG


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles over joints, in the pose in which they were bound to them."""

    name: str
    vertices: np.ndarray  # (V, 3) metres
    normals: np.ndarray  # (V, 3)
    joints: np.ndarray  # (V, K)
    weights: np.ndarray  # (V, K)
    triangles: np.ndarray  # (T, 3)
    materials: np.ndarray  # (T,) numbers of looks, -1 for none
    texture_places: np.ndarray | None = None  # (V, 2) as in glTF: from the upper left corner of a picture
    rigid: bool = False  # whether it hangs on one joint as a whole, such as a helmet


@dataclass(frozen=True, eq=False)
class Body:
    """A person in the file."""

    name: str
    skeleton: Skeleton
    bind: np.ndarray  # (J, 4, 4) from each joint into the pose in which meshes are bound
    meshes: Sequence[Mesh]
    looks: Sequence[Look]

    @classmethod
    def of(cls, character: Character) -> "Body":
        """A mannequin, bound in its reference pose."""
        surface, skeleton = character.surface, character.skeleton
        positions, turned = skeleton.reference_pose
        bind = np.tile(np.eye(4), (len(skeleton), 1, 1))
        bind[:, :3, :3], bind[:, :3, 3] = rot.to_matrix(turned), positions
        counts = [len(rows) for rows in surface.triangles.values()]
        mesh = Mesh(
            "Body",
            surface.vertices,
            surface.normals,
            surface.joints,
            surface.weights / surface.weights.sum(axis=1, keepdims=True),
            np.concatenate(list(surface.triangles.values())),
            np.repeat(np.arange(len(counts)), counts),
        )
        looks = [Look(name, (*linear_colour(surface.colours[name]), 1.0)) for name in surface.triangles]
        return cls(character.name, skeleton, bind, [mesh], looks)


def write(
    path: str | Path,
    bodies: Sequence[Body],
    clips: Sequence[Clip],
    words: Mapping[str, object] | None = None,
    axes: str | None = None,
) -> list[Path]:
    """Write characters and what they do, and return the files that were written.

    Words (quality, sources) go as JSON into the layer's own data. `axes` names an engine of `AXES`.
    """
    path = Path(path)
    if not _is_there():
        raise FileError(path, "USD needs the package usd-core: pip install 'randori[usd]'")
    from pxr import Gf, Tf, Usd, UsdGeom

    if len(bodies) != len(clips):
        raise FileError(path, f"there are {len(clips)} clips for {len(bodies)} characters")
    stage = Usd.Stage.CreateInMemory()
    up, metres = AXES.get(axes or "", ("Y", 1.0))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(clips[0].fps)
    stage.SetFramesPerSecond(clips[0].fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(max(len(clip) for clip in clips) - 1)
    world = UsdGeom.Xform.Define(stage, "/World")
    stage.SetDefaultPrim(world.GetPrim())
    if up == "Z":  # characters that look along +Z look along -Y then, as Unreal has them
        world.AddRotateXOp().Set(90.0)
    if metres != 1.0:
        world.AddScaleOp().Set(Gf.Vec3f(1.0 / metres))
    pictures = _Pictures(path)
    for name, body, clip in zip(_unique([one.name for one in bodies]), bodies, clips):
        _add_body(stage, f"/World/{name}", body, clip, pictures)
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
    return [path, *pictures.write()]


class _Pictures:
    """The pictures of a file, in a folder beside it; the same picture is written once."""

    def __init__(self, path: Path):
        self._folder = path.with_name(f"{path.stem}_pictures")
        self._names: dict[bytes, str] = {}

    def add(self, name: str, picture: bytes) -> str:
        """The place of a picture, as seen from the file."""
        if picture not in self._names:
            ending = "jpg" if picture.startswith(b"\xff\xd8") else "png"
            self._names[picture] = f"{len(self._names) + 1}_{safe_name(name)}.{ending}"
        return f"./{self._folder.name}/{self._names[picture]}"

    def write(self) -> list[Path]:
        written = []
        for picture, name in self._names.items():
            self._folder.mkdir(exist_ok=True)
            with write_whole(self._folder / name) as file:
                file.write(picture)
            written.append(self._folder / name)
        return written


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


def _add_body(stage: Any, path: str, body: Body, clip: Clip, pictures: _Pictures) -> None:
    """A SkelRoot that holds the skeleton, the animation and the mesh."""
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    skeleton = body.skeleton
    positions, turned = skeleton.reference_pose
    root = UsdSkel.Root.Define(stage, path)
    root.GetPrim().SetDisplayName(body.name)

    bones = UsdSkel.Skeleton.Define(stage, f"{path}/Skeleton")
    paths = Vt.TokenArray(joint_paths(skeleton))
    bones.CreateJointsAttr(paths)
    bones.CreateBindTransformsAttr(_by_rows(body.bind))
    offsets = np.where(np.arange(len(skeleton))[:, None] == 0, positions, skeleton.offsets)
    rest = np.tile(np.eye(4), (len(skeleton), 1, 1))
    rest[:, :3, :3], rest[:, :3, 3] = rot.to_matrix(skeleton.to_local(turned)), offsets
    bones.CreateRestTransformsAttr(_by_rows(rest))

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
    _add_meshes(stage, path, body, bones.GetPath(), pictures)
    # where the body ever gets to, with room for its flesh: viewers cull by it
    low, high = clip.positions.min(axis=(0, 1)) - 0.3, clip.positions.max(axis=(0, 1)) + 0.3
    extent = Vt.Vec3fArray([Gf.Vec3f(*map(float, low)), Gf.Vec3f(*map(float, high))])
    UsdGeom.Boundable(root.GetPrim()).CreateExtentAttr(extent)


def _add_meshes(stage: Any, path: str, body: Body, bones: Any, pictures: _Pictures) -> None:
    """The surfaces in the pose in which they were bound, with their materials."""
    from pxr import Gf, UsdShade, UsdSkel, Vt

    used = np.unique(np.concatenate([mesh.materials for mesh in body.meshes]))
    names = _unique([look.name for look in body.looks])
    materials = {
        number: _add_material(stage, f"{path}/Materials/{names[number]}", body.looks[number], pictures)
        for number in used.tolist()
        if number >= 0
    }
    taken = ["Skeleton", "Animation", "Materials"]
    for name, mesh in zip(_unique([*taken, *(one.name for one in body.meshes)])[len(taken) :], body.meshes):
        prim = _add_mesh(stage, f"{path}/{name}", mesh).GetPrim()
        for number, material in materials.items():
            rows = np.flatnonzero(mesh.materials == number)
            if len(rows) == 0:
                continue
            subset = UsdShade.MaterialBindingAPI.Apply(prim).CreateMaterialBindSubset(
                names[number], Vt.IntArray.FromNumpy(rows.astype(np.int32))
            )
            UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
        skin = UsdSkel.BindingAPI.Apply(prim)
        skin.CreateSkeletonRel().SetTargets([bones])
        skin.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
        followers = slice(0, 1) if mesh.rigid else slice(None)
        width = 1 if mesh.rigid else mesh.joints.shape[1]
        skin.CreateJointIndicesPrimvar(mesh.rigid, width).Set(
            Vt.IntArray.FromNumpy(mesh.joints[followers, :width].astype(np.int32).reshape(-1))
        )
        skin.CreateJointWeightsPrimvar(mesh.rigid, width).Set(
            Vt.FloatArray.FromNumpy(mesh.weights[followers, :width].astype(np.float32).reshape(-1))
        )


def _add_mesh(stage: Any, path: str, body: Mesh) -> Any:
    """The triangles of a mesh."""
    from pxr import Sdf, UsdGeom, Vt

    mesh = UsdGeom.Mesh.Define(stage, path)
    points = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(body.vertices, dtype=np.float32))
    mesh.CreatePointsAttr(points)
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(body.normals, dtype=np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(body.triangles), 3))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(body.triangles.astype(np.int32).reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(points))
    if body.texture_places is not None:  # USD counts from the lower left corner
        places = np.ascontiguousarray(body.texture_places * [1.0, -1.0] + [0.0, 1.0], dtype=np.float32)
        primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
            "st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.vertex
        )
        primvar.Set(Vt.Vec2fArray.FromNumpy(places))
    return mesh


def _add_material(stage: Any, path: str, look: Look, pictures: _Pictures) -> Any:
    """A preview surface: of one colour, or with a picture."""
    from pxr import Sdf, UsdShade

    material = UsdShade.Material.Define(stage, path)
    shader = UsdShade.Shader.Define(stage, f"{path}/Surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    if look.picture is not None and look.picture.startswith(_PICTURES):
        place = UsdShade.Shader.Define(stage, f"{path}/Place")
        place.CreateIdAttr("UsdPrimvarReader_float2")
        place.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st")
        picture = UsdShade.Shader.Define(stage, f"{path}/Picture")
        picture.CreateIdAttr("UsdUVTexture")
        picture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(pictures.add(look.name, look.picture))
        picture.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token).Set("sRGB")
        for key in ("wrapS", "wrapT"):
            picture.CreateInput(key, Sdf.ValueTypeNames.Token).Set("repeat")
        picture.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(
            place.CreateOutput("result", Sdf.ValueTypeNames.Float2)
        )
        diffuse.ConnectToSource(picture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3))
    else:
        diffuse.Set(tuple(float(value) for value in look.colour[:3]))
    if look.colour[3] < 1.0:
        shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(float(look.colour[3]))
    shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(_ROUGHNESS)
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    return material


def _by_rows(matrices: np.ndarray) -> Any:
    """USD matrices of (N, 4, 4): row vectors, so the translation stands in the last row."""
    from pxr import Vt

    return Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(matrices.transpose(0, 2, 1)))
