"""The light and the colours of the place where figures are shown."""

from dataclasses import dataclass

import numpy as np

Colour = tuple[float, float, float]


def linear(colour: Colour | np.ndarray) -> np.ndarray:
    """Light from sRGB values of 0 to 1. A square is near enough, and its root is cheap."""
    return np.square(np.asarray(colour, dtype=float))


@dataclass(frozen=True)
class Look:
    """A bright, quiet studio: a soft key light, a weak one opposite, the sky, and light back from the floor.

    Azimuths are radians from the camera's side, negative from the left; elevations are above the floor.
    """

    key_azimuth: float = np.radians(-42.0)
    key_elevation: float = np.radians(52.0)
    fill_azimuth: float = np.radians(60.0)
    fill_elevation: float = np.radians(15.0)
    softness: float = 0.16  # width of a shadow's edge, metres per metre to what throws it
    key: Colour = (0.92, 0.87, 0.79)  # strength of each light, linear
    fill: Colour = (0.13, 0.15, 0.19)
    sky: Colour = (0.37, 0.40, 0.45)
    bounce: Colour = (0.25, 0.23, 0.21)
    rim: Colour = (0.24, 0.25, 0.27)
    shine: float = 0.10  # of the key light, mirrored
    floor: Colour = (0.905, 0.90, 0.89)  # sRGB
    floor_shadow: Colour = (0.42, 0.45, 0.52)  # of the floor's light left in full shadow
    horizon: Colour = (0.85, 0.875, 0.91)  # sRGB
    zenith: Colour = (0.53, 0.63, 0.77)  # sRGB
    checker: float = 0.07  # how far the squares of the floor differ from their mean
    dimming: float = 0.32  # how much darker the floor is far away from the middle


STUDIO = Look()
