"""A controller in a file. The library that it was trained on is named, not kept in it."""

import hashlib
import os
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.arrays import expect, is_json, read_arrays, read_words, with_words, write_arrays
from randori.kernels import prepare as kernels
from randori.prepare.controller import Controller, History
from randori.prepare.gaits import Gaits

KIND, SCHEMA = "randori preparation", 2
_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    "values": np.dtype("<f4"),
    "history": np.dtype("<f8"),
}
_MOST_WORDS = 64 * 1024


def fingerprint(gaits: Gaits) -> str:
    """A fingerprint that tells the gaits of one library from those of another."""
    found = hashlib.sha256()
    for array in (gaits.move, gaits.move_indptr, gaits.move_end, gaits.travel, gaits.posture_heading):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


def write_controller(path: str | os.PathLike[str], controller: Controller) -> None:
    """Write a controller."""
    history = controller.history
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "gaits": fingerprint(controller.gaits),
        "clips": [clip.name for clip in controller.gaits.library.clips][:20],
        "reach": controller.reach,
        "steepest": controller.steepest,
        "guided": controller.guided,
    }
    arrays = {
        "values": controller.values,
        "history": np.stack([history.returns, history.reached, history.changed]),
    }
    write_arrays(path, with_words(words, arrays, _TYPES), _contents)


def read_controller(path: str | os.PathLike[str], gaits: Gaits) -> Controller:
    """The controller for these gaits. A controller that was trained on others is refused."""
    words, values, history = read_arrays(path, "a controller of preparation", _TYPES, _contents)
    if words["gaits"] != fingerprint(gaits):
        names = ", ".join(map(str, words["clips"][:3]))
        raise FileError(path, f"was trained on other motions ({names}, …); train one for these")
    width = int(np.diff(gaits.move_indptr).max()) * kernels.CHOICES
    if values.shape != (gaits.postures * kernels.CELLS, width):
        raise FileError(path, "has another number of states or choices than these gaits; train it again")
    rules = int(words["steepest"]), bool(words["guided"])
    return Controller(gaits, values, float(words["reach"]), History(*history), *rules)


def _contents(arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    types = {"gaits": str, "clips": list, "reach": float, "steepest": int, "guided": bool}
    words = read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, types)
    expect(all(is_json(name, str) for name in words["clips"]), "names of clips")
    expect(0.0 < words["reach"] < 10.0, "a reach above 0 and below 10 metres")
    expect(0 < words["steepest"] <= kernels.CHOICES, "a change of the level by one or more")
    expect(arrays["values"].ndim == 2, "values of states and choices")
    expect(bool(np.isfinite(arrays["values"]).all()), "values without NaN or infinity")
    expect(arrays["history"].ndim == 2 and len(arrays["history"]) == 3, "a history of three rows")
    expect(bool(np.isfinite(arrays["history"]).all()), "a history without NaN or infinity")
    return words, arrays["values"], arrays["history"]
