"""A sword in the hand of a character: a joint of its skeleton, a mesh in its file."""

from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.body.capsules import CAPSULES, fit
from randori.characters.character import Costume, load_character
from randori.characters.skins import spread
from randori.characters.surface import is_hidden


@pytest.fixture(params=[1.0, 0.01])
def costume(tmp_path: Path, request: pytest.FixtureRequest) -> Costume:
    path = write_character(tmp_path / "person.glb", *box_person(unit=request.param))
    return Costume.of(load_character(path))


def test_the_blade_points_ahead_in_the_t(costume: Costume) -> None:
    bare, armed = costume.character, costume.armed().character
    skeleton = armed.skeleton
    places, turned = skeleton.reference_pose
    weapon, hand = skeleton.joint("weapon"), skeleton.joint("right_hand")
    assert int(skeleton.parents[weapon]) == hand
    assert np.linalg.norm(places[weapon] - places[hand]) < 0.15
    assert abs(turned[weapon, 0]) == pytest.approx(1.0, abs=1e-6)
    length = 0.86 * armed.height / 1.75
    assert np.allclose(skeleton.tips[weapon], [0.0, 0.0, length], atol=1e-4)
    assert fit(skeleton).radii[CAPSULES.index("weapon")] > 0.0
    # everything else is as it was
    assert armed.height == pytest.approx(bare.height, abs=1e-6)
    assert skeleton.names[:-1] == bare.skeleton.names
    assert np.allclose(skeleton.reference[:-1], bare.skeleton.reference)


def test_the_blade_is_seen_and_measured(costume: Costume) -> None:
    armed = costume.armed().character
    places, turned = armed.skeleton.reference_pose
    seen = armed.surface.place(places[None], turned[None])[0]
    tip = places[armed.skeleton.joint("weapon")] + armed.skeleton.tips[-1]
    assert np.linalg.norm(seen - tip, axis=1).min() < 0.02
    assert spread(armed.skeleton, armed.surface).of_capsule("weapon").any()


def test_an_armed_character_stays_as_it_is(costume: Costume) -> None:
    armed = costume.armed()
    assert armed.armed() is armed
    assert armed.character.facts()["height"] == costume.character.facts()["height"]


def test_patterns_hide_swords_of_the_file_but_not_the_one_in_the_hand() -> None:
    assert is_hidden("1H_sword", ["*sword*"])
    assert not is_hidden("randori_sword", ["*sword*"])
