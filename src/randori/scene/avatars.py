"""The part of a scene with trained characters: avatars with a policy, and players."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from randori.body.palette import OUTFITS
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.places import compose, inverse
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton
from randori.policy.arena import AHEAD, TARGET_RADIUS, WEIGHTS, Arena, Avatar
from randori.policy.table import PolicyTable
from randori.prepare.history import History
from randori.render.stage import Prop
from randori.scene.cast import start_place
from randori.scene.part import Command, Control, Part, Pose, Shown, Thing, found_row, found_spot, to_number
from randori.scene.reactions import Blow, Reactions, goes_on_at
from randori.scene.scene import Member, Scene
from randori.tables import suggest
from randori.timeline.session import Frame
from randori.timeline.timeline import Event, Timeline

HEAD = 1.5  # metres, where a target hangs
GLANCE = 4  # states that one of many looks at before it chooses
_MANY_AVATARS = 10  # avatars
_DRAGGING_SPEED = 0.9  # metres per second on the mean that a target is dragged at
_DRAGGING_INTERVAL = 3  # ticks between two places while it is
_HANGING_SECONDS = 1.6  # seconds that it hangs where it was dragged to
_HALF_DISTANCE = 0.6  # metres from the middle of a pair
_COLUMNS, _TWIST = 5, 2.4  # pairs in a row of a hall; radians that each is turned against the one before
_RED = (0.8, 0.25, 0.15)
_CONTROLLED_CHARACTERS = 2  # characters that get controls
_MOST_MINDED = 8  # characters of other controllers that avatars keep clear of: the nearest
_FAR_OFF = 500.0  # metres: a place at which characters are ignored
_MINDED_DISTANCE = 3.5  # metres from the nearest avatar: farther off characters are ignored
_SAME_PLACE_RADIUS = 0.3  # metres: an avatar this near to a place is the target there
_IN_THE_WAY = 0.6  # metres beside its straight way to a fighter: a character this near to it blocks the way
_PASSES_AT = 0.9  # metres beside such a character: more than the least distance that avatars choose
_IN_REACH = 1.2  # metres: a fighter this near is struck at, however crowded the place
_STOPS_BEFORE = 0.8  # metres before a place at which an approach ends: a punch would reach it from there
_ROUND = {"approach": 1.0}  # weights of an avatar on its way to a place
_DOWN_KINDS = ("fall", "rise")  # kinds of actions in which a body does not react to another blow


class AvatarsPart(Part):
    """Avatars of one table. Every one of them can be taken over by a person."""

    def __init__(
        self,
        scene: Scene,
        table: PolicyTable,
        members: Sequence[Member],
        before: int = 0,
        graph: ActionGraph | None = None,
    ):
        """`before` are the characters of the scene that come before these: outfits go on from there.

        The graph of the same motions tells how a struck avatar reacts; without one there are no others.
        """
        self.table, self.members, self._before = table, list(members), before
        self.things = tuple(target.name for target in scene.targets)
        self._reactions = None if graph is None else Reactions(table.model.library, graph)
        # characters that react to a blow, and the actions that follow
        self._forced: dict[int, list[int]] = {}
        # avatars whose target is a fighter: the stand-in in the arena, its part, its number there
        self._rivals: dict[int, tuple[int, Part, int]] = {}
        # avatars that go round a character: their weights before, and the side that they pass it on
        self._detours: dict[int, tuple[np.ndarray, float]] = {}
        self._others, self._when = np.zeros((0, 1, 2)), np.zeros(1, dtype=np.int64)
        cast = self._cast(scene)
        self._people = len(cast)
        # behind the targets, one more for each avatar: the place that a player sends it to
        places = [target.place for target in scene.targets] + [(0.0, HEAD, 0.0)] * len(cast)
        # and a stand-in for each nearby character of other controllers, so that avatars avoid it
        outside = [avatar for avatar, member in zip(cast, self.members) if member.target in _fighters(scene)]
        stand_ins = 0 if graph is None else _MOST_MINDED + len(outside)
        parked = [Avatar("", Placement(_FAR_OFF + k, _FAR_OFF), 0) for k in range(stand_ins)]
        self.arena = Arena(table, [*cast, *parked], places, scene.seed, scene.name)
        self._stands = self._standing()
        self.arena.world.props.solid[len(scene.targets) :] = False
        self.names = [avatar.name for avatar in cast]
        self.outfits = [avatar.outfit for avatar in cast]
        self.fps = self.arena.fps
        self._frame: Frame | None = None
        self._ways = History()  # of the targets, tick by tick
        self._ways.append(self.arena.prop_places)
        self._hands = {
            number: drag(target.place, self.fps, scene.seed)
            for number, target in enumerate(scene.targets)
            if target.dragged
        }
        self._next = {number: next(hand) for number, hand in self._hands.items()}
        self._told = {who for who, member in enumerate(self.members) if member.controller == "player"}
        self.leads = min(self._told, default=-1)

    def _standing(self) -> int:
        """A frame of a standing character."""
        library = self.table.model.library
        stands = [action for action, tags in enumerate(library.tags) if tags.technique == "stand"]
        return int(library.actions.start[stands[0]]) if stands else 1

    def go_for(self, who: int, other: Part, whom: int) -> None:
        """Let one of the avatars go for a character of another part."""
        stand_in = self._people + _MOST_MINDED + len(self._rivals)
        self._rivals[who] = stand_in, other, whom
        self.arena.world.avatars["aim"][who] = stand_in
        self.arena.cast = tuple(
            replace(avatar, aim=stand_in) if number == who else avatar
            for number, avatar in enumerate(self.arena.cast)
        )

    def _cast(self, scene: Scene) -> list[Avatar]:
        """Put all characters at their starts: where the scene says, or face to face."""
        if scene.formation is not None:
            return self._hall(scene.formation.pairs, scene.formation.spacing)
        names = [member.name for member in self.members]
        cast = []
        for who, member in enumerate(self.members):
            if member.target in self.things:
                aim = -1 - self.things.index(member.target)
            elif member.target in names:
                aim = names.index(member.target)
            else:
                rivals = [k for k, one in enumerate(self.members) if k != who and one.team != member.team]
                rivals = rivals or [k for k in range(len(names)) if k != who]
                aim = rivals[0] if rivals else -1
            place = _face_to_face(0.0, 0.0, 0.0, who % 2)
            if member.place is not None:
                x, z, degrees = member.place
                place = Placement(x, z, math.radians(degrees))
            elif member.target in _fighters(scene):
                place = start_place(scene, scene.cast.index(member))
            elif len(self.members) == 1:
                place = Placement()
            cast.append(self._avatar(member, member.name, place, aim, who, self._looks()))
        return cast

    def _hall(self, pairs: int, spacing: float) -> list[Avatar]:
        """Many pairs like the two of the cast, in rows."""
        ahead = min(GLANCE, self._looks()) if 2 * pairs > _MANY_AVATARS else self._looks()
        cast: list[Avatar] = []
        for pair in range(pairs):
            row, column = divmod(pair, _COLUMNS)
            for number, member in enumerate(self.members):
                place = _face_to_face(spacing * column, spacing * row, _TWIST * pair, number)
                name, who = f"{member.name} {len(cast) + 1}", len(cast)
                cast.append(self._avatar(member, name, place, 2 * pair + 1 - number, who, ahead))
        return cast

    def _avatar(self, member: Member, name: str, place: Placement, aim: int, who: int, ahead: int) -> Avatar:
        outfit = OUTFITS[member.outfit] if member.outfit else self._before + who
        weights = {behaviour: WEIGHTS.get(behaviour, 1.0) for behaviour in member.behaviours}
        return Avatar(
            name, place, aim, weights | dict(member.weights), member.few, member.ahead or ahead, outfit
        )

    def _looks(self) -> int:
        """States that an avatar looks at: one with the paper's reward, as in the paper."""
        return 1 if self.table.settings.near > 0.0 else AHEAD

    @property
    def skeletons(self) -> list[Skeleton]:
        return [self.table.model.library.skeleton] * len(self.names)

    def advance(self, tick: int) -> None:
        while self.arena.tick < tick:
            for number, hand in self._hands.items():
                while self._next[number][0] <= self.arena.tick:
                    self.arena.world.props.place[number] = self._next[number][1]
                    self._next[number] = next(hand)
            self._place_others()
            self._go_on_reacting()
            frame = self.arena.step()
            count = self._people
            self._frame = replace(
                frame,
                root_position=frame.root_position[:count],
                rotations=frame.rotations[:count],
                events=tuple(filter(self._is_ours, frame.events)),
            )
            self._ways.append(self._frame.props)

    def _is_ours(self, event: Event) -> bool:
        """Whether an event is between avatars; other parts report the others."""
        return event.who < self._people and event.whom < self._people

    def _place_others(self) -> None:
        """Put a stand-in where each character of other controllers is that is near, or is a target."""
        if self._reactions is None:
            return
        library, tick = self.table.model.library, self.arena.tick
        for stand_in, other, whom in self._rivals.values():
            group, row = found_row(other.shown(tick), whom)
            frame, place = int(group.frames[row]), group.places[row]
            if frame >= len(library.frames.clip) or len(group.library.skeleton) != len(library.skeleton):
                # not one of these motions: use a standing character
                spot, frame = found_spot([group], row)[None], self._stands
                place = compose(inverse(library.placements[frame : frame + 1]), spot)[0]
            self.arena.put(stand_in, frame, place)
        here = self.arena.world.shown.root[: self._people][:, [0, 2]]
        column = min(int(np.searchsorted(self._when, tick)), self._others.shape[1] - 1)
        there = self._others[:, column]
        apart = np.linalg.norm(there[:, None] - here[None], axis=-1).min(axis=1, initial=np.inf)
        for _, other, whom in self._rivals.values():
            spot = found_spot(other.shown(tick), whom)[:2]
            apart[np.linalg.norm(there - spot, axis=-1) < _SAME_PLACE_RADIUS] = np.inf  # it is there already
        nearest = np.argsort(apart, kind="stable")[:_MOST_MINDED]
        x, z, _ = library.placements[self._stands].tolist()
        for k in range(_MOST_MINDED):
            place = np.array([_FAR_OFF + k, _FAR_OFF, 0.0])
            if k < len(nearest) and apart[nearest[k]] < _MINDED_DISTANCE:
                place = np.array([there[nearest[k], 0] - x, there[nearest[k], 1] - z, 0.0])
            self.arena.put(self._people + k, self._stands, place)
        for who in self._rivals:
            self._go_round(who, here[who], there)

    def _go_round(self, who: int, here: np.ndarray, others: np.ndarray) -> None:
        """Send an avatar past a character that stands between it and the fighter that it is after.

        Its table knows nothing of others. It would walk up to that character and stay behind it.
        """
        world, (stand_in, other, whom) = self.arena.world, self._rivals[who]
        goal = len(self.things) + who
        on_detour = who in self._detours
        if world.avatars["left"][who] or not (on_detour or world.avatars["aim"][who] == stand_in):
            return  # it goes on with its action, or a player leads it
        rival = found_spot(other.shown(self.arena.tick), whom)[:2]
        weights, side = self._detours.get(who, (world.weights[who].copy(), 0.0))
        found = way_round(here, rival, others, side)
        if found is not None:
            place, side = found
            self._detours[who] = weights, side
            self._weigh(who, _ROUND)
            world.props.place[goal] = (place[0], HEAD, place[1])
            world.avatars["aim"][who] = -1 - goal
        else:
            self._end_detour(who)

    def _end_detour(self, who: int) -> None:
        """Give an avatar that went round a character its target and its weights back."""
        if who in self._detours:
            self.arena.world.weights[who] = self._detours.pop(who)[0]
            self.arena.world.avatars["aim"][who] = self._rivals[who][0]

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        self._others, self._when = others, ticks

    def shown(self, tick: int) -> list[Shown]:
        frames, places = self.arena.shown()
        count = self._people
        return [Shown(self.table.model.library, frames[:count], places[:count])]

    def struck(self, who: int, blow: Blow) -> bool:
        assert self._reactions is not None
        frames, places = self.arena.shown()
        action = self._reactions.answer(int(frames[who]), float(places[who, 2]), blow)
        if action < 0 or self._is_down(who):
            return False
        self.answer(who, action)
        return True

    def _is_down(self, who: int) -> bool:
        tags = self.table.model.library.tags
        return any(tags[action].kind in _DOWN_KINDS for action in self._forced.get(who, ()))

    def answer(self, who: int, action: int) -> None:
        assert self._reactions is not None
        if not self._is_down(who):
            self._forced[who] = [action, *self._reactions.way_up(action)]
            self._show_next(who)

    def _show_next(self, who: int) -> None:
        """Play the next action of a reaction; the current one stays in the list."""
        library, action = self.table.model.library, self._forced[who][0]
        first = int(library.actions.start[action])
        last = min(int(library.actions.stop[action]), library.clips[int(library.frames.clip[first])].stop - 1)
        frames, places = self.arena.shown()
        self.arena.force(who, first, last, goes_on_at(library, int(frames[who]), places[who], first))

    def _go_on_reacting(self) -> None:
        """A character at the end of one action of its reaction plays the next one, or chooses again."""
        for who in [who for who in self._forced if self.arena.world.avatars["left"][who] == 0]:
            self._forced[who].pop(0)
            if self._forced[who]:
                self._show_next(who)
            else:
                del self._forced[who]
                self.arena.recover(who)

    def poses(self, tick: int) -> list[Pose]:
        assert self._frame is not None
        return list(zip(self._frame.root_position, self._frame.rotations))

    def spots(self, ticks: np.ndarray) -> np.ndarray:
        """On the way to where the running action ends."""
        avatars = self.arena.world.avatars[: self._people]
        here = self.arena.world.shown.root[: self._people][:, [0, 2]]
        there = np.column_stack([avatars["end_x"], avatars["end_z"]])
        gone = (ticks[None] - self.arena.tick) / np.maximum(avatars["left"], 1)[:, None]
        share = np.clip(gone, 0.0, 1.0)[:, :, None]
        return here[:, None] + share * (there - here)[:, None]

    def events(self, tick: int) -> list[Event]:
        return [] if self._frame is None else list(self._frame.events)

    def timeline(self, ticks: int) -> Timeline:
        timeline = self.arena.timeline()
        events = tuple(event for event in timeline.events if event.tick <= ticks and self._is_ours(event))
        return replace(timeline, ticks=ticks, tracks=timeline.tracks[: self._people], events=events)

    def moving(self, tick: int) -> np.ndarray:
        return np.insert(self.arena.prop_places[: len(self.things)], 3, 0.0, axis=1)

    def drawn(self) -> list[Thing]:
        shape = Prop.ball(np.zeros((1, 3)), TARGET_RADIUS, _RED, self.fps)
        return [Thing(name, shape) for name in self.things]

    def props(self, clips: Sequence[Clip], ticks: int) -> list[Prop]:
        ways = self._ways.column(0).transpose(1, 0, 2)[: len(self.things)]
        return [Prop.ball(way, TARGET_RADIUS, _RED, self.fps) for way in ways]

    # -- commands of a player ----------------------------------------------------------------------

    def actions(self, who: int) -> list[str]:
        return ["fight", "guard", *self.table.names]

    @property
    def settings(self) -> list[str]:
        return [*self.table.names, "few", "target"]

    def obey(self, command: Command) -> None:
        world = self.arena.world
        if command.thing >= 0:
            if command.what != "go":
                raise RandoriError(f"{command.what}: {self.things[command.thing]} can only go somewhere")
            self._hands.pop(command.thing, None)
            x, z = command.place
            height = HEAD if command.height is None else command.height
            world.props.place[command.thing] = (x, height, z)
            return
        for who in command.who or (max(self.leads, 0),):
            self._obey_one(command, who)

    def _obey_one(self, command: Command, who: int) -> None:
        world = self.arena.world
        self._end_detour(who)
        match command.what:
            case "go":
                goal = len(self.things) + who
                world.props.place[goal] = (command.place[0], HEAD, command.place[1])
                world.avatars["aim"][who] = -1 - goal
                self._weigh(who, {"approach": 1.0})
            case "do" if command.action in self.actions(who):
                world.avatars["aim"][who] = self.arena.cast[who].aim
                weights = {"guard": {"evade": 1.0}, "fight": self.arena.cast[who].weights}
                self._weigh(who, weights.get(command.action, {command.action: 1.0}))
            case "do":
                raise RandoriError(
                    f"do: {self.names[who]} has not learned {command.action!r}; "
                    f"{suggest(command.action, self.actions(who))}"
                )
            case "set":
                self._set(command, who)
            case "take over" | "let go":
                world.avatars["aim"][who] = self.arena.cast[who].aim
                self._weigh(who, self.arena.cast[who].weights)
            case _:
                raise self.refuse(command, "it looks at its target; use go, do or set")

    def _set(self, command: Command, who: int) -> None:
        world, names = self.arena.world, self.table.names
        if command.key in names:
            weight = to_number(f"set: {command.key}", command.value, 0.0, 1e6)
            world.weights[who, names.index(command.key)] = weight
        elif command.key == "few":
            world.avatars["few"][who] = int(to_number("set: few", command.value, 1, 1000))
        elif command.key == "target":
            aims = {name: -1 - k for k, name in enumerate(self.things)}
            aims |= {name: k for k, name in enumerate(self.names) if k != who}
            if who in self._rivals:
                stand_in, other, whom = self._rivals[who]
                aims[other.names[whom]] = stand_in
            if command.value not in aims:
                raise RandoriError(
                    f"set: target: there is no {command.value!r}; {suggest(str(command.value), list(aims))}"
                )
            world.avatars["aim"][who] = aims[command.value]
        else:
            raise RandoriError(f"set: there is no {command.key!r}; {suggest(command.key, self.settings)}")

    def _weigh(self, who: int, weights: dict[str, float]) -> None:
        for column, name in enumerate(self.table.names):
            self.arena.world.weights[who, column] = weights.get(name, 0.0)

    def controls(self) -> list[Control]:
        rows = [
            Control(
                "go", name, "Drag it: it is followed and hit.", "drag", {"who": name}, "place", which=number
            )
            for number, name in enumerate(self.things)
        ]
        for who in sorted(self._told)[:1]:
            name = self.names[who]
            rows += [
                Control(
                    "go", "Walk", "Arrow keys, or a click on the floor: where to walk.", "ground",
                    {"who": name}, "place",
                ),
                Control(
                    "do", "Fight", "Go at the opponent.", "key", {"who": name, "action": "fight"}, key="f"
                ),
                Control(
                    "do", "Guard", "Get out of the way.", "key", {"who": name, "action": "guard"}, key="g"
                ),
            ]  # fmt: skip
        for who in range(min(len(self.names), _CONTROLLED_CHARACTERS)):
            if who in self._told or len(self.names) > _MANY_AVATARS:
                continue
            for behaviour in self.table.names:
                rows.append(
                    Control(
                        "set",
                        f"{behaviour}, {self.names[who]}",
                        f"How much {self.names[who]} wants to {behaviour}.",
                        "number",
                        {"who": self.names[who], "key": behaviour},
                        "value",
                        minimum=0.0,
                        maximum=3.0,
                        start=float(self.arena.world.weights[who, self.table.names.index(behaviour)]),
                    )
                )
        return rows


def _fighters(scene: Scene) -> list[str]:
    return [member.name for member in scene.members("duel")]


def way_round(
    here: np.ndarray, there: np.ndarray, others: np.ndarray, side: float = 0.0
) -> tuple[np.ndarray, float] | None:
    """(2,) a place past the first of the others (N, 2) on the straight way there, and the side, -1 or 1.

    None if the way is free. An avatar that goes round already stays on its side.
    """
    way = there - here
    far = float(np.linalg.norm(way))
    if far < _IN_REACH or len(others) == 0:
        return None
    along = way / far
    aside = np.array([along[1], -along[0]])
    ahead, beside = (others - here) @ along, (others - here) @ aside
    blocking = (ahead > 0.0) & (ahead < far) & (np.abs(beside) < _IN_THE_WAY)
    blocking &= np.linalg.norm(others - there, axis=-1) > _SAME_PLACE_RADIUS
    if not blocking.any():
        return None
    first = int(np.argmin(np.where(blocking, ahead, np.inf)))
    side = side or (-1.0 if beside[first] >= 0.0 else 1.0)  # the side that the way passes it on already
    off = others[first] + side * _PASSES_AT * aside - here
    length = float(np.linalg.norm(off))
    return here + off * (1.0 + _STOPS_BEFORE / max(length, _STOPS_BEFORE)), side


def _face_to_face(x: float, z: float, turn: float, number: int) -> Placement:
    """The place of the first or the second of a pair."""
    yaw = turn + math.pi * number
    return Placement(x - _HALF_DISTANCE * math.sin(yaw), z - _HALF_DISTANCE * math.cos(yaw), yaw)


def drag(start: Sequence[float], fps: float, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    """Ticks and places of a target that a hand drags: it sets off, comes to rest, and hangs."""
    random = np.random.default_rng(seed)
    here, tick = np.array(start, dtype=float), round(_HANGING_SECONDS * fps)
    bearing = 0.0
    while True:
        bearing += float(random.uniform(0.5, 1.8)) * (1.0 if random.random() < 0.7 else -1.0)
        distance = float(random.uniform(1.0, 2.2))
        height = HEAD - float(random.uniform(0.0, 0.3))
        there = np.array([distance * math.sin(bearing), height, distance * math.cos(bearing)])
        length = float(np.linalg.norm(there - here))
        steps = max(math.ceil(length / _DRAGGING_SPEED * fps / _DRAGGING_INTERVAL), 1)
        for step in range(1, steps + 1):
            place = here + float(smooth_step(step / steps)) * (there - here)
            yield tick, np.round(place, 3)
            tick += _DRAGGING_INTERVAL
        here, tick = there, tick + round(_HANGING_SECONDS * fps)
