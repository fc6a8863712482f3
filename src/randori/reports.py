"""Reports of faults inside Randori, for its developers."""

import platform
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from randori import __version__
from randori.folders import cache_folder

_KEPT_REPORTS = 20  # reports; older ones are dropped
_PACKAGES = ("numpy", "numba", "llvmlite", "pydantic", "starlette", "uvicorn", "typer", "rich", "pillow")


def write_report(error: BaseException, asked: Sequence[str]) -> Path | None:
    """Write down an error and its surroundings; None where nothing can be written."""
    folder = cache_folder() / "reports"
    words = [
        f"Randori {__version__}, Python {platform.python_version()}, {platform.platform()}",
        ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        f"asked for: {' '.join(asked)}",
        "",
        *traceback.format_exception(error),
    ]
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() // 1000 % 10**6:06d}.txt"
        path.write_text("\n".join(words), encoding="utf-8", errors="backslashreplace")
        for old in sorted(folder.glob("*.txt"))[:-_KEPT_REPORTS]:
            old.unlink(missing_ok=True)
        return path
    return None


def in_a_sentence(error: BaseException, asked: Sequence[str] | None = None) -> str:
    """One sentence about an error, and the path of its report."""
    path = write_report(error, sys.argv[1:] if asked is None else asked)
    words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    where = f"; {path} says more" if path is not None else ""
    return f"something went wrong inside Randori ({words}){where}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
