"""Walking, running and what is done out of a walk: possible bodies, complete truth, and like people."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import gait_measures
import numpy as np
import pytest

from randori.errors import FileError
from randori.formats import load
from randori.performer import BODIES, SETS, Recording, perform
from randori.performer.actor import Actor
from randori.performer.checks import check
from randori.performer.gait import gait_at, gaits, read_gaits
from randori.performer.recording import record
from randori.performer.walker import Walker

# rad/s² at 30 frames a second that one frame in a thousand of the running captures is above
RARE_JOLT = 1056.0
NAMES = ("locomotion", "running", "targets")


@pytest.fixture(scope="module", params=NAMES)
def take(request: pytest.FixtureRequest) -> Recording:
    seconds = 90.0 if request.param == "running" else 120.0
    return perform(request.param, seconds=seconds, seed=2)[0]


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
        middle = slice(int((action.impact - 1.0) * clip.fps), int((action.impact + 1.0) * clip.fps))
        for part in ("left_shin", "right_shin", "left_hand", "right_hand"):
            place = clip.positions[middle, joint(part)]
            speed = np.linalg.norm(np.gradient(place[:, [0, 2]], axis=0), axis=-1) * clip.fps
            assert np.mean(speed < 0.06) > 0.3, part  # it stands for a good part of the time
            assert 0.02 < place[:, 1].min() < 0.09


def straight_on(family: str, speed: float) -> tuple[Recording, float, float]:
    """Somebody who goes straight on, and the times between which nothing changes."""
    times = []

    def plan(actor: Actor, seconds: float) -> Iterator[float]:
        walker = Walker(actor)
        walker.stand(0.8)
        walker.start(family, speed)
        walker.go(family, speed, 2)
        times.append(walker.time)
        walker.go(family, speed, 14)
        times.append(walker.time)
        walker.stop(family, (0.5 * speed,))
        yield 1.0

    work = record(replace(SETS["locomotion"], plan=plan), 12.0, 1, BODIES["average"], 60.0)
    while True:
        try:
            next(work)
        except StopIteration as finished:
            return finished.value, times[0] - 0.1, times[1]


COMPARED = ("speed", "step time", "contact", "swing", "toe lift", "foot speed", "pelvis range", "knee min")
COMPARED += ("knee max", "elbow min", "elbow max", "wrist swing")


@pytest.mark.parametrize(
    ("family", "speed", "capture"),
    [
        ("walk", 1.62, "walking/accad_Male2_B3_Walk"),
        ("walk back", -1.37, "walking/accad_Male2_B5_WalkBackwards"),
        ("run", 3.8, "running/accad_Male2_C3_Run"),
        ("run", 2.45, "running/cmu_16_37"),
        ("run back", -3.05, "running/accad_Male2_C7_RunBackwards"),
    ],
)
def test_steps_are_like_those_of_people(family: str, speed: float, capture: str, mocap_folder: Path) -> None:
    """These are the captures that the gaits were calibrated on: it shows that they are met, not that the
    gaits are like those of other people, who run with quicker steps and lower feet.
    """
    theirs = gait_measures.steady_steps(load(mocap_folder / f"{capture}.bvh"))
    recording, first, last = straight_on(family, speed)
    ours = gait_measures.steady_steps(recording.clip, first, last)
    off = [
        f"{name}: {ours[name]:.3f}, people {theirs[name]:.3f}"
        for name in COMPARED
        if abs(ours[name] - theirs[name]) > 0.25 * theirs[name]
    ]
    assert not off, "; ".join(off)


def test_leaps_are_like_those_of_people(mocap_folder: Path) -> None:
    captures = ("cmu_127_25", "accad_Male2_B18_WalkToLeapToWalk", "accad_Male1_B18_Walk2Leap2Walk")
    theirs = [
        gait_measures.leap(load(mocap_folder / "locomotion_targets" / f"{name}.bvh")) for name in captures
    ]
    take = perform("targets", seconds=120.0, seed=2)[0]
    ours = [
        gait_measures.leap(take.clip, action.start / 60.0, action.stop / 60.0)
        for action in take.truth.actions
        if action.technique == "jump over" and action.stop < len(take.clip)
    ]
    for name in theirs[0]:
        here, there = (np.median([seen[name] for seen in rows]) for rows in (ours, theirs))
        assert here == pytest.approx(there, rel=0.25), name


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
