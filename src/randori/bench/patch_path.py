"""Who follows a path, the search or patches? Figure 12 of DIRECTOR: the same motions, the same places."""

from collections.abc import Generator, Sequence

import numpy as np

from randori.bench.experiments import (
    PACE,
    ROUTE,
    Record,
    along_the_route,
    behind_time,
    off_route,
    places_of,
    play,
    plies_of,
    shortened,
)
from randori.bench.patch_scenes import Size
from randori.bench.tables import Row, Rows
from randori.patches.along import AlongPath, Path
from randori.patches.prepared import Prepared
from randori.scene.scene import Scene
from randori.timeline.quality import fight_figures
from randori.timeline.timeline import Timeline
from randori.work import part


def path_rows(size: Size) -> Generator[float, None, Rows]:
    """Distances of pairs from a path, and from their due places on it: with search and with patches."""
    starts = size.starts
    prepared = yield from part(size.preparing("two-fight"), 0.0, 0.2)
    kinds = [(function, depth) for function in ("cooperative", "competitive") for depth in size.depths]
    share = 0.8 / (len(kinds) + 2)
    rows = []
    for number, (function, depth) in enumerate(kinds):
        records = []
        for done, scene in enumerate(along_the_route(starts, depth, function)):
            records.append(play(shortened(scene) if size.quick else scene))
            yield 0.2 + share * (number + done / starts)
        rows.append(_row(f"search, path in the {function} function, {plies_of(depth)}", records))
    for number, walk in enumerate((False, True), len(kinds)):
        records = []
        for done, scene in enumerate(along_the_route(starts, 1, "cooperative")):
            records.append(_record(along_patches(prepared, scene, walk)))
            yield 0.2 + share * (number + done / starts)
        walks = ", steps between them lead back to it" if walk else ""
        rows.append(_row(f"patches that lead nearest to the path{walks}", records))
    return rows


def along_patches(prepared: Prepared, scene: Scene, walk: bool) -> Timeline:
    """A pair that follows the scene's path with patches instead of the search."""
    stands = [member.place for member in scene.cast if member.place is not None]
    places = [(x, z, float(np.deg2rad(turn))) for x, z, turn in stands]
    pair = AlongPath(prepared, scene.seed, Path([(0.0, 0.0), *ROUTE], PACE), places, walk)
    ticks = round(scene.seconds * pair.stage.fps)
    for now in range(ticks):
        pair.advance(now)
    return pair.stage.timeline(ticks, {"scene": "along a path", "seed": scene.seed})


def _record(timeline: Timeline) -> Record:
    return Record(timeline.seconds, fight_figures(timeline), places_of(timeline), 0, (0.0, 0.0), 0)


def _row(who: str, records: Sequence[Record]) -> Row:
    off, behind = ([measure(record) for record in records] for measure in (off_route, behind_time))
    worst = [float(one.max()) for one in off]
    minutes = sum(record.seconds for record in records) / 60.0
    return {
        "who": who,
        "off the path (m)": f"{np.mean([one.mean() for one in off]):.2f}",
        "worst: usual, of all (m)": f"{np.median(worst):.2f}, {max(worst):.2f}",
        "from where it should be (m)": f"{np.mean([one.mean() for one in behind]):.2f}",
        "from the end, at the end (m)": f"{np.mean([one[-1] for one in behind]):.2f}",
        "hits a minute": f"{sum(record.figures['hits'] for record in records) / minutes:.1f}",
    }
