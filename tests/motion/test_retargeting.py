"""Retargeting: other bodies and other rigs, feet on the floor, strikes at their time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import crop
from randori.motion.feet import foot_contacts, foot_levels, foot_slide
from randori.motion.placement import Placement
from randori.motion.retargeting import retarget, same_bones, standing_ball_level
from randori.motion.skeleton import Skeleton
from randori.performer import BODIES, perform
from rigs import folded


@pytest.fixture(scope="module")
def boxer() -> Clip:
    return perform("boxing", 20.0, seed=1)[0].clip


def _reach(clip: Clip, side: str) -> np.ndarray:
    """(F,) from shoulder to wrist, as a share of the arm."""
    shoulder, hand = clip.skeleton.joint(f"{side}_upper_arm"), clip.skeleton.joint(f"{side}_hand")
    length = clip.skeleton.length_between(hand, shoulder)
    return np.linalg.norm(clip.positions[:, hand] - clip.positions[:, shoulder], axis=-1) / length


def _check(source: Clip, skeleton: Skeleton, contacts_alike: float = 0.99) -> Clip:
    moved = retarget(source, skeleton)
    contacts = foot_contacts(source)
    assert (foot_contacts(moved) == contacts).mean() >= contacts_alike
    excess = foot_slide(moved, contacts) - foot_slide(source, contacts)
    assert np.percentile(excess, 95) < 0.005
    assert foot_levels(moved).ball == pytest.approx(standing_ball_level(skeleton), abs=0.01)
    for side in ("left", "right"):
        there, here = _reach(source, side), _reach(moved, side)
        assert np.abs(there - here).max() < 0.06
        # a strike is longest when it was longest
        assert here[there.argmax()] > here.max() - 0.02
    return moved


@pytest.mark.parametrize("body", [name for name in BODIES if name != "average"])
def test_other_bodies(boxer: Clip, body: str):
    skeleton = BODIES[body].skeleton
    moved = _check(boxer, skeleton)
    scale = BODIES[body].leg_length / BODIES["average"].leg_length
    ends = [np.ptp(clip.root_position[:, [0, 2]], axis=0) for clip in (boxer, moved)]
    assert np.allclose(ends[1], scale * ends[0], atol=0.02)


def test_a_rig_whose_zero_pose_is_a_heap(boxer: Clip):
    heap = folded(boxer, seed=2)
    there = _check(boxer, heap.skeleton)
    # the same body: every joint is where it was, up to the height of the floor
    rise = there.positions - boxer.positions
    assert np.abs(rise[..., [0, 2]]).max() < 0.02
    assert np.ptp(rise[..., 1]) < 0.03


def test_there_and_back_is_where_it_was(boxer: Clip):
    there = retarget(boxer, BODIES["stocky"].skeleton)
    back = retarget(there, boxer.skeleton)
    apart = np.linalg.norm(back.positions - boxer.positions, axis=-1)
    assert np.percentile(apart, 95) < 0.02
    assert apart.max() < 0.06


def test_the_same_skeleton_changes_nothing_but_the_floor(boxer: Clip):
    raised = boxer.with_frames(boxer.root_position + 0.13 * rot.Y_AXIS, boxer.rotations)
    moved = retarget(raised, boxer.skeleton)
    assert np.array_equal(moved.rotations, boxer.rotations)
    assert foot_levels(moved).ball == pytest.approx(standing_ball_level(boxer.skeleton), abs=1e-9)


def test_where_it_was_recorded_does_not_matter(boxer: Clip):
    elsewhere = Placement(2.0, 1.0, 0.7)
    skeleton = BODIES["tall"].skeleton
    one, other = retarget(boxer, skeleton), retarget(elsewhere.move(boxer), skeleton)
    scale = BODIES["tall"].leg_length / BODIES["average"].leg_length
    scaled = Placement(scale * elsewhere.x, scale * elsewhere.z, elsewhere.yaw)
    assert np.allclose(scaled.move(one).positions, other.positions, atol=1e-6)


def test_hands_on_one_thing_stay_together():
    clip = perform("sword", 8.0, seed=1)[0].clip
    wide = replace(BODIES["stocky"], shoulders=1.3).armed().skeleton
    moved = retarget(clip, wide)
    apart = [
        np.linalg.norm(
            each.positions[:, each.skeleton.joint("left_hand")]
            - each.positions[:, each.skeleton.joint("right_hand")],
            axis=-1,
        )
        for each in (clip, moved)
    ]
    held = apart[0] < 0.2
    assert held.mean() > 0.5
    assert np.median(np.abs(apart[0] - apart[1])[held]) < 0.02


def test_a_body_without_a_head_is_refused(boxer: Clip):
    parts = {part: joint for part, joint in boxer.skeleton.parts.items() if part != "head"}
    headless = replace(boxer.skeleton, parts=parts)
    with pytest.raises(RandoriError, match="head"):
        retarget(boxer, headless)


def test_joints_in_between_share_the_turn(boxer: Clip):
    """A spine that the source knows nothing of bends half as far as the chest does."""
    skeleton = replace(
        BODIES["tall"].skeleton,
        parts={part: joint for part, joint in BODIES["tall"].skeleton.parts.items() if part != "spine"},
    )
    moved = retarget(boxer, skeleton)
    turned = rot.multiply(moved.global_rotations, rot.inverse(skeleton.reference))
    spine = boxer.skeleton.joint("spine")
    below, above = (rot.angle_between(turned[:, spine], moved.turned(part)) for part in ("pelvis", "chest"))
    assert below.max() > 0.1
    assert np.allclose(below, above, atol=1e-6)


def test_same_bones_means_the_same_lengths(boxer: Clip):
    assert same_bones(boxer.skeleton, BODIES["average"].skeleton)
    assert not same_bones(boxer.skeleton, BODIES["tall"].skeleton)


@pytest.mark.parametrize(
    "name",
    [
        "boxing/accad_Male2_E1_JabLeft.bvh",
        "kicks/accad_Male2_G8_RoundhouseLeft.bvh",
        "boxing/cmu_14_02.bvh",
        "walking/cmu_16_17.bvh",
        "running/accad_Male2_C3_Run.bvh",
    ],
)
def test_real_actors_on_the_performers_body(mocap_folder: Path, name: str):
    path = mocap_folder / name
    if not path.is_file():
        pytest.skip(f"{name} is not there")
    clip = load(path)
    clip = crop(clip, 0, min(len(clip), 1200))
    moved = _check(clip, BODIES["average"].skeleton, contacts_alike=0.97)
    assert moved.positions[..., 1].min() > -0.05
