"""Selecting in a duel: from one moment to the next, what is not seen yet, and which choices are plausible."""

from randori.kernels.compile import kernel, pasted
from randori.kernels.duel_rules import (
    ENDS_INSIDE,
    GRADES,
    LOOKS_AWAY,
    NEEDLESS,
    OUT_OF_RANGE,
    PENETRATES,
    PLAUSIBLE,
    TOO_NEAR,
    attacked,
    distance_now,
    ends_inside,
    looks_away,
    needless,
    out_of_range,
    passes_through,
    too_near,
)
from randori.kernels.duel_tables import (
    ACTION,
    COS,
    END_POSTURE,
    IDLE,
    IN_COS,
    IN_SIN,
    IN_X,
    IN_YAW,
    IN_Z,
    OUT_COS,
    OUT_SIN,
    OUT_X,
    OUT_YAW,
    OUT_Z,
    REACTION,
    SIN,
    SPENT,
    START,
    STOP,
    TEAM,
    TICKS,
    YAW,
    X,
    Z,
    under_way,
)

ALL_SPENT = (1 << 62) - 1  # of SPENT


@kernel
def copy_moment(doing, where, recent, sums, clock, source, target):
    """Make level `target` the same moment as `source`."""
    for i in range(doing.shape[1]):
        for k in range(5):
            doing[target, i, k] = doing[source, i, k]
            where[target, i, k] = where[source, i, k]
        for k in range(recent.shape[2]):
            recent[target, i, k] = recent[source, i, k]
    sums[target, 0], sums[target, 1] = sums[source, 0], sums[source, 1]
    clock[target] = clock[source]


@pasted
def begin(actions, spots, doing, where, source, target, one, action, tick):
    """Let a fighter, whose action at level `source` has ended, begin the next one at level `target`."""
    last = doing[source, one, ACTION]
    c, s, yaw = where[source, one, COS], where[source, one, SIN], where[source, one, YAW]
    # where the posture is that it stands in
    x, z = spots[last, OUT_X], spots[last, OUT_Z]
    px, pz = c * x + s * z + where[source, one, X], c * z - s * x + where[source, one, Z]
    pc, ps = (
        c * spots[last, OUT_COS] - s * spots[last, OUT_SIN],
        s * spots[last, OUT_COS] + c * spots[last, OUT_SIN],
    )
    # and the place that brings the recording's posture there
    x, z = spots[action, IN_X], spots[action, IN_Z]
    where[target, one, X], where[target, one, Z] = pc * x + ps * z + px, pc * z - ps * x + pz
    where[target, one, YAW] = yaw + spots[last, OUT_YAW] + spots[action, IN_YAW]
    where[target, one, COS] = pc * spots[action, IN_COS] - ps * spots[action, IN_SIN]
    where[target, one, SIN] = ps * spots[action, IN_COS] + pc * spots[action, IN_SIN]
    doing[target, one, ACTION], doing[target, one, START] = action, tick
    doing[target, one, STOP] = tick + actions[action, TICKS]
    doing[target, one, SPENT], doing[target, one, IDLE] = 0, 0


@kernel
def first_idle(doing, level):
    """Who selects."""
    for i in range(doing.shape[1]):
        if doing[level, i, IDLE]:
            return i
    return -1


@kernel
def disbelieve(actions, strikes, sides, doing, clock, level, target, one, spend):
    """How many attacks a fighter has not seen yet; their strikes are spent at level `target`, if asked."""
    unseen = 0
    for other in range(doing.shape[1]):
        if (
            sides[other, TEAM] == sides[one, TEAM]
            or doing[level, other, START] <= clock[level] - sides[one, REACTION]
        ):
            continue
        if under_way(actions, strikes, doing, level, other, clock[level]):
            if spend:
                doing[target, other, SPENT] |= ALL_SPENT
            unseen += 1
    return unseen


@kernel
def cheap_rule(
    actions, spots, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now, under_attack, apart
):
    """The first broken rule among those that cost little: all but penetration."""
    away = looks_away(actions, frames, sides, rules, doing, where, trial, one)
    if away > 0:
        return LOOKS_AWAY + GRADES - away
    if out_of_range(actions, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now, apart):
        return OUT_OF_RANGE
    if too_near(actions, spots, frames, sides, doing, where, trial, one, apart):
        return TOO_NEAR
    if needless(actions, doing, trial, one, under_attack):
        return NEEDLESS
    return PLAUSIBLE


@kernel
def cheap_rules(
    actions, spots, frames, strikes, sweeps, choice_start, choices, sides, rules, doing, where, level, trial,
    one, now, broken,
):  # fmt: skip
    """For each choice the first rule that it breaks, penetration left aside, into `broken`."""
    posture = actions[doing[level, one, ACTION], END_POSTURE]
    under_attack = attacked(actions, strikes, sides, doing, level, one, now)
    apart = distance_now(actions, frames, sides, doing, where, level, one, now)
    for i in range(doing.shape[1]):
        for k in range(5):
            doing[trial, i, k], where[trial, i, k] = doing[level, i, k], where[level, i, k]
    for order in range(choice_start[posture + 1] - choice_start[posture]):
        action = choices[choice_start[posture] + order]
        begin(actions, spots, doing, where, level, trial, one, action, now)
        broken[order] = cheap_rule(
            actions, spots, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now,
            under_attack, apart,
        )  # fmt: skip


@kernel
def solid(actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now):
    """The broken rule of penetration, or PLAUSIBLE."""
    if ends_inside(actions, frames, body, radii, sides, rules, doing, where, trial, one):
        return ENDS_INSIDE
    if passes_through(actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now):
        return PENETRATES
    return PLAUSIBLE


@kernel
def broken_rules(
    actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices, sides, rules,
    doing, where, level, trial, one, now, broken,
):  # fmt: skip
    """For each choice the first rule that it breaks, into `broken`; and the best that any of them reaches."""
    posture = actions[doing[level, one, ACTION], END_POSTURE]
    cheap_rules(
        actions, spots, frames, strikes, sweeps, choice_start, choices, sides, rules,
        doing, where, level, trial, one, now, broken,
    )  # fmt: skip
    best = 0
    for order in range(choice_start[posture + 1] - choice_start[posture]):
        action = choices[choice_start[posture] + order]
        begin(actions, spots, doing, where, level, trial, one, action, now)
        rule = solid(actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now)
        broken[order] = min(broken[order], rule)
        best = max(best, broken[order])
    return best
