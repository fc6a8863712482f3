"""Names of single moves of a hand, measured in the body's own frame."""

from dataclasses import replace

import pytest

from randori.capture.actions import Tags
from randori.capture.analysis import _about_kicks
from randori.capture.classification import name_hand_move
from randori.capture.events import Blow, Event, Timing
from randori.capture.moves import HandMove

# A left fist that goes straight ahead until the arm is out.
PUT_OUT = HandMove(
    side=0, peak=40, onset=30, extension=44, speed=5.5, along=0.8, away=0.97, forward=0.95, inward=0.05,
    upward=-0.1, reach=0.95, gained=0.4, height=-0.15, ahead=1.2, across=-0.2, other=0.5, whipped=False,
)  # fmt: skip


@pytest.mark.parametrize("along", [0.8, 0.5, 0.0])
def test_a_straight_fist_is_one_however_the_rig_turns_its_forearm(along: float) -> None:
    for lead, technique in ((0, "jab"), (1, "straight")):
        named = name_hand_move(replace(PUT_OUT, along=along, gained=0.3), lead)
        assert named is not None
        assert (named.tags.technique, named.tags.side) == (technique, "left")


@pytest.mark.parametrize(
    "change", [{"along": -0.5}, {"speed": 1.8}, {"away": -0.9, "forward": -0.9, "along": -0.8}]
)
def test_a_fist_that_is_drawn_back_or_wanders_is_none(change: dict[str, float]) -> None:
    named = name_hand_move(replace(PUT_OUT, **change), 0)
    assert named is None or named.tags.kind != "attack"


def test_a_body_that_lands_from_a_kick_picks_up_nothing() -> None:
    tags = Tags("attack", "spinning kick", "left", "head", "horizontal")
    kick = Event(100, 150, Timing(0.3, 0.3, 1.0), tags, blow=Blow("left_foot", 120, 125))
    punch = Event(300, 310, Timing(0.3, 0.3, 1.0), tags, blow=Blow("left_hand", 300, 305))
    about = _about_kicks([kick, punch], 400)
    assert about[70:180].all()
    assert not about[:70].any()
    assert not about[180:].any()
