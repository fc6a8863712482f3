"""Smooth steps over arrays; kernels/easing.py has them for single numbers."""

import numpy as np
from numpy.typing import ArrayLike


def smooth_step(x: ArrayLike) -> np.ndarray:
    """0 up to x = 0, 1 from x = 1 on, at rest at both ends: a cubic."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def smoother_step(x: ArrayLike) -> np.ndarray:
    """0 up to x = 0, 1 from x = 1 on, at rest and without acceleration at both ends.

    Powers of arrays are rounded otherwise than products: this differs from the kernel in the last digit.
    """
    x = np.clip(x, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def smooth_cover(values: np.ndarray, reach: int) -> np.ndarray:
    """(F,) smooth values that are nowhere below the given ones, spread over `reach` frames to either side."""
    window = np.hanning(2 * reach + 3)[1:-1]
    padded = np.pad(values, 2 * reach, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, len(window)).max(axis=-1)
    return np.convolve(highest, window / window.sum(), mode="valid")
