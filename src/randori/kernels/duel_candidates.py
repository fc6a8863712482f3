"""The choices of a node of a duel's tree: the promise of each, and the upper bound of its value."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import inlined, kernel, pasted
from randori.kernels.duel_added import extended
from randori.kernels.duel_bounds import (
    ANGLE_ERROR,
    FOREVER,
    in_reach,
    may_touch,
    most_penalty,
    most_selecting,
    nearly_stance,
    next_blow,
    reaches,
    worst_blow,
    worst_blow_now,
)
from randori.kernels.duel_moves import begin, choices_of, copy_fighters, count_unseen, situation_of
from randori.kernels.duel_places import (
    attacks,
    composed,
    frame_at,
    may_strike,
    moved,
    nearest,
    onset_with,
    pelvis_at,
    pelvis_in,
    posture_of,
)
from randori.kernels.duel_records import ATTACK, LANDS, ROUNDING
from randori.kernels.duel_rules import PLAUSIBLE, broken_rule, ending_of
from randori.kernels.duel_terms import given, movement, path, selection
from randori.kernels.duel_world import foresee, landed_damage
from randori.kernels.plane import add_yaws, move_point

# promise for each time that an action was a node's best: it may refute this one, too
_REFUTATION_PROMISE = 1e6
_STRIKE_PROMISE = 0.3  # of the most damage: what a strike in reach promises
ANY = -1  # instead of a rule: plausible or not


class Outlook(NamedTuple):
    """Expectations of a fighter that hold for all of its choices."""

    situation: object  # Situation that it is in
    rival_end: object  # RivalEnd
    opponent: int  # the nearest
    base: float  # u so far
    allied_blows: float  # the most that the others of its team may still gain by damage
    aided: bool  # whether one of them strikes
    unseen: bool  # whether it has not seen an attack yet
    next_fighter: int  # that selects next, if this one takes long
    next_stop: int  # tick in which it does
    touching: bool  # whether it could catch an opponent
    lone: bool  # whether no other fighter selects or strikes any more
    penalty: float  # the most that movement and selecting can still gain


class RivalEnd(NamedTuple):
    """The end of the only opponent's action."""

    counts: bool  # whether that counts: not if it began before the search
    tick: int
    x: float
    z: float
    look_x: float
    look_z: float
    fixed: float  # the part that is the same for any place of the fighter, as the fighter sees it
    most: float  # upper bound of its value


@kernel
def screen(game, levels, tree, level, own, need):
    """Bound the values of all choices of the last selection at once, whether they are plausible or not.

    The bounds are in `Tree.tops` then, if `screened` of the node says so; they are never too low. Returns how
    many of them exceed `need`.
    """
    node, fighters, tables = tree.nodes[level], levels.fighters[level], game.tables
    fighter, moment = node.fighter, levels.moments[level]
    side, rival = game.sides[fighter], fighters[1 - fighter]
    node.screened = 0
    if extended(game):
        return len(tree.tops)  # it knows nothing of what users have added
    if len(fighters) > 2 or not game.bounds.zero_sum or side.path_rival or side.recency_weight < 0.0:
        return len(tree.tops)
    if side.touch > 0.0 or fighters[fighter].alert >= 0:
        return len(tree.tops)  # it does not know of catches, and of going on
    situation = situation_of(game, fighters, fighter, moment.now)
    posture = posture_of(tables, fighters[fighter])
    first, count = (
        tables.choice_start[posture],
        tables.choice_start[posture + 1] - tables.choice_start[posture],
    )
    rival_end = rivals_end(game, levels, level, node)
    base = moment.competitive if side.team == own else -moment.competitive
    penalty = most_penalty(game, fighters, fighter, 1, 0)
    margin = ROUNDING * (1.0 + abs(base) + penalty)
    struck = may_strike(tables, rival, moment.now)
    most = base + rival_end.most + (game.bounds.suiting if struck else 0.0)
    if most + margin <= need:
        # wherever the fighters end, that alone is not enough
        for k in range(count):
            tree.tops[k] = most
    elif struck:
        return len(tree.tops)
    else:
        gather_frames(tables, rival, first, count, moment.now, rival_end.tick, tree.lanes)
        fill_tops(game, fighters, fighter, situation.stands, rival_end, base, posture, tree)
    node.screened = 1
    raise_threats(game, fighters, fighter, situation, base + penalty, need - margin, tree.tops)
    above = 0
    for k in range(count):
        tree.tops[k] += ROUNDING * (1.0 + abs(tree.tops[k]) + penalty)
        above += tree.tops[k] > need
    return above


@pasted
def raise_threats(game, fighters, fighter, situation, base, need, tops):
    """Raise the bounds of choices that could hurt the continuing opponent and be worth more than `need`."""
    tables, side, rival = game.tables, game.sides[fighter], fighters[1 - fighter]
    posture = posture_of(tables, fighters[fighter])
    most = max(side.given_short, side.given_long) + game.sides[1 - fighter].taken
    for k in range(tables.threat_start[posture], tables.threat_start[posture + 1]):
        threat = tables.threats[k]
        if base + threat.most_damage * most <= need:
            return
        if reaches(game, rival, threat, situation.stands, situation.now):
            gain = worst_blow_now(game, fighters, fighter, threat.action, False)
            tops[threat.order] = max(tops[threat.order], base + gain)


@pasted
def gather_frames(tables, rival, first, count, now, tick, lanes):
    """For each choice the rival's pelvis as it ends, and the own one in a tick, as recorded, into `lanes`."""
    action, frames = tables.actions[rival.action], tables.frames
    for k in range(count):
        ticks = tables.columns.ticks[first + k]
        there = frames[action.first + min(now + ticks - rival.start, action.ticks)]
        here = frames[tables.columns.first[first + k] + max(min(tick - now, ticks), 0)]
        lanes[0, k], lanes[1, k], lanes[2, k], lanes[3, k] = there.x, there.z, here.x, here.z


@pasted
def fill_tops(game, fighters, fighter, stands, rival_end, base, posture, tree):
    """Bound each choice's score from above by the fighters' final places, into Tree.tops; no branches."""
    first, stop = game.tables.choice_start[posture], game.tables.choice_start[posture + 1]
    rival_place = fighters[1 - fighter].place
    side, rival_side, columns, lanes = (
        game.sides[fighter],
        game.sides[1 - fighter],
        game.tables.columns,
        tree.lanes,
    )
    for k in range(stop - first):
        # the end of the choice
        i = first + k
        x, z = moved(stands, columns.end_x[i], columns.end_z[i])
        look_z, look_x = add_yaws(stands.cos, stands.sin, columns.end_cos[i], columns.end_sin[i])
        far_x, far_z = moved(rival_place, lanes[0, k], lanes[1, k])
        top = nearly_stance(side, look_x, look_z, far_x - x, far_z - z, ANGLE_ERROR)
        top -= side.duration_weight * columns.ticks[i] * game.rules.tick
        # the end of what the rival does
        cos, sin = add_yaws(stands.cos, stands.sin, columns.entry_cos[i], columns.entry_sin[i])
        x, z = moved(stands, columns.entry_x[i], columns.entry_z[i])
        x, z = move_point(cos, sin, x, z, lanes[2, k], lanes[3, k])
        lost = rival_end.fixed - nearly_stance(
            rival_side, rival_end.look_x, rival_end.look_z, x - rival_end.x, z - rival_end.z, -ANGLE_ERROR
        )
        tree.tops[k] = base + top + (lost if rival_end.counts else 0.0)


@kernel
def list_candidates(game, levels, tree, history, level, own, need, rule):
    """List the choices that break the given rule first, or no rule if it is PLAUSIBLE, penetration aside.

    What cannot exceed `need` is not looked at closely. If the rule is ANY, rules are left out, and only what
    may exceed `need` is listed. Level + 1 is used for trials. Returns how many are listed.
    """
    node, fighters, tables = tree.nodes[level], levels.fighters[level], game.tables
    fighter, now = node.fighter, levels.moments[level].now
    copy_fighters(levels, level, level + 1)
    outlook = look_out(game, levels, level, node, own)
    situation = outlook.situation
    first, stop = choices_of(tables, fighters[fighter])
    count, dropping = 0, node.plausible or rule == ANY
    for order in range(stop - first):
        if order == node.killer or order == node.second_killer:
            continue
        number = tables.choices[first + order]
        action = tables.actions[number]
        if node.screened and dropping and tree.tops[order] <= need:
            continue
        ending = ending_of(game, fighters, fighter, situation.stands, action, now + action.ticks)
        if rule == PLAUSIBLE:
            if broken_rule(game, fighters, fighter, action, ending, situation) != PLAUSIBLE:
                continue
        elif rule != ANY and tree.broken[order] != rule:
            continue
        promise, top = weigh(game, levels, level, node, number, ending, outlook, need)
        top += ROUNDING * (1.0 + abs(top) + outlook.penalty)
        if dropping and top <= need:
            continue  # it cannot matter, and another choice is plausible
        candidate = tree.candidates[level, count]
        candidate.order, candidate.top = order, top
        candidate.promise = promise
        if not node.screened:
            candidate.promise += _REFUTATION_PROMISE * history[node.left, number]
        count += 1
    return count


@pasted
def weigh(game, levels, level, node, number, ending, outlook, need):
    """The promise of a choice, and the highest value that it can reach."""
    situation, rival_end = outlook.situation, outlook.rival_end
    fighter, left, now = node.fighter, node.left, situation.now
    fighters, trial = levels.fighters[level], levels.fighters[level + 1]
    action, side = game.tables.actions[number], game.sides[fighter]
    stop = now + action.ticks
    competitive, shared = selection(
        game, fighters, levels.recent[level], fighter, number, outlook.opponent, now
    )
    value = outlook.base + competitive + shared
    reaching, placed = False, False
    if action.strike_start < action.strike_stop:
        begin(game.tables, fighters[fighter], trial[fighter], number, now)
        placed = True
        reaching = in_reach(game, trial, fighter)
    # an opponent that goes on until the choice has ended cannot get into its way
    gain = outlook.allied_blows
    if left > 1 and (outlook.next_stop < stop or may_alarm(game, fighters, fighter, action, now)):
        gain += worst_blow(game, fighter, number, outlook.touching)
    elif outlook.touching or reaching or outlook.allied_blows > 0.0:
        gain += worst_blow_now(game, fighters, fighter, number, outlook.touching)
    hope = _STRIKE_PROMISE
    if outlook.lone and reaching and value + gain + outlook.penalty > need:
        # only the fighter itself strikes: whether and where it hits is certain
        if action.strike_stop - action.strike_start == 1:
            damage = landed_damage(game, trial, fighter, now)
            reaching, hope = damage > 0.0, 1.0
            gain = damage * (given(side, action) + game.sides[1 - fighter].taken)
        elif foresee(game, trial, fighter, now) != LANDS:
            reaching, gain = False, 0.0
    # a blow that is worth nothing to all fighters causes a reaction all the same
    quiet = gain == 0.0 and not (situation.under_attack or reaching or outlook.aided)
    if extended(game):
        quiet = False  # where the fighters end counts more than is looked at below
    if left == 1 and quiet and value + rival_end.most <= need:
        return value + rival_end.most, value + rival_end.most
    ends = nearly_stance(side, ending.look_x, ending.look_z, ending.far_x, ending.far_z, ANGLE_ERROR)
    ends += path(side, situation.stands.yaw + action.end.yaw, ending.x, ending.z)
    if left == 1 and quiet:
        # no hit is possible any more: all that is left is where the fighters end
        if not placed and (len(fighters) > 2 or (rival_end.counts and rival_end.tick < stop)):
            begin(game.tables, fighters[fighter], trial[fighter], number, now)
        top = value + ends + others_end(game, levels, level, fighter, ending, rival_end, stop)
        return top, top
    top = value + gain + outlook.penalty
    if left == 1 and gain == 0.0 and not (reaching or outlook.aided or extended(game)):
        top = min(top, value + rival_end.most)  # whatever strikes the fighter, its opponent is not disturbed
    if left > 1:
        calm = not (len(fighters) > 2 or reaching or outlook.touching)
        if calm and situation.under_attack:
            calm = left == 2 and not outlook.unseen
            if calm and value + gain + outlook.penalty + side.best_blow > need:
                if not placed:
                    begin(game.tables, fighters[fighter], trial[fighter], number, now)
                calm = foresee(game, trial, 1 - fighter, now) != LANDS
        top += later_blows(game, fighters, node, action, stop, outlook, calm, need - top)
        top += (left - 1) * game.bounds.shared_gain
    return value + ends + (hope * gain if reaching else 0.0), top


@pasted
def look_out(game, levels, level, node, own):
    """The expectations of the fighter that selects at a level."""
    fighters, moment, fighter = levels.fighters[level], levels.moments[level], node.fighter
    side, now = game.sides[fighter], moment.now
    touching = may_touch(game, fighters, fighter, now, FOREVER)
    lone = len(fighters) == 2 and node.left == 1 and not touching
    lone = lone and not may_strike(game.tables, fighters[1 - fighter], now)
    x, z = pelvis_at(game.tables, fighters[fighter], now)
    opponent, _, _ = nearest(game, fighters, fighter, x, z, now)
    allied_blows, aided, next_stop, next_fighter = 0.0, False, -1, -1
    for i in range(len(fighters)):
        if i == fighter:
            continue
        if game.sides[i].team == side.team:
            near = may_touch(game, fighters, i, now, FOREVER)
            striking = attacks(game.tables, fighters[i], now)
            aided = aided or striking
            if near or striking:
                allied_blows += worst_blow(game, i, fighters[i].action, near)
        stop = now if fighters[i].idle or fighters[i].alert >= 0 else fighters[i].stop
        if next_fighter < 0 or stop < next_stop:
            next_stop, next_fighter = stop, i
    return Outlook(
        situation_of(game, fighters, fighter, now),
        rivals_end(game, levels, level, node),
        opponent,
        moment.shared + (moment.competitive if side.team == own else -moment.competitive),
        allied_blows,
        aided,
        count_unseen(game, fighters, fighter, now) > 0,
        next_fighter,
        next_stop,
        touching,
        lone,
        most_penalty(game, fighters, fighter, node.left, node.left - 1)
        + most_selecting(game, levels, level, fighter, node.left - 1),
    )


@pasted
def later_blows(game, fighters, node, action, stop, outlook, calm, enough):
    """The most that blows can gain after a choice, a row of ACTION, that ends in tick `stop`.

    `calm` says that there is no hit before the next selection. If the opponent selects, the fighter has
    one selection less (`most_gain`). What is not more than `enough` is not looked at closely.
    """
    fighter, left, side = node.fighter, node.left, game.sides[node.fighter]
    if not calm:
        return (left - 1) * side.best_blow
    blows = (left - 2) * side.best_blow
    mine = game.sides[outlook.next_fighter].team == side.team or stop < outlook.next_stop
    mine = mine or (stop == outlook.next_stop and fighter < outlook.next_fighter)
    if not mine:
        return blows
    there = composed(outlook.situation.stands, action.next)
    return blows + next_blow(game, fighters, fighter, action.end_posture, there, stop, enough - blows)


@inlined
def may_alarm(game, fighters, fighter, action, now):
    """Whether an opponent may see an action, a row of ACTION, coming before its last strike."""
    if len(game.sides) > 2:
        return True  # an ally's attack may be seen as well
    if action.kind != ATTACK:
        return False
    since = now - onset_with(game.tables, fighters[fighter], action, now)
    reaction = game.sides[1 - fighter].reaction
    return max(reaction - since, reaction // 2, 1) < action.last_strike


@kernel
def rivals_end(game, levels, level, node):
    """The end of the action of the only opponent of the fighter that selects last."""
    fighters, fighter = levels.fighters[level], node.fighter
    if len(fighters) > 2 or node.left > 1:
        return RivalEnd(False, 0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf)
    rival, side = fighters[1 - fighter], game.sides[1 - fighter]
    if rival.idle or rival.start < levels.moments[0].now:
        return RivalEnd(False, rival.stop, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    frame, now = frame_at(game.tables, rival, rival.stop), levels.moments[level].now
    x, z = pelvis_at(game.tables, fighters[fighter], now)
    rival_x, rival_z = pelvis_in(game.tables, rival, frame)
    looks = game.tables.frames[frame].facing + rival.place.yaw
    fixed = path(side, looks, rival_x, rival_z)
    if side.path_rival:
        fixed = -fixed
    apart, travel = math.hypot(x - rival_x, z - rival_z), game.bounds.travel
    if may_strike(game.tables, rival, now):
        # each strike may end what the fighter does then, and begin a reaction
        action = game.tables.actions[rival.action]
        travel *= 1 + action.strike_stop - action.strike_start
    off = max(abs(max(apart - travel, 0.0) - side.distance), abs(apart + travel - side.distance))
    most = fixed + side.facing_weight * math.pi**2 + side.distance_weight * off * off
    return RivalEnd(True, rival.stop, rival_x, rival_z, math.sin(looks), math.cos(looks), fixed, most)


@pasted
def others_end(game, levels, level, fighter, ending, rival_end, stop):
    """The score of the others' ends after the last selection, as the fighter's team sees it.

    There are no more hits. The selection, which ends in tick `stop`, is played at level + 1 where it matters
    where the fighter is before its end. A little too high at most.
    """
    trial = levels.fighters[level + 1]
    if len(trial) == 2:
        if not rival_end.counts:
            return 0.0
        x, z = ending.x, ending.z
        if rival_end.tick < stop:
            x, z = pelvis_at(game.tables, trial[fighter], rival_end.tick)
        # losses of the opponent are gains, so here the angle is taken a little too large
        return rival_end.fixed - nearly_stance(
            game.sides[1 - fighter], rival_end.look_x, rival_end.look_z,
            x - rival_end.x, z - rival_end.z, -ANGLE_ERROR,
        )  # fmt: skip
    total = 0.0
    for i in range(len(trial)):
        state = trial[i]
        if i == fighter or state.idle or state.start < levels.moments[0].now:
            continue
        frame = frame_at(game.tables, state, state.stop)
        competitive, shared = movement(game, trial, i, frame, state.stop)
        total += shared + (competitive if game.sides[i].team == game.sides[fighter].team else -competitive)
    return total
