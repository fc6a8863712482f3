"""Scenes that are composed of patches, live or headless: what happens, and what is to be seen beside people.

prepared = finish(preparing("one-fights-many"))
session = PatchSession("one-fights-many", prepared, seed=1)
session.send("kick")                # move (place), turn (degrees), punch, kick, avoid
frame = session.step()              # one tick
take = finish(session.taking())     # what was played so far: refined, measured, to be saved
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from randori.body.palette import palette
from randori.errors import RandoriError
from randori.motion.clip import Clip
from randori.patches import mouse
from randori.patches.ball import RADIUS, Ball, way_of_ball
from randori.patches.compose import OBEY, Wish
from randori.patches.dominoes import Dominoes
from randori.patches.fights import OneFightsMany, TwoFight
from randori.patches.football import Football
from randori.patches.liveliness import liveliness, seconds_to_obey
from randori.patches.panic import Panic
from randori.patches.prepared import Prepared
from randori.patches.relay import Relay
from randori.patches.stage import Stage
from randori.performer.luggage import PIECES
from randori.physics.refine import refining
from randori.render.camera import ELEVATION, Focus
from randori.render.stage import Prop
from randori.render.stage import Stage as RenderStage
from randori.render.viewpoint import Moment, choose_front
from randori.scene.filming import filmed
from randori.scene.session import Actor
from randori.scene.take import Take, View, baking_bodies, finished_take, making_take
from randori.timeline.crowds import Crowd
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Timeline
from randori.work import part

_FAR = 1e4  # metres
_PARKED = 60.0  # metres from everything: where those are who have not come yet
_FUR, _RING = (0.2, 0.16, 0.14), (0.95, 0.6, 0.1)
# the mouse as it is drawn, that runs along +Z: (start, stop, radius) in metres. It is drawn larger than it
# runs, and has a ring on the floor about it: ten pixels are not seen
_MOUSE = [
    ((0.0, 0.06, -0.07), (0.0, 0.055, 0.05), 0.055),
    ((0.0, 0.05, 0.08), (0.0, 0.04, 0.13), 0.032),
    ((0.045, 0.1, 0.07), (0.05, 0.11, 0.07), 0.026),
    ((-0.045, 0.1, 0.07), (-0.05, 0.11, 0.07), 0.026),
    ((0.0, 0.03, -0.12), (0.03, 0.02, -0.34), 0.011),
]
_RING_SIZE, _RING_SIDES = (0.3, 0.014), 20  # metres: how wide, how thick
_LEATHER = (0.45, 0.26, 0.12)
_HIGH = np.radians(24.0)  # those in front hide less
_ABOVE = np.radians(38.0)  # over the heads of those in front
_RAISED, _STEEP = np.radians(18.0), np.radians(50.0)  # behind each other; down between people
_ASPECT = 16.0 / 9.0
_LOOKS_AHEAD = 0.35  # seconds ahead of a runner that pictures are about
_CAUSE, _EVENT_PICTURES = (
    0.7,
    10,
)  # seconds before an event that show its cause; events that a side is chosen by
_SIDES, _LOOKED_AT = 24, 60  # sides and moments that are tried so that the mouse is seen
_WIDE, _TALL = 0.3, 1.75  # metres, of people who may hide it
COMMAND_LATEST = 2.0  # seconds within which every command has to begin
COMMANDS = ("move", "turn", "punch", "kick", "avoid")


class Composition(Protocol):
    """What composes a scene."""

    stage: Stage

    @property
    def names(self) -> list[str]:
        """Everybody who takes part, those among them who come later."""

    def obey(self, wish: Wish, now: int) -> None:
        """A command: what has not begun in a tick is planned anew."""

    def advance(self, now: int) -> None:
        """Plan so far that everything until a tick is known."""


@dataclass(frozen=True)
class PatchPlay:
    """A scene that can be played."""

    title: str
    description: str
    compose: Callable[[Prepared, int], Composition]
    commands: tuple[str, ...]  # that the main character knows
    reach: float = 0.0  # metres about what the scene is about that pictures show; 0: everybody
    elevation: float = ELEVATION  # radians above the floor that pictures are taken from
    front: float | None = None  # radians, the side that they are taken from; None: the best for its events
    least: float = 0.0  # of a picture's height that somebody in its middle takes, even if others are cut off


PLAYS = {
    "one-fights-many": PatchPlay(
        "One fights many",
        "A hero among opponents who come at him from all sides.",
        OneFightsMany,
        COMMANDS,
        reach=2.2,
        elevation=_HIGH,
        least=0.5,
    ),
    "two-fight": PatchPlay("Two fight on and on", "Two who never stop.", TwoFight, COMMANDS),
    "football": PatchPlay(
        "A run through tacklers",
        "Somebody runs with the ball; tacklers come at him, and miss.",
        Football,
        ("move", "turn", "avoid"),
        reach=2.6,
        elevation=_RAISED,
        least=0.5,
    ),
    "mouse": PatchPlay(
        "A mouse in a crowd",
        "People jump out of the way of a mouse and bump into each other; steer the mouse.",
        Panic,
        ("move", "turn"),
        reach=1.9,
        elevation=_STEEP,
        least=0.42,
    ),
    "dominoes": PatchPlay(
        "Dominoes",
        "One falls onto the next until the fallen fill a picture on the floor.",
        Dominoes,
        (),
        reach=2.0,
        elevation=_ABOVE,
        front=np.pi,  # the picture stands upright
    ),
    "luggage": PatchPlay(
        "Luggage passed along",
        "Bags, boxes and suitcases go from hand to hand.",
        Relay,
        (),
        reach=2.2,
        elevation=_HIGH,
        front=-0.4 * np.pi,  # the row of the first piece is in front
    ),
}


class PatchSession:
    """A live session; see timeline/session.py. A headless run is one that nobody touches."""

    def __init__(self, name: str, prepared: Prepared, seed: int = 1, play: PatchPlay | None = None) -> None:
        """`play` is another one than the scene's own: dominoes with another picture."""
        if name not in PLAYS:
            raise RandoriError(f"there is no scene of patches {name!r}; there are {', '.join(PLAYS)}")
        self.name, self.seed, self.play = name, seed, play or PLAYS[name]
        self.composition = self.play.compose(prepared, seed)
        self.names = self.composition.names
        self.tick = 0
        self._inputs: list[Input] = []
        self._actors = [Actor() for _ in self.names]
        self._skeleton = prepared.graph.library.skeleton
        composer = getattr(self.composition, "composer", None)
        self._words: dict[str, np.ndarray] = composer.words if composer is not None else {}
        self._ball, self._ball_place = Ball(), np.array([0.0, 1.0, 0.0])
        self.composition.advance(0)

    @property
    def fps(self) -> float:
        return self.composition.stage.fps

    @property
    def inputs(self) -> Sequence[Input]:
        return self._inputs

    @property
    def outfits(self) -> list[int]:
        """Of everybody, of body.palette."""
        known = [actor for actor in self.composition.stage.actors if not actor.thing]
        return [known[who].outfit if who < len(known) else who for who in range(len(self.names))]

    def send(self, what: str, **values: Any) -> Input:
        """A command for the main character, who breaks off what it does at the end of its action."""
        if what not in self.play.commands:
            known = ", ".join(self.play.commands) or "nothing"
            raise RandoriError(f"{self.name} does not know {what!r}; it knows {known}")
        self.composition.obey(_to_wish(what, values), self.tick)
        self._inputs.append(Input(self.tick, what, dict(values)))
        return self._inputs[-1]

    def advance(self) -> None:
        """The next tick, without a look at it."""
        self.tick += 1
        self.composition.advance(self.tick)

    def step(self) -> Frame:
        """The next tick."""
        self.advance()
        stage = self.composition.stage
        people = [actor for actor in stage.actors if not actor.thing]
        joints = len(self._skeleton)
        roots = np.zeros((len(self.names), 3))
        rotations = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(self.names), joints, 1))
        for who, poses in enumerate(self._actors):
            steps = people[who].steps if who < len(people) else []
            if not steps:
                roots[who] = _PARKED, 1.0, _PARKED + who
            else:
                roots[who], rotations[who] = poses.pose(steps, stage.library, self.tick)
        if isinstance(self.composition, Football):
            runner = Clip("", self._skeleton, self.fps, roots[:1], rotations[:1])
            self._ball_place = self._ball.place(self._skeleton, runner.positions[0])
        events = tuple(event for event in stage.events if event.tick == self.tick)
        return Frame(self.tick, roots, rotations, self.props(self.tick), _known(events))

    def props(self, tick: int) -> np.ndarray:
        """(P, 3) metres, where things are in a tick."""
        if isinstance(self.composition, Panic):
            x, z, _ = self.composition.mouse_place(tick)
            return np.array([[x, mouse.HEIGHT, z]])
        if isinstance(self.composition, Football):
            return self._ball_place[None]
        return np.zeros((0, 3))

    def things(self, take: Take) -> list[Prop]:
        """What is to be seen in pictures of a take."""
        if isinstance(self.composition, Panic):
            return _mouse(self.composition.mouse_way(take.ticks), self.fps)
        if isinstance(self.composition, Football):
            return [Prop.ball(way_of_ball(take.clips[0]), RADIUS, _LEATHER, self.fps)]
        if not isinstance(self.composition, Relay):
            return []
        ways = self.composition.ways(take.clips)
        pieces = [row.piece for row in self.composition.rows]
        return [luggage(piece, way, self.fps) for piece, way in zip(pieces, ways)]

    def view(self, take: Take) -> View:
        """From where a take is seen: so that what leads to its events is in the picture, too."""
        view, focus = View(elevation=self.play.elevation), self.focus(take)
        if focus is None:
            return filmed(replace(take, view=view)).view
        if isinstance(self.composition, Panic):
            roots = np.stack([clip.root_position[:, [0, 2]] for clip in take.clips])
            focus = replace(focus, front=_least_hidden(focus.path, roots, self.play.elevation))
        elif focus.front is None and (moments := causes(take)):
            stage = RenderStage.of(take.clips, [palette(role.outfit) for role in take.roles], take.props)
            front = choose_front(stage, focus, moments, self.play.elevation, _ASPECT)
            focus = replace(focus, front=front)
        return view._replace(focus=focus)

    def focus(self, take: Take) -> Focus | None:
        """What pictures of a take are about."""
        reach = np.full(take.ticks + 1, self.play.reach)
        if not self.play.reach:
            return None
        if isinstance(self.composition, Dominoes):
            front = self.composition.front(take.ticks)
            return Focus.on(front[:, :2], front[:, 2], self.fps, self.play.front)
        if isinstance(self.composition, Panic):
            way = self.composition.mouse_way(take.ticks)[:, :2]
        elif isinstance(self.composition, Relay):
            way = self.composition.ways(take.clips)[0][:, [0, 2]]
        else:
            way = take.clips[0].root_position[:, [0, 2]]
        if isinstance(self.composition, Football):  # where he runs is where tacklers come from
            speed = np.gradient(way, 1.0 / self.fps, axis=0) if len(way) > 1 else np.zeros_like(way)
            way = way + _LOOKS_AHEAD * speed
        return replace(Focus.on(way, reach, self.fps, self.play.front), least=self.play.least)

    def timeline(self) -> Timeline:
        """What has happened so far."""
        timeline = self.composition.stage.timeline(self.tick, {"scene": self.name, "seed": self.seed})
        return replace(timeline, crowd=self.figures())

    def figures(self) -> Crowd:
        """How alive it was so far, for the report."""
        stage = self.composition.stage
        if self.tick < 1:
            return Crowd()
        heroes = {OneFightsMany: (0,), TwoFight: (0, 1)}.get(type(self.composition), ())
        found = liveliness(stage, self.tick, heroes or (0,))
        known = [one for one in self._inputs if one.tick + COMMAND_LATEST * self.fps <= self.tick]
        waits = np.array([self._seconds_to_obey(one) for one in known])
        return Crowd(
            crowd_people=sum(not actor.thing and bool(actor.steps) for actor in stage.actors),
            crowd_repeats=found.locks,
            heroes=len(heroes),
            hero_idle=found.idle if heroes else 0.0,
            hero_peace=found.longest_peace if heroes else 0.0,
            risers=0 if isinstance(self.composition, Dominoes) else len(self.names),
            longest_lying=found.longest_down,
            commands=len(waits),
            commands_late=float((waits > OBEY).mean()) if len(waits) else 0.0,
            commands_unanswered=int((waits > COMMAND_LATEST).sum()),
        )

    def _seconds_to_obey(self, told: Input) -> float:
        stage = self.composition.stage
        wish = replace(_to_wish(told.what, told.values), since=told.tick)
        does = self._words.get(wish.word, np.zeros(0, dtype=bool))
        until = min(told.tick + round(COMMAND_LATEST * self.fps) + 1, self.tick)
        return seconds_to_obey(stage, wish, told.tick, until, does)

    def taking(self) -> Generator[float, None, Take]:
        """The take of what was played so far, with its things and its view."""
        take = yield from self._taking()
        take = replace(take, props=tuple(self.things(take)))
        return replace(take, view=self.view(take))

    def _taking(self) -> Generator[float, None, Take]:
        timeline, relay = self.timeline(), self.composition
        if not isinstance(relay, Relay):
            return (yield from making_take(timeline, self.play.title))
        walks = yield from part(baking_bodies(timeline), 0.0, 0.7)
        refined = yield from part(refining(timeline, walks), 0.7, 0.3)
        clips = relay.hold([one.walk.clip for one in refined])
        holding = [one._replace(walk=replace(one.walk, clip=clip)) for one, clip in zip(refined, clips)]
        return finished_take(timeline, holding, self.play.title)


def causes(take: Take) -> list[Moment]:
    """Moments that must be seen: some of what happens, spread over the take, and what leads to each."""
    told = [event for event in take.events if event.whom >= 0 and event.tick > _CAUSE * take.fps]
    some = [told[k * len(told) // _EVENT_PICTURES] for k in range(_EVENT_PICTURES)] if told else []
    moments = []
    for event in dict.fromkeys(some):
        time, people = event.tick / take.fps, (event.who, event.whom)
        moments += [Moment(time - _CAUSE, people), Moment(time, people)]
    return moments


def _least_hidden(way: np.ndarray, roots: np.ndarray, elevation: float) -> float:
    """Radians: the side from which the fewest of some people (C, F, 2) hide what moves along a way (F, 2)."""
    rows = np.linspace(0, len(way) - 1, _LOOKED_AT).astype(int)
    away = roots[:, rows] - way[rows]
    hides = _TALL / np.tan(elevation)  # metres in front of it within which somebody hides it
    sides = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    hidden = []
    for side in sides.tolist():
        near = away @ np.array([np.sin(side), np.cos(side)])
        across = np.abs(away @ np.array([np.cos(side), -np.sin(side)]))
        hidden.append(float(((near > 0.0) & (near < hides) & (across < _WIDE)).any(axis=0).mean()))
    return float(sides[int(np.argmin(hidden))])


def _mouse(way: np.ndarray, fps: float) -> list[Prop]:
    """The mouse, and the ring about it."""
    path = np.insert(way, 1, 0.0, axis=1)
    start, stop, radius = (np.array(column) for column in zip(*_MOUSE))
    wide, thick = _RING_SIZE
    angles = np.linspace(0.0, 2.0 * np.pi, _RING_SIDES + 1)
    circle = np.column_stack([wide * np.sin(angles), np.full(len(angles), thick), wide * np.cos(angles)])
    ring = Prop(circle[:-1], circle[1:], np.full(_RING_SIDES, thick), _RING, path, fps)
    return [Prop(start, stop, radius, _FUR, path, fps), ring]


def luggage(name: str, way: np.ndarray, fps: float) -> Prop:
    """A piece of luggage: round cones along its edges."""
    wide, high, deep = PIECES[name].size
    radius = 0.25 * min(wide, high, deep)
    rounds = [max(0.5 * size - radius, 0.0) for size in (wide, high, deep)]
    starts, stops = [], []
    for y in (-1.0, -0.33, 0.33, 1.0):
        for x in (-1.0, 0.0, 1.0):
            starts.append((x * rounds[0], y * rounds[1], -rounds[2]))
            stops.append((x * rounds[0], y * rounds[1], rounds[2]))
    return Prop(np.array(starts), np.array(stops), np.full(len(starts), radius), _LEATHER, way, fps)


def _to_wish(what: str, values: dict[str, Any]) -> Wish:
    if what == "move":
        place = values.get("place")
        match place:
            case [int() | float() as x, int() | float() as z] if abs(x) < _FAR and abs(z) < _FAR:
                return Wish("move", (float(x), float(z)))
        raise RandoriError(f"move: place is x and z in metres, not {place!r}")
    if what == "turn":
        degrees = values.get("degrees")
        if not isinstance(degrees, int | float) or abs(degrees) > 360:
            raise RandoriError(f"turn: degrees is a number from -360 to 360, not {degrees!r}")
        return Wish("turn", facing=float(np.deg2rad(degrees)))
    if values:
        raise RandoriError(f"{what}: unknown: {', '.join(values)}")
    return Wish(what)


def _known(events: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda event: (event.who, event.whom, event.kind)))
