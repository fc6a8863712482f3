"""Things of a scene as pictures show them: cars and walls, made of round cones as everything is."""

from collections.abc import Sequence
from math import atan2

import numpy as np

from randori.duel.solids import Car
from randori.motion import rotations as rot
from randori.render.stage import Prop
from randori.scene.scene import CarTable, Scene, WallTable
from randori.timeline.timeline import Event

_BRICK, _PAINT = (0.62, 0.45, 0.38), (0.72, 0.15, 0.13)
_GLASS, _RUBBER = (0.16, 0.2, 0.25), (0.12, 0.12, 0.13)
_COURSE = 0.8  # share of a wall's thickness from one course to the next
_DIGITS = 4  # after the point, of metres
# a car that drives along +Z, its middle on the floor below the origin: (start, stop, radius), metres
_ACROSS = [-0.6, -0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45, 0.6]
_BODY = [
    *(((x, 0.5, -1.8), (x, 0.46, 1.82), 0.26) for x in _ACROSS),
    *(((x, 0.66, -1.66), (x, 0.58, 1.56), 0.2) for x in _ACROSS),
    *(((x, 1.32, -0.95), (x, 1.32, 0.15), 0.09) for x in _ACROSS[1:-1]),
]
_CABIN = [
    *(((x, 0.9, -1.3), (x, 1.24, -0.9), 0.13) for x in _ACROSS),
    *(((x, 1.1, -0.9), (x, 1.1, 0.2), 0.2) for x in (-0.48, 0.48)),
    *(((x, 0.85, 0.75), (x, 1.24, 0.12), 0.13) for x in _ACROSS),
]
_WHEELS = [
    ((side * 0.7, 0.31, z), (side * 0.78, 0.31, z), 0.31) for side in (-1.0, 1.0) for z in (-1.22, 1.26)
]
_PARTS = ((_PAINT, _BODY), (_GLASS, _CABIN), (_RUBBER, _WHEELS))
CAR_PARTS = len(_PARTS)  # props of a car


def scene_props(scene: Scene, events: Sequence[Event], ticks: int, fps: float) -> list[Prop]:
    """The cars and walls of a scene; cars drive as the events say."""
    props = []
    for number, car in enumerate(scene.cars):
        path = _driven(scene, number, events, ticks, fps)
        props += [Prop(one.start, one.stop, one.radius, one.colour, path, fps) for one in car_parts(car)]
    return props + [wall_prop(wall) for wall in scene.walls]


def _driven(scene: Scene, number: int, events: Sequence[Event], ticks: int, fps: float) -> np.ndarray:
    """(F, 4) metres and radians, the way of a car; it is turned already."""
    table = scene.cars[number]
    whom = [member.name for member in scene.members("duel")].index(table.runs_over)
    car = Car((table.start, table.stop), whom, 0.0, 0.0, table.speed)
    for event in events:
        if event.kind == "sets off" and event.whom == whom and event.point is not None:
            car.launch(event.tick, event.point)
    places = car.place(np.arange(ticks + 1), fps)
    return np.column_stack([places[:, 0], np.zeros(len(places)), places[:, 1], np.zeros(len(places))])


def car_parts(car: CarTable) -> list[Prop]:
    """A car around its place, turned the way it drives."""
    turn = rot.from_yaw(atan2(car.stop[0] - car.start[0], car.stop[1] - car.start[1]))
    return [
        _prop(colour, [(rot.rotate(turn, a), rot.rotate(turn, b), r) for a, b, r in cones])
        for colour, cones in _PARTS
    ]


def wall_prop(wall: WallTable) -> Prop:
    """A wall, made of courses, one above the other."""
    radius = 0.5 * wall.thickness
    heights = np.arange(radius, max(wall.height - 0.5 * radius, 1.5 * radius), _COURSE * wall.thickness)
    (ax, az), (bx, bz) = wall.start, wall.stop
    return _prop(_BRICK, [((ax, y, az), (bx, y, bz), radius) for y in heights.tolist()])


def _prop(
    colour: tuple[float, float, float],
    cones: Sequence[tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray, float]],
) -> Prop:
    starts, stops, radii = zip(*cones)
    points = [np.array([[round(float(v), _DIGITS) for v in row] for row in ends]) for ends in (starts, stops)]
    return Prop(points[0], points[1], np.array(radii), colour)
