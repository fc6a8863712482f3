"""MP4 files of characters in motion."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from randori.characters.character import Character
from randori.errors import FileError, RandoriError
from randori.formats.files import write_whole
from randori.motion.clip import Clip
from randori.render.camera import (
    ELEVATION,
    Camera,
    Direction,
    Focus,
    frame_all,
    frame_around,
    frame_focus,
    steady,
)
from randori.render.raycaster import Raycaster
from randori.render.stage import Outfit, Prop, Stage

_SAMPLED_FRAMES = 150  # frames that are enough to know how far away the camera must stand
_QUALITY = 19  # H.264's constant rate factor: less is better, 18 cannot be told from the frames
_INK = (38, 40, 46)


def film(clips: Clip | Sequence[Clip], path: str | os.PathLike[str], **settings: Any) -> None:
    """Write a video (MP4) of clips together, with the settings of `write_video`.

    >>> film(take.clips, "fight.mp4", size=(640, 360), stop=5.0)
    """
    for _ in write_video(clips, path, **settings):
        pass


def write_video(
    clips: Clip | Sequence[Clip],
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (1280, 720),
    fps: float = 30.0,
    speed: float = 1.0,
    start: float = 0.0,
    stop: float | None = None,
    azimuth: float = 0.0,
    elevation: float = ELEVATION,
    follow: bool = True,
    caption: bool = False,
    outfits: Sequence[Outfit] | None = None,
    props: Sequence[Prop] = (),
    focus: Focus | None = None,
    threads: int | None = None,
    bodies: Sequence[Character | None] | None = None,
) -> Iterator[tuple[int, int]]:
    """Film all clips together; yields (frames done, frames in all) after each frame.

    The camera follows the focus or, without one, the middle of the characters, or stands still and sees
    all of the way. Azimuth is in radians from the characters' best side. The file appears when the last
    step has been taken; a film that is not finished leaves nothing behind.
    """
    width, height = size
    if width % 2 or height % 2:
        raise RandoriError(f"a video of {width} × {height} pixels: width and height must be even")
    if speed <= 0.0 or fps <= 0.0:
        raise RandoriError(f"a video at {fps:g} frames a second and {speed:g} times the speed cannot be made")
    stage = Stage.of([clips] if isinstance(clips, Clip) else clips, outfits, props, focus, bodies)
    stop = stage.duration if stop is None else min(stop, stage.duration)
    times = start + np.arange(int(max(stop - start, 0.0) * fps / speed + 1e-6) + 1) * speed / fps
    direction = Direction(stage.front(times) + azimuth, elevation)
    cameras = _cameras(stage, times, fps, direction, width / height, follow)
    raycaster = Raycaster(width, height, threads)
    with write_whole(path) as file, _encoder(path, file.name, size, fps) as pipe:
        for done, (time, camera) in enumerate(zip(times, cameras), start=1):
            image = stage.image(raycaster, stage.figures(time), time, camera)
            if caption:
                _write_time(image, time)
            pipe.write(image.data)
            yield done, len(times)


def _cameras(
    stage: Stage, times: np.ndarray, fps: float, direction: Direction, aspect: float, follow: bool
) -> list[Camera]:
    """A camera per frame. One that follows all characters keeps its height and distance."""
    if stage.focus is not None:
        return frame_focus(stage.focus, times, direction, aspect)
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), _SAMPLED_FRAMES)).astype(int))
    frames = [stage.figures(times[k]) for k in some]
    if not follow:
        return [frame_all(frames, direction, aspect)] * len(times)
    centres = steady(stage.centres(times), fps)
    first = frame_around(frames, centres[some], direction, aspect)[0]
    away, height = first.position - first.target, first.target[1]
    targets = np.insert(centres, 1, height, axis=1)
    return [Camera(target + away, target) for target in targets]


def _write_time(image: np.ndarray, time: float) -> None:
    """Burn the time into the lower left corner."""
    height = max(image.shape[0] // 40, 12)
    corner = image[-2 * height :, : 8 * height]
    picture = Image.fromarray(corner)
    font = ImageFont.load_default(size=height)
    ImageDraw.Draw(picture).text((height, height), f"{time:.2f} s", fill=_INK, font=font, anchor="lm")
    corner[:] = np.asarray(picture)


@contextmanager
def _encoder(
    path: str | os.PathLike[str], partial: str, size: tuple[int, int], fps: float
) -> Iterator[IO[bytes]]:
    """A pipe that takes frames (H, W, 3) and writes them as H.264, readable while it is loaded."""
    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise FileError(path, f"cannot be written: no ffmpeg was found ({error})") from error
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-"]
    # players take high pictures for BT.709: say so, and mean it
    command += ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709"]
    command += ["-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
    command += ["-c:v", "libx264", "-preset", "veryfast", "-crf", str(_QUALITY), "-pix_fmt", "yuv420p"]
    command += ["-movflags", "+faststart", "-f", "mp4", partial]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints
        )
        assert process.stdin is not None
        try:
            yield process.stdin
            process.stdin.close()
            broken = process.wait() != 0
        except BrokenPipeError:
            process.wait()
            broken = True
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if broken:
            complaints.seek(0)
            words = complaints.read().decode(errors="replace").strip().splitlines()
            raise FileError(path, f"cannot be written: ffmpeg says {words[-1] if words else 'nothing'}")
