"""How alive a composed scene is: what returns too soon, who is idle, who lies too long, what is never used.

All of it is read from what a stage has played; composition knows nothing of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.patches.compose import NEARER, TURNED_BY, Wish
from randori.patches.novelty import kinds_of
from randori.patches.stage import Played, Stage
from randori.timeline.timeline import Placed

WINDOW = 20.0  # seconds within which the same pair of actions may be played twice, not more
LOW = 0.45  # metres of the pelvis above the floor: a character below lies or is about to get up


class Liveliness(NamedTuple):
    """Of a scene, from the first tick to the last that was asked for."""

    patches: frozenset[int]  # that were played
    played: int  # patches, every time counted
    locks: int  # times that a character played the same pair of actions more than twice within WINDOW
    repeated: float  # share of the patches whose technique pair the character played within WINDOW before
    # share of the time on the feet in which no main character is in a patch or attacks
    idle: float
    longest_idle: float  # seconds of it at a stretch
    longest_peace: float  # seconds on the feet from one attack of a main character to the next
    longest_down: float  # seconds that a character was on the floor at a stretch
    most_down: int  # characters on the floor at the same time


def liveliness(stage: Stage, ticks: int, leads: Sequence[int] = (0,)) -> Liveliness:
    """Measure what was played until a tick; `leads` are the main characters: a hero, or both of a pair."""
    played = [one for one in stage.played if one.tick <= ticks]
    down = np.array([_down(stage, who, ticks) for who in range(len(stage))])
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
    """How often a character had a pair of actions a third time, and a pair of techniques again, in WINDOW."""
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


def _down(stage: Stage, who: int, ticks: int) -> np.ndarray:
    """(ticks,) bool: whether a character is on the floor."""
    if stage.actors[who].thing or not stage.actors[who].steps:
        return np.zeros(ticks, dtype=bool)
    return stage.stock.height[_frames(stage, who, ticks)] < LOW


def _frames(stage: Stage, who: int, ticks: int) -> np.ndarray:
    """(ticks,) int64, the frames that are shown of a character; before and after its steps, the nearest."""
    crowd = stage.crowd()
    rows = np.clip(np.arange(ticks), crowd.actors["begun"][who], crowd.actors["until"][who])
    return np.asarray(crowd.shown[who]["frame"][rows])


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
        for step in stage.actors[lead].steps:
            attacks[max(step.start, 0) : max(step.stop, 0)] |= _throws(stage, step)
    # time on the floor does not count, nor does it end a stretch
    on_feet = ~down
    idle = (~busy & ~attacks)[on_feet]
    return float(idle.mean()) if len(idle) else 0.0, _longest(idle), _longest(~attacks[on_feet])


def _throws(stage: Stage, step: Placed) -> bool:
    tags = stage.library.tags
    return 0 <= step.action < len(tags) and tags[step.action].kind == "attack"


# -- commands ------------------------------------------------------------------------------------------


def seconds_to_obey(stage: Stage, wish: Wish, since: int, ticks: int, does: np.ndarray) -> float:
    """Seconds from a command of a tick to where the main character begins to do it; infinity if never.

    `does` (A,) bool are the actions that the word stands for. A character begins to move when it is nearer to
    the place, or has turned towards it; to turn when it looks less away; one that is there has obeyed.
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
    """Metres and radians that the main character is from where it was told to be, or to look."""
    frame, place = stage.shown(0, tick)
    x, z = stage.spots(tick)[0]
    looks = float(stage.stock.facing[frame] + place[2])
    if wish.word == "turn":
        return 0.0, float(abs(rot.wrap_angle(looks - wish.facing)))
    dx, dz = wish.place[0] - x, wish.place[1] - z
    return float(np.hypot(dx, dz)), float(abs(rot.wrap_angle(looks - np.arctan2(dx, dz))))
