"""Liveliness of a composed scene: repeats, idle characters, long times on the floor, unused patches.

All of it is read from what a stage has played; composition knows nothing of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.patches.compose import NEARER, TURNED_BY, Wish
from randori.patches.novelty import kinds_of
from randori.patches.stage import Played, Stage
from randori.patches.striking import has_target, lies
from randori.timeline.timeline import Placed

WINDOW = 20.0  # seconds within which the same pair of actions may be played twice, not more


class Liveliness(NamedTuple):
    """Of a scene, from the first tick to the last that was asked for."""

    patches: frozenset[int]  # the patches that were played
    played: int  # patches, every time counted
    locks: int  # times that a character played the same pair of actions more than twice within WINDOW
    repeated: float  # share of the patches whose technique pair the character played within WINDOW before
    # share of the time on the feet in which no leader is in a patch, or attacks another character in reach
    idle: float
    longest_idle: float  # seconds of it at a stretch
    longest_peace: float  # seconds on the feet from one attack of a main character to the next
    longest_down: float  # seconds that a character was on the floor at a stretch
    most_down: int  # characters on the floor at the same time


def liveliness(stage: Stage, ticks: int, leads: Sequence[int] = (0,)) -> Liveliness:
    """Measure a stage until a tick; `leads` are the leaders: a hero, or both of a pair."""
    played = [one for one in stage.played if one.tick <= ticks]
    down = np.array([lies(stage, who, np.arange(ticks)) for who in range(len(stage))])
    repeats, again = _repeats(stage, played)
    lie = np.asarray(down[list(leads)].all(axis=0))
    idle, longest, peace = _idle(stage, played, leads, lie)
    return Liveliness(
        frozenset(one.number for one in played),
        len(played),
        repeats,
        again / max(len(played), 1),
        idle,
        longest / stage.fps,
        peace / stage.fps,
        max(_longest(row) for row in down) / stage.fps,
        int(down.sum(axis=0).max()),
    )


def _repeats(stage: Stage, played: Sequence[Played]) -> tuple[int, int]:
    """Third uses of a pair of actions by a character, and repeats of a pair of techniques, within WINDOW."""
    window = WINDOW * stage.fps
    actions, techniques = kinds_of(stage.prepared)
    since: dict[tuple[int, int, int], list[int]] = {}
    last: dict[tuple[int, int, int], int] = {}
    thirds = again = 0
    for one in sorted(played, key=lambda one: one.tick):
        third = returned = False
        for role, who in enumerate(one.who):
            if who < 0 or stage.actors[who].thing:
                continue
            ticks = since.setdefault((who, role, int(actions[one.number])), [])
            ticks.append(one.tick)
            third |= len(ticks) > 2 and ticks[-1] - ticks[-3] < window
            key = who, role, int(techniques[one.number])
            returned |= one.tick - last.get(key, -(10**9)) < window
            last[key] = one.tick
        thirds += third
        again += returned
    return thirds, again


def _longest(flags: np.ndarray) -> int:
    """The longest stretch of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _idle(
    stage: Stage, played: Sequence[Played], leads: Sequence[int], down: np.ndarray
) -> tuple[float, int, int]:
    """Of the time on the feet: the idle share, its longest stretch, and the longest without an attack."""
    ticks = len(down)
    busy, attacks = np.zeros(ticks, dtype=bool), np.zeros(ticks, dtype=bool)
    for one in played:
        for role, who in enumerate(one.who):
            if who in leads:
                part = stage.ways.parts[2 * one.number + role]
                begin = max(one.tick + int(part["begin"]), 0)
                busy[begin : max(begin + int(part["last"] - part["first"]), 0)] = True
    for lead in leads:
        # an attack without a target is no better than standing
        meant = busy | has_target(stage, lead, np.arange(ticks))
        for step in stage.actors[lead].steps:
            during = slice(max(step.start, 0), max(step.stop, 0))
            attacks[during] |= _throws(stage, step) and bool(meant[during].any())
    # time on the floor does not count, nor does it end a stretch
    on_feet = ~down
    idle = (~busy & ~attacks)[on_feet]
    return float(idle.mean()) if len(idle) else 0.0, _longest(idle), _longest(~attacks[on_feet])


def _throws(stage: Stage, step: Placed) -> bool:
    tags = stage.library.tags
    return 0 <= step.action < len(tags) and tags[step.action].kind == "attack"


# -- commands ------------------------------------------------------------------------------------------


def seconds_to_obey(stage: Stage, wish: Wish, since: int, ticks: int, does: np.ndarray) -> float:
    """Seconds from a command at a tick until the leader begins to obey; infinity if it never does.

    `does` (A,) bool are the actions that match the word. A character begins to move when it is nearer to the
    place or has turned towards it. It begins to turn when its look is less far off. One that is already there
    has obeyed.
    """
    if wish.word not in ("move", "turn"):
        starts = [step.start for step in stage.actors[0].steps if step.start >= since and does[step.action]]
        return (min(starts) - since) / stage.fps if starts and min(starts) <= ticks else float("inf")
    begun = _to_go(stage, wish, since)
    for tick in range(since, ticks + 1):
        away, askew = _to_go(stage, wish, tick)
        if away < begun[0] - NEARER or askew < begun[1] - TURNED_BY or askew <= TURNED_BY:
            return (tick - since) / stage.fps
    return float("inf")


def _to_go(stage: Stage, wish: Wish, tick: int) -> tuple[float, float]:
    """Metres and radians from the leader to the place and the direction of a command."""
    frame, place = stage.shown(0, tick)
    x, z = stage.spots(tick)[0]
    looks = float(stage.stock.facing[frame] + place[2])
    if wish.word == "turn":
        return 0.0, float(abs(rot.wrap_angle(looks - wish.facing)))
    dx, dz = wish.place[0] - x, wish.place[1] - z
    return float(np.hypot(dx, dz)), float(abs(rot.wrap_angle(looks - np.arctan2(dx, dz))))
