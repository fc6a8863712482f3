"""The list of slow tests names tests and fixtures that there are."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import durations
from durations import SLOW, is_test, mark_and_sort, read_table

ROOT = Path(__file__).parents[1]


def test_every_slow_test_is_there() -> None:
    known = read_table()
    assert known
    gone = []
    for name, seconds in known.items():
        file, _, function = name.partition("::")
        function = function.partition("[")[0].rpartition("::")[2]
        path = ROOT / file
        path = path / "conftest.py" if path.is_dir() else path
        # a fixture may be imported from a file beside
        pattern = rf"^\s*def {function}\(" if is_test(name) else rf"\b{function}\b"
        if not path.is_file() or not re.search(pattern, path.read_text(encoding="utf-8"), re.M):
            gone.append(name)
        assert seconds >= SLOW, name
    assert not gone, "not there any more, `make durations` writes the list anew: " + ", ".join(gone)


def _item(name: str, marks: list[Any], parameter: str = "") -> Any:
    """A test as pytest collects it, that uses a fixture of its file."""
    fixture = SimpleNamespace(baseid="tests/test_a.py", argname="library", scope="module")
    return SimpleNamespace(
        nodeid=name,
        _fixtureinfo=SimpleNamespace(name2fixturedefs={"library": [fixture]}),
        callspec=SimpleNamespace(params={"library": parameter}),
        add_marker=marks.append,
    )


def test_a_test_with_a_slow_fixture_is_slow_before_it_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"tests/test_a.py::test_one": 1.0, "tests/test_a.py::library[long]": 0.5}
    monkeypatch.setattr(durations, "read_table", lambda: table)
    listed, new, quick = [], [], []
    mark_and_sort(
        [
            _item("tests/test_a.py::test_one", listed),
            _item("tests/test_a.py::test_two[long]", new, "long"),
            _item("tests/test_a.py::test_two[short]", quick, "short"),
        ]
    )
    assert [len(marks) for marks in (listed, new, quick)] == [1, 1, 0]
