"""Two selections of a duel without a possible hit: their value is known before they are played.

Most of a deep search looks at choices out of reach, which one known reply refutes: as nothing happens but
where the fighters end, the reply need not be played to be sure of that.
"""

from randori.kernels.compile import kernel, pasted
from randori.kernels.duel_moves import begin, choices_of, copy_fighters, situation_of
from randori.kernels.duel_places import frame_at, may_strike
from randori.kernels.duel_records import ROUNDING
from randori.kernels.duel_rules import PLAUSIBLE, broken_rule, ending_of, penetration
from randori.kernels.duel_terms import movement, selection


@kernel
def refute(game, levels, tree, killers, level, own, need):
    """Lower the tops of the candidates of a node with two selections left that a known reply refutes.

    The reply is what was best for the other fighter in its posture before. Levels + 1 and + 2 are used.
    """
    node, fighters, tables = tree.nodes[level], levels.fighters[level], game.tables
    fighter, other, now = node.fighter, 1 - node.fighter, levels.moments[level].now
    reply, then = known_reply(game, fighters, fighter, killers, now)
    if reply < 0:
        return
    base = levels.moments[level].competitive
    base = base if game.sides[fighter].team == own else -base
    first, after_last = choices_of(tables, fighters[fighter])
    copy_fighters(levels, level, level + 1)
    for k in range(node.count):
        candidate = tree.candidates[level, k]
        if candidate.top <= need or first + candidate.order == after_last:
            continue  # it cannot matter, or it is going on
        number = tables.choices[first + candidate.order]
        action = tables.actions[number]
        stop = now + action.ticks
        if action.strike_start != action.strike_stop:
            continue
        if then > stop or (then == stop and fighter < other):
            continue  # the fighter selects again itself
        begin(tables, fighters[fighter], levels.fighters[level + 1, fighter], number, now)
        copy_fighters(levels, level + 1, level + 2)
        begin(tables, fighters[other], levels.fighters[level + 2, other], reply, then)
        value = value_of(game, levels, level, fighter, number, reply, then, base)
        value += ROUNDING * (1.0 + abs(value) + abs(base))
        if value <= need and is_plausible(game, levels, level + 1, other, reply, then):
            candidate.top = min(candidate.top, value)


@pasted
def known_reply(game, fighters, fighter, killers, now):
    """The reply of a fighter's only opponent, and the tick in which it selects; -1 if there is none.

    Neither the opponent nor its reply can strike.
    """
    if len(fighters) != 2 or not game.bounds.zero_sum:
        return -1, now
    tables, rival = game.tables, fighters[1 - fighter]
    if game.sides[0].touch > 0.0 or game.sides[1].touch > 0.0:
        return -1, now
    if rival.alert >= 0 or (not rival.idle and may_strike(tables, rival, now)):
        return -1, now
    posture = tables.actions[rival.action].end_posture
    if killers[posture] < 0:
        return -1, now
    reply = tables.choices[tables.choice_start[posture] + killers[posture]]
    if tables.actions[reply].strike_start != tables.actions[reply].strike_stop:
        return -1, now
    return reply, now if rival.idle else rival.stop


@pasted
def value_of(game, levels, level, fighter, number, reply, then, base):
    """The fighter's value, from `base` on, of a choice, begun at level + 1, and its reply, at level + 2."""
    other, now = 1 - fighter, levels.moments[level].now
    before, first, second = levels.fighters[level], levels.fighters[level + 1], levels.fighters[level + 2]
    value, _ = selection(game, before, levels.recent[level], fighter, number, other, now)
    value += base
    if not before[other].idle and before[other].start >= levels.moments[0].now:
        counted, _ = movement(game, first, other, frame_at(game.tables, first[other], then), then)
        value -= counted
    counted, _ = selection(game, first, levels.recent[level], other, reply, fighter, then)
    value -= counted
    stop, end = second[fighter].stop, second[other].stop
    frame = frame_at(game.tables, second[fighter], stop)
    counted, _ = movement(game, first if then == stop else second, fighter, frame, stop)
    value += counted
    counted, _ = movement(game, second, other, frame_at(game.tables, second[other], end), end)
    return value - counted


@pasted
def is_plausible(game, levels, level, fighter, number, now):
    """Whether a choice at a level, played at the next one, breaks no rule; no fighter is attacked."""
    fighters, action = levels.fighters[level], game.tables.actions[number]
    situation = situation_of(game, fighters, fighter, now)
    ending = ending_of(game, fighters, fighter, situation.stands, action, now + action.ticks)
    if broken_rule(game, fighters, fighter, action, ending, situation) != PLAUSIBLE:
        return False
    return penetration(game, levels.fighters[level + 1], fighter, now) == PLAUSIBLE
