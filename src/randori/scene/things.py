"""Things of a scene as pictures show them: cars and walls, made of round cones as everything is."""

from collections.abc import Sequence
from itertools import pairwise
from math import atan2

import numpy as np

from randori.duel.solids import Car
from randori.motion import rotations as rot
from randori.render.stage import Prop
from randori.scene.scene import CarTable, Scene, WallTable
from randori.timeline.timeline import Event

_Cone = tuple[tuple[float, float, float], tuple[float, float, float], float]  # start, stop, radius: metres

_BRICK, _PAINT = (0.62, 0.45, 0.38), (0.72, 0.15, 0.13)
_GLASS, _RUBBER, _METAL = (0.16, 0.2, 0.25), (0.12, 0.12, 0.13), (0.55, 0.56, 0.58)
_LAMP, _TAIL_LAMP = (0.96, 0.93, 0.78), (0.5, 0.03, 0.03)
_COURSE = 0.35  # share of a wall's thickness from one course to the next: its face looks flat
_DIGITS = 4  # after the point, of metres
# Metres between the cones that make a surface of a car: it looks smooth from a few metres away.
_CAR_SPACING = 0.06
_TYRE_CONES = 18  # around a wheel


def _sheet(half_width: float, start: tuple[float, float], stop: tuple[float, float], r: float) -> list[_Cone]:
    """A surface as wide as the car, from one (y, z) to another."""
    count = 1 + round(2.0 * half_width / _CAR_SPACING)
    across = np.linspace(-half_width, half_width, count).tolist()
    return [((x, *start), (x, *stop), r) for x in across]


def _on_both_sides(*cones: _Cone) -> list[_Cone]:
    return [((s * a[0], *a[1:]), (s * b[0], *b[1:]), r) for a, b, r in cones for s in (-1.0, 1.0)]


def _ring(z: float, radius: float, thickness: float) -> list[_Cone]:
    """A ring about the axle at z, on both sides."""
    turns = np.linspace(0.0, 2.0 * np.pi, _TYRE_CONES + 1)
    points = [(0.8, 0.31 + radius * float(np.sin(a)), z + radius * float(np.cos(a))) for a in turns]
    return _on_both_sides(*((a, b, thickness) for a, b in pairwise(points)))


# A car that drives along +Z, its middle on the floor below the origin.
_BODY = [
    *_sheet(0.6, (0.5, -1.8), (0.46, 1.82), 0.26),
    *_sheet(0.6, (0.66, -1.66), (0.58, 1.56), 0.2),
    *_sheet(0.5, (1.33, -0.95), (1.33, 0.15), 0.08),
    *_on_both_sides(
        ((0.64, 0.86, 0.78), (0.58, 1.3, 0.16), 0.055),  # pillars
        ((0.62, 0.86, -0.4), (0.57, 1.3, -0.4), 0.05),
        ((0.64, 0.86, -1.36), (0.58, 1.3, -0.96), 0.055),
        ((0.55, 1.33, 0.15), (0.55, 1.33, -0.95), 0.07),
        ((0.76, 0.92, 0.6), (0.82, 0.93, 0.6), 0.055),  # mirrors
    ),
]
_CABIN = [
    *_sheet(0.56, (0.9, -1.3), (1.24, -0.9), 0.1),
    *_on_both_sides(
        ((0.46, 0.92, -1.2), (0.46, 0.92, 0.6), 0.16), ((0.42, 1.14, -0.85), (0.42, 1.14, 0.1), 0.16)
    ),
    *_sheet(0.56, (0.86, 0.75), (1.24, 0.14), 0.1),
]
_WHEELS = [*_ring(-1.22, 0.22, 0.09), *_ring(1.26, 0.22, 0.09)]
_BUMPERS = [
    *_ring(-1.22, 0.1, 0.06),
    *_ring(1.26, 0.1, 0.06),
    ((-0.66, 0.36, 2.02), (0.66, 0.36, 2.02), 0.08),
    ((-0.66, 0.38, -2.0), (0.66, 0.38, -2.0), 0.08),
]
_PARTS = (
    (_PAINT, _BODY),
    (_GLASS, _CABIN),
    (_RUBBER, _WHEELS),
    (_METAL, _BUMPERS),
    (_LAMP, _on_both_sides(((0.48, 0.55, 2.01), (0.64, 0.55, 1.97), 0.09))),
    (_TAIL_LAMP, _on_both_sides(((0.48, 0.62, -2.0), (0.66, 0.62, -1.96), 0.075))),
)
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
