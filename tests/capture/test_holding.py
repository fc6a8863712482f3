"""A sword without a joint: found, given a blade, and left out where hands only box."""

from dataclasses import replace

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.capture.holding import equipped, swings_sword
from randori.capture.signals import observe
from randori.motion.clip import Clip
from randori.performer import perform


def without_weapon(clip: Clip) -> Clip:
    """The clip as a capture would have it in which nobody followed the sword."""
    skeleton = clip.skeleton
    kept = [joint for joint in range(len(skeleton)) if joint != skeleton.joint("weapon")]
    bare = replace(
        skeleton,
        names=tuple(skeleton.names[joint] for joint in kept),
        parents=skeleton.parents[kept],
        offsets=skeleton.offsets[kept],
        tips=skeleton.tips[kept],
        parts={part: joint for part, joint in skeleton.parts.items() if part != "weapon"},
        reference=skeleton.reference[kept],
    )
    assert skeleton.joint("weapon") == len(skeleton) - 1
    return clip.with_frames(clip.root_position, clip.rotations[:, kept], skeleton=bare)


def test_two_hands_on_one_hilt_are_seen() -> None:
    clip = perform("sword", seconds=20.0, seed=2)[0].clip
    found = analyse(without_weapon(clip))
    assert found.holds == "sword"
    strikes = [strike for segment in found.segments for strike in segment.strikes]
    assert len(strikes) > 3
    assert {strike.effector for strike in strikes} == {"weapon"}


@pytest.mark.parametrize("name", ["boxing", "boxing-tired", "luggage", "targets", "football", "reactions"])
def test_other_hands_hold_no_sword(name: str) -> None:
    assert not swings_sword(observe(perform(name, seconds=40.0, seed=6)[0].clip))


def test_the_blade_is_where_it_was() -> None:
    clip = perform("sword", seconds=20.0, seed=2)[0].clip
    armed = equipped(without_weapon(clip), "sword")
    weapon = clip.skeleton.joint("weapon")
    blades = []
    for one in (clip, armed):
        ways = one.tip_positions[:, weapon] - one.positions[:, weapon]
        blades.append(ways / np.linalg.norm(ways, axis=-1, keepdims=True))
    turned = np.degrees(np.arccos(np.clip(np.sum(blades[0] * blades[1], axis=-1), -1.0, 1.0)))
    assert np.median(turned) < 45.0
    assert len(armed) == len(clip)
    np.testing.assert_allclose(armed.positions[:, :weapon], clip.positions[:, :weapon], atol=1e-9)


def test_a_person_has_the_last_word() -> None:
    clip = perform("sword", seconds=8.0, seed=2)[0].clip
    assert analyse(without_weapon(clip), holds="nothing").holds == ""
    boxer = perform("boxing", seconds=8.0, seed=2)[0].clip
    assert analyse(boxer, holds="sword").holds == "sword"


def test_what_has_a_weapon_gets_no_second_one() -> None:
    clip = perform("sword", seconds=4.0, seed=2)[0].clip
    assert equipped(clip, "sword") is clip
    assert analyse(clip).holds == ""
