"""A body that comes forward and is struck is led back along the blow."""

import numpy as np
import pytest
from standing_bodies import FPS, standing_still, walk_of

from randori.body.capsules import fit
from randori.graph.joining import Walk
from randori.motion.placement import Placement
from randori.physics.giving_way import find_leads, give_way
from randori.timeline.timeline import Event

FRAMES, HIT = 120, 30
FORWARD = 0.4  # m/s of the struck body, towards the other


def moving(speed: float) -> Walk:
    """Somebody that moves along z, at rest before the hit and after a second."""
    clip = standing_still(FRAMES)
    root = clip.root_position.copy()
    root[:, 2] += speed * np.clip(np.arange(FRAMES) / FPS, 0.0, 1.0)
    return walk_of(clip.with_frames(root, clip.rotations))


def opposite(walk: Walk) -> Walk:
    return walk_of(Placement(0.0, 1.0, np.pi).move(walk.clip))


def lead(forward: float, kind: str = "hit") -> np.ndarray:
    """(F, 2) metres by which somebody is led that a fist strikes, moving along z."""
    walks = [moving(2.0), opposite(moving(forward))]
    event = Event(HIT, kind, 0, 1, "right_hand", "head", 5.0)
    aside = give_way(walks, [fit(walk.clip.skeleton) for walk in walks], [event], np.zeros((1, 2)))
    assert not aside[0].any()
    led: np.ndarray = aside[1]
    return led


def test_who_comes_forward_is_led_back_and_returns_to_its_plan() -> None:
    led = lead(FORWARD)
    assert not led[: HIT + 1].any()  # nobody knows of a blow before it lands
    later = HIT + round(0.25 * FPS)
    assert led[later, 1] == pytest.approx(FORWARD * 0.25 + 0.04, abs=0.01)
    assert led[later, 0] == pytest.approx(0.0, abs=1e-6)
    assert not led[HIT + round(1.1 * FPS) :].any()


def test_who_stands_or_goes_back_anyway_is_left_to_the_blow() -> None:
    assert not lead(0.0).any()
    assert not lead(-FORWARD).any()


def test_a_block_leads_nobody() -> None:
    assert not lead(FORWARD, "block").any()


def test_a_lead_is_sought_only_beyond_a_tolerance() -> None:
    walks = [moving(2.0), opposite(moving(FORWARD))]
    bodies = [fit(walk.clip.skeleton) for walk in walks]
    blows = [Event(HIT, "hit", 0, 1, "right_hand", "head", 5.0)]
    came = FORWARD * 0.25
    assert np.linalg.norm(find_leads(walks, bodies, blows)) == pytest.approx(came + 0.04, abs=0.01)
    assert find_leads(walks, bodies, blows, came - 0.01).any()
    assert not find_leads(walks, bodies, blows, came + 0.01).any()
