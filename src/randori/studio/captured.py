"""Recordings that a scene names are captured once: who changes a weight does not wait for it again."""

import hashlib
from collections.abc import Generator, Sequence
from pathlib import Path

from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.graph import library_file
from randori.graph.motions import Motions, find_files
from randori.graph.recordings import capturing
from randori.scene.scene import Scene
from randori.sources import source_hash
from randori.studio.names import fingerprint
from randori.work import part

_CAPTURING = ("randori.graph.recordings", "randori.graph.library_file")  # find actions, and keep them


def capturing_scene(scene: Scene) -> Generator[float, None, Scene]:
    """The same scene, its recordings replaced by libraries; yields the share that is done."""
    waiting = [name for name, motions in scene.motions.items() if motions.files]
    changed = dict(scene.motions)
    for number, name in enumerate(waiting):
        work = _captured(scene, name)
        path = yield from part(work, number / len(waiting), 1.0 / len(waiting))
        asked = scene.motions[name]
        changed[name] = Motions(library=str(path), turned=asked.turned, choices=asked.choices)
    return scene.changed(motions=changed) if waiting else scene


def _is_whole(path: Path) -> bool:
    """Whether a library is there and can be read; the next reader finds it in memory."""
    try:
        library_file.read_again(path)
    except FileError:
        return False
    return True


def _captured(scene: Scene, name: str) -> Generator[float, None, Path]:
    """The library of some recordings, in the cache."""
    motions = scene.motions[name]
    try:
        files = [Path(file) for file in find_files(motions.files, scene.folder)]
    except RandoriError as error:
        raise FileError(f"{scene.name}.toml", f"motions.{name}: {error}") from error
    return (yield from captured_files(files, motions.mirrored))


def captured_files(
    files: Sequence[Path], mirrored: bool = False, refused: list[FileError] | None = None
) -> Generator[float, None, Path]:
    """The library of some files, in the cache; `refused` as in `graph.recordings.capturing`."""
    path = _place(files, mirrored)
    if not _is_whole(path):
        library = yield from capturing(files, mirrored=mirrored, refused=refused)
        unusable = {Path(error.path) for error in refused or ()}
        path = _place([file for file in files if file not in unusable], mirrored)
        path.parent.mkdir(parents=True, exist_ok=True)
        library_file.write(path, library)
    return path


def _place(files: Sequence[Path], mirrored: bool) -> Path:
    made_of = [source_hash(*_CAPTURING), str(mirrored), *map(fingerprint, files)]
    key = hashlib.sha256("|".join(made_of).encode()).hexdigest()[:20]
    return cache_folder() / "studio" / f"captured-{key}.npz"
