"""The limits of a take, and the gate that checks them before an export (docs/quality.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees, isfinite
from typing import TYPE_CHECKING

from randori.errors import RandoriError
from randori.motion.haste import HARDEST

if TYPE_CHECKING:
    from randori.timeline.behaviour import Behaviour
    from randori.timeline.crowds import Crowd


@dataclass(frozen=True)
class Limit:
    """A figure of the report, in the unit that people say it in, and its bound."""

    figure: str  # field of Quality
    scale: float  # from the field's unit to this one
    unit: str
    bound: float
    at_least: bool  # else at most
    words: str
    needs: str = ""  # field of Quality that counts what is judged
    fewest: int = 1  # of those: a take that has fewer is not judged
    own_bound: str = ""  # field of Quality, where the bound depends on the take; `bound` is the usual one

    def value(self, quality: "Behaviour | Crowd") -> float:
        return self.scale * float(getattr(quality, self.figure))

    def bound_of(self, quality: "Behaviour | Crowd") -> float:
        """The bound that a take is held to by default."""
        return float(getattr(quality, self.own_bound)) if self.own_bound else self.bound

    def is_kept(self, quality: "Behaviour | Crowd", bound: float | None = None) -> bool:
        """Whether a take stays within a bound, or within the usual one."""
        if self.needs and getattr(quality, self.needs) < self.fewest:
            return True
        limit = self.bound_of(quality) if bound is None else bound
        value = self.value(quality)
        return value >= limit if self.at_least else value <= limit

    def in_words(self, quality: "Behaviour | Crowd", bound: float | None = None) -> str:
        """The measured value, and the limit."""
        limit = self.bound_of(quality) if bound is None else bound
        most = "at least" if self.at_least else "at most"
        found, asked = (
            f"{number} {self.unit}".strip() for number in (f"{self.value(quality):.2f}", f"{limit:g}")
        )
        return f"{self.words}: {found}, {most} {asked} asked for"


# how well the motion is made
CRAFT = {
    "feet": Limit("unnoticed", 100.0, "%", 95.0, True, "planted phases that slide less than 21 mm too much"),
    "joins": Limit("smooth_joins", 100.0, "%", 100.0, True, "joins as smooth as the source"),
    "bodies": Limit("penetration_deepest", 100.0, "cm", 3.0, False, "bodies inside each other"),
    "obstacles": Limit("obstacle_deepest", 100.0, "cm", 3.0, False, "bodies inside cars and walls"),
    "strikes": Limit("strike_error_worst", 1e3, "mm", 20.0, False, "strikes off the surface that they hit"),
    "floor": Limit("lowest_point", -100.0, "cm", 1.0, False, "below the floor"),
    "trunks": Limit("trunk_angle", degrees(1.0), "°", 80.0, False, "lean of a trunk on its feet"),
    "heads": Limit("head_speed", 1.0, "m/s", 8.0, False, "speed of a head"),
    "joints": Limit("joint_acceleration", 1.0, "m/s²", HARDEST, False, "acceleration of a joint"),
}

# how well a single fight is fought
BEHAVIOUR = {
    "unseeing": Limit(
        "unseeing_hits", 100.0, "%", 3.0, False, "hits on a fighter that looks away", "hits_judged"
    ),
    "stunned": Limit(
        "stunned_hits", 100.0, "%", 25.0, False, "hits on a fighter in a forced reaction", "hits_judged", 4
    ),
    "unanswered": Limit(
        "idle_hits", 1.0, "", 5.0, False, "hits in a row without an attack in return", "hits_judged"
    ),
    "pushed": Limit(
        "against_blow",
        100.0,
        "%",
        5.0,
        False,
        "hits after which a body moves against the blow",
        "hits_judged",
    ),
    "defended": Limit(
        "answered", 100.0, "%", 20.0, True, "attacks answered by a chosen defence", "attacks_judged", 5
    ),
    "techniques": Limit(
        "techniques", 1.0, "", 6.0, True, "different techniques", "attacks_judged", 1, "techniques_expected"
    ),
    "pauses": Limit(
        "longest_pause", 1.0, "s", 4.0, False, "time without an attack", "fighters", 1, "pause_allowed"
    ),
    "looking": Limit(
        "looks_away", 100.0, "%", 10.0, False, "time that a fighter looks past its opponent", "fighters"
    ),
    "still": Limit("feet_still", 100.0, "%", 15.0, False, "time that both feet rest", "fighters"),
    "rise": Limit("fastest_rise", 1.0, "m/s", 1.2, False, "rise of a pelvis", "fighters"),
    "idle": Limit(
        "idle_victim", 100.0, "%", 20.0, False, "time that a fighter waits for its fall", "requested_falls"
    ),
}

# how alive a crowd is
CROWD = {
    "repeats": Limit(
        "crowd_repeats", 1.0, "", 0.0, False, "pairs of actions more than twice in 20 s", "crowd_people"
    ),
    "hero": Limit("hero_idle", 100.0, "%", 25.0, False, "time that a hero does nothing", "heroes"),
    "peace": Limit("hero_peace", 1.0, "s", 6.0, False, "time without an attack by a hero", "heroes"),
    "lying": Limit("longest_lying", 1.0, "s", 12.0, False, "time on the floor", "risers"),
    "late": Limit("commands_late", 100.0, "%", 5.0, False, "commands begun after more than 1 s", "commands"),
    "unheard": Limit(
        "commands_unanswered", 1.0, "", 0.0, False, "commands begun after more than 2 s", "commands"
    ),
}

LIMITS = CRAFT | BEHAVIOUR | CROWD


def read_limits(words: Sequence[str]) -> dict[str, float | None]:
    """The limits that are asked for: `all`, a name, or a name and a bound as in `bodies=5`.

    A bound that is not given is None: the usual one.
    """
    asked: dict[str, float | None] = {}
    for word in (one.strip() for several in words for one in several.split(",")):
        name, equals, text = word.partition("=")
        if name == "all" and not equals:
            asked = dict.fromkeys(LIMITS) | asked
            continue
        if name not in LIMITS:
            raise RandoriError(f"--require {word}: known are all, {', '.join(LIMITS)}")
        try:
            bound = float(text) if equals else None
        except ValueError:
            unit = LIMITS[name].unit
            raise RandoriError(f"--require {word}: expected a number of {unit} after the =") from None
        if bound is not None and not isfinite(bound):
            raise RandoriError(f"--require {word}: expected a finite number")
        asked[name] = bound
    return asked


def require(quality: "Behaviour | Crowd", asked: Mapping[str, float | None]) -> None:
    """An error that names every limit which a take misses, with the figure."""
    missed = [
        LIMITS[name].in_words(quality, bound)
        for name, bound in asked.items()
        if not LIMITS[name].is_kept(quality, bound)
    ]
    if missed:
        raise RandoriError("--require: nothing was written, because of " + "; ".join(missed))
