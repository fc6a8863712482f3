"""Live sessions with what the page needs to know of them: bodies, things, inputs, and how to keep them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from randori.body.palette import OUTFITS
from randori.duel.styles import STYLES
from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.graph import library_file
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.motion.skeleton import Skeleton
from randori.patches.dominoes import Dominoes
from randori.patches.prepared import Prepared
from randori.patches.prepared import preparing as preparing_patches
from randori.policy import scenes as avatars
from randori.policy import table as policy
from randori.policy.arena import TARGET_RADIUS, Arena
from randori.prepare import scenes as preparation
from randori.prepare.controller import Controller
from randori.prepare.controller_file import read_controller, write_controller
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.prepare.things import BALL_RADIUS, cones
from randori.scene.motions import performed
from randori.scene.patched import PLAYS, PatchPlay, PatchSession
from randori.scene.run import preparing_cast
from randori.scene.scene import Motions, Scene
from randori.scene.session import FightSession
from randori.scene.take import Take, take_of
from randori.studio import messages as wire
from randori.studio.captured import capturing_scene
from randori.studio.names import source_hash
from randori.studio.project import Project
from randori.studio.props import CAR_PARTS, car_props, wall_prop
from randori.studio.scenes import parse, shipped_text
from randori.studio.vocabulary import vocabulary
from randori.timeline.session import Frame, Session
from randori.work import part

BEHAVIOURS = ("approach", "punch", "evade")
_MAKING_MOTION = ("kernels", "motion", "performer", "capture", "graph")
_RED, _WHITE, _WOOD = (0.8, 0.25, 0.15), (0.95, 0.95, 0.92), (0.85, 0.55, 0.15)
_NEAR_BALL = 0.8  # metres: who points there means the ball


class Live(ABC):
    """A session as the page sees it."""

    title: str
    session: Session
    skeleton: Skeleton
    names: list[str]
    wears: list[int]

    def __init__(self) -> None:
        self.scene: wire.SceneText | None = None  # that it plays
        self.props: list[wire.Prop] = []  # those that move come first
        self.controls: list[wire.LiveControl] = []

    def send(self, what: str, values: dict[str, Any]) -> "Live | None":
        """An input of the page. Some begin anew: then what goes on from here is the answer."""
        self.session.send(what, **values)
        return None

    def step(self) -> Frame:
        """The next tick."""
        return self.session.step()

    def decisions(self) -> list[wire.DecisionMark]:
        """Those that were made since they were last asked for."""
        return []

    @abstractmethod
    def keeping(self) -> Generator[float, None, Take]:
        """A take of what has happened so far."""


class LiveArena(Live):
    """Avatars with precomputed behaviours."""

    def __init__(self, name: str, title: str, table: policy.PolicyTable, seed: int):
        super().__init__()
        self.title = title
        self.session: Arena = avatars.open_scene(name, table, seed)
        self.skeleton = table.model.library.skeleton
        self.names = [avatar.name for avatar in self.session.cast]
        self.wears = [avatar.outfit for avatar in self.session.cast]
        self.props = [_ball("target", _RED, TARGET_RADIUS, k) for k in range(len(self.session.prop_places))]
        self.controls = _ARENA_CONTROLS.get(name, list)()

    def keeping(self) -> Generator[float, None, Take]:
        walks = yield from self.session.baking()
        return take_of(self.session.timeline(), walks, self.title, recoiled=True)


class LivePreparation(Live):
    """Somebody who walks, and prepares for what comes."""

    def __init__(self, name: str, title: str, repertoire: Repertoire, controller: Controller, seed: int):
        super().__init__()
        self.title = title
        self.session: preparation.PreparedScene = preparation.start_scene(name, repertoire, controller, seed)
        self.skeleton = repertoire.library.skeleton
        count = len(self.session.characters.minds)
        self.names = ["walker", *(f"person {k}" for k in range(1, count))]
        self.wears = list(range(count))
        balls = len(self.session.props())
        self.props = [_ball("ball", _WHITE, BALL_RADIUS, k) for k in range(balls)]
        for bar in self.session.obstacles():
            starts, stops, radii = cones(bar)
            self.props.append(_standing(bar.technique, _WOOD, starts, stops, radii))
        self.controls = _preparation_controls(self._techniques())
        self.alone = True  # the player made of code plays until somebody does

    def send(self, what: str, values: dict[str, Any]) -> None:
        if what == "autopilot":
            self.alone = bool(values.get("value", True))
            return
        self.alone = False
        if what == "goal" and values:
            x, z = self._meant(*_spot(values))
            self.session.send("goal", x=x, z=z)
        elif what == "launch" and not values.get("technique"):
            source, _, _ = self.session.characters.nearest(preparation.HERO)
            technique = source.technique if source is not None else self._techniques()[0]
            self.session.send("launch", technique=technique)
        else:
            self.session.send(what, **values)

    def step(self) -> Frame:
        if self.alone:
            self.session.play()
        return self.session.step()

    def keeping(self) -> Generator[float, None, Take]:
        yield 0.0
        timeline, walks = self.session.result()
        return take_of(timeline, walks, self.title)

    def _techniques(self) -> list[str]:
        return _TECHNIQUES[self.session.name]

    def _meant(self, x: float, z: float) -> tuple[float, float]:
        """The ball that somebody points at, or the place itself."""
        for ball in self.session.props():
            if np.hypot(ball[0] - x, ball[2] - z) < _NEAR_BALL:
                return float(ball[0]), float(ball[2])
        return x, z


class LiveFight(Live):
    """A scene of the duel whose characters want something else as soon as somebody says so."""

    def __init__(self, scene: Scene, graphs: dict[str, ActionGraph]):
        super().__init__()
        self.title = scene.title
        self.session: FightSession = FightSession(scene, graphs)
        clips = self.session.clips
        self.skeleton = clips[0].skeleton
        if any(clip.skeleton.names != self.skeleton.names for clip in clips):
            raise RandoriError("everybody in a live session needs the same skeleton")
        self.names = list(self.session.names)
        members = [scene.cast[who % len(scene.cast)] for who in range(len(self.names))]
        self.wears = [OUTFITS[member.outfit] if member.outfit else who for who, member in enumerate(members)]
        cars = enumerate(scene.cars)
        self.props = [prop for number, car in cars for prop in car_props(car, CAR_PARTS * number)]
        self.props += [wall_prop(wall) for wall in scene.walls]
        self.controls = _fight_controls(scene)
        self._told = 0

    def send(self, what: str, values: dict[str, Any]) -> None:
        if what == "goal":
            x, z = _spot(values)
            values = {key: value for key, value in values.items() if key != "place"} | {"place": [x, z]}
        self.session.send(what, **values)

    def step(self) -> Frame:
        frame = self.session.step()
        return replace(frame, props=np.repeat(frame.props, CAR_PARTS, axis=0))

    def decisions(self) -> list[wire.DecisionMark]:
        timeline = self.session.timeline()
        new = timeline.decisions[self._told :]
        first, self._told = self._told, len(timeline.decisions)
        return [
            wire.DecisionMark(
                number=first + k,
                tick=one.tick,
                who=one.who,
                action=one.action,
                name=timeline.tracks[one.who].library.describe(one.action),
                options=len(one.options),
                plausible=sum(not option.rule for option in one.options),
            )
            for k, one in enumerate(new)
        ]

    def keeping(self) -> Generator[float, None, Take]:
        return self.session.taking()


class LivePatches(Live):
    """A scene that is composed of patches; its main character is steered by commands."""

    def __init__(self, name: str, prepared: Prepared, seed: int, play: PatchPlay | None = None):
        super().__init__()
        self.prepared = prepared
        self.session: PatchSession = PatchSession(name, prepared, seed, play)
        self.title = self.session.play.title
        self.skeleton = prepared.graph.library.skeleton
        self.names, self.wears = list(self.session.names), list(self.session.outfits)
        self.props = [_ball("thing", _WHITE, BALL_RADIUS, k) for k in range(len(self.session.props(0)))]
        self.controls = _patch_controls(self.session.play.commands)
        if name == _DOMINOES:
            self.controls.append(_BITMAP)

    def send(self, what: str, values: dict[str, Any]) -> Live | None:
        if what == "bitmap" and self.session.name == _DOMINOES:
            rows = _bitmap(values)
            play = replace(self.session.play, compose=lambda prepared, seed: Dominoes(prepared, seed, rows))
            return LivePatches(_DOMINOES, self.prepared, self.session.seed, play)
        if what == "move":
            values = {"place": list(_spot(values))}
        self.session.send(what, **values)
        return None

    def keeping(self) -> Generator[float, None, Take]:
        return self.session.taking()


@dataclass(frozen=True)
class Kind:
    """A live session that can be started."""

    title: str
    description: str
    start: Callable[[str, wire.LiveStart, Project], Generator[float, None, Live]]
    ready: Callable[[], bool]


def opening(start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    """Prepare a session; yields the share that is done."""
    if start.session not in SESSIONS:
        raise RandoriError(f"there is no live session {start.session!r}; there are {', '.join(SESSIONS)}")
    return (yield from SESSIONS[start.session].start(start.session, start, project))


def listed() -> wire.LiveList:
    """All live sessions."""
    return wire.LiveList(
        sessions=[
            wire.LiveEntry(name=name, title=kind.title, description=kind.description, ready=kind.ready())
            for name, kind in SESSIONS.items()
        ]
    )


# What is loaded stays: the next session in this process starts at once.
_TABLE: list[policy.PolicyTable] = []
_PREPARED: list[tuple[Repertoire, Controller]] = []

# ---- fights

_LIVE_WEIGHTS = ("distance", "given_short", "given_long", "taken", "recency_weight", "path_weight")
_FEW = 6  # characters for whom there are controls
_SHIPPED = "fight-"


def _open_fight(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    shown = name.removeprefix(_SHIPPED)
    given = start.scene or wire.SceneText(text=shipped_text(shown), gallery=shown)
    scene = parse(project, given).changed(seed=start.seed)
    scene = yield from part(capturing_scene(scene), 0.0, 0.5)
    graphs = yield from part(preparing_cast(scene), 0.5, 0.5)
    live = LiveFight(scene, graphs)
    live.scene = given
    return live


def _fight_controls(scene: Scene) -> list[wire.LiveControl]:
    known = {control.key: control for control in vocabulary().weights}
    rows = [
        wire.LiveControl(
            what="goal",
            title="Lead them",
            help="Click on the floor: they fight their way there, the more their path weight is.",
            how="ground",
            value="place",
        )
    ]
    for member in scene.cast[:_FEW]:
        style = STYLES[member.style].with_weights(member.weights)
        for key in _LIVE_WEIGHTS:
            control = known[key]
            rows.append(
                wire.LiveControl(
                    what="weight",
                    title=f"{member.name}: {control.title.lower()}",
                    help=control.help,
                    how="number",
                    values={"who": member.name, "weight": key},
                    value="value",
                    minimum=control.minimum,
                    maximum=control.maximum,
                    logarithmic=control.logarithmic,
                    start=getattr(style, key),
                )
            )
        rows.append(
            wire.LiveControl(
                what="depth",
                title=f"{member.name}: intelligence",
                help="Selections that it looks ahead.",
                how="number",
                values={"who": member.name},
                value="value",
                minimum=1.0,
                maximum=4.0,
                start=float(member.depth),
            )
        )
    return rows


# ---- patches

_PATCHES = "patches-"
_DOMINOES = "dominoes"
_LARGEST_BITMAP = 40  # rows, and columns: more people than anybody waits for
_BITMAP = wire.LiveControl(
    what="bitmap",
    title="Picture on the floor",
    help="Paint it: they stand where it is, and fall until they fill it.",
    how="bitmap",
    value="rows",
)


def _bitmap(values: dict[str, Any]) -> list[str]:
    """The rows of a picture: # where somebody is to lie."""
    given = values.get("rows")
    rows = [row for row in given if isinstance(row, str)] if isinstance(given, list) else []
    sides = {len(rows), *map(len, rows)}
    known = rows == given and len(set(map(len, rows))) == 1 and set("".join(rows)) <= set("#.")
    if not known or not 0 < min(sides) <= max(sides) <= _LARGEST_BITMAP:
        raise RandoriError(
            f"bitmap: up to {_LARGEST_BITMAP} rows are expected, all with as many cells, # or . each"
        )
    if "#" not in "".join(rows):
        raise RandoriError("bitmap: paint at least one square")
    return rows


def _open_patches(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    scene = name.removeprefix(_PATCHES)
    prepared = yield from preparing_patches(scene)
    return LivePatches(scene, prepared, start.seed)


def _patch_controls(commands: Sequence[str]) -> list[wire.LiveControl]:
    known = {
        "move": wire.LiveControl(
            what="move", title="Move", help="Click on the floor: go there.", how="ground", value="place"
        ),
        "turn": wire.LiveControl(
            what="turn",
            title="Turn",
            help="The way to look, in degrees: 0 is +z, 90 is +x.",
            how="number",
            value="degrees",
            minimum=-180.0,
            maximum=180.0,
            start=0.0,
        ),
        "punch": wire.LiveControl(what="punch", title="Punch", help="Punch next.", how="key", key="j"),
        "kick": wire.LiveControl(what="kick", title="Kick", help="Kick next.", how="key", key="k"),
        "avoid": wire.LiveControl(
            what="avoid", title="Avoid", help="Get out of the way next.", how="key", key="l"
        ),
    }
    return [known[command] for command in commands if command in known]


def _patch_kinds() -> dict[str, Kind]:
    def ready(name: str) -> Callable[[], bool]:
        return lambda: any((cache_folder() / "patches").glob(f"{name}-*.npz"))

    return {
        f"{_PATCHES}{name}": Kind(play.title, play.description, _open_patches, ready(name))
        for name, play in PLAYS.items()
    }


# ---- avatars


def _open_arena(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    table = yield from _policy_table()
    return LiveArena(name, SESSIONS[name].title, table, start.seed)


def _policy_table() -> Generator[float, None, policy.PolicyTable]:
    """The table of the built-in boxer: learned once, then read."""
    if _TABLE:
        return _TABLE[0]
    library = yield from part(performed(Motions(perform=("boxing",))), 0.0, 0.3)
    path = _controller_path("policy")
    try:
        table = policy.read(path, library)
    except FileError:
        table = yield from part(policy.training(library, BEHAVIOURS), 0.3, 0.7)
        path.parent.mkdir(parents=True, exist_ok=True)
        policy.write(path, table)
    _TABLE.append(table)
    return table


def _controller_path(name: str) -> Path:
    return cache_folder() / "controllers" / f"{name}-{source_hash((*_MAKING_MOTION, name))}.npz"


def _behaviour_controls(names: Sequence[str], count: int) -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="weight",
            title=f"{name}, boxer {who + 1}",
            help=f"How much boxer {who + 1} wants to {name}.",
            how="number",
            values={"who": who, "behaviour": name},
            value="value",
            minimum=0.0,
            maximum=3.0,
            start=1.0,
        )
        for who in range(count)
        for name in names
    ]


def _target_controls() -> list[wire.LiveControl]:
    drag = wire.LiveControl(
        what="target",
        title="Target",
        help="Drag it: the boxer follows and hits it.",
        how="drag",
        values={"which": 0},
        value="place",
    )
    return [drag, *_behaviour_controls(("approach", "punch"), 1)]


def _person_controls() -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="goal", title="Walk", help="Click on the floor to walk there.", how="ground", value="place"
        ),
        wire.LiveControl(what="fight", title="Fight", help="Go at the other boxer.", how="key", key="f"),
        wire.LiveControl(what="guard", title="Guard", help="Get out of the way.", how="key", key="g"),
    ]


_ARENA_CONTROLS: dict[str, Callable[[], list[wire.LiveControl]]] = {
    "target": _target_controls,
    "person": _person_controls,
    "sparring": lambda: _behaviour_controls(BEHAVIOURS, 2),
}


# ---- preparation

_TECHNIQUES = {
    "kick": ["kick ball"],
    "punch": ["punch"],
    "course": ["duck under", "jump over", "crawl under"],
}


def _open_preparation(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    repertoire, controller = yield from _prepared()
    return LivePreparation(name, SESSIONS[name].title, repertoire, controller, start.seed)


def _prepared() -> Generator[float, None, tuple[Repertoire, Controller]]:
    """What the built-in performer prepares with, and how it learned when: once, then read."""
    if _PREPARED:
        return _PREPARED[0]
    library = yield from part(_prepared_library(), 0.0, 0.5)
    repertoire = make_repertoire(library)
    path = _controller_path("prepare")
    try:
        controller = read_controller(path, repertoire.gaits)
    except FileError:
        controller = yield from part(learn(repertoire), 0.5, 0.5)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_controller(path, controller)
    _PREPARED.append((repertoire, controller))
    return repertoire, controller


def _prepared_library() -> Generator[float, None, ActionLibrary]:
    path = cache_folder() / "libraries" / f"prepare-{source_hash((*_MAKING_MOTION, 'prepare'))}.npz"
    try:
        return library_file.read(path)
    except FileError:
        library = yield from performed_library()
    path.parent.mkdir(parents=True, exist_ok=True)
    library_file.write(path, library)
    return library


def _preparation_controls(techniques: list[str]) -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="goal",
            title="Walk",
            help="Arrow keys, or a click on the floor: where to walk.",
            how="ground",
            value="place",
        ),
        wire.LiveControl(
            what="launch",
            title="Launch",
            help="Space, or the right mouse button: what is prepared for.",
            how="key",
            key=" ",
        ),
        *(
            wire.LiveControl(
                what="launch",
                title=technique.capitalize(),
                help=f"Right now: {technique}.",
                how="button",
                values={"technique": technique},
            )
            for technique in techniques
        ),
        wire.LiveControl(
            what="autopilot",
            title="Play by itself",
            help="Let the built-in player go on.",
            how="button",
            values={"value": True},
        ),
    ]


def _spot(values: dict[str, Any]) -> tuple[float, float]:
    """x and z of a place that the page gives."""
    place = values.get("place")
    if not isinstance(place, list) or len(place) != 3 or not all(isinstance(v, int | float) for v in place):
        raise RandoriError("goal: expected a place of three numbers, in metres")
    return float(place[0]), float(place[2])


# ---- things


def _ball(name: str, colour: wire.Colour, radius: float, number: int) -> wire.Prop:
    here = (0.0, 0.0, 0.0)
    return wire.Prop(name=name, colour=colour, starts=[here], stops=[here], radii=[radius], path=number)


def _standing(
    name: str, colour: wire.Colour, starts: np.ndarray, stops: np.ndarray, radii: np.ndarray
) -> wire.Prop:
    return wire.Prop(
        name=name,
        colour=colour,
        starts=starts.tolist(),
        stops=stops.tolist(),
        radii=radii.tolist(),
        path=-1,
    )


def _has(name: str) -> Callable[[], bool]:
    return lambda: _controller_path(name).is_file()


def _fights() -> dict[str, Kind]:
    """Shipped scenes that can be played live."""
    words = "A fight without end: change what they want, and the next decision follows it."
    rows = {}
    for name in _PLAYED_LIVE:
        title = Scene.load(name).title
        rows[f"{_SHIPPED}{name}"] = Kind(f"Live: {title.lower()}", words, _open_fight, lambda: True)
    return rows


_PLAYED_LIVE = ("boxing", "sword-duel", "chase", "brawl")
SESSIONS: dict[str, Kind] = {
    **_fights(),
    "target": Kind(
        "Drag the target",
        "A boxer follows a target that you drag, and hits it.",
        _open_arena,
        _has("policy"),
    ),
    "sparring": Kind(
        "Sparring", "Two boxers with precomputed behaviour spar without end.", _open_arena, _has("policy")
    ),
    "person": Kind(
        "You against a boxer", "Walk, fight and guard with mouse and keys.", _open_arena, _has("policy")
    ),
    "thirty": Kind("Thirty boxers", "Fifteen pairs spar at once.", _open_arena, _has("policy")),
    "kick": Kind(
        "Kick the ball",
        "A walker prepares for the ball on the way to it.",
        _open_preparation,
        _has("prepare"),
    ),
    "punch": Kind(
        "Punch who walks in",
        "People walk in from all sides; the walker prepares for the nearest.",
        _open_preparation,
        _has("prepare"),
    ),
    "course": Kind(
        "Obstacle course",
        "Bars to duck under, jump over and crawl under; between two near ones the walker stays prepared.",
        _open_preparation,
        _has("prepare"),
    ),
    **_patch_kinds(),
}
