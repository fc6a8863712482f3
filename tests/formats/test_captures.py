"""Real recordings, where they are at hand: everything about them is found as their index has it."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from samples import Body

from randori.formats import load
from randori.formats.bvh_header import read_header
from randori.formats.recognise import find_unit, find_up, is_tpose_first
from randori.formats.recording import UNITS
from randori.formats.tables import read_table
from randori.motion import rotations as rot
from randori.motion.clip import Clip

Z_UP = rot.from_axis_angle(rot.X_AXIS, np.pi / 2)  # (x, y, z) → (x, -z, y)


@pytest.fixture(scope="module")
def index(mocap_folder: Path) -> list[dict[str, str]]:
    with open(mocap_folder / "INDEX.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def clips(mocap_folder: Path, index: list[dict[str, str]]) -> list[Clip]:
    return [load(mocap_folder / row["path"]) for row in index]


def test_all_that_is_recognised_agrees_with_the_index(index: list[dict[str, str]], clips: list[Clip]):
    wrong = []
    for row, clip in zip(index, clips):
        found = (
            round(clip.source.metres_per_unit, 6),
            clip.source.up_axis,
            clip.fps,
            clip.source.dropped_frames,
            len(clip) + clip.source.dropped_frames,
            len(clip.skeleton),
        )
        expected = (
            float(row["metres_per_unit"]),
            "Y",
            float(row["fps"]),
            int(row["first_frame_is_tpose"] == "yes"),
            int(row["frames"]),  # with the T-pose
            int(row["joints"]),
        )
        if found != expected:
            wrong.append((row["path"], found, expected))
    assert not wrong
    assert len(clips) >= 200


def test_joints_are_where_scipy_puts_them(mocap_folder: Path, index: list[dict[str, str]], clips: list[Clip]):
    """Within 0.1 mm, at thirty moments of every recording."""
    for row, clip in zip(index, clips):
        path = mocap_folder / row["path"]
        header = read_header(path)
        columns = sum(len(joint.channels) for joint in header.joints)
        table, *_ = read_table(path, header.end, header.frames, columns)
        frames = np.linspace(0, len(clip) - 1, 30).astype(int)
        body = Body(
            names=[joint.name for joint in header.joints],
            parents=[joint.parent for joint in header.joints],
            offsets=np.array([joint.offset for joint in header.joints]),
            tips={},
            channels=[joint.channels for joint in header.joints],
            table=table[frames + clip.source.dropped_frames],
        )
        expected = body.positions() * clip.source.metres_per_unit
        # onto the floor it is moved as a whole, and only up or down
        first = table[clip.source.dropped_frames, 1] * clip.source.metres_per_unit
        rise = clip.root_position[0, 1] - first
        assert abs(rise) < 1e-4 or abs(rise) > 0.02
        told = any("onto the floor" in note for note in clip.source.notes)
        assert told == (abs(rise) > 0.05), row["path"]
        expected[..., 1] += rise
        np.testing.assert_allclose(clip.positions[frames], expected, rtol=0, atol=1e-4, err_msg=row["path"])


def test_the_numbers_are_pythons_own(mocap_folder: Path, index: list[dict[str, str]]):
    for row in index[::20]:
        path = mocap_folder / row["path"]
        header = read_header(path)
        lines = path.read_bytes()[header.end :].split(b"\n")
        expected = np.array([line.split() for line in lines if line.strip()], dtype=float)
        table, *_ = read_table(path, header.end, header.frames, expected.shape[1])
        assert table.tobytes() == expected.tobytes()


def test_up_is_found_whichever_way_the_recording_is_turned(clips: list[Clip]):
    """Crawling, lying and falling among them, towards every side."""
    found: Counter[tuple[str, str]] = Counter()
    for clip in clips:
        for yaw in np.radians([0.0, 60.0, 90.0, 180.0, 270.0]):
            for up, turn in (("Y", rot.from_yaw(yaw)), ("Z", rot.multiply(Z_UP, rot.from_yaw(yaw)))):
                rotations = clip.rotations.copy()
                rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
                found[up, find_up(clip.skeleton, rot.rotate(turn, clip.root_position), rotations)] += 1
    assert set(found) == {("Y", "Y"), ("Z", "Z")}


def test_the_unit_is_found_whatever_the_unit_is(clips: list[Clip]):
    for clip in clips:
        for unit in UNITS.values():
            assert find_unit(clip.skeleton.scaled(1.0 / unit), clip.root_position, clip.rotations) == unit


def test_no_frame_of_a_motion_is_taken_for_a_tpose(clips: list[Clip]):
    for clip in clips:
        sparse = max(1, round(clip.fps / 30.0))
        for start in np.linspace(0, len(clip) - 10, 20).astype(int):
            assert not is_tpose_first(clip.skeleton, clip.rotations[start : start + 200])
            assert not is_tpose_first(clip.skeleton, clip.rotations[start : start + 200 : sparse])


def test_a_tpose_is_found_at_any_rate(mocap_folder: Path, index: list[dict[str, str]]):
    for row in index:
        if row["first_frame_is_tpose"] == "yes":
            clip = load(mocap_folder / row["path"], drop_tpose=False)
            for step in (1, 2, 4):
                assert is_tpose_first(clip.skeleton, clip.rotations[::step]), row["path"]


SWIMMERS = ("cmu_126_09.bvh",)


def lowest_standing(clip: Clip) -> float | None:
    """Metres: the usual height of the lowest point of feet that stand, found with nothing of Randori's own.

    A foot stands while its foremost joint moves by less than 2 cm in a tenth of a second below an upright
    body. None where that lasts for less than 0.2 s.
    """
    skeleton, reach = clip.skeleton, max(1, round(0.05 * clip.fps))
    found = []
    for side in ("left", "right"):
        joints = [skeleton.joint(f"{side}_foot")]
        joints += [skeleton.parts[f"{side}_toes"]] if f"{side}_toes" in skeleton.parts else []
        front = clip.positions[:, joints[-1]]
        moved = np.full(len(clip), np.inf)
        moved[reach:-reach] = np.linalg.norm(front[2 * reach :] - front[: -2 * reach], axis=1)
        leg = skeleton.length_between(joints[0], skeleton.joint(f"{side}_thigh"))
        upright = clip.positions[:, skeleton.joint("pelvis"), 1] - clip.positions[:, joints[0], 1] > 0.5 * leg
        lowest = np.minimum(clip.positions[:, joints, 1], clip.tip_positions[:, joints, 1]).min(axis=1)
        found.append(lowest[(moved < 0.02) & upright])
    standing = np.concatenate(found)
    return float(np.quantile(standing, 0.3)) if len(standing) >= 0.2 * clip.fps else None


def test_standing_feet_are_on_the_floor(mocap_folders: list[Path]):
    """Within 3 cm of 1.5 cm above it, where a foot's lowest point is, on rigs that have toes."""
    heights = {}
    for folder in mocap_folders[1:]:
        for path in sorted([*folder.rglob("*.bvh"), *folder.rglob("*.amc")]):
            if path.stat().st_size == 0 or path.name in SWIMMERS:
                continue
            clip = load(path)
            toes = {"left_toes", "right_toes"} <= set(clip.skeleton.parts)
            if not toes or len(clip) < 8:
                continue
            if (height := lowest_standing(clip)) is not None:
                heights[path.name] = height
    assert {name: height for name, height in heights.items() if abs(height - 0.015) > 0.03} == {}
    assert len(heights) > 100
