"""A trial fight says why a library hardly hits, where counting its attacks does not."""

import pytest

from boxing_samples import boxing_library
from randori.duel.trial import Trial, judged, judged_by_trial
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.usefulness import HARDLY, NO, YES, Use, find_usefulness


@pytest.fixture(scope="module")
def boxing() -> ActionGraph:
    return graph_with_choices(boxing_library(), 12.0)


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (Trial(60.0, 12, 9, 0.9, 1.0, "looks away"), ""),
        (Trial(60.0, 4, 9, 0.9, 1.0, "looks away"), "4 hits a minute in a trial: most blows meet a guard"),
        (Trial(60.0, 4, 1, 0.9, 1.0, ""), "4 hits a minute in a trial: the fighters seldom attack"),
        (
            Trial(60.0, 2, 0, 0.09, 0.71, "too near"),
            "2 hits a minute in a trial: 91 % of the time no attack fits, as the fighters stand 0.7 m apart, "
            "too near for them",
        ),
        (Trial(30.0, 0, 0, 0.0, 2.0, "looks away"), "most attacks end looking away from the opponent"),
        (Trial(30.0, 0, 0, 0.0, 2.0, "out of range"), "the opponent is out of their range"),
    ],
)
def test_the_cause_of_few_hits_in_words(trial: Trial, expected: str) -> None:
    assert trial.why_few().endswith(expected)
    assert bool(trial.why_few()) == bool(expected)


def test_a_library_that_never_hits_is_hardly_good_for_a_duel(
    boxing: ActionGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("randori.duel.trial._SEEDS", (1,))
    monkeypatch.setattr("randori.duel.trial._SECONDS", 4.0)
    monkeypatch.setattr("randori.duel.trial._DEPTH", 1)
    monkeypatch.setattr(
        "randori.duel.trial._START_DISTANCE", 30.0
    )  # farther than fighters get in four seconds
    found = judged(Use("duel", YES, "12 attacks"), boxing)
    assert found.able == HARDLY
    assert "0 hits a minute in a trial" in found.why
    assert judged(Use("policy", YES, ""), boxing) == Use("policy", YES, "")
    assert judged(Use("duel", NO, "there is no attack"), boxing).able == NO


def test_without_a_fight_nothing_is_tried(boxing: ActionGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.duel.trial.try_out", lambda *_: pytest.fail("tried"))
    library = boxing.library
    useful = find_usefulness(library)
    none = [Use(use.name, NO, use.why) for use in useful.uses]
    useful = type(useful)(tuple(none), useful.missing, useful.record)
    assert judged_by_trial(useful, library) == useful
