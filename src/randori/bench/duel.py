"""How fast duels are decided: by depth, beside the plain search of duel/reference.py, and where time goes."""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np

from randori.duel import reference
from randori.duel.board import lay_out
from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.game import Sides, State, Stock
from randori.duel.search import Searcher
from randori.duel.stock import build_stock
from randori.duel.styles import STYLES
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.motion.placement import Placement
from randori.scene.motions import performed
from randori.scene.run import APART
from randori.scene.scene import Motions, suggest
from randori.work import finish

THREADS = 2
CHOICES = 40.0  # on arrival, as in the scenes: about a hundred where fighters stand
SECONDS = {1: 20.0, 2: 20.0, 3: 20.0, 4: 10.0, 5: 4.0}  # of animation, by plies
_ENOUGH = 90.0  # seconds of computing after which a fight is long enough, however little was animated
_SEARCHED = {1: 30, 2: 30, 3: 30, 4: 10, 5: 3}  # moments of a fight that are searched again, for their nodes
_WANTED = {3: 30.0, 4: 4.0, 5: 1.0}  # times real time
# plies, choices on arrival: the plain search needs minutes for one decision with more
_COMPARED = ((1, CHOICES), (2, 20.0), (3, 6.0))
_MOMENTS = 5  # that both decide
_PATIENCE = 60.0  # seconds after which no further moment is given to the plain search
_SEED = 1

Row = dict[str, Any]
Decide = Callable[[State, int], int]  # returns the nodes that it needed


@dataclass(frozen=True)
class Played:
    """A fight of equals, as it was computed."""

    seconds: float  # of animation
    taken: list[float]  # seconds of each decision, with all that it needs
    processor: float  # seconds of all processors
    moments: list[tuple[State, int]]  # in which somebody selected, and who
    options: float  # choices on arrival, on average


@dataclass(frozen=True)
class Searched:
    """Decisions that were searched once more, by themselves."""

    nodes: int
    taken: list[float]  # seconds

    @property
    def seconds(self) -> float:
        return sum(self.taken)


def running(only: str | None = None) -> Generator[float, None, list[Row]]:
    """Rows for a table; yields the share that is done. `only` names one of PARTS."""
    if only is not None and only not in PARTS:
        raise RandoriError(f"--only: there is no part {only!r}; {suggest(only, list(PARTS))}")
    chosen = [part for name, part in PARTS.items() if only in (None, name)]
    graph = graph_with_choices(finish(performed(Motions(perform=("boxing", "reactions")))), CHOICES)
    rows: list[Row] = []
    for number, part in enumerate(chosen):
        work = part(graph)
        while True:
            try:
                yield (number + next(work)) / len(chosen)
            except StopIteration as finished:
                rows += finished.value
                break
    return rows


# ---- By depth


def depth_rows(
    graph: ActionGraph, depths: Sequence[int] = tuple(SECONDS), scale: float = 1.0
) -> Generator[float, None, list[Row]]:
    """Fights of equals of every depth; `scale` makes them shorter."""
    rows = [_row("actions in the set, as captured", len(graph.actions), "≥ 240")]
    for number, depth in enumerate(depths):
        yield number / len(depths)
        finish(_play(graph, min(depth, 2), 3.0))  # the first one may compile
        played = yield from _within(
            _play(graph, depth, scale * SECONDS[depth]), number / len(depths), 0.7 / len(depths)
        )
        searcher, sides = _searcher(graph, THREADS)
        some = played.moments[:: max(len(played.moments) // _SEARCHED[depth], 1)][: _SEARCHED[depth]]
        searched = _search(_decider(searcher, depth), sides, searcher.stock, some)
        rows += _depth_rows(depth, played, searched)
    return rows


def _depth_rows(depth: int, played: Played, searched: Searched) -> list[Row]:
    plies = f"{depth} pl{'y' if depth == 1 else 'ies'}"
    total, decisions = sum(played.taken), len(played.taken)
    wanted = f"≥ {_WANTED[depth]:g}" if depth in _WANTED else ""
    inner = mean(searched.taken)
    return [
        _row(f"{plies}: × real time", f"{played.seconds / total:.2f}", wanted),
        _row(f"{plies}: × real time, by the processors' time", f"{played.seconds / played.processor:.2f}"),
        _row(
            f"{plies}: ms a decision, median and mean",
            f"{1e3 * median(played.taken):.1f}, {1e3 * total / decisions:.1f} "
            f"({decisions} decisions, {played.options:.0f} choices)",
        ),
        _row(f"{plies}: of these ms in the search itself, mean", f"{1e3 * inner:.1f}"),
        _row(
            f"{plies}: nodes a decision, nodes a second",
            f"{searched.nodes / len(searched.taken):,.0f}, {searched.nodes / searched.seconds:,.0f}",
        ),
    ]


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
        if time.perf_counter() - begin > _ENOUGH:
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
    """When somebody selects next, and who."""
    sides = fight.sides()
    passage = reference.advance(
        fight.stock, sides, fight.habits.rules, state, reference.no_sums(sides), selecting=True
    )
    return passage.state, int(np.argmax(passage.state.idle))


def _searcher(graph: ActionGraph, threads: int) -> tuple[Searcher, Sides]:
    fight = _fight(graph, 1)
    return Searcher(fight.stock, fight.sides(), fight.habits.rules, threads), fight.sides()


def _decider(searcher: Searcher, depth: int) -> Decide:
    return lambda state, who: searcher.search(state, who, depth).nodes


def _search(decide: Decide, sides: Sides, stock: Stock, moments: Sequence[tuple[State, int]]) -> Searched:
    """Let somebody decide in some moments, each as its character sees it."""
    nodes, taken = 0, []
    for state, who in moments:
        seen = reference.believed(stock, sides, state, who)
        start = time.perf_counter()
        nodes += decide(seen, who)
        taken.append(time.perf_counter() - start)
    return Searched(nodes, taken)


# ---- What is saved


def saving_rows(
    graph: ActionGraph,
    compared: Sequence[tuple[int, float]] = _COMPARED,
    patience: float = _PATIENCE,
    cut: int = 3,
) -> Generator[float, None, list[Row]]:
    """The plain search and the fast one on the same decisions."""
    rows = []
    for number, (depth, choices) in enumerate(compared):
        yield number / (len(compared) + 1)
        rows += _comparison(graph_with_choices(graph.library, choices), depth, patience)
    yield len(compared) / (len(compared) + 1)
    return rows + _cut_rows(graph, cut)


def _comparison(graph: ActionGraph, depth: int, patience: float) -> list[Row]:
    moments = finish(_play(graph, depth, 8.0)).moments
    rules = _fight(graph, 1).habits.rules
    searcher, sides = _searcher(graph, 1)
    stock = searcher.stock
    moments = _spread(moments, _MOMENTS)

    def plainly(state: State, who: int) -> int:
        return reference.search(stock, sides, rules, state, who, depth).nodes

    plain = Searched(0, [])
    for moment in moments:
        one = _search(plainly, sides, stock, [moment])
        plain = Searched(plain.nodes + one.nodes, plain.taken + one.taken)
        if plain.seconds > patience:
            break
    moments = moments[: len(plain.taken)]
    fast = _search(_decider(searcher, depth), sides, searcher.stock, moments)
    uncut = _search(
        lambda state, who: _nodes_of_all(searcher, state, who, depth), sides, searcher.stock, moments
    )
    what = f"{depth} plies, {_mean_choices(stock, moments):.0f} choices, {len(moments)} decisions"
    return [
        _row(
            f"{what}: nodes of the plain search, cut within root choices, all cuts",
            f"{plain.nodes:,}, {uncut.nodes:,}, {fast.nodes:,}",
        ),
        _row(
            f"{what}: ms a decision, plain and fast",
            f"{1e3 * mean(plain.taken):,.1f}, {1e3 * mean(fast.taken):,.2f}",
        ),
        _row(f"{what}: times faster than the plain search", f"{plain.seconds / fast.seconds:,.0f}"),
    ]


def _cut_rows(graph: ActionGraph, depth: int) -> list[Row]:
    """What single techniques save with the whole set, where the plain search would take hours."""
    moments = _spread(finish(_play(graph, depth, 8.0)).moments, _MOMENTS)
    one, sides = _searcher(graph, 1)
    two, _ = _searcher(graph, THREADS)
    kinds: dict[str, Decide] = {
        "cut within root choices alone": lambda state, who: _nodes_of_all(one, state, who, depth),
        "all cuts, one thread": _decider(one, depth),
        f"all cuts, {THREADS} threads": _decider(two, depth),
    }
    found = {name: _search(decide, sides, one.stock, moments) for name, decide in kinds.items()}
    on_path = sides._replace(path_weight=np.full_like(sides.path_weight, 10.0), goal=np.ones_like(sides.goal))
    one.wish(on_path, one.rules)
    found["one thread, both on a path (general-sum)"] = _search(
        kinds["all cuts, one thread"], on_path, one.stock, moments
    )
    return [
        _row(
            f"{depth} plies, {_mean_choices(one.stock, moments):.0f} choices: {name}",
            f"{searched.nodes / len(moments):,.0f} nodes, {1e3 * mean(searched.taken):.1f} ms a decision",
        )
        for name, searched in found.items()
    ]


def _nodes_of_all(searcher: Searcher, state: State, who: int, depth: int) -> int:
    """Nodes of a search that knows of no root choice what another one is worth."""
    broken = searcher.broken_rules(state, who)
    orders = np.flatnonzero(broken == broken.max())
    return sum(verdict.nodes for verdict in searcher.scores(state, who, depth, orders))


def _spread(moments: list[tuple[State, int]], count: int) -> list[tuple[State, int]]:
    return moments[:: max(len(moments) // count, 1)][:count]


def _mean_choices(stock: Stock, moments: Sequence[tuple[State, int]]) -> float:
    return mean(len(reference.choices_of(stock, state, who)) for state, who in moments)


# ---- Where the rest of the time goes


def time_rows(graph: ActionGraph) -> Generator[float, None, list[Row]]:
    """What is done once, before the first decision."""
    finish(_play(graph, 1, 0.5))  # the first one may compile
    yield 0.2
    start = time.perf_counter()
    library = finish(performed(Motions(perform=("boxing", "reactions"))))
    read = time.perf_counter()
    yield 0.4
    graph_with_choices(library, CHOICES)
    grown = time.perf_counter()
    yield 0.6
    stock = build_stock([graph])
    built = time.perf_counter()
    yield 0.8
    lay_out(stock)
    done = time.perf_counter()
    return [
        _row("once: read the kept library, s", f"{read - start:.2f}"),
        _row("once: find the graph, s", f"{grown - read:.2f}"),
        _row("once: build the stock (capsules, ranges, answers), s", f"{built - grown:.2f}"),
        _row("once: lay out the tables, s", f"{done - built:.2f}"),
    ]


def _within(
    work: Generator[float, None, Played], start: float, share: float
) -> Generator[float, None, Played]:
    while True:
        try:
            yield start + share * next(work)
        except StopIteration as finished:
            return finished.value


def _row(what: str, found: object, wanted: str = "") -> Row:
    return {"what": what, "found": str(found), "wanted": wanted}


PARTS: dict[str, Callable[[ActionGraph], Generator[float, None, list[Row]]]] = {
    "depths": depth_rows,
    "savings": saving_rows,
    "time": time_rows,
}
