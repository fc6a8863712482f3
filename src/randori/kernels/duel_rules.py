"""Rules of plausible choices (docs/duel.md): one function per rule, in the order of their importance.

A rule is written once: the search, the listing of candidates and `duel.search.Searcher.broken_rules` all ask
`broken_rule` and `penetration`. docs/add-to-the-duel.md says how to add one.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.angles import without_full_turns
from randori.kernels.compile import inlined, kernel, pasted
from randori.kernels.contact import CORE, gap_squared
from randori.kernels.duel_added import extended, first_added_rule
from randori.kernels.duel_places import (
    as_seen_by,
    capsule_end,
    discs_meet,
    frame_at,
    in_range,
    moved,
    nearest,
    pelvis_in,
    recorded_end,
    touched_balls,
)
from randori.kernels.duel_records import ATTACK, DEFENCE, MOST_ADDED_RULES
from randori.kernels.plane import add_yaws, move_point

GRADES = 9  # of looking away: if no choice faces the opponent, one that turns there is better than the others
GRADE = math.pi / 12.0  # radians from one grade to the next
ENDS_INSIDE, PENETRATES, LOOKS_AWAY = range(3)  # LOOKS_AWAY is its worst grade
OUT_OF_RANGE = LOOKS_AWAY + GRADES
TOO_NEAR, NEEDLESS, ADDED = OUT_OF_RANGE + 1, OUT_OF_RANGE + 2, OUT_OF_RANGE + 3
PLAUSIBLE = ADDED + MOST_ADDED_RULES  # rules of users have the numbers from ADDED on
LEAVING = 0.2  # metres by which a fighter that is too near must at least get away


class Ending(NamedTuple):
    """The end of a choice that nothing interrupts."""

    x: float  # of the pelvis
    z: float
    look_x: float  # direction of the look
    look_z: float
    far_x: float  # from there to the nearest opponent
    far_z: float


class Situation(NamedTuple):
    """The situation of a fighter that selects; the same for all of its choices."""

    stands: object  # Place of the posture
    apart: float  # metres to the nearest opponent
    under_attack: bool
    now: int  # tick


@inlined
def ending_of(game, fighters, fighter, stands, action, tick):
    """The ending of an action, a row of ACTION, that a fighter begins where it stands; it ends in a tick."""
    end = action.end
    x, z = moved(stands, end.x, end.z)
    look_z, look_x = add_yaws(stands.cos, stands.sin, end.cos, end.sin)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, tick)
    return Ending(x, z, look_x, look_z, far_x, far_z)


@pasted
def looks_away(game, ending):
    """Rule 2: by how many grades it does not face its opponent at the end, 0 if it does."""
    apart = math.sqrt(ending.far_x * ending.far_x + ending.far_z * ending.far_z)
    if ending.look_x * ending.far_x + ending.look_z * ending.far_z >= game.rules.facing_cos * apart:
        return 0
    looks, there = math.atan2(ending.look_x, ending.look_z), math.atan2(ending.far_x, ending.far_z)
    past = abs(without_full_turns(looks - there)) - game.rules.facing
    return min(1 + int(max(past, 0.0) / GRADE), GRADES)


@pasted
def out_of_range(game, fighters, fighter, action, situation):
    """Rule 3: an attack is too far from the opponent as it strikes, or too near; a defence is too far."""
    if action.kind == DEFENCE:
        return situation.apart > game.rules.defence_range
    if action.kind != ATTACK or action.strike_start == action.strike_stop:
        return False
    return not in_range(game, fighters, fighter, situation.stands, action, situation.now)


@pasted
def too_near(action, ending, situation):
    """Rule 4: it ends without room for the own body and weapon, and was not nearer before."""
    room = min(action.room, situation.apart + LEAVING)
    return room > 0.0 and ending.far_x * ending.far_x + ending.far_z * ending.far_z < room * room


@pasted
def needless(action, situation):
    """Rule 5: it defends against nothing."""
    return action.kind == DEFENCE and not situation.under_attack


@inlined
def broken_rule(game, fighters, fighter, action, ending, situation):
    """The first rule that a choice breaks, penetration aside; PLAUSIBLE if none."""
    away = looks_away(game, ending)
    if away > 0:
        return LOOKS_AWAY + GRADES - away
    if out_of_range(game, fighters, fighter, action, situation):
        return OUT_OF_RANGE
    if too_near(action, ending, situation):
        return TOO_NEAR
    if needless(action, situation):
        return NEEDLESS
    if extended(game):
        rule = first_added_rule(game, action, ending, situation.now + action.ticks)
        return ADDED + rule if rule >= 0 else PLAUSIBLE
    return PLAUSIBLE


@kernel
def penetration(game, fighters, fighter, now):
    """Rules 0 and 1, for what a fighter does since `now`: its body ends in another one, or passes it."""
    state = fighters[fighter]
    if inside(game, fighters, fighter, state.stop):
        return ENDS_INSIDE
    if not may_meet(game, fighters, fighter):
        return PLAUSIBLE
    for tick in range(now + game.rules.overlap_step, state.stop, game.rules.overlap_step):
        if inside(game, fighters, fighter, tick):
            return PENETRATES
    return PLAUSIBLE


@inlined
def may_meet(game, fighters, fighter):
    """Whether a fighter's core can meet an opponent's in some tick of their actions."""
    state = fighters[fighter]
    action = game.tables.actions[state.action]
    for other in range(len(fighters)):
        if game.sides[other].team == game.sides[fighter].team:
            continue
        theirs = game.tables.actions[fighters[other].action]
        if discs_meet(
            state.place, action.body, action.core_radius,
            fighters[other].place, theirs.body, theirs.core_radius,
        ):  # fmt: skip
            return True
    return False


@kernel
def inside(game, fighters, fighter, tick):
    """Whether a fighter's core lies in an opponent's in a tick."""
    tables, state = game.tables, fighters[fighter]
    f = frame_at(tables, state, tick)
    x, z = pelvis_in(tables, state, f)
    for other in range(len(fighters)):
        if game.sides[other].team == game.sides[fighter].team:
            continue
        g = frame_at(tables, fighters[other], tick)
        other_x, other_z = pelvis_in(tables, fighters[other], g)
        far = tables.frames[f].core_reach + tables.frames[g].core_reach - game.rules.overlap
        if (other_x - x) ** 2 + (other_z - z) ** 2 >= far * far:
            continue
        if cores_overlap(tables, game.rules.overlap, state.place, f, fighters[other].place, g):
            return True
    return False


@kernel
def cores_overlap(tables, overlap, place, f, other_place, g):
    """Whether the core of a body in frame f lies in that of another one in frame g, deeper than `overlap`."""
    body, radii, balls = tables.body, tables.radii, tables.balls
    c, s, tx, tz = as_seen_by(other_place, place)
    for i in range(len(CORE)):
        ball = balls[f, 3, i] - np.float32(overlap)
        x, z = move_point(c, s, tx, tz, balls[f, 0, i], balls[f, 2, i])
        # most capsules are far from each other: so are the balls that hold them
        near = touched_balls(balls, g, np.float32(x), balls[f, 1, i], np.float32(z), ball)
        if near == 0 or radii[f, CORE[i]] < 0.0:
            continue
        wide = np.float64(radii[f, CORE[i]]) - overlap
        ax, ay, az = capsule_end(body, f, CORE[i], 0, c, s, tx, tz)
        bx, by, bz = capsule_end(body, f, CORE[i], 1, c, s, tx, tz)
        for j in range(len(CORE)):
            if not (near >> j) & 1:
                continue
            part = CORE[j]
            both = wide + radii[g, part]
            dx, dy, dz = recorded_end(body, g, part, 0)
            ex, ey, ez = recorded_end(body, g, part, 1)
            # quick: along the vertical they may be far apart
            if min(ay, by) - max(dy, ey) > both or min(dy, ey) - max(ay, by) > both:
                continue
            if radii[g, part] < 0.0 or both <= 0.0:
                continue
            if gap_squared(ax, ay, az, bx, by, bz, dx, dy, dz, ex, ey, ez) < both * both:
                return True
    return False
