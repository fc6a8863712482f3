"""Reactions of people to a mouse: near it they flinch, farther away they turn to watch it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from randori.graph.places import compose
from randori.motion import rotations as rot
from randori.patches.compose import Composer, Usage, score
from randori.patches.stage import State
from randori.timeline.timeline import Placed

_STARTING_BACK = ("startle", "avoid")  # techniques
_TURNING_TECHNIQUES = ("turn left", "turn right")
# metres from the mouse: people nearer than this get away, others may flinch on the spot
_DANGER_DISTANCE = 1.0
_FLINCH_DISTANCE = 1.8  # metres from the mouse within which people flinch
_SIGHT_DISTANCE = 5.0  # metres from the mouse beyond which people do not see it
_LOOK_TOLERANCE = np.deg2rad(40.0)  # a person turns to the mouse if the look is off by more than this
_TURN_DIFFERENCE = np.deg2rad(15.0)  # turns that differ by less count as alike, and only one of them is tried
_SLOW_TURN = 1.5  # radians that are worth a second more of turning
_GETTING_AWAY = 0.2  # preference for each metre
_FLINCHING_PREFERENCE = 0.1  # preference for staying on the spot, where the mouse is not close
_FLINCH_PROBABILITY = 0.12  # probability that a person who watches the mouse flinches
_ON_THE_SPOT = 0.1  # metres
_TRIES = 8


class Lines(NamedTuple):
    """One action, or two in a row, that begin and end in a standing posture."""

    actions: list[tuple[int, ...]]
    posture: np.ndarray  # (N,) int64, in which they begin
    move: np.ndarray  # (N, 3) from posture to posture: x, z in metres and yaw in radians
    seconds: np.ndarray  # (N,)

    def some(self, rows: list[int]) -> "Lines":
        return Lines(
            [self.actions[row] for row in rows], self.posture[rows], self.move[rows], self.seconds[rows]
        )


class Alarm:
    """Startles, leaps and turns of people who stand about."""

    def __init__(self, composer: Composer):
        self._composer, self._stage = composer, composer.stage
        tags = self._stage.library.tags
        self._starts = self._lines(lambda action: tags[action].technique in _STARTING_BACK)
        self._still = np.hypot(self._starts.move[:, 0], self._starts.move[:, 1]) < _ON_THE_SPOT
        self._usage = Usage(len(self._still))
        turns = self._lines(lambda action: tags[action].technique in _TURNING_TECHNIQUES)
        shortest: dict[tuple[int, int, int], int] = {}
        for row in np.argsort(turns.seconds, kind="stable").tolist():
            yaw = round(float(turns.move[row, 2]) / _TURN_DIFFERENCE)
            shortest.setdefault((int(turns.posture[row]), yaw, len(turns.actions[row])), row)
        self._turns = turns.some(sorted(shortest.values()))

    def _lines(self, fits: Callable[[int], bool]) -> Lines:
        """All of some actions."""
        graph, stock, can_wait = self._stage.graph, self._stage.stock, self._composer.locomotion.can_wait
        starts, ends = graph.start_posture, graph.end_posture
        actions = [int(action) for action in graph.actions if fits(int(action))]
        begin = [one for one in actions if can_wait[starts[one]]]
        end = [one for one in actions if can_wait[ends[one]]]
        lines: list[tuple[int, ...]] = [(one,) for one in begin if one in end]
        lines += [
            (one, other) for one in begin for other in end if ends[one] == starts[other] and one not in end
        ]
        move = np.zeros((len(lines), 3))
        for number, line in enumerate(lines):
            for action in line:
                move[number] = compose(graph.displacement[[action]], move[[number]])[0]
        ticks = [sum(int(stock.stop[one] - stock.first[one]) for one in line) for line in lines]
        posture = np.array([starts[line[0]] for line in lines], dtype=np.int64)
        return Lines(lines, posture, move, np.array(ticks) / self._stage.fps)

    def mind(self, who: int, state: State, way: np.ndarray, after: int) -> list[Placed]:
        """The reaction of a person in a given state to a mouse that runs along a way (K, 2).

        Returns None if the mouse is too far away or there is no room for any reaction.
        """
        away = np.array(state.place[:2]) - way
        far = float(np.hypot(away[:, 0], away[:, 1]).min())
        if far < _FLINCH_DISTANCE:
            return self.start_back(who, state, way, after)
        if far > _SIGHT_DISTANCE:
            return []
        x, z = -away[-1]
        askew = float(rot.wrap_angle(np.arctan2(x, z) - self._stage.facing(state)))
        if abs(askew) > _LOOK_TOLERANCE:
            return self.turn(who, state, askew)
        if self._composer.rng.random() < _FLINCH_PROBABILITY:
            return self.start_back(who, state, way, after)
        return []

    def start_back(self, who: int, state: State, way: np.ndarray, after: int) -> list[Placed]:
        """A startle or a leap: it leads away from a mouse that is close, otherwise it stays on the spot if
        possible."""
        rows = np.flatnonzero(self._starts.posture == state.posture)
        ends = compose(self._starts.move[rows], np.broadcast_to(np.array(state.place), (len(rows), 3)))
        far = float(np.hypot(*(np.array(state.place[:2]) - way).T).min())
        left = np.hypot(*(ends[:, None, :2] - way[None]).transpose(2, 0, 1)).min(axis=1)
        taste = (
            _GETTING_AWAY * (left - far)
            if far < _DANGER_DISTANCE
            else np.where(self._still[rows], _FLINCHING_PREFERENCE, 0.0)
        )
        value = score(np.zeros(len(rows)), self._usage.value[rows], taste)
        order = rows[np.argsort(-value, kind="stable")]
        # if there is no room to get away, at least on the spot
        for row in [*order[:_TRIES], *order[_TRIES:][self._still[order[_TRIES:]]]]:
            steps = self._clear(who, state, self._starts.actions[row], 0 if self._still[row] else after)
            if steps:
                self._usage.use(int(row))
                return steps
        return []

    def turn(self, who: int, state: State, askew: float) -> list[Placed]:
        """A turn by roughly the given angle in radians."""
        rows = np.flatnonzero(self._turns.posture == state.posture)
        left = np.abs(rot.wrap_angle(self._turns.move[rows, 2] - askew))
        price = left + _SLOW_TURN * self._turns.seconds[rows]
        for row in rows[np.argsort(price, kind="stable")][:_TRIES]:
            if steps := self._clear(who, state, self._turns.actions[row], 0):
                return steps
        return []

    def _clear(self, who: int, state: State, actions: tuple[int, ...], after: int) -> list[Placed]:
        """A sequence of actions, if it touches no other character."""
        stage = self._stage
        steps = self._composer.locomotion.line(actions, state)
        return steps if stage.clear(stage.stretch(steps), [who], after=after) else []
