"""Patches tick by tick: what of the library everybody shows when, and where."""

from typing import NamedTuple

import numpy as np

from randori.patches.library import PatchArrays
from randori.patches.stock import Stock


class Ways(NamedTuple):
    """All parts tick by tick; part 2 p + r is role r of patch p."""

    way_start: np.ndarray  # (2 N + 1,) int64
    way_frame: np.ndarray  # (T,) int64, the frame that is shown
    way_place: np.ndarray  # (T, 4) x, z, yaw that its recording is placed by, and the number of the action
    way_x: np.ndarray  # (T,) metres, of the pelvis in the patch
    way_z: np.ndarray  # (T,)
    begin: np.ndarray  # (2 N,) int64, tick of the patch
    thing: np.ndarray  # (2 N,) int64, 1 for the mouse


def ways_of(arrays: PatchArrays, stock: Stock) -> Ways:
    """The parts of patches, tick by tick."""
    step, parts = arrays.step, len(arrays.step_start) - 1
    lasts = arrays.step_start[1:] - 1
    length = step[:, 3] - step[:, 2]
    length[lasts] += 1  # a part shows its last frame, too
    rows = np.repeat(np.arange(len(step)), length)
    ahead = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
    frame = step[rows, 1] + ahead
    place = arrays.place[rows]
    cosine, sine = np.cos(place[:, 2]), np.sin(place[:, 2])
    x, z = stock.pelvis[frame, 0], stock.pelvis[frame, 1]
    ends = np.concatenate([[0], np.cumsum(length)])
    firsts = arrays.step_start[:-1]
    return Ways(
        ends[arrays.step_start],
        frame,
        np.column_stack([place, step[rows, 0]]),
        cosine * x + sine * z + place[:, 0],
        cosine * z - sine * x + place[:, 1],
        step[firsts, 2],
        (step[firsts, 0] >= stock.people).astype(np.int64).reshape(parts),
    )
