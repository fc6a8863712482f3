"""Bodies that give way: particles moved by pushes and blows and drawn back to their motion, without a lag."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.contact import HEAD, LEFT_THIGH, LOWER_TORSO, RIGHT_THIGH, UPPER_TORSO, WEAPON
from randori.kernels.puppet import (
    CHEST,
    END_OF,
    LEFT_ELBOW,
    LEFT_WRIST,
    LIMBS,
    PARTICLES,
    PELVIS,
    RIGHT_ELBOW,
    RIGHT_WRIST,
    TIP,
    blade,
    nearest,
    place_ends,
    pose,
)

# what each particle is drawn to keep its place against; an ankle only against the floor
_HELD_BY = (-1, PELVIS, CHEST, CHEST, LEFT_ELBOW, PELVIS, -1, CHEST, RIGHT_ELBOW, PELVIS, -1, -1)
# 1/s, how hastily: critically damped, a blow has died away after some four of these times
_DRAWN = (6.0, 8.0, 12.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0, 14.0)
# how easily a particle moves, 1/kg and no unit that matters: arms give way to trunks
EASE = (0.03, 0.06, 0.15, 0.6, 1.0, 0.4, 0.7, 0.6, 1.0, 0.4, 0.7, 3.0)
# metres that a particle may be away from where what holds it carries it
_FARTHEST = (0.16, 0.16, 0.08, 0.16, 0.25, 0.12, 0.35, 0.16, 0.25, 0.12, 0.35, 0.45)
# of what is beyond that, what carries on to what holds it: who is pushed hard at the head leans back
_CARRIED = (0.0, 0.4, 0.5, 0.3, 0.2, 0.2, 0.0, 0.3, 0.2, 0.2, 0.0, 0.0)
# Who is struck is not drawn back at once: so much less hastily after a blow that gives a part so many m/s or
# more, and as before within some three times so many seconds
_LIMP, _STUNNING, _RECOVERY = 0.5, 2.0, 0.14
_SLACK = 0.004  # metres that flesh gives
_HASTE = 0.12  # metres at most that one frame pushes a particle by: what is deep comes out bit by bit
_REBOUND = 0.35  # of the speed of being pushed that is kept: flesh does not bounce
_HELD_FOR = 0.35  # of the time that a limb waits: wholly
_LEVEL = 0.3  # of a push between trunks that must be level for it to be made level: nobody is lifted
# metres over the floor that particles are not pushed below: an ankle has a foot under it
_FLOOR = (0.1, 0.1, 0.1, 0.05, 0.06, 0.07, 0.14, 0.05, 0.06, 0.07, 0.14, 0.02)
NEAR = 2.6  # metres between pelvises within which bodies can touch


@kernel
def is_core(capsule):
    return capsule in (HEAD, UPPER_TORSO, LOWER_TORSO, LEFT_THIGH, RIGHT_THIGH)


@kernel
def move(weights, ease, c, share, x, y, z, offsets, ends):
    """Push the particles that carry a point of a capsule, and with them the ends of all capsules."""
    for p in range(PARTICLES):
        g = ease[p] * ((1.0 - share) * weights[c, 0, p] + share * weights[c, 1, p])
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
def give(weights, ease, c, share):
    """How easily a point of a capsule moves."""
    total = 0.0
    for p in range(PARTICLES):
        g = (1.0 - share) * weights[c, 0, p] + share * weights[c, 1, p]
        total += ease[p] * g * g
    return total


@kernel
def push(bodies, one, i, s, other, j, t, x, y, z, ease, offsets, ends):
    """Move a point of capsule i of one body, and of j of another, until they are (x, y, z) farther apart."""
    if is_core(i) and is_core(j):
        level, all_of_it = math.sqrt(x * x + z * z), math.sqrt(x * x + y * y + z * z)
        if level > _LEVEL * all_of_it:
            x, y, z = all_of_it / level * x, 0.0, all_of_it / level * z
    yielding = give(bodies.weights, ease[one], i, s) + give(bodies.weights, ease[other], j, t)
    if yielding > 1e-9:
        x, y, z = x / yielding, y / yielding, z / yielding
        move(bodies.weights, ease[one], i, s, x, y, z, offsets[one], ends[one])
        move(bodies.weights, ease[other], j, t, -x, -y, -z, offsets[other], ends[other])


@kernel
def _push_apart(bodies, one, other, ease, offsets, ends):
    """Push the capsules of two bodies apart; returns how deep the deepest were."""
    deepest = 0.0
    for i in range(ends.shape[1]):
        for j in range(ends.shape[1]):
            if bodies.radii[one, i] < 0.0 or bodies.radii[other, j] < 0.0:
                continue
            s, t, x, y, z = nearest(ends[one, i], ends[other, j])
            apart = math.sqrt(x * x + y * y + z * z)
            deep = bodies.radii[one, i] + bodies.radii[other, j] - apart - _SLACK
            if deep <= 0.0 or apart < 1e-6:
                continue
            deepest = max(deepest, deep)
            x, y, z = x / apart, y / apart, z / apart
            push(bodies, one, i, s, other, j, t, deep * x, deep * y, deep * z, ease, offsets, ends)
    return deepest


@kernel
def restrain(bodies, frame, b, offsets):
    """Constraints: parts stay together, planted feet in reach of the hips, nothing below the floor."""
    if bodies.radii[b, WEAPON] >= 0.0:  # a blade turns, it grows no longer
        x, y, z = blade(bodies, frame, b)
        length = math.sqrt(x * x + y * y + z * z)
        u, v, w = x + offsets[TIP, 0], y + offsets[TIP, 1], z + offsets[TIP, 2]
        scale = length / max(math.sqrt(u * u + v * v + w * w), 1e-6)
        offsets[TIP, 0], offsets[TIP, 1], offsets[TIP, 2] = scale * u - x, scale * v - y, scale * w - z
    for p in range(PARTICLES - 1, -1, -1):  # from the ends of limbs to the pelvis
        holder = _HELD_BY[p]
        x, y, z = offsets[p, 0], offsets[p, 1], offsets[p, 2]
        if holder >= 0:
            x, y, z = x - offsets[holder, 0], y - offsets[holder, 1], z - offsets[holder, 2]
        away = math.sqrt(x * x + y * y + z * z)
        if away > _FARTHEST[p]:
            beyond = 1.0 - _FARTHEST[p] / away
            x, y, z = beyond * x, beyond * y, beyond * z
            carried = _CARRIED[p]
            offsets[p, 0] -= (1.0 - carried) * x
            offsets[p, 1] -= (1.0 - carried) * y
            offsets[p, 2] -= (1.0 - carried) * z
            if holder >= 0:
                offsets[holder, 0] += carried * x
                offsets[holder, 1] += carried * y
                offsets[holder, 2] += carried * z
        height = bodies.points[frame, b, p, 1]
        offsets[p, 1] = max(offsets[p, 1], min(_FLOOR[p] - height, 0.0))
    # hands on one weapon move together
    both = 0.5 * min(bodies.grip[frame, b, 0], bodies.grip[frame, b, 1])
    for k in range(3):
        apart = both * (offsets[RIGHT_WRIST, k] - offsets[LEFT_WRIST, k])
        offsets[LEFT_WRIST, k] += apart
        offsets[RIGHT_WRIST, k] -= apart
    for foot in range(2):
        hold = bodies.planted[frame, b, foot]
        if hold <= 0.0:
            continue
        hip, ankle = bodies.limbs[b, 2 + foot, 0], bodies.limbs[b, 2 + foot, 2]
        at = bodies.joints[frame]
        vx, vy, vz = at[ankle, 0] - at[hip, 0], at[ankle, 1] - at[hip, 1], at[ankle, 2] - at[hip, 2]
        most = max(bodies.straightest[b, 2 + foot] * 0.993, math.sqrt(vx * vx + vy * vy + vz * vz))
        vx, vy, vz = vx - offsets[PELVIS, 0], vy - offsets[PELVIS, 1], vz - offsets[PELVIS, 2]
        length = math.sqrt(vx * vx + vy * vy + vz * vz)
        if length > most:
            pull = hold * (length - most) / length
            offsets[PELVIS, 0] += pull * vx
            offsets[PELVIS, 1] += pull * vy
            offsets[PELVIS, 2] += pull * vz


@kernel
def held_back(share):
    """How much of a limb that waits is kept where it struck, after such a share of its time."""
    left = min(max((1.0 - share) / (1.0 - _HELD_FOR), 0.0), 1.0)
    return left * left * (3.0 - 2.0 * left)


@kernel
def _wait(bodies, frame, hit, waiting, body, particle, offsets, now):
    """Keep a particle where it was in the frame of a hit, and the blade that it holds turned as it was, less
    and less."""
    hold = held_back((frame - hit) / waiting)
    for k in range(3):
        place = bodies.points[hit, body, particle, k] + offsets[hit, body, particle, k]
        wanted = place - bodies.points[frame, body, particle, k]
        now[body, particle, k] += hold * (wanted - now[body, particle, k])
    if particle == RIGHT_WRIST and bodies.radii[body, WEAPON] >= 0.0:
        x, y, z = blade(bodies, hit, body)
        at_hit = offsets[hit, body, TIP]
        x, y, z = x + at_hit[0], y + at_hit[1], z + at_hit[2]
        u, v, w = blade(bodies, frame, body)
        tip = now[body, TIP]
        tip[0] += hold * (x - u - tip[0])
        tip[1] += hold * (y - v - tip[1])
        tip[2] += hold * (z - w - tip[2])


@array_kernel
def simulate(
    bodies,
    blow_frame,  # (N,) int64, in order
    blow_body,  # (N,) int64, who is struck
    blow_speed,  # (N, 12, 3) m/s that particles are given
    aim_body,  # (N,) int64, who strikes
    aim_particle,  # (N,) int64, with what
    aim_at,  # (N,) int64, the particle of the struck body
    waiting,  # (N,) int64 frames that what strikes waits where it struck, because it would go right through
    aiming,  # frames before a blow in which the striking limb is not to be pushed off its way
    step,  # seconds
    rounds,
    offsets,  # (F, B, 12, 3) metres, out
):
    """How far particles are off their motion, in every frame."""
    frames, count = offsets.shape[0], offsets.shape[1]
    joints = bodies.parents.shape[0]
    place, turned, turns = np.empty((joints, 3)), np.empty((joints, 4)), np.empty((LIMBS, 2, 4))
    ends = np.empty((count, bodies.capsules.shape[1], 2, 3))
    now, before, speed = (
        np.zeros((count, PARTICLES, 3)),
        np.zeros((count, PARTICLES, 3)),
        np.zeros((count, PARTICLES, 3)),
    )
    pull, ease = np.zeros((PARTICLES, 3)), np.zeros((count, PARTICLES))
    moved, limp = np.zeros((count, PARTICLES, 3)), np.zeros(count)
    recovering = math.exp(-step / _RECOVERY)
    for f in range(frames):
        # Step 1. Everything moves on, drawn back to its motion
        for b in range(count):
            for p in range(PARTICLES):
                holder, w = _HELD_BY[p], (1.0 - _LIMP * limp[b]) * _DRAWN[p]
                for k in range(3):
                    away, quick = now[b, p, k], speed[b, p, k]
                    if holder >= 0:
                        away, quick = away - now[b, holder, k], quick - speed[b, holder, k]
                    pull[p, k] = -w * w * away - 2.0 * w * quick
                ease[b, p] = EASE[p]
            for foot in range(2):
                free = 1.0 - bodies.planted[f, b, foot]
                ankle = END_OF[2 + foot]
                ease[b, ankle] *= free * free
            for p in range(PARTICLES):
                for k in range(3):
                    before[b, p, k] = now[b, p, k]
                    speed[b, p, k] += step * pull[p, k]
                    now[b, p, k] += step * speed[b, p, k]

        # Step 2. What is about to strike goes where its target has gone
        for n in range(blow_frame.shape[0]):
            left = blow_frame[n] - f
            if -waiting[n] < left < 0:
                _wait(bodies, f, blow_frame[n], waiting[n], aim_body[n], aim_particle[n], offsets, now)
            if left < 0 or left > aiming:
                continue
            near = 1.0 - left / (aiming + 1.0)
            near = near * near * (3.0 - 2.0 * near)
            p, q = aim_particle[n], aim_at[n]
            for k in range(3):
                now[aim_body[n], p, k] += near * (now[blow_body[n], q, k] - now[aim_body[n], p, k])
            ease[aim_body[n], p] *= 1.0 - near
            if p == RIGHT_WRIST:
                ease[aim_body[n], TIP] *= 1.0 - near
            if left == 0:
                ease[aim_body[n], p] = EASE[p]
                ease[aim_body[n], TIP] = EASE[TIP]

        # Step 3. Bodies are pushed apart
        moved[:] = now
        for _ in range(rounds):
            deepest = 0.0
            for b in range(count):
                restrain(bodies, f, b, now[b])
                pose(bodies, f, b, now[b], place, turned, turns)
                place_ends(bodies, f, b, place, turned, ends[b])
            for one in range(count):
                for other in range(one + 1, count):
                    x = bodies.points[f, one, PELVIS, 0] - bodies.points[f, other, PELVIS, 0]
                    z = bodies.points[f, one, PELVIS, 2] - bodies.points[f, other, PELVIS, 2]
                    if x * x + z * z < NEAR * NEAR:
                        deepest = max(deepest, _push_apart(bodies, one, other, ease, now, ends))
            if deepest == 0.0:
                break
        for b in range(count):
            for p in range(PARTICLES):
                x, y, z = (
                    now[b, p, 0] - moved[b, p, 0],
                    now[b, p, 1] - moved[b, p, 1],
                    now[b, p, 2] - moved[b, p, 2],
                )
                far = math.sqrt(x * x + y * y + z * z)
                if far > _HASTE:
                    for k in range(3):
                        now[b, p, k] = moved[b, p, k] + _HASTE / far * (now[b, p, k] - moved[b, p, k])
            restrain(bodies, f, b, now[b])

        # Step 4. Speeds are what has become of the places; blows come on top
        for b in range(count):
            for p in range(PARTICLES):
                for k in range(3):
                    pushed = now[b, p, k] - moved[b, p, k]
                    speed[b, p, k] = (moved[b, p, k] - before[b, p, k] + _REBOUND * pushed) / step
                    offsets[f, b, p, k] = now[b, p, k]
        for b in range(count):
            limp[b] *= recovering
        for n in range(blow_frame.shape[0]):
            if blow_frame[n] == f:
                hardest = 0.0
                for p in range(PARTICLES):
                    x, y, z = blow_speed[n, p, 0], blow_speed[n, p, 1], blow_speed[n, p, 2]
                    hardest = max(hardest, math.sqrt(x * x + y * y + z * z))
                    for k in range(3):
                        speed[blow_body[n], p, k] += blow_speed[n, p, k]
                limp[blow_body[n]] = max(limp[blow_body[n]], min(hardest / _STUNNING, 1.0))
