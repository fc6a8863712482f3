"""Work that takes long: simulations, exports, libraries."""

from typing import Annotated, Literal

from pydantic import Field

from randori.studio.messages.base import Message, Name, Problem, Request
from randori.studio.messages.takes import Credit, Quality, TakeMade, Weighed


class ExportedFile(Message):
    path: str  # for /api/files/
    name: str
    size: int  # bytes


class Exported(Message):
    files: list[ExportedFile]
    quality: Quality
    credits: list[Credit]


class Job(Message):
    type: Literal["job"] = "job"
    job: str
    kind: Literal["simulate", "export", "library", "gallery", "weigh", "shelf"]
    title: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    share: float  # that is done, 0 to 1
    doing: str  # in words
    take: TakeMade | None = None
    exported: Exported | None = None
    library: str = ""
    weighed: Weighed | None = None
    problem: Problem | None = None


class JobList(Message):
    type: Literal["jobs"] = "jobs"
    jobs: list[Job]


class Export(Request):
    take: Name
    format: Literal["glb", "bvh", "mp4", "usd", "png", "npz"]
    name: Name = "take"  # of the file, without ending
    width: int = Field(1280, ge=64, le=7680)
    height: int = Field(720, ge=64, le=4320)
    require: list[Name] = Field(
        default_factory=list, max_length=50
    )  # limits, as of `randori export --require`
    commercial: bool = False  # nothing is written if something that is seen may not be sold
    allow_licences: list[Name] = Field(default_factory=list, max_length=50)  # that a person vouches for


JobAnswer = Annotated[JobList | Job, Field(discriminator="type")]
