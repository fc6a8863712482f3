"""Frames a second, as files have them."""

import numpy as np

# Frame rates that cameras, games and capture systems use.
_WHOLE_RATES = (
    12,
    15,
    24,
    25,
    30,
    48,
    50,
    60,
    72,
    75,
    90,
    100,
    120,
    125,
    144,
    150,
    180,
    200,
    240,
    250,
    300,
    480,
    500,
)
_BROADCAST_RATES = (24000 / 1001, 30000 / 1001, 60000 / 1001, 120000 / 1001)
_USUAL_RATES = np.array(_WHOLE_RATES + _BROADCAST_RATES)
_RATE_TOLERANCE = 0.0015  # files write few digits: 0.0333 seconds are 0.1 % away from 30 frames a second

FASTEST, SLOWEST = 5_000.0, 1.0  # beyond these it is not a recording of a person


def usual_rate(frame_time: float) -> float | None:
    """Frames a second for a frame time in seconds, or None where it makes no sense.

    The nearest usual rate where one is near, because files round the frame time.
    """
    if not 1.0 / FASTEST <= frame_time <= 1.0 / SLOWEST:
        return None
    rate = 1.0 / frame_time
    nearest = float(_USUAL_RATES[np.argmin(np.abs(_USUAL_RATES - rate))])
    if abs(rate - nearest) <= _RATE_TOLERANCE * nearest:
        return nearest
    return float(round(rate)) if abs(rate - round(rate)) < 1e-6 * rate else rate
