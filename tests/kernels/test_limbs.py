import math

import numpy as np
import pytest

from randori.kernels.limbs import (
    LEG_REACH,
    bend_between_distances,
    bend_to_distance,
    hinge_of,
    leg_distance,
    solve_leg,
    turn_between_units,
)
from randori.kernels.rotation import rotate

HINGE = (1.0, 0.0, 0.0)


def _leg(bend=0.6):
    """A thigh of 45 cm and a shin of 42 cm that hang down, the knee bent."""
    return (0.0, -0.45, 0.0), (0.0, -0.42 * math.cos(bend), -0.42 * math.sin(bend))


def _ankle(upper, lower, turn):
    return np.add(upper, rotate(*turn, *lower))


def _about(axis, angle):
    return (math.cos(0.5 * angle), *(math.sin(0.5 * angle) * np.array(axis)))


@pytest.mark.parametrize("distance", [0.3, 0.6, 0.8])
def test_the_knee_bends_until_the_ankle_is_at_a_distance(distance):
    upper, lower = _leg()
    hinge = hinge_of(upper, lower, HINGE)
    angle = bend_to_distance(upper, lower, hinge, distance)
    assert np.linalg.norm(_ankle(upper, lower, _about(hinge, angle))) == pytest.approx(distance)
    before = float(np.linalg.norm(np.add(upper, lower)))
    change = bend_between_distances(upper, lower, hinge, before, distance)
    assert change == pytest.approx(angle)


def test_the_hinge_of_a_bent_limb_is_the_normal_of_its_plane():
    upper, lower = _leg(1.2)
    assert np.allclose(
        hinge_of(upper, lower, HINGE), np.cross(upper, lower) / np.linalg.norm(np.cross(upper, lower))
    )
    straight = (0.0, -0.45, 0.0), (0.0, -0.42, 0.0)
    assert np.allclose(hinge_of(*straight, HINGE), HINGE)
    overstretched = _leg(-0.1)
    assert np.allclose(hinge_of(*overstretched, HINGE), HINGE)


@pytest.mark.parametrize("aim", [(0.0, -0.7, 0.2), (0.2, -0.5, 0.4), (-0.1, -0.3, -0.3)])
def test_a_solved_leg_reaches_its_target(aim):
    upper, lower = _leg()
    bend, swing = solve_leg(upper, lower, HINGE, aim)
    bent = _ankle(upper, lower, bend)
    assert np.allclose(rotate(*swing, *bent), aim)
    assert np.isclose(np.linalg.norm(swing), 1.0)


def test_a_leg_never_gets_straighter_than_people_walk():
    upper, lower = _leg()
    asked = np.linspace(0.5, 1.5, 200)
    given = np.array([leg_distance(upper, lower, distance) for distance in asked])
    assert np.all(np.diff(given) >= 0.0)
    assert np.all(given <= LEG_REACH * 0.87 + 1e-12)
    assert np.all(given[asked < 0.86] == asked[asked < 0.86])
    # a pose that is straighter already stays so
    straight = (0.0, -0.45, 0.0), (0.0, -0.42, 0.0)
    assert leg_distance(*straight, 0.8695) == 0.8695


def test_the_smallest_turn_leads_from_one_direction_to_the_other():
    turn = turn_between_units((0.0, 2.0, 0.0), (3.0, 0.0, 0.0))
    assert np.allclose(rotate(*turn, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert turn_between_units((0.0, 1.0, 0.0), (0.0, -1.0, 0.0)) == (1.0, 0.0, 0.0, 0.0)
