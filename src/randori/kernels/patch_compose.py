"""Composing patches: which characters are in the way, and where a few steps lead to."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.angles import wrap_angle
from randori.kernels.compile import array_kernel, kernel
from randori.kernels.patch_bodies import deepest, seen_from
from randori.kernels.patch_ways import BLOCK, FASTEST, find_pelvis, planned_row, put_rows, reach_box
from randori.kernels.places import PLACE
from randori.kernels.plane import move_point
from randori.kernels.vectors import row_of

GLANCE = 15  # ticks from one look to the next, at first
_MIDDLE = 1 << 18  # squares of the floor to either side of the middle
RUN = np.dtype(
    [
        ("first", np.int64),  # frame
        ("stop", np.int64),  # frame after the last
        ("x", np.float64),  # metres, where the recording goes
        ("z", np.float64),
        ("yaw", np.float64),  # radians
    ],
    align=True,
)


@kernel
def follow(first, after, out):
    """Places (N, 3) x, z, yaw, and others on top of them, (N, 3) or one for all, into out (N, 3)."""
    single, (shift_x, shift_z, turn) = len(after) == 1, row_of(after, 0)
    cosine, sine = math.cos(turn), math.sin(turn)
    for k in range(len(first)):
        if not single:
            shift_x, shift_z, turn = row_of(after, k)
            cosine, sine = math.cos(turn), math.sin(turn)
        x, z, yaw = row_of(first, k)
        out[k, 0], out[k, 1] = move_point(cosine, sine, shift_x, shift_z, x, z)
        out[k, 2] = wrap_angle(yaw + turn)


@kernel
def carry(motions, own, place, shown):
    """Move the frames of a part (L,) from its patch to the patch's place (1,), into shown (L,)."""
    put_rows(own, place[0], shown)
    for tick in range(len(shown)):
        shown[tick].place.yaw = wrap_angle(shown[tick].place.yaw)
    find_pelvis(motions, shown)


@kernel
def lay_out(motions, runs, shown):
    """Runs (K,) of frames, one after the other, into shown."""
    count = 0
    for k in range(len(runs)):
        run = runs[k]
        for frame in range(run.first, run.stop):
            row = shown[count]
            row.frame, row.place.x, row.place.z, row.place.yaw = frame, run.x, run.z, run.yaw
            count += 1
    find_pelvis(motions, shown)


@kernel
def perform(plan, crowd, who):
    """Write an actor's frames into the plans of all."""
    for k in range(len(plan.shown)):
        tick, row = plan.start + k, plan.shown[k]
        crowd.shown[who, tick] = row
        box = crowd.boxes[tick // BLOCK, who]
        box.low_x, box.high_x = min(box.low_x, row.x), max(box.high_x, row.x)
        box.low_z, box.high_z = min(box.low_z, row.z), max(box.high_z, row.z)


@kernel
def crowded(crowd, tick, places, radius, counts):
    """Count the actors within a radius of places (K, 2) in a tick, into counts (K,)."""
    low_x, high_x, low_z, high_z = math.inf, -math.inf, math.inf, -math.inf
    for k in range(len(places)):
        low_x, high_x = min(low_x, places[k, 0]), max(high_x, places[k, 0])
        low_z, high_z = min(low_z, places[k, 1]), max(high_z, places[k, 1])
        counts[k] = 0
    for other in range(len(crowd.actors)):
        row = planned_row(crowd.actors[other], tick)
        box = crowd.boxes[row // BLOCK, other]
        if box.low_x >= high_x + radius or box.high_x <= low_x - radius:
            continue
        if box.low_z >= high_z + radius or box.high_z <= low_z - radius:
            continue
        shown = crowd.shown[other, row]
        for k in range(len(places)):
            if math.hypot(places[k, 0] - shown.x, places[k, 1] - shown.z) < radius:
                counts[k] += 1


# -- touching no one -------------------------------------------------------------------------------------


class Guest(NamedTuple):
    """A character whose plan is tested before it is performed."""

    thing: int  # 0 for a character, 1 for the mouse
    after: int  # ticks for which it stays where its plan ends
    ignoring: np.ndarray  # (K,) int64, actors that it may touch


@kernel
def touches_nobody(motions, crowd, allowed, plan, guest, near):
    """Whether a character with a plan touches none of the actors that have begun, except those it ignores.

    Only those are looked at whose boxes come near; `near` (N,) int64 is room for their numbers. Each
    GLANCE-th tick tells mostly whether it is worth looking at all of them.
    """
    count = _find_near(motions, crowd, plan, guest, near)
    for every in (GLANCE, 1):
        for k in range(count):
            if _touches(motions, crowd, allowed, plan, guest, near[k], every):
                return False
    return True


@kernel
def _find_near(motions, crowd, plan, guest, near):
    """The actors that come near to a plan and count, into `near`; returns how many there are."""
    low_x, high_x, low_z, high_z = reach_box(motions, plan.shown, motions.widest)
    count = 0
    for other in range(len(crowd.actors)):
        actor = crowd.actors[other]
        if actor.begun < 0 or _is_among(other, guest.ignoring):
            continue
        first = planned_row(actor, plan.start) // BLOCK
        last = planned_row(actor, plan.start + len(plan.shown) - 1 + guest.after) // BLOCK
        for k in range(first, last + 1):
            box = crowd.boxes[k, other]
            if box.low_x < high_x and box.high_x > low_x and box.low_z < high_z and box.high_z > low_z:
                near[count] = other
                count += 1
                break
    return count


@kernel
def _is_among(number, numbers):
    """Whether a number is one of some (K,)."""
    found = False
    for k in range(len(numbers)):
        found |= numbers[k] == number
    return found


@kernel
def _touches(motions, crowd, allowed, plan, guest, other, every):
    """Whether a character with a plan touches an actor; each `every`-th tick is tested."""
    actor, length = crowd.actors[other], len(plan.shown)
    t = 0
    while t < length + guest.after:
        mine = plan.shown[min(t, length - 1)]
        theirs = crowd.shown[other, planned_row(actor, plan.start + t)]
        x, z = mine.x - theirs.x, mine.z - theirs.z
        apart = math.sqrt(x * x + z * z)
        far = motions.frames[mine.frame].reach + motions.frames[theirs.frame].reach
        if apart >= far:
            t += every * (1 + int((apart - far) / (FASTEST * every)))
            continue
        capsules, others = motions.capsules[guest.thing], motions.capsules[actor.thing]
        view = seen_from(mine.place, theirs.place)
        depth, _, _ = deepest(motions, mine.frame, capsules, theirs.frame, others, view, allowed)
        if depth > 0.0:
            return True
        t += every
    return False


# -- where a few steps lead to ---------------------------------------------------------------------------

END = np.dtype(
    [
        ("posture", np.int64),
        ("ticks", np.int64),  # that the actions take
        ("place", PLACE),  # of the posture's frame
    ],
    align=True,
)
MEETING = np.dtype(
    [
        ("there", np.int64),  # row of the ways there
        ("back", np.int64),  # row of the ways back
        ("price", np.float64),  # ticks, what is missing counted among them
    ],
    align=True,
)
LEAD = np.dtype(
    [
        ("move", PLACE),  # from posture to posture
        ("posture", np.int64),  # at its other end
        ("ticks", np.int64),
    ],
    align=True,
)


class Leads(NamedTuple):
    """Actions by the posture that they leave; or by the posture that they reach, seen backwards in time."""

    indptr: np.ndarray  # (P + 1,) int64
    indices: np.ndarray  # (K,) int64, actions
    actions: np.ndarray  # (A,) LEAD


@kernel
def spread(leads, most_ticks, ends, lines):
    """All ends that a few actions lead to from the first of `ends` (K,). Returns how many there are then.

    Row k of `lines` (K, depth) int64 are the actions that lead to an end, -1 where there are fewer.
    """
    depth = lines.shape[1]
    for step in range(depth):
        lines[0, step] = -1
    count, first = 1, 0
    for level in range(depth):
        last = count
        for row in range(first, last):
            begin = ends[row]
            cosine, sine = math.cos(begin.place.yaw), math.sin(begin.place.yaw)
            for k in range(leads.indptr[begin.posture], leads.indptr[begin.posture + 1]):
                action = leads.actions[leads.indices[k]]
                taken = begin.ticks + action.ticks
                if taken > most_ticks or count >= len(ends):
                    continue
                for step in range(depth):
                    lines[count, step] = lines[row, step]
                lines[count, level] = leads.indices[k]
                end = ends[count]
                end.posture, end.ticks = action.posture, taken
                end.place.x, end.place.z = move_point(
                    cosine, sine, begin.place.x, begin.place.z, action.move.x, action.move.z
                )
                end.place.yaw = action.move.yaw + begin.place.yaw
                count += 1
        first = last
    return count


@kernel
def _cell(end, size, column, row):
    """A number for a posture and the square of the floor that its place is in, or so many squares further."""
    x = np.int64(math.floor(end.place.x / size)) + _MIDDLE
    z = np.int64(math.floor(end.place.z / size)) + _MIDDLE
    return (end.posture * 2 * _MIDDLE + x + column) * 2 * _MIDDLE + z + row


@kernel
def cells(ends, size, keys):
    """A number for the posture and the square of the floor that each end (K,) is in, into keys (K,)."""
    for row in range(len(ends)):
        keys[row] = _cell(ends[row], size, 0, 0)


class Gap(NamedTuple):
    """Tolerances where a way there and a way back meet."""

    room: int  # ticks that there are
    late: int  # more ticks that may be taken
    far: float  # metres
    turned: float  # radians


class Sorted(NamedTuple):
    """Ends of ways back, sorted by posture and square of the floor, Gap.far metres wide."""

    keys: np.ndarray  # (K,) int64, ascending
    order: np.ndarray  # (K,) int64, the rows of the ends


@array_kernel
def meet(there, back, cells_back, can_wait, gap, best):
    """Pairs of a way there (N,) and a way back (K,) END that meet in the same posture: the cheapest, rows of
    `best` (MEETING). A character that is early and can wait (P,) does so. Returns how many pairs there are.
    """
    keys, order = cells_back
    count = 0
    # those of posture p are keys[start[p + 1] : start[p + 2]]; those of no posture, -1, come first
    start = np.zeros(len(can_wait) + 2, dtype=np.int64)
    for j in range(len(back)):
        start[back[j].posture + 2] += 1
    for p in range(1, len(start)):
        start[p] += start[p - 1]
    for i in range(len(there)):
        low, high = start[there[i].posture + 1], start[there[i].posture + 2]
        if low == high:
            continue
        for column in range(-1, 2):
            key = _cell(there[i], gap.far, column, 0)
            if keys[low] > key + 1 or keys[high - 1] < key - 1:
                continue
            for k in range(low + np.searchsorted(keys[low:high], key - 1), high):
                if keys[k] > key + 1:
                    break
                price = _price(there[i], back[order[k]], can_wait[there[i].posture], gap)
                count = _keep_cheapest(best, count, price, i, order[k])
    return count


@kernel
def _price(there, back, can_wait, gap):
    """The price of two ways that meet: ticks, and the gap between them; infinity if it is too wide."""
    dx, dz = there.place.x - back.place.x, there.place.z - back.place.z
    apart = dx * dx + dz * dz
    if apart > gap.far * gap.far:
        return math.inf
    ticks = there.ticks + back.ticks
    if ticks > gap.room + gap.late or (ticks < gap.room and not can_wait):
        return math.inf
    turn = there.place.yaw - back.place.yaw
    turn = abs(turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5))
    if turn > gap.turned:
        return math.inf
    missing = 25.0 * math.sqrt(apart) / gap.far
    return max(ticks - gap.room, 0) + 0.15 * ticks + missing + 25.0 * turn / gap.turned


@kernel
def _keep_cheapest(best, count, price, there, back):
    """Put a meeting among the best by its price, after those that cost the same; returns their number."""
    if price == math.inf or (count == len(best) and price >= best[count - 1].price):
        return count
    row = min(count, len(best) - 1)
    while row > 0 and best[row - 1].price > price:
        best[row] = best[row - 1]
        row -= 1
    best[row].there, best[row].back, best[row].price = there, back, price
    return min(count + 1, len(best))
