"""Precomputed avatars (POLICY): what actions are worth, everywhere on a grid.

A grid lies over angle, distance and height as an avatar sees them. Values of a state lie in one row of a
table, angle by angle, then distance by distance, then height by height.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.places import PLACE
from randori.kernels.plane import move_point_back

AXIS = np.dtype(
    [
        ("first", np.float64),  # radians or metres
        ("step", np.float64),
        ("count", np.int64),
    ],
    align=True,
)
GRID = np.dtype(
    [
        ("angle", AXIS),  # radians
        ("distance", AXIS),  # metres; a grid that begins at infinity covers nothing
        ("height", AXIS),  # metres
        ("fade", np.float64),  # per metre outside: a target is worth exp(-fade · metres)
        ("first_value", np.int64),  # where the grid's values begin in a state's row
        ("unit", np.float64),  # what 1 in the table is worth
    ],
    align=True,
)
WITHIN, AWAY, NEAR = range(3)  # the signals
BEHAVIOUR = np.dtype(
    [
        ("grid", GRID),
        ("signal", np.int64),  # WITHIN, AWAY or NEAR
        ("scale", np.float64),  # metres, of the signal
        ("then", np.int64),  # the behaviour that this one leads to, or itself
        ("flat", np.bool_),  # heights do not matter
        ("always", np.bool_),  # also when the target is outside the grid
    ],
    align=True,
)
MOMENT = np.dtype(
    [
        ("tick", np.int64),  # after the action's start
        ("x", np.float64),  # metres in the avatar's frame
        ("y", np.float64),
        ("z", np.float64),
        ("worth", np.float64),  # weight · γ^tick
    ],
    align=True,
)
ACTION = np.dtype(
    [
        ("goal", np.int64),  # the state that it ends in
        ("ticks", np.int64),
        ("move", PLACE),  # of the avatar's frame at its end, as it sees it at the start
    ],
    align=True,
)
_FULL_TURN = 2.0 * math.pi


class Problem(NamedTuple):
    """Inputs of learning one behaviour: S states, A actions, E targets."""

    indptr: np.ndarray  # (S + 1,) int64: the actions of state s are indptr[s] ≤ a < indptr[s + 1]
    actions: np.ndarray  # (A,) ACTION
    targets: np.ndarray  # (E, 3) metres, the points of the grid
    grids: np.ndarray  # (2,) GRID: its own, and that of the behaviour that takes over from it
    discount: float  # -ln γ per tick


# -- grids -----------------------------------------------------------------------------------------------


@kernel
def signal(behaviour, distance):
    """The value of a point of the body at a distance from the target, 0 to 1."""
    if behaviour.signal == WITHIN:
        return 1.0 if distance <= behaviour.scale else 0.0
    if behaviour.signal == NEAR:
        return math.exp(-distance / behaviour.scale)
    return 1.0 - math.exp(-distance / behaviour.scale)


@kernel
def _cell(value, axis):
    """The grid line before a value, the share of the way to the next one, and how far outside it is."""
    if axis.count < 2:
        return 0, 0.0, 0.0
    place = (value - axis.first) / axis.step
    kept = min(max(place, 0.0), axis.count - 1.0)
    line = min(int(kept), axis.count - 2)
    return line, kept - line, (place - kept) * axis.step


@kernel
def _inside(axis, value):
    """Whether a value lies between the first and the last line of an axis."""
    return axis.first - 1e-9 <= value <= axis.first + axis.step * (axis.count - 1.0) + 1e-9


@kernel
def _all_around(grid):
    """Whether the angles of a grid go all around."""
    return grid.angle.step * grid.angle.count > _FULL_TURN - 1e-6


@kernel
def covers(grid, distance, angle, height):
    """Whether a target lies within a grid's volume."""
    if not _inside(grid.distance, distance):
        return False
    if grid.height.count > 1 and not _inside(grid.height, height):
        return False
    return _all_around(grid) or _inside(grid.angle, angle)


@kernel
def polar(x, z):
    """The distance of a place on the floor, and its angle: 0 is straight ahead."""
    return math.sqrt(x * x + z * z), math.atan2(x, z)


@kernel
def locate(grid, distance, angle):
    """Find the cell of a target on the floor of a grid; heights are ignored.

    Gives where in a state's row the values before and after its angle begin, at the distance before it;
    the shares of the way to the next angle and distance; and what is left of a value that lies outside.
    """
    outside, axis = 0.0, grid.angle
    if _all_around(grid):
        place = (angle - axis.first) / axis.step
        place -= math.floor(place / axis.count) * axis.count
        a = min(int(place), axis.count - 1)
        share_a = place - a
        after = a + 1 if a + 1 < axis.count else 0
    else:
        a, share_a, outside = _cell(angle, axis)
        after = a + 1
    d, share_d, beyond = _cell(distance, grid.distance)
    kept = 1.0
    if grid.fade > 0.0 and (outside != 0.0 or beyond != 0.0):
        inner = distance - beyond
        gap = beyond * beyond + 2.0 * distance * inner * (1.0 - math.cos(outside))
        kept = math.exp(-grid.fade * math.sqrt(gap))
    first = grid.first_value + d * grid.height.count
    row = grid.distance.count * grid.height.count
    return first + a * row, first + after * row, share_a, share_d, kept


@kernel
def value_at(values, row, grid, distance, angle, height):
    """The value of a target in a state: linear between the grid's points, fading outside."""
    before, after, share_a, share_d, kept = locate(grid, distance, angle)
    heights = grid.height.count
    h, share_h, beyond = _cell(height, grid.height)
    total = 0.0
    for upper in range(2 if heights > 1 else 1):
        weight = share_h if upper else 1.0 - share_h
        k = h + upper
        total += weight * (
            (1.0 - share_a)
            * ((1.0 - share_d) * values[row, before + k] + share_d * values[row, before + k + heights])
            + share_a
            * ((1.0 - share_d) * values[row, after + k] + share_d * values[row, after + k + heights])
        )
    if beyond != 0.0 and grid.fade > 0.0:
        kept *= math.exp(-grid.fade * abs(beyond))
    return kept * grid.unit * total


# -- rewards ---------------------------------------------------------------------------------------------


@kernel
def _apart(moment, flat, x, y, z):
    """Metres from a point of the body to a target, heights aside if `flat`."""
    dx, dz = moment.x - x, moment.z - z
    dy = 0.0 if flat else moment.y - y
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def reward_of(moments, start, stop, behaviour, x, y, z):
    """The best signal in the moments of an action. The highest value of a moment shrinks with time."""
    best = 0.0
    for k in range(start, stop):
        moment = moments[k]
        if moment.worth > best:
            best = max(best, moment.worth * signal(behaviour, _apart(moment, behaviour.flat, x, y, z)))
    return best


@kernel
def fill_rewards(low, high, indptr, moments, behaviours, targets, rewards):
    """Rewards (A, E) of actions low to high for targets (E, 3), as `reward_of` gives them one by one.

    The moments (M,) of action a are those from indptr[a] on; `behaviours` (1,) has the behaviour.
    """
    behaviour = behaviours[0]
    for a in range(low, high):
        for e in range(targets.shape[0]):
            rewards[a, e] = 0.0
        for k in range(indptr[a], indptr[a + 1]):
            moment = moments[k]
            for e in range(targets.shape[0]):
                if moment.worth <= rewards[a, e]:
                    continue
                apart = _apart(moment, behaviour.flat, targets[e, 0], targets[e, 1], targets[e, 2])
                found = moment.worth * signal(behaviour, apart)
                if found > rewards[a, e]:
                    rewards[a, e] = found


@kernel
def _polar_after(action, cosine, sine, x, z):
    """Distance and angle at which an avatar sees a place after an action with this cosine and sine."""
    x, z = move_point_back(cosine, sine, action.move.x, action.move.z, x, z)
    return polar(x, z)


@kernel
def fill_arrivals(low, high, problem, values, rewards):
    """Rewards (A, E) of actions low to high: what the behaviour that takes over is worth where they lead.

    Where its grid covers a target, its values (S, T) count.
    """
    then, targets = problem.grids[1], problem.targets
    for a in range(low, high):
        action = problem.actions[a]
        cosine, sine = math.cos(action.move.yaw), math.sin(action.move.yaw)
        later = math.exp(-problem.discount * action.ticks)
        for e in range(targets.shape[0]):
            distance, angle = _polar_after(action, cosine, sine, targets[e, 0], targets[e, 2])
            rewards[a, e] = 0.0
            if covers(then, distance, angle, targets[e, 1]):
                rewards[a, e] = later * value_at(values, action.goal, then, distance, angle, targets[e, 1])


# -- value iteration -------------------------------------------------------------------------------------


@kernel
def improve(low, high, problem, rewards, values, better, policy):
    """One step of value iteration for states low to high: better values (S, E), and by which actions.

    Returns the largest change. Reads `values` and writes `better`: no state sees another one's change.
    An action moves the target over the floor and never up or down, so all heights share one place. Where
    the grid of what comes then covers the target, nothing follows: that is in the reward.
    """
    largest = 0.0
    grid, then, targets = problem.grids[0], problem.grids[1], problem.targets
    count, heights = targets.shape[0], grid.height.count
    for s in range(low, high):
        for e in range(count):
            better[s, e] = -1.0
        for a in range(problem.indptr[s], problem.indptr[s + 1]):
            action = problem.actions[a]
            cosine, sine = math.cos(action.move.yaw), math.sin(action.move.yaw)
            later, g = math.exp(-problem.discount * action.ticks), action.goal
            for first in range(0, count, heights):
                distance, angle = _polar_after(action, cosine, sine, targets[first, 0], targets[first, 2])
                here, there, share_a, share_d, kept = locate(grid, distance, angle)
                kept *= 0.0 if covers(then, distance, angle, then.height.first) else later
                w0, w1 = kept * (1.0 - share_a) * (1.0 - share_d), kept * (1.0 - share_a) * share_d
                w2, w3 = kept * share_a * (1.0 - share_d), kept * share_a * share_d
                for h in range(heights):
                    found = (
                        w0 * values[g, here + h]
                        + w1 * values[g, here + heights + h]
                        + w2 * values[g, there + h]
                        + w3 * values[g, there + heights + h]
                    )
                    found += rewards[a, first + h]
                    if found > better[s, first + h]:
                        better[s, first + h] = found
                        policy[s, first + h] = a
        for e in range(count):
            largest = max(largest, abs(better[s, e] - values[s, e]))
    return largest


@kernel
def follow(low, high, problem, policy, corner, share):
    """Follow the actions of a policy (S, E): four values (S, E, 4) of the table, and their shares."""
    grid, then, targets = problem.grids[0], problem.grids[1], problem.targets
    count, heights = targets.shape[0], grid.height.count
    for s in range(low, high):
        for e in range(count):
            action = problem.actions[policy[s, e]]
            cosine, sine = math.cos(action.move.yaw), math.sin(action.move.yaw)
            distance, angle = _polar_after(action, cosine, sine, targets[e, 0], targets[e, 2])
            here, there, share_a, share_d, kept = locate(grid, distance, angle)
            over = covers(then, distance, angle, then.height.first)
            kept *= 0.0 if over else math.exp(-problem.discount * action.ticks)
            at = action.goal * count + e % heights
            corner[s, e, 0], share[s, e, 0] = at + here, kept * (1.0 - share_a) * (1.0 - share_d)
            corner[s, e, 1], share[s, e, 1] = at + here + heights, kept * (1.0 - share_a) * share_d
            corner[s, e, 2], share[s, e, 2] = at + there, kept * share_a * (1.0 - share_d)
            corner[s, e, 3], share[s, e, 3] = at + there + heights, kept * share_a * share_d


@kernel
def evaluate(low, high, rewards, policy, corner, share, values, better):
    """Evaluate a fixed policy by one step. The values (S · E,) are those of all states in a row."""
    for s in range(low, high):
        for e in range(policy.shape[1]):
            found = rewards[policy[s, e], e]
            for k in range(4):
                found += share[s, e, k] * values[corner[s, e, k]]
            better[s, e] = found
