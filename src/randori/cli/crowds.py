"""The command that composes scenes of patches."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from randori.cli.gate import AllowOption, CommercialOption, RequireOption, read_gate
from randori.cli.reading import OverviewOption
from randori.cli.shared import app, check_folder, check_formats, console, follow, make_folder, show_files

if TYPE_CHECKING:
    from randori.scene.patched import PatchSession
    from randori.timeline.session import Script


@app.command()
def crowd(
    scene: Annotated[
        str,
        typer.Argument(help="one-fights-many, two-fight, football, mouse, dominoes or luggage"),
    ],
    seconds: Annotated[float, typer.Option(min=0.5, max=3600.0, help="How long")] = 15.0,
    seed: Annotated[int, typer.Option(min=0, help="Another one, another take")] = 1,
    inputs: Annotated[Path | None, typer.Option(help="Recorded commands for the main character")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results")] = Path("out"),
    formats: Annotated[
        str,
        typer.Option("--format", help="glb, bvh, usd, mp4 and png, with commas; a take is always written"),
    ] = "png",
    overview: OverviewOption = False,
    require: RequireOption = None,
    commercial: CommercialOption = False,
    allow: AllowOption = None,
) -> None:
    """Compose a scene of patches: tens of people who interact closely; write the take and the commands."""
    from randori.patches.prepared import preparing
    from randori.scene.patched import PLAYS, PatchSession
    from randori.scene.take import ENDINGS
    from randori.timeline.session import Script, read_script, write_script

    if scene not in PLAYS:
        raise typer.BadParameter(f"there is no scene {scene!r}; there are {', '.join(PLAYS)}")
    words, gate = check_formats(formats, ENDINGS), read_gate(require, commercial, allow)
    check_folder(out)
    script = read_script(inputs) if inputs is not None else None
    prepared = follow("Preparing", preparing(scene))
    session = PatchSession(scene, prepared, script.seed if script else seed)
    script = script or Script(scene, seed, round(seconds * session.fps))
    follow(f"Composing {scene}", _composing(session, script))
    take = follow("Refining", session.taking())
    gate.check([take])
    make_folder(out)
    written = [out / f"{scene}.inputs.json"]
    write_script(written[0], Script.of(session, scene, session.seed))
    take = take.overview() if overview else take
    for word in dict.fromkeys(["npz", *words]):
        written += follow(f"Writing {word}", take.saving(out / f"{scene}.{word}"))
    console.print(take.quality().in_words(), highlight=False)
    show_files(written)


def _composing(session: "PatchSession", script: "Script") -> Generator[float, None, None]:
    """Play a script without a look at the poses; yields the share that is done."""
    from randori.timeline.session import send

    waiting = sorted(script.inputs, key=lambda one: one.tick)
    while session.tick < script.ticks:
        while waiting and waiting[0].tick <= session.tick:
            send(session, waiting.pop(0))
        session.advance()
        yield session.tick / script.ticks
