"""Values against truth: linear algebra, quantecon, and one action worked out by hand."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from small_grids import SMALL

from randori.bench.policy_solvers import solve_with_quantecon, write_out
from randori.policy.behaviours import BEHAVIOURS, Behaviour
from randori.policy.model import Model
from randori.policy.training import discount_per_tick, solving
from randori.work import finish


def values_then(model: Model, behaviour: Behaviour) -> np.ndarray | None:
    """What the behaviour is worth that another one leads to."""
    return finish(solving(model, behaviour.then, SMALL, threads=2)).values if behaviour.then else None


@pytest.mark.parametrize("name", ["approach", "punch", "evade"])
def test_values_are_those_of_a_dense_solution(small_model: Model, name: str) -> None:
    """Policy evaluation by linear algebra, and no choice in any state that would be better."""
    behaviour = BEHAVIOURS[name](small_model, SMALL)
    solved = finish(solving(small_model, behaviour, SMALL, threads=2))
    problem = write_out(small_model, behaviour, SMALL, values_then(small_model, behaviour))
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
    then = values_then(small_model, behaviour)
    np.testing.assert_allclose(ours, solve_with_quantecon(small_model, behaviour, SMALL, then), atol=1e-6)


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


def test_an_approach_is_worth_what_the_punch_is_where_it_arrives(small_model: Model) -> None:
    """For grid points that an action leads into the punch's volume; others bring nothing by themselves."""
    model = small_model
    approach = BEHAVIOURS["approach"](model, SMALL)
    assert approach.then is not None
    grid, then = approach.then.grid, values_then(model, approach)
    discount = discount_per_tick(SMALL, model.library.fps)
    rewards = write_out(model, approach, SMALL, then).reward.reshape(-1, len(approach.grid))
    interpolate = RegularGridInterpolator(
        [np.linspace(*axis) for axis in (grid.angles, grid.distances, grid.heights)],
        np.moveaxis(then.reshape(-1, grid.angles[2], grid.distances[2], grid.heights[2]), 0, -1),
    )
    arrived = 0
    for action in range(0, len(rewards), 31):
        x, z, yaw = model.moves.move[action]
        for target, reward in zip(approach.grid.points, rewards[action]):
            away = target[[0, 2]] - (x, z)
            angle = (np.arctan2(*away) - yaw + np.pi) % (2 * np.pi) - np.pi
            distance = np.hypot(*away)
            expected = 0.0
            if grid.angles[0] < angle < grid.angles[1] and grid.distances[0] < distance < grid.distances[1]:
                arrived += 1
                worth = interpolate((angle, distance, target[1]))[..., model.moves.goal[action]].item()
                expected = np.exp(-discount * model.moves.ticks[action]) * worth
            assert reward == pytest.approx(expected, abs=1e-12)
    assert arrived > 20


def test_rewards_by_hand(small_model: Model) -> None:
    """A target exactly where a fist is in an effective frame: γ^t times what the blow's speed is worth."""
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
        moments.worth[rows],
        (speeds / fastest) ** SMALL.hardness * SMALL.discount ** moments.tick[rows],
        rtol=1e-9,
    )
