"""From a folder of recordings to a library: read, analysed, with what a person has said about them."""

from collections.abc import Generator, Mapping, Sequence
from glob import glob
from os import PathLike
from typing import Any

from randori.capture.actions import Analysis
from randori.capture.analysis import Settings, analyse
from randori.capture.cleaning import repaired
from randori.capture.holding import equipped
from randori.capture.sidecar import read_sidecar, sidecar_path, write_sidecar
from randori.errors import FileError, RandoriError
from randori.formats import load_all
from randori.formats.files import safe_name
from randori.graph.library import FPS, ActionLibrary, building_library
from randori.motion.clip import Clip
from randori.work import Notice, finish

_READING_SHARE = 0.5  # of the work is reading and looking, the rest is building


def capturing(
    paths: Sequence[str | PathLike[str]],
    *,
    settings: Settings | None = None,
    mirrored: bool = False,
    fps: float = FPS,
    told: Mapping[str, Any] | None = None,
    refused: list[FileError] | None = None,
) -> Generator[float, None, ActionLibrary]:
    """Read recordings, find their actions, and build a library; yields the share that is done.

    The actions are written to a sidecar beside each recording, which a person can edit; edits win, now and
    in later runs. What is `told` about the recordings goes to `formats.load`. A recording that cannot be
    used ends the run; with a list `refused`, the reason is put there and the others continue.
    """
    if not paths:
        raise RandoriError("there are no recordings to capture; give BVH, FBX, glTF or other motion files")
    recordings: list[tuple[Clip, Analysis]] = []
    for number, path in enumerate(paths):
        share = _READING_SHARE * number / len(paths)
        try:
            recordings += yield from _analysing(path, settings, told or {}, share)
        except FileError as error:
            if refused is None:
                raise
            refused.append(error)
        yield _READING_SHARE * (number + 1) / len(paths)
    if not recordings:
        raise RandoriError("none of the recordings can be used")
    work = building_library(recordings, fps, mirrored=mirrored)
    while True:
        try:
            yield _READING_SHARE + (1.0 - _READING_SHARE) * next(work)
        except StopIteration as finished:
            return finished.value


def _analysing(
    path: str | PathLike[str], settings: Settings | None, told: Mapping[str, Any], share: float
) -> Generator[float, None, list[tuple[Clip, Analysis]]]:
    """The clips of one recording, and what was found in them; errors name the file."""
    found = []
    try:
        clips = load_all(path, **told)
        for clip in clips:
            # each of several clips in one file has a sidecar of its own
            sidecar = sidecar_path(path if len(clips) == 1 else f"{path}.{safe_name(clip.name)}")
            has_sidecar = sidecar.is_file()
            edits, holds = read_sidecar(sidecar) if has_sidecar else ((), "")
            analysis = analyse(clip, settings, edits, holds)
            try:
                write_sidecar(sidecar, analysis, clip.fps, clip.source.file)
            except FileError as error:
                yield Notice(share, f"the sidecar cannot be written beside the recording: {error}")
            found.append((equipped(repaired(clip, analysis.problems), analysis.holds), analysis))
    except FileError:
        raise
    except RandoriError as error:
        raise FileError(path, str(error)) from error
    return found


def capture_files(recordings: str | Sequence[str | PathLike[str]], mirrored: bool = False) -> ActionLibrary:
    """The library of some recordings: their paths, or a pattern such as "recordings/*.bvh"."""
    paths = sorted(glob(recordings)) if isinstance(recordings, str) else recordings
    if not paths:
        raise RandoriError(f"there are no recordings at {recordings!r}")
    return finish(capturing(paths, mirrored=mirrored))
