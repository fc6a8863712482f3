"""What several tests need and is dear to make: made once, then read by every process and every run.

It is kept in the cache under a hash of all that decides what it is: Randori's sources, the tests beside the
one that asks, and whatever else it is made of.
"""

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import randori
from randori.folders import cache_folder
from randori.formats.files import write_whole

Result = TypeVar("Result")

_SOURCES, _TESTS = Path(randori.__file__).parent, Path(__file__).parent
_SURFACE = ("bench", "cli", "studio")  # rooms that only ask for what others make


def made_once(name: str, make: Callable[[], Result], made_of: str = "") -> Result:
    """What `make` gives, or gave before; `made_of` says what else decides about it."""
    folder = cache_folder() / "tests"
    path = folder / f"{name}-{_key(Path(make.__code__.co_filename).parent, made_of)}.pickle"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{name}.lock"):
            if not path.is_file():
                data = pickle.dumps(make(), protocol=pickle.HIGHEST_PROTOCOL)
                with write_whole(path) as file:
                    file.write(data)
                for other in folder.glob(f"{name}-????????????????.pickle"):
                    if other != path:
                        other.unlink(missing_ok=True)
    # read back even if it was just made, so that every run works on the same
    return pickle.loads(path.read_bytes())


def _key(folder: Path, made_of: str) -> str:
    """Of sources, of the tests in a folder, and of what else is given."""
    return hashlib.sha256(f"{_source_hash()} {_hash_of(folder, False)} {made_of}".encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _source_hash() -> str:
    rooms = [path for path in sorted(_SOURCES.iterdir()) if path.is_dir() and path.name not in _SURFACE]
    hashes = [_hash_of(room, True) for room in rooms] + [_hash_of(_SOURCES, False), _hash_of(_TESTS, False)]
    versions = [sys.version, version("numpy"), version("numba")]
    return hashlib.sha256(" ".join([*hashes, *versions]).encode()).hexdigest()


@lru_cache(maxsize=64)
def _hash_of(folder: Path, deep: bool) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*") if deep else folder.glob("*")):
        if path.suffix in (".py", ".toml"):
            digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time; where the system has no such lock, two may make the same."""
    with path.open("w") as file:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)  # ends with the file, however the process ends
        yield
