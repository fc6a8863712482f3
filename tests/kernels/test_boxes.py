"""Rounded boxes: distances that are known, and depths next to those of many points."""

import numpy as np
import pytest

from randori.body.obstacles import Obstacle, boxes_of, cut_boxes
from randori.kernels import boxes
from randori.motion import rotations as rot

HALF, RADIUS = (0.5, 0.3, 1.0), 0.1


def box(yaw: float = 0.0) -> Obstacle:
    """One box whose middle moves along +X, a metre a frame."""
    path = np.array([[float(x), 1.0, 0.0, yaw] for x in range(3)])
    return Obstacle("car", np.zeros((1, 3)), rot.IDENTITY[None], np.array([HALF]), np.array([RADIUS]), path)


def distance(point: tuple[float, float, float], yaw: float = 0.0) -> tuple[float, np.ndarray]:
    solid = boxes_of([box(yaw)], 1)
    middle, turned = tuple(solid.middles[0, 0].tolist()), tuple(solid.turned[0, 0].tolist())
    away, out = boxes.surface(middle, turned, HALF, RADIUS, point)
    return away, np.array(out)


@pytest.mark.parametrize(
    ("point", "away", "out"),
    [
        ((2.0, 1.0, 0.0), 1.4, (1.0, 0.0, 0.0)),
        ((0.0, 1.5, 0.0), 0.1, (0.0, 1.0, 0.0)),
        ((0.0, 1.35, 0.0), -0.05, (0.0, 1.0, 0.0)),  # in the round edge
        ((0.0, 0.8, 0.0), -0.2, (0.0, -1.0, 0.0)),  # in the core: the nearest side
        ((0.8, 1.0, 1.4), 0.4, (0.6, 0.0, 0.8)),  # beside an edge
    ],
)
def test_the_distance_from_a_box_is_known(point, away, out):
    found, direction = distance(point)
    assert found == pytest.approx(away)
    np.testing.assert_allclose(direction, out, atol=1e-12)


def test_a_box_turns_with_its_obstacle():
    assert distance((1.2, 1.0, 0.0))[0] == pytest.approx(0.6)
    assert distance((1.2, 1.0, 0.0), np.pi / 2)[0] == pytest.approx(0.1)  # now its long side lies along X


def test_a_capsule_is_as_deep_as_its_deepest_point():
    random = np.random.default_rng(5)
    ends = random.uniform((-1.5, -0.5, -1.5), (1.5, 2.5, 1.5), size=(60, 1, 2, 3))
    path = np.array([[0.0, 1.0, 0.0, 0.7]])
    obstacle = Obstacle(
        "wall", np.zeros((1, 3)), rot.IDENTITY[None], np.array([HALF]), np.array([RADIUS]), path
    )
    solid, depth = boxes_of([obstacle], 60), np.empty((60, 1))
    boxes.depths(ends, np.array([0.06]), solid, depth)
    share = np.linspace(0.0, 1.0, 400)[:, None]
    middle, turned = (tuple(places[0, 0].tolist()) for places in (solid.middles, solid.turned))
    for (start, stop), found in zip(ends[:, 0], depth[:, 0]):
        points = (1.0 - share) * start + share * stop
        nearest = min(
            boxes.surface(middle, turned, HALF, RADIUS, tuple(point))[0] for point in points.tolist()
        )
        # between two of the points it may be deeper, by less than their distance
        assert -1e-4 < found - max(0.06 - nearest, 0.0) < 0.005
    assert (depth > 0.05).sum() > 10


def test_what_a_body_does_not_have_is_in_nothing():
    depth = np.empty((1, 1))
    boxes.depths(np.full((1, 1, 2, 3), [0.0, 1.0, 0.0]), np.array([-1.0]), boxes_of([box()], 1), depth)
    assert depth[0, 0] == 0.0


def test_an_obstacle_is_where_its_path_has_it_and_stays_at_its_end():
    solid = boxes_of([box(), box()], 5)
    assert solid.middles[:, 1, 0].tolist() == [0.0, 1.0, 2.0, 2.0, 2.0]
    assert cut_boxes(solid, slice(1, 3)).middles[:, 0, 0].tolist() == [1.0, 2.0]
    assert len(boxes_of([], 4).radii) == 0
