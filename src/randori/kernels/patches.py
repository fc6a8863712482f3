"""Expanding patterns of two characters over their actions, with an explicit stack (docs/patches.md).

A path through the tree is kept level by level: with L moves placed, row L of the tables `steps` and `places`
holds them. Places are over the floor; `where` a recording goes is x, z and yaw, as motion/placement.py.
"""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel, pasted
from randori.kernels.contact import VITAL
from randori.kernels.patch_bodies import deepest, limb_of, push_of, seen_by, strike_gap, velocity_of
from randori.kernels.patch_scores import rate
from randori.kernels.patch_tables import (
    ACTION,
    AFTER_STRIKE,
    ANSWERS,
    BLOCKED_BY_FIRST,
    BLOCKED_BY_SECOND,
    BLOW_PART,
    BLOW_STRENGTH,
    BLOW_TICK,
    BLOW_WAY_X,
    BLOW_WAY_Z,
    BLOW_WHAT,
    BLOW_X,
    BLOW_Y,
    BLOW_Z,
    BODY,
    CLOSE,
    COLLISION,
    CONTACT_TICKS,
    DEAD_END,
    DEFENDS,
    DIRECTIONS,
    FIRST,
    FORCED,
    IMPULSE,
    KEPT,
    LATE,
    NEAREST,
    NO_CONTACT,
    OPTIONS,
    ORDER,
    POOR,
    RESPONSE,
    ROLE,
    START,
    STOP,
    STRIKE,
    STRUCK,
    THREAT,
    THRESHOLD,
    TICK,
    TOUCHING,
    TRIED,
    USUAL,
)

# what a scan finds
_CLEAR, _CONTACT = -1, -2
_STANDING = 0.65  # metres that the pelvis of somebody on the feet is above the floor


@pasted
def frame_at(steps, level, move, tick):
    """The library's frame of a step in a tick; before and after it the first and the last one."""
    shown = min(max(tick, steps[level, move, START]), steps[level, move, STOP])
    return steps[level, move, FIRST] + shown - steps[level, move, START]


@kernel
def scan(
    body, halves, radii, masses, pelvis, reach, strike_start, strike_frames, strike_capsule,
    moves, allowed, touch, limits, steps, places, current, opening, state, level, earliest, latest, expected,
    blow,
):  # fmt: skip
    """Look at all ticks from `earliest` to `latest`: what happens first.

    Nothing (-1), a touch that the character `expected` answers (-2, described in `blow`), or the reason why
    this is not what was asked for. `opening` (2,) are the moves that the two begin with; `state` (3,) is the
    tick until which a touch is meant, the row of `allowed` for it, and the move that has already struck.
    """
    one = current[level, 0] if current[level, 0] >= 0 else opening[0]
    two = current[level, 1] if current[level, 1] >= 0 else opening[1]
    xa, za, ya = places[level, one, 0], places[level, one, 1], places[level, one, 2]
    xb, zb, yb = places[level, two, 0], places[level, two, 1], places[level, two, 2]
    ca, sa, cb, sb = math.cos(ya), math.sin(ya), math.cos(yb), math.sin(yb)
    c, s, tx, tz = seen_by(xa, za, ya, xb, zb, yb)
    back_c, back_s, back_x, back_z = seen_by(xb, zb, yb, xa, za, ya)
    pushing = expected >= 0 and moves[one if expected == 1 else two, THREAT] == BODY
    for tick in range(earliest, latest + 1):
        f, g = frame_at(steps, level, one, tick), frame_at(steps, level, two, tick)
        # the first one's pelvis, as the second's recording sees it
        px = c * pelvis[f, 0] + s * pelvis[f, 1] + tx
        pz = c * pelvis[f, 1] - s * pelvis[f, 0] + tz
        far = reach[f] + reach[g]
        if (px - pelvis[g, 0]) ** 2 + (pz - pelvis[g, 1]) ** 2 >= far * far:
            continue
        row = USUAL
        # Step 1. Fists and feet in their windows.
        for who in range(2):
            move = one if who == 0 else two
            if current[level, who] < 0 or moves[move, THREAT] != STRIKE or tick > steps[level, move, STOP]:
                continue
            other = two if who == 0 else one
            defending = current[level, 1 - who] >= 0 and moves[other, DEFENDS]
            if defending and tick <= steps[level, other, STOP]:
                row = BLOCKED_BY_SECOND if who == 0 else BLOCKED_BY_FIRST
            if state[2] == move:
                continue
            action = steps[level, move, ACTION]
            striking = f if who == 0 else g
            for strike in range(strike_start[action], strike_start[action + 1]):
                if not strike_frames[strike, 0] <= striking < strike_frames[strike, 1]:
                    continue
                capsule = strike_capsule[strike]
                if who == 0:
                    gap, met = strike_gap(body, radii[0], radii[1], f, capsule, g, c, s, tx, tz, VITAL)
                else:
                    gap, met = strike_gap(
                        body, radii[1], radii[0], g, capsule, f, back_c, back_s, back_x, back_z, VITAL
                    )
                if gap >= 0.0:
                    continue
                if expected != 1 - who:
                    return STRUCK
                yaw = ya if who == 0 else yb
                vx, vy, vz = velocity_of(body, striking, capsule, yaw, limits[TICK])
                if masses[capsule] * math.sqrt(vx * vx + vy * vy + vz * vz) < limits[IMPULSE]:
                    return STRUCK
                wc, ws = (ca, sa) if who == 0 else (cb, sb)
                x, z = np.float64(body[striking, capsule, 1, 0]), np.float64(body[striking, capsule, 1, 2])
                blow[BLOW_TICK], blow[BLOW_WHAT], blow[BLOW_PART] = tick, capsule, met
                blow[BLOW_STRENGTH] = math.sqrt(vx * vx + vy * vy + vz * vz)
                blow[BLOW_X] = wc * x + ws * z + (xa if who == 0 else xb)
                blow[BLOW_Y] = body[striking, capsule, 1, 1]
                blow[BLOW_Z] = wc * z - ws * x + (za if who == 0 else zb)
                blow[BLOW_WAY_X], blow[BLOW_WAY_Z] = vx, vz
                return _CONTACT
        # Step 2. A body that comes upon the one who is to give way.
        if pushing:
            depth, i, j = deepest(
                body, halves[0], radii[0], halves[1], radii[1], pelvis, reach, f, g, c, s, tx, tz, touch
            )
            if depth <= 0.0:
                continue
            if expected == 1:
                what, part, frame, wc, ws = i, j, f, ca, sa
                impulse = push_of(
                    body, masses, f, i, places[level, one], g, j, places[level, two], limits[TICK]
                )
            else:
                what, part, frame, wc, ws = j, i, g, cb, sb
                impulse = push_of(
                    body, masses, g, j, places[level, two], f, i, places[level, one], limits[TICK]
                )
            if impulse >= limits[IMPULSE]:
                # bodies drive each other apart along the line between them
                dx, dz = pelvis[g, 0] - px, pelvis[g, 1] - pz
                sign = 1.0 if expected == 1 else -1.0
                x = 0.5 * (np.float64(body[frame, what, 0, 0]) + body[frame, what, 1, 0])
                z = 0.5 * (np.float64(body[frame, what, 0, 2]) + body[frame, what, 1, 2])
                blow[BLOW_TICK], blow[BLOW_WHAT], blow[BLOW_PART] = tick, what, part
                blow[BLOW_STRENGTH] = impulse
                blow[BLOW_X] = wc * x + ws * z + (xa if expected == 1 else xb)
                blow[BLOW_Y] = 0.5 * (np.float64(body[frame, what, 0, 1]) + body[frame, what, 1, 1])
                blow[BLOW_Z] = wc * z - ws * x + (za if expected == 1 else zb)
                blow[BLOW_WAY_X], blow[BLOW_WAY_Z] = sign * (cb * dx + sb * dz), sign * (cb * dz - sb * dx)
                return _CONTACT
        # Step 3. Whatever else touches.
        if tick <= state[0]:
            row = state[1]
        depth, i, j = deepest(
            body, halves[0], radii[0], halves[1], radii[1], pelvis, reach, f, g, c, s, tx, tz, allowed[row]
        )
        if depth > 0.0:
            return COLLISION
    return _CLEAR


@array_kernel
def expand(
    body, halves, radii, masses, pelvis, facing, height, reach, entry, leaving, action_first, action_stop,
    end_posture, strike_start, strike_frames, strike_capsule, strike_extension, moves, option_start, options,
    answer_action, answer_first, opening, enter, distances, first_bearings, second_bearings, delays,
    allowed, touch, limits, pairs, keep, out_step, out_place, out_blow, out_score, out_sample, tally,
):  # fmt: skip
    """All patches that begin with one of some pairs of actions (K, 2): for each pair and pair of bearings the
    `keep` best that differ in their actions or their distance are written. Returns how many there are.

    What is written of a patch: its steps and places, what started its answers, its score and parts of it, and
    the sample that it began with. `tally` (10,) counts what was tried and why it was given up.
    """
    n = len(moves)
    steps = np.zeros((n + 1, n, 5), dtype=np.int64)
    places = np.zeros((n + 1, n, 3))
    current = np.full((n + 1, 2), -1, dtype=np.int64)
    clock = np.zeros(n + 1, dtype=np.int64)
    state = np.zeros((n + 1, 3), dtype=np.int64)
    cursor = np.zeros(n + 1, dtype=np.int64)
    last = np.zeros(n + 1, dtype=np.int64)
    blows = np.zeros((n, 9))
    score = np.zeros(4)
    count = 0
    for pair in range(len(pairs)):
        for b0 in range(len(first_bearings)):
            for b1 in range(len(second_bearings)):
                begun, room = count, min(count + keep, len(out_score))
                for d in range(len(distances)):
                    for t in range(len(delays)):
                        tally[TRIED] += 1
                        _begin(
                            pelvis, facing, action_first, action_stop, opening, enter, steps, places,
                            pairs[pair], distances[d], first_bearings[b0], second_bearings[b1], delays[t],
                        )  # fmt: skip
                        level = 0
                        current[0, 0], current[0, 1] = -1, -1
                        clock[0] = 0
                        state[0, 0], state[0, 1], state[0, 2] = -1, USUAL, -1
                        cursor[0] = -1
                        while level >= 0:
                            # Step 1. All moves are placed: is it good?
                            if level == n:
                                final = max(steps[n, current[n, 0], STOP], steps[n, current[n, 1], STOP])
                                found = scan(
                                    body, halves, radii, masses, pelvis, reach, strike_start, strike_frames,
                                    strike_capsule, moves, allowed, touch, limits, steps, places, current,
                                    opening, state[n], n, clock[n], final, -1, blows[0],
                                )  # fmt: skip
                                if found != _CLEAR:
                                    tally[found] += 1
                                else:
                                    rate(
                                        body, radii, masses, pelvis, facing, strike_start, strike_frames,
                                        strike_capsule, strike_extension, moves, limits, steps[n], places[n],
                                        blows, score,
                                    )  # fmt: skip
                                    if score[0] < limits[THRESHOLD]:
                                        tally[POOR] += 1
                                    else:
                                        tally[KEPT] += 1
                                        row = _room_for(
                                            out_score, out_step, out_sample, steps[n], distances[d], begun,
                                            count, room, score[0],
                                        )  # fmt: skip
                                        if row >= 0:
                                            count = max(count, row + 1)
                                            out_step[row], out_place[row] = steps[n], places[n]
                                            out_blow[row], out_score[row] = blows, score
                                            out_sample[row, 0], out_sample[row, 1] = (
                                                distances[d],
                                                first_bearings[b0],
                                            )
                                            out_sample[row, 2], out_sample[row, 3] = (
                                                second_bearings[b1],
                                                delays[t],
                                            )
                                level -= 1
                                continue
                            move = level
                            who = moves[move, ROLE]
                            first = opening[who] == move
                            # Step 2. Arrived here: let time go on until this move can start.
                            if cursor[level] == -1:
                                if moves[move, RESPONSE]:
                                    cursor[level], last[level] = 0, 0
                                    acting = current[level, 1 - who]
                                    found = scan(
                                        body, halves, radii, masses, pelvis, reach, strike_start,
                                        strike_frames, strike_capsule, moves, allowed, touch, limits, steps,
                                        places, current, opening, state[level], level, clock[level],
                                        steps[level, acting, STOP], who, blows[move],
                                    )  # fmt: skip
                                    if found == _CLEAR:
                                        tally[NO_CONTACT] += 1
                                    elif found != _CONTACT:
                                        tally[found] += 1
                                    else:
                                        given = _answer(
                                            pelvis, action_stop, moves, answer_action, answer_first, limits,
                                            steps, places, current, clock, state, level, blows[move],
                                        )  # fmt: skip
                                        if given != _CLEAR:
                                            tally[given] += 1
                                        else:
                                            cursor[level + 1] = -1
                                            level += 1
                                            continue
                                    level -= 1
                                    continue
                                start = steps[level, move, START]
                                if not first:
                                    start = steps[level, current[level, who], STOP]
                                if move > 0 and start < steps[level, move - 1, START]:
                                    tally[ORDER] += 1
                                    level -= 1
                                    continue
                                found = scan(
                                    body, halves, radii, masses, pelvis, reach, strike_start, strike_frames,
                                    strike_capsule, moves, allowed, touch, limits, steps, places, current,
                                    opening, state[level], level, clock[level], start, -1, blows[move],
                                )  # fmt: skip
                                if found == _CLEAR and _too_close(
                                    pelvis, height, opening, steps, places, current, level, start, limits
                                ):
                                    found = CLOSE
                                if found != _CLEAR:
                                    tally[found] += 1
                                    level -= 1
                                    continue
                                clock[level] = max(clock[level], start + 1)
                                if first:
                                    cursor[level], last[level] = 0, 1
                                else:
                                    posture = end_posture[steps[level, current[level, who], ACTION]]
                                    column = moves[move, OPTIONS]
                                    cursor[level] = option_start[column, posture]
                                    last[level] = option_start[column, posture + 1]
                                    if cursor[level] == last[level]:
                                        tally[DEAD_END] += 1
                            # Step 3. The next of the actions that this move can be.
                            if cursor[level] >= last[level]:
                                level -= 1
                                continue
                            option = cursor[level]
                            cursor[level] += 1
                            _copy(steps, places, current, clock, state, level)
                            if not first:
                                tally[TRIED] += 1
                                _follow(
                                    entry, leaving, action_first, action_stop, steps, places, current,
                                    level, move, who, options[option],
                                )  # fmt: skip
                            current[level + 1, who] = move
                            level += 1
                            cursor[level] = -1
    return count


@kernel
def _begin(
    pelvis, facing, action_first, action_stop, opening, enter, steps, places, pair, distance, bearing, other,
    delay,
):  # fmt: skip
    """Put both where a sample has them, with the actions that they begin with, on all levels."""
    for who in range(2):
        move, action = opening[who], pair[who]
        length = action_stop[action] - action_first[action]
        first = action_first[action] + int(enter[who] * length)
        start = max(0, -delay) if who == 0 else max(0, delay)
        if who == 0:
            yaw, x, z = -facing[first], 0.0, 0.0
        else:
            yaw = bearing + math.pi - other - facing[first]
            x, z = distance * math.sin(bearing), distance * math.cos(bearing)
        c, s = math.cos(yaw), math.sin(yaw)
        x -= c * pelvis[first, 0] + s * pelvis[first, 1]
        z -= c * pelvis[first, 1] - s * pelvis[first, 0]
        for level in range(len(steps)):
            steps[level, move, ACTION], steps[level, move, FIRST] = action, first
            steps[level, move, START] = start
            steps[level, move, STOP] = start + action_stop[action] - first
            steps[level, move, FORCED] = 0
            places[level, move, 0], places[level, move, 1], places[level, move, 2] = x, z, yaw


@array_kernel
def _copy(steps, places, current, clock, state, level):
    """The next level begins as this one is."""
    steps[level + 1], places[level + 1], current[level + 1] = steps[level], places[level], current[level]
    clock[level + 1], state[level + 1] = clock[level], state[level]


@kernel
def _follow(entry, leaving, action_first, action_stop, steps, places, current, level, move, who, action):
    """Place an action after what a character does, as the graph joins them, on the next level."""
    before = current[level, who]
    old = steps[level, before, ACTION]
    c, s = math.cos(places[level, before, 2]), math.sin(places[level, before, 2])
    # the frame of the posture in the world
    x = c * leaving[old, 0] + s * leaving[old, 1] + places[level, before, 0]
    z = c * leaving[old, 1] - s * leaving[old, 0] + places[level, before, 1]
    yaw = leaving[old, 2] + places[level, before, 2] - entry[action, 2]
    c, s = math.cos(yaw), math.sin(yaw)
    after = level + 1
    places[after, move, 0] = x - (c * entry[action, 0] + s * entry[action, 1])
    places[after, move, 1] = z - (c * entry[action, 1] - s * entry[action, 0])
    places[after, move, 2] = yaw
    start = steps[level, before, STOP]
    steps[after, move, ACTION], steps[after, move, FIRST] = action, action_first[action]
    steps[after, move, START] = start
    steps[after, move, STOP] = start + action_stop[action] - action_first[action]
    steps[after, move, FORCED] = 0


@kernel
def _answer(
    pelvis, action_stop, moves, answer_action, answer_first, limits, steps, places, current, clock, state,
    level, blow,
):  # fmt: skip
    """Let who was struck answer: on the next level the pelvis stays where it is; says why if it cannot."""
    move = level
    who = moves[move, ROLE]
    before = current[level, who]
    tick = int(blow[BLOW_TICK])
    if tick > steps[level, before, STOP]:
        return LATE
    if tick <= steps[level, before, START] or (move > 0 and tick < steps[level, move - 1, START]):
        return ORDER
    frame = frame_at(steps, level, before, tick)
    yaw = pelvis[frame, 2] + places[level, before, 2]
    away = math.atan2(blow[BLOW_WAY_X], blow[BLOW_WAY_Z]) - yaw
    way = np.int64(math.floor(away / (2.0 * math.pi) * DIRECTIONS + 0.5)) % DIRECTIONS
    action = answer_action[moves[move, ANSWERS], frame, way]
    if action < 0:
        return DEAD_END
    first = answer_first[moves[move, ANSWERS], frame, way]
    c, s = math.cos(places[level, before, 2]), math.sin(places[level, before, 2])
    x = c * pelvis[frame, 0] + s * pelvis[frame, 1] + places[level, before, 0]
    z = c * pelvis[frame, 1] - s * pelvis[frame, 0] + places[level, before, 1]
    turn = yaw - pelvis[first, 2]
    c, s = math.cos(turn), math.sin(turn)
    _copy(steps, places, current, clock, state, level)
    after = level + 1
    places[after, move, 0] = x - (c * pelvis[first, 0] + s * pelvis[first, 1])
    places[after, move, 1] = z - (c * pelvis[first, 1] - s * pelvis[first, 0])
    places[after, move, 2] = turn
    steps[after, before, STOP] = tick
    steps[after, move, ACTION], steps[after, move, FIRST], steps[after, move, START] = action, first, tick
    steps[after, move, STOP] = tick + action_stop[action] - first
    steps[after, move, FORCED] = 1
    current[after, who] = move
    clock[after] = tick  # from its very first pose on
    state[after, 0] = tick + int(limits[CONTACT_TICKS])
    limb = limb_of(int(blow[BLOW_WHAT]))
    acting = current[level, 1 - who]
    if moves[acting, THREAT] == STRIKE and limb >= 0:
        state[after, 1] = AFTER_STRIKE + 4 * (1 - who) + limb
    else:
        state[after, 1] = TOUCHING
    state[after, 2] = acting
    return _CLEAR


@array_kernel
def _too_close(pelvis, height, opening, steps, places, current, level, tick, limits):
    """Whether the two stand nearer to each other than people do."""
    x, z = np.empty(2), np.empty(2)
    for who in range(2):
        move = current[level, who] if current[level, who] >= 0 else opening[who]
        frame = frame_at(steps, level, move, tick)
        if height[frame] < _STANDING:
            return False
        c, s = math.cos(places[level, move, 2]), math.sin(places[level, move, 2])
        x[who] = c * pelvis[frame, 0] + s * pelvis[frame, 1] + places[level, move, 0]
        z[who] = c * pelvis[frame, 1] - s * pelvis[frame, 0] + places[level, move, 1]
    return (x[0] - x[1]) ** 2 + (z[0] - z[1]) ** 2 < limits[NEAREST] ** 2


@kernel
def _room_for(out_score, out_step, out_sample, steps, distance, begun, count, room, score):
    """The row for a patch among those of its pair and bearings; -1 if better ones are there.

    One that does the same actions from the same distance gives way to a better one, or stays.
    """
    worst = -1
    for row in range(begun, count):
        same = out_sample[row, 0] == distance
        for move in range(len(steps)):
            if out_step[row, move, ACTION] != steps[move, ACTION]:
                same = False
        if same:
            return row if score > out_score[row, 0] else -1
        if worst < 0 or out_score[row, 0] < out_score[worst, 0]:
            worst = row
    if count < room:
        return count
    return worst if worst >= 0 and score > out_score[worst, 0] else -1
