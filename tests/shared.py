"""What several tests need and is dear to make: made once, then read by every process and every run.

It is kept in the cache under a hash of all that decides what it is: Randori's sources, the file that asks and
the helpers beside it, and whatever else it is made of.
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

from randori.folders import cache_folder
from randori.formats.files import write_whole
from randori.sources import source_hash

Result = TypeVar("Result")

_TESTS = Path(__file__).parent
# what most of it is made of: what these import
_MAKERS = tuple(
    f"randori.{room}"
    for room in (
        "bench.stories",
        "scene.run",
        "policy.table",
        "prepare.repertoire",
        "performer",
    )
)
_NO_HELPERS = ("test_", "conftest", "durations")

anew = False  # whether everything is made once more in each process, to measure what it takes
_made: set[Path] = set()  # in this process


def made_once(
    name: str, make: Callable[[], Result], made_of: str = "", makers: tuple[str, ...] = _MAKERS
) -> Result:
    """What `make` gives, or gave before.

    `makers` are the modules that make it, and `made_of` says what else decides about it.
    """
    folder = cache_folder() / "tests"
    path = folder / f"{name}-{_key(Path(make.__code__.co_filename), made_of, makers)}.pickle"
    again = anew and path not in _made
    if again or not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{name}.lock"):
            if again or not path.is_file():
                _made.add(path)
                data = pickle.dumps(make(), protocol=pickle.HIGHEST_PROTOCOL)
                with write_whole(path) as file:
                    file.write(data)
                for other in folder.glob(f"{name}-????????????????.pickle"):
                    if other != path:
                        other.unlink(missing_ok=True)
    # read back even if it was just made, so that every run works on the same
    return pickle.loads(path.read_bytes())


def _key(file: Path, made_of: str, makers: tuple[str, ...]) -> str:
    """Of sources, of the file that asks and of the helpers beside it, and of what else is given."""
    parts = [_source_hash(makers), _helper_hash(file.parent), file.read_text(encoding="utf-8"), made_of]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def state_of(*folders: Path) -> str:
    """What recordings there are in some folders, in words for `made_of`: every file, as large and as new."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            about = path.stat()
            found.append(f"{path} {about.st_size} {about.st_mtime_ns}")
    return "\n".join(found)


@lru_cache(maxsize=16)
def _source_hash(makers: tuple[str, ...]) -> str:
    versions = [sys.version, version("numpy"), version("numba")]
    return " ".join([source_hash(*makers), _helper_hash(_TESTS), *versions])


@lru_cache(maxsize=64)
def _helper_hash(folder: Path) -> str:
    """Of what tests of a folder use, not of the tests themselves."""
    return _hash_of([file for file in folder.glob("*.py") if not file.name.startswith(_NO_HELPERS)])


def _hash_of(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.suffix in (".py", ".toml"):
            digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time; where the system has no such lock, two may make the same."""
    with path.open("w") as file:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)  # ends with the file, however the process ends
        yield
