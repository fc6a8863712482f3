"""What a fight does to its fighters: alertness, breath, variety, recovery."""

import numpy as np
import pytest

from randori.duel.condition import Condition, recovered
from randori.duel.styles import STYLES

JAB, HOOK, STEP, STAND = range(4)
BOXERS = [STYLES["boxer"]] * 2


@pytest.fixture
def condition() -> Condition:
    return Condition.of(2, np.array([0, 1, -1, -1]), np.array([False, False, False, True]))


def test_fighters_that_have_not_fought_want_nothing_special(condition: Condition) -> None:
    assert not condition.urges(BOXERS).any()
    assert condition.reaction(np.array([15, 12])).tolist() == [15, 12]


def test_a_struck_fighter_sees_the_next_blow_sooner_and_its_striker_later(condition: Condition) -> None:
    condition.hit(0, 1)
    assert condition.reaction(np.array([20, 20])).tolist() == [21, 15]
    for _ in range(20):
        condition.hit(0, 1)
    assert condition.reaction(np.array([20, 20])).tolist() == [30, 10]  # within what people do


def test_a_fighter_that_escapes_again_and_again_grows_careless(condition: Condition) -> None:
    condition.escape(1)
    condition.escape(1)
    assert condition.reaction(np.array([20, 20])).tolist() == [20, 28]


def test_alertness_keeps_within_bounds_where_two_attacks_in_five_land(condition: Condition) -> None:
    random = np.random.default_rng(3)
    alertness = []
    for _ in range(400):
        for striker in (0, 1):
            if random.random() < 0.43:
                condition.hit(striker, 1 - striker)
            else:
                condition.escape(1 - striker)
        alertness.append(condition.alertness.copy())
    assert abs(float(np.mean(alertness))) < 1.5


def test_attacks_cost_breath_which_comes_back(condition: Condition) -> None:
    condition.attack(0, JAB)
    assert condition.urges(BOXERS)[0, HOOK] == pytest.approx(-0.15e6)  # (1 - 0.5)² of 6e5
    assert condition.urges(BOXERS)[0, STEP] == 0.0
    condition.attack(0, JAB)
    tired = condition.urges(BOXERS)[0, HOOK]
    assert tired == pytest.approx(-1.35e6)
    assert not condition.urges(BOXERS)[1].any()
    condition.rest(5.0)
    assert condition.urges(BOXERS)[0, HOOK] == 0.0


def test_a_blow_that_lands_costs_its_striker_breath_and_rouses_the_struck(condition: Condition) -> None:
    condition.attack(0, JAB)
    condition.attack(1, JAB)
    condition.hit(0, 1)
    assert condition.effort.tolist() == [1.5, 0.5]


def test_a_technique_that_was_used_more_than_others_of_late_costs(condition: Condition) -> None:
    weight = STYLES["boxer"].variety_weight
    condition.attack(0, JAB)
    condition.rest(60.0)
    urges = condition.urges(BOXERS)[0]
    assert (urges[JAB], urges[HOOK]) == (pytest.approx(-0.5 * weight), 0.0)  # half a use too many
    condition.attack(0, HOOK)
    condition.rest(60.0)
    urges = condition.urges(BOXERS)[0]
    assert (urges[JAB], urges[HOOK]) == (0.0, pytest.approx(-0.05 * weight))  # 1 and 0.9 uses


@pytest.mark.parametrize("known", [2, 9])
def test_a_fighter_with_few_techniques_attacks_as_readily_as_one_with_many(known: int) -> None:
    condition = Condition.of(1, np.arange(known), np.zeros(known, dtype=bool))
    for number in range(60):
        condition.attack(0, number % known)
    condition.rest(60.0)
    urges = condition.urges(BOXERS[:1])[0]
    assert urges.max() == 0.0 > urges.min()


def test_a_fighter_that_only_stands_gets_bored(condition: Condition) -> None:
    for _ in range(3):
        condition.select(0, STAND)
    assert not condition.urges(BOXERS).any()
    condition.select(0, STAND)
    condition.select(0, STAND)
    assert condition.urges(BOXERS)[0].tolist() == [0.0, 0.0, 0.0, -2 * STYLES["boxer"].variety_weight]
    condition.select(0, STEP)
    assert not condition.urges(BOXERS).any()


def test_runners_have_no_urges() -> None:
    condition = Condition.of(2, np.array([0, 1, -1, -1]), np.array([False, False, False, True]))
    condition.attack(0, JAB)
    assert not condition.urges([STYLES["chaser"], STYLES["runaway"]]).any()


def test_a_copy_goes_on_by_itself(condition: Condition) -> None:
    other = condition.copied()
    other.attack(0, JAB)
    other.hit(1, 0)
    other.select(0, STAND)
    assert not any(
        values.any()
        for values in (condition.effort, condition.alertness, condition.staleness, condition.standing)
    )


def test_fighters_recover_and_more_so_on_the_floor() -> None:
    left = recovered(np.array([50.0, 50.0, 0.2]), np.array([False, True, False]), 90.0, 2.0)
    assert left == pytest.approx([49.0, 26.0, 0.0])
