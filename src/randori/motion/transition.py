"""Going from one clip into another without a jump in position or velocity: inertialisation.

Nothing is blended. At the join the second clip is off by an offset that moves at some velocity; that
offset is added to its frames and dies away, so the first clip's momentum is carried into the second.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import require_same_rig

# A fast limb would carry its offset far away before it comes back. What comes on top of the offset at the
# join is kept below half of it, or below this much where there is little or none.
OVERSHOOT = 1.5  # times the offset at the join
ROOT_ALLOWANCE = 0.05  # metres
TURN_ALLOWANCE = 0.2  # radians

_PEAK = 16.0 / 81.0  # metres that an offset of zero reaches which starts at 1 m/s and dies away in 1 s


class Offset(NamedTuple):
    """The difference, and its rate, between a pose and the pose that should follow it."""

    root: np.ndarray  # (3,) metres
    root_velocity: np.ndarray  # (3,) metres per second
    turn: np.ndarray  # (J, 3) rotation vectors in the parents' frames, radians
    turn_velocity: np.ndarray  # (J, 3) their rate of change, radians per second


def join(a: Clip, b: Clip, duration: float, name: str | None = None) -> Clip:
    """`a`, and from its last frame on `b`, whose first frame is the same moment.

    `b` must already stand where it should go on (see `editing.align`). Within `duration` seconds, or
    where `b` is shorter by its end, the pose is exactly the one of `b`.
    """
    require_same_rig(a, b)
    offset = offset_at_join(a, len(a) - 1, b, 0)
    duration = min(duration, b.duration)
    root = b.root_position + decay(offset.root, offset.root_velocity, b.times, duration, ROOT_ALLOWANCE)
    turn = decay(offset.turn, offset.turn_velocity, b.times, duration, TURN_ALLOWANCE)
    rotations = rot.multiply(rot.from_rotation_vector(turn), b.rotations)
    return a.with_frames(
        np.concatenate([a.root_position[:-1], root]),
        rot.unroll(np.concatenate([a.rotations[:-1], rotations])),
        name=name or a.name,
    )


def offset_at_join(a: Clip, cut: int, b: Clip, entry: int) -> Offset:
    """The offset of frame `entry` of `b`, and its motion, that let `b` go on as `a` does at frame `cut`."""
    turn = rot.to_rotation_vector(rot.multiply(a.rotations[cut], rot.inverse(b.rotations[entry])))
    # `b` turns on inside the offset: seen from outside it turns about an axis that the offset has turned
    spin_b = rot.rotate(rot.from_rotation_vector(turn), _angular_velocity(b, entry))
    return Offset(
        a.root_position[cut] - b.root_position[entry],
        _velocity(a, cut) - _velocity(b, entry),
        turn,
        rot.rotation_vector_rate(turn, _angular_velocity(a, cut) - spin_b),
    )


def decay(
    offset: ArrayLike,  # (..., 3) at the join
    velocity: ArrayLike,  # (..., 3) per second
    times: ArrayLike,  # (N,) seconds since the join
    duration: float,  # seconds
    allowance: float,  # of an offset's length, see OVERSHOOT
) -> np.ndarray:
    """(N, ..., 3) the offset as it dies away: a quintic that starts as given and ends at rest at zero.

    Position, velocity and acceleration are zero at the end. The part that comes from the velocity may
    die away sooner, so that the offset never gets longer than OVERSHOOT times its start, or than the
    allowance.
    """
    offset, velocity = np.asarray(offset, dtype=float), np.asarray(velocity, dtype=float)
    moments = np.asarray(times, dtype=float).reshape(-1, *(1,) * offset.ndim)
    length = np.linalg.norm(offset, axis=-1, keepdims=True)
    speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
    room = np.maximum(OVERSHOOT * length, allowance) - length
    carried = np.minimum(duration, room / (_PEAK * np.maximum(speed, 1e-12)))  # seconds

    def progress(end: ArrayLike) -> np.ndarray:
        return np.clip(moments / np.maximum(end, 1e-12), 0.0, 1.0)

    s, v = progress(duration), progress(carried)
    from_offset = offset * (1.0 - s) ** 3 * (1.0 + 3.0 * s + 6.0 * s * s)
    from_velocity = velocity * carried * (1.0 - v) ** 3 * v * (1.0 + 3.0 * v)
    return from_offset + from_velocity


def _velocity(clip: Clip, frame: int) -> np.ndarray:
    """(3,) metres per second, of the root."""
    near = slice(max(frame - 2, 0), frame + 3)
    return _at_frame(np.diff(clip.root_position[near], axis=0), min(frame, 2)) * clip.fps


def _angular_velocity(clip: Clip, frame: int) -> np.ndarray:
    """(J, 3) radians per second, of every joint in its parent's frame."""
    near = clip.rotations[max(frame - 2, 0) : frame + 3]
    steps = rot.to_rotation_vector(rot.multiply(near[1:], rot.inverse(near[:-1])))
    return _at_frame(steps, min(frame, 2)) * clip.fps


def _at_frame(steps: np.ndarray, place: int) -> np.ndarray:
    """The velocity per frame at one of the frames that the steps (N, ...) lie between."""
    if len(steps) == 0:
        return np.zeros(steps.shape[1:])
    if len(steps) == 1:
        return steps[0]
    if place == 0:
        return 1.5 * steps[0] - 0.5 * steps[1]
    if place == len(steps):
        return 1.5 * steps[-1] - 0.5 * steps[-2]
    return 0.5 * (steps[place - 1] + steps[place])
