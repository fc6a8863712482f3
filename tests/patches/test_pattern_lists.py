"""Patterns: how they are written, what is refused, what is sampled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randori.errors import FileError, RandoriError
from randori.patches.pattern import PatchScene, parse_patterns, read_patterns, scene_names
from randori.patches.sampling import bearings, samples

HEAD = 'title = "t"\n[motions]\nperform = ["boxing"]\n'
WORDS = """
[annotation.attack]
actions = [{ kind = ["attack"] }]
distance = [0.5, 2.0]
delay = [0.0, 0.5]
[annotation.fall]
actions = [{ kind = ["fall"] }]
response = true
[annotation.far]
actions = [{ kind = ["transition"] }]
distance = [3.0, 4.0]
"""


def _scene(moves: str, words: str = WORDS) -> PatchScene:
    return parse_patterns(f"{HEAD}{words}\n[[pattern]]\nmoves = {moves}\n", "mine.toml")


@pytest.mark.parametrize("name", scene_names())
def test_every_shipped_scene_can_be_read_and_sampled(name: str) -> None:
    scene = read_patterns(name)
    for pattern in scene.pattern:
        distance, one, other, delay = scene.ranges(pattern)
        assert len(samples(*distance, 0.2)) > 0
        assert len(bearings(*one)) > 0
        assert len(bearings(*other)) > 0
        assert len(samples(*delay, 0.1)) > 0


def test_the_six_scenes_of_the_paper_are_there() -> None:
    assert set(scene_names()) >= {"one-fights-many", "two-fight", "football", "mouse", "dominoes", "luggage"}


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ('["1 attack", "2 hide"]', "there is no annotation 'hide'; There are attack, fall, far"),
        ('["1 attack", "2 fall"]', "'fall' answers and cannot come first"),
        ('["1 attack", "1 attack"]', "both characters need at least one"),
        ('["3 attack", "2 attack"]', 'expected "1 attack" or "2 defence"'),
        ('["1 attack"]', "pattern.0.moves"),
    ],
)
def test_a_wrong_pattern_is_refused_with_what_is_wrong(moves: str, said: str) -> None:
    with pytest.raises(FileError, match=r"mine\.toml") as refused:
        _scene(moves)
    assert said in str(refused.value)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(FileError, match=r"annotation\.attack\.distanse"):
        _scene('["1 attack", "2 attack"]', WORDS.replace("distance = [0.5", "distanse = [0.5"))


def test_ranges_of_first_moves_are_intersected() -> None:
    scene = parse_patterns(
        HEAD + WORDS.replace("[3.0, 4.0]", "[1.0, 4.0]") + '[[pattern]]\nmoves = ["1 attack", "2 far"]\n', "x"
    )
    distance, *_, delay = scene.ranges(scene.pattern[0])
    assert distance == (1.0, 2.0)
    assert delay == (0.0, 2.0)  # the second does not start before the first
    apart = _scene('["1 attack", "2 far"]')
    with pytest.raises(RandoriError, match="nothing in common"):
        apart.ranges(apart.pattern[0])


@given(st.floats(-5.0, 5.0), st.floats(0.0, 5.0), st.sampled_from([0.1, 0.2, 20.0]))
def test_samples_are_evenly_spaced_inside_and_as_many_as_fit(low: float, length: float, step: float) -> None:
    found = samples(low, low + length, step)
    assert found[0] >= low - 1e-9
    assert found[-1] <= low + length + 1e-9
    assert np.allclose(np.diff(found), step)
    assert len(found) == int(length / step + 1e-9) + 1


def test_a_full_turn_is_sampled_once() -> None:
    angles = bearings(-180.0, 180.0)
    assert len(angles) == 18
    assert len({round(float(np.cos(a)), 6) + 10 * round(float(np.sin(a)), 6) for a in angles}) == 18
