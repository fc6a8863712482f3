"""Scenes as the page sees them: texts. Edits change the text in place, so comments survive."""

import json
import re
import tomllib
from collections.abc import Sequence
from glob import glob
from importlib.resources import files
from math import degrees, radians
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import tomlkit
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticUndefined, to_jsonable_python
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.items import AoT, Array, Table

from randori.errors import FileError, RandoriError
from randori.formats.files import write_whole
from randori.formats.texts import read_text
from randori.graph.motions import Motions
from randori.motion.placement import Placement
from randori.scene.cast import start_place
from randori.scene.formation import ways
from randori.scene.scene import (
    BallTable,
    CarTable,
    Checkpoint,
    Group,
    InputTable,
    MarkerTable,
    Member,
    ObstacleTable,
    Pin,
    Scene,
    ShotTable,
    Suitability,
    TargetTable,
    WallTable,
    shipped_scenes,
)
from randori.studio import messages as wire
from randori.studio.project import Project

_SCENE_ENDINGS = (".toml",)
_ROWS: dict[str, type[BaseModel]] = {
    "cast": Member,
    "group": Group,
    "targets": TargetTable,
    "balls": BallTable,
    "obstacles": ObstacleTable,
    "inputs": InputTable,
    "path": Checkpoint,
    "walls": WallTable,
    "cars": CarTable,
    "combination": Suitability,
    "pins": Pin,
    "shots": ShotTable,
    "markers": MarkerTable,
}
_LISTS_OF_TABLES = tuple(_ROWS)  # that stand as [[…]] in a scene file
_WAY_POINTS = 25  # along a way
_CROWDED_TABLES = re.compile(r"^([^#\n].*)\n(\[\[?[\w.\"-]+\]\]?)", re.MULTILINE)


def shipped_text(name: str) -> str:
    """The text of a shipped scene."""
    if name not in shipped_scenes():
        raise RandoriError(f"there is no scene {name!r} in the gallery")
    return (files("randori") / "scenes" / f"{name}.toml").read_text(encoding="utf-8")


def open_scene(project: Project, asked: wire.OpenScene) -> wire.SceneDocument:
    """A shipped scene, or one of the project."""
    if bool(asked.gallery) == bool(asked.file):
        raise RandoriError("give the name of a scene in the gallery, or a file of the project")
    if asked.gallery:
        text = shipped_text(asked.gallery)
        return document(project, wire.SceneText(text=text, gallery=asked.gallery))
    path = project.path(asked.file, _SCENE_ENDINGS)
    return document(project, wire.SceneText(text=_read(path, asked.file), file=asked.file))


def name_of(given: wire.SceneText) -> str:
    """The name of a scene."""
    return Path(given.file).stem if given.file else given.gallery or "scene"


def document(project: Project, given: wire.SceneText) -> wire.SceneDocument:
    """The meaning of a text, or the errors in it."""
    answer = wire.SceneDocument(
        text=given.text,
        file=given.file,
        gallery=given.gallery,
        name=name_of(given),
        scene=None,
        values=None,
        places=[],
        ways=[],
        problems=[],
        take="",
        draft="",
    )
    try:
        scene = parse(project, given)
    except RandoriError as error:
        values = lenient_values(given.text)
        return answer.model_copy(update={"problems": [problem_of(error)], "values": values})
    places = [_start_place(scene, number) for number in range(len(scene.cast))]
    values = scene.model_dump(mode="json")
    update = {
        "scene": values,
        "values": values,
        "places": [(place.x, place.z, degrees(place.yaw)) for place in places],
        "ways": ways_of(scene),
    }
    return answer.model_copy(update=update)


def lenient_values(text: str) -> dict[str, Any] | None:
    """The values of a text with mistakes, so that they can be mended in the form; None if it is no TOML.

    Missing keys have their defaults. Values in the place of a table are left out.
    """
    try:
        said = json.loads(json.dumps(tomllib.loads(text), default=str, allow_nan=False))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None
    values = _defaults(Scene) | said
    for key, kind in _ROWS.items():
        rows = values.get(key)
        listed = rows if isinstance(rows, list) else []
        values[key] = [_defaults(kind) | row for row in listed if isinstance(row, dict)]
    for key in ("rules", "camera", "motions"):
        values[key] = values[key] if isinstance(values.get(key), dict) else {}
    values["motions"] = {
        name: _defaults(Motions) | row for name, row in values["motions"].items() if isinstance(row, dict)
    }
    for number, member in enumerate(values["cast"], 1):
        member["name"] = str(member.get("name", f"Character {number}"))
        member["weights"] = member["weights"] if isinstance(member["weights"], dict) else {}
    return values


def _defaults(kind: type[BaseModel]) -> dict[str, Any]:
    """The default values of a table."""
    fields = kind.model_fields.items()
    given = {key: field.get_default(call_default_factory=True) for key, field in fields if not field.exclude}
    plain = {key: value for key, value in given.items() if value is not PydanticUndefined}
    return {key: to_jsonable_python(value) for key, value in plain.items()}


def ways_of(scene: Scene) -> list[list[wire.Place]]:
    """The ways of a formation's pairs."""
    if scene.formation is None:
        return []
    places = ways(scene.formation, np.linspace(0.0, 1.0, _WAY_POINTS), scene.folder)
    return [[(round(float(x), 3), round(float(z), 3)) for x, z in way] for way in places.transpose(1, 0, 2)]


def parse(project: Project, given: wire.SceneText) -> Scene:
    """The scene of a text; what it names lies in the project."""
    folder = project.folder
    if given.file:
        folder = project.path(given.file, _SCENE_ENDINGS).parent
    name = name_of(given)
    scene = Scene.parse(given.text, f"{name}.toml", folder, name)
    used_files(project, scene)
    return scene if given.seconds is None else scene.changed(seconds=min(given.seconds, scene.seconds))


def used_files(project: Project, scene: Scene) -> list[Path]:
    """The files that a scene reads: motions, characters, and the picture of a formation."""
    patterns = []
    for key, motions in scene.motions.items():
        patterns += [(f"motions.{key}.library", motions.library)] if motions.library else []
        patterns += [(f"motions.{key}.files", pattern) for pattern in motions.files]
    for number, member in enumerate(scene.cast, start=1):
        patterns += [(f"cast[{number}].character", member.character)] if member.character else []
    if scene.formation is not None and scene.formation.picture:
        patterns.append(("formation.picture", scene.formation.picture))
    for number, member in enumerate(scene.cast, 1):
        patterns += [(f"cast[{number}].table", member.table)] if member.table else []
    for number, group in enumerate(scene.group, 1):
        patterns += _group_files(scene, group, f"group[{number}]")
    found = []
    for key, pattern in patterns:
        what, given = f"{key}: {pattern!r}", Path(pattern)
        if given.is_absolute() or given.drive:
            raise FileError(f"{scene.name}.toml", f"{what} has to be seen from the scene's folder")
        try:
            project.check_inside(scene.folder / pattern, what)
            for path in sorted(glob(str(scene.folder / pattern))):
                found.append(project.check_inside(Path(path), what))
        except (RandoriError, ValueError, OSError) as error:
            raise FileError(f"{scene.name}.toml", str(error)) from None
    return found


def _group_files(scene: Scene, group: Group, key: str) -> list[tuple[str, str]]:
    """The files that a group reads: its patterns, what these read in their turn, and its picture."""
    found = [(f"{key}.picture", group.picture)] if isinstance(group.picture, str) else []
    if group.patterns is None or not group.patterns.lower().endswith((".toml", ".npz")):
        return found
    found.append((f"{key}.patterns", group.patterns))
    folder = PurePath(group.patterns).parent
    try:
        table = tomlkit.parse((scene.folder / group.patterns).read_text(encoding="utf-8"))
        motions = Motions.model_validate(table.get("motions", {}).unwrap())
    except (OSError, ValueError, AttributeError, ParseError, RecursionError):
        return found  # its errors are reported when it is prepared
    named = [*motions.files, *([motions.library] if motions.library else [])]
    return found + [(f"{key}.patterns", str(folder / name)) for name in named]


def _start_place(scene: Scene, number: int) -> Placement:
    """The start place of a member of the cast, as far as its scene gives it."""
    member = scene.cast[number]
    if member.controller == "duel":
        return start_place(scene, number)
    x, z, turn = member.place or (0.0, 0.0, 0.0)
    return Placement(x, z, radians(turn))


def edit_scene(project: Project, asked: wire.EditScene) -> wire.SceneDocument:
    """The text after some edits."""
    return document(project, asked.model_copy(update={"text": edited(asked.text, asked.edits)}))


def edited(text: str, edits: Sequence[wire.Edit]) -> str:
    """A scene's text with changes in place."""
    try:
        toml = tomlkit.parse(text)
    except (ParseError, ValueError, RecursionError) as error:
        raise RandoriError(f"the scene is not TOML, so it cannot be edited here: {error}") from None
    for edit in edits:
        try:
            _apply(toml, edit)
        except RandoriError:
            raise
        except (TOMLKitError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise RandoriError(f"{_in_words(edit.at)}: cannot be edited so: {error}") from None
    return _with_air(tomlkit.dumps(toml))


def _with_air(text: str) -> str:
    """A blank line before every table, unless that changes what the text says."""
    try:
        meant = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise RandoriError(
            "the changes do not fit each other: a table stands where a value belongs"
        ) from None
    aired = _CROWDED_TABLES.sub(r"\1\n\n\2", text)
    try:
        return aired if tomllib.loads(aired) == meant else text
    except tomllib.TOMLDecodeError:
        return text


def _apply(toml: Any, edit: wire.Edit) -> None:
    """One change."""
    owner, last = _owner(toml, edit), edit.at[-1]
    match edit.do:
        case "set":
            value = _item(edit)
            if isinstance(last, int) and isinstance(owner, AoT):
                _fill(owner[_index(owner, last, edit)], edit.value)
            elif isinstance(last, int):
                owner[_index(owner, last, edit)] = value
            elif last in owner and isinstance(owner[last], Table) and isinstance(edit.value, dict):
                _fill(owner[last], edit.value)
            else:
                _put(owner, last, value)
        case "insert":
            if not isinstance(last, int):
                raise RandoriError(f"{_in_words(edit.at)}: insert needs a place in a list")
            where = len(owner) if last < 0 else min(last, len(owner))
            owner.insert(where, _item(edit))
        case "delete":
            if isinstance(last, int):
                del owner[_index(owner, last, edit)]
            elif last in owner:  # else it is usual already
                del owner[last]
        case "move":
            if not isinstance(last, int) or not isinstance(edit.value, int):
                raise RandoriError(f"{_in_words(edit.at)}: move needs a place in a list, and another one")
            item = owner[_index(owner, last, edit)]
            del owner[_index(owner, last, edit)]
            owner.insert(min(max(edit.value, 0), len(owner)), item)


def _owner(toml: Any, edit: wire.Edit) -> Any:
    """The table or list in which the change happens; what is missing on the way is made."""
    owner = toml
    for number, step in enumerate(edit.at[:-1]):
        if isinstance(step, int):
            owner = owner[_index(owner, step, edit)]
            continue
        if step not in owner:
            if edit.do in ("delete", "move"):
                raise RandoriError(f"{_in_words(edit.at)}: there is no {step!r}")
            listed = isinstance(edit.at[number + 1], int)
            _put(owner, step, _empty(step, listed, nested=number > 0))
        owner = owner[step]
    return owner


def _empty(key: str, listed: bool, nested: bool) -> Any:
    """The value that is made for a missing key."""
    if listed:
        return tomlkit.aot() if key in _LISTS_OF_TABLES else tomlkit.array()
    # inside [[cast]] a table of its own would look as if it belonged to the next one
    return tomlkit.inline_table() if nested and key not in _LISTS_OF_TABLES else tomlkit.table()


def _put(owner: Any, key: str, value: Any) -> None:
    """Write a value; a plain one that is new goes before the tables, or it would belong to the last."""
    if key in owner or isinstance(value, (Table, AoT)):
        owner[key] = value
        return
    tables = [name for name, item in owner.items() if isinstance(item, (Table, AoT))]
    if not tables or not isinstance(owner, tomlkit.TOMLDocument):
        owner[key] = value
        return
    # a document's own values stand before its first table
    first = next(number for number, (name, _) in enumerate(owner.body) if name and name.key == tables[0])
    while first > 0 and owner.body[first - 1][0] is None:
        first -= 1
    before = [name for name, _ in owner.body[:first] if name is not None]
    if before:
        owner._insert_after(before[-1], key, tomlkit.item(value))
    else:
        owner._insert_at(first, key, tomlkit.item(value))


def _fill(table: Any, values: dict[str, Any]) -> None:
    """Make a table say exactly this, and leave what is the same as it was."""
    for key in [key for key in table if key not in values]:
        del table[key]
    for key, value in values.items():
        if key not in table or table[key] != value:
            table[key] = value


def _item(edit: wire.Edit) -> Any:
    """A value as TOML has it; nothing is not a value there."""
    try:
        json.dumps(edit.value, allow_nan=False)
    except ValueError:
        raise RandoriError(f"{_in_words(edit.at)}: a number is expected") from None
    if edit.value is None:
        raise RandoriError(f"{_in_words(edit.at)}: a value is missing; `delete` takes a value away")
    if isinstance(edit.value, dict):
        table = tomlkit.table()
        for key, value in edit.value.items():
            table[key] = _inline(value) if isinstance(value, dict) else value
        return table
    return tomlkit.item(edit.value)


def _inline(values: dict[str, Any]) -> Any:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def _index(owner: Any, step: int, edit: wire.Edit) -> int:
    if not isinstance(owner, (list, AoT, Array)) or not -len(owner) <= step < len(owner):
        raise RandoriError(f"{_in_words(edit.at)}: there is no such row")
    return step % len(owner)


def _in_words(at: Sequence[str | int]) -> str:
    words = ""
    for step in at:
        words += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if words else step
    return words


def pinned(text: str, pin: Pin) -> str:
    """A scene's text with a pin, in place of one of the same character at the same time."""
    try:
        rows = tomlkit.parse(text).get("pins", [])
        same = [k for k, row in enumerate(rows) if (row.get("who"), row.get("at")) == (pin.who, pin.at)]
    except (ParseError, RecursionError, AttributeError, TypeError, ValueError) as error:
        raise RandoriError(f"the scene's pins cannot be read: {error}") from None
    edits = [wire.Edit(do="delete", at=["pins", k]) for k in reversed(same)]
    edits.append(wire.Edit(do="insert", at=["pins", -1], value=pin.model_dump()))
    return edited(text, edits)


def save_scene(project: Project, asked: wire.SaveScene) -> wire.SceneDocument:
    """Write a scene into the project, if it is one."""
    if not asked.file:
        raise RandoriError("give the scene a file's name, such as my-fight.toml")
    path = project.path(asked.file, _SCENE_ENDINGS)
    found = document(project, asked)
    if found.problems:
        raise RandoriError(f"the scene has a mistake and was not saved: {found.problems[0].message}")
    if path.exists() and not asked.overwrite:
        if asked.before is None:
            raise RandoriError(f"{asked.file} exists already")
        if _read(path, asked.file) != asked.before:
            raise RandoriError(f"{asked.file} was changed elsewhere since it was opened here")
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path) as file:
        file.write(asked.text.encode())
    return found


def rename_scene(project: Project, asked: wire.RenameScene) -> wire.SceneList:
    """Give a scene file another name."""
    path, target = _scene_path(project, asked.file), project.path(asked.to, _SCENE_ENDINGS)
    if target.exists():
        raise RandoriError(f"{asked.to} exists already")
    if target.parent != path.parent:
        raise RandoriError(f"{asked.to}: a scene stays in its folder, as it names its files from there")
    path.rename(target)
    return list_scenes(project)


def delete_scene(project: Project, asked: wire.DeleteScene) -> wire.SceneList:
    """Delete a scene file; the page keeps its text as long as undo can bring it back."""
    _scene_path(project, asked.file).unlink()
    return list_scenes(project)


def _scene_path(project: Project, file: str) -> Path:
    """A scene file that is there."""
    path = project.path(file, _SCENE_ENDINGS)
    if path not in set(project.scenes()):
        raise FileError(file, "there is no such scene in the project")
    return path


def list_scenes(project: Project) -> wire.SceneList:
    """The project's scenes, those with mistakes, too."""
    rows = []
    for path in project.scenes():
        file = project.relative(path)
        try:
            scene = parse(project, wire.SceneText(text=_read(path, file), file=file))
            rows.append(wire.SceneEntry(file=file, title=scene.title))
        except (RandoriError, ValidationError) as error:
            rows.append(wire.SceneEntry(file=file, title=path.stem, problem=str(error)))
    return wire.SceneList(project=project.name, scenes=rows)


def problem_of(error: RandoriError) -> wire.Problem:
    """An error for the page: what a person would read on the command line."""
    if isinstance(error, FileError):
        key = error.problem.split(":", 1)[0].strip()
        plain = key if key and " " not in key and "\n" not in key else ""
        return wire.Problem(message=error.problem, file=Path(error.path).name, line=error.line, key=plain)
    return wire.Problem(message=str(error))


def _read(path: Path, name: str) -> str:
    try:
        return read_text(path, wire.MOST_TEXT)
    except FileError as error:
        raise FileError(name, error.problem) from None
