"""A fight: characters that decide one after the other, in one world, until the time is over.

Whoever's action has ended searches the tree of its group: itself and the nearest opponents and allies. Groups
form anew with every decision, so they follow who is near whom.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from randori.body.capsules import CAPSULES
from randori.duel.board import Layout, Moment, lay_out, lay_out_wishes, new_moment, read_moment, set_moment
from randori.duel.combination import Amendment, combination_table
from randori.duel.game import Rules, Sides, State, Stock, Verdict
from randori.duel.search import MEETINGS, RULES, TERMS, Searcher
from randori.duel.stock import build_stock
from randori.duel.styles import Style
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.places import compose, inverse
from randori.kernels.duel_moves import begin, first_idle
from randori.kernels.duel_rules import PLAUSIBLE
from randori.kernels.duel_tables import ANSWER, BLOCK, CAUGHT, HIT, START
from randori.kernels.duel_world import advance as advance_world
from randori.motion.placement import Placement
from randori.timeline.timeline import (
    CHOSEN,
    FORCED,
    PINNED,
    Decision,
    Event,
    Option,
    Placed,
    Timeline,
    Track,
)

REACTION = 0.2  # seconds: with more, equals hit each other all the time; with none, never
GROUP = 3  # characters that share a tree at most
NEAR = 4.0  # metres within which others than the nearest opponent belong to a group
_EVENTS = 256  # between two selections, at most
_NEVER_SEEN = 0.1  # what an action counts that an opponent has not been seen to do, for its model
_KINDS = {HIT: "hit", BLOCK: "block", CAUGHT: "caught", ANSWER: "response"}

RULES_OF_BOXING = Rules(
    overlap=0.05,
    overlap_step=6,
    facing=np.deg2rad(45.0),
    defence_range=3.0,
    heavy=9.0,
    felling=30.0,
    remembered=8,
    alike=0.5,
    forgetting=0.8,
    model=False,
)


@dataclass(frozen=True)
class Fighter:
    """A character: how it can move, what it wants, how far it thinks."""

    name: str
    graph: ActionGraph
    style: Style
    depth: int = 3  # plies
    reaction: float = REACTION  # seconds for which it does not see an attack
    team: int = 0
    place: Placement = field(
        default_factory=Placement
    )  # where its pelvis is at the beginning, and the way it looks
    outfit: int = 0
    wanted: tuple[str, ...] = ()  # actions that are asked for, by technique: "left jab", "duck"
    unwanted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """A place that characters are drawn to until they are there."""

    place: tuple[float, float]  # x, z metres
    radius: float = 0.5  # metres within which it is reached
    who: tuple[int, ...] = ()  # characters; all, if none are given


@dataclass(frozen=True)
class Habits:
    """How decisions are made."""

    rules: Rules = RULES_OF_BOXING
    path_rival: bool = False  # the path belongs to the competitive function
    pairing_shared: bool = False  # the combination table belongs to the cooperative function
    roulette: float = 0.0  # temperature of a random choice among the scores; 0 takes the best
    amendments: tuple[Amendment, ...] = ()
    stops_when_caught: bool = True


@dataclass
class _Diary:
    """What is written down while a fight goes on."""

    placed: list[list[Placed]]
    events: list[Event] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


class Fight:
    """Plays from the start to the end of a scene. What fighters want may be changed between decisions."""

    def __init__(
        self,
        fighters: Sequence[Fighter],
        seed: int = 1,
        path: Sequence[Checkpoint] = (),
        habits: Habits | None = None,
        threads: int = 1,
    ):
        if {fighter.team for fighter in fighters} != {0, 1}:
            raise RandoriError("a fight needs somebody of team 0 and somebody of team 1")
        self.fighters, self.path, self.threads = list(fighters), list(path), threads
        self.habits = habits or Habits()
        self.random = np.random.default_rng(seed)
        graphs = list(dict.fromkeys(fighter.graph for fighter in fighters))
        self.stock, self._layout = _laid_out(tuple(graphs))
        ends = np.cumsum([0] + [len(graph.library) for graph in graphs])
        self._first_action = [int(ends[graphs.index(fighter.graph)]) for fighter in fighters]
        frames = np.cumsum([0] + [len(graph.library.frames.clip) for graph in graphs])
        self._first_frame = [int(frames[graphs.index(fighter.graph)]) for fighter in fighters]
        self._checkpoint = 0
        self._seen = np.full((len(fighters), len(self.stock.first)), _NEVER_SEEN)
        self._searchers: dict[tuple[int, ...], Searcher] = {}
        self._moment: Moment = new_moment(2, len(fighters), self.habits.rules.remembered)
        self._diary = _Diary([[] for _ in fighters])
        set_moment(self._moment, self._beginning())

    @property
    def fps(self) -> float:
        return 1.0 / self.stock.tick

    @property
    def state(self) -> State:
        """What everybody does now."""
        return read_moment(self._moment)

    @cached_property
    def _combination(self) -> np.ndarray:
        return combination_table(self.habits.amendments)

    @cached_property
    def _requests(self) -> np.ndarray:
        """(N, A) what is asked for, and what is not wanted."""
        requests = np.zeros((len(self.fighters), len(self.stock.first)), dtype=np.int64)
        for number, fighter in enumerate(self.fighters):
            library = fighter.graph.library
            for words, sign in ((fighter.wanted, 1), (fighter.unwanted, -1)):
                for word in words:
                    fits = [
                        action
                        for action in range(len(library))
                        if word
                        in (
                            library.describe(action),
                            library.tags[action].technique,
                            library.tags[action].kind,
                        )
                    ]
                    if not fits:
                        known = ", ".join(library.counts())
                        raise RandoriError(f"{fighter.name} has no action {word!r}; there are: {known}")
                    requests[number, self._first_action[number] + np.array(fits)] = sign
        return requests

    def sides(self) -> Sides:
        """What everybody wants at this moment."""
        styles = [fighter.style for fighter in self.fighters]

        def column(name: str) -> np.ndarray:
            return np.array([getattr(style, name) for style in styles], dtype=float)

        count = len(styles)
        goals, follows = np.zeros((count, 2)), np.zeros(count)
        if self._checkpoint < len(self.path):
            checkpoint = self.path[self._checkpoint]
            for number in checkpoint.who or range(count):
                goals[number], follows[number] = checkpoint.place, 1.0
        return Sides(
            team=np.array([fighter.team for fighter in self.fighters], dtype=np.int64),
            **{
                name: column(name)
                for name in (
                    "facing_weight",
                    "distance_weight",
                    "distance",
                    "given_short",
                    "given_long",
                    "taken",
                    "pairing_weight",
                    "duration_weight",
                    "recency_weight",
                    "heading_weight",
                    "request_weight",
                    "touch",
                )
            },
            heading=np.zeros(count),
            path_weight=column("path_weight") * follows,
            goal=goals,
            request=self._requests,
            pairing_shared=np.full(count, self.habits.pairing_shared),
            path_rival=np.full(count, self.habits.path_rival),
            reaction=np.array(
                [round(fighter.reaction * self.fps) for fighter in self.fighters], dtype=np.int64
            ),
            combination=self._combination,
            guess=self._seen,
        )

    def _beginning(self) -> State:
        """Everybody stands where it should, a moment before it selects for the first time."""
        count = len(self.fighters)
        actions, places = np.zeros(count, dtype=np.int64), np.zeros((count, 3))
        stop = np.zeros(count, dtype=np.int64)
        for number, fighter in enumerate(self.fighters):
            action = self._first_action[number] + self._opening(fighter)
            first = int(self.stock.first[action])
            recorded = np.array([[*self.stock.place[first, :2], self.stock.facing[first]]])
            there = np.array([[fighter.place.x, fighter.place.z, fighter.place.yaw]])
            actions[number], places[number] = action, compose(inverse(recorded), there)[0]
            stop[number] = self.stock.ticks[action]
            self._begin_placed(number, int(action), 0, places[number], CHOSEN)
        return State(
            0,
            actions,
            np.zeros(count, dtype=np.int64),
            stop,
            places,
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=bool),
            np.full((count, self.habits.rules.remembered), -1, dtype=np.int64),
        )

    def _opening(self, fighter: Fighter) -> int:
        """The action that a fighter begins with: it stays about where it is, and has many ways to go on."""
        graph, library = fighter.graph, fighter.graph.library
        if len(graph.indices) == 0:
            raise RandoriError(f"{fighter.name} cannot move: its graph has kept no action")
        quiet = np.array(
            [library.tags[action].kind in ("transition", "locomotion") for action in graph.actions]
        )
        actions = graph.actions[quiet] if quiet.any() else graph.actions
        ways = np.diff(graph.indptr)[graph.end_posture[actions]]
        moved = np.linalg.norm(library.actions.displacement[actions][:, :2], axis=-1)
        calm = np.lexsort((moved + 0.2 * library.durations[actions], -np.minimum(ways, np.median(ways))))
        return int(actions[calm[int(self.random.integers(min(4, len(calm))))]])

    def run(self, seconds: float) -> Generator[int, None, Timeline]:
        """Play for so long; yields the tick of every decision and returns the timeline."""
        end = round(seconds * self.fps)
        self.advance()
        while (now := self.now) < end:
            self.choose()
            yield now
            if self.advance() and self.habits.stops_when_caught:
                end = min(end, self.now + round(self.fps))
        return self.timeline(end)

    def choose(self, pinned: int | None = None) -> None:
        """Let whoever is idle select: the best, or what is pinned, an action of its library."""
        self._reach_checkpoint()
        who = first_idle(self._moment.doing, 0)
        self.select(who, self.decide(who, pinned), CHOSEN if pinned is None else PINNED)

    @property
    def now(self) -> int:
        """The tick in which somebody selects next."""
        return int(self._moment.clock[0])

    def decide(self, who: int, pinned: int | None = None) -> int:
        """The action that a fighter selects, and why."""
        members = self._group(who)
        searcher, me = self._searcher(members), members.index(who)
        state, unseen = searcher.believed(_restricted(self.state, members), me)
        broken = searcher.broken_rules(state, me)
        if pinned is None:
            orders = np.flatnonzero(broken == broken.max())
        else:
            orders = self._order_of(who, pinned, searcher.choices(state, me))
        depth = self.fighters[who].depth
        if self.habits.roulette > 0.0:
            verdict = self._draw(searcher.scores(state, me, depth, orders))
        else:
            verdict = searcher.best(state, me, depth, orders).verdict
        choices, terms = searcher.choices(state, me), searcher.terms(state, me)
        first = self._first_action[who]
        self._diary.decisions.append(
            Decision(
                int(state.now),
                who,
                verdict.action - first,
                depth,
                verdict.competitive,
                verdict.cooperative,
                tuple(members[other] for other in unseen),
                tuple(
                    (members[one], int(action) - self._first_action[members[one]], int(tick))
                    for one, action, tick in verdict.line
                ),
                tuple(
                    Option(
                        int(action) - first,
                        "" if rule == PLAUSIBLE else RULES[rule],
                        dict(zip(TERMS, row.tolist())),
                    )
                    for action, rule, row in zip(choices, broken, terms)
                ),
            )
        )
        return verdict.action

    def _order_of(self, who: int, pinned: int, choices: np.ndarray) -> np.ndarray:
        """(1,) the number of a pinned action among the choices."""
        own = choices - self._first_action[who]
        found = np.flatnonzero(own == pinned)
        if len(found) == 0:
            fighter = self.fighters[who]
            possible = ", ".join(f"{k} ({fighter.graph.library.describe(k)})" for k in own.tolist())
            raise RandoriError(
                f"{fighter.name} cannot do {pinned} at {self.now / self.fps:.2f} s; possible are {possible}"
            )
        return found

    def _draw(self, verdicts: Sequence[Verdict]) -> Verdict:
        """One of the choices by chance: the better, the likelier."""
        worth = np.array([verdict.competitive + verdict.cooperative for verdict in verdicts])
        chance = np.exp((worth - worth.max()) / self.habits.roulette)
        return verdicts[int(self.random.choice(len(verdicts), p=chance / chance.sum()))]

    def _group(self, who: int) -> tuple[int, ...]:
        """The characters that share a tree: the nearest opponent, and who else is near."""
        if len(self.fighters) <= GROUP:
            return tuple(range(len(self.fighters)))
        places = self._pelvises()
        apart = np.linalg.norm(places - places[who], axis=-1)
        order = np.argsort(apart, kind="stable")
        rivals = [k for k in order if self.fighters[k].team != self.fighters[who].team]
        members = {who, int(rivals[0])}
        for k in order:
            if len(members) < GROUP and apart[k] < NEAR:
                members.add(int(k))
        return tuple(sorted(members))

    def _pelvises(self) -> np.ndarray:
        """(N, 2) metres, where everybody is."""
        state = self.state
        frames = self.stock.first[state.action] + np.minimum(
            state.now - state.start, self.stock.ticks[state.action]
        )
        return compose(self.stock.place[frames], state.place)[:, :2]

    def _searcher(self, members: tuple[int, ...]) -> Searcher:
        sides = _some(self.sides(), members)
        if members not in self._searchers:
            self._searchers[members] = Searcher(
                self.stock, sides, self.habits.rules, self.threads, self._layout
            )
        else:
            self._searchers[members].wish(sides, self.habits.rules)
        return self._searchers[members]

    def select(self, who: int, action: int, cause: str = CHOSEN) -> None:
        """Let a fighter begin what it has chosen."""
        moment, tables = self._moment, self._layout.tables
        now = int(moment.clock[0])
        begin(tables.actions, tables.spots, moment.doing, moment.where, 0, 0, who, action, now)
        moment.recent[0, who] = np.roll(moment.recent[0, who], 1)
        moment.recent[0, who, :1] = action
        self._seen[who, action] += 1.0
        self._begin_placed(who, action, now, moment.where[0, who, :3], cause)

    def advance(self) -> bool:
        """Let time go on until somebody may select. Whether somebody was caught."""
        count = len(self.fighters)
        wishes = lay_out_wishes(
            self.sides(), self.habits.rules, self._layout.tables, self._layout.travel, self.stock.tick
        )
        events, marks = np.zeros((_EVENTS, 6), dtype=np.int64), np.zeros((_EVENTS, 4))
        t, m = self._layout.tables, self._moment
        found = advance_world(
            t.actions, t.spots, t.frames, t.body, t.radii, t.strikes, t.sweeps, t.response,
            wishes.sides, wishes.rules, 0.0, m.doing, m.where, m.sums, m.clock, 0, False,
            np.zeros((MEETINGS, 5), dtype=np.int64), np.zeros((count, 4)), events, marks, 0,
        )  # fmt: skip
        for row, mark in zip(events[:found], marks[:found]):
            self._write_down(row, mark)
        return bool((events[:found, 1] == CAUGHT).any())

    def _write_down(self, row: np.ndarray, mark: np.ndarray) -> None:
        tick, what, who, whom, number, part = (int(value) for value in row)
        striker = ""
        if what in (HIT, BLOCK):
            striker = CAPSULES[int(self.stock.strike_capsule[number])]
        if what == ANSWER:
            # where a later event of the same interval has put it, the place is not known here any more
            place = self._moment.where[0, who, :3] if self._moment.doing[0, who, START] == tick else None
            if place is None:
                place = self._answer_place(who, number, tick)
            self._begin_placed(who, number, tick, place, FORCED)
            self._diary.events.append(Event(tick, "response", who, whom))
            return
        self._diary.events.append(
            Event(
                tick,
                _KINDS[what],
                who,
                whom,
                striker,
                CAPSULES[part] if part >= 0 else "",
                float(mark[0]),
                (float(mark[1]), float(mark[2]), float(mark[3])) if what != CAUGHT else None,
            )
        )

    def _answer_place(self, who: int, action: int, tick: int) -> np.ndarray:
        """Where an answer happens: its pelvis begins where the one of the action before it was cut."""
        before = self._diary.placed[who][-1]
        frame = self._first_frame[who] + before.first + tick - before.start
        cut = np.array([[before.placement.x, before.placement.z, before.placement.yaw]])
        here = compose(self.stock.place[frame : frame + 1], cut)
        first = int(self.stock.first[action])
        return compose(inverse(self.stock.place[first : first + 1]), here)[0]

    def _begin_placed(self, who: int, action: int, tick: int, place: np.ndarray, cause: str) -> None:
        """Write down that somebody begins an action; the one before it ends."""
        placed = self._diary.placed[who]
        if placed:
            last = placed[-1]
            placed[-1] = Placed(last.action, last.first, last.start, tick, last.placement, last.cause)
        first = int(self.stock.first[action]) - self._first_frame[who]
        placed.append(
            Placed(
                action - self._first_action[who],
                first,
                tick,
                tick + int(self.stock.ticks[action]),
                Placement(*(float(value) for value in place)),
                cause,
            )
        )

    def _reach_checkpoint(self) -> None:
        """Go on to the next checkpoint when the middle of those who are drawn to it is there."""
        while self._checkpoint < len(self.path):
            checkpoint = self.path[self._checkpoint]
            who = list(checkpoint.who) or list(range(len(self.fighters)))
            middle = self._pelvises()[who].mean(axis=0)
            if np.linalg.norm(middle - np.array(checkpoint.place)) > checkpoint.radius:
                return
            self._checkpoint += 1
            self._diary.events.append(Event(int(self._moment.clock[0]), "checkpoint", who[0]))

    def timeline(self, end: int) -> Timeline:
        """What happens until a tick."""
        tracks = []
        for fighter, placed in zip(self.fighters, self._diary.placed):
            shown = [one for one in placed if one.start < end]
            last = shown[-1]
            stop = min(max(last.stop, 1), end)
            shown[-1] = Placed(last.action, last.first, last.start, stop, last.placement, last.cause)
            tracks.append(Track(fighter.name, fighter.graph.library, tuple(shown), fighter.outfit))
        events = tuple(event for event in self._diary.events if event.tick <= end)
        decisions = tuple(decision for decision in self._diary.decisions if decision.tick < end)
        return Timeline(self.fps, end, tuple(tracks), events, decisions)


@lru_cache(maxsize=2)  # who fights again need not be measured again
def _laid_out(graphs: tuple[ActionGraph, ...]) -> tuple[Stock, Layout]:
    """The stock of some graphs, and its tables."""
    stock = build_stock(graphs)
    return stock, lay_out(stock)


def _restricted(state: State, members: tuple[int, ...]) -> State:
    """The state of some of the characters."""
    chosen = list(members)
    return State(state.now, *(part[chosen] for part in state[1:]))


def _some(sides: Sides, members: tuple[int, ...]) -> Sides:
    """What some of the characters want."""
    chosen = list(members)
    return Sides(
        *(value if name == "combination" else value[chosen] for name, value in zip(Sides._fields, sides))
    )
