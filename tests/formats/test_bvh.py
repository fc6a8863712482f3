"""BVH files are read as everybody else reads them, and come back from a round trip."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from samples import SMALL_BVH, Body, bvh_text, random_body, replace_line
from scipy.spatial.transform import Rotation

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import bvh
from randori.formats.recording import ReadingOptions
from randori.motion.clip import Clip

AS_WRITTEN = ReadingOptions(unit="m", up="Y", drop_tpose=False)


def read_text(folder: Path, text: str | bytes, given: ReadingOptions = AS_WRITTEN) -> Clip:
    path = folder / "sample.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return bvh.read(path, given)


@pytest.mark.parametrize("seed", range(40))
def test_joints_are_where_scipy_puts_them(tmp_path: Path, seed: int):
    body = random_body(seed)
    clip = read_text(tmp_path, bvh_text(body), replace(AS_WRITTEN, unit="cm"))
    np.testing.assert_allclose(clip.positions, 0.01 * body.positions(), rtol=0, atol=1e-9)
    assert clip.skeleton.names == tuple(body.names)
    for joint, tip in body.tips.items():
        np.testing.assert_allclose(clip.skeleton.tips[joint], 0.01 * tip, rtol=0, atol=1e-12)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tab", ["\t", "  ", " \t"])
def test_line_ends_and_indentation_do_not_matter(tmp_path: Path, newline: str, tab: str):
    body = random_body(1)
    clip = read_text(tmp_path, bvh_text(body, newline=newline, tab=tab))
    np.testing.assert_allclose(clip.positions, body.positions(), rtol=0, atol=1e-7)


def test_mixed_line_ends_a_byte_order_mark_and_blank_lines(tmp_path: Path):
    mixed = "\r\n".join(SMALL_BVH.split("\n", 5)) + "\n   \n\r\n"
    clip = read_text(tmp_path, b"\xef\xbb\xbf" + mixed.encode())
    assert len(clip) == 3


def test_keywords_in_any_case_and_braces_on_any_line(tmp_path: Path):
    text = SMALL_BVH.replace("JOINT Spine\n\t{", "joint Spine {").replace("HIERARCHY\nROOT", "hierarchy root")
    text = (
        text.replace("CHANNELS", "Channels").replace("OFFSET", "offset").replace("End Site", "END SITE Top")
    )
    text = (
        text.replace("MOTION", "motion")
        .replace("Frames: 3", "FRAMES :\t3 ")
        .replace("Zrotation", "zROTATION")
    )
    clip, plain = read_text(tmp_path, text), read_text(tmp_path, SMALL_BVH)
    assert clip.skeleton.names == ("Hips", "Spine")
    np.testing.assert_array_equal(clip.positions, plain.positions)


@pytest.mark.parametrize(
    "name", ["Bip01 L Thigh", "mixamorig:LeftUpLeg", "Hüfte", "左腕", "a.b|c", "JOINT", "MOTION"]
)
def test_any_name_survives_a_round_trip(tmp_path: Path, name: str):
    clip = read_text(tmp_path, SMALL_BVH.replace("JOINT Spine", f"JOINT {name}"))
    bvh.write(tmp_path / "again.bvh", clip)
    assert bvh.read(tmp_path / "again.bvh", AS_WRITTEN).skeleton.names == ("Hips", name)


def test_a_name_that_is_not_utf8_is_kept(tmp_path: Path):
    clip = read_text(tmp_path, SMALL_BVH.encode().replace(b"Spine", b"H\xfcfte"))
    assert clip.skeleton.names == ("Hips", "Hüfte")


def test_the_roots_offset_is_not_added_to_its_position(tmp_path: Path):
    assert read_text(tmp_path, SMALL_BVH).root_position.tolist() == [[0, 90, 0], [1, 91, 0], [2, 92, 0]]


def test_a_root_without_position_channels_stands_at_its_offset(tmp_path: Path):
    text = replace_line(SMALL_BVH, 5, "CHANNELS 4 Zposition Zrotation Xrotation Yrotation")
    for line, row in ((19, "7 0 0 0 0 0 0"), (20, "8 0 5 0 0 10 0"), (21, "9 0 9 0 0 20 0")):
        text = replace_line(text, line, row)
    assert read_text(tmp_path, text).root_position.tolist() == [[1, 2, 7], [1, 2, 8], [1, 2, 9]]


def with_moving_spine(*rows: tuple[float, float, float]) -> str:
    text = replace_line(
        SMALL_BVH, 9, "CHANNELS 6 Zrotation Xrotation Yrotation Xposition Yposition Zposition"
    )
    for line, place in zip((19, 20, 21), rows):
        text = replace_line(text, line, f"{line} 0 0 0 0 0 0 0 0 {' '.join(map(str, place))}")
    return text


def test_moving_joints_are_put_at_their_mean_and_noted(tmp_path: Path):
    clip = read_text(
        tmp_path, with_moving_spine((0, 38, 0), (0, 41, 0), (0, 41, 0)), replace(AS_WRITTEN, unit="cm")
    )
    np.testing.assert_allclose(clip.skeleton.offsets[1], [0.0, 0.40, 0.0])
    assert any("Spine by up to 20 mm" in note for note in clip.source.notes)


def test_joints_that_hardly_move_are_not_noted(tmp_path: Path):
    clip = read_text(
        tmp_path, with_moving_spine((0, 41, 0), (0, 41.05, 0), (0, 41, 0)), replace(AS_WRITTEN, unit="cm")
    )
    np.testing.assert_allclose(clip.skeleton.offsets[1, 1], 0.41, atol=1e-3)
    assert not any("mm" in note for note in clip.source.notes)


def test_position_channels_left_at_zero_do_not_collapse_the_body(tmp_path: Path):
    clip = read_text(tmp_path, with_moving_spine((0, 0, 0), (0, 0, 0), (0, 0, 0)))
    assert clip.skeleton.offsets[1].tolist() == [0, 40, 0]
    assert any("all 0" in note for note in clip.source.notes)


def with_node_above(turn: str = "0 0 0") -> str:
    """A root that never moves, on which the hips walk away, as Bandai-Namco's files have it."""
    lines = SMALL_BVH.split("\n")
    node = [
        "ROOT World",
        "{",
        "OFFSET 0 0 0",
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
    ]
    rows = [f"10 0 0 {turn} {row}" for row in lines[18:21]]
    return "\n".join(["HIERARCHY", *node, "JOINT Hips", *lines[2:15], "}", *lines[15:18], *rows, ""])


@pytest.mark.parametrize("turn", ["0 0 0", "0 0 90", "20 30 40"])
def test_hips_that_walk_away_from_a_root_take_it_along(tmp_path: Path, turn: str):
    clip = read_text(tmp_path, with_node_above(turn))
    z, x, y = map(float, turn.split())
    above = Rotation.from_euler("ZXY", [z, x, y], degrees=True)
    hips = np.array([10.0, 0.0, 0.0]) + above.apply([[0, 90, 0], [1, 91, 0], [2, 92, 0]])
    np.testing.assert_allclose(clip.positions[:, 1], hips, rtol=0, atol=1e-12)
    spine = hips + (above * Rotation.from_euler("X", [[0], [5], [9]], degrees=True)).apply([0, 40, 0])
    np.testing.assert_allclose(clip.positions[:, 2], spine, rtol=0, atol=1e-12)
    assert not any("mm" in note for note in clip.source.notes)


def test_hips_that_stay_on_a_root_that_stays_keep_their_offset(tmp_path: Path):
    text = with_node_above().replace("1 91 0 0 5", "0 90 0 0 5").replace("2 92 0 0 9", "0 90 0 0 9")
    clip = read_text(tmp_path, text)
    assert clip.root_position.tolist() == [[10, 0, 0]] * 3
    assert clip.skeleton.offsets[1].tolist() == [0, 90, 0]


def test_hips_that_move_on_a_moving_root_are_composed(tmp_path: Path):
    """Root motion as games have it: the root goes over the floor, the hips move above it."""
    text = with_node_above().replace("10 0 0 0 0 0 2", "11 0 0 0 0 0 2")
    clip = read_text(tmp_path, text)
    np.testing.assert_allclose(clip.positions[:, 1], [[10, 90, 0], [11, 91, 0], [13, 92, 0]])
    assert not any("mm" in note for note in clip.source.notes)


@pytest.mark.parametrize(
    ("written", "fps"),
    [
        *(
            ("0.0333333", 30.0),
            (".0083333", 120.0),
            ("0.0333", 30.0),
            ("0.033333", 30.0),
            ("3.33333e-2", 30.0),
        ),
        *(
            ("0.0333667", 30000 / 1001),
            ("0.041708", 24000 / 1001),
            ("0.0416667", 24.0),
            ("0.0166833", 60000 / 1001),
        ),
        *(("0.04", 25.0), ("0.01", 100.0), ("0.004167", 240.0), ("0.05", 20.0), ("1", 1.0)),
        ("0.0321", 1 / 0.0321),
    ],
)
def test_a_rounded_frame_time_is_the_usual_rate(tmp_path: Path, written: str, fps: float):
    clip = read_text(tmp_path, SMALL_BVH.replace("0.0333333", written))
    assert clip.fps == pytest.approx(fps, rel=1e-12)


def test_a_rate_that_is_told_wins(tmp_path: Path):
    text = SMALL_BVH.replace("0.0333333", "0")
    assert read_text(tmp_path, text, replace(AS_WRITTEN, fps=50.0)).fps == 50.0


def test_a_file_without_a_last_line_break(tmp_path: Path):
    assert len(read_text(tmp_path, SMALL_BVH.rstrip("\n"))) == 3


def test_a_long_header_is_read_whole(tmp_path: Path):
    body = random_body(6, frames=2, joints=1000)
    text = bvh_text(body, tab=" ")
    assert text.index("MOTION") > 100_000
    np.testing.assert_allclose(read_text(tmp_path, text).positions, body.positions(), rtol=0, atol=1e-5)


def test_many_blocks_are_one_motion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("randori.formats.files.LONGEST_LINE", 300)
    body = random_body(5, frames=50, joints=4)
    clip = read_text(tmp_path, bvh_text(body))
    np.testing.assert_allclose(clip.positions, body.positions(), rtol=0, atol=1e-7)


def test_a_written_clip_comes_back(tmp_path: Path):
    clip = made_up_clip(700, fps=59.94)
    bvh.write(tmp_path / "walk.bvh", clip)
    again = bvh.read(tmp_path / "walk.bvh")
    assert again.source.metres_per_unit == 0.01
    assert again.fps == pytest.approx(60000 / 1001)
    assert len(again) == len(clip)
    order = [clip.skeleton.names.index(name) for name in again.skeleton.names]
    np.testing.assert_allclose(again.positions, clip.positions[:, order], rtol=0, atol=1e-7)


def test_end_sites_come_back(tmp_path: Path):
    clip = read_text(tmp_path, SMALL_BVH)
    bvh.write(tmp_path / "again.bvh", clip)
    again = bvh.read(tmp_path / "again.bvh", replace(AS_WRITTEN, unit="cm"))
    np.testing.assert_allclose(again.skeleton.tips, clip.skeleton.tips)
    np.testing.assert_allclose(again.skeleton.offsets, clip.skeleton.offsets)
    np.testing.assert_allclose(again.tip_positions, clip.tip_positions, rtol=0, atol=1e-7)


def test_written_angles_do_not_jump_by_whole_turns(tmp_path: Path):
    clip = made_up_clip(2000)
    turning = clip.rotations.copy()
    angle = np.linspace(0.0, 12.0 * np.pi, len(clip))
    turning[:, 0] = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=-1)
    bvh.write(tmp_path / "spin.bvh", replace(clip, rotations=turning))
    lines = (tmp_path / "spin.bvh").read_text().splitlines()[-2000:]
    yaw = np.array([float(line.split()[5]) for line in lines])
    assert np.abs(np.diff(yaw)).max() < 5.0
    assert abs(yaw[-1]) > 2000.0


@pytest.mark.parametrize(
    "names", [("Hips", "Hips"), ("Hips", ""), ("Hips", "a{b"), ("Hips", "a\nb"), ("Hips", " a")]
)
def test_names_that_a_file_cannot_hold_are_refused(tmp_path: Path, names: tuple[str, str]):
    clip = read_text(tmp_path, SMALL_BVH)
    clip = replace(clip, skeleton=replace(clip.skeleton, names=names))
    with pytest.raises(FileError, match="not written"):
        bvh.write(tmp_path / "new.bvh", clip)
    assert not (tmp_path / "new.bvh").exists()


def test_a_clip_without_frames_is_refused(tmp_path: Path):
    clip = read_text(tmp_path, SMALL_BVH)
    with pytest.raises(FileError, match="no frames"):
        bvh.write(tmp_path / "new.bvh", clip.with_frames(clip.root_position[:0], clip.rotations[:0]))


def test_a_broken_clip_does_not_harm_the_file_that_is_there(tmp_path: Path):
    clip = read_text(tmp_path, SMALL_BVH)
    broken = replace(clip, root_position=np.full_like(clip.root_position, np.nan))
    with pytest.raises(FileError, match="not a finite number"):
        bvh.write(tmp_path / "sample.bvh", broken)
    assert (tmp_path / "sample.bvh").read_text() == SMALL_BVH


def test_a_body_is_a_fair_test():
    """The random bodies have what real files have: branches, joints without channels, odd orders."""
    bodies: list[Body] = [random_body(seed) for seed in range(40)]
    assert any(len(channels) == 0 for body in bodies for channels in body.channels)
    assert any(channels[0].endswith("rotation") for body in bodies for channels in body.channels[:1])
    assert all(len(set(body.parents)) < len(body.parents) for body in bodies)
