"""Nothing goes through the floor."""

import numpy as np
import pytest
from standing_bodies import walk_of

from randori.body import mannequin
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform
from randori.physics.floor import stay_above


def walk_in_the_air(clip: Clip) -> Walk:
    return walk_of(clip, np.zeros((len(clip), 2), dtype=bool))


def lowest(clip: Clip) -> np.ndarray:
    """(F,) metres, of all that is drawn."""
    body = mannequin.fit(clip.skeleton)
    starts, stops = body.place(clip.positions, clip.global_rotations)
    return np.minimum(
        (starts[..., 1] - body.start_radii).min(axis=1), (stops[..., 1] - body.stop_radii).min(axis=1)
    )


@pytest.fixture(scope="module")
def boxer() -> Clip:
    return perform("boxing", 4.0, seed=5)[0].clip


def test_who_stands_on_the_floor_stays_as_it_was(boxer: Clip):
    assert lowest(boxer).min() > -0.006
    walk, lifted = stay_above(walk_in_the_air(boxer))
    assert not lifted.any()
    assert walk.clip is boxer


def test_a_foot_that_points_into_the_floor_is_lifted(boxer: Clip):
    foot = boxer.skeleton.joint("left_foot")
    rotations = boxer.rotations.copy()
    pointing = rot.from_rotation_vector(np.array([0.7, 0.0, 0.0]))
    rotations[100:110, foot] = rot.multiply(rotations[100:110, foot], pointing)
    clip = boxer.with_frames(boxer.root_position, rotations)
    assert lowest(clip).min() < -0.02
    walk, lifted = stay_above(walk_in_the_air(clip))
    assert lowest(walk.clip).min() > -0.01
    assert lifted[100:110].all()
    assert not lifted[:60].any()
    assert np.array_equal(walk.clip.rotations[:60], clip.rotations[:60])


def test_who_lies_in_the_floor_is_laid_on_it(boxer: Clip):
    sunk = boxer.with_frames(boxer.root_position - np.array([0.0, 0.9, 0.0]), boxer.rotations)
    turned = rot.from_rotation_vector(np.array([-0.5 * np.pi, 0.0, 0.0]))
    rotations = sunk.rotations.copy()
    rotations[:, 0] = rot.multiply(turned, rotations[:, 0])
    lying = sunk.with_frames(sunk.root_position, rotations)
    body = lowest(lying)
    shift = np.array([0.0, -float(body.min()) - 0.05, 0.0])
    lying = lying.with_frames(lying.root_position + shift, lying.rotations)
    assert lowest(lying).min() == pytest.approx(-0.05, abs=1e-6)
    walk, _ = stay_above(walk_in_the_air(lying))
    assert lowest(walk.clip).min() > -0.01


def test_a_blade_is_turned_up():
    clip = perform("sword", 4.0, seed=5)[0].clip
    weapon = clip.skeleton.joint("weapon")
    rotations = clip.rotations.copy()
    hand = clip.skeleton.joint("right_hand")
    tip = clip.positions[:, weapon] + rot.rotate(clip.global_rotations[:, weapon], clip.skeleton.tips[weapon])
    down = rot.between(tip - clip.positions[:, hand], np.broadcast_to([0.3, -1.0, 0.0], tip.shape))
    above = clip.global_rotations[:, clip.skeleton.parents[hand]]
    turned = rot.multiply(down, clip.global_rotations[:, hand])
    rotations[:, hand] = rot.multiply(rot.inverse(above), turned)
    pointing = clip.with_frames(clip.root_position, rotations)
    assert lowest(pointing).min() < -0.03
    walk, lifted = stay_above(walk_in_the_air(pointing))
    assert lifted.any()
    assert lowest(walk.clip).min() > -0.012
