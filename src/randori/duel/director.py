"""The director of a fight: who has to be where and do what, who goes down, and what is in the way.

It changes what the characters want, never what they do: they find their own way to it.
"""

from collections.abc import Callable, Collection, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass

import numpy as np

from randori.duel.game import Rules, Sides
from randori.duel.goals import FALL, Checkpoint, Errand, errands
from randori.duel.solids import Car, Face, Solid, Wall
from randori.timeline.timeline import Event

_INSIST = 1e7  # w_a of who is asked for something, and whose style has none
_WAITING = 0.05  # of w_p, for who is there and waits: it has time to fight
_AHEAD = 1.5  # of w_p, per radian²: what it counts that a runner looks along its way
_FORESIGHT = 1.0  # metres along its way within which a runner beside it wants to be back on it
_LENGTH = 1.0  # metres across somebody who lies, that others stay out of
_EAGER = 1e6  # w_D⁺ of who has to knock somebody down, at least
_BLIND = 600  # ticks for which somebody who has to fall sees no attack
_TRYING, _TRIED = 5.0, 0.4  # seconds, and the share of the distance (or radians) by which it varies its place
_MERCILESS = 0.75  # seconds from which on any blow fells who has to fall, …
_HELD_UP = 3.0  # … and from which on one on its guard

# what somebody who has to fall does not do any more: it stands and takes it
_STEPS = ("step forward", "step back", "step left", "step right", "jump back")
_RESISTING = ("attack", "defence", "feint", *_STEPS)

Fits = Callable[[int, str], np.ndarray]  # the actions of a character that a word names


@dataclass(frozen=True)
class Props:
    """What is there besides the characters."""

    walls: tuple[Wall, ...] = ()
    cars: tuple[Car, ...] = ()


class Director:
    """Keeps account of goals, and turns them into wishes."""

    def __init__(
        self,
        teams: Sequence[int],
        path: Sequence[Checkpoint],
        props: Props,
        fits: Fits,
        actions: int,
        fps: float,
    ):
        self.teams, self.props, self.fits = list(teams), props, fits
        self.actions, self.fps = actions, fps
        self.errands: list[Errand] = errands(path, len(self.teams))
        self.borders: tuple[Solid, ...] = ()  # of the area that the characters have for themselves
        self.down: set[int] = set()  # who lies, and stays lying
        self._sides = np.zeros((len(props.walls), len(self.teams)))  # of each wall that each was on last
        self._lying: dict[int, tuple[float, float]] = {}  # where
        self._felled: dict[int, Errand] = {}  # who was asked to, and where
        self.head_start = np.zeros(len(self.teams))  # what each selection is given back for the path

    def copied(self, fits: Fits) -> "Director":
        """The same account at the same moment, of a copy of its fight."""
        other = copy(self)
        # in one go: who was felled points at one of the errands
        vars(other).update(deepcopy({key: value for key, value in vars(self).items() if key != "fits"}))
        other.fits = fits
        return other

    def aim(self, place: tuple[float, float], radius: float, who: tuple[int, ...]) -> None:
        """A new goal instead of all that these characters had."""
        self.errands = [one for one in self.errands if not set(one.who) & set(who)]
        self.errands.append(Errand(who, [Checkpoint(place, radius, who)]))

    def _goal(
        self, who: int, pelvises: np.ndarray, distance: float, seconds: float
    ) -> tuple[np.ndarray, float]:
        """(2,) metres, where a character is drawn to, and how much: by its first errand that is not over.

        Those who share one are drawn to either side of it, as they stand around their middle. Who has to
        knock somebody down is drawn there.
        """
        for victim, (since, by) in self.falling().items():
            if who == victim:
                return pelvises[who], _WAITING
            if who in by:
                # where no blow lands from here, one may from nearer or farther, or from another side
                tried = max(seconds - since / self.fps, 0.0) / _TRYING
                near = distance * (1.1 + 0.6 * _TRIED * np.sin(2.0 * np.pi * tried))
                aside = _TRIED * np.sin(np.pi * tried)
                return _around(pelvises[victim], pelvises[who], near, aside), 1.0
        for errand in self.errands:
            if who in errand.who and errand.current is not None:
                together = [k for k in errand.who if k not in self.down] or list(errand.who)
                middle, goal = pelvises[together].mean(axis=0), np.array(errand.goal(seconds))
                beside = _towards(middle, pelvises[who], 0.5 * distance) - middle
                there = float(np.linalg.norm(middle - goal)) <= errand.current.radius  # or has drifted off
                waiting = errand.arrived >= 0 and errand.current.lead == 0.0 and there
                return goal + beside, _WAITING if waiting else 1.0
        return np.zeros(2), 0.0

    def on_its_way(self, who: int) -> bool:
        """Whether somebody has not reached its checkpoint yet."""
        current = [errand for errand in self.errands if who in errand.who and errand.current is not None]
        return bool(current) and current[0].arrived < 0

    def look(self, tick: int, fps: float, pelvises: np.ndarray) -> list[Event]:
        """What is reached, what is left behind, and whether a car sets off."""
        events = []
        self._lying = {k: (float(pelvises[k, 0]), float(pelvises[k, 1])) for k in sorted(self.down)}
        for number, wall in enumerate(self.props.walls):
            free = wall.depth(pelvises) <= 0.0
            self._sides[number] = np.where(free, wall.side(pelvises), self._sides[number])
        for errand in self.errands:
            while True:
                if errand.arrive(tick, pelvises):
                    x, z = errand.checkpoints[errand.passed].place
                    what = str(errand.passed + 1)
                    events.append(Event(tick, "checkpoint", errand.who[0], what=what, point=(x, 0.0, z)))
                    errand.left = [one for one in errand.left if one[0] not in self.down]
                if not errand.leave(tick, fps):
                    break
        for car in self.props.cars:
            if car.look(tick, fps, pelvises):
                events.append(Event(tick, "sets off", -1, car.whom, "car", point=car.target))
        return events

    def did(self, who: int, action: int, tick: int) -> list[Event]:
        """Note that somebody began an action: perhaps it was asked for."""
        events = []
        if who in self._felled and who in self.down and action not in self.fits(who, FALL):
            # another blow has caught it as it fell: it has to be knocked down once more
            errand = self._felled.pop(who)
            self.down.discard(who)
            errand.passed, errand.arrived, errand.left = len(errand.checkpoints) - 1, tick, [(who, FALL)]
        for errand in self.errands:
            met = [one for one in errand.left if one[0] == who and action in self.fits(who, one[1])]
            if met and errand.arrived >= 0:
                errand.left = [one for one in errand.left if one not in met]
                events += [Event(tick, "request", who, what=word) for _, word in met]
                if any(word == FALL for _, word in met):
                    self.down.add(who)
                    self._felled[who] = errand
        return events

    @property
    def to_fall(self) -> set[int]:
        """Who has to be down in the end."""
        asked = [one for errand in self.errands for mark in errand.checkpoints for one in mark.required]
        return {who for who, word in asked if word == FALL} | {car.whom for car in self.props.cars}

    @property
    def is_told(self) -> bool:
        """Whether everybody lies who has to, if anybody has."""
        return bool(self.to_fall) and self.to_fall <= self.down

    def has_won(self, who: int) -> bool:
        """Whether all opponents of somebody lie."""
        return all(k in self.down for k, team in enumerate(self.teams) if team != self.teams[who])

    def falling(self) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Who has to be knocked down: since which tick, and by whom."""
        found = {}
        for errand in self.errands:
            for victim, word in errand.left:
                if word == FALL and errand.arrived >= 0:
                    rivals = [k for k, team in enumerate(self.teams) if team != self.teams[victim]]
                    named = tuple(k for k in rivals if k in errand.who)
                    found[victim] = errand.arrived, named or tuple(rivals)
        return found

    def requests(self, wanted: np.ndarray) -> np.ndarray:
        """(N, A) what is asked for and what is not wanted, on top of everybody's own."""
        requests = wanted.copy()
        for errand in self.errands:
            if errand.arrived >= 0:
                for who, word in errand.left:
                    if word != FALL:
                        requests[who, self.fits(who, word)] = 1
        for who in range(len(self.teams)):
            requests[who, self.barred(who)] = -1
        return requests

    def barred(self, who: int) -> np.ndarray:
        """(A,) bool: what somebody must not do now."""
        barred = np.zeros(self.actions, dtype=bool)
        for errand in self.errands:
            if errand.current is not None:
                for one, word in errand.current.forbidden:
                    if one == who:
                        barred[self.fits(who, word)] = True
        falling = self.falling()
        rivals = {k for k, team in enumerate(self.teams) if team != self.teams[who]}
        if who in falling:
            for word in _RESISTING:
                barred[self.fits(who, word)] = True
        elif self.has_won(who) or any(
            who not in by for victim, (_, by) in falling.items() if victim in rivals
        ):
            barred[self.fits(who, "attack")] = True
        return barred

    def wishes(self, sides: Sides, wanted: np.ndarray, pelvises: np.ndarray, seconds: float) -> Sides:
        """What everybody wants, with goals, requests and who has to fall."""
        goals, follows = np.zeros((len(self.teams), 2)), np.zeros(len(self.teams))
        for who in range(len(self.teams)):
            goals[who], follows[who] = self._goal(who, pelvises, float(sides.distance[who]), seconds)
        sides = sides._replace(path_weight=sides.path_weight * follows, goal=goals)
        sides = self._look_ahead(sides, pelvises)
        request = self.requests(wanted)
        insisted = np.where((request != wanted).any(axis=1), _INSIST, 0.0)
        weight = np.maximum(sides.request_weight, insisted)
        self.head_start = _head_start(sides, pelvises)
        # the same for every selection changes nothing, and with nothing above 0 the search has more to cut
        given_back = (self.head_start - self.head_start.max())[:, None]
        counted = np.rint(request * weight[:, None] + given_back).astype(np.int64)
        sides = sides._replace(request=counted, request_weight=np.ones(len(weight)))
        taken, reaction = sides.taken.copy(), sides.reaction.copy()
        given_short, given_long = sides.given_short.copy(), sides.given_long.copy()
        for victim, (_, by) in self.falling().items():
            taken[victim], reaction[victim] = 0.0, _BLIND
            given_short[victim] = given_long[victim] = 0.0
            for one in by:
                given_short[one], given_long[one] = (
                    max(given_short[one], _EAGER),
                    max(given_long[one], _EAGER),
                )
        return sides._replace(taken=taken, reaction=reaction, given_short=given_short, given_long=given_long)

    def _look_ahead(self, sides: Sides, pelvises: np.ndarray) -> Sides:
        """Runners look along their way: with a wrong one they would have to turn before they can go on.

        Who is beside its way looks back to it, the more the farther off it is.
        """
        heading, weight = sides.heading.copy(), sides.heading_weight.copy()
        for errand in self.errands:
            way = errand.heading()
            if way is not None and len(errand.checkpoints) > 1:
                along = np.array([np.sin(way), np.cos(way)])
                for who in errand.who:
                    off = sides.goal[who] - pelvises[who]
                    ahead = max(float(off @ along), 0.0)  # nobody turns around for what is behind
                    x, z = (_FORESIGHT + ahead) * along + off - (off @ along) * along
                    heading[who], weight[who] = np.arctan2(x, z), _AHEAD * sides.path_weight[who]
        return sides._replace(heading=heading, heading_weight=weight)

    def rules(self, rules: Rules, tick: int, fps: float, striking: Collection[int]) -> Rules:
        """Who has to fall is felled by a heavy blow, and after a while by any.

        Not while anybody who has not to do it is `striking`: it would be felled by the wrong one.
        """
        falling = self.falling()
        teams = {self.teams[victim] for victim in falling}
        named = {one for _, by in falling.values() for one in by}
        if not falling or any(self.teams[one] not in teams and one not in named for one in striking):
            return rules
        late = (tick - min(since for since, _ in falling.values())) / fps > _MERCILESS
        return rules._replace(felling=0.0 if late else min(rules.heavy, rules.felling))

    def gives_in(self, who: int, by: int, tick: int) -> bool:
        """Whether a blow of somebody on the guard fells somebody: it should have fallen long ago."""
        since, named = self.falling().get(who, (tick, ()))
        return by in named and (tick - since) / self.fps > _HELD_UP

    def walls(self, who: int) -> list[Face]:
        """The walls, from the side that somebody is on."""
        return [wall.seen_from(self._sides[number, who]) for number, wall in enumerate(self.props.walls)]

    def solids(self, who: int) -> list[Solid]:
        """What somebody has to stay out of."""
        walls = self.walls(who)
        cars = [car for car in self.props.cars if car.launched >= 0]
        lanes = [car.standing() if car.whom in self.down else car.lane_for(who) for car in cars]
        lying = [Wall(place, place, _LENGTH) for other, place in self._lying.items() if other != who]
        return [*walls, *self.borders, *lanes, *lying]


def _around(there: np.ndarray, here: np.ndarray, distance: float, turn: float) -> np.ndarray:
    """(2,) the place at a distance from `there`, as seen from it by a turn beside the way to `here`."""
    off = here - there
    yaw = np.arctan2(off[0], off[1]) + turn
    return there + distance * np.array([np.sin(yaw), np.cos(yaw)])


def _towards(there: np.ndarray, here: np.ndarray, distance: float) -> np.ndarray:
    """(2,) the place at a distance from `there`, or nearer, on the way from `here`."""
    off = here - there
    apart = float(np.linalg.norm(off))
    return there + off * min(distance / apart, 1.0) if apart > 0.0 else there


def _head_start(sides: Sides, pelvises: np.ndarray) -> np.ndarray:
    """(N,) what the place where somebody stands costs on its path.

    A selection is charged with how far from its goal it ends. Given this back it counts what it gains on the
    way; else whoever is far from its goal would do something long, and leave selecting to the others.
    """
    off = ((pelvises - sides.goal) ** 2).sum(axis=1)
    return np.where(sides.path_rival, 0.0, sides.path_weight * off)
