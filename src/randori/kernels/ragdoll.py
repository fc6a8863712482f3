"""A body that falls: rigid bones held together at the joints, muscles that pull towards a pose, a floor, and
hard things that may move.

Position-based dynamics of rigid bodies in small steps (Müller et al. 2020). A bone's inertia is the
same about all its axes: right across a limb, too much along it, which only makes it spin less.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.kernels.boxes import Boxes, surface
from randori.kernels.compile import kernel
from randori.kernels.rotation import (
    compose,
    inverse,
    quadruple,
    rotation_at,
    set_rotation,
    slerp,
    turn,
)
from randori.kernels.vectors import (
    cross,
    dot,
    length_of,
    minus,
    negative,
    plus,
    row_of,
    set_row,
    times,
    triple,
)

# Kinds of hinges: none, an elbow of the left or the right arm, a knee.
FREE, LEFT_ELBOW, RIGHT_ELBOW, KNEE = 0, 1, 2, 3

_GRAVITY = 9.81  # m/s²
_HINGE_LEAST, _HINGE_MOST = 0.06, 2.55  # radians that an elbow or a knee is folded
_HINGE_GRIP = 0.5  # of a fault in a hinge that one step takes away
_LIMIT_GRIP = 0.15  # of a joint turned too far that one step takes back
_BODY_GRIP = 0.4  # of an overlap with the own body that one step takes away
_BOUNCE_SPEED = 0.6  # m/s: bodies that land slower do not rebound
_EXPULSION = 1.0  # m/s at which a body that is in a hard thing from the start comes out of it
_HARD_FRICTION = 0.35  # clothes on paint
_SURE_MARGIN = 1e-6  # metres, or of a cosine, by which something is beyond doubt
_UP_AXIS = (0.0, 1.0, 0.0)

BONE = np.dtype(
    [
        ("parent", np.int64),  # bone, -1 for the root
        ("mass", np.float64),  # kg
        ("inertia", np.float64),  # kg m²
        ("anchor", np.float64, (3,)),  # metres, the joint from the parent's centre of mass, in its frame
        ("centre", np.float64, (3,)),  # metres, the joint from the own centre of mass, in the own frame
        ("hinge", np.int64),  # FREE, LEFT_ELBOW, RIGHT_ELBOW or KNEE
        ("middle", np.float64, (4,)),  # rotation in the middle of what the joint can do, and
        ("limit", np.float64),  # radians that it can be turned away from there
        ("at_limit", np.float64),  # cosine of half of that; what has more is nearer to the middle
        ("damping", np.float64),  # N m s/rad
    ],
    align=True,
)

CONTACT = np.dtype(
    [
        ("bone", np.int64),
        ("point", np.float64, (3,)),  # metres from the centre of mass, in the bone's frame
        ("radius", np.float64),  # metres of flesh around the point
    ],
    align=True,
)

CONTACT_PAIR = np.dtype(
    [
        ("first", np.int64),  # contact
        ("second", np.int64),
        (
            "reach",
            np.float64,
        ),  # metres between the centres of mass of their bones, from where on none touches
    ],
    align=True,
)

TOUCH = np.dtype(
    [
        ("pressed", np.float64),  # kg m, push of the floor in this step; 0 where it does not touch
        ("landing", np.float64),  # m/s upwards, before the floor pushed
    ],
    align=True,
)


class Doll(NamedTuple):
    """The build of a body."""

    bones: np.ndarray  # (B,) BONE
    contacts: np.ndarray  # (N,) CONTACT
    pairs: np.ndarray  # (P,) CONTACT_PAIR, that must not overlap each other

    @classmethod
    def of(cls, bones: np.ndarray, contacts: np.ndarray, pairs: Sequence[tuple[int, int]]) -> "Doll":
        """A body of bones and contacts, with its limits and pairs worked out beforehand."""
        bones["at_limit"] = np.cos(0.5 * np.minimum(bones["limit"], math.pi)) + _SURE_MARGIN
        reach = contacts["radius"] + np.linalg.norm(contacts["point"], axis=-1) + _SURE_MARGIN
        rows = [(first, second, reach[first] + reach[second]) for first, second in pairs]
        return cls(bones, contacts, np.array(rows, dtype=CONTACT_PAIR))


class Effort(NamedTuple):
    """Targets of the muscles and height of the floor in every frame."""

    targets: np.ndarray  # (F, B, 4) what the muscles want of each joint, in its parent's frame
    strengths: np.ndarray  # (F, B) N m/rad
    frictions: np.ndarray  # (F,) on the floor
    rebound: float  # share of the landing speed
    step: float  # seconds between frames
    substeps: int  # between two frames


class Hard(NamedTuple):
    """Things that give way to nothing, and where they are now."""

    boxes: Boxes  # in the frames of the fall
    middle: np.ndarray  # (K, 3) metres, now
    turned: np.ndarray  # (K, 4)
    old_middle: np.ndarray  # (K, 3) metres, a step before
    old_turned: np.ndarray  # (K, 4)

    @classmethod
    def of(cls, boxes: Boxes) -> "Hard":
        """Boxes as they are in the first frame."""
        middle, turned = boxes.middles[0].copy(), boxes.turned[0].copy()
        return cls(boxes, middle, turned, middle.copy(), turned.copy())

    @classmethod
    def nothing(cls) -> "Hard":
        """An empty room."""
        return cls.of(Boxes(np.zeros((1, 0, 3)), np.zeros((1, 0, 4)), np.zeros((0, 3)), np.zeros(0)))


class State(NamedTuple):
    """The places of the bones, now and a step before."""

    place: np.ndarray  # (B, 3) metres, centres of mass
    turned: np.ndarray  # (B, 4)
    velocity: np.ndarray  # (B, 3) m/s
    spin: np.ndarray  # (B, 3) rad/s
    old_place: np.ndarray  # (B, 3) metres
    old_turned: np.ndarray  # (B, 4)
    touches: np.ndarray  # (N,) TOUCH


class Fall(NamedTuple):
    """The motion of a body: its state in every frame."""

    places: np.ndarray  # (F, B, 3) metres, of the joints
    rotations: np.ndarray  # (F, B, 4) in the world


@kernel
def simulate(doll, effort, hard, state, fall):
    """Let the body move; frame 0 of the fall is the state as it is given."""
    h = effort.step / effort.substeps
    for f in range(len(effort.targets)):
        _show(doll, state, fall.places[f], fall.rotations[f])
        for substep in range(effort.substeps):
            # Step 1. Everything flies on, hard things move
            _fly_on(state, h)
            _move_hard(hard, f, (substep + 1.0) / effort.substeps)
            # Step 2. Muscles pull, joints hold
            _pull_muscles(doll.bones, effort.targets[f], effort.strengths[f], state.turned, h)
            _hold_joints(doll.bones, state)
            # Step 3. The own body is in the way
            _keep_apart(doll, state)
            # Step 4. Hard things push, the floor holds, and both rub
            _meet_hard(doll, hard, h, state)
            _rest_on_floor(doll, effort.frictions[f], state)
            # Step 5. Derive speeds from the change of places; muscles and flesh damp them
            _find_speeds(state, h)
            _damp_joints(doll.bones, state.spin, h)
            _rebound(doll, effort.rebound, state)


@kernel
def _show(doll, state, places, rotations):
    """Write the places of the joints (B, 3) and the rotations of the bones (B, 4)."""
    for b in range(len(doll.bones)):
        x, y, z = turn(rotation_at(state.turned, b), triple(doll.bones[b].centre))
        places[b, 0] = state.place[b, 0] + x
        places[b, 1] = state.place[b, 1] + y
        places[b, 2] = state.place[b, 2] + z
        set_rotation(rotations, b, rotation_at(state.turned, b))


@kernel
def _fly_on(state, h):
    for b in range(len(state.place)):
        state.velocity[b, 1] -= _GRAVITY * h
        for k in range(3):
            state.old_place[b, k] = state.place[b, k]
            state.place[b, k] += h * state.velocity[b, k]
        set_rotation(state.old_turned, b, rotation_at(state.turned, b))
        _turn_bone(state.turned, b, times(h, row_of(state.spin, b)))


@kernel
def _pull_muscles(bones, targets, strengths, turned, h):
    """Turn joints towards their targets (B, 4), and keep them within their limits."""
    for b in range(len(bones)):
        bone = bones[b]
        p = bone.parent
        if p < 0:
            continue
        error, _ = _error(_relative(turned, p, b), rotation_at(targets, b))
        ease = 1.0 / bone.inertia + 1.0 / bones[p].inertia
        pull = ease / (ease + 1.0 / (max(strengths[b], 1e-6) * h * h))
        _twist_pair(bones, turned, b, error, pull)
        if bone.hinge != FREE:
            _hold_hinge(bones, turned, b)
            continue
        own, middle = _relative(turned, p, b), quadruple(bone.middle)
        if abs(_alike(own, middle)) > bone.at_limit:
            continue
        error, angle = _error(own, middle)
        if angle > bone.limit:
            _twist_pair(bones, turned, b, error, _LIMIT_GRIP * (angle - bone.limit) / angle)


@kernel
def _hold_joints(bones, state):
    """Bring bones together that have come apart at a joint."""
    for b in range(len(bones)):
        p = bones[b].parent
        if p < 0:
            continue
        above = turn(rotation_at(state.turned, p), triple(bones[b].anchor))
        own = turn(rotation_at(state.turned, b), triple(bones[b].centre))
        way = _between(state.place, p, above, b, own)
        gap = length_of(way)
        if gap > 1e-9:
            direction = way[0] / gap, way[1] / gap, way[2] / gap
            push = gap / (_give(bones[p], above, direction) + _give(bones[b], own, direction))
            _push(bones, state, b, own, times(push, direction))
            _push(bones, state, p, above, negative(times(push, direction)))


@kernel
def _keep_apart(doll, state):
    """Push parts of the body apart that overlap."""
    bones, contacts = doll.bones, doll.contacts
    for n in range(len(doll.pairs)):
        first, second = contacts[doll.pairs[n].first], contacts[doll.pairs[n].second]
        a, b = first.bone, second.bone
        between = minus(row_of(state.place, a), row_of(state.place, b))
        if dot(between, between) > doll.pairs[n].reach * doll.pairs[n].reach:
            continue
        first_arm = turn(rotation_at(state.turned, a), triple(first.point))
        second_arm = turn(rotation_at(state.turned, b), triple(second.point))
        way = _between(state.place, a, first_arm, b, second_arm)
        apart = length_of(way)
        deep = first.radius + second.radius - apart
        if deep > 0.0 and apart > 1e-6:
            direction = way[0] / apart, way[1] / apart, way[2] / apart
            give = _give(bones[a], first_arm, direction) + _give(bones[b], second_arm, direction)
            push = _BODY_GRIP * deep / give
            _push(bones, state, a, first_arm, times(push, direction))
            _push(bones, state, b, second_arm, negative(times(push, direction)))


@kernel
def _rest_on_floor(doll, friction, state):
    """Lift contacts that are below the floor, and slow down contacts that slide over it."""
    bones, place = doll.bones, state.place
    for n in range(len(doll.contacts)):
        contact, touch = doll.contacts[n], state.touches[n]
        b, point = contact.bone, triple(contact.point)
        arm = turn(rotation_at(state.turned, b), point)
        deep = contact.radius - place[b, 1] - arm[1]
        touch.pressed = 0.0
        if deep <= 0.0:
            continue
        touch.landing = _rising(state, b, arm)
        push = deep / _give(bones[b], arm, _UP_AXIS)
        touch.pressed = push
        _push(bones, state, b, arm, (0.0, push, 0.0))
        old = turn(rotation_at(state.old_turned, b), point)
        arm = turn(rotation_at(state.turned, b), point)
        dx = place[b, 0] + arm[0] - state.old_place[b, 0] - old[0]
        dz = place[b, 2] + arm[2] - state.old_place[b, 2] - old[2]
        slid = math.sqrt(dx * dx + dz * dz)
        if slid > 1e-9:
            nx, nz = dx / slid, dz / slid
            rub = slid / _give(bones[b], arm, (nx, 0.0, nz))
            rub = min(rub, friction * push)
            _push(bones, state, b, arm, (-rub * nx, 0.0, -rub * nz))


@kernel
def _move_hard(hard, frame, share):
    """Put hard things where they are a share of the way from a frame to the next."""
    boxes = hard.boxes
    first, second = min(frame, len(boxes.middles) - 1), min(frame + 1, len(boxes.middles) - 1)
    for k in range(len(boxes.radii)):
        set_row(hard.old_middle, k, row_of(hard.middle, k))
        set_rotation(hard.old_turned, k, rotation_at(hard.turned, k))
        before, after = row_of(boxes.middles[first], k), row_of(boxes.middles[second], k)
        set_row(hard.middle, k, plus(before, times(share, minus(after, before))))
        set_rotation(
            hard.turned,
            k,
            slerp(rotation_at(boxes.turned[first], k), rotation_at(boxes.turned[second], k), share),
        )


@kernel
def _meet_hard(doll, hard, h, state):
    """Push contacts out of a solid, no faster than the two approached, and apply friction."""
    bones, boxes = doll.bones, hard.boxes
    for k in range(len(boxes.radii)):
        middle, turned = row_of(hard.middle, k), rotation_at(hard.turned, k)
        half, edge = row_of(boxes.halves, k), boxes.radii[k]
        reach = length_of(half) + edge
        for n in range(len(doll.contacts)):
            contact = doll.contacts[n]
            b, point = contact.bone, triple(contact.point)
            if length_of(minus(row_of(state.place, b), middle)) > reach + contact.radius + length_of(point):
                continue
            arm = turn(rotation_at(state.turned, b), point)
            spot = plus(row_of(state.place, b), arm)
            distance, out = surface(middle, turned, half, edge, spot)
            deep = contact.radius - distance
            if deep <= 0.0:
                continue
            # Step 1. Out of it, as far as they came together in this step and a little more
            before = plus(row_of(state.old_place, b), turn(rotation_at(state.old_turned, b), point))
            on_box = turn(inverse(turned), minus(spot, middle))
            carried = minus(
                spot, plus(row_of(hard.old_middle, k), turn(rotation_at(hard.old_turned, k), on_box))
            )
            slid = minus(minus(spot, before), carried)  # metres against the thing
            coming = dot(slid, out)
            push = min(deep, max(-coming, 0.0) + _EXPULSION * h) / _give(bones[b], arm, out)
            _push(bones, state, b, arm, times(push, out))
            # Step 2. Slow down contacts that slide over it
            slid = minus(slid, times(coming, out))
            length = length_of(slid)
            if length > 1e-9:
                along = times(1.0 / length, slid)
                rub = min(length / _give(bones[b], arm, along), _HARD_FRICTION * push)
                _push(bones, state, b, arm, times(-rub, along))


@kernel
def _find_speeds(state, h):
    """Speeds and spins, from where bones are and where they were a step before."""
    for b in range(len(state.place)):
        for k in range(3):
            state.velocity[b, k] = (state.place[b, k] - state.old_place[b, k]) / h
        w, x, y, z = compose(rotation_at(state.turned, b), inverse(rotation_at(state.old_turned, b)))
        sign = 2.0 / h if w > 0.0 else -2.0 / h
        set_row(state.spin, b, (sign * x, sign * y, sign * z))


@kernel
def _damp_joints(bones, spin, h):
    """Take away some of the spin (B, 3) of bones against their parents."""
    for b in range(len(bones)):
        p = bones[b].parent
        if p < 0:
            continue
        own, other = bones[b].inertia, bones[p].inertia
        ease = 1.0 / own + 1.0 / other
        share = min(bones[b].damping * h * ease, 0.5) / ease
        for k in range(3):
            change = share * (spin[p, k] - spin[b, k])
            spin[b, k] += change / own
            spin[p, k] -= change / other


@kernel
def _rebound(doll, rebound, state):
    """Let contacts that landed hard rebound with a share of their speed; soft landings stay down."""
    for n in range(len(doll.contacts)):
        touch, b = state.touches[n], doll.contacts[n].bone
        if touch.pressed == 0.0:
            continue
        bone = doll.bones[b]
        arm = turn(rotation_at(state.turned, b), triple(doll.contacts[n].point))
        wanted = -rebound * touch.landing if touch.landing < -_BOUNCE_SPEED else 0.0
        change = (wanted - _rising(state, b, arm)) / _give(bone, arm, _UP_AXIS)
        state.velocity[b, 1] += change / bone.mass
        state.spin[b, 0] -= arm[2] * change / bone.inertia
        state.spin[b, 2] += arm[0] * change / bone.inertia


@kernel
def _rising(state, b, arm):
    """m/s upwards, of a point at an arm from a bone's centre of mass."""
    return state.velocity[b, 1] + state.spin[b, 2] * arm[0] - state.spin[b, 0] * arm[2]


@kernel
def _between(place, a, first_arm, b, second_arm):
    """Metres from a point of bone b to a point of bone a, each at an arm from its centre of mass."""
    return (
        place[a, 0] + first_arm[0] - place[b, 0] - second_arm[0],
        place[a, 1] + first_arm[1] - place[b, 1] - second_arm[1],
        place[a, 2] + first_arm[2] - place[b, 2] - second_arm[2],
    )


@kernel
def _turn_bone(turned, b, by):
    """Turn a bone by a small rotation vector in the world."""
    before = rotation_at(turned, b)
    w, x, y, z = compose((0.0, 0.5 * by[0], 0.5 * by[1], 0.5 * by[2]), before)
    w, x, y, z = before[0] + w, before[1] + x, before[2] + y, before[3] + z
    length = math.sqrt(w * w + x * x + y * y + z * z)
    set_rotation(turned, b, (w / length, x / length, y / length, z / length))


@kernel
def _push(bones, state, b, arm, push):
    """Move a bone by an impulse-like push (kg·m) at an arm from its centre of mass."""
    mass, inertia = bones[b].mass, bones[b].inertia
    for k, amount in enumerate(push):
        state.place[b, k] += amount / mass
    x, y, z = cross(arm, push)
    _turn_bone(state.turned, b, (x / inertia, y / inertia, z / inertia))


@kernel
def _give(bone, arm, direction):
    """The ease with which a point at an arm of a bone moves along a direction, per kg."""
    across = cross(arm, direction)
    return 1.0 / bone.mass + dot(across, across) / bone.inertia


@kernel
def _relative(turned, parent, b):
    """The rotation of a bone in its parent's frame."""
    return compose(inverse(rotation_at(turned, parent)), rotation_at(turned, b))


@kernel
def _alike(a, b):
    """The cosine of half of the angle between two rotations; its sign says nothing."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@kernel
def _error(own, wanted):
    """The rotation vector that turns one rotation to another, the shorter way, and its length."""
    w, x, y, z = compose(wanted, inverse(own))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-9:
        return (0.0, 0.0, 0.0), 0.0
    angle = 2.0 * math.atan2(sine, w)
    return (x / sine * angle, y / sine * angle, z / sine * angle), angle


@kernel
def _twist_pair(bones, turned, b, by, share):
    """Turn a bone against its parent by a share of a rotation vector in the parent's frame."""
    parent = bones[b].parent
    by = turn(rotation_at(turned, parent), by)
    own, other = 1.0 / bones[b].inertia, 1.0 / bones[parent].inertia
    _turn_bone(turned, b, times(share * own / (own + other), by))
    _turn_bone(turned, parent, times(-(share * other / (own + other)), by))


@kernel
def _hold_hinge(bones, turned, b):
    """Keep an elbow or a knee in its plane and between straight and folded."""
    hinge = bones[b].hinge
    relative = _relative(turned, bones[b].parent, b)
    side = 1.0 if hinge == LEFT_ELBOW else -1.0
    if hinge == KNEE:
        direction = turn(relative, (0.0, -1.0, 0.0))
        fold = math.atan2(-direction[2], -direction[1])
    else:
        direction = turn(relative, (side, 0.0, 0.0))
        fold = math.atan2(direction[2], side * direction[0])
    if fold < -0.5 * math.pi:
        fold = _HINGE_MOST  # folded so far that it looks like the other way round
    fold = min(max(fold, _HINGE_LEAST), _HINGE_MOST)
    if hinge == KNEE:
        wanted = 0.0, -math.cos(fold), -math.sin(fold)
    else:
        wanted = side * math.cos(fold), 0.0, math.sin(fold)
    _twist_pair(bones, turned, b, cross(direction, wanted), _HINGE_GRIP)
