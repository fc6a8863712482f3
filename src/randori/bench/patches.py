"""Patches beside the paper's numbers, measured in one run: how many, and how fast they are worked out."""

import time
from collections.abc import Callable, Generator
from typing import Any

from randori.bench.patch_composition import crowd_rows, picture_rows, speed_rows
from randori.bench.patch_mouse import mouse_rows
from randori.bench.patch_path import path_rows
from randori.errors import RandoriError
from randori.patches.pattern import read_patterns, scene_text
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
WANTED_SECONDS = 60.0  # for each scene, on two cores

Rows = list[dict[str, Any]]
Part = Callable[[], Generator[float, None, Rows]]


def building_rows() -> Generator[float, None, Rows]:
    """Every scene's patches: how many, how long they take, what is rejected."""
    rows = []
    for number, (name, theirs) in enumerate(PAPER.items()):
        begin, share = number / len(PAPER), 1.0 / len(PAPER)
        scene, text = read_patterns(name), scene_text(name)
        graph = yield from part(preparing_graph(scene), begin, 0.3 * share)
        wall, processor = time.perf_counter(), time.process_time()
        patches = yield from part(working_out(scene, text, graph), begin + 0.3 * share, 0.7 * share)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        tried = sum(row["candidates"] for row in patches.report["patterns"])
        rejected: dict[str, int] = {}
        for row in patches.report["patterns"]:
            for reason, count in row["rejected"].items():
                rejected[reason] = rejected.get(reason, 0) + count
        rows.append(
            {
                "scene": name,
                "patches": len(patches),
                "in the paper": theirs,
                "seconds (processor)": f"{wall:.1f} ({processor:.1f})",
                "candidates": tried,
                "a second": round(tried / wall),
                "rejected": ", ".join(
                    f"{reason} {count / max(tried, 1):.0%}"
                    for reason, count in sorted(rejected.items(), key=lambda item: -item[1])
                ),
            }
        )
    return rows


PARTS: dict[str, Part] = {
    "building": building_rows,
    "composition": speed_rows,
    "mouse": mouse_rows,
    "pictures": picture_rows,
    "crowds": crowd_rows,
    "path": path_rows,
}


def running(only: str | None = None) -> Generator[float, None, Rows]:
    """Rows of one part, or of all of them; yields the share that is done."""
    if only is not None and only not in PARTS:
        raise RandoriError(f"--only: patches has the parts {', '.join(PARTS)}, not {only!r}")
    chosen = [only] if only else list(PARTS)
    rows: Rows = []
    for number, name in enumerate(chosen):
        rows += yield from part(PARTS[name](), number / len(chosen), 1.0 / len(chosen))
    return rows
