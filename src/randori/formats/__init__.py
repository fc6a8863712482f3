"""Motion files read into clips in metres, Y up: BVH, ASF/AMC, FBX, glTF, VRM, USD, C3D, TRC and npz."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from randori.errors import FileError, RandoriError
from randori.formats import amc, bvh, c3d, fbx, gltf, store, trc, usd_reading
from randori.formats.files import quote
from randori.formats.recognise import to_clip
from randori.formats.recording import ReadingOptions, Recording
from randori.motion.clip import Clip
from randori.motion.parts import find_parts

GLTF_ENDINGS = (".glb", ".gltf", ".vrm", ".vrma")
USD_ENDINGS = (".usd", ".usda", ".usdc")
READ_ENDINGS = (".bvh", ".amc", ".npz", ".fbx", *GLTF_ENDINGS, *USD_ENDINGS, ".c3d", ".trc")
_LISTED_CLIPS = 12  # clips that a message names


def load(
    path: str | os.PathLike[str],
    *,
    unit: float | str | None = None,
    up: str | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    parts: Mapping[str, str] | None = None,
    skeleton_file: str | os.PathLike[str] | None = None,
    clip: str | None = None,
    licence: str | None = None,
    credit: str | None = None,
) -> Clip:
    """The motion of a file, in metres and Y up, by the ending of its name.

    Values left at None are recognised: the unit (metres per unit, or "m", "cm", "mm", "dm", "in", "cmu"),
    the axis that points up ("Y" or "Z"), the rate, whether the first frame is an inserted T-pose to be
    dropped, and which joint is which body part. `skeleton_file` is the `.asf` for an `.amc`, `clip` the name
    of one of several clips in a file. A `.npz` has all that in it; only body parts can be renamed. No file
    says under which licence it may be used and to whom it is owed: what is given goes with every frame.
    """
    given = ReadingOptions(unit, up, fps, drop_tpose, parts)
    found = _load(path, given, skeleton_file, clip)
    if len(found) > 1:
        names = ", ".join(one.name for one in found[:_LISTED_CLIPS]) + (
            ", …" if len(found) > _LISTED_CLIPS else ""
        )
        raise FileError(path, f"holds {len(found)} clips; name one with --clip NAME: {names}")
    return _with_rights(found[0], licence, credit)


def load_all(
    path: str | os.PathLike[str],
    *,
    unit: float | str | None = None,
    up: str | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    parts: Mapping[str, str] | None = None,
    skeleton_file: str | os.PathLike[str] | None = None,
    clip: str | None = None,
    licence: str | None = None,
    credit: str | None = None,
) -> list[Clip]:
    """All clips of a file, as `load` reads one."""
    given = ReadingOptions(unit, up, fps, drop_tpose, parts)
    return [_with_rights(one, licence, credit) for one in _load(path, given, skeleton_file, clip)]


def _load(
    path: str | os.PathLike[str],
    given: ReadingOptions,
    skeleton_file: str | os.PathLike[str] | None,
    clip: str | None,
) -> list[Clip]:
    ending = Path(path).suffix.lower()
    if skeleton_file is not None and ending != ".amc":
        raise RandoriError(f"a skeleton file is for AMC recordings, and {path} is none")
    match ending:
        case ".bvh":
            clips = [bvh.read(path, given)]
        case ".amc":
            clips = [amc.read(path, given, skeleton_file)]
        case ".npz":
            clips = [_with_parts(store.read(path), given.parts or {})]
        case ".fbx":
            return _clips(path, fbx.read_recordings(path), given, clip)
        case ending if ending in GLTF_ENDINGS:
            return _clips(path, gltf.read_recordings(path), given, clip)
        case ending if ending in USD_ENDINGS:
            return _clips(path, usd_reading.read_recordings(path), given, clip)
        case ".c3d":
            return _clips(path, [c3d.read_recording(path)], given, clip)
        case ".trc":
            return _clips(path, [trc.read_recording(path)], given, clip)
        case _ if Path(path).is_dir():
            raise FileError(path, f"is a folder; name the files in it, as in {Path(path) / '*.bvh'}")
        case _:
            endings = ", ".join(READ_ENDINGS)
            raise FileError(path, f"expected a motion file ({endings}), found {ending or 'no ending'}")
    if clip is not None and clip != clips[0].name:
        raise FileError(path, f"there is no clip {quote(clip)}; it holds one, {quote(clips[0].name)}")
    return clips


def _clips(
    path: str | os.PathLike[str], recordings: list[Recording], given: ReadingOptions, wanted: str | None
) -> list[Clip]:
    """Recordings of one file as clips, or the one that is wanted. A single clip is called like its file."""
    names = [recording.name for recording in recordings]
    if wanted is not None:
        recordings = [recording for recording in recordings if recording.name == wanted]
        if not recordings:
            listed = ", ".join(names[:_LISTED_CLIPS]) + (", …" if len(names) > _LISTED_CLIPS else "")
            raise FileError(path, f"there is no clip {quote(wanted)}; its clips are {listed}")
    elif len(recordings) == 1:
        recordings = [replace(recordings[0], name=Path(path).stem)]
    if given.fps is not None:
        recordings = [replace(recording, fps=given.fps) for recording in recordings]
    return [to_clip(path, recording, given) for recording in recordings]


def _with_rights(clip: Clip, licence: str | None, credit: str | None) -> Clip:
    if licence is None and credit is None:
        return clip
    known = clip.source
    rights = known.licence if licence is None else licence, known.credit if credit is None else credit
    return replace(clip, source=replace(known, licence=rights[0], credit=rights[1]))


def _with_parts(clip: Clip, override: Mapping[str, str]) -> Clip:
    """The same clip with some body parts named by hand."""
    skeleton = clip.skeleton
    found = find_parts(skeleton.names, skeleton.parents, override)
    parts = {**skeleton.parts, **{part: found[part] for part in override}}
    return replace(clip, skeleton=replace(skeleton, parts=parts))
