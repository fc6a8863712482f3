import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from randori.motion import rotations as rot

ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
component = st.floats(-1.0, 1.0)
quaternions = (
    st.tuples(component, component, component, component)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)
vectors = st.tuples(component, component, component).map(lambda v: 3.0 * np.array(v))


def scipy(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.asarray(q), scalar_first=True)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """The same rotation; q and -q are one."""
    return bool(np.all(rot.angle_between(a, b) < 1e-7))


@pytest.fixture
def many() -> np.ndarray:
    return rot.normalize(np.random.default_rng(0).normal(size=(200, 4)))


@given(quaternions, quaternions, quaternions)
def test_rotations_are_a_group(a: np.ndarray, b: np.ndarray, c: np.ndarray):
    assert same(rot.multiply(rot.multiply(a, b), c), rot.multiply(a, rot.multiply(b, c)))
    assert same(rot.multiply(a, rot.IDENTITY), a)
    assert same(rot.multiply(rot.IDENTITY, a), a)
    assert same(rot.multiply(a, rot.inverse(a)), rot.IDENTITY)
    assert same(rot.multiply(rot.inverse(a), a), rot.IDENTITY)


@given(quaternions, quaternions, vectors)
def test_the_product_turns_by_b_and_then_by_a(a: np.ndarray, b: np.ndarray, v: np.ndarray):
    assert np.allclose(rot.rotate(rot.multiply(a, b), v), rot.rotate(a, rot.rotate(b, v)), atol=1e-12)


def test_everything_agrees_with_scipy(many: np.ndarray):
    vectors = np.random.default_rng(1).normal(size=(200, 3))
    other = many[::-1]
    assert same(rot.multiply(many, other), (scipy(many) * scipy(other)).as_quat(scalar_first=True))
    assert np.allclose(rot.rotate(many, vectors), scipy(many).apply(vectors))
    assert np.allclose(rot.to_matrix(many), scipy(many).as_matrix())
    assert same(rot.from_matrix(scipy(many).as_matrix()), many)
    assert np.allclose(rot.to_rotation_vector(many), scipy(many).as_rotvec())
    assert same(rot.from_rotation_vector(vectors), Rotation.from_rotvec(vectors).as_quat(scalar_first=True))
    assert np.allclose(rot.angle_between(many, other), (scipy(many).inv() * scipy(other)).magnitude())
    assert same(rot.mean(many[:5]), scipy(many[:5]).mean().as_quat(scalar_first=True))


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_agree_with_scipy(many: np.ndarray, order: str):
    assert np.allclose(rot.to_euler(many, order), scipy(many).as_euler(order))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2])
def test_euler_angles_at_the_poles_still_give_the_rotation(order: str, middle: float):
    q = Rotation.from_euler(order, [0.7, middle, -0.4]).as_quat(scalar_first=True)
    back = Rotation.from_euler(order, rot.to_euler(q, order)).as_quat(scalar_first=True)
    assert rot.angle_between(q, back) < 1e-4


def test_tiny_and_half_turns():
    tiny = np.array([1e-9, -2e-9, 1e-10])
    assert np.allclose(rot.to_rotation_vector(rot.from_rotation_vector(tiny)), tiny, rtol=1e-6, atol=0.0)
    assert np.array_equal(rot.from_rotation_vector(np.zeros(3)), rot.IDENTITY)
    half = rot.from_rotation_vector([0.0, np.pi, 0.0])
    assert np.linalg.norm(rot.to_rotation_vector(half)) == pytest.approx(np.pi)


@given(quaternions, quaternions, st.floats(0.0, 1.0))
def test_slerp_goes_the_shorter_way_at_constant_speed(a: np.ndarray, b: np.ndarray, t: float):
    whole = rot.angle_between(a, b)
    between = rot.slerp(a, -b, t)
    assert rot.angle_between(a, between) == pytest.approx(t * whole, abs=1e-6)
    assert rot.angle_between(between, b) == pytest.approx((1.0 - t) * whole, abs=1e-6)


@given(vectors, vectors)
def test_between_is_the_smallest_rotation(a: np.ndarray, b: np.ndarray):
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return
    turn = rot.between(a, b)
    assert np.allclose(rot.rotate(turn, rot.normalize(a)), rot.normalize(b), atol=1e-4)
    angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
    assert rot.angle_between(rot.IDENTITY, turn) == pytest.approx(angle, abs=1e-4)


def test_between_opposite_directions_is_half_a_turn():
    for axis in np.eye(3):
        assert np.allclose(rot.rotate(rot.between(axis, -axis), axis), -axis)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5))
def test_yaw_is_the_twist_about_the_vertical(yaw: float, tilt: float):
    assert np.allclose(rot.rotate(rot.from_yaw(yaw), rot.Z_AXIS), [np.sin(yaw), 0.0, np.cos(yaw)])
    leaning = rot.multiply(rot.from_yaw(yaw), rot.from_axis_angle(rot.X_AXIS, tilt))
    assert rot.yaw(leaning) == pytest.approx(yaw, abs=1e-9)


def test_axes_make_a_rotation():
    q = rot.from_axes([0.0, 0.0, 2.0], [1.0, 3.0, 0.5])
    assert np.allclose(rot.rotate(q, rot.X_AXIS), rot.Z_AXIS)
    y = rot.rotate(q, rot.Y_AXIS)
    assert np.allclose(y, rot.normalize([1.0, 3.0, 0.0]))


@given(st.floats(-1000.0, 1000.0))
def test_wrapped_angles_are_the_same_angle(angle: float):
    wrapped = float(rot.wrap_angle(angle))
    assert -np.pi <= wrapped <= np.pi
    assert np.isclose(np.cos(wrapped), np.cos(angle), atol=1e-9)
    assert np.isclose(np.sin(wrapped), np.sin(angle), atol=1e-9)


def test_unrolled_neighbours_are_near_and_the_same_rotations():
    angles = np.linspace(0.0, 20.0, 300)
    smooth = rot.from_axis_angle(rot.normalize([1.0, 2.0, 3.0]), angles)
    signs = np.random.default_rng(2).choice([-1.0, 1.0], size=(300, 1))
    unrolled = rot.unroll(smooth * signs)
    assert np.all(np.sum(unrolled[1:] * unrolled[:-1], axis=-1) > 0.9)
    assert same(unrolled, smooth)


def test_the_mean_of_equal_rotations_with_mixed_signs():
    q = rot.normalize(np.array([0.2, -0.5, 0.7, 0.1]))
    assert same(rot.mean(np.stack([q, -q, q])), q)
    ends = np.stack([rot.from_yaw(0.2), rot.from_yaw(0.8)])
    assert same(rot.mean(ends), rot.from_yaw(0.5))
    assert rot.yaw(rot.mean(ends, [3.0, 1.0])) < 0.5


@given(vectors, vectors)
def test_the_rate_of_a_rotation_vector_is_its_derivative(v: np.ndarray, spin: np.ndarray):
    h = 1e-6
    after = rot.multiply(rot.from_rotation_vector(h * spin), rot.from_rotation_vector(v))
    # away from the half turn, where the vector jumps to the other side
    if np.linalg.norm(v) < 3.0:
        measured = (rot.to_rotation_vector(after) - v) / h
        assert np.allclose(
            rot.rotation_vector_rate(v, spin), measured, atol=1e-3 * (1.0 + np.linalg.norm(spin))
        )


SHAPES = [(), (3,), (7, 1), (1, 3), (7, 3), (2, 1, 3), (2, 7, 1), (2, 7, 3), (4, 2, 1, 3), (7, 0)]


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_operands_are_broadcast_as_numpy_does(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    random = np.random.default_rng(8)
    q, p, v, u = (random.normal(size=(*shape, n)) for shape, n in zip((first, second) * 2, (4, 4, 3, 3)))
    try:
        shape = np.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(ValueError, match="shape"):
            rot.multiply(q, p)
        return
    whole = [np.broadcast_to(one, (*shape, one.shape[-1])) for one in (q, p, v, u)]
    for function, a, b in ((rot.multiply, 0, 1), (rot.rotate, 0, 3), (rot.between, 2, 3)):
        mixed, plain = function((q, p, v, u)[a], (q, p, v, u)[b]), function(whole[a], whole[b])
        assert mixed.shape == plain.shape == (*shape, mixed.shape[-1])
        assert np.array_equal(mixed, plain)


def test_the_last_digits_are_those_of_numpy() -> None:
    random = np.random.default_rng(9)
    q, v = random.normal(size=(500, 4)), random.normal(size=(500, 3))
    axis = q[:, 1:]
    t = 2.0 * np.cross(axis, v)
    assert np.array_equal(rot.rotate(q, v), v + q[:, :1] * t + np.cross(axis, t))
    assert np.array_equal(rot.normalize(q), q / np.linalg.norm(q, axis=-1, keepdims=True))
