"""A studio's server on a real port of this machine, and a client that sends exactly what a test wants."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from randori.studio.launch import serve_config
from randori.studio.project import Project
from randori.studio.server import Studio, make_app

TOKEN = "open-sesame"
_OVER = ("done", "failed", "cancelled")


def soon(happens: Callable[[], bool], patience: float = 60.0) -> bool:
    """Whether something happens; on a busy machine it may take its time."""
    end = time.monotonic() + patience
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Client:
    """Talks to the server as its own page does, unless a test says otherwise."""

    def __init__(self, port: int, studio: Studio):
        self.port, self.studio = port, studio
        self.origin = f"http://127.0.0.1:{port}"

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of the answer. Headers set to "" are left out."""
        usual = {"Host": f"127.0.0.1:{self.port}", "X-Randori-Token": TOKEN, "Origin": self.origin}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path.replace(" ", "%20"), skip_host=True)
            for key, value in (usual | (headers or {})).items():
                if value:
                    connection.putheader(key, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            found = {key.lower(): value for key, value in answer.getheaders()}
            return answer.status, answer.read(), found
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """The JSON of an answer that has to be fine."""
        status, body, _ = self.send("GET", f"/api/{path}")
        assert status == 200, body
        return json.loads(body)

    def buffer(self, path: str) -> bytes:
        status, body, _ = self.send("GET", f"/api/{path}")
        assert status == 200, body
        return body

    def post(self, path: str, message: Any) -> Any:
        status, answer = self.try_post(path, message)
        assert status == 200, answer
        return answer

    def try_post(self, path: str, message: Any) -> tuple[int, Any]:
        status, body, _ = self.send("POST", f"/api/{path}", json.dumps(message).encode())
        return status, json.loads(body)

    def socket(self, path: str, **headers: str) -> ClientConnection:
        given = {"X-Randori-Token": TOKEN} | headers
        return connect(
            f"ws://127.0.0.1:{self.port}/api/{path}",
            origin=Origin(self.origin),
            additional_headers={key: value for key, value in given.items() if value},
            max_size=None,
        )

    def cancel_all(self) -> None:
        """Let nothing go on that somebody has asked for."""
        for job in self.get("jobs")["jobs"]:
            if job["state"] not in _OVER:
                self.post(f"jobs/{job['job']}/cancel", None)

    def finish(self, job: dict[str, Any], patience: float = 240.0) -> Any:
        """A job when it is over."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = next(one for one in self.get("jobs")["jobs"] if one["job"] == job["job"])
            if found["state"] in _OVER:
                return found
            time.sleep(0.05)
        raise AssertionError(f"job {job['title']} is not over")


@contextmanager
def served(folder: Path, page: Path | None = None, fill_gallery: bool = False) -> Iterator[Client]:
    """A running server for a project."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    port = listening.getsockname()[1]
    studio = Studio(Project(folder), fill_gallery)
    server = uvicorn.Server(serve_config(make_app(studio, TOKEN, port, page)))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield Client(port, studio)
    finally:
        server.should_exit = True
        thread.join(20.0)
        listening.close()
