"""Live sessions over a socket: each runs in a process of its own, a little ahead of what the page shows."""

import asyncio
import contextlib
import gc
import hashlib
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from randori.body.mannequin import MATERIALS
from randori.body.palette import OUTFITS
from randori.errors import RandoriError
from randori.reports import in_a_sentence
from randori.sources import source_hash
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.studio.worker import FRESH, leave_interrupts
from randori.timeline.session import Script, write_script
from randori.timeline.timeline import Event
from randori.work import words_of

if TYPE_CHECKING:
    from randori.studio.sessions import Live

_ON_THE_WAY = 0.05  # seconds after what the page shows: before that nothing new would arrive in time
_MOST_SESSIONS = 3
_MOST_TICKS = 60 * 60 * 60  # an hour
_PATIENCE = 3.0  # seconds for a session to end by itself
_REQUEST: TypeAdapter[Any] = TypeAdapter(wire.LiveRequest)
_SILENT_EVENTS = ("response", "effect")  # events that need no words while they are looked at
_OVER_MESSAGE = None  # message of a process after a session


# ---- in the process


def serve(pipe: Connection, folder: str) -> None:
    """Sessions, one after the other, until the server is gone."""
    leave_interrupts()
    while True:
        try:
            asked = pipe.recv()
            if isinstance(asked, wire.LiveStart):
                _Player(pipe, folder).play(asked)
                pipe.send(_OVER_MESSAGE)
        except (EOFError, OSError):
            return


class _Stopped(Exception):
    """The page has gone, or wants something else."""


@dataclass(frozen=True)
class _Bookmark:
    """A session as it was between two messages of frames."""

    live: "Live"
    turns: np.ndarray | None

    @property
    def tick(self) -> int:
        return self.live.session.tick


class _Player:
    """Runs one session: inputs in, frames out.

    Ticks sent ahead of the playhead are not final: an input goes back to where the page is, so that
    the next decision that is seen knows of it.
    """

    def __init__(self, pipe: Connection, folder: str):
        self.pipe, self.folder = pipe, folder
        self.live: Live
        self.playhead = 0
        self.sent = 0  # the last tick that the page ever got
        self.inputs: list[int] = []  # ticks of inputs that were not told yet
        self.turns: np.ndarray | None = None  # of the last frame
        self.bookmarks: list[_Bookmark] = []  # from the playhead on

    def play(self, start: wire.LiveStart) -> None:
        from randori.studio.sessions import opening

        try:
            self._begin(self._watched(opening(start, Project(Path(self.folder))), "preparing"), start)
            self._run(start)
        except _Stopped:
            return
        except RandoriError as error:
            self._problem(error)
        except (EOFError, OSError):
            raise
        except Exception as error:
            self._say(wire.Problem(message=in_a_sentence(error, ["studio", "live", start.session])))

    def _run(self, start: wire.LiveStart) -> None:
        while self.live.session.tick < _MOST_TICKS:
            # with nothing to do, wait for the page; else only look whether it has said something
            while self.pipe.poll(None if self._missing() <= 0 else 0.0):
                self._hear(self.pipe.recv(), start)
            if self._missing() > 0:
                self._show()
        self._say(wire.Problem(message="the session has run for an hour; keep it, and start another one"))

    def _missing(self) -> int:
        """Ticks that the page should have, and does not."""
        return self.playhead + self._ahead() - self.live.session.tick

    def _ahead(self) -> int:
        """Ticks that the session is ahead of the page."""
        return round(self.live.ahead * self.live.session.fps)

    def _begin(self, live: "Live", start: wire.LiveStart) -> None:
        """From the first tick on."""
        from randori.studio.buffers import costume_buffer

        self.live, self.playhead, self.sent, self.turns = live, 0, 0, None
        self.inputs, self.bookmarks = [], []
        gc.collect()
        gc.freeze()  # loaded modules stay: garbage collection of them holds up frames by 0.1 s
        self._say(self._opened(start))
        for number, costume in enumerate(live.bodies.costumes):
            self.pipe.send(costume_buffer(number, costume.content))

    def _set_bookmark(self) -> None:
        """So that an input can go back to this tick."""
        self.bookmarks = [
            mark for mark in self.bookmarks if self.playhead <= mark.tick < self.live.session.tick
        ]
        if (live := self.live.copied()) is not None:
            self.bookmarks.append(_Bookmark(live, self.turns))

    def _go_back(self) -> None:
        """To the first bookmark that the page can still be told about; later frames are made again."""
        soon = self.playhead + round(_ON_THE_WAY * self.live.session.fps)
        mark = next((mark for mark in self.bookmarks if mark.tick >= soon), None)
        if mark is not None:
            self.live, self.turns = mark.live, mark.turns

    def _hear(self, asked: Any, start: wire.LiveStart) -> None:
        if isinstance(asked, wire.LivePlayhead):
            # a page that claims to be ahead of what it got would make the session race
            self.playhead = max(self.playhead, min(asked.tick, self.sent))
        elif isinstance(asked, wire.LiveInput):
            self._go_back()
            try:
                anew = self.live.send(asked.what, asked.values)
                if anew is not None:
                    self._begin(anew, start)
                else:
                    self.inputs.append(self.live.session.tick)
            except RandoriError as error:
                self._problem(error)
            except (TypeError, ValueError, LookupError) as error:
                self._say(wire.Problem(message=f"{asked.what}: {error}"))
            self._set_bookmark()  # from now on this tick knows of the input
        elif isinstance(asked, wire.LiveKeep):
            try:
                self._say(wire.LiveKept(take=self._keep(start)))
            except RandoriError as error:
                self._problem(error)
        else:
            raise _Stopped

    def _show(self) -> None:
        """The next frame. One at a time: an input waits for no more than one search."""
        from randori.studio.buffers import frames_buffer, to_event, to_turns, with_yaw

        started = time.perf_counter()
        frame = self.live.step()
        took = 1000.0 * (time.perf_counter() - started)
        placed, turned = self.live.bodies.place(frame)
        roots = placed[None].astype("<f4")
        props = with_yaw(frame.props)[None].astype("<f4")
        turns = to_turns(turned[None], self.turns)
        self.turns = turns[-1]
        events = [to_event(event, self._words(event)) for event in frame.events]
        words = wire.LiveFrames(events=events, inputs=self.inputs, decisions=self.live.decisions(), took=took)
        self.inputs, self.sent = [], max(self.sent, frame.tick)
        self.pipe.send(frames_buffer(frame.tick, roots, props, turns, words))
        self._set_bookmark()

    def _words(self, event: Event) -> str:
        """The text of an event; "" for an event that the viewer sees anyway."""
        from randori.scene.story import event_in_words

        return "" if event.kind in _SILENT_EVENTS else event_in_words(self.live.names, event)

    def _opened(self, start: wire.LiveStart) -> wire.LiveOpened:
        from randori.studio.buffers import outfits

        live = self.live
        return wire.LiveOpened(
            session=start.session,
            title=live.title,
            fps=live.session.fps,
            ahead=self._ahead(),
            bodies=live.bodies.bodies,
            body_of=live.bodies.body_of,
            costumes=live.bodies.to_wire(),
            costume_of=live.bodies.costume_of,
            materials=list(MATERIALS),
            outfits=outfits(),
            names=live.names,
            wears=[number % len(OUTFITS) for number in live.wears],
            follow=live.follow,
            props=live.props,
            controls=live.controls,
        )

    def _keep(self, start: wire.LiveStart) -> str:
        """Make a take of the session so far."""
        from randori.studio.takes import Made, keep, made_folder

        session = self.live.session
        if session.tick == 0:
            raise RandoriError("nothing has happened yet")
        take = self._watched(self.live.keeping(), "making a take")
        said = repr((start, list(session.inputs), session.tick, source_hash(type(self.live).__module__)))
        name = hashlib.sha256(said.encode()).hexdigest()[:20]
        path = made_folder() / f"{name}.npz"
        keep(path, take, Made(scene=self.live.scene, live=start.session))
        # replays to the same bytes, see timeline/session.py
        write_script(path.with_suffix(".inputs.json"), Script.of(session, start.session, start.seed))
        return f"made-{name}"

    def _watched(self, work: Generator[float, None, Any], doing: str) -> Any:
        """Work that tells the page how far it is, and is left when the page leaves."""
        told = 0.0
        while True:
            try:
                share = next(work)
            except StopIteration as finished:
                return finished.value
            while self.pipe.poll():
                if isinstance(self.pipe.recv(), wire.LiveStop | wire.LiveStart):
                    work.close()
                    raise _Stopped
            if time.monotonic() - told > 0.1:
                told = time.monotonic()
                done = min(max(float(share), 0.0), 1.0)
                self._say(wire.LiveState(doing=words_of(share) or doing, share=done))

    def _problem(self, error: RandoriError) -> None:
        from randori.studio.scenes import problem_of

        self._say(problem_of(error))

    def _say(self, message: BaseModel) -> None:
        self.pipe.send(message.model_dump_json())


# ---- in the server


class _Host:
    """A process for sessions, and the thread that listens to it."""

    def __init__(self, folder: str):
        ours, theirs = FRESH.Pipe()
        self.process = FRESH.Process(target=serve, args=(theirs, folder), daemon=True, name="randori live")
        self.process.start()
        theirs.close()
        self.pipe = ours

    def run(self, start: wire.LiveStart, say: Any) -> bool:
        """Play a session; `say` hears what goes to the page. Whether the process can be used again."""
        try:
            self.pipe.send(start)
            while (message := self.pipe.recv()) is not _OVER_MESSAGE:
                say(message)
            return True
        except (EOFError, OSError):
            say(wire.Problem(message="the session has ended unexpectedly").model_dump_json())
            return False

    def tell(self, message: BaseModel) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(message)

    def end(self) -> None:
        self.process.terminate()
        self.process.join(2.0)
        if self.process.is_alive():
            self.process.kill()
        self.pipe.close()


class LiveSessions:
    """Everything that plays live."""

    def __init__(self, folder: str):
        self.folder = folder
        self._idle: list[_Host] = []
        self._busy: set[_Host] = set()
        self._lock = threading.Lock()

    async def serve(self, socket: WebSocket) -> None:
        """One page's session, from its start to its end."""
        await socket.accept()
        try:
            start = await self._listen(socket)
            if not isinstance(start, wire.LiveStart):
                await _refuse(socket, "a session begins with a start")
                return
            await self._play(socket, start)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page has gone
        except RandoriError as error:
            with contextlib.suppress(RuntimeError):
                await _refuse(socket, str(error))

    async def _play(self, socket: WebSocket, start: wire.LiveStart) -> None:
        host = await asyncio.to_thread(self._take_host)
        loop = asyncio.get_running_loop()
        outgoing: asyncio.Queue[str | bytes | None] = asyncio.Queue()

        def say(message: str | bytes) -> None:
            loop.call_soon_threadsafe(outgoing.put_nowait, message)

        def run() -> None:
            usable = host.run(start, say)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(outgoing.put_nowait, None)
            self._give_back(host, usable)

        playing = threading.Thread(target=run, daemon=True)
        playing.start()
        hearing = asyncio.create_task(self._hear(socket, host))
        try:
            while (message := await outgoing.get()) is not None:
                if isinstance(message, bytes):
                    await socket.send_bytes(message)
                else:
                    await socket.send_text(message)
            await socket.close()
        finally:
            hearing.cancel()
            host.tell(wire.LiveStop())
            await asyncio.to_thread(self._see_out, host, playing)

    async def _hear(self, socket: WebSocket, host: _Host) -> None:
        """Hand on what the page says."""
        try:
            while True:
                try:
                    message = await self._listen(socket)
                except RandoriError as error:
                    await socket.send_text(wire.Problem(message=str(error)).model_dump_json())
                    continue
                host.tell(message)
        except (WebSocketDisconnect, RuntimeError):
            host.tell(wire.LiveStop())

    async def _listen(self, socket: WebSocket) -> Any:
        """The next message of the page, checked."""
        heard = await socket.receive()
        if heard["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(heard.get("code", 1000))
        text = heard.get("text")
        if text is None:
            raise RandoriError("a message in JSON is expected, not bytes")
        try:
            return _REQUEST.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(step) for step in first["loc"])
            raise RandoriError(f"the message is not understood: {where} {first['msg']}".strip()) from None

    def _take_host(self) -> _Host:
        with self._lock:
            if len(self._busy) >= _MOST_SESSIONS:
                raise RandoriError(f"{_MOST_SESSIONS} live sessions are running already; close one first")
            host = self._idle.pop() if self._idle else _Host(self.folder)
            self._busy.add(host)
            return host

    def _give_back(self, host: _Host, usable: bool) -> None:
        with self._lock:
            self._busy.discard(host)
            if usable and not self._idle:
                self._idle.append(host)
                return
        host.end()

    def _see_out(self, host: _Host, playing: threading.Thread) -> None:
        """Wait for a session to end; one that does not is ended with its process."""
        playing.join(_PATIENCE)
        if playing.is_alive():
            host.process.kill()

    def end(self) -> None:
        with self._lock:
            hosts, self._idle = [*self._idle, *self._busy], []
        for host in hosts:
            host.end()


async def _refuse(socket: WebSocket, why: str) -> None:
    await socket.send_text(wire.Problem(message=why).model_dump_json())
    await socket.close()
