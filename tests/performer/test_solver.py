"""The solved body does what the channels ask for, and nothing snaps."""

import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer.channels import INDEX
from randori.performer.proportions import BODIES, Body
from randori.performer.solver import solve
from randori.performer.tracks import Tracks

FPS = 60.0


def standing(body: Body, frames: int = 2, **changes: np.ndarray | float) -> np.ndarray:
    """Channels of a body that stands with a little slack in the knees, and what is changed about it."""
    tracks = Tracks()
    tracks.set_base(pelvis_height=0.97 * body.standing_height, left_foot_x=0.1, right_foot_x=-0.1)
    tracks.set_base(left_foot_z=0.1, right_foot_z=0.1)
    values = tracks.evaluate(frames, FPS)
    for name, value in changes.items():
        values[:, INDEX[name]] = value
    return values


def place(clip: Clip, part: str) -> np.ndarray:
    return clip.positions[:, clip.skeleton.joint(part)]


def knee(clip: Clip, side: str) -> np.ndarray:
    """(F,) degrees, 180 = straight."""
    hip, middle, ankle = (place(clip, f"{side}_{part}") for part in ("thigh", "shin", "foot"))
    a, b = rot.normalize(hip - middle), rot.normalize(ankle - middle)
    return np.degrees(np.arccos(np.clip(np.sum(a * b, axis=-1), -1.0, 1.0)))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_zero_rotations_are_the_t_pose(body: Body) -> None:
    positions, _ = body.skeleton.reference_pose
    parts = body.skeleton.parts
    assert positions[parts["left_hand"], 1] == pytest.approx(positions[parts["left_upper_arm"], 1])
    assert positions[parts["left_hand"], 0] > 0.5
    crown = positions[parts["head"]] + body.skeleton.tips[parts["head"]]
    sole = positions[parts["left_toes"], 1] - 0.02 * body.leg_scale
    assert crown[1] - sole == pytest.approx(body.height, abs=0.002)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_hand_gets_to_its_point(body: Body) -> None:
    values = standing(
        body, left_hand_reach=1.0, left_point_forward=0.35, left_point_out=0.1, left_point_up=1.2
    )
    clip = solve(body, values, FPS)
    pelvis = clip.root_position[0]
    np.testing.assert_allclose(
        place(clip, "left_hand")[0], [pelvis[0] + 0.1, 1.2, pelvis[2] + 0.35], atol=0.002
    )


def test_a_hand_holds_on_to_a_place_in_the_world() -> None:
    body = BODIES["average"]
    sway = 0.05 * np.sin(np.linspace(0.0, 9.0, 240))
    hold = {"right_hand_hold": 1.0, "right_hold_x": -0.2, "right_hold_y": 1.1, "right_hold_z": 0.3}
    clip = solve(body, standing(body, 240, pelvis_side=sway, chest_yaw=4.0 * sway, **hold), FPS)
    assert np.ptp(place(clip, "right_hand"), axis=0).max() < 0.002


def test_planted_feet_stay_while_the_body_moves_over_them() -> None:
    body = BODIES["average"]
    time = np.linspace(0.0, 6.0, 360)
    values = standing(
        body,
        360,
        pelvis_forward=0.12 * np.sin(time),
        pelvis_side=0.08 * np.sin(1.7 * time),
        pelvis_height=0.92 + 0.07 * np.sin(2.3 * time),  # higher than the legs reach, at times
        pelvis_yaw=0.6 * np.sin(1.3 * time),
        pelvis_roll=0.1 * np.sin(0.9 * time),
        left_foot_yaw=0.5 * np.sin(time),
    )
    clip = solve(body, values, FPS)
    for side in ("left", "right"):
        assert np.ptp(place(clip, f"{side}_toes"), axis=0).max() < 0.001


def test_the_heel_rises_when_the_leg_runs_out_and_the_pelvis_drops_when_that_is_not_enough() -> None:
    body = BODIES["average"]
    low, high = (solve(body, standing(body, pelvis_height=height), FPS) for height in (0.93, 1.00))
    assert place(high, "left_foot")[0, 1] > place(low, "left_foot")[0, 1] + 0.03
    assert high.root_position[0, 1] == pytest.approx(1.00, abs=0.005)
    far = solve(body, standing(body, pelvis_height=0.97, pelvis_forward=0.5), FPS)
    assert far.root_position[0, 1] < 0.96
    assert np.linalg.norm(place(far, "left_toes")[0] - [0.1, 0.02, 0.1]) < 0.002


@pytest.mark.parametrize("radius", [0.25, 0.45])
def test_elbows_do_not_flip_when_the_hand_goes_round_the_shoulder(radius: float) -> None:
    body = BODIES["average"]
    turn = np.linspace(0.0, 2.0 * np.pi, 600)
    values = standing(
        body,
        600,
        left_hand_forward=0.25 + 0.1 * np.cos(turn),
        left_hand_up=radius * np.sin(turn),
        left_hand_out=radius * np.cos(turn),
        left_elbow_swivel=0.5,
    )
    clip = solve(body, values, FPS)
    steps = np.linalg.norm(np.diff(place(clip, "left_forearm"), axis=0), axis=-1)
    assert steps.max() < 5.0 * np.median(steps)
    turned = clip.rotations[:, clip.skeleton.joint("left_upper_arm")]
    assert rot.angle_between(turned[1:], turned[:-1]).max() < 0.1


def test_a_kick_follows_its_angles_and_returns_to_the_lock() -> None:
    body = BODIES["average"]
    blend = np.concatenate([np.zeros(10), np.linspace(0.0, 1.0, 20), np.ones(10)])
    values = standing(body, 40, left_kick=blend, left_kick_raise=np.pi / 2, left_kick_knee=0.3)
    clip = solve(body, values, FPS)
    hip, shin = place(clip, "left_thigh")[-1], place(clip, "left_shin")[-1]
    np.testing.assert_allclose(rot.normalize(shin - hip), [0.0, 0.0, 1.0], atol=0.02)
    assert knee(clip, "left")[-1] == pytest.approx(180.0 - np.degrees(0.3), abs=1.0)
    assert np.ptp(place(clip, "left_toes")[:10], axis=0).max() < 1e-9


def test_the_body_may_lie_down() -> None:
    body = BODIES["average"]
    legs = {f"{side}_kick": 1.0 for side in ("left", "right")}
    flat = {
        "pelvis_pitch": -np.pi / 2,
        "chest_pitch": -np.pi / 2,
        "pelvis_height": 0.12,
        "head_tilt_follow": 1.0,
    }
    clip = solve(body, standing(body, **flat, **legs), FPS)
    assert place(clip, "head")[0, 1] < 0.3
    assert place(clip, "left_foot")[0, 1] < 0.3
    assert place(clip, "head")[0, 2] < -0.4  # on the back, the head points away from the heading
    assert np.isfinite(clip.rotations).all()


def test_a_mirrored_body_does_the_mirrored_thing() -> None:
    body = BODIES["average"]
    left = {"left_hand_reach": 1.0, "left_point_out": 0.2, "chest_yaw": -0.5, "left_elbow_swivel": 0.9}
    right = {"right_hand_reach": 1.0, "right_point_out": 0.2, "chest_yaw": 0.5, "right_elbow_swivel": 0.9}
    here, there = (solve(body, standing(body, **side), FPS) for side in (left, right))
    mirror = np.array([-1.0, 1.0, 1.0])
    for part in ("hand", "forearm", "upper_arm"):
        np.testing.assert_allclose(
            place(here, f"left_{part}"), place(there, f"right_{part}") * mirror, atol=1e-9
        )
