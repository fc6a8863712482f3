"""The ray-caster against the definition of a round cone, stepped along each ray by its distance."""

import numpy as np
import pytest

from randori.render.camera import Camera
from randori.render.figures import Figures
from randori.render.raycaster import Raycaster

WIDTH, HEIGHT = 72, 48
CAMERA = Camera(np.array([0.5, 1.2, 6.0]), np.array([0.0, 1.0, 0.0]))


def some_cones(seed: int, count: int = 6) -> Figures:
    """Cones of all sorts: tapered, capsules, spheres, and some where one sphere swallows the other."""
    random = np.random.default_rng(seed)
    start = random.uniform([-1.5, 0.2, -2.0], [1.5, 1.8, 2.0], (count, 3))
    stop = start + random.normal(0.0, 0.4, (count, 3))
    first, second = random.uniform(0.02, 0.3, (2, count))
    second[0] = first[0]
    stop[1] = start[1]
    stop[2], first[2], second[2] = start[2] + [0.03, 0.0, 0.02], 0.1, 0.3
    return Figures(start, stop, first, second, np.full((count, 3), 0.5))


def distance(points: np.ndarray, figures: Figures, n: int) -> np.ndarray:
    """From points (P, 3) to cone n: the nearest of all spheres along its axis.

    The distance is convex along the axis, so it is enough to keep the better third of the way.
    """
    low, high = np.zeros(len(points)), np.ones(len(points))

    def at(part: np.ndarray) -> np.ndarray:
        centre = figures.start[n] + part[:, None] * (figures.stop[n] - figures.start[n])
        radius = figures.start_radius[n] + part * (figures.stop_radius[n] - figures.start_radius[n])
        return np.linalg.norm(points - centre, axis=-1) - radius

    for _ in range(30):
        left, right = low + (high - low) / 3.0, high - (high - low) / 3.0
        better = at(left) < at(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    return at(0.5 * (low + high))


def march(figures: Figures, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Depth (H × W) of cone n where it is hit (infinite elsewhere), and how close each ray comes to it."""
    pixel = 2.0 * np.tan(0.5 * CAMERA.field_of_view) / HEIGHT
    x, y = np.meshgrid(
        (np.arange(WIDTH) + 0.5 - 0.5 * WIDTH) * pixel, (0.5 * HEIGHT - 0.5 - np.arange(HEIGHT)) * pixel
    )
    rays = np.stack([x, y, np.ones_like(x)], axis=-1).reshape(-1, 3) @ CAMERA.axes
    lengths = np.linalg.norm(rays, axis=-1)
    depth, closest = np.zeros(len(rays)), np.full(len(rays), np.inf)
    going = np.ones(len(rays), dtype=bool)
    for _ in range(120):
        gap = distance(CAMERA.position + depth[going, None] * rays[going], figures, n)
        closest[going] = np.minimum(closest[going], gap)
        depth[going] += gap / lengths[going]
        going[going] = (gap > 1e-6) & (depth[going] < 12.0)
        if not going.any():
            break
    return np.where(closest < 1e-4, depth, np.inf), closest


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_pixel_sees_what_stepping_along_its_ray_finds(seed):
    figures = some_cones(seed)
    depth, owner = Raycaster(WIDTH, HEIGHT).depth(figures, CAMERA)
    marched = [march(figures, n) for n in range(len(figures))]
    expected = np.stack([hit for hit, _ in marched])
    closest = np.stack([close for _, close in marched]).min(axis=0)
    nearest = expected.min(axis=0)
    floor = Raycaster(WIDTH, HEIGHT).depth(Figures.together([]), CAMERA)[0].ravel()
    nearest = np.where(nearest < floor, nearest, np.inf)

    seen = owner.ravel() >= 0
    grazing = (closest > 1e-7) & (closest < 2e-4)  # the outline itself: either answer is right
    assert np.array_equal(seen[~grazing], np.isfinite(nearest)[~grazing])
    both = seen & np.isfinite(nearest)
    assert both.sum() > 200
    error = np.abs(depth.ravel()[both] - nearest[both])
    # a hit at a grazing angle is as uncertain as its ray is flat
    assert np.quantile(error, 0.98) < 2e-4
    assert error.max() < 0.02
    chosen = expected[owner.ravel()[both], np.flatnonzero(both)]
    assert np.abs(chosen - nearest[both]).max() < 0.02


def test_a_thin_cone_far_away_keeps_its_shape():
    """Float32 would lose a 1 cm blade at 60 m if distances were counted from the camera."""
    camera = Camera(np.array([0.0, 1.0, 60.0]), np.array([0.0, 1.0, 0.0]), np.radians(1.2))
    blade = Figures(
        np.array([[-0.4, 0.8, 0.0]]),
        np.array([[0.4, 1.2, 0.1]]),
        np.array([0.012]),
        np.array([0.01]),
        np.ones((1, 3)),
    )
    _, owner = Raycaster(320, 240).depth(blade, camera)
    pixel = 60.0 * 2.0 * np.tan(0.5 * camera.field_of_view) / 240
    expected = (0.022 * np.hypot(0.8, 0.4) + 0.5 * np.pi * (0.012**2 + 0.01**2)) / pixel**2
    assert abs((owner == 0).sum() / expected - 1.0) < 0.04


def test_what_is_below_the_floor_or_behind_the_camera_is_not_seen():
    ball = np.array([0.2])
    for centre in ([0.0, -0.5, 0.0], [0.5, 1.2, 9.0]):
        at = np.array([centre])
        _, owner = Raycaster(WIDTH, HEIGHT).depth(Figures(at, at, ball, ball, np.ones((1, 3))), CAMERA)
        assert (owner == -1).all()
