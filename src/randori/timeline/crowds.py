"""Liveliness of a crowd: early repeats, the waits of its hero, times on the floor, commands obeyed.

The composer of a group measures it (patches/liveliness.py); these are its figures for the report.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from randori.timeline.limits import LIMITS


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Figures of a composed crowd: seconds, and shares from 0 to 1. All are zero for any other take."""

    crowd_people: int = 0
    crowd_repeats: int = 0  # times that a character plays the same pair of actions more than twice in 20 s
    heroes: int = 0  # main characters of a fight
    hero_idle: float = 0.0  # share of their time on their feet in which none is in a patch or attacks
    hero_peace: float = 0.0  # longest time on their feet without an attack by one of them
    risers: int = 0  # people who get up again where they fall
    longest_lying: float = 0.0  # of one of those
    commands: int = 0
    commands_late: float = 0.0  # share that is not begun within 1 s
    commands_unanswered: int = 0  # not begun within 2 s

    def crowd_sentences(self) -> Iterator[tuple[bool, str]]:
        """A sentence per figure, and whether it keeps its limit."""
        if not self.crowd_people:
            return
        yield (
            LIMITS["repeats"].is_kept(self),
            f"repeats: {self.crowd_repeats} times the same pair of actions more than twice in 20 s, "
            f"among {self.crowd_people} people",
        )
        if self.heroes:
            yield (
                LIMITS["hero"].is_kept(self) and LIMITS["peace"].is_kept(self),
                f"hero: idle {100 * self.hero_idle:.0f} % of the time, "
                f"{self.hero_peace:.1f} s without an attack at most",
            )
        if self.risers:
            yield LIMITS["lying"].is_kept(self), f"lying: {self.longest_lying:.1f} s on the floor at most"
        if self.commands:
            yield (
                LIMITS["late"].is_kept(self) and LIMITS["unheard"].is_kept(self),
                f"commands: {100 * self.commands_late:.0f} % of {self.commands} begin later than after 1 s, "
                f"{self.commands_unanswered} later than after 2 s",
            )
