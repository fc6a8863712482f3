"""Recordings, and the actions that were found in them."""

from typing import Literal

from pydantic import Field

from randori.studio.messages.base import Message, Name, Request
from randori.studio.messages.scenes import SceneText

MOST_UPLOAD = 512 * 1024**2  # bytes of a recording or a character


class CharacterFile(Message):
    """A file with a skinned mesh that a member of the cast can be."""

    file: str  # as scenes name it: characters/knight.glb
    height: float  # metres
    joints: int


class CharacterList(Message):
    files: list[str]


class Recording(Message):
    """A recording of the project."""

    file: str  # below recordings/
    size: int  # bytes
    captured: bool  # whether there is a sidecar
    needs: str = ""  # the missing file: "an ASF file"
    problem: str = ""  # why it was set aside, or "" if it can be used


class SetAside(Message):
    """A recording that can be read but not used, until the user says more about it."""

    file: str  # below recordings/aside/
    problem: str
    joints: list[str]  # to name body parts by
    missing: list[str]  # body parts that were not recognised
    guesses: dict[str, str]  # a joint for some of them


class RepairRecording(Request):
    """The user's statements about a recording that was set aside; the rest is recognised."""

    file: Name
    unit: str = ""  # m, cm, mm, dm, in, cmu, or metres
    up: Literal["", "y", "z"] = ""
    parts: dict[str, str] = Field({}, max_length=100)  # body part: joint


class DeleteRecording(Request):
    file: Name
    aside: bool = False


class OpenLibrary(Request):
    """Exactly one of: recordings of the project, motions of a scene, a set of the performer."""

    recordings: list[Name] = Field([], max_length=1000)
    set: str = ""
    motions: str = ""
    scene: SceneText | None = None


class LibraryEntry(Message):
    """Something that can be opened as a library."""

    source: OpenLibrary
    title: str
    description: str


class LibraryList(Message):
    recordings: list[Recording]
    aside: list[SetAside]
    libraries: list[LibraryEntry]


class Action(Message):
    number: int
    recording: int
    start: float  # seconds in the recording
    stop: float
    name: str
    kind: str
    technique: str
    side: str
    position: str
    direction: str
    confidence: float
    edited: bool
    strikes: int
    kept: bool  # in the graph that decisions use


class LibraryRecording(Message):
    name: str
    file: str  # below recordings/, "" for what the performer did
    seconds: float
    licence: str
    credit: str
    problems: list[str]


class Use(Message):
    """Something that a library can play, or cannot."""

    name: str
    able: Literal["yes", "hardly", "no"]
    why: str  # its basis, or the motions that it lacks


class Library(Message):
    library: str  # its name for the server
    title: str
    seconds: float
    actions: list[Action]
    recordings: list[LibraryRecording]
    counts: dict[str, int]  # actions of each name
    dropped: int  # actions that the graph does not use
    words: list[str]  # about the graph
    uses: list[Use]
    missing: list[str]  # motions that a fight with it will lack
    record: list[str]  # recordings that would help, the most useful first


class Segment(Request):
    start: float  # seconds; it lasts until the next one starts
    kind: str
    technique: str
    side: str = ""
    position: str = ""
    direction: str = ""
    edited: bool = False


class Strip(Message):
    """A recording from end to end."""

    file: str
    seconds: float
    activity: list[float]  # 0 to 1, how much it moves, evenly over its length
    segments: list[Segment]


class MakeFight(Request):
    """A scene in which these recordings fight."""

    recordings: list[Name] = Field(min_length=1, max_length=1000)
    library: Name  # that was made of them


class EditSegments(Request):
    file: Name
    segments: list[Segment] = Field(min_length=1, max_length=100_000)


class Segments(Message):
    """As they are written now; open the library again to see what follows from it."""

    file: str
    segments: list[Segment]
