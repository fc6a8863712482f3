"""Prepared motion, one tick for many bodies: blended towards a reference, moved, and its feet held.

Every body plays frames of a library, its *stream*. At a join the offset to what was shown before dies
away in it. The stream is then drawn towards the reference posture by the level of preparation.
"""

import numpy as np

from randori.kernels.compile import kernel
from randori.kernels.rotation import multiply, rotate

JOIN = 0.4  # seconds over which an offset dies away
_LETTING_GO = 11.0  # per second: how fast a foot in the air gives up the place it was held at
_SETTLING = 24.0  # per second: how fast a foot takes up its height over the floor
_STEP_HEIGHT = 0.4  # of the way that a foot makes up for, so high it is lifted
_TURN_LIFT = 0.15  # metres per radian: a turn counts as so much of a way
_STEP_LIFT = 0.11  # seconds: a foot that steps at 0.5 m/s is lifted by 5 cm
_LIFTING = 0.08  # seconds after it leaves the floor until it is lifted as much as that
_ROLL = 0.018  # of the leg's length: a ball that is higher than this above its level is not down
_STEP = (
    0.1  # of the leg's length that a foot may be from where it belongs: then it makes a step, if both stand
)
_TWIST = 0.35  # radians that it may be turned away from how it belongs
_TURNED_ENOUGH = 0.06  # radians
_STEPPING = 16.0  # per second: how fast it goes there,
_ARRIVED = 0.012  # metres, and from where on it stands again
_SHUFFLE = 0.7  # weight of the root above which steps would be shorter than a foot is wide
_FARTHEST = 0.3  # of the leg's length that a planted foot is held at, whatever the other one does
_RISING = 6.0  # per second: how fast the pelvis comes up again that was lowered for a leg too short
_LEG_REACH, _SURE_REACH = 0.9985, 0.9945  # of the leg's length, as in motion/inverse_kinematics.py
_TRUSTED_BEND = 0.1  # as there
_MOST_SINKING = 0.12  # metres


@kernel
def weight(level, curve):
    """Equation 1: how far a joint has gone to the reference at a level of preparation."""
    if level <= 0.0:
        return 0.0
    if level >= 1.0:
        return 1.0
    return (1.0 - (1.0 - level) ** curve) ** (1.0 / curve)


@kernel
def _slerp(a, b, t, out):
    """From rotation a (t = 0) to b (t = 1), the shorter way. At the ends exactly a or b."""
    if t <= 0.0:
        out[:] = a
        return
    if t >= 1.0:
        out[:] = b
        return
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = 1.0 if dot >= 0.0 else -1.0
    dot = min(abs(dot), 1.0)
    angle = np.arccos(dot)
    if angle < 1e-6:
        first, second = 1.0 - t, t
    else:
        first, second = np.sin((1.0 - t) * angle) / np.sin(angle), np.sin(t * angle) / np.sin(angle)
    second *= sign
    length = 0.0
    for k in range(4):
        out[k] = first * a[k] + second * b[k]
        length += out[k] * out[k]
    length = np.sqrt(length)
    for k in range(4):
        out[k] /= length


@kernel
def _from_vector(x, y, z):
    """The rotation about a vector by its length."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle < 1e-9:
        return 1.0, 0.5 * x, 0.5 * y, 0.5 * z
    s = np.sin(0.5 * angle) / angle
    return np.cos(0.5 * angle), s * x, s * y, s * z


@kernel
def _turn(q, v, out):
    out[0], out[1], out[2] = rotate(q[0], q[1], q[2], q[3], v[0], v[1], v[2])


@kernel
def _times(a, b, out):
    out[0], out[1], out[2], out[3] = multiply(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])


@kernel
def _inverse_times(a, b, out):
    out[0], out[1], out[2], out[3] = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _cross(a, b, out):
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel
def _unit(v):
    length = np.sqrt(_dot(v, v))
    if length > 0.0:
        v[0] /= length
        v[1] /= length
        v[2] /= length


@kernel
def _wrap(angle):
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


@kernel
def _smooth_step(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


@kernel
def _decayed(offset, velocity, carried, time):
    """An offset that dies away: as motion.transition.decay, for one number."""
    s = min(max(time / JOIN, 0.0), 1.0)
    v = min(max(time / max(carried, 1e-12), 0.0), 1.0)
    return offset * (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s) + velocity * carried * (
        1.0 - v
    ) ** 3 * v * (1.0 + 3.0 * v)


@kernel
def _spring(value, speed, goal, stiffness, step):
    """A critically damped spring after a step of time: value and speed."""
    away = value - goal
    temporary = (speed + stiffness * away) * step
    decay = np.exp(-stiffness * step)
    return goal + (away + temporary) * decay, (speed - stiffness * temporary) * decay


@kernel
def _forward(root_x, root_y, root_z, rotations, parents, offsets, positions, turned):
    """World positions (J, 3) and rotations (J, 4) of one pose."""
    for j in range(len(parents)):
        p = parents[j]
        if p < 0:
            positions[j, 0], positions[j, 1], positions[j, 2] = root_x, root_y, root_z
            turned[j] = rotations[j]
        else:
            _turn(turned[p], offsets[j], positions[j])
            for k in range(3):
                positions[j, k] += positions[p, k]
            _times(turned[p], rotations[j], turned[j])


@kernel
def _between(a, b, out):
    """The smallest rotation that turns the direction a to the direction b; both are lost."""
    _unit(a)
    _unit(b)
    w = 1.0 + _dot(a, b)
    if w < 1e-9:  # opposite: a leg never turns half round within a frame
        out[0], out[1], out[2], out[3] = 1.0, 0.0, 0.0, 0.0
        return
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    length = np.sqrt(w * w + x * x + y * y + z * z)
    out[0], out[1], out[2], out[3] = w / length, x / length, y / length, z / length


@kernel
def _solve_leg(thigh, shin, foot, parents, hinge_inner, target, foot_turn, positions, turned, rotations):
    """Bend a leg until its ankle is at the target, the foot turned as wanted; writes relative rotations.

    As motion.inverse_kinematics.solve_limb does it: first the knee, then the hip, no twist.
    """
    upper, lower, aim, hinge = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    usual, across, swing, bend, work = np.empty(3), np.empty(3), np.empty(4), np.empty(4), np.empty(4)
    for k in range(3):
        upper[k] = positions[shin, k] - positions[thigh, k]
        lower[k] = positions[foot, k] - positions[shin, k]
        aim[k] = target[k] - positions[thigh, k]
    first, second = np.sqrt(_dot(upper, upper)), np.sqrt(_dot(lower, lower))

    # Step 1. The hinge: the normal of the leg's plane, or the usual one where it is nearly straight.
    _cross(upper, lower, across)
    for k in range(3):
        across[k] /= first * second
    _turn(turned[parents[shin]], hinge_inner, usual)
    backwards = min(_dot(across, usual), 0.0)
    for k in range(3):
        hinge[k] = across[k] - backwards * usual[k] + _TRUSTED_BEND * usual[k]
    _unit(hinge)

    # Step 2. Bend the knee until the ankle is as far from the hip as the target is.
    length = first + second
    distance = np.sqrt(_dot(aim, aim))
    zone, start = (_LEG_REACH - _SURE_REACH) * length, _SURE_REACH * length
    if distance > start:
        # what the pose itself stretches farther stays as straight as it is
        own = 0.0
        for k in range(3):
            own += (upper[k] + lower[k]) ** 2
        own = np.sqrt(own)
        if own > start and distance <= own:
            distance = min(distance, own)
        else:
            distance = max(start - zone * np.expm1(-(distance - start) / zone), min(own, length))
    distance = max(distance, 1.001 * abs(first - second))
    along = _dot(upper, hinge) * _dot(lower, hinge)
    _cross(hinge, lower, across)
    cosine, sine = _dot(upper, lower) - along, _dot(upper, across)
    flat = np.hypot(cosine, sine)
    wanted = 0.5 * (distance * distance - first * first - second * second) - along
    ratio = min(max(wanted / max(flat, 1e-12), -1.0), 1.0)
    angle = np.arctan2(sine, cosine) + np.arccos(ratio)
    bend[0] = np.cos(0.5 * angle)
    for k in range(3):
        bend[k + 1] = np.sin(0.5 * angle) * hinge[k]

    # Step 3. Swing the leg at the hip until it points at the target.
    _turn(bend, lower, across)
    for k in range(3):
        upper[k] += across[k]
    _between(upper, aim, swing)

    _times(swing, turned[thigh], work)
    if parents[thigh] >= 0:
        _inverse_times(turned[parents[thigh]], work, rotations[thigh])
    _times(bend, turned[shin], work)
    _inverse_times(turned[parents[shin]], work, rotations[shin])
    _times(bend, turned[parents[foot]], work)
    above = np.empty(4)
    _times(swing, work, above)
    _inverse_times(above, foot_turn, rotations[foot])


@kernel
def read_stream(
    library_root, library_rotations, library_heading, cursor, offset, velocity, carried, time, pose, root
):
    """The pose (J, 4) of a stream at a place between frames, joint 0 as its heading sees it.

    Returns the height of the root; root (3,) gets x, z and the heading as recorded.
    """
    frame = int(np.floor(cursor))
    share = cursor - frame
    after = min(frame + 1, len(library_root) - 1)
    if share < 1e-9:
        after = frame
    heading = library_heading[frame] + share * _wrap(library_heading[after] - library_heading[frame])
    for k in range(3):
        root[k] = (1.0 - share) * library_root[frame, k] + share * library_root[after, k]
    height = root[1]
    root[1], root[2] = root[2], heading
    for j in range(pose.shape[0]):
        _slerp(library_rotations[frame, j], library_rotations[after, j], share, pose[j])
    half = -0.5 * heading
    pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3] = multiply(
        np.cos(half), 0.0, np.sin(half), 0.0, pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3]
    )
    if time < JOIN:
        for j in range(pose.shape[0]):
            w, x, y, z = _from_vector(
                _decayed(offset[j, 0], velocity[j, 0], carried[j], time),
                _decayed(offset[j, 1], velocity[j, 1], carried[j], time),
                _decayed(offset[j, 2], velocity[j, 2], carried[j], time),
            )
            pose[j, 0], pose[j, 1], pose[j, 2], pose[j, 3] = multiply(
                w, x, y, z, pose[j, 0], pose[j, 1], pose[j, 2], pose[j, 3]
            )
    return height


@kernel
def blend(stream, reference, level, curve, out):
    """Equation 2 for every joint."""
    for j in range(stream.shape[0]):
        _slerp(stream[j], reference[j], weight(level, curve[j]), out[j])


@kernel
def advance(model, state, levels, step, held, out_root, out_rotations):
    """One tick of `step` seconds for all bodies: their root positions (N, 3) and rotations (N, J, 4).

    model and state are NamedTuples of arrays (prepare/bodies.py); levels (N,) of preparation. With
    `held` off the feet go where the blend takes them.
    """
    library_root, library_rotations, library_contacts = model.root, model.rotations, model.contacts
    library_heading, parents, offsets = model.heading, model.parents, model.offsets
    curve, legs, ball, hinges = model.curve, model.legs, model.ball, model.hinges
    ankle_level, ball_level, leg_length = model.sizes[0], model.sizes[1], model.sizes[2]
    joints = len(parents)
    stream, blended, foot_turn = np.empty((joints, 4)), np.empty((joints, 4)), np.empty((2, 4))
    place, turned = np.empty((joints, 3)), np.empty((joints, 4))
    own_place, own_turned = np.empty((joints, 3)), np.empty((joints, 4))
    was, now, move = np.empty(3), np.empty(3), np.empty(3)
    own_ball, base, target = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
    heading_turn, work = np.empty(4), np.empty(4)

    for n in range(len(levels)):
        level = levels[n]
        root_weight = weight(level, curve[0])
        going = max(1.0 - root_weight, state.free[n])

        # Step 1. Where the stream is now, and how far it went over the floor.
        before = state.cursor[n]
        cursor = before + state.rate[n]
        time = state.joined[n] + step
        read_stream(
            library_root, library_rotations, library_heading, before,
            state.offset[n], state.velocity[n], state.carried[n], JOIN, stream, was,
        )  # fmt: skip
        height = read_stream(
            library_root, library_rotations, library_heading, cursor,
            state.offset[n], state.velocity[n], state.carried[n], time, stream, now,
        )  # fmt: skip
        cosine, sine = np.cos(was[2]), np.sin(was[2])
        dx, dz = now[0] - was[0], now[1] - was[1]
        aside, ahead = cosine * dx - sine * dz, cosine * dz + sine * dx
        # a sudden change of speed at a join is carried on for a while
        for k in range(2):
            swing = _decayed(0.0, state.root_velocity[n, k], state.root_carried[n], time)
            swing -= _decayed(0.0, state.root_velocity[n, k], state.root_carried[n], state.joined[n])
            if k == 0:
                aside += swing
            else:
                ahead += swing
        height += _decayed(state.root_offset[n], state.root_velocity[n, 2], state.root_carried[n], time)
        turn = _wrap(now[2] - was[2])
        state.shown_velocity[n, 0], state.shown_velocity[n, 1] = aside / step, ahead / step

        # Step 2. Equations 3 and 4: the way over the floor is as much shorter as the root is prepared.
        facing = state.heading[n]
        cosine, sine = np.cos(facing), np.sin(facing)
        aside, ahead = going * state.stretch[n] * aside, going * state.stretch[n] * ahead
        state.place[n, 0] += cosine * aside + sine * ahead
        state.place[n, 1] += cosine * ahead - sine * aside
        facing = _wrap(facing + going * turn + state.steer[n])
        state.heading[n] = facing

        # Step 3. Equation 2: every joint towards the reference.
        blend(stream, state.reference[n], level, curve, blended)
        state.before[n] = state.shown[n]
        state.shown[n] = stream
        state.shown_velocity[n, 2] = (height - state.height[n]) / step
        state.height[n] = height
        state.cursor[n] = cursor
        state.joined[n] = time

        # Step 4. Both poses in the world; equation 5: the root goes down as the feet would come up.
        half = 0.5 * facing
        heading_turn[0], heading_turn[1], heading_turn[2], heading_turn[3] = (
            np.cos(half),
            0.0,
            np.sin(half),
            0.0,
        )
        _times(heading_turn, stream[0], work)
        stream[0] = work
        _times(heading_turn, blended[0], work)
        blended[0] = work
        x, z = state.place[n, 0], state.place[n, 1]
        _forward(x, height, z, stream, parents, offsets, own_place, own_turned)
        _forward(x, height, z, blended, parents, offsets, place, turned)
        rise = 0.0
        for side in range(2):
            foot = legs[side, 2]
            _turn(own_turned[foot], ball[side], move)
            for k in range(3):
                own_ball[side, k] = own_place[foot, k] + move[k]
            _turn(turned[foot], ball[side], move)
            for k in range(3):
                base[side, k] = place[foot, k] + move[k]
            rise += 0.5 * (base[side, 1] - own_ball[side, 1])
        root_y = height - rise
        for j in range(joints):
            place[j, 1] -= rise
        base[0, 1] -= rise
        base[1, 1] -= rise
        out_root[n, 0], out_root[n, 1], out_root[n, 2] = x, root_y, z
        out_rotations[n] = blended
        if not held:
            continue

        # Step 5. Where the feet have to be. A planted one stays; one in the air gives up its old place.
        frame = min(int(np.rint(cursor)), len(library_root) - 1)
        sinking = 0.0
        for side in range(2):
            thigh, foot = legs[side, 0], legs[side, 2]
            # as it is turned in the world, so that a sole stays flat between two flat soles
            reference_foot = state.reference_foot[n, side]
            _times(heading_turn, reference_foot, work)
            _slerp(own_turned[foot], work, weight(level, curve[foot]), foot_turn[side])
            yaw = 2.0 * np.arctan2(foot_turn[side, 2], foot_turn[side, 0])
            _turn(foot_turn[side], ball[side], move)
            clear = min(base[side, 1] - move[1] - ankle_level, base[side, 1] - ball_level)
            touches = library_contacts[frame, side]
            left = np.hypot(state.foot_offset[n, side, 0], state.foot_offset[n, side, 2])
            if not touches or (left < _ARRIVED and abs(state.foot_offset[n, side, 3]) < _TURNED_ENOUGH):
                state.let_go[n, side] = False
            # a foot that still rolls down from its heel, or up to its toes, is not fixed yet
            down = model.ball_height[frame, side] < ball_level + _ROLL * leg_length
            # who is all but ready does not shuffle: his feet stay until they are due for a real step
            recorded = model.clearance[frame, side]
            if root_weight > _SHUFFLE and state.free[n] == 0.0:
                recorded = min(recorded, 0.0)
                near_floor = clear + state.foot_offset[n, side, 1] < _ARRIVED
                touches, down = True, state.planted[n, side] or near_floor
            stands = touches and down and not state.let_go[n, side]
            if stands and not state.planted[n, side]:
                state.anchor[n, side, 0] = base[side, 0] + state.foot_offset[n, side, 0]
                state.anchor[n, side, 1] = base[side, 2] + state.foot_offset[n, side, 2]
                state.anchor[n, side, 2] = yaw + state.foot_offset[n, side, 3]
            if stands:
                goal_x = state.anchor[n, side, 0] - base[side, 0]
                goal_z = state.anchor[n, side, 1] - base[side, 2]
                away = np.hypot(goal_x, goal_z)
                # on both feet there is time for a step
                turn_back = _wrap(state.anchor[n, side, 2] - yaw)
                steps = away > _STEP * leg_length or abs(turn_back) > _TWIST
                if (steps and state.planted[n, 1 - side]) or away > _FARTHEST * leg_length:
                    stands = False
                    state.let_go[n, side] = True
                else:
                    for k, goal in ((0, goal_x), (2, goal_z), (3, turn_back)):
                        state.foot_speed[n, side, k] = (goal - state.foot_offset[n, side, k]) / step
                        state.foot_offset[n, side, k] = goal
                    state.lifted[n, side] = 0.0
            state.planted[n, side] = stands
            if not stands:
                state.lifted[n, side] += step
                hurry = _STEPPING if state.let_go[n, side] else _LETTING_GO
                for k in (0, 2, 3):
                    state.foot_offset[n, side, k], state.foot_speed[n, side, k] = _spring(
                        state.foot_offset[n, side, k], state.foot_speed[n, side, k], 0.0, hurry, step
                    )
            # its height over the floor: as recorded while it stands
            goal = recorded - clear
            if not stands:
                way = np.hypot(state.foot_offset[n, side, 0], state.foot_offset[n, side, 2])
                way += _TURN_LIFT * abs(state.foot_offset[n, side, 3])
                goal = _STEP_HEIGHT * way * min(state.lifted[n, side] / _LIFTING, 1.0)
                if state.let_go[n, side]:
                    speed = np.hypot(state.foot_speed[n, side, 0], state.foot_speed[n, side, 2])
                    goal = max(goal, _STEP_LIFT * (speed + _TURN_LIFT * abs(state.foot_speed[n, side, 3])))
                elif touches:
                    goal = 0.0  # it rolls over its heel or its toes
            up, speed = _spring(
                state.foot_offset[n, side, 1], state.foot_speed[n, side, 1], goal, _SETTLING, step
            )
            lowest = min(recorded, 0.0) - clear
            if up < lowest:
                up, speed = lowest, 0.0
            state.foot_offset[n, side, 1], state.foot_speed[n, side, 1] = up, speed

            half = 0.5 * state.foot_offset[n, side, 3]
            work[0], work[1], work[2], work[3] = np.cos(half), 0.0, np.sin(half), 0.0
            own = foot_turn[side].copy()
            _times(work, own, foot_turn[side])
            _turn(foot_turn[side], ball[side], move)
            for k in range(3):
                target[side, k] = base[side, k] + state.foot_offset[n, side, k] - move[k]

            # Step 6. A leg that is too short for that lowers the pelvis.
            reach, flat = 0.0, 0.0
            for k in range(3):
                reach += (place[foot, k] - place[thigh, k]) ** 2
            reach = max(np.sqrt(reach), _SURE_REACH * leg_length)
            flat = (target[side, 0] - place[thigh, 0]) ** 2 + (target[side, 2] - place[thigh, 2]) ** 2
            above = place[thigh, 1] - target[side, 1]
            too_short = above - np.sqrt(max(reach * reach - flat, 0.0))
            upright = _smooth_step(4.0 * (above / leg_length - 0.5))
            sinking = max(sinking, min(upright * too_short, _MOST_SINKING))
        state.sunk[n] = max(sinking, state.sunk[n] * np.exp(-_RISING * step))

        # Step 7. Bend the legs.
        for j in range(joints):
            place[j, 1] -= state.sunk[n]
        out_root[n, 1] -= state.sunk[n]
        for side in range(2):
            _solve_leg(
                legs[side, 0], legs[side, 1], legs[side, 2], parents, hinges[side], target[side],
                foot_turn[side], place, turned, out_rotations[n],
            )  # fmt: skip
