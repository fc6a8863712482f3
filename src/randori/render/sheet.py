"""Contact sheets: moments of a motion side by side, all at the same scale."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from randori.characters.character import Character
from randori.motion.clip import Clip
from randori.render.camera import ELEVATION, Camera, Direction, Focus, frame_around, frame_focus
from randori.render.figures import Figures
from randori.render.pictures import halve
from randori.render.raycaster import Raycaster
from randori.render.stage import Outfit, Prop, Stage

_GAP = 2  # pixels between cells
_STRIP = 30  # pixels, height of a title
_PAPER = (246, 246, 247)
_INK = (38, 40, 46)
_PALE_INK = (92, 96, 106)

Row = tuple[str, Sequence[Clip], Sequence[float]]
Bodies = Sequence[Character | None] | None  # of the clips of a row


def moments(
    duration: float,
    count: int = 8,
    start: float = 0.0,
    stop: float | None = None,
    step: float | None = None,
) -> list[float]:
    """Times in seconds from start to stop: every `step` seconds, or `count` of them evenly spread."""
    stop = duration if stop is None else min(stop, duration)
    if step is not None:
        return list(np.arange(start, stop + 1e-9, step))
    return list(np.linspace(start, stop, count))


def contact_sheet(
    clips: Clip | Sequence[Clip],
    times: Sequence[float] | None = None,
    *,
    count: int = 8,
    start: float = 0.0,
    stop: float | None = None,
    step: float | None = None,
    columns: int | None = None,
    cell: tuple[int, int] = (240, 300),
    azimuths: Sequence[float] | None = None,
    elevation: float = ELEVATION,
    title: str = "",
    outfits: Sequence[Outfit] | None = None,
    props: Sequence[Prop] = (),
    focus: Focus | None = None,
    bodies: Sequence[Character | None] | None = None,
) -> Image.Image:
    """Moments of one or several characters together, in a grid of cells (width, height in pixels).

    `azimuths` are radians from the characters' best side; with several of them each moment is shown
    from all, one below the other. All characters are in every cell, unless there is a focus.
    """
    stage = Stage.of([clips] if isinstance(clips, Clip) else clips, outfits, props, focus, bodies)
    if times is None:
        times = moments(stage.duration, count, start, stop, step)
    columns = columns or min(len(times), 8)
    front = stage.front(np.asarray(times))
    directions = [Direction(front + turn, elevation) for turn in (azimuths or (0.0,))]
    frames = [stage.figures(time) for time in times]
    shots = [_shots(stage, times, frames, direction, cell) for direction in directions]
    # one scale for all views of a moment
    farthest = np.max([[camera.distance for camera in cameras] for cameras in shots], axis=0)
    painter = _Painter(cell)
    rows: list[list[Image.Image]] = []
    for first in range(0, len(times), columns):
        part = range(first, min(first + columns, len(times)))
        for cameras in shots:
            rows.append(
                [
                    painter.cell(
                        stage,
                        frames[k],
                        times[k],
                        cameras[k].at(farthest[k]),
                        f"{times[k]:.2f} s",
                    )
                    for k in part
                ]
            )
    return _paste([("", row) for row in rows], cell, columns, title or _names(stage))


def compare_sheet(
    rows: Sequence[Row],
    *,
    cell: tuple[int, int] = (240, 300),
    azimuth: float = 0.0,
    elevation: float = ELEVATION,
    title: str = "",
    bodies: Sequence[Bodies] | None = None,
) -> Image.Image:
    """Separate motions as labelled rows (label, clips, times), all at one scale: theirs and ours."""
    prepared = []
    for (label, clips, times), worn in zip(rows, bodies or [None] * len(rows)):
        stage = Stage.of(clips, bodies=worn)
        direction = Direction(stage.front(np.asarray(times)) + azimuth, elevation)
        frames = [stage.figures(time) for time in times]
        shots = _shots(stage, times, frames, direction, cell)
        prepared.append((label, stage, times, frames, shots))
    farthest = max(cameras[0].distance for *_, cameras in prepared)
    painter = _Painter(cell)
    painted = [
        (
            label,
            [
                painter.cell(stage, figures, time, camera.at(farthest), f"{time:.2f} s")
                for time, figures, camera in zip(times, frames, cameras)
            ],
        )
        for label, stage, times, frames, cameras in prepared
    ]
    return _paste(painted, cell, max(len(cells) for _, cells in painted), title)


def _shots(
    stage: Stage, times: Sequence[float], frames: list[Figures], direction: Direction, cell: tuple[int, int]
) -> list[Camera]:
    if stage.focus is not None:
        return frame_focus(stage.focus, np.asarray(times), direction, cell[0] / cell[1])
    return frame_around(frames, stage.centres(np.asarray(times)), direction, cell[0] / cell[1])


def _names(stage: Stage) -> str:
    return " · ".join(dict.fromkeys(character.clip.name for character in stage.characters))


class _Painter:
    """Cells at twice the size, halved, with a caption."""

    def __init__(self, cell: tuple[int, int]):
        self._raycaster = Raycaster(2 * cell[0], 2 * cell[1])
        self._font = ImageFont.load_default(size=13)

    def cell(self, stage: Stage, figures: Figures, time: float, camera: Camera, caption: str) -> Image.Image:
        picture = Image.fromarray(halve(stage.image(self._raycaster, figures, time, camera)))
        draw = ImageDraw.Draw(picture)
        draw.text((8, picture.height - 8), caption, fill=_INK, font=self._font, anchor="ls")
        return picture


def _paste(
    rows: Sequence[tuple[str, Sequence[Image.Image]]], cell: tuple[int, int], columns: int, title: str
) -> Image.Image:
    """Rows of cells below their labels, and a title above all."""
    width = columns * (cell[0] + _GAP) - _GAP
    height = _STRIP * bool(title) + sum(cell[1] + _GAP + _STRIP * bool(label) for label, _ in rows) - _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    y = 0
    if title:
        draw.text((10, _STRIP // 2), title, fill=_INK, font=ImageFont.load_default(size=16), anchor="lm")
        y += _STRIP
    for label, cells in rows:
        if label:
            draw.text(
                (10, y + _STRIP // 2),
                label,
                fill=_PALE_INK,
                font=ImageFont.load_default(size=14),
                anchor="lm",
            )
            y += _STRIP
        for column, picture in enumerate(cells):
            sheet.paste(picture, (column * (cell[0] + _GAP), y))
        y += cell[1] + _GAP
    return sheet
