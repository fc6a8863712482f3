"""The command `dress`: put a finished take on characters of your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from randori.cli.reading import HideOption, named_parts
from randori.cli.shared import JsonOption, app, check_file, console, follow, print_json, show_files
from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.characters.character import Costume


@app.command()
def dress(
    take: Annotated[Path, typer.Argument(help="Take written by `randori run` (.npz)")],
    who: Annotated[
        list[str],
        typer.Option(
            "--as", help="NAME=FILE: replace this character of the take by this file (.glb, .vrm, .fbx, .usd)"
        ),
    ],
    out: Annotated[Path, typer.Option(help="File to write (.npz, .glb, .usd, .bvh, .png or .mp4)")],
    height: Annotated[
        list[str] | None,
        typer.Option(help="NAME=METRES: height of a character, instead of the height in its file"),
    ] = None,
    hide: HideOption = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Joint of a body part, for example --part left_hand=Wrist_L"),
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="Write one file per character")] = False,
    clips: Annotated[
        bool, typer.Option("--clips", help="GLB: write one named animation per action, with its events")
    ] = False,
    root_motion: Annotated[
        bool,
        typer.Option("--root-motion", help="GLB: move the character by a bone on the ground (root motion)"),
    ] = False,
    axes: Annotated[
        str | None,
        typer.Option(help="USD: write the axes and the unit of unreal or unity"),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Put a finished take on other characters, and report the contacts that are lost.

    Decisions and events stay the same.
    """
    from randori.scene.dress import dressing
    from randori.scene.take import ENDINGS, Handover, Take

    check_file(out)
    if out.suffix.lower() not in ENDINGS:
        raise RandoriError(f"--out {out}: unknown ending; valid endings are {', '.join(ENDINGS)}")
    files, heights = _pairs(who, "--as"), _pairs(height or [], "--height")
    costumes = {
        name: _costume(Path(file), heights.get(name), hide or [], named_parts(part))
        for name, file in files.items()
    }
    dressed, fitting = follow("Dressing", dressing(Take.load(take), costumes))
    handover = Handover(each, clips, root_motion, axes)
    written = follow("Writing", dressed.saving(out, handover=handover))
    if json:
        print_json({"take": str(take), **fitting.as_dict(), "files": [str(path) for path in written]})
        return
    for line in fitting.in_words():
        console.print(line, soft_wrap=True)
    show_files(written)


def _costume(file: Path, height: str | None, hide: list[str], parts: "dict[str, str] | None") -> "Costume":
    from randori.characters.character import Costume, load_character

    tall = None
    if height is not None:
        try:
            tall = float(height)
        except ValueError:
            raise RandoriError(f"--height: expected metres, found {height!r}") from None
    return Costume.of(load_character(file, parts=parts, height=tall, hidden=hide), parts)


def _pairs(rows: list[str], option: str) -> dict[str, str]:
    found = {}
    for row in rows:
        name, equals, value = row.partition("=")
        if not equals or not name or not value:
            raise RandoriError(f"{option} {row}: expected NAME=VALUE")
        found[name] = value
    return found
