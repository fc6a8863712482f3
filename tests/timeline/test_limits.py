"""The gate: which limits there are, how they are asked for, and what it says."""

from dataclasses import replace

import pytest

from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.timeline.crowds import Crowd
from randori.timeline.limits import LIMITS, read_limits, require
from randori.timeline.quality import Quality, measure
from randori.timeline.timeline import Timeline


@pytest.fixture(scope="module")
def quality(sparring: Timeline, baked: list[Walk]) -> Quality:
    """A take without a fault."""
    found = measure(sparring, baked)
    return replace(
        found,
        unnoticed=0.97,
        smooth_joins=1.0,
        penetration_deepest=0.021,
        strike_error_worst=0.0,
        lowest_point=-0.004,
        fighters=2,
        hits_judged=8,
        attacks_judged=20,
        requested_falls=1,
        answered=0.3,
        techniques=5,
        techniques_expected=5.0,
        longest_pause=5.0,
        pause_allowed=6.0,  # of outboxers
    )


def test_limits_are_read_as_people_write_them():
    assert read_limits([]) == {}
    assert read_limits(["all"]) == dict.fromkeys(LIMITS)  # the usual bounds
    assert read_limits(["feet, bodies=5"]) == {"feet": None, "bodies": 5.0}
    assert read_limits(["bodies=5", "all"])["bodies"] == 5.0  # what is said outright wins
    for wrong, told in (
        ("knees", "known are all, feet"),
        ("bodies=deep", "number of cm"),
        ("feet=nan", "finite"),
    ):
        with pytest.raises(RandoriError, match=told):
            read_limits([wrong])


def test_a_take_within_its_limits_passes(quality: Quality):
    require(quality, read_limits(["all"]))


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("unnoticed", 0.93, "93.00 %, at least 95 %"),
        ("smooth_joins", 0.99, "99.00 %, at least 100 %"),
        ("penetration_deepest", 0.08, "8.00 cm, at most 3 cm"),
        ("strike_error_worst", 0.05, "50.00 mm, at most 20 mm"),
        ("lowest_point", -0.039, "3.90 cm, at most 1 cm"),
        ("trunk_angle", 1.5, "85.94 °, at most 80 °"),
        ("head_speed", 9.0, "9.00 m/s, at most 8 m/s"),
        ("joint_acceleration", 340.0, "340.00 m/s², at most 300 m/s²"),
        ("unseeing_hits", 0.04, "4.00 %, at most 3 %"),
        ("stunned_hits", 0.5, "50.00 %, at most 25 %"),
        ("idle_hits", 6, "6.00, at most 5 asked"),
        ("against_blow", 0.1, "10.00 %, at most 5 %"),
        ("answered", 0.1, "10.00 %, at least 20 %"),
        ("techniques", 3, "3.00, at least 5 asked"),
        ("longest_pause", 6.5, "6.50 s, at most 6 s"),
        ("looks_away", 0.11, "11.00 %, at most 10 %"),
        ("feet_still", 0.2, "20.00 %, at most 15 %"),
        ("fastest_rise", 1.3, "1.30 m/s, at most 1.2 m/s"),
        ("idle_victim", 0.25, "25.00 %, at most 20 %"),
    ],
)
def test_what_is_missed_is_named_with_its_figure(quality: Quality, field: str, value: float, told: str):
    with pytest.raises(RandoriError, match=told):
        require(replace(quality, **{field: value}), read_limits(["all"]))


@pytest.mark.parametrize(
    ("field", "fewer", "figure"),
    [
        ("hits_judged", 3, {"stunned_hits": 1.0}),
        ("attacks_judged", 4, {"answered": 0.0}),
        ("requested_falls", 0, {"idle_victim": 1.0}),
        ("fighters", 0, {"looks_away": 1.0, "longest_pause": 60.0, "feet_still": 1.0, "fastest_rise": 3.0}),
    ],
)
def test_too_little_is_not_judged(quality: Quality, field: str, fewer: int, figure: dict[str, float]):
    bad = replace(quality, **figure)
    with pytest.raises(RandoriError):
        require(bad, read_limits(["all"]))
    require(replace(bad, **{field: fewer}), read_limits(["all"]))


def test_the_bound_that_is_asked_for_counts(quality: Quality):
    require(replace(quality, penetration_deepest=0.08), read_limits(["bodies=9"]))
    with pytest.raises(RandoriError, match=r"bodies inside each other: 2\.10 cm, at most 2 cm"):
        require(quality, read_limits(["bodies=2"]))


def test_a_crowd_is_held_to_its_limits() -> None:
    fine = Crowd(crowd_people=8, heroes=1, hero_idle=0.2, hero_peace=5.0, risers=8, longest_lying=9.0)
    assert all(kept for kept, _ in fine.crowd_sentences())
    worse = replace(fine, crowd_repeats=1, hero_idle=0.3, longest_lying=13.0, commands=10, commands_late=0.1)
    assert [kept for kept, _ in worse.crowd_sentences()] == [False] * 4
    assert list(Crowd().crowd_sentences()) == []  # any other take
