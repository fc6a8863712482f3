"""Values against truth: linear algebra, quantecon, and one action worked out by hand."""

import numpy as np
import pytest
from small_grids import SMALL

from randori.bench.policy_solvers import solve_with_quantecon, write_out
from randori.policy.behaviours import BEHAVIOURS
from randori.policy.model import Model
from randori.policy.training import discount_per_tick, solving
from randori.work import finish


@pytest.mark.parametrize("name", ["approach", "punch", "evade"])
def test_values_are_those_of_a_dense_solution(small_model: Model, name: str) -> None:
    """Policy evaluation by linear algebra, and no choice in any state that would be better."""
    behaviour = BEHAVIOURS[name](small_model, SMALL)
    solved = finish(solving(small_model, behaviour, SMALL, threads=2))
    problem = write_out(small_model, behaviour, SMALL)
    actions = solved.policy
    count = len(behaviour.grid)
    row = (actions * count + np.arange(count)).ravel()
    chosen = np.eye(problem.states)
    np.subtract.at(chosen, (np.arange(problem.states)[:, None], problem.leads[row]), problem.share[row])
    dense = np.linalg.solve(chosen, problem.reward[row])
    np.testing.assert_allclose(solved.values.ravel(), dense, atol=1e-6)
    everything = problem.reward + (problem.share * dense[problem.leads]).sum(axis=1)
    best = np.full(problem.states, -np.inf)
    np.maximum.at(best, problem.state, everything)
    np.testing.assert_allclose(best, dense, atol=1e-6)


@pytest.mark.parametrize("name", ["approach", "punch"])
def test_quantecon_agrees(small_model: Model, name: str) -> None:
    pytest.importorskip("quantecon")
    behaviour = BEHAVIOURS[name](small_model, SMALL)
    ours = finish(solving(small_model, behaviour, SMALL, threads=2)).values
    np.testing.assert_allclose(ours, solve_with_quantecon(small_model, behaviour, SMALL), atol=1e-6)


def test_values_are_the_same_for_any_number_of_threads(small_model: Model) -> None:
    behaviour = BEHAVIOURS["punch"](small_model, SMALL)
    one, three = (finish(solving(small_model, behaviour, SMALL, threads=k)) for k in (1, 3))
    assert one.values.tobytes() == three.values.tobytes()
    assert one.policy.tobytes() == three.policy.tobytes()


def test_a_move_leads_where_the_recording_goes(small_model: Model) -> None:
    """An action that just goes on: the avatar's frame moves as it does in the recording."""
    model = small_model
    action = int(np.flatnonzero(model.graph.distance == 0.0)[3])
    state = int(np.searchsorted(model.moves.indptr, action, side="right")) - 1
    begin, end = model.graph.state_frame[state], model.graph.state_frame[model.moves.goal[action]]
    assert end - begin == model.moves.ticks[action]
    x, z, yaw = model.places[begin]
    away = model.places[end][:2] - (x, z)
    seen = [np.cos(yaw) * away[0] - np.sin(yaw) * away[1], np.sin(yaw) * away[0] + np.cos(yaw) * away[1]]
    np.testing.assert_allclose(model.moves.move[action, :2], seen, atol=1e-12)


def test_rewards_by_hand(small_model: Model) -> None:
    """A target exactly where a fist is in an effective frame: γ^t times the blow's speed over the fastest."""
    model = small_model
    punch = BEHAVIOURS["punch"](model, SMALL)
    discount = discount_per_tick(SMALL, model.library.fps)
    moments = model.moments(punch.marks, discount)
    action = int(np.flatnonzero(np.diff(moments.indptr) > 0)[0])
    rows = slice(moments.indptr[action], moments.indptr[action + 1])
    frames = model.moves.first[action] + moments.tick[rows]
    speeds = np.linalg.norm(model.hits.velocity[np.isin(model.hits.frame, frames)], axis=-1)
    fastest = np.linalg.norm(model.hits.velocity[np.isin(model.hits.effector, (0, 4))], axis=-1).max()
    np.testing.assert_allclose(
        moments.worth[rows], speeds / fastest * SMALL.discount ** moments.tick[rows], rtol=1e-9
    )
