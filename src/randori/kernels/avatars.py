"""Avatars that follow precomputed tables: choosing and striking, tick by tick.

What is done for every avatar in every tick is pasted into `advance`: handing all records on costs a quarter
of the time.
"""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.avatars_pose import (
    Pose,
    Recorded,
    Skeleton,
    Spring,
    give_way,
    point_of,
    pose,
    stand,
    start_join,
    swing,
)
from randori.kernels.compile import kernel, pasted
from randori.kernels.places import PLACE
from randori.kernels.plane import move_point, turn_direction, turn_direction_back
from randori.kernels.policy_choice import best_of, look_further, score_actions

_FAR_DISTANCE = 20.0  # metres: a target that is farther away is only a direction
_FARTHEST_WAY = 1.5  # metres that an action, or two, lead
_TOO_NEAR = 50.0  # price of a choice for each metre that it comes too near to another body

# -- what never changes ----------------------------------------------------------------------------------

START = np.dtype(
    [
        ("first", np.int64),  # frame that is the same moment as the state that the action leaves
        ("fit", PLACE),  # moves its recording to where it fits the state's recording
        ("first_spot", np.int64),
        ("stop_spot", np.int64),  # after its last
    ],
    align=True,
)
HIT = np.dtype(
    [
        ("joint", np.int64),  # that strikes
        ("effector", np.int64),
        ("strike", np.int64),  # of the library
        ("x", np.float64),  # metres per second, as recorded
        ("y", np.float64),
        ("z", np.float64),
    ],
    align=True,
)


class Rules(NamedTuple):
    """The data shared by all avatars."""

    fps: float
    join_seconds: float
    nearly: float  # share of the best score that one of the few best actions may be worth less
    clearance: float  # least metres between two pelvises that an avatar chooses
    reach: float  # metres from the fist to a target's middle
    fist: float  # metres, radius
    push: Spring  # of struck parts
    prop: Spring  # of struck targets
    prop_gain: float  # the speed of a struck target over that of what strikes it


class Body(NamedTuple):
    """The body of an avatar: F frames, J joints, A actions, K frames of strikes, B behaviours."""

    recorded: Recorded
    skeleton: Skeleton
    clip: np.ndarray  # (F,) int64
    places: np.ndarray  # (F,) PLACE, the avatar's frame, as recorded
    tips: np.ndarray  # (J, 3) metres
    starts: np.ndarray  # (A,) START
    spots: np.ndarray  # (…, 2) x and z that an action leads over, as the avatar sees them at its start
    hit_start: np.ndarray  # (F + 1,) int64
    hits: np.ndarray  # (K,) HIT
    gains: np.ndarray  # (E, H) speed that an effector gives to a part, over its own
    hands: np.ndarray  # (2,) int64, joints
    at_fist: np.ndarray  # (B,) bool: the behaviour's target is the other avatar's fist


# -- what changes ----------------------------------------------------------------------------------------

AVATAR = np.dtype(
    [
        ("state", np.int64),  # that the running action leads to
        ("frame", np.int64),  # of the library
        ("left", np.int64),  # ticks of the running action
        ("since", np.int64),  # ticks since the last join
        ("place", PLACE),  # moves the recording to where it happens
        ("end_x", np.float64),  # metres, where the running action ends
        ("end_z", np.float64),
        ("spent", np.int64),  # the strike that has met something
        ("aim", np.int64),  # the avatar that it fights, or -1 - target
        ("few", np.int64),  # actions of which one is drawn
        ("ahead", np.int64),  # states that it looks at before it chooses
        ("seed", np.int64),
    ],
    align=True,
)


class Props(NamedTuple):
    """P targets that can be struck."""

    place: np.ndarray  # (P, 3) metres, where it hangs
    swung: np.ndarray  # (P, 3) metres, how far it has swung
    velocity: np.ndarray  # (P, 3) metres per second
    solid: np.ndarray  # (P,) bool: it can be hit


class World(NamedTuple):
    """N avatars and their targets."""

    avatars: np.ndarray  # (N,) AVATAR
    weights: np.ndarray  # (N, B) of the behaviours
    rotations: np.ndarray  # (N, J, 4) before blows
    last_root: np.ndarray  # (N, 3) in the tick before
    last_rotations: np.ndarray  # (N, J, 4)
    joins: np.ndarray  # (N, J + 1) JOIN, of the root, then of the joints
    shown: Pose  # blows included
    push: np.ndarray  # (N, H, 3) metres that blows have displaced parts by
    push_velocity: np.ndarray  # (N, H, 3) metres per second
    props: Props


CHOSEN = np.dtype(
    [
        ("tick", np.int64),
        ("avatar", np.int64),
        ("action", np.int64),
        ("place", PLACE),  # of the action's recording
    ],
    align=True,
)
LANDED = np.dtype(
    [
        ("tick", np.int64),
        ("avatar", np.int64),
        ("struck", np.int64),  # avatar, or -1 - target
        ("effector", np.int64),
        ("part", np.int64),  # that was hit, -1 for a target
        ("velocity", np.float64, (3,)),  # metres per second
        ("point", np.float64, (3,)),  # metres
    ],
    align=True,
)


class Log(NamedTuple):
    """Choices and hits since the last look."""

    counts: np.ndarray  # (2,) int64: choices, hits
    chosen: np.ndarray  # (…,) CHOSEN
    landed: np.ndarray  # (…,) LANDED


# -- choosing --------------------------------------------------------------------------------------------


@kernel
def to_segment(point, a, b):
    """Metres from a point to the segment a-b, each (x, y, z)."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    square = ux * ux + uy * uy + uz * uz
    x, y, z = point[0] - a[0], point[1] - a[1], point[2] - a[2]
    t = 0.0
    if square > 1e-12:
        t = min(max((x * ux + y * uy + z * uz) / square, 0.0), 1.0)
    dx, dy, dz = x - t * ux, y - t * uy, z - t * uz
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def draw(avatar):
    """The next random number below 2³¹ of an avatar."""
    avatar.seed = avatar.seed * 6364136223846793005 + 1442695040888963407
    return (avatar.seed >> 33) & 0x7FFFFFFF


@kernel
def pick(scores, count, nearly, avatar):
    """The best action, or one of the few best that are nearly as good."""
    best = best_of(scores, count)
    if avatar.few <= 1:
        return best
    enough = scores[best] - nearly * abs(scores[best])
    good = 0
    for k in range(count):
        good += scores[k] >= enough
    chosen = draw(avatar) % min(good, avatar.few)
    # the `chosen`-th best, by taking away better ones
    for _ in range(chosen):
        scores[best] = -math.inf
        best = best_of(scores, count)
    return best


@kernel
def aim(number, here, body, world, targets):
    """Find the targets (B, 3) of all behaviours, as an avatar sees them from its place (x, z, yaw)."""
    place_x, place_z, yaw = here
    cosine, sine = math.cos(yaw), math.sin(yaw)
    other, props = world.avatars[number].aim, world.props
    for b in range(targets.shape[0]):
        if other < 0:
            k = -1 - other
            x, y, z = (
                props.place[k, 0] + props.swung[k, 0],
                props.place[k, 1] + props.swung[k, 1],
                props.place[k, 2] + props.swung[k, 2],
            )
        elif body.at_fist[b]:
            x, y, z = nearest_fist(number, other, body, world.shown)
        else:
            x, y, z = head_of(other, 0.5, body.skeleton, world.shown)
        dx, dz = x - place_x, z - place_z
        shrink = min(_FAR_DISTANCE / max(math.sqrt(dx * dx + dz * dz), _FAR_DISTANCE), 1.0)
        targets[b, 0], targets[b, 2] = turn_direction_back(cosine, sine, shrink * dx, shrink * dz)
        targets[b, 1] = y


@kernel
def head_of(number, share, skeleton, shown):
    """A point of an avatar's head: a share of the way from one end of its capsule to the other."""
    end = skeleton.part_ends[0]
    x = (1.0 - share) * end[0, 0] + share * end[1, 0]
    y = (1.0 - share) * end[0, 1] + share * end[1, 1]
    z = (1.0 - share) * end[0, 2] + share * end[1, 2]
    return point_of(number, skeleton.parts[0].joint, shown, x, y, z)


@kernel
def nearest_fist(number, other, body, shown):
    """The hand of the other avatar that is nearest to the own head."""
    hx, hy, hz = head_of(number, 0.0, body.skeleton, shown)
    nearest = math.inf
    x, y, z = 0.0, 0.0, 0.0
    for h in range(2):
        hand = body.hands[h]
        tip = body.tips[hand]
        px, py, pz = point_of(other, hand, shown, tip[0], tip[1], tip[2])
        gap = (px - hx) ** 2 + (py - hy) ** 2 + (pz - hz) ** 2
        if gap < nearest:
            nearest = gap
            x, y, z = px, py, pz
    return x, y, z


@kernel
def keep_clear(number, here, actions, body, world, rules, room):
    """Take from the scores of actions that lead too near to where others are, or will be.

    `here` is the avatar's place (x, z, yaw), `actions` the first and the number of its actions.
    """
    here_x, here_z, yaw = here
    first, count = actions
    cosine, sine = math.cos(yaw), math.sin(yaw)
    for other in range(len(world.avatars)):
        if other == number:
            continue
        there, root = world.avatars[other], world.shown.root[other]
        now = math.sqrt((root[0] - here_x) ** 2 + (root[2] - here_z) ** 2)
        if now > rules.clearance + _FARTHEST_WAY:
            continue
        # an avatar that is too near already may stay and strike, but comes no nearer
        allowed = min(rules.clearance, now)
        for k in range(count):
            start = body.starts[first + k]
            nearest = math.inf
            for spot in range(start.first_spot, start.stop_spot):
                x = here_x + cosine * body.spots[spot, 0] + sine * body.spots[spot, 1]
                z = here_z + cosine * body.spots[spot, 1] - sine * body.spots[spot, 0]
                nearest = min(nearest, (x - there.end_x) ** 2 + (z - there.end_z) ** 2)
                nearest = min(nearest, (x - root[0]) ** 2 + (z - root[2]) ** 2)
            nearest = math.sqrt(nearest)
            if nearest < allowed:
                room.scores[k] -= _TOO_NEAR * (allowed - nearest)
                room.choices[k].reward -= _TOO_NEAR * (allowed - nearest)


@kernel
def choose(number, tables, body, world, rules, room):
    """The action that an avatar takes from where it stands now."""
    # Step 1. Find the targets in sight.
    avatar = world.avatars[number]
    state, spot, place = avatar.state, body.places[avatar.frame], avatar.place
    x, z = move_point(math.cos(place.yaw), math.sin(place.yaw), place.x, place.z, spot.x, spot.z)
    here = x, z, spot.yaw + place.yaw
    aim(number, here, body, world, room.targets)

    # Step 2. Score every action. Avatars do not walk into others.
    first, weights = tables.indptr[state], world.weights[number]
    count = score_actions(state, room.targets, weights, tables, room)
    keep_clear(number, here, (first, count), body, world, rules, room)

    # Step 3. A closer look at the most promising ones.
    look_further(avatar.ahead, state, room.targets, weights, tables, room)
    return first + pick(room.scores, count, rules.nearly, avatar)


# -- acting ----------------------------------------------------------------------------------------------


@kernel
def begin(number, action, now, tables, body, world, rules, log):
    """Start an action: its place, its join, where it will end; and write it down."""
    avatar, start, choice = world.avatars[number], body.starts[action], tables.actions[action]
    place, entry = avatar.place, start.first
    x, z = turn_direction(math.cos(place.yaw), math.sin(place.yaw), start.fit.x, start.fit.z)
    place.x += x
    place.z += z
    place.yaw += start.fit.yaw
    if entry != avatar.frame:
        before = entry - 1 if entry > 0 and body.clip[entry - 1] == body.clip[entry] else entry
        start_join(number, place, (entry, before), body.recorded, world, rules.join_seconds, rules.fps)
        avatar.since = 0
    avatar.frame, avatar.left, avatar.state = entry, choice.ticks, choice.goal
    end = body.places[entry + choice.ticks]
    avatar.end_x, avatar.end_z = move_point(
        math.cos(place.yaw), math.sin(place.yaw), place.x, place.z, end.x, end.z
    )
    if log.counts[0] < len(log.chosen):
        row = log.chosen[log.counts[0]]
        row.tick, row.avatar, row.action, row.place = now, number, action, place
        log.counts[0] += 1


@pasted
def show(number, body, world, rules):
    """The pose of an avatar in this tick, blows included, and where its joints are."""
    avatar, shown = world.avatars[number], world.shown
    for k in range(3):
        world.last_root[number, k] = shown.root[number, k]
    for j in range(world.rotations.shape[1]):
        for k in range(4):
            world.last_rotations[number, j, k] = world.rotations[number, j, k]
    time = avatar.since / rules.fps
    pose(number, avatar.place, avatar.frame, time, rules.join_seconds, body.recorded, world)
    # joins go from undisplaced pose to undisplaced pose: what a blow does comes on top
    for j in range(world.rotations.shape[1]):
        for k in range(4):
            shown.rotations[number, j, k] = world.rotations[number, j, k]
    stand(number, body.skeleton, shown)
    give_way(number, world.push, body.skeleton, shown)


@pasted
def _write_hit(now, number, struck, part, effector, point, velocity, log):
    """Keep what has been hit, by which avatar, where and how hard."""
    if log.counts[1] < len(log.landed):
        row = log.landed[log.counts[1]]
        row.tick, row.avatar, row.struck, row.effector, row.part = now, number, struck, effector, part
        for k in range(3):
            row.velocity[k], row.point[k] = velocity[k], point[k]
        log.counts[1] += 1


@pasted
def strike(number, now, body, world, rules, log):
    """Find the hits of an avatar's strikes in this tick: on targets, heads and trunks."""
    avatar = world.avatars[number]
    cosine, sine = math.cos(avatar.place.yaw), math.sin(avatar.place.yaw)
    for row in range(body.hit_start[avatar.frame], body.hit_start[avatar.frame + 1]):
        hit = body.hits[row]
        if avatar.spent == hit.strike:
            continue
        tip = body.tips[hit.joint]
        point = point_of(number, hit.joint, world.shown, tip[0], tip[1], tip[2])
        x, z = turn_direction(cosine, sine, hit.x, hit.z)
        velocity = x, hit.y, z
        for k in range(len(world.props.solid)):
            if world.props.solid[k] and _apart_from(world.props, k, point) <= rules.reach:
                avatar.spent = hit.strike
                _kick(world.props.velocity[k], rules.prop_gain, rules.prop.fastest, velocity)
                _write_hit(now, number, -1 - k, -1, hit.effector, point, velocity, log)
        for other in range(len(world.avatars)):
            if other == number or avatar.spent == hit.strike:
                continue
            part = _struck_part(other, point, body.skeleton, world.shown, rules.fist)
            if part >= 0:
                avatar.spent = hit.strike
                gain = body.gains[hit.effector, part]
                _kick(world.push_velocity[other, part], gain, rules.push.fastest, velocity)
                _write_hit(now, number, other, part, hit.effector, point, velocity, log)


@kernel
def _apart_from(props, k, point):
    """Metres from a point to a target."""
    x = point[0] - props.place[k, 0] - props.swung[k, 0]
    y = point[1] - props.place[k, 1] - props.swung[k, 1]
    z = point[2] - props.place[k, 2] - props.swung[k, 2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _struck_part(other, point, skeleton, shown, fist):
    """The first part of an avatar that a fist at a point is in, or -1."""
    x, z = point[0] - shown.root[other, 0], point[2] - shown.root[other, 2]
    if x * x + z * z > 1.0:
        return -1
    for part in range(len(skeleton.parts)):
        row, end = skeleton.parts[part], skeleton.part_ends[part]
        a = point_of(other, row.joint, shown, end[0, 0], end[0, 1], end[0, 2])
        b = point_of(other, row.joint, shown, end[1, 0], end[1, 1], end[1, 2])
        if to_segment(point, a, b) <= row.radius + fist:
            return part
    return -1


@kernel
def _kick(moving, gain, fastest, velocity):
    """Something that moves (3,) gets a share of what strikes it, as in timeline/impulse.py."""
    x, y, z = velocity
    speed = max(gain * math.sqrt(x * x + y * y + z * z), 1e-9)
    share = gain * fastest * math.tanh(speed / fastest) / speed
    for k in range(3):
        moving[k] += share * velocity[k]


@pasted
def settle(world, rules):
    """Springs: struck parts of bodies and struck targets go back to where they belong."""
    step = 1.0 / rules.fps
    for number in range(len(world.avatars)):
        for part in range(world.push.shape[1]):
            swing(world.push[number, part], world.push_velocity[number, part], rules.push, step)
    for k in range(len(world.props.solid)):
        swing(world.props.swung[k], world.props.velocity[k], rules.prop, step)


@kernel
def advance(now, ticks, tables, body, world, rules, room, log):
    """Some ticks of all avatars. Those that have finished an action choose first, in their order."""
    people = len(world.avatars)
    for tick in range(now, now + ticks):
        for number in range(people):
            if world.avatars[number].left == 0:
                action = choose(number, tables, body, world, rules, room)
                begin(number, action, tick, tables, body, world, rules, log)
        for number in range(people):
            avatar = world.avatars[number]
            avatar.frame += 1
            avatar.left -= 1
            avatar.since += 1
            show(number, body, world, rules)
        for number in range(people):
            strike(number, tick + 1, body, world, rules, log)
        settle(world, rules)
