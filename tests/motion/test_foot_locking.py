import numpy as np
import pytest
from walker import walk, without_toes

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import crop
from randori.motion.feet import foot_contacts, foot_levels, foot_points, foot_slide, leg_length
from randori.motion.foot_locking import lock_feet
from randori.motion.inverse_kinematics import reach
from randori.motion.skeleton import Skeleton
from randori.motion.transition import join


def angular_acceleration(clip: Clip) -> np.ndarray:
    """(F - 2, J) radians per second squared."""
    step = rot.to_rotation_vector(rot.multiply(clip.rotations[1:], rot.inverse(clip.rotations[:-1])))
    return np.linalg.norm(np.diff(step, axis=0), axis=-1) * clip.fps**2


def skate(clip: Clip, metres: float) -> Clip:
    """The clip with feet that wander smoothly around where they should be."""
    phase = 2.0 * np.pi * clip.times
    for side, turn in (("left", 0.0), ("right", 1.0)):
        wander = metres * np.stack([np.sin(phase + turn), 0.0 * phase, np.cos(1.3 * phase + turn)], axis=-1)
        clip = reach(clip, f"{side}_leg", clip.positions[:, clip.skeleton.joint(f"{side}_foot")] + wander)
    return clip


@pytest.mark.parametrize("fps", [30.0, 120.0])
@pytest.mark.parametrize("toes", [True, False])
def test_planted_feet_are_held_still_without_a_jerk(skeleton: Skeleton, fps: float, toes: bool):
    clip, contacts = walk(skeleton if toes else without_toes(skeleton), fps)
    skating = skate(clip, 0.02)
    locked = lock_feet(skating, contacts)
    assert foot_slide(skating, contacts).max() > 0.015
    assert foot_slide(locked, contacts).max() < 0.001
    assert angular_acceleration(locked).max() < 1.3 * angular_acceleration(skating).max()
    assert np.abs(foot_points(locked)[..., 1] - foot_points(skating)[..., 1]).max() < 0.003


def test_feet_that_stand_still_are_left_alone(skeleton: Skeleton):
    clip, contacts = walk(skeleton, 60.0)
    locked = lock_feet(clip, contacts)
    assert np.abs(locked.positions - clip.positions).max() < 1e-6
    untouched = lock_feet(clip, np.zeros_like(contacts))
    assert np.allclose(untouched.rotations, clip.rotations, atol=1e-12)


def test_only_the_legs_and_the_height_of_the_pelvis_change(skeleton: Skeleton):
    clip, contacts = walk(skeleton, 60.0)
    skating = skate(clip, 0.02)
    locked = lock_feet(skating, contacts)
    legs = [
        skeleton.joint(f"{side}_{part}") for side in ("left", "right") for part in ("thigh", "shin", "foot")
    ]
    others = [joint for joint in range(len(skeleton)) if joint not in legs]
    assert np.array_equal(locked.rotations[:, others], skating.rotations[:, others])
    assert np.array_equal(locked.root_position[:, [0, 2]], skating.root_position[:, [0, 2]])
    foot = skeleton.joint("left_foot")
    turned = rot.angle_between(locked.global_rotations[:, foot], skating.global_rotations[:, foot])
    assert turned.max() < 1e-7


def test_the_pelvis_sinks_where_a_leg_is_too_short(skeleton: Skeleton):
    """One foot is dragged forward out of reach while it should stand."""
    clip, contacts = walk(skeleton, 60.0)
    raised = clip.with_frames(clip.root_position + np.array([0.0, 0.03, 0.0]), clip.rotations)
    for side in ("left", "right"):
        ankle = clip.positions[:, skeleton.joint(f"{side}_foot")]
        wander = 0.05 * np.stack([0.0 * clip.times, 0.0 * clip.times, np.sin(6.0 * clip.times)], axis=-1)
        raised = reach(raised, f"{side}_leg", ankle + wander)
    locked = lock_feet(raised, contacts)
    sunk = (raised.root_position - locked.root_position)[:, 1]
    assert 0.002 < sunk.max() < 0.05
    assert sunk.min() >= 0.0
    assert np.abs(np.diff(sunk, n=2)).max() * 60.0**2 < 3.0  # metres per second squared
    assert foot_slide(locked, contacts).max() < 0.001
    length = leg_length(clip)
    hip, ankle = (locked.positions[:, skeleton.joint(f"left_{part}")] for part in ("thigh", "foot"))
    assert np.linalg.norm(ankle - hip, axis=-1).max() < length


def test_feet_are_lifted_out_of_the_floor(skeleton: Skeleton):
    clip, contacts = walk(skeleton, 60.0)
    levels = foot_levels(clip)
    dip = -0.04 * np.exp(-(((clip.times - 2.0) / 0.3) ** 2))
    sunk = clip.with_frames(clip.root_position + dip[:, None] * rot.Y_AXIS, clip.rotations)
    assert foot_points(sunk)[..., 1, 1].min() < levels.ball - 0.03
    locked = lock_feet(sunk, contacts, levels)
    below = np.array(levels) - foot_points(locked)[..., 1]
    assert below.max() < 0.001
    # landing is sooner and so more sudden, but not a jerk
    assert angular_acceleration(locked).max() < 2.5 * angular_acceleration(clip).max()


def test_feet_that_stand_elsewhere_after_a_join_make_a_step(skeleton: Skeleton):
    """A wide stance goes over into a narrow one; both feet are said to stand all the time."""
    frames, fps = 90, 60.0
    clip = Clip(
        "stand",
        skeleton,
        fps,
        np.tile([0.0, 0.87, 0.0], (frames, 1)),
        np.tile(rot.IDENTITY, (frames, len(skeleton), 1)),
    )
    wide = clip
    for side, sign in (("left", 1.0), ("right", -1.0)):
        clip = reach(clip, f"{side}_leg", [sign * 0.09, 0.08, 0.0])
        wide = reach(wide, f"{side}_leg", [sign * 0.29, 0.08, 0.05])
    joined = join(wide, clip, 0.4)
    contacts = np.ones((len(joined), 2), dtype=bool)
    locked = lock_feet(joined, contacts)
    ball = foot_points(locked)[:, 0, 1]
    start, end = frames - 1, frames - 1 + int(0.4 * fps)
    assert np.allclose(ball[: start - 1], ball[0], atol=0.02)
    assert np.allclose(ball[end:], ball[-1], atol=0.02)
    assert ball[start:end, 1].max() > ball[0, 1] + 0.015
    assert foot_slide(locked, foot_contacts(locked)).max() < 0.02
    # and one that is off by little is simply held
    near = wide
    for side, sign in (("left", 1.0), ("right", -1.0)):
        near = reach(near, f"{side}_leg", [sign * 0.27, 0.08, 0.08])
    held = join(wide, crop(near, 0, 60), 0.3)
    everywhere = np.ones((len(held), 2), dtype=bool)
    assert foot_slide(lock_feet(held, everywhere), everywhere).max() < 0.001
