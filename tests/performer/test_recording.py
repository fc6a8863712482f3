"""Takes: the same seed gives the same bytes, and the ground truth leaves nothing out."""

import json
from itertools import pairwise

import numpy as np
import pytest

from randori.errors import FileError, RandoriError
from randori.performer import BODIES, SETS, Recording, perform, performing
from randori.performer.truth import read as read_truth
from randori.performer.truth import write
from shared import made_once


@pytest.fixture(scope="module")
def boxing() -> Recording:
    return perform("boxing", seconds=30.0, seed=3)[0]


@pytest.fixture(scope="module", params=["boxing", "boxing-tired"])
def whole(request: pytest.FixtureRequest) -> Recording:
    return made_once(f"recording-{request.param}", lambda: perform(request.param, seed=1)[0])


def test_the_same_seed_gives_the_same_bytes(boxing: Recording) -> None:
    again = perform("boxing", seconds=30.0, seed=3)[0]
    assert again.clip.rotations.tobytes() == boxing.clip.rotations.tobytes()
    assert again.clip.root_position.tobytes() == boxing.clip.root_position.tobytes()
    assert again.truth.to_json() == boxing.truth.to_json()
    other = perform("boxing", seconds=30.0, seed=4)[0]
    assert other.truth.to_json() != boxing.truth.to_json()


def test_every_frame_belongs_to_exactly_one_action(whole: Recording) -> None:
    recording = whole
    actions = recording.truth.actions
    assert actions[0].start == 0
    assert actions[-1].stop == len(recording.clip) == recording.truth.frames
    for before, after in pairwise(actions):
        assert before.start < before.stop == after.start
    assert recording.truth.action_at(actions[5].start) is actions[5]


def test_a_whole_take_is_as_long_and_as_varied_as_asked(whole: Recording) -> None:
    recording = whole
    assert recording.clip.duration == pytest.approx(420.0, abs=0.1)
    actions = recording.truth.actions
    assert len(actions) >= 240
    found = recording.truth.counts()
    for technique in (
        *("jab", "straight", "hook", "uppercut", "front kick", "side kick", "round kick"),
        *("duck", "slip", "sway", "block", "parry", "jump back"),
        *("step forward", "step back", "step left", "step right", "turn left", "turn right", "switch stance"),
    ):
        assert found.get(technique, 0) >= 1, technique
    for kind in ("jab", "straight", "hook", "round kick"):
        assert {action.side for action in actions if action.technique == kind} >= {"left", "right"}
    heights = {action.position for action in actions if action.kind == "attack"}
    assert heights == {"head", "upper torso", "lower torso"}
    assert np.abs(recording.clip.root_position[:, [0, 2]]).max() < 2.2


def test_strikes_are_where_the_body_strikes(boxing: Recording) -> None:
    clip = boxing.clip
    for action in boxing.truth.actions:
        if action.kind != "attack":
            continue
        (strike,) = action.strikes
        assert action.start / clip.fps - 0.2 <= strike.onset < strike.peak <= strike.extension
        assert strike.speed > 3.0
        assert strike.effector.startswith(action.side)
        assert action.impact is not None
        assert abs(strike.extension - action.impact) < 0.2


def test_feet_are_planted_where_the_truth_says(boxing: Recording) -> None:
    clip = boxing.clip
    for action in boxing.truth.actions:
        for plant in action.plants:
            frame = round((plant.down + 0.01) * clip.fps)
            if frame < len(clip) and f"{plant.foot}_foot" != action.effector:
                ball = clip.positions[frame, clip.skeleton.joint(f"{plant.foot}_toes")]
                np.testing.assert_allclose(ball[[0, 2]], plant.place[:2], atol=0.005)


def test_feet_do_not_move_where_the_truth_has_them_standing(whole: Recording) -> None:
    recording = whole
    clip = recording.clip
    for side, stretches in recording.truth.contacts.items():
        ball = clip.positions[:, clip.skeleton.joint(f"{side}_toes")]
        worst = max(np.ptp(ball[start:stop], axis=0).max() for start, stop in stretches)
        assert worst < 0.002
        share = sum(stop - start for start, stop in stretches) / len(clip)
        assert 0.6 < share < 0.95


def test_another_rate_is_the_same_performance(boxing: Recording) -> None:
    slow = perform("boxing", seconds=30.0, seed=3, fps=30.0)[0]
    ours = [(action.script, action.side) for action in boxing.truth.actions]
    assert [(action.script, action.side) for action in slow.truth.actions] == ours
    for here, there in zip(boxing.truth.actions, slow.truth.actions):
        assert here.start / 60.0 == pytest.approx(there.start / 30.0, abs=0.035)


def test_bodies_perform_the_same_script_differently(boxing: Recording) -> None:
    tall = perform("boxing", seconds=30.0, seed=3, body="tall")[0]
    # the same choices, until longer steps lead to another place
    assert [a.script for a in tall.truth.actions[:4]] == [a.script for a in boxing.truth.actions[:4]]
    assert tall.clip.positions[..., 1].max() > boxing.clip.positions[..., 1].max() + 0.1


def test_tired_fighters_are_slower_and_lower() -> None:
    fresh, tired = (perform(name, seconds=60.0, seed=2)[0] for name in ("boxing", "boxing-tired"))

    def speed(recording: Recording) -> float:
        return float(np.median([s.speed for a in recording.truth.actions for s in a.strikes]))

    def guard(recording: Recording) -> float:
        clip = recording.clip
        return float(np.median(clip.positions[:, clip.skeleton.joint("left_hand"), 1]))

    assert speed(tired) < 0.95 * speed(fresh)
    assert guard(tired) < guard(fresh) - 0.02


def test_work_can_be_followed_and_left() -> None:
    work = performing("boxing", seconds=5.0)
    assert 0.0 <= next(work) < 1.0
    work.close()
    seen = list(performing("boxing", seconds=5.0))
    assert seen == sorted(seen)
    assert seen[-1] <= 1.0


def test_truth_is_written_as_json(boxing: Recording, tmp_path) -> None:
    path = tmp_path / "boxing.truth.json"
    write(path, boxing.truth)
    read = json.loads(path.read_text(encoding="utf-8"))
    assert read["seed"] == 3
    assert len(read["actions"]) == len(boxing.truth.actions)
    assert {"start", "stop", "kind", "technique", "side", "position", "direction", "strikes"} <= set(
        read["actions"][0]
    )


def test_what_cannot_be_performed_is_said() -> None:
    with pytest.raises(RandoriError, match="boxing"):
        perform("ballet")
    with pytest.raises(RandoriError, match="average"):
        perform("boxing", body="giant")
    with pytest.raises(RandoriError, match="half a second"):
        perform("boxing", seconds=0.0)
    assert "average" in BODIES
    assert SETS["boxing"].seconds == 420.0


def test_truth_comes_back(boxing: Recording, tmp_path) -> None:
    write(tmp_path / "a.truth.json", boxing.truth)
    again = read_truth(tmp_path / "a.truth.json")
    assert [(a.start, a.stop, a.technique) for a in again.actions] == [
        (a.start, a.stop, a.technique) for a in boxing.truth.actions
    ]
    assert [len(a.strikes) for a in again.actions] == [len(a.strikes) for a in boxing.truth.actions]
    (tmp_path / "b.truth.json").write_text('{"set_name": 3}')
    with pytest.raises(FileError, match="ground truth"):
        read_truth(tmp_path / "b.truth.json")
