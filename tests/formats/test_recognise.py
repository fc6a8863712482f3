"""Unit, up axis and T-pose are found without being told, and what is told wins."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.bench.formats import made_up_clip
from randori.errors import BodyPartError, FileError, RandoriError
from randori.formats import bvh, load
from randori.formats.recognise import find_floor, find_unit, find_up, is_tpose_first
from randori.formats.recording import UNITS
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.performer import perform
from rigs import rerig

Z_UP = rot.from_axis_angle(rot.X_AXIS, np.pi / 2)  # (x, y, z) → (x, -z, y)


@pytest.fixture(scope="module")
def walk() -> Clip:
    return made_up_clip(300)


def turned(clip: Clip, turn: np.ndarray) -> Clip:
    """The whole recording turned about the origin."""
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return replace(clip, root_position=rot.rotate(turn, clip.root_position), rotations=rotations)


def lying(clip: Clip, yaw: float) -> Clip:
    """Somebody who rolls about on the floor, the head towards one side."""
    times = clip.times
    roll = rot.from_axis_angle(rot.Y_AXIS, 0.6 * np.sin(2.0 * times))
    flat = rot.multiply(rot.from_yaw(yaw), rot.from_axis_angle(rot.X_AXIS, np.pi / 2))
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(flat, roll)
    forward = rot.rotate(rot.from_yaw(yaw), rot.Z_AXIS)
    root = 0.12 * rot.Y_AXIS + (2.0 + 0.3 * times[:, None]) * forward
    return replace(clip, root_position=root, rotations=rotations)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [0.85, 1.0, 1.2])
def test_the_unit_of_bodies_small_and_tall(walk: Clip, unit: str, size: float):
    skeleton = walk.skeleton.scaled(size / UNITS[unit])
    assert find_unit(skeleton, walk.root_position / UNITS[unit], walk.rotations) == UNITS[unit]


@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_of_a_body_with_unknown_names(walk: Clip, unit: str):
    skeleton = replace(walk.skeleton.scaled(1.0 / UNITS[unit]), parts={})
    assert find_unit(skeleton, walk.root_position / UNITS[unit], walk.rotations) == UNITS[unit]


def test_a_node_on_the_floor_is_no_part_of_a_body(walk: Clip):
    skeleton = walk.skeleton
    above = Skeleton(
        names=("World", *skeleton.names),
        parents=np.append(-1, skeleton.parents + 1),
        offsets=np.vstack([np.zeros(3), [0.0, 0.92, 0.0], skeleton.offsets[1:]]),
        tips=np.vstack([np.zeros(3), skeleton.tips]),
        parts={part: joint + 1 for part, joint in skeleton.parts.items()},
    )
    rotations = np.insert(walk.rotations, 0, rot.IDENTITY, axis=1)
    for unit in UNITS.values():
        assert find_unit(above.scaled(1.0 / unit), walk.root_position, rotations) == unit


@pytest.mark.parametrize("unit", ["m", "cm", "mm"])
def test_a_child_in_the_usual_units_is_not_a_giant_in_others(walk: Clip, unit: str):
    skeleton = walk.skeleton.scaled(0.6 / UNITS[unit])
    assert find_unit(skeleton, walk.root_position, walk.rotations) == UNITS[unit]


@pytest.mark.parametrize("yaw", np.radians([0.0, 45.0, 90.0, 180.0, 270.0]))
def test_up_whichever_way_somebody_walks(walk: Clip, yaw: float):
    clip = turned(walk, rot.from_yaw(yaw))
    assert find_up(clip.skeleton, clip.root_position, clip.rotations) == "Y"
    clip = turned(clip, Z_UP)
    assert find_up(clip.skeleton, clip.root_position, clip.rotations) == "Z"


@pytest.mark.parametrize("yaw", np.radians([0.0, 45.0, 90.0, 180.0, 270.0]))
def test_up_of_somebody_who_lies(walk: Clip, yaw: float):
    clip = lying(walk, yaw)
    assert find_up(clip.skeleton, clip.root_position, clip.rotations) == "Y"
    clip = rerig(turned(clip, Z_UP), np.tile(rot.inverse(Z_UP), (31, 1)))  # its rest pose stands along Z, too
    assert find_up(clip.skeleton, clip.root_position, clip.rotations) == "Z"


@pytest.mark.parametrize("hint", ["Y", "Z", None])
@pytest.mark.parametrize("height", [0.0, 0.9])
def test_a_single_pose_stands_whatever_the_file_says(walk: Clip, hint: str | None, height: float):
    """Exporters turn a file with one key as a whole, and forget to say so."""
    pose = walk.skeleton.reference[None]
    stands = walk.with_frames(height * np.array([[0.0, 1.0, 0.0]]), walk.skeleton.to_local(pose))
    for clip, up in ((stands, "Y"), (turned(stands, Z_UP), "Z")):
        assert find_up(clip.skeleton, clip.root_position, clip.rotations, hint) == up


@pytest.mark.parametrize("parts", [{}, None])
def test_up_without_known_names(walk: Clip, parts: dict[str, int] | None):
    skeleton = walk.skeleton if parts is None else replace(walk.skeleton, parts=parts)
    clip = turned(walk, Z_UP)
    assert find_up(skeleton, clip.root_position, clip.rotations) == "Z"


def test_z_up_becomes_y_up(walk: Clip, tmp_path: Path):
    bvh.write(tmp_path / "z.bvh", turned(walk, Z_UP))
    clip = load(tmp_path / "z.bvh")
    assert clip.source.up_axis == "Z"
    order = [walk.skeleton.names.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(clip.positions, walk.positions[:, order], rtol=0, atol=1e-6)
    as_it_is = load(tmp_path / "z.bvh", up="Y")
    np.testing.assert_allclose(as_it_is.positions[..., 2], clip.positions[..., 1], rtol=0, atol=1e-6)


def with_tpose(clip: Clip) -> Clip:
    rotations = clip.rotations.copy()
    rotations[0] = rot.IDENTITY
    return replace(clip, rotations=rotations)


def test_an_inserted_tpose_is_dropped_and_counted(walk: Clip, tmp_path: Path):
    bvh.write(tmp_path / "t.bvh", with_tpose(walk))
    clip = load(tmp_path / "t.bvh")
    assert (len(clip), clip.source.dropped_frames) == (len(walk) - 1, 1)
    kept = load(tmp_path / "t.bvh", drop_tpose=False)
    assert (len(kept), kept.source.dropped_frames) == (len(walk), 0)
    bvh.write(tmp_path / "plain.bvh", walk)
    dropped = load(tmp_path / "plain.bvh", drop_tpose=True)
    assert (len(dropped), dropped.source.dropped_frames) == (len(walk) - 1, 1)


def test_a_tpose_whose_angles_are_not_zero_is_seen(walk: Clip):
    clip = with_tpose(walk)
    folded = clip.rotations.copy()
    # the same pose on a rig whose arm is turned about itself
    arm = clip.skeleton.joint("left_upper_arm")
    twist = rot.from_axis_angle(rot.X_AXIS, 0.4)
    folded[:, arm] = rot.multiply(folded[:, arm], twist)
    assert is_tpose_first(clip.skeleton, folded)


@pytest.mark.parametrize("start", range(0, 290, 13))
def test_no_other_frame_is_a_tpose(walk: Clip, start: int):
    assert not is_tpose_first(walk.skeleton, walk.rotations[start:])


def test_a_motion_that_starts_in_a_tpose_keeps_it(walk: Clip):
    ease = np.clip(np.arange(len(walk)) / 120.0, 0.0, 1.0)[:, None]
    rotations = rot.slerp(
        np.broadcast_to(rot.IDENTITY, walk.rotations.shape), walk.rotations, ease**2 * np.ones(31)
    )
    assert not is_tpose_first(walk.skeleton, rotations)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_are_too_few_to_tell(walk: Clip, frames: int, tmp_path: Path):
    clip = with_tpose(walk)
    short = replace(clip, root_position=clip.root_position[:frames], rotations=clip.rotations[:frames])
    bvh.write(tmp_path / "short.bvh", short)
    assert len(load(tmp_path / "short.bvh")) == frames


def test_body_parts_can_be_named(walk: Clip, tmp_path: Path):
    bvh.write(tmp_path / "walk.bvh", walk)
    clip = load(tmp_path / "walk.bvh", parts={"left_hand": "LeftFingerBase"})
    assert clip.skeleton.names[clip.skeleton.joint("left_hand")] == "LeftFingerBase"
    with pytest.raises(BodyPartError, match="there is no joint 'Wing'"):
        load(tmp_path / "walk.bvh", parts={"left_hand": "Wing"})


def test_a_joint_of_another_name_is_known_by_its_place(walk: Clip, tmp_path: Path):
    names = tuple(name.replace("LeftHand", "Paw") for name in walk.skeleton.names)
    bvh.write(tmp_path / "walk.bvh", replace(walk, skeleton=replace(walk.skeleton, names=names)))
    clip = load(tmp_path / "walk.bvh")
    assert clip.skeleton.names[clip.skeleton.joint("left_hand")] == "Paw"


def test_parts_that_are_missing_are_noted_as_options(walk: Clip, tmp_path: Path):
    cut = ("LeftForeArm", "LeftHand", "LeftFingerBase", "LeftHandIndex1", "LThumb")
    order = [joint for joint, name in enumerate(walk.skeleton.names) if name not in cut]
    parents = np.array([-1 if joint == 0 else order.index(walk.skeleton.parents[joint]) for joint in order])
    names = tuple(walk.skeleton.names[joint] for joint in order)
    short = Skeleton(names, parents, walk.skeleton.offsets[order], walk.skeleton.tips[order])
    bvh.write(tmp_path / "walk.bvh", replace(walk, skeleton=short, rotations=walk.rotations[:, order]))
    notes = load(tmp_path / "walk.bvh").source.notes
    assert any("--part left_forearm=JOINT --part left_hand=JOINT" in note for note in notes)


def blended(clip: Clip, frames: int) -> Clip:
    """The clip after a T-pose that is blended into it over some frames."""
    rest = np.broadcast_to(rot.IDENTITY, clip.rotations[:frames].shape)
    share = (np.arange(frames) / frames)[:, None] * np.ones(len(clip.skeleton))
    target = np.broadcast_to(clip.rotations[0], clip.rotations[:frames].shape)
    rotations = np.concatenate([rot.slerp(rest, target, share), clip.rotations])
    roots = np.concatenate([np.tile(clip.root_position[0], (frames, 1)), clip.root_position])
    return replace(clip, rotations=rotations, root_position=roots)


@pytest.mark.parametrize("frames", [2, 3, 4, 6])
def test_a_tpose_that_is_blended_into_the_motion_is_dropped(walk: Clip, tmp_path: Path, frames: int):
    bvh.write(tmp_path / "blended.bvh", blended(walk, frames))
    clip = load(tmp_path / "blended.bvh")
    assert clip.source.dropped_frames == frames
    order = [walk.skeleton.names.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(clip.positions, walk.positions[:, order], rtol=0, atol=1e-6)


def test_a_size_between_the_units_becomes_a_grown_person(walk: Clip, tmp_path: Path):
    """45 units tall: neither centimetres nor inches nor metres make a person of that."""
    factor = 100 * 45 / 171
    bvh.write(tmp_path / "odd.bvh", replace(walk, skeleton=walk.skeleton.scaled(factor / 100),
                                            root_position=walk.root_position * factor / 100))  # fmt: skip
    clip = load(tmp_path / "odd.bvh", drop_tpose=False)
    assert clip.skeleton.height == pytest.approx(1.75)
    assert any("no usual unit" in note for note in clip.source.notes)
    told = load(tmp_path / "odd.bvh", unit=0.04)
    assert told.source.metres_per_unit == 0.04
    assert not any("no usual unit" in note for note in told.source.notes)


def test_a_recording_without_a_floor_is_put_on_it(walk: Clip, tmp_path: Path):
    bvh.write(tmp_path / "hips.bvh", replace(walk, root_position=walk.root_position * 0.0))
    clip = load(tmp_path / "hips.bvh")
    assert abs(find_floor(clip) or 0.0) < 1e-6
    assert any("lifted onto the floor" in note for note in clip.source.notes)


@pytest.fixture(scope="module")
def boxer() -> Clip:
    return perform("boxing", seconds=3.0, seed=2)[0].clip


def lifted(clip: Clip, metres: float) -> Clip:
    return replace(clip, root_position=clip.root_position + metres * rot.Y_AXIS)


@pytest.mark.parametrize(("metres", "moved"), [(0.0, False), (0.05, False), (0.18, True), (-0.15, True)])
def test_a_body_that_lies_does_not_float(boxer: Clip, tmp_path: Path, metres: float, moved: bool):
    lying = turned(boxer, rot.from_axis_angle(rot.X_AXIS, -0.5 * np.pi))
    still = np.zeros_like(lying.root_position)
    lying = lifted(lying.with_frames(still, lying.rotations), 0.2)
    own = find_floor(lying)
    assert own is not None
    bvh.write(tmp_path / "lying.bvh", lifted(lying, metres - own))
    read = load(tmp_path / "lying.bvh", up="Y")
    assert any("onto the floor" in note for note in read.source.notes) == moved
    assert abs((find_floor(read) or 0.0) - (0.0 if moved else metres)) < 0.01


@pytest.mark.parametrize(
    ("metres", "moved"), [(0.0, False), (0.015, False), (0.06, True), (-0.06, True), (0.22, True)]
)
def test_feet_that_stand_off_the_floor_are_put_on_it(boxer: Clip, tmp_path: Path, metres: float, moved: bool):
    """A room whose zero is wrong, or a mat; two centimetres are not known better, and left as they are."""
    own = find_floor(boxer)
    assert own is not None
    assert abs(own) < 0.01
    bvh.write(tmp_path / "boxer.bvh", lifted(boxer, metres))
    clip = load(tmp_path / "boxer.bvh")
    assert any("onto the floor" in note for note in clip.source.notes) == moved
    away = clip.root_position[:, 1] - boxer.root_position[:, 1]
    expected = -own if moved else metres
    np.testing.assert_allclose(away, expected, atol=2e-4)


@pytest.mark.parametrize("metres", [0.0, 0.22])
def test_the_floor_that_reading_keeps_is_the_one_that_is_measured(boxer: Clip, tmp_path: Path, metres: float):
    bvh.write(tmp_path / "boxer.bvh", lifted(boxer, metres))
    clip = load(tmp_path / "boxer.bvh")
    assert find_floor(clip) == pytest.approx(find_floor(replace(clip)), abs=1e-9)


def test_tips_of_toes_do_not_move_the_floor(boxer: Clip):
    """glTF keeps no ends of bones, FBX only some: the same recording has the same floor without them."""
    bare = replace(boxer.skeleton, tips=np.zeros_like(boxer.skeleton.tips))
    assert find_floor(replace(boxer, skeleton=bare)) == find_floor(boxer)


def test_frames_that_pad_a_recording_do_not_move_its_floor(boxer: Clip):
    """Exporters hold the last pose until their scene ends; it may have a foot in the air."""
    raised = int(np.argmax(boxer.positions[:, boxer.skeleton.joint("left_foot"), 1]))
    short = boxer.with_frames(boxer.root_position[: raised + 1], boxer.rotations[: raised + 1])
    frames = np.append(np.arange(len(short)), np.full(236, len(short) - 1))
    padded = short.with_frames(short.root_position[frames], short.rotations[frames])
    assert find_floor(padded) == find_floor(short)


def test_steps_that_sink_in_do_not_lower_the_floor(boxer: Clip):
    """For a quarter of the time the whole body is 5 cm lower, as on rigs that a motion does not fit."""
    sunk = boxer.root_position.copy()
    sunk[: len(sunk) // 4, 1] -= 0.05
    floor, own = find_floor(boxer.with_frames(sunk, boxer.rotations)), find_floor(boxer)
    assert floor is not None
    assert own is not None
    assert abs(floor - own) < 0.01


def on_all_fours(clip: Clip) -> Clip:
    """The trunk flat, arms and legs down."""
    skeleton, rotations = clip.skeleton, clip.rotations.copy()
    flat = rot.from_axis_angle(rot.X_AXIS, np.pi / 2)
    rotations[:, 0] = flat
    for side, sign in (("left", 1.0), ("right", -1.0)):
        down = rot.from_axis_angle(rot.Y_AXIS, -sign * np.pi / 2)
        rotations[:, skeleton.joint(f"{side}_upper_arm")] = down
        rotations[:, skeleton.joint(f"{side}_thigh")] = rot.inverse(flat)
    return replace(clip, rotations=rotations)


def test_a_dog_is_refused_and_a_child_on_all_fours_is_not(walk: Clip, tmp_path: Path):
    crawling = on_all_fours(walk)
    bvh.write(tmp_path / "child.bvh", crawling)
    assert load(tmp_path / "child.bvh", up="Y").name == "child"
    names = tuple("Tail" if name == "LThumb" else name for name in walk.skeleton.names)
    bvh.write(tmp_path / "dog.bvh", replace(crawling, skeleton=replace(walk.skeleton, names=names)))
    with pytest.raises(FileError, match="an animal on four legs"):
        load(tmp_path / "dog.bvh", up="Y")


def test_a_quadruped_without_a_tail_is_refused_for_its_front_legs(walk: Clip, tmp_path: Path):
    skeleton, offsets = walk.skeleton, walk.skeleton.offsets.copy()
    for side in ("left", "right"):
        for part in ("forearm", "hand"):
            offsets[skeleton.joint(f"{side}_{part}")] *= 1.6  # as long as the hind legs
    horse = replace(walk, skeleton=replace(skeleton, offsets=offsets))
    bvh.write(tmp_path / "horse.bvh", on_all_fours(horse))
    with pytest.raises(FileError, match=r"animal on four legs .*front legs are \d+ % as long as its hind"):
        load(tmp_path / "horse.bvh", up="Y")
    bvh.write(tmp_path / "ape.bvh", horse)
    assert load(tmp_path / "ape.bvh").name == "ape"  # long arms alone make no animal


def test_where_a_clip_comes_from_is_told(walk: Clip, tmp_path: Path):
    bvh.write(tmp_path / "walk.bvh", walk)
    clip = load(tmp_path / "walk.bvh")
    assert clip.name == "walk"
    assert clip.source.file == "walk.bvh"
    assert (clip.source.metres_per_unit, clip.source.up_axis) == (0.01, "Y")
    assert load(tmp_path / "walk.bvh", unit="m").source.metres_per_unit == 1.0
    assert load(tmp_path / "walk.bvh", unit=0.02).source.metres_per_unit == 0.02


NONSENSE = [
    *({"unit": unit} for unit in ("yard", 0.0, -1.0, float("nan"))),
    *({"up": up} for up in ("X", "-Y", "up")),
    *({"fps": fps} for fps in (0.0, -30.0, float("inf"))),
]


@pytest.mark.parametrize("told", NONSENSE)
def test_nonsense_that_is_told_is_refused(walk: Clip, tmp_path: Path, told: dict[str, float | str]):
    bvh.write(tmp_path / "walk.bvh", walk)
    with pytest.raises(RandoriError):
        load(tmp_path / "walk.bvh", **told)  # type: ignore[arg-type]
