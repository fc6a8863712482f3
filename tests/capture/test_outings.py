"""What somebody has in the hands or under the arm, told by how the arms are held."""

from collections import Counter

from randori.capture.analysis import analyse
from randori.performer import perform


def techniques(set_name: str, seconds: float, seed: int) -> Counter[str]:
    clip = perform(set_name, seconds=seconds, seed=seed, body="slim")[0].clip
    return Counter(segment.tags.technique for segment in analyse(clip).segments)


def test_luggage_is_seen_and_nothing_is_seen_in_empty_hands() -> None:
    with_luggage = techniques("luggage", 60.0, 17)
    assert with_luggage["carry"] > 10
    assert with_luggage["pick up"] + with_luggage["receive"] > 0
    empty = techniques("locomotion", 60.0, 17)
    assert not {"carry", "pick up", "put down", "receive", "hand over"} & set(empty)


def test_a_ball_is_seen_under_one_arm_and_not_under_two_that_swing() -> None:
    with_ball = techniques("football", 60.0, 17)
    assert with_ball["run with the ball"] > 5
    assert with_ball["get up"] > 0
    assert with_ball["be tackled"] + with_ball["tackle to the ground"] > 0
    free = techniques("running", 60.0, 17)
    assert not {"run with the ball", "tackle", "spin"} & set(free)
