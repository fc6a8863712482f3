"""Compile the kernels of a command on all cores, while it begins: processes fill the cache that it reads.

Each process goes through the same list and takes the first kernel that is not there, that no other process
compiles, and whose own kernels are there. The list begins with the kernels that the longest chains of others
wait for. A process waits for a kernel that another process compiles.
"""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from numba.core.dispatcher import Dispatcher

from randori.folders import cache_folder
from randori.kernels.cache import SHIPPED, baseline, compiled_for, fits_baseline
from randori.kernels.recorded import Recorded, read_record, type_of
from randori.sources import source_hash

_MOST_PROCESSES = 8  # processes: one large kernel decides how long it takes then
_POLLING_SECONDS = 0.05  # seconds
_started: list[subprocess.Popen[bytes]] = []  # by this process
_INNER_SUFFIX = "inner"  # behind the name of a kernel: the version that other kernels call


def compile_ahead(command: str, processes: int | None = None) -> list[subprocess.Popen[bytes]]:
    """Start processes that compile the missing kernels of a command; they end with this process.

    RANDORI_PROCESSES says how many processes compile; 0 leaves it to the command itself.
    """
    needed = read_record().get(command)
    if not needed or is_ready(command, needed):
        return []
    chosen = os.environ.get("RANDORI_PROCESSES", "")
    cores = os.cpu_count() or 1
    count = int(chosen) if chosen.isdigit() else min(cores, _MOST_PROCESSES) if cores > 1 else 0
    started = [
        subprocess.Popen(
            [sys.executable, "-m", __name__, command],
            stdin=subprocess.PIPE,  # closed when this process ends, however it ends
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(count if processes is None else processes)
    ]
    atexit.register(_end, started)
    _started.extend(started)
    return started


def is_compiling() -> bool:
    """Whether processes that this one has started still compile."""
    return any(process.poll() is None for process in _started)


def is_ready(command: str, needed: Sequence[Recorded]) -> bool:
    """Whether all kernels of a command are there, in the user's cache or in the wheel."""
    if _mark(cache_folder() / "kernels", command, needed).is_file():
        return True
    return fits_baseline() and _mark(SHIPPED, command, needed, baseline()).is_file()


def compile_all(command: str) -> None:
    """Compile the kernels of a command, beside other processes that do the same."""
    needed = read_record()[command]
    left = _longest_chains_first([one for one in map(_Task.of, needed) if one is not None])
    while left:
        task = next(_possible(left), None)
        if task is None:
            left = [one for one in left if not one.is_done()]
            time.sleep(_POLLING_SECONDS)
        else:
            task.compile()
            left.remove(task)
    mark = _mark(cache_folder() / "kernels", command, needed)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


class _Task:
    """A kernel to compile, and the names of kernels that it calls."""

    def __init__(self, name: str, dispatcher: Any, signature: tuple[Any, ...]):
        self.name, self.signature, self._dispatcher = name, signature, dispatcher
        self.calls = set(_called(dispatcher.py_func))
        self.size = _size(dispatcher.py_func)

    @classmethod
    def of(cls, recorded: Recorded) -> "_Task | None":
        """None if there is no such kernel any more, or its arguments have no such types."""
        name = recorded.kernel.rpartition(".")[2]
        try:
            dispatcher = getattr(import_module(recorded.module), name)
            if recorded.inner:
                return cls(
                    f"{recorded.kernel} {_INNER_SUFFIX}",
                    dispatcher.inner,
                    tuple(map(type_of, recorded.arguments)),
                )
            return cls(recorded.kernel, dispatcher, tuple(map(type_of, recorded.arguments)))
        except (ImportError, AttributeError, TypeError, ValueError):
            return None

    def is_done(self) -> bool:
        return self._dispatcher._cache.has(self.signature, self._dispatcher.targetctx)

    def is_busy(self) -> bool:
        return self._dispatcher._cache.is_busy()

    def compile(self) -> None:
        try:
            self._dispatcher.compile(self.signature)
        except Exception:  # the record is out of date, or the kernel is wrong: its caller will see the error
            return


def _possible(left: list[_Task]) -> Iterator[_Task]:
    """The tasks that can be begun now, first things first."""
    missing: set[str] = set()
    for task in list(left):
        if task.is_done():
            left.remove(task)
            continue
        if not (task.calls & missing) and not task.is_busy():
            yield task
        missing.add(task.name)


def _longest_chains_first(tasks: Sequence[_Task]) -> list[_Task]:
    """Tasks in the order of how much has to be compiled one after the other from each of them on."""
    chains: dict[str, int] = {}

    def chain(task: _Task) -> int:
        if task.name not in chains:
            chains[task.name] = task.size  # kernels that call each other come to this one again
            callers = (other for other in tasks if task.name in other.calls)
            chains[task.name] = task.size + max(map(chain, callers), default=0)
        return chains[task.name]

    return sorted(tasks, key=chain, reverse=True)


def _size(function: Any) -> int:
    """Bytes of a kernel's code in Python, with what is pasted into it: roughly what it takes to compile."""
    used = [function.__globals__.get(name) for name in function.__code__.co_names]
    pasted = [one.py_func for one in used if isinstance(one, Dispatcher) and _is_pasted(one)]
    return len(function.__code__.co_code) + sum(map(_size, pasted))


def _is_pasted(used: Dispatcher) -> bool:
    return used.targetoptions.get("inline") == "always"


def _called(function: Any) -> Iterator[str]:
    """The kernels that a kernel calls, also from what is pasted into it."""
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, Dispatcher) and used.py_func is not function:
            yield f"{used.py_func.__module__}.{used.py_func.__qualname__} {_INNER_SUFFIX}"
            if _is_pasted(used):
                yield from _called(used.py_func)


def _mark(
    folder: Path, command: str, needed: Sequence[Recorded], processor: tuple[str, str] | None = None
) -> Path:
    """A file that says that all kernels of a command are compiled."""
    sources = source_hash(*dict.fromkeys(one.module for one in needed))
    return folder / f"{command}-{compiled_for(processor)}-{sources}.ready"


def _end(started: list[subprocess.Popen[bytes]]) -> None:
    for process in started:
        if process.poll() is None:
            process.terminate()


def _follow_parent() -> None:
    """End with the process that waits for the kernels: then its end of the pipe is closed."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_follow_parent, daemon=True).start()
    for _word in sys.argv[1:]:
        compile_all(_word)
    os._exit(0)  # without waiting for the thread
