"""The part of a scene with preparation: a walker that goes for balls, opponents or obstacles.

Until a player takes it over, a program tells it where to go and when.
"""

import math
from collections.abc import Sequence

import numpy as np

from randori.body.palette import OUTFITS
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.prepare.characters import DOWN
from randori.prepare.controller import Controller
from randori.prepare.history import History
from randori.prepare.reference_posture import KICK, PUNCH
from randori.prepare.repertoire import Repertoire
from randori.prepare.scenes import HERO, Bar, CourseScene, KickScene, PreparedScene, PunchScene
from randori.prepare.things import BALL_RADIUS, cones
from randori.render.stage import Prop
from randori.scene.part import Command, Control, Part, Pose, Shown, Thing
from randori.scene.reactions import FALL, Blow, Reactions
from randori.scene.scene import Member, Scene
from randori.tables import suggest
from randori.timeline.session import Frame
from randori.timeline.timeline import Event, Timeline, Track

_WOOD, _LEATHER = (0.85, 0.55, 0.15), (0.95, 0.95, 0.92)
_NEAR_BALL = 0.8  # metres: a player who points there means the ball


class WalkersPart(Part):
    """A walker with a goal, and the cast members that are its opponents."""

    leads = HERO
    behind = 1

    def __init__(
        self,
        scene: Scene,
        hero: Member,
        opponents: Sequence[Member],
        repertoire: Repertoire,
        controller: Controller,
        before: int = 0,
    ):
        """`before` are the characters of the scene that come before these: outfits go on from there."""
        self.members = [hero, *opponents]
        self.names = [member.name for member in self.members]
        self.outfits = [
            OUTFITS[member.outfit] if member.outfit else before + who
            for who, member in enumerate(self.members)
        ]
        self.play = _PLAYS_BY_GOAL[hero.goal](scene, self.members, repertoire, controller)
        self.fps = self.play.fps
        self._put()
        self._frame: Frame | None = None
        self._ways = History()  # of the moving things
        self._others, self._when = np.zeros((0, 1, 2)), np.zeros(1, dtype=np.int64)
        self._alone = True  # the program plays until a person does
        self._reactions = Reactions(repertoire.library)

    def _put(self) -> None:
        """Characters with a place go there; what was drawn for the others stays."""
        for who, member in enumerate(self.members):
            if member.place is not None:
                x, z, degrees = member.place
                self.play.characters.put(who, x, z, math.radians(degrees))

    @property
    def skeletons(self) -> list[Skeleton]:
        return [self.play.characters.repertoire.library.skeleton] * len(self.names)

    def advance(self, tick: int) -> None:
        while self.play.tick < tick:
            now = int(np.searchsorted(self._when, self.play.tick))
            self.play.characters.others = self._others[:, min(now, self._others.shape[1] - 1)]
            if self._alone:
                self.play.play()
            self._frame = self.play.step()
            self._ways.append(self._frame.props)

    def poses(self, tick: int) -> list[Pose]:
        assert self._frame is not None
        return list(zip(self._frame.root_position, self._frame.rotations))

    def spots(self, ticks: np.ndarray) -> np.ndarray:
        here = self.play.characters.bodies.state.bodies["place"]
        return np.repeat(here[:, None], len(ticks), axis=1)

    def shown(self, tick: int) -> list[Shown]:
        characters = self.play.characters
        bodies, model = characters.bodies.state.bodies, characters.repertoire.model
        frames = np.rint(bodies["cursor"]).astype(np.int64)
        yaw = bodies["heading"] - model.heading[frames]
        x, z = model.root[frames][:, [0, 2]].T
        turned = np.column_stack([np.cos(yaw) * x + np.sin(yaw) * z, np.cos(yaw) * z - np.sin(yaw) * x])
        places = np.column_stack([bodies["place"] - turned, yaw])
        return [Shown(characters.repertoire.library, frames, places)]

    def struck(self, who: int, blow: Blow) -> bool:
        characters, shown = self.play.characters, self.shown(self.play.tick)[0]
        if characters.minds[who].mode in DOWN:
            return False
        if blow.strength == FALL:
            characters.strike_down(who)
        else:
            action = self._reactions.answer(int(shown.frames[who]), float(shown.places[who, 2]), blow)
            if action < 0:
                return False
            characters.react(who, action)
        return True

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        self._others, self._when = others, ticks

    def events(self, tick: int) -> list[Event]:
        return [] if self._frame is None else list(self._frame.events)

    def timeline(self, ticks: int) -> Timeline:
        timeline, self._walks = self.play.result()
        tracks = tuple(
            Track(name, track.library, track.placed, outfit)
            for name, outfit, track in zip(self.names, self.outfits, timeline.tracks)
        )
        return Timeline(timeline.fps, timeline.ticks, tracks, timeline.events, words=timeline.words)

    def walks(self) -> list[Walk]:
        return self._walks

    def moving(self, tick: int) -> np.ndarray:
        return np.insert(self.play.props(), 3, 0.0, axis=1)

    def drawn(self) -> list[Thing]:
        ball = Thing("ball", Prop.ball(np.zeros((1, 3)), BALL_RADIUS, _LEATHER, self.fps))
        bars = zip(self.play.obstacles(), self._bars())
        return [ball] * len(self.play.props()) + [Thing(bar.technique, prop) for bar, prop in bars]

    def _bars(self) -> list[Prop]:
        return [Prop(*cones(bar), _WOOD) for bar in self.play.obstacles()]

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        ways = self._ways.column(0).transpose(1, 0, 2)
        return self._bars() + [Prop.ball(way, BALL_RADIUS, _LEATHER, self.fps) for way in ways]

    # -- commands of a player ----------------------------------------------------------------------

    def obey(self, command: Command) -> None:
        others = [who for who in command.who if who != HERO]
        if others:
            self._obey_led(command, others)
            if HERO not in command.who:
                return
        match command.what:
            case "go":
                x, z = self._meant(*command.place)
                self.play.send("goal", x=x, z=z)
            case "do":
                self.play.send("launch", technique=self._technique(command.action))
            case "take over" | "let go":
                pass
            case _:
                raise self.refuse(command, "there are go, do, take over and let go")
        self._alone = command.what == "let go"

    def _obey_led(self, command: Command, others: Sequence[int]) -> None:
        """An opponent that a player has taken over goes and strikes as commanded."""
        characters, led = self.play.characters, self.play.led
        for who in others:
            match command.what:
                case "take over":
                    led.add(who)
                    characters.head_for(who, None)
                case "let go":
                    led.discard(who)
                case "go" | "do" if who not in led:
                    raise self.refuse(command, "take it over first")
                case "go":
                    characters.head_for(who, command.place)
                case "do":
                    characters.launch(who, self._technique(command.action))
                case _:
                    raise self.refuse(command, "there are take over, go, do and let go")

    def actions(self, who: int) -> list[str]:
        repertoire = self.play.characters.repertoire
        doing = {target.doing for target in repertoire.targets.values()}
        return [*repertoire.targets, *sorted(doing - set(repertoire.targets)), ""]

    def _technique(self, action: str) -> str:
        """A target motion by its name, by its action, or the one that fits the nearest thing."""
        repertoire = self.play.characters.repertoire
        if not action:
            source, _, _ = self.play.characters.nearest(HERO)
            return source.technique if source is not None else self._techniques()[0]
        if action in repertoire.targets:
            return action
        known = self.actions(HERO)[:-1]
        if action in known:
            return repertoire.doing(action)
        raise RandoriError(f"do: there is no target motion {action!r}; {suggest(action, known)}")

    def _techniques(self) -> list[str]:
        bars = [bar.technique for bar in self.play.obstacles()]
        return list(dict.fromkeys(bars)) or [self.play.technique]

    def _meant(self, x: float, z: float) -> tuple[float, float]:
        """The ball that a player points at, or the place itself."""
        for place in self.play.props():
            if np.hypot(place[0] - x, place[2] - z) < _NEAR_BALL:
                return float(place[0]), float(place[2])
        return x, z

    def controls(self) -> list[Control]:
        who, walking = {"who": self.names[HERO]}, "Arrow keys, or a click on the floor: where to walk."
        return [
            Control("go", "Walk", walking, "ground", who, "place"),
            Control(
                "do", "Launch", "Go for it; the right mouse button does so, too.", "key",
                who | {"action": ""}, key=" ",
            ),
            *(
                Control(
                    "do", technique.capitalize(), "Right now, wherever it is.", "button",
                    who | {"action": technique},
                )
                for technique in self._techniques()
            ),
            Control("let go", "Play by itself", "Let the built-in player continue.", "button", who),
        ]  # fmt: skip


def _balls(
    scene: Scene, members: Sequence[Member], repertoire: Repertoire, controller: Controller
) -> PreparedScene:
    drawn = sum(table.count for table in scene.balls if table.place is None)
    play = KickScene(repertoire, controller, scene.seed, drawn, members[HERO].does or (KICK,))
    for table in scene.balls:
        if table.place is not None:
            play.lay(table.place)
    return play


def _opponents(
    scene: Scene, members: Sequence[Member], repertoire: Repertoire, controller: Controller
) -> PreparedScene:
    doing = members[HERO].does or (PUNCH,)
    play = PunchScene(repertoire, controller, scene.seed, len(members) - 1, doing)
    for number, member in enumerate(members):
        if number != HERO and member.place is not None:
            play.corners[number] = member.place[:2]
    return play


def _obstacles(
    scene: Scene, members: Sequence[Member], repertoire: Repertoire, controller: Controller
) -> PreparedScene:
    course = [Bar(table.passed_by, table.before, table.place) for table in scene.obstacles]
    return CourseScene(repertoire, controller, scene.seed, course)


_PLAYS_BY_GOAL = {"balls": _balls, "opponents": _opponents, "obstacles": _obstacles}  # by the goal
