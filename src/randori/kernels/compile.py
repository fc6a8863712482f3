"""The decorators for compiled loops, and the cache that makes the second run start at once."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core.event import Event, Listener, install_listener
from numba.core.types import unliteral

from randori.folders import cache_folder

_HERE = Path(__file__).parent
_IMPORT = re.compile(r"^from randori\.kernels\.(\w+) import", re.MULTILINE)


def _source_hash(module: str) -> str:
    """Hash of a kernel file, of every kernel file that it uses, and of how they are compiled.

    Numba notices when a file changes, but not when a kernel that it calls in another file does:
    it would keep calling the old one.
    """
    waiting, seen = [module, "compile"], {}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name] = (_HERE / f"{name}.py").read_text(encoding="utf-8")
            waiting += _IMPORT.findall(seen[name])
    text = "\n".join(seen[name] for name in sorted(seen))
    return hashlib.sha256(f"{numba.__version__}\n{text}".encode()).hexdigest()[:16]


def pasted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A part of a kernel with a name of its own: it is compiled with the kernels that use it."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small kernel that many use: a call that hands all their records on would cost more than its code."""
    return _compiled(function, counting=False, forceinline=True)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop: no Python objects inside, the lock released, kept on disk between runs.

    It makes no arrays, not even copies of rows, and hands none back, so that nobody has to count who
    holds them: it would take two thirds of a search, and threads wait for each other's counts.

    There is no fastmath: NaN must stay NaN, and sums must not depend on the machine's mood.
    """
    return _compiled(function, counting=False)


def array_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that makes arrays: best one that is called once and hands its arrays to the others."""
    return _compiled(function, counting=True)


def _compiled(function: Callable[..., Any], counting: bool, forceinline: bool = False) -> Callable[..., Any]:
    module = function.__module__.rsplit(".", 1)[-1]
    folder = cache_folder() / f"kernels-{module}-{_source_hash(module)}"
    called = _jitted(function, folder, counting, forceinline=forceinline)
    # Kernels that call it take a second version, without the code that turns Python's objects into numbers:
    # that code is most of what there is to compile of a small kernel. Each version is compiled when needed.
    inner = _jitted(
        function,
        folder / "inner",
        counting,
        forceinline=forceinline,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )
    template = inner.get_call_template
    # A constant that one kernel gives to another is a number like any other: numba would compile the other
    # anew for each.
    called.get_call_template = lambda args, kws: template(tuple(unliteral(one) for one in args), kws)
    called.get_overload = inner.get_overload
    return called


def _jitted(function: Callable[..., Any], folder: Path, counting: bool, **options: bool) -> Any:
    """A function that is compiled when it is needed and kept in a folder, if that can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    settings: Any = numba.config
    njit: Any = numba.njit  # its types do not know _nrt, numba's own switch for counting references
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)
    try:
        return njit(nogil=True, cache=writable, error_model="numpy", _nrt=counting, **options)(function)
    finally:
        settings.CACHE_DIR = before


@contextmanager
def telling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Say whenever compiling begins and ends: once on a machine, and then for a minute or two."""
    with install_listener("numba:compile", _Listener(tell)):
        yield


class _Listener(Listener):
    """Kernels are compiled within others; only the outermost is told."""

    def __init__(self, tell: Callable[[bool], None]):
        self._tell, self._within = tell, 0

    def on_start(self, event: Event) -> None:
        self._within += 1
        if self._within == 1:
            self._tell(True)

    def on_end(self, event: Event) -> None:
        self._within -= 1
        if self._within == 0:
            self._tell(False)
