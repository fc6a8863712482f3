"""Choosing by tables: what the actions of a state are worth, and a closer look at the most promising ones."""

import math

from randori.kernels.compile import kernel
from randori.kernels.policy import WITHIN, covers, polar, reward_of, value_at


@kernel
def score_actions(state, targets, weights, tables, room):
    """What each action of a state is worth for targets (B, 3) as the avatar sees them; returns how many.

    Of the scores the rewards are what the action itself brings; `landed` says which ones hit something.
    The reward is that of the target where it really is; only what comes after is read from the table.
    """
    first, count = tables.indptr[state], tables.indptr[state + 1] - tables.indptr[state]
    for k in range(count):
        room.scores[k], room.rewards[k], room.landed[k] = 0.0, 0.0, False
    last_x, last_z = math.nan, math.nan
    for b in range(weights.shape[0]):
        if weights[b] == 0.0:
            continue
        grid, then = tables.grids[b], tables.grids[tables.then[b]]
        x, y, z = targets[b, 0], targets[b, 1], targets[b, 2]
        distance, angle = polar(x, z)
        if not tables.always[b] and not covers(grid, distance, angle, y):
            continue
        leads = tables.then[b] != b
        if leads and weights[tables.then[b]] > 0.0 and covers(then, distance, angle, y):
            continue  # what it leads to has taken over
        if x != last_x or z != last_z:
            for k in range(count):
                after_x, after_z = after_action(first + k, x, z, tables)
                room.distance[k], room.angle[k] = polar(after_x, after_z)
            last_x, last_z = x, z
        flat, kind, scale = tables.flat[b], tables.kind[b], tables.scale[b]
        for k in range(count):
            a = first + k
            start, stop = tables.moment_start[b, a], tables.moment_start[b, a + 1]
            reward = reward_of(start, stop, tables.point, tables.worth, flat, kind, scale, x, y, z)
            after = then if leads and covers(then, room.distance[k], room.angle[k], y) else grid
            value = value_at(tables.values, tables.goal[a], after, room.distance[k], room.angle[k], y)
            room.rewards[k] += weights[b] * reward
            room.scores[k] += weights[b] * (reward + tables.later[a] * value)
            if kind == WITHIN and reward > 0.0:
                room.landed[k] = True
    return count


@kernel
def after_action(action, x, z, tables):
    """Where the avatar sees a place on the floor after an action."""
    x, z = x - tables.move[action, 0], z - tables.move[action, 1]
    cosine, sine = tables.turn[action, 0], tables.turn[action, 1]
    return cosine * x - sine * z, sine * x + cosine * z


@kernel
def best_of(scores, count):
    """The first of the best scores."""
    best = 0
    for k in range(1, count):
        if scores[k] > scores[best]:
            best = k
    return best


@kernel
def look_further(ahead, state, targets, weights, tables, room):
    """Score the actions of a state anew, after `score_actions`, by what can be done after them.

    Between grid points a table only guesses whether a fist will meet the target. So the way that promises
    most gives way to the ways that lead on from it, until it surely hits, or `ahead` states were looked at.
    """
    if ahead <= 1:
        return
    for b in range(weights.shape[0]):
        for k in range(3):
            room.node_targets[0, b, k] = targets[b, k]
    count = tables.indptr[state + 1] - tables.indptr[state]
    for k in range(count):
        room.way_root[k] = k
    ways = _add_ways(0, count, state, 0, 0.0, 1.0, tables, room)
    for node in range(1, ahead):
        # Step 1. The way that promises most.
        best = best_of(room.way_value, ways)
        if room.way_landed[best]:
            break
        action, root = room.way_action[best], room.way_root[best]
        earned, later = room.way_earned[best], room.way_later[best]
        _see(room.node_targets[room.way_node[best]], action, tables, room.node_targets[node])

        # Step 2. The ways that lead on from it take its place.
        _move_way(ways - 1, best, room)
        ways -= 1
        goal = tables.goal[action]
        choices = score_actions(goal, room.node_targets[node], weights, tables, room)
        for k in range(ways, ways + choices):
            room.way_root[k] = root
        ways = _add_ways(ways, choices, goal, node, earned, later, tables, room)

    # Step 3. An action is worth what the best way is that begins with it.
    for k in range(count):
        room.scores[k] = -math.inf
    for way in range(ways):
        root = room.way_root[way]
        room.scores[root] = max(room.scores[root], room.way_value[way])


@kernel
def _add_ways(ways, choices, state, node, earned, later, tables, room):
    """Add the actions of a state, as they are scored, to the ways; returns how many there are then."""
    for k in range(choices):
        action = tables.indptr[state] + k
        room.way_value[ways] = earned + later * room.scores[k]
        room.way_earned[ways] = earned + later * room.rewards[k]
        room.way_later[ways] = later * tables.later[action]
        room.way_landed[ways] = room.landed[k]
        room.way_node[ways], room.way_action[ways] = node, action
        ways += 1
    return ways


@kernel
def _move_way(old, new, room):
    """Put one of the ways to another place."""
    room.way_value[new], room.way_earned[new] = room.way_value[old], room.way_earned[old]
    room.way_later[new], room.way_landed[new] = room.way_later[old], room.way_landed[old]
    room.way_node[new], room.way_action[new] = room.way_node[old], room.way_action[old]
    room.way_root[new] = room.way_root[old]


@kernel
def _see(targets, action, tables, after):
    """Where targets (B, 3) are seen after an action."""
    for b in range(targets.shape[0]):
        after[b, 0], after[b, 2] = after_action(action, targets[b, 0], targets[b, 2], tables)
        after[b, 1] = targets[b, 1]
