"""Walls and cars as the page and films show them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from randori.body.obstacles import boxes_of
from randori.duel.solids import Car, Wall
from randori.kernels import boxes
from randori.motion.placement import Placement
from randori.patches.carried import Grip
from randori.patches.picture import CELL, Picture
from randori.performer import perform
from randori.performer.luggage import PIECES
from randori.render.stage import Prop
from randori.scene.groups import picture_thing
from randori.scene.luggage import Luggage
from randori.scene.run import simulate
from randori.scene.scene import Scene, WallTable
from randori.scene.things import CAR_PARTS, scene_props, wall_prop
from randori.studio.props import things_of
from randori.studio.takes import draft_of
from randori.timeline.timeline import Event

TEXT = """
[motions.a]
perform = ["boxing"]
[[cast]]
name = "A"
[[cast]]
name = "B"
team = 1
[[walls]]
start = [2.0, -1.0]
stop = [2.0, 4.0]
[[cars]]
start = [-20.0, 0.0]
stop = [20.0, 0.0]
runs_over = "B"
time = 1.0
"""


def take_with(events: tuple[Event, ...]) -> Any:
    """Two people who stand, for four seconds."""
    places = [np.tile([x, 1.0, z], (241, 1)) for x, z in ((0.0, 3.0), (0.0, 0.5))]
    roles = [SimpleNamespace(clip=SimpleNamespace(root_position=place)) for place in places]
    props = scene_props(Scene.parse(TEXT), events, 240, 60.0)
    return SimpleNamespace(fps=60.0, ticks=240, events=events, roles=roles, props=props)


def test_a_wall_is_as_long_and_as_high_as_the_scene_says() -> None:
    prop = wall_prop(WallTable(start=(2.0, -1.0), stop=(2.0, 4.0), thickness=0.2, height=2.4))
    starts, stops, radii = prop.start, prop.stop, prop.radius
    assert (starts[:, [0, 2]] == [2.0, -1.0]).all()
    assert (stops[:, [0, 2]] == [2.0, 4.0]).all()
    assert abs((starts[:, 1] + radii).max() - 2.4) < 0.15
    assert np.diff(starts[:, 1]).max() < 2.0 * radii[0]  # no gap to look through


def test_a_car_waits_then_drives_to_whom_it_runs_over_and_stops_there() -> None:
    scene = Scene.parse(TEXT)
    waiting = things_of(scene, take_with(()))
    path = waiting[0].path
    assert path is not None
    assert np.ptp(path, axis=0).max() == 0.0
    driven = things_of(scene, take_with((Event(60, "sets off", -1, 1, "car", point=(0.0, 0.0, 0.9)),)))
    cars = [thing for thing in driven if thing.prop.name == "car"]
    assert len(cars) == CAR_PARTS
    path = cars[0].path
    assert path is not None
    assert path[60, 0] == -20.0
    assert -0.5 < path[-1, 0] < 0.5  # its front is 2 m past where it struck
    assert path[-1, 2] == pytest.approx(0.9)
    assert (np.diff(path[:, 0]) >= 0.0).all()
    assert [thing.prop.name for thing in driven][-1] == "wall"
    assert driven[-1].path is None


def test_a_car_looks_the_way_it_drives() -> None:
    scene = Scene.parse(TEXT)
    body = things_of(scene, take_with(()))[0].prop
    ends = np.array([*body.starts, *body.stops])
    assert np.ptp(ends[:, 0]) > 3.0  # long along its road
    assert np.ptp(ends[:, 2]) < 1.7  # from mirror to mirror


def test_a_car_and_a_wall_are_as_hard_as_they_are_drawn() -> None:
    car = Car(((0.0, 0.0), (0.0, 20.0)), 0, 0.0)
    driven = Scene.parse(TEXT.replace("[-20.0, 0.0]", "[0.0, 0.0]").replace("[20.0, 0.0]", "[0.0, 20.0]"))
    drawn = scene_props(driven, (), 240, 60.0)
    wall = Wall((2.0, -1.0), (2.0, 4.0))
    for obstacle, props, off in (
        (car.obstacle(1, 60.0), drawn[:-1], 0.17),
        (wall.obstacle(), drawn[-1:], 0.05),
    ):
        for prop in props:
            for start, stop, radius in zip(prop.start, prop.stop, prop.radius):
                ends = np.array([[[start, stop]]])
                depth = np.empty((1, 1))
                # no cone is outside, but for the wheel arches and the round of the roof
                boxes.depths(ends, np.array([1e-9]), boxes_of([obstacle], 1), depth)
                assert depth[0, 0] >= radius - off, (start, stop)


def test_luggage_goes_from_hand_to_hand_without_a_jump() -> None:
    clip = perform("locomotion", seconds=5.0, seed=1)[0].clip
    roots = np.stack([clip.root_position[0], clip.root_position[0] + [0.0, 0.0, 0.4]])
    turned = np.stack([clip.rotations[0], clip.rotations[0]])
    grips = [Grip(10, 0, "right"), Grip(60, 1, "right"), Grip(120, 1, "")]
    suitcase = Luggage("suitcase", grips, lambda who, tick: (roots[who], turned[who]))
    way = np.array(
        [suitcase.place(tick, list(zip(roots, turned)), clip.skeleton, 60.0) for tick in range(150)]
    )
    half = 0.5 * PIECES["suitcase"].size[1]
    assert (way[:10, 1] == half).all()
    assert way[-1, 1] == half
    assert np.abs(np.diff(way[:120], axis=0)).max() < 0.06
    assert way[110, 2] - way[50, 2] == pytest.approx(0.4, abs=1e-6)


def test_a_thing_that_turns_is_turned_in_films() -> None:
    ends = np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]])
    shown = Prop(*ends, np.array([0.1]), (1.0, 1.0, 1.0), np.array([[5.0, 1.0, 0.0, np.pi / 2]]))
    np.testing.assert_allclose(shown.figures(0.0).stop[0], [6.0, 1.0, 0.0], atol=1e-12)


def test_a_picture_of_dominoes_lies_on_the_floor_where_it_is_to_be_filled() -> None:
    thing = picture_thing(Picture(["##.", "#.."]), Placement())
    right, corner, below = (np.array(box.middle) for box in thing.boxes)
    # it can be read from -Z, where +X is on the left
    assert np.allclose(right - corner, [-CELL, 0.0, 0.0])
    assert np.allclose(below - corner, [0.0, 0.0, -CELL])
    assert np.allclose(corner[[0, 2]], [CELL, 0.5 * CELL])  # the middle of the bitmap is the origin
    assert len(thing.prop.figures(0.0).start) == 0  # films do not draw it


def test_a_draft_is_shorter_the_more_people_there_are() -> None:
    few, many = draft_of(Scene.load("boxing")).seconds, draft_of(Scene.load("spiral")).seconds
    assert 1.0 < many < few


def test_cars_and_walls_are_things_of_every_take() -> None:
    """What `randori.simulate` gives has them, as what the command line writes."""
    scene = Scene.load("car-in-the-street")
    take = simulate(scene.changed(camera=scene.camera.model_copy(update={"follow": False})), seconds=0.5)
    assert len(take.props) == len(things_of(scene, take)) == CAR_PARTS + len(scene.walls)
    assert np.degrees(take.view.elevation) == pytest.approx(scene.camera.elevation)
