"""Round cones without their useless half: where one sphere lies inside the other, only the larger is left."""

from dataclasses import dataclass

import numpy as np

from randori.render.figures import Figures


@dataclass(frozen=True, eq=False)
class Hulls:
    """Round cones, or their outlines on a plane, as a start and a way to go."""

    start: np.ndarray  # (N, D) metres
    axis: np.ndarray  # (N, D) metres, zero where one sphere holds the other
    first: np.ndarray  # (N,) metres, radius at the start
    second: np.ndarray  # (N,) metres, radius at the end

    @classmethod
    def between(cls, start: np.ndarray, axis: np.ndarray, first: np.ndarray, second: np.ndarray) -> "Hulls":
        """From centres and radii of the spheres."""
        taper = first - second
        swallowed = np.einsum("nd,nd->n", axis, axis) <= taper * taper * (1.0 + 1e-6) + 1e-12
        if not swallowed.any():
            return cls(start, axis, first, second)
        whole, larger = swallowed[:, None], np.maximum(first, second)
        return cls(
            np.where(whole & (taper < 0.0)[:, None], start + axis, start),
            np.where(whole, 0.0, axis),
            np.where(swallowed, larger, first),
            np.where(swallowed, larger, second),
        )

    @classmethod
    def seen_from(cls, position: np.ndarray, figures: Figures) -> "Hulls":
        """The figures' cones, counted from a position."""
        start = figures.start - position
        return cls.between(start, figures.stop - figures.start, figures.start_radius, figures.stop_radius)

    @property
    def reach(self) -> np.ndarray:
        """(N,) metres along which the side touches both spheres: √(length² - (difference of radii)²)."""
        square = np.einsum("nd,nd->n", self.axis, self.axis) - np.square(self.first - self.second)
        return np.sqrt(np.maximum(square, 0.0))

    def turned(self, axes: np.ndarray) -> "Hulls":
        """The same along other axes (3, 3)."""
        return Hulls(turned(self.start, axes), turned(self.axis, axes), self.first, self.second)


def one_over(values: np.ndarray) -> np.ndarray:
    """1 / values, and 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)


def turned(points: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Points (..., 3) along axes (A, 3). Not by `@`: its threads would wait busily on the other cores."""
    return np.einsum("...d,ad->...a", points, axes)


def single(values: np.ndarray) -> np.ndarray:
    """As kernels take it: float32, and dense, because another layout would be compiled anew."""
    return np.ascontiguousarray(values, dtype=np.float32)
