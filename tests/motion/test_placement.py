import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.placement import Placement

coordinate = st.floats(-50.0, 50.0)
placements = st.builds(Placement, coordinate, coordinate, st.floats(-np.pi, np.pi))
POINTS = np.random.default_rng(0).normal(size=(5, 3))


def same(a: Placement, b: Placement) -> bool:
    return bool(np.allclose(a.move_points(POINTS), b.move_points(POINTS), atol=1e-9))


@given(placements, placements, placements)
def test_placements_are_a_group(a: Placement, b: Placement, c: Placement):
    assert same(a.then(b).then(c), a.then(b.then(c)))
    assert same(a.then(Placement()), a)
    assert same(Placement().then(a), a)
    assert same(a.then(a.inverse()), Placement())
    assert same(a.inverse().then(a), Placement())


@given(placements, placements)
def test_one_after_the_other_is_the_composition(a: Placement, b: Placement):
    assert np.allclose(a.then(b).move_points(POINTS), b.move_points(a.move_points(POINTS)), atol=1e-9)
    q = rot.normalize(np.array([0.3, -0.5, 0.2, 0.9]))
    assert rot.angle_between(a.then(b).turn(q), b.turn(a.turn(q))) < 1e-7


def test_yaw_turns_forward_to_the_left():
    assert np.allclose(Placement(0.0, 0.0, np.pi / 2).move_points([0.0, 7.0, 1.0]), [1.0, 7.0, 0.0])


def test_moving_a_clip_moves_its_joints(dance: Clip):
    placement = Placement(1.0, 2.0, -0.7)
    moved = placement.move(dance)
    assert np.allclose(moved.positions, placement.move_points(dance.positions), atol=1e-9)
    assert rot.angle_between(moved.global_rotations, placement.turn(dance.global_rotations)).max() < 1e-7


def test_a_body_on_its_back_keeps_its_yaw(dance: Clip):
    """Lying down, the pelvis looks at the ceiling, but its yaw is still the way it was turned."""
    rotations = dance.rotations.copy()
    lying = rot.multiply(rot.from_yaw(0.8), rot.from_axis_angle(rot.X_AXIS, np.radians(-90.0)))
    rotations[:, 0] = lying
    clip = dance.with_frames(dance.root_position, rotations)
    assert np.isclose(Placement.of(clip, 3).yaw, 0.8)
