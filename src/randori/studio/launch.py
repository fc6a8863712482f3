"""Start the studio on this machine, and open its page."""

import hashlib
import json
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from randori.errors import FileError, RandoriError
from randori.folders import cache_folder
from randori.formats.texts import read_text
from randori.studio.patience import PatientProtocol
from randori.studio.project import Project
from randori.studio.security import LaunchToken, new_token
from randori.studio.server import Studio, make_app

HOST = "127.0.0.1"
_SHORTEST_TOKEN = 20  # characters
_MOST_MESSAGE = 1024**2  # bytes that a page says at once over a socket


def page_folder() -> Path | None:
    """The built page: inside the package, or, in a working copy, where Vite has put it."""
    for folder in (
        Path(str(files("randori") / "studio" / "page")),
        Path(__file__).parents[3] / "web" / "dist",
    ):
        if (folder / "index.html").is_file():
            return folder
    return None


def launch(
    folder: Path, port: int | None, show: bool, say: Callable[[str], None], token: str | None = None
) -> None:
    """Serve until interrupted. `say` hears the page's address."""
    project, page = Project(folder), page_folder()
    if page is None:
        raise RandoriError("the studio's page is not built; run `make page` once (a wheel has it inside)")
    before = last_start(project)
    listening = _listen(port, before.port if before else None)
    number, launching = listening.getsockname()[1], LaunchToken()
    if token is None:
        token = before.token if before and before.port == number else new_token()
        remember(project, LastStart(number, token))
    address = f"http://{HOST}:{number}/?token="
    server = uvicorn.Server(serve_config(make_app(Studio(project), token, number, page, launching)))
    say(f"{address}{token}")
    if show:
        # its command line can be read by every user of this machine: what stands there is good for one visit
        threading.Timer(0.3, webbrowser.open, [f"{address}{launching.word}"]).start()
    server.run(sockets=[listening])


def serve_config(app: ASGIApp) -> uvicorn.Config:
    """Settings of the server, here and in tests."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="warning",
        ws_max_size=_MOST_MESSAGE,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


class LastStart(NamedTuple):
    """The previous port of a project's page, and the token that its open tabs still have."""

    port: int
    token: str


def last_start(project: Project) -> LastStart | None:
    """The remembered address; a tab that is still open finds its server again at the same address."""
    try:
        port, token = json.loads(read_text(_memory(project), 1000))
    except (FileError, ValueError, TypeError):
        return None
    fine = type(port) is int and 0 < port < 65536 and isinstance(token, str) and len(token) >= _SHORTEST_TOKEN
    return LastStart(port, token) if fine else None


def remember(project: Project, start: LastStart) -> None:
    """Only this user may read it. Where nothing can be kept the next start has another token."""
    path = _memory(project)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(start, file)


def _memory(project: Project) -> Path:
    key = hashlib.sha256(str(project.folder).encode()).hexdigest()[:20]
    return cache_folder() / "studio" / "starts" / f"{key}.json"


def _listen(port: int | None, wish: int | None = None) -> socket.socket:
    """A socket on this machine only: at the port that was asked for, else at the one of last time, or any."""
    if port is None and wish is not None:
        with suppress(RandoriError):
            return _listen(wish)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port or 0))
        # a browser that opens the address at once waits for the server instead of missing it
        listening.listen()
    except OSError as error:
        listening.close()
        raise RandoriError(f"--port {port}: {error.strerror}; leave it out to take any free one") from error
    return listening
