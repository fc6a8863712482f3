"""The exchange that docs/duel.md works out: attack, alarm, block, counter."""

from dataclasses import asdict

import numpy as np
import pytest
from tiny_games import HEAD_HEIGHT, Act, make_rules, make_sides, make_state, make_stock

from randori.duel import plain_search
from randori.duel.fighter import RULES_OF_BOXING
from randori.duel.game import ATTACK, DEFENCE, Verdict
from randori.duel.styles import STYLES

RED, BLUE = 0, 1
REACTION = 0.35  # seconds, as in docs/duel.md
HOOK, STEP, BLOCK, BACK, JAB, STAGGER = range(6)
STANDS = ((0.0, 0.0, 0.0), (0.0, 0.9, np.pi))


def fist(still: int):
    """By tick, in metres from the post: the fist waits, then goes ahead at 6 m/s."""
    return lambda tick: (0.0, HEAD_HEIGHT, 0.02 + 0.1 * max(tick - still, 0))


ACTS = [
    Act(48, kind=ATTACK, pairing=0, fist=fist(21), strikes=((24, 33, 1.0),)),
    Act(50, breaks={31: 1}, answers=dict.fromkeys(range(12), STAGGER)),
    Act(30, kind=DEFENCE, end=2, pairing=0, forearm=(0.0, HEAD_HEIGHT, 0.3)),
    Act(40, move=(0.0, -0.2), answers={1: STAGGER}),  # a heavy blow that drives it back
    Act(30, kind=ATTACK, fist=fist(5), strikes=((12, 19, 1.0),)),
    Act(25, move=(0.0, -0.1)),
]


class Exchange:
    """Two boxers; Red's last action has just ended, in tick 600."""

    def __init__(self) -> None:
        self.stock = make_stock(ACTS, [[HOOK, STEP, BACK], [BLOCK], [JAB]])
        ticks = round(REACTION / self.stock.tick)
        weights = asdict(STYLES["boxer"])
        for name in ("breath_weight", "variety_weight"):  # nobody has attacked yet
            del weights[name]
        self.sides = make_sides(self.stock, reaction=ticks, reach=0.9, combination=[[1.0], [0.0]], **weights)
        rules = RULES_OF_BOXING
        self.rules = make_rules(
            heavy=rules.heavy, felling=rules.felling, stamina=rules.stamina, patience=rules.patience
        )
        self.state = make_state(self.stock, STANDS, [BACK, STEP], [None, 10], now=600)
        # Red has stepped back to where it is
        self.state.place[RED] = plain_search.bring(self.stock.exit[BACK], np.array(STANDS[RED]))
        self.state.peace[:] = 480
        self.sums = plain_search.no_sums(self.sides)

    def search(self, who: int) -> Verdict:
        return plain_search.search(self.stock, self.sides, self.rules, self.state, who, 1)

    def select(self, who: int, action: int) -> list[tuple[int, str, int]]:
        """What happens until a fighter may select again: tick, event, fighter."""
        game = self.stock, self.sides, self.rules
        self.state, self.sums = plain_search.select(*game, self.state, self.sums, who, action)
        self.state, self.sums, events = plain_search.advance(*game, self.state, self.sums, selecting=True)
        return [(event.tick, event.what, event.who) for event in events]


def test_the_exchange_of_the_rule_book():
    game = Exchange()
    # the hit that Red foresees, and its initiative after two seconds of peace
    verdict = game.search(RED)
    assert (verdict.action, verdict.competitive) == (HOOK, pytest.approx(2_400_000 + 1_600_000, abs=2.0))

    assert game.select(RED, HOOK) == []
    assert game.state.now == 621
    assert (game.state.alert >= 0).tolist() == [False, True]
    verdict = game.search(BLUE)
    assert (verdict.action, verdict.competitive) == (BLOCK, pytest.approx(5_000_000 + 100, abs=2.0))

    assert game.select(BLUE, BLOCK) == [(626, "block", RED)]
    assert game.state.now == 648
    assert plain_search.selects(game.state).tolist() == [True, False]
    before = game.sums.competitive[RED]
    _, again = plain_search.select(game.stock, game.sides, game.rules, game.state, game.sums, RED, HOOK)
    assert again.competitive[RED] - before == pytest.approx(-200_000, abs=2.0)

    assert game.select(RED, BACK) == []
    assert game.state.now == 651
    before = game.sums.competitive.copy()
    assert game.select(BLUE, JAB) == [(665, "hit", BLUE), (665, "response", RED)]
    assert game.sums.competitive - before == pytest.approx([-1_200_000, 1_200_000], abs=20.0)
    assert game.state.hurt == pytest.approx([12.0, 0.0])
    assert (game.state.action[RED], game.state.stop[RED]) == (STAGGER, 690)


def test_red_would_have_seen_the_counter_with_a_shorter_reaction_time():
    game = Exchange()
    for who, action in ((RED, HOOK), (BLUE, BLOCK), (RED, BACK)):
        game.select(who, action)
    game.sides = game.sides._replace(reaction=np.array([12, 21]))
    game.stock.break_posture[game.stock.first[BACK] : game.stock.first[BACK] + 41] = 1
    assert game.select(BLUE, JAB) == []
    assert game.state.now == 663
    assert (game.state.alert >= 0).tolist() == [True, False]


def test_blue_would_have_been_hit_if_it_could_not_break_off():
    game = Exchange()
    game.stock.break_posture[:] = -1
    assert game.select(RED, HOOK) == [(629, "hit", RED), (629, "response", BLUE)]
