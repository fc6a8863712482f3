"""A motion file as it was written, and what a person says about it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from randori.errors import RandoriError
from randori.motion.skeleton import Skeleton

MOST_JOINTS = 1_000  # a body with all its fingers has eighty
LARGEST_VALUE = 1e9  # no place in any unit and no angle of a body

GENERATOR = "Randori"  # what glTF files of Randori name as their generator
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "dm": 0.1, "in": 0.0254, "cmu": 0.0254 / 0.45}  # metres


@dataclass(frozen=True, eq=False)
class Recording:
    """Motion in the file's own unit and with its own up axis, all of its frames."""

    file: str  # the name alone, without its folder
    skeleton: Skeleton  # offsets and tips in units of the file; no body parts yet
    fps: float
    root_position: np.ndarray  # (F, 3) units of the file
    rotations: np.ndarray  # (F, J, 4)
    stray: np.ndarray  # (J,) units of the file: how far a joint moves away from its mean place on its parent
    notes: tuple[str, ...] = ()
    unit_hint: float | None = None  # metres per unit, if the file says something about it
    up_hint: str | None = None  # "Y" or "Z", if the file says so
    floor_known: bool = False  # Randori wrote the file, so its floor is at zero already
    name: str = ""  # of the motion, in a file that holds several
    parts: Mapping[str, str] = field(default_factory=dict)  # body part → joint, if the file says so


@dataclass(frozen=True)
class ReadingOptions:
    """Properties of a file that the user gives. Randori detects those that are None."""

    unit: float | str | None = None  # metres per unit, or one of UNITS
    up: str | None = None  # "Y" or "Z", in either case
    fps: float | None = None
    drop_tpose: bool | None = None  # whether to drop the first frame
    parts: Mapping[str, str] | None = None  # body part → the name of its joint

    def __post_init__(self) -> None:
        if isinstance(self.unit, str) and self.unit not in UNITS:
            raise RandoriError(
                f"there is no unit {self.unit!r}; the units are {', '.join(UNITS)}, or metres per unit"
            )
        for value, what in ((self.metres_per_unit, "unit"), (self.fps, "fps")):
            if value is not None and not (math.isfinite(value) and value > 0.0):
                raise RandoriError(f"{what} must be a number above 0, not {value!r}")
        if self.up is not None and self.up_axis not in ("Y", "Z"):
            raise RandoriError(f"up must be 'Y' or 'Z', not {self.up!r}")

    @property
    def up_axis(self) -> str | None:
        return self.up.upper() if self.up else None

    @property
    def metres_per_unit(self) -> float | None:
        return UNITS[self.unit] if isinstance(self.unit, str) else self.unit
