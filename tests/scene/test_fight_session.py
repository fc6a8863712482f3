"""A live fight: changes take effect at the next decision, a recording replays to the same bytes."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.run import deciding
from randori.scene.scene import Scene
from randori.scene.session import FightSession
from randori.timeline.session import Frame, Script, read_script, replaying, write_script
from randori.work import finish

SCENE = """
seconds = 4.0
[motions.ring]
library = "unused.npz"
[[cast]]
name = "Red"
depth = 1
[[cast]]
name = "Blue"
depth = 1
team = 1
"""


@pytest.fixture(scope="module")
def graphs() -> dict[str, ActionGraph]:
    clips = [perform(name, 40.0, seed=2)[0].clip for name in ("boxing", "reactions")]
    return {"ring": graph_with_choices(build_library([(clip, analyse(clip)) for clip in clips]), 12.0)}


def start(graphs: dict[str, ActionGraph]) -> FightSession:
    return FightSession(Scene.parse(SCENE), graphs)


def play(session: FightSession, ticks: int) -> list[Frame]:
    return [session.step() for _ in range(ticks)]


def test_a_session_that_nobody_touches_is_the_scene(graphs: dict[str, ActionGraph]):
    session, timeline = start(graphs), finish(deciding(Scene.parse(SCENE), graphs))
    play(session, timeline.ticks)
    played = session.timeline()
    assert played.decisions == timeline.decisions
    assert played.events == timeline.events
    assert [track.placed for track in played.tracks] == [track.placed for track in timeline.tracks]


def test_frames_go_on_without_a_jump(graphs: dict[str, ActionGraph]):
    frames = play(start(graphs), 200)
    roots = np.array([frame.root_position for frame in frames])
    assert np.abs(np.diff(roots, axis=0)).max() < 0.12  # metres in a tick: 7 m/s
    assert frames[0].rotations.shape == (2, len(start(graphs).clips[0].skeleton), 4)


def test_what_is_sent_changes_what_follows_and_replays(graphs: dict[str, ActionGraph], tmp_path: Path):
    session = start(graphs)
    frames = play(session, 60)
    session.send("weight", who="Red", weight="distance", value=3.0)
    session.send("depth", who=1, value=2)
    session.send("goal", place=[3.0, 0.0])
    session.send("weight", who="Blue", weight="path_weight", value=1e7)
    session.send("row", defence="duck", attack="jab", suitability=1.0)
    session.send("request", who="Blue", unwanted=["jab"])
    attack = next(k for k, tags in enumerate(graphs["ring"].library.tags) if tags.kind == "attack")
    session.send("tag", who="Red", action=attack, kind="transition", technique="stand")
    frames += play(session, 120)
    later = [one for one in session.timeline().decisions if one.tick > 60]
    assert {one.depth for one in later if one.who == 1} == {2}
    untouched = start(graphs)
    assert [frame.bytes() for frame in play(untouched, 60)] == [frame.bytes() for frame in frames[:60]]
    play(untouched, 120)
    assert untouched.timeline().decisions != session.timeline().decisions

    write_script(tmp_path / "inputs.json", Script.of(session, "live", session.seed))
    again = list(replaying(start(graphs), read_script(tmp_path / "inputs.json")))
    assert [frame.bytes() for frame in again] == [frame.bytes() for frame in frames]


@pytest.mark.parametrize(
    ("what", "values", "expected"),
    [
        ("speed", {}, "nobody knows what 'speed' means"),
        ("weight", {"who": "Red", "weight": "distanc", "value": 1.0}, "did you mean 'distance'"),
        ("weight", {"who": "Rod", "weight": "distance", "value": 1.0}, "did you mean 'Red'"),
        ("weight", {"who": "Red", "weight": "distance"}, "value is missing"),
        ("depth", {"who": "Red", "value": 99}, "a number from 1 to 8"),
        ("goal", {"place": [1.0]}, "x and z"),
        ("row", {"defence": "duck", "attack": "jib", "suitability": 1.0}, "did you mean 'jab'"),
        ("request", {"who": "Red", "wanted": ["jib"]}, "did you mean 'jab'"),
        ("tag", {"who": "Red", "action": 3, "colour": "red"}, "expected words for kind"),
    ],
)
def test_what_cannot_be_used_is_an_error_and_changes_nothing(
    graphs: dict[str, ActionGraph], what: str, values: dict[str, object], expected: str
):
    session = start(graphs)
    with pytest.raises(RandoriError, match=expected):
        session.send(what, **values)
    assert session.inputs == []


def test_a_long_session_does_not_grow(graphs: dict[str, ActionGraph], monkeypatch: pytest.MonkeyPatch):
    """Options are most of what a fight remembers: old ones are dropped, in copies as well; decisions stay."""
    monkeypatch.setattr("randori.scene.session.REMEMBERED", 1.0)
    session = start(graphs)
    for _ in range(4):
        play(session, 120)
        session = session.copied()
        decisions = session.timeline().decisions
        remembered = [decision.tick for decision in decisions if decision.options]
        assert min(remembered) >= session.tick - session.fps
        assert len(remembered) < len(decisions)
    assert decisions[0].tick < session.fps
