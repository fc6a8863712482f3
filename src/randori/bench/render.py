"""How fast a crowd is drawn: all cores, one core, and plain NumPy that asks every cone about every pixel."""

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from randori.render.camera import Camera, Direction, frame_all
from randori.render.figures import Figures
from randori.render.raycaster import Raycaster

PEOPLE = 30
SIZE = (1280, 720)
_SMALL = (160, 90)  # NumPy gets a picture of this size; its time is scaled up by the number of pixels
_RUNS = 25

# A person who stands: both ends of 15 parts, metres, and their radii. Each part is drawn as two cones.
_PARTS = (
    ((0.0, 1.0, 0.0), (0.0, 1.2, 0.0), 0.14, 0.13),
    ((0.0, 1.2, 0.0), (0.0, 1.42, 0.0), 0.14, 0.13),
    ((0.0, 1.5, 0.0), (0.0, 1.68, 0.02), 0.06, 0.1),
    *(
        part
        for side in (1.0, -1.0)
        for part in (
            ((0.18 * side, 1.42, 0.0), (0.26 * side, 1.16, 0.02), 0.06, 0.045),
            ((0.26 * side, 1.16, 0.02), (0.24 * side, 0.98, 0.18), 0.045, 0.03),
            ((0.24 * side, 0.98, 0.18), (0.23 * side, 0.95, 0.26), 0.035, 0.04),
            ((0.09 * side, 0.94, 0.0), (0.12 * side, 0.5, 0.04), 0.09, 0.06),
            ((0.12 * side, 0.5, 0.04), (0.13 * side, 0.09, 0.0), 0.055, 0.04),
            ((0.13 * side, 0.05, -0.02), (0.15 * side, 0.04, 0.16), 0.05, 0.04),
        )
    ),
)


def run() -> list[dict[str, Any]]:
    """Rows for a table: who, milliseconds a picture (median and best), and of all processors together.

    The last one hardly changes when the machine is busy with something else.
    """
    crowd = made_up_crowd(PEOPLE)
    camera = frame_all([crowd], Direction(math.radians(30.0)), SIZE[0] / SIZE[1])
    # turn by turn: the machine's mood is the same for both
    drawers = {"all cores": Raycaster(*SIZE), "one core": Raycaster(*SIZE, threads=1)}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in drawers}
    for turn in range(_RUNS + 1):
        for name, drawer in drawers.items():
            taken = _stopwatch(lambda drawer=drawer: drawer.image(crowd, camera))  # type: ignore[misc]
            if turn > 0:  # the first one may compile
                times[name].append(taken)
    wall, processor = _stopwatch(lambda: plain_depth(crowd, camera, *_SMALL))
    scale = SIZE[0] * SIZE[1] / (_SMALL[0] * _SMALL[1])
    times["NumPy, every cone at every pixel, depth alone"] = [(scale * wall, scale * processor)]
    what = f"{PEOPLE} people, {len(crowd)} cones, {SIZE[0]} × {SIZE[1]}"
    return [
        {
            what: name,
            "ms (median)": round(statistics.median(wall for wall, _ in taken), 1),
            "ms (best)": round(min(wall for wall, _ in taken), 1),
            "processor ms": round(statistics.median(processor for _, processor in taken), 1),
        }
        for name, taken in times.items()
    ]


def _stopwatch(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the wall and of all processors."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - processor)


def bench() -> None:
    """Print the rows."""
    for row in run():
        print("  ".join(f"{key}: {value}" for key, value in row.items()))


def made_up_crowd(people: int, seed: int = 1) -> Figures:
    """People of 30 cones each who stand about in a square, 1.3 m apart."""
    random = np.random.default_rng(seed)
    start, stop = np.array([part[0] for part in _PARTS]), np.array([part[1] for part in _PARTS])
    first, last = np.array([part[2] for part in _PARTS]), np.array([part[3] for part in _PARTS])
    middle, half = 0.5 * (start + stop), 0.5 * (first + last)
    start, stop = np.concatenate([start, middle]), np.concatenate([middle, stop])
    first, last = np.concatenate([first, half]), np.concatenate([half, last])
    groups = []
    for number in range(people):
        side = math.ceil(math.sqrt(people))
        place = 1.3 * np.array([number % side, 0.0, number // side]) + random.normal(0.0, 0.1, 3) * [
            1.0,
            0.0,
            1.0,
        ]
        yaw = random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(yaw), 0.0, np.sin(yaw)], [0.0, 1.0, 0.0], [-np.sin(yaw), 0.0, np.cos(yaw)]])
        colour = np.tile(random.uniform(0.2, 0.9, 3), (len(start), 1))
        groups.append(Figures(start @ turn.T + place, stop @ turn.T + place, first, last, colour))
    return Figures.together(groups)


def plain_depth(figures: Figures, camera: Camera, width: int, height: int) -> np.ndarray:
    """(H, W) distance to the nearest cone along each pixel's ray, the way one writes it first."""
    pixel = 2.0 * math.tan(0.5 * camera.field_of_view) / height
    x = (np.arange(width) + 0.5 - 0.5 * width) * pixel
    y = (0.5 * height - 0.5 - np.arange(height)) * pixel
    right, up, forward = camera.axes
    rays = forward + x[None, :, None] * right + y[:, None, None] * up
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    nearest = np.full((height, width), np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        for a, b, ra, rb in zip(figures.start, figures.stop, figures.start_radius, figures.stop_radius):
            axis, from_a, from_b, taper = b - a, camera.position - a, camera.position - b, ra - rb
            square = axis @ axis - taper * taper
            along, toward_a, toward_b = rays @ axis, rays @ from_a, rays @ from_b
            shift = axis @ from_a - ra * taper
            k2 = square - along * along
            k1 = square * toward_a - shift * along
            k0 = square * (from_a @ from_a - ra * ra) - shift * shift
            side = (-k1 - np.sqrt(k1 * k1 - k0 * k2)) / k2
            place = shift + side * along
            side = np.where((place > 0.0) & (place < square), side, np.inf)
            first = -toward_a - np.sqrt(toward_a * toward_a - from_a @ from_a + ra * ra)
            second = -toward_b - np.sqrt(toward_b * toward_b - from_b @ from_b + rb * rb)
            nearest = np.fmin(nearest, np.fmin(side, np.fmin(first, second)))
    return nearest


if __name__ == "__main__":
    bench()
