"""Choosing by tables: what the actions of a state are worth, and a closer look at the most promising ones."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.plane import move_point_back
from randori.kernels.policy import WITHIN, covers, polar, reward_of, value_at

CHOICE = np.dtype(
    [
        ("goal", np.int64),  # the state that it ends in
        ("ticks", np.int64),
        ("later", np.float64),  # γ^t, t its duration
        ("x", np.float64),  # metres, the avatar's frame at its end as it sees it at the start
        ("z", np.float64),
        ("cosine", np.float64),  # of its yaw there
        ("sine", np.float64),
    ],
    align=True,
)
SCORED = np.dtype(
    [
        ("reward", np.float64),  # gain of the action itself
        ("distance", np.float64),  # metres, of the target after the action
        ("angle", np.float64),  # radians
        ("landed", np.bool_),  # it hits something
    ],
    align=True,
)
WAY = np.dtype(
    [
        ("earned", np.float64),  # rewards on the way
        ("later", np.float64),  # γ^t, t its duration
        ("node", np.int64),  # the state that its last action leaves
        ("action", np.int64),  # its last action
        ("root", np.int64),  # the choice that it begins with
        ("landed", np.bool_),  # its last action hits
    ],
    align=True,
)


class Tables(NamedTuple):
    """All that a decision reads: B behaviours, S states, A actions, M moments."""

    indptr: np.ndarray  # (S + 1,) int64: the actions of state s are indptr[s] ≤ a < indptr[s + 1]
    actions: np.ndarray  # (A,) CHOICE
    values: np.ndarray  # (S, E) uint16, all behaviours side by side
    behaviours: np.ndarray  # (B,) BEHAVIOUR
    moment_start: np.ndarray  # (B, A + 1) int64
    moments: np.ndarray  # (M,) MOMENT


class Room(NamedTuple):
    """Room to decide in. Choices C, states N that are looked at, ways W that lead on from them."""

    targets: np.ndarray  # (B, 3) metres
    scores: np.ndarray  # (C,)
    choices: np.ndarray  # (C,) SCORED
    node_targets: np.ndarray  # (N, B, 3) metres
    way_values: np.ndarray  # (W,)
    ways: np.ndarray  # (W,) WAY


class Branch(NamedTuple):
    """The way that others lead on from."""

    node: int  # the state that they leave
    root: int  # the choice that it begins with, -1 if it is empty
    earned: float
    later: float


@kernel
def score_actions(state, targets, weights, tables, room):
    """Score each action of a state for targets (B, 3) as the avatar sees them; returns how many there are.

    The reward is that of the target where it really is; only what comes after is read from the table.
    """
    first, count = tables.indptr[state], tables.indptr[state + 1] - tables.indptr[state]
    for k in range(count):
        room.scores[k], room.choices[k].reward, room.choices[k].landed = 0.0, 0.0, False
    last_x, last_z = math.nan, math.nan
    for b in range(weights.shape[0]):
        if weights[b] == 0.0:
            continue
        behaviour = tables.behaviours[b]
        grid, then = behaviour.grid, tables.behaviours[behaviour.then].grid
        x, y, z = targets[b, 0], targets[b, 1], targets[b, 2]
        distance, angle = polar(x, z)
        if not behaviour.always and not covers(grid, distance, angle, y):
            continue
        leads = behaviour.then != b
        if leads and weights[behaviour.then] > 0.0 and covers(then, distance, angle, y):
            continue  # the behaviour that it leads to has taken over
        if x != last_x or z != last_z:
            for k in range(count):
                after_x, after_z = after_action(tables.actions[first + k], x, z)
                room.choices[k].distance, room.choices[k].angle = polar(after_x, after_z)
            last_x, last_z = x, z
        for k in range(count):
            a, choice = first + k, room.choices[k]
            action = tables.actions[a]
            start, stop = tables.moment_start[b, a], tables.moment_start[b, a + 1]
            reward = reward_of(tables.moments, start, stop, behaviour, x, y, z)
            after = then if leads and covers(then, choice.distance, choice.angle, y) else grid
            value = value_at(tables.values, action.goal, after, choice.distance, choice.angle, y)
            choice.reward += weights[b] * reward
            room.scores[k] += weights[b] * (reward + action.later * value)
            if behaviour.signal == WITHIN and reward > 0.0:
                choice.landed = True
    return count


@kernel
def after_action(action, x, z):
    """The place on the floor as the avatar sees it after an action."""
    return move_point_back(action.cosine, action.sine, action.x, action.z, x, z)


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
    """Score the actions of a state again, after `score_actions`, by what can be done after them.

    Between grid points a table only guesses whether a fist will meet the target. So the way that promises
    most gives way to the ways that lead on from it, until it surely hits, or `ahead` states were looked at.
    """
    if ahead <= 1:
        return
    for b in range(weights.shape[0]):
        for k in range(3):
            room.node_targets[0, b, k] = targets[b, k]
    count = tables.indptr[state + 1] - tables.indptr[state]
    ways = _add_ways(0, count, state, Branch(0, -1, 0.0, 1.0), tables, room)
    for node in range(1, ahead):
        # Step 1. The way that promises most.
        best = best_of(room.way_values, ways)
        way = room.ways[best]
        if way.landed:
            break
        action, branch = tables.actions[way.action], Branch(node, way.root, way.earned, way.later)
        _see(room.node_targets[way.node], action, room.node_targets[node])

        # Step 2. The ways that lead on from it take its place.
        ways -= 1
        room.way_values[best], room.ways[best] = room.way_values[ways], room.ways[ways]
        choices = score_actions(action.goal, room.node_targets[node], weights, tables, room)
        ways = _add_ways(ways, choices, action.goal, branch, tables, room)

    # Step 3. An action is worth what the best way is that begins with it.
    for k in range(count):
        room.scores[k] = -math.inf
    for k in range(ways):
        root = room.ways[k].root
        room.scores[root] = max(room.scores[root], room.way_values[k])


@kernel
def _add_ways(ways, choices, state, branch, tables, room):
    """Add the actions of a state, as they are scored, to the ways; returns how many there are then."""
    for k in range(choices):
        action, way = tables.indptr[state] + k, room.ways[ways]
        room.way_values[ways] = branch.earned + branch.later * room.scores[k]
        way.earned = branch.earned + branch.later * room.choices[k].reward
        way.later = branch.later * tables.actions[action].later
        way.landed = room.choices[k].landed
        way.node, way.action = branch.node, action
        way.root = branch.root if branch.root >= 0 else k
        ways += 1
    return ways


@kernel
def _see(targets, action, after):
    """Find the places of targets (B, 3) as the avatar sees them after an action."""
    for b in range(targets.shape[0]):
        after[b, 0], after[b, 2] = after_action(action, targets[b, 0], targets[b, 2])
        after[b, 1] = targets[b, 1]
