"""Changes of fighters between decisions: alertness, breath, variety and hurt.

The tree knows none of it. It sees what follows: reaction times, and what an attack counts at the root.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from randori.duel.styles import Style

# Alertness: a hit adds the first value to the struck fighter's and takes the second from the striker's; an
# attack that a fighter has escaped takes the third. They balance where 53 % land; guards that are up anyway
# leave 40 %.
_ALERTNESS_OF_STRUCK, _ALERTNESS_OF_STRIKER, _ALERTNESS_OF_ESCAPE = 1.2, 0.3, 1.0
# Share of the reaction time by which each unit of alertness changes it. People respond to a blow that they
# expect in half the time, no sooner, and the careless take as much longer.
_REACTION_SHARE = 0.2
_LEAST_ALERT, _MOST_ALERT = -2.5, 2.5
# seconds in which most of an attack's effort is gone: pauses of boxers last 1.5 to 3.8 s
_BREATH_SECONDS = 2.5
# Recent attacks that cost no breath: boxers throw bursts of one to four, usually two.
_FREE_EFFORT = 0.5
# Effort of a blow that lands: the striker gets out before the answer comes, …
_EFFORT_OF_HIT = 0.5
_EFFORT_FORGOTTEN = 0.5  # … and the struck fighter, which wants to answer, forgets this share of its own.
_FREE_STANDS = 3  # selections in a row for which a fighter may stand: then it gets bored, more with each one
_STALENESS_KEPT = 0.9  # of what a use of a technique counts is left with every further attack
# Damage per second that fighters recover from: the hits of a round are forgotten after its break.
_RECOVERY_RATE = 0.5
_HURT_AFTER_FALL = 0.3  # share of the stamina that a fighter still lacks when it gets up again


@dataclass(frozen=True)
class Condition:
    """The condition of each of N fighters so far. The arrays change; `techniques` does not."""

    techniques: np.ndarray  # (A,) int64, the technique of each attack, -1 for other actions
    stands: np.ndarray  # (A,) bool: the actions in which a fighter only stands
    alertness: np.ndarray  # (N,) from careless to alert; 0 at the beginning
    effort: np.ndarray  # (N,) recent attacks, each counting less as time goes on
    staleness: np.ndarray  # (N, T) recent uses of each technique
    standing: np.ndarray  # (N,) selections in a row of standing

    @classmethod
    def of(cls, count: int, techniques: np.ndarray, stands: np.ndarray) -> "Condition":
        """The condition of fighters that have not fought yet."""
        known = int(techniques.max(initial=-1)) + 1
        nothing = np.zeros(count)
        return cls(
            techniques, stands, nothing, nothing.copy(), np.zeros((count, known)), np.zeros(count, dtype=int)
        )

    def copied(self) -> "Condition":
        """The same, to go on differently."""
        changing = ("alertness", "effort", "staleness", "standing")
        return replace(self, **{name: getattr(self, name).copy() for name in changing})

    def hit(self, striker: int, struck: int) -> None:
        """A blow has landed: one fighter expects the next, the other feels safe."""
        self._rouse(struck, _ALERTNESS_OF_STRUCK)
        self._rouse(striker, -_ALERTNESS_OF_STRIKER)
        self.effort[striker] += _EFFORT_OF_HIT
        self.effort[struck] *= 1.0 - _EFFORT_FORGOTTEN

    def escape(self, who: int) -> None:
        """An attack on a fighter has failed."""
        self._rouse(who, -_ALERTNESS_OF_ESCAPE)

    def _rouse(self, who: int, by: float) -> None:
        self.alertness[who] = np.clip(self.alertness[who] + by, _LEAST_ALERT, _MOST_ALERT)

    def select(self, who: int, action: int) -> None:
        """A fighter selects an action."""
        self.standing[who] = self.standing[who] + 1 if self.stands[action] else 0

    def attack(self, who: int, action: int) -> None:
        """A fighter launches an attack."""
        self.effort[who] += 1.0
        self.staleness[who] *= _STALENESS_KEPT
        self.staleness[who, self.techniques[action]] += 1.0

    def rest(self, seconds: float) -> None:
        """Time goes on."""
        self.effort[:] *= exp(-seconds / _BREATH_SECONDS)

    def reaction(self, ticks: np.ndarray) -> np.ndarray:
        """(N,) int64, ticks for which each fighter does not see an attack; usually it is `ticks` (N,)."""
        return np.rint(ticks * (1.0 - _REACTION_SHARE * self.alertness)).astype(np.int64)

    def urges(self, styles: Sequence[Style]) -> np.ndarray:
        """(N, A) what each action counts for its fighter's next selection."""
        breath = np.array([style.breath_weight for style in styles])
        variety = np.array([style.variety_weight for style in styles])
        urges = np.zeros((len(styles), len(self.techniques)))
        attacks = np.flatnonzero(self.techniques >= 0)
        urges[:, attacks] -= (breath * np.maximum(self.effort - _FREE_EFFORT, 0.0) ** 2)[:, None]
        # with its fair share of uses a technique costs nothing: fighters that know few of them
        # would otherwise hardly attack at all
        share = self.staleness.sum(axis=1, keepdims=True) / max(self.staleness.shape[1], 1)
        worn = np.maximum(self.staleness - share, 0.0)
        urges[:, attacks] -= variety[:, None] * worn[:, self.techniques[attacks]]
        bored = variety * np.maximum(self.standing - _FREE_STANDS, 0)
        urges[:, self.stands] -= bored[:, None]
        return urges


def recovered(hurt: np.ndarray, floored: np.ndarray, stamina: float, seconds: float) -> np.ndarray:
    """(N,) damage that is left after some time; a fighter that is `floored` (N,) recovers while it lies."""
    left = np.where(floored, np.minimum(hurt, _HURT_AFTER_FALL * stamina), hurt)
    return np.maximum(left - _RECOVERY_RATE * seconds, 0.0)
