"""Recordings come into a project, are looked at, and edited."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from randori.formats import bvh
from randori.performer import perform
from studio.serving import Client, served
from studio.test_server import decode, poses_of

pytestmark = pytest.mark.slow  # most of the time is spent in the studio's processes

CHASE = """seconds = 1.0
[motions.walk]
files = ["recordings/walk.bvh"]
choices = 4
[rules]
facing = 180.0
[[cast]]
name = "A"
style = "chaser"
depth = 1
[[cast]]
name = "B"
style = "runaway"
depth = 1
team = 1
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Some walking of the built-in performer, as a BVH file."""
    path = tmp_path_factory.mktemp("performed") / "walk.bvh"
    bvh.write(path, perform("locomotion", seconds=20.0, seed=3)[0].clip)
    return path.read_bytes()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("project")) as running:
        yield running


@pytest.fixture(scope="module")
def library(client: Client, recording: bytes) -> dict[str, Any]:
    status, body, _ = client.send("POST", "/api/library/upload?name=walk.bvh", recording)
    assert status == 200, body
    return opened(client)


def opened(client: Client) -> dict[str, Any]:
    job = client.finish(client.post("library/open", {"recordings": ["walk.bvh"]}))
    assert job["state"] == "done", job["problem"]
    return client.get(f"library/{job['library']}")


def test_an_uploaded_recording_is_listed_with_its_actions(client: Client, library: dict[str, Any]) -> None:
    listed = client.get("library")
    assert [(row["file"], row["captured"]) for row in listed["recordings"]] == [("walk.bvh", True)]
    assert any(entry["source"]["set"] == "boxing" for entry in listed["libraries"])
    assert sum(action["stop"] - action["start"] for action in library["actions"]) > 15.0
    assert any(action["kind"] == "locomotion" for action in library["actions"])
    assert library["recordings"][0]["file"] == "walk.bvh"


def test_a_library_says_what_it_is_good_for(library: dict[str, Any]) -> None:
    uses = {use["name"]: (use["able"], use["why"]) for use in library["uses"]}
    assert uses["duel"] == ("no", "there is no attack")
    assert uses["sword duel"] == ("no", "nobody holds a blade")
    assert {"policy", "preparation", "patches of fights"} <= set(uses)
    assert library["missing"] == []  # nobody fights with it
    assert library["record"]


def test_an_action_is_shown_from_the_middle_of_the_stage(client: Client, library: dict[str, Any]) -> None:
    action = library["actions"][3]
    header, poses = decode(client.buffer(f"library/{library['library']}/actions/3/buffer"))
    roots, _ = poses_of(header, poses, 0)
    assert abs(header["frames"] / header["fps"] - (action["stop"] - action["start"])) < 0.05
    assert abs(roots[0, [0, 2]]).max() < 1e-4
    assert client.buffer(f"library/{library['library']}/graph").startswith(b"\x89PNG")


def test_edits_are_written_beside_the_recording_and_win(client: Client, library: dict[str, Any]) -> None:
    way = f"library/{library['library']}/recordings/0/strip"
    strip = client.get(way)
    assert max(strip["activity"]) == 1.0
    segments = strip["segments"]
    segments[1]["technique"] = "stroll"
    segments[3]["start"] = round(segments[3]["start"] + 0.1, 4)
    written = client.post("library/segments", {"file": "walk.bvh", "segments": segments})
    edited = [row["edited"] for row in written["segments"]]
    assert edited[1:4] == [True, True, True]  # retagged; ends later; starts later
    assert not any(edited[4:])
    again = opened(client)
    assert again["library"] != library["library"]
    assert "stroll" in {action["technique"] for action in again["actions"]}
    assert client.get(f"library/{again['library']}/recordings/0/strip")["segments"] == written["segments"]


def test_a_take_of_recordings_is_known_again_until_somebody_edits_them(
    client: Client, library: dict[str, Any]
) -> None:
    document = client.post("scenes/check", {"text": CHASE})
    assert document["problems"] == []
    job = client.finish(client.post("simulate", {"text": CHASE}))
    assert job["state"] == "done", job["problem"]
    assert client.post("scenes/check", {"text": CHASE})["take"] == job["take"]["take"]
    segments = client.get(f"library/{library['library']}/recordings/0/strip")["segments"]
    segments[2]["technique"] = "saunter"
    client.post("library/segments", {"file": "walk.bvh", "segments": segments})
    assert client.post("scenes/check", {"text": CHASE})["take"] == ""


def test_a_tag_that_does_not_exist_is_refused_and_nothing_is_written(
    client: Client, library: dict[str, Any]
) -> None:
    beside: Path = client.studio.project.folder / "recordings" / "walk.bvh.actions.toml"
    before = beside.read_text()
    segments = client.get(f"library/{library['library']}/recordings/0/strip")["segments"]
    segments[0]["kind"] = "dance"
    status, problem = client.try_post("library/segments", {"file": "walk.bvh", "segments": segments})
    assert status == 400
    assert "'dance'; it is one of attack" in problem["message"]
    assert beside.read_text() == before


def test_a_broken_recording_is_refused_with_its_line(client: Client, recording: bytes) -> None:
    lines = recording.decode().splitlines(keepends=True)
    lines[-3] = "1.0 2.0 nonsense\n"
    status, body, _ = client.send("POST", "/api/library/upload?name=broken.bvh", "".join(lines).encode())
    problem = json.loads(body)
    assert status == 400
    assert (problem["file"], problem["line"]) == ("broken.bvh", len(lines) - 2)
    assert not list(client.studio.project.folder.rglob("*broken*"))
    assert not list(client.studio.project.folder.rglob(".arriving*"))


def test_a_recording_is_not_overwritten_by_mistake(
    client: Client, library: dict[str, Any], recording: bytes
) -> None:
    status, body, _ = client.send("POST", "/api/library/upload?name=walk.bvh", recording)
    assert (status, json.loads(body)["message"]) == (400, "recordings/walk.bvh exists already")
    assert client.send("POST", "/api/library/upload?name=walk.bvh&overwrite=1", recording)[0] == 200


def test_an_amc_file_waits_for_its_skeleton(client: Client) -> None:
    assert (
        client.send("POST", "/api/library/upload?name=02_01.amc", b":FULLY-SPECIFIED\n:DEGREES\n1\n")[0]
        == 200
    )
    row = next(row for row in client.get("library")["recordings"] if row["file"] == "02_01.amc")
    assert row["needs"] == "an ASF file with its skeleton"
