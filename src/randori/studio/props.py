"""Things of a scene as the page shows them: the cones of pictures, and boxes for what has flat sides."""

from math import atan2, hypot

import numpy as np

from randori.render.stage import Prop
from randori.scene.part import Box, Thing
from randori.scene.scene import Scene, WallTable
from randori.scene.take import Take
from randori.scene.things import CAR_PARTS, wall_prop
from randori.studio import buffers
from randori.studio import messages as wire


def things_of(scene: Scene | None, take: Take) -> list[buffers.Thing]:
    """All that is seen beside the characters of a take: the cars of its scene, its walls, and the rest."""
    cars, walls = (CAR_PARTS * len(scene.cars), list(scene.walls)) if scene is not None else (0, [])
    things = []
    for number, prop in enumerate(take.props):
        if number < cars:
            thing = Thing("car", prop)
        elif number < cars + len(walls):
            thing = wall_thing(walls[number - cars])
        else:
            thing = Thing("thing", prop)
        moves = len(prop.path) > 1 or bool(prop.path.any())
        things.append(buffers.Thing(to_wire(thing, 0 if moves else -1), prop.path if moves else None))
    return things


def wall_thing(wall: WallTable) -> Thing:
    """A wall, as a flat box."""
    (ax, az), (bx, bz) = wall.start, wall.stop
    flat = Box(
        _point((0.5 * (ax + bx), 0.5 * wall.height, 0.5 * (az + bz))),
        _point((wall.thickness, wall.height, hypot(bx - ax, bz - az) + wall.thickness)),
        atan2(bx - ax, bz - az),
    )
    return Thing("wall", wall_prop(wall), (flat,))


def to_wire(thing: Thing, path: int) -> wire.Prop:
    """A thing for the page; `path` is the number of its path, or -1."""
    prop: Prop = thing.prop
    return wire.Prop(
        name=thing.name,
        colour=prop.colour,
        starts=[_point(row) for row in prop.start],
        stops=[_point(row) for row in prop.stop],
        radii=prop.radius.tolist(),
        boxes=[wire.Box(middle=box.middle, size=box.size, turn=box.turn) for box in thing.boxes],
        path=path,
    )


def _point(values: np.ndarray | tuple[float, float, float]) -> wire.Point:
    x, y, z = (round(float(value), 4) for value in values)
    return x, y, z
