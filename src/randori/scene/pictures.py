"""Pictures that people fill: rows of # and ., or the dark parts of an image."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from randori.errors import FileError, RandoriError
from randori.formats.files import open_file, quote

DARK = 128  # of 255: darker pixels belong to the shape of a picture
LARGEST = 40  # rows, and columns, of a picture that people fill: a larger one would take too long
_MOST_PIXELS = 4_000_000
_PICTURES = ("PNG", "JPEG", "GIF", "BMP")  # formats of Pillow


def read_dark(path: Path) -> np.ndarray:
    """(H, W) bool: the dark parts of an image."""
    try:
        # only common picture formats: others of Pillow's start programs
        with open_file(path) as file, Image.open(file, formats=_PICTURES) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise FileError(path, f"has more than {_MOST_PIXELS} pixels; a shape needs far fewer")
            return np.asarray(picture.convert("L")) < DARK
    except FileError:
        raise
    except Exception as error:  # any error of Pillow means that the bytes are no picture
        expected = ", ".join(_PICTURES)
        raise FileError(path, f"is not a picture ({expected}): {quote(str(error))}") from error


def rows_of(given: Any, folder: Path) -> Sequence[str]:
    """The rows of a picture that is given as rows, or as an image seen from a folder; none for none."""
    if isinstance(given, str):
        return _checked(_cells(read_dark(folder / given)))
    if not given and isinstance(given, list | tuple):
        return ()
    return _checked(given)


def _cells(dark: np.ndarray) -> list[str]:
    """An image with a limited number of cells; one is dark if half of its pixels are."""
    step = max(-(-max(dark.shape) // LARGEST), 1)
    rows = []
    for top in range(0, dark.shape[0], step):
        row = [dark[top : top + step, left : left + step].mean() for left in range(0, dark.shape[1], step)]
        rows.append("".join("#" if share >= 0.5 else "." for share in row))
    return rows


def _checked(given: Any) -> Sequence[str]:
    rows = [row for row in given if isinstance(row, str)] if isinstance(given, list | tuple) else []
    sides = {len(rows), *map(len, rows)}
    known = rows == list(given or ()) and len(set(map(len, rows))) == 1 and set("".join(rows)) <= set("#.")
    if not known or not 0 < min(sides) <= max(sides) <= LARGEST:
        raise RandoriError(
            f"up to {LARGEST} rows are expected, all with as many cells, # or . each; or the file of an image"
        )
    if "#" not in "".join(rows):
        raise RandoriError("nothing of it is dark: at least one # is needed")
    return rows
