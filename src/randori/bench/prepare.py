"""Preparation beside what the paper and the issue ask for, measured in one run."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from randori.bench.tables import Row, Rows, Table, check_part
from randori.kernels import prepare as kernels
from randori.prepare.characters import CLOSE, WALKING, Characters, Source
from randori.prepare.controller import LEVEL_STEP, Controller
from randori.prepare.learning import ALWAYS, FAITHFUL, LEARNED, NEVER, Lessons, Trial, try_out
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.prepare.scenes import HERO, PreparedScene, playing, start_scene
from randori.timeline.quality import measure
from randori.work import finish

SEED = 11  # of the trials


@dataclass(frozen=True)
class Size:
    """The extent of the measurement."""

    trials: int
    people: int  # that walk at once
    seconds: float  # for which they walk
    scenes: Mapping[str, float]  # seconds of each scene
    seeds: Sequence[int]  # of the scenes
    lessons: Lessons


WHOLE = Size(1000, 100, 10.0, {"kick": 22.0, "punch": 20.0, "course": 45.0}, (1, 2, 3, 4, 5), Lessons())
QUICK = Size(10, 10, 0.5, {"kick": 12.0}, (1,), Lessons(sweeps=20))


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table: what, what was found, what is wanted."""
    check_part(only)
    size = QUICK if quick else WHOLE
    repertoire = make_repertoire(finish(performed_library()))
    yield 0.1
    if not quick:
        finish(learn(repertoire, size.lessons, 2))  # the first one may compile
    start, cpu = time.perf_counter(), time.process_time()
    controller = finish(learn(repertoire, size.lessons))
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    yield 0.3
    again = finish(learn(repertoire, size.lessons))
    yield 0.5
    rows = [
        _row("training, seconds (processor)", f"{wall:.1f} ({cpu:.1f})", "3600 in the paper, 20 wanted"),
        _row("same seed, same table", controller.values.tobytes() == again.values.tobytes(), "yes"),
        _row("sweeps until fewer than 2 % change", len(controller.history.returns), ""),
        *learning_rows(controller, size.trials),
        *faithful_rows(repertoire, controller, size),
        *crowd_rows(repertoire, controller, size.people, size.seconds),
    ]
    for number, name in enumerate(size.scenes):
        yield 0.6 + 0.4 * number / len(size.scenes)
        rows += scene_rows(repertoire, controller, name, size)
    return [Table("prepare", rows)]


def learning_rows(controller: Controller, trials: int) -> Rows:
    """The learned controller beside controllers that never or always prepare."""
    rows = []
    for when in (LEARNED, NEVER, ALWAYS):
        found = try_out(controller, trials=trials, seed=SEED, when=when)
        total = float(np.mean([trial.total for trial in found]))
        reached = float(np.mean([trial.reached for trial in found]))
        rows.append(
            _row(f"{when} prepared: sum of rewards, goals reached", f"{total:.3f}, {reached:.3f}", "")
        )
        if when == LEARNED:
            rows.append(
                _row("largest step of the level between actions", f"{largest_step(found):.2f}", "0.2")
            )
            last = np.array([trial.level[-1] for trial in found if trial.reached])
            shares = [f"{np.mean(np.isclose(last, k * LEVEL_STEP)):.2f}" for k in range(5)]
            rows.append(
                _row("arrive at the source at level 0, .2, .4, .6, .8", " ".join(shares), "mostly .8")
            )
    return rows


def faithful_rows(repertoire: Repertoire, controller: Controller, size: Size) -> Rows:
    """The paper's learning alone, beside the same with one part of ours added after the other."""
    paper = replace(FAITHFUL, sweeps=min(FAITHFUL.sweeps, size.lessons.sweeps))
    ways = {
        "the paper's learning, greedy in Q": finish(learn(repertoire, paper)),
        "our learning, greedy in Q": replace(controller, guided=False),
        "our learning and rules": controller,
    }
    rows = []
    for how, followed in ways.items():
        found = try_out(followed, trials=size.trials, seed=SEED)
        reached = [trial for trial in found if trial.reached]
        ready = np.mean([trial.level[-1] > (kernels.CHOICES - 1) * LEVEL_STEP - 1e-9 for trial in reached])
        total = np.mean([trial.total for trial in found])
        words = (
            f"{len(reached) / len(found):.3f}, {ready:.3f}, {largest_step(found):.1f}, {total:.2f}, "
            f"{np.mean([len(trial.level) for trial in reached]):.1f}"
        )
        rows.append(_row(f"{how}: reach, arrive at .8, largest step, rewards, actions", words, ""))
    return rows


def largest_step(trials: list[Trial]) -> float:
    """The largest change of the level from one action to the next."""
    return max(float(np.abs(np.diff(np.concatenate([[0.0], trial.level]))).max()) for trial in trials)


def crowd_rows(repertoire: Repertoire, controller: Controller, people: int, seconds: float) -> Rows:
    """Speed of many prepared characters, without drawing."""
    crowd = make_crowd(repertoire, controller, people)
    crowd.step()
    start, cpu = time.perf_counter(), time.process_time()
    ticks = round(seconds * crowd.fps)
    for _ in range(ticks):
        crowd.step()
    taken, cpu = time.perf_counter() - start, time.process_time() - cpu
    found = f"{seconds / taken:.1f} ({seconds / cpu:.1f})"
    return [_row(f"{people} prepared characters, times real time (processor)", found, "above 1")]


def make_crowd(repertoire: Repertoire, controller: Controller, people: int) -> Characters:
    """Characters on a grid, each with a goal to walk to and prepare for."""
    crowd = Characters(repertoire, controller, people)
    random = np.random.default_rng(1)
    goals = []
    technique = list(repertoire.targets)
    for body in range(people):
        x, z = 8.0 * (body % 10), 8.0 * (body // 10)
        crowd.put(body, x, z, float(random.uniform(-np.pi, np.pi)))
        angle = float(random.uniform(-np.pi, np.pi))
        goal = (x + 5.0 * float(np.sin(angle)), z + 5.0 * float(np.cos(angle)))
        goals.append(Source(technique[body % len(technique)], goal, body))
        crowd.head_for(body, goal)
    crowd.sources = lambda body: (goals[body],)
    return crowd


def scene_rows(repertoire: Repertoire, controller: Controller, name: str, size: Size) -> Rows:
    """The quality of a scene that the player made of code plays, over several seeds."""
    found, arrived, steps = [], [], 0.0
    for seed in size.seeds:
        scene = start_scene(name, repertoire, controller, seed)
        arrived += levels_on_arrival(scene, round(size.scenes[name] * scene.fps))
        found.append(measure(*scene.result()))
        steps = max(steps, float(np.abs(np.diff(scene.characters.shown_levels[:, 0])).max()))
    phases, joins = sum(one.planted_phases for one in found), sum(one.joins for one in found)
    unnoticed = sum(one.unnoticed * one.planted_phases for one in found) / phases
    smooth = sum(one.smooth_joins * one.joins for one in found) / joins
    worst = max(one.excess_worst for one in found)
    ready = float(np.mean(np.array(arrived) >= (kernels.CHOICES - 1) * LEVEL_STEP - 1e-9))
    deepest = max(one.penetration_deepest for one in found)  # metres
    return [
        _row(
            f"{name}: planted phases below 21 mm, least of a seed, worst",
            f"{unnoticed:.3f} of {phases}, {min(one.unnoticed for one in found):.3f}, {1e3 * worst:.0f} mm",
            "0.95",
        ),
        _row(
            f"{name}: joins as smooth as the source, least of a seed",
            f"{smooth:.3f} of {joins}, {min(one.smooth_joins for one in found):.3f}",
            "1",
        ),
        _row(
            f"{name}: lowest point, source",
            f"{100 * min(one.lowest_point for one in found):.1f} cm, "
            f"{100 * min(one.source_lowest for one in found):.1f} cm",
            "-1 cm",
        ),
        _row(f"{name}: arrive at level .8, of", f"{ready:.2f} of {len(arrived)}", "all"),
        _row(
            f"{name}: bodies in each other at worst, hits",
            f"{100 * deepest:.1f} cm, {sum(one.hits for one in found)}",
            "3 cm",
        ),
        _row(f"{name}: largest change of the level in a tick", f"{steps:.3f}", ""),
    ]


def levels_on_arrival(scene: PreparedScene, ticks: int) -> list[float]:
    """Play a scene; the level that was chosen last whenever a walker comes to a place of launch."""
    people, found, there = scene.characters, [], False
    for _ in playing(scene, ticks):
        mind, (source, left, _) = people.minds[HERO], people.nearest(HERO)
        arrived = mind.mode == WALKING and source is not None and left <= CLOSE
        if arrived and not there:
            found.append(mind.level * LEVEL_STEP)
        there = arrived
    return found


def _row(what: str, found: object, wanted: str) -> Row:
    return {"what": what, "found": str(found), "wanted": wanted}
