"""The visible contents of one picture: round cones with colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Figures:
    """Round cones: two spheres and the cone between them. Equal radii make a capsule, no length a sphere."""

    start: np.ndarray  # (N, 3) metres
    stop: np.ndarray  # (N, 3) metres
    start_radius: np.ndarray  # (N,) metres
    stop_radius: np.ndarray  # (N,) metres
    colour: np.ndarray  # (N, 3) sRGB, 0 to 1

    def __post_init__(self) -> None:
        # kernels are compiled for dense float64: another layout would be compiled again
        for name in ("start", "stop", "start_radius", "stop_radius", "colour"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.float64))

    @cached_property
    def radii(self) -> np.ndarray:
        """(2, N) metres, at the start and at the stop."""
        return np.stack([self.start_radius, self.stop_radius])

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def together(cls, groups: Sequence["Figures"]) -> "Figures":
        """All cones of several groups."""
        if not groups:
            return cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros((0, 3)))
        fields = ("start", "stop", "start_radius", "stop_radius", "colour")
        return cls(*(np.concatenate([getattr(group, name) for group in groups]) for name in fields))

    def where(self, chosen: np.ndarray) -> "Figures":
        """Some of the cones, (N,) bool."""
        fields = (self.start, self.stop, self.start_radius, self.stop_radius, self.colour)
        return Figures(*(rows[chosen] for rows in fields))

    def spheres(self) -> tuple[np.ndarray, np.ndarray]:
        """Centres (2N, 3) and radii (2N,) of all end spheres: their hull holds everything."""
        return np.concatenate([self.start, self.stop]), self.radii.ravel()
