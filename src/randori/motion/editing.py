"""Cutting, joining end to end, resampling, retiming, mirroring and placing clips."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from randori.errors import RandoriError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import mirror_joints
from randori.motion.placement import Placement


def crop(clip: Clip, start: int, stop: int) -> Clip:
    """The frames from `start` up to, but without, `stop`."""
    if not 0 <= start < stop <= len(clip):
        raise RandoriError(f"{clip.name}: frames {start} to {stop} are not within its {len(clip)} frames")
    return clip.with_frames(clip.root_position[start:stop], clip.rotations[start:stop])


def concatenate(clips: Sequence[Clip], name: str | None = None) -> Clip:
    """One clip after the other, as they are. For a smooth join see motion/transition.py."""
    first = clips[0]
    for clip in clips[1:]:
        require_same_rig(first, clip)
    return first.with_frames(
        np.concatenate([clip.root_position for clip in clips]),
        np.concatenate([clip.rotations for clip in clips]),
        name=name or first.name,
    )


def require_same_rig(a: Clip, b: Clip) -> None:
    """Two clips whose frames are to stand in one clip must have the same joints and rate."""
    if a.skeleton.names != b.skeleton.names:
        raise RandoriError(f"{a.name} and {b.name} have different skeletons")
    if not np.isclose(a.fps, b.fps, rtol=1e-6):
        raise RandoriError(f"{a.name} runs at {a.fps:g} fps and {b.name} at {b.fps:g}: resample one of them")


def resample(clip: Clip, fps: float) -> Clip:
    """The same motion at another rate. At the same rate it is the same clip."""
    if fps == clip.fps:
        return clip
    step = round(clip.fps / fps)
    if clip.fps == step * fps:  # no new frame lies between two old ones
        thin = clip.thinned(step)
        return thin.with_frames(thin.root_position, rot.unroll(thin.rotations))
    # the small amount lets a last frame in that only rounding put past the end
    frames = int(clip.duration * fps + 1e-6) + 1
    return sample(clip, np.arange(frames) / fps, fps)


def retime(clip: Clip, speed: float) -> Clip:
    """The same motion `speed` times as fast, at the same rate."""
    frames = int(clip.duration / speed * clip.fps + 1e-6) + 1
    return sample(clip, np.arange(frames) * (speed / clip.fps), clip.fps)


def sample(clip: Clip, times: ArrayLike, fps: float) -> Clip:
    """The poses at any times (N,) in seconds, as a clip that plays them at `fps`.

    Between two frames positions and rotations follow cubics whose velocities at the frames are shared
    with the neighbours, so nothing jerks at the old frames. Times outside give the first or last pose.
    """
    place = np.clip(np.asarray(times, dtype=float) * clip.fps, 0.0, len(clip) - 1)
    before = np.minimum(place.astype(np.int64), max(len(clip) - 2, 0))
    after = np.minimum(before + 1, len(clip) - 1)
    along = place - before

    step = np.diff(clip.root_position, axis=0)
    velocity = _shared_velocity(step)
    root = clip.root_position[before] + _cubic(
        along[:, None],
        clip.root_position[after] - clip.root_position[before],
        velocity[before],
        velocity[after],
    )

    # Rotations: the same cubic on the rotation vector from the frame before, seen from that frame. Its
    # rate at the frame after is not the angular velocity there unless the axis stays: hence the change.
    turn = rot.to_rotation_vector(rot.multiply(rot.inverse(clip.rotations[:-1]), clip.rotations[1:]))
    spin = _shared_velocity(turn)
    whole = rot.to_rotation_vector(rot.multiply(rot.inverse(clip.rotations[before]), clip.rotations[after]))
    arriving = rot.rotation_vector_rate(-whole, spin[after])
    part = _cubic(along[:, None, None], whole, spin[before], arriving)
    rotations = rot.unroll(rot.multiply(clip.rotations[before], rot.from_rotation_vector(part)))
    return clip.with_frames(root, rotations, fps=fps)


def _shared_velocity(step: np.ndarray) -> np.ndarray:
    """(F, ...) per frame, from the steps (F - 1, ...) between frames: the mean of the two beside it."""
    if len(step) == 0:
        return np.zeros((1, *step.shape[1:]))
    return 0.5 * (np.concatenate([step[:1], step]) + np.concatenate([step, step[-1:]]))


def _cubic(t: np.ndarray, whole: np.ndarray, leaving: np.ndarray, arriving: np.ndarray) -> np.ndarray:
    """The way from zero (t = 0) to `whole` (t = 1) with given velocities at both ends."""
    return t * (
        leaving + t * ((3.0 * whole - 2.0 * leaving - arriving) + t * (leaving + arriving - 2.0 * whole))
    )


def mirror(clip: Clip) -> Clip:
    """The motion as a mirror in the plane x = 0 shows it: the left does what the right did.

    The turn of each joint away from the T-pose is reflected, so the zero pose of a rig does not matter.
    """
    skeleton = clip.skeleton
    twins = mirror_joints(skeleton.names, skeleton.parts)
    turned = rot.multiply(clip.global_rotations, rot.inverse(skeleton.reference))[:, twins]
    reflected = turned * np.array([1.0, 1.0, -1.0, -1.0])
    rotations = skeleton.to_local(rot.multiply(reflected, skeleton.reference))
    return clip.with_frames(clip.root_position * np.array([-1.0, 1.0, 1.0]), rotations)


def align(clip: Clip, frame: int, placement: Placement, part: str = "pelvis") -> Clip:
    """The clip moved as a whole so that at a frame it stands at a place, its `part` turned to the yaw."""
    return Placement.of(clip, frame, part).inverse().then(placement).move(clip)
