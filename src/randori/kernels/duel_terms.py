"""The terms of the competitive and the cooperative function (docs/duel.md), one function each.

A term gives what it adds to the sums of one fighter, whose wishes are `side`, a row of SIDE.
docs/add-to-the-duel.md says how to add one.
"""

import math

from randori.kernels.angles import without_full_turns
from randori.kernels.compile import inlined, kernel
from randori.kernels.duel_added import added_at_end, added_at_selection, extended
from randori.kernels.duel_places import attacks, launches, moved, nearest, pelvis_in, stands
from randori.kernels.duel_records import AT_SELECTION, ATTACK, DEFENCE, LANDS, MISSES

# radians past an opponent that count as much as a metre too far away. Of the attacks in range two in five
# meet something if the fighter looks less than 10° past its opponent, and one in seven from 25° on.
ASIDE = 0.5 * math.pi


@inlined
def stance(side, looks, x, z):
    """f_mov1: a fighter that looks along a yaw keeps its distance, and its eyes on the opponent at (x, z)."""
    theta = without_full_turns(looks - math.atan2(x, z))
    off = math.sqrt(x * x + z * z) - side.distance
    return -(side.facing_weight * theta * theta + side.distance_weight * off * off)


@inlined
def path(side, looks, x, z):
    """f_mov2: a fighter at (x, z) is where it should be, and looks where it should."""
    total = 0.0
    if side.heading_weight != 0.0:
        gamma = without_full_turns(looks - side.heading)
        total -= side.heading_weight * gamma * gamma
    if side.path_weight != 0.0:
        squared = (x - side.goal_x) ** 2 + (z - side.goal_z) ** 2
        total -= side.path_weight * squared
    return total


@kernel
def movement(game, fighters, fighter, frame, tick):
    """The score of the end of an action, in the frame that the fighter then shows: competitive, shared."""
    state, side = fighters[fighter], game.sides[fighter]
    looks = game.tables.frames[frame].facing + state.place.yaw
    x, z = pelvis_in(game.tables, state, frame)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, tick)
    competitive, shared = stance(side, looks, far_x, far_z), path(side, looks, x, z)
    if extended(game):
        competitive += added_at_end(game, fighters, fighter, frame, tick)
    if side.path_rival:
        return competitive + shared, 0.0
    return competitive, shared


@inlined
def given(side, action):
    """w_D⁺: what damage counts for the fighter that gives it with an action, a row of ACTION."""
    return side.given_short if action.short else side.given_long


@inlined
def valued(side, action):
    """The share of its larger w_D⁺ that a style gives to attacks of this range; 1 if it values none."""
    most = max(side.given_short, side.given_long)
    return given(side, action) / most if most > 0.0 else 1.0


@inlined
def taken(side):
    """w_D⁻: what damage counts for the fighter that takes it."""
    return -side.taken


@inlined
def control(game, recent, fighter, number):
    """DUEL's control term: short actions, not those that were just used, and none that stands still."""
    side, actions = game.sides[fighter], game.tables.actions
    total = -side.duration_weight * actions[number].ticks * game.rules.tick
    total -= side.stillness_weight * actions[number].still
    if side.recency_weight != 0.0:
        weight = side.recency_weight
        for k in range(recent.shape[1]):
            used = recent[fighter, k]
            if used == number:
                total -= weight
            elif used >= 0 and actions[used].likeness == actions[number].likeness:
                total -= weight * game.rules.alike
            weight *= game.rules.forgetting
    return total


@inlined
def suitability(game, fighters, number, opponent, tick):
    """S of the combination table: how well an action suits the attack that it answers, 0 for other pairs."""
    actions, table = game.tables.actions, game.combination
    action, attack = actions[number], actions[fighters[opponent].action]
    if action.pairing < 0 or attack.kind != ATTACK or attack.pairing < 0:
        return 0.0
    if not attacks(game.tables, fighters[opponent], tick):
        return 0.0
    row = action.pairing
    if action.kind == ATTACK:
        row += table.shape[0] - table.shape[1]  # the rows of attacks follow on those of defences
    return table[row, attack.pairing]


@inlined
def pairing(game, fighters, fighter, number, opponent, tick):
    """f_comb: how well a defence, or a counter-attack, suits the attack that it answers."""
    if game.sides[fighter].pairing_weight == 0.0:
        return 0.0
    return game.sides[fighter].pairing_weight * suitability(game, fighters, number, opponent, tick)


@inlined
def caution(game, fighters, fighter, number, opponent, tick):
    """The gain of a defence that suits the attack it answers."""
    if game.tables.actions[number].kind != DEFENCE:
        return 0.0
    return game.sides[fighter].caution_weight * suitability(game, fighters, number, opponent, tick)


@kernel
def temper(game, fighters, fighter, number, opponent, tick, outlook):
    """The score of the selection that a search is about; no other selection has it.

    In the tree it would count for nothing: an opponent would prevent it, or both would cancel out. `outlook`
    is the outcome if all fighters carry on with their actions (duel_world.foresee).
    """
    total = caution(game, fighters, fighter, number, opponent, tick) + game.urges[fighter, number]
    return (
        total
        - futility(game, fighter, number, outlook)
        + initiative(game, fighters, fighter, number, tick, outlook)
    )


@inlined
def futility(game, fighter, number, outlook):
    """The cost of an attack that would meet no body; half of it, if it would meet a guard.

    An attack of a range that the style does not value costs as much as if it missed.
    """
    side, action = game.sides[fighter], game.tables.actions[number]
    if action.kind != ATTACK or action.strike_start == action.strike_stop:
        return 0.0
    meets = 1.0 if outlook == LANDS else 0.0 if outlook == MISSES else 0.5
    return side.futility_weight * (1.0 - meets * valued(side, action))


@inlined
def initiative(game, fighters, fighter, number, tick, outlook):
    """The gain of a fighter left in peace when it attacks, comes nearer or turns to its opponent.

    It grows with the wait. Only attacks count of a range that its style values. A style that keeps away is
    drawn nearer gradually.
    """
    side, since = game.sides[fighter], fighters[fighter].peace
    if side.initiative_weight == 0.0 or since >= tick:
        return 0.0
    peace = min((tick - since) * game.rules.tick, game.rules.patience)
    worth = side.initiative_weight * peace * peace
    action = game.tables.actions[number]
    if outlook != MISSES and launches(game, fighters, fighter, number, tick):
        return worth * valued(side, action)
    place = stands(game.tables, fighters[fighter])
    x, z = moved(place, action.end.x, action.end.z)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, tick + action.ticks)
    past = abs(without_full_turns(place.yaw + action.end.yaw - math.atan2(far_x, far_z)))
    kept = max(side.distance - side.reach, 0.0) * (1.0 - (peace / game.rules.patience) ** 2)
    beyond = math.sqrt(far_x * far_x + far_z * far_z) - side.reach - kept
    return -worth * min(max(beyond, 0.0) + past / ASIDE, 1.0)


@inlined
def request(game, fighter, number):
    """f_req: what an animator asks for, or does not want."""
    return game.sides[fighter].request_weight * game.requests[fighter, number]


@inlined
def selection(game, fighters, recent, fighter, number, opponent, tick):
    """The immediate score of the selection of an action: competitive, shared."""
    competitive = control(game, recent, fighter, number)
    if extended(game):
        competitive += added_at_selection(game, fighters, fighter, number, tick, AT_SELECTION)
    shared = request(game, fighter, number)
    suits = pairing(game, fighters, fighter, number, opponent, tick)
    if game.sides[fighter].pairing_shared:
        return competitive, shared + suits
    return competitive + suits, shared
