"""Precomputed avatars (POLICY): what actions are worth, everywhere on a grid.

A grid is a row of numbers (see GRID below) over angle, distance and height as an avatar sees them. Values
of a state lie in one row of a table, angle by angle, then distance by distance, then height by height.
"""

import math

from randori.kernels.compile import array_kernel, kernel

# What stands where in a grid's row.
GRID = (
    "first angle",  # radians
    "angle step",  # radians
    "angles",
    "first distance",  # metres
    "distance step",  # metres
    "distances",
    "first height",  # metres
    "height step",  # metres
    "heights",
    "fade",  # per metre: a target outside is worth exp(-fade · metres) of the nearest one inside
    "first value",  # where the grid's values begin in a state's row
    "unit",  # what 1 in the table is worth
)
WITHIN, AWAY = range(2)  # the signals
_TURN = 2.0 * math.pi


@kernel
def signal(kind, distance, scale):
    """What a point of the body at a distance from the target is worth, 0 to 1."""
    if kind == WITHIN:
        return 1.0 if distance <= scale else 0.0
    return 1.0 - math.exp(-distance / scale)


@kernel
def _cell(value, first, step, count):
    """The grid line before a value, the share of the way to the next one, and how far outside it is."""
    if count < 1.5:
        return 0, 0.0, 0.0
    place = (value - first) / step
    kept = min(max(place, 0.0), count - 1.0)
    line = min(int(kept), int(count) - 2)
    return line, kept - line, (place - kept) * step


@kernel
def covers(grid, distance, angle, height):
    """Whether a target lies within a grid's volume. A grid that begins at infinity covers nothing."""
    if distance < grid[3] - 1e-9 or distance > grid[3] + grid[4] * (grid[5] - 1.0) + 1e-9:
        return False
    if grid[8] > 1.5 and (height < grid[6] - 1e-9 or height > grid[6] + grid[7] * (grid[8] - 1.0) + 1e-9):
        return False
    if grid[1] * grid[2] > _TURN - 1e-6:
        return True
    return grid[0] - 1e-9 <= angle <= grid[0] + grid[1] * (grid[2] - 1.0) + 1e-9


@kernel
def polar(x, z):
    """How far away a place on the floor is, and at which angle: 0 is straight ahead."""
    return math.sqrt(x * x + z * z), math.atan2(x, z)


@kernel
def locate(grid, distance, angle):
    """Where a target lies on the floor of a grid, heights aside.

    Gives where in a state's row the values before and after its angle begin, at the distance before it;
    the shares of the way to the next angle and distance; and what is left of a value that lies outside.
    """
    distances, heights = int(grid[5]), int(grid[8])
    outside = 0.0
    if grid[1] * grid[2] > _TURN - 1e-6:  # all around
        place = (angle - grid[0]) / grid[1]
        place -= math.floor(place / grid[2]) * grid[2]
        a = min(int(place), int(grid[2]) - 1)
        share_a = place - a
        after = a + 1 if a + 1 < int(grid[2]) else 0
    else:
        a, share_a, outside = _cell(angle, grid[0], grid[1], grid[2])
        after = a + 1
    d, share_d, beyond = _cell(distance, grid[3], grid[4], grid[5])
    kept = 1.0
    if grid[9] > 0.0 and (outside != 0.0 or beyond != 0.0):
        inner = distance - beyond
        gap = beyond * beyond + 2.0 * distance * inner * (1.0 - math.cos(outside))
        kept = math.exp(-grid[9] * math.sqrt(gap))
    first = int(grid[10]) + d * heights
    row = distances * heights
    return first + a * row, first + after * row, share_a, share_d, kept


@kernel
def value_at(values, row, grid, distance, angle, height):
    """The value of a target in a state: linear between the grid's points, fading outside."""
    before, after, share_a, share_d, kept = locate(grid, distance, angle)
    heights = int(grid[8])
    h, share_h, beyond = _cell(height, grid[6], grid[7], grid[8])
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
    if beyond != 0.0 and grid[9] > 0.0:
        kept *= math.exp(-grid[9] * abs(beyond))
    return kept * grid[11] * total


@kernel
def reward_of(start, stop, point, worth, flat, kind, scale, x, y, z):
    """The best signal in the moments of an action. What a moment is worth at most shrinks with time."""
    best = 0.0
    for k in range(start, stop):
        if worth[k] > best:
            best = max(best, worth[k] * signal(kind, _apart(point, k, flat, x, y, z), scale))
    return best


@kernel
def _apart(point, k, flat, x, y, z):
    """Metres from a point of the body to a target, heights aside if `flat`."""
    dx, dz = point[k, 0] - x, point[k, 2] - z
    dy = 0.0 if flat else point[k, 1] - y
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def fill_rewards(low, high, indptr, point, worth, flat, kind, scale, targets, rewards):
    """Rewards (A, E) of actions low to high for targets (E, 3), as `reward_of` gives them one by one."""
    for a in range(low, high):
        for e in range(targets.shape[0]):
            rewards[a, e] = 0.0
        for k in range(indptr[a], indptr[a + 1]):
            for e in range(targets.shape[0]):
                if worth[k] <= rewards[a, e]:
                    continue
                apart = _apart(point, k, flat, targets[e, 0], targets[e, 1], targets[e, 2])
                found = worth[k] * signal(kind, apart, scale)
                if found > rewards[a, e]:
                    rewards[a, e] = found


@kernel
def fill_arrivals(low, high, goal, ticks, move, targets, then, values, discount, rewards):
    """Rewards (A, E) of actions low to high for targets (E, 3): what comes then is worth where they lead.

    Where the grid of what comes `then` covers a target, its values (S, T) count.
    """
    for a in range(low, high):
        cosine, sine = math.cos(move[a, 2]), math.sin(move[a, 2])
        later = math.exp(-discount * ticks[a])
        for e in range(targets.shape[0]):
            x, y, z = targets[e, 0] - move[a, 0], targets[e, 1], targets[e, 2] - move[a, 1]
            distance, angle = polar(cosine * x - sine * z, sine * x + cosine * z)
            rewards[a, e] = 0.0
            if covers(then, distance, angle, y):
                rewards[a, e] = later * value_at(values, goal[a], then, distance, angle, y)


@kernel
def improve(
    low, high, indptr, goal, ticks, move, rewards, targets, grid, then, discount, values, better, policy
):
    """One step of value iteration for states low to high: better values (S, E), and by which actions.

    Returns the largest change. Reads `values` and writes `better`: no state sees another one's change.
    An action moves the target over the floor and never up or down, so all heights share one place. Where
    the grid of what comes `then` covers the target, nothing follows: that is in the reward.
    """
    largest = 0.0
    count, heights = targets.shape[0], int(grid[8])
    for s in range(low, high):
        for e in range(count):
            better[s, e] = -1.0
        for a in range(indptr[s], indptr[s + 1]):
            cosine, sine = math.cos(move[a, 2]), math.sin(move[a, 2])
            later, g = math.exp(-discount * ticks[a]), goal[a]
            for first in range(0, count, heights):
                x, z = targets[first, 0] - move[a, 0], targets[first, 2] - move[a, 1]
                distance, angle = polar(cosine * x - sine * z, sine * x + cosine * z)
                here, there, share_a, share_d, kept = locate(grid, distance, angle)
                kept *= 0.0 if covers(then, distance, angle, then[6]) else later
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
def follow(low, high, goal, ticks, move, targets, grid, then, discount, policy, corner, share):
    """Where the actions of a policy (S, E) lead: four values (S, E, 4) of the table, and their shares."""
    count, heights = targets.shape[0], int(grid[8])
    for s in range(low, high):
        for e in range(count):
            a = policy[s, e]
            cosine, sine = math.cos(move[a, 2]), math.sin(move[a, 2])
            x, z = targets[e, 0] - move[a, 0], targets[e, 2] - move[a, 1]
            distance, angle = polar(cosine * x - sine * z, sine * x + cosine * z)
            here, there, share_a, share_d, kept = locate(grid, distance, angle)
            kept *= 0.0 if covers(then, distance, angle, then[6]) else math.exp(-discount * ticks[a])
            at = goal[a] * count + e % heights
            corner[s, e, 0], share[s, e, 0] = at + here, kept * (1.0 - share_a) * (1.0 - share_d)
            corner[s, e, 1], share[s, e, 1] = at + here + heights, kept * (1.0 - share_a) * share_d
            corner[s, e, 2], share[s, e, 2] = at + there, kept * share_a * (1.0 - share_d)
            corner[s, e, 3], share[s, e, 3] = at + there + heights, kept * share_a * share_d


@array_kernel
def evaluate(low, high, rewards, policy, corner, share, values, better):
    """What a fixed policy is worth, one step of it."""
    flat = values.ravel()
    for s in range(low, high):
        for e in range(policy.shape[1]):
            found = rewards[policy[s, e], e]
            for k in range(4):
                found += share[s, e, k] * flat[corner[s, e, k]]
            better[s, e] = found
