"""The cache as a whole: its size by kind, clearing it, and keeping it below a limit.

Everything in it can be made again. Any file in it may vanish or be damaged; readers then treat it as absent.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from randori.errors import RandoriError
from randori.folders import cache_folder

KINDS = {
    "kernels": "compiled code",
    "libraries": "motions that the performer has recorded",
    "patches": "patches of scenes that are composed",
    "controllers": "what avatars have learned",
    "takes": "takes that the studio has simulated",
    "studio": "recordings that the studio has captured",
    "reports": "reports of unexpected errors",
}
LIMIT = 10 * 1024**3  # bytes of everything together; RANDORI_CACHE_LIMIT sets another, in gigabytes
_IN_USE = 3600.0  # seconds: a file written or used so recently may belong to a process that runs
_CHECKED_EVERY = 24 * 3600.0  # seconds


@dataclass(frozen=True)
class Kind:
    """The contents of the cache of one kind."""

    name: str
    words: str
    files: int
    size: int  # bytes


def kinds() -> list[Kind]:
    """All that there is."""
    found = []
    for name, words in KINDS.items():
        sizes = [size for _, size, _ in _files(cache_folder() / name)]
        found.append(Kind(name, words, len(sizes), sum(sizes)))
    return found


def limit() -> int:
    """Bytes that the cache may have."""
    given = os.environ.get("RANDORI_CACHE_LIMIT", "")
    if not given:
        return LIMIT
    try:
        gigabytes = float(given)
        if not 0.0 <= gigabytes < 1e6:
            raise ValueError
    except ValueError:
        raise RandoriError(
            f"RANDORI_CACHE_LIMIT: a number of gigabytes is expected, not {given[:40]!r}"
        ) from None
    return int(gigabytes * 1024**3)


def clear(name: str) -> int:
    """Remove all of one kind; bytes that are free again."""
    folder = cache_folder() / name
    before = sum(size for _, size, _ in _files(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return before - sum(size for _, size, _ in _files(folder))


def trim(most: int | None = None) -> int:
    """Remove what was not used for longest until the cache keeps its limit; bytes that are free again."""
    most = limit() if most is None else most
    found = sorted(file for name in KINDS for file in _files(cache_folder() / name))
    size = sum(row[1] for row in found)
    freed = 0
    for used, bytes_, path in found:
        if size - freed <= most or time.time() - used < _IN_USE:
            break
        with suppress(OSError):
            path.unlink()
            freed += bytes_
    return freed


def trim_now_and_then() -> None:
    """Once a day: a command that has ended looks whether the cache has grown too large."""
    mark = cache_folder() / "trimmed"
    with suppress(OSError):
        if mark.is_file() and time.time() - mark.stat().st_mtime < _CHECKED_EVERY:
            return
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        trim()


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """The time of the last use of each file, its bytes, and its path."""
    for path in folder.rglob("*") if folder.is_dir() else ():
        try:
            about = path.lstat()
        except OSError:
            continue  # another process has just removed it
        if path.is_file() and not path.is_symlink():
            yield max(about.st_atime, about.st_mtime), about.st_size, path
