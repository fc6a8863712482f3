"""Time from recordings to graphs: for seven minutes of boxing, and its growth up to an hour."""

import gc
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from randori.bench.tables import Row, Rows, Table, check_part
from randori.capture.analysis import analyse
from randori.formats import bvh, load
from randori.graph.action_graph import build_action_graph
from randori.graph.frame_graph import build_frame_graph
from randori.graph.library import build_library
from randori.graph.locomotion_graph import build_locomotion_graph
from randori.performer import perform

# seconds of one take, and how many: seven minutes to an hour, each take with a seed of its own
WHOLE, QUICK = (420.0, (1, 2, 4, 9)), (12.0, (1, 2))


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table with the length of the recordings, the seconds of each step and the sizes of the results.

    The recordings are made and written beforehand. The timing begins with reading their files.
    """
    check_part(only)
    seconds, takes = QUICK if quick else WHOLE
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        files: list[Path] = []
        for count in takes:
            for seed in range(len(files) + 1, count + 1):
                yield len(files) / takes[-1]
                files.append(Path(folder) / f"boxing-{seed}.bvh")
                bvh.write(files[-1], perform("boxing", seconds, seed)[0].clip)
            if not rows:
                from_files_to_graphs(files[:1])  # the first one may compile
            gc.collect()
            rows.append(from_files_to_graphs(files[:count]))
    return [Table("capture", rows)]


def from_files_to_graphs(files: list[Path]) -> Row:
    """One row: seconds for each step, and the sizes of the results."""
    spent: dict[str, float] = {}

    def step(name: str, start: float) -> float:
        spent[name] = time.perf_counter() - start
        return time.perf_counter()

    now = begin = time.perf_counter()
    clips = [load(file) for file in files]
    now = step("read", now)
    recordings = [(clip, analyse(clip)) for clip in clips]
    now = step("analyse", now)
    library = build_library(recordings)
    now = step("library", now)
    actions = build_action_graph(library)
    now = step("action graph", now)
    frames = build_frame_graph(library)
    now = step("frame graph", now)
    build_locomotion_graph(library)
    now = step("locomotion graph", now)
    return {
        "recorded (min)": round(sum(clip.duration for clip in clips) / 60.0, 1),
        "from files to graphs (s)": round(now - begin, 2),
        **{f"{name} (s)": round(value, 2) for name, value in spent.items()},
        "actions": len(library),
        "postures": len(actions.posture_frame),
        "states": len(frames.state_frame),
        "frame-level actions": len(frames.target),
    }
