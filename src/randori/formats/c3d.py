"""Reading C3D: the places of markers, solved onto a skeleton (markers.py)."""

import os
import struct
from pathlib import Path

import numpy as np

from randori.errors import FileError
from randori.formats.files import file_size, read_start
from randori.formats.markers import Markers, solve
from randori.formats.rates import FASTEST, SLOWEST, usual_rate
from randori.formats.recording import Recording

LARGEST_FILE = 1024**3  # bytes
MOST_POINTS = 5_000
MOST_POSES = 20_000_000  # frames times markers
_BLOCK = 512  # bytes
_INTEL, _DEC, _MIPS = 84, 85, 86
_UNITS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254}
_Value = list[str] | np.ndarray


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """The motion of a body in a C3D file."""
    return solve(path, read_markers(path))


def read_markers(path: str | os.PathLike[str]) -> Markers:
    """Labels and places of all markers; a marker that was not seen is NaN."""
    if (size := file_size(path)) > LARGEST_FILE:
        raise FileError(path, f"is {size >> 20} MB large; at most {LARGEST_FILE >> 20} MB of C3D are read")
    return _Reader(Path(path), read_start(path, size)).read()


class _Reader:
    """One file, and how its computer wrote numbers."""

    def __init__(self, path: Path, content: bytes):
        self.path, self.content = path, content
        if len(content) < _BLOCK or content[1] != 0x50:
            raise FileError(path, "expected a C3D file: its second byte is 80")
        self.start = (content[0] - 1) * _BLOCK
        if not 0 < self.start <= len(content) - 4:
            raise FileError(path, f"expected parameters in block {content[0]}; the file is too short")
        self.processor = content[self.start + 3]
        if self.processor not in (_INTEL, _DEC, _MIPS):
            problem = f"expected {_INTEL}, {_DEC} or {_MIPS} as its kind of processor, found {self.processor}"
            raise FileError(path, problem)
        self.order = ">" if self.processor == _MIPS else "<"

    def read(self) -> Markers:
        parameters = self._parameters()
        points, analogs = self._words(2), self._words(4)
        first, last = self._words(6), self._words(8)
        scale, rate = self._float(12), self._float(20)
        block = self._words(16)
        points = self._count(parameters.get("POINT:USED"), points)
        scale = self._number(parameters.get("POINT:SCALE"), scale)
        rate = self._number(parameters.get("POINT:RATE"), rate)
        block = self._count(parameters.get("POINT:DATA_START"), block)
        frames = last - first + 1
        long = self._number(parameters.get("POINT:FRAMES"), 0.0)
        frames = int(long) if long > frames else frames
        if not 0 < points <= MOST_POINTS:
            raise FileError(self.path, f"expected 1 to {MOST_POINTS} markers, found {points}")
        if not (np.isfinite(rate) and SLOWEST <= rate <= FASTEST):
            raise FileError(self.path, f"expected {SLOWEST:g} to {FASTEST:g} frames a second, found {rate:g}")
        if not np.isfinite(scale) or scale == 0.0:
            raise FileError(self.path, "expected a scale for its numbers, found none")

        # Step 1. The numbers, as many as are there.
        item = 4 if scale < 0.0 else 2
        row, begin = (4 * points + analogs) * item, (block - 1) * _BLOCK
        if begin < 0 or begin >= len(self.content):
            raise FileError(self.path, f"expected its frames in block {block}, after its end")
        found = min(frames, (len(self.content) - begin) // row)
        if found <= 0:
            raise FileError(self.path, "expected at least one frame")
        if found * points > MOST_POSES:
            raise FileError(self.path, f"{found} frames of {points} markers are more than can be read")
        rows = np.frombuffer(self.content, np.uint8, found * row, begin).reshape(found, row)
        raw = np.ascontiguousarray(rows[:, : 4 * points * item])
        values = self._decode(raw, item).reshape(found, points, 4)
        places = values[..., :3] * (1.0 if scale < 0.0 else abs(scale))
        with np.errstate(invalid="ignore"):
            seen = (values[..., 3] >= 0.0) & np.isfinite(places).all(axis=-1)
            seen &= (np.abs(places) < 1e7).all(axis=-1) & (places != 0.0).any(axis=-1)
        places = np.where(seen[..., None], places, np.nan)

        # Step 2. Their names.
        labels: list[str] = []
        for key in ("POINT:LABELS", *(f"POINT:LABELS{number}" for number in range(2, 20))):
            value = parameters.get(key)
            labels += value if isinstance(value, list) else []
        labels = [*labels[:points], *(f"*{number}" for number in range(len(labels), points))]
        notes = () if found == frames else (f"{frames} frames are declared, {found} were found and read",)
        units = parameters.get("POINT:UNITS")
        unit = _UNITS.get(units[0].lower()) if isinstance(units, list) and units else None
        return Markers(labels, places, usual_rate(1.0 / rate) or rate, unit, self._up(parameters), notes)

    def _up(self, parameters: dict[str, _Value]) -> str:
        """The axis up the screen, if it says so; capture rooms have Z up."""
        screen = parameters.get("POINT:Y_SCREEN")
        if isinstance(screen, list) and screen and screen[0].strip("+- ").upper() in ("Y", "Z"):
            return screen[0].strip("+- ").upper()
        return "Z"

    def _parameters(self) -> dict[str, _Value]:
        """GROUP:NAME → texts or numbers."""
        groups: dict[int, str] = {}
        found: dict[tuple[int, str], _Value] = {}
        place = self.start + 4
        for _ in range(10_000):
            if place + 2 > len(self.content):
                break
            length, group = struct.unpack_from("bb", self.content, place)
            name_end = place + 2 + abs(length)
            if length == 0 or name_end + 2 > len(self.content):
                break
            name = self.content[place + 2 : name_end].decode("latin-1").upper()
            (step,) = struct.unpack_from(f"{self.order}H", self.content, name_end)
            if group < 0:
                groups[-group] = name
            elif (value := self._value(name_end + 2)) is not None:
                found[group, name] = value
            if step == 0:
                break
            place = name_end + step
        return {f"{groups[group]}:{name}": value for (group, name), value in found.items() if group in groups}

    def _value(self, place: int) -> _Value | None:
        """Texts or numbers of a parameter; None where the file ends before them."""
        if place + 2 > len(self.content):
            return None
        kind, dimensions = struct.unpack_from("bB", self.content, place)
        if dimensions > 7 or place + 2 + dimensions > len(self.content):
            return None
        sizes = list(self.content[place + 2 : place + 2 + dimensions])
        count, width = int(np.prod(sizes, dtype=np.int64)) if sizes else 1, abs(kind)
        data = self.content[place + 2 + dimensions : place + 2 + dimensions + count * width]
        if kind not in (-1, 1, 2, 4) or len(data) < count * width:
            return None
        if kind == -1:
            length = sizes[0] if sizes else 1
            step = max(length, 1)
            texts = [data[start : start + length] for start in range(0, len(data), step)]
            return [text.split(b"\0")[0].decode("utf-8", "replace").strip() for text in texts]
        raw = np.frombuffer(data, dtype=np.uint8)
        return raw.astype(float) if kind == 1 else self._decode(raw, kind)

    def _decode(self, raw: np.ndarray, item: int) -> np.ndarray:
        """Bytes as 16-bit whole numbers or 32-bit fractions."""
        if item == 2:
            return raw.reshape(-1).view(f"{self.order}i2").astype(float)
        if self.processor == _DEC:  # VAX: the two halves the other way round, an exponent two larger
            raw = np.ascontiguousarray(raw.reshape(-1, 2, 2)[:, ::-1])
        with np.errstate(invalid="ignore"):  # a NaN of an odd kind is a NaN
            values = raw.reshape(-1).view(f"{self.order}f4").astype(float)
        return values / 4.0 if self.processor == _DEC else values

    def _words(self, place: int) -> int:
        return int(struct.unpack_from(f"{self.order}H", self.content, place)[0])

    def _float(self, place: int) -> float:
        return float(self._decode(np.frombuffer(self.content, np.uint8, 4, place), 4)[0])

    def _number(self, value: _Value | None, otherwise: float) -> float:
        return float(value[0]) if isinstance(value, np.ndarray) and len(value) else otherwise

    def _count(self, value: _Value | None, otherwise: int) -> int:
        """A number that files write as a signed one of 16 bits."""
        number = self._number(value, float(otherwise))
        return int(number) % 65536 if np.isfinite(number) else otherwise
