"""The stage that patches are composed on: everybody who is there, tick by tick, and what they have done."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from randori.graph.places import inverse
from randori.kernels import patch_compose as kernels
from randori.motion.placement import Placement
from randori.patches.joins import OVERLAP
from randori.patches.prepared import Prepared
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed, Timeline, Track

_ROOM = 1024  # ticks that there is room for at first
_GLANCE = 15  # ticks from one look to the next
_BLOCK = 32  # ticks that one box is around
_NOWHERE = (1e9, -1e9, 1e9, -1e9)  # an empty box


class Stretch(NamedTuple):
    """Frames of the stock, tick by tick, and where their recordings go."""

    start: int  # tick
    frames: np.ndarray  # (L,) int64
    places: np.ndarray  # (L, 3) x, z, yaw

    @property
    def stop(self) -> int:
        """The last tick."""
        return self.start + len(self.frames) - 1


class Shown(NamedTuple):
    """What is planned of everybody, tick by tick."""

    frame: np.ndarray  # (N, T) int64, of the stock
    place: np.ndarray  # (N, T, 3) x, z, yaw of its recording
    x: np.ndarray  # (N, T) metres, of the pelvis
    z: np.ndarray  # (N, T)
    begun: np.ndarray  # (N,) int64, the first tick that is planned
    until: np.ndarray  # (N,) int64, the last one


class State(NamedTuple):
    """How somebody ends what is planned so far: able to go on with whatever starts in a posture."""

    posture: int
    place: tuple[float, float, float]  # of the posture's frame
    tick: int


@dataclass
class Actor:
    """Somebody on the stage."""

    name: str
    outfit: int
    state: State
    steps: list[Placed] = field(default_factory=list)
    thing: int = 0  # 1 for the mouse

    @property
    def start(self) -> int:
        """The tick from which on it is known what is done; before it somebody waits."""
        return self.steps[0].start if self.steps else self.state.tick


class Stage:
    """Everybody, and what is shown of them."""

    def __init__(self, prepared: Prepared):
        self.graph, self.library, self.patches = prepared.graph, prepared.graph.library, prepared.patches
        self.stock, self.ways = prepared.stock, prepared.ways
        self.actors: list[Actor] = []
        self.events: list[Event] = []
        self._events: dict[int, tuple[Event, ...]] = {}  # of patches that were used
        self._look = self._looks()
        self._allowed = np.full((16, 16), OVERLAP)
        self._frame = np.zeros((0, _ROOM), dtype=np.int64)
        self._place = np.zeros((0, _ROOM, 3))
        self._x, self._z = np.zeros((0, _ROOM)), np.zeros((0, _ROOM))
        self._boxes = np.zeros((_ROOM // _BLOCK, 0, 4))  # around where the pelvis is: x from, to, z from, to
        self._widest = float(self.stock.reach.max())
        arrays = self.patches.arrays
        firsts = arrays.step_start[:-1]
        # (2 N, 3) from where a part begins to where its first recording goes, and from there to its patch
        self._before_entry = inverse(self.stock.entry[arrays.step[firsts, 0]])
        self._before_place = inverse(arrays.place[firsts])
        self._begun = np.zeros(0, dtype=np.int64)
        self._until = np.zeros(0, dtype=np.int64)
        self._things = np.zeros(0, dtype=np.int64)

    def _looks(self) -> np.ndarray:
        """(P,) radians that people in a posture look to the left of where the posture's frame does."""
        graph, stock = self.graph, self.stock
        actions = graph.actions
        off = np.exp(1j * (stock.facing[stock.first[actions]] - stock.entry[actions, 2]))
        total = np.zeros(stock.postures, dtype=complex)
        np.add.at(total, graph.start_posture[actions], off)
        return np.angle(total)

    def looking(self, postures: np.ndarray, yaws: np.ndarray) -> np.ndarray:
        """(K,) radians, where people look who are in postures that are turned so."""
        return yaws + self._look[postures]

    def facing(self, state: State) -> float:
        """Radians: where somebody looks."""
        return float(state.place[2] + self._look[state.posture])

    @property
    def fps(self) -> float:
        return self.library.fps

    def __len__(self) -> int:
        return len(self.actors)

    # -- who is there ------------------------------------------------------------------------------

    def enter(self, actor: Actor, steps: Sequence[Placed] = ()) -> int:
        """Somebody more; the number of the newcomer."""
        self.actors.append(actor)
        self._grow(len(self.actors), 0)
        who = len(self.actors) - 1
        self._things[who] = actor.thing
        self._begun[who] = -1
        if steps:
            self.perform(who, steps)
        return who

    def perform(self, who: int, steps: Sequence[Placed], state: State | None = None) -> None:
        """Plan some more steps for somebody. The state is where they lead to, unless it is given."""
        actor = self.actors[who]
        stretch = self.stretch(steps)
        self._grow(len(self.actors), stretch.stop + 1)
        if self._begun[who] < 0:
            self._begun[who] = stretch.start
        kernels.show(
            self.stock.pelvis, stretch.frames, stretch.places, stretch.start, _BLOCK, self._frame[who],
            self._place[who], self._x[who], self._z[who], self._boxes, who,
        )  # fmt: skip
        self._until[who] = stretch.stop
        actor.steps += steps
        actor.state = state or self.state_after(steps[-1])

    def cut(self, who: int, tick: int) -> None:
        """Let somebody stop in a tick what is planned last; for who stands about, so nothing is left out."""
        actor = self.actors[who]
        if tick < actor.state.tick:
            actor.steps[-1] = replace(actor.steps[-1], stop=tick)
            actor.state = actor.state._replace(tick=tick)
            self._until[who] = tick

    def state_after(self, last: Placed) -> State:
        """Where a step leads to."""
        put = last.placement
        place = then(self.stock.leaving[last.action].tolist(), (put.x, put.z, put.yaw))
        return State(int(self.stock.end_posture[last.action]), place, last.stop)

    def _grow(self, actors: int, ticks: int) -> None:
        """Make room for so many, for so long."""
        have, room = self._frame.shape
        if actors <= have and ticks <= room:
            return
        more = (max(actors, min(2 * have, have + 64)) if actors > have else have) - have
        longer = (max(_BLOCK * -(-ticks // _BLOCK), 2 * room) if ticks > room else room) - room

        def grown(array: np.ndarray, wide: bool) -> np.ndarray:
            widths = [(0, more), (0, longer if wide else 0), (0, 0)]
            return np.pad(array, widths[: array.ndim])

        self._frame, self._place = grown(self._frame, True), grown(self._place, True)
        self._x, self._z = grown(self._x, True), grown(self._z, True)
        boxes = np.tile(np.array(_NOWHERE), ((room + longer) // _BLOCK, have + more, 1))
        boxes[: room // _BLOCK, :have] = self._boxes
        self._boxes = boxes
        self._begun, self._until = grown(self._begun, False), grown(self._until, False)
        self._things = grown(self._things, False)

    # -- where everybody is ------------------------------------------------------------------------

    def stretch(self, steps: Sequence[Placed]) -> Stretch:
        """What steps show, tick by tick, the last one's last frame, too."""
        runs = np.array([(step.first, step.last) for step in steps])
        runs[-1, 1] += 1
        rows = np.array([(step.placement.x, step.placement.z, step.placement.yaw) for step in steps])
        length = int((runs[:, 1] - runs[:, 0]).sum())
        frames, places = np.empty(length, dtype=np.int64), np.empty((length, 3))
        kernels.lay_out(runs, rows, frames, places)
        return Stretch(steps[0].start, frames, places)

    def part(self, number: int, role: int, place: np.ndarray, tick: int) -> Stretch:
        """What somebody shows in a patch that is put somewhere and begins in a tick."""
        ways, row = self.ways, 2 * number + role
        inside = slice(int(ways.way_start[row]), int(ways.way_start[row + 1]))
        places = together(ways.way_place[inside], np.asarray(place)[None])
        return Stretch(tick + int(ways.begin[row]), ways.way_frame[inside], places)

    def spots(self, tick: int) -> np.ndarray:
        """(N, 2) metres, where everybody's pelvis is over the floor in a tick."""
        count = len(self.actors)
        rows = np.clip(tick, self._begun[:count], self._until[:count])
        everybody = np.arange(count)
        return np.column_stack([self._x[everybody, rows], self._z[everybody, rows]])

    def shown_rows(self) -> Shown:
        """What is planned of everybody; of what comes before and after there is nothing here."""
        count = len(self.actors)
        return Shown(self._frame, self._place, self._x, self._z, self._begun[:count], self._until[:count])

    def shown(self, who: int, tick: int) -> tuple[int, np.ndarray]:
        """The stock's frame that is shown of somebody in a tick, and where its recording goes."""
        row = min(max(tick, int(self._begun[who])), int(self._until[who]))
        return int(self._frame[who, row]), self._place[who, row]

    def density(self, places: np.ndarray, tick: int, radius: float) -> np.ndarray:
        """(K,) how many are within a radius of places (K, 2) in a tick."""
        count, counts = len(self.actors), np.empty(len(places), dtype=np.int64)
        kernels.crowded(
            self._x, self._z, _BLOCK, self._boxes, self._begun[:count], self._until[:count], tick, places,
            radius, counts,
        )  # fmt: skip
        return counts

    def clear(self, stretch: Stretch, ignoring: Sequence[int] = (), thing: int = 0, after: int = 0) -> bool:
        """Whether somebody who does this and stays there for some ticks touches nobody else."""
        count, stock = len(self.actors), self.stock
        return bool(
            kernels.touches_nobody(
                stock.body, stock.halves, stock.radii, stock.pelvis, stock.reach, self._widest, self._allowed,
                stretch.frames, stretch.places, thing, stretch.start, _GLANCE, after, self._frame,
                self._place, self._x, self._z, _BLOCK, self._boxes, self._begun[:count], self._until[:count],
                self._things[:count], np.array(ignoring, dtype=np.int64),
            )
        )  # fmt: skip

    # -- patches -----------------------------------------------------------------------------------

    def put_after(self, parts: np.ndarray, state: State) -> np.ndarray:
        """(K, 3) where patches go so that their parts (rows 2 p + r) go on from a state."""
        recording = together(self._before_entry[parts], np.array([state.place]))
        return together(self._before_place[parts], recording)

    def start_of(self, part: int, place: np.ndarray, tick: int) -> State:
        """The state in which somebody has to be to begin a part of a patch that is put somewhere."""
        arrays = self.patches.arrays
        row = int(arrays.step_start[part])
        action = int(arrays.step[row, 0])
        recording = then(arrays.place[row].tolist(), to_place(place))
        posture = then(self.stock.entry[action].tolist(), recording)
        begins = tick + int(self.ways.begin[part])
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
        """What happens in a patch."""
        if number not in self._events:
            self._events[number] = self.patches.patch(number).events
        return self._events[number]

    def tell(self, number: int, place: np.ndarray, tick: int, who: Sequence[int]) -> None:
        """What happens in a patch goes into the record: `who` plays its roles."""
        for event in self._happens(number):
            whom = who[event.whom] if event.whom >= 0 else -1
            point = event.point
            if point is not None:
                x, z, _ = then((point[0], point[2], 0.0), [float(value) for value in place])
                point = (x, point[1], z)
            told = replace(event, tick=event.tick + tick, who=who[event.who], whom=whom, point=point)
            self.events.append(told)

    # -- what comes out ----------------------------------------------------------------------------

    def timeline(self, ticks: int, words: dict[str, object]) -> Timeline:
        """All that is planned until a tick; whoever begins later waits where the beginning is."""
        people = [who for who, actor in enumerate(self.actors) if not actor.thing and actor.steps]
        numbers = {who: number for number, who in enumerate(people)}
        tracks = tuple(
            Track(self.actors[who].name, self.library, tuple(self.actors[who].steps), self.actors[who].outfit)
            for who in people
        )
        events = [
            replace(event, who=numbers[event.who], whom=numbers.get(event.whom, -1))
            for event in sorted(self.events, key=lambda one: (one.tick, one.who))
            if event.tick <= ticks and event.who in numbers
        ]
        return Timeline(self.fps, ticks, tracks, tuple(events), words=words)


def together(first: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(N, 3) placements, and others on top of them: as many, or one for all. graph/places.py in one go."""
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
