"""Targets of attacks: other characters on their feet, where the scene's strikes may begin."""

import numpy as np

from randori.motion import rotations as rot
from randori.patches.stage import Stage

LOW = 0.45  # metres of the pelvis above the floor: a character below lies or is about to get up


def lies(stage: Stage, who: int, ticks: np.ndarray) -> np.ndarray:
    """(T,) bool: whether a character is on the floor; before and after its steps, as they begin and end."""
    if stage.actors[who].thing or not stage.actors[who].steps:
        return np.zeros(len(ticks), dtype=bool)
    return stage.stock.height[stage.shown_in(who, ticks)["frame"]] < LOW


def has_target(stage: Stage, who: int, ticks: np.ndarray) -> np.ndarray:
    """(T,) bool: whether another character is within reach, ahead and on its feet.

    An attack without one is shadow-boxing. Reach is what the scene's own words for strikes allow.
    """
    reach, ahead = stage.patches.scene.striking_range
    mine = stage.shown_in(who, ticks)
    looks = stage.stock.facing[mine["frame"]] + mine["place"]["yaw"]
    found = np.zeros(len(ticks), dtype=bool)
    for other in range(len(stage)):
        if other == who or stage.actors[other].thing or not stage.actors[other].steps:
            continue
        theirs = stage.shown_in(other, ticks)
        x, z = theirs["x"] - mine["x"], theirs["z"] - mine["z"]
        near = np.hypot(x, z) < reach
        if near.any():
            in_view = np.abs(rot.wrap_angle(np.arctan2(x, z) - looks)) < ahead
            found |= near & in_view & ~lies(stage, other, ticks)
    return found
