"""The game tree of a duel (docs/duel.md), searched with cuts that do not change the answer.

A level of the stack is a node: a moment of the game in which one fighter selects. What a team wants to be
large is `u`: S_comp + S_coop for who searches, S_coop - S_comp for the other. Every node has a `floor`, the u
that its own team must exceed for the node to matter, and a `limit`, the u from which on the other team
avoids the node.

- Zero-sum: u of the one is -u of the other, so both bounds go down the whole tree: α-β.
- General-sum: u + u' = 2 S_coop ≤ 2 × the most that can be shared. So if the other team can get u', the
  first can get no more than 2 × most - u'. That bound holds between a node and the next nodes of the other
  team. Turns need not alternate: a run of nodes of one team has one floor and one limit, and a cut discards
  the whole run.

Before a choice is played it has a bound of its own: what it can gain at most. What cannot exceed the floor
is not played. Whether bodies pass through each other is looked at only for choices that are played.
"""

import math

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.duel_rules import (
    ENDS_INSIDE,
    LOOKS_AWAY,
    NEEDLESS,
    OUT_OF_RANGE,
    PENETRATES,
    PLAUSIBLE,
    attacked,
    distance_now,
    ends_inside,
    looks_away,
    needless,
    out_of_range,
    passes_through,
)
from randori.kernels.duel_tables import (
    ACTION,
    ATTACK,
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
    END_SIN,
    END_X,
    END_Z,
    FACING,
    FACING_LIMIT,
    FACING_WEIGHT,
    FASTEST,
    FIRST,
    GOAL_X,
    GOAL_Z,
    HEADING_WEIGHT,
    IDLE,
    IN_COS,
    IN_SIN,
    IN_X,
    IN_YAW,
    IN_Z,
    KIND,
    MODEL,
    OUT_COS,
    OUT_SIN,
    OUT_X,
    OUT_YAW,
    OUT_Z,
    PATH_RIVAL,
    PATH_WEIGHT,
    RANGE,
    REACTION,
    SIN,
    SPENT,
    START,
    STOP,
    STRIKE_X,
    STRIKE_Z,
    STRIKES,
    STRIKES_END,
    TAKEN,
    TEAM,
    TICKS,
    TOUCH,
    TRAVEL,
    WINDOW,
    YAW,
    X,
    Z,
    frame_at,
    nearest,
    pelvis_at,
    under_way,
)
from randori.kernels.duel_terms import (
    control,
    given,
    movement,
    pairing,
    path,
    request,
    selection,
    stance,
)
from randori.kernels.duel_world import advance, out_of_reach

ALL_SPENT = (1 << 62) - 1
_ROUGHNESS = 1e-4  # radians², that an angle of `angle_between` may be off when squared
_REFUTES = 1e6  # per time that an action was a node's best
_FORESEEN = 3  # plies from which on choices are ordered by what they come to if nobody answers
_HOPE = 0.3  # of the most damage: what a strike in reach promises
_LONG = 1 << 20  # ticks that no plan lasts
SLACK = 1e-9  # of a bound: sums in another order differ in the last digits

# nodes (L, 13) int64; a PROBE only asks whether a choice is better at all, and AGAIN is the order that is
WHO, LEFT, SORT, STAGE, COUNT, ORDER, BEST, BEST_ORDER, SEEN, KILLER, LENGTH, PROBE, AGAIN = range(13)
_PLAIN, _BELIEF, _REAL, _EXPECTED = range(4)  # SORT
_FRESH, _LISTED, _GIVEN = range(3)  # STAGE
# scores (L, 7)
BEST_COMP, BEST_COOP, BEST_U, FLOOR, LIMIT, WEIGHT, PROBED = range(7)
# what becomes of a node
_OPEN, _EXACT, _FAILED, _CUT = range(4)
# bounds (6,), that hold for the whole search: whether it is zero-sum, the most that a selection adds to
# S_coop,
# strikes of an action, metres from where an action begins to what it strikes, and damage's worth for each
# team
ZERO_SUM, SHARED_GAIN, MOST_STRIKES, STRIKE_REACH, BEST_BLOW = range(5)


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
    actions, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now, under_attack, apart
):
    """The first broken rule among those that cost little: all but penetration."""
    if looks_away(actions, frames, sides, rules, doing, where, trial, one):
        return LOOKS_AWAY
    if out_of_range(actions, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now, apart):
        return OUT_OF_RANGE
    if needless(actions, doing, trial, one, under_attack):
        return NEEDLESS
    return PLAUSIBLE


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
    under_attack = attacked(actions, strikes, sides, doing, level, one, now)
    apart = distance_now(actions, frames, sides, doing, where, level, one, now)
    best = 0
    for i in range(doing.shape[1]):
        for k in range(5):
            doing[trial, i, k], where[trial, i, k] = doing[level, i, k], where[level, i, k]
    for order in range(choice_start[posture + 1] - choice_start[posture]):
        action = choices[choice_start[posture] + order]
        begin(actions, spots, doing, where, level, trial, one, action, now)
        rule = solid(actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now)
        if rule == PLAUSIBLE:
            rule = cheap_rule(
                actions, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now,
                under_attack, apart,
            )  # fmt: skip
        broken[order] = rule
        best = max(best, rule)
    return best


@kernel
def most_penalty(actions, frames, sides, rules, bounds, doing, where, level, one, left):
    """What the other team can lose at most by movement from here to a leaf: it is ours in the difference."""
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, doing[level, one, STOP]))
    ends = doing.shape[1] + 2.0 * left + 2.0 * (left + doing.shape[1]) * bounds[MOST_STRIKES]
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
    return total


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
def nearly_stance(sides, one, look_x, look_z, far_x, far_z):
    """`stance` from the direction of the look, a little too high at most."""
    theta = angle_between(look_x * far_z - look_z * far_x, look_x * far_x + look_z * far_z)
    off = math.sqrt(far_x * far_x + far_z * far_z) - sides[one, DISTANCE]
    turned = max(theta * theta - _ROUGHNESS, 0.0)
    return -(sides[one, FACING_WEIGHT] * turned + sides[one, DISTANCE_WEIGHT] * off * off)


@kernel
def in_reach(actions, spots, sweeps, sides, doing, where, trial, one):
    """Whether a strike of a fighter's action could meet an opponent in what that one does now."""
    action = doing[trial, one, ACTION]
    for strike in range(actions[action, STRIKES], actions[action, STRIKES_END]):
        for j in range(doing.shape[1]):
            if sides[j, TEAM] != sides[one, TEAM] and not out_of_reach(
                spots, sweeps, doing, where, trial, one, strike, j
            ):
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
    if not doing[level, other, IDLE]:
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
def others_end(actions, frames, sides, doing, where, trial, one, now, x, z):
    """What others count when they come to their ends, while `one` at level `trial` ends at (x, z).

    Nobody is hit any more. A little too high at most, as the team of `one` sees it.
    """
    total = 0.0
    for i in range(doing.shape[1]):
        if i == one or doing[trial, i, IDLE]:
            continue
        tick = doing[trial, i, STOP]
        frame = frame_at(actions, doing, trial, i, tick)
        if doing.shape[1] > 2:
            rival, common = movement(actions, frames, sides, doing, where, trial, i, frame, tick)
        else:
            px, pz = x, z
            if tick < doing[trial, one, STOP]:
                px, pz = pelvis_at(frames, where, trial, one, frame_at(actions, doing, trial, one, tick))
            ox, oz = pelvis_at(frames, where, trial, i, frame)
            looks = frames[frame, FACING] + where[trial, i, YAW]
            theta = angle_between_yaw(looks, px - ox, pz - oz)
            off = math.sqrt((px - ox) ** 2 + (pz - oz) ** 2) - sides[i, DISTANCE]
            # what the opponent loses is gained, so here the angle is taken a little too large
            turned = theta * theta + _ROUGHNESS
            rival = -(sides[i, FACING_WEIGHT] * turned + sides[i, DISTANCE_WEIGHT] * off * off)
            common = path(sides, i, looks, ox, oz)
            if sides[i, PATH_RIVAL] != 0.0:
                rival, common = rival + common, 0.0
        total += common + (rival if sides[i, TEAM] == sides[one, TEAM] else -rival)
    return total


@pasted
def angle_between_yaw(looks, far_x, far_z):
    """Radians between a look along a yaw and a direction, to 1e-5."""
    look_x, look_z = math.sin(looks), math.cos(looks)
    return angle_between(look_x * far_z - look_z * far_x, look_x * far_x + look_z * far_z)


@kernel
def list_candidates(
    actions, spots, frames, strikes, sweeps, choice_start, choices,
    sides, rules, combination, requests, bounds,
    doing, where, recent, sums, clock, own, level, nodes, orders, keys, tops, history,
):  # fmt: skip
    """Choices that break no cheap rule, with what they promise (`keys`) and the most they can give (`tops`).

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
    base = sums[level, 1] + (sums[level, 0] if sides[one, TEAM] == own else -sums[level, 0])
    first, stop_order = choice_start[posture], choice_start[posture + 1]
    # where the posture is that it stands in
    c, s = where[level, one, COS], where[level, one, SIN]
    x, z = spots[last, OUT_X], spots[last, OUT_Z]
    px, pz = c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z]
    pc = c * spots[last, OUT_COS] - s * spots[last, OUT_SIN]
    ps = s * spots[last, OUT_COS] + c * spots[last, OUT_SIN]
    yaw = where[level, one, YAW] + spots[last, OUT_YAW]

    # what others of the own team may still gain, and who would select next
    allies, next_stop, next_one = 0.0, -1, -1
    for i in range(fighters):
        if i == one:
            continue
        if sides[i, TEAM] == sides[one, TEAM]:
            near = may_touch(actions, frames, sides, rules, doing, where, level, i, now, _LONG)
            if near or under_way(actions, strikes, doing, level, i, now):
                allies += worst_blow(actions, spots, sides, i, doing[level, i, ACTION], near)
        stop = now if doing[level, i, IDLE] else doing[level, i, STOP]
        if next_one < 0 or stop < next_stop:
            next_stop, next_one = stop, i
    touching = may_touch(actions, frames, sides, rules, doing, where, level, one, now, _LONG)
    loose = most_penalty(actions, frames, sides, rules, bounds, doing, where, level, one, left)
    narrow = math.cos(rules[FACING_LIMIT])

    count = 0
    for order in range(stop_order - first):
        if order == nodes[level, KILLER]:
            continue
        action = choices[first + order]
        ticks, kind = actions[action, TICKS], actions[action, KIND]
        x, z = spots[action, END_X], spots[action, END_Z]
        ex, ez = pc * x + ps * z + px, pc * z - ps * x + pz
        _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, ex, ez, now + ticks)
        look_z = pc * spots[action, END_COS] - ps * spots[action, END_SIN]
        look_x = ps * spots[action, END_COS] + pc * spots[action, END_SIN]
        # the cheap rules once more, in the terms at hand
        if look_x * far_x + look_z * far_z < narrow * math.sqrt(far_x * far_x + far_z * far_z):
            continue
        strike = actions[action, STRIKES]
        armed = strike < actions[action, STRIKES_END]
        if kind == DEFENCE and (apart > rules[DEFENCE_RANGE] or not under_attack):
            continue
        if kind == ATTACK and armed:
            x, z = spots[action, STRIKE_X], spots[action, STRIKE_Z]
            sx, sz = pc * x + ps * z + px, pc * z - ps * x + pz
            strikes_at = now + strikes[strike, WINDOW]
            _, sx, sz = nearest(actions, frames, sides, doing, where, level, one, sx, sz, strikes_at)
            if sx * sx + sz * sz > sweeps[strike, RANGE] ** 2:
                continue
        competitive, shared = selection(
            actions, strikes, sides, rules, combination, requests, recent, doing, level, one, action,
            opponent, now
        )  # fmt: skip
        ends = nearly_stance(sides, one, look_x, look_z, far_x, far_z)
        ends += path(sides, one, yaw + spots[action, END_LOOK], ex, ez)
        value = base + competitive + shared
        reaching, placed = False, False
        if armed:
            begin(actions, spots, doing, where, level, trial, one, action, now)
            reaching, placed = in_reach(actions, spots, sweeps, sides, doing, where, trial, one), True
        # an opponent that plays on while it strikes cannot get into its way
        gain, settled = allies, next_stop >= now + ticks
        if touching or reaching or allies > 0.0 or (left > 1 and not settled):
            gain += worst_blow(actions, spots, sides, one, action, touching)
        quiet = gain == 0.0 and not under_attack
        if left == 1 and quiet:
            # nobody can be hit any more: all that is left is how everybody ends
            if not placed:
                begin(actions, spots, doing, where, level, trial, one, action, now)
            top = value + ends + others_end(actions, frames, sides, doing, where, trial, one, now, ex, ez)
            keys[level, count] = top
        else:
            top = value + gain + loose
            if left > 1:
                mine = sides[next_one, TEAM] == sides[one, TEAM] or now + ticks < next_stop
                mine = mine or (now + ticks == next_stop and one < next_one)
                if left > 2 or not quiet:
                    top += (left - 1) * bounds[BEST_BLOW + int(sides[one, TEAM])]
                elif mine and strikable(spots, sides, bounds, doing, where, level, one, ex, ez):
                    top += bounds[BEST_BLOW + int(sides[one, TEAM])]
                top += (left - 1) * bounds[SHARED_GAIN]
            keys[level, count] = value + ends + (_HOPE * gain if reaching else 0.0)
        # what has refuted others like this one comes first
        keys[level, count] += _REFUTES * history[left, action]
        tops[level, count] = top + SLACK * (1.0 + abs(top) + loose)
        orders[level, count] = order
        count += 1
    return count


@kernel
def play(
    actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules, combination, requests,
    doing, where, recent, sums, clock, level, child, one, action, own, playing_out, found, blows, events,
    marks,
):  # fmt: skip
    """Let a fighter select an action, and time go on from there, at level `child`."""
    now = clock[level]
    copy_moment(doing, where, recent, sums, clock, level, child)
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    opponent, _, _ = nearest(actions, frames, sides, doing, where, level, one, x, z, now)
    competitive, shared = selection(
        actions,
        strikes,
        sides,
        rules,
        combination,
        requests,
        recent,
        doing,
        level,
        one,
        action,
        opponent,
        now,
    )
    sums[child, 0] += competitive if sides[one, TEAM] == own else -competitive
    sums[child, 1] += shared
    begin(actions, spots, doing, where, level, child, one, action, now)
    for k in range(recent.shape[2] - 1, 0, -1):
        recent[child, one, k] = recent[child, one, k - 1]
    if recent.shape[2]:
        recent[child, one, 0] = action
    advance(
        actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules, own,
        doing, where, sums, clock, child, playing_out, found, blows, events, marks, 0,
    )  # fmt: skip


@kernel
def promises(
    actions, spots, frames, body, radii, strikes, sweeps, response, choice_start, choices,
    sides, rules, combination, requests,
    doing, where, recent, sums, clock, found, blows, events, marks, one, given_orders, worth,
):  # fmt: skip
    """What each of the given choices comes to if nobody selects after it, into `worth`."""
    posture = actions[doing[0, one, ACTION], END_POSTURE]
    for k in range(len(given_orders)):
        play(
            actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules, combination,
            requests,
            doing, where, recent, sums, clock, 0, 1, one, choices[choice_start[posture] + given_orders[k]],
            sides[one, TEAM], True, found, blows, events, marks,
        )  # fmt: skip
        worth[k] = sums[1, 0] + sums[1, 1]


@kernel
def open_node(
    actions,
    strikes,
    choice_start,
    sides,
    rules,
    doing,
    where,
    recent,
    sums,
    clock,
    own,
    level,
    left,
    nodes,
    scores,
):
    """Prepare the node at a level, whose moment and floor and limit are set. Returns the level to go on with:

    a fighter that has not seen an attack first looks for its choice in the game that it believes in."""
    one = first_idle(doing, level)
    nodes[level, WHO], nodes[level, LEFT] = one, left
    nodes[level, SORT], nodes[level, STAGE], nodes[level, COUNT] = _PLAIN, _FRESH, 0
    nodes[level, BEST], nodes[level, BEST_ORDER], nodes[level, SEEN] = -1, -1, 0
    nodes[level, KILLER], nodes[level, LENGTH], nodes[level, PROBE], nodes[level, AGAIN] = -1, 0, 0, -1
    scores[level, BEST_U], scores[level, WEIGHT] = -np.inf, 0.0
    if rules[MODEL] != 0.0 and sides[one, TEAM] != own:
        nodes[level, SORT] = _EXPECTED
        return level
    if disbelieve(actions, strikes, sides, doing, clock, level, level, one, False) == 0:
        return level
    nodes[level, SORT] = _REAL
    deeper = level + 1
    copy_moment(doing, where, recent, sums, clock, level, deeper)
    disbelieve(actions, strikes, sides, doing, clock, level, deeper, one, True)
    for k in range(nodes.shape[1]):
        nodes[deeper, k] = nodes[level, k]
    nodes[deeper, SORT] = _BELIEF
    scores[deeper, BEST_U], scores[deeper, WEIGHT] = -np.inf, 0.0
    scores[deeper, FLOOR], scores[deeper, LIMIT] = -np.inf, np.inf
    return deeper


@kernel
def search(
    actions, spots, frames, body, radii, strikes, sweeps, response, choice_start, choices,
    sides, rules, combination, requests, guess, bounds,
    doing, where, recent, sums, clock, nodes, scores, orders, keys, tops, lines, killers, history, broken,
    found, blows, events, marks, who, depth, given_orders, best_known,
):  # fmt: skip
    """Search the tree below level 0, where `who` chooses among the given orders.

    `best_known` (1,) is a u that is known to be reached by another choice; better ones are written there.
    The result is in level 0 of nodes and scores; BEST is -1 if no choice is better. Returns choices tried.
    """
    own = sides[who, TEAM]
    tried, level = 0, 0
    nodes[0, WHO], nodes[0, LEFT], nodes[0, SORT], nodes[0, STAGE] = who, depth, _PLAIN, _GIVEN
    nodes[0, BEST], nodes[0, BEST_ORDER], nodes[0, SEEN], nodes[0, KILLER], nodes[0, LENGTH] = (
        -1,
        -1,
        0,
        -1,
        0,
    )
    nodes[0, PROBE], nodes[0, AGAIN] = 0, -1
    nodes[0, COUNT] = len(given_orders)
    for k in range(len(given_orders)):
        orders[0, k], keys[0, k], tops[0, k] = given_orders[k], -float(k), np.inf
    scores[0, BEST_U], scores[0, LIMIT] = -np.inf, np.inf
    outcome = _OPEN
    while True:
        one, left, now = nodes[level, WHO], nodes[level, LEFT], clock[level]
        if outcome == _OPEN:
            # Step 1. The next choice of this node, or its end.
            sort = nodes[level, SORT]
            posture = actions[doing[level, one, ACTION], END_POSTURE]
            first = choice_start[posture]
            order = -1
            if level == 0:
                scores[0, FLOOR] = np.nextafter(best_known[0], -np.inf)
            again = nodes[level, AGAIN] >= 0
            if again:
                order, nodes[level, AGAIN] = nodes[level, AGAIN], -1
            elif sort == _REAL:
                if nodes[level, SEEN] == 0:
                    order = nodes[level, ORDER]
                else:
                    outcome = _EXACT if nodes[level, BEST] >= 0 else _FAILED
            elif nodes[level, STAGE] == _FRESH and sort == _EXPECTED:
                # what it is expected to do is plausible in the game that it believes in
                copy_moment(doing, where, recent, sums, clock, level, level + 1)
                disbelieve(actions, strikes, sides, doing, clock, level, level + 1, one, True)
                best = broken_rules(
                    actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices, sides, rules,
                    doing, where, level + 1, level + 2, one, now, broken,
                )  # fmt: skip
                count = 0
                for k in range(choice_start[posture + 1] - first):
                    if broken[k] == best:
                        orders[level, count], keys[level, count], tops[level, count] = k, 0.0, np.inf
                        scores[level, WEIGHT] += guess[one, choices[first + k]]
                        count += 1
                nodes[level, COUNT], nodes[level, STAGE] = count, _GIVEN
                scores[level, BEST_COMP], scores[level, BEST_COOP] = 0.0, 0.0
                nodes[level, BEST_ORDER] = count
                continue
            elif nodes[level, STAGE] == _FRESH:
                nodes[level, STAGE] = _LISTED
                nodes[level, COUNT] = -1
                killer = killers[left, posture]
                if killer >= 0:
                    trial = level + 1
                    copy_moment(doing, where, recent, sums, clock, level, trial)
                    begin(actions, spots, doing, where, level, trial, one, choices[first + killer], now)
                    under_attack = attacked(actions, strikes, sides, doing, level, one, now)
                    apart = distance_now(actions, frames, sides, doing, where, level, one, now)
                    rule = cheap_rule(
                        actions, frames, strikes, sweeps, sides, rules, doing, where, trial, one, now,
                        under_attack, apart,
                    )  # fmt: skip
                    if rule == PLAUSIBLE:
                        rule = solid(
                            actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now
                        )
                    if rule == PLAUSIBLE:
                        order, nodes[level, KILLER] = killer, killer
            if order < 0 and outcome == _OPEN and sort != _REAL:
                if nodes[level, STAGE] == _LISTED and nodes[level, COUNT] < 0:
                    if hopeless(
                        actions, spots, frames, strikes, sides, rules, bounds, doing, where, sums, clock, own,
                        level, nodes, max(scores[level, FLOOR], scores[level, BEST_U]),
                    ):  # fmt: skip
                        outcome = _EXACT if nodes[level, BEST] >= 0 else _FAILED
                        continue
                    nodes[level, COUNT] = list_candidates(
                        actions, spots, frames, strikes, sweeps, choice_start, choices, sides, rules,
                        combination,
                        requests, bounds, doing, where, recent, sums, clock, own, level, nodes, orders,
                        keys, tops,
                        history,
                    )  # fmt: skip
                    if left >= _FORESEEN:
                        for k in range(nodes[level, COUNT]):
                            play(
                                actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules,
                                combination, requests, doing, where, recent, sums, clock, level, level + 1,
                                one,
                                choices[first + orders[level, k]], own, True, found, blows, events, marks,
                            )  # fmt: skip
                            seen = sums[level + 1, 0] if sides[one, TEAM] == own else -sums[level + 1, 0]
                            keys[level, k] = seen + sums[level + 1, 1]
                need = max(scores[level, FLOOR], scores[level, BEST_U])
                count = nodes[level, COUNT]
                while count > 0 and order < 0:
                    pick, kept = 0, 0
                    for k in range(count):
                        if nodes[level, SEEN] and tops[level, k] <= need:
                            continue  # it cannot matter, and something else is plausible
                        orders[level, kept], keys[level, kept] = orders[level, k], keys[level, k]
                        tops[level, kept] = tops[level, k]
                        if keys[level, kept] > keys[level, pick]:
                            pick = kept
                        kept += 1
                    count = kept
                    if count == 0:
                        break
                    candidate, top = orders[level, pick], tops[level, pick]
                    count -= 1
                    orders[level, pick], keys[level, pick] = orders[level, count], keys[level, count]
                    tops[level, pick] = tops[level, count]
                    if nodes[level, STAGE] == _LISTED:
                        trial = level + 1
                        copy_moment(doing, where, recent, sums, clock, level, trial)
                        begin(
                            actions, spots, doing, where, level, trial, one, choices[first + candidate], now
                        )
                        rule = solid(
                            actions, spots, frames, body, radii, sides, rules, doing, where, trial, one, now
                        )
                        if rule != PLAUSIBLE:
                            continue
                        nodes[level, SEEN] = 1
                        if top <= need:
                            continue
                    order = candidate
                nodes[level, COUNT] = count
                if order < 0:
                    if nodes[level, SEEN] or nodes[level, STAGE] == _GIVEN:
                        if sort == _EXPECTED:
                            outcome = _EXACT
                        else:
                            outcome = _EXACT if nodes[level, BEST] >= 0 else _FAILED
                    else:
                        # nothing is plausible: what breaks the least important rule
                        best = broken_rules(
                            actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices,
                            sides, rules,
                            doing, where, level, level + 1, one, now, broken,
                        )  # fmt: skip
                        count = 0
                        for k in range(choice_start[posture + 1] - first):
                            if broken[k] == best:
                                orders[level, count], keys[level, count], tops[level, count] = k, 0.0, np.inf
                                count += 1
                        nodes[level, COUNT], nodes[level, STAGE] = count, _GIVEN
                        continue

            # Step 2. Play it.
            if outcome == _OPEN:
                tried += 1
                nodes[level, SEEN], nodes[level, ORDER] = 1, order
                child, action = level + 1, choices[first + order]
                play(
                    actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules, combination,
                    requests, doing, where, recent, sums, clock, level, child, one, action, own, left == 1,
                    found, blows, events, marks,
                )  # fmt: skip
                if left > 1:
                    floor = max(scores[level, FLOOR], scores[level, BEST_U])
                    if scores[level, BEST_U] == floor and order < nodes[level, BEST_ORDER]:
                        floor = np.nextafter(floor, -np.inf)
                    limit = scores[level, LIMIT]
                    settled = nodes[level, BEST] >= 0 or (level == 0 and floor > -np.inf)
                    probe = settled and not again and bounds[ZERO_SUM] != 0.0 and sort != _EXPECTED
                    if probe:
                        limit = np.nextafter(floor, np.inf)
                    nodes[level, PROBE], scores[level, PROBED] = probe, floor
                    if sort == _EXPECTED:
                        scores[child, FLOOR], scores[child, LIMIT] = -np.inf, np.inf
                    elif sides[first_idle(doing, child), TEAM] == sides[one, TEAM]:
                        scores[child, FLOOR], scores[child, LIMIT] = floor, limit
                    elif bounds[ZERO_SUM] != 0.0:
                        scores[child, FLOOR], scores[child, LIMIT] = -limit, -floor
                    else:
                        most = sums[child, 1] + (left - 1) * bounds[SHARED_GAIN]
                        most += SLACK * (1.0 + abs(most) + abs(sums[child, 0]))
                        scores[child, FLOOR], scores[child, LIMIT] = -np.inf, 2.0 * most - floor
                    level = open_node(
                        actions, strikes, choice_start, sides, rules, doing, where, recent, sums, clock, own,
                        child, left - 1, nodes, scores,
                    )  # fmt: skip
                    continue
                nodes[level, PROBE] = 0
                scores[child, BEST_COMP], scores[child, BEST_COOP] = sums[child, 0], sums[child, 1]
                nodes[child, LENGTH], nodes[child, SORT] = 0, _PLAIN
                outcome, level = _EXACT, child
        # Step 3. The node at this level is done: tell the one above.
        if level == 0:
            return tried
        below = level
        level -= 1
        if (
            nodes[below, SORT] == _BELIEF
            and nodes[below, LEFT] == nodes[level, LEFT]
            and nodes[level, SORT] == _REAL
            and nodes[level, SEEN] == 0
        ):
            nodes[level, ORDER] = nodes[below, BEST_ORDER]
            outcome = _OPEN
            continue
        one = nodes[level, WHO]
        posture = actions[doing[level, one, ACTION], END_POSTURE]
        order = nodes[level, ORDER]
        same = nodes[level, LEFT] > 1 and sides[nodes[below, WHO], TEAM] == sides[one, TEAM]
        if nodes[level, SORT] == _EXPECTED:
            weight = 1.0 / nodes[level, BEST_ORDER]
            if scores[level, WEIGHT] > 0.0:
                weight = guess[one, choices[choice_start[posture] + order]] / scores[level, WEIGHT]
            scores[level, BEST_COMP] += weight * scores[below, BEST_COMP]
            scores[level, BEST_COOP] += weight * scores[below, BEST_COOP]
            outcome = _OPEN
            continue
        competitive, shared = scores[below, BEST_COMP], scores[below, BEST_COOP]
        u = shared + (competitive if sides[one, TEAM] == own else -competitive)
        if nodes[level, PROBE]:
            # it is better than what is known: look again, for how much
            better = u > scores[level, PROBED] if outcome == _EXACT else (outcome == _CUT) == same
            if better:
                nodes[level, AGAIN], outcome = order, _OPEN
                continue
        if outcome == _EXACT:
            outcome = _OPEN
            best = scores[level, BEST_U]
            if nodes[level, BEST] < 0 or u > best or (u == best and order < nodes[level, BEST_ORDER]):
                scores[level, BEST_U], scores[level, BEST_COMP], scores[level, BEST_COOP] = (
                    u,
                    competitive,
                    shared,
                )
                nodes[level, BEST], nodes[level, BEST_ORDER] = choices[choice_start[posture] + order], order
                lines[level, 0, 0], lines[level, 0, 1], lines[level, 0, 2] = (
                    one,
                    nodes[level, BEST],
                    clock[level],
                )
                for k in range(nodes[below, LENGTH]):
                    for j in range(3):
                        lines[level, k + 1, j] = lines[below, k, j]
                nodes[level, LENGTH] = nodes[below, LENGTH] + 1
                killers[nodes[level, LEFT], posture] = order
                history[nodes[level, LEFT], nodes[level, BEST]] += 1.0
                if level == 0 and u > best_known[0]:
                    best_known[0] = u
                if u >= scores[level, LIMIT]:
                    outcome = _CUT
        elif (outcome == _CUT) == same:
            outcome = _CUT
        else:
            outcome = _OPEN


@kernel
def describe(
    actions, spots, frames, strikes, choice_start, choices, sides, rules, combination, requests,
    doing, where, recent, level, trial, one, now, terms,
):  # fmt: skip
    """What every choice counts by itself, if nothing comes between, by duel.search.TERMS."""
    posture = actions[doing[level, one, ACTION], END_POSTURE]
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    opponent, _, _ = nearest(actions, frames, sides, doing, where, level, one, x, z, now)
    for i in range(doing.shape[1]):
        for k in range(5):
            doing[trial, i, k], where[trial, i, k] = doing[level, i, k], where[level, i, k]
    for order in range(choice_start[posture + 1] - choice_start[posture]):
        action = choices[choice_start[posture] + order]
        begin(actions, spots, doing, where, level, trial, one, action, now)
        tick = doing[trial, one, STOP]
        frame = actions[action, FIRST] + actions[action, TICKS]
        looks = frames[frame, FACING] + where[trial, one, YAW]
        x, z = pelvis_at(frames, where, trial, one, frame)
        _, far_x, far_z = nearest(actions, frames, sides, doing, where, trial, one, x, z, tick)
        terms[order, 0] = stance(sides, one, looks, far_x, far_z)
        terms[order, 1] = path(sides, one, looks, x, z)
        terms[order, 2] = control(actions, sides, rules, recent, level, one, action)
        terms[order, 3] = pairing(
            actions, strikes, sides, combination, doing, level, one, action, opponent, now
        )
        terms[order, 4] = request(sides, requests, one, action)
