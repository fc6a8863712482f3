"""How long an avatar takes to hit a target that stands still: by its tables, and at best.

Seen from the avatar a standing target moves; its place and the avatar's state are all that matters.
"""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.policy_choice import after_action, best_of, look_further, score_actions

_SLOTS = 1 << 22  # of places that were visited; a power of two
_WIDE = 4096  # cells to either side, and more than a target can be away
NEVER = 1 << 20  # ticks


@kernel
def pursue(state, x, y, z, ahead, most, hitting, weights, tables, room):
    """Ticks until an avatar that follows its tables hits, or -1 if not before `most`.

    `hitting` is the behaviour whose moments are hits.
    """
    passed = 0
    while passed < most:
        for b in range(weights.shape[0]):
            room.targets[b, 0], room.targets[b, 1], room.targets[b, 2] = x, y, z
        count = score_actions(state, room.targets, weights, tables, room)
        look_further(ahead, state, room.targets, weights, tables, room)
        a = tables.indptr[state] + best_of(room.scores, count)
        found = first_hit(a, x, y, z, hitting, tables)
        if found < NEVER:
            return passed + found
        passed += tables.ticks[a]
        x, z = after_action(a, x, z, tables)
        state = tables.goal[a]
    return -1


@kernel
def first_hit(action, x, y, z, hitting, tables):
    """The tick of an action in which it hits a target, or NEVER."""
    reach = tables.scale[hitting]
    for k in range(tables.moment_start[hitting, action], tables.moment_start[hitting, action + 1]):
        dx, dy, dz = tables.point[k, 0] - x, tables.point[k, 1] - y, tables.point[k, 2] - z
        if dx * dx + dy * dy + dz * dz <= reach * reach:
            return tables.tick[k]
    return NEVER


@kernel
def least_hits(cell, hitting, tables, least):
    """The soonest hit of one action from each state, for targets anywhere in square cells of the floor.

    `least` (S, N, N) has the avatar in its middle. A target may be anywhere in its cell, at any height.
    """
    half = least.shape[1] // 2
    reach = tables.scale[hitting] + cell * math.sqrt(0.5)
    for s in range(least.shape[0]):
        for a in range(tables.indptr[s], tables.indptr[s + 1]):
            for k in range(tables.moment_start[hitting, a], tables.moment_start[hitting, a + 1]):
                x, z = tables.point[k, 0], tables.point[k, 2]
                for i in range(_row(x - reach, cell, half), _row(x + reach, cell, half) + 1):
                    for j in range(_row(z - reach, cell, half), _row(z + reach, cell, half) + 1):
                        if i < 0 or j < 0 or i >= 2 * half or j >= 2 * half:
                            continue
                        dx, dz = (i - half + 0.5) * cell - x, (j - half + 0.5) * cell - z
                        if dx * dx + dz * dz <= reach * reach:
                            least[s, i, j] = min(least[s, i, j], tables.tick[k])


@kernel
def _row(value, cell, half):
    """The row of cells that a coordinate lies in."""
    return math.floor(value / cell) + half


@array_kernel
def lower(cell, tables, changed, least):
    """One round of: no target is hit sooner than an action leads to where the next one hits it soonest.

    A target leaves its cell for whichever of the cells that it could come to is best, so the ticks in
    `least` (S, N, N) are never too many. Only actions that lead to states which have `changed` are looked
    at. Returns whether anything changed; a target that comes outside all cells is never hit.
    """
    half, reach, any_changed = least.shape[1] // 2, cell * math.sqrt(0.5), False
    before = changed.copy()
    for s in range(least.shape[0]):
        now = False
        for a in range(tables.indptr[s], tables.indptr[s + 1]):
            goal, ticks = tables.goal[a], tables.ticks[a]
            if not (before[goal] or changed[goal]):
                continue
            for i in range(2 * half):
                for j in range(2 * half):
                    if ticks + 1 >= least[s, i, j]:
                        continue
                    x, z = after_action(a, (i - half + 0.5) * cell, (j - half + 0.5) * cell, tables)
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
def soonest_hit(state, x, y, z, bound, cell, coarse, least, hitting, tables, nodes):
    """The fewest ticks in which any sequence of actions hits, found best first (A*); at most `bound`.

    A state with the target in a cell of so many metres is entered once, the first time. How long it takes
    at `least` (S, N, N) is known for `coarse` cells. `nodes` is how many may wait; if that, or the room for
    what was entered, does not do, the answer is -1.
    """
    half = least.shape[1] // 2
    slots = np.full(_SLOTS, -1, dtype=np.int64)
    cost, order = np.empty(nodes), np.empty(nodes, dtype=np.int64)  # a heap
    node_x, node_z = np.empty(nodes), np.empty(nodes)
    node_state, node_passed = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    node_x[0], node_z[0], node_state[0], node_passed[0] = x, z, state, 0
    cost[0], order[0] = 0.0, 0
    waiting, made, entered, best = 1, 1, 0, bound
    while waiting > 0 and cost[0] < best:
        # Step 1. The most promising place, unless it was entered before.
        node = order[0]
        waiting -= 1
        _sift_down(cost, order, waiting)
        s, x, z, passed = node_state[node], node_x[node], node_z[node], node_passed[node]
        if not _enter(slots, s, math.floor(x / cell), math.floor(z / cell)):
            continue
        entered += 1
        for a in range(tables.indptr[s], tables.indptr[s + 1]):
            # Step 2. What an action hits.
            best = min(best, passed + first_hit(a, x, y, z, hitting, tables))
            # Step 3. Where it leads, and how long it takes from there at least.
            next_x, next_z = after_action(a, x, z, tables)
            i, j = _row(next_x, coarse, half), _row(next_z, coarse, half)
            if i < 0 or j < 0 or i >= 2 * half or j >= 2 * half:
                continue
            after = passed + tables.ticks[a]
            expected = after + least[tables.goal[a], i, j]
            if expected < best:
                if made == nodes or entered == _SLOTS // 2:
                    return -1
                node_x[made], node_z[made] = next_x, next_z
                node_state[made], node_passed[made] = tables.goal[a], after
                _sift_up(cost, order, waiting, float(expected), made)
                waiting += 1
                made += 1
    return best


@kernel
def _enter(slots, state, column, row):
    """Whether a cell is entered for the first time."""
    key = (state * 2 * _WIDE + column + _WIDE) * 2 * _WIDE + row + _WIDE
    slot = ((key * -7046029254386353131) >> 40) & (_SLOTS - 1)
    while slots[slot] != -1:
        if slots[slot] == key:
            return False
        slot = (slot + 1) & (_SLOTS - 1)
    slots[slot] = key
    return True


@kernel
def _sift_down(cost, order, count):
    """Put the last of a heap, at place `count`, where it belongs after its first was taken."""
    last_cost, last, place = cost[count], order[count], 0
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and cost[child + 1] < cost[child]:
            child += 1
        if cost[child] >= last_cost:
            break
        cost[place], order[place] = cost[child], order[child]
        place = child
    cost[place], order[place] = last_cost, last


@kernel
def _sift_up(cost, order, count, new_cost, new):
    """Add one to a heap of so many."""
    place = count
    while place > 0 and cost[(place - 1) // 2] > new_cost:
        cost[place], order[place] = cost[(place - 1) // 2], order[(place - 1) // 2]
        place = (place - 1) // 2
    cost[place], order[place] = new_cost, new
