"""Two selections of a duel in which nobody can be hit: what they come to is known before they are played.

Most of a deep search looks at choices out of reach, which one known answer refutes: as nothing happens but
that everybody ends somewhere, the answer need not be played to be sure of that.
"""

from randori.kernels.compile import kernel
from randori.kernels.duel_moves import begin, cheap_rule, solid
from randori.kernels.duel_rules import PLAUSIBLE, distance_now
from randori.kernels.duel_tables import (
    ACTION,
    END_POSTURE,
    IDLE,
    SLACK,
    SPENT,
    START,
    STOP,
    STRIKES,
    STRIKES_END,
    TEAM,
    TICKS,
    TOUCH,
    WINDOW_END,
    ZERO_SUM,
    frame_at,
)
from randori.kernels.duel_terms import movement, selection


@kernel
def armed(actions, strikes, doing, level, one, tick):
    """Whether what a fighter does may still strike somebody."""
    action = doing[level, one, ACTION]
    first, spent, start = actions[action, STRIKES], doing[level, one, SPENT], doing[level, one, START]
    for strike in range(first, actions[action, STRIKES_END]):
        if not (spent >> (strike - first)) & 1 and strikes[strike, WINDOW_END] > tick - start:
            return True
    return False


@kernel
def refute(
    actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices,
    sides, rules, combination, requests, bounds,
    doing, where, recent, sums, clock, own, level, one, count, orders, tops, killers, need,
):  # fmt: skip
    """Lower the `tops` of choices of `one` at a level, with two selections left, that a known answer refutes.

    The answer is what was best for the other one in its posture before. Levels + 1 and + 2 are used.
    """
    if doing.shape[1] != 2 or bounds[ZERO_SUM] == 0.0:
        return
    other, now = 1 - one, clock[level]
    if sides[one, TOUCH] > 0.0 or sides[other, TOUCH] > 0.0:
        return
    idle = doing[level, other, IDLE] != 0
    if not idle and armed(actions, strikes, doing, level, other, now):
        return
    posture = actions[doing[level, other, ACTION], END_POSTURE]
    if killers[posture] < 0:
        return
    answer = choices[choice_start[posture] + killers[posture]]
    if actions[answer, STRIKES] != actions[answer, STRIKES_END]:
        return
    then = now if idle else doing[level, other, STOP]
    first, second = level + 1, level + 2
    base = sums[level, 0] if sides[one, TEAM] == own else -sums[level, 0]
    offered = choice_start[actions[doing[level, one, ACTION], END_POSTURE]]
    for i in range(2):
        for k in range(5):
            doing[first, i, k], where[first, i, k] = doing[level, i, k], where[level, i, k]
    end = then + actions[answer, TICKS]
    for k in range(count):
        if tops[level, k] <= need:
            continue
        action = choices[offered + orders[level, k]]
        stop = now + actions[action, TICKS]
        if actions[action, STRIKES] != actions[action, STRIKES_END]:
            continue
        if then > stop or (then == stop and one < other):
            continue  # it selects again itself
        begin(actions, spots, doing, where, level, first, one, action, now)
        value, _ = selection(
            actions, strikes, sides, rules, combination, requests, recent, doing, level, one, action, other,
            now,
        )  # fmt: skip
        value += base
        if not idle and doing[level, other, START] >= clock[0]:
            frame = frame_at(actions, doing, first, other, then)
            counted, _ = movement(actions, frames, sides, doing, where, first, other, frame, then)
            value -= counted
        for i in range(2):
            for j in range(5):
                doing[second, i, j], where[second, i, j] = doing[first, i, j], where[first, i, j]
        begin(actions, spots, doing, where, first, second, other, answer, then)
        counted, _ = selection(
            actions, strikes, sides, rules, combination, requests, recent, doing, first, other, answer, one,
            then,
        )  # fmt: skip
        value -= counted
        frame = frame_at(actions, doing, second, one, stop)
        counted, _ = movement(
            actions, frames, sides, doing, where, first if then == stop else second, one, frame, stop
        )
        value += counted
        frame = frame_at(actions, doing, second, other, end)
        counted, _ = movement(actions, frames, sides, doing, where, second, other, frame, end)
        value -= counted
        value += SLACK * (1.0 + abs(value) + abs(base))
        if value > need:
            continue
        apart = distance_now(actions, frames, sides, doing, where, first, other, then)
        rule = cheap_rule(
            actions, spots, frames, strikes, sweeps, sides, rules, doing, where, second, other, then,
            False, apart,
        )  # fmt: skip
        if rule == PLAUSIBLE:
            rule = solid(actions, spots, frames, body, radii, sides, rules, doing, where, second, other, then)
        if rule == PLAUSIBLE:
            tops[level, k] = min(tops[level, k], value)
