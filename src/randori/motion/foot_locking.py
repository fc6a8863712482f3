"""Holding planted feet still: the last word on a clip after joining, blending or physics."""

from typing import NamedTuple

import numpy as np

from randori.kernels.limbs import LEG_SURE_REACH
from randori.motion.clip import Clip
from randori.motion.easing import smooth_cover, smoother_step
from randori.motion.feet import (
    FootLevels,
    PlantedPhase,
    foot_points,
    leg_length,
    planted_phases,
    planted_point,
    split_travelling,
)
from randori.motion.inverse_kinematics import find_limb, solve_limb
from randori.motion.parts import SIDES
from randori.motion.transition import decay

EASE = 0.2  # seconds over which a foot takes up, or lets go of, its fixed place
_EASE_ALLOWANCE = 0.03  # metres that an offset may grow by while it is let go of
_MOST_SINKING = 0.05  # metres that the pelvis may be lowered by
_FARTHEST_HOLD = 0.1  # of the leg that a planted foot may be brought back by: from there on it makes a step
_STEP_HEIGHT = 0.25  # of the step's length: a shuffle of 20 cm is lifted by 5 cm
_SMALL_LIFT = 0.005  # metres of lifting or sinking, at which a foot is held fully


class _Span(NamedTuple):
    """Frames, from `start` up to but without `stop`, in which one point of a foot is held."""

    start: int
    stop: int
    path: np.ndarray  # (F, 3) metres, where the point is throughout the clip


def lock_feet(
    clip: Clip,
    contacts: np.ndarray,
    levels: FootLevels | np.ndarray | None = None,  # or (F, 2, 2) metres: by frame, foot and point
    ease: float = EASE,
) -> Clip:
    """The clip with each planted foot (contacts (F, 2)) at rest in the middle of where it wandered.

    The ball of the foot is fixed over the floor; the heel may rise, and the knee stays in its plane. The
    pelvis sinks a little where a leg would be too short. Heights stay as they are, but with `levels` no
    ankle and no ball goes below its own. A foot that is said to stand, but moves on too far to be held
    (as at a join of two postures), makes a small step instead.
    """
    points, leg = foot_points(clip), leg_length(clip)
    lift = np.zeros((len(clip), 2)) if levels is None else _lift(points, levels)
    points[..., 1] += lift[:, :, None]
    standing = split_travelling(clip, contacts, _FARTHEST_HOLD * leg)
    spans: list[list[_Span]] = [[], []]
    for phase in planted_phases(standing):
        point, start, stop = planted_point(points, phase, leg)
        spans[phase.foot].append(_Span(start, stop, points[:, phase.foot, point]))

    # Step 1. Where the ankles have to be, and how much that matters.
    moves = np.stack([_fixing_moves(held, len(clip), clip.fps, ease) for held in spans], axis=1)
    hold = np.stack([_hold(held, len(clip), clip.fps, ease) for held in spans], axis=1)
    for phase in planted_phases(contacts & ~standing):
        moves[phase.start : phase.stop, phase.foot, 1] = _step_lift(points, phase)
    hold = _either(hold, smoother_step(lift / _SMALL_LIFT))
    targets = points[:, :, 0] + moves

    # Step 2. Lower the pelvis where a leg is too short for that; then both feet have to be held up.
    sinking = pelvis_sinking(clip, targets, hold, ease)
    hold = _either(hold, smoother_step(sinking / _SMALL_LIFT)[:, None])
    root = clip.root_position - sinking[:, None] * np.array([0.0, 1.0, 0.0])
    sunk = clip.with_frames(root, clip.rotations)

    # Step 3. Bend the legs.
    rotations = clip.rotations
    for foot, side in enumerate(SIDES):
        limb = find_limb(clip.skeleton, f"{side}_leg")
        rotations = solve_limb(
            clip.skeleton,
            sunk.positions,
            sunk.global_rotations,
            rotations,
            limb,
            targets[:, foot],
            weight=hold[:, foot],
        )
    return clip.with_frames(root, rotations)


def _fixing_moves(spans: list[_Span], frames: int, fps: float, ease: float) -> np.ndarray:
    """(F, 3) metres to move a foot by, over the floor: what holds it still, smoothly taken up and let go of.

    Between two spans the first move dies away and the next one grows. Each does so from the velocity that
    keeps the foot still at the edge of its span, so it lifts off and comes down without a jerk.
    """
    moves = np.zeros((frames, 3))
    flat = np.array([1.0, 0.0, 1.0])
    left = 0
    for number, (start, stop, path) in enumerate(spans):
        place = np.median(path[start:stop], axis=0)
        moves[start:stop] = flat * (place - path[start:stop])
        before = start - left
        after = (spans[number + 1].start if number + 1 < len(spans) else frames) - stop
        for count, edge, step in ((before, start, -1), (after, stop - 1, 1)):
            if count > 0:
                inner = np.clip(edge - step, start, stop - 1)
                offset, velocity = flat * (place - path[edge]), flat * (path[inner] - path[edge]) * fps
                times = np.arange(1, count + 1) / fps
                fading = decay(offset, velocity, times, min(ease, (count + 1) / fps), _EASE_ALLOWANCE)
                moves[edge + step * np.arange(1, count + 1)] += fading
        left = stop
    return moves


def _step_lift(points: np.ndarray, phase: PlantedPhase) -> np.ndarray:
    """(N,) metres to lift a foot by, while it moves on over the floor."""
    path = points[phase.start : phase.stop, phase.foot, 1]
    length = np.linalg.norm((path[-1] - path[0])[[0, 2]])
    through = np.arange(1, len(path) + 1) / (len(path) + 1)
    return _STEP_HEIGHT * length * 16.0 * (through * (1.0 - through)) ** 2


def _hold(spans: list[_Span], frames: int, fps: float, ease: float) -> np.ndarray:
    """(F,) 1 inside the spans, 0 further away than the ease."""
    free = np.ones(frames)
    for start, stop, _ in spans:
        away = np.maximum(np.maximum(start - np.arange(frames), np.arange(frames) - stop + 1), 0)
        free *= smoother_step(away / (ease * fps))
    return 1.0 - free


def _lift(points: np.ndarray, levels: FootLevels | np.ndarray) -> np.ndarray:
    """(F, 2) metres to lift each foot by, so that neither its ankle nor its ball is below its level."""
    below = (np.asarray(levels) - points[..., 1]).max(axis=-1) + 0.5 * _SMALL_LIFT
    # rounded off at the start, so that a foot which sinks in slowly is not stopped with a jerk
    return np.where(
        below < _SMALL_LIFT, np.maximum(below, 0.0) ** 2 / (2.0 * _SMALL_LIFT), below - 0.5 * _SMALL_LIFT
    )


def pelvis_sinking(clip: Clip, targets: np.ndarray, hold: np.ndarray, ease: float) -> np.ndarray:
    """(F,) metres to lower the pelvis by, so that the legs reach their targets: never less, and smooth."""
    needed = np.zeros(len(clip))
    for foot, side in enumerate(SIDES):
        hip, knee, ankle = (clip.positions[:, joint] for joint in find_limb(clip.skeleton, f"{side}_leg"))
        length = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
        # a leg that the source itself stretches further may stay as straight as that
        reach = np.maximum(LEG_SURE_REACH * length, np.linalg.norm(ankle - hip, axis=-1))
        across, up, along = (hip - targets[:, foot]).T
        height = np.sqrt(np.maximum(reach**2 - across**2 - along**2, 0.0))
        standing = smoother_step(4.0 * (up / length - 0.5))  # the pelvis of a lying body stays where it is
        needed = np.maximum(needed, standing * hold[:, foot] * np.clip(up - height, 0.0, _MOST_SINKING))
    return smooth_cover(needed, round(ease * clip.fps))


def _either(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smooth "or" of two weights."""
    return 1.0 - (1.0 - a) * (1.0 - b)
