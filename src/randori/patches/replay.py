"""Joins of patches, replayed tick by tick: no jumps, no bodies in each other (part of patches/check.py).

Nothing here comes from the kernels that find joins: kernels/patch_check.py moves and measures the bodies.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from randori.body.capsules import fit
from randori.graph.action_graph import ActionGraph
from randori.kernels import patch_check as kernels
from randori.kernels.places import as_places
from randori.motion import rotations as rot
from randori.motion.placement import Placement
from randori.parallel import Arrays
from randori.patches import mouse
from randori.patches.joins import FAR, LATE, LEAST, OVERLAP, TURNED
from randori.patches.library import PatchLibrary
from randori.patches.patch import Part, following, place_after
from randori.performer.luggage import PIECES
from randori.timeline.timeline import Placed

ROUNDING = 0.002  # metres: recordings are kept in single precision where patches are worked out
_SAME_PLACE = 1e-3  # metres that the shared one may be off in two patches


class _Way(NamedTuple):
    """The frames that a character shows, tick by tick, including the last frame of the part."""

    start: int  # tick
    frames: np.ndarray  # (T,) int64
    places: np.ndarray  # (T, 3) x, z, yaw of their recordings
    radii: np.ndarray  # (16,) metres

    @property
    def stop(self) -> int:
        return self.start + len(self.frames) - 1

    def played(self) -> kernels.Played:
        """The same for kernels."""
        return kernels.Played(self.start, self.frames, as_places(self.places), self.radii)

    def put(self, place: Placement, tick: int) -> "_Way":
        c, s = np.cos(place.yaw), np.sin(place.yaw)
        x, z, yaw = self.places.T
        moved = np.column_stack([c * x + s * z + place.x, c * z - s * x + place.z, yaw + place.yaw])
        return self._replace(start=self.start + tick, places=moved)


class Replay:
    """Replays joins of one library and adds the faults to `found`."""

    def __init__(self, patches: PatchLibrary, graph: ActionGraph):
        self.patches, self.graph, self.library = patches, graph, graph.library
        self._known: dict[int, tuple[Part, _Way]] = {}
        self._checks: dict[str, Callable[[Sequence[int]], Iterator[str | float]]] = {
            "together": self._together,
            "alone": self._alone,
            "beside": self._beside,
        }

    @cached_property
    def _body(self) -> np.ndarray:
        """(F, 16, 2, 3) all recordings, then the mouse's."""
        library = self.library
        people = fit(library.skeleton).place(library.positions, library.global_rotations)
        return np.concatenate([people, mouse.capsules(mouse.ways(library.fps).reshape(-1, 3))])

    def _part(self, number: int, role: int) -> tuple[Part, _Way]:
        key = 2 * number + role
        if key not in self._known:
            for one, part in enumerate(self.patches.patch(number).parts):
                self._known[2 * number + one] = part, self._way(part)
        return self._known[key]

    def _way(self, part: Part) -> _Way:
        frames, places = [], []
        for step in part.steps:
            last = step.last + (step is part.steps[-1])
            frames.append(np.arange(step.first, last))
            put = step.placement
            places.append(np.broadcast_to([put.x, put.z, put.yaw], (last - step.first, 3)))
        is_mouse = part.steps[0].action >= len(self.library)
        radii = mouse.radii() if is_mouse else fit(self.library.skeleton).radii
        return _Way(part.start, np.concatenate(frames), np.concatenate(places), radii)

    def check(self, kind: str, row: Sequence[int]) -> tuple[list[str], float]:
        """The faults of a join, and how many metres bodies are in each other at most."""
        wrong, deepest = [], -np.inf
        for found in self._checks[kind]([int(value) for value in row]):
            if isinstance(found, str):
                wrong.append(found)
            else:
                deepest = max(deepest, found)
        if deepest > OVERLAP + ROUNDING:
            wrong.append("bodies in each other")
        return list(dict.fromkeys(wrong)), deepest

    def _together(self, row: Sequence[int]) -> Iterator[str | float]:
        first, second, change, tick = row
        lead = self._part(second, change)[0]
        place = place_after(self.graph, self._part(first, 0)[0].steps[-1], lead)
        for role in (0, 1):
            old, new = self._part(first, role)[0].steps[-1], self._part(second, role ^ change)[0].steps[0]
            yield from self._follows(old, new)
            if not 0 <= new.start + tick - old.stop <= LATE:
                yield "waits too long"
            wanted, put = following(self.graph, old, new.action), new.placement.then(place)
            here, there = (moved(self.library.placements[new.first], one) for one in (wanted, put))
            turned = abs(float(rot.wrap_angle(here[2] - there[2])))
            if np.hypot(*(here - there)[:2]) > FAR + ROUNDING or turned > TURNED + 1e-6:
                yield "a break in the motion"

    def _alone(self, row: Sequence[int]) -> Iterator[str | float]:
        first, role, second, as_role = row
        before, mine = self._part(first, role)
        _, theirs = self._part(first, 1 - role)
        after, own = self._part(second, as_role)
        place = place_after(self.graph, before.steps[-1], after)
        tick = mine.stop - own.start
        part, other = own.put(place, tick), self._part(second, 1 - as_role)[1].put(place, tick)
        yield from self._follows(before.steps[-1], after.steps[0])
        end = max(part.stop, other.stop)
        yield self._deepest(theirs, other, other.start, end)
        yield self._deepest(theirs, part, mine.stop + 1, end)
        yield self._deepest(mine, other, other.start, mine.stop)

    def _beside(self, row: Sequence[int]) -> Iterator[str | float]:
        first, role, second, as_role, tick = row
        _, mine = self._part(first, role)
        _, theirs = self._part(first, 1 - role)
        _, own = self._part(second, as_role)
        start = own.start + tick
        shared = start - mine.start
        length = min(mine.stop, own.stop + tick) - start
        if shared < 0 or length < LEAST:
            yield "too short a time together"
            return
        here = Placement(*(float(value) for value in mine.places[shared]))
        there = Placement(*(float(value) for value in own.places[0]))
        place = there.inverse().then(here)
        part, other = own.put(place, tick), self._part(second, 1 - as_role)[1].put(place, tick)
        both = slice(shared, shared + length)
        off = np.hypot(*(mine.places[both] - part.places[:length])[:, :2].T)
        if (mine.frames[both] != part.frames[:length]).any() or off.max() > _SAME_PLACE:
            yield "the shared one does something else"
            return
        end = max(mine.stop, theirs.stop, part.stop, other.stop)
        yield self._deepest(theirs, other, max(theirs.start, other.start), end)
        yield self._deepest(theirs, part, mine.stop + 1, part.stop)
        yield self._deepest(mine, other, other.start, start - 1)
        yield self._deepest(mine, other, part.stop + 1, mine.stop)

    def _follows(self, before: Placed, after: Placed) -> Iterator[str]:
        if self.graph.end_posture[before.action] != self.graph.start_posture[after.action]:
            yield "an action that cannot follow"
        held = [
            (tags.position, tags.side) for tags in (self.library.tags[one.action] for one in (before, after))
        ]
        if held[0] != held[1] and any(position in PIECES for position, _ in held):
            yield "luggage from nowhere"

    def _deepest(self, one: _Way, other: _Way, first: int, last: int) -> float:
        if last < first:
            return -np.inf
        return float(kernels.deepest_between(self._body, one.played(), other.played(), first, last))


def replay_chunk(replay: Replay, chunk: tuple[str, int, int, int]) -> Arrays:
    """Replay joins of one table at regular intervals: faults by join, and how deep bodies are in each
    other."""
    kind, first, stop, every = chunk
    table = getattr(replay.patches.joins, kind)
    rows, words, deepest = [], [], [0.0]
    for row in range(first, stop, every):
        wrong, depth = replay.check(kind, table[row])
        rows += [row] * len(wrong)
        words += wrong
        deepest.append(depth)
    return {
        "row": np.array(rows, dtype=np.int64),
        "wrong": np.array(words, dtype=np.str_),
        "deepest": np.array([max(deepest)]),
    }


def moved(own: np.ndarray, place: Placement) -> np.ndarray:
    """(3,) x, z and yaw, moved by a placement."""
    x, _, z = place.move_points([own[0], 0.0, own[1]])
    return np.array([x, z, own[2] + place.yaw])
