import numpy as np
import pytest

from randori.errors import RandoriError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import align, concatenate, crop, mirror, resample, retime, sample
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton


@pytest.fixture(params=["dance", "odd_dance"])
def clip(request: pytest.FixtureRequest) -> Clip:
    return request.getfixturevalue(request.param)


def analytic(skeleton: Skeleton, fps: float, seconds: float = 2.0) -> Clip:
    """A motion that is known at every time: joints turn about fixed axes, the root swings."""
    times = np.arange(int(seconds * fps) + 1) / fps
    axes = rot.normalize(np.random.default_rng(7).normal(size=(len(skeleton), 3)))
    angles = 1.5 * np.sin(2.0 * np.pi * times[:, None] * np.linspace(0.2, 1.0, len(skeleton)))
    root = np.stack([np.sin(5.0 * times), 1.0 + 0.1 * np.cos(7.0 * times), times**2], axis=-1)
    return Clip("analytic", skeleton, fps, root, rot.from_axis_angle(axes, angles))


def test_the_same_rate_is_the_same_clip(clip: Clip):
    assert resample(clip, clip.fps) is clip


@pytest.mark.parametrize(("fps", "error"), [(30.0, 2e-3), (60.0, 3e-4), (120.0, 4e-5)])
def test_resampling_follows_an_analytic_motion(skeleton: Skeleton, fps: float, error: float):
    truth = analytic(skeleton, 240.0)
    resampled = resample(analytic(skeleton, fps), 240.0)
    assert len(resampled) == len(truth)
    inside = slice(20, -20)  # at the very ends the velocity is one-sided
    assert np.abs(resampled.root_position - truth.root_position)[inside].max() < error
    assert rot.angle_between(resampled.rotations, truth.rotations)[inside].max() < error


def test_a_steady_turn_stays_steady(skeleton: Skeleton):
    times = np.arange(31) / 30.0
    axis = rot.normalize([1.0, 2.0, -1.0])
    turning = np.tile(rot.from_axis_angle(axis, 20.0 * times)[:, None], (1, len(skeleton), 1))
    clip = Clip("turning", skeleton, 30.0, np.zeros((31, 3)), turning)
    fine = resample(clip, 240.0)
    steps = rot.angle_between(fine.rotations[1:], fine.rotations[:-1])
    assert np.allclose(steps, 20.0 / 240.0, atol=1e-6)


def test_velocity_is_continuous_at_the_old_frames(skeleton: Skeleton):
    """Across an old frame the step changes no more than between two old frames."""
    fine = resample(analytic(skeleton, 30.0), 960.0)
    root = np.abs(np.diff(fine.root_position, n=2, axis=0)).max(axis=-1)
    spin = rot.to_rotation_vector(rot.multiply(fine.rotations[1:], rot.inverse(fine.rotations[:-1])))
    turn = np.abs(np.diff(spin, axis=0)).max(axis=(-1, -2))
    for change in (root, turn):
        at_old = np.zeros(len(change), dtype=bool)
        at_old[31::32] = True
        assert change[at_old].max() < 1.2 * change[~at_old].max()


def test_sampling_at_the_frames_gives_the_frames(clip: Clip):
    sampled = sample(clip, clip.times, clip.fps)
    assert np.allclose(sampled.root_position, clip.root_position, atol=1e-12)
    assert rot.angle_between(sampled.rotations, clip.rotations).max() < 1e-7
    beyond = sample(clip, [-1.0, 99.0], clip.fps)
    assert np.allclose(beyond.positions, clip.positions[[0, -1]], atol=1e-9)
    assert len(sample(crop(clip, 0, 1), [0.0, 0.5], 30.0)) == 2


def test_signs_do_not_matter_to_resampling(clip: Clip):
    flipped = clip.with_frames(
        clip.root_position, clip.rotations * np.where(np.arange(len(clip)) % 2, 1, -1)[:, None, None]
    )
    assert rot.angle_between(resample(flipped, 200.0).rotations, resample(clip, 200.0).rotations).max() < 1e-7


def test_twice_as_fast_is_half_as_long(clip: Clip):
    fast = retime(clip, 2.0)
    assert fast.duration == pytest.approx(clip.duration / 2.0)
    assert fast.fps == clip.fps
    assert np.allclose(fast.positions, clip.positions[::2], atol=1e-9)


def test_cropping_and_concatenating(clip: Clip):
    whole = concatenate([crop(clip, 0, 50), crop(clip, 50, len(clip))])
    assert np.array_equal(whole.root_position, clip.root_position)
    assert np.array_equal(whole.rotations, clip.rotations)
    with pytest.raises(RandoriError, match="121 frames"):
        crop(clip, 100, 122)
    with pytest.raises(RandoriError, match="fps"):
        concatenate([clip, resample(clip, 30.0)])


def test_mirrored_twice_is_the_same(clip: Clip):
    twice = mirror(mirror(clip))
    assert np.allclose(twice.positions, clip.positions, atol=1e-9)
    assert rot.angle_between(twice.rotations, clip.rotations).max() < 1e-7


def test_a_mirrored_body_stands_where_the_mirror_shows_it(clip: Clip):
    mirrored = mirror(clip)
    for part, joint in clip.skeleton.parts.items():
        swap = {"left": "right", "right": "left"}.get(part.split("_")[0])
        twin = clip.skeleton.joint(part if swap is None else f"{swap}_{part.split('_', 1)[1]}")
        assert np.allclose(
            mirrored.positions[:, twin], clip.positions[:, joint] * [-1.0, 1.0, 1.0], atol=1e-9
        )
    assert np.allclose(mirrored.heading("pelvis"), -clip.heading("pelvis"), atol=1e-9)


def test_aligned_clips_stand_at_their_place(clip: Clip):
    wanted = Placement(3.0, -2.0, 1.1)
    for part in ("pelvis", "head"):
        moved = align(clip, 40, wanted, part)
        stands = Placement.of(moved, 40, part)
        assert (stands.x, stands.z, stands.yaw) == pytest.approx((3.0, -2.0, 1.1))
    assert np.array_equal(moved.root_position[:, 1], clip.root_position[:, 1])
    assert np.allclose(moved.positions[..., 1], clip.positions[..., 1], atol=1e-12)
    # as a whole: all distances inside the clip are what they were
    spread = np.linalg.norm(clip.positions[:, :, None] - clip.positions[40, 3], axis=-1)
    assert np.allclose(np.linalg.norm(moved.positions[:, :, None] - moved.positions[40, 3], axis=-1), spread)
