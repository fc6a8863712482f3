"""The list of slow tests names tests that there are."""

import re
from pathlib import Path

from durations import SLOW, read_table

ROOT = Path(__file__).parents[1]


def test_every_slow_test_is_there() -> None:
    known = read_table()
    assert known
    gone = []
    for name, seconds in known.items():
        file, _, function = name.partition("::")
        function = function.partition("[")[0].rpartition("::")[2]
        path = ROOT / file
        if not path.is_file() or not re.search(
            rf"^\s*def {function}\(", path.read_text(encoding="utf-8"), re.M
        ):
            gone.append(name)
        assert seconds >= SLOW, name
    assert not gone, "not there any more, `make durations` writes the list anew: " + ", ".join(gone)
