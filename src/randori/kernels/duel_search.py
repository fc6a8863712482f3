"""The game tree of a duel (docs/duel.md), searched with cuts that do not change the answer.

A level of the stack is a node: a moment of the game in which one fighter selects. A team wants its `u` to be
large: S_comp + S_coop for the team that searches, S_coop - S_comp for the other. Every node has a `floor`,
the u that its own team must exceed for the node to matter, and a `limit`, the u from which on the other team
avoids the node.

- Zero-sum: u of one team is -u of the other, so both bounds go down the whole tree: alpha-beta.
- General-sum: u + u' = 2 S_coop ≤ 2 × the most that can be shared. So if the other team can get u', the
  first can get no more than 2 × most - u'. That bound holds between a node and the next nodes of the other
  team. Turns need not alternate: a run of nodes of one team has one floor and one limit, and a cut discards
  the whole run.

`search` is the loop, in numbered steps:

1. `next_choice`: the next choice of the node that may still matter.
2. `play`: play it.
3. `judge`: the most that can still come of it. A choice that cannot exceed the floor is dropped. What
   matters must lead through no body: `prove`.
4. `set_window`, `open_node`: go down to the next selection.
5. `back_up`: tell the node above what was found; a node that reaches its limit is cut here.
"""

import numpy as np

from randori.kernels.compile import inlined, kernel, pasted
from randori.kernels.duel_added import describe_added, extended
from randori.kernels.duel_bounds import most_gain
from randori.kernels.duel_candidates import ANY, list_candidates, screen
from randori.kernels.duel_moves import (
    begin,
    choices_of,
    copy_fighters,
    copy_moment,
    count_unseen,
    disbelieve,
    find_all_broken_rules,
    find_broken_rules,
    next_selector,
    play,
    situation_of,
)
from randori.kernels.duel_places import nearest, pelvis_at, pelvis_in, posture_of
from randori.kernels.duel_quiet import refute
from randori.kernels.duel_records import GO_ON, ROUNDING
from randori.kernels.duel_rules import PLAUSIBLE, broken_rule, ending_of, penetration
from randori.kernels.duel_terms import control, pairing, path, request, stance, temper
from randori.kernels.duel_world import foresee

# plies that the fighter that selects right after the root is thought to look ahead if it has not seen an
# attack; later ones are thought to look one ply ahead
_UNAWARE_PLIES = 2
# plies from which on candidates are ordered by their values without a later selection
_ORDERED_PLIES = 4
NONE = -1  # instead of a choice

# `sort` of a node. A fighter that has not seen an attack has two nodes: in the BELIEF it looks for its choice
# in the game that it believes in; the REAL one, above, plays that choice in the real game. In an EXPECTED
# node all choices count, by how often they are expected.
PLAIN, BELIEF, REAL, EXPECTED = range(4)
# `stage` of a node: nothing but a killer was tried; candidates are listed by cheap rules and bounds, and
# penetration is looked at when one is tried; everything listed counts as plausible
FRESH, LISTED, GIVEN = range(3)
UNLISTED = -1  # `count` of a LISTED node whose candidates will be listed when they are needed
OPEN, EXACT, FAILED, CUT = range(4)  # verdicts on a node


@kernel
def search(game, levels, tree, contacts, shared, fighter, depth, given_orders):
    """Search the tree below level 0, where a fighter chooses among the given orders.

    Threads take the orders from each other, and tell each other what cuts (`Shared`). The result is the same
    even if two take the same order. It is in node 0, whose `best` is -1 if no choice is better than what
    another thread has found. Returns the number of choices that were tried.
    """
    own = game.sides[fighter].team
    open_root(tree.nodes[0], fighter, depth)
    tried, level, outcome = 0, 0, OPEN
    while True:
        node = tree.nodes[level]
        if outcome == OPEN:
            # Step 1. The next choice of this node, or its end.
            again = node.again >= 0
            order = next_choice(game, levels, tree, contacts, shared, level, own, given_orders)
            if order == NONE:
                outcome = EXACT if node.best_order >= 0 else FAILED
            else:
                # Step 2. Play it.
                tried += 1
                node.plausible, node.order = 1, order
                number = choice(game.tables, levels.fighters[level, node.fighter], order)
                play(game, levels, contacts, level, node.fighter, number, own, node.left == 1)
                if node.left > 1:
                    floor = floor_for(node, order)
                    # Step 3. Bound the values that are still possible.
                    outcome = judge(game, levels, level, node, own, floor)
                    # a last reply costs little more than the proof, and usually shows that none is needed
                    proving = outcome == CUT or (outcome == OPEN and node.left > 2)
                    if proving and not prove(game, levels, level, node):
                        outcome = FAILED
                    if outcome == CUT:
                        keep_refutation(game, levels, tree, shared, level)
                    if outcome == OPEN:
                        # Step 4. Down to the next selection.
                        set_window(game, levels, tree, level, floor, again)
                        level = open_node(game, levels, tree, own, level + 1, node.left - 1, depth)
                    elif outcome == FAILED:
                        outcome = OPEN  # the next choice
                    continue
                close_leaf(levels, tree, level)
                outcome, level = EXACT, level + 1
        # Step 5. The node at this level is done: tell the one above.
        if level == 0:
            return tried
        level -= 1
        outcome = back_up(game, levels, tree, shared, level, own, outcome)


@inlined
def choice(tables, state, order):
    """The action that is the choice with this number of a fighter that selects, or GO_ON."""
    first, stop = choices_of(tables, state)
    return tables.choices[first + order] if first + order < stop else GO_ON


# ---- Nodes


@pasted
def open_root(node, fighter, depth):
    """Prepare node 0. Its choices are given; its floor follows what all threads find."""
    clear_node(node, fighter, depth)
    node.limit = np.inf


@inlined
def clear_node(node, fighter, left):
    """Make a node one in which nothing has been tried; floor and limit stay."""
    node.fighter, node.left, node.sort, node.stage = fighter, left, PLAIN, FRESH
    node.count, node.order, node.best, node.best_order = 0, -1, -1, -1
    node.plausible, node.length, node.probe, node.again = 0, 0, 0, -1
    node.killer, node.second_killer, node.asked = -1, -1, 0
    node.screened, node.unproven = 0, 0
    node.rule, node.best_value, node.weight = PLAUSIBLE, -np.inf, 0.0


@pasted
def open_node(game, levels, tree, own, level, left, depth):
    """Prepare the node at a level, whose moment, floor and limit are set. Returns the level to go on with:

    a fighter that has not seen an attack first looks for its choice in the game that it believes in.
    """
    fighters, node, now = levels.fighters[level], tree.nodes[level], levels.moments[level].now
    fighter = next_selector(fighters)
    clear_node(node, fighter, left)
    node.plausible = fighters[fighter].alert >= 0  # it can always go on
    if game.rules.model and game.sides[fighter].team != own:
        node.sort = EXPECTED
        return level
    if count_unseen(game, fighters, fighter, now) == 0:
        return level
    node.sort = REAL
    bounded = left == 1 and is_ahead(game, levels, level, node, own)
    if bounded and screen(game, levels, tree, level, own, node.floor) == 0:
        node.plausible = 1  # it need not be known what it believes: nothing that it does can matter
        return level
    copy_moment(levels, level, level + 1)
    disbelieve(game, levels.fighters[level + 1], fighter, now)
    belief = tree.nodes[level + 1]
    clear_node(belief, fighter, min(left, _UNAWARE_PLIES if left == depth - 1 else 1))
    node.plausible, belief.plausible = 0, node.plausible
    belief.sort, belief.floor, belief.limit = BELIEF, -np.inf, np.inf
    return level + 1


@pasted
def close_leaf(levels, tree, level):
    """Let the moment after the last selection be a node that is done."""
    leaf, moment = tree.nodes[level + 1], levels.moments[level + 1]
    leaf.best_competitive, leaf.best_shared = moment.competitive, moment.shared
    leaf.length, leaf.sort = 0, PLAIN
    tree.nodes[level].probe = 0


# ---- Step 1: the next choice


@pasted
def next_choice(game, levels, tree, contacts, shared, level, own, given_orders):
    """The next choice of a node that may matter, or NONE."""
    node = tree.nodes[level]
    node.unproven = 0
    if level == 0:
        node.floor = np.nextafter(shared.best[0], -np.inf)
    if node.again >= 0:
        order, node.again = node.again, -1
        return order
    if level == 0:
        return take_order(shared, given_orders)
    if node.sort == REAL:
        return NONE if node.plausible else node.order
    if node.stage == FRESH and node.sort == EXPECTED:
        list_expected(game, levels, tree, level)
    elif node.stage == FRESH:
        bounded = node.left == 1 and node.asked == 0 and is_ahead(game, levels, level, node, own)
        if bounded and screen(game, levels, tree, level, own, needed(node)) == 0:
            return NONE
        order = ask_killers(game, levels, tree, shared, level)
        if order >= 0:
            return order
        node.stage, node.count = LISTED, UNLISTED
    if node.count == UNLISTED:
        bounded = node.left == 1 and not is_ahead(game, levels, level, node, own)
        if bounded and screen(game, levels, tree, level, own, needed(node)) == 0:
            return NONE
        if node.screened and not node.plausible:
            if rule_out(game, levels, tree, shared, level, own):
                return NONE
            node.plausible = has_plausible(game, levels, level, node.fighter)
        list_plausible(game, levels, tree, contacts, shared, level, own)
    while True:
        order = pick(game, levels, tree, level)
        if order >= 0 or node.plausible or node.stage == GIVEN:
            return order
        list_implausible(game, levels, tree, shared, level, own)


@pasted
def take_order(shared, given_orders):
    """The next of the root's orders that no thread has taken, or NONE."""
    turn = shared.taken[0]
    if turn == len(given_orders):
        return NONE
    shared.taken[0] = turn + 1
    return given_orders[turn]


@inlined
def is_ahead(game, levels, level, node, own):
    """Whether a node's floor is above its score so far: then few choices can matter."""
    moment = levels.moments[level]
    ours = game.sides[node.fighter].team == own
    return node.floor > moment.shared + (moment.competitive if ours else -moment.competitive)


@inlined
def needed(node):
    """The u that a choice must exceed to matter."""
    return max(node.floor, node.best_value)


@pasted
def rule_out(game, levels, tree, shared, level, own):
    """Whether no choice of a screened node, plausible or not, can be worth what is needed."""
    need = needed(tree.nodes[level])
    if need == -np.inf:
        return False
    return list_candidates(game, levels, tree, shared.history, level, own, need, ANY) == 0


@pasted
def ask_killers(game, levels, tree, shared, level):
    """The next of two choices that were best in this posture elsewhere, if it is plausible; or -1.

    They are tried before anything is listed. In a BELIEF, which nothing cuts, one is enough.
    """
    node = tree.nodes[level]
    posture = posture_of(game.tables, levels.fighters[level, node.fighter])
    while node.asked < (1 if node.sort == BELIEF else 2):
        if node.asked == 0:
            killer = shared.killers[node.left, posture]
            if level == 1 and shared.replies[tree.nodes[0].order] >= 0:
                killer = shared.replies[tree.nodes[0].order]
        else:
            killer = shared.former_killers[node.left, posture]
        node.asked += 1
        if node.screened and killer >= 0 and tree.tops[killer] <= needed(node):
            continue
        if killer >= 0 and killer != node.killer and may_be_plausible(game, levels, level, node, killer):
            node.second_killer, node.killer = node.killer, killer
            return killer
    return -1


@pasted
def may_be_plausible(game, levels, level, node, order):
    """Whether a choice breaks no rule. If another one is plausible, bodies are left to `prove`."""
    fighters, now, fighter = levels.fighters[level], levels.moments[level].now, node.fighter
    number = choice(game.tables, fighters[fighter], order)
    if number == GO_ON:
        return True
    action, situation = game.tables.actions[number], situation_of(game, fighters, fighter, now)
    ending = ending_of(game, fighters, fighter, situation.stands, action, now + action.ticks)
    if broken_rule(game, fighters, fighter, action, ending, situation) != PLAUSIBLE:
        return False
    node.unproven = node.plausible
    return node.plausible or passes(game, levels, level, fighter, number)


@inlined
def passes(game, levels, level, fighter, number):
    """Whether a choice leads through no body. Level + 2 is used to try: it may be played at level + 1."""
    now, trial = levels.moments[level].now, level + 2
    copy_fighters(levels, level, trial)
    begin(game.tables, levels.fighters[level, fighter], levels.fighters[trial, fighter], number, now)
    return penetration(game, levels.fighters[trial], fighter, now) == PLAUSIBLE


@pasted
def has_plausible(game, levels, level, fighter):
    """Whether any choice is plausible."""
    fighters, tables = levels.fighters[level], game.tables
    situation = situation_of(game, fighters, fighter, levels.moments[level].now)
    first, stop = choices_of(tables, fighters[fighter])
    for k in range(first, stop):
        action = tables.actions[tables.choices[k]]
        ending = ending_of(game, fighters, fighter, situation.stands, action, situation.now + action.ticks)
        if broken_rule(game, fighters, fighter, action, ending, situation) == PLAUSIBLE and passes(
            game, levels, level, fighter, tables.choices[k]
        ):
            return True
    return False


@pasted
def list_expected(game, levels, tree, level):
    """List all that a fighter may do that is expected to do what it did before.

    Its expected choice is plausible in the game that it believes in.
    """
    node, tables = tree.nodes[level], game.tables
    fighter, now = node.fighter, levels.moments[level].now
    copy_moment(levels, level, level + 1)
    disbelieve(game, levels.fighters[level + 1], fighter, now)
    best = find_all_broken_rules(game, levels, level + 1, fighter, tree.broken)
    first, stop = choices_of(tables, levels.fighters[level, fighter])
    count = 0
    alert = levels.fighters[level, fighter].alert >= 0
    if alert:
        best = PLAUSIBLE
    for order in range(stop - first):
        if tree.broken[order] == best:
            set_candidate(tree.candidates[level, count], order, 0.0, np.inf)
            node.weight += game.guess[fighter, tables.choices[first + order]]
            count += 1
    if alert:
        set_candidate(tree.candidates[level, count], stop - first, 0.0, np.inf)
        node.weight += game.guess[fighter, levels.fighters[level, fighter].action]
        count += 1
    node.count, node.stage, node.best_order = count, GIVEN, count
    node.best_competitive, node.best_shared = 0.0, 0.0


@pasted
def list_plausible(game, levels, tree, contacts, shared, level, own):
    """List the candidates that break no cheap rule, those first that promise most."""
    node = tree.nodes[level]
    need = needed(node)
    node.count = list_candidates(game, levels, tree, shared.history, level, own, need, PLAUSIBLE)
    state = levels.fighters[level, node.fighter]
    first, stop = choices_of(game.tables, state)
    if state.alert >= 0 and node.killer != stop - first and node.second_killer != stop - first:
        set_candidate(tree.candidates[level, node.count], stop - first, 0.0, np.inf)
        node.count += 1
    if node.left == 2:
        refute(game, levels, tree, shared.killers[1], level, own, need)
    if node.left < _ORDERED_PLIES:
        return
    after = levels.moments[level + 1]
    for k in range(node.count):
        candidate = tree.candidates[level, k]
        number = choice(game.tables, levels.fighters[level, node.fighter], candidate.order)
        play(game, levels, contacts, level, node.fighter, number, own, True)
        ours = game.sides[node.fighter].team == own
        candidate.promise = (after.competitive if ours else -after.competitive) + after.shared


@pasted
def list_implausible(game, levels, tree, shared, level, own):
    """If no choice is plausible, list the choices that break the least important rule."""
    node, tables = tree.nodes[level], game.tables
    first, stop = choices_of(tables, levels.fighters[level, node.fighter])
    find_broken_rules(game, levels, level, node.fighter, tree.broken)
    best = -1
    for order in range(stop - first):
        if best < tree.broken[order] < node.rule:
            best = tree.broken[order]
    if best < 0:
        best = find_all_broken_rules(game, levels, level, node.fighter, tree.broken)
        node.stage = GIVEN
    node.rule = best
    node.count = list_candidates(game, levels, tree, shared.history, level, own, needed(node), best)


@pasted
def pick(game, levels, tree, level):
    """The candidate that promises most, if it leads through no body and may matter; NONE if none is left.

    Testing bodies is slow. If another choice is plausible, that is left to `prove`.
    """
    node = tree.nodes[level]
    need = needed(node)
    while True:
        best = drop_hopeless(node, tree.candidates[level], need)
        if node.count == 0:
            return NONE
        candidate, last = tree.candidates[level, best], tree.candidates[level, node.count - 1]
        order, top = candidate.order, candidate.top
        set_candidate(candidate, last.order, last.promise, last.top)
        node.count -= 1
        number = choice(game.tables, levels.fighters[level, node.fighter], order)
        if node.stage == GIVEN or number == GO_ON:
            return order
        if node.plausible:
            node.unproven = 1
            return order
        if passes(game, levels, level, node.fighter, number):
            node.plausible = 1
            if top > need:
                return order


@pasted
def drop_hopeless(node, candidates, need):
    """Drop candidates that cannot matter, if another choice is plausible; where the best one left is."""
    best, kept = 0, 0
    for k in range(node.count):
        candidate = candidates[k]
        if node.plausible and candidate.top <= need:
            continue
        if kept < k:
            set_candidate(candidates[kept], candidate.order, candidate.promise, candidate.top)
        if candidate.promise > candidates[best].promise:
            best = kept
        kept += 1
    node.count = kept
    return best


@inlined
def set_candidate(candidate, order, promise, top):
    """Fill a row of CANDIDATE."""
    candidate.order, candidate.promise, candidate.top = order, promise, top


# ---- Steps 3 and 4: what can still come of a choice


@pasted
def prove(game, levels, level, node):
    """Whether the choice that was just tried leads through no body, if that is not known yet."""
    number = choice(game.tables, levels.fighters[level, node.fighter], node.order)
    if node.unproven and passes(game, levels, level, node.fighter, number):
        node.unproven = 0
    return not node.unproven


@pasted
def floor_for(node, order):
    """The u that the choice with this order must exceed; of equals the one with the lowest order wins."""
    floor = needed(node)
    if node.best_value == floor and order < node.best_order:
        return np.nextafter(floor, -np.inf)
    return floor


@pasted
def judge(game, levels, level, node, own, floor):
    """The verdict on a choice just played at level + 1: FAILED, CUT, or OPEN if not known."""
    if not game.bounds.zero_sum or levels.fighters.shape[1] != 2:
        return OPEN
    child, fighter, left = level + 1, node.fighter, node.left - 1
    value = levels.moments[child].competitive
    value = value if game.sides[fighter].team == own else -value
    selector = next_selector(levels.fighters[child])
    if value <= floor:
        top = value + most_gain(game, levels, child, fighter, selector, left, floor - value)
        if top + ROUNDING * (1.0 + abs(top) + abs(value)) <= floor:
            return FAILED  # it does not pay under any reply
    if value >= node.limit:
        low = value - most_gain(game, levels, child, 1 - fighter, selector, left, value - node.limit)
        if low - ROUNDING * (1.0 + abs(low) + abs(value)) >= node.limit:
            return CUT  # the other team avoids the node in any case
    return OPEN


@pasted
def set_window(game, levels, tree, level, floor, again):
    """Set floor and limit of the node below a choice.

    Where something is known already, a choice is first only asked whether it is better: a probe, whose window
    holds no number.
    """
    node, child, below = tree.nodes[level], level + 1, tree.nodes[level + 1]
    limit = node.limit
    settled = node.best_order >= 0 or (level == 0 and floor > -np.inf)
    node.probe = settled and not again and game.bounds.zero_sum and node.sort != EXPECTED
    node.probed = floor
    if node.probe:
        limit = np.nextafter(floor, np.inf)
    team = game.sides[node.fighter].team
    if node.sort == EXPECTED:
        below.floor, below.limit = -np.inf, np.inf
    elif game.sides[next_selector(levels.fighters[child])].team == team:
        below.floor, below.limit = floor, limit
    elif game.bounds.zero_sum:
        below.floor, below.limit = -limit, -floor
    else:
        moment = levels.moments[child]
        most = moment.shared + (node.left - 1) * game.bounds.shared_gain
        most += ROUNDING * (1.0 + abs(most) + abs(moment.competitive))
        below.floor, below.limit = -np.inf, 2.0 * most - floor


# ---- Step 5: back up


@pasted
def back_up(game, levels, tree, shared, level, own, outcome):
    """Tell the node at a level what became of the one below it. Returns what becomes of the node itself."""
    node, below = tree.nodes[level], tree.nodes[level + 1]
    if below.sort == BELIEF and node.sort == REAL and not node.plausible:
        node.order = below.best_order
        return OPEN
    if node.sort == EXPECTED:
        add_expected(game, levels.fighters[level, node.fighter], node, below)
        return OPEN
    same = node.left > 1 and game.sides[below.fighter].team == game.sides[node.fighter].team
    ours = game.sides[node.fighter].team == own
    value = below.best_shared + (below.best_competitive if ours else -below.best_competitive)
    if outcome == EXACT:
        better = value > (node.probed if node.probe else floor_for(node, node.order))
    else:
        better = (outcome == CUT) == same
    if node.unproven and not (better and prove(game, levels, level, node)):
        return OPEN  # it does not matter, or leads through a body
    if node.probe and better:
        node.again = node.order  # now by how much
        return OPEN
    if outcome == EXACT:
        if (
            node.best_order < 0
            or value > node.best_value
            or (value == node.best_value and node.order < node.best_order)
        ):
            keep_best(game, levels, tree, shared, level, value)
            if value >= node.limit:
                return CUT  # the alpha-beta cut: the other team avoids this node
        return OPEN
    # the node below failed or was cut: in a run of nodes of one team a cut discards the whole run
    if better and not same:
        keep_refutation(game, levels, tree, shared, level)
    return CUT if better else OPEN


@pasted
def keep_refutation(game, levels, tree, shared, level):
    """Let the choice that was just tried, which cuts its node, be tried first in its posture."""
    node, state = tree.nodes[level], levels.fighters[level, tree.nodes[level].fighter]
    number = choice(game.tables, state, node.order)
    if node.sort == REAL or number == GO_ON:
        return
    keep_killer(shared, node.left, posture_of(game.tables, state), node.order)
    shared.history[node.left, number] += 1.0
    if level == 1:
        shared.replies[tree.nodes[0].order] = node.order


@pasted
def add_expected(game, state, node, below):
    """Add the value of a choice of an EXPECTED node, weighted by its probability."""
    weight = 1.0 / node.best_order
    if node.weight > 0.0:
        number = choice(game.tables, state, node.order)
        number = state.action if number == GO_ON else number
        weight = game.guess[node.fighter, number] / node.weight
    node.best_competitive += weight * below.best_competitive
    node.best_shared += weight * below.best_shared


@pasted
def keep_best(game, levels, tree, shared, level, value):
    """Keep the choice that was just searched as the best of its node, and tell all threads."""
    node, below, state = (
        tree.nodes[level],
        tree.nodes[level + 1],
        levels.fighters[level, tree.nodes[level].fighter],
    )
    node.best, node.best_order = choice(game.tables, state, node.order), node.order
    node.best_value = value
    node.best_competitive, node.best_shared = below.best_competitive, below.best_shared
    step = tree.lines[level, 0]
    step.fighter, step.action, step.tick = node.fighter, node.best, levels.moments[level].now
    for k in range(below.length):
        tree.lines[level, k + 1] = tree.lines[level + 1, k]
    node.length = below.length + 1
    if node.best != GO_ON:
        keep_killer(shared, node.left, posture_of(game.tables, state), node.order)
        shared.history[node.left, node.best] += 1.0
    if level == 1:
        shared.replies[tree.nodes[0].order] = node.order
    if level == 0 and value > shared.best[0]:
        shared.best[0] = value


@inlined
def keep_killer(shared, left, posture, order):
    """Let a choice be the first that is tried in a posture; the one before it comes second."""
    if shared.killers[left, posture] != order:
        shared.former_killers[left, posture] = shared.killers[left, posture]
        shared.killers[left, posture] = order


# ---- For the choices of the root


@kernel
def promises(game, levels, contacts, fighter, given_orders, worth):
    """Write the value of each of the given choices, without a later selection, into `worth`."""
    own, after = game.sides[fighter].team, levels.moments[1]
    for k in range(len(given_orders)):
        number = choice(game.tables, levels.fighters[0, fighter], given_orders[k])
        play(game, levels, contacts, 0, fighter, number, own, True)
        worth[k] = after.competitive + after.shared


@kernel
def describe(game, levels, fighter, terms):
    """Score every choice by itself, without interruption, by the terms of duel.search.TERMS."""
    fighters, now, tables = levels.fighters[0], levels.moments[0].now, game.tables
    side, trial = game.sides[fighter], levels.fighters[1, fighter]
    x, z = pelvis_at(tables, fighters[fighter], now)
    opponent, _, _ = nearest(game, fighters, fighter, x, z, now)
    copy_fighters(levels, 0, 1)
    first, stop = choices_of(tables, fighters[fighter])
    for order in range(stop - first):
        number = tables.choices[first + order]
        begin(tables, fighters[fighter], trial, number, now)
        frame = tables.actions[number].first + tables.actions[number].ticks
        looks = tables.frames[frame].facing + trial.place.yaw
        x, z = pelvis_in(tables, trial, frame)
        _, far_x, far_z = nearest(game, fighters, fighter, x, z, trial.stop)
        terms[order, 0] = stance(side, looks, far_x, far_z)
        terms[order, 1] = path(side, looks, x, z)
        terms[order, 2] = control(game, levels.recent[0], fighter, number)
        terms[order, 3] = pairing(game, fighters, fighter, number, opponent, now)
        terms[order, 4] = request(game, fighter, number)
        outlook = foresee(game, levels.fighters[1], fighter, now)
        terms[order, 5] = temper(game, fighters, fighter, number, opponent, now, outlook)
        if extended(game):
            describe_added(game, fighters, levels.fighters[1], fighter, number, now, terms[order, 6:])
