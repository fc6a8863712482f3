"""Behaviour of fighters over scenes and seeds: a row for each take, and a summary of all takes.

`--only boxing` measures one of SCENES; `--seeds 21-23`, `--seeds 4,9` and `--seconds 30` say how much. With
`--files`, boxers made of recordings (a folder, or a pattern such as "takes/*.bvh") fight as well. Takes are
simulated side by side, one process per core.
"""

import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori.bench.tables import Row, Rows, Table
from randori.errors import RandoriError
from randori.graph import library_file
from randori.graph.motions import Motions, find_files
from randori.graph.recordings import capturing
from randori.parallel import Arrays, mapping
from randori.scene.preparing import preparing_cast
from randori.scene.run import simulating
from randori.scene.scene import Scene
from randori.tables import suggest
from randori.timeline.limits import BEHAVIOUR, Limit
from randori.work import finish, part

SCENES = (
    "boxing",
    "infighters",
    "outboxers",
    "sword-duel",
    "smart-against-simple",
    "energetic-against-tired",
)
CAPTURED = "captured"  # the name of the scene whose boxers are made of recordings
SEEDS, QUICK_SEEDS = "101-102", "1"
SECONDS, QUICK_SECONDS = 30.0, 2.0
_PREPARING_SHARE = 0.2  # share of the work
# figures that a row shows beside those with a limit, and that totals are weighted with
_COUNTED_FIGURES = {
    "hits a minute": "hits_per_minute",
    "attacks": "attacks_judged",
    "hits": "hits_judged",
    "attacks that land (%)": "landed",
    "hits in a row without a hit in return": "unanswered_hits",
    "attacks evaded by a step (%)": "sidestepped",
    "techniques with sides": "sided_techniques",
    "knock-downs": "knock_downs",
}


# usual results of fights between equals (docs/duel.md); a single short take may miss it by chance
_USUAL_RANGES = {"hits a minute": (10.0, 25.0), "attacks that land (%)": (30.0, 60.0)}


class _Chunk(NamedTuple):
    """A take to simulate."""

    scene: str
    seed: int
    seconds: float
    library: str = ""  # of recordings, in place of the scene's own motions


class _Measured(NamedTuple):
    """The results that are kept of one take."""

    values: dict[str, float]  # by name of the limit, in its unit, and by the words of _COUNTED_FIGURES
    kept: dict[str, bool]  # by name of the limit
    winner: str


def running(
    only: str | None = None,
    quick: bool = False,
    seeds: str | None = None,
    seconds: float | None = None,
    files: str | None = None,
) -> Generator[float, None, list[Table]]:
    """A table of the takes and one of their summary; yields the share that is done."""
    known = [*SCENES, *([CAPTURED] if files else [])]
    if only is not None and only not in known:
        raise RandoriError(f"--only: there is no scene {only!r}; {suggest(only, known)}")
    names = [only] if only is not None else known[:1] if quick else known
    numbers = read_seeds(seeds or (QUICK_SEEDS if quick else SEEDS))
    length = seconds or (QUICK_SECONDS if quick else SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "captured.npz")
        if files and CAPTURED in names:
            library_file.write(library, finish(capturing(_recordings(files))))
        chunks = [
            _Chunk(name, seed, length, library if name == CAPTURED else "")
            for name in names
            for seed in numbers
        ]
        # the shared parts of all takes of a scene are made here once; processes read it from the cache
        for number, name in enumerate(names):
            yield _PREPARING_SHARE * number / len(names)
            if name != CAPTURED:
                finish(preparing_cast(Scene.load(name)))
        work = mapping(_simulate, None, chunks, processes=len(chunks) > 1)
        found = yield from part(work, _PREPARING_SHARE, 1.0 - _PREPARING_SHARE)
    measured = [_to_measured(arrays) for arrays in found]
    takes = [_row(chunk, one) for chunk, one in zip(chunks, measured)]
    return [Table("behaviour-takes", takes), Table("behaviour-totals", _totals(measured))]


def read_seeds(text: str) -> list[int]:
    """The seeds that "21-23" or "4,9" name."""
    found: list[int] = []
    for word in text.split(","):
        first, dash, last = word.strip().partition("-")
        if not (first.isdigit() and (last.isdigit() or not dash)):
            raise RandoriError(f"--seeds {text}: expected numbers such as 21-23 or 4,9")
        found += range(int(first), int(last if dash else first) + 1)
    if not found:
        raise RandoriError(f"--seeds {text}: the first is larger than the last")
    return list(dict.fromkeys(found))


def _recordings(files: str) -> list[str]:
    """The recordings of a folder, or those that a pattern names."""
    path = Path(files).absolute()
    patterns = [str(path / "*.bvh")] if path.is_dir() else [str(path)]
    try:
        return find_files(patterns, path.parent)
    except RandoriError as error:
        raise RandoriError(f"--files {files}: there are no recordings") from error


def _simulate(_: None, chunk: _Chunk) -> Arrays:
    """One take, measured."""
    scene = Scene.load("boxing" if chunk.library else chunk.scene)
    if chunk.library:
        scene = scene.changed(motions=dict.fromkeys(scene.motions, Motions(library=chunk.library)))
    quality = finish(simulating(scene, chunk.seed, chunk.seconds, threads=1)).quality()
    return {
        "limited": np.array([limit.value(quality) for limit in BEHAVIOUR.values()]),
        "kept": np.array([limit.is_kept(quality) for limit in BEHAVIOUR.values()]),
        "counted": np.array([float(getattr(quality, figure)) for figure in _COUNTED_FIGURES.values()]),
        "winner": np.array([quality.winner]),
    }


def _to_measured(arrays: Arrays) -> _Measured:
    values = dict(zip(BEHAVIOUR, arrays["limited"].tolist())) | dict(
        zip(_COUNTED_FIGURES, arrays["counted"].tolist())
    )
    for name in _COUNTED_FIGURES:
        values[name] *= 100.0 if name.endswith("(%)") else 1.0
    return _Measured(values, dict(zip(BEHAVIOUR, arrays["kept"].tolist())), str(arrays["winner"][0]))


def _head(name: str, limit: Limit) -> str:
    bound = f"{'≥' if limit.at_least else '≤'} {limit.bound:g}"
    return f"{name} ({limit.unit}, {bound})" if limit.unit else f"{name} ({bound})"


def _row(chunk: _Chunk, measured: _Measured) -> Row:
    row: Row = {"scene": chunk.scene, "seed": chunk.seed}
    row |= {_head(name, limit): round(measured.values[name], 1) for name, limit in BEHAVIOUR.items()}
    row |= {name: round(measured.values[name], 1) for name in _COUNTED_FIGURES}
    row["winner"] = measured.winner or "nobody"
    row["misses"] = ", ".join(name for name, kept in measured.kept.items() if not kept) or "nothing"
    return row


def _totals(takes: Sequence[_Measured]) -> Rows:
    """A row per limit: all takes as one, the worst of them, and how many keep it."""
    rows = []
    for name, limit in BEHAVIOUR.items():
        values = np.array([one.values[name] for one in takes])
        worst: Callable[[np.ndarray], float] = np.min if limit.at_least else np.max
        # shares of all hits, or of all attacks
        counts = {"hits_judged": "hits", "attacks_judged": "attacks"}.get(
            limit.needs if limit.unit == "%" else ""
        )
        weights = np.array([one.values[counts] if counts else 1.0 for one in takes])
        usual = float(values @ weights / max(float(weights.sum()), 1e-9))
        kept = sum(one.kept[name] for one in takes)
        rows.append(
            {
                "figure": limit.words,
                "limit": _head(name, limit),
                "all takes": round(usual, 1),
                "worst take": round(float(worst(values)), 1),
                "keep it": f"{kept} of {len(takes)}",
            }
        )
    for name, (least, most) in _USUAL_RANGES.items():
        values = np.array([one.values[name] for one in takes])
        outside = np.maximum(least - values, values - most)
        rows.append(
            {
                "figure": name,
                "limit": f"{least:g} to {most:g}",
                "all takes": round(float(values.mean()), 1),
                "worst take": round(float(values[np.argmax(outside)]), 1),
                "keep it": f"{int((outside <= 0.0).sum())} of {len(takes)}",
            }
        )
    return rows
