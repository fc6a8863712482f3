"""The search in kernels gives the same answer as the plain reference, with all its cuts."""

from collections.abc import Callable, Iterable

import games
import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.duel import plain_search
from randori.duel.board import Layout, lay_out, new_levels, set_state
from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.game import Rules, Sides, State, Verdict
from randori.duel.search import Searcher, new_tree
from randori.duel.styles import STYLES
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library import build_library
from randori.kernels import duel_records as records
from randori.kernels.duel_quiet import refute
from randori.kernels.duel_world import landed_damage
from randori.motion.placement import Placement
from randori.performer import perform
from randori.timeline.timeline import Timeline
from randori.work import finish
from shared import Result, made_once

BATCH = 100  # games in one test


def playable(game: games.Game) -> games.Game:
    """The game with bodies as precise as the kernels keep them."""
    stock = game.stock
    rough = stock._replace(
        body=stock.body.astype(np.float32).astype(float), radii=stock.radii.astype(np.float32).astype(float)
    )
    return game._replace(stock=rough)


def answers(
    name: str, seeds: Iterable[int], answer: Callable[[games.Game], Result], startled: bool = False
) -> list[tuple[int, games.Game, Result]]:
    """Random games by their seeds, and what the plain reference says to them, which takes it long."""
    found = [(seed, playable(games.random_game(seed, startled=startled))) for seed in seeds]
    said = made_once(
        f"duel-answers-{name}",
        lambda: [answer(game) for _, game in found],
        makers=("randori.duel.plain_search",),
    )
    return [(seed, game, right) for (seed, game), right in zip(found, said, strict=True)]


@pytest.mark.parametrize("batch", range(11))
def test_the_search_equals_the_plain_reference(batch: int) -> None:
    def believed(game: games.Game) -> State:
        return plain_search.believed(game.stock, game.sides, game.state, game.who)

    def answer(game: games.Game) -> Verdict:
        return plain_search.search(*game[:3], believed(game), game.who, game.depth)

    for seed, game, expected in answers(f"{batch}", range(batch * BATCH, (batch + 1) * BATCH), answer):
        found = Searcher(*game[:3]).search(believed(game), game.who, game.depth)
        assert found.action == expected.action, seed
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed
        assert found.cooperative == pytest.approx(expected.cooperative, rel=1e-9, abs=1e-6), seed
        if not game.rules.model:
            assert found.line.tolist() == expected.line.tolist(), seed


def test_blows_that_are_worth_nothing_are_answered_all_the_same() -> None:
    """Where nobody minds a blow, it still ends what the struck one does, and bounds must know."""

    def worthless(game: games.Game) -> tuple[Sides, State, int]:
        nothing = np.zeros(len(game.sides.team))
        sides = game.sides._replace(given_short=nothing, given_long=nothing, taken=nothing)
        return sides, plain_search.believed(game.stock, sides, game.state, game.who), min(game.depth, 3)

    def answer(game: games.Game) -> Verdict:
        sides, state, depth = worthless(game)
        return plain_search.search(game.stock, sides, game.rules, state, game.who, depth)

    for seed, game, expected in answers("worthless", range(100, 200), answer):
        sides, state, depth = worthless(game)
        found = Searcher(game.stock, sides, game.rules).search(state, game.who, depth)
        assert found.action == expected.action, seed
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed


def test_all_alert_fighters_may_go_on_where_nothing_threatens_them() -> None:
    """One breaks off its attack, and another, alarmed in the same tick, has nothing to fear any more."""

    def harmless(game: games.Game) -> tuple[Sides, Rules, State]:
        nothing = np.zeros(2)
        sides = game.sides._replace(
            touch=nothing,
            request_weight=nothing,
            path_weight=nothing,
            heading_weight=nothing,
            pairing_shared=np.zeros(2, dtype=bool),
        )
        return sides, game.rules._replace(model=False), game.state._replace(spent=np.full(2, (1 << 62) - 1))

    def answer(game: games.Game) -> Verdict | None:
        if len(game.sides.team) > 2:
            return None
        sides, rules, state = harmless(game)
        return plain_search.search(game.stock, sides, rules, state, game.who, 3)

    compared = 0
    for seed, game, expected in answers("alert", range(240), answer, startled=True):
        if expected is None:
            continue
        assert (game.state.alert >= 0).all(), seed
        sides, rules, state = harmless(game)
        found = Searcher(game.stock, sides, rules).search(state, game.who, 3)
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed
        assert found.line.tolist() == expected.line.tolist(), seed
        compared += 1
    assert compared > 150


def test_plausible_is_the_same_in_kernels() -> None:
    def answer(game: games.Game) -> np.ndarray:
        return plain_search.plausible(*game[:5])

    for seed, game, expected in answers("plausible", range(200), answer):
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


def moments(graph: ActionGraph, apart: float, count: int) -> list[tuple[Fight, State, int]]:
    """Moments of a fight in which somebody selects, as that one sees them."""
    fighters = [
        Fighter("Red", graph, STYLES["boxer"], 2, team=0),
        Fighter("Blue", graph, STYLES["boxer"], 2, team=1, place=Placement(0.0, apart, np.pi)),
    ]
    game, found = Fight(fighters, seed=2), []
    searcher = Searcher(game.stock, game.sides(), game.habits.rules)
    for _ in range(count):
        game.advance()
        who = int(np.flatnonzero(plain_search.selects(game.state))[0])
        found.append((game, searcher.believed(game.state, who)[0], who))
        game.select(who, game.decide(who))
    return found


def test_bounds_that_promise_more_give_the_same_answer(graph: ActionGraph) -> None:
    """What cannot be struck, or only below the head, is cut; without knowing that, more is searched."""
    saved = 0
    for game, state, who in moments(graph, 0.9, 12):
        narrow = lay_out(game.stock)
        actions, threats = narrow.tables.actions.copy(), narrow.tables.threats.copy()
        actions["vital"]["radius"] = actions["vital_reach"] = threats["sweep"]["radius"] = 100.0
        speeds = np.repeat(narrow.tables.speeds[:, :1], records.HEIGHTS, axis=1)
        tables = narrow.tables._replace(actions=actions, threats=threats, speeds=speeds)
        wide = Layout(tables, narrow.extremes)
        near, far = (
            Searcher(game.stock, game.sides(), game.habits.rules, layout=layout).search(state, who, 3)
            for layout in (narrow, wide)
        )
        assert (near.action, near.competitive, near.line.tolist()) == (
            far.action,
            far.competitive,
            far.line.tolist(),
        )
        saved += far.nodes - near.nodes
    assert saved > 0


def test_cuts_between_choices_change_nothing(graph: ActionGraph) -> None:
    """On real motions, where most is cut: the best of all choices, each searched alone, is what is found."""
    for game, seen, who in moments(graph, 1.0, 6):
        searcher = Searcher(game.stock, game.sides(), game.habits.rules)
        orders = searcher.considered(seen, who, searcher.broken_rules(seen, who))
        for depth in (1, 2, 3):
            alone = searcher.scores(seen, who, depth, orders)
            worth = [verdict.competitive + verdict.cooperative for verdict in alone]
            found = searcher.best(seen, who, depth, orders).verdict
            assert found.action == alone[int(np.argmax(worth))].action
            assert found.competitive == pytest.approx(alone[int(np.argmax(worth))].competitive, rel=1e-12)


def test_an_answer_out_of_reach_need_not_be_played(graph: ActionGraph) -> None:
    """What a choice comes to with a known answer, as neither can strike, is what playing both gives."""
    compared = 0
    for game, state, who in moments(graph, 2.6, 12):
        stock, sides, rules, other = game.stock, game.sides(), game.habits.rules, 1 - who
        searcher = Searcher(stock, sides, rules)
        answers = searcher.choices(state, other)
        for answer in range(0, len(answers), 13):
            tops = answered(searcher, state, who, answer)
            for order in np.flatnonzero(np.isfinite(tops))[::9]:
                action = int(searcher.choices(state, who)[order])
                selected, sums = plain_search.select(
                    stock, sides, rules, state, plain_search.no_sums(sides, state.now), who, action
                )
                then = plain_search.advance(stock, sides, rules, selected, sums, selecting=True)
                assert int(np.argmax(then.state.idle)) == other
                broken = plain_search.plausible(stock, sides, rules, then.state, other)
                assert broken[answer] == plain_search.PLAUSIBLE
                selected, sums = plain_search.select(
                    stock, sides, rules, then.state, then.sums, other, int(answers[answer])
                )
                end = plain_search.advance(stock, sides, rules, selected, sums, selecting=False)
                worth = end.sums.competitive[who] - end.sums.competitive[other]
                assert tops[order] == pytest.approx(worth, rel=1e-6, abs=1e-6)
                compared += 1
    assert compared > 20


def answered(searcher: Searcher, state: State, who: int, answer: int) -> np.ndarray:
    """(C,) what each choice comes to if the other one gives this answer; inf where that is not known."""
    count = len(searcher.choices(state, who))
    levels = new_levels(3, 2, searcher.rules.remembered)
    set_state(levels, state)
    killers = np.full(len(searcher.stock.choice_start), -1)
    killers[searcher.stock.end_posture[state.action[1 - who]]] = answer
    tree = new_tree(3, count)
    tree.nodes["fighter"][0], tree.nodes["count"][0] = who, count
    tree.candidates["order"][0], tree.candidates["top"][0] = np.arange(count), np.inf
    refute(searcher.game, levels, tree, killers, 0, int(searcher.sides.team[who]), 1e300)
    return tree.candidates["top"][0]


def test_what_a_strike_does_is_known_before_it_is_played(graph: ActionGraph) -> None:
    """The damage of a strike, if nobody else strikes, is what playing it does."""
    landed = missed = 0
    for game, seen, who in moments(graph, 0.9, 14):
        stock, sides, rules, other = game.stock, game.sides(), game.habits.rules, 1 - who
        searcher = Searcher(stock, sides, rules)
        state = seen._replace(spent=np.full(2, records.ALL_SPENT))
        levels = new_levels(1, 2, rules.remembered)
        for action in searcher.choices(state, who):
            if np.diff(stock.strike_start)[action] != 1:
                continue
            selected, sums = plain_search.select(
                stock, sides, rules, state, plain_search.no_sums(sides, state.now), who, int(action)
            )
            set_state(levels, selected)
            damage = landed_damage(searcher.game, levels.fighters[0], who, state.now)
            end = plain_search.advance(stock, sides, rules, selected, sums, selecting=False)
            assert damage == pytest.approx(end.state.hurt[other] - state.hurt[other], rel=1e-4, abs=1e-6)
            landed, missed = landed + (damage > 0.0), missed + (damage == 0.0)
    assert landed > 10
    assert missed > 10
