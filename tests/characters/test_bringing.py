"""Motions on a character's own body: feet stand, hands stay out of a large head, fingers follow."""

from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.body.capsules import CAPSULES, fit
from randori.capture.analysis import analyse
from randori.characters.bringing import bring_along, bring_onto
from randori.characters.character import Character, load_character
from randori.characters.libraries import library_on
from randori.graph.library import build_library
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.details import FIST, with_details
from randori.motion.feet import foot_contacts, foot_points, planted_phases
from randori.motion.own_body import depths_in_trunk
from randori.motion.retargeting import retarget, standing_ball_level
from randori.performer import perform


@pytest.fixture(scope="module")
def boxing() -> Clip:
    return perform("boxing", 12.0, seed=6)[0].clip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bodies")


@pytest.fixture(scope="module")
def stocky(folder: Path) -> Character:
    """Small, with a large head and a belly."""
    return load_character(write_character(folder / "stocky.glb", *box_person(0.7, belly=0.2, head=0.5)))


def _depth(clip: Clip) -> np.ndarray:
    body = fit(clip.skeleton)
    return depths_in_trunk(body.place(clip.positions, clip.global_rotations), body.radii, CAPSULES)


def test_hands_stay_out_of_a_large_head(boxing: Clip, stocky: Character) -> None:
    head = _depth(retarget(boxing, stocky.skeleton))[:, :, 0, 0]
    assert head.max() > 0.06  # a guard at the chin is inside a head that is three times as wide
    cleared = _depth(bring_onto(boxing, stocky.skeleton))[:, :, 0, 0]
    assert np.quantile(cleared, 0.99) < 0.03


@pytest.mark.parametrize("kept_path", [False, True])
def test_planted_feet_stand_still_on_the_floor(boxing: Clip, stocky: Character, kept_path: bool) -> None:
    if kept_path:
        moved, contacts = bring_along(boxing, stocky.skeleton, np.zeros((len(boxing), 3)))
    else:
        moved, contacts = bring_onto(boxing, stocky.skeleton), foot_contacts(boxing)
    before, after = foot_points(boxing), foot_points(moved)
    level = standing_ball_level(stocky.skeleton)
    for phase in planted_phases(contacts):
        rows = slice(phase.start, phase.stop)
        slides = [np.ptp(points[rows, phase.foot, 1][:, [0, 2]], axis=0).max() for points in (before, after)]
        assert slides[1] < slides[0] + 0.021
        assert after[rows, phase.foot, 1, 1].min() > level - 0.02
    if kept_path:
        pelvis = [clip.positions[:, clip.skeleton.joint("pelvis")] for clip in (boxing, moved)]
        assert np.abs((pelvis[0] - pelvis[1])[:, [0, 2]]).max() < 0.08


def test_the_way_is_as_long_as_the_legs(boxing: Clip, stocky: Character) -> None:
    moved = bring_onto(boxing, stocky.skeleton)
    ways = [np.ptp(clip.root_position[:, [0, 2]], axis=0).max() for clip in (boxing, moved)]
    legs = [
        clip.skeleton.length_between(clip.skeleton.joint("left_foot"), clip.skeleton.joint("left_thigh"))
        for clip in (boxing, moved)
    ]
    assert ways[1] / ways[0] == pytest.approx(legs[1] / legs[0], abs=0.08)


def test_fingers_make_a_fist(stocky: Character) -> None:
    skeleton = stocky.skeleton
    still = np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    turned = with_details(still, skeleton, FIST)
    for name, outward in (("LeftHandIndex1", 1.0), ("RightHandIndex1", -1.0)):
        finger = rot.rotate(turned[0, skeleton.names.index(name)], outward * rot.X_AXIS)
        assert finger[1] == pytest.approx(-np.sin(FIST))


def test_a_twist_bone_takes_half_of_the_turn_of_the_hand(folder: Path) -> None:
    rename = {"LeftHandIndex1": "LeftForeArmTwist"}
    document, binary = box_person(rename=rename)
    nodes = {node["name"]: node for node in document["nodes"]}
    number = [node["name"] for node in document["nodes"]].index("LeftForeArmTwist")
    nodes["LeftHand"].pop("children")
    nodes["LeftForeArm"]["children"].append(number)
    skeleton = load_character(write_character(folder / "twist.glb", document, binary)).skeleton
    turned = np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    turned[0, skeleton.joint("left_hand")] = rot.from_axis_angle(rot.X_AXIS, 1.0)
    found = with_details(turned, skeleton, 0.0)[0, skeleton.names.index("LeftForeArmTwist")]
    assert np.linalg.norm(rot.to_rotation_vector(found)) == pytest.approx(0.5)


def test_a_library_keeps_its_actions(boxing: Clip, stocky: Character) -> None:
    library = build_library([(boxing, analyse(boxing))])
    own = library_on(library, stocky.skeleton)
    assert own.tags == library.tags
    assert own.skeleton is stocky.skeleton
    size = np.linalg.norm(own.actions.displacement[:, :2]) / np.linalg.norm(
        library.actions.displacement[:, :2]
    )
    assert 0.5 < size < 0.95
    # who strikes with the hands makes fists
    finger, hand = (own.skeleton.names.index(name) for name in ("LeftHandIndex1", "LeftHand"))
    clip = own.clip(0, 60)
    rest = rot.multiply(rot.inverse(own.skeleton.reference[hand]), own.skeleton.reference[finger])
    turned = rot.multiply(rot.inverse(clip.global_rotations[:, hand]), clip.global_rotations[:, finger])
    bent = np.linalg.norm(rot.to_rotation_vector(rot.multiply(rot.inverse(rest), turned)), axis=-1)
    assert bent == pytest.approx(FIST, abs=1e-6)
