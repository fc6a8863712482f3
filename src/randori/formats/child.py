"""Run third-party file readers in a process of their own, with limits on time and memory.

A broken file can crash such a library, or make it run and grow without end. Then its process ends, and the
file is refused like any other that cannot be read.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.files import file_size, open_file
from randori.formats.nodes import MOST_POSES, Motion, NodeScene
from randori.formats.rates import FASTEST, SLOWEST, usual_rate
from randori.formats.recording import LARGEST_VALUE

LONGEST = 120  # seconds
MOST_MEMORY = 4 * 1024**3  # bytes of addresses
_LEAST_GROWTH = 400 * 1024**2  # bytes that reading a small file may take
_GROWTH_A_BYTE = 100  # bytes of memory for each byte of the file: poses in it are stored ten times smaller
MOST_NODES = 20_000
LONGEST_GAP = 120  # seconds without a key: a person who moves has keys all the time
_MOST_WORDS = 16 * 1024**2  # bytes of names
_PACKAGES = {"fbx": "ufbx", "usd": "'randori[usd]'"}  # to install
_REFUSED_EXIT_CODE = 3  # exit code of a reader that has printed what is wrong


def read_scene(path: str | os.PathLike[str], kind: str, package: str) -> NodeScene:
    """The nodes and animations of a file, read by `readers/<kind>.py` with a package."""
    with _answered(path, kind, package, {}) as answer:
        return _to_scene(path, answer)


def read_answer(
    path: str | os.PathLike[str], kind: str, package: str, more: dict[str, int]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The words and arrays that `readers/<kind>.py` finds in a file; nothing about them is checked."""
    with _answered(path, kind, package, more) as answer:
        try:
            with np.load(answer, allow_pickle=False) as arrays:
                words = json.loads(bytes(arrays["words"][:_MOST_WORDS]))
                return words, {name: arrays[name] for name in arrays.files if name != "words"}
        except (OSError, ValueError, KeyError) as error:
            raise FileError(path, f"cannot be read: {str(error)[:200]}") from None


@contextmanager
def _answered(path: str | os.PathLike[str], kind: str, package: str, more: dict[str, int]) -> Iterator[Path]:
    """The file that a reader writes about a recording; `more` adds limits to the usual ones."""
    with open_file(path):
        pass  # a file that is missing or unreadable raises its error here
    name = kind.partition("_")[0]
    if find_spec(package.split(".")[0]) is None:
        raise FileError(path, f"{name.upper()} needs another package: pip install {_PACKAGES[name]}")
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.npz"
        limits = {"seconds": LONGEST, "memory": MOST_MEMORY, "poses": MOST_POSES, "nodes": MOST_NODES}
        limits["gap"] = LONGEST_GAP
        limits["growth"] = min(MOST_MEMORY, _LEAST_GROWTH + _GROWTH_A_BYTE * file_size(path))
        # -P: Python imports no module from the current folder
        command = [sys.executable, "-P", "-m", f"randori.readers.{kind}"]
        command += [os.path.abspath(path), str(answer), json.dumps(limits | more)]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL, check=False
            )
        except subprocess.TimeoutExpired:
            raise FileError(path, f"was not read within {LONGEST} s; is it damaged?") from None
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}") from error
        if done.returncode == _REFUSED_EXIT_CODE:
            raise FileError(path, done.stdout.decode("utf-8", "replace").strip()[:500] or "cannot be read")
        if done.returncode != 0 or not answer.is_file():
            raise FileError(path, f"the {name.upper()} library failed on it; the file is damaged or unusual")
        yield answer


def _to_scene(path: str | os.PathLike[str], answer: Path) -> NodeScene:
    """The nodes of a reader's answer; every number is checked, as if it came from the file itself."""
    try:
        with np.load(answer, allow_pickle=False) as arrays:
            words = json.loads(bytes(arrays["words"][:_MOST_WORDS]))
            parents, bones = arrays["parents"].astype(np.int64), arrays["bones"].astype(bool)
            rest = _motion("rest", 1.0, arrays, "rest")
            motions = [
                _motion(row["name"], row["fps"], arrays, str(number))
                for number, row in enumerate(words["motions"])
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(path, f"cannot be read: {str(error)[:200]}") from None
    count = len(parents)
    names = tuple(str(name)[:200] for name in words["names"])
    sound = len(names) == count == len(bones) and (parents < np.arange(count)).all() and (parents >= -1).all()
    for motion in (rest, *motions):
        shapes = {motion.places.shape[:2], motion.turns.shape[:2], motion.scales.shape[:2]}
        sound = sound and shapes == {(len(motion.places), count)} and len(motion.moved) == count
        sound = sound and SLOWEST <= motion.fps <= FASTEST and len(motion.places) > 0
        for values in (motion.places, motion.turns, motion.scales):
            sound = sound and bool((np.abs(values) <= LARGEST_VALUE).all())
    if not sound:
        raise FileError(path, "has places, rotations or a rate that no body has; the file is damaged")
    return NodeScene(names, parents, bones, rest, motions, words.get("unit"), words.get("up"))


def _motion(name: str, fps: float, arrays: Any, key: str) -> Motion:
    places, turns, scales = (arrays[f"{kind}_{key}"] for kind in ("places", "turns", "scales"))
    rate = usual_rate(1.0 / fps) if fps > 0.0 else None
    return Motion(
        str(name)[:200], rate or float(fps), places, turns, scales, arrays[f"moved_{key}"].astype(bool)
    )
