"""Walking, running and what is done out of a walk: possible bodies, complete truth, and like people."""

from itertools import pairwise

import numpy as np
import pytest

from randori.errors import FileError
from randori.performer import BODIES, Recording, perform
from randori.performer.checks import check
from randori.performer.gait import gait_at, gaits, read_gaits
from shared import made_once

# rad/s² at 30 frames a second that one frame in a thousand of the running captures is above
RARE_JOLT = 1056.0
NAMES = ("locomotion", "running", "targets")


@pytest.fixture(scope="module", params=NAMES)
def take(request: pytest.FixtureRequest) -> Recording:
    seconds = 90.0 if request.param == "running" else 120.0
    return made_once(f"going-{request.param}", lambda: perform(request.param, seconds, seed=2)[0])


def test_nothing_impossible_happens(take: Recording) -> None:
    report = check(take.clip)
    assert report.planted_drift < 0.005
    assert max(report.elbow_backwards, report.knee_backwards) < 5.0
    assert report.hand_inside < 0.005
    assert report.off_balance < 0.02
    assert report.below_floor < 0.005
    assert report.jolt_rare < RARE_JOLT


@pytest.mark.parametrize("body", BODIES)
def test_every_body_can_do_it(body: str) -> None:
    for name in NAMES:
        report = check(perform(name, seconds=25.0, seed=4, body=body)[0].clip)
        assert report.planted_drift < 0.005, name
        assert report.below_floor < 0.005, name


def test_every_frame_belongs_to_exactly_one_action(take: Recording) -> None:
    actions = take.truth.actions
    assert actions[0].start == 0
    assert actions[-1].stop == len(take.clip)
    for before, after in pairwise(actions):
        assert before.start < before.stop == after.start
    for action in actions:
        assert action.kind in ("locomotion", "transition", "attack", "target")
        assert action.technique == "stand" or (action.side and action.direction), action.technique
        if action.kind == "locomotion" and action.stop < len(take.clip):
            assert [plant.foot for plant in action.plants] == [action.side]


def test_the_sets_hold_what_they_promise() -> None:
    found = {name: perform(name, seed=1)[0].truth for name in NAMES}
    assert len(found["running"].actions) >= 150
    wanted = {
        "locomotion": ("walk", "walk back", "side step", "turn left", "turn right", "start", "stop", "stand"),
        "running": (
            "run",
            "jog",
            "sprint",
            "run back",
            "side step",
            "turn left",
            "turn right",
            "start",
            "stop",
        ),
        "targets": ("punch", "kick ball", "crawl under", "duck under", "jump over", "walk"),
    }
    for name, techniques in wanted.items():
        assert not set(techniques) - set(found[name].counts()), name
    actions = found["targets"].actions
    for before, action, after in zip(actions, actions[1:], actions[2:]):
        if action.kind in ("attack", "target"):
            assert before.technique == after.technique == "walk"
            assert action.impact is not None
            assert action.start < action.impact * found["targets"].fps < action.stop


def test_the_same_seed_gives_the_same_bytes() -> None:
    for name in NAMES:
        first, again, other = (perform(name, seconds=8.0, seed=seed)[0] for seed in (5, 5, 6))
        assert first.clip.rotations.tobytes() == again.clip.rotations.tobytes()
        assert first.truth.to_json() == again.truth.to_json()
        assert first.clip.rotations.tobytes() != other.clip.rotations.tobytes()


def test_knees_and_hands_stay_where_they_kneel(take: Recording) -> None:
    crawls = [action for action in take.truth.actions if action.technique == "crawl under"]
    if not crawls:
        pytest.skip("nobody crawls in this set")
    clip, joint = take.clip, take.clip.skeleton.joint
    for action in crawls:
        assert action.impact is not None
        if action.impact + 1.0 > clip.duration:  # the take ends on the way down
            continue
        middle = slice(int((action.impact - 1.0) * clip.fps), int((action.impact + 1.0) * clip.fps))
        for part in ("left_shin", "right_shin", "left_hand", "right_hand"):
            place = clip.positions[middle, joint(part)]
            speed = np.linalg.norm(np.gradient(place[:, [0, 2]], axis=0), axis=-1) * clip.fps
            assert np.mean(speed < 0.06) > 0.3, part  # it stands for a good part of the time
            assert 0.02 < place[:, 1].min() < 0.09


def test_gaits_are_mixed_by_speed_and_their_files_are_checked() -> None:
    between = gait_at("walk", 1.25)
    slow, normal = gaits()["walk_slow"], gaits()["walk"]
    assert min(slow.step, normal.step) < between.step < max(slow.step, normal.step)
    for name in slow.rows:
        # what a step ends with is what the next begins with, sides exchanged
        if name.startswith("near_"):
            assert slow.over_step(name)[-1] == slow.rows[name.replace("near_", "far_")][0]
    with pytest.raises(FileError, match="swing"):
        read_gaits('[hop]\nfamily = "hop"\nspeed = 1\n')
    numbers = ("speed", "step", "swing", "landing", "width", "ahead", "toe_out", "swing_bow")
    text = "\n".join(["[a]", 'family = "a"', *(f"{name} = 1" for name in numbers), "chest_yaw = [1, 2]"])
    with pytest.raises(FileError, match="8 columns"):
        read_gaits(text)
