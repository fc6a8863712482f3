"""The body report: the performer passes it, and broken bodies do not."""

import json
from dataclasses import replace

import numpy as np
import pytest

from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform
from randori.performer.checks import angular_accelerations, check


@pytest.fixture(scope="module")
def boxing() -> Clip:
    return perform("boxing", seconds=30.0, seed=5)[0].clip


@pytest.mark.parametrize("body", ["average", "tall", "short", "stocky"])
def test_the_performer_has_a_sound_body(body: str) -> None:
    for name in ("boxing", "boxing-tired"):
        report = check(perform(name, seconds=30.0, seed=2, body=body)[0].clip)
        assert report.planted_drift < 0.005
        assert report.elbow_backwards < 1.0
        assert report.knee_backwards < 1.0
        assert report.hand_inside < 0.005
        assert report.off_balance < 0.02
        assert report.below_floor < 0.005


def test_the_report_is_json_and_words(boxing: Clip) -> None:
    report = check(boxing)
    assert json.loads(json.dumps(report.as_dict()))["seconds"] == pytest.approx(boxing.duration)
    assert len(report.in_words().splitlines()) == 6


def test_a_rig_without_a_neck_is_measured(boxing: Clip) -> None:
    parts = {part: joint for part, joint in boxing.skeleton.parts.items() if part != "neck"}
    bare = boxing.with_frames(
        boxing.root_position, boxing.rotations, skeleton=replace(boxing.skeleton, parts=parts)
    )
    assert check(bare).planted_drift == check(boxing).planted_drift
    assert check(bare).off_balance < 0.03  # metres: the trunk's mass is counted, a little higher up


def test_a_sliding_foot_is_noticed(boxing: Clip) -> None:
    drifting = boxing.root_position + 0.02 * boxing.times[:, None] * np.array([1.0, 0.0, 0.0])
    assert check(boxing.with_frames(drifting, boxing.rotations)).planted_drift > 0.01


def test_a_knee_bent_backwards_is_noticed(boxing: Clip) -> None:
    rotations = boxing.rotations.copy()
    rotations[100:110, boxing.skeleton.joint("left_shin")] = rot.from_axis_angle(rot.X_AXIS, np.array(-0.5))
    assert check(boxing.with_frames(boxing.root_position, rotations)).knee_backwards > 20.0


def test_a_hand_in_the_chest_is_noticed(boxing: Clip) -> None:
    rotations = boxing.rotations.copy()
    for joint, turn in (("left_upper_arm", -1.2), ("left_forearm", -2.6)):
        rotations[100:110, boxing.skeleton.joint(joint)] = rot.from_axis_angle(rot.Y_AXIS, np.array(turn))
    assert check(boxing.with_frames(boxing.root_position, rotations)).hand_inside > 0.01


def test_a_body_below_the_floor_and_one_that_falls_over_are_noticed(boxing: Clip) -> None:
    sunk = boxing.root_position.copy()
    sunk[500:510, 1] -= 0.3
    assert check(boxing.with_frames(sunk, boxing.rotations)).below_floor > 0.2
    first = boxing.rotations[:1]
    tilted = np.repeat(first, 120, axis=0)
    tilted[:, boxing.skeleton.joint("spine")] = rot.from_axis_angle(rot.X_AXIS, np.array(1.4))
    leaning = replace(
        boxing, root_position=np.repeat(boxing.root_position[:1], 120, axis=0), rotations=tilted
    )
    upright = replace(leaning, rotations=np.repeat(first, 120, axis=0))
    assert check(upright).off_balance == 0.0
    assert check(leaning).off_balance > 0.02


def test_no_joint_is_thrown_about_more_than_peoples_are(boxing: Clip, mocap_folder) -> None:
    takes = ("accad_Male2_Extended_1", "accad_Male2_Extended_3", "cmu_13_17", "cmu_14_02", "cmu_17_10")
    clips = [load(mocap_folder / "boxing" / f"{take}.bvh") for take in takes]
    life = np.concatenate([angular_accelerations(clip).max(axis=-1) for clip in clips])
    ours = angular_accelerations(boxing).max(axis=-1)
    assert ours.max() < np.percentile(life, 99.9)
    # and the performer is not a statue between techniques
    assert np.median(ours) > 0.4 * np.median(life)


def test_who_is_out_on_a_thrust_does_not_stand_still(boxing: Clip) -> None:
    """He is where he was half a second ago, and on his way all the same."""
    out = 0.5 - 0.5 * np.cos(np.linspace(0.0, 4.0 * np.pi, 61))  # out and back in half a second, at 60 fps
    spine = boxing.skeleton.joint("spine")
    rotations = np.repeat(boxing.rotations[:1], 61, axis=0)
    rotations[:, spine] = rot.from_axis_angle(rot.X_AXIS, 1.4 * out)
    swinging = replace(
        boxing, root_position=np.repeat(boxing.root_position[:1], 61, axis=0), rotations=rotations
    )
    assert check(swinging).off_balance == 0.0
