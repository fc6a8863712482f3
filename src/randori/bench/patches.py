"""Patches beside the paper's numbers, measured in one run: how many, and how fast they are worked out."""

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial

from randori.bench.patch_composition import crowd_rows, picture_rows, speed_rows
from randori.bench.patch_lively import command_rows, lively_rows
from randori.bench.patch_mouse import mouse_rows
from randori.bench.patch_path import path_rows
from randori.bench.patch_scenes import QUICK, WHOLE, Size
from randori.bench.tables import Rows, Table, measuring_parts
from randori.patches.prepared import preparing_graph, working_out
from randori.work import part

# scene: patches in the paper (table 3)
PAPER = {
    "one-fights-many": 157,
    "two-fight": 279,
    "football": 21,
    "mouse": 3716,
    "dominoes": 4091,
    "luggage": 72,
}


def building_rows(size: Size) -> Generator[float, None, Rows]:
    """Every scene's patches: how many, how long they take, what is rejected."""
    rows: Rows = []
    for number, name in enumerate(size.built):
        begin, share = number / len(size.built), 1.0 / len(size.built)
        scene, text = size.reading(name)
        graph = yield from part(preparing_graph(scene), begin, 0.3 * share)
        wall, processor = time.perf_counter(), time.process_time()
        patches = yield from part(working_out(scene, text, graph), begin + 0.3 * share, 0.7 * share)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        joins = patches.joins
        tried = sum(row["candidates"] for row in patches.report["patterns"])
        rejected: dict[str, int] = {}
        for row in patches.report["patterns"]:
            for reason, count in row["rejected"].items():
                rejected[reason] = rejected.get(reason, 0) + count
        rows.append(
            {
                "scene": name,
                "patches": len(patches),
                "in the paper": PAPER[name],
                "seconds": f"{wall:.1f}",
                "of processors": f"{processor:.1f}",
                "candidates": f"{tried:,}",
                "a second": f"{tried / wall:,.0f}",
                "rejected": ", ".join(
                    f"{reason} {count / max(tried, 1):.0%}"
                    for reason, count in sorted(rejected.items(), key=lambda item: -item[1])
                ),
                "together, alone, beside": ", ".join(
                    f"{len(some):,}" for some in (joins.together, joins.alone, joins.beside)
                ),
            }
        )
    return rows


PARTS: dict[str, Callable[[Size], Generator[float, None, Rows]]] = {
    "building": building_rows,
    "composition": speed_rows,
    "mouse": mouse_rows,
    "pictures": picture_rows,
    "crowds": crowd_rows,
    "path": path_rows,
    "lively": lively_rows,
    "commands": command_rows,
}


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table for each of PARTS, or for one of them; yields the share that is done."""
    size = replace(QUICK) if quick else WHOLE  # a copy, which forgets what it has prepared
    parts = {name: partial(rows, size) for name, rows in PARTS.items()}
    return (yield from measuring_parts("patches", parts, only))
