"""How takes of a few characters are filmed."""

from dataclasses import replace

import numpy as np
import pytest

from randori.render.camera import Direction, frame_focus
from randori.render.stage import Stage
from randori.render.viewpoint import Moment, height_share, visibility
from randori.scene.filming import FEW, filmed
from randori.scene.run import simulate
from randori.scene.scene import Scene
from randori.scene.take import Take
from shared import made_once

FILM, CELL = 16 / 9, 320 / 260


LENGTHS = {"boxing": 8.0, "sword-duel": 8.0, "car-in-the-street": None}  # seconds, None for the whole scene


@pytest.fixture(scope="module")
def take(request: pytest.FixtureRequest) -> Take:
    """A take of the scene that the test names."""
    name = request.param
    return made_once(f"filmed-{name}", lambda: simulate(Scene.load(name), seed=21, seconds=LENGTHS[name]))


def of(*names: str) -> pytest.MarkDecorator:
    """A test of takes of some scenes."""
    return pytest.mark.parametrize("take", names, indirect=True)


def stage_of(take: Take) -> Stage:
    return Stage.of(take.clips, props=take.props, focus=take.view.focus)


def cameras(take: Take, times: np.ndarray, aspect: float) -> list:
    focus = take.view.focus
    assert focus is not None
    return frame_focus(focus, times, Direction(stage_of(take).front(times), take.view.elevation), aspect)


@of("boxing", "sword-duel")
@pytest.mark.parametrize("aspect", [FILM, CELL])
def test_duellists_take_half_of_the_height_of_the_picture(take: Take, aspect: float):
    times = np.linspace(0.0, take.seconds, 40)
    people = stage_of(take).characters
    shares = [
        [height_share(one, camera, time) for one in people]
        for time, camera in zip(times, cameras(take, times, aspect))
    ]
    assert np.median(shares) > 0.55
    ticks = np.minimum(np.rint(times * take.fps).astype(int), take.ticks)
    upright = np.stack([clip.root_position[ticks, 1] > 0.5 for clip in take.clips], axis=1)
    assert np.mean(np.array(shares)[upright] > 0.5) > 0.9  # less only where somebody ducks


@of("boxing", "sword-duel")
def test_hits_are_seen(take: Take):
    stage = stage_of(take)
    hits = [event for event in take.events if event.kind in ("hit", "block")]
    assert hits
    shares = []
    for event in hits:
        moment = Moment(event.tick / take.fps, (event.who, event.whom))
        (camera,) = cameras(take, np.array([moment.time]), FILM)
        shares.append(visibility(stage, camera, FILM, moment))
    assert np.mean(shares) > 0.8


@of("boxing", "sword-duel")
def test_the_camera_goes_around_a_pair_so_that_neither_hides_the_other(take: Take):
    times = np.linspace(0.0, take.seconds, 40)
    ticks = np.minimum(np.rint(times * take.fps).astype(int), take.ticks)
    one, other = (clip.root_position[ticks][:, [0, 2]] for clip in take.clips)
    way = (other - one) / np.linalg.norm(other - one, axis=-1)[:, None]
    ahead = np.array([camera.axes[2][[0, 2]] for camera in cameras(take, times, FILM)])
    off = np.abs(np.einsum("ij,ij->i", way, ahead / np.linalg.norm(ahead, axis=-1)[:, None]))
    assert np.mean(off < np.sin(np.radians(40.0))) > 0.9  # 30°, but for how slowly it follows
    assert off.max() < np.sin(np.radians(65.0))
    focus = take.view.focus
    assert focus is not None
    assert focus.turn is not None
    assert np.abs(np.diff(focus.turn)).max() * take.fps < np.radians(120.0)


@of("car-in-the-street")
def test_the_car_throws_its_man_before_the_camera(take: Take):
    (struck,) = (event for event in take.events if event.kind == "run over")
    role = take.roles[struck.whom]
    way = role.clip.root_position[:, [0, 2]]
    assert np.linalg.norm(way[-1] - way[struck.tick]) > 2.0
    assert role.simulated[struck.tick + 1 :].all()
    assert take.quality().obstacles == 2
    assert take.quality().obstacle_deepest < 0.03
    assert take.provenance["goals not met"] == []
    driven = take.props[0].path[:, [0, 2]]  # the car comes down the road, and is there when it strikes him
    assert np.linalg.norm(driven[-1] - driven[0]) > 5.0
    assert np.linalg.norm(driven[struck.tick] - way[struck.tick]) < 3.0
    stage = stage_of(take)
    for late in (0.0, 0.3, 0.8, 1.5):
        moment = Moment(struck.tick / take.fps + late, (struck.whom,))
        (camera,) = cameras(take, np.array([moment.time]), FILM)
        assert visibility(stage, camera, FILM, moment) > 0.5


@of("boxing")
def test_crowds_and_cameras_that_stand_still_are_left_alone(take: Take):
    take = replace(take, view=take.view._replace(focus=None))
    crowd = replace(take, roles=take.roles * FEW)
    assert filmed(crowd).view.focus is None
    still = replace(take, view=take.view._replace(follow=False))
    assert filmed(still).view.focus is None
    assert filmed(take).view.focus is not None
