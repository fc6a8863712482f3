"""Two hands stay on a hilt."""

import numpy as np
import pytest
from standing_bodies import walk_of

from randori.body.capsules import CAPSULES, fit
from randori.kernels import overlap
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import reach
from randori.performer import perform
from randori.physics.contact import grip, keep_grip
from randori.physics.refine import refine_together

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


def test_a_blade_in_somebody_is_turned_out_at_the_wrist(fencer: Clip):
    still = fencer.with_frames(
        np.repeat(fencer.root_position[60:61], 40, axis=0), np.repeat(fencer.rotations[60:61], 40, axis=0)
    )
    body, weapon, chest = fit(still.skeleton), CAPSULES.index("weapon"), CAPSULES.index("upper_torso")
    ends = body.place(still.positions, still.global_rotations)
    # somebody of the same build, whose chest the blade goes through beside its middle
    along = rot.normalize(ends[0, weapon, 1] - ends[0, weapon, 0])
    beside = rot.normalize(rot.cross(along, rot.Y_AXIS)) * 0.06
    there = ends[0, weapon].mean(axis=0) + beside - ends[0, chest].mean(axis=0)
    victim = still.with_frames(still.root_position + there * [1.0, 0.0, 1.0], still.rotations)

    def depth(one: Clip, other: Clip) -> float:
        placed = [body.place(clip.positions, clip.global_rotations) for clip in (one, other)]
        found = np.empty((len(one), len(CAPSULES), len(CAPSULES)))
        overlap.depths(placed[0], body.radii, placed[1], body.radii, found)
        return float(found[10:30, weapon, [chest, CAPSULES.index("lower_torso")]].max())

    walks = [walk_of(clip) for clip in (still, victim)]
    limits = [np.full(still.rotations.shape[:2], 400.0)] * 2
    refined = [one.walk.clip for one in refine_together(walks, [], limits)]
    assert depth(still, victim) > 0.05
    assert depth(*refined) < 0.022
    hand = still.skeleton.joint("right_hand")
    tips = [body.place(clip.positions, clip.global_rotations)[20, weapon, 1] for clip in (still, refined[0])]
    moved = np.linalg.norm(refined[0].positions[20, hand] - still.positions[20, hand])
    assert moved < np.linalg.norm(tips[1] - tips[0])


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
