"""SARSA over the level of preparation.

The world of an episode is flat: somebody looks along +Z from the origin, the goal and the source of
influence lie about him, and every step moves and turns both the other way.
"""

import numpy as np

from randori.kernels.compile import array_kernel, kernel

# how a state is counted: level of preparation, distance and angle of the source, of the goal (table 1)
LEVELS = 6  # of a state: 0 to 1 in steps of 0.2
CHOICES = 5  # of an action: the last level, 1, is only what the source forces
STEEPEST = 1  # levels that one action may rise or fall by
SOURCE_DISTANCES, SOURCE_ANGLES = 5, 4
GOAL_DISTANCES, GOAL_ANGLES = 2, 8
DISTANCE_STEP = 0.6  # metres
CELLS = LEVELS * SOURCE_DISTANCES * SOURCE_ANGLES * GOAL_DISTANCES * GOAL_ANGLES  # of one posture


@kernel
def _draw(random):
    """The next number of a generator (1,) uint64, 0 ≤ u < 1: xorshift64*."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return ((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@kernel
def _below(random, count):
    """A whole number from 0 to count - 1."""
    return min(int(_draw(random) * count), count - 1)


@kernel
def _wrap(angle):
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


@kernel
def _sector(angle, count):
    """Which of `count` equal sectors an angle lies in; sector 0 is straight ahead."""
    width = 2.0 * np.pi / count
    return int(np.floor((angle + 0.5 * width) / width)) % count


@kernel
def cell(posture, level, goal_distance, goal_angle, source_distance, source_angle):
    """The number of a state."""
    near = min(int(source_distance / DISTANCE_STEP), SOURCE_DISTANCES - 1)
    close = min(int(goal_distance / DISTANCE_STEP), GOAL_DISTANCES - 1)
    number = posture * LEVELS + level
    number = number * SOURCE_DISTANCES + near
    number = number * SOURCE_ANGLES + _sector(source_angle, SOURCE_ANGLES)
    number = number * GOAL_DISTANCES + close
    return number * GOAL_ANGLES + _sector(goal_angle, GOAL_ANGLES)


@kernel
def _passing(x, z, dx, dz):
    """How near a way from the origin to (dx, dz) comes to (x, z)."""
    length = dx * dx + dz * dz
    share = 0.0 if length <= 0.0 else min(max((x * dx + z * dz) / length, 0.0), 1.0)
    return np.hypot(x - share * dx, z - share * dz)


@kernel
def _choose(greedy, tried, fresh, state, level, count, exploring, random):
    """What to do in a state: what was never tried, sometimes anything, else the best."""
    low, high = max(level - STEEPEST, 0), min(level + STEEPEST, CHOICES - 1)
    levels = high - low + 1
    if fresh[state] > 0:
        pick = _below(random, fresh[state])
        for k in range(count * levels):
            choice = k // levels * CHOICES + low + k % levels
            if tried[state, choice] == 0:
                if pick == 0:
                    return choice
                pick -= 1
    if _draw(random) < exploring:
        k = _below(random, count * levels)
        return k // levels * CHOICES + low + k % levels
    return greedy[state]


@kernel
def _learn(values, greedy, tried, fresh, state, choice, level, count, rate, target):
    """Equation 14, and the best choice of the state with it."""
    if tried[state, choice] == 0:
        tried[state, choice] = 1
        fresh[state] -= 1
    before = values[state, choice]
    values[state, choice] += rate * (target - before)
    if choice == greedy[state]:
        if values[state, choice] < before:
            greedy[state] = best(values, state, level, count)
    elif values[state, choice] > values[state, greedy[state]]:
        greedy[state] = choice


@kernel
def best(values, state, level, count):
    """The choice of highest value; of equals the first."""
    low, high = max(level - STEEPEST, 0), min(level + STEEPEST, CHOICES - 1)
    chosen = low
    for slot in range(count):
        for k in range(slot * CHOICES + low, slot * CHOICES + high + 1):
            if values[state, k] > values[state, chosen]:
                chosen = k
    return chosen


@kernel
def _start(state, posture_heading, reach, farthest, shared, random, place):
    """Put goal and source where a state says, somewhere in its cells; returns the level and the posture.

    place (4,): x and z of the goal and of the source, as the pelvis of the posture sees them.
    """
    goal_sector = state % GOAL_ANGLES
    state //= GOAL_ANGLES
    close = state % GOAL_DISTANCES
    state //= GOAL_DISTANCES
    source_sector = state % SOURCE_ANGLES
    state //= SOURCE_ANGLES
    near = state % SOURCE_DISTANCES
    state //= SOURCE_DISTANCES
    level = state % LEVELS
    posture = state // LEVELS
    heading = posture_heading[posture]
    low = max(close * DISTANCE_STEP, reach)
    high = DISTANCE_STEP if close == 0 else farthest
    goal = low + (high - low) * _draw(random)
    angle = (goal_sector + _draw(random) - 0.5) * (2.0 * np.pi / GOAL_ANGLES)
    place[0], place[1] = goal * np.sin(angle + heading), goal * np.cos(angle + heading)
    same = min(int(goal / DISTANCE_STEP), SOURCE_DISTANCES - 1) == near
    if same and _sector(angle, SOURCE_ANGLES) == source_sector and _draw(random) < shared:
        place[2], place[3] = place[0], place[1]
        return level, posture
    distance = (near + _draw(random)) * DISTANCE_STEP
    angle = (source_sector + _draw(random) - 0.5) * (2.0 * np.pi / SOURCE_ANGLES)
    place[2], place[3] = distance * np.sin(angle + heading), distance * np.cos(angle + heading)
    return level, posture


@kernel
def observe(posture, level, posture_heading, place):
    heading = posture_heading[posture]
    return cell(
        posture,
        level,
        np.hypot(place[0], place[1]),
        np.arctan2(place[0], place[1]) - heading,
        np.hypot(place[2], place[3]),
        np.arctan2(place[2], place[3]) - heading,
    )


@kernel
def perform(move, level, before, move_end, travel, posture_heading, weights, reach, place):
    """One action: moves the places (4,); returns its reward, the level after it, and whether the goal is met.

    At the source the level is forced to 1. That is a change of its own, after the one that was chosen.
    """
    dx, dz, turn = travel[move, level, 0], travel[move, level, 1], travel[move, level, 2]
    distance = np.hypot(place[0], place[1])
    met = _passing(place[0], place[1], dx, dz) <= reach
    at_source = _passing(place[2], place[3], dx, dz) <= reach
    cosine, sine = np.cos(turn), np.sin(turn)
    for k in (0, 2):
        x, z = place[k] - dx, place[k + 1] - dz
        place[k], place[k + 1] = cosine * x - sine * z, cosine * z + sine * x
    heading = posture_heading[move_end[move]]
    angle = abs(_wrap(np.arctan2(place[0], place[1]) - heading))
    gained = distance - np.hypot(place[0], place[1])
    changed = ((level - before) / (LEVELS - 1)) ** 2
    after = level
    if at_source:
        changed += ((LEVELS - 1 - level) / (LEVELS - 1)) ** 2
        after = LEVELS - 1
    return -weights[0] * angle + weights[1] * gained - weights[2] * changed, after, met


@array_kernel
def sweep(
    order,  # (S,) int64: the states to start from
    values,  # (S, W) what each choice is expected to be worth; choice = slot of the move × CHOICES + level
    greedy,  # (S,) int64, the best choice of each state
    tried,  # (S, W) uint8
    fresh,  # (S,) int64, how many choices of each state were never tried
    move_indptr,  # (P + 1,) int64: moves of a posture are move_indptr[p] ≤ m < move_indptr[p + 1]
    move_end,  # (M,) int64, posture
    travel,  # (M, LEVELS, 3) x, z metres and yaw radians, as the pelvis at the start sees the one at the end
    posture_heading,  # (P,) radians, of the head against the pelvis
    weights,  # (3,) of facing, approach and steadiness
    rate,
    discount,
    exploring,  # chance of an action at random
    reach,  # metres at which goal and source are met
    farthest,  # metres that a goal is away at most
    shared,  # chance that goal and source are one, where a state allows it
    steps,  # at most, of an episode
    random,  # (1,) uint64
    results,  # (S, 2): the return, and whether the goal was met
):
    """An episode from every state in turn."""
    place = np.empty(4)
    for row in range(len(order)):
        level, posture = _start(order[row], posture_heading, reach, farthest, shared, random, place)
        state = observe(posture, level, posture_heading, place)
        count = move_indptr[posture + 1] - move_indptr[posture]
        choice = _choose(greedy, tried, fresh, state, level, count, exploring, random)
        total, factor, met, step = 0.0, 1.0, False, 0
        while step < steps and not met:
            move, chosen = move_indptr[posture] + choice // CHOICES, choice % CHOICES
            reward, after, met = perform(
                move, chosen, level, move_end, travel, posture_heading, weights, reach, place
            )
            total += factor * reward
            factor *= discount
            here, done, level_here, count_here, target = state, choice, level, count, reward
            posture, level = move_end[move], after
            if not met:
                state = observe(posture, level, posture_heading, place)
                count = move_indptr[posture + 1] - move_indptr[posture]
                choice = _choose(greedy, tried, fresh, state, level, count, exploring, random)
                target += discount * values[state, choice]
            _learn(values, greedy, tried, fresh, here, done, level_here, count_here, rate, target)
            step += 1
        results[row, 0], results[row, 1] = total, met


@kernel
def prepare_states(values, move_indptr, greedy, fresh):
    """The best choice of every state, and how many choices it has."""
    for posture in range(len(move_indptr) - 1):
        count = move_indptr[posture + 1] - move_indptr[posture]
        for number in range(CELLS):
            state = posture * CELLS + number
            level = number // (CELLS // LEVELS)
            greedy[state] = best(values, state, level, count)
            levels = min(level + STEEPEST, CHOICES - 1) - max(level - STEEPEST, 0) + 1
            fresh[state] = count * levels
