"""Haste of joints in the world, measured in the same way on recordings, performances and takes."""

import numpy as np

# Seconds between the three places that an acceleration is made of. Captures have 30 to 120 frames a second:
# less would measure the noise of their markers, more would hide a jump from one frame to the next.
SPAN = 1.0 / 60.0
# m/s² of a joint outside impacts, measured over SPAN. In the captures, people who get up reach 131, and
# people who run, turn, duck, crawl and jump 293; only limbs that strike (507) and flipping hips are above it.
HARDEST = 300.0
SPEED_SPAN = 1.0 / 30.0  # seconds over which a speed is measured


def joint_accelerations(places: np.ndarray, fps: float) -> np.ndarray:
    """(F, J) m/s², second differences of places (F, J, 3) in metres, `SPAN` or at least a frame apart.

    The first and the last frames, which have no neighbours so far away, are 0.
    """
    step = max(round(SPAN * fps), 1)
    found = np.zeros(places.shape[:2])
    if len(places) > 2 * step:
        change = places[2 * step :] - 2.0 * places[step:-step] + places[: -2 * step]
        found[step:-step] = np.linalg.norm(change, axis=-1) * (fps / step) ** 2
    return found


def speeds(places: np.ndarray, fps: float) -> np.ndarray:
    """(F,) m/s of one point (F, 3) in metres, over `SPEED_SPAN` or at least a frame; the last are 0."""
    step = max(round(SPEED_SPAN * fps), 1)
    found = np.zeros(len(places))
    if len(places) > step:
        found[:-step] = np.linalg.norm(places[step:] - places[:-step], axis=-1) * fps / step
    return found
