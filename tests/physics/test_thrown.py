"""A car throws the body that it strikes: far, over the floor and outside the car, until it lies."""

from dataclasses import replace

import numpy as np
import pytest
from standing_bodies import FPS, standing_still

from randori.body import mannequin
from randori.body.capsules import CAPSULES, fit
from randori.body.obstacles import Obstacle
from randori.duel.solids import Car, Wall
from randori.kernels import overlap
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import find_limb
from randori.motion.placement import Placement
from randori.physics.thrown import fly
from randori.timeline.obstruction import obstacle_depths
from rigs import folded_axes, rerig

FRAMES = 330
TRUNK = ("head", "upper_torso", "lower_torso")
LIMBS = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("forearm", "hand", "shin", "foot"))


@pytest.fixture(scope="module")
def standing() -> Clip:
    return standing_still(FRAMES, turned=-np.pi / 2)


def driving(lane: float, speed: float = 12.0) -> Obstacle:
    """A car that comes along +Z, so far to the left of somebody at the origin."""
    car = Car(((0.0, -14.0), (0.0, 14.0)), 0, 0.0, speed=speed)
    car.launch(0, (lane, 0.0, 0.0))
    return car.obstacle(FRAMES, FPS)


def touched(clip: Clip, car: Obstacle) -> int:
    """The frame before a car touches somebody who stands."""
    return int(np.flatnonzero(depths(clip, car) > 0.005)[0]) - 1


def depths(clip: Clip, *obstacles: Obstacle) -> np.ndarray:
    body = fit(clip.skeleton)
    return obstacle_depths(obstacles, [body.place(clip.positions, clip.global_rotations)], [body.radii])


@pytest.fixture(scope="module", params=[0.45, -0.3, 0.0])
def lane(request) -> float:
    return request.param


@pytest.fixture(scope="module")
def thrown(standing: Clip, lane: float) -> Clip:
    car = driving(lane)
    return fly(standing, touched(standing, car), [car])


def test_it_is_thrown_and_never_inside_the_car(standing: Clip, thrown: Clip, lane: float):
    car = driving(lane)
    assert depths(standing, car).max() > 0.3  # as it stood, the car would go through it
    assert depths(thrown, car).max() < 0.03
    assert np.linalg.norm(thrown.root_position[-1, [0, 2]]) > 2.0
    assert thrown.root_position[-1, 2] > 2.0  # the way that the car drives
    start = touched(standing, car)
    assert np.array_equal(thrown.rotations[: start + 1], standing.rotations[: start + 1])


def test_it_lies_still_on_the_floor(thrown: Clip):
    still = thrown.positions[-30:]
    assert np.ptp(still, axis=0).max() == 0.0
    body = mannequin.fit(thrown.skeleton)
    starts, stops = body.place(thrown.positions, thrown.global_rotations)
    lowest = np.minimum(starts[..., 1] - body.start_radii, stops[..., 1] - body.stop_radii).min(axis=1)
    assert lowest.min() > -0.01
    assert lowest[-1] < 0.01
    assert thrown.root_position[-1, 1] < 0.3
    assert thrown.positions[-1, thrown.skeleton.joint("head"), 1] < 0.35


def test_its_limbs_bend_as_limbs_do_and_are_outside_its_trunk(thrown: Clip):
    body = fit(thrown.skeleton)
    ends = body.place(thrown.positions[-1:], thrown.global_rotations[-1:])
    depth = np.empty((1, len(CAPSULES), len(CAPSULES)))
    overlap.depths(ends, body.radii, ends, body.radii, depth)
    limbs, trunk = ([CAPSULES.index(name) for name in names] for names in (LIMBS, TRUNK))
    assert depth[0][np.ix_(limbs, trunk)].max() < 0.03
    for name in ("left_leg", "right_leg", "left_arm", "right_arm"):
        limb = find_limb(thrown.skeleton, name)
        upper, middle, end = (thrown.positions[-1, joint] for joint in (limb.upper, limb.middle, limb.end))
        first, second = ((b - a) / np.linalg.norm(b - a) for a, b in ((upper, middle), (middle, end)))
        assert first @ second > np.cos(np.radians(155.0))  # not folded farther than flesh allows


def test_a_faster_car_throws_farther(standing: Clip):
    far = []
    for speed in (8.0, 14.0):
        car = driving(0.3, speed)
        far.append(fly(standing, touched(standing, car), [car]).root_position[-1, 2])
    assert far[1] > far[0] + 1.0


def test_the_same_body_on_another_rig_flies_the_same_way(standing: Clip):
    car = driving(0.3)
    turned = folded_axes(standing.skeleton, 4)
    other = rerig(standing, turned)
    other = replace(other, skeleton=replace(other.skeleton, reference=turned))
    start = touched(standing, car)
    one, two = (fly(clip, start, [car]) for clip in (standing, other))
    np.testing.assert_allclose(two.positions[start + 20], one.positions[start + 20], atol=0.02)


def test_a_wall_and_another_body_stop_it(standing: Clip):
    car, wall = driving(0.3), Wall((-4.0, 2.2), (4.0, 2.2)).obstacle()
    start = touched(standing, car)
    stopped = fly(standing, start, [car, wall])
    # what is between a car and a wall has nowhere to go: it is looked at until the car is there
    assert depths(stopped, wall)[: start + 14].max() < 0.03
    other = Placement(0.1, 1.3, 0.0).move(standing)
    pushed = fly(standing, start, [car], [other])
    free = fly(standing, start, [car])
    assert np.abs(pushed.positions[start + 10 :] - free.positions[start + 10 :]).max() > 0.05
