"""What a recording is about stays the same when it is turned, mirrored, scaled or brought onto a rig."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from capture.labelled import Judged, Labelled, judge, labelled_recordings
from randori.capture.actions import Analysis, Segment, Tags
from randori.capture.analysis import analyse
from randori.capture.signals import _without_noise
from randori.formats import load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import mirror
from randori.motion.retargeting import retarget
from randori.motion.skeleton import Skeleton
from randori.motion.t_pose import find_reference
from randori.performer import perform
from rigs import folded_axes, rerig
from shared import made_once, state_of

SETS = ("boxing", "running", "targets", "luggage")
OTHER_SIDE = {"left": "right", "right": "left"}


def turned(clip: Clip, degrees: float) -> Clip:
    turn = rot.from_yaw(np.radians(degrees))
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return clip.with_frames(rot.rotate(turn, clip.root_position), rotations)


def scaled(clip: Clip, factor: float) -> Clip:
    return clip.with_frames(
        clip.root_position * factor, clip.rotations, skeleton=clip.skeleton.scaled(factor)
    )


def shaken(clip: Clip, metres: float, degrees: float) -> Clip:
    """With white noise on the root and on every joint, as cameras and pose estimation leave it."""
    random = np.random.default_rng(7)
    small = 0.5 * np.radians(degrees) * random.normal(size=(*clip.rotations.shape[:2], 3))
    turns = rot.normalize(np.concatenate([np.ones((*small.shape[:2], 1)), small], axis=-1))
    root = clip.root_position + metres * random.normal(size=clip.root_position.shape)
    return clip.with_frames(root, rot.multiply(clip.rotations, turns))


@cache
def performed(name: str) -> Clip:
    return perform(name, seconds=30.0, seed=4)[0].clip


@cache
def found_in(name: str) -> Analysis:
    return analyse(performed(name))


def words(segments: tuple[Segment, ...]) -> list[tuple[int, int, Tags]]:
    return [(segment.start, segment.stop, segment.tags) for segment in segments]


def agreement(name: str, changed: Clip, swapped: bool = False) -> float:
    """Share of the frames of a set and of the same, changed, that are called the same."""
    said: list[list[tuple[str, str]]] = []
    before, after = found_in(name), analyse(changed)
    for analysis in (before, after):
        frames: list[tuple[str, str]] = []
        for segment in analysis.segments:
            technique, side = segment.tags.technique, segment.tags.side
            if swapped and analysis is after:
                technique = " ".join(OTHER_SIDE.get(word, word) for word in technique.split())
                side = OTHER_SIDE.get(side, side)
            frames += [(technique, side)] * (segment.stop - segment.start)
        said.append(frames)
    return float(np.mean([x == y for x, y in zip(*said, strict=True)]))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("degrees", [90.0, 180.0, 217.0])
def test_turning_changes_nothing(name: str, degrees: float) -> None:
    assert words(analyse(turned(performed(name), degrees)).segments) == words(found_in(name).segments)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("factor", [0.5, 1.7])
def test_size_changes_nothing(name: str, factor: float) -> None:
    assert words(analyse(scaled(performed(name), factor)).segments) == words(found_in(name).segments)


def test_strikes_have_the_speed_of_the_body_that_was_recorded() -> None:
    clip = performed("boxing")
    speeds, larger = (
        [strike.speed for segment in analyse(c).segments for strike in segment.strikes]
        for c in (clip, scaled(clip, 1.5))
    )
    np.testing.assert_allclose(larger, 1.5 * np.array(speeds), rtol=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_a_mirror_swaps_sides(name: str) -> None:
    assert agreement(name, mirror(performed(name)), swapped=True) > 0.97


@pytest.mark.parametrize("name", SETS)
def test_noise(name: str) -> None:
    assert agreement(name, shaken(performed(name), 0.002, 0.3)) > 0.85


def test_a_clean_track_stays_as_it_is() -> None:
    clip = performed("running")
    for joint in range(len(clip.skeleton)):
        track = clip.positions[:, joint]
        np.testing.assert_array_equal(_without_noise(track, clip.fps), track)


@pytest.mark.parametrize("name", SETS)
def test_other_proportions(name: str) -> None:
    tall = perform("boxing", seconds=1.0, seed=1, body="tall")[0].clip.skeleton
    assert agreement(name, retarget(performed(name), tall)) > 0.9


@pytest.mark.parametrize("name", SETS)
def test_other_axes(name: str) -> None:
    clip = performed(name)
    bare = rerig(clip, folded_axes(clip.skeleton, seed=5))
    rig = replace(bare.skeleton, reference=find_reference(bare.skeleton, bare.rotations))
    moved = bare.with_frames(bare.root_position, bare.rotations, skeleton=rig)
    assert agreement(name, moved) > 0.95


@pytest.mark.parametrize("name", ["running", "boxing"])
def test_a_rig_without_toes(name: str) -> None:
    clip = performed(name)
    parts = {part: joint for part, joint in clip.skeleton.parts.items() if not part.endswith("toes")}
    tips = clip.skeleton.tips.copy()
    tips[[parts["left_foot"], parts["right_foot"]]] = 0.0
    bare = replace(clip, skeleton=replace(clip.skeleton, parts=parts, tips=tips))
    assert agreement(name, bare) > 0.95


@cache
def read(folders: tuple[Path, ...]) -> list[tuple[Labelled, Clip]]:
    """The labelled recordings of some folders."""
    return [
        (recording, load(recording.path)) for folder in folders for recording in labelled_recordings(folder)
    ]


def changed(
    folders: list[Path],
    judged: list[Judged],
    name: str,
    change: Callable[[Clip], Clip],
    mirrored: bool = False,
) -> list[str]:
    """The recordings whose main action is called otherwise after a change."""

    def make() -> list[Tags]:
        said = []
        for recording, clip in read(tuple(folders)):
            other = change(clip)
            said.append(judge(recording, analyse(other), other).said)
        return said

    found = []
    for before, after in zip(judged, made_once(f"invariance-{name}", make, state_of(*folders)), strict=True):
        names = [before.said.technique, after.technique]
        if mirrored:
            names[1] = " ".join(OTHER_SIDE.get(word, word) for word in names[1].split())
        if before.said.kind != after.kind or names[0] != names[1]:
            found.append(f"{before.recording.path.stem}: {names[0]} → {names[1]}")
    return found


@pytest.mark.parametrize(("degrees", "factor"), [(90.0, 0.5), (217.0, 1.7)])
def test_real_recordings_turned_and_scaled(
    mocap_folders: list[Path], judged: list[Judged], degrees: float, factor: float
) -> None:
    def change(clip: Clip) -> Clip:
        return scaled(turned(clip, degrees), factor)

    assert changed(mocap_folders, judged, f"turned-{degrees:.0f}", change) == []


def test_real_recordings_mirrored(mocap_folders: list[Path], judged: list[Judged]) -> None:
    # legs and arms of an actor differ, and the mirror leaves the skeleton as it is
    found = changed(mocap_folders, judged, "mirrored", mirror, mirrored=True)
    assert len(found) <= 0.05 * len(judged), "; ".join(found)


@pytest.mark.parametrize("rig", ["accad_raw", "accad", "cmu", "performer"])
def test_real_recordings_on_another_rig(mocap_folders: list[Path], judged: list[Judged], rig: str) -> None:
    if rig != "performer" and rig not in {row.recording.group for row in judged}:
        pytest.skip(f"no recordings on the rig {rig}")

    @cache
    def skeleton() -> Skeleton:
        if rig == "performer":
            return performed("boxing").skeleton
        return next(clip.skeleton for one, clip in read(tuple(mocap_folders)) if one.group == rig)

    found = changed(mocap_folders, judged, f"rig-{rig}", lambda clip: retarget(clip, skeleton()))
    assert len(found) <= 0.07 * len(judged), "; ".join(found)
