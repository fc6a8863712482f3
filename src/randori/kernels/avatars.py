"""Avatars that follow precomputed tables: choosing and striking, tick by tick."""

import math

from randori.kernels.avatars_pose import give_way, point_of, pose, spring, stand, start_join
from randori.kernels.compile import kernel
from randori.kernels.policy_choice import best_of, look_further, score_actions

_FAR = 20.0  # metres: a target that is farther away is only a direction
_FARTHEST = 1.5  # metres that an action, or two, lead
_TOO_NEAR = 50.0  # what a metre that somebody comes too near costs a choice


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
    best = best_of(scores, count)
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
        best = best_of(scores, count)
    return best


@kernel
def aim(who, place, body, world, targets):
    """Where the targets (B, 3) of all behaviours are, as an avatar sees them from its place (3,)."""
    cosine, sine = math.cos(place[2]), math.sin(place[2])
    other = world.aims[who]
    for b in range(targets.shape[0]):
        if other < 0:
            k = -1 - other
            x, y, z = (
                world.props[k, 0, 0] + world.props[k, 1, 0],
                world.props[k, 0, 1] + world.props[k, 1, 1],
                world.props[k, 0, 2] + world.props[k, 1, 2],
            )
        elif body.at_fist[b]:
            x, y, z = nearest_fist(who, other, body, world)
        else:
            x, y, z = head_of(other, 0.5, body, world)
        dx, dz = x - place[0], z - place[1]
        shrink = min(_FAR / max(math.sqrt(dx * dx + dz * dz), _FAR), 1.0)
        dx, dz = shrink * dx, shrink * dz
        targets[b, 0], targets[b, 1], targets[b, 2] = cosine * dx - sine * dz, y, sine * dx + cosine * dz


@kernel
def head_of(who, share, body, world):
    """A point of somebody's head: a share of the way from one end of its capsule to the other."""
    end = body.part_end[0]
    x = (1.0 - share) * end[0, 0] + share * end[1, 0]
    y = (1.0 - share) * end[0, 1] + share * end[1, 1]
    z = (1.0 - share) * end[0, 2] + share * end[1, 2]
    return point_of(who, body.part_joint[0], world.position, world.turned, x, y, z)


@kernel
def nearest_fist(who, other, body, world):
    """The hand of the other one that is nearest to the own head."""
    hx, hy, hz = head_of(who, 0.0, body, world)
    nearest = math.inf
    x, y, z = 0.0, 0.0, 0.0
    for h in range(2):
        tip = body.hand_tips[h]
        px, py, pz = point_of(other, body.hands[h], world.position, world.turned, tip[0], tip[1], tip[2])
        gap = (px - hx) ** 2 + (py - hy) ** 2 + (pz - hz) ** 2
        if gap < nearest:
            nearest = gap
            x, y, z = px, py, pz
    return x, y, z


@kernel
def keep_clear(who, count, first, body, world, room):
    """Take from the scores of actions that lead too near to where others are, or will be."""
    here, spots, root, ends = room.here, body.spots, world.root, world.ends
    cosine, sine = math.cos(here[2]), math.sin(here[2])
    for other in range(ends.shape[0]):
        if other == who:
            continue
        now = math.sqrt((root[other, 0] - here[0]) ** 2 + (root[other, 2] - here[1]) ** 2)
        if now > world.clearance + _FARTHEST:
            continue
        for k in range(count):
            nearest = math.inf
            for spot in range(body.spot_start[first + k], body.spot_start[first + k + 1]):
                x = here[0] + cosine * spots[spot, 0] + sine * spots[spot, 1]
                z = here[1] + cosine * spots[spot, 1] - sine * spots[spot, 0]
                nearest = min(nearest, (x - ends[other, 0]) ** 2 + (z - ends[other, 1]) ** 2)
                nearest = min(nearest, (x - root[other, 0]) ** 2 + (z - root[other, 2]) ** 2)
            nearest = math.sqrt(nearest)
            # who is too near already may stay and strike, but comes no nearer
            allowed = min(world.clearance, now)
            if nearest < allowed:
                room.scores[k] -= _TOO_NEAR * (allowed - nearest)
                room.rewards[k] -= _TOO_NEAR * (allowed - nearest)


@kernel
def choose(who, tables, body, world, room):
    """The action that an avatar takes from where it stands now."""
    # Step 1. What it sees.
    state = world.state[who]
    cosine, sine = math.cos(world.place[who, 2]), math.sin(world.place[who, 2])
    here, spot = room.here, body.places[world.frame[who]]
    here[0] = cosine * spot[0] + sine * spot[1] + world.place[who, 0]
    here[1] = cosine * spot[1] - sine * spot[0] + world.place[who, 1]
    here[2] = spot[2] + world.place[who, 2]
    aim(who, here, body, world, room.targets)

    # Step 2. What every action is worth. Nobody walks into others.
    first, weights = tables.indptr[state], world.weights[who]
    count = score_actions(state, room.targets, weights, tables, room)
    keep_clear(who, count, first, body, world, room)

    # Step 3. A closer look at the most promising ones.
    look_further(world.ahead[who], state, room.targets, weights, tables, room)
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
