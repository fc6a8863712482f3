from dataclasses import replace

import numpy as np
import pytest
from walker import ANKLE, walk, without_toes

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import (
    PlantedPhase,
    foot_contacts,
    foot_levels,
    foot_points,
    foot_slide,
    planted_phases,
    split_travelling,
)
from randori.motion.inverse_kinematics import reach
from randori.motion.skeleton import Skeleton


def edges(contacts: np.ndarray) -> list[tuple[int, int, bool]]:
    """Frames at which a foot lands or leaves, away from the ends of the clip."""
    change = np.diff(contacts.astype(int), axis=0)
    return [(int(f) + 1, int(foot), bool(change[f, foot] > 0)) for f, foot in np.argwhere(change)]


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("floor", [0.0, 0.2])
@pytest.mark.parametrize("toes", [True, False])
def test_contacts_of_a_walk_are_found_in_time(skeleton: Skeleton, fps: float, floor: float, toes: bool):
    clip, truth = walk(skeleton if toes else without_toes(skeleton), fps, floor=floor)
    found = foot_contacts(clip)
    assert [edge[1:] for edge in edges(found)] == [edge[1:] for edge in edges(truth)]
    late = [(a[0] - b[0]) / fps for a, b in zip(edges(found), edges(truth))]
    assert np.abs(late).max() < 0.05 + 1.0 / fps


def test_levels_are_where_the_feet_rest(skeleton: Skeleton):
    levels = foot_levels(walk(skeleton, 60.0, floor=0.15)[0])
    assert levels.ankle == pytest.approx(0.15 + ANKLE, abs=0.005)
    assert levels.ball == pytest.approx(0.15 + ANKLE - 0.07, abs=0.005)


def test_noise_neither_breaks_a_stance_nor_makes_one(skeleton: Skeleton):
    """A millimetre of noise at 120 fps, as cameras have it."""
    clip, truth = walk(skeleton, 120.0)
    noise = np.random.default_rng(4).normal(scale=0.0005, size=clip.root_position.shape)
    found = foot_contacts(clip.with_frames(clip.root_position + noise, clip.rotations))
    assert len(planted_phases(found)) == len(planted_phases(truth))


def test_a_foot_that_creeps_along_is_not_planted(skeleton: Skeleton):
    """Standing, then shuffling 30 cm at 0.3 m/s without lifting the foot, then standing again."""
    fps = 60.0
    times = np.arange(240) / fps
    clip = Clip(
        "stand",
        skeleton,
        fps,
        np.tile([0.0, 0.87, 0.0], (240, 1)),
        np.tile(rot.IDENTITY, (240, len(skeleton), 1)),
    )
    along = 0.3 * np.clip(times - 1.5, 0.0, 1.0)
    for side, sign, travel in (("left", 1.0, along), ("right", -1.0, 0.0 * along)):
        target = np.stack([np.full(240, sign * 0.09), np.full(240, ANKLE), travel - 0.15], axis=-1)
        clip = reach(clip, f"{side}_leg", target)
    phases = planted_phases(foot_contacts(clip))
    assert [phase.foot for phase in phases] == [0, 0, 1]
    assert phases[0].stop == pytest.approx(1.5 * fps, abs=12)
    assert phases[1].start == pytest.approx(2.5 * fps, abs=12)
    assert foot_slide(clip, foot_contacts(clip)).max() < 0.06
    # the same from labels that say it stood all the time
    everywhere = np.ones((240, 2), dtype=bool)
    assert len(planted_phases(split_travelling(clip, everywhere, 0.08))) == 3


def test_phases_are_the_runs_of_contact():
    contacts = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [1, 0]], dtype=bool)
    assert planted_phases(contacts) == [PlantedPhase(0, 0, 2), PlantedPhase(0, 4, 5), PlantedPhase(1, 1, 3)]


def test_slide_is_the_way_from_the_median_place(skeleton: Skeleton):
    clip, truth = walk(skeleton, 60.0)
    assert foot_slide(clip, truth).max() < 1e-6
    start, stop = next((p.start, p.stop) for p in planted_phases(truth) if p.foot == 0 and p.start > 0)
    ankle = clip.positions[:, skeleton.joint("left_foot")].copy()
    ankle[start:stop, 0] += np.linspace(0.0, 0.04, stop - start)
    slid = reach(clip, "left_leg", ankle)
    number = planted_phases(truth).index(PlantedPhase(0, start, stop))
    assert foot_slide(slid, truth)[number] == pytest.approx(0.02, abs=0.002)


def test_a_foot_that_turns_on_its_heel_does_not_slide(skeleton: Skeleton):
    frames = 60
    rotations = np.tile(rot.IDENTITY, (frames, len(skeleton), 1))
    rotations[:, skeleton.joint("left_foot")] = rot.from_yaw(np.linspace(0.0, 1.0, frames))
    clip = Clip("turning", skeleton, 60.0, np.tile([0.0, 0.94, 0.0], (frames, 1)), rotations)
    ball = foot_points(clip)[:, 0, 1]
    assert np.linalg.norm(ball[-1] - ball[0]) > 0.1
    assert foot_slide(clip, np.ones((frames, 2), dtype=bool)).max() < 1e-9


def test_a_single_frame_has_contacts_too(skeleton: Skeleton):
    clip = Clip(
        "pose", skeleton, 60.0, np.array([[0.0, 0.94, 0.0]]), np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    )
    assert foot_contacts(clip).shape == (1, 2)


def test_a_giant_walks_like_a_person(skeleton: Skeleton):
    """Three times the size at the same tempo: contacts are found at the same frames, give or take a few."""
    clip, truth = walk(skeleton, 60.0)
    giant = replace(clip, skeleton=skeleton.scaled(3.0), root_position=3.0 * clip.root_position)
    found = foot_contacts(giant)
    assert len(planted_phases(found)) == len(planted_phases(truth))
