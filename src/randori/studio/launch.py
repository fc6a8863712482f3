"""Start the studio on this machine, and open its page."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from randori.errors import RandoriError
from randori.studio.patience import PatientProtocol
from randori.studio.project import Project
from randori.studio.security import LaunchToken, new_token
from randori.studio.server import Studio, make_app

HOST = "127.0.0.1"
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
    listening = _listen(port)
    number, token, launching = listening.getsockname()[1], token or new_token(), LaunchToken()
    address = f"http://{HOST}:{number}/?token="
    server = uvicorn.Server(serve_config(make_app(Studio(project), token, number, page, launching)))
    say(f"{address}{token}")
    if show:
        # its command line can be read by every user of this machine: what stands there is good for one visit
        threading.Timer(0.3, webbrowser.open, [f"{address}{launching.word}"]).start()
    server.run(sockets=[listening])


def serve_config(app: ASGIApp) -> uvicorn.Config:
    """How the server is run, here and in tests."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="warning",
        ws_max_size=_MOST_MESSAGE,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


def _listen(port: int | None) -> socket.socket:
    """A socket on this machine only: at the port that was asked for, or any."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port or 0))
        listening.listen()  # whoever opens the address at once waits for the server instead of missing it
    except OSError as error:
        listening.close()
        raise RandoriError(f"--port {port}: {error.strerror}; leave it out to take any free one") from error
    return listening
