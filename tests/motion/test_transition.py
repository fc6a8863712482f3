import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randori.errors import RandoriError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import align, crop, resample
from randori.motion.placement import Placement
from randori.motion.transition import OVERSHOOT, decay, join, offset_at_join

numbers = st.floats(-20.0, 20.0, allow_nan=False)


@pytest.fixture(scope="module")
def pieces(dance: Clip) -> tuple[Clip, Clip]:
    """Two pieces of a 240 fps dance; the second is placed where the first ends, in another posture."""
    fine = resample(dance, 240.0)
    first = crop(fine, 0, 181)
    second = crop(fine, 280, 461)
    return first, align(second, 0, Placement.of(first, 180))


def test_the_join_keeps_position_and_velocity(pieces: tuple[Clip, Clip]):
    first, second = pieces
    joined = join(first, second, 0.4)
    assert len(joined) == len(first) + len(second) - 1
    here = len(first) - 1
    step = np.linalg.norm(np.diff(joined.positions, axis=0), axis=-1)
    second_difference = np.linalg.norm(np.diff(joined.positions, n=2, axis=0), axis=-1)
    assert np.array_equal(joined.root_position[:here], first.root_position[:-1])
    assert np.allclose(joined.positions[here], first.positions[-1], atol=1e-9)
    # no step near the join is larger than the motion's own, and the velocity does not jump
    assert step[here - 2 : here + 3].max() < 1.2 * step.max()
    assert second_difference[here - 3 : here + 3].max() * 240.0 < 0.1 * step.max() * 240.0


def test_the_join_arrives_exactly_at_the_second_clip(pieces: tuple[Clip, Clip]):
    first, second = pieces
    joined = join(first, second, 0.4)
    arrived = len(first) - 1 + int(0.4 * 240)
    offset = arrived - (len(first) - 1)
    assert np.allclose(joined.root_position[arrived:], second.root_position[offset:], atol=1e-12)
    assert rot.angle_between(joined.rotations[arrived:], second.rotations[offset:]).max() < 1e-7
    # a clip that is shorter than the join ends exactly all the same
    short = crop(second, 0, 30)
    assert np.allclose(join(first, short, 0.4).positions[-1], short.positions[-1], atol=1e-7)


def test_the_velocity_error_shrinks_with_the_frame_time(dance: Clip):
    """What is left at a join is discretisation: halving the frame time halves the change of step."""
    changes = []
    for fps in (120.0, 240.0, 480.0):
        fine = resample(dance, fps)
        first, second = crop(fine, 0, int(0.8 * fps) + 1), crop(fine, int(1.1 * fps), int(1.9 * fps))
        joined = join(first, align(second, 0, Placement.of(first, len(first) - 1)), 0.3)
        here = len(first) - 1
        changes.append(np.abs(np.diff(joined.positions, n=2, axis=0))[here - 2 : here + 2].max() * fps)
    assert changes[1] < 0.7 * changes[0]
    assert changes[2] < 0.7 * changes[1]


def test_joining_a_clip_to_its_own_continuation_changes_nothing(dance: Clip):
    joined = join(crop(dance, 0, 61), crop(dance, 60, 121), 0.3)
    assert np.abs(joined.positions - dance.positions).max() < 0.004


def test_offsets_take_the_shorter_way(dance: Clip):
    turned = dance.rotations.copy()
    turned[:, 4] = rot.multiply(rot.from_axis_angle(rot.Y_AXIS, 1.9 * np.pi), turned[:, 4])
    other = dance.with_frames(dance.root_position, -turned)
    offset = offset_at_join(other, 50, dance, 50)
    assert np.linalg.norm(offset.turn, axis=-1).max() == pytest.approx(0.1 * np.pi)
    assert np.allclose(offset.root, 0.0)
    assert np.allclose(offset.turn[:4], 0.0, atol=1e-7)


@given(
    x=st.tuples(numbers, numbers, numbers),
    v=st.tuples(numbers, numbers, numbers),
    duration=st.floats(0.05, 2.0),
)
def test_the_offset_starts_as_given_ends_at_rest_and_never_grows_too_far(x, v, duration: float):
    offset, velocity = np.array(x) / 10.0, np.array(v)
    allowance = 0.1
    times = np.linspace(0.0, duration, 20001)
    path = decay(offset, velocity, times, duration, allowance)
    assert np.allclose(path[0], offset)
    assert np.abs(path[-1]).max() == 0.0
    longest = np.linalg.norm(path, axis=-1).max()
    start = np.linalg.norm(offset)
    assert longest <= max(OVERSHOOT * start, allowance) + 1e-9
    # velocity at both ends, acceleration at the last, by finite differences of a very short step
    h = 1e-6
    first = decay(offset, velocity, [0.0, h], duration, allowance)
    assert np.allclose((first[1] - first[0]) / h, velocity, atol=0.1 + 0.02 * np.abs(velocity).max())
    last = decay(offset, velocity, duration - np.array([1e-3, 0.0]) * duration, duration, allowance)
    assert np.abs(last[0] - last[1]).max() <= 1e-12 + 1e-6 * (start + np.abs(velocity).max())


def test_different_rigs_or_rates_are_refused(dance: Clip):
    with pytest.raises(RandoriError, match="resample"):
        join(dance, resample(dance, 30.0), 0.2)
