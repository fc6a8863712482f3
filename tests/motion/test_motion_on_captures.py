"""The tools of this room on real recordings: figures measured on them, and what must hold on every one."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import align, crop, mirror, resample
from randori.motion.feet import foot_contacts, foot_levels, foot_slide, planted_phases
from randori.motion.foot_locking import lock_feet
from randori.motion.placement import Placement
from randori.motion.transition import join

SOME = [
    "walking/accad_Male2_B3_Walk.bvh",
    "walking/cmu_16_17.bvh",
    "boxing/accad_Male2_Extended_1.bvh",
    "boxing/cmu_17_10.bvh",
    "kicks/accad_Male2_G2_FrontKick.bvh",
    "running/accad_Male2_C3_Run.bvh",
]


def angular_acceleration(clip: Clip) -> np.ndarray:
    """(F - 2, J) radians per second squared."""
    step = rot.to_rotation_vector(rot.multiply(clip.rotations[1:], rot.inverse(clip.rotations[:-1])))
    return np.linalg.norm(np.diff(step, axis=0), axis=-1) * clip.fps**2


def phases_and_gaps(contacts: np.ndarray, fps: float) -> tuple[float, float]:
    """Seconds that a foot stands and swings, in the middle."""
    stands, swings = [], []
    for foot in range(2):
        runs = [phase for phase in planted_phases(contacts) if phase.foot == foot]
        stands += [
            phase.stop - phase.start for phase in runs if phase.start > 0 and phase.stop < len(contacts)
        ]
        swings += [after.start - before.stop for before, after in pairwise(runs)]
    return float(np.median(stands)) / fps, float(np.median(swings)) / fps


@pytest.mark.parametrize(
    ("file", "contact", "swing"),
    [
        ("walking/accad_Male2_B3_Walk.bvh", 0.59, 0.42),
        ("walking/accad_Male2_B5_WalkBackwards.bvh", 0.61, 0.43),
        ("walking/cmu_16_17.bvh", 0.75, 0.40),
        ("running/accad_Male2_C3_Run.bvh", 0.21, 0.56),
        ("running/accad_Male1_C03_Run.bvh", 0.13, 0.50),
    ],
)
def test_people_stand_and_swing_as_long_as_was_measured(
    mocap_folder: Path, file: str, contact: float, swing: float
):
    clip = load(mocap_folder / file)
    found = phases_and_gaps(foot_contacts(clip), clip.fps)
    assert found == pytest.approx((contact, swing), abs=0.06)


def test_a_mat_is_a_floor(mocap_folder: Path):
    clip = load(mocap_folder / "falling_getup/cmu_90_16.bvh")  # on its mat, as if that were the ground
    ground = foot_levels(clip)
    lifted = clip.root_position.copy()
    lifted[:, 1] += 0.15
    levels = foot_levels(clip.with_frames(lifted, clip.rotations))
    assert -0.05 < ground.ball < 0.05
    assert levels.ball == pytest.approx(ground.ball + 0.15, abs=0.005)


@pytest.mark.parametrize("file", SOME)
def test_locked_feet_do_not_slide(mocap_folder: Path, file: str):
    clip = load(mocap_folder / file)
    contacts = foot_contacts(clip)
    locked = lock_feet(clip, contacts)
    assert np.mean(foot_slide(locked, contacts) < 0.005) >= 0.95
    assert angular_acceleration(locked).max() < 1.3 * angular_acceleration(clip).max()


@pytest.mark.parametrize("file", SOME)
def test_a_mirrored_person_is_the_person_in_the_mirror(mocap_folder: Path, file: str):
    """Up to the body's own asymmetry, which the mirrored motion does not take over."""
    clip = load(mocap_folder / file)
    mirrored = mirror(clip)
    for part in ("hand", "foot"):
        for here, there in (("left", "right"), ("right", "left")):
            seen = clip.positions[:, clip.skeleton.joint(f"{here}_{part}")] * np.array([-1.0, 1.0, 1.0])
            shown = mirrored.positions[:, clip.skeleton.joint(f"{there}_{part}")]
            assert np.linalg.norm(seen - shown, axis=-1).max() < 0.06
    assert np.allclose(mirror(mirrored).positions, clip.positions, atol=1e-9)


def test_a_join_is_no_rougher_than_its_sources(mocap_folder: Path):
    """Out of the middle of one technique into the middle of another, forty times."""
    first = load(mocap_folder / "boxing/accad_Male2_Extended_1.bvh")
    second = load(mocap_folder / "boxing/accad_Male2_E8_Bounce.bvh")
    usual = np.percentile(
        np.concatenate([angular_acceleration(c).max(axis=-1) for c in (first, second)]), 99.9
    )
    random = np.random.default_rng(0)
    for _ in range(40):
        cut, entry = int(random.integers(30, len(first))), int(random.integers(0, len(second) - 30))
        placed = align(second, entry, Placement.of(first, cut))
        joined = join(crop(first, max(cut - 30, 0), cut + 1), crop(placed, entry, entry + 30), 0.4)
        assert angular_acceleration(joined).max() < 1.5 * usual


def test_resampling_down_and_up_loses_little(mocap_folder: Path):
    clip = load(mocap_folder / "walking/accad_Male2_B3_Walk.bvh")
    again = resample(resample(clip, 60.0), clip.fps)
    assert (
        np.percentile(np.linalg.norm(again.positions - clip.positions[: len(again)], axis=-1), 99.0) < 0.005
    )
