"""What an animator writes: a scene file in TOML, read with errors that name the key and what is valid."""

import tomllib
from collections.abc import Iterator
from dataclasses import fields
from difflib import get_close_matches
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from randori.body.palette import OUTFITS
from randori.duel.combination import ANSWERS, ATTACKS, POSITIONS
from randori.duel.fighter import REACTION
from randori.duel.styles import STYLES, Style
from randori.errors import FileError
from randori.performer import BODIES, SETS

_LARGEST_WEIGHT = 1e9
_MOST_PROBLEMS = 5  # that are listed at once
_SHIPPED = files("randori") / "scenes"
_DISTANCES, _FARTHEST = ("distance", "touch"), 100.0  # metres
_WIDEST = 10_000.0  # metres from the origin: farther out, places are no longer exact to a millimetre
_LONGEST = 3600.0  # seconds
WEIGHTS = tuple(field.name for field in fields(Style))


def suggest(word: str, known: list[str]) -> str:
    """What somebody may have meant by an unknown word, and what there is."""
    near = get_close_matches(word, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}There are {', '.join(known)}"


def _one_of(what: str, known: list[str]) -> AfterValidator:
    def check(word: str) -> str:
        if word not in known:
            raise ValueError(f"there is no {what} {word!r}; {suggest(word, known)}")
        return word

    return AfterValidator(check)


SetName = Annotated[str, _one_of("set", list(SETS))]
BodyName = Annotated[str, _one_of("body", list(BODIES))]
StyleName = Annotated[str, _one_of("style", list(STYLES))]
OutfitName = Annotated[str, _one_of("outfit", list(OUTFITS))]
WeightName = Annotated[str, _one_of("weight", list(WEIGHTS))]
Metres = Annotated[float, Field(ge=-_WIDEST, le=_WIDEST, allow_inf_nan=False)]
Degrees = Annotated[float, Field(ge=-3600.0, le=3600.0, allow_inf_nan=False)]
Moment = Annotated[float, Field(ge=0.0, le=_LONGEST, allow_inf_nan=False)]  # seconds from the start
Weight = Annotated[float, Field(ge=0.0, le=_LARGEST_WEIGHT, allow_inf_nan=False)]
Place = tuple[Metres, Metres]
PlaceAndTurn = tuple[Metres, Metres, Degrees]


class Table(BaseModel):
    """A table of a scene file: what it does not know it does not accept."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError(f"{str(value).lower()} does not fit here, it is neither a number nor a word")
        return value


class Motions(Table):
    """Where motion comes from: exactly one of `perform`, `files` and `library`."""

    perform: tuple[SetName, ...] = ()  # sets of the built-in performer
    files: tuple[str, ...] = ()  # recordings, seen from the scene file: "recordings/*.bvh"
    library: str | None = None  # what `randori capture` wrote
    body: BodyName = "average"  # who performs
    seed: int = Field(1, ge=0)
    seconds: float | None = Field(None, ge=5.0, le=3600.0)  # of each set; each has its own length
    mirrored: bool = False  # everything a second time, as a mirror shows it
    turned: bool = True  # copies of steps, staggers and get-ups that turn by 45 to 180 degrees
    choices: float = Field(40.0, ge=2.0, le=10_000.0)  # on arrival: more is richer, fewer join more smoothly

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
        return self


class Member(Table):
    """A character."""

    name: str = Field(min_length=1, max_length=80)
    motions: str | None = None  # which of the scene's motions; needed if there are several
    style: StyleName = "boxer"
    depth: int = Field(3, ge=1, le=8)  # plies that it looks ahead: its intelligence
    team: int = Field(0, ge=0, le=1)  # fights those of the other team
    reaction: float = Field(REACTION, ge=0.0, le=5.0)  # seconds for which it does not see an attack
    place: PlaceAndTurn | None = None  # x and z in metres, and degrees that it looks along: 0 is +z, 90 +x
    outfit: OutfitName | None = None
    weights: dict[WeightName, Weight] = Field(default_factory=dict)  # in place of the style's own
    wanted: tuple[str, ...] = ()  # actions that are asked for: "left jab", "duck"
    unwanted: tuple[str, ...] = ()  # and those that are not
    joins: float = Field(0.0, ge=0.0, le=3600.0)  # seconds before which nobody minds it
    character: str | None = (
        None  # a file of one's own that it is: GLB, VRM or FBX; seen from the scene's folder
    )
    height: float | None = Field(
        None, ge=0.5, le=5.0
    )  # metres, of that character; its file's own if not given
    hidden: tuple[str, ...] = ()  # meshes of that character that are not shown: "*Shield*"

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


class Checkpoint(Table):
    """A place that the characters are drawn to until they are there."""

    place: Place  # x and z, metres
    radius: float = Field(0.5, gt=0.0, le=100.0)  # metres within which it is reached
    who: tuple[str, ...] = ()  # names; everybody, if none are given
    time: float | None = Field(None, ge=0.0, le=3600.0)  # seconds before which it is not left
    required: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # by name: what is done there
    forbidden: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # and what is not done before
    facing: dict[str, Degrees] = Field(default_factory=dict)  # by name: the way to look, 0 is +z, 90 +x


class WallTable(Table):
    """A straight wall that nobody walks through."""

    start: Place  # x and z, metres
    stop: Place
    thickness: float = Field(0.2, gt=0.0, le=5.0)
    height: float = Field(2.4, gt=0.0, le=20.0)


class CarTable(Table):
    """A car that comes down a road and runs somebody over who is on it, once nobody else is in its way."""

    start: Place  # x and z, metres
    stop: Place
    runs_over: str  # who
    time: float = Field(ge=0.0, le=3600.0)  # seconds at which it may set off
    patience: float = Field(6.0, ge=0.0, le=3600.0)  # seconds that it waits until nobody else is in its way
    road: float = Field(4.0, ge=1.8, le=100.0)  # metres that the road is wide: it does not leave it
    speed: float = Field(9.0, gt=1.0, le=40.0)  # metres per second

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Self:
        if self.start == self.stop:
            raise ValueError("stop: the road has to lead away from where it starts")
        return self


class Formation(Table):
    """Many pairs, each like the two of the cast, that move together in a shape."""

    shape: Literal["spiral", "circle", "line", "picture"]
    pairs: int = Field(ge=1, le=1000)
    spacing: float = Field(3.5, gt=0.5, le=100.0)  # metres between neighbours, at the start
    centre: Place = (0.0, 0.0)
    radius: float | None = Field(None, gt=0.0, le=1000.0)  # of the circle, if it is to be wider
    picture: str = ""  # whose dark parts are the shape at the end, seen from the scene file
    spread: float = Field(1.0, ge=0.5, le=10.0)  # how much wider the shape becomes
    turn: float = Field(0.0, ge=-3600.0, le=3600.0)  # degrees that it turns about its centre
    march: Place = (0.0, 0.0)  # metres that it moves along
    time: tuple[Moment, Moment]  # seconds from which on it moves, and at which it has arrived
    every: float = Field(2.0, ge=0.2, le=60.0)  # seconds from checkpoint to checkpoint
    near: float = Field(0.35, gt=0.0, le=10.0)  # metres within which a checkpoint is reached
    ahead: float = Field(0.0, ge=0.0, le=10.0)  # seconds that the second is ahead of the first, in a chase
    required: dict[str, tuple[str, ...]] = Field(default_factory=dict)  # at the last checkpoint

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if (self.shape == "picture") != bool(self.picture):
            raise ValueError("picture is needed for the shape 'picture', and only for it")
        if not self.time[0] < self.time[1]:
            raise ValueError("time: two moments in seconds are needed, the first one sooner")
        return self


class CameraTable(Table):
    """From where films and sheets show the scene."""

    azimuth: float = Field(0.0, ge=-360.0, le=360.0)  # degrees from the side that shows the characters best
    elevation: float = Field(14.0, ge=1.0, le=89.0)  # degrees above the floor
    follow: bool = True  # the middle of the characters; else it stands still and sees all of the way


class Suitability(Table):
    """A row of the combination table that a person amends: how well a defence, or an attack, answers one."""

    defence: Annotated[str, _one_of("defence or attack", list(ANSWERS))]
    attack: Annotated[str, _one_of("attack", list(ATTACKS))]
    position: Annotated[str, _one_of("position", ["", *POSITIONS])] = ""  # of the attack; empty for all
    suitability: float = Field(ge=-1.0, le=1.0)  # what is negative is avoided


class Pin(Table):
    """A decision that an animator replaces: what came before it stays, what follows is planned anew."""

    decision: int = Field(ge=1)  # its number in the take, from 1
    action: int = Field(ge=0)  # one of the options that it had


class RuleTable(Table):
    """What is plausible, and how blows are answered, where it differs from what is usual."""

    overlap: float | None = Field(None, ge=0.0, le=1.0)  # metres that bodies may pass into each other
    facing: float | None = Field(None, gt=0.0, le=180.0)  # degrees past the opponent as an action ends
    defence_range: float | None = Field(None, ge=0.0, le=100.0)  # metres
    heavy: float | None = Field(None, ge=0.0)  # damage from which a blow makes stagger
    felling: float | None = Field(None, ge=0.0)  # damage from which it fells
    stamina: float | None = Field(None, ge=0.0)  # damage taken, from which on any heavy blow fells


class Scene(Table):
    """Who is there, how they move, what they want, and for how long."""

    title: str = "Untitled"
    description: str = ""
    seconds: float = Field(30.0, ge=0.5, le=3600.0)
    seed: int = Field(1, ge=0)
    motions: dict[str, Motions] = Field(min_length=1)
    cast: tuple[Member, ...] = Field(min_length=2, max_length=200)
    path: tuple[Checkpoint, ...] = ()
    formation: Formation | None = None
    camera: CameraTable = CameraTable()
    walls: tuple[WallTable, ...] = ()
    cars: tuple[CarTable, ...] = ()
    path_function: Literal["cooperative", "competitive"] = "cooperative"
    pairing_function: Literal["competitive", "cooperative"] = "competitive"
    selection: Literal["best", "roulette"] = "best"
    temperature: float = Field(1.0, gt=0.0, le=_LARGEST_WEIGHT)  # of the roulette: more is wilder
    ends_when_caught: bool = True
    look_at_opponents: bool = True  # heads of fighters turn to their opponents, whatever the bodies do
    lingers: float | None = Field(
        None, ge=0.0, le=3600.0
    )  # seconds that it goes on once all who must fall lie
    model: bool = False  # expect of opponents what they did before, instead of their best
    rules: RuleTable = RuleTable()
    combination: tuple[Suitability, ...] = ()
    pins: tuple[Pin, ...] = ()
    folder: Path = Field(Path(), exclude=True)  # that paths are seen from
    name: str = Field("scene", exclude=True)  # of its file

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [member.name for member in self.cast]
        for number, member in enumerate(self.cast):
            where = f"cast[{number + 1}]"
            if names.index(member.name) != number:
                raise ValueError(f"{where}.name: there are two characters named {member.name!r}")
            if member.motions is None and len(self.motions) > 1:
                raise ValueError(f"{where}.motions is missing: choose one of {', '.join(self.motions)}")
            if member.motions is not None and member.motions not in self.motions:
                raise ValueError(
                    f"{where}.motions: there are no motions {member.motions!r}; "
                    f"{suggest(member.motions, list(self.motions))}"
                )
        if {member.team for member in self.cast} != {0, 1}:
            raise ValueError("cast: somebody of team 0 and somebody of team 1 are needed")
        for number, checkpoint in enumerate(self.path):
            for key, said in (
                ("who", checkpoint.who),
                ("required", tuple(checkpoint.required)),
                ("forbidden", tuple(checkpoint.forbidden)),
                ("facing", tuple(checkpoint.facing)),
            ):
                _check_names(f"path[{number + 1}].{key}", said, names)
        if self.formation is not None:
            if len(self.cast) != 2 or self.path or self.cars:
                raise ValueError("formation: it needs a cast of two, and neither path nor cars")
            _check_names("formation.required", tuple(self.formation.required), names)
        for number, car in enumerate(self.cars):
            _check_names(f"cars[{number + 1}].runs_over", (car.runs_over,), names)
        pinned = [pin.decision for pin in self.pins]
        for number, decision in enumerate(pinned):
            if pinned.index(decision) != number:
                raise ValueError(f"pins[{number + 1}].decision: decision {decision} is pinned twice")
        return self

    def motions_of(self, member: Member) -> str:
        """The name of the motions that somebody uses."""
        return member.motions if member.motions is not None else next(iter(self.motions))

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
            resource = _SHIPPED / f"{name}.toml"
            return cls.parse(resource.read_text(encoding="utf-8"), f"{name}.toml", Path(), str(name))
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise FileError(path, "does not exist") from None
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(path, f"cannot be read: {error}") from error
        return cls.parse(text, str(path), path.parent, path.stem)

    @classmethod
    def parse(
        cls, text: str, file: str = "scene", folder: Path | None = None, name: str = "scene"
    ) -> "Scene":
        """A scene from the text of its file."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FileError(file, f"is not TOML: {error}") from None
        for key in ("folder", "name"):
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
        """What has to happen within the scene's time; it may be cut short later, to look at its beginning."""
        for number, member in enumerate(self.cast, 1):
            yield f"cast[{number}].joins", member.joins
        for number, car in enumerate(self.cars, 1):
            yield f"cars[{number}].time", car.time
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
            raise ValueError(f"{key}: nobody is named {name!r}; {suggest(name, names)}")


def shipped_scenes() -> list[str]:
    """The names of the scenes that come with Randori."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in _SHIPPED.iterdir() if entry.name.endswith(".toml")
    )


def _keys(model: type[BaseModel]) -> list[str]:
    return [key for key in model.model_fields if key not in ("folder", "name") or model is not Scene]


def _in_words(error: ValidationError, model: type[BaseModel]) -> str:
    """What is wrong, key by key."""
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
    """One thing that is wrong: where, what, and what would be right."""
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
            if where and message.partition(": ")[0] in _keys(_owner(model, steps)):
                return f"{where}.{message}"  # says itself which key of the table it is about
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
    """What was found, in short."""
    if isinstance(given, str | int | float):
        return repr(given)[:60]
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
        "formation": Formation,
        "camera": CameraTable,
        "walls": WallTable,
        "cars": CarTable,
    }
    return tables.get(str(steps[0]), model) if steps else model
