"""Styles: the weights of a fighter."""

import numpy as np
import pytest

from randori.duel.fighter import _OF_STYLE
from randori.duel.game import Sides
from randori.duel.styles import STYLES, WEIGHTS, style_named
from randori.errors import RandoriError
from randori.kernels.duel_records import SIDE

OF_CONDITION = ("breath_weight", "variety_weight")  # what duel/condition.py turns into urges


def test_every_weight_of_a_style_reaches_the_game():
    names = set(WEIGHTS) - set(OF_CONDITION)
    assert names == set(_OF_STYLE)
    assert names <= set(Sides._fields)
    assert names <= set(SIDE.fields or ())


@pytest.mark.parametrize("name", ["chaser", "runaway", "chaser-on-path", "runaway-on-path"])
def test_runners_neither_attack_nor_defend_nor_mind_standing(name):
    style = STYLES[name]
    assert not style.strikes
    assert style.initiative_weight == style.caution_weight == style.pairing_weight == 0.0
    assert style.recency_weight == style.stillness_weight == 0.0


@pytest.mark.parametrize(
    "name", ["boxer", "infighter", "outboxer", "boxer-on-path", "sword", "sword-on-path"]
)
def test_fighters_have_the_weights_of_the_papers(name):
    style = STYLES[name]
    assert style.strikes
    assert (style.facing_weight, style.taken) == (10.0, 1e5)
    ours = {"infighter": 2e5, "outboxer": 4e5}  # deviations: docs/duel.md
    assert style.distance_weight == ours.get(name, 10.0)
    assert style.pairing_weight == 1e2
    on_path = name.endswith("on-path")
    assert (style.path_weight, style.request_weight) == ((1e1, 1e6) if on_path else (0.0, 0.0))


def test_a_defence_that_suits_outweighs_a_hit_to_the_head():
    """Ten metres a second, twice for the head, for both sides; a defence that suits by three quarters."""
    boxer = STYLES["boxer"]
    assert 0.75 * boxer.caution_weight > 10.0 * (boxer.given_long + boxer.taken)
    assert boxer.initiative_weight * 4.0**2 > boxer.recency_weight


def test_some_weights_can_be_changed():
    style = STYLES["boxer"].with_weights({"taken": 2e4, "initiative_weight": 0.0})
    assert (style.taken, style.initiative_weight, style.given_long) == (2e4, 0.0, 1e5)
    with pytest.raises(RandoriError, match=r"did you mean 'caution_weight'\?"):
        STYLES["boxer"].with_weights({"caution_wieght": 1.0})
    for value in (-1.0, 2e9, np.nan):
        with pytest.raises(RandoriError, match=r"taken = .*between 0 and"):
            STYLES["boxer"].with_weights({"taken": value})
    with pytest.raises(RandoriError, match="did you mean 'outboxer'"):
        style_named("outboxr")
