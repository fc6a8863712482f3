"""Hands of another body kept out of its head and its trunk, which may be larger than those of the source.

Hands that touched the source's own head or trunk touch the other's; none is deeper in it than it was.
"""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.easing import smooth_cover
from randori.motion.parts import SIDES

_ROUNDS = 4  # of pushing a hand out of one part after the other
_MOST_MOVED = 0.6  # metres that a hand is moved by
_EASE = 0.1  # seconds over which that is spread
_FOREARM_SHARE = 0.6  # of the forearm, from the elbow: where it is kept out as well


def hand_clearance(
    ends: np.ndarray,  # (F, 16, 2, 3) metres, of the capsules of the body
    radii: np.ndarray,  # (16,)
    allowed: np.ndarray,  # (F, 2, 2, P) metres that hands and forearms may be in parts of the trunk
    names: tuple[str, ...],  # of the capsules
    fps: float,
) -> np.ndarray:
    """(F, 2, 3) metres to move the left and the right hand by."""
    moves = np.zeros((len(ends), 2, 3))
    for hand, side in enumerate(SIDES):
        forearm, own = names.index(f"{side}_forearm"), names.index(f"{side}_hand")
        elbow = ends[:, forearm, 0]
        for _ in range(_ROUNDS):
            for part, name in enumerate(TRUNK):
                body = names.index(name)
                tip = ends[:, own].mean(axis=1) + moves[:, hand]
                along = elbow + _FOREARM_SHARE * (ends[:, own, 0] + moves[:, hand] - elbow)
                for place, (point, radius, lever) in enumerate(
                    ((tip, radii[own], 1.0), (along, radii[forearm], _FOREARM_SHARE))
                ):
                    way, depth = _depth(point, radius, ends[:, body], radii[body])
                    over = np.maximum(depth - allowed[:, hand, place, part], 0.0)
                    moves[:, hand] += way * (over / lever)[:, None]
    length = np.linalg.norm(moves, axis=-1, keepdims=True)
    moves = np.where(length > _MOST_MOVED, moves * _MOST_MOVED / np.maximum(length, 1e-9), moves)
    return _eased(moves, fps)


TRUNK = ("head", "upper_torso", "lower_torso")


def depths_in_trunk(ends: np.ndarray, radii: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """(F, 2, 2, P) metres that hands and forearms are in parts of the trunk, 0 where they are outside."""
    found = np.zeros((len(ends), 2, 2, len(TRUNK)))
    for hand, side in enumerate(SIDES):
        forearm, own = names.index(f"{side}_forearm"), names.index(f"{side}_hand")
        elbow = ends[:, forearm, 0]
        along = elbow + _FOREARM_SHARE * (ends[:, own, 0] - elbow)
        for part, name in enumerate(TRUNK):
            body = names.index(name)
            for place, (point, radius) in enumerate(
                ((ends[:, own].mean(axis=1), radii[own]), (along, radii[forearm]))
            ):
                depth = _depth(point, radius, ends[:, body], radii[body])[1]
                found[:, hand, place, part] = np.maximum(depth, 0.0)
    return found


def _depth(
    point: np.ndarray, radius: float, segment: np.ndarray, body: float
) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) the way out of a capsule and (F,) metres that a sphere is in it, negative outside."""
    start, axis = segment[:, 0], segment[:, 1] - segment[:, 0]
    square = np.maximum(np.sum(axis * axis, axis=-1), 1e-12)
    share = np.clip(np.sum((point - start) * axis, axis=-1) / square, 0.0, 1.0)
    apart = point - start - share[:, None] * axis
    distance = np.linalg.norm(apart, axis=-1)
    way = np.where(distance[:, None] > 1e-6, apart / np.maximum(distance, 1e-6)[:, None], rot.Z_AXIS)
    return way, radius + body - distance


def _eased(moves: np.ndarray, fps: float) -> np.ndarray:
    """Moves (F, 2, 3) that come and go without a jerk: never less than asked for in length, and smooth."""
    if not moves.any():
        return moves
    reach = max(round(_EASE * fps), 1)
    window = np.hanning(2 * reach + 3)[1:-1]
    window /= window.sum()
    size = np.linalg.norm(moves, axis=-1)
    result = np.zeros_like(moves)
    for hand in range(2):
        wanted = smooth_cover(size[:, hand], reach)
        ways = np.pad(moves[:, hand], ((reach, reach), (0, 0)), mode="edge")
        smooth = np.stack([np.convolve(ways[:, k], window, mode="valid") for k in range(3)], axis=1)
        length = np.linalg.norm(smooth, axis=-1, keepdims=True)
        result[:, hand] = np.where(length > 1e-9, smooth / np.maximum(length, 1e-9), 0.0) * wanted[:, None]
    return result
