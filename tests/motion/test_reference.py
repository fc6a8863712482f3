"""The reference T is found on any rig, whatever it calls zero."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.t_pose import axis_rotations, find_reference
from randori.performer import perform
from rigs import folded_axes, rerig


@pytest.fixture(scope="module")
def boxing() -> Clip:
    return perform("boxing", seconds=10.0, seed=2)[0].clip


def test_rerigging_does_not_move_the_body(boxing: Clip) -> None:
    random = np.random.default_rng(1)
    turned = rerig(boxing, axis_rotations()[random.integers(0, 24, len(boxing.skeleton))])
    np.testing.assert_allclose(turned.positions, boxing.positions, atol=1e-9)


def test_a_rest_pose_that_stands_is_believed(boxing: Clip) -> None:
    found = find_reference(boxing.skeleton, boxing.rotations)
    assert np.degrees(rot.angle_between(found, boxing.skeleton.reference)).max() < 12.0


@pytest.mark.parametrize("degrees", [15.0, 20.0])  # beside the 37 by which this one looks over the shoulder
@pytest.mark.parametrize("seed", range(3))
def test_a_fighter_who_stands_sideways_looks_where_the_hands_are(
    boxing: Clip, degrees: float, seed: int
) -> None:
    """Head and arms are turned against the trunk, and the rig has no rest pose that stands."""
    skeleton, turned = boxing.skeleton, boxing.global_rotations.copy()
    away = rot.from_yaw(np.radians(degrees))
    arms = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "forearm", "hand")]
    for part in ("head", *arms):
        joint = skeleton.joint(part)
        turned[:, joint] = rot.multiply(away, turned[:, joint])
    sideways = boxing.with_frames(boxing.root_position, skeleton.to_local(turned))
    turn = folded_axes(skeleton, seed)
    rig = rerig(sideways, turn)
    found = find_reference(rig.skeleton, rig.rotations)
    assert np.degrees(rot.angle_between(found, turn))[skeleton.joint("head")] < 12.0


@pytest.mark.parametrize("yaw", [90.0, 180.0, -135.0])
def test_a_rest_pose_that_looks_elsewhere_is_turned(boxing: Clip, yaw: float) -> None:
    turn = np.tile(rot.from_yaw(np.radians(yaw)), (len(boxing.skeleton), 1))
    rig = rerig(boxing, turn)
    found = find_reference(rig.skeleton, rig.rotations)
    assert np.degrees(rot.angle_between(found, turn)).max() < 12.0


def test_an_arms_down_rest_pose_is_raised_into_the_t(boxing: Clip) -> None:
    turn = np.tile(rot.IDENTITY, (len(boxing.skeleton), 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        raised = rot.from_axis_angle(rot.Z_AXIS, sign * np.radians(80.0))
        for part in ("upper_arm", "forearm", "hand"):
            turn[boxing.skeleton.joint(f"{side}_{part}")] = raised
    rig = rerig(boxing, turn)
    found = find_reference(rig.skeleton, rig.rotations)
    assert np.degrees(rot.angle_between(found, turn)).max() < 12.0


@pytest.mark.parametrize("seed", range(12))
def test_a_folded_rig_is_understood_from_its_motion(boxing: Clip, seed: int) -> None:
    """Axes point anywhere along the body, an arm has one sort of axes, twins mirror each other."""
    turn = folded_axes(boxing.skeleton, seed)
    rig = rerig(boxing, turn)
    found = find_reference(rig.skeleton, rig.rotations)
    assert np.degrees(rot.angle_between(found, turn)).max() < 12.0


@pytest.mark.parametrize("yaw", [95.0, -105.0, 60.0])
def test_a_rest_pose_with_a_wrung_trunk_is_made_straight(boxing: Clip, yaw: float) -> None:
    """All above the pelvis is turned about the vertical in the rest pose, not in the motion."""
    skeleton = boxing.skeleton
    turn = np.tile(rot.IDENTITY, (len(skeleton), 1))
    head = skeleton.joint("head")
    lowest = head
    while skeleton.parents[lowest] != skeleton.joint("pelvis"):
        lowest = int(skeleton.parents[lowest])
    carried = {lowest}
    for joint, parent in enumerate(skeleton.parents):
        if joint in carried or int(parent) in carried:
            carried.add(joint)
            turn[joint] = rot.from_yaw(np.radians(yaw))
    rig = rerig(boxing, turn)
    found = find_reference(rig.skeleton, rig.rotations)
    assert np.degrees(rot.angle_between(found, turn)).max() < 15.0


def test_an_end_site_beside_the_head_does_not_turn_it(boxing: Clip) -> None:
    turn = folded_axes(boxing.skeleton, 3)
    tips = boxing.skeleton.tips.copy()
    tips[boxing.skeleton.joint("head")] = [0.15, 0.01, 0.0]
    rig = rerig(replace(boxing, skeleton=replace(boxing.skeleton, tips=tips)), turn)
    found = find_reference(rig.skeleton, rig.rotations)
    head = boxing.skeleton.joint("head")
    assert np.degrees(rot.angle_between(found[head], turn[head])) < 12.0


def test_without_body_parts_nothing_is_turned(boxing: Clip) -> None:
    bare = replace(boxing.skeleton, parts={})
    np.testing.assert_array_equal(
        find_reference(bare, boxing.rotations), np.tile(rot.IDENTITY, (len(bare), 1))
    )


def test_every_recording_of_an_actor_agrees(mocap_folder: Path) -> None:
    """146 files of one convention, walking to crawling: the T must not depend on what was done in them."""
    by_actor: dict[str, list[np.ndarray]] = {}
    for path in sorted(mocap_folder.glob("*/accad_*.bvh")):
        by_actor.setdefault(path.name[:11], []).append(load(path).skeleton.reference)
    assert by_actor
    for references in by_actor.values():
        assert np.degrees(rot.angle_between(np.array(references), references[0])).max() < 2.0


def test_people_walk_where_they_look(mocap_folder: Path) -> None:
    """The head's forward, which no marker shows, agrees with the way of straight walks and runs."""
    paths = [*mocap_folder.glob("walking/accad_*_Walk.bvh"), *mocap_folder.glob("running/accad_*_Run.bvh")]
    assert paths
    for path in paths:
        clip = load(path)
        way = clip.root_position[-1] - clip.root_position[0]
        for part in ("pelvis", "chest", "head"):
            difference = rot.wrap_angle(clip.heading(part) - np.arctan2(way[0], way[2]))
            assert abs(np.degrees(np.median(difference))) < 20.0, (path.name, part)
