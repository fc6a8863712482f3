"""Prepares a scene before it can run: graphs, tables, controllers and patches, learned or built if necessary.

Everything is kept in the cache under a name that follows from all that it depends on.
"""

import hashlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from randori.duel.solids import Wall
from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.motions import gathering
from randori.motion.placement import Placement
from randori.patches.prepared import Prepared
from randori.policy import table as policy
from randori.prepare.controller import Controller
from randori.prepare.controller_file import fingerprint as gaits_fingerprint
from randori.prepare.controller_file import read_controller, write_controller
from randori.prepare.repertoire import Repertoire, learn, make_repertoire
from randori.scene.bodies import check_files, own_graphs
from randori.scene.checks import ROOM, check_places
from randori.scene.groups import GROUPS
from randori.scene.motions import preparing
from randori.scene.patterns import Patterns, patterns_of
from randori.scene.pictures import rows_of
from randori.scene.scene import Group, Scene, as_recorded
from randori.sources import source_hash
from randori.work import part, saying

Kept = TypeVar("Kept")
Walker = tuple[Repertoire, Controller]

_MOST_LOADED = 4  # tables and controllers that stay in memory: the next session starts at once
_loaded: dict[Path, Any] = {}


@dataclass(frozen=True, eq=False)
class Ready:
    """Everything that the parts of a scene stand on."""

    graphs: dict[str, ActionGraph] = field(default_factory=dict)  # of fighters, by their motions
    tables: dict[str, policy.PolicyTable] = field(default_factory=dict)  # of policies
    walkers: dict[str, Walker] = field(default_factory=dict)  # of preparation
    groups: list[Prepared] = field(default_factory=list)
    pictures: list[Sequence[str]] = field(default_factory=list)  # rows, of each group
    finale: list[Prepared] = field(default_factory=list)  # the patches of a finale, if there is one


def preparing_scene(scene: Scene) -> Generator[float, None, Ready]:
    """Prepare a scene; yields the share that is done. Mistakes in a file are found first."""
    pictures = [_picture(scene, number) for number in range(len(scene.group))]
    check_files(scene)
    check_places(scene)
    _check_room(scene, pictures)
    patterns = [patterns_of(scene, group, f"group[{number}]") for number, group in enumerate(scene.group, 1)]
    finale = _finale(scene)
    learners = _used(scene, "policy", "player")
    walkers = _used(scene, "prepare")
    moving = bool(_used(scene, "duel")) or (scene.mixed and bool(learners))
    composed = [*finale, *patterns]
    steps = moving + len(learners) + len(walkers) + 2 * len(composed)
    done = 0

    def step(doing: str, work: Generator[float, None, Kept]) -> Generator[float, None, Kept]:
        nonlocal done
        found = yield from saying(doing, part(work, done / steps, 1.0 / steps))
        done += 1
        return found

    ready = Ready(pictures=pictures)
    graphs = []
    for number, one in enumerate(composed):  # a word that no motion has is found before anything is learned
        graphs.append((yield from step("reading the motions of groups", one.gathering())))
        composed[number] = one.fitting(graphs[-1])
    if moving:
        ready.graphs.update((yield from step("preparing motions", preparing_cast(scene))))
    for name in learners:
        ready.tables[name] = yield from step("preparing a policy", _learned(scene, name))
    for name in walkers:
        ready.walkers[name] = yield from step("preparing a walker", _walking(scene, name))
    built = []
    for one, graph in zip(composed, graphs):
        doing = "preparing interactions"
        built.append((yield from step(doing, one.building(graph))))
    ready.finale.extend(built[: len(finale)])
    ready.groups.extend(built[len(finale) :])
    return ready


def _check_room(scene: Scene, pictures: Sequence[Sequence[str]]) -> None:
    """Find groups without enough room before their patches are built.

    The session checks again, when all characters are in place.
    """
    taken = [(f"{one.name}", np.array([one.place[:2]]), 0.0) for one in scene.cast if one.place is not None]
    for number, group in enumerate(scene.group, 1):
        x, z, degrees = group.place
        spots, off = GROUPS[group.kind].starts(group, pictures[number - 1])
        flat = np.column_stack([spots[:, 0], np.zeros(len(spots)), spots[:, 1]])
        spots = Placement(x, z, np.radians(degrees)).move_points(flat)[:, [0, 2]]
        for row, wall in enumerate(scene.walls, 1):
            depth = Wall(wall.start, wall.stop, wall.thickness).depth(spots) if len(spots) else np.zeros(1)
            if depth.max() > off:
                raise FileError(
                    f"{scene.name}.toml",
                    f"group[{number}].place: a character would stand in walls[{row}]; give another place",
                )
        for name, others, blur in taken if not GROUPS[group.kind].gives_way else []:
            apart = np.linalg.norm(spots[:, None] - others[None], axis=-1)
            # both may be off their places, but hardly by all that they may be, and towards each other
            if apart.min(initial=np.inf) < ROOM - np.hypot(off, blur):
                raise FileError(
                    f"{scene.name}.toml",
                    f"group[{number}].place: a character would stand in {name}; bodies need {ROOM:g} m",
                )
        taken.append((f"group[{number}]", spots, off))


def preparing_cast(scene: Scene) -> Generator[float, None, dict[str, ActionGraph]]:
    """The graphs of the motions that a fighter uses."""
    used = [(name, name, scene.motions[name]) for name in _used(scene, "duel")]
    if scene.mixed:  # a character that others can strike has to know the end of its reaction
        used += [
            (as_recorded(name), name, scene.motions[name].model_copy(update={"turned": False}))
            for name in _used(scene, "policy", "player")
        ]
    graphs = {}
    for number, (graph, name, motions) in enumerate(used):
        work = _named(scene, f"motions.{name}", preparing(motions, scene.folder))
        graphs[graph] = yield from part(work, number / len(used), 1.0 / len(used))
    return graphs | own_graphs(scene, graphs)


def _used(scene: Scene, *controllers: str) -> list[str]:
    """The names of the motions that characters of some controllers use."""
    return list(dict.fromkeys(scene.motions_of(member) for member in scene.members(*controllers)))


def _named(scene: Scene, key: str, work: Generator[float, None, Kept]) -> Generator[float, None, Kept]:
    """Work whose errors name a key of the scene."""
    try:
        return (yield from work)
    except FileError:
        raise
    except RandoriError as error:
        raise FileError(f"{scene.name}.toml", f"{key}: {error}") from error


def _library(scene: Scene, name: str) -> Generator[float, None, ActionLibrary]:
    return _named(scene, f"motions.{name}", gathering(scene.motions[name], scene.folder))


# -- policies and walkers ------------------------------------------------------------------------------


def _learned(scene: Scene, name: str) -> Generator[float, None, policy.PolicyTable]:
    """The table of the behaviours that a character with these motions has learned."""
    library = yield from part(_library(scene, name), 0.0, 0.3)
    members = [one for one in scene.members("policy", "player") if scene.motions_of(one) == name]
    behaviours = list(dict.fromkeys(word for member in members for word in member.behaviours))
    given = next((member.table for member in members if member.table is not None), None)
    if given is not None:
        return policy.read(scene.folder / given, library)
    path = _kept_at("policy", ("randori.policy.table",), policy.fingerprint(library), *behaviours)
    learning = saying("learning, once, which action is best where", policy.training(library, behaviours))
    found = _once(path, lambda: policy.read(path, library), learning, lambda table: policy.write(path, table))
    return (yield from part(_named(scene, f"motions.{name}", found), 0.3, 0.7))


def _walking(scene: Scene, name: str) -> Generator[float, None, Walker]:
    """The repertoire of a walker with these motions, and its controller."""
    library = yield from part(_library(scene, name), 0.0, 0.5)
    repertoire = make_repertoire(library)
    members = [one for one in scene.members("prepare") if scene.motions_of(one) == name]
    given = next((member.table for member in members if member.table is not None), None)
    if given is not None:
        return repertoire, read_controller(scene.folder / given, repertoire.gaits)
    path = _kept_at("prepare", ("randori.prepare.controller_file",), gaits_fingerprint(repertoire.gaits))
    learning = saying("learning, once, when to prepare", learn(repertoire))
    found = _once(
        path,
        lambda: read_controller(path, repertoire.gaits),
        learning,
        lambda controller: write_controller(path, controller),
    )
    controller = yield from part(_named(scene, f"motions.{name}", found), 0.5, 0.5)
    return repertoire, controller


def _kept_at(kind: str, modules: tuple[str, ...], *made_of: str) -> Path:
    """The file of a trained table, named after everything that decides its content."""
    key = hashlib.sha256(" ".join([source_hash(*modules), *made_of]).encode()).hexdigest()[:16]
    return cache_folder() / "controllers" / f"{kind}-{key}.npz"


def _once(
    path: Path,
    read: Callable[[], Kept],
    make: Generator[float, None, Kept],
    write: Callable[[Kept], None],
) -> Generator[float, None, Kept]:
    """Something that is in memory, or in a file, or else is made and kept."""
    yield 0.0
    if path in _loaded:
        found: Kept = _loaded[path]
        return found
    try:
        found = read()
    except FileError:  # not there yet, or damaged
        found = yield from make
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(found)
        except (OSError, FileError):
            pass  # no room for a cache: the next run learns it again
    while len(_loaded) >= _MOST_LOADED:
        _loaded.pop(next(iter(_loaded)))
    _loaded[path] = found
    return found


# -- groups --------------------------------------------------------------------------------------------


def _finale(scene: Scene) -> list[Patterns]:
    """The patterns of the finale, on the motions of the two; none without one."""
    if scene.finale is None:
        return []
    member = next(one for one in scene.cast if one.name == scene.finale.who[0])
    given = Group(kind="ring", motions=scene.motions_of(member), patterns=scene.finale.patterns)
    return [patterns_of(scene, given, "finale")]


def _picture(scene: Scene, number: int) -> Sequence[str]:
    """The rows of a group's picture; none if it has none."""
    group = scene.group[number]
    try:
        return rows_of(group.picture, scene.folder)
    except RandoriError as error:
        problem = error.problem if isinstance(error, FileError) else str(error)
        named = f"{group.picture!r} {problem}" if isinstance(error, FileError) else problem
        raise FileError(f"{scene.name}.toml", f"group[{number + 1}].picture: {named}") from None
