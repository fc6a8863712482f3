"""The bench of the director's scenes runs on little, and tells what was found."""

import pytest

from randori.bench import stories
from randori.errors import RandoriError
from randori.work import finish


def test_endings_and_growth_are_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stories, "STORIES", ("car-in-the-street",))
    monkeypatch.setattr(stories, "SEEDS", (1,))
    monkeypatch.setattr(stories, "PAIRS", (2, 3))
    monkeypatch.setattr(stories, "_GROWTH_SECONDS", 1.0)
    monkeypatch.setattr(stories, "_SAMPLE", 6)
    (ending,) = finish(stories.running("endings"))
    assert ending["what"] == "car-in-the-street ends as it should"
    assert str(ending["found"]).startswith("1 of 1 seeds")
    rows = finish(stories.running("growth"))
    assert [str(row["what"]).split()[0] for row in rows] == ["2", "3"]
    assert all(float(str(row["found"]).split()[0]) > 0.0 for row in rows)
    # six pairs for each size, or one would be compared with the luck of a few others
    assert [str(row["found"]).split("seeds: ")[1] for row in rows] == ["3)", "2)"]


def test_an_unknown_part_is_an_error():
    with pytest.raises(RandoriError, match="the parts of stories are endings, spiral, growth"):
        finish(stories.running("endngs"))
