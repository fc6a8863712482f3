"""Places of the fighters of a duel: from places in recordings to places on the floor."""

import numpy as np

from randori.kernels.compile import inlined
from randori.kernels.duel_records import ATTACK, Place
from randori.kernels.plane import add_yaws, move_point, move_point_back


@inlined
def moved(place, x, z):
    """A point of a recording, x and z, on the floor."""
    return move_point(place.cos, place.sin, place.x, place.z, x, z)


@inlined
def seen_from(place, x, z):
    """A point on the floor, as a recording that lies at a place sees it."""
    return move_point_back(place.cos, place.sin, place.x, place.z, x, z)


@inlined
def composed(outer, inner):
    """The place that moves by `inner` first and by `outer` then."""
    x, z = moved(outer, inner.x, inner.z)
    cos, sin = add_yaws(outer.cos, outer.sin, inner.cos, inner.sin)
    return Place(x, z, outer.yaw + inner.yaw, cos, sin)


@inlined
def put(place, there):
    """Make a row of PLACEMENT the same as another place."""
    place.x, place.z, place.yaw = there.x, there.z, there.yaw
    place.cos, place.sin = there.cos, there.sin


@inlined
def frame_at(tables, state, tick):
    """The frame that a fighter shows in a tick."""
    action = tables.actions[state.action]
    return action.first + min(tick - state.start, action.ticks)


@inlined
def pelvis_in(tables, state, frame):
    """The place of a fighter's pelvis, x and z, in a frame that it shows."""
    return moved(state.place, tables.frames[frame].x, tables.frames[frame].z)


@inlined
def pelvis_at(tables, state, tick):
    """The place of a fighter's pelvis, x and z, in a tick."""
    return pelvis_in(tables, state, frame_at(tables, state, tick))


@inlined
def stands(tables, state):
    """The place of the posture in which a fighter's action ends, or in which it can be broken off now."""
    if state.alert >= 0:
        return composed(state.place, tables.breaks[state.alert].exit)
    return composed(state.place, tables.actions[state.action].exit)


@inlined
def posture_of(tables, state):
    """The posture in which a fighter's action ends, or in which it can be broken off now."""
    if state.alert >= 0:
        return tables.breaks[state.alert].posture
    return tables.actions[state.action].end_posture


@inlined
def in_range(game, fighters, fighter, place, action, now):
    """Whether an attack, a row of ACTION with strikes, is near enough, and not too near, as it strikes.

    It begins now, in a posture at a place.
    """
    strike = game.tables.strikes[action.strike_start]
    x, z = moved(place, action.strike_x, action.strike_z)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, now + strike.first)
    squared = far_x * far_x + far_z * far_z
    return strike.room**2 <= squared <= strike.range**2


@inlined
def launches(game, fighters, fighter, number, now):
    """Whether the selection of an action is an attack that is in range."""
    action = game.tables.actions[number]
    if action.kind != ATTACK or action.strike_start == action.strike_stop:
        return False
    return in_range(game, fighters, fighter, stands(game.tables, fighters[fighter]), action, now)


@inlined
def nearest(game, fighters, fighter, x, z, tick):
    """The opponent that is nearest to a point in a tick, and the way there: number, x, z."""
    found, best, far_x, far_z = -1, 0.0, 0.0, 0.0
    for other in range(len(fighters)):
        if game.sides[other].team == game.sides[fighter].team:
            continue
        other_x, other_z = pelvis_at(game.tables, fighters[other], tick)
        squared = (other_x - x) ** 2 + (other_z - z) ** 2
        if found < 0 or squared < best:
            found, best, far_x, far_z = other, squared, other_x - x, other_z - z
    return found, far_x, far_z


@inlined
def may_strike(tables, state, tick):
    """Whether the current action of a fighter may still strike."""
    action = tables.actions[state.action]
    for strike in range(action.strike_start, action.strike_stop):
        spent = (state.spent >> (strike - action.strike_start)) & 1
        if not spent and tables.strikes[strike].stop > tick - state.start:
            return True
    return False


@inlined
def attacks(tables, state, tick):
    """Whether a fighter's attack is under way."""
    return tables.actions[state.action].kind == ATTACK and may_strike(tables, state, tick)


@inlined
def onset_with(tables, state, action, tick):
    """`onset` of a fighter that begins an action, a row of ACTION: attacks in a row have one onset."""
    if action.kind != ATTACK or tables.actions[state.action].kind == ATTACK:
        return state.onset
    return tick


@inlined
def seen_since(attack, reaction):
    """The tick from which on an opponent with a reaction time sees an attack.

    A fighter that has seen one attack of a row expects the next one, and sees it in half the time.
    """
    return max(attack.onset + reaction, attack.start + reaction // 2)


@inlined
def attacked(game, fighters, fighter, tick):
    """Whether an opponent's attack is under way."""
    for other in range(len(fighters)):
        if game.sides[other].team != game.sides[fighter].team and attacks(game.tables, fighters[other], tick):
            return True
    return False


@inlined
def discs_meet(place, disc, radius, other_place, other_disc, other_radius):
    """Whether two discs that move with two places overlap."""
    x, z = moved(place, disc.x, disc.z)
    other_x, other_z = moved(other_place, other_disc.x, other_disc.z)
    far = radius + other_radius
    return (x - other_x) ** 2 + (z - other_z) ** 2 <= far * far


@inlined
def as_seen_by(other, place):
    """The transform from a recording at one place to a recording at another: cosine, sine, x, z."""
    c, s = add_yaws(place.cos, place.sin, other.cos, -other.sin)
    x, z = seen_from(other, place.x, place.z)
    return c, s, x, z


@inlined
def recorded_end(body, frame, part, end):
    """The end 0 or 1 of a capsule, as recorded."""
    return (
        np.float64(body[frame, part, end, 0]),
        np.float64(body[frame, part, end, 1]),
        np.float64(body[frame, part, end, 2]),
    )


@inlined
def touched_balls(balls, frame, x, y, z, radius):
    """The balls of a frame that a ball touches: bit j for ball j.

    A loop without a branch, in vector instructions.
    """
    touched = 0
    for j in range(balls.shape[2]):
        u, v, w = x - balls[frame, 0, j], y - balls[frame, 1, j], z - balls[frame, 2, j]
        far = radius + balls[frame, 3, j]
        touched |= (u * u + v * v + w * w <= far * far) << j
    return touched


@inlined
def capsule_end(body, frame, part, end, c, s, tx, tz):
    """The end 0 or 1 of a capsule, moved by what `as_seen_by` gives."""
    x, y, z = recorded_end(body, frame, part, end)
    x, z = move_point(c, s, tx, tz, x, z)
    return x, y, z
