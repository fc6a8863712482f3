"""Walls and cars as the page and films show them."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from randori.scene.scene import Scene, WallTable
from randori.studio.props import CAR_PARTS, things_of, wall_prop
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
    return SimpleNamespace(fps=60.0, ticks=240, events=events, roles=roles)


def test_a_wall_is_as_long_and_as_high_as_the_scene_says() -> None:
    prop = wall_prop(WallTable(start=(2.0, -1.0), stop=(2.0, 4.0), thickness=0.2, height=2.4))
    starts, stops, radii = np.array(prop.starts), np.array(prop.stops), np.array(prop.radii)
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
    driven = things_of(scene, take_with((Event(60, "sets off", -1, 1, "car"),)))
    cars = [thing for thing in driven if thing.prop.name == "car"]
    assert len(cars) == CAR_PARTS
    path = cars[0].path
    assert path is not None
    assert path[60, 0] == -20.0
    assert -3.0 < path[-1, 0] < 0.0  # its front is just past the victim
    assert abs(path[-1, 2] - 0.5) < 1.0
    assert (np.diff(path[:, 0]) >= 0.0).all()
    assert [thing.prop.name for thing in driven][-1] == "wall"
    assert driven[-1].path is None


def test_a_car_looks_the_way_it_drives() -> None:
    scene = Scene.parse(TEXT)
    body = things_of(scene, take_with(()))[0].prop
    ends = np.array([*body.starts, *body.stops])
    assert np.ptp(ends[:, 0]) > 3.0  # long along its road
    assert np.ptp(ends[:, 2]) < 1.5
