"""The commands `demo`, `run` and `scenes`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from randori.cli.gate import AllowOption, CommercialOption, RequireOption, read_gate
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
    from randori.scene.gate import Gate
    from randori.scene.scene import Pin
    from randori.scene.take import Take


SceneArgument = Annotated[
    str, typer.Argument(help="Name of a shipped scene (see `randori scenes`), or a .toml file")
]


@app.command()
def demo(
    scene: SceneArgument = "boxing",
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out/demo"),
    seconds: Annotated[
        float | None, typer.Option(min=0.5, max=600.0, help="Length in seconds; the scene's own if omitted")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed; the scene's own if omitted")] = None,
    require: RequireOption = None,
    commercial: CommercialOption = False,
    allow: AllowOption = None,
) -> None:
    """Simulate a scene, and write it as GLB, BVH, MP4 and a contact sheet."""
    from randori.scene.story import judged

    gate = read_gate(require, commercial, allow)
    take, written = _run("demo", scene, seconds, seed, out, "glb,bvh,png,mp4", gate)
    console.print(judged(take), highlight=False, markup=False)
    console.print()
    show_files(written)
    name = written[0].stem
    console.marked("\nLook at [bold]{}[/bold], or drop the GLB into any 3-D tool.", out / f"{name}.mp4")
    console.print(
        f"To see what happened, and why: randori inspect {out / f'{name}.npz'} --why 1", highlight=False
    )
    console.print("To watch and change it in a browser: randori studio", highlight=False)


@app.command()
def run(
    scene: SceneArgument,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    seconds: Annotated[
        float | None, typer.Option(min=0.5, max=3600.0, help="Length in seconds; the scene's own if omitted")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed; the scene's own if omitted")] = None,
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            help="Formats, separated by commas: glb, bvh, usd, mp4, png; the take (.npz) is always written",
        ),
    ] = "glb",
    pin: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME@SECONDS=ACTION: replace a decision; `randori inspect TAKE --why N` lists the options"
        ),
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option(help="Inputs recorded in a live session; they also set the length")
    ] = None,
    overview: OverviewOption = False,
    require: RequireOption = None,
    commercial: CommercialOption = False,
    allow: AllowOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate a scene, and write the take with its sources and its quality report."""
    from randori.scene.story import judged

    gate = read_gate(require, commercial, allow)
    take, written = _run("run", scene, seconds, seed, out, formats, gate, pin or [], inputs, overview)
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
        console.marked("[bold]{}[/bold]  {}", name, scene.description)


def _to_pin(text: str) -> "Pin":
    """Parse a pin."""
    from randori.scene.scene import Pin

    place, _, action = text.partition("=")
    who, _, at = place.rpartition("@")
    try:
        return Pin(who=who, at=float(at), action=action)
    except ValueError:
        raise RandoriError(
            f"--pin {text}: expected NAME@SECONDS=ACTION, for example 'Red@5.2=right jab'"
        ) from None


def _run(
    command: str,
    name: str,
    seconds: float | None,
    seed: int | None,
    out: Path,
    formats: str,
    gate: "Gate",
    pins: Sequence[str] = (),
    inputs: Path | None = None,
    overview: bool = False,
) -> "tuple[Take, list[Path]]":
    """Simulate a scene, and write the take, its report and the other formats."""
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
    gate.check([take])
    take = take.overview() if overview else take
    make_folder(out)
    written = []
    for word in dict.fromkeys(["npz", *words]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene.name}.{word}"))
    written.append(write_words(out / f"{scene.name}.npz", whole_report(take)))
    return take, list(dict.fromkeys(written))
