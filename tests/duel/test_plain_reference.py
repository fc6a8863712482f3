"""The judge of the duel, judged: tiny games whose answer is worked out by hand from docs/duel.md."""

import numpy as np
import pytest
from tiny_games import (
    CHEST_HEIGHT,
    FACE_TO_FACE,
    FIST,
    HEAD,
    HEAD_HEIGHT,
    Act,
    make_rules,
    make_sides,
    make_state,
    make_stock,
    play,
    punch,
)

from randori.body.capsules import CAPSULES
from randori.duel import plain_search
from randori.duel.game import ATTACK, BEARINGS, DEFENCE, OTHER
from randori.duel.plain_search import Event

STAND = Act(40)


def struck(other: Act, blow: Act | None = None, age: int = 0, rules=None, stands=FACE_TO_FACE, **values):
    """Fighter 0 punches from now on, fighter 1 does something else; action 2 can answer."""
    stock = make_stock([blow or punch(), other, Act(7, recorded=(5.0, 3.0, 1.0))], [[0, 1, 2]])
    sides = make_sides(stock, **values)
    return stock, play(stock, sides, rules or make_rules(), make_state(stock, stands, [0, 1], [0, age]))


# ---- Strikes and damage


def test_a_hit_costs_speed_times_part():
    _, passage = struck(STAND, given_short=100.0, given_long=2.0, taken=[0.0, 3.0])
    assert [(e.what, e.who, e.whom, e.tick) for e in passage.events] == [("hit", 0, 1, 109)]
    assert passage.events[0].damage == pytest.approx(12.0)  # 6 m/s on the head
    assert passage.sums.competitive == pytest.approx([24.0, -36.0])
    assert passage.sums.cooperative == pytest.approx([0.0, 0.0])


def test_a_chest_hurts_half_as_much_and_short_attacks_have_a_weight_of_their_own():
    _, passage = struck(STAND, punch(CHEST_HEIGHT, short=True), given_short=100.0, given_long=2.0)
    assert passage.sums.competitive == pytest.approx([600.0, 0.0])


def test_a_fast_fist_is_seen_half_a_tick_ago():
    # in whole ticks the fist is 0.38 m before the head and 0.22 m behind it
    _, passage = struck(STAND, punch(step=0.6))
    assert [(e.what, e.tick) for e in passage.events] == [("hit", 102)]
    assert passage.events[0].damage == pytest.approx(72.0)


def test_strikes_count_only_in_their_ticks():
    _, passage = struck(STAND, punch(strikes=((1, 9, 2.0),)))
    assert passage.events == []
    _, passage = struck(STAND, punch(strikes=((11, 12, 2.0),)))
    assert [(e.what, e.tick) for e in passage.events] == [("hit", 111)]
    _, passage = struck(STAND, punch(strikes=((1, 10, 2.0), (10, 11, 2.0))))
    assert [(e.what, e.tick) for e in passage.events] == [("hit", 109), ("hit", 110)]


def test_a_forearm_that_is_met_first_blocks():
    _, passage = struck(Act(40, forearm=(0.0, HEAD_HEIGHT, 0.3)), given_long=1.0, taken=1.0)
    assert [(e.what, e.who, e.whom, e.tick) for e in passage.events] == [("block", 0, 1, 106)]
    assert passage.sums.competitive == pytest.approx([0.0, 0.0])


def test_a_blade_passes_a_bare_forearm():
    stock = make_stock([punch(), Act(40, forearm=(0.0, HEAD_HEIGHT, 0.3))], [[0]])
    blade = CAPSULES.index("weapon")
    # fighter 0 holds in its weapon what was its fist
    first, stop = stock.first[0], stock.first[0] + stock.ticks[0] + 1
    stock.body[first:stop, blade] = stock.body[first:stop, FIST]
    stock.radii[first:stop, blade] = stock.radii[first:stop, FIST]
    stock.strike_capsule[:] = blade
    sides = make_sides(stock)
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    assert [event.what for event in play(stock, sides, make_rules(), state).events] == ["hit"]


@pytest.mark.parametrize(("gap", "what"), [(0.06, "hit"), (0.04, "block")])
def test_of_what_is_met_at_once_the_deepest_counts(gap, what):
    # the fist is 0.05 m from the middle of the head, to the left of fighter 1, and the forearm beyond it
    blow = punch(strikes=((10, 11, 2.0),))
    blow.fist = lambda tick: (-0.05, HEAD_HEIGHT, 1.0)
    _, passage = struck(Act(40, forearm=(0.05 + gap, HEAD_HEIGHT, 0.0)), blow)
    assert [(event.what, event.tick) for event in passage.events] == [(what, 110)]


def test_what_is_met_half_a_tick_ago_is_met_first():
    # half way from 0.1 m to 1 m the fist touches the forearm at 0.65 m; now it is in the head
    blow = punch()
    blow.fist = lambda tick: (0.0, HEAD_HEIGHT, 0.1 if tick < 5 else 1.0)
    _, passage = struck(Act(40, forearm=(0.0, HEAD_HEIGHT, 0.35)), blow)
    assert [(event.what, event.tick) for event in passage.events] == [("block", 105)]


@pytest.mark.parametrize(("act", "part"), [(0, FIST), (1, HEAD)])
def test_what_is_not_there_does_not_touch(act, part):
    stock = make_stock([punch(), STAND], [[0, 1]])
    stock.radii[stock.first[act] : stock.first[act] + stock.ticks[act] + 1, part] = -0.001
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    assert play(stock, make_sides(stock), make_rules(), state).events == []


def test_a_strike_is_spent_on_the_first_opponent_it_meets():
    stock = make_stock([punch(), STAND], [[0, 1]])
    stands = (FACE_TO_FACE[0], FACE_TO_FACE[1], FACE_TO_FACE[1])
    state = make_state(stock, stands, [0, 1, 1], [0, 0, 0])
    passage = play(stock, make_sides(stock, (0, 1, 1)), make_rules(), state)
    assert [(e.what, e.whom) for e in passage.events] == [("hit", 1)]


def test_friends_do_not_hurt_each_other():
    stock = make_stock([punch(), STAND], [[0, 1]])
    stands = (FACE_TO_FACE[0], FACE_TO_FACE[1], (50.0, 0.0, 0.0))
    state = make_state(stock, stands, [0, 1, 1], [0, 0, 0])
    assert play(stock, make_sides(stock, (0, 0, 1)), make_rules(), state).events == []


def test_blows_in_the_same_tick_both_count():
    blow = punch(answers={0: 1}, ticks=30)
    blow.fist = lambda tick: (0.1, HEAD_HEIGHT, 0.02 + 0.1 * tick)  # fists pass each other
    stock = make_stock([blow, Act(7)], [[0]])
    state = make_state(stock, FACE_TO_FACE, [0, 0], [0, 0])
    passage = play(stock, make_sides(stock), make_rules(), state)
    assert [(e.what, e.who, e.tick) for e in passage.events] == [
        ("hit", 0, 109),
        ("hit", 1, 109),
        ("response", 0, 109),
        ("response", 1, 109),
    ]


# ---- Catching


def test_who_comes_near_enough_catches_once_per_action():
    # 0.03 m per tick from 1 m: r < 0.5 from tick 17 on
    walk, stand = Act(20, move=(0.0, 0.6)), Act(60, answers=dict.fromkeys(range(12), 0))
    stock = make_stock([walk, stand], [[0, 1]])
    sides = make_sides(stock, touch=[0.5, 0.0], given_long=[7.0, 0.0], taken=[0.0, 2.0])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    passage = play(stock, sides, make_rules(), state, selecting=True)
    assert passage.events == [Event(117, "catch", 0, 1, 1.0, 0)]
    assert passage.sums.competitive == pytest.approx([7.0, -2.0])
    assert passage.state.action.tolist() == [0, 1]  # a catch interrupts nobody
    next_state, _ = plain_search.select(stock, sides, make_rules(), passage.state, passage.sums, 0, 0)
    assert play(stock, sides, make_rules(), next_state, selecting=True).events[0].tick == 121


def test_who_is_idle_catches_nobody():
    # fighter 1 walks by after fighter 0 is done
    stock = make_stock([Act(5), Act(40, move=(0.0, 2.0))], [[0, 1]])
    sides = make_sides(stock, touch=[0.5, 0.0], given_long=1.0)
    assert play(stock, sides, make_rules(), make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])).events == []
    state = make_state(stock, FACE_TO_FACE, [1, 1], [0, 0])
    assert [e.what for e in play(stock, sides, make_rules(), state).events] == ["catch"]


# ---- Answers


@pytest.mark.parametrize(("yaw", "direction"), [(np.pi, 0), (0.0, 1), (-np.pi / 2.0, 2), (np.pi / 2.0, 3)])
@pytest.mark.parametrize(("heavy", "felling", "strength"), [(13.0, 14.0, 0), (11.0, 14.0, 1), (5.0, 11.0, 2)])
def test_a_blow_is_answered_by_direction_and_strength(yaw, direction, heavy, felling, strength):
    answers = dict.fromkeys(range(12), 0) | {3 * direction + strength: 2}
    rules = make_rules(heavy=heavy, felling=felling)
    stands = (FACE_TO_FACE[0], (0.0, 1.0, yaw))
    _, passage = struck(Act(40, answers=answers), rules=rules, stands=stands)
    response = next(event for event in passage.events if event.what == "response")
    assert (response.who, response.whom, response.action, response.tick) == (1, 0, 2, 109)


def test_an_interruption_starts_the_answer_where_the_body_is():
    # fighter 1 walks 0.01 m to its own left (here -x) per tick, and would for 40 ticks
    walking = Act(40, move=(0.4, 0.0), answers={0: 2})
    stock = make_stock([punch(), walking, Act(7, recorded=(5.0, 3.0, 1.0))], [[0, 1, 2]])
    stock.entry[2] += 0.1  # what begins with a blow does not begin in a posture
    sides = make_sides(stock, distance_weight=[0.0, 10.0], distance=0.5)
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    passage = play(stock, sides, make_rules(), state, selecting=True)
    # when the fist is at z = 0.87 and then 0.92, the head is at (-0.09, 1)
    assert [(e.what, e.tick) for e in passage.events] == [("hit", 109), ("response", 109)]
    after = passage.state
    assert after.now == 116  # the answer lasts 7 ticks, then fighter 1 is idle
    assert after.action.tolist() == [0, 2]
    assert (after.start[1], after.stop[1]) == (109, 116)
    run = plain_search.running(after, 1)
    pelvis = plain_search.pelvis_of(stock, run, 109)
    assert pelvis[:2] == pytest.approx([-0.09, 1.0])
    assert plain_search.wrap(pelvis[2] - np.pi) == pytest.approx(0.0, abs=1e-12)
    # counted once as the walk broke off and once as the answer ended, from the same place
    r = np.hypot(0.09, 1.0)
    assert passage.sums.competitive == pytest.approx([0.0, -2.0 * 10.0 * (r - 0.5) ** 2])


def test_the_frame_of_the_struck_body_answers():
    stock = make_stock([punch(), STAND, Act(7)], [[0, 1, 2]])
    response = stock.response.copy()
    response[stock.first[1] + 12, 0] = 2  # it began 3 ticks ago and is struck 9 ticks from now
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 3])
    passage = play(stock._replace(response=response), make_sides(stock), make_rules(), state)
    assert [e.what for e in passage.events] == ["hit", "response"]


def test_without_an_answer_nothing_is_interrupted():
    _, passage = struck(STAND, distance_weight=[0.0, 10.0], distance=0.5)
    assert passage.state.action.tolist() == [0, 1]
    assert passage.state.now == 140
    assert passage.sums.competitive == pytest.approx([0.0, -10.0 * 0.5**2])  # once, at its end


def test_who_stands_idle_is_struck_without_counting_its_movement_again():
    _, passage = struck(
        Act(40, answers={0: 2}), age=35, distance_weight=[0.0, 10.0], distance=0.5
    )  # idle from tick 105 on, struck in 109, done in 116
    assert [(e.what, e.tick) for e in passage.events] == [("hit", 109), ("response", 109)]
    assert passage.sums.competitive == pytest.approx([0.0, -2.0 * 10.0 * 0.5**2])


def test_of_two_blows_the_harder_is_answered():
    side_on = punch(CHEST_HEIGHT, step=0.3)  # 18 on the chest, from the right of fighter 1: it goes left
    side_on.fist = lambda tick: (0.0, CHEST_HEIGHT, 0.3 * tick - 1.8)  # reaches 0.9 in tick 9
    stock = make_stock([punch(), side_on, Act(40, answers={0: 3, 6: 4}), Act(7), Act(8)], [[0, 1, 2, 3, 4]])
    # fighter 1 looks along -z, its left is -x; fighter 2 punches along -x from x = 1
    stands = (*FACE_TO_FACE, (1.0, 1.0, -np.pi / 2.0))
    state = make_state(stock, stands, [0, 2, 1], [0, 0, 0])
    passage = play(stock, make_sides(stock, (0, 1, 0)), make_rules(), state, selecting=True)
    assert [(e.what, e.who, e.tick) for e in passage.events] == [
        ("hit", 0, 109),
        ("hit", 2, 109),
        ("response", 1, 109),
    ]
    assert passage.events[-1].action == 4


def test_of_a_reaction_the_form_for_the_sector_of_the_attacker_is_performed():
    # fighter 1 stands a metre from its attacker, which is straight ahead of it at a yaw of 180 degrees
    reaction, form = Act(7), Act(9)
    for sector in range(BEARINGS):
        for off in (-22.0, 0.0, 22.0):  # degrees: a sector is 45 degrees wide
            stands = (FACE_TO_FACE[0], (0.0, 1.0, np.pi - np.radians(45.0 * sector + off)))
            for where, performed in ((sector, 3), ((sector + 1) % BEARINGS, 2)):
                reaction.forms = {where: 3}
                stock = make_stock(
                    [punch(), Act(40, answers=dict.fromkeys(range(12), 2)), reaction, form], [[0]]
                )
                passage = play(
                    stock, make_sides(stock), make_rules(), make_state(stock, stands, [0, 1], [0, 0])
                )
                assert passage.events[-1][:4] == (109, "response", 1, 0)
                assert passage.events[-1].action == performed, (sector, off)


def test_an_attacker_on_the_left_is_in_sector_two():
    stock = make_stock(
        [punch(), Act(40, answers=dict.fromkeys(range(12), 2)), Act(7, forms={2: 3}), Act(9)], [[0]]
    )
    # fighter 1 looks along -x, so that +z, where the blow comes from, is on its left; then along +x
    for yaw, performed in ((-np.pi / 2.0, 3), (np.pi / 2.0, 2)):
        state = make_state(stock, ((0.0, 1.0, np.pi), (0.0, 0.0, yaw)), [0, 1], [0, 0])
        assert play(stock, make_sides(stock), make_rules(), state).events[-1].action == performed


@pytest.mark.parametrize(
    ("before", "heavy", "strength"),
    [(0.0, 11.0, 1), (7.9, 11.0, 1), (8.0, 11.0, 2), (50.0, 11.0, 2), (50.0, 13.0, 0)],
)
def test_a_heavy_blow_fells_a_fighter_that_has_gathered_damage(before, heavy, strength):
    # the blow does 12; light ones fell nobody
    stock = make_stock([punch(), Act(40, answers={strength: 2}), Act(7)], [[0]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    state.hurt[1] = before
    rules = make_rules(heavy=heavy, felling=30.0, stamina=20.0)
    passage = play(stock, make_sides(stock), rules, state)
    assert [event.what for event in passage.events] == ["hit", "response"]
    assert passage.state.hurt.tolist() == pytest.approx([0.0, before + 12.0])


def test_a_fighter_falls_as_soon_as_it_has_gathered_its_stamina():
    stock = make_stock([punch(), Act(40, answers={1: 2, 2: 3}), Act(7), Act(9)], [[0]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    rules = make_rules(heavy=11.0, felling=30.0, stamina=20.0)
    damage = play(stock, make_sides(stock), rules, state).events[0].damage
    for stamina, reaction in ((damage, 3), (np.nextafter(damage, np.inf), 2)):
        passage = play(stock, make_sides(stock), rules._replace(stamina=stamina), state)
        assert passage.events[-1].action == reaction


def test_neither_blocks_nor_catches_hurt():
    _, passage = struck(Act(40, forearm=(0.0, HEAD_HEIGHT, 0.3)))
    assert [event.what for event in passage.events] == ["block"]
    assert passage.state.hurt.tolist() == [0.0, 0.0]
    stock = make_stock([STAND], [[0]])
    sides = make_sides(stock, touch=[1.5, 0.0])
    passage = play(stock, sides, make_rules(), make_state(stock, FACE_TO_FACE, [0, 0], [0, 0]))
    assert [event.what for event in passage.events] == ["catch"]
    assert passage.state.hurt.tolist() == [0.0, 0.0]


# ---- Movement


def test_movement_is_counted_against_where_the_opponent_is_then():
    # fighter 1 comes 0.01 m nearer per tick; fighter 0 turns by 0.3 in its 10 ticks
    turn, come = Act(10, turn=0.3), Act(40, move=(0.0, 0.4))
    stock = make_stock([turn, come], [[0, 1]])
    sides = make_sides(stock, facing_weight=[2.0, 0.0], distance_weight=[10.0, 0.0], distance=0.5)
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    passage = play(stock, sides, make_rules(), state, selecting=True)
    assert passage.state.now == 110
    assert passage.state.idle.tolist() == [True, False]
    assert passage.sums.competitive == pytest.approx([-(2.0 * 0.3**2 + 10.0 * (0.9 - 0.5) ** 2), 0.0])


def test_an_opponent_whose_action_has_ended_is_where_it_ended():
    stock = make_stock([Act(30), Act(10, move=(0.0, 0.4))], [[0, 1]])
    sides = make_sides(stock, distance_weight=[10.0, 0.0])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [0, 0])
    passage = play(stock, sides, make_rules(), state)
    assert passage.state.now == 130
    assert passage.sums.competitive == pytest.approx([-10.0 * 0.6**2, 0.0])


@pytest.mark.parametrize("rival", [False, True])
def test_goals_belong_to_the_cooperative_sum_or_to_the_competitive_one(rival):
    stock = make_stock([Act(10, move=(0.0, 0.4), turn=-0.5), STAND], [[0, 1]])
    sides = make_sides(
        stock,
        heading_weight=[3.0, 0.0],
        heading=-np.pi,
        path_weight=[10.0, 0.0],
        goal=[[1.0, 0.0], [0.0, 0.0]],
        path_rival=rival,
    )
    state = make_state(stock, ((0.0, 0.0, -3.0), FACE_TO_FACE[1]), [0, 1], [0, 0])
    passage = play(stock, sides, make_rules(), state, selecting=True)
    off = 3.5 - np.pi  # it looks along -3.5, and the heading is -π as well
    x, z = 0.4 * np.sin(-3.0), 0.4 * np.cos(-3.0)
    goals = -(3.0 * off**2 + 10.0 * ((x - 1.0) ** 2 + z**2))
    assert passage.sums.competitive == pytest.approx([goals if rival else 0.0, 0.0])
    assert passage.sums.cooperative == pytest.approx([0.0 if rival else goals, 0.0])


def test_of_several_opponents_the_nearest_counts():
    stock = make_stock([Act(10), STAND], [[0, 1]])
    sides = make_sides(stock, (0, 1, 1), facing_weight=[2.0, 0.0, 0.0], distance_weight=[10.0, 0.0, 0.0])
    stands = (FACE_TO_FACE[0], (0.0, 1.0, 0.0), (0.7, 0.0, 0.0))
    state = make_state(stock, stands, [0, 1, 1], [0, 0, 0])
    passage = play(stock, sides, make_rules(), state, selecting=True)
    assert passage.sums.competitive == pytest.approx([-(2.0 * (np.pi / 2.0) ** 2 + 10.0 * 0.7**2), 0.0, 0.0])


# ---- Selecting


def test_an_action_starts_where_the_last_one_ended():
    step = Act(10, move=(0.0, 0.5), turn=np.pi / 2.0)
    stock = make_stock([step, Act(6, move=(0.0, 0.2), recorded=(-7.0, 4.0, 2.0))], [[0, 1]])
    sides, rules = make_sides(stock), make_rules()
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    state, _ = plain_search.select(stock, sides, rules, state, plain_search.no_sums(sides), 0, 1)
    assert (state.action[0], state.start[0], state.stop[0], state.idle[0]) == (1, 100, 106, False)
    # ahead by half a metre, a quarter turn to the left (+x), ahead by 0.2 m
    pelvis = plain_search.pelvis_of(stock, plain_search.running(state, 0), 106)
    assert pelvis == pytest.approx([0.2, 0.5, np.pi / 2.0])


def test_entry_and_exit_join_actions_whatever_the_pelvises_do():
    stock = make_stock([Act(10), Act(6, recorded=(0.0, 0.0, 0.0))], [[0, 1]])
    stock.exit[0] = stock.place[stock.first[0]] + [0.0, 0.0, np.pi / 2.0]
    stock.entry[1] = [0.0, 0.1, 0.0]
    sides = make_sides(stock)
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    state, _ = plain_search.select(stock, sides, make_rules(), state, plain_search.no_sums(sides), 0, 1)
    # 0.1 m ahead in the recording is 0.1 m along +x here, and that comes to lie on the origin
    pelvis = plain_search.pelvis_of(stock, plain_search.running(state, 0), 100)
    assert pelvis == pytest.approx([-0.1, 0.0, np.pi / 2.0])


def test_long_and_recent_actions_cost():
    stock = make_stock([Act(30), Act(6)], [[0, 1]])
    sides = make_sides(stock, duration_weight=[2.0, 0.0], recency_weight=[8.0, 0.0])
    rules = make_rules(forgetting=0.5)
    state, sums = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0]), plain_search.no_sums(sides)
    for expected_recent, cost in (((0, -1), 1.0), ((0, 0), 1.0 + 8.0), ((0, 0), 1.0 + 8.0 + 4.0)):
        before = sums
        state, sums = plain_search.select(stock, sides, rules, state, sums, 0, 0)
        assert sums.competitive - before.competitive == pytest.approx([-cost, 0.0])
        assert tuple(state.recent[0]) == expected_recent
    assert tuple(state.recent[1]) == (-1, -1)


def test_standing_still_costs():
    stock = make_stock([Act(30, still=0.25), Act(6)], [[0, 1]])
    sides = make_sides(stock, stillness_weight=[8.0, 0.0])
    state = make_state(stock, FACE_TO_FACE, [1, 1], [None, 0])
    for action, cost in ((0, 2.0), (1, 0.0)):
        _, sums = plain_search.select(
            stock, sides, make_rules(), state, plain_search.no_sums(sides), 0, action
        )
        assert sums.competitive.tolist() == [-cost, 0.0]


@pytest.mark.parametrize("shared", [False, True])
def test_a_defence_that_suits_the_attack_is_worth_something(shared):
    duck = Act(10, kind=DEFENCE, pairing=1)
    stock = make_stock(
        [STAND, punch(pairing=0), duck, punch(pairing=-1), Act(10), punch(kind=OTHER, pairing=0)],
        [[0, 1, 2, 4]],
    )
    sides = make_sides(
        stock, pairing_weight=[4.0, 0.0], combination=[[0.25], [0.75], [-0.5]], pairing_shared=shared
    )

    def worth(action: int, attack: int, age: int, spent: int = 0) -> float:
        state = make_state(stock, FACE_TO_FACE, [0, attack], [None, age])
        state.spent[1] = spent
        _, sums = plain_search.select(
            stock, sides, make_rules(), state, plain_search.no_sums(sides), 0, action
        )
        assert (sums.competitive if shared else sums.cooperative).tolist() == [0.0, 0.0]
        return (sums.cooperative if shared else sums.competitive)[0]

    assert worth(2, attack=1, age=5) == pytest.approx(3.0)
    assert worth(4, attack=1, age=5) == 0.0  # neither a defence nor an attack
    assert worth(1, attack=1, age=5) == pytest.approx(-2.0)  # an attack against an attack
    assert worth(2, attack=0, age=5) == 0.0  # no strike
    assert worth(2, attack=5, age=5) == 0.0  # no attack, though it strikes
    assert worth(2, attack=3, age=5) == 0.0  # not in the table
    assert worth(2, attack=1, age=5, spent=1) == 0.0  # it has met something
    assert worth(2, attack=1, age=20) == pytest.approx(3.0)  # its last tick
    assert worth(2, attack=1, age=21) == 0.0  # past


def test_requests_are_cooperative():
    stock = make_stock([Act(10), Act(10), Act(10)], [[0, 1, 2]])
    sides = make_sides(stock, request_weight=[3.0, 0.0], request=[[1, -1, 0], [1, 1, 1]])
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    for action, worth in ((0, 3.0), (1, -3.0), (2, 0.0)):
        _, sums = plain_search.select(
            stock, sides, make_rules(), state, plain_search.no_sums(sides), 0, action
        )
        assert sums.cooperative.tolist() == [worth, 0.0]
        assert sums.competitive.tolist() == [0.0, 0.0]


# ---- What is plausible

STAY, INTO, THROUGH, TURN_AWAY, FAR_PUNCH, NEAR_PUNCH, DUCK, BARE_ATTACK = range(8)
OUT_OF_RANGE, TOO_NEAR, NEEDLESS = range(2 + plain_search.GRADES, 5 + plain_search.GRADES)
FINE = plain_search.PLAUSIBLE
LOOKS_BACK = 2  # the first grade of rule 2


def plausibility_game():
    """A choice for each rule; fighter 1 stands a metre away, bodies are 0.2 m thick."""
    acts = [
        Act(10),
        Act(10, move=(0.0, 0.9)),  # ends 0.1 m away
        Act(10, move=(0.0, 2.0)),  # passes through: 0.2 m per tick, inside in tick 5 alone
        Act(10, turn=1.0),
        punch(strikes=((5, 8, 0.9), (6, 8, 5.0))),
        punch(strikes=((5, 8, 1.1), (6, 8, 0.1))),
        Act(10, kind=DEFENCE),
        Act(10, kind=ATTACK),
    ]
    stock = make_stock(acts, [list(range(8))])
    rules = make_rules(overlap=0.02, overlap_step=5, facing=0.5, defence_range=1.2)
    return stock, make_sides(stock), rules, make_state(stock, FACE_TO_FACE, [STAY, STAY], [None, 0])


def test_each_choice_is_refused_by_the_first_rule_it_breaks():
    stock, sides, rules, state = plausibility_game()
    # who has passed through looks away as well, but that is rule 2
    broken = plain_search.plausible(stock, sides, rules, state, 0).tolist()
    aside = LOOKS_BACK + plain_search.GRADES - 2  # half a radian too far: between 15° and 30°
    assert broken == [FINE, 0, 1, aside, OUT_OF_RANGE, FINE, NEEDLESS, FINE]
    # in steps of 4 ticks nobody sees it pass
    rules = rules._replace(overlap_step=4)
    broken = plain_search.plausible(stock, sides, rules, state, 0).tolist()
    assert broken == [FINE, 0, LOOKS_BACK, aside, OUT_OF_RANGE, FINE, NEEDLESS, FINE]
    rules = rules._replace(defence_range=0.9)
    assert plain_search.plausible(stock, sides, rules, state, 0)[DUCK] == OUT_OF_RANGE


def test_where_nobody_faces_the_opponent_who_turns_there_is_considered():
    stock = make_stock([Act(10), Act(10, turn=2.0), Act(10, turn=2.2), Act(10, turn=3.0)], [[0, 1, 2, 3]])
    back_to_it = ((0.0, 0.0, 2.0), FACE_TO_FACE[1])
    state = make_state(stock, back_to_it, [0, 0], [None, 0])
    rules = make_rules(facing=0.5)
    # they end at 2.0, 4.0, 4.2 and 5.0 rad: 2.0, 2.28, 2.08 and 1.28 past the opponent
    assert plain_search.considered(stock, make_sides(stock), rules, state, 0).tolist() == [3]
    stock = stock._replace(choices=np.array([0, 1, 2]), choice_start=np.array([0, 3]))
    assert plain_search.considered(stock, make_sides(stock), rules, state, 0).tolist() == [0]


def test_a_defence_is_plausible_while_an_attack_is_under_way():
    stock, sides, rules, _ = plausibility_game()
    attacked = make_state(stock, FACE_TO_FACE, [STAY, NEAR_PUNCH], [None, 4])
    assert plain_search.plausible(stock, sides, rules, attacked, 0)[DUCK] == FINE
    attacked.spent[1] = 0b01  # the second strike can still come
    assert plain_search.plausible(stock, sides, rules, attacked, 0)[DUCK] == FINE
    attacked.spent[1] = 0b11
    assert plain_search.plausible(stock, sides, rules, attacked, 0)[DUCK] == NEEDLESS


def test_opponents_are_expected_to_play_their_actions_to_the_end():
    # fighter 1 leaves: 0.05 m per tick backwards, for 20 ticks; then it stays
    stock = make_stock([Act(40, move=(0.0, 1.5)), Act(20, move=(0.0, -1.0)), punch()], [[0, 2]])
    state = make_state(stock, FACE_TO_FACE, [2, 1], [None, 0])
    rules = make_rules(overlap=0.02)
    assert plain_search.plausible(stock, make_sides(stock), rules, state, 0)[0] == FINE
    # at the first tick of the strike r is 1.05
    for reach, rule in ((1.04, OUT_OF_RANGE), (1.06, FINE)):
        shorter = stock._replace(strike_range=np.array([reach]))
        assert plain_search.plausible(shorter, make_sides(stock), rules, state, 0)[1] == rule


def test_a_blade_needs_room():
    # fighter 1 comes 0.05 m nearer per tick: at the first tick of the strike r is 1.15
    stock = make_stock([Act(20), Act(20, move=(0.0, 1.0)), punch()], [[0, 2]])
    state = make_state(stock, ((0.0, 0.0, 0.0), (0.0, 1.2, np.pi)), [0, 1], [None, 0])
    for room, rule in ((0.0, FINE), (1.14, FINE), (1.16, OUT_OF_RANGE)):
        roomy = stock._replace(strike_room=np.array([room]))
        assert plain_search.plausible(roomy, make_sides(stock), make_rules(), state, 0).tolist() == [
            FINE,
            rule,
        ]


def test_who_holds_a_weapon_keeps_room_for_it_or_gets_away():
    stock = make_stock([Act(10, move=(0.0, ahead)) for ahead in (0.0, 0.15, -0.15, -0.25)], [[0, 1, 2, 3]])
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    # they end 1.0, 0.85, 1.15 and 1.25 m away
    for room, broken in (
        (0.0, [FINE, FINE, FINE, FINE]),
        (0.95, [FINE, TOO_NEAR, FINE, FINE]),
        (1.1, [TOO_NEAR, TOO_NEAR, FINE, FINE]),
        (2.0, [TOO_NEAR, TOO_NEAR, TOO_NEAR, FINE]),
    ):
        armed = stock._replace(room=np.full(len(stock.room), room))
        assert plain_search.plausible(armed, make_sides(stock), make_rules(), state, 0).tolist() == broken


def test_bodies_may_touch_a_little_and_leave_each_other():
    # balls of 0.1 m: 0.15 m apart they overlap by 0.05
    stock = make_stock([Act(10), Act(10, move=(0.0, -1.0))], [[0, 1]])
    state = make_state(stock, ((0.0, 0.85, 0.0), FACE_TO_FACE[1]), [0, 0], [None, 0])
    for overlap, broken in ((0.04, [0, FINE]), (0.06, [FINE, FINE])):
        rules = make_rules(overlap=overlap, overlap_step=2)
        assert plain_search.plausible(stock, make_sides(stock), rules, state, 0).tolist() == broken


@pytest.mark.parametrize(
    ("choices", "kept"),
    [
        ([INTO, THROUGH, TURN_AWAY, FAR_PUNCH, DUCK, STAY, BARE_ATTACK], [STAY, BARE_ATTACK]),
        ([INTO, THROUGH, TURN_AWAY, FAR_PUNCH, DUCK], [DUCK]),
        ([INTO, FAR_PUNCH, THROUGH, TURN_AWAY], [FAR_PUNCH]),
        ([TURN_AWAY, INTO, THROUGH], [TURN_AWAY]),
        ([INTO, THROUGH, INTO], [THROUGH]),
        ([INTO, INTO], [INTO, INTO]),
    ],
)
def test_if_nothing_is_plausible_the_least_grave_is_considered(choices, kept):
    stock, sides, rules, state = plausibility_game()
    stock = stock._replace(choices=np.array(choices), choice_start=np.array([0, len(choices)]))
    assert plain_search.considered(stock, sides, rules, state, 0).tolist() == kept


# ---- What is not seen


def ambush(reaction: int, age: int, depth: int = 1):
    """Fighter 1 has begun to punch; fighter 0 can stand, which it likes, or step out of the way."""
    stay, dodge = Act(30), Act(4, move=(1.0, 0.0))
    stock = make_stock([punch(), stay, dodge], [[1, 2]])
    sides = make_sides(stock, distance_weight=[1.0, 0.0], distance=1.0, taken=5.0, reaction=[reaction, 0])
    state = make_state(stock, FACE_TO_FACE, [1, 0], [None, age])
    return plain_search.search(stock, sides, make_rules(), state, 0, depth)


def test_a_blow_that_is_seen_is_dodged():
    for reaction, age in ((0, 0), (0, 3), (3, 3)):
        verdict = ambush(reaction, age)
        assert verdict.action == 2
        # a metre aside r is √2
        assert verdict.competitive == pytest.approx(-((np.sqrt(2.0) - 1.0) ** 2))
        assert verdict.line.tolist() == [[0, 2, 100]]
        assert verdict.nodes == 2


def test_a_blow_that_is_not_seen_yet_lands():
    for reaction, age in ((1, 0), (4, 3)):
        verdict = ambush(reaction, age)
        assert verdict.action == 1
        assert verdict.competitive == pytest.approx(-5.0 * 12.0)  # the real game goes on from there
        assert verdict.nodes == 3  # two in the believed game, one in the real one


def test_who_does_not_see_still_looks_ahead():
    # the shorter step leads to where only a long one goes on; the punch goes over the head
    stock = make_stock([Act(1, end=1), Act(5), Act(30, end=1), punch(2.5, ticks=40)], [[0, 1], [2]])
    sides = make_sides(stock, duration_weight=[60.0, 0.0], reaction=20)
    state = make_state(stock, FACE_TO_FACE, [1, 3], [None, 3])
    assert plain_search.search(stock, sides, make_rules(), state, 0, 1).action == 0
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
    assert verdict.line.tolist() == [[0, 1, 100], [0, 0, 105]]
    assert verdict.competitive == pytest.approx(-6.0)


def test_an_opponent_in_the_tree_does_not_see_either():
    # the punch lasts 20 ticks and fighter 1 selects in the tick it begins
    stay, dodge = Act(30, answers={}), Act(4, move=(1.0, 0.0))
    stock = make_stock([Act(5, end=1), stay, dodge, punch()], [[1, 2], [3]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, None])
    for reaction, choice, damage in ((0, 2, 0.0), (1, 1, 12.0)):
        sides = make_sides(
            stock, distance_weight=[0.0, 1.0], distance=1.0, given_long=[1.0, 0.0], reaction=[0, reaction]
        )
        verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
        assert verdict.line.tolist() == [[0, 3, 100], [1, choice, 100]]
        dodged = (np.sqrt(2.0) - 1.0) ** 2
        assert verdict.competitive == pytest.approx(damage if damage else dodged)


def test_an_opponent_in_the_tree_that_does_not_see_looks_two_plies_ahead():
    # the shorter steps lead to where only a long one goes on; who saw the punch would think of that
    stock = make_stock(
        [Act(1, end=1), Act(5), Act(2, end=2), Act(30, end=2), punch(2.5, ticks=60), Act(5, end=3)],
        [[0, 1], [2], [3], [4]],
    )
    state = make_state(stock, FACE_TO_FACE, [5, 1], [None, None])
    for reaction, selected in ((20, [4, 0, 2, 3]), (0, [4, 1, 0, 2])):
        sides = make_sides(stock, duration_weight=[0.0, 60.0], reaction=reaction)
        verdict = plain_search.search(stock, sides, make_rules(), state, 0, 4)
        assert verdict.line[:, 1].tolist() == selected


def test_later_in_the_line_who_does_not_see_looks_one_ply_ahead():
    # the shorter step leads to where only a long one goes on; fighter 1 selects once the punch has begun
    stock = make_stock(
        [Act(1, end=1), Act(5), Act(30, end=1), Act(2, end=3), punch(2.5, ticks=60), Act(9, end=2)],
        [[0, 1], [2], [3], [4]],
    )
    sides = make_sides(stock, duration_weight=[0.0, 60.0], reaction=20)
    for last, age, selected in ((3, 3, [4, 1, 0, 2]), (5, 2, [3, 4, 0, 2])):
        state = make_state(stock, FACE_TO_FACE, [last, 1], [None, age])
        verdict = plain_search.search(stock, sides, make_rules(), state, 0, 4)
        assert verdict.line[:, 1].tolist() == selected


# ---- The tree


def test_of_equals_the_first_is_taken():
    stock = make_stock([Act(10), Act(10), Act(10)], [[2, 0, 1]])
    sides = make_sides(stock, distance_weight=1.0)
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    assert plain_search.search(stock, sides, make_rules(), state, 0, 1).action == 2
    assert plain_search.search(stock, sides, make_rules(), state, 0, 3).line[:, 1].tolist() == [2, 2, 2]


def test_turns_do_not_alternate():
    stock = make_stock([Act(3), Act(30), Act(7)], [[0], [2]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 22])
    stock.end_posture[1] = 1
    verdict = plain_search.search(stock, make_sides(stock), make_rules(), state, 0, 5)
    # fighter 1 is done in tick 108; its own next action ends in 115, and 0 selects in 112 and 115 again
    assert verdict.line.tolist() == [[0, 0, 100], [0, 0, 103], [0, 0, 106], [1, 2, 108], [0, 0, 109]]


def test_who_becomes_idle_in_the_same_tick_selects_in_order_and_after_the_root():
    stock = make_stock([Act(10)], [[0]])
    state = make_state(stock, (*FACE_TO_FACE, (1.0, 1.0, 0.0)), [0, 0, 0], [4, None, None])
    sides = make_sides(stock, (0, 1, 0))
    verdict = plain_search.search(stock, sides, make_rules(), state, 1, 4)
    assert verdict.line.tolist() == [[1, 0, 100], [2, 0, 100], [0, 0, 106], [1, 0, 110]]


def test_after_the_last_ply_actions_play_out():
    # fighter 1 strikes fighter 0 nine ticks on, when the chosen action is over: it still counts
    stock = make_stock([Act(3), punch()], [[0]])
    sides = make_sides(stock, taken=[1.0, 0.0], distance_weight=[0.0, 10.0])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, 0])
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 1)
    assert verdict.competitive == pytest.approx(-12.0 + 10.0)  # and so does how fighter 1 ends
    # with a second ply fighter 0 is in its next action by then: the result is the same
    assert plain_search.search(stock, sides, make_rules(), state, 0, 2).competitive == pytest.approx(-2.0)


def test_a_deeper_search_sees_the_opponent_answer():
    # `lure` is shorter, but then fighter 1 can hit from its posture before anything else happens
    stock = make_stock([Act(20), Act(5), Act(10), punch()], [[0, 1], [2, 3]])
    stock.end_posture[2] = 1
    sides = make_sides(stock, duration_weight=[60.0, 0.0], taken=[5.0, 0.0], given_long=[0.0, 1.0])
    rules = make_rules(facing=0.5)
    state = make_state(stock, FACE_TO_FACE, [0, 2], [None, 4])
    shallow = plain_search.search(stock, sides, rules, state, 0, 1)
    assert (shallow.action, shallow.competitive) == (1, pytest.approx(-5.0))
    # two plies: after 5 ticks fighter 0 selects again (lure: 5 more), before fighter 1 does in 106
    assert plain_search.search(stock, sides, rules, state, 0, 2).line.tolist() == [[0, 1, 100], [0, 1, 105]]
    deep = plain_search.search(stock, sides, rules, state, 0, 3)
    assert deep.line.tolist()[-1] == [1, 3, 106]
    assert deep.competitive == pytest.approx(-10.0 - 12.0 * (5.0 + 1.0))


def test_min_max_when_nobody_cooperates():
    # one second of action costs 60: selections cost their ticks
    stock = make_stock([Act(4), Act(9), Act(2), Act(5)], [[0, 1], [2, 3]])
    stock.end_posture[[0, 1, 2, 3]] = 0, 0, 1, 1
    sides = make_sides(stock, duration_weight=60.0)
    state = make_state(stock, FACE_TO_FACE, [0, 2], [None, None])
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
    assert verdict.line.tolist() == [[0, 0, 100], [1, 2, 100]]
    assert (verdict.competitive, verdict.cooperative) == (pytest.approx(-4.0 + 2.0), 0.0)
    assert verdict.nodes == 2 + 4


def test_general_sum_copies_both_scores():
    """Fighter 1 pays a tick more for what the animator asks of it, and does it: both scores move."""
    stock = make_stock([Act(4), Act(2), Act(3)], [[0], [1, 2]])
    stock.end_posture[[1, 2]] = 1
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, None])
    requested = [[0, 0, 0], [0, 0, 1]]
    for weight, choice, scores in ((0.5, 1, (-2.0, 0.0)), (5.0, 2, (-1.0, 5.0))):
        sides = make_sides(stock, duration_weight=60.0, request_weight=[0.0, weight], request=requested)
        verdict = plain_search.search(stock, sides, make_rules(), state, 0, 2)
        assert verdict.line[-1].tolist() == [1, choice, 100]
        assert (verdict.competitive, verdict.cooperative) == pytest.approx(scores)


def test_the_searcher_weighs_both_scores():
    stock = make_stock([Act(4), Act(9)], [[0, 1]])
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    for weight, choice in ((4.0, 0), (6.0, 1)):
        sides = make_sides(stock, duration_weight=60.0, request_weight=weight, request=[[0, 1], [0, 0]])
        assert plain_search.search(stock, sides, make_rules(), state, 0, 1).action == choice


def test_scores_are_those_of_the_team_that_searches():
    stock = make_stock([Act(4), Act(6), Act(10)], [[0], [1], [2]])
    stock.end_posture[:] = 0, 1, 2
    sides = make_sides(stock, (1, 0, 1), duration_weight=60.0, request_weight=1.0, request=np.eye(3))
    state = make_state(stock, (*FACE_TO_FACE, (1.0, 1.0, 0.0)), [0, 1, 2], [None, None, None])
    verdict = plain_search.search(stock, sides, make_rules(), state, 0, 3)
    assert (verdict.competitive, verdict.cooperative) == pytest.approx((-4.0 - 10.0 + 6.0, 3.0))


@pytest.mark.parametrize(
    ("guess", "share"), [((1.0, 3.0), (0.25, 0.75)), ((0.0, 0.0), (0.5, 0.5)), ((0.0, 2.0), (0.0, 1.0))]
)
def test_the_opponent_model_takes_the_mean(guess, share):
    stock = make_stock([Act(4), Act(2), Act(5), Act(3, turn=np.pi)], [[0], [1, 3, 2]])
    stock.end_posture[[1, 2, 3]] = 1
    sides = make_sides(
        stock,
        duration_weight=60.0,
        request_weight=1.0,
        request=[[0] * 4, [1, 0, -1, 0]],
        guess=[[1.0] * 4, [9.0, guess[0], guess[1], 5.0]],  # who turns away is not plausible
    )
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, None])
    rules = make_rules(model=True, facing=1.0)
    verdict = plain_search.search(stock, sides, rules, state, 0, 2)
    assert verdict.competitive == pytest.approx(-4.0 + share[0] * 2.0 + share[1] * 5.0)
    assert verdict.cooperative == pytest.approx(-share[1])
    assert verdict.line[-1].tolist() == [1, 1 if share[0] >= share[1] else 2, 100]


def test_with_a_model_the_searcher_still_takes_its_best():
    stock = make_stock([Act(9), Act(4)], [[0, 1]])
    sides = make_sides(stock, duration_weight=60.0, guess=1.0)
    state = make_state(stock, FACE_TO_FACE, [0, 0], [None, 0])
    verdict = plain_search.search(stock, sides, make_rules(model=True), state, 0, 1)
    assert (verdict.action, verdict.competitive) == (1, pytest.approx(-4.0))


def test_a_model_guesses_among_what_looks_plausible_and_the_blow_lands_all_the_same():
    # fighter 1 does not see the punch, so that ducking is not plausible to it; standing, it is struck
    stock = make_stock([punch(end=1), Act(30), Act(30, kind=DEFENCE, move=(1.0, 0.0))], [[1, 2], [0]])
    state = make_state(stock, FACE_TO_FACE, [0, 1], [None, None])
    for reaction, damage in ((1, 12.0), (0, 6.0)):
        sides = make_sides(stock, given_long=[1.0, 0.0], reaction=[0, reaction], guess=1.0)
        verdict = plain_search.search(stock, sides, make_rules(model=True), state, 0, 2)
        assert verdict.competitive == pytest.approx(damage)


# ---- Geometry


def test_distance_between_axes_is_that_of_their_nearest_points():
    random = np.random.default_rng(4)
    one, other = random.normal(size=(2, 400, 2, 3))
    one[:50, 1] = one[:50, 0]  # balls
    other[25:75, 1] = other[25:75, 0]
    other[75:125] = one[75:125] + random.normal(size=(50, 1, 3))  # parallels
    share = np.linspace(0.0, 1.0, 101)[:, None]
    points = one[:, None, 0] + share * (one[:, None, 1] - one[:, None, 0])
    others = other[:, None, 0] + share * (other[:, None, 1] - other[:, None, 0])
    sampled = np.array([np.linalg.norm(p[:, None] - o[None], axis=-1).min() for p, o in zip(points, others)])
    exact = plain_search.axis_distance(one, other)
    assert np.all(exact <= sampled + 1e-12)
    assert np.all(sampled - exact < 0.05)
