"""Memory of long live sessions, played as fast as they compute: writes figures/memory.csv and memory.png.

    python docs/images/make_memory.py 120 punch kick target boxing     # minutes of play, scenes

Rows of scenes that are not played again stay as they are.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from randori.bench.figures import stamp
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.studio.sessions import opening
from randori.work import finish

HERE = Path(__file__).parent
TABLE = HERE.parent / "figures" / "memory.csv"
_WIDE, _HIGH, _EDGE = 900, 420, 60  # pixels
_COLOURS = ("#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#5d6d7e")


def megabytes() -> float:
    """Memory that this process holds now."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def play(scene: str, minutes: int) -> None:
    """Print a row for every minute that a scene is played."""
    with tempfile.TemporaryDirectory() as folder:
        live = finish(opening(wire.LiveStart(type="start", session=scene, seed=3), Project(Path(folder))))
        for minute in range(minutes + 1):
            print(f"{scene},{minute},{megabytes():.1f}", flush=True)
            for _ in range(round(60 * live.session.fps)):
                live.step()
                live.decisions()


def plot(rows: list[tuple[str, float, float]]) -> None:
    """Megabytes over minutes, a line for each scene."""
    picture = Image.new("RGB", (_WIDE, _HIGH), "white")
    draw = ImageDraw.Draw(picture)
    longest, most = max(row[1] for row in rows), 100.0 * np.ceil(max(row[2] for row in rows) / 100.0)

    def place(minute: float, size: float) -> tuple[float, float]:
        across = _EDGE + (_WIDE - 3 * _EDGE) * minute / max(longest, 1.0)
        return across, _HIGH - _EDGE - (_HIGH - 2 * _EDGE) * size / most

    for size in np.arange(0.0, most + 1.0, 100.0):
        draw.line([place(0.0, size), place(longest, size)], fill="#dddddd")
        draw.text((10, place(0.0, size)[1] - 6), f"{size:.0f} MB", fill="black")
    for number, scene in enumerate(dict.fromkeys(row[0] for row in rows)):
        own = [place(minute, size) for name, minute, size in rows if name == scene]
        colour = _COLOURS[number % len(_COLOURS)]
        draw.line(own, fill=colour, width=2)
        draw.text((own[-1][0] + 6, own[-1][1] - 6), scene, fill=colour)
    draw.text((_EDGE, _HIGH - 30), f"minutes of live play, 0 to {longest:.0f}", fill="black")
    picture.save(HERE / "memory.png")


def main() -> None:
    minutes, scenes = int(sys.argv[1]), sys.argv[2:]
    kept: list[list[str]] = []
    if TABLE.is_file():
        kept = [row for row in csv.reader(TABLE.open(encoding="utf-8")) if row[3] not in ("scene", *scenes)]
    measured = stamp("played as fast as it computes")
    for scene in scenes:  # each in a process of its own
        command = [sys.executable, __file__, str(minutes), scene, "--row"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        kept += [[*measured, *line.split(",")] for line in said.splitlines()]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows([["date", "commit", "note", "scene", "minute", "megabytes"], *kept])
    plot([(scene, float(minute), float(size)) for *_, scene, minute, size in kept])


if __name__ == "__main__":
    if sys.argv[-1] == "--row":
        play(sys.argv[2], int(sys.argv[1]))
    else:
        main()
