"""How fast the performer records: every set at its full length, beside the time that it lasts."""

import time
from typing import Any

from randori.performer import SETS, perform


def run() -> list[dict[str, Any]]:
    """Rows for a table: what is recorded, how long it lasts, how long it takes, and the ratio of the two."""
    rows = []
    for name, wanted in SETS.items():
        perform(name, seconds=2.0)  # the first one may compile
        begin = time.perf_counter()
        (take,) = perform(name)
        taken = time.perf_counter() - begin
        rows.append(
            {
                "set": name,
                "lasts (s)": wanted.seconds,
                "takes (s)": round(taken, 2),
                "× real time": round(wanted.seconds / taken),
                "actions": len(take.truth.actions),
            }
        )
    return rows
