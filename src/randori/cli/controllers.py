"""The command `train`: compute tables for policies and preparation."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from randori.cli.shared import (
    JsonOption,
    app,
    check_file,
    follow,
    make_folder,
    show_report,
)

if TYPE_CHECKING:
    from randori.graph.library import ActionLibrary


class Trained(StrEnum):
    """The controllers that can be trained."""

    policy = "policy"
    prepare = "prepare"


@app.command()
def train(
    what: Annotated[Trained, typer.Argument(help="Controller to train")],
    source: Annotated[
        str | None, typer.Argument(help="Library written by `randori capture`, or a set of the performer")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Table to write (.npz); policy.npz or prepare.npz if omitted")
    ] = None,
    behaviours: Annotated[
        str, typer.Option(help="Behaviours to train, separated by commas")
    ] = "approach,punch,evade",
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=1.0, help="Maximum pose distance in metres; larger values allow more transitions"
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=5.0, max=3600.0, help="Length of the performed set in seconds")
    ] = None,
    discount: Annotated[
        float, typer.Option(min=0.0, max=0.99, help="Discount factor of the learning, for prepare")
    ] = 0.3,
    faithful: Annotated[
        bool,
        typer.Option(
            "--faithful", help="Use the rewards, grids and learning of the papers, without our rules"
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Random seed, for prepare")] = 1,
    plots: Annotated[Path | None, typer.Option(help="Folder for plots of the learning, for prepare")] = None,
    json: JsonOption = False,
) -> None:
    """Precompute the table of a controller: the value of every action in every situation."""
    from randori.policy.behaviours import FAITHFUL
    from randori.policy.model import THRESHOLD
    from randori.policy.table import training, write

    out = out or Path(f"{what}.npz")
    check_file(out)
    if what is Trained.prepare:
        show_report(_train_preparation(source, out, discount, seed, plots, faithful), json)
        return
    library = _source_library(source or "boxing", seconds)
    names = [word.strip() for word in behaviours.split(",")]
    settings = FAITHFUL if faithful else None
    table = follow("Training", training(library, names, settings, threshold=threshold or THRESHOLD))
    write(out, table)
    show_report({"table": str(out), **table.report()}, json)


def _prepared_library(source: str | None) -> "ActionLibrary":
    """Read the library from its file, or let the performer record one."""
    from randori.graph.library_file import read
    from randori.prepare.repertoire import performed_library

    return read(source) if source else follow("Performing", performed_library())


def _train_preparation(
    source: str | None, out: Path, discount: float, seed: int, plots: Path | None, faithful: bool
) -> dict[str, Any]:
    """Train preparation and write its table; return the report."""
    from randori.prepare.controller_file import write_controller
    from randori.prepare.learning import FAITHFUL, Lessons, try_out
    from randori.prepare.plot import plot_learning, plot_levels, plot_policy
    from randori.prepare.repertoire import learn, make_repertoire
    from randori.render.pictures import save_png

    repertoire = make_repertoire(_prepared_library(source))
    controller = follow(
        "Training", learn(repertoire, replace(FAITHFUL if faithful else Lessons(), discount=discount), seed)
    )
    write_controller(out, controller)
    if plots is not None:
        make_folder(plots)
        save_png(plot_learning(controller.history), plots / "return.png")
        save_png(plot_policy(controller), plots / "policy.png")
        ways = [
            (f"way {n + 1}", way.distance, way.level) for n, way in enumerate(try_out(controller, trials=5))
        ]
        save_png(plot_levels(ways), plots / "level.png")
    return {"table": str(out), **controller.report()}


def _source_library(source: str, seconds: float | None) -> "ActionLibrary":
    """Read the library from its file, or let the performer record the set."""
    from randori.graph.library_file import read
    from randori.graph.performed import Performance, performed
    from randori.performer import SETS

    if source in SETS:
        return follow(f"Performing {source}", performed(Performance((source,), seconds)))
    return read(source)
