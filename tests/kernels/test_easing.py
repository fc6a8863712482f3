import numpy as np
import pytest

from randori.kernels.easing import (
    decay_factors,
    decay_offset,
    fade_offset,
    smooth_step,
    smoother_step,
    spring_towards,
)

SMALL = 1e-4


@pytest.mark.parametrize("step", [smooth_step, smoother_step])
def test_steps_rise_from_0_to_1_and_are_at_rest_at_both_ends(step):
    values = [step(x) for x in np.linspace(-0.5, 1.5, 201)]
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert np.all(np.diff(values) >= 0.0)
    assert step(0.5) == 0.5
    assert step(SMALL) < 4.0 * SMALL**2
    assert 1.0 - step(1.0 - SMALL) < 4.0 * SMALL**2


def test_a_smoother_step_begins_without_acceleration():
    assert smoother_step(SMALL) < 11.0 * SMALL**3 < smooth_step(SMALL)


def test_an_offset_begins_as_it_is_and_dies_away():
    assert decay_offset(0.3, 0.0, 0.4, 0.0, 0.4) == 0.3
    assert decay_offset(0.3, 2.0, 0.2, 0.4, 0.4) == 0.0
    speed = (decay_offset(0.3, 2.0, 0.4, SMALL, 0.4) - 0.3) / SMALL
    assert speed == pytest.approx(2.0, abs=0.01)


def test_all_three_ways_to_let_an_offset_die_away_agree():
    for time in np.linspace(0.0, 0.4, 17):
        left, carried = decay_factors(time, 0.4, 0.4)
        expected = 0.3 * left + 2.0 * carried
        assert decay_offset(0.3, 2.0, 0.4, time, 0.4) == pytest.approx(expected, abs=1e-12)
        assert fade_offset(0.3, 2.0, time / 0.4, 0.4) == pytest.approx(expected, abs=1e-12)


def test_a_spring_follows_the_closed_form_whatever_the_steps():
    """x(t) = (x + (v + k x) t) exp(-k t)."""
    value, speed = 0.7, -1.0
    for _ in range(100):
        value, speed = spring_towards(value, speed, 0.2, 5.0, 0.01)
    away = 0.5 + (-1.0 + 5.0 * 0.5) * 1.0
    assert value == pytest.approx(0.2 + away * np.exp(-5.0), abs=1e-12)
