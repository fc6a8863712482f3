"""Onlookers: a crowd that stands around something, keeps clear of it, looks at it and flinches."""

from collections.abc import Sequence

import numpy as np

from randori.motion import rotations as rot
from randori.patches.alarm import Alarm
from randori.patches.compose import Composer, Wish
from randori.patches.fights import rise
from randori.patches.prepared import Prepared
from randori.patches.stage import State
from randori.timeline.timeline import Placed

PEOPLE, RADIUS = 30, 4.0
_SPACING, _ROWS = 1.4, 1.0  # metres between neighbours of a row, and from row to row
_CLEARANCE = 0.6  # metres from the start of another character, and from each other, that are left free
_OUTWARD_DISTANCE = 0.1  # metres by which an onlooker is moved away from the middle until it has them
SCATTER = 0.25  # metres and radians that they are off their places
_LOOK_INTERVAL = 8  # ticks from one look around to the next
_AT_LEAST = 8  # ticks of standing about before something else begins
_FORESIGHT = 0.9  # seconds for which onlookers foresee the ways of others
_YIELDING_RADIUS = 1.7  # metres to others: an onlooker nearer than this gives way, …
_YIELDING_DISTANCE = 1.3  # … by this many metres
_HOME = 0.45  # metres off their places from which on they go back
_LOOK_TOLERANCE = np.deg2rad(40.0)  # an onlooker turns if the look is off by more than this
_SIGHT_DISTANCE = 6.0  # metres beyond which others are not looked at
# metres from a blow: within the first an onlooker may flinch, within the second it does
_FLINCH_DISTANCE, _SURE_FLINCH_DISTANCE = 4.5, 1.5
_CALM_AGAIN = 1.6  # seconds after a flinch without another
_FREE_SECONDS = 1.0  # seconds for which an onlooker needs free room after a step
_STANDS_TRIED = 6  # ways to stand that are tried


class Onlookers:
    """People in rows around a place, who watch the characters that move there."""

    def __init__(
        self,
        prepared: Prepared,
        seed: int,
        people: int = PEOPLE,
        radius: float = RADIUS,
        others: np.ndarray | None = None,
    ):
        """`radius` in metres around the middle stays free at first, and so do the starts of `others` (K,
        2)."""
        taken = np.zeros((0, 2)) if others is None else others
        self.composer = Composer(prepared, seed)
        self.stage = self.composer.stage
        self._alarm = Alarm(self.composer)
        self._dislike = self.composer.locomotion.seconds_to(self.composer.locomotion.can_wait)
        self._others, self._when = np.zeros((0, 1, 2)), np.zeros(1, dtype=np.int64)
        self._flinched = np.full(people, -(10**6))
        self._happened: list[tuple[float, float]] = []
        self._now = 0
        self._homes = rows(people, radius)
        for number, (x, z) in enumerate(self._homes):
            off = self.composer.rng.uniform(-SCATTER, SCATTER, 3)
            usual = np.array([x, z]) + off[:2]
            home = _make_room(usual, taken, self._homes[:number])
            if home is not usual:  # the onlookers behind it make room, too
                taken = np.concatenate([taken, home[None]])
            self._homes[number] = home
            place = float(home[0]), float(home[1]), float(np.arctan2(-x, -z)) + off[2]
            self.composer.stand(f"onlooker {number + 1}", number, place)

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def obey(self, wish: Wish, now: int) -> None:
        """A crowd has no leader."""
        return

    def see(self, others: np.ndarray, ticks: np.ndarray) -> None:
        """Tell where the others will be: (M, K, 2) metres in ticks (K,)."""
        self._others, self._when = others, ticks

    def notice(self, place: tuple[float, float]) -> None:
        """A blow lands at x and z, now."""
        self._happened.append(place)

    def advance(self, now: int) -> None:
        """Plan until a tick."""
        self._now = now
        for who in range(len(self.stage)):
            while self.stage.actors[who].state.tick <= now + 1:
                self._attend(who)
        happened, self._happened = self._happened, []
        for place in happened:
            self._flinch(np.array(place))
        if now % _LOOK_INTERVAL == 0:
            for who in range(len(self.stage)):
                self._look_around(who)

    def _attend(self, who: int) -> None:
        """An onlooker with nothing to do gets up, gives way, looks, goes back, or stands about."""
        locomotion, state = self.composer.locomotion, self.stage.actors[who].state
        if not locomotion.on_feet[state.posture]:
            rise(self.composer, who)
            return
        steps = self._minds(who, state)
        if not steps and not locomotion.can_wait[state.posture]:
            steps = locomotion.step_to(
                who, list(state.place[:2]), self.stage.facing(state), dislike=self._dislike
            )
            steps = steps or locomotion.go_on(state)
        if steps:
            self.stage.perform(who, steps)
        else:
            self._stand(who)

    def _look_around(self, who: int) -> None:
        """An onlooker who only stands about can act at once."""
        actor, tick = self.stage.actors[who], self._now + 1
        if not self._free(who) or not self.composer.locomotion.can_wait[actor.state.posture]:
            return
        steps = self._minds(who, actor.state._replace(tick=tick))
        if steps:
            self._begin(who, steps)

    def _free(self, who: int) -> bool:
        """Whether an onlooker only stands about, and has done so for a moment."""
        actor = self.stage.actors[who]
        last = actor.steps[-1]
        stands = self.stage.library.tags[last.action].technique == "stand"
        return (
            who not in self.stage.led
            and stands
            and last.start + _AT_LEAST <= self._now + 1 < actor.state.tick
        )

    def _begin(self, who: int, steps: list[Placed]) -> None:
        self.stage.cut(who, steps[0].start)
        self.stage.perform(who, steps)

    def _minds(self, who: int, state: State) -> list[Placed]:
        """The reaction of an onlooker to events in sight; None if there is no need."""
        here = np.array(state.place[:2])
        ways = self._coming(state.tick)
        away = here - ways.reshape(-1, 2)
        far = np.hypot(away[:, 0], away[:, 1])
        looks_at = self._sight(here, ways)
        if len(far) and far.min() < _YIELDING_RADIUS:
            x, z = away[int(np.argmin(far))] / max(float(far.min()), 0.05)
            return self._go(who, state, here + _YIELDING_DISTANCE * np.array([x, z]), looks_at)
        home = self._homes[who]
        room = np.hypot(*(home - ways.reshape(-1, 2)).T).min(initial=np.inf)
        if np.hypot(*(home - here)) > _HOME and room > _YIELDING_RADIUS + _HOME:
            return self._go(who, state, home, looks_at)
        askew = float(rot.wrap_angle(looks_at - self.stage.facing(state)))
        return self._alarm.turn(who, state, askew) if abs(askew) > _LOOK_TOLERANCE else []

    def _go(self, who: int, state: State, goal: np.ndarray, facing: float) -> list[Placed]:
        """A step to a place, if it is not there yet and there is room."""
        if np.hypot(*(goal - state.place[:2])) < _HOME:
            return []
        actor = self.stage.actors[who]
        before, actor.state = actor.state, state
        after = round(_FREE_SECONDS * self.stage.fps)
        steps = self.composer.locomotion.step_to(
            who, goal.tolist(), facing, dislike=self._dislike, after=after
        )
        actor.state = before
        return steps

    def _sight(self, here: np.ndarray, ways: np.ndarray) -> float:
        """Radians, where to look: at the characters nearby, or at the middle of the scene."""
        spots = ways[:, 0] if len(ways) else np.zeros((0, 2))
        near = spots[np.hypot(*(spots - here).T) < _SIGHT_DISTANCE]
        order = np.argsort(np.hypot(*(near - here).T), kind="stable")[:2]
        x, z = (near[order].mean(axis=0) if len(order) else np.zeros(2)) - here
        return float(np.arctan2(x, z))

    def _coming(self, tick: int) -> np.ndarray:
        """(M, K, 2) metres, where the others will be from a tick on."""
        soon = self._when <= tick + _FORESIGHT * self.stage.fps
        soon &= self._when >= min(tick, int(self._when[-1])) - 10
        return self._others[:, soon] if soon.any() else self._others[:, -1:]

    def _flinch(self, place: np.ndarray) -> None:
        """An onlooker near a blow flinches, the nearer the likelier."""
        tick, stage = self._now + 1, self.stage
        spots = stage.spots(self._now)
        far = np.hypot(*(spots - place).T)
        for who in np.flatnonzero(far < _FLINCH_DISTANCE).tolist():
            state = stage.actors[who].state
            chance = (_FLINCH_DISTANCE - far[who]) / (_FLINCH_DISTANCE - _SURE_FLINCH_DISTANCE)
            if self._flinched[who] + _CALM_AGAIN * stage.fps > tick or not self._free(who):
                continue
            if not self.composer.locomotion.can_wait[state.posture] or self.composer.rng.random() > chance:
                continue
            after = round(_FREE_SECONDS * stage.fps)
            steps = self._alarm.start_back(who, state._replace(tick=tick), place[None], after)
            if steps:
                self._flinched[who] = tick
                self._begin(who, steps)

    def _stand(self, who: int) -> None:
        """Stand about for a while, without touching others if possible."""
        stage, state = self.stage, self.stage.actors[who].state
        for turn in range(_STANDS_TRIED):
            step = self.composer.locomotion.stand(state, turn)
            if stage.clear(stage.stretch([step]), [who]):
                break
        stage.perform(who, [step], state._replace(tick=step.stop))


def _make_room(home: np.ndarray, taken: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(2,) the place of an onlooker; if it is taken, the next one outwards that is free."""
    if not (np.linalg.norm(taken - home, axis=1) < _CLEARANCE).any():
        return home
    outward = home / max(float(np.linalg.norm(home)), 1e-9)
    occupied = np.concatenate([taken, before])
    while (np.linalg.norm(occupied - home, axis=1) < _CLEARANCE).any():
        home = home + _OUTWARD_DISTANCE * outward
    return home


def rows(people: int, radius: float) -> np.ndarray:
    """(N, 2) metres, places in rows around the middle."""
    places: list[Sequence[float]] = []
    row = 0
    while len(places) < people:
        away = radius + row * _ROWS
        room = max(int(2.0 * np.pi * away / _SPACING), 1)
        count = min(room, people - len(places))
        for k in range(count):
            angle = 2.0 * np.pi * (k + 0.5 * (row % 2)) / (room if count == room else count)
            places.append((away * np.sin(angle), away * np.cos(angle)))
        row += 1
    return np.array(places)
