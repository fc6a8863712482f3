"""Fighters look at their opponents: a layer on the heads, on top of any action.

The body stays as it was baked. A head turns by what is missing, no further than the neck allows. Frames in
which it looks at the opponent anyway stay as they are.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.inverse_kinematics import turn_parts, turned_below
from randori.timeline.calming import calm_joins
from randori.timeline.timeline import Fighting, Timeline, shown

SLACK = np.radians(
    15.0
)  # beside the opponent's head, where a head is left alone: people do not stare at one point
NECK_LIMITS = (np.radians(75.0), np.radians(40.0))  # of the head against the chest: sideways, up and down
SPEED = (
    np.radians(350.0),
    np.radians(150.0),
)  # per second that the layer turns a head: sideways, up and down
_EASING = 0.15  # seconds of each of three means over time, after which a turn begins and ends without a jerk
_MEANS = 3
_BEHIND_ANGLES = np.radians(
    [140.0, 175.0]
)  # from the chest's front: an opponent behind the back is let go of
_UPRIGHT_RANGE = (
    0.2,
    0.6,
)  # height of the chest's up axis: below the first it lies, from the second on it stands
_NEGLIGIBLE_TURN = 1e-5  # radians: a frame that turns less stays as it is, to the byte
_NEARER_BY = 0.3  # metres by which another opponent must be nearer to be looked at instead
_ATTENTION = 1.0  # seconds for which a struck fighter looks at its attacker
_INATTENTIVE_TECHNIQUES = ("lie", "roll over")  # techniques of a fighter that pays no attention


def look_at_opponents(timeline: Timeline, walks: Sequence[Walk]) -> list[Walk]:
    """The walks with the heads of fighters turned to their opponents."""
    clips = [walk.clip for walk in walks]
    down = [_down_from(timeline, who) for who in range(len(walks))]
    looking = list(walks)
    for who, track in enumerate(timeline.tracks):
        role = track.fighting
        if role is None or not role.looks:
            continue
        target, seen = _find_target(timeline, clips, down, who, role)
        clip = turn_head(clips[who], target, seen * _attention(timeline, clips[who], who, role))
        if clip is not clips[who]:
            looking[who] = calm_joins(replace(walks[who], clip=clip), track.library)
    return looking


# -- what is looked at -----------------------------------------------------------------------------------


def _find_target(
    timeline: Timeline, clips: Sequence[Clip], down: Sequence[int], who: int, role: Fighting
) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) metres that a fighter looks at in every frame, and (F,) bool whether there is an opponent left.

    It is the head of the nearest opponent, or of the attacker for a while after a hit.
    """
    frames = len(clips[who])
    here = clips[who].root_position[:, [0, 2]]
    others = np.array(role.opponents)
    apart = np.stack(
        [np.linalg.norm(clips[other].root_position[:frames, [0, 2]] - here, axis=-1) for other in others]
    )
    in_the_game = np.arange(frames) < np.array([down[other] for other in others])[:, None]
    apart[~in_the_game] = np.inf
    for event in timeline.events:
        if event.kind == "hit" and event.whom == who and event.who in role.opponents:
            attention = slice(event.tick, event.tick + round(_ATTENTION * timeline.fps))
            row = role.opponents.index(event.who)
            apart[row, attention] = np.where(in_the_game[row, attention], -np.inf, np.inf)
    chosen = np.argmin(apart, axis=0)
    for frame in range(1, frames) if len(others) > 1 else ():
        before = chosen[frame - 1]
        if apart[before, frame] < apart[chosen[frame], frame] + _NEARER_BY:
            chosen[frame] = before
    heads = np.stack([clips[o].positions[:frames, clips[o].skeleton.joint("head")] for o in others])
    return heads[chosen, np.arange(frames)], np.any(in_the_game, axis=0).reshape(frames)


def _down_from(timeline: Timeline, who: int) -> int:
    """The tick from which on a character stays down; after the last one if it does not."""
    library = timeline.tracks[who].library
    since = timeline.ticks + 1
    for one in reversed(shown(timeline.tracks[who].placed, timeline.ticks)):
        tags = library.tags[one.action] if one.action >= 0 else None
        if tags is None or (tags.kind != "fall" and tags.technique not in _INATTENTIVE_TECHNIQUES):
            break
        since = one.start
    return since


def _attention(timeline: Timeline, clip: Clip, who: int, role: Fighting) -> np.ndarray:
    """(F,) 0 to 1: how much a fighter looks at its opponent at all."""
    library = timeline.tracks[who].library
    up = rot.rotate(turned_below(clip), rot.Y_AXIS)[:, 1]
    attention = smooth_step((up - _UPRIGHT_RANGE[0]) / (_UPRIGHT_RANGE[1] - _UPRIGHT_RANGE[0]))
    attention[: role.joins] = 0.0
    for one in shown(timeline.tracks[who].placed, timeline.ticks):
        tags = library.tags[one.action] if one.action >= 0 else None
        if tags is not None and (tags.kind == "fall" or tags.technique in _INATTENTIVE_TECHNIQUES):
            attention[one.start : one.stop + 1] = 0.0
    return np.asarray(attention)


# -- how the head turns ----------------------------------------------------------------------------------


def turn_head(clip: Clip, target: np.ndarray, attention: np.ndarray) -> Clip:
    """A clip whose head turns to a point (F, 3), as much as the attention (F,) asks for.

    Angles are those that the chest sees: sideways, and up.
    """
    skeleton = clip.skeleton
    chest = turned_below(clip)
    gaze = _angles(chest, rot.rotate(clip.turned("head"), rot.Z_AXIS))
    wanted = _angles(chest, target - clip.positions[:, skeleton.joint("head")])

    # Step 1. The turn that is missing until the opponent is within the slack, as far as the neck can turn.
    missing = wanted - gaze
    size = np.linalg.norm(missing, axis=-1, keepdims=True)
    goal = gaze + missing * np.maximum(1.0 - SLACK / np.maximum(size, SLACK), 0.0)
    limits = np.array(NECK_LIMITS)
    allowed = np.clip(goal, np.minimum(-limits, gaze), np.maximum(limits, gaze))
    behind = smooth_step((np.abs(wanted[:, 0]) - _BEHIND_ANGLES[0]) / (_BEHIND_ANGLES[1] - _BEHIND_ANGLES[0]))
    turn = (allowed - gaze) * (attention * (1.0 - behind))[:, None]
    if not turn.any():
        return clip

    # Step 2. No faster than a head turns, and without a jerk.
    turn = np.column_stack([_bound_speed(turn[:, k], SPEED[k] / clip.fps) for k in (0, 1)])
    width = 2 * round(0.5 * _EASING * clip.fps) + 1
    for _ in range(_MEANS):
        turn = _mean_over(turn, width)

    # Step 3. From where the head looks to where it is to look, without tilting it.
    changed = np.flatnonzero((np.abs(turn) > _NEGLIGIBLE_TURN).any(axis=-1))
    before, after = _facing(gaze[changed]), _facing(gaze[changed] + turn[changed])
    as_chest_sees = rot.multiply(after, rot.inverse(before))
    vectors = np.zeros((len(clip), 3))
    vectors[changed] = rot.rotate(chest[changed], rot.to_rotation_vector(as_chest_sees))
    turned = turn_parts(clip, vectors)
    rotations = clip.rotations.copy()
    rotations[changed] = turned.rotations[changed]
    return clip.with_frames(clip.root_position, rot.unroll(rotations))


def _angles(chest: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(F, 2) radians sideways (positive to the left) and up, of a direction (F, 3) in the world."""
    seen = rot.rotate(rot.inverse(chest), direction)
    return np.column_stack(
        [np.arctan2(seen[:, 0], seen[:, 2]), np.arctan2(seen[:, 1], np.hypot(seen[:, 0], seen[:, 2]))]
    )


def _facing(angles: np.ndarray) -> np.ndarray:
    """(F, 4) rotations that look along angles (F, 2)."""
    return np.asarray(
        rot.multiply(rot.from_yaw(angles[:, 0]), rot.from_axis_angle(rot.X_AXIS, -angles[:, 1]))
    )


def _bound_speed(values: np.ndarray, step: float) -> np.ndarray:
    """The values (F,), changed so that they differ by at most `step` from frame to frame.

    They lie half way between the lowest such values above them and the highest below them.
    """
    slope = step * np.arange(len(values))
    above = np.maximum.accumulate(values + slope) - slope
    above = (np.maximum.accumulate((above + slope[::-1])[::-1]) - slope)[::-1]
    below = np.minimum.accumulate(values - slope) + slope
    below = (np.minimum.accumulate((below - slope[::-1])[::-1]) + slope)[::-1]
    return np.asarray(0.5 * (above + below))


def _mean_over(values: np.ndarray, width: int) -> np.ndarray:
    """Values (F, K), each the mean of an odd number of frames about it; zero stays exactly zero."""
    padded = np.pad(values, ((width // 2, width // 2), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=0)
    return np.asarray(windows.mean(axis=-1))
