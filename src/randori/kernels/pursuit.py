"""How long an avatar takes to hit a target that stands still: by its tables, and at best.

Seen from the avatar a standing target moves; its place and the avatar's state are all that matters.
"""

import math

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.policy import best_of, look_further

_SLOTS = 1 << 22  # of places that were visited; a power of two
_WIDE = 4096  # cells to either side, and more than a target can be away


@kernel
def pursue(state, x, y, z, ahead, most, hitting, weights, tables, room):
    """Ticks until an avatar that follows its tables hits, or -1 if not before `most`.

    `hitting` is the behaviour whose moments are hits.
    """
    passed = 0
    while passed < most:
        for b in range(weights.shape[0]):
            room.targets[b, 0], room.targets[b, 1], room.targets[b, 2] = x, y, z
        count = look_further(
            ahead,
            state,
            room.targets,
            weights,
            tables.indptr,
            tables.goal,
            tables.later,
            tables.move,
            tables.turn,
            tables.values,
            tables.grids,
            tables.moment_start,
            tables.point,
            tables.worth,
            tables.flat,
            tables.kind,
            tables.scale,
            tables.always,
            room.scores,
            room.rewards,
            room.next_targets,
            room.next_scores,
            room.next_rewards,
        )
        a = tables.indptr[state] + best_of(room.scores, count)
        reach = tables.scale[hitting]
        for k in range(tables.moment_start[hitting, a], tables.moment_start[hitting, a + 1]):
            dx, dy, dz = tables.point[k, 0] - x, tables.point[k, 1] - y, tables.point[k, 2] - z
            if dx * dx + dy * dy + dz * dz <= reach * reach:
                return passed + tables.tick[k]
        passed += tables.ticks[a]
        dx, dz = x - tables.move[a, 0], z - tables.move[a, 1]
        cosine, sine = tables.turn[a, 0], tables.turn[a, 1]
        x, z, state = cosine * dx - sine * dz, sine * dx + cosine * dz, tables.goal[a]
    return -1


@kernel
def soonest_hit(state, x, y, z, bound, cell, farthest, fastest, hitting, tables, nodes):
    """The fewest ticks in which any sequence of actions hits, found best first (A*); at most `bound`.

    A state with the target in a cell of so many metres is entered once, the first time. No blow reaches
    `farthest`, nobody is expected to move more than `fastest` metres a tick. `nodes` is how many may wait.
    """
    slots = np.full(_SLOTS, -1, dtype=np.int64)
    cost, order = np.empty(nodes), np.empty(nodes, dtype=np.int64)  # a heap
    node_x, node_z = np.empty(nodes), np.empty(nodes)
    node_state, node_passed = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    node_x[0], node_z[0], node_state[0], node_passed[0] = x, z, state, 0
    cost[0], order[0] = 0.0, 0
    waiting, made, entered, best = 1, 1, 0, bound
    reach = tables.scale[hitting]
    while waiting > 0 and cost[0] < best and entered < _SLOTS // 2:
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
            for k in range(tables.moment_start[hitting, a], tables.moment_start[hitting, a + 1]):
                if passed + tables.tick[k] < best:
                    dx, dy, dz = tables.point[k, 0] - x, tables.point[k, 1] - y, tables.point[k, 2] - z
                    if dx * dx + dy * dy + dz * dz <= reach * reach:
                        best = passed + tables.tick[k]
            # Step 3. Where it leads, and how long it takes from there at least.
            dx, dz = x - tables.move[a, 0], z - tables.move[a, 1]
            cosine, sine = tables.turn[a, 0], tables.turn[a, 1]
            next_x, next_z = cosine * dx - sine * dz, sine * dx + cosine * dz
            after = passed + tables.ticks[a]
            least = after + 1.0
            least += max(0.0, math.sqrt(next_x * next_x + next_z * next_z) - farthest) / fastest
            if least < best and made < nodes:
                node_x[made], node_z[made] = next_x, next_z
                node_state[made], node_passed[made] = tables.goal[a], after
                _sift_up(cost, order, waiting, least, made)
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
