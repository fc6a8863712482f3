"""The header of a BVH file: the tree of joints with their channels, the frame count, the frame time."""

import math
import os
import re
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from randori.errors import FileError
from randori.formats.files import count_lines, quote, read_start
from randori.formats.recording import MOST_JOINTS
from randori.formats.tables import to_number

LONGEST_HEADER = 4 * 1024**2  # bytes: 1,000 joints with 256 tabs before each line are 2 MB
_USUAL_HEADER = 64 * 1024  # bytes: a hundred joints
DEEPEST = 256  # joints one below the other; a rope or a long tail has a hundred

CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ")
_IN_ANY_CASE = {channel.lower(): channel for channel in CHANNELS}

_WORD = re.compile(rb"[{}]|[^\s{}]+")
_REST_OF_LINE = re.compile(rb"[^\r\n{}]*")
_FRAMES = re.compile(rb"\s*frames\s*:[ \t]*(\S*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame\s+time\s*:[ \t]*(\S*)", re.IGNORECASE)
_END_OF_LINE = re.compile(rb"[ \t]*(\r\n|\r|\n)")


@dataclass
class Joint:
    """One joint as the header describes it."""

    name: str
    parent: int
    offset: list[float] | None = None  # units of the file
    tip: list[float] = field(default_factory=lambda: [0.0] * 3)  # to an End Site
    channels: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Header:
    joints: list[Joint]  # in the order of their channels
    frames: int  # as declared
    frames_line: int
    frame_time: float  # seconds, as written: any number
    frame_time_line: int
    end: int  # the byte where the frames begin


def read_header(path: str | os.PathLike[str]) -> Header:
    """Read the part of a BVH file before its frames."""
    text = read_start(path, _USUAL_HEADER)
    try:
        return _parse_header(_Words(path, text))
    except FileError:
        if len(text) < _USUAL_HEADER:
            raise
        return _parse_header(_Words(path, read_start(path, LONGEST_HEADER)))


def _parse_header(words: "_Words") -> Header:
    joints = _read_hierarchy(words)
    words.expect("MOTION", "MOTION after the hierarchy, which holds one ROOT")

    label = "the line 'Frames: ' with the number of frames"
    count = words.read_value(_FRAMES, label)
    if not (count.isdigit() and len(count) <= 18):
        words.fail(f"expected {label}, found {quote(count)}")
    frames_line = words.line
    words.expect_end_of_line()

    label = "the line 'Frame Time: ' with the seconds between two frames"
    seconds = words.read_value(_FRAME_TIME, label)
    frame_time = to_number(seconds.decode("latin-1"))
    if math.isnan(frame_time):
        words.fail(f"expected {label}, found {quote(seconds)}")
    frame_time_line = words.line
    words.expect_end_of_line()
    return Header(joints, int(count), frames_line, frame_time, frame_time_line, words.byte)


class _Words:
    """The words of a header one after another, and errors that know the line."""

    def __init__(self, path: str | os.PathLike[str], text: bytes):
        self.path, self.text = path, text
        self.byte = 3 if text.startswith(b"\xef\xbb\xbf") else 0  # a mark that some editors put there
        self.last = self.byte  # where the word that was read last starts

    @property
    def line(self) -> int:
        """The line of the word that was read last."""
        return self.line_at(self.last)

    def line_at(self, byte: int) -> int:
        return 1 + count_lines(self.text[:byte])

    def fail(self, problem: str) -> NoReturn:
        raise FileError(self.path, problem, self.line)

    def read(self, expected: str) -> str:
        """The next word; a brace is a word of its own."""
        match = _WORD.search(self.text, self.byte)
        if match is None:
            self.byte = self.last = len(self.text)
            if len(self.text) == LONGEST_HEADER:
                self.fail(f"the header does not end within {LONGEST_HEADER} bytes; expected {expected}")
            self.fail(f"the file ends here; expected {expected}")
        self.last, self.byte = match.span()
        return match.group().decode("utf-8", errors="replace")

    def expect(self, word: str, expected: str = "") -> None:
        found = self.read(expected or word)
        if found.upper() != word:
            self.fail(f"expected {expected or word}, found {quote(found)}")

    def expect_end_of_line(self) -> None:
        match = _END_OF_LINE.match(self.text, self.byte)
        if match is None:
            self.fail(f"expected a new line, found {quote(self.read('a new line'))}")
        self.byte = match.end()

    def read_number(self, expected: str) -> float:
        word = self.read(expected)
        value = to_number(word)
        if math.isnan(value):
            self.fail(f"expected {expected}, found {quote(word)}")
        return value

    def read_vector(self, expected: str) -> list[float]:
        return [self.read_number(expected) for _ in range(3)]

    def read_name(self, expected: str) -> str:
        """The rest of the line: names may have spaces in them."""
        match = _REST_OF_LINE.match(self.text, self.byte)
        assert match is not None  # it matches nothing, too
        self.last, self.byte = match.span()
        name = match.group().strip()
        if not name:
            self.fail(f"expected {expected}")
        try:
            return name.decode("utf-8")
        except UnicodeDecodeError:
            return name.decode("latin-1")  # where every byte is a letter, so that the name survives

    def read_value(self, label: re.Pattern[bytes], expected: str) -> bytes:
        """The word after a label such as `Frames:`."""
        match = label.match(self.text, self.byte)
        if match is None:
            self.fail(f"expected {expected}, found {quote(self.read(expected))}")
        self.last, self.byte = match.span(1)
        return match.group(1)


def _read_hierarchy(words: _Words) -> list[Joint]:
    """The joints up to the brace that closes the root. A loop, because files may nest deeper than Python."""
    words.expect("HIERARCHY", "HIERARCHY, the first word of a BVH file")
    words.expect("ROOT")
    joints: list[Joint] = []
    path: list[int] = []  # the open joints, from the root down
    first_use: dict[str, int] = {}
    word = "JOINT"  # the root is a joint like the others
    while True:
        parent = path[-1] if path else -1
        match word.upper():
            case "JOINT":
                name = words.read_name("the name of a joint")
                if name in first_use:
                    line = words.line_at(first_use[name])
                    words.fail(
                        f"joint {quote(name)} stands in line {line} already; expected a name of its own"
                    )
                if len(joints) == MOST_JOINTS:
                    words.fail(f"expected at most {MOST_JOINTS} joints; a body has fewer")
                if len(path) == DEEPEST:
                    words.fail(f"expected at most {DEEPEST} joints nested in each other; a body has fewer")
                first_use[name] = words.last
                path.append(len(joints))
                joints.append(Joint(name, parent))
                words.expect("{")
            case "OFFSET":
                joints[path[-1]].offset = words.read_vector("three numbers after OFFSET")
            case "CHANNELS":
                joints[path[-1]].channels = _read_channels(words)
            case "END":
                tip = _read_end_site(words)
                joint = joints[path[-1]]
                joint.tip = max(joint.tip, tip, key=np.linalg.norm)  # of several ends the far one
            case "}":
                joint = joints[path.pop()]
                if joint.offset is None:
                    words.fail(f"expected an OFFSET before the end of joint {quote(joint.name)}")
                if not path:
                    return joints
            case _:
                words.fail(f"expected OFFSET, CHANNELS, JOINT, End Site or }}, found {quote(word)}")
        word = words.read(f"}} at the end of joint {quote(joints[path[-1]].name)}")


def _read_channels(words: _Words) -> list[str]:
    """The channels of a joint as they are named in `CHANNELS`."""
    expected = "the number of channels"
    count = words.read_number(expected)
    if count != int(count) or not 0 <= count <= len(CHANNELS):
        words.fail(f"expected {expected}, 0 to {len(CHANNELS)}, found {count:g}")
    channels: list[str] = []
    while len(channels) < count:
        expected = f"{int(count)} channels of {', '.join(CHANNELS)}"
        word = words.read(expected)
        channel = _IN_ANY_CASE.get(word.lower())
        if channel is None:
            words.fail(f"expected {expected}, found {quote(word)}")
        if channel in channels and "position" in channel:
            words.fail(f"expected each position once, found {quote(word)} again")
        channels.append(channel)
    if sum("rotation" in channel for channel in channels) > 3:
        words.fail("expected at most three rotations")
    return channels


def _read_end_site(words: _Words) -> list[float]:
    """The offset of an `End Site`, which some files give a name."""
    words.read_name("Site after End")
    words.expect("{")
    words.expect("OFFSET")
    tip = words.read_vector("three numbers after OFFSET")
    words.expect("}")
    return tip
