"""The tables in which every bench reports its figures."""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from randori.errors import RandoriError
from randori.tables import suggest
from randori.work import part

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True)
class Table:
    """Rows with the same columns, named after the bench and, if it has several, the part."""

    name: str
    rows: Rows

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0])


def check_part(only: str | None, parts: Iterable[str] = ()) -> None:
    """Refuse a part that a bench does not have."""
    if only is not None and not parts:
        raise RandoriError(f"--only {only}: this bench has no parts")
    if only is not None and only not in parts:
        raise RandoriError(f"--only: there is no part {only!r}; {suggest(only, list(parts))}")


def measuring_parts(
    bench: str, parts: Mapping[str, Callable[[], Generator[float, None, Rows]]], only: str | None
) -> Generator[float, None, list[Table]]:
    """A table for each part, or only for the requested one. Yields the share done."""
    check_part(only, parts)
    chosen = {name: work for name, work in parts.items() if only in (None, name)}
    tables = []
    for number, (name, work) in enumerate(chosen.items()):
        rows = yield from part(work(), number / len(chosen), 1.0 / len(chosen))
        tables.append(Table(f"{bench}-{name}", rows))
    return tables
