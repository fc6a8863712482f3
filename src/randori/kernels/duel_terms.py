"""The terms of the competitive and the cooperative function (spec 3.3), each one in its place.

Every term gives what it adds to the competitive and to the cooperative sum of one fighter.
docs/add-to-the-duel.md says how to add one.
"""

import math

from randori.kernels.compile import kernel, pasted
from randori.kernels.duel_tables import (
    ACTION,
    ALIKE,
    ATTACK,
    DEFENCE,
    DISTANCE,
    DISTANCE_WEIGHT,
    DURATION_WEIGHT,
    FACING,
    FACING_WEIGHT,
    FORGETTING,
    GIVEN_LONG,
    GIVEN_SHORT,
    GOAL_X,
    GOAL_Z,
    HEADING,
    HEADING_WEIGHT,
    KIND,
    LIKENESS,
    PAIRING,
    PAIRING_SHARED,
    PAIRING_WEIGHT,
    PATH_RIVAL,
    PATH_WEIGHT,
    RECENCY_WEIGHT,
    REQUEST_WEIGHT,
    SHORT,
    TAKEN,
    TICK,
    TICKS,
    YAW,
    nearest,
    pelvis_at,
    under_way,
)


@pasted
def turned_away(angle):
    """An angle between -π and π, in radians."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@pasted
def stance(sides, one, looks, x, z):
    """f_mov1: a fighter that looks along a yaw keeps its distance, and its eyes on the opponent at (x, z)."""
    theta = turned_away(looks - math.atan2(x, z))
    off = math.sqrt(x * x + z * z) - sides[one, DISTANCE]
    return -(sides[one, FACING_WEIGHT] * theta * theta + sides[one, DISTANCE_WEIGHT] * off * off)


@pasted
def path(sides, one, looks, x, z):
    """f_mov2: a fighter at (x, z) is where it should be, and looks where it should."""
    total = 0.0
    if sides[one, HEADING_WEIGHT] != 0.0:
        gamma = turned_away(looks - sides[one, HEADING])
        total -= sides[one, HEADING_WEIGHT] * gamma * gamma
    if sides[one, PATH_WEIGHT] != 0.0:
        squared = (x - sides[one, GOAL_X]) ** 2 + (z - sides[one, GOAL_Z]) ** 2
        total -= sides[one, PATH_WEIGHT] * squared
    return total


@kernel
def movement(actions, frames, sides, doing, where, level, one, frame, tick):
    """What the end of an action counts, in the frame that the fighter then shows."""
    looks = frames[frame, FACING] + where[level, one, YAW]
    x, z = pelvis_at(frames, where, level, one, frame)
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, tick)
    competitive, shared = stance(sides, one, looks, far_x, far_z), path(sides, one, looks, x, z)
    if sides[one, PATH_RIVAL] != 0.0:
        return competitive + shared, 0.0
    return competitive, shared


@pasted
def given(actions, sides, one, action):
    """w_D⁺: what damage counts for who gives it with an action."""
    return sides[one, GIVEN_SHORT] if actions[action, SHORT] else sides[one, GIVEN_LONG]


@pasted
def taken(sides, one):
    """w_D⁻: what damage counts for who takes it."""
    return -sides[one, TAKEN]


@pasted
def control(actions, sides, rules, recent, level, one, action):
    """DUEL's control term: short actions, and not those that were just used."""
    total = -sides[one, DURATION_WEIGHT] * actions[action, TICKS] * rules[TICK]
    if sides[one, RECENCY_WEIGHT] != 0.0:
        weight = sides[one, RECENCY_WEIGHT]
        for k in range(recent.shape[2]):
            used = recent[level, one, k]
            if used == action:
                total -= weight
            elif used >= 0 and actions[used, LIKENESS] == actions[action, LIKENESS]:
                total -= weight * rules[ALIKE]
            weight *= rules[FORGETTING]
    return total


@pasted
def pairing(actions, strikes, sides, combination, doing, level, one, action, opponent, tick):
    """f_comb: how well a defence suits the attack that it answers."""
    if actions[action, KIND] != DEFENCE or sides[one, PAIRING_WEIGHT] == 0.0:
        return 0.0
    attack = doing[level, opponent, ACTION]
    if actions[attack, KIND] != ATTACK or actions[action, PAIRING] < 0 or actions[attack, PAIRING] < 0:
        return 0.0
    if not under_way(actions, strikes, doing, level, opponent, tick):
        return 0.0
    return sides[one, PAIRING_WEIGHT] * combination[actions[action, PAIRING], actions[attack, PAIRING]]


@pasted
def request(sides, requests, one, action):
    """f_req: what an animator asks for, or does not want."""
    return sides[one, REQUEST_WEIGHT] * requests[one, action]


@pasted
def selection(
    actions, strikes, sides, rules, combination, requests, recent, doing, level, one, action, opponent, tick
):
    """What the selection of an action counts at once."""
    competitive = control(actions, sides, rules, recent, level, one, action)
    shared = request(sides, requests, one, action)
    suits = pairing(actions, strikes, sides, combination, doing, level, one, action, opponent, tick)
    if sides[one, PAIRING_SHARED] != 0.0:
        return competitive, shared + suits
    return competitive + suits, shared
