"""Learning: the same for the same seed, it gets there, it rises step by step, and it pays."""

from pathlib import Path

import numpy as np
import pytest

from randori.errors import FileError
from randori.prepare.controller import Controller
from randori.prepare.controller_file import read_controller, write_controller
from randori.prepare.gaits import find_gaits
from randori.prepare.learning import ALWAYS, CHANGED, LEARNED, NEVER, Lessons, train, try_out
from randori.prepare.plot import plot_learning, plot_levels, plot_policy
from randori.prepare.repertoire import Repertoire
from randori.work import finish


def test_the_same_seed_gives_the_same_table(repertoire: Repertoire):
    small = find_gaits(repertoire.gaits.graph, moves=2)
    tables = [finish(train(small, Lessons(sweeps=20), seed)).values for seed in (3, 3, 4)]
    assert tables[0].tobytes() == tables[1].tobytes()
    assert tables[0].tobytes() != tables[2].tobytes()


def test_it_stops_by_the_rule_of_two_in_a_hundred(controller: Controller):
    assert controller.history.changed[-1] < CHANGED
    assert (controller.history.changed[:-1] >= CHANGED).all()


def test_the_return_converges(controller: Controller):
    returns = controller.history.returns
    assert returns[-10:].mean() > returns[:5].mean()
    assert np.ptp(returns[-10:]) < 0.1 * np.ptp(returns)


def test_it_reaches_its_goal_and_beats_both_extremes(controller: Controller):
    found = {when: try_out(controller, trials=400, seed=5, when=when) for when in (LEARNED, NEVER, ALWAYS)}
    assert np.mean([trial.reached for trial in found[LEARNED]]) >= 0.98
    worth = {when: np.mean([trial.total for trial in trials]) for when, trials in found.items()}
    assert worth[LEARNED] > worth[NEVER] + 0.2
    assert worth[LEARNED] > worth[ALWAYS] + 0.2


def test_the_level_rises_by_no_more_than_a_fifth(controller: Controller):
    for trial in try_out(controller, trials=200, seed=6):
        assert np.abs(np.diff(np.concatenate([[0.0], trial.level]))).max() < 0.2 + 1e-9


def test_who_comes_near_is_more_prepared(controller: Controller):
    trials = try_out(controller, trials=200, seed=7)
    far = np.concatenate([trial.level[trial.distance > 2.4] for trial in trials])
    near = np.concatenate([trial.level[trial.distance < 0.6] for trial in trials])
    assert near.mean() > far.mean() + 0.25


def test_nobody_arrives_unprepared(controller: Controller):
    """From the highest level that can be chosen it is one step to 1, which the source asks for."""
    trials = [trial for trial in try_out(controller, trials=300, seed=8) if trial.reached]
    assert np.mean([trial.level[-1] > 0.79 for trial in trials]) > 0.99


def test_what_is_not_allowed_is_not_chosen(controller: Controller):
    near = (1.5, 0.2)
    best = controller.choose(0, 1, near, near)
    other = controller.choose(0, 1, near, near, lambda move, level: (move, level) != best)
    assert other != best
    # unless there is nothing else
    assert controller.choose(0, 1, near, near, lambda move, level: False) == best


def test_a_controller_comes_back_from_its_file(
    controller: Controller, repertoire: Repertoire, tmp_path: Path
):
    path = tmp_path / "prepare.npz"
    write_controller(path, controller)
    read = read_controller(path, repertoire.gaits)
    assert read.values.tobytes() == controller.values.tobytes()
    assert np.array_equal(read.history.returns, controller.history.returns)
    with pytest.raises(FileError, match="other motions"):
        read_controller(path, find_gaits(repertoire.gaits.graph, moves=2))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(FileError):
        read_controller(path, repertoire.gaits)


def test_pictures_show_something(controller: Controller):
    trial = try_out(controller, trials=1, seed=1)[0]
    for picture in (
        plot_learning(controller.history),
        plot_policy(controller, size=(200, 210)),
        plot_levels([("a way", trial.distance, trial.level)]),
    ):
        assert np.asarray(picture).std() > 5.0
