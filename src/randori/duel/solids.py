"""Things that are in the way: walls, borders of an area, a car. All flat, seen from above."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from randori.body.obstacles import Obstacle
from randori.motion import rotations as rot

BODY = 0.35  # metres from the pelvis that must be free
_BRAKING_DECELERATION = 8.0  # m/s² of tyres on a dry road
_STRIKES_WITH = 0.62  # of its speed: the driver has seen the victim, but too late
_VICTIM_INSET = 0.6  # metres from the side of its lane that its victim stands as it sets off
_STANDING_SPEED = 0.5  # metres per second up to which a car only stands in the way
# A car that drives along +Z, its middle on the floor below the origin: the middle of a box, half its size
# without its round edges, the radius of these, and how far it leans back
# (radians). As scene/things.py draws it.
_CAR_BOXES = (
    ((0.0, 0.3, 0.0), (0.65, 0.3, 1.86), 0.2, 0.0),  # bonnet, boot and all below
    ((0.0, 1.0, -0.55), (0.52, 0.28, 0.62), 0.13, 0.0),  # cabin
    ((0.0, 1.045, 0.435), (0.58, 0.02, 0.37), 0.13, 0.554),  # windscreen
)


class Solid(Protocol):
    """Solid bodies that choices have to stay out of."""

    def depth(self, points: np.ndarray) -> np.ndarray:
        """Metres by which points (…, 2) are too far inside; not positive for points that are free."""


@dataclass(frozen=True)
class Wall:
    """A straight wall with round ends."""

    start: tuple[float, float]  # x, z metres
    stop: tuple[float, float]
    thickness: float = 0.2  # metres
    height: float = 2.4

    def depth(self, points: np.ndarray) -> np.ndarray:
        return self._reach - np.linalg.norm(points - self._nearest(points), axis=-1)

    @property
    def _reach(self) -> float:
        return 0.5 * self.thickness + BODY

    def obstacle(self) -> Obstacle:
        """The obstacle that bodies run into."""
        (ax, az), (bx, bz) = self.start, self.stop
        radius = 0.5 * self.thickness
        high = max(self.height - radius, 0.0)  # of its core, which stands on the floor
        half = np.array([[0.0, 0.5 * high, 0.5 * np.hypot(bx - ax, bz - az)]])
        middle = [0.5 * (ax + bx), 0.5 * high, 0.5 * (az + bz), np.arctan2(bx - ax, bz - az)]
        turned, radii = rot.IDENTITY[None], np.array([radius])
        return Obstacle("wall", np.zeros((1, 3)), turned, half, radii, np.array([middle]))

    def _nearest(self, points: np.ndarray) -> np.ndarray:
        """(…, 2) the points of its middle line that are nearest."""
        a, b = np.array(self.start), np.array(self.stop)
        along = b - a
        share = np.clip((points - a) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        return a + share[..., None] * along

    def side(self, points: np.ndarray) -> np.ndarray:
        """(…,) 1 or -1: the side of its line on which points are."""
        x, z = np.array(self.stop) - np.array(self.start)
        off = points - np.array(self.start)
        return np.where(off[..., 0] * z - off[..., 1] * x >= 0.0, 1.0, -1.0)

    def seen_from(self, side: float) -> "Face":
        """The wall for a fighter on that side of it."""
        return Face(self, side)


@dataclass(frozen=True)
class Face:
    """A wall seen from one side: a fighter on the other side has come through it."""

    wall: Wall
    side: float

    def depth(self, points: np.ndarray) -> np.ndarray:
        free, nearest = self.wall.depth(points), self.wall._nearest(points)
        ends = np.stack([np.array(self.wall.start), np.array(self.wall.stop)])
        beside = (np.linalg.norm(nearest[..., None, :] - ends, axis=-1) > 0.0).all(axis=-1)
        through = beside & (self.wall.side(points) * self.side < 0.0)
        away = np.linalg.norm(points - nearest, axis=-1)
        return np.where(through, free + 2.0 * away, free)

    def push(self, points: np.ndarray) -> np.ndarray:
        """(2,) metres that a way of points (K, 2) has to be moved by, so as not to get into the wall."""
        x, z = np.array(self.wall.stop) - np.array(self.wall.start)
        out = self.side * np.array([z, -x]) / max(float(np.hypot(x, z)), 1e-12)
        return max(float(self.depth(points).max()), 0.0) * out


@dataclass(frozen=True)
class Border:
    """A line that is not to be crossed: where normal · p is less than the offset, it is free."""

    normal: tuple[float, float]
    offset: float  # metres

    def depth(self, points: np.ndarray) -> np.ndarray:
        return points @ np.array(self.normal) - self.offset


@dataclass(frozen=True)
class Strip:
    """A straight strip of ground that is kept free, or that is not to be left."""

    middle: tuple[float, float]  # a point of its middle line
    across: tuple[float, float]  # unit, from one side to the other
    half_width: float  # metres
    inside: bool  # whether one has to stay in it

    def depth(self, points: np.ndarray) -> np.ndarray:
        off = np.abs((points - np.array(self.middle)) @ np.array(self.across))
        return off - self.half_width if self.inside else self.half_width + BODY - off


def deepest(solids: Sequence[Solid], points: np.ndarray) -> np.ndarray:
    """(C,) metres that tracks (C, K, 2) get into any of some things; not positive if they are free."""
    if not solids:
        return np.full(len(points), -np.inf)
    return np.max([solid.depth(points).max(axis=-1) for solid in solids], axis=0)


@dataclass
class Car:
    """A car that comes down a road and runs over its victim, and if it can no other fighter."""

    road: tuple[tuple[float, float], tuple[float, float]]  # where it comes from, where it heads: x, z metres
    whom: int
    time: float  # seconds at which it may set off
    patience: float = 6.0  # seconds that it waits for a good moment
    speed: float = 9.0  # metres per second
    half_road: float = 2.0  # metres to either side that it may use
    half_width: float = 0.9
    half_length: float = 2.1
    launched: int = -1  # tick in which it sets off
    lane: float = 0.0  # metres that it drives beside the road's middle line, to its left
    victim_at: float = 0.0  # metres along the road where it strikes

    @property
    def along(self) -> np.ndarray:
        """(2,) unit, the way it drives."""
        way = np.array(self.road[1]) - np.array(self.road[0])
        return way / np.linalg.norm(way)

    @property
    def across(self) -> np.ndarray:
        """(2,) unit, to its left."""
        x, z = self.along
        return np.array([z, -x])

    @property
    def _halt(self) -> float:
        """Metres along the road at which its middle comes to a halt."""
        behind = 0.5 * (_STRIKES_WITH * self.speed) ** 2 / _BRAKING_DECELERATION  # where its front strikes
        return self.victim_at + behind - self.half_length

    def place(self, ticks: np.ndarray, fps: float) -> np.ndarray:
        """(T, 2) metres, where its middle is."""
        start = np.array(self.road[0])
        if self.launched < 0:
            return np.tile(start, (len(ticks), 1))
        time = np.maximum(ticks - self.launched, 0) / fps
        stop = self._halt
        brakes = max(stop - 0.5 * self.speed**2 / _BRAKING_DECELERATION, 0.0)
        slowing = self.speed**2 / (2.0 * max(stop - brakes, 0.1))
        late = np.clip(time - brakes / self.speed, 0.0, self.speed / slowing)
        gone = np.minimum(self.speed * time, brakes) + self.speed * late - 0.5 * slowing * late**2
        return start + gone[:, None] * self.along + self.lane * self.across

    def obstacle(self, ticks: int, fps: float) -> Obstacle:
        """The obstacle that bodies run into, in the ticks from 0 to the last one."""
        places, yaw = self.place(np.arange(ticks + 1), fps), np.arctan2(*self.along)
        path = np.column_stack([places[:, 0], np.zeros(len(places)), places[:, 1], np.full(len(places), yaw)])
        middles, halves, radii, leans = (np.array(column) for column in zip(*_CAR_BOXES))
        turned = rot.from_axis_angle(rot.X_AXIS, leans)
        return Obstacle("car", middles, turned, halves, radii, path)

    @property
    def target(self) -> tuple[float, float, float]:
        """The place that the front of the car strikes, in metres."""
        x, z = np.array(self.road[0]) + self.victim_at * self.along + self.lane * self.across
        return float(x), 0.0, float(z)

    def launch(self, tick: int, target: tuple[float, float, float]) -> None:
        """Set off in a tick, to strike at a target."""
        off = np.array([target[0], target[2]]) - np.array(self.road[0])
        self.launched = tick
        self.victim_at, self.lane = float(off @ self.along), float(off @ self.across)

    def touches(self, points: np.ndarray, ticks: np.ndarray, fps: float) -> np.ndarray:
        """(T,) bool: whether a body at points (T, 2) is in the car, while that drives."""
        if self.launched < 0:
            return np.zeros(len(ticks), dtype=bool)
        here = self.place(ticks, fps)
        off, speed = points - here, np.linalg.norm(here - self.place(ticks - 1, fps), axis=-1) * fps
        inside = (np.abs(off @ self.across) < self.half_width) & (speed > _STANDING_SPEED)
        return inside & (np.abs(off @ self.along) < self.half_length + 0.5 * BODY)

    def standing(self) -> Solid:
        """Itself, where it comes to a halt."""
        halt = np.array(self.road[0]) + self._halt * self.along + self.lane * self.across
        ends = [halt + sign * (self.half_length - self.half_width) * self.along for sign in (-1.0, 1.0)]
        (x, z), (to_x, to_z) = ((float(end[0]), float(end[1])) for end in ends)
        return Wall((x, z), (to_x, to_z), 2.0 * self.half_width)

    def look(self, tick: int, fps: float, pelvises: np.ndarray) -> bool:
        """Set off, if it is time and its victim alone on the road; or with others, when it is tired of that.

        Whether it does so now.
        """
        seconds = tick / fps
        if self.launched >= 0 or seconds < self.time:
            return False
        off = (pelvises - np.array(self.road[0])) @ np.stack([self.along, self.across], axis=1)
        victim, others = off[self.whom], np.delete(off, self.whom, axis=0)
        # it drives past the others: on the far side of the victim, as seen from them
        side = np.sign(victim[1] - others[:, 1].mean()) or 1.0
        aside, room = self.half_width - _VICTIM_INSET, max(self.half_road - self.half_width, 0.0)
        lane = np.clip(victim[1] + side * aside, -room, room)
        if abs(victim[1] - lane) > aside + 1e-9:
            return False  # it does not leave the road
        clear = np.abs(others[:, 1] - lane).min() - self.half_width - BODY
        if clear < 0.0 and seconds < self.time + self.patience:
            return False
        self.launched, self.lane, self.victim_at = tick, float(lane), float(victim[0])
        return True

    def lane_for(self, who: int) -> Solid:
        """Its lane: the victim stays in the middle of it, all others stay out.

        A body that only the edge of a car brushes is not thrown.
        """
        middle = np.array(self.road[0]) + self.lane * self.across
        inside = who == self.whom
        half_width = 0.5 * self.half_width if inside else self.half_width
        x, z = self.across
        return Strip((float(middle[0]), float(middle[1])), (float(x), float(z)), half_width, inside)
