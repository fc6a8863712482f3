"""Access to the server: only the page that it opened itself, on this machine.

Any web page can send requests to a server on this machine. So every request needs a token that only the
printed address has, the name that the browser used has to be this machine's (no foreign name that was made to
point here), and a request that another site's page sends is refused even with the token.
"""

import hmac
import secrets
import time
from collections.abc import Iterable
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from randori.studio.messages import Problem

HEADER = "x-randori-token"
_LOOPBACK = ("127.0.0.1", "localhost")
_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "worker-src 'self' blob:; connect-src 'self'{sockets}; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_REFUSED_SOCKET = 4403
_LAUNCH_SECONDS = 120.0  # for a browser to start


def new_token() -> str:
    return secrets.token_urlsafe(24)


class LaunchToken:
    """A token for the address that a browser is started with, which other users of the machine can read.

    It is good for one visit, soon; what that visit gets is a cookie with the token that stays. A visitor who
    comes later with it is refused, so a stolen one is noticed: the browser that was started finds it spent.
    """

    def __init__(self, seconds: float = _LAUNCH_SECONDS):
        self._left: str | None = new_token()
        self._until = time.monotonic() + seconds

    @property
    def word(self) -> str:
        return self._left or ""

    def spend(self, word: str) -> bool:
        """Whether it is this token, for the first time and soon enough."""
        if self._left is None or not hmac.compare_digest(word.encode(), self._left.encode()):
            return False
        self._left = None
        return time.monotonic() <= self._until


def cookie_values(headers: Iterable[str], name: str) -> list[str]:
    """The values of a cookie; cookies of other programs on this machine are ignored."""
    pairs = (piece.partition("=") for header in headers for piece in header.split(";"))
    return [value.strip().strip('"') for key, _, value in pairs if key.strip() == name]


class Guard:
    """Stands before everything else."""

    def __init__(self, app: ASGIApp, token: str, port: int, launching: "LaunchToken | None" = None):
        self.app, self.token, self.port = app, token, port
        self.launching = launching or LaunchToken()
        self.hosts = {f"{name}:{port}" for name in _LOOPBACK} | (set(_LOOPBACK) if port == 80 else set())
        self.cookie = f"randori-{port}"  # browsers share cookies between the ports of a machine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _REFUSED_SOCKET, "reason": refusal[:120]})
        elif refusal:
            await self._refuse(scope, refusal)(scope, receive, send)
        elif scope["type"] == "http" and (entering := self._entering(scope)):
            await entering(scope, receive, send)
        else:
            await self.app(scope, receive, self._with_headers(send))

    def _refusal(self, scope: Scope) -> str:
        """The reason why a request is refused, or nothing."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self.hosts:
            return "this server answers only to the name of this machine"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "this server answers only its own page"
        if origin is None and scope["type"] == "websocket":
            return "a socket needs to say where its page comes from (Origin)"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "this server answers only its own page"
        if not self._has_token(scope, headers):
            return "the token is missing or wrong: open the address that the studio printed when it started"
        return ""

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        given = [headers.get(HEADER, ""), *cookie_values(headers.getlist("cookie"), self.cookie)]
        if scope["path"] == "/":
            said = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
            if any(self.launching.spend(word) for word in said):
                return True
            given += said
        return any(hmac.compare_digest(word.encode(), self.token.encode()) for word in given)

    def _entering(self, scope: Scope) -> Response | None:
        """Keep the token as a cookie, and take it, or the one that led here, out of the address."""
        if scope["path"] != "/" or b"token=" not in scope["query_string"]:
            return None
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer

    def _refuse(self, scope: Scope, why: str) -> Response:
        if scope["path"].startswith("/api/"):
            return JSONResponse(Problem(message=why).model_dump(), status_code=403)
        return PlainTextResponse(f"Randori: {why}.\n", status_code=403)

    def _with_headers(self, send: Send) -> Send:
        sockets = "".join(f" ws://{host}" for host in sorted(self.hosts))
        extra = {
            "content-security-policy": _POLICY.format(sockets=sockets),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        }

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = [(key.encode(), value.encode()) for key, value in extra.items()]
                message = {**message, "headers": [*message.get("headers", []), *named]}
            await send(message)

        return sending
