"""Markers in C3D and TRC files are solved onto a skeleton; sets that are not known are listed."""

from pathlib import Path

import numpy as np
import pytest
from scene_samples import c3d_bytes, plug_in_gait, trc_text

from randori.errors import FileError
from randori.formats import load
from randori.formats.c3d import read_markers
from randori.formats.markers import find_landmarks
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform

TO_Z_UP = rot.from_axis_angle(rot.X_AXIS, np.pi / 2)

# What the rooms, programs and models of other people call their markers.
SETS = {
    "Plug-in Gait": (
        "LFHD RFHD LBHD RBHD C7 T10 CLAV STRN RBAK LSHO LUPA LELB LFRM LWRA LWRB LFIN RSHO RUPA "
        "RELB RFRM RWRA RWRB RFIN LASI RASI LPSI RPSI LTHI LKNE LTIB LANK LHEE LTOE RTHI RKNE "
        "RTIB RANK RHEE RTOE"
    ),
    "Helen Hayes": (
        "Top.Head Front.Head Rear.Head R.Shoulder L.Shoulder R.Elbow L.Elbow R.Wrist L.Wrist "
        "R.ASIS L.ASIS V.Sacral R.Thigh L.Thigh R.Knee L.Knee R.Shank L.Shank R.Ankle L.Ankle "
        "R.Heel L.Heel R.Toe L.Toe Offset"
    ),
    "OptiTrack Baseline": (
        "HeadTop HeadFront HeadSide BackTop BackLeft BackRight Chest WaistLFront WaistRFront "
        "WaistLBack WaistRBack LShoulderBack LShoulderTop LElbowOut LUArmHigh LHandOut LWristOut "
        "LWristIn RShoulderBack RShoulderTop RElbowOut RUArmHigh RHandOut RWristOut RWristIn "
        "LThigh LKneeOut LShin LAnkleOut LToeOut LToeIn RThigh RKneeOut RShin RAnkleOut RToeOut "
        "RToeIn"
    ),
    "Qualisys, with places": (
        "Head_Front Head_L Head_R Spine_Top Chest Waist_L_Front Waist_R_Front Waist_L_Back "
        "Waist_R_Back L_Shoulder_Top L_Elbow_Out L_Wrist_Out L_Wrist_In R_Shoulder_Top "
        "R_Elbow_Out R_Wrist_Out R_Wrist_In L_Knee_Out L_Ankle_Out L_Toe_Tip L_Heel_Back "
        "R_Knee_Out R_Ankle_Out R_Toe_Tip R_Heel_Back"
    ),
    "Vicon Shogun": (
        "ARIEL LFHD RFHD LBHD RBHD C7 T10 CLAV STRN LFWT RFWT LMWT RMWT LBWT RBWT LSHO LUPA LELB "
        "LIEL LOWR LIWR LIHAND LOHAND RSHO RUPA RELB RIEL ROWR RIWR RIHAND ROHAND LTHI LKNE LKNI "
        "LTIB LANK LHEE LTOE LMT5 LMT1 RTHI RKNE RKNI RTIB RANK RHEE RTOE RMT5 RMT1"
    ),
    "ISB": (
        "CV7 SXS SJN TV10 L_SAE R_SAE L_HLE R_HLE L_HME R_HME L_RSP R_RSP L_USP R_USP L_IAS R_IAS "
        "L_IPS R_IPS L_FLE R_FLE L_FME R_FME L_FAL R_FAL L_TAM R_TAM L_FCC R_FCC L_FM1 R_FM1 "
        "L_FM2 R_FM2 L_FM5 R_FM5 L_HEAD R_HEAD SGL"
    ),
    "Rizzoli": (
        "LASIS RASIS LPSIS RPSIS LGT RGT LLE RLE LME RME LHF RHF LTT RTT LLM RLM LMM RMM LCA RCA "
        "LFM RFM LSM RSM LVM RVM LSHO RSHO LELB RELB LWRI RWRI C7 HEAD"
    ),
    "joint centres": ("LHJC RHJC LKJC RKJC LAJC RAJC LSJC RSJC LEJC REJC LWJC RWJC HEAD NECK"),
    "Theia-like": (
        "l_hip r_hip l_knee r_knee l_ankle r_ankle l_toes r_toes l_shoulder r_shoulder l_elbow "
        "r_elbow l_wrist r_wrist head"
    ),
    "MediaPipe": (
        "nose left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow left_wrist "
        "right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle left_heel "
        "right_heel left_foot_index right_foot_index"
    ),
    "OpenPose": (
        "Nose Neck RShoulder RElbow RWrist LShoulder LElbow LWrist MidHip RHip RKnee RAnkle LHip "
        "LKnee LAnkle REye LEye REar LEar LBigToe LSmallToe LHeel RBigToe RSmallToe RHeel"
    ),
    "OpenCap": (
        "Neck RShoulder RElbow RWrist LShoulder LElbow LWrist midHip RHip RKnee RAnkle LHip LKnee "
        "LAnkle LBigToe LSmallToe LHeel RBigToe RSmallToe RHeel r.ASIS_study L.ASIS_study "
        "r.PSIS_study L.PSIS_study r_knee_study L_knee_study r_ankle_study L_ankle_study C7_study"
    ),
    "OpenSim gait2354": (
        "Top.Head Front.Head Rear.Head R.Acromium L.Acromium R.Bicep R.Elbow R.Wrist.Med "
        "R.Wrist.Lat R.ASIS L.ASIS V.Sacral R.Thigh.Upper R.Knee.Lat R.Knee.Med R.Shank.Upper "
        "R.Ankle.Lat R.Ankle.Med R.Heel R.Midfoot.Sup R.Toe.Tip L.Elbow L.Wrist.Med L.Wrist.Lat "
        "L.Knee.Lat L.Knee.Med L.Ankle.Lat L.Ankle.Med L.Heel L.Toe.Tip"
    ),
    "CMU 41": (
        "LFHD RFHD LBHD RBHD C7 T10 CLAV STRN RBAC LSHO LUPA LELB LFRM LWRA LWRB LFIN RSHO RUPA "
        "RELB RFRM RWRA RWRB RFIN LFWT RFWT LBWT RBWT LTHI LKNE LSHN LANK LHEE LTOE LMT5 RTHI "
        "RKNE RSHN RANK RHEE RTOE RMT5"
    ),
    "with a subject and _": (
        "Ann_LFHD Ann_RFHD Ann_LBHD Ann_RBHD Ann_C7 Ann_CLAV Ann_LSHO Ann_LELB Ann_LWRA Ann_LWRB "
        "Ann_RSHO Ann_RELB Ann_RWRA Ann_RWRB Ann_LASI Ann_RASI Ann_LPSI Ann_RPSI Ann_LKNE "
        "Ann_LANK Ann_LHEE Ann_LTOE Ann_RKNE Ann_RANK Ann_RHEE Ann_RTOE"
    ),
}
NEEDED = ("knee", "ankle", "shoulder", "elbow")


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
    assert clip.source.notes == ()  # skin moves on bones; that is no fault of the recording
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


@pytest.mark.parametrize("name", SETS)
def test_the_landmarks_of_other_sets_are_known(name: str):
    labels = SETS[name].split()
    found = find_landmarks(labels, np.zeros((3, len(labels), 3)))
    for side in ("left", "right"):
        assert {f"{side}_{landmark}" for landmark in NEEDED} <= set(found)
        assert {f"{side}_{mark}" for mark in ("wrist", "thumb_wrist", "little_wrist")} & set(found)
        assert {f"{side}_hip", f"{side}_front"} & set(found)


def test_a_head_without_markers_goes_with_the_chest(
    boxing: Clip, markers: tuple[list[str], np.ndarray], tmp_path: Path
):
    labels, places = markers
    bare = [label for label in labels if not label.endswith("HD")]
    rest = places[:, [labels.index(label) for label in bare]]
    (tmp_path / "a.c3d").write_bytes(c3d_bytes(bare, rest, boxing.fps))
    clip = load(tmp_path / "a.c3d")
    assert clip.source.notes == ("no marker shows the head: it goes with the chest",)
    assert clip.skeleton.height == pytest.approx(boxing.skeleton.height, rel=0.05)


def test_a_foot_points_where_a_straight_leg_is_turned(boxing: Clip, tmp_path: Path):
    """As in a round kick: the hips look ahead, and the leg is turned out by 70 degrees."""
    skeleton = boxing.skeleton
    turned = np.tile(skeleton.reference, (20, 1, 1))
    for part in ("thigh", "shin", "foot", "toes"):
        joint = skeleton.joint(f"left_{part}")
        turned[:, joint] = rot.multiply(rot.from_yaw(np.radians(70.0)), turned[:, joint])
    root = np.tile(skeleton.reference_pose[0][0], (20, 1))
    stands = boxing.with_frames(root, skeleton.to_local(turned))
    labels, places = plug_in_gait(stands)
    (tmp_path / "turned.trc").write_text(trc_text(labels, places, 60.0, "m"))
    clip = load(tmp_path / "turned.trc")
    for part, within in (("left_toes", 0.04), ("left_foot", 0.03), ("left_shin", 0.05), ("right_toes", 0.03)):
        gap = clip.positions[:, clip.skeleton.joint(part)] - stands.positions[:, skeleton.joint(part)]
        assert np.linalg.norm(gap, axis=-1).max() < within, part


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
