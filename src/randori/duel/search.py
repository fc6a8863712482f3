"""Searching a duel's game tree: the same answer as duel/plain_search.py, only sooner."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from randori.duel.board import Layout, lay_out, make_game, new_levels, set_state
from randori.duel.game import Rules, Sides, State, Stock, Verdict
from randori.kernels import duel_moves as moves
from randori.kernels import duel_records as records
from randori.kernels import duel_search as kernels
from randori.kernels.duel_records import Contacts, Levels, Shared, Tree
from randori.kernels.duel_rules import GRADES, PLAUSIBLE

TERMS = ("stance", "path", "control", "pairing", "request", "temper")
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
_MEETINGS = 256  # strikes that can meet a body in one tick


class _Desk(NamedTuple):
    """The memory that one thread needs to search."""

    levels: Levels
    tree: Tree
    contacts: Contacts


def new_contacts(fighters: int, events: int) -> Contacts:
    """Scratch space for a world of so many fighters, with room for so many events."""
    return Contacts(
        np.zeros(_MEETINGS, records.MEETING),
        np.zeros(fighters, records.BLOW),
        np.zeros(events, records.EVENT),
    )


def new_tree(levels: int, choices: int) -> Tree:
    """Room for so many nodes below each other, with so many choices each."""
    return Tree(
        np.zeros(levels, records.NODE),
        np.zeros((levels, choices), records.CANDIDATE),
        np.zeros((levels, levels), records.STEP),
        np.zeros(choices, dtype=np.int64),
        np.zeros(choices),
        np.zeros((4, choices)),
    )


@dataclass(frozen=True)
class Found:
    """The best of some choices."""

    order: int  # among the choices of the posture, or -1
    verdict: Verdict


class Searcher:
    """Searches one game. The fighters' wishes may change between two searches."""

    def __init__(
        self, stock: Stock, sides: Sides, rules: Rules, threads: int = 1, layout: Layout | None = None
    ):
        self.stock, self.threads = stock, threads
        self.layout = layout or lay_out(stock)
        self.most_choices = 1 + int(np.diff(stock.choice_start).max(initial=1))  # with going on
        self._desks: dict[int, _Desk] = {}
        self._shared = Shared(
            np.full((_MOST_PLIES + 1, len(stock.choice_start)), -1, dtype=np.int64),
            np.full((_MOST_PLIES + 1, len(stock.choice_start)), -1, dtype=np.int64),
            np.zeros((_MOST_PLIES + 1, len(stock.first))),
            np.full(self.most_choices, -1, dtype=np.int64),
            np.array([-np.inf]),
            np.zeros(1, dtype=np.int64),
        )
        self.wish(sides, rules)

    def wish(self, sides: Sides, rules: Rules) -> None:
        """Change the wishes from the next search on."""
        self.sides, self.rules = sides, rules
        self.game = make_game(self.layout, sides, rules, self.stock.tick)

    @property
    def term_names(self) -> tuple[str, ...]:
        """Randori's terms and those of users."""
        return (*TERMS, *(term.name for term in self.rules.added.terms))

    @property
    def rule_names(self) -> tuple[str, ...]:
        """Randori's rules and those of users, by the numbers of `broken_rules`."""
        return (*RULES, *(rule.name for rule in self.rules.added.rules))

    def broken_rules(self, state: State, who: int) -> np.ndarray:
        """(C,) for each choice the first rule that it breaks, by `rule_names`; PLAUSIBLE if none."""
        desk = self._desk_with(state)
        moves.find_all_broken_rules(self.game, desk.levels, 0, who, desk.tree.broken)
        return desk.tree.broken[: len(self.choices(state, who))].copy()

    def terms(self, state: State, who: int) -> np.ndarray:
        """(C, T) what each choice counts by itself, by `term_names`, if nothing comes between."""
        terms = np.zeros((len(self.choices(state, who)), len(self.term_names)))
        kernels.describe(self.game, self._desk_with(state).levels, who, terms)
        return terms

    def choices(self, state: State, who: int) -> np.ndarray:
        """The actions that a fighter can select."""
        posture = int(self.stock.end_posture[state.action[who]])
        if state.alert[who] >= 0:
            posture = int(self.stock.break_posture[state.alert[who]])
        return self.stock.choices[self.stock.choice_start[posture] : self.stock.choice_start[posture + 1]]

    def believed(self, state: State, who: int) -> tuple[State, tuple[int, ...]]:
        """The state as a fighter sees it, and the opponents whose attack it has not seen."""
        fighters = self._desk_with(state).levels.fighters[0]
        moves.disbelieve(self.game, fighters, who, state.now)
        unseen = np.flatnonzero(fighters["spent"] != state.spent)
        return state._replace(spent=fighters["spent"].copy()), tuple(unseen.tolist())

    def search(self, state: State, who: int, depth: int) -> Verdict:
        """The selection of a fighter that sees the whole state and looks so many plies ahead."""
        return self.best(
            state, who, depth, self.considered(state, who, self.broken_rules(state, who))
        ).verdict

    def considered(self, state: State, who: int, broken: np.ndarray) -> np.ndarray:
        """The numbers of the choices that a fighter considers, which break these rules first.

        The number after the last choice stands for going on, which an alert fighter can always do.
        """
        if state.alert[who] >= 0:
            return np.append(np.flatnonzero(broken == PLAUSIBLE), len(broken))
        return np.flatnonzero(broken == broken.max())

    def best(self, state: State, who: int, depth: int, orders: np.ndarray) -> Found:
        """The best of the choices with these numbers, which count as plausible."""
        if not 1 <= depth <= _MOST_PLIES:
            raise ValueError(f"a depth is between 1 and {_MOST_PLIES} plies, not {depth}")
        self._forget()
        orders = self._promising(state, who, orders)
        tried = 0
        for plies in range(2, depth):
            # a shallower search tells what to try first, and what to answer
            best = self._share(state, who, plies, orders)
            orders = np.concatenate([[best.order], orders[orders != best.order]])
            tried += best.verdict.nodes
            self._deepen(plies)
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
        """The result of each of some choices, without cuts between them."""
        self._forget()
        return [self._share(state, who, depth, np.array([order])).verdict for order in orders]

    def _promising(self, state: State, who: int, orders: np.ndarray) -> np.ndarray:
        """The choices, those first that look best without an answer."""
        if len(orders) < 2:
            return orders
        desk, worth = self._desk_with(state), np.zeros(len(orders))
        kernels.promises(self.game, desk.levels, desk.contacts, who, orders, worth)
        return orders[np.argsort(-worth, kind="stable")]

    def _explore(self, state: State, who: int, depth: int, orders: np.ndarray, thread: int) -> Found:
        if len(orders) == 0:
            return Found(-1, Verdict(-1, -np.inf, -np.inf, np.zeros((0, 3), dtype=np.int64), 0))
        desk = self._desk_with(state, thread)
        tried = kernels.search(self.game, *desk, self._shared, who, depth, orders.astype(np.int64))
        node = desk.tree.nodes[0]
        steps = desk.tree.lines[0, : node["length"]]
        line = np.stack([steps["fighter"], steps["action"], steps["tick"]], axis=-1)
        competitive, shared = float(node["best_competitive"]), float(node["best_shared"])
        verdict = Verdict(int(node["best"]), competitive, shared, line, int(tried))
        return Found(int(node["best_order"]), verdict)

    def _forget(self) -> None:
        """The knowledge from one decision does not hold for the next."""
        for orders in (self._shared.killers, self._shared.former_killers, self._shared.replies):
            orders[:] = -1
        self._shared.history[:] = 0.0

    def _deepen(self, plies: int) -> None:
        """The knowledge from a search helps with one more ply."""
        for learned in (self._shared.killers, self._shared.former_killers, self._shared.history):
            learned[plies] = learned[plies - 1]

    def _desk_with(self, state: State, thread: int = 0) -> _Desk:
        """The desk of a thread, with a state on it."""
        if thread not in self._desks:
            fighters, levels = len(self.sides.team), 2 * _MOST_PLIES + 4
            self._desks[thread] = _Desk(
                new_levels(levels, fighters, self.rules.remembered),
                new_tree(levels, self.most_choices),
                new_contacts(fighters, events=0),
            )
        set_state(self._desks[thread].levels, state)
        return self._desks[thread]


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def _merge(found: Sequence[Found]) -> Found:
    """The best of the results; among equals, the one that comes first among the choices."""
    tried = sum(one.verdict.nodes for one in found)
    there = [one for one in found if one.order >= 0]
    best = min(there, key=lambda one: (-(one.verdict.competitive + one.verdict.cooperative), one.order))
    return Found(best.order, best.verdict._replace(nodes=tried))
