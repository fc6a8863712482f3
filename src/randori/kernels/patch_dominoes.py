"""Characters that fall onto each other: what of a picture they cover, and where there is room to fall."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.patch_bodies import deepest, seen_from
from randori.kernels.patch_ways import FASTEST, Plan, find_pelvis, put_rows, reach_box
from randori.kernels.places import PLACE
from randori.kernels.plane import move_point

# -- the picture -----------------------------------------------------------------------------------------


class Silhouettes(NamedTuple):
    """Bodies seen from above, as points; body k has points[start[k]:start[k + 1]], and so on."""

    points: np.ndarray  # (P, 2) metres
    start: np.ndarray  # (K + 1,) int64
    sparse: np.ndarray  # (S, 2) a few of them
    sparse_start: np.ndarray  # (K + 1,) int64
    ring: np.ndarray  # (Q, 2) metres, as many around it
    ring_start: np.ndarray  # (K + 1,) int64


class Raster(NamedTuple):
    """Squares of the floor: those of a picture, and those that a body is over."""

    left: float  # metres, x of the first column
    top: float  # metres, z of the first row
    square: float  # metres
    wanted: np.ndarray  # (rows, columns) bool
    covered: np.ndarray  # (rows, columns) bool


LYING = np.dtype(
    [
        ("shape", np.int64),  # of the silhouettes
        ("place", PLACE),
    ],
    align=True,
)
GAIN = np.dtype(
    [
        ("new", np.float64),  # points where no body lies yet; later square metres
        ("outside", np.float64),  # points outside of the picture; later square metres
        ("tight", np.float64),  # share of the points around the body that are covered, or outside
    ],
    align=True,
)


@kernel
def cover(raster, shapes, lying):
    """Count bodies (K,) LYING into a raster: the squares that their points are over."""
    for k in range(len(lying)):
        place = lying[k].place
        cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
        for p in range(shapes.start[lying[k].shape], shapes.start[lying[k].shape + 1]):
            x, z = move_point(cosine, sine, place.x, place.z, shapes.points[p, 0], shapes.points[p, 1])
            column = math.floor((x - raster.left) / raster.square)
            row = math.floor((raster.top - z) / raster.square)
            if 0 <= row < raster.covered.shape[0] and 0 <= column < raster.covered.shape[1]:
                raster.covered[row, column] = True


@kernel
def gains(raster, shapes, lying, few, out):
    """Find the gain of bodies (K,) LYING that would cover a picture: rows of `out` (GAIN).

    How tightly a body lies is only looked at if it has at least `few` new points.
    """
    for k in range(len(lying)):
        shape, place = lying[k].shape, lying[k].place
        first, stop = shapes.sparse_start[shape], shapes.sparse_start[shape + 1]
        new, outside = _count_squares(raster, shapes.sparse, first, stop, place)
        out[k].new, out[k].outside, out[k].tight = new, outside, 0.0
        if new < few:
            continue
        first, stop = shapes.ring_start[shape], shapes.ring_start[shape + 1]
        new, _ = _count_squares(raster, shapes.ring, first, stop, place)
        out[k].tight = (stop - first - new) / max(stop - first, 1)


@kernel
def _count_squares(raster, points, first, stop, place):
    """The number of a body's points over squares that are still free, and the number outside the picture."""
    high, wide = raster.wanted.shape
    cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
    x, z = place.x - raster.left, raster.top - place.z
    new, outside = 0, 0
    for p in range(first, stop):
        column = math.floor((cosine * points[p, 0] + sine * points[p, 1] + x) / raster.square)
        row = math.floor((z - cosine * points[p, 1] + sine * points[p, 0]) / raster.square)
        if not (0 <= row < high and 0 <= column < wide) or not raster.wanted[row, column]:
            outside += 1
        elif not raster.covered[row, column]:
            new += 1
    return new, outside


# -- room to fall ----------------------------------------------------------------------------------------

GLANCE = 6  # ticks from one look to the next, at first
CANDIDATE = np.dtype(
    [
        ("part", np.int64),  # of a patch, that is done
        ("tick", np.int64),  # in which the patch begins
        ("parted", np.int64),  # tick from which on the character that falls upon it does not count
        ("place", PLACE),  # where the patch goes
        ("dead", np.int64),  # 1 if it touches another character: others only come to it
    ],
    align=True,
)


class Fallen(NamedTuple):
    """All characters so far, from tick 0 on; after its last planned tick a character holds its pose."""

    actors: np.ndarray  # (N,) ACTOR
    shown: np.ndarray  # (M, T) SHOWN
    boxes: np.ndarray  # (N,) BOX around all that a character reaches


class FallRules(NamedTuple):
    """Allowed depths of overlap between bodies, in metres, and their times."""

    allowed: np.ndarray  # (16, 16) usually
    resting: np.ndarray  # (16, 16) after a character has fallen upon another
    falling: int  # ticks that this takes: meanwhile they may be in each other


class Parent(NamedTuple):
    """The character that falls upon another."""

    number: int  # -1 if there is none
    parted: int  # tick from which on it falls


@kernel
def touches(motions, fallen, rules, plan, parent, every):
    """Whether a character with a plan touches one of the others, from tick 0 on, each `every`-th tick.

    Before and after its plan it holds its pose.
    """
    low_x, high_x, low_z, high_z = reach_box(motions, plan.shown, 0.0)
    # mostly it is where they lie that there is no room: that is looked at first
    for whole in range(2):
        for other in range(len(fallen.actors)):
            box = fallen.boxes[other]
            if box.low_x >= high_x or box.high_x <= low_x or box.low_z >= high_z or box.high_z <= low_z:
                continue
            if _touches_other(motions, fallen, rules, plan, parent, other, every, whole == 1):
                return True
    return False


@kernel
def _touches_other(motions, fallen, rules, plan, parent, other, every, whole):
    """Whether a character with a plan touches another one: at the end of both plans, or the whole time."""
    length, until = len(plan.shown), fallen.actors[other].until
    end = max(plan.start + length - 1, until)  # from here on neither moves
    again = parent.parted + rules.falling  # the parent counts again
    t = 0 if whole else max(end, 0)
    while t <= end:
        if other == parent.number and parent.parted <= t < again:
            t = again
            continue
        allowed = rules.resting if other == parent.number and t >= parent.parted else rules.allowed
        mine, theirs = plan.shown[min(max(t - plan.start, 0), length - 1)], fallen.shown[other, min(t, until)]
        x, z = mine.x - theirs.x, mine.z - theirs.z
        apart = math.sqrt(x * x + z * z)
        far = motions.frames[mine.frame].reach + motions.frames[theirs.frame].reach
        ahead = every
        if apart < far:
            capsules, view = motions.capsules[0], seen_from(mine.place, theirs.place)
            depth, _, _ = deepest(motions, mine.frame, capsules, theirs.frame, capsules, view, allowed)
            if depth > 0.0:
                return True
        else:
            ahead = every * (1 + int((apart - far) / (FASTEST * every)))
        # the end is looked at, too
        t = end if t < end < t + ahead else t + ahead
    return False


@kernel
def first_free(motions, ways, fallen, rules, candidates, order, parent, room):
    """The first of some candidates (K,) CANDIDATE, in an order, that touches no other; -1 if all do.

    `parent` is the number of the character that falls upon it; `room` (L,) SHOWN has to be as long as the
    longest part.
    """
    for turn in range(len(order)):
        k = order[turn]
        candidate = candidates[k]
        part = ways.parts[candidate.part]
        shown = room[: part.last - part.first + 1]
        put_rows(ways.shown[part.first : part.last + 1], candidate.place, shown)
        find_pelvis(motions, shown)
        plan = Plan(candidate.tick + part.begin, shown)
        if not touches(motions, fallen, rules, plan, Parent(parent, candidate.parted), GLANCE):
            return k
        candidate.dead = 1
    return -1
