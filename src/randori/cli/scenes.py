"""Commands that simulate: demo, run, scenes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from randori.cli.gate import CommercialOption, RequireOption, check_limits, check_take
from randori.cli.reading import OverviewOption
from randori.cli.shared import (
    JsonOption,
    app,
    check_folder,
    check_formats,
    console,
    follow,
    make_folder,
    print_json,
    show_files,
)
from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.scene.scene import Pin
    from randori.scene.take import Take


SceneArgument = Annotated[str, typer.Argument(help="A shipped scene (`randori scenes`), or a .toml file")]


@app.command()
def demo(
    scene: SceneArgument = "boxing",
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out/demo"),
    seconds: Annotated[float | None, typer.Option(min=0.5, max=600.0, help="Instead of the scene's")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scene's")] = None,
) -> None:
    """Simulate a scene on the built-in performer, and write it as GLB, BVH, MP4 and a contact sheet."""
    from randori.scene.story import judged

    take, written = _run("demo", scene, seconds, seed, out, "glb,bvh,png,mp4")
    console.print(judged(take), highlight=False, markup=False)
    console.print()
    show_files(written)
    name = written[0].stem
    console.print(f"\nLook at [bold]{out / f'{name}.mp4'}[/bold], or drop the GLB into any 3-D tool.")
    console.print(f"What happened, and why: randori inspect {out / f'{name}.npz'} --why 1", highlight=False)
    console.print("See it move, ask why, change it: randori studio", highlight=False)


@app.command()
def run(
    scene: SceneArgument,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    seconds: Annotated[float | None, typer.Option(min=0.5, max=3600.0, help="Instead of the scene's")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scene's")] = None,
    formats: Annotated[
        str,
        typer.Option("--format", help="glb, bvh, usd, mp4, png, with commas; a take (npz) is always written"),
    ] = "glb",
    pin: Annotated[
        list[str] | None,
        typer.Option(help="DECISION=ACTION: take that option instead; see `randori inspect TAKE --why N`"),
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option(help="Recorded inputs, as a live session keeps them; they say how long")
    ] = None,
    overview: OverviewOption = False,
    require: RequireOption = None,
    commercial: CommercialOption = False,
    json: JsonOption = False,
) -> None:
    """Simulate a scene and write the take, what it was made of and how good it is."""
    from randori.scene.story import judged

    check_limits(require)
    take, written = _run(
        "run",
        scene,
        seconds,
        seed,
        out,
        formats,
        pin or [],
        inputs,
        lambda take: check_take(take, require, commercial),
        overview,
    )
    if json:
        print_json(take.report() | {"files": [str(path) for path in written]})
        return
    console.print(judged(take), highlight=False, markup=False)
    show_files(written)


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
        print_json(rows)
        return
    for name, scene in loaded.items():
        console.print(f"[bold]{name}[/bold]  {escape(scene.description)}", highlight=False)


def _to_pin(text: str) -> "Pin":
    """A pin as somebody types it."""
    from randori.scene.scene import Pin

    decision, _, action = text.partition("=")
    if not (decision.isdigit() and int(decision) > 0 and action.isdigit()):
        raise RandoriError(f"--pin {text}: expected DECISION=ACTION, two numbers such as 12=34")
    return Pin(decision=int(decision), action=int(action))


def _run(
    command: str,
    name: str,
    seconds: float | None,
    seed: int | None,
    out: Path,
    formats: str,
    pins: Sequence[str] = (),
    inputs: Path | None = None,
    check: "Callable[[Take], None]" = lambda take: None,
    overview: bool = False,
) -> "tuple[Take, list[Path]]":
    """Simulate a scene, and write the take, the report and whatever formats are asked for."""
    from randori.kernels.ahead import compile_ahead
    from randori.scene.export import write_words
    from randori.scene.provenance import whole_report
    from randori.scene.run import simulating
    from randori.scene.scene import Scene
    from randori.scene.take import ENDINGS
    from randori.timeline.session import read_script

    words = check_formats(formats, ENDINGS)
    check_folder(out)
    scene = Scene.load(name)
    compile_ahead(command)
    if pins:
        scene = scene.changed(pins=(*scene.pins, *map(_to_pin, pins)))
    script = read_script(inputs) if inputs is not None else None
    if script is not None:
        seed = script.seed if seed is None else seed
    take = follow(f"Simulating {scene.title}", simulating(scene, seed, seconds, script=script))
    check(take)
    take = take.overview() if overview else take
    make_folder(out)
    written = []
    for word in dict.fromkeys(["npz", *words]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene.name}.{word}"))
    written.append(write_words(out / f"{scene.name}.npz", whole_report(take)))
    return take, list(dict.fromkeys(written))
