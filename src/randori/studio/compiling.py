"""The message while kernels are compiled: that it happens once, and how long it takes."""

import sys
import time
from pathlib import Path

from randori.folders import cache_folder

_KNOWN_AFTER = 5  # kernels, after which it is known how fast compiling goes


class CompilingWatch:
    """Counts the kernels that were compiled since it was made."""

    def __init__(self, command: str = "run"):
        self.command = command
        self.started, self.wall = time.monotonic(), time.time()

    def words(self) -> str:
        """The message to show now, or "" if nothing is compiled."""
        ahead = sys.modules.get("randori.kernels.ahead")  # a process that compiles has loaded it
        if ahead is None or not ahead.is_compiling():
            return ""
        needed = len(ahead.read_record().get(self.command, ()))
        return in_words(self._compiled(), needed, time.monotonic() - self.started)

    def _compiled(self) -> int:
        """Kernels that are new in the cache."""
        files = (cache_folder() / "kernels").glob("*/*.nbc")
        return sum(_changed(file) >= self.wall for file in files)


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it was replaced in this moment
        return 0.0


def in_words(done: int, needed: int, elapsed: float) -> str:
    """The progress of compiling, and the time that remains, as far as that is known."""
    words = "compiling for this computer, only this once"
    if done < _KNOWN_AFTER or done >= needed:
        return words
    left = elapsed * (needed - done) / done
    if left < 60.0:
        return f"{words}: less than a minute left"
    minutes = round(left / 60.0)
    return f"{words}: about {minutes} minute{'s' if minutes > 1 else ''} left"
