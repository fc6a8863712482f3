"""Patches tick by tick: which frame of the library each character shows, and where."""

import numpy as np

from randori.kernels.patch_ways import PART, SHOWN, Ways
from randori.kernels.places import as_rows
from randori.patches.library import PatchArrays
from randori.patches.stock import Stock


def ways_of(arrays: PatchArrays, stock: Stock) -> Ways:
    """The parts of patches, tick by tick."""
    step, firsts, lasts = arrays.step, arrays.step_start[:-1], arrays.step_start[1:] - 1
    length = step["stop"] - step["start"]
    length[lasts] += 1  # a part shows its last frame, too
    rows = np.repeat(np.arange(len(step)), length)
    ends = np.concatenate([[0], np.cumsum(length)])
    place = arrays.place[rows]
    cosine, sine = np.cos(place[:, 2]), np.sin(place[:, 2])
    shown = np.zeros(len(rows), SHOWN)
    shown["frame"] = step["first"][rows] + np.arange(len(rows)) - np.repeat(ends[:-1], length)
    x, z, _ = stock.pelvis[shown["frame"]].T
    as_rows(shown["place"])[:] = place
    shown["x"] = cosine * x + sine * z + place[:, 0]
    shown["z"] = cosine * z - sine * x + place[:, 1]
    parts = np.zeros(len(firsts), PART)
    parts["first"], parts["last"] = ends[arrays.step_start[:-1]], ends[arrays.step_start[1:]] - 1
    parts["begin"] = step["start"][firsts]
    parts["first_action"], parts["last_action"] = step["action"][firsts], step["action"][lasts]
    parts["thing"] = parts["first_action"] >= stock.people
    parts["at_start"] = step["first"][firsts] == stock.first[parts["first_action"]]
    return Ways(parts, shown, step["action"][rows])
