"""Composing patches: who is in whose way, and where a few steps lead to."""

import math

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.patch_bodies import deepest, seen_by

_FASTEST = 0.3  # metres per tick that two come nearer to each other at most

_MIDDLE = 1 << 18  # squares of the floor to either side of the middle


@kernel
def first_touch(
    body, halves, radii, pelvis, reach, allowed, frames, places, thing, start, every, after,
    shown_frame, shown_place, shown_x, shown_z, begun, until, things, ignored,
):  # fmt: skip
    """The first of some ticks in which somebody (frames (L,), places (L, 3)) touches one of the others.

    The others are rows of `shown_*`; before they begin and after they end they hold their pose. Those with
    `ignored` do not count. Only each `every`-th tick is looked at. After the last of its ticks somebody stays
    there for `after` more. L + after if nobody is touched.
    """
    length = len(frames)
    soonest = length + after
    xs, zs = np.empty(length), np.empty(length)
    for t in range(length):
        c, s = math.cos(places[t, 2]), math.sin(places[t, 2])
        x, z = pelvis[frames[t], 0], pelvis[frames[t], 1]
        xs[t], zs[t] = c * x + s * z + places[t, 0], c * z - s * x + places[t, 1]
    for other in range(len(begun)):
        if ignored[other]:
            continue
        t = 0
        while t < soonest:
            mine = min(t, length - 1)
            row = min(max(start + t, begun[other]), until[other])
            f, g = frames[mine], shown_frame[other, row]
            x, z = xs[mine] - shown_x[other, row], zs[mine] - shown_z[other, row]
            apart, far = math.sqrt(x * x + z * z), reach[f] + reach[g]
            if apart >= far:
                t += every * (1 + int((apart - far) / (_FASTEST * every)))
                continue
            c, s, tx, tz = seen_by(
                places[mine, 0], places[mine, 1], places[mine, 2],
                shown_place[other, row, 0], shown_place[other, row, 1], shown_place[other, row, 2],
            )  # fmt: skip
            depth, _, _ = deepest(
                body, halves[thing], radii[thing], halves[things[other]], radii[things[other]], pelvis, reach,
                f, g, c, s, tx, tz, allowed,
            )  # fmt: skip
            if depth > 0.0:
                soonest = t
            t += every
    return soonest


@kernel
def spread(indptr, indices, move, other_end, ticks, posture, x, z, yaw, depth, most_ticks, out, place):
    """All places that up to `depth` actions lead to, the start among them. Returns how many.

    Rows of `out` (K, 3 + depth) int64: posture, ticks, number of actions, the actions; of `place` (K, 3):
    x, z, yaw of the posture's frame. With the tables turned around it goes backwards in time.
    """
    out[0, 0], out[0, 1], out[0, 2] = posture, 0, 0
    place[0, 0], place[0, 1], place[0, 2] = x, z, yaw
    count, first = 1, 0
    for level in range(depth):
        last = count
        for row in range(first, last):
            p = out[row, 0]
            c, s = math.cos(place[row, 2]), math.sin(place[row, 2])
            for k in range(indptr[p], indptr[p + 1]):
                action = indices[k]
                taken = out[row, 1] + ticks[action]
                if taken > most_ticks or count >= len(out):
                    continue
                for before in range(level):
                    out[count, 3 + before] = out[row, 3 + before]
                out[count, 0], out[count, 1], out[count, 2] = other_end[action], taken, level + 1
                out[count, 3 + level] = action
                place[count, 0] = c * move[action, 0] + s * move[action, 1] + place[row, 0]
                place[count, 1] = c * move[action, 1] - s * move[action, 0] + place[row, 1]
                place[count, 2] = move[action, 2] + place[row, 2]
                count += 1
        first = last
    return count


@kernel
def cells(out, place, size, keys):
    """A number for the posture and the square of the floor that each row's place is in, into keys (K,)."""
    for row in range(len(out)):
        x = np.int64(math.floor(place[row, 0] / size)) + _MIDDLE
        z = np.int64(math.floor(place[row, 1] / size)) + _MIDDLE
        keys[row] = (out[row, 0] * 2 * _MIDDLE + x) * 2 * _MIDDLE + z


@kernel
def meet(
    there, there_place, back, back_place, keys, order, can_wait, room, late, far, turned, best, cost
):  # fmt: skip
    """Pairs of a way there and a way back that meet in the same posture: the cheapest, rows of `best` (K, 2).

    `room` are the ticks that there are; at most `late` more may be taken. What is left over is waited for
    where one can. `far` metres and `turned` radians may be missing. `keys` are those of the ways back, by
    squares of `far` metres, in order. Returns how many pairs there are.
    """
    count = 0
    for i in range(len(there)):
        x = np.int64(math.floor(there_place[i, 0] / far)) + _MIDDLE
        z = np.int64(math.floor(there_place[i, 1] / far)) + _MIDDLE
        for column in range(-1, 2):
            row_key = (there[i, 0] * 2 * _MIDDLE + x + column) * 2 * _MIDDLE + z
            first = np.searchsorted(keys, row_key - 1)
            for k in range(first, len(keys)):
                if keys[k] > row_key + 1:
                    break
                j = order[k]
                dx, dz = there_place[i, 0] - back_place[j, 0], there_place[i, 1] - back_place[j, 1]
                apart = dx * dx + dz * dz
                if apart > far * far:
                    continue
                ticks = there[i, 1] + back[j, 1]
                if ticks > room + late or (ticks < room and not can_wait[there[i, 0]]):
                    continue
                turn = there_place[i, 2] - back_place[j, 2]
                turn = abs(turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5))
                if turn > turned:
                    continue
                price = (
                    max(ticks - room, 0) + 0.15 * ticks + 25.0 * math.sqrt(apart) / far + 25.0 * turn / turned
                )
                if count == len(best) and price >= cost[count - 1]:
                    continue
                row = min(count, len(best) - 1)
                while row > 0 and cost[row - 1] > price:
                    cost[row] = cost[row - 1]
                    best[row, 0], best[row, 1] = best[row - 1, 0], best[row - 1, 1]
                    row -= 1
                cost[row] = price
                best[row, 0], best[row, 1] = i, j
                count = min(count + 1, len(best))
    return count
