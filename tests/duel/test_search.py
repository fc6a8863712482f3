"""The search in kernels gives the same answer as the plain reference, with all its cuts."""

import games
import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.duel import reference
from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.search import Searcher
from randori.duel.styles import STYLES
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library import build_library
from randori.motion.placement import Placement
from randori.performer import perform
from randori.timeline.timeline import Timeline
from randori.work import finish

BATCH = 100  # games in one test


def playable(game: games.Game) -> games.Game:
    """The game with bodies as precise as the kernels keep them."""
    stock = game.stock
    rough = stock._replace(
        body=stock.body.astype(np.float32).astype(float), radii=stock.radii.astype(np.float32).astype(float)
    )
    return game._replace(stock=rough)


@pytest.mark.parametrize("batch", range(11))
def test_the_search_equals_the_plain_reference(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        game = playable(games.random_game(seed))
        stock, sides, rules, _, who, depth = game
        state = reference.believed(stock, sides, game.state, who)
        expected = reference.search(stock, sides, rules, state, who, depth)
        found = Searcher(stock, sides, rules).search(state, who, depth)
        assert found.action == expected.action, seed
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed
        assert found.cooperative == pytest.approx(expected.cooperative, rel=1e-9, abs=1e-6), seed
        if not rules.model:
            assert found.line.tolist() == expected.line.tolist(), seed


def test_plausible_is_the_same_in_kernels() -> None:
    for seed in range(200):
        game = playable(games.random_game(seed))
        expected = reference.plausible(*game[:5])
        found = Searcher(*game[:3]).broken_rules(game.state, game.who)
        assert found.tolist() == expected.tolist(), seed


@pytest.fixture(scope="module")
def graph() -> ActionGraph:
    clips = [
        perform(name, seconds=seconds, seed=3)[0].clip
        for name, seconds in (("boxing", 60.0), ("reactions", 30.0))
    ]
    return build_action_graph(build_library([(clip, analyse(clip)) for clip in clips]), 0.2)


def fight(graph: ActionGraph, threads: int, seconds: float, depth: int = 3) -> Timeline:
    fighters = [
        Fighter("Red", graph, STYLES["boxer"], depth, team=0),
        Fighter("Blue", graph, STYLES["boxer"], depth, team=1, place=Placement(0.0, 1.2, np.pi)),
    ]
    return finish(Fight(fighters, seed=5, threads=threads).run(seconds))


def test_a_fight_is_the_same_on_any_number_of_threads(graph: ActionGraph) -> None:
    one, two, four = (fight(graph, threads, 8.0) for threads in (1, 2, 4))
    assert one.decisions == two.decisions == four.decisions
    assert one.events == two.events == four.events
    for a, b, c in zip(one.tracks, two.tracks, four.tracks):
        assert a.placed == b.placed == c.placed
    assert len(one.decisions) > 8


def test_cuts_between_choices_change_nothing(graph: ActionGraph) -> None:
    """On real motions, where most is cut: the best of all choices, each searched alone, is what is found."""
    fighters = [
        Fighter("Red", graph, STYLES["boxer"], 2, team=0),
        Fighter("Blue", graph, STYLES["boxer"], 2, team=1, place=Placement(0.0, 1.0, np.pi)),
    ]
    game = Fight(fighters, seed=2)
    searcher = Searcher(game.stock, game.sides(), game.habits.rules)
    for _ in range(6):
        game.advance()
        state = game.state
        who = int(np.flatnonzero(state.idle)[0])
        seen, _ = searcher.believed(state, who)
        broken = searcher.broken_rules(seen, who)
        orders = np.flatnonzero(broken == broken.max())
        for depth in (1, 2, 3):
            alone = searcher.scores(seen, who, depth, orders)
            worth = [verdict.competitive + verdict.cooperative for verdict in alone]
            found = searcher.best(seen, who, depth, orders).verdict
            assert found.action == alone[int(np.argmax(worth))].action
            assert found.competitive == pytest.approx(alone[int(np.argmax(worth))].competitive, rel=1e-12)
        game.select(who, game.decide(who))
