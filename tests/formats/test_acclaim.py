"""ASF/AMC: joints where the format's own rules put them, and clear words about what is wrong."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from samples import SMALL_AMC, SMALL_ASF, replace_line
from scipy.spatial.transform import Rotation

from randori.errors import FileError
from randori.formats import amc, load
from randori.formats.recording import UNITS, ReadingOptions
from randori.motion.clip import Clip

AS_WRITTEN = ReadingOptions(unit="m", up="Y", drop_tpose=False)


def write_pair(folder: Path, asf: str = SMALL_ASF, amc_text: str = SMALL_AMC) -> Path:
    (folder / "02.asf").write_text(asf)
    (folder / "02_01.amc").write_text(amc_text)
    return folder / "02_01.amc"


@dataclass
class Bones:
    """Random bones, and where they end by the rule of the format: L = C M C⁻¹, end = start + R d l."""

    names: list[str]
    parents: list[int]  # -1: the root
    directions: np.ndarray
    lengths: np.ndarray
    axes: np.ndarray  # degrees
    orders: list[str]
    channels: list[list[str]]
    root_order: list[str]
    values: np.ndarray  # (F, numbers) the root's first

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Root (F, 3) and the end of each bone (F, B, 3)."""
        frames = len(self.values)
        root_turn = Rotation.identity(frames)
        root = np.zeros((frames, 3))
        for column, channel in enumerate(self.root_order):
            values = self.values[:, column]
            if channel[0] == "T":
                root[:, "XYZ".index(channel[1])] = values
            else:
                root_turn = Rotation.from_euler(channel[1].lower(), values[:, None], degrees=True) * root_turn
        column = len(self.root_order)
        ends, turns = np.zeros((frames, len(self.names), 3)), []
        for b, channels in enumerate(self.channels):
            moved = Rotation.identity(frames)
            for channel in channels:
                values = self.values[:, [column]]
                moved = Rotation.from_euler(channel[1], values, degrees=True) * moved
                column += 1
            # lower-case: about the fixed axes, the first one first
            angles = [self.axes[b]["XYZ".index(axis)] for axis in self.orders[b]]
            frame = Rotation.from_euler(self.orders[b].lower(), angles, degrees=True)
            local = frame * moved * frame.inv()
            parent = self.parents[b]
            turns.append((turns[parent] if parent >= 0 else root_turn) * local)
            start = ends[:, parent] if parent >= 0 else root
            ends[:, b] = start + turns[b].apply(self.directions[b] * self.lengths[b])
        return root, ends

    def asf(self, angle: str = "deg") -> str:
        scale = 1.0 if angle == "deg" else np.pi / 180.0
        lines = [":version 1.10", ":units", "mass 1.0", "length 1.0", f"angle {angle}", ":root"]
        lines += [
            f"order {' '.join(self.root_order)}",
            "axis XYZ",
            "position 0 0 0",
            "orientation 0 0 0",
            ":bonedata",
        ]
        for b, name in enumerate(self.names):
            lines += ["begin", f"id {b + 1}", f"name {name}"]
            lines += [
                f"direction {' '.join(map(repr, self.directions[b].tolist()))}",
                f"length {self.lengths.tolist()[b]!r}",
            ]
            lines += [f"axis {' '.join(map(repr, (scale * self.axes[b]).tolist()))} {self.orders[b]}"]
            lines += [f"dof {' '.join(self.channels[b])}"] if self.channels[b] else []
            lines += ["end"]
        lines += [":hierarchy", "begin"]
        for parent in range(-1, len(self.names)):
            children = [name for name, its in zip(self.names, self.parents) if its == parent]
            lines += [" ".join(["root" if parent < 0 else self.names[parent], *children])] if children else []
        return "\n".join([*lines, "end", ""])

    def amc(self, angle: str = "deg", first: int = 1) -> str:
        scale = 1.0 if angle == "deg" else np.pi / 180.0
        lines = ["# made for a test", ":FULLY-SPECIFIED", ":DEGREES" if angle == "deg" else ":RADIANS"]
        for number, row in enumerate(self.values, first):
            words = iter(row.tolist())
            lines += [f"{number}"]
            root = [next(words) * (1.0 if channel[0] == "T" else scale) for channel in self.root_order]
            lines += [f"root {' '.join(map(repr, root))}"]
            for name, channels in zip(self.names, self.channels):
                if channels:
                    lines += [f"{name} {' '.join(repr(next(words) * scale) for _ in channels)}"]
        return "\n".join([*lines, ""])


def random_bones(seed: int, bones: int = 9, frames: int = 6) -> Bones:
    random = np.random.default_rng(seed)
    parents = [-1] + [int(random.integers(-1, b)) for b in range(1, bones)]
    channels = [
        random.permutation(["rx", "ry", "rz"])[: random.integers(0, 4)].tolist() for _ in range(bones)
    ]
    root_order = random.permutation(["TX", "TY", "TZ", "RX", "RY", "RZ"]).tolist()
    directions = random.normal(size=(bones, 3))
    return Bones(
        names=[f"bone{b}" for b in range(bones)],
        parents=parents,
        directions=directions / np.linalg.norm(directions, axis=1, keepdims=True),
        lengths=random.uniform(1.0, 9.0, bones),
        axes=random.uniform(-180.0, 180.0, (bones, 3)),
        orders=["".join(random.permutation(list("XYZ"))) for _ in range(bones)],
        channels=channels,
        root_order=root_order,
        values=random.uniform(-90.0, 90.0, (frames, 6 + sum(map(len, channels)))),
    )


def check_ends(clip: Clip, bones: Bones) -> None:
    root, ends = bones.ends()
    skeleton = clip.skeleton
    assert skeleton.names[0] == "root"
    np.testing.assert_allclose(clip.positions[:, 0], root, rtol=0, atol=1e-9)
    for b, name in enumerate(bones.names):
        joint = skeleton.names.index(name)
        # a bone starts at its joint and ends where its children start, or at its tip
        for child in skeleton.children[joint]:
            np.testing.assert_allclose(clip.positions[:, child], ends[:, b], rtol=0, atol=1e-9)
        if not skeleton.children[joint]:
            np.testing.assert_allclose(clip.tip_positions[:, joint], ends[:, b], rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_bones_end_where_the_formats_rules_put_them(tmp_path: Path, seed: int):
    bones = random_bones(seed)
    path = write_pair(tmp_path, bones.asf(), bones.amc(first=1 + seed % 3))
    check_ends(amc.read(path, AS_WRITTEN), bones)


def test_radians_are_read_as_radians(tmp_path: Path):
    bones = random_bones(3)
    check_ends(amc.read(write_pair(tmp_path, bones.asf("rad"), bones.amc("rad")), AS_WRITTEN), bones)
    # the motion says for itself what it is in
    check_ends(amc.read(write_pair(tmp_path, bones.asf("rad"), bones.amc("deg")), AS_WRITTEN), bones)


def test_blocks_may_end_inside_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("randori.formats.files.LONGEST_LINE", 200)
    bones = random_bones(5, frames=40)
    check_ends(amc.read(write_pair(tmp_path, bones.asf(), bones.amc()), AS_WRITTEN), bones)


def test_the_unit_of_cmu_is_known(tmp_path: Path):
    clip = load(write_pair(tmp_path, SMALL_ASF))
    assert clip.source.metres_per_unit == pytest.approx(0.0564444, abs=1e-7)
    assert clip.fps == 120.0
    assert load(write_pair(tmp_path), fps=60.0).fps == 60.0


def test_the_roots_own_place_and_orientation_count(tmp_path: Path):
    asf = SMALL_ASF.replace("position 0 0 0", "position 1 2 3").replace(
        "orientation 0 0 0", "orientation 0 0 90"
    )
    clip = amc.read(write_pair(tmp_path, asf), AS_WRITTEN)
    np.testing.assert_allclose(clip.root_position, [[1, 17, 3], [1, 17, 4]])
    # turning 5 degrees about the z axis is the same in a frame that is turned about z
    np.testing.assert_allclose(
        Rotation.from_quat(clip.rotations[1, 0, [1, 2, 3, 0]]).as_euler("xyz", True), [0, 0, 5]
    )


def test_bones_that_change_their_length_are_noted(tmp_path: Path):
    asf = SMALL_ASF.replace("dof rx\n", "dof rx l\n")
    text = SMALL_AMC.replace("head 10", "head 10 5").replace("head 20", "head 20 5.5")
    clip = amc.read(write_pair(tmp_path, asf, text), AS_WRITTEN)
    assert any("head" in note for note in clip.source.notes)


def test_a_motion_that_is_not_there_is_missed_first(tmp_path: Path):
    with pytest.raises(FileError, match="does not exist"):
        load(tmp_path / "02_01.amc")


def test_the_skeleton_is_found_beside_the_motion(tmp_path: Path):
    motion = tmp_path / "02_01.amc"
    motion.write_text(SMALL_AMC)
    with pytest.raises(FileError, match=r"02_01\.asf or 02\.asf.*--skeleton"):
        load(motion)
    (tmp_path / "other.ASF").write_text(SMALL_ASF)
    assert len(load(motion)) == 2  # the only one
    (tmp_path / "third.asf").write_text("not this one")
    with pytest.raises(FileError, match="--skeleton"):
        load(motion)
    (tmp_path / "02.asf").write_text(SMALL_ASF.replace("lowerback", "back"))
    with pytest.raises(FileError, match=r"expected a bone that has channels in 02\.asf, found 'lowerback'"):
        load(motion)  # the subject's
    (tmp_path / "02_01.asf").write_text(SMALL_ASF)
    assert len(load(motion)) == 2  # its own
    assert len(load(motion, skeleton_file=tmp_path / "other.ASF")) == 2


def change(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


BAD_ASF = {
    "words": ("Dear Sir or Madam", 1, "expected a section"),
    "bytes": ("\x00\x01\x02\x03", 1, "expected a section"),
    "only comments": ("# nothing\n# here\n", 2, "expected a section :bonedata"),
    "no bones": (SMALL_ASF[: SMALL_ASF.index(":bonedata")], 14, "expected a section :bonedata"),
    "no hierarchy": (SMALL_ASF[: SMALL_ASF.index(":hierarchy")], 35, "expected a section :hierarchy"),
    "cut inside a bone": (
        SMALL_ASF[: SMALL_ASF.index("dof rx\n")],
        33,
        "expected the end of the bone from line 27",
    ),
    "a unit of zero": (change(SMALL_ASF, "length 0.45", "length 0"), 6, "expected a length above 0"),
    "a unit of words": (
        change(SMALL_ASF, "length 0.45", "length inch"),
        6,
        "expected 1 number after length",
    ),
    "another angle": (change(SMALL_ASF, "angle deg", "angle grad"), 7, "expected deg or rad"),
    "an unknown channel": (change(SMALL_ASF, "dof rx ry rz", "dof rx ry rw"), 22, "expected channels of rx"),
    "a channel twice": (change(SMALL_ASF, "dof rx ry rz", "dof rx ry rx"), 22, "each once"),
    "an unknown order": (change(SMALL_ASF, "30 XYZ", "30 XYX"), 21, "expected an order of axes such as XYZ"),
    "a short axis": (change(SMALL_ASF, "10 20 30 XYZ", "10 20 XYZ"), 21, "expected 3 numbers after axis"),
    "a direction of nan": (change(SMALL_ASF, "direction 0 1 0", "direction 0 nan 0"), 19, "found '0 nan 0'"),
    "an infinite length": (change(SMALL_ASF, "length 10", "length 1e999"), 20, "found '1e999'"),
    "a negative length": (change(SMALL_ASF, "length 10", "length -10"), 20, "expected a length of 0 or more"),
    "no name": (change(SMALL_ASF, "name lowerback", ""), 26, "expected a name in the bone from line 16"),
    "no direction": (change(SMALL_ASF, "direction 0 1 0", ""), 26, "expected a direction"),
    "no length": (change(SMALL_ASF, "length 10", ""), 26, "expected a length"),
    "a duplicate name": (change(SMALL_ASF, "name head", "name lowerback"), 35, "stands in line 16 already"),
    "a bone called root": (change(SMALL_ASF, "name head", "name root"), 35, "expected a name of its own"),
    "begin twice": (change(SMALL_ASF, "     id 2", "  begin"), 28, "found another begin"),
    "a bone without begin": (
        change(SMALL_ASF, "  begin\n     id 2\n", ""),
        27,
        "expected begin, found 'name'",
    ),
    "an unknown child": (change(SMALL_ASF, "root lowerback", "root tail"), 38, "found 'tail'"),
    "two parents": (change(SMALL_ASF, "root lowerback", "root lowerback head"), 39, "one bone only"),
    "a circle": (change(SMALL_ASF, "root lowerback", "head lowerback"), 16, "to hang on the root"),
    "a loose bone": (change(SMALL_ASF, "lowerback head", ""), 27, "expected bone 'head' to hang on the root"),
}


@pytest.mark.parametrize(("text", "line", "expected"), BAD_ASF.values(), ids=BAD_ASF.keys())
def test_what_is_wrong_with_a_skeleton_is_said(tmp_path: Path, text: str, line: int, expected: str):
    path = write_pair(tmp_path, asf=text)
    with pytest.raises(FileError, match=re.escape(expected)) as caught:
        load(path)
    assert "02.asf" in str(caught.value)
    assert caught.value.line == line


BAD_AMC = {
    "words": ("Dear Sir or Madam", 1, "expected the number of the first frame, found 'Dear'"),
    "only a header": (":FULLY-SPECIFIED\n:DEGREES\n", 2, "expected the number of the first frame"),
    "a tab that is none": (change(SMALL_AMC, "head 10", "\x0b"), 7, r"found '\x0b'"),
    "bytes": ("\x00\x01\x02", 1, "expected the number of the first frame"),
    "no number": (change(SMALL_AMC, "1\nroot", "root"), 4, "expected the number of the first frame"),
    "a frame left out": (change(SMALL_AMC, "2\nroot", "3\nroot"), 8, "expected frame 2, found '3'"),
    "half a frame": (change(SMALL_AMC, "2\nroot", "1.5\nroot"), 8, "expected frame 2, found '1.5'"),
    "a bone left out": (change(SMALL_AMC, "head 10\n", ""), 7, "expected 'head' in frame 1, which ends here"),
    "a bone twice": (change(SMALL_AMC, "head 10", "root 0 0 0 0 0 0"), 7, "expected 'root' once in frame 1"),
    "an unknown bone": (
        change(SMALL_AMC, "head 10", "tail 10"),
        7,
        "expected a bone that has channels in 02.asf",
    ),
    "a short line": (
        change(SMALL_AMC, "lowerback 2 3 4", "lowerback 2 3"),
        10,
        "expected 3 numbers after 'lowerback'",
    ),
    "a long line": (
        change(SMALL_AMC, "head 20", "head 20 30"),
        11,
        "expected 1 number after 'head' in frame 2 (rx)",
    ),
    "a word after the number": (change(SMALL_AMC, "2\nroot", "2 3\nroot"), 8, "expected 0 numbers after '2'"),
    "nan": (change(SMALL_AMC, "head 20", "head nan"), 11, "found 'nan'"),
    "infinity": (change(SMALL_AMC, "head 20", "head inf"), 11, "found 'inf'"),
    "too large": (change(SMALL_AMC, "head 20", "head 1e10"), 11, "expected a number from -1e+09 to 1e+09"),
    "too large for a double": (change(SMALL_AMC, "head 20", "head 1e400"), 11, "found '1e400'"),
    "cut between bones": (
        SMALL_AMC[: SMALL_AMC.index("head 20")],
        11,
        "the file ends here; expected 'head' in frame 2",
    ),
    "cut inside a line": (
        SMALL_AMC[: SMALL_AMC.index("3 4\nhead 20")],
        10,
        "expected 3 numbers after 'lowerback'",
    ),
}


@pytest.mark.parametrize(("text", "line", "expected"), BAD_AMC.values(), ids=BAD_AMC.keys())
def test_what_is_wrong_with_a_motion_is_said(tmp_path: Path, text: str, line: int, expected: str):
    path = write_pair(tmp_path, amc_text=text)
    with pytest.raises(FileError, match=re.escape(expected)) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert caught.value.line == line


def test_a_skeleton_without_channels(tmp_path: Path):
    asf = SMALL_ASF.replace("dof rx ry rz", "").replace("dof rx", "").replace("order TX TY TZ RX RY RZ", "")
    with pytest.raises(FileError, match="expected channels"):
        load(write_pair(tmp_path, asf))


def test_thousands_of_bones(tmp_path: Path):
    bone = "begin\nname b{}\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend\n"
    asf = ":bonedata\n" + "".join(bone.format(n) for n in range(3000)) + ":hierarchy\nbegin\nroot b0\nend\n"
    with pytest.raises(FileError, match="at most 999 bones"):
        load(write_pair(tmp_path, asf))


def test_deep_skeletons_do_not_recurse(tmp_path: Path):
    bone = "begin\nname b{}\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend\n"
    asf = (
        ":root\norder RX\n:bonedata\n" + "".join(bone.format(n) for n in range(999)) + ":hierarchy\nroot b0\n"
    )
    asf += "".join(f"b{n} b{n + 1}\n" for n in range(998))
    clip = amc.read(write_pair(tmp_path, asf, "1\nroot 5\n"), AS_WRITTEN)
    assert len(clip.skeleton) == 1000


def test_units_are_as_the_message_says():
    assert set(UNITS) == {"m", "cm", "mm", "dm", "in", "cmu"}


def test_lines_in_any_order_and_odd_spaces(tmp_path: Path):
    text = replace_line(SMALL_AMC, 5, "\thead  10")
    text = replace_line(text, 7, "root 0 15 0 \t 0 0 0   ")
    clip, plain = (
        amc.read(write_pair(tmp_path, amc_text=text), AS_WRITTEN),
        amc.read(write_pair(tmp_path), AS_WRITTEN),
    )
    np.testing.assert_array_equal(clip.positions, plain.positions)
