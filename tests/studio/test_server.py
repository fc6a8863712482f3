"""What the server answers: scenes, takes, decisions, exports, jobs."""

import errno
import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from randori.errors import FileError
from randori.scene.scene import Scene, shipped_scenes
from randori.scene.take import Take
from randori.studio import messages as wire
from randori.studio.buffers import to_turns
from randori.studio.gallery import PICTURES, readable_scenes
from randori.studio.takes import DRAFT_SECONDS
from studio.serving import Client, served

pytestmark = pytest.mark.slow  # most of the time is spent in the studio's processes

SHORT = 3.0  # seconds of a fight


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("project")) as running:
        yield running


@pytest.fixture(scope="module")
def fight(client: Client) -> dict[str, Any]:
    """A short take of the boxing scene: the document, and the take's name."""
    document = client.post("scenes/open", {"gallery": "boxing"})
    job = client.finish(client.post("simulate", asked(document, seconds=SHORT)))
    assert job["state"] == "done", job["problem"]
    return {"document": document, "take": job["take"]["take"], "job": job}


def asked(document: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What is sent along with a scene's text."""
    return {key: document[key] for key in ("text", "file", "gallery")} | more


def decode(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the poses of a take buffer, as the messages lay them out."""
    magic, version, words, poses = struct.unpack_from("<4sIII", data)
    assert (magic, version, (16 + words) % 16, len(data)) == (
        b"RNDT",
        wire.BUFFER_VERSION,
        0,
        16 + words + poses,
    )
    return json.loads(data[16 : 16 + words]), data[16 + words :]


def poses_of(header: dict[str, Any], poses: bytes, who: int) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) places of the root, (F, J, 4) turns of a character."""
    character, frames = header["characters"][who], header["frames"]
    joints = len(header["bodies"][character["body"]]["skeleton"]["joints"])
    roots = np.frombuffer(poses, "<f4", frames * 3, character["roots"]).reshape(frames, 3)
    turns = np.frombuffer(poses, "<i2", frames * joints * 4, character["turns"]).reshape(frames, joints, 4)
    return roots, turns / 32767.0


def place(header: dict[str, Any], who: int, roots: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(F, J, 3) places of all joints, as the page finds them."""
    bones = header["bodies"][header["characters"][who]["body"]]["skeleton"]
    places = np.zeros((*turns.shape[:2], 3))
    for joint, parent in enumerate(bones["parents"]):
        if parent < 0:
            places[:, joint] = roots
            continue
        axis, w = turns[:, parent, :3], turns[:, parent, 3:]
        offset = np.broadcast_to(np.array(bones["offsets"][joint]), axis.shape)
        across = 2.0 * np.cross(axis, offset)
        places[:, joint] = places[:, parent] + offset + w * across + np.cross(axis, across)
    return places


def test_the_gallery_shows_every_shipped_scene(client: Client) -> None:
    entries = client.get("gallery")["entries"]
    assert [entry["name"] for entry in entries] == shipped_scenes()
    assert all(entry["description"] for entry in entries)
    for entry in entries:
        scene = Scene.load(entry["name"])
        alone = len(scene.cast) == 1 and not scene.group
        assert (entry["characters"] == 1) == alone, entry["name"]


def test_every_card_of_the_gallery_has_a_picture_on_a_first_visit(client: Client) -> None:
    assert all(entry["picture"] for entry in client.get("gallery")["entries"])
    assert sorted(path.stem for path in PICTURES.iterdir()) == shipped_scenes()
    assert client.buffer("gallery/brawl/picture")[:2] in (b"\xff\xd8", b"\x89P")


def test_a_gallery_scene_gets_its_picture_and_a_take_that_opens_at_once(client: Client) -> None:
    client.studio._fill_gallery()
    jobs = {job["title"]: job for job in client.get("jobs")["jobs"] if job["kind"] == "gallery"}
    for title, job in jobs.items():
        if title != "Boxing":
            client.post(f"jobs/{job['job']}/cancel", None)
    if "Boxing" in jobs:
        assert client.finish(jobs["Boxing"])["state"] == "done"
    entry = next(entry for entry in client.get("gallery")["entries"] if entry["name"] == "boxing")
    assert entry["picture"]
    assert client.buffer("gallery/boxing/picture").startswith(b"\x89PNG")
    header, _ = decode(client.buffer(f"takes/{entry['take']}/buffer"))
    assert header["frames"] >= DRAFT_SECONDS * header["fps"]


def test_the_buffer_has_the_poses_of_the_take(client: Client, fight: dict[str, Any]) -> None:
    header, poses = decode(client.buffer(f"takes/{fight['take']}/buffer"))
    take = Take.load(client.studio.takes.path(fight["take"]))
    assert header["draft"]
    assert header["frames"] == take.ticks + 1
    assert [one["name"] for one in header["characters"]] == ["Red", "Blue"]
    for who, role in enumerate(take.roles):
        roots, turns = poses_of(header, poses, who)
        assert np.abs(place(header, who, roots, turns) - role.clip.positions).max() < 1e-3
        assert np.sum(turns[1:] * turns[:-1], axis=-1).min() > 0.0
    assert len(header["decisions"]) == len(take.decisions)
    blocks = header["characters"][0]["blocks"]
    assert [block["start"] for block in blocks[1:]] == [block["stop"] for block in blocks[:-1]]
    chosen = [block for block in blocks if block["decision"] >= 0]
    assert chosen
    assert all(header["decisions"][block["decision"]]["action"] == block["action"] for block in chosen)


def test_turns_stay_on_their_side_over_messages() -> None:
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (4, 2, 1))
    turned[1::2] *= -1.0
    first = to_turns(turned[:2])
    second = to_turns(turned[2:], first[-1])
    assert (np.concatenate([first, second])[..., 3] == 32767).all()


def test_cones_of_the_body_are_those_of_the_mannequin(client: Client, fight: dict[str, Any]) -> None:
    header, _ = decode(client.buffer(f"takes/{fight['take']}/buffer"))
    (body,) = header["bodies"]
    joints = len(body["skeleton"]["joints"])
    assert all(0 <= cone["joint"] < joints and cone["start_radius"] > 0.0 for cone in body["cones"])
    assert {header["materials"][cone["material"]] for cone in body["cones"]} >= {"skin", "shirt", "shoes"}


def test_why_lists_every_option_with_its_terms(client: Client, fight: dict[str, Any]) -> None:
    take = Take.load(client.studio.takes.path(fight["take"]))
    why = client.get(f"takes/{fight['take']}/decisions/2")
    decision = take.decisions[2]
    assert why["action"] == decision.action
    assert {row["action"] for row in why["options"]} == {option.action for option in decision.options}
    assert why["options"][0]["chosen"]
    assert sum(why["ruled_out"].values()) == sum(bool(row["rule"]) for row in why["options"])
    plausible = [row["total"] for row in why["options"][1:] if not row["rule"]]
    assert plausible == sorted(plausible, reverse=True)
    status, problem = client.send("GET", f"/api/takes/{fight['take']}/decisions/9999")[:2]
    assert status == 400
    assert "decisions" in json.loads(problem)["message"]


def test_the_chosen_option_came_to_the_most(client: Client, fight: dict[str, Any]) -> None:
    take = fight["take"]
    header, _ = decode(client.buffer(f"takes/{take}/buffer"))
    number = next(
        mark["number"] for mark in header["decisions"] if mark["plausible"] > 5 and mark["tick"] > 20
    )
    done = client.finish(client.post(f"takes/{take}/decisions/{number}/weigh", None))
    assert done["state"] == "done", done["problem"]
    values = {row["action"]: row["value"] for row in done["weighed"]["options"]}
    why = client.get(f"takes/{take}/decisions/{number}")
    assert len(values) == sum(not row["rule"] for row in why["options"])
    assert values[why["action"]] == pytest.approx(max(values.values()))
    assert values[why["action"]] == pytest.approx(why["competitive"] + why["cooperative"])
    rows = done["weighed"]["options"]
    assert all(row["seconds"] > 0.0 and abs(row["turn"]) <= 180.0 for row in rows)
    named = {row["action"]: row["name"] for row in why["options"]}
    ways = {
        "step forward": ("ahead", 1),
        "step back": ("ahead", -1),
        "step left": ("left", 1),
        "step right": ("left", -1),
    }
    told = [
        sign * row[key] for row in rows for name, (key, sign) in ways.items() if named[row["action"]] == name
    ]
    assert len(told) > 3
    assert min(told) > -0.05  # metres: they lead where their names say
    assert min(values.values()) < max(values.values())


def test_the_ghost_of_what_was_chosen_is_where_it_happened(client: Client, fight: dict[str, Any]) -> None:
    header, poses = decode(client.buffer(f"takes/{fight['take']}/buffer"))
    mark = next(
        mark
        for mark in header["decisions"]
        if any(
            block["decision"] == mark["number"] and block["stop"] - block["start"] > 15
            for block in header["characters"][mark["who"]]["blocks"]
        )
    )
    way = f"takes/{fight['take']}/decisions/{mark['number']}/ghost?action={mark['action']}"
    ghost, shape = decode(client.buffer(way))
    roots, _ = poses_of(header, poses, mark["who"])
    alone, _ = poses_of(ghost, shape, 0)
    middle = 10  # ticks: past the join with what came before
    assert np.linalg.norm((alone[middle] - roots[mark["tick"] + middle])[[0, 2]]) < 0.1
    other = next(
        row
        for row in client.get(f"takes/{fight['take']}/decisions/{mark['number']}")["options"]
        if not row["chosen"]
    )
    ghost, shape = decode(client.buffer(way.split("=")[0] + f"={other['action']}"))
    start, _ = poses_of(ghost, shape, 0)
    assert np.linalg.norm((start[0] - roots[mark["tick"]])[[0, 2]]) < 0.35


def test_a_pin_changes_what_follows_and_nothing_before(client: Client, fight: dict[str, Any]) -> None:
    take = fight["take"]
    before, _ = decode(client.buffer(f"takes/{take}/buffer"))
    number = max(mark["number"] for mark in before["decisions"][:-1] if mark["plausible"] > 1)
    why = client.get(f"takes/{take}/decisions/{number}")
    other = next(row for row in why["options"] if not row["chosen"] and not row["rule"])
    wish = asked(fight["document"], take=take, decision=number, action=other["action"])
    document = client.post("scenes/pin", wish)
    assert document["problems"] == []
    job = client.finish(client.post("simulate", asked(document, seconds=SHORT)))
    after, _ = decode(client.buffer(f"takes/{job['take']['take']}/buffer"))
    assert after["decisions"][:number] == before["decisions"][:number]
    assert after["decisions"][number]["action"] == other["action"]
    tick = after["decisions"][number]["tick"]
    for one, two in zip(before["characters"], after["characters"]):
        assert [b for b in one["blocks"] if b["stop"] < tick] == [
            b for b in two["blocks"] if b["stop"] < tick
        ]
    status, problem = client.try_post("scenes/pin", wish | {"action": 999_999})
    assert (status, "no option" in problem["message"]) == (400, True)


def test_edits_keep_comments_and_undo_is_the_text_before(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "chase"})
    edits = [
        {"do": "set", "at": ["cast", 0, "depth"], "value": 3},
        {"do": "set", "at": ["seed"], "value": 11},
        {"do": "set", "at": ["cast", 1, "weights", "distance"], "value": 2.5},
        {"do": "insert", "at": ["path", -1], "value": {"place": [1.0, 2.0], "who": ["Runaway"]}},
        {"do": "insert", "at": ["path", 0], "value": {"place": [4.0, 0.5]}},
        {"do": "set", "at": ["path", 1, "place"], "value": [3.0, 3.5]},
    ]
    edited = client.post("scenes/edit", asked(document, edits=edits))
    assert edited["problems"] == []
    assert "# a runaway turns its back" in edited["text"]
    scene = edited["scene"]
    assert (scene["cast"][0]["depth"], scene["seed"]) == (3, 11)
    assert scene["cast"][1]["weights"] == {"distance": 2.5}
    assert [mark["place"] for mark in scene["path"]] == [[4.0, 0.5], [3.0, 3.5]]
    back = [
        {"do": "set", "at": ["cast", 0, "depth"], "value": 2},
        {"do": "delete", "at": ["seed"]},
        {"do": "delete", "at": ["cast", 1, "weights"]},
        {"do": "delete", "at": ["path"]},
    ]
    restored = client.post("scenes/edit", asked(edited, edits=back))
    assert restored["scene"] == document["scene"]
    assert client.post("scenes/check", asked(document))["scene"] == document["scene"]


def test_a_row_of_the_combination_table_is_edited_like_anything_else(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "boxing"})
    row = {"defence": "duck", "attack": "jab", "suitability": 0.25}
    edited = client.post(
        "scenes/edit", asked(document, edits=[{"do": "insert", "at": ["combination", -1], "value": row}])
    )
    assert edited["problems"] == []
    assert edited["scene"]["combination"][0]["suitability"] == 0.25
    table = client.get("vocabulary")
    assert len(table["combination"]) == len(table["defences"])
    assert len(table["combination"][0]) == len(table["attacks"]) * len(table["positions"])


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"do": "set", "at": ["cast", 9, "depth"], "value": 2}, "cast[10].depth: there is no such row"),
        ({"do": "set", "at": ["seed"], "value": None}, "a value is missing"),
        ({"do": "delete", "at": ["path", 0]}, "path[1]"),
        ({"do": "insert", "at": ["cast"], "value": {}}, "insert needs a place"),
        ({"do": "set", "at": ["title", "deep"], "value": 1}, "title.deep: cannot be edited so"),
    ],
)
def test_an_edit_that_cannot_be_made_says_why(client: Client, edit: dict[str, Any], words: str) -> None:
    document = client.post("scenes/open", {"gallery": "boxing"})
    status, problem = client.try_post("scenes/edit", asked(document, edits=[edit]))
    assert status == 400
    assert words in problem["message"]


def test_a_text_with_a_mistake_is_shown_with_its_key(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "boxing"})
    wrong = asked(document, text=document["text"].replace("depth = 3", "depth = 33", 1))
    found = client.post("scenes/check", wrong)
    assert found["scene"] is None
    assert "cast[1].depth" in found["problems"][0]["message"]
    assert client.try_post("simulate", wrong)[0] == 400
    assert "not TOML" in client.post("scenes/check", {"text": "= what"})["problems"][0]["message"]


def test_scenes_are_saved_into_the_project_and_opened_again(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "boxing"})
    wish = {"text": document["text"], "file": "scenes/my fight.toml"}
    saved = client.post("scenes/save", wish)
    assert saved["file"] == "scenes/my fight.toml"
    assert client.post("scenes/open", {"file": "scenes/my fight.toml"})["text"] == document["text"]
    assert [row["file"] for row in client.get("scenes")["scenes"]] == ["scenes/my fight.toml"]
    status, problem = client.try_post("scenes/save", wish)
    assert (status, problem["message"]) == (400, "scenes/my fight.toml exists already")
    status, problem = client.try_post("scenes/save", wish | {"text": "title = 3", "overwrite": True})
    assert status == 400
    assert "was not saved" in problem["message"]
    assert client.post("scenes/open", {"file": "scenes/my fight.toml"})["text"] == document["text"]


def test_a_disk_that_refuses_is_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "/somewhere/inside")

    document = client.post("scenes/open", {"gallery": "boxing"})
    monkeypatch.setattr(Path, "mkdir", refuse)
    status, problem = client.try_post(
        "scenes/save", {"text": document["text"], "file": "scenes/refused.toml"}
    )
    assert (status, problem["message"]) == (507, "The disk refuses it: Read-only file system")


def test_a_take_is_saved_and_exported_with_its_quality(client: Client, fight: dict[str, Any]) -> None:
    entry = client.post(f"takes/{fight['take']}/save", {"file": "first round"})
    assert client.get("takes")["takes"] == [entry]
    header, _ = decode(client.buffer(f"takes/{entry['take']}/buffer"))
    assert header["characters"][1]["team"] == 1
    job = client.finish(client.post("export", {"take": entry["take"], "format": "glb", "name": "round"}))
    assert job["state"] == "done", job["problem"]
    assert job["exported"]["quality"]["sentences"]
    file = next(file for file in job["exported"]["files"] if file["name"].endswith(".glb"))
    data = client.buffer(f"files/{file['path']}")
    assert (data[:4], len(data)) == (b"glTF", file["size"])


def test_a_simulation_is_cancelled_and_the_next_one_runs(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "brawl"})
    job = client.post("simulate", asked(document, seed=4242))
    with client.socket("jobs/follow") as following:
        assert json.loads(following.recv(timeout=10))["type"] == "jobs"
        while True:  # until it has really begun
            heard = json.loads(following.recv(timeout=120))
            if heard["job"] == job["job"] and heard["share"] > 0.0:
                break
    client.post(f"jobs/{job['job']}/cancel", None)
    assert client.finish(job)["state"] == "cancelled"
    boxing = client.post("scenes/open", {"gallery": "boxing"})
    again = client.finish(client.post("simulate", asked(boxing, seconds=1.0)))
    assert again["state"] == "done"


def test_the_server_answers_while_it_simulates(client: Client) -> None:
    document = client.post("scenes/open", {"gallery": "boxing"})
    job = client.post("simulate", asked(document, seconds=4.0, seed=77))
    answered = 0
    while next(one for one in client.get("jobs")["jobs"] if one["job"] == job["job"])["state"] in (
        "waiting",
        "running",
    ):
        client.get("gallery")
        answered += 1
    assert client.finish(job)["state"] == "done"
    assert answered > 3


def test_every_control_of_the_vocabulary_names_a_value_that_scenes_have(client: Client) -> None:
    words = client.get("vocabulary")
    scene = client.post("scenes/open", {"gallery": "boxing"})["scene"]
    assert {control["key"] for control in words["scene"]} <= set(scene)
    assert {control["key"] for control in words["member"]} <= set(scene["cast"][0])
    assert {control["key"] for control in words["weights"]} == set(words["styles"]["boxer"])
    for name in ("scene", "member", "weights", "rules", "motions", "checkpoint"):
        assert all(control["title"] and control["help"] for control in words[name])
    formed = client.post("scenes/open", {"gallery": "spiral"})["scene"]
    street = client.post("scenes/open", {"gallery": "car-in-the-street"})["scene"]
    alley = client.post("scenes/open", {"gallery": "ally-in-the-alley"})["scene"]
    assert set(street["path"][0]) == {control["key"] for control in words["checkpoint"]}
    rows = {"formation": formed["formation"], "camera": formed["camera"]}
    rows |= {"walls": alley["walls"][0], "cars": street["cars"][0]}
    for name, row in rows.items():
        assert set(row) == {control["key"] for control in words["tables"][name]}
    for controls in words["tables"].values():
        assert all(control["title"] and control["help"] for control in controls)
    assert set(words["controllers"]) == {"duel", "policy", "player", "prepare"}
    assert Path(client.studio.project.folder).name == client.get("scenes")["project"]


def test_a_scene_with_a_mistake_does_not_take_the_gallery_along(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Scene.load

    def broken(name: str) -> Scene:
        if name == "chase":
            raise FileError("chase.toml", "cast[1].depth: expected 1 to 8, found 20")
        return load(name)

    monkeypatch.setattr(Scene, "load", broken)
    entries = {entry["name"]: entry for entry in client.get("gallery")["entries"]}
    assert entries["chase"]["problem"] == "cast[1].depth: expected 1 to 8, found 20"
    assert set(entries) == set(shipped_scenes())
    assert [name for name, entry in entries.items() if entry["problem"]] == ["chase"]
    assert "chase" not in readable_scenes()
