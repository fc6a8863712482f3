"""Selecting in a duel: from one moment to the next, what is not seen yet, and which choices are plausible."""

import math

from randori.kernels.compile import inlined, kernel
from randori.kernels.duel_added import added_at_selection, extended
from randori.kernels.duel_places import (
    attacked,
    attacks,
    composed,
    nearest,
    onset_with,
    pelvis_at,
    posture_of,
    put,
    seen_since,
    stands,
)
from randori.kernels.duel_records import ALL_SPENT, AT_ROOT, GO_ON
from randori.kernels.duel_rules import Situation, broken_rule, ending_of, penetration
from randori.kernels.duel_terms import selection, temper
from randori.kernels.duel_world import NEVER, advance, count_movement, foresee


@inlined
def copy_fighters(levels, source, target):
    """Copy what all fighters do from level `source` to level `target`."""
    for i in range(levels.fighters.shape[1]):
        levels.fighters[target, i] = levels.fighters[source, i]


@inlined
def copy_moment(levels, source, target):
    """Make level `target` the same moment as `source`."""
    copy_fighters(levels, source, target)
    for i in range(levels.recent.shape[1]):
        for k in range(levels.recent.shape[2]):
            levels.recent[target, i, k] = levels.recent[source, i, k]
    levels.moments[target] = levels.moments[source]


@inlined
def begin(tables, before, state, number, tick):
    """Let a fighter, whose action in `before` has ended or is broken off, begin the next one in `state`."""
    action = tables.actions[number]
    put(state.place, composed(stands(tables, before), action.entry))
    state.onset = onset_with(tables, before, action, tick)
    state.action, state.start, state.stop = number, tick, tick + action.ticks
    state.spent, state.idle, state.alert = 0, 0, -1


@inlined
def next_selector(fighters):
    """The fighter that selects, idle or alert, or -1."""
    for i in range(len(fighters)):
        if fighters[i].idle or fighters[i].alert >= 0:
            return i
    return -1


@inlined
def choices_of(tables, state):
    """The numbers of the first choice of a fighter that selects, and of the one after its last.

    An alert fighter may also go on: that is the choice after the last.
    """
    posture = posture_of(tables, state)
    return tables.choice_start[posture], tables.choice_start[posture + 1]


@kernel
def count_unseen(game, fighters, fighter, now):
    """The number of attacks that a fighter has not seen yet."""
    count = 0
    for other in range(len(fighters)):
        count += unseen(game, fighters, fighter, other, now)
    return count


@kernel
def disbelieve(game, fighters, fighter, now):
    """Let the strikes of all attacks that a fighter has not seen yet be spent."""
    for other in range(len(fighters)):
        if unseen(game, fighters, fighter, other, now):
            fighters[other].spent |= ALL_SPENT


@inlined
def unseen(game, fighters, fighter, other, now):
    """Whether a fighter is attacked and has not seen it yet."""
    if game.sides[other].team == game.sides[fighter].team:
        return False
    if seen_since(fighters[other], game.sides[fighter].reaction) <= now:
        return False
    return attacks(game.tables, fighters[other], now)


@kernel
def situation_of(game, fighters, fighter, now):
    """The situation of a fighter that selects."""
    x, z = pelvis_at(game.tables, fighters[fighter], now)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, now)
    return Situation(
        stands(game.tables, fighters[fighter]),
        math.sqrt(far_x * far_x + far_z * far_z),
        attacked(game, fighters, fighter, now),
        now,
    )


@kernel
def find_broken_rules(game, levels, level, fighter, broken):
    """For each choice the first rule that it breaks, penetration aside, into `broken`."""
    fighters, tables = levels.fighters[level], game.tables
    situation = situation_of(game, fighters, fighter, levels.moments[level].now)
    first, stop = choices_of(tables, fighters[fighter])
    for order in range(stop - first):
        action = tables.actions[tables.choices[first + order]]
        ending = ending_of(game, fighters, fighter, situation.stands, action, situation.now + action.ticks)
        broken[order] = broken_rule(game, fighters, fighter, action, ending, situation)


@kernel
def find_all_broken_rules(game, levels, level, fighter, broken):
    """For each choice the first rule that it breaks, into `broken`. Returns the best that is reached.

    Level + 1 is used for trials.
    """
    tables, now = game.tables, levels.moments[level].now
    find_broken_rules(game, levels, level, fighter, broken)
    copy_fighters(levels, level, level + 1)
    before, trial = levels.fighters[level, fighter], levels.fighters[level + 1, fighter]
    first, stop = choices_of(tables, before)
    best = 0
    for order in range(stop - first):
        begin(tables, before, trial, tables.choices[first + order], now)
        rule = penetration(game, levels.fighters[level + 1], fighter, now)
        broken[order] = min(broken[order], rule)
        best = max(best, broken[order])
    return best


@kernel
def play(game, levels, contacts, level, fighter, number, own, playing_out):
    """Let a fighter select an action, or GO_ON, and time go on from there at level + 1; `own` team searches.

    If no fighter may select any more, it is played out until all are idle.
    """
    child = level + 1
    now, fighters = levels.moments[level].now, levels.fighters[level]
    copy_moment(levels, level, child)
    if number == GO_ON:
        levels.fighters[child, fighter].alert = -1
        advance(game, levels, contacts, child, own, playing_out, NEVER)
        return
    if fighters[fighter].alert >= 0:
        count_movement(game, levels, child, own, fighter)
    x, z = pelvis_at(game.tables, fighters[fighter], now)
    opponent, _, _ = nearest(game, fighters, fighter, x, z, now)
    competitive, shared = selection(game, fighters, levels.recent[level], fighter, number, opponent, now)
    begin(game.tables, fighters[fighter], levels.fighters[child, fighter], number, now)
    if level == 0:
        outlook = foresee(game, levels.fighters[child], fighter, now)
        competitive += temper(game, fighters, fighter, number, opponent, now, outlook)
        if extended(game):
            competitive += added_at_selection(game, fighters, fighter, number, now, AT_ROOT)
    moment = levels.moments[child]
    moment.competitive += competitive if game.sides[fighter].team == own else -competitive
    moment.shared += shared
    recent = levels.recent[child, fighter]
    for k in range(len(recent) - 1, 0, -1):
        recent[k] = recent[k - 1]
    if len(recent):
        recent[0] = number
    advance(game, levels, contacts, child, own, playing_out, NEVER)
