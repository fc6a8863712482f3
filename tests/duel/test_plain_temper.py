"""The plain reference: initiative and caution, which count for the selection that a search is about."""

import numpy as np
import pytest
from tiny_games import FACE_TO_FACE, Act, make_rules, make_sides, make_state, make_stock, punch

from randori.duel import plain_search
from randori.duel.game import DEFENCE, GO_ON

OVER_THE_HEAD = 2.5  # metres: a punch that meets nobody
ATTACKING, TOO_FAR, STAY, COME, DUCK, FUTILE, TURN = range(7)  # actions
ACTS = [
    punch(),
    punch(strikes=((1, 21, 0.9),)),  # out of range a metre away
    Act(10),
    Act(10, move=(0.0, 0.5)),
    Act(10, kind=DEFENCE, pairing=0),
    punch(OVER_THE_HEAD, pairing=0),
    Act(10, turn=-0.25 * np.pi),
]


def worth(action, peace=2.0, patience=4.0, apart=1.0, depth=1, **values) -> float:
    """What a search says of fighter 0 that can select nothing else and was left in peace so many seconds."""
    stock = make_stock(ACTS, [[action]])
    sides = make_sides(stock, **({"initiative_weight": [3.0, 0.0]} | values))
    state = make_state(stock, (FACE_TO_FACE[0], (0.0, apart, 3.14159265)), [STAY, STAY], [None, 0])
    state.peace[0] = state.now - round(60 * peace)
    verdict = plain_search.search(stock, sides, make_rules(patience=patience), state, 0, depth)
    assert verdict.cooperative == 0.0
    return verdict.competitive


def test_the_wish_to_attack_grows_with_the_square_of_the_time_in_peace():
    assert worth(ATTACKING, peace=0.0) == 0.0
    assert worth(ATTACKING, peace=0.5) == pytest.approx(3.0 * 0.25)
    assert worth(ATTACKING, peace=1.0) == pytest.approx(3.0)
    assert worth(ATTACKING, peace=2.0) == pytest.approx(12.0)


def test_the_wish_to_attack_is_capped_by_patience():
    assert worth(ATTACKING, peace=2.0, patience=1.5) == pytest.approx(3.0 * 1.5**2)
    assert worth(ATTACKING, peace=1.0, patience=1.5) == pytest.approx(3.0)


def test_a_fighter_that_does_not_attack_is_to_come_within_reach():
    # two seconds of peace are worth 12; it ends 1 m or 0.5 m away
    assert worth(STAY, reach=0.4) == pytest.approx(-12.0 * 0.6)
    assert worth(COME, reach=0.4) == pytest.approx(-12.0 * 0.1)
    assert worth(COME, reach=0.6) == 0.0
    assert worth(STAY, reach=0.4, apart=1.4) == pytest.approx(-12.0)
    assert worth(STAY, reach=0.4, apart=5.0) == pytest.approx(-12.0)  # farther counts no more
    assert worth(STAY, reach=0.4, peace=0.0) == 0.0


def test_a_fighter_that_does_not_attack_is_to_face_its_opponent():
    # it ends turned by an eighth of a full turn: as far off as half a metre too much
    assert worth(TURN, reach=1.2) == pytest.approx(-12.0 * 0.5)
    assert worth(TURN, reach=0.9) == pytest.approx(-12.0 * 0.6)
    assert worth(TURN, reach=0.4) == pytest.approx(-12.0)


def test_an_attack_out_of_range_is_no_attack():
    assert worth(TOO_FAR, reach=0.4) == pytest.approx(-12.0 * 0.6)
    assert worth(TOO_FAR, reach=0.4, apart=0.8) == pytest.approx(12.0)


def test_initiative_counts_for_the_selection_that_a_search_is_about_alone():
    # fighter 0 selects again twice, 20 and 40 ticks on
    assert worth(ATTACKING, depth=1) == worth(ATTACKING, depth=3) == pytest.approx(12.0)
    for depth in (1, 2, 3):
        assert worth(ATTACKING, depth=depth, initiative_weight=[0.0, 3.0]) == 0.0


def test_an_attack_that_would_hit_nobody_is_no_attack():
    assert worth(FUTILE, reach=1.2) == pytest.approx(0.0)
    assert worth(FUTILE, reach=0.4) == pytest.approx(-12.0 * 0.6)
    assert worth(FUTILE, reach=1.2, futility_weight=[7.0, 0.0]) == pytest.approx(-7.0)
    assert worth(ATTACKING, futility_weight=[7.0, 0.0]) == pytest.approx(12.0)
    assert worth(STAY, reach=1.2, futility_weight=[7.0, 0.0]) == pytest.approx(0.0)  # it is no attack


def test_an_attack_of_a_range_that_counts_little_is_as_futile_as_a_miss():
    values = {"futility_weight": [8.0, 0.0], "reach": 0.4}  # the punch is no short one
    assert worth(ATTACKING, given_long=[2.0, 0.0], **values) == pytest.approx(24.0 + 12.0)  # its damage too
    assert worth(ATTACKING, given_short=[2.0, 0.0], **values) == pytest.approx(-8.0)
    halves = {"given_short": [2.0, 0.0], "given_long": [1.0, 0.0]}
    assert worth(ATTACKING, **halves, **values) == pytest.approx(12.0 + 6.0 - 4.0)


def test_urges_count_for_the_selection_that_a_search_is_about_alone():
    urge = [[0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0], [0.0] * 7]
    for depth in (1, 2, 3):
        assert worth(STAY, peace=0.0, depth=depth, urge=urge) == pytest.approx(5.0)
        assert worth(STAY, peace=0.0, depth=depth, urge=urge[::-1]) == 0.0


def cautious(action, depth=1, age=5, spent=0, weight=(4.0, 0.0)) -> float:
    """What a search says of fighter 0, whose opponent punches, and which can select nothing else."""
    stock = make_stock(ACTS, [[action]])
    sides = make_sides(stock, caution_weight=weight, combination=[[0.75], [0.0]])
    state = make_state(stock, FACE_TO_FACE, [STAY, FUTILE], [None, age])
    state.spent[1] = spent
    return plain_search.search(stock, sides, make_rules(), state, 0, depth).competitive


def test_caution_counts_for_a_defence_that_suits_the_attack():
    assert cautious(DUCK) == pytest.approx(3.0)
    assert cautious(STAY) == 0.0
    assert cautious(DUCK, spent=1) == 0.0  # the punch has met something


def test_caution_counts_for_the_selection_that_a_search_is_about_alone():
    # the next duck begins 10 ticks on, in tick 15 of the punch
    assert cautious(DUCK, depth=2) == pytest.approx(3.0)
    assert cautious(DUCK, depth=2, weight=(0.0, 4.0)) == 0.0


def test_going_on_is_neither_bold_nor_cautious():
    stock = make_stock([*ACTS, Act(40, breaks=dict.fromkeys(range(40), 0))], [[STAY]])
    sides = make_sides(stock, initiative_weight=[3.0, 0.0], reach=0.4)
    state = make_state(stock, FACE_TO_FACE, [7, FUTILE], [9, 6])
    state.alert[0], state.peace[0] = stock.first[7] + 9, state.now - 120
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 1)
    assert (verdict.action, verdict.competitive) == (GO_ON, 0.0)  # staying would count -12 × 0.6


def test_a_fighter_that_has_not_seen_the_attack_decides_by_its_initiative_too():
    stock = make_stock(ACTS, [[STAY, ATTACKING]])
    sides = make_sides(stock, initiative_weight=[3.0, 0.0], duration_weight=[60.0, 0.0], reaction=[9, 0])
    state = make_state(stock, FACE_TO_FACE, [STAY, FUTILE], [None, 5])
    for peace, action in ((2.0, ATTACKING), (0.5, STAY)):  # a punch lasts 10 ticks more, which cost 10
        state.peace[0] = state.now - round(60 * peace)
        assert plain_search.search(stock, sides, make_rules(), state, 0, 1).action == action
