"""Gaits as rows of numbers over one step, read from `scripts/gaits.toml`, and mixed by speed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from randori.errors import FileError

COLUMNS = 8  # moments of a step; the ninth is the first of the next step

# rows in centimetres or degrees, and what they are worth when a gait does not write them
_LENGTHS = ("swing_lift", "pelvis_height", "pelvis_forward", "pelvis_side")
_ANGLES = (
    *("stance_heel", "swing_heel"),
    *("pelvis_yaw", "pelvis_roll", "pelvis_pitch", "chest_yaw", "chest_roll", "chest_pitch"),
    *("head_pitch", "near_arm", "far_arm", "arm_out", "near_elbow", "far_elbow"),
)
_SHARES = ("swing_way",)  # percent
_SCALES = {
    **dict.fromkeys(_LENGTHS, 0.01),
    **dict.fromkeys(_ANGLES, np.radians(1.0)),
    **dict.fromkeys(_SHARES, 0.01),
}
_NUMBERS = {
    "speed": 1.0,
    "step": 1.0,
    "swing": 1.0,
    "landing": 1.0,
    "width": 0.01,
    "ahead": 0.01,
    "swing_bow": 0.01,
}
_NUMBERS["toe_out"] = float(np.radians(1.0))

# rows of the body that count to the near side: the next step begins with the other sign
MIRRORED = ("pelvis_side", "pelvis_yaw", "pelvis_roll", "chest_yaw", "chest_roll")


@dataclass(frozen=True)
class Gait:
    """One way to go, for the average body, in metres, radians and seconds."""

    name: str
    family: str
    speed: float  # metres per second at which the rows were written, minus: backwards
    step: float  # seconds from strike to strike
    swing: float  # seconds that a foot is off the floor; longer than a step in a run
    landing: float  # seconds before it is quite down that a foot already seems to stand
    width: float  # metres from the middle to the ball of a foot
    ahead: float  # metres that the ball stands before the hips as they pass over it
    toe_out: float  # radians
    swing_bow: float  # metres that the swinging foot goes round the standing one
    rows: Mapping[str, np.ndarray]  # (8,) each

    def over_step(self, row: str) -> np.ndarray:
        """(9,) a row of the body with the first moment of the next step."""
        values = self.rows[row]
        if row.startswith("near_"):
            after = self.rows[row.replace("near_", "far_")][0]
        elif row.startswith("far_"):
            after = self.rows[row.replace("far_", "near_")][0]
        else:
            after = -values[0] if row in MIRRORED else values[0]
        return np.append(values, after)

    def stance_heel(self) -> np.ndarray:
        """(9,) the carrying foot's heel from strike to lift."""
        return np.append(self.rows["stance_heel"], self.rows["swing_heel"][0])

    def swing_heel(self) -> np.ndarray:
        """(9,) the swinging foot's heel from lift to strike."""
        return np.append(self.rows["swing_heel"], self.rows["stance_heel"][0])

    def mixed(self, other: "Gait", share: float) -> "Gait":
        """This gait with a share of another."""
        rows = {name: row + share * (other.rows[name] - row) for name, row in self.rows.items()}
        numbers = {
            name: (1.0 - share) * getattr(self, name) + share * getattr(other, name) for name in _NUMBERS
        }
        return replace(self, rows=rows, **numbers)

    def changed(self, **shifts: float) -> "Gait":
        """This gait with whole rows or numbers shifted (metres, radians, seconds)."""
        rows = {name: row + shifts.get(name, 0.0) for name, row in self.rows.items()}
        numbers = {name: getattr(self, name) + shifts[name] for name in _NUMBERS if name in shifts}
        return replace(self, rows=rows, **numbers)

    def scaled(self, **factors: float) -> "Gait":
        """This gait with whole rows or numbers multiplied."""
        rows = {name: row * factors.get(name, 1.0) for name, row in self.rows.items()}
        numbers = {name: getattr(self, name) * factors[name] for name in _NUMBERS if name in factors}
        return replace(self, rows=rows, **numbers)

    def hastened(self, power: float) -> "Gait":
        """This gait with a foot that swings late (above 1) or early."""
        columns = np.linspace(0.0, 1.0, COLUMNS + 1)
        # not its lift: a foot that is torn off the floor bends its toes too fast
        ends = {"swing_way": 1.0, "swing_heel": self.rows["stance_heel"][0]}
        rows = {
            name: np.interp(columns[:-1] ** power, columns, np.append(self.rows[name], end))
            for name, end in ends.items()
        }
        return replace(self, rows={**self.rows, **rows})


def read_gaits(text: str, path: str = "gaits") -> dict[str, Gait]:
    """All gaits of a script file."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise FileError(path, str(problem)) from None
    gaits = {}
    for name, table in tables.items():
        known = {*_NUMBERS, *_SCALES, "family", "notes"}
        if unknown := set(table) - known:
            raise FileError(
                path, f"[{name}] {', '.join(sorted(unknown))}: not known; a gait has {', '.join(known)}"
            )
        if missing := {*_NUMBERS, "family"} - set(table):
            raise FileError(path, f"[{name}] {', '.join(sorted(missing))}: missing")
        rows = {}
        for row, scale in _SCALES.items():
            values = np.array(table.get(row, [0.0] * COLUMNS), dtype=float)
            if values.shape != (COLUMNS,):
                raise FileError(path, f"[{name}] {row} has {COLUMNS} columns, and not {values.size}")
            rows[row] = values * scale
        numbers = {key: float(table[key]) * scale for key, scale in _NUMBERS.items()}
        gaits[name] = Gait(name, str(table["family"]), rows=rows, **numbers)
    return gaits


@cache
def gaits() -> Mapping[str, Gait]:
    """The gaits that ship."""
    text = (files("randori.performer") / "scripts" / "gaits.toml").read_text(encoding="utf-8")
    return read_gaits(text, "gaits.toml")


@cache
def gait_at(family: str, speed: float) -> Gait:
    """A family's gait at a speed (m/s, minus: backwards), mixed from the two next to it.

    Beyond the slowest and the fastest the nearest one is taken, with its step time stretched a little:
    people change speed by the length of their steps more than by their number.
    """
    known = sorted(
        (gait for gait in gaits().values() if gait.family == family), key=lambda gait: abs(gait.speed)
    )
    if not known:
        raise ValueError(f"there is no family of gaits called {family!r}")
    pace = abs(speed)
    speeds = [abs(gait.speed) for gait in known]
    if pace <= speeds[0] or pace >= speeds[-1]:
        nearest = known[0] if pace <= speeds[0] else known[-1]
        ratio = max(pace, 0.3) / max(abs(nearest.speed), 0.3)
        return nearest.scaled(step=ratio**-0.3, swing=ratio**-0.2)
    above = next(number for number, value in enumerate(speeds) if value > pace)
    share = (pace - speeds[above - 1]) / (speeds[above] - speeds[above - 1])
    return known[above - 1].mixed(known[above], share)
