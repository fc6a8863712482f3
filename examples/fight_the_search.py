"""A random agent against Randori's search, in the PettingZoo environment (pip install "randori[rl]").

python examples/fight_the_search.py --seconds 20 --out bout.npz
"""

import argparse
from pathlib import Path

import numpy as np

from randori.rl import DuelEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seconds", type=float, default=10.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", type=Path, default=Path("bout.npz"))
given = parser.parse_args()

env = DuelEnv("boxing", seconds=given.seconds)
env.reset(seed=given.seed)
random, rewards = np.random.default_rng(given.seed), dict.fromkeys(env.possible_agents, 0.0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, _ = env.last()
    rewards[agent] += reward
    if termination or truncation:
        env.step(None)
    elif agent == env.possible_agents[0]:
        env.step(env.searched(agent))
    else:
        env.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))
searching, guessing = rewards.values()
print(f"the search: {searching:+.1f}, the random agent: {guessing:+.1f}")
env.take().save(given.out)
