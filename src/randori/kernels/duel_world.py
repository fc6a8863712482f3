"""The world of a duel: strikes, reactions and all that happens until the next selection."""

import math

import numpy as np

from randori.kernels.compile import inlined, kernel, pasted
from randori.kernels.contact import (
    DAMAGE,
    GUARD,
    LEFT_FOREARM,
    RIGHT_FOREARM,
    VITAL,
    WEAPON,
    gap_squared,
)
from randori.kernels.duel_places import (
    as_seen_by,
    discs_meet,
    frame_at,
    may_strike,
    moved,
    nearest,
    pelvis_at,
    pelvis_in,
    recorded_end,
    seen_since,
    touched_balls,
)
from randori.kernels.duel_records import (
    ALL_SPENT,
    ATTACK,
    BEARINGS,
    BLOCK,
    CAUGHT,
    CAUGHT_BIT,
    HIT,
    LANDS,
    MEETS_GUARD,
    MISSES,
    REACTION,
)
from randori.kernels.duel_terms import given, movement, taken
from randori.kernels.plane import move_point, shift_between, turn_direction, turn_direction_back

TARGETS = VITAL + GUARD  # capsules that a strike can meet
SECTOR = 2.0 * math.pi / BEARINGS  # radians
NEVER = 1 << 60  # a tick that does not come


@kernel
def advance(game, levels, contacts, level, own, playing_out, latest):
    """Let time go on until a fighter may select; or, if no fighter may any more, until all are idle.

    It does not pass the tick `latest`. Returns how many events there are then.
    """
    fighters, moment, count = levels.fighters[level], levels.moments[level], 0
    while True:
        busy, horizon = next_end(fighters, moment.now)
        if busy == 0 or moment.now >= latest or (not playing_out and may_select(fighters)):
            return count
        horizon = min(horizon, latest)
        if not playing_out:
            for i in range(len(fighters)):
                horizon = min(horizon, alarm(game, fighters, i, moment.now + 1))
        # Step 1. The first tick in which a strike meets a body, and all strikes that do so in it.
        meetings, soonest = find_meetings(game, fighters, contacts.meetings, moment.now, horizon)
        moment.now = min(horizon, soonest)
        # Step 2. Damage.
        for i in range(len(fighters)):
            contacts.blows[i].damage = 0.0
        for k in range(meetings):
            count = hit(game, levels, contacts, level, own, contacts.meetings[k], count)
        # Step 3. Reactions, and ends.
        for i in range(len(fighters)):
            if contacts.blows[i].damage > 0.0:
                count = react(game, levels, contacts, level, own, i, count)
        for i in range(len(fighters)):
            if not fighters[i].idle and fighters[i].stop == moment.now:
                count_movement(game, levels, level, own, i)
                fighters[i].idle = 1
        # Step 4. Fighters that begin to see an attack.
        if not playing_out:
            for i in range(len(fighters)):
                if alarm(game, fighters, i, moment.now) == moment.now:
                    fighters[i].alert = frame_at(game.tables, fighters[i], moment.now)


@kernel
def pass_time(game, levels, contacts, latest):
    """`advance` at level 0, for Python: it is compiled sooner than a second `advance`."""
    return advance(game, levels, contacts, 0, 0, False, latest)


@pasted
def next_end(fighters, now):
    """The number of busy fighters, and the first tick in which one of them ends."""
    busy, horizon = 0, now
    for i in range(len(fighters)):
        if not fighters[i].idle:
            if busy == 0 or fighters[i].stop < horizon:
                horizon = fighters[i].stop
            busy += 1
    return busy, horizon


@inlined
def may_select(fighters):
    """Whether a fighter is idle or alert."""
    selecting = 0
    for i in range(len(fighters)):
        selecting += fighters[i].idle or fighters[i].alert >= 0
    return selecting > 0


# ---- Step 1: meetings


@pasted
def find_meetings(game, fighters, meetings, now, horizon):
    """All that strikes and catches meet in the first tick after `now` in which they meet anything.

    Returns how many there are, and the tick; horizon + 1 if there is none until the horizon.
    """
    count, soonest = 0, horizon + 1
    for i in range(len(fighters)):
        state = fighters[i]
        if state.idle:
            continue
        action = game.tables.actions[state.action]
        for strike in range(action.strike_start, action.strike_stop):
            if (state.spent >> (strike - action.strike_start)) & 1:
                continue
            tick, struck, part = strike_meets(game, fighters, i, strike, now + 1, min(horizon, soonest))
            if struck >= 0:
                if tick < soonest:
                    count, soonest = 0, tick
                write_meeting(meetings[count], i, strike, struck, part)
                count += 1
        if game.sides[i].touch > 0.0 and not state.spent & CAUGHT_BIT:
            tick, caught = catch(game, fighters, i, now + 1, min(horizon, soonest))
            if caught >= 0:
                if tick < soonest:
                    count, soonest = 0, tick
                write_meeting(meetings[count], i, -1, caught, -1)
                count += 1
    return count, soonest


@inlined
def write_meeting(meeting, striker, strike, struck, part):
    """Fill a row of MEETING."""
    meeting.striker, meeting.strike, meeting.struck, meeting.part = striker, strike, struck, part


@pasted
def strike_meets(game, fighters, fighter, number, earliest, latest):
    """The first tick from `earliest` to `latest` in which a strike meets a body; whose, which capsule."""
    tables, state = game.tables, fighters[fighter]
    strike = tables.strikes[number]
    earliest = max(earliest, state.start + strike.first)
    latest = min(latest, state.start + strike.stop - 1)
    struck, part = -1, -1
    if earliest > latest:
        return latest + 1, struck, part
    for other in range(len(fighters)):
        if game.sides[other].team == game.sides[fighter].team:
            continue
        action = tables.actions[fighters[other].action]
        if not discs_meet(
            state.place, strike.sweep, strike.sweep.radius,
            fighters[other].place, action.body, action.body.radius,
        ):  # fmt: skip
            continue
        tick, met = meet(tables, state, strike, fighters[other], earliest, latest)
        if met >= 0:
            struck, part, latest = other, met, tick - 1  # a further one would have to be met sooner
    return latest + 1, struck, part


@kernel
def landed_damage(game, fighters, fighter, now):
    """The damage of the one strike of what a fighter begins now, if opponents go on; 0 if it is blocked."""
    state = fighters[fighter]
    strike = game.tables.actions[state.action].strike_start
    tick, struck, part = strike_meets(game, fighters, fighter, strike, now + 1, state.stop)
    if struck < 0:
        return 0.0
    u, v, w = velocity(game, state, strike, tick)
    return math.sqrt(u * u + v * v + w * w) * damage_of(part)


@kernel
def foresee(game, fighters, fighter, now):
    """The outcome of an attack that a fighter begins now, if all fighters carry on with their actions.

    MISSES, MEETS_GUARD or LANDS: the best of its strikes counts.
    """
    state, best = fighters[fighter], MISSES
    action = game.tables.actions[state.action]
    for strike in range(action.strike_start, action.strike_stop):
        _, struck, part = strike_meets(game, fighters, fighter, strike, now + 1, state.stop)
        if struck >= 0:
            best = max(best, LANDS if damage_of(part) > 0.0 else MEETS_GUARD)
    return best


@kernel
def meet(tables, state, strike, other, earliest, latest):
    """The first tick in which a fighter's strike meets another one's body, and the capsule that it meets.

    Without a meeting the tick is `latest` + 1.
    """
    body, radii, capsule = tables.body, tables.radii, strike.capsule
    c, s, tx, tz = as_seen_by(other.place, state.place)
    for tick in range(earliest, latest + 1):
        f, g = frame_at(tables, state, tick), frame_at(tables, other, tick)
        wide = np.float64(radii[f, capsule])
        if wide < 0.0:
            continue
        # most parts are far from what strikes: so are the balls that hold both
        swing = strike.swing + tick - state.start - strike.first
        y, radius = tables.swings[swing, 1], tables.swings[swing, 3]
        x, z = move_point(c, s, tx, tz, tables.swings[swing, 0], tables.swings[swing, 2])
        far = tables.frames[g].reach + radius
        if (x - tables.frames[g].x) ** 2 + (z - tables.frames[g].z) ** 2 > far * far:
            continue
        near = touched_balls(
            tables.targets, g, np.float32(x), np.float32(y), np.float32(z), np.float32(radius)
        )
        if near == 0:
            continue
        for share in (0.5, 0.0):  # half a tick ago, and now
            x, ay, z = between_ticks(body, f, capsule, 0, share)
            ax, az = move_point(c, s, tx, tz, x, z)
            x, by, z = between_ticks(body, f, capsule, 1, share)
            bx, bz = move_point(c, s, tx, tz, x, z)
            met = deepest_part(body, radii, g, near, capsule, ax, ay, az, bx, by, bz, wide)
            if met >= 0:
                return tick, met
    return latest + 1, -1


@inlined
def between_ticks(body, f, capsule, end, share):
    """The end of a capsule, by a share of a tick before frame f."""
    x = body[f, capsule, end, 0] + share * (
        np.float64(body[f - 1, capsule, end, 0]) - body[f, capsule, end, 0]
    )
    y = body[f, capsule, end, 1] + share * (
        np.float64(body[f - 1, capsule, end, 1]) - body[f, capsule, end, 1]
    )
    z = body[f, capsule, end, 2] + share * (
        np.float64(body[f - 1, capsule, end, 2]) - body[f, capsule, end, 2]
    )
    return x, y, z


@inlined
def deepest_part(body, radii, g, near, capsule, ax, ay, az, bx, by, bz, wide):
    """The part of a body in frame g that a capsule from a to b lies deepest in, or -1; its radius is `wide`.

    Ends are six numbers, as in kernels/contact.py: a kernel makes no arrays. Only parts whose bits are set in
    `near` can be met.
    """
    deepest, met = 0.0, -1
    for k in range(len(TARGETS)):
        part = TARGETS[k]
        if not (near >> k) & 1 or radii[g, part] < 0.0 or passes(radii, g, capsule, part):
            continue
        both = wide + radii[g, part]
        cx, cy, cz = recorded_end(body, g, part, 0)
        dx, dy, dz = recorded_end(body, g, part, 1)
        apart = gap_squared(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
        if apart < both * both:
            overlap = both - math.sqrt(apart)
            if overlap > deepest:
                deepest, met = overlap, part
    return met


@inlined
def passes(radii, g, capsule, part):
    """Whether a striking capsule goes past a part that guards: bare arms do not stop a blade.

    Hands that hold a weapon are behind its hilt, which does.
    """
    if capsule != WEAPON or part in VITAL or part == WEAPON:
        return False
    return part in (LEFT_FOREARM, RIGHT_FOREARM) or radii[g, WEAPON] < 0.0


@kernel
def catch(game, fighters, fighter, earliest, latest):
    """The first tick in which a fighter is near enough to catch an opponent, and whom; -1 if in none."""
    touch, tick = game.sides[fighter].touch, earliest
    while tick <= latest:
        x, z = pelvis_at(game.tables, fighters[fighter], tick)
        caught, far_x, far_z = nearest(game, fighters, fighter, x, z, tick)
        apart = math.sqrt(far_x * far_x + far_z * far_z)
        if apart < touch:
            return tick, caught
        # ticks in which they cannot have come near enough are skipped
        tick += max(1, int((apart - touch) / (2.0 * game.bounds.fastest)))
    return latest + 1, -1


# ---- Step 2: damage


@pasted
def hit(game, levels, contacts, level, own, meeting, count):
    """Let a strike or a catch take effect; returns how many events there are then."""
    fighters, moment = levels.fighters[level], levels.moments[level]
    state = fighters[meeting.striker]
    action = game.tables.actions[state.action]
    x, z = 0.0, 0.0
    if meeting.strike < 0:
        state.spent |= CAUGHT_BIT
        damage, kind = 1.0, CAUGHT
    else:
        state.spent |= 1 << (meeting.strike - action.strike_start)
        u, v, w = velocity(game, state, meeting.strike, moment.now)
        x, z = turn_direction(state.place.cos, state.place.sin, u, w)
        damage = math.sqrt(u * u + v * v + w * w) * damage_of(meeting.part)
        kind = HIT if damage > 0.0 else BLOCK
    if damage > 0.0:
        striker, struck = game.sides[meeting.striker], game.sides[meeting.struck]
        gain, loss = given(striker, action) * damage, taken(struck) * damage
        moment.competitive += gain if striker.team == own else -gain
        moment.competitive += loss if struck.team == own else -loss
    blow = contacts.blows[meeting.struck]
    if kind == HIT:
        fighters[meeting.struck].hurt += damage
    if kind == HIT and damage > blow.damage:
        blow.damage, blow.x, blow.z, blow.striker = damage, x, z, meeting.striker
        blow.from_x, blow.from_z = pelvis_at(game.tables, state, moment.now)
    if count < len(contacts.events):
        write_contact(game.tables, state, meeting, kind, damage, moment.now, contacts.events[count])
        count += 1
    return count


@inlined
def damage_of(part):
    """Damage of a metre and second on a part of the body; 0 for a part that guards."""
    for k in range(len(VITAL)):
        if VITAL[k] == part:
            return DAMAGE[k]
    return 0.0


@pasted
def velocity(game, state, strike, tick):
    """Metres per second of a strike's end from the tick before, x, y and z as recorded."""
    body, seconds = game.tables.body, game.rules.tick
    f, capsule = frame_at(game.tables, state, tick), game.tables.strikes[strike].capsule
    x = (np.float64(body[f, capsule, 1, 0]) - body[f - 1, capsule, 1, 0]) / seconds
    y = (np.float64(body[f, capsule, 1, 1]) - body[f - 1, capsule, 1, 1]) / seconds
    z = (np.float64(body[f, capsule, 1, 2]) - body[f - 1, capsule, 1, 2]) / seconds
    return x, y, z


@pasted
def write_contact(tables, state, meeting, kind, damage, tick, event):
    """Write a hit, a block or a catch into a row of EVENT."""
    event.tick, event.kind, event.fighter, event.other = tick, kind, meeting.striker, meeting.struck
    event.what, event.part, event.damage = meeting.strike, meeting.part, damage
    capsule = tables.strikes[meeting.strike].capsule if meeting.strike >= 0 else 0
    x, y, z = recorded_end(tables.body, frame_at(tables, state, tick), capsule, 1)
    event.x, event.z = moved(state.place, x, z)
    event.y = y


# ---- Step 3: reactions and ends


@pasted
def react(game, levels, contacts, level, own, fighter, count):
    """Let a fighter react to the blow that it has taken; returns how many events there are then."""
    state, blow, now = levels.fighters[level, fighter], contacts.blows[fighter], levels.moments[level].now
    frame = frame_at(game.tables, state, now)
    reaction = reaction_to(game, state, frame, blow)
    if reaction < 0:
        return count
    if not state.idle:
        count_movement(game, levels, level, own, fighter)
    start_reaction(game.tables, state, reaction, frame, now)
    if count < len(contacts.events):
        event = contacts.events[count]
        event.tick, event.kind, event.fighter, event.other = now, REACTION, fighter, blow.striker
        event.what, event.part = reaction, -1
        count += 1
    return count


@pasted
def reaction_to(game, state, frame, blow):
    """The action that is the reaction to a blow in a frame, or -1."""
    yaw = game.tables.frames[frame].yaw + state.place.yaw
    c, s = math.cos(yaw), math.sin(yaw)
    left, forward = turn_direction_back(c, s, blow.x, blow.z)
    if abs(forward) >= abs(left):
        direction = 0 if forward <= 0.0 else 1
    else:
        direction = 2 if left > 0.0 else 3
    reaction = game.tables.reactions[frame, 3 * direction + strength_of(game.rules, blow.damage, state.hurt)]
    if reaction < 0:
        return reaction
    x, z = pelvis_in(game.tables, state, frame)
    towards = math.atan2(blow.from_x - x, blow.from_z - z) - yaw
    return game.tables.turned[reaction, math.floor(towards / SECTOR + 0.5) % BEARINGS]


@inlined
def strength_of(rules, damage, hurt):
    """The strength of a blow to a fighter that has taken so much, with this blow: an index of STRENGTHS."""
    if damage >= rules.felling or (damage >= rules.heavy and hurt >= rules.stamina):
        return 2
    return 1 if damage >= rules.heavy else 0


@pasted
def start_reaction(tables, state, reaction, frame, tick):
    """Let a fighter begin a reaction in a frame: its pelvis stays where it is, and it does not strike."""
    action, place = tables.actions[reaction], state.place
    start = tables.frames[action.first]
    x, z = pelvis_in(tables, state, frame)
    place.yaw = tables.frames[frame].yaw + place.yaw - start.yaw
    place.cos, place.sin = math.cos(place.yaw), math.sin(place.yaw)
    place.x, place.z = shift_between(place.cos, place.sin, start.x, start.z, x, z)
    state.action, state.start, state.stop = reaction, tick, tick + action.ticks
    state.spent, state.idle, state.alert = ALL_SPENT, 0, -1


@inlined
def count_movement(game, levels, level, own, fighter):
    """Add what the end of an action counts to the sums of the team that searches.

    What began before the search, whose first moment is level 0, is no fighter's choice any more.
    """
    state, moment = levels.fighters[level, fighter], levels.moments[level]
    if state.start < levels.moments[0].now:
        return
    frame = frame_at(game.tables, state, moment.now)
    competitive, shared = movement(game, levels.fighters[level], fighter, frame, moment.now)
    moment.competitive += competitive if game.sides[fighter].team == own else -competitive
    moment.shared += shared


# ---- Step 4: alarms


@inlined
def alarm(game, fighters, fighter, earliest):
    """The first tick from `earliest` on in which a fighter sees an attack and may break off, or NEVER.

    Only actions that were selected before the attack could be seen are broken off. Where an action cannot be
    broken off at once, it can be as soon as it allows it, if the attack is still under way.
    """
    tables, state, soonest = game.tables, fighters[fighter], NEVER
    if state.idle:
        return soonest
    for other in range(len(fighters)):
        attack = fighters[other]
        if game.sides[other].team == game.sides[fighter].team or attack.idle:
            continue
        seen = seen_since(attack, game.sides[fighter].reaction)
        if tables.actions[attack.action].kind != ATTACK or state.start >= seen:
            continue
        seen = max(seen, attack.start + 1)
        if seen >= state.stop:
            continue
        tick = seen + tables.breaks[frame_at(tables, state, seen)].wait
        if earliest <= tick < min(soonest, state.stop, attack.stop) and may_strike(tables, attack, tick):
            soonest = tick
    return soonest
