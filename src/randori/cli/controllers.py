"""The command that computes beforehand what characters decide by: train."""

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
    """What can be trained."""

    policy = "policy"
    prepare = "prepare"


@app.command()
def train(
    what: Annotated[Trained, typer.Argument(help="What to train")],
    source: Annotated[
        str | None, typer.Argument(help="A library that `randori capture` wrote, or a set")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The table to write, an npz file; policy.npz or prepare.npz")
    ] = None,
    behaviours: Annotated[str, typer.Option(help="With commas")] = "approach,punch,evade",
    threshold: Annotated[
        float | None,
        typer.Option(min=0.01, max=1.0, help="Metres that frames may differ: more, more actions"),
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=5.0, max=3600.0, help="Of a set")] = None,
    discount: Annotated[float, typer.Option(min=0.0, max=0.99, help="Of preparation")] = 0.3,
    faithful: Annotated[
        bool,
        typer.Option("--faithful", help="The papers' own rewards, grids and learning, without our rules"),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of preparation")] = 1,
    plots: Annotated[Path | None, typer.Option(help="Folder for pictures of preparation")] = None,
    json: JsonOption = False,
) -> None:
    """Precompute what avatars do: tables of what every action is worth, wherever the target is."""
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
    """A library to prepare with: from its file, or what the performer records for it."""
    from randori.graph.library_file import read
    from randori.prepare.repertoire import performed_library

    return read(source) if source else follow("Performing", performed_library())


def _train_preparation(
    source: str | None, out: Path, discount: float, seed: int, plots: Path | None, faithful: bool
) -> dict[str, Any]:
    """Learn when to prepare, write it, and say how it went."""
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
    """A library from its file, or the one of a set of the performer."""
    from randori.graph.library_file import read
    from randori.graph.performed import Performance, performed
    from randori.performer import SETS

    if source in SETS:
        return follow(f"Performing {source}", performed(Performance((source,), seconds)))
    return read(source)
