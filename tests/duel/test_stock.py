"""What a game knows of recorded strikes."""

import numpy as np

from randori.body.capsules import CAPSULES
from randori.capture.analysis import analyse
from randori.duel.game import Stock
from randori.duel.stock import BODY_ROOM, build_stock
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform

BLADE = CAPSULES.index("weapon")


def stock_of(name: str) -> Stock:
    clip = perform(name, seconds=40.0, seed=3)[0].clip
    return build_stock([build_action_graph(build_library([(clip, analyse(clip))]), 0.2)])


def test_fists_need_no_room_but_bodies_do():
    stock = stock_of("boxing")
    assert len(stock.strike_room) > 10
    assert not stock.strike_room.any()
    assert (stock.room == BODY_ROOM).all()


def test_a_blade_needs_the_room_in_which_its_outer_half_meets():
    stock = stock_of("sword")
    owner = np.repeat(np.arange(len(stock.first)), np.diff(stock.strike_start))
    assert len(owner) > 5
    for strike, action in enumerate(owner):
        assert stock.strike_capsule[strike] == BLADE
        first, stop = stock.first[action] + np.array([stock.strike_first[strike], stock.strike_stop[strike]])
        reach = np.linalg.norm(
            stock.body[first:stop, BLADE][..., [0, 2]] - stock.place[first, :2], axis=-1
        ).max(axis=0)
        hilt, tip = reach
        assert hilt < stock.strike_room[strike] < tip
        assert stock.strike_room[strike] < stock.strike_range[strike]
    assert set(stock.room) == {np.median(stock.strike_room)}
