"""Values over frames, eased and spread."""

import numpy as np

_SMOOTHING = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0  # over neighbouring frames: flesh is no hard edge


def smooth(values: np.ndarray) -> np.ndarray:
    """The values, each frame mixed with its neighbours."""
    return filtered(values, _SMOOTHING)


def filtered(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """The values, each frame mixed with those around it."""
    half = len(kernel) // 2
    padded = np.concatenate([values[:1]] * half + [values] + [values[-1:]] * half)
    result = np.zeros_like(values)
    for k, weight in enumerate(kernel):
        result += weight * padded[k : k + len(values)]
    return result


def bell(width: float) -> np.ndarray:
    """(N,) weights of a bell so many frames wide."""
    reach = int(np.ceil(3.0 * width))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    return weights / weights.sum()
