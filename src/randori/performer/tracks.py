"""Channels over time: a base plus a sum of skewed minimum-jerk submovements.

Every technique is a handful of submovements that add up to nothing but its travel. So techniques may
overlap or be cut short by the next one, and the sum stays smooth without anything being blended.
"""

from dataclasses import dataclass, field

import numpy as np

from randori.kernels import submovements
from randori.performer.channels import CHANNELS, INDEX

# metres, radians, shares: what a body sways by without meaning to (see liveliness.py) hides less than that
_UNSEEN_AMOUNTS = {"m": 0.01, "rad": 0.035, "1": 0.02}
_EASING_TIMES = np.linspace(0.0, 1.0, 201)
_EASING_SHARES = _EASING_TIMES**3 * (10.0 - 15.0 * _EASING_TIMES + 6.0 * _EASING_TIMES**2)


def ease(phase: np.ndarray, skew: float = 0.5) -> np.ndarray:
    """From 0 to 1 with the least jerk; half the way is done when the phase is `skew`."""
    phase = np.clip(phase, 0.0, 1.0)
    bent = phase / (phase + (1.0 - phase) * skew / (1.0 - skew))
    return bent**3 * (10.0 - 15.0 * bent + 6.0 * bent**2)


@dataclass
class Tracks:
    """The motion of every channel in a performance. Grows while the performance is planned."""

    base: np.ndarray = field(default_factory=lambda: np.array([channel.base for channel in CHANNELS]))  # (C,)
    _channels: list[int] = field(default_factory=list)
    _amounts: list[float] = field(default_factory=list)
    _windows: list[tuple[float, float, float]] = field(default_factory=list)
    _totals: np.ndarray = field(default_factory=lambda: np.zeros(len(CHANNELS)))
    # (C,) what layers beside the tracks (a walk that is over) have brought the channels to
    carried: np.ndarray = field(default_factory=lambda: np.zeros(len(CHANNELS)))

    def add(self, channel: str, amount: float, start: float, stop: float, skew: float = 0.5) -> None:
        """The channel changes by an amount between two times (seconds)."""
        number = INDEX[channel]
        self._channels.append(number)
        self._amounts.append(amount)
        self._windows.append((start, stop, skew))
        self._totals[number] += amount

    def move_to(self, channel: str, value: float, start: float, stop: float, skew: float = 0.5) -> None:
        """The channel goes from where all planned movements leave it to a value."""
        self.add(channel, value - self.final(channel), start, stop, skew)

    def set_base(self, **values: float) -> None:
        """Set the values of channels before anything moves."""
        for channel, value in values.items():
            self.base[INDEX[channel]] = value

    def copy(self) -> "Tracks":
        """The same plan, to be continued in another way."""
        return Tracks(
            self.base.copy(),
            self._channels.copy(),
            self._amounts.copy(),
            self._windows.copy(),
            self._totals.copy(),
            self.carried.copy(),
        )

    def final(self, channel: str) -> float:
        """The value of the channel once everything planned so far is done."""
        number = INDEX[channel]
        return float(self.base[number] + self._totals[number] + self.carried[number])

    def __len__(self) -> int:
        return len(self._channels)

    def quiet(self, first: int) -> float:
        """Seconds: when no movement from the `first` one on has more left to go than sway hides."""
        quiet = 0.0
        for channel, amount, (start, stop, skew) in zip(
            self._channels[first:], self._amounts[first:], self._windows[first:]
        ):
            unseen = _UNSEEN_AMOUNTS[CHANNELS[channel].unit]
            if CHANNELS[channel].name == "bounce" or abs(amount) <= unseen:
                continue
            bent = float(np.interp(1.0 - unseen / abs(amount), _EASING_SHARES, _EASING_TIMES))
            phase = bent * skew / (bent * skew + (1.0 - bent) * (1.0 - skew))
            quiet = max(quiet, start + phase * (stop - start))
        return quiet

    def evaluate(self, frames: int, fps: float, start: float = 0.0) -> np.ndarray:
        """(F, C) metres and radians, the value of every channel in every frame from a time on."""
        values = np.zeros((len(CHANNELS), frames))
        windows = np.array(self._windows, dtype=float).reshape(-1, 3)
        submovements.accumulate(
            np.array(self._channels, dtype=np.int64),
            np.array(self._amounts, dtype=float),
            (windows[:, 0] - start) * fps,
            (windows[:, 1] - start) * fps,
            windows[:, 2].copy(),
            values,
        )
        return values.T + self.base
