"""The luggage set: hands stay on what they hold, and it is where the ground truth says."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.performer import BODIES, Recording, perform
from randori.performer.checks import check
from randori.performer.luggage import PIECES
from randori.performer.proportions import FIST_FROM_WRIST
from randori.performer.truth import Thing

SECONDS = 150.0


@cache
def take(seed: int = 1, body: str = "average", seconds: float = SECONDS) -> Recording:
    return perform("luggage", seconds=seconds, seed=seed, body=body)[0]


def places(thing: Thing, frames: int) -> np.ndarray:
    """(F, 3) metres, nan while it is away."""
    found = [thing.pose(frame) for frame in range(frames)]
    return np.array([(np.nan,) * 3 if pose is None else pose[:3] for pose in found])


def test_everything_is_done_and_every_frame_belongs_to_one_action() -> None:
    truth = take().truth
    assert {"pick up", "carry", "put down", "hand over", "receive"} <= set(truth.counts())
    assert truth.actions[0].start == 0
    assert truth.actions[-1].stop == truth.frames
    assert all(before.stop == after.start for before, after in pairwise(truth.actions))
    for action in truth.actions:
        if action.kind == "luggage":
            assert action.side in ("left", "right", "both")
            assert action.impact is not None


def test_luggage_is_somewhere_in_every_frame_and_never_jumps_or_sinks() -> None:
    recording = take()
    frames = recording.truth.frames
    assert recording.truth.things
    for thing in recording.truth.things:
        piece = PIECES[thing.name]
        assert (thing.size, thing.weight) == (piece.size, piece.weight)
        assert thing.whereabouts[0].start == 0
        assert thing.whereabouts[-1].stop == frames
        assert all(before.stop == after.start for before, after in pairwise(thing.whereabouts))
        place = places(thing, frames)
        speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * recording.truth.fps
        assert np.nanmax(speed, initial=0.0) < 2.6
        assert np.nanmin(place[:, 1], initial=1.0) > 0.5 * thing.size[1] - 0.01
        for stretch in thing.whereabouts:
            if stretch.state == "floor":
                assert stretch.poses[0][1] == pytest.approx(0.5 * thing.size[1])


def test_hands_stay_on_what_they_hold() -> None:
    clip, truth = take().clip, take().truth
    for thing in truth.things:
        for stretch in thing.whereabouts:
            if stretch.state != "hands":
                continue
            inside = slice(stretch.start, stretch.stop)
            poses = np.array(stretch.poses)
            middle, turned = poses[:, :3], poses[:, 3:]
            for side in ("left", "right") if stretch.hands == "both" else (stretch.hands,):
                joint = clip.skeleton.joint(f"{side}_hand")
                wrist = clip.positions[inside, joint]
                if stretch.hands == "both":
                    at = rot.rotate(rot.inverse(turned), wrist - middle)
                    assert np.ptp(at, axis=0).max() < 0.04
                else:
                    hand = rot.normalize(clip.tip_positions[inside, joint] - wrist)
                    fist = wrist + FIST_FROM_WRIST * hand
                    handle = middle + np.array([0.0, 0.5 * thing.size[1] + 0.02, 0.0])
                    late = slice(round(0.3 * clip.fps), -round(0.3 * clip.fps))  # it settles in the hand
                    assert np.linalg.norm(fist - handle, axis=-1)[late].max(initial=0.0) < 0.01


def test_weight_slows_and_leans() -> None:
    speeds: dict[str, list[float]] = {}
    leans: dict[str, list[float]] = {}
    for seed in (1, 2):
        clip, truth = take(seed).clip, take(seed).truth
        pelvis = clip.positions[:, clip.skeleton.joint("pelvis")]
        up = rot.rotate(clip.turned("chest"), rot.Y_AXIS)
        ahead = rot.rotate(rot.from_yaw(clip.heading("pelvis")), rot.Z_AXIS)
        pitch = np.degrees(np.arctan2(np.sum(up * ahead, axis=-1), up[:, 1]))
        speed = np.linalg.norm(np.gradient(pelvis[:, [0, 2]], axis=0), axis=-1) * clip.fps
        for thing in truth.things:
            for stretch in thing.whereabouts:
                for action in truth.actions:
                    carried = stretch.start <= action.start and action.stop <= stretch.stop
                    if stretch.state == "hands" and carried and action.technique == "carry":
                        middle = (action.start + action.stop) // 2
                        speeds.setdefault(thing.name, []).append(float(speed[middle]))
                        leans.setdefault(thing.name, []).append(float(pitch[middle]))
    assert np.percentile(speeds["box"], 75) == pytest.approx(1.10, rel=0.25)  # a person with a box
    assert np.percentile(speeds["trunk"], 75) < 0.8 < np.percentile(speeds["bag"], 75)
    assert np.median(leans["trunk"]) < np.median(leans["box"]) - 3.0 < np.median(leans["bag"])


@pytest.mark.parametrize("body", sorted(BODIES))
def test_every_body_moves_as_a_person_can(body: str) -> None:
    report = check(take(3, body, 60.0).clip)
    assert report.planted_drift < 0.005
    assert report.elbow_backwards <= 5.0
    assert report.knee_backwards <= 5.0
    assert report.hand_inside <= 0.005
    assert report.off_balance <= 0.02
    assert report.below_floor <= 0.005
    assert report.jolt_worst < 700.0


def test_the_same_seed_gives_the_same_bytes() -> None:
    first, again = (perform("luggage", seconds=20.0, seed=4)[0] for _ in range(2))
    assert first.clip.rotations.tobytes() == again.clip.rotations.tobytes()
    assert first.truth.to_json() == again.truth.to_json()
