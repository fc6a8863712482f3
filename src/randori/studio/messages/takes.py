"""Takes, their decisions, and the reasons for decisions."""

from typing import Any

from pydantic import Field

from randori.studio.messages.base import Colour, Message, Name, Place, Point, Problem, Request
from randori.studio.messages.scenes import Outfit, SceneText

TAKE_MAGIC, BUFFER_VERSION = b"RNDT", 3


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


class Costume(Message):
    """A character's own skinned mesh: a GLB file whose nodes follow the joints of its body."""

    key: str  # the same for the same file
    nodes: list[int]  # of the file, for each joint of the body
    scale: float  # of these nodes in the world: metres per unit of the file
    hidden: list[int]  # nodes whose meshes are not shown


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
    costume: int = -1  # of the take's costumes, -1 for a mannequin
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
    boxes: list[Box] = Field([])  # that the page draws instead, for what is made of flat sides
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
    who: list[int]  # all, if empty


class Sentence(Message):
    fine: bool
    text: str
    tick: int = -1  # the moment that it is about, -1 for none
    who: int = -1  # the character, -1 for none in particular


class Quality(Message):
    sentences: list[Sentence]
    figures: dict[str, Any]


class Credit(Message):
    recording: str
    file: str
    licence: str
    credit: str


class TakeHeader(Message):
    """The header in front of the poses."""

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
    costumes: list[Costume] = Field([])
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
    skipped: list[Problem]  # files among them that cannot be read, and why


class SaveTake(Request):
    file: Name  # below the project's takes/
    overwrite: bool = False


class Simulate(SceneText):
    """`seconds` shortens the scene: a draft."""

    seed: int | None = Field(None, ge=0)
    background: bool = False  # no user waits for it: everything else goes first


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
    """Of the line that a fighter expected."""

    who: int
    action: int
    name: str
    kind: str
    tick: int


class WeighedOption(Message):
    action: int
    value: float  # that the fighter expected of it, some plies ahead; it takes the largest
    seconds: float  # how long it takes
    ahead: float  # metres, as the fighter looks when it begins
    left: float  # metres
    turn: float  # degrees to the left


class Weighed(Message):
    """The scores of a decision's options, the best first."""

    take: str
    decision: int
    options: list[WeighedOption]


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
