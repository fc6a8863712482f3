"""What other programs and broken files do to the studio: the page is answered all the same."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from http.client import parse_headers
from pathlib import Path
from typing import Any

import pytest

from randori.capture.analysis import analyse
from randori.errors import RandoriError
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.take import make_take
from randori.studio import launch, patience, tasks
from randori.studio import messages as wire
from randori.studio.buffers import is_buffer
from randori.studio.project import Project
from randori.studio.security import LaunchToken, cookie_values
from randori.studio.server import Studio, make_app
from randori.studio.takes import Made, Takes, keep, made_folder
from randori.studio.worker import Answer, Order
from randori.work import finish
from studio.serving import TOKEN, Client, served, soon
from studio.test_server_jobs import Jobs, Patient, becomes
from timeline_samples import random_timeline

BARE = {"X-Randori-Token": "", "Origin": ""}


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short take in a file."""
    clip = perform("boxing", 20.0, seed=6)[0].clip
    graph = build_action_graph(build_library([(clip, analyse(clip))]), 0.2)
    path = tmp_path_factory.mktemp("take") / "sparring.npz"
    make_take(random_timeline(graph, 1.0, (1, 2)), "Sparring").save(path)
    return path


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, take: Path) -> Iterator[Client]:
    """A server whose project is full of broken files."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("scenes", "takes", "recordings"):
        (folder / name).mkdir()
    (folder / "good.toml").write_text(
        '[motions.a]\nperform = ["boxing"]\n[[cast]]\nname = "A"\n[[cast]]\nname = "B"\nteam = 1\n'
    )
    for name, text in {
        "deep": "a = " + "[" * 3000 + "]" * 3000,
        "digits": "seed = " + "9" * 5000,
        "hex": "seed = 0x" + "f" * 5000,
        "binary": "\x00\x01",
        "date": "seed = 1979-05-27",
        "huge": "seconds = 1e999",
        "empty": "",
    }.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "latin.toml").write_bytes(b'title = "\xff"')
    (folder / "takes" / "fine.npz").write_bytes(take.read_bytes())
    (folder / "takes" / "fine.made.json").write_text('{"scene": 3')
    (folder / "takes" / "cut.npz").write_bytes(take.read_bytes()[:5000])
    (folder / "takes" / "text.npz").write_text("not a take")
    (folder / "recordings" / "broken.bvh").write_text("HIERARCHY")
    (folder / "recordings" / "broken.bvh.actions.toml").write_text("version = " + "9" * 5000)
    (folder / "recordings" / "lonely.amc").write_text("x")
    page = tmp_path_factory.mktemp("page")
    (page / "index.html").write_text("<html>the page</html>")
    with served(folder, page) as running:
        yield running


# ---- cookies and tokens


@pytest.mark.parametrize(
    "beside",
    ['prefs={"theme":"dark"}', "a=b=c", ";;", "ümlaut=ß", 'q="un;closed', "=", "x", 'v="a,b\\"c"', "p=[1,2]"],
)
def test_cookies_of_other_programs_do_not_matter(client: Client, beside: str):
    own = f"randori-{client.port}={TOKEN}"
    for cookie in (f"{beside}; {own}", f"{own}; {beside}", f"{beside};{own};{beside}"):
        if beside == 'q="un;closed' and not cookie.startswith(own):
            continue  # quoted by another program: a semicolon ends a cookie all the same
        status, _, _ = client.send("GET", "/", headers=BARE | {"Cookie": cookie.encode().decode("latin-1")})
        assert status == 200, cookie
    assert client.send("GET", "/", headers=BARE | {"Cookie": f"randori-1={TOKEN}"})[0] == 403
    assert client.send("GET", "/", headers=BARE | {"Cookie": f"x={own}"})[0] == 403


def test_cookies_are_found_by_their_whole_name():
    headers = ['a=1; randori-80 = "x" ;b', "randori-80=y; randori-8=z; Randori-80=w"]
    assert cookie_values(headers, "randori-80") == ["x", "y"]


def test_a_launch_token_is_good_for_one_visit_and_not_for_long():
    token = LaunchToken()
    word = token.word
    assert not token.spend("")
    assert not token.spend("another")
    assert token.spend(word)
    assert not token.spend(word)
    late = LaunchToken(seconds=-1.0)
    assert not late.spend(late.word)


def test_the_browser_is_started_with_a_token_that_is_spent_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What stands on its command line opens the page once; what is printed stays, and stands nowhere else."""
    said, opened, apps = [], [], []
    monkeypatch.setattr(launch.webbrowser, "open", opened.append)
    monkeypatch.setattr(launch, "page_folder", lambda: tmp_path)
    monkeypatch.setattr(launch.uvicorn.Server, "run", lambda self, sockets: apps.append(self.config.app))
    monkeypatch.setattr(launch, "make_app", lambda studio, token, port, page, launching: (token, launching))
    launch.launch(tmp_path, None, True, said.append)
    assert soon(lambda: bool(opened))
    token, launching = apps[0]
    assert said[0].endswith(f"?token={token}")
    assert token not in opened[0]
    assert launching.spend(opened[0].partition("?token=")[2])


def test_a_launch_token_becomes_the_cookie_that_stays(tmp_path: Path):
    launching = LaunchToken()
    app = make_app(Studio(Project(tmp_path), False), TOKEN, 80, None, launching)
    word = launching.word
    found = [_enter(app, word), _enter(app, word)]
    assert [status for status, _ in found] == [303, 403]
    assert f"randori-80={TOKEN}" in found[0][1]
    assert word not in found[0][1]


def _enter(app: Any, word: str) -> tuple[int, str]:
    """Status and cookie of a visit with a token in the address."""
    import asyncio

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": f"token={word}".encode(),
        "headers": [(b"host", b"127.0.0.1")],
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    headers = dict(sent[0]["headers"])
    return sent[0]["status"], headers.get(b"set-cookie", b"").decode()


# ---- connections


def _is_closed(raw: socket.socket) -> bool:
    try:
        return raw.recv(1000) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_header_that_does_not_come_is_not_waited_for(
    client: Client, monkeypatch: pytest.MonkeyPatch, said: bytes
):
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", client.port), timeout=20) as raw:
        if said:
            raw.sendall(said)
        assert _is_closed(raw)
    with socket.create_connection(("127.0.0.1", client.port), timeout=20) as raw:
        whole = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nX-Randori-Token: {TOKEN}\r\n\r\n"
        raw.sendall(whole.encode())
        with raw.makefile("rb") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 200")
            # to its end: what comes before that has uvicorn's patience, which is longer
            answer.read(int(parse_headers(answer)["content-length"]))
        raw.sendall(b"GET / HT")  # the second request of a connection that is kept
        end = time.monotonic() + 20
        while not _is_closed(raw):
            assert time.monotonic() < end


def test_only_so_many_connections_are_kept(client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(patience, "MOST_CONNECTIONS", 5)
    opened = []
    try:
        for _ in range(12):
            opened.append(socket.create_connection(("127.0.0.1", client.port), timeout=0.02))
        assert soon(lambda: sum(_is_closed(raw) for raw in opened) >= 6)
    finally:
        for raw in opened:
            raw.close()
    assert soon(lambda: _answers(client))


def _answers(client: Client) -> bool:
    try:
        return client.send("GET", "/")[0] == 200
    except OSError:
        return False


# ---- jobs


class Deaf(Patient):
    """A worker that takes its time to stop."""

    def do(self, order: Order, follow: Callable[[float, str], None]) -> Answer:
        self.go.wait(60.0)
        return Answer("stopped" if self.stopped.is_set() else "done", None)


@pytest.mark.parametrize("kind", [Patient, Deaf])
def test_two_hundred_quick_starts_and_cancels_leave_the_queue_alive(kind: type[Patient]):
    patient = kind()
    jobs = Jobs(patient)
    try:
        first = jobs.start("simulate", "first", "m:one")
        assert becomes(jobs, first, "running")
        jobs.cancel(first.job)
        for number in range(200):
            jobs.cancel(jobs.start("simulate", str(number), "m:one").job)
        patient.go.set()
        assert becomes(jobs, jobs.start("simulate", "last", "m:last"), "done")
    finally:
        jobs.end()


# ---- broken files


def test_a_broken_scene_is_listed_with_what_is_wrong(client: Client):
    rows = {row["file"]: row for row in client.get("scenes")["scenes"]}
    assert len(rows) == 9
    assert not rows.pop("good.toml")["problem"]
    assert all(row["problem"] for row in rows.values())
    for file in rows:
        status, answer = client.try_post("scenes/open", {"file": file})
        assert status in (200, 400), answer
        assert answer.get("problems") or answer["message"]


def test_a_broken_take_is_skipped_and_named(client: Client):
    found = client.get("takes")
    assert [row["file"] for row in found["takes"]] == ["takes/fine.npz"]
    assert sorted(row["file"] for row in found["skipped"]) == ["cut.npz", "text.npz"]
    assert client.buffer("takes/kept-fine/buffer").startswith(wire.TAKE_MAGIC)


def test_broken_recordings_are_listed(client: Client):
    assert [row["file"] for row in client.get("library")["recordings"]] == ["broken.bvh", "lonely.amc"]
    assert client.try_post("library/open", {"recordings": ["broken.bvh"]})[0] == 200


@pytest.mark.parametrize("ending", [".npz", ".made.json", f".buffer{wire.BUFFER_VERSION}"])
@pytest.mark.parametrize("left", [0, 10, 2000])
def test_damaged_takes_of_the_cache_are_made_again(
    take: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, left: int
):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path / "cache"))
    from randori.scene.take import Take

    loaded = Take.load(take)

    path = made_folder() / "abc.npz"
    keep(path, loaded, Made())
    name, takes = "made-abc", Takes(Project(tmp_path))
    assert takes.is_whole(name)
    takes.laid_out(name)
    damaged = path.with_suffix(ending)
    damaged.write_bytes(damaged.read_bytes()[:left])
    fresh = Takes(Project(tmp_path))
    if ending == ".npz":
        assert not fresh.is_whole(name)
        assert not fresh.exists(name)
    else:
        assert fresh.is_whole(name)
        found = fresh.laid_out(name)
        assert isinstance(found, Path)
        assert is_buffer(found)


def test_the_studio_has_the_gate_of_the_command_line(client: Client, monkeypatch: pytest.MonkeyPatch):
    folder = str(client.studio.project.folder)
    asked: dict[str, Any] = {"take": "kept-fine", "format": "npz", "name": "sold"}
    with pytest.raises(RandoriError, match="at most -1"):
        finish(tasks.export(folder, asked | {"require": ["bodies=-1"]}))
    with pytest.raises(RandoriError, match="known are"):
        finish(tasks.export(folder, asked | {"require": ["beauty"]}))
    monkeypatch.setattr("randori.scene.provenance.allows_sale", lambda licence, allowed: "MIT" in allowed)
    with pytest.raises(RandoriError, match="--commercial"):
        finish(tasks.export(folder, asked | {"commercial": True}))
    assert not list(client.studio.project.folder.glob("exports/*"))
    written = finish(tasks.export(folder, asked | {"commercial": True, "allow_licences": ["MIT"]}))
    assert [file.name for file in written.files] == ["sold.npz"]


def test_an_unexpected_error_is_a_sentence(client: Client, monkeypatch: pytest.MonkeyPatch):
    def fail() -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(client.studio.takes, "listed", fail)
    status, body, _ = client.send("GET", "/api/takes")
    assert status == 500
    message = json.loads(body)["message"]
    assert "something went wrong inside Randori (ZeroDivisionError: inside)" in message
    assert "Traceback" not in message


def test_options_of_long_ago_are_forgotten():
    """They are most of what a fight remembers; decisions stay, and so do copies that others look at."""
    from randori.duel.diary import Diary
    from randori.timeline.timeline import Decision, Option

    option = Option(0, "", {})
    decisions = [Decision(tick, 0, 0, 1, 0.0, 0.0, (), (), (option,)) for tick in (0, 10, 20, 30)]
    diary = Diary((0,), (0,), [[]], [], list(decisions))
    copied = diary.copied()
    diary.forget_options(15)
    assert [len(one.options) for one in diary.decisions] == [0, 0, 1, 1]
    assert copied.decisions == decisions
    diary.forget_options(25)
    assert [one.tick for one in diary.decisions if one.options] == [30]
    assert [one.tick for one in diary.decisions] == [0, 10, 20, 30]
