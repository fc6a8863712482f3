"""The PettingZoo environment of the duel."""

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from randori.errors import RandoriError
from randori.rl import DuelEnv

SECONDS = 2.0


@pytest.fixture(scope="module")
def env() -> DuelEnv:
    return DuelEnv("boxing", SECONDS)


def played(env: DuelEnv, seed: int) -> list[tuple[str, int, float]]:
    """Agents, actions and rewards of an episode in which one searches and the other acts at random."""
    env.reset(seed=seed)
    random, told = np.random.default_rng(seed), []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        action = None
        if not (termination or truncation):
            mask = observation["action_mask"]
            searches = agent == env.possible_agents[0]
            action = env.searched(agent) if searches else int(random.choice(np.flatnonzero(mask)))
            assert mask[action]
        told.append((agent, -1 if action is None else action, reward))
        env.step(action)
    return told


def test_it_is_an_environment_of_pettingzoo(env: DuelEnv) -> None:
    api_test(env, num_cycles=20)


def test_seeds_repeat_and_differ(env: DuelEnv) -> None:
    seed_test(lambda: DuelEnv("boxing", SECONDS), num_cycles=6)
    first = played(env, 3)
    assert first == played(env, 3)
    assert first != played(env, 4)


def test_rewards_are_the_hits_of_the_fight(env: DuelEnv) -> None:
    told = [row for seed in range(3) for row in played(env, seed)]
    assert len(told) > 12
    env.reset(seed=0)
    sums = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        sums[agent] += reward
        env.step(None if termination or truncation else env.searched(agent))
    one, two = sums.values()
    assert one == pytest.approx(-two)  # zero-sum
    damage = sum(event.strength for event in env.fight.events if event.kind == "hit")
    assert abs(one) <= 2.0 * damage + 1e-9


def test_an_observation_puts_the_own_fighter_first(env: DuelEnv) -> None:
    env.reset(seed=1)
    agent = env.agent_selection
    seen = env.observe(agent)
    assert seen["observation"][0, :4] == pytest.approx([0.0, 0.0, 0.0, 1.0])
    apart = np.linalg.norm(np.diff(env.fight.pelvises(), axis=0))
    assert np.hypot(*seen["observation"][1, :2]) == pytest.approx(apart, rel=1e-5)
    assert seen["observation"][1, 1] > 0.5  # the opponent is in front
    assert seen["action_mask"].sum() > 3
    assert env.observe(env.possible_agents[1 - env.possible_agents.index(agent)])["action_mask"].sum() == 0
    with pytest.raises(RandoriError, match="there are choices 0 to"):
        env.step(10_000)


def test_scenes_without_fighters_are_refused() -> None:
    with pytest.raises(RandoriError, match="needs a scene of fighters"):
        DuelEnv("football")
