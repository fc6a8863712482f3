"""What an export can be held to (spec 8.1), and the gate that holds it to that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from randori.errors import RandoriError

if TYPE_CHECKING:
    from randori.timeline.quality import Quality


@dataclass(frozen=True)
class Limit:
    """A figure of the report, in the unit that people say it in, and its bound."""

    figure: str  # field of Quality
    scale: float  # from the field's unit to this one
    unit: str
    bound: float
    at_least: bool  # else at most
    words: str

    def value(self, quality: "Quality") -> float:
        return self.scale * float(getattr(quality, self.figure))

    def is_kept(self, quality: "Quality", bound: float | None = None) -> bool:
        """Whether a take stays within a bound, or within the usual one."""
        limit = self.bound if bound is None else bound
        value = self.value(quality)
        return value >= limit if self.at_least else value <= limit

    def in_words(self, quality: "Quality", bound: float | None = None) -> str:
        """What was found, and what is asked for."""
        limit = self.bound if bound is None else bound
        most = "at least" if self.at_least else "at most"
        return f"{self.words}: {self.value(quality):.2f} {self.unit}, {most} {limit:g} {self.unit} asked for"


LIMITS = {
    "feet": Limit("unnoticed", 100.0, "%", 95.0, True, "planted phases that slide less than 21 mm too much"),
    "joins": Limit("smooth_joins", 100.0, "%", 100.0, True, "joins as smooth as the source"),
    "bodies": Limit("penetration_deepest", 100.0, "cm", 3.0, False, "bodies inside each other"),
    "obstacles": Limit("obstacle_deepest", 100.0, "cm", 3.0, False, "bodies inside cars and walls"),
    "strikes": Limit("strike_error_worst", 1e3, "mm", 20.0, False, "strikes off the surface that they hit"),
    "floor": Limit("lowest_point", -100.0, "cm", 1.0, False, "below the floor"),
}


def read_limits(words: Sequence[str]) -> dict[str, float]:
    """The limits that somebody asks for: `all`, a name, or a name and a bound as in `bodies=5`."""
    asked: dict[str, float] = {}
    for word in (one.strip() for several in words for one in several.split(",")):
        name, equals, text = word.partition("=")
        if name == "all" and not equals:
            asked |= {key: limit.bound for key, limit in LIMITS.items() if key not in asked}
            continue
        if name not in LIMITS:
            raise RandoriError(f"--require {word}: known are all, {', '.join(LIMITS)}")
        try:
            asked[name] = float(text) if equals else LIMITS[name].bound
        except ValueError:
            unit = LIMITS[name].unit
            raise RandoriError(f"--require {word}: expected a number of {unit} after the =") from None
        if not isfinite(asked[name]):
            raise RandoriError(f"--require {word}: expected a finite number")
    return asked


def require(quality: "Quality", asked: Mapping[str, float]) -> None:
    """An error that names every limit which a take misses, with the figure."""
    missed = [
        LIMITS[name].in_words(quality, bound)
        for name, bound in asked.items()
        if not LIMITS[name].is_kept(quality, bound)
    ]
    if missed:
        raise RandoriError("--require: nothing was written, because of " + "; ".join(missed))
