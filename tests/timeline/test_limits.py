"""The gate: which limits there are, how they are asked for, and what it says."""

from dataclasses import replace

import pytest

from randori.errors import RandoriError
from randori.graph.joining import Walk
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
    )


def test_limits_are_read_as_people_write_them():
    assert read_limits([]) == {}
    assert read_limits(["all"]) == {name: limit.bound for name, limit in LIMITS.items()}
    assert read_limits(["feet, bodies=5"]) == {"feet": 95.0, "bodies": 5.0}
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
    ],
)
def test_what_is_missed_is_named_with_its_figure(quality: Quality, field: str, value: float, told: str):
    with pytest.raises(RandoriError, match=told):
        require(replace(quality, **{field: value}), read_limits(["all"]))


def test_the_bound_that_is_asked_for_counts(quality: Quality):
    require(replace(quality, penetration_deepest=0.08), read_limits(["bodies=9"]))
    with pytest.raises(RandoriError, match=r"bodies inside each other: 2\.10 cm, at most 2 cm"):
        require(quality, read_limits(["bodies=2"]))
