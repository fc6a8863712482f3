"""Poses of a live session, computed without knowledge of the future. A finished take is smoother."""

from collections.abc import Sequence

import numpy as np

from randori.graph.library import ActionLibrary
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.transition import join
from randori.timeline.timeline import Placed

_FADE_SECONDS = 0.35  # seconds over which the offset from the previous pose fades


class LivePoses:
    """The poses of one character tick by tick; each action starts from the pose in which the last one
    ended."""

    def __init__(self) -> None:
        self._count, self._start = 0, 0
        self._clip: Clip | None = None

    def pose(
        self, placed: Sequence[Placed], library: ActionLibrary, tick: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(3,) root and (J, 4) rotations in a tick."""
        while self._count < len(placed) and (self._count == 0 or placed[self._count].start <= tick):
            self._begin(placed[self._count], library)
            self._count += 1
        clip = self.shown(placed, library)
        frame = min(tick - self._start, len(clip) - 1)
        return clip.root_position[frame], clip.rotations[frame]

    def shown(self, placed: Sequence[Placed], library: ActionLibrary) -> Clip:
        """The action that is played."""
        if self._clip is None:
            self._begin(placed[0], library)
            self._count = 1
        assert self._clip is not None
        return self._clip

    def _begin(self, one: Placed, library: ActionLibrary) -> None:
        last = max(one.last, one.first + 2)  # a velocity needs some frames
        recorded = library.clips[int(library.frames.clip[one.first])]
        clip = one.placement.move(library.clip(one.first, min(last, recorded.stop - 1), ""))
        if self._clip is not None:
            cut = min(max(one.start - self._start, 1), len(self._clip) - 1)
            before = self._clip.with_frames(
                self._clip.root_position[: cut + 1], self._clip.rotations[: cut + 1]
            )
            joined = join(before, clip, _FADE_SECONDS)
            clip = clip.with_frames(joined.root_position[cut:], rot.unroll(joined.rotations[cut:]))
        self._clip, self._start = clip, one.start
