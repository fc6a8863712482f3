"""Bodies that are still in each other, taken apart: frame by frame, by what that takes off their motion.

What has come in at one side goes out at the same side, even where it has got past the middle.
"""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.physics import EASE, NEAR, push, restrain
from randori.kernels.puppet import END_OF, LIMBS, PARTICLES, PELVIS, nearest, place_ends, pose

_THROUGH = 0.04  # metres past the middle, from which on something goes out at the other side
_PATIENCE = 2  # frames without touching after which something has come in anew
_RELAXED = 1.2  # times the push: limbs give way less than their particles do


@array_kernel
def part(
    bodies,
    pairs,  # (P, 2) int64, bodies that come near each other
    offsets,  # (F, B, 12, 3) metres
    slack,  # metres that may be left
    rounds,
    corrections,  # (F, B, 12, 3) metres, out: what is still missing
):
    """What has to be added to offsets, so that no two bodies are deeper in each other than the slack.

    Returns how deep the deepest were before.
    """
    frames, count = offsets.shape[0], offsets.shape[1]
    joints, capsules = bodies.parents.shape[0], bodies.capsules.shape[1]
    place, turned, turns = np.empty((joints, 3)), np.empty((joints, 4)), np.empty((LIMBS, 2, 4))
    ends, ease = np.empty((count, capsules, 2, 3)), np.empty((count, PARTICLES))
    now, moving = np.empty((count, PARTICLES, 3)), np.zeros(count, dtype=np.bool_)
    pushed = np.zeros(count, dtype=np.bool_)
    way = np.zeros((pairs.shape[0], capsules, capsules, 3))
    seen = np.full((pairs.shape[0], capsules, capsules), -_PATIENCE - 1, dtype=np.int64)
    worst = 0.0
    for f in range(frames):
        moving[:] = False
        for pair in range(pairs.shape[0]):
            if _near(bodies, f, pairs[pair, 0], pairs[pair, 1]):
                moving[pairs[pair, 0]] = True
                moving[pairs[pair, 1]] = True
        for b in range(count):
            now[b] = offsets[f, b]
            for p in range(PARTICLES):
                ease[b, p] = EASE[p]
            for foot in range(2):
                free = 1.0 - bodies.planted[f, b, foot]
                ease[b, END_OF[2 + foot]] *= free * free
        for number in range(rounds):
            # who was not pushed is where it was, and so are two of them
            for b in range(count):
                if moving[b]:
                    pose(bodies, f, b, now[b], place, turned, turns)
                    place_ends(bodies, f, b, place, turned, ends[b])
            deepest = 0.0
            pushed[:] = False
            for pair in range(pairs.shape[0]):
                one, other = pairs[pair, 0], pairs[pair, 1]
                if (moving[one] or moving[other]) and _near(bodies, f, one, other):
                    deep = _push(bodies, f, pairs[pair], ease, now, ends, way[pair], seen[pair], slack)
                    deepest = max(deepest, deep)
                    if deep > 0.5 * slack:
                        pushed[one] = pushed[other] = True
            if number == 0:
                worst = max(worst, deepest)
            if deepest <= slack:
                break
            moving[:] = pushed
            for b in range(count):
                if moving[b]:
                    restrain(bodies, f, b, now[b])
        for b in range(count):
            for p in range(PARTICLES):
                for k in range(3):
                    corrections[f, b, p, k] = now[b, p, k] - offsets[f, b, p, k]
    return worst


@kernel
def _near(bodies, f, one, other):
    """Whether two bodies can touch in a frame."""
    x = bodies.points[f, one, PELVIS, 0] - bodies.points[f, other, PELVIS, 0]
    z = bodies.points[f, one, PELVIS, 2] - bodies.points[f, other, PELVIS, 2]
    return x * x + z * z < NEAR * NEAR


@kernel
def _push(bodies, f, pair, ease, offsets, ends, way, seen, slack):
    """Push the capsules of two bodies apart the way they came; returns how deep the deepest were."""
    one, other = pair[0], pair[1]
    deepest = 0.0
    for i in range(ends.shape[1]):
        for j in range(ends.shape[1]):
            together = bodies.radii[one, i] + bodies.radii[other, j]
            if bodies.radii[one, i] < 0.0 or bodies.radii[other, j] < 0.0:
                continue
            if _far(ends[one, i], ends[other, j], together):
                continue
            s, t, x, y, z = nearest(ends[one, i], ends[other, j])
            apart = math.sqrt(x * x + y * y + z * z)
            if apart >= together:
                continue
            along = x * way[i, j, 0] + y * way[i, j, 1] + z * way[i, j, 2]
            if f - seen[i, j] <= _PATIENCE and along < 0.0 and apart < _THROUGH:
                x, y, z, apart = way[i, j, 0], way[i, j, 1], way[i, j, 2], along
            elif apart > 1e-6:
                x, y, z = x / apart, y / apart, z / apart
                way[i, j, 0], way[i, j, 1], way[i, j, 2] = x, y, z
            else:
                continue
            seen[i, j] = f
            deep = together - apart
            deepest = max(deepest, deep)
            deep -= 0.5 * slack
            if deep <= 0.0:
                continue
            deep *= _RELAXED
            push(bodies, one, i, s, other, j, t, deep * x, deep * y, deep * z, ease, offsets, ends)
    return deepest


@kernel
def _far(a, b, together):
    """Whether two segments (2, 3) are surely farther apart than so many metres."""
    for k in range(3):
        low = max(min(a[0, k], a[1, k]), min(b[0, k], b[1, k]))
        high = min(max(a[0, k], a[1, k]), max(b[0, k], b[1, k]))
        if low - high > together:
            return True
    return False
