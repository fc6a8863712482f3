"""The gallery, scenes, and the words that a scene may use."""

from typing import Any, Literal

from pydantic import Field

from randori.studio.messages.base import Colour, Message, Name, Place, Point, Problem, Request, Text


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


class OpenScene(Request):
    """Exactly one of both."""

    gallery: str = ""
    file: str = ""


class SceneText(Request):
    text: Text
    file: str = ""  # where it belongs: motions are seen from there
    gallery: str = Field("", pattern=r"^[\w-]{0,80}$")  # the shipped scene that it comes from
    seconds: float | None = Field(None, ge=0.5, le=3600.0)


class Edit(Request):
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
    """Take another option at a decision: what came before stays, what follows is planned again."""

    take: Name
    decision: int = Field(ge=0)
    action: int = Field(ge=0)


class SaveScene(SceneText):
    """A file that is there is replaced only if it still says what the page knows, or with `overwrite`."""

    before: Text | None = None  # the text that the page last read from the file, or wrote there
    overwrite: bool = False


class RenameScene(Request):
    file: Name
    to: Name


class DeleteScene(Request):
    file: Name


class SceneDocument(Message):
    """A scene's text, and what it means."""

    text: str
    file: str  # in the project, or "" if it is not saved
    gallery: str  # the shipped scene that it comes from, or ""
    name: str
    scene: dict[str, Any] | None  # the values, with defaults; None if the text has problems
    values: dict[str, Any] | None  # the same, as far as they can be read; None if the text is no TOML
    places: list[Point]  # x, z and degrees where each of the cast starts
    ways: list[list[Place]]  # of the pairs of a formation, x and z from its start to its end
    problems: list[Problem]
    take: str  # made of exactly this text, or ""
    draft: str  # a short one of exactly this text, or ""
    draft_seconds: float = 0.0  # how long such a short one is


class Scale(Message):
    """The values that something can have."""

    title: str
    help: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    logarithmic: bool = False
    choices: list[str] = Field([])
    shown: list[str] = Field([])  # the label of each choice; the choices themselves, if empty


class Control(Scale):
    """The control with which a value of a scene is edited."""

    key: str  # as in the file
    # moments: from and until; wishes: actions by a name of the cast; names: some of the cast;
    # spot: x, z and a height; places: a way over the floor; figures: numbers; moves: words that may come
    # again; picture: a file, or rows of squares
    kind: Literal[
        "number",
        "whole",
        "yes",
        "word",
        "words",
        "choice",
        "place",
        "place and turn",
        "spot",
        "places",
        "figures",
        "moves",
        "picture",
        "moments",
        "wishes",
        "angles",
        "names",
        "team",
        "character",
    ]
    default: Any = None


class Outfit(Message):
    name: str
    colours: list[Colour]  # by material


class UsualPatterns(Message):
    """The patterns of a kind of group, to be copied into a scene and changed there."""

    name: str
    motions: dict[str, Any]
    annotation: dict[str, dict[str, Any]]
    pattern: list[dict[str, Any]]


class Vocabulary(Message):
    """The words that a scene may use. All lists of controls are in the order in which they are shown."""

    version: str
    scene: list[Control]
    member: list[Control]
    groups: dict[str, list[str]]  # the keys that a kind of group has beside those of all
    controllers: dict[str, list[str]]  # of each, the keys of a member that only some controllers have
    weights: list[Control]
    checkpoint: list[Control]
    motions: list[Control]
    rules: list[Control]
    tables: dict[str, list[Control]]  # formation, camera, and of each row: walls, cars, groups, …
    patterns: dict[str, list[Control]]  # of a group: annotation, its actions, pattern, and the weights of one
    usual_patterns: dict[str, UsualPatterns]  # of each kind of group
    inputs: dict[str, list[str]]  # the keys of each kind of input, beside its time and its character
    behaviours: list[Control]  # the weights of characters that learn
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
