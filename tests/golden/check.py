"""Compare what Randori makes with what it made before: the same bytes, decisions, scores and node counts.

    python tests/golden/check.py             compare with tests/golden/hashes.json
    python tests/golden/check.py --record    write that file anew, after a change that is meant to be seen
    python tests/golden/check.py run/box     only those whose names begin so

Every shipped scene is made by the command line, for a few seconds; 200 random games are searched on one
thread. It takes some minutes, so it is no part of `make test`.
"""

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "duel"))

import games
import numpy as np

from randori.cli import main
from randori.duel import plain_search
from randori.duel.search import Searcher
from randori.scene.scene import shipped_scenes

HASHES = Path(__file__).with_name("hashes.json")
RANDOM_GAMES = 200


def command(*words: object) -> None:
    """One call of the command line."""
    sys.argv = ["randori", *map(str, words)]
    try:
        main()
    except SystemExit as end:
        if end.code not in (0, None):
            raise RuntimeError(f"randori {' '.join(map(str, words))}: exit {end.code}") from None


def hash_take(path: Path) -> str:
    """Hash of every array in a take file."""
    digest = hashlib.sha256()
    with np.load(path) as arrays:
        for name in sorted(arrays.files):
            digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
            digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()[:20]


def run_scene(name: str, folder: Path) -> str:
    command("run", name, "--seconds", 4, "--seed", 5, "--out", folder, "--format", "npz")
    return hash_take(folder / f"{name}.npz")


def search_games() -> str:
    """Hash of what searches of random games find, and of how many nodes they look at."""
    digest = hashlib.sha256()
    for seed in range(RANDOM_GAMES):
        stock, sides, rules, state, who, depth = games.random_game(seed)
        state = plain_search.believed(stock, sides, state, who)
        found = Searcher(stock, sides, rules, threads=1).search(state, who, depth)
        digest.update(f"{found.action} {found.competitive!r} {found.cooperative!r} {found.nodes}".encode())
        digest.update(found.line.tobytes())
    return digest.hexdigest()[:20]


def entries(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Names of everything that is compared, and what makes its hash."""
    yield "search/random games", search_games
    for name in shipped_scenes():
        yield f"run/{name}", lambda name=name: run_scene(name, folder)


def compare(wanted: list[str], record: bool) -> int:
    """Make everything that is wanted; returns how many entries differ."""
    known = json.loads(HASHES.read_text(encoding="utf-8")) if HASHES.is_file() else {}
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, make in entries(Path(folder)):
            if wanted and not name.startswith(tuple(wanted)):
                continue
            found = make()
            same = known.get(name) == found
            differing += not same
            print(
                f"{'same  ' if same else 'differs' if name in known else 'new'}  {name}  {found}", flush=True
            )
            known[name] = found
    if record:
        HASHES.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
        return 0
    return differing


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(1 if compare([word for word in words if word != "--record"], "--record" in words) else 0)
