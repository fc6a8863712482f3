"""The decorators for compiled loops."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import Event, Listener, install_listener, trigger_event
from numba.core.sigutils import normalize_signature
from numba.core.types import unliteral

from randori.kernels.cache import KernelCache
from randori.kernels.machine_code import KernelCompiler

_SELDOM = (50_000, 20, 100)  # of Python's three generations of objects; usually 700 or 2,000, 10 and 10
_COMPILING = "randori:compiling"  # a kernel is compiled, here or by another process that is waited for


def pasted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A part of a kernel with a name of its own: it is compiled with the kernels that use it."""
    return numba.njit(nogil=True, inline="always", error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small kernel that many use: a call that hands all their records on would cost more than its code."""
    return _compiled(function, counting=False, forceinline=True)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop: no Python objects inside, the lock released, kept on disk between runs.

    It makes no arrays, not even copies of rows, and hands none back, so that no code has to count who
    holds them: it would take two thirds of a search, and threads wait for each other's counts.

    There is no fastmath: NaN must stay NaN, and sums must not depend on the machine's mood.
    """
    return _compiled(function, counting=False)


def array_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that makes arrays: best one that is called once and hands its arrays to the others."""
    return _compiled(function, counting=True)


def _compiled(function: Callable[..., Any], counting: bool, forceinline: bool = False) -> Callable[..., Any]:
    called = _jitted(function, KernelCache(function), counting, forceinline=forceinline)
    # Kernels that call it take a second version, without the code that turns Python's objects into numbers:
    # that code is most of what there is to compile of a small kernel. Each version is compiled when needed.
    inner = called.inner = _jitted(
        function,
        KernelCache(function, inner=True),
        counting,
        forceinline=forceinline,
        no_cpython_wrapper=True,
    )
    # A constant that one kernel gives to another is a number like any other: numba would compile the other
    # again for each.
    template = inner.get_call_template
    called.get_call_template = lambda args, kws: template(tuple(unliteral(one) for one in args), kws)
    called.get_overload = inner.get_overload
    return called


def _jitted(function: Callable[..., Any], cache: KernelCache, counting: bool, **options: bool) -> Any:
    """A function that is compiled when it is needed, by one process, and kept in a cache."""
    njit: Any = numba.njit  # its types do not know _nrt, numba's own switch for counting references
    compiled = njit(
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        _nrt=counting,
        pipeline_class=KernelCompiler,
        **options,
    )(function)
    compiled._cache = cache
    compile_here = compiled.compile

    def compile_once(signature: Any) -> Any:
        """One process compiles a kernel; others that need it wait, and read it from the cache."""
        with global_compiler_lock:
            types, _ = normalize_signature(signature)
            if types in compiled.overloads or cache.has(signature, compiled.targetctx):
                return compile_here(signature)
            with trigger_event(_COMPILING), cache.alone(), _seldom_collecting():
                return compile_here(signature)

    compiled.compile = compile_once
    return compiled


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Look for garbage less often: numba makes millions of objects, and it would take a sixth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def telling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Say whenever compiling begins and ends, here or in a process that is waited for. It happens once."""
    listener = _Listener(tell)
    with install_listener("numba:compile", listener), install_listener(_COMPILING, listener):
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
