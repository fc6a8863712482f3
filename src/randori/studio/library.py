"""Recordings of the project, what is in them, and libraries to look at: their actions, their graphs."""

import hashlib
import re
import secrets
import threading
from collections.abc import AsyncIterator, Generator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from anyio import to_thread
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from randori.capture.sidecar import read_sidecar, sidecar_path
from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.formats import READ_ENDINGS, load_all
from randori.formats.amc import find_skeleton_file
from randori.formats.files import write_whole
from randori.formats.texts import read_text
from randori.graph import library_file
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.graph.performed import Performance, performed
from randori.graph.plot import plot_action_graph
from randori.graph.usefulness import find_usefulness
from randori.motion.placement import Placement
from randori.performer import SETS
from randori.render.pictures import save_png
from randori.scene.motions import preparing
from randori.sources import source_hash
from randori.studio import messages as wire
from randori.studio.arriving import receive
from randori.studio.aside import delete_recording, list_aside, repair, set_aside, usable_problem
from randori.studio.buffers import clip_buffer
from randori.studio.captured import captured_files
from randori.studio.names import fingerprint
from randori.studio.project import RECORDINGS, Project
from randori.studio.scenes import parse, used_files
from randori.work import part, saying

ENDINGS = (*READ_ENDINGS, ".asf")
_NAME = re.compile(r"[0-9a-f]{20}")
_CHECKED_AT_ONCE = 64 * 1024**2  # bytes: a larger recording is checked when it is captured
_STRIP = 600  # points of a recording's activity
_CHOICES = 45.0  # of a graph, unless a scene says so
_WORDS = ("kind", "technique", "side", "position", "direction")


class Libraries:
    """The project's recordings as far as they are known, and the libraries that were opened."""

    def __init__(self, project: Project):
        self.project = project
        self._lock = threading.Lock()
        self._loaded: dict[str, ActionLibrary] = {}

    # ---- recordings

    def listed(self) -> wire.LibraryList:
        """The recordings, and what can be opened."""
        recordings = [self._recording(path) for path in self.project.files(RECORDINGS, READ_ENDINGS)]
        usable = [row.file for row in recordings if not row.needs]
        entries = []
        if usable:
            source = wire.OpenLibrary(recordings=usable)
            words = f"all {len(usable)} recordings of the project"
            entries.append(wire.LibraryEntry(source=source, title="Recordings", description=words))
        for name, performance in SETS.items():
            source = wire.OpenLibrary(set=name)
            title = name.replace("-", ", ").capitalize()
            entries.append(wire.LibraryEntry(source=source, title=title, description=performance.description))
        return wire.LibraryList(recordings=recordings, aside=list_aside(self.project), libraries=entries)

    def _recording(self, path: Path) -> wire.Recording:
        needs = ""
        if path.suffix.lower() == ".amc":
            try:
                find_skeleton_file(path)
            except FileError:
                needs = "an ASF file with its skeleton"
        return wire.Recording(
            file=path.name,
            size=path.stat().st_size,
            captured=sidecar_path(path).is_file(),
            needs=needs,
        )

    async def upload(self, name: str, overwrite: bool, pieces: AsyncIterator[bytes]) -> wire.Recording:
        """Take a recording into the project, piece by piece; one that cannot be read is dropped again."""
        if "/" in name:
            raise RandoriError(f"{name[:200]!r}: a file's name without folders is expected")
        target = self.project.path(name, ENDINGS, RECORDINGS)
        if target.exists() and not overwrite:
            raise RandoriError(f"recordings/{name} exists already")
        problem = await receive(target, pieces, partial(_check, name=name))
        found = self._recording(target)
        if not problem:
            return found
        await to_thread.run_sync(set_aside, self.project, target, problem)
        return found.model_copy(update={"problem": problem})

    def repair(self, asked: wire.RepairRecording) -> wire.LibraryList:
        """Bring a recording back that was set aside."""
        repair(self.project, asked)
        return self.listed()

    def delete(self, asked: wire.DeleteRecording) -> wire.LibraryList:
        """Delete a recording."""
        delete_recording(self.project, asked)
        return self.listed()

    # ---- libraries

    def name_of(self, asked: wire.OpenLibrary) -> str:
        """The name of a library: another one as soon as anything that it is made of changes."""
        digest = hashlib.sha256(f"{source_hash(__name__)}|{asked.model_dump_json()}".encode())
        for path in self._used(asked):
            digest.update(fingerprint(path).encode())
        return digest.hexdigest()[:20]

    def _used(self, asked: wire.OpenLibrary) -> list[Path]:
        if sum(map(bool, (asked.recordings, asked.set, asked.scene))) != 1:
            raise RandoriError("give recordings of the project, a set of the performer, or a scene's motions")
        if asked.set and asked.set not in SETS:
            raise RandoriError(f"there is no set {asked.set!r}; there are {', '.join(SETS)}")
        if asked.scene is not None:
            scene = parse(self.project, asked.scene)
            if asked.motions not in scene.motions:
                raise RandoriError(f"the scene has no motions {asked.motions!r}")
            return used_files(self.project, scene)
        return [self.recording_path(name) for name in asked.recordings]

    def recording_path(self, name: str) -> Path:
        """A recording that is there."""
        path = self.project.path(name, READ_ENDINGS, RECORDINGS)
        if not path.is_file():
            raise FileError(name, "there is no such recording")
        return path

    def folder(self, name: str) -> Path:
        """The folder of a library."""
        if not _NAME.fullmatch(name):
            raise RandoriError(f"{name[:60]!r} is no name of a library")
        return cache_folder() / "studio" / name

    def described(self, name: str) -> wire.Library:
        """A library that was opened."""
        try:
            return wire.Library.model_validate_json(read_text(self.folder(name) / "library.json"))
        except (FileError, ValidationError):  # missing, or damaged, which counts as missing
            raise FileError(name, "there is no such library; open it first") from None

    def load(self, name: str) -> ActionLibrary:
        path = self.folder(name) / "library.npz"
        with self._lock:
            if name not in self._loaded:
                self._loaded.clear()  # they are large
                try:
                    self._loaded[name] = library_file.read(path)
                except FileError:
                    raise FileError(name, "there is no such library; open it first") from None
            return self._loaded[name]

    def is_open(self, name: str) -> bool:
        """Whether a library is there and can be read."""
        try:
            self.described(name)
            self.load(name)
        except FileError:
            return False
        return True

    def preview(self, name: str, action: int) -> bytes:
        """An action by itself, at the middle of the stage."""
        library = self.load(name)
        if not 0 <= action < len(library):
            raise RandoriError(f"the library has {len(library)} actions, and no number {action}")
        clip = library.action_clip(action)
        clip = Placement.of(clip, 0).inverse().move(clip)
        return clip_buffer(clip, "", library.describe(action), kind=library.tags[action].kind)

    # ---- what a recording holds, from end to end

    def strip(self, name: str, number: int) -> wire.Strip:
        """A recording of a library, with its segments."""
        library, described = self.load(name), self.described(name)
        if not 0 <= number < len(library.clips):
            raise RandoriError(f"the library has {len(library.clips)} recordings, and no number {number}")
        clip, file = library.clips[number], described.recordings[number].file
        if file:
            segments = _segments(self.recording_path(file))
        else:
            segments = [
                wire.Segment(start=row.start, **{word: getattr(row, word) for word in _WORDS})
                for row in described.actions
                if row.recording == number
            ]
        return wire.Strip(
            file=file,
            seconds=(clip.stop - clip.start) / library.fps,
            activity=_activity(library, clip.start, clip.stop),
            segments=segments,
        )

    def edit(self, asked: wire.EditSegments) -> wire.Segments:
        """Write a person's segments into the sidecar, whose comments stay."""
        recording = self.recording_path(asked.file)
        path = sidecar_path(recording)
        if not path.is_file():
            raise FileError(asked.file, "open it first: nothing was found in it yet")
        text = _edited(read_text(path), asked.segments)
        trial = path.with_name(f".trial-{secrets.token_hex(6)}.actions.toml")
        try:
            trial.write_text(text, encoding="utf-8")
            read_sidecar(trial)
        except FileError as error:
            raise FileError(path.name, error.problem) from None
        finally:
            trial.unlink(missing_ok=True)
        with write_whole(path) as file:
            file.write(text.encode())
        return wire.Segments(file=asked.file, segments=_segments(recording))


def opening(folder: str, asked: dict[str, Any], name: str) -> Generator[float, None, str]:
    """A task of the worker: make a library, describe it, draw its graph."""
    libraries = Libraries(Project(Path(folder)))
    place, request = libraries.folder(name), wire.OpenLibrary(**asked)
    yield 0.0
    if libraries.is_open(name):
        return name
    doing = "reading recordings" if request.recordings else "preparing motions"
    refused: list[FileError] = []
    graph = yield from saying(doing, part(_making(libraries, request, refused), 0.0, 0.95))
    for error in refused:
        set_aside(libraries.project, Path(error.path), error.problem)
    unusable = {Path(error.path).name for error in refused}
    files = [file for file in request.recordings if file not in unusable]
    place.mkdir(parents=True, exist_ok=True)
    library_file.write(place / "library.npz", graph.library)
    title = request.set.replace("-", ", ").capitalize() or request.motions or "Recordings"
    save_png(plot_action_graph(graph, title=title), place / "graph.png")
    with write_whole(place / "library.json") as file:  # last: a reader that finds it finds all
        file.write(describe(graph, name, title, files).model_dump_json().encode())
    return name


def _making(
    libraries: Libraries, asked: wire.OpenLibrary, refused: list[FileError]
) -> Generator[float, None, ActionGraph]:
    """The graph of what was asked for; recordings that cannot be used are put into `refused`."""
    if asked.scene is not None:
        scene = parse(libraries.project, asked.scene)
        return (yield from preparing(scene.motions[asked.motions], scene.folder))
    if asked.set:
        library = yield from part(performed(Performance((asked.set,))), 0.0, 0.9)
    else:
        paths = [libraries.recording_path(name) for name in asked.recordings]
        try:
            path = yield from part(captured_files(paths, refused=refused), 0.0, 0.9)
            library = library_file.read_again(path)
        except FileError as error:
            raise FileError(Path(error.path).name, error.problem, error.line) from None
    if len(library) == 0:
        raise RandoriError("no action was found in these recordings")
    return graph_with_choices(library, _CHOICES)


def describe(graph: ActionGraph, name: str, title: str, files: list[str]) -> wire.Library:
    """A library in words."""
    library, useful = graph.library, find_usefulness(graph.library, graph)
    kept = set(graph.actions.tolist())
    starts = np.array([clip.start for clip in library.clips])[library.actions.clip]
    actions = [
        wire.Action(
            number=k,
            recording=int(library.actions.clip[k]),
            start=round(float(library.actions.start[k] - starts[k]) / library.fps, 4),
            stop=round(float(library.actions.stop[k] - starts[k]) / library.fps, 4),
            name=tags.name,
            **{word: getattr(tags, word) for word in _WORDS},
            confidence=float(library.actions.confidence[k]),
            edited=bool(library.actions.edited[k]),
            strikes=int(library.actions.strike_start[k + 1] - library.actions.strike_start[k]),
            kept=k in kept,
        )
        for k, tags in enumerate(library.tags)
    ]
    recordings = [
        wire.LibraryRecording(
            name=clip.name,
            file=files[number] if number < len(files) else "",
            seconds=(clip.stop - clip.start) / library.fps,
            licence=clip.source.licence,
            credit=clip.source.credit,
            problems=[problem.message for problem in clip.problems],
        )
        for number, clip in enumerate(library.clips)
    ]
    return wire.Library(
        library=name,
        title=title,
        seconds=library.seconds,
        actions=actions,
        recordings=recordings,
        counts=library.counts(),
        dropped=len(library) - len(kept),
        words=[f"{key}: {value}" for key, value in graph.report().items()],
        uses=[wire.Use(name=use.name, able=use.able, why=use.why) for use in useful.uses],
        missing=list(useful.missing),
        record=list(useful.record),
    )


def _check(path: Path, size: int, name: str) -> str:
    """The reason why an uploaded recording cannot be used, or ""; an unreadable one is an error.

    A skeleton without motion is taken as it is.
    """
    if path.suffix == ".asf" or size > _CHECKED_AT_ONCE:
        return ""
    if path.suffix == ".amc":
        try:
            find_skeleton_file(path.with_name(name))
        except FileError:
            return ""  # its skeleton may come later
    try:
        skeleton = find_skeleton_file(path.with_name(name)) if path.suffix == ".amc" else None
        return usable_problem(load_all(path, skeleton_file=skeleton))
    except FileError as error:
        raise FileError(name, error.problem, error.line) from None


def _segments(recording: Path) -> list[wire.Segment]:
    return [
        wire.Segment(start=row.start, edited=row.edited, **{word: getattr(row.tags, word) for word in _WORDS})
        for row in read_sidecar(sidecar_path(recording))[0]
    ]


def _edited(text: str, segments: list[wire.Segment]) -> str:
    """A sidecar with other segments; rows that say the same stay as they are, mark and comments and all."""
    try:
        document = tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise RandoriError(f"the sidecar is not TOML, so it cannot be edited here: {error}") from None
    known = {round(float(table["start"]), 4): table for table in document.get("segment", [])}
    tables = AoT([])
    for segment in sorted(segments, key=lambda one: one.start):
        table = known.get(round(segment.start, 4), tomlkit.table())
        if "start" not in table:
            table["start"] = round(segment.start, 4)
        for word in _WORDS:
            value = getattr(segment, word)
            if value and table.get(word) != value:
                table[word] = value
            elif not value and word in table:
                del table[word]
        tables.append(table)
    document.pop("segment", None)
    document["segment"] = tables
    return tomlkit.dumps(document)


def _activity(library: ActionLibrary, start: int, stop: int) -> list[float]:
    """(…) 0 to 1: how fast joints move about the root, over a recording."""
    positions = library.positions[start:stop] - library.frames.root_position[start:stop, None]
    if len(positions) < 2:
        return []
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1).mean(axis=-1) * library.fps
    pieces = np.array_split(speed, min(_STRIP, len(speed)))
    level = np.array([piece.max() for piece in pieces])
    return [round(float(value), 3) for value in level / max(float(level.max()), 1e-6)]
