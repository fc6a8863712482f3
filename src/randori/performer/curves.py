"""Smooth curves through keys, for channels that are drawn rather than summed up from movements."""

import numpy as np


def through_keys(times: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(F, …) a curve through values (N, …) at rising times (N,), evaluated at times (F,).

    Between two keys it never leaves their range (Fritsch–Carlson), so what is written is the extreme;
    before the first and after the last key it stays.
    """
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    shape = (-1,) + (1,) * (values.ndim - 1)
    step = np.diff(times).reshape(shape)
    slope = np.diff(values, axis=0) / step
    tangent = np.zeros_like(values)
    before, after = slope[:-1], slope[1:]
    same_way = before * after > 0.0
    w1, w2 = 2.0 * step[1:] + step[:-1], step[1:] + 2.0 * step[:-1]
    safe_before, safe_after = np.where(same_way, before, 1.0), np.where(same_way, after, 1.0)
    tangent[1:-1] = np.where(same_way, (w1 + w2) / (w1 / safe_before + w2 / safe_after), 0.0)
    at = np.clip(at, times[0], times[-1])
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    width = step[left]
    t = (at - times[left]).reshape(shape) / width
    return (
        values[left] * (1.0 + 2.0 * t) * (1.0 - t) ** 2
        + values[left + 1] * t**2 * (3.0 - 2.0 * t)
        + width * (tangent[left] * t * (1.0 - t) ** 2 - tangent[left + 1] * t**2 * (1.0 - t))
    )


def softened(values: np.ndarray, rate: float, spread: float) -> np.ndarray:
    """(F, …) values averaged over a bell of a spread (seconds); the ends are continued as they are."""
    reach = max(int(np.ceil(3.0 * spread * rate)), 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (spread * rate)) ** 2)
    bell /= bell.sum()
    flat = values.reshape(len(values), -1)
    padded = np.concatenate([np.repeat(flat[:1], reach, axis=0), flat, np.repeat(flat[-1:], reach, axis=0)])
    smooth = np.stack([np.convolve(column, bell, mode="valid") for column in padded.T], axis=-1)
    return smooth.reshape(values.shape)
