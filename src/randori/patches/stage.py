"""The stage that patches are composed on: all characters, tick by tick, and what they have done."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from randori.body.builds import build_of
from randori.graph.places import compose, inverse
from randori.graph.similarity import Poses, distances_from, fit, poses_of
from randori.kernels import patch_compose as kernels
from randori.kernels.patch_compose import RUN, Guest
from randori.kernels.patch_ways import ACTOR, BLOCK, BOX, SHOWN, Crowd, Plan
from randori.kernels.places import PLACE
from randori.motion.placement import Placement
from randori.patches.joins import OVERLAP
from randori.patches.prepared import Prepared
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed, Timeline, Track

_ROOM = 1024  # ticks that there is room for at first
# Metres that a posture may be off in which an action is left before its end: less than where an outstretched
# arm comes back in a graph with ways out (graph/action_graph.py)
_WAY_OUT = 0.2
_CALM_KINDS = ("transition", "locomotion")  # kinds of actions that begin where one can go on
_WHOLE_KINDS = ("fall", "rise", "luggage")  # kinds of actions that run to their end
_NO_CHARACTERS = np.zeros(0, dtype=np.int64)
_EMPTY_BOX = (1e9, -1e9, 1e9, -1e9)  # an empty box


class State(NamedTuple):
    """The end of a character's plan: it can continue with any action that starts in the posture."""

    posture: int
    place: tuple[float, float, float]  # of the posture's frame
    tick: int


class Exits(NamedTuple):
    """Distances of the frames of an action from the postures in which it is possible to go on."""

    poses: Poses  # of the frames, then of the postures
    postures: np.ndarray  # (P,) int64
    apart: np.ndarray  # (F, P) metres, see graph/similarity.py


class Played(NamedTuple):
    """A patch that was put onto the stage."""

    number: int
    tick: int  # tick in which it begins
    who: tuple[int, int]  # the actors of its roles; -1 for a role without an actor


@dataclass
class StageCharacter:
    """A character on the stage."""

    name: str
    outfit: int
    state: State
    steps: list[Placed] = field(default_factory=list)
    thing: int = 0  # 1 for the mouse

    @property
    def start(self) -> int:
        """The tick from which on a plan exists; before it the character waits."""
        return self.steps[0].start if self.steps else self.state.tick


class Stage:
    """All characters, and the frames they show."""

    def __init__(self, prepared: Prepared):
        self.prepared = prepared
        self.graph, self.library, self.patches = prepared.graph, prepared.graph.library, prepared.patches
        self.stock, self.ways = prepared.stock, prepared.ways
        self.actors: list[StageCharacter] = []
        self.led: set[int] = set()  # actors that a person leads: plans leave them out
        self.events: list[Event] = []
        self.played: list[Played] = []
        self._events: dict[int, tuple[Event, ...]] = {}  # of patches in use
        self._ways_out: dict[int, Exits] = {}  # by action
        self._look = self._looks()
        self._allowed = np.full((16, 16), OVERLAP)
        # all with room for more actors and ticks than there are
        self._planned = np.zeros(0, ACTOR)
        self._shown = np.zeros((0, _ROOM), SHOWN)
        self._boxes = np.zeros((_ROOM // BLOCK, 0), BOX)
        self._near = np.zeros(0, dtype=np.int64)
        self._visitors: Crowd | None = None
        self._keep_crowd()
        self.begin = self.ways.parts["begin"]  # (2 N,) ticks of a patch in which its parts begin
        arrays = self.patches.arrays
        firsts = arrays.step_start[:-1]
        # (2 N, 3) from where a part begins to where its first recording goes, and from there to its patch
        self._before_entry = inverse(self.stock.entry[arrays.step["action"][firsts]])
        self._before_place = inverse(arrays.place[firsts])

    def _looks(self) -> np.ndarray:
        """(P,) radians that people in a posture look to the left of where the posture's frame does."""
        graph, stock = self.graph, self.stock
        actions = graph.actions
        off = np.exp(1j * (stock.facing[stock.first[actions]] - stock.entry[actions, 2]))
        total = np.zeros(stock.postures, dtype=complex)
        np.add.at(total, graph.start_posture[actions], off)
        return np.angle(total)

    def looking(self, postures: np.ndarray, yaws: np.ndarray) -> np.ndarray:
        """(K,) radians, the direction of look in postures with the given yaws."""
        return yaws + self._look[postures]

    def facing(self, state: State) -> float:
        """Radians: the direction in which a character looks."""
        return float(state.place[2] + self._look[state.posture])

    @property
    def fps(self) -> float:
        return self.library.fps

    def __len__(self) -> int:
        return len(self.actors)

    # -- characters and plans ----------------------------------------------------------------------

    def enter(self, actor: StageCharacter, steps: Sequence[Placed] = ()) -> int:
        """Add a character; returns its number."""
        self.actors.append(actor)
        self._grow(len(self.actors), 0)
        self._keep_crowd()
        who = len(self.actors) - 1
        self._planned["thing"][who] = actor.thing
        self._planned["begun"][who] = -1
        if steps:
            self.perform(who, steps)
        return who

    def perform(self, who: int, steps: Sequence[Placed], state: State | None = None) -> None:
        """Add steps to a character's plan. The new state is the one they lead to, unless it is given."""
        actor = self.actors[who]
        stretch = self.stretch(steps)
        stop = stretch.start + len(stretch.shown) - 1
        self._grow(len(self.actors), stop + 1)
        if self._planned["begun"][who] < 0:
            self._planned["begun"][who] = stretch.start
        kernels.perform(stretch, self.crowd(), who)
        self._planned["until"][who] = stop
        actor.steps += steps
        actor.state = state or self.state_after(steps[-1])

    def cut(self, who: int, tick: int) -> None:
        """End the last step of a plan in a tick; for a character that stands about, nothing is lost."""
        actor = self.actors[who]
        if tick < actor.state.tick:
            actor.steps[-1] = replace(actor.steps[-1], stop=tick)
            actor.state = actor.state._replace(tick=tick)
            self._planned["until"][who] = tick

    def take_back(self, who: int, count: int, state: State) -> None:
        """Remove the last planned steps of a character, and restore its earlier state."""
        actor = self.actors[who]
        del actor.steps[len(actor.steps) - count :]
        actor.state = state
        self._planned["until"][who] = state.tick

    def rewind(self, who: int, tick: int, way_out: State | None = None) -> None:
        """Cancel a character's plan from a tick on. The step of that tick is shown to its end. A character
        that stands can do something else at once, and one that can leave the step takes the way out. A thing
        runs on by itself."""
        actor = self.actors[who]
        kept = [step for step in actor.steps if step.start < tick]
        if actor.thing or not kept or actor.state.tick <= tick or self._planned["begun"][who] >= tick:
            return
        last, stock = kept[-1], self.stock
        posture = int(stock.start_posture[last.action])
        stands = self.library.tags[last.action].technique == "stand"
        way_out = way_out or self.way_out(last, tick)
        if way_out is not None and way_out.tick == tick:
            last, state = replace(last, stop=tick), way_out
        elif stands and posture == int(stock.end_posture[last.action]):
            put = last.placement
            place = then(stock.entry[last.action].tolist(), (put.x, put.z, put.yaw))
            last = replace(last, stop=tick)
            state = State(posture, place, tick)
        else:
            whole = last.start + int(stock.stop[last.action]) - last.first
            last = replace(last, stop=max(whole, last.stop))
            state = self.state_after(last)
        actor.steps[:] = kept[:-1]
        self.perform(who, [last], state)

    def force(self, who: int, tick: int, step: Placed) -> None:
        """Let a character do something from a tick on and drop its plan: a blow from another controller.

        Partners in the dropped plan are planned again.
        """
        actor = self.actors[who]
        kept = [one for one in actor.steps if one.start < tick]
        for one in [one for one in self.played if who in one.who]:
            role = one.who.index(who)
            part = self.ways.parts[2 * one.number + role]
            begins = one.tick + int(part["begin"])
            if begins + int(part["last"] - part["first"]) > tick:
                if one.who[1 - role] >= 0:
                    self.rewind(one.who[1 - role], tick)
                self.forget(one, tick, begins >= tick)
        actor.steps[:] = [*kept[:-1], replace(kept[-1], stop=min(kept[-1].stop, tick))]
        self.perform(who, [step])

    def way_out(self, step: Placed, tick: int, wanted: np.ndarray | None = None) -> State | None:
        """The first state from a tick on in which a step can be left before its end; None if there is none.

        The pose there is near one of the postures in which steps begin, or one of those in `wanted` (P,)
        bool. A forced reaction can be left only in its second half.
        """
        if step.action >= len(self.library) or self.library.tags[step.action].kind in _WHOLE_KINDS:
            return None
        first, exits = int(self.stock.first[step.action]), self._exits(step.action)
        half = (step.stop - step.start) // 2 if step.cause == FORCED else 1
        begin = max(step.first + max(tick - step.start, half) - first, 0)
        near = exits.apart[begin : max(step.last - first, 0)] < _WAY_OUT
        if wanted is not None:
            near = near & wanted[exits.postures]
        rows = np.flatnonzero(near.any(axis=1))
        if len(rows) == 0:
            return None
        row = begin + int(rows[0])
        column = int(np.argmin(np.where(near[rows[0]], exits.apart[row], np.inf)))
        posture, put = int(exits.postures[column]), step.placement
        moved = fit(exits.poses, np.array([row]), np.array([len(exits.apart) + column]))
        there = compose(self.library.placements[[self.graph.posture_frame[posture]]], moved)[0]
        place = then(there.tolist(), (put.x, put.z, put.yaw))
        return State(posture, place, step.start + first + row - step.first)

    def longest_stay(self, action: int) -> float:
        """The most seconds for which an action cannot be left."""
        length = int(self.stock.stop[action] - self.stock.first[action])
        if self.library.tags[action].kind in _WHOLE_KINDS:
            return length / self.fps
        left = np.flatnonzero((self._exits(action).apart < _WAY_OUT).any(axis=1))
        return float(np.diff([0, *left.tolist(), length]).max()) / self.fps

    def _exits(self, action: int) -> Exits:
        """The poses of the frames of an action."""
        if action not in self._ways_out:
            graph, library = self.graph, self.library
            first, stop = int(self.stock.first[action]), int(self.stock.stop[action])
            steps = [one for one in graph.actions.tolist() if library.tags[one].kind in _CALM_KINDS]
            calm = np.unique(graph.start_posture[steps])
            poses = poses_of(library, np.concatenate([np.arange(first, stop), graph.posture_frame[calm]]))
            apart = [distances_from(poses, row)[stop - first :] for row in range(stop - first)]
            self._ways_out[action] = Exits(poses, calm, np.array(apart))
        return self._ways_out[action]

    def forget(self, patch: Played, since: int, all_of_it: bool) -> None:
        """Remove the events of a patch from a tick on; or the whole patch, if it is not played."""
        if all_of_it:
            self.played.remove(patch)
        both = {-1, *patch.who}
        self.events = [event for event in self.events if event.tick < since or {event.who, event.whom} - both]

    def state_after(self, last: Placed) -> State:
        """The state in which a step ends."""
        put = last.placement
        place = then(self.stock.leaving[last.action].tolist(), (put.x, put.z, put.yaw))
        return State(int(self.stock.end_posture[last.action]), place, last.stop)

    def _grow(self, actors: int, ticks: int) -> None:
        """Make room for a number of characters and ticks."""
        have, room = self._shown.shape
        if actors <= have and ticks <= room:
            return
        more = (max(actors, min(2 * have, have + 64)) if actors > have else have) - have
        longer = (max(BLOCK * -(-ticks // BLOCK), 2 * room) if ticks > room else room) - room
        boxes = np.full(((room + longer) // BLOCK, have + more), np.array(_EMPTY_BOX, BOX))
        boxes[: room // BLOCK, :have] = self._boxes
        shown, planned = np.zeros((have + more, room + longer), SHOWN), np.zeros(have + more, ACTOR)
        shown[:have, :room], planned[:have] = self._shown, self._planned
        self._boxes, self._shown, self._planned = boxes, shown, planned
        self._near = np.zeros(have + more, dtype=np.int64)
        self._keep_crowd()

    def _keep_crowd(self) -> None:
        self._crowd = Crowd(self._planned[: len(self.actors)], self._shown, self._boxes)

    # -- places of all characters ------------------------------------------------------------------

    def stretch(self, steps: Sequence[Placed]) -> Plan:
        """The frames that steps show, tick by tick, including the last frame of the last step."""
        puts = [(step.first, step.last, step.placement) for step in steps]
        first, last, put = puts[-1]
        puts[-1] = first, last + 1, put
        runs = np.array([(first, stop, put.x, put.z, put.yaw) for first, stop, put in puts], RUN)
        shown = np.empty(sum(stop - first for first, stop, _ in puts), SHOWN)
        kernels.lay_out(self.stock.motions, runs, shown)
        return Plan(steps[0].start, shown)

    def part(self, number: int, role: int, place: np.ndarray, tick: int) -> Plan:
        """The frames that a character shows in a patch with a placement and a first tick."""
        first, last, begin, *_ = self.ways.parts[2 * number + role].tolist()
        own = self.ways.shown[first : last + 1]
        shown = np.empty(len(own), SHOWN)
        kernels.carry(self.stock.motions, own, np.array([to_place(place)], PLACE), shown)
        return Plan(tick + begin, shown)

    def crowd(self) -> Crowd:
        """The plans of all characters, for kernels."""
        return self._crowd

    def spots(self, tick: int) -> np.ndarray:
        """(N, 2) metres, the pelvis of every character over the floor in a tick."""
        planned = self._planned[: len(self.actors)]
        rows = np.clip(tick, planned["begun"], planned["until"])
        shown = self._shown[np.arange(len(planned)), rows]
        return np.column_stack([shown["x"], shown["z"]])

    def shown(self, who: int, tick: int) -> tuple[int, np.ndarray]:
        """The stock's frame that a character shows in a tick, and the placement of its recording (3,)."""
        row = min(max(tick, int(self._planned["begun"][who])), int(self._planned["until"][who]))
        frame, place, _, _ = self._shown[who, row].tolist()
        return frame, np.array(place)

    def shown_in(self, who: int, ticks: np.ndarray) -> np.ndarray:
        """(T,) SHOWN of a character in ticks; before and after its steps, as they begin and end."""
        planned = self._planned[who]
        return np.asarray(self._shown[who, np.clip(ticks, planned["begun"], planned["until"])])

    def density(self, places: np.ndarray, tick: int, radius: float) -> np.ndarray:
        """(K,) how many are within a radius of places (K, 2) in a tick."""
        counts = np.empty(len(places), dtype=np.int64)
        kernels.crowded(self.crowd(), tick, places, radius, counts)
        return counts

    def clear(self, stretch: Plan, ignoring: Sequence[int] = (), thing: int = 0, after: int = 0) -> bool:
        """Whether a character that plays this and stays there for some ticks touches no other."""
        guest = Guest(thing, after, np.array(ignoring, dtype=np.int64))
        motions = self.stock.motions
        if not kernels.touches_nobody(motions, self.crowd(), self._allowed, stretch, guest, self._near):
            return False
        if self._visitors is None:
            return True
        guest, near = (
            Guest(thing, after, _NO_CHARACTERS),
            np.zeros(len(self._visitors.actors), dtype=np.int64),
        )
        visitors = self._visitors
        return bool(kernels.touches_nobody(motions, visitors, self._allowed, stretch, guest, near))

    def visit(self, places: np.ndarray, ticks: np.ndarray) -> None:
        """Tell where characters of other controllers will be: (M, K, 2) metres in ticks (K,). No plan here
        may touch them. Each of them counts as a character that stands there."""
        count, first, last = len(places), int(ticks[0]), int(ticks[-1])
        blocks = last // BLOCK + 1
        boxes = np.full((blocks, count), np.array(_EMPTY_BOX, BOX))
        crowd = Crowd(np.zeros(count, ACTOR), np.zeros((count, blocks * BLOCK), SHOWN), boxes)
        crowd.actors["begun"], crowd.actors["until"] = first, last
        frame = self._standing()
        x, z = self.stock.pelvis[frame, :2]
        every = np.arange(first, last + 1)
        for who, way in enumerate(places):
            shown = np.zeros(len(every), SHOWN)
            shown["frame"] = frame
            shown["x"], shown["z"] = (np.interp(every, ticks, column) for column in way.T)
            shown["place"]["x"], shown["place"]["z"] = shown["x"] - x, shown["z"] - z
            kernels.perform(Plan(first, shown), crowd, who)
        self._visitors = crowd if count else None

    def _standing(self) -> int:
        """A frame of a standing character."""
        for action in self.graph.actions.tolist():
            if self.library.tags[action].technique == "stand":
                return int(self.stock.first[action])
        return 0

    # -- patches -----------------------------------------------------------------------------------

    def put_after(self, parts: np.ndarray, state: State) -> np.ndarray:
        """(K, 3) where patches go so that their parts (rows 2 p + r) go on from a state."""
        return self.put_from(parts, np.array([state.place]))

    def put_from(self, parts: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(K, 3) the same for parts that begin at places: as many, or one for all."""
        recording = together(self._before_entry[parts], places)
        return together(self._before_place[parts], recording)

    def start_of(self, part: int, place: np.ndarray, tick: int) -> State:
        """The state that a character needs to begin a part of a placed patch."""
        arrays = self.patches.arrays
        row = int(arrays.step_start[part])
        action = int(arrays.step["action"][row])
        recording = then(arrays.place[row].tolist(), to_place(place))
        posture = then(self.stock.entry[action].tolist(), recording)
        begins = tick + int(self.begin[part])
        return State(int(self.stock.start_posture[action]), posture, begins)

    def steps_of(self, number: int, role: int, place: np.ndarray, tick: int) -> list[Placed]:
        """The steps of a part of a patch that is put somewhere and begins in a tick."""
        arrays, row = self.patches.arrays, 2 * number + role
        where = [float(value) for value in place]
        steps = []
        for k in range(int(arrays.step_start[row]), int(arrays.step_start[row + 1])):
            action, first, start, stop, forced, _ = arrays.step[k].tolist()
            put = Placement(*then(arrays.place[k].tolist(), where))
            cause = FORCED if forced else CHOSEN
            steps.append(Placed(action, first, start + tick, stop + tick, put, cause))
        return steps

    def _happens(self, number: int) -> tuple[Event, ...]:
        """The events of a patch."""
        if number not in self._events:
            self._events[number] = self.patches.patch(number).events
        return self._events[number]

    def tell(self, number: int, place: np.ndarray, tick: int, who: Sequence[int]) -> None:
        """Record the events of a patch; `who` are the characters in its roles."""
        self.played.append(Played(number, tick, (who[0], who[1])))
        for event in self._happens(number):
            whom = who[event.whom] if event.whom >= 0 else -1
            point = event.point
            if point is not None:
                x, z, _ = then((point[0], point[2], 0.0), [float(value) for value in place])
                point = (x, point[1], z)
            told = replace(event, tick=event.tick + tick, who=who[event.who], whom=whom, point=point)
            self.events.append(told)

    # -- results -----------------------------------------------------------------------------------

    def timeline(self, ticks: int, words: dict[str, object]) -> Timeline:
        """All plans until a tick; a character that begins later waits at its first place."""
        people = [who for who, actor in enumerate(self.actors) if not actor.thing and actor.steps]
        numbers = {who: number for number, who in enumerate(people)}
        tracks = tuple(
            Track(
                self.actors[who].name,
                self.library,
                tuple(self.actors[who].steps),
                self.actors[who].outfit,
                build=build_of(numbers[who]),
            )
            for who in people
        )
        events = [
            replace(event, who=numbers[event.who], whom=numbers.get(event.whom, -1))
            for event in sorted(self.events, key=lambda one: (one.tick, one.who))
            if event.tick <= ticks and event.who in numbers
        ]
        return Timeline(self.fps, ticks, tracks, tuple(events), words=words)


def together(first: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(N, 3) placements composed with others: as many, or one for all. graph/places.py in one go."""
    out = np.empty((len(first), 3))
    kernels.follow(first, after, out)
    return out


def then(first: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """One placement (x, z, yaw), and another one on top of it; `together` does it for many."""
    x, z, yaw = first
    ox, oz, turn = after
    c, s = math.cos(turn), math.sin(turn)
    whole = (yaw + turn + math.pi) % (2.0 * math.pi) - math.pi
    return c * x + s * z + ox, c * z - s * x + oz, whole


def undone(place: Sequence[float]) -> tuple[float, float, float]:
    """The placement that undoes one."""
    x, z, yaw = place
    c, s = math.cos(yaw), math.sin(yaw)
    return -(c * x - s * z), -(c * z + s * x), -yaw


def to_row(place: Placement) -> np.ndarray:
    """(3,) x, z, yaw."""
    return np.array([place.x, place.z, place.yaw])


def to_place(row: np.ndarray) -> tuple[float, float, float]:
    """x, z, yaw as plain numbers."""
    return float(row[0]), float(row[1]), float(row[2])
