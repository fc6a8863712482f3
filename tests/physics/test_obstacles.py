"""Cars and walls do not give way: bodies do."""

import numpy as np
import pytest
from standing_bodies import FPS, standing_still, walk_of

from randori.body.capsules import CAPSULES, fit
from randori.body.obstacles import Obstacle
from randori.duel.solids import Car, Wall
from randori.motion.clip import Clip
from randori.motion.feet import foot_points
from randori.physics.refine import refine_together
from randori.timeline.obstruction import obstacle_depths
from randori.timeline.quality import DEEP

FRAMES = 120
USUAL = 600.0  # radians per second²


@pytest.fixture(scope="module")
def standing() -> Clip:
    return standing_still(FRAMES)


def refined(clip: Clip, *obstacles: Obstacle) -> tuple[Clip, np.ndarray]:
    limits = [np.full(clip.rotations.shape[:2], USUAL)]
    (one,) = refine_together([walk_of(clip)], [], limits, obstacles=obstacles)
    return one.walk.clip, one.simulated


def deepest(clip: Clip, *obstacles: Obstacle) -> float:
    body = fit(clip.skeleton)
    placed = body.place(clip.positions, clip.global_rotations)
    return float(obstacle_depths(obstacles, [placed], [body.radii]).max())


def wall_before(clip: Clip, capsule: str, deep: float) -> Obstacle:
    """A wall across +Z, in which a part of a body that stands is so deep."""
    body = fit(clip.skeleton)
    number = CAPSULES.index(capsule)
    placed = body.place(clip.positions[:1], clip.global_rotations[:1])[0, number]
    z = float(placed[:, 2].max()) + float(body.radii[number]) - deep + 0.1
    return Wall((-3.0, z), (3.0, z)).obstacle()


@pytest.mark.parametrize(("capsule", "deep"), [("left_hand", 0.12), ("left_foot", 0.12)])
def test_a_body_comes_out_of_a_wall(standing: Clip, capsule: str, deep: float):
    wall = wall_before(standing, capsule, deep)
    assert deepest(standing, wall) >= deep - 1e-6
    after, changed = refined(standing, wall)
    assert deepest(after, wall) < 0.03
    assert changed.any()
    # planted feet stay where they are, or stand anew: they do not slide
    moved = np.abs(np.diff(foot_points(after)[..., [0, 2]], axis=0)).max(axis=(1, 2, 3))
    assert np.median(moved) < 1e-3


def test_what_is_free_of_obstacles_stays_as_it_is(standing: Clip):
    wall = Wall((-3.0, 4.0), (3.0, 4.0)).obstacle()
    after, changed = refined(standing, wall)
    assert not changed.any()
    assert np.array_equal(after.rotations, standing.rotations)


def test_a_car_that_passes_pushes_an_arm_aside(standing: Clip):
    car = Car(((-12.0, 0.0), (12.0, 0.0)), 0, 0.0, speed=9.0)
    hand = standing.positions[0, standing.skeleton.joint("left_hand")]
    car.launch(0, (2.0, 0.0, float(hand[2]) + 0.85 - 0.1))  # its side drives through the hand
    solid = car.obstacle(FRAMES, FPS)
    low = standing.with_frames(standing.root_position - [0.0, 0.6, 0.0], standing.rotations)
    assert deepest(low, solid) > DEEP
    after, _ = refined(low, solid)
    assert deepest(after, solid) < 0.03
