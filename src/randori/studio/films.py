"""Films of what the page shows: it draws the frames, and they are put together here."""

import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import imageio_ffmpeg

from randori.errors import FileError, RandoriError
from randori.formats.files import write_whole
from randori.studio import messages as wire
from randori.studio.arriving import receive
from randori.studio.project import EXPORTS, Project

_JPEG = b"\xff\xd8\xff"  # the first bytes of every frame
_FPS = (1.0, 120.0)  # the slowest and the fastest film
_QUALITY = "18"  # of H.264: smaller is better, and 18 looks like the original
_PATIENCE = 900.0  # seconds that encoding may take


async def receive_film(
    project: Project, name: str, fps: float, pieces: AsyncIterator[bytes]
) -> wire.ExportedFile:
    """Write a film of JPEG frames, which come one after the other, into exports/."""
    if not _FPS[0] <= fps <= _FPS[1]:
        raise RandoriError(f"fps: {fps:g} is not between {_FPS[0]:g} and {_FPS[1]:g}")
    target = project.path(f"{name}.mp4", (".mp4",), EXPORTS)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        await receive(Path(folder) / "frames.mjpeg", pieces, lambda path, _: encode(path, target, fps))
    return wire.ExportedFile(path=project.relative(target), name=target.name, size=target.stat().st_size)


def encode(frames: Path, target: Path, fps: float) -> None:
    """Make an MP4 of a file of JPEG frames."""
    with frames.open("rb") as file:
        if file.read(len(_JPEG)) != _JPEG:
            raise FileError(target, "cannot be written: the page sent no pictures")
    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise FileError(target, f"cannot be written: no ffmpeg was found ({error})") from error
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        command = [program, "-y", "-loglevel", "error", "-f", "mjpeg", "-r", f"{fps:g}", "-i", str(frames)]
        command += ["-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2:out_color_matrix=bt709:out_range=tv"]
        command += ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
        command += ["-c:v", "libx264", "-preset", "veryfast", "-crf", _QUALITY, "-pix_fmt", "yuv420p"]
        command += ["-movflags", "+faststart", str(film)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise FileError(target, f"cannot be written: ffmpeg says {lines[-1] if lines else 'nothing'}")
        with write_whole(target) as file:
            file.write(film.read_bytes())
