"""The random games on which the searches are compared contain what the comparison is about."""

from collections import Counter

import games
import numpy as np

from randori.duel import plain_search
from randori.duel.game import DEFENCE, GO_ON
from shared import made_once

GAMES = 1000


def _play(seed: int) -> set[str]:
    """What happens in a game in which everybody does anything that it considers."""
    stock, sides, rules, state, who, depth = games.random_game(seed)
    random, sums = np.random.default_rng(seed), plain_search.no_sums(sides)
    things = {f"depth {depth}", f"{len(sides.team)} fighters", "model" if rules.model else "best answers"}
    last = -1
    for ply in range(depth):
        seen = plain_search.believed(stock, sides, state, who)
        things |= {"unseen attack"} if np.any(seen.spent != state.spent) else set()
        things |= {"alert"} if state.alert[who] >= 0 else set()
        things |= {"several alert"} if np.count_nonzero(state.alert >= 0) > 1 else set()
        broken = plain_search.plausible(stock, sides, rules, seen, who)
        things |= {f"rule {_without_grades(rule)}" for rule in broken}
        best = _without_grades(broken.max())
        fallback = broken.max() < plain_search.PLAUSIBLE and state.alert[who] < 0
        things |= {f"fallback to rule {best}"} if fallback else set()
        grades = {rule for rule in broken if _without_grades(rule) == 2}
        things |= {"fallback to a grade"} if best == 2 and len(grades) > 1 else set()
        things |= {"same fighter again"} if who == last else set()
        choice = int(random.choice(plain_search.considered(stock, sides, rules, seen, who)))
        things |= {"goes on"} if choice == GO_ON else set()
        things |= {"breaks off"} if choice != GO_ON and state.alert[who] >= 0 else set()
        things |= {"defence"} if choice != GO_ON and stock.kind[choice] == DEFENCE else set()
        state, sums = plain_search.select(stock, sides, rules, state, sums, who, choice)
        state, sums, events = plain_search.advance(stock, sides, rules, state, sums, ply < depth - 1)
        things |= {event.what for event in events}
        last, who = who, int(np.argmax(plain_search.selects(state)))
    things.add("general sum" if sums.cooperative.any() else "zero sum")
    return things


def _without_grades(rule: int) -> int:
    """The number of a rule, all grades of rule 2 being one."""
    return int(rule) if rule < 2 else max(2, int(rule) - plain_search.GRADES + 1)


def test_everything_happens_often_enough():
    """Counted is in how many games, in one random line of each: in their trees it happens more often."""
    happened = made_once(
        "duel-happened",
        lambda: Counter(thing for seed in range(GAMES) for thing in _play(seed)),
        makers=("randori.duel.plain_search",),
    )
    wanted = {"hit": 200, "response": 150, "block": 150, "catch": 100}
    wanted |= {"unseen attack": 150, "same fighter again": 200, "defence": 200}
    wanted |= {f"rule {rule}": 100 for rule in range(6)}
    wanted |= {f"fallback to rule {rule}": 25 for rule in range(5)}
    wanted |= {"fallback to a grade": 25, "alert": 100, "goes on": 25, "breaks off": 50, "several alert": 50}
    wanted |= {f"depth {depth}": 200 for depth in range(1, 5)}
    wanted |= {"3 fighters": 200, "model": 200, "general sum": 300, "zero sum": 300}
    assert {thing: happened[thing] for thing, least in wanted.items() if happened[thing] < least} == {}


def test_a_seed_is_a_game():
    one, same, other = games.random_game(3), games.random_game(3), games.random_game(4)
    for part, again in zip((*one.stock, *one.state), (*same.stock, *same.state)):
        np.testing.assert_array_equal(part, again)
    assert one.stock.body.shape != other.stock.body.shape or np.any(one.stock.body != other.stock.body)


def test_libraries_of_their_own_stay_apart():
    """No way leads from the postures of one library to those of another."""
    apart = 0
    for seed in range(60):
        stock, sides, _, state, _, _ = games.random_game(seed)
        reached = [_reachable(stock, int(action)) for action in state.action]
        shared = any(reached[i] & reached[j] for i in range(len(reached)) for j in range(i))
        apart += not shared and len(sides.team) > 1
    assert 10 <= apart <= 30


def _reachable(stock, action: int) -> set[int]:
    """Every action that can follow, by choice or as an answer."""
    found: set[int] = set()
    waiting = {action}
    while waiting:
        found |= waiting
        following: set[int] = set()
        for a in waiting:
            posture = stock.end_posture[a]
            following |= set(stock.choices[stock.choice_start[posture] : stock.choice_start[posture + 1]])
            following |= set(stock.response[stock.first[a] : stock.first[a] + stock.ticks[a] + 1].flat) - {-1}
        waiting = following - found
    return found
