"""What is to be seen beside the people in a scene of preparation: bars and balls."""

from collections.abc import Sequence

import numpy as np

from randori.prepare.scenes import PreparedScene
from randori.prepare.things import BALL_RADIUS, cones
from randori.render.stage import Prop

_WOOD, _LEATHER = (0.85, 0.55, 0.15), (0.95, 0.95, 0.92)


def things_of(scene: PreparedScene, places: Sequence[np.ndarray]) -> list[Prop]:
    """The things of a scene; `places` are those of what moves, frame by frame."""
    things = []
    for bar in scene.obstacles():
        starts, stops, radii = cones(bar)
        things.append(Prop(starts, stops, radii, _WOOD))
    moving = np.array(places)
    for ball in range(moving.shape[1] if moving.ndim == 3 else 0):
        things.append(Prop.ball(moving[:, ball], BALL_RADIUS, _LEATHER, scene.fps))
    return things
