"""Scripts: those that ship can be read, and what is wrong with one is said kindly."""

import re

import pytest

from randori.errors import FileError
from randori.performer.script import read_stances, read_techniques, stances, techniques

GOOD = """
[poke]
kind = "attack"
side = "lead"
effector = "lead_hand"
impact = 0.2
moves = [
  ["lead_hand_forward", 20, 0.0, 0.2, 0.6],
  ["lead_hand_forward", "back", 0.2, 0.6],
]
"""


@pytest.mark.parametrize("script", ["punches", "kicks", "defences", "footwork"])
def test_shipped_scripts_are_read_and_complete(script: str) -> None:
    for name, technique in techniques(script).items():
        assert technique.kind in ("attack", "defence", "transition"), name
        assert technique.start <= 0.0 < technique.cut <= technique.settled, name
        if technique.kind != "transition":
            assert technique.position in ("head", "upper torso", "lower torso"), name
            assert technique.direction, name
            assert 0.0 < technique.impact < technique.cut, name


def test_units_are_converted_and_back_comes_back() -> None:
    poke = read_techniques(GOOD)["poke"]
    assert poke.moves[0].amount == pytest.approx(0.20)
    assert poke.moves[1].amount == pytest.approx(-0.20)
    assert poke.settled == pytest.approx(0.6)


def test_the_guard_is_a_stance() -> None:
    guard = stances()["guard"]
    assert guard.lead_foot[0] > guard.rear_foot[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"lead_hand_forward", 20', '"lead_paw_forward", 20'), "no channel 'lead_paw_forward'"),
        (('"lead_hand_forward", 20', '"lead_foot_x", 20'), "places in the world"),
        (("0.0, 0.2, 0.6", "0.3, 0.2, 0.6"), "takes no time"),
        (("0.0, 0.2, 0.6", "0.0, 0.2, 0.95"), "skew"),
        (('"back", 0.2', "-10, 0.2"), "does not come back"),
        (('kind = "attack"', 'knd = "attack"'), "knd: not known"),
        (("impact = 0.2", 'impact = "soon"'), "impact should be a number"),
        (("[poke]", "[poke"), "poke.toml"),
    ],
)
def test_errors_name_the_file_and_the_technique(change: tuple[str, str], words: str) -> None:
    with pytest.raises(FileError, match=re.escape(words)) as caught:
        read_techniques(GOOD.replace(*change), "poke.toml")
    assert "poke.toml" in str(caught.value)


def test_a_stance_needs_its_feet() -> None:
    with pytest.raises(FileError, match="lead_foot"):
        read_stances("[crouch]\npelvis_height = 60")
