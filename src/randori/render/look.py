"""The light and the colours of the place where figures are shown."""

from dataclasses import dataclass

import numpy as np


def linear(colour: tuple[float, float, float] | np.ndarray) -> np.ndarray:
    """Light from sRGB values of 0 to 1. A square is near enough, and its root is cheap."""
    return np.square(np.asarray(colour, dtype=float))


@dataclass(frozen=True)
class Look:
    """A bright, quiet studio: one soft key light, sky from above, light back from the floor."""

    key_azimuth: float = np.radians(-42.0)  # radians, from the camera's side; negative is from the left
    key_elevation: float = np.radians(52.0)  # radians above the floor
    softness: float = 0.16  # width of a shadow's edge, metres per metre to what throws it
    key: tuple[float, float, float] = (0.80, 0.77, 0.72)  # strength of each light, linear
    sky: tuple[float, float, float] = (0.42, 0.45, 0.50)
    bounce: tuple[float, float, float] = (0.24, 0.22, 0.20)
    rim: tuple[float, float, float] = (0.22, 0.23, 0.25)
    shine: float = 0.12  # of the key light, mirrored
    floor: tuple[float, float, float] = (0.86, 0.86, 0.855)  # sRGB
    floor_shadow: tuple[float, float, float] = (0.40, 0.43, 0.49)  # of the floor's light left in full shadow
    horizon: tuple[float, float, float] = (0.875, 0.885, 0.90)
    zenith: tuple[float, float, float] = (0.66, 0.72, 0.80)
    checker: float = 0.07  # how far the squares of the floor differ from their mean
    dimming: float = 0.2  # how much darker the floor is far away from the middle


STUDIO = Look()
