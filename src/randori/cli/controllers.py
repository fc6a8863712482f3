"""Commands of what is computed before it plays: train, play."""

from collections.abc import Generator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from randori.cli.gate import AllowOption, CommercialOption, RequireOption, read_gate
from randori.cli.shared import (
    JsonOption,
    app,
    check_file,
    check_folder,
    check_formats,
    console,
    follow,
    make_folder,
    show_files,
    show_report,
)
from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.graph.library import ActionLibrary
    from randori.render.stage import Prop
    from randori.scene.gate import Gate
    from randori.scene.take import Take
    from randori.timeline.session import Script


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


def _play_prepared(
    scene: str, table: Path, on: str | None, inputs: Path | None, seconds: float, seed: int
) -> "tuple[Take, Script, list[Prop]]":
    """A scene of preparation: its take, its inputs, and the things in it."""
    from randori.prepare.controller_file import read_controller
    from randori.prepare.repertoire import make_repertoire
    from randori.prepare.scenes import playing, start_scene
    from randori.scene.prepared import things_of
    from randori.scene.take import refining_take
    from randori.timeline.session import Script, read_script, replaying

    script = read_script(inputs) if inputs is not None else None
    repertoire = make_repertoire(_prepared_library(on))
    controller = read_controller(table, repertoire.gaits)
    session = start_scene(scene, repertoire, controller, script.seed if script else seed)
    ticks = script.ticks if script else round(seconds * session.fps)
    props = []

    def frames() -> Generator[float, None, None]:
        for frame in replaying(session, script) if script else playing(session, ticks):
            props.append(frame.props)
            yield frame.tick / ticks

    follow(f"Playing {scene}", frames())
    timeline, walks = session.result()
    take = follow("Refining", refining_take(timeline, walks, scene))
    return take, Script.of(session, scene, session.seed), things_of(session, props)


@app.command()
def play(
    scene: Annotated[
        str, typer.Argument(help="target, sparring, thirty or person; kick, punch or course (preparation)")
    ],
    table: Annotated[Path, typer.Argument(help="A table that `randori train` wrote")],
    on: Annotated[
        str | None, typer.Option(help="The library or set that the table was trained on, if not the usual")
    ] = None,
    inputs: Annotated[Path | None, typer.Option(help="Recorded inputs; without them, an example")] = None,
    seconds: Annotated[float, typer.Option(min=0.5, max=3600.0, help="Of the example")] = 20.0,
    of: Annotated[float | None, typer.Option(min=5.0, max=3600.0, help="Seconds of the set")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the example")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    formats: Annotated[
        str, typer.Option("--format", help="glb, bvh, mp4 and png, with commas; a take is always written")
    ] = "png",
    require: RequireOption = None,
    commercial: CommercialOption = False,
    allow: AllowOption = None,
) -> None:
    """Let precomputed avatars play a scene, with the inputs of a script; write the take and the script."""
    from randori.prepare.scenes import SCENES
    from randori.scene.take import ENDINGS

    words, gate = check_formats(formats, ENDINGS), read_gate(require, commercial, allow)
    check_folder(out)
    if scene in SCENES:
        played = _play_prepared(scene, table, on, inputs, seconds, seed)
        _write_played(*played, scene, out, words, gate)
        return
    import numpy as np

    from randori.policy.arena import TARGET_RADIUS
    from randori.policy.scenes import SCENES as ARENAS
    from randori.policy.scenes import example, open_scene
    from randori.policy.table import read
    from randori.render.stage import Prop
    from randori.scene.take import refining_take
    from randori.timeline.session import Script, read_script, replaying

    if scene not in ARENAS:
        raise RandoriError(f"there is no scene {scene!r}; there are {', '.join((*ARENAS, *SCENES))}")
    script = read_script(inputs) if inputs is not None else None
    library = _source_library(on or "boxing", of)
    session = open_scene(scene, read(table, library), script.seed if script else seed)
    script = script or example(scene, session.fps, seconds, seed)

    places = [session.prop_places]

    def playing() -> Generator[float, None, None]:
        for frame in replaying(session, script):
            places.append(frame.props)
            yield frame.tick / script.ticks

    follow(f"Playing {scene}", playing())
    walks = follow("Making poses", session.baking())
    take = follow("Refining", refining_take(session.timeline(), walks, scene))
    ways = np.array(places).transpose(1, 0, 2)
    things = [Prop.ball(way, TARGET_RADIUS, (0.8, 0.25, 0.15), session.fps) for way in ways]
    _write_played(take, Script.of(session, scene, session.seed), things, scene, out, words, gate)


def _write_played(
    take: "Take",
    script: "Script",
    props: "list[Prop]",
    scene: str,
    out: Path,
    formats: list[str],
    gate: "Gate",
) -> None:
    """Write a take and the inputs that led to it; things are seen in pictures and films."""
    from dataclasses import replace

    from randori.timeline.session import write_script

    gate.check([take])
    make_folder(out)
    written = [out / f"{scene}.inputs.json"]
    write_script(written[0], script)
    take = replace(take, props=tuple(props))
    for word in dict.fromkeys(["npz", *formats]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene}.{word}"))
    console.print(take.quality().in_words(), highlight=False)
    show_files(written)


def _source_library(source: str, seconds: float | None) -> "ActionLibrary":
    """A library from its file, or the one of a set of the performer."""
    from randori.graph.library_file import read
    from randori.performer import SETS
    from randori.scene.motions import performed
    from randori.scene.scene import Motions

    if source in SETS:
        return follow(f"Performing {source}", performed(Motions(perform=(source,), seconds=seconds)))
    return read(source)
