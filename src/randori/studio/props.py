"""Things of a scene as the page and films show them: walls and cars, made of round cones as everything is."""

from collections.abc import Sequence
from dataclasses import replace
from math import atan2, hypot, radians

import numpy as np

from randori.duel.solids import Car
from randori.motion import rotations as rot
from randori.render.stage import Prop
from randori.scene.filming import filmed
from randori.scene.scene import CarTable, Scene, WallTable
from randori.scene.take import Take, View
from randori.studio import messages as wire
from randori.studio.buffers import Thing, with_yaw

_BRICK, _PAINT = (0.62, 0.45, 0.38), (0.72, 0.15, 0.13)
_GLASS, _RUBBER = (0.16, 0.2, 0.25), (0.12, 0.12, 0.13)
_COURSE = 0.8  # of a wall's thickness from one course to the next
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


def things_of(scene: Scene, take: Take) -> list[Thing]:
    """All that is seen beside the characters of a take; cars drive as they did."""
    things = [
        Thing(prop, path) for number in range(len(scene.cars)) for prop, path in _driven(scene, number, take)
    ]
    return [*things, *(Thing(wall_prop(wall)) for wall in scene.walls)]


def to_props(things: Sequence[Thing], fps: float) -> list[Prop]:
    """Things as films and sheets show them."""
    shown = []
    for thing in things:
        # what is drawn on the floor has no cones
        start, stop = (np.array(ends).reshape(-1, 3) for ends in (thing.prop.starts, thing.prop.stops))
        path = np.zeros((1, 4)) if thing.path is None else with_yaw(thing.path)
        shown.append(Prop(start, stop, np.array(thing.prop.radii), thing.prop.colour, path, fps))
    return shown


def seen(scene: Scene, take: Take) -> Take:
    """A take with the things of its scene, from where the scene wants it to be seen."""
    camera = scene.camera
    view = View(radians(camera.azimuth), radians(camera.elevation), camera.follow)
    shown = replace(take, props=tuple(to_props(things_of(scene, take), take.fps)), view=view)
    return shown if scene.formation is not None else filmed(shown)


def _driven(scene: Scene, number: int, take: Take) -> list[tuple[wire.Prop, np.ndarray]]:
    table = scene.cars[number]
    names = [member.name for member in scene.cast]
    whom = names.index(table.runs_over)
    car = Car((table.start, table.stop), whom, 0.0, 0.0, table.speed)
    for event in take.events:
        if event.kind == "sets off" and event.whom == whom and event.point is not None:
            car.launch(event.tick, event.point)
    places = car.place(np.arange(take.ticks + 1), take.fps)
    path = np.column_stack([places[:, 0], np.zeros(len(places)), places[:, 1]])
    return [(prop, path) for prop in car_props(table, CAR_PARTS * number)]


def car_props(car: CarTable, first: int) -> list[wire.Prop]:
    """A car, turned the way it drives; its paths are those from `first` on."""
    turn = rot.from_yaw(atan2(car.stop[0] - car.start[0], car.stop[1] - car.start[1]))
    return [
        _prop(
            "car",
            colour,
            [(rot.rotate(turn, a).tolist(), rot.rotate(turn, b).tolist(), r) for a, b, r in cones],
            first + k,
        )
        for k, (colour, cones) in enumerate(_PARTS)
    ]


def wall_prop(wall: WallTable) -> wire.Prop:
    """A wall; in films it is made of courses, one above the other."""
    radius = 0.5 * wall.thickness
    heights = np.arange(radius, max(wall.height - 0.5 * radius, 1.5 * radius), _COURSE * wall.thickness)
    (ax, az), (bx, bz) = wall.start, wall.stop
    courses = _prop("wall", _BRICK, [((ax, y, az), (bx, y, bz), radius) for y in heights.tolist()], -1)
    flat = wire.Box(
        middle=_point((0.5 * (ax + bx), 0.5 * wall.height, 0.5 * (az + bz))),
        size=_point((wall.thickness, wall.height, hypot(bx - ax, bz - az) + wall.thickness)),
        turn=atan2(bx - ax, bz - az),
    )
    return courses.model_copy(update={"boxes": [flat]})


def _prop(
    name: str, colour: wire.Colour, cones: Sequence[tuple[Sequence[float], Sequence[float], float]], path: int
) -> wire.Prop:
    starts, stops, radii = zip(*cones)
    return wire.Prop(
        name=name,
        colour=colour,
        starts=[_point(start) for start in starts],
        stops=[_point(stop) for stop in stops],
        radii=list(radii),
        path=path,
    )


def _point(values: Sequence[float]) -> wire.Point:
    x, y, z = (round(float(value), 4) for value in values)
    return x, y, z
