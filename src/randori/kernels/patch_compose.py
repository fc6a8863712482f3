"""Composing patches: who is in whose way, and where a few steps lead to."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.patch_bodies import deepest, seen_by

FASTEST = 0.3  # metres per tick that two come nearer to each other at most

_MIDDLE = 1 << 18  # squares of the floor to either side of the middle


@kernel
def follow(first, after, out):
    """Placements (N, 3), and others (N, 3) on top of them, into out (N, 3); one for all of them will do."""
    one = len(after) == 1
    c, s = math.cos(after[0, 2]), math.sin(after[0, 2])
    for k in range(len(first)):
        row = 0 if one else k
        if not one:
            c, s = math.cos(after[row, 2]), math.sin(after[row, 2])
        out[k, 0] = c * first[k, 0] + s * first[k, 1] + after[row, 0]
        out[k, 1] = c * first[k, 1] - s * first[k, 0] + after[row, 1]
        out[k, 2] = (first[k, 2] + after[row, 2] + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def lay_out(runs, rows, frames, places):
    """Runs (K, 2) of frames, each from one on to before another, placed so (K, 3), one after the other."""
    count = 0
    for k in range(len(runs)):
        for frame in range(runs[k, 0], runs[k, 1]):
            frames[count] = frame
            places[count, 0], places[count, 1], places[count, 2] = rows[k, 0], rows[k, 1], rows[k, 2]
            count += 1


@kernel
def show(pelvis, frames, places, start, block, shown_frame, shown_place, shown_x, shown_z, boxes, who):
    """Write what somebody does from a tick on into the rows of what is shown of them.

    `boxes` (T / block, N, 4) are grown around where everybody's pelvis is: x from, to, z from, to.
    """
    for t in range(len(frames)):
        c, s = math.cos(places[t, 2]), math.sin(places[t, 2])
        x, z = pelvis[frames[t], 0], pelvis[frames[t], 1]
        x, z = c * x + s * z + places[t, 0], c * z - s * x + places[t, 1]
        tick = start + t
        shown_frame[tick], shown_x[tick], shown_z[tick] = frames[t], x, z
        for axis in range(3):
            shown_place[tick, axis] = places[t, axis]
        box = boxes[tick // block, who]
        box[0], box[1] = min(box[0], x), max(box[1], x)
        box[2], box[3] = min(box[2], z), max(box[3], z)


@array_kernel
def crowded(shown_x, shown_z, block, boxes, begun, until, tick, places, radius, counts):
    """How many are within a radius of places (K, 2) in a tick, into counts (K,)."""
    low_x, high_x = places[:, 0].min() - radius, places[:, 0].max() + radius
    low_z, high_z = places[:, 1].min() - radius, places[:, 1].max() + radius
    counts[:] = 0
    for other in range(len(begun)):
        row = min(max(tick, begun[other]), until[other])
        box = boxes[row // block, other]
        if box[0] >= high_x or box[1] <= low_x or box[2] >= high_z or box[3] <= low_z:
            continue
        x, z = shown_x[other, row], shown_z[other, row]
        for k in range(len(places)):
            if math.hypot(places[k, 0] - x, places[k, 1] - z) < radius:
                counts[k] += 1


@kernel
def way_over_floor(pelvis, reach, frames, places, margin, xs, zs):
    """Where the pelvis of somebody is (frames (L,), places (L, 3)), into xs and zs (L,).

    Returns the box around all that the body can reach, and a margin: x from, to, z from, to.
    """
    low_x, high_x, low_z, high_z = 1e9, -1e9, 1e9, -1e9
    for t in range(len(frames)):
        c, s = math.cos(places[t, 2]), math.sin(places[t, 2])
        x, z = pelvis[frames[t], 0], pelvis[frames[t], 1]
        xs[t], zs[t] = c * x + s * z + places[t, 0], c * z - s * x + places[t, 1]
        wide = reach[frames[t]] + margin
        low_x, high_x = min(low_x, xs[t] - wide), max(high_x, xs[t] + wide)
        low_z, high_z = min(low_z, zs[t] - wide), max(high_z, zs[t] + wide)
    return low_x, high_x, low_z, high_z


@array_kernel
def touches_nobody(
    body, halves, radii, pelvis, reach, widest, allowed, frames, places, thing, start, glance, after,
    shown_frame, shown_place, shown_x, shown_z, block, boxes, begun, until, things, ignoring,
):  # fmt: skip
    """Whether somebody (frames (L,), places (L, 3)) touches none of the others.

    The others are rows of `shown_*`; before they begin and after they end they hold their pose. Those who
    have not begun and those in `ignoring` do not count. After the last of its ticks somebody stays there for
    `after` more. Only those are looked at whose boxes, of `block` ticks each, come near; `widest` is the
    longest reach of all. Each `glance`-th tick tells mostly whether it is worth looking at all of them.
    """
    length = len(frames)
    xs, zs = np.empty(length), np.empty(length)
    low_x, high_x, low_z, high_z = way_over_floor(pelvis, reach, frames, places, widest, xs, zs)
    near, count = np.empty(len(begun), dtype=np.int64), 0
    for other in range(len(begun)):
        if begun[other] < 0:
            continue
        first = min(max(start, begun[other]), until[other]) // block
        last = min(max(start + length - 1 + after, begun[other]), until[other]) // block
        for k in range(first, last + 1):
            box = boxes[k, other]
            if box[0] < high_x and box[1] > low_x and box[2] < high_z and box[3] > low_z:
                near[count] = other
                count += 1
                break
    for every in (glance, 1):
        for k in range(count):
            other = near[k]
            ignored = False
            for one in ignoring:
                ignored |= one == other
            t = length + after if ignored else 0
            while t < length + after:
                mine = min(t, length - 1)
                row = min(max(start + t, begun[other]), until[other])
                f, g = frames[mine], shown_frame[other, row]
                x, z = xs[mine] - shown_x[other, row], zs[mine] - shown_z[other, row]
                apart, far = math.sqrt(x * x + z * z), reach[f] + reach[g]
                if apart >= far:
                    t += every * (1 + int((apart - far) / (FASTEST * every)))
                    continue
                c, s, tx, tz = seen_by(
                    places[mine, 0], places[mine, 1], places[mine, 2],
                    shown_place[other, row, 0], shown_place[other, row, 1], shown_place[other, row, 2],
                )  # fmt: skip
                depth, _, _ = deepest(
                    body, halves[thing], radii[thing], halves[things[other]], radii[things[other]], pelvis,
                    reach, f, g, c, s, tx, tz, allowed,
                )  # fmt: skip
                if depth > 0.0:
                    return False
                t += every
    return True


@array_kernel
def spread(indptr, indices, move, other_end, ticks, posture, x, z, yaw, depth, most_ticks, out, place):
    """All places that up to `depth` actions lead to, the start among them. Returns how many.

    Rows of `out` (K, 3 + depth) int64: posture, ticks, number of actions, the actions, -1 where there are
    fewer; of `place` (K, 3): x, z, yaw of the posture's frame. With the tables turned around it goes
    backwards in time.
    """
    out[0, 0], out[0, 1], out[0, 2] = posture, 0, 0
    out[0, 3:] = -1
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
                for step in range(depth):
                    out[count, 3 + step] = out[row, 3 + step]
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


@array_kernel
def meet(
    there, there_place, back, back_place, keys, order, can_wait, room, late, far, turned, best, cost
):  # fmt: skip
    """Pairs of a way there and a way back that meet in the same posture: the cheapest, rows of `best` (K, 2).

    `room` are the ticks that there are; at most `late` more may be taken. What is left over is waited for
    where one can. `far` metres and `turned` radians may be missing. `keys` are those of the ways back, by
    squares of `far` metres, in order. Returns how many pairs there are.
    """
    count = 0
    # those of posture p are keys[start[p + 1] : start[p + 2]]; those of no posture, -1, come first
    start = np.zeros(len(can_wait) + 2, dtype=np.int64)
    for j in range(len(back)):
        start[back[j, 0] + 2] += 1
    for p in range(1, len(start)):
        start[p] += start[p - 1]
    for i in range(len(there)):
        low, high = start[there[i, 0] + 1], start[there[i, 0] + 2]
        if low == high:
            continue
        x = np.int64(math.floor(there_place[i, 0] / far)) + _MIDDLE
        z = np.int64(math.floor(there_place[i, 1] / far)) + _MIDDLE
        for column in range(-1, 2):
            row_key = (there[i, 0] * 2 * _MIDDLE + x + column) * 2 * _MIDDLE + z
            if keys[low] > row_key + 1 or keys[high - 1] < row_key - 1:
                continue
            for k in range(low + np.searchsorted(keys[low:high], row_key - 1), high):
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
