"""Feet on a given way: legs that are long enough keep their steps, short ones make more of them."""

import numpy as np
import pytest

from randori.kernels.limbs import LEG_SURE_REACH
from randori.motion.feet import planted_phases
from randori.motion.foot_plan import MOST_SINKING, Legs, plan_feet

FPS = 60.0
SPEED = 1.3  # m/s
HALF_CYCLE = 30  # frames in which one foot stands and the other swings


def _walk(length: float, frames: int = 300) -> tuple[np.ndarray, np.ndarray, Legs]:
    """A walker with legs of a length, whose feet are as far apart as legs of 0.85 m make them, scaled."""
    frame = np.arange(frames)
    middle = SPEED * frame / FPS
    contacts = np.stack([frame // HALF_CYCLE % 2 == foot for foot in range(2)], axis=1)
    size = length / 0.85
    free = np.zeros((frames, 2, 2))
    for foot in range(2):
        through = (frame % HALF_CYCLE + 0.5) / HALF_CYCLE - 0.5
        ahead = np.where(contacts[:, foot], -1.0, 1.0) * through * SPEED * HALF_CYCLE / FPS
        free[:, foot, 1] = middle + size * ahead
        free[:, foot, 0] = size * (0.1 - 0.2 * foot)
    hips = np.zeros((frames, 2, 3))
    hips[..., 0], hips[..., 1], hips[..., 2] = free[..., 0], 0.97 * length, middle[:, None]
    ankles = np.zeros((frames, 2, 3))
    heights = np.where(contacts, 0.0, 0.1 * size)
    return free, contacts, Legs(length, hips, ankles, ankles, heights, 0.0)


def test_long_legs_keep_their_steps() -> None:
    free, contacts, legs = _walk(0.85)
    plan = plan_feet(free, contacts, legs, FPS)
    assert np.array_equal(plan.contacts, contacts)
    assert not plan.own.any()
    for phase in planted_phases(contacts):
        assert np.ptp(plan.places[phase.start : phase.stop, phase.foot], axis=0).max() < 1e-12


@pytest.mark.parametrize("length", [0.2, 0.3, 0.5])
def test_short_legs_make_more_steps_on_feet_that_stand(length: float) -> None:
    free, contacts, legs = _walk(length)
    plan = plan_feet(free, contacts, legs, FPS)
    phases = planted_phases(plan.contacts)
    assert len(phases) > 1.3 * len(planted_phases(contacts))
    reach = np.sqrt(LEG_SURE_REACH**2 - (0.97 - MOST_SINKING) ** 2) * length
    for foot, start, stop in phases:
        places = plan.places[start:stop, foot]
        assert np.ptp(places, axis=0).max() < 1e-12
        away = np.linalg.norm(places - legs.hips[start:stop, foot][:, [0, 2]], axis=1)
        assert away.max() < reach + SPEED / FPS
    # a foot moves over the floor only while it is lifted, and no faster than a leg swings
    moving = np.linalg.norm(np.diff(plan.places, axis=0), axis=-1) > 1e-6
    assert not (moving & plan.contacts[1:] & plan.contacts[:-1]).any()
    assert (plan.lifts[~plan.contacts & (plan.own > 0.99)] >= 0.0).all()
    assert plan.contacts.any(axis=1)[60:240].mean() > 0.7


def test_a_raised_foot_of_a_body_that_stays_is_left_alone() -> None:
    free, contacts, legs = _walk(0.3)
    kick = slice(140, 160)
    legs.hips[130:, :, 2] = legs.hips[130, 0, 2]  # it stops, and kicks with its right foot
    free[130:, :, 1] = legs.hips[130, 0, 2]
    contacts[130:] = [True, False]
    legs.heights[kick, 1] = 0.2
    plan = plan_feet(free, contacts, legs, FPS)
    assert not plan.contacts[kick, 1].any()
    assert plan.own[kick, 1].max() == 0.0
