import math

import numpy as np
import pytest

from randori.kernels.angles import sector_of, without_full_turns, wrap_angle
from randori.motion import rotations as rot


@pytest.mark.parametrize("wrap", [wrap_angle, without_full_turns])
def test_wrapped_angles_are_the_same_angles(wrap):
    for angle in np.linspace(-40.0, 40.0, 997):
        wrapped = wrap(angle)
        assert -math.pi <= wrapped <= math.pi
        assert np.allclose((math.cos(wrapped), math.sin(wrapped)), (math.cos(angle), math.sin(angle)))


def test_an_angle_that_needs_no_turn_keeps_its_bits():
    for angle in np.linspace(-3.14, 3.14, 997):
        assert without_full_turns(angle) == angle


def test_wrapping_gives_the_bits_that_arrays_get():
    angles = np.linspace(-40.0, 40.0, 997)
    assert [wrap_angle(angle) for angle in angles] == rot.wrap_angle(angles).tolist()


def test_sectors_are_counted_from_straight_ahead():
    assert [sector_of(math.radians(angle), 4) for angle in (0, 44, 46, 90, 180, -44, -46)] == [
        0, 0, 1, 1, 2, 0, 3,
    ]  # fmt: skip
    assert sector_of(math.radians(359.0), 8) == 0
