"""Avatars that follow precomputed tables: choosing, posing, hitting, tick by tick.

Joins die away as in motion/transition.py; a blow displaces the struck body as an inverse kinematics does.
"""

import math

from randori.kernels.compile import kernel
from randori.kernels.policy import look_further
from randori.kernels.rotation import multiply, rotate

_PEAK = 16.0 / 81.0  # metres that an offset of zero reaches which starts at 1 m/s and dies away in 1 s
_OVERSHOOT = 1.5  # times the offset at the join
_ROOT_ALLOWANCE, _TURN_ALLOWANCE = 0.05, 0.2  # metres, radians, see motion/transition.py
_SMALL = 1e-3  # metres of a displacement that nobody sees
_FARTHEST = 1.5  # metres that an action, or two, lead
_TOO_NEAR = 50.0  # what a metre that somebody comes too near costs a choice


@kernel
def _log(w, x, y, z):
    """The rotation vector of a unit quaternion."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, w) / sine
    return factor * x, factor * y, factor * z


@kernel
def _exp(x, y, z):
    """The unit quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), factor * x, factor * y, factor * z


@kernel
def _carried(ox, oy, oz, vx, vy, vz, duration, allowance):
    """Seconds in which the velocity of an offset dies away, so that it does not swing out too far."""
    length = math.sqrt(ox * ox + oy * oy + oz * oz)
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    room = max(_OVERSHOOT * length, allowance) - length
    return min(duration, room / (_PEAK * max(speed, 1e-12)))


@kernel
def _fading(time, duration, carried):
    """What is left of an offset and of its velocity (in seconds) some time after a join."""
    s, v = min(time / duration, 1.0), min(time / max(carried, 1e-12), 1.0)
    return (
        (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s),
        carried * (1.0 - v) ** 3 * v * (1.0 + 3.0 * v),
    )


@kernel
def _source(root, rotations, frame, joint, yaw_w, yaw_y):
    """A joint's rotation as recorded, the root's turned to its place."""
    w, x, y, z = (
        rotations[frame, joint, 0],
        rotations[frame, joint, 1],
        rotations[frame, joint, 2],
        rotations[frame, joint, 3],
    )
    if joint == 0:
        return multiply(yaw_w, 0.0, yaw_y, 0.0, w, x, y, z)
    return w, x, y, z


@kernel
def _offset_from(shown, who, joint, w, x, y, z):
    """The rotation vector from a rotation to the one that is shown."""
    a, b, c, d = multiply(
        shown[who, joint, 0], shown[who, joint, 1], shown[who, joint, 2], shown[who, joint, 3], w, -x, -y, -z
    )
    return _log(a, b, c, d)


@kernel
def start_join(
    who, frame, before, fps, duration, root, rotations, place, shown_root, shown, last_root, last, join
):
    """Remember by how much the pose shown, and the one before it, are off what is played from now on."""
    cosine, sine = math.cos(place[who, 2]), math.sin(place[who, 2])
    yaw_w, yaw_y = math.cos(0.5 * place[who, 2]), math.sin(0.5 * place[who, 2])
    for moment in range(2):
        f = frame if moment == 0 else before
        x = cosine * root[f, 0] + sine * root[f, 2] + place[who, 0]
        z = cosine * root[f, 2] - sine * root[f, 0] + place[who, 1]
        if moment == 0:
            join[who, 0, 0], join[who, 0, 1] = shown_root[who, 0] - x, shown_root[who, 1] - root[f, 1]
            join[who, 0, 2] = shown_root[who, 2] - z
        else:
            join[who, 0, 3] = (join[who, 0, 0] - (last_root[who, 0] - x)) * fps
            join[who, 0, 4] = (join[who, 0, 1] - (last_root[who, 1] - root[f, 1])) * fps
            join[who, 0, 5] = (join[who, 0, 2] - (last_root[who, 2] - z)) * fps
        for j in range(rotations.shape[1]):
            w, a, b, c = _source(root, rotations, f, j, yaw_w, yaw_y)
            if moment == 0:
                x, y, z = _offset_from(shown, who, j, w, a, b, c)
                join[who, j + 1, 0], join[who, j + 1, 1], join[who, j + 1, 2] = x, y, z
            else:
                x, y, z = _offset_from(last, who, j, w, a, b, c)
                join[who, j + 1, 3] = (join[who, j + 1, 0] - x) * fps
                join[who, j + 1, 4] = (join[who, j + 1, 1] - y) * fps
                join[who, j + 1, 5] = (join[who, j + 1, 2] - z) * fps
    for row in range(rotations.shape[1] + 1):
        join[who, row, 6] = _carried(
            join[who, row, 0],
            join[who, row, 1],
            join[who, row, 2],
            join[who, row, 3],
            join[who, row, 4],
            join[who, row, 5],
            duration,
            _ROOT_ALLOWANCE if row == 0 else _TURN_ALLOWANCE,
        )


@kernel
def pose(who, frame, time, duration, root, rotations, place, join, shown_root, shown):
    """The pose of a frame in its place, with what is left of the last join."""
    cosine, sine = math.cos(place[who, 2]), math.sin(place[who, 2])
    yaw_w, yaw_y = math.cos(0.5 * place[who, 2]), math.sin(0.5 * place[who, 2])
    shown_root[who, 0] = cosine * root[frame, 0] + sine * root[frame, 2] + place[who, 0]
    shown_root[who, 1] = root[frame, 1]
    shown_root[who, 2] = cosine * root[frame, 2] - sine * root[frame, 0] + place[who, 1]
    joining = time < duration
    if joining:
        offset, swing = _fading(time, duration, join[who, 0, 6])
        for k in range(3):
            shown_root[who, k] += offset * join[who, 0, k] + swing * join[who, 0, 3 + k]
    for j in range(rotations.shape[1]):
        w, x, y, z = _source(root, rotations, frame, j, yaw_w, yaw_y)
        if joining:
            offset, swing = _fading(time, duration, join[who, j + 1, 6])
            tw, tx, ty, tz = _exp(
                offset * join[who, j + 1, 0] + swing * join[who, j + 1, 3],
                offset * join[who, j + 1, 1] + swing * join[who, j + 1, 4],
                offset * join[who, j + 1, 2] + swing * join[who, j + 1, 5],
            )
            w, x, y, z = multiply(tw, tx, ty, tz, w, x, y, z)
        shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3] = w, x, y, z


@kernel
def stand(who, shown_root, shown, parents, offsets, position, turned):
    """Where all joints are in the world: one body of several, as kernels/kinematics.py does it for clips."""
    for j in range(parents.shape[0]):
        w, x, y, z = shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3]
        p = parents[j]
        if p < 0:
            for k in range(3):
                position[who, j, k] = shown_root[who, k]
        else:
            pw, px, py, pz = turned[who, p, 0], turned[who, p, 1], turned[who, p, 2], turned[who, p, 3]
            dx, dy, dz = rotate(pw, px, py, pz, offsets[j, 0], offsets[j, 1], offsets[j, 2])
            position[who, j, 0] = position[who, p, 0] + dx
            position[who, j, 1] = position[who, p, 1] + dy
            position[who, j, 2] = position[who, p, 2] + dz
            w, x, y, z = multiply(pw, px, py, pz, w, x, y, z)
        turned[who, j, 0], turned[who, j, 1], turned[who, j, 2], turned[who, j, 3] = w, x, y, z


@kernel
def bend(who, chain, length, x, y, z, dx, dy, dz, parents, position, turned, shown):
    """Turn the joints of a chain so that a point x, y, z on its end moves by a displacement.

    One step of the transposed Jacobian: every joint turns as much as it helps.
    """
    total = 0.0
    for k in range(length):
        j = chain[k]
        rx, ry, rz = x - position[who, j, 0], y - position[who, j, 1], z - position[who, j, 2]
        total += rx * rx + ry * ry + rz * rz
    for k in range(length):
        j = chain[k]
        p = parents[j]
        rx, ry, rz = x - position[who, j, 0], y - position[who, j, 1], z - position[who, j, 2]
        ax, ay, az = (
            (ry * dz - rz * dy) / total,
            (rz * dx - rx * dz) / total,
            (rx * dy - ry * dx) / total,
        )
        ax, ay, az = rotate(
            turned[who, p, 0], -turned[who, p, 1], -turned[who, p, 2], -turned[who, p, 3], ax, ay, az
        )
        tw, tx, ty, tz = _exp(ax, ay, az)
        w, a, b, c = multiply(
            tw, tx, ty, tz, shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3]
        )
        shown[who, j, 0], shown[who, j, 1], shown[who, j, 2], shown[who, j, 3] = w, a, b, c


@kernel
def point_of(who, joint, position, turned, x, y, z):
    """A point in a joint's frame, in the world."""
    a, b, c = rotate(
        turned[who, joint, 0], turned[who, joint, 1], turned[who, joint, 2], turned[who, joint, 3], x, y, z
    )
    return position[who, joint, 0] + a, position[who, joint, 1] + b, position[who, joint, 2] + c


@kernel
def give_way(
    who, push, chains, lengths, part_joint, part_end, shown_root, shown, parents, offsets, position, turned
):
    """Displace the parts of a body that were struck; returns whether any was."""
    given = False
    for part in range(push.shape[1]):
        dx, dy, dz = push[who, part, 0], push[who, part, 1], push[who, part, 2]
        if dx * dx + dy * dy + dz * dz < _SMALL * _SMALL or lengths[part] == 0:
            continue
        x, y, z = point_of(
            who,
            part_joint[part],
            position,
            turned,
            0.5 * (part_end[part, 0, 0] + part_end[part, 1, 0]),
            0.5 * (part_end[part, 0, 1] + part_end[part, 1, 1]),
            0.5 * (part_end[part, 0, 2] + part_end[part, 1, 2]),
        )
        bend(who, chains[part], lengths[part], x, y, z, dx, dy, dz, parents, position, turned, shown)
        stand(who, shown_root, shown, parents, offsets, position, turned)
        given = True
    return given


@kernel
def spring(place, velocity, stiffness, damping, most, step):
    """A spring (3,) that draws back to zero, stretched no farther than `most`."""
    length = 0.0
    for k in range(3):
        velocity[k] -= step * (stiffness * place[k] + damping * velocity[k])
        place[k] += step * velocity[k]
        length += place[k] * place[k]
    length = math.sqrt(length)
    if length > most:
        for k in range(3):
            place[k] *= most / length
            velocity[k] = 0.0


@kernel
def to_segment(x, y, z, ax, ay, az, bx, by, bz):
    """Metres from a point to the segment a-b."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    square = ux * ux + uy * uy + uz * uz
    t = 0.0
    if square > 1e-12:
        t = min(max(((x - ax) * ux + (y - ay) * uy + (z - az) * uz) / square, 0.0), 1.0)
    dx, dy, dz = x - ax - t * ux, y - ay - t * uy, z - az - t * uz
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def draw(seeds, who):
    """The next random number below 2³¹ of an avatar."""
    seeds[who] = seeds[who] * 6364136223846793005 + 1442695040888963407
    return (seeds[who] >> 33) & 0x7FFFFFFF


@kernel
def pick(scores, count, few, share, seeds, who):
    """The best action, or one of the few best that are nearly as good."""
    best = 0
    for k in range(1, count):
        if scores[k] > scores[best]:
            best = k
    if few <= 1:
        return best
    enough = scores[best] - share * abs(scores[best])
    good = 0
    for k in range(count):
        good += scores[k] >= enough
    chosen = draw(seeds, who) % min(good, few)
    # the `chosen`-th best, by taking away better ones
    for _ in range(chosen):
        scores[best] = -math.inf
        best = 0
        for k in range(1, count):
            if scores[k] > scores[best]:
                best = k
    return best


@kernel
def aim(
    who,
    aims,
    weights,
    at_fist,
    place,
    position,
    turned,
    props,
    part_joint,
    part_end,
    hands,
    hand_tips,
    targets,
):
    """Where the targets (B, 3) of all behaviours are, as an avatar sees them from its place (3,)."""
    cosine, sine = math.cos(place[2]), math.sin(place[2])
    other = aims[who]
    for b in range(weights.shape[1]):
        if other < 0:
            k = -1 - other
            x, y, z = (
                props[k, 0, 0] + props[k, 1, 0],
                props[k, 0, 1] + props[k, 1, 1],
                props[k, 0, 2] + props[k, 1, 2],
            )
        elif at_fist[b]:
            # the hand of the other one that is nearest to the own head
            hx, hy, hz = point_of(
                who, part_joint[0], position, turned, part_end[0, 0, 0], part_end[0, 0, 1], part_end[0, 0, 2]
            )
            nearest = math.inf
            x, y, z = 0.0, 0.0, 0.0
            for h in range(2):
                px, py, pz = point_of(
                    other, hands[h], position, turned, hand_tips[h, 0], hand_tips[h, 1], hand_tips[h, 2]
                )
                gap = (px - hx) ** 2 + (py - hy) ** 2 + (pz - hz) ** 2
                if gap < nearest:
                    nearest = gap
                    x, y, z = px, py, pz
        else:
            x, y, z = point_of(
                other,
                part_joint[0],
                position,
                turned,
                0.5 * (part_end[0, 0, 0] + part_end[0, 1, 0]),
                0.5 * (part_end[0, 0, 1] + part_end[0, 1, 1]),
                0.5 * (part_end[0, 0, 2] + part_end[0, 1, 2]),
            )
        dx, dz = x - place[0], z - place[1]
        targets[b, 0], targets[b, 1], targets[b, 2] = cosine * dx - sine * dz, y, sine * dx + cosine * dz


@kernel
def keep_clear(who, count, first, clearance, here, spots, spot_start, root, ends, scores):
    """Take from the scores of actions that lead too near to where others are, or will be."""
    cosine, sine = math.cos(here[2]), math.sin(here[2])
    for other in range(ends.shape[0]):
        if other == who:
            continue
        now = math.sqrt((root[other, 0] - here[0]) ** 2 + (root[other, 2] - here[1]) ** 2)
        if now > clearance + _FARTHEST:
            continue
        for k in range(count):
            nearest = math.inf
            for spot in range(spot_start[first + k], spot_start[first + k + 1]):
                x = here[0] + cosine * spots[spot, 0] + sine * spots[spot, 1]
                z = here[1] + cosine * spots[spot, 1] - sine * spots[spot, 0]
                nearest = min(nearest, (x - ends[other, 0]) ** 2 + (z - ends[other, 1]) ** 2)
                nearest = min(nearest, (x - root[other, 0]) ** 2 + (z - root[other, 2]) ** 2)
            nearest = math.sqrt(nearest)
            # who is too near already may stay and strike, but comes no nearer
            allowed = min(clearance, now)
            if nearest < allowed:
                scores[k] -= _TOO_NEAR * (allowed - nearest)


@kernel
def choose(who, tables, body, world, room):
    """The action that an avatar takes from where it stands now."""
    # Step 1. What it sees.
    state = world.state[who]
    frame = world.frame[who]
    cosine, sine = math.cos(world.place[who, 2]), math.sin(world.place[who, 2])
    here, spot = room.here, body.places[frame]
    here[0] = cosine * spot[0] + sine * spot[1] + world.place[who, 0]
    here[1] = cosine * spot[1] - sine * spot[0] + world.place[who, 1]
    here[2] = spot[2] + world.place[who, 2]
    aim(
        who,
        world.aims,
        world.weights,
        body.at_fist,
        here,
        world.position,
        world.turned,
        world.props,
        body.part_joint,
        body.part_end,
        body.hands,
        body.hand_tips,
        room.targets,
    )

    # Step 2. What every action is worth.
    count = look_further(
        world.width[who],
        state,
        room.targets,
        world.weights[who],
        tables.indptr,
        tables.goal,
        tables.later,
        tables.move,
        tables.turn,
        tables.values,
        tables.grids,
        tables.moment_start,
        tables.point,
        tables.worth,
        tables.flat,
        tables.kind,
        tables.scale,
        tables.always,
        room.scores,
        room.rewards,
        room.next_targets,
        room.next_scores,
        room.next_rewards,
    )

    # Step 3. Nobody walks into others.
    first = tables.indptr[state]
    keep_clear(
        who,
        count,
        first,
        world.clearance,
        here,
        body.spots,
        body.spot_start,
        world.root,
        world.ends,
        room.scores,
    )
    return first + pick(room.scores, count, world.few[who], world.share, world.seeds, who)


@kernel
def begin(who, action, now, tables, body, world, log):
    """Start an action: its place, its join, where it will end; and write it down."""
    x, z, yaw = body.fit[action, 0], body.fit[action, 1], body.fit[action, 2]
    cosine, sine = math.cos(world.place[who, 2]), math.sin(world.place[who, 2])
    world.place[who, 0] += cosine * x + sine * z
    world.place[who, 1] += cosine * z - sine * x
    world.place[who, 2] += yaw
    entry = body.first[action]
    if entry != world.frame[who]:
        before = entry - 1 if entry > 0 and body.clip[entry - 1] == body.clip[entry] else entry
        start_join(
            who,
            entry,
            before,
            body.fps,
            body.join_seconds,
            body.root,
            body.rotations,
            world.place,
            world.root,
            world.rotations,
            world.last_root,
            world.last_rotations,
            world.join,
        )
        world.since[who] = 0
    world.frame[who] = entry
    world.left[who] = tables.ticks[action]
    world.state[who] = tables.goal[action]
    cosine, sine = math.cos(world.place[who, 2]), math.sin(world.place[who, 2])
    end = body.places[entry + tables.ticks[action]]
    world.ends[who, 0] = cosine * end[0] + sine * end[1] + world.place[who, 0]
    world.ends[who, 1] = cosine * end[1] - sine * end[0] + world.place[who, 1]
    row = log.counts[0]
    if row < log.chosen.shape[0]:
        log.chosen[row, 0], log.chosen[row, 1], log.chosen[row, 2] = now, who, action
        for k in range(3):
            log.placed[row, k] = world.place[who, k]
        log.counts[0] = row + 1


@kernel
def show(who, body, world):
    """The pose of an avatar in this tick, blows included, and where its joints are."""
    for k in range(3):
        world.last_root[who, k] = world.root[who, k]
    for j in range(body.parents.shape[0]):
        for k in range(4):
            world.last_rotations[who, j, k] = world.rotations[who, j, k]
    pose(
        who,
        world.frame[who],
        world.since[who] / body.fps,
        body.join_seconds,
        body.root,
        body.rotations,
        world.place,
        world.join,
        world.root,
        world.rotations,
    )
    stand(who, world.root, world.rotations, body.parents, body.offsets, world.position, world.turned)
    # joins go from undisplaced pose to undisplaced pose: what a blow does comes on top
    for j in range(body.parents.shape[0]):
        for k in range(4):
            world.shown[who, j, k] = world.rotations[who, j, k]
    give_way(
        who,
        world.push,
        body.chains,
        body.chain_lengths,
        body.part_joint,
        body.part_end,
        world.root,
        world.shown,
        body.parents,
        body.offsets,
        world.position,
        world.turned,
    )


@kernel
def _write_hit(now, who, whom, part, row, x, y, z, vx, vy, vz, body, log):
    """Keep what has been hit, by whom, where and how hard."""
    at = log.counts[1]
    if at < log.hits.shape[0]:
        log.hits[at, 0], log.hits[at, 1], log.hits[at, 2] = now, who, whom
        log.hits[at, 3], log.hits[at, 4] = body.hit_effector[row], part
        log.hit_velocity[at, 0], log.hit_velocity[at, 1], log.hit_velocity[at, 2] = vx, vy, vz
        log.hit_point[at, 0], log.hit_point[at, 1], log.hit_point[at, 2] = x, y, z
        log.counts[1] = at + 1


@kernel
def strike(who, now, body, world, log):
    """What an avatar's strikes meet in this tick: targets, heads and trunks."""
    frame = world.frame[who]
    cosine, sine = math.cos(world.place[who, 2]), math.sin(world.place[who, 2])
    for row in range(body.hit_start[frame], body.hit_start[frame + 1]):
        if world.spent[who] == body.hit_strike[row]:
            continue
        j = body.hit_joint[row]
        x, y, z = point_of(
            who, j, world.position, world.turned, body.tips[j, 0], body.tips[j, 1], body.tips[j, 2]
        )
        vx, vy, vz = body.hit_velocity[row, 0], body.hit_velocity[row, 1], body.hit_velocity[row, 2]
        vx, vz = cosine * vx + sine * vz, cosine * vz - sine * vx
        for k in range(world.props.shape[0]):
            dx, dy, dz = (
                x - world.props[k, 0, 0] - world.props[k, 1, 0],
                y - world.props[k, 0, 1] - world.props[k, 1, 1],
                z - world.props[k, 0, 2] - world.props[k, 1, 2],
            )
            if world.solid[k] and math.sqrt(dx * dx + dy * dy + dz * dz) <= world.reach:
                world.props[k, 2, 0] += world.prop_gain * vx
                world.props[k, 2, 1] += world.prop_gain * vy
                world.props[k, 2, 2] += world.prop_gain * vz
                world.spent[who] = body.hit_strike[row]
                _write_hit(now, who, -1 - k, -1, row, x, y, z, vx, vy, vz, body, log)
        for other in range(world.place.shape[0]):
            if other == who or world.spent[who] == body.hit_strike[row]:
                continue
            dx, dz = x - world.root[other, 0], z - world.root[other, 2]
            if dx * dx + dz * dz > 1.0:
                continue
            for part in range(body.part_joint.shape[0]):
                joint = body.part_joint[part]
                end = body.part_end[part]
                ax, ay, az = point_of(
                    other, joint, world.position, world.turned, end[0, 0], end[0, 1], end[0, 2]
                )
                bx, by, bz = point_of(
                    other, joint, world.position, world.turned, end[1, 0], end[1, 1], end[1, 2]
                )
                if to_segment(x, y, z, ax, ay, az, bx, by, bz) > body.part_radius[part] + body.fist:
                    continue
                world.push_velocity[other, part, 0] += world.push_gain * vx
                world.push_velocity[other, part, 1] += world.push_gain * vy
                world.push_velocity[other, part, 2] += world.push_gain * vz
                world.spent[who] = body.hit_strike[row]
                _write_hit(now, who, other, part, row, x, y, z, vx, vy, vz, body, log)
                break


@kernel
def settle(body, world):
    """Springs: struck parts of bodies and struck targets go back to where they belong."""
    step = 1.0 / body.fps
    for who in range(world.place.shape[0]):
        for part in range(world.push.shape[1]):
            spring(
                world.push[who, part],
                world.push_velocity[who, part],
                world.push_stiffness,
                world.push_damping,
                world.push_most,
                step,
            )
    for k in range(world.props.shape[0]):
        spring(world.props[k, 1], world.props[k, 2], world.prop_stiffness, world.prop_damping, math.inf, step)


@kernel
def advance(now, ticks, tables, body, world, room, log):
    """Some ticks of everybody. Those who have finished an action choose first, one after the other."""
    people = world.place.shape[0]
    for tick in range(now, now + ticks):
        for who in range(people):
            if world.left[who] == 0:
                begin(who, choose(who, tables, body, world, room), tick, tables, body, world, log)
        for who in range(people):
            world.frame[who] += 1
            world.left[who] -= 1
            world.since[who] += 1
            show(who, body, world)
        for who in range(people):
            strike(who, tick + 1, body, world, log)
        settle(body, world)


@kernel
def displacements(first, part, velocity, stiffness, damping, most, step, push):
    """How far blows displace parts of a body (F, H, 3): blow k sets off in frame first[k]."""
    moving = push[0] * 0.0
    k = 0
    for frame in range(push.shape[0]):
        if frame > 0:
            push[frame] = push[frame - 1]
        while k < first.shape[0] and first[k] <= frame:
            moving[part[k]] += velocity[k]
            k += 1
        for h in range(push.shape[1]):
            spring(push[frame, h], moving[h], stiffness, damping, most, step)


@kernel
def displace(
    push, chains, lengths, part_joint, part_end, parents, offsets, root, rotations, position, turned
):
    """Displace the struck parts of a body in every frame of a clip; rotations (F, J, 4) are changed."""
    for frame in range(root.shape[0]):
        stand(frame, root, rotations, parents, offsets, position, turned)
        give_way(
            frame,
            push,
            chains,
            lengths,
            part_joint,
            part_end,
            root,
            rotations,
            parents,
            offsets,
            position,
            turned,
        )
