"""Locks between processes: an open file that ends with its process, however that ends."""

import os
import sys
from pathlib import Path
from typing import IO, Any

_FAR_OFFSET = 2**40  # bytes


def lock(file: IO[Any]) -> bool:
    """Lock an open file for this process; False if another one has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # a locked byte cannot be written there: one far behind all others is locked
            place = file.tell()
            file.seek(_FAR_OFFSET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(place)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def take(path: Path) -> IO[Any] | None:
    """A locked file of this name, or None if another process has it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError:
        return open(os.devnull)  # nothing can be written there, so there is no other process to wait for
    if lock(file):
        return file
    file.close()
    return None
