"""Bounds of the search may promise too much, never too little."""

from itertools import product

import games
import numpy as np

from randori.duel.board import new_levels, set_state
from randori.duel.search import Searcher, new_tree
from randori.kernels.duel_bounds import most_selecting
from randori.kernels.duel_candidates import screen
from randori.kernels.duel_places import may_strike

LENGTHS = (1, 2, 3)  # selections in a row


def cost(game: games.Game, who: int, used: list[int], number: int) -> float:
    """What an action costs that is selected after others, the newest first, by what was used of late."""
    stock, sides, rules = game.stock, game.sides, game.rules
    total = 0.0
    for k, last in enumerate(used[: rules.remembered]):
        if last < 0:
            continue
        similar = rules.alike if stock.likeness[last] == stock.likeness[number] else 0.0
        count = 1.0 if last == number else similar
        total += sides.recency_weight[who] * rules.forgetting**k * count
    return total


def test_no_row_of_selections_costs_more_than_its_bound() -> None:
    """All rows of a few actions, after what each fighter has used, where only what was used of late costs."""
    near = 0
    for seed in range(12):
        game = games.random_game(seed)
        free = np.zeros(len(game.sides.team))
        sides = game.sides._replace(duration_weight=free, stillness_weight=free, pairing_weight=free)
        game = game._replace(sides=sides)
        searcher, levels = Searcher(*game[:3]), new_levels(1, len(game.sides.team), game.rules.remembered)
        set_state(levels, game.state)
        for who in range(len(game.sides.team)):
            rivals = np.flatnonzero(game.sides.team != game.sides.team[who])
            used = game.state.recent[who].tolist()
            some = sorted({*used, *range(0, len(game.stock.first), 9)} - {-1})[:8]
            for length in LENGTHS:
                bound = most_selecting(searcher.game, levels, 0, int(rivals[0]), length)
                worst = 0.0
                for row in product(some, repeat=length):
                    before, total = list(used), 0.0
                    for number in row:
                        total += cost(game, who, before, number)
                        before.insert(0, number)
                    worst = max(worst, total)
                assert worst <= bound + 1e-9, (seed, who, length)
                near += worst > 0.9 * bound > 0.0
    assert near > 10


def test_nothing_to_select_costs_nothing() -> None:
    game = games.random_game(1)
    searcher, levels = Searcher(*game[:3]), new_levels(1, len(game.sides.team), game.rules.remembered)
    set_state(levels, game.state)
    assert most_selecting(searcher.game, levels, 0, 0, 0) == 0.0


def fought(game: games.Game) -> games.Game:
    """The game as a fight: nothing is shared, nothing counts at the root only, and nobody catches."""
    nothing = np.zeros(len(game.sides.team))
    weights = ("initiative", "caution", "futility", "path", "heading", "request")
    sides = game.sides._replace(
        **{f"{name}_weight": nothing for name in weights},
        touch=nothing,
        urge=0.0 * game.sides.urge,
        pairing_shared=nothing > 0.0,
        path_rival=nothing > 0.0,
    )
    return game._replace(sides=sides)


def test_a_last_selection_that_is_ruled_out_could_not_matter() -> None:
    """No choice is worth more than is needed where its bound is not, under attack either."""
    attacked = ruled_out = 0
    for seed in range(240):
        game = fought(games.random_game(seed))
        who, state = game.who, game.state
        if len(game.sides.team) > 2 or game.rules.model or state.alert[who] >= 0:
            continue
        searcher, levels = Searcher(*game[:3]), new_levels(1, 2, game.rules.remembered)
        tables, orders = searcher.game.tables, np.arange(len(searcher.choices(state, who)))
        worth = np.array([one.competitive for one in searcher.scores(state, who, 1, orders)])
        tree = new_tree(1, searcher.most_choices)
        set_state(levels, state)
        tree.nodes["fighter"][0], tree.nodes["left"][0] = who, 1
        for need in (-np.inf, *worth, worth.max() + 3.0, worth.max() + 1e3):
            above = screen(searcher.game, levels, tree, 0, int(game.sides.team[who]), need)
            if tree.nodes["screened"][0]:
                assert not np.any((tree.tops[orders] <= need) & (worth > need)), (seed, need)
                ruled_out += above == 0
                attacked += bool(may_strike(tables, levels.fighters[0, 1 - who], state.now))
    assert ruled_out > 50
    assert attacked > 50
