"""Handing motion over: a clip, or several characters together, in the format that a file's ending names."""

from collections.abc import Sequence
from pathlib import Path

from randori.body.mannequin import MATERIALS
from randori.body.mesh import skin
from randori.body.palette import palette
from randori.errors import FileError
from randori.formats import bvh, glb, store
from randori.motion.clip import Clip

ENDINGS = (".bvh", ".glb", ".npz")


def save(clips: Clip | Sequence[Clip], path: str | Path, outfits: Sequence[int] | None = None) -> list[Path]:
    """Write one clip, or one clip per character, and return the files that were written.

    A GLB holds all characters and one animation named after the file. BVH and npz hold one character
    each: for several, the character's name is added to the file's.
    """
    cast = [clips] if isinstance(clips, Clip) else list(clips)
    path = Path(path)
    if not cast:
        raise FileError(path, "there is nothing to write: no clip was given")
    match path.suffix.lower():
        case ".glb":
            worn = range(len(cast)) if outfits is None else outfits
            glb.write(path, [_character(clip, n) for n, clip in zip(worn, cast)], {path.stem: cast})
            return [path]
        case ".bvh":
            writer = bvh.write
        case ".npz":
            writer = store.write
        case other:
            raise FileError(
                path, f"cannot be written as {other or 'a file without ending'}; known: {', '.join(ENDINGS)}"
            )
    paths = (
        [path]
        if len(cast) == 1
        else [path.with_stem(f"{path.stem}_{n + 1}_{c.name}") for n, c in enumerate(cast)]
    )
    for clip, target in zip(cast, paths):
        writer(target, clip)
    return paths


def _character(clip: Clip, outfit: int) -> glb.Character:
    mesh = skin(clip.skeleton)
    triangles = {
        name: mesh.triangles[mesh.materials == index]
        for index, name in enumerate(MATERIALS)
        if (mesh.materials == index).any()
    }
    surface = glb.Surface(mesh.vertices, mesh.normals, mesh.joints, mesh.weights, triangles, palette(outfit))
    return glb.Character(f"{clip.name}", clip.skeleton, surface)
