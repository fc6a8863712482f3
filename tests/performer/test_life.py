"""The performer against captures of people, where there are any."""

from pathlib import Path

import life
import pytest


@pytest.fixture(scope="module")
def rows(mocap_folder: Path) -> list[life.Row]:
    return life.table(mocap_folder)


def test_medians_lie_within_a_quarter_of_life(rows: list[life.Row]) -> None:
    off = [str(row) for row in rows if not row.near]
    assert not off, "\n".join(["the performer is off in:", *off])


def test_the_performer_varies(rows: list[life.Row]) -> None:
    dull = [str(row) for row in rows if not row.alive]
    assert not dull, "\n".join(["the performer repeats itself in:", *dull])
