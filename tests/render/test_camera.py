"""Cameras that keep everything in view, and do not shake."""

import numpy as np
import pytest
from people import jog

from randori.render.camera import Camera, Direction, Focus, frame_all, frame_around, frame_focus, steady
from randori.render.figures import Figures
from randori.render.stage import Stage


def reach(figures: Figures, camera: Camera, aspect: float) -> np.ndarray:
    """(2,) how far figures reach across and up, 1 = the picture's edge."""
    centres, radii = figures.spheres()
    x, y, z = camera.axes @ (centres - camera.position).T
    high = np.tan(0.5 * camera.field_of_view)
    # a sphere touches the edge where its distance from that plane is its radius
    along = [(np.abs(v) / t, np.sqrt(1.0 + t * t) / t * radii) for v, t in ((x, high * aspect), (y, high))]
    return np.array([np.max((v + room) / z) for v, room in along])


@pytest.fixture(scope="module")
def stage():
    return Stage.of([jog(), jog(at=(1.5, 2.0), yaw=2.0)])


@pytest.mark.parametrize("azimuth", [0.0, 1.1, 3.0])
@pytest.mark.parametrize("aspect", [0.7, 16 / 9])
def test_all_frames_are_inside_and_fill_the_picture(stage, azimuth, aspect):
    frames = [stage.figures(time) for time in np.linspace(0.0, 2.0, 5)]
    camera = frame_all(frames, Direction(azimuth, 0.3), aspect)
    reaches = np.max([reach(figures, camera, aspect) for figures in frames], axis=0)
    assert 0.85 < reaches.max() <= 1.0


def test_cameras_around_moments_share_their_distance_and_height(stage):
    times = np.linspace(0.0, 2.0, 5)
    frames = [stage.figures(time) for time in times]
    cameras = frame_around(frames, stage.centres(times), Direction(0.4), 0.8)
    offsets = np.array([camera.position - camera.target for camera in cameras])
    assert np.ptp(offsets, axis=0).max() < 1e-12
    assert np.ptp([camera.target[1] for camera in cameras]) == 0.0
    assert max(reach(figures, camera, 0.8).max() for figures, camera in zip(frames, cameras)) <= 1.0


def test_a_camera_looks_at_its_target_and_stands_level():
    camera = Direction(np.radians(90.0), np.radians(20.0)).at(np.array([1.0, 1.0, 2.0]), 5.0)
    right, up, forward = camera.axes
    assert np.allclose(camera.position + 5.0 * forward, [1.0, 1.0, 2.0])
    assert camera.position[0] > 5.0  # a quarter turn: from +X
    assert np.isclose(right[1], 0.0)
    assert up[1] > 0.9
    assert np.allclose(camera.axes @ camera.axes.T, np.eye(3))


def test_following_is_smooth_and_keeps_up():
    fps = 30.0
    time = np.arange(300) / fps
    path = np.stack([1.5 * time, np.zeros_like(time)], axis=-1)
    shaking = path + 0.1 * np.random.default_rng(1).normal(size=path.shape)
    followed = steady(shaking, fps)
    inner = slice(75, -75)
    assert np.abs(followed[inner] - path[inner]).max() < 0.05
    jolts = np.abs(np.diff(followed, n=2, axis=0)).max() * fps**2
    assert jolts < 0.5  # metres per second²
    assert np.allclose(steady(path[:1], fps), path[:1])


@pytest.mark.parametrize("elevation", [0.2, 0.7])
def test_a_focus_is_in_the_middle_and_all_within_its_reach_is_seen(elevation):
    times = np.linspace(0.0, 2.0, 5)
    path = np.stack([3.0 * np.arange(61) / 30.0, np.zeros(61)], axis=-1)
    focus = Focus.on(path, np.full(61, 1.5), 30.0)
    cameras = frame_focus(focus, times, Direction(0.4, elevation), 1.2)
    offsets = np.array([camera.position - camera.target for camera in cameras])
    assert np.ptp(offsets, axis=0).max() < 1e-9
    for time, camera in zip(times, cameras):
        focussed = camera.axes @ (np.array([3.0 * time, 0.9, 0.0]) - camera.position)
        assert focussed[0] == pytest.approx(0.0, abs=0.02)
        somebody = Stage.of([jog(at=(3.0 * time - 1.0, 0.6), speed=0.0)]).figures(0.0)
        assert reach(somebody, camera, 1.2).max() <= 1.0
        far = Stage.of([jog(at=(3.0 * time - 4.0, 0.0), speed=0.0)]).figures(0.0)
        assert reach(far, camera, 1.2).max() > 1.0


def test_a_focus_that_reaches_farther_is_seen_from_farther_off():
    focus = Focus(np.zeros((2, 2)), np.array([1.0, 6.0]), np.array([1.0, 6.0]), 1.0)
    near, far = frame_focus(focus, np.array([0.0, 1.0]), Direction(0.4), 1.2)
    assert np.linalg.norm(far.position) > 3.0 * np.linalg.norm(near.position)
