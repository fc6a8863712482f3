"""Being hit, falling, getting up; in a fight, in a crowd, in football."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.formats import load
from randori.motion import feet
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import BODIES, Recording, perform
from randori.performer.checks import angular_accelerations, centre_of_mass, check
from randori.performer.falling import Push, fall
from randori.performer.flesh import flesh_heights
from randori.performer.truth import Action
from shared import made_once

SETS = ("reactions", "crowd", "football")
SECONDS = {"reactions": 240.0, "crowd": 150.0, "football": 100.0}


@cache
def take(name: str, body: str = "average") -> Recording:
    seconds = SECONDS[name] if body == "average" else 45.0
    return made_once(f"reactions-{name}-{body}", lambda: perform(name, seconds=seconds, seed=3, body=body)[0])


def actions(recording: Recording, kind: str) -> list[Action]:
    """Of a kind, without those that the end of the take cuts off."""
    return [a for a in recording.truth.actions if a.kind == kind and a.stop < recording.truth.frames]


@pytest.mark.parametrize("name", SETS)
def test_every_frame_belongs_to_one_action(name: str) -> None:
    truth = take(name).truth
    assert truth.actions[0].start == 0
    assert truth.actions[-1].stop == truth.frames
    assert all(a.stop == b.start for a, b in pairwise(truth.actions))
    kinds = {action.kind for action in truth.actions}
    assert kinds <= {"reaction", "fall", "rise", "transition", "locomotion", "attack"}
    for action in truth.actions:
        if action.kind in ("reaction", "fall"):
            assert action.direction in ("front", "back", "left", "right")
            assert action.strength in ("light", "medium", "hard")
            assert action.position
            assert action.impact is not None


@pytest.mark.parametrize("name", SETS)
def test_same_seed_same_bytes_and_another_seed_another_take(name: str) -> None:
    first, again, other = (perform(name, seconds=14.0, seed=seed)[0] for seed in (8, 8, 9))
    assert first.clip.rotations.tobytes() == again.clip.rotations.tobytes()
    assert first.clip.root_position.tobytes() == again.clip.root_position.tobytes()
    assert first.truth.to_json() == again.truth.to_json()
    assert first.clip.rotations.tobytes() != other.clip.rotations.tobytes()


@pytest.mark.parametrize(("name", "body"), [*zip(SETS, ["average"] * 3), *zip(3 * SETS, list(BODIES)[1:])])
def test_bodies_stay_whole_and_above_the_floor(name: str, body: str) -> None:
    clip = take(name, body).clip
    assert np.isfinite(clip.rotations).all()
    assert np.isfinite(clip.root_position).all()
    report = check(clip)
    assert report.planted_drift < 0.005
    assert report.elbow_backwards < 5.0
    assert report.knee_backwards < 5.0
    assert report.hand_inside < 0.005
    assert report.off_balance < 0.02
    assert report.below_floor < 0.005
    # hips, back, head, elbows, hands, knees and feet with the flesh around them
    assert flesh_heights(BODIES[body], clip).min() > -0.03


@pytest.mark.parametrize("name", SETS)
def test_who_stands_has_weight_above_the_feet(name: str) -> None:
    recording = take(name)
    clip = recording.clip
    balance = centre_of_mass(clip)
    points = feet.foot_points(clip).mean(axis=(1, 2))
    for action in recording.truth.actions:
        if action.technique == "stand" and action.stop - action.start > 0.5 * clip.fps:
            middle = (action.start + action.stop) // 2
            assert np.hypot(*(balance[middle] - points[middle])[[0, 2]]) < 0.2


@pytest.mark.parametrize("name", SETS)
def test_nothing_jerks_more_than_in_falls_of_people(name: str) -> None:
    # 99.9 % of the frames of the captured falls stay below 2000 rad/s², of their get-ups below 480;
    # of boxers below 1235, and no frame of ours is above that
    recording = take(name)
    jolts = angular_accelerations(recording.clip).max(axis=-1)
    assert jolts.max() < 1235.0
    frames = [f // 2 for a in actions(recording, "rise") for f in range(a.start, a.stop, 2)]
    assert np.percentile(jolts[frames], 99.0) < 700.0


@pytest.mark.parametrize("name", SETS)
def test_a_fall_ends_lying_still_on_the_floor_and_a_rise_ends_standing(name: str) -> None:
    recording = take(name)
    clip, joint = recording.clip, recording.clip.skeleton.joint
    pelvis, head = clip.positions[:, joint("pelvis")], clip.positions[:, joint("head")]
    falls, rises = actions(recording, "fall"), actions(recording, "rise")
    assert len(falls) >= 3
    for action in falls:
        assert 0.04 < pelvis[action.stop - 1, 1] < 0.30
        assert 0.04 < head[action.stop - 1, 1] < 0.30
        assert 0.8 < (action.stop - action.start) / clip.fps < 3.2
    for action in recording.truth.actions:
        if action.technique == "lie" and action.stop < len(clip):
            moved = np.linalg.norm(np.diff(pelvis[action.start : action.stop], axis=0), axis=-1)
            assert moved.max(initial=0.0) * clip.fps < 0.2
    for action in rises:
        assert pelvis[action.stop - 1, 1] > 0.8
        assert head[action.stop - 1, 1] > 1.35


def test_reactions_come_from_everywhere_with_every_strength() -> None:
    truth = take("reactions").truth
    hits = {(a.direction, a.strength) for a in truth.actions if a.kind in ("reaction", "fall")}
    assert len(hits) == 12
    assert {a.position for a in truth.actions if a.kind == "reaction"} >= {"head", "upper torso"}
    ways = {a.direction for a in truth.actions if a.kind == "rise"}
    assert {"front", "back"} <= ways


def test_a_crowd_and_a_match_have_all_that_happens_in_them() -> None:
    crowd = take("crowd").truth.counts()
    assert {"startle", "avoid", "pushed", "fall", "stumble and fall", "fall on somebody"} <= set(crowd)
    match = take("football").truth.counts()
    moves = {"run with the ball", "side step", "spin", "jump", "tackle", "tackle to the ground", "be tackled"}
    assert moves <= set(match)


def test_a_body_in_the_air_falls_as_a_stone_does() -> None:
    body = BODIES["average"]
    standing = perform("crowd", seconds=1.0, seed=1)[0].clip
    frames = np.zeros(60, dtype=int)
    high = standing.with_frames(
        standing.root_position[frames] + np.array([0.0, 4.0, 0.0]), standing.rotations[frames]
    )
    fallen = fall(body, high, 0, Push((0.0, 0.0, 0.0)), ((0.0, 1.0), (1.0, 1.0)))
    seconds = 0.5
    drop = high.root_position[0, 1] - fallen.root_position[round(seconds * high.fps), 1]
    assert drop == pytest.approx(0.5 * 9.81 * seconds**2, rel=0.02)
    # muscles at full strength hold the pose
    assert rot.angle_between(fallen.rotations[30, 1:], high.rotations[0, 1:]).max() < 0.05


def speeds(clip: Clip, part: str, start: int, stop: int) -> np.ndarray:
    """(F,) metres per second, without the tremble of a tenth of a second."""
    place = clip.positions[start:stop, clip.skeleton.joint(part)]
    speed = np.linalg.norm(np.gradient(place, axis=0), axis=-1) * clip.fps
    reach = int(0.05 * clip.fps)
    return np.convolve(
        np.pad(speed, reach, mode="edge"), np.ones(2 * reach + 1) / (2 * reach + 1), mode="valid"
    )


def test_getting_up_takes_as_long_and_goes_as_fast_as_people_do(mocap_folder: Path) -> None:
    """Two people, one recording each: ours lies within a quarter of them or between them."""
    theirs = []
    for name in ("cmu_140_08", "cmu_140_02"):
        clip = load(mocap_folder / "falling_getup" / f"{name}.bvh")
        moving = np.flatnonzero(speeds(clip, "head", 0, len(clip)) > 0.12)[0]
        up = np.flatnonzero(clip.positions[:, clip.skeleton.joint("pelvis"), 1] > 0.8)[0]
        fastest = [speeds(clip, part, 0, len(clip)).max() for part in ("pelvis", "head")]
        theirs.append([(up - moving) / clip.fps, *fastest])
    ours = []
    recording = take("reactions")
    clip = recording.clip
    for action in actions(recording, "rise"):
        pelvis = clip.positions[action.start : action.stop, clip.skeleton.joint("pelvis"), 1]
        fastest = [speeds(clip, part, action.start, action.stop).max() for part in ("pelvis", "head")]
        ours.append([np.flatnonzero(pelvis > 0.8)[0] / clip.fps, *fastest])
    low, high = np.min(theirs, axis=0), np.max(theirs, axis=0)
    usual, spread = np.median(ours, axis=0), np.std(ours, axis=0)
    assert (usual > 0.75 * low).all(), f"{usual} against {low}"
    assert (usual < 1.25 * high).all(), f"{usual} against {high}"
    assert (spread > 0.03 * usual).all()


def test_swept_off_the_feet_hips_and_head_come_down_as_in_life(mocap_folder: Path) -> None:
    real = load(mocap_folder / "falling_getup" / "cmu_90_18.bvh")

    def drop(clip: Clip, part: str, start: int = 0, stop: int | None = None) -> float:
        height = clip.positions[start:stop, clip.skeleton.joint(part), 1]
        return float(-np.gradient(height).min() * clip.fps)

    recording = take("reactions")
    swept = [a for a in actions(recording, "fall") if a.script == "swept_backwards"]
    assert swept
    for part in ("pelvis", "head"):
        ours = np.median([drop(recording.clip, part, a.start, a.stop) for a in swept])
        assert 0.75 < ours / drop(real, part) < 1.25


def test_a_spin_is_as_quick_and_as_low_as_in_life(mocap_folder: Path) -> None:
    real = load(mocap_folder / "football" / "cmu_78_13.bvh")
    clip = take("football").clip
    spins = [a for a in take("football").truth.actions if a.technique == "spin" and a.stop < len(clip)]
    pelvis = clip.positions[:, clip.skeleton.joint("pelvis"), 1]
    usual = np.median([(a.stop - a.start) / clip.fps for a in spins])
    lowest = np.median([pelvis[a.start : a.stop].min() for a in spins])
    assert 0.75 < usual / real.duration < 1.25
    assert 0.75 < lowest / real.positions[:, real.skeleton.joint("pelvis"), 1].min() < 1.25
    turned = [abs(np.ptp(np.unwrap(clip.heading("pelvis")[a.start : a.stop]))) for a in spins]
    assert np.median(turned) > np.radians(250.0)


def test_who_is_hit_in_a_crouch_stays_low_and_rises_without_haste() -> None:
    recording = take("reactions")
    clip, found = recording.clip, recording.truth.actions
    pelvis = clip.root_position[:, 1]
    low = [(hit, then) for crouch, hit, then in zip(found, found[1:], found[2:]) if crouch.script == "crouch"]
    assert len(low) >= 3
    for hit, then in low:
        assert (hit.kind, hit.technique) == ("reaction", "recoil")
        soon = pelvis[hit.start : hit.start + round(0.5 * clip.fps)]
        assert soon.max() < 0.75
        assert np.diff(pelvis[hit.start : then.stop]).max() * clip.fps < 1.0
    recoils = [segment for segment in analyse(clip).segments if segment.tags.technique == "recoil"]
    seen = sum(any(abs(segment.start - hit.start) < 0.1 * clip.fps for segment in recoils) for hit, _ in low)
    assert seen >= 0.8 * len(low)
