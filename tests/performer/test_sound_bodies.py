"""What no body may do, in every set, on more than one seed."""

import numpy as np
import pytest

from randori.motion import feet
from randori.motion import rotations as rot
from randori.motion.haste import HARDEST as HARDEST_MOVE
from randori.motion.haste import joint_accelerations, speeds
from randori.performer import BODIES, SETS, perform
from randori.performer.calming import HARDEST, calmed
from randori.performer.checks import angular_accelerations, check
from randori.performer.flesh import fists_outside
from randori.performer.standing import feet_held

# rad/s² at 30 frames a second that one frame in a thousand of the captures is above: walking people 889,
# running ones 1056, boxers 1235
WALKING, RUNNING, FIGHTING = 889.0, 1056.0, 1235.0
HARDEST_OF = {"locomotion": WALKING, "luggage": WALKING, "running": RUNNING}


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("name", SETS)
def test_nothing_impossible_happens(name: str, seed: int) -> None:
    clip = perform(name, seconds=75.0, seed=seed)[0].clip
    report = check(clip)
    assert report.planted_phases > 20
    assert report.planted_drift < 0.005
    assert report.elbow_backwards < 5.0
    assert report.knee_backwards < 5.0
    assert report.hand_inside < 0.005
    assert report.off_balance < 0.02
    assert report.below_floor < 0.005
    assert report.jolt_worst < HARDEST_OF.get(name, FIGHTING)
    assert joint_accelerations(clip.positions, clip.fps).max() < HARDEST_MOVE
    assert speeds(clip.positions[:, clip.skeleton.joint("head")], clip.fps).max() < 8.0


def test_a_foot_that_slips_is_held_and_one_that_stands_is_left() -> None:
    clip = perform("boxing", seconds=10.0, seed=3)[0].clip
    assert feet_held(clip) is clip
    slipping = clip.root_position.copy()
    slipping[:, 0] += 0.02 * np.clip((clip.times - 4.0) / 0.5, 0.0, 1.0)
    slipped = clip.with_frames(slipping, clip.rotations)
    held = feet_held(slipped)
    assert check(slipped).planted_drift > 0.006
    assert feet.foot_slide(held, feet.foot_contacts(held)).max() < 0.005


def test_a_joint_that_is_thrown_about_is_calmed_where_it_is() -> None:
    clip = perform("boxing", seconds=10.0, seed=3)[0].clip
    rotations = clip.rotations.copy()
    arm = clip.skeleton.joint("left_upper_arm")
    flick = rot.from_axis_angle(rot.X_AXIS, np.array(1.0))
    rotations[300:302, arm] = rot.multiply(rotations[300:302, arm], flick)
    thrown = clip.with_frames(clip.root_position, rotations)
    calm = calmed(thrown)
    assert angular_accelerations(thrown).max() > 1.3 * HARDEST
    assert angular_accelerations(calm).max() < 1.05 * HARDEST
    assert np.array_equal(calm.rotations[:270], clip.rotations[:270])
    assert np.array_equal(calm.rotations[330:], clip.rotations[330:])


def test_a_fist_in_the_chest_is_brought_out() -> None:
    clip = perform("boxing", seconds=10.0, seed=3)[0].clip
    rotations = clip.rotations.copy()
    for joint, turn in (("left_upper_arm", -1.2), ("left_forearm", -2.45)):
        rotations[300:340, clip.skeleton.joint(joint)] = rot.from_axis_angle(rot.Y_AXIS, np.array(turn))
    inside = clip.with_frames(clip.root_position, rotations)
    outside = fists_outside(BODIES["average"], inside)
    assert check(inside).hand_inside > 0.01
    assert check(outside).hand_inside < 0.005
