"""A live fight: changes take effect at the next decision, a recording replays to the same bytes."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.preparing import Ready
from randori.scene.run import deciding
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
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


def start(graphs: dict[str, ActionGraph]) -> SceneSession:
    return SceneSession(Scene.parse(SCENE), Ready(graphs=graphs))


def play(session: SceneSession, ticks: int) -> list[Frame]:
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
    assert frames[0].rotations.shape == (2, len(start(graphs).skeletons[0]), 4)


def test_what_is_sent_changes_what_follows_and_replays(graphs: dict[str, ActionGraph], tmp_path: Path):
    session = start(graphs)
    frames = play(session, 60)
    session.send("set", who="Red", key="distance", value=3.0)
    session.send("set", who="Blue", key="depth", value=2)
    session.send("go", place=[3.0, 0.0])
    session.send("set", who="Blue", key="path_weight", value=1e7)
    row = {"defence": "duck", "attack": "jab", "suitability": 1.0}
    session.send("set", key="combination", value=row)
    session.send("set", who="Blue", key="unwanted", value=["jab"])
    attack = next(k for k, tags in enumerate(graphs["ring"].library.tags) if tags.kind == "attack")
    tags = {"action": attack, "kind": "transition", "technique": "stand"}
    session.send("set", who="Red", key="tags", value=tags)
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
        ("speed", {}, "unknown input 'speed'"),
        ("set", {"who": "Red", "key": "distanc", "value": 1.0}, "did you mean 'distance'"),
        ("set", {"who": "Rod", "key": "distance", "value": 1.0}, "did you mean 'Red'"),
        ("set", {"who": "Red", "key": "distance"}, "value is missing"),
        ("set", {"who": "Red", "key": "depth", "value": 99}, "a number from 1 to 8"),
        ("go", {"place": [1.0]}, "x and z"),
        ("go", {"place": [1.0, 2.0], "fast": True}, "unknown: fast"),
        ("face", {"who": "Red", "degrees": 90.0}, "a fighter faces its opponents"),
        ("do", {"who": "Red", "action": "jib"}, "did you mean 'jab'"),
        ("set", {"key": "combination", "value": {"defence": "duck", "attack": "jib"}}, "did you mean 'jab'"),
        ("set", {"who": "Red", "key": "wanted", "value": ["jib"]}, "did you mean 'jab'"),
        ("set", {"who": "Red", "key": "tags", "value": {"action": 3, "colour": "red"}}, "words for kind"),
    ],
)
def test_what_cannot_be_used_is_an_error_and_changes_nothing(
    graphs: dict[str, ActionGraph], what: str, values: dict[str, object], expected: str
):
    session = start(graphs)
    with pytest.raises(RandoriError, match=expected):
        session.send(what, **values)
    assert session.inputs == []


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_fighter_that_is_taken_over_goes_where_it_is_led_and_can_be_let_go(
    graphs: dict[str, ActionGraph], seed: int
):
    def nearest(session: SceneSession) -> float:
        """Metres from where Red is sent."""
        return min(
            float(np.hypot(x + 2.0, z)) for x, _, z in (f.root_position[0] for f in play(session, 300))
        )

    scene = Scene.parse(f"seed = {seed}\n{SCENE}")
    left_alone, led = SceneSession(scene, Ready(graphs=graphs)), SceneSession(scene, Ready(graphs=graphs))
    before = led.parts[0].crowd.fights[0].fighters[0].style
    led.send("take over", who="Red")
    led.send("go", who="Red", place=[-2.0, 0.0])
    there = nearest(led)
    assert there < nearest(left_alone) - 0.1
    assert there < 0.5  # metres: it arrives
    led.send("let go", who="Red")
    assert led.parts[0].crowd.fights[0].fighters[0].style == before
