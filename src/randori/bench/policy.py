"""Precomputed avatars beside the paper's figures, and beside solvers that take the same problem."""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from randori.bench.policy_solvers import solve_with_quantecon, solve_with_toolbox
from randori.bench.tables import Row, Rows, Table, check_part
from randori.capture.analysis import analyse
from randori.graph.library import FPS, ActionLibrary, build_library
from randori.motion.placement import Placement
from randori.performer import perform
from randori.policy.arena import AHEAD, Arena, Avatar
from randori.policy.behaviours import FAITHFUL, FAITHFUL_RATE, Settings, approach
from randori.policy.model import Model
from randori.policy.pursuit import Search, Trials, draw_trials, pursue
from randori.policy.table import PolicyTable, training
from randori.policy.training import solving
from randori.scene.avatars import GLANCE, AvatarsPart
from randori.scene.scene import Scene
from randori.work import finish

Result = TypeVar("Result")


@dataclass(frozen=True)
class Size:
    """The extent of the measurement."""

    seconds: float  # of recordings
    trials: int  # targets of each kind
    searched: int  # of them, for which the soonest blow is searched
    frames: int  # of thirty avatars
    decisions: int  # that are timed
    small: tuple[float, Settings]  # seconds and grid of a problem that pymdptoolbox can take
    settings: Settings | None = None  # as they are shipped


WHOLE = Size(
    seconds=437.0,  # as the paper has
    trials=1000,
    searched=100,
    frames=3000,
    decisions=3000,
    small=(30.0, Settings(approach_distances=3, approach_angles=6)),
)
QUICK = Size(
    seconds=30.0,
    trials=10,
    searched=2,
    frames=20,
    decisions=20,
    small=(10.0, Settings(approach_distances=2, approach_angles=4, approach_heights=2)),
    settings=Settings(
        approach_distances=3,
        approach_angles=6,
        approach_heights=2,
        punch_angles=4,
        punch_distances=3,
        punch_heights=3,
    ),
)


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table: what, Randori's figure, the paper's or what is wanted."""
    check_part(only)
    size = QUICK if quick else WHOLE
    library = recorded(size.seconds)
    yield 0.1
    finish(training(library, settings=size.settings, threads=2))  # the first one may compile
    table, taken, processor = _timed(lambda: finish(training(library, settings=size.settings, threads=2)))
    rows = [
        _row("states", len(table.values), "437"),
        _row("actions", len(table.model.moves.goal), "27,072"),
        _row("recorded and kept (s)", table.report()["seconds"], "437"),
        _row("both behaviours precomputed (s)", round(taken, 2), "8 hours; wanted ≤ 10 s"),
        _row("seconds of both processors together", round(processor, 2), ""),
        _row("largest residual", f"{max(table.residuals):.1e}", "wanted < 1e-4"),
        _row("table (MB)", round(table.values.nbytes / 1e6, 2), "0.9"),
    ]
    yield 0.3
    rows += _solvers(table, *size.small)
    yield 0.6
    rows += _pursuits({"": (table, AHEAD), ", at a glance, as in the hall": (table, GLANCE)}, size)
    yield 0.8
    rows += _faithful(table, size)
    yield 0.9
    rows += _speeds(table, size)
    return [Table("policy", rows)]


def recorded(seconds: float, fps: float = FPS) -> ActionLibrary:
    """Shadow boxing of the performer."""
    takes = perform("boxing", seconds, seed=1)
    return build_library([(take.clip, analyse(take.clip)) for take in takes], fps)


def _faithful(ours: PolicyTable, size: Size) -> Rows:
    """The paper's rewards, grids, discount, rate and choice, beside ours for the same targets."""
    library = recorded(size.seconds, FAITHFUL_RATE)
    work = training(library, settings=FAITHFUL, shortest=0.0, threads=2)
    table, taken, _ = _timed(lambda: finish(work))
    rows = [
        _row(
            "faithful: states, actions",
            f"{len(table.values):,}, {len(table.model.moves.goal):,}",
            "437, 27,072",
        ),
        _row("faithful: both behaviours precomputed (s)", round(taken, 2), "8 hours"),
        _row("faithful: table (MB)", round(table.values.nbytes / 1e6, 2), "0.9"),
    ]
    for where, near in (("within 2 m", False), ("where punches land", True)):
        trials = draw_trials(ours, size.trials, seed=17, near=near)
        for how, followed, ahead in (("faithful", table, 1), ("ours", ours, AHEAD)):
            state = trials.state % len(followed.values)
            found = pursue(followed, Trials(state, trials.target), ahead)
            hit = np.isfinite(found)
            words = f"{100 * hit.mean():.1f} %, {found[hit].mean():.2f} s"
            rows.append(_row(f"{how}: targets {where} hit within 20 s, after", words, ""))
    return rows


def _row(what: str, found: object, beside: str) -> Row:
    return {"what": what, "Randori": str(found), "the paper": beside}


def _timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    """A result and the seconds it took, on the wall and of all processors: a busy machine changes one."""
    wall, processor = time.perf_counter(), time.process_time()
    return work(), time.perf_counter() - wall, time.process_time() - processor


def _solvers(table: PolicyTable, seconds: float, coarse: Settings) -> Rows:
    """The approach, solved by others. The punch is six times as large, and left to us.

    pymdptoolbox checks with dense matrices, 43 GB for the approach: it gets little boxing and a
    coarse grid.
    """
    rows = _beside("approach alone", "quantecon", solve_with_quantecon, table.model, table.settings)
    model = Model.of(recorded(seconds))
    return rows + _beside("a small approach", "pymdptoolbox", solve_with_toolbox, model, coarse)


def _beside(
    what: str, name: str, solver: Callable[..., np.ndarray], model: Model, settings: Settings
) -> Rows:
    """Times of Randori and another solver for the same approach, and the differences of their values."""
    behaviour = approach(model, settings)
    then = finish(solving(model, behaviour.then or behaviour, settings, threads=2)).values
    ours, taken, _ = _timed(lambda: finish(solving(model, behaviour, settings, threads=2, then=then)))
    rows = [_row(f"{what}, {ours.values.size:,} values (s)", round(taken, 2), "1 hour")]
    try:
        values, taken, _ = _timed(lambda: solver(model, behaviour, settings, then))
    except ImportError:
        return [*rows, _row(f"{what} by {name}", "not installed", "")]
    apart = float(np.abs(values - ours.values).max())
    return [*rows, _row(f"{what} by {name} (s)", f"{taken:.1f}; values differ by {apart:.0e}", "")]


def _pursuits(ways: dict[str, tuple[PolicyTable, int]], size: Size) -> Rows:
    """Standing targets that are hit, and the time to a hit beside the best that a search finds."""
    table = ways[""][0]
    ranges = {
        "within 2 m": draw_trials(table, size.trials, seed=17),
        "where punches land": draw_trials(table, size.trials, seed=17, near=True),
        "wherever one ever lands": draw_trials(table, size.trials, seed=17, near=True, rare=0.0),
    }
    search, rows = Search(table), []
    for where, trials in ranges.items():
        searched = Trials(trials.state[: size.searched], trials.target[: size.searched])
        best = search.soonest(searched, known=pursue(table, searched))
        for how, (followed, ahead) in ways.items():
            found = pursue(followed, trials, ahead)
            hit = np.isfinite(found)
            reached = hit[: size.searched]
            ours, theirs = float(found[: size.searched][reached].mean()), float(best[reached].mean())
            rows += [
                _row(f"targets {where} hit{how}", f"{100 * hit.mean():.1f} %", "wanted ≥ 95 %"),
                _row(
                    f"seconds to a hit {where}{how}",
                    f"{ours:.2f}, at best {theirs:.2f}: {100 * (ours / theirs - 1):.0f} % more",
                    "wanted ≤ 10 % more",
                ),
            ]
    return rows


def _speeds(table: PolicyTable, size: Size) -> Rows:
    """Frames of thirty avatars, and how long a decision takes."""
    scene = Scene.load("thirty")
    hall = AvatarsPart(scene, table, scene.cast).arena
    hall.run(10)  # the first ones may compile
    _, taken, processor = _timed(lambda: [hall.step() for _ in range(size.frames)])
    times: list[tuple[float, float]] = []
    lone = Arena(table, [Avatar("boxer", Placement(), aim=-1)], [(0.0, 1.4, 1.0)])
    lone.run(10)
    random = np.random.default_rng(3)
    while len(times) < size.decisions:
        if lone.world.avatars["left"][0] == 0:
            place = [*random.uniform(-1.5, 1.5, 2), 1.4]
            lone.send("target", which=0, place=[place[0], place[2], place[1]])
            _, *spent = _timed(lambda: lone.run(1))  # a decision, and a frame
            times.append((1e3 * spent[0], 1e3 * spent[1]))
        else:
            lone.run(int(lone.world.avatars["left"][0]))
    wall, of_processor = (np.percentile(column, [50, 99]) for column in zip(*times))
    return [
        _row("frames a second of thirty avatars", f"{size.frames / taken:,.0f}", "> 100; wanted ≥ 5,000"),
        _row("frames a second of a processor", f"{size.frames / processor:,.0f}", ""),
        _row("a decision (ms): half, 99 % take less", f"{wall[0]:.3f}, {wall[1]:.3f}", "wanted ≤ 0.25"),
        _row("the same of a processor", f"{of_processor[0]:.3f}, {of_processor[1]:.3f}", ""),
    ]
