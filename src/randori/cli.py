"""The command line: asks for something and shows it. No algorithms here."""

import json as json_module
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from randori import __version__
from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.graph.library import ActionLibrary
    from randori.motion.clip import Clip
    from randori.render.stage import Prop
    from randori.scene.take import Take
    from randori.timeline.session import Script

app = typer.Typer(
    help="Scenes of interacting characters from motion captured one person at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Result = TypeVar("Result")

console = Console()
messages = Console(stderr=True)


class Unit(StrEnum):
    """What one unit of a file's lengths is."""

    metre = "m"
    centimetre = "cm"
    millimetre = "mm"
    inch = "in"
    cmu = "cmu"


class UpAxis(StrEnum):
    """Which axis of a file points up."""

    y = "y"
    z = "z"


Clips = Annotated[list[Path], typer.Argument(help="BVH, AMC (with its ASF beside it) or npz files")]
UnitOption = Annotated[Unit | None, typer.Option(help="Length of one unit, if it is not recognised")]
UpOption = Annotated[UpAxis | None, typer.Option(help="Axis that points up, if it is not recognised")]
FpsOption = Annotated[
    float | None, typer.Option(help="Frames a second, if the file does not say or is wrong")
]
TPoseOption = Annotated[
    bool | None, typer.Option("--drop-tpose/--keep-tpose", help="Whether frame 0 is an inserted T-pose")
]
PartOption = Annotated[
    list[str] | None, typer.Option("--part", help="A body part outright, as in --part left_hand=Wrist_L")
]
SceneArgument = Annotated[str, typer.Argument(help="A shipped scene (`randori scenes`), or a .toml file")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read")]


@app.callback(invoke_without_command=True)
def randori(version: Annotated[bool, typer.Option("--version", help="Print the version")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command()
def demo(
    scene: SceneArgument = "boxing",
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out/demo"),
    seconds: Annotated[float | None, typer.Option(min=0.5, max=600.0, help="Instead of the scene's")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scene's")] = None,
) -> None:
    """Simulate a scene on the built-in performer, and write it as GLB, BVH, MP4 and a contact sheet."""
    take, written = _run(scene, seconds, seed, out, ["glb", "bvh", "png", "mp4"])
    console.print(take.quality().in_words(), highlight=False)
    console.print()
    for path in written:
        console.print(f"  {path}  [dim]{path.stat().st_size / 1e6:.1f} MB[/dim]", highlight=False)
    name = written[0].stem
    console.print(f"\nLook at [bold]{out / f'{name}.mp4'}[/bold], or drop the GLB into any 3-D tool.")
    console.print(f"What happened, and why: randori inspect {out / f'{name}.npz'} --why 1", highlight=False)


@app.command()
def run(
    scene: SceneArgument,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    seconds: Annotated[float | None, typer.Option(min=0.5, max=3600.0, help="Instead of the scene's")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scene's")] = None,
    formats: Annotated[
        str,
        typer.Option("--format", help="glb, bvh, mp4 and png, with commas; a take (npz) is always written"),
    ] = "glb",
    json: JsonOption = False,
) -> None:
    """Simulate a scene and write the take, what it was made of and how good it is."""
    take, written = _run(scene, seconds, seed, out, [word.strip().lower() for word in formats.split(",")])
    if json:
        print(json_module.dumps(take.report() | {"files": [str(path) for path in written]}, indent=2))
        return
    console.print(take.quality().in_words(), highlight=False)
    for path in written:
        console.print(f"  {path}  [dim]{path.stat().st_size / 1e6:.1f} MB[/dim]", highlight=False)


@app.command()
def scenes(json: JsonOption = False) -> None:
    """List the scenes that come with Randori."""
    from randori.scene.scene import Scene, shipped_scenes

    loaded = {name: Scene.load(name) for name in shipped_scenes()}
    if json:
        rows = [
            {"name": name, **scene.model_dump(mode="json", exclude_defaults=True)}
            for name, scene in loaded.items()
        ]
        print(json_module.dumps(rows, indent=2))
        return
    for name, scene in loaded.items():
        console.print(f"[bold]{name}[/bold]  {escape(scene.description)}", highlight=False)


@app.command()
def perform(
    set_name: Annotated[
        str, typer.Argument(metavar="SET", help="What to record; `randori perform list` lists them")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the takes and their ground truth")] = Path(
        "out/performer"
    ),
    seconds: Annotated[
        float | None, typer.Option(min=1.0, max=3600.0, help="Length; each set has its own")
    ] = None,
    seed: int = 1,
    body: Annotated[str, typer.Option(help="Who performs: average, tall, short, stocky, …")] = "average",
    fps: Annotated[float, typer.Option(min=10.0, max=480.0)] = 60.0,
) -> None:
    """Record a set of the built-in performer: BVH files with the ground truth beside them."""
    from randori.formats import bvh
    from randori.performer import SETS, performing
    from randori.performer.truth import write as write_truth

    if set_name == "list":
        for name, entry in SETS.items():
            console.print(f"[bold]{name}[/bold]  {entry.description}  [dim]({entry.seconds:g} s)[/dim]")
        return
    work = performing(set_name, seconds=seconds, seed=seed, body=body, fps=fps)
    recordings = follow(f"Recording {set_name}", work)
    out.mkdir(parents=True, exist_ok=True)
    for recording in recordings:
        path = out / f"{recording.clip.name}.bvh"
        bvh.write(path, recording.clip)
        write_truth(path.with_suffix(".truth.json"), recording.truth)
        console.print(
            f"{path}  {recording.clip.duration:.1f} s, {len(recording.truth.actions)} actions",
            highlight=False,
        )


@app.command()
def capture(
    files: Clips,
    out: Annotated[Path, typer.Option(help="The library to write, an npz file")] = Path("library.npz"),
    mirrored: Annotated[bool, typer.Option("--mirrored", help="Everything a second time, mirrored")] = False,
    json: JsonOption = False,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
) -> None:
    """Find the actions of recordings and keep them as a library; what was found lies beside each, to edit."""
    from randori.graph.library_file import write
    from randori.graph.recordings import capturing

    told = {"unit": unit, "up": up, "fps": fps, "drop_tpose": drop_tpose, "parts": _parts(part)}
    library = follow("Capturing", capturing(files, mirrored=mirrored, told=told))
    write(out, library)
    _show_library(library, out, json)


@app.command()
def inspect(
    files: Clips,
    json: JsonOption = False,
    plot: Annotated[Path | None, typer.Option(help="PNG file for a picture of a library's graph")] = None,
    why: Annotated[
        str | None, typer.Option(help="A decision of a take, by its number or its time in seconds (12.4)")
    ] = None,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
) -> None:
    """Say what a recording is, what a library holds, or what happens in a take and why."""
    from randori.graph.library_file import is_library, read
    from randori.scene.take import Take
    from randori.scene.take_file import is_take

    reports = []
    for file in files:
        if is_take(file):
            _show_take(Take.load(file), file, json, why)
            continue
        if why is not None:
            raise RandoriError(f"--why asks about a decision of a take, and {file} is none")
        if is_library(file):
            _show_library(read(file), file, json, plot)
            continue
        clip = _load(file, unit, up, fps, drop_tpose, part)
        reports.append(_report(file, clip, json))
    if json and reports:
        print(json_module.dumps(reports, indent=2))


@app.command()
def sheet(
    files: Clips,
    out: Annotated[Path, typer.Option(help="PNG file")] = Path("sheet.png"),
    frames: Annotated[int, typer.Option(min=1, max=400, help="How many moments")] = 16,
    columns: Annotated[int, typer.Option(min=1, max=40)] = 8,
    start: Annotated[float, typer.Option(min=0.0, help="Seconds")] = 0.0,
    stop: Annotated[float | None, typer.Option(help="Seconds")] = None,
    turn: Annotated[
        list[float] | None, typer.Option(help="Degrees to look from; give several for several views")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="One row per file instead of all in one scene")
    ] = False,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
) -> None:
    """Draw a contact sheet: moments side by side, all characters in one scene or one row per file."""
    from math import radians

    from randori.render.pictures import save_png
    from randori.render.sheet import compare_sheet, contact_sheet, moments

    clips = [clip for file in files for clip in _load_all(file, unit, up, fps, drop_tpose, part)]
    with working("Drawing"):
        if compare:
            rows = [(clip.name, [clip], moments(clip.duration, frames, start, stop)) for clip in clips]
            picture = compare_sheet(rows, azimuth=radians((turn or [0.0])[0]))
        else:
            turns = [radians(angle) for angle in turn or [0.0]]
            picture = contact_sheet(
                clips, count=frames, columns=columns, start=start, stop=stop, azimuths=turns
            )
        save_png(picture, out)
    console.print(f"{out}  {picture.width} × {picture.height}", highlight=False)


@app.command()
def export(
    files: Clips,
    out: Annotated[Path, typer.Option(help="File to write: .bvh, .glb, .npz or .mp4")],
    width: Annotated[int, typer.Option(min=64, max=7680, help="Pixels, for MP4")] = 1280,
    height: Annotated[int, typer.Option(min=64, max=4320, help="Pixels, for MP4")] = 720,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
) -> None:
    """Write recordings in another format; several files become several characters of one scene."""
    clips = [clip for file in files for clip in _load_all(file, unit, up, fps, drop_tpose, part)]
    _write(clips, out, (width, height))


class Graph(StrEnum):
    """What a walk goes over."""

    actions = "actions"
    frames = "frames"


@app.command()
def walk(
    library: Annotated[Path, typer.Argument(help="A library that `randori capture` wrote")],
    out: Annotated[Path, typer.Option(help="File to write: .bvh, .glb, .npz or .mp4")] = Path("walk.mp4"),
    seconds: Annotated[float, typer.Option(min=1.0, max=3600.0)] = 60.0,
    seed: int = 1,
    graph: Annotated[
        Graph, typer.Option(help="Whole actions, or frames as POLICY joins them")
    ] = Graph.actions,
    json: JsonOption = False,
) -> None:
    """Wander over a library's graph at random, and measure how smoothly its pieces join."""
    from randori.graph.action_graph import build_action_graph
    from randori.graph.frame_graph import build_frame_graph
    from randori.graph.library_file import read
    from randori.graph.walk import random_frame_walk, random_walk
    from randori.graph.walk_quality import measure_walk

    source = read(library)
    with working("Walking"):
        if graph is Graph.actions:
            wandered = random_walk(build_action_graph(source), seconds, seed)
        else:
            wandered = random_frame_walk(build_frame_graph(source), seconds, seed)
        report = measure_walk(wandered, source).report()
    _write([wandered.clip], out)
    if json:
        print(json_module.dumps(report, indent=2))
    else:
        for key, value in report.items():
            console.print(f"  {key}: {escape(_in_words(value))}", highlight=False)


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
    seed: Annotated[int, typer.Option(min=0, help="Of preparation")] = 1,
    plots: Annotated[Path | None, typer.Option(help="Folder for pictures of preparation")] = None,
    json: JsonOption = False,
) -> None:
    """Precompute what avatars do: tables of what every action is worth, wherever the target is."""
    from randori.policy.model import THRESHOLD
    from randori.policy.table import training, write

    out = out or Path(f"{what}.npz")
    if what is Trained.prepare:
        _show_report(_train_preparation(source, out, discount, seed, plots), json)
        return
    library = _source_library(source or "boxing", seconds)
    names = [word.strip() for word in behaviours.split(",")]
    table = follow("Training", training(library, names, threshold=threshold or THRESHOLD))
    write(out, table)
    _show_report({"table": str(out), **table.report()}, json)


def _show_report(report: dict[str, Any], json: bool) -> None:
    if json:
        print(json_module.dumps(report, indent=2))
        return
    for key, value in report.items():
        console.print(f"  {key}: {escape(_in_words(value))}", highlight=False)


def _prepared_library(source: str | None) -> "ActionLibrary":
    """A library to prepare with: from its file, or what the performer records for it."""
    from randori.graph.library_file import read
    from randori.prepare.repertoire import performed_library

    return read(source) if source else follow("Performing", performed_library())


def _train_preparation(
    source: str | None, out: Path, discount: float, seed: int, plots: Path | None
) -> dict[str, Any]:
    """Learn when to prepare, write it, and say how it went."""
    from randori.prepare.controller_file import write_controller
    from randori.prepare.learning import Lessons, try_out
    from randori.prepare.plot import plot_learning, plot_levels, plot_policy
    from randori.prepare.repertoire import learn, make_repertoire
    from randori.render.pictures import save_png

    repertoire = make_repertoire(_prepared_library(source))
    controller = follow("Training", learn(repertoire, Lessons(discount=discount), seed))
    write_controller(out, controller)
    if plots is not None:
        plots.mkdir(parents=True, exist_ok=True)
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
    from randori.scene.take import take_of
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
    return take_of(timeline, walks, scene), Script.of(session, scene, session.seed), things_of(session, props)


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
    seed: Annotated[int, typer.Option(min=0)] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    formats: Annotated[
        str, typer.Option("--format", help="glb, bvh, mp4 and png, with commas; a take is always written")
    ] = "png",
) -> None:
    """Let precomputed avatars play a scene, with the inputs of a script; write the take and the script."""
    from randori.prepare.scenes import SCENES

    if scene in SCENES:
        played = _play_prepared(scene, table, on, inputs, seconds, seed)
        _write_played(*played, scene, out, formats)
        return
    import numpy as np

    from randori.policy.arena import TARGET_RADIUS
    from randori.policy.scenes import example, open_scene
    from randori.policy.table import read
    from randori.render.stage import Prop
    from randori.scene.take import take_of
    from randori.timeline.session import Script, read_script, replaying

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
    take = take_of(session.timeline(), walks, scene)
    radius, colour = np.full(len(places[0]), TARGET_RADIUS), (0.8, 0.25, 0.15)
    things = [Prop(np.array(places), np.array(places), radius, colour, session.fps)] if len(radius) else []
    _write_played(take, Script.of(session, scene, session.seed), things, scene, out, formats)


def _write_played(
    take: "Take", script: "Script", props: "list[Prop]", scene: str, out: Path, formats: str
) -> None:
    """Write a take and the inputs that led to it; things are seen in pictures and films."""
    from randori.timeline.session import write_script

    out.mkdir(parents=True, exist_ok=True)
    written = [out / f"{scene}.inputs.json"]
    write_script(written[0], script)
    for word in dict.fromkeys(["npz", *(word.strip().lower() for word in formats.split(","))]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene}.{word}", props))
    console.print(take.quality().in_words(), highlight=False)
    for path in written:
        console.print(f"  {path}  [dim]{path.stat().st_size / 1e6:.1f} MB[/dim]", highlight=False)


def _source_library(source: str, seconds: float | None) -> "ActionLibrary":
    """A library from its file, or the one of a set of the performer."""
    from randori.graph.library_file import read
    from randori.performer import SETS
    from randori.scene.motions import performed
    from randori.scene.scene import Motions

    if source in SETS:
        return follow(f"Performing {source}", performed(Motions(perform=(source,), seconds=seconds)))
    return read(source)


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


@app.command()
def bench(
    what: Annotated[Bench, typer.Argument(help="What to measure")],
    only: Annotated[str | None, typer.Option(help="One part of it, for duel and experiments")] = None,
    json: JsonOption = False,
) -> None:
    """Measure Randori side by side with the alternatives, in one run."""
    from importlib import import_module

    module = import_module(f"randori.bench.{what}")
    if what in (Bench.duel, Bench.experiments):
        rows = follow(f"Measuring {what}", module.running(only))
    elif only is not None:
        raise RandoriError(f"--only: {what} has no parts; duel and experiments have")
    else:
        rows = module.run()
    if json:
        print(json_module.dumps(rows, indent=2))
        return
    keys = list(rows[0])
    if len(keys) > 6:  # too wide for a terminal: one column per row instead
        rows = [{"": key} | {str(n): row[key] for n, row in enumerate(rows, 1)} for key in keys]
    table = Table(*rows[0].keys())
    for row in rows:
        table.add_row(*map(str, row.values()))
    console.print(table)


def _load(
    file: Path,
    unit: Unit | None,
    up: UpAxis | None,
    fps: float | None,
    drop_tpose: bool | None,
    part: list[str] | None,
) -> "Clip":
    from randori.formats import load

    return load(file, unit=unit, up=up, fps=fps, drop_tpose=drop_tpose, parts=_parts(part))


def _load_all(file: Path, *told: Any) -> "list[Clip]":
    """The characters of a take, or the one of a recording."""
    from randori.scene.take import Take
    from randori.scene.take_file import is_take

    return Take.load(file).clips if is_take(file) else [_load(file, *told)]


def _run(
    name: str, seconds: float | None, seed: int | None, out: Path, formats: list[str]
) -> "tuple[Take, list[Path]]":
    """Simulate a scene, and write the take, the report and whatever formats are asked for."""
    from randori.formats.files import write_whole
    from randori.scene.run import simulating
    from randori.scene.scene import Scene
    from randori.scene.take import ENDINGS

    for word in formats:
        if f".{word}" not in ENDINGS:
            raise RandoriError(f"--format {word}: known are {', '.join(e[1:] for e in ENDINGS)}")
    scene = Scene.load(name)
    take = follow(f"Simulating {scene.title}", simulating(scene, seed, seconds))
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for word in dict.fromkeys(["npz", *formats]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene.name}.{word}"))
    report = out / f"{scene.name}.json"
    with write_whole(report) as file:
        file.write(json_module.dumps(take.report(), indent=2).encode())
    return take, [*written, report]


def _show_take(take: "Take", path: Path, json: bool, which: str | None) -> None:
    """What happens in a take and how good it is, or why one decision was taken."""
    from randori.scene.story import DIRECTOR_TABLE_5, choices, find_decision, story, why

    if which is not None:
        decision = find_decision(take, which)
        if json:
            print(json_module.dumps(asdict(decision), indent=2))
        for line in () if json else why(take, decision):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        return
    counted = choices(take)
    if json:
        report = take.report() | {"events": [asdict(event) for event in take.events]}
        print(json_module.dumps(report | {"choices": [asdict(row) for row in counted]}, indent=2))
        return
    console.print(
        f"[bold]{escape(str(path))}[/bold]  {escape(take.title)}, {take.seconds:g} s", highlight=False
    )
    for line in story(take):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print("[bold]quality[/bold]")
    console.print(take.quality().in_words(), highlight=False, markup=False)
    console.print("[bold]choices before → after the plausibility rules[/bold]")
    for row in counted:
        console.print(f"  {row.in_words()}", highlight=False, markup=False, soft_wrap=True)
    theirs = ", ".join(f"{name} {before} → {after}" for name, (before, after) in DIRECTOR_TABLE_5.items())
    console.print(f"  [dim]DIRECTOR, table 5: {theirs}[/dim]", highlight=False)


def _parts(part: list[str] | None) -> dict[str, str] | None:
    """Body parts that were named outright."""
    parts = {}
    for assignment in part or ():
        key, equals, joint = assignment.partition("=")
        if not equals:
            raise RandoriError(f"--part {assignment}: expected PART=JOINT, as in left_hand=Wrist_L")
        parts[key] = joint
    return parts or None


def _report(file: Path, clip: "Clip", json: bool) -> dict[str, Any]:
    """What a recording is, how its body moves and what it does; beside its ground truth if that is known."""
    from randori.capture.analysis import analyse
    from randori.capture.scoring import score
    from randori.capture.sidecar import read_sidecar, sidecar_path
    from randori.performer.checks import check
    from randori.performer.truth import read as read_truth

    body = check(clip)
    sidecar, known = sidecar_path(file), file.with_suffix(".truth.json")
    analysis = analyse(clip, edits=read_sidecar(sidecar) if sidecar.is_file() else ())
    actions = Counter(segment.tags.name for segment in analysis.segments)
    report = {
        "file": str(file),
        **_facts(clip),
        "checks": body.as_dict(),
        "actions": dict(actions.most_common()),
    }
    report["problems"] = [problem.message for problem in analysis.problems]
    agreement = score(analysis, read_truth(known)) if known.is_file() else None
    if agreement is not None:
        report["agreement"] = agreement.as_dict()
    if not json:
        _print_facts(file, clip)
        console.print(body.in_words(), highlight=False)
        listed = ", ".join(f"{count} {name}" for name, count in actions.most_common())
        console.print(f"  {len(analysis.segments)} actions: {listed}", highlight=False)
        for problem in analysis.problems:
            console.print(f"  [yellow]{escape(problem.message)}[/yellow]", highlight=False)
        if agreement is not None:
            console.print(f"  against {known.name}: {agreement.summary()}", highlight=False)
            console.print(agreement.confusion_table(), highlight=False, soft_wrap=True)
    return report


def _show_library(library: "ActionLibrary", path: Path, json: bool, plot: Path | None = None) -> None:
    """What a library holds, and its graphs."""
    from randori.graph.action_graph import build_action_graph
    from randori.graph.frame_graph import build_frame_graph
    from randori.graph.locomotion_graph import build_locomotion_graph
    from randori.graph.plot import plot_action_graph
    from randori.render.pictures import save_png

    with working("Joining actions"):
        actions, frames = build_action_graph(library), build_frame_graph(library)
        gaits = build_locomotion_graph(library)
    problems = [f"{clip.name}: {problem.message}" for clip in library.clips for problem in clip.problems]
    report = {
        "library": str(path),
        "recordings": len(library.clips),
        "actions": len(library),
        "seconds": round(library.seconds, 1),
        "by technique": library.counts(),
        "action graph": actions.report(),
        "frame graph": frames.report(),
        "locomotion graph": gaits.report(),
        "problems": problems,
    }
    if json:
        print(json_module.dumps(report, indent=2))
    else:
        size = f"{len(library)} actions, {library.seconds:.0f} s of {len(library.clips)} recordings"
        console.print(f"[bold]{escape(str(path))}[/bold]  {size}", highlight=False)
        listed = ", ".join(f"{count} {name}" for name, count in library.counts().items())
        console.print(f"  {listed}", highlight=False)
        for name, graph in (("action graph", actions), ("frame graph", frames), ("locomotion graph", gaits)):
            console.print(f"  [bold]{name}[/bold]", highlight=False)
            for key, value in graph.report().items():
                console.print(f"    {key}: {escape(_in_words(value))}", highlight=False)
        for problem in problems:
            console.print(f"  [yellow]{escape(problem)}[/yellow]", highlight=False)
    if plot is not None:
        save_png(plot_action_graph(actions, title=path.stem), plot)
        messages.print(f"{plot}", highlight=False)


def _facts(clip: "Clip") -> dict[str, Any]:
    skeleton = clip.skeleton
    return {
        "name": clip.name,
        "frames": len(clip),
        "fps": clip.fps,
        "seconds": round(clip.duration, 3),
        "joints": len(skeleton),
        **asdict(clip.source),
        "parts": {part: skeleton.names[joint] for part, joint in skeleton.parts.items()},
    }


def _in_words(value: object) -> str:
    """A value of a report on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_in_words(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return f"({', '.join(map(str, value))})"
    return str(value)


def _print_facts(file: Path, clip: "Clip") -> None:
    facts = _facts(clip)
    console.print(f"[bold]{escape(str(file))}[/bold]", highlight=False)
    length = f"{facts['frames']} frames at {facts['fps']:g} a second = {facts['seconds']:g} s"
    console.print(f"  {length}, {facts['joints']} joints", highlight=False)
    console.print(f"  1 unit = {facts['metres_per_unit']:g} m, {facts['up_axis']} up", highlight=False)
    if facts["dropped_frames"]:
        console.print(f"  {facts['dropped_frames']} leading T-pose frame left out", highlight=False)
    for note in facts["notes"]:
        console.print(f"  {note}", highlight=False)
    parts = ", ".join(f"{part}: {joint}" for part, joint in facts["parts"].items())
    console.print(f"  [dim]{parts}[/dim]", highlight=False)


def _write(clips: "list[Clip]", out: Path, size: tuple[int, int] = (1280, 720)) -> None:
    """Write characters in the format that a file's ending names, and say what was written."""
    from randori.scene.export import save

    if out.suffix.lower() == ".mp4":
        _write_video(clips, out, size)
        written = [out]
    else:
        with working("Writing"):
            written = save(clips, out)
    for path in written:
        messages.print(f"{path}  {path.stat().st_size / 1e6:.2f} MB", highlight=False)


def _write_video(clips: "list[Clip]", path: Path, size: tuple[int, int]) -> None:
    from randori.render.video import write_video

    def filming() -> Generator[float, None, None]:
        for done, total in write_video(clips, path, size=size):
            yield done / total

    follow(f"Filming {path.name}", filming())


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner for work that takes a moment."""
    with messages.status(f"{what} …"):
        yield


def follow(what: str, work: Generator[float, None, Result]) -> Result:
    """A bar over work that yields the share that is done. Leaving it half way leaves no file behind."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages, transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        while True:
            try:
                share = next(work)
                progress.update(
                    task, completed=share, description=f"{what} {getattr(share, 'words', '')}".rstrip()
                )
            except StopIteration as finished:
                return finished.value


def main() -> None:
    """Run the command line; what a person did wrong is said in a sentence, without a traceback."""
    try:
        app()
    except RandoriError as error:
        messages.print(f"[red]randori:[/red] {escape(str(error))}", highlight=False)
        sys.exit(2)
    except KeyboardInterrupt:
        messages.print("randori: stopped")
        sys.exit(130)
