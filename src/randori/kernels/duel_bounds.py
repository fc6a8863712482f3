"""The most that a fighter of a duel can still gain. A bound may be too high, never too low.

What cannot exceed a node's floor is not played at all.
"""

import math

from randori.kernels.compile import inlined, kernel, pasted
from randori.kernels.contact import DAMAGE
from randori.kernels.duel_added import extended, most_added
from randori.kernels.duel_places import (
    attacks,
    discs_meet,
    moved,
    nearest,
    pelvis_at,
    posture_of,
    seen_from,
    stands,
)
from randori.kernels.duel_terms import given

ANGLE_ERROR = 1e-4  # radians² that the square of an angle from `angle_between` may be off
FOREVER = 1 << 20  # ticks that no plan lasts


# ---- Damage


@inlined
def worst_blow(game, fighter, number, touching):
    """The most that an action can gain for its team by damage."""
    action, side = game.tables.actions[number], game.sides[fighter]
    worst = action.most_damage + (1.0 if touching else 0.0)
    if worst == 0.0:
        return 0.0
    hurt = 0.0
    for i in range(len(game.sides)):
        if game.sides[i].team != side.team:
            hurt = max(hurt, game.sides[i].taken)
    return worst * (given(side, action) + hurt)


@inlined
def worst_blow_now(game, fighters, fighter, number, touching):
    """The most that an action can gain for its team by damage, if the others go on with what they do.

    A strike that stays below the head does what it does to a torso. Of two strikes the second may meet an
    opponent that reacts to the first one.
    """
    tables = game.tables
    action = tables.actions[number]
    if len(fighters) > 2 or action.strike_stop - action.strike_start > 1:
        return worst_blow(game, fighter, number, touching)
    other = 1 - fighter
    against, worst = tables.actions[fighters[other].action], 1.0 if touching else 0.0
    for strike in range(action.strike_start, action.strike_stop):
        head, torso = tables.speeds[strike, against.head_low], tables.speeds[strike, against.torso_low]
        worst += max(DAMAGE[0] * head, max(DAMAGE[1:]) * torso)
    return worst * (given(game.sides[fighter], action) + game.sides[other].taken)


@kernel
def next_blow(game, fighters, fighter, posture, there, tick, enough):
    """The most that a fighter can gain by damage with what it selects in a posture at a place in a tick.

    Others go on with what they do. What is not more than `enough` is not looked at closely.
    """
    tables, side = game.tables, game.sides[fighter]
    if side.touch > 0.0:
        return side.best_blow
    most, best = max(side.given_short, side.given_long), 0.0
    for other in range(len(fighters)):
        if game.sides[other].team == side.team:
            continue
        action = tables.actions[fighters[other].action]
        # a disc that the other one does not leave, as the posture sees it
        x, z = moved(fighters[other].place, action.vital.x, action.vital.z)
        far_x, far_z = seen_from(there, x, z)
        for k in range(tables.threat_start[posture], tables.threat_start[posture + 1]):
            threat = tables.threats[k]
            bound = threat.most_damage * (most + game.sides[other].taken)
            if bound <= max(best, enough):
                best = max(best, bound)
                break
            if within(threat.sweep, far_x, far_z, action.vital.radius) and in_time(
                game, fighters[other], threat, there, tick
            ):
                best = max(best, worst_blow_now(game, fighters, fighter, threat.action, False))
    return best


@inlined
def in_time(game, other, threat, there, tick):
    """Whether a threat could hurt an opponent where that one is in the middle of the strike.

    The opponent goes on with what it does; the threatening action begins at a place in a tick.
    """
    action = game.tables.actions[other.action]
    x, z = pelvis_at(game.tables, other, tick + threat.middle)
    x, z = seen_from(there, x, z)
    return within(threat.sweep, x, z, action.vital_reach + game.bounds.fastest * threat.half)


@inlined
def reaches(game, other, threat, there, tick):
    """Whether a threat from a place could hurt an opponent that goes on with what it does."""
    vital = game.tables.actions[other.action].vital
    x, z = moved(other.place, vital.x, vital.z)
    x, z = seen_from(there, x, z)
    return within(threat.sweep, x, z, vital.radius) and in_time(game, other, threat, there, tick)


@inlined
def within(disc, x, z, radius):
    """Whether a disc about (x, z) touches another one."""
    far = disc.radius + radius
    return (disc.x - x) ** 2 + (disc.z - z) ** 2 <= far * far


@inlined
def may_touch(game, fighters, fighter, now, ticks):
    """Whether a fighter could catch an opponent within so many ticks."""
    touch = game.sides[fighter].touch
    if touch <= 0.0:
        return False
    x, z = pelvis_at(game.tables, fighters[fighter], now)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, now)
    return math.hypot(far_x, far_z) < touch + 2.0 * game.bounds.fastest * ticks


@inlined
def in_reach(game, fighters, fighter):
    """Whether a strike of a fighter's action could hurt an opponent that carries on with its action."""
    tables, state = game.tables, fighters[fighter]
    action = tables.actions[state.action]
    for number in range(action.strike_start, action.strike_stop):
        strike = tables.strikes[number]
        sweep, last = strike.sweep, strike.stop - 1
        middle = (strike.first + last) // 2
        x, z = moved(state.place, sweep.x, sweep.z)
        for j in range(len(fighters)):
            if game.sides[j].team == game.sides[fighter].team:
                continue
            against = tables.actions[fighters[j].action]
            if not discs_meet(
                state.place, sweep, sweep.radius, fighters[j].place, against.vital, against.vital.radius
            ):
                continue
            # where the other one is in the middle of the strike
            other_x, other_z = pelvis_at(tables, fighters[j], state.start + middle)
            far = sweep.radius + against.vital_reach + game.bounds.fastest * (last - middle)
            if (x - other_x) ** 2 + (z - other_z) ** 2 <= far * far:
                return True
    return False


# ---- Movement


@inlined
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


@inlined
def nearly_stance(side, look_x, look_z, far_x, far_z, error):
    """`stance` from the direction of the look, a little too high, or too low if the error is negative."""
    theta = angle_between(look_x * far_z - look_z * far_x, look_x * far_x + look_z * far_z)
    off = math.sqrt(far_x * far_x + far_z * far_z) - side.distance
    turned = max(theta * theta - error, 0.0)
    return -(side.facing_weight * turned + side.distance_weight * off * off)


@kernel
def most_penalty(game, fighters, fighter, left, selections):
    """The most that a fighter's team can gain from here on, damage and the costs of selecting aside.

    Losses of the other team are gains in the difference. `left` actions will be selected, at most so many
    `selections` of them by the other team.
    """
    tables, bounds = game.tables, game.bounds
    x, z = pelvis_at(tables, fighters[fighter], fighters[fighter].start)
    # its present action, its selections, and its reactions: the actions and selections of others strike it
    ends = 1.0 + left * max(bounds.most_strikes, 1.0) + len(fighters) * bounds.most_strikes
    total = 0.0
    for i in range(len(fighters)):
        side = game.sides[i]
        if side.team == game.sides[fighter].team:
            continue
        other_x, other_z = pelvis_at(tables, fighters[i], fighters[i].start)
        off = max(side.distance, math.hypot(other_x - x, other_z - z) + 2.0 * ends * bounds.travel)
        worst = side.facing_weight * math.pi**2 + side.distance_weight * off * off
        if side.path_rival:
            far = math.hypot(other_x - side.goal_x, other_z - side.goal_z) + ends * bounds.travel
            worst += side.heading_weight * math.pi**2 + side.path_weight * far * far
        total += ends * worst
    if extended(game):
        total += most_added(game, fighter, ends, left, selections)
    return total + left * bounds.suiting


@kernel
def most_selecting(game, levels, level, fighter, selections):
    """The most that so many selections can cost the opponents of a fighter by themselves."""
    most = 0.0
    for i in range(len(game.sides)):
        if game.sides[i].team != game.sides[fighter].team and selections > 0:
            most = max(most, cost_of_selecting(game, levels, level, i, selections))
    return most


@pasted
def cost_of_selecting(game, levels, level, fighter, selections):
    """The most that so many selections can cost a fighter.

    Uses of late count most against an action of the likeness that was used most. A further selection adds one
    use, and all others fade.
    """
    rules, actions, recent = game.rules, game.tables.actions, levels.recent
    repeated, share = 0.0, max(1.0, rules.alike)
    for k in range(recent.shape[2]):
        used = recent[level, fighter, k]
        total, weight = 0.0, 1.0
        for j in range(recent.shape[2]):
            other = recent[level, fighter, j]
            if used >= 0 and other >= 0:
                if used == other:
                    total += share * weight
                elif actions[used].likeness == actions[other].likeness:
                    total += rules.alike * weight
            weight *= rules.forgetting
        repeated = max(repeated, total)
    cost = 0.0
    for _ in range(selections):
        cost += game.bounds.selecting + game.sides[fighter].recency_weight * repeated
        repeated = share + rules.forgetting * repeated
    return cost


# ---- Nodes


@kernel
def most_gain(game, levels, level, fighter, selector, left, enough):
    """The most that a fighter, one of two, can still gain at a level where `selector` is about to select.

    If the opponent selects at all, the fighter has one selection less than are left. If not, the opponent
    goes on with what it does until the first strike comes. What is not more than `enough` is not looked at
    closely.
    """
    fighters, now = levels.fighters[level], levels.moments[level].now
    state, best = fighters[fighter], game.sides[fighter].best_blow
    mine = selector == fighter
    selections = left - 1 if mine else left
    gain = most_penalty(game, fighters, fighter, left, selections)
    if not state.idle:
        near = may_touch(game, fighters, fighter, now, FOREVER)
        if near or attacks(game.tables, state, now):
            gain += worst_blow(game, fighter, state.action, near)
    gain += (left - 1) * best
    if gain > enough:
        return gain
    gain += most_selecting(game, levels, level, fighter, selections)
    if not mine:
        return gain
    posture, there = posture_of(game.tables, state), stands(game.tables, state)
    return gain + next_blow(game, fighters, fighter, posture, there, now, enough - gain)
