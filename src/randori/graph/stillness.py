"""The length of the times in which both feet stand still."""

import numpy as np

from randori.graph.library import ActionLibrary

SLOW = 0.05  # metres per second: a foot that is slower does not move, to the eye
_SMOOTHING = 0.1  # seconds over which a speed is measured


def seconds_still(library: ActionLibrary) -> np.ndarray:
    """(A,) seconds of each action in which neither an ankle nor a toe moves."""
    parts = [f"{side}_{part}" for side in ("left", "right") for part in ("foot", "toes")]
    joints = [library.skeleton.joint(part) for part in parts if part in library.skeleton.parts]
    places = library.positions[:, joints]
    reach = max(1, round(0.5 * _SMOOTHING * library.fps))
    frames = np.arange(len(places))
    starts = np.array([clip.start for clip in library.clips])[library.frames.clip]
    stops = np.array([clip.stop for clip in library.clips])[library.frames.clip]
    before, after = np.maximum(frames - reach, starts), np.minimum(frames + reach, stops - 1)
    seconds = np.maximum(after - before, 1) / library.fps
    speeds = np.linalg.norm(places[after] - places[before], axis=-1) / seconds[:, None]
    still = np.concatenate([[0], np.cumsum((speeds < SLOW).all(axis=1))])
    return (still[library.actions.stop] - still[library.actions.start]) / library.fps
