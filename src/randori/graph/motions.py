"""Sources of motion: the built-in performer, recordings, or a library. All controllers use them alike."""

import os
from collections.abc import Generator, Sequence
from glob import escape, glob
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from randori.errors import RandoriError
from randori.graph.library import ActionLibrary
from randori.graph.library_file import read_again
from randori.graph.performed import Performance, performed
from randori.graph.recordings import capturing
from randori.performer import BODIES, SETS
from randori.tables import Table, one_of

SetName = Annotated[str, one_of("set", list(SETS))]
BodyName = Annotated[str, one_of("body", list(BODIES))]
SetSeconds = Annotated[float, Field(ge=5.0, le=3600.0)]


class Motions(Table):
    """The source of motion: exactly one of `perform`, `files` and `library`."""

    perform: tuple[SetName, ...] = ()  # sets of the built-in performer
    files: tuple[str, ...] = ()  # recordings, relative to the scene: "recordings/*.bvh"
    library: str | None = None  # library written by `randori capture`
    body: BodyName = "average"  # body of the performer
    seed: int = Field(1, ge=0)
    # of each set, or one number for every set; each has its own length
    seconds: SetSeconds | tuple[SetSeconds, ...] | None = None
    mirrored: bool = False  # add a mirrored copy of every action
    told: bool = False  # use the performer's ground truth instead of detected actions
    turned: bool = True  # add copies of steps, staggers and get-ups that turn by 45 to 180 degrees
    choices: float = Field(
        40.0, ge=2.0, le=10_000.0
    )  # mean number of choices after an action; more is richer, fewer is smoother
    threshold: float = Field(
        0.1, gt=0.0, le=1.0
    )  # maximum pose distance in metres within a posture of patches

    @property
    def performance(self) -> Performance:
        """A request to the performer."""
        return Performance(self.perform, self.seconds, self.seed, self.body, self.mirrored, self.told)

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [
            name
            for name, value in (("perform", self.perform), ("files", self.files), ("library", self.library))
            if value
        ]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"exactly one of perform, files and library is needed, found {found}")
        if isinstance(self.seconds, tuple) and len(self.seconds) != len(self.perform):
            raise ValueError(
                f"seconds: one number for each of the {len(self.perform)} sets is needed, "
                f"found {len(self.seconds)}"
            )
        return self


def gathering(motions: Motions, folder: Path) -> Generator[float, None, ActionLibrary]:
    """The library of some motions; yields the share that is done. Paths are seen from `folder`."""
    if motions.library is not None:
        yield 0.0
        return read_again(folder / motions.library)
    if motions.files:
        return (yield from capturing(find_files(motions.files, folder), mirrored=motions.mirrored))
    return (yield from performed(motions.performance))


def find_files(patterns: Sequence[str], folder: Path) -> list[str]:
    """The recordings that patterns name, in a fixed order."""
    found = []
    for pattern in patterns:
        paths = sorted(glob(os.path.join(escape(str(folder)), pattern)))
        if not paths:
            raise RandoriError(f"files: there are no recordings at {pattern!r}, seen from {folder}")
        found += [path for path in paths if path not in found]
    return found
