"""Fights side by side: pairs that share no tree run in parallel and keep to their own ground.

Time goes on in slices. At the start of each one every fight gets borders half way to its neighbours; within
it, it ignores all others. So the result is the same for any number of threads.
"""

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from randori.duel.fight import Fight
from randori.duel.solids import Border
from randori.errors import RandoriError
from randori.scene.finale import Finale
from randori.timeline.timeline import Decision, Event, Timeline, Track

SLICE = 30  # ticks
_ROOM = 0.6  # metres between a pelvis and the border to the neighbours
_IN_TIME = 1.0  # seconds after its time in which a pin can be met: most actions are shorter
_NEIGHBOURS = 8.0  # metres beyond which other fights are no neighbours
_OUT_OF_ORDER = 10.0  # seconds: events are written as fights decide, never this much later than others


@dataclass(frozen=True)
class Pinned:
    """A decision that an animator makes: the first one from a tick on that allows it."""

    who: int  # number in the whole cast
    tick: int
    wanted: tuple[np.ndarray, ...]  # actions of its library; earlier ones are preferred
    words: str


class ParallelFights:
    """Several fights in one time; most scenes have one."""

    def __init__(
        self,
        fights: Sequence[Fight],
        members: Sequence[Sequence[int]],
        threads: int = 1,
        lingers: float | None = None,
    ):
        """`members` are the numbers in the whole cast of each fight's characters.

        `lingers` are the seconds after which it is over once all required falls have happened.
        """
        self.fights, self.members = list(fights), [tuple(some) for some in members]
        self.threads, self.lingers = threads, lingers
        self.end = 10**9  # tick with which it is over, at the latest
        self.others = np.zeros((0, 1, 2))  # (M, K, 2) metres, where characters of other controllers will be
        self.finale: Finale | None = None  # a patch for two of the first fight
        self.shared = False  # other controllers share the floor: no fight runs ahead of them
        self.pins: list[Pinned] = []  # pins that are still to come
        self.released: list[Pinned] = []  # pins for which no decision came in time
        # ticks of the decisions that a pin replaced, and all fighters just before them
        self.replaced: list[tuple[int, ParallelFights]] = []
        self._until = 0  # tick up to which the borders hold
        for fight in self.fights:
            fight.advance()

    @property
    def fps(self) -> float:
        return self.fights[0].fps

    @property
    def decided(self) -> int:
        """Decisions so far."""
        return sum(fight.decided for fight in self.fights)

    def copied(self) -> "ParallelFights":
        """The same fights at the same moment, to go on differently."""
        other = copy(self)
        other.fights, other.replaced = [fight.copied() for fight in self.fights], []
        other.pins, other.released = list(self.pins), list(self.released)
        other.finale = copy(self.finale)
        return other

    def fight_of(self, who: int) -> tuple[Fight, int]:
        """The fight of one of the cast, and its number there."""
        for fight, some in zip(self.fights, self.members):
            if who in some:
                return fight, some.index(who)
        raise RandoriError(f"no character has the number {who}")

    def running(self, ticks: int) -> Generator[float, None, Timeline]:
        """Play a number of ticks, without pins; yields the share that is done."""
        self.end, self.pins = min(self.end, ticks), []
        while self._until < self.end or min(fight.now for fight in self.fights) < self.end:
            yield self._until / ticks
            self.advance(min(self._until + SLICE, self.end))
        return self.timeline(self.end)

    def advance(self, tick: int) -> None:
        """Let all fighters decide that have to before a tick."""
        while True:
            stop = min(tick, self._until, self.end)  # as far as the borders hold
            for fight in self.fights if self.shared else ():
                fight.limit = stop
            if self.pins or len(self.fights) == 1:
                self._play_in_order(stop)
            else:  # fight by fight on one thread, too: it keeps the data of a fight in the processor's cache
                with ThreadPoolExecutor(self.threads) as pool:
                    list(pool.map(self._play, self.fights, repeat(stop)))
            if self._until >= min(tick, self.end):
                return
            self._end_soon()
            self.draw_borders()
            self._until = min(self._until + SLICE, self.end)

    def _end_soon(self) -> None:
        """Set the end, once the story is complete."""
        if self.lingers is not None and all(fight.director.is_told for fight in self.fights):
            self.end = min(self.end, self._until + round(self.lingers * self.fps))
            self.lingers = None

    def draw_borders(self) -> None:
        """Give every fight the ground that is nearer to it than to any other fight or character."""
        if len(self.fights) == 1 and len(self.others) == 0:
            return
        places = [fight.pelvises() for fight in self.fights]
        middles = np.array([place.mean(axis=0) for place in places])
        for number, fight in enumerate(self.fights):
            away = middles - middles[number]
            apart = np.linalg.norm(away, axis=1)
            borders = []
            for other in np.flatnonzero((apart < _NEIGHBOURS) & (apart > 0.0)).tolist():
                normal = away[other] / apart[other]
                # half way between the nearest of both
                mine, theirs = (places[number] @ normal).max(), (places[other] @ normal).min()
                borders.append(
                    Border((float(normal[0]), float(normal[1])), 0.5 * float(mine + theirs) - _ROOM)
                )
            borders += self._borders_to_others(places[number])
            fight.director.borders = tuple(borders)

    def _borders_to_others(self, here: np.ndarray) -> list[Border]:
        """Borders between fighters (N, 2) and other characters; one that comes too near is let through."""
        borders = []
        for way in self.others:
            away = way[0] - here.mean(axis=0)
            apart = float(np.linalg.norm(away))
            if not 0.0 < apart < _NEIGHBOURS:
                continue
            normal = away / apart
            mine, theirs = float((here @ normal).max()), float((way @ normal).min())
            offset = max(0.5 * (mine + theirs) - _ROOM, mine)
            borders.append(Border((float(normal[0]), float(normal[1])), offset))
        return borders

    def _play(self, fight: Fight, stop: int) -> None:
        """One fight until a tick; nothing else is touched."""
        while fight.now < stop:
            self._choose(fight, None)

    def _play_in_order(self, stop: int) -> None:
        """All fights until a tick, decision by decision in the order of time."""
        while True:
            fight = min(self.fights, key=lambda one: one.now)
            if fight.now >= min(stop, self.end):
                return
            self._choose(fight, self._pinned(fight))

    def _pinned(self, fight: Fight) -> np.ndarray | None:
        """The pin for the next decision of a fight; a pin whose time is over is released."""
        if not self.pins or fight.selector < 0:
            return None
        who = self.members[self.fights.index(fight)][fight.selector]
        for pin in [one for one in self.pins if one.who == who and one.tick <= fight.now]:
            if fight.now > pin.tick + round(_IN_TIME * self.fps):
                self.pins.remove(pin)
                self.released.append(pin)
                continue
            possible = fight.possible(fight.selector)
            found = next((fits for fits in pin.wanted if np.isin(fits, possible).any()), None)
            if found is not None:
                self.pins.remove(pin)
                self.replaced.append((fight.now, self.copied()))
                return found
        return None

    def _choose(self, fight: Fight, pinned: np.ndarray | None) -> None:
        if self.finale is None or not self.finale.begins(fight):
            fight.choose(pinned)
        if fight.advance() and fight.habits.stops_when_caught and len(self.fights) == 1:
            self.end = min(self.end, fight.now + round(fight.fps))

    def events(self, since: int) -> list[Event]:
        """The events from a tick on, in all fights."""
        return [
            _moved_event(event, some)
            for fight, some in zip(self.fights, self.members)
            for event in _latest(fight.events, since - round(_OUT_OF_ORDER * self.fps))
            if event.tick >= since
        ]

    def timeline(self, end: int) -> Timeline:
        """The timeline until a tick, with all fights and obstacles."""
        lines = [fight.timeline(end) for fight in self.fights]
        props = self.fights[
            0
        ].director.props  # all fights have the same walls; cars are in scenes of one fight
        obstacles = (
            *(wall.obstacle() for wall in props.walls),
            *(car.obstacle(end, self.fps) for car in props.cars),
        )
        if len(lines) == 1:
            return replace(lines[0], obstacles=obstacles)
        count = sum(len(some) for some in self.members)
        tracks = [lines[0].tracks[0]] * count
        events: list[tuple[int, int, Event]] = []
        decisions: list[tuple[int, int, Decision]] = []
        for number, (line, some) in enumerate(zip(lines, self.members)):
            for who, track in zip(some, line.tracks):
                tracks[who] = _moved_track(track, some)
            events += [(event.tick, number, _moved_event(event, some)) for event in line.events]
            decisions += [(one.tick, number, _moved_decision(one, some)) for one in line.decisions]
        return Timeline(
            self.fps,
            end,
            tuple(tracks),
            tuple(event for _, _, event in sorted(events, key=lambda row: row[:2])),
            tuple(one for _, _, one in sorted(decisions, key=lambda row: row[:2])),
            obstacles=obstacles,
        )


def _latest(events: Sequence[Event], since: int) -> Sequence[Event]:
    """The last events: all that were written down after the last one before a tick."""
    first = len(events)
    while first > 0 and events[first - 1].tick >= since:
        first -= 1
    return events[first:]


def _moved_track(track: Track, some: Sequence[int]) -> Track:
    """A track of a fight with the numbers of the whole cast."""
    if track.fighting is None:
        return track
    opponents = tuple(some[one] for one in track.fighting.opponents)
    return replace(track, fighting=replace(track.fighting, opponents=opponents))


def _moved_event(event: Event, some: Sequence[int]) -> Event:
    """An event of a fight with the numbers of the whole cast."""
    who, whom = (some[one] if one >= 0 else -1 for one in (event.who, event.whom))
    return Event(event.tick, event.kind, who, whom, event.what, event.part, event.strength, event.point)


def _moved_decision(one: Decision, some: Sequence[int]) -> Decision:
    """A decision in a fight with the numbers of the whole cast."""
    return replace(
        one,
        who=some[one.who],
        unseen=tuple(some[other] for other in one.unseen),
        line=tuple((some[who], action, tick) for who, action, tick in one.line),
    )
