"""Blows between characters of different controllers, tick by tick: a strike lands on the body that it meets.

A strike that touches a trunk or a head is a hit. A body that falls onto another one pushes it. The struck
character reacts as its own controller lets it (`Part.struck`); onlookers notice the blow (`Part.notice`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.duel.condition import recovered
from randori.duel.fighter import RULES_OF_BOXING
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.places import compose
from randori.kernels import overlap
from randori.kernels.contact import DAMAGE
from randori.motion.placement import Placement
from randori.scene.part import Part, Shown
from randori.scene.reactions import Blow
from randori.timeline.timeline import Event

STRUCK = ("head", "upper_torso", "lower_torso")  # parts that a blow can meet, in the order of DAMAGE
_PARTS = [CAPSULES.index(name) for name in STRUCK]
_NEAR_DISTANCE = 2.0  # metres between two pelvises, beyond which there is no hit
_FALLING_PARTS = ("upper_torso", "head")  # parts of a falling body that push others
_WEIGHT = 6.0  # damage for each metre per second of a body that falls onto another
_FALLS_AT = 0.8  # metres per second, the least speed of a falling head: a body that lies pushes no other


class Strike(NamedTuple):
    """The striking part of a character in a tick."""

    capsule: int  # index into CAPSULES
    what: str  # the part that strikes
    number: tuple[int, int]  # the strike, or the fall, and the tick in which it began to be shown
    factor: float  # damage for each metre per second


class Meeting:
    """All characters of a scene of several parts, and the hits between them."""

    def __init__(self, parts: Sequence[Part], fps: float, apart: Sequence[tuple[int, int]] = ()):
        """`apart` are pairs of characters that another one looks after: a duel with its own guest."""
        self._parts, self._fps = list(parts), fps
        self._apart = {*apart, *((other, one) for one, other in apart)}
        self.events: list[Event] = []
        self._owner = [(number, who) for number, one in enumerate(parts) for who in range(len(one.names))]
        self._hurt = np.zeros(len(self._owner))
        self._strikes: dict[int, np.ndarray] = {}  # by library: the strike of each frame, or -1
        self._falls: dict[int, np.ndarray] = {}  # by library: the fall of each frame, or -1
        self._since: dict[int, tuple[int, int]] = {}  # by character: its strike, and the first tick of it
        # hits that have had their effect: character, opponent, library and strike
        self._spent: set[tuple[int, int, int, int]] = set()

    def look(self, tick: int) -> None:
        """Let everything that meets in a tick have its effect."""
        self._hurt = recovered(
            self._hurt, np.zeros(len(self._hurt), dtype=bool), RULES_OF_BOXING.stamina, 1.0 / self._fps
        )
        groups = [group for part in self._parts for group in part.shown(tick)]
        shown = _each(groups)
        spots = np.concatenate(
            [compose(some.library.placements[some.frames], some.places)[:, :2] for some in groups]
        )
        happened: list[tuple[float, float]] = []
        for who, one in enumerate(shown):
            strike = self._strike(who, one, tick)
            if strike is None:
                continue
            near = np.flatnonzero(np.hypot(*(spots - spots[who]).T) < _NEAR_DISTANCE).tolist()
            others = [
                k for k in near if self._owner[k][0] != self._owner[who][0] and (who, k) not in self._apart
            ]
            for whom in others:
                if (who, whom, *strike.number) not in self._spent and self._land(
                    who, whom, strike, shown, spots, tick
                ):
                    self._spent.add((who, whom, *strike.number))
                    happened.append((float(spots[whom, 0]), float(spots[whom, 1])))
        for number, part in enumerate(self._parts):
            for place in [*happened, *self._elsewhere(number, tick, spots)]:
                part.notice(place)

    def _elsewhere(self, number: int, tick: int, spots: np.ndarray) -> list[tuple[float, float]]:
        """The places where blows landed in a tick in other parts."""
        places, before = [], 0
        for other, part in enumerate(self._parts):
            if other != number:
                for event in part.events(tick):
                    if event.kind in ("hit", "run over") and event.whom >= 0:
                        x, z = spots[min(before + event.whom, len(spots) - 1)]
                        places.append((float(x), float(z)))
            before += len(part.names)
        return places

    def _strike(self, who: int, one: Shown, tick: int) -> Strike | None:
        """The strike of a character in the present tick."""
        library, frame = one.library, int(one.frames[0])
        strike, fall = int(self._of_frames(library)[0][frame]), int(self._of_frames(library)[1][frame])
        number = strike if strike >= 0 else -2 - fall if fall >= 0 else -1
        if number == -1:
            self._since.pop(who, None)
            return None
        if self._since.get(who, (-1, 0))[0] != number:
            self._since[who] = number, tick
        if strike >= 0:
            effector = EFFECTORS[int(library.strikes.effector[strike])]
            return Strike(CAPSULES.index(effector), effector, self._since[who], 1.0)
        return Strike(CAPSULES.index(_FALLING_PARTS[0]), _FALLING_PARTS[0], self._since[who], 0.0)

    def _of_frames(self, library: ActionLibrary) -> tuple[np.ndarray, np.ndarray]:
        """(F,) the strike, and (F,) the fall, that each frame belongs to; -1 for none."""
        if id(library) not in self._strikes:
            strikes = np.full(len(library.frames.clip), -1, dtype=np.int64)
            for number, (peak, stop) in enumerate(zip(library.strikes.peak, library.strikes.stop)):
                strikes[peak:stop] = number
            falls = np.full(len(strikes), -1, dtype=np.int64)
            for action, tags in enumerate(library.tags):
                if tags.kind == "fall":
                    falls[library.actions.start[action] : library.actions.stop[action]] = action
            self._strikes[id(library)], self._falls[id(library)] = strikes, falls
        return self._strikes[id(library)], self._falls[id(library)]

    def _land(
        self, who: int, whom: int, strike: Strike, shown: Sequence[Shown], spots: np.ndarray, tick: int
    ) -> bool:
        """Test whether a character hits another one; if so, apply the effect."""
        one, other = shown[who], shown[whom]
        mine, theirs = _capsules(one, 0), _capsules(other, 0)
        capsules = [strike.capsule] if strike.factor else [CAPSULES.index(name) for name in _FALLING_PARTS]
        depth = np.empty((1, len(capsules), len(_PARTS)))
        overlap.depths(
            np.ascontiguousarray(mine[None, capsules]),
            fit(one.library.skeleton).radii[capsules],
            np.ascontiguousarray(theirs[None, _PARTS]),
            fit(other.library.skeleton).radii[_PARTS],
            depth,
        )
        if depth.max() <= 0.0:
            return False
        row, part = np.unravel_index(int(depth[0].argmax()), depth[0].shape)
        velocity = (mine - _capsules(one, -1))[capsules[row], 1] * self._fps
        speed = float(np.linalg.norm(velocity))
        if strike.factor:
            damage = speed * DAMAGE[part]
        else:
            if speed < _FALLS_AT:
                return False
            damage = _WEIGHT * speed
            velocity = np.array([spots[whom, 0] - spots[who, 0], 0.0, spots[whom, 1] - spots[who, 1]])
        self._hurt[whom] += damage
        along = float(velocity[0]), float(velocity[2])
        number, own = self._owner[whom]
        x, y, z = mine[capsules[row], 1].tolist()
        what, where = CAPSULES[capsules[row]], STRUCK[part]
        self.events.append(
            Event(tick, "hit" if strike.factor else "bump", who, whom, what, where, damage, (x, y, z))
        )
        if self._parts[number].struck(own, Blow(along, damage, float(self._hurt[whom]))):
            self.events.append(Event(tick, "response", whom, who))
        return True


def _each(shown: Sequence[Shown]) -> list[Shown]:
    """One row for each character."""
    return [
        Shown(some.library, some.frames[k : k + 1], some.places[k : k + 1])
        for some in shown
        for k in range(len(some.frames))
    ]


def _capsules(one: Shown, earlier: int) -> np.ndarray:
    """(C, 2, 3) metres, the capsules of a body now, or some frames earlier."""
    library, frame = one.library, max(int(one.frames[0]) + earlier, 0)
    body = fit(library.skeleton).place(
        library.positions[frame : frame + 1], library.global_rotations[frame : frame + 1]
    )[0]
    moved: np.ndarray = (
        Placement(*one.places[0].tolist()).move_points(body.reshape(-1, 3)).reshape(body.shape)
    )
    return moved
