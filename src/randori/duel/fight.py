"""A fight: characters that decide one after the other, in one world, until the time is over.

A fighter whose action has ended searches the tree of its group: itself and its neighbours. Groups
form newly with every decision, so they change as fighters move.
"""

from collections.abc import Generator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from randori.body.capsules import CAPSULES
from randori.duel.added import registered
from randori.duel.board import (
    Layout,
    lay_out,
    make_game,
    new_levels,
    place_of,
    read_state,
    set_place,
    set_position,
    set_state,
)
from randori.duel.combination import Amendment, combination_table
from randori.duel.composure import find_calmness
from randori.duel.condition import Condition, recovered
from randori.duel.diary import Diary
from randori.duel.director import Director, Props
from randori.duel.fighter import Fighter, Habits, opening, sides_of
from randori.duel.game import ATTACK, GO_ON, Rules, Sides, State, Stock, Verdict
from randori.duel.goals import FALL, Checkpoint
from randori.duel.search import TERMS, Searcher, new_contacts
from randori.duel.solids import Car, deepest
from randori.duel.stock import build_stock
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.places import compose, inverse
from randori.kernels.duel_moves import begin, next_selector
from randori.kernels.duel_places import launches
from randori.kernels.duel_records import ALL_SPENT, BLOCK, CAUGHT, HIT, REACTION, Levels
from randori.kernels.duel_rules import LOOKS_AWAY, OUT_OF_RANGE, PLAUSIBLE
from randori.kernels.duel_world import NEVER, pass_time
from randori.timeline.timeline import (
    CHOSEN,
    FORCED,
    PINNED,
    Event,
    Fighting,
    Option,
    Placed,
    Timeline,
    Track,
)

GROUP = 3  # characters that share a tree at most
NEAR = 4.0  # metres within which others than the nearest opponent belong to a group
_EVENTS = 256  # between two selections, at most
_NEVER_SEEN = 0.1  # weight, in the model of an opponent, of an action that it was not seen to do
_TRACK_SHARES = np.array([0.25, 0.5, 0.75, 1.0])  # shares of an action at which its way is looked at
_LYING_SECONDS = 1.0  # seconds for which a fighter on the floor is left lying at a time
_LEAST_DISTANCE = 0.45  # metres between the pelvises of fighters whose bodies are not in each other
_ON_FLOOR = ("fall", "rise", "lie", "roll over")  # kinds and techniques of fighters not on their feet
INTO, FORBIDDEN = "runs into something", "is forbidden"  # rules of the director, beside those of the search
_KINDS = {HIT: "hit", BLOCK: "block", CAUGHT: "caught", REACTION: "response"}


class Fight:
    """Plays from the start to the end of a scene. The fighters' wishes may change between decisions."""

    def __init__(
        self,
        fighters: Sequence[Fighter],
        seed: int = 1,
        path: Sequence[Checkpoint] = (),
        habits: Habits | None = None,
        threads: int = 1,
        props: Props | None = None,
        guests: Sequence[int] = (),
    ):
        """`guests` are fighters that another controller moves: see `show_guest`."""
        if {fighter.team for fighter in fighters} != {0, 1}:
            raise RandoriError("a fight needs a fighter of team 0 and a fighter of team 1")
        self.fighters, self.threads = list(fighters), threads
        self.guests = tuple(guests)
        self.limit: int | None = None  # a tick that time does not pass: others have to come to it, too
        self._plans: dict[int, list[Placed]] = {}  # of fighters that follow a plan: steps to come
        self.answers: list[tuple[int, int]] = []  # guests that were struck, and how they react
        habits = habits or Habits()
        self.habits = replace(habits, rules=habits.rules._replace(added=registered()))
        self.random = np.random.default_rng(seed)
        graphs = list(dict.fromkeys(fighter.graph for fighter in fighters))
        self.stock, self._layout, self._tracks = _laid_out(tuple(graphs))
        ends = np.cumsum([0] + [len(graph.library) for graph in graphs])
        self._first_action = [int(ends[graphs.index(fighter.graph)]) for fighter in fighters]
        frames = np.cumsum([0] + [len(graph.library.frames.clip) for graph in graphs])
        self._first_frame = [int(frames[graphs.index(fighter.graph)]) for fighter in fighters]
        teams = [fighter.team for fighter in fighters]
        self.director = Director(
            teams, path, props or Props(), self._fitting, len(self.stock.first), self.fps
        )
        self._condition = Condition.of(len(fighters), *self._techniques())
        self._on_target: set[int] = set()  # fighters whose present attack has landed
        self._named: dict[tuple[int, str], np.ndarray] = {}
        self._seen = np.full((len(fighters), len(self.stock.first)), _NEVER_SEEN)
        self._searchers: dict[tuple[int, ...], Searcher] = {}
        self._levels: Levels = new_levels(2, len(fighters), self.habits.rules.remembered)
        self._diary = Diary(self._first_action, self._first_frame, [[] for _ in fighters])
        # a decision (tick, fighter) whose options a user wants scored, and the scores by action
        self.wonders: tuple[int, int] | None = None
        self.weighed: dict[int, Verdict] = {}
        set_state(self._levels, self._beginning())

    def _techniques(self) -> tuple[np.ndarray, np.ndarray]:
        """(A,) int64 numbers for the techniques of attacks, else -1; and (A,) bool what only stands."""
        libraries = dict.fromkeys(fighter.graph.library for fighter in self.fighters)
        tags = [tag for library in libraries for tag in library.tags]
        names = sorted({tag.technique for tag in tags if tag.kind == "attack"})
        techniques = [names.index(tag.technique) if tag.kind == "attack" else -1 for tag in tags]
        return np.array(techniques), np.array([tag.technique == "stand" for tag in tags])

    @property
    def fps(self) -> float:
        return 1.0 / self.stock.tick

    @property
    def state(self) -> State:
        """The current action of every fighter."""
        return read_state(self._levels)

    @cached_property
    def _combination(self) -> np.ndarray:
        return combination_table(self.habits.amendments)

    @cached_property
    def _calm(self) -> np.ndarray:
        """(A,) how calm actions look."""
        libraries = dict.fromkeys(fighter.graph.library for fighter in self.fighters)
        return find_calmness(self.stock, [tags for library in libraries for tags in library.tags])

    def _fitting(self, who: int, word: str) -> np.ndarray:
        """The actions of a fighter that a word names: "left jab", "jab" or "attack"."""
        if (who, word) not in self._named:
            self._named[who, word] = self._first_action[who] + self.fighters[who].graph.library.named(word)
        return self._named[who, word]

    @cached_property
    def _wanted(self) -> np.ndarray:
        """(N, A) actions that are requested of fighters all the time, or not wanted of them."""
        requests = np.zeros((len(self.fighters), len(self.stock.first)), dtype=np.int64)
        for number, fighter in enumerate(self.fighters):
            for words, sign in ((fighter.wanted, 1), (fighter.unwanted, -1)):
                for word in words:
                    fits = self._fitting(number, word)
                    if len(fits) == 0:
                        known = ", ".join(fighter.graph.library.counts())
                        raise RandoriError(f"{fighter.name} has no action {word!r}; there are: {known}")
                    requests[number, fits] = sign
            if fighter.joins * self.fps > self.now:
                requests[number, self._fitting(number, "attack")] = -1
        return requests

    def sides(self) -> Sides:
        """The wishes of all fighters at this moment."""
        sides = sides_of(
            self.fighters,
            self.fps,
            request=self._wanted,
            pairing_shared=self.habits.pairing_shared,
            path_rival=self.habits.path_rival,
            combination=self._combination,
            guess=self._seen,
            terms=self.rules.added.terms,
        )
        sides = sides._replace(
            reaction=self._condition.reaction(sides.reaction),
            urge=self._condition.urges([fighter.style for fighter in self.fighters]),
        )
        seconds = self.now / self.fps
        return self.director.wishes(sides, self._wanted, self._calm, self.pelvises(), seconds)

    @property
    def rules(self) -> Rules:
        """The rules, and the reactions to blows."""
        return self.habits.rules

    def change(self, who: int, fighter: Fighter) -> None:
        """Let a fighter be another from its next decision on: style, depth, reaction, requests, tags."""
        graphs = list(dict.fromkeys(one.graph for one in self.fighters))
        if fighter.graph is not self.fighters[who].graph:
            # the same motions with other tags: this concerns all fighters that use them
            old = self.fighters[who].graph
            self.fighters = [
                replace(one, graph=fighter.graph) if one.graph is old else one for one in self.fighters
            ]
            graphs[graphs.index(old)] = fighter.graph
            self.stock, self._layout, self._tracks = _laid_out(tuple(graphs))
            self._searchers.clear()
        self.fighters[who] = fighter
        self._forget_words()

    def copied(self) -> "Fight":
        """The same fight at the same moment: later changes to one do not affect the other."""
        other = copy(self)
        other.fighters, other.random = list(self.fighters), deepcopy(self.random)
        other._named, other._searchers = dict(self._named), dict(self._searchers)
        other._seen, other._levels = self._seen.copy(), Levels(*(part.copy() for part in self._levels))
        other._diary = self._diary.copied()
        other.director = self.director.copied(other._fitting)
        other._condition, other._on_target = self._condition.copied(), set(self._on_target)
        other.answers = list(self.answers)
        other._plans = {who: list(steps) for who, steps in self._plans.items()}
        return other

    def amend(self, amendment: Amendment) -> None:
        """Another row of the combination table, from the next decision on."""
        self.habits = replace(self.habits, amendments=(*self.habits.amendments, amendment))
        self.__dict__.pop("_combination", None)

    def _forget_words(self) -> None:
        self._named.clear()
        for name in ("_wanted", "_calm"):
            self.__dict__.pop(name, None)

    def _beginning(self) -> State:
        """All fighters at their starts, a moment before the first selection."""
        count = len(self.fighters)
        actions, places = np.zeros(count, dtype=np.int64), np.zeros((count, 3))
        stop = np.zeros(count, dtype=np.int64)
        for number, fighter in enumerate(self.fighters):
            action = self._first_action[number] + opening(fighter, self.random)
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
            np.full(count, -1, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
            np.zeros(count),
        )

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

    @property
    def selector(self) -> int:
        """The fighter that selects next, or -1."""
        return int(next_selector(self._levels.fighters[0]))

    def first_action(self, who: int) -> int:
        """The number of the first action of a fighter's library, among the actions of all libraries."""
        return self._first_action[who]

    def possible(self, who: int) -> np.ndarray:
        """The actions of its library that a fighter can select now; the running one, if it can go on."""
        members = self._group(who)
        searcher, me = self._searcher(members), members.index(who)
        state, _ = searcher.believed(_restricted(self.state, members), me)
        choices = searcher.choices(state, me)
        own = np.append(choices, state.action[me]) if state.alert[me] >= 0 else choices
        possible: np.ndarray = own - self._first_action[who]
        return possible

    def considered(self, who: int) -> np.ndarray:
        """(C,) bool: which of the actions of `possible` a fighter considers, by all rules."""
        members = self._group(who)
        searcher, me = self._searcher(members), members.index(who)
        state, _ = searcher.believed(_restricted(self.state, members), me)
        choices, alert = searcher.choices(state, me), bool(state.alert[me] >= 0)
        barred = self.director.barred(who, self._wanted)[choices]
        into = self._in_the_way(who, members, choices)
        considered = np.zeros(len(choices) + alert, dtype=bool)
        broken, attacks = searcher.broken_rules(state, me), self.stock.kind[choices] == ATTACK
        considered[_allowed(broken, into, barred, attacks, alert)] = True
        return considered

    def choose(self, pinned: np.ndarray | None = None) -> None:
        """Let the idle fighter select its best action, or the best of the pinned ones."""
        self._diary.events += self.director.look(self.now, self.fps, self.pelvises())
        self._welcome()
        who = next_selector(self._levels.fighters[0])
        if who < 0:
            return  # all fighters lie
        self.select(who, self.decide(who, pinned), CHOSEN if pinned is None else PINNED)

    def _welcome(self) -> None:
        """Release fighters that join in."""
        if any(0.0 < fighter.joins * self.fps <= self.now for fighter in self.fighters):
            self.fighters = [
                replace(fighter, joins=0.0) if fighter.joins * self.fps <= self.now else fighter
                for fighter in self.fighters
            ]
            self._forget_words()

    @property
    def decided(self) -> int:
        """Decisions so far."""
        return len(self._diary.decisions)

    def forget_options(self, before: int) -> None:
        """Drop what else could have been chosen before a tick."""
        self._diary.forget_options(before)

    @property
    def events(self) -> Sequence[Event]:
        """The timeline so far."""
        return self._diary.events

    def placed(self, who: int) -> Sequence[Placed]:
        """The actions of a fighter so far, with the current one."""
        return self._diary.placed[who]

    @property
    def now(self) -> int:
        """The tick of the next selection."""
        return int(self._levels.moments["now"][0])

    def decide(self, who: int, pinned: np.ndarray | None = None) -> int:
        """The action that a fighter selects, and why."""
        members = self._group(who)
        searcher, me = self._searcher(members), members.index(who)
        state, unseen = searcher.believed(_restricted(self.state, members), me)
        broken = searcher.broken_rules(state, me)
        choices = searcher.choices(state, me)
        into = self._in_the_way(who, members, choices)
        barred = self.director.barred(who, self._wanted)[choices]
        alert = state.alert[me] >= 0
        if pinned is None:
            orders = _allowed(broken, into, barred, self.stock.kind[choices] == ATTACK, alert)
            if not alert and (
                len(orders) == 1 and self.director.on_its_way(who) and self._repeats(who, choices[orders[0]])
            ):
                # it would mark time without end: a less plausible action gets it going
                others = (broken >= LOOKS_AWAY) & (np.arange(len(choices)) != orders[0])
                orders = np.flatnonzero(others) if others.any() else orders
            elif not alert and who in self.director.led and self.director.on_its_way(who):
                free = (broken >= LOOKS_AWAY) & (into <= 0.0) & ~barred
                orders = self._leading_on(who, orders, choices, free & (broken < OUT_OF_RANGE))
        else:
            orders = np.flatnonzero(np.isin(self.possible(who), pinned))
        depth = self.fighters[who].depth
        if self.wonders == (int(state.now), who):
            found = searcher.scores(state, me, depth, orders)
            ongoing, first = int(state.action[me]), self._first_action[who]
            self.weighed = {(ongoing if one.action == GO_ON else one.action) - first: one for one in found}
        if self.habits.roulette > 0.0:
            verdict = self._draw(searcher.scores(state, me, depth, orders))
        else:
            verdict = searcher.best(state, me, depth, orders).verdict
        terms = searcher.terms(state, me)
        # the path counts the progress along it; the search keeps that among the requests
        terms[:, TERMS.index("path")] += self.director.head_start[who]
        terms[:, TERMS.index("request")] -= self.director.head_start[who]
        first = self._first_action[who]
        options = [
            Option(
                int(action) - first,
                _rule_in_words(searcher.rule_names, rule, into[k], barred[k]),
                dict(zip(searcher.term_names, row.tolist())),
            )
            for k, (action, rule, row) in enumerate(zip(choices, broken, terms))
        ]
        if alert:
            options.append(Option(int(state.action[me]) - first, "", {}))
        self._diary.decide(int(state.now), members, who, depth, verdict, unseen, options)
        return verdict.action

    def _leading_on(
        self, who: int, orders: np.ndarray, choices: np.ndarray, looking_away: np.ndarray
    ) -> np.ndarray:
        """Choices of a fighter that a player sends to a place: it gets going, back turned or not.

        The place may lie behind it, and a stand that drifts a little closer would always look best.
        """
        orders = np.union1d(orders, np.flatnonzero(looking_away))
        moving = orders[~np.isin(choices[orders], self.director.fits(who, "stand"))]
        return moving if len(moving) else orders

    def _repeats(self, who: int, action: int) -> bool:
        return int(self._levels.recent[0, who, 0]) == int(action)

    def _draw(self, verdicts: Sequence[Verdict]) -> Verdict:
        """One of the choices by chance: the better, the likelier."""
        worth = np.array([verdict.competitive + verdict.cooperative for verdict in verdicts])
        chance = np.exp((worth - worth.max()) / self.habits.roulette)
        return verdicts[int(self.random.choice(len(verdicts), p=chance / chance.sum()))]

    def _in_the_way(self, who: int, members: tuple[int, ...], choices: np.ndarray) -> np.ndarray:
        """(C,) metres that each choice of a fighter gets into something; not positive if its way is free.

        The rules of the search see the opponents in its tree; allies and all others are in the way here.
        """
        state = self._levels.fighters[0, who]
        left = self.stock.exit[state["action"]]
        if state["alert"] >= 0:
            left = self.stock.break_place[state["alert"]]
        here = compose(left[None], place_of(self._levels, who)[None])
        ways = compose(self._tracks[choices].reshape(-1, 3), np.broadcast_to(here, (4 * len(choices), 3)))
        ways = ways[:, :2].reshape(len(choices), len(_TRACK_SHARES), 2)
        into = deepest(self.director.solids(who), ways)
        ticks = self.now + np.rint(self.stock.ticks[choices][:, None] * _TRACK_SHARES).astype(np.int64)
        for other in range(len(self.fighters)):
            ally = self.fighters[other].team == self.fighters[who].team
            if other != who and (ally or other not in members) and other not in self.director.down:
                apart = np.linalg.norm(ways - self._pelvis_of(other, ticks), axis=-1)
                into = np.maximum(into, _LEAST_DISTANCE - apart.min(axis=-1))
        return into

    def _pelvis_of(self, who: int, ticks: np.ndarray) -> np.ndarray:
        """(…, 2) metres, where a fighter is in ticks (…) if it stays where its action ends."""
        state = self._levels.fighters[0, who]
        shown = np.minimum(ticks, state["stop"]) - state["start"]
        frames = self.stock.first[state["action"]] + np.minimum(shown, self.stock.ticks[state["action"]])
        place = np.broadcast_to(place_of(self._levels, who), (frames.size, 3))
        return compose(self.stock.place[frames.ravel()], place)[:, :2].reshape(*ticks.shape, 2)

    def _group(self, who: int) -> tuple[int, ...]:
        """The characters that share a tree: the nearest opponent, and others that are near."""
        places = self.pelvises()
        apart = np.linalg.norm(places - places[who], axis=-1)
        order = np.argsort(apart, kind="stable")
        rivals = [k for k in order if self.fighters[k].team != self.fighters[who].team]
        # fighters that lie, or have not joined yet, count only if there is no other
        minded = [k for k in range(len(self.fighters)) if self._takes_part(k)]
        members = {who, int(next((k for k in rivals if k in minded), rivals[0]))}
        if len(minded) <= GROUP and who in minded:
            return tuple(sorted(members | set(minded)))
        for k in order:
            if k in minded and len(members) < GROUP and apart[k] < NEAR:
                members.add(int(k))
        return tuple(sorted(members))

    def _takes_part(self, who: int) -> bool:
        return who not in self.director.down and self.fighters[who].joins * self.fps <= self.now

    def pelvises(self) -> np.ndarray:
        """(N, 2) metres, the pelvises of all fighters over the floor."""
        state = self.state
        frames = self.stock.first[state.action] + np.minimum(
            state.now - state.start, self.stock.ticks[state.action]
        )
        return compose(self.stock.place[frames], state.place)[:, :2]

    def _searcher(self, members: tuple[int, ...]) -> Searcher:
        sides = _some(self.sides(), members)
        if members not in self._searchers:
            self._searchers[members] = Searcher(self.stock, sides, self.rules, self.threads, self._layout)
        else:
            self._searchers[members].wish(sides, self.rules)
        return self._searchers[members]

    def select(self, who: int, action: int, cause: str = CHOSEN) -> None:
        """Let a fighter begin what it has chosen, or go on with what it does."""
        state, recent, now = self._levels.fighters[0, who], self._levels.recent[0], self.now
        if action == GO_ON:
            state["alert"] = -1
            return
        self._note_escape(who)
        self._end_peace(who, action)
        self._condition.select(who, action)
        begin(self._layout.tables, state, state, action, now)
        recent[who] = np.roll(recent[who], 1)
        recent[who, :1] = action
        self._seen[who, action] += 1.0
        self._begin_placed(who, action, now, place_of(self._levels, who), cause)
        self._diary.events += self.director.did(who, action, now)
        self._have_mercy()

    def _end_peace(self, who: int, action: int) -> None:
        """Note that a fighter attacks, if an action that it is about to begin does."""
        game = make_game(self._layout, self.sides(), self.rules, self.stock.tick)
        fighters = self._levels.fighters[0]
        if launches(game, fighters, who, action, self.now):
            fighters["peace"][[who, self._nearest_rival(who)]] = self.now
            self._condition.attack(who, action)

    def _note_escape(self, who: int) -> None:
        """Note that the last action of a fighter was an attack that did not hit."""
        action = int(self._levels.fighters["action"][0, who])
        strikes = self.stock.strike_start[action + 1] - self.stock.strike_start[action]
        if self.stock.kind[action] == ATTACK and strikes and who not in self._on_target:
            self._condition.escape(self._nearest_rival(who))
        self._on_target.discard(who)

    def _nearest_rival(self, who: int) -> int:
        """The opponent that is nearest to a fighter."""
        rivals, places = self.director.rivals(who), self.pelvises()
        return rivals[int(np.argmin(np.linalg.norm(places[rivals] - places[who], axis=-1)))]

    def _have_mercy(self) -> None:
        """Note which fighters are on the floor: they are not struck."""
        doing = self._levels.fighters["action"][0]
        self.director.floored = {
            who
            for who in range(len(self.fighters))
            if any(doing[who] in self._fitting(who, word) for word in _ON_FLOOR)
        }
        for who in range(len(self.fighters)):
            if self.director.stands_off(who):
                self._levels.fighters["spent"][0, who] = ALL_SPENT

    def advance(self) -> bool:
        """Let time go on until a fighter may select. Returns whether a fighter was caught."""
        struck = self._meet_cars()
        caught = self._pass_time()
        while True:
            for who in np.flatnonzero(self._levels.fighters["idle"][0]).tolist():
                if who in struck and struck[who][0] == self.now:
                    self._run_over(who, struck[who][1])
                elif who in self.director.down:
                    state = self._levels.fighters[0, who]
                    state["stop"], state["idle"] = self.now + round(_LYING_SECONDS * self.fps), 0
                elif who in self._plans:
                    self._follow_on(who)
            for who in self._plans:
                self._levels.fighters["alert"][0, who] = -1
            all_down = len(self.director.down) == len(self.fighters)
            if all_down or next_selector(self._levels.fighters[0]) >= 0:
                return caught
            if self.limit is not None and self.now >= self.limit:
                return caught
            struck = self._meet_cars()
            caught |= self._pass_time()

    def _meet_cars(self) -> dict[int, tuple[int, Car]]:
        """Fighters whose action ends because of a car: the fighter, the tick and the car."""
        struck: dict[int, tuple[int, Car]] = {}
        for car in self.director.props.cars:
            for who in set(range(len(self.fighters))) - self.director.down:
                state = self._levels.fighters[0, who]
                ticks = np.arange(self.now + 1, int(state["stop"]) + 1)
                frames = self.stock.first[state["action"]] + np.minimum(
                    ticks - state["start"], self.stock.ticks[state["action"]]
                )
                place = np.broadcast_to(place_of(self._levels, who), (len(ticks), 3))
                hit = car.touches(compose(self.stock.place[frames], place)[:, :2], ticks, self.fps)
                if hit.any():
                    struck[who] = int(ticks[np.argmax(hit)]), car
                    state["stop"] = struck[who][0]
        return struck

    def _run_over(self, who: int, car: Car) -> None:
        """Let a fighter fall the way that a car drives."""
        self.director.down.add(who)
        self._have_mercy()
        self._diary.events.append(Event(self.now, "run over", -1, who, "car", strength=car.speed))
        self._fell(who, car.along, self.now)

    def _fell(self, who: int, along: np.ndarray, tick: int) -> int:
        """Let a fighter fall along a direction (2,), from a tick on; its fall, or -1 if it has none."""
        state = self._levels.fighters[0, who]
        frame = int(self.stock.first[state["action"]]) + tick - int(state["start"])
        here = compose(self.stock.place[frame : frame + 1], place_of(self._levels, who)[None])[0]
        forward, left = (
            np.array([np.sin(here[2]), np.cos(here[2])]),
            np.array([np.cos(here[2]), -np.sin(here[2])]),
        )
        ahead, aside = float(along @ forward), float(along @ left)
        # the way that it is driven; if nothing falls that way, the next best, however it may look
        ways = np.argsort([ahead, -ahead, -aside, aside], kind="stable")
        answers = [int(self.stock.response[frame, 3 * way + 2]) for way in ways]
        falls = set(self.director.fits(who, FALL).tolist())
        action = next((answer for answer in answers if answer in falls), answers[0])
        if action < 0:
            return action  # it stays as it is
        self._begin_answer(who, action, tick)
        return action

    def _begin_answer(self, who: int, action: int, tick: int) -> None:
        """Let a fighter react from a tick on, where it is."""
        state, place = self._levels.fighters[0, who], self._answer_place(who, action, tick)
        set_place(self._levels, who, place)
        state["action"], state["start"], state["stop"] = action, tick, tick + int(self.stock.ticks[action])
        state["spent"], state["idle"], state["alert"] = ALL_SPENT, 0, -1
        self._begin_placed(who, action, tick, place, FORCED)

    def strike(self, who: int, along: tuple[float, float], strength: int) -> bool:
        """A blow from outside of the fight drives a fighter along x, z now. Whether it reacts."""
        if who in self.director.down | self.director.floored:
            return False
        state, now = self._levels.fighters[0, who], self.now
        frame = int(self.stock.first[state["action"]]) + min(
            now - int(state["start"]), int(self.stock.ticks[state["action"]])
        )
        yaw = float(self.stock.place[frame, 2] + place_of(self._levels, who)[2])
        forward = along[0] * np.sin(yaw) + along[1] * np.cos(yaw)
        left = along[0] * np.cos(yaw) - along[1] * np.sin(yaw)
        # the order of the columns of stock.response: back, forward, left, right
        way = (0 if forward <= 0.0 else 1) if abs(forward) >= abs(left) else (2 if left > 0.0 else 3)
        action = int(self.stock.response[frame, 3 * way + strength])
        if action < 0:
            return False
        self._begin_answer(who, action, now)
        self._diary.events += self.director.did(who, action, now)
        self._have_mercy()
        return True

    # -- plans from outside: a patch --------------------------------------------------------------------

    def is_free(self, who: int) -> bool:
        """Whether a fighter is on its feet and follows no plan."""
        return who not in self.director.down | self.director.floored and who not in self._plans

    def ticks_left(self, who: int) -> int:
        """Ticks until a fighter's action ends."""
        return max(int(self._levels.fighters["stop"][0, who]) - self.now, 0)

    def shown(self, who: int, tick: int) -> tuple[int, np.ndarray]:
        """The frame of its library that a fighter shows in a tick, and x, z, yaw (3,) of its pelvis then."""
        state, library = self._levels.fighters[0, who], self.fighters[who].graph.library
        ticks = min(tick - int(state["start"]), int(self.stock.ticks[state["action"]]))
        frame = int(self.stock.first[state["action"]]) + ticks - self._first_frame[who]
        place = place_of(self._levels, who)[None]
        return frame, compose(library.placements[frame : frame + 1], place)[0]

    def follow(self, plans: dict[int, list[Placed]], events: Sequence[Event]) -> None:
        """Let fighters follow plans, with what happens in them; then they select again."""
        self._plans = {who: list(steps) for who, steps in plans.items()}
        self._diary.events += events
        for who, steps in plans.items():
            if steps[0].start <= self.now:
                self._follow_on(who)
            else:
                self._levels.fighters["stop"][0, who] = steps[0].start

    def _follow_on(self, who: int) -> None:
        """The next step of a plan."""
        step = self._plans[who].pop(0)
        last = not self._plans[who]
        if last:
            del self._plans[who]
        action = self._first_action[who] + step.action
        late = self._first_frame[who] + step.first - int(self.stock.first[action])  # ticks it begins late
        state, start = self._levels.fighters[0, who], step.start - late
        end = start + int(self.stock.ticks[action])
        stop = max(end, step.start + 1) if last else step.stop  # a last step is left as any action is
        place = np.array([step.placement.x, step.placement.z, step.placement.yaw])
        set_place(self._levels, who, place)
        state["action"], state["start"], state["stop"] = action, start, stop
        state["spent"], state["idle"], state["alert"] = ALL_SPENT, 0, -1
        frames = self._first_frame[who] + step.first, stop - step.start
        self._diary.begin(who, action, frames, step.start, place, step.cause)
        self._have_mercy()

    def _break_plans(self, tick: int) -> None:
        """A fighter that follows a plan was struck: break off the plan and drop its events."""
        both = set(self._plans)
        self._plans = {}
        self._diary.events = [
            event
            for event in self._diary.events
            if event.tick <= tick or event.who not in both or event.whom not in both
        ]

    def show_guest(self, who: int, frame: int, place: np.ndarray) -> None:
        """The pose of a guest now: a frame of its library, and the place (3,) of that recording."""
        first, owner = self._first_action[who], self._owners(self.fighters[who].graph)
        state, action = self._levels.fighters[0, who], first + int(owner[frame])
        start = self.now - (frame - int(self.stock.first[action]) + self._first_frame[who])
        if (int(state["action"]), int(state["start"])) != (action, start):
            state["spent"] = ALL_SPENT if self._reacts(who, action) else 0
            if self.stock.kind[action] == ATTACK and self.stock.kind[state["action"]] != ATTACK:
                state["onset"] = start
        state["action"], state["start"] = action, start
        set_place(self._levels, who, place)
        self._keep_guest(who)

    def _reacts(self, who: int, action: int) -> bool:
        return self.fighters[who].graph.library.tags[action - self._first_action[who]].kind == "reaction"

    def _keep_guest(self, who: int) -> None:
        """A guest never selects."""
        state = self._levels.fighters[0, who]
        end = int(state["start"]) + int(self.stock.ticks[state["action"]])
        state["stop"], state["idle"], state["alert"] = max(end, self.now + 1), 0, -1

    @staticmethod
    @lru_cache(maxsize=4)
    def _owners(graph: ActionGraph) -> np.ndarray:
        """(F,) int64, the action that each frame belongs to, or the last one before it."""
        library = graph.library
        owner = np.full(len(library.frames.clip), -1, dtype=np.int64)
        for action, (start, stop) in enumerate(zip(library.actions.start, library.actions.stop)):
            owner[start:stop] = action
        return np.maximum.accumulate(owner)

    def can_fall(self, who: int) -> bool:
        """Whether any blow can fell a fighter: a fall that was cut off standing does not."""
        own = self._first_action[who] + np.arange(len(self.fighters[who].graph.library))
        answers = self.stock.response[self.stock.first[own]]
        return bool(np.isin(answers, self.director.fits(who, FALL)).any())

    def _knock_down(self, who: int, by: int, tick: int) -> bool:
        """Let a fighter fall away from a blow that landed; whether it has a fall for that."""
        places = self.pelvises()
        action = self._fell(who, places[who] - places[by], tick)
        if action < 0:
            return False
        self._diary.events.append(Event(tick, "response", who, by))
        self._diary.events += self.director.did(who, action, tick)
        self._have_mercy()
        return True

    def _pass_time(self) -> bool:
        """Let time pass until a fighter is idle. Returns whether a fighter was caught."""
        count = len(self.fighters)
        game = make_game(self._layout, self.sides(), self.rules, self.stock.tick)
        contacts, since = new_contacts(count, _EVENTS), self.now
        found = pass_time(game, self._levels, contacts, NEVER if self.limit is None else self.limit)
        for who in self.guests:
            self._keep_guest(who)
        self._recover((self.now - since) / self.fps)
        events = contacts.events[:found]
        for event in events:
            self._write_down(event, events)
        return bool((events["kind"] == CAUGHT).any())

    def _recover(self, seconds: float) -> None:
        """Let all fighters recover from hits and attacks."""
        state = self._levels.fighters[0]
        falls = [state["action"][who] in self.director.fits(who, FALL) for who in range(len(state))]
        state["hurt"] = recovered(state["hurt"], np.array(falls), self.rules.stamina, seconds)
        self._condition.rest(seconds)

    def _has_begun(self, who: int, tick: int) -> bool:
        """Whether the current action of a fighter began in a tick."""
        return int(self._levels.fighters["start"][0, who]) == tick

    def _write_down(self, event: np.void, events: np.ndarray) -> None:
        """Keep an event of the kernels, a row of EVENT, one of those of an interval."""
        tick, what, who, whom, number, part, damage, *point = event.item()
        striker = ""
        if what in (HIT, BLOCK):
            striker = CAPSULES[int(self.stock.strike_capsule[number])]
        if what == REACTION and who in self.guests:
            self.answers.append((who, number - self._first_action[who]))
            self._diary.events.append(Event(tick, "response", who, whom))
            return
        felled = what == REACTION and self._is_felled(who, whom, number, tick, events)
        if felled and self._knock_down(who, whom, tick):
            return
        if what == REACTION and who in self._plans:
            self._break_plans(tick)
        if what == REACTION:
            # where a later event of the same interval has put it, the place is not known here any more
            begun = self._has_begun(who, tick)
            place = place_of(self._levels, who) if begun else self._answer_place(who, number, tick)
            place = self._kept_out(who, number, place)
            if begun:
                set_position(self._levels, who, place[:2])
            self._begin_placed(who, number, tick, place, FORCED)
            self._diary.events.append(Event(tick, "response", who, whom))
            self._diary.events += self.director.did(who, number, tick)
            self._have_mercy()
            return
        if what == HIT:
            self._condition.hit(who, whom)
            self._on_target.add(who)
        self._diary.events.append(
            Event(
                tick,
                _KINDS[what],
                who,
                whom,
                striker,
                CAPSULES[part] if part >= 0 else "",
                damage,
                (point[0], point[1], point[2]) if what != CAUGHT else None,
            )
        )

    def _is_felled(self, who: int, by: int, reaction: int, tick: int, events: np.ndarray) -> bool:
        """Whether a fighter that has to fall would stay up with a reaction, but the blow fells it."""
        if not self._has_begun(who, tick) or reaction in self.director.fits(who, FALL):
            return False
        landed = events[(events["kind"] == HIT) & (events["tick"] == tick) & (events["other"] == who)]
        damage = float(landed["damage"][landed["fighter"] == by].max(initial=0.0))
        return self.director.fells(who, by, damage, tick, self.rules)

    def _kept_out(self, who: int, action: int, place: np.ndarray) -> np.ndarray:
        """The place of a reaction, moved so that it does not lead through a wall."""
        first = int(self.stock.first[action])
        frames = first + np.rint(self.stock.ticks[action] * _TRACK_SHARES).astype(np.int64)
        moved = place.copy()
        for wall in self.director.walls(who):
            way = compose(self.stock.place[frames], np.broadcast_to(moved, (len(frames), 3)))[:, :2]
            moved[:2] += wall.push(way)
        return moved

    def _answer_place(self, who: int, action: int, tick: int) -> np.ndarray:
        """The place of a reaction: its pelvis begins at the pelvis of the previous action, at its cut."""
        before = self._diary.placed[who][-1]
        frame = self._first_frame[who] + before.first + tick - before.start
        cut = np.array([[before.placement.x, before.placement.z, before.placement.yaw]])
        here = compose(self.stock.place[frame : frame + 1], cut)
        first = int(self.stock.first[action])
        return compose(inverse(self.stock.place[first : first + 1]), here)[0]

    def _begin_placed(self, who: int, action: int, tick: int, place: np.ndarray, cause: str) -> None:
        """Write down that a fighter begins an action; the one before it ends."""
        frames = int(self.stock.first[action]), int(self.stock.ticks[action])
        self._diary.begin(who, action, frames, tick, place, cause)

    def timeline(self, end: int) -> Timeline:
        """The events until a tick."""
        tracks = [
            Track(one.name, one.graph.library, (), one.outfit, self._fighting(who))
            for who, one in enumerate(self.fighters)
        ]
        return self._diary.timeline(self.fps, end, tracks)

    def _fighting(self, who: int) -> Fighting | None:
        """The task of a fighter in this fight; none if it only runs."""
        fighter = self.fighters[who]
        if not fighter.style.strikes:
            return None
        opponents = tuple(k for k, other in enumerate(self.fighters) if other.team != fighter.team)
        joins = round(fighter.joins * self.fps)
        falls, looks = who in self.director.to_fall, self.habits.looks_at_opponents
        return Fighting(opponents, fighter.style.distance, joins, falls, looks)


@lru_cache(maxsize=2)  # fighters that fight again need not be measured again
def _laid_out(graphs: tuple[ActionGraph, ...]) -> tuple[Stock, Layout, np.ndarray]:
    """The stock of some graphs, its tables, and each action's way (A, K, 3) as its first posture sees it."""
    stock = build_stock(graphs)
    frames = stock.first[:, None] + np.rint(stock.ticks[:, None] * _TRACK_SHARES).astype(np.int64)
    back = np.repeat(inverse(stock.entry), len(_TRACK_SHARES), axis=0)
    tracks = compose(stock.place[frames.ravel()], back).reshape(*frames.shape, 3)
    return stock, lay_out(stock), tracks


def _allowed(
    broken: np.ndarray, into: np.ndarray, barred: np.ndarray, attacks: np.ndarray, alert: bool
) -> np.ndarray:
    """The choices that are considered: bodies come first, then things, forbidden actions, other rules.

    An attack that breaks a rule would strike the air: anything else comes before it. The number after the
    last stands for continuing: for an alert fighter, better than breaking a rule.
    """
    orders = np.arange(len(broken))
    solid = min(int(broken.max()), LOOKS_AWAY)
    orders = orders[broken[orders] >= solid]
    orders = orders[into[orders] <= max(float(into[orders].min()), 0.0)]
    if not barred[orders].all():
        orders = orders[~barred[orders]]
    vain = attacks[orders] & (broken[orders] != PLAUSIBLE)
    if not vain.all():
        orders = orders[~vain]
    orders = orders[broken[orders] == broken[orders].max()]
    if alert:
        return np.append(orders[(broken[orders] == PLAUSIBLE) & ~barred[orders]], len(broken))
    return orders


def _rule_in_words(names: Sequence[str], rule: int, into: float, barred: bool) -> str:
    """The first rule that a choice breaks; it has one of the names if it is a rule of the search."""
    if rule < LOOKS_AWAY:
        return names[rule]
    if into > 0.0:
        return INTO
    if barred:
        return FORBIDDEN
    return "" if rule == PLAUSIBLE else names[rule]


def _restricted(state: State, members: tuple[int, ...]) -> State:
    """The state of some of the characters."""
    chosen = list(members)
    return State(state.now, *(part[chosen] for part in state[1:]))


def _some(sides: Sides, members: tuple[int, ...]) -> Sides:
    """The wishes of some of the characters."""
    chosen = list(members)
    return Sides(
        *(value if name == "combination" else value[chosen] for name, value in zip(Sides._fields, sides))
    )
