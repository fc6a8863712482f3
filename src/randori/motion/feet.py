"""Times in which a foot stands on the floor, and its slide meanwhile.

Two points of a foot can stand: the ankle, which stands for the heel, and the ball (the toes' joint).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES

# Heights and distances are fractions of the leg (hip to ankle, 0.85 m for a person of 1.75 m), so that
# they hold for children and giants.
_LOW_HEIGHT = 0.06  # above its level a point no longer touches: 5 cm. Floors of capture rooms are not flatter
_LEVEL_WIDTH = 0.035  # points at rest lie within 3 cm of each other
_RARE_SHARE = 0.2  # of the most usual level: a lower one that is rarer than this is an exception
_TRAVEL = 0.06  # a foot that gets 5 cm away from where it stands is not planted: it shuffles
_ROLL = 0.018  # a ball that is 1.5 cm above its lowest is still coming down, or is leaving already
# A point stands if it is slower than this part of what the feet do at their fastest, within these limits.
_SLOW_SHARE = 0.15
_SLOW_LIMITS = (0.4, 0.9)  # metres per second: a boxer's creeping step, a runner's rolling foot
_SHORTEST_CONTACT = 0.06  # seconds
_SHORTEST_PIECE = 0.1  # seconds, of a contact in which the foot moves on: the rest is its gliding
_LONGEST_GAP = 0.1  # seconds, for a foot that lands where it stood: people do not step as fast as that


class FootLevels(NamedTuple):
    """The heights of the points of a standing foot, in metres."""

    ankle: float
    ball: float  # the ankle's again on rigs without toes


class PlantedPhase(NamedTuple):
    """Frames in which a foot stands, from `start` up to, but without, `stop`."""

    foot: int  # 0 left, 1 right
    start: int
    stop: int


def foot_points(clip: Clip) -> np.ndarray:
    """(F, 2, 2, 3) metres: ankle and ball of the left and the right foot.

    The ball is the joint of the toes; without one it is the tip of the foot, or else the ankle again.
    """
    skeleton = clip.skeleton
    points = np.empty((len(clip), 2, 2, 3))
    for foot, side in enumerate(SIDES):
        ankle, toes = skeleton.joint(f"{side}_foot"), skeleton.parts.get(f"{side}_toes")
        points[:, foot, 0] = clip.positions[:, ankle]
        if toes is not None:
            points[:, foot, 1] = clip.positions[:, toes]
        else:
            tip = rot.rotate(clip.global_rotations[:, ankle], skeleton.tips[ankle])
            points[:, foot, 1] = clip.positions[:, ankle] + tip
    return points


def foot_levels(clip: Clip) -> FootLevels:
    """The heights at which ankle and ball rest in this clip: the lowest that slow points often have."""
    points = foot_points(clip)
    return _levels(points, _point_speed(points, clip.fps), leg_length(clip))


def foot_contacts(clip: Clip, levels: FootLevels | None = None) -> np.ndarray:
    """(F, 2) bool: the left and the right foot stand on the floor.

    The floor is where the feet of this clip rest, unless levels are given.
    """
    return contacts_of_points(foot_points(clip), clip.fps, leg_length(clip), levels)


def contacts_of_points(
    points: np.ndarray, fps: float, leg: float, levels: FootLevels | None = None
) -> np.ndarray:
    """(F, 2) bool: the same, for the points (F, 2, 2, 3) of feet on legs of a length in metres."""
    speed = _point_speed(points, fps)
    level = np.array(_levels(points, speed, leg) if levels is None else levels)
    low = points[..., 1] < level + _LOW_HEIGHT * leg
    contacts: np.ndarray = np.any(low & (speed < _slow_enough(speed)), axis=-1)
    for foot in range(2):
        _close_gaps(contacts[:, foot], points[:, foot, 1], fps, 0.5 * _TRAVEL * leg)
        _drop_travelling(contacts[:, foot], points[:, foot], speed[:, foot], fps, _TRAVEL * leg)
    return contacts


def _levels(points: np.ndarray, speed: np.ndarray, leg: float) -> FootLevels:
    slow = speed < _slow_enough(speed)
    width = _LEVEL_WIDTH * leg
    return FootLevels(
        *(_lowest_usual(points[:, :, k, 1][slow[:, :, k]], points[:, :, k, 1], width) for k in (0, 1))
    )


def split_travelling(clip: Clip, contacts: np.ndarray, travel: float) -> np.ndarray:
    """Contacts (F, 2) without the frames in which a foot, said to stand, gets further than `travel` metres.

    That happens where a foot stands at different places before and after a join.
    """
    points = foot_points(clip)
    speed = _point_speed(points, clip.fps)
    split = contacts.copy()
    for foot in range(2):
        _drop_travelling(split[:, foot], points[:, foot], speed[:, foot], clip.fps, travel)
    return split


def planted_phases(contacts: np.ndarray) -> list[PlantedPhase]:
    """The unbroken runs of contacts (F, 2), the left foot's first."""
    return [PlantedPhase(foot, *run) for foot in range(2) for run in runs_of(contacts[:, foot])]


def planted_point(points: np.ndarray, phase: PlantedPhase, leg: float) -> tuple[int, int, int]:
    """The point of a foot that stands in a phase (0 ankle, 1 ball), and its first and last frame.

    Where the ball touches the floor it is the ball, from the moment it is down until it rises: before
    that the foot rolls over its heel, after it over the tips of its toes. A foot that turns on its heel
    stands on the heel.
    """
    return _planted(points, phase, leg)[0]


def _planted(points: np.ndarray, phase: PlantedPhase, leg: float) -> tuple[tuple[int, int, int], float]:
    """The same, and how far that point gets from its usual place meanwhile, in metres."""
    ankle, ball = points[phase.start : phase.stop, phase.foot].swapaxes(0, 1)
    down = np.flatnonzero(ball[:, 1] <= ball[:, 1].min() + _ROLL * leg)
    first, last = int(down[0]), int(down[-1]) + 1
    raised = _median(ball[down, 1] - ankle[down, 1]) > 0.0
    heel_travel, ball_travel = _travel(ankle[first:last]), _travel(ball[first:last])
    on_heel = heel_travel < 0.4 * ball_travel or heel_travel <= _TRAVEL * leg < ball_travel
    if raised or on_heel:
        return (0, phase.start, phase.stop), _travel(ankle)
    return (1, phase.start + first, phase.start + last), ball_travel


def foot_slide(clip: Clip, contacts: np.ndarray) -> np.ndarray:
    """(N,) metres, for each of the planted phases: how far its planted point gets from its usual place."""
    points, leg = foot_points(clip), leg_length(clip)
    return np.array([_planted(points, phase, leg)[1] for phase in planted_phases(contacts)])


def leg_length(clip: Clip) -> float:
    """Metres from the hip to the ankle along the bones."""
    joint = clip.skeleton.joint
    return clip.skeleton.length_between(joint("left_foot"), joint("left_thigh"))


def _point_speed(points: np.ndarray, fps: float) -> np.ndarray:
    """(F, ...) metres per second, towards the frame before or the one after, whichever is slower.

    So a foot that has just landed counts as slow at once. Steps of 1/60 s keep the noise of fast
    cameras out.
    """
    step = max(1, min(round(fps / 60.0), len(points) // 2))
    speed = np.full(points.shape[:-1], np.inf)
    if len(points) > 1:
        between = np.linalg.norm(points[step:] - points[:-step], axis=-1) * (fps / step)
        speed[:-step] = between
        speed[step:] = np.minimum(speed[step:], between)
    else:
        speed[:] = 0.0
    return speed


def _slow_enough(speed: np.ndarray) -> float:
    """Metres per second below which a point of these feet can be standing."""
    return float(np.clip(_SLOW_SHARE * np.percentile(speed, 95), *_SLOW_LIMITS))


def _lowest_usual(heights: np.ndarray, otherwise: np.ndarray, width: float) -> float:
    """The middle of the lowest cluster of heights that is not a rare exception."""
    if len(heights) == 0:
        return float(otherwise.min())
    ordered = np.sort(heights)
    count = np.searchsorted(ordered, ordered + width, side="right") - np.arange(len(ordered))
    lowest = int(np.argmax(count >= _RARE_SHARE * count.max()))
    return float(np.median(ordered[lowest : lowest + count[lowest]]))


def runs_of(flags: np.ndarray) -> list[tuple[int, int]]:
    """Start and stop of every unbroken run of True."""
    edges = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist()))


def _close_gaps(contact: np.ndarray, ball: np.ndarray, fps: float, nearby: float) -> None:
    """Fill short gaps in a foot's contact (F,), in place, where it comes down near where it stood."""
    runs = runs_of(contact)
    for (_, left), (landed, _) in pairwise(runs):
        short = landed - left <= _LONGEST_GAP * fps
        if short and np.linalg.norm((ball[landed] - ball[left - 1])[[0, 2]]) < nearby:
            contact[left:landed] = True


def _drop_travelling(
    contact: np.ndarray, points: np.ndarray, speed: np.ndarray, fps: float, travel: float
) -> None:
    """Take from a foot's contact (F,), in place, the frames in which it moves on, and what is too short then.

    A foot that creeps along is slow, but does not stand. In such a run a limit of speed is lowered until
    what remains are pieces that stay where they are.
    """
    slowest = speed.min(axis=-1)
    runs = runs_of(contact)
    boxes = np.min([_boxes(points[:, k], runs) for k in (0, 1)], axis=0) if runs else ()
    for (start, stop), box in zip(runs, boxes):
        # points that stay within a small box need no closer look
        pieces, waiting = [(0, stop - start)], [(start, stop)] if box > travel else []
        while waiting:
            piece = slice(*waiting.pop())
            if min(_travel(points[piece, k]) for k in (0, 1)) > travel:
                contact[piece] &= slowest[piece] < 0.7 * slowest[piece].max()
                waiting += [
                    (piece.start + first, piece.start + last) for first, last in runs_of(contact[piece])
                ]
                pieces = []
        if pieces:
            shortest = _SHORTEST_CONTACT
        else:
            pieces, shortest = runs_of(contact[start:stop]), _SHORTEST_PIECE
        for first, last in pieces:
            whole = start + first > 0 and start + last < len(contact)  # the clip's ends may cut it short
            if whole and last - first < shortest * fps:
                contact[start + first : start + last] = False


def _boxes(path: np.ndarray, runs: list[tuple[int, int]]) -> np.ndarray:
    """(N,) metres over the floor, for each run of a path (F, 3): no two of its places are farther apart."""
    edges = np.array(runs).reshape(-1)
    edges = edges[edges < len(path)]  # each run, and the gap after it if there is one
    across, along = (
        np.maximum.reduceat(path[:, axis], edges)[::2] - np.minimum.reduceat(path[:, axis], edges)[::2]
        for axis in (0, 2)
    )
    return np.asarray(np.sqrt(across * across + along * along))


def _travel(path: np.ndarray) -> float:
    """Metres, over the floor, that a path (N, 3) gets away from its median place."""
    away = [values - _median(values) for values in (path[:, 0], path[:, 2])]
    return float(np.sqrt((away[0] * away[0] + away[1] * away[1]).max()))


def _median(values: np.ndarray) -> float:
    """The median of (N,) values; NumPy's own takes several times as long."""
    ordered, middle = np.sort(values), len(values) // 2
    return float(ordered[middle]) if len(values) % 2 else 0.5 * float(ordered[middle - 1] + ordered[middle])
