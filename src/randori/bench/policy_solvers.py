"""The same problem written out as matrices: for checking values, and for solvers made by others."""

from typing import NamedTuple

import numpy as np

from randori.kernels import policy as kernels
from randori.policy.behaviours import Behaviour, Settings
from randori.policy.model import Model
from randori.policy.training import Crew, problem_of, rewards_of

TOLERANCE = 1e-8


class Problem(NamedTuple):
    """A Markov decision process: choice k is taken in `state[k]`, a row of a sparse matrix leads on."""

    states: int  # states of the avatar times targets of the grid
    state: np.ndarray  # (L,) int64
    choice: np.ndarray  # (L,) int64, the number of the action among those of the avatar's state
    reward: np.ndarray  # (L,)
    leads: np.ndarray  # (L, 4) int64, states that it leads to
    share: np.ndarray  # (L, 4) how much of each, discounted


def write_out(
    model: Model, behaviour: Behaviour, settings: Settings, then: np.ndarray | None = None
) -> Problem:
    """Every choice in every state for every target, one by one; `then` are values of what it leads to."""
    moves, problem = model.moves, problem_of(model, behaviour, settings)
    count = len(problem.targets)
    avatar = np.repeat(np.arange(len(moves.indptr) - 1), np.diff(moves.indptr))
    actions = len(avatar)
    with Crew(1) as crew:
        rewards = rewards_of(model, behaviour, problem, then, crew)
    leads, share = np.empty((actions, count, 4), dtype=np.int64), np.empty((actions, count, 4))
    # an action for every target: what `follow` does for a policy, with one state per action
    policy = np.repeat(np.arange(actions)[:, None], count, axis=1)
    kernels.follow(0, actions, problem, policy, leads, share)
    return Problem(
        (len(moves.indptr) - 1) * count,
        (avatar[:, None] * count + np.arange(count)).ravel(),
        np.repeat(np.arange(actions) - moves.indptr[avatar], count),
        rewards.ravel(),
        leads.reshape(-1, 4),
        share.reshape(-1, 4),
    )


def solve_with_quantecon(
    model: Model, behaviour: Behaviour, settings: Settings, then: np.ndarray | None = None
) -> np.ndarray:
    """(S, E) values by quantecon's modified policy iteration."""
    from quantecon.markov import DiscreteDP

    problem, discount, leads = _sparse(model, behaviour, settings, then)
    process = DiscreteDP(problem.reward, leads, discount, problem.state, problem.choice)
    found = process.solve(method="modified_policy_iteration", epsilon=TOLERANCE, max_iter=10_000)
    return found.v[:-1].reshape(-1, len(behaviour.grid))


def solve_with_toolbox(
    model: Model, behaviour: Behaviour, settings: Settings, then: np.ndarray | None = None
) -> np.ndarray:
    """(S, E) values by pymdptoolbox's modified policy iteration."""
    import scipy.sparse as sparse
    from mdptoolbox.mdp import PolicyIterationModified

    problem, discount, leads = _sparse(model, behaviour, settings, then)
    choices = int(problem.choice.max()) + 1
    # it wants every choice in every state: those that there are not are punished, and lead nowhere
    rewards = np.full((problem.states, choices), -1.0)
    rewards[problem.state, problem.choice] = problem.reward
    matrices = []
    for choice in range(choices):
        rows = np.flatnonzero(problem.choice == choice)
        pick = sparse.csr_matrix(
            (np.ones(len(rows)), (problem.state[rows], rows)), shape=(problem.states, len(problem.state))
        )
        absent = np.setdiff1d(np.arange(problem.states), problem.state[rows])
        away = sparse.csr_matrix(
            (np.ones(len(absent)), (absent, np.full(len(absent), problem.states - 1))),
            shape=(problem.states, problem.states),
        )
        matrices.append((pick @ leads + away).tocsr())
    process = PolicyIterationModified(tuple(matrices), rewards, discount, epsilon=TOLERANCE, max_iter=10_000)
    process.run()
    return np.array(process.V)[:-1].reshape(-1, len(behaviour.grid))


def _sparse(
    model: Model, behaviour: Behaviour, settings: Settings, then: np.ndarray | None
) -> tuple[Problem, float, object]:
    """The problem, a discount that no choice exceeds, and the rest as a sparse matrix of probabilities.

    They want rows that sum to 1: what is missing leads to one more state, in which nothing happens.
    """
    import scipy.sparse as sparse

    problem = write_out(model, behaviour, settings, then)
    discount = float(problem.share.sum(axis=1).max())
    share = problem.share / discount
    nowhere, count = problem.states, len(problem.state)
    rest = np.maximum(1.0 - share.sum(axis=1), 0.0)
    row = np.concatenate([np.repeat(np.arange(count), 4), np.arange(count), [count]])
    column = np.concatenate([problem.leads.ravel(), np.full(count + 1, nowhere)])
    data = np.concatenate([share.ravel(), rest, [1.0]])
    leads = sparse.csr_matrix((data, (row, column)), shape=(count + 1, nowhere + 1))
    closed = problem._replace(
        states=nowhere + 1,
        state=np.append(problem.state, nowhere),
        choice=np.append(problem.choice, 0),
        reward=np.append(problem.reward, 0.0),
    )
    return closed, discount, leads
