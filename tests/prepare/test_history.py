"""What happens tick by tick stays the same, whether it is in memory or in a file."""

from pathlib import Path

import numpy as np
import pytest

from randori.prepare.history import History


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 12, 14])
def test_rows_come_back_as_they_were(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    rng = np.random.default_rng(rows)
    given = [(rng.normal(size=(2, 3)), rng.integers(0, 9, 2), np.zeros((0, 3))) for _ in range(rows)]
    history = History(in_memory=4)
    for row in given:
        history.append(*row)
    assert len(history) == rows
    for number in range(3):
        expected = np.array([row[number] for row in given])
        found = history.column(number)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_only_some_rows_are_in_memory_and_no_file_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    history = History(in_memory=10)
    for number in range(1005):
        history.append(np.full(100, number))
    assert len(history._rows) == 5
    assert list(tmp_path.rglob("*")) == []
