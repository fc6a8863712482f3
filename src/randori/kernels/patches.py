"""Expanding patterns of two characters over their actions, with an explicit stack (docs/patches.md).

A path through the tree is kept level by level: with L moves placed, row L of `Path` holds them. Places are
over the floor, as motion/placement.py has them. The records are in kernels/patch_tables.py. Steps of the
search that occur once are pasted into it: handing all records on for every tick costs more than most ticks.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.patch_bodies import (
    View,
    deepest,
    limb_of,
    place_point,
    push_of,
    recorded_end,
    seen_from,
    strike_gap,
    velocity_of,
)
from randori.kernels.patch_scores import frame_at, rate, stands_at
from randori.kernels.patch_tables import (
    AFTER_STRIKE,
    ARRIVED,
    BLOCKED_BY_FIRST,
    BLOCKED_BY_SECOND,
    CLOSE,
    COLLISION,
    DEAD_END,
    DIRECTIONS,
    KEPT,
    LATE,
    NO_CONTACT,
    ORDER,
    POOR,
    STRIKES,
    STRUCK,
    TOUCHING,
    TRIED,
    USUAL,
    WITH_BODY,
    Sample,
)
from randori.kernels.plane import move_point, shift_between, turn_direction

CLEAR, CONTACT = -1, -2  # results of a scan, besides the reasons of patch_tables.py
NOBODY = -1  # no character is to be touched
_STANDING_HEIGHT = 0.65  # metres that the pelvis of a character on its feet is above the floor


class Pair(NamedTuple):
    """The steps of two characters that are looked at together."""

    first: int  # move
    second: int
    seen: View  # of the first by the second's recording
    back: View  # of the second by the first's


class Rows(NamedTuple):
    """Rows of what is found that patches with the same first actions and bearings share."""

    first: int
    stop: int  # after the last that there is room for


# -- looking for touches ---------------------------------------------------------------------------------


@kernel
def scan(motions, pattern, path, level, latest, expected, blow):
    """Look at all ticks from a level's clock to `latest`: what happens first.

    Nothing (CLEAR), a touch that the character `expected` answers (CONTACT, described in `blow`), or the
    reason why this is not what was asked for.
    """
    here, steps = path.levels[level], path.steps[level]
    first, second = _move_of(pattern, here, 0), _move_of(pattern, here, 1)
    first_step, second_step = steps[first], steps[second]
    pair = Pair(
        first,
        second,
        seen_from(first_step.place, second_step.place),
        seen_from(second_step.place, first_step.place),
    )
    acting = first if expected == 1 else second
    pushing = expected != NOBODY and pattern.moves[acting].threat == WITH_BODY
    view = pair.seen
    for tick in range(here.clock, latest + 1):
        f, g = frame_at(first_step, tick), frame_at(second_step, tick)
        frame, other = motions.frames[f], motions.frames[g]
        x, z = move_point(view.cosine, view.sine, view.x, view.z, frame.pelvis.x, frame.pelvis.z)
        far = frame.reach + other.reach
        if (x - other.pelvis.x) ** 2 + (z - other.pelvis.z) ** 2 >= far * far:
            continue
        # Step 1. Fists and feet in their windows.
        found = _strike_lands(motions, pattern, here, steps, pair, tick, expected, blow)
        if found != CLEAR:
            return found
        # Step 2. A body that comes upon the character that is to give way.
        if pushing:
            depth, i, j = deepest(
                motions, f, pattern.capsules[0], g, pattern.capsules[1], view, pattern.nothing_allowed
            )
            if depth <= 0.0:
                continue
            if _push_lands(motions, pattern, steps, pair, tick, expected, (i, j), blow):
                return CONTACT
        # Step 3. All other touches.
        row = here.meant_row if tick <= here.meant_until else _blocked_row(pattern, here, steps, pair, tick)
        depth, _, _ = deepest(
            motions, f, pattern.capsules[0], g, pattern.capsules[1], view, pattern.allowed[row]
        )
        if depth > 0.0:
            return COLLISION
    return CLEAR


@kernel
def _move_of(pattern, here, role):
    """The move that a character is in, or its first if it has not begun."""
    return here.current[role] if here.current[role] >= 0 else pattern.opening[role]


@pasted
def _strikes(pattern, here, steps, move, role, tick):
    """Whether a character may strike with its move in a tick."""
    return here.current[role] >= 0 and pattern.moves[move].threat == STRIKES and tick <= steps[move].stop


@pasted
def _blocked_row(pattern, here, steps, pair, tick):
    """The row of `allowed` in a tick: while one strikes and the other defends, arms may meet."""
    row = USUAL
    for role in range(2):
        move, other = (pair.first, pair.second) if role == 0 else (pair.second, pair.first)
        if not _strikes(pattern, here, steps, move, role, tick):
            continue
        if here.current[1 - role] >= 0 and pattern.moves[other].defends and tick <= steps[other].stop:
            row = BLOCKED_BY_SECOND if role == 0 else BLOCKED_BY_FIRST
    return row


@pasted
def _strike_lands(motions, pattern, here, steps, pair, tick, expected, blow):
    """Judge the strikes of both characters in a tick: no hit, the hit that was asked for, or another."""
    for role in range(2):
        move, other = (pair.first, pair.second) if role == 0 else (pair.second, pair.first)
        if here.struck == move or not _strikes(pattern, here, steps, move, role, tick):
            continue
        step = steps[move]
        action, frame, shown = (
            motions.actions[step.action],
            frame_at(step, tick),
            frame_at(steps[other], tick),
        )
        for strike in range(action.first_strike, action.stop_strike):
            window = motions.strikes[strike]
            if not window.first <= frame < window.stop:
                continue
            view = pair.seen if role == 0 else pair.back
            gap, met = strike_gap(
                motions,
                frame,
                window.capsule,
                pattern.capsules[role],
                shown,
                pattern.capsules[1 - role],
                view,
            )
            if gap >= 0.0:
                continue
            if expected != 1 - role:
                return STRUCK
            x, y, z = velocity_of(motions, frame, window.capsule, step.place.yaw)
            speed = math.sqrt(x * x + y * y + z * z)
            if motions.masses[window.capsule] * speed < pattern.limits.impulse:
                return STRUCK
            blow.tick, blow.capsule, blow.part, blow.strength = tick, window.capsule, met, speed
            end_x, blow.y, end_z = recorded_end(motions.body, frame, window.capsule, 1)
            blow.x, blow.z = place_point(step.place, end_x, end_z)
            blow.way_x, blow.way_z = x, z
            return CONTACT
    return CLEAR


@kernel
def _push_lands(motions, pattern, steps, pair, tick, expected, touching, blow):
    """Whether a body comes upon the character that is expected to give way, hard enough.

    `touching` are the capsules of the first and the second that are deepest in each other.
    """
    first_step, second_step = steps[pair.first], steps[pair.second]
    f, g = frame_at(first_step, tick), frame_at(second_step, tick)
    i, j = touching
    if expected == 1:
        impulse = push_of(motions, f, i, first_step.place, g, j, second_step.place)
    else:
        impulse = push_of(motions, g, j, second_step.place, f, i, first_step.place)
    if impulse < pattern.limits.impulse:
        return False
    if expected == 1:
        pusher, frame, capsule, part = first_step, f, i, j
    else:
        pusher, frame, capsule, part = second_step, g, j, i
    blow.tick, blow.capsule, blow.part, blow.strength = tick, capsule, part, impulse
    ax, ay, az = recorded_end(motions.body, frame, capsule, 0)
    bx, by, bz = recorded_end(motions.body, frame, capsule, 1)
    blow.x, blow.z = place_point(pusher.place, 0.5 * (ax + bx), 0.5 * (az + bz))
    blow.y = 0.5 * (ay + by)
    # bodies drive each other apart along the line between them
    here, there, view = motions.frames[f].pelvis, motions.frames[g].pelvis, pair.seen
    x, z = move_point(view.cosine, view.sine, view.x, view.z, here.x, here.z)
    x, z = turn_direction(
        math.cos(second_step.place.yaw), math.sin(second_step.place.yaw), there.x - x, there.z - z
    )
    sign = 1.0 if expected == 1 else -1.0
    blow.way_x, blow.way_z = sign * x, sign * z
    return True


# -- the tree --------------------------------------------------------------------------------------------


@kernel
def expand(motions, pattern, pairs, keep, path, found):
    """All patches that begin with one of some pairs of actions (K, 2): for each pair and pair of bearings the
    `keep` best that differ in their actions or their distance are written to `found`. Returns how many.
    """
    count = 0
    for pair in range(len(pairs)):
        for first in range(len(pattern.first_bearings)):
            for second in range(len(pattern.second_bearings)):
                rows = Rows(count, min(count + keep, len(found.ratings)))
                for k in range(len(pattern.distances)):
                    for delay in range(len(pattern.delays)):
                        sample = Sample(
                            pattern.distances[k],
                            pattern.first_bearings[first],
                            pattern.second_bearings[second],
                            pattern.delays[delay],
                        )
                        found.tally[TRIED] += 1
                        _begin(motions, pattern, path, sample, pairs[pair])
                        count = _expand_sample(motions, pattern, path, sample, rows, count, found)
    return count


@pasted
def _begin(motions, pattern, path, sample, pair):
    """Put both where a sample has them, with the pair of actions that they begin with, on all levels."""
    for role in range(2):
        move, action = pattern.opening[role], motions.actions[pair[role]]
        first = action.first + int(pattern.enter[role] * (action.stop - action.first))
        frame = motions.frames[first]
        if role == 0:
            start, yaw, x, z = max(0, -sample.delay), -frame.facing, 0.0, 0.0
        else:
            start = max(0, sample.delay)
            yaw = sample.first_bearing + math.pi - sample.second_bearing - frame.facing
            x = sample.distance * math.sin(sample.first_bearing)
            z = sample.distance * math.cos(sample.first_bearing)
        x, z = shift_between(math.cos(yaw), math.sin(yaw), frame.pelvis.x, frame.pelvis.z, x, z)
        for level in range(len(path.steps)):
            step = path.steps[level, move]
            step.action, step.first, step.forced = pair[role], first, 0
            step.start, step.stop = start, start + action.stop - first
            step.place.x, step.place.z, step.place.yaw = x, z, yaw
    root = path.levels[0]
    root.current[0], root.current[1] = -1, -1
    root.clock, root.option, root.struck = 0, ARRIVED, -1
    root.meant_until, root.meant_row = -1, USUAL


@pasted
def _expand_sample(motions, pattern, path, sample, rows, count, found):
    """All patches that begin with a sample, depth first; returns how many there are now."""
    level, last = 0, len(pattern.moves)
    while level >= 0:
        # Step 1. All moves are placed: is it good?
        if level == last:
            reason = _complete(motions, pattern, path)
            found.tally[reason] += 1
            if reason == KEPT:
                row = _room_for(found, path.steps[last], path.rating[0].score, sample.distance, rows, count)
                if row >= 0:
                    count = max(count, row + 1)
                    _write(path, sample, found, row)
            level -= 1
            continue
        here = path.levels[level]
        # Step 2. Arrived here: let time go on until this move can start.
        if here.option == ARRIVED:
            reason = _arrive(motions, pattern, path, level)
            if reason != CLEAR:
                found.tally[reason] += 1
                level -= 1
                continue
        # Step 3. The next of the actions that this move can be.
        if here.option >= here.last_option:
            level -= 1
            continue
        reason = _place_next(motions, pattern, path, level, found.tally)
        if reason != CLEAR:
            found.tally[reason] += 1
            continue
        level += 1
        path.levels[level].option = ARRIVED
    return count


@pasted
def _complete(motions, pattern, path):
    """Look at the rest of a path with all moves placed and rate it: KEPT, or the reason why not."""
    level = len(pattern.moves)
    here, steps = path.levels[level], path.steps[level]
    final = max(steps[here.current[0]].stop, steps[here.current[1]].stop)
    reason = scan(motions, pattern, path, level, final, NOBODY, path.blows[0])
    if reason != CLEAR:
        return reason
    rate(motions, pattern, steps, path.blows, path.rating[0])
    return POOR if path.rating[0].score < pattern.limits.threshold else KEPT


@pasted
def _arrive(motions, pattern, path, level):
    """Let time go on until the next move can start, and find its options; or the reason why it cannot."""
    here, steps = path.levels[level], path.steps[level]
    move = pattern.moves[level]
    # an answer starts with a touch
    if move.response:
        acting = here.current[1 - move.role]
        reason = scan(motions, pattern, path, level, steps[acting].stop, move.role, path.blows[level])
        here.option, here.last_option = 0, 1
        if reason == CLEAR:
            return NO_CONTACT
        return CLEAR if reason == CONTACT else reason
    # anything else with the end of what the character does
    first = pattern.opening[move.role] == level
    start = steps[level].start if first else steps[here.current[move.role]].stop
    if level > 0 and start < steps[level - 1].start:
        return ORDER
    reason = scan(motions, pattern, path, level, start, NOBODY, path.blows[level])
    if reason != CLEAR:
        return reason
    if _too_close(motions, pattern, here, steps, start):
        return CLOSE
    here.clock = max(here.clock, start + 1)
    here.option, here.last_option = 0, 1
    if not first:
        posture = motions.actions[steps[here.current[move.role]].action].end_posture
        here.option = pattern.option_start[level, posture]
        here.last_option = pattern.option_start[level, posture + 1]
    return CLEAR if here.option < here.last_option else DEAD_END


@pasted
def _place_next(motions, pattern, path, level, tally):
    """Place the next option of a move on the next level; or the reason why it cannot be."""
    here, role = path.levels[level], pattern.moves[level].role
    option = here.option
    here.option += 1
    if pattern.moves[level].response:
        return _answer(motions, pattern, path, level)
    _copy_level(path, level)
    if pattern.opening[role] != level:
        tally[TRIED] += 1
        _follow(motions, path, level, role, pattern.options[option])
    path.levels[level + 1].current[role] = level
    return CLEAR


@kernel
def _copy_level(path, level):
    """The next level begins as this one is."""
    path.levels[level + 1] = path.levels[level]
    for move in range(path.steps.shape[1]):
        path.steps[level + 1, move] = path.steps[level, move]


@pasted
def _follow(motions, path, level, role, action):
    """Place an action after what a character does, as the graph joins them, on the next level."""
    before, step = path.steps[level, path.levels[level].current[role]], path.steps[level + 1, level]
    new, old = motions.actions[action], motions.actions[before.action]
    # the frame of the posture in the world
    x, z = place_point(before.place, old.leaving.x, old.leaving.z)
    yaw = old.leaving.yaw + before.place.yaw - new.entry.yaw
    step.place.x, step.place.z = shift_between(math.cos(yaw), math.sin(yaw), new.entry.x, new.entry.z, x, z)
    step.place.yaw = yaw
    step.action, step.first, step.forced = action, new.first, 0
    step.start, step.stop = before.stop, before.stop + new.stop - new.first


@pasted
def _answer(motions, pattern, path, level):
    """Let a character answer a touch, on the next level, from where its pelvis is; or the reason why not."""
    here, move, blow = path.levels[level], pattern.moves[level], path.blows[level]
    tick, role = blow.tick, move.role
    before = path.steps[level, here.current[role]]
    if tick > before.stop:
        return LATE
    if tick <= before.start or (level > 0 and tick < path.steps[level, level - 1].start):
        return ORDER
    # Step 1. The answer that goes where the blow drives the body, entered where it is most alike.
    frame = frame_at(before, tick)
    pelvis = motions.frames[frame].pelvis
    yaw = pelvis.yaw + before.place.yaw
    away = math.atan2(blow.way_x, blow.way_z) - yaw
    way = np.int64(math.floor(away / (2.0 * math.pi) * DIRECTIONS + 0.5)) % DIRECTIONS
    answer = pattern.answers[move.answers, frame, way]
    if answer.action < 0:
        return DEAD_END
    # Step 2. It begins where the pelvis is.
    entered = motions.frames[answer.first].pelvis
    x, z = place_point(before.place, pelvis.x, pelvis.z)
    turn = yaw - entered.yaw
    x, z = shift_between(math.cos(turn), math.sin(turn), entered.x, entered.z, x, z)
    _copy_level(path, level)
    step = path.steps[level + 1, level]
    path.steps[level + 1, here.current[role]].stop = tick
    step.action, step.first, step.forced = answer.action, answer.first, 1
    step.start, step.stop = tick, tick + motions.actions[answer.action].stop - answer.first
    step.place.x, step.place.z, step.place.yaw = x, z, turn
    # Step 3. For a while bodies may touch as the blow has it.
    after, acting = path.levels[level + 1], here.current[1 - role]
    after.current[role] = level
    after.clock = tick  # from its very first pose on
    after.meant_until = tick + pattern.limits.contact_ticks
    after.meant_row, after.struck = TOUCHING, acting
    limb = limb_of(blow.capsule)
    if pattern.moves[acting].threat == STRIKES and limb >= 0:
        after.meant_row = AFTER_STRIKE + 4 * (1 - role) + limb
    return CLEAR


@pasted
def _too_close(motions, pattern, here, steps, tick):
    """Whether two characters on their feet stand nearer to each other than people do."""
    first_step, second_step = steps[_move_of(pattern, here, 0)], steps[_move_of(pattern, here, 1)]
    if motions.frames[frame_at(first_step, tick)].height < _STANDING_HEIGHT:
        return False
    if motions.frames[frame_at(second_step, tick)].height < _STANDING_HEIGHT:
        return False
    x, z, _ = stands_at(motions, first_step, tick)
    other_x, other_z, _ = stands_at(motions, second_step, tick)
    return (x - other_x) ** 2 + (z - other_z) ** 2 < pattern.limits.nearest**2


# -- keeping the best ------------------------------------------------------------------------------------


@kernel
def _room_for(found, steps, score, distance, rows, count):
    """The row for a patch among those of its pair and bearings; -1 if better ones are there.

    A patch that does the same actions from the same distance gives way to a better one, or stays.
    """
    worst = -1
    for row in range(rows.first, count):
        same = found.samples[row].distance == distance
        for move in range(len(steps)):
            if found.steps[row, move].action != steps[move].action:
                same = False
        if same:
            return row if score > found.ratings[row].score else -1
        if worst < 0 or found.ratings[row].score < found.ratings[worst].score:
            worst = row
    if count < rows.stop:
        return count
    return worst if worst >= 0 and score > found.ratings[worst].score else -1


@kernel
def _write(path, sample, found, row):
    """Keep the patch that has just been completed."""
    moves = path.steps.shape[1]
    for move in range(moves):
        found.steps[row, move] = path.steps[moves, move]
        found.blows[row, move] = path.blows[move]
    found.ratings[row] = path.rating[0]
    began = found.samples[row]
    began.distance, began.delay = sample.distance, sample.delay
    began.first_bearing, began.second_bearing = sample.first_bearing, sample.second_bearing
