"""Places of the camera from which everything is in the picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from randori.render.figures import Figures

FIELD_OF_VIEW = math.radians(26.0)  # a long lens: bodies near the edge keep their proportions
ELEVATION = math.radians(14.0)
MARGIN = 1.08  # the picture is this much wider and higher than what must be in it
_LOWEST_HEIGHT = 0.1  # metres: the floor is not seen from below
_TALL_HEIGHT = 1.85  # metres: people who stand about a focus are in the picture
_SIDES = 24  # points of the circle about a focus that must be in the picture
_STEADY_SECONDS = 0.6  # seconds: how slowly a following camera moves


@dataclass(frozen=True, eq=False)
class Camera:
    """Level from side to side; it looks from its position to its target."""

    position: np.ndarray  # (3,) metres
    target: np.ndarray  # (3,) metres
    field_of_view: float = FIELD_OF_VIEW  # radians, from the bottom of the picture to its top

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", np.array(self.position, dtype=float))
        object.__setattr__(self, "target", np.array(self.target, dtype=float))

    @cached_property
    def axes(self) -> np.ndarray:
        """(3, 3) right, up and forward."""
        return _axes(self.target - self.position)

    @cached_property
    def distance(self) -> float:
        """Metres from the target."""
        return float(np.linalg.norm(self.position - self.target))

    def at(self, distance: float) -> "Camera":
        """The same camera at another distance from its target."""
        position = self.target + (self.position - self.target) * distance / self.distance
        return Camera(position, self.target, self.field_of_view)


@dataclass(frozen=True)
class Direction:
    """From where a camera looks at its target."""

    azimuth: float  # radians: 0 = from +Z, a quarter turn = from +X
    elevation: float = ELEVATION  # radians above the floor

    @property
    def back(self) -> np.ndarray:
        """(3,) unit, from the target to the camera."""
        # never quite level and never quite from above: the floor and the sides must be seen
        elevation = min(max(self.elevation, math.radians(1.0)), math.radians(89.0))
        level = math.cos(elevation)
        return np.array([level * math.sin(self.azimuth), math.sin(elevation), level * math.cos(self.azimuth)])

    def at(self, target: np.ndarray, distance: float) -> Camera:
        """The camera at a distance from its target, above the floor."""
        position = target + distance * self.back
        return Camera(np.array([position[0], max(position[1], _LOWEST_HEIGHT), position[2]]), target)


@dataclass(frozen=True, eq=False)
class Focus:
    """The part of a wide scene that pictures are about: cameras go with it."""

    path: np.ndarray  # (F, 2) metres, x and z
    reach: np.ndarray  # (F,) metres about it that are in the picture
    deep: np.ndarray  # (F,) metres towards the camera and away from it
    fps: float
    front: float | None = None  # radians, the side that shows it best; None: the characters tell
    least: float = (
        0.0  # of the picture's height that a person in the middle takes, even if others are cut off
    )
    turn: np.ndarray | None = None  # (F,) radians that cameras go around it, from their side on; None: 0

    @classmethod
    def on(cls, path: np.ndarray, reach: np.ndarray, fps: float, front: float | None = None) -> "Focus":
        """Something that moves along a path (F, 2), which may jitter, and so many metres (F,) about it."""
        rows = steady(np.column_stack([path, reach]), fps)
        return cls(rows[:, :2], rows[:, 2], rows[:, 2], fps, front)

    def at(self, times: np.ndarray) -> np.ndarray:
        """(T, 5) x and z of the middle, the reach, how deep it is, and how far cameras go around it."""
        frames = np.asarray(times) * self.fps
        turn = np.zeros(len(self.path)) if self.turn is None else self.turn
        rows = np.column_stack([self.path, self.reach, self.deep, turn])
        return np.stack([np.interp(frames, np.arange(len(rows)), column) for column in rows.T], axis=-1)

    def near(self, spots: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Spots (C, T, 2) relative to the middle; (C, T) whether they are within reach."""
        rows = self.at(times)
        away = spots - rows[None, :, :2]
        return away, np.hypot(away[..., 0], away[..., 1]) < rows[:, 2]


def _axes(forward: np.ndarray) -> np.ndarray:
    x, y, z = forward / math.sqrt(forward @ forward)
    level = math.hypot(x, z)
    rx, rz = -z / level, x / level  # right is level, across forward
    return np.array([[rx, 0.0, rz], [-rz * y, rz * x - rx * z, rx * y], [x, y, z]])


def _needed(
    figures: Figures, direction: Direction, aspect: float, target: np.ndarray
) -> tuple[np.ndarray, ...]:
    """For the right, left, upper and lower edge: the distance at which the picture just holds everything."""
    centres, radii = figures.spheres()
    x, y, z = _axes(-direction.back) @ (centres - target).T
    high = math.tan(0.5 * FIELD_OF_VIEW) / MARGIN
    wide = high * aspect
    room_x, room_y = radii * math.sqrt(1.0 + 1.0 / wide**2), radii * math.sqrt(1.0 + 1.0 / high**2)
    return tuple(
        np.max(edge - z)
        for edge in (x / wide + room_x, -x / wide + room_x, y / high + room_y, -y / high + room_y)
    )


def frame_all(frames: Sequence[Figures], direction: Direction, aspect: float) -> Camera:
    """One camera that stands still and sees everything in all frames."""
    target = np.mean([figures.spheres()[0].mean(axis=0) for figures in frames], axis=0)
    right, left, upper, lower = np.max(
        [_needed(figures, direction, aspect, target) for figures in frames], axis=0
    )
    axes = _axes(-direction.back)
    high = math.tan(0.5 * FIELD_OF_VIEW) / MARGIN
    target = target + 0.5 * (right - left) * high * aspect * axes[0] + 0.5 * (upper - lower) * high * axes[1]
    return direction.at(target, float(max(0.5 * (right + left), 0.5 * (upper + lower))))


def frame_around(
    frames: Sequence[Figures], centres: np.ndarray, direction: Direction, aspect: float
) -> list[Camera]:
    """A camera per frame, all from the same height and distance, around the centres (F, 2), x and z."""
    heights = np.array([_height(figures) for figures in frames])
    middle = 0.5 * float(heights.max())
    targets = [np.array([x, middle, z]) for x, z in centres]
    distance = max(
        float(np.max(_needed(figures, direction, aspect, target))) for figures, target in zip(frames, targets)
    )
    return [direction.at(target, distance) for target in targets]


def frame_focus(focus: Focus, times: np.ndarray, direction: Direction, aspect: float) -> list[Camera]:
    """A camera per time that sees all within the focus' reach, people there from head to foot."""
    angles = np.linspace(0.0, 2.0 * math.pi, _SIDES, endpoint=False)
    up, none = np.array([0.0, 0.5 * _TALL_HEIGHT, 0.0]), np.zeros(_SIDES)
    cameras, high = [], math.tan(0.5 * FIELD_OF_VIEW)
    for x, z, reach, deep, turn in focus.at(times):
        side = Direction(direction.azimuth + turn, direction.elevation)
        right, _, forward = _axes(np.array([-side.back[0], 0.0, -side.back[2]]))
        around = reach * np.sin(angles)[:, None] * right + deep * np.cos(angles)[:, None] * forward
        post = Figures(around - up, around + up, none, none, np.zeros((_SIDES, 3)))
        right_edge, left_edge, upper, lower = _needed(post, side, aspect, np.zeros(3))
        distance = float(max(right_edge, left_edge, 0.5 * (upper + lower)))
        if focus.least > 0.0:
            distance = min(distance, 0.5 * _TALL_HEIGHT / (focus.least * high))
        # as much room above as below: what is near reaches farther down
        raised = 0.5 * (upper - lower) * high / MARGIN * _axes(-side.back)[1]
        cameras.append(side.at(np.array([x, 0.5 * _TALL_HEIGHT, z]) + raised, distance))
    return cameras


def _height(figures: Figures) -> float:
    centres, radii = figures.spheres()
    return float((centres[:, 1] + radii).max())


def steady(centres: np.ndarray, fps: float) -> np.ndarray:
    """The path (F, n) of something that is followed, without its jitter: a wide Gaussian over time."""
    width = _STEADY_SECONDS * fps
    reach = int(3.0 * width) + 1
    weights = np.exp(-0.5 * np.square(np.arange(-reach, reach + 1) / width))
    # beyond its ends the path goes on as it came, so that the camera neither starts nor stops with a jolt
    padded = np.pad(centres, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    return np.stack(
        [np.convolve(padded[:, k], weights / weights.sum(), mode="valid") for k in range(centres.shape[1])],
        axis=-1,
    )
