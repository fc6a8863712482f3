"""A mouse: a small thing that runs over the floor. Its runs stand behind a library's actions and frames.

Run k of the mouse is action `len(library) + k`; its frames follow on the library's frames.
"""

import numpy as np

from randori.kernels.contact import LOWER_TORSO

SPEED = 2.4  # metres per second
SECONDS = 1.6  # length of a run
TURNS = (0.0, 1.6, -1.6)  # radians per second that the runs bend by: it can turn within a crowd
RADIUS, LENGTH = 0.035, 0.09  # metres
HEIGHT = 0.04  # metres of its middle above the floor


def ways(fps: float) -> np.ndarray:
    """(runs, frames, 3) x, z in metres and yaw in radians of each run, from the origin along +Z."""
    times = np.arange(round(SECONDS * fps) + 1) / fps
    runs = []
    for turn in TURNS:
        yaw = turn * times
        steps = SPEED / fps * np.column_stack([np.sin(yaw), np.cos(yaw)])[:-1]
        places = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
        runs.append(np.column_stack([places, yaw]))
    return np.stack(runs)


def capsules(way: np.ndarray) -> np.ndarray:
    """(F, 16, 2, 3) metres: the mouse's body in the capsules of a person, of which only one is present."""
    body = np.zeros((len(way), 16, 2, 3))
    ahead = 0.5 * LENGTH * np.column_stack([np.sin(way[:, 2]), np.cos(way[:, 2])])
    for end, sign in enumerate((-1.0, 1.0)):
        body[:, LOWER_TORSO, end, [0, 2]] = way[:, :2] + sign * ahead
        body[:, LOWER_TORSO, end, 1] = HEIGHT
    return body


def radii() -> np.ndarray:
    """(16,) metres."""
    wide = np.full(16, -1.0)
    wide[LOWER_TORSO] = RADIUS
    return wide
