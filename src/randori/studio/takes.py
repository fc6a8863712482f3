"""The takes that the studio knows: those it has made, kept in the cache, and those of the project."""

import hashlib
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.formats.files import write_whole
from randori.formats.texts import read_text
from randori.graph.action_graph import ActionGraph
from randori.graph.places import compose, inverse
from randori.motion.placement import Placement
from randori.scene.groups import GROUPS
from randori.scene.preparing import preparing_cast
from randori.scene.scene import Pin, Scene
from randori.scene.story import why
from randori.scene.take import Take
from randori.sources import source_hash
from randori.studio import messages as wire
from randori.studio.buffers import clip_buffer, costumes_of, is_buffer, take_buffer
from randori.studio.captured import capturing_scene
from randori.studio.names import fingerprint
from randori.studio.project import TAKES, Project
from randori.studio.props import things_of
from randori.studio.scenes import edited, parse, used_files
from randori.timeline.session import read_script
from randori.timeline.timeline import Decision
from randori.work import finish

SHIPPED = Path(__file__).parent / "takes_shipped"  # of a wheel; packaging/takes.py makes them
DRAFT_SECONDS = 6.0  # of a scene that is shown at once, while the whole is made
_SHORTEST_DRAFT = 1.5  # seconds
_FEW_CHARACTERS = 8  # characters: with more of them a draft is shorter
_MOST_KEPT = 4 * 1024**3  # bytes of takes in the cache; half a minute of two fighters needs 4 MB
_MOST_LOADED = 512 * 1024**2  # bytes of takes in memory
_LAID_OUT = f".buffer{wire.BUFFER_VERSION}"
_COMPANION_ENDINGS = (".made.json", ".inputs.json")  # a take, and goes where it goes
_ENDINGS = (".npz", *_COMPANION_ENDINGS, _LAID_OUT, ".png")
_MAKING_MODULES = ("randori.scene.run",)  # modules that decide the events and the view of a take
_NAME = re.compile(r"(made|kept)-([\w][\w. -]{0,150})")


class Made(BaseModel):
    """The ingredients of a take; the file lies beside it."""

    scene: wire.SceneText | None = None  # None for what was played live
    draft: bool = False
    live: str = ""


def _decision_of(take: Take, number: int) -> Decision:
    if not 0 <= number < len(take.decisions):
        raise RandoriError(f"the take has {len(take.decisions)} decisions, and no number {number}")
    return take.decisions[number]


_VIEWING_KEYS = {"shots", "markers"}  # of a scene: they change how a take is looked at, not the take


class Takes:
    """Takes by name: "made-…" in the cache, "kept-…" in the project's takes/."""

    def __init__(self, project: Project):
        self.project = project
        self._lock = threading.Lock()
        self._preparing = threading.Lock()  # graphs may take long: nothing else waits for them
        self._loaded: dict[str, tuple[Take, Made]] = {}
        self._graphs: dict[str, dict[str, ActionGraph]] = {}

    # ---- where they are

    def name_of(self, scene: Scene) -> str:
        """The name of the take of a scene: the same scene and the same Randori give the same take."""
        digest = hashlib.sha256(f"{source_hash(*_MAKING_MODULES)}|{scene.name}|".encode())
        digest.update(scene.model_dump_json(exclude=_VIEWING_KEYS).encode())
        for path in used_files(self.project, scene):
            digest.update(fingerprint(path).encode())
        return f"made-{digest.hexdigest()[:20]}"

    def path(self, name: str) -> Path:
        """The path of a take, whether it exists or not."""
        fits = _NAME.fullmatch(name)
        if fits is None:
            raise RandoriError(f"{name[:60]!r} is no name of a take")
        if fits[1] == "made":
            return made_folder() / f"{fits[2]}.npz"
        return self.project.path(f"{fits[2]}.npz", (".npz",), TAKES)

    def exists(self, name: str) -> bool:
        return self.path(name).is_file()

    def is_whole(self, name: str) -> bool:
        """Whether a take is there and can be read: a damaged one is made again."""
        try:
            self.load(name)
        except RandoriError:
            return False
        return True

    def found(self, scene: Scene) -> tuple[str, str]:
        """The whole take of a scene and its draft, where they are there already."""
        whole = self.name_of(scene)
        draft = self.name_of(draft_of(scene))
        return whole if self.exists(whole) else "", draft if self.exists(draft) else ""

    def listed(self) -> wire.TakeList:
        """The project's takes."""
        rows, skipped = [], []
        for path in self.project.files(TAKES, (".npz",)):
            name = f"kept-{path.stem}"
            try:
                take, _ = self.load(name)
            except RandoriError as error:
                words = error.problem if isinstance(error, FileError) else str(error)
                skipped.append(wire.Problem(message=words, file=path.name))
                continue
            rows.append(_entry(name, take, self.project.relative(path)))
        return wire.TakeList(takes=rows, skipped=skipped)

    def save(self, name: str, asked: wire.SaveTake) -> wire.TakeEntry:
        """Copy a take into the project."""
        file = asked.file if asked.file.lower().endswith(".npz") else f"{asked.file}.npz"
        target = self.project.path(file, (".npz",), TAKES)
        if target.exists() and not asked.overwrite:
            raise RandoriError(f"takes/{file} exists already")
        take, _ = self.load(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        for ending in (".npz", *_COMPANION_ENDINGS):
            source = self.path(name).with_suffix(ending)
            if source.is_file():
                shutil.copyfile(source, target.with_suffix(ending))
        self._loaded.pop(f"kept-{target.stem}", None)
        return _entry(f"kept-{target.stem}", take, self.project.relative(target))

    def delete(self, name: str) -> wire.TakeList:
        """Delete a take of the project."""
        path = self.path(name)
        if not name.startswith("kept-") or not path.is_file():
            raise RandoriError(f"{name[:60]!r} is no take of the project")
        self._drop(path)
        self._loaded.pop(name, None)
        return self.listed()

    def scene_of(self, name: str) -> wire.SceneText:
        """The scene of a take; of one that was played live: with what was done there, as its inputs."""
        take, made = self.load(name)
        if made.scene is None:
            raise RandoriError("this take does not know its scene, so nothing can be changed in it")
        text = wire.SceneText(**made.scene.model_dump() | {"seconds": None})
        script = self.path(name).with_suffix(".inputs.json")
        if not script.is_file():
            return text
        played = read_script(script)
        rows = [{"time": one.tick / take.fps, "what": one.what, **one.values} for one in played.inputs]
        edits = [
            wire.Edit(do="set", at=["seconds"], value=round(take.seconds, 4)),
            wire.Edit(do="set", at=["seed"], value=played.seed),
            *(wire.Edit(do="insert", at=["inputs", -1], value=row) for row in rows),
        ]
        return text.model_copy(update={"text": edited(text.text, edits), "file": "", "gallery": text.gallery})

    def _drop(self, path: Path) -> None:
        for ending in _ENDINGS:
            with suppress(OSError):
                path.with_suffix(ending).unlink(missing_ok=True)

    # ---- what is in them

    def load(self, name: str) -> tuple[Take, Made]:
        """A take and what it was made of."""
        with self._lock:
            if name in self._loaded:
                self._loaded[name] = self._loaded.pop(name)  # the last one used is dropped last
                return self._loaded[name]
        path = self.path(name)
        if not path.is_file():
            raise FileError(name, "there is no such take any more; simulate the scene again")
        try:
            take = Take.load(path)
        except FileError:
            if name.startswith("made-"):
                self._drop(path)  # a damaged file of the cache counts as missing
                raise FileError(name, "there is no such take any more; simulate the scene again") from None
            raise
        made = read_made(path)
        with self._lock:
            self._loaded[name] = (take, made)
            while (
                len(self._loaded) > 1 and sum(_size(one) for one, _ in self._loaded.values()) > _MOST_LOADED
            ):
                self._loaded.pop(next(iter(self._loaded)))
        return take, made

    def laid_out(self, name: str) -> Path | bytes:
        """A take for the page: of one in the cache the file, which is made if it is missing."""
        if not name.startswith("made-"):
            return self.buffer(name)  # the project's folder is not littered
        path = self.path(name).with_suffix(_LAID_OUT)
        if not is_buffer(path) or not self.exists(name):
            data = self.buffer(name)
            with write_whole(path) as file:
                file.write(data)
        return path

    def buffer(self, name: str) -> bytes:
        """A take for the page."""
        take, made = self.load(name)
        scene = None
        if made.scene is not None:
            # made of recordings that lie elsewhere now: what was made is still shown
            with suppress(RandoriError):
                scene = parse(self.project, made.scene)
        path = checkpoints_of(scene) if scene is not None else []
        teams = _teams(scene, take) if scene is not None else []
        return take_buffer(
            take, name, draft=made.draft, teams=teams, path=path, things=things_of(scene, take)
        )

    def costume(self, name: str, number: int) -> bytes:
        """The GLB file of one of a take's costumes."""
        costumes, _ = costumes_of(self.load(name)[0])
        if not 0 <= number < len(costumes):
            raise RandoriError(f"the take has {len(costumes)} costumes, and no number {number}")
        return costumes[number].content

    def decision(self, name: str, number: int) -> Decision:
        """A decision of a take."""
        return _decision_of(self.load(name)[0], number)

    def pin(self, name: str, number: int, action: int) -> Pin:
        """The pin that takes another option at a decision."""
        take, _ = self.load(name)
        decision = _decision_of(take, number)
        if action not in {option.action for option in decision.options}:
            raise RandoriError(f"action {action} was no option of decision {number}")
        role = take.roles[decision.who]
        at = round(decision.tick / take.fps, 4)
        return Pin(who=role.name, at=at, action=role.describe(action), number=action)

    def why(self, name: str, number: int) -> wire.Why:
        """Everything about a decision."""
        take, made = self.load(name)
        decision = _decision_of(take, number)
        role = take.roles[decision.who]
        rows = [
            wire.OptionRow(
                action=option.action,
                name=role.describe(option.action),
                kind=role.tags[option.action].kind,
                rule=option.rule,
                terms=option.terms,
                total=sum(option.terms.values()),
                chosen=option.action == decision.action,
            )
            for option in decision.options
        ]
        rows.sort(key=lambda row: (not row.chosen, bool(row.rule), -row.total, row.action))
        line = [
            wire.Step(
                who=who,
                action=action,
                name=take.roles[who].describe(action),
                kind=take.roles[who].tags[action].kind,
                tick=tick,
            )
            for who, action, tick in decision.line
        ]
        return wire.Why(
            number=number,
            tick=decision.tick,
            who=decision.who,
            action=decision.action,
            name=role.describe(decision.action),
            depth=decision.depth,
            competitive=decision.competitive,
            cooperative=decision.cooperative,
            unseen=list(decision.unseen),
            line=line,
            options=rows,
            ruled_out=dict(Counter(row.rule for row in rows if row.rule)),
            words=list(why(take, decision)),
            ghosts=made.scene is not None,
        )

    def ghost(self, name: str, number: int, action: int) -> bytes:
        """The poses of an option, where it would have happened."""
        take, made = self.load(name)
        if made.scene is None:
            raise RandoriError("this take does not know its scene, so its options cannot be shown")
        if not 0 <= number < len(take.decisions):
            raise RandoriError(f"the take has {len(take.decisions)} decisions, and no number {number}")
        decision = take.decisions[number]
        if action not in {option.action for option in decision.options}:
            raise RandoriError(f"action {action} was no option of decision {number}")
        role = take.roles[decision.who]
        placed = next(
            (one for one in role.placed if one.start == decision.tick and one.action == decision.action), None
        )
        if placed is None:
            raise RandoriError("the action that was chosen there is not in the take")
        scene = parse(self.project, made.scene)
        fighters = scene.members("duel")
        graph = self._graph(scene, scene.motions_of(fighters[decision.who % len(fighters)]))
        # the posture that it decided in, in the world; and the place that brings the option's start there
        place = np.array([[placed.placement.x, placed.placement.z, placed.placement.yaw]])
        posture = compose(graph.entry[[placed.action]], place)
        there = compose(inverse(graph.entry[[action]]), posture)[0]
        clip = Placement(*map(float, there)).move(graph.library.action_clip(action))
        return clip_buffer(clip, "", role.describe(action), role.outfit, role.tags[action].kind)

    def _graph(self, scene: Scene, motions: str) -> ActionGraph:
        """The graph that decisions of a scene used."""
        key = repr((scene.folder, scene.motions))
        with self._preparing:
            if key not in self._graphs:
                self._graphs.clear()  # they are large
                self._graphs[key] = finish(preparing_cast(finish(capturing_scene(scene))))
            return self._graphs[key][motions]


def read_made(path: Path) -> Made:
    """The file beside a take; empty if that file is missing or damaged."""
    try:
        return Made.model_validate_json(read_text(path.with_suffix(".made.json")))
    except (FileError, ValidationError):
        return Made()


def made_folder() -> Path:
    return cache_folder() / "takes"


def unpack_shipped(shipped: Path = SHIPPED) -> int:
    """Put the takes that came with Randori beside those that were made here; gives how many are new.

    Their names follow from the scene and the code: a take of another version is never found by its name.
    """
    new = 0
    for path in sorted(shipped.glob("*.npz")) if shipped.is_dir() else ():
        target = made_folder() / path.name
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        for ending in reversed(_ENDINGS):  # the take itself comes last: a reader that finds it finds all
            beside = path.with_suffix(ending)
            if beside.is_file():
                with write_whole(target.with_suffix(ending)) as file:
                    file.write(beside.read_bytes())
        new += 1
    return new


def draft_of(scene: Scene) -> Scene:
    """The beginning of a scene: the shorter the more people there are, so that the wait is short."""
    seconds = max(DRAFT_SECONDS * min(1.0, _FEW_CHARACTERS / characters_of(scene)), _SHORTEST_DRAFT)
    return scene.changed(seconds=min(scene.seconds, seconds))


def characters_of(scene: Scene) -> int:
    """The number of characters that a scene shows."""
    groups = sum(GROUPS[group.kind].people(group) for group in scene.group)
    return groups + len(scene.cast) * (scene.formation.pairs if scene.formation else 1)


def _teams(scene: Scene, take: Take) -> list[int]:
    """The team of each character; a formation repeats its cast, and groups have none."""
    if scene.formation is not None:
        return [scene.cast[who % len(scene.cast)].team for who in range(len(take.roles))]
    known = {member.name: member.team for member in scene.cast}
    return [known.get(role.name, 0) for role in take.roles]


def checkpoints_of(scene: Scene) -> list[wire.Checkpoint]:
    """The path of a scene."""
    names = [member.name for member in scene.members("duel")]
    return [
        wire.Checkpoint(place=mark.place, radius=mark.radius, who=[names.index(name) for name in mark.who])
        for mark in scene.path
    ]


def keep(path: Path, take: Take, made: Made) -> None:
    """Write a take into the cache, whole or not at all, and make room for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path.with_suffix(".made.json")) as file:
        file.write(made.model_dump_json().encode())
    take.save(path)  # last: a reader that finds it finds all
    for old in _oldest(path.parent):
        for ending in _ENDINGS:
            old.with_suffix(ending).unlink(missing_ok=True)


def _oldest(folder: Path) -> Iterator[Path]:
    """The takes for which there is no room, newer ones first served."""
    dated = []
    for path in folder.glob("*.npz"):
        beside = [path.with_suffix(ending) for ending in _ENDINGS]
        try:
            dated.append(
                (path.stat().st_mtime, sum(file.stat().st_size for file in beside if file.is_file()), path)
            )
        except OSError:
            continue  # another process has just dropped it
    room = _MOST_KEPT
    for _, size, path in sorted(dated, reverse=True):
        room -= size
        if room < 0:
            yield path


def _size(take: Take) -> int:
    """Bytes of a take's poses."""
    return sum(clip.rotations.nbytes for clip in take.clips)


def _entry(name: str, take: Take, file: str) -> wire.TakeEntry:
    return wire.TakeEntry(
        take=name, title=take.title, file=file, seconds=take.seconds, characters=len(take.roles)
    )
