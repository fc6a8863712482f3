"""What is plausible (spec 3.6): each rule in its place, in the order of its importance.

A rule looks at level `level`, in which fighter `one` already does the choice that began in tick `now` and
all others what they do. docs/add-to-the-duel.md says how to add one.
"""

import math

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.contact import CORE, gap_squared
from randori.kernels.duel_tables import (
    ACTION,
    ATTACK,
    CORE_R,
    CORE_REACH,
    COS,
    DEFENCE,
    DEFENCE_RANGE,
    DISC_X,
    DISC_Z,
    END_ROOM,
    FACING,
    FACING_LIMIT,
    KIND,
    OVERLAP,
    OVERLAP_STEP,
    PELVIS_X,
    PELVIS_Z,
    RANGE,
    ROOM,
    SIN,
    STOP,
    STRIKES,
    STRIKES_END,
    TEAM,
    WINDOW,
    YAW,
    X,
    Z,
    frame_at,
    nearest,
    pelvis_at,
    under_way,
)
from randori.kernels.duel_terms import turned_away

GRADES = 9  # of looking away: where nobody faces the opponent, who turns there is better than who does not
GRADE = math.pi / 12.0  # radians from one to the next
ENDS_INSIDE, PENETRATES, LOOKS_AWAY = range(3)  # LOOKS_AWAY is the worst grade of it
OUT_OF_RANGE = LOOKS_AWAY + GRADES
TOO_NEAR, NEEDLESS, PLAUSIBLE = OUT_OF_RANGE + 1, OUT_OF_RANGE + 2, OUT_OF_RANGE + 3
LEAVING = 0.2  # metres by which who is too near gets away


@pasted
def out_of_touch(spots, doing, where, level, one, other):
    """Whether two cores cannot meet, in whatever tick of their actions."""
    mine, theirs = doing[level, one, ACTION], doing[level, other, ACTION]
    c, s = where[level, one, COS], where[level, one, SIN]
    x, z = spots[mine, DISC_X], spots[mine, DISC_Z]
    ax, az = c * x + s * z + where[level, one, X], c * z - s * x + where[level, one, Z]
    c, s = where[level, other, COS], where[level, other, SIN]
    x, z = spots[theirs, DISC_X], spots[theirs, DISC_Z]
    bx, bz = c * x + s * z + where[level, other, X], c * z - s * x + where[level, other, Z]
    far = spots[mine, CORE_R] + spots[theirs, CORE_R]
    return (ax - bx) ** 2 + (az - bz) ** 2 > far * far


@kernel
def penetrates(actions, frames, body, radii, sides, rules, doing, where, level, one, tick):
    """Whether a fighter's core lies in an opponent's."""
    f = frame_at(actions, doing, level, one, tick)
    x, z = pelvis_at(frames, where, level, one, f)
    for other in range(doing.shape[1]):
        if sides[other, TEAM] == sides[one, TEAM]:
            continue
        g = frame_at(actions, doing, level, other, tick)
        ox, oz = pelvis_at(frames, where, level, other, g)
        far = frames[f, CORE_REACH] + frames[g, CORE_REACH] - rules[OVERLAP]
        if (ox - x) ** 2 + (oz - z) ** 2 >= far * far:
            continue
        if _cores_overlap(body, radii, rules, where, level, one, f, other, g, frames):
            return True
    return False


@kernel
def _cores_overlap(body, radii, rules, where, level, one, f, other, g, frames):
    # the first one's recording, as the other one's recording sees it
    ca, sa = where[level, one, COS], where[level, one, SIN]
    cb, sb = where[level, other, COS], where[level, other, SIN]
    c, s = ca * cb + sa * sb, sa * cb - ca * sb
    mx, mz = where[level, one, X] - where[level, other, X], where[level, one, Z] - where[level, other, Z]
    tx, tz = cb * mx - sb * mz, cb * mz + sb * mx
    px, pz, reach = frames[g, PELVIS_X], frames[g, PELVIS_Z], frames[g, CORE_REACH]
    for part in CORE:
        if radii[f, part] < 0.0:
            continue
        x, ay, z = (
            np.float64(body[f, part, 0, 0]),
            np.float64(body[f, part, 0, 1]),
            np.float64(body[f, part, 0, 2]),
        )
        ax, az = c * x + s * z + tx, c * z - s * x + tz
        x, by, z = (
            np.float64(body[f, part, 1, 0]),
            np.float64(body[f, part, 1, 1]),
            np.float64(body[f, part, 1, 2]),
        )
        bx, bz = c * x + s * z + tx, c * z - s * x + tz
        length = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
        wide = np.float64(radii[f, part]) - rules[OVERLAP]
        far = reach + wide + length
        if (ax - px) ** 2 + (az - pz) ** 2 > far * far:
            continue
        for against in CORE:
            if radii[g, against] < 0.0:
                continue
            both = wide + radii[g, against]
            dx, dy, dz = (
                np.float64(body[g, against, 0, 0]),
                np.float64(body[g, against, 0, 1]),
                np.float64(body[g, against, 0, 2]),
            )
            ex, ey, ez = (
                np.float64(body[g, against, 1, 0]),
                np.float64(body[g, against, 1, 1]),
                np.float64(body[g, against, 1, 2]),
            )
            # quick: along the vertical they may be far apart
            if min(ay, by) - max(dy, ey) > both or min(dy, ey) - max(ay, by) > both:
                continue
            if both > 0.0 and gap_squared(ax, ay, az, bx, by, bz, dx, dy, dz, ex, ey, ez) < both * both:
                return True
    return False


@kernel
def ends_inside(actions, frames, body, radii, sides, rules, doing, where, level, one):
    """Rule 0: a body ends in another one."""
    tick = doing[level, one, STOP]
    return penetrates(actions, frames, body, radii, sides, rules, doing, where, level, one, tick)


@kernel
def passes_through(actions, spots, frames, body, radii, sides, rules, doing, where, level, one, now):
    """Rule 1: it passes through another one before that."""
    step = int(rules[OVERLAP_STEP])
    near = False
    for other in range(doing.shape[1]):
        if sides[other, TEAM] != sides[one, TEAM] and not out_of_touch(
            spots, doing, where, level, one, other
        ):
            near = True
    if not near:
        return False
    for tick in range(now + step, doing[level, one, STOP], step):
        if penetrates(actions, frames, body, radii, sides, rules, doing, where, level, one, tick):
            return True
    return False


@kernel
def looks_away(actions, frames, sides, rules, doing, where, level, one):
    """Rule 2: by how many grades it does not face its opponent at the end, 0 if it does."""
    tick = doing[level, one, STOP]
    frame = frame_at(actions, doing, level, one, tick)
    x, z = pelvis_at(frames, where, level, one, frame)
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, tick)
    looks = frames[frame, FACING] + where[level, one, YAW]
    past = abs(turned_away(looks - math.atan2(far_x, far_z))) - rules[FACING_LIMIT]
    return 0 if past <= 0.0 else min(1 + int(past / GRADE), GRADES)


@kernel
def out_of_range(actions, frames, strikes, sweeps, sides, rules, doing, where, level, one, now, apart):
    """Rule 3: an attack is too far from the opponent as it strikes, or too near; a defence, `apart` now."""
    action = doing[level, one, ACTION]
    kind, strike = actions[action, KIND], actions[action, STRIKES]
    if kind == DEFENCE:
        return apart > rules[DEFENCE_RANGE]
    if kind != ATTACK or strike == actions[action, STRIKES_END]:
        return False
    tick, limit, room = now + strikes[strike, WINDOW], sweeps[strike, RANGE], sweeps[strike, ROOM]
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, tick))
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, tick)
    squared = far_x * far_x + far_z * far_z
    return squared > limit * limit or squared < room * room


@kernel
def too_near(actions, spots, frames, sides, doing, where, level, one, apart):
    """Rule 4: it ends where there is no room for the own weapon, and does not get there from nearer."""
    tick = doing[level, one, STOP]
    frame = frame_at(actions, doing, level, one, tick)
    room = min(spots[doing[level, one, ACTION], END_ROOM], apart + LEAVING)
    if room <= 0.0:
        return False
    x, z = pelvis_at(frames, where, level, one, frame)
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, tick)
    return far_x * far_x + far_z * far_z < room * room


@kernel
def distance_now(actions, frames, sides, doing, where, level, one, now):
    """Metres to the nearest opponent, before anything is selected."""
    x, z = pelvis_at(frames, where, level, one, frame_at(actions, doing, level, one, now))
    _, far_x, far_z = nearest(actions, frames, sides, doing, where, level, one, x, z, now)
    return math.sqrt(far_x * far_x + far_z * far_z)


@kernel
def attacked(actions, strikes, sides, doing, level, one, now):
    """Whether an opponent's attack is under way."""
    for other in range(doing.shape[1]):
        if sides[other, TEAM] != sides[one, TEAM] and under_way(actions, strikes, doing, level, other, now):
            return True
    return False


@kernel
def needless(actions, doing, level, one, under_attack):
    """Rule 5: it defends against nothing."""
    return actions[doing[level, one, ACTION], KIND] == DEFENCE and not under_attack
