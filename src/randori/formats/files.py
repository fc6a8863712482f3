"""Files read with words that help when they cannot be, and written whole or not at all."""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from randori.errors import FileError

LARGEST_FILE = 2 * 1024**3  # bytes: some five hours of 31 joints at 120 frames a second
LONGEST_LINE = 1024**2  # bytes: 1,000 joints with six channels of 25 characters are 150 KB


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A file opened for reading as bytes; what stands in the way is a `FileError` that names it."""
    try:
        status = os.stat(path)
        # asked before opening: opening a pipe would wait for its other end
        if stat.S_ISDIR(status.st_mode):
            raise FileError(path, "is a folder; a file was expected")
        if not stat.S_ISREG(status.st_mode):
            raise FileError(path, "is not an ordinary file")
        if status.st_size == 0:
            raise FileError(path, "is empty")
        if status.st_size > LARGEST_FILE:
            size, most = status.st_size / 1024**3, LARGEST_FILE // 1024**3
            raise FileError(path, f"is {size:.1f} GB large; at most {most} GB are read")
        return open(path, "rb")
    except FileNotFoundError as error:
        raise FileError(path, "does not exist") from error
    except PermissionError as error:
        raise FileError(path, "may not be read: permission denied") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise FileError(path, f"cannot be read: {_reason(error)}") from error


def read_start(path: str | os.PathLike[str], limit: int) -> bytes:
    """The first bytes of a file, all of them where it is no longer than the limit."""
    with open_file(path) as file:
        try:
            return file.read(limit)
        except OSError as error:
            raise FileError(path, f"cannot be read: {_reason(error)}") from error


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file."""

    text: bytearray
    stop: int  # the lines are text[:stop]
    line: int  # the number of the first one in its file, from 1

    @property
    def array(self) -> np.ndarray:
        """(bytes,) uint8, the same memory."""
        return np.frombuffer(self.text, dtype=np.uint8)

    def line_at(self, byte: int) -> int:
        """The number of the line that a byte stands in."""
        return self.line + count_lines(self.text, byte)

    def word_at(self, byte: int) -> str:
        """The word that starts at a byte, shortened for a message."""
        return quote(bytes(self.text[byte : min(byte + 100, self.stop)]).split(maxsplit=1)[0])

    def words_of_line(self, byte: int) -> list[bytes]:
        """The words of the line that a byte stands in."""
        start = 1 + max(self.text.rfind(end, 0, byte) for end in (b"\n", b"\r"))
        lines = bytes(self.text[start : self.stop]).splitlines()
        return lines[0].split()


def read_lines(path: str | os.PathLike[str], start: int, line: int) -> Iterator[Block]:
    """All of a file from a byte on, in blocks of whole lines, so that a large file needs little memory.

    The blocks share one buffer: each is gone when the next one comes.
    """
    buffer = bytearray(LONGEST_LINE)
    kept = 0
    with open_file(path) as file:
        try:
            file.seek(start)
            while True:
                count = file.readinto(memoryview(buffer)[kept:])  # type: ignore[attr-defined]
                filled = kept + count
                stop = filled
                if count > 0:
                    stop = 1 + buffer.rfind(b"\n", 0, filled)
                    # a file from an old Mac ends its lines with a return alone
                    stop = stop or 1 + buffer.rfind(b"\r", 0, filled)
                if stop > 0:
                    yield Block(buffer, stop, line)
                    line += count_lines(buffer, stop)
                elif filled == len(buffer):
                    raise FileError(
                        path, f"a line of more than {LONGEST_LINE} bytes; no motion needs that", line
                    )
                if count == 0:
                    return
                kept = filled - stop
                buffer[:kept] = buffer[stop:filled]
        except OSError as error:
            raise FileError(path, f"cannot be read: {_reason(error)}") from error


def count_lines(text: bytes | bytearray, stop: int) -> int:
    """How many lines end in text[:stop], whatever they end with."""
    return text.count(b"\n", 0, stop) + text.count(b"\r", 0, stop) - text.count(b"\r\n", 0, stop)


def quote(word: bytes | str, longest: int = 40) -> str:
    """A word from a file as a message shows it: short, on one line, nothing that a terminal obeys."""
    text = word if isinstance(word, str) else word.decode("utf-8", errors="replace")
    text = text if len(text) <= longest else text[:longest] + "…"
    return repr(text)


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that takes its name only when all of it is on the disk.

    Until then, and if anything goes wrong, what stood there before stays as it was.
    """
    target = _behind_links(path)
    # the same folder, because only within one disk is taking the name one step
    partial = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(partial, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except OSError as error:
        raise FileError(path, f"cannot be written: {_reason(error)}") from error
    finally:
        partial.unlink(missing_ok=True)


def _behind_links(path: str | os.PathLike[str]) -> Path:
    """The place that a path leads to, if an ordinary file can stand there. A link to it stays a link."""
    try:
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise FileError(path, f"cannot be written: there is no folder {target.parent}")
        if target.exists() and not target.is_file():
            raise FileError(path, "cannot be written over: it is not an ordinary file")
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be written: {_reason(error)}") from error
    return target


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
