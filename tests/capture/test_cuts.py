"""Where an action begins: after a rest, in a combination, and out of a defence."""

import pytest

from randori.capture.actions import Tags
from randori.capture.analysis import until_upright
from randori.capture.events import Blow, Event, Timing
from randori.capture.segmentation import STAND, cut

WINDS_UP = Timing(0.4, 0.2, 0.8, flows_within=0.6)
QUICK = Timing(0.15, 0.15, 0.5, flows_within=0.6)


def punch(hand: str, peak: int, timing: Timing = WINDS_UP) -> Event:
    return Event(
        peak, peak + 4, timing, Tags("attack", "straight", hand), 1.0, Blow(f"{hand}_hand", peak, peak)
    )


def starts(*events: Event) -> list[int]:
    return [stretch.start for stretch in cut(list(events), 600) if stretch.tags != STAND]


def test_after_a_rest_a_blow_begins_with_its_wind_up() -> None:
    assert starts(punch("left", 120)) == [120 - 24]


def test_in_a_combination_the_other_fist_leaves_when_the_first_has_landed() -> None:
    for peak in (135, 140, 150):
        assert starts(punch("left", 120), punch("right", peak))[1] == 127


def test_the_same_fist_has_to_come_back_first_and_a_jab_has_nothing_to_wind_up() -> None:
    assert starts(punch("left", 120), punch("left", 150))[1] == 150 - 12
    assert starts(punch("left", 120), punch("right", 150, QUICK))[1] == 150 - 9


@pytest.mark.parametrize(("technique", "flows"), [("parry", True), ("block", True), ("sway", False)])
def test_a_counter_out_of_a_block_has_a_little_more_time(technique: str, flows: bool) -> None:
    defence = Event(120, 124, QUICK, Tags("defence", technique), 1.0)
    begin = starts(defence, punch("right", 120 + 40))[1]
    assert begin == (160 - 12 if flows else 160 - 24)


def test_a_character_that_falls_again_while_it_gets_up_is_not_on_its_feet() -> None:
    rise = Event(100, 200, Timing(0.0, 0.0, 2.3), Tags("rise", "get up"), 0.9)
    fall = Event(210, 250, Timing(0.0, 0.0, 9e3), Tags("fall", "fall"), 0.9)
    low = until_upright([rise, fall], 400)
    assert low[100:200].all()
    assert not low[200:210].any()
    assert low[210:].all()
