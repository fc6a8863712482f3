"""What the stage asks of the server: own characters, films of what is seen, moments of the quality report."""

import io
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from character_samples import box_person, write_character
from randori.characters.character import Costume, load_character
from randori.motion.retargeting import retarget_along
from randori.performer import perform
from randori.studio.compiling import in_words
from randori.studio.live_bodies import LiveBodies
from randori.studio.worst import worst_moments
from randori.timeline.session import Frame
from studio.serving import Client, served

SCENE = """title = "Short"
seconds = 1.0

[motions.ring]
library = "ring.npz"
choices = 12

[[cast]]
name = "Red"
depth = 1
character = "characters/box.glb"

[[cast]]
name = "Blue"
depth = 1
team = 1
"""


@pytest.fixture(scope="module")
def client(project: Path) -> Iterator[Client]:
    with served(project) as running:
        yield running


@pytest.fixture(scope="module")
def box(client: Client, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A character that has been sent to the project; its file is in centimetres."""
    made = write_character(tmp_path_factory.mktemp("box") / "box.glb", *box_person(unit=0.01))
    status, body, _ = client.send("POST", "/api/characters/upload?name=box.glb", made.read_bytes())
    assert status == 200, body
    found = json.loads(body)
    assert found["file"] == "characters/box.glb"
    assert 1.4 < found["height"] < 2.2
    return made.read_bytes()


def header_of(buffer: bytes) -> dict[str, Any]:
    return json.loads(buffer[16 : 16 + struct.unpack_from("<I", buffer, 8)[0]])


def test_characters_are_listed_and_not_replaced_unasked(client: Client, box: bytes) -> None:
    assert client.get("characters")["files"] == ["characters/box.glb"]
    path = "/api/characters/upload?name=box.glb"
    status, body, _ = client.send("POST", path, box)
    assert (status, b"exists already" in body) == (400, True)
    assert client.send("POST", f"{path}&overwrite=1", box)[0] == 200


@pytest.mark.parametrize("name", ["notes.glb", "../box.glb", "folder/box.glb", "box.txt"])
def test_what_is_no_character_is_refused_and_leaves_nothing(client: Client, name: str) -> None:
    status, body, _ = client.send("POST", f"/api/characters/upload?name={name}", b"no mesh at all")
    assert status == 400, body
    folder = client.studio.project.folder
    assert not [path for path in folder.rglob("*") if path.name in ("notes.glb", "box.txt")]


@pytest.mark.slow
def test_a_take_brings_the_file_of_its_character(client: Client, box: bytes) -> None:
    job = client.finish(client.post("simulate", {"text": SCENE}))
    assert job["state"] == "done", job
    header = header_of(client.buffer(f"takes/{job['take']['take']}/buffer"))
    assert [row["costume"] for row in header["characters"]] == [0, -1]
    costume, body = header["costumes"][0], header["bodies"][header["characters"][0]["body"]]
    assert len(costume["nodes"]) == len(body["skeleton"]["joints"])
    file = client.buffer(f"takes/{header['take']}/costumes/0")
    length = struct.unpack_from("<I", file, 12)[0]
    nodes = json.loads(file[20 : 20 + length])["nodes"]
    assert [nodes[node]["name"] for node in costume["nodes"]] == body["skeleton"]["joints"]
    status, _, _ = client.send("GET", f"/api/takes/{header['take']}/costumes/1")
    assert status == 400

    take, _ = client.studio.takes.load(header["take"])
    moments = worst_moments(take)
    assert {"feet", "floor", "heads", "joints", "trunks", "pauses"} <= set(moments)
    assert all(0 <= tick <= take.ticks and -1 <= who < 2 for tick, who in moments.values())
    tick, who = moments["heads"]
    heads = [role.clip.positions[:, role.clip.skeleton.joint("head")] for role in take.roles]
    speeds = np.array([np.linalg.norm(np.gradient(way, axis=0), axis=1) for way in heads])
    assert speeds[who, tick] == speeds.max()
    lines = {row["text"].split(":")[0]: row for row in header["quality"]["sentences"]}
    assert (lines["heads"]["tick"], lines["heads"]["who"]) == (tick, who)


def test_a_film_is_made_of_the_pages_own_frames(client: Client) -> None:
    frames = []
    for shade in range(0, 250, 25):
        buffer = io.BytesIO()
        Image.new("RGB", (64, 36), (shade, 0, 0)).save(buffer, "JPEG")
        frames.append(buffer.getvalue())
    status, body, _ = client.send("POST", "/api/films?name=fight-stage&fps=30", b"".join(frames))
    assert status == 200, body
    film = json.loads(body)
    assert film["path"] == "exports/fight-stage.mp4"
    status, data, _ = client.send("GET", f"/api/files/{film['path']}")
    assert (status, data[4:8], len(data)) == (200, b"ftyp", film["size"])


@pytest.mark.parametrize(
    ("query", "frames"),
    [
        ("name=x&fps=30", b"no pictures"),
        ("name=x&fps=0", b"\xff\xd8\xff"),
        ("name=../x&fps=30", b"\xff\xd8\xff"),
        ("name=x", b"\xff\xd8\xff"),
    ],
)
def test_a_film_of_something_else_is_refused(client: Client, query: str, frames: bytes) -> None:
    status, _, _ = client.send("POST", f"/api/films?{query}", frames)
    assert status == 400
    folder = client.studio.project.folder / "exports"
    assert not list(folder.glob("x*")) if folder.is_dir() else True


def test_compiling_says_how_long_it_takes_once_that_is_known() -> None:
    assert "left" not in in_words(2, 235, 10.0)
    assert in_words(100, 200, 120.0).endswith("about 2 minutes left")
    assert in_words(150, 200, 30.0).endswith("less than a minute left")
    assert in_words(100, 160, 100.0).endswith("about 1 minute left")


def test_poses_of_a_live_session_are_on_the_bodies_that_are_seen(box: bytes, client: Client) -> None:
    character = load_character(client.studio.project.folder / "characters" / "box.glb")
    clip = perform("boxing", 5.0, seed=2)[0].clip
    bodies = LiveBodies([clip.skeleton] * 3, [None, Costume.of(character), Costume.of(character)])
    assert (bodies.body_of, bodies.costume_of) == ([0, 1, 1], [-1, 0, 0])
    assert (len(bodies.bodies), len(bodies.costumes)) == (2, 1)
    frames = [100, 100, 120]
    roots, turns = bodies.place(
        Frame(1, clip.root_position[frames], clip.rotations[frames], np.zeros((0, 3)), ())
    )
    assert np.allclose(turns[0, : len(clip.skeleton)], clip.global_rotations[100])
    whole = retarget_along(clip, character.skeleton, np.zeros((len(clip), 3))).clip
    joints = len(character.skeleton)
    for who in (1, 2):
        assert np.abs(roots[who] - whole.root_position[frames[who]]).max() < 0.1  # metres
        trunk = [character.skeleton.joint(part) for part in ("pelvis", "chest", "head")]
        there = whole.global_rotations[frames[who], trunk]
        assert np.abs((turns[who, :joints][trunk] * there).sum(axis=-1)).min() > 0.99  # turned the same way
