"""The parts of a scene that are composed of patches: groups of many characters that interact closely.

Each kind of group is a class here. It says how the group is composed, which things are seen beside its
people, and what pictures of it show. The composition itself is in patches/.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from randori import __version__
from randori.body.palette import palette
from randori.graph.places import compose
from randori.motion.clip import Clip
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton
from randori.patches import fleeing_crowd, mouse, onlookers
from randori.patches.ball import RADIUS, Ball, way_of_ball
from randori.patches.compose import OBEY, Wish
from randori.patches.dominoes import Dominoes
from randori.patches.fights import OneFightsMany, TwoFight, side_by_side
from randori.patches.fleeing_crowd import FleeingCrowd
from randori.patches.football import Football
from randori.patches.liveliness import liveliness, seconds_to_obey
from randori.patches.onlookers import Onlookers
from randori.patches.picture import CELL, HEART, SQUARE, Picture
from randori.patches.prepared import Prepared
from randori.patches.relay import ROWS_APART, Relay
from randori.patches.stage import Stage, StageCharacter, State
from randori.performer.luggage import PIECES
from randori.render.camera import Focus
from randori.render.stage import Prop
from randori.render.stage import Stage as RenderStage
from randori.render.viewpoint import Moment, choose_front
from randori.scene.acting import LivePoses
from randori.scene.luggage import Luggage, luggage
from randori.scene.part import Box, Command, Control, Part, Pose, Shown, Thing
from randori.scene.reactions import Blow, Reactions, goes_on_at
from randori.scene.scene import Group, Scene
from randori.scene.take import Take
from randori.timeline.crowds import Crowd
from randori.timeline.timeline import FORCED, Event, Placed, Timeline

_PARKING_DISTANCE = 60.0  # metres from everything else: the place of characters that have not come yet
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
_LEATHER, _CHALK, _WHITE = (0.45, 0.26, 0.12), (0.47, 0.42, 0.3), (0.95, 0.95, 0.92)
_TILE = 0.004  # metres, the height of a picture on the floor
_HIGH_ELEVATION = np.radians(24.0)  # people in front hide less
_STEEP_ELEVATION = np.radians(38.0)  # over the heads of people in front
_RAISED, _STEEP = np.radians(18.0), np.radians(50.0)  # behind each other; down between people
_ASPECT = 16.0 / 9.0
_LOOKS_AHEAD = 0.35  # seconds ahead of a runner that pictures are about
_CAUSE, _EVENT_PICTURES = 0.7, 10  # seconds before an event; events that a side is chosen by
_SIDES, _LOOKED_AT = 24, 60  # sides and moments that are tried so that the mouse is seen
_WIDE, _TALL = 0.3, 1.75  # metres, the size of people who may hide it
COMMAND_LATEST = 2.0  # seconds within which every command has to begin
_HELPLESS_KINDS = (
    "fall",
    "rise",
    "luggage",
)  # kinds of actions in which a body does not react to another blow
_THERE, _PAUSE = 0.4, 12  # metres from the place of a command; ticks of each pause there
_NEVER_TICK = 10**8  # a tick that does not come
_PLACE_TOLERANCE = 0.3  # metres that a pelvis may be off its place while a person stands there
_ARRIVAL_DISTANCE = 1.0  # metres from a place of a route at which the next one is gone to
_COMMAND_KEYS = {"punch": "j", "kick": "k", "avoid": "l"}  # actions on command, and their keys


class Composition(Protocol):
    """An object that composes a group."""

    stage: Stage

    @property
    def names(self) -> list[str]:
        """All characters of the group, including later arrivals."""

    def obey(self, wish: Wish, now: int) -> None:
        """Take a command: cancel what has not begun in a tick, and plan again."""

    def advance(self, now: int) -> None:
        """Plan until a tick."""


class GroupPart(Part):
    """Characters that patches drive. Its composition has its own place; all that is seen is moved from it."""

    patterns: ClassVar[str]  # the shipped ones that it usually goes by
    gives_way: ClassVar[bool] = False  # whether its members leave the starts of the cast free
    usual: ClassVar[int]  # the number where the scene gives none, …
    each: ClassVar[int] = 1  # … each of this many characters, …
    more: ClassVar[int] = 0  # … and further characters
    commands: ClassVar[tuple[str, ...]] = ()  # go, face, and the actions on command
    heroes: ClassVar[tuple[int, ...]] = ()  # the characters whose idleness is measured
    risers = True  # fallen characters get up again
    reach = 0.0  # metres around its subject that pictures show; 0: all characters
    front: float | None = None  # radians, the side that they are taken from; None: the best for its events
    least = 0.0  # share of a picture's height that a person in its middle takes, even if others are cut off
    composition: Composition

    def __init__(
        self,
        scene: Scene,
        group: Group,
        prepared: Prepared,
        picture: Sequence[str] = (),
        before: int = 0,
    ) -> None:
        """`picture` are the rows of dominoes; `before` are the characters of the scene that come before
        these: outfits go on from there."""
        self.scene, self.group, self.picture = scene, group, picture or HEART
        self._before = before
        x, z, degrees = group.place
        self._moved = Placement(x, z, math.radians(degrees))
        self._stays, self._back = self._moved == Placement(), self._moved.inverse()
        self.composition = self.compose(prepared)
        self.names = list(self.composition.names)
        if group.leader:
            self.names[0] = group.leader
        self.leads = 0 if "go" in self.commands and not self.things else -1
        self.fps = self.composition.stage.fps
        self._tick = 0
        self._told: list[tuple[int, Wish]] = []  # commands of a person, and when
        self._route = list(group.route)
        self._skeleton = prepared.graph.library.skeleton
        self._actors = [LivePoses() for _ in self.names]
        self._composer: Any = getattr(self.composition, "composer", None)
        self._words: dict[str, np.ndarray] = self._composer.words if self._composer is not None else {}
        # on the stage: the characters that a player leads, and their goals
        self._led: dict[int, tuple[float, float] | None] = {}
        self._obeying: set[int] = set()  # those that have ended what they could not leave
        self._states: dict[int, State] = {}  # theirs, while others plan
        # what a player sent to characters that have not come yet: they obey when they come
        self._awaited: dict[int, list[Command]] = {}
        self._shown: list[Pose] = []
        self._reactions = Reactions(prepared.graph.library, prepared.graph)

    def begin(self) -> None:
        self.composition.advance(0)

    @abstractmethod
    def compose(self, prepared: Prepared) -> Composition:
        """Put all characters in their places."""

    @classmethod
    def people(cls, group: Group) -> int:
        """The approximate number of characters in a group."""
        return (group.count or cls.usual) * cls.each + cls.more

    @classmethod
    @abstractmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        """(K, 2) metres from its middle, where some stand at first, and how far they may be off."""

    @property
    def stage(self) -> Stage:
        return self.composition.stage

    @property
    def _people(self) -> list[StageCharacter]:
        return [actor for actor in self.stage.actors if not actor.thing]

    @property
    def outfits(self) -> list[int]:  # type: ignore[override]
        known = self._people
        worn = [known[who].outfit if who < len(known) else who for who in range(len(self.names))]
        return [self._before + outfit for outfit in worn]

    @property
    def present(self) -> list[bool]:
        people = self._people
        return [who < len(people) and bool(people[who].steps) for who in range(len(self.names))]

    @property
    def skeletons(self) -> list[Skeleton]:
        return [self._skeleton] * len(self.names)

    def advance(self, tick: int) -> None:
        while self._tick < tick:
            self._tick += 1
            self._follow_route()
            self._tell_arrivals()
            self._lead()
            self.composition.advance(self._tick)
            self._lead(back=True)

    def _tell_arrivals(self) -> None:
        """Characters that have just come obey what a player sent to them before."""
        for who in [who for who in self._awaited if self.present[who]]:
            for command in self._awaited.pop(who):
                self._obey_led(command, [self._numbers()[who]])

    def _lead(self, back: bool = False) -> None:
        """Plan for the characters that a player leads; to others they are busy until they are given back."""
        for who, goal in self._led.items():
            if who not in self._obeying:
                if back or not self._take_over(who):
                    continue
                self._obeying.add(who)
            actor = self.stage.actors[who]
            if back:
                actor.state = self._states.pop(who)
                continue
            while actor.state.tick <= self._tick + 1:
                self._step_to(who, goal)
            self._states[who] = actor.state
            actor.state = actor.state._replace(tick=_NEVER_TICK)

    def _step_to(self, who: int, goal: tuple[float, float] | None) -> None:
        """The next step of a character that a person leads: to a place, or on the spot."""
        composer, state = self._composer, self.stage.actors[who].state
        steps = composer.locomotion.rise(state)
        far = goal is not None and np.hypot(*(np.array(goal) - state.place[:2])) > _THERE
        if not steps and goal is not None and far:
            x, z = np.array(goal) - state.place[:2]
            steps = composer.locomotion.step_to(who, goal, float(np.arctan2(x, z)))
        if steps:
            self.stage.perform(who, steps)
        else:
            composer.rest(who, self._tick + _PAUSE)

    def _follow_route(self) -> None:
        """Go on to the next place of the route."""
        if not self._route:
            return
        told = self._told and self._told[-1][1].place == self._route[0]
        if told and np.hypot(*(self._leader_place() - self._route[0])) < _ARRIVAL_DISTANCE:
            self._route.pop(0)
            told = False
        if self._route and not told:
            self._wish(Wish("move", self._route[0]))

    def _leader_place(self) -> np.ndarray:
        """(2,) metres, where the main character is now, in the composition's own place."""
        return self.stage.spots(self._tick)[0]

    def poses(self, tick: int) -> list[Pose]:
        people, shown = self._people, []
        nowhere = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(self._skeleton), 1))
        for who, actor in enumerate(self._actors):
            steps = people[who].steps if who < len(people) else []
            if not steps:
                shown.append((np.array([_PARKING_DISTANCE, 1.0, _PARKING_DISTANCE + who]), nowhere))
                continue
            shown.append(self._placed(actor.pose(steps, self.stage.library, tick)))
        self._shown = shown
        return shown

    def _placed(self, pose: Pose) -> Pose:
        """A pose of the composition's own place, in the scene."""
        if self._stays:
            return pose
        rotations = pose[1].copy()
        rotations[0] = self._moved.turn(rotations[0])
        return self._moved.move_points(pose[0]), rotations

    def spots(self, ticks: np.ndarray) -> np.ndarray:
        people = [who for who, actor in enumerate(self.stage.actors) if not actor.thing and actor.steps]
        found = np.stack([self.stage.spots(tick)[people] for tick in ticks.tolist()], axis=1)
        return self._moved_spots(found, self._moved)

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        self.stage.visit(self._moved_spots(others, self._back), ticks)

    def shown(self, tick: int) -> list[Shown]:
        frames, places = np.zeros(len(self.names), dtype=np.int64), np.zeros((len(self.names), 3))
        places[:, :2] = _PARKING_DISTANCE
        for row, who in enumerate(self._numbers()):
            if self.stage.actors[who].steps:
                frames[row], places[row] = self.stage.shown(who, tick)
        own = np.array([[self._moved.x, self._moved.z, self._moved.yaw]])
        return [Shown(self.stage.library, frames, compose(places, np.repeat(own, len(places), axis=0)))]

    def _numbers(self) -> list[int]:
        """The numbers on the stage of the characters that have come."""
        return [who for who, actor in enumerate(self.stage.actors) if not actor.thing][: len(self.names)]

    def struck(self, who: int, blow: Blow) -> bool:
        stage, number = self.stage, self._numbers()[who]
        frame, place = stage.shown(number, self._tick)
        step = next((one for one in reversed(stage.actors[number].steps) if one.start < self._tick), None)
        if step is None or stage.library.tags[step.action].kind in _HELPLESS_KINDS:
            return False
        if stage.stock.load[step.action] >= 0:
            return False  # its hands are full
        action = self._reactions.answer(frame, float(place[2]) + self._moved.yaw, blow)
        if action < 0:
            return False
        first = int(stage.stock.first[action])
        put = Placement(*goes_on_at(stage.library, frame, place, first).tolist())
        stop = self._tick + int(stage.stock.stop[action]) - first
        stage.force(number, self._tick, Placed(action, first, self._tick, stop, put, FORCED))
        return True

    @staticmethod
    def _moved_spots(spots: np.ndarray, moved: Placement) -> np.ndarray:
        points = np.stack([spots[..., 0], np.zeros(spots.shape[:-1]), spots[..., 1]], axis=-1)
        return moved.move_points(points)[..., [0, 2]]

    def events(self, tick: int) -> list[Event]:
        found = [self._place_event(event) for event in self.stage.events if event.tick == tick]
        return sorted(found, key=lambda event: (event.who, event.whom, event.kind))

    def timeline(self, ticks: int) -> Timeline:
        words: dict[str, object] = {
            "scene": self.scene.name,
            "seed": self.scene.seed,
            "version": __version__,
        }
        timeline = self.stage.timeline(ticks, words)
        people = [who for who, present in enumerate(self.present) if present]
        tracks = tuple(
            replace(
                track,
                name=self.names[who],
                outfit=self._before + track.outfit,
                placed=track.placed
                if self._stays
                else tuple(replace(one, placement=one.placement.then(self._moved)) for one in track.placed),
            )
            for who, track in zip(people, timeline.tracks)
        )
        events = tuple(self._place_event(event) for event in timeline.events)
        return replace(timeline, tracks=tracks, events=events, crowd=self._figures(ticks))

    def _place_event(self, event: Event) -> Event:
        if self._stays or event.point is None:
            return event
        x, y, z = self._moved.move_points(np.array(event.point)).tolist()
        return replace(event, point=(x, y, z))

    def _place_way(self, way: np.ndarray) -> np.ndarray:
        """(F, 4) metres and radians of the composition's own place, in the scene."""
        if self._stays:
            return way
        flat = np.array([[self._moved.x, self._moved.z, self._moved.yaw]])
        moved = compose(way[:, [0, 2, 3]], np.broadcast_to(flat, (len(way), 3)))
        return np.column_stack([moved[:, 0], way[:, 1], moved[:, 1], moved[:, 2]])

    def _figures(self, ticks: int) -> Crowd:
        """The liveliness of the group, for the report."""
        stage = self.stage
        if ticks < 1:
            return Crowd()
        found = liveliness(stage, ticks, self.heroes or (0,))
        known = [one for one in self._told if one[0] + COMMAND_LATEST * self.fps <= ticks]
        waits = np.array([self._seconds_to_obey(told, wish, ticks) for told, wish in known])
        return Crowd(
            crowd_people=sum(self.present),
            crowd_repeats=found.locks,
            heroes=len(self.heroes),
            hero_idle=found.idle if self.heroes else 0.0,
            hero_peace=found.longest_peace if self.heroes else 0.0,
            risers=len(self.names) if self.risers else 0,
            longest_lying=found.longest_down,
            commands=len(waits),
            commands_late=float((waits > OBEY).mean()) if len(waits) else 0.0,
            commands_unanswered=int((waits > COMMAND_LATEST).sum()),
        )

    def _seconds_to_obey(self, told: int, wish: Wish, ticks: int) -> float:
        does = self._words.get(wish.word, np.zeros(0, dtype=bool))
        until = min(told + round(COMMAND_LATEST * self.fps) + 1, ticks)
        return seconds_to_obey(self.stage, replace(wish, since=told), told, until, does)

    # -- commands of a player ----------------------------------------------------------------------

    def actions(self, who: int) -> list[str]:
        own = self.leads if self.leads >= 0 else 0
        return [word for word in self.commands if word not in ("go", "face")] if who == own else []

    def obey(self, command: Command) -> None:
        others = [who for who in command.who if who != self.leads]
        late = [who for who in others if not self.present[who]]
        self._await(command, late)
        here = [who for who in others if who not in late]
        if here:
            self._obey_led(command, [self._numbers()[who] for who in here])
        if others and self.leads not in command.who:
            return
        if command.what in ("take over", "let go"):
            if self.leads < 0:
                raise self.refuse(command, "give who: every character of the group can be taken over")
            return
        known = f"a group of kind {self.group.kind!r} knows {', '.join(self.commands) or 'nothing'}"
        match command.what:
            case "go" if "go" in self.commands:
                x, _, z = self._back.move_points(np.array([command.place[0], 0.0, command.place[1]])).tolist()
                self._route = []
                self._wish(Wish("move", (x, z)))
            case "face" if "face" in self.commands:
                self._wish(Wish("turn", facing=command.facing - self._moved.yaw))
            case "do" if command.action in self.commands:
                self._wish(Wish(command.action))
            case _:
                raise self.refuse(command, known)

    def _await(self, command: Command, late: Sequence[int]) -> None:
        """Keep what a player sends to characters that have not come yet."""
        for who in late:
            if command.what not in ("take over", "go", "let go"):
                raise self.refuse(command, "it has not come yet; there are take over, go and let go")
            if command.what == "go" and who not in self._awaited:
                raise self.refuse(command, "take it over first")
        for who in late:
            if command.what == "let go":
                self._awaited.pop(who, None)
            elif command.what == "take over":
                self._awaited[who] = [command]
            else:
                self._awaited[who] = [self._awaited[who][0], command]

    def _obey_led(self, command: Command, numbers: Sequence[int]) -> None:
        """Inputs for characters other than the main one: taken over, they go where they are sent."""
        for number in numbers:
            match command.what:
                case "take over" if number not in self._led:
                    self._check_way_up(command, number)
                    self._led[number] = None
                    if self._take_over(number):
                        self._obeying.add(number)
                case "take over":
                    pass
                case "let go":
                    self._led.pop(number, None)
                    self._obeying.discard(number)
                    self._let_go(number)
                case "go" if number in self._led:
                    x, z = self._moved_spots(np.array([command.place]), self._back)[0].tolist()
                    self._led[number] = x, z
                case "go":
                    raise self.refuse(command, "take it over first")
                case _:
                    raise self.refuse(command, "there are take over, go and let go")
        self.stage.led = set(self._led)

    def _check_way_up(self, command: Command, number: int) -> None:
        """A character that lies can be taken over only if its motions have a way up."""
        state = self.stage.actors[number].state
        if not self._composer.locomotion.leads_on(state.posture) and state.tick <= self._tick + 1:
            raise self.refuse(command, "it lies, and its motions have no way up")

    def _take_over(self, number: int) -> bool:
        """Cancel the plan of a character; returns whether it obeys from now on."""
        self._composer.break_off(number, self._tick)
        return True

    def _let_go(self, number: int) -> None:
        """Let a character continue by itself."""
        return

    def _wish(self, wish: Wish) -> None:
        self.composition.obey(wish, self._tick)
        self._told.append((self._tick, wish))

    def controls(self) -> list[Control]:
        who = {"who": self.names[0] if self.leads >= 0 or not self.things else self.things[0]}
        rows = []
        if "go" in self.commands:
            rows.append(
                Control(
                    "go", "Move", "Arrow keys, or a click on the floor: where to go.", "ground", who, "place"
                )
            )
        if "face" in self.commands:
            rows.append(
                Control(
                    "face",
                    "Turn",
                    "The way to look, in degrees: 0 is +z, 90 is +x.",
                    "number",
                    who,
                    "degrees",
                    minimum=-180.0,
                    maximum=180.0,
                    start=0.0,
                )
            )
        for word, key in _COMMAND_KEYS.items():
            if word in self.commands:
                rows.append(
                    Control(
                        "do",
                        word.capitalize(),
                        f"{word.capitalize()} next.",
                        "key",
                        who | {"action": word},
                        key=key,
                    )
                )
        return rows

    # -- pictures ----------------------------------------------------------------------------------

    def focus(self, take: Take, clips: Sequence[Clip]) -> Focus | None:
        if not self.reach:
            return None
        focus = Focus.on(
            self.way(clips, take.ticks), np.full(take.ticks + 1, self.reach), self.fps, self.front
        )
        focus = replace(focus, least=self.least)
        if focus.front is None and (moments := causes(take)):
            stage = RenderStage.of(take.clips, [palette(role.outfit) for role in take.roles], take.props)
            focus = replace(focus, front=choose_front(stage, focus, moments, self.elevation or 0.0, _ASPECT))
        return focus

    def way(self, clips: Sequence[Clip], ticks: int) -> np.ndarray:
        """(F, 2) metres, where it is that pictures are about."""
        return clips[0].root_position[:, [0, 2]]


class Ring(GroupPart):
    """A hero among opponents that come from all sides."""

    patterns, commands, heroes = "one-fights-many", ("go", "face", "punch", "kick", "avoid"), (0,)
    elevation, reach, least = _HIGH_ELEVATION, 2.2, 0.5
    usual, more = 7, 1

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        return np.zeros((1, 2)), 0.0  # the hero

    def compose(self, prepared: Prepared) -> Composition:
        count = {} if self.group.count is None else {"opponents": self.group.count}
        return OneFightsMany(prepared, self.scene.seed, **count)


class Pairs(GroupPart):
    """Pairs that fight on and on."""

    patterns, commands, heroes = "two-fight", ("go", "face", "punch", "kick", "avoid"), (0, 1)
    usual, each = 1, 2
    composition: TwoFight

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        return np.array(side_by_side(group.count or cls.usual))[:, :2], _PLACE_TOLERANCE

    def _take_over(self, number: int) -> bool:
        super()._take_over(number)
        self.composition.look_again(number)
        return True

    def _let_go(self, number: int) -> None:
        self.composition.look_again(number)

    def compose(self, prepared: Prepared) -> Composition:
        return TwoFight(prepared, self.scene.seed, pairs=self.group.count or 1)


class Gauntlet(GroupPart):
    """A runner with a ball, and tacklers."""

    patterns, commands = "football", ("go", "face", "avoid")
    elevation, reach, least = _RAISED, 2.6, 0.5
    usual, more = 72, 1

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        return np.zeros((1, 2)), _PLACE_TOLERANCE  # the runner

    def compose(self, prepared: Prepared) -> Composition:
        self._ball, self._ball_place = Ball(), np.array([0.0, 1.0, 0.0])
        count = {} if self.group.count is None else {"tacklers": self.group.count}
        return Football(prepared, self.scene.seed, **count)

    def poses(self, tick: int) -> list[Pose]:
        shown = super().poses(tick)
        runner = Clip("", self._skeleton, self.fps, shown[0][0][None], shown[0][1][None])
        self._ball_place = self._ball.place(self._skeleton, runner.positions[0])
        return shown

    def moving(self, tick: int) -> np.ndarray:
        return np.append(self._ball_place, 0.0)[None]

    def drawn(self) -> list[Thing]:
        return [Thing("ball", Prop.ball(np.zeros((1, 3)), RADIUS, _LEATHER, self.fps))]

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        return [Prop.ball(way_of_ball(clips[0]), RADIUS, _LEATHER, self.fps)]

    def way(self, clips: Sequence[Clip], ticks: int) -> np.ndarray:
        """Tacklers come from the direction in which he runs."""
        way = clips[0].root_position[:, [0, 2]]
        speed = np.gradient(way, 1.0 / self.fps, axis=0) if len(way) > 1 else np.zeros_like(way)
        return way + _LOOKS_AHEAD * speed


class Frightened(GroupPart):
    """A crowd, and a mouse that runs through it."""

    patterns, commands, things = "mouse", ("go", "face"), ("mouse",)
    elevation, reach, least = _STEEP, 1.9, 0.42
    usual = fleeing_crowd.PEOPLE
    composition: FleeingCrowd

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        return fleeing_crowd.rows(group.count or cls.usual), np.sqrt(2.0) * fleeing_crowd.SCATTER

    def compose(self, prepared: Prepared) -> Composition:
        count = {} if self.group.count is None else {"people": self.group.count}
        return FleeingCrowd(prepared, self.scene.seed, **count)

    def _leader_place(self) -> np.ndarray:
        return self.composition.mouse_place(self._tick)[:2]

    def _way(self, ticks: int) -> np.ndarray:
        """(F, 4) metres and radians, of the mouse."""
        return self._place_way(np.insert(self.composition.mouse_way(ticks), 1, 0.0, axis=1))

    def moving(self, tick: int) -> np.ndarray:
        x, z, _ = self.composition.mouse_place(tick)
        return self._place_way(np.array([[x, mouse.HEIGHT, z, 0.0]]))

    def drawn(self) -> list[Thing]:
        return [Thing("mouse", Prop.ball(np.zeros((1, 3)), mouse.RADIUS, _WHITE, self.fps))]

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        return _mouse(self._way(ticks), self.fps)

    def way(self, clips: Sequence[Clip], ticks: int) -> np.ndarray:
        return self._way(ticks)[:, [0, 2]]

    def focus(self, take: Take, clips: Sequence[Clip]) -> Focus | None:
        """From the side from which the fewest people hide the mouse."""
        way, reach = self.way(clips, take.ticks), np.full(take.ticks + 1, self.reach)
        focus = replace(Focus.on(way, reach, self.fps), least=self.least)
        roots = np.stack([clip.root_position[:, [0, 2]] for clip in clips])
        return replace(focus, front=least_hidden(focus.path, roots, _STEEP))


class Watching(GroupPart):
    """A crowd around something: it looks on, keeps clear and flinches."""

    patterns, gives_way = "mouse", True
    usual = onlookers.PEOPLE
    composition: Onlookers

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        radius = group.radius or onlookers.RADIUS
        return onlookers.rows(group.count or cls.usual, radius), onlookers.SCATTER

    def compose(self, prepared: Prepared) -> Composition:
        given: dict[str, Any] = {"people": self.group.count, "radius": self.group.radius}
        given = {key: value for key, value in given.items() if value is not None}
        starts = [member.place[:2] for member in self.scene.cast if member.place is not None]
        others = self._moved_spots(np.array(starts).reshape(-1, 2), self._back)
        return Onlookers(prepared, self.scene.seed, others=others, **given)

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        super().mind(others, ticks)
        self.composition.see(self._moved_spots(others, self._back), ticks)

    def notice(self, place: tuple[float, float]) -> None:
        x, z = self._moved_spots(np.array([place]), self._back)[0].tolist()
        self.composition.notice((x, z))


class Toppling(GroupPart):
    """Characters that fall onto each other until they fill a picture on the floor."""

    patterns, risers = "dominoes", False
    usual = 100
    elevation, reach, front = _STEEP_ELEVATION, 2.0, np.pi  # the picture stands upright
    composition: Dominoes

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        return cells_of(Picture(picture or HEART)), 0.5 * CELL

    def _take_over(self, number: int) -> bool:
        self.composition.spare(number, self._tick)
        return True

    def compose(self, prepared: Prepared) -> Composition:
        return Dominoes(prepared, self.scene.seed, self.picture)

    def drawn(self) -> list[Thing]:
        return [picture_thing(self.composition.picture, self._moved)]

    def focus(self, take: Take, clips: Sequence[Clip]) -> Focus | None:
        rows = self.composition.front(take.ticks)
        way = self._place_way(
            np.column_stack([rows[:, 0], np.zeros(len(rows)), rows[:, 1], rows[:, 1] * 0.0])
        )
        front = self.front if self._stays else (self.front or 0.0) + self._moved.yaw
        return Focus.on(way[:, [0, 2]], rows[:, 2], self.fps, front)

    def controls(self) -> list[Control]:
        return [
            Control(
                "set",
                "Picture on the floor",
                "Paint it: they stand where it is, and fall until they fill it.",
                "bitmap",
                {"who": self.names[0], "key": "picture"},
                "value",
            )
        ]


class Passing(GroupPart):
    """Rows of porters that pass luggage along."""

    patterns = "luggage"
    usual, each = 5, 3
    elevation, reach, front = _HIGH_ELEVATION, 2.2, -0.4 * np.pi  # the row of the first piece is in front
    composition: Relay

    @classmethod
    def starts(cls, group: Group, picture: Sequence[str]) -> tuple[np.ndarray, float]:
        along = ROWS_APART * np.arange(len(group.pieces))
        # porters present at the start
        return np.column_stack([along, np.zeros(len(along))]), _PLACE_TOLERANCE

    def _take_over(self, number: int) -> bool:
        """A porter obeys as soon as its hands are empty and nothing is handed to it."""
        actor = self.stage.actors[number]
        carries = self.stage.stock.load[actor.steps[-1].action] >= 0
        has_it = any(row.people[-1] == number for row in self.composition.rows)
        return actor.state.tick <= self._tick + 1 and not carries and not has_it

    def compose(self, prepared: Prepared) -> Composition:
        given: dict[str, Any] = {"people": self.group.count, "carried": self.group.carried}
        given = {key: value for key, value in given.items() if value is not None}
        relay = Relay(prepared, self.scene.seed, self.group.pieces, **given)

        def pose(who: int, tick: int) -> Pose:
            return self._placed(LivePoses().pose(relay.stage.actors[who].steps, relay.stage.library, tick))

        self._luggage = [Luggage(row.piece, row.grips, pose) for row in relay.rows]
        return relay

    def moving(self, tick: int) -> np.ndarray:
        places = [one.place(tick, self._shown, self._skeleton, self.fps) for one in self._luggage]
        return np.array(places).reshape(-1, 4)

    def drawn(self) -> list[Thing]:
        return [
            Thing(
                one.piece,
                luggage(one.piece, np.zeros((1, 4)), self.fps),
                (Box((0.0, 0.0, 0.0), PIECES[one.piece].size),),
            )
            for one in self._luggage
        ]

    def hold(self, clips: list[Clip]) -> list[Clip]:
        return self.composition.hold(clips)

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        pieces = [row.piece for row in self.composition.rows]
        ways = self.composition.ways(clips)
        return [luggage(piece, way, self.fps) for piece, way in zip(pieces, ways)]

    def way(self, clips: Sequence[Clip], ticks: int) -> np.ndarray:
        return self.composition.ways(clips)[0][:, [0, 2]]

    def focus(self, take: Take, clips: Sequence[Clip]) -> Focus | None:
        focus = super().focus(take, clips)
        if focus is None or self._stays or self.front is None:
            return focus
        return replace(focus, front=self.front + self._moved.yaw)


GROUPS: dict[str, type[GroupPart]] = {
    "ring": Ring,
    "pair": Pairs,
    "gauntlet": Gauntlet,
    "panic": Frightened,
    "onlookers": Watching,
    "dominoes": Toppling,
    "relay": Passing,
}


def cells_of(picture: Picture) -> np.ndarray:
    """(K, 2) metres, the middles of the cells that are to be filled."""
    cells = np.argwhere(picture.wanted[:: round(CELL / SQUARE), :: round(CELL / SQUARE)])
    x, z = picture.left + (cells[:, 1] + 0.5) * CELL, picture.top - (cells[:, 0] + 0.5) * CELL
    return np.column_stack([x, z])


def picture_thing(picture: Picture, moved: Placement) -> Thing:
    """The cells that are to be filled, drawn on the floor."""
    x, z = cells_of(picture).T
    places = moved.move_points(np.column_stack([x, np.full(len(x), 0.5 * _TILE), z]))
    boxes = tuple(
        Box(tuple(place), (0.97 * CELL, _TILE, 0.97 * CELL), moved.yaw) for place in places.tolist()
    )
    none = np.zeros((0, 3))
    return Thing("picture", Prop(none, none, np.zeros(0), _CHALK), boxes)


def causes(take: Take) -> list[Moment]:
    """Moments that must be seen: some events, spread over the take, and the time before each."""
    told = [event for event in take.events if event.whom >= 0 and event.tick > _CAUSE * take.fps]
    some = [told[k * len(told) // _EVENT_PICTURES] for k in range(_EVENT_PICTURES)] if told else []
    moments = []
    for event in dict.fromkeys(some):
        time, people = event.tick / take.fps, (event.who, event.whom)
        moments += [Moment(time - _CAUSE, people), Moment(time, people)]
    return moments


def least_hidden(way: np.ndarray, roots: np.ndarray, elevation: float) -> float:
    """Radians: the side from which the fewest people (C, F, 2) hide a thing that moves along a way (F, 2)."""
    rows = np.linspace(0, len(way) - 1, _LOOKED_AT).astype(int)
    away = roots[:, rows] - way[rows]
    hides = _TALL / np.tan(elevation)  # metres in front of it within which a person hides it
    sides = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    hidden = []
    for side in sides.tolist():
        near = away @ np.array([np.sin(side), np.cos(side)])
        across = np.abs(away @ np.array([np.cos(side), -np.sin(side)]))
        hidden.append(float(((near > 0.0) & (near < hides) & (across < _WIDE)).any(axis=0).mean()))
    return float(sides[int(np.argmin(hidden))])


def _mouse(path: np.ndarray, fps: float) -> list[Prop]:
    """The mouse on its way (F, 4), and the ring around it."""
    start, stop, radius = (np.array(column) for column in zip(*_MOUSE))
    wide, thick = _RING_SIZE
    angles = np.linspace(0.0, 2.0 * np.pi, _RING_SIDES + 1)
    circle = np.column_stack([wide * np.sin(angles), np.full(len(angles), thick), wide * np.cos(angles)])
    ring = Prop(circle[:-1], circle[1:], np.full(_RING_SIDES, thick), _RING, path, fps)
    return [Prop(start, stop, radius, _FUR, path, fps), ring]
