"""The command that measures."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from randori.cli.shared import JsonOption, app, console, follow, print_json
from randori.errors import RandoriError


class Bench(StrEnum):
    """What can be measured."""

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


_IN_PARTS = (Bench.duel, Bench.experiments, Bench.quality, Bench.patches, Bench.stories)


@app.command()
def bench(
    what: Annotated[Bench, typer.Argument(help="What to measure")],
    only: Annotated[
        str | None, typer.Option(help="One part of it, for duel and experiments; a scene, for quality")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure Randori side by side with the alternatives, in one run."""
    from importlib import import_module

    module = import_module(f"randori.bench.{what}")
    if what in _IN_PARTS:
        rows = follow(f"Measuring {what}", module.running(only))
    elif only is not None:
        raise RandoriError(f"--only: {what} has no parts; these have: {', '.join(_IN_PARTS)}")
    else:
        rows = module.run()
    if json:
        print_json(rows)
        return
    keys = list(rows[0])
    if len(keys) > 6:  # too wide for a terminal: one column per row instead
        rows = [{"": key} | {str(n): row[key] for n, row in enumerate(rows, 1)} for key in keys]
    table = Table(*rows[0].keys())
    for row in rows:
        table.add_row(*map(str, row.values()))
    console.print(table)
