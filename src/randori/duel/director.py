"""The director of a fight: checkpoints, requests, falls and obstacles.

It changes what the characters want, never what they do: they find their own way to it.
"""

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass

import numpy as np

from randori.duel.game import Rules, Sides
from randori.duel.goals import FALL, Checkpoint, Errand, errands
from randori.duel.solids import Car, Face, Solid, Wall
from randori.timeline.timeline import Event

# w_a of a fighter that is asked for something all the time: as much as a defence that suits
_STANDING_REQUEST_WEIGHT = 3e6
_CHECKPOINT_REQUEST_WEIGHT = 1e7  # w_a of a fighter that a checkpoint asks for something
_WAITING_SHARE = 0.05  # of w_p, for a fighter that waits at its checkpoint: it has time to fight
# w_γ per radian² of a fighter that has to face a direction: a right angle counts three blows
_FACING_WEIGHT = 3e6
# radians by which a pair is drawn around its middle at a time, to face a direction
_CIRCLING_STEP = np.pi / 3.0
_FACED_WITHIN = np.pi / 6.0  # radians that are left when a pair has come around: it has time to fight
_LOOKING_AHEAD_SHARE = 1.5  # share of w_p, per radian²: the weight of a runner's look along its way
_RETURN_DISTANCE = 1.0  # metres along its way within which a runner beside it wants to be back on it
_PASSING_DISTANCE = 0.8  # metres beside an opponent at which a fighter passes it: two bodies have room
_LYING_WIDTH = 1.0  # metres across a fighter that lies, that others stay out of
_CLEAR, _BACKING_OFF = 1.7, 1e7  # metres to keep from an opponent on the floor, and w_p of doing so
_CALM_WORTH = 2e6  # bonus of the calmest action, for a fighter that has won

# A requested fall is won: the odds tilt from the request on, and are as here after `_TILT_SECONDS`.
_TILT_SECONDS = 15.0
_GIVEN_UP = 40.0  # seconds after which a fall that did not come about is not asked for any more
_VICTIM_DELAY = 0.4  # seconds that the victim sees attacks later
_VICTIM_DAMAGE_SHARE = 0.5  # of the victim's w_D⁺ that is left: it still attacks
_LEAST_DAMAGE_WEIGHT = 1e6  # w_D⁺ of the fighters that have to knock it down, at least
_CAUTION_SHARE = 0.2  # of their w_D⁻ and of their caution that is left
_INITIATIVE_FACTOR = 4.0  # times their initiative
# w of the victim for a second with both feet still: it does not wait for its fall
_VICTIM_STILLNESS_WEIGHT = 1e6
_FIRST_FELLING_FACTOR = 3.0  # times a heavy blow: needed to fell the victim at first, …
_HEAVY_FELLS_FROM = 0.4  # … a heavy one from this share of `_TILT_SECONDS` on, …
_LAST_FELLING_DAMAGE = 2.0  # … and in the end a damage that any blow has that lands

_TILTED_WEIGHTS = (
    "reaction",
    "caution_weight",
    "taken",
    "given_short",
    "given_long",
    "initiative_weight",
    "stillness_weight",
)

Fits = Callable[[int, str], np.ndarray]  # the actions of a character that a word names


@dataclass(frozen=True)
class Props:
    """The things besides the characters."""

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
        self.led: set[int] = set()  # fighters that a player sends: on their way they may turn their backs
        self.down: set[int] = set()  # fighters that lie and stay down
        self.floored: set[int] = set()  # fighters that lie or get up now
        self._sides = np.zeros((len(props.walls), len(self.teams)))  # of each wall that each was on last
        self._lying: dict[int, tuple[float, float]] = {}  # where
        self._felled: dict[int, Errand] = {}  # by felled fighter: the errand that asked for it
        self.head_start = np.zeros(len(self.teams))  # the path score that each selection gets back

    def copied(self, fits: Fits) -> "Director":
        """The same account at the same moment, of a copy of its fight."""
        other = copy(self)
        # in one go: a felled fighter points at one of the errands
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
        """(2,) metres, the place that a character is drawn to, and its weight: by its first errand that is
        not over.

        Characters that share an errand are drawn to either side of it, as they stand around their middle, or
        so that they face the required way. Fighters that have to knock down another one are drawn to it.
        """
        for victim, (_, by) in self.falling().items():
            if who in by:
                near = _towards(pelvises[victim], pelvises[who], distance)
                return near, _WAITING_SHARE if np.allclose(near, pelvises[who]) else 1.0
        for errand in self.errands:
            if who in errand.who and errand.current is not None:
                together = [k for k in errand.who if k not in self.down] or list(errand.who)
                middle, goal = pelvises[together].mean(axis=0), np.array(errand.goal(seconds))
                beside = _towards(middle, pelvises[who], 0.5 * distance) - middle
                faces, turned = self._faced(who, errand, together), True
                if faces is not None:
                    yaw = np.arctan2(*(pelvises[who] - middle))
                    left = float(np.angle(np.exp(1j * (faces - yaw))))
                    turned = abs(left) < _FACED_WITHIN
                    yaw += np.clip(left, -_CIRCLING_STEP, _CIRCLING_STEP)
                    beside = 0.5 * distance * np.array([np.sin(yaw), np.cos(yaw)])
                there = float(np.linalg.norm(middle - goal)) <= errand.current.radius  # or has drifted off
                waiting = errand.arrived >= 0 and errand.current.lead == 0.0 and there and turned
                return goal + beside, _WAITING_SHARE if waiting else 1.0
        return np.zeros(2), 0.0

    def _faced(self, who: int, errand: Errand, together: Sequence[int]) -> float | None:
        """Radians, the way from the middle of a pair to one of its two, by the direction one has to face."""
        facing = {} if errand.current is None else errand.current.facing
        if len(together) != 2 or self.teams[together[0]] == self.teams[together[1]]:
            return None
        other = together[1] if who == together[0] else together[0]
        return facing[who] + np.pi if who in facing else facing.get(other)

    def on_its_way(self, who: int) -> bool:
        """Whether a fighter has not reached its checkpoint yet."""
        current = [errand for errand in self.errands if who in errand.who and errand.current is not None]
        return bool(current) and current[0].arrived < 0

    def look(self, tick: int, fps: float, pelvises: np.ndarray) -> list[Event]:
        """Update the errands: reached, left behind, and whether a car sets off."""
        events = []
        low = sorted(self.down | self.floored)
        self._lying = {k: (float(pelvises[k, 0]), float(pelvises[k, 1])) for k in low}
        for errand in self.errands:
            errand.give_up(FALL, tick, round(_GIVEN_UP * fps))
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
        """Note that a fighter began an action, which may have been requested."""
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
        """Fighters that have to be down in the end."""
        asked = [one for errand in self.errands for mark in errand.checkpoints for one in mark.required]
        return {who for who, word in asked if word == FALL} | {car.whom for car in self.props.cars}

    @property
    def is_told(self) -> bool:
        """Whether all fighters that have to fall lie; False if none has to."""
        return bool(self.to_fall) and self.to_fall <= self.down

    def rivals(self, who: int) -> list[int]:
        """The opponents of a fighter."""
        return [k for k, team in enumerate(self.teams) if team != self.teams[who]]

    def has_won(self, who: int) -> bool:
        """Whether all opponents of a fighter lie, and stay lying."""
        return self.down.issuperset(self.rivals(who))

    def stands_off(self, who: int) -> bool:
        """Whether all opponents of a fighter are on the floor."""
        return (self.down | self.floored).issuperset(self.rivals(who))

    def falling(self) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Fighters that have to be knocked down: since which tick, and by whom."""
        found = {}
        for errand in self.errands:
            for victim, word in errand.left:
                if word == FALL and errand.arrived >= 0:
                    rivals = self.rivals(victim)
                    named = tuple(k for k in rivals if k in errand.who)
                    found[victim] = errand.arrived, named or tuple(rivals)
        return found

    def requests(self, wanted: np.ndarray) -> np.ndarray:
        """(N, A) requested (1) and unwanted (-1) actions, on top of each fighter's own."""
        requests = wanted.copy()
        for errand in self.errands:
            if errand.arrived >= 0:
                for who, word in errand.left:
                    if word != FALL:
                        requests[who, self.fits(who, word)] = 1
        for who in range(len(self.teams)):
            requests[who, self.barred(who, wanted)] = -1
        return requests

    def barred(self, who: int, wanted: np.ndarray) -> np.ndarray:
        """(A,) bool: actions that a fighter must not select now; `wanted` (N, A) has the requests."""
        barred = np.asarray(wanted[who] < 0)
        for errand in self.errands:
            if errand.current is not None:
                for one, word in errand.current.forbidden:
                    if one == who:
                        barred[self.fits(who, word)] = True
        if self.stands_off(who):
            for word in ("attack", "feint"):
                barred[self.fits(who, word)] = True
        return barred

    def wishes(
        self, sides: Sides, wanted: np.ndarray, calm: np.ndarray, pelvises: np.ndarray, seconds: float
    ) -> Sides:
        """The fighters' wishes, with goals, requests and falls; `calm` (A,) from 0 to 1 is for winners."""
        goals, follows = np.zeros((len(self.teams), 2)), np.zeros(len(self.teams))
        for who in range(len(self.teams)):
            goals[who], follows[who] = self._goal(who, pelvises, float(sides.distance[who]), seconds)
            goals[who] = self.detour(who, goals[who], pelvises)
        sides = sides._replace(path_weight=sides.path_weight * follows, goal=goals)
        sides = self._back_off(self._face(self._look_ahead(sides, pelvises)), pelvises)
        request = self.requests(wanted)
        asked = np.where(request.any(axis=1), _STANDING_REQUEST_WEIGHT, 0.0)
        asked = np.maximum(asked, np.where((request != wanted).any(axis=1), _CHECKPOINT_REQUEST_WEIGHT, 0.0))
        weight = np.maximum(sides.request_weight, asked)
        self.head_start = _head_start(sides, pelvises)
        # the same for every selection changes nothing, and with nothing above 0 the search has more to cut
        given_back = (self.head_start - self.head_start.max())[:, None]
        won = np.array([self.has_won(who) for who in range(len(self.teams))])
        composed = _CALM_WORTH * won[:, None] * (calm - 1.0)
        counted = np.rint(request * weight[:, None] + given_back + composed).astype(np.int64)
        sides = sides._replace(request=counted, request_weight=np.ones(len(weight)))
        return self._tilt(sides, seconds)

    def detour(self, who: int, goal: np.ndarray, pelvises: np.ndarray) -> np.ndarray:
        """(2,) the goal of a fighter, or a place beside an opponent that stands in its way.

        Two fighters that had to change places would block each other without end. Opponents with the same
        checkpoint go there together.
        """
        way = goal - pelvises[who]
        far = float(np.linalg.norm(way))
        if far == 0.0:
            return goal
        along, aside = way / far, np.array([way[1], -way[0]]) / far
        for rival in self.rivals(who):
            if any(who in errand.who and rival in errand.who for errand in self.errands if errand.current):
                continue
            off = pelvises[rival] - pelvises[who]
            ahead, beside = float(off @ along), float(off @ aside)
            if 0.0 < ahead < far and abs(beside) < _PASSING_DISTANCE:
                side = -1.0 if beside >= 0.0 else 1.0  # the side of the opponent that the fighter is on
                return pelvises[rival] + side * _PASSING_DISTANCE * aside
        return goal

    def _tilt(self, sides: Sides, seconds: float) -> Sides:
        """Tilt the odds against the fighters that have to fall, the more the longer it takes."""
        tilted = {name: getattr(sides, name).copy() for name in _TILTED_WEIGHTS}
        for victim, (since, by) in self.falling().items():
            share = self._tilt_at(since, seconds * self.fps)
            tilted["reaction"][victim] += round(share * _VICTIM_DELAY * self.fps)
            tilted["caution_weight"][victim] *= 1.0 - share
            tilted["taken"][victim] *= 1.0 - share
            tilted["stillness_weight"][victim] = max(sides.stillness_weight[victim], _VICTIM_STILLNESS_WEIGHT)
            for name in ("given_short", "given_long"):
                tilted[name][victim] *= 1.0 - share * (1.0 - _VICTIM_DAMAGE_SHARE)
                for one in by:
                    own = getattr(sides, name)[one]
                    tilted[name][one] = own + share * max(_LEAST_DAMAGE_WEIGHT - own, 0.0)
            for one in by:
                tilted["initiative_weight"][one] *= 1.0 + share * (_INITIATIVE_FACTOR - 1.0)
                for name in ("taken", "caution_weight"):
                    tilted[name][one] *= 1.0 - share * (1.0 - _CAUTION_SHARE)
        return sides._replace(**tilted)

    def _back_off(self, sides: Sides, pelvises: np.ndarray) -> Sides:
        """Fighters whose opponents are on the floor step back from them, and do not press on."""
        goal, weight = sides.goal.copy(), sides.path_weight.copy()
        initiative = sides.initiative_weight.copy()
        for who in range(len(self.teams)):
            if who in self.down or not self.stands_off(who):
                continue
            initiative[who] = 0.0
            rivals = pelvises[self.rivals(who)]
            body = rivals[int(np.argmin(np.linalg.norm(rivals - pelvises[who], axis=1)))]
            apart = float(np.linalg.norm(pelvises[who] - body))
            if 0.0 < apart < _CLEAR:
                goal[who] = body + (pelvises[who] - body) * _CLEAR / apart
                weight[who] = _BACKING_OFF
        return sides._replace(goal=goal, path_weight=weight, initiative_weight=initiative)

    def _face(self, sides: Sides) -> Sides:
        """Fighters face the way that their checkpoint says, while they approach it and wait there."""
        heading, weight = sides.heading.copy(), sides.heading_weight.copy()
        for who in range(len(self.teams)):
            marks = [one.current for one in self.errands if who in one.who and one.current is not None]
            if marks and who in marks[0].facing:
                heading[who], weight[who] = marks[0].facing[who], max(weight[who], _FACING_WEIGHT)
        return sides._replace(heading=heading, heading_weight=weight)

    def _look_ahead(self, sides: Sides, pelvises: np.ndarray) -> Sides:
        """Runners look along their way: with a wrong one they would have to turn before they can go on.

        A fighter beside its way looks back to it, the more the farther off it is.
        """
        heading, weight = sides.heading.copy(), sides.heading_weight.copy()
        for errand in self.errands:
            way = errand.heading()
            if way is not None and len(errand.checkpoints) > 1:
                along = np.array([np.sin(way), np.cos(way)])
                for who in errand.who:
                    off = sides.goal[who] - pelvises[who]
                    ahead = max(float(off @ along), 0.0)  # no fighter turns around for a place behind it
                    x, z = (_RETURN_DISTANCE + ahead) * along + off - (off @ along) * along
                    heading[who], weight[who] = (
                        np.arctan2(x, z),
                        _LOOKING_AHEAD_SHARE * sides.path_weight[who],
                    )
        return sides._replace(heading=heading, heading_weight=weight)

    def _tilt_at(self, since: int, tick: float) -> float:
        """The amount by which the odds are tilted, from 0 to 1."""
        return float(np.clip((tick - since) / self.fps / _TILT_SECONDS, 0.0, 1.0))

    def fells(self, who: int, by: int, damage: float, tick: int, rules: Rules) -> bool:
        """Whether a blow that lands knocks down a fighter that has to fall.

        At first it has to be a strong one, in the end it may be a light one.
        """
        since, named = self.falling().get(who, (tick, ()))
        strong = min(rules.felling, _FIRST_FELLING_FACTOR * rules.heavy)
        needed = np.interp(
            self._tilt_at(since, tick),
            (0.0, _HEAVY_FELLS_FROM, 1.0),
            (strong, rules.heavy, _LAST_FELLING_DAMAGE),
        )
        return by in named and damage >= float(needed)

    def walls(self, who: int) -> list[Face]:
        """The walls, from the side that a fighter is on."""
        return [wall.seen_from(self._sides[number, who]) for number, wall in enumerate(self.props.walls)]

    def solids(self, who: int) -> list[Solid]:
        """The solids that a fighter has to stay out of."""
        walls = self.walls(who)
        cars = [car for car in self.props.cars if car.launched >= 0]
        lanes = [car.standing() if car.whom in self.down else car.lane_for(who) for car in cars]
        lying = [Wall(place, place, _LYING_WIDTH) for other, place in self._lying.items() if other != who]
        return [*walls, *self.borders, *lanes, *lying]


def _towards(there: np.ndarray, here: np.ndarray, distance: float) -> np.ndarray:
    """(2,) the place at a distance from `there`, or nearer, on the way from `here`."""
    off = here - there
    apart = float(np.linalg.norm(off))
    return there + off * min(distance / apart, 1.0) if apart > 0.0 else there


def _head_start(sides: Sides, pelvises: np.ndarray) -> np.ndarray:
    """(N,) what the place of each fighter costs on its path.

    A selection is charged with how far from its goal it ends. Given this back it counts what it gains on the
    way; otherwise a fighter far from its goal would do something long and leave selecting to others.
    """
    off = ((pelvises - sides.goal) ** 2).sum(axis=1)
    return np.where(sides.path_rival, 0.0, sides.path_weight * off)
