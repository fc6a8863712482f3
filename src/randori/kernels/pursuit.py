"""The time that an avatar needs to hit a target that stands still: by its tables, and at best.

Seen from the avatar a standing target moves; its place and the avatar's state are all that matters.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.policy_choice import after_action, best_of, look_further, score_actions

_SLOTS = 1 << 22  # of places that were visited; a power of two
_WIDE_CELLS = 4096  # cells to either side, and more than a target can be away
NEVER = 1 << 20  # ticks
NODE = np.dtype(
    [
        ("x", np.float64),  # metres, the target as the avatar sees it
        ("z", np.float64),
        ("state", np.int64),
        ("passed", np.int64),  # ticks
    ],
    align=True,
)
WAITING = np.dtype(
    [
        ("cost", np.float64),  # ticks that it takes at least
        ("node", np.int64),
    ],
    align=True,
)


class Target(NamedTuple):
    """A target as an avatar sees it at first."""

    hitting: int  # the behaviour whose moments are hits
    x: float  # metres
    y: float
    z: float


class Bounds(NamedTuple):
    """Known lower bounds before a search: ticks from each state, with the target in each cell."""

    cell: float  # metres
    least: np.ndarray  # (S, N, N) int64 ticks; the avatar is in the middle


class Limits(NamedTuple):
    """Limits that end a search."""

    bound: int  # ticks: nothing that takes longer is looked at
    cell: float  # metres: places of the target in one cell are one to the search
    nodes: int  # that may wait


@kernel
def pursue(state, target, ahead, most, weights, tables, room):
    """Ticks until an avatar that follows its tables hits a target, or -1 if not before `most`."""
    passed, x, z = 0, target.x, target.z
    while passed < most:
        for b in range(weights.shape[0]):
            room.targets[b, 0], room.targets[b, 1], room.targets[b, 2] = x, target.y, z
        count = score_actions(state, room.targets, weights, tables, room)
        look_further(ahead, state, room.targets, weights, tables, room)
        a = tables.indptr[state] + best_of(room.scores, count)
        found = first_hit(a, x, z, target, tables)
        if found < NEVER:
            return passed + found
        action = tables.actions[a]
        passed += action.ticks
        x, z = after_action(action, x, z)
        state = action.goal
    return -1


@kernel
def first_hit(action, x, z, target, tables):
    """The tick of an action in which it hits a target that is seen at x, z; or NEVER."""
    reach, starts = tables.behaviours[target.hitting].scale, tables.moment_start
    for k in range(starts[target.hitting, action], starts[target.hitting, action + 1]):
        moment = tables.moments[k]
        dx, dy, dz = moment.x - x, moment.y - target.y, moment.z - z
        if dx * dx + dy * dy + dz * dz <= reach * reach:
            return moment.tick
    return NEVER


@kernel
def least_hits(bounds, hitting, tables):
    """The soonest hit of one action from each state, for targets anywhere in square cells of the floor.

    A target may be anywhere in its cell, at any height.
    """
    cell, least, starts = bounds.cell, bounds.least, tables.moment_start
    half = least.shape[1] // 2
    reach = tables.behaviours[hitting].scale + cell * math.sqrt(0.5)
    for s in range(least.shape[0]):
        for a in range(tables.indptr[s], tables.indptr[s + 1]):
            for k in range(starts[hitting, a], starts[hitting, a + 1]):
                moment = tables.moments[k]
                x, z = moment.x, moment.z
                for i in range(_row(x - reach, cell, half), _row(x + reach, cell, half) + 1):
                    for j in range(_row(z - reach, cell, half), _row(z + reach, cell, half) + 1):
                        if i < 0 or j < 0 or i >= 2 * half or j >= 2 * half:
                            continue
                        dx, dz = (i - half + 0.5) * cell - x, (j - half + 0.5) * cell - z
                        if dx * dx + dz * dz <= reach * reach:
                            least[s, i, j] = min(least[s, i, j], moment.tick)


@kernel
def _row(value, cell, half):
    """The row of cells that a coordinate lies in."""
    return math.floor(value / cell) + half


@array_kernel
def lower(bounds, tables, changed):
    """One round of: no target is hit sooner than an action leads to where the next one hits it soonest.

    A target leaves its cell for whichever of the cells that it could come to is best, so the ticks are never
    too many. Only actions that lead to states which have `changed` are looked at. Returns whether anything
    changed; a target that comes outside all cells is never hit.
    """
    cell, least = bounds.cell, bounds.least
    half, reach, any_changed = least.shape[1] // 2, cell * math.sqrt(0.5), False
    before = changed.copy()
    for s in range(least.shape[0]):
        now = False
        for a in range(tables.indptr[s], tables.indptr[s + 1]):
            action = tables.actions[a]
            goal, ticks = action.goal, action.ticks
            if not (before[goal] or changed[goal]):
                continue
            for i in range(2 * half):
                for j in range(2 * half):
                    if ticks + 1 >= least[s, i, j]:
                        continue
                    x, z = after_action(action, (i - half + 0.5) * cell, (j - half + 0.5) * cell)
                    found = ticks + _least_near(x, z, reach, cell, half, least[goal])
                    if found < least[s, i, j]:
                        least[s, i, j] = found
                        now = True
        changed[s] = now
        any_changed = any_changed or now
    return any_changed


@kernel
def _least_near(x, z, reach, cell, half, least):
    """The least of all cells within reach of a place."""
    best = NEVER
    for i in range(max(_row(x - reach, cell, half), 0), min(_row(x + reach, cell, half) + 1, 2 * half)):
        for j in range(max(_row(z - reach, cell, half), 0), min(_row(z + reach, cell, half) + 1, 2 * half)):
            low_x, low_z = (i - half) * cell, (j - half) * cell
            dx, dz = min(max(x, low_x), low_x + cell) - x, min(max(z, low_z), low_z + cell) - z
            if dx * dx + dz * dz <= reach * reach and least[i, j] < best:
                best = least[i, j]
    return best


@array_kernel
def soonest_hit(state, target, limits, bounds, tables):
    """The fewest ticks in which any sequence of actions hits, found best first (A*); at most `limits.bound`.

    A state with the target in a cell is entered once, the first time. If there is no room for more nodes that
    wait, or for more cells that were entered, the answer is -1.
    """
    cell, half = limits.cell, bounds.least.shape[1] // 2
    slots = np.full(_SLOTS, -1, dtype=np.int64)
    heap, nodes = np.empty(limits.nodes, WAITING), np.empty(limits.nodes, NODE)
    first = nodes[0]
    first.x, first.z, first.state, first.passed = target.x, target.z, state, 0
    heap[0].cost, heap[0].node = 0.0, 0
    waiting, made, entered, best = 1, 1, 0, limits.bound
    while waiting > 0 and heap[0].cost < best:
        # Step 1. The most promising place, unless it was entered before.
        node = nodes[heap[0].node]
        waiting -= 1
        _sift_down(heap, waiting)
        if not _enter(slots, node.state, math.floor(node.x / cell), math.floor(node.z / cell)):
            continue
        entered += 1
        for a in range(tables.indptr[node.state], tables.indptr[node.state + 1]):
            # Step 2. Find the hits of an action.
            best = min(best, node.passed + first_hit(a, node.x, node.z, target, tables))
            # Step 3. Where it leads, and how long it takes from there at least.
            action = tables.actions[a]
            x, z = after_action(action, node.x, node.z)
            i, j = _row(x, bounds.cell, half), _row(z, bounds.cell, half)
            if i < 0 or j < 0 or i >= 2 * half or j >= 2 * half:
                continue
            after = node.passed + action.ticks
            expected = after + bounds.least[action.goal, i, j]
            if expected < best:
                if made == limits.nodes or entered == _SLOTS // 2:
                    return -1
                new = nodes[made]
                new.x, new.z, new.state, new.passed = x, z, action.goal, after
                _sift_up(heap, waiting, float(expected), made)
                waiting += 1
                made += 1
    return best


@kernel
def _enter(slots, state, column, row):
    """Whether a cell is entered for the first time."""
    key = (state * 2 * _WIDE_CELLS + column + _WIDE_CELLS) * 2 * _WIDE_CELLS + row + _WIDE_CELLS
    slot = ((key * -7046029254386353131) >> 40) & (_SLOTS - 1)
    while slots[slot] != -1:
        if slots[slot] == key:
            return False
        slot = (slot + 1) & (_SLOTS - 1)
    slots[slot] = key
    return True


@kernel
def _sift_down(heap, count):
    """Put the last of a heap, at place `count`, where it belongs after its first was taken."""
    cost, node, place = heap[count].cost, heap[count].node, 0
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and heap[child + 1].cost < heap[child].cost:
            child += 1
        if heap[child].cost >= cost:
            break
        heap[place] = heap[child]
        place = child
    heap[place].cost, heap[place].node = cost, node


@kernel
def _sift_up(heap, count, cost, node):
    """Add a node to a heap of so many."""
    place = count
    while place > 0 and heap[(place - 1) // 2].cost > cost:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place].cost, heap[place].node = cost, node
