"""Two hands stay on a hilt."""

import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import reach
from randori.performer import perform
from randori.physics.contact import grip, keep_grip

MOVED = slice(60, 90)


@pytest.fixture(scope="module")
def fencer() -> Clip:
    clip = perform("sword", 4.0, seed=5)[0].clip
    assert (grip(clip)[MOVED, 0] > 0.9).all()
    return clip


def off_hilt(before: Clip, after: Clip) -> np.ndarray:
    """(F,) metres from where the left hand was on the weapon to where it is."""
    left, right = (before.skeleton.joint(f"{side}_hand") for side in ("left", "right"))
    own, now = (
        rot.rotate(
            rot.inverse(clip.global_rotations[:, right]), clip.positions[:, left] - clip.positions[:, right]
        )
        for clip in (before, after)
    )
    return np.linalg.norm(own - now, axis=-1)


def pulled(fencer: Clip, far: float) -> Clip:
    """The weapon is taken away from the left shoulder, so far."""
    right = fencer.skeleton.joint("right_hand")
    moves = np.zeros((len(fencer), 1))
    moves[MOVED] = far
    shoulder = fencer.positions[:, fencer.skeleton.joint("left_upper_arm")]
    away = rot.normalize(fencer.positions[:, right] - shoulder)
    return reach(fencer, "right_arm", fencer.positions[:, right] + moves * away, weight=moves[:, 0] > 0.0)


def test_the_other_hand_follows_a_weapon(fencer: Clip):
    moved = pulled(fencer, 0.08)
    assert off_hilt(fencer, moved)[MOVED].max() > 0.04
    kept = keep_grip(fencer, moved)
    assert off_hilt(fencer, kept)[MOVED].max() < 0.01
    others = np.delete(np.arange(len(fencer)), MOVED)
    assert np.array_equal(kept.rotations[others], moved.rotations[others])


def test_a_weapon_out_of_its_reach_is_brought_bit_by_bit(fencer: Clip):
    kept = pulled(fencer, 0.35)
    off = [off_hilt(fencer, kept)[MOVED].max()]
    for _ in range(4):
        kept = keep_grip(fencer, kept)
        off.append(off_hilt(fencer, kept)[MOVED].max())
    assert off[0] > 0.1
    assert off == sorted(off, reverse=True)
    assert off[-1] < 0.02
