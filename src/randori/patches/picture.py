"""A bitmap on the floor, and how much of it is covered by fallen characters."""

from collections.abc import Sequence

import numpy as np

from randori.kernels import patch_dominoes as kernels
from randori.kernels.patch_dominoes import Silhouettes
from randori.kernels.places import as_places

CELL = 0.6  # metres, of the bitmap
SQUARE = 0.05  # metres, the side of the squares in which coverage is counted; a cell has several
_DENSE, _SPARSE = (
    0.035,
    3,
)  # metres from one point of a body to the next, and how many of them for a quick look
_RING_WIDTH = 0.15  # metres around a body that others should cover
_MARGIN = 4  # cells around the bitmap in which bodies are seen, too
HEART = (
    "...####.....####...",
    ".#######...#######.",
    "#########.#########",
    "###################",
    "###################",
    "###################",
    ".#################.",
    "..###############..",
    "...#############...",
    "....###########....",
    ".....#########.....",
    "......#######......",
    ".......#####.......",
    "........###........",
)


def silhouettes(bodies: np.ndarray, radii: np.ndarray) -> Silhouettes:
    """Of bodies (K, 16, 2, 3) of capsules."""
    found: list[list[np.ndarray]] = [[], [], []]
    for body in bodies[:, radii > 0.0][..., [0, 2]]:
        low, high = body.min(axis=(0, 1)) - 0.3, body.max(axis=(0, 1)) + 0.3
        grid = [np.arange(a, b, _DENSE) for a, b in zip(low, high)]
        points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1)
        away = _away(points.reshape(-1, 2), body, radii[radii > 0.0]).reshape(points.shape[:2])
        few = points[::_SPARSE, ::_SPARSE], away[::_SPARSE, ::_SPARSE]
        found[0].append(points[away <= 0.0])
        found[1].append(few[0][few[1] <= 0.0])
        found[2].append(few[0][(few[1] > 0.0) & (few[1] <= _RING_WIDTH)])
    arrays = []
    for some in found:
        arrays += [np.concatenate(some), np.cumsum([0, *map(len, some)]).astype(np.int64)]
    return Silhouettes(*arrays)


def _away(points: np.ndarray, body: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """(P,) metres from points to a body of capsules (C, 2, 2) over the floor."""
    away = np.full(len(points), np.inf)
    for (start, stop), radius in zip(body, radii):
        along = stop - start
        share = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        away = np.minimum(away, np.linalg.norm(points - start - share[:, None] * along, axis=1) - radius)
    return away


class Picture:
    """A bitmap on the floor, its middle in the origin, and the bodies on it."""

    def __init__(self, rows: Sequence[str]):
        # seen from -Z, +X is on the left: its first column goes there
        cells = [[cell == "#" for cell in reversed(row)] for row in rows]
        self._bitmap = np.pad(np.array(cells), _MARGIN)
        self.wanted = _finer(self._bitmap)
        self.covered = np.zeros_like(self.wanted)
        self.left = -0.5 * self.wanted.shape[1] * SQUARE
        self.top = 0.5 * self.wanted.shape[0] * SQUARE
        self._raster = kernels.Raster(self.left, self.top, SQUARE, self.wanted, self.covered)

    def reach(self) -> float:
        """Metres from its middle to its farthest corner."""
        rows, columns = np.nonzero(self.wanted)
        return float(np.hypot(self.left + columns * SQUARE, self.top - rows * SQUARE).max())

    def islands(self) -> list[np.ndarray]:
        """The squares (rows, columns) of each part of the picture that hangs together."""
        left, found = self._bitmap.copy(), []
        while left.any():
            island, grown = np.zeros_like(left), np.zeros_like(left)
            grown[tuple(np.argwhere(left)[0])] = True
            while (grown != island).any():
                island, wide = grown, np.pad(grown, 1)
                grown = island | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
                grown &= left
            left &= ~island
            found.append(_finer(island))
        return found

    @property
    def area(self) -> float:
        """Square metres of the picture."""
        return float(self.wanted.sum()) * SQUARE * SQUARE

    def share(self, across: float = CELL) -> float:
        """The cells of the picture, of the given width in metres, that a body covers."""
        step = round(across / SQUARE)
        wanted = _blocks(self.wanted, step) >= 0.5
        return float((_blocks(self.covered, step) > 0.0)[wanted].mean())

    @property
    def outside(self) -> float:
        """Of the floor that bodies are over, the share outside of the picture."""
        return float((self.covered & ~self.wanted).sum() / max(self.covered.sum(), 1))

    def gains(
        self, shapes: Silhouettes, which: np.ndarray, places: np.ndarray, least: float = 0.0
    ) -> np.ndarray:
        """(K,) GAIN of bodies (K,) that are placed so (K, 3): new m², m² outside, how tightly it lies.

        The last is not looked at where less is new than the least that counts.
        """
        out, square = np.empty(len(which), kernels.GAIN), (_DENSE * _SPARSE) ** 2
        kernels.gains(self._raster, shapes, _lying(which, places), least / square, out)
        out["new"] *= square
        out["outside"] *= square
        return out

    def lie(self, shapes: Silhouettes, which: int, place: Sequence[float]) -> None:
        """A body lies here now."""
        kernels.cover(self._raster, shapes, _lying(np.array([which]), np.array([place])))


def _lying(which: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(K,) LYING: bodies (K,) that are placed so (K, 3)."""
    lying = np.empty(len(which), kernels.LYING)
    lying["shape"], lying["place"] = which, as_places(places)
    return lying


def _finer(bitmap: np.ndarray) -> np.ndarray:
    """The squares of a bitmap's cells."""
    across = round(CELL / SQUARE)
    return bitmap.repeat(across, axis=0).repeat(across, axis=1)


def _blocks(raster: np.ndarray, step: int) -> np.ndarray:
    """The share of each block of a raster that is set."""
    high, wide = (-(-side // step) * step for side in raster.shape)
    padded = np.zeros((high, wide), dtype=bool)
    padded[: raster.shape[0], : raster.shape[1]] = raster
    return padded.reshape(high // step, step, wide // step, step).mean(axis=(1, 3))
