"""Searching a duel's game tree: the same answer as duel/reference.py, only sooner."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from randori.duel.board import Layout, Moment, lay_out, lay_out_wishes, new_moment, set_moment
from randori.duel.game import Rules, Sides, State, Stock, Verdict
from randori.kernels import duel_moves as moves
from randori.kernels import duel_search as kernels
from randori.kernels import duel_tables as tables
from randori.kernels.duel_rules import GRADES

TERMS = ("stance", "path", "control", "pairing", "request")
RULES = (
    "ends in a body",
    "passes through a body",
    *["looks away"] * GRADES,
    "out of range",
    "too near",
    "defends against nothing",
)
_MOST_PLIES = 12
_WORTH_THREADS = 3  # plies: fewer are searched before a thread has woken
MEETINGS = 256  # strikes that can meet somebody in one tick


class _Scratch(NamedTuple):
    """What one thread needs to search, in the order in which the kernel takes it."""

    nodes: np.ndarray
    scores: np.ndarray
    orders: np.ndarray
    keys: np.ndarray
    tops: np.ndarray
    lines: np.ndarray
    broken: np.ndarray
    found: np.ndarray
    blows: np.ndarray
    events: np.ndarray
    marks: np.ndarray


class _Shared(NamedTuple):
    """What threads that search the same decision tell each other, in the order of the kernel."""

    killers: np.ndarray  # (plies, P) int64, what was best in a posture
    history: np.ndarray  # (plies, A) how often an action was
    replies: np.ndarray  # (C,) int64, to each choice
    best: np.ndarray  # (1,) of what has been found
    taken: np.ndarray  # (1,) int64, choices that somebody has taken; one may cost a hundred times another

    def forget(self) -> None:
        """What was learned of one decision does not hold for the next."""
        self.killers[:], self.history[:], self.replies[:] = -1, 0.0, -1

    def deepen(self, plies: int) -> None:
        """What was learned with so many plies helps with one more."""
        self.killers[plies], self.history[plies] = self.killers[plies - 1], self.history[plies - 1]


@dataclass(frozen=True)
class Found:
    """The best of some choices."""

    order: int  # among the choices of the posture, or -1
    verdict: Verdict


class Searcher:
    """Searches one game. What the fighters want may be changed between two searches."""

    def __init__(
        self, stock: Stock, sides: Sides, rules: Rules, threads: int = 1, layout: Layout | None = None
    ):
        self.stock, self.threads = stock, threads
        self.layout = layout or lay_out(stock)
        self.tables, self.travel = self.layout.tables, self.layout.travel
        self.most_choices = int(np.diff(stock.choice_start).max(initial=1))
        self._room: dict[int, tuple[Moment, _Scratch]] = {}
        self._shared = _Shared(
            np.full((_MOST_PLIES + 1, len(stock.choice_start)), -1, dtype=np.int64),
            np.zeros((_MOST_PLIES + 1, len(stock.first))),
            np.full(self.most_choices, -1, dtype=np.int64),
            np.array([-np.inf]),
            np.zeros(1, dtype=np.int64),
        )
        self.wish(sides, rules)

    def wish(self, sides: Sides, rules: Rules) -> None:
        """What holds from the next search on."""
        self.sides, self.rules = sides, rules
        self.wishes = lay_out_wishes(sides, rules, self.tables, self.travel, self.stock.tick)

    def broken_rules(self, state: State, who: int) -> np.ndarray:
        """(C,) for each choice the first rule that it breaks, as an index into RULES; PLAUSIBLE if none."""
        moment, scratch = self._room_for(0)
        set_moment(moment, state)
        t, w = self.tables, self.wishes
        count = len(self.choices(state, who))
        moves.broken_rules(
            t.actions, t.spots, t.frames, t.body, t.radii, t.strikes, t.sweeps, t.choice_start, t.choices,
            w.sides, w.rules, moment.doing, moment.where, 0, 1, who, state.now, scratch.broken,
        )  # fmt: skip
        return scratch.broken[:count].copy()

    def terms(self, state: State, who: int) -> np.ndarray:
        """(C, 5) what each choice counts by itself, by TERMS, if nothing comes between."""
        moment, _ = self._room_for(0)
        set_moment(moment, state)
        t, w = self.tables, self.wishes
        terms = np.zeros((len(self.choices(state, who)), len(TERMS)))
        kernels.describe(
            t.actions, t.spots, t.frames, t.strikes, t.choice_start, t.choices,
            w.sides, w.rules, w.combination, w.requests,
            moment.doing, moment.where, moment.recent, 0, 1, who, state.now, terms,
        )  # fmt: skip
        return terms

    def choices(self, state: State, who: int) -> np.ndarray:
        """The actions that a fighter can select."""
        posture = int(self.stock.end_posture[state.action[who]])
        return self.stock.choices[self.stock.choice_start[posture] : self.stock.choice_start[posture + 1]]

    def believed(self, state: State, who: int) -> tuple[State, tuple[int, ...]]:
        """The state as a fighter sees it, and the opponents whose attack it has not seen."""
        moment, _ = self._room_for(0)
        set_moment(moment, state)
        before = moment.doing[0, :, 3].copy()
        moves.disbelieve(
            self.tables.actions, self.tables.strikes, self.wishes.sides, moment.doing, moment.clock,
            0, 0, who, True,
        )  # fmt: skip
        after = moment.doing[0, :, 3].copy()
        return state._replace(spent=after), tuple(np.flatnonzero(before != after).tolist())

    def search(self, state: State, who: int, depth: int) -> Verdict:
        """What a fighter that sees the whole state selects, looking so many plies ahead."""
        broken = self.broken_rules(state, who)
        orders = np.flatnonzero(broken == broken.max())
        return self.best(state, who, depth, orders).verdict

    def best(self, state: State, who: int, depth: int, orders: np.ndarray) -> Found:
        """The best of the choices with these numbers, which count as plausible."""
        if not 1 <= depth <= _MOST_PLIES:
            raise ValueError(f"a depth is between 1 and {_MOST_PLIES} plies, not {depth}")
        self._shared.forget()
        orders = self._promising(state, who, orders)
        tried = 0
        for plies in range(2, depth):
            # a shallower search tells what to try first, and what to answer
            best = self._share(state, who, plies, orders)
            orders = np.concatenate([[best.order], orders[orders != best.order]])
            tried += best.verdict.nodes
            self._shared.deepen(plies)
        best = self._share(state, who, depth, orders)
        return Found(best.order, best.verdict._replace(nodes=tried + best.verdict.nodes))

    def _share(self, state: State, who: int, depth: int, orders: np.ndarray) -> Found:
        """The best of some choices: the first sets a mark that the others, on all threads, must exceed."""
        self._shared.best[0], self._shared.taken[0] = -np.inf, 0
        found = [self._explore(state, who, depth, orders[:1], 0)]
        self._shared.taken[0] = 0
        explore = partial(self._explore, state, who, depth, orders[1:])
        if self.threads == 1 or depth < _WORTH_THREADS or len(orders) == 1:
            found.append(explore(0))
        else:
            found += _pool(self.threads).map(explore, range(self.threads))
        return _merge(found)

    def scores(self, state: State, who: int, depth: int, orders: np.ndarray) -> list[Verdict]:
        """What every one of some choices leads to, without cuts between them."""
        self._shared.forget()
        return [self._share(state, who, depth, np.array([order])).verdict for order in orders]

    def _promising(self, state: State, who: int, orders: np.ndarray) -> np.ndarray:
        """The choices, those first that look best when nobody answers."""
        if len(orders) < 2:
            return orders
        moment, scratch = self._room_for(0)
        set_moment(moment, state)
        worth = np.zeros(len(orders))
        w = self.wishes
        kernels.promises(
            *self.tables, w.sides, w.rules, w.combination, w.requests, *moment,
            scratch.found, scratch.blows, scratch.events, scratch.marks, who, orders, worth,
        )  # fmt: skip
        return orders[np.argsort(-worth, kind="stable")]

    def _explore(self, state: State, who: int, depth: int, orders: np.ndarray, thread: int) -> Found:
        if len(orders) == 0:
            return Found(-1, Verdict(-1, -np.inf, -np.inf, np.zeros((0, 3), dtype=np.int64), 0))
        moment, scratch = self._room_for(thread)
        set_moment(moment, state)
        tried = kernels.search(
            *self.tables, *self.layout.threats, *self.wishes, *moment, *scratch,
            *self._shared, who, depth, orders.astype(np.int64),
        )  # fmt: skip
        nodes, scores = scratch.nodes[0], scratch.scores[0]
        line = scratch.lines[0, : nodes[tables.LENGTH]].copy()
        verdict = Verdict(
            int(nodes[tables.BEST]),
            float(scores[tables.BEST_COMP]),
            float(scores[tables.BEST_COOP]),
            line,
            int(tried),
        )
        return Found(int(nodes[tables.BEST_ORDER]), verdict)

    def _room_for(self, thread: int) -> tuple[Moment, _Scratch]:
        if thread not in self._room:
            fighters, levels = len(self.sides.team), 2 * _MOST_PLIES + 4
            self._room[thread] = (
                new_moment(levels, fighters, self.rules.remembered),
                _Scratch(
                    np.zeros((levels, 14), dtype=np.int64),
                    np.zeros((levels, 7)),
                    np.zeros((levels, self.most_choices), dtype=np.int64),
                    np.zeros((levels, self.most_choices)),
                    np.zeros((levels, self.most_choices)),
                    np.zeros((levels, levels, 3), dtype=np.int64),
                    np.zeros(self.most_choices, dtype=np.int64),
                    np.zeros((MEETINGS, 5), dtype=np.int64),
                    np.zeros((fighters, 4)),
                    np.zeros((0, 6), dtype=np.int64),
                    np.zeros((0, 4)),
                ),
            )
        return self._room[thread]


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def _merge(found: Sequence[Found]) -> Found:
    """The best of what was found; of equals the one that comes first among the choices."""
    tried = sum(one.verdict.nodes for one in found)
    there = [one for one in found if one.order >= 0]
    best = min(there, key=lambda one: (-(one.verdict.competitive + one.verdict.cooperative), one.order))
    return Found(best.order, best.verdict._replace(nodes=tried))
