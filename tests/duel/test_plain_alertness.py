"""The plain reference: fighters that see an attack coming break off what they do. Worked out by hand."""

import numpy as np
import pytest
from tiny_games import FACE_TO_FACE, Act, make_rules, make_sides, make_state, make_stock, play, punch

from randori.duel import plain_search
from randori.duel.game import ATTACK, DEFENCE, GO_ON, OTHER

NOW = 100  # tick in which the games begin
OVER_THE_HEAD = 2.5  # metres: a punch that meets nobody
ATTACKING, BUSY, DODGE = range(3)  # actions


def alarmed(
    breaks: range,
    reaction: int = 6,
    age: int = 3,
    attack_age: int = 0,
    attack: Act | None = None,
    spent: int = 0,
    selecting: bool = True,
) -> tuple[int, int]:
    """The tick in which somebody may select, and the age of what fighter 0 may break off then, or -1.

    Fighter 1 attacks; fighter 0 has been busy for `age` ticks with what can be broken off at some ages.
    """
    acts = [attack or punch(OVER_THE_HEAD), Act(40, breaks=dict.fromkeys(breaks, 1)), Act(4, move=(1.0, 0.0))]
    stock = make_stock(acts, [[ATTACKING, BUSY], [DODGE]])
    sides = make_sides(stock, reaction=[reaction, 0])
    state = make_state(stock, FACE_TO_FACE, [BUSY, ATTACKING], [age, attack_age])
    state.spent[1] = spent
    after = play(stock, sides, make_rules(), state, selecting).state
    assert after.alert[1] == -1
    frame = int(after.alert[0])
    return after.now - NOW, frame - int(stock.first[BUSY]) if frame >= 0 else -1


# ---- When a fighter is alarmed


def test_an_alarm_comes_once_the_attack_has_been_under_way_for_the_reaction_time():
    assert alarmed(range(40), reaction=6) == (6, 9)  # it had been busy for 3 ticks
    assert alarmed(range(40), reaction=1) == (1, 4)
    assert alarmed(range(40), reaction=10, attack_age=4) == (6, 9)


def test_an_action_that_cannot_be_broken_off_then_is_as_soon_as_it_can():
    assert alarmed(range(11, 40)) == (8, 11)
    assert alarmed(range(9)) == (20, -1)  # too early; the punch is over after 20 ticks
    assert alarmed(range(9, 10)) == (6, 9)


def test_a_frame_that_comes_after_the_last_strike_is_too_late():
    first_strikes = punch(OVER_THE_HEAD, strikes=((1, 9, 2.0),))
    # fighter 0 is 11 ticks old 8 ticks from now, in the last tick of the strike, and 12 one tick later
    assert alarmed(range(11, 40), attack=first_strikes) == (8, 11)
    assert alarmed(range(12, 40), attack=first_strikes) == (20, -1)


def test_no_alarm_for_an_action_that_was_selected_when_the_attack_could_be_seen():
    # the attack began 6 ticks ago: fighter 0 sees it from this tick on
    assert alarmed(range(3, 40), attack_age=6, age=1) == (2, 3)
    assert alarmed(range(3, 40), attack_age=6, age=0) == (14, -1)


def test_an_attack_alarms_once():
    # its tick is past
    assert alarmed(range(40), attack_age=8) == (12, -1)


def test_no_alarm_for_what_is_no_attack_or_has_met_something():
    assert alarmed(range(40), attack=punch(OVER_THE_HEAD, kind=OTHER)) == (20, -1)
    assert alarmed(range(40), attack=Act(20, kind=ATTACK)) == (20, -1)  # it has no strike
    assert alarmed(range(40), spent=1) == (20, -1)
    two = punch(OVER_THE_HEAD, strikes=((1, 9, 2.0), (9, 21, 2.0)))
    assert alarmed(range(40), spent=0b01, attack=two) == (6, 9)


def test_no_alarm_for_an_attacker_whose_action_ends_in_that_tick():
    assert alarmed(range(40), attack_age=15, reaction=19) == (4, 7)
    assert alarmed(range(40), attack_age=15, reaction=20) == (5, -1)


def test_no_alarm_in_the_tick_in_which_the_own_action_ends():
    assert alarmed(range(41), age=35, reaction=4) == (4, 39)
    assert alarmed(range(41), age=35, reaction=5) == (5, -1)


def test_allies_do_not_alarm():
    stock = make_stock([punch(OVER_THE_HEAD), Act(40, breaks=dict.fromkeys(range(40), 0))], [[0, 1]])
    stands = (*FACE_TO_FACE, (5.0, 5.0, 0.0))
    state = make_state(stock, stands, [1, 0, 1], [3, 0, 3])
    for team, alert in (((0, 0, 1), False), ((0, 1, 0), True)):
        after = play(stock, make_sides(stock, team, reaction=6), make_rules(), state, selecting=True).state
        assert bool(after.alert[0] >= 0) is alert


def test_nobody_is_alarmed_after_the_last_ply():
    assert alarmed(range(40), selecting=False) == (37, -1)


# ---- What an alarmed fighter can do


def alert_game(breaks: range = range(40), **values):
    """Fighter 0 walks ahead, 0.01 m per tick. In tick 106 it may break off and do what posture 1 offers."""
    acts = [
        punch(OVER_THE_HEAD),
        Act(40, move=(0.0, 0.4), breaks=dict.fromkeys(breaks, 1)),
        Act(4, move=(1.0, 0.0)),
        Act(9, kind=DEFENCE),
    ]
    stock = make_stock(acts, [[0, 1], [2, 3]])
    sides = make_sides(stock, reaction=[6, 0], **values)
    state = make_state(stock, FACE_TO_FACE, [1, 0], [3, 0])
    return stock, sides, play(stock, sides, make_rules(), state, selecting=True)


def test_the_choices_are_those_of_the_break_posture_and_going_on():
    stock, sides, passage = alert_game()
    assert plain_search.choices_of(stock, passage.state, 0).tolist() == [2, 3]
    considered = plain_search.considered(stock, sides, make_rules(), passage.state, 0)
    assert considered.tolist() == [2, 3, GO_ON]


def test_nothing_that_breaks_a_rule_is_worth_breaking_off_for():
    stock, sides, passage = alert_game()
    far = make_rules(defence_range=0.5)
    assert plain_search.considered(stock, sides, far, passage.state, 0).tolist() == [2, GO_ON]
    looking = far._replace(facing=0.1)  # a metre aside the opponent is 45 degrees off
    assert plain_search.considered(stock, sides, looking, passage.state, 0).tolist() == [GO_ON]


def test_going_on_changes_nothing():
    weights = {
        "distance_weight": 10.0,
        "duration_weight": 3.0,
        "recency_weight": 2.0,
        "stillness_weight": 1.0,
    }
    stock, sides, passage = alert_game(**weights)
    assert (passage.state.now, passage.state.alert[0] >= 0) == (106, True)
    state, sums = plain_search.select(stock, sides, make_rules(), passage.state, passage.sums, 0, GO_ON)
    assert state.alert.tolist() == [-1, -1]
    on = plain_search.advance(stock, sides, make_rules(), state, sums, selecting=True)
    _, _, never = alert_game(range(0), **weights)
    assert on.state.now == never.state.now == 120
    for one, other in zip((*on.state[1:], *on.sums[:2]), (*never.state[1:], *never.sums[:2])):
        np.testing.assert_array_equal(one, other)


def test_breaking_off_counts_the_movement_of_what_is_broken_off():
    stock, sides, passage = alert_game(distance_weight=[10.0, 0.0], distance=0.5)
    state, sums = plain_search.select(stock, sides, make_rules(), passage.state, passage.sums, 0, 2)
    # it has walked for 9 ticks
    assert sums.competitive == pytest.approx([-10.0 * (0.91 - 0.5) ** 2, 0.0])
    assert (state.action[0], state.start[0], state.stop[0], state.alert[0]) == (2, 106, 110, -1)
    assert state.recent[0].tolist() == [2, -1]
    # what began before the search is not counted
    since = plain_search.no_sums(sides, since=98)
    _, sums = plain_search.select(stock, sides, make_rules(), passage.state, since, 0, 2)
    assert sums.competitive.tolist() == [0.0, 0.0]


def test_the_next_action_starts_at_the_break_place():
    stock, sides, passage = alert_game()
    # the posture's frame lies a quarter turn to the left of the frame that is broken off
    stock.break_place[passage.state.alert[0], 2] += np.pi / 2.0
    state, _ = plain_search.select(stock, sides, make_rules(), passage.state, passage.sums, 0, 2)
    pelvis = plain_search.pelvis_of(stock, plain_search.running(state, 0), 106)
    assert pelvis == pytest.approx([0.0, 0.09, np.pi / 2.0])


# ---- In the tree


def test_an_alarmed_fighter_dodges_or_goes_on():
    busy = Act(40, breaks=dict.fromkeys(range(40), 1))
    stock = make_stock([punch(), busy, Act(4, move=(1.0, 0.0))], [[0, 1], [2]])
    state = make_state(stock, FACE_TO_FACE, [1, 0], [3, 0])
    for taken, selected, worth in ((5.0, 2, -2.0), (0.1, GO_ON, -1.2)):
        sides = make_sides(stock, taken=taken, reaction=[6, 0], duration_weight=[30.0, 0.0])
        alert = play(stock, sides, make_rules(), state, selecting=True).state
        assert plain_search.selects(alert).tolist() == [True, False]
        verdict = plain_search.search(stock, sides, make_rules(), alert, 0, 1)
        # a dodge of 4 ticks costs 2; going on costs nothing but the blow, 12 × w_D⁻
        assert (verdict.action, verdict.competitive) == (selected, pytest.approx(worth))
        assert verdict.line.tolist() == [[0, selected, 106]]
        assert verdict.nodes == 2


@pytest.mark.parametrize(("reaction", "second"), [(5, [1, 2, 105]), (8, [1, 2, 108]), (9, [0, 0, 120])])
def test_a_search_knows_that_its_attack_may_be_seen(reaction, second):
    # the fist meets the head in tick 109: an alarm in that tick comes too late
    busy = Act(60, breaks=dict.fromkeys(range(60), 1))
    stock = make_stock([punch(), busy, Act(4, move=(1.0, 0.0))], [[0], [2]])
    sides = make_sides(stock, given_long=[1.0, 0.0], reaction=[0, reaction])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 3])
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
    assert verdict.line.tolist() == [[0, 0, 100], second]


@pytest.mark.parametrize(("onset", "second"), [(70, [1, 2, 104]), (96, [1, 2, 104]), (99, [1, 2, 107])])
def test_the_next_attack_of_a_row_is_seen_in_half_the_reaction_time(onset, second):
    # it begins in tick 100; the first of the row is seen 8 ticks after its onset
    busy = Act(60, breaks=dict.fromkeys(range(60), 1))
    stock = make_stock([punch(), busy, Act(4, move=(1.0, 0.0))], [[0], [2]])
    sides = make_sides(stock, given_long=[1.0, 0.0], reaction=[0, 8])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 3])
    state.onset[0] = onset
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
    assert verdict.line.tolist() == [[0, 0, 100], second]


def test_a_row_of_attacks_ends_with_another_action():
    step, attack = Act(10), punch()
    stock = make_stock([attack, step], [[0, 1]])
    sides, rules = make_sides(stock), make_rules()
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 3])
    state.onset[0] = 70
    for action, onset in ((0, 70), (1, 70)):
        found, _ = plain_search.select(stock, sides, rules, state, plain_search.no_sums(sides), 0, action)
        assert found.onset[0] == onset
    rested = make_state(stock, FACE_TO_FACE, [1, 1], [None, 3])
    found, _ = plain_search.select(stock, sides, rules, rested, plain_search.no_sums(sides), 0, 0)
    assert found.onset[0] == rested.now


def test_with_a_model_going_on_is_guessed_by_what_the_fighter_does():
    busy = Act(60, breaks=dict.fromkeys(range(60), 1))
    stock = make_stock([punch(), busy, Act(4, move=(1.0, 0.0))], [[0], [2]])
    sides = make_sides(stock, given_long=[1.0, 0.0], reaction=[0, 5], guess=[[0.0] * 3, [0.0, 3.0, 1.0]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 3])
    verdict = plain_search.search(stock, sides, make_rules(model=True), state, 0, 2)
    assert verdict.competitive == pytest.approx(0.75 * 12.0)
    assert verdict.line.tolist() == [[0, 0, 100], [1, GO_ON, 105]]
