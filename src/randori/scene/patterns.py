"""The patterns of a group: read, compared with its motions, and built into patches."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomlkit

from randori.capture.actions import Tags
from randori.capture.sidecar import DIRECTIONS, KINDS, POSITIONS, SIDES
from randori.errors import FileError, RandoriError
from randori.formats.texts import parse_toml
from randori.graph.action_graph import ActionGraph
from randori.patches.library import read_patches
from randori.patches.pattern import PatchScene, Pattern, Wanted, parse_patterns, scene_text
from randori.patches.prepared import Prepared, preparing_graph, preparing_patches
from randori.performer.luggage import PIECES
from randori.scene.groups import GROUPS
from randori.scene.scene import Group, Scene
from randori.tables import suggest
from randori.work import part

_TAG_KEYS = ("kind", "technique", "side", "position", "direction")  # of the actions of an annotation
_TAG_VALUES = {  # values that a tag can have in any recording; techniques are free
    "kind": list(KINDS),
    "side": list(SIDES),
    "position": [*POSITIONS, *PIECES],
    "direction": list(DIRECTIONS),
}


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of a group, read and checked."""

    scene: PatchScene
    text: str
    folder: Path  # folder for relative paths
    file: str  # the scene file, for errors
    key: str  # of the group in the scene: "group[2]"
    where: str  # before the keys of the patterns, for errors: "group[2]." or "group[2].patterns: mine.toml: "
    # shipped patterns that do not fit the motions are left out; your own all have to fit
    shipped: bool = False
    built: Path | None = None  # the library of patches that was built of them beforehand

    def gathering(self) -> Generator[float, None, ActionGraph]:
        """The graph of their motions; yields the share that is done."""
        return (yield from self._named(preparing_graph(self.scene, self.folder)))

    def building(self, graph: ActionGraph) -> Generator[float, None, Prepared]:
        """Their patches, on the graph of their motions; yields the share that is done."""
        if self.built is None:
            work = preparing_patches(self.scene, self.text, self.folder, graph=graph)
            return (yield from self._named(work))
        yield 0.0
        return Prepared(graph, read_patches(self.built, graph.library))

    def preparing(self) -> Generator[float, None, Prepared]:
        """Their motions and patches; yields the share that is done."""
        graph = yield from part(self.gathering(), 0.0, 0.3)
        return (yield from part(self.fitting(graph).building(graph), 0.3, 0.7))

    def fitting(self, graph: ActionGraph) -> "Patterns":
        """The patterns that the motions can do; an error names a word that none of the motions has."""
        if self.built is not None:
            return self
        tags = [graph.library.tags[action] for action in graph.actions.tolist()]
        problems = [self._missing(pattern, tags) for pattern in self.scene.pattern]
        kept = [pattern for pattern, problem in zip(self.scene.pattern, problems) if not problem]
        if len(kept) == len(problems):
            return self
        if not self.shipped or not kept:
            problem = next(problem for problem in problems if problem)
            raise FileError(self.file, f"{self.where}{problem}")
        table = parse_toml(self.text, self.scene.name)
        table["pattern"] = [row for row, problem in zip(table["pattern"], problems) if not problem]
        scene = self.scene.model_copy(update={"pattern": tuple(kept)})
        return replace(self, scene=scene, text=tomlkit.dumps(table))

    def _missing(self, pattern: Pattern, tags: list[Tags]) -> str:
        """The first annotation of a pattern for which there is no action; nothing if there is none."""
        for word in dict.fromkeys(move.word for move in pattern.list):
            annotation = self.scene.annotation[word]
            if annotation.thing or any(wanted.fits(one) for wanted in annotation.actions for one in tags):
                continue
            return f"annotation.{word}.{_unknown(annotation.actions, tags)}"
        return ""

    def check_words(self) -> None:
        """Words that no tag can be are errors before anything is read."""
        for word, annotation in self.scene.annotation.items():
            for number, wanted in enumerate(annotation.actions, 1):
                for key, known in _TAG_VALUES.items():
                    for found in getattr(wanted, key):
                        if found not in known:
                            there = suggest(found, [one for one in known if one])
                            place = f"{self.where}annotation.{word}.actions[{number}].{key}"
                            raise FileError(self.file, f"{place}: there is no {key} {found!r}; {there}")

    def _named(self, work: Generator[float, None, Any]) -> Generator[float, None, Any]:
        """Work whose errors name the group."""
        try:
            return (yield from work)
        except FileError:
            raise
        except RandoriError as error:
            raise FileError(self.file, f"{self.key}.patterns: {error}") from error


def _unknown(wanted: tuple[Wanted, ...], tags: list[Tags]) -> str:
    """The key of an annotation's actions that fits no motion, its word, and the words that there are."""
    for number, one in enumerate(wanted, 1):
        for key, words in _given(one):
            known = sorted({getattr(tag, key) for tag in tags} - {""})
            strange = [word for word in words if word not in known and word]
            if strange and len(strange) == len(words):
                there = suggest(strange[0], known) if known else f"the motions have no {key} at all"
                return f"actions[{number}].{key}: none of the motions has {key} {strange[0]!r}; {there}"
    asked = ", ".join(f"{key} {' or '.join(map(repr, words))}" for key, words in _given(wanted[0]))
    fitting = [tag for tag in tags if _fits_most(wanted[0], tag)]
    names = sorted({tag.name for tag in fitting or tags})
    return f"actions: none of the motions has {asked} at once; there are {', '.join(names[:20])}"


def _given(wanted: Wanted) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys of an annotation's actions that are given, with their words."""
    return ((key, getattr(wanted, key)) for key in _TAG_KEYS if getattr(wanted, key))


def _fits_most(wanted: Wanted, tags: Tags) -> bool:
    """Whether exactly one of the given keys does not fit."""
    return sum(getattr(tags, key) not in words for key, words in _given(wanted)) <= 1


def patterns_of(scene: Scene, group: Group, key: str) -> Patterns:
    """The patterns of a group, on its own motions or on those that the patterns name."""
    file = f"{scene.name}.toml"
    if group.patterns is not None and group.patterns.lower().endswith(".npz"):
        path = scene.folder / group.patterns
        try:
            built = read_patches(path)
        except FileError as error:
            raise FileError(file, f"{key}.patterns: {group.patterns!r} {error.problem}") from None
        return Patterns(built.scene, built.text, scene.folder, file, key, f"{key}.patterns: ", built=path)
    name, text, folder = _pattern_text(scene, group, key)
    where = f"{key}." if group.pattern else f"{key}.patterns: {name}: "
    try:
        table = parse_toml(text, name)
    except FileError as error:
        raise FileError(file, f"{key}.patterns: {name} {error.problem}") from None
    motions = group.motions
    if motions is None and "motions" not in table:
        if len(scene.motions) != 1:
            there = ", ".join(scene.motions) or "none; add a table [motions.NAME]"
            raise FileError(file, f"{key}.motions is missing: its patterns have none; there are {there}")
        motions = next(iter(scene.motions))
    if motions is not None:
        table["motions"] = scene.motions[motions].model_dump(mode="json", exclude_defaults=True)
        text, folder = tomlkit.dumps(table), scene.folder
    try:
        read = parse_patterns(text, name)
    except FileError as error:
        raise FileError(file, f"{where}{error.problem}") from None
    found = Patterns(read, text, folder, file, key, where, shipped=_is_shipped(group))
    found.check_words()
    return found


def _is_shipped(group: Group) -> bool:
    """Whether the patterns are shipped ones, and none of the user's own."""
    return not group.pattern and not (group.patterns or "").lower().endswith(".toml")


def _pattern_text(scene: Scene, group: Group, key: str) -> tuple[str, str, Path]:
    """The name of a group's patterns, their file as it stands, and the folder that it lies in."""
    if group.pattern:
        table = {"title": scene.title, "annotation": group.annotation, "pattern": list(group.pattern)}
        return scene.name, tomlkit.dumps(table), scene.folder
    given = group.patterns or GROUPS[group.kind].patterns
    path = scene.folder / given
    try:
        if path.suffix.lower() == ".toml":
            return path.stem, path.read_text(encoding="utf-8"), path.parent
        return given, scene_text(given), scene.folder
    except FileNotFoundError:
        raise FileError(f"{scene.name}.toml", f"{key}.patterns: {given!r} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{scene.name}.toml", f"{key}.patterns: {given!r} cannot be read: {error}") from None
    except RandoriError as error:
        raise FileError(f"{scene.name}.toml", f"{key}.patterns: {error}; or give a .toml file") from None
