"""ASF: the skeleton of an Acclaim recording (Vicon, CMU). Its motion stands in `.amc` files beside it."""

import math
import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from randori.errors import FileError
from randori.formats.files import counted, quote, read_start
from randori.formats.recording import MOST_JOINTS
from randori.formats.tables import to_number
from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton

LONGEST_FILE = 4 * 1024**2  # bytes: 1,000 bones are 0.3 MB
ROOT = "root"
ROTATIONS = ("rx", "ry", "rz")
TRANSLATIONS = ("tx", "ty", "tz")
_CHANNELS = (*ROTATIONS, *TRANSLATIONS, "l")  # l: along the bone
_SECTIONS = (":units", ":root", ":bonedata", ":hierarchy")
_INCH = 0.0254  # metres


@dataclass
class Bone:
    """A bone starts where its parent ends, and runs along its direction."""

    line: int
    name: str = ""
    direction: list[float] = field(default_factory=list)  # in the world, when nothing is turned
    length: float = -1.0  # units of the file
    angles: list[float] = field(default_factory=lambda: [0.0] * 3)  # of the frame that its channels turn in
    order: str = "XYZ"  # of those angles: about X first
    channels: list[str] = field(default_factory=list)  # in the order of the numbers; the first turns first


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A skeleton made of bones. The joint of a bone is where the bone starts; joint 0 is the root."""

    skeleton: Skeleton  # units of the file
    channels: list[list[str]]  # for each joint, in the order of the numbers
    frames: np.ndarray  # (J, 4) the frame that each joint's channels turn in
    root_position: np.ndarray  # (3,) units of the file, where the root's channels start from
    metres_per_unit: float  # if the file's lengths are inches over its unit, as they should be
    degrees: bool


def read_anatomy(path: str | os.PathLike[str]) -> Anatomy:
    """Read an ASF file."""
    text = read_start(path, LONGEST_FILE + 1)
    if len(text) > LONGEST_FILE:
        raise FileError(path, f"expected a skeleton; it is longer than {LONGEST_FILE} bytes")
    return _Reader(path, text).read()


class _Reader:
    """Goes through the lines of a file and keeps what each section says."""

    def __init__(self, path: str | os.PathLike[str], text: bytes):
        self.path, self.text = path, text
        self.line = 1
        self.length_unit, self.degrees = 1.0, True
        self.root = Bone(1, ROOT, direction=[0.0] * 3, length=0.0)
        self.root_position = [0.0] * 3
        self.bones: dict[str, Bone] = {}
        self.bone: Bone | None = None  # the one that is being read
        self.children: defaultdict[str, list[str]] = defaultdict(list)
        self.parents: dict[str, str] = {}

    def fail(self, problem: str) -> NoReturn:
        raise FileError(self.path, problem, self.line)

    def read(self) -> Anatomy:
        readers = (self._read_unit, self._read_root, self._read_bone, self._read_family)
        by_section = dict(zip(_SECTIONS, readers))
        section, seen = "", set()
        for number, line in enumerate(self.text.splitlines(), 1):
            self.line = number
            words = line.split(b"#", 1)[0].decode("latin-1").split()
            if not words:
                continue
            if words[0].startswith(":"):
                section = words[0].lower()
                seen.add(section)
            elif not section:
                self.fail(f"expected a section such as :version or :units, found {quote(words[0])}")
            elif section in by_section:
                by_section[section](words)
        if self.bone is not None:
            self.fail(f"the file ends here; expected the end of the bone from line {self.bone.line}")
        for section in (":bonedata", ":hierarchy"):
            if section not in seen:
                self.fail(f"the file ends here; expected a section {section}")
        return self._to_anatomy()

    def _read_unit(self, words: list[str]) -> None:
        match words[0].lower():
            case "length":
                (self.length_unit,) = self._numbers(words, 1)
                if self.length_unit <= 0.0:
                    self.fail(f"expected a length above 0, found {self.length_unit:g}")
            case "angle":
                if words[1:] not in (["deg"], ["rad"]):
                    self.fail(f"expected deg or rad after angle, found {quote(' '.join(words[1:]))}")
                self.degrees = words[1] == "deg"

    def _read_root(self, words: list[str]) -> None:
        match words[0].lower():
            case "order":
                self.root.channels = self._channels(words)
            case "axis":
                self.root.order = self._order(words[1:])
            case "position":
                self.root_position = self._numbers(words, 3)
            case "orientation":
                self.root.angles = self._numbers(words, 3)

    def _read_bone(self, words: list[str]) -> None:
        keyword = words[0].lower()
        if keyword == "begin":
            if self.bone is not None:
                self.fail(f"expected the end of the bone from line {self.bone.line}, found another begin")
            self.bone = Bone(self.line)
            return
        if self.bone is None:
            self.fail(f"expected begin, found {quote(words[0])}")
        match keyword:
            case "name":
                self.bone.name = " ".join(words[1:])
            case "direction":
                self.bone.direction = self._numbers(words, 3)
            case "length":
                (self.bone.length,) = self._numbers(words, 1)
                if self.bone.length < 0.0:
                    self.fail(f"expected a length of 0 or more, found {self.bone.length:g}")
            case "axis":
                self.bone.angles = self._numbers(words[:4], 3)
                self.bone.order = self._order(words[4:])
            case "dof":
                self.bone.channels = self._channels(words)
            case "end":
                self._close_bone(self.bone)
                self.bone = None

    def _close_bone(self, bone: Bone) -> None:
        given = {"name": bool(bone.name), "direction": bool(bone.direction), "length": bone.length >= 0.0}
        for what, is_given in given.items():
            if not is_given:
                self.fail(f"expected a {what} in the bone from line {bone.line}")
        if bone.name == ROOT or bone.name in self.bones:
            place = f"line {self.bones[bone.name].line}" if bone.name in self.bones else "the section :root"
            self.fail(f"bone {quote(bone.name)} stands in {place} already; expected a name of its own")
        if len(self.bones) == MOST_JOINTS - 1:
            self.fail(f"expected at most {MOST_JOINTS - 1} bones; a body has fewer")
        self.bones[bone.name] = bone

    def _read_family(self, words: list[str]) -> None:
        if words[0].lower() in ("begin", "end"):
            return
        parent, *children = words
        for name in words:
            if name != ROOT and name not in self.bones:
                self.fail(f"expected a bone of the section :bonedata, found {quote(name)}")
        for child in children:
            if child == ROOT or child in self.parents:
                self.fail(f"expected {quote(child)} to hang on one bone only")
            self.parents[child] = parent
            self.children[parent].append(child)

    def _to_anatomy(self) -> Anatomy:
        names, parents = [ROOT], [-1]
        waiting = [(child, 0) for child in reversed(self.children[ROOT])]
        while waiting:
            name, parent = waiting.pop()
            waiting += [(child, len(names)) for child in reversed(self.children[name])]
            names.append(name)
            parents.append(parent)
        for bone in self.bones.values():
            if bone.name not in names:
                self.line = bone.line
                self.fail(f"expected bone {quote(bone.name)} to hang on the root in the section :hierarchy")

        bones = [self.root, *(self.bones[name] for name in names[1:])]
        ends = np.array([np.multiply(bone.direction, bone.length) for bone in bones])
        offsets = np.array([ends[parent] if parent > 0 else np.zeros(3) for parent in parents])
        last = ~np.isin(np.arange(len(bones)), parents)
        skeleton = Skeleton(
            tuple(names), np.array(parents, dtype=np.int64), offsets, np.where(last[:, None], ends, 0.0)
        )
        radians = math.radians(1.0) if self.degrees else 1.0
        frames = np.array([_turn(np.multiply(bone.angles, radians), bone.order) for bone in bones])
        channels = [bone.channels for bone in bones]
        unit = _INCH / self.length_unit
        return Anatomy(skeleton, channels, frames, np.array(self.root_position), unit, self.degrees)

    def _numbers(self, words: list[str], count: int) -> list[float]:
        """The numbers after a keyword."""
        values = [to_number(word) for word in words[1:]]
        if len(values) != count or any(math.isnan(value) for value in values):
            self.fail(f"expected {counted(count)} after {words[0]}, found {quote(' '.join(words[1:]))}")
        return values

    def _order(self, words: list[str]) -> str:
        """Three axes in a word."""
        if len(words) != 1 or sorted(words[0].upper()) != ["X", "Y", "Z"]:
            self.fail(f"expected an order of axes such as XYZ, found {quote(' '.join(words))}")
        return words[0].upper()

    def _channels(self, words: list[str]) -> list[str]:
        """The channels after a keyword."""
        channels = [word.lower() for word in words[1:]]
        if not set(channels) <= set(_CHANNELS) or len(set(channels)) < len(channels):
            known = ", ".join(_CHANNELS)
            self.fail(f"expected channels of {known}, each once; found {quote(' '.join(words[1:]))}")
        return channels


def _turn(angles: np.ndarray, order: str) -> np.ndarray:
    """(4,) the rotation by angles (3,) in radians about the axes of the world, one after the other.

    The angles belong to the axes X, Y, Z, in any order.
    """
    turned = rot.IDENTITY
    for name in order:
        axis = "XYZ".index(name)
        turned = rot.multiply(rot.from_axis_angle(np.eye(3)[axis], angles[axis]), turned)
    return turned
