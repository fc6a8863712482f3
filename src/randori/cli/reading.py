"""Options of the commands that read recordings, and the reading itself."""

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
    """Which axis of a file points up."""

    y = "y"
    z = "z"


Clips = Annotated[
    list[Path], typer.Argument(help="BVH, FBX, glTF, VRM, USD, C3D, TRC, AMC (with its ASF) or npz files")
]
UnitOption = Annotated[
    str | None,
    typer.Option(
        help="Length of one unit, if it is not recognised: m, cm, mm, dm, in, cmu, or metres (0.04)"
    ),
]
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
SkeletonOption = Annotated[
    Path | None, typer.Option("--skeleton", help="The ASF file of an AMC recording, if it is not found")
]
ClipOption = Annotated[str | None, typer.Option("--clip", help="One of several clips in a file, by its name")]

HideOption = Annotated[
    list[str] | None,
    typer.Option(help="Meshes of a character that are not shown, by a pattern such as '*Shield*'"),
]
OnOption = Annotated[
    str | None, typer.Option(help="Close to this character of a take, instead of what it is about")
]
OverviewOption = Annotated[
    bool, typer.Option("--overview", help="Everybody in every picture, instead of close to what it is about")
]


def told_about(
    unit: str | None = None,
    up: UpAxis | None = None,
    fps: float | None = None,
    drop_tpose: bool | None = None,
    part: list[str] | None = None,
    skeleton: Path | None = None,
    clip: str | None = None,
) -> dict[str, Any]:
    """What the options of a command say about recordings, for `formats.load`."""
    told: dict[str, Any] = {"unit": _unit(unit), "up": up, "fps": fps, "drop_tpose": drop_tpose}
    return told | {"parts": named_parts(part), "skeleton_file": skeleton, "clip": clip}


def load_clip(file: Path, *told: Any) -> "Clip":
    from randori.formats import load

    return load(file, **told_about(*told))


def _unit(text: str | None) -> float | str | None:
    """The name of a unit, or its length in metres."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


class Shown(NamedTuple):
    """What pictures of some files show."""

    clips: "list[Clip]"
    outfits: "list[Outfit]"
    props: "list[Prop]"
    view: "View"
    bodies: "list[Character | None]"
    title: str = ""


def load_shown(files: list[Path], on: str | None, overview: bool, *told: Any) -> Shown:
    """The characters of takes and recordings in one scene, with things; a single take from its own view."""
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
        raise RandoriError("--on names a character of a take, and none is given")
    if len(takes) == len(files) == 1:
        return shown._replace(view=takes[0].view, title=takes[0].title)
    return shown


def load_take(file: Path, on: str | None, overview: bool) -> "Take":
    """A take, seen as somebody asks for."""
    from randori.scene.take import Take

    if on is not None and overview:
        raise RandoriError("--on and --overview are two ways to look: give one of them")
    take = Take.load(file)
    return take.watching(on) if on is not None else take.overview() if overview else take


def named_parts(part: list[str] | None) -> dict[str, str] | None:
    """Body parts that were named outright."""
    parts = {}
    for assignment in part or ():
        key, equals, joint = assignment.partition("=")
        if not equals:
            raise RandoriError(f"--part {assignment}: expected PART=JOINT, as in left_hand=Wrist_L")
        parts[key] = joint
    return parts or None
