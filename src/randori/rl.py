"""A duel as a PettingZoo environment, so that you can test agents of your own (extra `rl`).

Each fighter of a scene is an agent. An agent acts when its fighter selects: when the fighter's action has
ended, or when it sees an attack and may break off. An action is the number of one of the fighter's choices.
The mask in the observation has a 1 for each choice that Randori's rules allow.

>>> from randori.rl import DuelEnv
>>> env = DuelEnv("boxing", seconds=10.0)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     env.step(None if termination or truncation else env.searched(agent))
>>> take = env.take()
"""

from os import PathLike
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from randori.duel.fight import Fight
from randori.duel.game import ATTACK, DEFENCE, GO_ON, Stock
from randori.errors import RandoriError
from randori.graph.places import compose, inverse
from randori.physics.refine import refining
from randori.scene.cast import gather
from randori.scene.preparing import preparing_scene
from randori.scene.scene import Scene
from randori.scene.take import Take, finished_take
from randori.timeline.bake import bake_timeline
from randori.work import finish

# Columns of "observation". The observer has the first row; the others follow in the scene's order.
#   0, 1  x and z of the pelvis in metres, in the observer's frame: it stands at the origin and looks along z
#   2, 3  sine and cosine of the look, in the same frame
#   4, 5  1 if the action is an attack; 1 if it is a defence
#   6, 7  share of the action that is over; seconds to its end
#   8     damage taken, as a share of the damage that a fighter can bear
#   9     1 if the fighter is in the observer's team
FEATURES = 10
# Columns of "choices": attack, defence (0 or 1), number of strikes, seconds, metres to the left and forward
# and radians that the action moves and turns the fighter; 1 if the choice continues the present action.
CHOICE_FEATURES = 8
WORTH = 1e5  # w_D of most styles; rewards are divided by it, so that their unit is damage


class DuelEnv(AECEnv[str, dict[str, np.ndarray], int | None]):
    """A fight in which agents select. The same seed and actions give the same fight.

    The reward of an agent is the damage part of the competitive function since its last action, in damage:
    what its team gave and the others took, minus the reverse. It is zero-sum between two fighters.
    An episode ends by truncation after `seconds`.
    """

    metadata = {"name": "randori_duel_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, scene: str | PathLike[str] | Scene = "boxing", seconds: float = 20.0):
        super().__init__()
        self.scene = scene if isinstance(scene, Scene) else Scene.load(scene)
        if self.scene.formation is not None or self.scene.group or len(self.scene.cast) < 2:
            raise RandoriError(f"{self.scene.title}: an environment needs a scene of fighters")
        self.seconds = seconds
        self._graphs = finish(preparing_scene(self.scene)).graphs
        self.render_mode = None
        self.possible_agents = [member.name for member in self.scene.cast]
        self.agents: list[str] = []
        self._seed = self.scene.seed
        self.fight = self._begin()
        self._features = _features_of(self.fight.stock)
        count = len(self.possible_agents)
        self.most_choices = 1 + int(np.diff(self.fight.stock.choice_start).max())
        whole = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (count, FEATURES), np.float32),
                "choices": spaces.Box(-np.inf, np.inf, (self.most_choices, CHOICE_FEATURES), np.float32),
                "action_mask": spaces.Box(0, 1, (self.most_choices,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, whole)
        self.action_spaces = {agent: spaces.Discrete(self.most_choices) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new fight. Without a seed, each fight has the next seed."""
        self._seed = self._seed + 1 if seed is None else seed
        self.fight = self._begin()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._counted = 0
        self._go_on()

    def _begin(self) -> Fight:
        """The fight at its beginning."""
        scene = self.scene.changed(seed=self._seed, seconds=self.seconds)
        return gather(scene, self._graphs, threads=1).fights[0]

    def _go_on(self) -> None:
        """Let time pass until a fighter selects, or the time is over."""
        fight = self.fight
        fight.advance()
        self._count_rewards()
        if fight.selector < 0 or fight.now >= self.seconds * fight.fps:
            self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = self.possible_agents[fight.selector]

    def _count_rewards(self) -> None:
        """Add up the rewards of all hits since the last selection."""
        fight, teams = self.fight, [fighter.team for fighter in self.fight.fighters]
        styles = [fighter.style for fighter in fight.fighters]
        gained = np.zeros(2)  # S_comp of each team
        for event in fight.events[self._counted :]:
            if event.kind == "hit" and event.who >= 0 and event.whom >= 0:
                given = max(styles[event.who].given_short, styles[event.who].given_long)
                gained[teams[event.who]] += given * event.strength
                gained[teams[event.whom]] -= styles[event.whom].taken * event.strength
        self._counted = len(fight.events)
        self.rewards = {
            agent: float(gained[team] - gained[1 - team]) / WORTH
            for agent, team in zip(self.possible_agents, teams)
            if agent in self.agents
        }

    def step(self, action: int | None) -> None:
        """Let the fighter whose turn it is select one of its choices, by number."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        who = self.possible_agents.index(agent)
        choices = self.fight.possible(who)
        if action is None or not 0 <= int(action) < len(choices):
            raise RandoriError(f"{agent}: action {action}; there are choices 0 to {len(choices) - 1}")
        self._cumulative_rewards[agent] = 0.0
        self.fight.select(who, self._choice(who, int(action)))
        self._go_on()
        self._accumulate_rewards()

    def _choice(self, who: int, number: int) -> int:
        """A choice by its number, as a fight counts actions, or GO_ON."""
        choices = self.fight.possible(who)
        if self.fight.state.alert[who] >= 0 and number == len(choices) - 1:
            return GO_ON
        return int(choices[number]) + self.fight.first_action(who)

    def searched(self, agent: str) -> int:
        """The number of the choice that Randori's search selects for the agent whose turn it is."""
        who = self.possible_agents.index(agent)
        if who != self.fight.selector:
            raise RandoriError(f"{agent} does not select now; {self.agent_selection} does")
        action, choices = self.fight.decide(who), self.fight.possible(who)
        if action == GO_ON:
            return len(choices) - 1
        return int(np.flatnonzero(choices == action - self.fight.first_action(who))[0])

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The observation of an agent; the mask is zero unless the agent selects. See docs/api.md."""
        who = self.possible_agents.index(agent)
        mask = np.zeros(self.most_choices, dtype=np.int8)
        rows = np.zeros((self.most_choices, CHOICE_FEATURES), dtype=np.float32)
        if who == self.fight.selector and not any(self.truncations.values()):
            considered = self.fight.considered(who)
            mask[: len(considered)] = considered
            table = self._choice_table(who)
            rows[: len(table)] = table
        return {"observation": self._fighters(who), "choices": rows, "action_mask": mask}

    def _choice_table(self, who: int) -> np.ndarray:
        """(C, CHOICE_FEATURES) the choices of a fighter that selects."""
        actions = self.fight.possible(who) + self.fight.first_action(who)
        rows = self._features[actions]
        if self.fight.state.alert[who] >= 0:
            rows[-1] = 0.0
            rows[-1, -1] = 1.0
        return rows

    def _fighters(self, who: int) -> np.ndarray:
        """(N, FEATURES) all fighters in the frame of one of them, which has the first row."""
        fight, stock = self.fight, self.fight.stock
        state, places = fight.state, fight.pelvises()
        age = np.minimum(state.now - state.start, stock.ticks[state.action])
        looks = stock.facing[stock.first[state.action] + age] + state.place[:, 2]
        away, turned = places - places[who], looks - looks[who]
        sine, cosine = np.sin(looks[who]), np.cos(looks[who])
        teams = np.array([fighter.team for fighter in fight.fighters])
        rows = np.column_stack(
            [
                away[:, 0] * cosine - away[:, 1] * sine,
                away[:, 0] * sine + away[:, 1] * cosine,
                np.sin(turned),
                np.cos(turned),
                stock.kind[state.action] == ATTACK,
                stock.kind[state.action] == DEFENCE,
                age / np.maximum(stock.ticks[state.action], 1),
                np.maximum(state.stop - state.now, 0) * stock.tick,
                state.hurt / fight.rules.stamina,
                teams == teams[who],
            ]
        )
        order = [who, *(other for other in range(len(teams)) if other != who)]
        return rows[order].astype(np.float32)

    def take(self) -> Take:
        """The fight so far as a take, as if it had been simulated: refined, measured, ready to save."""
        timeline = self.fight.timeline(self.fight.now)
        refined = finish(refining(timeline, finish(bake_timeline(timeline))))
        return finished_take(timeline, refined, self.scene.title)

    def render(self) -> None:
        """Do nothing. Draw the result of `take` instead."""

    def close(self) -> None:
        """Nothing is open."""


def _features_of(stock: Stock) -> np.ndarray:
    """(A, CHOICE_FEATURES) all actions of a stock, as the postures that they start in see them."""
    moved = compose(stock.exit, inverse(stock.entry))
    return np.column_stack(
        [
            stock.kind == ATTACK,
            stock.kind == DEFENCE,
            np.diff(stock.strike_start),
            stock.ticks * stock.tick,
            moved[:, 0],
            moved[:, 1],
            np.remainder(moved[:, 2] + np.pi, 2.0 * np.pi) - np.pi,
            np.zeros(len(stock.ticks)),
        ]
    ).astype(np.float32)
