"""Hostile files cost little time and memory; measured in a process of its own."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from samples import SMALL_AMC, SMALL_ASF, SMALL_BVH, replace_line

READ = ("a_trillion_frames",)
MOST_MEMORY, MOST_TIME = 100.0, 1.0  # megabytes, seconds, beyond starting up

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured in /proc")

# Reads every file once; before that a good one of each kind, so that all is compiled and loaded.
_MEASURE = """
import json, pathlib, sys, time
from randori.errors import FileError
from randori.formats import load

def megabytes(key):
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split(key + ":")[1].split()[0]) / 1024

good, bad = json.loads(sys.stdin.read())
for path in good:
    load(path, unit="cm")
results = []
for path in bad:
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the highest memory so far
    before, start = megabytes("VmRSS"), time.process_time()
    try:
        load(path)
        message = "no error"
    except FileError as error:
        message = str(error)
    results.append((path, time.process_time() - start, megabytes("VmHWM") - before, message))
print(json.dumps(results))
"""


def hostile_bvh() -> Iterator[tuple[str, bytes]]:
    header = SMALL_BVH[: SMALL_BVH.index("0 90 0")]
    yield "a trillion frames", replace_line(SMALL_BVH, 17, "Frames: 1000000000000").encode()
    yield "thirty megabytes of zeros", bytes(30_000_000)
    yield "thirty megabytes of letters", b"x" * 30_000_000
    yield "thirty megabytes of spaces", b" " * 30_000_000
    yield "ten million empty lines", header.encode() + b"\n" * 10_000_000
    yield "ten million short rows", header.encode() + b"1\n" * 10_000_000
    yield "one endless row", header.encode() + b"1 " * 10_000_000
    yield "an endless number", header.encode() + b"1" * 20_000_000
    yield "an endless fraction", header.encode() + b"0." + b"1" * 900_000 + b"\n"
    yield (
        "a promise that the bytes could keep",
        header.replace("Frames: 3", "Frames: 5000000").encode() + b"1 " * 9_000_000,
    )
    yield "a million joints", b"HIERARCHY\n" + b"ROOT a\n{\nOFFSET 0 0 0\n" * 500_000
    deep = "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n" for n in range(300_000))
    yield "nested joints", f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\n{deep}".encode()
    wide = "".join(f"JOINT j{n} {{ OFFSET 0 1 0 }}\n" for n in range(300_000))
    yield "side by side", f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\n{wide}".encode()
    yield "a long name", b"HIERARCHY\nROOT " + b"a" * 10_000_000 + b"\n{\n"
    yield (
        "channels without end",
        replace_line(SMALL_BVH, 9, "CHANNELS 6 " + "Xrotation " * 3_000_000).encode(),
    )
    yield "open braces", b"HIERARCHY ROOT a " + b"{" * 20_000_000
    many = header.replace("Frames: 3", "Frames: 300000").encode() + b"0 90 0 0 0 0 0 0 0\n" * 299_999
    yield "three hundred thousand frames, one cut", many + b"0 90 0"


def hostile_amc() -> Iterator[tuple[str, bytes]]:
    yield "numbers without end", b"1\nroot " + b"1 " * 10_000_000
    yield "frames without bones", b"".join(b"%d\n" % n for n in range(1, 1_000_000))
    yield "zeros", bytes(30_000_000)
    yield "comments without end", b"# \n" * 10_000_000
    yield "a long name", b"1\n" + b"a" * 20_000_000
    yield (
        "many frames, one cut",
        SMALL_AMC.encode()
        + b"".join(b"%d\nroot 0 0 0 0 0 0\nlowerback 1 2 3\nhead 4\n" % n for n in range(3, 100_000))
        + b"100000\nroot",
    )


def hostile_npz(folder: Path) -> Iterator[Path]:
    bomb = folder / "bomb.npz"
    names = ("words", "parents", "offsets", "tips", "reference", "root_position", "rotations")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in names:
            archive.writestr(f"{name}.npy", bytes(40_000_000))
    yield bomb
    crowd = folder / "crowd.npz"
    with zipfile.ZipFile(crowd, "w") as archive:
        for n in range(100_000):
            archive.writestr(f"{n}", b"")
    yield crowd
    zeros = folder / "zeros.npz"
    zeros.write_bytes(bytes(30_000_000))
    yield zeros
    foreign = folder / "foreign.npz"
    np.savez(foreign, frames=np.zeros(5_000_000))
    yield foreign


def measure(good: list[Path], bad: list[Path]) -> list[tuple[str, float, float, str]]:
    question = json.dumps([[str(path) for path in good], [str(path) for path in bad]])
    command = [sys.executable, "-c", _MEASURE]
    result = subprocess.run(command, input=question, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return [tuple(row) for row in json.loads(result.stdout)]


def test_hostile_files_cost_little_time_and_memory(tmp_path: Path):
    (tmp_path / "good.bvh").write_text(SMALL_BVH)
    (tmp_path / "good.amc").write_text(SMALL_AMC)
    (tmp_path / "skeleton.asf").write_text(SMALL_ASF)
    good = [tmp_path / "good.bvh", tmp_path / "good.amc"]
    bad = []
    for ending, files in ((".bvh", hostile_bvh()), (".amc", hostile_amc())):
        for name, content in files:
            path = tmp_path / (name.replace(" ", "_") + ending)
            path.write_bytes(content)
            bad.append(path)
    bad += hostile_npz(tmp_path)
    results = measure(good, bad)
    assert len(results) == len(bad)
    for path, seconds, megabytes, message in results:
        # a wrong number of frames is no reason to refuse a file; it must cost nothing all the same
        assert path in message or (message == "no error" and Path(path).stem in READ), f"{path}: {message}"
        assert seconds < MOST_TIME, f"{path} took {seconds:.2f} s"
        assert megabytes < MOST_MEMORY, f"{path} took {megabytes:.0f} MB"
