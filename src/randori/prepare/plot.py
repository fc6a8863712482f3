"""Pictures of preparation: the level along the way, the learned policy, and how learning went."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from randori.kernels import prepare as kernels
from randori.prepare.controller import LEVEL_STEP, Controller, History

_SCALE = 2  # drawn larger by this factor and then made smaller: smooth edges
_PAPER, _INK, _PALE = (18, 21, 30), (232, 234, 240), (150, 156, 172)
_GRID = (44, 49, 64)
_LINES = ((92, 214, 150), (255, 178, 66), (74, 163, 255), (255, 94, 98), (196, 120, 255))
_COLD, _WARM = np.array([38, 44, 70]), np.array([255, 178, 66])
_MARGIN = 64  # pixels, of a picture of usual size
_RINGS, _STEPS = 15, 72  # of the picture of a policy
_FARTHEST_SOURCE = kernels.SOURCE_DISTANCES * kernels.DISTANCE_STEP  # metres


def plot_levels(
    ways: Sequence[tuple[str, np.ndarray, np.ndarray]], size: tuple[int, int] = (900, 420)
) -> Image.Image:
    """The level of preparation along the way: rows of (name, metres to the source (T,), level (T,))."""
    axes = _Axes(
        size, "Level of preparation along the way", "metres to the source", "level", (_FARTHEST_SOURCE, 0.0)
    )
    for number, (name, distance, level) in enumerate(ways):
        axes.line(distance, level, _LINES[number % len(_LINES)])
        axes.name(number, name, _LINES[number % len(_LINES)])
    return axes.finished()


def plot_learning(history: History, size: tuple[int, int] = (900, 420)) -> Image.Image:
    """The return per episode, sweep by sweep, and the share of the states that still change."""
    sweeps = np.arange(1, len(history.returns) + 1)
    low, high = float(history.returns.min()), float(history.returns.max())
    room = max(high - low, 1e-6)
    axes = _Axes(
        size, "Learning", "sweeps", "return of an episode", (1.0, max(float(sweeps[-1]), 2.0)),
        (low - 0.1 * room, high + 0.1 * room),
    )  # fmt: skip
    axes.line(sweeps, history.returns, _LINES[0])
    axes.name(0, f"return: {history.returns[0]:.3f} to {history.returns[-1]:.3f}", _LINES[0])
    scaled = low + room * np.clip(history.changed, 0.0, 1.0)
    axes.line(sweeps, scaled, _LINES[1])
    axes.name(1, f"states that change: {100 * history.changed[-1]:.1f} % at last", _LINES[1])
    return axes.finished()


def plot_policy(controller: Controller, posture: int = 0, size: tuple[int, int] = (760, 800)) -> Image.Image:
    """The level that is reached at each distance and angle of a goal that is the source, seen from above.

    For each place the level is followed until it stays: the level of a walker that comes from far away.
    """
    width, height = (_SCALE * side for side in size)
    image = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(image)
    unit = width / 760.0
    middle, radius = (0.5 * width, 0.5 * height + 20 * unit), 300.0 * unit
    for ring in range(_RINGS, 0, -1):
        outer = radius * ring / _RINGS
        distance = (ring - 0.5) / _RINGS * _FARTHEST_SOURCE
        for step in range(_STEPS):
            angle = 2.0 * np.pi * (step + 0.5) / _STEPS
            level = _settled(controller, posture, distance, angle)
            colour = tuple(int(c) for c in _COLD + level * LEVEL_STEP / 0.8 * (_WARM - _COLD))
            # angle 0, straight ahead, is up; to the left is left
            start = -90.0 - 360.0 * (step + 1) / _STEPS
            box = (middle[0] - outer, middle[1] - outer, middle[0] + outer, middle[1] + outer)
            draw.pieslice(box, start, start + 360.0 / _STEPS + 0.3, fill=colour)
    font, small = ImageFont.load_default(size=26 * unit), ImageFont.load_default(size=16 * unit)
    draw.text((30 * unit, 24 * unit), "Learned level of preparation", font=font, fill=_INK)
    words = f"around the character, who looks up; rim {_FARTHEST_SOURCE:g} m; "
    draw.text((30 * unit, 62 * unit), words + "dark 0, bright 0.8", font=small, fill=_PALE)
    return image.resize(size, Image.Resampling.LANCZOS)


def _settled(controller: Controller, posture: int, distance: float, angle: float) -> int:
    """The level at which the policy stays, coming from none."""
    level = 0
    for _ in range(kernels.LEVELS):
        following = controller.rank(posture, level, (distance, angle), (distance, angle))[0][1]
        if following <= level:
            break
        level = following
    return level


class _Axes:
    """A frame with two axes."""

    def __init__(
        self,
        size: tuple[int, int],
        title: str,
        across: str,
        up: str,
        x: tuple[float, float],
        y: tuple[float, float] = (0.0, 1.0),
    ):
        self._size, self._x, self._y = size, x, y
        width, height = (_SCALE * side for side in size)
        self._image = Image.new("RGB", (width, height), _PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._unit = height / 420.0
        edge = _MARGIN * self._unit
        self._box = (edge, edge, width - 0.5 * edge, height - 0.9 * edge)
        small, large = (ImageFont.load_default(size=points * self._unit) for points in (14, 20))
        self._font = small
        self._draw.text((edge, 0.3 * edge), title, font=large, fill=_INK)
        left, top, right, bottom = self._box
        for share in np.linspace(0.0, 1.0, 6):
            down = bottom + share * (top - bottom)
            self._draw.line((left, down, right, down), fill=_GRID, width=int(self._unit))
            value = y[0] + share * (y[1] - y[0])
            self._draw.text((left - 8, down), f"{value:.2f}", font=small, fill=_PALE, anchor="rm")
            along = left + share * (right - left)
            value = x[0] + share * (x[1] - x[0])
            self._draw.text((along, bottom + 8), f"{value:.3g}", font=small, fill=_PALE, anchor="mt")
        self._draw.text((right, bottom + 28 * self._unit), across, font=small, fill=_PALE, anchor="rt")
        self._draw.text((left, top - 6 * self._unit), up, font=small, fill=_PALE, anchor="lb")

    def line(self, x: np.ndarray, y: np.ndarray, colour: tuple[int, int, int]) -> None:
        left, top, right, bottom = self._box
        along = left + (np.asarray(x, float) - self._x[0]) / (self._x[1] - self._x[0]) * (right - left)
        height = bottom + (np.asarray(y, float) - self._y[0]) / (self._y[1] - self._y[0]) * (top - bottom)
        inside = (along >= left - 1) & (along <= right + 1)
        points = [(float(a), float(h)) for a, h in zip(along[inside], height[inside])]
        if len(points) > 1:
            self._draw.line(points, fill=colour, width=int(2.5 * self._unit), joint="curve")

    def name(self, number: int, text: str, colour: tuple[int, int, int]) -> None:
        left, top, _, _ = self._box
        place = (left + 14 * self._unit, top + (10 + 20 * number) * self._unit)
        self._draw.text(place, text, font=self._font, fill=colour)

    def finished(self) -> Image.Image:
        return self._image.resize(self._size, Image.Resampling.LANCZOS)
