"""Measured figures: CSV files keep them with date and commit, and pages show them as tables.

A page names the table and its columns. `python -m randori.bench.figures docs` rewrites the lines between the
two marks:

    <!-- figures: duel-depths | plies | × real time -->
    <!-- end of figures -->

Tables with the same columns can be joined: `experiments-depth + experiments-energy`.
"""

import csv
import re
import subprocess
import sys
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from randori import __version__
from randori.bench.tables import Rows, Table
from randori.errors import FileError
from randori.formats.files import write_whole

FOLDER = "figures"  # beside the pages
_MARKED_TABLE = re.compile(r"(<!-- figures: ([^\n]*?) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
_STAMP = ("date", "commit", "note")


class Stamp(NamedTuple):
    """The date, the commit and the machine of a measurement."""

    date: str
    commit: str
    note: str  # on the machine, or on where the figures come from


def stamp(note: str = "") -> Stamp:
    """Now, with the code as it is; a commit with changes on top of it ends in "-dirty"."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"]
    try:
        found = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
        commit = found.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = __version__  # installed, not a working copy
    return Stamp(datetime.now().strftime("%Y-%m-%d %H:%M"), commit, note)


def append(folder: Path, table: Table, measured: Stamp) -> Path:
    """Add a table to its CSV file."""
    path = folder / f"{table.name}.csv"
    header = [*_STAMP, *table.columns]
    lines: list[list[str]] = []
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        if lines[0] != header:
            raise FileError(
                path, f"has the columns {', '.join(lines[0])}; these figures have {', '.join(header)}"
            )
    else:
        lines = [header]
    lines += [[*measured, *(str(row[column]) for column in table.columns)] for row in table.rows]
    folder.mkdir(parents=True, exist_ok=True)
    with write_whole(path) as file:
        file.write(_as_csv(lines).encode())
    return path


def _as_csv(lines: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def last_run(path: Path) -> tuple[Stamp, Rows]:
    """The figures that were measured last, and when."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    if not rows or any(name not in rows[0] for name in _STAMP):
        raise FileError(path, f"expected rows of figures, with the columns {', '.join(_STAMP)} first")
    newest = Stamp(*(rows[-1][name] for name in _STAMP))
    return newest, [row for row in rows if Stamp(*(row[name] for name in _STAMP)) == newest]


def with_figures(text: str, folder: Path) -> str:
    """A page with its tables as the CSV files of a folder have them."""
    return _MARKED_TABLE.sub(lambda mark: f"{mark[1]}{_shown(mark[2], folder)}{mark[4]}", text)


def _shown(wish: str, folder: Path) -> str:
    """The table that a mark asks for, and under it when it was measured."""
    names, *columns = (word.strip() for word in wish.split("|"))
    lines, stamps = [], []
    for name in (word.strip() for word in names.split("+")):
        path = folder / f"{name}.csv"
        measured, rows = last_run(path)
        columns = columns or [column for column in rows[0] if column not in _STAMP]
        if missing := [column for column in columns if column not in rows[0]]:
            raise FileError(path, f"has no column {missing[0]!r}; it has {', '.join(rows[0])}")
        lines += [_line([row[column] for column in columns]) for row in rows]
        stamps.append(_in_words(measured))
    table = [_line(columns), "|---" * len(columns) + "|", *lines]
    return "\n".join([*table, "", f"*{'; '.join(dict.fromkeys(stamps))}*", ""])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _in_words(measured: Stamp) -> str:
    day, *_ = measured.date.split()
    note = f", {measured.note}" if measured.note else ""
    return f"Measured on {day} at commit {measured.commit}{note}"


def main(pages: Path) -> None:
    """Rewrite the tables of all pages in a folder."""
    for page in sorted(pages.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        fresh = with_figures(text, pages / FOLDER)
        if fresh != text:
            page.write_text(fresh, encoding="utf-8")
            print(f"{page}: tables rewritten")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
