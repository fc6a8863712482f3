"""From which side a film shows its moments: nothing in front of them, faces seen, bodies large enough."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.kernels import overlap
from randori.motion import rotations as rot
from randori.render.camera import Camera, Direction, Focus, frame_focus
from randori.render.figures import Figures
from randori.render.stage import Character, Stage

_SIDES = 24  # directions that are tried
_SHOWN_PARTS = ("head", "chest", "pelvis", "left_hand", "right_hand", "left_shin", "right_shin")  # of a body
_FACE = 0.4  # weight of a visible face, against that of a visible body
_TURNED_VIEWS = (
    math.radians(75.0),
    math.radians(140.0),
)  # a head that looks less past the camera shows its face; more: none
_DIFFERENCE = 0.1  # of the score: sides that differ less are equally good, and the usual one is taken


class Moment(NamedTuple):
    """Something that must be seen."""

    time: float  # seconds
    people: tuple[int, ...]  # characters that it happens to
    weight: float = 1.0


def choose_front(
    stage: Stage, focus: Focus, moments: Sequence[Moment], elevation: float, aspect: float
) -> float:
    """Radians: the side from which moments are seen best, 0 = from +Z, a quarter turn = from +X."""
    usual = stage.front(np.array([moment.time for moment in moments]))
    sides = usual + np.linspace(0.0, 2.0 * math.pi, _SIDES, endpoint=False)
    scores = np.zeros(_SIDES)
    for moment in moments:
        for number, side in enumerate(sides.tolist()):
            camera = frame_focus(focus, np.array([moment.time]), Direction(side, elevation), aspect)[0]
            seen = visibility(stage, camera, aspect, moment)
            scores[number] += moment.weight * (seen + _FACE * _faces(stage, camera, moment))
    good = np.flatnonzero(scores >= scores.max() - _DIFFERENCE * sum(moment.weight for moment in moments))
    near = np.abs(rot.wrap_angle(sides[good] - usual))
    return float(rot.wrap_angle(sides[good[int(near.argmin())]]))


def visibility(stage: Stage, camera: Camera, aspect: float, moment: Moment) -> float:
    """The share of its people's bodies that a camera sees: in the picture, with nothing in front of them."""
    shares = []
    for number in moment.people:
        others = [one for k, one in enumerate(stage.characters) if k != number]
        blocking = [
            *(one.figures(moment.time) for one in others),
            *(p.figures(moment.time) for p in stage.props),
        ]
        points = _points(stage.characters[number], moment.time)
        shares.append(
            float(
                np.mean(
                    _in_sight(camera, points, Figures.together(blocking)) & _inside(camera, aspect, points)
                )
            )
        )
    return float(np.mean(shares)) if shares else 1.0


def height_share(character: Character, camera: Camera, time: float) -> float:
    """The share of the picture's height from the lowest to the highest point of a character."""
    centres, radii = character.figures(time).spheres()
    _, y, z = camera.axes @ (centres - camera.position).T
    high = z * math.tan(0.5 * camera.field_of_view)
    return float((((y + radii) / high).max() - ((y - radii) / high).min()) / 2.0)


def _points(character: Character, time: float) -> np.ndarray:
    """(P, 3) metres: points of a body that tell what it does."""
    figures, parts = character.figures(time), character.mannequin.parts
    cones = [parts.index(part) for part in _SHOWN_PARTS if part in parts]
    return 0.5 * (figures.start[cones] + figures.stop[cones])


def _in_sight(camera: Camera, points: np.ndarray, blocking: Figures) -> np.ndarray:
    """(P,) bool: points (P, 3) with nothing between them and a camera."""
    if len(blocking) == 0:
        return np.ones(len(points), dtype=bool)
    lines = np.stack([np.broadcast_to(camera.position, points.shape), points], axis=1)[None]
    cones = np.stack([blocking.start, blocking.stop], axis=1)[None]
    depth = np.empty((1, len(points), len(blocking)))
    overlap.depths(
        np.ascontiguousarray(lines), np.zeros(len(points)), cones, blocking.radii.min(axis=0), depth
    )
    clear: np.ndarray = depth[0].max(axis=1) <= 0.0
    return clear


def _inside(camera: Camera, aspect: float, points: np.ndarray) -> np.ndarray:
    """(P,) bool: points (P, 3) that are in the picture."""
    x, y, z = camera.axes @ (points - camera.position).T
    high = z * math.tan(0.5 * camera.field_of_view)
    inside: np.ndarray = (np.abs(y) < high) & (np.abs(x) < aspect * high)
    return inside


def _faces(stage: Stage, camera: Camera, moment: Moment) -> float:
    """The share of its people's faces that a camera sees."""
    shares = []
    for number in moment.people:
        character, times = stage.characters[number], np.array([moment.time])
        towards = camera.position - character.root(times)[0]
        look = character.facing(times)[0]
        off = abs(float(rot.wrap_angle(math.atan2(towards[0], towards[2]) - math.atan2(look[0], look[1]))))
        shares.append(min(max((_TURNED_VIEWS[1] - off) / (_TURNED_VIEWS[1] - _TURNED_VIEWS[0]), 0.0), 1.0))
    return float(np.mean(shares)) if shares else 0.0
