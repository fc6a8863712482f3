"""Long tasks, in order: requests of the user first, the gallery's pictures when no request waits."""

import asyncio
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Literal, Protocol

from randori.errors import RandoriError
from randori.studio import messages as wire
from randori.studio.worker import Answer, Order, Worker

Kind = Literal["simulate", "export", "library", "gallery", "weigh", "shelf"]
_URGENCY = {"shelf": 1, "gallery": 2}  # everything else is waited for, and comes first
_MOST_WAITING = 50
_REMEMBERED_JOBS = 100  # jobs that are over


@dataclass(order=True)
class _Entry:
    urgency: int
    number: int
    order: Order = field(compare=False)
    job: wire.Job = field(compare=False)


class Doer(Protocol):
    """A worker that does one task at a time; see worker.py."""

    def begin(self) -> None: ...

    def do(self, order: Order, follow: Callable[[float, str], None]) -> Answer: ...

    def stop(self) -> None: ...

    def end(self) -> None: ...

    def renew(self) -> None: ...


class Jobs:
    """One worker, a queue before it, and all listeners."""

    def __init__(self, worker: Doer | None = None) -> None:
        self._jobs: dict[str, wire.Job] = {}
        self._numbers = itertools.count(1)
        self._waiting: list[_Entry] = []
        self._running: _Entry | None = None
        self._changed = threading.Condition()
        self._worker = worker or Worker()
        self._ended = False
        self._followers: dict[asyncio.Queue[wire.Job], asyncio.AbstractEventLoop] = {}
        self._thread = threading.Thread(target=self._work, daemon=True, name="jobs")
        self._thread.start()

    def start(self, kind: Kind, title: str, function: str, **arguments: Any) -> wire.Job:
        """Put work into the queue."""
        with self._changed:
            if len(self._waiting) >= _MOST_WAITING and kind != "gallery":
                raise RandoriError("too much is waiting already; cancel something first")
            number = next(self._numbers)
            job = wire.Job(job=str(number), kind=kind, title=title, state="waiting", share=0.0, doing="")
            entry = _Entry(_URGENCY.get(kind, 0), number, Order(function, arguments), job)
            self._jobs[job.job] = job
            heappush(self._waiting, entry)
            if self._running is not None and self._running.urgency > entry.urgency:
                self._worker.stop()  # a scene that a user wants to see comes before the gallery
            self._forget()
            self._changed.notify()
        self._tell(job)
        return job

    def cancel(self, name: str) -> wire.Job:
        """Stop a job, or take it out of the queue."""
        with self._changed:
            job = self.find(name)
            waiting = [entry for entry in self._waiting if entry.job.job == name]
            if waiting:
                self._waiting = sorted(entry for entry in self._waiting if entry.job.job != name)
                job = self._note(name, state="cancelled")
            elif self._running is not None and self._running.job.job == name:
                job = self._note(name, state="cancelled")
                self._worker.stop()
        return job

    def find(self, name: str) -> wire.Job:
        if name not in self._jobs:
            raise RandoriError(f"there is no job {name[:40]!r}")
        return self._jobs[name]

    def listed(self) -> wire.JobList:
        with self._changed:
            return wire.JobList(jobs=list(self._jobs.values()))

    def follow(self) -> "asyncio.Queue[wire.Job]":
        """A queue that hears of every change."""
        queue: asyncio.Queue[wire.Job] = asyncio.Queue()
        self._followers[queue] = asyncio.get_running_loop()
        return queue

    def leave(self, queue: "asyncio.Queue[wire.Job]") -> None:
        self._followers.pop(queue, None)

    def end(self) -> None:
        """Stop everything."""
        with self._changed:
            self._ended = True
            self._waiting.clear()
            self._worker.stop()
            self._changed.notify()
        self._thread.join(5.0)
        self._worker.end()

    def _work(self) -> None:
        """The thread that waits for the worker."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if self._ended:
                    return
                entry = self._running = heappop(self._waiting)
                self._worker.begin()
            name = entry.job.job
            self._note(name, state="running")
            answer = self._worker.do(entry.order, self._follower(name))
            with self._changed:
                self._running = None
                if self._ended:
                    return
                again = answer.what == "stopped" and self._jobs[name].state == "running"
                if again:  # it was stopped for something more urgent
                    heappush(self._waiting, entry)
            self._finish(name, answer, again)
            if entry.job.kind == "gallery" and not again and self._is_idle():
                self._worker.renew()  # it holds the motions and patches of all scenes of the gallery

    def _is_idle(self) -> bool:
        with self._changed:
            return not self._waiting and not self._ended

    def _follower(self, name: str) -> Callable[[float, str], None]:
        def follow(share: float, words: str) -> None:
            if self._jobs[name].state == "running":
                self._note(name, share=min(max(share, 0.0), 1.0), doing=words)

        return follow

    def _finish(self, name: str, answer: Answer, again: bool) -> None:
        if again:
            self._note(name, state="waiting", share=0.0)
        elif answer.what == "done" and self._jobs[name].state != "cancelled":
            results: dict[type, str] = {
                wire.TakeMade: "take",
                wire.Exported: "exported",
                wire.Weighed: "weighed",
                str: "library",
            }
            result = {results[type(answer.value)]: answer.value} if type(answer.value) in results else {}
            self._note(name, state="done", share=1.0, doing="", **result)
        elif answer.what == "problem" and self._jobs[name].state != "cancelled":
            self._note(name, state="failed", problem=answer.value)
        else:
            self._note(name, state="cancelled")

    def _note(self, name: str, **changes: Any) -> wire.Job:
        """Record the state of a job, and tell all listeners."""
        job = self._jobs[name] = self._jobs[name].model_copy(update=changes)
        self._tell(job)
        return job

    def _tell(self, job: wire.Job) -> None:
        for queue, loop in list(self._followers.items()):
            try:
                loop.call_soon_threadsafe(queue.put_nowait, job)
            except RuntimeError:  # its loop is closed
                self._followers.pop(queue, None)

    def _forget(self) -> None:
        running = self._running.job.job if self._running is not None else ""
        over = [
            name
            for name, job in self._jobs.items()
            if job.state in ("done", "failed", "cancelled") and name != running
        ]
        for name in over[:-_REMEMBERED_JOBS]:
            del self._jobs[name]
