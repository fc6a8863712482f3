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
MEETINGS = 256  # strikes that can meet somebody in one tick


class _Scratch(NamedTuple):
    """What one thread needs to search, in the order in which the kernel takes it."""

    nodes: np.ndarray
    scores: np.ndarray
    orders: np.ndarray
    keys: np.ndarray
    tops: np.ndarray
    lines: np.ndarray
    killers: np.ndarray
    history: np.ndarray
    replies: np.ndarray
    broken: np.ndarray
    found: np.ndarray
    blows: np.ndarray
    events: np.ndarray
    marks: np.ndarray


class _Shared(NamedTuple):
    """What threads that search the same choices know of each other."""

    best: np.ndarray  # (1,) of what has been found
    taken: (
        np.ndarray
    )  # (1,) int64, choices that somebody has taken: some cost a hundred times more than others


def _nothing_known() -> _Shared:
    return _Shared(np.array([-np.inf]), np.zeros(1, dtype=np.int64))


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
        self._forget()
        orders = self._promising(state, who, orders)
        tried = 0
        for plies in range(2, depth):
            # a shallower search tells what to try first, and what to answer
            best = self._share(state, who, plies, orders, 1)
            orders = np.concatenate([[best.order], orders[orders != best.order]])
            tried += best.verdict.nodes
            self._teach(plies)
        best = self._share(state, who, depth, orders, self.threads if depth > 1 else 1)
        return Found(best.order, best.verdict._replace(nodes=tried + best.verdict.nodes))

    def _share(self, state: State, who: int, depth: int, orders: np.ndarray, threads: int) -> Found:
        """The best of some choices: the first sets a mark that the others, on all threads, must exceed."""
        shared = _nothing_known()
        found = [self._explore(state, who, depth, orders[:1], shared, 0)]
        shared.taken[0] = 0
        explore = partial(self._explore, state, who, depth, orders[1:], shared)
        if threads > 1:
            found += _pool(threads).map(explore, range(threads))
        else:
            found.append(explore(0))
        return _merge(found)

    def scores(self, state: State, who: int, depth: int, orders: np.ndarray) -> list[Verdict]:
        """What every one of some choices leads to, without cuts between them."""
        self._forget()
        return [
            self._explore(state, who, depth, np.array([order]), _nothing_known(), 0).verdict
            for order in orders
        ]

    def _forget(self) -> None:
        """What was learned of one decision does not hold for the next."""
        for _, scratch in self._room.values():
            scratch.killers[:] = -1
            scratch.history[:] = 0.0
            scratch.replies[:] = -1

    def _teach(self, plies: int) -> None:
        """All threads begin the next search, one ply deeper, with what the first one has learned."""
        learned, *others = [self._room_for(thread)[1] for thread in range(self.threads)]
        for table in (learned.killers, learned.history):
            table[plies] = table[plies - 1]
        for other in others:
            other.killers[:], other.history[:] = learned.killers, learned.history
            other.replies[:] = learned.replies

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

    def _explore(
        self, state: State, who: int, depth: int, orders: np.ndarray, shared: _Shared, thread: int
    ) -> Found:
        if len(orders) == 0:
            return Found(-1, Verdict(-1, -np.inf, -np.inf, np.zeros((0, 3), dtype=np.int64), 0))
        moment, scratch = self._room_for(thread)
        set_moment(moment, state)
        tried = kernels.search(
            *self.tables, *self.layout.threats, *self.wishes, *moment, *scratch,
            who, depth, orders.astype(np.int64), *shared,
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
                    np.full((_MOST_PLIES + 1, len(self.stock.choice_start)), -1, dtype=np.int64),
                    np.zeros((_MOST_PLIES + 1, len(self.stock.first))),
                    np.full(self.most_choices, -1, dtype=np.int64),
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
