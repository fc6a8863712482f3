"""Kill commands at random moments: no half file, and nothing that the next run stumbles over.

    PYTHONPATH=tests python tests/kill.py --seed 1 --kills 100

Every victim writes into a folder that holds what the one before it has left, and into one cache. After each
kill every file with a proper name has to be whole; in the end each command runs to its end, and files that
were not finished are gone.

Most victims are copies of this process, which has loaded Randori already: a command that is killed while it
loads shows nothing. Every tenth victim is a new Python.
"""

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from randori.cli import main as main_of_randori
from randori.errors import RandoriError
from randori.folders import cache_folder
from randori.formats import files, load_all
from randori.formats.files import write_whole
from randori.graph import library_file
from randori.graph.library_file import is_library
from randori.performer import perform
from randori.scene.export import save
from randori.scene.take import Take
from randori.scene.take_file import is_take

_NEW_PYTHON = 10  # victims of which one is a new Python
_TOLD = 20  # kills after which the state is printed
_LONGEST = 600.0  # seconds that a command may take to its end
_ENDS = {".png": b"IEND\xaeB`\x82", ".json": b"}"}  # of files that are whole
COMMANDS = (
    "perform boxing --seconds 5 --out out",
    "capture take.bvh --out out/library.npz",
    "export take.bvh --out out/copy.npz",
    "export take.bvh --out out/copy.glb",
    "sheet take.bvh --frames 4 --columns 4 --out out/sheet.png",
    "run boxing --seconds 1 --out out --format bvh",
)


def start(line: str, folder: Path, cache: Path) -> subprocess.Popen[bytes]:
    """A command as a person starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "randori", *line.split()],
        cwd=folder,
        env=os.environ | {"RANDORI_CACHE": str(cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def start_copy(line: str, folder: Path, cache: Path) -> int:
    """A command in a copy of this process: its number."""
    number = os.fork()
    if number:
        return number
    os.setsid()
    try:
        os.chdir(folder)
        os.environ["RANDORI_CACHE"] = str(cache)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        sys.argv = ["randori", *line.split()]
        main_of_randori()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    finally:
        os._exit(1)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and everything that it has started, without a word."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def kill_copy(number: int) -> None:
    """The same for a copy of this process."""
    for end in (os.killpg, os.kill):  # it may not have a group of its own yet
        with suppress(ProcessLookupError):
            end(number, signal.SIGKILL)
    os.waitpid(number, 0)


def half_files(folder: Path) -> list[str]:
    """Files with a proper name that cannot be read, and why."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            if path.suffix == ".npz" and is_take(path):
                Take.load(path)
            elif path.suffix == ".npz" and is_library(path):
                library_file.read(path)
            elif path.suffix in (".npz", ".bvh", ".glb"):
                load_all(path)
            elif path.suffix in _ENDS and not path.read_bytes().rstrip().endswith(_ENDS[path.suffix]):
                found.append(f"{path}: is cut short")
        except RandoriError as error:
            found.append(str(error))
    return found


def attack(
    seed: int, kills: int, commands: tuple[str, ...] = COMMANDS, kernels: Path | None = None
) -> list[str]:
    """Kill commands one after the other; all that went wrong. Without `kernels` they are compiled anew."""
    rng, wrong = random.Random(seed), []
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name) / "work", Path(name) / "cache"
        cache.mkdir()
        if kernels is not None:
            (cache / "kernels").symlink_to(kernels)
        (folder / "out").mkdir(parents=True)
        copying = multiprocessing.get_context("spawn").Process(
            target=_write_recording, args=(folder / "take.bvh",)
        )  # in another process: copies of one in which threads have run would wait for them
        copying.start()
        copying.join()
        lasted = {line: _run(line, folder, cache, wrong) for line in commands}
        quick = {line: _run_copy(line, folder, cache, wrong) for line in commands}
        for number in range(kills):
            line = commands[number % len(commands)]
            if number % _NEW_PYTHON == _NEW_PYTHON - 1:
                process = start(line, folder, cache)
                time.sleep(rng.uniform(0.0, lasted[line]))
                kill(process)
            else:
                copied = start_copy(line, folder, cache)
                time.sleep(rng.uniform(0.0, quick[line]))
                kill_copy(copied)
            wrong += [f"after kill {number} of {line!r}: {problem}" for problem in half_files(folder)]
            if number % _TOLD == _TOLD - 1:
                print(f"{number + 1} kills, {len(wrong)} things went wrong", file=sys.stderr, flush=True)
        for line in commands:
            _run(line, folder, cache, wrong)
        wrong += [f"is left: {path}" for path in _left(folder, cache)]
    return wrong


def _write_recording(path: Path) -> None:
    save(perform("boxing", 8.0, seed=3)[0].clip, path)


def _run_copy(line: str, folder: Path, cache: Path, wrong: list[str]) -> float:
    """Let a command run to its end in a copy of this process; seconds that it takes."""
    begun = time.monotonic()
    number = start_copy(line, folder, cache)
    while time.monotonic() - begun < _LONGEST:
        if os.waitpid(number, os.WNOHANG)[0]:
            return time.monotonic() - begun
        time.sleep(0.01)
    kill_copy(number)
    wrong.append(f"a copy that does {line!r} takes more than {_LONGEST:g} s")
    return _LONGEST


def _run(line: str, folder: Path, cache: Path, wrong: list[str]) -> float:
    """Let a command run to its end; seconds that it takes."""
    begun = time.monotonic()
    process = start(line, folder, cache)
    try:
        said = process.communicate(timeout=_LONGEST)[1]
    except subprocess.TimeoutExpired:
        kill(process)
        wrong.append(f"{line!r} takes more than {_LONGEST:g} s")
        return _LONGEST
    if process.returncode != 0:
        wrong.append(f"{line!r} ends with {process.returncode}: {said.decode(errors='replace')[-300:]}")
    return time.monotonic() - begun


def _left(folder: Path, cache: Path) -> list[Path]:
    """Partial files that stay after the next write into their folder, once they are old enough."""
    partial = [path for root in (folder, cache) for path in root.rglob(".*.part*")]
    for path in partial:
        os.utime(path, (0, 0))
    files._remove_stale.cache_clear()
    for parent in {path.parent for path in partial}:
        with write_whole(parent / "next.txt") as file:
            file.write(b"x")
    return [path for path in partial if path.exists()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100)
    given = parser.parse_args()
    wrong = attack(given.seed, given.kills, kernels=cache_folder() / "kernels")
    print(f"{given.kills} kills of seed {given.seed}, {len(wrong)} things went wrong", *wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
