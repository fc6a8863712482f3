"""Nothing that a person has made is lost: files, addresses, forms of scenes with mistakes."""

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from randori.performer import perform
from randori.scene.export import save
from randori.studio.launch import LastStart, last_start, remember
from randori.studio.project import Project
from randori.studio.scenes import lenient_values
from randori.studio.takes import made_folder, unpack_shipped
from studio.recordings import HEAD, without_head
from studio.serving import Client, served

SCENE = 'title = "Mine"\n\n[[group]]\nkind = "pair"\n'


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("keeping")) as running:
        yield running


def test_a_file_that_was_changed_elsewhere_is_not_replaced_unasked(client: Client) -> None:
    path = client.studio.project.folder / "mine.toml"
    client.post("scenes/save", {"text": SCENE, "file": "mine.toml"})
    path.write_text(SCENE + "# by hand\n", encoding="utf-8")
    changed = SCENE.replace("\n\n", "\nseed = 2\n\n")
    wanted = {"text": changed, "file": "mine.toml", "before": SCENE}
    status, problem = client.try_post("scenes/save", wanted)
    assert (status, "changed elsewhere" in problem["message"]) == (400, True)
    assert path.read_text().endswith("# by hand\n")
    client.post("scenes/save", wanted | {"before": SCENE + "# by hand\n"})
    assert "seed = 2" in path.read_text()


def test_scenes_are_renamed_and_deleted(client: Client) -> None:
    folder = client.studio.project.folder
    client.post("scenes/save", {"text": SCENE, "file": "old.toml"})
    names = [
        row["file"] for row in client.post("scenes/rename", {"file": "old.toml", "to": "new.toml"})["scenes"]
    ]
    assert "new.toml" in names
    assert "old.toml" not in names
    client.post("scenes/save", {"text": SCENE, "file": "other.toml"})
    assert client.try_post("scenes/rename", {"file": "other.toml", "to": "new.toml"})[0] == 400
    assert client.try_post("scenes/rename", {"file": "other.toml", "to": "../new.toml"})[0] == 400
    client.post("scenes/delete", {"file": "new.toml"})
    assert not (folder / "new.toml").exists()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    assert client.try_post("scenes/delete", {"file": "pyproject.toml"})[0] == 400
    assert (folder / "pyproject.toml").exists()


def test_a_scene_with_a_mistake_keeps_the_values_of_its_form(client: Client) -> None:
    text = 'cast = 3\n[motions.a]\nfiles = ["x.bvh"]\nperform = ["boxing"]\n'
    found = client.post("scenes/check", {"text": text})
    assert found["scene"] is None
    assert found["values"]["cast"] == []
    assert found["values"]["motions"]["a"]["files"] == ["x.bvh"]
    values = lenient_values('[[cast]]\nname = "A"\ndepth = 20\n')
    assert values is not None
    assert (values["cast"][0]["depth"], values["cast"][0]["style"], values["seconds"]) == (20, "boxer", 30.0)
    assert lenient_values("[[cast") is None


def test_a_recording_without_a_head_is_set_aside_and_repaired(client: Client, tmp_path: Path) -> None:
    project = client.studio.project
    save(without_head(perform("boxing", 2.0, seed=4)[0].clip), tmp_path / "odd.bvh")
    body = (tmp_path / "odd.bvh").read_bytes()
    status, _, _ = client.send("POST", "/api/library/upload?name=odd.bvh", body)
    assert status == 200
    (aside,) = client.get("library")["aside"]
    assert (aside["file"], aside["missing"]) == ("odd.bvh", ["head"])
    assert not (project.folder / "recordings" / "odd.bvh").exists()
    assert client.try_post("library/repair", {"file": "odd.bvh", "unit": "cm"})[0] == 400
    listed = client.post("library/repair", {"file": "odd.bvh", "parts": {"head": HEAD}})
    assert listed["aside"] == []
    assert [row["file"] for row in listed["recordings"]] == ["odd.npz"]
    assert client.post("library/delete", {"file": "odd.npz"})["recordings"] == []
    assert client.try_post("library/delete", {"file": "../mine.toml"})[0] == 400


def test_an_open_tab_finds_a_restarted_server_again(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert last_start(project) is None
    remember(project, LastStart(4567, "x" * 32))
    assert last_start(project) == LastStart(4567, "x" * 32)
    (path,) = list((made_folder().parent / "studio" / "starts").iterdir())
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text('["no port", "short"]', encoding="utf-8")
    assert last_start(project) is None


def test_takes_of_a_wheel_lie_beside_those_that_are_made_here(tmp_path: Path) -> None:
    for ending in (".npz", ".made.json", ".png"):
        (tmp_path / f"abc{ending}").write_bytes(ending.encode())
    assert unpack_shipped(tmp_path) == 1
    assert (made_folder() / "abc.npz").read_bytes() == b".npz"
    assert (made_folder() / "abc.png").read_bytes() == b".png"
    assert unpack_shipped(tmp_path) == 0
    assert unpack_shipped(tmp_path / "nowhere") == 0
