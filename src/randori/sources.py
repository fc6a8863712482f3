"""One hash for everything that a module depends on: what older code has made is found to be stale."""

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

# Imports are found in the text: parsing every module takes two seconds, this takes 20 ms.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(randori[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(randori\b.*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#.*")
_ONLY_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)
_DATA = re.compile(r"""files\(["']randori\.([\w.]+)["']\)""")
_ASKED_FOR = (
    "scenes"  # the name of folders that people choose from: the code that uses a scene hashes its text
)


class _Source(NamedTuple):
    """A file and the files that it names."""

    content: bytes
    used: tuple[Path, ...]


class Sources:
    """The files of a package. Each is read once."""

    def __init__(self, package: Path):
        self.package = package
        self._read: dict[Path, _Source] = {}

    def hash_of(self, *modules: str) -> str:
        """Hash of some modules ("randori.graph.performed") and of all files that they depend on."""
        digest = hashlib.sha256()
        for path in self.files_of(*modules):
            digest.update(f"{path.relative_to(self.package).as_posix()}\n".encode())
            digest.update(self._source(path).content)
        return digest.hexdigest()[:16]

    def files_of(self, *modules: str) -> list[Path]:
        """The files of some modules and of everything that they import, wherever in a file they do so.

        Modules that are imported only for their types have no say. A module that opens
        `files("randori.room")` depends on the TOML files of that room.
        """
        found: set[Path] = set()
        waiting = []
        for name in modules:
            path = self._file(name)
            if path is None:
                raise ModuleNotFoundError(f"{name} is no module in {self.package}", name=name)
            waiting.append(path)
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self._source(path).used
        return sorted(found)

    def _source(self, path: Path) -> _Source:
        if path not in self._read:
            content = path.read_bytes()
            used = tuple(self._used(content.decode())) if path.suffix == ".py" else ()
            self._read[path] = _Source(content, used)
        return self._read[path]

    def _used(self, text: str) -> Iterator[Path]:
        text = _ONLY_FOR_TYPES.sub("", text)
        for name in _imported(text):
            path = self._file(name)
            if path is not None:
                yield path
        for room in _DATA.findall(text):
            folder = self.package.joinpath(*room.split("."))
            for path in folder.rglob("*.toml"):
                if _ASKED_FOR not in path.relative_to(folder).parts:
                    yield path

    def _file(self, name: str) -> Path | None:
        """The file of a module, if it is one."""
        first, *rest = name.split(".")
        if first != "randori":
            return None
        stem = self.package.joinpath(*rest)
        for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
            if path.is_file():
                return path
        return None


@lru_cache(maxsize=128)
def source_hash(*modules: str) -> str:
    """Hash of some modules of Randori and of all files that they depend on."""
    return _RANDORI.hash_of(*modules)


def _imported(text: str) -> Iterator[str]:
    """Everything that may be a module: for `from randori.graph import places`, both."""
    for origin, names, whole in _IMPORT.findall(text):
        if origin:
            yield origin
        for name in _COMMENT.sub("", names or whole).strip("() \t\n").split(","):
            words = name.split()  # "places", or "places as others"
            if words:
                yield f"{origin}.{words[0]}" if origin else words[0]


_RANDORI = Sources(Path(__file__).parent)
