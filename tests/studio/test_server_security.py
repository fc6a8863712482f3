"""What is tried against the server: other sites, no token, ways out of the project, floods, nonsense."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from randori.studio import messages as wire
from randori.studio.server import Studio
from studio.serving import TOKEN, Client, served, soon

SECRET = "nobody outside may read this"
WAYS_OUT = (
    "../secret",
    "a/../../secret",
    "..\\secret",
    "/etc/passwd",
    "%2e%2e/secret",
    "....//secret",
    "a/./b",
    "~x\x00",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server whose project lies beside a secret, with a link out of it."""
    folder = tmp_path_factory.mktemp("outside")
    for ending in ("toml", "npz", "bvh", "glb", "txt"):
        (folder / f"secret.{ending}").write_text(SECRET)
    project = folder / "project"
    for name in ("scenes", "recordings", "takes", "exports"):
        (project / name).mkdir(parents=True)
        (project / name / "link").symlink_to(folder, target_is_directory=True)
        (project / name / "linked.toml").symlink_to(folder / "secret.toml")
        (project / name / "linked.txt").symlink_to(folder / "secret.txt")
    (project / "link").symlink_to(folder, target_is_directory=True)
    page = tmp_path_factory.mktemp("page")
    (page / "index.html").write_text("<html>the page</html>")
    with served(project, page) as running:
        yield running


def routes(studio: Studio) -> list[tuple[str, str]]:
    """Method and path of everything that the server answers."""
    found = []
    for route in studio.routes():
        for method in sorted(getattr(route, "methods", None) or ()):
            if method != "HEAD":
                found.append((method, route.path))
    return found


def filled(path: str, name: str) -> str:
    """A route's path with every name in it replaced."""
    for key in ("name", "take", "library", "job", "path:path", "rest:path"):
        path = path.replace("{" + key + "}", name)
    return path.replace("{number:int}", "0")


# ---- who may ask


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Randori-Token": ""},
        {"X-Randori-Token": "wrong"},
        {"X-Randori-Token": TOKEN[:-1]},
        {"X-Randori-Token": "", "Cookie": "randori-1=x; ;;=\x7f"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "", "Sec-Fetch-Site": "same-site"},
    ],
)
def test_nobody_else_is_answered_on_any_route(client: Client, headers: dict[str, str]) -> None:
    for method, path in [*routes(client.studio), ("GET", "/"), ("GET", "/index.html")]:
        status, body, _ = client.send(method, filled(path, "boxing"), b"{}", headers)
        assert status == 403, (method, path)
        assert b"the page" not in body
        assert b"title" not in body


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address(client: Client) -> None:
    bare = {"X-Randori-Token": "", "Origin": ""}
    status, _, headers = client.send("GET", f"/?token={TOKEN}", headers=bare)
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    status, body, _ = client.send("GET", "/", headers=bare | {"Cookie": cookie.split(";")[0]})
    assert (status, body) == (200, b"<html>the page</html>")
    assert client.send("GET", "/?token=wrong", headers=bare)[0] == 403
    # only the entrance takes a token from an address, which may end up in somebody's history
    assert client.send("GET", f"/api/gallery?token={TOKEN}", headers=bare)[0] == 403


@pytest.mark.parametrize("path", ["jobs/follow", "live/session"])
def test_sockets_of_other_sites_are_refused(client: Client, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        client.socket(path, **{"X-Randori-Token": ""})
    assert refused.value.response.status_code == 403
    client.origin, own = "https://evil.example", client.origin
    try:
        with pytest.raises(InvalidStatus) as refused:
            client.socket(path)
        assert refused.value.response.status_code == 403
    finally:
        client.origin = own


def test_answers_forbid_what_the_page_does_not_need(client: Client) -> None:
    _, _, headers = client.send("GET", "/")
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


# ---- ways out of the project


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_name_in_an_address_leads_out(client: Client, way: str) -> None:
    for method, path in routes(client.studio):
        # an address without a name in it is always the same
        for ending in ("", ".toml", ".txt", ".npz") if "{" in path else ("",):
            address = filled(path, f"{way}{ending}".replace("\x00", "%00").replace("\\", "%5C"))
            status, body, _ = client.send(method, address, b"{}")
            assert SECRET.encode() not in body
            assert status in (200, 400, 403, 404, 405), (address, status)
            assert (
                status != 200
                or path in ("/api/gallery", "/api/jobs", "/api/live", "/api/vocabulary")
                or ("{" not in path)
            )


def test_links_and_names_in_an_address_do_not_lead_out_either(client: Client) -> None:
    for path in (
        "exports/linked.txt",
        "exports/link/secret.txt",
        "exports/../../secret.txt",
        "recordings/linked.txt",
    ):
        status, body, _ = client.send("GET", f"/api/files/{path}")
        assert status in (400, 404)
        assert SECRET.encode() not in body
    for path in ("/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/%2e%2e/secret.txt"):
        status, body, _ = client.send("GET", path)
        assert status == 404
        assert SECRET.encode() not in body


TEXT = '[motions.a]\nperform = ["boxing"]\n[[cast]]\nname = "A"\n[[cast]]\nname = "B"\nteam = 1\n'


@pytest.mark.parametrize("way", [*WAYS_OUT, "link/secret", "scenes/linked", "scenes/link/secret"])
def test_no_name_in_a_message_leads_out(client: Client, way: str) -> None:
    toml = f"{way}.toml"
    tries: list[tuple[str, Any]] = [
        ("scenes/open", {"file": toml}),
        ("scenes/save", {"text": TEXT, "file": toml, "overwrite": True}),
        ("scenes/check", {"text": TEXT, "file": toml}),
        ("scenes/edit", {"text": TEXT, "file": toml, "edits": []}),
        ("scenes/pin", {"text": TEXT, "file": toml, "take": way, "decision": 0, "action": 0}),
        ("simulate", {"text": TEXT, "file": toml}),
        ("export", {"take": way, "format": "glb", "name": way}),
        ("takes/kept-x/save", {"file": way}),
        ("library/open", {"recordings": [f"{way}.bvh"]}),
        ("library/open", {"motions": "a", "scene": {"text": TEXT, "file": toml}}),
        (
            "library/segments",
            {"file": f"{way}.bvh", "segments": [{"start": 0, "kind": "x", "technique": "y"}]},
        ),
    ]
    for path, message in tries:
        status, answer = client.try_post(path, message)
        assert SECRET not in json.dumps(answer)
        if path in ("scenes/check", "scenes/edit"):  # a text is answered with what is wrong with it
            assert answer["scene"] is None, (path, way)
            assert answer["problems"]
        else:
            assert status in (400, 404), (path, way, answer)
    status, _, _ = client.send(
        "POST", f"/api/library/upload?name={way.replace(chr(0), '%00')}.bvh", b"HIERARCHY"
    )
    assert status == 400
    outside = client.studio.project.folder.parent
    assert {file.read_text() for file in outside.glob("secret.*")} == {SECRET}


@pytest.mark.parametrize(
    "motions",
    [
        'files = ["../*.bvh"]',
        'files = ["/etc/*"]',
        'library = "../secret.npz"',
        'files = ["recordings/link/*.bvh"]',
    ],
)
def test_a_scene_does_not_read_recordings_outside_the_project(client: Client, motions: str) -> None:
    text = TEXT.replace('perform = ["boxing"]', motions)
    found = client.post("scenes/check", {"text": text})
    assert found["scene"] is None
    assert client.try_post("simulate", {"text": text})[0] == 400
    assert client.try_post("library/open", {"motions": "a", "scene": {"text": text}})[0] == 400


# ---- floods


def test_a_large_upload_is_refused_before_it_arrives(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=20) as raw:
        head = (
            f"POST /api/library/upload?name=large.bvh HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
            f"X-Randori-Token: {TOKEN}\r\nContent-Length: {2 * 1024**3}\r\n\r\n"
        )
        raw.sendall(head.encode())  # and not one byte of the 2 GB
        assert b"413" in raw.recv(65536).split(b"\r\n", 1)[0]
    assert not list((client.studio.project.folder / "recordings").glob("*large*"))


def test_an_upload_that_does_not_say_how_long_it_is_ends_at_the_limit(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MOST_UPLOAD", 256 * 1024)
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=20) as raw:
        head = (
            f"POST /api/library/upload?name=endless.bvh HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
            f"X-Randori-Token: {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        raw.sendall(head.encode())
        try:
            for _ in range(64):
                raw.sendall(piece)
            raw.sendall(b"0\r\n\r\n")
        except OSError:
            pass  # it has hung up already, which is as good
        else:
            assert b"413" in raw.recv(65536).split(b"\r\n", 1)[0]
    assert nothing_left(client)


def test_an_upload_that_breaks_off_leaves_nothing(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), timeout=20) as raw:
        head = (
            f"POST /api/library/upload?name=half.bvh HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
            f"X-Randori-Token: {TOKEN}\r\nContent-Length: 1000000\r\n\r\nHIERARCHY"
        )
        raw.sendall(head.encode())
    assert nothing_left(client)
    assert client.get("gallery")["entries"]


def nothing_left(client: Client) -> bool:
    """Whether recordings/ is as it was, at the latest after a moment."""
    folder: Path = client.studio.project.folder / "recordings"
    usual = ["link", "linked.toml", "linked.txt"]
    return soon(lambda: sorted(path.name for path in folder.iterdir()) == usual)


def test_a_large_message_is_refused(client: Client) -> None:
    status, body, _ = client.send("POST", "/api/scenes/check", b'{"text": "' + b"x" * (9 * 1024**2) + b'"}')
    assert status == 413
    assert "MB" in json.loads(body)["message"]
    status, answer = client.try_post("scenes/check", {"text": "x" * (wire.MOST_TEXT + 1)})
    assert status == 400
    assert "text" in answer["message"]


# ---- nonsense


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"text": 3}',
        b'{"text": "", "what": 1}',
        b'{"text": "", "seconds": NaN}',
        b'{"text": "", "seconds": 1e400}',
        b'{"gallery": {"a": []}, "file": 1}',
        b'{"text": "a = 1", "edits": [{"do": "drop", "at": ["a"]}]}',
        b'{"text": "a = 1", "edits": [{"do": "set", "at": [], "value": 1}]}',
        b'{"take": "made-x", "format": "exe"}',
        b'{"take": "", "format": "glb", "width": -1}',
        b'{"recordings": ["a.bvh"], "set": "boxing"}',
        b'{"file": "a.bvh", "segments": []}',
    ],
)
def test_malformed_messages_are_answered_in_words(client: Client, body: bytes) -> None:
    for method, path in routes(client.studio):
        if method == "POST" and "cancel" not in path and "rest" not in path and "upload" not in path:
            status, answer, _ = client.send("POST", filled(path, "made-x"), body)
            assert status in (400, 404), (path, status, answer)
            problem = json.loads(answer)
            assert problem["type"] == "problem"
            assert problem["message"]
            assert "Traceback" not in problem["message"]


def test_unknown_routes_and_things_are_missing(client: Client) -> None:
    for path in (
        "nothing",
        "takes/made-unknown/buffer",
        "library/00000000000000000000",
        "gallery/nobody/picture",
    ):
        status, body, _ = client.send("GET", f"/api/{path}")
        assert status in (400, 404)
        assert json.loads(body)["message"]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "nonsense",
        "{}",
        '{"type": "start"}',
        '{"type": "input", "what": "goal"}',
        '{"type": "playhead", "tick": -1}',
    ],
)
def test_a_live_session_does_not_begin_with_nonsense(client: Client, said: str) -> None:
    with client.socket("live/session") as live:
        live.send(said)
        problem = json.loads(live.recv(timeout=20))
        assert problem["type"] == "problem"
        with pytest.raises(ConnectionClosed):
            live.recv(timeout=20)


def test_an_unknown_live_session_lists_those_that_exist(client: Client) -> None:
    with client.socket("live/session") as live:
        live.send(json.dumps({"type": "start", "session": "poker"}))
        assert "sparring" in json.loads(live.recv(timeout=60))["message"]


# ---- dropped connections


def test_a_simulation_survives_the_page_that_asked_for_it(client: Client) -> None:
    text = client.post("scenes/open", {"gallery": "boxing"})["text"]
    with client.socket("jobs/follow") as following:
        job = client.post("simulate", {"text": text, "gallery": "boxing", "seconds": 2.0, "seed": 31})
        json.loads(following.recv(timeout=20))
        following.socket.shutdown(socket.SHUT_RDWR)  # without a word
    with socket.create_connection(("127.0.0.1", client.port), timeout=5) as raw:
        raw.sendall(b"POST /api/simulate HTTP/1.1\r\nHost: 127")  # and one in the middle of a request
    done = client.finish(job)
    assert done["state"] == "done"
    assert client.buffer(f"takes/{done['take']['take']}/buffer").startswith(wire.TAKE_MAGIC)
