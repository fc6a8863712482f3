"""Live sessions: ahead of the page, answering, kept."""

import json
import struct
import time
from collections.abc import Generator, Iterator
from copy import copy
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection

from randori.errors import RandoriError
from randori.motion.skeleton import Skeleton
from randori.performer import perform
from randori.scene.pictures import rows_of
from randori.scene.preparing import preparing_scene
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.scene.take import Take
from randori.studio import live as live_module
from randori.studio import messages as wire
from randori.studio.live_bodies import LiveBodies
from randori.studio.project import Project
from randori.studio.sessions import Live
from randori.timeline.session import Frame, Input, read_script
from randori.work import finish
from studio.serving import Client, served, soon
from studio.test_server import decode

pytestmark = pytest.mark.slow  # most of the time is spent in the studio's processes


class Statue:
    """The simplest session: somebody who stands where they are told."""

    fps = 60.0

    def __init__(self, skeleton: Skeleton):
        self.tick, self.place = 0, 0.0
        self.inputs: list[Input] = []
        self._joints = len(skeleton)

    def send(self, what: str, **values: Any) -> Input:
        if what != "go":
            raise RandoriError(f"nobody knows {what!r}")
        self.place = float(values["x"])
        self.inputs.append(Input(self.tick, what, values))
        return self.inputs[-1]

    def step(self) -> Frame:
        self.tick += 1
        turned = np.tile([1.0, 0.0, 0.0, 0.0], (1, self._joints, 1))
        return Frame(self.tick, np.array([[self.place, 1.0, 0.0]]), turned, np.zeros((0, 3)))


class LiveStatue(Live):
    title = "Statue"

    def __init__(self, skeleton: Skeleton):
        super().__init__()
        self.session: Any = Statue(skeleton)
        self.skeleton, self.bodies = skeleton, LiveBodies([skeleton])
        self.names, self.wears = ["statue"], [0]

    def keeping(self) -> Generator[float, None, Take]:
        raise RandoriError("a statue cannot be kept")
        yield 0.0


class Reborn(LiveStatue):
    """A statue that begins anew when it is told to."""

    def send(self, what: str, values: dict[str, Any]) -> Live | None:
        if what == "again":
            return Reborn(self.skeleton)
        return super().send(what, values)


class Returning(LiveStatue):
    """A statue that can go back."""

    ahead = 0.2

    def copied(self) -> Live:
        other = copy(self)
        other.session = copy(self.session)
        other.session.inputs = list(self.session.inputs)
        return other


class Played:
    """A session in a thread, and this end of its pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type[LiveStatue] = Reborn):
        skeleton = perform("locomotion", seconds=5.0, seed=1)[0].clip.skeleton

        def opening(start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
            yield 0.5
            return kind(skeleton)

        monkeypatch.setattr("randori.studio.sessions.opening", opening)
        self.pipe, theirs = Pipe()
        player = live_module._Player(theirs, ".")
        self.thread = Thread(target=player.play, args=(wire.LiveStart(session="statue"),), daemon=True)
        self.thread.start()
        self.tick = 0

    def hear(self) -> Any:
        """The next message: JSON, or (first tick, roots, words) of frames."""
        assert self.pipe.poll(10.0), "nothing was said"
        message = self.pipe.recv()
        if isinstance(message, str):
            return json.loads(message)
        return frames_of(message)


def frames_of(data: bytes) -> tuple[int, int, dict[str, Any]]:
    magic, tick, count, words = struct.unpack_from("<4sIII", data)
    assert magic == wire.FRAMES_MAGIC
    return tick, count, json.loads(data[16 : 16 + words])


def test_a_session_stays_a_little_ahead_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    assert played.hear()["type"] == "state"
    opened = played.hear()
    assert (opened["type"], opened["names"]) == ("opened", ["statue"])
    last = 0
    while last < opened["ahead"]:
        tick, count, _ = played.hear()
        assert tick == last + 1
        last += count
    assert last == opened["ahead"]
    assert not played.pipe.poll(0.2), "it ran on while nobody looked"
    played.pipe.send(wire.LivePlayhead(tick=5))
    while last < opened["ahead"] + 5:
        last += played.hear()[1]
    assert not played.pipe.poll(0.2)
    played.pipe.send(wire.LivePlayhead(tick=10**9))  # no page has seen what was not shown yet
    while played.pipe.poll(0.5):
        last += played.hear()[1]
    assert last <= 2 * opened["ahead"] + 5
    played.pipe.send(wire.LiveStop())
    played.thread.join(5.0)
    assert not played.thread.is_alive()


def test_an_input_takes_effect_in_the_next_frame_and_a_wrong_one_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played = Played(monkeypatch)
    played.hear()
    opened = played.hear()
    last = 0
    while last < opened["ahead"]:
        last += played.hear()[1]
    played.pipe.send(wire.LiveInput(what="go", values={"x": 3.0}))
    played.pipe.send(wire.LiveInput(what="fly"))
    problem = played.hear()
    assert (problem["type"], problem["message"]) == ("problem", "nobody knows 'fly'")
    played.pipe.send(wire.LiveInput(what="go", values={"y": 3.0}))
    assert played.hear()["type"] == "problem"
    played.pipe.send(wire.LivePlayhead(tick=4))
    tick, _, words = played.hear()
    assert (tick, words["inputs"]) == (last + 1, [last])
    played.pipe.send(wire.LiveKeep())
    while isinstance(heard := played.hear(), tuple):
        pass
    assert heard["message"] == "a statue cannot be kept"
    played.pipe.send(wire.LiveStop())
    played.thread.join(5.0)
    assert not played.thread.is_alive()


def test_an_input_goes_back_to_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch, Returning)
    played.hear()
    ahead = played.hear()["ahead"]
    last = 0
    while last < ahead:
        last += played.hear()[1]
    for place, shown in ((3.0, 2), (5.0, 2), (7.0, 6)):  # the second one at once: neither is lost
        played.pipe.send(wire.LivePlayhead(tick=shown))
        played.pipe.send(wire.LiveInput(what="go", values={"x": place}))
    took: list[int] = []
    again = False
    while last < ahead + 6 or len(took) < 3:
        tick, count, words = played.hear()
        again |= tick <= last  # it was sent already, and is sent anew
        last, took = tick + count - 1, took + words["inputs"]
    assert again
    assert took == sorted(took)
    assert 2 + round(0.05 * Statue.fps) <= took[0] < ahead
    played.pipe.send(wire.LiveStop())
    played.thread.join(5.0)


def test_a_copy_of_a_fight_goes_on_as_the_fight_does_and_leaves_it_alone() -> None:
    scene = Scene.load("boxing")
    session = SceneSession(scene, finish(preparing_scene(scene)))
    for _ in range(90):
        session.step()
    same, other = session.copied(), session.copied()
    for who in ("Red", "Blue"):
        other.send("set", who=who, key="distance", value=3.0)
        other.send("set", who=who, key="distance_weight", value=1e7)  # whatever it costs
    changed = [other.step().bytes() for _ in range(480)]
    frames = [session.step().bytes() for _ in range(480)]
    assert [same.step().bytes() for _ in range(480)] == frames
    assert changed != frames
    assert not session.inputs


def test_an_input_may_begin_the_session_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    played.hear()
    opened = played.hear()
    last = 0
    while last < opened["ahead"]:
        last += played.hear()[1]
    played.pipe.send(wire.LiveInput(what="again"))
    assert played.hear() == opened
    assert played.hear()[0] == 1
    played.pipe.send(wire.LiveStop())
    played.thread.join(5.0)


@pytest.mark.parametrize(
    ("rows", "fine"),
    [
        (["#."], True),
        (["#", "##"], False),
        (["."], False),
        (["#x"], False),
        ([3], False),
        ("#", False),
        (None, False),
        ("missing.png", False),
        (["#" * 41], False),
    ],
)
def test_a_picture_on_the_floor_is_checked(rows: Any, fine: bool) -> None:
    if fine:
        assert rows_of(rows, Path()) == rows
    else:
        with pytest.raises(RandoriError, match=r"rows are expected|nothing of it is dark|does not exist"):
            rows_of(rows, Path())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("project")) as running:
        yield running


def until(live: ClientConnection, kind: str, patience: float = 240.0) -> Any:
    """The next message of a kind; frames are "frames", and move the playhead on."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        message = live.recv(timeout=patience)
        if isinstance(message, bytes):
            tick, count, words = frames_of(message)
            live.send(json.dumps({"type": "playhead", "tick": tick + count - 1}))
            if kind == "frames":
                return tick, count, words
        else:
            answer = json.loads(message)
            assert answer["type"] != "problem" or kind == "problem", answer
            if answer["type"] == kind:
                return answer
    raise AssertionError(f"no {kind} was heard")


def test_a_weight_changes_while_they_fight_and_the_take_knows_when(client: Client) -> None:
    with client.socket("live/session") as live:
        live.send(json.dumps({"type": "start", "session": "boxing", "seed": 3}))
        opened = until(live, "opened")
        assert opened["names"] == ["Red", "Blue"]
        wish = {"who": "Red", "key": "distance"}
        control = next(one for one in opened["controls"] if one["values"] == wish)
        assert (control["what"], control["start"]) == ("set", 0.8)
        decisions: list[dict[str, Any]] = []

        def follow() -> list[int]:
            """Take in some frames, perhaps instead of others; gives the inputs that they know of."""
            tick, _, words = until(live, "frames")
            decisions[:] = [one for one in decisions if one["tick"] < tick - 1] + words["decisions"]
            return words["inputs"]

        while len(decisions) < 8:
            follow()
        live.send(json.dumps({"type": "input", "what": "set", "values": wish | {"value": 2.5}}))
        while not (took := follow()):
            pass
        while decisions[-1]["tick"] <= took[0]:
            follow()
        live.send(json.dumps({"type": "input", "what": "set", "values": wish | {"value": -1.0}}))
        assert "number from 0" in until(live, "problem")["message"]
        live.send(json.dumps({"type": "keep"}))
        kept = until(live, "kept")
    assert [one["number"] for one in decisions] == list(range(len(decisions)))
    script = read_script(client.studio.takes.path(kept["take"]).with_suffix(".inputs.json"))
    assert [(one.tick, one.values["value"]) for one in script.inputs] == [(took[0], 2.5)]
    header, _ = decode(client.buffer(f"takes/{kept['take']}/buffer"))
    assert header["decisions"][: len(decisions)] == decisions
    assert client.get(f"takes/{kept['take']}/decisions/0")["ghosts"]


def test_a_walker_prepares_kicks_and_is_kept_as_a_take(client: Client) -> None:
    listed = {entry["name"] for entry in client.get("live")["sessions"]}
    assert listed >= {"kick", "target", "boxing", "one-fights-many"}
    with client.socket("live/session") as live:
        live.send(json.dumps({"type": "start", "session": "kick", "seed": 2}))
        opened = until(live, "opened")
        assert [prop["name"] for prop in opened["props"]] == ["ball"] * 6
        assert {control["what"] for control in opened["controls"]} >= {"go", "do"}
        live.send(json.dumps({"type": "input", "what": "go", "values": {"place": [0.5, 0.0, 2.0]}}))
        live.send(json.dumps({"type": "input", "what": "dance", "values": {}}))
        assert "dance" in until(live, "problem")["message"]
        last = 0
        while last < 90:
            tick, count, _ = until(live, "frames")
            assert tick == last + 1 or last == 0
            last = tick + count - 1
        live.send(json.dumps({"type": "keep"}))
        kept = until(live, "kept")
    header, poses = decode(client.buffer(f"takes/{kept['take']}/buffer"))
    assert header["frames"] >= last
    assert len(header["props"]) == 6
    ball = np.frombuffer(poses, "<f4", 4 * header["frames"], header["props"][0]["path"]).reshape(-1, 4)
    assert np.isfinite(ball).all()
    assert ball[0, 1] == pytest.approx(0.11)
    script = read_script(client.studio.takes.path(kept["take"]).with_suffix(".inputs.json"))
    assert [one.what for one in script.inputs] == ["go"]
    assert script.ticks == header["frames"]


def test_a_dropped_session_gives_its_process_back(client: Client) -> None:
    sessions = client.studio.live
    with client.socket("live/session") as live:
        live.send(json.dumps({"type": "start", "session": "kick"}))
        until(live, "frames")
        live.socket.shutdown(2)  # both ways, without a word
    assert soon(lambda: not sessions._busy)
    with client.socket("live/session") as live:
        live.send(json.dumps({"type": "start", "session": "kick"}))
        assert until(live, "opened")["title"] == "Kick the ball"
