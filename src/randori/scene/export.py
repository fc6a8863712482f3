"""Handing motion over: a clip, or several characters together, in the format that a file's ending names."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from randori.body.mannequin import MATERIALS
from randori.body.mesh import skin
from randori.body.palette import palette
from randori.characters.character import Character
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
    bodies: Sequence[Character | None] | None = None,
    motions: Sequence[glb.Motion] | None = None,
    root_motion: bool = False,
    axes: str | None = None,
) -> list[Path]:
    """Write one clip, or one clip per character, and return the files that were written.

    GLB and USD hold all characters and one animation. BVH and npz hold one character each: for several, the
    character's name is added to the file's. Metadata (quality, sources) goes into the file if the format
    allows it, otherwise beside it. Your own characters (`bodies`) go into GLB and USD with their own mesh and
    materials. GLB can have other animations (`motions`) than the whole clips, and bones on the ground
    (`root_motion`). USD can have the axes and the unit of an engine (`axes`, one of `usd.AXES`).
    """
    cast = [clips] if isinstance(clips, Clip) else list(clips)
    path = Path(path)
    if not cast:
        raise FileError(path, "there is nothing to write: no clip was given")
    ending = path.suffix.lower()
    if axes is not None and axes not in usd.AXES:
        raise FileError(path, f"unknown axes {axes!r}; valid axes are {', '.join(usd.AXES)}")
    if axes is not None and ending not in usd.ENDINGS:
        raise FileError(path, f"only USD has axes to choose; {ending} is in metres with y up")
    match ending:
        case ".glb":
            characters = _characters(cast, outfits, bodies)
            some = motions or [glb.Motion(path.stem, cast)]
            own = [motion._replace(clips=_in_files(motion.clips, bodies)) for motion in some]
            glb.write(path, characters, own, words, root_motion)
            return [path]
        case ".usd" | ".usda" | ".usdc":
            shown = [
                usd.Body.of(_mannequin(clip, outfit)) if body is None else body.to_usd(clip.name)
                for clip, outfit, body in zip(cast, _worn(cast, outfits), bodies or [None] * len(cast))
            ]
            moves = [clip for clip in _in_files(cast, bodies) if clip is not None]
            return usd.write(path, shown, moves, words, axes)
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
    """The metadata that a format cannot hold, as JSON beside the file."""
    beside = path.with_suffix(".json")
    with write_whole(beside) as file:
        file.write(json.dumps(words, indent=2).encode())
    return beside


def _characters(
    cast: Sequence[Clip], outfits: Sequence[int] | None, bodies: Sequence[Character | None] | None
) -> list[glb.Character | glb.OwnCharacter]:
    found: list[glb.Character | glb.OwnCharacter] = []
    for clip, outfit, body in zip(cast, _worn(cast, outfits), bodies or [None] * len(cast)):
        found.append(_mannequin(clip, outfit) if body is None else body.to_export(clip.name))
    return found


def _in_files(clips: Sequence[Clip | None], bodies: Sequence[Character | None] | None) -> list[Clip | None]:
    """Clips on the joints that are written: those of their own files, for characters that have one."""
    return [
        clip if clip is None or body is None else body.to_file(clip)
        for clip, body in zip(clips, bodies or [None] * len(clips))
    ]


def _worn(cast: Sequence[Clip], outfits: Sequence[int] | None) -> Sequence[int]:
    return range(len(cast)) if outfits is None else outfits


def _mannequin(clip: Clip, outfit: int) -> glb.Character:
    mesh = skin(clip.skeleton)
    triangles = {
        name: mesh.triangles[mesh.materials == index]
        for index, name in enumerate(MATERIALS)
        if (mesh.materials == index).any()
    }
    surface = glb.Surface(mesh.vertices, mesh.normals, mesh.joints, mesh.weights, triangles, palette(outfit))
    return glb.Character(f"{clip.name}", clip.skeleton, surface)
