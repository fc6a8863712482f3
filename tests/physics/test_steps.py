"""Whoever is moved over the floor takes steps: feet stand, or go."""

import numpy as np
import pytest
from standing_bodies import standing_still

from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts, foot_points, foot_slide
from randori.physics.steps import step_along

FRAMES = 180


@pytest.fixture(scope="module")
def standing() -> Clip:
    return standing_still(FRAMES)


def aside(far: float) -> np.ndarray:
    """(F, 2) metres: within a second, to stay there."""
    share = np.clip((np.arange(FRAMES) - 50) / 60.0, 0.0, 1.0)
    return far * (share**3 * (10.0 - 15.0 * share + 6.0 * share**2))[:, None] * np.array([0.6, 0.8])


def test_feet_come_along_step_by_step(standing: Clip):
    moves = aside(0.3)
    moved, stands = step_along(standing, np.ones((FRAMES, 2), dtype=bool), moves)
    assert np.allclose(moved.root_position[:, [0, 2]] - standing.root_position[:, [0, 2]], moves)
    for slide in (foot_slide(moved, stands), foot_slide(moved, foot_contacts(moved))):
        assert slide.max() < 0.021
    assert (~stands).any(axis=0).all()  # both take steps
    assert stands.any(axis=1).all()  # one at a time
    behind = foot_points(moved)[-1, :, 0] - foot_points(standing)[-1, :, 0]
    assert np.linalg.norm(behind[:, [0, 2]] - moves[-1], axis=-1).max() < 0.08
    # and what steps is lifted
    high = foot_points(moved)[..., 0, 1] - foot_points(standing)[..., 0, 1]
    assert np.all(high.max(axis=0) > 0.02)
    assert np.abs(high[stands]).max() < 0.02  # a leg may be too short: the pelvis is lowered afterwards


def test_who_is_moved_a_little_takes_no_step(standing: Clip):
    moved, stands = step_along(standing, np.ones((FRAMES, 2), dtype=bool), aside(0.05))
    assert stands.all()
    assert foot_slide(moved, stands).max() < 0.005


def test_who_is_not_moved_stays_as_it_was(standing: Clip):
    moved, _ = step_along(standing, np.ones((FRAMES, 2), dtype=bool), aside(0.0))
    assert moved.rotations.tobytes() == standing.rotations.tobytes()
