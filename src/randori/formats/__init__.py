"""Motion files: BVH, ASF/AMC and Randori's own, read into clips in metres, Y up."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from randori.errors import FileError
from randori.formats import amc, bvh, store
from randori.formats.recording import Told
from randori.motion.clip import Clip
from randori.motion.parts import find_parts

READ_ENDINGS = (".bvh", ".amc", ".npz")


def load(
    path: str | os.PathLike[str],
    *,
    unit: float | str | None = None,
    up: str | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    parts: Mapping[str, str] | None = None,
    skeleton_file: str | os.PathLike[str] | None = None,
    licence: str | None = None,
    credit: str | None = None,
) -> Clip:
    """The motion of a file, in metres and Y up, by the ending of its name.

    What is left at None is recognised: the unit (metres per unit, or "m", "cm", "mm", "in", "cmu"),
    the axis that points up ("Y" or "Z"), the rate, whether the first frame is an inserted T-pose to be
    dropped, and which joint is which body part. `skeleton_file` is the `.asf` for an `.amc`. A `.npz`
    has all that in it; only body parts can be named anew. No file says under which licence it may be used
    and to whom it is owed: what is told goes with every frame.
    """
    told = Told(unit, up, fps, drop_tpose, parts)
    match Path(path).suffix.lower():
        case ".bvh":
            clip = bvh.read(path, told)
        case ".amc":
            clip = amc.read(path, told, skeleton_file)
        case ".npz":
            clip = _with_parts(store.read(path), parts or {})
        case _ if Path(path).is_dir():
            raise FileError(path, f"is a folder; name the files in it, as in {Path(path) / '*.bvh'}")
        case ending:
            endings = ", ".join(READ_ENDINGS)
            raise FileError(path, f"expected a motion file ({endings}), found {ending or 'no ending'}")
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
