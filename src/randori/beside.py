"""One call of a function in another process, while this one goes on with something else."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Self

from randori.kernels.ahead import is_compiling


def spare_cores() -> int:
    """The number of processes that can work beside this one: none while all cores compile kernels.

    RANDORI_PROCESSES limits it, as it limits how many compile.
    """
    chosen = os.environ.get("RANDORI_PROCESSES", "")
    cores = (os.cpu_count() or 1) - 1
    return 0 if is_compiling() else min(cores, int(chosen)) if chosen.isdigit() else cores


class Call:
    """A function of a module, called in another process; it ends with the `with` block at the latest."""

    def __init__(self, function: Callable[..., Any], *arguments: object):
        # -P: Python imports no module from the current folder
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        question = pickle.dumps((function.__module__, function.__qualname__, arguments))
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended already: then there is no answer
            self._process.stdin.write(question)
            self._process.stdin.flush()
        self._output = b""
        # it is read as it comes: otherwise the process could not end before it is asked for its answer
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self._output = self._process.stdout.read()

    def answer(self) -> Any:
        """The result of the function; None if its process failed for any reason."""
        self._reader.join()
        return pickle.loads(self._output) if self._process.wait() == 0 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()


def _answer() -> None:
    module, name, arguments = pickle.load(sys.stdin.buffer)
    answer = getattr(import_module(module), name)(*arguments)
    pickle.dump(answer, sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    _answer()
