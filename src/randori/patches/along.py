"""Two characters fight along a path: among the patches that can follow, the nearest to the path is chosen."""

from collections.abc import Sequence

import numpy as np

from randori.graph.places import compose
from randori.patches.compose import Composer, Wish
from randori.patches.fights import TwoFight
from randori.patches.prepared import Prepared
from randori.patches.stage import State


class Path:
    """The planned place of the middle of a pair: from corner to corner, with the same time for each side."""

    def __init__(self, corners: Sequence[Sequence[float]], pace: float):
        self.corners = np.asarray(corners, dtype=float)  # (C, 2) metres
        self.pace = pace  # seconds from one to the next

    def at(self, seconds: np.ndarray) -> np.ndarray:
        """(K, 2) metres, at some times (K,)."""
        numbers = np.arange(len(self.corners))
        return np.stack([np.interp(seconds / self.pace, numbers, axis) for axis in self.corners.T], axis=-1)


class _Guide(Composer):
    """Prefers patches that end where the pair should be by then."""

    def __init__(self, prepared: Prepared, seed: int, path: Path):
        super().__init__(prepared, seed)
        self._path = path
        ways = self.stage.ways
        last = ways.shown[ways.parts["last"]]
        ends = np.column_stack([last["x"], last["z"]]).reshape(-1, 2, 2)
        middles = np.column_stack([ends.mean(axis=1), np.zeros(len(ends))])
        self._middle = np.repeat(middles, 2, axis=0)  # (2 N, 3) between the two as a patch ends
        length = ways.parts["last"] + 1 - ways.parts["first"]
        self._after = (ways.parts["begin"] + length).reshape(-1, 2).max(axis=1).repeat(2)  # (2 N,) ticks

    def preference(self, parts: np.ndarray, state: State, wish: Wish) -> np.ndarray:
        """(K,) 1 for a patch that ends where it should; half of it a metre away."""
        places = self.stage.put_after(parts, state)
        middle = compose(self._middle[parts], places)[:, :2]
        ends = state.tick - self.stage.begin[parts] + self._after[parts]
        return 1.0 / (1.0 + np.linalg.norm(middle - self._path.at(ends / self.stage.fps), axis=-1))


class AlongPath(TwoFight):
    """A pair that fights along a path; with `walk`, steps between two patches lead back to it."""

    def __init__(
        self,
        prepared: Prepared,
        seed: int,
        path: Path,
        places: Sequence[Sequence[float]],
        walk: bool = True,
    ):
        self._path, self._walk = path, walk
        super().__init__(prepared, seed, places=places, composer=_Guide(prepared, seed, path))

    def _step(self, who: int, other: int, distance: float, bearing: float) -> None:
        """A step that keeps the distance to the partner, on this character's side of the planned middle."""
        if not self._walk:
            super()._step(who, other, distance, bearing)
            return
        mine, theirs = self.stage.actors[who].state, self.stage.actors[other].state
        way = np.arctan2(theirs.place[0] - mine.place[0], theirs.place[1] - mine.place[1])
        middle = self._path.at(np.array([mine.tick / self.stage.fps]))[0]
        goal = middle - 0.5 * distance * np.array([np.sin(way), np.cos(way)])
        self._go(who, goal.tolist(), float(way - bearing))
