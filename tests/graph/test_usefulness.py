"""What a library is good for, and what is missing."""

import numpy as np
import pytest

from randori.capture.actions import Analysis
from randori.capture.analysis import analyse
from randori.graph.library import ActionLibrary, build_library
from randori.graph.usefulness import HARDLY, NO, YES, find_usefulness
from randori.motion import rotations as rot
from randori.performer import perform


def library_of(name: str, seconds: float = 60.0, without: tuple[str, ...] = ()) -> ActionLibrary:
    """What the performer does in a set, without some kinds of actions or techniques."""
    recordings = []
    for take in perform(name, seconds=seconds, seed=1):
        found = analyse(take.clip)
        segments = tuple(s for s in found.segments if not {s.tags.kind, s.tags.technique} & set(without))
        recordings.append((take.clip, Analysis(segments)))
    return build_library(recordings)


def test_boxers_can_fight() -> None:
    useful = find_usefulness(library_of("boxing"))
    assert useful.use("duel").able == YES
    assert useful.use("sword duel").able == NO
    assert useful.use("policy").able == YES
    assert "no defence against blows at the head" not in useful.missing
    assert any("knocked down" in lack for lack in useful.missing)
    assert any("falls" in advice for advice in useful.record)


def test_without_defences_it_is_said() -> None:
    useful = find_usefulness(library_of("boxing", without=("defence",)))
    assert useful.use("duel").able == HARDLY
    assert "no defence" in useful.use("duel").why
    assert "no defence against blows at the head" in useful.missing
    assert any("ducks" in advice for advice in useful.record)


def test_fighters_that_cannot_close_in_hardly_fight() -> None:
    for name, use in (("boxing", "duel"), ("sword", "sword duel")):
        useful = find_usefulness(library_of(name, without=("step forward",)))
        assert useful.use(use).able == HARDLY
        assert "no step that closes the distance" in useful.use(use).why


@pytest.mark.parametrize(("degrees", "able"), [(0.0, YES), (100.0, HARDLY), (180.0, NO)])
def test_attacks_that_miss_an_opponent_in_front_are_told(degrees: float, able: str) -> None:
    (take,) = perform("boxing", seconds=60.0, seed=1)
    head, rotations = take.clip.skeleton.joint("head"), take.clip.rotations.copy()
    aside = rot.from_axis_angle(rot.Y_AXIS, np.radians(degrees))
    rotations[:, head] = rot.multiply(rotations[:, head], aside)
    clip = take.clip.with_frames(take.clip.root_position, rotations)
    use = find_usefulness(build_library([(clip, analyse(take.clip))])).use("duel")
    assert use.able == able
    assert ("could hit an opponent in front" in use.why) == (degrees > 0.0)


def test_walkers_cannot_fight() -> None:
    useful = find_usefulness(library_of("locomotion"))
    assert useful.use("duel").able == useful.use("policy").able == NO
    assert useful.missing == ()
    assert useful.record


def test_swords() -> None:
    useful = find_usefulness(library_of("sword"))
    assert useful.use("sword duel").able == YES


def test_gaits_and_targets_can_be_prepared_for() -> None:
    assert find_usefulness(library_of("targets", 90.0)).use("preparation").able == YES
