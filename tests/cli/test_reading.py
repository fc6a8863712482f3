"""What commands say about odd recordings: short ones, several clips, other units."""

from pathlib import Path

import pytest

from formats.scene_samples import GltfBuilder
from randori.bench.formats import made_up_clip
from randori.cli import main
from randori.formats import bvh
from randori.motion.clip import Clip


@pytest.fixture(scope="module")
def walk() -> Clip:
    return made_up_clip(60, fps=60.0)


def said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object
) -> tuple[int, str]:
    """How a command ends, and what it prints, in one line."""
    monkeypatch.setattr("sys.argv", ["randori", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return int(ended.value.code or 0), " ".join((printed.out + printed.err).split())


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_end_in_no_traceback(
    walk: Clip,
    tmp_path: Path,
    frames: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    short = walk.with_frames(walk.root_position[:frames], walk.rotations[:frames])
    bvh.write(tmp_path / "short.bvh", short)
    code, words = said(capsys, monkeypatch, "inspect", tmp_path / "short.bvh")
    assert code == 0
    assert "1.71 m tall" in words
    assert "floor at" in words
    assert "fewer than 8 frames contains no action" in words


def test_a_unit_in_metres_is_taken(
    walk: Clip, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "walk.bvh"
    bvh.write(path, walk.with_frames(walk.root_position[:5], walk.rotations[:5]))
    assert "1 unit = 0.012 m" in said(capsys, monkeypatch, "inspect", path, "--unit", "0.012")[1]
    code, words = said(capsys, monkeypatch, "inspect", path, "--unit", "yard")
    assert code != 0
    assert "there is no unit 'yard'" in words


def test_the_clips_of_a_file_are_listed_and_chosen(
    walk: Clip, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    builder = GltfBuilder(walk)
    builder.animate("walk", walk)
    builder.animate("stand", walk.with_frames(walk.root_position[:4], walk.rotations[:4]))
    path = tmp_path / "two.glb"
    path.write_bytes(builder.glb())
    code, words = said(capsys, monkeypatch, "inspect", path)
    assert code == 0
    assert "2 clips" in words
    assert "walk 60 frames at 60 a second" in words
    assert "4 frames at 60" in said(capsys, monkeypatch, "inspect", path, "--clip", "stand")[1]
    code, words = said(capsys, monkeypatch, "export", path, "--out", tmp_path / "one.bvh")
    assert code != 0
    assert "holds 2 clips; name one with --clip NAME: walk, stand" in words
