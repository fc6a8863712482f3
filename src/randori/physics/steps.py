"""Feet of a body that is moved over the floor: each stands until it is too far behind, then it steps."""

from itertools import pairwise

import numpy as np

from randori.motion.clip import Clip
from randori.motion.easing import smoother_step
from randori.motion.inverse_kinematics import find_limb
from randori.motion.parts import SIDES
from randori.physics.limbs import bring

_MOST_BEHIND = 0.06  # metres that a foot may be away from under its body
_STEP_SECONDS = 0.2  # seconds that a step takes
_AHEAD_SECONDS = 0.12  # seconds: a foot comes down where its body will be so much later
_STEP_HEIGHT = 0.3  # of the length of a step
_LEAST_LIFT = 0.03  # metres that a foot is lifted at least
_STILL_DISTANCE = 1e-4  # metres: not moved


def step_along(clip: Clip, stands: np.ndarray, aside: np.ndarray) -> tuple[Clip, np.ndarray]:
    """A clip moved by (F, 2) metres over the floor, and (F, 2) bool when its feet stand in it.

    Feet that stand (F, 2) stay where they are while their body moves on, or make a step of their own.
    """
    holds = _holds(stands, aside, clip.fps)
    root = clip.root_position.copy()
    root[:, [0, 2]] += aside
    moved, standing = clip.with_frames(root, clip.rotations), np.zeros_like(stands)
    for foot, side in enumerate(SIDES):
        limb = find_limb(clip.skeleton, f"{side}_leg")
        move = _foot_moves(holds[foot], stands[:, foot], aside)
        for start, stop, _ in holds[foot]:
            standing[start:stop, foot] = True
        changed = np.abs(move).max(axis=-1) + np.abs(aside).max(axis=-1) > _STILL_DISTANCE
        moved = bring(moved, limb, clip.positions[:, limb.end] + move, changed.astype(float))
    return moved, standing


def _holds(stands: np.ndarray, aside: np.ndarray, fps: float) -> list[list[tuple[int, int, np.ndarray]]]:
    """For both feet: from which frame up to which they are held, and how far (2,) from where they stood."""
    frames = len(aside)
    step, ahead = max(round(_STEP_SECONDS * fps), 1), round(_AHEAD_SECONDS * fps)
    stops = np.column_stack([_run_stops(stands[:, foot]) for foot in range(2)])
    held: list[list[tuple[int, int, np.ndarray]]] = [[], []]
    start, place = [-1, -1], [aside[0], aside[0]]
    landing = [0, 0]  # the frame in which a foot that steps comes down again
    for f in range(frames):
        for foot in range(2):
            if start[foot] < 0 and stands[f, foot] and f >= landing[foot]:
                start[foot], place[foot] = f, aside[min(f + ahead, int(stops[f, foot]) - 1)]
            if start[foot] >= 0 and not stands[f, foot]:
                held[foot].append((start[foot], f, place[foot]))
                start[foot] = -1
        # one foot at a time, the one that is farther behind, and only if there is time to come down again
        behind = [
            float(np.linalg.norm(aside[f] - place[foot])) if start[foot] >= 0 else 0.0 for foot in range(2)
        ]
        foot = int(behind[1] > behind[0])
        time = int(stops[f, foot]) - f > 2 * step
        if min(start) >= 0 and behind[foot] > _MOST_BEHIND and f > start[foot] and time:
            held[foot].append((start[foot], f, place[foot]))
            start[foot], landing[foot] = -1, f + step
    for foot in range(2):
        if start[foot] >= 0:
            held[foot].append((start[foot], frames, place[foot]))
    return held


def _run_stops(flags: np.ndarray) -> np.ndarray:
    """(F,) for frames of a run of True: the frame after its last."""
    stops = np.full(len(flags), len(flags), dtype=np.int64)
    for f in range(len(flags) - 2, -1, -1):
        stops[f] = stops[f + 1] if flags[f + 1] else f + 1
    return stops


def _foot_moves(
    holds: list[tuple[int, int, np.ndarray]], stands: np.ndarray, aside: np.ndarray
) -> np.ndarray:
    """(F, 3) metres that a foot is away from where it was: still while it is held, a step in between."""
    moves = np.zeros((len(aside), 3))
    ends = [(0, 0, aside[0]), *holds, (len(aside), len(aside), aside[-1])]
    for (_, left, before), (landed, stop, after) in pairwise(ends):
        share = (np.arange(left, landed) - left + 1.0) / (landed - left + 1.0)
        way = smoother_step(share)[:, None]
        moves[left:landed, [0, 2]] = (1.0 - way) * before + way * after
        moves[landed:stop, [0, 2]] = after
        if stands[left:landed].all() and landed > left:  # a step of its own: the recording does not lift it
            high = max(_STEP_HEIGHT * float(np.linalg.norm(after - before)), _LEAST_LIFT)
            moves[left:landed, 1] = high * 16.0 * (share * (1.0 - share)) ** 2
    return moves
