"""Patches that join in time and in space: a character goes on, and no characters collide."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.angles import without_full_turns
from randori.kernels.compile import kernel
from randori.kernels.patch_bodies import View, deepest
from randori.kernels.patch_ways import PutPart, end_of, put_after, put_so, row_at
from randori.kernels.plane import move_point, move_point_back

_STRIDE = 7919  # a prime: where the search for successors of each patch begins among those that fit
_NEVER_TICK = -(1 << 40)  # a tick; others may be negative, too
TOGETHER = np.dtype(
    [
        ("patch", np.int64),
        ("next", np.int64),  # patch
        ("change", np.int64),  # 1 if the two change roles
        ("tick", np.int64),  # of the first patch in which the next begins
    ],
    align=True,
)
ALONE = np.dtype(
    [
        ("patch", np.int64),
        ("role", np.int64),
        ("next", np.int64),  # patch
        ("next_role", np.int64),
    ],
    align=True,
)
BESIDE = np.dtype(
    [
        ("patch", np.int64),
        ("role", np.int64),
        ("other", np.int64),  # patch
        ("other_role", np.int64),
        ("tick", np.int64),  # of the first patch in which the other begins
    ],
    align=True,
)


class JoinRules(NamedTuple):
    """Limits that a join must keep."""

    allowed: np.ndarray  # (16, 16) metres that bodies may be in each other
    far: float  # metres that the second may be off where both go on together
    turned: float  # radians, the same
    late: int  # ticks that either of the two waits at most
    least: int  # ticks for which a shared character does the same in both patches
    most: int  # joins of each end of a patch


class Candidates(NamedTuple):
    """Parts that begin in a posture, or with an action (CSR)."""

    indptr: np.ndarray  # (K + 1,) int64
    parts: np.ndarray  # (…,) int64


@kernel
def clear(motions, ways, allowed, put, other, earliest, latest):
    """Whether two parts that are put somewhere (PutPart) do not collide in a span of ticks."""
    first, second = ways.parts[put.part], ways.parts[other.part]
    ca, sa, cb, sb = math.cos(put.yaw), math.sin(put.yaw), math.cos(other.yaw), math.sin(other.yaw)
    for tick in range(earliest, latest + 1):
        a, b = ways.shown[row_at(first, tick - put.tick)], ways.shown[row_at(second, tick - other.tick)]
        x, z = move_point(ca, sa, put.x, put.z, a.x, a.z)
        other_x, other_z = move_point(cb, sb, other.x, other.z, b.x, b.z)
        x, z = x - other_x, z - other_z
        far = motions.frames[a.frame].reach + motions.frames[b.frame].reach
        if x * x + z * z >= far * far:
            continue
        # the first as the second's recording sees it
        x, z = move_point(ca, sa, put.x, put.z, a.place.x, a.place.z)
        other_x, other_z = move_point(cb, sb, other.x, other.z, b.place.x, b.place.z)
        yaw, other_yaw = a.place.yaw + put.yaw, b.place.yaw + other.yaw
        x, z = move_point_back(math.cos(other_yaw), math.sin(other_yaw), other_x, other_z, x, z)
        view = View(math.cos(yaw - other_yaw), math.sin(yaw - other_yaw), x, z)
        capsules, others = motions.capsules[first.thing], motions.capsules[second.thing]
        depth, _, _ = deepest(motions, a.frame, capsules, b.frame, others, view, allowed)
        if depth > 0.0:
            return False
    return True


# -- alone: a character continues with another partner ------------------------------------------------------


@kernel
def alone(motions, ways, rules, starters, first_patch, last_patch, out):
    """Rows of ALONE: a character continues with another partner. Returns how many.

    `starters` are the parts that begin in a posture. They are tried in an order of its own for each patch,
    until `rules.most` are found.
    """
    count = 0
    for patch in range(first_patch, last_patch):
        for role in range(2):
            mine = ways.parts[2 * patch + role]
            posture = motions.actions[mine.last_action].end_posture
            if mine.thing or posture < 0:
                continue
            begun = count
            low = starters.indptr[posture]
            size = starters.indptr[posture + 1] - low
            for k in range(size):
                part = starters.parts[low + (patch * _STRIDE + k) % size]
                if _goes_on_alone(motions, ways, rules, 2 * patch + role, part):
                    row = out[count]
                    row.patch, row.role, row.next, row.next_role = patch, role, part // 2, part % 2
                    count += 1
                    if count - begun >= rules.most:
                        break
    return count


@kernel
def _same_load(motions, old, new):
    """Whether a part begins with in its hands what another one ends with."""
    return motions.actions[new.first_action].load == motions.actions[old.last_action].load


@kernel
def _goes_on_alone(motions, ways, rules, mine, part):
    """Whether a character can go on from one part with another, with none of the others in its way."""
    old, new, other = ways.parts[mine], ways.parts[part], ways.parts[part ^ 1]
    if not _same_load(motions, old, new):
        return False
    stop = end_of(old)
    x, z, yaw = put_after(motions, ways, old, new)
    tick = stop - new.begin  # in which the next patch begins
    comes, over = tick + other.begin, tick + end_of(other)
    last = max(over, stop + new.last - new.first)
    stays = PutPart(mine ^ 1, 0, 0.0, 0.0, 0.0)
    newcomer = PutPart(part ^ 1, tick, x, z, yaw)
    return (
        clear(motions, ways, rules.allowed, stays, newcomer, comes, last)
        and clear(motions, ways, rules.allowed, stays, PutPart(part, tick, x, z, yaw), stop + 1, last)
        and clear(motions, ways, rules.allowed, PutPart(mine, 0, 0.0, 0.0, 0.0), newcomer, comes, stop)
    )


# -- together: both go on with each other ----------------------------------------------------------------


@kernel
def together(motions, ways, rules, first_patch, last_patch, out):
    """Rows of TOGETHER: both characters go on with each other. Returns how many."""
    count, patches = 0, len(ways.parts) // 2
    for patch in range(first_patch, last_patch):
        begun = count
        if ways.parts[2 * patch].thing or ways.parts[2 * patch + 1].thing:
            continue
        for k in range(patches):
            if count - begun >= rules.most:
                break
            following = (patch * _STRIDE + k) % patches
            for change in range(2):
                if count - begun >= rules.most:
                    break
                tick = _tick_together(motions, ways, rules, patch, following, change)
                if tick != _NEVER_TICK:
                    row = out[count]
                    row.patch, row.next, row.change, row.tick = patch, following, change, tick
                    count += 1
    return count


@kernel
def _can_follow(motions, old, new):
    """Whether a part begins in the posture that another one ends in, with the same in its hands."""
    before, after = motions.actions[old.last_action], motions.actions[new.first_action]
    if new.thing or not new.at_start or after.start_posture != before.end_posture:
        return False
    return _same_load(motions, old, new)


@kernel
def _tick_together(motions, ways, rules, patch, following, change):
    """The tick in which both can go on with the following patch, their roles changed or not; or _NEVER_TICK.

    Where the first character's part leads, the second's has to start within `rules.far` metres and
    `rules.turned` radians of where it is, and neither waits longer than `rules.late` ticks.
    """
    first, second = ways.parts[2 * patch], ways.parts[2 * patch + 1]
    a, b = ways.parts[2 * following + change], ways.parts[2 * following + 1 - change]
    if not _can_follow(motions, first, a) or not _can_follow(motions, second, b):
        return _NEVER_TICK
    first_stop, second_stop = end_of(first), end_of(second)
    tick = max(first_stop - a.begin, second_stop - b.begin)
    if tick + a.begin - first_stop > rules.late or tick + b.begin - second_stop > rules.late:
        return _NEVER_TICK
    x, z, yaw = put_after(motions, ways, first, a)
    other_x, other_z, turn = put_after(motions, ways, second, b)
    if abs(without_full_turns(yaw - turn)) > rules.turned:
        return _NEVER_TICK
    # how far apart the two placings have the second character
    start = ways.shown[b.first]
    cosine, sine = math.cos(yaw) - math.cos(turn), math.sin(yaw) - math.sin(turn)
    dx = cosine * start.x + sine * start.z + x - other_x
    dz = cosine * start.z - sine * start.x + z - other_z
    return tick if dx * dx + dz * dz <= rules.far * rules.far else _NEVER_TICK


# -- beside: two patches at the same time share a character ---------------------------------------------


@kernel
def beside(motions, ways, rules, users, first_patch, last_patch, out):
    """Rows of BESIDE: a character does the same in two patches at the same time. Returns how many.

    `users` are the parts that begin with an action. From where the other patch begins on, the shared
    character shows the same frames until one of the patches is over.
    """
    count = 0
    for patch in range(first_patch, last_patch):
        for role in range(2):
            mine, begun = ways.parts[2 * patch + role], count
            row = mine.first
            while row < mine.last and count - begun < rules.most:
                # an action begins to be shown here
                if row == mine.first or ways.action[row] != ways.action[row - 1]:
                    most = begun + rules.most
                    count = _add_beside(
                        motions, ways, rules, users, 2 * patch + role, row, (count, most), out
                    )
                row += 1
    return count


@kernel
def _add_beside(motions, ways, rules, users, mine, row, counts, out):
    """Add the parts that begin with the action that a part shows from a row on; returns how many joins
    there are then. `counts` are those that there are, and that there may be.
    """
    count, most = counts
    patch, action = mine // 2, ways.action[row]
    low = users.indptr[action]
    size = users.indptr[action + 1] - low
    for k in range(size):
        part = users.parts[low + (patch * _STRIDE + k) % size]
        if part // 2 == patch or ways.parts[part].thing:
            continue
        same = _shared_from(ways, rules, mine, row, part)
        if same < 0:
            continue
        tick = _tick_beside(motions, ways, rules, mine, same, part)
        if tick != _NEVER_TICK:
            found = out[count]
            found.patch, found.role, found.other = patch, mine % 2, part // 2
            found.other_role, found.tick = part % 2, tick
            count += 1
            if count >= most:
                break
    return count


@kernel
def _shared_from(ways, rules, mine, row, part):
    """The row of a part from which on another part shows the same frames, for long enough; -1 if none."""
    own, other = ways.parts[mine], ways.parts[part]
    first = ways.shown[other.first].frame
    if first < ways.shown[row].frame:
        return -1
    same = row + first - ways.shown[row].frame
    overlap = min(own.last - same, other.last - other.first)
    if overlap < rules.least or ways.action[same] != ways.action[row]:
        return -1
    for ahead in range(overlap):
        if ways.shown[same + ahead].frame != ways.shown[other.first + ahead].frame:
            return -1
    return same


@kernel
def _tick_beside(motions, ways, rules, mine, same, part):
    """The tick in which another patch can begin whose part is shared from a row on; or _NEVER_TICK."""
    own, theirs = ways.parts[mine], ways.parts[mine ^ 1]
    shared, other = ways.parts[part], ways.parts[part ^ 1]
    place = ways.shown[same].place
    x, z, yaw = put_so(place.x, place.z, place.yaw, ways.shown[shared.first].place)
    joined = own.begin + same - own.first
    tick, stop = joined - shared.begin, end_of(own)
    comes, over, last = tick + other.begin, tick + end_of(other), joined + shared.last - shared.first
    whole = max(max(over, last), max(end_of(theirs), stop))
    me, they = PutPart(mine, 0, 0.0, 0.0, 0.0), PutPart(mine ^ 1, 0, 0.0, 0.0, 0.0)
    newcomer = PutPart(part ^ 1, tick, x, z, yaw)
    if (
        clear(motions, ways, rules.allowed, they, newcomer, max(comes, theirs.begin), whole)
        and clear(motions, ways, rules.allowed, they, PutPart(part, tick, x, z, yaw), stop + 1, last)
        and clear(motions, ways, rules.allowed, me, newcomer, comes, joined - 1)
        and clear(motions, ways, rules.allowed, me, newcomer, last + 1, stop)
    ):
        return tick
    return _NEVER_TICK
