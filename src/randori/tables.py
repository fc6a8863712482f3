"""Tables of TOML files, read strictly: errors name the key, the value found and the valid values."""

from difflib import get_close_matches
from typing import Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo, field_validator


def suggest(word: str, known: list[str]) -> str:
    """Suggest a known word that is close to an unknown one, and list the known words."""
    near = get_close_matches(word, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}There are {', '.join(known) or 'none'}"


def one_of(what: str, known: list[str]) -> AfterValidator:
    """A validator that accepts only some words."""

    def check(word: str) -> str:
        if word not in known:
            raise ValueError(f"there is no {what} {word!r}; {suggest(word, known)}")
        return word

    return AfterValidator(check)


class Table(BaseModel):
    """A table of a file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError(f"{str(value).lower()} does not fit here, it is neither a number nor a word")
        return value
