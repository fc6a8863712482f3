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

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.duel_bounds import hopeless, list_candidates, most_gain
from randori.kernels.duel_moves import (
    begin,
    broken_rules,
    cheap_rule,
    cheap_rules,
    copy_moment,
    disbelieve,
    first_idle,
    solid,
)
from randori.kernels.duel_quiet import refute
from randori.kernels.duel_rules import PLAUSIBLE, attacked, distance_now
from randori.kernels.duel_tables import (
    ACTION,
    AGAIN,
    BEST,
    BEST_COMP,
    BEST_COOP,
    BEST_ORDER,
    BEST_U,
    COUNT,
    END_POSTURE,
    FACING,
    FIRST,
    FLOOR,
    KILLER,
    LEFT,
    LENGTH,
    LIMIT,
    MODEL,
    ORDER,
    PROBE,
    PROBED,
    RULE,
    SEEN,
    SHARED_GAIN,
    SLACK,
    SORT,
    STAGE,
    STOP,
    TEAM,
    TICKS,
    WEIGHT,
    WHO,
    YAW,
    ZERO_SUM,
    frame_at,
    nearest,
    pelvis_at,
)
from randori.kernels.duel_terms import control, pairing, path, request, selection, stance
from randori.kernels.duel_world import advance

_UNAWARE = 2  # plies that who selects next and has not seen an attack is thought to look ahead; later ones 1
_FORESEEN = 3  # plies from which on choices are ordered by what they come to if nobody answers
_PLAIN, _BELIEF, _REAL, _EXPECTED = range(4)  # SORT of a node
# STAGE of a node: nothing but a killer was tried; there is a list with bounds; what is listed is plausible
_FRESH, _LISTED, _GIVEN = range(3)
_OPEN, _EXACT, _FAILED, _CUT = range(4)  # what becomes of a node


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
    deepest,
    nodes,
    scores,
):
    """Prepare the node at a level, whose moment and floor and limit are set. Returns the level to go on with:

    a fighter that has not seen an attack first looks for its choice in the game that it believes in.
    """
    one = first_idle(doing, level)
    nodes[level, WHO], nodes[level, LEFT] = one, left
    nodes[level, SORT], nodes[level, STAGE], nodes[level, COUNT] = _PLAIN, _FRESH, 0
    nodes[level, BEST], nodes[level, BEST_ORDER], nodes[level, SEEN] = -1, -1, 0
    nodes[level, KILLER], nodes[level, LENGTH], nodes[level, PROBE], nodes[level, AGAIN] = -1, 0, 0, -1
    nodes[level, RULE] = PLAUSIBLE
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
    nodes[deeper, LEFT] = min(left, _UNAWARE if left == deepest - 1 else 1)
    scores[deeper, BEST_U], scores[deeper, WEIGHT] = -np.inf, 0.0
    scores[deeper, FLOOR], scores[deeper, LIMIT] = -np.inf, np.inf
    return deeper


@kernel
def search(
    actions, spots, frames, body, radii, strikes, sweeps, response, choice_start, choices,
    threat_start, threats, sides, rules, combination, requests, guess, bounds,
    doing, where, recent, sums, clock, nodes, scores, orders, keys, tops, lines, broken, found, blows,
    events, marks, killers, history, replies, best_known, taken, who, depth, given_orders,
):  # fmt: skip
    """Search the tree below level 0, where `who` chooses among the given orders.

    Threads share what has cut before (`killers`, `history`), the `replies` that were found to each of the
    orders (-1: none), the `best_known` (1,) u of a choice, and how many orders are `taken` (1,). Whatever
    they read too late only costs time: the result is the same, even if two take the same order.
    The result is in level 0 of nodes and scores; BEST is -1 if no choice is better. Returns choices tried.
    """
    own = sides[who, TEAM]
    tried, level = 0, 0
    nodes[0, WHO], nodes[0, LEFT], nodes[0, SORT] = who, depth, _PLAIN
    nodes[0, BEST], nodes[0, BEST_ORDER], nodes[0, SEEN], nodes[0, KILLER], nodes[0, LENGTH] = (
        -1,
        -1,
        0,
        -1,
        0,
    )
    nodes[0, PROBE], nodes[0, AGAIN] = 0, -1
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
            again = nodes[level, AGAIN] >= 0
            if level == 0:
                scores[0, FLOOR] = np.nextafter(best_known[0], -np.inf)
            if again:
                order, nodes[level, AGAIN] = nodes[level, AGAIN], -1
            elif level == 0:
                turn = taken[0]
                if turn < len(given_orders):
                    order, taken[0] = given_orders[turn], turn + 1
                else:
                    outcome = _EXACT if nodes[0, BEST] >= 0 else _FAILED
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
                if level == 1 and replies[nodes[0, ORDER]] >= 0:
                    killer = replies[nodes[0, ORDER]]
                if killer >= 0:
                    trial = level + 1
                    copy_moment(doing, where, recent, sums, clock, level, trial)
                    begin(actions, spots, doing, where, level, trial, one, choices[first + killer], now)
                    under_attack = attacked(actions, strikes, sides, doing, level, one, now)
                    apart = distance_now(actions, frames, sides, doing, where, level, one, now)
                    rule = cheap_rule(
                        actions, spots, frames, strikes, sweeps, sides, rules, doing, where, trial, one,
                        now, under_attack, apart,
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
                        actions, spots, frames, strikes, sweeps, choice_start, choices, threat_start, threats,
                        sides, rules, combination, requests, bounds,
                        doing, where, recent, sums, clock, own, level, nodes, orders, keys, tops, history,
                        max(scores[level, FLOOR], scores[level, BEST_U]), broken, PLAUSIBLE,
                    )  # fmt: skip
                    if left == 2:
                        refute(
                            actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices,
                            sides, rules, combination, requests, bounds,
                            doing, where, recent, sums, clock, own, level, one, nodes[level, COUNT], orders,
                            tops, killers[1], max(scores[level, FLOOR], scores[level, BEST_U]),
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
                        cheap_rules(
                            actions, spots, frames, strikes, sweeps, choice_start, choices, sides, rules,
                            doing, where, level, level + 1, one, now, broken,
                        )  # fmt: skip
                        best = -1
                        for k in range(choice_start[posture + 1] - first):
                            if best < broken[k] < nodes[level, RULE]:
                                best = broken[k]
                        if best < 0:
                            best = broken_rules(
                                actions, spots, frames, body, radii, strikes, sweeps, choice_start, choices,
                                sides, rules,
                                doing, where, level, level + 1, one, now, broken,
                            )  # fmt: skip
                            nodes[level, STAGE] = _GIVEN
                        nodes[level, RULE] = best
                        nodes[level, COUNT] = list_candidates(
                            actions, spots, frames, strikes, sweeps, choice_start, choices, threat_start,
                            threats, sides, rules, combination,
                            requests, bounds, doing, where, recent, sums, clock, own, level, nodes, orders,
                            keys, tops, history, need, broken, best,
                        )  # fmt: skip
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
                    if bounds[ZERO_SUM] != 0.0 and doing.shape[1] == 2:
                        now_u = sums[child, 0] if sides[one, TEAM] == own else -sums[child, 0]
                        selector = first_idle(doing, child)
                        top = now_u + most_gain(
                            actions, spots, frames, strikes, sweeps, sides, rules, bounds, threat_start,
                            threats, doing, where, clock, child, one, selector, left - 1, floor - now_u,
                        )  # fmt: skip
                        if top + SLACK * (1.0 + abs(top) + abs(now_u)) <= floor:
                            continue  # whatever comes, it does not pay
                        low = now_u - most_gain(
                            actions, spots, frames, strikes, sweeps, sides, rules, bounds, threat_start,
                            threats, doing, where, clock, child, 1 - one, selector, left - 1, now_u - limit,
                        )  # fmt: skip
                        if low - SLACK * (1.0 + abs(low) + abs(now_u)) >= limit:
                            outcome = _CUT  # whatever comes, the other team avoids it
                            continue
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
                        child, left - 1, depth, nodes, scores,
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
        if nodes[below, SORT] == _BELIEF and nodes[level, SORT] == _REAL and nodes[level, SEEN] == 0:
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
                if level == 1:
                    replies[nodes[0, ORDER]] = order
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
