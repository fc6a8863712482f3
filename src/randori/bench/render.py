"""Speed of drawing a crowd: all cores, one core, and plain NumPy that tests every cone at every pixel."""

import math
import statistics
import time
from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from randori.bench.tables import Table, check_part
from randori.motion.editing import align, crop
from randori.motion.placement import Placement
from randori.performer import perform
from randori.render.camera import Camera, Direction, frame_all
from randori.render.figures import Figures
from randori.render.raycaster import Raycaster
from randori.render.stage import Stage

_SMALL_PICTURE = (160, 90)  # NumPy gets a picture of this size; its time is scaled up by the number of pixels


class Size(NamedTuple):
    """The extent of the measurement."""

    people: int
    picture: tuple[int, int]  # pixels
    runs: int


WHOLE, QUICK = Size(30, (1280, 720), 25), Size(2, _SMALL_PICTURE, 2)


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table: renderer, milliseconds for a picture (median and best), and processor time.

    The last one hardly changes when the machine is busy with something else.
    """
    check_part(only)
    people, (width, height), runs = QUICK if quick else WHOLE
    crowd = boxing_crowd(people)
    camera = frame_all([crowd], Direction(math.radians(30.0)), width / height)
    # turn by turn: the machine's mood is the same for both
    drawers = {"all cores": Raycaster(width, height), "one core": Raycaster(width, height, threads=1)}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in drawers}
    for turn in range(runs + 1):
        yield turn / (runs + 2)
        for name, drawer in drawers.items():
            taken = _stopwatch(lambda drawer=drawer: drawer.image(crowd, camera))  # type: ignore[misc]
            if turn > 0:  # the first one may compile
                times[name].append(taken)
    wall, processor = _stopwatch(lambda: plain_depth(crowd, camera, *_SMALL_PICTURE))
    scale = width * height / (_SMALL_PICTURE[0] * _SMALL_PICTURE[1])
    times["NumPy, every cone at every pixel, depth alone"] = [(scale * wall, scale * processor)]
    rows = [
        {
            "drawn by": name,
            "people": people,
            "cones": len(crowd),
            "picture": f"{width} × {height}",
            "ms (median)": round(statistics.median(wall for wall, _ in taken), 1),
            "ms (best)": round(min(wall for wall, _ in taken), 1),
            "processor ms": round(statistics.median(processor for _, processor in taken), 1),
        }
        for name, taken in times.items()
    ]
    return [Table("render", rows)]


def _stopwatch(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the wall and of all processors."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - processor)


def boxing_crowd(people: int) -> Figures:
    """A square of boxers, 1.3 m apart, each at another moment and with another direction."""
    clip = perform("boxing", seconds=2.0 * people, seed=1)[0].clip
    side = math.ceil(math.sqrt(people))
    cast = []
    for number in range(people):
        frame = int((2.0 * number + 1.0) * clip.fps)
        place = Placement(1.3 * (number % side), 1.3 * (number // side), 2.4 * number)
        cast.append(align(crop(clip, frame, frame + 2), 0, place))
    return Stage.of(cast).figures(0.0)


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
