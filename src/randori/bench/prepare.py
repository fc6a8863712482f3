"""Preparation beside what the paper and the issue ask for, measured in one run."""

import time
from typing import Any

import numpy as np

from randori.prepare.characters import Characters, Source
from randori.prepare.controller import LEVEL_STEP, Controller
from randori.prepare.learning import ALWAYS, LEARNED, NEVER, Lessons, Trial, try_out
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.prepare.scenes import SCENES, playing, start_scene
from randori.timeline.quality import measure
from randori.work import finish

PEOPLE, SECONDS = 100, 10.0
TRIALS, SEED = 1000, 11
SCENE_SECONDS = {"kick": 22.0, "punch": 20.0, "course": 45.0}


def run() -> list[dict[str, Any]]:
    """Rows for a table."""
    repertoire = make_repertoire(finish(performed_library()))
    finish(learn(repertoire, Lessons(), 2))  # the first one may compile
    start, cpu = time.perf_counter(), time.process_time()
    controller = finish(learn(repertoire))
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    again = finish(learn(repertoire))
    rows = [
        _row("training, seconds (processor)", f"{wall:.1f} ({cpu:.1f})", "3600 in the paper, 20 wanted"),
        _row("same seed, same table", controller.values.tobytes() == again.values.tobytes(), "yes"),
        _row("sweeps until fewer than 2 % change", len(controller.history.returns), ""),
        *learning_rows(controller),
        *crowd_rows(repertoire, controller),
    ]
    for name in SCENES:
        rows += scene_rows(repertoire, controller, name)
    return rows


def learning_rows(controller: Controller, trials: int = TRIALS) -> list[dict[str, Any]]:
    """How the learned controller fares against those who never or always prepare."""
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


def largest_step(trials: list[Trial]) -> float:
    """The largest change of the level from one action to the next."""
    return max(float(np.abs(np.diff(np.concatenate([[0.0], trial.level]))).max()) for trial in trials)


def crowd_rows(
    repertoire: Repertoire, controller: Controller, people: int = PEOPLE, seconds: float = SECONDS
) -> list[dict[str, Any]]:
    """How fast many prepared characters run, without drawing."""
    crowd = make_crowd(repertoire, controller, people)
    crowd.step()
    start = time.perf_counter()
    ticks = round(seconds * crowd.fps)
    for _ in range(ticks):
        crowd.step()
    taken = time.perf_counter() - start
    return [_row(f"{people} prepared characters, times real time", f"{seconds / taken:.1f}", "above 1")]


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


def scene_rows(repertoire: Repertoire, controller: Controller, name: str) -> list[dict[str, Any]]:
    """The quality of a scene that the player made of code plays."""
    scene = start_scene(name, repertoire, controller)
    for _ in playing(scene, round(SCENE_SECONDS[name] * scene.fps)):
        pass
    quality = measure(*scene.result())
    steps = np.abs(np.diff(scene.characters.shown_levels[:, 0])).max()
    return [
        _row(
            f"{name}: planted phases below 21 mm, worst",
            f"{quality.unnoticed:.3f}, {1e3 * quality.excess_worst:.0f} mm",
            "0.95",
        ),
        _row(f"{name}: joins as smooth as the source", f"{quality.smooth_joins:.3f}", "1"),
        _row(
            f"{name}: lowest point, source",
            f"{100 * quality.lowest_point:.1f} cm, {100 * quality.source_lowest:.1f} cm",
            "the source's",
        ),
        _row(f"{name}: largest change of the level in a tick", f"{steps:.3f}", ""),
    ]


def _row(what: str, found: object, wanted: str) -> dict[str, Any]:
    return {"what": what, "found": str(found), "wanted": wanted}
