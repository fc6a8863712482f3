"""Files read with words that help when they cannot be, and written whole or not at all."""

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np

from randori.errors import FileError
from randori.locks import lock

LARGEST_FILE = 2 * 1024**3  # bytes: some five hours of 31 joints at 120 frames a second
LONGEST_LINE = 1024**2  # bytes: 1,000 joints with six channels of 25 characters are 150 KB

# names that Windows takes for a device, with any ending
DEVICES = re.compile(r"(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\..*)?", re.IGNORECASE)
_LONGEST_NAME = 80  # characters
_PARTIAL_PATTERN = ".????????????????.part*"
_STALE_SECONDS = 60.0  # seconds: a younger one may not be locked yet

_NOT_BLANK = re.compile(rb"[^ \t\r\n]+")


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


def file_size(path: str | os.PathLike[str]) -> int:
    """The size of a file in bytes."""
    with open_file(path) as file:
        return os.fstat(file.fileno()).st_size


def read_start(path: str | os.PathLike[str], limit: int) -> bytes:
    """The first bytes of a file, all of them where it is no longer than the limit."""
    with open_file(path) as file:
        try:
            return file.read(limit)
        except OSError as error:
            raise FileError(path, f"cannot be read: {_reason(error)}") from error


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file, the last of which ends with a line break."""

    path: str | os.PathLike[str]
    text: bytearray
    stop: int  # the lines are text[:stop]
    start: int  # the byte of the file that text[0] is

    @property
    def letters(self) -> np.ndarray:
        """(bytes,) uint8, the same memory."""
        return np.frombuffer(self.text, dtype=np.uint8)

    def word_at(self, byte: int) -> bytes:
        """The text from a byte up to the next space."""
        match = _NOT_BLANK.match(self.text, byte, self.stop)
        return match.group() if match else b""

    def line_with(self, byte: int) -> list[bytes]:
        """The words of the line that a byte stands in."""
        start = 1 + max(self.text.rfind(end, 0, byte) for end in (b"\n", b"\r"))
        return _NOT_BLANK.findall(bytes(self.text[start : self.stop]).splitlines()[0])

    def fail(self, problem: str, byte: int) -> NoReturn:
        """Say what is wrong at a byte."""
        raise FileError(self.path, problem, line_number(self.path, self.start + byte))


def read_lines(path: str | os.PathLike[str], start: int) -> Iterator[Block]:
    """All of a file from a byte on, in blocks of whole lines, so that a large file needs little memory.

    The blocks share one buffer: each is gone when the next one comes.
    """
    buffer = bytearray(LONGEST_LINE + 1)  # room for a last line break
    kept = 0
    with open_file(path) as file:
        try:
            file.seek(start)
            while True:
                count = file.readinto(memoryview(buffer)[kept:LONGEST_LINE])  # type: ignore[attr-defined]
                filled = kept + count
                if count > 0:
                    stop = 1 + buffer.rfind(b"\n", 0, filled)
                    # files from an old Mac end their lines with a return alone
                    stop = stop or 1 + buffer.rfind(b"\r", 0, filled)
                    if stop == 0 and filled == LONGEST_LINE:
                        line = line_number(path, start)
                        raise FileError(path, f"expected lines of at most {LONGEST_LINE} bytes", line)
                elif filled > 0:
                    buffer[filled] = ord("\n")  # the last line may lack it
                    stop = filled + 1
                else:
                    return
                if stop > 0:
                    yield Block(path, buffer, stop, start)
                if count == 0:
                    return
                kept = filled - stop
                buffer[:kept] = buffer[stop:filled]
                start += stop
        except OSError as error:
            raise FileError(path, f"cannot be read: {_reason(error)}") from error


def line_number(path: str | os.PathLike[str], byte: int) -> int:
    """The number of the line, from 1, that a byte of a file stands in."""
    lines, last = 1, b""
    with open_file(path) as file:
        while byte > 0 and (text := file.read(min(byte, LONGEST_LINE))):
            lines += count_lines(text)
            lines -= last == b"\r" and text[:1] == b"\n"  # one line end, cut in two
            last = text[-1:]
            byte -= len(text)
    return lines


def count_lines(text: bytes) -> int:
    """The number of line ends in a text, with any of the usual line endings."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def quote(word: bytes | str) -> str:
    """A word from a file as a message shows it: short, on one line, nothing that a terminal obeys."""
    text = word if isinstance(word, str) else word[:200].decode("utf-8", errors="replace")
    return repr(text if len(text) <= 40 else text[:40] + "…")


def counted(numbers: int) -> str:
    """So many numbers, in words."""
    return f"{numbers} number" if numbers == 1 else f"{numbers} numbers"


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that takes its name only when all of it is on the disk.

    Until then, and if anything goes wrong, what stood there before stays as it was.
    """
    target = _behind_links(path)
    # the same folder, because only within one disk is taking the name one step
    partial = partial_name(target)
    try:
        with open(partial, "xb") as file:
            lock(file)  # until it is closed: others see that a process still writes it
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except OSError as error:
        raise FileError(path, f"cannot be written: {_reason(error)}") from error
    finally:
        with suppress(OSError):  # where nothing can be written, nothing can be removed either
            partial.unlink(missing_ok=True)


def partial_name(target: Path, ending: str = "") -> Path:
    """A name beside a file for what is not whole yet. What killed processes have left there is removed."""
    _remove_stale(str(target.parent))
    return target.with_name(f".{secrets.token_hex(8)}.part{ending}")


@lru_cache(maxsize=256)  # once per folder and process
def _remove_stale(folder: str) -> None:
    """Remove partial files that no process writes any more: the lock of a process ends with it."""
    with suppress(OSError):
        for path in Path(folder).glob(_PARTIAL_PATTERN):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _STALE_SECONDS and _is_left(path):
                    path.unlink()


def _is_left(path: Path) -> bool:
    with open(path, "r+b") as file:
        return lock(file)


def safe_name(text: str) -> str:
    """Words from a file or a scene as part of a file's name, on every system: no folder, device or ending."""
    plain = re.sub(r"[^\w\- ]", "_", text).strip()[:_LONGEST_NAME].strip()
    return f"_{plain}" if not plain or DEVICES.fullmatch(plain) else plain


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
