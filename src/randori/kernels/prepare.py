"""SARSA over the level of preparation.

The world of an episode is flat: a character looks along +Z from the origin, the goal and the source of
influence lie about it, and every step moves and turns both the other way.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.angles import sector_of, wrap_angle
from randori.kernels.compile import kernel
from randori.kernels.plane import move_point_back

# how a state is counted: level of preparation, distance and angle of the source, of the goal (table 1)
LEVELS = 6  # of a state: 0 to 1 in steps of 0.2
CHOICES = 5  # of an action: the last level, 1, is only what the source forces
SOURCE_DISTANCES, SOURCE_ANGLES = 5, 4
GOAL_DISTANCES, GOAL_ANGLES = 2, 8
DISTANCE_STEP = 0.6  # metres
CELLS = LEVELS * SOURCE_DISTANCES * SOURCE_ANGLES * GOAL_DISTANCES * GOAL_ANGLES  # of one posture

# The displacement of a move: the pelvis at its end, as the pelvis at its start sees it.
TRAVEL = np.dtype(
    [
        ("x", np.float64),  # metres
        ("z", np.float64),  # metres
        ("yaw", np.float64),  # radians
    ],
    align=True,
)

# Goal and source, as the pelvis of a posture sees them.
SIGHT = np.dtype(
    [
        ("goal_x", np.float64),  # metres
        ("goal_z", np.float64),
        ("source_x", np.float64),
        ("source_z", np.float64),
    ],
    align=True,
)

RESULT = np.dtype(
    [
        ("total", np.float64),  # the return of an episode
        ("met", np.float64),  # 1 where its goal was met, else 0
    ],
    align=True,
)


class Moves(NamedTuple):
    """The moves of a character; those of a posture p are indptr[p] ≤ m < indptr[p + 1]."""

    indptr: np.ndarray  # (P + 1,) int64
    end: np.ndarray  # (M,) int64, posture
    travel: np.ndarray  # (M, LEVELS) TRAVEL, at each level of preparation
    heading: np.ndarray  # (P,) radians, of the head against the pelvis


class Lessons(NamedTuple):
    """Settings of the learning."""

    facing: float  # weight of -|angle to the goal|, radians
    approach: float  # weight of the way gained towards the goal, metres
    steadiness: float  # weight of -(change of the level)²
    rate: float  # of learning
    discount: float
    exploring: float  # chance of an action at random
    reach: float  # metres at which goal and source are met
    farthest: float  # metres that a goal is away at most
    shared: float  # chance that goal and source are one, where a state allows it
    steps: int  # of an episode, at most
    steepest: int  # levels that one action may rise or fall by


class Table(NamedTuple):
    """The values that are learned; choice = slot of the move × CHOICES + level."""

    values: np.ndarray  # (S, W) expected value of each choice
    greedy: np.ndarray  # (S,) int64, the best choice of each state
    tried: np.ndarray  # (S, W) uint8
    fresh: np.ndarray  # (S,) int64, how many choices of each state were never tried


@kernel
def sweep(order, moves, lessons, table, random, sights, results):
    """An episode from every state of order (S,) in turn, into results (S,).

    random (1,) uint64 is the generator, sights (1,) SIGHT is scratch space.
    """
    for row in range(len(order)):
        level, posture = _start(order[row], moves, lessons, random, sights[0])
        _play_episode(level, posture, moves, lessons, table, random, sights[0], results[row])


@kernel
def _play_episode(level, posture, moves, lessons, table, random, sight, result):
    """Act and learn until the goal is met, or for as many steps as there are."""
    state = observe(posture, level, moves.heading, sight)
    count = moves.indptr[posture + 1] - moves.indptr[posture]
    choice = _choose(table, state, level, count, lessons, random)
    total, factor, met, step = 0.0, 1.0, False, 0
    while step < lessons.steps and not met:
        move, chosen = moves.indptr[posture] + choice // CHOICES, choice % CHOICES
        reward, after, met = perform(moves, lessons, move, chosen, level, sight)
        total += factor * reward
        factor *= lessons.discount
        here, done, level_here, count_here, target = state, choice, level, count, reward
        posture, level = moves.end[move], after
        if not met:
            state = observe(posture, level, moves.heading, sight)
            count = moves.indptr[posture + 1] - moves.indptr[posture]
            choice = _choose(table, state, level, count, lessons, random)
            target += lessons.discount * table.values[state, choice]
        _learn(table, here, done, level_here, count_here, lessons, target)
        step += 1
    result.total, result.met = total, met


@kernel
def _start(state, moves, lessons, random, sight):
    """Put goal and source where a state says, somewhere in its cells; returns the level and the posture."""
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
    heading = moves.heading[posture]
    low = max(close * DISTANCE_STEP, lessons.reach)
    high = DISTANCE_STEP if close == 0 else lessons.farthest
    goal = low + (high - low) * _draw(random)
    angle = (goal_sector + _draw(random) - 0.5) * (2.0 * np.pi / GOAL_ANGLES)
    sight.goal_x, sight.goal_z = goal * np.sin(angle + heading), goal * np.cos(angle + heading)
    same = min(int(goal / DISTANCE_STEP), SOURCE_DISTANCES - 1) == near
    if same and sector_of(angle, SOURCE_ANGLES) == source_sector and _draw(random) < lessons.shared:
        sight.source_x, sight.source_z = sight.goal_x, sight.goal_z
        return level, posture
    distance = (near + _draw(random)) * DISTANCE_STEP
    angle = (source_sector + _draw(random) - 0.5) * (2.0 * np.pi / SOURCE_ANGLES)
    sight.source_x, sight.source_z = distance * np.sin(angle + heading), distance * np.cos(angle + heading)
    return level, posture


@kernel
def observe(posture, level, posture_heading, sight):
    """The number of the state that a character in a posture is in."""
    heading = posture_heading[posture]
    return cell(
        posture,
        level,
        np.hypot(sight.goal_x, sight.goal_z),
        math.atan2(sight.goal_x, sight.goal_z) - heading,
        np.hypot(sight.source_x, sight.source_z),
        math.atan2(sight.source_x, sight.source_z) - heading,
    )


@kernel
def cell(posture, level, goal_distance, goal_angle, source_distance, source_angle):
    """The number of a state."""
    near = min(int(source_distance / DISTANCE_STEP), SOURCE_DISTANCES - 1)
    close = min(int(goal_distance / DISTANCE_STEP), GOAL_DISTANCES - 1)
    number = posture * LEVELS + level
    number = number * SOURCE_DISTANCES + near
    number = number * SOURCE_ANGLES + sector_of(source_angle, SOURCE_ANGLES)
    number = number * GOAL_DISTANCES + close
    return number * GOAL_ANGLES + sector_of(goal_angle, GOAL_ANGLES)


@kernel
def perform(moves, lessons, move, level, before, sight):
    """One action: moves goal and source; returns its reward, the level after it, and whether the goal is met.

    At the source the level is forced to 1. That is a change of its own, after the one that was chosen.
    """
    travel = moves.travel[move, level]
    distance = np.hypot(sight.goal_x, sight.goal_z)
    met = _passing(sight.goal_x, sight.goal_z, travel.x, travel.z) <= lessons.reach
    at_source = _passing(sight.source_x, sight.source_z, travel.x, travel.z) <= lessons.reach
    cosine, sine = np.cos(travel.yaw), np.sin(travel.yaw)
    sight.goal_x, sight.goal_z = move_point_back(cosine, sine, travel.x, travel.z, sight.goal_x, sight.goal_z)
    sight.source_x, sight.source_z = move_point_back(
        cosine, sine, travel.x, travel.z, sight.source_x, sight.source_z
    )
    angle = abs(wrap_angle(math.atan2(sight.goal_x, sight.goal_z) - moves.heading[moves.end[move]]))
    gained = distance - np.hypot(sight.goal_x, sight.goal_z)
    changed = ((level - before) / (LEVELS - 1)) ** 2
    after = level
    if at_source:
        changed += ((LEVELS - 1 - level) / (LEVELS - 1)) ** 2
        after = LEVELS - 1
    reward = -lessons.facing * angle + lessons.approach * gained - lessons.steadiness * changed
    return reward, after, met


@kernel
def _passing(x, z, dx, dz):
    """The least distance in metres between a way from the origin to (dx, dz) and the point (x, z)."""
    length = dx * dx + dz * dz
    share = 0.0 if length <= 0.0 else min(max((x * dx + z * dz) / length, 0.0), 1.0)
    return np.hypot(x - share * dx, z - share * dz)


@kernel
def _choose(table, state, level, count, lessons, random):
    """The choice in a state: an untried one, sometimes a random one, else the best."""
    low, high = max(level - lessons.steepest, 0), min(level + lessons.steepest, CHOICES - 1)
    levels = high - low + 1
    if table.fresh[state] > 0:
        pick = _draw_below(random, table.fresh[state])
        for k in range(count * levels):
            choice = k // levels * CHOICES + low + k % levels
            if table.tried[state, choice] == 0:
                if pick == 0:
                    return choice
                pick -= 1
    if _draw(random) < lessons.exploring:
        k = _draw_below(random, count * levels)
        return k // levels * CHOICES + low + k % levels
    return table.greedy[state]


@kernel
def _learn(table, state, choice, level, count, lessons, target):
    """Equation 14, and the best choice of the state with it."""
    values, greedy = table.values, table.greedy
    if table.tried[state, choice] == 0:
        table.tried[state, choice] = 1
        table.fresh[state] -= 1
    before = values[state, choice]
    values[state, choice] += lessons.rate * (target - before)
    if choice == greedy[state]:
        if values[state, choice] < before:
            greedy[state] = _best(values, state, level, count, lessons.steepest)
    elif values[state, choice] > values[state, greedy[state]]:
        greedy[state] = choice


@kernel
def _best(values, state, level, count, steepest):
    """The choice of highest value; of equals the first."""
    low, high = max(level - steepest, 0), min(level + steepest, CHOICES - 1)
    chosen = low
    for slot in range(count):
        for k in range(slot * CHOICES + low, slot * CHOICES + high + 1):
            if values[state, k] > values[state, chosen]:
                chosen = k
    return chosen


@kernel
def prepare_states(values, move_indptr, steepest, greedy, fresh):
    """The best choice of every state, and how many choices it has."""
    for posture in range(len(move_indptr) - 1):
        count = move_indptr[posture + 1] - move_indptr[posture]
        for number in range(CELLS):
            state = posture * CELLS + number
            level = number // (CELLS // LEVELS)
            greedy[state] = _best(values, state, level, count, steepest)
            levels = min(level + steepest, CHOICES - 1) - max(level - steepest, 0) + 1
            fresh[state] = count * levels


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
def _draw_below(random, count):
    """A whole number from 0 to count - 1."""
    return min(int(_draw(random) * count), count - 1)
