"""What a choice of the duel promises and can give at most, before it is played.

A bound may be too high, never too low: what cannot exceed a node's floor is not played at all.
"""

import math

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.contact import DAMAGE
from randori.kernels.duel_moves import begin, copy_moment
from randori.kernels.duel_rules import LEAVING, PLAUSIBLE, attacked
from randori.kernels.duel_tables import (
    ACTION,
    ATTACK,
    BEST_BLOW,
    COS,
    DAMAGE_MOST,
    DEFENCE,
    DEFENCE_RANGE,
    DISC_R,
    DISC_X,
    DISC_Z,
    DISTANCE,
    DISTANCE_WEIGHT,
    END_COS,
    END_LOOK,
    END_POSTURE,
    END_ROOM,
    END_SIN,
    END_X,
    END_Z,
    FACING,
    FACING_LIMIT,
    FACING_WEIGHT,
    FASTEST,
    FIRST,
    GIVEN_LONG,
    GIVEN_SHORT,
    GOAL_X,
    GOAL_Z,
    HEAD_LOW,
    HEADING_WEIGHT,
    IDLE,
    KILLER,
    KIND,
    LAST_STRIKE,
    LEFT,
    MOST_STRIKES,
    NEXT_COS,
    NEXT_SIN,
    NEXT_X,
    NEXT_Z,
    OUT_COS,
    OUT_SIN,
    OUT_X,
    OUT_YAW,
    OUT_Z,
    PATH_RIVAL,
    PATH_WEIGHT,
    PELVIS_X,
    PELVIS_Z,
    RANGE,
    ROOM,
    SEEN,
    SELECTING,
    SHARED_GAIN,
    SIN,
    SLACK,
    SPEED_AT,
    START,
    STOP,
    STRIKE_REACH,
    STRIKE_X,
    STRIKE_Z,
    STRIKES,
    STRIKES_END,
    SWEEP_R,
    SWEEP_X,
    SWEEP_Z,
    TAKEN,
    TEAM,
    THREAT_ACTION,
    THREAT_HALF,
    THREAT_MIDDLE,
    THREAT_R,
    THREAT_WORST,
    THREAT_X,
    THREAT_Z,
    TICKS,
    TORSO_LOW,
    TOUCH,
    TRAVEL,
    VITAL_R,
    VITAL_REACH,
    VITAL_X,
    VITAL_Z,
    WHO,
    WINDOW,
    WINDOW_END,
    YAW,
    ZERO_SUM,
    X,
    Z,
    frame_at,
    nearest,
    pelvis_at,
    under_way,
)
from randori.kernels.duel_terms import given, movement, path, selection

_ROUGHNESS = 1e-4  # radians², that an angle of `angle_between` may be off when squared
_REFUTES = 1e6  # per time that an action was a node's best
_HOPE = 0.3  # of the most damage: what a strike in reach promises
_LONG = 1 << 20  # ticks that no plan lasts


@pasted
def worst_blow(actions, spots, sides, one, action, touching):
    """The most that an action can gain for its team by damage."""
    worst = spots[action, DAMAGE_MOST] + (1.0 if touching else 0.0)
    if worst == 0.0:
        return 0.0
    hurt = 0.0
    for i in range(len(sides)):
        if sides[i, TEAM] != sides[one, TEAM]:
            hurt = max(hurt, sides[i, TAKEN])
    return worst * (given(actions, sides, one, action) + hurt)


@kernel
def worst_blow_now(actions, spots, sweeps, sides, doing, level, one, action, touching):
    """The most that an action can gain for its team by damage, if the others go on with what they do.

    A strike that stays below the head does what it does to a torso. Of two strikes the second may meet
    somebody who answers the first one.
    """
    if doing.shape[1] > 2 or actions[action, STRIKES_END] - actions[action, STRIKES] > 1:
        return worst_blow(actions, spots, sides, one, action, touching)
    other = 1 - one
    against, worst = doing[level, other, ACTION], 1.0 if touching else 0.0
    for strike in range(actions[action, STRIKES], actions[action, STRIKES_END]):
        head = sweeps[strike, SPEED_AT + int(spots[against, HEAD_LOW])]
        torso = sweeps[strike, SPEED_AT + int(spots[against, TORSO_LOW])]
        worst += max(DAMAGE[0] * head, max(DAMAGE[1:]) * torso)
    return worst * (given(actions, sides, one, action) + sides[other, TAKEN])


@kernel
def next_blow(
    actions, spots, frames, sweeps, sides, rules, bounds, threat_start, threats, doing, where, level, one,
    posture, tick, x, z, c, s, enough,
):  # fmt: skip
    """The most that a fighter can gain by damage with what it selects in a posture at a place in a tick.

    Others go on with what they do. What is not more than `enough` is not looked at closely.
    """
    if sides[one, TOUCH] > 0.0:
        return bounds[BEST_BLOW + int(sides[one, TEAM])]
    most, best = max(sides[one, GIVEN_SHORT], sides[one, GIVEN_LONG]), 0.0
    for other in range(doing.shape[1]):
        if sides[other, TEAM] == sides[one, TEAM]:
            continue
        hurt, action = sides[other, TAKEN], doing[level, other, ACTION]
        turn_c, turn_s = where[level, other, COS], where[level, other, SIN]
        # a disc that the other one does not leave, as the posture sees it
        dx, dz, radius = spots[action, VITAL_X], spots[action, VITAL_Z], spots[action, VITAL_R]
        far_x = turn_c * dx + turn_s * dz + where[level, other, X] - x
        far_z = turn_c * dz - turn_s * dx + where[level, other, Z] - z
        far_x, far_z = c * far_x - s * far_z, s * far_x + c * far_z
        for k in range(threat_start[posture], threat_start[posture + 1]):
            bound = threats[k, THREAT_WORST] * (most + hurt)
            if bound <= max(best, enough):
                best = max(best, bound)
                break
            far = threats[k, THREAT_R] + radius
            if (threats[k, THREAT_X] - far_x) ** 2 + (threats[k, THREAT_Z] - far_z) ** 2 > far * far:
                continue
            # where the other one is in the middle of the strike
            frame = frame_at(actions, doing, level, other, tick + int(threats[k, THREAT_MIDDLE]))
            dx, dz = pelvis_at(frames, where, level, other, frame)
            dx, dz = c * (dx - x) - s * (dz - z), s * (dx - x) + c * (dz - z)
            far = threats[k, THREAT_R] + spots[action, VITAL_REACH] + rules[FASTEST] * threats[k, THREAT_HALF]
            if (threats[k, THREAT_X] - dx) ** 2 + (threats[k, THREAT_Z] - dz) ** 2 > far * far:
                continue
            striking = int(threats[k, THREAT_ACTION])
            best = max(
                best, worst_blow_now(actions, spots, sweeps, sides, doing, level, one, striking, False)
            )
    return best


@kernel
def most_gain(
    actions, spots, frames, strikes, sweeps, sides, rules, bounds, threat_start, threats,
    doing, where, clock, level, one, selector, left, enough,
):  # fmt: skip
    """The most that a fighter, one of two, can still gain at a level where `selector` is about to select.

    What is not more than `enough` is not looked at closely.
    """
    other, now, best = 1 - one, clock[level], bounds[BEST_BLOW + int(sides[one, TEAM])]
    mine = selector == one
    gain = most_penalty(
        actions, frames, sides, rules, bounds, doing, where, level, one, left, left - 1 if mine else left
    )
    if not doing[level, one, IDLE]:
        near = may_touch(actions, frames, sides, rules, doing, where, level, one, now, _LONG)
        if near or under_way(actions, strikes, doing, level, one, now):
            gain += worst_blow(actions, spots, sides, one, doing[level, one, ACTION], near)
    gain += (left - 1) * best
    if not mine:
        return gain
    # who may select before the strike comes is not where what it does now would take it
    if left > 1 and (doing[level, other, IDLE] or doing[level, other, STOP] < now + bounds[LAST_STRIKE]):
        return gain + best
    last = doing[level, one, ACTION]
    c, s = where[level, one, COS], where[level, one, SIN]
    x, z = spots[last, OUT_X], spots[last, OUT_Z]
    return gain + next_blow(
        actions, spots, frames, sweeps, sides, rules, bounds, threat_start, threats, doing, where, level, one,
        actions[last, END_POSTURE], now,
        c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z],
        c * spots[last, OUT_COS] - s * spots[last, OUT_SIN],
        s * spots[last, OUT_COS] + c * spots[last, OUT_SIN],
        enough - gain,
    )  # fmt: skip


@kernel
def most_penalty(actions, frames, sides, rules, bounds, doing, where, level, one, left, selections):
    """The most that movement and selecting can gain for the team of `one` from here on, but for damage.

    What the other team loses is ours in the difference. `left` actions will be selected, at most so many
    `selections` of them by the other team.
    """
    x, z = pelvis_at(
        frames, where, level, one, frame_at(actions, doing, level, one, doing[level, one, START])
    )
    # what a fighter does now, what it selects, and what it answers: it is struck by what others select or do
    ends = 1.0 + left * max(bounds[MOST_STRIKES], 1.0) + doing.shape[1] * bounds[MOST_STRIKES]
    total = 0.0
    for i in range(doing.shape[1]):
        if sides[i, TEAM] == sides[one, TEAM]:
            continue
        ox, oz = pelvis_at(
            frames, where, level, i, frame_at(actions, doing, level, i, doing[level, i, START])
        )
        off = max(sides[i, DISTANCE], math.hypot(ox - x, oz - z) + 2.0 * ends * rules[TRAVEL])
        worst = sides[i, FACING_WEIGHT] * math.pi**2 + sides[i, DISTANCE_WEIGHT] * off * off
        if sides[i, PATH_RIVAL] != 0.0:
            far = math.hypot(ox - sides[i, GOAL_X], oz - sides[i, GOAL_Z]) + ends * rules[TRAVEL]
            worst += sides[i, HEADING_WEIGHT] * math.pi**2 + sides[i, PATH_WEIGHT] * far * far
        total += ends * worst
    return total + selections * bounds[SELECTING]


@kernel
def may_touch(actions, frames, sides, rules, doing, where, level, one, now, ticks):
    """Whether a fighter could catch somebody within so many ticks."""
    if sides[one, TOUCH] <= 0.0:
        return False
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, now)
    return math.hypot(far_x, far_z) < sides[one, TOUCH] + 2.0 * rules[FASTEST] * ticks


@pasted
def angle_between(across, along):
    """Radians between two directions, to 1e-5: for bounds, where a true arc tangent would cost most."""
    across = abs(across)
    size = abs(along)
    low, high = min(across, size), max(across, size)
    if high == 0.0:
        return 0.0
    t = low / high
    q = t * t
    angle = t * (0.9998660 + q * (-0.3302995 + q * (0.1801410 + q * (-0.0851330 + q * 0.0208351))))
    if across > size:
        angle = 0.5 * math.pi - angle
    return math.pi - angle if along < 0.0 else angle


@pasted
def angle_between_yaw(looks, far_x, far_z):
    """Radians between a look along a yaw and a direction, to 1e-5."""
    look_x, look_z = math.sin(looks), math.cos(looks)
    return angle_between(look_x * far_z - look_z * far_x, look_x * far_x + look_z * far_z)


@pasted
def nearly_stance(sides, one, look_x, look_z, far_x, far_z, roughness):
    """`stance` from the direction of the look, a little too high, or too low if the roughness is negative."""
    theta = angle_between(look_x * far_z - look_z * far_x, look_x * far_x + look_z * far_z)
    off = math.sqrt(far_x * far_x + far_z * far_z) - sides[one, DISTANCE]
    turned = max(theta * theta - roughness, 0.0)
    return -(sides[one, FACING_WEIGHT] * turned + sides[one, DISTANCE_WEIGHT] * off * off)


@kernel
def in_reach(actions, spots, frames, strikes, sweeps, sides, rules, doing, where, trial, one):
    """Whether a strike of a fighter's action could hurt an opponent, who goes on with what it does."""
    action, start = doing[trial, one, ACTION], doing[trial, one, START]
    for strike in range(actions[action, STRIKES], actions[action, STRIKES_END]):
        c, s = where[trial, one, COS], where[trial, one, SIN]
        x, z = sweeps[strike, SWEEP_X], sweeps[strike, SWEEP_Z]
        ax, az = c * x + s * z + where[trial, one, X], c * z - s * x + where[trial, one, Z]
        last = strikes[strike, WINDOW_END] - 1
        middle = (strikes[strike, WINDOW] + last) // 2
        for j in range(doing.shape[1]):
            if sides[j, TEAM] == sides[one, TEAM]:
                continue
            against = doing[trial, j, ACTION]
            c, s = where[trial, j, COS], where[trial, j, SIN]
            x, z = spots[against, VITAL_X], spots[against, VITAL_Z]
            bx, bz = c * x + s * z + where[trial, j, X], c * z - s * x + where[trial, j, Z]
            far = sweeps[strike, SWEEP_R] + spots[against, VITAL_R]
            if (ax - bx) ** 2 + (az - bz) ** 2 > far * far:
                continue
            # where the other one is in the middle of the strike
            bx, bz = pelvis_at(frames, where, trial, j, frame_at(actions, doing, trial, j, start + middle))
            far = sweeps[strike, SWEEP_R] + spots[against, VITAL_REACH] + rules[FASTEST] * (last - middle)
            if (ax - bx) ** 2 + (az - bz) ** 2 <= far * far:
                return True
    return False


@kernel
def strikable(spots, sides, bounds, doing, where, level, one, x, z):
    """Whether an action that begins at (x, z) could reach an opponent in what that one does now."""
    if sides[one, TOUCH] > 0.0:
        return True
    for j in range(doing.shape[1]):
        if sides[j, TEAM] != sides[one, TEAM]:
            action = doing[level, j, ACTION]
            c, s = where[level, j, COS], where[level, j, SIN]
            dx, dz = spots[action, DISC_X], spots[action, DISC_Z]
            ox, oz = c * dx + s * dz + where[level, j, X], c * dz - s * dx + where[level, j, Z]
            far = spots[action, DISC_R] + bounds[STRIKE_REACH]
            if (ox - x) ** 2 + (oz - z) ** 2 <= far * far:
                return True
    return False


@kernel
def hopeless(
    actions, spots, frames, strikes, sides, rules, bounds, doing, where, sums, clock, own, level, nodes, floor
):
    """Whether the last selection of a game cannot exceed the floor, wherever it leads.

    Nobody is in reach, so all that can be gained is that the opponent ends badly, and nobody gets far in one
    action.
    """
    one = nodes[level, WHO]
    if doing.shape[1] > 2 or nodes[level, LEFT] > 1 or bounds[ZERO_SUM] == 0.0:
        return False
    other, now = 1 - one, clock[level]
    if attacked(actions, strikes, sides, doing, level, one, now):
        return False
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    if strikable(spots, sides, bounds, doing, where, level, one, x, z):
        return False
    top = sums[level, 0] if sides[one, TEAM] == own else -sums[level, 0]
    if not doing[level, other, IDLE] and doing[level, other, START] >= clock[0]:
        frame = frame_at(actions, doing, level, other, doing[level, other, STOP])
        ox, oz = pelvis_at(frames, where, level, other, frame)
        apart, looks = math.hypot(x - ox, z - oz), frames[frame, FACING] + where[level, other, YAW]
        if apart <= rules[TRAVEL] or sides[other, PATH_RIVAL] != 0.0:
            return False
        swept = math.asin(rules[TRAVEL] / apart)
        theta = min(angle_between_yaw(looks, x - ox, z - oz) + swept, math.pi)
        near, far = (
            apart - rules[TRAVEL] - sides[other, DISTANCE],
            apart + rules[TRAVEL] - sides[other, DISTANCE],
        )
        off = max(abs(near), abs(far))
        top += sides[other, FACING_WEIGHT] * (theta * theta + _ROUGHNESS)
        top += sides[other, DISTANCE_WEIGHT] * off * off
    return top + SLACK * (1.0 + abs(top)) <= floor


@kernel
def rivals_end(actions, frames, sides, rules, doing, where, clock, level, one, x, z):
    """How the only opponent of `one`, who is at (x, z), comes to its end, which counts if it began in time.

    Returns whether it counts, the tick, where, the way it looks, what counts wherever `one` is then, and the
    most that it all comes to, as `one` sees it.
    """
    other = 1 - one
    tick = doing[level, other, STOP]
    if doing[level, other, IDLE] or doing[level, other, START] < clock[0]:
        return False, tick, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    frame = frame_at(actions, doing, level, other, tick)
    ox, oz = pelvis_at(frames, where, level, other, frame)
    looks = frames[frame, FACING] + where[level, other, YAW]
    fixed = path(sides, other, looks, ox, oz)
    if sides[other, PATH_RIVAL] != 0.0:
        fixed = -fixed
    apart = math.hypot(x - ox, z - oz) - sides[other, DISTANCE]
    off = max(abs(apart - rules[TRAVEL]), abs(apart + rules[TRAVEL]))
    most = fixed + sides[other, FACING_WEIGHT] * math.pi**2 + sides[other, DISTANCE_WEIGHT] * off * off
    return True, tick, ox, oz, math.sin(looks), math.cos(looks), fixed, most


@kernel
def others_end(actions, frames, sides, doing, where, clock, trial, one):
    """What others, of three and more, count when they come to their ends after `one` at level `trial`.

    Nobody is hit any more. A little too high at most, as the team of `one` sees it.
    """
    total = 0.0
    for i in range(doing.shape[1]):
        if i == one or doing[trial, i, IDLE] or doing[trial, i, START] < clock[0]:
            continue
        tick = doing[trial, i, STOP]
        frame = frame_at(actions, doing, trial, i, tick)
        rival, common = movement(actions, frames, sides, doing, where, trial, i, frame, tick)
        total += common + (rival if sides[i, TEAM] == sides[one, TEAM] else -rival)
    return total


@kernel
def list_candidates(
    actions, spots, frames, strikes, sweeps, choice_start, choices,
    threat_start, threats, sides, rules, combination, requests, bounds,
    doing, where, recent, sums, clock, own, level, nodes, orders, keys, tops, history, need, broken, best,
):  # fmt: skip
    """Choices that break no cheap rule, with what they promise (`keys`) and the most they can give (`tops`).

    What cannot exceed `need` is not looked at closely. Where nothing is plausible, `best` is the least
    important of the rules that are broken, and those that break it are listed; else it is PLAUSIBLE.

    Level + 1 is used for trials. Returns how many there are.
    """
    one, left, now, trial = nodes[level, WHO], nodes[level, LEFT], clock[level], level + 1
    fighters = doing.shape[1]
    copy_moment(doing, where, recent, sums, clock, level, trial)
    last = doing[level, one, ACTION]
    posture = actions[last, END_POSTURE]
    under_attack = attacked(actions, strikes, sides, doing, level, one, now)
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    opponent, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, now)
    apart = math.sqrt(far_x * far_x + far_z * far_z)
    met, met_tick, met_x, met_z, met_look_x, met_look_z, met_fixed, met_most = (
        False, 0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf
    )  # fmt: skip
    if fighters == 2 and left == 1:
        met, met_tick, met_x, met_z, met_look_x, met_look_z, met_fixed, met_most = rivals_end(
            actions, frames, sides, rules, doing, where, clock, level, one, x, z
        )
    base = sums[level, 1] + (sums[level, 0] if sides[one, TEAM] == own else -sums[level, 0])
    first, stop_order = choice_start[posture], choice_start[posture + 1]
    # where the posture is that it stands in
    c, s = where[level, one, COS], where[level, one, SIN]
    x, z = spots[last, OUT_X], spots[last, OUT_Z]
    px, pz = c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z]
    pc = c * spots[last, OUT_COS] - s * spots[last, OUT_SIN]
    ps = s * spots[last, OUT_COS] + c * spots[last, OUT_SIN]
    yaw = where[level, one, YAW] + spots[last, OUT_YAW]

    # what others of the own team may still gain, whether they strike, and who would select next
    allies, aided, next_stop, next_one = 0.0, False, -1, -1
    for i in range(fighters):
        if i == one:
            continue
        if sides[i, TEAM] == sides[one, TEAM]:
            near = may_touch(actions, frames, sides, rules, doing, where, level, i, now, _LONG)
            striking = under_way(actions, strikes, doing, level, i, now)
            aided = aided or striking
            if near or striking:
                allies += worst_blow(actions, spots, sides, i, doing[level, i, ACTION], near)
        stop = now if doing[level, i, IDLE] else doing[level, i, STOP]
        if next_one < 0 or stop < next_stop:
            next_stop, next_one = stop, i
    touching = may_touch(actions, frames, sides, rules, doing, where, level, one, now, _LONG)
    loose = most_penalty(actions, frames, sides, rules, bounds, doing, where, level, one, left, left - 1)
    narrow = math.cos(rules[FACING_LIMIT])
    seen = nodes[level, SEEN] != 0
    # where the only opponent is, at hand for every choice
    rival_start, rival = doing[level, opponent, START], doing[level, opponent, ACTION]
    rival_first, rival_ticks = actions[rival, FIRST], actions[rival, TICKS]
    rival_c, rival_s = where[level, opponent, COS], where[level, opponent, SIN]
    rival_x, rival_z = where[level, opponent, X], where[level, opponent, Z]

    count = 0
    for order in range(stop_order - first):
        if order == nodes[level, KILLER]:
            continue
        action = choices[first + order]
        ticks, kind = actions[action, TICKS], actions[action, KIND]
        strike = actions[action, STRIKES]
        armed = strike < actions[action, STRIKES_END]
        x, z = spots[action, END_X], spots[action, END_Z]
        ex, ez = pc * x + ps * z + px, pc * z - ps * x + pz
        if fighters == 2:
            frame = rival_first + min(now + ticks - rival_start, rival_ticks)
            x, z = frames[frame, PELVIS_X], frames[frame, PELVIS_Z]
            far_x, far_z = rival_c * x + rival_s * z + rival_x - ex, rival_c * z - rival_s * x + rival_z - ez
        else:
            _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, ex, ez, now + ticks)
        look_z = pc * spots[action, END_COS] - ps * spots[action, END_SIN]
        look_x = ps * spots[action, END_COS] + pc * spots[action, END_SIN]
        if best != PLAUSIBLE:
            if broken[order] != best:
                continue
        else:
            # the cheap rules once more, in the terms at hand
            if look_x * far_x + look_z * far_z < narrow * math.sqrt(far_x * far_x + far_z * far_z):
                continue
            room = min(spots[action, END_ROOM], apart + LEAVING)
            if far_x * far_x + far_z * far_z < room * room:
                continue
            if kind == DEFENCE and (apart > rules[DEFENCE_RANGE] or not under_attack):
                continue
        if best == PLAUSIBLE and kind == ATTACK and armed:
            x, z = spots[action, STRIKE_X], spots[action, STRIKE_Z]
            sx, sz = pc * x + ps * z + px, pc * z - ps * x + pz
            strikes_at = now + strikes[strike, WINDOW]
            _, sx, sz = nearest(actions, frames, sides, doing, where, level, one, sx, sz, strikes_at)
            squared = sx * sx + sz * sz
            if squared > sweeps[strike, RANGE] ** 2 or squared < sweeps[strike, ROOM] ** 2:
                continue
        competitive, shared = selection(
            actions, strikes, sides, rules, combination, requests, recent, doing, level, one, action,
            opponent, now
        )  # fmt: skip
        value = base + competitive + shared
        reaching, placed = False, False
        if armed:
            begin(actions, spots, doing, where, level, trial, one, action, now)
            placed = True
            reaching = in_reach(
                actions, spots, frames, strikes, sweeps, sides, rules, doing, where, trial, one
            )
        # an opponent that plays on while it strikes cannot get into its way
        gain, settled = allies, next_stop >= now + ticks
        if left > 1 and not settled:
            gain += worst_blow(actions, spots, sides, one, action, touching)
        elif touching or reaching or allies > 0.0:
            gain += worst_blow_now(actions, spots, sweeps, sides, doing, level, one, action, touching)
        # a blow that is worth nothing to anybody is answered all the same
        quiet = gain == 0.0 and not (under_attack or reaching or aided)
        closely = left > 1 or not quiet or value + met_most > need
        ends = 0.0
        if closely:
            ends = nearly_stance(sides, one, look_x, look_z, far_x, far_z, _ROUGHNESS)
            ends += path(sides, one, yaw + spots[action, END_LOOK], ex, ez)
        if not closely:
            top = value + met_most
            keys[level, count] = top
        elif left == 1 and quiet:
            # nobody can be hit any more: all that is left is how everybody ends
            if not placed and (fighters > 2 or (met and met_tick < now + ticks)):
                begin(actions, spots, doing, where, level, trial, one, action, now)
            top = value + ends
            if fighters > 2:
                top += others_end(actions, frames, sides, doing, where, clock, trial, one)
            elif met:
                if met_tick < now + ticks:
                    ex, ez = pelvis_at(frames, where, trial, one, actions[action, FIRST] + met_tick - now)
                # what the opponent loses is gained, so here the angle is taken a little too large
                top += met_fixed - nearly_stance(
                    sides, 1 - one, met_look_x, met_look_z, ex - met_x, ez - met_z, -_ROUGHNESS
                )
            keys[level, count] = top
        else:
            top = value + gain + loose
            if left > 1:
                mine = sides[next_one, TEAM] == sides[one, TEAM] or now + ticks < next_stop
                mine = mine or (now + ticks == next_stop and one < next_one)
                blow = bounds[BEST_BLOW + int(sides[one, TEAM])]
                if fighters > 2 or under_attack or reaching or touching:
                    top += (left - 1) * blow
                else:
                    # nobody is struck before somebody selects again, and it is known who
                    top += (left - 2) * blow
                    if mine and left > 2 and next_stop < now + ticks + bounds[LAST_STRIKE]:
                        top += blow
                    elif mine:
                        x, z = spots[action, NEXT_X], spots[action, NEXT_Z]
                        top += next_blow(
                            actions, spots, frames, sweeps, sides, rules, bounds, threat_start, threats,
                            doing, where, level, one, actions[action, END_POSTURE], now + ticks,
                            pc * x + ps * z + px, pc * z - ps * x + pz,
                            pc * spots[action, NEXT_COS] - ps * spots[action, NEXT_SIN],
                            ps * spots[action, NEXT_COS] + pc * spots[action, NEXT_SIN],
                            need - top,
                        )  # fmt: skip
                top += (left - 1) * bounds[SHARED_GAIN]
            keys[level, count] = value + ends + (_HOPE * gain if reaching else 0.0)
        tops[level, count] = top + SLACK * (1.0 + abs(top) + loose)
        if seen and tops[level, count] <= need:
            continue  # it cannot matter, and something else is plausible
        # what has refuted others like this one comes first
        keys[level, count] += _REFUTES * history[left, action]
        orders[level, count] = order
        count += 1
    return count
