"""Three scenes with a person at the keyboard: a ball to kick, people to punch, an obstacle course.

Each is a session (timeline/session.py). Its inputs are `goal` with x and z (or nothing, to stay) and
`launch` with the name of a target motion. Where nobody is at the keyboard a player made of code is.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from math import radians
from typing import Any

import numpy as np

from randori import __version__
from randori.body.capsules import CAPSULES, fit
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.prepare.characters import WALKING, Characters, Source
from randori.prepare.controller import Controller
from randori.prepare.repertoire import Repertoire
from randori.prepare.room import gap
from randori.prepare.things import BALL_RADIUS, Ball, Obstacle, fit_obstacle
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Timeline

HERO = 0
_FOOT_NEAR = 0.45  # metres from the ball at which a kick meets it
_STRUCK = ("head", "upper_torso", "lower_torso")  # what a punch can meet
_KEEP_APART = 1.15  # metres that people who walk in come near
_FALLS = 1.8  # metres behind somebody that he needs to fall,
_ROOM = 0.7  # metres beside it
_TURNS = tuple(radians(turn) for turn in (0, 25, -25, 50, -50, 75, -75, 100, -100))  # round to more room


class PreparedScene(ABC):
    """What the scenes have in common: characters, inputs, events."""

    name = ""

    def __init__(self, repertoire: Repertoire, controller: Controller, seed: int, count: int):
        self.characters = Characters(repertoire, controller, count)
        self.characters.sources = self.sources
        self.seed = seed
        self._inputs: list[Input] = []

    @property
    def fps(self) -> float:
        return self.characters.fps

    @property
    def tick(self) -> int:
        return self.characters.tick

    @property
    def inputs(self) -> Sequence[Input]:
        return self._inputs

    def send(self, what: str, **values: Any) -> Input:
        """`goal` with x and z, or without to stay; `launch` with technique."""
        if what == "goal":
            known = {"x", "z"} if values else set()
            if set(values) != known:
                raise RandoriError(f"goal: expected x and z in metres, or nothing; got {', '.join(values)}")
            try:
                place = (float(values["x"]), float(values["z"])) if values else None
            except (TypeError, ValueError) as error:
                raise RandoriError("goal: x and z have to be metres") from error
            if place is not None and not np.isfinite(place).all():
                raise RandoriError("goal: x and z have to be metres")
            self.characters.head_for(HERO, place)
        elif what == "launch":
            if set(values) != {"technique"}:
                raise RandoriError("launch: expected technique, the name of a target motion")
            self.characters.launch(HERO, str(values["technique"]))
        else:
            raise RandoriError(f"nobody knows the input {what!r}; there are goal and launch")
        sent = Input(self.tick, what, dict(values))
        self._inputs.append(sent)
        return sent

    def step(self) -> Frame:
        """The next tick."""
        characters, before = self.characters, len(self.characters.events)
        characters.step()
        self.happen()
        return Frame(
            self.tick,
            characters.bodies.root.copy(),
            characters.bodies.rotations.copy(),
            self.props(),
            tuple(characters.events[before:]),
        )

    def timeline(self) -> Timeline:
        """What has happened so far."""
        return self.result()[0]

    def result(self) -> tuple[Timeline, list[Walk]]:
        """What has happened so far, and the clips of everybody."""
        return self.characters.timeline({"scene": self.name, "seed": self.seed, "version": __version__})

    def props(self) -> np.ndarray:
        """(P, 3) metres, where the things are that move."""
        return np.zeros((0, 3))

    def obstacles(self) -> Sequence[Obstacle]:
        """What stands in the way."""
        return ()

    @abstractmethod
    def sources(self, body: int) -> Sequence[Source]:
        """What a character may prepare for."""

    @abstractmethod
    def happen(self) -> None:
        """What else there is in a tick."""

    @abstractmethod
    def play(self) -> None:
        """What the player made of code does before a tick."""

    def _launch_when_ready(self) -> None:
        """A player waits until the character is prepared."""
        if self.characters.ready(HERO):
            source, _, _ = self.characters.nearest(HERO)
            assert source is not None
            self.send("launch", technique=source.technique)

    def _joint(self, body: int, part: str) -> np.ndarray:
        """(3,) metres, where a body part is."""
        bodies, skeleton = self.characters.bodies, self.characters.repertoire.library.skeleton
        positions, _ = skeleton.forward(bodies.root[[body]], bodies.rotations[[body]])
        return positions[0, skeleton.joint(part)]

    def _event_now(self, technique: str) -> Event | None:
        """The moment in which a target motion takes effect."""
        for event in reversed(self.characters.events):
            if event.tick < self.tick - 1:
                break
            if event.kind == "effect" and event.what == technique:
                return event
        return None


class KickScene(PreparedScene):
    """Balls on a lawn: one is chosen, walked to, and kicked."""

    name = "kick"

    def __init__(self, repertoire: Repertoire, controller: Controller, seed: int = 1):
        super().__init__(repertoire, controller, seed, 1)
        random = np.random.default_rng(seed)
        self.characters.put(HERO, 0.0, 0.0, float(random.uniform(-0.5, 0.5)))
        self.balls = []
        angle = float(random.uniform(-0.6, 0.6))
        for number in range(3):
            away = 5.5 + 3.5 * number
            place = np.array([away * np.sin(angle), BALL_RADIUS, away * np.cos(angle)])
            self.balls.append(Ball(place))
            angle += float(random.uniform(-0.35, 0.35))

    def sources(self, body: int) -> Sequence[Source]:
        goal = self.characters.minds[body].goal
        return [
            Source("kick ball", place, number)
            for number, ball in enumerate(self.balls)
            if not ball.kicked and (place := (float(ball.place[0]), float(ball.place[2]))) == goal
        ]

    def happen(self) -> None:
        event = self._event_now("kick ball")
        if event is not None and event.whom >= 0 and not self.balls[event.whom].kicked:
            ball = self.balls[event.whom]
            target = self.characters.repertoire.find("kick ball")
            foot = f"{self.characters.repertoire.library.tags[target.action].side}_foot"
            if np.linalg.norm((self._joint(HERO, foot) - ball.place)[[0, 2]]) < _FOOT_NEAR:
                heading = self.characters.bodies.state.bodies["heading"][HERO]
                ball.kick(9.0 * np.array([np.sin(heading), 0.0, np.cos(heading)]))
                self.characters.events.append(
                    Event(self.tick, "kicked", HERO, what=foot, part="ball", point=tuple(ball.place.tolist()))
                )
                self.characters.head_for(HERO, None)
        for ball in self.balls:
            if ball.kicked:
                ball.step(1.0 / self.fps)

    def props(self) -> np.ndarray:
        return np.array([ball.place for ball in self.balls])

    def play(self) -> None:
        mind = self.characters.minds[HERO]
        waiting = [ball for ball in self.balls if not ball.kicked]
        if mind.mode == WALKING and mind.goal is None and waiting and self.tick >= 30:
            self.send("goal", x=float(waiting[0].place[0]), z=float(waiting[0].place[2]))
        self._launch_when_ready()


class PunchScene(PreparedScene):
    """People walk in from all sides; the nearest one is prepared for, and punched."""

    name = "punch"

    def __init__(self, repertoire: Repertoire, controller: Controller, seed: int = 1, people: int = 3):
        super().__init__(repertoire, controller, seed, 1 + people)
        random = np.random.default_rng(seed)
        self.characters.put(HERO, 0.0, 0.0, 0.0)
        for number in range(1, people + 1):
            angle = radians(-50.0) + radians(100.0) * (number - 1) / max(people - 1, 1)
            angle += float(random.uniform(-0.15, 0.15))
            away = 4.5 + 3.5 * ((number * 2) % (people + 1))
            x, z = away * np.sin(angle), away * np.cos(angle)
            self.characters.put(number, float(x), float(z), float(rot.wrap_angle(angle + np.pi)))
            self.characters.minds[number].controlled = False

    def _standing(self) -> list[int]:
        """Those who have not been struck down."""
        return [n for n in range(1, len(self.characters.minds)) if self.characters.minds[n].mode == WALKING]

    def _place(self, body: int) -> tuple[float, float]:
        x, z = self.characters.bodies.state.bodies["place"][body]
        return float(x), float(z)

    def sources(self, body: int) -> Sequence[Source]:
        if body != HERO:
            return ()
        return [
            Source("punch", self._place(number), number, self._closing(number)) for number in self._standing()
        ]

    def _closing(self, number: int) -> float:
        """Metres per second that somebody walks towards the character."""
        state, (x, z) = self.characters.bodies.state, self._place(HERO)
        _, angle = self.characters.seen(number, x, z)
        aside, ahead, _ = state.bodies["shown_velocity"][number]
        return float(ahead * np.cos(angle) + aside * np.sin(angle))

    def happen(self) -> None:
        hero = np.array(self._place(HERO))
        for number in self._standing():
            here = np.array(self._place(number))
            distance = float(np.linalg.norm(here - hero))
            goal = self._spot(number, hero, here)
            near = distance < _KEEP_APART + 0.35
            self.characters.head_for(number, None if near else (float(goal[0]), float(goal[1])))
        target = self.characters.minds[HERO].target
        if target is not None and target.technique == "punch":
            cursor = self.characters.bodies.state.bodies["cursor"][HERO]
            if target.movement <= cursor <= target.finish:
                self._strike(f"{self.characters.repertoire.library.tags[target.action].side}_hand")

    def _spot(self, number: int, hero: np.ndarray, here: np.ndarray) -> np.ndarray:
        """(2,) where somebody stands up to the character: with room behind him to fall."""
        bearing = float(np.arctan2(*(here - hero)))
        others = [np.array(self._place(other)) for other in self._standing() if other != number]
        lying = self.characters.lying()
        for turn in _TURNS:
            way = np.array([np.sin(bearing + turn), np.cos(bearing + turn)])
            falling = hero + np.outer([_KEEP_APART, _KEEP_APART + _FALLS], way)
            free = all(gap(falling, body) > _ROOM for body in lying)
            if free and all(np.linalg.norm(falling[0] - other) > _ROOM for other in others):
                return falling[0]
        return hero + _KEEP_APART * np.array([np.sin(bearing), np.cos(bearing)])

    def _strike(self, fist: str) -> None:
        """Whoever is touched by a fist goes down."""
        mine = self._flesh(HERO)[CAPSULES.index(fist), 1]
        radii = fit(self.characters.repertoire.library.skeleton).radii
        for number in self._standing():
            theirs = self._flesh(number)
            for part in _STRUCK:
                capsule = CAPSULES.index(part)
                start, stop = theirs[capsule]
                bone = stop - start
                share = np.clip((mine - start) @ bone / max(float(bone @ bone), 1e-12), 0.0, 1.0)
                gap = (
                    np.linalg.norm(mine - start - share * bone) - radii[capsule] - radii[CAPSULES.index(fist)]
                )
                if gap <= 0.0:
                    point = tuple(mine.tolist())
                    self.characters.events.append(
                        Event(self.tick - 1, "hit", HERO, number, fist, part, strength=1.0, point=point)
                    )
                    self.characters.strike_down(number)
                    return

    def _flesh(self, body: int) -> np.ndarray:
        """(16, 2, 3) metres, somebody's capsules."""
        bodies, skeleton = self.characters.bodies, self.characters.repertoire.library.skeleton
        placed = skeleton.forward(bodies.root[[body]], bodies.rotations[[body]])
        return fit(skeleton).place(*placed)[0]

    def play(self) -> None:
        characters = self.characters
        source, _, _ = characters.nearest(HERO, ahead=False)
        if source is not None and characters.minds[HERO].mode == WALKING and self.tick % 15 == 0:
            distance, _ = characters.seen(HERO, *source.place)
            wanted = source.place if distance < 5.0 else None
            if characters.minds[HERO].goal != wanted:
                if wanted is None:
                    self.send("goal")
                else:
                    self.send("goal", x=wanted[0], z=wanted[1])
        self._launch_when_ready()


class CourseScene(PreparedScene):
    """Bars to crawl under, duck under and jump over, some of them close together."""

    name = "course"

    def __init__(self, repertoire: Repertoire, controller: Controller, seed: int = 1):
        super().__init__(repertoire, controller, seed, 1)
        random = np.random.default_rng(seed)
        self.characters.put(HERO, 0.0, 0.0, float(random.uniform(-0.4, 0.4)))
        self.passed: set[int] = set()
        self.bars: list[Obstacle] = []
        along = 1.0
        # the way before each: far from anything, or close behind the one before
        for technique, before in COURSE:
            target = repertoire.find(technique)
            along += before * float(random.uniform(0.9, 1.2)) + target.range
            self.bars.append(fit_obstacle(repertoire, technique, (0.0, along), 0.0))
            along += _way_after(repertoire, technique)
        self.end = (0.0, along + 4.0)

    def sources(self, body: int) -> Sequence[Source]:
        x, z = self.characters.bodies.state.bodies["place"][body]
        return [
            Source(bar.technique, bar.nearest(float(x), float(z)), number)
            for number, bar in enumerate(self.bars)
            if number not in self.passed
        ]

    def obstacles(self) -> Sequence[Obstacle]:
        return self.bars

    def happen(self) -> None:
        for event in reversed(self.characters.events):
            if event.tick < self.tick - 1:
                break
            if event.kind == "effect" and event.whom >= 0:
                self.passed.add(event.whom)

    def play(self) -> None:
        if self.characters.minds[HERO].mode != WALKING or self.tick < 30:
            return
        waiting = (bar.place for number, bar in enumerate(self.bars) if number not in self.passed)
        wanted = next(waiting, self.end)
        if self.characters.minds[HERO].goal != wanted:
            self.send("goal", x=wanted[0], z=wanted[1])
        self._launch_when_ready()


COURSE = (
    ("duck under", 3.0),
    ("duck under", 0.9),
    ("jump over", 3.5),
    ("crawl under", 2.5),
    ("crawl under", 0.9),
)
SCENES = {scene.name: scene for scene in (KickScene, PunchScene, CourseScene)}


def _way_after(repertoire: Repertoire, technique: str) -> float:
    """Metres from where a target motion takes effect to where it is over."""
    target, root = repertoire.find(technique), repertoire.model.root
    return float(np.linalg.norm((root[target.stop] - root[target.effect])[[0, 2]]))


def start_scene(name: str, repertoire: Repertoire, controller: Controller, seed: int = 1) -> PreparedScene:
    """A scene, by its name."""
    if name not in SCENES:
        raise RandoriError(f"there is no scene {name!r} of preparation; there are {', '.join(SCENES)}")
    return SCENES[name](repertoire, controller, seed)


def playing(scene: PreparedScene, ticks: int) -> Generator[Frame, None, None]:
    """The frames of a scene in which the player made of code does what a person would."""
    while scene.tick < ticks:
        scene.play()
        yield scene.step()
