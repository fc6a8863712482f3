"""Which patches go together in time and in space: continuous for who goes on, no collision with anybody.

A part is a row 2 p + r: role r of patch p. Its way is given tick by tick (`way_*`, CSR by `way_start`).
"""

import math

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.patch_bodies import deepest, seen_by

_STRIDE = 7919  # a prime: where the search for successors of each patch begins among those that fit


@pasted
def row_at(way_start, begin, part, tick):
    """The row of a part's way in a tick of its patch; before and after it the first and the last."""
    length = way_start[part + 1] - way_start[part]
    return way_start[part] + min(max(tick - begin[part], 0), length - 1)


@kernel
def clear(
    body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x, way_z, begin, thing,
    a, a_tick, ax, az, ay, b, b_tick, bx, bz, by, earliest, latest,
):  # fmt: skip
    """Whether two parts, put somewhere (x, z, yaw) from some tick on, do not collide in a span of ticks."""
    ca, sa, cb, sb = math.cos(ay), math.sin(ay), math.cos(by), math.sin(by)
    for tick in range(earliest, latest + 1):
        m, n = row_at(way_start, begin, a, tick - a_tick), row_at(way_start, begin, b, tick - b_tick)
        f, g = way_frame[m], way_frame[n]
        x = ca * way_x[m] + sa * way_z[m] + ax - (cb * way_x[n] + sb * way_z[n] + bx)
        z = ca * way_z[m] - sa * way_x[m] + az - (cb * way_z[n] - sb * way_x[n] + bz)
        far = reach[f] + reach[g]
        if x * x + z * z >= far * far:
            continue
        fx, fz = way_place[m, 0], way_place[m, 1]
        gx, gz = way_place[n, 0], way_place[n, 1]
        c, s, tx, tz = seen_by(
            ca * fx + sa * fz + ax, ca * fz - sa * fx + az, way_place[m, 2] + ay,
            cb * gx + sb * gz + bx, cb * gz - sb * gx + bz, way_place[n, 2] + by,
        )  # fmt: skip
        depth, _, _ = deepest(
            body, halves[thing[a]], radii[thing[a]], halves[thing[b]], radii[thing[b]], pelvis, reach, f, g,
            c, s, tx, tz, allowed,
        )  # fmt: skip
        if depth > 0.0:
            return False
    return True


@pasted
def put_after(leaving, entry, old, new, place, first_place):
    """Where a patch goes (x, z, yaw) whose part begins with action `new`, recorded at `first_place` in the
    patch, after action `old` that was placed at `place`."""
    c, s = math.cos(place[2]), math.sin(place[2])
    x = c * leaving[old, 0] + s * leaving[old, 1] + place[0]
    z = c * leaving[old, 1] - s * leaving[old, 0] + place[1]
    yaw = leaving[old, 2] + place[2] - entry[new, 2]
    c, s = math.cos(yaw), math.sin(yaw)
    x, z = x - (c * entry[new, 0] + s * entry[new, 1]), z - (c * entry[new, 1] - s * entry[new, 0])
    return put_so(x, z, yaw, first_place)


@pasted
def put_so(x, z, yaw, own):
    """Where a patch goes so that what it has at `own` (x, z, yaw) comes to be at x, z, yaw."""
    turn = yaw - own[2]
    c, s = math.cos(turn), math.sin(turn)
    return x - (c * own[0] + s * own[1]), z - (c * own[1] - s * own[0]), turn


@kernel
def alone(
    body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x, way_z, begin, thing,
    entry, leaving, end_posture, load, first_action, last_action, starters_indptr, starters, first_patch,
    last_patch, most, out,
):  # fmt: skip
    """Rows of patch, role, next patch, role in it: one goes on with somebody else. Returns how many.

    At most `most` for each end of a patch, tried in an order of its own.
    """
    count = 0
    for patch in range(first_patch, last_patch):
        for role in range(2):
            mine, theirs = 2 * patch + role, 2 * patch + 1 - role
            if thing[mine]:
                continue
            posture = end_posture[last_action[mine]]
            if posture < 0:
                continue
            begun = count
            low, size = starters_indptr[posture], starters_indptr[posture + 1] - starters_indptr[posture]
            end = way_start[mine + 1] - 1
            stop = begin[mine] + end - way_start[mine]
            for k in range(size):
                part = starters[low + (patch * _STRIDE + k) % size]
                if load[first_action[part]] != load[last_action[mine]]:
                    continue
                other = part ^ 1
                x, z, yaw = put_after(
                    leaving, entry, last_action[mine], first_action[part], way_place[end],
                    way_place[way_start[part]],
                )  # fmt: skip
                tick = stop - begin[part]  # in which the next patch begins
                comes = tick + begin[other]
                over = tick + begin[other] + way_start[other + 1] - way_start[other] - 1
                goes_on = stop + way_start[part + 1] - way_start[part] - 1
                if (
                    clear(
                        body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x,
                        way_z, begin, thing, theirs, 0, 0.0, 0.0, 0.0, other, tick, x, z, yaw,
                        comes, max(over, goes_on),
                    )
                    and clear(
                        body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x,
                        way_z, begin, thing, theirs, 0, 0.0, 0.0, 0.0, part, tick, x, z, yaw,
                        stop + 1, max(over, goes_on),
                    )
                    and clear(
                        body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x,
                        way_z, begin, thing, mine, 0, 0.0, 0.0, 0.0, other, tick, x, z, yaw, comes, stop,
                    )
                ):  # fmt: skip
                    out[count, 0], out[count, 1], out[count, 2], out[count, 3] = (
                        patch,
                        role,
                        part // 2,
                        part % 2,
                    )
                    count += 1
                    if count - begun >= most:
                        break
    return count


@kernel
def together(
    way_start, way_place, way_x, way_z, begin, thing, entry, leaving, end_posture, start_posture,
    load, first_action, last_action, at_start, far, turned, late, first_patch, last_patch, most, out,
):  # fmt: skip
    """Rows of patch, next patch, whether roles change, tick in which it begins: both go on with each other.

    Where the first one's part leads, the second's has to start within `far` metres and `turned` radians of
    where it is, and neither waits longer than `late` ticks.
    """
    count, patches = 0, len(begin) // 2
    for patch in range(first_patch, last_patch):
        begun = count
        one, two = 2 * patch, 2 * patch + 1
        if thing[one] or thing[two]:
            continue
        p, q = end_posture[last_action[one]], end_posture[last_action[two]]
        end_one, end_two = way_start[one + 1] - 1, way_start[two + 1] - 1
        stop_one, stop_two = begin[one] + end_one - way_start[one], begin[two] + end_two - way_start[two]
        for k in range(patches):
            if count - begun >= most:
                break
            following = (patch * _STRIDE + k) % patches
            for change in range(2):
                a, b = 2 * following + change, 2 * following + 1 - change
                if thing[a] or thing[b] or not at_start[a] or not at_start[b]:
                    continue
                if start_posture[first_action[a]] != p or start_posture[first_action[b]] != q:
                    continue
                if load[first_action[a]] != load[last_action[one]]:
                    continue
                if load[first_action[b]] != load[last_action[two]]:
                    continue
                tick = max(stop_one - begin[a], stop_two - begin[b])
                if tick + begin[a] - stop_one > late or tick + begin[b] - stop_two > late:
                    continue
                x, z, yaw = put_after(
                    leaving, entry, last_action[one], first_action[a], way_place[end_one],
                    way_place[way_start[a]],
                )  # fmt: skip
                u, v, turn = put_after(
                    leaving, entry, last_action[two], first_action[b], way_place[end_two],
                    way_place[way_start[b]],
                )  # fmt: skip
                off = yaw - turn - 2.0 * math.pi * math.floor((yaw - turn + math.pi) / (2.0 * math.pi))
                if abs(off) > turned:
                    continue
                # where the second would stand with the one placing, and with the other
                row = way_start[b]
                c, s, e, w = math.cos(yaw), math.sin(yaw), math.cos(turn), math.sin(turn)
                dx = (c - e) * way_x[row] + (s - w) * way_z[row] + x - u
                dz = (c - e) * way_z[row] - (s - w) * way_x[row] + z - v
                if dx * dx + dz * dz <= far * far and count - begun < most:
                    out[count, 0], out[count, 1], out[count, 2], out[count, 3] = (
                        patch,
                        following,
                        change,
                        tick,
                    )
                    count += 1
    return count


@kernel
def beside(
    body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place, way_x, way_z, begin, thing,
    users_indptr, users, least, first_patch, last_patch, most, out,
):  # fmt: skip
    """Rows of patch, role, other patch, role in it, tick in which it begins: the shared one does the same.

    `users` are the parts that begin with an action (CSR). From where the other patch begins on, the shared
    character shows the same frames until one of the patches is over, for `least` ticks at least.
    """
    count = 0
    for patch in range(first_patch, last_patch):
        for role in range(2):
            mine, theirs = 2 * patch + role, 2 * patch + 1 - role
            begun = count
            end = way_start[mine + 1] - 1
            stop = begin[mine] + end - way_start[mine]
            row = way_start[mine]
            while row < end and count - begun < most:
                # an action begins to be shown here
                if row > way_start[mine] and way_place[row, 3] == way_place[row - 1, 3]:
                    row += 1
                    continue
                action = np.int64(way_place[row, 3])
                low, size = users_indptr[action], users_indptr[action + 1] - users_indptr[action]
                for k in range(size):
                    part = users[low + (patch * _STRIDE + k) % size]
                    if part // 2 == patch or thing[part]:
                        continue
                    first = way_frame[way_start[part]]
                    if first < way_frame[row]:
                        continue
                    same = row + first - way_frame[row]  # the row in which the other patch begins
                    overlap = min(end - same, way_start[part + 1] - 1 - way_start[part])
                    if overlap < least or way_place[same, 3] != action:
                        continue
                    alike = True
                    for ahead in range(overlap):
                        if way_frame[same + ahead] != way_frame[way_start[part] + ahead]:
                            alike = False
                            break
                    if not alike:
                        continue
                    other = part ^ 1
                    x, z, yaw = put_so(
                        way_place[same, 0], way_place[same, 1], way_place[same, 2], way_place[way_start[part]]
                    )
                    tick = begin[mine] + same - way_start[mine] - begin[part]
                    comes = tick + begin[other]
                    over = comes + way_start[other + 1] - way_start[other] - 1
                    joined = tick + begin[part]
                    last = joined + way_start[part + 1] - way_start[part] - 1
                    whole = max(
                        max(over, last), begin[theirs] + way_start[theirs + 1] - way_start[theirs] - 1
                    )
                    whole = max(whole, stop)
                    if (
                        clear(
                            body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place,
                            way_x, way_z, begin, thing, theirs, 0, 0.0, 0.0, 0.0, other, tick, x, z, yaw,
                            max(comes, begin[theirs]), whole,
                        )
                        and clear(
                            body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place,
                            way_x, way_z, begin, thing, theirs, 0, 0.0, 0.0, 0.0, part, tick, x, z, yaw,
                            stop + 1, last,
                        )
                        and clear(
                            body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place,
                            way_x, way_z, begin, thing, mine, 0, 0.0, 0.0, 0.0, other, tick, x, z, yaw,
                            comes, joined - 1,
                        )
                        and clear(
                            body, halves, radii, pelvis, reach, allowed, way_start, way_frame, way_place,
                            way_x, way_z, begin, thing, mine, 0, 0.0, 0.0, 0.0, other, tick, x, z, yaw,
                            last + 1, stop,
                        )
                    ):  # fmt: skip
                        out[count, 0], out[count, 1], out[count, 2] = patch, role, part // 2
                        out[count, 3], out[count, 4] = part % 2, tick
                        count += 1
                        if count - begun >= most:
                            break
                row += 1
    return count
