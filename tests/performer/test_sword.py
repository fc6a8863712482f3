"""The sword set: two hands on one grip, cuts that are fast and cut nobody who holds the sword."""

from functools import cache

import numpy as np
import pytest

from randori.body.mannequin import MATERIALS, fit
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.performer import BODIES, Recording, perform
from randori.performer.checks import check
from randori.performer.proportions import FIST_FROM_WRIST

LONGEST = 8 * 60.0  # seconds of a whole take
DIRECTIONS = {"downwards", "left", "right", "horizontal", "upwards", "front"}


@cache
def take(body: str = "average", seed: int = 1, seconds: float = 90.0) -> Recording:
    return perform("sword", seconds=seconds, seed=seed, body=body)[0]


def blade(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) metres: the leading fist and the point."""
    joint = clip.skeleton.joint("weapon")
    return clip.positions[:, joint], clip.tip_positions[:, joint]


def distance_to_bone(start: np.ndarray, stop: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(F,) metres between a blade, as 16 points, and a bone."""
    along = np.linspace(0.0, 1.0, 16)[None, :, None]
    points = start[:, None] + along * (stop - start)[:, None]
    bone = (b - a)[:, None]
    share = np.clip(np.sum((points - a[:, None]) * bone, axis=-1) / np.sum(bone * bone, axis=-1), 0.0, 1.0)
    return np.linalg.norm(points - a[:, None] - share[..., None] * bone, axis=-1).min(axis=1)


def test_every_frame_belongs_to_one_action_and_attacks_say_when_they_strike() -> None:
    truth = take().truth
    assert truth.actions[0].start == 0
    assert truth.actions[-1].stop == truth.frames
    for before, after in zip(truth.actions, truth.actions[1:]):
        assert before.stop == after.start
    attacks = [action for action in truth.actions if action.kind == "attack"]
    assert {action.direction for action in attacks} == DIRECTIONS
    for action in attacks:
        assert action.effector == "weapon"
        assert action.position in ("head", "upper torso", "lower torso")
        assert len(action.strikes) == 1
        strike = action.strikes[0]
        assert strike.onset < strike.peak <= strike.extension
        assert action.impact is not None
        assert abs(strike.peak - action.impact) < 0.2
    assert len(truth.actions) * LONGEST / 90.0 >= 300


def test_cuts_are_fast_and_thrusts_are_not_slow() -> None:
    speeds: dict[str, list[float]] = {}
    for seed in (1, 2):
        for action in take(seed=seed).truth.actions:
            if action.strikes:
                speeds.setdefault(action.technique, []).append(action.strikes[0].speed)
    assert np.percentile(speeds["cut"], 5) > 10.0
    assert 13.0 < np.median(speeds["cut"]) < 19.0
    assert np.percentile(speeds["cut"], 98) < 23.0
    assert 4.0 < np.median(speeds["thrust"]) < 8.0


def test_hips_and_chest_turn_before_the_blade() -> None:
    recording = take()
    clip = recording.clip
    leads: dict[str, list[float]] = {"pelvis": [], "chest": []}
    for action in recording.truth.actions:
        if action.technique == "cut" and action.side and action.direction != "upwards":
            peak = round(action.strikes[0].peak * clip.fps)
            window = slice(max(peak - 15, 0), peak + 12)
            for part, found in leads.items():
                speed = np.abs(np.gradient(np.unwrap(clip.heading(part)))[window])
                found.append((15 - int(np.argmax(speed))) / clip.fps)
    assert 0.03 < np.median(leads["pelvis"]) < 0.2  # chopping and batting: 0.06 to 0.18 s
    assert -0.02 < np.median(leads["chest"]) < np.median(leads["pelvis"])


def test_both_hands_are_on_the_grip_unless_one_lets_go() -> None:
    takes = (take(seed=seed, seconds=120.0) for seed in range(1, 9))
    recording = next(t for t in takes if any(action.script == "lunge" for action in t.truth.actions))
    clip = recording.clip
    fist, point = blade(clip)
    along = rot.normalize(point - fist)
    two_handed = np.ones(len(clip), dtype=bool)
    for action in recording.truth.actions:
        if action.script == "lunge":
            two_handed[max(action.start - 1, 0) : action.stop + 30] = False
    for side in SIDES:
        joint = clip.skeleton.joint(f"{side}_hand")
        wrist = clip.positions[:, joint]
        hand = rot.normalize(clip.tip_positions[:, joint] - wrist)
        closed = wrist + FIST_FROM_WRIST * hand - fist
        off_axis = np.linalg.norm(closed - along * np.sum(closed * along, axis=-1, keepdims=True), axis=-1)
        assert off_axis[two_handed].max() < 0.01
    apart = np.linalg.norm(
        clip.positions[:, clip.skeleton.joint("left_hand")]
        - clip.positions[:, clip.skeleton.joint("right_hand")],
        axis=-1,
    )
    assert apart[two_handed].min() > 0.1
    assert apart[two_handed].max() < 0.26
    assert apart.max() > 0.5


@pytest.mark.parametrize("body", sorted(BODIES))
def test_every_body_moves_as_a_person_can(body: str) -> None:
    recording = take(body=body, seed=5, seconds=40.0)
    report = check(recording.clip)
    assert report.planted_drift < 0.005
    assert report.elbow_backwards <= 5.0
    assert report.knee_backwards <= 5.0
    assert report.hand_inside <= 0.005
    assert report.off_balance <= 0.02
    assert report.below_floor <= 0.005
    assert report.jolt_worst < 1300.0
    clip = recording.clip
    fist, point = blade(clip)
    assert point[:, 1].min() > 0.02
    start = fist + 0.1 * (point - fist)
    place, joint = clip.positions, clip.skeleton.joint
    bones = [("pelvis", "neck", 0.12), ("neck", "head", 0.07)]
    bones += [(f"{side}_thigh", f"{side}_shin", 0.06) for side in SIDES]
    bones += [(f"{side}_shin", f"{side}_foot", 0.04) for side in SIDES]
    for a, b, flesh in bones:
        gap = distance_to_bone(start, point, place[:, joint(a)], place[:, joint(b)])
        assert gap.min() > flesh - 0.02, (a, b)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not() -> None:
    first, again, other = (perform("sword", seconds=8.0, seed=seed)[0] for seed in (4, 4, 5))
    assert first.clip.rotations.tobytes() == again.clip.rotations.tobytes()
    assert first.truth.to_json() == again.truth.to_json()
    assert first.clip.rotations.tobytes() != other.clip.rotations.tobytes()


def test_a_sword_is_drawn_only_for_who_carries_one() -> None:
    steel = MATERIALS.index("weapon")
    body = BODIES["average"]
    assert (fit(body.armed().skeleton).materials == steel).any()
    assert not (fit(body.skeleton).materials == steel).any()
