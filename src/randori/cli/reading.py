"""Options of the commands that read recordings and takes, and how they are read."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.characters.character import Character
    from randori.motion.clip import Clip
    from randori.render.stage import Outfit, Prop
    from randori.scene.take import Take, View


class UpAxis(StrEnum):
    """The axis of a file that points up."""

    y = "y"
    z = "z"


Clips = Annotated[
    list[Path],
    typer.Argument(help="Recordings (BVH, FBX, glTF, VRM, USD, C3D, TRC, AMC with its ASF) or .npz files"),
]
UnitOption = Annotated[
    str | None,
    typer.Option(
        help="Length unit of the file, if it is not detected: m, cm, mm, dm, in, cmu, or metres (0.04)"
    ),
]
UpOption = Annotated[UpAxis | None, typer.Option(help="Axis that points up, if it is not detected")]
FpsOption = Annotated[
    float | None, typer.Option(help="Frame rate per second, if the file has none or a wrong one")
]
TPoseOption = Annotated[
    bool | None,
    typer.Option("--drop-tpose/--keep-tpose", help="Remove or keep frame 0, which may be an inserted T-pose"),
]
PartOption = Annotated[
    list[str] | None,
    typer.Option("--part", help="Joint of a body part, for example --part left_hand=Wrist_L"),
]
SkeletonOption = Annotated[
    Path | None, typer.Option("--skeleton", help="ASF file of an AMC recording, if it is not found")
]
ClipOption = Annotated[str | None, typer.Option("--clip", help="Name of a clip, if a file has several")]

HideOption = Annotated[
    list[str] | None,
    typer.Option(help="Meshes of a character to hide, as a pattern such as '*Shield*'"),
]
OnOption = Annotated[str | None, typer.Option(help="Keep the camera close to this character of a take")]
OverviewOption = Annotated[bool, typer.Option("--overview", help="Keep all characters in the picture")]


def reading_options(
    unit: str | None = None,
    up: UpAxis | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    part: list[str] | None = None,
    skeleton: Path | None = None,
    clip: str | None = None,
) -> dict[str, Any]:
    """The arguments for `formats.load` from the options of a command."""
    told: dict[str, Any] = {"unit": _unit(unit), "up": up, "fps": fps, "drop_tpose": drop_tpose}
    return told | {"parts": named_parts(part), "skeleton_file": skeleton, "clip": clip}


def load_clip(file: Path, *told: Any) -> "Clip":
    from randori.formats import load

    return load(file, **reading_options(*told))


def _unit(text: str | None) -> float | str | None:
    """The name of a unit, or its length in metres if it is a number."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


class Shown(NamedTuple):
    """The characters and props of one or more files, and the view of them."""

    clips: "list[Clip]"
    outfits: "list[Outfit]"
    props: "list[Prop]"
    view: "View"
    bodies: "list[Character | None]"
    title: str = ""


def load_shown(files: list[Path], on: str | None, overview: bool, *told: Any) -> Shown:
    """Put the characters of takes and recordings into one picture; a single take keeps its own view."""
    from randori.body.palette import palette
    from randori.scene.take import View
    from randori.scene.take_file import is_take

    shown, takes = Shown([], [], [], View(), []), []
    for file in files:
        if not is_take(file):
            shown.clips.append(load_clip(file, *told))
            shown.outfits.append(palette(len(shown.outfits)))
            shown.bodies.append(None)
            continue
        take = load_take(file, on, overview)
        shown.clips.extend(take.clips)
        shown.outfits.extend(palette(role.outfit) for role in take.roles)
        shown.props.extend(take.props)
        shown.bodies.extend(take.bodies)
        takes.append(take)
    if on is not None and not takes:
        raise RandoriError("--on needs a take, but none of the files is one")
    if len(takes) == len(files) == 1:
        return shown._replace(view=takes[0].view, title=takes[0].title)
    return shown


def load_take(file: Path, on: str | None, overview: bool) -> "Take":
    """Load a take and choose its view."""
    from randori.scene.take import Take

    if on is not None and overview:
        raise RandoriError("--on and --overview exclude each other: give one of them")
    take = Take.load(file)
    return take.watching(on) if on is not None else take.overview() if overview else take


def named_parts(part: list[str] | None) -> dict[str, str] | None:
    """The body parts of --part options."""
    parts = {}
    for assignment in part or ():
        key, equals, joint = assignment.partition("=")
        if not equals:
            raise RandoriError(f"--part {assignment}: expected PART=JOINT, for example left_hand=Wrist_L")
        parts[key] = joint
    return parts or None
