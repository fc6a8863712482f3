"""Sums of skewed minimum-jerk movements over the frames of a take."""

import math

from randori.kernels.compile import kernel
from randori.kernels.easing import smoother_step


@kernel
def accumulate(channels, amounts, starts, stops, skews, values):
    """Add movements to values (C, F); starts and stops count in frames and need not be whole.

    A movement touches only its own frames: what it leaves behind is kept as one step per channel and
    summed up at the end, so thousands of movements cost what their own frames cost.
    """
    frames = values.shape[1]
    for m in range(channels.shape[0]):
        row = values[channels[m]]
        start, stop = starts[m], stops[m]
        length = stop - start
        bend = skews[m] / (1.0 - skews[m])
        first = max(0, math.floor(start) + 1)
        last = min(frames, math.ceil(stop))  # the first frame that sees all of it
        previous = 0.0
        for f in range(first, last):
            phase = (f - start) / length
            bent = phase / (phase + (1.0 - phase) * bend)
            eased = smoother_step(bent)
            row[f] += amounts[m] * (eased - previous)
            previous = eased
        last = max(last, first)
        if last < frames:
            row[last] += amounts[m] * (1.0 - previous)
    for c in range(values.shape[0]):
        total = 0.0
        for f in range(frames):
            total += values[c, f]
            values[c, f] = total
