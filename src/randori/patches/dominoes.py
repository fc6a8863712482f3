"""A crowd that falls like dominoes: one falls onto the next, until the fallen fill a picture on the floor."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.graph.places import compose, inverse
from randori.patches.compose import NO_WISH, Composer
from randori.patches.prepared import Prepared
from randori.patches.stage import Actor, State, to_row
from randori.timeline.timeline import Placed

PIXEL = 0.45  # metres
_FINER = 2  # pixels of the floor across one of the bitmap
HEART = (
    "...####.....####...",
    ".#######...#######.",
    "#########.#########",
    "###################",
    "###################",
    "###################",
    ".#################.",
    "..###############..",
    "...#############...",
    "....###########....",
    ".....#########.....",
    "......#######......",
    ".......#####.......",
    "........###........",
)
_ALONG = 4  # points along each capsule of a body that are looked at
_FIRST = 60  # tick in which the first one falls
_CHILDREN = 3  # who are taken along by one
_TRIES = 60  # patches that are tried for each
_PLACES, _MISSES = 800, 12  # that are tried for somebody who falls alone, and how often in vain
_ENOUGH = 0.96  # of the picture
_OUTSIDE = 2.0  # times that a point outside counts against
_LEAST = 1.0  # pixel that somebody must add
_LATEST = 0.2  # seconds after the last of the neighbours that somebody falls without being touched
_AROUND = 2.0  # metres


class Fallen(NamedTuple):
    """Somebody whose fall can take others along."""

    who: int
    step: Placed


class Picture:
    """A bitmap on the floor, and how much of it is covered."""

    def __init__(self, rows: Sequence[str]):
        bitmap = np.array([[cell == "#" for cell in row] for row in rows])
        self.wanted = bitmap.repeat(_FINER, axis=0).repeat(_FINER, axis=1)
        self.covered = np.zeros_like(self.wanted)
        self._points, self._outside = 0, 0

    @property
    def share(self) -> float:
        """Of the picture that is covered."""
        return float(self.covered[self.wanted].mean())

    @property
    def outside(self) -> float:
        """Share of the bodies that lies outside of the picture."""
        return self._outside / max(self._points, 1)

    def cells(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (..., 2) of points (..., 2) over the floor, and which of them are in the picture."""
        middle = 0.5 * np.array(self.wanted.shape[::-1])
        column = np.floor(points[..., 0] / PIXEL + middle[0]).astype(np.int64)
        row = np.floor(middle[1] - points[..., 1] / PIXEL).astype(np.int64)
        high, wide = self.wanted.shape
        known = (row >= 0) & (row < high) & (column >= 0) & (column < wide)
        cells = np.stack([np.clip(row, 0, high - 1), np.clip(column, 0, wide - 1)], axis=-1)
        return cells, known & self.wanted[cells[..., 0], cells[..., 1]]

    def gain(self, points: np.ndarray) -> np.ndarray:
        """(K,) pixels that bodies of points (K, P, 2) would add, less for what lies outside."""
        cells, inside = self.cells(points)
        numbers = cells[..., 0] * self.wanted.shape[1] + cells[..., 1]
        new = inside & ~self.covered[cells[..., 0], cells[..., 1]]
        numbers = np.sort(np.where(new, numbers, -1), axis=1)
        added = ((np.diff(numbers, axis=1) > 0) & (numbers[:, 1:] >= 0)).sum(axis=1) + (numbers[:, 0] >= 0)
        return added - _OUTSIDE * 10.0 * (~inside).mean(axis=1)

    def cover(self, points: np.ndarray) -> None:
        """A body (P, 2) lies here now."""
        cells, inside = self.cells(points)
        self.covered[cells[inside, 0], cells[inside, 1]] = True
        self._points += len(points)
        self._outside += int((~inside).sum())


class Dominoes:
    """Everybody stands until somebody falls onto them."""

    def __init__(self, prepared: Prepared, seed: int, rows: Sequence[str] = HEART):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish, self.picture = self.composer.stage, NO_WISH, Picture(rows)
        arrays = prepared.patches.arrays
        self._by_action: dict[int, list[int]] = {}
        for number in range(len(prepared.patches)):
            self._by_action.setdefault(int(self.composer.first_action[2 * number + 1]), []).append(number)
        self._last_step = arrays.step_start[1:] - 1
        tags = prepared.graph.library.tags
        self._falls = np.array(
            [a for a in prepared.graph.actions.tolist() if tags[a].kind == "fall" and a in self._by_action]
        )
        self._waiting: list[Fallen] = []
        misses = 0
        while misses < _MISSES and self.picture.share < _ENOUGH:
            misses = 0 if self._seed() else misses + 1
            while self._waiting:
                self._take_along(self._waiting.pop(0))

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def advance(self, now: int) -> None:
        """All of it is known from the beginning; who lies goes on lying."""

    # -- bodies ------------------------------------------------------------------------------------

    def _points(self, frames: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(K, P, 2) points over the floor of bodies in frames (K,) whose recordings are placed (K, 3)."""
        body = self.stage.stock.body[frames].astype(np.float64)[:, :15][..., [0, 2]]  # without a weapon
        shares = np.linspace(0.0, 1.0, _ALONG)[None, None, :, None]
        points = body[:, :, :1] + shares * (body[:, :, 1:] - body[:, :, :1])
        points = points.reshape(len(frames), -1, 2)
        c, s = np.cos(places[:, 2])[:, None], np.sin(places[:, 2])[:, None]
        x, z = points[..., 0], points[..., 1]
        return np.stack([c * x + s * z + places[:, :1], c * z - s * x + places[:, 1:2]], axis=-1)

    def _join(self, steps: Sequence[Placed], begin: State) -> int:
        """Somebody more: stands from the beginning on, then does this."""
        number = len(self.stage) + 1
        waits = self.composer.locomotion.wait_before(begin, 0)
        who = self.stage.enter(Actor(f"person {number}", number, begin), [*waits, *steps])
        last = steps[-1]
        self.picture.cover(self._points(np.array([last.last]), to_row(last.placement)[None])[0])
        self._waiting.append(Fallen(who, last))
        return who

    # -- one falls by itself -----------------------------------------------------------------------

    def _seed(self) -> bool:
        """Somebody who falls without being touched, where most of the picture is empty."""
        empty = np.argwhere(self.picture.wanted & ~self.picture.covered)
        if len(empty) == 0:
            return False
        rng, stock = self.composer.rng, self.stage.stock
        middle = 0.5 * np.array(self.picture.wanted.shape[::-1])
        cells = empty[rng.integers(len(empty), size=_PLACES)] + rng.random((_PLACES, 2))
        spots = np.column_stack([(cells[:, 1] - middle[0]) * PIXEL, (middle[1] - cells[:, 0]) * PIXEL])
        actions = self._falls[rng.integers(len(self._falls), size=_PLACES)]
        frames = stock.stop[actions]
        # the middle of the fallen body goes to the spot
        yaws = rng.uniform(-np.pi, np.pi, _PLACES)
        flat = np.column_stack([stock.pelvis[frames, :2], np.zeros(_PLACES)])
        turned = compose(flat, np.column_stack([np.zeros((_PLACES, 2)), yaws]))
        places = np.column_stack([spots - turned[:, :2], yaws])
        gains = self.picture.gain(self._points(frames, places))
        for row in np.argsort(-gains, kind="stable")[:_TRIES]:
            if gains[row] < _LEAST:
                return False
            action, place = int(actions[row]), places[row]
            posture = compose(stock.entry[[action]], place[None])[0]
            begin = State(
                int(stock.start_posture[action]), (float(posture[0]), float(posture[1]), float(posture[2])),
                self._when(posture[:2]),
            )  # fmt: skip
            if not self.composer.locomotion.can_wait[begin.posture]:
                continue
            step = self.composer.locomotion.placed(action, begin)
            if self.stage.clear(self.stage.stretch([step])):
                self._join([step], begin)
                return True
        return False

    def _when(self, spot: np.ndarray) -> int:
        """When somebody falls by itself: with those around."""
        starts = [
            actor.steps[-1].start
            for actor, here in zip(self.stage.actors, self.stage.spots(0))
            if np.hypot(*(here - spot)) < _AROUND
        ]
        return max(starts, default=_FIRST) + round(_LATEST * self.stage.fps)

    # -- and takes others along --------------------------------------------------------------------

    def _take_along(self, fallen: Fallen) -> None:
        """Those onto whom somebody falls."""
        arrays, stage, ways = self.composer.patches.arrays, self.stage, self.stage.ways
        step = fallen.step
        numbers = np.array(self._by_action.get(step.action, []), dtype=np.int64)
        firsts = arrays.step[arrays.step_start[2 * numbers + 1], 1] if len(numbers) else numbers
        numbers, firsts = numbers[firsts >= step.first], firsts[firsts >= step.first]
        if len(numbers) == 0:
            return
        own = arrays.place[arrays.step_start[2 * numbers + 1]]
        places = compose(inverse(own), np.broadcast_to(to_row(step.placement), own.shape))
        ticks = step.start + firsts - step.first - ways.begin[2 * numbers + 1]
        lasts = self._last_step[2 * numbers]
        frames = arrays.step[lasts, 1] + arrays.step[lasts, 3] - arrays.step[lasts, 2]
        points = self._points(frames, compose(arrays.place[lasts], places))
        children, tried = 0, 0
        gains = self.picture.gain(points)
        while children < _CHILDREN and tried < _TRIES:
            row = int(np.argmax(gains))
            if gains[row] < _LEAST:
                return
            tried += 1
            number, tick = int(numbers[row]), int(ticks[row])
            begin = stage.start_of(2 * number, places[row], tick)
            stretch = stage.part(number, 0, places[row], tick)
            fits = begin.tick >= 0 and self.composer.locomotion.can_wait[begin.posture]
            if fits and stage.clear(stretch, [fallen.who]):
                who = self._join(stage.steps_of(number, 0, places[row], tick), begin)
                stage.tell(number, places[row], tick, (who, fallen.who))
                self.composer.usage.use(number)
                children += 1
                gains = np.where(gains > -np.inf, self.picture.gain(points), -np.inf)
            gains[row] = -np.inf
