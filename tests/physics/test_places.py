"""Refinement by places: who is close to whom, and when; what is hard in one place spoils no other."""

import numpy as np
import pytest
from standing_bodies import standing_still, walk_of

from randori.body.capsules import CAPSULES
from randori.body.obstacles import boxes_of
from randori.graph.joining import Walk
from randori.kernels import overlap, parting, puppet
from randori.motion.clip import Clip
from randori.motion.placement import Placement
from randori.physics import refine
from randori.physics.particles import bodies_of, near_bodies
from randori.physics.places import Place, find_places
from randori.timeline.timeline import Event

FRAMES, REACH = 90, 5
USUAL = 600.0  # radians per second²


@pytest.fixture(scope="module")
def standing() -> Clip:
    return standing_still(FRAMES)


def walk_at(clip: Clip, x: float, z: float, turned: float = 0.0) -> Walk:
    return walk_of(Placement(x, z, turned).move(clip))


def places_of(walks: list[Walk], busy: dict[int, range], *blows: Event) -> list[Place]:
    flags = np.zeros((FRAMES, len(walks)), dtype=bool)
    for who, frames in busy.items():
        flags[list(frames), who] = True
    bodies = bodies_of(walks, FRAMES)
    return find_places(bodies, near_bodies(bodies), flags, blows, REACH)


@pytest.fixture(scope="module")
def two_pairs(standing: Clip) -> list[Walk]:
    """Two who stand close, and 2.2 metres away two more: near enough to reach each other, but they do not."""
    return [walk_at(standing, x, z) for x in (0.0, 2.2) for z in (0.0, 0.7)]


def test_who_is_close_is_in_one_place_and_who_is_not_has_another(two_pairs: list[Walk]):
    assert len(near_bodies(bodies_of(two_pairs, FRAMES))) > 2
    found = places_of(two_pairs, {0: range(30, 40), 2: range(35, 50)})
    assert found == [Place([0, 1], slice(25, 45)), Place([2, 3], slice(30, 55))]


def test_nobody_is_in_two_places_at_once(standing: Clip):
    row = [walk_at(standing, 0.0, 0.7 * number) for number in range(4)]
    assert places_of(row, {0: range(30, 40), 3: range(60, 70)}) == [
        Place([0, 1], slice(25, 45)),
        Place([2, 3], slice(55, 75)),
    ]
    # the second and the third are close to each other, but only while one of them is busy
    assert places_of(row, {0: range(30, 40), 2: range(38, 60)}) == [Place([0, 1, 2, 3], slice(25, 65))]


def test_a_blow_makes_one_place_of_two(two_pairs: list[Walk]):
    blow = Event(36, "hit", 1, 2, "right_hand", "head")
    (place,) = places_of(two_pairs, {0: range(30, 40), 2: range(35, 50)}, blow)
    assert place == Place([0, 1, 2, 3], slice(25, 55))
    assert [(one.tick, one.who, one.whom) for one in place.blows([blow])] == [(11, 1, 2)]
    assert Place([1, 3], place.rows).blows([blow]) == []


def test_a_pair_is_mended_though_the_one_beside_it_cannot_be(standing: Clip, monkeypatch):
    hopeless = [walk_at(standing, 2.2, 0.0), walk_at(standing, 2.2, 0.42, np.pi)]
    other = [walk_at(standing, 0.0, 0.0), walk_at(standing, 0.0, 0.42, np.pi)]
    take_apart = refine._take_apart

    def not_at_first(walks, solid, blows, limits, places, offsets):
        """Everything is left to be mended."""
        return [refine.Refined(walk, np.zeros(FRAMES, dtype=bool)) for walk in walks]

    def not_the_hopeless(bodies, walks, *more):
        parted = take_apart(bodies, walks, *more)
        return [
            refine.Refined(walk, one.simulated) if walk.clip.root_position[0, 0] > 1.1 else one
            for walk, one in zip(walks, parted)
        ]

    monkeypatch.setattr(refine, "_take_apart_where", not_at_first)
    monkeypatch.setattr(refine, "_take_apart", not_the_hopeless)
    limits = [np.full(walk.clip.rotations.shape[:2], USUAL) for walk in (*hopeless, *other)]
    after = [one.walk for one in refine.refine_together([*hopeless, *other], (), limits)]
    assert depth_of(hopeless) > 0.03
    assert depth_of(other) > 0.03
    assert depth_of(after[:2]) > 0.03
    assert depth_of(after[2:]) < 0.022


def depth_of(pair: list[Walk]) -> float:
    """Metres that two are in each other."""
    bodies = bodies_of(pair, FRAMES)
    depth = np.empty((FRAMES, len(CAPSULES), len(CAPSULES)))
    ends = [np.ascontiguousarray(bodies.ends[:, who]) for who in range(2)]
    overlap.depths(ends[0], bodies.radii[0], ends[1], bodies.radii[1], depth)
    return float(depth.max())


def test_what_has_gone_around_a_limb_is_not_taken_for_through_it(standing: Clip):
    """A hand that touches an arm is as deep in it as it is, wherever it touched it a moment ago."""
    bodies = bodies_of([walk_at(standing, 0.0, 0.0), walk_at(standing, 0.0, 1.0)], FRAMES)
    hand, arm = CAPSULES.index("left_hand"), CAPSULES.index("right_upper_arm")
    radii = np.full_like(bodies.radii, -1.0)
    radii[0, hand], radii[1, arm] = 0.05, 0.06
    ends = np.zeros_like(bodies.ends)
    ends[:, 1, arm] = [[0.0, 1.0, 0.0], [0.0, 1.3, 0.0]]
    angle = np.where(np.arange(FRAMES) < FRAMES // 2, 0.0, 1.8)
    ends[:, 0, hand] = np.stack([0.1 * np.cos(angle), np.full(FRAMES, 1.15), 0.1 * np.sin(angle)], -1)[
        :, None
    ]
    bodies = bodies._replace(radii=radii, ends=ends)
    offsets = np.zeros((FRAMES, 2, puppet.PARTICLES, 3))
    deepest = parting.part(
        bodies, near_bodies(bodies), boxes_of((), FRAMES), offsets, 0.03, 1, np.zeros_like(offsets)
    )
    assert deepest == pytest.approx(0.01, abs=0.001)
