"""Everything that the page and the server say to each other, once for both.

`typescript.py` writes web/src/messages.ts from this file. Keys are as here, ticks and frames count from 0,
lengths are metres, angles degrees, colours sRGB from 0 to 1.

Requests over HTTP (all below /api, all need the token):

    GET    gallery                                    Gallery
    GET    gallery/{name}/picture                     image/png, 404 while there is none
    GET    vocabulary                                 Vocabulary
    GET    scenes                                     SceneList
    POST   scenes/open          OpenScene             SceneDocument
    POST   scenes/check         SceneText             SceneDocument
    POST   scenes/edit          EditScene             SceneDocument     text in, text out
    POST   scenes/pin           PinOption             SceneDocument
    POST   scenes/save          SaveScene             SceneDocument
    POST   simulate             Simulate              Job               result: TakeMade
    GET    takes                                      TakeList
    GET    takes/{take}/buffer                        take buffer
    POST   takes/{take}/save    SaveTake              TakeEntry
    GET    takes/{take}/decisions/{number}            Why               numbers from 0
    GET    takes/{take}/decisions/{number}/ghost?action=N    take buffer of one character
    POST   export               Export                Job               result: Exported
    GET    files/{path}                               a file that was exported
    GET    library                                    LibraryList
    POST   library/upload?name=walk.bvh               Recording         body: the file's bytes
    POST   library/open         OpenLibrary           Job               result: Library
    GET    library/{library}                          Library
    GET    library/{library}/actions/{number}/buffer  take buffer of one character
    GET    library/{library}/graph                    image/png
    GET    library/{library}/recordings/{number}/strip       Strip
    POST   library/segments     EditSegments          Segments
    GET    jobs                                       JobList
    POST   jobs/{job}/cancel                          Job
    GET    live                                       LiveList

WebSockets:

    /api/jobs/follow      the server sends JobList once, then Job whenever one changes
    /api/live/session     the page sends LiveStart, LiveInput, LivePlayhead, LiveKeep, LiveStop;
                          the server LiveOpened, LiveState, LiveKept and Problem; frames are binary

Whatever cannot be done is answered by a Problem (status 400 to 500, or a message on the socket).
Undo and redo are the page's: a scene is a text, so a step of its history is the text before.

**Take buffer** (little endian):

    0   4 bytes  "RNDT"
    4   uint32   version, 2
    8   uint32   J, bytes of JSON; it is filled up with spaces, so that 16 + J is a multiple of 16
    12  uint32   P, bytes of poses
    16  J bytes  TakeHeader as JSON in UTF-8
    16+J         poses; characters say where their own begin: bytes from here, multiples of 4
                 roots   float32 [frames][3]             metres, where joint 0 is
                 turns   int16   [frames][joints][4]     x, y, z, w × 32767, of a joint **in the world**
                 and each moving prop: float32 [frames][4], metres, and radians about +Y

A joint's place is its parent's place + the parent's turn applied to the joint's offset. Quaternions of the
same joint in neighbouring frames are on the same side, so a plain mix that is made unit length again is
the way between two frames.

**Frames of a live session** (little endian), one message each:

    0   4 bytes  "RNDF"
    4   uint32   tick of the first frame
    8   uint32   F, frames in this message
    12  uint32   J, bytes of JSON, filled up with spaces to a multiple of 4
    16  J bytes  LiveFrames as JSON
    16+J         roots   float32 [F][characters][3]             who has not come yet is far below the floor
                 props   float32 [F][props][4]                  as above
                 turns   int16   [F][characters][joints][4]     as above; all have one skeleton
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TAKE_MAGIC, FRAMES_MAGIC, BUFFER_VERSION = b"RNDT", b"RNDF", 2
MOST_TEXT = 1_000_000  # characters of a scene
MOST_UPLOAD = 512 * 1024**2  # bytes of a recording

Point = tuple[float, float, float]
Place = tuple[float, float]
Colour = tuple[float, float, float]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]


class Message(BaseModel):
    """What it does not know it does not accept."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Problem(Message):
    """Why something cannot be done, for the person in front of the page."""

    type: Literal["problem"] = "problem"
    message: str
    file: str = ""
    line: int | None = None
    key: str = ""  # of the scene, as in "cast[2].depth", if it is known


# ---- the gallery and scenes


class GalleryEntry(Message):
    """A shipped scene."""

    name: str
    title: str
    description: str
    seconds: float
    characters: int
    picture: bool  # whether there is one already
    take: str  # that can be opened at once, or ""
    live: str = ""  # the live session that shows it, for what is no scene file
    problem: str = ""  # if it cannot be read


class Gallery(Message):
    entries: list[GalleryEntry]


class SceneEntry(Message):
    """A scene file of the project."""

    file: str  # seen from the project's folder
    title: str
    problem: str = ""  # if it cannot be read


class SceneList(Message):
    project: str  # the folder's name
    scenes: list[SceneEntry]


class OpenScene(Message):
    """Exactly one of both."""

    gallery: str = ""
    file: str = ""


class SceneText(Message):
    text: Text
    file: str = ""  # where it belongs: motions are seen from there
    gallery: str = Field("", pattern=r"^[\w-]{0,80}$")  # the shipped scene that it comes from
    seconds: float | None = Field(None, ge=0.5, le=3600.0)


class Edit(Message):
    """One change of a scene's text; its comments stay.

    `at` is the way to a value: ["cast", 0, "weights", "distance"]. `set` writes `value` (tables and lists
    that are missing on the way are made), `insert` puts `value` into a list at the last step (-1: at the
    end), `delete` takes away, `move` puts a list's item to the index `value`.
    """

    do: Literal["set", "insert", "delete", "move"]
    at: list[str | int] = Field(min_length=1, max_length=8)
    value: Any = None


class EditScene(SceneText):
    edits: list[Edit] = Field(max_length=1000)


class PinOption(SceneText):
    """Take another option at a decision: what came before stays, what follows is planned anew."""

    take: Name
    decision: int = Field(ge=0)
    action: int = Field(ge=0)


class SaveScene(SceneText):
    overwrite: bool = False


class SceneDocument(Message):
    """A scene's text, and what it means."""

    text: str
    file: str  # in the project, or "" if it is not saved
    gallery: str  # the shipped scene that it comes from, or ""
    name: str
    scene: dict[str, Any] | None  # the values, with defaults; None if the text has problems
    places: list[Point]  # x, z and degrees where each of the cast starts
    ways: list[list[Place]]  # of the pairs of a formation, x and z from its start to its end
    problems: list[Problem]
    take: str  # made of exactly this text, or ""
    draft: str  # a short one of exactly this text, or ""


class Control(Message):
    """How a value of a scene is edited."""

    key: str  # as in the file
    title: str
    help: str
    # moments: from and until; wishes: actions by a name of the cast
    kind: Literal[
        "number", "whole", "yes", "word", "words", "choice", "place", "place and turn", "moments", "wishes"
    ]
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    logarithmic: bool = False
    choices: list[str] = []
    default: Any = None


class Outfit(Message):
    name: str
    colours: list[Colour]  # by material


class Vocabulary(Message):
    """The words that a scene may use. All lists of controls are in the order in which they are shown."""

    version: str
    scene: list[Control]
    member: list[Control]
    weights: list[Control]
    checkpoint: list[Control]
    motions: list[Control]
    rules: list[Control]
    tables: dict[str, list[Control]]  # formation, camera, and of each row: walls, cars
    styles: dict[str, dict[str, float]]
    outfits: list[Outfit]
    materials: list[str]
    attacks: list[str]
    defences: list[str]
    positions: list[str]
    combination: list[list[float]]  # [defence][attack × positions + position], as it is without amendments
    kinds: list[str]  # of actions
    sides: list[str]
    directions: list[str]
    terms: dict[str, str]  # of a decision's score → in words
    formats: list[str]  # of exports


# ---- takes


class Skeleton(Message):
    joints: list[str]
    parents: list[int]  # -1 for the root; parents stand before their children
    offsets: list[Point]  # from the parent's joint, in its frame


class Cone(Message):
    """A round cone on a joint: two spheres and what is between them."""

    joint: int
    start: Point  # in the joint's frame
    stop: Point
    start_radius: float
    stop_radius: float
    material: int
    part: str


class Body(Message):
    skeleton: Skeleton
    cones: list[Cone]


class Block(Message):
    """An action of a lane."""

    action: int  # of the character's library, -1 for what is none of its own
    name: str
    kind: str
    start: int  # tick
    stop: int
    cause: str  # chosen, forced, pinned
    decision: int  # that chose it, or -1


class Character(Message):
    name: str
    outfit: int
    team: int
    body: int  # of the take's bodies
    roots: int  # bytes from the start of the poses
    turns: int
    blocks: list[Block]


class Box(Message):
    """A box with rounded edges."""

    middle: Point
    size: Point  # along x, y and z before it is turned
    turn: float = 0.0  # radians about +Y


class Prop(Message):
    """A thing: cones that stand still, or that go along a path in the buffer."""

    name: str
    colour: Colour
    starts: list[Point]  # of its cones; for one that moves: seen from its place
    stops: list[Point]
    radii: list[float]
    boxes: list[Box] = []  # that the page draws instead, for what is made of flat sides
    path: int  # bytes from the start of the poses, -1 for what stands still


class TakeEvent(Message):
    tick: int
    kind: str  # hit, block, caught, response, checkpoint, request, …
    who: int
    whom: int
    what: str
    part: str
    strength: float
    point: Point | None
    words: str


class DecisionMark(Message):
    number: int
    tick: int
    who: int
    action: int
    name: str
    options: int
    plausible: int


class Checkpoint(Message):
    place: Place
    radius: float
    who: list[int]  # everybody, if empty


class Sentence(Message):
    fine: bool
    text: str


class Quality(Message):
    sentences: list[Sentence]
    figures: dict[str, Any]


class Credit(Message):
    recording: str
    file: str
    licence: str
    credit: str


class TakeHeader(Message):
    """What stands in front of the poses."""

    take: str  # its name for the server
    title: str
    scene: str
    seed: int
    draft: bool  # only the scene's first seconds
    fps: float
    frames: int
    materials: list[str]
    outfits: list[Outfit]
    bodies: list[Body]
    characters: list[Character]
    props: list[Prop]
    path: list[Checkpoint]
    events: list[TakeEvent]
    decisions: list[DecisionMark]
    quality: Quality | None
    credits: list[Credit]


class TakeEntry(Message):
    take: str
    title: str
    file: str  # in the project, or "" for one that is only kept in the cache
    seconds: float
    characters: int


class TakeList(Message):
    takes: list[TakeEntry]


class SaveTake(Message):
    file: Name  # below the project's takes/
    overwrite: bool = False


class Simulate(SceneText):
    """`seconds` shortens the scene: a draft."""

    seed: int | None = Field(None, ge=0)


class TakeMade(Message):
    take: str
    draft: bool


class OptionRow(Message):
    action: int
    name: str
    kind: str
    rule: str  # "" for a plausible one, else what it breaks
    terms: dict[str, float]
    total: float
    chosen: bool


class Step(Message):
    """Of the line that somebody expected."""

    who: int
    action: int
    name: str
    tick: int


class Why(Message):
    number: int
    tick: int
    who: int
    action: int
    name: str
    depth: int
    competitive: float
    cooperative: float
    unseen: list[int]
    line: list[Step]
    options: list[OptionRow]  # the chosen one, the plausible ones from the best on, those that are ruled out
    ruled_out: dict[str, int]
    words: list[str]
    ghosts: bool  # whether options can be shown on the stage


# ---- work that takes long


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
    kind: Literal["simulate", "export", "library", "gallery"]
    title: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    share: float  # that is done, 0 to 1
    doing: str  # in words
    take: TakeMade | None = None
    exported: Exported | None = None
    library: str = ""
    problem: Problem | None = None


class JobList(Message):
    type: Literal["jobs"] = "jobs"
    jobs: list[Job]


class Export(Message):
    take: Name
    format: Literal["glb", "bvh", "mp4", "usd", "png", "npz"]
    name: Name = "take"  # of the file, without ending
    width: int = Field(1280, ge=64, le=7680)
    height: int = Field(720, ge=64, le=4320)


# ---- the library


class Recording(Message):
    """A recording of the project."""

    file: str  # below recordings/
    size: int  # bytes
    captured: bool  # whether there is a sidecar
    needs: str = ""  # what is missing: "an ASF file"


class OpenLibrary(Message):
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


class Library(Message):
    library: str  # its name for the server
    title: str
    seconds: float
    actions: list[Action]
    recordings: list[LibraryRecording]
    counts: dict[str, int]  # actions of each name
    dropped: int  # actions that the graph does not use
    words: list[str]  # about the graph


class Segment(Message):
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


class EditSegments(Message):
    file: Name
    segments: list[Segment] = Field(min_length=1, max_length=100_000)


class Segments(Message):
    """As they are written now; open the library again to see what follows from it."""

    file: str
    segments: list[Segment]


# ---- live sessions


class LiveControl(Message):
    """An input that a session knows."""

    what: str
    title: str
    help: str
    how: Literal["drag", "ground", "key", "button", "number", "choice", "member", "bitmap"]
    key: str = ""  # of the keyboard
    which: int = 0  # of the things that are dragged
    values: dict[str, Any] = {}  # that go with it
    value: str = ""  # the name of the value that the page fills in
    start: float | None = None  # the value that it has when the session starts
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    logarithmic: bool = False
    choices: list[str] = []


class LiveEntry(Message):
    name: str
    group: str  # that it stands in
    title: str
    description: str
    ready: bool  # whether it starts at once, or has to be prepared first


class LiveList(Message):
    sessions: list[LiveEntry]


class LiveStart(Message):
    type: Literal["start"] = "start"
    session: Name
    seed: int = Field(1, ge=0)
    scene: SceneText | None = None  # for a fight


class LiveInput(Message):
    type: Literal["input"] = "input"
    what: Name
    values: dict[str, Any] = {}


class LivePlayhead(Message):
    """What the page shows now: the session stays a little ahead of it."""

    type: Literal["playhead"] = "playhead"
    tick: int = Field(ge=0)


class LiveKeep(Message):
    type: Literal["keep"] = "keep"


class LiveStop(Message):
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
    body: Body
    materials: list[str]
    outfits: list[Outfit]
    names: list[str]  # of the characters
    wears: list[int]  # outfit of each character
    follow: int  # whom the camera follows at first; -1: everybody
    props: list[Prop]  # in the order of the frames' props; those that stand still come last
    controls: list[LiveControl]


class LiveFrames(Message):
    """The JSON part of a message of frames. A tick that was sent before is planned anew, and all after it."""

    events: list[TakeEvent]
    inputs: list[int]  # ticks in which inputs took effect since the last message
    decisions: list[DecisionMark] = []
    took: float = 0.0  # milliseconds that the session needed for them, with its searches


class LiveKept(Message):
    type: Literal["kept"] = "kept"
    take: str


LiveAnswer = Annotated[LiveState | LiveOpened | LiveKept | Problem, Field(discriminator="type")]
JobAnswer = Annotated[JobList | Job, Field(discriminator="type")]
