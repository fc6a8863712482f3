"""Markers in C3D and TRC files are solved onto a skeleton; sets that are not known are listed."""

from pathlib import Path

import numpy as np
import pytest
from scene_samples import c3d_bytes, plug_in_gait, trc_text

from randori.errors import FileError
from randori.formats import load
from randori.formats.c3d import read_markers
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform

TO_Z_UP = rot.from_axis_angle(rot.X_AXIS, np.pi / 2)


@pytest.fixture(scope="module")
def boxing() -> Clip:
    return perform("boxing", seconds=3.0, seed=2)[0].clip


@pytest.fixture(scope="module")
def markers(boxing: Clip) -> tuple[list[str], np.ndarray]:
    """Labels, and places in millimetres with Z up, as capture rooms have them."""
    labels, places = plug_in_gait(boxing)
    return labels, 1000.0 * rot.rotate(TO_Z_UP, places)


def is_solved(clip: Clip, truth: Clip) -> None:
    assert len(clip) == len(truth)
    assert clip.skeleton.height == pytest.approx(truth.skeleton.height, rel=0.05)
    for part, within in (("hand", 0.1), ("foot", 0.06), ("shin", 0.05), ("forearm", 0.1), ("thigh", 0.09)):
        for side in ("left", "right"):
            joints = (one.skeleton.joint(f"{side}_{part}") for one in (clip, truth))
            places = [one.positions[:, joint] for one, joint in zip((clip, truth), joints)]
            assert np.linalg.norm(places[0] - places[1], axis=-1).max() < within, (side, part)
    for part, within in (("pelvis", 12.0), ("chest", 20.0), ("head", 6.0)):
        turned = np.degrees(rot.angle_between(clip.turned(part), truth.turned(part)))
        assert turned.max() < within, part


@pytest.mark.parametrize("processor", [84, 85, 86])
@pytest.mark.parametrize("scale", [-1.0, 0.1])
def test_numbers_of_every_computer(
    markers: tuple[list[str], np.ndarray], tmp_path: Path, processor: int, scale: float
):
    labels, places = markers
    (tmp_path / "a.c3d").write_bytes(c3d_bytes(labels, places, 100.0, processor, scale))
    found = read_markers(tmp_path / "a.c3d")
    assert (found.labels, found.fps, found.unit) == (labels, 100.0, 0.001)
    np.testing.assert_allclose(found.places, places, rtol=1e-6, atol=0.051 if scale > 0 else 1e-3)


def test_plug_in_gait_is_solved(boxing: Clip, markers: tuple[list[str], np.ndarray], tmp_path: Path):
    labels, places = markers
    path = tmp_path / "boxing.c3d"
    path.write_bytes(c3d_bytes([f"Ann:{label}" for label in labels], places, boxing.fps))
    clip = load(path)
    assert (clip.source.metres_per_unit, clip.source.up_axis, clip.name) == (0.001, "Z", "boxing")
    is_solved(clip, boxing)


def test_the_waist_of_cmu_and_a_sacrum_are_known(
    boxing: Clip, markers: tuple[list[str], np.ndarray], tmp_path: Path
):
    labels, places = markers
    names = {"LASI": "LFWT", "RASI": "RFWT", "LPSI": "LBWT", "RPSI": "RBWT"}
    (tmp_path / "a.c3d").write_bytes(c3d_bytes([names.get(one, one) for one in labels], places, boxing.fps))
    is_solved(load(tmp_path / "a.c3d"), boxing)
    back = [labels.index("LPSI"), labels.index("RPSI")]
    sacrum = places[:, back].mean(axis=1, keepdims=True)
    fewer = [label for label in labels if not label.endswith("PSI")]
    rest = places[:, [labels.index(label) for label in fewer]]
    content = c3d_bytes([*fewer, "SACR"], np.concatenate([rest, sacrum], axis=1), boxing.fps)
    (tmp_path / "b.c3d").write_bytes(content)
    is_solved(load(tmp_path / "b.c3d"), boxing)


def test_trc_is_solved(boxing: Clip, tmp_path: Path):
    labels, places = plug_in_gait(boxing)
    (tmp_path / "boxing.trc").write_text(trc_text(labels, 1000.0 * places, boxing.fps))
    clip = load(tmp_path / "boxing.trc")
    assert (clip.source.metres_per_unit, clip.source.up_axis) == (0.001, "Y")
    is_solved(clip, boxing)


def test_joint_centres_are_taken_as_they_are(boxing: Clip, tmp_path: Path):
    names = {"Hip": "thigh", "Knee": "shin", "Ankle": "foot", "BigToe": "toes", "Shoulder": "upper_arm"}
    names |= {"Elbow": "forearm", "Wrist": "hand"}
    places = {"Neck": "neck", "Head": "head"} | {
        f"{side[0].upper()}{name}": f"{side}_{part}"
        for side in ("left", "right")
        for name, part in names.items()
    }
    joints = [boxing.skeleton.joint(part) for part in places.values()]
    (tmp_path / "pose.trc").write_text(trc_text(list(places), boxing.positions[:, joints], boxing.fps, "m"))
    clip = load(tmp_path / "pose.trc")
    for part in ("left_hand", "right_foot", "left_shin", "right_forearm"):
        gap = clip.positions[:, clip.skeleton.joint(part)] - boxing.positions[:, boxing.skeleton.joint(part)]
        assert np.linalg.norm(gap, axis=-1).max() < 0.08, part


def test_gaps_are_closed_and_long_ones_named(
    boxing: Clip, markers: tuple[list[str], np.ndarray], tmp_path: Path
):
    labels, places = markers
    holes = places.copy()
    holes[40:50, labels.index("LKNE")] = np.nan
    holes[60:120, labels.index("RELB")] = np.nan
    (tmp_path / "gaps.c3d").write_bytes(c3d_bytes(labels, holes, boxing.fps))
    clip = load(tmp_path / "gaps.c3d")
    assert any("right elbow was lost for up to 1.0 s" in note for note in clip.source.notes)
    assert not any("left knee" in note for note in clip.source.notes)
    assert np.isfinite(clip.positions).all()


def test_a_set_that_is_not_known_is_listed(markers: tuple[list[str], np.ndarray], tmp_path: Path):
    labels, places = markers
    path = tmp_path / "odd.c3d"
    path.write_bytes(c3d_bytes([f"M{number:03}" for number in range(len(labels))], places, 100.0))
    with pytest.raises(FileError, match=r"the pelvis \(LASI RASI LPSI RPSI\).*Its labels are M000, M001"):
        load(path)
    path.write_bytes(c3d_bytes(["x" + one if one == "LKNE" else one for one in labels], places, 100.0))
    with pytest.raises(FileError, match=r"nothing shows the left knee \(LKNE\)\. Its labels"):
        load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * 600, "its second byte is 80"),
        (b"\x02P" + bytes(510), "the file is too short"),
        (b"\x02P" + bytes(1500), "kind of processor, found 0"),
    ],
)
def test_files_that_are_no_c3d(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "bad.c3d").write_bytes(content)
    with pytest.raises(FileError, match=message):
        load(tmp_path / "bad.c3d")


@pytest.mark.parametrize(
    ("line", "text", "message", "number"),
    [
        (0, "Hello", "its first line starts with PathFileType", 1),
        (2, "fast\t1\t1\t1\tmm", "expected a DataRate", 3),
        (3, "Time", "expected Frame#", 4),
        (7, "3\t0.05\tone\t2\t3", "expected a number up to 1e[+]09, found 'one'", 8),
    ],
)
def test_what_is_wrong_with_a_trc_is_said(
    boxing: Clip, tmp_path: Path, line: int, text: str, message: str, number: int
):
    labels, places = plug_in_gait(boxing)
    lines = trc_text(labels, places, 60.0).split("\n")
    lines[line] = text
    (tmp_path / "bad.trc").write_text("\n".join(lines))
    with pytest.raises(FileError, match=message) as caught:
        load(tmp_path / "bad.trc")
    assert caught.value.line == number
