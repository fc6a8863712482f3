"""Live sessions refuse senseless inputs in words, and their poses stay finite. See fuzz_sessions.py."""

import fuzz
import fuzz_sessions
import fuzz_words
import pytest

from randori.errors import RandoriError

_SEED = 0
_INPUTS = {"session": 300, "play": 20}


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_sessions.KINDS)
def test_damaged_inputs_and_scenes_are_played_or_refused(kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fuzz, "KINDS", fuzz_words.KINDS | fuzz_sessions.KINDS)
    outcome = fuzz.attack(kind, _SEED, 0, _INPUTS[kind])
    assert not outcome.failures, outcome.in_words(_SEED)
    assert 0 < outcome.read < outcome.inputs


@pytest.mark.slow
@pytest.mark.parametrize("key", ["what", "self"])
def test_values_named_like_parameters_are_refused(key: str):
    with pytest.raises(RandoriError, match=f"unknown: {key}"):
        fuzz_sessions._live("target").send("let go", {key: 1})


@pytest.mark.slow
def test_nobody_faces_a_direction_that_is_no_number():
    with pytest.raises(RandoriError, match="degrees is a number"):
        fuzz_sessions._live("target").send("face", {"who": 0, "degrees": float("nan")})
