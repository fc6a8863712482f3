"""The world of a duel: whom strikes meet, and what happens until somebody may select (docs/duel.md)."""

import math

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.contact import DAMAGE, GUARD, VITAL, gap_squared
from randori.kernels.duel_tables import (
    ACTION,
    ANSWER,
    BLOCK,
    CAPSULE,
    CAUGHT,
    CAUGHT_BIT,
    COS,
    DISC_R,
    DISC_X,
    DISC_Z,
    FASTEST,
    FELLING,
    FIRST,
    HEAVY,
    HIT,
    IDLE,
    PELVIS_X,
    PELVIS_YAW,
    PELVIS_Z,
    REACH,
    SIN,
    SPENT,
    START,
    STOP,
    STRIKES,
    STRIKES_END,
    SWEEP_R,
    SWEEP_X,
    SWEEP_Z,
    TEAM,
    TICK,
    TICKS,
    TOUCH,
    WINDOW,
    WINDOW_END,
    YAW,
    X,
    Z,
    frame_at,
    nearest,
    pelvis_at,
)
from randori.kernels.duel_terms import given, movement, taken


@pasted
def out_of_reach(spots, sweeps, doing, where, level, one, strike, other):
    """Whether a strike cannot meet the other one's body, in whatever tick of its action."""
    c, s = where[level, one, COS], where[level, one, SIN]
    x, z = sweeps[strike, SWEEP_X], sweeps[strike, SWEEP_Z]
    ax, az = c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z]
    c, s = where[level, other, COS], where[level, other, SIN]
    action = doing[level, other, ACTION]
    x, z = spots[action, DISC_X], spots[action, DISC_Z]
    bx, bz = c * x + s * z + where[level, other, X], c * z - s * x + where[level, other, Z]
    far = sweeps[strike, SWEEP_R] + spots[action, DISC_R]
    return (ax - bx) ** 2 + (az - bz) ** 2 > far * far


@kernel
def meet(actions, frames, body, radii, strikes, doing, where, level, one, strike, other, earliest, latest):
    """The first tick from `earliest` to `latest` in which a strike meets the other's body, and the capsule.

    Without a meeting the tick is `latest` + 1.
    """
    # the striker's recording, as the other one's recording sees it
    ca, sa = where[level, one, COS], where[level, one, SIN]
    cb, sb = where[level, other, COS], where[level, other, SIN]
    c, s = ca * cb + sa * sb, sa * cb - ca * sb
    mx, mz = where[level, one, X] - where[level, other, X], where[level, one, Z] - where[level, other, Z]
    tx, tz = cb * mx - sb * mz, cb * mz + sb * mx
    capsule = strikes[strike, CAPSULE]
    for tick in range(earliest, latest + 1):
        f = frame_at(actions, doing, level, one, tick)
        g = frame_at(actions, doing, level, other, tick)
        wide = np.float64(radii[f, capsule])
        if wide < 0.0:
            continue
        # nothing of the other one is farther from its pelvis than its reach
        x, z = np.float64(body[f, capsule, 1, 0]), np.float64(body[f, capsule, 1, 2])
        bx, bz = c * x + s * z + tx, c * z - s * x + tz
        length = 0.0
        for before in range(2):
            for end in range(2):
                u, v = body[f - before, capsule, end, 0] - x, body[f - before, capsule, end, 2] - z
                length = max(length, u * u + v * v)
        far = frames[g, REACH] + wide + math.sqrt(length)
        if (bx - frames[g, PELVIS_X]) ** 2 + (bz - frames[g, PELVIS_Z]) ** 2 > far * far:
            continue
        for late in range(2):
            # half a tick ago, and now
            share = 0.5 if late == 0 else 0.0
            x = body[f, capsule, 0, 0] + share * (
                np.float64(body[f - 1, capsule, 0, 0]) - body[f, capsule, 0, 0]
            )
            y = body[f, capsule, 0, 1] + share * (
                np.float64(body[f - 1, capsule, 0, 1]) - body[f, capsule, 0, 1]
            )
            z = body[f, capsule, 0, 2] + share * (
                np.float64(body[f - 1, capsule, 0, 2]) - body[f, capsule, 0, 2]
            )
            ax, ay, az = c * x + s * z + tx, y, c * z - s * x + tz
            x = body[f, capsule, 1, 0] + share * (
                np.float64(body[f - 1, capsule, 1, 0]) - body[f, capsule, 1, 0]
            )
            y = body[f, capsule, 1, 1] + share * (
                np.float64(body[f - 1, capsule, 1, 1]) - body[f, capsule, 1, 1]
            )
            z = body[f, capsule, 1, 2] + share * (
                np.float64(body[f - 1, capsule, 1, 2]) - body[f, capsule, 1, 2]
            )
            bx, by, bz = c * x + s * z + tx, y, c * z - s * x + tz
            deepest, met = 0.0, -1
            for part in VITAL + GUARD:
                if radii[g, part] < 0.0:
                    continue
                both = wide + radii[g, part]
                apart = gap_squared(
                    ax, ay, az, bx, by, bz,
                    np.float64(body[g, part, 0, 0]), np.float64(body[g, part, 0, 1]), np.float64(body[g,
                    part, 0, 2]),
                    np.float64(body[g, part, 1, 0]), np.float64(body[g, part, 1, 1]), np.float64(body[g,
                    part, 1, 2]),
                )  # fmt: skip
                if apart < both * both:
                    overlap = both - math.sqrt(apart)
                    if overlap > deepest:
                        deepest, met = overlap, part
            if met >= 0:
                return tick, met
    return latest + 1, -1


@pasted
def damage_of(part):
    """What a metre and second on a part of the body counts; 0 for what guards."""
    for k in range(len(VITAL)):
        if VITAL[k] == part:
            return DAMAGE[k]
    return 0.0


@pasted
def velocity(actions, body, strikes, doing, level, one, strike, tick, seconds):
    """Metres per second of a strike's end from the tick before, x, y and z as recorded."""
    f, capsule = frame_at(actions, doing, level, one, tick), strikes[strike, CAPSULE]
    x = (np.float64(body[f, capsule, 1, 0]) - body[f - 1, capsule, 1, 0]) / seconds
    y = (np.float64(body[f, capsule, 1, 1]) - body[f - 1, capsule, 1, 1]) / seconds
    z = (np.float64(body[f, capsule, 1, 2]) - body[f - 1, capsule, 1, 2]) / seconds
    return x, y, z


@kernel
def answer_for(frames, response, rules, where, level, one, frame, damage, vx, vz):
    """The action that answers a blow in a frame; the blow's velocity is in the world."""
    yaw = frames[frame, PELVIS_YAW] + where[level, one, YAW]
    c, s = math.cos(yaw), math.sin(yaw)
    forward, left = s * vx + c * vz, c * vx - s * vz
    if abs(forward) >= abs(left):
        direction = 0 if forward <= 0.0 else 1
    else:
        direction = 2 if left > 0.0 else 3
    strength = 2 if damage >= rules[FELLING] else 1 if damage >= rules[HEAVY] else 0
    return response[frame, 3 * direction + strength]


@kernel
def start_answer(actions, frames, doing, where, level, one, answer, frame, tick):
    """Let a fighter answer a blow: its pelvis stays where it is."""
    yaw = frames[frame, PELVIS_YAW] + where[level, one, YAW]
    x, z = pelvis_at(frames, where, level, one, frame)
    first = actions[answer, FIRST]
    turn = yaw - frames[first, PELVIS_YAW]
    c, s = math.cos(turn), math.sin(turn)
    px, pz = frames[first, PELVIS_X], frames[first, PELVIS_Z]
    where[level, one, X], where[level, one, Z] = x - (c * px + s * pz), z - (c * pz - s * px)
    where[level, one, YAW], where[level, one, COS], where[level, one, SIN] = turn, c, s
    doing[level, one, ACTION], doing[level, one, START] = answer, tick
    doing[level, one, STOP] = tick + actions[answer, TICKS]
    doing[level, one, SPENT], doing[level, one, IDLE] = 0, 0


@kernel
def count_movement(actions, frames, sides, own, doing, where, sums, clock, level, one, tick):
    """Add what the end of an action counts to the sums of who searches, of team `own`.

    What began before the search, in whose first moment clock[0] stands, is nobody's choice any more.
    """
    if doing[level, one, START] < clock[0]:
        return
    frame = frame_at(actions, doing, level, one, tick)
    competitive, shared = movement(actions, frames, sides, doing, where, level, one, frame, tick)
    sums[level, 0] += competitive if sides[one, TEAM] == own else -competitive
    sums[level, 1] += shared


@kernel
def advance(
    actions, spots, frames, body, radii, strikes, sweeps, response, sides, rules, own,
    doing, where, sums, clock, level, playing_out, found, blows, events, marks, count,
):  # fmt: skip
    """Let time go on until somebody is idle; or, if nobody may select any more, until all are.

    `found` (M, 5) int64 and `blows` (N, 4) are scratch. Events are written down as far as there is room.
    Returns how many there are then.
    """
    fighters = doing.shape[1]
    while True:
        now = clock[level]
        busy, idle, horizon = 0, 0, now
        for i in range(fighters):
            if doing[level, i, IDLE]:
                idle += 1
            else:
                if busy == 0 or doing[level, i, STOP] < horizon:
                    horizon = doing[level, i, STOP]
                busy += 1
        if busy == 0 or (idle > 0 and not playing_out):
            return count

        # Step 1. The first tick in which a strike meets somebody, and all that meet in it.
        meetings, soonest = 0, horizon + 1
        for i in range(fighters):
            if doing[level, i, IDLE]:
                continue
            action, start = doing[level, i, ACTION], doing[level, i, START]
            begin = actions[action, STRIKES]
            for strike in range(begin, actions[action, STRIKES_END]):
                earliest = max(now + 1, start + strikes[strike, WINDOW])
                latest = min(min(horizon, soonest), start + strikes[strike, WINDOW_END] - 1)
                if (doing[level, i, SPENT] >> (strike - begin)) & 1 or earliest > latest:
                    continue
                whom, part = -1, -1
                for j in range(fighters):
                    if sides[j, TEAM] == sides[i, TEAM]:
                        continue
                    if out_of_reach(spots, sweeps, doing, where, level, i, strike, j):
                        continue
                    tick, met = meet(
                        actions, frames, body, radii, strikes, doing, where,
                        level, i, strike, j, earliest, latest,
                    )  # fmt: skip
                    if met >= 0:
                        whom, part, latest = j, met, tick - 1  # another one would have to be met sooner
                if whom >= 0:
                    if latest + 1 < soonest:
                        meetings, soonest = 0, latest + 1
                    found[meetings, 0], found[meetings, 1], found[meetings, 2] = i, strike, whom
                    found[meetings, 3] = part
                    meetings += 1
            if sides[i, TOUCH] > 0.0 and not doing[level, i, SPENT] & CAUGHT_BIT:
                tick, whom = catch(
                    actions, frames, sides, rules, doing, where, level, i, now + 1, min(horizon, soonest)
                )
                if whom >= 0:
                    if tick < soonest:
                        meetings, soonest = 0, tick
                    found[meetings, 0], found[meetings, 1], found[meetings, 2] = i, -1, whom
                    meetings += 1
        now = min(horizon, soonest)
        clock[level] = now

        # Step 2. Damage.
        for i in range(fighters):
            blows[i, 0] = 0.0
        for k in range(meetings):
            i, strike, j = found[k, 0], found[k, 1], found[k, 2]
            action = doing[level, i, ACTION]
            vx, vz = 0.0, 0.0
            if strike < 0:
                doing[level, i, SPENT] |= CAUGHT_BIT
                damage, what = 1.0, CAUGHT
            else:
                doing[level, i, SPENT] |= 1 << (strike - actions[action, STRIKES])
                x, y, z = velocity(actions, body, strikes, doing, level, i, strike, now, rules[TICK])
                c, s = where[level, i, COS], where[level, i, SIN]
                vx, vz = c * x + s * z, c * z - s * x
                damage = math.sqrt(x * x + y * y + z * z) * damage_of(found[k, 3])
                what = HIT if damage > 0.0 else BLOCK
            if damage > 0.0:
                gain, loss = given(actions, sides, i, action) * damage, taken(sides, j) * damage
                sums[level, 0] += gain if sides[i, TEAM] == own else -gain
                sums[level, 0] += loss if sides[j, TEAM] == own else -loss
            if what == HIT and damage > blows[j, 0]:
                blows[j, 0], blows[j, 1], blows[j, 2], blows[j, 3] = damage, vx, vz, i
            if count < len(events):
                events[count, 0], events[count, 1], events[count, 2], events[count, 3] = now, what, i, j
                events[count, 4], events[count, 5] = strike, found[k, 3] if strike >= 0 else -1
                marks[count, 0] = damage
                f = frame_at(actions, doing, level, i, now)
                capsule = strikes[strike, CAPSULE] if strike >= 0 else 0
                x, z = np.float64(body[f, capsule, 1, 0]), np.float64(body[f, capsule, 1, 2])
                c, s = where[level, i, COS], where[level, i, SIN]
                marks[count, 1] = c * x + s * z + where[level, i, X]
                marks[count, 2] = body[f, capsule, 1, 1]
                marks[count, 3] = c * z - s * x + where[level, i, Z]
                count += 1

        # Step 3. Answers, and ends.
        for j in range(fighters):
            if blows[j, 0] > 0.0:
                frame = frame_at(actions, doing, level, j, now)
                answer = answer_for(
                    frames, response, rules, where, level, j, frame, blows[j, 0], blows[j, 1], blows[j, 2]
                )
                if answer >= 0:
                    if not doing[level, j, IDLE]:
                        count_movement(actions, frames, sides, own, doing, where, sums, clock, level, j, now)
                    start_answer(actions, frames, doing, where, level, j, answer, frame, now)
                    if count < len(events):
                        events[count, 0], events[count, 1], events[count, 2] = now, ANSWER, j
                        events[count, 3], events[count, 4], events[count, 5] = int(blows[j, 3]), answer, -1
                        count += 1
        for i in range(fighters):
            if not doing[level, i, IDLE] and doing[level, i, STOP] == now:
                count_movement(actions, frames, sides, own, doing, where, sums, clock, level, i, now)
                doing[level, i, IDLE] = 1


@kernel
def catch(actions, frames, sides, rules, doing, where, level, one, earliest, latest):
    """The first tick in which a fighter is near enough to catch somebody, and whom; -1 if in none."""
    touch = sides[one, TOUCH]
    tick = earliest
    while tick <= latest:
        x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, tick))
        whom, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, tick)
        apart = math.sqrt(far_x * far_x + far_z * far_z)
        if apart < touch:
            return tick, whom
        # as long as they could not have come near enough nothing is looked at
        tick += max(1, int((apart - touch) / (2.0 * rules[FASTEST])))
    return latest + 1, -1
