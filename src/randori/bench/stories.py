"""The director's scenes: do they end as they should, for any seed; is a crowd in time; what does it cost?

Parts: `endings` (each scene, ten seeds), `spiral` (in time, fighting, apart), `growth` (5 to 200 pairs).
"""

import time
from collections.abc import Generator, Iterator
from itertools import combinations

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.scene.crowd import Crowd
from randori.scene.ending import NEAR, lies, misses, pelvises, unmet
from randori.scene.run import gather, preparing_cast
from randori.scene.scene import Scene
from randori.timeline.timeline import Timeline
from randori.work import finish

STORIES = (
    "boxing-along-a-path",
    "chase-around-a-circle",
    "many-chase-around-a-circle",
    "spiral",
    "spiral-of-swords",
    "car-in-the-street",
    "ally-in-the-alley",
)
SEEDS = tuple(range(1, 11))
FEW = 3  # pairs of a formation, where only its ending is looked at
PAIRS = (5, 20, 50, 100, 200)
_GROWTH_SECONDS = 2.0
_SAMPLE = 200  # pairs that every size is measured on: what one costs varies by 70 %, so a few tell little
_TOUCHING = 1.0  # metres between the pelvises of different pairs, from which on nobody can touch
_FREE_SEEDS = (1, 2, 3)

Row = dict[str, object]


def running(only: str | None = None) -> Generator[float, None, list[Row]]:
    """All parts, or one; yields the share that is done."""
    parts = {"endings": _endings, "spiral": _spiral, "growth": _growth}
    if only is not None and only not in parts:
        raise RandoriError(f"--only {only}: the parts of stories are {', '.join(parts)}")
    rows: list[Row] = []
    chosen = [part for name, part in parts.items() if only in (None, name)]
    for number, part in enumerate(chosen):
        for share, row in part():
            rows.append(row)
            yield (number + share) / len(chosen)
    return rows


def play(scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None) -> tuple[Crowd, Timeline]:
    """A scene without poses: what everybody decides."""
    crowd = gather(scene, graphs, threads)
    return crowd, finish(crowd.running(round(scene.seconds * crowd.fps), {}))


def with_pairs(scene: Scene, pairs: int) -> Scene:
    """The same formation with another number of pairs; a scene without one stays as it is."""
    if scene.formation is None:
        return scene
    return scene.changed(formation=scene.formation.model_copy(update={"pairs": pairs}))


def _row(what: str, found: str, wanted: str = "") -> Row:
    return {"what": what, "found": found, "wanted": wanted}


def _endings() -> Iterator[tuple[float, Row]]:
    """Every scene over ten seeds, formations with few pairs."""
    for number, name in enumerate(STORIES):
        scene = with_pairs(Scene.load(name), FEW)
        graphs = finish(preparing_cast(scene))
        why, off = [], []
        for seed in SEEDS:
            crowd, timeline = play(scene.changed(seed=seed), graphs)
            left = unmet(crowd, timeline)
            why += [f"seed {seed}: {left[0]}"] if left else []
            off += [metres for _, _, metres in misses(crowd, timeline)]
        ended = f"{len(SEEDS) - len(why)} of {len(SEEDS)} seeds"
        in_time = f"{100.0 * np.mean(np.array(off) < NEAR):.0f} % of {len(off)} checkpoints in time"
        found = "; ".join([ended, in_time, *why])
        yield (number + 1) / len(STORIES), _row(f"{name} ends as it should", found, "9 of 10")


def _spiral() -> Iterator[tuple[float, Row]]:
    """The whole spiral, next to pairs that are free to fight."""
    scene = Scene.load("spiral")
    graphs = finish(preparing_cast(scene))
    begin = time.process_time()
    crowd, timeline = play(scene, graphs)
    cost = time.process_time() - begin
    off = np.array([metres for _, _, metres in misses(crowd, timeline)])
    yield (
        0.3,
        _row(
            "spiral: checkpoints within 0.5 m and 0.5 s",
            f"{100.0 * np.mean(off < NEAR):.1f} % of {len(off)}",
            "95 %",
        ),
    )
    pairs = len(crowd.fights)
    until = scene.formation.time[1] if scene.formation else scene.seconds
    rate = _hits(timeline, until) / pairs / until * 60.0
    free = scene.changed(formation=None, seconds=until)
    alone = [play(free.changed(seed=seed), graphs)[1] for seed in _FREE_SEEDS]
    usual = float(np.mean([_hits(one, until) for one in alone])) / until * 60.0
    yield (
        0.8,
        _row(
            "spiral: hits a minute on the way, free pairs",
            f"{rate:.1f}, {usual:.1f}",
            "half of the free ones",
        ),
    )
    wrong = [track.name for track in timeline.tracks if lies(track) != track.name.startswith("Blue")]
    found = "all in blue and nobody else" if not wrong else f"not so: {', '.join(wrong)}"
    yield 0.9, _row(f"spiral: who lies at the end of {pairs} pairs", found, "all in blue")
    yield (
        0.95,
        _row("spiral: nearest pelvises of two pairs", f"{nearest(timeline):.2f} m", f"> {_TOUCHING:g} m"),
    )
    yield (
        1.0,
        _row("spiral: computing per pair and second", f"{cost / pairs / timeline.seconds:.3f} s", "0.5 s"),
    )


def _hits(timeline: Timeline, until: float) -> int:
    return sum(event.kind == "hit" and event.tick <= until * timeline.fps for event in timeline.events)


def nearest(timeline: Timeline) -> float:
    """Metres between the pelvises of characters of different pairs, at least."""
    places = pelvises(timeline)
    middles = places.reshape(-1, 2, *places.shape[1:])
    return min(
        float(np.linalg.norm(middles[a, i] - middles[b, j], axis=-1).min())
        for a, b in combinations(range(len(middles)), 2)
        for i in (0, 1)
        for j in (0, 1)
    )


def _growth() -> Iterator[tuple[float, Row]]:
    """What more pairs cost, on one core: the same number of pairs for every size, few at a time or many."""
    scene = Scene.load("spiral").changed(seconds=_GROWTH_SECONDS)
    graphs = finish(preparing_cast(scene))
    play(with_pairs(scene, 2), graphs, 1)  # whatever is made once
    for number, pairs in enumerate(PAIRS):
        seeds = range(1, _SAMPLE // pairs + 1)
        begin = time.process_time()
        for seed in seeds:
            play(with_pairs(scene, pairs).changed(seed=seed), graphs, 1)
        cost = (time.process_time() - begin) / (pairs * len(seeds)) / _GROWTH_SECONDS
        found = f"{cost:.3f} s (seeds: {len(seeds)})"
        yield (
            (number + 1) / len(PAIRS),
            _row(f"{pairs} pairs: computing per pair and second", found, "0.5 s, for any number the same"),
        )
