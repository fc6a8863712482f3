"""Who would go through somebody goes around, and steps where that leads."""

import numpy as np
import pytest
from standing_bodies import walk_of

from randori.body.capsules import CAPSULES, fit
from randori.graph.joining import Walk
from randori.kernels import overlap
from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts, foot_slide
from randori.motion.placement import Placement
from randori.performer import perform
from randori.physics.refine import refine_together
from randori.physics.room import make_room

TRUNKS = [CAPSULES.index(name) for name in ("head", "upper_torso", "lower_torso")]


@pytest.fixture(scope="module")
def runner() -> Clip:
    """Somebody who runs along +Z through the origin half way."""
    clip = perform("running", 6.0, seed=2)[0].clip
    way = clip.root_position[:, [0, 2]]
    speed = np.linalg.norm(way[60:] - way[:-60], axis=-1)
    first = int(speed.argmax())
    part = clip.with_frames(clip.root_position[first : first + 61], clip.rotations[first : first + 61])
    start, middle, stop = part.root_position[[0, 30, -1]][:, [0, 2]]
    heading = float(np.arctan2(*(stop - start)))
    turned = Placement(0.0, 0.0, -heading).move(part)
    middle = turned.root_position[30]
    return Placement(-float(middle[0]), -float(middle[2]), 0.0).move(turned)


def walk_on_feet(clip: Clip) -> Walk:
    return walk_of(clip, foot_contacts(clip))


def deepest(one: Clip, other: Clip, rows: list[int]) -> float:
    bodies = [fit(clip.skeleton) for clip in (one, other)]
    placed = [
        np.ascontiguousarray(body.place(clip.positions, clip.global_rotations)[:, rows])
        for body, clip in zip(bodies, (one, other))
    ]
    depth = np.empty((len(one), len(rows), len(rows)))
    overlap.depths(placed[0], bodies[0].radii[rows], placed[1], bodies[1].radii[rows], depth)
    return float(depth.max())


def test_runners_pass_each_other(runner: Clip):
    other = Placement(0.1, 0.0, np.pi).move(runner)
    assert deepest(runner, other, TRUNKS) > 0.15
    aside = [walk for walk, _ in make_room([walk_on_feet(runner), walk_on_feet(other)])]
    assert deepest(*(walk.clip for walk in aside), TRUNKS) < 0.07
    for before, after in zip((runner, other), aside):
        moved = np.linalg.norm(after.clip.root_position - before.root_position, axis=-1)
        assert moved.max() < 0.35
        steps = np.abs(np.diff(moved))
        assert steps.max() * before.fps < 1.5  # nobody jumps aside
        standing = foot_contacts(before)
        slides = [foot_slide(clip, standing).max() for clip in (after.clip, before)]
        assert slides[0] < slides[1] + 0.021
    limits = [np.full(walk.clip.rotations.shape[:2], 800.0) for walk in aside]
    whole = [one.walk.clip for one in refine_together(aside, [], limits)]
    assert deepest(*whole, list(range(len(CAPSULES) - 1))) < 0.03


def test_who_is_in_nobodys_way_stays_as_it_was(runner: Clip):
    other = Placement(2.5, 0.0, np.pi).move(runner)
    for walk, moved in make_room([walk_on_feet(runner), walk_on_feet(other)]):
        assert not moved.any()
        assert any(walk.clip is clip for clip in (runner, other))
