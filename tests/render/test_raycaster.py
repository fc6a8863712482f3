"""Pictures: the same for any number of threads, light where light should be, edges soft and nothing else."""

import numpy as np
import pytest
from people import jog

from randori.render.camera import Direction, frame_all
from randori.render.figures import Figures
from randori.render.raycaster import Raycaster
from randori.render.stage import Stage

SIZE = (200, 150)


@pytest.fixture(scope="module")
def scene():
    stage = Stage.of([jog(), jog(at=(0.9, 0.6), yaw=2.5)])
    figures = stage.figures(0.4)
    return figures, frame_all([figures], Direction(0.5), SIZE[0] / SIZE[1])


def ball(x: float, y: float, z: float, radius: float = 0.2, grey: float = 0.5) -> Figures:
    at, size = np.array([[x, y, z]]), np.array([radius])
    return Figures(at, at, size, size, np.full((1, 3), grey))


def test_same_bytes_for_any_number_of_threads(scene):
    pictures = [Raycaster(*SIZE, threads=threads).image(*scene) for threads in (1, 2, 3, 8)]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)


def test_a_raycaster_keeps_nothing_from_the_picture_before(scene):
    raycaster = Raycaster(*SIZE)
    first = raycaster.image(*scene)
    raycaster.image(ball(0.0, 5.0, 0.0, 2.0), scene[1])
    assert np.array_equal(raycaster.image(*scene), first)


def test_an_empty_stage_is_floor_and_sky(scene):
    picture = Raycaster(*SIZE).image(Figures.together([]), scene[1])
    assert picture.min() > 120
    assert np.abs(np.diff(picture.astype(int), axis=1)).max() < 60


def test_only_edges_are_softened(scene):
    raycaster = Raycaster(*SIZE)
    hard, soft = raycaster.image(*scene, smooth=False), raycaster.image(*scene)
    _, owner = raycaster.depth(*scene)
    padded = np.pad(owner, 1, mode="edge")
    around = [padded[1 + r : 151 + r, 1 + c : 201 + c] for r in (-1, 0, 1) for c in (-1, 0, 1)]
    edge = np.any([near != owner for near in around], axis=0)
    changed = (hard != soft).any(axis=-1)
    assert changed.any()
    assert not changed[~edge].any()


def test_soft_edges_cover_the_true_area():
    """A dark ball on a bright ground: what it darkens adds up to its disc, to a hundredth."""
    figures = ball(0.0, 2.0, 0.0, 0.3, 0.0)
    camera = Direction(0.0, np.radians(2.0)).at(np.array([0.0, 2.0, 0.0]), 8.0)
    coarse, fine = Raycaster(60, 60), Raycaster(960, 960)
    covered = (fine.depth(figures, camera)[1] >= 0).reshape(60, 16, 60, 16).mean(axis=(1, 3))
    hard, soft = coarse.image(figures, camera, smooth=False), coarse.image(figures, camera)
    empty = coarse.image(Figures.together([]), camera).astype(float) ** 2
    edge = (covered > 0.0) & (covered < 1.0)
    share = 1.0 - soft.astype(float)[edge][:, 1] ** 2 / empty[edge][:, 1]
    assert np.abs(share - covered[edge]).mean() < 0.06
    assert (
        np.abs((1.0 - hard.astype(float)[edge][:, 1] ** 2 / empty[edge][:, 1]) - covered[edge]).mean() > 0.15
    )


def test_shadows_fall_away_from_the_light_and_soften_with_height():
    camera = Direction(0.0, np.radians(30.0)).at(np.array([0.0, 0.0, 0.0]), 9.0)
    raycaster = Raycaster(320, 240)
    empty = raycaster.image(Figures.together([]), camera).astype(int)

    def darkened(height: float) -> np.ndarray:
        figures = ball(0.0, height, 0.0, 0.15)
        owner = raycaster.depth(figures, camera)[1]
        return np.where(owner >= 0, 0, (empty - raycaster.image(figures, camera)).max(axis=-1))

    low, high = darkened(0.2), darkened(1.4)
    # the key light stands on the left in front, so the shadow goes right and back
    rows, columns = np.nonzero(high > 20)
    assert columns.mean() > 165
    assert rows.mean() < 120
    assert low.max() > 40
    steepness = [np.abs(np.diff(dark, axis=1)).max() for dark in (low, high)]
    assert steepness[0] > 1.5 * steepness[1]


def test_one_body_shades_another():
    camera = Direction(0.0, np.radians(10.0)).at(np.array([0.0, 1.0, 0.0]), 6.0)
    raycaster = Raycaster(240, 180)
    wall = ball(0.0, 1.0, 0.0, 0.5)
    # on the way from the wall to the key light: left, up, towards the camera
    screen = ball(-0.7, 2.3, 0.75, 0.3)
    alone, shaded = raycaster.image(wall, camera), raycaster.image(Figures.together([wall, screen]), camera)
    _, owner = raycaster.depth(Figures.together([wall, screen]), camera)
    darker = (alone.astype(int) - shaded)[owner == 0]
    assert darker.max() > 40
    assert (darker.max(axis=-1) < 3).mean() > 0.3


def test_shadows_lie_still_while_someone_else_moves(scene):
    """The shadow map grows with the crowd; its texels must not shift under those who stand."""
    figures, camera = scene
    raycaster = Raycaster(*SIZE)
    pictures = [
        raycaster.image(Figures.together([figures, ball(x, 0.5, 6.0, 0.3)]), camera) for x in (9.0, 9.137)
    ]
    assert np.array_equal(*pictures)
