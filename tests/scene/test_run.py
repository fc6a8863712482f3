"""A scene becomes a take: the same one every time, with its story, its reasons and its mistakes explained."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.errors import FileError
from randori.graph.library import build_library
from randori.graph.library_file import write
from randori.performer import perform
from randori.scene.run import simulate
from randori.scene.scene import Scene
from randori.scene.story import choices, find_decision, story, why
from randori.scene.take import Take

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
    assert take.words["seed"] == 3
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
            'name = "Blue"\nwanted = ["left jap"]',
            r"cast\[2\].wanted: .*did you mean 'left jab'",
        ),
    ],
)
def test_mistakes_are_answered_before_anybody_fights(folder: Path, old: str, new: str, expected: str):
    with pytest.raises(FileError, match=expected):
        simulate(scene(folder, old, new))


def test_stopping_half_way_is_just_not_asking_for_more(folder: Path):
    from randori.scene.run import simulating

    work = simulating(scene(folder))
    shares = [next(work) for _ in range(4)]
    work.close()
    assert shares == sorted(shares)
    assert np.all(np.array(shares) <= 1.0)
