"""Prepared motion, one tick for many bodies: blended towards a reference, moved, and its feet held.

Every body plays frames of a library, its *stream*. At a join the offset to what was shown before dies
away in it. The stream is then drawn towards the reference posture by the level of preparation.
"""

import math

import numpy as np

from randori.kernels.angles import wrap_angle
from randori.kernels.compile import kernel
from randori.kernels.easing import decay_offset
from randori.kernels.kinematics import place_joints
from randori.kernels.plane import turn_direction, turn_direction_back
from randori.kernels.prepared_body import Tick
from randori.kernels.prepared_feet import (
    bend_legs,
    brake_legs,
    lift_knees,
    lower_pelvis,
    move_feet,
    place_balls,
)
from randori.kernels.rotation import about_vertical, compose, from_vector, rotation_at, set_rotation, slerp

JOIN = 0.4  # seconds over which an offset dies away
_SHUFFLE = 0.7  # weight of the root above which steps would be shorter than a foot is wide


@kernel
def advance(model, state, scratch, levels, step, held, shown):
    """One tick of `step` seconds for all bodies, at levels (N,) of preparation.

    The records are those of kernels/prepared_body.py: model and state, scratch space, and the poses that are
    shown. With `held` off the feet go where the blend takes them.
    """
    for n in range(len(levels)):
        body, rotations, root = state.bodies[n], shown.rotations[n], shown.root[n]
        root_weight = weight(levels[n], model.curve[0])
        tick = _start_tick(model, body, levels[n], step, root_weight)

        # Step 1. Where the stream is now, and how far it went over the floor.
        aside, ahead, yaw, height = _play_stream(model, state, n, tick, scratch)

        # Step 2. Equations 3 and 4: the way over the floor is as much shorter as the root is prepared.
        _move_over_floor(body, max(1.0 - root_weight, body.free), aside, ahead, yaw, step)

        # Step 3. Equation 2: every joint towards the reference.
        _blend(scratch.stream, state.reference[n], tick.level, model.curve, scratch.blended)
        _remember(state, n, tick, height, scratch)

        # Step 4. Both poses in the world; equation 5: the root goes down as the feet would come up.
        _pose_in_world(model, body, scratch, root)
        for joint in range(len(model.parents)):
            set_rotation(rotations, joint, rotation_at(scratch.blended, joint))
        if not held:
            continue

        # Step 5. Where the feet have to be; a leg that is too short to stand there lowers the pelvis.
        weights = (
            weight(tick.level, model.curve[model.legs[0].foot]),
            weight(tick.level, model.curve[model.legs[1].foot]),
        )
        sinking = move_feet(model, state, n, tick, scratch, weights)
        lower_pelvis(model, body, sinking, step, scratch, root)

        # Step 6. Bend the legs; a body that kneels is not bent into the floor.
        bend_legs(model, state.feet[n], scratch, rotations)
        root[1] += lift_knees(model, scratch, rotations)

        # Step 7. No leg turns more hastily than people's legs do.
        prepares = tick.time <= JOIN or tick.level > 0.0
        brake_legs(model, state, n, tick, model.usual_acceleration if prepares else np.inf, rotations)
        body.ticks += 1


@kernel
def weight(level, curve):
    """Equation 1: how far a joint has gone to the reference at a level of preparation."""
    if level <= 0.0:
        return 0.0
    if level >= 1.0:
        return 1.0
    return (1.0 - (1.0 - level) ** curve) ** (1.0 / curve)


@kernel
def _start_tick(model, body, level, step, root_weight):
    """Find the values that hold for the whole of a body in this tick."""
    cursor = body.cursor + body.rate
    frame = min(int(np.rint(cursor)), len(model.root) - 1)
    # a body that is almost ready does not shuffle: its feet stay until they are due for a real step
    still = root_weight > _SHUFFLE and body.free == 0.0
    return Tick(step, level, body.cursor, cursor, body.joined + step, frame, still)


@kernel
def _play_stream(model, state, n, tick, scratch):
    """Read the pose of the stream; returns metres aside and ahead, radians, and the height of the root."""
    body = state.bodies[n]
    was_x, _, was_z, was_heading = _recorded_root(model, tick.before)
    x, height, z, heading = _recorded_root(model, tick.cursor)
    _read_pose(model, state, n, tick, heading, scratch.stream)
    aside, ahead = turn_direction_back(math.cos(was_heading), math.sin(was_heading), x - was_x, z - was_z)
    # a sudden change of speed at a join is carried on for a while
    speed, carried = body.root_velocity, body.root_carried
    aside += _carried_on(speed.aside, carried, tick.time, body.joined)
    ahead += _carried_on(speed.ahead, carried, tick.time, body.joined)
    height += decay_offset(body.root_offset, speed.up, carried, tick.time, JOIN)
    return aside, ahead, wrap_angle(heading - was_heading), height


@kernel
def _carried_on(velocity, carried, time, before):
    """Metres in one tick that a change of velocity at a join adds."""
    now = decay_offset(0.0, velocity, carried, time, JOIN)
    return now - decay_offset(0.0, velocity, carried, before, JOIN)


@kernel
def _frames_about(model, cursor):
    """The frames before and after a cursor, and the share of the way between them."""
    frame = int(np.floor(cursor))
    share = cursor - frame
    after = frame if share < 1e-9 else min(frame + 1, len(model.root) - 1)
    return frame, after, share


@kernel
def _recorded_root(model, cursor):
    """x, y, z in metres and the heading in radians of the recorded root between frames."""
    frame, after, share = _frames_about(model, cursor)
    turned = wrap_angle(model.heading[after] - model.heading[frame])
    return (
        (1.0 - share) * model.root[frame, 0] + share * model.root[after, 0],
        (1.0 - share) * model.root[frame, 1] + share * model.root[after, 1],
        (1.0 - share) * model.root[frame, 2] + share * model.root[after, 2],
        model.heading[frame] + share * turned,
    )


@kernel
def _read_pose(model, state, n, tick, heading, pose):
    """The pose (J, 4) of a stream, joint 0 as its heading sees it, with what is left of the last join."""
    frame, after, share = _frames_about(model, tick.cursor)
    for joint in range(len(model.parents)):
        first = rotation_at(model.rotations[frame], joint)
        second = rotation_at(model.rotations[after], joint)
        set_rotation(pose, joint, slerp(first, second, share))
    set_rotation(pose, 0, compose(about_vertical(-heading), rotation_at(pose, 0)))
    if tick.time >= JOIN:
        return
    for joint in range(len(model.parents)):
        carried, offset, velocity = state.carried[n, joint], state.offset[n, joint], state.velocity[n, joint]
        left = (
            decay_offset(offset[0], velocity[0], carried, tick.time, JOIN),
            decay_offset(offset[1], velocity[1], carried, tick.time, JOIN),
            decay_offset(offset[2], velocity[2], carried, tick.time, JOIN),
        )
        set_rotation(pose, joint, compose(from_vector(left), rotation_at(pose, joint)))


@kernel
def _move_over_floor(body, going, aside, ahead, yaw, step):
    """Move a body by a share of the recorded way, in metres and radians."""
    body.shown_velocity.aside, body.shown_velocity.ahead = aside / step, ahead / step
    aside, ahead = going * body.stretch * aside, going * body.stretch * ahead
    x, z = turn_direction(math.cos(body.heading), math.sin(body.heading), aside, ahead)
    body.place[0] += x
    body.place[1] += z
    body.heading = wrap_angle(body.heading + going * yaw + body.steer)


@kernel
def _blend(stream, reference, level, curve, out):
    """Equation 2 for every joint."""
    for joint in range(stream.shape[0]):
        own, wanted = rotation_at(stream, joint), rotation_at(reference, joint)
        set_rotation(out, joint, slerp(own, wanted, weight(level, curve[joint])))


@kernel
def _remember(state, n, tick, height, scratch):
    """Keep the values of this tick that the next tick, or a join, needs."""
    body = state.bodies[n]
    for joint in range(scratch.stream.shape[0]):
        set_rotation(state.before[n], joint, rotation_at(state.shown[n], joint))
        set_rotation(state.shown[n], joint, rotation_at(scratch.stream, joint))
    body.shown_velocity.up = (height - body.height) / tick.step
    body.height, body.cursor, body.joined = height, tick.cursor, tick.time


@kernel
def _pose_in_world(model, body, scratch, root):
    """Place the joints of both poses, so low that the feet of the blend are as high as the stream's.

    root (3,) is the place of the blend's root, in metres.
    """
    heading = about_vertical(body.heading)
    x, z = body.place[0], body.place[1]
    origin = x, body.height, z
    set_rotation(scratch.stream, 0, compose(heading, rotation_at(scratch.stream, 0)))
    set_rotation(scratch.blended, 0, compose(heading, rotation_at(scratch.blended, 0)))
    place_joints(
        origin, scratch.stream, model.parents, model.offsets, scratch.stream_place, scratch.stream_turned
    )
    place_joints(origin, scratch.blended, model.parents, model.offsets, scratch.place, scratch.turned)
    rise = place_balls(model, scratch)
    for joint in range(len(model.parents)):
        scratch.place[joint, 1] -= rise
    for side in range(2):
        scratch.feet[side].ball_y -= rise
    root[0], root[1], root[2] = x, body.height - rise, z
