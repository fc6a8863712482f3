"""Errors in a BVH file name the file, the line and what was expected."""

import re
from pathlib import Path

import pytest
from samples import SMALL_BVH, replace_line

from randori.errors import FileError
from randori.formats import load
from randori.formats.bvh_header import DEEPEST
from randori.formats.recording import MOST_JOINTS


def nested(joints: int) -> str:
    header = "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" for n in range(1, joints))
    root = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return root + header + "}\n" * joints + f"MOTION\nFrames: 1\nFrame Time: 0.1\n{'0 ' * joints}\n"


def side_by_side(joints: int) -> str:
    header = "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n}}\n" for n in range(1, joints))
    root = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return root + header + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n"


def one_joint(channels: str) -> str:
    return f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0 {channels}\n}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n"


def changed(line: int, text: str) -> str:
    return replace_line(SMALL_BVH, line, text)


def cut(line: int) -> str:
    """Only the lines before that one."""
    return "\n".join(SMALL_BVH.split("\n")[: line - 1]) + "\n"


BAD = {
    # not motion at all
    "words": ("Dear Sir or Madam,\nplease find attached", 1, "expected HIERARCHY"),
    "another format": ('{"asset": {"version": "2.0"}}', 1, "expected HIERARCHY"),
    "only spaces": (" \n\t\n ", 3, "expected HIERARCHY"),
    "an image": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 1, "expected HIERARCHY"),
    "zeros": (b"\x00" * 5000, 1, "expected HIERARCHY"),
    "UTF-16": (SMALL_BVH.encode("utf-16"), 1, "expected HIERARCHY"),
    # the hierarchy
    "no root": (changed(2, "JOINT Hips"), 2, "expected ROOT"),
    "no name": (changed(6, "\tJOINT"), 6, "expected the name of a joint"),
    "no brace": (changed(3, ""), 4, "expected {"),
    "no offset": (changed(8, ""), 14, "expected an OFFSET before the end of joint 'Spine'"),
    "half an offset": (changed(8, "OFFSET 0 40"), 9, "expected three numbers after OFFSET"),
    "an offset of words": (
        changed(8, "OFFSET 0 forty 0"),
        8,
        "expected three numbers after OFFSET, found 'forty'",
    ),
    "an offset of nan": (changed(8, "OFFSET 0 nan 0"), 8, "found 'nan'"),
    "an infinite offset": (changed(8, "OFFSET 0 1e400 0"), 8, "found '1e400'"),
    "a long offset": (
        changed(8, "OFFSET 0 40 0 7"),
        8,
        "expected OFFSET, CHANNELS, JOINT, End Site or }, found '7'",
    ),
    "an end without offset": (changed(12, ""), 13, "expected OFFSET"),
    "an unknown channel": (changed(9, "CHANNELS 3 Xrotation Wrotation Yrotation"), 9, "found 'Wrotation'"),
    "a scale channel": (changed(9, "CHANNELS 3 Xscale Yscale Zscale"), 9, "expected 3 channels of Xposition"),
    "too few channels": (changed(9, "CHANNELS 3 Xrotation Yrotation"), 10, "expected 3 channels"),
    "too many channels": (changed(9, "CHANNELS 2 Xrotation Yrotation Zrotation"), 9, "found 'Zrotation'"),
    "a million channels": (
        changed(9, "CHANNELS 1000000 Xrotation"),
        9,
        "expected the number of channels, 0 to 6",
    ),
    "half a channel": (changed(9, "CHANNELS 1.5 Xrotation"), 9, "expected the number of channels"),
    "negative channels": (changed(9, "CHANNELS -1"), 9, "expected the number of channels"),
    "a position twice": (changed(5, "CHANNELS 2 Xposition Xposition"), 5, "expected each position once"),
    "four rotations": (changed(9, "CHANNELS 4 " + "Xrotation " * 4), 9, "at most three rotations"),
    "a duplicate name": (changed(6, "\tJOINT Hips"), 6, "joint 'Hips' stands in line 2 already"),
    "thousands of nested joints": (
        nested(5000),
        5 + 4 * (DEEPEST - 1) + 1,
        f"at most {DEEPEST} joints nested",
    ),
    "thousands of joints": (side_by_side(5000), 6 + 5 * (MOST_JOINTS - 1), f"at most {MOST_JOINTS} joints"),
    "two roots": (SMALL_BVH.replace("MOTION", "ROOT Other\n{\n}\nMOTION"), 16, "expected MOTION"),
    "a brace too many": (changed(15, "}\n}"), 16, "expected MOTION"),
    "a brace too few": (
        changed(15, ""),
        16,
        "expected OFFSET, CHANNELS, JOINT, End Site or }, found 'MOTION'",
    ),
    "a word in between": (changed(10, "ENDSITE"), 10, "found 'ENDSITE'"),
    # the numbers about the motion
    "no frame count": (changed(17, "Frame Time: 0.1"), 17, "expected the line 'Frames: '"),
    "a frame count of words": (changed(17, "Frames: three"), 17, "found 'three'"),
    "an empty frame count": (changed(17, "Frames:"), 17, "expected the line 'Frames: '"),
    "no frames": (changed(17, "Frames: 0"), 17, "at least one frame"),
    "negative frames": (changed(17, "Frames: -3"), 17, "found '-3'"),
    "digits without end": (changed(17, "Frames: " + "9" * 5000), 17, "found '9999"),
    "no frame time": (changed(18, "0 90 0 0 0 0 0 0 0"), 18, "expected the line 'Frame Time: '"),
    "an empty frame time": (changed(18, "Frame Time:"), 18, "expected the line 'Frame Time: '"),
    "a frame time of zero": (changed(18, "Frame Time: 0"), 18, "expected a frame time from"),
    "a negative frame time": (changed(18, "Frame Time: -0.0333333"), 18, "found -0.0333333"),
    "a frame time of nan": (changed(18, "Frame Time: nan"), 18, "found 'nan'"),
    "an infinite frame time": (changed(18, "Frame Time: inf"), 18, "found 'inf'"),
    "frames a second": (changed(18, "Frame Time: 30"), 18, "expected a frame time from 0.0002 to 1 seconds"),
    "a tiny frame time": (changed(18, "Frame Time: 1e-9"), 18, "found 1e-09"),
    "two frame times": (changed(18, "Frame Time: 0.1 0.2"), 18, "expected a new line, found '0.2'"),
    # the motion
    "a short row": (changed(20, "1 91 0 0 5 0 0 10"), 20, "frame 2 has 8 numbers; expected 9"),
    "a long row": (changed(20, "1 91 0 0 5 0 0 10 0 0"), 20, "frame 2 has 10 numbers; expected 9"),
    "a wrapped row": (changed(20, "1 91 0 0\n5 0 0 10 0"), 20, "frame 2 has 4 numbers; expected 9"),
    "nan": (changed(20, "1 91 0 nan 5 0 0 10 0"), 20, "expected a number from -1e+09 to 1e+09, found 'nan'"),
    "infinity": (changed(21, "2 92 0 0 -inf 0 0 20 0"), 21, "found '-inf'"),
    "too large": (changed(21, "2 92 0 0 1e12 0 0 20 0"), 21, "found '1e12'"),
    "too large for a double": (changed(21, "2 92 0 0 1e400 0 0 20 0"), 21, "found '1e400'"),
    "a word": (changed(21, "2 92 0 0 nine 0 0 20 0"), 21, "found 'nine'"),
    "a comma": (changed(21, "2 92 0 0 9,5 0 0 20 0"), 21, "found '9,5'"),
    "bytes": (changed(21, "2 92 0 0 \x00\x01 0 0 20 0"), 21, r"found '\x00\x01'"),
    "no channels at all": (one_joint("CHANNELS 0"), 7, "expected CHANNELS"),
    "no bones": (one_joint("CHANNELS 1 Xrotation"), None, "give it with unit="),
}


@pytest.mark.parametrize(("text", "line", "expected"), BAD.values(), ids=BAD.keys())
def test_the_message_names_file_line_and_what_was_expected(
    tmp_path: Path, text: str | bytes, line: int | None, expected: str
):
    path = tmp_path / "bad.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError, match=re.escape(expected)) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert caught.value.line == line
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("line", range(2, 20))
def test_a_file_cut_before_any_line_is_an_error_there(tmp_path: Path, line: int):
    path = tmp_path / "cut.bvh"
    path.write_text(cut(line))
    with pytest.raises(FileError, match="expected") as caught:
        load(path)
    # without any frame, only the declared number shows that some are missing
    assert caught.value.line == (line if line < 19 else 17)


def test_a_file_cut_at_any_byte_is_an_error_or_noted(tmp_path: Path):
    path = tmp_path / "cut.bvh"
    whole = SMALL_BVH.rstrip().encode()
    # from the last number on, a cut is only a smaller number
    for size in range(1, len(whole) - 1):
        path.write_bytes(whole[:size])
        try:
            clip = load(path)
        except FileError:
            continue
        assert clip.source.notes[0].startswith(f"the header declares 3 frames; {len(clip)} frame")


@pytest.mark.parametrize(
    ("text", "frames", "note"),
    [
        (changed(17, "Frames: 4"), 3, "the header declares 4 frames; 3 frames were found and read"),
        (changed(17, "Frames: 2"), 3, "the header declares 2 frames; 3 frames were found and read"),
        (changed(17, "Frames: 1000000000000"), 3, "the header declares 1000000000000 frames; 3 frames"),
        (cut(20), 1, "the header declares 3 frames; 1 frame was found and read"),
        (SMALL_BVH + "the end\n", 3, "line 22, after the last declared frame, is no frame"),
        (SMALL_BVH + "1 2 3\n4\n", 3, "line 22, after the last declared frame, is no frame"),
        (SMALL_BVH + "\x00\x01\x02", 3, "line 22, after the last declared frame, is no frame"),
    ],
)
def test_a_wrong_number_of_frames_or_garbage_is_noted(tmp_path: Path, text: str, frames: int, note: str):
    path = tmp_path / "odd.bvh"
    path.write_text(text)
    clip = load(path)
    assert len(clip) == frames
    assert clip.source.notes[0].startswith(note)


def test_a_line_without_end(tmp_path: Path):
    path = tmp_path / "bad.bvh"
    path.write_text(changed(20, "0 " * 800_000))
    with pytest.raises(FileError, match="expected lines of at most"):
        load(path)


def test_a_header_without_end(tmp_path: Path):
    path = tmp_path / "bad.bvh"
    path.write_text("HIERARCHY" + " " * (5 * 1024**2))
    with pytest.raises(FileError, match="header does not end within"):
        load(path)


def test_lines_are_counted_as_editors_do(tmp_path: Path):
    path = tmp_path / "bad.bvh"
    lines = changed(21, "2 92 0 0 nine 0 0 20 0").split("\n")
    path.write_bytes("\r\n".join(lines).encode())
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.line == 21
    path.write_bytes("\r".join(lines).encode())
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.line == 21
