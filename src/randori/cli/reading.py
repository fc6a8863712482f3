"""Options of the commands that read recordings, and the reading itself."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.motion.clip import Clip


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


def load_clip(
    file: Path,
    unit: Unit | None,
    up: UpAxis | None,
    fps: float | None,
    drop_tpose: bool | None,
    part: list[str] | None,
) -> "Clip":
    from randori.formats import load

    return load(file, unit=unit, up=up, fps=fps, drop_tpose=drop_tpose, parts=named_parts(part))


def load_clips(file: Path, *told: Any) -> "list[Clip]":
    """The characters of a take, or the one of a recording."""
    from randori.scene.take import Take
    from randori.scene.take_file import is_take

    return Take.load(file).clips if is_take(file) else [load_clip(file, *told)]


def named_parts(part: list[str] | None) -> dict[str, str] | None:
    """Body parts that were named outright."""
    parts = {}
    for assignment in part or ():
        key, equals, joint = assignment.partition("=")
        if not equals:
            raise RandoriError(f"--part {assignment}: expected PART=JOINT, as in left_hand=Wrist_L")
        parts[key] = joint
    return parts or None
