"""Luggage as it is drawn, and its place in a live session: where the hands hold it now."""

from collections.abc import Callable, Sequence

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.skeleton import Skeleton
from randori.patches.carried import EASE, Grip, held
from randori.performer.luggage import PIECES
from randori.render.stage import Prop

_LEATHER = (0.45, 0.26, 0.12)

Pose = Callable[[int, int], tuple[np.ndarray, np.ndarray]]  # of a character in a tick: root and rotations


class Luggage:
    """One piece, tick by tick. The gap when it changes hands fades, as in patches/carried.py."""

    def __init__(self, piece: str, grips: Sequence[Grip], pose: Pose):
        """`grips` grows while it goes along."""
        self.piece, self._grips, self._pose = piece, grips, pose
        self._half = 0.5 * PIECES[piece].size[1]
        self._number = -1  # of the grip that holds it
        self._missing = np.zeros(4)
        self._last: np.ndarray | None = None

    def place(
        self, tick: int, shown: Sequence[tuple[np.ndarray, np.ndarray]], skeleton: Skeleton, fps: float
    ) -> np.ndarray:
        """(4,) metres and radians: x, y, z of its middle, and its yaw, for the poses of the tick."""
        begun = [number for number, grip in enumerate(self._grips) if grip.tick <= tick]
        if not begun:
            return self._waiting(skeleton, fps)
        grip = self._grips[begun[-1]]
        if not grip.hand:
            resting = self._last if self._last is not None else self._waiting(skeleton, fps)
            self._last = np.array([resting[0], self._half, resting[2], resting[3]])
            return self._last
        own = _held(skeleton, fps, self.piece, grip.hand, *shown[grip.who])
        if begun[-1] != self._number:
            before = self._last if self._last is not None else self._waiting(skeleton, fps)
            self._number, self._missing = begun[-1], before - own
            self._missing[3] = rot.wrap_angle(2.0 * self._missing[3]) / 2.0  # half a turn makes no difference
        left = 1.0 - smooth_step(np.clip((tick - grip.tick) / (EASE * fps), 0.0, 1.0))
        self._last = own + left * self._missing
        return self._last

    def _waiting(self, skeleton: Skeleton, fps: float) -> np.ndarray:
        """On the floor, where the first hand will be."""
        if self._last is None:
            first = self._grips[0]
            self._last = _held(skeleton, fps, self.piece, first.hand, *self._pose(first.who, first.tick))
            self._last[1] = self._half
        return self._last


def _held(
    skeleton: Skeleton, fps: float, piece: str, hand: str, root: np.ndarray, rotations: np.ndarray
) -> np.ndarray:
    clip = Clip("", skeleton, fps, root[None], rotations[None])
    return held(clip, np.zeros(1, dtype=np.int64), piece, hand)[0]


def luggage(name: str, way: np.ndarray, fps: float) -> Prop:
    """A piece of luggage: round cones along its edges."""
    wide, high, deep = PIECES[name].size
    radius = 0.25 * min(wide, high, deep)
    rounds = [max(0.5 * size - radius, 0.0) for size in (wide, high, deep)]
    starts, stops = [], []
    for y in (-1.0, -0.33, 0.33, 1.0):
        for x in (-1.0, 0.0, 1.0):
            starts.append((x * rounds[0], y * rounds[1], -rounds[2]))
            stops.append((x * rounds[0], y * rounds[1], rounds[2]))
    return Prop(np.array(starts), np.array(stops), np.full(len(starts), radius), _LEATHER, way, fps)
