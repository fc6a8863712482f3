"""A scene becomes a take: the same one every time, with its story, its reasons and its mistakes explained."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.errors import FileError, RandoriError
from randori.graph.library import build_library
from randori.graph.library_file import write
from randori.performer import perform
from randori.scene.preparing import preparing_cast
from randori.scene.run import deciding, simulate
from randori.scene.scene import Pin, Scene
from randori.scene.story import choices, find_decision, story, why
from randori.scene.take import Take, make_take
from randori.timeline.timeline import PINNED, Placed
from randori.work import finish

SCENE = """
title = "Sparring"
seconds = 8.0
[motions.ring]
library = "ring.npz"
choices = 12
[[cast]]
name = "Red"
depth = 2
[[cast]]
name = "Blue"
depth = 2
team = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small library of boxing and being hit, and one of running."""
    folder = tmp_path_factory.mktemp("scene")
    clips = [perform(name, 60.0, seed=2)[0].clip for name in ("boxing", "reactions")]
    write(folder / "ring.npz", build_library([(clip, analyse(clip)) for clip in clips]))
    running = perform("running", 30.0, seed=2)[0].clip
    write(folder / "running.npz", build_library([(running, analyse(running))]))
    return folder


def scene(folder: Path, old: str = "", new: str = "") -> Scene:
    assert old in SCENE
    return Scene.parse(SCENE.replace(old, new) if old else SCENE, "sparring.toml", folder, "sparring")


@pytest.fixture(scope="module")
def take(folder: Path) -> Take:
    return simulate(scene(folder), seed=3)


def test_a_take_has_everything(take: Take):
    assert take.seconds == pytest.approx(8.0)
    assert [len(clip) for clip in take.clips] == [take.ticks + 1] * 2
    assert take.provenance["seed"] == 3
    assert len(take.decisions) > 5
    assert take.quality().choices > 5
    assert {source["licence"] for source in take.credits()} == {"MIT"}


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    folder: Path, take: Take, tmp_path: Path
):
    again = simulate(scene(folder), seed=3, threads=1)
    assert take.save(tmp_path / "a.npz")[0].read_bytes() == again.save(tmp_path / "b.npz")[0].read_bytes()


def test_the_story_and_the_reasons(take: Take):
    lines = list(story(take))
    assert len(lines) > 10
    assert any("Red:" in line for line in lines)
    decision = find_decision(take, "2")
    assert decision is take.decisions[1]
    assert any("chose" in line for line in why(take, decision))
    chosen = [option for option in decision.options if option.action == decision.action]
    assert len(chosen) == 1
    rows = choices(take)
    assert all(row.after <= row.before for row in rows)
    assert rows[0].decisions + rows[1].decisions == len(take.decisions)


def test_nobody_turns_their_back(take: Take):
    assert take.quality().turned_away < 0.2


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ring.npz", "running.npz", r"cast\[1\].style: 'boxer' fights, but motions.ring hold no attack"),
        ("ring.npz", "other.npz", r"other.npz: does not exist"),
        (
            'name = "Blue"',
            'name = "Blue"\nstyle = "sword"',
            r"cast\[2\].style: 'sword' needs a blade, but no actor in motions.ring holds one; .*sidecars",
        ),
        (
            'name = "Blue"',
            'name = "Blue"\nwanted = ["left jap"]',
            r"cast\[2\].wanted: .*did you mean 'left jab'",
        ),
    ],
)
def test_mistakes_are_answered_before_anybody_fights(folder: Path, old: str, new: str, expected: str):
    with pytest.raises(FileError, match=expected):
        simulate(scene(folder, old, new))


def test_what_motions_lack_is_said_before_anybody_fights(folder: Path):
    from randori.scene.run import simulating
    from randori.work import Notice

    boxing = perform("boxing", 60.0, seed=2)[0].clip
    write(folder / "boxing.npz", build_library([(boxing, analyse(boxing))]))
    work = simulating(scene(folder, "ring.npz", "boxing.npz"))
    notices = []
    for share in work:
        if isinstance(share, Notice):
            notices.append(share.words)
        elif notices:
            break
    work.close()
    assert "motions.ring: no fall: nobody can be knocked down" in notices


def test_stopping_half_way_is_just_not_asking_for_more(folder: Path):
    from randori.scene.run import simulating

    work = simulating(scene(folder))
    shares = [next(work) for _ in range(4)]
    work.close()
    assert shares == sorted(shares)
    assert np.all(np.array(shares) <= 1.0)


def another(take: Take, share: float) -> tuple[int, int]:
    """A decision with a choice about that far through a take, and an option that was not taken."""
    free = [number for number, one in enumerate(take.decisions, 1) if len(one.options) > 1]
    number = free[int(share * len(free))]
    replaced = take.decisions[number - 1]
    return number, next(one.action for one in replaced.options if one.action != replaced.action)


def poses(take: Take, last: int) -> list[bytes]:
    """All that is seen of everybody up to a frame, and where it comes from."""
    return [
        part[: last + 1].tobytes()
        for role in take.roles
        for part in (role.clip.root_position, role.clip.rotations, role.provenance, role.simulated)
    ]


def pin(take: Take, number: int, action: int) -> Pin:
    """The pin that takes an option at a decision (from 1)."""
    decision = take.decisions[number - 1]
    role = take.roles[decision.who]
    return Pin(who=role.name, at=decision.tick / take.fps, action=role.describe(action), number=action)


def until(placed: Sequence[Placed], tick: int) -> list[Placed]:
    """What is done up to a tick."""
    return [replace(one, stop=min(one.stop, tick)) for one in placed if one.start < tick]


def test_a_pinned_decision_leaves_everything_before_it_as_it_was(folder: Path, take: Take):
    number, other = another(take, 0.5)
    replaced = take.decisions[number - 1]
    pinned = simulate(scene(folder).changed(pins=(pin(take, number, other),)), seed=3)
    assert pinned.decisions[: number - 1] == take.decisions[: number - 1]
    assert pinned.decisions[number - 1].action == other
    assert pinned.decisions[number - 1].options == replaced.options
    before = [event for event in take.events if event.tick <= replaced.tick]
    assert [event for event in pinned.events if event.tick <= replaced.tick] == before
    assert replaced.tick > 60
    for was, now in zip(take.roles, pinned.roles):
        assert until(now.placed, replaced.tick) == until(was.placed, replaced.tick)
    assert poses(pinned, replaced.tick) == poses(take, replaced.tick)
    assert poses(pinned, take.ticks) != poses(take, take.ticks)
    chosen = next(one for one in pinned.roles[replaced.who].placed if one.start == replaced.tick)
    assert (chosen.action, chosen.cause) == (other, PINNED)


def test_a_second_pin_leaves_what_the_first_one_gave(folder: Path, take: Take):
    number, other = another(take, 0.3)
    first, begun = pin(take, number, other), take.decisions[number - 1].tick
    once = simulate(scene(folder).changed(pins=(first,)), seed=3)
    number, other = another(once, 0.6)
    tick = once.decisions[number - 1].tick
    twice = simulate(scene(folder).changed(pins=(first, pin(once, number, other))), seed=3)
    assert tick > begun
    assert poses(twice, tick) == poses(once, tick)


def test_nothing_jumps_at_a_pin(folder: Path, take: Take):
    number, other = another(take, 0.5)
    tick = take.decisions[number - 1].tick
    changed = scene(folder).changed(pins=(pin(take, number, other),), seed=3)
    pinned = simulate(changed)
    alone = make_take(finish(deciding(changed, finish(preparing_cast(changed)))), "")  # which looks ahead

    def haste(one: Take, who: int) -> float:
        """Metres per second by which the velocity of a joint changes about the pin, from frame to frame."""
        velocity = np.diff(one.clips[who].positions[tick - 4 : tick + 5], axis=0) * one.fps
        return float(np.linalg.norm(np.diff(velocity, axis=0), axis=-1).max())

    for who in range(2):
        usual = max(haste(take, who), haste(alone, who))
        # a jump of 2 cm would be 1.2; a foot that leaves the floor for a kick may be a little hastier
        assert haste(pinned, who) < 1.25 * usual + 0.6
    assert poses(alone, tick) != poses(take, tick)


def test_a_pin_that_nobody_can_meet_says_what_there_is(folder: Path):
    def play(**changes: object) -> Take:
        pinned = Pin.model_validate({"who": "Red", "at": 0.5, "action": "attack", **changes})
        return simulate(scene(folder).changed(pins=(pinned,)), seed=3, seconds=2.0)

    with pytest.raises(FileError, match=r"sparring.toml: pins\[1\].action: Red has no 'juggle'; there are "):
        play(action="juggle")
    with pytest.raises(RandoriError, match=r"pins\[1\].who: .*Rad"):
        play(who="Rad")
    late = play(at=1.99)
    assert "could not do the pinned action at 1.9" in late.provenance["goals not met"][0]
    twice = Pin(who="Red", at=1.0, action="attack")
    with pytest.raises(RandoriError, match=r"pins\[2\].at: Red is pinned twice at 1 s"):
        scene(folder).changed(pins=(twice, twice))


def test_a_pin_survives_another_seed(folder: Path, take: Take):
    """It takes the next decision that allows it, and the best of what the word names."""
    attack = Pin(who="Red", at=0.5, action="attack")
    other = simulate(scene(folder).changed(pins=(attack,)), seed=11, seconds=3.0)
    found = [one for one in other.roles[0].placed if one.cause == PINNED]
    assert [other.roles[0].tags[one.action].kind for one in found] == ["attack"]
    assert 30 <= found[0].start <= 90
    assert other.provenance["goals not met"] == []
