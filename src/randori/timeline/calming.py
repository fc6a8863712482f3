"""Limits the acceleration of joints to that of people: the excess is taken away, and no more than that."""

from dataclasses import replace

import numpy as np

from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import ActionLibrary
from randori.graph.smoothness import angular_acceleration, calm
from randori.motion.clip import Clip
from randori.motion.haste import HARDEST, joint_accelerations

_OWN_HASTE = 1.05  # times what the motion does by itself: that much is its own
_FRAMES_AROUND = 4  # frames about a join that may be changed for its sake
_MARGIN = 0.95  # of what a joint may accelerate by
_MOST_ROUNDS = 8  # at most, that joints which move too hastily are slowed
_SLOWER_FACTOR = 0.6  # times as hasty as before, each time
_REACH = 1  # frames to either side
_STRIKING_SECONDS = 0.2, 0.3  # seconds before and after a strike: a blow may be as hasty as it was recorded


def haste_limits(walk: Walk, library: ActionLibrary) -> np.ndarray:
    """(F, J) radians/s²: what people usually stay below, or what the motion itself does above that.

    About joins only what was recorded is the motion itself.
    """
    usual = library.usual_acceleration
    recorded = library.accelerations[walk.frame]
    shown = angular_acceleration(walk.clip.rotations, walk.clip.fps)
    own = np.where(_joining(walk)[:, None], recorded, np.maximum(recorded, shown))
    return np.where(own > usual, _OWN_HASTE * own, usual)


def calm_joins(walk: Walk, library: ActionLibrary) -> Walk:
    """A walk whose joins are as smooth as what was recorded."""
    free, limits = widened(_joining(walk), _FRAMES_AROUND), haste_limits(walk, library)
    calmer = replace(walk, clip=calm(walk.clip, limits, free))
    return replace(walk, clip=calm_moves(calmer.clip, limits, free & ~striking(walk, library)))


def calm_moves(clip: Clip, limits: np.ndarray, free: np.ndarray) -> Clip:
    """A clip whose joints, in frames (F,) that are free, accelerate no more than people's do.

    `limits` (F, J) radians/s² are what they may turn by; they are lowered where joints move too hastily.
    """
    parents, most = clip.skeleton.parents, _MARGIN * HARDEST
    for _ in range(_MOST_ROUNDS):
        hard = (joint_accelerations(clip.positions, clip.fps) > most) & free[:, None]
        if not hard.any():
            break
        # a joint is moved by those above it
        for joint in range(len(parents) - 1, 0, -1):
            hard[:, parents[joint]] |= hard[:, joint]
        near = np.stack([widened(column, _REACH) for column in hard.T], axis=-1)
        own = angular_acceleration(clip.rotations, clip.fps)
        limits = np.where(near, np.minimum(limits, _SLOWER_FACTOR * own), limits)
        clip = calm(clip, limits, free)
    return clip


def striking(walk: Walk, library: ActionLibrary) -> np.ndarray:
    """(F,) bool: a strike is shown, or is about to be, or is drawn back."""
    busy = np.zeros(len(library.frames.root_position), dtype=bool)
    before, after = (round(seconds * library.fps) for seconds in _STRIKING_SECONDS)
    for start, stop in zip(library.strikes.start.tolist(), library.strikes.stop.tolist()):
        busy[max(start - before, 0) : stop + after] = True
    return busy[walk.frame]


def widened(flags: np.ndarray, reach: int) -> np.ndarray:
    """(F,) bool: up to so many frames from where flags are."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(flags, reach), 2 * reach + 1)
    result: np.ndarray = np.any(around, axis=-1)
    return result


def _joining(walk: Walk) -> np.ndarray:
    """(F,) bool: from where a walk bends towards a join until that has died away."""
    joining = np.zeros(len(walk.clip), dtype=bool)
    for join in walk.joins.tolist():
        first = join
        while first > 0 and walk.blended[first - 1] == walk.frame[join]:
            first -= 1
        joining[max(first - 1, 0) : join + round(JOIN_SECONDS * walk.clip.fps)] = True
    return joining
