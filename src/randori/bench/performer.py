"""Speed of the performer's recording: every set at its full length, beside the time that it lasts."""

import time
from collections.abc import Generator

from randori.bench.tables import Rows, Table, check_part
from randori.performer import SETS, perform

_FEW_SECONDS = 6.0  # of each set, in the quick form


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table: what is recorded, how long it lasts, how long it takes, and the ratio of the two."""
    check_part(only)
    rows: Rows = []
    for number, (name, wanted) in enumerate(SETS.items()):
        yield number / len(SETS)
        seconds = _FEW_SECONDS if quick else wanted.seconds
        perform(name, seconds=2.0)  # the first one may compile
        begin = time.perf_counter()
        (take,) = perform(name, seconds)
        taken = time.perf_counter() - begin
        rows.append(
            {
                "set": name,
                "lasts (s)": seconds,
                "takes (s)": round(taken, 2),
                "× real time": round(seconds / taken),
                "actions": len(take.truth.actions),
            }
        )
    return [Table("performer", rows)]
