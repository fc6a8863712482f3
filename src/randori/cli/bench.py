"""The command `bench`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from randori.cli.shared import JsonOption, app, check_folder, console, follow, print_json, show_files
from randori.errors import RandoriError

_MOST_COLUMNS = 6  # columns that fit on a terminal


class Bench(StrEnum):
    """The benches."""

    formats = "formats"
    render = "render"
    performer = "performer"
    capture = "capture"
    policy = "policy"
    prepare = "prepare"
    duel = "duel"
    experiments = "experiments"
    quality = "quality"
    patches = "patches"
    stories = "stories"
    behaviour = "behaviour"


@app.command()
def bench(
    what: Annotated[Bench, typer.Argument(help="Name of the bench")],
    only: Annotated[
        str | None,
        typer.Option(
            help="Run only this part (duel, experiments, patches, stories) or this scene (quality, behaviour)"
        ),
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="Random seeds, for behaviour: 21-23 or 4,9")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Length of each take in seconds, for behaviour", min=0.5, max=3600.0)
    ] = None,
    files: Annotated[
        str | None,
        typer.Option(help="Also measure these recordings, for behaviour: a folder or a pattern"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only check that the bench runs; its figures are meaningless")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(help="Append the figures, with date and commit, to the CSV files in this folder"),
    ] = None,
    note: Annotated[
        str, typer.Option(help="Note to record with the figures, such as the machine and its load")
    ] = "",
    json: JsonOption = False,
) -> None:
    """Measure Randori and its alternatives side by side, in one run."""
    from importlib import import_module

    from randori.bench.figures import append, stamp

    if record is not None:
        if quick:
            raise RandoriError("--record: figures of --quick are meaningless and cannot be recorded")
        check_folder(record)
    takes = {"seeds": seeds, "seconds": seconds, "files": files}
    asked = {key: value for key, value in takes.items() if value is not None}
    if asked and what is not Bench.behaviour:
        raise RandoriError(f"--{next(iter(asked))}: this option works with `bench behaviour` only")
    measured = stamp(note)  # before the run: the code on disk may change during it
    tables = follow(f"Measuring {what}", import_module(f"randori.bench.{what}").running(only, quick, **asked))
    if json:
        print_json({table.name: table.rows for table in tables})
    else:
        for table in tables:
            _show(table.name, table.rows)
    if record is not None:
        show_files([append(record, table, measured) for table in tables])


def _show(name: str, rows: list[dict[str, object]]) -> None:
    """Print a table; transpose it, a few rows at a time, if it is too wide."""
    keys = list(rows[0])
    if len(keys) <= _MOST_COLUMNS:
        shown = [rows]
    else:
        shown = []
        for start in range(0, len(rows), _MOST_COLUMNS - 1):
            some = list(enumerate(rows, 1))[start : start + _MOST_COLUMNS - 1]
            shown.append([{"": key} | {str(n): row[key] for n, row in some} for key in keys])
    for part in shown:
        table = Table(*part[0].keys(), title=name, title_justify="left")
        for row in part:
            table.add_row(*map(str, row.values()))
        console.print(table)
