"""Damage files in every way and read them: each is read or refused with a `RandoriError`, and soon.

    python tests/formats/fuzz.py --seed 1 --inputs 20000 fbx glb c3d take scene

Recordings are damaged here; takes, libraries, scenes and the other files of Randori's own in fuzz_words.py,
characters and licences in fuzz_characters.py, inputs of live sessions and scenes that are played in
fuzz_sessions.py.
An input follows from its kind, the seed and its number, so that one which fails can be read again:
`--seed 1 --first 1234 --inputs 1 glb`. The inputs are read in a second process; if that ends or hangs, the
input it was reading is reported and the next ones go on in a new process. An input that takes more than
MOST_TIME of the processor or more than MOST_MEMORY has failed, too. Readers of FBX and USD count.

`--minutes 60` goes round all kinds in turns of TURN inputs until the time is up or all inputs are read.
"""

import argparse
import io
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from samples import SMALL_AMC, SMALL_ASF, SMALL_BVH
from scene_samples import GltfBuilder, c3d_bytes, fbx_binary, fbx_text, glb_bytes, plug_in_gait, trc_text

from randori.bench.formats import made_up_clip
from randori.errors import FileError
from randori.formats import child, load_all, store
from randori.motion.clip import Clip
from randori.performer import perform
from randori.readers import fbx as fbx_reader
from randori.readers import fbx_mesh as fbx_mesh_reader
from randori.readers import usd as usd_reader
from randori.readers import usd_mesh as usd_mesh_reader
from randori.scene.export import save

_FILES_A_COPY = 500  # files that one process reads, so that leaks of other libraries do not add up
_SECONDS_A_COPY = 30.0  # of the processor, far below the limit that a reader sets for its whole process
TURN = 1000  # inputs of one kind before the next kind has its turn
LONGEST = 30.0 + child.LONGEST  # seconds by the clock for one input: more than FBX and USD readers may take
MOST_TIME = 2.0  # seconds of the processor for one input
MOST_MEMORY = 500.0  # megabytes that reading may take, beyond those that the process has when it begins
_MEMORY_DISK = Path("/dev/shm")  # files of some kilobytes are written and read there ten times faster
_WORDS = """
0 -1 1e9 1e400 nan inf 0x10 1_0 . - { } {{ }} HIERARCHY ROOT JOINT OFFSET CHANNELS MOTION Frames:
Frame Time: End Site Xrotation Zposition 999999999999 -5 root head begin end :bonedata :hierarchy
name dof axis XYZ # ö Objects: Connections: Model: AnimationCurve: KeyTime: *9999999 POINT SCALE
RATE LABELS mm
"""
_VALUES = (
    None,
    True,
    False,
    -1,
    0,
    1,
    3,
    2**31,
    -(2**40),
    1e308,
    -0.0,
    "",
    "ö",
    "VEC3",
    [],
    {},
    [[]],
    [0] * 40,
)
_NUMBERS = (0, 1, -1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1)


# Damage


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content with some bytes cut out, put in, doubled, or replaced by words and numbers."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        start = int(rng.integers(0, len(changed) + 1))
        stop = min(len(changed), start + int(rng.choice([0, 0, 1, 1, 2, 5, 20, 100])))
        match rng.integers(0, 8):
            case 0:
                changed[start:stop] = b""
            case 1:
                changed[start:stop] = rng.bytes(int(rng.integers(0, 7)))
            case 2:
                changed[start:stop] = f" {rng.choice([*_WORDS.split(), chr(10), chr(13), chr(0)])} ".encode()
            case 3:
                changed[stop:stop] = changed[start:stop] * int(rng.choice([1, 2, 50]))
            case 4:
                if rng.integers(0, 3) == 0:  # a file that ends early is refused early: rarely
                    del changed[max(start, 1) :]
            case 5 if changed:
                changed[min(start, len(changed) - 1)] ^= 1 << int(rng.integers(0, 8))
            case 6:  # a number of 1, 2, 4 or 8 bytes, from either end
                size = int(rng.choice([1, 2, 4, 8]))
                number = int(rng.choice(_NUMBERS)) % 256**size
                changed[start : start + size] = number.to_bytes(size, str(rng.choice(["little", "big"])))  # type: ignore[arg-type]
            case 7:  # a piece of it somewhere else
                piece = changed[start:stop]
                place = int(rng.integers(0, len(changed) + 1))
                changed[place : place + len(piece)] = piece
    return bytes(changed)


def damaged_document(document: Any, rng: np.random.Generator, values: Sequence[Any] = _VALUES) -> Any:
    """A JSON document in which up to three values are missing or others."""
    document = json.loads(json.dumps(document))
    for _ in range(rng.integers(1, 4)):
        node = document
        while node:
            keys = sorted(node) if isinstance(node, dict) else range(len(node))
            key = keys[int(rng.integers(0, len(keys)))]
            if isinstance(node[key], (dict, list)) and node[key] and rng.integers(0, 10):
                node = node[key]
                continue
            if rng.integers(0, 2):
                del node[key]
            else:
                node[key] = deepcopy(values[int(rng.integers(0, len(values)))])
            break
    return document


# Samples: what is damaged, and how


@cache
def small_clip() -> Clip:
    return made_up_clip(3)


@cache
def _glb() -> bytes:
    builder = GltfBuilder(small_clip())
    builder.animate("walk", small_clip())
    return builder.glb()


@cache
def _markers() -> tuple[list[str], np.ndarray]:
    labels, places = plug_in_gait(perform("boxing", seconds=1.0, seed=2)[0].clip)
    return labels, 1000.0 * places[:5]


@cache
def _c3d(processor: int, scale: float) -> bytes:
    return c3d_bytes(*_markers(), 60.0, processor, scale)


@cache
def _stored() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.npz"
        store.write(path, small_clip())
        return path.read_bytes()


@cache
def _fbx(binary: bool) -> bytes:
    return fbx_binary(fbx_text(small_clip())) if binary else fbx_text(small_clip()).encode()


def _damaged_glb(rng: np.random.Generator) -> bytes:
    """Damaged bytes, or a container in order around a damaged document."""
    glb = _glb()
    if rng.integers(0, 2):
        return damaged(glb, rng)
    length = int.from_bytes(glb[12:16], "little")
    return glb_bytes(damaged_document(json.loads(glb[20 : 20 + length]), rng), glb[20 + length + 8 :])


def _damaged_c3d(rng: np.random.Generator) -> bytes:
    """Damaged anywhere, or in its header and its parameters only."""
    content = _c3d(int(rng.choice([84, 85, 86])), float(rng.choice([-1.0, 0.1])))
    if rng.integers(0, 2):
        return damaged(content, rng)
    changed = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(0, 24)) if rng.integers(0, 2) else int(rng.integers(512, 1024))
        changed[place] = int(rng.choice([0, 1, 255, 127, 128, 80, int(rng.integers(0, 256))]))
    return bytes(changed)


def _damaged_fbx(rng: np.random.Generator) -> bytes:
    """Damaged text, or damaged binary nodes whose compressed arrays are in order."""
    if rng.integers(0, 2):
        return damaged(_fbx(False), rng)
    if rng.integers(0, 2):
        return damaged(_fbx(True), rng)
    return fbx_binary(damaged(_fbx(False), rng).decode("utf-8", "replace"))


def _damaged_npz(rng: np.random.Generator) -> bytes:
    return damaged_arrays(_stored(), rng)


def damaged_arrays(whole: bytes, rng: np.random.Generator) -> bytes:
    """Damaged bytes, or damage inside an array or its words, in a zip file whose sums are right."""
    if rng.integers(0, 4) == 0:
        return damaged(whole, rng)
    with np.load(io.BytesIO(whole)) as arrays:
        content = dict(arrays)
    if rng.integers(0, 2):
        words = damaged_document(json.loads(content["words"].tobytes()), rng)
        content["words"] = np.frombuffer(json.dumps(words).encode(), dtype="u1")
    else:
        name = sorted(content)[int(rng.integers(0, len(content)))]
        array = content[name]
        raw = damaged(array.tobytes(), rng)
        changed = np.frombuffer(raw[: len(raw) // array.itemsize * array.itemsize], dtype=array.dtype)
        content[name] = changed[: array.size].reshape(array.shape) if changed.size >= array.size else changed
    packed = io.BytesIO()
    np.savez(packed, **content)  # type: ignore[arg-type]
    return packed.getvalue()


def _text_of(text: str) -> Callable[[np.random.Generator], bytes]:
    return lambda rng: damaged(text.encode(), rng)


def _noise(rng: np.random.Generator) -> bytes:
    return rng.bytes(int(rng.integers(1, 300)))


@dataclass(frozen=True)
class Kind:
    """A sort of input: what it looks like when damaged, and what reads it."""

    damage: Callable[[np.random.Generator], bytes]
    read: Callable[[Path, bytes], bool]  # in a folder: whether it is read, and not refused


def _recording(name: str, damage: Callable[[np.random.Generator], bytes]) -> Kind:
    return Kind(damage, partial(_read_recording, name))


def _read_recording(name: str, folder: Path, content: bytes) -> bool:
    """Whether a damaged recording is read, and not refused; any other end is an error."""
    (folder / name).write_bytes(content)
    if name.endswith((".amc", ".asf")):
        for other, text in (("walk.asf", SMALL_ASF), ("walk.amc", SMALL_AMC)):
            if other != name:
                (folder / other).write_text(text)
        name = "walk.amc"
    try:
        clips = load_all(folder / name)
    except FileError:
        return False
    for clip in clips:
        check(clip)
    return True


@cache
def _usd(ending: str) -> bytes:
    """A skeleton and its animation, without the mannequin, which would be nearly all of the file."""
    from pxr import Usd, UsdGeom

    with tempfile.TemporaryDirectory() as folder:
        path, bare = Path(folder) / "walk.usda", Path(folder) / f"bare{ending}"
        save([small_clip()], path)
        stage = Usd.Stage.Open(str(path))
        for prim in [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]:
            stage.RemovePrim(prim.GetPath())
        stage.GetRootLayer().Export(str(bare))
        return bare.read_bytes()


KINDS: dict[str, Kind] = {
    "bvh": _recording("walk.bvh", _text_of(SMALL_BVH)),
    "amc": _recording("walk.amc", _text_of(SMALL_AMC)),
    "asf": _recording("walk.asf", _text_of(SMALL_ASF)),
    "npz": _recording("walk.npz", _damaged_npz),
    "glb": _recording("walk.glb", _damaged_glb),
    "c3d": _recording("walk.c3d", _damaged_c3d),
    "trc": _recording("walk.trc", lambda rng: damaged(trc_text(*_markers(), 60.0).encode(), rng)),
    "fbx": _recording("walk.fbx", _damaged_fbx),
    "usd": _recording("walk.usda", lambda rng: damaged(_usd(".usda"), rng)),
    "usdc": _recording("walk.usdc", lambda rng: damaged(_usd(".usdc"), rng)),
}
NOISY = ("walk.bvh", "walk.amc", "walk.npz", "walk.glb", "walk.gltf", "walk.c3d", "walk.trc")
KINDS |= {f"noise {Path(name).suffix[1:]}": _recording(name, _noise) for name in NOISY}


# Reading


def damaged_input(kind: str, seed: int, number: int) -> bytes:
    """The content of one input."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed, number])
    return KINDS[kind].damage(rng)


def read_or_refuse(folder: Path, kind: str, content: bytes) -> bool:
    """Whether a damaged input is read, and not refused; any other end is an error."""
    return KINDS[kind].read(folder, content)


def check(clip: Clip) -> None:
    """What is accepted is a clip that can be worked with."""
    assert len(clip) > 0
    assert clip.fps > 0.0
    assert np.isfinite(clip.positions).all()
    assert np.allclose(np.linalg.norm(clip.rotations, axis=-1), 1.0)
    assert (clip.skeleton.parents[1:] < np.arange(1, len(clip.skeleton))).all()


_READERS = {
    "fbx": fbx_reader,
    "fbx_mesh": fbx_mesh_reader,
    "usd": usd_reader,
    "usd_mesh": usd_mesh_reader,
}


class _Reader:
    """A copy of this process that reads FBX and USD files; a new one after it has ended."""

    def __init__(self) -> None:
        self.copy, self.served, self.spent = None, 0, 0.0
        self.seconds, self.megabytes = 0.0, 0.0  # of the processor, and at most, since `forget`

    def forget(self) -> None:
        self.seconds, self.megabytes = 0.0, 0.0

    def run(self, command: Sequence[str], timeout: float, **_: Any) -> subprocess.CompletedProcess[bytes]:
        """What `subprocess.run` would answer."""
        if self.copy is None or self.served >= _FILES_A_COPY or self.spent > _SECONDS_A_COPY:
            self.close()
            context = multiprocessing.get_context("fork")
            self.pipe, inner = context.Pipe()
            self.copy = context.Process(target=_serve, args=(inner, self.pipe), daemon=True)
            self.served, self.spent = 0, 0.0
            self.copy.start()
            inner.close()
        self.served += 1
        ended = _seconds_of_ended_copies()
        try:
            self.pipe.send((command[-4].rpartition(".")[2], *command[-3:]))
            code, text, seconds, megabytes = self.pipe.recv()
        except (EOFError, OSError):
            self.copy.join()
            code, text, self.copy = self.copy.exitcode, b"", None
            seconds, megabytes = _seconds_of_ended_copies() - ended - self.spent, 0.0
        self.spent += seconds
        self.seconds += seconds
        self.megabytes = max(self.megabytes, megabytes)
        return subprocess.CompletedProcess(command, code, text, b"")

    def close(self) -> None:
        if self.copy is not None:
            self.copy.kill()
            self.copy.join()


def _seconds_of_ended_copies() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _serve(pipe: Any, other: Any) -> None:
    """Read the files that are asked for, each like a program of its own, while the other end is held."""
    other.close()
    while True:
        try:
            reader, path, answer, limits = pipe.recv()
        except EOFError:
            return
        code, said = 0, io.StringIO()
        begun, held = time.process_time(), _held_megabytes()
        with redirect_stdout(said):
            try:
                _READERS[reader].main(path, answer, _limits_of_a_copy(json.loads(limits)))
            except SystemExit as end:
                code = int(end.code or 0)
            except Exception:
                code = 1
        pipe.send((code, said.getvalue().encode(), time.process_time() - begun, _megabytes() - held))


def _limits_of_a_copy(limits: dict[str, Any]) -> dict[str, Any]:
    """The limits of a reader, for a process that begins with all that the tests have loaded."""
    with suppress(OSError):  # Linux only
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return limits | {"memory": limits["memory"] + pages * resource.getpagesize()}
    return limits


@contextmanager
def lasting_readers() -> Iterator[_Reader]:
    """FBX and USD files are read in a process that stays: many more than with a new Python for each.

    All else stays as it is: the limits, the code with which a reader ends, and the answer that it writes.
    """
    reader = _Reader()
    with mock.patch.object(child.subprocess, "run", reader.run):
        try:
            yield reader
        finally:
            reader.close()


@dataclass
class Outcome:
    """What became of the inputs of one kind."""

    kind: str
    inputs: int = 0
    read: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)  # (number of the input, what happened)

    def in_words(self, seed: int) -> str:
        words = (
            f"{self.kind}: {self.inputs} inputs of seed {seed}, {self.read} read, {len(self.failures)} failed"
        )
        return "\n".join([words, *(f"  {number}: {problem}" for number, problem in self.failures)])


def attack(kind: str, seed: int, first: int, inputs: int, state: Any = None) -> Outcome:
    """Read damaged inputs of a kind one after the other in this process; `state` hears where it is."""
    outcome = Outcome(kind)
    disk = _MEMORY_DISK if _MEMORY_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(dir=disk) as name, lasting_readers() as reader:
        for number in range(first, first + inputs):
            if state is not None:
                state[0], state[1] = number, time.monotonic()
            content = damaged_input(kind, seed, number)
            try:
                was_read, took, most = _measured(Path(name), kind, content, reader)
                # The first one may have to compile kernels, or to load what reads it.
                if took > MOST_TIME or most > MOST_MEMORY:
                    was_read, took, most = _measured(Path(name), kind, content, reader)
                outcome.read += was_read
                if took > MOST_TIME:
                    outcome.failures.append((number, f"took {took:.1f} s of the processor"))
                if most > MOST_MEMORY:
                    outcome.failures.append((number, f"took {most:.0f} MB"))
            except Exception:
                outcome.failures.append((number, traceback.format_exc(limit=-3)))
            outcome.inputs += 1
    return outcome


def _measured(folder: Path, kind: str, content: bytes, reader: _Reader) -> tuple[bool, float, float]:
    """Whether an input is read, its seconds of the processor and its megabytes, in all processes."""
    reader.forget()
    held, begun = _held_megabytes(), time.process_time()
    was_read = read_or_refuse(folder, kind, content)
    took = time.process_time() - begun + reader.seconds
    return was_read, took, max(_megabytes() - held, reader.megabytes)


def _held_megabytes() -> float:
    """Memory that this process has now. From now on, `_megabytes` tells the most that it has had since."""
    with suppress(OSError):  # Linux only: elsewhere, the most of all times
        _PEAK.write_bytes(b"5")
    return _megabytes()


_PEAK = Path("/proc/self/clear_refs")


def _megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _work(queue: Any, state: Any, kind: str, seed: int, first: int, inputs: int) -> None:
    queue.put(attack(kind, seed, first, inputs, state))


def watched_attack(kind: str, seed: int, first: int, inputs: int) -> Outcome:
    """The same in other processes: one that ends or hangs is a failure of the input that it was reading."""
    context = multiprocessing.get_context("fork")
    total, last = Outcome(kind), first + inputs
    damaged_input(kind, seed, first)  # what is damaged is made once, and is there in every copy
    while first < last:
        queue, state = context.SimpleQueue(), context.Array("d", [first, time.monotonic()])
        stop = min(first + 2 * _FILES_A_COPY, last)
        worker = context.Process(target=_work, args=(queue, state, kind, seed, first, stop - first))
        worker.start()
        problem = None
        while worker.is_alive() and queue.empty():
            worker.join(0.2)
            if time.monotonic() - state[1] > LONGEST:
                problem = f"was not read within {LONGEST:g} s"
                worker.kill()
                worker.join()
        if problem is None and not queue.empty():
            part = queue.get()
            worker.join()
            stopped = stop
        else:
            stopped = int(state[0]) + 1
            part = Outcome(kind, stopped - first)
            part.failures.append((stopped - 1, problem or f"ended the process with code {worker.exitcode}"))
        total.inputs, total.read = total.inputs + part.inputs, total.read + part.read
        total.failures += part.failures
        first = stopped
    return total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", help=f"any of {', '.join(KINDS)}; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--inputs", type=int, default=2000, help="of each kind")
    parser.add_argument("--minutes", type=float, help="go round all kinds for so long at most")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"unknown kinds {', '.join(sorted(unknown))}")
    if given.minutes is None:
        outcomes = (
            watched_attack(kind, given.seed, given.first, given.inputs) for kind in given.kinds or KINDS
        )
    else:
        outcomes = in_turns(given.kinds or list(KINDS), given.seed, given.first, given.inputs, given.minutes)
    failed = 0
    for outcome in outcomes:
        print(outcome.in_words(given.seed), flush=True)
        failed += len(outcome.failures)
    sys.exit(1 if failed else 0)


def in_turns(kinds: Sequence[str], seed: int, first: int, inputs: int, minutes: float) -> Iterator[Outcome]:
    """Read some inputs of each kind in turn, until all are read or the time is up."""
    end = time.monotonic() + 60.0 * minutes
    for start in range(first, first + inputs, TURN):
        for kind in kinds:
            if time.monotonic() > end:
                return
            yield watched_attack(kind, seed, start, min(TURN, first + inputs - start))


if __name__ == "__main__":
    sys.modules["fuzz"] = sys.modules["__main__"]  # fuzz_words.py imports it by this name
    import fuzz_characters
    import fuzz_sessions
    import fuzz_words

    KINDS |= fuzz_words.KINDS | fuzz_characters.KINDS | fuzz_sessions.KINDS
    main()
