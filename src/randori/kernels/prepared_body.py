"""Records of prepared bodies: the library that they play, where they are, and scratch space for a tick.

A body plays frames of a library, its *stream*, drawn towards a reference posture by its level of preparation.
"""

from typing import NamedTuple

import numpy as np

# States of a foot; see kernels/prepared_feet.py.
SWINGING, STANDING, STEPPING = 0, 1, 2

FLOOR_PLACE = np.dtype(
    [
        ("x", np.float64),  # metres
        ("z", np.float64),  # metres
        ("yaw", np.float64),  # radians
    ],
    align=True,
)

FOOT_MOVE = np.dtype(
    [
        ("x", np.float64),  # metres
        ("y", np.float64),  # metres
        ("z", np.float64),  # metres
        ("yaw", np.float64),  # radians
    ],
    align=True,
)

ROOT_VELOCITY = np.dtype(
    [
        ("aside", np.float64),  # metres per second, as the heading sees it
        ("ahead", np.float64),  # metres per second
        ("up", np.float64),  # metres per second
    ],
    align=True,
)

LEG = np.dtype(
    [
        ("thigh", np.int64),  # joint
        ("shin", np.int64),  # joint
        ("foot", np.int64),  # joint
    ],
    align=True,
)


class Model(NamedTuple):
    """The library and its skeleton: what never changes while bodies move."""

    root: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4)
    contacts: np.ndarray  # (F, 2) bool
    heading: np.ndarray  # (F,) radians, yaw of the pelvis
    clip: np.ndarray  # (F,) int64, the recording that a frame is part of
    accelerations: np.ndarray  # (F, J) radians per second², as recorded
    clearance: np.ndarray  # (F, 2) metres that a foot's lowest point is above where it stands, as recorded
    parents: np.ndarray  # (J,) int64
    offsets: np.ndarray  # (J, 3) metres
    curve: np.ndarray  # (J,) equation 1's constant
    legs: np.ndarray  # (2,) LEG, left and right
    balls: np.ndarray  # (2, 3) metres, the ball of the foot from the ankle, in the foot's frame
    hinges: np.ndarray  # (2, 3) the axis of the knee, in the thigh's frame
    ankle_level: float  # metres, height of a standing ankle
    ball_level: float  # metres, height of a standing ball of the foot
    leg_length: float  # metres
    usual_acceleration: float  # radians per second², that nearly all recorded joints are below


BODY = np.dtype(
    [
        ("cursor", np.float64),  # frame of the library, between frames if need be
        ("rate", np.float64),  # frames per tick
        ("place", np.float64, (2,)),  # metres, x and z of the root
        ("heading", np.float64),  # radians
        ("stretch", np.float64),  # times the recorded way over the floor
        ("steer", np.float64),  # radians per tick, on top of the recorded turn
        ("free", np.float64),  # 1 for a body that goes all of the recorded way, however prepared; else 0
        ("height", np.float64),  # metres, of the stream's root
        ("shown_velocity", ROOT_VELOCITY),  # of the root in the last tick
        ("joined", np.float64),  # seconds since the last join
        ("root_offset", np.float64),  # metres of the root's height that die away since then,
        ("root_velocity", ROOT_VELOCITY),  # how fast the root moved at the join,
        ("root_carried", np.float64),  # and seconds until that has died away
        ("sunk", np.float64),  # metres that the pelvis is lowered by for a leg that is too short
        ("sunk_speed", np.float64),  # metres per second
        ("ticks", np.int64),  # since it was put where it is
    ],
    align=True,
)

FOOT = np.dtype(
    [
        ("phase", np.int64),  # SWINGING, STANDING or STEPPING
        ("offset", FOOT_MOVE),  # by which a foot is moved from where the blend takes it,
        ("speed", FOOT_MOVE),  # per second
        ("shown", FLOOR_PLACE),  # of the ball of the foot in the last tick
        ("blend_x", np.float64),  # metres, where the blend took the ball in the last tick
        ("blend_z", np.float64),  # metres
        (
            "clear",
            np.float64,
        ),  # metres over the floor where the blend took it; infinite before the first tick
        # STANDING
        ("anchor", FLOOR_PLACE),  # where it stays
        ("stood", np.float64),  # seconds since it landed
        ("landing", FLOOR_PLACE),  # per second, what it landed with
        ("glide", np.float64),  # seconds in which that comes to rest
        # SWINGING
        ("lifted", np.float64),  # seconds since it left the floor
        # STEPPING
        ("stepping", np.float64),  # seconds since the step began
        ("step_from", FOOT_MOVE),  # its offset when it began; y is its height over the floor
        ("step_speed", FOOT_MOVE),  # per second
        ("lag_x", np.float64),  # metres that it stays behind the body by
        ("lag_z", np.float64),  # metres
    ],
    align=True,
)


class State(NamedTuple):
    """The state of N bodies."""

    bodies: np.ndarray  # (N,) BODY
    feet: np.ndarray  # (N, 2) FOOT
    reference: np.ndarray  # (N, J, 4) the posture that is prepared for, joint 0 as its heading sees it
    reference_foot: np.ndarray  # (N, 2, 4) its feet, as its heading sees them
    shown: np.ndarray  # (N, J, 4) the stream's pose in the last tick,
    before: np.ndarray  # (N, J, 4) and in the tick before that
    offset: np.ndarray  # (N, J, 3) radians, what dies away since the last join,
    velocity: np.ndarray  # (N, J, 3) radians per second, how fast it moved at the join,
    carried: np.ndarray  # (N, J) seconds until that has died away
    leg_shown: np.ndarray  # (N, 2, 3, 4) thighs, shins and feet as shown in the last tick,
    leg_before: np.ndarray  # (N, 2, 3, 4) and in the tick before that


class Shown(NamedTuple):
    """The poses of N bodies after a tick."""

    root: np.ndarray  # (N, 3) metres
    rotations: np.ndarray  # (N, J, 4)


# Values of a foot that are computed in each tick.
FOOT_TICK = np.dtype(
    [
        ("ball_x", np.float64),  # metres, where the blend puts the ball of the foot
        ("ball_y", np.float64),
        ("ball_z", np.float64),
        ("yaw", np.float64),  # radians, of the foot in the blend
        ("stream_ball_y", np.float64),  # metres, height of the ball in the stream
        ("stream_ankle_y", np.float64),  # metres
        ("clear", np.float64),  # metres over the floor where the blend takes it,
        ("rising", np.float64),  # metres per second
        ("high", np.float64),  # metres over the floor as shown in the last tick,
        ("lift_speed", np.float64),  # metres per second
        ("touches", np.bool_),  # whether it is on the floor as recorded
        ("recorded", np.float64),  # metres over the floor as recorded,
        ("recorded_speed", np.float64),  # metres per second
        ("down", np.bool_),  # whether it may stand: its ball is on the floor, it does not roll over its heel
        ("leaves", np.bool_),  # whether it may not stand any longer
    ],
    align=True,
)


class Scratch(NamedTuple):
    """Room for one body in one tick."""

    stream: np.ndarray  # (J, 4) the pose of the stream
    blended: np.ndarray  # (J, 4) that pose drawn towards the reference
    stream_place: np.ndarray  # (J, 3) metres, joints of the stream's pose in the world,
    stream_turned: np.ndarray  # (J, 4) and how they are turned
    place: np.ndarray  # (J, 3) metres, joints of the blended pose in the world,
    turned: np.ndarray  # (J, 4) and how they are turned
    feet: np.ndarray  # (2,) FOOT_TICK
    foot_turned: np.ndarray  # (2, 4) how feet are to be turned in the world
    ankles: np.ndarray  # (2, 3) metres, where ankles are to be


class Tick(NamedTuple):
    """Values that hold for the whole of a body in one tick."""

    step: float  # seconds
    level: float  # of preparation, 0 to 1
    before: float  # frame of the library at the start of the tick,
    cursor: float  # and at its end
    time: float  # seconds since the last join
    frame: int  # the frame of the library that is nearest to what is shown
    still: bool  # almost ready: feet stay until they are due for a real step
