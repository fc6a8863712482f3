"""Prepared motion, one tick for many bodies: blended towards a reference, moved, and its feet held.

Every body plays frames of a library, its *stream*. At a join the offset to what was shown before dies
away in it. The stream is then drawn towards the reference posture by the level of preparation.
"""

import numpy as np

from randori.kernels.compile import array_kernel, kernel
from randori.kernels.rotation import multiply, rotate

JOIN = 0.4  # seconds over which an offset dies away
_LETTING_GO = 11.0  # per second: how fast a foot in the air gives up the place it was held at,
_CLEAR = 0.035  # of the leg's length: and from which height on it does so freely
_LEAST = 0.25  # of that speed, for a foot that is still on the floor
_SETTLING = 24.0  # per second: how fast a foot takes up its height over the floor
_STEP_HEIGHT = 0.4  # of the way that a foot makes up for, so high it is lifted
_TURN_LIFT = 0.15  # metres per radian: a turn counts as so much of a way
_LIFTING = 0.08  # seconds after it leaves the floor until it is lifted as much as that
_ROLL = 0.018  # of the leg's length: a ball that is higher than this above its level is not down,
_STOPPING = 30.0  # per second: how fast a foot that rolls over its heel stops moving to where it belongs
_LAID = 0.02  # metres that an ankle is lower than on a standing foot, of a foot that lies on its instep
_LANDING = 0.12  # seconds at most in which a foot that lands comes to rest,
_GLIDE = 0.01  # metres, and the way at most
_STEP = (
    0.1  # of the leg's length that a foot may be from where it belongs: then it makes a step, if both stand
)
_TWIST = 0.35  # radians that it may be turned away from how it belongs
_STEP_TIME = 0.3  # seconds that such a step takes
_STEP_LIFT = 0.09  # of the leg's length that it is lifted by
_CUSHION = 0.02  # metres over the floor in which a foot in the air is slowed down
_LOW = 0.012  # metres: a foot that is higher is not on the floor yet,
_OFF = 0.03  # and one that is higher than this is no longer, whatever was found in the recording
_SHUFFLE = 0.7  # weight of the root above which steps would be shorter than a foot is wide
_FARTHEST = 0.3  # of the leg's length that a planted foot is held at, whatever the other one does
_SINKING, _RISING = 30.0, 6.0  # per second: how fast the pelvis goes down for a leg too short, and up again
_LEG_REACH, _SURE_REACH = 0.9985, 0.9945  # of the leg's length, as in motion/inverse_kinematics.py
_EASY_REACH = 0.985  # of the leg's length that a foot is put to: a knee that is straighter snaps
_GIVING = 0.01  # of the leg's length that one in the air may be farther
_TRUSTED_BEND = 0.1  # as there
_MOST_SINKING = 0.12  # metres
_KNEELING = 0.2  # of the leg's length: a knee that is lower may be on the floor
_OWN = 1.05  # times what is recorded: a joint may be so hasty


@kernel
def weight(level, curve):
    """Equation 1: how far a joint has gone to the reference at a level of preparation."""
    if level <= 0.0:
        return 0.0
    if level >= 1.0:
        return 1.0
    return (1.0 - (1.0 - level) ** curve) ** (1.0 / curve)


@array_kernel
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
def _fade(offset, velocity, share, seconds):
    """An offset after a share of the seconds in which it dies away, without a jump of its speed."""
    left = 1.0 - share
    return (
        left
        * left
        * left
        * (
            offset * (1.0 + 3.0 * share + 6.0 * share * share)
            + velocity * seconds * share * (1.0 + 3.0 * share)
        )
    )


@kernel
def _spring(value, speed, goal, stiffness, step):
    """A critically damped spring after a step of time: value and speed."""
    away = value - goal
    temporary = (speed + stiffness * away) * step
    decay = np.exp(-stiffness * step)
    return goal + (away + temporary) * decay, (speed - stiffness * temporary) * decay


@array_kernel
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


@array_kernel
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


@array_kernel
def _brake(shown, most, rotation):
    """Change a rotation (4,) so that it differs by no more than `most` radians from going on steadily.

    shown (2, 4) are those of the two ticks before.
    """
    turn, steady, away = np.empty(4), np.empty(4), np.empty(4)
    turn[0], turn[1], turn[2], turn[3] = multiply(
        shown[1, 0], shown[1, 1], shown[1, 2], shown[1, 3],
        shown[0, 0], -shown[0, 1], -shown[0, 2], -shown[0, 3],
    )  # fmt: skip
    _times(turn, shown[1], steady)
    away[0], away[1], away[2], away[3] = multiply(
        rotation[0], rotation[1], rotation[2], rotation[3], steady[0], -steady[1], -steady[2], -steady[3]
    )
    angle = 2.0 * np.arccos(min(abs(away[0]), 1.0))
    if angle > most:
        share = most / angle
        first = steady.copy()
        second = rotation.copy()
        _slerp(first, second, share, rotation)


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


@array_kernel
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

        # Step 5. Where the feet have to be. One that stands stays until its contact is over, or until it is
        # due for a step of its own; one in the air gives up its old place.
        frame = min(int(np.rint(cursor)), len(library_root) - 1)
        # who is all but ready does not shuffle: his feet stay until they are due for a real step
        still = root_weight > _SHUFFLE and state.free[n] == 0.0
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
            if not np.isfinite(state.clear[n, side]):  # the first tick: nothing was shown before
                state.clear[n, side] = clear
                state.foot_place[n, side, 0], state.foot_place[n, side, 1] = base[side, 0], base[side, 2]
                state.foot_place[n, side, 2] = yaw
            rising = (clear - state.clear[n, side]) / step
            # how high it is over the floor as shown in the last tick, and how fast it rises
            high = state.foot_offset[n, side, 1] + state.clear[n, side]
            lift_speed = state.foot_speed[n, side, 1] + rising
            state.clear[n, side] = clear
            touches = library_contacts[frame, side]
            recorded = model.clearance[frame, side]
            if still:
                touches, recorded = True, min(recorded, 0.0)

            # its ball is down: it does not still roll over its heel
            laid = own_place[foot, 1] < ankle_level - _LAID
            ball_height = min(own_ball[side, 1], base[side, 1] + high - clear)
            over = min(own_place[foot, 1] - ankle_level, own_ball[side, 1] - ball_level)
            down = still or laid or (ball_height < ball_level + _ROLL * leg_length and over < _LOW)
            leaves = not touches or not (still or laid or over < _OFF)

            if not state.planted[n, side] and state.stepping[n, side] < 0.0 and touches:
                if still and high > _LOW:
                    state.stepping[n, side] = 0.0
                elif down:
                    state.planted[n, side] = True
                    state.stood[n, side] = 0.0
                    spot = (
                        base[side, 0] + state.foot_offset[n, side, 0],
                        base[side, 2] + state.foot_offset[n, side, 2],
                        yaw + state.foot_offset[n, side, 3],
                    )
                    for k in range(3):
                        state.landing[n, side, k] = (spot[k] - state.foot_place[n, side, k]) / step
                    state.landing[n, side, 2] = _wrap(step * state.landing[n, side, 2]) / step
                    fastest = np.hypot(state.landing[n, side, 0], state.landing[n, side, 1])
                    seconds = min(_LANDING, 3.0 * _GLIDE / max(fastest, 1e-9))
                    state.landing[n, side, 3] = seconds
                    for k in range(3):
                        state.anchor[n, side, k] = spot[k] + state.landing[n, side, k] * seconds / 3.0
            elif state.planted[n, side] and leaves:
                state.planted[n, side] = False
                state.lifted[n, side] = 0.0
            elif state.stepping[n, side] >= 0.0 and not touches:
                state.stepping[n, side] = -1.0
                state.lifted[n, side] = _LIFTING

            if state.planted[n, side]:
                state.stood[n, side] += step
                seconds = state.landing[n, side, 3]
                left = max(1.0 - state.stood[n, side] / max(seconds, 1e-9), 0.0)
                glide = left * left * left * seconds / 3.0
                goal_x = state.anchor[n, side, 0] - glide * state.landing[n, side, 0] - base[side, 0]
                goal_z = state.anchor[n, side, 1] - glide * state.landing[n, side, 1] - base[side, 2]
                turn_back = _wrap(state.anchor[n, side, 2] - glide * state.landing[n, side, 2] - yaw)
                away = np.hypot(goal_x, goal_z)
                due = away > _STEP * leg_length or abs(turn_back) > _TWIST
                # on both feet there is time for a step
                if (due and state.planted[n, 1 - side]) or away > _FARTHEST * leg_length:
                    state.planted[n, side] = False
                    state.lifted[n, side] = 0.0
                    state.stepping[n, side] = 0.0
                else:
                    for k, goal in ((0, goal_x), (2, goal_z), (3, turn_back)):
                        state.foot_speed[n, side, k] = (goal - state.foot_offset[n, side, k]) / step
                        state.foot_offset[n, side, k] = goal
                    # its height over the floor: as recorded, and as fast
                    earlier = model.clearance[int(np.rint(before)), side]
                    if still:
                        earlier = min(earlier, 0.0)
                    lifts = (recorded - earlier) / step if time > step else 0.0
                    up, speed = _spring(
                        high - recorded + step * lifts, lift_speed - lifts, 0.0, _SETTLING, step
                    )
                    state.foot_offset[n, side, 1] = recorded + up - clear
                    state.foot_speed[n, side, 1] = lifts + speed - rising

            if state.stepping[n, side] >= 0.0:
                if state.stepping[n, side] == 0.0:
                    for k in range(4):
                        state.step_from[n, side, k] = state.foot_offset[n, side, k]
                        state.step_speed[n, side, k] = state.foot_speed[n, side, k]
                    state.step_from[n, side, 1], state.step_speed[n, side, 1] = high, lift_speed
                    state.step_from[n, side, 4] = state.step_from[n, side, 5] = 0.0
                state.stepping[n, side] += step
                share = min(state.stepping[n, side] / _STEP_TIME, 1.0)
                # the nearer it comes to the floor, the less it goes along with the body
                along = _smooth_step(share)
                state.step_from[n, side, 4] -= along * (base[side, 0] - state.base[n, side, 0])
                state.step_from[n, side, 5] -= along * (base[side, 2] - state.base[n, side, 1])
                for k in range(4):
                    value = _fade(
                        state.step_from[n, side, k], state.step_speed[n, side, k], share, _STEP_TIME
                    )
                    if k == 0:
                        value += state.step_from[n, side, 4]
                    elif k == 2:
                        value += state.step_from[n, side, 5]
                    elif k == 1:
                        lift = max(_STEP_LIFT * leg_length - max(state.step_from[n, side, 1], 0.0), 0.0)
                        value += lift * np.sin(np.pi * share) ** 2 + along * recorded - clear
                    state.foot_speed[n, side, k] = (value - state.foot_offset[n, side, k]) / step
                    state.foot_offset[n, side, k] = value
                if share >= 1.0:
                    state.stepping[n, side] = -1.0
                    state.planted[n, side] = True
                    state.stood[n, side] = 0.0
                    state.landing[n, side] = 0.0
                    state.anchor[n, side, 0] = base[side, 0] + state.foot_offset[n, side, 0]
                    state.anchor[n, side, 1] = base[side, 2] + state.foot_offset[n, side, 2]
                    state.anchor[n, side, 2] = yaw + state.foot_offset[n, side, 3]
            elif not state.planted[n, side]:
                state.lifted[n, side] += step
                # what is hardly off the floor must not be seen to slide over it
                freely = min(max(high / (_CLEAR * leg_length), _LEAST), 1.0)
                for k in (0, 2, 3):
                    if touches:
                        state.foot_speed[n, side, k] *= np.exp(-_STOPPING * step)
                        state.foot_offset[n, side, k] += step * state.foot_speed[n, side, k]
                    else:
                        state.foot_offset[n, side, k], state.foot_speed[n, side, k] = _spring(
                            state.foot_offset[n, side, k], state.foot_speed[n, side, k], 0.0,
                            freely * _LETTING_GO, step,
                        )  # fmt: skip
                way = np.hypot(state.foot_offset[n, side, 0], state.foot_offset[n, side, 2])
                way += _TURN_LIFT * abs(state.foot_offset[n, side, 3])
                goal = _STEP_HEIGHT * way * min(state.lifted[n, side] / _LIFTING, 1.0)
                if touches:
                    goal = 0.0  # it rolls over its heel
                state.foot_offset[n, side, 1], state.foot_speed[n, side, 1] = _spring(
                    state.foot_offset[n, side, 1], state.foot_speed[n, side, 1], goal, _SETTLING, step
                )
            # above the floor: one that comes near it without being recorded there is slowed down
            lowest = min(recorded, 0.0)
            high = state.foot_offset[n, side, 1] + clear - lowest
            soft = 0.0
            if not state.planted[n, side]:
                soft = min(_CUSHION, 0.5 * max(recorded - lowest - high, 0.0))
            if high < soft:
                up = lowest - clear + soft * np.exp(high / max(soft, 1e-9) - 1.0)
                state.foot_speed[n, side, 1] += (up - state.foot_offset[n, side, 1]) / step
                state.foot_offset[n, side, 1] = up
            elif high < 0.0:
                state.foot_offset[n, side, 1], state.foot_speed[n, side, 1] = lowest - clear, -rising
            state.base[n, side, 0], state.base[n, side, 1] = base[side, 0], base[side, 2]
            state.foot_place[n, side, 0] = base[side, 0] + state.foot_offset[n, side, 0]
            state.foot_place[n, side, 1] = base[side, 2] + state.foot_offset[n, side, 2]
            state.foot_place[n, side, 2] = yaw + state.foot_offset[n, side, 3]

            half = 0.5 * state.foot_offset[n, side, 3]
            work[0], work[1], work[2], work[3] = np.cos(half), 0.0, np.sin(half), 0.0
            own = foot_turn[side].copy()
            _times(work, own, foot_turn[side])
            _turn(foot_turn[side], ball[side], move)
            for k in range(3):
                target[side, k] = base[side, k] + state.foot_offset[n, side, k] - move[k]

            # Step 6. A leg that is too short to stand there lowers the pelvis.
            if not state.planted[n, side]:
                continue
            reach = 0.0
            for k in range(3):
                reach += (place[foot, k] - place[thigh, k]) ** 2
            reach = max(np.sqrt(reach), _EASY_REACH * leg_length)
            flat = (target[side, 0] - place[thigh, 0]) ** 2 + (target[side, 2] - place[thigh, 2]) ** 2
            above = place[thigh, 1] - target[side, 1]
            too_short = above - np.sqrt(max(reach * reach - flat, 0.0))
            upright = _smooth_step(4.0 * (above / leg_length - 0.5))
            sinking = max(sinking, min(upright * too_short, _MOST_SINKING))
        hurry = _SINKING if sinking > state.sunk[n] else _RISING
        state.sunk[n], state.sunk_speed[n] = _spring(state.sunk[n], state.sunk_speed[n], sinking, hurry, step)
        # who falls or goes down on all fours needs no lowering
        upright = _smooth_step(4.0 * (place[legs[0, 0], 1] / leg_length - 0.5))
        state.sunk[n] = min(state.sunk[n], _MOST_SINKING * upright)

        # Step 7. Bend the legs. One in the air that is too short just does not get there.
        for j in range(joints):
            place[j, 1] -= state.sunk[n]
        out_root[n, 1] -= state.sunk[n]
        for side in range(2):
            thigh, foot = legs[side, 0], legs[side, 2]
            if not state.planted[n, side]:
                reach, distance = 0.0, 0.0
                for k in range(3):
                    reach += (place[foot, k] - place[thigh, k]) ** 2
                    distance += (target[side, k] - place[thigh, k]) ** 2
                since = max(state.lifted[n, side], state.stepping[n, side]) / _LIFTING
                easy = _LEG_REACH + _smooth_step(since) * (_EASY_REACH - _LEG_REACH)
                reach, distance = max(np.sqrt(reach), easy * leg_length), np.sqrt(distance)
                if distance > reach:
                    zone = _GIVING * leg_length
                    shorter = (reach - zone * np.expm1(-(distance - reach) / zone)) / distance
                    for k in range(3):
                        target[side, k] = place[thigh, k] + shorter * (target[side, k] - place[thigh, k])
            _solve_leg(
                thigh, legs[side, 1], foot, parents, hinges[side], target[side], foot_turn[side], place,
                turned, out_rotations[n],
            )  # fmt: skip

        # who kneels is not bent into the floor
        kneeling = 0.0
        for side in range(2):
            thigh, shin = legs[side, 0], legs[side, 1]
            if own_place[shin, 1] < _KNEELING * leg_length and parents[shin] == thigh:
                _times(turned[parents[thigh]], out_rotations[n, thigh], work)
                _turn(work, offsets[shin], move)
                kneeling = max(kneeling, own_place[shin, 1] - place[thigh, 1] - move[1])
        out_root[n, 1] += kneeling

        # Step 8. No leg turns more hastily than people's legs do; what is recorded stays as it is.
        hasty = model.sizes[3] if time <= JOIN or level > 0.0 else np.inf
        first, last = max(frame - 1, 0), min(frame + 2, len(library_root))
        for side in range(2):
            for part in range(3):
                joint = legs[side, part]
                most = max(hasty, _OWN * model.accelerations[first:last, joint].max()) * step * step
                if state.stepped[n] > 1:
                    _brake(state.shown_leg[n, side, part], most, out_rotations[n, joint])
                state.shown_leg[n, side, part, 0] = state.shown_leg[n, side, part, 1]
                state.shown_leg[n, side, part, 1] = out_rotations[n, joint]
        state.stepped[n] += 1
