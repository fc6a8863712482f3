"""Real recordings that say what they are, read with default settings; only `labelled.py` reads the labels."""

import pytest

from capture.labelled import WORDS, Judged, false_carries, table

LEAST = {"kind": 0.95, "technique": 0.88, "side": 0.95}
LEAST_WORD = 0.75  # of the recordings that show one of the words
FEWEST = 3  # recordings, of which a share says something


def wrong(judged: list[Judged], column: str) -> str:
    return "; ".join(
        f"{row.recording.path.stem}: {row.said.technique} {row.said.side}"
        for row in judged
        if getattr(row, column) is False
    )


@pytest.mark.parametrize("column", LEAST)
def test_most_is_right(judged: list[Judged], column: str) -> None:
    right, asked = table(judged)["all"][column]
    assert right >= LEAST[column] * asked, wrong(judged, column)


@pytest.mark.parametrize("group", ["accad", "accad_raw", "cmu"])
def test_no_rig_is_left_behind(judged: list[Judged], group: str) -> None:
    own = [row for row in judged if row.recording.group == group]
    if not own:
        pytest.skip(f"no recordings of {group}")
    right, asked = table(judged)[group]["technique"]
    assert right >= 0.85 * asked, wrong(own, "technique")


@pytest.mark.parametrize("word", WORDS)
def test_words(judged: list[Judged], word: str) -> None:
    own = [row for row in judged if row.recording.word == word]
    if len(own) < FEWEST:
        pytest.skip(f"{len(own)} recordings of {word}")
    assert sum(row.technique for row in own) >= LEAST_WORD * len(own), wrong(own, "technique")


def test_nothing_is_carried_where_nothing_is(judged: list[Judged]) -> None:
    said, plain = false_carries(judged)
    assert said <= 0.01 * plain
