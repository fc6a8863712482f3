"""The history of a session, tick by tick, however long it is: older rows lie in a file, not in memory."""

import tempfile
from typing import IO

import numpy as np

from randori.folders import cache_folder

_IN_MEMORY = 3600  # rows, a minute at sixty ticks a second: short takes never touch the disk


class History:
    """Rows of arrays, each of the same shapes; the file has no name and goes with the process."""

    def __init__(self, in_memory: int = _IN_MEMORY):
        self._rows: list[tuple[np.ndarray, ...]] = []
        self._most = in_memory
        self._file: IO[bytes] | None = None
        self._written = 0  # rows that are in the file

    def __len__(self) -> int:
        return self._written + len(self._rows)

    def append(self, *row: np.ndarray) -> None:
        """Add a row; it must not be changed after that."""
        self._rows.append(row)
        if len(self._rows) == self._most:
            self._write()

    def column(self, number: int) -> np.ndarray:
        """(T, …) one of the arrays, of all rows."""
        recent = [row[number] for row in self._rows]
        if self._file is None:
            return np.array(recent)
        first = self._layout[number]
        found = np.empty((len(self), *first.shape), dtype=first.dtype)
        before = sum(one.nbytes for one in self._layout[:number])
        whole = sum(one.nbytes for one in self._layout)
        for start in range(0, self._written, self._most):
            self._file.seek(start * whole + before * self._most)
            content = self._file.read(self._most * first.nbytes)
            part = found[start : start + self._most]
            part[...] = np.frombuffer(content, dtype=first.dtype).reshape(part.shape)
        if recent:
            found[self._written :] = recent
        return found

    def _write(self) -> None:
        """Move all rows to the end of the file, one array after the other."""
        if self._file is None:
            self._layout = self._rows[0]
            folder = cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (it is open as long as this is)
        self._file.seek(0, 2)
        for number in range(len(self._layout)):
            self._file.write(np.array([row[number] for row in self._rows]).tobytes())
        self._written += len(self._rows)
        self._rows = []
