"""Bodies that give way: particles moved by pushes and blows and drawn back to their motion, without a lag."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.contact import HEAD, LEFT_THIGH, LOWER_TORSO, RIGHT_THIGH, UPPER_TORSO, WEAPON
from randori.kernels.easing import smooth_step
from randori.kernels.puppet import (
    CHEST,
    END_OF,
    LEFT_ELBOW,
    LEFT_WRIST,
    PARTICLES,
    PELVIS,
    RIGHT_ELBOW,
    RIGHT_WRIST,
    TIP,
    Bodies,
    Pose,
    blade,
    nearest,
    place_ends,
    pose,
)
from randori.kernels.vectors import length_of, minus, negative, plus, row_of, set_row, times

# the particle against which each one keeps its place; an ankle only against the floor
_HELD_BY = (-1, PELVIS, CHEST, CHEST, LEFT_ELBOW, PELVIS, -1, CHEST, RIGHT_ELBOW, PELVIS, -1, -1)
# 1/s, how hastily: critically damped, a blow has died away after some four of these times
_SPRING_RATES = (6.0, 8.0, 12.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0)
# how easily a particle moves, 1/kg and no unit that matters: arms give way to trunks
EASE = (0.03, 0.06, 0.15, 0.6, 1.0, 0.4, 0.7, 0.6, 1.0, 0.4, 0.7, 3.0)
# metres that a particle may be away from where what holds it carries it
_FARTHEST_OFFSETS = (0.16, 0.16, 0.08, 0.16, 0.25, 0.12, 0.35, 0.16, 0.25, 0.12, 0.35, 0.45)
# of what is beyond that, what carries on to what holds it: a body that is pushed hard at the head leans back
_CARRIED_SHARES = (0.0, 0.4, 0.5, 0.3, 0.2, 0.2, 0.0, 0.3, 0.2, 0.2, 0.0, 0.0)
# A struck body is not drawn back at once: so much less hastily after a blow that gives a part so many m/s or
# more, and as before within some three times so many seconds
_LIMP, _STUNNING, _RECOVERY = 0.5, 2.0, 0.14
_SLACK = 0.004  # metres that flesh gives
_HASTE = 0.12  # metres at most that one frame pushes a particle by: what is deep comes out bit by bit
_REBOUND = 0.35  # of the speed of being pushed that is kept: flesh does not bounce
_HELD_FOR = 0.35  # of the time that a limb waits: wholly
_LEVEL = 0.3  # of a push between trunks that must be level for it to be made level: no body is lifted
# metres over the floor that particles are not pushed below: an ankle has a foot under it
_FLOOR = (0.1, 0.1, 0.1, 0.05, 0.06, 0.07, 0.14, 0.05, 0.06, 0.07, 0.14, 0.02)
NEAR = 2.6  # metres between pelvises within which bodies can touch


BLOW = np.dtype(
    [
        ("frame", np.int64),
        ("striking_body", np.int64),
        ("striking_particle", np.int64),
        ("struck_body", np.int64),
        ("struck_particle", np.int64),
        ("waiting", np.int64),  # frames that what strikes stays where it struck: it would go right through
        ("speed", np.float64, (PARTICLES, 3)),  # m/s that the particles of the struck body are given
    ],
    align=True,
)


class Timing(NamedTuple):
    """Timing of the particles' motion from frame to frame."""

    step: float  # seconds between frames
    aiming: int  # frames before a blow in which the striking limb is not to be pushed off its way
    rounds: int  # of pushing bodies apart, in a frame at most


class Moment(NamedTuple):
    """Bodies in one frame, which are pushed."""

    offsets: np.ndarray  # (B, 12, 3) metres that particles are off their motion
    ease: np.ndarray  # (B, 12) how easily they move now
    ends: np.ndarray  # (B, 16, 2, 3) metres, of the capsules
    pose: Pose

    @classmethod
    def of(cls, bodies: Bodies) -> "Moment":
        """Room for some bodies, at rest in their motion."""
        count, capsules = bodies.capsules.shape
        ends = np.empty((count, capsules, 2, 3))
        return cls(np.zeros((count, PARTICLES, 3)), np.zeros((count, PARTICLES)), ends, Pose.of(bodies))


class Course(NamedTuple):
    """State that carries on from one frame to the next."""

    before: np.ndarray  # (B, 12, 3) metres, offsets in the frame before,
    moved: np.ndarray  # (B, 12, 3) metres, and in this one before anything was pushed
    speed: np.ndarray  # (B, 12, 3) m/s
    limp: np.ndarray  # (B,) 1 right after a hard blow, 0 when it is forgotten
    pull: np.ndarray  # (12, 3) m/s², room for what draws the particles of one body

    @classmethod
    def of(cls, bodies: Bodies) -> "Course":
        """Room for some bodies, at rest."""
        count = len(bodies.capsules)
        before, moved, speed = (np.zeros((count, PARTICLES, 3)) for _ in range(3))
        return cls(before, moved, speed, np.zeros(count), np.empty((PARTICLES, 3)))


class Point(NamedTuple):
    """A point on the axis of a capsule."""

    body: int
    capsule: int
    share: float  # of the way along it


@kernel
def simulate(bodies, blows, timing, moment, course, offsets):
    """Find the offsets of particles from their motion in every frame, into offsets (F, B, 12, 3) metres.

    blows (N,) are BLOWs in order.
    """
    for f in range(offsets.shape[0]):
        # Step 1. Everything moves on, drawn back to its motion
        for b in range(offsets.shape[1]):
            _move_on(b, timing.step, moment.offsets[b], course)
            ease_body(bodies, f, b, moment.ease[b])

        # Step 2. Limbs that are about to strike follow their targets
        for n in range(len(blows)):
            if -blows[n].waiting < blows[n].frame - f < 0:
                _wait(bodies, f, blows[n], offsets, moment.offsets)
            if 0 <= blows[n].frame - f <= timing.aiming:
                _aim(blows[n], blows[n].frame - f, timing.aiming, moment)

        # Step 3. Bodies are pushed apart
        _copy(moment.offsets, course.moved)
        for _ in range(timing.rounds):
            if _push_all_apart(bodies, f, moment) == 0.0:
                break
        for b in range(offsets.shape[1]):
            _slow_down(moment.offsets[b], course.moved[b])
            restrain(bodies, f, b, moment.offsets[b])

        # Step 4. Speeds are what has become of the places; blows come on top
        _find_speeds(timing.step, moment.offsets, course)
        _copy(moment.offsets, offsets[f])
        for n in range(len(blows)):
            if blows[n].frame == f:
                _strike(blows[n], course)


@kernel
def _copy(source, target):
    """Copy the vectors of particles (B, 12, 3)."""
    for b in range(source.shape[0]):
        for p in range(PARTICLES):
            set_row(target[b], p, row_of(source[b], p))


@kernel
def _move_on(b, step, offsets, course):
    """Draw the particles of a body back to where its motion has them, against what holds them."""
    speed, before, pull = course.speed[b], course.before[b], course.pull
    for p in range(PARTICLES):
        holder, hasty = _HELD_BY[p], (1.0 - _LIMP * course.limp[b]) * _SPRING_RATES[p]
        for k in range(3):
            away, quick = offsets[p, k], speed[p, k]
            if holder >= 0:
                away, quick = away - offsets[holder, k], quick - speed[holder, k]
            pull[p, k] = -hasty * hasty * away - 2.0 * hasty * quick
    for p in range(PARTICLES):
        for k in range(3):
            before[p, k] = offsets[p, k]
            speed[p, k] += step * pull[p, k]
            offsets[p, k] += step * speed[p, k]


@kernel
def ease_body(bodies, frame, b, ease):
    """Find the ease with which particles (12,) of a body move in a frame: a standing ankle does not move."""
    for p in range(PARTICLES):
        ease[p] = EASE[p]
    for foot in range(2):
        free = 1.0 - bodies.planted[frame, b, foot]
        ease[END_OF[2 + foot]] *= free * free


@kernel
def held_back(share):
    """The share of a waiting limb that is kept where it struck, after such a share of its time."""
    return smooth_step((1.0 - share) / (1.0 - _HELD_FOR))


@kernel
def _wait(bodies, frame, blow, offsets, now):
    """Keep a particle where it was in the frame of a hit, and the blade that it holds turned as it was, less
    and less; offsets (F, B, 12, 3) are those of the frames before, now (B, 12, 3) those of this one."""
    hit, body, particle = blow.frame, blow.striking_body, blow.striking_particle
    hold = held_back((frame - hit) / blow.waiting)
    for k in range(3):
        place = bodies.points[hit, body, particle, k] + offsets[hit, body, particle, k]
        wanted = place - bodies.points[frame, body, particle, k]
        now[body, particle, k] += hold * (wanted - now[body, particle, k])
    if particle == RIGHT_WRIST and bodies.radii[body, WEAPON] >= 0.0:
        at_hit = plus(blade(bodies, hit, body), row_of(offsets[hit, body], TIP))
        wanted_tip, tip = minus(at_hit, blade(bodies, frame, body)), row_of(now[body], TIP)
        set_row(now[body], TIP, plus(tip, times(hold, minus(wanted_tip, tip))))


@kernel
def _aim(blow, left, aiming, moment):
    """Bring what strikes to its target, so many frames before the hit; it is not pushed off its way."""
    near = smooth_step(1.0 - left / (aiming + 1.0))
    body, particle = blow.striking_body, blow.striking_particle
    own, target = moment.offsets[body, particle], moment.offsets[blow.struck_body, blow.struck_particle]
    for k in range(3):
        own[k] += near * (target[k] - own[k])
    ease = moment.ease[body]
    ease[particle] *= 1.0 - near
    if particle == RIGHT_WRIST:
        ease[TIP] *= 1.0 - near
    if left == 0:
        ease[particle] = EASE[particle]
        ease[TIP] = EASE[TIP]


@kernel
def _push_all_apart(bodies, frame, moment):
    """One round of pushing bodies apart; returns how deep the deepest were in each other."""
    for b in range(len(moment.offsets)):
        restrain(bodies, frame, b, moment.offsets[b])
        pose(bodies, frame, b, moment.offsets[b], moment.pose)
        place_ends(bodies, frame, b, moment.pose, moment.ends[b])
    deepest = 0.0
    for first in range(len(moment.offsets)):
        for second in range(first + 1, len(moment.offsets)):
            if is_near(bodies, frame, first, second):
                deepest = max(deepest, _push_apart(bodies, first, second, moment))
    return deepest


@kernel
def is_near(bodies, frame, first, second):
    """Whether two bodies can touch in a frame."""
    x = bodies.points[frame, first, PELVIS, 0] - bodies.points[frame, second, PELVIS, 0]
    z = bodies.points[frame, first, PELVIS, 2] - bodies.points[frame, second, PELVIS, 2]
    return x * x + z * z < NEAR * NEAR


@kernel
def _push_apart(bodies, first, second, moment):
    """Push the capsules of two bodies apart; returns how deep the deepest were."""
    deepest = 0.0
    for i in range(moment.ends.shape[1]):
        for j in range(moment.ends.shape[1]):
            if bodies.radii[first, i] < 0.0 or bodies.radii[second, j] < 0.0:
                continue
            s, t, way = nearest(moment.ends[first, i], moment.ends[second, j])
            apart = length_of(way)
            deep = bodies.radii[first, i] + bodies.radii[second, j] - apart - _SLACK
            if deep <= 0.0 or apart < 1e-6:
                continue
            deepest = max(deepest, deep)
            way = times(deep, (way[0] / apart, way[1] / apart, way[2] / apart))
            push(bodies, Point(first, i, s), Point(second, j, t), way, moment)
    return deepest


@kernel
def push(bodies, first, second, way, moment):
    """Move points of two capsules until they are farther apart by a way (x, y, z) in metres."""
    x, y, z = way
    if is_core(first.capsule) and is_core(second.capsule):
        level, all_of_it = math.sqrt(x * x + z * z), math.sqrt(x * x + y * y + z * z)
        if level > _LEVEL * all_of_it:
            x, y, z = all_of_it / level * x, 0.0, all_of_it / level * z
    yielding = _give(bodies.weights, moment.ease, first) + _give(bodies.weights, moment.ease, second)
    if yielding > 1e-9:
        way = x / yielding, y / yielding, z / yielding
        _move(bodies.weights, first, way, moment)
        _move(bodies.weights, second, negative(way), moment)


@kernel
def push_out(bodies, point, way, moment):
    """Move a point of a capsule by a way (x, y, z) in metres: what it is in does not give way."""
    yielding = _give(bodies.weights, moment.ease, point)
    if yielding > 1e-9:
        _move(bodies.weights, point, times(1.0 / yielding, way), moment)


@kernel
def is_core(capsule):
    return capsule in (HEAD, UPPER_TORSO, LOWER_TORSO, LEFT_THIGH, RIGHT_THIGH)


@kernel
def _give(weights, ease, point):
    """The ease with which a point of a capsule moves."""
    total = 0.0
    for p in range(PARTICLES):
        g = (1.0 - point.share) * weights[point.capsule, 0, p] + point.share * weights[point.capsule, 1, p]
        total += ease[point.body, p] * g * g
    return total


@kernel
def _move(weights, point, way, moment):
    """Push the particles that carry a point of a capsule, and with them the ends of all capsules."""
    x, y, z = way
    ease, offsets, ends = moment.ease[point.body], moment.offsets[point.body], moment.ends[point.body]
    for p in range(PARTICLES):
        carries = (1.0 - point.share) * weights[point.capsule, 0, p] + point.share * weights[
            point.capsule, 1, p
        ]
        g = ease[p] * carries
        if g == 0.0:
            continue
        offsets[p, 0] += g * x
        offsets[p, 1] += g * y
        offsets[p, 2] += g * z
        for other in range(ends.shape[0]):
            for k in range(2):
                v = g * weights[other, k, p]
                if v != 0.0:
                    ends[other, k, 0] += v * x
                    ends[other, k, 1] += v * y
                    ends[other, k, 2] += v * z


@kernel
def restrain(bodies, frame, b, offsets):
    """Constraints: parts stay together, planted feet in reach of the hips, nothing below the floor."""
    if bodies.radii[b, WEAPON] >= 0.0:  # a blade turns, it grows no longer
        motion = blade(bodies, frame, b)
        turned = plus(motion, row_of(offsets, TIP))
        scale = length_of(motion) / max(length_of(turned), 1e-6)
        set_row(offsets, TIP, minus(times(scale, turned), motion))
    for p in range(PARTICLES - 1, -1, -1):  # from the ends of limbs to the pelvis
        _keep_together(p, offsets)
        height = bodies.points[frame, b, p, 1]
        offsets[p, 1] = max(offsets[p, 1], min(_FLOOR[p] - height, 0.0))
    # hands on one weapon move together
    both = 0.5 * min(bodies.grip[frame, b, 0], bodies.grip[frame, b, 1])
    for k in range(3):
        apart = both * (offsets[RIGHT_WRIST, k] - offsets[LEFT_WRIST, k])
        offsets[LEFT_WRIST, k] += apart
        offsets[RIGHT_WRIST, k] -= apart
    for foot in range(2):
        _keep_in_reach(bodies, frame, b, foot, offsets)


@kernel
def _keep_together(p, offsets):
    """Bring a particle back that is too far from what holds it, which comes along a little."""
    holder = _HELD_BY[p]
    off = row_of(offsets, p)
    if holder >= 0:
        off = minus(off, row_of(offsets, holder))
    away = length_of(off)
    if away <= _FARTHEST_OFFSETS[p]:
        return
    beyond, carried = times(1.0 - _FARTHEST_OFFSETS[p] / away, off), _CARRIED_SHARES[p]
    set_row(offsets, p, minus(row_of(offsets, p), times(1.0 - carried, beyond)))
    if holder >= 0:
        set_row(offsets, holder, plus(row_of(offsets, holder), times(carried, beyond)))


@kernel
def _keep_in_reach(bodies, frame, b, foot, offsets):
    """Draw the pelvis to a foot that stands, if its leg is too short."""
    hold = bodies.planted[frame, b, foot]
    if hold <= 0.0:
        return
    leg, at = bodies.limbs[b, 2 + foot], bodies.joints[frame]
    span = minus(row_of(at, leg.end), row_of(at, leg.upper))
    most = max(leg.straightest * 0.993, length_of(span))
    span = minus(span, row_of(offsets, PELVIS))
    length = length_of(span)
    if length > most:
        pull = hold * (length - most) / length
        set_row(offsets, PELVIS, plus(row_of(offsets, PELVIS), times(pull, span)))


@kernel
def _slow_down(offsets, moved):
    """Bring deep particles out bit by bit: no particle goes farther in a frame than flesh can."""
    for p in range(PARTICLES):
        far = length_of(minus(row_of(offsets, p), row_of(moved, p)))
        if far > _HASTE:
            for k in range(3):
                offsets[p, k] = moved[p, k] + _HASTE / far * (offsets[p, k] - moved[p, k])


@kernel
def _find_speeds(step, offsets, course):
    """Speeds of all particles, and how limp their bodies still are."""
    recovering = math.exp(-step / _RECOVERY)
    for b in range(len(offsets)):
        for p in range(PARTICLES):
            for k in range(3):
                moved = course.moved[b, p, k]
                pushed = offsets[b, p, k] - moved
                course.speed[b, p, k] = (moved - course.before[b, p, k] + _REBOUND * pushed) / step
        course.limp[b] *= recovering


@kernel
def _strike(blow, course):
    """Give a blow to the body that is struck."""
    hardest = 0.0
    for p in range(PARTICLES):
        given = row_of(blow.speed, p)
        hardest = max(hardest, length_of(given))
        speed = course.speed[blow.struck_body]
        set_row(speed, p, plus(row_of(speed, p), given))
    limp = course.limp
    limp[blow.struck_body] = max(limp[blow.struck_body], min(hardest / _STUNNING, 1.0))
