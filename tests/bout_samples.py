"""Two characters that stand still, for tests of how fighters behave and look."""

import numpy as np

from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.timeline.timeline import CHOSEN, Placed

TICKS = 600


def action_of(library: ActionLibrary, kind: str, technique: str = "") -> int:
    """The first action of a kind; an attack has strikes."""
    strikes = np.diff(library.actions.strike_start)
    return next(
        number
        for number, tags in enumerate(library.tags)
        if tags.kind == kind and technique in tags.technique and (kind != "attack" or strikes[number])
    )


def row(library: ActionLibrary, *actions: tuple[int, int, str]) -> tuple[Placed, ...]:
    """Actions in a row: (action, tick, cause), the last until the end; standing before the first."""
    stand = action_of(library, "transition", "stand")
    rows = [(stand, 0, CHOSEN), *actions, (stand, TICKS, CHOSEN)]
    starts = library.actions.start
    return tuple(
        Placed(action, int(starts[action]), tick, rows[number + 1][1], Placement(), cause)
        for number, (action, tick, cause) in enumerate(rows[:-1])
    )


def standing(library: ActionLibrary, x: float, z: float, yaw: float) -> Walk:
    """A character that stands still at a place, its head looking along a direction."""
    frame = int(library.actions.start[action_of(library, "transition", "stand")])
    clip = library.clip(frame, frame, "still")
    rows = np.zeros(TICKS + 1, dtype=np.int64)
    still = clip.with_frames(clip.root_position[rows], clip.rotations[rows])
    turned = Placement(0.0, 0.0, yaw - float(still.heading("head")[0])).move(still)
    at = turned.positions[0, turned.skeleton.joint("head")]
    placed = Placement(x - float(at[0]), z - float(at[2])).move(turned)
    contacts = np.ones((TICKS + 1, 2), dtype=bool)
    return Walk(placed, rows + frame, rows - 1, np.zeros(0, dtype=np.int64), contacts)


def face_to_face(library: ActionLibrary, turned: float = 0.0) -> list[Walk]:
    """Two at a distance of a metre; the second looks past the first by some degrees."""
    return [standing(library, 0.0, 0.0, 0.0), standing(library, 0.0, 1.0, np.pi + np.radians(turned))]
