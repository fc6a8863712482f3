"""Scores of a patch: contact, relation and timing of its moments."""

import math

from randori.kernels.angles import without_full_turns
from randori.kernels.compile import kernel, pasted
from randori.kernels.patch_bodies import place_point, seen_from, strike_gap
from randori.kernels.patch_tables import NO_THREAT, STRIKES

_PUNCTUAL_SECONDS = (
    0.25  # seconds from the moment in which a strike is stretched most: later is no better than never
)
_BODY_RADIUS = 0.3  # metres from a pelvis to the skin, about
_EVASION_MOMENT = 0.45  # share of an evasion in which the threat should pass


@pasted
def frame_at(step, tick):
    """The frame that a step shows in a tick; before and after it the first and the last."""
    return step.first + min(max(tick, step.start), step.stop) - step.start


@kernel
def stands_at(motions, step, tick):
    """Place and heading of a character's pelvis in a tick of a step: x, z in metres, radians."""
    frame = motions.frames[frame_at(step, tick)]
    x, z = place_point(step.place, frame.pelvis.x, frame.pelvis.z)
    return x, z, frame.facing + step.place.yaw


@kernel
def step_at(moves, steps, role, tick):
    """The move of a character at a tick; before and after its part the first and the last."""
    found = -1
    for move in range(len(moves)):
        if moves[move].role == role and (found < 0 or steps[move].start <= tick):
            found = move
    return found


@kernel
def relation_at(motions, moves, steps, tick):
    """Metres between the two in a tick, and where each sees the other (radians)."""
    x, z, yaw = stands_at(motions, steps[step_at(moves, steps, 0, tick)], tick)
    other_x, other_z, other_yaw = stands_at(motions, steps[step_at(moves, steps, 1, tick)], tick)
    way = math.atan2(other_x - x, other_z - z)
    apart = math.sqrt((other_x - x) ** 2 + (other_z - z) ** 2)
    return apart, without_full_turns(way - yaw), without_full_turns(way + math.pi - other_yaw)


@kernel
def answer_to(moves, steps, move):
    """The move with which the other character answers a threat while it lasts; -1 if none does."""
    for later in range(move + 1, len(moves)):
        if (
            moves[later].role != moves[move].role
            and moves[later].response
            and steps[move].start <= steps[later].start <= steps[move].stop
        ):
            return later
    return -1


@kernel
def rate(motions, pattern, steps, blows, rating):
    """Rate a patch: the whole, then contact, relation and timing, each from 0 to 1.

    Every threat has a moment: the touch that it leads to, or the tick in which it passes most closely. That
    tick and how closely it passes is written to `blows`, too.
    """
    moves, limits = pattern.moves, pattern.limits
    contact, relation, timing, moments = 0.0, 0.0, 0.0, 0
    for move in range(len(moves)):
        if moves[move].threat == NO_THREAT:
            continue
        answer = answer_to(moves, steps, move)
        if answer >= 0:
            moment = steps[answer].start
            close = _force_of(motions, pattern, move, blows[answer])
            punctual = _punctuality_of_blow(motions, moves[move], steps[move], moment)
        else:
            near, least = _nearest_miss(motions, pattern, steps, move)
            moment = near
            blows[move].tick, blows[move].strength = near, least
            close = min(max(1.0 - least / limits.pass_by, 0.0), 1.0)
            punctual = _punctuality_of_miss(moves, steps, move, moment)
        apart, bearing, other = relation_at(motions, moves, steps, moment)
        fits = max(1.0 - abs(apart - limits.distance) / limits.distance, 0.0)
        looks = 0.25 * (2.0 + math.cos(bearing) + math.cos(other))
        contact += close
        relation += 0.5 * (fits + looks)
        timing += punctual
        moments += 1
    moments = max(moments, 1)
    rating.contact, rating.relation, rating.timing = contact / moments, relation / moments, timing / moments
    weights = limits.contact_weight + limits.relation_weight + limits.timing_weight
    rating.score = (
        limits.contact_weight * rating.contact
        + limits.relation_weight * rating.relation
        + limits.timing_weight * rating.timing
    ) / max(weights, 1e-9)


@kernel
def _force_of(motions, pattern, move, blow):
    """0 to 1, the force of a hit: twice the necessary impulse gives the best score."""
    force = blow.strength
    if pattern.moves[move].threat == STRIKES:
        force *= motions.masses[blow.capsule]
    return min(0.5 * force / max(pattern.limits.impulse, 1e-9), 1.0)


@kernel
def _punctuality_of_blow(motions, move, step, moment):
    """0 to 1: a strike should meet when it is stretched most."""
    late = 0.0
    if move.threat == STRIKES:
        frame, action = frame_at(step, moment), motions.actions[step.action]
        late = 1.0
        for strike in range(action.first_strike, action.stop_strike):
            off = abs(frame - motions.strikes[strike].extension) * motions.tick
            late = min(late, off / _PUNCTUAL_SECONDS)
    return 1.0 - late


@kernel
def _punctuality_of_miss(moves, steps, move, moment):
    """0 to 1: a character that gets out of the way should be about it just then."""
    other = steps[step_at(moves, steps, 1 - moves[move].role, moment)]
    length = max(other.stop - other.start, 1)
    share = (moment - other.start) / length
    return min(max(1.0 - 2.0 * abs(share - _EVASION_MOMENT), 0.0), 1.0)


@kernel
def _nearest_miss(motions, pattern, steps, move):
    """The tick in which a threat without an answer passes most closely, and metres that are left."""
    moves, step = pattern.moves, steps[move]
    least, near = 1e9, step.stop
    for tick in range(step.start, step.stop + 1):
        if moves[move].threat == STRIKES:
            gap = _strike_gap_at(motions, pattern, steps, move, tick)
        else:
            apart, _, _ = relation_at(motions, moves, steps, tick)
            gap = apart - _BODY_RADIUS
        if gap < least:
            least, near = gap, tick
    return near, least


@pasted
def _strike_gap_at(motions, pattern, steps, move, tick):
    """Metres from what strikes in a tick of a move to what can be hurt; far if nothing strikes then."""
    role, step = pattern.moves[move].role, steps[move]
    other = steps[step_at(pattern.moves, steps, 1 - role, tick)]
    frame, shown = frame_at(step, tick), frame_at(other, tick)
    action = motions.actions[step.action]
    least = 1e9
    for strike in range(action.first_strike, action.stop_strike):
        window = motions.strikes[strike]
        if window.first <= frame < window.stop:
            view = seen_from(step.place, other.place)
            gap, _ = strike_gap(
                motions,
                frame,
                window.capsule,
                pattern.capsules[role],
                shown,
                pattern.capsules[1 - role],
                view,
            )
            least = min(least, gap)
    return least
