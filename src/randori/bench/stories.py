"""The director's scenes: do they end as they should, for any seed; is a crowd in time; what does it cost?

Parts: `endings` (each scene, ten seeds), `spiral` (in time, fighting, apart), `growth` (5 to 200 pairs).
"""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from randori.bench.tables import Row, Rows, Table, measuring_parts
from randori.graph.action_graph import ActionGraph
from randori.scene.cast import gather
from randori.scene.ending import NEAR, lies, misses, pelvises, unmet
from randori.scene.parallel_fights import ParallelFights
from randori.scene.preparing import preparing_cast
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
FEW = 3  # pairs of a formation, where only its ending is looked at
_TOUCHING_DISTANCE = 1.0  # metres between the pelvises of different pairs, from which on they cannot touch


@dataclass(frozen=True)
class Size:
    """The extent of the measurement."""

    stories: Sequence[str]
    seeds: Sequence[int]
    spiral: Scene
    free_seeds: Sequence[int]  # of pairs that fight without the spiral
    pairs: Sequence[int]  # how large a crowd grows
    seconds: float  # for which it is measured
    # pairs that every size of a crowd is measured on: what one costs varies by 70 %, so a few tell little
    sample: int


def whole() -> Size:
    """Every scene, ten seeds, two hundred pairs."""
    return Size(
        stories=STORIES,
        seeds=range(1, 11),
        spiral=Scene.load("spiral"),
        free_seeds=(1, 2, 3),
        pairs=(5, 20, 50, 100, 200),
        seconds=2.0,
        sample=200,
    )


def quick_size() -> Size:
    """One scene, one seed, two pairs that are in a hurry."""
    spiral = with_pairs(Scene.load("spiral"), 2)
    assert spiral.formation is not None
    hurried = spiral.formation.model_copy(update={"time": (0.5, 2.0), "every": 0.5, "required": {}})
    return Size(
        stories=("car-in-the-street",),
        seeds=(1,),
        spiral=spiral.changed(formation=hurried, seconds=2.5),
        free_seeds=(1,),
        pairs=(2, 3),
        seconds=0.5,
        sample=6,
    )


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table for each of PARTS, or for one of them; yields the share that is done."""
    size = quick_size() if quick else whole()
    parts = {name: partial(rows, size) for name, rows in PARTS.items()}
    return (yield from measuring_parts("stories", parts, only))


def play(
    scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None
) -> tuple[ParallelFights, Timeline]:
    """A scene without poses: all decisions."""
    crowd = gather(scene, graphs, threads)
    return crowd, finish(crowd.running(round(scene.seconds * crowd.fps)))


def with_pairs(scene: Scene, pairs: int) -> Scene:
    """The same formation with another number of pairs; a scene without one stays as it is."""
    if scene.formation is None:
        return scene
    return scene.changed(formation=scene.formation.model_copy(update={"pairs": pairs}))


def _row(what: str, found: str, wanted: str = "") -> Row:
    return {"what": what, "found": found, "wanted": wanted}


def ending_rows(size: Size) -> Generator[float, None, Rows]:
    """Every scene over several seeds, formations with few pairs."""
    rows = []
    for number, name in enumerate(size.stories):
        yield number / len(size.stories)
        scene = with_pairs(Scene.load(name), FEW)
        graphs = finish(preparing_cast(scene))
        why, off = [], []
        for seed in size.seeds:
            crowd, timeline = play(scene.changed(seed=seed), graphs)
            left = unmet(crowd, timeline)
            why += [f"seed {seed}: {left[0]}"] if left else []
            off += [metres for _, _, metres in misses(crowd, timeline)]
        ended = f"{len(size.seeds) - len(why)} of {len(size.seeds)} seeds"
        in_time = f"{100.0 * np.mean(np.array(off) < NEAR):.0f} % of {len(off)} checkpoints in time"
        found = "; ".join([ended, in_time, *why])
        rows.append(_row(f"{name} ends as it should", found, "9 of 10"))
    return rows


def spiral_rows(size: Size) -> Generator[float, None, Rows]:
    """The whole spiral, next to pairs that are free to fight."""
    scene = size.spiral
    graphs = finish(preparing_cast(scene))
    begin = time.process_time()
    crowd, timeline = play(scene, graphs)
    cost = time.process_time() - begin
    yield 0.5
    off = np.array([metres for _, _, metres in misses(crowd, timeline)])
    pairs = len(crowd.fights)
    until = scene.formation.time[1] if scene.formation else scene.seconds
    rate = _hits(timeline, until) / pairs / until * 60.0
    free = scene.changed(formation=None, seconds=until)
    alone = [play(free.changed(seed=seed), graphs)[1] for seed in size.free_seeds]
    usual = float(np.mean([_hits(one, until) for one in alone])) / until * 60.0
    wrong = [track.name for track in timeline.tracks if lies(track) != track.name.startswith("Blue")]
    fallen = "all in blue and no others" if not wrong else f"not so: {', '.join(wrong)}"
    in_time = f"{100.0 * np.mean(off < NEAR):.1f} % of {len(off)}"
    return [
        _row("spiral: checkpoints within 0.5 m and 0.5 s", in_time, "95 %"),
        _row(
            "spiral: hits a minute on the way, free pairs",
            f"{rate:.1f}, {usual:.1f}",
            "half of the free ones",
        ),
        _row(f"spiral: who lies at the end of {pairs} pairs", fallen, "all in blue"),
        _row(
            "spiral: nearest pelvises of two pairs",
            f"{nearest(timeline):.2f} m",
            f"> {_TOUCHING_DISTANCE:g} m",
        ),
        _row("spiral: computing per pair and second", f"{cost / pairs / timeline.seconds:.3f} s", "0.5 s"),
    ]


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


def growth_rows(size: Size) -> Generator[float, None, Rows]:
    """The cost of more pairs, on one core: the same number of pairs for every size, few at a time or many."""
    scene = Scene.load("spiral").changed(seconds=size.seconds)
    graphs = finish(preparing_cast(scene))
    play(with_pairs(scene, 2), graphs, 1)  # makes all results that are made once
    rows = []
    for number, pairs in enumerate(size.pairs):
        yield number / len(size.pairs)
        seeds = range(1, size.sample // pairs + 1)
        begin = time.process_time()
        for seed in seeds:
            play(with_pairs(scene, pairs).changed(seed=seed), graphs, 1)
        cost = (time.process_time() - begin) / (pairs * len(seeds)) / size.seconds
        found = f"{cost:.3f} s (seeds: {len(seeds)})"
        rows.append(
            _row(f"{pairs} pairs: computing per pair and second", found, "0.5 s, for any number the same")
        )
    return rows


PARTS: dict[str, Callable[[Size], Generator[float, None, Rows]]] = {
    "endings": ending_rows,
    "spiral": spiral_rows,
    "growth": growth_rows,
}
