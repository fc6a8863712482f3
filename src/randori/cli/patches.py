"""The commands `patches build`, `check`, `list` and `show`."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from randori.cli.shared import JsonOption, app, console, follow, show_files, show_report
from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.graph.action_graph import ActionGraph
    from randori.patches.library import PatchLibrary

patches_app = typer.Typer(
    help="Build and inspect interaction patches: short interactions of two characters.", no_args_is_help=True
)
app.add_typer(patches_app, name="patches")

PatchFile = Annotated[
    Path, typer.Argument(help="Patch library written by `randori patches build`", exists=True, dir_okay=False)
]


@patches_app.command("list")
def list_scenes(json: JsonOption = False) -> None:
    """List the shipped patterns, scene by scene."""
    from randori.patches.pattern import read_patterns, scene_names

    report: dict[str, Any] = {}
    for name in scene_names():
        scene = read_patterns(name)
        titles = [pattern.title for pattern in scene.pattern]
        report[name] = titles if json else "; ".join(titles)
    show_report(report, json)


@patches_app.command()
def build(
    scene: Annotated[
        str, typer.Argument(help="A name from `randori patches list`, or a pattern file (.toml)")
    ],
    out: Annotated[Path | None, typer.Option(help="File to write; SCENE.patches.npz if omitted")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of threads or processes; all cores if omitted")
    ] = None,
    processes: Annotated[bool, typer.Option("--processes", help="Use processes instead of threads")] = False,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a dask scheduler, such as tcp://host:8786")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Folder for finished chunks, so that a stopped build can be resumed")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Build the patches of a scene and their joins, and report the rejected candidates."""
    from randori.patches.library import write_patches
    from randori.patches.pattern import parse_patterns
    from randori.patches.prepared import Where, patterns_text, preparing_graph, working_out

    file = Path(scene)
    text = patterns_text(scene)
    patterns = parse_patterns(text, file.stem)
    graph = follow("Performing", preparing_graph(patterns))
    begun, used = time.perf_counter(), time.process_time()
    work = working_out(patterns, text, graph, Where(workers, processes, cluster, resume))
    patches = follow("Building", work)
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    out = out or Path(f"{file.stem}.patches.npz")
    write_patches(out, patches)
    show_report(_summary(patches, seconds, processor), json)
    if not json:
        show_files([out])


def _summary(patches: "PatchLibrary", seconds: float, processor: float) -> dict[str, Any]:
    """The report of a build."""
    candidates = sum(row["candidates"] for row in patches.report["patterns"])
    return {
        "patches": len(patches),
        "seconds": round(seconds, 1),
        "processor seconds": round(processor, 1),
        "candidates per second": round(candidates / max(seconds, 1e-9)),
        "joins": {name: len(table) for name, table in patches.joins._asdict().items()},
        **{
            row["pattern"]: {key: value for key, value in row.items() if key != "pattern"}
            for row in patches.report["patterns"]
        },
    }


@patches_app.command()
def check(
    file: PatchFile,
    joins: Annotated[
        int | None, typer.Option(min=0, help="Maximum number of joins to check in each table; all if omitted")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check every patch against its pattern, and replay every join."""
    from randori.patches.check import checking

    patches, graph = _read(file)
    found = follow("Checking", checking(patches, graph, joins))
    show_report(found.report(), json)
    if found.wrong:
        raise typer.Exit(1)


@patches_app.command()
def show(
    file: PatchFile,
    numbers: Annotated[list[int], typer.Argument(help="Numbers of the patches, from 0")],
    out: Annotated[Path, typer.Option(help="PNG file to write")] = Path("patches.png"),
) -> None:
    """Draw a contact sheet of some patches."""
    from randori.patches.preview import describe, timeline_of
    from randori.render.pictures import save_png
    from randori.render.sheet import compare_sheet, moments
    from randori.timeline.bake import bake_timeline

    patches, graph = _read(file)
    rows = []
    for number in numbers:
        if not 0 <= number < len(patches):
            raise RandoriError(
                f"there is no patch {number} in {file}; it has patches 0 to {len(patches) - 1}"
            )
        patch = patches.patch(number)
        walks = follow("Baking", bake_timeline(timeline_of(patch, graph.library)))
        title = f"{number}  {describe(patch, graph.library)}"
        rows.append((title, [walk.clip for walk in walks], moments(walks[0].clip.duration)))
        console.print(f"  {title}", highlight=False, markup=False)
    save_png(compare_sheet(rows, cell=(190, 210), title=patches.scene.title), out)
    show_files([out])


def _read(file: Path) -> "tuple[PatchLibrary, ActionGraph]":
    """Read a patch library and the motions it was built on."""
    from randori.patches.library import read_patches
    from randori.patches.prepared import preparing_graph

    scene = read_patches(file).scene
    graph = follow("Performing", preparing_graph(scene))
    return read_patches(file, graph.library), graph


def patches_report(patches: "PatchLibrary", path: Path) -> dict[str, Any]:
    """The report of a patch library, for `randori inspect`."""
    arrays = patches.arrays
    counts = np.bincount(arrays.pattern, minlength=len(patches.scene.pattern))
    lengths = [patches.patch(number).ticks for number in range(len(patches))]
    return {
        "file": str(path),
        "scene": patches.scene.title,
        "patches": len(patches),
        "of each pattern": {
            pattern.title: int(count) for pattern, count in zip(patches.scene.pattern, counts)
        },
        "actions": len(np.unique(arrays.step["action"])),
        "ticks, shortest and longest": [min(lengths), max(lengths)],
        "score, least and best": [round(float(arrays.score.min()), 2), round(float(arrays.score.max()), 2)],
        "joins": {name: len(table) for name, table in patches.joins._asdict().items()},
        **{f"built: {row['pattern']}": row for row in patches.report.get("patterns", [])},
    }
