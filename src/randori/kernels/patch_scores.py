"""How good a patch is: contact, relation and timing of its moments."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel, pasted
from randori.kernels.contact import VITAL
from randori.kernels.patch_bodies import seen_by, strike_gap
from randori.kernels.patch_tables import (
    ACTION,
    BLOW_STRENGTH,
    BLOW_TICK,
    BLOW_WHAT,
    CONTACT_WEIGHT,
    DISTANCE,
    FIRST,
    IMPULSE,
    PASS_BY,
    RELATION_WEIGHT,
    RESPONSE,
    ROLE,
    START,
    STOP,
    STRIKE,
    THREAT,
    TICK,
    TIMING_WEIGHT,
)


@pasted
def step_at(moves, steps, who, tick):
    """Which move a character is in at a tick; before and after its part the first and the last."""
    found = -1
    for move in range(len(moves)):
        if moves[move, ROLE] == who and (found < 0 or steps[move, START] <= tick):
            found = move
    return found


@pasted
def shown_at(steps, move, tick):
    """As `frame_at`, for one level's steps."""
    shown = min(max(tick, steps[move, START]), steps[move, STOP])
    return steps[move, FIRST] + shown - steps[move, START]


@array_kernel
def relation_at(pelvis, facing, moves, steps, places, tick):
    """Metres between the two in a tick, and where each sees the other (radians)."""
    x, z, yaw = np.empty(2), np.empty(2), np.empty(2)
    for who in range(2):
        move = step_at(moves, steps, who, tick)
        frame = shown_at(steps, move, tick)
        c, s = math.cos(places[move, 2]), math.sin(places[move, 2])
        x[who] = c * pelvis[frame, 0] + s * pelvis[frame, 1] + places[move, 0]
        z[who] = c * pelvis[frame, 1] - s * pelvis[frame, 0] + places[move, 1]
        yaw[who] = facing[frame] + places[move, 2]
    way = math.atan2(x[1] - x[0], z[1] - z[0])
    apart = math.sqrt((x[1] - x[0]) ** 2 + (z[1] - z[0]) ** 2)
    return apart, _wrapped(way - yaw[0]), _wrapped(way + math.pi - yaw[1])


@pasted
def _wrapped(angle):
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel
def answer_to(moves, steps, move):
    """The move with which the other one answers a threat while it lasts; -1 if none does."""
    for later in range(move + 1, len(moves)):
        if (
            moves[later, ROLE] != moves[move, ROLE]
            and moves[later, RESPONSE]
            and steps[move, START] <= steps[later, START] <= steps[move, STOP]
        ):
            return later
    return -1


@kernel
def rate(
    body, radii, masses, pelvis, facing, strike_start, strike_frames, strike_capsule, strike_extension,
    moves, limits, steps, places, blows, score,
):  # fmt: skip
    """The score of a patch: the whole, then contact, relation and timing, each from 0 to 1.

    Every threat has a moment: the touch that it leads to, or the tick in which it passes most closely; that
    one and how closely is written to `blows`, too.
    """
    contact, relation, timing, moments = 0.0, 0.0, 0.0, 0
    for move in range(len(moves)):
        if moves[move, THREAT] == 0:
            continue
        who = moves[move, ROLE]
        answer = answer_to(moves, steps, move)
        action, stop = steps[move, ACTION], steps[move, STOP]
        moment = stop
        if answer >= 0:
            moment = steps[answer, START]
            # twice the impulse that is needed is as good as it gets
            force = blows[answer, BLOW_STRENGTH]
            if moves[move, THREAT] == STRIKE:
                force *= masses[np.int64(blows[answer, BLOW_WHAT])]
            close = min(0.5 * force / max(limits[IMPULSE], 1e-9), 1.0)
            late = 0.0
            if moves[move, THREAT] == STRIKE:
                frame = shown_at(steps, move, moment)
                late = 1.0
                for strike in range(strike_start[action], strike_start[action + 1]):
                    late = min(late, abs(frame - strike_extension[strike]) * limits[TICK] / 0.25)
            punctual = 1.0 - late
        else:
            least, near = 1e9, stop
            for tick in range(steps[move, START], stop + 1):
                mine = shown_at(steps, move, tick)
                yours = step_at(moves, steps, 1 - who, tick)
                frame = shown_at(steps, yours, tick)
                if moves[move, THREAT] == STRIKE:
                    for strike in range(strike_start[action], strike_start[action + 1]):
                        if strike_frames[strike, 0] <= mine < strike_frames[strike, 1]:
                            c, s, tx, tz = seen_by(
                                places[move, 0], places[move, 1], places[move, 2],
                                places[yours, 0], places[yours, 1], places[yours, 2],
                            )  # fmt: skip
                            gap, _ = strike_gap(
                                body, radii[who], radii[1 - who], mine, strike_capsule[strike], frame,
                                c, s, tx, tz, VITAL,
                            )  # fmt: skip
                            if gap < least:
                                least, near = gap, tick
                else:
                    apart, _, _ = relation_at(pelvis, facing, moves, steps, places, tick)
                    gap = apart - 0.3
                    if gap < least:
                        least, near = gap, tick
            moment = near
            blows[move, BLOW_TICK], blows[move, BLOW_STRENGTH] = near, least
            close = min(max(1.0 - least / limits[PASS_BY], 0.0), 1.0)
            # who gets out of the way should be about it just then
            yours = step_at(moves, steps, 1 - who, moment)
            length = max(steps[yours, STOP] - steps[yours, START], 1)
            share = (moment - steps[yours, START]) / length
            punctual = min(max(1.0 - 2.0 * abs(share - 0.45), 0.0), 1.0)
        apart, bearing, other = relation_at(pelvis, facing, moves, steps, places, moment)
        fits = max(1.0 - abs(apart - limits[DISTANCE]) / limits[DISTANCE], 0.0)
        looks = 0.25 * (2.0 + math.cos(bearing) + math.cos(other))
        contact += close
        relation += 0.5 * (fits + looks)
        timing += punctual
        moments += 1
    moments = max(moments, 1)
    score[1], score[2], score[3] = contact / moments, relation / moments, timing / moments
    weights = limits[CONTACT_WEIGHT] + limits[RELATION_WEIGHT] + limits[TIMING_WEIGHT]
    score[0] = (
        limits[CONTACT_WEIGHT] * score[1]
        + limits[RELATION_WEIGHT] * score[2]
        + limits[TIMING_WEIGHT] * score[3]
    ) / max(weights, 1e-9)
