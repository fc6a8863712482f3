"""Speed of decisions in duels: by depth, beside the plain search, and by part of the work."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, median

import numpy as np

from randori.bench.tables import Row, Rows, Table, check_part, measuring_parts
from randori.duel import plain_search
from randori.duel.board import lay_out
from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.game import Sides, State, Stock
from randori.duel.search import Searcher
from randori.duel.stock import build_stock
from randori.duel.styles import STYLES
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.motions import Motions
from randori.graph.performed import performed
from randori.motion.placement import Placement
from randori.scene.cast import APART
from randori.work import finish, part

THREADS = 2
_ENOUGH_SECONDS = 90.0  # seconds of computing after which a fight is long enough, however little was animated
_WANTED_SPEEDS = {3: 30.0, 4: 4.0, 5: 3.0, 6: 0.3}  # times real time
_SEED = 1

Decide = Callable[[State, int], int]  # returns the nodes that it needed


@dataclass(frozen=True)
class Size:
    """The extent of the measurement."""

    motions: Motions
    choices: float  # on arrival
    seconds: Mapping[int, float]  # of animation, by plies
    searched: Mapping[int, int]  # moments of a fight that are searched again for their nodes, by plies
    compared: Sequence[tuple[int, float]]  # plies, choices on arrival: for the plain search
    comparing: float  # seconds of the fight whose moments are compared
    moments: int  # that both searches decide
    patience: float  # seconds after which no further moment is given to the plain search
    cut: int  # plies at which single techniques are compared


WHOLE = Size(
    motions=Motions(perform=("boxing", "reactions")),
    choices=40.0,  # as in the scenes: about a hundred where fighters stand
    seconds={1: 20.0, 2: 20.0, 3: 20.0, 4: 10.0, 5: 4.0, 6: 2.0},
    searched={1: 30, 2: 30, 3: 30, 4: 10, 5: 3, 6: 1},
    # the plain search needs minutes for one decision with more
    compared=((1, 40.0), (2, 20.0), (3, 6.0)),
    comparing=8.0,
    moments=5,
    patience=60.0,
    cut=3,
)
QUICK = Size(
    motions=Motions(perform=("boxing",), seconds=30.0),
    choices=8.0,
    seconds={1: 4.0, 2: 4.0},
    searched={1: 5, 2: 5},
    compared=((1, 4.0),),
    comparing=4.0,
    moments=2,
    patience=0.0,
    cut=1,
)


@dataclass(frozen=True)
class Played:
    """A fight of equals, as it was computed."""

    seconds: float  # of animation
    taken: list[float]  # seconds of each decision, with all that it needs
    processor: float  # seconds of all processors
    moments: list[tuple[State, int]]  # in which a fighter selected, and its number
    options: float  # choices on arrival, on average


@dataclass(frozen=True)
class Searched:
    """Decisions that were searched once more, by themselves."""

    nodes: int
    taken: list[float]  # seconds

    @property
    def seconds(self) -> float:
        return sum(self.taken)


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table for each of PARTS, or for one of them; yields the share that is done."""
    check_part(only, PARTS)
    size = QUICK if quick else WHOLE
    graph = graph_with_choices(finish(performed(size.motions.performance)), size.choices)
    parts = {name: partial(rows, graph, size) for name, rows in PARTS.items()}
    return (yield from measuring_parts("duel", parts, only))


# ---- By depth


def depth_rows(graph: ActionGraph, size: Size) -> Generator[float, None, Rows]:
    """Fights of equals of every depth."""
    rows = []
    share = 1.0 / len(size.seconds)
    for number, (depth, seconds) in enumerate(size.seconds.items()):
        yield number * share
        finish(_play(graph, min(depth, 2), 3.0))  # the first one may compile
        played = yield from part(_play(graph, depth, seconds), number * share, 0.7 * share)
        searcher, sides = _searcher(graph, THREADS)
        some = _spread(played.moments, size.searched[depth])
        searched = _search(_decider(searcher, depth), sides, searcher.stock, some)
        rows.append(_depth_row(graph, depth, played, searched))
    return rows


def _depth_row(graph: ActionGraph, depth: int, played: Played, searched: Searched) -> Row:
    total = sum(played.taken)
    return {
        "plies": depth,
        "× real time": f"{played.seconds / total:.2f}",
        "wanted": f"{_WANTED_SPEEDS[depth]:g}" if depth in _WANTED_SPEEDS else "",
        "× real time, processor": f"{played.seconds / played.processor:.2f}",
        "ms a decision, median": f"{1e3 * median(played.taken):.1f}",
        "mean": f"{1e3 * total / len(played.taken):.1f}",
        "of it in the search": f"{1e3 * mean(searched.taken):.1f}",
        "nodes a decision": f"{searched.nodes / len(searched.taken):,.0f}",
        "nodes a second": f"{searched.nodes / searched.seconds:,.0f}",
        "choices": f"{played.options:.0f}",
        "decisions": len(played.taken),
        "actions": len(graph.actions),
    }


def _play(graph: ActionGraph, depth: int, seconds: float) -> Generator[float, None, Played]:
    """Let two equals fight and look at the clock after every decision."""
    fight = _fight(graph, depth)
    work, after, taken = fight.run(seconds), [], []
    processor, begin, tick = time.process_time(), time.perf_counter(), 0
    options = 0.0
    while True:
        start = time.perf_counter()
        try:
            tick = next(work)
        except StopIteration as finished:
            timeline = finished.value
            tick = timeline.ticks
            options = float(np.mean([len(decision.options) for decision in timeline.decisions] or [0]))
            break
        taken.append(time.perf_counter() - start)
        after.append(fight.state)
        if (
            time.perf_counter() - begin > _ENOUGH_SECONDS and len(after) > 1
        ):  # the last one is not searched again
            break
        yield min(tick / (seconds * fight.fps), 1.0)
    processor = time.process_time() - processor
    moments = [_next_moment(fight, state) for state in after[:-1]]
    return Played(tick / fight.fps, taken, processor, moments, options)


def _fight(graph: ActionGraph, depth: int, threads: int = THREADS) -> Fight:
    """Two boxers face to face."""
    places = (Placement(), Placement(0.0, APART, np.pi))
    cast = [
        Fighter(name, graph, STYLES["boxer"], depth, team=team, place=place)
        for team, (name, place) in enumerate(zip(("Red", "Blue"), places))
    ]
    return Fight(cast, _SEED, threads=threads)


def _next_moment(fight: Fight, state: State) -> tuple[State, int]:
    """The next selection: its tick and its fighter."""
    sides = fight.sides()
    passage = plain_search.advance(
        fight.stock, sides, fight.habits.rules, state, plain_search.no_sums(sides), selecting=True
    )
    return passage.state, int(np.flatnonzero(plain_search.selects(passage.state))[0])


def _searcher(graph: ActionGraph, threads: int) -> tuple[Searcher, Sides]:
    fight = _fight(graph, 1)
    return Searcher(fight.stock, fight.sides(), fight.habits.rules, threads), fight.sides()


def _decider(searcher: Searcher, depth: int) -> Decide:
    return lambda state, who: searcher.search(state, who, depth).nodes


def _search(decide: Decide, sides: Sides, stock: Stock, moments: Sequence[tuple[State, int]]) -> Searched:
    """Search in some moments, each as its fighter sees it."""
    nodes, taken = 0, []
    for state, who in moments:
        seen = plain_search.believed(stock, sides, state, who)
        start = time.perf_counter()
        nodes += decide(seen, who)
        taken.append(time.perf_counter() - start)
    return Searched(nodes, taken)


# ---- What is saved


def saving_rows(graph: ActionGraph, size: Size) -> Generator[float, None, Rows]:
    """The plain search and the fast one on the same decisions."""
    rows = []
    for number, (depth, choices) in enumerate(size.compared):
        yield number / len(size.compared)
        rows.append(_comparison(graph_with_choices(graph.library, choices), depth, size))
    return rows


def _comparison(graph: ActionGraph, depth: int, size: Size) -> Row:
    rules = _fight(graph, 1).habits.rules
    searcher, sides = _searcher(graph, 1)
    stock = searcher.stock
    moments = _spread(finish(_play(graph, depth, size.comparing)).moments, size.moments)

    def plainly(state: State, who: int) -> int:
        return plain_search.search(stock, sides, rules, state, who, depth).nodes

    plain = Searched(0, [])
    for moment in moments:
        one = _search(plainly, sides, stock, [moment])
        plain = Searched(plain.nodes + one.nodes, plain.taken + one.taken)
        if plain.seconds > size.patience:
            break
    moments = moments[: len(plain.taken)]
    fast = _search(_decider(searcher, depth), sides, stock, moments)
    uncut = _search(lambda state, who: _nodes_of_all(searcher, state, who, depth), sides, stock, moments)
    return {
        "plies": depth,
        "choices": f"{_mean_choices(stock, moments):.0f}",
        "decisions": len(moments),
        "nodes, plain": f"{plain.nodes:,}",
        "nodes, cut within root choices": f"{uncut.nodes:,}",
        "nodes, all cuts": f"{fast.nodes:,}",
        "ms a decision, plain": f"{1e3 * mean(plain.taken):,.1f}",
        "ms a decision, all cuts": f"{1e3 * mean(fast.taken):,.2f}",
        "times faster": f"{plain.seconds / fast.seconds:,.0f}",
    }


def cut_rows(graph: ActionGraph, size: Size) -> Generator[float, None, Rows]:
    """Savings of single techniques with the whole set, where the plain search would take hours."""
    depth = size.cut
    moments = _spread(finish(_play(graph, depth, size.comparing)).moments, size.moments)
    yield 0.5
    one, sides = _searcher(graph, 1)
    two, _ = _searcher(graph, THREADS)
    kinds: dict[str, Decide] = {
        "cut within root choices": lambda state, who: _nodes_of_all(one, state, who, depth),
        "all cuts": _decider(one, depth),
        f"all cuts, {THREADS} threads": _decider(two, depth),
    }
    found = {name: _search(decide, sides, one.stock, moments) for name, decide in kinds.items()}
    on_path = sides._replace(path_weight=np.full_like(sides.path_weight, 10.0), goal=np.ones_like(sides.goal))
    one.wish(on_path, one.rules)
    found["all cuts, both on a path (general-sum)"] = _search(kinds["all cuts"], on_path, one.stock, moments)
    return [
        {
            "search": name,
            "plies": depth,
            "choices": f"{_mean_choices(one.stock, moments):.0f}",
            "nodes a decision": f"{searched.nodes / len(moments):,.0f}",
            "ms a decision": f"{1e3 * mean(searched.taken):.1f}",
        }
        for name, searched in found.items()
    ]


def _nodes_of_all(searcher: Searcher, state: State, who: int, depth: int) -> int:
    """Nodes of a search that knows of no root choice what another one is worth."""
    orders = searcher.considered(state, who, searcher.broken_rules(state, who))
    return sum(verdict.nodes for verdict in searcher.scores(state, who, depth, orders))


def _spread(moments: list[tuple[State, int]], count: int) -> list[tuple[State, int]]:
    return moments[:: max(len(moments) // count, 1)][:count]


def _mean_choices(stock: Stock, moments: Sequence[tuple[State, int]]) -> float:
    return mean(len(plain_search.choices_of(stock, state, who)) for state, who in moments)


# ---- Where the rest of the time goes


def time_rows(graph: ActionGraph, size: Size) -> Generator[float, None, Rows]:
    """Times of the work that is done once, before the first decision."""
    finish(_play(graph, 1, 0.5))  # the first one may compile
    yield 0.2
    start = time.perf_counter()
    library = finish(performed(size.motions.performance))
    read = time.perf_counter()
    yield 0.4
    graph_with_choices(library, size.choices)
    grown = time.perf_counter()
    yield 0.6
    stock = build_stock([graph])
    built = time.perf_counter()
    yield 0.8
    lay_out(stock)
    done = time.perf_counter()
    return [
        {"once": "read the kept library", "seconds": f"{read - start:.2f}"},
        {"once": "find the graph", "seconds": f"{grown - read:.2f}"},
        {"once": "build the stock (capsules, ranges, answers)", "seconds": f"{built - grown:.2f}"},
        {"once": "lay out the tables", "seconds": f"{done - built:.2f}"},
    ]


PARTS: dict[str, Callable[[ActionGraph, Size], Generator[float, None, Rows]]] = {
    "depths": depth_rows,
    "savings": saving_rows,
    "cuts": cut_rows,
    "time": time_rows,
}
