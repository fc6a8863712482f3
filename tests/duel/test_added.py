"""Terms and rules of users: the search agrees with the plain reference, `--why` shows them."""

import math
from collections.abc import Callable, Iterable, Iterator

import games
import numpy as np
import pytest

from randori.duel import plain_search
from randori.duel.added import Added, View, duel_rule, duel_term, only_added, registered
from randori.duel.game import Rules, Sides, State, Verdict
from randori.duel.search import PLAUSIBLE, RULES, TERMS, Searcher
from randori.duel.styles import STYLES
from randori.errors import RandoriError
from randori.scene.scene import Scene
from shared import made_once

LIMIT = 1.5  # metres: a global of a user's function


@pytest.fixture(autouse=True)
def nothing_else() -> Iterator[None]:
    with only_added():
        yield


def corner(view: View) -> float:
    return -max(math.hypot(view.x, view.z) - LIMIT, 0.0)


def hurry(view: View) -> float:
    return (2.0 - view.seconds) * view.strikes + 0.3 * view.distance * math.cos(view.bearing)


def toll(view: View) -> float:
    return view.seconds * (view.distance - 2.0) - view.strikes


def bold(view: View) -> float:
    return math.sin(3.0 * view.look) + view.opponent_x - 0.1 * view.time if view.kind == 1 else 0.5


def strays(view: View) -> bool:
    return view.opponent_z - view.z > 1.2 or abs(view.bearing) > 1.1


def add_all() -> Added:
    duel_term("corner", least=-2.0, most=0.0)(corner)
    duel_term("praise", least=0.0, most=1.5)(hurry)
    duel_term("hurry", when="selection", least=-1.0, most=3.0)(hurry)
    duel_term("bold", when="root", least=-5.0, most=5.0)(bold)
    duel_rule("strays")(strays)
    duel_rule("is late")(lambda view: view.seconds > 0.2)
    return registered()


def extended_game(seed: int, added: Added) -> games.Game:
    """A random game with bodies as precise as the kernels keep them, and weights of users' terms."""
    game = games.random_game(seed)
    random = np.random.default_rng(seed)
    stock = game.stock._replace(
        body=game.stock.body.astype(np.float32).astype(float),
        radii=game.stock.radii.astype(np.float32).astype(float),
    )
    some = Added(
        tuple(term for term in added.terms if random.random() < 0.7),
        tuple(rule for rule in added.rules if random.random() < 0.5),
    )
    weights = random.choice([0.0, 1.0, 20.0, 300.0], (len(game.sides.team), len(some.terms)))
    sides = game.sides._replace(added=weights)
    return game._replace(stock=stock, sides=sides, rules=game.rules._replace(added=some))


def believed(game: games.Game) -> State:
    return plain_search.believed(game.stock, game.sides, game.state, game.who)


def answers(name: str, asked: Iterable[games.Game]) -> list[Verdict]:
    """What the plain reference says to some games, which takes it long."""
    return made_once(
        f"duel-added-{name}",
        lambda: [plain_search.search(*game[:3], believed(game), game.who, game.depth) for game in asked],
        makers=("randori.duel.plain_search", "randori.duel.added"),
    )


@pytest.mark.parametrize("batch", range(4))
def test_the_search_with_added_terms_equals_the_plain_reference(batch: int) -> None:
    added = add_all()
    changed = 0
    asked = {seed: extended_game(seed, added) for seed in range(5000 + 100 * batch, 5100 + 100 * batch)}
    for (seed, game), expected in zip(asked.items(), answers(f"{batch}", asked.values()), strict=True):
        stock, sides, rules, _, who, depth = game
        state = believed(game)
        found = Searcher(stock, sides, rules).search(state, who, depth)
        assert found.action == expected.action, seed
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed
        assert found.cooperative == pytest.approx(expected.cooperative, rel=1e-9, abs=1e-6), seed
        if not rules.model:
            assert found.line.tolist() == expected.line.tolist(), seed
        plain = Searcher(stock, sides, rules._replace(added=Added())).search(state, who, depth)
        changed += plain.action != found.action
    assert changed > 10  # the terms matter


def add_gains() -> Added:
    duel_term("praise", least=0.0, most=1.5)(hurry)
    duel_term("hurry", when="selection", least=0.0, most=3.0)(hurry)
    return registered()


def add_losses() -> Added:
    duel_term("corner", least=-2.0, most=0.0)(corner)
    duel_term("toll", when="selection", least=-3.0, most=0.0)(toll)
    return registered()


@pytest.mark.parametrize("add", [add_gains, add_losses])
def test_bounds_know_of_added_terms(add: Callable[[], Added]) -> None:
    """Where nothing else counts, a search cuts by the bounds of users' terms alone."""
    added, compared, asked = add(), 0, {}
    for seed in range(6000, 6400):
        game = extended_game(seed, added)
        if len(game.sides.team) == 2 and game.rules.added.terms:
            asked[seed] = game._replace(sides=indifferent(game.sides), rules=game.rules._replace(model=False))
    for (seed, game), expected in zip(asked.items(), answers(add.__name__, asked.values()), strict=True):
        found = Searcher(*game[:3]).search(believed(game), game.who, game.depth)
        assert found.competitive == pytest.approx(expected.competitive, rel=1e-9, abs=1e-6), seed
        assert found.line.tolist() == expected.line.tolist(), seed
        compared += 1
    assert compared > 200


def indifferent(sides: Sides) -> Sides:
    """Fighters that want nothing but what users have added."""
    weights = [name for name in Sides._fields if name.endswith("_weight")]
    nothing = {name: np.zeros(len(sides.team)) for name in (*weights, "given_short", "given_long", "taken")}
    nothing |= {"touch": np.zeros(len(sides.team)), "urge": np.zeros_like(sides.urge)}
    return sides._replace(**nothing, pairing_shared=np.zeros(len(sides.team), dtype=bool))


def test_added_rules_are_the_same_in_kernels() -> None:
    added, broken = add_all(), 0
    for seed in range(5000, 5100):
        game = extended_game(seed, added)
        expected = plain_search.plausible(*game[:5])
        found = Searcher(*game[:3]).broken_rules(game.state, game.who)
        assert found.tolist() == expected.tolist(), seed
        broken += int(((found >= len(RULES)) & (found < PLAUSIBLE)).sum())
    assert broken > 20


def test_each_added_term_is_told_by_name() -> None:
    added = add_all()
    game = games.random_game(5)
    rules: Rules = game.rules._replace(added=added)
    sides = game.sides._replace(added=np.full((len(game.sides.team), len(added.terms)), 10.0))
    searcher = Searcher(game.stock, sides, rules)
    assert searcher.term_names == (*TERMS, "corner", "praise", "hurry", "bold")
    assert searcher.rule_names == (*RULES, "strays", "is late")
    told = searcher.terms(game.state, game.who)
    plain = Searcher(game.stock, sides, game.rules).terms(game.state, game.who)
    assert np.array_equal(told[:, : len(TERMS)], plain)
    alone = plain_search._Game(game.stock, sides, rules)
    for row, action in zip(told, searcher.choices(game.state, game.who)):
        now = plain_search._view(
            alone,
            game.state,
            game.who,
            plain_search.running(game.state, game.who),
            game.state.now,
            int(action),
        )
        expected = [10.0 * term.value(now) for term in added.terms[2:]]
        assert row[len(TERMS) + 2 :] == pytest.approx(expected)


def test_a_value_beyond_its_bounds_is_clipped() -> None:
    duel_term("wild", least=-1.0, most=2.0, weight=3.0)(lambda view: 1e6 * view.x)
    (term,) = registered().terms
    view = View(1, 1, 0.6, 5.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0)
    assert term.value(view) == 2.0
    assert term.value(view._replace(x=-1.0)) == -1.0
    assert term.value(view._replace(x=math.nan)) == -1.0


def test_mistakes_are_told_when_something_is_registered() -> None:
    with pytest.raises(RandoriError, match="when = 'later'; there are: end, selection, root"):
        duel_term("a", least=0.0, most=1.0, when="later")(corner)
    with pytest.raises(RandoriError, match="least = 1, most = 0"):
        duel_term("a", least=1.0, most=0.0)(corner)
    with pytest.raises(RandoriError, match="weight = -1"):
        duel_term("a", least=0.0, most=1.0, weight=-1.0)(corner)
    with pytest.raises(RandoriError, match="taken are: stance"):
        duel_term("stance", least=0.0, most=1.0)(corner)
    with pytest.raises(RandoriError, match="AttributeError"):
        duel_term("a", least=0.0, most=1.0)(lambda view: view.height)
    with pytest.raises(RandoriError, match="right is a float"):
        duel_term("a", least=0.0, most=1.0)(lambda view: "much")
    with pytest.raises(RandoriError, match="cannot be compiled"):
        duel_term("a", least=0.0, most=1.0)(lambda view: float(str(view.x)))
    for number in range(8):
        duel_rule(f"rule {number}")(strays)
    with pytest.raises(RandoriError, match="8 rules of users already"):
        duel_rule("one more")(strays)


def test_a_style_may_weigh_a_registered_term_only() -> None:
    with pytest.raises(RandoriError, match="no weight is called 'corner'"):
        STYLES["boxer"].with_weights({"corner": 5.0})
    duel_term("corner", least=-2.0, most=0.0, weight=7.0)(corner)
    (term,) = registered().terms
    assert STYLES["boxer"].weight_of(term) == 7.0
    assert STYLES["boxer"].with_weights({"corner": 5.0, "distance": 1.0}).weight_of(term) == 5.0


def test_a_scene_may_weigh_a_registered_term_only() -> None:
    text = """
    [motions.boxing]
    perform = ["boxing"]
    [[cast]]
    name = "Red"
    weights = { corner = 5.0 }
    [[cast]]
    name = "Blue"
    team = 1
    """
    with pytest.raises(RandoriError, match="there is no weight 'corner'"):
        Scene.parse(text)
    duel_term("corner", least=-2.0, most=0.0)(corner)
    assert Scene.parse(text).cast[0].weights == {"corner": 5.0}
