"""Figures are appended with date and commit, and the pages show the last of them."""

import csv
from pathlib import Path

import pytest

from randori.bench.figures import FOLDER, Stamp, append, last_run, stamp, with_figures
from randori.bench.tables import Table
from randori.errors import FileError

DOCS = Path(__file__).parents[2] / "docs"
FIRST, SECOND = (
    Stamp("2026-11-16 10:00", "aaaaaaa", ""),
    Stamp("2026-11-17 10:00", "bbbbbbb", "a quiet machine"),
)


def page(wish: str) -> str:
    return f"Before.\n\n<!-- figures: {wish} -->\nold\n<!-- end of figures -->\n\nAfter.\n"


def test_the_pages_show_the_figures_of_the_files() -> None:
    shown = 0
    for path in DOCS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert text == with_figures(text, DOCS / FOLDER), (
            f"{path.name} differs from its figures: `make figures`"
        )
        shown += text.count("<!-- figures:")
        assert text.count("<!-- figures:") == text.count("<!-- end of figures -->")
    assert shown > 10


def test_every_file_of_figures_is_well_formed() -> None:
    for path in (DOCS / FOLDER).glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert header[:3] == ["date", "commit", "note"], path.name
        assert rows
        assert all(len(row) == len(header) and row[0] and row[1] for row in rows), path.name


def test_runs_are_kept_and_the_last_one_is_shown(tmp_path: Path) -> None:
    append(
        tmp_path, Table("speed", [{"plies": 1, "× real time": 2.5}, {"plies": 2, "× real time": 1.0}]), FIRST
    )
    path = append(tmp_path, Table("speed", [{"plies": 1, "× real time": "3.0, or so"}]), SECOND)
    assert path.read_text(encoding="utf-8").splitlines() == [
        "date,commit,note,plies,× real time",
        "2026-11-16 10:00,aaaaaaa,,1,2.5",
        "2026-11-16 10:00,aaaaaaa,,2,1.0",
        '2026-11-17 10:00,bbbbbbb,a quiet machine,1,"3.0, or so"',
    ]
    assert last_run(path)[0] == SECOND
    assert with_figures(page("speed"), tmp_path) == (
        "Before.\n\n<!-- figures: speed -->\n| plies | × real time |\n|---|---|\n| 1 | 3.0, or so |\n\n"
        "*Measured on 2026-11-17 at commit bbbbbbb, a quiet machine*\n<!-- end of figures -->\n\nAfter.\n"
    )
    chosen = with_figures(page("speed | × real time"), tmp_path)
    assert "| × real time |\n|---|\n| 3.0, or so |\n" in chosen


def test_tables_are_joined(tmp_path: Path) -> None:
    for name, figure, when in (("one", 1, FIRST), ("two", 2, FIRST), ("three", 3, SECOND)):
        append(tmp_path, Table(name, [{"what": name, "found": figure}]), when)
    joined = with_figures(page("one + two + three | what | found"), tmp_path)
    assert "| one | 1 |\n| two | 2 |\n| three | 3 |\n" in joined
    assert joined.count("Measured on 2026-11-16") == joined.count("easured on 2026-11-17") == 1


def test_other_columns_are_not_mixed_in(tmp_path: Path) -> None:
    append(tmp_path, Table("speed", [{"plies": 1}]), FIRST)
    with pytest.raises(FileError, match="has the columns date, commit, note, plies; these figures have"):
        append(tmp_path, Table("speed", [{"depth": 1}]), SECOND)
    with pytest.raises(FileError, match="has no column 'depth'; it has date, commit, note, plies"):
        with_figures(page("speed | depth"), tmp_path)
    with pytest.raises(FileError, match=r"speeds\.csv"):
        with_figures(page("speeds"), tmp_path)


def test_a_stamp_says_when_and_of_what() -> None:
    found = stamp("quiet")
    assert len(found.date) == len("2026-11-17 10:00")
    assert found.commit
    assert found.note == "quiet"
