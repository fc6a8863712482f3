"""Folders of compiled kernels: in the user's cache, and before that in the wheel.

A kernel lies in a folder that is named after everything that it depends on: numba notices when a file
changes, but not when a kernel that it calls in another file does, and would go on calling the old one.
"""

import contextlib
import hashlib
import pickle
import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.codegen import get_host_cpu_features

from randori.folders import cache_folder
from randori.locks import take
from randori.sources import source_hash

SHIPPED = Path(__file__).parent / "compiled"  # in wheels that bring compiled kernels: packaging/kernels.py
_PATIENCE = 300.0  # seconds to wait for another process that compiles a kernel, before it is compiled here
_POLLING_SECONDS = 0.02  # seconds
_DIGEST = 16  # bytes at the end of a compiled kernel's file

# Processor features for kernels in wheels: (name, features) by machine, as LLVM calls them. Every x86-64
# processor since 2013 has these; other machines are compiled for the least that there is.
_V3 = "cx16 sahf popcnt sse sse2 sse3 ssse3 sse4.1 sse4.2 avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
_BASELINES = {"x86_64": ("x86-64-v3", ",".join(f"+{word}" for word in _V3.split()))}
_LEAST_PROCESSOR = ("generic", "")


def baseline() -> tuple[str, str]:
    """The processor and its features that wheels are compiled for, on machines like this one."""
    return _BASELINES.get(platform.machine().lower().replace("amd64", "x86_64"), _LEAST_PROCESSOR)


@lru_cache(maxsize=1)
def fits_baseline() -> bool:
    """Whether this processor has what wheels are compiled for."""
    needed = set(filter(None, baseline()[1].split(",")))
    return needed <= set(get_host_cpu_features().split(","))


def kernel_folder(module: str) -> str:
    """The name of the folder of a module's kernels."""
    return f"{module.rpartition('.')[2]}-{numba.__version__}-{source_hash(module)}"


class _Locator(_CacheLocator):
    """Numba's way to ask where a function is kept."""

    def __init__(self, function: Callable[..., Any]):
        self._folder = cache_folder() / "kernels" / kernel_folder(function.__module__)
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Serializer(CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012


class _Files(IndexDataCacheFile):
    """The files of one kernel. Any that cannot be read is treated as absent, and written again."""

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except Exception:  # a damaged index: unpickling may raise anything
            return {}

    def _dump(self, obj: Any) -> bytes:
        content = super()._dump(obj)
        return content + _digest(content)

    def read(self, path: Path) -> Any:
        """A compiled kernel; None if the file is damaged: machine code with a wrong bit must never run."""
        data = path.read_bytes()
        content, digest = data[:-_DIGEST], data[-_DIGEST:]
        return pickle.loads(content) if _digest(content) == digest else None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, with the wheel's behind it, and for one process at a time."""

    _impl_class = _Serializer

    def __init__(self, function: Callable[..., Any], inner: bool = False):
        """The cache of a kernel, or of its version that only other kernels call."""
        super().__init__(function)
        if inner:
            self._impl._filename_base += "-inner"
        folder, base = Path(self._cache_path), self._impl.filename_base
        self._cache_file = self._own = _Files(str(folder), base, self._impl.locator.get_source_stamp())
        self._shipped = _Files(str(SHIPPED / folder.name), base, folder.name)
        self.lock = folder / f"{self._impl.filename_base}.lock"

    def has(self, signature: Any, context: Any) -> bool:
        """Whether the kernel is there, compiled for these types of arguments."""
        return self._find(signature, context) is not None

    def is_busy(self) -> bool:
        """Whether another process compiles this kernel now."""
        lock = take(self.lock)
        if lock is not None:
            lock.close()
        return lock is None

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process compiles this kernel; then it may be there already."""
        began = time.monotonic()
        lock = take(self.lock)
        while lock is None and time.monotonic() - began < _PATIENCE:
            time.sleep(_POLLING_SECONDS)
            lock = take(self.lock)
        try:
            yield
        finally:
            if lock is not None:
                lock.close()

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError, EOFError):  # no room for a cache: the next run compiles again
            super().save_overload(sig, data)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._find(sig, target_context)
        if found is None:
            return None
        try:
            data = self._own.read(found)
            return None if data is None else self._impl.rebuild(target_context, data)
        except Exception:  # a damaged file (unpickling may raise anything): it is compiled again
            return None

    def _find(self, signature: Any, context: Any) -> Path | None:
        """The file of a compiled kernel: the user's own, or the wheel's."""
        own = self._index_key(signature, context.codegen())
        shipped = (own[0], (llvm.get_process_triple(), *baseline()), own[2])
        for index, key in ((self._cache_file, own), (self._shipped, shipped)):
            if index is self._shipped and not fits_baseline():
                continue
            try:
                path = Path(index._data_path(index._load_index()[key]))
            except Exception:  # not there, or damaged
                continue
            if path.is_file():
                return path
        return None


def compiled_for(processor: tuple[str, str] | None = None) -> str:
    """A short name for what compiled code depends on beside the kernels, for this processor or another."""
    settings: Any = numba.config
    if processor is None:
        features = settings.CPU_FEATURES
        features = get_host_cpu_features() if features is None else features
        processor = settings.CPU_NAME or llvm.get_host_cpu_name(), features
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    words = (python, numba.__version__, llvm.get_process_triple(), *processor)
    return hashlib.sha256("|".join(words).encode()).hexdigest()[:16]
