"""Handing motion over: a clip, or several characters together, in the format that a file's ending names."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from randori.body.mannequin import MATERIALS
from randori.body.mesh import skin
from randori.body.palette import palette
from randori.errors import FileError
from randori.formats import bvh, glb, store, usd
from randori.formats.files import safe_name, write_whole
from randori.motion.clip import Clip

ENDINGS = (".bvh", ".glb", *usd.ENDINGS, ".npz")


def save(
    clips: Clip | Sequence[Clip],
    path: str | Path,
    outfits: Sequence[int] | None = None,
    words: Mapping[str, object] | None = None,
) -> list[Path]:
    """Write one clip, or one clip per character, and return the files that were written.

    GLB and USD hold all characters and one animation. BVH and npz hold one character each: for several, the
    character's name is added to the file's. Words (quality, sources) go into the file where it has room for
    them, else beside it.
    """
    cast = [clips] if isinstance(clips, Clip) else list(clips)
    path = Path(path)
    if not cast:
        raise FileError(path, "there is nothing to write: no clip was given")
    match path.suffix.lower():
        case ".glb":
            glb.write(path, _characters(cast, outfits), {path.stem: cast}, words)
            return [path]
        case ".usd" | ".usda" | ".usdc":
            usd.write(path, _characters(cast, outfits), cast, words)
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
        else [path.with_stem(f"{path.stem}_{n + 1}_{safe_name(c.name)}") for n, c in enumerate(cast)]
    )
    for clip, target in zip(cast, paths):
        writer(target, clip)
    return paths if words is None else [*paths, write_words(path, words)]


def write_words(path: Path, words: Mapping[str, object]) -> Path:
    """What a file has no room for, as JSON beside it."""
    beside = path.with_suffix(".json")
    with write_whole(beside) as file:
        file.write(json.dumps(words, indent=2).encode())
    return beside


def _characters(cast: Sequence[Clip], outfits: Sequence[int] | None) -> list[glb.Character]:
    worn = range(len(cast)) if outfits is None else outfits
    return [_character(clip, outfit) for outfit, clip in zip(worn, cast)]


def _character(clip: Clip, outfit: int) -> glb.Character:
    mesh = skin(clip.skeleton)
    triangles = {
        name: mesh.triangles[mesh.materials == index]
        for index, name in enumerate(MATERIALS)
        if (mesh.materials == index).any()
    }
    surface = glb.Surface(mesh.vertices, mesh.normals, mesh.joints, mesh.weights, triangles, palette(outfit))
    return glb.Character(f"{clip.name}", clip.skeleton, surface)
