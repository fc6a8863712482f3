"""The locomotion engine: collision-free steps towards a goal, forward or backward in time.

It is greedy: it looks a few steps ahead, takes the best step, and looks again. Two ways meet in a posture
that both have; the remaining gap of a few centimetres goes into the join.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.csr import to_csr
from randori.graph.places import inverse
from randori.kernels import patch_compose as kernels
from randori.kernels.patch_compose import END, LEAD, MEETING, Gap, Leads, Sorted
from randori.kernels.places import as_places
from randori.motion import rotations as rot
from randori.motion.placement import Placement
from randori.patches.stage import Stage, State, then, undone
from randori.timeline.timeline import Placed

# first words of techniques of locomotion; without "switch" no character comes back from the other stance
GAITS = ("walk", "start", "stop", "run", "jog", "step", "turn", "switch", "stand", "carry")
FAR, TURNED = 0.12, np.deg2rad(10.0)  # gap that may remain where two ways meet
_CHOICES = 24  # actions of a posture that are looked at
_CELL, _CELL_TURN = 0.12, np.deg2rad(12.0)  # actions that lead nearly to the same place: one of them will do
_MOST_ENDS = 16384  # ends of a few steps
_WAYS_FOUND = 48  # ways that are looked at
_PAIRS = 6  # meetings that are tried
_TURNING_SPEED = 1.5  # radians per second, the usual speed of a turn
_STRIDE = 7919  # a prime: in which order ways to stand are taken
_FIERCE_FACTOR = 10  # times longer that an action counts on the way up that is not done calmly
_BRIEF_TICKS = 15  # ticks that are not worth another way to stand
_LONG_SECONDS = 4.0  # seconds: farther away than this is all the same
_FIRST_STEP_SPEED = 0.6  # share of the usual speed: a first step is slow, but still worth it
_TRIED_STEPS = 12  # best steps that are tried before a character stands still


class Reached(NamedTuple):
    """States that a few steps lead to, the cheapest first."""

    which: np.ndarray  # (K,) int64, of the states
    price: np.ndarray  # (K,) ticks, including the price of the remaining gap
    actions: np.ndarray  # (K, depth) int64, -1 where there are fewer
    later: np.ndarray  # (K,) int64, ticks


class Locomotion:
    """Ways over the floor, made of some of the actions."""

    def __init__(self, stage: Stage, fits: Callable[[int], bool] | None = None, gaits: Sequence[str] = GAITS):
        self.stage = stage
        graph, stock = stage.graph, stage.stock
        tags = graph.library.tags
        self.actions = np.array(
            [
                int(action)
                for action in graph.actions
                if tags[action].technique.split(" ")[0] in gaits
                and (fits is None or fits(int(action)))
                and not self._is_twitch(int(action))
            ],
            dtype=np.int64,
        )
        starts, ends = graph.start_posture, graph.end_posture
        # a step must not lead to where no other one begins
        while not np.isin(ends[self.actions], starts[self.actions]).all():
            self.actions = self.actions[np.isin(ends[self.actions], starts[self.actions])]
        self.on_feet = np.isin(np.arange(stock.postures), starts[self.actions])  # (P,) one can step from here
        self._ticks = stock.stop - stock.first
        self.speed = self._usual_speed()
        ahead, back = graph.displacement, inverse(graph.displacement)
        self._ahead = self._tables(starts, ends, ahead)
        self._back = self._tables(ends, starts, back)
        self._stands = self._standing()
        self.can_wait = np.array([len(some) > 0 for some in self._stands])
        self._since_wait = self._relaxed(self.can_wait, ahead=True)
        self._routes: dict[int, tuple[int, ...]] = {}
        # arrays that spreading writes into
        self._room: dict[tuple[int, bool], tuple[np.ndarray, np.ndarray]] = {}
        self._before_entry = [undone(place) for place in stock.entry.tolist()]
        self._before_leaving = [undone(place) for place in stock.leaving.tolist()]

    def _is_twitch(self, action: int) -> bool:
        """Whether an action is such a short piece of a stride that a repetition looks frozen.

        Libraries with a large threshold have such pieces: both ends are the same posture.
        """
        graph, stock = self.stage.graph, self.stage.stock
        brief = int(stock.stop[action] - stock.first[action]) < _BRIEF_TICKS
        stays = graph.start_posture[action] == graph.end_posture[action]
        return bool(brief and stays) and graph.library.tags[action].technique != "stand"

    def _usual_speed(self) -> float:
        moves = self.stage.graph.displacement[self.actions]
        speeds = np.hypot(moves[:, 0], moves[:, 1]) / self._ticks[self.actions] * self.stage.fps
        return float(np.quantile(speeds, 0.9))

    def _tables(self, leaves: np.ndarray, reaches: np.ndarray, move: np.ndarray) -> Leads:
        """Of actions that do nearly the same the shortest is kept; few enough to look several steps ahead."""
        postures = self.stage.stock.postures
        rows, kept = [], []
        for posture in range(postures):
            found: dict[tuple[int, ...], int] = {}
            for action in self.actions[leaves[self.actions] == posture].tolist():
                x, z, yaw = move[action]
                cell = (
                    int(reaches[action]), round(x / _CELL), round(z / _CELL), round(yaw / _CELL_TURN),
                )  # fmt: skip
                if cell not in found or self._ticks[action] < self._ticks[found[cell]]:
                    found[cell] = action
            some = sorted(found.values(), key=lambda action: (move[action].tolist(), action))
            if len(some) > _CHOICES:
                some = [some[k * len(some) // _CHOICES] for k in range(_CHOICES)]
            rows += [posture] * len(some)
            kept += some
        indptr, indices = to_csr(np.array(rows, dtype=np.int64), np.array(kept, dtype=np.int64), postures)
        actions = np.zeros(len(move), LEAD)
        actions["move"], actions["posture"] = as_places(move), reaches
        actions["ticks"] = self._ticks[: len(move)]
        return Leads(indptr, indices, actions)

    def _standing(self) -> list[list[int]]:
        """For each posture, the actions in which a character stands in it and ends in it, the longest
        last."""
        graph = self.stage.graph
        stands: list[list[int]] = [[] for _ in range(self.stage.stock.postures)]
        for action in sorted(self.actions.tolist(), key=lambda one: (self._ticks[one], one)):
            posture = int(graph.start_posture[action])
            if graph.library.tags[action].technique == "stand" and graph.end_posture[action] == posture:
                stands[posture].append(action)
        return stands

    def _relaxed(self, wanted: np.ndarray, ahead: bool) -> np.ndarray:
        """(P,) seconds from the nearest wanted posture on (ahead), or to it; infinity if there is no way."""
        graph = self.stage.graph
        starts, ends = graph.start_posture[self.actions], graph.end_posture[self.actions]
        leaves, reaches = (starts, ends) if ahead else (ends, starts)
        seconds = self._ticks[self.actions] / self.stage.fps
        since = np.where(wanted, 0.0, np.inf)
        while True:
            shorter = since.copy()
            np.minimum.at(shorter, reaches, since[leaves] + seconds)
            if (shorter == since).all():
                return since
            since = shorter

    def seconds_to(self, wanted: np.ndarray) -> np.ndarray:
        """(P,) seconds from each posture to the nearest of the wanted ones (P,), at most a limit."""
        return np.minimum(self._relaxed(wanted, ahead=False), _LONG_SECONDS)

    # -- single steps ------------------------------------------------------------------------------

    def placed(self, action: int, state: State) -> Placed:
        """An action that starts in a state."""
        recording = then(self._before_entry[action], state.place)
        first, stop = int(self.stage.stock.first[action]), state.tick + int(self._ticks[action])
        return Placed(action, first, state.tick, stop, Placement(*recording))

    def placed_before(self, action: int, state: State) -> Placed:
        """An action that leads to a state."""
        recording = then(self._before_leaving[action], state.place)
        first, start = int(self.stage.stock.first[action]), state.tick - int(self._ticks[action])
        return Placed(action, first, start, state.tick, Placement(*recording))

    def state_before(self, step: Placed) -> State:
        """The state that a step starts in."""
        put = step.placement
        place = then(self.stage.stock.entry[step.action].tolist(), (put.x, put.z, put.yaw))
        return State(int(self.stage.stock.start_posture[step.action]), place, step.start)

    def line(self, actions: Sequence[int], state: State) -> list[Placed]:
        """Actions in a row."""
        steps = []
        for action in actions:
            steps.append(self.placed(int(action), state))
            state = self.stage.state_after(steps[-1])
        return steps

    def line_before(self, actions: Sequence[int], state: State) -> list[Placed]:
        """Actions that lead to a state; the first of them is the last one done."""
        steps: list[Placed] = []
        for action in actions:
            steps.insert(0, self.placed_before(int(action), state))
            state = self.state_before(steps[0])
        return steps

    def stand(self, state: State, turn: int = 0) -> Placed:
        """Stand in a posture for a while; every turn in another way."""
        stands = self._stands[state.posture]
        return self.placed(stands[(state.tick * _STRIDE + turn) % len(stands)], state)

    def wait(self, state: State, until: int) -> list[Placed]:
        """Stand in a posture until a tick: in another way each time, the last one cut."""
        stands = self._stands[state.posture]
        steps: list[Placed] = []
        while stands and state.tick < until:
            left = until - state.tick
            if steps and left < _BRIEF_TICKS and self._goes_on(steps[-1], left):
                steps[-1] = replace(steps[-1], stop=until)
                break
            fitting = [action for action in stands if self._ticks[action] <= left]
            some = fitting or [min(stands, key=lambda action: (self._ticks[action], action))]
            step = self.placed(some[(state.tick * _STRIDE) % len(some)], state)
            steps.append(replace(step, stop=min(step.stop, until)))
            state = state._replace(tick=steps[-1].stop)
        return steps

    def _goes_on(self, step: Placed, ticks: int) -> bool:
        """Whether the recording of a step continues for this many ticks."""
        library = self.stage.library
        return step.last + ticks < library.clips[int(library.frames.clip[step.first])].stop

    def wait_before(self, state: State, since: int) -> list[Placed]:
        """Stand from a tick on, so that it ends in a state."""
        if not self.can_wait[state.posture]:
            return []
        return self.wait(state._replace(tick=since), state.tick)

    # -- goals -------------------------------------------------------------------------------------

    def spread(
        self, state: State, depth: int, most: int = 10**6, back: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """(K,) END where a few steps lead to, or from where, and (K, depth) int64 the actions, -1 where there
        are fewer; until this is asked for again."""
        tables = self._back if back else self._ahead
        room = min(_MOST_ENDS, sum((_CHOICES + 1) ** level for level in range(depth + 1)))
        if (depth, back) not in self._room:
            self._room[depth, back] = np.empty(room, END), np.empty((room, depth), dtype=np.int64)
        ends, lines = self._room[depth, back]
        ends[0] = (state.posture, 0, state.place)
        count = kernels.spread(tables, most, ends, lines)
        return ends[:count], lines[:count]

    def step_to(
        self,
        who: int,
        goal: Sequence[float],
        facing: float | None = None,
        ignoring: Sequence[int] = (),
        dislike: np.ndarray | None = None,
        after: int = 0,
        likes: np.ndarray | None = None,
        depth: int = 2,
    ) -> list[Placed]:
        """The next step of a character on the way to a place, with a look in a direction there.

        The list is empty if every step would touch another character, or lead to where one comes within
        `after` ticks. `dislike` (P,) are seconds added for postures, `likes` (A,) seconds taken off for
        actions. `depth` is the number of steps looked ahead.
        """
        state = self.stage.actors[who].state
        ends, lines = self.spread(state, depth)
        price = self._price(ends, goal, facing)
        if dislike is not None:
            price = price + dislike[ends["posture"]]
        if likes is not None:
            price = price - np.where(lines >= 0, likes[lines], 0.0).sum(axis=1)
        for action in _first_actions(lines, price):
            step = self.placed(action, state)
            if self.stage.clear(self.stage.stretch([step]), [who, *ignoring], after=after):
                return [step]
        return []

    def go_on(self, state: State) -> list[Placed]:
        """A step that every state has, even if another character is in the way: to stand, the shortest step,
        or a part of getting up.

        Composition needs a way from every posture to a step; `leads_on` finds out beforehand.
        """
        if self.can_wait[state.posture]:
            return [self.stand(state)]
        if self.on_feet[state.posture]:
            tables = self._ahead
            some = tables.indices[tables.indptr[state.posture] : tables.indptr[state.posture + 1]]
            return [self.placed(int(some[np.argmin(self._ticks[some])]), state)]
        steps = self.rise(state)[:1]
        if not steps:
            raise RandoriError("the motions have no way from the end of an action to a step or to standing")
        return steps

    def leads_on(self, posture: int) -> bool:
        """Whether there is always something to do after a posture."""
        return posture < 0 or bool(self.on_feet[posture]) or bool(self._route(posture))

    def _price(self, ends: np.ndarray, goal: Sequence[float], facing: float | None) -> np.ndarray:
        """(K,) seconds to reach ends (K,) END, plus the seconds that remain from there."""
        place = ends["place"]
        left = np.hypot(place["x"] - goal[0], place["z"] - goal[1])
        price = ends["ticks"] / self.stage.fps + left / (_FIRST_STEP_SPEED * self.speed)
        if facing is not None:
            looks = self.stage.looking(ends["posture"], place["yaw"])
            price = price + np.abs(rot.wrap_angle(looks - facing)) / _TURNING_SPEED
        return price

    def way_in(
        self,
        state: State,
        middle: Sequence[float],
        distance: float,
        earliest: int,
        ignoring: Sequence[int] = (),
        most: int = 12,
    ) -> list[Placed]:
        """Steps that lead to a state from outside: straight from the middle, at least a distance from it.

        They are found backwards in time, each farther out than the one before. They begin in a posture in
        which a character can wait, or in the tick `earliest`.
        """
        x, z = state.place[0] - middle[0], state.place[1] - middle[1]
        away = max(float(np.hypot(x, z)), 0.3)
        goal = (middle[0] + x / away * distance, middle[1] + z / away * distance)
        facing = float(np.arctan2(-x, -z))
        steps: list[Placed] = []
        if np.isinf(self._since_wait[state.posture]):
            return []
        for _ in range(most):
            gone = np.hypot(state.place[0] - middle[0], state.place[1] - middle[1])
            if (gone >= distance and self.can_wait[state.posture]) or state.tick <= earliest:
                return steps
            ends, lines = self.spread(state, 2, back=True)
            price = self._price(ends, goal, facing) + self._since_wait[ends["posture"]]
            for action in _first_actions(lines, price):
                step = self.placed_before(action, state)
                inside = max(step.start, 0)
                stretch = self.stage.stretch([cut_before(step, inside)]) if step.stop > inside else None
                if stretch is None or self.stage.clear(stretch, ignoring):
                    steps.insert(0, step)
                    state = self.state_before(step)
                    break
            else:
                return []
        return steps if self.can_wait[state.posture] else []

    def meet(
        self, who: int, wanted: State, late: int, ignoring: Sequence[int] = ()
    ) -> tuple[list[Placed], int] | None:
        """Steps that bring a character from its state to another one, and the delay in ticks.

        One way goes forward, the other backward; where they meet, a character that is early waits.
        """
        state = self.stage.actors[who].state
        room = wanted.tick - state.tick
        if room + late < 0:
            return None
        away = np.hypot(wanted.place[0] - state.place[0], wanted.place[1] - state.place[1])
        if away > 1.3 * self.speed * (room + late) / self.stage.fps + 0.3:
            return None
        best, gap = np.empty(_PAIRS, MEETING), Gap(room, late, FAR, TURNED)
        for depth in (2, 3):
            there, there_lines = self.spread(state, depth, room + late)
            back, back_lines = self.spread(wanted, depth, room + late, back=True)
            count = kernels.meet(there, back, _sorted(back), self.can_wait, gap, best)
            if count:
                break
        for i, j, _ in best[:count].tolist():
            ticks = int(there["ticks"][i] + back["ticks"][j])
            later = max(ticks - room, 0)
            arrives = wanted._replace(tick=wanted.tick + later)
            steps = self.line([a for a in there_lines[i].tolist() if a >= 0], state)
            tail = self.line_before([a for a in back_lines[j].tolist() if a >= 0], arrives)
            here = self.stage.state_after(steps[-1]) if steps else state
            steps += self.wait(here, tail[0].start if tail else arrives.tick)
            steps += tail
            if not steps or self.stage.clear(self.stage.stretch(steps), [who, *ignoring]):
                return steps, later
        return None

    def reach(
        self, who: int, postures: np.ndarray, places: np.ndarray, rooms: np.ndarray, late: int, depth: int
    ) -> Reached:
        """The states (K,), (K, 3) that a character reaches in time (K,) with this many steps, and the ways.

        The cheapest ways are returned. A character that is early waits there.
        """
        state = self.stage.actors[who].state
        most = int(rooms.max(initial=-1))
        if most + late < 0:
            none = np.zeros(0, dtype=np.int64)
            return Reached(none, np.zeros(0), np.zeros((0, depth), dtype=np.int64), none)
        there, lines = self.spread(state, depth, most + late)
        wanted = np.empty(len(rooms), END)
        wanted["posture"], wanted["ticks"], wanted["place"] = postures, most - rooms, as_places(places)
        best, gap = np.empty(_WAYS_FOUND, MEETING), Gap(most, late, FAR, TURNED)
        best = best[: kernels.meet(there, wanted, _sorted(wanted), self.can_wait, gap, best)]
        ways, which = best["there"], best["back"]
        return Reached(which, best["price"], lines[ways], np.maximum(there["ticks"][ways] - rooms[which], 0))

    # -- on the feet again -------------------------------------------------------------------------

    def rise(self, state: State) -> list[Placed]:
        """The shortest way to a posture with a step: a fallen character gets up."""
        if self.on_feet[state.posture]:
            return []
        return self.line(self._route(state.posture), state)

    def _route(self, posture: int) -> tuple[int, ...]:
        """Actions from a posture to where one can step; by how long they take."""
        if posture not in self._routes:
            self._routes[posture] = self._shortest(posture)
        return self._routes[posture]

    def _shortest(self, posture: int) -> tuple[int, ...]:
        graph = self.stage.graph
        best: dict[int, tuple[int, tuple[int, ...]]] = {posture: (0, ())}
        waiting = [posture]
        done: set[int] = set()
        while waiting:
            here = min(waiting, key=lambda one: (best[one][0], one))
            waiting.remove(here)
            if self.on_feet[here]:
                return best[here][1]
            done.add(here)
            for action in graph.choices(here).tolist():
                calm = graph.library.tags[action].kind in ("transition", "locomotion", "rise")
                price = int(self._ticks[action]) * (1 if calm else _FIERCE_FACTOR)
                there, taken = int(graph.end_posture[action]), best[here][0] + price
                if there not in done and (there not in best or taken < best[there][0]):
                    best[there] = (taken, (*best[here][1], action))
                    waiting += [] if there in waiting else [there]
        return ()


def _sorted(ends: np.ndarray) -> Sorted:
    """Ends (K,) END by their postures and squares of the floor."""
    keys = np.empty(len(ends), dtype=np.int64)
    kernels.cells(ends, FAR, keys)
    order = np.argsort(keys, kind="stable")
    return Sorted(keys[order], order)


def _first_actions(lines: np.ndarray, price: np.ndarray) -> Iterator[int]:
    """The first actions of some ways (K, depth), by price (K,); a few of them."""
    tried: set[int] = set()
    for action in lines[np.argsort(price, kind="stable"), 0].tolist():
        if action >= 0 and action not in tried:
            tried.add(action)
            yield action
            if len(tried) >= _TRIED_STEPS:
                return


def cut_before(step: Placed, tick: int) -> Placed:
    """A step without its part before a tick."""
    if step.start >= tick:
        return step
    return replace(step, first=step.first + tick - step.start, start=tick)
