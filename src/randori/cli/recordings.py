"""The commands `perform`, `capture`, `sheet`, `export` and `walk`."""

from collections.abc import Generator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from randori.cli.gate import AllowOption, CommercialOption, RequireOption, read_gate
from randori.cli.inspect import show_library
from randori.cli.reading import (
    ClipOption,
    Clips,
    FpsOption,
    HideOption,
    OnOption,
    OverviewOption,
    PartOption,
    SkeletonOption,
    TPoseOption,
    UnitOption,
    UpOption,
    load_clip,
    load_shown,
    load_take,
    named_parts,
    reading_options,
)
from randori.cli.shared import (
    JsonOption,
    app,
    check_file,
    check_folder,
    console,
    follow,
    in_words,
    make_folder,
    messages,
    print_json,
    show_files,
    working,
)

if TYPE_CHECKING:
    from randori.characters.character import Character
    from randori.motion.clip import Clip


@app.command()
def perform(
    set_name: Annotated[
        str, typer.Argument(metavar="SET", help="Set to record; `randori perform list` lists all sets")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the recordings and their ground truth")] = Path(
        "out/performer"
    ),
    seconds: Annotated[
        float | None, typer.Option(min=1.0, max=3600.0, help="Length in seconds; each set has a default")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed")] = 1,
    body: Annotated[
        str, typer.Option(help="Body of the performer: average, tall, short, stocky, …")
    ] = "average",
    fps: Annotated[float, typer.Option(min=10.0, max=480.0, help="Frames per second")] = 60.0,
) -> None:
    """Record a set of the built-in performer, as BVH files with their ground truth."""
    from randori.formats import bvh
    from randori.performer import SETS, performing
    from randori.performer.truth import write as write_truth

    if set_name == "list":
        for name, entry in SETS.items():
            console.marked("[bold]{}[/bold]  {}  [dim]({:g} s)[/dim]", name, entry.description, entry.seconds)
        return
    check_folder(out)
    work = performing(set_name, seconds=seconds, seed=seed, body=body, fps=fps)
    recordings = follow(f"Recording {set_name}", work)
    make_folder(out)
    for recording in recordings:
        path = out / f"{recording.clip.name}.bvh"
        bvh.write(path, recording.clip)
        write_truth(path.with_suffix(".truth.json"), recording.truth)
        console.print(
            f"{path}  {recording.clip.duration:.1f} s, {len(recording.truth.actions)} actions",
        )


@app.command()
def capture(
    files: Clips,
    out: Annotated[Path, typer.Option(help="Library to write (.npz)")] = Path("library.npz"),
    mirrored: Annotated[bool, typer.Option("--mirrored", help="Add a mirrored copy of every action")] = False,
    licence: Annotated[
        str | None, typer.Option(help="Licence of the recordings, kept with every frame")
    ] = None,
    credit: Annotated[str | None, typer.Option(help="Credit line of the recordings")] = None,
    json: JsonOption = False,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
    skeleton: SkeletonOption = None,
    clip: ClipOption = None,
) -> None:
    """Find the actions in recordings and write them as a library.

    A sidecar file beside each recording lists its actions, for you to correct.
    """
    from randori.graph.library_file import write
    from randori.graph.recordings import capturing

    check_file(out)
    told = reading_options(unit, up, fps, drop_tpose, part, skeleton, clip)
    told |= {"licence": licence, "credit": credit}
    library = follow("Capturing", capturing(files, mirrored=mirrored, told=told))
    write(out, library)
    report = show_library(library, out, json)
    if json:
        print_json(report)


@app.command()
def sheet(
    files: Clips,
    out: Annotated[Path, typer.Option(help="PNG file to write")] = Path("sheet.png"),
    frames: Annotated[int, typer.Option(min=1, max=400, help="Number of moments")] = 16,
    columns: Annotated[int, typer.Option(min=1, max=40, help="Moments per row")] = 8,
    start: Annotated[float, typer.Option(min=0.0, help="First moment in seconds")] = 0.0,
    stop: Annotated[float | None, typer.Option(help="Last moment in seconds")] = None,
    turn: Annotated[
        list[float] | None,
        typer.Option(help="Camera direction in degrees; repeat the option for several views"),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Draw one row per file, instead of all files together")
    ] = False,
    on: OnOption = None,
    overview: OverviewOption = False,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
    skeleton: SkeletonOption = None,
    clip: ClipOption = None,
    hide: HideOption = None,
    character: Annotated[
        bool,
        typer.Option("--character", help="Show the character of a file even if the file contains a clip"),
    ] = False,
) -> None:
    """Draw a contact sheet: moments of takes or recordings side by side.

    Characters with a skin (GLB, VRM, FBX) are shown in a T-pose and in actions, beside the mannequin.
    """
    from math import radians

    check_file(out)
    from randori.render.pictures import save_png
    from randori.render.sheet import compare_sheet, contact_sheet, moments

    if clip is None and (characters := _characters(files, named_parts(part), hide or [], character)):
        from randori.scene.fitting_room import character_sheet

        picture = follow("Drawing", character_sheet(characters))
        save_png(picture, out)
        console.print(f"{out}  {picture.width} × {picture.height}", highlight=False)
        return
    shown = load_shown(files, on, overview, unit, up, fps, drop_tpose, part, skeleton, clip)
    with working("Drawing"):
        if compare:
            rows = [(clip.name, [clip], moments(clip.duration, frames, start, stop)) for clip in shown.clips]
            picture = compare_sheet(rows, azimuth=radians((turn or [0.0])[0]))
        else:
            picture = contact_sheet(
                shown.clips,
                count=frames,
                columns=columns,
                start=start,
                stop=stop,
                azimuths=[shown.view.azimuth + radians(angle) for angle in turn or [0.0]],
                elevation=shown.view.elevation,
                title=shown.title,
                outfits=shown.outfits,
                props=shown.props,
                focus=shown.view.focus,
                bodies=shown.bodies,
            )
        save_png(picture, out)
    console.print(f"{out}  {picture.width} × {picture.height}")


def _characters(
    files: list[Path], parts: dict[str, str] | None, hide: list[str], asked: bool
) -> "list[Character]":
    """Load the files as characters, if all of them are. A file with one clip is a clip unless `asked`."""
    from randori.characters.character import clip_count, find_character, is_character

    found = []
    for file in files:
        if not is_character(file) or (clip_count(file) == 1 and not asked):
            return []
        if (character := find_character(file, parts, hide)) is None:
            return []
        found.append(character)
    return found


@app.command()
def export(
    files: Clips,
    out: Annotated[Path, typer.Option(help="File to write (.bvh, .glb, .usd, .npz or .mp4)")],
    width: Annotated[int, typer.Option(min=64, max=7680, help="Width in pixels, for MP4")] = 1280,
    height: Annotated[int, typer.Option(min=64, max=4320, help="Height in pixels, for MP4")] = 720,
    unit: UnitOption = None,
    up: UpOption = None,
    fps: FpsOption = None,
    drop_tpose: TPoseOption = None,
    part: PartOption = None,
    skeleton: SkeletonOption = None,
    clip: ClipOption = None,
    require: RequireOption = None,
    commercial: CommercialOption = False,
    allow: AllowOption = None,
    on: OnOption = None,
    overview: OverviewOption = False,
) -> None:
    """Convert takes or recordings to another format. Several files are put into one scene."""
    from randori.scene.gate import credits_of
    from randori.scene.take import Take
    from randori.scene.take_file import is_take

    check_file(out)
    gate = read_gate(require, commercial, allow)
    told = (unit, up, fps, drop_tpose, part, skeleton, clip)
    shown = [load_take(file, on, overview) if is_take(file) else load_clip(file, *told) for file in files]
    takes = [one for one in shown if isinstance(one, Take)]
    recordings = [one for one in shown if not isinstance(one, Take)]
    gate.check(takes, recordings)
    if len(takes) == len(files) == 1:
        # with quality and sources, from the take's own view
        show_files(follow("Writing", takes[0].saving(out, size=(width, height))))
        return
    clips = [clip for one in shown for clip in (one.clips if isinstance(one, Take) else [one])]
    words = {"takes": [take.report() for take in takes], "sources": credits_of(takes, recordings)}
    write_clips(clips, out, (width, height), words if takes else None)


class Graph(StrEnum):
    """The graphs that a random walk can follow."""

    actions = "actions"
    frames = "frames"


@app.command()
def walk(
    library: Annotated[Path, typer.Argument(help="Library written by `randori capture`")],
    out: Annotated[Path, typer.Option(help="File to write (.bvh, .glb, .npz or .mp4)")] = Path("walk.mp4"),
    seconds: Annotated[float, typer.Option(min=1.0, max=3600.0, help="Length in seconds")] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="Random seed")] = 1,
    graph: Annotated[
        Graph, typer.Option(help="Graph to follow: actions, or frames as policies use them")
    ] = Graph.actions,
    json: JsonOption = False,
) -> None:
    """Walk over the graph of a library at random, and measure how smooth its transitions are."""
    from randori.graph.action_graph import build_action_graph
    from randori.graph.frame_graph import build_frame_graph
    from randori.graph.library_file import read
    from randori.graph.walk import random_frame_walk, random_walk
    from randori.graph.walk_quality import measure_walk

    check_file(out)
    source = read(library)
    with working("Walking"):
        if graph is Graph.actions:
            wandered = random_walk(build_action_graph(source), seconds, seed)
        else:
            wandered = random_frame_walk(build_frame_graph(source), seconds, seed)
        report = measure_walk(wandered, source).report()
    write_clips([wandered.clip], out)
    if json:
        print_json(report)
    else:
        for key, value in report.items():
            console.print(f"  {key}: {in_words(value)}")


def write_clips(
    clips: "list[Clip]",
    out: Path,
    size: tuple[int, int] = (1280, 720),
    words: "dict[str, object] | None" = None,
) -> None:
    """Write clips in the format of the file's ending, and print the files written.

    `words` (the sources) go into the file if its format allows, else into a JSON file beside it.
    """
    from randori.scene.export import save, write_words

    if out.suffix.lower() == ".mp4":
        _write_video(clips, out, size)
        written = [out] if words is None else [out, write_words(out, words)]
    else:
        with working("Writing"):
            written = save(clips, out, words=words)
    for path in written:
        messages.print(f"{path}  {path.stat().st_size / 1e6:.2f} MB")


def _write_video(clips: "list[Clip]", path: Path, size: tuple[int, int]) -> None:
    from randori.render.video import write_video

    def filming() -> Generator[float, None, None]:
        for done, total in write_video(clips, path, size=size):
            yield done / total

    follow(f"Filming {path.name}", filming())
