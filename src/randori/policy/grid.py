"""Possible places of a target, as an avatar sees it: angle, distance and height, at regular points."""

import math
from dataclasses import dataclass

import numpy as np

from randori.kernels.policy import GRID


@dataclass(frozen=True)
class Grid:
    """Points over angle, distance and height. Angle 0 is straight ahead, a quarter turn is to the left."""

    angles: tuple[float, float, int]  # radians from … to, and how many
    distances: tuple[float, float, int]  # metres from … to, and how many
    heights: tuple[float, float, int] = (0.0, 0.0, 1)  # metres; one height is all heights
    fade: float = 0.0  # per metre, of what a target outside is worth

    def __len__(self) -> int:
        return self.angles[2] * self.distances[2] * self.heights[2]

    @classmethod
    def around(cls, radius: float, distances: int, angles: int, fade: float = 0.0) -> "Grid":
        """All around, on the floor: the paper's grid for an approach."""
        step = 2.0 * math.pi / angles
        return cls((-math.pi, math.pi - step, angles), (0.0, radius, distances), fade=fade)

    @property
    def flat(self) -> bool:
        """Heights do not matter."""
        return self.heights[2] == 1

    @property
    def points(self) -> np.ndarray:
        """(E, 3) metres: x to the left, y up, z ahead."""
        angle, distance, height = np.meshgrid(
            *(np.linspace(*axis) for axis in (self.angles, self.distances, self.heights)), indexing="ij"
        )
        return np.stack([distance * np.sin(angle), height, distance * np.cos(angle)], axis=-1).reshape(-1, 3)

    def record(self, first: int = 0, unit: float = 1.0) -> np.ndarray:
        """() GRID for kernels; its values begin at `first` in a state's row, and are so many units."""
        axes = (_axis(axis) for axis in (self.angles, self.distances, self.heights))
        return np.array((*axes, self.fade, first, unit), GRID)


def no_grid() -> np.ndarray:
    """() GRID that covers nothing."""
    nowhere, nothing = (np.inf, 0.0, 0), (0.0, 0.0, 0)
    return np.array((nothing, nowhere, nothing, 0.0, 0, 1.0), GRID)


def _axis(axis: tuple[float, float, int]) -> tuple[float, float, int]:
    """First value, step and count."""
    first, last, count = axis
    return first, (last - first) / max(count - 1, 1), count
