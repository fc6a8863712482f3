"""Arms and legs of two bones: where the elbow or the knee is, and how the bones are turned."""

from dataclasses import dataclass

import numpy as np

from randori.motion import rotations as rot


def smooth_max(a: np.ndarray, b: np.ndarray | float, width: float) -> np.ndarray:
    """The larger of two, rounded where they are closer than about `width`."""
    return 0.5 * (a + b + np.sqrt((a - b) ** 2 + width**2))


def smooth_min(a: np.ndarray, b: np.ndarray | float, width: float) -> np.ndarray:
    """The smaller of two, rounded where they are closer than about `width`."""
    return 0.5 * (a + b - np.sqrt((a - b) ** 2 + width**2))


def soft_reach(distance: np.ndarray, free: float, limit: float) -> np.ndarray:
    """The distance itself up to `free`, then ever less of it, never reaching `limit`.

    A limb that snaps to straight pops; this one slows down before it gets there.
    """
    room = limit - free
    beyond = np.maximum(distance - free, 0.0)
    return np.minimum(distance, free) + room * (1.0 - np.exp(-beyond / room))


def transported(start: np.ndarray, direction: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """The reference (3,), which stands across `start`, carried along to directions (F, 3).

    It turns with the limb by the smallest rotation, so an angle counted from it never flips where a
    fixed pole would.
    """
    return rot.rotate(rot.between(start, direction), reference)


def turned_about(axis: np.ndarray, vector: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Vectors (F, 3) across unit axes (F, 3), turned about them by angles (F,)."""
    return vector * np.cos(angle)[:, None] + rot.cross(axis, vector) * np.sin(angle)[:, None]


@dataclass(frozen=True)
class Bend:
    """A limb in every frame: its middle joint, its end, and the directions of its bones."""

    middle: np.ndarray  # (F, 3) metres, the elbow or the knee
    end: np.ndarray  # (F, 3) metres, the wrist or the ankle
    upper: np.ndarray  # (F, 3) unit
    lower: np.ndarray  # (F, 3) unit
    hinge: np.ndarray  # (F, 3) unit, direction × pole


def bend(
    origin: np.ndarray,
    direction: np.ndarray,
    distance: np.ndarray,
    pole: np.ndarray,
    upper: float,
    lower: float,
) -> Bend:
    """Two bones from an origin to a distance along a direction, the middle joint towards the pole."""
    shortest = abs(upper - lower) + 0.02 * (upper + lower)
    distance = smooth_max(distance, shortest, 0.01)
    cosine = np.clip((upper**2 + distance**2 - lower**2) / (2.0 * upper * distance), -1.0, 1.0)
    sine = np.sqrt(1.0 - cosine**2)
    pole = rot.normalize(pole - direction * np.sum(pole * direction, axis=-1, keepdims=True))
    first = direction * cosine[:, None] + pole * sine[:, None]
    middle = origin + upper * first
    end = origin + direction * distance[:, None]
    return Bend(middle, end, first, rot.normalize(end - middle), rot.cross(direction, pole))


def leg_rotation(bone: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """(F, 4) of a bone that hangs down in the T, its joint's axis along +X there."""
    up = -bone
    lateral = -hinge
    return rot.from_matrix(np.stack([lateral, up, rot.cross(lateral, up)], axis=-1))


def arm_rotation(bone: np.ndarray, hinge: np.ndarray, sign: float) -> np.ndarray:
    """(F, 4) of a bone that points to its side in the T; the elbow folds forward there."""
    outward, up = sign * bone, sign * hinge
    return rot.from_matrix(np.stack([outward, up, rot.cross(outward, up)], axis=-1))
