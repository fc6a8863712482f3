"""AMC: the motion of an Acclaim recording (Vicon, CMU), for the skeleton in an `.asf` file beside it."""

import os
import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from randori.errors import FileError
from randori.formats.asf import ROTATIONS, TRANSLATIONS, Anatomy, read_anatomy
from randori.formats.files import (
    Block,
    counted,
    file_size,
    line_number,
    open_file,
    quote,
    read_lines,
    read_start,
)
from randori.formats.recognise import to_clip
from randori.formats.recording import LARGEST_VALUE, ReadingOptions, Recording
from randori.formats.tables import empty_hard, fail_at_number, settle_hard
from randori.kernels import numbers
from randori.kernels.channels import turn
from randori.motion import rotations as rot
from randori.motion.clip import Clip

_USUAL_FPS = 120.0  # the format has no place for a rate; this is what its capture systems ran at
_LONGEST_HEADER = 65536  # bytes: a few lines of comments


def read(
    path: str | os.PathLike[str],
    given: ReadingOptions | None = None,
    skeleton_file: str | os.PathLike[str] | None = None,
) -> Clip:
    """The motion of an AMC file, in metres and Y up. Its skeleton is looked for beside it if not given."""
    given = given or ReadingOptions()
    with open_file(path):
        pass  # before the skeleton: a mistyped name of the file is told first
    asf = Path(skeleton_file) if skeleton_file else find_skeleton_file(Path(path))
    anatomy = read_anatomy(asf)
    recording = _Frames(Path(path), asf, anatomy).read(given.fps or _USUAL_FPS)
    return to_clip(path, recording, given)


def find_skeleton_file(path: Path) -> Path:
    """The `.asf` file for an `.amc` file: of the same name, of its subject (02.asf or 02-walk.asf for
    02_01.amc), or the only one in the folder.
    """
    try:
        beside = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == ".asf")
    except OSError:
        beside = []
    wanted = (path.stem, path.stem.rsplit("_", 1)[0])
    for stem in wanted:
        for file in beside:
            if file.stem == stem:
                return file
    subject = _subject(path.stem)
    of_subject = [file for file in beside if _subject(file.stem) == subject]
    for found in (of_subject, beside):
        if len(found) == 1:
            return found[0]
    names = " or ".join(f"{stem}.asf" for stem in dict.fromkeys(wanted))
    problem = f"expected its skeleton {names} beside it; name the file with --skeleton FILE"
    if beside:
        problem += f" (there are {', '.join(file.name for file in beside[:5])})"
    raise FileError(path, problem)


def _subject(stem: str) -> str:
    """The recorded person by a file's name: the text before the first separator."""
    return re.split(r"[_\- .]", stem, maxsplit=1)[0].lower()


class _Frames:
    """Reads the frames of one file: behind the name of each bone stand the numbers of its channels."""

    def __init__(self, path: Path, asf: Path, anatomy: Anatomy):
        self.path, self.asf, self.anatomy = path, asf, anatomy
        self.joints = [joint for joint, channels in enumerate(anatomy.channels) if channels]
        self.names = [anatomy.skeleton.names[joint] for joint in self.joints]
        self.degrees = anatomy.degrees
        self.first_frame, self.start = 1, 0  # the number and the byte of the first one

    def read(self, fps: float) -> Recording:
        self._read_header()
        first_column = np.cumsum([0, *(len(self.anatomy.channels[joint]) for joint in self.joints)])
        if first_column[-1] == 0:
            raise FileError(
                self.asf, "expected channels (order of the root, dof of the bones); there are none"
            )
        return self._to_recording(fps, self._read_table(first_column), first_column)

    def _read_header(self) -> None:
        """The lines before the first frame: comments, and whether angles are degrees."""
        lines = read_start(self.path, _LONGEST_HEADER).splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            words = line.split()
            keyword = words[0].upper() if words else b""
            if keyword in (b":DEGREES", b":RADIANS"):
                self.degrees = keyword == b":DEGREES"
            elif keyword and not keyword.startswith((b"#", b":")):
                if not (keyword.isdigit() and len(keyword) < 10):
                    problem = f"expected the number of the first frame, found {quote(words[0])}"
                    raise FileError(self.path, problem, number)
                self.first_frame = int(keyword)
                return
            self.start += len(line)
        problem = f"expected the number of the first frame in the first {_LONGEST_HEADER} bytes"
        raise FileError(self.path, problem, len(lines))

    def _read_table(self, first_column: np.ndarray) -> np.ndarray:
        """(F, columns) the numbers of all frames; name k's stand from first_column[k] on."""
        encoded = [name.encode("latin-1") for name in self.names]
        name_text = np.frombuffer(bytearray(b"".join(encoded)), dtype=np.uint8)
        seen = np.full(len(self.names), -1, dtype=np.int64)
        rows = numbers.NamedRows(
            name_text, np.cumsum([0, *map(len, encoded)]), first_column, self.first_frame, seen
        )
        # memory for as many frames as the bytes can hold: a number, the names, two bytes for each value
        shortest_frame = 2 + len(name_text) + 2 * first_column[-1]
        most = (file_size(self.path) - self.start) // shortest_frame + 1
        table = np.empty((most, first_column[-1]))
        hard = empty_hard()
        row = -1
        for block in read_lines(self.path, self.start):
            row, hards, problem, byte = numbers.parse_named_rows(
                block.letters, block.stop, rows, LARGEST_VALUE, table, row, hard
            )
            settle_hard(block, table, hard[:hards])
            if problem:
                self._explain(block, byte, problem, row, seen)
        if (seen != row).any():
            missing = quote(self.names[int(np.argmax(seen != row))])
            problem = f"the file ends here; expected {missing} in frame {self.first_frame + row}"
            raise FileError(self.path, problem, line_number(self.path, file_size(self.path)))
        return table[: row + 1]

    def _explain(self, block: Block, byte: int, problem: int, row: int, seen: np.ndarray) -> NoReturn:
        """Say what is wrong at a byte of frame `row`; `seen` (names,) is where each name stood last."""
        if problem in (numbers.NOT_A_NUMBER, numbers.TOO_LARGE):
            fail_at_number(block, byte)
        frame = self.first_frame + row
        name, *values = block.line_with(byte)
        if problem == numbers.UNKNOWN_NAME:
            expected = f"expected a bone that has channels in {self.asf.name}"
            block.fail(f"{expected}, found {quote(name)}", byte)
        if problem == numbers.NAMED_TWICE:
            block.fail(f"expected {quote(name)} once in frame {frame}, found it again", byte)
        if problem == numbers.INCOMPLETE:
            missing = quote(self.names[int(np.argmax(seen != row))])
            block.fail(f"expected {missing} in frame {frame}, which ends here", byte)
        if problem == numbers.WRONG_FRAME:
            block.fail(f"expected frame {frame + 1}, found {quote(name)}", byte)
        if problem == numbers.TABLE_FULL:
            block.fail("the file grew while it was read", byte)
        text = name.decode("latin-1")
        channels = self.anatomy.channels[self.joints[self.names.index(text)]] if text in self.names else []
        expected = f"expected {counted(len(channels))} after {quote(name)} in frame {frame}"
        block.fail(f"{expected} ({' '.join(channels)}), found {len(values)}", byte)

    def _to_recording(self, fps: float, table: np.ndarray, first_column: np.ndarray) -> Recording:
        """Channels to places and rotations, in the file's unit and axes."""
        count = len(self.anatomy.skeleton)
        column = np.zeros((count, 3), dtype=np.int64)
        axis = np.full((count, 3), -1, dtype=np.int64)
        root_position = np.tile(self.anatomy.root_position, (len(table), 1))
        moving = []
        for joint, first in zip(self.joints, first_column):
            channels = self.anatomy.channels[joint]
            # the first of them turns first; for the kernel the first axis turns last
            turning = [channel for channel in reversed(channels) if channel in ROTATIONS]
            for k, channel in enumerate(turning):
                column[joint, k], axis[joint, k] = first + channels.index(channel), ROTATIONS.index(channel)
            for channel in set(channels) - set(ROTATIONS):
                values = table[:, first + channels.index(channel)]
                if joint == 0 and channel in TRANSLATIONS:
                    root_position[:, TRANSLATIONS.index(channel)] += values
                elif np.ptp(values) > 0.0:
                    moving.append(self.anatomy.skeleton.names[joint])

        turned = np.empty((len(table), count, 4))
        turn(table if self.degrees else np.degrees(table), column, axis, turned)
        frames = self.anatomy.frames
        rotations = rot.multiply(rot.multiply(frames, turned), rot.inverse(frames))
        notes = (f"bones that change their length keep it here: {', '.join(moving)}",) if moving else ()
        return Recording(
            file=self.path.name,
            skeleton=self.anatomy.skeleton,
            fps=fps,
            root_position=root_position,
            rotations=rotations,
            stray=np.zeros(count),
            notes=notes,
            unit_hint=self.anatomy.metres_per_unit,
        )
