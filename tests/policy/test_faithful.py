"""The paper's own avatars: its reward, grids and discount; and targets that are dragged, not thrown."""

import math

import numpy as np
from arenas import example

from randori.kernels.policy import NEAR
from randori.policy.arena import FAITHFUL_WEIGHTS, usual_weights
from randori.policy.behaviours import FAITHFUL, approach, punch
from randori.policy.model import Model
from randori.policy.pursuit import draw_trials, pursue
from randori.policy.table import training
from randori.policy.training import discount_per_tick
from randori.work import finish


def test_a_second_is_discounted_as_in_the_paper():
    for fps in (15.0, 60.0):
        assert math.isclose(math.exp(-discount_per_tick(FAITHFUL, fps) * fps), 0.97**15)


def test_grids_and_reward_are_the_papers(small_model: Model):
    near, hit = approach(small_model, FAITHFUL), punch(small_model, FAITHFUL)
    assert (near.signal, near.then, len(near.grid)) == (NEAR, None, 5 * 13)
    assert near.grid.flat
    assert len(hit.grid) == 10 * 10 * 4
    assert hit.marks.weight.max() == 1.0


def test_a_target_is_dragged():
    inputs = example("target", 60.0, 20.0, seed=3).inputs
    places = np.array([one.values["place"] for one in inputs])
    ticks = np.array([one.tick for one in inputs])
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / (np.diff(ticks) / 60.0)
    assert len(inputs) > 100
    assert speed.max() < 2.0  # metres per second
    assert [one.values for one in example("target", 60.0, 20.0, seed=4).inputs] != [
        one.values for one in inputs
    ]


def test_an_avatar_near_its_target_strikes_with_the_papers_reward(small_model: Model):
    table = finish(training(small_model.library, settings=FAITHFUL, shortest=0.0, threads=1))
    assert usual_weights(table) == FAITHFUL_WEIGHTS
    trials = draw_trials(table, 20, seed=5, near=True)
    assert np.isfinite(pursue(table, trials, ahead=1)).mean() > 0.8
