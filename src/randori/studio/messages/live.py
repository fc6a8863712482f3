"""Live sessions."""

from typing import Annotated, Any, Literal

from pydantic import Field

from randori.studio.messages.base import Message, Name, Problem, Request
from randori.studio.messages.scenes import Outfit, Scale, SceneText
from randori.studio.messages.takes import Body, Costume, DecisionMark, Prop, TakeEvent

FRAMES_MAGIC, COSTUME_MAGIC = b"RNDF", b"RNDC"


class LiveControl(Scale):
    """An input that a session knows."""

    what: str
    how: Literal["drag", "ground", "key", "button", "number", "choice", "member", "bitmap"]
    key: str = ""  # of the keyboard
    which: int = 0  # of the things that are dragged
    values: dict[str, Any] = Field({})  # that go with it
    value: str = ""  # the name of the value that the page fills in
    start: float | None = None  # the value that it has when the session starts


class LiveEntry(Message):
    name: str
    group: str  # that it stands in
    title: str
    description: str
    ready: bool  # whether it starts at once, or has to be prepared first


class LiveList(Message):
    sessions: list[LiveEntry]


class LiveStart(Request):
    type: Literal["start"] = "start"
    session: Name
    seed: int = Field(1, ge=0)
    scene: SceneText | None = None  # for a fight


class LiveInput(Request):
    type: Literal["input"] = "input"
    what: Name
    values: dict[str, Any] = Field({})


class LivePlayhead(Request):
    """The tick that the page shows now: the session stays a little ahead of it."""

    type: Literal["playhead"] = "playhead"
    tick: int = Field(ge=0)


class LiveKeep(Request):
    type: Literal["keep"] = "keep"


class LiveStop(Request):
    type: Literal["stop"] = "stop"


LiveRequest = Annotated[
    LiveStart | LiveInput | LivePlayhead | LiveKeep | LiveStop, Field(discriminator="type")
]


class LiveState(Message):
    """While it is prepared, or when a take of it is made."""

    type: Literal["state"] = "state"
    doing: str
    share: float


class LiveOpened(Message):
    type: Literal["opened"] = "opened"
    session: str
    title: str
    fps: float
    ahead: int  # ticks that are sent before they are shown
    bodies: list[Body]
    body_of: list[int]  # which of them each character has
    costumes: list[Costume]  # whose files follow, each in a message of its own
    costume_of: list[int]  # which of them each character wears; -1 for a mannequin
    materials: list[str]
    outfits: list[Outfit]
    names: list[str]  # of the characters
    wears: list[int]  # outfit of each character
    follow: int  # the character that the camera follows at first; -1: all
    props: list[Prop]  # in the order of the frames' props; those that stand still come last
    controls: list[LiveControl]


class LiveFrames(Message):
    """The JSON part of a message of frames. A tick sent before is planned again, and all after it."""

    events: list[TakeEvent]
    inputs: list[int]  # ticks in which inputs took effect since the last message
    decisions: list[DecisionMark] = Field([])
    took: float = 0.0  # milliseconds that the session needed for them, with its searches


class LiveKept(Message):
    type: Literal["kept"] = "kept"
    take: str


LiveAnswer = Annotated[LiveState | LiveOpened | LiveKept | Problem, Field(discriminator="type")]
