"""Bodies that are still in each other or in an obstacle, taken apart frame by frame, off their motion.

What has come in at one side goes out at the same side, even where it has got past the middle.
"""

from typing import NamedTuple

import numpy as np

from randori.kernels import boxes as hard
from randori.kernels.boxes import Boxes
from randori.kernels.compile import kernel
from randori.kernels.physics import EASE, NEAR, Moment, Point, ease_body, is_near, push, push_out, restrain
from randori.kernels.puppet import PARTICLES, PELVIS, Bodies, nearest, place_ends, pose
from randori.kernels.rotation import rotation_at
from randori.kernels.vectors import dot, length_of, row_of, set_row, times

_THROUGH_DISTANCE = 0.04  # metres past the middle, from which on something goes out at the other side
_PATIENCE = 2  # frames without touching after which something has come in again
_OVERRELAXATION = 1.2  # times the push: limbs give way less than their particles do


class Meetings(NamedTuple):
    """Pairs of bodies, and how their capsules have come into each other."""

    pairs: np.ndarray  # (P, 2) int64, bodies that come near each other
    ways: np.ndarray  # (P, 16, 16, 3) direction from a capsule of the second to one of the first,
    seen: np.ndarray  # (P, 16, 16) int64, and the frame in which they were last in each other

    @classmethod
    def of(cls, pairs: np.ndarray, bodies: Bodies) -> "Meetings":
        """Pairs that have not met yet."""
        shape = (len(pairs), bodies.capsules.shape[1], bodies.capsules.shape[1])
        return cls(pairs, np.zeros((*shape, 3)), np.full(shape, -_PATIENCE - 1, dtype=np.int64))


class Busy(NamedTuple):
    """Bodies that have to be looked at."""

    moving: np.ndarray  # (B,) bool, pushed in the last round
    pushed: np.ndarray  # (B,) bool, pushed in this one
    ease: np.ndarray  # (B, 12) how easily particles move that nothing holds: a wall pushes planted feet, too

    @classmethod
    def of(cls, bodies: Bodies) -> "Busy":
        count = len(bodies.capsules)
        ease = np.tile(np.array(EASE, dtype=np.float64), (count, 1))
        return cls(np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_), ease)


def part(
    bodies: Bodies,
    pairs: np.ndarray,  # (P, 2) int64, bodies that come near each other
    obstacles: Boxes,  # in the same frames
    offsets: np.ndarray,  # (F, B, 12, 3) metres
    slack: float,  # metres that may be left
    rounds: int,
    corrections: np.ndarray,  # (F, B, 12, 3) metres, out: what is still missing
) -> float:
    """Find additions to offsets that leave no body deeper in another or in an obstacle than the slack.

    Returns how deep the deepest were before.
    """
    meetings, busy, moment = Meetings.of(pairs, bodies), Busy.of(bodies), Moment.of(bodies)
    return float(_part(bodies, meetings, obstacles, busy, moment, offsets, slack, rounds, corrections))


@kernel
def _part(bodies, meetings, obstacles, busy, moment, offsets, slack, rounds, corrections):
    """As `part`. Its scratch space makes nine parameters: a kernel makes no arrays."""
    worst = 0.0
    for f in range(offsets.shape[0]):
        _start_frame(bodies, f, meetings.pairs, offsets[f], busy, moment)
        _start_near_obstacles(bodies, f, obstacles, busy)
        for number in range(rounds):
            _pose_moving(bodies, f, busy, moment)
            deepest = _push_pairs(bodies, f, meetings, slack, busy, moment)
            deepest = max(deepest, _push_from_obstacles(bodies, f, obstacles, slack, busy, moment))
            if number == 0:
                worst = max(worst, deepest)
            if deepest <= slack:
                break
            for b in range(len(busy.moving)):
                busy.moving[b] = busy.pushed[b]
                if busy.moving[b]:
                    restrain(bodies, f, b, moment.offsets[b])
        for b in range(offsets.shape[1]):
            for p in range(PARTICLES):
                for k in range(3):
                    corrections[f, b, p, k] = moment.offsets[b, p, k] - offsets[f, b, p, k]
    return worst


@kernel
def _start_frame(bodies, f, pairs, offsets, busy, moment):
    """Put bodies where offsets (B, 12, 3) have them; those that are near another have to be looked at."""
    for b in range(len(offsets)):
        busy.moving[b] = False
        for p in range(PARTICLES):
            set_row(moment.offsets[b], p, row_of(offsets[b], p))
        ease_body(bodies, f, b, moment.ease[b])
    for pair in range(len(pairs)):
        first, second = pairs[pair, 0], pairs[pair, 1]
        if is_near(bodies, f, first, second):
            busy.moving[first] = True
            busy.moving[second] = True


@kernel
def _start_near_obstacles(bodies, f, obstacles, busy):
    """Bodies that may touch an obstacle have to be looked at."""
    for b in range(len(busy.moving)):
        pelvis = row_of(bodies.points[f, b], PELVIS)
        for k in range(len(obstacles.radii)):
            middle, turned = row_of(obstacles.middles[f], k), rotation_at(obstacles.turned[f], k)
            half, edge = row_of(obstacles.halves, k), obstacles.radii[k]
            away, _ = hard.surface(middle, turned, half, edge, pelvis)
            if away < 0.5 * NEAR:
                busy.moving[b] = True


@kernel
def _push_from_obstacles(bodies, f, obstacles, slack, busy, moment):
    """Push bodies that were moved out of obstacles; returns how deep the deepest were in one."""
    deepest = 0.0
    if len(obstacles.radii) == 0:
        return deepest
    free = Moment(moment.offsets, busy.ease, moment.ends, moment.pose)
    for b in range(len(busy.moving)):
        if not busy.moving[b]:
            continue
        for i in range(moment.ends.shape[1]):
            radius = bodies.radii[b, i]
            for k in range(len(obstacles.radii)):
                start, stop = row_of(moment.ends[b, i], 0), row_of(moment.ends[b, i], 1)
                if radius < 0.0 or not hard.is_near(obstacles, f, k, start, stop, radius):
                    continue
                deep, share, out = hard.capsule_depth(obstacles, f, k, start, stop, radius)
                deepest = max(deepest, deep)
                if deep > 0.5 * slack:
                    busy.pushed[b] = True
                    push_out(
                        bodies, Point(b, i, share), times(_OVERRELAXATION * (deep - 0.5 * slack), out), free
                    )
    return deepest


@kernel
def _pose_moving(bodies, f, busy, moment):
    """Pose the bodies that were pushed: the others are where they were."""
    for b in range(len(busy.moving)):
        busy.pushed[b] = False
        if busy.moving[b]:
            pose(bodies, f, b, moment.offsets[b], moment.pose)
            place_ends(bodies, f, b, moment.pose, moment.ends[b])


@kernel
def _push_pairs(bodies, f, meetings, slack, busy, moment):
    """Push all pairs apart of which one was moved; returns how deep the deepest were in each other."""
    deepest = 0.0
    for pair in range(len(meetings.pairs)):
        first, second = meetings.pairs[pair, 0], meetings.pairs[pair, 1]
        if (busy.moving[first] or busy.moving[second]) and is_near(bodies, f, first, second):
            deep = _push_pair(bodies, f, meetings, pair, slack, moment)
            deepest = max(deepest, deep)
            if deep > 0.5 * slack:
                busy.pushed[first] = True
                busy.pushed[second] = True
    return deepest


@kernel
def _push_pair(bodies, f, meetings, pair, slack, moment):
    """Push the capsules of two bodies apart the way they came; returns how deep the deepest were."""
    first, second = meetings.pairs[pair, 0], meetings.pairs[pair, 1]
    deepest = 0.0
    for i in range(moment.ends.shape[1]):
        for j in range(moment.ends.shape[1]):
            together = bodies.radii[first, i] + bodies.radii[second, j]
            if bodies.radii[first, i] < 0.0 or bodies.radii[second, j] < 0.0:
                continue
            if _far(moment.ends[first, i], moment.ends[second, j], together):
                continue
            s, t, way = nearest(moment.ends[first, i], moment.ends[second, j])
            apart = length_of(way)
            if apart >= together:
                continue
            came = row_of(meetings.ways[pair, i], j)
            along = dot(way, came)
            if f - meetings.seen[pair, i, j] <= _PATIENCE and along < 0.0 and apart < _THROUGH_DISTANCE:
                way, apart = came, along
            elif apart > 1e-6:
                way = way[0] / apart, way[1] / apart, way[2] / apart
                set_row(meetings.ways[pair, i], j, way)
            else:
                continue
            meetings.seen[pair, i, j] = f
            deep = together - apart
            deepest = max(deepest, deep)
            deep -= 0.5 * slack
            if deep <= 0.0:
                continue
            deep *= _OVERRELAXATION
            push(bodies, Point(first, i, s), Point(second, j, t), times(deep, way), moment)
    return deepest


@kernel
def _far(a, b, together):
    """Whether two segments (2, 3) are surely farther apart than so many metres."""
    for k in range(3):
        low = max(min(a[0, k], a[1, k]), min(b[0, k], b[1, k]))
        high = min(max(a[0, k], a[1, k]), max(b[0, k], b[1, k]))
        if low - high > together:
            return True
    return False
