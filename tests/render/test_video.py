"""Films: whole or not at all."""

import imageio_ffmpeg
import numpy as np
import pytest
from people import jog

from randori.errors import RandoriError
from randori.render.video import write_video

SIZE = (96, 64)


def read(path):
    frames = imageio_ffmpeg.read_frames(str(path))
    facts = next(frames)
    pictures = [np.frombuffer(frame, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 3) for frame in frames]
    return facts, pictures


def test_a_film_has_its_frames_and_its_rate(tmp_path):
    path = tmp_path / "jog.mp4"
    steps = list(write_video([jog(1.0), jog(0.5, at=(1.0, 0.0))], path, size=SIZE, fps=20.0, caption=True))
    assert steps == [(done, 21) for done in range(1, 22)]
    facts, pictures = read(path)
    assert len(pictures) == 21
    assert facts["fps"] == 20.0
    assert facts["codec"] == "h264"
    assert "yuv420p" in facts["pix_fmt"]
    content = path.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")  # plays while it loads
    assert np.abs(pictures[0].astype(int) - pictures[3]).max() > 40
    assert [file.name for file in tmp_path.iterdir()] == ["jog.mp4"]


def test_speed_and_range_choose_the_moments(tmp_path):
    def frames(**options: float) -> int:
        return list(write_video(jog(2.0), tmp_path / "a.mp4", size=SIZE, fps=10.0, **options))[-1][1]

    assert frames(speed=2.0) == 11
    assert frames(speed=0.5, start=0.5, stop=1.0) == 11
    assert frames(follow=False, stop=0.3) == 4


def test_a_film_that_is_left_half_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "jog.mp4"
    path.write_bytes(b"the old one")
    film = write_video(jog(), path, size=SIZE)
    next(film), next(film)
    film.close()
    assert path.read_bytes() == b"the old one"
    assert [file.name for file in tmp_path.iterdir()] == ["jog.mp4"]


def test_what_cannot_be_filmed_is_said(tmp_path):
    with pytest.raises(RandoriError, match="even"):
        next(write_video(jog(), tmp_path / "a.mp4", size=(95, 64)))
    with pytest.raises(RandoriError, match="no folder"):
        next(write_video(jog(), tmp_path / "missing" / "a.mp4", size=SIZE))
    with pytest.raises(RandoriError, match="cannot be made"):
        next(write_video(jog(), tmp_path / "a.mp4", size=SIZE, speed=0.0))
