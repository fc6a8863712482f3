"""Things that walkers meet: a ball, people who walk in, bars to crawl or duck under and to jump over."""

from dataclasses import dataclass, field

import numpy as np

from randori.prepare.reference_posture import JUMP, passing_heights
from randori.prepare.repertoire import Repertoire

GRAVITY = 9.81  # metres per second²
BALL_RADIUS = 0.11  # metres
_BOUNCE_SHARE = 0.62  # share of its speed that a ball keeps upwards
_ROLLING_DECAY = 1.1  # per second: how fast a rolling ball loses its speed
_LIES_STILL = 0.25  # metres per second: a ball that is slower lies still, and can be kicked again
_LOFT_SHARE = 0.32  # share of its speed that a kicked ball gets upwards
_REBOUND_FACTOR = 1.15  # times the speed of the foot that a ball flies at
_ABOVE_HEAD = 0.08  # metres from the crown, or the highest joint, to a bar that is passed under
_BELOW_FEET = 0.12  # metres from the lowest joint to one that is jumped over
_BAR_WIDE = 0.85  # metres to either side
_ROOM_AT_ENDS = 0.3  # metres that a walker needs beside a post
_BAR = 0.03  # metres, its radius


@dataclass
class Ball:
    """A ball on the floor, or in the air."""

    place: np.ndarray  # (3,) metres, its middle
    speed: np.ndarray = field(default_factory=lambda: np.zeros(3))  # metres per second
    kicked: bool = False

    def kick(self, velocity: np.ndarray) -> None:
        """Fly the way a foot goes."""
        self.speed = _REBOUND_FACTOR * velocity * np.array([1.0, 0.0, 1.0])
        self.speed[1] = _LOFT_SHARE * float(np.linalg.norm(self.speed))
        self.kicked = True

    def step(self, seconds: float) -> None:
        """Fly, bounce and roll on for a moment."""
        self.speed[1] -= GRAVITY * seconds
        self.place = self.place + self.speed * seconds
        if self.place[1] < BALL_RADIUS:
            self.place[1] = BALL_RADIUS
            self.speed[1] = -_BOUNCE_SHARE * self.speed[1] if self.speed[1] < -0.6 else 0.0
            self.speed[[0, 2]] *= np.exp(-_ROLLING_DECAY * seconds)
            if float(np.linalg.norm(self.speed)) < _LIES_STILL:
                self.speed[:] = 0.0
                self.kicked = False


@dataclass(frozen=True)
class Obstacle:
    """A bar across the way."""

    technique: str  # the target motion that gets past it
    place: tuple[float, float]  # x, z metres of its middle
    across: float  # radians, the yaw of the way that it lies across
    height: float  # metres, of the bar

    def ends(self) -> np.ndarray:
        """(2, 3) metres, the ends of the bar."""
        side = _BAR_WIDE * np.array([np.cos(self.across), 0.0, -np.sin(self.across)])
        middle = np.array([self.place[0], self.height, self.place[1]])
        return np.stack([middle - side, middle + side])

    def nearest(self, x: float, z: float) -> tuple[float, float]:
        """The place below the bar that is nearest, not quite at its ends."""
        side = np.array([np.cos(self.across), -np.sin(self.across)])
        along = float(side @ np.array([x - self.place[0], z - self.place[1]]))
        most = _BAR_WIDE - _ROOM_AT_ENDS
        place = np.array(self.place) + min(max(along, -most), most) * side
        return float(place[0]), float(place[1])


def fit_obstacle(
    repertoire: Repertoire, technique: str, place: tuple[float, float], across: float
) -> Obstacle:
    """A bar as high, or as low, as the target motion that gets past it allows."""
    target, library = repertoire.find(technique), repertoire.library
    heading = repertoire.model.heading[target.effect]
    ahead = np.array([np.sin(heading), 0.0, np.cos(heading)])
    middle = library.frames.root_position[target.effect]
    low, high = passing_heights(library, target.reference, target.stop, middle, ahead)
    height = low - _BELOW_FEET if target.doing == JUMP else high + _ABOVE_HEAD
    return Obstacle(technique, place, across, height)


def cones(obstacle: Obstacle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts (K, 3), stops (K, 3) and radii (K,) in metres of a bar and its posts, to be drawn."""
    ends = obstacle.ends()
    feet = ends * np.array([1.0, 0.0, 1.0])
    return np.stack([ends[0], *feet]), np.stack([ends[1], *ends]), np.full(3, _BAR)
