"""Scene files in TOML. Errors name the key, the value found and the valid values."""

import re
from collections.abc import Iterator
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from randori.body.palette import OUTFITS
from randori.duel.added import registered
from randori.duel.combination import ANSWERS, ATTACKS, POSITIONS
from randori.duel.fighter import REACTION
from randori.duel.styles import STYLES, WEIGHTS
from randori.errors import FileError
from randori.formats.texts import parse_toml, read_text, shown
from randori.graph.motions import Motions
from randori.performer.luggage import PIECES
from randori.policy.behaviours import BEHAVIOURS
from randori.prepare.reference_posture import CRAWL, DUCK, JUMP, KICK, PUNCH
from randori.tables import Table, one_of, suggest

_LARGEST_WEIGHT = 1e9
_MOST_PROBLEMS = 5  # listed at once
_SHIPPED_SCENES = files("randori") / "scenes"
_DISTANCES, _FARTHEST = ("distance", "touch"), 100.0  # metres
_WIDEST_PLACE = 10_000.0  # metres from the origin; farther out, places are not exact to a millimetre
_LONGEST_SCENE = 3600.0  # seconds
_NOT_IN_FILES = ("folder", "name", "numbers")  # fields that are set when a file is read
_LEARNED_BEHAVIOURS = ("approach", "punch", "evade")  # default behaviours of a policy
_FEW_ACTIONS = 3  # best actions among which a policy draws
INPUT_VALUES = {  # of each input: the values that it needs
    "go": ("place",),
    "face": ("degrees",),
    "do": ("action",),
    "set": ("key", "value"),
    "take over": (),
    "let go": (),
}


def weights_of_fighters() -> list[str]:
    """The weights of fighters, including those of terms that users have registered."""
    return [*WEIGHTS, *(term.name for term in registered().terms)]


def _known_weight(name: str) -> str:
    known = [*weights_of_fighters(), *BEHAVIOURS]
    if name not in known:
        raise ValueError(f"there is no weight {name!r}; {suggest(name, known)}")
    return name


StyleName = Annotated[str, one_of("style", list(STYLES))]
OutfitName = Annotated[str, one_of("outfit", list(OUTFITS))]
BehaviourName = Annotated[str, one_of("behaviour", list(BEHAVIOURS))]
WeightName = Annotated[str, AfterValidator(_known_weight)]
PieceName = Annotated[str, one_of("piece of luggage", list(PIECES))]
DoingName = Annotated[str, one_of("target motion", [PUNCH, KICK, CRAWL, DUCK, JUMP])]
Metres = Annotated[float, Field(ge=-_WIDEST_PLACE, le=_WIDEST_PLACE, allow_inf_nan=False)]
Degrees = Annotated[float, Field(ge=-3600.0, le=3600.0, allow_inf_nan=False)]
Moment = Annotated[float, Field(ge=0.0, le=_LONGEST_SCENE, allow_inf_nan=False)]  # seconds from the start
CharacterHeight = Annotated[float, Field(ge=0.5, le=5.0, allow_inf_nan=False)]  # metres
Weight = Annotated[float, Field(ge=0.0, le=_LARGEST_WEIGHT, allow_inf_nan=False)]
Place = tuple[Metres, Metres]
PlaceAndTurn = tuple[Metres, Metres, Degrees]
Name = Annotated[str, Field(min_length=1, max_length=80)]

# the keys of [[cast]] that only some controllers have
OWN_KEYS = {
    "duel": ("style", "depth", "reaction", "weights", "wanted", "unwanted", "joins"),
    "policy": ("target", "behaviours", "weights", "few", "ahead", "table"),
    "player": ("target", "behaviours", "weights", "few", "ahead", "table"),
    "prepare": ("goal", "does", "table"),
}
# the keys of [[group]] that only some kinds have
KIND_KEYS = {
    "ring": ("leader", "route"),
    "pair": ("leader", "route"),
    "gauntlet": ("leader", "route"),
    "panic": ("route",),
    "onlookers": ("radius",),
    "dominoes": ("picture",),
    "relay": ("pieces", "carried"),
}


class Member(Table):
    """A character."""

    name: Name
    controller: Literal["duel", "policy", "player", "prepare"] = "duel"  # decides for the character
    motions: str | None = None  # name of a [motions] table; needed if there are several
    team: int = Field(0, ge=0, le=1)  # fights the characters of the other team
    place: PlaceAndTurn | None = None  # x and z in metres, then the direction in degrees: 0 is +z, 90 is +x
    outfit: OutfitName | None = None
    character: str | None = None  # heavy, small, or a file (GLB, VRM, FBX), relative to the scene
    height: CharacterHeight | None = None  # height of that character in metres; as in its file if omitted
    hidden: tuple[str, ...] = ()  # meshes of that character to hide: "*Shield*"
    # of a duel, and of a policy
    weights: dict[WeightName, Weight] = Field(
        default_factory=dict
    )  # replace those of the style, or of the behaviours
    # of a duel
    style: StyleName = "boxer"
    depth: int = Field(3, ge=1, le=8)  # plies to look ahead
    reaction: float = Field(REACTION, ge=0.0, le=5.0)  # reaction time in seconds
    wanted: tuple[str, ...] = ()  # actions to prefer: "left jab", "duck"
    unwanted: tuple[str, ...] = ()  # actions to avoid
    joins: float = Field(0.0, ge=0.0, le=3600.0)  # second at which the character enters the fight
    # of a policy or a player
    target: str = ""  # character, or name of a [[targets]] table, to attack
    behaviours: tuple[BehaviourName, ...] = Field(_LEARNED_BEHAVIOURS, min_length=1)  # behaviours to learn
    few: int = Field(
        _FEW_ACTIONS, ge=1, le=100
    )  # number of best actions to draw from; 1 always takes the best
    ahead: int | None = Field(None, ge=1, le=64)  # states to look at before choosing
    # of a policy, a player or preparation
    table: str | None = None  # table written by `randori train`, relative to the scene; learned if omitted
    # of preparation
    goal: Literal["", "balls", "opponents", "obstacles"] = ""  # things to go to, one after the other
    does: tuple[DoingName, ...] = ()  # target motions to use; the first one that the motions contain

    @model_validator(mode="after")
    def _own_keys(self) -> Self:
        own = OWN_KEYS[self.controller]
        for key in sorted({key for keys in OWN_KEYS.values() for key in keys} - set(own)):
            if key in self.model_fields_set:
                raise ValueError(
                    f"{key}: a character with controller = {self.controller!r} has no such key; "
                    f"its own are {', '.join(own)}"
                )
        known = weights_of_fighters() if self.controller == "duel" else list(self.behaviours)
        for name in self.weights:
            if name not in known:
                raise ValueError(
                    f"weights.{name}: a character with controller = {self.controller!r} has no such weight; "
                    f"{suggest(name, known)}"
                )
        return self

    @model_validator(mode="after")
    def _sensible_distances(self) -> Self:
        for name in _DISTANCES:
            if self.weights.get(name, 0.0) > _FARTHEST:
                given = f"{self.weights[name]:g}"
                raise ValueError(f"weights.{name} is a distance of 0 to {_FARTHEST:g} metres, not {given}")
        return self

    @model_validator(mode="after")
    def _knows_what_it_wants(self) -> Self:
        for word in self.unwanted:
            if word in self.wanted:
                raise ValueError(f"unwanted: {word!r} is among wanted, too")
        return self


class Group(Table):
    """A group: many characters that patches drive."""

    kind: Literal["ring", "pair", "gauntlet", "panic", "onlookers", "dominoes", "relay"]
    count: int | None = Field(None, ge=1, le=1000)  # opponents, pairs, tacklers, people, porters of a piece
    place: PlaceAndTurn = (0.0, 0.0, 0.0)  # of the middle: x and z in metres, then the rotation in degrees
    motions: str | None = None  # name of a [motions] table; those of the patterns if omitted
    # bodies of the members, in turn: mannequin, heavy, small, or files (GLB, VRM, FBX)
    characters: tuple[str, ...] = ()
    heights: tuple[
        CharacterHeight, ...
    ] = ()  # heights of `characters` in metres; as in their files if omitted
    hidden: tuple[str, ...] = ()  # meshes of the characters to hide: "*Shield*"
    # a shipped name, your own file, or a file of `randori patches build`; the usual ones of its kind
    patterns: str | None = None
    annotation: dict[str, dict[str, Any]] = Field(
        default_factory=dict
    )  # meaning of the words of `pattern` (docs/patches.md)
    pattern: tuple[dict[str, Any], ...] = ()  # patterns of your own (docs/patches.md)
    leader: str = ""  # name of the main character
    route: tuple[Place, ...] = ()  # places that the main character, or the mouse, goes to
    # of dominoes: rows of # and ., or a picture whose dark parts are to be filled
    picture: str | tuple[str, ...] = ()
    pieces: tuple[PieceName, ...] = Field(("bag", "box", "suitcase"), min_length=1)  # of a relay
    carried: float | None = Field(None, gt=0.0, le=100.0)  # metres that each porter carries a piece
    radius: float | None = Field(
        None, gt=0.0, le=100.0
    )  # metres about their middle that onlookers leave free

    @model_validator(mode="after")
    def _own_keys(self) -> Self:
        own = KIND_KEYS[self.kind]
        for key in sorted({key for keys in KIND_KEYS.values() for key in keys} - set(own)):
            if key in self.model_fields_set:
                raise ValueError(
                    f"{key}: a group of kind = {self.kind!r} has no such key; its own are {', '.join(own)}"
                )
        if bool(self.pattern) != bool(self.annotation):
            missing = "annotation" if self.pattern else "pattern"
            raise ValueError(f"{missing}: pattern and annotation belong together, found only one of them")
        if self.pattern and self.patterns is not None:
            raise ValueError("patterns: either a name or a file, or pattern and annotation here; found both")
        if self.count is not None and self.kind == "dominoes":
            raise ValueError("count: as many fall as fill the picture; leave it out")
        if self.heights and len(self.heights) != len(self.characters):
            raise ValueError(
                f"heights: expected one height for each of the {len(self.characters)} characters, "
                f"found {len(self.heights)}"
            )
        return self


class TargetTable(Table):
    """A thing that hangs in the air, for a policy to strike."""

    name: Name = "target"
    place: tuple[Metres, Metres, Metres] = (0.0, 1.5, 1.2)  # x, y and z in metres
    dragged: bool = False  # moves from place to place by itself until a player drags it


class BallTable(Table):
    """Balls for a walker to kick."""

    count: int = Field(1, ge=1, le=50)  # balls along a winding way drawn from the seed
    place: Place | None = None  # place of a single ball

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.place is not None and self.count > 1:
            raise ValueError("count: a place is that of one ball")
        return self


class ObstacleTable(Table):
    """A bar across the way of a walker."""

    passed_by: tuple[Literal["jump", "duck", "crawl"], ...] = Field(
        min_length=1
    )  # the first one that the motions contain
    before: float = Field(2.5, ge=0.0, le=100.0)  # approximate metres of way before it; the seed varies them
    place: float | None = Field(None, ge=0.0, le=1000.0)  # exact metres along the way, instead of `before`


class InputTable(Table):
    """An input of a player in a live session (scene/session.py), at a time."""

    time: Moment
    what: Literal["go", "face", "do", "set", "take over", "let go"]
    who: str = ""  # a character, or a thing of [[targets]]
    place: tuple[Metres, Metres] | tuple[Metres, Metres, Metres] | None = None  # to go to
    degrees: Degrees | None = None  # to face
    action: str = ""  # to do
    key: str = ""  # to set
    value: float | str | tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _own_values(self) -> Self:
        needed = INPUT_VALUES[self.what]
        for key in needed:
            if key not in self.model_fields_set:
                raise ValueError(f"{key} is missing: what = {self.what!r} needs it")
        for key in sorted({key for keys in INPUT_VALUES.values() for key in keys} - set(needed)):
            if key in self.model_fields_set:
                own = ", ".join(("who", *needed))
                raise ValueError(f"{key}: what = {self.what!r} has no such value; its own are {own}")
        return self


class Checkpoint(Table):
    """A checkpoint: a place that characters have to reach."""

    place: Place  # x and z, metres
    radius: float = Field(0.5, gt=0.0, le=100.0)  # metres within which it is reached
    who: tuple[str, ...] = ()  # names of characters; all if omitted
    time: float | None = Field(None, ge=0.0, le=3600.0)  # earliest second to leave it
    required: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # by name: actions to perform there
    forbidden: dict[str, tuple[str, ...]] = Field(
        default_factory=dict
    )  # by name: actions to avoid until then
    facing: dict[str, Degrees] = Field(
        default_factory=dict
    )  # by name: direction to face in degrees, 0 is +z, 90 is +x


class WallTable(Table):
    """A straight wall that characters cannot walk through."""

    start: Place  # x and z, metres
    stop: Place
    thickness: float = Field(0.2, gt=0.0, le=5.0)
    height: float = Field(2.4, gt=0.0, le=20.0)


class CarTable(Table):
    """A car that runs a character over, once no other character is in its way."""

    start: Place  # x and z, metres
    stop: Place
    runs_over: str  # name of the character
    time: float = Field(ge=0.0, le=3600.0)  # earliest second to set off
    patience: float = Field(6.0, ge=0.0, le=3600.0)  # seconds to wait for a free road
    road: float = Field(4.0, ge=1.8, le=100.0)  # width of the road in metres; the car stays on it
    speed: float = Field(9.0, gt=1.0, le=40.0)  # metres per second

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Self:
        if self.start == self.stop:
            raise ValueError("stop: the road has to lead away from where it starts")
        return self


class Formation(Table):
    """Many pairs, each like the two of the cast, that move together in a shape.

    Pairs of a policy stand where they are, in the rows of a hall.
    """

    shape: Literal["spiral", "circle", "line", "picture", "hall"]
    pairs: int = Field(ge=1, le=1000)
    spacing: float = Field(3.5, gt=0.5, le=100.0)  # metres between neighbours, at the start
    centre: Place = (0.0, 0.0)
    radius: float | None = Field(None, gt=0.0, le=1000.0)  # of the circle; from `spacing` if omitted
    picture: str = ""  # image whose dark parts are the final shape, relative to the scene
    spread: float = Field(1.0, ge=0.5, le=10.0)  # factor by which the shape grows
    turn: float = Field(0.0, ge=-3600.0, le=3600.0)  # rotation about the centre in degrees
    march: Place = (0.0, 0.0)  # displacement in metres
    time: tuple[Moment, Moment] = (0.0, 1.0)  # seconds at which it starts to move and arrives
    every: float = Field(2.0, ge=0.2, le=60.0)  # seconds between checkpoints
    near: float = Field(0.35, gt=0.0, le=10.0)  # metres within which a checkpoint is reached
    ahead: float = Field(
        0.0, ge=0.0, le=10.0
    )  # lead of the second character of a pair in seconds, for a chase
    required: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # at the last checkpoint

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if (self.shape == "picture") != bool(self.picture):
            raise ValueError("picture is needed for the shape 'picture', and only for it")
        if self.shape != "hall" and "time" not in self.model_fields_set:
            raise ValueError("time is missing: seconds from which on it moves, and at which it arrives")
        if not self.time[0] < self.time[1]:
            raise ValueError("time: two moments in seconds are needed, the first one sooner")
        return self


class CameraTable(Table):
    """The camera of films and contact sheets."""

    azimuth: float = Field(0.0, ge=-360.0, le=360.0)  # degrees from the side that shows the characters best
    elevation: float = Field(14.0, ge=1.0, le=89.0)  # degrees above the floor
    follow: bool = True  # follow the characters; else stand still and show the whole way
    on: str = ""  # character to stay with
    reach: float = Field(2.0, gt=0.0, le=100.0)  # metres to show around it


class Suitability(Table):
    """A row of the combination table that a person amends: how well a defence, or an attack, answers one."""

    defence: Annotated[str, one_of("defence or attack", list(ANSWERS))]  # action that answers the attack
    attack: Annotated[str, one_of("attack", list(ATTACKS))]  # attack that it answers
    position: Annotated[str, one_of("position", ["", *POSITIONS])] = (
        ""  # position of the attack; all if empty
    )
    suitability: float = Field(ge=-1.0, le=1.0)  # from -1 (avoided) to 1


class FinaleTable(Table):
    """Two fighters whom the search hands over to a patch, and takes back after it."""

    who: tuple[str, str]  # names of the two fighters
    time: Moment  # seconds: the first decision from there on in which a patch goes on from what they do
    patterns: str = "one-fights-many"  # a shipped name or a file, on the motions of the two


class Pin(Table):
    """A pin replaces a decision: everything before it stays, everything after it is planned again."""

    who: str  # name of the fighter
    at: float = Field(ge=0.0)  # second; the first decision from then on that allows the action is replaced
    action: str  # "right jab", "jab" or "attack"
    number: int | None = Field(None, ge=0)  # number of the option, if several fit


class ShotTable(Table):
    """A camera cut of the studio: from a moment on, the take is seen from here."""

    time: Moment  # from this second on, until the next shot
    position: tuple[Metres, Metres, Metres]  # of the camera: x, y and z in metres
    target: tuple[Metres, Metres, Metres]  # that it looks at
    follow: str = ""  # name of a character to stay with, or "all"; stands still if omitted


class MarkerTable(Table):
    """A note at a moment."""

    time: Moment  # that the note is about, in seconds
    note: str = Field(min_length=1, max_length=1000)  # shown on the timeline of the studio


class RuleTable(Table):
    """Rules of plausibility and thresholds of reactions that differ from the defaults."""

    overlap: float | None = Field(None, ge=0.0, le=1.0)  # maximum penetration of bodies in metres
    facing: float | None = Field(
        None, gt=0.0, le=180.0
    )  # maximum angle past the opponent at the end of an action, in degrees
    defence_range: float | None = Field(None, ge=0.0, le=100.0)  # metres
    heavy: float | None = Field(None, ge=0.0)  # damage that makes a fighter stagger
    felling: float | None = Field(None, ge=0.0)  # damage that makes a fighter fall
    stamina: float | None = Field(None, ge=0.0)  # total damage after which a heavy hit makes a fighter fall


class Scene(Table):
    """A scene: characters, motions, goals and length."""

    title: str = "Untitled"
    description: str = ""
    seconds: float = Field(30.0, ge=0.5, le=3600.0)
    seed: int = Field(1, ge=0)
    motions: dict[str, Motions] = Field(default_factory=dict)
    cast: tuple[Member, ...] = Field((), max_length=200)
    group: tuple[Group, ...] = Field((), max_length=50)
    path: tuple[Checkpoint, ...] = ()
    formation: Formation | None = None
    camera: CameraTable = CameraTable()
    walls: tuple[WallTable, ...] = ()
    cars: tuple[CarTable, ...] = ()
    targets: tuple[TargetTable, ...] = ()
    balls: tuple[BallTable, ...] = ()
    obstacles: tuple[ObstacleTable, ...] = ()
    inputs: tuple[InputTable, ...] = ()
    path_function: Literal["cooperative", "competitive"] = "cooperative"
    pairing_function: Literal["competitive", "cooperative"] = "competitive"
    selection: Literal["best", "roulette"] = "best"
    temperature: float = Field(
        1.0, gt=0.0, le=_LARGEST_WEIGHT
    )  # of the roulette; larger values draw worse options more often
    ends_when_caught: bool = True
    look_at_opponents: bool = True  # turn the heads of fighters to their opponents
    lingers: float | None = Field(None, ge=0.0, le=3600.0)  # seconds to go on after the last required fall
    model: bool = False  # predict opponents from their past actions instead of their best ones
    rules: RuleTable = RuleTable()
    combination: tuple[Suitability, ...] = ()
    pins: tuple[Pin, ...] = ()
    finale: FinaleTable | None = None
    shots: tuple[ShotTable, ...] = Field((), max_length=1000)
    markers: tuple[MarkerTable, ...] = Field((), max_length=1000)
    folder: Path = Field(Path(), exclude=True)  # that paths are seen from
    name: str = Field("scene", exclude=True)  # of its file
    numbers: tuple[int, ...] = Field((), exclude=True)  # of the cast in its file, where it is a part of it

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.cast and not self.group:
            raise ValueError("cast is empty: at least one [[cast]] or one [[group]] is needed")
        self._check_motions()
        names = [member.name for member in self.cast]
        for number, member in enumerate(self.cast):
            if names.index(member.name) != number:
                raise ValueError(f"cast[{number + 1}].name: there are two characters named {member.name!r}")
        for number, group in enumerate(self.group):
            if group.leader in names:
                raise ValueError(
                    f"group[{number + 1}].leader: {group.leader!r} is already a name in the cast: "
                    "two controllers cannot move one character"
                )
            if group.leader and group.leader in [other.leader for other in self.group[:number]]:
                raise ValueError(
                    f"group[{number + 1}].leader: {group.leader!r} leads another group already: "
                    "two controllers cannot move one character"
                )
        self._check_fighters()
        self._check_avatars()
        self._check_walkers()
        if not self.group and self.formation is None:  # groups and formations name their members later
            self._check_named(names)
        return self

    def _check_named(self, names: list[str]) -> None:
        """The camera and the inputs name characters that there are."""
        if self.camera.on:
            _check_names("camera.on", (self.camera.on,), names)
        things = [target.name for target in self.targets]
        for number, line in enumerate(self.inputs, 1):
            if line.who:
                _check_names(f"inputs[{number}].who", (line.who,), [*names, *things])

    def _check_motions(self) -> None:
        if self.cast and not self.motions:
            raise ValueError("motions is missing: the cast needs at least one table [motions.NAME]")
        rows = [(f"cast[{number}]", member.motions) for number, member in enumerate(self.cast, 1)]
        groups = [(f"group[{number}]", group.motions) for number, group in enumerate(self.group, 1)]
        for where, motions in (*rows, *groups):
            if motions is not None and motions not in self.motions:
                raise ValueError(
                    f"{where}.motions: there are no motions {motions!r}; "
                    f"{suggest(motions, list(self.motions))}"
                )
        for where, motions in rows:
            if motions is None and len(self.motions) > 1:
                raise ValueError(f"{where}.motions is missing: choose one of {', '.join(self.motions)}")

    def _check_fighters(self) -> None:
        """Rules for scenes with a duel."""
        fighters = self.members("duel")
        names = [member.name for member in fighters]
        teams = {member.team for member in fighters} | {self.cast[k].team for k in self.guests()}
        if fighters and teams != {0, 1}:
            raise ValueError("cast: both teams need a fighter (team = 0 and team = 1)")
        for number, checkpoint in enumerate(self.path):
            for key, said in (
                ("who", checkpoint.who),
                ("required", tuple(checkpoint.required)),
                ("forbidden", tuple(checkpoint.forbidden)),
                ("facing", tuple(checkpoint.facing)),
            ):
                _check_names(f"path[{number + 1}].{key}", said, names)
        if self.formation is not None:
            if len(self.cast) != 2 or self.group or self.path or self.cars:
                raise ValueError("formation: it needs a cast of two, and neither group, path nor cars")
            _check_names("formation.required", tuple(self.formation.required), names)
            if (self.formation.shape == "hall") != (not fighters):
                raise ValueError("formation.shape: 'hall' is for pairs of a policy, and only that is")
        for number, car in enumerate(self.cars):
            _check_names(f"cars[{number + 1}].runs_over", (car.runs_over,), names)
        if self.finale is not None:
            self._check_finale(self.finale, fighters)
        pinned = [(pin.who, pin.at) for pin in self.pins]
        for number, (who, at) in enumerate(pinned):
            if self.formation is None:
                _check_names(f"pins[{number + 1}].who", (who,), names)
            if pinned.index((who, at)) != number:
                raise ValueError(f"pins[{number + 1}].at: {who} is pinned twice at {at:g} s")
        if self.pins and (self.group or len(fighters) < len(self.cast)):
            raise ValueError("pins: only a scene whose characters all have controller = 'duel' can be pinned")

    def _check_finale(self, finale: FinaleTable, fighters: list[Member]) -> None:
        _check_names("finale.who", finale.who, [member.name for member in fighters])
        both = [member for member in fighters if member.name in finale.who]
        if self.formation is not None or len(both) != 2 or both[0].team == both[1].team:
            raise ValueError("finale.who: two fighters of different teams are needed, and no formation")
        if any(one.character for one in both) or self.motions_of(both[0]) != self.motions_of(both[1]):
            raise ValueError("finale.who: the two need the same motions, and no characters of your own")

    def _check_avatars(self) -> None:
        """Rules for policies and players."""
        avatars = self.members("policy", "player")
        things = [target.name for target in self.targets]
        for number, name in enumerate(things):
            if things.index(name) != number or name in [member.name for member in self.cast]:
                raise ValueError(f"targets[{number + 1}].name: there are two things named {name!r}")
        for number, member in enumerate(self.cast, 1):
            if member not in avatars:
                continue
            mates = [one.name for one in avatars if self.motions_of(one) == self.motions_of(member)]
            fighters = [one.name for one in self.members("duel") if one.team != member.team]
            known = [name for name in (*mates, *things, *fighters) if name != member.name]
            if not known:
                raise ValueError(
                    f"cast[{number}].target: there is nothing to go for; add a [[targets]], another "
                    "character with a policy and the same motions, or a fighter of the other team"
                )
            if member.target and member.target not in known:
                raise ValueError(
                    f"cast[{number}].target: there is no {member.target!r} to go for; "
                    f"{suggest(member.target, known)}"
                )

    def _check_walkers(self) -> None:
        """Rules for preparation."""
        walkers = self.members("prepare")
        hunters = [member for member in walkers if member.goal == "opponents"]
        for number, member in enumerate(self.cast, 1):
            if member not in walkers:
                continue
            for goal, things in (("balls", self.balls), ("obstacles", self.obstacles)):
                if member.goal == goal and not things:
                    raise ValueError(f"cast[{number}].goal: there are no [[{goal}]]")
            others = [one for one in walkers if one.team != member.team and not one.goal]
            if member.goal == "opponents" and not others:
                raise ValueError(
                    f"cast[{number}].goal: there are no opponents; add characters of the other team with "
                    "controller = 'prepare', without a goal"
                )
            if not member.goal and all(one.team == member.team for one in hunters):
                raise ValueError(
                    f"cast[{number}].goal is missing: give 'balls', 'opponents' or 'obstacles', or another "
                    "character of the other team with goal = 'opponents'"
                )

    def members(self, *controllers: str) -> list[Member]:
        """The cast members that some controllers move."""
        return [member for member in self.cast if member.controller in controllers]

    def guests(self) -> list[int]:
        """The numbers of the cast members that take part in the duel, but are not moved by it."""
        fighters = {member.name for member in self.members("duel")}
        return [
            number
            for number, member in enumerate(self.cast)
            if member.controller in ("policy", "player") and member.target in fighters
        ]

    @property
    def mixed(self) -> bool:
        """Whether several controllers, or groups, share the floor."""
        learned = {self.motions_of(member) for member in self.members("policy", "player")}
        walkers = [member for member in self.members("prepare") if member.goal]
        return bool(self.members("duel")) + len(learned) + len(walkers) + len(self.group) > 1

    def motions_of(self, member: Member) -> str:
        """The name of the motions that a cast member uses."""
        return member.motions if member.motions is not None else next(iter(self.motions))

    def fighting(self) -> "Scene":
        """The scene of the fighters alone."""
        numbers = [number for number, one in enumerate(self.cast, 1) if one.controller == "duel"]
        cast = tuple(self.cast[number - 1] for number in numbers)
        return self.model_copy(update={"cast": cast, "group": (), "numbers": tuple(numbers)})

    def key(self, who: int) -> str:
        """The key of a member of the cast in the file: "cast[2]"."""
        return f"cast[{self.numbers[who] if self.numbers else who + 1}]"

    @classmethod
    def load(cls, name: str | PathLike[str]) -> "Scene":
        """A shipped scene by its name, or one of your own by its path."""
        path = Path(name)
        if path.suffix.lower() != ".toml":
            shipped = shipped_scenes()
            if str(name) not in shipped:
                raise FileError(
                    name, f"there is no such scene; {suggest(str(name), shipped)}; or give a .toml file"
                )
            resource = _SHIPPED_SCENES / f"{name}.toml"
            return cls.parse(resource.read_text(encoding="utf-8"), f"{name}.toml", Path(), str(name))
        return cls.parse(read_text(path), str(path), path.parent, path.stem)

    @classmethod
    def parse(
        cls, text: str, file: str = "scene", folder: Path | None = None, name: str = "scene"
    ) -> "Scene":
        """A scene from the text of its file."""
        values = parse_toml(text, file)
        for key in _NOT_IN_FILES:
            if key in values:
                raise FileError(file, f"{key}: unknown key; {suggest(key, _keys(cls))}")
        try:
            scene = cls(**values, folder=folder or Path(), name=name)
        except ValidationError as error:
            raise FileError(file, _in_words(error, cls)) from None
        for key, moment in scene._moments():
            if moment > scene.seconds:
                raise FileError(file, f"{key}: {moment:g} s is after the end: seconds = {scene.seconds:g}")
        return scene

    def _moments(self) -> Iterator[tuple[str, float]]:
        """Requirements within the scene's time; a run may later be cut short, to look at its beginning."""
        for number, member in enumerate(self.cast, 1):
            yield f"cast[{number}].joins", member.joins
        for number, car in enumerate(self.cars, 1):
            yield f"cars[{number}].time", car.time
        for number, one in enumerate(self.inputs, 1):
            yield f"inputs[{number}].time", one.time
        if self.finale is not None:
            yield "finale.time", self.finale.time
        if self.formation is not None and self.formation.required:
            yield "formation.time[2]", self.formation.time[1]

    def changed(self, **changes: Any) -> "Scene":
        """The same scene with other values, checked again."""
        values = {key: getattr(self, key) for key in type(self).model_fields} | changes
        try:
            return type(self)(**values)
        except ValidationError as error:
            raise FileError(f"{self.name}.toml", _in_words(error, type(self))) from None


def _check_names(key: str, said: tuple[str, ...], names: list[str]) -> None:
    for name in said:
        if name not in names:
            raise ValueError(f"{key}: no character is named {name!r}; {suggest(name, names)}")


def as_recorded(motions: str) -> str:
    """The name of the graph of some motions without copies that turn: that of avatars, and of guests."""
    return f"{motions} as recorded"


def shipped_scenes() -> list[str]:
    """The names of the scenes that come with Randori."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in _SHIPPED_SCENES.iterdir()
        if entry.name.endswith(".toml")
    )


def _keys(model: type[BaseModel]) -> list[str]:
    return [key for key in model.model_fields if key not in _NOT_IN_FILES or model is not Scene]


def _in_words(error: ValidationError, model: type[BaseModel]) -> str:
    """The faults, key by key."""
    problems = error.errors()
    causes = [problem["loc"] for problem in problems]
    # a list that is too short because something in it is wrong is not worth a word of its own
    problems = [
        problem
        for problem in problems
        if problem["type"] != "too_short"
        or not any(loc != problem["loc"] and loc[: len(problem["loc"])] == problem["loc"] for loc in causes)
    ]
    lines = [_problem(problem, model) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"and {len(problems) - _MOST_PROBLEMS} more")
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines)


def _problem(problem: Any, model: type[BaseModel]) -> str:
    """One fault: where it is, what was found, and what would be right."""
    steps, where = list(problem["loc"]), ""
    for step in steps:
        if isinstance(step, int):
            where += f"[{step + 1}]"
        elif step != "[key]":
            where += f".{step}" if where else str(step)
    match problem["type"]:
        case "extra_forbidden":
            owner = _owner(model, steps[:-1])
            return f"{where}: unknown key; {suggest(str(steps[-1]), _keys(owner))}"
        case "missing":
            return f"{where} is missing"
        case "value_error":
            message = str(problem["ctx"]["error"])
            if where and re.split(r"[:. ]", message)[0] in _keys(_owner(model, steps)):
                return f"{where}.{message}"  # names the key of the table itself
            return f"{where}: {message}" if where else message
        case "too_short":
            wanted, found = problem["ctx"]["min_length"], problem["ctx"]["actual_length"]
            return f"{where}: {wanted} or more are needed, found {found}"
        case "too_long":
            wanted, found = problem["ctx"]["max_length"], problem["ctx"]["actual_length"]
            return f"{where}: there can be {wanted} at most, found {found}"
        case "tuple_type":
            return f"{where}: a list is needed, in brackets, found {_shown(problem['input'])}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"{where}: a table is needed, with keys, found {_shown(problem['input'])}"
        case _:
            message = problem["msg"][0].lower() + problem["msg"][1:]
            return f"{where}: {message}, found {_shown(problem['input'])}"


def _shown(given: Any) -> str:
    """The value that was found, in short."""
    if isinstance(given, str | int | float):
        return shown(given)
    return "a table" if isinstance(given, dict) else "a list" if isinstance(given, list | tuple) else "that"


def _owner(model: type[BaseModel], steps: list[Any]) -> type[BaseModel]:
    """The table that a key stands in."""
    tables: dict[str, type[BaseModel]] = {
        "motions": Motions,
        "cast": Member,
        "path": Checkpoint,
        "combination": Suitability,
        "rules": RuleTable,
        "pins": Pin,
        "finale": FinaleTable,
        "shots": ShotTable,
        "markers": MarkerTable,
        "formation": Formation,
        "camera": CameraTable,
        "walls": WallTable,
        "cars": CarTable,
        "group": Group,
        "targets": TargetTable,
        "balls": BallTable,
        "obstacles": ObstacleTable,
        "inputs": InputTable,
    }
    return tables.get(str(steps[0]), model) if steps else model
