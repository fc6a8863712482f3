"""Base classes of all messages."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_TEXT = 1_000_000  # characters of a scene

Point = tuple[float, float, float]
Place = tuple[float, float]
Colour = tuple[float, float, float]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]


class Message(BaseModel):
    """A message that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Request(Message):
    """A message of the page: it may leave out fields with defaults. The server never does."""


class Problem(Message):
    """The reason why something cannot be done, for the user."""

    type: Literal["problem"] = "problem"
    message: str
    file: str = ""
    line: int | None = None
    key: str = ""  # of the scene, as in "cast[2].depth", if it is known
