"""A process that does what takes long, so that the server never waits.

It is told one task at a time, as a name and arguments, and answers with the share that is done, then with the
result or a problem. It keeps what it has loaded: the second simulation of a scene starts at once.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

from randori.errors import RandoriError
from randori.reports import in_a_sentence
from randori.studio import messages as wire
from randori.studio.compiling import CompilingWatch
from randori.work import words_of

_REPORT_SECONDS = 0.05  # seconds between two words on how far it is
_SILENT_SECONDS = 1.0  # seconds without a word, after which it is looked whether kernels are compiled
_PATIENCE = 1.5  # seconds for a task to stop by itself before its process is ended
FRESH = get_context("spawn")  # threads of the server, and of kernels, do not survive a fork

Task = Generator[float, None, Any]


class Answer(NamedTuple):
    what: Literal["share", "done", "problem", "stopped"]
    value: Any
    words: str = ""


@dataclass
class Order:
    """A task to do: a function "module:name" that gives a generator."""

    function: str
    arguments: dict[str, Any]


class Worker:
    """The server's side of the process. One task at a time, from one thread."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None
        self._stop = threading.Event()

    def begin(self) -> None:
        """Forget earlier requests to stop: `stop` means the next task from now on."""
        self._stop.clear()

    def do(self, order: Order, follow: Callable[[float, str], None]) -> Answer:
        """Let a task be done to its end; `follow` hears how far it is."""
        asked = 0.0  # when it was asked to stop
        try:
            pipe = self._ready()
            pipe.send(order)
            while True:
                if pipe.poll(_REPORT_SECONDS):
                    answer: Answer = pipe.recv()
                    if answer.what != "share":
                        return answer
                    follow(answer.value, answer.words)
                if self._stop.is_set() and not asked:
                    asked = time.monotonic()
                    pipe.send(None)
                elif asked and time.monotonic() - asked > _PATIENCE:
                    self.end()
                    return Answer("stopped", None)
        except (EOFError, OSError):
            self.end()
            if asked or self._stop.is_set():
                return Answer("stopped", None)
            words = "the process that did this has ended unexpectedly (is there enough memory?)"
            return Answer("problem", wire.Problem(message=words))

    def stop(self) -> None:
        """Ask for the task to be left; any thread may."""
        self._stop.set()

    def end(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.close()
        if process is not None and process.is_alive():
            process.terminate()
            process.join(2.0)
            if process.is_alive():
                process.kill()

    def renew(self) -> None:
        """A new process, which has loaded nothing but the code: the memory of the old one is free."""
        self.end()
        self.do(Order("randori.studio.tasks:warm_up", {}), lambda share, words: None)

    def _ready(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self.end()
            ours, theirs = FRESH.Pipe()
            self._process = FRESH.Process(target=_serve, args=(theirs,), daemon=True, name="randori studio")
            self._process.start()
            theirs.close()
            self._pipe = ours
        return self._pipe


def _serve(pipe: Connection) -> None:
    """The loop of the process: orders in, answers out, until the server is gone."""
    leave_interrupts()
    stand_back()
    while True:
        try:
            order = pipe.recv()
        except (EOFError, OSError):
            return
        if order is None:
            continue  # came too late for what it should have stopped
        try:
            answer = _perform(order, pipe)
        except RandoriError as error:
            from randori.studio.scenes import problem_of

            answer = Answer("problem", problem_of(error))
        except (EOFError, BrokenPipeError):
            return
        except Exception as error:
            words = in_a_sentence(error, ["studio", order.function])
            answer = Answer("problem", wire.Problem(message=words))
        with contextlib.suppress(OSError):
            pipe.send(answer)


def _perform(order: Order, pipe: Connection) -> Answer:
    module, name = order.function.split(":")
    task: Task = getattr(import_module(module), name)(**order.arguments)
    reporter = _Reporter(pipe)
    with reporter.while_silent():
        while True:
            try:
                share = next(task)
            except StopIteration as finished:
                return Answer("done", finished.value)
            if pipe.poll():
                pipe.recv()
                task.close()
                return Answer("stopped", None)
            reporter.report(share)


class _Reporter:
    """Says how far a task is; while the task itself is silent because kernels are compiled, it says that."""

    def __init__(self, pipe: Connection):
        self._pipe, self._lock = pipe, threading.Lock()
        self._share, self._sent = 0.0, 0.0
        self._watch = CompilingWatch()

    def report(self, share: float) -> None:
        with self._lock:
            self._share = float(share)
            if time.monotonic() - self._sent > _REPORT_SECONDS:
                self._send("", words_of(share))

    def _send(self, compiling: str, words: str) -> None:
        self._sent = time.monotonic()
        self._pipe.send(Answer("share", self._share, compiling or words))

    @contextlib.contextmanager
    def while_silent(self) -> Iterator[None]:
        """Watch from a thread of its own: the task's thread may wait for a kernel."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(_SILENT_SECONDS):
                words = self._watch.words()
                with self._lock, contextlib.suppress(OSError):
                    if words and not over.is_set() and time.monotonic() - self._sent > _SILENT_SECONDS:
                        self._send(words, "")

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            over.set()
            watching.join()


def leave_interrupts() -> None:
    """An interrupt is the server's to answer; it ends this process by closing the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def stand_back() -> None:
    """The page, the server and live sessions come first."""
    if hasattr(os, "nice"):
        os.nice(5)
