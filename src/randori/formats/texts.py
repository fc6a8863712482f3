"""Text from files, read with mistrust: any error in TOML or JSON is a `FileError`."""

import json
import os
import tomllib
from typing import Any, NoReturn

from randori.errors import FileError
from randori.formats.files import open_file

LARGEST_TEXT = 16 * 1024**2  # bytes: an hour of boxing has some 4,000 segments, less than a megabyte
_LONGEST_VALUE = 60  # characters of one that is shown
_SHOWN_CHARACTERS = 300  # characters of what a parser says


def read_text(path: str | os.PathLike[str], largest: int = LARGEST_TEXT) -> str:
    """All of a file that is text in UTF-8, and not too large for what it should be."""
    with open_file(path) as file:
        try:
            data = file.read(largest + 1)
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}") from error
    if len(data) > largest:
        raise FileError(path, f"is larger than {largest / 1024**2:g} MB: too large for a text of its kind")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileError(path, "is not text in UTF-8") from error


def parse_toml(text: str, file: object) -> dict[str, Any]:
    """The values of a text; `file` is what errors call it."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FileError(file, "is not TOML: nested too deeply") from None
    # besides its own errors: numbers with more digits than Python turns into one, impossible dates
    except (ValueError, OverflowError) as error:
        raise FileError(file, f"is not TOML: {str(error)[:_SHOWN_CHARACTERS]}") from None


def parse_json(text: str, file: object) -> Any:
    """The values of a text; `file` is what errors call it."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileError(file, f"is not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise FileError(file, "is not JSON: nested too deeply") from None
    except ValueError as error:
        raise FileError(file, f"is not JSON: {str(error)[:_SHOWN_CHARACTERS]}") from None


def shown(value: object) -> str:
    """A value from a file as a message shows it: short, on one line."""
    try:
        text = repr(value)
    except ValueError:  # a number with more digits than Python writes down
        text = "a number of thousands of digits"
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"


def _refuse_constant(word: str) -> NoReturn:
    """NaN and infinity are not JSON, although Python reads them."""
    raise ValueError(f"{word} is no number")
