import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import LEG_REACH, Limb, find_limb, look_along, look_at, reach
from randori.motion.skeleton import Skeleton

LIMBS = ["left_leg", "right_leg", "left_arm", "right_arm"]


def bone_lengths(clip: Clip, limb: Limb) -> np.ndarray:
    joints = clip.positions[:, limb]
    return np.linalg.norm(np.diff(joints, axis=1), axis=-1)


def peak_angular_speed(clip: Clip, joint: int) -> float:
    """Radians per frame."""
    return float(rot.angle_between(clip.global_rotations[1:, joint], clip.global_rotations[:-1, joint]).max())


@pytest.fixture(params=["dance", "odd_dance"])
def clip(request: pytest.FixtureRequest) -> Clip:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("name", LIMBS)
def test_the_end_reaches_a_target_within_reach_and_nothing_else_changes(clip: Clip, name: str):
    limb = find_limb(clip.skeleton, name)
    random = np.random.default_rng(1)
    first, second = bone_lengths(clip, limb)[0]
    distance = random.uniform(abs(first - second) + 0.05, 0.985 * (first + second), len(clip))
    away = rot.normalize(random.normal(size=(len(clip), 3)))
    target = clip.positions[:, limb.upper] + distance[:, None] * away
    solved = reach(clip, name, target)
    assert np.abs(solved.positions[:, limb.end] - target).max() < 1e-6
    assert np.allclose(bone_lengths(solved, limb), bone_lengths(clip, limb), atol=1e-12)
    assert (
        rot.angle_between(solved.global_rotations[:, limb.end], clip.global_rotations[:, limb.end]).max()
        < 1e-7
    )
    others = [joint for joint in range(len(clip.skeleton)) if joint not in limb]
    assert np.array_equal(solved.rotations[:, others], clip.rotations[:, others])


@pytest.mark.parametrize("name", LIMBS)
def test_the_bending_plane_is_kept(clip: Clip, name: str):
    """Pulled straight towards the hip or shoulder, the middle joint stays in its plane."""
    limb = find_limb(clip.skeleton, name)
    upper, middle, end = (clip.positions[:, joint] for joint in limb)
    solved = reach(clip, name, upper + 0.9 * (end - upper))
    normal = rot.normalize(np.cross(middle - upper, end - upper))
    moved = solved.positions[:, limb.middle] - upper
    assert np.abs(np.sum(moved * normal, axis=-1)).max() < 0.003
    assert np.all(np.sum(np.cross(moved, end - upper) * normal, axis=-1) > 0.0)


def test_weight_zero_changes_nothing_and_weights_lead_smoothly_to_the_target(clip: Clip):
    limb = find_limb(clip.skeleton, "left_leg")
    target = clip.positions[:, limb.end] + [0.05, 0.08, -0.05]
    assert np.allclose(reach(clip, limb, target, weight=0.0).rotations, clip.rotations, atol=1e-12)
    gaps = []
    for weight in np.linspace(0.0, 1.0, 6):
        solved = reach(clip, limb, target, weight=np.full(len(clip), weight))
        gaps.append(np.linalg.norm(solved.positions[:, limb.end] - target, axis=-1))
    assert np.all(np.diff(gaps, axis=0) < 0.0)


def test_no_flip_and_no_pop_along_a_sweep_through_straight(skeleton: Skeleton):
    """The target moves from a bent leg far beyond its reach and back, across the front of the body."""
    frames = 400
    phase = np.linspace(0.0, 1.0, frames)
    clip = standing(skeleton, frames)
    limb = find_limb(skeleton, "left_leg")
    hip = clip.positions[:, limb.upper]
    length = bone_lengths(clip, limb)[0].sum()
    distance = length * (0.6 + 0.6 * np.sin(np.pi * phase))
    angle = np.radians(-40.0 + 80.0 * phase)
    down = np.stack([0.1 * np.sin(3.0 * phase), -np.cos(angle), np.sin(angle)], axis=-1)
    target = hip + distance[:, None] * rot.normalize(down)
    solved = reach(clip, limb, target)
    # the knee points forward all the way
    knee = solved.positions[:, limb.middle] - hip
    line = rot.normalize(solved.positions[:, limb.end] - hip)
    side = knee - np.sum(knee * line, axis=-1, keepdims=True) * line
    assert side[:, 2].min() > 0.01
    assert np.linalg.norm(solved.positions[:, limb.end] - hip, axis=-1).max() <= LEG_REACH * length + 1e-9
    assert peak_angular_speed(solved, limb.middle) < np.radians(3.0)
    assert peak_angular_speed(solved, limb.upper) < np.radians(3.0)


def test_an_overstretched_knee_bends_forward_without_a_flip(skeleton: Skeleton):
    """The source itself sweeps from five degrees backwards to twenty forward."""
    clip = standing(skeleton, 200)
    limb = find_limb(skeleton, "right_leg")
    rotations = clip.rotations.copy()
    rotations[:, limb.middle] = rot.from_axis_angle(rot.X_AXIS, np.radians(np.linspace(-5.0, 20.0, 200)))
    clip = clip.with_frames(clip.root_position, rotations)
    target = clip.positions[:, limb.upper] + [0.0, -0.82, 0.02]
    solved = reach(clip, limb, target)
    assert np.abs(solved.positions[:, limb.end] - target).max() < 1e-6
    assert (solved.positions[:, limb.middle, 2] - solved.positions[:, limb.upper, 2]).min() > 0.05
    assert peak_angular_speed(solved, limb.middle) < np.radians(0.2)


@pytest.mark.parametrize("name", LIMBS)
def test_the_pole_says_where_the_middle_joint_points(clip: Clip, name: str):
    limb = find_limb(clip.skeleton, name)
    upper = clip.positions[:, limb.upper]
    target = upper + 0.8 * (clip.positions[:, limb.end] - upper)
    pole = np.array([0.3, 1.0, -0.4])
    solved = reach(clip, limb, target, pole=pole)
    assert np.abs(solved.positions[:, limb.end] - target).max() < 1e-6
    line = rot.normalize(target - upper)
    knee = solved.positions[:, limb.middle] - upper
    side = rot.normalize(knee - np.sum(knee * line, axis=-1, keepdims=True) * line)
    wanted = rot.normalize(pole - np.sum(pole * line, axis=-1, keepdims=True) * line)
    assert np.sum(side * wanted, axis=-1).min() > 1.0 - 1e-9


def test_twist_joints_in_between_ride_along():
    rows = [
        ("Hips", None, (0.0, 0.0, 0.0)),
        ("LHipJoint", "Hips", (0.0, -0.02, 0.0)),
        ("LeftUpLeg", "LHipJoint", (0.09, 0.0, 0.0)),
        ("LeftUpLegTwist", "LeftUpLeg", (0.01, -0.2, 0.0)),
        ("LeftLeg", "LeftUpLegTwist", (0.0, -0.23, 0.01)),
        ("LeftLegTwist", "LeftLeg", (0.0, -0.2, -0.01)),
        ("LeftFoot", "LeftLegTwist", (0.0, -0.22, 0.0)),
        ("LeftToeBase", "LeftFoot", (0.0, -0.07, 0.14)),
    ]
    skeleton = Skeleton.build(rows)
    random = np.random.default_rng(2)
    rotations = rot.from_rotation_vector(random.normal(scale=0.2, size=(50, len(rows), 3)))
    rotations[:, 4] = rot.from_axis_angle(rot.X_AXIS, random.uniform(0.3, 1.5, 50))
    clip = Clip("twists", skeleton, 60.0, np.zeros((50, 3)), rotations)
    limb = Limb(2, 4, 6)
    target = clip.positions[:, 2] + random.normal(scale=0.05, size=(50, 3)) + [0.0, -0.6, 0.1]
    solved = reach(clip, limb, target)
    assert np.abs(solved.positions[:, 6] - target).max() < 1e-6
    for joint in (3, 5, 7):
        assert np.array_equal(solved.rotations[:, joint], clip.rotations[:, joint])


def standing(skeleton: Skeleton, frames: int) -> Clip:
    return Clip(
        "standing",
        skeleton,
        60.0,
        np.tile([0.0, 0.94, 0.0], (frames, 1)),
        np.tile(rot.IDENTITY, (frames, len(skeleton), 1)),
    )


def gaze(clip: Clip) -> np.ndarray:
    return rot.rotate(clip.turned("head"), rot.Z_AXIS)


def test_the_head_looks_along_a_direction_within_its_limits(clip: Clip):
    chest = clip.turned("chest")
    direction = rot.rotate(chest, rot.normalize([0.5, 0.2, 1.0]))
    solved = look_along(clip, direction)
    assert np.allclose(gaze(solved), direction, atol=1e-9)
    neck, head = clip.skeleton.joint("neck"), clip.skeleton.joint("head")
    turns = [
        rot.angle_between(solved.global_rotations[:, j], clip.global_rotations[:, j]) for j in (neck, head)
    ]
    assert np.allclose(turns[0], 0.5 * turns[1], atol=1e-7)


def test_a_far_point_is_looked_at(clip: Clip):
    target = clip.root_position.mean(axis=0) + np.array([0.0, 1.0, 60.0])
    unlimited = (np.radians(170.0), np.radians(170.0))
    solved = look_at(clip, target, limits=unlimited)
    wanted = rot.normalize(target - solved.positions[:, clip.skeleton.joint("head")])
    assert np.degrees(np.arccos(np.sum(gaze(solved) * wanted, axis=-1))).max() < 0.5


def test_the_head_stays_within_its_limits_and_lets_go_behind_the_back(skeleton: Skeleton):
    """The target goes once around the body."""
    frames = 720
    clip = standing(skeleton, frames)
    yaw = np.linspace(0.0, 2.0 * np.pi, frames)
    direction = np.stack([np.sin(yaw), np.zeros(frames), np.cos(yaw)], axis=-1)
    solved = look_along(clip, direction)
    turned = rot.yaw(solved.turned("head"))
    assert np.degrees(np.abs(turned)).max() < 75.0
    assert np.degrees(turned[180 // 2]) == pytest.approx(45.0, abs=0.2)
    assert np.degrees(np.abs(np.diff(turned))).max() < 2.5
    assert turned[360] == pytest.approx(0.0, abs=1e-9)
