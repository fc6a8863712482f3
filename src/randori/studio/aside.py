"""Recordings that can be read but not used: set aside in recordings/aside/, to be repaired or deleted."""

import os
from pathlib import Path

from pydantic import ValidationError

from randori.capture.sidecar import sidecar_path
from randori.errors import FileError, RandoriError
from randori.formats import READ_ENDINGS, load_all, store
from randori.formats.files import safe_name, write_whole
from randori.formats.texts import read_text
from randori.motion.clip import Clip
from randori.motion.parts import guessed_joints, missing_parts
from randori.studio import messages as wire
from randori.studio.project import RECORDINGS, Project

ASIDE = f"{RECORDINGS}/aside"
_PROBLEM_ENDING = ".problem.json"  # beside a recording that was set aside


def usable_problem(clips: list[Clip]) -> str:
    """The reason why recordings that were read cannot be used, or ""."""
    for clip in clips:
        if missing := missing_parts(clip.skeleton.parts):
            words = ", ".join(part.replace("_", " ") for part in missing)
            return f"These body parts were not recognised: {words}. Choose their joints to repair it."
    return ""


def set_aside(project: Project, recording: Path, problem: str) -> wire.SetAside:
    """Move a recording out of the way of the others, with the reason."""
    joints: list[str] = []
    guesses: dict[str, str] = {}
    try:
        skeleton = load_all(recording)[0].skeleton
        joints, guesses = list(skeleton.names), guessed_joints(skeleton.names, skeleton.parts)
    except RandoriError:
        pass  # it cannot be read: there are no joints to name
    folder = project.folder / ASIDE
    folder.mkdir(parents=True, exist_ok=True)
    found = wire.SetAside(
        file=recording.name, problem=problem, joints=joints, missing=list(guesses), guesses=guesses
    )
    with write_whole(folder / f"{recording.name}{_PROBLEM_ENDING}") as file:
        file.write(found.model_dump_json().encode())
    os.replace(recording, folder / recording.name)
    sidecar_path(recording).unlink(missing_ok=True)
    return found


def list_aside(project: Project) -> list[wire.SetAside]:
    """The recordings that were set aside."""
    found = []
    for path in project.files(ASIDE, READ_ENDINGS):
        try:
            words = read_text(path.with_name(f"{path.name}{_PROBLEM_ENDING}"))
            found.append(wire.SetAside.model_validate_json(words))
        except (FileError, ValidationError):
            unknown = "It was set aside; the reason is not known any more."
            found.append(wire.SetAside(file=path.name, problem=unknown, joints=[], missing=[], guesses={}))
    return found


def repair(project: Project, asked: wire.RepairRecording) -> list[Path]:
    """Read a recording with what a person says about it; what comes of it is a recording like any other.

    It is written as Randori's own file, in metres and with its body parts named, so that no user has to be
    told again. One that still cannot be used stays where it is.
    """
    path = _aside_path(project, asked.file)
    said = asked.unit.strip()
    unit = float(said) if said.replace(".", "", 1).isdigit() else said or None
    parts = {part: joint for part, joint in asked.parts.items() if joint}
    try:
        clips = load_all(path, unit=unit, up=asked.up or None, parts=parts or None)
    except FileError as error:
        raise FileError(asked.file, error.problem, error.line) from None
    if problem := usable_problem(clips):
        raise FileError(asked.file, problem)
    made = []
    for clip in clips:
        name = path.stem if len(clips) == 1 else f"{path.stem} {safe_name(clip.name)}"
        target = project.path(f"{name}.npz", (".npz",), RECORDINGS)
        if target.exists():
            raise RandoriError(f"recordings/{name}.npz exists already; delete it first")
        store.write(target, clip)
        made.append(target)
    _remove(path)
    return made


def delete_recording(project: Project, asked: wire.DeleteRecording) -> None:
    """Delete a recording, and what was written beside it."""
    if asked.aside:
        _remove(_aside_path(project, asked.file))
        return
    path = project.path(asked.file, (*READ_ENDINGS, ".asf"), RECORDINGS)
    if not path.is_file():
        raise FileError(asked.file, "there is no such recording")
    path.unlink()
    sidecar_path(path).unlink(missing_ok=True)


def _aside_path(project: Project, name: str) -> Path:
    path = project.path(name, READ_ENDINGS, ASIDE)
    if not path.is_file():
        raise FileError(name, "there is no such recording among those that were set aside")
    return path


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}{_PROBLEM_ENDING}").unlink(missing_ok=True)
