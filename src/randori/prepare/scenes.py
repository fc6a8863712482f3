"""Three scenes with a person at the keyboard: a ball to kick, people to punch, an obstacle course.

Each is a session (timeline/session.py). Its inputs are `goal` with x and z (or nothing, to stay) and
`launch` with the name of a target motion. Without a person at the keyboard, a built-in player sends them.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from randori import __version__
from randori.body.capsules import CAPSULES, fit
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.prepare.characters import DOWN, WALKING, Characters, Source
from randori.prepare.controller import Controller
from randori.prepare.reference_posture import CRAWL, DUCK, JUMP, KICK, PUNCH
from randori.prepare.repertoire import Repertoire
from randori.prepare.things import BALL_RADIUS, Ball, Obstacle, fit_obstacle
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Timeline

HERO = 0
_FOOT_NEAR = 0.45  # metres from the ball at which a kick meets it
_STRUCK_PARTS = ("head", "upper_torso", "lower_torso")  # parts that a punch can meet
_ON_THE_FLOOR = 0.35  # metres: a foot that is lower as it kicks meets a ball that lies there
_BALLS = 6
_KICK_SPEED = 7.0  # metres per second
_CORNER = 4.0  # metres from the middle to an opponent's corner,
_CORNER_RADIUS = 0.8  # metres from the corner within which an opponent is there
_CHALLENGE_DISTANCE = 6.0  # metres: the walker goes to a challenger who is nearer, and waits for the others
_TURNING_DISTANCE = 3.0  # metres behind the last bar, where the walker turns and goes back through the course
_STOPS_BEFORE = 0.6  # metres before he can strike at which a challenger stops: a step ends later
_END_RADIUS = 0.8  # metres from an end of the course at which the walker turns back
_PATIENCE = 1.2  # seconds for which an opponent who is ready to strike waits


class PreparedScene(ABC):
    """The common part of the scenes: characters, inputs, events."""

    name = ""
    technique = ""  # launched by the player, where there is one for all

    def __init__(self, repertoire: Repertoire, controller: Controller, seed: int, count: int):
        self.characters = Characters(repertoire, controller, count)
        self.characters.sources = self.sources
        self.seed = seed
        self._inputs: list[Input] = []
        self.led: set[int] = set()  # characters beside the main one that a person leads

    @property
    def fps(self) -> float:
        return self.characters.fps

    @property
    def tick(self) -> int:
        return self.characters.tick

    @property
    def inputs(self) -> Sequence[Input]:
        return self._inputs

    def send(self, what: str, /, **values: Any) -> Input:
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
            raise RandoriError(f"unknown input {what!r}; there are goal and launch")
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
        """The events so far."""
        return self.result()[0]

    def result(self) -> tuple[Timeline, list[Walk]]:
        """The timeline so far, and the clips of all characters."""
        return self.characters.timeline({"scene": self.name, "seed": self.seed, "version": __version__})

    def props(self) -> np.ndarray:
        """(P, 3) metres, where the things are that move."""
        return np.zeros((0, 3))

    def obstacles(self) -> Sequence[Obstacle]:
        """The obstacles."""
        return ()

    @abstractmethod
    def sources(self, body: int) -> Sequence[Source]:
        """The sources that a character may prepare for."""

    @abstractmethod
    def happen(self) -> None:
        """Other things in a tick."""

    @abstractmethod
    def play(self) -> None:
        """The inputs of the built-in player before a tick."""

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
    """Balls on a lawn: the walker goes to one after the other and kicks it; balls that have come to rest
    again come last.

    A ball hangs where a kick does not reach down to the floor.
    """

    name = "kick"

    def __init__(
        self,
        repertoire: Repertoire,
        controller: Controller,
        seed: int = 1,
        balls: int = _BALLS,
        doing: Sequence[str] = (KICK,),
    ):
        super().__init__(repertoire, controller, seed, 1)
        self.technique = repertoire.doing(*doing)
        random = np.random.default_rng(seed)
        heading = float(random.uniform(-0.5, 0.5))
        self.characters.put(HERO, 0.0, 0.0, heading)
        place, height = np.zeros(3), self._foot_height()
        self.balls = []
        for number in range(balls):
            heading += float(random.uniform(0.15, 0.75)) * (1.0 if seed % 2 else -1.0)
            away = float(random.uniform(4.0, 5.0)) + (1.0 if number == 0 else 0.0)
            place = place + away * np.array([np.sin(heading), 0.0, np.cos(heading)])
            self.balls.append(Ball(place + np.array([0.0, height, 0.0])))

    def lay(self, place: tuple[float, float]) -> None:
        """One more ball, at a place."""
        self.balls.append(Ball(np.array([place[0], self._foot_height(), place[1]])))

    def _foot_height(self) -> float:
        """Metres above the floor at which the kick meets a ball."""
        repertoire = self.characters.repertoire
        target, library = repertoire.find(self.technique), repertoire.library
        foot = library.skeleton.joint(f"{library.tags[target.action].side}_foot")
        height = float(library.positions[target.effect, foot, 1])
        return BALL_RADIUS if height < _ON_THE_FLOOR else height

    def sources(self, body: int) -> Sequence[Source]:
        goal = self.characters.minds[body].goal
        return [
            Source(self.technique, place, number)
            for number, ball in enumerate(self.balls)
            if not ball.kicked and (place := (float(ball.place[0]), float(ball.place[2]))) == goal
        ]

    def happen(self) -> None:
        event = self._event_now(self.technique)
        if event is not None and event.whom >= 0 and not self.balls[event.whom].kicked:
            ball = self.balls[event.whom]
            target = self.characters.repertoire.find(self.technique)
            foot = f"{self.characters.repertoire.library.tags[target.action].side}_foot"
            if np.linalg.norm((self._joint(HERO, foot) - ball.place)[[0, 2]]) < _FOOT_NEAR:
                heading = self.characters.bodies.state.bodies["heading"][HERO]
                ball.kick(_KICK_SPEED * np.array([np.sin(heading), 0.0, np.cos(heading)]))
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
        if mind.goal is None and self.tick >= 30:
            # as soon as a ball is away the walker looks for the next one
            waiting = [(float(ball.place[0]), float(ball.place[2])) for ball in self.balls if not ball.kicked]
            if waiting:
                x, z = min(waiting, key=lambda place: self.characters.seen(HERO, *place)[0])
                self.send("goal", x=x, z=z)
        self._launch_when_ready()


class PunchScene(PreparedScene):
    """Opponents in their corners: one at a time comes with raised fists, to strike or to be struck first.

    An opponent that is struck goes down, gets up, and goes back to its corner until it is its turn again.
    """

    name = "punch"

    def __init__(
        self,
        repertoire: Repertoire,
        controller: Controller,
        seed: int = 1,
        people: int = 3,
        doing: Sequence[str] = (PUNCH,),
    ):
        super().__init__(repertoire, controller, seed, 1 + people)
        self.technique = repertoire.doing(*doing)
        self._random = np.random.default_rng(seed)
        self.characters.put(HERO, 0.0, 0.0, 0.0)
        self.corners: dict[int, tuple[float, float]] = {}
        self.challenger = -1  # the opponent that comes
        self._ready_since: dict[int, int] = {}  # ticks in which an opponent became ready to strike
        turn = float(self._random.uniform(-0.3, 0.3))
        for number in range(1, people + 1):
            angle = turn + 2.0 * np.pi * (number - 1) / people + float(self._random.uniform(-0.2, 0.2))
            x, z = _CORNER * np.sin(angle), _CORNER * np.cos(angle)
            self.corners[number] = (float(x), float(z))
            self.characters.put(number, float(x), float(z), float(rot.wrap_angle(angle + np.pi)))

    def _up(self, body: int) -> bool:
        return self.characters.minds[body].mode not in DOWN

    def _place(self, body: int) -> tuple[float, float]:
        x, z = self.characters.bodies.state.bodies["place"][body]
        return float(x), float(z)

    def sources(self, body: int) -> Sequence[Source]:
        """The challenger for the character, and the character for the challenger."""
        other = self.challenger if body == HERO else HERO
        if self.challenger < 0 or body not in (HERO, self.challenger) or not self._up(other):
            return ()
        return [Source(self.technique, self._place(other), other, self._closing(other, body))]

    def _closing(self, number: int, to: int) -> float:
        """Metres per second by which a character walks towards another."""
        state, (x, z) = self.characters.bodies.state, self._place(to)
        _, angle = self.characters.seen(number, x, z)
        aside, ahead, _ = state.bodies["shown_velocity"][number]
        return float(ahead * np.cos(angle) + aside * np.sin(angle))

    def happen(self) -> None:
        characters = self.characters
        if self.challenger >= 0 and (not self._up(self.challenger) or self.challenger in self.led):
            self.challenger = -1
        # Step 1. The next one comes.
        waiting = [number for number in self.corners if number not in self.led and self._waits(number)]
        if self.challenger < 0 and self._up(HERO) and waiting:
            self.challenger = int(self._random.choice(waiting))
        # Step 2. The challenger goes to the character, others to their corners.
        for number, corner in self.corners.items():
            if number == self.challenger:
                distance, _ = characters.seen(number, *self._place(HERO))
                far = distance > characters.repertoire.find(self.technique).range + _STOPS_BEFORE
                characters.head_for(number, self._place(HERO) if far and self._up(HERO) else None)
                self._strike_when_ready(number)
            elif self._up(number) and number not in self.led:
                characters.head_for(number, None if self._waits(number) else corner)
        # Step 3. Fists meet bodies.
        for body in range(len(characters.minds)):
            target = characters.minds[body].target
            if target is not None and target.technique == self.technique:
                cursor = characters.bodies.state.bodies["cursor"][body]
                if target.movement <= cursor <= target.finish:
                    side = characters.repertoire.library.tags[target.action].side
                    self._strike(body, f"{side}_hand")

    def _waits(self, number: int) -> bool:
        """Whether an opponent is in his corner, or near enough."""
        here, corner = np.array(self._place(number)), np.array(self.corners[number])
        near = float(np.linalg.norm(here - corner)) < _CORNER_RADIUS
        return self.characters.minds[number].mode == WALKING and number != self.challenger and near

    def _strike_when_ready(self, number: int) -> None:
        """An opponent that has been ready for a while strikes."""
        if not self.characters.ready(number):
            self._ready_since.pop(number, None)
        elif self.tick - self._ready_since.setdefault(number, self.tick) > _PATIENCE * self.fps:
            self.characters.launch(number, self.technique)

    def _strike(self, striker: int, fist: str) -> None:
        """A character that is touched by a fist goes down."""
        mine = self._flesh(striker)[CAPSULES.index(fist), 1]
        radii = fit(self.characters.repertoire.library.skeleton).radii
        for number in [*self.corners] if striker == HERO else [HERO]:
            if not self._up(number):
                continue
            theirs = self._flesh(number)
            for part in _STRUCK_PARTS:
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
                        Event(self.tick - 1, "hit", striker, number, fist, part, strength=1.0, point=point)
                    )
                    _, striker_at = self.characters.seen(number, *self._place(striker))
                    self.characters.strike_down(number, striker_at + np.pi)
                    return

    def _flesh(self, body: int) -> np.ndarray:
        """(16, 2, 3) metres, a character's capsules."""
        bodies, skeleton = self.characters.bodies, self.characters.repertoire.library.skeleton
        placed = skeleton.forward(bodies.root[[body]], bodies.rotations[[body]])
        return fit(skeleton).place(*placed)[0]

    def play(self) -> None:
        characters = self.characters
        source, _, _ = characters.nearest(HERO, ahead=False)
        if characters.minds[HERO].mode == WALKING and self.tick % 15 == 0:
            near = source is not None and characters.seen(HERO, *source.place)[0] < _CHALLENGE_DISTANCE
            wanted = source.place if source is not None and near else None
            if characters.minds[HERO].goal != wanted:
                if wanted is None:
                    self.send("goal")
                else:
                    self.send("goal", x=wanted[0], z=wanted[1])
        self._launch_when_ready()


class CourseScene(PreparedScene):
    """Bars to crawl under, duck under and jump over, some of them close together."""

    name = "course"

    def __init__(
        self,
        repertoire: Repertoire,
        controller: Controller,
        seed: int = 1,
        course: "Sequence[Bar] | None" = None,
    ):
        super().__init__(repertoire, controller, seed, 1)
        random = np.random.default_rng(seed)
        self.characters.put(HERO, 0.0, 0.0, float(random.uniform(-0.4, 0.4)))
        self.passed: set[int] = set()
        self.bars: list[Obstacle] = []
        along = 1.0
        # the way before each: far from anything, or close behind the one before
        for bar in COURSE if course is None else course:
            technique = repertoire.doing(*bar.doing)
            target = repertoire.find(technique)
            along += bar.before * float(random.uniform(0.9, 1.2)) + target.range
            along = along if bar.along is None else bar.along
            self.bars.append(fit_obstacle(repertoire, technique, (0.0, along), 0.0))
            along += _way_after(repertoire, technique)
        # where he goes when all is passed, and then
        self.ends = [(0.0, along + _TURNING_DISTANCE), (0.0, -_TURNING_DISTANCE)]

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
        waiting = [bar.place for number, bar in enumerate(self.bars) if number not in self.passed]
        # there and back: the first bar is the nearest to the end that he comes from
        waiting.sort(key=lambda place: abs(place[1] - self.ends[1][1]))
        wanted = waiting[0] if waiting else self.ends[0]
        if not waiting and self.characters.seen(HERO, *self.ends[0])[0] < _END_RADIUS:
            self.passed.clear()
            self.ends.reverse()
        if self.characters.minds[HERO].goal != wanted:
            self.send("goal", x=wanted[0], z=wanted[1])
        self._launch_when_ready()


class Bar(NamedTuple):
    """A bar of a course."""

    doing: tuple[str, ...]  # the ways past it: the first of these that the library has
    before: float  # metres before it is launched
    along: float | None = None  # metres along the way, instead


COURSE = (
    Bar((DUCK, CRAWL, JUMP), 3.0),
    Bar((DUCK, CRAWL, JUMP), 0.9),
    Bar((JUMP, DUCK, CRAWL), 3.0),
    Bar((CRAWL, DUCK, JUMP), 2.5),
    Bar((CRAWL, DUCK, JUMP), 0.9),
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
    """The frames of a scene, with the built-in player in place of a person."""
    while scene.tick < ticks:
        scene.play()
        yield scene.step()
