"""The reference posture: stable, on the same feet, with legs much as they were."""

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.prepare import reference_posture
from randori.prepare.reference_posture import leg_difference, outside_support, reference_frame
from randori.prepare.repertoire import Repertoire

TECHNIQUES = ["crawl under", "duck under", "jump over", "kick ball", "punch"]


def test_every_target_motion_is_found(repertoire: Repertoire):
    assert set(TECHNIQUES) <= set(repertoire.targets)
    with pytest.raises(RandoriError, match="crawl under"):
        repertoire.find("somersault")


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_moments_come_in_order(repertoire: Repertoire, technique: str):
    target = repertoire.find(technique)
    assert target.reference <= target.movement <= target.effect <= target.finish <= target.stop
    assert 0.3 < target.range < 6.0


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_conditions_hold(repertoire: Repertoire, technique: str):
    target, library = repertoire.find(technique), repertoire.library
    start = reference_posture._on_both_feet(library, target.start)
    contacts = library.frames.contacts
    assert (contacts[target.reference] == contacts[start]).all()
    if target.reference > start:
        clip = library.clip(start, target.reference)
        assert leg_difference(clip, 0)[-1] <= reference_posture.LEGS
        assert outside_support(clip, contacts[start : target.reference + 1])[-1] <= 0.02


def test_without_a_fit_frame_it_is_the_first(repertoire: Repertoire, monkeypatch: pytest.MonkeyPatch):
    target = repertoire.find("crawl under")
    monkeypatch.setattr(reference_posture, "LEGS", -1.0)
    assert reference_frame(repertoire.library, target.start, target.movement) == target.start


def test_who_prepares_to_punch_has_his_hands_up(repertoire: Repertoire):
    library, target = repertoire.library, repertoire.find("punch")
    hands = [library.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    chest = library.skeleton.joint("chest")
    height = library.positions[target.reference, :, 1]
    assert (height[hands] > height[chest] - 0.15).all()


def test_who_prepares_to_duck_or_crawl_is_lower(repertoire: Repertoire):
    library = repertoire.library
    standing = np.percentile(library.frames.root_position[:, 1], 75)
    for technique in ("duck under", "crawl under"):
        assert library.frames.root_position[repertoire.find(technique).reference, 1] < standing - 0.03
