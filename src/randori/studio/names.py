"""What is kept is named after what it is made of: files, a person's words on them, and Randori itself."""

import hashlib
from functools import lru_cache
from pathlib import Path

import randori
from randori.capture.sidecar import read_sidecar, sidecar_path
from randori.errors import FileError

# rooms that have no say in what happens in a take
_SURFACE = ("cli", "studio", "bench", "render", "scenes")


def fingerprint(path: Path) -> str:
    """Changes with a file that a scene reads, and with what a person has said about it beside it."""
    found, beside = path.stat(), sidecar_path(path)
    said = ""
    if beside.is_file():
        try:
            # what was found there is written anew with every capture: only a person's words count
            said = repr([row for row in read_sidecar(beside) if row.edited])
        except FileError as error:
            said = str(error)
    return f"{path}|{found.st_size}|{found.st_mtime_ns}|{said}"


@lru_cache(maxsize=8)
def source_hash(rooms: tuple[str, ...] = ()) -> str:
    """Of what decides what happens in a take: all rooms but the surface, or some of them."""
    digest = hashlib.sha256(randori.__version__.encode())
    root = Path(randori.__file__).parent
    for path in sorted(root.rglob("*")):
        room = path.relative_to(root).parts[0]
        if path.suffix in (".py", ".toml") and (room in rooms if rooms else room not in _SURFACE):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
